// SPDX-License-Identifier: Apache-2.0
// Instructions between memory and registers, and products of matrices in registers, as PTX has them: `ld`,
// `st`, `ldmatrix`, `stmatrix`, `mma`.
#include <cmath>
#include <cstring>
#include <limits>

#include "backend/interp/gpu/matrix.h"
#include "backend/interp/gpu/memory_access.h"
#include "backend/interp/gpu/ptx_call.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "address-in-other-block",
         .message = "{} reaches {} by `{}`, which is for its own block",
         .help = "spell it with the shared memory of the cluster: `shared::cluster`"},
        {.name = "address-misaligned",
         .message = "{} reaches {} bytes at an address that is no multiple of that",
         .meaning = "Memory is read and written in words, and vectors of them, at multiples of their size."},
    }};
MLC_REFUSALS(gpu_compile_memory, refusals);

namespace {

// Bytes that PTX calls `b32`, `s8` or `f64`.
int bytes_of(std::string_view type) {
  int bits = 0;
  for (char c : type.substr(1)) bits = bits * 10 + (c - '0');
  return bits / 8;
}

}  // namespace

void check_aligned(const Thread& thread, const Block& memory, const char* at, int64_t bytes, Span span) {
  if ((at - memory.begin) % bytes != 0)
    throw ir::refuse(refusals["address-misaligned"], thread.name(), bytes).at(span);
}

void poll(Thread& thread, Block& memory, char* begin, int64_t bytes, const AccessPoint& at) {
  auto word = [&] {
    uint64_t value = 0;
    std::memcpy(&value, begin, static_cast<size_t>(bytes));
    return value;
  };
  thread.poll(at, memory, begin, word());
  thread.asked[{&at, &memory, begin}] = word();
}

void check_own(const Thread& thread, const Block& memory, const char* at, const std::string& space,
               Span span) {
  if (memory.home < 0 || memory.home == thread.block.rank || !space.starts_with("shared") ||
      space == "shared::cluster")
    return;
  throw ir::refuse(refusals["address-in-other-block"], thread.name(),
                   element_text(thread.block, memory, at - memory.begin), space)
      .at(span);
}

// Words of 128 bits between memory and a register, which is one in memory here.
Code Compiler::move_wide_word(const PtxCall& call, bool loads) {
  std::span<const Expr> all = call.all(loads ? "d" : "value");
  if (all.size() != 1 || !all[0]) unsupported(call.span(), "several words of 128 bits");
  return [address = integer(call.one("addr")), reg = registers(all, call.span())[0], loads,
          order = Order::of(call.modifier("sem"), call.modifier("scope")),
          space = std::string(call.modifier("space")),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame);
    reg(frame, out);
    frame.program.heap.use(at->span);
    auto [memory, begin] = thread.memory_at(where, 16, at->span);
    auto [in_register, to] = thread.memory_at(out->i, 16, at->span);
    check_aligned(thread, *memory, begin, 16, at->span);
    check_own(thread, *memory, begin, space, at->span);
    thread.read(loads ? *memory : *in_register, loads ? begin : to, 16, *at, loads ? order : Order{});
    thread.write(loads ? *in_register : *memory, loads ? to : begin, 16, *at, loads ? Order{} : order);
    std::memcpy(loads ? to : begin, loads ? begin : to, 16);
    out->i = 0;
  };
}

Code Compiler::load_registers(const PtxCall& call) {
  std::string_view type = call.modifier("type");
  int bytes = bytes_of(type);
  if (bytes > 8) return move_wide_word(call, true);
  struct Target {
    std::function<void(Frame&, Lane)> store;
    const Number* number;
  };
  std::vector<Target> targets;
  for (const Expr& each : call.all("d"))
    targets.push_back({destination(each, call.span()), each ? &number_of(each->dtype()) : nullptr});
  return [address = integer(call.one("addr")), targets, bytes, is_signed = type[0] == 's',
          order = Order::of(call.modifier("sem"), call.modifier("scope")),
          space = std::string(call.modifier("space")),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame), all = bytes * static_cast<int64_t>(targets.size());
    frame.program.heap.use(at->span);
    auto [memory, begin] = thread.memory_at(where, all, at->span);
    check_aligned(thread, *memory, begin, all, at->span);
    check_own(thread, *memory, begin, space, at->span);
    if (order.strong) poll(thread, *memory, begin, std::min<int64_t>(all, 8), *at);
    thread.read(*memory, begin, all, *at, order);
    for (size_t i = 0; i < targets.size(); ++i) {
      const char* from = begin + static_cast<int64_t>(i) * bytes;
      char image[16];
      std::memset(image, is_signed && from[bytes - 1] < 0 ? 0xFF : 0, sizeof(image));
      std::memcpy(image, from, static_cast<size_t>(bytes));
      if (targets[i].number != nullptr) targets[i].store(frame, targets[i].number->load(image));
    }
    out->i = 0;
  };
}

