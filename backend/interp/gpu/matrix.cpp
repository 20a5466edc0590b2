// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/matrix.h"

#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/tensor_map.h"
#include "ir/core/split_words.h"

namespace mlc::interp {

std::array<int, 3> matrix_shape(std::string_view text) {
  std::array<int, 3> shape{};
  int* part = nullptr;
  for (char c : text) {
    if (c == 'm' || c == 'n' || c == 'k') {
      part = &shape[c == 'm' ? 0 : c == 'n' ? 1 : 2];
    } else if (part != nullptr && c >= '0' && c <= '9') {
      *part = *part * 10 + (c - '0');
    }
  }
  return shape;
}

ir::DataType matrix_type(std::string_view name, Span span) {
  struct Row {
    std::string_view names;
    ir::DataType type;
  };
  static const Row rows[] = {
      {"fp16 f16", ir::DataType::Float(16)},      {"bf16", ir::DataType(kDLBfloat, 16)},
      {"fp32 f32 tf32", ir::DataType::Float(32)}, {"fp64 f64", ir::DataType::Float(64)},
      {"int8 s8", ir::DataType::Int(8)},          {"uint8 u8", ir::DataType::UInt(8)},
      {"int32 s32", ir::DataType::Int(32)},       {"e4m3", ir::DataType(kDLFloat8_e4m3fn, 8)},
      {"e5m2", ir::DataType(kDLFloat8_e5m2, 8)}};
  for (const Row& row : rows) {
    bool found = false;
    ir::each_word(row.names, [&](std::string_view word) { found = found || word == name; });
    if (found) return row.type;
  }
  unsupported(span, fmt::format("matrices of `{}`", name));
}

// What tf32 keeps of a float32: 10 bits of mantissa. The hardware leaves the others out.
static double tf32(double value) {
  auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>(bits & 0xFFFFE000U));
}

void multiply_matrices(const Number& in, const Number& accumulator, bool as_tf32, std::array<int, 3> shape,
                       const Lane* a, const Lane* b, const Lane* c, Lane* d) {
  auto [m, n, k] = shape;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      Lane sum = c[i * n + j];
      for (int r = 0; r < k; ++r) {
        Lane x = a[i * k + r], y = b[r * n + j];
        if (!in.floating) {
          sum.i += x.i * y.i;
        } else {
          sum.f += as_tf32 ? tf32(x.f) * tf32(y.f) : x.f * y.f;
        }
      }
      d[i * n + j] = in.floating ? Lane{.f = accumulator.round(sum.f)} : Lane{.i = accumulator.wrap(sum.i)};
    }
  }
}

std::vector<Lane> transposed(const std::vector<Lane>& matrix, int rows, int cols, bool negated) {
  std::vector<Lane> turned(matrix.size());
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      Lane value = matrix[static_cast<size_t>(row * cols + col)];
      if (negated) value.f = -value.f;
      turned[static_cast<size_t>(col * rows + row)] = value;
    }
  }
  return turned;
}

FragmentPosition fragment_of_a(int lane, int i, int word, int m) {
  int reg = i / word, group = lane / 4;
  int tall = m == 16 ? 2 : 1;
  return {group + 8 * (reg % tall), lane % 4 * word + i % word + reg / tall * 4 * word};
}
FragmentPosition fragment_of_b(int lane, int i, int word) {
  return {lane % 4 * word + i % word + i / word * 4 * word, lane / 4};
}
FragmentPosition fragment_of_c(int lane, int i) { return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2}; }

MatrixDescriptor wgmma_descriptor(int64_t bits, Span span) {
  auto word = static_cast<uint64_t>(bits);
  auto field = [&](int at) { return static_cast<int64_t>(word >> at & 0x3FFFU) * 16; };
  if ((word >> 49 & 7U) != 0) unsupported(span, "descriptors of matrices with an offset of their base");
  auto layout = static_cast<int>(word >> 62);
  return {field(0), field(16), field(32), layout == 0 ? 0 : 4 - layout};
}

MatrixDescriptor tcgen05_descriptor(int64_t bits, Span span) {
  auto word = static_cast<uint64_t>(bits);
  auto field = [&](int at) { return static_cast<int64_t>(word >> at & 0x3FFFU) * 16; };
  auto layout = static_cast<int>(word >> 61);
  if ((word >> 49 & 0xFU) != 0 || layout % 2 != 0)
    unsupported(
        span,
        "descriptors of matrices with an offset of their base, absolute distances or units of 32 bytes");
  return {field(0), field(16), field(32), layout == 0 ? 0 : 4 - layout / 2};
}

MatrixDescriptor MatrixDescriptor::in(const ThreadBlock& block) const {
  MatrixDescriptor there = *this;
  there.start += block.rank * Cluster::kWindow;
  return there;
}

int64_t MatrixDescriptor::address(int64_t mn, int64_t k, int bytes, bool mn_major) const {
  int64_t row = int64_t{16} << swizzle, unit = 16 / bytes;
  if (!mn_major) {
    int64_t byte = k * bytes;
    if (swizzle == 0) return start + mn / 8 * stride + byte / 16 * leading + mn % 8 * 16 + byte % 16;
    return swizzled(start + mn / 8 * stride + mn % 8 * row + byte, swizzle);
  }
  if (swizzle == 0) return start + mn / unit * stride + k / 8 * leading + k % 8 * 16 + mn % unit * bytes;
  int64_t wide = row / bytes;
  return swizzled(start + mn / wide * leading + k / 8 * stride + k % 8 * row + mn % wide * bytes, swizzle);
}

Lane ElementFormat::load(const char* at, int i) const {
  if (number != nullptr) return number->load(at + i * number->bytes);
  int first = i * bits;
  uint32_t value = static_cast<uint8_t>(at[first / 8]);
  if (first % 8 + bits > 8) value |= static_cast<uint32_t>(static_cast<uint8_t>(at[first / 8 + 1])) << 8;
  return Lane{.f = ir::decode(*small_float, value >> first % 8 & ((1U << bits) - 1))};
}

void load_matrix(Thread& thread, const Epoch& agent, const MatrixDescriptor& from, int64_t first,
                 int64_t mn_count, int64_t k_count, const ElementFormat& format, bool mn_major,
                 const AccessPoint& point, Lane* out) {
  int64_t unit = format.unit;
  int64_t outer = mn_major ? k_count : mn_count, inner = mn_major ? mn_count : k_count;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; i += unit) {
      int64_t mn = mn_major ? i : o, k = mn_major ? o : i;
      int64_t address = mn_major ? from.address(first + mn, k, format.bits / 8, true)
                                 : from.address(first + mn, k / unit * 16, 1, false);
      auto [memory, at] = thread.memory_at(address, 16, point.span);
      thread.read_by(agent, *memory, at, 16, point);
      for (int64_t e = 0; e < std::min(unit, inner - i); ++e)
        out[(mn + (mn_major ? e : 0)) * k_count + k + (mn_major ? 0 : e)] =
            format.load(at, static_cast<int>(e));
    }
  }
}

}  // namespace mlc::interp
