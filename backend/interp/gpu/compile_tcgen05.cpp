// SPDX-License-Identifier: Apache-2.0
// tcgen05: tensor memory, products into it, copies to it, and its way to and from registers. With
// `cta_group::2` one thread has the pair of blocks multiply: each has its half of the rows of A and of the
// result, and its half of the columns of B, at the same addresses.
#include <cstring>

#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/matrix.h"
#include "backend/interp/gpu/ptx_call.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "cta-groups-differ",
         .message = "`{}` is of {} block{}, and others of this kernel are of {}",
         .meaning = "All `tcgen05` instructions of a kernel have the same `cta_group`."},
        {.name = "tensor-memory-lanes",
         .message = "{} moves lanes {} and on of tensor memory, and its warp reaches lanes {} to {}",
         .meaning = "Warp w of a group of four reaches lanes 32 w to 32 w + 31 of tensor memory."},
    }};
MLC_REFUSALS(gpu_compile_tcgen05, refusals);

namespace {

// What the descriptor of an instruction says (PTX ISA, "Instruction descriptor").
struct Instruction {
  int m, n, k;
  const Number *in_a, *in_b, *accumulator;
  bool as_tf32, turned_a, turned_b, negates;
};

Instruction instruction_of(int64_t bits, std::string_view kind, size_t blocks, Span span) {
  auto word = static_cast<uint32_t>(bits);
  auto field = [&](int at, uint32_t mask) { return static_cast<int>(word >> at & mask); };
  auto refuse = [&](std::string_view what) { unsupported(span, fmt::format("`tcgen05.mma` {}", what)); };
  if (field(2, 1) != 0) refuse("of sparse matrices");
  if (field(3, 1) != 0) refuse("that saturates");
  auto element = [&](int format) -> const Number* {
    if (kind == "kind::f16" && format < 2)
      return &number_of(format == 0 ? ir::DataType::Float(16) : ir::DataType(kDLBfloat, 16));
    if (kind == "kind::tf32" && format == 2) return &number_of(ir::DataType::Float(32));
    if (kind == "kind::f8f6f4" && format < 2)
      return &number_of(ir::DataType(format == 0 ? kDLFloat8_e4m3fn : kDLFloat8_e5m2, 8));
    if (kind == "kind::i8" && format < 2)
      return &number_of(format == 0 ? ir::DataType::UInt(8) : ir::DataType::Int(8));
    refuse(fmt::format("of {} with elements of format {}", kind, format));
    return nullptr;
  };
  Instruction made{};
  made.in_a = element(field(7, 7));
  made.in_b = element(field(10, 7));
  made.as_tf32 = kind == "kind::tf32";
  bool integers = kind == "kind::i8";
  if (field(4, 3) != (integers ? 2 : 1)) refuse("to accumulators of 16 bits");
  made.accumulator = &number_of(integers ? ir::DataType::Int(32) : ir::DataType::Float(32));
  made.negates = (field(13, 1) != 0) != (field(14, 1) != 0);
  made.turned_a = field(15, 1) != 0;
  made.turned_b = field(16, 1) != 0;
  made.n = field(17, 0x3F) * 8;
  made.m = field(24, 0x1F) * 16;
  made.k = 32 / made.in_a->bytes;
  bool rows = blocks == 1 ? made.m == 64 || made.m == 128 : made.m == 128 || made.m == 256;
  if (!rows || made.n < 8 || made.n > 256 || (blocks == 2 && made.n % 16 != 0))
    refuse(fmt::format("of {} rows and {} columns by {} block{}", made.m, made.n, blocks,
                       blocks == 1 ? "" : "s"));
  return made;
}

// The blocks that an instruction is of: its own one, or the pair.
std::vector<ThreadBlock*> group_of(Thread& thread, bool pair, const std::string& text, Span span) {
  int blocks = pair ? 2 : 1, &known = thread.block.kernel.cta_group;
  if (known == 0) known = blocks;
  if (known != blocks)
    throw ir::refuse(refusals["cta-groups-differ"], text, blocks, pair ? "s" : "", known).at(span);
  if (!pair) return {&thread.block};
  auto [first, second] = pair_of(thread.block, text, span);
  return {first, second};
}
bool is_of_pair(const PtxCall& call) { return call.modifier("cta_group") == "cta_group::2"; }

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

// Registers and where they lie in 16 or 32 lanes, by shape: lane and column of register `r` of lane `t`.
struct Shape {
  std::string_view name;
  int lanes, columns, registers;  // of x1
};
constexpr Shape kShapes[] = {
    {"32x32b", 32, 1, 1}, {"16x64b", 16, 2, 1}, {"16x128b", 16, 4, 2}, {"16x256b", 16, 8, 4}};
std::pair<int, int> position(const Shape& shape, int t, int r) {
  int repeat = r / shape.registers * shape.columns, i = r % shape.registers;
  if (shape.lanes == 32) return {t, repeat};
  if (shape.columns == 2) return {t % 2 * 8 + t / 4, repeat + t / 2 % 2};
  if (shape.columns == 4) return {t / 4 + 8 * i, repeat + t % 4};
  return {t / 4 + 8 * (i / 2), repeat + t % 4 * 2 + i % 2};
}

}  // namespace