Code Compiler::store_from_registers(const PtxCall& call) {
  int bytes = bytes_of(call.modifier("type"));
  if (bytes > 8) return move_wide_word(call, false);
  struct Source {
    Code value;
    const Number* number;
  };
  std::vector<Source> sources;
  for (const Expr& each : call.all("value")) sources.push_back({expr(each), &number_of(each->dtype())});
  return [address = integer(call.one("addr")), sources, bytes, space = std::string(call.modifier("space")),
          order = Order::of(call.modifier("sem"), call.modifier("scope")),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame), all = bytes * static_cast<int64_t>(sources.size());
    std::vector<char> image(static_cast<size_t>(all) + 8);
    for (size_t i = 0; i < sources.size(); ++i) {
      char word[16] = {};
      sources[i].value(frame, out);
      sources[i].number->store(word, *out);
      std::memcpy(image.data() + i * static_cast<size_t>(bytes), word, static_cast<size_t>(bytes));
    }
    frame.program.heap.use(at->span);
    auto [memory, begin] = thread.memory_at(where, all, at->span);
    check_aligned(thread, *memory, begin, all, at->span);
    check_own(thread, *memory, begin, space, at->span);
    if (memory->scope == Block::Scope::kLocal) thread.store_registers(*memory, begin, all, at->span);
    thread.write(*memory, begin, all, *at, order);
    std::memcpy(begin, image.data(), static_cast<size_t>(all));
    out->i = 0;
  };
}

// Matrices of 8 x 8 elements of 16 bits: lane 8 i + r has the address of row r of matrix i, and every lane
// two elements of each.
Code Compiler::matrix_rows(const PtxCall& call, bool loads) {
  call.only("shape", "m8n8");
  if (call.modifier("type") != "b16")
    unsupported(call.span(), fmt::format("`{}` of elements of 8 bits", call.text()));
  bool turned = !call.modifier("trans").empty();
  auto count = static_cast<int>(call.all("r").size());
  std::vector<Code> operands{expr(call.one("p"))};
  if (loads) {
    for (Code& each : registers(call.all("r"), call.span())) operands.push_back(std::move(each));
  } else {
    for (const Expr& each : call.all("r")) operands.push_back(register_bits(each));
  }
  const AccessPoint* at = point(call.span(), nullptr);
  return together(call.node(), std::move(operands), [=](std::span<Thread* const> lanes) {
    std::vector<std::array<std::array<uint16_t, 8>, 8>> matrices(static_cast<size_t>(count));
    auto element = [&](int matrix, int lane, int e) -> uint16_t& {
      auto row = static_cast<size_t>(lane / 4), col = static_cast<size_t>(lane % 4 * 2 + e);
      if (turned) std::swap(row, col);
      return matrices[static_cast<size_t>(matrix)][row][col];
    };
    auto each_row = [&](auto&& f) {
      for (int i = 0; i < count * 8; ++i) {
        Thread& thread = *lanes[static_cast<size_t>(i)];
        auto [memory, begin] = thread.memory_at(operands_of(thread)[0].i, 16, at->span);
        check_aligned(thread, *memory, begin, 16, at->span);
        check_own(thread, *memory, begin, "shared", at->span);
        f(thread, *memory, begin, matrices[static_cast<size_t>(i / 8)][static_cast<size_t>(i % 8)]);
      }
    };
    if (loads) {
      each_row([&](Thread& thread, Block& memory, char* begin, std::array<uint16_t, 8>& row) {
        thread.read(memory, begin, 16, *at);
        std::memcpy(row.data(), begin, 16);
      });
    }
    for (Thread* thread : lanes) {
      for (int i = 0; i < count; ++i) {
        int64_t operand = operands_of(*thread)[static_cast<size_t>(i + 1)].i;
        if (!loads) {
          for (int e = 0; e < 2; ++e)
            element(i, thread->lane(), e) = static_cast<uint16_t>(operand >> 16 * e);
          continue;
        }
        char* to = thread->register_to_write(operand, *at);
        for (int e = 0; e < 2; ++e) std::memcpy(to + e * 2, &element(i, thread->lane(), e), 2);
      }
    }
    if (loads) return;
    each_row([&](Thread& thread, Block& memory, char* begin, std::array<uint16_t, 8>& row) {
      thread.write(memory, begin, 16, *at);
      std::memcpy(begin, row.data(), 16);
    });
  });
}

