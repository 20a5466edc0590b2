// SPDX-License-Identifier: Apache-2.0
// How numbers are packed in blocks. The operations and their order are those of llama.cpp (ggml-quants.c), so
// that the numbers are the same to the last bit. A block has one scale, or a scale for each sixteen or
// thirty-two numbers that is a few bits times the block's own.
#include <cstring>

#include "frontend/model/weights/gguf.h"

namespace mlc::model {

namespace {

constexpr int kLong = 256;  // numbers of a long block (`K`)

float bits_float(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// A half-precision number, exactly.
float half(const uint8_t* at) {
  uint32_t bits = at[0] | static_cast<uint32_t>(at[1]) << 8;
  uint32_t sign = (bits & 0x8000U) << 16, exponent = bits >> 10 & 0x1fU, mantissa = bits & 0x3ffU;
  if (exponent == 31) return bits_float(sign | 0x7f800000U | mantissa << 13);
  if (exponent != 0) return bits_float(sign | (exponent + 112) << 23 | mantissa << 13);
  float small = static_cast<float>(mantissa) * 0x1p-24F;
  return sign != 0 ? -small : small;
}

uint32_t word(const uint8_t* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// ---- 32 numbers: a scale, perhaps a minimum, the numbers in 4, 5 or 8 bits. Low nibbles are the first half
// ----

void q4_0(const uint8_t* block, float* to) {
  float d = half(block);
  for (int i = 0; i < 16; ++i) {
    to[i] = d * static_cast<float>((block[2 + i] & 15) - 8);
    to[i + 16] = d * static_cast<float>((block[2 + i] >> 4) - 8);
  }
}
void q4_1(const uint8_t* block, float* to) {
  float d = half(block), m = half(block + 2);
  for (int i = 0; i < 16; ++i) {
    to[i] = d * static_cast<float>(block[4 + i] & 15) + m;
    to[i + 16] = d * static_cast<float>(block[4 + i] >> 4) + m;
  }
}
// The fifth bits of all numbers are one word.
void q5_0(const uint8_t* block, float* to) {
  float d = half(block);
  uint32_t high = word(block + 2);
  for (int i = 0; i < 16; ++i) {
    auto low = block[6 + i];
    to[i] = d * static_cast<float>(static_cast<int>((low & 15U) | (high >> i & 1) << 4) - 16);
    to[i + 16] = d * static_cast<float>(static_cast<int>((low >> 4U) | (high >> (i + 16) & 1) << 4) - 16);
  }
}
void q5_1(const uint8_t* block, float* to) {
  float d = half(block), m = half(block + 2);
  uint32_t high = word(block + 4);
  for (int i = 0; i < 16; ++i) {
    auto low = block[8 + i];
    to[i] = d * static_cast<float>((low & 15U) | (high >> i & 1) << 4) + m;
    to[i + 16] = d * static_cast<float>((low >> 4U) | (high >> (i + 16) & 1) << 4) + m;
  }
}
void q8_0(const uint8_t* block, float* to) {
  float d = half(block);
  for (int i = 0; i < 32; ++i) to[i] = static_cast<float>(static_cast<int8_t>(block[2 + i])) * d;
}

// ---- 256 numbers ----

// Sixteen scales and minima of four bits each.
void q2_k(const uint8_t* block, float* to) {
  const uint8_t *scales = block, *q = block + 16;
  float d = half(block + 80), least = half(block + 82);
  for (int i = 0; i < kLong; ++i) {
    int group = i / 16, byte = i / 128 * 32 + i % 32, shift = i % 128 / 32 * 2;
    float scale = d * static_cast<float>(scales[group] & 15),
          minimum = least * static_cast<float>(scales[group] >> 4);
    to[i] = scale * static_cast<float>(q[byte] >> shift & 3) - minimum;
  }
}
// Sixteen scales of six bits: four in the nibbles of eight bytes, two in four bytes. The third bit of each
// number is in a mask, and 4 less where it is 0.
void q3_k(const uint8_t* block, float* to) {
  const uint8_t *mask = block, *q = block + 32, *packed = block + 96;
  float d = half(block + 108);
  float scales[16];
  for (int k = 0; k < 16; ++k) {
    int low = packed[k % 8] >> (k / 8 * 4) & 15, high = packed[8 + k % 4] >> (k / 4 * 2) & 3;
    scales[k] = d * static_cast<float>((low | high << 4) - 32);
  }
  for (int i = 0; i < kLong; ++i) {
    int byte = i / 128 * 32 + i % 32, shift = i % 128 / 32 * 2;
    int number = (q[byte] >> shift & 3) - ((mask[i % 32] >> (i / 32) & 1) != 0 ? 0 : 4);
    to[i] = scales[i / 16] * static_cast<float>(number);
  }
}
// Eight scales and eight minima of six bits in twelve bytes.
void scale_and_minimum(const uint8_t* packed, int k, int& scale, int& minimum) {
  if (k < 4) {
    scale = packed[k] & 63;
    minimum = packed[k + 4] & 63;
  } else {
    scale = (packed[k + 4] & 15) | (packed[k - 4] >> 6) << 4;
    minimum = (packed[k + 4] >> 4) | (packed[k] >> 6) << 4;
  }
}
void q4_k(const uint8_t* block, float* to) {
  float d = half(block), least = half(block + 2);
  for (int k = 0; k < 8; ++k) {
    int scale, minimum;
    scale_and_minimum(block + 4, k, scale, minimum);
    float by = d * static_cast<float>(scale), less = least * static_cast<float>(minimum);
    const uint8_t* q = block + 16 + k / 2 * 32;
    for (int i = 0; i < 32; ++i) to[k * 32 + i] = by * static_cast<float>(q[i] >> (k % 2 * 4) & 15) - less;
  }
}
void q5_k(const uint8_t* block, float* to) {
  float d = half(block), least = half(block + 2);
  const uint8_t* high = block + 16;
  for (int k = 0; k < 8; ++k) {
    int scale, minimum;
    scale_and_minimum(block + 4, k, scale, minimum);
    float by = d * static_cast<float>(scale), less = least * static_cast<float>(minimum);
    const uint8_t* q = block + 48 + k / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      int number = (q[i] >> (k % 2 * 4) & 15) | (high[i] >> k & 1) << 4;
      to[k * 32 + i] = by * static_cast<float>(number) - less;
    }
  }
}
// Four low bits, two high bits, sixteen scales of a byte.
void q6_k(const uint8_t* block, float* to) {
  const uint8_t *low = block, *high = block + 128, *scales = block + 192;
  float d = half(block + 208);
  for (int i = 0; i < kLong; ++i) {
    int part = i / 128, in = i % 128;
    int bits = low[part * 64 + in % 64] >> (in / 64 * 4) & 15;
    int more = high[part * 32 + in % 32] >> (in / 32 * 2) & 3;
    float scale = d * static_cast<float>(static_cast<int8_t>(scales[i / 16]));
    to[i] = scale * static_cast<float>((bits | more << 4) - 32);
  }
}
// Its scale is a float32; the sums behind the numbers serve products alone.
void q8_k(const uint8_t* block, float* to) {
  float d = bits_float(word(block));
  for (int i = 0; i < kLong; ++i) to[i] = d * static_cast<float>(static_cast<int8_t>(block[4 + i]));
}

// ---- four bits that number the entries of a table ----

constexpr int8_t kUneven[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

void iq4_nl(const uint8_t* block, float* to) {
  float d = half(block);
  for (int i = 0; i < 16; ++i) {
    to[i] = d * static_cast<float>(kUneven[block[2 + i] & 15]);
    to[i + 16] = d * static_cast<float>(kUneven[block[2 + i] >> 4]);
  }
}
void iq4_xs(const uint8_t* block, float* to) {
  float d = half(block);
  uint32_t high = block[2] | static_cast<uint32_t>(block[3]) << 8;
  for (int k = 0; k < 8; ++k) {
    int scale = static_cast<int>((block[4 + k / 2] >> (k % 2 * 4) & 15U) | (high >> (k * 2) & 3) << 4) - 32;
    float by = d * static_cast<float>(scale);
    const uint8_t* q = block + 8 + k * 16;
    for (int i = 0; i < 16; ++i) {
      to[k * 32 + i] = by * static_cast<float>(kUneven[q[i] & 15]);
      to[k * 32 + i + 16] = by * static_cast<float>(kUneven[q[i] >> 4]);
    }
  }
}
// The floats of four bits of the OCP microscaling formats, doubled; the scale is half a power of two.
constexpr int8_t kFloat4[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

void mxfp4(const uint8_t* block, float* to) {
  uint32_t exponent = block[0];
  float d = bits_float(exponent < 2 ? 0x00200000U << exponent : (exponent - 1) << 23);
  for (int i = 0; i < 16; ++i) {
    to[i] = d * static_cast<float>(kFloat4[block[1 + i] & 15]);
    to[i + 16] = d * static_cast<float>(kFloat4[block[1 + i] >> 4]);
  }
}
// -1, 0 and 1 in two bits.
void tq2_0(const uint8_t* block, float* to) {
  float d = half(block + 64);
  for (int i = 0; i < kLong; ++i) {
    int byte = i / 128 * 32 + i % 32, shift = i % 128 / 32 * 2;
    to[i] = d * static_cast<float>((block[byte] >> shift & 3) - 1);
  }
}

// The same five to a byte: the byte is 256/243 of the number with these digits in base 3, and the digits come
// off at the top. Last, four bytes of four.
void tq1_0(const uint8_t* block, float* to) {
  static constexpr uint8_t kPowers[] = {1, 3, 9, 27, 81};
  float d = half(block + 52);
  auto digits = [&](int first, int bytes, int count) {
    for (int k = 0; k < count; ++k) {
      for (int i = 0; i < bytes; ++i) {
        auto shifted = static_cast<uint8_t>(block[first + i] * kPowers[k]);
        *to++ = d * static_cast<float>((shifted * 3 >> 8) - 1);
      }
    }
  };
  digits(0, 32, 5);
  digits(32, 16, 5);
  digits(48, 4, 4);
}
// Four scales, floats of four exponent bits and three mantissa bits without a sign, halved.
void nvfp4(const uint8_t* block, float* to) {
  for (int k = 0; k < 4; ++k) {
    int bits = block[k], exponent = bits >> 3 & 15;
    auto mantissa = static_cast<float>(bits & 7);
    float scale = exponent == 0
                      ? mantissa * 0x1p-9F
                      : (1.0F + mantissa / 8.0F) * bits_float(static_cast<uint32_t>(exponent + 120) << 23);
    float d = bits == 0 || bits == 0x7f ? 0.0F : scale * 0.5F;
    for (int i = 0; i < 8; ++i) {
      to[k * 16 + i] = d * static_cast<float>(kFloat4[block[4 + k * 8 + i] & 15]);
      to[k * 16 + i + 8] = d * static_cast<float>(kFloat4[block[4 + k * 8 + i] >> 4]);
    }
  }
}

constexpr ir::DataType no_dtype = ir::DataType::Void();
constexpr ir::DataType integer(int bits) { return ir::DataType::Int(bits); }
constexpr ir::DataType floating(int bits) { return ir::DataType::Float(bits); }

constexpr GgufType kTypes[] = {
    {0, "F32", 1, 4, floating(32)},
    {1, "F16", 1, 2, floating(16)},
    {2, "Q4_0", 32, 18, no_dtype, q4_0},
    {3, "Q4_1", 32, 20, no_dtype, q4_1},
    {6, "Q5_0", 32, 22, no_dtype, q5_0},
    {7, "Q5_1", 32, 24, no_dtype, q5_1},
    {8, "Q8_0", 32, 34, no_dtype, q8_0},
    {9, "Q8_1", 32, 40, no_dtype},
    {10, "Q2_K", kLong, 84, no_dtype, q2_k},
    {11, "Q3_K", kLong, 110, no_dtype, q3_k},
    {12, "Q4_K", kLong, 144, no_dtype, q4_k},
    {13, "Q5_K", kLong, 176, no_dtype, q5_k},
    {14, "Q6_K", kLong, 210, no_dtype, q6_k},
    {15, "Q8_K", kLong, 292, no_dtype, q8_k},
    {16, "IQ2_XXS", kLong, 66, no_dtype},
    {17, "IQ2_XS", kLong, 74, no_dtype},
    {18, "IQ3_XXS", kLong, 98, no_dtype},
    {19, "IQ1_S", kLong, 50, no_dtype},
    {20, "IQ4_NL", 32, 18, no_dtype, iq4_nl},
    {21, "IQ3_S", kLong, 110, no_dtype},
    {22, "IQ2_S", kLong, 82, no_dtype},
    {23, "IQ4_XS", kLong, 136, no_dtype, iq4_xs},
    {24, "I8", 1, 1, integer(8)},
    {25, "I16", 1, 2, integer(16)},
    {26, "I32", 1, 4, integer(32)},
    {27, "I64", 1, 8, integer(64)},
    {28, "F64", 1, 8, floating(64)},
    {29, "IQ1_M", kLong, 56, no_dtype},
    {30, "BF16", 1, 2, ir::DataType::BFloat16()},
    {34, "TQ1_0", kLong, 54, no_dtype, tq1_0},
    {35, "TQ2_0", kLong, 66, no_dtype, tq2_0},
    {39, "MXFP4", 32, 17, no_dtype, mxfp4},
    {40, "NVFP4", 64, 36, no_dtype, nvfp4},
    {41, "Q1_0", 128, 18, no_dtype},
};

}  // namespace

std::span<const GgufType> gguf_types() { return kTypes; }

const GgufType* gguf_type(uint32_t code) {
  for (const GgufType& type : kTypes) {
    if (type.code == code) return &type;
  }
  return nullptr;
}

void unpack_blocks(const GgufType& type, std::span<const uint8_t> blocks, float* numbers) {
  auto bytes = static_cast<size_t>(type.bytes);
  MLC_CHECK(type.unpack != nullptr && blocks.size() % bytes == 0, "{} bytes are no blocks of {}",
            blocks.size(), type.name);
  for (size_t at = 0; at < blocks.size(); at += bytes, numbers += type.elements)
    type.unpack(blocks.data() + at, numbers);
}

}  // namespace mlc::model
