// SPDX-License-Identifier: Apache-2.0
// What the modules hashlib and struct ask of bytes: digests (RFC 1321 and FIPS 180-4), and floats as bytes.
#include <array>
#include <bit>
#include <cmath>

#include "frontend/script/numpy/array.h"

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

std::string bytes_argument(ApiCall& call, size_t i) {
  const Any& plain = builtin_value_of(call.args[i]);
  if (!is_bytes(plain)) {
    raise("TypeError", call.span_of(i), "wrong-type", "a bytes-like object is required, not '{}'",
          type_name_of(evaluator_of(call.host), call.args[i]));
  }
  return bytes_of(plain);
}

// The message, a one bit, zeros, and its length in bits, in blocks of `block` bytes.
std::string padded(std::string message, size_t block, size_t length_bytes, bool big) {
  uint64_t bits = static_cast<uint64_t>(message.size()) * 8;
  message.push_back('\x80');
  while ((message.size() + length_bytes) % block != 0) message.push_back('\0');
  for (size_t i = 0; i < length_bytes; ++i) {
    size_t place = big ? length_bytes - 1 - i : i;  // of this byte, from the lowest
    message.push_back(place < 8 ? static_cast<char>(bits >> (8 * place)) : '\0');
  }
  return message;
}

template <class Word>
Word load(const char* at, bool big) {
  Word word = 0;
  for (size_t i = 0; i < sizeof(Word); ++i) {
    size_t place = big ? sizeof(Word) - 1 - i : i;
    word |= static_cast<Word>(static_cast<unsigned char>(at[i])) << (8 * place);
  }
  return word;
}
template <class Word>
void store(std::string& out, Word word, bool big) {
  for (size_t i = 0; i < sizeof(Word); ++i) {
    size_t place = big ? sizeof(Word) - 1 - i : i;
    out.push_back(static_cast<char>(word >> (8 * place)));
  }
}

