// SPDX-License-Identifier: Apache-2.0
// The operations of tensors as scripts see them: their classes and texts.
#include "ir/api.h"
#include "transform/register_api.h"
#include "transform/te/tensor.h"

namespace mlc::transform {

using namespace te;  // NOLINT: operations and tensors

namespace {

Any not_constructible(ApiCall& call) {
  throw Error("not-constructible", "an operation is made by `te.placeholder` or `te.compute`")
      .at(call.span)
      .kind("TypeError");
}

std::string quoted(const String& text) { return fmt::format("\"{}\"", text.c_str()); }
template <class T>
std::string listed(ApiCall& call, const Array<T>& all) {
  std::string text = "(";
  for (const T& one : all) text += call.host.repr(Any(one)) + ", ";
  if (all.size() > 1) text.erase(text.size() - 2);
  if (all.size() == 1) text.pop_back();
  return text + ")";
}
std::string head(ApiCall& call, std::string_view type, const OperationNode& op) {
  return fmt::format("te.{}(name={}, tag={}, attrs={}", type, quoted(op.name), quoted(op.tag),
                     call.host.repr(Any(op.attrs)));
}

Any placeholder_repr(ApiCall& call) {
  auto* op = call.args[0].as<PlaceholderOpNode>();
  return String(fmt::format("{}, shape={}, dtype=T.{})", head(call, "PlaceholderOp", *op),
                            listed(call, op->shape), DataType(op->dtype).str()));
}
Any compute_repr(ApiCall& call) {
  auto* op = call.args[0].as<ComputeOpNode>();
  return String(fmt::format("{}, axis={}, reduce_axis={}, body={})", head(call, "ComputeOp", *op),
                            listed(call, op->axis), listed(call, op->reduce_axis()), listed(call, op->body)));
}

constexpr std::string_view kTe = "tvm.te";
constexpr ApiRow rows[] = {
    {ApiKind::kClass, kTe, "Operation()", "What makes tensors.", not_constructible, "mlc.te.Operation",
     "tvm.te.tensor.Operation"},
    {ApiKind::kClass, kTe, "PlaceholderOp()", "An argument.", not_constructible, "mlc.te.PlaceholderOp",
     "tvm.te.tensor.PlaceholderOp"},
    {ApiKind::kClass, kTe, "ComputeOp()", "Every element at once.", not_constructible, "mlc.te.ComputeOp",
     "tvm.te.tensor.ComputeOp"},
    {ApiKind::kClass, kTe, "TensorSlice()", "A tensor with some of its indices.", not_constructible,
     "mlc.te.TensorSlice", "tvm.te.tensor.TensorSlice"},
    {ApiKind::kProperty, "mlc.te.PlaceholderOp", "shape", "The extents.",
     +[](ApiCall& call) -> Any { return call.args[0].as<PlaceholderOpNode>()->shape; }},
    {ApiKind::kProperty, "mlc.te.PlaceholderOp", "dtype", "The type of an element.",
     +[](ApiCall& call) -> Any { return prim_type(call.args[0].as<PlaceholderOpNode>()->dtype); }},
    {ApiKind::kMethod, "mlc.te.PlaceholderOp", "__repr__()", "The fields.", placeholder_repr},
    {ApiKind::kMethod, "mlc.te.ComputeOp", "__repr__()", "The fields.", compute_repr},
    {ApiKind::kProperty, "mlc.te.Tensor", "ty", "A tensor has no type of numbers.",
     +[](ApiCall&) -> Any { return opaque_type(); }},
};

}  // namespace

void register_operation_api() { ApiRegistry::global().add(rows); }

}  // namespace mlc::transform
