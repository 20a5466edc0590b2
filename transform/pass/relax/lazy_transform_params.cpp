// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"
#include "transform/graph/model_params.h"

namespace mlc::transform::pass_lazy_transform_params {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "dataflow-left",
         .message = "`{}` has a dataflow block, in which no function with effects may be called",
         .help = "run relax.transform.ToNonDataflow() and relax.transform.RemovePurityChecking() first"},
        {.name = "results-not-bound",
         .message = "the result of `{}` is not a variable that is bound to a tuple",
         .meaning = "Results are handed over one by one: the last binding is to list them, `out = (a, b)`, "
                    "`return out`."},
        {.name = "only-set-item",
         .kind = "AssertionError+ValueError",
         .message = "weights are fetched by `fget_item`, which is None",
         .help = "give the name of a function"},
    }};
MLC_REFUSALS(lazy_transform_params, refusals);

namespace {

constexpr char doc[] =
    R"(LazyTransformParams(fget_item="get_item", fset_item="set_item", extra_get_item_params=None, extra_set_item_params=None): transform weights one by one.

    def transform_params(params):        def transform_params():
        a = params[0]                        lv = R.call_packed("get_item", 0)
        b = R.permute_dims(a)        =>      a = R.match_cast(lv, ...)
        out = (b,)                           b = R.permute_dims(a)
        return out                           R.vm.kill_object(a)
                                             R.call_packed("set_item", 0, b)
                                             return ()
needs: functions whose names end in `transform_params`, without dataflow blocks (ToNonDataflow).
keeps: the order of bindings. A weight is fetched where it is first used, and dropped after its last use; a result is
handed over once nothing else uses it. The extra parameters become those of the function, and come first in calls. With
`fset_item` None results are returned as before.
After LiftTransformParams, which makes such functions: weights need not be in memory all at once.)";

struct Names {
  std::string get, set;  // `set` is empty where results are returned
  Array<Expr> get_args, set_args;
};

struct Lazy final : Mutator {
  Lazy(Host& host, const IRModule& mod, const Names& names) : Mutator(host, mod), names(names) {}
  const Names& names;
  const VarNode* bundle = nullptr;                      // the parameter that holds all weights
  std::unordered_map<const VarNode*, int64_t> weights;  // or one parameter each: those not yet fetched
  const VarNode* result = nullptr;
  std::unordered_map<const VarNode*, std::vector<int64_t>> outputs;
  std::unordered_set<const VarNode*> from_bundle;
  // After each binding of the function's own blocks: the variables that are used no more.
  std::unordered_map<const VarNode*, std::vector<Var>> released;

  bool sets() const { return !names.set.empty(); }

  void analyze(const Function& fn, const std::string& name) {
    auto* var = as<VarNode>(fn->body->body);
    auto* direct = as<TupleNode>(fn->body->body);
    bool no_results = direct && direct->elements.empty();
    const TupleNode* listed = nullptr;
    for (const BindingBlock& block : fn->body->blocks) {
      if (is_dataflow(block)) throw ir::refuse(refusals["dataflow-left"], name).at(block->span);
      for (const Binding& binding : block->bindings) {
        if (binding->var.get() == var) listed = as<TupleNode>(binding->value);
        auto* item = as<TupleGetItemNode>(binding->value);
        if (item && bundle && item->tuple_value.get() == bundle) from_bundle.insert(binding->var.get());
      }
    }
    if (sets() && !listed && !no_results)
      throw ir::refuse(refusals["results-not-bound"], name).at(fn->body->body->span);
    result = sets() ? var : nullptr;
    for (size_t i = 0; listed && i < listed->elements.size(); ++i) {
      if (auto* output = as<VarNode>(listed->elements[i])) outputs[output].push_back(static_cast<int64_t>(i));
    }
    find_last_uses(fn);
  }
  void find_last_uses(const Function& fn) {
    std::unordered_set<const VarNode*> used;
    const auto& blocks = fn->body->blocks;
    for (size_t i = blocks.size(); i-- > 0;) {
      for (size_t j = blocks[i]->bindings.size(); j-- > 0;) {
        const Binding& binding = blocks[i]->bindings[j];
        auto& last = released[binding->var.get()];
        if (binding->var.get() == result) continue;
        for (const Var& var : relax::free_vars(binding->value)) {
          if (used.insert(var.get()).second) last.push_back(var);
        }
        if (used.insert(binding->var.get()).second) last.push_back(binding->var);
      }
    }
  }

  Var fetch(int64_t index) {
    Array<Expr> args = names.get_args;
    args.push_back(int64_imm(index));
    return builder_->emit(call_packed(names.get, args, {any_type()}));
  }
  Expr set_item(int64_t index, const Expr& value) const {
    Array<Expr> args = names.set_args;
    args.push_back(int64_imm(index));
    args.push_back(value);
    return call_packed(names.set, args, {any_type()});
  }
  void hand_over(const VarNode* var) {
    auto found = outputs.find(var);
    if (found == outputs.end()) return;
    for (int64_t index : found->second) builder_->emit(set_item(index, rewrite(ref(var))), "_");
    outputs.erase(found);
  }

