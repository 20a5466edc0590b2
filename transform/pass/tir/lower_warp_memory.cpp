// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_lower_warp_memory {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "warp-memory-not-lowered", .message = "the warp memory `{}` cannot be lowered: {}"},
    }};
MLC_REFUSALS(tir_lower_warp_memory, refusals);

namespace {

constexpr char doc[] =
    R"(LowerWarpMemory(): memory of a warp becomes registers of its threads, reads of others shuffles.

    W = T.alloc_buffer((32,), scope="warp")         W = T.alloc_buffer((1,), scope="local")
    with T.launch_thread("threadIdx.x", 32) as tx:  with T.launch_thread("threadIdx.x", 32) as tx:
        W[tx] = A[tx]                           =>      W[0] = A[tx]
        B[tx] = W[(tx + 1) % 32]                        B[tx] = T.tvm_warp_shuffle(mask, W[0], (tx + 1) % 32, 32, 32)
needs: a target with `thread_warp_size`; the allocation lies outside of threadIdx.x, whose extent divides the
warp; stores are at threadIdx.x * c + rest, with one c for all stores of a buffer, and no thread stores for another.
keeps: what every thread reads.
On device functions, before LowerIntrin makes instructions of the shuffles.)";

[[noreturn]] void refuse(const Buffer& buffer, const std::string& why, Span span) {
  throw refuse(refusals["warp-memory-not-lowered"], buffer->name.c_str(), why).kind(kRefusedValue).at(span);
}

// Accesses of one buffer, lowered.
class WarpBuffer final : public Rewriter {
 public:
  WarpBuffer(const AllocBuffer& alloc, const Stmt& body, int64_t warp_size, Analyzer& analyzer)
      : buffer_(alloc->buffer), warp_size_(warp_size), analyzer_(analyzer) {
    find_threads(body, alloc->span);
    find_factor(body, alloc->span);
    int64_t size = 1;
    for (const Expr& dim : buffer_->buffer()->shape) {
      auto known = const_int(dim);
      if (!known) refuse(buffer_, "its size is not constant", alloc->span);
      size *= *known;
    }
    int64_t row = width_ * factor_;
    rows_ = (size + row - 1) / row;
    local_ = with_type(buffer_, with(type_of(buffer_), [&](BufferTypeNode& n) {
                         n.storage_scope = "local";
                         n.shape = {int32(rows_ * factor_)};
                       }));
  }
  const Buffer& local() const { return local_; }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (e.same_as(buffer_)) refuse(buffer_, "its address is taken", e->span);
    auto* load = as<TensorLoadNode>(e);
    if (!load || !load->source.same_as(buffer_)) return rewrite_children(e);
    auto [index, thread] = split(rewrite(load->indices)[0], e->span);
    if (uses_var(index, [&](const VarNode* var) { return var == thread_.get(); })) {
      refuse(buffer_, "the place of a read within its thread depends on threadIdx.x", e->span);
    }
    Expr value = make<TensorLoadNode>(local_, Array<Expr>{index}, e->span);
    if (analyzer_.can_prove_equal(thread, thread_)) return value;
    Expr mask = call_op(DataType::UInt(32), "tirx.tvm_warp_activemask", {});
    return call_op(e->dtype(), "tirx.tvm_warp_shuffle",
                   {mask, value, thread, int32(width_), int32(warp_size_)});
  }
  Stmt rewrite(const Stmt& s) override {
    auto* store = as<BufferStoreNode>(s);
    if (!store || !store->buffer.same_as(buffer_)) return rewrite_children(s);
    auto [index, thread] = split(rewrite(store->indices)[0], s->span);
    if (!analyzer_.can_prove_equal(thread, thread_))
      refuse(buffer_, "a thread may store for another one", s->span);
    return make<BufferStoreNode>(local_, rewrite(store->value), Array<Expr>{index}, s->span);
  }

 private:
  Buffer buffer_;
  Buffer local_;
  int64_t warp_size_;
  Analyzer& analyzer_;
  Var thread_;
  int64_t width_ = 0;   // extent of threadIdx.x
  int64_t factor_ = 0;  // of threadIdx.x in the indices of stores
  int64_t rows_ = 0;    // how many rows of all threads' elements there are

  void find_threads(const Stmt& body, Span span) {
    post_order(body, nullptr, [&](const Stmt& s) {
      IterVar thread = launched_thread(s);
      if (!thread || text(thread->thread_tag) != "threadIdx.x") return;
      auto extent = const_int(as<AttrStmtNode>(s)->value);
      if (!extent || *extent <= 0 || *extent > warp_size_ || warp_size_ % *extent != 0)
        refuse(buffer_, fmt::format("the extent of threadIdx.x does not divide a warp of {}", warp_size_),
               s->span);
      if (thread_ && !thread_.same_as(thread->var))
        refuse(buffer_, "there are two variables for threadIdx.x; UnifyThreadBinding makes them one",
               s->span);
      thread_ = thread->var;
      width_ = *extent;
    });
    if (!thread_) refuse(buffer_, "there is no warp index: threadIdx.x is not bound within its scope", span);
  }

  void find_factor(const Stmt& body, Span span) {
    post_order(body, nullptr, [&](const Stmt& s) {
      auto* store = as<BufferStoreNode>(s);
      if (!store || !store->buffer.same_as(buffer_)) return;
      if (store->indices.size() != 1) refuse(buffer_, "it has more than one dimension", s->span);
      Expr index = store->indices[0];
      if (auto* ramp = as<RampNode>(index)) {
        if (!is_const_int(ramp->stride, 1)) refuse(buffer_, "a vector is stored with gaps", s->span);
        index = ramp->base;
      }
      Expr next = substitute(index, VarMap{{thread_.get(), thread_ + 1}});
      auto factor = const_int(analyzer_.simplify(next - index));
      if (!factor || *factor <= 0)
        refuse(buffer_, "a store's index is no multiple of threadIdx.x plus a rest", s->span);
      if (factor_ != 0 && factor_ != *factor)
        refuse(buffer_, "its stores have different factors of threadIdx.x", s->span);
      factor_ = *factor;
    });
    if (factor_ == 0) refuse(buffer_, "nothing is stored in it", span);
  }

  // (x % c) // f is (x // f) % (c // f) where f divides c, which may follow from bounds.
  Expr divided(const Expr& e) {
    auto* modulo = e->kind == ExprKind::kFloorMod ? as_binary(e) : nullptr;
    auto period = modulo ? const_int(modulo->b) : std::nullopt;
    Expr factor = const_like(e, factor_);
    if (factor_ == 1 || !period || *period % factor_ != 0)
      return analyzer_.canonical_simplify(floordiv(e, factor));
    Expr quotient = analyzer_.simplify(floordiv(modulo->a, factor));
    return analyzer_.simplify(floormod(quotient, const_like(e, *period / factor_)));
  }

  // The index within a thread's registers, and the thread.
  std::pair<Expr, Expr> split(const Expr& index, Span span) {
    if (!index->dtype().is_scalar()) {
      auto* ramp = as<RampNode>(index);
      if (!ramp || !is_const_int(ramp->stride, 1)) refuse(buffer_, "a vector is accessed with gaps", span);
      Expr within = analyzer_.canonical_simplify(floormod(ramp->base, const_like(ramp->base, factor_)));
      auto lanes = const_int(ramp->lanes);
      if (!lanes || !analyzer_.can_prove(le(within, const_like(within, factor_ - *lanes))))
        refuse(buffer_, "a vector may reach into the elements of another thread", span);
      auto [local, thread] = split(ramp->base, span);
      return {make<RampNode>(local, const_like(local, 1), ramp->lanes), thread};
    }
    Expr factor = const_like(index, factor_);
    Expr within = analyzer_.canonical_simplify(floormod(index, factor));
    if (rows_ == 1) return {within, divided(index)};
    Expr row = const_like(index, factor_ * width_);
    Expr local = analyzer_.canonical_simplify(truncdiv(index, row) * factor + within);
    return {local, divided(floormod(index, row))};
  }
};

