// SPDX-License-Identifier: Apache-2.0
// Products of `tcgen05.mma`: dense and sparse, with and without scales in tensor memory, of one block or of a
// pair.
//
// Scales lie in tensor memory as 32 rows of one byte each, those of rows 32 and on in the next column, and
// they are there once for the lanes of each warp: what a warp's lanes have of the result is scaled by its own
// copies. Of a pair, each block has the scales of its rows of A and of all columns of B.
#include <cstring>

#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/ptx_call.h"
#include "backend/interp/gpu/tensor_cores.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/small_float.h"
#include "ir/tir/op.h"

namespace mlc::interp {

namespace {

// Where a result of a block lies in its tensor memory. Of 64 rows of one block, 16 are in the lanes of each
// warp; of 64 rows of each block of a pair, the second half of the columns is in the upper lanes.
struct Place {
  int lane, column;
};
Place place_of(int row, int column, int rows, int columns, bool pair) {
  if (rows == 128) return {row, column};
  if (!pair) return {row / 16 * 32 + row % 16, column};
  return {row + (column < columns / 2 ? 0 : 64), column % (columns / 2)};
}

// Operands of one instruction, as its thread has computed them.
struct Operands {
  int64_t d, a, b;
  int64_t metadata, scales_a, scales_b;  // addresses of tensor memory
  bool from_tensor_memory, accumulates;
};

class Multiplication {
 public:
  Multiplication(Thread& thread, const TensorProduct& what, const Operands& operands,
                 std::vector<ThreadBlock*> group, const AccessPoint& point)
      : thread_(thread),
        what_(what),
        operands_(operands),
        group_(std::move(group)),
        point_(point),
        epoch_{thread.agent(AgentKind::kTensorCore), thread.tensor_commit},
        blocks_(static_cast<int>(group_.size())),
        rows_(what.m / blocks_),
        left_(static_cast<size_t>(what.m * what.k)),
        right_(static_cast<size_t>(what.n * what.k)),
        sums_(static_cast<size_t>(what.m * what.n), zero()) {}

  void run() {
    if (operands_.from_tensor_memory && (rows_ != 128 || what_.in_a.bits != what_.in_a.room()))
      unsupported(point_.span, "`tcgen05.mma` of 64 rows, or of bytes with fewer bits, from tensor memory");
    int columns = what_.n / blocks_;
    for (int i = 0; i < blocks_; ++i) {
      load_left(i);
      load_matrix(thread_, epoch_, tcgen05_descriptor(operands_.b, point_.span).in(block(i)), 0, columns,
                  what_.k, what_.in_b, what_.turned_b, point_, right_.data() + i * columns * what_.k);
    }
    if (operands_.accumulates) {
      each_run([&](Block& memory, char* from, int row, int j, int run) {
        thread_.read_by(epoch_, memory, from, 4L * run, point_);
        for (int i = 0; i < run; ++i) sum(row + i, j) = what_.accumulator->load(from + i * 4);
      });
    }
    if (what_.scales == 0) {
      std::vector<Lane> turned = transposed(right_, what_.n, what_.k, what_.negates);
      multiply_matrices(what_.in_a.in_memory(), *what_.accumulator, what_.as_tf32,
                        {what_.m, what_.n, what_.k}, left_.data(), turned.data(), sums_.data(), sums_.data());
    } else {
      for (int i = 0; i < blocks_; ++i)
        for (int warp = 0; warp < 4; ++warp) multiply_scaled(i, warp);
    }
    each_run([&](Block& memory, char* to, int row, int j, int run) {
      thread_.write_by(epoch_, memory, to, 4L * run, point_);
      for (int i = 0; i < run; ++i) what_.accumulator->store(to + i * 4, sum(row + i, j));
    });
    if (Traffic* traffic = thread_.block.kernel.traffic)
      traffic->tensor_flops(2.0 * what_.m * what_.n * what_.k / (what_.sparse ? 2 : 1));
  }

 private:
  Lane zero() const { return what_.accumulator->floating ? Lane{.f = 0} : Lane{.i = 0}; }
  const ThreadBlock& block(int i) const { return *group_[static_cast<size_t>(i)]; }
  Lane& sum(int row, int column) { return sums_[static_cast<size_t>(row * what_.n + column)]; }

  // A word of tensor memory of a block, read by the instruction.
  uint32_t word(const ThreadBlock& block, int64_t address, int64_t lane, int64_t column) {
    const TensorMemory& memory = block.tensor_memory;
    char* at =
        memory.at(thread_, (address >> 16) + lane, (address & 0xFFFF) + column, point_.span, block.rank);
    thread_.read_by(epoch_, *memory.memory(), at, 4, point_);
    uint32_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return bits;
  }

