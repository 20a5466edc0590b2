// SPDX-License-Identifier: Apache-2.0
// What scripts ask of nodes of every kind, and the enumerations beside them.
#include "frontend/script/core/missing_type.h"
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/module.h"
#include "ir/tir/arith_ops.h"

namespace mlc::tvmscript {
namespace {

DataType dtype_of(const ApiCall& call) { return call.args[0].as<ir::PrimTypeNode>()->dtype; }
Any is_scalar_type(ApiCall& call) { return dtype_of(call).is_scalar(); }
Any matches_code(ApiCall& call) {
  for (const Any& code : script::elements(call.args[1])) {
    if (script::is_int(code) && script::raw_int(code) == static_cast<int64_t>(dtype_of(call).code()))
      return true;
  }
  return false;
}
Any matches_element(ApiCall& call) {
  return script::is_int(call.args[1]) && script::is_int(call.args[2]) &&
         script::raw_int(call.args[1]) == static_cast<int64_t>(dtype_of(call).code()) &&
         script::raw_int(call.args[2]) == static_cast<int64_t>(dtype_of(call).bits());
}
Any equals(ApiCall& call) {
  if (script::is_str(call.args[1])) return script::text_of(call.args[1]) == dtype_of(call).str();
  auto* other = call.args[1].as<ir::PrimTypeNode>();
  return other != nullptr && DataType(other->dtype) == dtype_of(call);
}
Any same_structure(ApiCall& call) { return ir::structural_equal(call.args[0], call.args[1]); }
// Variables and functions that have only a name are opaque until they are used.
Any is_missing_type(ApiCall& call) {
  auto* type = call.args[0].as<ir::TypeNode>();
  return call.args[0].as<script::MissingTypeNode>() != nullptr || type->kind == ir::TypeKind::kOpaque;
}
Any no_type(ApiCall&) { return script::missing_type(); }

Any itself(ApiCall& call) { return call.args[0]; }

// An iterator in an expression is its variable.
Expr variable_of(const ApiCall& call) { return call.args[0].as<ir::IterVarNode>()->var; }
Any iterator_astype(ApiCall& call) { return ir::cast(dtype_arg(call, 1), variable_of(call), call.span); }
Any iterator_equal(ApiCall& call) { return ir::eq(variable_of(call), expr_arg(call, 1), call.span); }
Any iterator_type(ApiCall& call) { return variable_of(call)->ty; }

Any function_type(ApiCall& call) {
  auto* fn = call.args[0].as<ir::PrimFuncNode>();
  Array<Type> types;
  for (const Var& param : fn->params) types.push_back(param->ty);
  return ir::make<ir::FuncTypeNode>(types, fn->ret_type);
}

Any global_var_map(ApiCall& call) {
  Map<String, Any> names;
  for (const auto& [name, fn] : call.args[0].as<ir::IRModuleNode>()->functions)
    names.Set(name->name_hint, name);
  return names;
}

#define METHOD(owner, signature, doc, body) \
  { ir::ApiKind::kMethod, owner, signature, doc, body }
Any tuple_size(ApiCall& call) {
  return static_cast<int64_t>(call.args[0].as<ir::TupleNode>()->elements.size());
}
Any tuple_item(ApiCall& call) {
  const auto& elements = call.args[0].as<ir::TupleNode>()->elements;
  auto size = static_cast<int64_t>(elements.size());
  auto at = ir::detail::argument<int64_t>(call, 1);
  if (at < -size || at >= size)
    throw ir::Error("index-out-of-range", "the tuple has no such element").kind("IndexError").at(call.span_of(1));
  return elements[at < 0 ? at + size : at];
}
constexpr ir::ApiRow node_method_table[] = {
    METHOD("mlc.ir.Tuple", "__len__()", "The number of values.", tuple_size),
    METHOD("mlc.ir.Tuple", "__getitem__(index)", "One of the values.", tuple_item),
    METHOD("mlc.ir.PrimType", "is_scalar()", "Is it one number?", is_scalar_type),
    METHOD("mlc.ir.PrimType", "matches_code(*codes)", "Is it a number of one of these kinds?", matches_code),
    METHOD("mlc.ir.Type", "is_missing()", "Is it the type of what has no type yet?", is_missing_type),
    {ir::ApiKind::kFunction, "tvm.ir.Type", "missing()", "The type of what has no type yet.", no_type},
    {ir::ApiKind::kFunction, "tvm.ir.Type", "Missing()", "Older name of `Type.missing`.", no_type},
    METHOD("mlc.ir.PrimType", "matches_element_type(code, bits)", "Is an element of this kind and width?",
           matches_element),
    METHOD("mlc.ir.PrimType", "__eq__(other)", "Is it the same type, or its name?", equals),
    METHOD("mlc.ir.Type", "__eq__(other)", "Is it the same type?", same_structure),
    METHOD("mlc.ir.Range", "__eq__(other)", "Have both the same bounds?", same_structure),
    METHOD("mlc.prim.EQ", "asobject()", "The comparison itself.", itself),
    METHOD("mlc.prim.NE", "asobject()", "The comparison itself.", itself),
    METHOD("mlc.tirx.IterVar", "astype(dtype)", "The variable converted to a type.", iterator_astype),
    METHOD("mlc.tirx.IterVar", "equal(other)", "Is the variable equal to a value?", iterator_equal),
    METHOD("mlc.tirx.IterVar", "expr_ty()", "The type of the variable.", iterator_type),
    {ir::ApiKind::kProperty, "mlc.ir.IRModule", "pyfuncs", "A module has no functions of Python.",
     +[](ApiCall&) -> Any { return Map<String, Any>(); }},
    {ir::ApiKind::kProperty, "mlc.tirx.BufferType", "dtype", "The type of an element.",
     +[](ApiCall& call) -> Any { return ir::prim_type(call.args[0].as<ir::BufferTypeNode>()->dtype); }},
    {ir::ApiKind::kProperty, "mlc.tirx.AssertStmt", "error_kind", "The kind of the error.",
     +[](ApiCall& call) -> Any {
       return Expr(ir::make<ir::StringImmNode>(call.args[0].as<ir::AssertStmtNode>()->error_kind));
     }},
    {ir::ApiKind::kProperty, "mlc.tirx.AssertStmt", "message_parts", "The message, in parts.",
     +[](ApiCall& call) -> Any {
       Array<Expr> parts;
       for (const String& part : call.args[0].as<ir::AssertStmtNode>()->message_parts)
         parts.push_back(ir::make<ir::StringImmNode>(part));
       return parts;
     }},
    {ir::ApiKind::kProperty, "mlc.tirx.PrimFunc", "ty", "The types of parameters and result.", function_type},
    {ir::ApiKind::kProperty, "mlc.ir.IRModule", "global_var_map_", "Names as values by name.",
     global_var_map},
};
#undef METHOD

}  // namespace

std::span<const ir::ApiRow> node_method_rows() { return node_method_table; }

}  // namespace mlc::tvmscript
