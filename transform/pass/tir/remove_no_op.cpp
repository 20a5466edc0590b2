// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"
#include "transform/pass/pass.h"
#include "transform/pass/unchanged_store.h"

namespace mlc::transform {
namespace {

constexpr char doc[] = R"(RemoveNoOp(): drop statements without effect.

    for i in range(n):          =>
        T.evaluate(0)
    A[i] = A[i]                 =>
needs: nothing.
keeps: every effect and every name. Loops with empty bodies or without iterations, empty branches, stores of what
is there and evaluations of pure values go.
Late: unrolling and simplification leave such statements behind.)";

struct Remove final : Rewriter {
  Analyzer analyzer;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  static bool pure(const Expr& e) { return side_effect(e) <= Effect::kReadState; }
  static Stmt only_effects(const Expr& e) { return pure(e) ? no_op() : Stmt(make<EvaluateNode>(e)); }

  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    Stmt next = rewrite_children(s);
    if (auto* loop = as<ForNode>(next)) {
      if (is_const_int(loop->extent, 0)) return no_op();
      if (is_no_op(loop->body)) return seq({only_effects(loop->min), only_effects(loop->extent)});
    } else if (auto* branch = as<IfThenElseNode>(next)) {
      bool no_else = !branch->else_case || is_no_op(branch->else_case);
      if (is_no_op(branch->then_case) && no_else) return only_effects(branch->condition);
      if (is_no_op(branch->then_case))
        return make<IfThenElseNode>(logical_not(branch->condition), branch->else_case);
      if (no_else && branch->else_case) return make<IfThenElseNode>(branch->condition, branch->then_case);
    } else if (auto* attr = as<AttrStmtNode>(next)) {
      if (is_no_op(attr->body)) return only_effects(attr->value);
    } else if (auto* evaluate = as<EvaluateNode>(next)) {
      if (pure(evaluate->value)) return no_op();
    } else if (auto* store = as<BufferStoreNode>(next)) {
      if (stores_what_is_there(*store, analyzer)) return no_op();
    }
    return next;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_body(fn, Remove().rewrite(fn->body)); }

}  // namespace

extern const Pass remove_no_op{"RemoveNoOp", "tirx.transform", "RemoveNoOp()", doc, apply};

}  // namespace mlc::transform
