// SPDX-License-Identifier: Apache-2.0
// What instructions of `tcgen05` share: the blocks that they are of, and what their descriptors say.
#pragma once

#include <string>
#include <vector>

#include "backend/interp/gpu/matrix.h"

namespace mlc::interp {

class PtxCall;

bool is_of_pair(const PtxCall& call);
// The blocks that an instruction is of: its own one, or the pair. Error: cta-groups-differ,
// no-pair-of-blocks.
std::vector<ThreadBlock*> group_of(Thread& thread, bool pair, const std::string& text, Span span);

// What a product is (PTX ISA, "Instruction descriptor").
struct TensorProduct {
  int m, n, k;
  ElementFormat in_a, in_b;
  const Number* accumulator;
  bool as_tf32, turned_a, turned_b, negates;
  bool sparse;
  int selector;  // of a column of metadata
  // Scales of a row of A and a column of B, 0: none; of how many elements each; the bytes of a column where
  // they begin.
  int scales, scale_a, scale_b;
  const ir::SmallFloat* scale_format;
};
// `vector`: "1X", "2X" or "4X"; empty: without scales. Error: interpret-unsupported, instruction-descriptor.
TensorProduct tensor_product(uint32_t descriptor, std::string_view kind, std::string_view vector, bool sparse,
                             size_t blocks, Span span);

}  // namespace mlc::interp
