// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/expr_equal.h"

#include <algorithm>

#include "ir/core/module.h"
#include "ir/core/visit.h"

namespace mlc::transform {
namespace {

bool same_all(const Array<Expr>& a, const Array<Expr>& b) {
  if (a.same_as(b)) return true;
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same_expr(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace

bool same_expr(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return true;
  if (!a || !b || a->kind != b->kind) return false;
  if (auto* left = as_binary(a)) {
    auto* right = as_binary(b);
    return same_expr(left->a, right->a) && same_expr(left->b, right->b);
  }
  switch (a->kind) {
    case ExprKind::kVar:
    case ExprKind::kOp:
    case ExprKind::kGlobalVar:
      return false;  // identity was compared above
    case ExprKind::kIntImm:
      return as<IntImmNode>(a)->value == as<IntImmNode>(b)->value && a->dtype() == b->dtype();
    case ExprKind::kNot:
      return same_expr(as<NotNode>(a)->a, as<NotNode>(b)->a);
    case ExprKind::kCast:
      return a->dtype() == b->dtype() && same_expr(as<CastNode>(a)->value, as<CastNode>(b)->value);
    case ExprKind::kTensorLoad: {
      auto *left = as<TensorLoadNode>(a), *right = as<TensorLoadNode>(b);
      return left->source.same_as(right->source) && same_all(left->indices, right->indices);
    }
    case ExprKind::kCall: {
      auto *left = as<CallNode>(a), *right = as<CallNode>(b);
      return left->op.same_as(right->op) && a->dtype() == b->dtype() && same_all(left->args, right->args) &&
             (left->attrs.same_as(right->attrs) || (left->attrs.empty() && right->attrs.empty()) ||
              structural_equal(left->attrs, right->attrs));
    }
    case ExprKind::kSelect: {
      auto *left = as<SelectNode>(a), *right = as<SelectNode>(b);
      return same_expr(left->condition, right->condition) && same_expr(left->true_value, right->true_value) &&
             same_expr(left->false_value, right->false_value);
    }
    case ExprKind::kRamp: {
      auto *left = as<RampNode>(a), *right = as<RampNode>(b);
      return same_expr(left->base, right->base) && same_expr(left->stride, right->stride) &&
             same_expr(left->lanes, right->lanes);
    }
    case ExprKind::kBroadcast: {
      auto *left = as<BroadcastNode>(a), *right = as<BroadcastNode>(b);
      return same_expr(left->value, right->value) && same_expr(left->lanes, right->lanes);
    }
    case ExprKind::kTensorRegion:  // which equality of structure lets differ in their free buffers
      return as<TensorRegionNode>(a)->source.same_as(as<TensorRegionNode>(b)->source) &&
             structural_equal(as<TensorRegionNode>(a)->region, as<TensorRegionNode>(b)->region);
    default:
      return structural_equal(a, b);
  }
}

bool same_exprs(const Array<Expr>& a, const Array<Expr>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_expr);
}

}  // namespace mlc::transform
