// SPDX-License-Identifier: Apache-2.0
// What an exception's report shows besides its message, kept in the exception until somebody reads it.
#pragma once

#include "frontend/script/core/value.h"
#include "ir/core/refusal.h"

namespace mlc::script {

struct PendingReportNode final : ffi::Object {
  std::shared_ptr<ir::RefusedError::Complete> complete;

  explicit PendingReportNode(std::shared_ptr<ir::RefusedError::Complete> complete)
      : complete(std::move(complete)) {}
  MLC_NODE("mlc.script.PendingReport", PendingReportNode, ffi::Object);
};

// The field of an exception that holds it; no name that a program could write.
Symbol pending_report();
// An error on its way out of the script, with all that its report shows.
void complete_report(ir::Error& error);

}  // namespace mlc::script
