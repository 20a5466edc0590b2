// SPDX-License-Identifier: Apache-2.0
// Operands, dimensions and broadcasting, as all rules of inference use them.
#include "ir/relax/infer.h"

#include <algorithm>

#include "ir/core/visit.h"
#include "ir/relax/normalize.h"
#include "ir/relax/origin.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "operand-of-wrong-type", .message = "{} must be a {}, but is a {}"},
        {.name = "operand-without-type",
         .kind = "InternalError+TypeError",
         .message = "the type of {} is not known",
         .help =
             "a variable has one when it is made, `relax.Var(\"x\", R.Tensor((2,), \"float32\"))`, or bound"},
        {.name = "operand-not-float",
         .message = "{} must have a floating-point data type, but is `{}`",
         .help = "convert it first: `R.astype(x, \"float32\")`"},
        {.name = "dtypes-differ",
         .message = "`{}`: the data types of {} ({}) and {} ({}) differ",
         .help = "convert one of them with `R.astype`"},
        {.name = "devices-differ",
         .kind = "ValueError",
         .message = "`{}`: its operands lie on different devices",
         .help = "move one of them with `R.to_vdevice`"},
        {.name = "shapes-do-not-broadcast",
         .kind = "ValueError",
         .message = "`{}`: the shapes {} of {} and {} of {} do not broadcast: {} and {} differ",
         .help = "dimensions are compared from the right; they must be equal, or one of them 1"},
        {.name = "axis-out-of-range",
         .kind = "ValueError",
         .message = "`{}`: axis {} is out of range for a tensor of {} dimensions",
         .help = "axes count from 0, or from the end: -1 is the last"},
        {.name = "repeated-axis", .kind = "ValueError", .message = "`{}`: axis {} is named twice"},
    }};
MLC_REFUSALS(relax_infer, refusals);

// ---- arithmetic ----

Expr InferContext::simplify(const Expr& e) const {
  if (e->kind == ExprKind::kIntImm || e->kind == ExprKind::kVar) return e;
  return host.simplify(e);
}

// The difference with what is known of its variables: dimensions are 0 or more.
static Expr among_dimensions(const Expr& difference, const InferContext& context) {
  Expr known = Expr(nullptr);
  for (const Var& var : ir::free_vars(difference)) {
    if (!context.builder->knows_dimension(var.get())) continue;
    Expr fact = ir::ge(var, ir::int_imm(var->dtype(), 0));
    known = known ? ir::logical_and(known, fact) : fact;
  }
  return known ? context.host.simplify(ir::select(known, difference, dim(0))) : difference;
}

InferContext::Proof InferContext::equal(const Expr& a, const Expr& b) const {
  if (a.same_as(b)) return Proof::kTrue;
  auto x = ir::const_int(a);
  auto y = ir::const_int(b);
  if (x && y) return *x == *y ? Proof::kTrue : Proof::kFalse;
  if (a->kind == ExprKind::kVar && b->kind == ExprKind::kVar) return Proof::kUnknown;
  if (auto difference = ir::constant_difference(a, b)) return *difference == 0 ? Proof::kTrue : Proof::kFalse;
  Expr difference = host.simplify(ir::sub(a, b));
  if (auto known = ir::const_int(difference)) return *known == 0 ? Proof::kTrue : Proof::kFalse;
  // 7 * n is never 25: residues and bounds tell.
  if (ir::is_const_int(host.simplify(ir::eq(difference, dim(0))), 0)) return Proof::kFalse;
  return builder && ir::is_const_int(among_dimensions(difference, *this), 0) ? Proof::kTrue : Proof::kUnknown;
}

bool InferContext::proves_equal(const Array<Expr>& a, const Array<Expr>& b) const {
  if (a.same_as(b)) return true;
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!proves_equal(a[i], b[i])) return false;
  }
  return true;
}

Expr mul(const Expr& a, const Expr& b, const InferContext& context) {
  return context.simplify(ir::mul(a, b));
}
Expr add(const Expr& a, const Expr& b, const InferContext& context) {
  return context.simplify(ir::add(a, b));
}
Expr product(const Array<Expr>& dims, const InferContext& context) {
  Expr all = dim(1);
  for (const Expr& each : dims) all = ir::mul(all, each);
  return context.simplify(all);
}

// ---- operands ----

