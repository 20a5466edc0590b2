// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/graph_values.h"

#include "frontend/script/core/machine.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/relax/operator.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "number-beside-tensor",
         .message = "`{}` of a tensor and `{}`",
         .help = "make it a tensor: `R.const(value, dtype)`, in a script `tvm.relax.const(value, dtype)`"},
        {.name = "no-tensor-operator", .message = "`{}` is not defined for tensors of the graph language"},
    }};
MLC_REFUSALS(core_graph_values, refusals);

namespace {

ir::Expr graph_operand(const Any& value, std::string_view sign, Span span) {
  if (auto e = ir::try_get<ir::Expr>(value)) return *e;
  throw ir::refuse(refusals["number-beside-tensor"], sign, ir::type_name(value)).at(span);
}
Any operator_call(std::string_view op, std::string_view sign, const Any& a, const Any& b, Span span) {
  return ir::Expr(
      relax::make_call(op, {graph_operand(a, sign, span), graph_operand(b, sign, span)}, {}, {}, span));
}

}  // namespace

bool is_graph_value(const Any& value) {
  auto* e = value.as<ir::ExprNode>();
  if (e == nullptr) return false;
  if (!e->ty) return true;
  if (e->ty->kind == ir::TypeKind::kOpaque) {
    if (e->kind == ir::ExprKind::kTupleGetItem) return true;
    return e->kind == ir::ExprKind::kCall &&
           relax::operator_of(static_cast<const ir::CallNode*>(e)->op) != nullptr;
  }
  return e->ty->kind == ir::TypeKind::kTensor || e->ty->kind == ir::TypeKind::kDTensor;
}

Any graph_binary(syntax::BinOperator op, const Any& a, const Any& b, Span span) {
  std::string_view sign = syntax::spelling(op);
  using enum syntax::BinOperator;
  switch (op) {
    case kAdd:
      return operator_call("relax.add", sign, a, b, span);
    case kSub:
      return operator_call("relax.subtract", sign, a, b, span);
    case kMult:
      return operator_call("relax.multiply", sign, a, b, span);
    case kDiv:
      return operator_call("relax.divide", sign, a, b, span);
    case kFloorDiv:
      return operator_call("relax.floor_divide", sign, a, b, span);
    case kMod:
      return operator_call("relax.mod", sign, a, b, span);
    case kPow:
      return operator_call("relax.power", sign, a, b, span);
    default:
      throw ir::refuse(refusals["no-tensor-operator"], sign).at(span);
  }
}

Any graph_unary(syntax::UnaryOperator op, const Any& a, Span span) {
  if (op == syntax::UnaryOperator::kUSub)
    return ir::Expr(relax::make_call("relax.negative", {graph_operand(a, "-", span)}, {}, {}, span));
  throw ir::refuse(refusals["no-tensor-operator"], syntax::spelling(op)).at(span);
}

Any graph_compare(syntax::CmpOperator op, const Any& a, const Any& b, Span span) {
  std::string_view sign = syntax::spelling(op);
  using enum syntax::CmpOperator;
  using syntax::CmpOperator;
  // As in Python the operand of the derived class is asked first: `x < d` is `d > x`.
  auto* left = a.as<ir::VarNode>();
  auto* right = b.as<ir::VarNode>();
  if (left && right && !relax::is_dataflow(left) && relax::is_dataflow(right)) {
    CmpOperator turned = op == kLt ? kGt : op == kGt ? kLt : op == kLtE ? kGtE : op == kGtE ? kLtE : op;
    return graph_compare(turned, b, a, span);
  }
  switch (op) {
    case kLt:
      return operator_call("relax.less", sign, a, b, span);
    case kLtE:
      return operator_call("relax.less_equal", sign, a, b, span);
    case kGt:
      return operator_call("relax.greater", sign, a, b, span);
    case kGtE:
      return operator_call("relax.greater_equal", sign, a, b, span);
    default:
      throw ir::refuse(refusals["no-tensor-operator"], sign).at(span);
  }
}

}  // namespace mlc::script
