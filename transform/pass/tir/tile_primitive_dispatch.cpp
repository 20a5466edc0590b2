// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/registry/host.h"
#include "transform/pass/active_threads.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_tile_primitive_dispatch {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "threads-of-no-scope",
         .message = "the warps that come here are parts of several warp groups",
         .help = "let whole groups in, or warps of one"},
        {.name = "no-schedule-body",
         .message = "the schedule of `{}` returns no function without parameters",
         .help = "return a `T.prim_func` that takes nothing"},
        {.name = "no-definition",
         .message =
             "a schedule adds statements behind the definition of `{}`, which this kernel does not define",
         .help = "allocate the buffer in the kernel"},
        {.name = "endless-schedule",
         .message = "what the schedule of `{}` returns has tile primitives {} levels deep",
         .help = "return loops and instructions, or primitives of smaller parts"},
        {.name = "ids-without-scopes",
         .message = "ids of threads by scope have no meaning for the target `{}`",
         .help = "bind loops to threads, or build for CUDA"},
        {.name = "no-current-target",
         .message = "no target is current",
         .help = "run BindTarget first",
         .meaning = "Outside of a `with` no target is the current one.",
         .wrong = "tvm.target.Target.current(allow_none=False)",
         .right = R"(with tvm.target.Target("llvm"):
    tvm.target.Target.current(allow_none=False))"},
    }};
MLC_REFUSALS(tir_tile_primitive_dispatch, refusals);

namespace {

constexpr char doc[] =
    R"(TilePrimitiveDispatch(): tile primitives become loops and instructions of threads, ids coordinates.

    T.device_entry()                        blockIdx_x = T.launch_thread("blockIdx.x", 4)
    bx = T.cta_id([4])                      threadIdx_x = T.launch_thread("threadIdx.x", 128)
    t = T.thread_id([128])          =>      bx: T.let = blockIdx_x
    T.cta.copy(S, A)                        t: T.let = threadIdx_x
                                            for f in range(4):
                                                a part of the copy, by each thread
needs: a target, of the function or around the call; no blocks; for kernels with ids, CUDA, for those without, Trainium too;
a schedule for each primitive.
keeps: every other statement, in order. Extents that are left out are those that the others leave.
The first part of LowerTIRx: what is above this knows scopes, what is below knows threads. Schedules are script functions
under `@register_dispatch`; the first that takes a call, by priority, says what becomes of it.)";

// The statements after `T.device_entry()` are its body.
const AttrStmtNode* device_entry(const Stmt& s) {
  auto* attr = as<AttrStmtNode>(s);
  return attr && text(attr->attr_key) == "tirx.device_entry" ? attr : nullptr;
}

bool has_scope_ids(const Stmt& body) {
  return any_below(body, [](const Stmt& s) { return s->kind == StmtKind::kScopeIdDefStmt; });
}

// The primitives of one kernel, or those of a function that are outside of its kernels.
class Dispatch final : public Rewriter {
 public:
  Dispatch(const Target& target, Host& host) : target_(target), host_(host), outside_(true) {}
  Dispatch(const ScopeIds& ids, const Dispatch& around)
      : target_(around.target_),
        host_(around.host_),
        outside_(false),
        active_(ActiveThreads::all(ids)),
        ranges_(around.ranges_) {
    for (const IterVar& thread : ids.launched()) launch_params_.Set(thread->thread_tag, thread);
    launch_params_.Set(ids.warp()->thread_tag, ids.warp());
  }

