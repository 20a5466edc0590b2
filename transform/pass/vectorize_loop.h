// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// Which calls of elementary functions take vectors: those of TVM's VectorizeLoop, or all that mlc compiles.
enum class VectorCalls : uint8_t { kAsInTVM, kAll };

// Vectorized loops become vector code where the pass's flag says so, serial loops otherwise.
PrimFunc vectorize_loops(const PrimFunc& fn, const PassOptions& options, VectorCalls calls);

}  // namespace mlc::transform
