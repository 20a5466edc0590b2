// SPDX-License-Identifier: Apache-2.0
// Matrix fragments: whole matrices of a warp (wmma) and the registers of its lanes (ldmatrix, mma). Products
// and sums of one instruction are computed in float64 and rounded once to the type of the accumulator;
// integers are exact.
#include <cstring>

#include "backend/interp/gpu/kernel.h"
#include "backend/interp/gpu/matrix.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/refusal.h"
#include "ir/core/split_words.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "fragment-shape", .message = "`{}` takes fragments {}"},
        {.name = "warp-not-whole",
         .message = "`{}` is work of a whole warp, and only {} of its lanes come",
         .meaning = "All 32 lanes of a warp execute an instruction on matrices together."},
    }};
MLC_REFUSALS(gpu_compile_fragments, refusals);

namespace {

using ir::view;
constexpr uint32_t kAllLanes = 0xFFFFFFFF;

void check_whole(std::span<Thread* const> lanes, const std::string& text, Span span) {
  auto here = std::count_if(lanes.begin(), lanes.end(), [](Thread* thread) { return thread != nullptr; });
  if (here != kWarp) throw ir::refuse(refusals["warp-not-whole"], text, here).at(span);
}

std::string spelled(const ir::CallNode* node) {
  std::string text(ir::as<ir::OpNode>(node->op)->name);
  return text.replace(0, text.find('.'), "T");
}

}  // namespace

// Evaluates operands, meets the other lanes, and leaves the rest to `together`.
Code Compiler::together(const ir::CallNode* node, std::vector<Code> operands,
                        std::function<void(std::span<Thread* const>)> together) {
  std::string text = spelled(node);
  const Meeting* made =
      meeting(node->span, text, false, [=, span = node->span](std::span<Thread* const> lanes) {
        check_whole(lanes, text, span);
        together(lanes);
      });
  return [made, operands](Frame& frame, Lane* out) {
    std::vector<Lane> mine(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) operands[i](frame, &mine[i]);
    frame.program.heap.use(made->span);
    frame.program.heap.thread->meet(*made, kAllLanes, &mine);
    out->i = 0;
  };
}

namespace {

// A matrix of a warp: `rows` x `cols` elements at `index` in its memory.
struct Fragment {
  std::shared_ptr<Block> memory;
  char* at = nullptr;
  void load(const Number& number, int count, Thread& thread, const AccessPoint& point, Lane* out) const {
    thread.check_written(*memory, at, static_cast<int64_t>(count) * number.bytes, point);
    thread.block.kernel.program.heap.use(point.span);
    for (int i = 0; i < count; ++i) out[i] = number.load(at + i * number.bytes);
  }
  void store(const Number& number, int count, const Lane* values) const {
    for (int i = 0; i < count; ++i) number.store(at + i * number.bytes, values[i]);
    memory->mark(at, static_cast<int64_t>(count) * number.bytes, true);
  }
};
Fragment fragment_at(const Thread& thread, int64_t data, int64_t index, int count, const Number& number,
                     Span span) {
  int64_t bytes = static_cast<int64_t>(count) * number.bytes;
  auto [memory, at] = thread.memory_at(data + index * bytes, bytes, span);
  return {memory, at};
}

// The buffer behind `F.data`.
const VarNode* buffer_of(const Expr& data) {
  Expr at = data;
  if (auto* call = ir::as_call_to(data, "tirx.buffer_data")) at = call->args[0];
  auto* var = ir::as<VarNode>(at);
  return var != nullptr && var->buffer() != nullptr ? var : nullptr;
}

std::array<int, 2> fragment_shape(std::string_view scope, const std::array<int, 3>& mnk) {
  if (scope == "wmma.matrix_a") return {mnk[0], mnk[2]};
  if (scope == "wmma.matrix_b") return {mnk[2], mnk[1]};
  return {mnk[0], mnk[1]};
}

}  // namespace

