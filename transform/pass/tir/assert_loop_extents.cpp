// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/expr_equal.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_assert_loop_extents {
namespace {

constexpr char doc[] =
    R"(AssertLoopExtents(): products of sizes that loops run over are numbers of the loops' type, or the call fails.

    def main(A: T.Buffer((n, m)), ...):         def main(A: T.Buffer((n, m)), ...):
        for i_j_fused in range(n * m):  =>          assert T.Cast("int64", n) * T.Cast("int64", m) <= T.int64(2147483647)
            ...                                     for i_j_fused in range(n * m):
needs: loops, without blocks.
keeps: everything where the sizes fit. Fused loops of sizes that are known at run time alone would wrap around and compute
nothing, or something else, of tensors with more than 2**31 - 1 elements.)";

// The extent counted in 64 bits; null where it is more than arithmetic on parameters.
Expr widened(const Expr& e, const std::unordered_set<const VarNode*>& sizes) {
  DataType wide = DataType::Int(64);
  if (auto value = const_int(e)) return make_const(wide, *value);
  if (auto* var = as<VarNode>(e)) return sizes.contains(var) ? cast(wide, e) : nullptr;
  auto* two = as_binary(e);
  if (!two || e->kind > ExprKind::kMax) return nullptr;
  Expr a = widened(two->a, sizes), b = widened(two->b, sizes);
  return a && b ? build(e->kind, a, b) : nullptr;
}

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  std::unordered_set<const VarNode*> sizes;
  for (const Var& param : fn->params) {
    const BufferTypeNode* type = param->buffer();
    if (!type) sizes.insert(param.get());
    for (const Expr& extent : type ? type->shape : Array<Expr>{}) {
      for (const Var& var : free_vars(extent)) sizes.insert(var.get());
    }
  }
  std::vector<Expr> products;
  post_order(fn->body, nullptr, [&](const Stmt& s) {
    auto* loop = as<ForNode>(s);
    if (!loop || loop->loop_var->dtype() != DataType::Int(32)) return;
    // Also what is divided by the lanes of a vector or the steps of a tile.
    post_order(loop->extent, [&](const Expr& e) {
      auto* product = as<MulNode>(e);
      Expr wide = product && !const_int(product->a) && !const_int(product->b) ? widened(e, sizes) : nullptr;
      auto same = [&](const Expr& other) { return same_expr(other, wide); };
      if (wide && std::none_of(products.begin(), products.end(), same)) products.push_back(wide);
    });
  });
  std::vector<Stmt> all;
  for (const Expr& product : products) {
    Expr fits = le(product, make_const(DataType::Int(64), INT32_MAX));
    Array<String> message{
        "the sizes multiply to more than 2**31 - 1, the most that a loop of int32 counts: "
        "declare them as int64"};
    all.push_back(make<AssertStmtNode>(fits, String("ValueError"), message));
  }
  if (all.empty()) return fn;
  all.push_back(fn->body);
  return with_body(fn, seq(all));
}

}  // namespace

extern const Pass assert_loop_extents{"AssertLoopExtents", "tirx.transform", "AssertLoopExtents()", doc,
                                      apply};

}  // namespace mlc::transform::pass_assert_loop_extents
