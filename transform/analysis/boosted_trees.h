// SPDX-License-Identifier: Apache-2.0
// Gradient-boosted regression trees, of samples that are several rows each: what a sample is worth is the sum
// over its rows. Models of costs learn with them. The same rows give the same trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mlc::transform {

struct BoostingOptions {
  int64_t max_depth = 10;
  double learning_rate = 0.2;
  double least_gain = 0.001;  // of a split, for it to stay
  double least_weight = 0;    // of the samples on each side of a split
  int64_t patience = 50;      // rounds without a better error after which it ends
  int64_t most_rounds = 10000;
};

// A split has two children and sends rows with `row[feature] < threshold` (and what is no number) to the
// left; a leaf has no feature (-1) and adds `threshold`.
struct TreeNode {
  int64_t feature = -1;
  double threshold = 0;
  int64_t left = -1, right = -1;
};

struct BoostedTrees {
  std::vector<TreeNode> nodes;
  std::vector<int64_t> roots;
  std::vector<double> errors;  // after each round: the root of the mean square, by weight
};

// `rows`: all numbers, row after row. `owners`: the sample of each row. `targets` and `weights`: of each
// sample.
BoostedTrees fit_trees(std::span<const double> rows, std::span<const int64_t> owners,
                       std::span<const double> targets, std::span<const double> weights,
                       const BoostingOptions& options);

// What the trees say of a row.
double sum_of_trees(std::span<const TreeNode> nodes, std::span<const int64_t> roots, const double* row);

}  // namespace mlc::transform
