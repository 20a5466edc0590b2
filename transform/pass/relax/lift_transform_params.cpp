// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"
#include "transform/graph/canonicalize.h"
#include "transform/graph/dead_code.h"
#include "transform/graph/lifted_bindings.h"

namespace mlc::transform::pass_lift_transform_params {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "no-weights-said",
         .message =
             "`{}` is no function of graphs that says by `num_input` which of its parameters are weights",
         .help = "give it the attribute: `R.func_attr({\"num_input\": 1})`"},
        {.name = "transform-is-there",
         .message = "the module has a function `{}` already",
         .help = "rename it, or run the pass before it is made"},
        {.name = "no-functions",
         .message = "no function says by `num_input` which of its parameters are weights",
         .help = "give one the attribute: `R.func_attr({\"num_input\": 1})`"},
        {.name = "not-functions",
         .kind = "TypeError",
         .message = "`shared_transform` is a `{}`, not a bool or a list of names"},
    }};
MLC_REFUSALS(lift_transform_params, refusals);

namespace {

constexpr char doc[] =
    R"(LiftTransformParams(shared_transform=False): compute what only weights decide in a function of its own.

    def main(x, w):                      def main_transform_params(model_params):
        R.func_attr({"num_input": 1})        w = model_params[0]
        a = R.permute_dims(w)                return (R.permute_dims(w),)
        return R.matmul(x, a)       =>
                                         def main(x, a):
                                             return R.matmul(x, a)
needs: functions with the attribute `num_input`: parameters after the first so many are weights.
keeps: what uses inputs, calls with effects, constants, and what stands outside of dataflow blocks. `R.builtin.stop_lift_params`
ends what is computed beforehand. With `shared_transform` all functions (or those of a list of names) share one
function `transform_params`, which does what all of them do. With the option `relax.lift_transform_params.consume_params`
it drops each weight once it is read.
After the passes that find what to do with weights, before LazyTransformParams and the build.)";

struct Target {
  GlobalVar name;
  Function fn;
  LiftedBindings lifted;
  Array<Var> inputs, weights;
};

std::unordered_set<const VarNode*> defined_by(const std::vector<Var>& vars) {
  std::unordered_set<const VarNode*> all;
  for (const Var& var : vars) {
    for (const Var& size : definable_vars(var->ty)) all.insert(size.get());
  }
  return all;
}
std::vector<Var> listed(const Array<Var>& vars) { return {vars.begin(), vars.end()}; }

// Sizes that the parameters define, are needed at run time, and that nothing defines then.
std::vector<Var> lost_sizes(const Array<Var>& params, const LiftedBindings& lifted,
                            const std::vector<Var>& inputs, const std::vector<Var>& outputs) {
  auto at_run_time = defined_by(inputs);
  auto kept = defined_by(outputs);
  std::vector<Var> lost;
  std::unordered_set<const VarNode*> seen;
  for (const Var& param : params) {
    for (const Var& size : definable_vars(param->ty)) {
      const VarNode* var = size.get();
      if (lifted.at_run_time.count(var) != 0 && at_run_time.count(var) == 0 && kept.count(var) == 0 &&
          seen.insert(var).second)
        lost.push_back(size);
    }
  }
  return lost;
}
Array<Expr> exprs(const std::vector<Var>& vars) {
  Array<Expr> all;
  for (const Var& var : vars) all.push_back(var);
  return all;
}

// The function that is run beforehand.
Function transform(const Array<Var>& weights, const LiftedBindings& lifted, const std::vector<Var>& sizes,
                   const std::vector<Var>& outputs, const IRModule& mod, Host& host) {
  Array<Binding> bindings(lifted.bindings.begin(), lifted.bindings.end());
  Array<Expr> results;
  if (!sizes.empty()) results.push_back(make<ShapeExprNode>(exprs(sizes)));
  for (const Var& var : outputs) {
    Var output = relax::make_var(false, std::string(text(var->name)) + "_output", var->ty);
    bindings.push_back(make<VarBindingNode>(output, var));
    results.push_back(output);
  }
  Expr tuple = make<TupleNode>(results);
  Var output = relax::make_var(false, "output_tuple", tuple->ty);
  bindings.push_back(make<VarBindingNode>(output, tuple));
  Array<BindingBlock> blocks{make<DataflowBlockNode>(bindings)};
  Function fn = make<FunctionNode>(weights, make<SeqExprNode>(blocks, Expr(output)), output->ty, true);
  fn = relax::with_attr(fn, "num_input", int64_t{0});
  fn = bundle_weights(with_new_vars(fn), mod, host);
  return without_unused_bindings(canonicalize_bindings(fn, mod, host));
}