  // The body, its primitives lowered, with what schedules want behind the definitions of buffers.
  Stmt lowered(const Stmt& body) {
    Stmt done = rewrite(body);
    done = around(done, {at_begin_.rbegin(), at_begin_.rend()});
    if (!buffers_.empty()) {
      buffers_.push_back(done);
      done = seq(buffers_);
    }
    if (behind_.empty()) return done;
    done = rewrite_with(done, [&](const Stmt& s, Rewriter& on) -> Stmt {
      const VarNode* defined = nullptr;
      if (auto* alloc = as<AllocBufferNode>(s)) defined = alloc->buffer.get();
      if (auto* decl = as<DeclBufferNode>(s)) defined = decl->buffer.get();
      auto wanted = behind_.find(defined);
      if (wanted == behind_.end()) return on.rewrite_children(s);
      Array<Stmt> all{s};
      for (const Stmt& one : wanted->second) all.push_back(one);
      behind_.erase(wanted);
      return seq(all);
    });
    if (!behind_.empty())
      throw refuse(refusals["no-definition"], behind_.begin()->first->name.c_str()).at(body->span);
    return done;
  }
  // The launch of the kernel, with what schedules want on the host before it.
  Stmt launched(const Stmt& launch) const { return around(launch, on_host_); }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* call = as<TilePrimitiveCallNode>(s)) return dispatched(*call);
    if (s->kind == StmtKind::kSBlockRealize) {
      throw refuse_as(pass_refusals["block-not-lowered"], "the function has blocks")
          .kind("InternalError")
          .at(s->span)
          .help("lower it with the passes of s_tir: it has no layouts");
    }
    if (const AttrStmtNode* entry = outside_ ? device_entry(s) : nullptr) return kernel(*entry);
    if (auto* ids = as<ScopeIdDefStmtNode>(s)) {
      for (const Var& id : ids->def->def_ids)
        bindings_[id.get()] = static_cast<ScopeBinding>(ids->def->scope);
    }
    if (auto* loop = as<ForNode>(s)) {
      Map<Var, Any> outside = ranges_;
      ranges_.Set(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
      Stmt done = rewrite_children(s);
      ranges_ = outside;
      return done;
    }
    auto* branch = as<IfThenElseNode>(s);
    if (!branch || !active_) return rewrite_children(s);
    return updated(branch, [&](IfThenElseNode& n) {
      std::optional<ActiveThreads> outside = active_;
      active_ = active_->where(branch->condition, bindings_);
      n.then_case = rewrite(branch->then_case);
      active_ = outside;
      if (branch->else_case) n.else_case = rewrite(branch->else_case);
    });
  }

 private:
  const Target& target_;
  Host& host_;
  bool outside_;                         // of kernels
  std::optional<ActiveThreads> active_;  // nothing where the number of threads is no constant
  Map<String, Any> launch_params_;
  std::unordered_map<const VarNode*, ScopeBinding> bindings_;
  static constexpr int kMostDepth = 16;  // of primitives in schedules of primitives
  int depth_ = 0;
  Any cache_;  // what schedules of this kernel keep for each other
  std::unordered_map<const VarNode*, std::vector<Stmt>> behind_;
  std::vector<Stmt> on_host_, at_begin_;
  Array<Stmt> buffers_;   // that schedules allocate
  Map<Var, Any> ranges_;  // of the loops around

  // What stands at the begin encloses the rest. On the host the last one is the first, on the device the
  // first.
  static Stmt around(Stmt rest, const std::vector<Stmt>& begins) {
    for (const Stmt& begin : begins) {
      rest = rewrite_with(begin, [&](const Stmt& s, Rewriter& on) -> Stmt {
        auto* point = as<EvaluateNode>(s);
        return point && as_call_to(point->value, "tirx.tvm_kernel_replace_point") ? rest
                                                                                  : on.rewrite_children(s);
      });
    }
    return rest;
  }

  Stmt kernel(const AttrStmtNode& entry) {
    if (text(target_->kind) == "trn") {  // a kernel is one thread
      if (has_scope_ids(entry.body)) throw refuse(refusals["ids-without-scopes"], "trn").at(entry.span);
      Dispatch dispatch(target_, host_);
      dispatch.ranges_ = ranges_;
      return dispatch.launched(dispatch.lowered(entry.body));
    }
    ScopeIds ids(entry.body);
    Dispatch dispatch(ids, *this);
    Stmt lowered = dispatch.lowered(entry.body);
    if (text(target_->kind) != "cuda")
      throw refuse(refusals["ids-without-scopes"], target_->kind.c_str()).at(entry.span);
    ids.learn_from(lowered);
    return dispatch.launched(ids.launch(lowered));
  }

  Stmt dispatched(const TilePrimitiveCallNode& call) {
    ActiveThreads::Split split;
    if (active_) {
      auto parts = active_->split(static_cast<ScopeKind>(call.scope->scope_kind));
      if (!parts) throw refuse(refusals["threads-of-no-scope"]).at(call.span);
      split = *parts;
    }
    const Any args[] = {ref(&call), target_, launch_params_, split.inter, split.intra, cache_, ranges_};
    // [function, what is kept, where, statement, where, statement, ...]; where: behind the definition of a
    // buffer, or "host", or "device"; after "buffer" comes one to allocate
    auto result = host_.call_library("tvm.tirx.operator.tile_primitive.dispatcher", "lower_call", args)
                      .cast<Array<Any>>();
    cache_ = result[1];
    for (int64_t i = 2; i + 1 < static_cast<int64_t>(result.size()); i += 2) {
      auto where = result[i].try_cast<String>();
      if (where && *where == "buffer") {
        buffers_.push_back(make<AllocBufferNode>(result[i + 1].cast<Var>()));
        continue;
      }
      Stmt added = result[i + 1].cast<Stmt>();
      if (where)
        (*where == "host" ? on_host_ : at_begin_).push_back(added);
      else
        behind_[result[i].cast<Var>().get()].push_back(added);
    }
    auto fn = result[0].as<PrimFunc>();
    if (!fn || !(*fn)->params.empty())
      throw refuse(refusals["no-schedule-body"], call.op->name.c_str()).at(call.span);
    if (++depth_ > kMostDepth)
      throw refuse(refusals["endless-schedule"], call.op->name.c_str(), kMostDepth).at(call.span);
    Stmt body = rewrite((*fn)->body);
    --depth_;
    return body;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  std::optional<Target> target = target_around(fn);
  if (!target) throw refuse(refusals["no-current-target"]).at(fn->span);
  Dispatch outside(*target, *options.host);
  return with_body(fn, outside.launched(outside.lowered(fn->body)));
}

}  // namespace

extern const Pass tile_primitive_dispatch{"TilePrimitiveDispatch", "tirx.transform",
                                          "TilePrimitiveDispatch()", doc, apply};

}  // namespace mlc::transform::pass_tile_primitive_dispatch
