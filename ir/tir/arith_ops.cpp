// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/arith_ops.h"

#include <cmath>
#include <limits>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/small_float.h"
#include "ir/core/visit.h"
#include "ir/tir/linear.h"
#include "ir/tir/op.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "integer-division",
         .message = "`/` of `{}` and `{}` does not say how to round",
         .help = "use `//` (floors) or `T.truncdiv(a, b)` (rounds towards zero)",
         .meaning = "Integers can be divided in two ways, which differ on negative numbers; `/` does not say "
                    "which is meant.",
         .wrong = "T.evaluate(n / 2)",
         .right = R"(T.evaluate(n // 2)
T.evaluate(T.truncdiv(n, 2)))"},
        {.name = "no-limits",
         .kind = "InternalError",
         .meaning = "The type has no smallest or largest value.",
         .wrong = R"(T.evaluate(T.max_value("bool")))",
         .right = R"(T.evaluate(T.max_value("int8")))"},
        {.name = "shift-out-of-range",
         .kind = kRefusedValue,
         .message = "cannot shift `{}` by {} bits",
         .meaning = "A shift moves by less than the number of bits, and not backwards.",
         .wrong = "T.evaluate(n << 40)",
         .right = "T.evaluate(n << 4)"},
    }};
MLC_REFUSALS(tir_arith_ops, refusals);