namespace {

std::string_view callee_name(const CallNode* call) {
  const Operator* row = operator_of(call->op);
  return row ? row->short_name() : std::string_view("call");
}

// The name of parameter i in a signature.
std::string_view parameter(std::string_view signature, size_t i) {
  size_t at = signature.find('(');
  for (size_t n = 0; at != signature.npos; ++n) {
    size_t begin = at + 1;
    while (begin < signature.size() && (signature[begin] == ' ' || signature[begin] == '*')) ++begin;
    size_t end = signature.find_first_of(",=)", begin);
    if (n == i) return signature.substr(begin, end - begin);
    int depth = 0;
    at = begin;
    while (at < signature.size() && (depth > 0 || signature[at] != ',')) {
      if (signature[at] == '(' || signature[at] == '[') ++depth;
      if (signature[at] == ')' || signature[at] == ']') --depth;
      if (depth < 0) return {};
      ++at;
    }
    if (at >= signature.size()) return {};
  }
  return {};
}

[[noreturn]] void wrong_operand(const CallNode* call, size_t i, std::string_view wanted) {
  const Expr& operand = call->args[i];
  if (!operand->ty || operand->ty->kind == TypeKind::kOpaque)
    throw ir::refuse(refusals["operand-without-type"], operand_name(call, i))
        .at(operand->span ? operand->span : call->span);
  throw ir::refuse(refusals["operand-of-wrong-type"], operand_name(call, i), wanted, kind_name(operand->ty))
      .at(operand->span ? operand->span : call->span);
}

}  // namespace

std::string operand_name(const CallNode* call, size_t i) {
  const Operator* row = operator_of(call->op);
  if (!row) return fmt::format("argument {}", i + 1);
  return fmt::format("`{}` of `{}`", parameter(row->signature, i), row->short_name());
}

const TensorTypeNode* tensor_operand(const CallNode* call, size_t i) {
  if (const auto* type = type_as<TensorTypeNode>(call->args[i])) return type;
  wrong_operand(call, i, "tensor");
}
std::vector<const TensorTypeNode*> tensor_operands(const CallNode* call) {
  std::vector<const TensorTypeNode*> all;
  for (size_t i = 0; i < call->args.size(); ++i) all.push_back(tensor_operand(call, i));
  return all;
}
const ShapeTypeNode* shape_operand(const CallNode* call, size_t i) {
  if (const auto* type = type_as<ShapeTypeNode>(call->args[i])) return type;
  wrong_operand(call, i, "shape");
}
std::vector<const TensorTypeNode*> tensor_tuple_operand(const CallNode* call, size_t i) {
  const auto* tuple = type_as<TupleTypeNode>(call->args[i]);
  if (!tuple) wrong_operand(call, i, "tuple of tensors");
  std::vector<const TensorTypeNode*> all;
  for (const Type& field : tuple->elements) {
    const auto* tensor = as_type<TensorTypeNode>(field);
    if (field->kind == TypeKind::kOpaque)
      throw ir::refuse(refusals["operand-without-type"], operand_name(call, i)).at(call->span);
    if (!tensor) wrong_operand(call, i, "tuple of tensors");
    all.push_back(tensor);
  }
  return all;
}

std::string dim_text(const Expr& e) {
  if (auto value = ir::const_int(e)) return fmt::format("{}", *value);
  if (auto* var = as<VarNode>(e)) return std::string(view(var->name));
  if (const ir::BinaryNode* binary = ir::as_binary(e)) {
    std::string a = dim_text(binary->a);
    std::string b = dim_text(binary->b);
    auto bracketed = [](const Expr& part, const std::string& text) {
      bool one_word = !ir::as_binary(part) || part->kind == ExprKind::kMin || part->kind == ExprKind::kMax;
      return one_word ? text : "(" + text + ")";
    };
    switch (e->kind) {
      case ExprKind::kAdd:
        return fmt::format("{} + {}", a, b);
      case ExprKind::kSub:
        return fmt::format("{} - {}", a, bracketed(binary->b, b));
      case ExprKind::kMul:
        return fmt::format("{} * {}", bracketed(binary->a, a), bracketed(binary->b, b));
      case ExprKind::kFloorDiv:
        return fmt::format("{} // {}", bracketed(binary->a, a), bracketed(binary->b, b));
      case ExprKind::kFloorMod:
        return fmt::format("{} % {}", bracketed(binary->a, a), bracketed(binary->b, b));
      case ExprKind::kMin:
        return fmt::format("min({}, {})", a, b);
      case ExprKind::kMax:
        return fmt::format("max({}, {})", a, b);
      default:
        break;
    }
  }
  return "an expression";
}
std::string shape_text(const Array<Expr>& dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ", ") + dim_text(dims[i]);
  return text + (dims.size() == 1 ? ",)" : ")");
}

