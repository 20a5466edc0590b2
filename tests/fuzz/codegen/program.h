// SPDX-License-Identifier: Apache-2.0
// Random functions of TIR with arguments, drawn from a number each. What they compute is defined: divisors
// are not zero or stand behind a condition, shifts and casts stay in range, indices inside of their buffers,
// and iterations that may run at once write elements of their own. Values of integers wrap around; those of
// loop variables stay small, since index arithmetic is taken not to overflow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/core/module.h"

namespace mlc::fuzz {

struct Program {
  std::string name;
  // The first is `name`, which anybody may call; the others are called by it alone.
  std::vector<std::pair<ir::GlobalVar, ir::PrimFunc>> functions;
  std::vector<ir::Any>
      args;  // tensors with the least and greatest values, NaN, ... of their types, and numbers
};

Program draw_program(uint32_t seed);

// Sums of floats that may be contracted lose the products: S[i] = S[i] + x * y is rounded once or twice.
ir::Stmt without_contraction(const ir::Stmt& body);

ir::IRModule module_of(std::span<const Program> programs);

// Numbers from a seed.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x632be59bd9b4e019ull) {}
  uint64_t next() {
    uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
  bool one_in(int64_t n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))];
  }

 private:
  uint64_t state_;
};

}  // namespace mlc::fuzz
