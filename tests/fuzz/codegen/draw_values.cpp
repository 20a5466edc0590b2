// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/codegen/draw_values.h"

#include <cmath>
#include <limits>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace mlc::fuzz {

using ir::DataType;
using ir::Expr;
using ir::ExprKind;

DataType random_type(Random& random) {
  static const std::vector<DataType> types = {DataType::Int(8),    DataType::Int(16),    DataType::Int(32),
                                              DataType::Int(32),   DataType::Int(64),    DataType::UInt(8),
                                              DataType::UInt(16),  DataType::UInt(32),   DataType::UInt(64),
                                              DataType::Float(16), DataType::BFloat16(), DataType::Float(32),
                                              DataType::Float(32), DataType::Float(64),  DataType::Bool()};
  return random.of(types);
}

namespace {

int64_t least(DataType type) {
  return type.is_int() ? std::numeric_limits<int64_t>::min() >> (64 - type.bits()) : 0;
}

// As IntImm holds it: uint64 as its bit pattern.
int64_t greatest(DataType type) {
  uint64_t all = ~uint64_t{0} >> (64 - type.bits());
  return static_cast<int64_t>(type.is_int() ? all >> 1 : all);
}

double largest(DataType type) {
  if (type.is_bfloat16()) return 0x1.fep127;
  return type.bits() == 16 ? 65504 : type.bits() == 32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
}

const std::vector<ExprKind>& divisions() {
  static const std::vector<ExprKind> all = {ExprKind::kDiv, ExprKind::kMod, ExprKind::kFloorDiv,
                                            ExprKind::kFloorMod};
  return all;
}

}  // namespace

Expr random_constant(Random& random, DataType type) {
  if (type.is_bool()) return ir::bool_imm(random.one_in(2));
  if (type.is_floating()) {
    double inf = std::numeric_limits<double>::infinity();
    double tiny = type.bits() == 64 ? 0x1p-1074 : type.is_float() && type.bits() == 16 ? 0x1p-24 : 0x1p-133;
    const std::vector<double> list = {0,
                                      -0.0,
                                      1,
                                      -1,
                                      0.5,
                                      -2,
                                      3,
                                      1.25,
                                      10,
                                      0x1p-14,
                                      tiny,
                                      inf,
                                      -inf,
                                      NAN,
                                      100,
                                      largest(type),
                                      -largest(type)};
    double value = random.one_in(4) ? static_cast<double>(random.below(2001) - 1000) / 8 : random.of(list);
    return ir::Expr(ir::make<ir::FloatImmNode>(type, value));
  }
  // The last two are at the edges of the type of half the width.
  int64_t half = int64_t{1} << (type.bits() / 2);
  const std::vector<int64_t> list = {0,
                                     1,
                                     2,
                                     3,
                                     7,
                                     8,
                                     16,
                                     31,
                                     least(type),
                                     greatest(type),
                                     greatest(type) - 1,
                                     greatest(type) / 2 + 1,
                                     half,
                                     half / 2,
                                     half - 1};
  int64_t value = random.of(list);
  if (type.is_int() && random.one_in(3) && value != least(type)) value = -value;
  return ir::Expr(ir::make<ir::IntImmNode>(type, value));
}

ir::Array<Expr> Source::at(const Expr& place) const {
  if (columns == 0) return {place};
  if (auto known = ir::const_int(place)) return {ir::int32(*known / columns), ir::int32(*known % columns)};
  Expr width = ir::int_imm(place->dtype(), columns);
  return {ir::binary(ExprKind::kFloorDiv, place, width), ir::binary(ExprKind::kFloorMod, place, width)};
}

Expr Source::load(const Expr& place) const { return Expr(ir::make<ir::TensorLoadNode>(buffer, at(place))); }

bool Scope::is_index_arithmetic(const Expr& e) const {
  bool variable = false, loads = false;
  ir::post_order(e, [&](const Expr& part) {
    const auto* var = ir::as<ir::VarNode>(part);
    variable = variable || (var != nullptr && index_like.contains(var));
    loads = loads || ir::as<ir::TensorLoadNode>(part) != nullptr ||
            (var != nullptr && var->buffer() == nullptr && !index_like.contains(var));
  });
  return variable && !loads;
}

