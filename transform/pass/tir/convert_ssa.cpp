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
struct Ssa final : Substituter {
  std::unordered_set<const VarNode*> defined;
  using Substituter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* let = as<LetNode>(e)) {
      Expr value = rewrite(let->value);
      VarMap outside = values;
      Var var = rewrite_def(let->var);
      Expr body = rewrite(let->body);
      values = std::move(outside);
      if (value.same_as(let->value) && var.same_as(let->var) && body.same_as(let->body)) return e;
      return make<LetNode>(var, value, body, e->span);
    }
    return Substituter::rewrite(e);
  }
  Buffer rewrite_buffer(const Buffer& buffer) override {
    auto found = values.find(buffer.get());
    return found == values.end() ? buffer : ref(as<VarNode>(found->second));
  }
  Var rewrite_def(const Var& var) override {
    if (std::exchange(launching_, nullptr) != var.get()) return define(var);
    Var& launched = threads_[var.get()];
    if (!launched) return launched = define(var);
    values[var.get()] = launched;
    return launched;
  }
  Var define(const Var& var) {
    Var next = var->buffer() ? map_buffer(var) : var;
    if (!defined.insert(var.get()).second && next.same_as(var))
      next = make<VarNode>(var->name, var->ty, var->span);
    if (next.same_as(var)) {
      values.erase(var.get());
    } else {
      values[var.get()] = next;
    }
    return next;
  }
  // What a scope defines is not in force behind it.
  Stmt rewrite(const Stmt& s) override {
    bool scope = as<ForNode>(s) || as<SBlockNode>(s) || as<IfThenElseNode>(s) || as<WhileNode>(s) ||
                 as<AttrStmtNode>(s);
    if (!scope) return rewrite_children(s);
    // Launches of one thread, one after the other, have one variable in a function.
    auto* attr = as<AttrStmtNode>(s);
    if (auto thread = attr ? attr->node.as<IterVar>() : std::nullopt) launching_ = (*thread)->var.get();
    VarMap outside = values;
    Stmt next = rewrite_children(s);
    values = std::move(outside);
    return next;
  }

  // A function has variables of its own.
  void begin() {
    values.clear();
    threads_.clear();
  }

 private:
  std::unordered_map<const VarNode*, Var> threads_;  // of the function
  const VarNode* launching_ = nullptr;               // the thread whose launch is rewritten
};

PrimFunc convert(Ssa& ssa, const PrimFunc& fn) {
  ssa.begin();
  Array<Var> params;
  bool changed = false;
  for (const Var& param : fn->params) {
    params.push_back(ssa.rewrite_def(param));
    changed |= !params.back().same_as(param);
  }
  Stmt body = ssa.rewrite(fn->body);
  return changed ? with_params(fn, params, body) : with_body(fn, body);
}

IRModule apply(const IRModule& mod, const PassOptions&) { return with_unique_definitions(mod); }

}  // namespace

extern const Pass convert_ssa{"ConvertSSA", "tirx.transform", "ConvertSSA()", doc, nullptr, apply};

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
