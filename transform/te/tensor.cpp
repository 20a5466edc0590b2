// SPDX-License-Identifier: Apache-2.0
#include "transform/te/tensor.h"

#include "ir/visit.h"

namespace mlc::transform::te {

namespace {

// Tensors that expressions read, each once.
struct InputFinder final : Walker {
  std::unordered_set<const VarNode*> seen_buffers;
  std::unordered_map<const OperationNode*, std::unordered_set<int64_t>> seen;
  Array<Tensor> found;

  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) {
      const OriginNode* origin = origin_of(load->source.get());
      if (origin && seen_buffers.insert(load->source.get()).second &&
          seen[origin->op.get()].insert(origin->value_index).second) {
        found.push_back(make<TensorNode>(origin->op, origin->value_index));
      }
    }
    walk_children(e);
  }
};

bool contains_reduce(const Expr& e) {
  struct Finder final : Walker {
    bool found = false;
    void visit(const Expr& e) override {
      if (as<ReduceNode>(e)) found = true;
      if (!found) walk_children(e);
    }
  };
  Finder finder;
  finder.visit(e);
  return finder.found;
}

const ComputeOpNode* as_compute(const OperationNode* op) { return static_cast<const ComputeOpNode*>(op); }

}  // namespace

const OriginNode* origin_of(const VarNode* buffer) {
  const BufferTypeNode* type = buffer->buffer();
  return type ? Any(type->layout).as<OriginNode>() : nullptr;
}

size_t OperationNode::num_outputs() const {
  return kind == OperationKind::kPlaceholder ? 1 : as_compute(this)->body.size();
}
Array<Expr> OperationNode::output_shape() const {
  if (kind == OperationKind::kPlaceholder) return static_cast<const PlaceholderOpNode*>(this)->shape;
  Array<Expr> shape;
  for (const IterVar& iter : as_compute(this)->axis) shape.push_back(iter->dom->extent);
  return shape;
}
DataType OperationNode::output_dtype(size_t i) const {
  if (kind == OperationKind::kPlaceholder) return static_cast<const PlaceholderOpNode*>(this)->dtype;
  return as_compute(this)->body[static_cast<int64_t>(i)]->dtype();
}
Array<Tensor> OperationNode::input_tensors() const {
  InputFinder finder;
  if (kind == OperationKind::kCompute) {
    for (const Expr& e : as_compute(this)->body) finder.visit(e);
  }
  return finder.found;
}
Array<IterVar> ComputeOpNode::reduce_axis() const {
  auto* reduce = as<ReduceNode>(body[0]);
  return reduce ? reduce->axis : Array<IterVar>();
}

TensorNode::TensorNode(Operation op, int64_t value_index) : op(std::move(op)), value_index(value_index) {
  Array<Expr> shape = this->op->output_shape();
  DataType index = shape.empty() ? DataType::Int(64) : shape[0]->dtype();
  buffer = make<VarNode>(
      String(name()),
      make<BufferTypeNode>(this->op->output_dtype(static_cast<size_t>(value_index)), String("global"), shape,
                           Array<Expr>(), int_imm(index, 0), 64, 1, make<OriginNode>(this->op, value_index)));
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
      throw Error("te-mixed-outputs", "some outputs of `{}` are reductions, others are not", name.c_str())
          .at(span)
          .help("compute them as separate tensors");
    }
    if (reduce && !reduce->combiner.same_as(first->combiner)) {
      throw Error("te-mixed-outputs", "the outputs of `{}` are reduced by different combiners", name.c_str())
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
      throw Error("te-nested-reduction", "a reduction must be the whole value of an element of `{}`",
                  name.c_str())
          .at(span)
          .help("compute the reduction as a tensor of its own and use that");
    }
  }
  return make<ComputeOpNode>(std::move(name), std::move(tag), std::move(attrs), std::move(axis),
                             std::move(body));
}

}  // namespace mlc::transform::te
