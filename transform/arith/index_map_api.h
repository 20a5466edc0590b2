// SPDX-License-Identifier: Apache-2.0
// Index maps as arguments: scripts pass functions of indices.
#pragma once

#include "ir/registry/api.h"
#include "ir/tir/index_map.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

// Argument `i` as a map over `ndim` indices of that type; null for None. Error: wrong-type.
IndexMap index_map_argument(ApiCall& call, size_t i, std::optional<int64_t> ndim, DataType dtype);

}  // namespace mlc::transform