Expr Scope::arithmetic(ExprKind kind, Expr a, Expr b) {
  Expr made = ir::binary(kind, a, b);
  return is_index_arithmetic(made) ? a : made;
}

Expr Scope::index(int64_t extent) {
  DataType type = DataType::Int(32);
  auto constant = [&](int64_t value) -> Expr { return ir::int_imm(type, value); };
  if (intervals.empty() || random.one_in(6)) {
    // By what memory holds.
    std::vector<const Source*> integers;
    for (const Source& source : sources)
      if (source.type().is_integral() && !source.type().is_bool() && !source.shared)
        integers.push_back(&source);
    if (integers.empty() || random.one_in(2)) return constant(random.below(extent));
    const Source& source = *random.of(integers);
    Expr where = intervals.empty()
                     ? constant(random.below(source.extent))
                     : ir::binary(ExprKind::kFloorMod, random.of(intervals).index(), constant(source.extent));
    Expr loaded = source.load(where);
    if (loaded->dtype() != type) loaded = ir::Expr(ir::make<ir::CastNode>(type, loaded));
    if (random.one_in(3)) {
      Expr lower = ir::binary(ExprKind::kMax, loaded, constant(0));
      return ir::binary(ExprKind::kMin, lower, constant(extent - 1));
    }
    return ir::binary(ExprKind::kFloorMod, loaded, constant(extent));
  }
  const Interval& v = random.of(intervals);
  Expr at = v.index();
  bool fits = v.min >= 0 && v.max < extent;
  switch (random.below(8)) {
    case 0:
    case 1:
      if (fits) return at;
      break;
    case 2:
      if (fits) return ir::binary(ExprKind::kSub, constant(extent - 1), at);
      break;
    case 3:
      if (fits && v.max + 1 < extent)
        return ir::binary(ExprKind::kAdd, at, constant(random.below(extent - v.max)));
      break;
    case 4:
      if (fits)
        return ir::binary(random.one_in(2) ? ExprKind::kFloorDiv : ExprKind::kFloorMod, at,
                          constant(1 + random.below(5)));
      break;
    case 5:
      if (v.min >= 0) return ir::binary(ExprKind::kMin, at, constant(extent - 1));
      break;
    case 6: {
      // By way of numbers that int32 cannot hold.
      DataType wide = DataType::Int(64);
      static const std::vector<int64_t> scales = {1ll << 31, (1ll << 31) - 1, 3ll << 30, (1ll << 32) - 1,
                                                  1ll << 32};
      Expr scale = ir::int_imm(wide, random.of(scales));
      Expr scaled = ir::binary(ExprKind::kMul, ir::make<ir::CastNode>(wide, at), scale);
      Expr made = fits && random.one_in(2)
                      ? ir::binary(ExprKind::kFloorDiv, scaled, scale)
                      : ir::binary(ExprKind::kFloorMod, scaled, ir::int_imm(wide, extent));
      return random.one_in(2) ? made : Expr(ir::make<ir::CastNode>(type, made));
    }
    default:
      break;
  }
  Expr sum = ir::binary(ExprKind::kMul, at, constant(random.below(7) - 3));
  sum = ir::binary(ExprKind::kAdd, sum,
                   random.one_in(2) ? random.of(intervals).index() : constant(random.below(20) - 10));
  return ir::binary(ExprKind::kFloorMod, sum, constant(extent));
}

Expr Scope::load(const Source& source) { return source.load(source.shared ? own : index(source.extent)); }

Expr Scope::leaf(DataType type) {
  std::vector<const Source*> fitting;
  for (const Source& source : sources)
    if (source.type() == type) fitting.push_back(&source);
  std::vector<Expr> variables;
  for (const ir::Var& var : values)
    if (var->dtype() == type) variables.emplace_back(var);
  for (const Interval& interval : intervals)
    if (interval.var->dtype() == type) variables.emplace_back(interval.var);
  int64_t choice = random.below(8);
  if (!variables.empty() && choice < 2) return random.of(variables);
  if (!fitting.empty() && choice < 7) return load(*random.of(fitting));
  if (sources.empty() || choice == 7) return random_constant(random, type);
  return cast(type, 0);
}

