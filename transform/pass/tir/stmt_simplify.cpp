// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] = R"(StmtSimplify(): simplify every expression with what is known where it stands.

    for i in range(16):                     for i in range(16):
        if i < 20:                  =>          A[i] = 0
            A[i * 4 // 4] = 0
needs: nothing.
keeps: every effect. Conditions decided by loop bounds and enclosing conditions go, as do loops without
iterations; loops of one iteration lose their variable.
Twice in the pipeline: before buffers are flattened, and at the end, after unrolling made constants.)";

struct Simplify final : Rewriter {
  Analyzer analyzer;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (as<TensorRegionNode>(e)) return rewrite_children(e);
    return analyzer.simplify(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) return simplify_loop(*loop);
    if (auto* branch = as<IfThenElseNode>(s)) return simplify_branch(*branch);
    if (auto* bind = as<BindNode>(s)) {
      Expr value = rewrite(bind->value);
      // A name for a constant or another name is looked through; everything else is kept shared.
      if (value->kind == ExprKind::kIntImm || as<VarNode>(value)) {
        if (value->dtype().is_integral()) analyzer.bind(bind->var, value);
      }
      return value.same_as(bind->value) ? s : Stmt(make<BindNode>(bind->var, value, s->span));
    }
    if (auto* attr = as<AttrStmtNode>(s)) {
      if (auto iter = attr->node.as<IterVar>(); iter && text(attr->attr_key) == "thread_extent") {
        analyzer.bind((*iter)->var, make<RangeNode>(const_like(attr->value, 0), attr->value));
      }
    }
    if (auto* assertion = as<AssertStmtNode>(s)) {
      Expr condition = rewrite(assertion->condition);
      if (is_const_int(condition, 1)) return no_op();
      return condition.same_as(assertion->condition)
                 ? s
                 : Stmt(with(ref(assertion), [&](AssertStmtNode& n) { n.condition = condition; }));
    }
    if (auto* loop = as<WhileNode>(s)) {
      Expr condition = rewrite(loop->condition);
      if (is_const_int(condition, 0)) return no_op();
      Stmt body = rewrite(loop->body);
      if (condition.same_as(loop->condition) && body.same_as(loop->body)) return s;
      return make<WhileNode>(condition, body, s->span);
    }
    if (auto* store = as<BufferStoreNode>(s)) {
      Stmt next = rewrite_children(s);
      store = as<BufferStoreNode>(next);
      return stores_what_is_there(*store) ? no_op() : next;
    }
    return rewrite_children(s);
  }

 private:
  Stmt simplify_loop(const ForNode& loop) {
    Expr min = rewrite(loop.min);
    Expr extent = rewrite(loop.extent);
    analyzer.bind(loop.loop_var, make<RangeNode>(min, extent));
    // Inside the body the loop runs at least once.
    auto inside = analyzer.assume(gt(extent, const_like(extent, 0)));
    Stmt body = rewrite(loop.body);
    if (min.same_as(loop.min) && extent.same_as(loop.extent) && body.same_as(loop.body)) return ref(&loop);
    return with(ref(&loop), [&](ForNode& n) {
      n.min = min;
      n.extent = extent;
      n.body = body;
    });
  }
  Stmt simplify_branch(const IfThenElseNode& branch) {
    Expr condition = rewrite(branch.condition);
    Expr bare = condition;
    if (auto* likely = as_call_to(condition, "tirx.likely")) bare = likely->args[0];
    if (auto known = const_int(bare)) {
      if (*known != 0) return rewrite(branch.then_case);
      return branch.else_case ? rewrite(branch.else_case) : no_op();
    }
    Stmt yes = nullptr;
    Stmt no = nullptr;
    {
      auto inside = analyzer.assume(bare);
      yes = rewrite(branch.then_case);
    }
    if (branch.else_case) {
      auto inside = analyzer.assume(analyzer.rewrite_simplify(logical_not(bare)));
      no = rewrite(branch.else_case);
      if (is_no_op(no)) no = nullptr;
    }
    if (is_no_op(yes) && !no) {
      return side_effect(condition) <= Effect::kReadState ? no_op() : Stmt(make<EvaluateNode>(condition));
    }
    if (condition.same_as(branch.condition) && yes.same_as(branch.then_case) &&
        no.same_as(branch.else_case)) {
      return ref(&branch);
    }
    return make<IfThenElseNode>(condition, yes, no, branch.span);
  }
  // A[i] = A[i]
  bool stores_what_is_there(const BufferStoreNode& store) {
    auto* load = as<TensorLoadNode>(store.value);
    if (!load || !load->source.same_as(store.buffer)) return false;
    for (size_t d = 0; d < store.indices.size(); ++d) {
      if (!structural_equal(load->indices[d], store.indices[d]) &&
          !analyzer.can_prove_equal(load->indices[d], store.indices[d])) {
        return false;
      }
    }
    return true;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_body(fn, Simplify().rewrite(fn->body)); }

}  // namespace

extern const Pass stmt_simplify{"StmtSimplify", "tirx.transform", "StmtSimplify()", doc, apply};

}  // namespace mlc::transform
