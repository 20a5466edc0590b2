// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/lifted_bindings.h"

#include "transform/graph/symbolic_uses.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "weights-differ",
         .message = "functions whose weights are transformed together have different ones: {}",
         .help = "name the functions that share weights: `shared_transform=[\"prefill\", \"decode\"]`",
         .meaning = "LiftTransformParams with `shared_transform` makes one function for all: their "
                    "parameters after the "
                    "first `num_input` are to be the same in number and types."},
    }};
MLC_REFUSALS(graph_lifted_bindings, refusals);

std::vector<Var> LiftedBindings::outputs(const Array<Var>& weights) const {
  std::vector<Var> all;
  for (const Var& weight : weights) {
    if (at_run_time.count(weight.get()) != 0) all.push_back(weight);
  }
  for (const Binding& binding : bindings) {
    const VarNode* var = binding->var.get();
    if (from_weights.count(var) != 0 && at_run_time.count(var) != 0) all.push_back(binding->var);
  }
  return all;
}

namespace {

// May the binding be computed beforehand, when `known` are?
bool can_lift(const Binding& binding, const VarSet& known) {
  static const Expr stop = relax::op("relax.builtin.stop_lift_params");
  const Expr& value = binding->value;
  if (call_of(value, stop) || value->kind == ExprKind::kExternFunc) return false;
  auto is_known = [&](const Var& var) { return known.count(var.get()) != 0; };
  std::vector<Var> used = relax::free_vars(value);
  std::vector<Var> sizes = symbolic_vars(binding->var->ty);
  return std::all_of(used.begin(), used.end(), is_known) && std::all_of(sizes.begin(), sizes.end(), is_known);
}

template <class F>
void each_binding(const Function& fn, F visit) {
  for (const BindingBlock& block : fn->body->blocks) {
    for (const Binding& binding : block->bindings) visit(binding, is_dataflow(block));
  }
}

}  // namespace

LiftedBindings find_lifted(const Function& fn, const std::unordered_map<const VarNode*, Var>* shared) {
  LiftedBindings found;
  VarSet known;
  auto inputs = static_cast<size_t>(number_of_inputs(fn).value_or(static_cast<int64_t>(fn->params.size())));
  for (size_t i = inputs; i < fn->params.size(); ++i) {
    known.insert(fn->params[i].get());
    found.from_weights.insert(fn->params[i].get());
    for (const Var& size : definable_vars(fn->params[i]->ty)) known.insert(size.get());
  }
  auto use = [&](const Expr& e) {
    for (const Var& var : relax::free_vars(e)) found.at_run_time.insert(var.get());
    for (const Var& size : symbolic_uses(e)) found.at_run_time.insert(size.get());
  };
  each_binding(fn, [&](const Binding& binding, bool dataflow) {
    const VarNode* var = binding->var.get();
    if (!dataflow || !can_lift(binding, known) || (shared && shared->count(var) == 0)) {
      found.at_run_time.insert(var);
      use(binding->value);
      return;
    }
    found.bindings.push_back(binding);
    known.insert(var);
    std::vector<Var> used = relax::free_vars(binding->value);
    if (std::any_of(used.begin(), used.end(),
                    [&](const Var& v) { return found.from_weights.count(v.get()) != 0; }))
      found.from_weights.insert(var);
  });
  use(fn->body->body);
  return found;
}

SharedBindings find_shared(const std::vector<Function>& functions) {
  SharedBindings shared;
  ir::VarMap first;
  auto correspond = [&](const Var& var, const Var& to) {
    first[var.get()] = to;
    shared.first[var.get()] = to;
  };
  auto weights = [](const Function& fn) {
    auto inputs = number_of_inputs(fn).value_or(static_cast<int64_t>(fn->params.size()));
    return Array<Var>(fn->params.begin() + inputs, fn->params.end());
  };
  VarSet known;
  for (const Function& fn : functions) {
    Array<Var> theirs = weights(functions[0]), ours = weights(fn);
    if (theirs.size() != ours.size()) {
      throw ir::refuse(refusals["weights-differ"], fmt::format("{} and {}", theirs.size(), ours.size()))
          .at(fn->span);
    }
    for (size_t i = 0; i < ours.size(); ++i) {
      std::vector<Var> sizes = definable_vars(ours[i]->ty), their_sizes = definable_vars(theirs[i]->ty);
      if (!structural_equal(Any(ours[i]->ty), Any(theirs[i]->ty), true) || sizes.size() != their_sizes.size())
        throw ir::refuse(refusals["weights-differ"], fmt::format("parameter `{}`", text(ours[i]->name)))
            .at(ours[i]->span);
      correspond(ours[i], theirs[i]);
      for (size_t j = 0; j < sizes.size(); ++j) correspond(sizes[j], their_sizes[j]);
      known.insert(ours[i].get());
    }
  }
  // By their values, with the variables of the first function.
  struct Group {
    Expr value;
    std::vector<Var> vars;
    Binding binding;
  };
  std::vector<Group> groups;
  std::unordered_map<uint64_t, std::vector<size_t>> by_hash;
  for (const Function& fn : functions) {
    each_binding(fn, [&](const Binding& binding, bool dataflow) {
      if (!dataflow || as_match_cast(binding) || !can_lift(binding, known)) return;
      known.insert(binding->var.get());
      Expr value = relax::substitute(binding->value, first);
      std::vector<size_t>& alike = by_hash[ir::structural_hash(Any(value))];
      auto same = std::find_if(alike.begin(), alike.end(),
                               [&](size_t i) { return structural_equal(Any(groups[i].value), Any(value)); });
      if (same == alike.end()) {
        alike.push_back(groups.size());
        groups.push_back({value, {}, binding});
        same = alike.end() - 1;
      }
      groups[*same].vars.push_back(binding->var);
      first[binding->var.get()] = groups[*same].vars.front();
    });
  }
  for (const Group& group : groups) {
    if (group.vars.size() != functions.size()) continue;
    shared.bindings.push_back(group.binding);
    for (const Var& var : group.vars) shared.first[var.get()] = group.binding->var;
  }
  return shared;
}

}  // namespace mlc::transform
