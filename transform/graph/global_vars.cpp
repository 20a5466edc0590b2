// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/global_vars.h"

namespace mlc::transform {
namespace {

using Renamed = std::map<std::string, GlobalVar>;

Expr renamed(const GlobalVarNode* global, const Renamed& names) {
  auto found = names.find(std::string(text(global->name_hint)));
  return found == names.end() ? Expr(ref(global)) : Expr(found->second);
}

struct RenameInGraph final : relax::Rewriter {
  const Renamed& names;
  explicit RenameInGraph(const Renamed& names) : names(names) {}
  Expr rewrite(const Expr& e) override {
    if (auto* global = as<GlobalVarNode>(e)) return renamed(global, names);
    return rewrite_children(e);
  }
};

BaseFunc rename_in(const BaseFunc& fn, const Renamed& names) {
  if (auto* graph = Any(fn).as<FunctionNode>()) {
    Expr next = RenameInGraph(names).rewrite(ref(graph));
    return ref(static_cast<const FunctionNode*>(next.get()));
  }
  if (auto* prim = Any(fn).as<PrimFuncNode>()) {
    return with_body(ref(prim), rewrite_with(prim->body, [&](const Expr& e, ir::Rewriter& on) {
                       auto* global = as<GlobalVarNode>(e);
                       return global ? renamed(global, names) : on.rewrite_children(e);
                     }));
  }
  return fn;
}

}  // namespace

IRModule rename_functions(const IRModule& mod, const std::map<std::string, std::string>& names) {
  if (names.empty()) return mod;
  Renamed variables;
  for (const auto& [global, fn] : mod->functions) {
    auto found = names.find(std::string(text(global->name_hint)));
    if (found == names.end()) continue;
    variables[found->first] = make<GlobalVarNode>(String(found->second), global->ty, global->span);
  }
  Map<GlobalVar, BaseFunc> functions;
  for (const auto& [global, fn] : mod->functions) {
    auto found = variables.find(std::string(text(global->name_hint)));
    functions.Set(found == variables.end() ? global : found->second, rename_in(fn, variables));
  }
  return with(mod, [&](IRModuleNode& n) { n.functions = functions; });
}

std::vector<GlobalVar> used_functions(const BaseFunc& fn) {
  std::vector<GlobalVar> all;
  std::unordered_set<std::string> seen;
  auto add = [&](const Expr& e) {
    auto* global = as<GlobalVarNode>(e);
    if (global && seen.insert(std::string(text(global->name_hint))).second) all.push_back(ref(global));
  };
  if (auto* graph = Any(fn).as<FunctionNode>()) relax::post_order(ref(graph), add);
  if (auto* prim = Any(fn).as<PrimFuncNode>(); prim && prim->body) ir::post_order(prim->body, add);
  return all;
}

IRModule without_unreached_functions(const IRModule& mod, const Array<String>& entries) {
  std::unordered_set<std::string> reached;
  std::vector<std::string> left;
  auto reach = [&](std::string name) {
    if (reached.insert(name).second) left.push_back(std::move(name));
  };
  for (const String& name : entries) reach(std::string(text(name)));
  for (const auto& [name, fn] : mod->functions) {
    if (ir::attr(fn, "global_symbol") || Any(fn).as<ExternFuncNode>()) reach(std::string(text(name->name_hint)));
  }
  while (!left.empty()) {
    std::string name = std::move(left.back());
    left.pop_back();
    GlobalVar global = mod->find(name);
    if (!global) continue;
    for (const GlobalVar& used : used_functions(mod->functions.at(global)))
      reach(std::string(text(used->name_hint)));
  }
  if (reached.size() == mod->functions.size()) return mod;
  Map<GlobalVar, BaseFunc> functions;
  for (const auto& [name, fn] : mod->functions) {
    if (reached.count(std::string(text(name->name_hint))) != 0) functions.Set(name, fn);
  }
  return with(mod, [&](IRModuleNode& n) { n.functions = functions; });
}

}  // namespace mlc::transform
