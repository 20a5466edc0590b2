// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/arith/draw.h"

#include <algorithm>
#include <utility>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace mlc::fuzz {

using ir::DataType;
using ir::Expr;
using ir::ExprKind;
using transform::Term;

const ir::VarNode* Leaf::key() const {
  const auto* load = ir::as<ir::TensorLoadNode>(e);
  return load != nullptr ? load->source.get() : ir::as<ir::VarNode>(e);
}

Expr load(const char* name, DataType dtype) {
  Expr zero = ir::int_imm(DataType::Int(32), 0), one = ir::int_imm(DataType::Int(32), 1);
  auto type = ir::make<ir::BufferTypeNode>(dtype, ir::String("global"), ir::Array<Expr>{one},
                                           ir::Array<Expr>(), zero);
  return ir::make<ir::TensorLoadNode>(ir::make<ir::VarNode>(ir::String(name), type), ir::Array<Expr>{zero});
}

Expr call(DataType dtype, int64_t number) {
  return ir::call_op(
      dtype, "tirx.call_extern",
      {ir::make<ir::StringImmNode>(ir::String("next")), ir::int_imm(DataType::Int(32), number)});
}

void Drawing::add(const char* name, DataType dtype, Number min, Number extent, bool ranged) {
  Leaf leaf{ir::make_var(name, dtype), {}, ranged};
  for (Number value = min; value < min + extent; ++value) leaf.values.push_back(value);
  leaf.relaxed = ranged && choices.below(4) != 0;
  leaves.push_back(std::move(leaf));
}

void Drawing::draw_indices() {
  static constexpr int64_t extents[] = {1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 10, 12, 16};
  add("i", DataType::Int(32), 0, choices.one_of(extents), true);
  add("j", DataType::Int(32), static_cast<Number>(choices.below(14)) - 6, choices.one_of(extents), true);
  if (choices.below(3) == 0) add("k", DataType::Int(64), 0, choices.one_of(extents), true);
  if (choices.below(4) == 0) {
    static constexpr int bits[] = {8, 16, 32};
    bool with_sign = choices.below(2) == 0;
    int width = choices.one_of(bits);
    add("s", with_sign ? DataType::Int(width) : DataType::UInt(width), with_sign ? -3 : 0, 7, true);
  }
  if (choices.below(6) == 0) {
    // The numbers at an end of the type.
    bool above = choices.below(2) == 0;
    add("e", DataType::Int(32), above ? greatest(DataType::Int(32)) - 3 : least(DataType::Int(32)), 4, true);
    leaves.back().relaxed = false;  // ends of sets are numbers of the type, or none
  }
  if (choices.below(5) == 0) add("b", DataType::Bool(), 0, 2, false);
  Leaf size{ir::make_var("n", DataType::Int(32)), {}};
  static constexpr int64_t steps[] = {2, 3, 4, 8};
  if (choices.below(3) == 0) {
    size.residues.coeff = choices.one_of(steps);
    size.residues.base = static_cast<int64_t>(choices.below(static_cast<size_t>(size.residues.coeff)));
  }
  for (int64_t value :
       {-100, -17, -8, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 64, 1000}) {
    int64_t coeff = size.residues.coeff;
    if (((value - size.residues.base) % coeff + coeff) % coeff == 0) size.values.push_back(value);
  }
  leaves.push_back(std::move(size));
}

void Drawing::draw_loads() {
  loads_ = true;
  static constexpr int widths[] = {8, 16, 32, 32, 32, 64};
  for (const char* name : {"A", "B", "C"}) {
    int bits = choices.one_of(widths);
    DataType dtype = choices.below(3) == 0 ? DataType::UInt(bits) : DataType::Int(bits);
    // Mostly one type: expressions are of it.
    if (!leaves.empty() && choices.below(3) != 0) dtype = leaves[0].e->dtype();
    Leaf leaf{load(name, dtype), {}};
    Number low = least(dtype), high = greatest(dtype);
    leaf.values = {low, low + 1, high - 1, high, 0, 1, 2, 3, high / 2, high / 2 + 1, high / 3};
    if (dtype.is_int()) leaf.values.insert(leaf.values.end(), {-1, -2, -5, low / 2});
    leaves.push_back(std::move(leaf));
  }
  add("i", DataType::Int(32), 0, 4, true);
}

