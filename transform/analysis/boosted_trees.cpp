// SPDX-License-Identifier: Apache-2.0
#include "transform/analysis/boosted_trees.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "ir/core/interrupt.h"

namespace mlc::transform {

namespace {

constexpr size_t kMostBins = 256;
constexpr double kShrinkage = 1;  // what is added to the weight of every leaf

// One column of the rows: its values by rank. Rows of bin b and below are left of cut b.
struct Column {
  size_t feature;
  std::vector<double> cuts;
  std::vector<uint8_t> bins;  // by row
};

// A number that is none is less than all.
double comparable(double x) { return std::isnan(x) ? -std::numeric_limits<double>::infinity() : x; }

// Between two neighbours, so that values of rows to come that are close to one fall on its side.
double cut_between(double low, double high) {
  double middle = low + (high - low) / 2;
  return std::isfinite(middle) && middle > low ? middle : high;
}

Column column_of(std::span<const double> rows, size_t width, size_t feature) {
  size_t count = rows.size() / width;
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = comparable(rows[i * width + feature]);
  std::vector<double> sorted = values, distinct;
  std::ranges::sort(sorted);
  std::ranges::unique_copy(sorted, std::back_inserter(distinct));
  Column column{feature, {}, {}};
  if (distinct.size() <= kMostBins) {
    for (size_t i = 1; i < distinct.size(); ++i)
      column.cuts.push_back(cut_between(distinct[i - 1], distinct[i]));
  } else {  // as many rows in each
    for (size_t i = 1; i < kMostBins; ++i) {
      double high = sorted[i * count / kMostBins];
      auto at = std::ranges::lower_bound(distinct, high);
      if (at == distinct.begin()) continue;
      double cut = cut_between(*(at - 1), high);
      if (column.cuts.empty() || cut > column.cuts.back()) column.cuts.push_back(cut);
    }
  }
  for (double value : values) {
    auto above = std::ranges::upper_bound(column.cuts, value);
    column.bins.push_back(static_cast<uint8_t>(above - column.cuts.begin()));
  }
  return column;
}

// First and second derivatives of the error.
struct Slopes {
  double first = 0, second = 0;
  Slopes& operator+=(const Slopes& more) {
    first += more.first;
    second += more.second;
    return *this;
  }
  Slopes operator-(const Slopes& less) const { return {first - less.first, second - less.second}; }
  double gain() const { return first * first / (second + kShrinkage); }
};

struct Split {
  double gain = 0;
  const Column* column = nullptr;
  size_t bin = 0;
};

class Boosting {
 public:
  Boosting(std::span<const double> rows, std::span<const int64_t> owners, std::span<const double> targets,
           std::span<const double> weights, const BoostingOptions& options)
      : options_(options), owners_(owners), targets_(targets), weights_(weights), shares_(targets.size(), 0) {
    for (int64_t owner : owners) ++shares_[static_cast<size_t>(owner)];
    size_t count = owners.size(), width = rows.size() / count;
    for (size_t feature = 0; feature < width; ++feature) {
      Column column = column_of(rows, width, feature);
      if (!column.cuts.empty()) columns_.push_back(std::move(column));  // the others tell nothing
    }
    slopes_.resize(count);
    steps_.resize(count);
    order_.resize(count);
  }

  BoostedTrees run() {
    std::vector<double> predicted(targets_.size(), 0);
    double best = std::numeric_limits<double>::infinity();
    size_t kept_trees = 0, kept_nodes = 0;
    for (int64_t round = 0; round < options_.most_rounds; ++round) {
      ir::heed_interrupt();
      for (size_t row = 0; row < slopes_.size(); ++row) {
        auto owner = static_cast<size_t>(owners_[row]);
        // All rows of a sample correct the same error: each has its share of the correction.
        slopes_[row] = {(predicted[owner] - targets_[owner]) * weights_[owner],
                        weights_[owner] * static_cast<double>(shares_[owner])};
      }
      std::iota(order_.begin(), order_.end(), 0);
      trees_.roots.push_back(grow(order_, 0));
      for (size_t row = 0; row < steps_.size(); ++row)
        predicted[static_cast<size_t>(owners_[row])] += steps_[row];
      double squares = 0, weight = 0;
      for (size_t sample = 0; sample < predicted.size(); ++sample) {
        double error = predicted[sample] - targets_[sample];
        squares += error * error * weights_[sample];
        weight += weights_[sample];
      }
      double error = std::round(std::sqrt(squares / weight) * 1e6) / 1e6;
      trees_.errors.push_back(error);
      if (error < best) {
        best = error;
        kept_trees = trees_.roots.size();
        kept_nodes = trees_.nodes.size();
      } else if (trees_.roots.size() - kept_trees >= static_cast<size_t>(options_.patience)) {
        break;
      }
    }
    trees_.roots.resize(kept_trees);
    trees_.nodes.resize(kept_nodes);
    return std::move(trees_);
  }

