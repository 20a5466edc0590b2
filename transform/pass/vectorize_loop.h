// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// Which calls of elementary functions take vectors: those of TVM's VectorizeLoop, or all that mlc compiles.
enum class VectorCalls : uint8_t { kAsInTVM, kAll };

// Whether lanes that a condition leaves out are masked: by TVM's option of the PassContext, or those of
// what is left of a row as well.
enum class VectorMasks : uint8_t { kAsInTVM, kTails };

constexpr int kMostLanes = 32767;  // a vector type holds its lanes in 16 bits
// Does the number of lanes depend on how long the vectors of the processor are?
inline bool is_scalable_extent(const Expr& extent) {
  return any_below(extent, [](const Expr& part) { return as_call_to(part, "tirx.vscale") != nullptr; });
}

// Vectorized loops become vector code if the pass's first flag is set, serial loops otherwise.
PrimFunc vectorize_loops(const PrimFunc& fn, const PassOptions& options, VectorCalls calls,
                         VectorMasks masks);

}  // namespace mlc::transform
