// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/operand_checks.h"

#include <tvm/ffi/container/list.h>

#include "ir/relax/normalize.h"
#include "ir/relax/origin.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "operand-not-integer", .message = "{} must have an integer data type, but has `{}`"},
        {.name = "operand-not-bool", .message = "{} must have the data type `bool`, but has `{}`"},
        {.name = "operand-of-wrong-dtype", .message = "{} must have the data type `{}`, but has `{}`"},
        {.name = "operands-of-two-dtypes",
         .message = "the data types of {} (`{}`) and {} (`{}`) differ",
         .help = "convert one of them with `R.astype`"},
        {.name = "dtypes-of-operands-differ",
         .message = "`{}`: its tensors have the data types `{}` and `{}`",
         .help = "convert them to one with `R.astype`"},
        {.name = "operand-of-wrong-rank", .kind = "ValueError", .message = "{} must have {}, but has {}"},
        {.name = "rank-unknown",
         .kind = "ValueError",
         .message = "{} must have {}, but its rank is unknown",
         .help = "say what is known with `R.match_cast`"},
        {.name = "ranks-differ",
         .kind = "ValueError",
         .message = "{} has {} dimensions, {} has {}; they must have the same number"},
        {.name = "dimensions-differ",
         .kind = "ValueError",
         .message = "dimension {} of {} is {}, dimension {} of {} is {}; they must be equal"},
        {.name = "no-tensors",
         .kind = "ValueError",
         .message = "`{}` needs at least one tensor, its tuple is empty"},
        {.name = "operand-not-prim",
         .message = "{} must be a primitive value such as `4` or `n`, but is a {}"},
        {.name = "operand-not-prim-integer", .message = "{} must be an integer, but has the data type `{}`"},
        {.name = "not-a-type",
         .message = "argument `{}` of `{}` must be a type such as `R.Tensor((2, 3), \"float32\")`, not `{}`"},
        {.name = "not-a-number", .message = "argument `{}` of `{}` must be a number, not `{}`"},
    }};
MLC_REFUSALS(relax_operand_checks, refusals);

std::vector<Any> one_or_all(const Any& value) {
  if (auto array = value.as<Array<Any>>()) return {array->begin(), array->end()};
  if (auto* list = value.as<ffi::ListObj>()) return {list->begin(), list->end()};
  return {value};
}

namespace {

// `R.Tensor` stands for `R.Tensor()`, `T.int64` for the type of its values.
Type type_of(const ApiCall& call, size_t i, Any value) {
  if (auto* type = value.as<TypeNode>()) return ref(type);
  if (value == nullptr) return ir::void_type();
  if (!value.as<ExprNode>() && call.host.callable(value)) value = call.host.call(value, {});
  if (auto* type = value.as<TypeNode>()) return ref(type);
  if (auto* var = value.as<VarNode>(); var && var->name.empty() && is_prim(ref(var))) return var->ty;
  throw ir::refuse(refusals["not-a-type"], call.api.params[i].name, call.api.name, ir::type_name(value))
      .at(call.span_of(i));
}

}  // namespace

Array<Type> types_arg(const ApiCall& call, size_t i) {
  Array<Type> types;
  if (call.args[i] == nullptr) return types;
  for (const Any& each : one_or_all(call.args[i])) types.push_back(type_of(call, i, each));
  return types;
}

const Array<Expr>* written_dims(const TensorTypeNode* type) {
  auto* shape = type->shape ? as<ShapeExprNode>(type->shape) : nullptr;
  return shape ? &shape->values : nullptr;
}

Type with_dtype(const TensorTypeNode* type, DataType dtype) {
  if (type->shape) return make<TensorTypeNode>(type->shape, dtype, type->vdevice);
  return make<TensorTypeNode>(dtype, type->ndim, type->vdevice);
}
Type with_dims(const TensorTypeNode* type, Array<Expr> dims) {
  return tensor_type(std::move(dims), type->dtype, type->vdevice);
}
Type with_ndim(const TensorTypeNode* type, int64_t ndim) {
  return tensor_type(type->dtype, ndim, type->vdevice);
}

VDevice shared_vdevice(std::span<const TensorTypeNode* const> operands) {
  VDevice found;
  for (const TensorTypeNode* each : operands) {
    if (!each->vdevice) continue;
    if (!found) {
      found = each->vdevice;
    } else if (!ir::structural_equal(Any(found), Any(each->vdevice))) {
      return {};
    }
  }
  return found;
}

DataType shared_dtype(const CallNode* call, std::span<const TensorTypeNode* const> operands) {
  DataType found = DataType::Void();
  bool unknown = false;
  for (const TensorTypeNode* each : operands) {
    if (!each->knows_dtype()) {
      unknown = true;
    } else if (found.is_void()) {
      found = each->data_type();
    } else if (found != each->data_type()) {
      throw ir::refuse(refusals["dtypes-of-operands-differ"], call_name(call), found.str(),
                       each->data_type().str())
          .at(operand_span(call, 0));
    }
  }
  return unknown ? DataType::Void() : found;
}

