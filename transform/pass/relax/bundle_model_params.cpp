// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/graph_pass.h"

namespace mlc::transform::pass_bundle_model_params {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "too-many-inputs",
         .message = "`num_input` says {} inputs, but the function has {} parameters",
         .meaning =
             "The attribute `num_input` counts the parameters that change from run to run; it cannot be more "
             "than there are, or less than 0."},
    }};
MLC_REFUSALS(bundle_model_params, refusals);

namespace {

constexpr char doc[] = R"(BundleModelParams(param_tuple_name=None): pass the weights of a model as one tuple.

    def main(x, w, b):                   def main(x, model_params):
        y = R.matmul(x, w)      =>           w = model_params[0]
                                             y = R.matmul(x, w)
needs: the attribute `num_input`: how many of the first parameters are inputs. Functions without it stay.
keeps: the inputs, and the order of the weights.
After the passes that bind or transform single weights, before the build: what calls the model hands over one value.)";

struct Bundle final : Mutator {
  Bundle(Host& host, const IRModule& mod, Var tuple) : Mutator(host, mod), tuple(std::move(tuple)) {}
  Var tuple;
  std::unordered_map<const VarNode*, int64_t> index;

  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      if (auto found = index.find(var); found != index.end())
        return builder_->emit(make<TupleGetItemNode>(tuple, found->second), text(var->name));
    }
    return rewrite_children(e);
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  auto said = ir::attr(fn, "num_input");
  if (!said) return fn;
  int64_t inputs = integer_of(*said).value_or(-1);
  auto count = static_cast<int64_t>(fn->params.size());
  if (inputs < 0 || inputs > count) throw ir::refuse(refusals["too-many-inputs"], inputs, count).at(fn->span);
  // apply
  Array<Type> types;
  for (int64_t i = inputs; i < count; ++i) types.push_back(fn->params[i]->ty);
  const Any& name = options.args[0];
  Var tuple = relax::make_var(false, name == nullptr ? String("model_params") : name.cast<String>(),
                              make<TupleTypeNode>(types));
  Bundle bundle(*options.host, mod, tuple);
  for (int64_t i = inputs; i < count; ++i) bundle.index[fn->params[i].get()] = i - inputs;
  Array<Var> params(fn->params.begin(), fn->params.begin() + inputs);
  params.push_back(tuple);
  return bundle.rewrite_function(
      make<FunctionNode>(params, fn->body, fn->ret_ty, fn->is_pure, fn->attrs, fn->span));
}

}  // namespace

extern const Pass bundle_model_params = graph_pass("BundleModelParams", "BundleModelParams(param_tuple_name=None)", doc, apply);

}  // namespace mlc::transform::pass_bundle_model_params