  // The rows of A of a block; of a sparse matrix, what is there is put where the metadata says.
  void load_left(int i) {
    const ThreadBlock& of = block(i);
    int k = what_.k, there = what_.sparse ? k / 2 : k;
    Lane* out = left_.data() + i * rows_ * k;
    std::vector<Lane> packed(what_.sparse ? static_cast<size_t>(rows_ * there) : 0);
    Lane* to = what_.sparse ? packed.data() : out;
    if (operands_.from_tensor_memory) {
      const TensorMemory& memory = of.tensor_memory;
      int in_word = 32 / what_.in_a.bits;
      for (int column = 0; column < there / in_word; ++column) {
        char* from =
            memory.at(thread_, operands_.a >> 16, (operands_.a & 0xFFFF) + column, point_.span, of.rank);
        thread_.read_by(epoch_, *memory.memory(), from, 4L * rows_, point_);
        for (int row = 0; row < rows_; ++row)
          for (int e = 0; e < in_word; ++e)
            to[row * there + column * in_word + e] = what_.in_a.load(from + row * 4, e);
      }
    } else {
      load_matrix(thread_, epoch_, tcgen05_descriptor(operands_.a, point_.span).in(of), 0, rows_, there,
                  what_.in_a, what_.turned_a, point_, to);
    }
    if (!what_.sparse) return;
    for (int row = 0; row < rows_; ++row)
      expand_row(
          packed.data() + row * there, k, i * rows_ + row, true,
          [&](int chunk) { return metadata(of, row, chunk); }, point_.span, out + row * k);
  }

  // Of bytes, a lane has the metadata of its row, 8 chunks in a column. Of elements of 16 bits, each 16 lanes
  // have those of 16 rows: lanes 0 to 7 of the first half of the columns of A, the others of the second; rows
  // 8 and on are in the upper halves of the words. Then a column is one instruction's, and the selector says
  // which of two it is.
  uint32_t metadata(const ThreadBlock& of, int row, int chunk) {
    if (what_.in_a.bits == 8)
      return word(of, operands_.metadata, row, chunk / 8 + what_.selector * 2) >> chunk % 8 * 4;
    int lane = row / 16 * 16 + chunk / 4 * 8 + row % 8;
    return word(of, operands_.metadata, lane, what_.selector) >> (row % 16 / 8 * 16 + chunk % 4 * 4);
  }

  // The scales of a row of A or a column of B, as the lanes of a warp have them.
  void load_scales(const ThreadBlock& of, int64_t address, int row, int warp, int first, double* out) {
    uint32_t bits = word(of, address, row % 32 + warp * 32, row / 32);
    bool is_signed = what_.scale_format->sign_bit() != 0;
    for (int i = 0; i < what_.scales; ++i)
      out[i] = ir::decode(*what_.scale_format, bits >> (first + i) * 8 & (is_signed ? 0x7FU : 0xFFU));
  }

  // What the lanes of a warp have of the result of a block.
  void multiply_scaled(int i, int warp) {
    const ThreadBlock& of = block(i);
    int n = what_.n, k = what_.k, each = k / what_.scales;
    bool folded = rows_ == 64;
    int first_row = (folded ? warp % 2 : warp) * 32, first_column = folded && warp >= 2 ? n / 2 : 0;
    int columns = folded ? n / 2 : n;
    std::vector<double> scales(static_cast<size_t>(what_.scales));
    std::vector<Lane> a(static_cast<size_t>(32 * k)), b(static_cast<size_t>(k * columns)),
        c(static_cast<size_t>(32 * columns));
    for (int row = 0; row < 32; ++row) {
      load_scales(of, operands_.scales_a, first_row + row, warp, what_.scale_a, scales.data());
      const Lane* from = left_.data() + (i * rows_ + first_row + row) * k;
      for (int e = 0; e < k; ++e)
        a[static_cast<size_t>(row * k + e)].f = from[e].f * scales[static_cast<size_t>(e / each)];
      for (int j = 0; j < columns; ++j)
        c[static_cast<size_t>(row * columns + j)] = sum(i * rows_ + first_row + row, first_column + j);
    }
    for (int j = 0; j < columns; ++j) {
      load_scales(of, operands_.scales_b, first_column + j, warp, what_.scale_b, scales.data());
      const Lane* from = right_.data() + (first_column + j) * k;
      for (int e = 0; e < k; ++e)
        b[static_cast<size_t>(e * columns + j)].f =
            (what_.negates ? -from[e].f : from[e].f) * scales[static_cast<size_t>(e / each)];
    }
    multiply_matrices(what_.in_a.in_memory(), *what_.accumulator, false, {32, columns, k}, a.data(), b.data(),
                      c.data(), c.data());
    for (int row = 0; row < 32; ++row)
      for (int j = 0; j < columns; ++j)
        sum(i * rows_ + first_row + row, first_column + j) = c[static_cast<size_t>(row * columns + j)];
  }