// (fragment, m, n, k, index, pointer, stride, layout): memory to fragment, or back. Lanes take 16 bytes each
// in turn.
Code Compiler::fragment_copy(const ir::CallNode* node, bool loads) {
  const VarNode* buffer = buffer_of(node->args[0]);
  auto* layout = ir::as<ir::StringImmNode>(node->args[7]);
  if (buffer == nullptr || layout == nullptr) unsupported(node->span, "this form of a fragment");
  std::array<int, 3> mnk{};
  for (size_t i = 0; i < 3; ++i) {
    auto size = ir::const_int(node->args[i + 1]);
    if (!size) unsupported(node->span, "fragments of no constant size");
    mnk[i] = static_cast<int>(*size);
  }
  fragments_[root_of(buffer)] = mnk;
  auto [rows, cols] = fragment_shape(view(buffer->buffer()->storage_scope), mnk);
  const Number* number = &number_of(buffer->buffer()->dtype);
  bool by_columns = view(layout->value) == "col_major";
  const AccessPoint* at = point(node->span, nullptr);
  int outer = by_columns ? cols : rows, inner = by_columns ? rows : cols;
  int width = cols;
  return together(
      node, {expr(node->args[0]), expr(node->args[4]), expr(node->args[5]), expr(node->args[6])},
      [=](std::span<Thread* const> lanes) {
        const std::vector<Lane>& operands = operands_of(*lanes[0]);
        int count = outer * inner;
        Fragment fragment = fragment_at(*lanes[0], operands[0].i, operands[1].i, count, *number, at->span);
        std::vector<Lane> values(static_cast<size_t>(count));
        if (!loads) fragment.load(*number, count, *lanes[0], *at, values.data());
        int chunk = std::max(1, std::min(inner, 16 / number->bytes));
        size_t turn = 0;
        for (int o = 0; o < outer; ++o) {
          for (int i = 0; i < inner; i += chunk) {
            Thread& thread = *lanes[turn++ % kWarp];
            int size = std::min(chunk, inner - i);
            int64_t bytes = static_cast<int64_t>(size) * number->bytes;
            auto [memory, begin] =
                thread.memory_at(operands[2].i + (o * operands[3].i + i) * number->bytes, bytes, at->span);
            loads ? thread.read(*memory, begin, bytes, *at) : thread.write(*memory, begin, bytes, *at);
            for (int e = 0; e < size; ++e) {
              int row = by_columns ? i + e : o, col = by_columns ? o : i + e;
              Lane& value = values[static_cast<size_t>(row * width + col)];
              loads ? void(value = number->load(begin + e * number->bytes))
                    : number->store(begin + e * number->bytes, value);
            }
          }
        }
        if (loads) fragment.store(*number, count, values.data());
      });
}

// (d, index, a, index, b, index, c, index).
Code Compiler::fragment_multiply(const ir::CallNode* node) {
  const VarNode* d = buffer_of(node->args[0]);
  const VarNode* a = buffer_of(node->args[2]);
  auto known = fragments_.find(a == nullptr ? nullptr : root_of(a));
  if (known == fragments_.end() || d == nullptr)
    throw ir::refuse(refusals["fragment-shape"], spelled(node), "that nothing was loaded to before")
        .at(node->span);
  std::array<int, 3> mnk = known->second;
  const Number* in = &number_of(a->buffer()->dtype);
  const Number* accumulator = &number_of(d->buffer()->dtype);
  const AccessPoint* at = point(node->span, nullptr);
  std::vector<Code> operands;
  for (const Expr& arg : node->args) operands.push_back(expr(arg));
  return together(node, std::move(operands), [=](std::span<Thread* const> lanes) {
    auto [m, n, k] = mnk;
    Thread& first = *lanes[0];
    const std::vector<Lane>& values = operands_of(first);
    auto matrix = [&](size_t operand, int count, const Number& number) {
      std::vector<Lane> all(static_cast<size_t>(count));
      fragment_at(first, values[operand].i, values[operand + 1].i, count, number, at->span)
          .load(number, count, first, *at, all.data());
      return all;
    };
    auto x = matrix(2, m * k, *in), y = matrix(4, k * n, *in), c = matrix(6, m * n, *accumulator);
    multiply_matrices(*in, *accumulator, in->floating && in->bytes == 4, mnk, x.data(), y.data(), c.data(),
                      c.data());
    fragment_at(first, values[0].i, values[1].i, m * n, *accumulator, at->span)
        .store(*accumulator, m * n, c.data());
    if (Traffic* traffic = first.block.kernel.traffic) traffic->tensor_flops(2.0 * m * n * k);
  });
}

// (fragment, m, n, k, index, value).
Code Compiler::fragment_fill(const ir::CallNode* node) {
  const VarNode* buffer = buffer_of(node->args[0]);
  auto m = ir::const_int(node->args[1]), n = ir::const_int(node->args[2]), k = ir::const_int(node->args[3]);
  if (buffer == nullptr || !m || !n || !k) unsupported(node->span, "this form of a fragment");
  auto [rows, cols] = fragment_shape(view(buffer->buffer()->storage_scope),
                                     {static_cast<int>(*m), static_cast<int>(*n), static_cast<int>(*k)});
  const Number* number = &number_of(buffer->buffer()->dtype);
  const Number* given = &number_of(node->args[5]->dtype());
  int count = rows * cols;
  return together(node, {expr(node->args[0]), expr(node->args[4]), expr(node->args[5])},
                  [=, span = node->span](std::span<Thread* const> lanes) {
                    const std::vector<Lane>& operands = operands_of(*lanes[0]);
                    std::vector<Lane> values(static_cast<size_t>(count),
                                             convert(*given, *number, operands[2]));
                    fragment_at(*lanes[0], operands[0].i, operands[1].i, count, *number, span)
                        .store(*number, count, values.data());
                  });
}

