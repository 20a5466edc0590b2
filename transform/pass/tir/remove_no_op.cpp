// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] = R"(RemoveNoOp(): drop statements without effect.

    for i in range(n):          =>
        T.evaluate(0)
    x: T.let = a + b            =>          # when x is not used
needs: nothing.
keeps: every effect. Loops with empty bodies or without iterations, empty branches, unused names of pure
values and evaluations of pure values go.
Late: unrolling and simplification leave such statements behind.)";

struct CountUses final : Walker {
  std::unordered_map<const VarNode*, int> uses;
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) ++uses[var];
    walk_children(e);
  }
  void visit(const Stmt& s) override { walk_children(s); }
  void visit_buffer(const Buffer& buffer) override { ++uses[buffer.get()]; }
  void visit_def(const Var& var) override {
    if (!var->buffer()) return;
    for (const auto* exprs : {&var->buffer()->shape, &var->buffer()->strides}) {
      for (const Expr& e : *exprs) visit(e);
    }
    if (var->buffer()->elem_offset) visit(var->buffer()->elem_offset);
  }
};

struct Remove final : Rewriter {
  const std::unordered_map<const VarNode*, int>& uses;
  explicit Remove(const std::unordered_map<const VarNode*, int>& uses) : uses(uses) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  static bool pure(const Expr& e) { return side_effect(e) <= Effect::kReadState; }
  static Stmt only_effects(const Expr& e) { return pure(e) ? no_op() : Stmt(make<EvaluateNode>(e)); }
  bool used(const Var& var) const { return uses.contains(var.get()); }

  Stmt rewrite(const Stmt& s) override {
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
    } else if (auto* bind = as<BindNode>(next)) {
      if (!used(bind->var)) return only_effects(bind->value);
    } else if (auto* evaluate = as<EvaluateNode>(next)) {
      if (pure(evaluate->value)) return no_op();
    } else if (auto* alloc = as<AllocBufferNode>(next)) {
      if (!used(alloc->buffer)) return no_op();
    } else if (auto* decl = as<DeclBufferNode>(next)) {
      if (!used(decl->buffer)) return only_effects(decl->data);
    }
    return next;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  PrimFunc result = fn;
  for (;;) {  // a name dropped may have been the last use of another
    CountUses count;
    count.visit(result->body);
    PrimFunc next = with_body(result, Remove(count.uses).rewrite(result->body));
    if (next.same_as(result)) return result;
    result = next;
  }
}

}  // namespace

extern const Pass remove_no_op{"RemoveNoOp", "tirx.transform", "RemoveNoOp()", doc, apply};

}  // namespace mlc::transform
