// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/partition.h"

#include <algorithm>
#include <map>
#include <string>

#include "backend/llvm/pch.h"
#include "backend/llvm/reuse.h"

namespace mlc::llvm_backend {

namespace {

// Expressions and statements; LLVM takes about as long for them as linking the parts.
constexpr size_t kSmall = 10'000;

using ir::Expr;
using ir::Stmt;

// How large a function is, and the functions that it refers to.
struct Uses final : ir::Walker {
  size_t size = 0;
  std::vector<std::string> names;
  void visit(const Expr& e) override {
    ++size;
    if (e->kind == ir::ExprKind::kGlobalVar)
      names.emplace_back(static_cast<const ir::GlobalVarNode*>(e.get())->name_hint);
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    ++size;
    walk_children(s);
  }
};

}  // namespace

bool is_large(const ir::IRModule& lowered) {
  Uses uses;
  for (const auto& [var, fn] : lowered->functions)
    if (auto tensor = fn.as<ir::PrimFunc>()) uses.visit((*tensor)->body);
  return uses.size >= kSmall;
}

std::vector<FunctionGroup> function_groups(const ir::IRModule& mod) {
  struct Function {
    ir::GlobalVar var;
    ir::BaseFunc fn;
    Uses uses;
  };
  std::map<std::string, Function> functions;  // by name, since the module has no order of its own
  std::map<std::string, std::string> by_symbol;
  for (const auto& [var, fn] : mod->functions) {
    std::string name(var->name_hint);
    Function& made = functions[name];
    made.var = var;
    made.fn = fn;
    if (auto symbol = ir::attr(fn, "global_symbol"))
      by_symbol[std::string(symbol->cast<ir::String>())] = name;
    if (auto tensor = fn.as<ir::PrimFunc>()) made.uses.visit((*tensor)->body);
  }

  // A group is named by one of its functions.
  std::map<std::string, std::string> group;
  for (const auto& [name, function] : functions) group[name] = name;
  auto group_of = [&group](std::string name) {
    while (group.at(name) != name) name = group.at(name);
    return name;
  };
  auto join = [&](const std::string& a, const std::string& b) {
    if (group.count(b) != 0) group[group_of(a)] = group_of(b);
  };
  for (const auto& [name, function] : functions) {
    for (const std::string& used : function.uses.names) join(name, used);
    if (auto original = ir::attr(function.fn, "mlc.version_of")) {
      auto found = by_symbol.find(std::string(original->cast<ir::String>()));
      if (found != by_symbol.end()) join(name, found->second);
    }
  }
  std::map<std::string, FunctionGroup> groups;
  for (const auto& [name, function] : functions) {
    FunctionGroup& own = groups[group_of(name)];
    own.size += function.uses.size;
    own.functions.Set(function.var, function.fn);
  }
  std::vector<FunctionGroup> result;
  for (auto& [name, each] : groups) result.push_back(std::move(each));
  return result;
}

std::vector<ir::IRModule> partition(const ir::IRModule& lowered) {
  std::vector<FunctionGroup> groups = function_groups(lowered);
  size_t size = 0;
  for (const FunctionGroup& group : groups) size += group.size;
  if (groups.size() == 1 || (size < kSmall && !has_code_keys(lowered))) return {lowered};
  std::stable_sort(groups.begin(), groups.end(),
                   [](const FunctionGroup& a, const FunctionGroup& b) { return a.size > b.size; });
  std::vector<ir::IRModule> result;
  for (const FunctionGroup& group : groups)
    result.push_back(ir::make<ir::IRModuleNode>(group.functions, lowered->attrs, lowered->global_infos));
  return result;
}

}  // namespace mlc::llvm_backend