namespace {

Expr lanes_expr(DataType dtype) {
  if (!dtype.is_scalable()) return int32(dtype.lanes());
  return make<MulNode>(call_op(DataType::Int(32), "tirx.vscale", {}), int32(-dtype.lanes()));
}

bool is_number(DataType dtype) { return !dtype.is_handle() && !dtype.is_void() && dtype.bits() > 0; }
// How wide an integer is for promotion: a bool is converted to any integer.
int rank_bits(DataType dtype) { return dtype.is_bool() ? 1 : dtype.bits(); }

// The type in which scalars of types a and b meet. IEEE floats win over other floats, floats over integers,
// the wider over the narrower, and unsigned over signed of the same width.
DataType meet(DataType a, DataType b) {
  if (a == b) return a;
  if (a.is_float() && b.is_float()) return a.bits() >= b.bits() ? a : b;
  if (a.is_float()) return a;
  if (b.is_float()) return b;
  if (a.is_floating() != b.is_floating()) return a.is_floating() ? a : b;
  if (a.is_floating()) {
    if (a.bits() != b.bits()) return a.bits() > b.bits() ? a : b;
    return DataType::Void();  // two different small float formats: neither holds the other
  }
  if (rank_bits(a) != rank_bits(b)) return rank_bits(a) > rank_bits(b) ? a : b;
  return a.is_uint() ? a : b;
}

[[noreturn]] void mismatch(const Expr& a, const Expr& b, Span span) {
  auto shown = [](const Expr& e) { return is_number(e->dtype()) ? e->dtype().str() : std::string("handle"); };
  throw Error("type-mismatch", "operands of types `{}` and `{}` have no common type", shown(a), shown(b))
      .at(span)
      .kind(a->dtype().is_vector() && b->dtype().is_vector() ? "TypeError+InternalError" : "TypeError");
}

// Where `e` is used: a variable's own span is that of its definition.
Span use_of(const Expr& e, Span span) { return e->kind == ExprKind::kVar || !e->span ? span : e->span; }

void need_integers(const Expr& a, const Expr& b, std::string_view what, Span span, bool or_bool = false) {
  if (!is_number(a->dtype()) || !is_number(b->dtype())) mismatch(a, b, span);
  for (const Expr* e : {&a, &b}) {
    DataType dtype = (*e)->dtype();
    if (dtype.is_int() || dtype.is_uint() || (or_bool && dtype.is_bool())) continue;
    bool compared = or_bool && (*e)->kind == ExprKind::kFloatImm;  // the bound of a comparison
    throw Error("type-mismatch", "{} needs integers, got `{}`", what, dtype.str())
        .at(use_of(*e, span))
        .kind(kRefusedType)
        .help(compared ? "`&` and `|` bind tighter than comparisons: write `(a > 0) & (b > 0)`" : "");
  }
}

void need_bool(const Expr& e, std::string_view what, Span span) {
  if (e->dtype().is_bool()) return;
  if (!is_number(e->dtype())) mismatch(e, e, span);
  throw Error("type-mismatch", "{} needs a bool, got `{}`", what, e->dtype().str())
      .at(use_of(e, span))
      .kind("InternalError")
      .help("compare it: `x != 0`");
}

bool is_value(const Expr& e, double value) {
  if (auto* i = as<IntImmNode>(e)) return i->value == static_cast<int64_t>(value);
  if (auto* f = as<FloatImmNode>(e)) return f->value == value;
  return false;
}

// A constant with the span of the expression that it replaces.
Expr constant(DataType dtype, int64_t value, Span span) {
  return span ? Expr(make<IntImmNode>(dtype, value, span)) : Expr(int_imm(dtype, value));
}

// `value` reduced to the bits of `dtype`, as two's complement arithmetic does.
int64_t wrapped(DataType dtype, uint64_t value) {
  if (dtype.bits() >= 64) return static_cast<int64_t>(value);
  uint64_t low = value & ((uint64_t{1} << dtype.bits()) - 1);
  bool negative = dtype.is_int() && (low >> (dtype.bits() - 1)) != 0;
  return static_cast<int64_t>(negative ? low - (uint64_t{1} << dtype.bits()) : low);
}

// May it be left out? What a call does must happen.
bool may_go(const Expr& e) { return side_effect(e) <= Effect::kReadState; }

// The largest finite value of a floating type.
double largest(DataType dtype) {
  if (dtype.is_bfloat16()) return std::numeric_limits<float>::max();
  if (dtype.is_float()) {
    switch (dtype.bits()) {
      case 16:
        return 65504.0;
      case 32:
        return std::numeric_limits<float>::max();
      case 64:
        return std::numeric_limits<double>::max();
      default:
        break;
    }
  }
  static constexpr std::pair<int, double> small_types[] = {
      {kDLFloat8_e3m4, 15.5},        {kDLFloat8_e4m3, 240.0},      {kDLFloat8_e4m3b11fnuz, 30.0},
      {kDLFloat8_e4m3fn, 448.0},     {kDLFloat8_e4m3fnuz, 240.0},  {kDLFloat8_e5m2, 57344.0},
      {kDLFloat8_e5m2fnuz, 57344.0}, {kDLFloat8_e8m0fnu, 0x1p127}, {kDLFloat6_e2m3fn, 7.5},
      {kDLFloat6_e3m2fn, 28.0},      {kDLFloat4_e2m1fn, 6.0}};
  for (auto [code, value] : small_types)
    if (dtype.code() == code) return value;
  return 0;
}

Expr checked_constant(DataType dtype, double as_double, int64_t as_int, bool is_float, Span span) {
  if (dtype.is_floating()) {
    double value = is_float ? as_double : static_cast<double>(as_int);
    if (std::isfinite(value) && dtype.bits() < 64 && std::abs(value) > largest(dtype)) {
      throw Error("literal-out-of-range", "{} does not fit into `{}`", value, dtype.str()).at(span);
    }
    return make<FloatImmNode>(dtype, value, span);
  }
  if (is_float && dtype.is_bool()) return constant(dtype, as_double != 0, span);  // NaN too
  if (is_float && (!std::isfinite(as_double) || std::abs(as_double) >= 9.3e18)) {
    throw Error("literal-out-of-range", "{} does not fit into `{}`", as_double, dtype.str()).at(span);
  }
  int64_t value = is_float ? static_cast<int64_t>(as_double) : as_int;
  if (!fits(dtype, value)) {
    throw Error("literal-out-of-range", "{} does not fit into `{}`", value, dtype.str())
        .at(span)
        .kind(dtype.is_uint() && value < 0 ? kRefusedValue : "ValueError");
  }
  return constant(dtype, value, span);
}

[[noreturn]] void divide_by_zero(Span span) {
  throw Error("division-by-zero", "division by the constant 0").at(span).kind("InternalError");
}

// Integer folding of one type. Unsigned 64-bit values are bit patterns.
Expr fold_ints(ExprKind kind, DataType dtype, int64_t a, int64_t b, Span span) {
  auto ua = static_cast<uint64_t>(a);
  auto ub = static_cast<uint64_t>(b);
  bool is_unsigned = dtype.is_uint();
  auto number = [&](uint64_t value) { return constant(dtype, wrapped(dtype, value), span); };
  auto truth = [&](bool value) { return constant(DataType::Bool(), value ? 1 : 0, span); };
  auto needs_divisor = [&] {
    if (b == 0) divide_by_zero(span);
  };
  bool overflows = !is_unsigned && a == std::numeric_limits<int64_t>::min() && b == -1;
  auto holds = is_unsigned ? comparison_holds(kind, ua, ub) : comparison_holds(kind, a, b);
  if (holds) return truth(*holds);
  switch (kind) {
    case ExprKind::kAdd:
      return number(ua + ub);
    case ExprKind::kSub:
      return number(ua - ub);
    case ExprKind::kMul:
      return number(ua * ub);
    case ExprKind::kDiv:
      needs_divisor();
      return number(is_unsigned ? ua / ub : overflows ? ua : static_cast<uint64_t>(a / b));
    case ExprKind::kMod:
      needs_divisor();
      return number(is_unsigned ? ua % ub : overflows ? 0 : static_cast<uint64_t>(a % b));
    case ExprKind::kFloorDiv:
      needs_divisor();
      return number(is_unsigned ? ua / ub : overflows ? ua : static_cast<uint64_t>(floor_div(a, b)));
    case ExprKind::kFloorMod:
      needs_divisor();
      if (is_unsigned) return number(ua % ub);
      return number(overflows ? 0 : static_cast<uint64_t>(a) - static_cast<uint64_t>(floor_div(a, b)) * ub);
    case ExprKind::kMin:
      return number((is_unsigned ? ua < ub : a < b) ? ua : ub);
    case ExprKind::kMax:
      return number((is_unsigned ? ua > ub : a > b) ? ua : ub);
    case ExprKind::kAnd:
      return truth(a != 0 && b != 0);
    case ExprKind::kOr:
      return truth(a != 0 || b != 0);
    case ExprKind::kBitwiseAnd:
      return number(ua & ub);
    case ExprKind::kBitwiseOr:
      return number(ua | ub);
    case ExprKind::kBitwiseXor:
      return number(ua ^ ub);
    case ExprKind::kLShift:
    case ExprKind::kRShift:
      if (b < 0 || b >= dtype.bits()) {
        throw ir::refuse(refusals["shift-out-of-range"], dtype.str(), b)
            .at(span)
            .help(fmt::format("shift by 0 to {}", dtype.bits() - 1));
      }
      if (kind == ExprKind::kLShift) return number(ua << ub);
      return number(is_unsigned ? ua >> ub : static_cast<uint64_t>(a >> b));
    default:
      return nullptr;
  }
}

Expr fold_floats(ExprKind kind, DataType dtype, double a, double b, Span span) {
  // A constant may be written with more digits than its type has.
  double written_a = a, written_b = b;
  a = round_to(dtype, a);
  b = round_to(dtype, b);
  if (auto holds = comparison_holds(kind, a, b)) return constant(DataType::Bool(), *holds ? 1 : 0, span);
  switch (kind) {
    // Of a NaN, and of 0.0 and -0.0, what compiled code gives: the second. TVM folds to the first, and
    // compiles to the second.
    case ExprKind::kMin:
      return make<FloatImmNode>(dtype, a < b ? written_a : written_b, span);
    case ExprKind::kMax:
      return make<FloatImmNode>(dtype, a > b ? written_a : written_b, span);
    default:
      break;
  }
  // Narrow formats are left to whoever implements their rounding.
  if (!dtype.is_float() || dtype.bits() < 32) return nullptr;
  auto number = [&](double value) -> Expr {
    return make<FloatImmNode>(
        dtype, dtype.bits() == 32 ? static_cast<double>(static_cast<float>(value)) : value, span);
  };
  switch (kind) {
    case ExprKind::kAdd:
      return number(a + b);
    case ExprKind::kSub:
      return number(a - b);
    case ExprKind::kMul:
      return number(a * b);
    case ExprKind::kDiv:
      if (b == 0) divide_by_zero(span);
      return number(a / b);
    default:
      return nullptr;
  }
}

// Both operands matched, then folded, or null.
Expr matched(ExprKind kind, Expr& a, Expr& b, Span span) {
  match_types(a, b, span);
  return fold(kind, a, b, span);
}

Expr node(ExprKind kind, Expr a, Expr b, Span span) { return binary(kind, std::move(a), std::move(b), span); }

Expr compare(ExprKind kind, Expr a, Expr b, Span span) {
  if (Expr folded = matched(kind, a, b, span)) return folded;
  return node(kind, std::move(a), std::move(b), span);
}

// TVM folds shifts and operators on bits for what indices are made of only: T.uint8(1) << T.uint8(2) stays as
// it is written.
bool is_index(const Expr& e) {
  DataType dtype = e->dtype();
  return dtype.is_scalar() && dtype.is_int() && (dtype.bits() == 32 || dtype.bits() == 64);
}

// Remainders it folds for indices too, those of `//` also for unsigned numbers, those of truncdiv for uint64.
bool folds_remainder(ExprKind kind, const Expr& a) {
  DataType dtype = a->dtype();
  if (!dtype.is_uint() || !dtype.is_scalar()) return is_index(a);
  return kind == ExprKind::kFloorMod || dtype.bits() == 64;
}

Expr integer_division(ExprKind kind, std::string_view what, Expr a, Expr b, Span span) {
  need_integers(a, b, what, span);
  match_types(a, b, span);
  if (is_value(b, 0)) divide_by_zero(span);
  bool remainder = kind == ExprKind::kMod || kind == ExprKind::kFloorMod;
  if (remainder && !is_index(a)) {
    Expr folded = folds_remainder(kind, a) ? fold(kind, a, b, span) : Expr();
    return folded ? folded : node(kind, std::move(a), std::move(b), span);
  }
  if (Expr folded = fold(kind, a, b, span)) return folded;
  if (is_value(a, 0) && may_go(b)) return a;
  if (is_value(b, 1) && (!remainder || may_go(a))) return remainder ? constant(b->dtype(), 0, span) : a;
  return node(kind, std::move(a), std::move(b), span);
}

Expr bitwise(ExprKind kind, std::string_view what, Expr a, Expr b, Span span) {
  need_integers(a, b, what, span, true);
  match_types(a, b, span);
  if (Expr folded = is_index(a) ? fold(kind, a, b, span) : Expr()) return folded;
  return node(kind, std::move(a), std::move(b), span);
}

Expr shift(ExprKind kind, std::string_view what, Expr a, Expr b, Span span) {
  need_integers(a, b, what, span);
  match_types(a, b, span);
  if (auto* by = as<IntImmNode>(b)) {
    if (by->value < 0 || by->value >= b->dtype().bits())
      return fold_ints(kind, a->dtype(), 0, by->value, span);
    if (by->value == 0 && is_index(a)) return a;
  }
  if (Expr folded = is_index(a) ? fold(kind, a, b, span) : Expr()) return folded;
  return node(kind, std::move(a), std::move(b), span);
}

}  // namespace

