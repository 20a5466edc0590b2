// SPDX-License-Identifier: Apache-2.0
// Steps of schedules, drawn from bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mlc::fuzz {

// Choices drawn from the input, one byte each; mixed with their place, so that texts are as good as noise.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool done() const { return at_ >= size_; }
  size_t below(size_t n) {
    uint64_t x = (at_ < size_ ? data_[at_] : 0u) + 0x9e3779b97f4a7c15ull * (at_ + 1) + 0x632be5ab * size_;
    ++at_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return static_cast<size_t>((x ^ (x >> 31)) % n);
  }
  template <class T, size_t N>
  T one_of(const T (&list)[N]) {
    return list[below(N)];
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

// Adds calls of primitives as text, most often one; `blk`, `loop` and `keep` are functions of the target's prelude.
void draw_steps(Choices& choices, std::vector<std::string>& steps);

}  // namespace mlc::fuzz
