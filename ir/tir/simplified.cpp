// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/simplified.h"

#include "ir/core/visit.h"
#include "ir/core/walk_with.h"

namespace mlc::ir {
IRModule with_simplified_bounds(const IRModule& mod, const Simplify& simplify) {
  Map<GlobalVar, BaseFunc> functions;
  for (const auto& [name, fn] : mod->functions) {
    auto prim = fn.as<PrimFunc>();
    auto bounds = [&](const Stmt& s, Rewriter& on) -> Stmt {
      Stmt next = on.rewrite_children(s);
      auto* loop = as<ForNode>(next);
      if (loop == nullptr) return next;
      Expr extent = simplified(loop->extent, simplify);
      if (extent.same_as(loop->extent)) return next;
      return with(ref(loop), [&](ForNode& n) { n.extent = extent; });
    };
    functions.Set(
        name,
        prim ? BaseFunc(with(*prim, [&](PrimFuncNode& n) { n.body = rewrite_with(n.body, bounds); })) : fn);
  }
  return with(mod, [&](IRModuleNode& n) { n.functions = functions; });
}

}  // namespace mlc::ir