// A float in the range of an integer type, or a vector of them: NaN becomes the lower end.
Expr Scope::clamped(Expr value, DataType to) {
  DataType from = value->dtype().element();
  int lanes = value->dtype().lanes();
  double low = to.is_int() ? -std::ldexp(1, to.bits() - 1) : 0;
  double high = std::ldexp(1, to.is_int() ? to.bits() - 2 : to.bits() - 1);
  double most = from.bits() == 16 && from.is_float() ? 32768 : 0x1p127;
  auto constant = [&](double x) {
    Expr made = ir::make<ir::FloatImmNode>(from, x);
    return lanes == 1 ? made : Expr(ir::make<ir::BroadcastNode>(made, ir::int32(lanes)));
  };
  Expr lower = ir::binary(ExprKind::kMax, value, constant(std::max(low, -most)));
  return ir::binary(ExprKind::kMin, lower, constant(std::min(high, most)));
}

Expr Scope::cast(DataType type, int depth) {
  DataType from = type;
  if (depth <= 0) {
    if (!sources.empty()) from = random.of(sources).type();
  } else {
    from = random_type(random);
  }
  if (from == type) return depth <= 0 ? random_constant(random, type) : value(type, depth - 1);
  Expr inner = depth <= 0 ? leaf(from) : value(from, depth - 1);
  if (from.is_floating() && type.is_integral() && !type.is_bool()) inner = clamped(inner, type);
  return Expr(ir::make<ir::CastNode>(type, inner));
}

Expr Scope::constant_divisor(DataType type) {
  bool negative = type.is_int() && random.one_in(2);
  switch (random.below(3)) {
    case 0: {  // a power of two
      int64_t power = int64_t{1} << random.below(type.bits() - 1);
      return ir::int_imm(type, negative ? -power : power);
    }
    case 1: {
      int64_t odd = 2 * random.below(60) + 1;
      return ir::int_imm(type, negative ? -odd : odd);
    }
    default:
      for (;;) {
        Expr constant = random_constant(random, type);
        if (!ir::is_const_int(constant, 0)) return constant;
      }
  }
}

// Not zero; -1 also where the least number is divided, which wraps around.
Expr Scope::divisor(DataType type, int depth) {
  if (random.one_in(2)) return constant_divisor(type);
  Expr x = value(type, depth), one = ir::int_imm(type, 1);
  switch (random.below(4)) {
    case 0:
      return ir::binary(ExprKind::kMax, x, one);
    case 1:
      if (type.is_int()) return ir::binary(ExprKind::kMin, x, ir::int_imm(type, -1));
      break;
    case 2: {
      Expr zero = ir::binary(ExprKind::kEQ, x, ir::int_imm(type, 0));
      return Expr(ir::make<ir::SelectNode>(zero, constant_divisor(type), x));
    }
    default:
      break;
  }
  return ir::binary(ExprKind::kBitwiseOr, x, one);
}

// Of any sign, or nonnegative by its form.
Expr Scope::dividend(DataType type, int depth) {
  Expr x = value(type, depth);
  switch (random.below(6)) {
    case 0:
      return ir::binary(ExprKind::kMax, x, ir::int_imm(type, random.below(3)));
    case 1:
      return ir::binary(ExprKind::kMin, x, value(type, depth));
    case 2:
      return arithmetic(ExprKind::kFloorMod, x, ir::int_imm(type, 1 + random.below(100)));
    default:
      return x;
  }
}

// A variable of a loop, or how far it is from a number, below 100: nonnegative, negative, or half of it
// proved.
Expr Scope::small(DataType type) {
  Expr at = random.of(intervals).index();
  Expr by = ir::int32(random.below(61) - 20);
  switch (random.below(6)) {
    case 0:
      break;
    case 1:
      at = ir::binary(ExprKind::kSub, by, at);
      break;
    case 2:
      at = ir::binary(ExprKind::kMax, at, by);
      break;
    case 3:
      at = ir::binary(ExprKind::kMin, ir::binary(ExprKind::kSub, at, by), random.of(intervals).index());
      break;
    default:
      at = ir::binary(ExprKind::kSub, at, by);
  }
  return type == at->dtype() ? at : Expr(ir::make<ir::CastNode>(type, at));
}

