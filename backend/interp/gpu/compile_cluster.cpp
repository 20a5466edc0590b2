// SPDX-License-Identifier: Apache-2.0
// What threads do with the other blocks of their cluster: its barrier, addresses in their shared memory,
// stores there that an mbarrier counts.
#include <cstring>

#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/memory_access.h"
#include "backend/interp/gpu/ptx_call.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "barrier-of-other-block",
         .message = "{} {} {} and completes at {}, which is another block's",
         .meaning =
             "What an mbarrier counts arrives in the shared memory of the block that the mbarrier is in."},
        {.name = "no-cluster-taken-over",
         .message = "{} asks which cluster it takes over, and the answer is that none is left",
         .help = "ask first: `T.ptx.clusterlaunchcontrol.query_cancel.is_canceled.pred.b128`"},
    }};
MLC_REFUSALS(gpu_compile_cluster, refusals);

Code Compiler::cluster_barrier(const ir::CallNode* node, bool arrives, bool waits, bool relaxed,
                               bool aligned) {
  std::string text = arrives && waits ? "T.cuda.cluster_sync()" : "T.ptx.barrier.cluster.wait";
  const Barrier* made = &program_.barriers.emplace_back(Barrier{node->span, text});
  return [=, at = point(node->span, nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    if (arrives) thread.arrive_at_cluster(relaxed, aligned, *at);
    if (waits) thread.wait_for_cluster(*made, *at);
    out->i = 0;
  };
}

// A pointer, or an address in the window of shared memory: it stays what it is, unless the instruction asks
// for the other.
Code Compiler::map_address(const PtxCall& call) {
  bool in_window = !call.modifier("space").empty();
  return [to = destination(call.one("d"), call.span()), from = integer(call.one("a")),
          rank = integer(call.one("b")), in_window, span = call.span()](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t address = from(frame), which = rank(frame);
    frame.program.heap.use(span);
    if (in_window) address = thread.block.window_address(thread.memory_at(address, 0, span).second);
    to(frame, Lane{.i = thread.address_in(address, which, span)});
    out->i = 0;
  };
}

// Between a pointer and an address in the window of shared memory; of other memory they are the same here.
Code Compiler::convert_address(const PtxCall& call) {
  std::string_view space = call.modifier("space");
  call.only("space", "global local shared shared::cta shared::cluster");
  bool to_window = call.modifier("dir") == "to" && space.starts_with("shared");
  return
      [to = destination(call.one("d"), call.span()), from = integer(call.one(call.has("ptr") ? "ptr" : "a")),
       to_window, span = call.span()](Frame& frame, Lane* out) {
        const Thread& thread = *frame.program.heap.thread;
        int64_t address = from(frame);
        frame.program.heap.use(span);
        char* at = thread.memory_at(address, 0, span).second;
        to(frame, Lane{.i = to_window ? thread.block.window_address(at) : reinterpret_cast<int64_t>(at)});
        out->i = 0;
      };
}

// Does a pointer point to memory of a kind?
Code Compiler::is_in_space(const PtxCall& call) {
  call.only("space", "global local shared shared::cta shared::cluster");
  return [to = destination(call.one("p"), call.span()), from = integer(call.one("a")),
          space = std::string(call.modifier("space")), span = call.span()](Frame& frame, Lane* out) {
    const Thread& thread = *frame.program.heap.thread;
    int64_t address = from(frame);
    frame.program.heap.use(span);
    const Block& memory = *thread.memory_at(address, 0, span).first;
    bool shared = memory.scope == Block::Scope::kShared;
    bool is = space == "global"            ? memory.scope == Block::Scope::kGlobal
              : space == "local"           ? memory.scope == Block::Scope::kLocal
              : space == "shared::cluster" ? shared
                                           : shared && memory.home == thread.block.rank;
    to(frame, Lane{.i = is ? 1 : 0});
    out->i = 0;
  };
}

// `st.async` and `red.async`: words to shared memory, whose arrival the mbarrier of that block counts.
Code Compiler::store_to_cluster(const PtxCall& call, bool reduces) {
  std::string op(reduces ? call.modifier("op") : "");
  const Number* word = &number_of_ptx(call.modifier("type"), call.span());
  struct Source {
    Code value;
    const Number* number;
  };
  std::vector<Source> sources;
  for (const Expr& each : call.all(reduces ? "value" : "b"))
    sources.push_back({expr(each), &number_of(each->dtype())});
  return [address = integer(call.one("addr")), barrier = integer(call.one("mbar")), sources, op, word,
          text = call.text(), at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame), completes_at = barrier(frame);
    int64_t all = word->bytes * static_cast<int64_t>(sources.size());
    std::vector<char> image(static_cast<size_t>(all) + 8);
    for (size_t i = 0; i < sources.size(); ++i) {
      char bytes[16] = {};
      sources[i].value(frame, out);
      sources[i].number->store(bytes, *out);
      std::memcpy(image.data() + i * static_cast<size_t>(word->bytes), bytes,
                  static_cast<size_t>(word->bytes));
    }
    frame.program.heap.use(at->span);
    auto [memory, begin] = thread.memory_at(where, all, at->span);
    MBarrier& completes = thread.mbarrier_at(completes_at, *at);
    if (memory->home != completes.rank)
      throw ir::refuse(refusals["barrier-of-other-block"], thread.name(), "stores to",
                       element_text(thread.block, *memory, begin - memory->begin),
                       completes.text(thread.block))
          .at(at->span);
    if (op.empty()) {
      thread.write_by(completes.now_of_stores(), *memory, begin, all, *at);
      std::memcpy(begin, image.data(), static_cast<size_t>(all));
    } else {
      thread.check_written(*memory, begin, all, *at);
      frame.program.heap.use(at->span);
      thread.touch_by(completes.now_of_stores(), *memory, begin, all, Touch::kAtomic, *at);
      word->store(begin, reduced(op, *word, word->load(begin), word->load(image.data())));
    }
    if (Traffic* traffic = thread.block.kernel.traffic)
      traffic->access(thread, *memory, begin, all, Touch::kWrite, *at);
    completes.complete(all, thread.seen, *at);
    out->i = 0;
  };
}