 private:
  const BoostingOptions& options_;
  std::span<const int64_t> owners_;
  std::span<const double> targets_, weights_;
  std::vector<int64_t> shares_;  // rows of each sample
  std::vector<Column> columns_;
  std::vector<Slopes> slopes_;  // by row
  std::vector<double> steps_;   // what the newest tree adds to each row
  std::vector<uint32_t> order_;
  BoostedTrees trees_;
  std::array<Slopes, kMostBins> sums_{};
  std::array<uint32_t, kMostBins> counts_{};

  bool is_leaf(int64_t node) const { return trees_.nodes[static_cast<size_t>(node)].feature < 0; }

  Split best_split(std::span<const uint32_t> rows, const Slopes& total) {
    Split best;
    for (const Column& column : columns_) {
      uint8_t low = UINT8_MAX, high = 0;
      for (uint32_t row : rows) {
        uint8_t bin = column.bins[row];
        low = std::min(low, bin);
        high = std::max(high, bin);
        sums_[bin] += slopes_[row];
        ++counts_[bin];
      }
      Slopes left;
      for (size_t bin = low; bin <= high; ++bin) {
        if (counts_[bin] == 0) continue;
        left += sums_[bin];
        sums_[bin] = {};
        counts_[bin] = 0;
        if (bin == high) break;
        Slopes right = total - left;
        if (left.second < options_.least_weight || right.second < options_.least_weight) continue;
        double gain = left.gain() + right.gain() - total.gain();
        if (gain > best.gain) best = {gain, &column, bin};
      }
    }
    return best;
  }

  int64_t grow(std::span<uint32_t> rows, int64_t depth) {
    constexpr double kNoGain = 1e-6;
    Slopes total;
    for (uint32_t row : rows) total += slopes_[row];
    auto node = static_cast<int64_t>(trees_.nodes.size());
    trees_.nodes.emplace_back();
    Split split = depth < options_.max_depth && rows.size() > 1 ? best_split(rows, total) : Split{};
    if (split.gain > kNoGain) {
      auto middle = std::stable_partition(rows.begin(), rows.end(),
                                          [&](uint32_t row) { return split.column->bins[row] <= split.bin; });
      auto size = static_cast<size_t>(middle - rows.begin());
      int64_t left = grow(rows.first(size), depth + 1), right = grow(rows.subspan(size), depth + 1);
      if (!is_leaf(left) || !is_leaf(right) || split.gain >= options_.least_gain) {
        trees_.nodes[static_cast<size_t>(node)] = {static_cast<int64_t>(split.column->feature),
                                                   split.column->cuts[split.bin], left, right};
        return node;
      }
      trees_.nodes.resize(static_cast<size_t>(node) + 1);
    }
    double step = -total.first / (total.second + kShrinkage) * options_.learning_rate;
    for (uint32_t row : rows) steps_[row] = step;
    trees_.nodes[static_cast<size_t>(node)].threshold = step;
    return node;
  }
};

}  // namespace

BoostedTrees fit_trees(std::span<const double> rows, std::span<const int64_t> owners,
                       std::span<const double> targets, std::span<const double> weights,
                       const BoostingOptions& options) {
  return Boosting(rows, owners, targets, weights, options).run();
}

double sum_of_trees(std::span<const TreeNode> nodes, std::span<const int64_t> roots, const double* row) {
  double sum = 0;
  for (int64_t root : roots) {
    const TreeNode* node = &nodes[static_cast<size_t>(root)];
    while (node->feature >= 0)
      node = &nodes[static_cast<size_t>(comparable(row[node->feature]) < node->threshold ? node->left
                                                                                         : node->right)];
    sum += node->threshold;
  }
  return sum;
}

}  // namespace mlc::transform
