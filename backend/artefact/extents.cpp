// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/extents.h"

#include <algorithm>

#include "ir/core/error.h"
#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/division.h"

namespace mlc::backend {

using ir::Expr;

namespace {

Expr combine_indices(const ir::BufferTypeNode* type, const ir::Array<Expr>& indices) {
  bool packed = type->strides.empty();
  Expr flat = packed ? indices[0] : ir::mul(indices[0], type->strides[0]);
  for (int64_t i = 1; i < static_cast<int64_t>(indices.size()); ++i) {
    flat = packed ? ir::add(ir::mul(flat, type->shape[i]), indices[i])
                  : ir::add(flat, ir::mul(indices[i], type->strides[i]));
  }
  return flat;
}

}  // namespace

bool is_long(const ir::BufferTypeNode* type) {
  int64_t elements = 1;
  for (const Expr& extent : type->shape) {
    auto count = ir::const_int(extent);
    if (!count || __builtin_mul_overflow(elements, std::max<int64_t>(*count, 1), &elements)) return true;
  }
  return elements > INT32_MAX;
}

std::optional<int64_t> at_most(const Expr& e) {
  if (auto value = ir::const_int(e)) return value;
  if (auto* cast = ir::as<ir::CastNode>(e)) return at_most(cast->value);
  bool division = e->kind == ir::ExprKind::kDiv || e->kind == ir::ExprKind::kFloorDiv;
  if (!division && e->kind != ir::ExprKind::kMin && e->kind != ir::ExprKind::kMul) return std::nullopt;
  const auto* node = static_cast<const ir::BinaryNode*>(e.get());
  std::optional<int64_t> left = at_most(node->a);
  std::optional<int64_t> right = division ? ir::const_int(node->b) : at_most(node->b);
  if (e->kind == ir::ExprKind::kMin) return left && right ? std::min(left, right) : left ? left : right;
  if (!left || !right || *left < 0 || *left > kStackBytes || *right < 0 || *right > kStackBytes) {
    return std::nullopt;
  }
  if (!division) return *left * *right;
  return *right > 0 ? std::optional(*left / *right) : std::nullopt;
}

Expr without_zero_divisors(const Expr& e) {
  return ir::rewrite_with(e, [](const Expr& part, ir::Rewriter& on) {
    Expr made = on.rewrite_children(part);
    const ir::BinaryNode* node = ir::as_integer_division(made);
    if (node == nullptr || ir::const_int(node->b)) return made;
    Expr by = ir::select(ir::eq(node->b, ir::const_like(node->b, 0)), ir::const_like(node->b, 1), node->b);
    return ir::build(made->kind, node->a, by);
  });
}

Expr flat_index(const ir::Buffer& buffer, const ir::Array<Expr>& indices) {
  const ir::BufferTypeNode* type = buffer->buffer();
  if (indices.empty()) {  // a scalar buffer
    return type->elem_offset ? type->elem_offset : Expr(ir::int32(0));
  }
  MLC_CHECK(indices.size() == std::max<size_t>(1, type->shape.size()),
            "`{}` has {} dimensions and {} indices", buffer->name.c_str(), type->shape.size(),
            indices.size());
  Expr flat = indices.size() == 1 && type->strides.empty() ? indices[0] : combine_indices(type, indices);
  if (type->elem_offset && !ir::is_const_int(type->elem_offset, 0)) flat = ir::add(flat, type->elem_offset);
  return flat;
}

}  // namespace mlc::backend
