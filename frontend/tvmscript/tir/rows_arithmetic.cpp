// SPDX-License-Identifier: Apache-2.0
// T.* arithmetic: nodes by name, casts, vectors, limits. Elementary functions come from the operator table.
#include <array>
#include <cmath>
#include <deque>
#include <limits>

#include "frontend/script/core/graph_values.h"
#include "frontend/script/numpy/scalar.h"
#include "frontend/script/types/wide_int.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/relax/operator.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"
#include "ir/tir/op.h"
#include "ir/tir/reduce.h"
#include "ir/tir/scalar_op.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-lanes",
         .kind = ir::kRefusedValue,
         .message = "a vector has at least 2 lanes, got {}",
         .meaning = "A vector has at least two lanes; one lane is a scalar.",
         .wrong = "T.evaluate(T.Broadcast(n, 1))",
         .right = "T.evaluate(T.Broadcast(n, 4))"},
        {.name = "bad-let",
         .meaning = "`T.Let` gives one variable a value inside one expression.",
         .wrong = "T.evaluate(T.Let(n, where={}))",
         .right = R"(m = T.int32()
T.evaluate(T.Let(m + 1, where={m: n})))"},
        {.name = "no-limits", .message = "`{}` has no limits"},
    }};
MLC_REFUSALS(tir_rows_arithmetic, refusals);