namespace {

// The answer to `clusterlaunchcontrol.try_cancel`, whose form is the hardware's own.
struct TakenOver {
  uint32_t is_there;
  std::array<uint32_t, 3> first_block;
};
static_assert(sizeof(TakenOver) == 16);

}  // namespace

// Asks for the work of a cluster that has not begun; the answer comes as a copy does, to this block or to
// all.
Code Compiler::take_over_cluster(const PtxCall& call) {
  return [address = integer(call.one("addr")), barrier = integer(call.one("mbar")),
          to_all = !call.modifier("multicast").empty(),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame), completes_at = barrier(frame);
    frame.program.heap.use(at->span);
    TakenOver answer{};
    const Kernel& kernel = thread.block.kernel;
    if (std::optional<int64_t> taken = thread.block.kernel.take_over()) {
      answer.is_there = 1;
      std::array<int64_t, 3> first = kernel.block_at(*taken, 0);
      for (size_t axis = 0; axis < 3; ++axis) answer.first_block[axis] = static_cast<uint32_t>(first[axis]);
    }
    for (int rank = 0; rank < thread.block.cluster.size(); ++rank) {
      if (!to_all && rank != thread.block.rank) continue;
      auto [memory, begin] = thread.memory_at(thread.address_in(where, rank, at->span), 16, at->span);
      check_aligned(thread, *memory, begin, 16, at->span);
      MBarrier& completes = thread.mbarrier_of_copy(thread.address_in(completes_at, rank, at->span), *at);
      thread.write_by(completes.now(), *memory, begin, 16, *at);
      std::memcpy(begin, &answer, sizeof(answer));
      completes.complete(16, thread.seen, *at);
    }
    out->i = 0;
  };
}