struct DropLifted final : Mutator {
  DropLifted(Host& host, const IRModule& mod, const LiftedBindings& lifted) : Mutator(host, mod) {
    for (const Binding& binding : lifted.bindings) {
      if (lifted.from_weights.count(binding->var.get()) != 0) dropped.insert(binding->var.get());
    }
  }
  VarSet dropped;
  Expr stop = relax::op("relax.builtin.stop_lift_params");

  void rewrite_binding(const Binding& binding) override {
    if (dropped.count(binding->var.get()) == 0) Mutator::rewrite_binding(binding);
  }
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    const CallNode* call = call_of(next, stop);
    return call ? call->args[0] : next;
  }
};

// The function that takes what was computed.
Function at_run_time(const Target& target, const std::vector<Var>& sizes, const std::vector<Var>& outputs,
                     const IRModule& mod, Host& host) {
  Array<Var> params = target.inputs;
  if (!sizes.empty())
    params.push_back(
        relax::make_var(false, "vars_from_compile_time_params", make<ShapeTypeNode>(exprs(sizes))));
  Array<Binding> taken;
  for (const Var& var : outputs) {
    Var param = relax::make_var(false, var->name, var->ty);
    taken.push_back(make<VarBindingNode>(var, Expr(param)));
    params.push_back(param);
  }
  Function fn = DropLifted(host, mod, target.lifted).rewrite_function(target.fn);
  Array<BindingBlock> blocks;
  if (!taken.empty()) blocks.push_back(make<DataflowBlockNode>(taken));
  blocks.insert(blocks.end(), fn->body->blocks.begin(), fn->body->blocks.end());
  Expr result = fn->body->body;
  if (auto* tuple = as<TupleNode>(result); tuple && !tuple->elements.empty()) {
    Var var = relax::make_var(false, "gv", result->ty);
    blocks.push_back(make<BindingBlockNode>(Array<Binding>{make<VarBindingNode>(var, result)}));
    result = var;
  }
  SeqExpr body = make<SeqExprNode>(blocks, result, fn->body->span);
  Function next = make<FunctionNode>(params, body, fn->ret_ty, fn->is_pure, fn->attrs, fn->span);
  return canonicalize_bindings(with_new_vars(next), mod, host);
}

// Weights are dropped from the tuple when they have been read.
struct Consume final : Mutator {
  Consume(Host& host, const IRModule& mod, Var weights) : Mutator(host, mod), weights(std::move(weights)) {}
  Var weights;
  std::unordered_map<int64_t, Expr> read;

  void rewrite_binding(const Binding& binding) override {
    auto* item = as<TupleGetItemNode>(binding->value);
    if (!item || !item->tuple_value.same_as(weights)) return Mutator::rewrite_binding(binding);
    auto [found, added] = read.try_emplace(item->index, nullptr);
    if (!added) return bind(binding, found->second);
    Mutator::rewrite_binding(binding);
    found->second = rewrite(binding->var);
    Expr reset = make<ExternFuncNode>(String("vm.builtin.tuple_reset_item"));
    builder_->emit(make_call("relax.call_pure_packed", {reset, weights, int64_imm(item->index)}, {},
                             {make<TupleTypeNode>(Array<Type>{})}));
  }
};

bool is_transform(const GlobalVar& name) { return text(name->name_hint).ends_with("transform_params"); }

std::vector<Target> find_targets(const IRModule& mod, const Array<Any>& names) {
  std::vector<Target> all;
  auto add = [&](const GlobalVar& name, const Function& fn) {
    int64_t inputs = *number_of_inputs(fn);
    all.push_back({name,
                   fn,
                   {},
                   Array<Var>(fn->params.begin(), fn->params.begin() + inputs),
                   Array<Var>(fn->params.begin() + inputs, fn->params.end())});
  };
  for (const Any& each : names) {
    auto name = each.cast<String>();
    GlobalVar global = mod->find(text(name));
    std::optional<Function> fn;
    if (global) fn = Any(mod->functions.at(global)).as<Function>();
    if (!fn || !ir::attr(*fn, "num_input")) throw ir::refuse(refusals["no-weights-said"], text(name));
    add(global, *fn);
  }
  if (!names.empty()) return all;
  for (const auto& [global, base] : mod->functions) {
    auto fn = Any(base).as<Function>();
    if (fn && ir::attr(*fn, "num_input") && !is_transform(global)) add(global, *fn);
  }
  std::sort(all.begin(), all.end(), [](const Target& a, const Target& b) {
    return text(a.name->name_hint) < text(b.name->name_hint);
  });
  return all;
}