namespace {

bool is_number(const Expr& x) {
  if (x->ty->kind != ir::TypeKind::kPrim) return false;
  DataType dtype = x->dtype();
  return dtype.is_int() || dtype.is_uint() || dtype.is_floating() || dtype.is_bool();
}

// An operand; slices of elements are vectors.
Expr value_arg(const ApiCall& call, size_t i) { return script::region_value(expr_arg(call, i)); }

[[noreturn]] void not_for(const ApiCall& call, const Expr& x, std::string_view kind) {
  throw ir::Error("type-mismatch", "`{}` is not defined for `{}`", call.api.name,
                  is_number(x) ? x->dtype().str() : "handle")
      .at(call.span)
      .kind(std::string(kind));
}
void need_number(const ApiCall& call, const Expr& x) {
  if (!is_number(x)) not_for(call, x, "TypeError");
}

// An integer of the script takes the type of the other operand.
template <Expr (*build)(Expr, Expr, Span)>
Any binary_of_one_type(ApiCall& call) {
  Expr a = value_arg(call, 0);
  Expr b = value_arg(call, 1);
  bool plain_a = script::is_int(call.args[0]), plain_b = script::is_int(call.args[1]);
  if (plain_a && !plain_b && is_number(b)) a = ir::cast(b->dtype(), a, call.span_of(0));
  if (plain_b && !plain_a && is_number(a)) b = ir::cast(a->dtype(), b, call.span_of(1));
  return build(a, b, call.span);
}

template <Expr (*build)(Expr, Expr, Span)>
Any binary(ApiCall& call) {
  return build(value_arg(call, 0), value_arg(call, 1), call.span);
}
// tvm.tirx.max(expr, axis, where, init, *args): over axes the reduction of te, else the largest of all.
template <Expr (*build)(Expr, Expr, Span), Expr (*neutral)(DataType, Span)>
Any extreme(ApiCall& call) {
  const Any& axis = call.args[1];
  if (axis.as<ir::IterVarNode>() || is_list(axis)) {
    Array<ir::IterVar> axes;
    for (const Any& one : one_or_all(axis)) {
      auto* iter = one.as<ir::IterVarNode>();
      if (iter == nullptr) ir::wrong_argument(call, 1, "reduce_axis");
      ir::expect_reduce_axis(ir::ref(iter), call.span_of(1));
      axes.push_back(ir::ref(iter));
    }
    Expr source = value_arg(call, 0);
    Expr condition = is_given(call, 2) ? value_arg(call, 2) : ir::bool_imm(true);
    Array<Expr> init;
    if (is_given(call, 3)) init.push_back(value_arg(call, 3));
    return ir::reduce_over(build, neutral(source->dtype(), {}), source, axes, condition, init, call.span);
  }
  Expr result = build(value_arg(call, 0), value_arg(call, 1), call.span);
  for (size_t i : {2, 3})
    if (is_given(call, i)) result = build(result, value_arg(call, i), call.span);
  for (const Any& more : script::elements(call.args[4]))
    result = build(result, script::as_expr(more, call.span, "an operand"), call.span);
  return result;
}
// The bare node: nothing is folded, operands have the same type.
template <ir::ExprKind kind>
Any node(ApiCall& call) {
  Expr a = value_arg(call, 0);
  Expr b = value_arg(call, 1);
  constexpr bool logical = kind == ir::ExprKind::kAnd || kind == ir::ExprKind::kOr;
  if (logical && is_number(a) && is_number(b)) {
    if (!a->dtype().is_bool()) not_for(call, a, "InternalError");
    if (!b->dtype().is_bool()) not_for(call, b, "InternalError");
  }
  if (a->ty->kind != ir::TypeKind::kPrim || b->ty->kind != ir::TypeKind::kPrim ||
      !(a->dtype() == b->dtype())) {
    throw ir::Error("type-mismatch", "`{}` makes a node of operands of one type, got `{}` and `{}`",
                    call.api.name, a->dtype().str(), b->dtype().str())
        .at(call.span)
        .kind("TypeError")
        .help("use the operator, or cast one of them");
  }
  constexpr bool shift = kind == ir::ExprKind::kLShift || kind == ir::ExprKind::kRShift;
  constexpr bool bits = kind == ir::ExprKind::kBitwiseAnd || kind == ir::ExprKind::kBitwiseOr ||
                        kind == ir::ExprKind::kBitwiseXor;
  if constexpr (shift || bits) {
    DataType dtype = a->dtype();
    if (!dtype.is_int() && !dtype.is_uint() && !(bits && dtype.is_bool())) not_for(call, a, "TypeError");
  }
  return ir::binary(kind, a, b, call.span);
}

Any not_(ApiCall& call) {
  Expr a = value_arg(call, 0);
  if (!a->dtype().is_bool()) {
    need_number(call, a);
    throw ir::Error("type-mismatch", "`T.Not` needs a bool, got `{}`", a->dtype().str())
        .at(call.span_of(0))
        .kind("InternalError");
  }
  return Expr(ir::make<ir::NotNode>(a, call.span));
}
Any bitwise_not(ApiCall& call) { return ir::bitwise_not(value_arg(call, 0), call.span); }
Any bitwise_not_node(ApiCall& call) {
  Expr a = value_arg(call, 0);
  need_number(call, a);
  if (a->dtype().is_floating()) not_for(call, a, "TypeError");
  return ir::bitwise_not(a, call.span);
}

Any cast_to(ApiCall& call) {  // T.Cast(dtype, value): the node
  DataType dtype = dtype_arg(call, 0);
  Expr value = value_arg(call, 1);
  need_number(call, value);
  if (dtype.is_handle() || value->dtype().lanes() != dtype.lanes()) {
    if (dtype.is_handle())
      throw ir::Error("type-mismatch", "`{}` cannot become `{}`", value->dtype().str(), dtype.str())
          .at(call.span)
          .kind("TypeError");
    throw ir::Error("type-mismatch", "`{}` cannot become `{}`: the lanes differ, {} and {}",
                    value->dtype().str(), dtype.str(), value->dtype().lanes(), dtype.lanes())
        .at(call.span)
        .kind("InternalError");
  }
  return Expr(ir::make<ir::CastNode>(dtype, value, call.span));
}
Any cast_value(ApiCall& call) {
  if (script::is_str(call.args[0]) && !script::is_str(call.args[1])) swapped(call, 0, 1);
  return ir::cast(dtype_arg(call, 1), value_arg(call, 0), call.span);
}

Any select(ApiCall& call) {
  Expr yes = value_arg(call, 1);
  Expr no = value_arg(call, 2);
  need_number(call, yes);
  need_number(call, no);
  return ir::select(value_arg(call, 0), yes, no, call.span);
}
Any if_then_else(ApiCall& call) {
  Expr condition = value_arg(call, 0);
  return ir::if_then_else(condition, value_arg(call, 1), value_arg(call, 2), call.span);
}

Expr lanes_arg(ApiCall& call, size_t i) {
  Expr lanes = value_arg(call, i);
  if (auto n = ir::const_int(lanes)) {
    if (*n < 2) throw ir::refuse(refusals["bad-lanes"], *n).at(call.span_of(i));
    return ir::cast(DataType::Int(32), lanes);
  }
  // A scalable vector has `vscale() * n` lanes.
  ir::LinearForm form = ir::LinearForm::of(lanes);
  if (form.constant == 0 && form.terms.size() == 1 && form.terms[0].second > 1 &&
      form.terms[0].first->kind == ir::ExprKind::kCall) {
    return ir::make<ir::MulNode>(form.terms[0].first, ir::int32(static_cast<int>(form.terms[0].second)));
  }
  return lanes;
}
Any ramp(ApiCall& call) {
  Expr base = value_arg(call, 0);
  Expr stride = value_arg(call, 1);
  need_number(call, base);
  need_number(call, stride);
  if (base->dtype().is_vector()) not_for(call, base, "InternalError");
  stride = ir::cast(base->dtype(), stride);
  return Expr(ir::make<ir::RampNode>(base, stride, lanes_arg(call, 2), call.span));
}
Any broadcast(ApiCall& call) {
  Expr value = value_arg(call, 0);
  need_number(call, value);
  if (value->dtype().is_vector()) not_for(call, value, "InternalError");
  return Expr(ir::make<ir::BroadcastNode>(value, lanes_arg(call, 1), call.span));
}
Any shuffle(ApiCall& call) {
  Array<Expr> vectors = exprs_arg(call, 0), indices = exprs_arg(call, 1);
  if (vectors.empty() || indices.empty()) {
    throw ir::Error("wrong-arguments", "`Shuffle` takes one vector and one index at the least")
        .at(call.span)
        .kind("InternalError+IndexError");
  }
  for (const Expr& vector : vectors) {
    need_number(call, vector);
    if (!(vector->dtype().element() == vectors[0]->dtype().element())) {
      throw ir::Error("type-mismatch", "`Shuffle` takes vectors of one type, got `{}` and `{}`",
                      vectors[0]->dtype().str(), vector->dtype().str())
          .at(call.span_of(0))
          .kind(ir::kRefusedType);
    }
  }
  int64_t lanes = 0;
  for (const Expr& vector : vectors) {
    if (vector->dtype().is_scalable()) return Expr(ir::make<ir::ShuffleNode>(vectors, indices, call.span));
    lanes += vector->dtype().lanes();
  }
  for (const Expr& index : indices) {
    auto lane = ir::const_int(index);
    if (!lane || (*lane >= 0 && *lane < lanes)) continue;
    throw ir::Error("index-out-of-range", "lane {} of vectors that have {} lane{} in all", *lane, lanes,
                    lanes == 1 ? "" : "s")
        .at(call.span_of(1))
        .kind("InternalError+IndexError");
  }
  return Expr(ir::make<ir::ShuffleNode>(vectors, indices, call.span));
}

// T.Let(body, where={var: value})
Any let(ApiCall& call) {
  auto where = call.args[1].as<script::Dict>();
  if (!where || where->size() != 1) {
    throw ir::refuse_as(refusals["bad-let"],
                        "`T.Let` binds exactly one variable: `T.Let(expr, where={{v: value}})`")
        .at(call.span);
  }
  auto entry = *where->begin();
  auto* var = entry.first.as<ir::VarNode>();
  if (!var)
    throw ir::refuse_as(refusals["bad-let"], "the key of `where` must be a variable").at(call.span_of(1));
  Expr value = script::as_expr(entry.second, call.span_of(1), "a value");
  return Expr(ir::make<ir::LetNode>(ir::ref(var), value, value_arg(call, 0), call.span));
}

// tirx.Let(var, value, body)
Any let_node(ApiCall& call) {
  auto var = node_arg<ir::VarNode>(call, 0, "a variable");
  Expr value = expr_arg(call, 1);
  need_number(call, var);
  need_number(call, value);
  if (!(var->dtype() == value->dtype())) {
    throw ir::Error("type-mismatch", "the variable `{}` is `{}`, its value `{}`", var->name.c_str(),
                    var->dtype().str(), value->dtype().str())
        .at(call.span)
        .kind("InternalError");
  }
  return Expr(ir::make<ir::LetNode>(var, value, expr_arg(call, 2), call.span));
}

Any abs(ApiCall& call) {
  Expr x = value_arg(call, 0);
  need_number(call, x);
  DataType dtype = x->dtype();
  if (dtype.is_bool()) not_for(call, x, "InternalError");
  if (dtype.is_uint()) return x;
  if (dtype.is_int()) {
    if (auto value = ir::as<ir::IntImmNode>(x)) return value->value < 0 ? ir::neg(x, call.span) : x;
    Expr zero = ir::const_like(x, 0);
    return ir::select(ir::ge(x, zero), x, ir::sub(zero, x), call.span);
  }
  if (auto value = ir::as<ir::FloatImmNode>(x))
    return Expr(ir::make<ir::FloatImmNode>(dtype, std::fabs(value->value), call.span));
  return ir::call_op(dtype, "tirx.fabs", {x}, call.span);
}

// floor, ceil, round, trunc, nearbyint: integers are whole already, constants are known.
Any rounding(ApiCall& call) {
  Expr x = value_arg(call, 0);
  need_number(call, x);
  if (!x->dtype().is_floating()) return x;
  std::string name = "tirx." + call.api.name;
  if (auto value = ir::as<ir::FloatImmNode>(x)) {
    const ir::OpRow& row = ir::op_row(ir::op(name).get());
    return Expr(ir::make<ir::FloatImmNode>(x->dtype(), row.unary(value->value), call.span));
  }
  return ir::call_op(x->dtype(), name, {x}, call.span);
}

Any elementary(ApiCall& call) {  // exp(x), sqrt(x), ...
  Expr x = value_arg(call, 0);
  DataType dtype = x->dtype();
  if (x->ty->kind != ir::TypeKind::kPrim) {
    throw ir::Error("type-mismatch", "`T.{}` needs a number", call.api.name)
        .at(call.span_of(0))
        .kind("TypeError");
  }
  need_number(call, x);
  bool angle = call.api.name == "sin" || call.api.name == "cos" || call.api.name == "tan";
  if (angle && !dtype.is_floating()) not_for(call, x, "TypeError");
  return ir::call_op(dtype, "tirx." + call.api.name, {x}, call.span);
}
Any elementary_pair(ApiCall& call) {  // atan2(x, y), ...: the type of the first
  Expr x = value_arg(call, 0);
  Expr y = value_arg(call, 1);
  need_number(call, x);
  need_number(call, y);
  return ir::call_op(x->dtype(), "tirx." + call.api.name, {x, y}, call.span);
}
Any power(ApiCall& call) {
  Expr x = value_arg(call, 0);
  Expr y = value_arg(call, 1);
  ir::match_types(x, y, call.span);
  if (!x->dtype().is_floating()) {
    throw ir::Error("type-mismatch", "`T.pow` works on floats, got `{}`", x->dtype().str())
        .at(call.span)
        .kind("InternalError");
  }
  return ir::call_op(x->dtype(), "tirx.pow", {x, y}, call.span);
}
Any fma(ApiCall& call) {
  Expr x = value_arg(call, 0);
  return ir::call_op(x->dtype(), "tirx.fma", {x, value_arg(call, 1), value_arg(call, 2)}, call.span);
}

// A test of floats by its name; no other number passes.
Expr test_of(std::string_view name, const Expr& x, Span span) {
  DataType truth = DataType::Bool(x->dtype().lanes());
  if (!x->dtype().is_floating()) return ir::cast(truth, ir::bool_imm(false));
  bool half = x->dtype().is_float() && x->dtype().bits() == 16;
  return ir::call_op(truth, fmt::format("tirx.{}", name),
                     {half ? ir::cast(ir::DataType::Float(32, x->dtype().lanes()), x) : x}, span);
}
// The operand of a test of floats; a constant is known.
const ir::FloatImmNode* tested(const ApiCall& call, const Expr& x) {
  need_number(call, x);
  if (x->dtype().is_bool()) not_for(call, x, "InternalError");
  return ir::as<ir::FloatImmNode>(x);
}
Any test(ApiCall& call) {  // isnan
  Expr x = value_arg(call, 0);
  const ir::ScalarOp* op = ir::scalar_op(call.api.name);
  if (auto* known = tested(call, x)) return ir::bool_imm(op->test(known->value));
  if (x->dtype().is_bfloat16()) not_for(call, x, "InternalError");
  return test_of(op->name, x, call.span);
}
Expr is_nan_of(const Expr& x, Span span) { return test_of("isnan", x, span); }
Expr is_inf_of(const Expr& x, Span span) {
  DataType dtype = x->dtype();
  if (!dtype.is_floating()) return ir::cast(DataType::Bool(dtype.lanes()), ir::bool_imm(false));
  Expr magnitude = ir::call_op(dtype, "tirx.fabs", {x}, span);
  Expr infinite = ir::eq(magnitude, ir::cast(dtype, ir::infinity(dtype.element())), span);
  return ir::logical_and(infinite, ir::logical_not(is_nan_of(x, span), span), span);
}
Any is_inf(ApiCall& call) {
  Expr x = value_arg(call, 0);
  if (auto* known = tested(call, x)) return ir::bool_imm(std::isinf(known->value));
  if (x->dtype().is_floating() && x->dtype().is_vector()) not_for(call, x, "InternalError");
  return is_inf_of(x, call.span);
}
Any is_finite(ApiCall& call) {
  Expr x = value_arg(call, 0);
  if (auto* known = tested(call, x)) return ir::bool_imm(std::isfinite(known->value));
  if (x->dtype().is_floating() && x->dtype().is_vector()) not_for(call, x, "InternalError");
  return ir::logical_and(ir::logical_not(is_inf_of(x, call.span), call.span),
                         ir::logical_not(is_nan_of(x, call.span), call.span), call.span);
}

template <Expr (*limit)(DataType, Span)>
Any limit_of(ApiCall& call) {
  DataType dtype = dtype_arg(call, 0);
  if (dtype.is_handle() || dtype.is_vector()) {
    throw ir::refuse(refusals["no-limits"], dtype.str())
        .at(call.span)
        .kind(dtype.is_handle() ? "TypeError" : "InternalError");
  }
  return limit(dtype, call.span);
}

Any log_add_exp(ApiCall& call) {
  Expr x = value_arg(call, 0);
  Expr y = value_arg(call, 1);
  need_number(call, x);
  need_number(call, y);
  if (!x->dtype().is_floating()) not_for(call, x, "InternalError");
  if (!y->dtype().is_floating()) not_for(call, y, "InternalError");
  ir::match_types(x, y, call.span);
  auto exp_of = [&](const Expr& e) { return ir::call_op(e->dtype(), "tirx.exp", {e}, call.span); };
  return ir::call_op(x->dtype(), "tirx.log", {ir::add(exp_of(x), exp_of(y), call.span)}, call.span);
}

Any likely(ApiCall& call) {
  Expr x = value_arg(call, 0);
  need_number(call, x);
  if (ir::as<ir::IntImmNode>(x)) return x;
  return ir::call_op(x->dtype(), "tirx.likely", {x}, call.span);
}

template <Expr (*build)(Expr, Expr, Span)>
Any all_of(ApiCall& call) {
  Expr result;
  for (const Any& one : script::elements(call.args[0])) {
    Expr e = script::as_expr(one, call.span, "a condition");
    if (result && e->dtype().is_bool() && result->dtype().lanes() != e->dtype().lanes())
      not_for(call, e, "TypeError");
    result = result ? build(result, e, call.span) : e;
  }
  if (!result) throw ir::Error("missing-argument", "`T.{}` needs a condition", call.api.name).at(call.span);
  return result;
}

// What a constant is made of: a float in all its digits, a scalar of NumPy in its type. Beyond 63 bits an
// integer is one of uint64, or a float.
Expr literal_arg(const ApiCall& call, size_t i, std::optional<DataType> dtype_wanted = std::nullopt) {
  const Any& given = call.args[i];
  if (auto* wide = script::as_wide(given); wide != nullptr && dtype_wanted) {
    if (dtype_wanted->is_floating())
      return ir::make<ir::FloatImmNode>(DataType::Float(64), script::double_of(*wide), call.span);
    if (*dtype_wanted != DataType::UInt(64) || !script::unsigned_of(given)) {
      throw ir::Error("literal-out-of-range", "{} does not fit into `{}`", script::whole_text(given),
                      dtype_wanted->str())
          .at(call.span)
          .kind("ValueError");
    }
  }
  if (script::is_float(given))
    return ir::make<ir::FloatImmNode>(DataType::Float(64), script::raw_float(given), call.span);
  Expr value = value_arg(call, i);
  auto dtype = script::numpy_scalar_dtype(given);
  return dtype ? ir::cast(*dtype, value, call.span) : value;
}

Any const_(ApiCall& call) {
  bool expression = call.args[0].as<ir::ExprNode>() != nullptr;
  if (expression || (!script::is_float(call.args[0]) && script::as_wide(call.args[0]) == nullptr &&
                     !script::to_expr(call.args[0]))) {
    throw ir::Error("wrong-type", "a constant is a number, not `{}`", ir::type_name(call.args[0]))
        .at(call.span_of(0))
        .kind(is_given(call, 1) ? "InternalError+TypeError" : "NotImplementedError+TypeError");
  }
  // An integer without a type is signed.
  Expr value = literal_arg(call, 0, is_given(call, 1) ? dtype_arg(call, 1) : DataType::Int(64));
  if (!is_given(call, 1)) {
    auto* real = script::is_float(call.args[0]) ? ir::as<ir::FloatImmNode>(value) : nullptr;
    bool narrow = real != nullptr && std::abs(real->value) <= std::numeric_limits<float>::max();
    return narrow ? ir::cast(DataType::Float(32), value, call.span) : value;
  }
  DataType dtype = dtype_arg(call, 1);
  auto* real = ir::as<ir::FloatImmNode>(value);
  if (real != nullptr && dtype.is_bool()) {
    // Its integer part is 0 or 1.
    double whole = std::trunc(real->value);
    if (whole == 0 || whole == 1) return Expr(ir::bool_imm(whole == 1));
  }
  if (real != nullptr && !dtype.is_floating() && !dtype.is_handle() &&
      (std::isinf(real->value) || dtype.is_bool())) {
    throw ir::Error("literal-out-of-range", "{} does not fit into `{}`", real->value, dtype.str())
        .at(call.span)
        .kind(std::isinf(real->value) ? "RuntimeError" : "ValueError");
  }
  return ir::cast(dtype, value, call.span);
}
// A constant of a type of its kind; the value of an IntImm is an integer.
template <bool kFloat>
Any immediate(ApiCall& call) {
  DataType dtype = dtype_arg(call, 0);
  if (call.args[1].as<ir::ExprNode>()) ir::wrong_argument(call, 1, kFloat ? "float" : "int");
  Expr value = literal_arg(call, 1, dtype);
  if (!kFloat && ir::as<ir::FloatImmNode>(value)) ir::wrong_argument(call, 1, "int");
  if (!ir::as<ir::IntImmNode>(value) && !ir::as<ir::FloatImmNode>(value))
    ir::wrong_argument(call, 1, kFloat ? "float" : "int");
  bool fits = kFloat ? dtype.is_floating() : dtype.is_int() || dtype.is_uint() || dtype.is_bool();
  if (!fits || dtype.is_vector()) {
    throw ir::Error("type-mismatch", "`{}` is no constant of `{}`", call.api.name, dtype.str())
        .at(call.span_of(0))
        .kind(dtype.is_handle() ? "TypeError" : "ValueError");
  }
  auto* whole = ir::as<ir::IntImmNode>(value);
  if (!kFloat && dtype.is_uint() && whole != nullptr && whole->value < 0 && !(value->dtype() == dtype)) {
    throw ir::Error("literal-out-of-range", "{} does not fit into `{}`", whole->value, dtype.str())
        .at(call.span)
        .kind("ValueError");
  }
  return ir::cast(dtype, value, call.span);
}
Any astype(ApiCall& call) {
  DataType dtype = dtype_arg(call, 1);
  if (!script::is_graph_value(call.args[0])) return ir::cast(dtype, value_arg(call, 0), call.span);
  Map<String, Any> attrs{{"dtype", Any(DLDataType(dtype))}};
  return Expr(relax::make_call("relax.astype", {call.args[0].cast<Expr>()}, attrs, {}, call.span));
}

Any divide(ApiCall& call) {
  Expr a = value_arg(call, 0);
  Expr b = value_arg(call, 1);
  bool floating = a->dtype().is_floating() || b->dtype().is_floating();
  if (!floating) ir::match_types(a, b, call.span);  // of an integer and a bool too
  bool truths = a->dtype().is_bool() && b->dtype().is_bool();
  return floating || truths ? ir::div(a, b, call.span) : ir::truncdiv(a, b, call.span);
}

struct Row {
  std::string_view signature;
  std::string_view doc;
  ir::Native body;
};
// Names that exist both as T.x and tvm.tirx.x.
constexpr Row shared[] = {
    {"truncdiv(a, b, span=None)", "Integer division that rounds towards zero.", binary<ir::truncdiv>},
    {"truncmod(a, b, span=None)", "The remainder of `truncdiv`.", binary<ir::truncmod>},
    {"floordiv(a, b, span=None)", "Integer division that rounds down: `a // b`.", binary<ir::floordiv>},
    {"floormod(a, b, span=None)", "The remainder of `floordiv`: `a % b`.", binary<ir::floormod>},
    {"ceildiv(lhs, rhs, span=None)", "Integer division that rounds up.", binary<ir::ceildiv>},
    {"bitwise_and(x, y, span=None)", "`x & y`.", binary_of_one_type<ir::bitwise_and>},
    {"bitwise_or(x, y, span=None)", "`x | y`.", binary_of_one_type<ir::bitwise_or>},
    {"bitwise_xor(x, y, span=None)", "`x ^ y`.", binary_of_one_type<ir::bitwise_xor>},
    {"bitwise_not(x, span=None)", "`~x`.", bitwise_not},
    {"shift_left(x, y, span=None)", "`x << y`.", binary_of_one_type<ir::shift_left>},
    {"shift_right(x, y, span=None)", "`x >> y`.", binary_of_one_type<ir::shift_right>},
    {"Add(a, b, span=None)", "`a + b`.", node<ir::ExprKind::kAdd>},
    {"Sub(a, b, span=None)", "`a - b`.", node<ir::ExprKind::kSub>},
    {"Mul(a, b, span=None)", "`a * b`.", node<ir::ExprKind::kMul>},
    {"Div(a, b, span=None)", "Division; of integers, towards zero.", node<ir::ExprKind::kDiv>},
    {"Mod(a, b, span=None)", "Remainder with the sign of `a`.", node<ir::ExprKind::kMod>},
    {"FloorDiv(a, b, span=None)", "`a // b`.", node<ir::ExprKind::kFloorDiv>},
    {"FloorMod(a, b, span=None)", "`a % b`.", node<ir::ExprKind::kFloorMod>},
    {"Min(a, b, span=None)", "The smaller.", node<ir::ExprKind::kMin>},
    {"Max(a, b, span=None)", "The larger.", node<ir::ExprKind::kMax>},
    {"EQ(a, b, span=None)", "`a == b`.", node<ir::ExprKind::kEQ>},
    {"NE(a, b, span=None)", "`a != b`.", node<ir::ExprKind::kNE>},
    {"LT(a, b, span=None)", "`a < b`.", node<ir::ExprKind::kLT>},
    {"LE(a, b, span=None)", "`a <= b`.", node<ir::ExprKind::kLE>},
    {"GT(a, b, span=None)", "`a > b`.", node<ir::ExprKind::kGT>},
    {"GE(a, b, span=None)", "`a >= b`.", node<ir::ExprKind::kGE>},
    {"And(a, b, span=None)", "`a and b`.", node<ir::ExprKind::kAnd>},
    {"Or(a, b, span=None)", "`a or b`.", node<ir::ExprKind::kOr>},
    {"Not(a, span=None)", "`not a`.", not_},
    {"BitwiseAnd(a, b, span=None)", "`a & b`.", node<ir::ExprKind::kBitwiseAnd>},
    {"BitwiseOr(a, b, span=None)", "`a | b`.", node<ir::ExprKind::kBitwiseOr>},
    {"BitwiseXor(a, b, span=None)", "`a ^ b`.", node<ir::ExprKind::kBitwiseXor>},
    {"LShift(a, b, span=None)", "`a << b`.", node<ir::ExprKind::kLShift>},
    {"RShift(a, b, span=None)", "`a >> b`.", node<ir::ExprKind::kRShift>},
    {"BitwiseNot(a, span=None)", "`~a`.", bitwise_not_node},
    {"Cast(dtype, value, span=None)", "The value converted to a type.", cast_to},
    {"Select(condition, true_value, false_value, span=None)", "One of two values; both are evaluated.",
     select},
    {"if_then_else(cond, t, f)", "One of two values; only that one is evaluated.", if_then_else},
    {"Ramp(base, stride, lanes, span=None)", "The vector base, base + stride, ...", ramp},
    {"Broadcast(value, lanes, span=None)", "The vector of equal elements.", broadcast},
    {"Shuffle(vectors, indices, span=None)", "Lanes of vectors, picked by constants.", shuffle},
    {"abs(x)", "The magnitude.", abs},
    {"pow(x, y)", "x to the power of y, of floats.", power},
    {"isinf(x)", "Is it infinite?", is_inf},
    {"isfinite(x)", "Is it a finite number?", is_finite},
    {"min_value(dtype)", "The least value of a type.", limit_of<ir::min_value>},
    {"max_value(dtype)", "The largest finite value of a type.", limit_of<ir::max_value>},
    {"infinity(dtype)", "Positive infinity.", limit_of<ir::infinity>},
    {"likely(cond)", "A condition that nearly always holds.", likely},
    {"all(*args)", "All conditions hold.", all_of<ir::logical_and>},
    {"any(*args)", "Some condition holds.", all_of<ir::logical_or>},
    {"const(value, dtype=None)", "A constant.", const_},
    {"IntImm(dtype, value, span=None)", "An integer constant.", immediate<false>},
    {"FloatImm(dtype, value, span=None)", "A float constant.", immediate<true>},
};
constexpr Row only_script[] = {
    {"min(a, b)", "The smaller.", binary<ir::min>},
    {"max(a, b)", "The larger.", binary<ir::max>},
    {"cast(value, dtype)", "The value converted to a type.", cast_value},
    {"fabs(x)", "The magnitude.", abs},
    {"broadcast(value, lanes)", "The vector of equal elements.", broadcast},
    {"ramp(base, stride, lanes)", "The vector base, base + stride, ...", ramp},
    {"fma(x, y, z)", "x * y + z, rounded once.", fma},
    {"Let(expr, where)", "An expression in which a variable has a value.", let},
};
constexpr Row only_tirx[] = {
    {"min(expr, axis, where=None, init=None, *args)", "The least value over axes; else the least of all.",
     extreme<ir::min, ir::max_value>},
    {"max(expr, axis, where=None, init=None, *args)", "The largest value over axes; else the largest of all.",
     extreme<ir::max, ir::min_value>},
    {"Let(var, value, body, span=None)", "An expression in which a variable has a value.", let_node},
    {"div(a, b)", "Division; of integers, towards zero.", divide},
    {"power(x, y)", "x to the power of y, of floats.", power},
    {"logaddexp(a, b)", "log(exp(a) + exp(b)).", log_add_exp},
    {"indexdiv(a, b)", "`a // b`, for indices.", binary<ir::floordiv>},
    {"indexmod(a, b)", "`a % b`, for indices.", binary<ir::floormod>},
};

// Operators whose calls take `dtype=` in scripts, besides the elementary functions.
constexpr auto typed = std::to_array<std::string_view>(
    {"abs", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "ceildiv", "floordiv", "floormod",
     "fma", "if_then_else", "isfinite", "isinf", "likely", "pow", "shift_left", "shift_right", "truncdiv",
     "truncmod"});
std::string with_dtype(std::string_view signature) {
  return fmt::format("{}, *, dtype=None)", signature.substr(0, signature.size() - 1));
}

std::span<const ir::ApiRow> all() {
  static std::deque<std::string> text;
  static std::vector<ir::ApiRow> rows;
  if (!rows.empty()) return rows;
  auto add = [&](std::string_view owner, const Row& row) {
    std::string_view name = row.signature.substr(0, row.signature.find('('));
    if (owner == kTirx && std::isupper(static_cast<unsigned char>(name[0]))) {
      // A class there: isinstance knows it.
      bool immediate = name.ends_with("Imm");
      std::string_view key = text.emplace_back(fmt::format("mlc.{}.{}", immediate ? "ir" : "prim", name));
      std::string_view shown = text.emplace_back(fmt::format("tvm.ir.prim.expr.{}", name));
      rows.push_back({ir::ApiKind::kClass, owner, row.signature, row.doc, row.body, key, shown});
      return;
    }
    std::string_view signature = row.signature;
    // In scripts the type of an operator's result may be said; the arguments decide it all the same.
    bool operation = owner == kT && std::find(typed.begin(), typed.end(), name) != typed.end();
    if (operation) signature = text.emplace_back(with_dtype(signature));
    rows.push_back({ir::ApiKind::kFunction, owner, signature, row.doc, row.body});
  };
  for (const Row& row : shared) {
    bool is_class = std::isupper(static_cast<unsigned char>(row.signature[0])) != 0;
    if (!is_class) add(kT, row);  // a class is an alias there
    add(kTirx, row);
  }
  for (const Row& row : only_script) add(kT, row);
  for (const Row& row : only_tirx) add(kTirx, row);
  for (const ir::ScalarOp& op : ir::scalar_ops()) {
    if (op.kind == ir::ScalarOp::Kind::kSpecial) continue;
    ir::Native body = op.kind == ir::ScalarOp::Kind::kTest       ? test
                      : op.kind == ir::ScalarOp::Kind::kRounding ? rounding
                      : op.arity() == 2                          ? elementary_pair
                                                                 : elementary;
    std::string_view signature = text.emplace_back(fmt::format("{}({})", op.name, op.parameters));
    std::string_view in_scripts = text.emplace_back(with_dtype(signature));
    rows.push_back({ir::ApiKind::kFunction, kT, in_scripts, op.doc, body});
    rows.push_back({ir::ApiKind::kFunction, kTirx, signature, op.doc, body});
  }
  rows.push_back(
      {ir::ApiKind::kFunction, "tvm.te", "const(value, dtype=\"int32\", span=None)", "A constant.", const_});
  rows.push_back(
      {ir::ApiKind::kMethod, "mlc.ir.Expr", "astype(dtype)", "The value converted to a type.", astype});
  return rows;
}

}  // namespace

std::span<const ir::ApiRow> arithmetic_rows() { return all(); }

}  // namespace mlc::tvmscript
