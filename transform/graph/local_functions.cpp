// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/local_functions.h"

#include <algorithm>
#include <set>

#include "ir/relax/numbers.h"
#include "transform/graph/symbolic_uses.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "symbol-is-taken",
         .kind = "InternalError+ValueError",
         .message = "a local function is exported as `{}`, and so is another function of the module"},
    }};
MLC_REFUSALS(graph_local_functions, refusals);

namespace {

// Free variables in the order of their first use in a value: those of dimensions and of other numbers, too.
struct FreeUses final : Visitor {
  std::vector<Var> found;

  explicit FreeUses(const FunctionNode* fn) {
    for (const Var& var : relax::free_vars(ref(fn))) left_.insert(var.get());
    for (const Var& var : symbolic_uses(ref(fn))) left_.insert(var.get());
    visit(fn->body);
  }

 private:
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      if (left_.erase(var) != 0) found.push_back(ref(var));
    } else if (as<ShapeExprNode>(e) || relax::is_arithmetic(e)) {
      for (const Var& var : relax::vars_of_numbers(e)) visit(var);
    } else {
      walk_children(e);
    }
  }
  std::unordered_set<const VarNode*> left_;
};

}  // namespace

// In the order of the program; functions before what is inside them.
struct CollectLocalFunctions final : Visitor {
  LocalFunctions& all;
  std::vector<std::string> path;
  std::vector<std::pair<const FunctionNode*, std::vector<std::string>>> paths;

  explicit CollectLocalFunctions(LocalFunctions& all) : all(all) {}

  void visit_binding(const Binding& binding) override {
    all.bound_[binding->var.get()] = binding->value;
    auto* fn = as_match_cast(binding) ? nullptr : as<FunctionNode>(binding->value);
    if (!fn) return walk_binding(binding);
    path.emplace_back(text(binding->var->name));
    paths.emplace_back(fn, path);
    all.found_[fn] = local(binding->var, fn);
    walk_binding(binding);
    path.pop_back();
  }

  LocalFunction local(const Var& itself, const FunctionNode* fn) {
    LocalFunction found;
    found.itself = itself;
    auto capture = [&](const Var& var) {
      bool known = std::any_of(found.captured.begin(), found.captured.end(),
                               [&](const Var& each) { return each.same_as(var); });
      if (!known) found.captured.push_back(var);
    };
    for (const Var& var : FreeUses(fn).found) {
      if (var.same_as(itself)) continue;
      auto value = all.bound_.find(var.get());
      auto* other = value == all.bound_.end() ? nullptr : as<FunctionNode>(value->second);
      if (!other) {
        capture(var);
        continue;
      }
      const LocalFunction& outer = all.found_.at(other);
      if (!outer.is_closure()) continue;  // a function of the module
      if (!is_around(other)) {
        capture(var);
        continue;
      }
      // A call of the function around it needs what that one has captured.
      for (const Var& needed : outer.captured) capture(needed);
    }
    // What is in types alone is known from the types of what is captured.
    std::unordered_set<const VarNode*> defined;
    for (const Var& var : found.captured) {
      defined.insert(var.get());
      for (const Var& dim : definable_vars(var->ty)) defined.insert(dim.get());
    }
    for (const Var& dim : symbolic_uses(ref(fn))) {
      if (defined.insert(dim.get()).second) found.captured.push_back(dim);
    }
    return found;
  }
  // Those that are being visited have their names on the path.
  bool is_around(const FunctionNode* fn) const {
    for (const auto& [known, names] : paths) {
      if (known == fn)
        return names.size() < path.size() && std::equal(names.begin(), names.end(), path.begin());
    }
    return false;
  }

  // The exported symbol; else `main_loop`, by function and variable, then the whole way to it, then with a
  // number.
  void choose_names() {
    std::set<std::string> taken;
    for (const auto& [name, fn] : all.mod_->functions) taken.emplace(text(name->name_hint));
    using Local = std::pair<const FunctionNode*, std::vector<std::string>>;
    auto choose = [&](const std::function<std::string(const Local&)>& name_of) {
      std::map<std::string, std::vector<const FunctionNode*>> wanted;
      for (const Local& each : paths) {
        std::string name = all.found_.at(each.first).name.empty() ? name_of(each) : "";
        if (!name.empty() && taken.count(name) == 0) wanted[name].push_back(each.first);
      }
      for (const auto& [name, functions] : wanted) {
        if (functions.size() != 1) continue;
        all.found_.at(functions[0]).name = name;
        taken.insert(name);
      }
    };
    for (const auto& [fn, names] : paths) {
      auto symbol = ir::attr(ref(fn), "global_symbol");
      if (!symbol) continue;
      std::string name(text(symbol->cast<String>()));
      if (!taken.insert(name).second) throw ir::refuse(refusals["symbol-is-taken"], name).at(fn->span);
      all.found_.at(fn).name = name;
    }
    choose([](const Local& each) { return each.second.front() + "_" + each.second.back(); });
    choose([](const Local& each) {
      return each.second.size() == 2 ? "" : fmt::format("{}", fmt::join(each.second, "_"));
    });
    for (const auto& [fn, names] : paths) {
      std::string& name = all.found_.at(fn).name;
      for (int i = 0; name.empty(); ++i) {
        std::string next = fmt::format("{}_{}_{}", names.front(), names.back(), i);
        if (taken.insert(next).second) name = next;
      }
    }
  }
};

LocalFunctions::LocalFunctions(const IRModule& mod) : mod_(mod) {
  CollectLocalFunctions collect(*this);
  for (const auto& [name, fn] : mod->functions) {
    auto* graph = Any(fn).as<FunctionNode>();
    if (!graph) continue;
    collect.path = {std::string(text(name->name_hint))};
    collect.visit(ref(graph));
  }
  collect.choose_names();
}

Expr LocalFunctions::value_of(Expr e) const {
  for (auto found = bound_.find(as<VarNode>(e)); found != bound_.end(); found = bound_.find(as<VarNode>(e)))
    e = found->second;
  return e;
}

// A function that returns what it itself returns ends nowhere: such depths are no values.
bool LocalFunctions::is_closure(const Expr& e, int depth) const {
  constexpr int kDeepest = 64;
  if (depth > kDeepest) return false;
  Expr value = value_of(e);
  if (auto* fn = as<FunctionNode>(value)) return at(fn).is_closure();
  auto* call = as<CallNode>(value);
  if (!call) return false;
  const FunctionNode* callee = nullptr;
  if (auto* global = as<GlobalVarNode>(call->op)) {
    GlobalVar known = mod_->find(text(global->name_hint));
    callee = known ? Any(mod_->functions.at(known)).as<FunctionNode>() : nullptr;
  } else {
    callee = as<FunctionNode>(value_of(call->op));
  }
  return callee && is_closure(callee->body->body, depth + 1);
}

}  // namespace mlc::transform