Code Compiler::multiply_in_registers(const PtxCall& call) {
  call.without("satfinite");
  call.without("bitop");
  call.without("rnd");
  auto [m, n, k] = matrix_shape(call.modifier("shape"));
  const Number* in_a = &number_of(matrix_type(call.modifier("atype"), call.span()));
  const Number* in_b = &number_of(matrix_type(call.modifier("btype"), call.span()));
  const Number* accumulator = &number_of(matrix_type(call.modifier("dtype"), call.span()));
  bool known = n == 8 && (m == 16 || (m == 8 && in_a->bytes == 1)) && in_a->bytes <= 4 &&
               accumulator->bytes <= 4 && call.modifier("alayout") == "row" &&
               call.modifier("blayout") == "col" && call.modifier("ctype") == call.modifier("dtype");
  if (!known)
    unsupported(call.span(), fmt::format("`{}` of shape {}, the form {}", call.text(), call.modifier("shape"),
                                         call.row()));
  bool as_tf32 = call.modifier("atype") == "tf32";
  std::vector<Code> operands = registers(call.all("d"), call.span());
  for (const char* name : {"a", "b", "c"})
    for (const Expr& each : call.all(name)) operands.push_back(register_bits(each));
  size_t of_a = call.all("d").size(), of_b = of_a + call.all("a").size(), of_c = of_b + call.all("b").size();
  const AccessPoint* at = point(call.span(), nullptr);
  return together(call.node(), std::move(operands), [=, m = m, n = n, k = k](std::span<Thread* const> lanes) {
    std::vector<Lane> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n)),
        c(static_cast<size_t>(m * n));
    int word = 4 / in_a->bytes, word_of_c = 4 / accumulator->bytes;
    // Elements of a lane lie in its registers one behind the other.
    auto each_element = [&](int rows, int cols, int in_word, auto&& f) {
      for (Thread* thread : lanes)
        for (int i = 0; i < rows * cols / kWarp; ++i)
          f(*thread, i, static_cast<size_t>(i / in_word), i % in_word);
    };
    auto value = [&](const Thread& thread, size_t operand, const Number& number, int place) {
      auto bits = static_cast<uint32_t>(operands_of(thread)[operand].i);
      char image[4];
      std::memcpy(image, &bits, 4);
      return number.load(image + place * number.bytes);
    };
    each_element(m, k, word, [&](Thread& thread, int i, size_t r, int place) {
      FragmentPosition p = fragment_of_a(thread.lane(), i, word, m);
      a[static_cast<size_t>(p.row * k + p.col)] = value(thread, of_a + r, *in_a, place);
    });
    each_element(k, n, word, [&](Thread& thread, int i, size_t r, int place) {
      FragmentPosition p = fragment_of_b(thread.lane(), i, word);
      b[static_cast<size_t>(p.row * n + p.col)] = value(thread, of_b + r, *in_b, place);
    });
    each_element(m, n, word_of_c, [&](Thread& thread, int i, size_t r, int place) {
      FragmentPosition p = fragment_of_c(thread.lane(), i);
      c[static_cast<size_t>(p.row * n + p.col)] = value(thread, of_c + r, *accumulator, place);
    });
    multiply_matrices(*in_a, *accumulator, as_tf32, {m, n, k}, a.data(), b.data(), c.data(), c.data());
    each_element(m, n, word_of_c, [&](Thread& thread, int i, size_t r, int place) {
      FragmentPosition p = fragment_of_c(thread.lane(), i);
      char* to = thread.register_to_write(operands_of(thread)[r].i, *at);
      accumulator->store(to + place * accumulator->bytes, c[static_cast<size_t>(p.row * n + p.col)]);
    });
    if (Traffic* traffic = lanes[0]->block.kernel.traffic) traffic->tensor_flops(2.0 * m * n * k);
  });
}