Type tensor_type(Array<Expr> dims, DataType dtype, VDevice vdevice) {
  return make<TensorTypeNode>(Expr(make<ShapeExprNode>(std::move(dims))), dtype, std::move(vdevice));
}
Type tensor_type(DataType dtype, int64_t ndim, VDevice vdevice) {
  return make<TensorTypeNode>(dtype, ndim, std::move(vdevice));
}

// ---- axes ----

int64_t normalize_axis(int64_t axis, int64_t ndim, const CallNode* call) {
  if (axis >= -ndim && axis < ndim) return axis < 0 ? axis + ndim : axis;
  throw ir::refuse(refusals["axis-out-of-range"], callee_name(call), axis, ndim).at(call->span);
}
std::vector<int64_t> normalize_axes(const std::vector<int64_t>& axes, int64_t ndim, const CallNode* call) {
  std::vector<int64_t> all;
  for (int64_t axis : axes) {
    int64_t normal = normalize_axis(axis, ndim, call);
    if (std::find(all.begin(), all.end(), normal) != all.end())
      throw ir::refuse(refusals["repeated-axis"], callee_name(call), axis).at(call->span);
    all.push_back(normal);
  }
  return all;
}

// ---- two operands ----

std::optional<Array<Expr>> broadcast_shape(const Array<Expr>& a, const Array<Expr>& b, const CallNode* call,
                                           size_t i, size_t j, const InferContext& context) {
  std::vector<Expr> reversed;
  size_t shorter = std::min(a.size(), b.size());
  for (size_t k = 1; k <= shorter; ++k) {
    const Expr& x = a[a.size() - k];
    const Expr& y = b[b.size() - k];
    if (ir::is_const_int(x, 1)) {
      reversed.push_back(y);
    } else if (ir::is_const_int(y, 1)) {
      reversed.push_back(x);
    } else {
      auto equal = context.equal(x, y);
      if (equal == InferContext::Proof::kTrue) {
        reversed.push_back(x);
      } else if (ir::const_int(x) && ir::const_int(y)) {
        ir::Error error =
            ir::refuse(refusals["shapes-do-not-broadcast"], callee_name(call), shape_text(a),
                       operand_text(call, i), shape_text(b), operand_text(call, j), dim_text(x), dim_text(y))
                .at(call->args[j]->span ? call->args[j]->span : call->span);
        explain_dim(error, call->args[i], a.size() - k, context);
        explain_dim(error, call->args[j], b.size() - k, context);
        throw error;
      } else {
        return std::nullopt;
      }
    }
  }
  const Array<Expr>& longer = a.size() > b.size() ? a : b;
  for (size_t k = shorter + 1; k <= longer.size(); ++k) reversed.push_back(longer[longer.size() - k]);
  return Array<Expr>(reversed.rbegin(), reversed.rend());
}

namespace {
[[noreturn]] void refuse_dtypes(const CallNode* call, DataType a, DataType b) {
  ir::Error error = ir::refuse(refusals["dtypes-differ"], callee_name(call), operand_text(call, 0), a.str(),
                               operand_text(call, 1), b.str())
                        .at(call->args[1]->span ? call->args[1]->span : call->span);
  note_definition(error, call, 0);
  throw error;
}
}  // namespace

DataType common_dtype(const CallNode* call, const TensorTypeNode* a, const TensorTypeNode* b) {
  if (!a->knows_dtype() || !b->knows_dtype()) return DataType::Void();
  // A bool fits any: the result is of the first operand's type.
  if (a->data_type() == b->data_type() || a->data_type().is_bool() || b->data_type().is_bool())
    return a->data_type();
  refuse_dtypes(call, a->data_type(), b->data_type());
}

namespace {

// The device that `ty_args` of a call of an operator names, where a pass has placed its result.
VDevice declared_vdevice(const CallNode* call) {
  const auto* type = call->ty_args.empty() ? nullptr : as_type<TensorTypeNode>(call->ty_args[0]);
  return type ? type->vdevice : VDevice();
}

}  // namespace

