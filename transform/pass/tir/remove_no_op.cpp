// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/arith/int_set.h"
#include "transform/pass/fold_constant_branches.h"
#include "transform/pass/pass.h"
#include "transform/pass/redundant_store.h"

namespace mlc::transform::pass_remove_no_op {
namespace {

constexpr char doc[] = R"(RemoveNoOp(): drop statements without effect.

    for i in range(n):          =>
        T.evaluate(0)
    A[i] = A[i]                 =>
needs: nothing.
keeps: every effect and every name. Loops with empty bodies or without iterations, empty branches, stores of what
is there and evaluations of pure values go; regions under `pragma_debug_skip_region` too, and calls of timers where
`tirx.RemoveNoOp` says ignore_profiler_call.
Late: unrolling and simplification leave such statements behind.)";

struct Remove final : Rewriter {
  Analyzer analyzer;
  Domains loops;
  bool ignore_timers = false;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  static bool pure(const Expr& e) { return side_effect(e) <= Effect::kReadState; }
  // Asked for by `ignore_profiler_call`.
  static bool is_timer(const Expr& e) {
    return as_call_to(e, "tirx.timer_init_cuda") || as_call_to(e, "tirx.timer_start_cuda") ||
           as_call_to(e, "tirx.timer_end_cuda") || as_call_to(e, "tirx.timer_finalize_cuda");
  }
  // The least that the loop can have is no iteration, whatever the loops around it do.
  bool never_runs(const ForNode& loop) {
    IntervalSet extent = interval_of(loop.extent, loops, analyzer);
    return extent->has_upper() && analyzer.can_prove(le(extent->max_value, const_like(loop.extent, 0)));
  }
  // A call that makes a pointer or a tuple stays, whatever it does. One that makes nothing need not, unless
  // it is given memory: `tvm_load_matrix_sync` is said to read alone, and fills a fragment.
  static bool stays(const Expr& e) {
    auto* call = as<CallNode>(e);
    if (!call || !e->ty.defined() || e->ty->kind == TypeKind::kPrim) return false;
    if (e->ty->kind != TypeKind::kTuple) return true;
    if (!static_cast<const TupleTypeNode*>(e->ty.get())->elements.empty()) return true;
    return std::any_of(call->args.begin(), call->args.end(), [](const Expr& arg) {
      return arg->ty.defined() && arg->ty->kind == TypeKind::kPointer;
    });
  }
  static Stmt only_effects(const Expr& e) { return pure(e) ? no_op() : Stmt(make<EvaluateNode>(e)); }

  Stmt rewrite(const Stmt& s) override {
    if (auto* attr = as<AttrStmtNode>(s); attr && text(attr->attr_key) == "pragma_debug_skip_region")
      return no_op();
    const VarNode* around = nullptr;
    if (auto* loop = as<ForNode>(s)) {
      if (pure(loop->extent) && pure(loop->min) && never_runs(*loop)) return no_op();
      Range range = make<RangeNode>(loop->min, loop->extent);
      analyzer.bind(loop->loop_var, range);
      around = loop->loop_var.get();
      loops[around] = interval_of(range, analyzer);
    }
    Stmt next = rewrite_children(s);
    if (around) loops.erase(around);
    if (auto* loop = as<ForNode>(next)) {
      if (is_const_int(loop->extent, 0)) return no_op();
      if (is_no_op(loop->body)) return seq({only_effects(loop->min), only_effects(loop->extent)});
    } else if (auto* branch = as<IfThenElseNode>(next)) {
      if (auto one = fold_branch(branch->condition, branch->then_case, branch->else_case)) return *one;
      bool no_else = !branch->else_case || is_no_op(branch->else_case);
      if (is_no_op(branch->then_case) && no_else) return only_effects(branch->condition);
      if (is_no_op(branch->then_case))
        return make<IfThenElseNode>(logical_not(branch->condition), branch->else_case);
      if (no_else && branch->else_case) return make<IfThenElseNode>(branch->condition, branch->then_case);
    } else if (auto* attr = as<AttrStmtNode>(next)) {
      bool says_size = text(attr->attr_key) == "tirx.dyn_smem_bytes";  // of a pool, for the launch
      if (is_no_op(attr->body) && !says_size) return only_effects(attr->value);
    } else if (auto* evaluate = as<EvaluateNode>(next)) {
      if (as_call_to(evaluate->value, "tirx.assume")) return next;  // its effect is what it declares
      if (stays(evaluate->value)) return next;
      if (pure(evaluate->value) || (ignore_timers && is_timer(evaluate->value))) return no_op();
    } else if (auto* store = as<BufferStoreNode>(next)) {
      if (!stores_what_is_there(*store, analyzer)) return next;
      Array<Stmt> effects{only_effects(store->value)};
      for (const Expr& index : store->indices) effects.push_back(only_effects(index));
      return seq(effects);
    }
    return next;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  Remove remove;
  remove.ignore_timers = options.config_integer("tirx.RemoveNoOp", "ignore_profiler_call", 0) != 0;
  bind_names(fn, remove.analyzer);
  return with_body(fn, remove.rewrite(fn->body));
}

}  // namespace

extern const Pass remove_no_op{"RemoveNoOp", "tirx.transform", "RemoveNoOp()", doc, apply};

}  // namespace mlc::transform::pass_remove_no_op
