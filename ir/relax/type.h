// SPDX-License-Identifier: Apache-2.0
// Types of the graph language (Relax). A type says what is known before the program runs: the shape as
// expressions of symbolic dimensions (64-bit variables), or only the number of dimensions, or nothing.
#pragma once

#include "ir/core/expr.h"
#include "ir/core/global_info.h"

namespace mlc::relax {

namespace ffi = ::tvm::ffi;
using ir::Any;
using ir::Array;
using ir::Call;
using ir::CallNode;
using ir::DataType;
using ir::Expr;
using ir::ExprKind;
using ir::ExprNode;
using ir::GlobalVar;
using ir::GlobalVarNode;
using ir::IRModule;
using ir::make;
using ir::Map;
using ir::ObjectRef;
using ir::PrimFunc;
using ir::PrimFuncNode;
using ir::Ref;
using ir::ref;
using ir::Span;
using ir::String;
using ir::Type;
using ir::TypeKind;
using ir::TypeNode;
using ir::Var;
using ir::VarNode;
using ir::VDevice;
using ir::view;

inline constexpr int64_t kUnknownNDim = -1;

// A tensor. `shape` is a ShapeExpr, or a variable whose type is a ShapeType, or null: then `ndim` may still be
// known. A void `dtype` is unknown. `vdevice` may be null: anywhere.
struct TensorTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kTensor;
  Expr shape;
  DLDataType dtype;
  VDevice vdevice;
  int64_t ndim;

  // Of a shape: a ShapeExpr, or a variable of shape type, whose rank is taken.
  TensorTypeNode(Expr shape, DataType dtype, VDevice vdevice = {});
  TensorTypeNode(DataType dtype, int64_t ndim, VDevice vdevice = {})
      : TypeNode(kKind), dtype(dtype), vdevice(std::move(vdevice)), ndim(ndim) {}
  DataType data_type() const { return dtype; }
  bool knows_ndim() const { return ndim != kUnknownNDim; }
  bool knows_dtype() const { return !DataType(dtype).is_void(); }
  // The dimensions where `shape` is a ShapeExpr; where it is a variable, those of its type; else nullopt.
  std::optional<Array<Expr>> dims() const;
  template <class F>
  static void fields(F& f) {
    f("shape", &TensorTypeNode::shape);
    f("dtype", &TensorTypeNode::dtype);
    f("vdevice", &TensorTypeNode::vdevice);
    f("ndim", &TensorTypeNode::ndim);
  }
  MLC_NODE("mlc.relax.TensorType", TensorTypeNode, TypeNode);
};
using TensorType = Ref<TensorTypeNode>;

// A shape as a value.
struct ShapeTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kShape;
  ffi::Optional<Array<Expr>> values;
  int64_t ndim;

  explicit ShapeTypeNode(Array<Expr> values)
      : TypeNode(kKind), values(values), ndim(static_cast<int64_t>(values.size())) {}
  explicit ShapeTypeNode(int64_t ndim) : TypeNode(kKind), ndim(ndim) {}
  bool knows_ndim() const { return ndim != kUnknownNDim; }
  template <class F>
  static void fields(F& f) {
    f("values", &ShapeTypeNode::values);
    f("ndim", &ShapeTypeNode::ndim);
  }
  MLC_NODE("mlc.relax.ShapeType", ShapeTypeNode, TypeNode);
};
using ShapeType = Ref<ShapeTypeNode>;

// A function. Without `params` it is opaque: it takes anything, and its result is `ret`, or what the function
// of the name `derive_func` derives from a call. Variables that are free in the types of the parameters are
// bound by each call.
struct FuncTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kFunction;
  ffi::Optional<Array<Type>> params;
  Type ret;
  ffi::Optional<String> derive_func;
  bool purity;

  FuncTypeNode(ffi::Optional<Array<Type>> params, Type ret, bool purity,
               ffi::Optional<String> derive_func = std::nullopt)
      : TypeNode(kKind),
        params(std::move(params)),
        ret(std::move(ret)),
        derive_func(std::move(derive_func)),
        purity(purity) {}
  bool is_opaque() const { return !params.has_value(); }
  template <class F>
  static void fields(F& f) {
    f.pattern("params", &FuncTypeNode::params);
    f("ret", &FuncTypeNode::ret);
    f("derive_func", &FuncTypeNode::derive_func);
    f("purity", &FuncTypeNode::purity);
  }
  MLC_NODE("mlc.relax.FuncType", FuncTypeNode, TypeNode);
};
using FuncType = Ref<FuncTypeNode>;

// Any value.
struct AnyTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kAny;
  AnyTypeNode() : TypeNode(kKind) {}
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.relax.AnyType", AnyTypeNode, TypeNode);
};
Type any_type();

// The type of a packed function about which nothing is said.
struct PackedFuncTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kPackedFunc;
  PackedFuncTypeNode() : TypeNode(kKind) {}
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.relax.PackedFuncType", PackedFuncTypeNode, TypeNode);
};

// The type as kind T, or null.
template <class T>
const T* as_type(const Type& type) {
  return type && type->kind == T::kKind ? static_cast<const T*>(type.get()) : nullptr;
}
template <class T>
const T* type_as(const Expr& e) {
  return as_type<T>(e->ty);
}

// The type of an opaque function of unknown result.
FuncType opaque_function(Type ret, bool purity, ffi::Optional<String> derive_func = std::nullopt);
// What an ExternFunc is: any arguments, a result that the call's ty_args say, impure.
inline constexpr const char* kDeriveByTypeArgs = "tvm.relax.type.infer_by_ty_args";
Type extern_func_type();

// What a value of this type is, in messages: "tensor", "shape", "tuple", ...
std::string_view kind_name(const Type& type);

}  // namespace mlc::relax