void match_types(Expr& a, Expr& b, Span span) {
  if (a->ty.get() == b->ty.get() && a->ty->kind == TypeKind::kPrim) return;
  DataType x = a->dtype();
  DataType y = b->dtype();
  if (!is_number(x) || !is_number(y)) mismatch(a, b, span);
  if (x == y) return;
  if (x.is_vector() && y.is_vector() && x.lanes() != y.lanes()) mismatch(a, b, span);
  DataType element = meet(x.element(), y.element());
  if (element.is_void()) mismatch(a, b, span);
  DataType lanes = x.is_vector() ? x : y;
  for (Expr* e : {&a, &b}) {
    DataType own = (*e)->dtype();
    *e = cast(element.with_lanes(own.lanes()), *e, (*e)->span);
    if (own.lanes() != lanes.lanes()) *e = make<BroadcastNode>(*e, lanes_expr(lanes), (*e)->span);
  }
}

Expr fold(ExprKind kind, const Expr& a, const Expr& b, Span span) {
  if (auto* x = as<IntImmNode>(a)) {
    auto* y = as<IntImmNode>(b);
    if (!y) return nullptr;
    return fold_ints(kind, a->dtype(), x->value, y->value, span);
  }
  if (auto* x = as<FloatImmNode>(a)) {
    auto* y = as<FloatImmNode>(b);
    if (!y) return nullptr;
    return fold_floats(kind, a->dtype(), x->value, y->value, span);
  }
  return nullptr;
}