Code Compiler::tcgen05_allocate(const PtxCall& call) {
  call.without("exclusive");
  const AccessPoint* at = point(call.span(), nullptr);
  bool pair = is_of_pair(call);
  std::string text = call.text();
  if (call.modifier("action") == "dealloc") {
    return together(call.node(), {expr(call.one("taddr")), expr(call.one("ncols"))},
                    [=](std::span<Thread* const> lanes) {
                      const std::vector<Lane>& operands = operands_of(*lanes[0]);
                      group_of(*lanes[0], pair, text, at->span);
                      lanes[0]->block.tensor_memory.release(*lanes[0], operands[0].i, operands[1].i, *at);
                    });
  }
  // Both blocks of a pair allocate, each in its own tensor memory.
  return together(call.node(), {expr(call.one("dst")), expr(call.one("ncols"))},
                  [=](std::span<Thread* const> lanes) {
                    Thread& thread = *lanes[0];
                    const std::vector<Lane>& operands = operands_of(thread);
                    group_of(thread, pair, text, at->span);
                    auto first = static_cast<uint32_t>(thread.block.tensor_memory.allocate(
                        thread.block.kernel.program.heap, thread.block.rank, operands[1].i, *at));
                    auto [memory, to] = thread.memory_at(operands[0].i, 4, at->span);
                    thread.write(*memory, to, 4, *at);
                    std::memcpy(to, &first, 4);
                  });
}

Code Compiler::tcgen05_commit(const PtxCall& call) {
  call.without("sync_restrict");
  std::function<int64_t(Frame&)> mask;
  for (const char* name : {"mask", "cta_mask"})
    if (call.has(name)) mask = integer(call.one(name));
  return [address = integer(call.one("mbar")), mask, pair = is_of_pair(call), text = call.text(),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame), blocks = mask ? mask(frame) : 0;
    frame.program.heap.use(at->span);
    group_of(thread, pair, text, at->span);
    Epoch done{thread.agent(AgentKind::kTensorCore), thread.tensor_commit++};
    auto arrive = [&](int64_t barrier_address) {
      MBarrier& barrier = thread.mbarrier_of_copy(barrier_address, *at);
      thread.reach_barrier(barrier, done, *at);
      barrier.arrive(thread.block, done, thread.seen, *at);
    };
    if (mask) {
      for (int rank : ranks_of_mask(thread, blocks, at->span))
        arrive(thread.address_in(where, rank, at->span));
    } else {
      arrive(where);
    }
    out->i = 0;
  };
}