std::string md5(std::string message) {
  static const std::array<uint32_t, 64> sines = [] {
    std::array<uint32_t, 64> all{};
    for (size_t i = 0; i < all.size(); ++i)
      all[i] =
          static_cast<uint32_t>(std::floor(std::abs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
    return all;
  }();
  constexpr int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  message = padded(std::move(message), 64, 8, false);
  std::array<uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (size_t at = 0; at < message.size(); at += 64) {
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
          mixed = c ^ (b | ~d), word = (7 * i) % 16;
      }
      uint32_t sum = a + mixed + sines[i] + load<uint32_t>(message.data() + at + size_t{4} * word, false);
      a = d, d = c, c = b;
      b += std::rotl(sum, turns[i / 16][i % 4]);
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
  }
  std::string out;
  for (uint32_t word : state) store(out, word, false);
  return out;
}

std::string sha1(std::string message) {
  message = padded(std::move(message), 64, 8, true);
  std::array<uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  std::array<uint32_t, 80> words{};
  for (size_t at = 0; at < message.size(); at += 64) {
    for (size_t i = 0; i < 16; ++i) words[i] = load<uint32_t>(message.data() + at + 4 * i, true);
    for (size_t i = 16; i < 80; ++i)
      words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    auto [a, b, c, d, e] = state;
    for (size_t i = 0; i < 80; ++i) {
      uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                       : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                       : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                                : (b ^ c ^ d) + 0xca62c1d6;
      uint32_t next = std::rotl(a, 5) + mixed + e + words[i];
      e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
  }
  std::string out;
  for (uint32_t word : state) store(out, word, true);
  return out;
}

// The first bits of the fractional parts of the roots of the first primes: square roots of them start SHA-2,
// cube roots are added in its rounds. They are computed, exactly, in whole numbers.
using Wide = unsigned __int128;

template <size_t kCount>
constexpr std::array<uint64_t, kCount> primes() {
  std::array<uint64_t, kCount> all{};
  size_t found = 0;
  for (uint64_t n = 2; found < kCount; ++n) {
    bool prime = true;
    for (size_t i = 0; i < found && all[i] * all[i] <= n; ++i) prime = prime && n % all[i] != 0;
    if (prime) all[found++] = n;
  }
  return all;
}
// Is x^2, x^3 greater than n * 2^128, n * 2^192? x is below 2^72, so the powers are taken in parts of 64
// bits.
bool exceeds(Wide x, int power, uint64_t n) {
  // x^power as limbs of 32 bits.
  std::array<uint64_t, 12> product{};
  product[0] = 1;
  for (int p = 0; p < power; ++p) {
    std::array<uint64_t, 12> next{};
    for (size_t i = 0; i < 3; ++i) {
      uint64_t limb = static_cast<uint32_t>(x >> (32 * i));
      uint64_t carry = 0;
      for (size_t j = 0; i + j < next.size(); ++j) {
        uint64_t sum = next[i + j] + limb * product[j] + carry;
        next[i + j] = static_cast<uint32_t>(sum);
        carry = sum >> 32;
      }
    }
    product = next;
  }
  size_t fraction = static_cast<size_t>(power) * 2;  // limbs behind the point
  uint64_t whole = product[fraction] | product[fraction + 1] << 32;
  if (whole != n) return whole > n;
  for (size_t i = 0; i < fraction; ++i) {
    if (product[i] != 0) return true;
  }
  return false;
}
// The first 64 bits behind the point of the root of n.
uint64_t root_bits(uint64_t n, int power) {
  Wide low = 0, high = Wide{32} << 64;  // low^power <= n < high^power, with 64 bits behind the point
  while (high - low > 1) {
    Wide middle = low + (high - low) / 2;
    (exceeds(middle, power, n) ? high : low) = middle;
  }
  return static_cast<uint64_t>(low);
}
template <class Word, size_t kCount>
std::array<Word, kCount> roots(int power) {
  constexpr auto all = primes<80>();
  std::array<Word, kCount> result{};
  for (size_t i = 0; i < kCount; ++i)
    result[i] = static_cast<Word>(root_bits(all[i], power) >> (64 - 8 * sizeof(Word)));
  return result;
}

struct Turns {
  int a0, a1, a2, e0, e1, e2;          // of the state
  int s0, s1, shift0, t0, t1, shift1;  // of the words
};

template <class Word, size_t kRounds>
std::string sha2(std::string message, std::array<Word, 8> state, const Turns& turn) {
  static const std::array<Word, kRounds> constants = roots<Word, kRounds>(3);
  constexpr size_t block = 16 * sizeof(Word);
  message = padded(std::move(message), block, 2 * sizeof(Word), true);
  std::array<Word, kRounds> words{};
  for (size_t at = 0; at < message.size(); at += block) {
    for (size_t i = 0; i < 16; ++i) words[i] = load<Word>(message.data() + at + sizeof(Word) * i, true);
    for (size_t i = 16; i < kRounds; ++i) {
      Word x = words[i - 15], y = words[i - 2];
      words[i] = words[i - 16] + (std::rotr(x, turn.s0) ^ std::rotr(x, turn.s1) ^ (x >> turn.shift0)) +
                 words[i - 7] + (std::rotr(y, turn.t0) ^ std::rotr(y, turn.t1) ^ (y >> turn.shift1));
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (size_t i = 0; i < kRounds; ++i) {
      Word one = h + (std::rotr(e, turn.e0) ^ std::rotr(e, turn.e1) ^ std::rotr(e, turn.e2)) +
                 ((e & f) ^ (~e & g)) + constants[i] + words[i];
      Word two = (std::rotr(a, turn.a0) ^ std::rotr(a, turn.a1) ^ std::rotr(a, turn.a2)) +
                 ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    state = {static_cast<Word>(state[0] + a), static_cast<Word>(state[1] + b),
             static_cast<Word>(state[2] + c), static_cast<Word>(state[3] + d),
             static_cast<Word>(state[4] + e), static_cast<Word>(state[5] + f),
             static_cast<Word>(state[6] + g), static_cast<Word>(state[7] + h)};
  }
  std::string out;
  for (Word word : state) store(out, word, true);
  return out;
}
constexpr Turns narrow = {2, 13, 22, 6, 11, 25, 7, 18, 3, 17, 19, 10};
constexpr Turns wide = {28, 34, 39, 14, 18, 41, 1, 8, 7, 19, 61, 6};

Any digest(ApiCall& call) {
  std::string_view name = text_of(call.args[0]);
  std::string data = bytes_argument(call, 1);
  if (name == "md5") return ffi::Bytes(md5(std::move(data)));
  if (name == "sha1") return ffi::Bytes(sha1(std::move(data)));
  if (name == "sha256") return ffi::Bytes(sha2<uint32_t, 64>(std::move(data), roots<uint32_t, 8>(2), narrow));
  if (name == "sha512") return ffi::Bytes(sha2<uint64_t, 80>(std::move(data), roots<uint64_t, 8>(2), wide));
  raise("ValueError", call.span, "wrong-value", "unsupported hash type {}", name);
}

// A float in 2, 4 or 8 bytes, the lowest first. What is too large for them becomes None.
Any float_bytes(double value, int64_t size) {
  std::string out;
  if (size == 8) {
    store(out, std::bit_cast<uint64_t>(value), false);
  } else if (size == 4) {
    auto narrow_value = static_cast<float>(value);
    if (std::isinf(narrow_value) && !std::isinf(value)) return nullptr;
    store(out, std::bit_cast<uint32_t>(narrow_value), false);
  } else {
    if (std::isfinite(value) && std::abs(value) >= 65520) return nullptr;
    store(out, Half(value).bits, false);
  }
  return ffi::Bytes(out);
}
Any bytes_float(ApiCall& call) {
  std::string bytes = bytes_argument(call, 0);
  if (bytes.size() == 8) return std::bit_cast<double>(load<uint64_t>(bytes.data(), false));
  if (bytes.size() == 4)
    return static_cast<double>(std::bit_cast<float>(load<uint32_t>(bytes.data(), false)));
  Half half;
  half.bits = load<uint16_t>(bytes.data(), false);
  return static_cast<double>(static_cast<float>(half));
}

const ir::ApiRow rows[] = {
    {ApiKind::kFunction, "mlc", "digest(name, data)",
     "The digest of bytes by md5, sha1, sha256, ...: for hashlib.", digest},
    {ApiKind::kFunction, "mlc", "float_bytes(value, size)", "A float as bytes, the lowest first: for struct.",
     native([](double value, int64_t size) { return float_bytes(value, size); })},
    {ApiKind::kFunction, "mlc", "bytes_float(data)", "The float of such bytes: for struct.", bytes_float},
};

}  // namespace

std::span<const ir::ApiRow> digest_rows() { return rows; }

}  // namespace mlc::script
