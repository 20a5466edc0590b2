// SPDX-License-Identifier: Apache-2.0
// Is a function well formed? Run after parsing, and after every pass in debug builds and tests.
#pragma once

#include <vector>

#include "ir/core/error.h"
#include "ir/core/module.h"

namespace mlc::ir {

// How far a function is lowered: what may still occur in it.
enum class Stage : uint8_t {
  kSchedulable,  // anything a user may write
  kLowered,      // no blocks: loops, buffers, statements
  kFlat,         // buffers are one-dimensional, allocations have constant or expression sizes
  kHost,         // packed calling convention made explicit; no parallel structure is left out
};

// Throws Error with everything found: undefined-variable, redefined-variable, wrong-number-of-indices,
// type-mismatch, stage violations, block iterator mistakes.
// Returns warnings, what is well formed and yet nearly always a mistake: index-out-of-range (constants only).
std::vector<Diagnostic> verify(const PrimFunc& fn, Stage stage = Stage::kSchedulable);
void verify(const IRModule& mod, Stage stage = Stage::kSchedulable);

}  // namespace mlc::ir
