// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/numbers.h"
#include "transform/graph/calls.h"
#include "transform/graph/dead_code.h"
#include "transform/graph/model_params.h"

namespace mlc::transform::pass_lazy_get_input {
namespace {

constexpr char doc[] = R"(LazyGetInput(): ask for each weight where it is first needed.

    def f(x, w):                         def f(x, fget_param):
        y = R.matmul(x, w)       =>          w_untyped = fget_param(0, R.str("w"))
                                             w = R.match_cast(w_untyped, R.Tensor(...))
                                             y = R.matmul(x, w)
needs: nothing. Weights are the parameters after the first `num_input`; functions that are not exported stay.
keeps: the order of bindings. The parameter is counted among the inputs. Values that are computed twice, and bindings
that nothing uses, go: what is not used is not asked for.
For functions whose weights do not fit into memory all at once.)";

// Each use asks; of equal questions the first remains.
struct GetInputs final : Mutator {
  GetInputs(Host& host, const IRModule& mod) : Mutator(host, mod) {}
  Var fget_param;
  std::unordered_map<const VarNode*, int64_t> index;

  Expr rewrite(const Expr& e) override {
    auto* weight = as<VarNode>(e);
    if (!weight && relax::is_arithmetic(e)) {
      ir::VarMap values;
      for (const Var& var : ir::free_vars(e)) {
        if (index.count(var.get()) != 0) values[var.get()] = rewrite(var);
      }
      return ir::substitute(e, values);
    }
    auto found = weight ? index.find(weight) : index.end();
    if (found == index.end()) return rewrite_children(e);
    std::string name(text(weight->name));
    Expr call =
        make<CallNode>(any_type(), fget_param, Array<Expr>{int64_imm(found->second), string_imm(name)},
                       Map<String, Any>{}, e->span);
    return builder_->emit_match_cast(builder_->emit(call, name + "_untyped"), weight->ty, name);
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  if (!ir::attr(fn, "global_symbol")) return fn;
  int64_t inputs = number_of_inputs(fn).value_or(0);
  GetInputs get(*options.host, mod);
  Array<Type> arguments{ir::prim_type(DataType::Int(64)), any_type()};
  get.fget_param = relax::make_var(false, "fget_param", make<FuncTypeNode>(arguments, any_type(), true));
  Array<Var> params(fn->params.begin(), fn->params.begin() + inputs);
  for (size_t i = static_cast<size_t>(inputs); i < fn->params.size(); ++i)
    get.index[fn->params[i].get()] = static_cast<int64_t>(i) - inputs;

  // Callers see only the dimensions that inputs define.
  std::unordered_set<const VarNode*> seen;
  for (const Var& param : params) {
    for (const Var& var : definable_vars(param->ty)) seen.insert(var.get());
  }
  params.push_back(get.fget_param);
  Type ret = erase_to_defined(
      fn->ret_ty, [&](const VarNode* var) { return seen.count(var) != 0; }, InferContext(*options.host, mod));
  Function next = make<FunctionNode>(params, fn->body, ret, fn->is_pure, fn->attrs, fn->span);
  next = get.rewrite_function(relax::with_attr(next, "num_input", inputs + 1));
  const Any of_calls_alone = false;
  PassOptions once{{&of_calls_alone, 1}, options.config, options.host};
  return without_unused_bindings(find_pass("EliminateCommonSubexpr").apply_graph(next, mod, once));
}

}  // namespace

extern const Pass lazy_get_input = graph_pass("LazyGetInput", "LazyGetInput()", doc, apply);

}  // namespace mlc::transform::pass_lazy_get_input
