// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"
#include "transform/graph/dead_code.h"
#include "transform/graph/fused_function.h"

namespace mlc::transform::pass_fuse_tir {
namespace {

constexpr char doc[] = R"(FuseTIR(): make one tensor function of each group that FuseOps has made.

    @R.function(private=True)                       @T.prim_func(private=True)
    def fused_add_exp(x):           # Primitive     def fused_add_exp(x: T.Buffer(...), exp_intermediate: T.Buffer(...)):
        a = R.call_tir(cls.add, (x,), ...)      =>      add_intermediate = T.sblock_alloc_buffer(...)
        gv = R.call_tir(cls.exp, (a,), ...)             ...blocks of add, then of exp
        return gv
    gv = cls.fused_add_exp(x)                       gv = R.call_tir(cls.fused_add_exp, (x,), ...)
needs: functions with the attribute `Primitive` that hold calls of tensor functions only.
keeps: values. ExpandTupleArguments and RemoveUnusedParameters run before: private functions take what they use, element
by element. Bindings and functions that nothing uses are removed.
Schedules of the fused function decide how far the computations grow together.)";

struct CallFused final : Mutator {
  CallFused(Host& host, const IRModule& mod, const std::map<std::string, FusedFunction>& fused)
      : Mutator(host, mod), fused(fused) {}
  const std::map<std::string, FusedFunction>& fused;

  static void flatten(const Expr& arg, Array<Expr>& all) {
    if (auto* shape = as<ShapeExprNode>(arg)) {
      for (const Expr& extent : shape->values) all.push_back(extent);
    } else if (type_as<TupleTypeNode>(arg)) {
      for (const Expr& element : tuple_elements(arg)) flatten(element, all);
    } else {
      all.push_back(arg);
    }
  }

  Expr rewrite(const Expr& e) override {
    auto* call = as<CallNode>(e);
    auto* global = call ? as<GlobalVarNode>(call->op) : nullptr;
    auto found = global ? fused.find(std::string(text(global->name_hint))) : fused.end();
    if (found == fused.end()) return rewrite_children(e);
    Array<Expr> args;
    for (const Expr& arg : call->args) flatten(rewrite(arg), args);
    Map<String, Any> attrs;
    if (found->second.overwrites()) {
      Array<Any> indices;
      for (int64_t index : found->second.overwritten) indices.push_back(index);
      attrs.Set("inplace_indices", indices);
    }
    return make_call(attrs.empty() ? "relax.call_tir" : "relax.call_tir_inplace",
                     {Expr(ref(global)), Expr(make<TupleNode>(args))}, attrs, {call->ty}, e->span);
  }
};

IRModule apply(const IRModule& given, const PassOptions& options) {
  IRModule mod = given;
  for (std::string_view before : {"ExpandTupleArguments", "RemoveUnusedParameters"})
    mod = find_pass(before).apply_module(mod, options);
  std::map<std::string, FusedFunction> fused;
  IRModule next = mod;
  for (const auto& [name, fn] : mod->functions) {
    auto* graph = Any(fn).as<FunctionNode>();
    if (!graph || !ir::has_flag(fn, "Primitive")) continue;
    FusedFunction made = fuse_tensor_functions(ref(graph), text(name->name_hint), mod);
    next = with_function(next, name, made.fn);
    fused.emplace(std::string(text(name->name_hint)), std::move(made));
  }
  if (!fused.empty()) {
    for (const auto& [name, fn] : mod->functions) {
      auto* graph = Any(fn).as<FunctionNode>();
      if (!graph || ir::has_flag(fn, "Primitive")) continue;
      next = with_function(next, name, CallFused(*options.host, next, fused).rewrite_function(ref(graph)));
    }
  }
  return without_dead_code(next);
}

}  // namespace

extern const Pass fuse_tir = graph_module_pass("FuseTIR", "FuseTIR()", doc, apply);

}  // namespace mlc::transform::pass_fuse_tir
