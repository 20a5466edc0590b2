// SPDX-License-Identifier: Apache-2.0
// Reuse distances: how many different lines of memory are touched between two touches of one line. A cache
// with LRU replacement, any line in any place and room for n lines has the second touch if and only if its
// distance is less than n, whatever n is: one pass over the accesses says what caches of all sizes would do.
// Mattson, Gecsei, Slutz, Traiger: "Evaluation techniques for storage hierarchies" (IBM Systems Journal 9,
// 1970), where it is the stack distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace mlc::repl {

class ReuseDistance {
 public:
  static constexpr int64_t kFirst = -1;  // touched for the first time: no size of a cache helps

  // The distance of the next touch, that of `line`. Time O(log n) and memory O(n) for n lines, however many
  // touches, after Bennett and Kruskal, "LRU stack processing" (IBM Journal of Research and Development 19,
  // 1975): a Fenwick tree over time holds a one where a line was touched last.
  int64_t touch(uint64_t line);

 private:
  void add(size_t time, int64_t by);
  int64_t sum(size_t time) const;  // over [0, time)
  void make_room();

  std::unordered_map<uint64_t, size_t> last_;
  std::vector<int64_t> tree_;  // 1-based
  size_t now_ = 0;
};

}  // namespace mlc::repl