Expr Drawing::constant(DataType dtype) {
  if (dtype.is_bool()) return ir::bool_imm(choices.below(2) == 0);
  static constexpr int64_t small[] = {0, 1, 1,  2,  2,  3,  4,  4,  5,  6,  7,
                                      8, 8, 12, 16, 32, -1, -1, -2, -3, -4, -8};
  static constexpr int64_t large[] = {65536, 1 << 30, INT32_MAX, INT32_MAX - 1, INT32_MIN, INT32_MIN + 1};
  bool far = !loads_ && !near_ && dtype.is_int() && dtype.bits() >= 32 && choices.below(40) == 0;
  int64_t value = far ? choices.one_of(large) : choices.one_of(small);
  if (dtype.is_uint()) value = std::abs(value);
  if (loads_ && choices.below(4) == 0) {
    Number near = choices.below(2) == 0 ? least(dtype) : greatest(dtype);
    Number inside = near + (near > 0 ? -1 : 1) * static_cast<Number>(choices.below(3));
    value = static_cast<int64_t>(inside);  // of uint64 its bits
  }
  return ir::make<ir::IntImmNode>(dtype, value);
}

Expr Drawing::leaf(DataType dtype) {
  if (calls && choices.below(3) == 0) return call(dtype, static_cast<int64_t>(choices.below(3)));
  if (choices.below(5) == 0) return constant(dtype);
  const Leaf& one = leaves[choices.below(leaves.size())];
  if (one.e->dtype() == dtype) return one.e;
  if (dtype.is_bool())
    return ir::make<ir::LTNode>(one.e->dtype().is_bool() ? ir::cast(DataType::Int(32), one.e) : one.e,
                                constant(one.e->dtype().is_bool() ? DataType::Int(32) : one.e->dtype()));
  return ir::make<ir::CastNode>(dtype, one.e);
}

Expr Drawing::divisor(size_t depth, DataType dtype) {
  static constexpr int64_t positive[] = {1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 32};
  switch (choices.below(10)) {
    case 0:
      return leaf(dtype);
    case 1:
      return integer(depth == 0 ? 0 : depth - 1, dtype);
    case 2:
      if (dtype.is_int()) return ir::int_imm(dtype, -choices.one_of(positive));
      [[fallthrough]];
    default:
      return ir::int_imm(dtype, choices.one_of(positive));
  }
}