// None of these leaves its type, so that they may be index arithmetic.
Expr Scope::small_division(DataType type) {
  ExprKind kind = random.of(divisions());
  Expr a = small(type);
  auto number = [&](int64_t x) { return ir::int_imm(type, x); };
  if (random.one_in(2)) {
    int64_t by = random.one_in(2) ? int64_t{1} << random.below(7) : 1 + random.below(100);
    return ir::binary(kind, a, number(random.one_in(2) ? by : -by));
  }
  const Interval& v = random.of(intervals);
  Expr by = v.index();
  if (by->dtype() != type) by = ir::make<ir::CastNode>(type, by);
  if (v.min > 0 || v.max < 0) return ir::binary(kind, a, by);
  if (random.one_in(3)) {
    Expr nonzero = ir::binary(ExprKind::kNE, by, number(0));
    return ir::call_op(type, "tirx.if_then_else", {nonzero, ir::binary(kind, a, by), small(type)});
  }
  return ir::binary(kind, a,
                    random.one_in(2) ? ir::binary(ExprKind::kAdd, by, number(1 - v.min))
                                     : ir::binary(ExprKind::kSub, by, number(v.max + 1)));
}

Expr Scope::division(DataType type, int depth) {
  return arithmetic(random.of(divisions()), dividend(type, depth), divisor(type, depth));
}

// Only the taken side may divide.
Expr Scope::guarded_division(DataType type, int depth) {
  Expr b = leaf(type), zero = ir::int_imm(type, 0);
  Expr quotient = ir::binary(random.of(divisions()), dividend(type, depth), b);
  if (is_index_arithmetic(quotient)) return b;
  Expr other = value(type, depth);
  switch (random.below(5)) {
    case 0:
      return ir::call_op(type, "tirx.if_then_else", {ir::binary(ExprKind::kGT, b, zero), quotient, other});
    case 1:
      return ir::call_op(type, "tirx.if_then_else", {ir::binary(ExprKind::kEQ, b, zero), other, quotient});
    case 2:
      if (!type.is_int()) break;
      return ir::call_op(type, "tirx.if_then_else", {ir::binary(ExprKind::kLT, b, zero), quotient, other});
    case 3: {
      Expr also = ir::binary(ExprKind::kAnd, ir::binary(ExprKind::kNE, b, zero), condition(depth - 1));
      return ir::call_op(type, "tirx.if_then_else", {also, quotient, other});
    }
    default:
      break;
  }
  return ir::call_op(type, "tirx.if_then_else", {ir::binary(ExprKind::kNE, b, zero), quotient, other});
}

Expr Scope::plain(DataType type) {
  static const std::vector<DataType> types = {DataType::Int(8), DataType::Int(16), DataType::Int(32),
                                              DataType::Int(64)};
  DataType from = random.of(types);
  Expr made;
  if (type.is_floating() && random.one_in(2)) {
    from = random.one_in(3) ? DataType::UInt(64) : DataType::Int(64);
    made = leaf(from);
  } else if (!intervals.empty() && random.one_in(3)) {
    made = small_division(from);
  } else {
    made = random.one_in(4) ? guarded_division(from, 1) : division(from, 1);
  }
  return from == type ? made : Expr(ir::make<ir::CastNode>(type, made));
}

// A load that only the taken side may make.
Expr Scope::guarded_load(DataType type, int depth) {
  std::vector<const Source*> fitting;
  for (const Source& source : sources)
    if (source.type() == type && !source.shared) fitting.push_back(&source);
  if (fitting.empty() || intervals.empty()) return value(type, depth);
  const Source& source = *random.of(fitting);
  Expr where = ir::binary(ExprKind::kAdd, random.of(intervals).index(), ir::int32(random.below(9) - 4));
  if (random.one_in(3)) {
    Expr loaded = load(random.of(sources));
    if (loaded->dtype().is_integral()) where = ir::make<ir::CastNode>(DataType::Int(32), loaded);
  }
  Expr first = ir::int32(0), extent = ir::int32(source.extent);
  Expr inside = ir::binary(ExprKind::kAnd, ir::binary(ExprKind::kLE, first, where),
                           ir::binary(ExprKind::kLT, where, extent));
  Expr outside = ir::binary(ExprKind::kOr, ir::binary(ExprKind::kLT, where, first),
                            ir::binary(ExprKind::kGE, where, extent));
  Expr loaded = source.load(where), other = value(type, depth);
  if (random.one_in(3)) return ir::call_op(type, "tirx.if_then_else", {outside, other, loaded});
  return ir::call_op(type, "tirx.if_then_else", {inside, loaded, other});
}

