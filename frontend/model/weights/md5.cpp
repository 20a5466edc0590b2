// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/weights/md5.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

namespace mlc::model {

namespace {

using State = std::array<uint32_t, 4>;

// The integer part of 2^32 |sin(i + 1)|.
const std::array<uint32_t, 64>& sines() {
  static const auto table = [] {
    std::array<uint32_t, 64> all{};
    for (size_t i = 0; i < 64; ++i)
      all[i] = static_cast<uint32_t>(std::floor(std::abs(std::sin(static_cast<double>(i + 1))) * 0x1p32));
    return all;
  }();
  return table;
}

void add_block(State& state, const uint8_t* block) {
  static constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  uint32_t words[16];
  std::memcpy(words, block, 64);
  auto [a, b, c, d] = state;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t mixed, word;
    switch (i / 16) {
      case 0:
        mixed = (b & c) | (~b & d), word = i;
        break;
      case 1:
        mixed = (d & b) | (~d & c), word = (5 * i + 1) % 16;
        break;
      case 2:
        mixed = b ^ c ^ d, word = (3 * i + 5) % 16;
        break;
      default:
        mixed = c ^ (b | ~d), word = 7 * i % 16;
    }
    uint32_t sum = a + mixed + sines()[i] + words[word];
    int turn = kTurns[i / 16][i % 4];
    a = d, d = c, c = b;
    b += sum << turn | sum >> (32 - turn);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::string md5_hex(std::span<const uint8_t> bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  size_t whole = bytes.size() / 64 * 64;
  for (size_t at = 0; at < whole; at += 64) add_block(state, bytes.data() + at);
  // A one bit, zeros, and the number of bits end the last block.
  uint8_t last[128] = {};
  size_t rest = bytes.size() - whole, padded = rest < 56 ? 64 : 128;
  if (rest > 0) std::memcpy(last, bytes.data() + whole, rest);
  last[rest] = 0x80;
  uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  std::memcpy(last + padded - 8, &bits, 8);
  for (size_t at = 0; at < padded; at += 64) add_block(state, last + at);
  std::string text;
  uint8_t digest[16];
  std::memcpy(digest, state.data(), 16);
  for (uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace mlc::model
