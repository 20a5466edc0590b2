// SPDX-License-Identifier: Apache-2.0
// Sets and solved conditions against enumeration.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"
#include "tests/fuzz/arith/check.h"
#include "transform/arith/deduce_bound.h"
#include "transform/arith/inequalities.h"
#include "transform/arith/region_bound.h"

namespace mlc::fuzz {

using ir::DataType;
using ir::Expr;
using ir::ExprKind;
using ir::Var;
using transform::Analyzer;
using transform::IntervalSet;
using transform::LoopRange;

namespace {

Expr number(int64_t value) { return ir::int_imm(DataType::Int(32), value); }
IntervalSet interval(int64_t low, int64_t high) {
  return ir::make<transform::IntervalSetNode>(number(low), number(high));
}

// Two or three variables with small ranges.
struct Box {
  explicit Box(Choices& choices) {
    static constexpr const char* names[] = {"x", "y", "z"};
    size_t count = 2 + choices.below(2);
    for (size_t n = 0; n < count; ++n) {
      vars.push_back(ir::make_var(names[n], DataType::Int(32)));
      low.push_back(choices.below(2) == 0 ? 0 : static_cast<int64_t>(choices.below(9)) - 5);
      high.push_back(low.back() + static_cast<int64_t>(choices.below(9)));
    }
  }
  std::vector<Point> points(int64_t margin) const {
    std::vector<Point> all{{}};
    for (size_t n = 0; n < vars.size(); ++n) {
      std::vector<Point> more;
      for (const Point& point : all) {
        for (int64_t value = low[n] - margin; value <= high[n] + margin; ++value) {
          more.push_back(point);
          more.back()[vars[n].get()] = value;
        }
      }
      all = std::move(more);
    }
    return all;
  }
  std::vector<LoopRange> ranges() const {
    std::vector<LoopRange> all;
    for (size_t n = 0; n < vars.size(); ++n)
      all.push_back({vars[n], ir::make<ir::RangeNode>(number(low[n]), number(high[n] - low[n] + 1))});
    return all;
  }
  // a * x + b * y // c ... <= d
  Expr condition(Choices& choices, bool divides) const {
    static constexpr int64_t factors[] = {1, 1, 1, 2, 3, 4, -1, -1, -2, -3};
    Expr sum = nullptr;
    for (const Var& var : vars) {
      if (choices.below(4) == 0 && sum.defined()) continue;
      Expr term = var;
      if (choices.below(2) == 0) term = term * choices.one_of(factors);
      if (divides && choices.below(4) == 0)
        term = ir::floordiv(term + static_cast<int64_t>(choices.below(3)),
                            number(2 + static_cast<int64_t>(choices.below(3))));
      sum = sum.defined() ? (choices.below(3) == 0 ? sum - term : sum + term) : term;
    }
    if (divides && choices.below(5) == 0) sum = sum * choices.one_of(factors);
    static constexpr ExprKind kinds[] = {ExprKind::kLT, ExprKind::kLE, ExprKind::kGT, ExprKind::kGE,
                                         ExprKind::kLT, ExprKind::kLE, ExprKind::kGE, ExprKind::kEQ};
    Expr limit = number(static_cast<int64_t>(choices.below(25)) - 8);
    ExprKind kind = choices.one_of(kinds);
    return choices.below(3) == 0 ? ir::binary(kind, limit, sum) : ir::binary(kind, sum, limit);
  }
  std::vector<Var> vars;
  std::vector<int64_t> low, high;
};

bool holds(const Expr& condition, const Point& point) { return Evaluation(point, true).of(condition) != 0; }

std::string where(const Point& point) {
  std::string text;
  for (const auto& [var, value] : point)
    text += fmt::format(" {} = {}", var->name.c_str(), static_cast<int64_t>(value));
  return text;
}

bool inside(const IntervalSet& set, Number value, const Point& point) {
  if (set->is_nothing()) return false;
  return (!set->has_lower() || value >= Evaluation(point, true).of(set->min_value)) &&
         (!set->has_upper() || value <= Evaluation(point, true).of(set->max_value));
}

std::string check_deduced(Choices& choices, Counts& counts) {
  Box box(choices);
  Expr condition = box.condition(choices, true);
  transform::Domains domains;
  for (size_t n = 1; n < box.vars.size(); ++n) domains[box.vars[n].get()] = interval(box.low[n], box.high[n]);
  IntervalSet set = transform::deduce_bound(box.vars[0], condition, domains, domains);
  counts.said["deduce_bound"].add(!set->is_nothing());
  if (set->is_nothing()) return {};
  for (Point point : box.points(0)) {
    for (int64_t value = -30; value <= 30; ++value) {
      point[box.vars[0].get()] = value;
      if (inside(set, value, point) && !holds(condition, point))
        return fmt::format("deduce_bound: `{}` of `{}` to `{}`, but it does not hold at{}",
                           text_of(condition), set->has_lower() ? text_of(set->min_value) : "-inf",
                           set->has_upper() ? text_of(set->max_value) : "inf", where(point));
    }
  }
  return {};
}

std::string check_ranges(Choices& choices, Counts& counts) {
  Box box(choices);
  std::vector<Expr> conditions;
  for (size_t count = 1 + choices.below(3); count > 0; --count)
    conditions.push_back(box.condition(choices, false));
  auto solved = transform::solve_to_ranges(box.vars, box.ranges(), conditions);
  counts.said["solve_to_ranges"].add(solved.has_value());
  if (!solved) return {};
  std::string text;
  for (const Expr& condition : conditions) text += " `" + text_of(condition) + "`";
  for (const LoopRange& range : *solved)
    text += fmt::format(", {} from `{}` for `{}`", range.var->name.c_str(), text_of(range.range->min),
                        text_of(range.range->extent));
  std::vector<Point> known = box.points(0);
  for (const Point& point : box.points(3)) {
    bool in_box = true, in_ranges = true;
    for (size_t n = 0; n < box.vars.size(); ++n) {
      Number value = point.at(box.vars[n].get());
      in_box = in_box && value >= box.low[n] && value <= box.high[n];
    }
    for (const LoopRange& range : *solved) {
      Number from = Evaluation(point, true).of(range.range->min), value = point.at(range.var.get());
      in_ranges =
          in_ranges && value >= from && value < from + Evaluation(point, true).of(range.range->extent);
    }
    bool met = in_box && std::all_of(conditions.begin(), conditions.end(),
                                     [&](const Expr& one) { return holds(one, point); });
    if (met != in_ranges) return fmt::format("solve_to_ranges:{}; not so at{}", text, where(point));
  }
  return {};
}

std::string check_region(Choices& choices, Counts& counts) {
  Box box(choices);
  static constexpr int64_t factors[] = {1, 1, 2, 3, 4, 8, -1};
  auto start = [&] {
    Expr sum = Expr(box.vars[choices.below(box.vars.size())]) * choices.one_of(factors);
    if (choices.below(2) == 0)
      sum = sum + Expr(box.vars[choices.below(box.vars.size())]) * choices.one_of(factors);
    if (choices.below(4) == 0)
      sum = choices.below(2) == 0 ? ir::floordiv(sum, number(2)) : ir::floormod(sum, number(4));
    return sum + static_cast<int64_t>(choices.below(4));
  };
  ir::Array<ir::Range> region;
  for (size_t n = 1 + choices.below(2); n > 0; --n)
    region.push_back(ir::make<ir::RangeNode>(start(), number(1 + static_cast<int64_t>(choices.below(4)))));
  Analyzer analyzer;
  std::vector<LoopRange> ranges = box.ranges();
  for (const LoopRange& range : ranges) analyzer.bind(range.var, range.range);
  auto sets = transform::sym::strict_bound(region, ranges, ir::bool_imm(true), analyzer);
  counts.said["strict_bound"].add(sets.has_value());
  std::set<std::vector<Number>> covered;
  std::vector<Number> from(region.size(), INT64_MAX), to(region.size(), INT64_MIN);
  for (const Point& point : box.points(0)) {
    std::vector<std::vector<Number>> cells{{}};
    for (size_t n = 0; n < region.size(); ++n) {
      const ir::Range& range = region[static_cast<int64_t>(n)];
      Number first = Evaluation(point, true).of(range->min), extent = *ir::const_int(range->extent);
      from[n] = std::min(from[n], first);
      to[n] = std::max(to[n], first + extent - 1);
      std::vector<std::vector<Number>> more;
      for (const auto& cell : cells) {
        for (Number value = first; value < first + extent; ++value) {
          more.push_back(cell);
          more.back().push_back(value);
        }
      }
      cells = std::move(more);
    }
    covered.insert(cells.begin(), cells.end());
  }
  if (!sets) return {};
  size_t cells = 1;
  for (size_t n = 0; n < region.size(); ++n) {
    Number low = Evaluation({}, true).of(analyzer.simplify((*sets)[n]->min_value));
    Number high = Evaluation({}, true).of(analyzer.simplify((*sets)[n]->max_value));
    if (low != from[n] || high != to[n])
      return fmt::format("strict_bound of `{}`: `{}` to `{}`", text_of(region[static_cast<int64_t>(n)]->min),
                         text_of((*sets)[n]->min_value), text_of((*sets)[n]->max_value));
    cells *= static_cast<size_t>(high - low + 1);
  }
  if (cells != covered.size())
    return fmt::format("strict_bound of `{}`: the box has holes", text_of(region[0]->min));
  return {};
}

std::string check_sets(Choices& choices, Counts& counts) {
  auto draw = [&] {
    if (choices.below(12) == 0) return transform::nothing();
    int64_t low = static_cast<int64_t>(choices.below(20)) - 10;
    Expr first = choices.below(6) == 0 ? Expr(transform::neg_inf()) : number(low);
    Expr last = choices.below(6) == 0 ? Expr(transform::pos_inf())
                                      : number(low + static_cast<int64_t>(choices.below(6)));
    return ir::make<transform::IntervalSetNode>(first, last);
  };
  IntervalSet a = draw(), b = draw();
  Analyzer analyzer;
  IntervalSet both = transform::meet(a, b, analyzer), either = transform::join(a, b);
  counts.said["meet and join"].add(!both->is_nothing());
  for (int64_t value = -30; value <= 30; ++value) {
    bool in_a = inside(a, value, {}), in_b = inside(b, value, {});
    if ((in_a && in_b) != inside(both, value, {}))
      return fmt::format("meet: {} is in one, but not in the other", value);
    if ((in_a || in_b) && !inside(either, value, {})) return fmt::format("join: {} is missing", value);
    // Beyond all ends the interval around both has nothing else.
    if (value < -20 && inside(either, value, {}) && !in_a && !in_b)
      return fmt::format("join: {} is in neither", value);
  }
  return {};
}

}  // namespace

std::string check_solved(Choices& choices, Counts& counts) {
  static constexpr std::pair<const char*, std::string (*)(Choices&, Counts&)> checks[] = {
      {"deduce_bound", check_deduced},
      {"solve_to_ranges", check_ranges},
      {"regions", check_region},
      {"sets", check_sets}};
  const auto& [name, check] = checks[choices.below(std::size(checks))];
  try {
    return check(choices, counts);
  } catch (const ir::Error& error) {
    return fmt::format("{}: an error: {}", name, error.what());
  }
}

}  // namespace mlc::fuzz
