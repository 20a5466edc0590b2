// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/core/module.h"

namespace mlc::transform {

struct PointerValueTypes {
  bool params = true;        // buffers of the function's parameters change, too
  bool scalar_reads = true;  // lanes of a vector may be read one by one
};

// The function with buffers of vectors where every access is to aligned vectors of one type.
ir::PrimFunc with_pointer_value_types(const ir::PrimFunc& fn, PointerValueTypes options);

}  // namespace mlc::transform