Expr Drawing::integer(size_t depth, DataType dtype) {
  if (dtype.is_bool()) return condition(depth);
  if (depth == 0 || choices.below(8) == 0) return leaf(dtype);
  auto part = [&] { return integer(depth - 1, dtype); };
  auto term = [&] { return choices.below(3) == 0 ? constant(dtype) : part(); };
  switch (choices.below(24)) {
    case 0:
    case 1:
    case 2:
      return ir::binary(ExprKind::kAdd, part(), term());
    case 3:
    case 4:
      return ir::binary(ExprKind::kSub, choices.below(6) == 0 ? constant(dtype) : part(), term());
    case 5:
    case 6:
    case 7:
      return ir::binary(ExprKind::kMul, part(), choices.below(4) == 0 ? part() : constant(dtype));
    case 8:
    case 9:
    case 10:
      return ir::binary(ExprKind::kFloorDiv, part(), divisor(depth - 1, dtype));
    case 11:
    case 12:
    case 13:
      return ir::binary(ExprKind::kFloorMod, part(), divisor(depth - 1, dtype));
    case 14:
      return ir::binary(ExprKind::kDiv, part(), divisor(depth - 1, dtype));
    case 15:
      return ir::binary(ExprKind::kMod, part(), divisor(depth - 1, dtype));
    case 16:
      return ir::binary(ExprKind::kMin, part(), term());
    case 17:
      return ir::binary(ExprKind::kMax, part(), term());
    case 18:
    case 19: {
      // What a choice gives is taken for an index like any other, far from the ends of its type.
      bool outer = std::exchange(near_, true);
      Expr test = condition(depth - 1), a = part(), b = part();
      near_ = outer;
      if (choices.below(2) == 0) return ir::make<ir::SelectNode>(test, a, b);
      return ir::make<ir::CallNode>(ir::prim_type(dtype), ir::op("tirx.if_then_else"),
                                    ir::Array<Expr>{test, a, b});
    }
    case 20: {
      ExprKind kind = choices.below(2) == 0 ? ExprKind::kLShift : ExprKind::kRShift;
      return ir::binary(
          kind, part(),
          choices.below(5) == 0 ? part() : ir::int_imm(dtype, static_cast<int64_t>(choices.below(5))));
    }
    case 21: {
      static constexpr ExprKind kinds[] = {ExprKind::kBitwiseAnd, ExprKind::kBitwiseAnd, ExprKind::kBitwiseOr,
                                           ExprKind::kBitwiseXor};
      static constexpr int64_t masks[] = {1, 3, 7, 15, 5, 12};
      return ir::binary(choices.one_of(kinds), part(),
                        choices.below(4) == 0 ? part() : ir::int_imm(dtype, choices.one_of(masks)));
    }
    case 22: {
      // Through another type, which may have no room for it.
      static constexpr int bits[] = {8, 16, 32, 64};
      int width = choices.one_of(bits);
      DataType other = choices.below(3) == 0 ? DataType::UInt(width) : DataType::Int(width);
      // Or computed in it, where sums may wrap that would not here.
      if (loads_ && choices.below(2) == 0) return ir::make<ir::CastNode>(dtype, integer(depth - 1, other));
      return ir::make<ir::CastNode>(dtype, ir::make<ir::CastNode>(other, part()));
    }
    default:
      switch (choices.below(4)) {
        case 0:
          return ir::make<ir::CastNode>(dtype, condition(depth - 1));
        case 1:
          return ir::binary(ExprKind::kMul, leaf(dtype), leaf(dtype));
        default:
          return strided(dtype);
      }
  }
}

// A position in rows of some length, divided by a multiple of it: (n * 4 + j * 8 + i + 1) % 8.
Expr Drawing::strided(DataType dtype) {
  static constexpr int64_t steps[] = {2, 3, 4, 8}, multiples[] = {1, 1, 2, 4};
  int64_t step = choices.one_of(steps);
  auto times = [&](const Expr& e, int64_t by) {
    return ir::binary(ExprKind::kMul, e, ir::int_imm(dtype, by));
  };
  Expr sum = times(leaf(dtype), step * choices.one_of(multiples));
  if (choices.below(2) == 0)
    sum = ir::binary(ExprKind::kAdd, sum, times(leaf(dtype), step * choices.one_of(multiples)));
  if (choices.below(4) != 0) sum = ir::binary(ExprKind::kAdd, sum, leaf(dtype));
  if (choices.below(3) == 0) sum = ir::binary(ExprKind::kAdd, sum, constant(dtype));
  static constexpr ExprKind kinds[] = {ExprKind::kFloorMod, ExprKind::kFloorMod, ExprKind::kMod,
                                       ExprKind::kFloorDiv, ExprKind::kFloorDiv, ExprKind::kDiv};
  return ir::binary(choices.one_of(kinds), sum, ir::int_imm(dtype, step * choices.one_of(multiples)));
}

Expr Drawing::compare(size_t depth) {
  static constexpr ExprKind kinds[] = {ExprKind::kEQ, ExprKind::kNE, ExprKind::kLT,
                                       ExprKind::kLE, ExprKind::kGT, ExprKind::kGE};
  DataType dtype = loads_ ? leaves[choices.below(3)].e->dtype() : index_type();
  Expr left = integer(depth, dtype);
  return ir::binary(choices.one_of(kinds), left,
                    choices.below(2) == 0 ? constant(dtype) : integer(depth, dtype));
}