Code Compiler::tcgen05_multiply(const PtxCall& call) {
  constexpr std::string_view kRows[] = {"tcgen05_mma_ss", "tcgen05_mma_ts"};
  if (std::find(std::begin(kRows), std::end(kRows), call.row()) == std::end(kRows))
    unsupported(call.span(), fmt::format("`T.ptx.tcgen05.mma`, the form {}", call.row()));
  bool from_tensor_memory = call.row().ends_with("ts");
  std::vector<std::function<int64_t(Frame&)>> disabled;
  for (const Expr& each : call.all("disable_output_lane")) disabled.push_back(integer(each));
  return [d = integer(call.one("d_tmem")), a = integer(call.one(from_tensor_memory ? "a_tmem" : "a_desc")),
          b = integer(call.one("b_desc")), descriptor = integer(call.one("idesc")),
          adds = integer(call.one("enable_input_d")), kind = std::string(call.modifier("kind")), disabled,
          from_tensor_memory, pair = is_of_pair(call), text = call.text(),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t target = d(frame), of_a = a(frame), of_b = b(frame);
    std::vector<ThreadBlock*> group = group_of(thread, pair, text, at->span);
    Instruction what = instruction_of(descriptor(frame), kind, group.size(), at->span);
    bool accumulates = adds(frame) != 0;
    for (const auto& lanes : disabled)
      if (lanes(frame) != 0) unsupported(at->span, "`tcgen05.mma` that leaves out lanes");
    frame.program.heap.use(at->span);
    auto [m, n, k] = std::array{what.m, what.n, what.k};
    auto blocks = static_cast<int>(group.size());
    int rows = m / blocks, columns = n / blocks;  // of a block
    Epoch epoch{thread.agent(AgentKind::kTensorCore), thread.tensor_commit};
    std::vector<Lane> left(static_cast<size_t>(m * k)), right(static_cast<size_t>(n * k)),
        sums(static_cast<size_t>(m * n), what.accumulator->floating ? Lane{.f = 0} : Lane{.i = 0});
    if (from_tensor_memory && rows != 128)
      unsupported(at->span, "`tcgen05.mma` of 64 rows from tensor memory");
    for (int i = 0; i < blocks; ++i) {
      const ThreadBlock& block = *group[static_cast<size_t>(i)];
      Lane* of_block = left.data() + i * rows * k;
      if (from_tensor_memory) {
        const TensorMemory& memory = block.tensor_memory;
        for (int column = 0; column < k * what.in_a->bytes / 4; ++column) {
          char* from = memory.at(thread, of_a >> 16, (of_a & 0xFFFF) + column, at->span, block.rank);
          thread.read_by(epoch, *memory.memory(), from, 4L * rows, *at);
          int word = 4 / what.in_a->bytes;
          for (int row = 0; row < rows; ++row)
            for (int e = 0; e < word; ++e)
              of_block[row * k + column * word + e] = what.in_a->load(from + row * 4 + e * what.in_a->bytes);
        }
      } else {
        load_matrix(thread, epoch, tcgen05_descriptor(of_a, at->span).in(block), 0, rows, k, *what.in_a,
                    what.turned_a, *at, of_block);
      }
      load_matrix(thread, epoch, tcgen05_descriptor(of_b, at->span).in(block), 0, columns, k, *what.in_b,
                  what.turned_b, *at, right.data() + i * columns * k);
    }
    std::vector<Lane> turned = transposed(right, n, k, what.negates);
    auto each_run = [&](auto&& f) {  // rows whose lanes lie side by side
      int run = rows == 128 ? 128 : pair ? 64 : 16;
      for (int i = 0; i < blocks; ++i) {
        const ThreadBlock& block = *group[static_cast<size_t>(i)];
        const TensorMemory& memory = block.tensor_memory;
        for (int j = 0; j < n; ++j) {
          for (int row = 0; row < rows; row += run) {
            Place place = place_of(row, j, rows, n, pair);
            char* begin = memory.at(thread, (target >> 16) + place.lane, (target & 0xFFFF) + place.column,
                                    at->span, block.rank);
            f(*memory.memory(), begin, i * rows + row, j, run);
          }
        }
      }
    };
    if (accumulates) {
      each_run([&](Block& memory, char* from, int row, int j, int run) {
        thread.read_by(epoch, memory, from, 4L * run, *at);
        for (int i = 0; i < run; ++i)
          sums[static_cast<size_t>((row + i) * n + j)] = what.accumulator->load(from + i * 4);
      });
    }
    multiply_matrices(*what.in_a, *what.accumulator, what.as_tf32, {m, n, k}, left.data(), turned.data(),
                      sums.data(), sums.data());
    each_run([&](Block& memory, char* to, int row, int j, int run) {
      thread.write_by(epoch, memory, to, 4L * run, *at);
      for (int i = 0; i < run; ++i)
        what.accumulator->store(to + i * 4, sums[static_cast<size_t>((row + i) * n + j)]);
    });
    if (Traffic* traffic = thread.block.kernel.traffic) traffic->tensor_flops(2.0 * m * n * k);
    out->i = 0;
  };
}

// Rows of 16 or 32 bytes of shared memory to lanes of tensor memory; of a pair, each block's to its own.
Code Compiler::tcgen05_copy(const PtxCall& call) {
  call.without("dst_fmt");
  call.only("shape", "128x256b 128x128b 32x128b");
  bool repeats = call.modifier("shape") == "32x128b";
  int rows = repeats ? 32 : 128, bytes = call.modifier("shape") == "128x256b" ? 32 : 16;
  return [to = integer(call.one("taddr")), from = integer(call.one("s_desc")), rows, bytes, repeats,
          pair = is_of_pair(call), text = call.text(),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t target = to(frame);
    MatrixDescriptor descriptor = tcgen05_descriptor(from(frame), at->span);
    frame.program.heap.use(at->span);
    Epoch epoch{thread.agent(AgentKind::kTensorCore), thread.tensor_commit};
    for (const ThreadBlock* block : group_of(thread, pair, text, at->span)) {
      const TensorMemory& memory = block->tensor_memory;
      MatrixDescriptor matrix = descriptor.in(*block);
      for (int row = 0; row < rows; ++row) {
        for (int byte = 0; byte < bytes; byte += 16) {
          auto [shared, begin] = thread.memory_at(matrix.address(row, byte, 1, false), 16, at->span);
          thread.read_by(epoch, *shared, begin, 16, *at);
          for (int copy = 0; copy < (repeats ? 4 : 1); ++copy) {
            for (int column = 0; column < 4; ++column) {
              char* place = memory.at(thread, (target >> 16) + row + copy * 32,
                                      (target & 0xFFFF) + byte / 4 + column, at->span, block->rank);
              thread.write_by(epoch, *memory.memory(), place, 4, *at);
              std::memcpy(place, begin + column * 4, 4);
            }
          }
        }
      }
    }
    out->i = 0;
  };
}

