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

// What the interpreter leaves in copies of `args`. Reading what was never written is an error, unless that
// may be: a copy may take along what is never read.
std::vector<ir::Any> interpret(const ir::IRModule& mod, std::string_view function,
                               std::span<const ir::Any> args, bool check_uninitialized = true);

// Floats may differ by the error of another order of summation; everything else is exact.
std::optional<Difference> first_difference(std::span<const ir::Any> expected,
                                           std::span<const ir::Any> actual);

// How many statements a run executes, roughly: a loop whose extent is unknown counts as 64.
double work(const ir::Stmt& stmt);
// About half a second of interpretation.
inline constexpr double kMostWork = 2e6;

// Do threads of a GPU run it? The interpreter runs them one after the other; compiled for this machine they
// do not run.
bool has_threads(const ir::Stmt& stmt);

}  // namespace mlc::interp