Stmt lowered(const Stmt& body, int64_t warp_size) {
  Analyzer analyzer;
  post_order(body, nullptr, [&](const Stmt& s) {
    if (auto* loop = as<ForNode>(s)) analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    IterVar thread = launched_thread(s);
    if (!thread) return;
    const Expr& extent = as<AttrStmtNode>(s)->value;
    analyzer.bind(thread->var, make<RangeNode>(const_like(extent, 0), extent));
  });
  return rewrite_with(body, [&](const Stmt& s, Rewriter& on) {
    auto* sequence = as<SeqStmtNode>(s);
    if (!sequence) return on.rewrite_children(s);
    Array<Stmt> done;
    for (size_t i = 0; i < sequence->seq.size(); ++i) {
      const Stmt& one = sequence->seq[i];
      auto* alloc = as<AllocBufferNode>(one);
      if (!alloc || text(alloc->buffer->buffer()->storage_scope) != "warp") {
        done.push_back(on.rewrite(one));
        continue;
      }
      Array<Stmt> after(sequence->seq.begin() + static_cast<int64_t>(i) + 1, sequence->seq.end());
      Stmt rest = seq(after, s->span);
      WarpBuffer buffer(ref(alloc), rest, warp_size, analyzer);
      done.push_back(with(ref(alloc), [&](AllocBufferNode& n) { n.buffer = buffer.local(); }));
      done.push_back(on.rewrite(buffer.rewrite(rest)));
      break;
    }
    return seq(done, s->span);
  });
}

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  int64_t warp_size = target_attr<int64_t>(target_of(fn, "LowerWarpMemory"), "thread_warp_size", 1);
  if (warp_size == 1) return fn;
  return with_body(fn, lowered(fn->body, warp_size));
}

}  // namespace

extern const Pass lower_warp_memory{"LowerWarpMemory", "tirx.transform", "LowerWarpMemory()", doc, apply};

}  // namespace mlc::transform::pass_lower_warp_memory
