// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/type_equal.h"

#include "ir/core/module.h"
#include "ir/relax/expr.h"

namespace mlc::relax {
namespace {

const ShapeExprNode* shape_of(const Type& type) {
  const auto* tensor = as_type<TensorTypeNode>(type);
  return tensor && tensor->shape ? as<ShapeExprNode>(tensor->shape) : nullptr;
}

bool same_dim(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return true;
  auto x = const_int(a), y = const_int(b);
  return x && y && *x == *y && a->dtype() == b->dtype();
}

}  // namespace

bool same_type(const Type& a, const Type& b) {
  if (a.same_as(b)) return true;
  auto *x = shape_of(a), *y = shape_of(b);
  if (x && y && x->values.size() == y->values.size()) {
    const auto *left = as_type<TensorTypeNode>(a), *right = as_type<TensorTypeNode>(b);
    bool same = left->data_type() == right->data_type() && left->vdevice.same_as(right->vdevice);
    for (size_t i = 0; same && i < x->values.size(); ++i) same = same_dim(x->values[i], y->values[i]);
    if (same && a->kind == b->kind) return true;
  }
  return ir::structural_equal(Any(a), Any(b));
}

uint64_t type_hash(const Type& type) {
  uint64_t hash = static_cast<uint64_t>(type->kind);
  auto* shape = shape_of(type);
  if (!shape) return hash;
  hash = hash * 31 + static_cast<uint64_t>(as_type<TensorTypeNode>(type)->data_type().code());
  hash = hash * 31 + static_cast<uint64_t>(as_type<TensorTypeNode>(type)->data_type().bits());
  for (const Expr& value : shape->values) hash = hash * 1099511628211U + static_cast<uint64_t>(const_int(value).value_or(-1));
  return hash;
}

}  // namespace mlc::relax
