// SPDX-License-Identifier: Apache-2.0
// Tensor expressions: tensors defined by what one element of them is.
#pragma once

#include "ir/tir/stmt.h"

namespace mlc::transform::te {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

struct TensorNode;
using Tensor = Ref<TensorNode>;

enum class OperationKind : uint8_t { kPlaceholder, kCompute, kExtern, kScan };

// Makes one tensor or several. Identity counts: two equal operations are two computations.
struct OperationNode : ffi::Object {
  struct Output {
    Array<Expr> shape;
    DataType dtype;
  };
  const OperationKind kind;
  String name;
  String tag;
  Map<String, Any> attrs;
  std::vector<Output> outputs;

  explicit OperationNode(OperationKind kind) : kind(kind) {}
  OperationNode(OperationKind kind, String name, String tag, Map<String, Any> attrs)
      : kind(kind), name(std::move(name)), tag(std::move(tag)), attrs(std::move(attrs)) {}
  size_t num_outputs() const { return outputs.size(); }
  Array<Tensor> input_tensors() const;  // in order of first use
  MLC_NODE_BASE("mlc.te.Operation", OperationNode, ffi::Object);
};
using Operation = Ref<OperationNode>;

// An argument.
struct PlaceholderOpNode final : OperationNode {
  static constexpr OperationKind kKind = OperationKind::kPlaceholder;
  Array<Expr> shape;
  DLDataType dtype;

  PlaceholderOpNode(String name, Array<Expr> shape, DataType dtype)
      : OperationNode(kKind, std::move(name), "", {}), shape(std::move(shape)), dtype(dtype) {
    outputs.push_back({this->shape, dtype});
  }
  MLC_NODE("mlc.te.PlaceholderOp", PlaceholderOpNode, OperationNode);
};

// Every element at once: output i at `axis` is body[i]. The bodies are either all Reduce nodes that share
// combiner, axis and sources (one of them per output), or contain none.
struct ComputeOpNode final : OperationNode {
  static constexpr OperationKind kKind = OperationKind::kCompute;
  Array<IterVar> axis;
  Array<Expr> body;

  ComputeOpNode(String name, String tag, Map<String, Any> attrs, Array<IterVar> axis, Array<Expr> body)
      : OperationNode(kKind, std::move(name), std::move(tag), std::move(attrs)),
        axis(std::move(axis)),
        body(std::move(body)) {
    Array<Expr> shape;
    for (const IterVar& iter : this->axis) shape.push_back(iter->dom->extent);
    for (const Expr& value : this->body) outputs.push_back({shape, value->dtype()});
  }
  Array<IterVar> reduce_axis() const;
  MLC_NODE("mlc.te.ComputeOp", ComputeOpNode, OperationNode);
};
using ComputeOp = Ref<ComputeOpNode>;

// A statement that fills whole buffers: `body` reads `input_placeholders`, which stand for the inputs, and
// writes `output_placeholders`.
struct ExternOpNode final : OperationNode {
  static constexpr OperationKind kKind = OperationKind::kExtern;
  Array<Tensor> inputs;
  Array<Buffer> input_placeholders;
  Array<Buffer> output_placeholders;
  Stmt body;

  ExternOpNode(String name, String tag, Map<String, Any> attrs, Array<Tensor> inputs,
               Array<Buffer> input_placeholders, Array<Buffer> output_placeholders, Stmt body);
  MLC_NODE("mlc.te.ExternOp", ExternOpNode, OperationNode);
};
using ExternOp = Ref<ExternOpNode>;

// A recurrence along the first dimension: it begins with `init` and continues with `update`, which reads the
// steps before as `state_placeholder`.
struct ScanOpNode final : OperationNode {
  static constexpr OperationKind kKind = OperationKind::kScan;
  IterVar scan_axis;
  Array<Tensor> init;
  Array<Tensor> update;
  Array<Tensor> state_placeholder;
  Array<Tensor> inputs;
  Array<IterVar> spatial_axis;  // of each update, the dimensions behind the first

  ScanOpNode(String name, String tag, Map<String, Any> attrs, IterVar scan_axis, Array<Tensor> init,
             Array<Tensor> update, Array<Tensor> state_placeholder, Array<Tensor> inputs);
  MLC_NODE("mlc.te.ScanOp", ScanOpNode, OperationNode);
};
using ScanOp = Ref<ScanOpNode>;

// Which output of which operation a buffer stands for: the `layout` of the buffer that loads of a tensor
// name, so that an expression leads back to the operations it is made of.
struct OriginNode final : ffi::Object {
  Operation op;
  int64_t value_index;

  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  OriginNode(Operation op, int64_t value_index) : op(std::move(op)), value_index(value_index) {}
  MLC_NODE("mlc.te.Origin", OriginNode, ffi::Object);
};
using Origin = Ref<OriginNode>;
// The elements of a list or tuple; nullopt for anything else.
std::optional<Array<Any>> elements(const Any& value);

// A property of scripts: a member of the node, or what a member function gives.
template <class N, class T>
N* owner_of(T N::*);
template <auto member>
Any field(ApiCall& call) {
  using Node = std::remove_pointer_t<decltype(owner_of(member))>;
  return std::invoke(member, *call.args[0].as<Node>());
}

// Null for buffers that are no tensors.
const OriginNode* origin_of(const VarNode* buffer);

// One output of an operation. `buffer` is what loads of it name.
struct TensorNode final : ffi::Object {
  Operation op;
  int64_t value_index;
  Buffer buffer;

  TensorNode(Operation op, int64_t value_index);
  Array<Expr> shape() const { return buffer->buffer()->shape; }
  DataType dtype() const { return buffer->buffer()->dtype; }
  std::string name() const;  // "C", or "C.v1" of several outputs
  MLC_NODE("mlc.te.Tensor", TensorNode, ffi::Object);
};

// A tensor with some of its indices: `A[i]` of a matrix.
struct TensorSliceNode final : ffi::Object {
  Tensor tensor;
  Array<Expr> indices;

  TensorSliceNode(Tensor tensor, Array<Expr> indices)
      : tensor(std::move(tensor)), indices(std::move(indices)) {}
  MLC_NODE("mlc.te.TensorSlice", TensorSliceNode, ffi::Object);
};
using TensorSlice = Ref<TensorSliceNode>;

// A function made by comm_reducer: called with what to reduce and the axes.
struct ReducerNode final : ffi::Object {
  Any combine;   // (x, y) -> value, or two tuples -> tuple
  Any identity;  // (dtype, ...) -> value or tuple
  String name;

  ReducerNode(Any combine, Any identity, String name)
      : combine(std::move(combine)), identity(std::move(identity)), name(std::move(name)) {}
  MLC_NODE("mlc.te.Reducer", ReducerNode, ffi::Object);
};
using Reducer = Ref<ReducerNode>;

// The tag of the `te.tag_scope` around; empty when there is none.
std::string_view current_tag();

// Checks what compute() promises: reductions at the top only, outputs of one kind.
ComputeOp make_compute(String name, String tag, Map<String, Any> attrs, Array<IterVar> axis, Array<Expr> body,
                       Span span);

}  // namespace mlc::transform::te