Expr Drawing::condition(size_t depth) {
  if (depth > 1) {
    switch (choices.below(6)) {
      case 0:
        return ir::binary(ExprKind::kAnd, condition(depth - 1), condition(depth - 1));
      case 1:
        return ir::binary(ExprKind::kOr, condition(depth - 1), condition(depth - 1));
      case 2:
        return ir::make<ir::NotNode>(condition(depth - 1));
      default:
        break;
    }
  }
  return choices.below(16) == 0 ? leaf(DataType::Bool()) : compare(depth == 0 ? 0 : depth - 1);
}

Expr Drawing::vector(size_t depth, DataType dtype) {
  Expr lanes = ir::int_imm(DataType::Int(32), kLanes);
  if (depth == 0 || choices.below(4) == 0) {
    if (choices.below(2) == 0) return ir::make<ir::BroadcastNode>(integer(1, dtype), lanes);
    return ir::make<ir::RampNode>(integer(choices.below(2), dtype),
                                  choices.below(4) == 0 ? leaf(dtype) : constant(dtype), lanes);
  }
  static constexpr ExprKind kinds[] = {ExprKind::kAdd,      ExprKind::kSub, ExprKind::kMul,
                                       ExprKind::kMin,      ExprKind::kMax, ExprKind::kFloorDiv,
                                       ExprKind::kFloorMod, ExprKind::kDiv, ExprKind::kMod};
  ExprKind kind = choices.one_of(kinds);
  bool divides = kind >= ExprKind::kDiv && kind <= ExprKind::kFloorMod;
  Expr left = vector(depth - 1, dtype);
  Expr right = choices.below(divides ? 8 : 3) == 0 || !divides
                   ? vector(depth - 1, dtype)
                   : Expr(ir::make<ir::BroadcastNode>(divisor(0, dtype), lanes));
  return ir::binary(kind, left, right);
}

// The pattern with the drawn names; a name or number takes the type of what it stands beside.
Expr Drawing::built(const Term& term, DataType dtype, bool truth) {
  const std::string& op = term.op;
  if (term.operands.empty()) {
    if (op == "true" || op == "false") return ir::bool_imm(op == "true");
    if (isdigit(op[0])) return ir::int_imm(dtype, std::stoll(op));
    if (op == "l") return ir::int_imm(DataType::Int(32), kLanes);
    Expr& e = names_[op];
    if (!e.defined())
      e = of_lanes_ ? vector(1, dtype) : integer(choices.below(3), truth ? DataType::Bool() : dtype);
    return e;
  }
  auto part = [&](size_t i, bool of_truth = false) { return built(term.operands[i], dtype, of_truth); };
  if (op == "broadcast" || op == "ramp") {
    bool outside = std::exchange(of_lanes_, false);
    Expr first = part(0, truth), second = part(1);
    Expr made = op == "ramp" ? Expr(ir::make<ir::RampNode>(first, second, part(2)))
                             : Expr(ir::make<ir::BroadcastNode>(first, second));
    of_lanes_ = outside;
    return made;
  }
  if (op == "select") {
    Expr condition = part(0, true);
    return ir::make<ir::SelectNode>(condition, part(1), part(2));
  }
  if (op == "not") return ir::make<ir::NotNode>(part(0, true));
  static const std::unordered_map<std::string, ExprKind> kinds{
      {"+", ExprKind::kAdd},       {"-", ExprKind::kSub},      {"*", ExprKind::kMul},
      {"//", ExprKind::kFloorDiv}, {"%", ExprKind::kFloorMod}, {"tdiv", ExprKind::kDiv},
      {"tmod", ExprKind::kMod},    {"min", ExprKind::kMin},    {"max", ExprKind::kMax},
      {"==", ExprKind::kEQ},       {"!=", ExprKind::kNE},      {"<", ExprKind::kLT},
      {"<=", ExprKind::kLE},       {">", ExprKind::kGT},       {">=", ExprKind::kGE},
      {"and", ExprKind::kAnd},     {"or", ExprKind::kOr}};
  ExprKind kind = kinds.at(op);
  bool logic = kind == ExprKind::kAnd || kind == ExprKind::kOr;
  Expr left = part(0, logic);
  return ir::binary(kind, left, part(1, logic));
}

