// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"
#include "transform/graph/model_params.h"

namespace mlc::transform::pass_lazy_set_output {
namespace {

constexpr char doc[] = R"(LazySetOutput(): hand over each result as soon as it is there.

    def f(x):                            def f(x, fset_output):
        a = R.exp(x)             =>          a = R.exp(x)
        b = R.add(a, a)                      fset_output(0, a)
        return (a, b)                        b = R.add(a, a)
                                             fset_output(1, b)
                                             return ()
needs: nothing. Functions that are not exported stay.
keeps: the order of bindings. The parameter comes after the inputs (`num_input`), which it is counted among.
For functions that transform weights: what is handed over need not be in memory until the end.)";

struct SetOutputs final : Mutator {
  SetOutputs(Host& host, const IRModule& mod) : Mutator(host, mod) {}
  Var fset_output;
  std::unordered_map<const VarNode*, std::vector<int64_t>> outputs;

  Expr call(int64_t index, const Expr& value) const {
    return make<CallNode>(Type(make<TupleTypeNode>(Array<Type>{})), fset_output,
                          Array<Expr>{int64_imm(index), value}, Map<String, Any>{}, value->span);
  }
  void rewrite_binding(const Binding& binding) override {
    Mutator::rewrite_binding(binding);
    auto found = outputs.find(binding->var.get());
    if (found == outputs.end()) return;
    for (int64_t index : found->second) builder_->emit(call(index, rewrite(binding->var)), "_void");
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  if (!ir::attr(fn, "global_symbol")) return fn;
  std::optional<int64_t> inputs = number_of_inputs(fn);
  Type nothing = make<TupleTypeNode>(Array<Type>{});
  Array<Type> arguments{ir::prim_type(DataType::Int(64)), any_type()};
  SetOutputs set(*options.host, mod);
  set.fset_output = relax::make_var(false, "fset_output", make<FuncTypeNode>(arguments, nothing, false));

  Array<Expr> results{fn->body->body};
  if (auto* tuple = as<TupleNode>(fn->body->body)) results = tuple->elements;
  Array<Binding> first, last;
  auto hand_over = [&](Array<Binding>& bindings, size_t index, const Expr& value) {
    Var none = relax::make_var(false, "_void", nothing);
    bindings.push_back(make<VarBindingNode>(none, set.call(static_cast<int64_t>(index), value)));
  };
  for (size_t i = 0; i < results.size(); ++i) {
    if (auto* var = as<VarNode>(results[i])) {
      set.outputs[var].push_back(static_cast<int64_t>(i));
    } else {
      hand_over(last, i, results[i]);
    }
  }
  for (const Var& param : fn->params) {
    auto found = set.outputs.find(param.get());
    if (found == set.outputs.end()) continue;
    for (int64_t i : found->second) hand_over(first, static_cast<size_t>(i), param);
  }
  Array<BindingBlock> blocks;
  if (!first.empty()) blocks.push_back(make<BindingBlockNode>(first));
  blocks.insert(blocks.end(), fn->body->blocks.begin(), fn->body->blocks.end());
  if (!last.empty()) blocks.push_back(make<BindingBlockNode>(last));

  Array<Var> params = fn->params;
  params.insert(params.begin() + inputs.value_or(static_cast<int64_t>(params.size())), set.fset_output);
  SeqExpr body = make<SeqExprNode>(blocks, Expr(make<TupleNode>(Array<Expr>{})), fn->body->span);
  Function next = make<FunctionNode>(params, body, nothing, false, fn->attrs, fn->span);
  if (inputs) next = relax::with_attr(next, "num_input", *inputs + 1);
  return set.rewrite_function(next);
}

}  // namespace

extern const Pass lazy_set_output = graph_pass("LazySetOutput", "LazySetOutput()", doc, apply);

}  // namespace mlc::transform::pass_lazy_set_output