Expr Scope::value(DataType type, int depth) {
  if (depth <= 0) return leaf(type);
  switch (random.below(14)) {
    case 0:
      return Expr(
          ir::make<ir::SelectNode>(condition(depth - 1), value(type, depth - 1), value(type, depth - 1)));
    case 1: {
      Expr condition = this->condition(depth - 1);
      return ir::call_op(type, "tirx.if_then_else",
                         {condition, value(type, depth - 1), value(type, depth - 1)});
    }
    case 2: {
      DataType bound = random_type(random);
      Expr what = value(bound, depth - 1);
      ir::Var var = ir::make_var("t", bound);
      bool indices = is_index_arithmetic(what);
      values.push_back(var);
      if (indices) index_like.insert(var.get());
      Expr body = value(type, depth - 1);
      values.pop_back();
      return Expr(ir::make<ir::LetNode>(var, what, body));
    }
    case 3:
    case 4:
      return cast(type, depth);
    case 5: {
      std::vector<const Helper*> fitting;
      for (const Helper& helper : helpers)
        if (helper.type == type) fitting.push_back(&helper);
      if (fitting.empty()) return leaf(type);
      const Helper& helper = *random.of(fitting);
      ir::Array<Expr> args;
      for (const ir::Var& param : helper.fn->params) args.push_back(value(param->dtype(), depth - 1));
      return Expr(ir::make<ir::CallNode>(ir::prim_type(type), helper.name, args));
    }
    default:
      break;
  }
  if (type.is_bool()) return boolean(depth);
  return type.is_floating() ? floating(type, depth) : integer(type, depth);
}

// What would be simpler if the sum or product did not wrap.
Expr Scope::of_a_sum(DataType type) {
  Expr x = value(type, 0), number = ir::int_imm(type, 2 + random.below(7));
  Expr moved = arithmetic(random.one_in(2) ? ExprKind::kMul : ExprKind::kAdd, x, number);
  switch (random.below(4)) {
    case 0:
      return arithmetic(random.one_in(2) ? ExprKind::kMin : ExprKind::kMax, moved, x);
    case 1:
      return arithmetic(ExprKind::kRShift, moved, ir::int_imm(type, 1 + random.below(3)));
    default:
      return ir::binary(random.of(divisions()), moved, number);
  }
}

Expr Scope::integer(DataType type, int depth) {
  static const std::vector<ExprKind> kinds = {
      ExprKind::kAdd, ExprKind::kSub,        ExprKind::kMul,       ExprKind::kMin,
      ExprKind::kMax, ExprKind::kBitwiseAnd, ExprKind::kBitwiseOr, ExprKind::kBitwiseXor,
      ExprKind::kAdd, ExprKind::kSub,        ExprKind::kMul};
  switch (random.below(12)) {
    case 0:
    case 1:
      return division(type, depth - 1);
    case 7:
      return of_a_sum(type);
    case 2:
      return guarded_division(type, depth - 1);
    case 6:
      if (type.is_int() && !intervals.empty()) return small_division(type);
      break;
    case 3: {
      Expr amount =
          ir::binary(ExprKind::kBitwiseAnd, value(type, depth - 1), ir::int_imm(type, type.bits() - 1));
      if (random.one_in(2)) amount = ir::int_imm(type, random.below(type.bits()));
      return arithmetic(random.one_in(2) ? ExprKind::kLShift : ExprKind::kRShift, value(type, depth - 1),
                        amount);
    }
    case 4: {
      if (random.one_in(2)) return Expr(ir::make<ir::BitwiseNotNode>(value(type, depth - 1)));
      return ir::call_op(type, random.one_in(2) ? "tirx.popcount" : "tirx.clz", {value(type, depth - 1)});
    }
    case 5:
      return guarded_load(type, depth - 1);
    default:
      break;
  }
  Expr a = value(type, depth - 1);
  return arithmetic(random.of(kinds), a, random.one_in(8) ? a : value(type, depth - 1));
}