// (transposed, number, type, registers, offset, address, offset): matrices of 8 x 8 elements of 16 bits. Lane
// 8 i + r has the address of row r of matrix i; lane l gets the elements 2 (l % 4) and the next of row l / 4
// of each.
Code Compiler::load_matrices(const ir::CallNode* node) {
  auto transposed = ir::const_int(node->args[0]), number = ir::const_int(node->args[1]);
  int element = number_of(node->dtype()).bytes;
  if (!transposed || !number || (*transposed != 0 && element != 2))
    unsupported(node->span, "this form of `ldmatrix`");
  const AccessPoint* at = point(node->span, nullptr);
  return together(
      node, {expr(node->args[3]), expr(node->args[4]), expr(node->args[5]), expr(node->args[6])},
      [=, count = static_cast<int>(*number), trans = *transposed != 0](std::span<Thread* const> lanes) {
        std::array<std::array<std::array<char, 16>, 8>, 4> rows{};
        for (int i = 0; i < count * 8; ++i) {
          Thread& thread = *lanes[static_cast<size_t>(i)];
          const std::vector<Lane>& operands = operands_of(thread);
          auto [memory, begin] = thread.memory_at(operands[2].i + operands[3].i * element, 16, at->span);
          thread.read(*memory, begin, 16, *at);
          std::memcpy(rows[static_cast<size_t>(i / 8)][static_cast<size_t>(i % 8)].data(), begin, 16);
        }
        for (Thread* thread : lanes) {
          const std::vector<Lane>& operands = operands_of(*thread);
          auto [memory, begin] = thread->memory_at(operands[0].i + operands[1].i * element,
                                                   static_cast<int64_t>(count) * 4, at->span);
          for (int i = 0; i < count; ++i) {
            for (int e = 0; e < 2; ++e) {
              auto row = static_cast<size_t>(thread->lane() / 4),
                   col = static_cast<size_t>(thread->lane() % 4 * 2 + e);
              if (trans) std::swap(row, col);
              std::memcpy(begin + i * 4 + e * 2, rows[static_cast<size_t>(i)][row].data() + col * 2, 2);
            }
          }
          thread->write(*memory, begin, static_cast<int64_t>(count) * 4, *at);
        }
      });
}

// (shape, layout of a, of b, types of a, b, c, then registers and offset of each, saturate).
Code Compiler::multiply_registers(const ir::CallNode* node) {
  std::vector<std::string> words;
  for (size_t i = 0; i < 6; ++i) {
    auto* text = ir::as<ir::StringImmNode>(node->args[static_cast<int64_t>(i)]);
    if (text == nullptr) unsupported(node->span, "this form of `mma`");
    words.emplace_back(text->value);
  }
  std::array<int, 3> mnk = matrix_shape(words[0]);
  auto [m, n, k] = mnk;
  const Number* in_a = &number_of(matrix_type(words[3], node->span));
  const Number* in_b = &number_of(matrix_type(words[4], node->span));
  const Number* accumulator = &number_of(matrix_type(words[5], node->span));
  bool as_tf32 = words[3] == "tf32";
  int bytes = in_a->bytes;
  bool of_16 = bytes == 8 ? k == 4 || k == 8 || k == 16 : k * bytes == 16 || k * bytes == 32;
  bool of_8 = (bytes == 1 && k == 16) || (bytes == 8 && k == 4);
  if (n != 8 || !(m == 16 ? of_16 : m == 8 && of_8) || words[1] != "row" || words[2] != "col" ||
      in_b->bytes != bytes || (bytes == 4 && !as_tf32))
    unsupported(node->span, fmt::format("`mma` of shape {}, {} and {}", words[0], words[3], words[4]));
  const AccessPoint* at = point(node->span, nullptr);
  std::vector<Code> operands;
  for (int64_t i = 6; i < 12; ++i) operands.push_back(expr(node->args[i]));
  return together(node, std::move(operands), [=](std::span<Thread* const> lanes) {
    auto [m, n, k] = mnk;
    auto matrix = [&](size_t operand, int rows, int cols, const Number& number, auto&& position, bool write,
                      std::vector<Lane>& all) {
      int each = rows * cols / kWarp;
      for (Thread* thread : lanes) {
        const std::vector<Lane>& values = operands_of(*thread);
        int64_t bytes = static_cast<int64_t>(each) * number.bytes;
        auto [memory, begin] =
            thread->memory_at(values[operand].i + values[operand + 1].i * number.bytes, bytes, at->span);
        if (!write) thread->read(*memory, begin, bytes, *at);
        for (int i = 0; i < each; ++i) {
          FragmentPosition p = position(thread->lane(), i);
          Lane& value = all[static_cast<size_t>(p.row * cols + p.col)];
          char* to = begin + i * number.bytes;
          write ? number.store(to, value) : void(value = number.load(to));
        }
        if (write) thread->write(*memory, begin, bytes, *at);
      }
    };
    std::vector<Lane> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n)),
        c(static_cast<size_t>(m * n));
    int word = std::max(1, 4 / in_a->bytes);
    matrix(
        0, m, k, *in_a, [&](int lane, int i) { return fragment_of_a(lane, i, word, m); }, false, a);
    matrix(
        2, k, n, *in_b, [&](int lane, int i) { return fragment_of_b(lane, i, word); }, false, b);
    matrix(4, m, n, *accumulator, fragment_of_c, false, c);
    multiply_matrices(*in_a, *accumulator, as_tf32, mnk, a.data(), b.data(), c.data(), c.data());
    matrix(4, m, n, *accumulator, fragment_of_c, true, c);
    if (Traffic* traffic = lanes[0]->block.kernel.traffic) traffic->tensor_flops(2.0 * m * n * k);
  });
}

