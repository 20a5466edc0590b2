// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/function_target.h"
#include "transform/pass/jumps.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_inline_private_functions {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "wrong-arguments", .message = "`{}` takes {} arguments, {} are given"},
    }};
MLC_REFUSALS(tir_inline_private_functions, refusals);

namespace {

constexpr char doc[] =
    R"(InlinePrivateFunctions(): put the bodies of private functions where they are called.

    def main(A: T.Buffer((8,), "float32")):         def main(A: T.Buffer((8,), "float32")):
        Module.scale(A.data, 2)             =>          ... the body of `scale` with A.data and 2 ...
needs: nothing.
keeps: every effect. A function is inlined, and goes, when no one outside can call it, it has no buffers as
parameters, gives nothing back, has no blocks, is for no other target and does not call itself, through others
either. Its calls stand
as statements. Where nothing is inlined all functions stay.
Before targets are split, while one function sees the other.)";

using Functions = std::unordered_map<std::string, PrimFunc>;

bool may_go(const PrimFunc& fn) {
  if (attr(fn, "global_symbol") || as<SBlockRealizeNode>(fn->body)) return false;
  for (const Var& param : fn->params) {
    if (param->buffer()) return false;
  }
  return !has_return(fn->body);
}

using Names = std::unordered_set<std::string>;

// `called`: functions that are not inlined everywhere; `placed`: those that are inlined somewhere.
Stmt inlined(const PrimFunc& caller, const Functions& bodies, Names& called, Names& placed) {
  auto target = bound_target(caller);
  return rewrite_with(caller->body, [&](const Stmt& s, Rewriter& on) {
    auto* evaluate = as<EvaluateNode>(s);
    if (!evaluate) return on.rewrite_children(s);
    auto* call = as<CallNode>(evaluate->value);
    auto* callee = call ? as<GlobalVarNode>(call->op) : nullptr;
    auto found = callee ? bodies.find(std::string(callee->name_hint)) : bodies.end();
    if (found == bodies.end()) return s;
    const PrimFunc& fn = found->second;
    if (auto own = bound_target(fn); own && target && !structural_equal(*own, *target)) {
      called.insert(found->first);
      return s;
    }
    if (fn->params.size() != call->args.size()) {
      throw refuse(refusals["wrong-arguments"], text(callee->name_hint), fn->params.size(), call->args.size())
          .at(s->span);
    }
    placed.insert(found->first);
    VarMap values;
    for (size_t i = 0; i < fn->params.size(); ++i) values[fn->params[i].get()] = call->args[i];
    return on.rewrite(FreshBinders().rewrite(Substituter(values).rewrite(fn->body)));
  });
}

IRModule apply(const IRModule& mod, const PassOptions&) {
  Functions all;
  std::unordered_map<std::string, std::vector<std::string>> calls;
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (!fn) continue;
    auto& callees = calls[std::string(name->name_hint)];
    walk_with((*fn)->body, [&](const Expr& e, Walker& on) {
      auto* call = as<CallNode>(e);
      if (auto* callee = call ? as<GlobalVarNode>(call->op) : nullptr)
        callees.emplace_back(std::string(callee->name_hint));
      on.walk_children(e);
    });
    if (may_go(*fn)) all.emplace(std::string(name->name_hint), *fn);
  }
  auto calls_itself = [&](const std::string& name) {
    std::unordered_set<std::string> seen;
    std::vector<std::string> open = calls[name];
    while (!open.empty()) {
      std::string next = open.back();
      open.pop_back();
      if (next == name) return true;
      if (seen.insert(next).second) open.insert(open.end(), calls[next].begin(), calls[next].end());
    }
    return false;
  };
  Functions bodies;
  for (const auto& [name, fn] : all) {
    if (!calls_itself(name)) bodies.emplace(name, fn);
  }
  if (bodies.empty()) return mod;
  // Where a call is part of an expression its function has to stay.
  Names called, placed;
  IRModule result = map_prim_funcs(
      mod, [&](const PrimFunc& fn) { return with_body(fn, inlined(fn, bodies, called, placed)); });
  if (placed.empty()) return result;  // as in TVM: then what nobody calls stays, too
  Map<GlobalVar, BaseFunc> functions = result->functions;
  for (const auto& [name, base] : result->functions) {
    std::string key(name->name_hint);
    if (bodies.contains(key) && !called.contains(key)) functions.erase(name);
  }
  return with(result, [&](IRModuleNode& n) { n.functions = functions; });
}

}  // namespace

extern const Pass inline_private_functions{
    "InlinePrivateFunctions", "tirx.transform", "InlinePrivateFunctions()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_inline_private_functions