Expr add(Expr a, Expr b, Span span) {
  if (Expr folded = matched(ExprKind::kAdd, a, b, span)) return folded;
  if (is_value(a, 0)) return b;
  if (is_value(b, 0)) return a;
  return make<AddNode>(std::move(a), std::move(b), span);
}
Expr sub(Expr a, Expr b, Span span) {
  // TVM wraps other differences, and takes this one for a mistake.
  if (auto* taken = as<IntImmNode>(b); taken != nullptr && taken->value != 0 && b->dtype().is_uint() &&
                                       is_value(a, 0) && a->dtype().is_uint()) {
    throw Error("literal-out-of-range", "0 - {} is negative, but the type is `{}`",
                static_cast<uint64_t>(taken->value), a->dtype().str())
        .at(span)
        .kind(kRefusedValue);
  }
  if (Expr folded = matched(ExprKind::kSub, a, b, span)) return folded;
  if (is_value(b, 0)) return a;
  return make<SubNode>(std::move(a), std::move(b), span);
}
Expr mul(Expr a, Expr b, Span span) {
  if (Expr folded = matched(ExprKind::kMul, a, b, span)) return folded;
  if (is_value(a, 1)) return b;
  if (is_value(b, 1)) return a;
  if (!a->dtype().is_floating()) {  // 0 times an infinity is no 0
    if (is_value(b, 0) && may_go(a)) return b;
    if (is_value(a, 0) && may_go(b)) return a;
  }
  return make<MulNode>(std::move(a), std::move(b), span);
}
Expr div(Expr a, Expr b, Span span) {
  if (a->dtype().is_int() && b->dtype().is_int()) {
    throw ir::refuse(refusals["integer-division"], a->dtype().str(), b->dtype().str()).at(span);
  }
  if (Expr folded = matched(ExprKind::kDiv, a, b, span)) return folded;
  if (is_value(b, 0)) divide_by_zero(span);
  if (is_value(b, 1) || (is_value(a, 0) && !a->dtype().is_floating() && may_go(b))) return a;
  return make<DivNode>(std::move(a), std::move(b), span);
}
// By kind, and by the sign that errors show.
#define MLC_BUILD_SIGN(name, function, kind, sign)                           \
  Expr name(Expr a, Expr b, Span span) {                                     \
    return function(ExprKind::kind, sign, std::move(a), std::move(b), span); \
  }
