// SPDX-License-Identifier: Apache-2.0
// Reuse distances beside their definition, and beside caches that are played.
#include "repl/report/reuse_distance.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <random>
#include <set>

namespace mlc::repl {

// How many different lines there are between this touch and the last one of its line.
static int64_t counted(const std::vector<uint64_t>& touches, size_t at) {
  std::set<uint64_t> between;
  for (size_t i = at; i-- > 0;) {
    if (touches[i] == touches[at]) return static_cast<int64_t>(between.size());
    between.insert(touches[i]);
  }
  return ReuseDistance::kFirst;
}

static size_t hits_of_cache(const std::vector<uint64_t>& touches, size_t lines) {
  std::list<uint64_t> kept;  // the least recently used last
  size_t hits = 0;
  for (uint64_t line : touches) {
    auto found = std::find(kept.begin(), kept.end(), line);
    if (found != kept.end()) {
      ++hits;
      kept.erase(found);
    }
    kept.push_front(line);
    if (kept.size() > lines) kept.pop_back();
  }
  return hits;
}

TEST_CASE("reuse distances are the numbers of lines between, and say what an LRU cache of any size hits") {
  std::mt19937 random(7);
  // Few and many lines, more touches than the tree begins with, walks that come back.
  for (uint64_t lines : {1, 2, 7, 40, 3000}) {
    std::vector<uint64_t> touches;
    for (size_t i = 0; i < 2500; ++i)
      touches.push_back(i % 3 == 0 ? i % lines : random() % lines * (uint64_t{1} << 40));
    ReuseDistance distances;
    std::vector<int64_t> found;
    for (uint64_t line : touches) found.push_back(distances.touch(line));
    for (size_t i = 0; i < touches.size(); ++i) REQUIRE(found[i] == counted(touches, i));
    for (size_t size : {1, 2, 5, 32, 500}) {
      auto hits = std::ranges::count_if(
          found, [&](int64_t d) { return d != ReuseDistance::kFirst && d < static_cast<int64_t>(size); });
      REQUIRE(static_cast<size_t>(hits) == hits_of_cache(touches, size));
    }
  }
}

}  // namespace mlc::repl
