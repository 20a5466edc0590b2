// SPDX-License-Identifier: Apache-2.0
// Does a schedule keep what its module computes? Each step is taken again from the beginning, with its
// checks, and what it left is run beside the beginning on random inputs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontend/script/core/evaluator.h"
#include "repl/shell/differential_run.h"
#include "transform/pass/pass_object.h"
#include "transform/schedule/schedule.h"

namespace mlc::repl {

enum class Verdict : uint8_t {
  kProved,     // the primitive's checks imply that nothing has changed
  kTested,     // it takes something on trust, and runs agree
  kUnchecked,  // it takes something on trust, and there was no run
  kWrong,      // a run differs, or the step is refused when it is taken again
};
std::string_view name_of(Verdict verdict);

struct StepVerdict {
  std::string step;  // its line of the trace
  Verdict verdict = Verdict::kProved;
  std::string reason;  // what is taken on trust, what differs, or why it was not run
  bool trusts = false;
};

struct Verification {
  std::vector<StepVerdict> steps;      // those that change the module
  std::vector<std::string> functions;  // how each function was run, or why it was not
  bool wrong = false;
};
// Is told what is at work, which may take long.
using AtWork = std::function<void(const std::string& step)>;
Verification verify_schedule(script::Evaluator& evaluator, const transform::Schedule& schedule,
                             const AtWork& at_work = {});

// Passes that a program has called, in rows, each of them on what the one before it made.
std::vector<std::span<const transform::PassRun>> rows_of(std::span<const transform::PassRun> runs);
// Each result is run beside the first module, where the interpreter can; a pass has no checks that prove more
// than that it has changed nothing.
Verification verify_passes(script::Evaluator& evaluator, std::span<const transform::PassRun> runs,
                           const AtWork& at_work = {}, const RunLimits& limits = {});

// The present of a schedule beside its beginning; its steps are not taken again.
struct BesideBeginning {
  std::string difference;              // "" where there is none
  std::vector<std::string> functions;  // how each was run, or why it was not
  bool all_run = false;
};
BesideBeginning compare_with_beginning(script::Evaluator& evaluator, const transform::Schedule& schedule,
                                       const RunLimits& limits = {});

}  // namespace mlc::repl