VDevice common_vdevice(const CallNode* call, std::span<const TensorTypeNode* const> operands) {
  VDevice found = declared_vdevice(call);
  if (found) return found;
  for (const TensorTypeNode* operand : operands) {
    if (!operand->vdevice) continue;
    if (!found) {
      found = operand->vdevice;
    } else if (!ir::structural_equal(Any(found), Any(operand->vdevice))) {
      throw ir::refuse(refusals["devices-differ"], callee_name(call)).at(call->span);
    }
  }
  return found;
}

// ---- families ----

namespace {

Type like(const CallNode* call, const TensorTypeNode* type, DataType dtype) {
  VDevice declared = declared_vdevice(call);
  const VDevice& vdevice = declared ? declared : type->vdevice;
  if (type->shape) return make<TensorTypeNode>(type->shape, dtype, vdevice);
  return make<TensorTypeNode>(dtype, type->ndim, vdevice);
}

// What an operand of a broadcasting operator is: a tensor, or a primitive value, which has no dimensions.
struct Operand {
  const TensorTypeNode* tensor = nullptr;
  DataType dtype = DataType::Void();
  int64_t ndim = 0;
  std::optional<Array<Expr>> dims = Array<Expr>();

  Operand(const CallNode* call, size_t i) {
    const Expr& e = call->args[i];
    if (is_prim(e)) {
      dtype = e->dtype();
      return;
    }
    tensor = tensor_operand(call, i);
    dtype = tensor->data_type();
    ndim = tensor->ndim;
    dims = tensor->dims();  // what the type of a shape variable says counts, too
  }
};

DataType operand_dtype(const CallNode* call, const Operand& a, const Operand& b) {
  if (a.dtype.is_void() || b.dtype.is_void()) return DataType::Void();
  if (a.dtype == b.dtype || a.dtype.is_bool() || b.dtype.is_bool()) return a.dtype;
  refuse_dtypes(call, a.dtype, b.dtype);
}

Type infer_broadcast(const CallNode* call, const InferContext& context, std::optional<DataType> result) {
  Operand a(call, 0);
  Operand b(call, 1);
  DataType dtype = result ? *result : operand_dtype(call, a, b);
  if (!a.tensor && !b.tensor) return ir::prim_type(dtype);
  std::vector<const TensorTypeNode*> tensors;
  for (const Operand* each : {&a, &b}) {
    if (each->tensor) tensors.push_back(each->tensor);
  }
  VDevice vdevice = common_vdevice(call, tensors);
  int64_t ndim = a.ndim == kUnknownNDim || b.ndim == kUnknownNDim ? kUnknownNDim : std::max(a.ndim, b.ndim);
  if (a.dims && b.dims) {
    auto dims = broadcast_shape(*a.dims, *b.dims, call, 0, 1, context);
    if (!dims) return make<TensorTypeNode>(dtype, ndim, vdevice);
    return tensor_type(*dims, dtype, vdevice);
  }
  if (a.tensor && b.tensor && a.tensor->shape && a.tensor->shape.same_as(b.tensor->shape))
    return make<TensorTypeNode>(a.tensor->shape, dtype, vdevice);
  return make<TensorTypeNode>(dtype, ndim, vdevice);
}

}  // namespace

Type infer_unary_any(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  return like(call, x, x->data_type());
}
Type infer_unary_float(const CallNode* call, const InferContext&) {
  const TensorTypeNode* x = tensor_operand(call, 0);
  if (x->knows_dtype() && !x->data_type().is_float() && !x->data_type().is_bfloat16()) {
    throw ir::refuse(refusals["operand-not-float"], operand_name(call, 0), x->data_type().str())
        .at(call->args[0]->span ? call->args[0]->span : call->span);
  }
  return like(call, x, x->data_type());
}
Type infer_unary_bool(const CallNode* call, const InferContext&) {
  return like(call, tensor_operand(call, 0), DataType::Bool());
}
Type infer_binary(const CallNode* call, const InferContext& context) {
  return infer_broadcast(call, context, std::nullopt);
}
Type infer_compare(const CallNode* call, const InferContext& context) {
  return infer_broadcast(call, context, DataType::Bool());
}

}  // namespace mlc::relax