Expr Scope::floating(DataType type, int depth) {
  static const std::vector<ExprKind> kinds = {ExprKind::kAdd, ExprKind::kSub, ExprKind::kMul, ExprKind::kDiv,
                                              ExprKind::kMin, ExprKind::kMax, ExprKind::kAdd, ExprKind::kMul};
  static const std::vector<const char*> functions = {
      "tirx.fabs", "tirx.floor", "tirx.ceil", "tirx.trunc", "tirx.round", "tirx.nearbyint", "tirx.sqrt"};
  switch (random.below(8)) {
    case 0:
      return ir::call_op(type, random.of(functions), {value(type, depth - 1)});
    case 1: {
      DataType bits = DataType::Int(type.bits());
      if (random.one_in(2)) return ir::call_op(type, "tirx.reinterpret", {value(bits, depth - 1)});
      // The sign of a NaN is any.
      double infinity = std::numeric_limits<double>::infinity();
      Expr least = ir::make<ir::FloatImmNode>(type, -infinity);
      Expr sign = ir::binary(ExprKind::kMax, value(type, depth - 1), least);
      return ir::call_op(type, "tirx.copysign", {value(type, depth - 1), sign});
    }
    default:
      break;
  }
  Expr a = value(type, depth - 1);
  return ir::binary(random.of(kinds), a, random.one_in(6) ? a : value(type, depth - 1));
}

Expr Scope::boolean(int depth) {
  static const std::vector<ExprKind> compare = {ExprKind::kEQ, ExprKind::kNE, ExprKind::kLT,
                                                ExprKind::kLE, ExprKind::kGT, ExprKind::kGE};
  switch (random.below(6)) {
    case 0:
      return ir::binary(random.one_in(2) ? ExprKind::kAnd : ExprKind::kOr, condition(depth - 1),
                        condition(depth - 1));
    case 1:
      if (random.one_in(3)) return ir::call_op(DataType::Bool(), "tirx.likely", {condition(depth - 1)});
      return Expr(ir::make<ir::NotNode>(condition(depth - 1)));
    case 2: {
      DataType type = random.one_in(2) ? DataType::Float(32) : DataType::Float(64);
      return ir::call_op(DataType::Bool(), "tirx.isnan", {value(type, depth - 1)});
    }
    default: {
      DataType type = random_type(random);
      if (type.is_integral() && !type.is_bool() && random.one_in(4)) {
        Expr x = value(type, 0);
        Expr by = random.one_in(2) ? ir::int_imm(type, 1 + random.below(9)) : value(type, 0);
        Expr sum = arithmetic(random.one_in(2) ? ExprKind::kAdd : ExprKind::kSub, x, by);
        return ir::binary(random.of(compare), sum, random.one_in(2) ? x : value(type, 0));
      }
      Expr a = value(type, depth - 1);
      return ir::binary(random.of(compare), a, random.one_in(6) ? a : value(type, depth - 1));
    }
  }
}

Expr Scope::start(int64_t extent) {
  std::vector<const Interval*> fitting;
  for (const Interval& v : intervals)
    if (v.min >= 0) fitting.push_back(&v);
  if (fitting.empty() || random.one_in(3)) return ir::int32(random.below(extent));
  const Interval& v = *random.of(fitting);
  Expr last = ir::int32(extent - 1);
  if (v.max < extent) return random.one_in(3) ? ir::binary(ExprKind::kSub, last, v.index()) : v.index();
  if (random.one_in(2)) return ir::binary(ExprKind::kMin, v.index(), last);
  return ir::binary(ExprKind::kFloorMod, v.index(), ir::int32(extent));
}

