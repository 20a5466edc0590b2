// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/partition.h"

#include <algorithm>
#include <map>
#include <string>

#include "backend/llvm/pch.h"

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

std::vector<ir::IRModule> partition(const ir::IRModule& lowered) {
  struct Function {
    ir::GlobalVar var;
    ir::BaseFunc fn;
    Uses uses;
  };
  std::map<std::string, Function> functions;  // by name, since the module has no order of its own
  std::map<std::string, std::string> by_symbol;
  size_t size = 0;
  for (const auto& [var, fn] : lowered->functions) {
    std::string name(var->name_hint);
    Function& made = functions[name];
    made.var = var;
    made.fn = fn;
    if (auto symbol = ir::attr(fn, "global_symbol"))
      by_symbol[std::string(symbol->cast<ir::String>())] = name;
    if (auto tensor = fn.as<ir::PrimFunc>()) made.uses.visit((*tensor)->body);
    size += made.uses.size;
  }
  if (size < kSmall) return {lowered};

  // Functions that refer to each other are one group, named by one of them.
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
  std::map<std::string, size_t> sizes;
  for (const auto& [name, function] : functions) sizes[group_of(name)] += function.uses.size;
  if (sizes.size() == 1) return {lowered};

  std::map<std::string, ir::Map<ir::GlobalVar, ir::BaseFunc>> parts;
  for (const auto& [name, function] : functions) parts[group_of(name)].Set(function.var, function.fn);
  std::vector<std::pair<std::string, size_t>> order(sizes.begin(), sizes.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<ir::IRModule> result;
  for (const auto& [name, size_of_part] : order)
    result.push_back(ir::make<ir::IRModuleNode>(parts.at(name), lowered->attrs, lowered->global_infos));
  return result;
}

}  // namespace mlc::llvm_backend
