// SPDX-License-Identifier: Apache-2.0
#include "repl/report/reuse_distance.h"

#include <algorithm>
#include <utility>

namespace mlc::repl {

void ReuseDistance::add(size_t time, int64_t by) {
  for (size_t i = time + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += by;
}

int64_t ReuseDistance::sum(size_t time) const {
  int64_t total = 0;
  for (size_t i = time; i > 0; i -= i & (~i + 1)) total += tree_[i];
  return total;
}

// Lines keep their order and get the first times, so that the tree has twice as many as there are lines.
void ReuseDistance::make_room() {
  std::vector<size_t*> times;
  times.reserve(last_.size());
  for (auto& [line, time] : last_) times.push_back(&time);
  std::ranges::sort(times, {}, [](const size_t* time) { return *time; });
  tree_.assign(std::max<size_t>(1024, 2 * times.size()) + 1, 0);
  for (now_ = 0; now_ < times.size(); ++now_) {
    *times[now_] = now_;
    add(now_, 1);
  }
}

int64_t ReuseDistance::touch(uint64_t line) {
  if (now_ + 1 >= tree_.size()) make_room();
  size_t now = now_++;
  auto [found, first] = last_.try_emplace(line, now);
  int64_t distance = kFirst;
  if (!first) {
    size_t before = std::exchange(found->second, now);
    distance = sum(now) - sum(before + 1);
    add(before, -1);
  }
  add(now, 1);
  return distance;
}

}  // namespace mlc::repl
