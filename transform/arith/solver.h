// SPDX-License-Identifier: Apache-2.0
// z3 behind the analyzer: conditions that no rule decides, written as an SMT-LIB problem over unbounded
// integers. The library is loaded when the first question is asked, and nothing needs it.
#pragma once

#include "transform/arith/analyzer_impl.h"

namespace mlc::transform {

// Does can_prove of every analyzer use the solver where rules do not decide? Off, except where a PassContext
// says `mlc.solver`: it takes milliseconds, not microseconds.
bool solver_enabled();
void enable_solver(bool enabled);
// Does it prove the condition? False where it is not enabled.
bool solver_proves(AnalyzerImpl& known, const Expr& condition);
bool solver_is_here();  // can libz3 be loaded?
// Throws Error no-solver unless it can.
void require_solver();

// What is known, and that `condition` does not hold, up to `(check-sat)`. Without a condition what is known
// alone.
std::string smtlib2(const AnalyzerImpl& known, const Expr& condition);

struct Decision {
  enum class Kind : uint8_t { kHolds, kFails, kUnknown };
  Kind kind = Kind::kUnknown;
  // With these values of its variables the condition does not hold: of kFails, where all of it could be said.
  std::vector<std::pair<Var, int64_t>> counterexample;
};

// Asks within the limits of the analyzer. kUnknown where they end it, and of what is no condition of
// integers.
Decision decide(AnalyzerImpl& known, const Expr& condition);

// "`n` = 5, `m` = 1": values with which the condition does not hold. Empty where the solver is not enabled or
// has none.
std::string counterexample_text(Analyzer& known, const Expr& condition);

}  // namespace mlc::transform
