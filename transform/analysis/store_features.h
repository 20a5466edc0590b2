// SPDX-License-Identifier: Apache-2.0
// What a model of costs is told of a scheduled function: one row of numbers per buffer that it stores to,
// TVM's features, in the order of the first stores. The last store of a buffer counts.
//
// A row is made of groups: what is computed and which loops run how (57 numbers), the accesses of each buffer
// (18 each), operations per byte along the loop nest (a curve), the buffer's memory (4), the nest (3). Sizes
// are logarithms.
#pragma once

#include <array>
#include <vector>

#include "ir/core/module.h"
#include "ir/registry/host.h"

namespace mlc::transform {

struct StoreFeatureOptions {
  bool gpu = false;
  int64_t buffers_per_store = 5;  // padded with zeros, or cut off
  int64_t curve_samples = 10;
  int64_t cache_line_bytes = 64;
  int64_t length() const { return 57 + 18 * buffers_per_store + curve_samples + 4 + 3; }
};

// `mod` is as a schedule leaves it.
std::vector<std::vector<double>> store_features(const ir::IRModule& mod, const StoreFeatureOptions& options,
                                                ir::Host& host);

// Which of eight kinds of operators the names of the blocks tell of: softmax, maxima and minima, sums,
// batched and plain products of matrices, depthwise, Winograd and plain convolutions.
std::array<double, 8> operator_kinds(const ir::IRModule& mod);

}  // namespace mlc::transform
