// SPDX-License-Identifier: Apache-2.0
// The mistakes of one definition, collected while it is built, so that a person sees all of them at once.
#pragma once

#include <vector>

#include "ir/core/error.h"

namespace mlc::diagnostics {

// The name of errors that only follow from another one, such as the use of a name whose definition failed.
constexpr std::string_view kCascade = "follows-from-an-error";

class Findings {
 public:
  // Keeps the errors, those that follow from others aside; `fallback` is the place of one that has none.
  // What must stop the program, an interrupt or sys.exit, is thrown on.
  void add(const ir::Error& error, ir::Span fallback);
  bool empty() const { return all_.empty(); }
  // Throws what was found, each mistake once and in order of place, as one error that scripts catch as
  // tvm.error.DiagnosticError. At least one.
  [[noreturn]] void raise();

 private:
  std::vector<ir::Diagnostic> all_;
};

}  // namespace mlc::diagnostics
