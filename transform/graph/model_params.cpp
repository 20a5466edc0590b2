// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/model_params.h"

#include "transform/graph/rewrite_graphs.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "too-many-inputs",
         .message = "`num_input` says {} inputs, but the function has {} parameters",
         .meaning =
             "The attribute `num_input` counts the parameters that change from run to run; it cannot be more "
             "than there are, or less than 0."},
    }};
MLC_REFUSALS(graph_model_params, refusals);

std::optional<int64_t> number_of_inputs(const Function& fn) {
  auto said = ir::attr(fn, "num_input");
  if (!said) return std::nullopt;
  int64_t inputs = integer_of(*said).value_or(-1);
  auto count = static_cast<int64_t>(fn->params.size());
  if (inputs < 0 || inputs > count) throw ir::refuse(refusals["too-many-inputs"], inputs, count).at(fn->span);
  return inputs;
}

namespace {

struct Bundle final : Mutator {
  using Mutator::Mutator;
  Var tuple{nullptr};
  std::unordered_map<const VarNode*, int64_t> index;

  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      if (auto found = index.find(var); found != index.end())
        return builder_->emit(make<TupleGetItemNode>(tuple, found->second), text(var->name));
    }
    return rewrite_children(e);
  }
};

Function bundled(const Function& fn, Bundle& bundle, const String& name) {
  auto said = number_of_inputs(fn);
  if (!said) return fn;
  int64_t inputs = *said;
  auto count = static_cast<int64_t>(fn->params.size());
  Array<Type> types;
  for (int64_t i = inputs; i < count; ++i) types.push_back(fn->params[i]->ty);
  Var tuple = relax::make_var(false, name, make<TupleTypeNode>(types));
  bundle.tuple = tuple;
  // Numbers may be sizes in types: they are read first.
  Array<Binding> numbers;
  for (int64_t i = inputs; i < count; ++i) {
    const Var& param = fn->params[i];
    if (is_prim(param)) {
      numbers.push_back(make<VarBindingNode>(param, Expr(make<TupleGetItemNode>(tuple, i - inputs))));
    } else {
      bundle.index[param.get()] = i - inputs;
    }
  }
  Array<BindingBlock> blocks = fn->body->blocks;
  if (!numbers.empty()) blocks.insert(blocks.begin(), make<BindingBlockNode>(numbers));
  SeqExpr body = make<SeqExprNode>(blocks, fn->body->body, fn->body->span);
  Array<Var> params(fn->params.begin(), fn->params.begin() + inputs);
  params.push_back(tuple);
  return bundle.rewrite_function(
      make<FunctionNode>(params, body, fn->ret_ty, fn->is_pure, fn->attrs, fn->span));
}

}  // namespace

Function bundle_weights(const Function& fn, const IRModule& mod, Host& host, const String& name) {
  Bundle bundle(host, mod);
  return bundled(fn, bundle, name);
}

IRModule bundle_weights(const IRModule& mod, Host& host, const String& name) {
  Bundle bundle(host, mod);
  return rewrite_graphs(mod, [&](const Function& fn) { return bundled(fn, bundle, name); });
}

}  // namespace mlc::transform