Code Compiler::tcgen05_move(const PtxCall& call, bool loads) {
  call.without("pack");
  call.without("unpack");
  const Shape* shape = std::find_if(std::begin(kShapes), std::end(kShapes),
                                    [&](const Shape& one) { return one.name == call.modifier("shape"); });
  if (shape == std::end(kShapes) || (call.row() != "tcgen05_ld" && call.row() != "tcgen05_st"))
    unsupported(call.span(), fmt::format("`{}`, the form {}", call.text(), call.row()));
  const AccessPoint* at = point(call.span(), nullptr);
  std::vector<Code> operands{expr(call.one("taddr"))};
  auto count = static_cast<int>(call.all("r").size());
  if (loads) {
    for (Code& each : registers(call.all("r"), call.span())) operands.push_back(std::move(each));
  } else {
    for (const Expr& each : call.all("r")) operands.push_back(register_bits(each));
  }
  return together(call.node(), std::move(operands), [=](std::span<Thread* const> lanes) {
    Thread& first = *lanes[0];
    TensorMemory& memory = first.block.tensor_memory;
    Epoch epoch{first.agent(loads ? AgentKind::kTensorLoad : AgentKind::kTensorStore),
                loads ? first.tensor_loads : first.tensor_stores};
    int64_t address = operands_of(first)[0].i, lane = address >> 16, low = first.warp() % 4 * 32;
    if (lane < 32) lane += low;  // which warp it is the hardware knows: kernels leave that out
    if (lane < low || lane + shape->lanes > low + 32)
      throw ir::refuse(refusals["tensor-memory-lanes"], first.name(), lane, low, low + 31).at(at->span);
    for (Thread* thread : lanes) {
      const std::vector<Lane>& operands = operands_of(*thread);
      for (int r = 0; r < count; ++r) {
        auto [row, column] = position(*shape, thread->lane(), r);
        char* place = memory.at(*thread, lane + row, (address & 0xFFFF) + column, at->span);
        if (!loads) {
          auto bits = static_cast<uint32_t>(operands[static_cast<size_t>(r + 1)].i);
          thread->write_by(epoch, *memory.memory(), place, 4, *at);
          std::memcpy(place, &bits, 4);
          continue;
        }
        thread->read_by(epoch, *memory.memory(), place, 4, *at);
        auto [registers, to] = thread->memory_at(operands[static_cast<size_t>(r + 1)].i, 4, at->span);
        std::memcpy(to, place, 4);
        thread->occupy(registers, to, 4, epoch, *at);
      }
    }
  });
}

Code Compiler::tcgen05_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.cuda.get_tmem_addr") {
    return [base = integer(node->args[0]), lane = integer(node->args[1]), column = integer(node->args[2])](
               Frame& frame, Lane* out) { out->i = base(frame) + (lane(frame) << 16) + column(frame); };
  }
  if (!name.starts_with("tirx.ptx.tcgen05_")) return nullptr;
  PtxCall call(node, name);
  std::string_view action = call.modifier("action");
  if (action == "alloc" || action == "dealloc") return guarded(call, tcgen05_allocate(call));
  if (action == "commit") return guarded(call, tcgen05_commit(call));
  if (action == "mma") return guarded(call, tcgen05_multiply(call));
  if (action == "cp") return guarded(call, tcgen05_copy(call));
  if (action == "ld" || action == "st") return guarded(call, tcgen05_move(call, action == "ld"));
  if (action == "wait::ld" || action == "wait::st") {
    return [loads = action == "wait::ld"](Frame& frame, Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      Epoch done{thread.agent(loads ? AgentKind::kTensorLoad : AgentKind::kTensorStore),
                 loads ? thread.tensor_loads++ : thread.tensor_stores++};
      thread.see(done);
      thread.release_registers(done);
      out->i = 0;
    };
  }
  // Fences between what threads and tensor cores do order nothing by themselves, as others; who else
  // allocates in other blocks is not simulated.
  if (action.starts_with("fence::") || action == "relinquish_alloc_permit")
    return [](Frame&, Lane* out) { out->i = 0; };
  unsupported(node->span, fmt::format("`{}`", call.text()));
}

}  // namespace mlc::interp