MLC_BUILD_SIGN(truncdiv, integer_division, kDiv, "`truncdiv`")
MLC_BUILD_SIGN(floordiv, integer_division, kFloorDiv, "`//`")
MLC_BUILD_SIGN(floormod, integer_division, kFloorMod, "`%`")
MLC_BUILD_SIGN(bitwise_and, bitwise, kBitwiseAnd, "`&`")
MLC_BUILD_SIGN(bitwise_or, bitwise, kBitwiseOr, "`|`")
MLC_BUILD_SIGN(bitwise_xor, bitwise, kBitwiseXor, "`^`")
MLC_BUILD_SIGN(shift_left, shift, kLShift, "`<<`")
MLC_BUILD_SIGN(shift_right, shift, kRShift, "`>>`")
#undef MLC_BUILD_SIGN
Expr truncmod(Expr a, Expr b, Span span) {
  if (a->dtype().is_floating() ||
      b->dtype().is_floating()) {  // TVM's `%` of floats in what topi leaves; C's fmod
    match_types(a, b, span);
    return node(ExprKind::kMod, std::move(a), std::move(b), span);
  }
  match_types(a, b, span);  // of an integer and a bool too
  if (a->dtype().is_bool()) return node(ExprKind::kMod, std::move(a), std::move(b), span);
  return integer_division(ExprKind::kMod, "`truncmod`", std::move(a), std::move(b), span);
}
Expr ceildiv(Expr a, Expr b, Span span) {
  need_integers(a, b, "`ceildiv`", span);
  Expr one = const_like(b, 1);
  return floordiv(sub(add(std::move(a), b, span), std::move(one), span), b, span);
}
Expr min(Expr a, Expr b, Span span) {
  if (Expr folded = matched(ExprKind::kMin, a, b, span)) return folded;
  if (a.get() == b.get() && may_go(a)) return a;
  return make<MinNode>(std::move(a), std::move(b), span);
}
Expr max(Expr a, Expr b, Span span) {
  if (Expr folded = matched(ExprKind::kMax, a, b, span)) return folded;
  if (a.get() == b.get() && may_go(a)) return a;
  return make<MaxNode>(std::move(a), std::move(b), span);
}
Expr neg(Expr a, Span span) {
  DataType dtype = a->dtype();
  if (auto* imm = as<IntImmNode>(a)) return checked_constant(dtype, 0, -imm->value, false, span);
  if (auto* imm = as<FloatImmNode>(a); imm && dtype.bits() >= 32)  // as products fold
    return make<FloatImmNode>(dtype, -imm->value, span);
  if (dtype.is_uint() || dtype.is_bool()) {
    throw Error("type-mismatch", "`-` on `{}`, which has no negative values", dtype.str())
        .at(span)
        .kind(dtype.is_bool() ? "ValueError" : "InternalError");
  }
  if (!is_number(dtype)) mismatch(a, a, span);
  Expr minus_one = const_like(a, -1);
  return mul(std::move(a), std::move(minus_one), span);
}

