// SPDX-License-Identifier: Apache-2.0
// Types of expressions: primitive values, pointers, buffers, tuples.
#pragma once

#include "ir/core/node_fwd.h"
#include "ir/core/object.h"

namespace mlc::ir {

#define MLC_TYPE_KINDS(X) \
  X(Prim) X(Pointer) X(Tuple) X(Func) X(String) X(Opaque) X(Buffer) X(BufferRegion) X(TensorMap)
// Those of the graph language alone (ir/relax/type.h).
#define MLC_GRAPH_TYPE_KINDS(X) X(Tensor) X(Shape) X(Function) X(Any) X(PackedFunc) X(DTensor)

enum class TypeKind : uint8_t {
#define X(name) k##name,
  MLC_TYPE_KINDS(X) MLC_GRAPH_TYPE_KINDS(X)
#undef X
};

struct TypeNode : ffi::Object {
  const TypeKind kind;

  explicit TypeNode(TypeKind kind) : kind(kind) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE_BASE("mlc.ir.Type", TypeNode, ffi::Object);
};
using Type = Ref<TypeNode>;

// A scalar or vector value. One shared instance per data type: compare with dtype, not identity.
struct PrimTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kPrim;
  DLDataType dtype;

  explicit PrimTypeNode(DataType dtype) : TypeNode(kKind), dtype(dtype) {}
  template <class F>
  static void fields(F& f) {
    f("dtype", &PrimTypeNode::dtype);
  }
  MLC_NODE("mlc.ir.PrimType", PrimTypeNode, TypeNode);
};
using PrimType = Ref<PrimTypeNode>;
PrimType prim_type(DataType dtype);  // cached

// A raw address of `element_type` in a storage scope ("global", "shared", "local", ...).
struct PointerTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kPointer;
  Type element_type;
  String storage_scope;

  PointerTypeNode(Type element_type, String storage_scope)
      : TypeNode(kKind), element_type(std::move(element_type)), storage_scope(std::move(storage_scope)) {}
  template <class F>
  static void fields(F& f) {
    f("element_type", &PointerTypeNode::element_type);
    f("storage_scope", &PointerTypeNode::storage_scope);
  }
  MLC_NODE("mlc.ir.PointerType", PointerTypeNode, TypeNode);
};
using PointerType = Ref<PointerTypeNode>;

// A tuple of values; empty means "no value" (the return type of most functions).
struct TupleTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kTuple;
  Array<Type> elements;

  explicit TupleTypeNode(Array<Type> elements) : TypeNode(kKind), elements(std::move(elements)) {}
  template <class F>
  static void fields(F& f) {
    f("fields", &TupleTypeNode::elements);
  }
  MLC_NODE("mlc.ir.TupleType", TupleTypeNode, TypeNode);
};
using TupleType = Ref<TupleTypeNode>;
TupleType void_type();  // the empty tuple, shared

struct FuncTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kFunc;
  Array<Type> arg_types;
  Type ret_type;

  FuncTypeNode(Array<Type> arg_types, Type ret_type)
      : TypeNode(kKind), arg_types(std::move(arg_types)), ret_type(std::move(ret_type)) {}
  template <class F>
  static void fields(F& f) {
    f("arg_types", &FuncTypeNode::arg_types);
    f("ret_type", &FuncTypeNode::ret_type);
  }
  MLC_NODE("mlc.ir.FuncType", FuncTypeNode, TypeNode);
};
using FuncType = Ref<FuncTypeNode>;

struct StringTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kString;
  StringTypeNode() : TypeNode(kKind) {}
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.ir.StringType", StringTypeNode, TypeNode);
};

// The type of things that have none: operators, global functions without a signature.
struct OpaqueTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kOpaque;
  OpaqueTypeNode() : TypeNode(kKind) {}
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.ir.OpaqueType", OpaqueTypeNode, TypeNode);
};
Type string_type();
Type opaque_type();

// Multi-dimensional memory: the type of a buffer variable. Element [i0, i1, ...] is at
// elem_offset + sum(i * strides) elements past the data pointer; no strides means row-major compact.
struct BufferTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kBuffer;
  DLDataType dtype;
  String storage_scope;
  Array<Expr> shape;
  Array<Expr> strides;
  Expr elem_offset;             // int expression, 0 unless the buffer is a view
  int64_t data_alignment = 64;  // bytes
  int64_t offset_factor = 1;    // elem_offset is a multiple of this many elements; 0 = elem_offset is free
  ObjectRef layout;             // ir/tir/layout.h; null in schedulable TIR
  Array<Expr> allocated_addr;   // where it was placed: a column of tensor memory, an offset in a pool

  BufferTypeNode(DataType dtype, String storage_scope, Array<Expr> shape, Array<Expr> strides,
                 Expr elem_offset, int64_t data_alignment = 64, int64_t offset_factor = 1,
                 ObjectRef layout = {}, Array<Expr> allocated_addr = {})
      : TypeNode(kKind),
        dtype(dtype),
        storage_scope(std::move(storage_scope)),
        shape(std::move(shape)),
        strides(std::move(strides)),
        elem_offset(std::move(elem_offset)),
        data_alignment(data_alignment),
        offset_factor(offset_factor),
        layout(std::move(layout)),
        allocated_addr(std::move(allocated_addr)) {}
  template <class F>
  static void fields(F& f) {
    f("dtype", &BufferTypeNode::dtype);
    f("storage_scope", &BufferTypeNode::storage_scope);
    f("shape", &BufferTypeNode::shape);
    f("strides", &BufferTypeNode::strides);
    f("elem_offset", &BufferTypeNode::elem_offset);
    f("data_alignment", &BufferTypeNode::data_alignment);
    f("offset_factor", &BufferTypeNode::offset_factor);
    f("layout", &BufferTypeNode::layout);
    f("allocated_addr", &BufferTypeNode::allocated_addr);
  }
  MLC_NODE("mlc.tirx.BufferType", BufferTypeNode, TypeNode);
};
using BufferType = Ref<BufferTypeNode>;

struct BufferRegionTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kBufferRegion;
  BufferRegionTypeNode() : TypeNode(kKind) {}
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.tirx.BufferRegionType", BufferRegionTypeNode, TypeNode);
};
Type buffer_region_type();

// A descriptor of a tensor for the copy engine of a GPU (CUtensorMap).
struct TensorMapTypeNode final : TypeNode {
  static constexpr TypeKind kKind = TypeKind::kTensorMap;
  TensorMapTypeNode() : TypeNode(kKind) {}
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.tirx.TensorMapType", TensorMapTypeNode, TypeNode);
};
Type tensor_map_type();

}  // namespace mlc::ir
