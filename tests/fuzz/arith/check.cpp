// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/arith/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/print/print.h"
#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/simplify_value.h"
#include "transform/arith/split_sum_form.h"

namespace mlc::fuzz {

using ir::DataType;
using ir::Expr;
using ir::ExprKind;
using transform::Analyzer;
using transform::ConstIntBound;
using transform::IntervalSet;
using transform::ModularSet;
using transform::Ordering;
using transform::Rule;
using transform::same_expr;

namespace {

std::string decimal(Number value) {
  std::string text;
  bool negative = value < 0;
  do {
    int digit = static_cast<int>(value % 10);
    text.insert(text.begin(), static_cast<char>('0' + std::abs(digit)));
    value /= 10;
  } while (value != 0);
  return (negative ? "-" : "") + text;
}

std::string at(const Case& all, size_t i) {
  std::string text = "`" + text_of(all.e) + "`";
  if (all.assumption.defined()) text += " where `" + text_of(all.assumption) + "`";
  text += " at";
  for (const auto& [var, value] : all.points[i])
    text += fmt::format(" {} = {}", var->name.c_str(), decimal(value));
  return text + " is " + decimal(all.values[i]);
}

// Analyzers know the ranges and residues of the leaves.
void tell(Analyzer& analyzer, const std::vector<Leaf>& leaves) {
  for (const Leaf& leaf : leaves) {
    const auto* var = ir::as<ir::VarNode>(leaf.e);
    if (var == nullptr) continue;
    DataType dtype = var->dtype();
    if (leaf.ranged) {
      analyzer.bind(ir::ref(var), ir::make<ir::RangeNode>(
                                      Expr(ir::int_imm(dtype, static_cast<int64_t>(leaf.values[0]))),
                                      Expr(ir::int_imm(dtype, static_cast<int64_t>(leaf.values.size())))));
    }
    if (leaf.residues != ModularSet{}) analyzer.bind(ir::ref(var), leaf.residues);
  }
}

transform::Domains domains_of(const std::vector<Leaf>& leaves) {
  transform::Domains domains;
  for (const Leaf& leaf : leaves) {
    if (!leaf.relaxed) continue;
    DataType dtype = leaf.e->dtype();
    domains[ir::as<ir::VarNode>(leaf.e)] = ir::make<transform::IntervalSetNode>(
        Expr(ir::int_imm(dtype, static_cast<int64_t>(leaf.values.front()))),
        Expr(ir::int_imm(dtype, static_cast<int64_t>(leaf.values.back()))));
  }
  return domains;
}

}  // namespace

std::string text_of(const Expr& e) { return print::script(ir::Any(e)); }

Case evaluated(const Expr& e, const Expr& assumption, std::vector<Point> points, bool wraps, int lane) {
  Case all{e, assumption, {}, {}};
  for (Point& point : points) {
    Evaluation here(point, false, lane);
    Number value = here.of(e);
    if (here.undefined || (wraps ? here.index_overflows : here.overflows || here.truncates)) continue;
    all.points.push_back(std::move(point));
    all.values.push_back(value);
  }
  return all;
}

std::string wrong_bound(const Case& all, ConstIntBound bound) {
  for (size_t i = 0; i < all.values.size(); ++i) {
    bool above = bound.min == ConstIntBound::kNegInf || all.values[i] >= bound.min;
    bool below = bound.max == ConstIntBound::kPosInf || all.values[i] <= bound.max;
    if (!above || !below)
      return fmt::format("const_int_bound: {} to {}, but {}", bound.min, bound.max, at(all, i));
  }
  return {};
}

std::string wrong_residue(const Case& all, ModularSet set) {
  for (size_t i = 0; i < all.values.size(); ++i) {
    Number rest = all.values[i] - set.base;
    if (set.coeff == 0 ? rest != 0 : rest % set.coeff != 0)
      return fmt::format("modular_set: {} n + {}, but {}", set.coeff, set.base, at(all, i));
  }
  return {};
}

std::string wrong_set(const Case& all, const IntervalSet& set, const std::vector<Leaf>& leaves) {
  // The ends speak of variables that are not relaxed.
  auto end = [&](const Expr& e, const Point& point, bool& known) -> Number {
    bool free = !transform::uses_var(e, [&](const ir::VarNode* var) {
      return std::any_of(leaves.begin(), leaves.end(),
                         [&](const Leaf& leaf) { return leaf.relaxed && leaf.key() == var; });
    });
    if (!free) return known = false, 0;
    Evaluation here(point, true);
    Number value = here.of(e);
    known = !here.undefined && !here.truncates;
    return value;
  };
  for (size_t i = 0; i < all.values.size(); ++i) {
    bool known = true, inside = !set->is_nothing();
    if (set->has_lower() && !(all.values[i] >= end(set->min_value, all.points[i], known)) && known)
      inside = false;
    if (set->has_upper() && !(all.values[i] <= end(set->max_value, all.points[i], known)) && known)
      inside = false;
    if (inside) continue;
    std::string low = set->has_lower() ? text_of(set->min_value) : "-inf",
                high = set->has_upper() ? text_of(set->max_value) : "inf";
    return fmt::format("int_set: `{}` to `{}`, but {}", low, high, at(all, i));
  }
  return {};
}

std::string wrong_value(const Case& all, const Expr& simple, bool wraps, int lane) {
  for (size_t i = 0; i < all.values.size(); ++i) {
    Evaluation here(all.points[i], !wraps, lane);
    Number value = here.of(simple);
    if (here.undefined) return fmt::format("`{}` is undefined, but {}", text_of(simple), at(all, i));
    if (value != all.values[i])
      return fmt::format("`{}` is {}, but {}", text_of(simple), decimal(value), at(all, i));
    if (wraps || !here.misfits) continue;  // a constant wraps, too
    Evaluation before(all.points[i], !wraps, lane);
    before.of(all.e);
    if (!before.misfits)
      return fmt::format("`{}` has a constant that its type has not: {}", text_of(simple), at(all, i));
  }
  return {};
}

std::string wrong_ordering(const Case& all, const Case& other, Ordering order) {
  for (size_t i = 0; i < all.values.size(); ++i) {
    Number a = all.values[i], b = other.values[i];
    bool holds = order == Ordering::kUnknown || (order == Ordering::kLess && a < b) ||
                 (order == Ordering::kLessEqual && a <= b) || (order == Ordering::kEqual && a == b) ||
                 (order == Ordering::kGreaterEqual && a >= b) || (order == Ordering::kGreater && a > b) ||
                 (order == Ordering::kNotEqual && a != b);
    if (!holds)
      return fmt::format("compare says {}, but {} and {}", static_cast<int>(order), at(all, i), at(other, i));
  }
  return {};
}

std::string wrong_proof(const Case& all, bool proved) {
  for (size_t i = 0; proved && i < all.values.size(); ++i) {
    if (all.values[i] == 0) return "can_prove: " + at(all, i);
  }
  return {};
}

std::string wrong_calls(const Expr& e, const Expr& simple, const std::vector<Point>& points, bool wraps,
                        size_t* compared) {
  for (const Point& point : points) {
    std::vector<Number> before, after;
    Evaluation here(point, false), there(point, false);
    here.calls = &before;
    there.calls = &after;
    Number value = here.of(e);
    if (here.undefined || (wraps ? here.index_overflows : here.overflows || here.truncates)) continue;
    if (compared && !before.empty()) ++*compared;
    if (there.of(simple) != value || there.undefined || before != after)
      return fmt::format("`{}` becomes `{}`, which makes other calls or has another value", text_of(e),
                         text_of(simple));
  }
  return {};
}

namespace {

// The bounds of an expression are asked for one more than they allow.
std::string wrong_limits(const Case& all, Analyzer& analyzer, Counts& counts) {
  if (all.values.empty()) return {};
  auto [least, greatest] = std::minmax_element(all.values.begin(), all.values.end());
  DataType dtype = all.e->dtype();
  if (*greatest >= INT64_MAX - 1 || *least <= INT64_MIN + 1) return {};
  int64_t low = static_cast<int64_t>(*least), high = static_cast<int64_t>(*greatest);
  counts.said["can_prove, of a limit that is met"].add(analyzer.can_prove_ge(all.e, low) ||
                                                       analyzer.can_prove_lt(all.e, high + 1));
  if (analyzer.can_prove_ge(all.e, low + 1))
    return "can_prove_ge of one more, but " + at(all, static_cast<size_t>(least - all.values.begin()));
  if (analyzer.can_prove_lt(all.e, high))
    return "can_prove_lt of one less, but " + at(all, static_cast<size_t>(greatest - all.values.begin()));
  if (low - 1 < fuzz::least(dtype) || high + 1 > fuzz::greatest(dtype)) return {};
  using ir::binary;
  const std::pair<Expr, Number> wrong[] = {
      {binary(ExprKind::kGT, all.e, ir::int_imm(dtype, low)), low},
      {binary(ExprKind::kLT, ir::int_imm(dtype, low), all.e), low},
      {binary(ExprKind::kLT, all.e, ir::int_imm(dtype, high)), high},
      {binary(ExprKind::kLE, all.e, ir::int_imm(dtype, high - 1)), high},
      {binary(ExprKind::kNE, all.e, ir::int_imm(dtype, high)), high},
  };
  for (const auto& [condition, value] : wrong) {
    if (!analyzer.can_prove(condition)) continue;
    size_t i =
        static_cast<size_t>(std::find(all.values.begin(), all.values.end(), value) - all.values.begin());
    return fmt::format("can_prove: `{}`, but {}", text_of(condition), at(all, i));
  }
  return {};
}

std::string simplified(const Case& all, Analyzer& analyzer, Counts& counts) {
  const std::pair<const char*, std::function<Expr(const Expr&)>> ways[] = {
      {"simplify", [&](const Expr& e) { return analyzer.simplify(e); }},
      {"rewrite_simplify", [&](const Expr& e) { return analyzer.rewrite_simplify(e); }},
      {"canonical_simplify", [&](const Expr& e) { return analyzer.canonical_simplify(e); }},
      {"split_sum_form",
       [&](const Expr& e) { return e->dtype().is_bool() ? e : split_sum_form(e, analyzer); }},
  };
  for (const auto& [name, way] : ways) {
    Expr simple = way(all.e);
    counts.said[name].add(!same_expr(simple, all.e));
    counts.compared += all.values.size();
    if (simple->dtype() != all.e->dtype())
      return fmt::format("{}: `{}` has another type than `{}`", name, text_of(simple), text_of(all.e));
    if (std::string wrong = wrong_value(all, simple, false); !wrong.empty())
      return fmt::format("{}: {}", name, wrong);
    if (name == std::string_view("simplify")) {
      Expr settled = way(simple);
      counts.said["simplify, of what is simple"].add(same_expr(settled, simple));
      if (std::string wrong = wrong_value(all, settled, false); !wrong.empty())
        return fmt::format("{} twice: {}", name, wrong);
    }
  }
  return {};
}

}  // namespace

// What `check` finds; an error of what is checked is a failure, too.
static std::string guarded(const Expr& e, const Expr& assumption, const std::function<std::string()>& check) {
  try {
    return check();
  } catch (const ir::Error& error) {
    return fmt::format("{}: `{}` where `{}`", error.what(), text_of(e),
                       assumption.defined() ? text_of(assumption) : "");
  }
}

std::string check_indices(Choices& choices, Counts& counts) {
  Drawing draw(choices);
  draw.draw_indices();
  bool condition = choices.below(3) == 0;
  Expr e = condition ? draw.condition(1 + choices.below(3))
                     : draw.integer(1 + choices.below(4), draw.index_type());
  Expr assumption = choices.below(3) == 0 ? draw.condition(1 + choices.below(2)) : Expr();
  Case all = evaluated(e, assumption, draw.points(assumption, 250), false);
  counts.said["points, in cases of indices"].add(!all.values.empty());
  if (all.values.empty()) return {};

  return guarded(e, assumption, [&]() -> std::string {
    Analyzer analyzer;
    tell(analyzer, draw.leaves);
    if (choices.below(4) == 0) analyzer.enable(static_cast<int64_t>(choices.below(8)));
    std::vector<Analyzer::Assumption> in_force;
    if (assumption.defined()) in_force.push_back(analyzer.assume(assumption));
    std::string wrong = simplified(all, analyzer, counts);
    if (!wrong.empty()) return wrong;
    if (condition) {
      bool proved = analyzer.can_prove(e);
      counts.said["can_prove"].add(proved);
      return wrong_proof(all, proved);
    }
    ConstIntBound bound = analyzer.const_int_bound(e);
    auto [least, greatest] = std::minmax_element(all.values.begin(), all.values.end());
    counts.said["const_int_bound, tight"].add(bound.min == *least && bound.max == *greatest);
    ModularSet residues = analyzer.modular_set(e);
    counts.said["modular_set"].add(residues.coeff != 1);
    wrong = wrong_bound(all, bound);
    if (wrong.empty()) wrong = wrong_residue(all, residues);
    if (wrong.empty()) wrong = wrong_limits(all, analyzer, counts);
    if (wrong.empty()) {
      transform::Domains domains = domains_of(draw.leaves);
      // Division of a set by zero is refused.
      try {
        IntervalSet set = transform::interval_of(e, domains, analyzer);
        counts.said["int_set, with an end"].add(set->has_lower() || set->has_upper());
        wrong = wrong_set(all, set, draw.leaves);
      } catch (const ir::Error& error) {
        if (std::string_view(error.what()).find("zero") == std::string_view::npos) throw;
      }
    }
    if (!wrong.empty()) return wrong;
    Expr other = draw.integer(1 + choices.below(2), e->dtype());
    Case others = evaluated(other, assumption, all.points, false);
    Case both = evaluated(e, assumption, others.points, false);
    Ordering order = analyzer.compare(e, other);
    counts.said["compare"].add(order != Ordering::kUnknown);
    wrong = wrong_ordering(both, others, order);
    if (wrong.empty() && !both.values.empty() && analyzer.can_prove_equal(e, other))
      wrong = wrong_ordering(both, others, Ordering::kEqual);
    return wrong;
  });
}

std::string check_values(Choices& choices, Counts& counts) {
  Drawing draw(choices);
  draw.draw_loads();
  DataType dtype = draw.leaves[choices.below(3)].e->dtype();
  Expr e = choices.below(3) == 0 ? draw.integer(1 + choices.below(3), dtype)
                                 : draw.condition(1 + choices.below(3));
  Case all = evaluated(e, Expr(), draw.points(Expr(), 400), true);
  counts.said["points, in cases of values"].add(!all.values.empty());
  if (all.values.empty()) return {};  // a division by zero everywhere is refused
  return guarded(e, Expr(), [&] {
    Analyzer analyzer;
    tell(analyzer, draw.leaves);
    Expr simple = simplify_value(e, analyzer);
    counts.said["simplify_value"].add(!same_expr(simple, e));
    counts.compared += all.values.size();
    std::string wrong = wrong_value(all, simple, true);
    return wrong.empty() ? wrong : "simplify_value: " + wrong;
  });
}

std::string check_calls(Choices& choices, Counts& counts) {
  Drawing draw(choices);
  bool values = choices.below(3) == 0;
  values ? draw.draw_loads() : draw.draw_indices();
  draw.calls = true;
  Expr e = choices.below(3) == 0
               ? draw.condition(1 + choices.below(3))
               : draw.integer(1 + choices.below(3), values ? draw.leaves[0].e->dtype() : draw.index_type());
  std::vector<Point> points = draw.points(Expr(), 40);
  size_t called = 0;
  wrong_calls(e, e, points, values, &called);
  if (called == 0) return {};  // a division by zero everywhere is refused
  return guarded(e, Expr(), [&] {
    Analyzer analyzer;
    tell(analyzer, draw.leaves);
    const std::function<Expr()> ways[] = {
        [&] { return analyzer.simplify(e); }, [&] { return analyzer.rewrite_simplify(e); },
        [&] { return analyzer.canonical_simplify(e); }, [&] { return simplify_value(e, analyzer); }};
    Expr simple = ways[values ? 3 : choices.below(3)]();
    size_t compared = 0;
    std::string wrong = wrong_calls(e, simple, points, values, &compared);
    counts.compared += compared;
    counts.said["simplify, of calls"].add(!same_expr(simple, e));
    if (wrong.empty() && analyzer.can_prove_equal(e, e)) wrong = "can_prove_equal: " + text_of(e);
    return wrong;
  });
}

// A vector has a value where all of its lanes have one.
static std::vector<Point> defined_in_all_lanes(const Expr& e, std::vector<Point> points, bool wraps,
                                               int lanes) {
  for (int lane = 0; lane < lanes; ++lane)
    points = evaluated(e, Expr(), std::move(points), wraps, lane).points;
  return points;
}

std::string check_rule(Choices& choices, Counts& counts) {
  static const std::vector<std::pair<transform::Table, const Rule*>> rules = [] {
    std::vector<std::pair<transform::Table, const Rule*>> all;
    for (transform::Table table : transform::kTables) {
      for (const Rule& rule : table()) all.emplace_back(table, &rule);
    }
    return all;
  }();
  const auto& [table, chosen] = rules[choices.below(rules.size())];
  const Rule& rule = *chosen;
  bool any_type = table == transform::add_rules_of_any_type || table == transform::sub_rules_of_any_type ||
                  table == transform::min_rules_of_any_type || table == transform::max_rules_of_any_type ||
                  table == transform::sub_rules_of_floats;
  Drawing draw(choices);
  DataType dtype = draw.index_type();
  if (any_type && choices.below(2) == 0) {
    draw.draw_loads();
    dtype = draw.leaves[0].e->dtype();
  } else {
    draw.draw_indices();
  }
  Expr e = draw.instance(rule, dtype);
  if (!e.defined()) return {};
  bool wraps = any_type && draw.leaves[0].e->kind == ExprKind::kTensorLoad;
  int lanes = e->dtype().is_scalar() ? 1 : Drawing::kLanes;
  std::vector<Point> points = defined_in_all_lanes(e, draw.points(Expr(), 120), wraps, lanes);
  if (points.empty()) return {};
  return guarded(e, Expr(), [&]() -> std::string {
    Analyzer analyzer;
    tell(analyzer, draw.leaves);
    counts.fired.try_emplace(&rule, 0);
    bool wraps = any_type && draw.leaves[0].e->kind == ExprKind::kTensorLoad;
    int lanes = e->dtype().is_scalar() ? 1 : Drawing::kLanes;
    bool go_on = false;
    Expr next = transform::RuleSet({&rule, 1}, any_type).apply(e, analyzer.parts(), go_on);
    counts.said["rule"].add(next.defined());
    for (int lane = 0; lane < lanes; ++lane) {
      Case all = evaluated(e, Expr(), points, wraps, lane);
      counts.compared += all.values.size();
      if (next.defined()) {
        counts.fired[&rule] += !all.values.empty();
        std::string wrong = wrong_value(all, next, wraps, lane);
        if (!wrong.empty()) return fmt::format("rule `{}` => `{}`: {}", rule.pattern, rule.result, wrong);
      }
      if (wraps) continue;
      std::string wrong = wrong_value(all, analyzer.simplify(e), wraps, lane);
      if (!wrong.empty()) return fmt::format("simplify, of the pattern `{}`: {}", rule.pattern, wrong);
    }
    return {};
  });
}

std::string check_vector(Choices& choices, Counts& counts) {
  Drawing draw(choices);
  draw.draw_indices();
  Expr e = draw.vector(1 + choices.below(3), draw.index_type());
  std::vector<Point> points = defined_in_all_lanes(e, draw.points(Expr(), 100), false, Drawing::kLanes);
  if (points.empty()) return {};
  return guarded(e, Expr(), [&]() -> std::string {
    Analyzer analyzer;
    tell(analyzer, draw.leaves);
    Expr simple = analyzer.simplify(e);
    counts.said["simplify, of vectors"].add(!same_expr(simple, e));
    ConstIntBound bound = analyzer.const_int_bound(e);
    IntervalSet set = nullptr;
    try {
      set = transform::interval_of(e, domains_of(draw.leaves), analyzer);
    } catch (const ir::Error& error) {
      if (std::string_view(error.what()).find("zero") == std::string_view::npos) throw;
    }
    for (int lane = 0; lane < Drawing::kLanes; ++lane) {
      Case all = evaluated(e, Expr(), points, false, lane);
      counts.compared += all.values.size();
      std::string wrong = wrong_value(all, simple, false, lane);
      if (wrong.empty()) wrong = wrong_bound(all, bound);
      if (wrong.empty() && set.defined()) wrong = wrong_set(all, set, draw.leaves);
      if (!wrong.empty()) return "vector: " + wrong;
    }
    return {};
  });
}

}  // namespace mlc::fuzz
