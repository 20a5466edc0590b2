// SPDX-License-Identifier: Apache-2.0
// Floats that a target does not have: computed in a wider type, kept as integers of their size.
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// A family of types: bfloat16, or the 8-bit floats.
using FloatFamily = bool (*)(DataType);
bool is_bfloat16(DataType dtype);
bool is_float8(DataType dtype);

// Does the function's target compute with the family itself (CUDA from some architecture on)?
bool target_has(const PrimFunc& fn, FloatFamily family);

// All arithmetic in `wide` ("float32"); loads are widened, stores rounded to even. Buffers allocated inside
// and used by loads and stores only are of the wide type.
PrimFunc compute_in(const PrimFunc& fn, FloatFamily family, DataType wide);

// Loads, stores, parameters and buffers of the family as unsigned integers. Throws Error where arithmetic is
// left or a parameter is a buffer still.
PrimFunc store_as_integers(const PrimFunc& fn, FloatFamily family, std::string_view pass);

}  // namespace mlc::transform
