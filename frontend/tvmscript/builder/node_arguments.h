// SPDX-License-Identifier: Apache-2.0
// Arguments of the constructors of nodes.
#pragma once

#include "frontend/tvmscript/builder/arguments.h"

namespace mlc::tvmscript {

inline constexpr std::string_view kTirx = "tvm.tirx";
inline constexpr std::string_view kIr = "tvm.ir";

// The row of a class: "tirx", "stmt", "Bind" is tvm.tirx.Bind, shown as tvm.tirx.stmt.Bind.
#define MLC_NODE_CLASS(folder, file, name, params, doc, body)                                   \
  {                                                                                             \
    ir::ApiKind::kClass, "tvm." folder, name params, doc, body, "mlc." folder "." name,         \
        "tvm." folder "." file "." name                                                         \
  }

// Argument i as a node of type N; Error wrong-type saying `expected`.
template <class N>
Ref<N> node_arg(const ApiCall& call, size_t i, std::string_view expected) {
  if (auto* node = call.args[i].as<N>()) return ir::ref(node);
  ir::wrong_argument(call, i, expected);
}
template <class N>
Ref<N> optional_node(const ApiCall& call, size_t i, std::string_view expected) {
  return is_given(call, i) ? node_arg<N>(call, i, expected) : Ref<N>();
}
// A list or tuple of nodes; None is empty.
template <class N>
Array<Ref<N>> node_list(const ApiCall& call, size_t i, std::string_view expected) {
  Array<Ref<N>> all;
  if (!is_given(call, i)) return all;
  if (!is_list(call.args[i])) ir::wrong_argument(call, i, expected);
  for (const Any& one : script::elements(call.args[i])) {
    auto* node = one.as<N>();
    if (!node) ir::wrong_argument(call, i, expected);
    all.push_back(ir::ref(node));
  }
  return all;
}
// A str or StringImm as text.
String text_from(const Any& value, const ApiCall& call, size_t i);
// An expression; a str is a StringImm.
Expr expr_or_text(const ApiCall& call, size_t i);
// A Type, the name of a data type ("handle" is a pointer to what is not said), or a constructor such as
// T.int32; None is the type of no value.
Type type_from(const Any& value, Span span);
// The indices of an element of a buffer are values, and only the last one may be a vector. Errors:
// type-mismatch, vector-index.
void check_indices(const Buffer& buffer, const Array<Expr>& indices, Span span);
// A view has the type and memory of what it views, and the shape of the region: leading dimensions of one
// element may go. Error type-mismatch.
void check_match(const Buffer& buffer, const Ref<ir::TensorRegionNode>& source, Span span);
// For classes that are there to be asked for with isinstance.
Any not_constructible(ApiCall& call);

}  // namespace mlc::tvmscript
