// SPDX-License-Identifier: Apache-2.0
// What random schedules are checked for. Each check returns what is wrong, or nothing; planted.cpp tries each
// of them with a fault.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/interp/compare.h"
#include "ir/core/module.h"
#include "transform/schedule/schedule.h"

namespace mlc::fuzz {

// Arguments before and after a run of a kernel, and how floats of others must agree.
struct Run {
  std::vector<ir::Any> args, expected;
  interp::Agreement floats;
};

struct Kernel {
  std::string name;
  ir::IRModule mod;
  ir::PrimFunc fn;
  std::vector<Run> runs;  // the first on ordinary values, the others on boundary values, and sizes of 0 and 1
};

// The programs of the three *kernels.mlc.
const std::vector<Kernel>& kernels();

// What was done, and how often.
struct Counts {
  struct Calls {
    size_t accepted = 0, all = 0;
  };
  std::map<std::string, Calls> primitives;  // by name; all that occur in a step
  size_t steps = 0, steps_accepted = 0;
  std::map<std::string, Calls> kernels;     // by name
  std::map<std::string, size_t> refusals;   // by name of the error
  // Of the accepted steps: those that changed the module, and those after which it was run and compared.
  size_t changed = 0, compared = 0;
  size_t runs = 0, confined = 0;  // comparisons, and accesses that were compared with the regions of blocks
  std::map<std::string, size_t> not_compared;  // and why
  // Of the schedules with accepted steps.
  size_t schedules = 0, read_back = 0, replayed = 0, compiled = 0, stages = 0;
};

// Where the elements of a parameter lie after its layout was changed.
struct Layout {
  std::vector<int64_t> shape;
  std::vector<int64_t> positions;  // of the kernel's elements, in row-major order
};

// The kernel's parameters as a schedule has them now.
struct Parameters {
  std::vector<ir::Var> vars;
  std::vector<Layout> layouts;  // of tensors
  std::string unknown;          // why they cannot be followed; empty: they can
};

struct Outcome {
  transform::Schedule schedule;
  Parameters parameters;
  std::vector<std::string> accepted;
  std::string failure;
};

// Carries out a step; throws ir::Error where it is refused.
using Perform = std::function<void(const transform::Schedule&, const std::string& step)>;
void perform(const transform::Schedule& schedule, const std::string& step);

// Takes the steps and looks at the schedule after each: a refused one leaves all as it was; after an accepted
// one the module is well formed and computes what the kernel does, what is known of its blocks is what a fresh
// look finds, and the module before it is still what it was.
Outcome take(const Kernel& kernel, const std::vector<std::string>& steps, Counts& counts,
             const Perform& perform);

// Does the module compute what the kernel does, and access no more than its blocks declare? `skipped` says why
// that is not known.
std::string wrong_result(const Kernel& kernel, const Parameters& parameters, const ir::IRModule& mod,
                         std::string& skipped, Counts& counts);
// The same of what each pass of the pipeline leaves, and of compiled code.
std::string wrong_lowered(const Kernel& kernel, const Parameters& parameters, const ir::IRModule& mod,
                          std::string& skipped, Counts& counts);
// Where what is kept of the blocks differs from what a fresh look at the module finds.
std::string stale_flags(const transform::Schedule& schedule, const std::string& function);
// Does the text that is printed of a module read back as that module?
std::string wrong_text(const ir::IRModule& mod, const std::string& printed);
// Does the trace, replayed on the kernel, give the module?
std::string wrong_replay(const Kernel& kernel, const transform::TraceNode& trace, const ir::IRModule& mod);

Parameters parameters_of(const Kernel& kernel);

// The kernel and the steps as a program.
std::string program(const Kernel& kernel, const std::vector<std::string>& steps);

// Tries each check with a planted fault; throws InternalError where one is not reported.
void check_the_checks();

}  // namespace mlc::fuzz
