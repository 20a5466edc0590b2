// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "ir/registry/api.h"

namespace mlc::model::onnx {

// The natives below `_onnx`, on which stdlib/python/onnx.mlc stands.
std::span<const ir::ApiRow> rows();

}  // namespace mlc::model::onnx