Expr eq(Expr a, Expr b, Span span) { return compare(ExprKind::kEQ, std::move(a), std::move(b), span); }
Expr ne(Expr a, Expr b, Span span) { return compare(ExprKind::kNE, std::move(a), std::move(b), span); }
Expr lt(Expr a, Expr b, Span span) { return compare(ExprKind::kLT, std::move(a), std::move(b), span); }
Expr le(Expr a, Expr b, Span span) { return compare(ExprKind::kLE, std::move(a), std::move(b), span); }
Expr gt(Expr a, Expr b, Span span) { return compare(ExprKind::kGT, std::move(a), std::move(b), span); }
Expr ge(Expr a, Expr b, Span span) { return compare(ExprKind::kGE, std::move(a), std::move(b), span); }

Expr logical_and(Expr a, Expr b, Span span) {
  need_bool(a, "`and`", span);
  need_bool(b, "`and`", span);
  if (auto* x = as<IntImmNode>(a)) return x->value != 0 ? b : a;
  if (auto* y = as<IntImmNode>(b); y && (y->value != 0 || may_go(a))) return y->value != 0 ? a : b;
  match_types(a, b, span);
  return make<AndNode>(std::move(a), std::move(b), span);
}
Expr logical_or(Expr a, Expr b, Span span) {
  need_bool(a, "`or`", span);
  need_bool(b, "`or`", span);
  if (auto* x = as<IntImmNode>(a)) return x->value != 0 ? a : b;
  if (auto* y = as<IntImmNode>(b); y && (y->value == 0 || may_go(a))) return y->value != 0 ? b : a;
  match_types(a, b, span);
  return make<OrNode>(std::move(a), std::move(b), span);
}
Expr logical_not(Expr a, Span span) {
  need_bool(a, "`not`", span);
  if (auto* x = as<IntImmNode>(a)) return constant(DataType::Bool(), x->value == 0 ? 1 : 0, span);
  return make<NotNode>(std::move(a), span);
}

