// SPDX-License-Identifier: Apache-2.0
// Do two programs compute the same? Runs them on copies of the same arguments and looks at what they left.
#pragma once

#include <optional>

#include "backend/interp/interp.h"

namespace mlc::interp {

// The first element of an argument that two runs left with different values.
struct Difference {
  size_t argument = 0;
  std::vector<int64_t> index;
  std::string expected, actual;  // as numbers

  // "`C[3, 4]` is 1.5, not 2"; the names are those of the parameters of `fn`.
  std::string text(const ir::PrimFunc& fn) const;
};

// Tensors with memory of their own; everything else as it is.
std::vector<ir::Any> copies(std::span<const ir::Any> args);

// What the interpreter leaves in copies of `args`. Races are errors. Reading what was never written is one,
// unless that may be: a copy may take along what is never read.
std::vector<ir::Any> interpret(const ir::IRModule& mod, std::string_view function,
                               std::span<const ir::Any> args, bool check_uninitialized = true);
// The same by the threads of a GPU, whose work is written out (gpu/simulate.h), in the order of a seed.
std::vector<ir::Any> simulate(const ir::IRModule& mod, std::string_view function,
                              std::span<const ir::Any> args, uint64_t seed = 0);

// How floats must agree; NaN agrees with NaN, and everything else is exact.
enum class Agreement : uint8_t {
  kBits,     // the same
  kValues,   // zeros may have different signs
  kRounded,  // up to the error of another order of summation
};
// What makes floats differ in programs that are both right.
struct Rounding {
  bool accumulates = false;  // stores what was read from the same buffer: the order may be another one
  bool inexact = false;      // quotients, mathematical functions, narrow floats
  bool chooses = false;      // a pair: of those that are the same, which one depends on the order
};
Rounding rounding_of(const ir::Stmt& stmt);

std::optional<Difference> first_difference(std::span<const ir::Any> expected, std::span<const ir::Any> actual,
                                           Agreement floats = Agreement::kRounded);

// How many statements a run executes, roughly: a loop whose extent is unknown counts as 64.
double work(const ir::Stmt& stmt);
// About half a second of interpretation.
inline constexpr double kMostWork = 2e6;

// Do threads of a GPU run it? The simulator runs them, or the interpreter one after the other; compiled for
// this machine they do not run.
bool has_threads(const ir::Stmt& stmt);
// Likewise, or does it name the threads that it runs on (`T.device_entry()`)?
bool is_kernel(const ir::Stmt& stmt);

}  // namespace mlc::interp