// What an answer says: whether there is a cluster, and where its first block is.
Code Compiler::cluster_taken_over(const PtxCall& call) {
  std::string_view query = call.modifier("query");
  bool asks = query == "is_canceled";
  std::vector<std::function<void(Frame&, Lane)>> to;
  for (const Expr& each : call.all(asks ? "p" : "d")) to.push_back(destination(each, call.span()));
  size_t axis = query.ends_with("::y") ? 1 : query.ends_with("::z") ? 2 : 0;
  return [response = registers(call.all("response"), call.span())[0], to, asks, axis,
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    response(frame, out);
    auto [memory, begin] = thread.memory_at(out->i, 16, at->span);
    thread.read(*memory, begin, 16, *at);
    TakenOver answer;
    std::memcpy(&answer, begin, sizeof(answer));
    out->i = 0;
    if (asks) return to[0](frame, Lane{.i = answer.is_there});
    if (answer.is_there == 0) throw ir::refuse(refusals["no-cluster-taken-over"], thread.name()).at(at->span);
    for (size_t i = 0; i < std::min<size_t>(to.size(), 3); ++i)
      to[i](frame, Lane{.i = answer.first_block[to.size() == 1 ? axis : i]});
  };
}

Code Compiler::cluster_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.cuda.cluster_sync") return cluster_barrier(node, true, true, false, true);
  if (name == "tirx.ptx.barrier_cluster_arrive") {
    PtxCall call(node, name);
    return guarded(call, cluster_barrier(node, true, false, call.modifier("sem") == "relaxed",
                                         !call.modifier("aligned").empty()));
  }
  if (name == "tirx.ptx.barrier_cluster_wait") {
    PtxCall call(node, name);
    return guarded(call, cluster_barrier(node, false, true, false, false));
  }
  // The barrier of the first block of a pair has bit 24 of its address clear.
  if (name == "tirx.cuda.sm100_2sm_leader_smem_addr")
    return [address = integer(node->args[0])](Frame& frame, Lane* out) {
      const ThreadBlock& block = frame.program.heap.thread->block;
      out->i = block.window_address(reinterpret_cast<const char*>(address(frame))) & ~Cluster::kWindow;
    };
  if (name == "tirx.cuda.smem_addr_from_uint64")
    return
        [address = integer(node->args[0])](Frame& frame, Lane* out) { out->i = address(frame) & 0xFFFFFFFF; };
  if (name.starts_with("tirx.ptx.mapa")) {
    PtxCall call(node, name);
    return guarded(call, map_address(call));
  }
  if (name == "tirx.ptx.cvta" || name == "tirx.ptx.cvta_generic") {
    PtxCall call(node, name);
    return guarded(call, convert_address(call));
  }
  if (name == "tirx.ptx.isspacep") {
    PtxCall call(node, name);
    return guarded(call, is_in_space(call));
  }
  if (name.starts_with("tirx.ptx.getctarank")) {
    PtxCall call(node, name);
    return guarded(call, [to = destination(call.one("d"), node->span), address = integer(call.one("a")),
                          span = node->span](Frame& frame, Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      int64_t where = address(frame);
      frame.program.heap.use(span);
      auto memory = thread.memory_at(where, 1, span).first;
      to(frame, Lane{.i = memory->home < 0 ? thread.block.rank : memory->home});
      out->i = 0;
    });
  }
  if (name == "tirx.ptx.clusterlaunchcontrol_try_cancel") {
    PtxCall call(node, name);
    return guarded(call, take_over_cluster(call));
  }
  if (name.starts_with("tirx.ptx.clusterlaunchcontrol_query_cancel")) {
    PtxCall call(node, name);
    return guarded(call, cluster_taken_over(call));
  }
  bool reduces = name == "tirx.ptx.red_async";
  if (reduces || name == "tirx.ptx.st_async" || name == "tirx.ptx.st_async_vec") {
    PtxCall call(node, name);
    return guarded(call, store_to_cluster(call, reduces));
  }
  return nullptr;
}

}  // namespace mlc::interp
