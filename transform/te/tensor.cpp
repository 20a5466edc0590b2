// SPDX-License-Identifier: Apache-2.0
#include "transform/te/tensor.h"

#include <tvm/ffi/container/list.h>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/core/walk_with.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "te-mixed-outputs"},
        {.name = "te-nested-reduction",
         .message = "a reduction must be the whole value of an element of `{}`",
         .help = "compute the reduction as a tensor of its own and use that",
         .meaning =
             "A reduction is the whole value of an element; what is done with it is a tensor of its own.",
         .wrong = R"(from tvm import te
A = te.placeholder((8,))
k = te.reduce_axis((0, 8))
te.compute((1,), lambda i: te.sum(A[k], axis=k) + 1.0))",
         .right = R"(from tvm import te
A = te.placeholder((8,))
k = te.reduce_axis((0, 8))
S = te.compute((1,), lambda i: te.sum(A[k], axis=k))
te.compute((1,), lambda i: S[i] + 1.0))"},
    }};
MLC_REFUSALS(te_tensor, refusals);

}  // namespace mlc::transform

namespace mlc::transform::te {

namespace {

bool contains_reduce(const Expr& e) {
  return any_below(e, [](const Expr& part) { return as<ReduceNode>(part) != nullptr; });
}

const ComputeOpNode* as_compute(const OperationNode* op) { return static_cast<const ComputeOpNode*>(op); }
const ExternOpNode* as_extern(const OperationNode* op) { return static_cast<const ExternOpNode*>(op); }
const ScanOpNode* as_scan(const OperationNode* op) { return static_cast<const ScanOpNode*>(op); }

}  // namespace

const OriginNode* origin_of(const VarNode* buffer) {
  const BufferTypeNode* type = buffer->buffer();
  return type ? Any(type->layout).as<OriginNode>() : nullptr;
}

std::optional<Array<Any>> elements(const Any& value) {
  if (auto tuple = value.as<Array<Any>>()) return *tuple;
  auto list = value.as<ffi::List<Any>>();
  return list ? std::optional(Array<Any>(list->begin(), list->end())) : std::nullopt;
}
Array<Tensor> OperationNode::input_tensors() const {
  std::unordered_set<const VarNode*> seen_buffers;
  std::unordered_map<const OperationNode*, std::unordered_set<int64_t>> seen;
  Array<Tensor> found;
  auto inputs = [&](const Expr& e, Walker& on) {
    on.walk_children(e);  // what indices read comes first
    if (auto* load = as<TensorLoadNode>(e)) {
      const OriginNode* origin = origin_of(load->source.get());
      if (origin && seen_buffers.insert(load->source.get()).second &&
          seen[origin->op.get()].insert(origin->value_index).second) {
        found.push_back(make<TensorNode>(origin->op, origin->value_index));
      }
    }
  };
  switch (kind) {
    case OperationKind::kPlaceholder:
      break;
    case OperationKind::kCompute:
      for (const Expr& e : as_compute(this)->body) walk_with(e, inputs);
      break;
    case OperationKind::kExtern:
      return as_extern(this)->inputs;
    case OperationKind::kScan:
      for (const Tensor& one : as_scan(this)->init) found.push_back(one);
      for (const Tensor& one : as_scan(this)->update) found.push_back(one);
      break;
  }
  return found;
}

// Tensors are complete only here.
ExternOpNode::ExternOpNode(String name, String tag, Map<String, Any> attrs, Array<Tensor> inputs,
                           Array<Buffer> input_placeholders, Array<Buffer> output_placeholders, Stmt body)
    : OperationNode(kKind, std::move(name), std::move(tag), std::move(attrs)),
      inputs(std::move(inputs)),
      input_placeholders(std::move(input_placeholders)),
      output_placeholders(std::move(output_placeholders)),
      body(std::move(body)) {
  for (const Buffer& each : this->output_placeholders)
    outputs.push_back({each->buffer()->shape, each->buffer()->dtype});
}
ScanOpNode::ScanOpNode(String name, String tag, Map<String, Any> attrs, IterVar scan_axis, Array<Tensor> init,
                       Array<Tensor> update, Array<Tensor> state_placeholder, Array<Tensor> inputs)
    : OperationNode(kKind, std::move(name), std::move(tag), std::move(attrs)),
      scan_axis(std::move(scan_axis)),
      init(std::move(init)),
      update(std::move(update)),
      state_placeholder(std::move(state_placeholder)),
      inputs(std::move(inputs)) {
  for (size_t i = 0; i < this->update.size(); ++i) {
    auto at = static_cast<int64_t>(i);
    outputs.push_back({this->state_placeholder[at]->shape(), this->update[at]->dtype()});
    Array<Expr> shape = this->update[at]->shape();
    for (size_t k = 1; k < shape.size(); ++k) {
      const Expr& extent = shape[static_cast<int64_t>(k)];
      Var var = make_var(String(fmt::format("{}.out{}.i{}", this->name.c_str(), i, k)), extent->dtype());
      spatial_axis.push_back(
          make<IterVarNode>(make<RangeNode>(int_imm(extent->dtype(), 0), extent), var, IterType::kOpaque));
    }
  }
}

Array<IterVar> ComputeOpNode::reduce_axis() const {
  auto* reduce = as<ReduceNode>(body[0]);
  return reduce ? reduce->axis : Array<IterVar>();
}

TensorNode::TensorNode(Operation op, int64_t value_index) : op(std::move(op)), value_index(value_index) {
  const auto& [shape, dtype] = this->op->outputs.at(static_cast<size_t>(value_index));
  DataType index = shape.empty() ? DataType::Int(64) : shape[0]->dtype();
  buffer = make<VarNode>(
      String(name()),
      make<BufferTypeNode>(dtype, String("global"), shape, Array<Expr>(), int_imm(index, 0), 64, 1,
                           make<OriginNode>(this->op, value_index)));
}
std::string TensorNode::name() const {
  std::string base(op->name);
  return op->num_outputs() == 1 ? base : fmt::format("{}.v{}", base, value_index);
}

ComputeOp make_compute(String name, String tag, Map<String, Any> attrs, Array<IterVar> axis, Array<Expr> body,
                       Span span) {
  auto* first = as<ReduceNode>(body[0]);
  for (const Expr& e : body) {
    auto* reduce = as<ReduceNode>(e);
    if ((reduce == nullptr) != (first == nullptr)) {
      throw refuse_as(refusals["te-mixed-outputs"], "some outputs of `{}` are reductions, others are not",
                      name.c_str())
          .at(span)
          .help("compute them as separate tensors");
    }
    if (reduce && !reduce->combiner.same_as(first->combiner)) {
      throw refuse_as(refusals["te-mixed-outputs"], "the outputs of `{}` are reduced by different combiners",
                      name.c_str())
          .at(span)
          .help("compute them as separate tensors");
    }
    bool nested = false;
    if (reduce) {
      for (const Expr& source : reduce->source) nested = nested || contains_reduce(source);
    } else {
      nested = contains_reduce(e);
    }
    if (nested) {
      throw refuse(refusals["te-nested-reduction"], name.c_str()).at(span);
    }
  }
  return make<ComputeOpNode>(std::move(name), std::move(tag), std::move(attrs), std::move(axis),
                             std::move(body));
}

}  // namespace mlc::transform::te
