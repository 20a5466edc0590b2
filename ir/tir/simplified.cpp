// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/simplified.h"

#include "ir/core/visit.h"

namespace mlc::ir {
namespace {

struct SimplifyBounds final : Rewriter {
  const Simplify& simplify;
  explicit SimplifyBounds(const Simplify& simplify) : simplify(simplify) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    Stmt next = rewrite_children(s);
    auto* loop = as<ForNode>(next);
    if (loop == nullptr) return next;
    Expr extent = simplified(loop->extent, simplify);
    if (extent.same_as(loop->extent)) return next;
    return with(ref(loop), [&](ForNode& n) { n.extent = extent; });
  }
};

}  // namespace

IRModule with_simplified_bounds(const IRModule& mod, const Simplify& simplify) {
  Map<GlobalVar, BaseFunc> functions;
  for (const auto& [name, fn] : mod->functions) {
    auto prim = fn.as<PrimFunc>();
    functions.Set(
        name, prim ? BaseFunc(with(
                         *prim, [&](PrimFuncNode& n) { n.body = SimplifyBounds(simplify).rewrite(n.body); }))
                   : fn);
  }
  return with(mod, [&](IRModuleNode& n) { n.functions = functions; });
}

}  // namespace mlc::ir
