// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp do together: shuffles, votes, masks.
#include <bit>

#include "backend/interp/gpu/kernel.h"
#include "backend/interp/gpu/ptx_call.h"
#include "ir/tir/op.h"

namespace mlc::interp {

namespace {

// What a lane brings to a shuffle, and takes away.
struct Exchanged {
  std::vector<Lane> values;
  Unwritten unwritten;
  int64_t source = 0;
  std::vector<Lane> result;
  Unwritten result_unwritten;
};

// The lane whose value `lane` gets: its own where the one that is asked for is beyond its segment of `width`.
int64_t source_lane(std::string_view how, int64_t lane, int64_t operand, int64_t width) {
  int64_t first = lane / width * width;
  int64_t last = first + width - 1;
  int64_t source = how == "up"     ? lane - operand
                   : how == "down" ? lane + operand
                   : how == "xor"  ? lane ^ (operand & (kWarp - 1))
                                   : first + (operand % width + width) % width;
  if (how == "xor") return source > last ? lane : source;
  return source < first || source > last ? lane : source;
}

// The same of the instruction, whose operand `c` has the lanes of a segment's number (from bit 8) and the
// last lane of a segment that is read, or of `up` the first one.
int64_t source_of_instruction(std::string_view mode, int64_t lane, int64_t operand, int64_t c) {
  int64_t segment = c >> 8 & (kWarp - 1), within = ~segment & (kWarp - 1), by = operand & (kWarp - 1);
  int64_t first = lane & segment, end = first | (c & within);
  int64_t source = mode == "up"     ? lane - by
                   : mode == "down" ? lane + by
                   : mode == "bfly" ? lane ^ by
                                    : first | (by & within);
  return (mode == "up" ? source >= end : source <= end) ? source : lane;
}

struct Vote {
  bool yes = false;
  uint32_t result = 0;
};

}  // namespace

// (mask, value, lane or distance, width, ...).
Code Compiler::shuffle(const ir::CallNode* node, SourceLane source_of) {
  int lanes = lane_count(node->dtype());
  std::string text(ir::as<ir::OpNode>(node->op)->name);
  text.replace(0, text.find('.'), "T");
  const AccessPoint* absent = &program_.points.emplace_back(AccessPoint{node->span, nullptr, true});
  const Meeting* made = meeting(node->span, text, false, [absent](std::span<Thread* const> lanes) {
    for (Thread* thread : lanes) {
      if (thread == nullptr) continue;
      auto& mine = *static_cast<Exchanged*>(thread->brought);
      const Thread* source = mine.source < kWarp ? lanes[static_cast<size_t>(mine.source)] : nullptr;
      if (source == nullptr) {  // what it gets is anything, and wrong only where it counts
        mine.result = mine.values;
        mine.result_unwritten = {absent, mine.source};
        continue;
      }
      const auto& theirs = *static_cast<const Exchanged*>(source->brought);
      mine.result = theirs.values;
      mine.result_unwritten = theirs.unwritten;
    }
  });
  return [made, mask = integer(node->args[0]), value = expr(node->args[1]), operand = integer(node->args[2]),
          width = integer(node->args[3]), lanes, source_of](Frame& frame, Lane* out) {
    Heap& heap = frame.program.heap;
    Unwritten around = std::exchange(heap.unwritten, {});
    auto lanes_in = static_cast<uint32_t>(mask(frame));
    int64_t by = operand(frame), segment = width(frame);
    heap.use(made->span);
    Exchanged mine;
    mine.values.resize(static_cast<size_t>(lanes));
    value(frame, mine.values.data());
    mine.unwritten = std::exchange(heap.unwritten, {});
    Thread& thread = *heap.thread;
    mine.source = source_of(thread.lane(), by, segment);
    thread.meet(*made, lanes_in, &mine);
    heap.unwritten = mine.result_unwritten.point != nullptr ? mine.result_unwritten : around;
    std::copy(mine.result.begin(), mine.result.end(), out);
  };
}

// The instruction of which the others are made.
Code Compiler::shuffle_registers(const PtxCall& call) {
  if (call.has("p")) unsupported(call.span(), "`T.ptx.shfl_sync` with a predicate");
  const Expr& value = call.one("a");
  auto made = ir::make<ir::CallNode>(
      value->ty, ir::op("tirx.tvm_warp_shuffle"),
      ir::Array<Expr>{call.one("membermask"), value, call.one("b"), call.one("c"), ir::int32(kWarp)},
      ir::Map<ir::String, Any>{}, call.span());
  auto source = [mode = std::string(call.modifier("mode"))](int64_t lane, int64_t operand, int64_t c) {
    return source_of_instruction(mode, lane, operand, c);
  };
  return [value = shuffle(made.get(), source), to = destination(call.one("d"), call.span())](Frame& frame,
                                                                                             Lane* out) {
    value(frame, out);
    to(frame, *out);
  };
}

// (mask, predicate): any, ballot; without a predicate the mask of those that are here.
Code Compiler::vote(const ir::CallNode* node, std::string_view how) {
  std::string text(ir::as<ir::OpNode>(node->op)->name);
  text.replace(0, text.find('.'), "T");
  const Meeting* made =
      meeting(node->span, text, false, [how = std::string(how)](std::span<Thread* const> lanes) {
        uint32_t ballot = 0;
        for (const Thread* thread : lanes)
          if (thread != nullptr && static_cast<const Vote*>(thread->brought)->yes)
            ballot |= 1U << thread->lane();
        for (Thread* thread : lanes)
          if (thread != nullptr)
            static_cast<Vote*>(thread->brought)->result = how == "any" ? ballot != 0 : ballot;
      });
  bool asks = node->args.size() == 2;
  return [made, mask = asks ? integer(node->args[0]) : nullptr,
          predicate = asks ? integer(node->args[1]) : nullptr](Frame& frame, Lane* out) {
    Vote mine{.yes = true};
    uint32_t lanes = 0;
    if (predicate) {
      lanes = static_cast<uint32_t>(mask(frame));
      mine.yes = predicate(frame) != 0;
      frame.program.heap.use(made->span);
    }
    frame.program.heap.thread->meet(*made, lanes, &mine);
    out->i = mine.result;
  };
}

Code Compiler::warp_intrinsic(const ir::CallNode* node, std::string_view name) {
  struct Row {
    std::string_view name, how;
  };
  constexpr Row shuffles[] = {
      {"tirx.tvm_warp_shuffle", "lane"},      {"tirx.tvm_warp_shuffle_up", "up"},
      {"tirx.tvm_warp_shuffle_down", "down"}, {"tirx.tvm_warp_shuffle_xor", "xor"},
      {"tirx.cuda.__shfl_sync", "lane"},      {"tirx.cuda.__shfl_up_sync", "up"},
      {"tirx.cuda.__shfl_down_sync", "down"}, {"tirx.cuda.__shfl_xor_sync", "xor"},
  };
  for (const Row& row : shuffles)
    if (name == row.name)
      return shuffle(node, [how = row.how](int64_t lane, int64_t operand, int64_t width) {
        return source_lane(how, lane, operand, std::clamp<int64_t>(width, 1, kWarp));
      });
  constexpr Row votes[] = {{"tirx.tvm_warp_activemask", "ballot"},
                           {"tirx.cuda.__activemask", "ballot"},
                           {"tirx.cuda.ballot_sync", "ballot"},
                           {"tirx.cuda.any_sync", "any"}};
  for (const Row& row : votes)
    if (name == row.name) return vote(node, row.how);
  if (name == "tirx.ptx.shfl_sync") {
    PtxCall call(node, name);
    return guarded(call, shuffle_registers(call));
  }
  if (name.starts_with("tirx.ptx.mov_")) {
    PtxCall call(node, name);
    return guarded(call, move_registers(call));
  }
  if (name == "tirx.cuda.warp_sync" || name == "tirx.ptx.bar_warp_sync") {
    const Meeting* made = meeting(node->span, "T.cuda.warp_sync", true, nullptr);
    auto mask = node->args.empty() ? [](Frame&) -> int64_t { return 0xFFFFFFFF; } : integer(node->args[0]);
    return [made, mask](Frame& frame, Lane* out) {
      frame.program.heap.thread->meet(*made, static_cast<uint32_t>(mask(frame)), nullptr);
      out->i = 0;
    };
  }
  return nullptr;
}

}  // namespace mlc::interp