// (count, registers, offset) zeroes; (m, n, to, registers, offset, stride) stores 16 x 16 elements, 8 of each
// lane.
Code Compiler::fill_registers(const ir::CallNode* node) {
  const AccessPoint* at = point(node->span, nullptr);
  return [count = integer(node->args[0]), data = expr(node->args[1]), offset = integer(node->args[2]), at,
          number = &number_of(node->dtype())](Frame& frame, Lane* out) {
    Lane address;
    data(frame, &address);
    Thread& thread = *frame.program.heap.thread;
    int64_t bytes = count(frame) * number->bytes;
    auto [memory, begin] = thread.memory_at(address.i + offset(frame) * number->bytes, bytes, at->span);
    std::memset(begin, 0, static_cast<size_t>(bytes));
    thread.write(*memory, begin, bytes, *at);
    out->i = 0;
  };
}
Code Compiler::store_registers(const ir::CallNode* node) {
  auto m = ir::const_int(node->args[0]), n = ir::const_int(node->args[1]);
  if (!m || !n || *m != 16 || *n != 16)
    unsupported(node->span, "`mma_store` of anything but 16 x 16 elements");
  const AccessPoint* at = point(node->span, nullptr);
  return [to = expr(node->args[2]), data = expr(node->args[3]), offset = integer(node->args[4]),
          stride = integer(node->args[5]), at, number = &number_of(node->dtype())](Frame& frame, Lane* out) {
    Lane target, source;
    to(frame, &target);
    data(frame, &source);
    Thread& thread = *frame.program.heap.thread;
    auto [registers, first] =
        thread.memory_at(source.i + offset(frame) * number->bytes, 8L * number->bytes, at->span);
    thread.read(*registers, first, 8L * number->bytes, *at);
    int64_t step = stride(frame);
    for (int i = 0; i < 8; ++i) {
      int64_t row = 8 * (i % 4 / 2) + thread.lane() / 4, col = 8 * (i / 4) + thread.lane() % 4 * 2 + i % 2;
      auto [memory, begin] =
          thread.memory_at(target.i + (row * step + col) * number->bytes, number->bytes, at->span);
      thread.write(*memory, begin, number->bytes, *at);
      std::memcpy(begin, first + i * number->bytes, static_cast<size_t>(number->bytes));
    }
    out->i = 0;
  };
}

Code Compiler::fragment_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.tvm_load_matrix_sync") return fragment_copy(node, true);
  if (name == "tirx.tvm_store_matrix_sync") return fragment_copy(node, false);
  if (name == "tirx.tvm_mma_sync") return fragment_multiply(node);
  if (name == "tirx.tvm_fill_fragment") return fragment_fill(node);
  if (name == "tirx.ptx_legacy.ldmatrix") return load_matrices(node);
  if (name == "tirx.ptx_legacy.mma") return multiply_registers(node);
  if (name == "tirx.mma_fill" || name == "tirx.mma_fill_legacy") return fill_registers(node);
  if (name == "tirx.mma_store" || name == "tirx.mma_store_legacy") return store_registers(node);
  return nullptr;
}

}  // namespace mlc::interp
