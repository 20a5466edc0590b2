// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ir/tir/op.h"

namespace mlc::transform {

// What a target makes of the call of an operator: a function of its library, an LLVM intrinsic, arithmetic.
// Null where it takes the call as it is. `target` is the kind ("llvm", "cuda", ...); kinds without rules of
// their own have those of C. `fast_math`: CUDA's approximations for float32.
ir::Expr lower_intrinsic(const ir::CallNode& call, std::string_view target, bool fast_math = false);

}  // namespace mlc::transform
