// SPDX-License-Identifier: Apache-2.0
// Maps of iterators against their tables of values.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/index_map.h"
#include "tests/fuzz/arith/check.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/index_map.h"
#include "transform/arith/iter_map.h"

namespace mlc::fuzz {

using ir::Array;
using ir::DataType;
using ir::Expr;
using ir::Var;
using transform::Analyzer;
using transform::IterMapCheck;
using transform::IterMapResult;
using transform::LoopRange;
using transform::same_expr;

namespace {

using Tuple = std::vector<Number>;

Expr number(int64_t value) { return ir::int_imm(DataType::Int(32), value); }

class Loops {
 public:
  explicit Loops(Choices& choices) : choices_(choices) {
    static constexpr int64_t extents[] = {1, 2, 3, 4, 4, 6, 7, 8, 8, 12, 16};
    static constexpr const char* names[] = {"i", "j", "k"};
    size_t count = 1 + choices.below(3);
    bool shifted = choices.below(6) == 0;
    for (size_t n = 0; n < count; ++n) {
      Var var = ir::make_var(names[n], DataType::Int(32));
      int64_t min = shifted ? static_cast<int64_t>(choices.below(7)) - 3 : 0,
              extent = choices.one_of(extents);
      loops.push_back({var, ir::make<ir::RangeNode>(number(min), number(extent))});
      mins.push_back(min);
      this->extents.push_back(extent);
      fused = fused.defined() ? fused * extent + (Expr(var) - min) : Expr(var) - min;
      total *= extent;
    }
    if (choices.below(4) == 0) {
      predicate = ir::lt(fused, number(std::max<int64_t>(1, total - static_cast<int64_t>(choices.below(7)))));
      if (choices.below(3) == 0)
        predicate = ir::logical_and(
            predicate, ir::lt(loops[0].var, number(std::max<int64_t>(1, extents_of(0) - 1) + mins[0])));
    }
    for (int64_t at = 0; at < total; ++at) {
      int64_t rest = at;
      Point point;
      for (size_t n = 0; n < count; ++n) {
        point[loops[n].var.get()] = mins[n] + rest % extents_of(n);
        rest /= extents_of(n);
      }
      if (Evaluation(point, true).of(predicate) != 0) points.push_back(std::move(point));
    }
  }

  Expr index(size_t depth) {
    static constexpr int64_t factors[] = {2, 2, 3, 4, 4, 5, 6, 8, 16};
    if (depth == 0) return any_var();
    Expr inner = choices_.below(3) == 0 ? fused : index(depth - 1);
    switch (choices_.below(7)) {
      case 0:
      case 1:
        return ir::floordiv(inner, number(choices_.one_of(factors)));
      case 2:
      case 3:
        return ir::floormod(inner, number(choices_.one_of(factors)));
      case 4:
      case 5:
        return inner * choices_.one_of(factors) + any_var();
      default:
        return choices_.below(2) == 0 ? inner + static_cast<int64_t>(choices_.below(5)) : number(15) - inner;
    }
  }

  Array<Expr> indices() {
    static constexpr int64_t factors[] = {1, 2, 3, 4, 8};
    int64_t outer = choices_.one_of(factors), inner = choices_.one_of(factors);
    switch (choices_.below(4)) {
      case 0: {
        Array<Expr> all{ir::floordiv(fused, number(outer * inner)),
                        ir::floordiv(ir::floormod(fused, number(outer * inner)), number(inner)),
                        ir::floormod(fused, number(inner))};
        if (choices_.below(3) == 0) all.pop_back();
        if (choices_.below(4) == 0) all.Set(0, all[0] + static_cast<int64_t>(choices_.below(5)));
        return all;
      }
      case 1: {
        Array<Expr> all;
        for (const LoopRange& loop : loops) {
          if (choices_.below(2) == 0) {
            all.push_back(ir::floordiv(loop.var, number(inner)));
            all.push_back(ir::floormod(loop.var, number(inner)));
          } else {
            all.insert(all.begin(), loop.var);
          }
        }
        return all;
      }
      default: {
        Array<Expr> all;
        for (size_t count = 1 + choices_.below(3); count > 0; --count)
          all.push_back(index(1 + choices_.below(3)));
        return all;
      }
    }
  }

  std::vector<LoopRange> loops;
  std::vector<int64_t> mins, extents;
  Expr fused, predicate = ir::bool_imm(true);
  int64_t total = 1;
  std::vector<Point> points;  // where the predicate holds

