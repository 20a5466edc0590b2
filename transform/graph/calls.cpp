// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"

namespace mlc::transform {

DataType dtype_of_const(const Expr& e) {
  auto* constant = as<GenericConstNode>(e);
  auto dtype = constant ? constant->value.as<DLDataType>() : std::nullopt;
  MLC_CHECK(dtype, "an operand that should be a data type is none");
  return DataType(*dtype);
}

Call call_packed(std::string_view name, Array<Expr> args, Array<Type> ty_args, Span span) {
  Type type = ty_args.empty() ? any_type() : ty_args.size() == 1 ? ty_args[0] : Type(make<TupleTypeNode>(ty_args));
  return make<CallNode>(type, Expr(make<ExternFuncNode>(String(std::string(name)))), std::move(args),
                        Map<String, Any>{}, span, std::move(ty_args));
}

Array<Expr> tuple_elements(const Expr& e) {
  if (auto* tuple = as<TupleNode>(e)) return tuple->elements;
  Array<Expr> all;
  const auto* type = type_as<TupleTypeNode>(e);
  MLC_CHECK(type, "a value that should be a tuple is a {}", kind_name(e->ty));
  for (size_t i = 0; i < type->elements.size(); ++i)
    all.push_back(make<TupleGetItemNode>(e, static_cast<int64_t>(i)));
  return all;
}

int64_t element_bytes(DataType dtype) { return (static_cast<int64_t>(dtype.bits()) * dtype.lanes() + 7) / 8; }

}  // namespace mlc::transform