// Mostly draws names so that they meet a condition that is to follow from bounds: x >= 0, or x - z == y - w.
void Drawing::meet(const Term& condition, DataType dtype) {
  std::set<std::string> names, none;
  transform::collect(condition, false, names, none);
  if (choices.below(8) == 0 || loads_) return;
  if (condition.op == "==" && condition.operands[0].op == "-" && condition.operands[1].op == "-") {
    Expr difference = integer(1, dtype);
    for (const Term& side : condition.operands) {
      const std::string &more = side.operands[0].op, &less = side.operands[1].op;
      if (!names_[less].defined()) names_[less] = integer(1, dtype);
      names_[more] = ir::binary(ExprKind::kAdd, names_[less], difference);
    }
    return;
  }
  for (const std::string& name : names) {
    if (name.size() == 2 || names_.contains(name)) continue;
    Expr counted = ir::make<ir::CastNode>(dtype, leaves[0].e);
    if (dtype == leaves[0].e->dtype()) counted = leaves[0].e;
    if (condition.op == ">" || choices.below(4) == 0)
      counted = ir::binary(ExprKind::kAdd, counted, ir::int_imm(dtype, 1));
    if (choices.below(4) == 0) counted = ir::binary(ExprKind::kMul, counted, ir::int_imm(dtype, 3));
    names_[name] = counted;
  }
}

Expr Drawing::instance(const transform::Rule& rule, DataType dtype) {
  using namespace transform;  // NOLINT: the notation of rules
  Term left = Reader(rule.pattern).term();
  std::vector<Term> conditions;
  if (rule.condition) conditions = Reader(rule.condition).list();
  std::set<std::string> names, truths;
  collect(left, false, names, truths);
  names_.clear();
  static constexpr int64_t values[] = {1, 2, 2, 3, 4, 4, 6, 8, 12, 16, 0, -1, -2, -3, -4, -8, 5, 7};
  for (int tries = 0; tries < 2000; ++tries) {
    Values constants;
    for (const std::string& name : names) {
      if (name.size() != 2 || name[0] != 'c') continue;
      constants[name] = choices.one_of(values);
      if (dtype.is_uint()) constants[name] = std::abs(constants[name]);
    }
    bool holds = std::all_of(conditions.begin(), conditions.end(), [&](const Term& one) {
      std::set<std::string> of_one, none;
      collect(one, false, of_one, none);
      bool known = std::all_of(of_one.begin(), of_one.end(),
                               [&](const std::string& name) { return constants.contains(name); });
      return !known || evaluate(one, constants).value_or(0) != 0;
    });
    if (!holds) continue;
    for (const auto& [name, value] : constants) names_[name] = ir::int_imm(dtype, value);
    for (const Term& one : conditions) meet(one, dtype);
    of_lanes_ = std::string_view(rule.pattern).find("broadcast") != std::string_view::npos ||
                std::string_view(rule.pattern).find("ramp") != std::string_view::npos;
    return built(left, dtype, truths.contains(left.op));
  }
  return nullptr;
}

std::vector<Point> Drawing::points(const Expr& assumption, size_t most) {
  size_t all = 1;
  for (const Leaf& leaf : leaves) all = std::min<size_t>(all * leaf.values.size(), 1 << 30);
  std::vector<Point> found;
  size_t count = std::min(all, most);
  for (size_t i = 0; i < count; ++i) {
    size_t rest = all <= most ? i : choices.below(1 << 30);
    Point point;
    for (const Leaf& leaf : leaves) {
      point[leaf.key()] = leaf.values[rest % leaf.values.size()];
      rest = all <= most ? rest / leaf.values.size() : choices.below(1 << 30);
    }
    if (assumption.defined()) {
      Evaluation at(point, false);
      if (at.of(assumption) == 0 || at.overflows || at.undefined || at.truncates) continue;
    }
    found.push_back(std::move(point));
  }
  return found;
}

}  // namespace mlc::fuzz
