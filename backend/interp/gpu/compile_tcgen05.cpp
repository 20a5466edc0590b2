// SPDX-License-Identifier: Apache-2.0
// tcgen05: tensor memory, copies to it, and its way to and from registers. With `cta_group::2` an instruction
// is of a pair of blocks, which have what it names at the same addresses.
#include <cstring>

#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/ptx_call.h"
#include "backend/interp/gpu/tensor_cores.h"
#include "ir/core/refusal.h"
#include "ir/core/split_words.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "tensor-memory-lanes",
         .message = "{} moves lanes {} and on of tensor memory, and its warp reaches lanes {} to {}",
         .meaning = "Warp w of a group of four reaches lanes 32 w to 32 w + 31 of tensor memory."},
    }};
MLC_REFUSALS(gpu_compile_tcgen05, refusals);

namespace {

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

namespace {

// Rows of a copy to tensor memory: how many, of how many bytes, and in which lanes each of them arrives.
struct CopyShape {
  std::string_view shape, multicast;
  int rows, bytes;
  int (*lane)(int row, int copy);
  int copies;
};
constexpr CopyShape kCopies[] = {
    {"128x256b", "", 128, 32, [](int row, int) { return row; }, 1},
    {"4x256b", "", 4, 32, [](int row, int) { return row * 32; }, 1},
    {"128x128b", "", 128, 16, [](int row, int) { return row; }, 1},
    {"64x128b", "warpx2::02_13", 64, 16, [](int row, int copy) { return row + copy * 64; }, 2},
    {"64x128b", "warpx2::01_23", 64, 16,
     [](int row, int copy) { return row / 32 * 64 + row % 32 + copy * 32; }, 2},
    {"32x128b", "warpx4", 32, 16, [](int row, int copy) { return row + copy * 32; }, 4},
};

}  // namespace

// Rows of shared memory to lanes of tensor memory; of a pair, each block's to its own.
Code Compiler::tcgen05_copy(const PtxCall& call) {
  call.without("dst_fmt");
  const CopyShape* shape = std::find_if(std::begin(kCopies), std::end(kCopies), [&](const CopyShape& one) {
    return one.shape == call.modifier("shape") && one.multicast == call.modifier("multicast");
  });
  if (shape == std::end(kCopies))
    unsupported(call.span(), fmt::format("`{}` of shape {}", call.text(), call.modifier("shape")));
  return [to = integer(call.one("taddr")), from = integer(call.one("s_desc")), shape, pair = is_of_pair(call),
          text = call.text(), at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t target = to(frame);
    MatrixDescriptor descriptor = tcgen05_descriptor(from(frame), at->span);
    frame.program.heap.use(at->span);
    Epoch epoch{thread.agent(AgentKind::kTensorCore), thread.tensor_commit};
    for (const ThreadBlock* block : group_of(thread, pair, text, at->span)) {
      const TensorMemory& memory = block->tensor_memory;
      MatrixDescriptor matrix = descriptor.in(*block);
      for (int row = 0; row < shape->rows; ++row) {
        for (int byte = 0; byte < shape->bytes; byte += 16) {
          auto [shared, begin] = thread.memory_at(matrix.address(row, byte, 1, false), 16, at->span);
          thread.read_by(epoch, *shared, begin, 16, *at);
          for (int copy = 0; copy < shape->copies; ++copy) {
            for (int column = 0; column < 4; ++column) {
              char* place = memory.at(thread, (target >> 16) + shape->lane(row, copy),
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

namespace {

// A data type of a multiplicand by its names, and its number in descriptors.
int format_number(std::string_view name, bool packed) {
  struct Row {
    std::string_view names;
    int number;
  };
  constexpr Row rows[] = {{"float16 fp16 f16", 0},
                          {"bfloat16 bf16", 1},
                          {"tf32 tensor_float32", 2},
                          {"float8_e4m3fn e4m3 float8_e4m3fnuz", 0},
                          {"float8_e5m2 e5m2", 1},
                          {"float6_e2m3fn e2m3", 3},
                          {"float6_e3m2fn e3m2", 4},
                          {"float4_e2m1fn e2m1", 5},
                          {"uint8 u8", 0},
                          {"int8 s8", 1}};
  for (const Row& row : rows)
    if (ir::has_word(row.names, name)) return packed ? 1 : row.number;
  return -1;
}

}  // namespace

// desc, types of d, a, b [and of their scales, where those lie], M, N, K, a and b transposed, blocks, a and b
// negated
// [, saturates], sparse: the descriptor of an instruction, to memory.
Code Compiler::encode_instruction(const ir::CallNode* node, bool scaled) {
  auto text = [&](int64_t i) -> std::string_view {
    auto* imm = ir::as<ir::StringImmNode>(node->args[i]);
    if (imm == nullptr) unsupported(node->span, "an instruction descriptor of types that are no constants");
    return ir::view(imm->value);
  };
  if (node->args.size() != (scaled ? 17U : 14U))
    unsupported(node->span, "this form of an instruction descriptor");
  std::string_view result = text(1), a = text(2), b = text(3);
  int64_t next = scaled ? 8 : 4;
  auto number = [&](int64_t i) -> uint32_t {
    auto value = ir::const_int(node->args[i]);
    if (!value) unsupported(node->span, "an instruction descriptor of sizes that are no constants");
    return static_cast<uint32_t>(*value);
  };
  auto take = [&] { return number(next++); };
  uint32_t m = take(), n = take(), k = take(), turned_a = take(), turned_b = take();
  take();  // blocks
  uint32_t negated_a = take(), negated_b = take(), saturates = scaled ? 0 : take(), sparse = take(), bits = 0;
  bool packed = scaled && format_number(a, false) == 5 && format_number(b, false) == 5;
  int of_a = format_number(a, packed), of_b = format_number(b, packed);
  if (of_a < 0 || of_b < 0) unsupported(node->span, fmt::format("`tcgen05.mma` of {} and {}", a, b));
  if (scaled) {
    bits |= (text(4).find("e8m0") != std::string_view::npos ? 1U : 0U) << 23 | (k == 96 ? 1U : 0U) << 31;
  } else {
    uint32_t of_result = ir::has_word("float32 fp32 f32", result) ? 1 : result == "int32" ? 2 : 0;
    bits |= saturates << 3 | of_result << 4;
  }
  bits |= sparse << 2 | static_cast<uint32_t>(of_a) << 7 | static_cast<uint32_t>(of_b) << 10 |
          negated_a << 13 | negated_b << 14 | turned_a << 15 | turned_b << 16 | n >> 3 << 17 | m >> 4 << 24;
  return [to = integer(node->args[0]), bits, at = point(node->span, nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    auto [memory, begin] = thread.memory_at(to(frame), 4, at->span);
    thread.write(*memory, begin, 4, *at);
    std::memcpy(begin, &bits, sizeof(bits));
    out->i = 0;
  };
}

Code Compiler::tcgen05_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.cuda.tcgen05_encode_instr_descriptor") return encode_instruction(node, false);
  if (name == "tirx.cuda.tcgen05_encode_instr_descriptor_block_scaled") return encode_instruction(node, true);
  // The bytes where scales begin, in a descriptor in memory.
  if (name == "tirx.cuda.runtime_instr_desc") {
    return [place = integer(node->args[0]), id = integer(node->args[1]), at = point(node->span, nullptr)](
               Frame& frame, Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      auto [memory, begin] = thread.memory_at(place(frame), 4, at->span);
      auto which = static_cast<uint32_t>(id(frame));
      thread.read(*memory, begin, 4, *at);
      uint32_t bits;
      std::memcpy(&bits, begin, sizeof(bits));
      bits = (bits & ~0x60000030U) | which << 29 | which << 4;
      thread.write(*memory, begin, 4, *at);
      std::memcpy(begin, &bits, sizeof(bits));
      out->i = 0;
    };
  }
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