 private:
  int64_t extents_of(size_t n) const { return extents[n]; }
  Expr any_var() { return loops[choices_.below(loops.size())].var; }
  Choices& choices_;
};

std::string listed(const Array<Expr>& all) {
  std::string text;
  for (const Expr& e : all) text += (text.empty() ? "" : ", ") + text_of(e);
  return "[" + text + "]";
}

}  // namespace

static Tuple tuple_at(const Array<Expr>& indices, const Point& point) {
  Tuple all;
  for (const Expr& index : indices) {
    Evaluation here(point, true);
    all.push_back(here.of(index));
    if (here.undefined) all.push_back(0);  // of another length than any
  }
  return all;
}

std::string wrong_map(const Array<Expr>& indices, const Array<Expr>& others,
                      const std::vector<Point>& points) {
  for (const Point& point : points) {
    if (tuple_at(indices, point) == tuple_at(others, point)) continue;
    std::string where;
    for (const auto& [var, value] : point)
      where += fmt::format(" {} = {}", var->name.c_str(), static_cast<int64_t>(value));
    return fmt::format("{} becomes {}, another value at{}", listed(indices), listed(others), where);
  }
  return {};
}

std::string wrong_count(const Array<Expr>& indices, const std::vector<Point>& points, size_t all,
                        bool bijective) {
  std::set<Tuple> taken;
  for (const Point& point : points) taken.insert(tuple_at(indices, point));
  if (taken.size() != all)
    return fmt::format("{} takes {} values, not {}", listed(indices), taken.size(), all);
  if (bijective && taken.size() != points.size())
    return fmt::format("{} takes a value twice", listed(indices));
  return {};
}

std::string wrong_inverse(const Array<Expr>& indices, const Array<Var>& outputs, const Array<Expr>& inverse,
                          const Array<Expr>& iters, const std::vector<Point>& points) {
  for (const Point& point : points) {
    Tuple values = tuple_at(indices, point);
    Point back;
    for (size_t i = 0; i < values.size(); ++i) back[outputs[static_cast<int64_t>(i)].get()] = values[i];
    if (tuple_at(inverse, back) != tuple_at(iters, point))
      return fmt::format("the inverse of {} is no {}", listed(indices), listed(inverse));
  }
  return {};
}

namespace {

std::string check_divided(const Loops& all, const Array<Expr>& indices, Counts& counts, Choices& choices) {
  std::unordered_set<const ir::VarNode*> inner;
  for (size_t n = 1 + choices.below(all.loops.size()); n-- > 0;)
    inner.insert(all.loops[all.loops.size() - 1 - n].var.get());
  Analyzer analyzer;
  for (const LoopRange& loop : all.loops) analyzer.bind(loop.var, loop.range);
  IterMapCheck check = choices.below(2) == 0 ? IterMapCheck::kSurjective : IterMapCheck::kBijective;
  auto divided = transform::divide_subspace(indices, all.loops, inner, all.predicate, check, analyzer);
  counts.said["divide_subspace"].add(divided.has_value());
  if (!divided) return {};
  Array<Expr> again;
  for (const transform::IndexDivision& one : divided->indices) {
    again.push_back(one.outer * one.inner_extent + one.inner + one.inner_base);
    bool mixed =
        transform::uses_var(one.outer, [&](const ir::VarNode* var) { return inner.contains(var); }) ||
        transform::uses_var(one.inner, [&](const ir::VarNode* var) { return !inner.contains(var); });
    if (mixed)
      return fmt::format("subspace of {}: `{}` and `{}` are not apart", listed(indices), text_of(one.outer),
                         text_of(one.inner));
    for (const Point& point : all.points) {
      Number value = Evaluation(point, true).of(one.inner), outer = Evaluation(point, true).of(one.outer);
      if (value < 0 || value >= Evaluation(point, true).of(one.inner_extent) || outer < 0 ||
          outer >= Evaluation(point, true).of(one.outer_extent))
        return fmt::format("subspace of {}: `{}` or `{}` is out of its extent", listed(indices),
                           text_of(one.inner), text_of(one.outer));
    }
  }
  std::string wrong = wrong_map(indices, again, all.points);
  return wrong.empty() ? wrong : "subspace: " + wrong;
}

std::string check_index_map(const Loops& all, const Array<Expr>& indices, Counts& counts) {
  Array<Var> vars;
  Array<Expr> iters;
  std::vector<ir::Range> box;
  for (const LoopRange& loop : all.loops) {
    vars.push_back(loop.var);
    iters.push_back(loop.var);
    box.push_back(loop.range);
  }
  if (all.predicate->kind != ir::ExprKind::kIntImm) return {};
  auto map = ir::make<ir::IndexMapNode>(vars, indices);
  for (bool padded : {false, true}) {
    Analyzer analyzer;
    transform::PaddedInverse found;
    bool refused = false;
    try {
      if (padded)
        found = transform::non_surjective_inverse(map, box, analyzer);
      else
        found.map = transform::inverse(map, box, analyzer);
    } catch (const ir::Error&) {
      refused = true;
    }
    counts.said[padded ? "non_surjective_inverse" : "inverse of an index map"].add(!refused);
    if (refused) continue;
    std::string wrong =
        wrong_inverse(indices, found.map->initial_indices, found.map->final_indices, iters, all.points);
    if (!wrong.empty()) return wrong;
    if (!padded) {
      wrong = wrong_count(indices, all.points, all.points.size(), true);
      if (!wrong.empty()) return "inverse: " + wrong;
      continue;
    }
    // What the iterators reach is no padding.
    for (const Point& point : all.points) {
      Tuple values = tuple_at(indices, point);
      Point back;
      for (size_t i = 0; i < values.size(); ++i)
        back[found.map->initial_indices[static_cast<int64_t>(i)].get()] = values[i];
      if (Evaluation(back, true).of(found.padding) != 0)
        return fmt::format("`{}` calls an element of {} padding", text_of(found.padding), listed(indices));
    }
  }
  return {};
}

}  // namespace

static std::string check_map(const Loops& all, const Array<Expr>& indices, Choices& choices, Counts& counts) {
  Analyzer analyzer;
  for (const LoopRange& loop : all.loops) analyzer.bind(loop.var, loop.range);
  counts.compared += all.points.size();
  bool predicated = all.predicate->kind != ir::ExprKind::kIntImm;
  for (IterMapCheck check : {IterMapCheck::kNone, IterMapCheck::kSurjective, IterMapCheck::kBijective}) {
    Array<Expr> simple = transform::simplify_iter_map(indices, all.loops, all.predicate, check, analyzer);
    std::string wrong = wrong_map(indices, simple, all.points);
    if (!wrong.empty()) return "iter_map_simplify: " + wrong;
    bool changed = false;
    for (size_t i = 0; i < indices.size(); ++i)
      changed |= !same_expr(simple[static_cast<int64_t>(i)], indices[static_cast<int64_t>(i)]);
    counts.said["iter_map_simplify"].add(changed);
    IterMapResult found =
        transform::detect_iter_map(indices, all.loops, all.predicate, check, analyzer, choices.below(4) != 0);
    counts.said[fmt::format("detect_iter_map, check {}", static_cast<int>(check))].add(
        !found.indices.empty());
    if (found.indices.empty() || found.reordered) continue;
    Array<Expr> sums;
    size_t values = 1;
    for (const transform::IterSum& sum : found.indices) {
      sums.push_back(transform::iter_map_to_expr(sum, analyzer));
      for (const transform::IterSplit& split : sum->args)
        values *= static_cast<size_t>(ir::const_int(split->extent).value_or(0));
    }
    wrong = wrong_map(indices, sums, all.points);
    bool counts_up =
        std::all_of(found.indices.begin(), found.indices.end(), [](const transform::IterSum& sum) {
          return std::all_of(sum->args.begin(), sum->args.end(), [](const transform::IterSplit& split) {
            return ir::const_int(split->extent).value_or(1) > 0;
          });
        });
    if (wrong.empty() && check != IterMapCheck::kNone && found.exact && !predicated && counts_up)
      wrong = wrong_count(indices, all.points, values, check == IterMapCheck::kBijective);
    if (!wrong.empty()) return "detect_iter_map: " + wrong;
  }
  Array<Var> outputs;
  for (size_t i = 0; i < indices.size(); ++i)
    outputs.push_back(ir::make_var(fmt::format("o{}", i), DataType::Int(32)));
  Array<Expr> iters;
  for (const LoopRange& loop : all.loops) iters.push_back(loop.var);
  auto inverse = transform::invert_iter_map(indices, all.loops, outputs, analyzer);
  counts.said["inverse of an iter map"].add(inverse.has_value());
  if (inverse) {
    std::string wrong = wrong_inverse(indices, outputs, *inverse, iters, all.points);
    if (!wrong.empty()) return "invert_iter_map: " + wrong;
  }
  if (auto extents = transform::iter_map_extents(indices, all.loops, analyzer); extents && !predicated) {
    for (size_t i = 0; i < indices.size(); ++i) {
      Number most = 0;
      for (const Point& point : all.points)
        most = std::max(most, Evaluation(point, true).of(indices[static_cast<int64_t>(i)]) + 1);
      auto extent = ir::const_int((*extents)[i]);
      if (!extent || *extent < most)
        return fmt::format("iter_map_extents of {}: `{}`", listed(indices), text_of((*extents)[i]));
    }
  }
  std::string wrong =
      wrong_map({indices[0]},
                {transform::iter_map_to_expr(
                    transform::normalize_to_iter_sum(indices[0], all.loops, analyzer), analyzer)},
                all.points);
  if (!wrong.empty()) return "normalize_to_iter_sum: " + wrong;
  wrong = check_divided(all, indices, counts, choices);
  return wrong.empty() ? check_index_map(all, indices, counts) : wrong;
}

std::string check_iter_map(Choices& choices, Counts& counts) {
  Loops all(choices);
  Array<Expr> indices = all.indices();
  try {
    return check_map(all, indices, choices, counts);
  } catch (const ir::Error& error) {
    std::string text =
        fmt::format("{} where `{}`: an error: {}", listed(indices), text_of(all.predicate), error.what());
    for (const LoopRange& loop : all.loops)
      text += fmt::format(", {} from {} for {}", loop.var->name.c_str(), text_of(loop.range->min),
                          text_of(loop.range->extent));
    return text;
  }
}

}  // namespace mlc::fuzz
