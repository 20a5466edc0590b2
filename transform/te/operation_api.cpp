// SPDX-License-Identifier: Apache-2.0
// The operations of tensors as scripts see them: their classes and texts.
#include <tvm/ffi/container/list.h>

#include "ir/core/module.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/api.h"
#include "transform/register_api.h"
#include "transform/te/tensor.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "te-extern-buffer",
         .message = "the buffer `{}` has another shape or type than its input `{}`"},
        {.name = "te-scan-shapes"},
    }};
MLC_REFUSALS(te_operation_api, refusals);

using namespace te;  // NOLINT: operations and tensors

namespace {

Any not_constructible(ApiCall& call) {
  throw Error("not-constructible", "an operation is made by `te.placeholder` or `te.compute`")
      .at(call.span)
      .kind("TypeError");
}

std::string quoted(const String& text) { return fmt::format("\"{}\"", text.c_str()); }
std::string inner_text(ApiCall& call, const Tensor& tensor);
template <class T>
std::string listed(ApiCall& call, const Array<T>& all) {
  std::string text = "(";
  for (const T& one : all) {
    if constexpr (std::is_same_v<T, Tensor>) {
      text += inner_text(call, one) + ", ";
    } else {
      text += call.host.repr(Any(one)) + ", ";
    }
  }
  if (all.size() > 1) text.erase(text.size() - 2);
  if (all.size() == 1) text.pop_back();
  return text + ")";
}
std::string head(ApiCall& call, std::string_view type, const OperationNode& op) {
  return fmt::format("te.{}(name={}, tag={}, attrs={}", type, quoted(op.name), quoted(op.tag),
                     call.host.repr(Any(op.attrs)));
}

std::string inner_text(ApiCall& call, const Tensor& tensor) {
  return fmt::format(
      "te.Tensor(span=None, ty=ir.OpaqueType(span=None), shape={}, dtype=T.{}, op={}, value_index={})",
      listed(call, tensor->shape()), tensor->dtype().str(), call.host.repr(Any(tensor->op)),
      tensor->value_index);
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

// ---- external statements and scans ----

template <class T>
Array<T> all_of(ApiCall& call, size_t argument, std::string_view expected) {
  auto list = elements(call.args[argument]);
  if (!list) wrong_argument(call, argument, expected);
  Array<T> all;
  for (const Any& one : *list) {
    auto cast = try_get<T>(one);
    if (!cast) wrong_argument(call, argument, expected);
    all.push_back(*cast);
  }
  return all;
}
Map<String, Any> attributes(ApiCall& call, size_t argument) {
  Map<String, Any> attrs;
  if (call.args[argument] == nullptr) return attrs;
  for (const auto& [key, value] : ir::detail::argument<Map<Any, Any>>(call, argument))
    attrs.Set(key.cast<String>(), value);
  return attrs;
}

// Placeholders of inputs have their very shapes and types.
Any make_extern(ApiCall& call) {
  auto inputs = all_of<Tensor>(call, 3, "tensors");
  auto ins = all_of<Buffer>(call, 4, "buffers"), outs = all_of<Buffer>(call, 5, "buffers");
  auto body = try_get<Stmt>(call.args[6]);
  if (!body) wrong_argument(call, 6, "a statement");
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto k = static_cast<int64_t>(i);
    const BufferTypeNode* buffer = ins[k]->buffer();
    Array<Expr> shape = inputs[k]->shape();
    bool same = buffer->shape.size() == shape.size() && DataType(buffer->dtype) == inputs[k]->dtype();
    for (size_t d = 0; same && d < shape.size(); ++d) {
      auto at = static_cast<int64_t>(d);
      same = structural_equal(buffer->shape[at], shape[at]);
    }
    if (!same) {
      throw refuse(refusals["te-extern-buffer"], ins[k]->name.c_str(), inputs[k]->name()).at(call.span);
    }
  }
  return make<ExternOpNode>(ir::detail::argument<String>(call, 0), ir::detail::argument<String>(call, 1),
                            attributes(call, 2), inputs, ins, outs, *body);
}

Any make_scan(ApiCall& call) {
  auto axis = try_get<IterVar>(call.args[3]);
  if (!axis) wrong_argument(call, 3, "an iterator");
  auto init = all_of<Tensor>(call, 4, "tensors"), update = all_of<Tensor>(call, 5, "tensors"),
       state = all_of<Tensor>(call, 6, "tensors"), inputs = all_of<Tensor>(call, 7, "tensors");
  for (size_t i = 0; i < init.size(); ++i) {
    auto k = static_cast<int64_t>(i);
    auto same = [&](const Tensor& other, std::string_view what) {
      if (other->dtype() == state[k]->dtype() && other->shape().size() == state[k]->shape().size()) return;
      throw refuse_as(refusals["te-scan-shapes"], "{} `{}` is {} of {} dimensions, the state `{}` {} of {}",
                      what, other->name(), other->dtype().str(), other->shape().size(), state[k]->name(),
                      state[k]->dtype().str(), state[k]->shape().size())
          .at(call.span);
    };
    same(init[k], "the initial tensor");
    same(update[k], "the update");
    Array<Expr> whole = state[k]->shape(), made = update[k]->shape();
    for (int64_t d = 0; d < static_cast<int64_t>(whole.size()); ++d) {
      auto have = const_int(made[d]), want = const_int(whole[d]);
      if (!have || !want || *have == *want) continue;
      throw refuse_as(refusals["te-scan-shapes"],
                      "dimension {} of the update `{}` has {} elements, that of the state `{}` {}", d,
                      update[k]->name(), *have, state[k]->name(), *want)
          .at(call.span);
    }
  }
  return make<ScanOpNode>(ir::detail::argument<String>(call, 0), ir::detail::argument<String>(call, 1),
                          attributes(call, 2), *axis, init, update, state, inputs);
}

Any extern_repr(ApiCall& call) {
  auto* op = call.args[0].as<ExternOpNode>();
  return String(fmt::format("{}, inputs={}, input_placeholders={}, output_placeholders={}, body={})",
                            head(call, "ExternOp", *op), listed(call, op->inputs),
                            listed(call, op->input_placeholders), listed(call, op->output_placeholders),
                            call.host.repr(Any(op->body))));
}

Any scan_repr(ApiCall& call) {
  auto* op = call.args[0].as<ScanOpNode>();
  return String(
      fmt::format("{}, scan_axis={}, init={}, update={}, state_placeholder={}, inputs={}, spatial_axis_={})",
                  head(call, "ScanOp", *op), call.host.repr(Any(op->scan_axis)), listed(call, op->init),
                  listed(call, op->update), listed(call, op->state_placeholder), listed(call, op->inputs),
                  listed(call, op->spatial_axis)));
}

// The tag of the `te.tag_scope` around; empty when there is none.
struct ScopeTag {
  std::string tag;
  bool used = false;
};
ScopeTag& scope_tag() {
  static thread_local ScopeTag tag;
  return tag;
}
Any set_tag(ApiCall& call) {
  return std::exchange(scope_tag(), {ir::detail::argument<std::string>(call, 0)}).used;
}

constexpr std::string_view kTensorExpressions = "tvm.te", kInner = "mlc.te";

constexpr ApiRow operation_api_table[] = {
    {ApiKind::kClass, kTensorExpressions, "Operation()", "What makes tensors.", not_constructible, "mlc.te.Operation",
     "tvm.te.tensor.Operation"},
    {ApiKind::kClass, kTensorExpressions, "PlaceholderOp()", "An argument.", not_constructible, "mlc.te.PlaceholderOp",
     "tvm.te.tensor.PlaceholderOp"},
    {ApiKind::kClass, kTensorExpressions, "ComputeOp()", "Every element at once.", not_constructible, "mlc.te.ComputeOp",
     "tvm.te.tensor.ComputeOp"},
    {ApiKind::kClass, kTensorExpressions, "TensorSlice()", "A tensor with some of its indices.", not_constructible,
     "mlc.te.TensorSlice", "tvm.te.tensor.TensorSlice"},
    {ApiKind::kProperty, "mlc.te.PlaceholderOp", "shape", "The extents.", field<&PlaceholderOpNode::shape>},
    {ApiKind::kProperty, "mlc.te.PlaceholderOp", "dtype", "The type of an element.",
     +[](ApiCall& call) -> Any { return prim_type(call.args[0].as<PlaceholderOpNode>()->dtype); }},
    {ApiKind::kMethod, "mlc.te.PlaceholderOp", "__repr__()", "The fields.", placeholder_repr},
    {ApiKind::kMethod, "mlc.te.ComputeOp", "__repr__()", "The fields.", compute_repr},
    {ApiKind::kClass, kTensorExpressions, "ExternOp()", "A statement that fills whole buffers.", not_constructible,
     "mlc.te.ExternOp", "tvm.te.tensor.ExternOp"},
    {ApiKind::kProperty, "mlc.te.ExternOp", "inputs", "The tensors it reads.", field<&ExternOpNode::inputs>},
    {ApiKind::kProperty, "mlc.te.ExternOp", "input_placeholders", "The buffers that stand for the inputs.",
     field<&ExternOpNode::input_placeholders>},
    {ApiKind::kProperty, "mlc.te.ExternOp", "output_placeholders", "The buffers that it fills.",
     field<&ExternOpNode::output_placeholders>},
    {ApiKind::kProperty, "mlc.te.ExternOp", "body", "The statement.", field<&ExternOpNode::body>},
    {ApiKind::kMethod, "mlc.te.ExternOp", "__repr__()", "The fields.", extern_repr},
    {ApiKind::kClass, kTensorExpressions, "ScanOp()", "A recurrence along the first dimension.", not_constructible,
     "mlc.te.ScanOp", "tvm.te.tensor.ScanOp"},
    {ApiKind::kProperty, "mlc.te.ScanOp", "scan_axis", "The axis of the steps.",
     field<&ScanOpNode::scan_axis>},
    {ApiKind::kProperty, "mlc.te.ScanOp", "init", "The first steps.", field<&ScanOpNode::init>},
    {ApiKind::kProperty, "mlc.te.ScanOp", "update", "The steps after them.", field<&ScanOpNode::update>},
    {ApiKind::kProperty, "mlc.te.ScanOp", "state_placeholder", "What the steps read of those before.",
     field<&ScanOpNode::state_placeholder>},
    {ApiKind::kProperty, "mlc.te.ScanOp", "spatial_axis_", "The other dimensions of each update.",
     field<&ScanOpNode::spatial_axis>},
    {ApiKind::kProperty, "mlc.te.ScanOp", "inputs", "The tensors that it is said to read.",
     field<&ScanOpNode::inputs>},
    {ApiKind::kMethod, "mlc.te.ScanOp", "__repr__()", "The fields.", scan_repr},
    {ApiKind::kMethod, "mlc.te.Tensor", "__repr__()", "Shape and name.",
     +[](ApiCall& call) -> Any {
       Tensor tensor = call.args[0].cast<Tensor>();
       return String(fmt::format("Tensor(shape={}, op.name={})", listed(call, tensor->shape()),
                                 tensor->op->name.c_str()));
     }},
    {ApiKind::kMethod, "mlc.te.Tensor", "__ffi_repr__()", "The fields, as an array of tensors shows them.",
     +[](ApiCall& call) -> Any { return String(inner_text(call, call.args[0].cast<Tensor>())); }},
    {ApiKind::kFunction, kInner,
     "extern_op(name, tag, attrs, inputs, input_placeholders, output_placeholders, body)",
     "The operation of `te.extern`.", make_extern},
    {ApiKind::kFunction, kInner, "scan_op(name, tag, attrs, axis, init, update, state_placeholder, inputs)",
     "The operation of `te.scan`.", make_scan},
    {ApiKind::kFunction, kInner, "set_tag(tag)",
     "The tag that `te.compute` gives; was the one before asked for?", set_tag},
    {ApiKind::kMethod, "mlc.te.Tensor", "expr_ty()", "The type of an element.",
     +[](ApiCall& call) -> Any { return prim_type(call.args[0].as<TensorNode>()->dtype()); }},
    {ApiKind::kProperty, "mlc.te.Tensor", "span", "A tensor says of no place where it was written.",
     +[](ApiCall&) -> Any { return nullptr; }},
    {ApiKind::kProperty, "mlc.te.Tensor", "ty", "A tensor has no type of numbers.",
     +[](ApiCall&) -> Any { return opaque_type(); }},
};

}  // namespace

std::string_view te::current_tag() {
  scope_tag().used = true;
  return scope_tag().tag;
}

void register_operation_api() {
  ffi::reflection::ObjectDef<OriginNode>(ffi::reflection::init(false));
  ApiRegistry::global().add(operation_api_table);
}

}  // namespace mlc::transform