struct Lift {
  const IRModule& mod;
  Host& host;
  IRModule result;
  std::vector<Target> targets;

  void add_transform(const std::string& name, const Function& fn) {
    if (mod->find(name)) throw ir::refuse(refusals["transform-is-there"], name);
    Type type = callable_type(fn);
    result = with_function(result, make<GlobalVarNode>(String(name), type), fn);
  }
  void each_alone() {
    for (Target& target : targets) {
      target.lifted = find_lifted(target.fn, nullptr);
      std::vector<Var> outputs = target.lifted.outputs(target.weights);
      std::vector<Var> sizes = lost_sizes(target.fn->params, target.lifted, listed(target.inputs), outputs);
      result = with_function(result, target.name, at_run_time(target, sizes, outputs, mod, host));
      add_transform(std::string(text(target.name->name_hint)) + "_transform_params",
                    transform(target.weights, target.lifted, sizes, outputs, mod, host));
    }
  }
  void together() {
    std::vector<Function> functions;
    for (const Target& target : targets) functions.push_back(target.fn);
    SharedBindings shared = find_shared(functions);
    LiftedBindings all;
    all.bindings = shared.bindings;
    auto add = [&](VarSet& to, const VarSet& from) {
      for (const VarNode* var : from) {
        auto found = shared.first.find(var);
        to.insert(found == shared.first.end() ? var : found->second.get());
      }
    };
    for (Target& target : targets) {
      target.lifted = find_lifted(target.fn, &shared.first);
      add(all.from_weights, target.lifted.from_weights);
      add(all.at_run_time, target.lifted.at_run_time);
    }
    const Array<Var>& weights = targets[0].weights;
    std::vector<Var> outputs = all.outputs(weights);
    std::vector<Var> sizes = lost_sizes(weights, all, {}, outputs);
    for (const Target& target : targets) {
      // The variables of this function that those of the first stand for.
      std::unordered_map<const VarNode*, Var> own;
      auto correspond = [&](const std::vector<Var>& vars) {
        for (const Var& var : vars) {
          if (auto found = shared.first.find(var.get()); found != shared.first.end())
            own[found->second.get()] = var;
        }
      };
      auto in_terms = [&](std::vector<Var> vars) {
        for (Var& var : vars) {
          if (auto found = own.find(var.get()); found != own.end()) var = found->second;
        }
        return vars;
      };
      std::vector<Var> own_outputs = target.lifted.outputs(target.weights);
      correspond(own_outputs);
      correspond(lost_sizes(target.fn->params, target.lifted, listed(target.inputs), own_outputs));
      result = with_function(result, target.name,
                             at_run_time(target, in_terms(sizes), in_terms(outputs), mod, host));
    }
    add_transform("transform_params", transform(weights, all, sizes, outputs, mod, host));
  }
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  const Any& given = options.args[0];
  auto flag = given.try_cast<bool>();
  auto names = given.try_cast<Array<Any>>();
  if (!flag && !names) throw ir::refuse(refusals["not-functions"], type_name(given));
  Lift lift{mod, *options.host, mod, find_targets(mod, names.value_or(Array<Any>{}))};
  bool together = flag.value_or(true);
  if (together && lift.targets.empty()) throw ir::refuse(refusals["no-functions"]);
  together ? lift.together() : lift.each_alone();
  bool consume = options.config_flag("relax.lift_transform_params.consume_params").value_or(false);
  IRModule lifted = find_pass("LambdaLift").apply_module(lift.result, options);
  return relax::map_functions(lifted, [&](const GlobalVar& name, const Function& fn) {
    if (!is_transform(name)) return fn;
    Function next = consume ? Consume(*options.host, lifted, fn->params.back()).rewrite_function(fn) : fn;
    return relax::with_attr(next, "global_symbol", name->name_hint);
  });
}

}  // namespace

extern const Pass lift_transform_params =
    graph_module_pass("LiftTransformParams", "LiftTransformParams(shared_transform=False)", doc, apply);

}  // namespace mlc::transform::pass_lift_transform_params
