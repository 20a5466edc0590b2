// SPDX-License-Identifier: Apache-2.0
// Descriptors of tensors for bulk copies: the host fills them and hands them to kernels by value.
#pragma once

#include "ir/core/module.h"

namespace mlc::ir {

constexpr int64_t kTensorMapBytes = 128;  // aligned to 64

// The call of the runtime's function that T.tensormap_encode_tiled stands for.
Call tensor_map_call(const CallNode& encode);

}  // namespace mlc::ir
