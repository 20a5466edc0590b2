// SPDX-License-Identifier: Apache-2.0
// The fields of packed arguments and tensors: `tvm_struct_get` and `tvm_struct_set` number them.
#pragma once

#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"
#include "ir/tir/stmt.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

enum class PackedField : int {
  kAddress = 0,
  kData = 1,
  kShape = 2,
  kStrides = 3,
  kDimensions = 4,
  kTypeCode = 5,
  kTypeBits = 6,
  kTypeLanes = 7,
  kByteOffset = 8,
  kDeviceId = 9,
  kDeviceType = 10,
  kTypeIndex = 13,
  kPadding = 14,
  kValue = 15,
  kInt64Element = 17,
};

// The kind of an argument, by tvm-ffi's type indices.
constexpr int64_t kPackedNone = 0, kPackedInt = 1, kPackedBool = 2, kPackedFloat = 3, kPackedPointer = 4,
                  kPackedTensorPointer = 7, kPackedText = 8, kPackedObject = 64, kPackedTensor = 70;

inline Type pointer_to(DataType element) {
  return make<PointerTypeNode>(Type(prim_type(element)), String("global"));
}
inline Type void_pointer_type() { return pointer_to(DataType::Void()); }
inline Expr null_pointer() {
  return make<CallNode>(void_pointer_type(), op("tirx.reinterpret"),
                        Array<Expr>{int_imm(DataType::UInt(64), 0)});
}
inline Expr is_null(const Expr& pointer) { return call_op(DataType::Bool(), "tirx.isnullptr", {pointer}); }

inline Expr packed_get(const Expr& from, int64_t index, PackedField field, const Type& type) {
  return make<CallNode>(type, op("tirx.tvm_struct_get"),
                        Array<Expr>{from, int32(index), int32(static_cast<int>(field))});
}
inline Expr packed_get(const Expr& from, int64_t index, PackedField field, DataType dtype) {
  return packed_get(from, index, field, Type(prim_type(dtype)));
}
inline Stmt packed_set(const Expr& into, int64_t index, PackedField field, const Expr& value) {
  Array<Expr> args{into, int32(index), int32(static_cast<int>(field)), value};
  return make<EvaluateNode>(call_op(DataType::Int(32), "tirx.tvm_struct_set", args));
}

// Bytes of an element, all lanes together.
inline int64_t packed_bytes(DataType dtype) { return (dtype.bits() * dtype.lanes() + 7) / 8; }

}  // namespace mlc::transform
