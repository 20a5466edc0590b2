// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"

namespace mlc::transform::pass_compute_prim_value {
namespace {

constexpr char doc[] = R"(ComputePrimValue(): compute numbers of graphs in functions of their own.

    c: T.bool = n > 5        =>      c: T.bool = cls.compute_symbolic_expr(n)
                                     @T.prim_func(private=True)
                                     def compute_symbolic_expr(n: T.int64) -> T.bool:
                                         return n > T.int64(5)
needs: normal form.
keeps: variables and constant integers; dimensions of shapes, which VMShapeLower computes.
Before the build: the virtual machine has no arithmetic.)";

struct ComputeNumbers final : Mutator {
  using Mutator::Mutator;

  Expr rewrite(const Expr& e) override {
    if (e->kind == ExprKind::kShapeExpr) return e;
    return is_computed(e) ? Expr(builder_->emit(call_for(e))) : rewrite_children(e);
  }
  void rewrite_binding(const Binding& binding) override {
    bind(binding, is_computed(binding->value) ? call_for(binding->value) : rewrite(binding->value));
  }

  // A number that is neither a variable, a constant integer nor what a function returns.
  static bool is_computed(const Expr& e) {
    if (!is_prim(e) || is_graph_kind(e->kind)) return false;
    if (auto* call = as<CallNode>(e)) return call->op->kind == ExprKind::kOp && !relax::operator_of(call->op);
    return e->kind != ExprKind::kTupleGetItem && e->kind != ExprKind::kVar && e->kind != ExprKind::kIntImm;
  }

  Expr call_for(const Expr& e) {
    std::vector<Var> vars = relax::symbolic_vars(make<ShapeTypeNode>(Array<Expr>{e}));
    Array<Var> params;
    Array<Expr> args;
    ir::VarMap renamed;
    for (const Var& var : vars) {
      Var param = make<VarNode>(var->name, var->ty);
      params.push_back(param);
      args.push_back(rewrite_children(var));
      renamed[var.get()] = param;
    }
    Map<String, Any> attrs{{"s_tir", true}, {"tirx.is_host_func", true}};
    PrimFunc fn =
        make<PrimFuncNode>(params, e->ty, Stmt(make<ReturnNode>(ir::substitute(e, renamed))), attrs);
    GlobalVar name = builder_->add_function(fn, "compute_symbolic_expr");
    return make<CallNode>(e->ty, Expr(name), args, Map<String, Any>{}, e->span);
  }

  IRModule module() const { return builder_->module(); }
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto* fn = base.as<FunctionNode>();
    if (!fn) continue;
    ComputeNumbers numbers(*options.host, result);
    Function next = numbers.rewrite_function(ref(fn));
    if (!next.same_as(base)) result = ir::with_function(numbers.module(), name, next);
  }
  return result;
}

}  // namespace

extern const Pass compute_prim_value =
    graph_module_pass("ComputePrimValue", "ComputePrimValue()", doc, apply);

}  // namespace mlc::transform::pass_compute_prim_value