Expr bitwise_not(Expr a, Span span) {
  need_integers(a, a, "`~`", span, true);
  return make<BitwiseNotNode>(std::move(a), span);
}

Expr cast(DataType dtype, Expr value, Span span) {
  DataType own = value->dtype();
  if (own == dtype) return value;
  if (!is_number(own) || !is_number(dtype)) {
    throw Error("type-mismatch", "cannot cast `{}` to `{}`", own.str(), dtype.str())
        .at(use_of(value, span))
        .kind("TypeError");
  }
  if (dtype.is_vector() && own.is_scalar()) {
    return make<BroadcastNode>(cast(dtype.element(), std::move(value), span), lanes_expr(dtype), span);
  }
  if (own.lanes() != dtype.lanes()) {
    throw Error("type-mismatch", "cannot cast `{}` to `{}`: {} lanes against {}", own.str(), dtype.str(),
                own.lanes(), dtype.lanes())
        .at(use_of(value, span))
        .kind("InternalError");
  }
  if (auto* imm = as<IntImmNode>(value)) return checked_constant(dtype, 0, imm->value, false, span);
  if (auto* imm = as<FloatImmNode>(value)) return checked_constant(dtype, imm->value, 0, true, span);
  if (auto* vector = as<BroadcastNode>(value)) {
    return make<BroadcastNode>(cast(dtype.element(), vector->value, span), vector->lanes, span);
  }
  auto fits_in_lane = [&](const Expr& part) {
    auto number = const_int(part);
    return !number || fits(dtype.element(), *number);
  };
  if (auto* ramp = as<RampNode>(value);
      ramp && (dtype.is_int() || dtype.is_uint()) && fits_in_lane(ramp->base) && fits_in_lane(ramp->stride)) {
    return make<RampNode>(cast(dtype.element(), ramp->base, span), cast(dtype.element(), ramp->stride, span),
                          ramp->lanes, span);
  }
  return make<CastNode>(dtype, std::move(value), span);
}

Expr select(Expr condition, Expr true_value, Expr false_value, Span span) {
  need_bool(condition, "the condition of `Select`", span);
  if (!(true_value->dtype() == false_value->dtype())) mismatch(true_value, false_value, span);
  if (condition->dtype().is_vector() && condition->dtype().lanes() != true_value->dtype().lanes()) {
    throw Error("type-mismatch", "a condition of {} lanes selects between values of {}",
                condition->dtype().lanes(), true_value->dtype().lanes())
        .at(use_of(condition, span))
        .kind(kRefusedType);
  }
  return make<SelectNode>(std::move(condition), std::move(true_value), std::move(false_value), span);
}
Expr if_then_else(Expr condition, Expr true_value, Expr false_value, Span span) {
  need_bool(condition, "the condition of `if_then_else`", span);
  // Addresses meet in the type of the first, whatever each points to.
  bool addresses = true_value->dtype().is_handle() && false_value->dtype().is_handle();
  if (!addresses) match_types(true_value, false_value, span);
  if (auto* known = as<IntImmNode>(condition)) return known->value != 0 ? true_value : false_value;
  Type type = true_value->ty;
  return make<CallNode>(std::move(type), op("tirx.if_then_else"),
                        Array<Expr>{std::move(condition), std::move(true_value), std::move(false_value)},
                        Map<String, Any>{}, span);
}

