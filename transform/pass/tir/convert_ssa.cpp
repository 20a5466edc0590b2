// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/convert_ssa.h"

#include "transform/pass/buffer_types.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_convert_ssa {
namespace {

constexpr char doc[] = R"(ConvertSSA(): every variable is defined in one place.

    for i in range(4):              for i in range(4):
        A[i] = 0            =>          A[i] = 0
    for i in range(4):              for i_1 in range(4):    # where both loops were of one variable
        A[i] = 1                        A[i_1] = 1
needs: nothing.
keeps: every value. The first definition keeps its variable, later ones get one of the same name; a
parameter that another function has too becomes another.
Where statements were copied, or functions share variables.)";

// All definitions seen so far have a variable of their own; uses follow the definition in force.
struct Ssa final : BufferTypeRewriter {
  std::unordered_set<const VarNode*> defined;
  VarMap in_force;

  using BufferTypeRewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      auto found = in_force.find(var);
      if (found != in_force.end()) return found->second;
    }
    if (auto* let = as<LetNode>(e)) {
      Expr value = rewrite(let->value);
      auto [var, old] = define(let->var);
      Expr body = rewrite(let->body);
      restore(let->var, old);
      if (value.same_as(let->value) && var.same_as(let->var) && body.same_as(let->body)) return e;
      return make<LetNode>(var, value, body, e->span);
    }
    return BufferTypeRewriter::rewrite(e);
  }
  Buffer rewrite_buffer(const Buffer& buffer) override {
    auto found = in_force.find(buffer.get());
    return found == in_force.end() ? buffer : ref(as<VarNode>(found->second));
  }
  Var rewrite_def(const Var& var) override { return define(var).first; }
  // What a scope defines is not in force behind it.
  Stmt rewrite(const Stmt& s) override {
    bool scope = as<ForNode>(s) || as<SBlockNode>(s) || as<IfThenElseNode>(s) || as<WhileNode>(s) ||
                 as<AttrStmtNode>(s);
    if (!scope) return rewrite_children(s);
    VarMap outside = in_force;
    Stmt next = rewrite_children(s);
    in_force = std::move(outside);
    return next;
  }

  std::pair<Var, Expr> define(const Var& var) {
    auto at = in_force.find(var.get());
    Expr old = at == in_force.end() ? Expr(nullptr) : at->second;
    Var next = var->buffer() ? map_buffer(var) : var;
    if (!defined.insert(var.get()).second && next.same_as(var))
      next = make<VarNode>(var->name, var->ty, var->span);
    if (next.same_as(var)) {
      in_force.erase(var.get());
    } else {
      in_force[var.get()] = next;
    }
    return {next, old};
  }
  void restore(const Var& var, const Expr& old) {
    if (old) {
      in_force[var.get()] = old;
    } else {
      in_force.erase(var.get());
    }
  }
};

PrimFunc convert(Ssa& ssa, const PrimFunc& fn) {
  ssa.in_force.clear();
  Array<Var> params;
  bool changed = false;
  for (const Var& param : fn->params) {
    params.push_back(ssa.define(param).first);
    changed |= !params.back().same_as(param);
  }
  Stmt body = ssa.rewrite(fn->body);
  if (!changed && body.same_as(fn->body)) return fn;
  return with(fn, [&](PrimFuncNode& n) {
    n.params = params;
    n.body = body;
  });
}

IRModule apply(const IRModule& mod, const PassOptions&) { return with_unique_definitions(mod); }

}  // namespace

}  // namespace mlc::transform::pass_convert_ssa

namespace mlc::transform {

PrimFunc with_unique_definitions(const PrimFunc& fn) {
  using namespace pass_convert_ssa;
  Ssa ssa;
  return convert(ssa, fn);
}

IRModule with_unique_definitions(const IRModule& mod) {
  using namespace pass_convert_ssa;
  Ssa ssa;
  return map_prim_funcs(mod, [&](const PrimFunc& fn) { return convert(ssa, fn); });
}

}  // namespace mlc::transform

namespace mlc::transform::pass_convert_ssa {

extern const Pass convert_ssa{"ConvertSSA", "tirx.transform", "ConvertSSA()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_convert_ssa