  Expr rewrite(const Expr& e) override {
    auto* item = as<TupleGetItemNode>(e);
    if (!item || !bundle || item->tuple_value.get() != bundle) return rewrite_children(e);
    return builder_->emit_match_cast(fetch(item->index), item->ty);
  }
  void rewrite_binding(const Binding& binding) override {
    auto found = released.find(binding->var.get());
    if (found == released.end()) return Mutator::rewrite_binding(binding);  // inside a branch
    for (const Var& var : relax::free_vars(binding->value)) {
      auto weight = weights.find(var.get());
      if (weight == weights.end()) continue;
      builder_->emit_normalized(make<MatchCastNode>(var, fetch(weight->second), var->ty, binding->span));
      weights.erase(weight);
    }
    if (binding->var.get() == result) {
      const Array<Expr>& listed = as<TupleNode>(binding->value)->elements;
      for (const Expr& each : listed) {
        if (auto* var = as<VarNode>(each)) hand_over(var);
      }
      map_var(binding->var, builder_->emit(make<TupleNode>(Array<Expr>{})));
      for (size_t i = 0; i < listed.size(); ++i) {
        if (listed[i]->kind == ExprKind::kVar) continue;
        Expr call = set_item(static_cast<int64_t>(i), rewrite(listed[i]));
        builder_->emit_normalized(make<VarBindingNode>(relax::make_var(false, "_", call->ty), call));
      }
      return;
    }
    Mutator::rewrite_binding(binding);
    if (!sets()) return;
    for (const Var& var : found->second) {
      hand_over(var.get());
      if (from_bundle.count(var.get()) != 0)
        builder_->emit(make_call("relax.vm.kill_object", {rewrite(var)}), "_");
    }
  }
};

// What still tells the sizes of the weights: parameters that are shapes or numbers.
void keep_sizes(const Type& type, Array<Var>& params) {
  if (const auto* tuple = as_type<TupleTypeNode>(type)) {
    for (const Type& field : tuple->elements) keep_sizes(field, params);
  } else if (as_type<ShapeTypeNode>(type)) {
    params.push_back(relax::make_var(false, "symbolic_var_holder", type));
  }
}

Function lazy(const Function& fn, const std::string& name, const IRModule& mod, Host& host,
              const Names& names) {
  int64_t inputs = number_of_inputs(fn).value_or(0);
  Array<Var> params(fn->params.begin(), fn->params.begin() + inputs);
  for (const Array<Expr>& extra : {names.get_args, names.set_args}) {
    for (const Expr& var : extra) params.push_back(var.as<Var>().value());
  }
  Lazy pass(host, mod, names);
  auto count = static_cast<int64_t>(fn->params.size());
  if (count == inputs + 1 && fn->params[inputs]->ty->kind == TypeKind::kTuple) {
    pass.bundle = fn->params[inputs].get();
    keep_sizes(fn->params[inputs]->ty, params);
  } else {
    for (int64_t i = inputs; i < count; ++i) {
      const Var& param = fn->params[i];
      if (is_prim(param)) {
        params.push_back(param);
      } else {
        pass.weights[param.get()] = i - inputs;
        keep_sizes(param->ty, params);
      }
    }
  }
  pass.analyze(fn, name);
  Type ret = pass.sets() ? Type(make<TupleTypeNode>(Array<Type>{})) : fn->ret_ty;
  Function next = make<FunctionNode>(params, fn->body, ret, false, fn->attrs, fn->span);
  return relax::without_attr(pass.rewrite_function(next), "relax.force_pure");
}

Array<Expr> variables(const Any& given) {
  Array<Expr> all;
  if (given == nullptr) return all;
  for (const Any& each : given.cast<Array<Any>>()) all.push_back(each.cast<Var>());
  return all;
}

// Variables of another function: a parameter belongs to one.
Array<Expr> copies(const Array<Expr>& vars) {
  Array<Expr> all;
  for (const Expr& var : vars) all.push_back(relax::make_var(false, as<VarNode>(var)->name, var->ty));
  return all;
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  if (options.args[0] == nullptr) throw ir::refuse(refusals["only-set-item"]);
  Names names{std::string(text(options.args[0].cast<String>())),
              options.args[1] == nullptr ? std::string() : std::string(text(options.args[1].cast<String>())),
              variables(options.args[2]), variables(options.args[3])};
  bool first = true;
  return relax::map_functions(mod, [&](const GlobalVar& global, const Function& fn) {
    std::string name(text(global->name_hint));
    if (!name.ends_with("transform_params")) return fn;
    Names own = names;
    if (!first) own.get_args = copies(names.get_args), own.set_args = copies(names.set_args);
    first = false;
    return lazy(fn, name, mod, *options.host, own);
  });
}

}  // namespace

extern const Pass lazy_transform_params = graph_module_pass(
    "LazyTransformParams",
    "LazyTransformParams(fget_item='get_item', fset_item='set_item', extra_get_item_params=None, "
    "extra_set_item_params=None)",
    doc, apply);

}  // namespace mlc::transform::pass_lazy_transform_params