Expr min_value(DataType dtype, Span span) {
  if (dtype.is_int()) {
    int64_t least =
        dtype.bits() >= 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (dtype.bits() - 1));
    return constant(dtype, least, span);
  }
  if (dtype.is_uint()) return constant(dtype, 0, span);
  if (dtype.is_floating()) return make<FloatImmNode>(dtype, -largest(dtype), span);
  throw ir::refuse_as(refusals["no-limits"], "`{}` has no least value", dtype.str()).at(span);
}
Expr max_value(DataType dtype, Span span) {
  if (dtype.is_int()) {
    int64_t most =
        dtype.bits() >= 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (dtype.bits() - 1)) - 1;
    return constant(dtype, most, span);
  }
  if (dtype.is_uint()) {
    uint64_t most = dtype.bits() >= 64 ? ~uint64_t{0} : (uint64_t{1} << dtype.bits()) - 1;
    return constant(dtype, static_cast<int64_t>(most), span);
  }
  if (dtype.is_floating()) return make<FloatImmNode>(dtype, largest(dtype), span);
  throw ir::refuse_as(refusals["no-limits"], "`{}` has no largest value", dtype.str()).at(span);
}
Expr infinity(DataType dtype, Span span) {
  if (!dtype.is_float())
    throw ir::refuse_as(refusals["no-limits"], "`{}` has no infinity", dtype.str()).at(span);
  return make<FloatImmNode>(dtype, std::numeric_limits<double>::infinity(), span);
}

Expr build(ExprKind kind, Expr a, Expr b, Span span) {
  switch (kind) {
#define MLC_BUILD(kind, function) \
  case ExprKind::kind:            \
    return function(std::move(a), std::move(b), span);
    MLC_BUILD(kAdd, add)
    MLC_BUILD(kSub, sub)
    MLC_BUILD(kMul, mul)
    MLC_BUILD(kMod, truncmod)
    MLC_BUILD(kFloorDiv, floordiv)
    MLC_BUILD(kFloorMod, floormod)
    MLC_BUILD(kMin, min)
    MLC_BUILD(kMax, max)
    MLC_BUILD(kAnd, logical_and)
    MLC_BUILD(kOr, logical_or)
    MLC_BUILD(kEQ, eq)
    MLC_BUILD(kNE, ne)
    MLC_BUILD(kLT, lt)
    MLC_BUILD(kLE, le)
    MLC_BUILD(kGT, gt)
    MLC_BUILD(kGE, ge)
    MLC_BUILD(kBitwiseAnd, bitwise_and)
    MLC_BUILD(kBitwiseOr, bitwise_or)
    MLC_BUILD(kBitwiseXor, bitwise_xor)
    MLC_BUILD(kLShift, shift_left)
    MLC_BUILD(kRShift, shift_right)
#undef MLC_BUILD
    case ExprKind::kDiv:
      if (!a->dtype().is_floating() && !b->dtype().is_floating())
        return truncdiv(std::move(a), std::move(b), span);
      // What simplification has made a zero divides all the same: the quotient is infinite or NaN.
      if (is_value(b, 0) && a->dtype() == b->dtype()) return make<DivNode>(std::move(a), std::move(b), span);
      return div(std::move(a), std::move(b), span);
    default:
      throw InternalError(__FILE__, __LINE__, "not a binary kind");
  }
}

}  // namespace mlc::ir
