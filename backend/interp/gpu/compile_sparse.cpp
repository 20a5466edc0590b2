// SPDX-License-Identifier: Apache-2.0
// `mma.sp`: products of a warp whose left matrix has half of its elements, and metadata that says which.
//
// A fragment of A is that of a dense matrix of half the columns. The metadata is in registers of some lanes
// of each four, as the selector says: of elements of 16 and 32 bits a lane has 16 bits of its row in the
// lower half of the word and of row 8 further in the upper one; of bytes, lanes by turns have 32 bits of the
// one row and of the other.
#include <cstring>

#include "backend/interp/gpu/kernel.h"
#include "backend/interp/gpu/matrix.h"
#include "backend/interp/gpu/ptx_call.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "sparse-metadata",
         .message = "row {} of a sparse matrix has the metadata {:#06b} for elements {} to {}",
         .meaning =
             "Of four elements two are there: the metadata has the number of the first one in its lower two "
             "bits and that of the second in the upper two, a greater one where it is ordered. Of two "
             "numbers "
             "of tf32 one is there: 0b0100 the first, 0b1110 the second."},
    }};
MLC_REFUSALS(gpu_compile_sparse, refusals);

void expand_row(const Lane* packed, int k, int row, bool ordered,
                const std::function<uint32_t(int chunk)>& metadata, Span span, Lane* out) {
  for (int chunk = 0; chunk < k / 4; ++chunk) {
    uint32_t code = metadata(chunk) & 0xFU;
    uint32_t first = code & 3U, second = code >> 2;
    // PTX ISA has 0b0110 among the values that mean something.
    if (first == second || (ordered && first > second && code != 0b0110))
      throw ir::refuse(refusals["sparse-metadata"], row, code, chunk * 4, chunk * 4 + 3).at(span);
    for (int i = 0; i < 4; ++i) out[chunk * 4 + i] = Lane{.i = 0};
    out[chunk * 4 + static_cast<int>(first)] = packed[chunk * 2];
    out[chunk * 4 + static_cast<int>(second)] = packed[chunk * 2 + 1];
  }
}

namespace {

// One of two numbers in a row.
void expand_pairs(const Lane* packed, int k, int row, const std::function<uint32_t(int chunk)>& metadata,
                  Span span, Lane* out) {
  for (int chunk = 0; chunk < k / 2; ++chunk) {
    uint32_t code = metadata(chunk) & 0xFU;
    if (code != 0b0100 && code != 0b1110)
      throw ir::refuse(refusals["sparse-metadata"], row, code, chunk * 2, chunk * 2 + 1).at(span);
    out[chunk * 2 + (code == 0b0100 ? 1 : 0)] = Lane{.i = 0};
    out[chunk * 2 + (code == 0b0100 ? 0 : 1)] = packed[chunk];
  }
}

}  // namespace

Code Compiler::multiply_sparse(const PtxCall& call) {
  call.without("satfinite");
  auto [m, n, k] = matrix_shape(call.modifier("shape"));
  const Number* in_a = &number_of(matrix_type(call.modifier("atype"), call.span()));
  const Number* in_b = &number_of(matrix_type(call.modifier("btype"), call.span()));
  const Number* accumulator = &number_of(matrix_type(call.modifier("dtype"), call.span()));
  bool as_tf32 = call.modifier("atype") == "tf32", ordered = call.modifier("spvariant") != "sp";
  std::vector<Code> operands = registers(call.all("d"), call.span());
  for (const char* name : {"a", "b", "c", "e"})
    for (const Expr& each : call.all(name)) operands.push_back(register_bits(each));
  size_t of_a = call.all("d").size(), of_b = of_a + call.all("a").size(), of_c = of_b + call.all("b").size();
  size_t of_metadata = operands.size() - 1;
  // Lanes of four that have metadata, and the first of them.
  int sharing = (as_tf32 ? 2 * k : k) / 16;
  auto first_lane = static_cast<int>(call.constant("f")) * sharing;
  const AccessPoint* at = point(call.span(), nullptr);
  return together(call.node(), std::move(operands), [=, m = m, n = n, k = k](std::span<Thread* const> lanes) {
    int there = k / 2;
    std::vector<Lane> packed(static_cast<size_t>(m * there)), a(static_cast<size_t>(m * k)),
        b(static_cast<size_t>(k * n)), c(static_cast<size_t>(m * n));
    int word = 4 / in_a->bytes, word_of_c = 4 / accumulator->bytes;
    auto each_element = [&](int count, int in_word, auto&& f) {
      for (Thread* thread : lanes)
        for (int i = 0; i < count / kWarp; ++i) f(*thread, i, static_cast<size_t>(i / in_word), i % in_word);
    };
    auto value = [&](const Thread& thread, size_t operand, const Number& number, int place) {
      auto bits = static_cast<uint32_t>(operands_of(thread)[operand].i);
      char image[4];
      std::memcpy(image, &bits, 4);
      return number.load(image + place * number.bytes);
    };
    each_element(m * there, word, [&](Thread& thread, int i, size_t r, int place) {
      FragmentPosition p = fragment_of_a(thread.lane(), i, word, m);
      packed[static_cast<size_t>(p.row * there + p.col)] = value(thread, of_a + r, *in_a, place);
    });
    each_element(k * n, word, [&](Thread& thread, int i, size_t r, int place) {
      FragmentPosition p = fragment_of_b(thread.lane(), i, word);
      b[static_cast<size_t>(p.row * n + p.col)] = value(thread, of_b + r, *in_b, place);
    });
    each_element(m * n, word_of_c, [&](Thread& thread, int i, size_t r, int place) {
      FragmentPosition p = fragment_of_c(thread.lane(), i);
      c[static_cast<size_t>(p.row * n + p.col)] = value(thread, of_c + r, *accumulator, place);
    });
    for (int row = 0; row < m; ++row) {
      auto metadata = [&](int chunk) -> uint32_t {
        bool bytes = in_a->bytes == 1, lower = row < 8;
        int lane = row % 8 * 4 + first_lane + (bytes ? chunk / 8 * 2 + (lower ? 0 : 1) : chunk / 4);
        auto bits = static_cast<uint32_t>(operands_of(*lanes[static_cast<size_t>(lane)])[of_metadata].i);
        return bytes ? bits >> chunk % 8 * 4 : bits >> ((lower ? 0 : 16) + chunk % 4 * 4);
      };
      const Lane* from = packed.data() + row * there;
      if (as_tf32) {
        expand_pairs(from, k, row, metadata, at->span, a.data() + row * k);
      } else {
        expand_row(from, k, row, ordered, metadata, at->span, a.data() + row * k);
      }
    }
    multiply_matrices(*in_a, *accumulator, as_tf32, {m, n, k}, a.data(), b.data(), c.data(), c.data());
    each_element(m * n, word_of_c, [&](Thread& thread, int i, size_t r, int place) {
      FragmentPosition p = fragment_of_c(thread.lane(), i);
      char* to = thread.register_to_write(operands_of(thread)[r].i, *at);
      accumulator->store(to + place * accumulator->bytes, c[static_cast<size_t>(p.row * n + p.col)]);
    });
    if (Traffic* traffic = lanes[0]->block.kernel.traffic) traffic->tensor_flops(1.0 * m * n * k);
  });
}

}  // namespace mlc::interp
