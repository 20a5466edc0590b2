// SPDX-License-Identifier: Apache-2.0
// wgmma: products of 64 rows by a group of four warps. Warp w has rows 16 w and on of A and of the result in
// its registers, so each of them is simulated for itself: it reads its rows of A, and all of B.
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
        {.name = "warp-group-not-whole",
         .message = "`wgmma` is work of four warps, and the group of {} has {} threads",
         .meaning = "The threads of a block make groups of 128, which execute `wgmma` together."},
        {.name = "wgmma-fence-missing",
         .message = "{} has stored to a register of this `wgmma`, and no `wgmma.fence` stands between",
         .help =
             "`T.ptx.wgmma.fence.sync.aligned()` in front of the first product that uses what was stored"},
    }};
MLC_REFUSALS(gpu_compile_wgmma, refusals);

namespace {

constexpr int kRows = 16;  // of a warp
constexpr int kGroup = 4 * kWarp;

// What one instruction is, beside its operands.
struct Product {
  std::array<int, 3> shape;
  const Number *in_a, *in_b, *accumulator;
  bool as_tf32, half;  // half: two results in a register
  bool from_registers;
  bool turned_a, turned_b;
  bool negates;
  size_t results;  // registers of results
  const AccessPoint* at;
};

// The registers of results of one lane, and where each value lies in 16 rows.
struct Registers {
  Thread& thread;
  const Product& product;
  Epoch epoch;
  std::vector<std::pair<std::shared_ptr<Block>, char*>> at = {};

  Registers(Thread& thread, const Product& product, const Epoch& epoch, const std::vector<Lane>& operands)
      : thread(thread), product(product), epoch(epoch) {
    std::shared_ptr<Block> last;
    for (size_t r = 0; r < product.results; ++r) {
      auto* to = reinterpret_cast<char*>(operands[r].i);
      if (!last || to < last->begin || to + 4 > last->end)
        last = thread.memory_at(operands[r].i, 4, product.at->span).first;
      if (thread.registers_stored.contains(to))
        throw ir::refuse(refusals["wgmma-fence-missing"], thread.name()).at(product.at->span);
      at.emplace_back(last, to);
    }
  }
  // Does an instruction of this warp's still write it? Then it is in the pipeline in front of this one.
  bool is_own(const Block& memory, const char* begin) const {
    return std::any_of(thread.busy.begin(), thread.busy.end(), [&](const BusyRegisters& each) {
      return each.until.agent == epoch.agent && each.memory.get() == &memory && each.begin <= begin &&
             begin < each.begin + each.bytes;
    });
  }
  // Calls f(place in the register, row, column).
  template <class F>
  void each_value(F&& f) const {
    int lane = thread.lane();
    for (size_t r = 0; r < at.size(); ++r) {
      auto number = static_cast<int>(r);
      int eight = product.half ? number / 2 : number / 4;
      int row = lane / 4 + 8 * (product.half ? number % 2 : number / 2 % 2), col = eight * 8 + lane % 4 * 2;
      if (product.half) {
        f(at[r].second, row, col);
        f(at[r].second + 2, row, col + 1);
      } else {
        f(at[r].second, row, col + number % 2);
      }
    }
  }
  void load(Lane* values) const {
    for (const auto& [memory, begin] : at) {
      if (is_own(*memory, begin)) continue;
      thread.check_written(*memory, begin, 4, *product.at);
      thread.block.kernel.program.heap.use(product.at->span);
    }
    int n = product.shape[1];
    each_value(
        [&](const char* from, int row, int col) { values[row * n + col] = product.accumulator->load(from); });
  }
  void store(const Lane* values) const {
    int n = product.shape[1];
    each_value([&](char* to, int row, int col) { product.accumulator->store(to, values[row * n + col]); });
    for (const auto& [memory, begin] : at) thread.occupy(memory, begin, 4, epoch, *product.at);
  }
};

void multiply(std::span<Thread* const> lanes, const Product& product) {
  Thread& first = *lanes[0];
  auto of_group = std::min<int64_t>(first.block.kernel.threads() - first.index / kGroup * kGroup, kGroup);
  if (of_group != kGroup)
    throw ir::refuse(refusals["warp-group-not-whole"], first.name(), of_group).at(product.at->span);
  auto [m, n, k] = product.shape;
  Epoch epoch{first.agent(AgentKind::kWarpGroup), first.wgmma_group};
  std::vector<Lane> a(static_cast<size_t>(kRows * k)), b(static_cast<size_t>(n * k)),
      c(static_cast<size_t>(kRows * n));
  const std::vector<Lane>& operands = operands_of(first);
  size_t of_a = product.results, of_b = of_a + (product.from_registers ? 4 : 1), of_scale = of_b + 1;
  if (product.from_registers) {
    int word = 4 / product.in_a->bytes;
    for (const Thread* thread : lanes) {
      const std::vector<Lane>& values = operands_of(*thread);
      for (int i = 0; i < 4 * word; ++i) {
        auto bits = static_cast<uint32_t>(values[of_a + static_cast<size_t>(i / word)].i);
        char bytes[4];
        std::memcpy(bytes, &bits, 4);
        int row = thread->lane() / 4 + 8 * (i / word % 2),
            col = thread->lane() % 4 * word + i % word + i / word / 2 * 4 * word;
        a[static_cast<size_t>(row * k + col)] = product.in_a->load(bytes + i % word * product.in_a->bytes);
      }
    }
  } else {
    load_matrix(first, epoch, wgmma_descriptor(operands[of_a].i, product.at->span).in(first.block),
                first.warp() % 4 * kRows, kRows, k, ElementFormat::of(*product.in_a), product.turned_a,
                *product.at, a.data());
  }
  load_matrix(first, epoch, wgmma_descriptor(operands[of_b].i, product.at->span).in(first.block), 0, n, k,
              ElementFormat::of(*product.in_b), product.turned_b, *product.at, b.data());
  std::vector<Lane> turned = transposed(b, n, k, product.negates);
  std::vector<Registers> registers;
  registers.reserve(lanes.size());
  for (Thread* thread : lanes) registers.emplace_back(*thread, product, epoch, operands_of(*thread));
  bool adds = operands[of_scale].i != 0;
  for (const Registers& each : registers)
    if (adds) each.load(c.data());
  if (!adds) std::fill(c.begin(), c.end(), product.accumulator->floating ? Lane{.f = 0} : Lane{.i = 0});
  multiply_matrices(*product.in_a, *product.accumulator, product.as_tf32, {kRows, n, k}, a.data(),
                    turned.data(), c.data(), c.data());
  for (const Registers& each : registers) each.store(c.data());
  if (Traffic* traffic = first.block.kernel.traffic) traffic->tensor_flops(2.0 * kRows * n * k);
}

}  // namespace

