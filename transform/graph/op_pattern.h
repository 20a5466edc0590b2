// SPDX-License-Identifier: Apache-2.0
// How a tensor function computes its result from its operands, as fusion asks (TVM's OpPatternKind).
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

enum class OpPattern : uint8_t {
  kElemWise = 0,        // element by element
  kBroadcast = 1,       // dimensions of the operand are some of the result's, in order
  kInjective = 2,       // each element of the result is one of the operand
  kCommReduce = 3,      // a reduction
  kOutEWiseFusable = 4, // elementwise functions of the result can be fused: products of matrices, convolutions
  kTuple = 7,
  kOpaque = 8,
};

OpPattern op_pattern(const PrimFunc& fn);

}  // namespace mlc::transform
