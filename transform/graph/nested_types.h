// SPDX-License-Identifier: Apache-2.0
// Tensors, and tuples of tensors, however deep: what passes do with every tensor in a value.
#pragma once

#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// Is it the type of a tensor, or of a tuple of such?
bool is_tensors(const Type& type);

// The tuple with every field as `change(field)` returns it, and the expression itself where all stay. Fields
// of what is no Tuple are taken out of it.
template <class F>
Expr map_fields(const Expr& e, F change) {
  const auto* type = type_as<TupleTypeNode>(e);
  auto* tuple = as<TupleNode>(e);
  Array<Expr> fields;
  bool changed = false;
  for (size_t i = 0; i < type->elements.size(); ++i) {
    Expr field = tuple ? tuple->elements[i] : Expr(make<TupleGetItemNode>(e, static_cast<int64_t>(i)));
    fields.push_back(change(field));
    changed = changed || !fields.back().same_as(field);
  }
  return changed ? Expr(make<TupleNode>(fields)) : e;
}

// Every tensor in the value as `change(tensor)` returns it.
template <class F>
Expr map_tensors(const Expr& e, F change) {
  if (type_as<TupleTypeNode>(e) == nullptr) return change(e);
  return map_fields(e, [&](const Expr& field) { return map_tensors(field, change); });
}
// The same with the tensor type at that position of `like`, a type of the same structure.
template <class F>
Expr map_tensors(const Expr& e, const Type& like, F change) {
  const auto* types = as_type<TupleTypeNode>(like);
  if (!types) return change(e, like);
  size_t i = 0;
  return map_fields(e, [&](const Expr& field) { return map_tensors(field, types->elements[i++], change); });
}

}  // namespace mlc::transform
