// SPDX-License-Identifier: Apache-2.0
// Values: constants, arithmetic, conversions, choices.
#include <cmath>
#include <numeric>
#include <utility>

#include "backend/gpu/emitter.h"
#include "ir/core/error.h"
#include "ir/tir/nonnegative.h"
#include "ir/tir/size.h"

namespace mlc::gpu_backend {

using c_backend::infix;
using c_backend::kAnd;
using c_backend::kBits;
using c_backend::kEquality;
using c_backend::kOr;
using c_backend::kPrimary;
using c_backend::kProduct;
using c_backend::kRelational;
using c_backend::kShift;
using c_backend::kSum;
using c_backend::kTernary;
using c_backend::kUnary;
using ir::ExprKind;

Text KernelEmitter::scalar(const Expr& e) {
  if (!e->dtype().is_scalar() && !e->dtype().is_void()) refuse("a vector where a scalar belongs", e->span);
  return emit(e).whole;
}

Value KernelEmitter::emit(const Expr& e) {
  DataType dtype = e->dtype();
  if (dtype.is_scalable()) refuse("a scalable vector", e->span);
  return ir::dispatch(
      e,
      ir::overloaded{
          [&](const VarNode* n) -> Value {
            const Binding& bound = binding(n, n->span);
            return of(dtype, n->buffer() != nullptr ? pointer(n, n->span) : bound.text);
          },
          [&](const ir::IntImmNode* n) -> Value { return of(dtype, int_constant(dtype, n->value, n->span)); },
          [&](const ir::FloatImmNode* n) -> Value {
            return of(dtype, float_constant(dtype, n->value, n->span));
          },
          [&](const ir::StringImmNode* n) -> Value { refuse("a string as a value", n->span); },
          [&](const ir::BinaryNode* n) -> Value { return binary(n); },
          [&](const ir::NotNode* n) -> Value {
            return each_lane(dtype, {emit(n->a)}, [](const std::vector<Text>& a) {
              return Text{"!" + a[0].at_least(kUnary), kUnary};
            });
          },
          [&](const ir::BitwiseNotNode* n) -> Value {
            return each_lane(dtype, {emit(n->a)}, [&](const std::vector<Text>& a) {
              if (dtype.is_bool()) return Text{"!" + a[0].at_least(kUnary), kUnary};
              Text flipped{"~" + a[0].at_least(kUnary), kUnary};
              return dtype.bits() < 32 ? converted(type(dtype.element(), n->span), flipped) : flipped;
            });
          },
          [&](const ir::CastNode* n) -> Value {
            DataType from = n->value->dtype();
            if (from.lanes() != dtype.lanes()) refuse("a cast that changes the number of lanes", n->span);
            Value value = emit_operands(e, [&] { return emit(n->value); });
            if (from == dtype) return value;
            if (dtype.is_vector() && words_.vector_arithmetic && value.lanes.empty() && !dtype.is_bool() &&
                !from.is_bool())
              return of(dtype, cast(value.whole, from, dtype, n->span));
            return each_lane(dtype, {std::move(value)}, [&](const std::vector<Text>& a) {
              return cast(a[0], from.element(), dtype.element(), n->span);
            });
          },
          [&](const ir::SelectNode* n) -> Value {
            if (n->condition->dtype().is_scalar())
              return choose(n->condition, n->true_value, n->false_value, dtype);
            return each_lane(dtype, {emit(n->condition), emit(n->true_value), emit(n->false_value)},
                             [this](const std::vector<Text>& a) { return choice(a[0], a[1], a[2]); });
          },
          [&](const ir::RampNode* n) -> Value {
            DataType one = dtype.element();
            if (!n->base->dtype().is_scalar()) refuse("a ramp of vectors", n->span);
            Text base = scalar(n->base);
            if (!is_simple(base)) base = {keep(base, one, "base", n->span)};
            Text stride = scalar(n->stride);
            Value made{dtype, {}, {}};
            for (int i = 0; i < dtype.lanes(); ++i) {
              Text step = ir::is_const_int(n->stride, 1)
                              ? int_constant(one, i, n->span)
                              : infix(int_constant(one, i, n->span), "*", stride, kProduct, kProduct);
              made.lanes.push_back(i == 0 ? base : infix(base, "+", step, kSum, kSum));
            }
            return made;
          },
          [&](const ir::BroadcastNode* n) -> Value { return broadcast(n->value, dtype.lanes()); },
          [&](const ir::ShuffleNode* n) -> Value { return shuffle(n); },
          [&](const ir::LetNode* n) -> Value {
            Value value = emit_named(*n, [&] { return emit(n->value); });
            Binding made;
            made.is_size =
                n->value->dtype().is_scalar() && n->value->dtype().bits() >= 32 && is_size(n->value);
            made.nonnegative = nonnegative(n->value);
            made.divisor =
                n->value->dtype().is_integral() && n->value->dtype().is_scalar() ? divisor(n->value) : 1;
            made.text = {keep({whole(value, n->span)}, n->value->dtype(), ir::view(n->var->name), n->span)};
            bindings_[n->var.get()] = std::move(made);
            return emit(n->body);
          },
          [&](const ir::TensorLoadNode* n) -> Value {
            return load(n->source, n->indices, dtype, Expr(nullptr), n->span);
          },
          [&](const ir::CallNode* n) -> Value { return emit_operands(e, [&] { return emit_call(n); }); },
          [&](const ir::GlobalVarNode* n) -> Value { refuse("a function as a value", n->span); },
          [&](const ir::OpNode* n) -> Value { refuse("an operator as a value", n->span); },
          [&](const ir::TupleNode* n) -> Value { refuse("a tuple", n->span); },
          [&](const ir::TupleGetItemNode* n) -> Value { refuse("an item of a tuple", n->span); },
          [&](const ir::TensorRegionNode* n) -> Value { refuse("a buffer region as a value", n->span); },
          [&](const ir::ReduceNode* n) -> Value { refuse("a reduction expression", n->span); },
      });
}

// ---- constants ----

Text KernelEmitter::int_constant(DataType dtype, int64_t value, ir::Span span) {
  if (dtype.is_bool() || (dtype.is_uint() && dtype.bits() == 1)) return {value != 0 ? "true" : "false"};
  if (dtype.is_uint()) {
    auto bits = static_cast<uint64_t>(value);
    if (dtype.bits() < 64) bits &= (uint64_t{1} << dtype.bits()) - 1;
    if (dtype.bits() < 32) return {fmt::format("{}", bits)};
    return {fmt::format("{}{}", bits, dtype.bits() == 32 ? "u" : "u" + std::string(words_.long_suffix))};
  }
  if (value == INT64_MIN) return {fmt::format("(-9223372036854775807{} - 1)", words_.long_suffix)};
  if (value == INT32_MIN && dtype.bits() <= 32) return {"(-2147483647 - 1)"};
  bool wide = dtype.bits() == 64 && (value > INT32_MAX || value < INT32_MIN || !in_index_);
  return {fmt::format("{}{}", value, wide ? words_.long_suffix : ""), value < 0 ? kUnary : kPrimary};
}

Text KernelEmitter::float_constant(DataType dtype, double value, ir::Span span) {
  bool single = dtype.bits() == 32;
  if (!dtype.is_float() || dtype.bits() < 32)
    return cast(float_constant(DataType::Float(32), value, span), DataType::Float(32), dtype, span);
  if (std::isnan(value) || std::isinf(value)) {
    Text made{std::string(std::isnan(value) ? words_.nan : words_.infinity)};
    if (!single) made = converted("double", made);
    return std::signbit(value) && std::isinf(value) ? Text{"-" + made.at_least(kUnary), kUnary} : made;
  }
  std::string text =
      single ? fmt::format("{}", std::fabs(static_cast<float>(value))) : fmt::format("{}", std::fabs(value));
  if (text == "inf") return float_constant(dtype, std::signbit(value) ? -INFINITY : INFINITY, span);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (single) text += "f";
  return std::signbit(value) ? Text{"-" + text, kUnary} : Text{text};
}

// ---- arithmetic ----

bool KernelEmitter::is_size(const Expr& e) const {
  auto is_size_var = [&](const VarNode* var) {
    auto found = bindings_.find(var);
    return found != bindings_.end() && found->second.is_size;
  };
  return ir::is_size(e, is_size_var, ir::SizeBits::kYes);
}

bool KernelEmitter::nonnegative(const Expr& e) const {
  struct Facts {
    const KernelEmitter& emitter;
    bool is_nonnegative(const VarNode* var) const {
      auto found = emitter.bindings_.find(var);
      return found != emitter.bindings_.end() && found->second.nonnegative;
    }
    bool is_exact(const Expr& e) const {
      return emitter.is_size(e) || (emitter.in_index_ && e->kind != ExprKind::kCast);
    }
  };
  return ir::is_nonnegative(e, Facts{*this});
}

int64_t KernelEmitter::divisor(const Expr& e) const {
  constexpr int64_t kAny = int64_t{1} << 30;  // of 0
  if (auto value = ir::const_int(e)) return *value == 0 ? kAny : std::min(std::abs(*value), kAny);
  if (auto* var = ir::as<VarNode>(e)) {
    auto found = bindings_.find(var);
    return found == bindings_.end() ? 1 : found->second.divisor;
  }
  if (auto* cast = ir::as<ir::CastNode>(e)) return is_size(cast->value) ? divisor(cast->value) : 1;
  auto shifted = [&](const Expr& a, const Expr& b) -> int64_t {
    auto by = ir::const_int(b);
    return by && *by >= 0 && *by < 20 ? std::min(divisor(a) << *by, kAny) : 1;
  };
  if (auto* call = ir::as_call_to(e, "tirx.shift_left")) return shifted(call->args[0], call->args[1]);
  const ir::BinaryNode* binary = ir::as_binary(e);
  if (binary == nullptr) return 1;
  switch (e->kind) {
    case ExprKind::kAdd:
    case ExprKind::kSub:
    case ExprKind::kMin:
    case ExprKind::kMax:
      return std::gcd(divisor(binary->a), divisor(binary->b));
    case ExprKind::kMul: {
      int64_t a = divisor(binary->a), b = divisor(binary->b);
      return a > kAny / b ? kAny : a * b;
    }
    case ExprKind::kMod:
    case ExprKind::kFloorMod:
      return std::gcd(divisor(binary->a), divisor(binary->b));
    case ExprKind::kLShift:
      return shifted(binary->a, binary->b);
    case ExprKind::kBitwiseAnd: {
      // The bits below the lowest one of a mask are 0.
      auto mask = ir::const_int(binary->b);
      int64_t of_mask = mask && *mask != 0 ? *mask & -*mask : 1;
      int64_t a = divisor(binary->a);
      return std::max(of_mask, a & -a);
    }
    default:
      return 1;
  }
}

Value KernelEmitter::binary(const ir::BinaryNode* e) {
  DataType dtype = e->a->dtype();
  if (dtype.is_scalar() && (e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr))
    return of(e->dtype(), both_or_either(e));
  bool exact = std::exchange(
      in_index_, in_index_ || is_size(ir::ref(e)) || (dtype.is_integral() && is_size(e->a) && is_size(e->b)));
  auto [a, b] = emit_operands(ir::ref(e), [&] {
    Value left = emit(e->a);
    return std::pair(left, emit(e->b));
  });
  Value made;
  bool together = words_.vector_arithmetic && dtype.is_vector() && a.lanes.empty() && b.lanes.empty() &&
                  !dtype.is_bool() &&
                  (e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub || e->kind == ExprKind::kMul ||
                   (e->kind == ExprKind::kDiv && dtype.is_float()) || e->kind == ExprKind::kMin ||
                   e->kind == ExprKind::kMax || e->kind == ExprKind::kBitwiseAnd ||
                   e->kind == ExprKind::kBitwiseOr || e->kind == ExprKind::kBitwiseXor);
  if (together) {
    made = of(e->dtype(), arithmetic(e->kind, a.whole, b.whole, dtype, e));
  } else {
    made = each_lane(e->dtype(), {std::move(a), std::move(b)}, [&](const std::vector<Text>& args) {
      return arithmetic(e->kind, args[0], args[1], dtype.element(), e);
    });
  }
  in_index_ = exact;
  return made;
}

Text KernelEmitter::called_on(std::string_view function, const Text& a, const Text& b, DataType dtype) {
  if (!dtype.is_scalar()) return c_backend::called(function, a, b);
  std::string as = type(dtype, {});
  return c_backend::called(function, casted(as, a), casted(as, b));
}

Text KernelEmitter::arithmetic(ExprKind kind, const Text& a, const Text& b, DataType dtype,
                               const ir::BinaryNode* e) {
  ir::Span span = e != nullptr ? e->span : ir::Span{};
  bool real = dtype.is_floating();
  bool narrow = !real && dtype.bits() < 32;
  bool truth = dtype.is_bool() && !words_.bool_is_number;
  bool wraps = dtype.is_int() && !narrow && !in_index_ && !words_.wraps;
  if (dtype.is_bool() && (kind == ExprKind::kAdd || kind == ExprKind::kSub || kind == ExprKind::kMul))
    refuse("arithmetic on bool", span, "cast to int32 before");
  type(dtype, span);  // refuses widths that kernels do not have
  if (real && dtype.bits() < 16 && kind != ExprKind::kMin && kind != ExprKind::kMax)
    refuse(fmt::format("arithmetic on {}", dtype.element().str()), span,
           "compute in float16 or float32: `tirx.transform.FP8ComputeLegalize`");
  DataType unsigned_type = DataType::UInt(dtype.bits(), dtype.lanes());
  auto sum = [&](std::string_view op, Precedence precedence) {
    if (wraps) {
      Text made = infix(reinterpret(a, dtype, unsigned_type, span), op,
                        reinterpret(b, dtype, unsigned_type, span), precedence, precedence);
      return reinterpret(made, unsigned_type, dtype, span);
    }
    Text left = a;
    if (narrow && dtype.is_scalar() && dtype.bits() == 16 && dtype.is_uint() && op == "*")
      left = converted(type(DataType::UInt(32), span), a);
    Text made = infix(left, op, b, precedence, precedence);
    return narrow && dtype.is_scalar() ? converted(type(dtype, span), made) : made;
  };
  switch (kind) {
    case ExprKind::kAdd:
      return sum("+", kSum);
    case ExprKind::kSub:
      return sum("-", kSum);
    case ExprKind::kMul:
      return sum("*", kProduct);
    case ExprKind::kDiv:
    case ExprKind::kMod:
    case ExprKind::kFloorDiv:
    case ExprKind::kFloorMod:
      return divide(kind, a, b, dtype, e);
    case ExprKind::kMin:
    case ExprKind::kMax:
      if (!dtype.is_bool()) return extremum(kind == ExprKind::kMax, a, b, dtype);
      return kind == ExprKind::kMax ? infix(a, "||", b, kOr, kEquality) : infix(a, "&&", b, kAnd, kEquality);
    case ExprKind::kAnd:
      return infix(a, "&&", b, kAnd, kEquality);
    case ExprKind::kOr:
      return infix(a, "||", b, kOr, kEquality);
    case ExprKind::kBitwiseAnd:
      return truth ? infix(a, "&&", b, kAnd, kEquality) : infix(a, "&", b, kBits, kUnary);
    case ExprKind::kBitwiseOr:
      return truth ? infix(a, "||", b, kOr, kEquality) : infix(a, "|", b, kBits, kUnary);
    case ExprKind::kBitwiseXor:
      return truth ? infix(a, "!=", b, kEquality, kShift) : infix(a, "^", b, kBits, kUnary);
    case ExprKind::kLShift: {
      if ((in_index_ || words_.wraps) && !narrow) return shifted(a, "<<", b);
      DataType wide = DataType::UInt(std::max(32, dtype.bits()));
      if (!dtype.is_int() && !narrow) return shifted(a, "<<", b);
      return converted(type(dtype, span), shifted(converted(type(wide, span), a), "<<", b));
    }
    case ExprKind::kRShift: {
      Text made = shifted(a, ">>", b);
      return narrow ? converted(type(dtype, span), made) : made;
    }
    default:
      break;
  }
  static constexpr std::pair<ExprKind, const char*> signs[] = {{ExprKind::kEQ, "=="}, {ExprKind::kNE, "!="},
                                                               {ExprKind::kLT, "<"},  {ExprKind::kLE, "<="},
                                                               {ExprKind::kGT, ">"},  {ExprKind::kGE, ">="}};
  bool equality = kind == ExprKind::kEQ || kind == ExprKind::kNE;
  for (const auto& [one, sign] : signs)
    if (one == kind) return infix(a, sign, b, equality ? kEquality : kRelational, kShift);
  throw ir::InternalError(__FILE__, __LINE__, "not a comparison");
}

Text KernelEmitter::divide(ExprKind kind, const Text& a, const Text& b, DataType dtype,
                           const ir::BinaryNode* e) {
  bool quotient = kind == ExprKind::kDiv || kind == ExprKind::kFloorDiv;
  bool floors = kind == ExprKind::kFloorDiv || kind == ExprKind::kFloorMod;
  if (dtype.is_floating()) {
    if (kind == ExprKind::kDiv) return infix(a, "/", b, kProduct, kProduct);
    if (kind == ExprKind::kMod) return float_mod(a, b, dtype);
    Text x{keep(a, dtype, "dividend", e->span)}, y{keep(b, dtype, "divisor", e->span)};
    Text floor = math("floor", {infix(x, "/", y, kProduct, kProduct)}, dtype, dtype, e->span);
    return quotient ? floor : infix(x, "-", infix(floor, "*", y, kProduct, kProduct), kSum, kSum);
  }
  if (dtype.is_bool()) refuse("division of bool", e->span, "cast to int32 before");
  std::string_view op = quotient ? "/" : "%";
  if (!floors || dtype.is_uint() || (nonnegative(e->a) && nonnegative(e->b))) {
    Text made = infix(a, op, b, kProduct, kProduct);
    return dtype.bits() < 32 ? converted(type(dtype, e->span), made) : made;
  }
  // Down instead of towards 0, where the signs differ and something is left.
  std::string x = keep(a, dtype, "dividend", e->span), y = keep(b, dtype, "divisor", e->span);
  Text rest{keep({fmt::format("{} % {}", x, y), kProduct}, dtype, "rest", e->span)};
  std::string off = fmt::format("({0} != 0 && ({0} ^ {1}) < 0)", rest.text, y);
  Text one = words_.bool_is_number ? Text{off} : converted(type(dtype, e->span), {off});
  Text made = quotient ? Text{fmt::format("{} / {} - {}", x, y, one.text), kSum}
                       : choice({off}, infix(rest, "+", {y}, kSum, kSum), rest);
  return dtype.bits() < 32 ? converted(type(dtype, e->span), made) : made;
}

// ---- choices ----

Text KernelEmitter::choice(const Text& condition, const Text& yes, const Text& no) {
  return {fmt::format("{} ? {} : {}", condition.at_least(kOr), yes.at_least(kOr), no.at_least(kTernary)),
          kTernary};
}

Text KernelEmitter::shifted(const Text& value, std::string_view op, const Text& by) {
  return infix(value, op, by, kShift, kUnary);
}

// Only one of `yes` and `no` is evaluated.
Value KernelEmitter::choose(const Expr& condition, const Expr& yes, const Expr& no, DataType dtype) {
  Text holds = scalar(condition);
  // Before the arms, which set it past their own names.
  std::string made = fresh("chosen");
  size_t before = text_.size();
  auto arm = [&](const Expr& value, std::string& statements) {
    ++indent_;
    scopes_.emplace_back();
    Value one = emit(value);
    std::string text = whole(one, value->span);
    statements = text_.substr(before);
    text_.resize(before);
    auto inside = std::move(scopes_.back());
    scopes_.pop_back();
    scopes_.back().merge(inside);  // the arm sets what is declared before it, past its own names
    --indent_;
    return dtype.is_scalar() ? one.whole : Text{text};
  };
  std::string first_statements, second_statements;
  Text first = arm(yes, first_statements);
  Text second = arm(no, second_statements);
  if (first_statements.empty() && second_statements.empty() && dtype.is_scalar()) {
    scopes_.back().erase(made);
    return of(dtype, choice(holds, first, second));
  }
  line(variable(type(dtype, condition->span), made, ""));
  line(fmt::format("if ({}) {{", holds.text));
  text_ += first_statements;
  line(fmt::format("  {} = {};", made, first.text));
  line("} else {");
  text_ += second_statements;
  line(fmt::format("  {} = {};", made, second.text));
  line("}");
  return of(dtype, {made});
}

// The right operand is evaluated only when it matters.
Text KernelEmitter::both_or_either(const ir::BinaryNode* e) {
  bool both = e->kind == ExprKind::kAnd;
  Text a = scalar(e->a);
  size_t before = text_.size();
  ++indent_;
  Text b = scalar(e->b);
  --indent_;
  if (text_.size() == before)
    return both ? infix(a, "&&", b, kAnd, kEquality) : infix(a, "||", b, kOr, kEquality);
  std::string statements = text_.substr(before);
  text_.resize(before);
  std::string made = fresh("holds");
  line(variable("bool", made, a.text));
  line(fmt::format("if ({}{}) {{", both ? "" : "!", made));
  text_ += statements;
  line(fmt::format("  {} = {};", made, b.text));
  line("}");
  return {made};
}

std::string KernelEmitter::index(const Expr& e) {
  bool before = std::exchange(in_index_, true);
  std::string text = scalar(e).text;
  in_index_ = before;
  return text;
}

}  // namespace mlc::gpu_backend
