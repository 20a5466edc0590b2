// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/group_function.h"

#include <algorithm>

#include "transform/graph/calls.h"

namespace mlc::transform {
namespace {

// The bindings of the group over its parameters.
struct Body final : Mutator {
  using Mutator::builder_;
  using Mutator::Mutator;
  std::unordered_map<const ExprNode*, Expr> params;  // by argument

  Expr rewrite(const Expr& e) override {
    auto found = params.find(static_cast<const ExprNode*>(e.get()));
    return found == params.end() ? rewrite_children(e) : found->second;
  }
};

}  // namespace

std::optional<size_t> GroupFunction::output_index(const Var& var) const {
  auto found =
      std::find_if(outputs_.begin(), outputs_.end(), [&](const Var& each) { return each.same_as(var); });
  if (found == outputs_.end()) return std::nullopt;
  return static_cast<size_t>(found - outputs_.begin());
}
size_t GroupFunction::add_output(const Var& var) {
  if (auto known = output_index(var)) return *known;
  outputs_.push_back(var);
  return outputs_.size() - 1;
}

void GroupFunction::need(const Expr& e) {
  const auto* key = static_cast<const ExprNode*>(e.get());
  if (argument_of_.count(key) != 0) return;
  auto* var = as<VarNode>(e);
  if (var && defined_.count(var) != 0) return;
  if (!var && !lift_constants_ && as<GenericConstNode>(e)) return;
  if (is_prim(e) && !var) {
    std::vector<Var> vars = ir::free_vars(e);
    // Those that the block computes; other numbers come computed, but for sizes: leave_symbols_to_types.
    bool inner = std::any_of(vars.begin(), vars.end(), [](const Var& each) { return is_dataflow(each); });
    if (inner || vars.empty()) {
      if (vars.empty()) ++constants_;
      for (const Var& each : vars) need(each);
      return;
    }
  }
  if (auto* tuple = as<TupleNode>(e)) {
    for (const Expr& field : tuple->elements) need(field);
    return;
  }
  if (as<GlobalVarNode>(e) || as<ExternFuncNode>(e) || as<StringImmNode>(e)) return;
  std::string name = var ? std::string(text(var->name)) : fmt::format("param_{}", constants_++);
  argument_of_[key] = arguments_.size();
  arguments_.push_back(e);
  // A symbolic variable is itself: types of the group may name it.
  bool itself = var && is_prim(e) && !is_dataflow(ref(var));
  params_.push_back(itself ? ref(var) : make<VarNode>(String(name), e->ty));
  if (type_as<TupleTypeNode>(e)) partial_.emplace_back(key, std::vector<int64_t>{});
}

void GroupFunction::add(const Binding& binding) {
  auto partial = [&](const Expr& e) {
    return std::find_if(partial_.begin(), partial_.end(), [&](const auto& each) {
      return each.first == static_cast<const ExprNode*>(e.get());
    });
  };
  if (!as_match_cast(binding)) {
    const Expr& value = binding->value;
    const CallNode* kernel = kernel_call_of(value);
    if (kernel) {
      name_ += "_" + std::string(text(as<GlobalVarNode>(kernel->args[0])->name_hint));
      for (const Expr& arg : tuple_elements(kernel->args[1])) need(arg);
    } else if (auto* other = as<CallNode>(value)) {
      if (auto* op = as<OpNode>(other->op)) name_ += "_" + std::string(text(op->name));
      if (auto* global = as<GlobalVarNode>(other->op)) {
        std::string_view callee = text(global->name_hint);
        if (callee.starts_with("fused_")) callee.remove_prefix(6);
        name_ += fmt::format("_{}", callee);
      }
      for (const Expr& arg : other->args) {
        need(arg);
        if (auto found = partial(arg); found != partial_.end()) partial_.erase(found);  // needed as a whole
      }
    } else if (auto* item = as<TupleGetItemNode>(value)) {
      need(item->tuple_value);
      if (auto found = partial(item->tuple_value); found != partial_.end())
        found->second.push_back(item->index);
    } else {
      need(value);
    }
    defined_.insert(binding->var.get());
    if (!is_dataflow(binding->var)) add_output(binding->var);
  }
  bindings_.push_back(binding);
}

// The parameter for a tuple is replaced by parameters for those elements that are used.
void GroupFunction::use_parts_of_tuples() {
  for (const auto& [tuple, indices] : partial_) {
    size_t at = argument_of_.at(tuple);
    std::string name(text(params_[at]->name));
    const auto* type = as_type<TupleTypeNode>(tuple->ty);
    std::vector<Expr> items;
    std::vector<Var> params;
    for (int64_t index : indices) {
      items.push_back(make<TupleGetItemNode>(ref(tuple), index));
      params.push_back(make<VarNode>(String(fmt::format("{}_{}", name, index)),
                                     type->elements[static_cast<size_t>(index)]));
    }
    arguments_.erase(arguments_.begin() + static_cast<int64_t>(at));
    arguments_.insert(arguments_.begin() + static_cast<int64_t>(at), items.begin(), items.end());
    params_.erase(params_.begin() + static_cast<int64_t>(at));
    params_.insert(params_.begin() + static_cast<int64_t>(at), params.begin(), params.end());
    argument_of_.erase(tuple);
    for (auto& [key, index] : argument_of_) {
      if (index > at) index = index + items.size() - 1;
    }
  }
}

// A symbolic variable that types of the group name is defined by them, or comes with those that are not; it
// is no parameter by itself.
void GroupFunction::leave_symbols_to_types() {
  std::unordered_set<const VarNode*> named;
  auto add = [&](const Type& type) {
    for (const Var& var : symbolic_vars(type)) named.insert(var.get());
  };
  for (const Var& param : params_) {
    if (!is_prim(param)) add(param->ty);
  }
  for (const Binding& binding : bindings_) {
    add(binding->var->ty);
    if (auto* call = as<CallNode>(binding->value)) {
      for (const Type& type : call->ty_args) add(type);
    }
  }
  for (size_t i = params_.size(); i-- > 0;) {
    if (!is_prim(arguments_[i])) continue;
    std::vector<Var> vars = ir::free_vars(arguments_[i]);
    bool known =
        std::all_of(vars.begin(), vars.end(), [&](const Var& var) { return named.count(var.get()) != 0; });
    if (!known) continue;
    argument_of_.erase(static_cast<const ExprNode*>(arguments_[i].get()));
    for (auto& [key, index] : argument_of_) {
      if (index > i) --index;
    }
    params_.erase(params_.begin() + static_cast<int64_t>(i));
    arguments_.erase(arguments_.begin() + static_cast<int64_t>(i));
  }
}

Function GroupFunction::build(Host& host, const IRModule& mod, Map<String, Any> attrs) {
  leave_symbols_to_types();
  use_parts_of_tuples();
  Body body(host, mod);
  for (const auto& [key, index] : argument_of_) {
    body.params[key] = params_[index];
    if (auto* var = as<VarNode>(arguments_[index])) body.map_var(ref(var), params_[index]);
  }
  body.builder_->begin_scope(Array<Var>(params_.begin(), params_.end()));
  for (const Var& param : params_) body.builder_->unique_name(text(param->name));
  for (const Binding& binding : bindings_) {  // results get new variables
    if (!output_index(binding->var)) body.builder_->unique_name(text(binding->var->name));
  }
  body.builder_->begin_dataflow_block();
  std::vector<Expr> results(outputs_.size());
  for (const Binding& binding : bindings_) {
    auto output = output_index(binding->var);
    auto* item = as<TupleGetItemNode>(binding->value);
    if (item && !as_match_cast(binding)) {
      // An element of a tuple argument is its parameter.
      auto found = std::find_if(arguments_.begin(), arguments_.end(), [&](const Expr& e) {
        auto* given = as<TupleGetItemNode>(e);
        return given && given->tuple_value.same_as(item->tuple_value) && given->index == item->index;
      });
      if (found != arguments_.end()) {
        Var param = params_[static_cast<size_t>(found - arguments_.begin())];
        body.map_var(binding->var, param);
        if (output) results[*output] = param;
        continue;
      }
    }
    if (!output) {
      body.rewrite_binding(binding);
      continue;
    }
    Var result = body.builder_->emit_output(body.rewrite(binding->value), "gv");
    body.map_var(binding->var, result);
    results[*output] = result;
  }
  BindingBlock block = body.builder_->end_block();
  body.builder_->end_scope();
  if (results.empty()) return nullptr;
  Expr value =
      results.size() == 1 ? results[0] : Expr(make<TupleNode>(Array<Expr>(results.begin(), results.end())));
  SeqExpr seq = make<SeqExprNode>(Array<BindingBlock>{block}, value);
  // Symbolic variables that no parameter defines come as a shape of their own.
  std::unordered_set<const VarNode*> known;
  for (const Var& param : params_) {
    if (is_prim(param)) known.insert(param.get());
    for (const Var& var : definable_vars(param->ty)) known.insert(var.get());
  }
  std::vector<Expr> all_unknown;
  auto collect = [&](const Type& type) {
    for (const Var& var : symbolic_vars(type)) {
      if (known.insert(var.get()).second) all_unknown.push_back(var);
    }
  };
  for (const Var& param : params_) collect(param->ty);
  for (const Binding& binding : block->bindings) {
    if (auto* call = as<CallNode>(binding->value)) {
      for (const Type& type : call->ty_args) collect(type);
    }
    collect(binding->var->ty);
  }
  std::reverse(all_unknown.begin(), all_unknown.end());  // as TVM orders them
  Array<Expr> unknown(all_unknown.begin(), all_unknown.end());
  if (!unknown.empty()) {
    params_.push_back(make<VarNode>(String("tir_vars"), Type(make<ShapeTypeNode>(unknown))));
    arguments_.push_back(make<ShapeExprNode>(unknown));
  }
  attrs.Set("Primitive", true);
  Function fn = make<FunctionNode>(Array<Var>(params_.begin(), params_.end()), seq, value->ty, true, attrs);
  return with_new_vars(fn);
}

}  // namespace mlc::transform
