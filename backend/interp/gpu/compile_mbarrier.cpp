// SPDX-License-Identifier: Apache-2.0
// Instructions on mbarriers.
#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/ptx_call.h"
#include "ir/tir/op.h"

namespace mlc::interp {

Code Compiler::mbarrier_wait(const ir::CallNode* node) {
  return [address = integer(node->args[0]), parity = integer(node->args[1]), at = point(node->span, nullptr)](
             Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame), which = parity(frame);
    frame.program.heap.use(at->span);
    thread.wait_for(thread.own_mbarrier_at(where, "waits at", *at), which, true, false, *at);
    out->i = 0;
  };
}

// Parity of a phase, or the state that an arrival gave: the number of its phase.
Code Compiler::mbarrier_try(const PtxCall& call) {
  bool parity = call.modifier("parity") == "parity";
  call.only("phase_type", "phase_type::primary");
  if (call.has("report_predicate")) unsupported(call.span(), "reports of copies at mbarriers");
  return [address = integer(call.one("addr")),
          phase = integer(call.one(parity || !call.has("state") ? "phase" : "state")),
          done = destination(call.one("wait_complete"), call.span()),
          relaxed = call.modifier("sem") == "relaxed",
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame), which = phase(frame);
    frame.program.heap.use(at->span);
    bool ended = thread.wait_for(thread.own_mbarrier_at(where, "waits at", *at), which, false, relaxed, *at);
    done(frame, Lane{.i = ended ? 1 : 0});
    out->i = 0;
  };
}

Code Compiler::mbarrier_init(const PtxCall& call) {
  call.only("layout", "layout::v0");
  return [address = integer(call.one("addr")), count = integer(call.one("count")),
          at = point(call.span(), nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address(frame), arrivals = count(frame);
    frame.program.heap.use(at->span);
    auto [memory, begin] = thread.memory_at(where, 8, at->span);
    thread.block.init_mbarrier(thread, *memory, begin, arrivals, *at);
    out->i = 0;
  };
}

namespace {

// The barriers that an instruction names: one, or those of the same place in the blocks of a mask. Only where
// it is spelled with the shared memory of the cluster may it be another block's.
class Barriers {
 public:
  Barriers(const PtxCall& call, std::function<int64_t(Frame&)> address, std::function<int64_t(Frame&)> mask)
      : address_(std::move(address)),
        mask_(std::move(mask)),
        only_own_(call.modifier("space") != "shared::cluster") {}

  template <class F>
  void each(Frame& frame, std::string_view what, const AccessPoint& at, F&& f) const {
    Thread& thread = *frame.program.heap.thread;
    int64_t where = address_(frame), blocks = mask_ ? mask_(frame) : 0;
    frame.program.heap.use(at.span);
    if (mask_) {
      for (int rank : ranks_of_mask(thread, blocks, at.span))
        f(thread, thread.mbarrier_at(thread.address_in(where, rank, at.span), at));
    } else {
      f(thread, only_own_ ? thread.own_mbarrier_at(where, what, at) : thread.mbarrier_at(where, at));
    }
  }

 private:
  std::function<int64_t(Frame&)> address_, mask_;
  bool only_own_;
};

}  // namespace

Code Compiler::mbarrier_arrive(const PtxCall& call) {
  bool expects = !call.modifier("expect_tx").empty();
  bool drops = call.modifier("action") == "arrive_drop";
  bool keeps = !call.modifier("nocomplete").empty();
  bool relaxed = call.modifier("sem") == "relaxed";
  using Integer = std::function<int64_t(Frame&)>;
  Integer one = [](Frame&) -> int64_t { return 1; };
  Integer bytes = expects ? integer(call.one(call.has("tx_count") ? "tx_count" : "count")) : Integer();
  Integer count = !expects && call.has("count") ? integer(call.one("count")) : one;
  auto state = destination(call.has("state") ? call.one("state") : Expr(), call.span());
  Barriers barriers(call, integer(call.one("addr")),
                    call.has("cta_mask") ? integer(call.one("cta_mask")) : Integer());
  return [barriers, bytes, count, drops, keeps, relaxed, state, at = point(call.span(), nullptr)](
             Frame& frame, Lane* out) {
    int64_t arrivals = count(frame), announced = bytes ? bytes(frame) : 0;
    Lane phase{.i = 0};
    barriers.each(frame, "arrives at", *at, [&](Thread& thread, MBarrier& barrier) {
      if (keeps && arrivals >= barrier.pending)
        unsupported(at->span, "an arrival with `noComplete` that ends a phase");
      barrier.announce(announced);
      if (drops && arrivals <= barrier.pending) barrier.drop(arrivals);
      phase.i = barrier.phase;
      barrier.arrive(thread, arrivals, relaxed, *at);
    });
    state(frame, phase);
    out->i = 0;
  };
}

Code Compiler::mbarrier_bytes(const PtxCall& call) {
  bool expects = call.modifier("action") == "expect_tx";
  using Integer = std::function<int64_t(Frame&)>;
  Barriers barriers(call, integer(call.one("addr")),
                    call.has("cta_mask") ? integer(call.one("cta_mask")) : Integer());
  return [barriers, bytes = integer(call.one("tx_count")), expects, at = point(call.span(), nullptr)](
             Frame& frame, Lane* out) {
    int64_t count = bytes(frame);
    barriers.each(frame, expects ? "announces bytes at" : "completes bytes at", *at,
                  [&](Thread& thread, MBarrier& barrier) {
                    if (expects) {
                      barrier.announce(count);
                    } else {
                      barrier.complete(count, thread.seen, *at);
                    }
                  });
    out->i = 0;
  };
}

Code Compiler::mbarrier_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.cuda.mbarrier_wait" || name == "tirx.cuda.mbarrier_wait_acquire_cluster")
    return mbarrier_wait(node);
  if (name == "tirx.ptx.cp_async_mbarrier_arrive") {
    PtxCall call(node, name);
    bool counts = !call.modifier("noinc").empty();
    return guarded(call, [address = integer(call.one("addr")), counts, at = point(node->span, nullptr)](
                             Frame& frame, Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      thread.arrive_copies(thread.mbarrier_at(address(frame), *at), counts, *at);
      out->i = 0;
    });
  }
  if (!name.starts_with("tirx.ptx.mbarrier_")) return nullptr;
  PtxCall call(node, name);
  std::string_view action = call.modifier("action");
  if (action == "init") return guarded(call, mbarrier_init(call));
  if (action == "arrive" || action == "arrive_drop") return guarded(call, mbarrier_arrive(call));
  if (action == "expect_tx" || action == "complete_tx") return guarded(call, mbarrier_bytes(call));
  if (action == "try_wait" || action == "test_wait") return guarded(call, mbarrier_try(call));
  if (action == "inval") {
    return guarded(call, [address = integer(call.one("addr")), at = point(node->span, nullptr)](Frame& frame,
                                                                                                Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      int64_t where = address(frame);
      thread.own_mbarrier_at(where, "invalidates", *at).valid = false;
      out->i = 0;
    });
  }
  unsupported(node->span, fmt::format("`{}`", call.text()));
}

}  // namespace mlc::interp
