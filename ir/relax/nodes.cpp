// SPDX-License-Identifier: Apache-2.0
// Constructors that compute types, and what is shared.
#include "ir/relax/expr.h"

namespace mlc::relax {

TensorTypeNode::TensorTypeNode(Expr shape, DataType dtype, VDevice vdevice)
    : TypeNode(kKind),
      shape(std::move(shape)),
      dtype(dtype),
      vdevice(std::move(vdevice)),
      ndim(kUnknownNDim) {
  if (const auto* type = type_as<ShapeTypeNode>(this->shape)) ndim = type->ndim;
}

std::optional<Array<Expr>> TensorTypeNode::dims() const {
  if (!shape) return std::nullopt;
  if (auto* known = as<ShapeExprNode>(shape)) return known->values;
  if (const auto* type = type_as<ShapeTypeNode>(shape); type && type->values.has_value())
    return type->values.value();
  return std::nullopt;
}

Type any_type() {
  static const Type type = make<AnyTypeNode>();
  return type;
}

FuncType opaque_function(Type ret, bool purity, ffi::Optional<String> derive_func) {
  return make<FuncTypeNode>(ffi::Optional<Array<Type>>(std::nullopt), std::move(ret), purity,
                            std::move(derive_func));
}
Type extern_func_type() {
  static const Type type = opaque_function(any_type(), false, String(kDeriveByTypeArgs));
  return type;
}

std::string_view kind_name(const Type& type) {
  if (!type) return "value of unknown type";
  switch (type->kind) {
    case TypeKind::kPrim:
      return "primitive value";
    case TypeKind::kTuple:
      return "tuple";
    case TypeKind::kString:
      return "string";
    case TypeKind::kTensor:
      return "tensor";
    case TypeKind::kDTensor:
      return "distributed tensor";
    case TypeKind::kShape:
      return "shape";
    case TypeKind::kFunction:
    case TypeKind::kFunc:
      return "function";
    case TypeKind::kPackedFunc:
      return "packed function";
    case TypeKind::kAny:
      return "value of any type";
    case TypeKind::kPointer:
    case TypeKind::kBuffer:
    case TypeKind::kBufferRegion:
    case TypeKind::kTensorMap:
    case TypeKind::kOpaque:
      return "value of tensor code";
  }
  return "value";
}

namespace {

Type constant_type(const Any& value) {
  auto tensor = value.as<ffi::Tensor>();
  if (!tensor) return any_type();
  Array<Expr> dims;
  for (int64_t extent : tensor->shape()) dims.push_back(ir::int_imm(DataType::Int(64), extent));
  return make<TensorTypeNode>(Expr(make<ShapeExprNode>(dims)), DataType(tensor->dtype()));
}

}  // namespace

GenericConstNode::GenericConstNode(Any value, Span span)
    : ExprNode(kKind, constant_type(value), span), value(std::move(value)) {}

Var make_var(bool dataflow, String name, Type ty, Span span) {
  if (dataflow) return make<DataflowVarNode>(std::move(name), std::move(ty), span);
  return make<VarNode>(std::move(name), std::move(ty), span);
}
Var copy_var(const Var& var, Type ty) { return copy_var(var, std::move(ty), var->name); }
Var copy_var(const Var& var, Type ty, String name) {
  return make_var(is_dataflow(var), std::move(name), std::move(ty), var->span);
}

BindingBlock with_bindings(const BindingBlock& block, Array<Binding> bindings) {
  if (is_dataflow(block)) return make<DataflowBlockNode>(std::move(bindings), block->span);
  return make<BindingBlockNode>(std::move(bindings), block->span);
}

FuncType function_type(const Array<Var>& params, Type ret, bool purity) {
  Array<Type> types;
  for (const Var& param : params) types.push_back(param->ty);
  return make<FuncTypeNode>(ffi::Optional<Array<Type>>(types), std::move(ret), purity);
}

FunctionNode::FunctionNode(Array<Var> params, SeqExpr body, Type ret_ty, bool is_pure, Map<String, Any> attrs,
                           Span span)
    : BaseFuncNode(kKind, std::move(attrs), span),
      params(std::move(params)),
      body(std::move(body)),
      ret_ty(std::move(ret_ty)),
      is_pure(is_pure) {
  ty = function_type(this->params, this->ret_ty, is_pure);
}
Function with_attr(const Function& fn, String key, Any value) {
  return ir::with(fn, [&](FunctionNode& n) { n.attrs.Set(key, value); });
}
Function without_attr(const Function& fn, const String& key) {
  return ir::with(fn, [&](FunctionNode& n) { n.attrs.erase(key); });
}
Function with_body(const Function& fn, SeqExpr body) {
  if (body.same_as(fn->body)) return fn;
  return ir::with(fn, [&](FunctionNode& n) { n.body = std::move(body); });
}

ExternFuncNode::ExternFuncNode(String global_symbol, Type ty, Map<String, Any> attrs, Span span)
    : BaseFuncNode(kKind, std::move(attrs), span), global_symbol(std::move(global_symbol)) {
  this->ty = ty ? std::move(ty) : extern_func_type();
}

const CallNode* call_of(const Expr& e, const Expr& op) {
  auto* call = as<CallNode>(e);
  return call && call->op.same_as(op) ? call : nullptr;
}

const CallNode* kernel_call_of(const Expr& e) {
  static const Expr call_tir = op("relax.call_tir");
  static const Expr call_tir_inplace = op("relax.call_tir_inplace");
  const CallNode* call = call_of(e, call_tir);
  return call ? call : call_of(e, call_tir_inplace);
}

}  // namespace mlc::relax
