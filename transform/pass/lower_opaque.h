// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// What the annotation `buffer_dim_align` of a block asks of a buffer that it writes.
struct DimAlign {
  Buffer buffer;
  size_t axis;
  int64_t factor, offset;
};
std::vector<DimAlign> dim_alignments(const SBlockNode& block);

enum class Blocks : uint8_t { kLower, kLeave };

// Loops of one iteration go, threads of loops become thread extents, pragmas attributes; and opaque blocks
// become what they contain, or stay.
PrimFunc lower_opaque(const PrimFunc& fn, Blocks blocks);

}  // namespace mlc::transform
