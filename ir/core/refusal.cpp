// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"

namespace mlc::ir {

Error make_refusal(const RefusalRow& row, fmt::string_view message, fmt::format_args args) {
  Diagnostic made;
  made.name = row.refusal->name;
  made.kind = row.kind;
  made.message = fmt::vformat(message, args);
  made.help = row.refusal->help;
  return Error(std::move(made));
}

void RefusedError::complete() {
  if (auto todo = std::move(complete_)) (*todo)(first());
}

}  // namespace mlc::ir