// Of one float, or of two in a register.
Code Compiler::add_registers(const PtxCall& call) {
  call.without("srctype");
  call.without("sat");
  call.only("rnd", "rn");
  bool two = call.modifier("type") == "f32x2";
  if (!two && call.modifier("type") != "f32")
    unsupported(call.span(), fmt::format("`T.ptx.add` of {}", call.modifier("type")));
  return [a = expr(call.one("a")), b = expr(call.one("b")), to = destination(call.one("d"), call.span()), two,
          number = &number_of(ir::DataType::Float(32))](Frame& frame, Lane* out) {
    Lane x, y;
    a(frame, &x);
    b(frame, &y);
    if (two) {
      char left[8], right[8];
      std::memcpy(left, &x.i, 8);
      std::memcpy(right, &y.i, 8);
      for (int i = 0; i < 8; i += 4)
        number->store(left + i,
                      Lane{.f = number->round(number->load(left + i).f + number->load(right + i).f)});
      std::memcpy(&out->i, left, 8);
    } else {
      out->f = number->round(x.f + y.f);
    }
    to(frame, *out);
  };
}

Code Compiler::memory_intrinsic(const ir::CallNode* node, std::string_view name) {
  constexpr std::string_view kRows[] = {"ld",        "ld_vec",   "ld_vec256", "st",  "st_vec",
                                        "st_vec256", "ldmatrix", "stmatrix",  "mma", "mma_f16acc",
                                        "mma_int",   "add",      "ex2"};
  constexpr std::string_view kAtomic[] = {
      "atom", "atom_bitbucket", "atom_cas", "atom_cas_bitbucket", "atom_exch", "atom_exch_bitbucket", "red"};
  constexpr std::string_view kSparse[] = {
      "mma_sp",         "mma_sp_all",      "mma_sp_f16acc", "mma_sp_f16acc_pair",
      "mma_sp_int_all", "mma_sp_int_pair", "mma_sp_pair"};
  constexpr std::string_view kPrefix = "tirx.ptx.";
  if (!name.starts_with(kPrefix)) return nullptr;
  std::string_view row = name.substr(kPrefix.size());
  if (std::find(std::begin(kAtomic), std::end(kAtomic), row) != std::end(kAtomic)) {
    PtxCall call(node, name);
    return guarded(call, atomic_registers(call));
  }
  if (std::find(std::begin(kSparse), std::end(kSparse), row) != std::end(kSparse))
    return multiply_sparse(PtxCall(node, name));
  if (std::find(std::begin(kRows), std::end(kRows), row) == std::end(kRows)) return nullptr;
  PtxCall call(node, name);
  if (row.starts_with("ld") && row != "ldmatrix") return guarded(call, load_registers(call));
  if (row.starts_with("st") && row != "stmatrix") return guarded(call, store_from_registers(call));
  if (row == "add") return guarded(call, add_registers(call));
  if (row == "ex2") {
    // Hardware's is off by up to two units in the last place, in a way that its makers do not tell.
    bool flushed = call.modifier("ftz") == "ftz";
    return guarded(call, [a = expr(call.one("value")), to = destination(call.one("d"), call.span()), flushed](
                             Frame& frame, Lane* out) {
      auto normal = [&](double x) {
        return flushed && std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0, x) : x;
      };
      a(frame, out);
      out->f = normal(static_cast<float>(std::exp2(normal(out->f))));
      to(frame, *out);
    });
  }
  return row.starts_with("mma") ? multiply_in_registers(call) : matrix_rows(call, row == "ldmatrix");
}

}  // namespace mlc::interp