Expr Scope::ramp(int64_t extent, int lanes) {
  int64_t span = extent - lanes;
  std::vector<int64_t> strides = {1, 1, 1, -1};
  if (extent >= 2 * lanes) strides.push_back(2);
  int64_t stride = random.of(strides);
  int64_t below = stride == 2 ? extent - 2 * lanes + 2 : span + 1;
  // Where it begins is a number, or the program computes it.
  Expr first = random.one_in(2) ? start(below) : Expr(ir::int32(random.below(below)));
  if (stride == -1) {
    auto known = ir::const_int(first);
    first =
        known ? Expr(ir::int32(lanes - 1 + *known)) : ir::binary(ExprKind::kAdd, first, ir::int32(lanes - 1));
  }
  return Expr(ir::make<ir::RampNode>(first, ir::int32(stride), ir::int32(lanes)));
}

std::optional<ir::Array<Expr>> Scope::lanes_at(const Source& source, int lanes, bool one) {
  int64_t line = source.columns == 0 ? source.extent : source.columns;
  if (line < lanes || (one && source.columns != 0)) return std::nullopt;
  Expr where = ramp(line, lanes);
  if (source.columns == 0) return ir::Array<Expr>{where};
  return ir::Array<Expr>{start(source.extent / source.columns), where};
}

Expr Scope::vector(DataType type, int depth) {
  int lanes = type.lanes();
  DataType element = type.element();
  auto broadcast = [&](Expr e) { return Expr(ir::make<ir::BroadcastNode>(e, ir::int32(lanes))); };
  if (depth > 0) {
    switch (random.below(6)) {
      case 0: {
        Expr condition = ir::binary(random.one_in(2) ? ExprKind::kLT : ExprKind::kNE, vector(type, depth - 1),
                                    vector(type, depth - 1));
        return Expr(ir::make<ir::SelectNode>(condition, vector(type, depth - 1), vector(type, depth - 1)));
      }
      case 1: {
        ir::Array<Expr> picked;
        for (int i = 0; i < lanes; ++i) picked.push_back(ir::int32(random.below(2 * lanes)));
        return Expr(ir::make<ir::ShuffleNode>(
            ir::Array<Expr>{vector(type, depth - 1), vector(type, depth - 1)}, picked));
      }
      case 2: {
        DataType from = random_type(random);
        if (from == element) break;
        Expr inner = vector(from.with_lanes(lanes), depth - 1);
        if (from.is_floating() && element.is_integral() && !element.is_bool())
          inner = clamped(inner, element);
        return Expr(ir::make<ir::CastNode>(type, inner));
      }
      default:
        break;
    }
    Expr a = vector(type, depth - 1), b = vector(type, depth - 1);
    static const std::vector<ExprKind> common = {ExprKind::kAdd, ExprKind::kSub, ExprKind::kMul,
                                                 ExprKind::kMin, ExprKind::kMax};
    if (element.is_bool()) return ir::binary(random.one_in(2) ? ExprKind::kAnd : ExprKind::kOr, a, b);
    if (element.is_integral() && random.one_in(4)) {
      Expr odd = ir::binary(ExprKind::kBitwiseOr, b, broadcast(ir::int_imm(element, 1)));
      return ir::binary(random.of(divisions()), a,
                        random.one_in(2) ? broadcast(constant_divisor(element)) : odd);
    }
    return ir::binary(random.of(common), a, b);
  }
  std::vector<const Source*> fitting;
  for (const Source& source : sources)
    if (source.type() == element && lanes_at(source, lanes)) fitting.push_back(&source);
  if (fitting.empty() || random.one_in(4)) return broadcast(value(element, 1));
  const Source& source = *random.of(fitting);
  ir::Array<Expr> indices = *lanes_at(source, lanes);
  if (source.columns != 0) return Expr(ir::make<ir::TensorLoadNode>(source.buffer, indices));
  Expr where = indices[0];
  if (random.one_in(4)) {
    Expr mask = ir::binary(ExprKind::kLT, ramp(64, lanes), broadcast(ir::int32(random.below(40))));
    return ir::call_op(type, "tirx.masked_load", {source.buffer, where, mask});
  }
  if (random.one_in(4)) {
    Expr scaled = ir::binary(ExprKind::kMul, ramp(64, lanes), broadcast(ir::int32(1 + random.below(5))));
    where = ir::binary(ExprKind::kFloorMod, scaled, broadcast(ir::int32(source.extent)));
  }
  return Expr(ir::make<ir::TensorLoadNode>(source.buffer, ir::Array<Expr>{where}));
}

}  // namespace mlc::fuzz