Code Compiler::wgmma_multiply(const PtxCall& call) {
  call.without("bitop");
  call.without("satfinite");
  Product product{};
  product.shape = matrix_shape(call.modifier("shape"));
  product.in_a = &number_of(matrix_type(call.modifier("atype"), call.span()));
  product.in_b = &number_of(matrix_type(call.modifier("btype"), call.span()));
  product.accumulator = &number_of(matrix_type(call.modifier("dtype"), call.span()));
  product.as_tf32 = call.modifier("atype") == "tf32";
  product.half = call.modifier("dtype") == "f16";
  product.from_registers = call.all("a").size() == 4;
  product.turned_a = call.has("trans_a") && call.constant("trans_a") == 1;
  product.turned_b = call.has("trans_b") && call.constant("trans_b") == 1;
  for (const char* scale : {"scale_a", "scale_b"})
    if (call.has(scale) && call.constant(scale) < 0) product.negates = !product.negates;
  product.results = call.all("d").size();
  product.at = point(call.span(), nullptr);
  std::vector<Code> operands = registers(call.all("d"), call.span());
  if (product.from_registers) {
    for (const Expr& each : call.all("a")) operands.push_back(expr(each));
  } else {
    operands.push_back(expr(call.one("a_desc")));
  }
  operands.push_back(expr(call.one("b_desc")));
  operands.push_back(expr(call.one("scale_d")));
  return together(call.node(), std::move(operands),
                  [product](std::span<Thread* const> lanes) { multiply(lanes, product); });
}

Code Compiler::wgmma_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.cuda.wgmma_encode_matrix_descriptor" ||
      name == "tirx.cuda.tcgen05_encode_matrix_descriptor") {
    bool wgmma = name.find("wgmma") != name.npos;
    return [to = expr(node->args[0]), matrix = integer(node->args[1]), leading = integer(node->args[2]),
            stride = integer(node->args[3]), swizzle = integer(node->args[4]), wgmma,
            at = point(node->span, nullptr)](Frame& frame, Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      to(frame, out);
      auto start = static_cast<uint64_t>(thread.block.window_address(reinterpret_cast<char*>(matrix(frame))));
      auto field = [&](int64_t value, int place) {
        return (static_cast<uint64_t>(value) & 0x3FFFU) << place;
      };
      auto mode = static_cast<uint64_t>(swizzle(frame));
      uint64_t bits =
          field(static_cast<int64_t>(start >> 4), 0) | field(leading(frame), 16) | field(stride(frame), 32);
      if (wgmma) {
        bits |= (4 - mode & 3U) << 62;
      } else {
        bits |= uint64_t{1} << 46 | (mode == 0 ? 0 : mode == 4 ? 1 : 8 - 2 * mode) << 61;
      }
      frame.program.heap.use(at->span);
      auto [memory, begin] = thread.memory_at(out->i, 8, at->span);
      thread.write(*memory, begin, 8, *at);
      std::memcpy(begin, &bits, sizeof(bits));
      out->i = 0;
    };
  }
  if (name == "tirx.cuda.wgmma_noop_barrier") return [](Frame&, Lane* out) { out->i = 0; };
  if (!name.starts_with("tirx.ptx.wgmma_")) return nullptr;
  program_.has_wgmma = true;
  PtxCall call(node, name);
  std::string_view action = call.modifier("action");
  if (action == "mma_async") return wgmma_multiply(call);
  if (action == "fence")
    return [](Frame& frame, Lane* out) {
      frame.program.heap.thread->registers_stored.clear();
      out->i = 0;
    };
  if (action == "commit_group")
    return [](Frame& frame, Lane* out) {
      ++frame.program.heap.thread->wgmma_group;
      out->i = 0;
    };
  return [left = static_cast<uint32_t>(call.constant("group"))](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    uint32_t committed = thread.wgmma_group - 1;
    if (committed > left) {
      Epoch done{thread.agent(AgentKind::kWarpGroup), committed - left};
      thread.see(done);
      thread.release_registers(done);
    }
    out->i = 0;
  };
}

}  // namespace mlc::interp