  // Rows of the result whose lanes lie side by side: memory, where they begin, row, column, how many.
  template <class F>
  void each_run(F&& f) {
    bool pair = blocks_ == 2;
    int run = rows_ == 128 ? 128 : pair ? 64 : 16;
    for (int i = 0; i < blocks_; ++i) {
      const TensorMemory& memory = block(i).tensor_memory;
      for (int j = 0; j < what_.n; ++j) {
        for (int row = 0; row < rows_; row += run) {
          Place place = place_of(row, j, rows_, what_.n, pair);
          char* begin = memory.at(thread_, (operands_.d >> 16) + place.lane,
                                  (operands_.d & 0xFFFF) + place.column, point_.span, block(i).rank);
          f(*memory.memory(), begin, i * rows_ + row, j, run);
        }
      }
    }
  }

  Thread& thread_;
  const TensorProduct& what_;
  const Operands& operands_;
  std::vector<ThreadBlock*> group_;
  const AccessPoint& point_;
  Epoch epoch_;
  int blocks_, rows_;  // rows of a block
  std::vector<Lane> left_, right_, sums_;
};

// The scales of a row that the modifiers ask for: "1X"; empty: none.
std::string scale_vector(const PtxCall& call) {
  if (call.modifier("block_scale").empty()) return "";
  std::string_view kind = call.modifier("kind"), vector = call.modifier("scale_vec"),
                   size = call.modifier("block_size");
  if (!vector.empty()) return std::string(vector.substr(vector.size() - 2));
  if (kind == "kind::mxf8f6f4") return "1X";
  return size == "block16" ? "4X" : "2X";
}

}  // namespace

Code Compiler::tcgen05_multiply(const PtxCall& call) {
  for (const char* slot : {"ws", "ashift", "decompress"}) call.without(slot);
  if (call.modifier("kind") == "kind::ti16")
    unsupported(call.span(), fmt::format("`T.ptx.tcgen05.mma` of {}", call.modifier("kind")));
  using Integer = std::function<int64_t(Frame&)>;
  bool from_tensor_memory = call.has("a_tmem"), sparse = call.has("sp_meta_tmem"),
       scaled = call.has("sfa_tmem");
  auto maybe = [&](const char* name) {
    return call.has(name) ? integer(call.one(name)) : Integer([](Frame&) -> int64_t { return 0; });
  };
  std::vector<Integer> disabled;
  for (const Expr& each : call.all("disable_output_lane")) disabled.push_back(integer(each));
  std::string vector = scale_vector(call);
  if (scaled == vector.empty())
    unsupported(call.span(), fmt::format("`T.ptx.tcgen05.mma`, the form {}", call.row()));
  return [d = integer(call.one("d_tmem")), a = integer(call.one(from_tensor_memory ? "a_tmem" : "a_desc")),
          b = integer(call.one("b_desc")), descriptor = integer(call.one("idesc")),
          adds = integer(call.one("enable_input_d")), metadata = maybe("sp_meta_tmem"),
          sfa = maybe("sfa_tmem"), sfb = maybe("sfb_tmem"), kind = std::string(call.modifier("kind")),
          disabled, from_tensor_memory, sparse, vector, pair = is_of_pair(call), text = call.text(),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    Operands operands{d(frame),   a(frame),   b(frame),           metadata(frame),
                      sfa(frame), sfb(frame), from_tensor_memory, adds(frame) != 0};
    auto bits = static_cast<uint32_t>(descriptor(frame));
    for (const Integer& lanes : disabled)
      if (lanes(frame) != 0) unsupported(at->span, "`tcgen05.mma` that leaves out lanes");
    frame.program.heap.use(at->span);
    std::vector<ThreadBlock*> group = group_of(thread, pair, text, at->span);
    TensorProduct what = tensor_product(bits, kind, vector, sparse, group.size(), at->span);
    Multiplication(thread, what, operands, std::move(group), *at).run();
    out->i = 0;
  };
}

}  // namespace mlc::interp