Expr plain_product(const Array<Expr>& dims) {
  Expr all = dim(1);
  for (const Expr& each : dims) all = ir::mul(all, each);
  return all;
}

void check_integer(const CallNode* call, size_t i, const TensorTypeNode* type) {
  if (!type->knows_dtype() || type->data_type().is_int() || type->data_type().is_uint()) return;
  throw ir::refuse(refusals["operand-not-integer"], operand_name(call, i), type->data_type().str())
      .at(operand_span(call, i));
}
void check_bool(const CallNode* call, size_t i, const TensorTypeNode* type) {
  if (!type->knows_dtype() || type->data_type().is_bool()) return;
  throw ir::refuse(refusals["operand-not-bool"], operand_name(call, i), type->data_type().str())
      .at(operand_span(call, i));
}
void check_dtype(const CallNode* call, size_t i, const TensorTypeNode* type, DataType wanted) {
  if (!type->knows_dtype() || type->data_type() == wanted) return;
  throw ir::refuse(refusals["operand-of-wrong-dtype"], operand_name(call, i), wanted.str(),
                   type->data_type().str())
      .at(operand_span(call, i));
}
void check_same_dtype(const CallNode* call, size_t i, const TensorTypeNode* a, size_t j,
                      const TensorTypeNode* b) {
  if (!a->knows_dtype() || !b->knows_dtype() || a->data_type() == b->data_type()) return;
  throw ir::refuse(refusals["operands-of-two-dtypes"], operand_name(call, i), a->data_type().str(),
                   operand_name(call, j), b->data_type().str())
      .at(operand_span(call, j));
}

void refuse_ndim(const CallNode* call, size_t i, int64_t ndim, std::string_view wanted) {
  if (ndim == kUnknownNDim)
    throw ir::refuse(refusals["rank-unknown"], operand_name(call, i), wanted).at(operand_span(call, i));
  throw ir::refuse(refusals["operand-of-wrong-rank"], operand_name(call, i), wanted, ndim)
      .at(operand_span(call, i));
}
void check_ndim(const CallNode* call, size_t i, const TensorTypeNode* type, int64_t ndim) {
  if (!type->knows_ndim() || type->ndim == ndim) return;
  refuse_ndim(call, i, type->ndim, fmt::format("{} dimension{}", ndim, ndim == 1 ? "" : "s"));
}
void check_same_ndim(const CallNode* call, size_t i, const TensorTypeNode* a, size_t j,
                     const TensorTypeNode* b) {
  if (!a->knows_ndim() || !b->knows_ndim() || a->ndim == b->ndim) return;
  throw ir::refuse(refusals["ranks-differ"], operand_name(call, i), a->ndim, operand_name(call, j), b->ndim)
      .at(operand_span(call, j));
}
void refuse_dims(const CallNode* call, size_t i, size_t a_axis, const Expr& a, size_t j, size_t b_axis,
                 const Expr& b, const InferContext& context) {
  ir::Error error = ir::refuse(refusals["dimensions-differ"], a_axis, operand_name(call, i), dim_text(a),
                               b_axis, operand_name(call, j), dim_text(b))
                        .at(operand_span(call, j));
  explain_dim(error, call->args[i], a_axis, context);
  explain_dim(error, call->args[j], b_axis, context);
  throw error;
}
void check_not_empty(const CallNode* call, std::span<const TensorTypeNode* const> operands) {
  if (operands.empty()) throw ir::refuse(refusals["no-tensors"], call_name(call)).at(operand_span(call, 0));
}

Expr prim_operand(const CallNode* call, size_t i) {
  const Expr& operand = call->args[i];
  if (is_prim(operand)) return operand;
  throw ir::refuse(refusals["operand-not-prim"], operand_name(call, i), kind_name(operand->ty))
      .at(operand_span(call, i));
}
Expr prim_int_operand(const CallNode* call, size_t i) {
  Expr operand = prim_operand(call, i);
  if (operand->dtype().is_int() || operand->dtype().is_uint()) return operand;
  throw ir::refuse(refusals["operand-not-prim-integer"], operand_name(call, i), operand->dtype().str())
      .at(operand_span(call, i));
}

bool DimensionFacts::is_nonnegative(const VarNode* var) const {
  return !context.builder || context.builder->knows_dimension(var);
}

Span operand_span(const CallNode* call, size_t i) {
  return i < call->args.size() && call->args[i]->span ? call->args[i]->span : call->span;
}
std::string call_name(const CallNode* call) {
  const Operator* row = operator_of(call->op);
  return row ? std::string(row->short_name()) : "call";
}

Expr prim_arg(const ApiCall& call, size_t i) {
  const Any& value = call.args[i];
  if (auto flag = value.as<bool>()) return ir::bool_imm(*flag);
  if (value.as<int64_t>() || value.as<double>()) return wide_operand_arg(call, i);
  if (auto* e = value.as<ir::ExprNode>(); e && is_prim(ir::ref(e))) return ir::ref(e);
  throw ir::refuse(refusals["not-a-number"], call.api.params[i].name, call.api.path(), ir::type_name(value))
      .at(call.span_of(i));
}

}  // namespace mlc::relax
