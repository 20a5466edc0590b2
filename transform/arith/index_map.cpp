// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/index_map.h"

#include <map>
#include <numeric>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/arith/iter_map.h"
#include "transform/pass/regions.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "index-map-not-affine",
         .message = "the extent of an index of the map cannot be told",
         .help = "an index is a sum of digits of the indices: `i // 4`, `i % 4`, `i * 16 + j`"},
        {.name = "index-map-not-bijective",
         .kind = "ValueError",
         .message = "the map is not one to one on this box, so it has no inverse",
         .meaning = "A change of layout moves every element to a place of its own.",
         .wrong = R"(sch.transform_layout("double", ("write", 0), lambda i, j: (i // 4, j)))",
         .right = R"(sch.transform_layout("double", ("write", 0), lambda i, j: (j, i)))"},
    }};
MLC_REFUSALS(arith_index_map, refusals);

namespace {

std::vector<LoopRange> iters_of(const IndexMap& map, const std::vector<Range>& box) {
  if (box.size() != map->initial_indices.size()) {
    throw Error("wrong-arguments", "the map takes {} ind{}, the shape has {} dimension{}",
                map->initial_indices.size(), map->initial_indices.size() == 1 ? "ex" : "ices", box.size(),
                box.size() == 1 ? "" : "s")
        .kind(kRefusedValue);
  }
  std::vector<LoopRange> iters;
  for (size_t i = 0; i < box.size(); ++i) {
    const Var& var = map->initial_indices[static_cast<int64_t>(i)];
    iters.push_back(
        {var, make<RangeNode>(cast(var->dtype(), box[i]->min), cast(var->dtype(), box[i]->extent))});
  }
  return iters;
}

// One more than the largest value of an index over the box.
Expr extent_of(const Expr& index, const std::vector<LoopRange>& iters, Analyzer& analyzer) {
  Domain domain;
  bool symbolic = false;
  for (const LoopRange& iter : iters) {
    domain[iter.var.get()] = {iter.range->min, analyzer.simplify(iter.range->min + iter.range->extent - 1)};
    symbolic = symbolic || (!const_int(iter.range->extent) &&
                            uses_var(index, [&](const VarNode* var) { return var == iter.var.get(); }));
  }
  ConstIntBound bound = analyzer.const_int_bound(index);
  if (!symbolic && bound.min == 0 && bound.max != ConstIntBound::kPosInf)
    return int_imm(index->dtype(), bound.max + 1);
  if (Interval all = interval_of(index, domain, analyzer);
      symbolic && all && is_const_int(analyzer.simplify(all.min), 0))
    return analyzer.simplify(all.max + 1);
  // x // c and x % c of an index of unknown extent, which begins at 0 in every shape.
  if (auto* two = as_binary(index)) {
    for (const LoopRange& iter : iters) {
      if (two->a.get() != iter.var.get()) continue;
      if (index->kind == ExprKind::kFloorDiv)
        return analyzer.simplify(floordiv(iter.range->extent + two->b - 1, two->b));
      if (index->kind == ExprKind::kFloorMod) return two->b;
    }
  }
  throw refuse(refusals["index-map-not-affine"]);
}

std::optional<Expr> extent_of(const IterSum& sum, Analyzer& analyzer) {
  if (!is_const_int(sum->base, 0)) return std::nullopt;
  if (sum->args.empty()) return const_like(sum->base, 1);
  return analyzer.simplify(mul(sum->args[0]->extent, sum->args[0]->scale));
}

// What the digits of padded iterators run over; nullopt where some index is no sum of them.
std::optional<std::vector<Expr>> padded_extents(const IndexMap& map, const std::vector<LoopRange>& iters,
                                                Analyzer& analyzer) {
  IterMapResult found =
      detect_iter_map(map->final_indices, iters, bool_imm(true), IterMapCheck::kNone, analyzer, false);
  if (!found.errors.empty()) return std::nullopt;
  std::vector<Expr> extents;
  for (const IterSum& sum : found.indices) {
    auto extent = extent_of(sum, analyzer);
    if (!extent) return std::nullopt;
    // The number of periods in what is padded at its end is rounded up, as TVM writes it: that it is a
    // multiple shows in `n - n % -4` only.
    Expr rounded = rewrite_with(*extent, [&](const Expr& e, Rewriter& on) -> Expr {
      auto* quotient = as<FloorDivNode>(e);
      auto period = quotient ? const_int(quotient->b) : std::nullopt;
      if (!period || *period <= 1) return on.rewrite_children(e);
      bool padded = false;
      post_order(quotient->a, [&](const Expr& part) {
        auto* rest = as<FloorModNode>(part);
        padded = padded || (rest && is_const_int(rest->b, *period));
      });
      if (!padded) return on.rewrite_children(e);
      return analyzer.simplify(floordiv(add(quotient->a, const_like(e, *period - 1)), quotient->b));
    });
    extents.push_back(analyzer.simplify(rounded));
  }
  return extents;
}

std::vector<Expr> mapped_extents(const IndexMap& map, const std::vector<LoopRange>& iters,
                                 Analyzer& analyzer) {
  for (const LoopRange& iter : iters) analyzer.bind(iter.var, iter.range);
  if (auto extents = padded_extents(map, iters, analyzer)) return *extents;
  if (auto extents = iter_map_extents(map->final_indices, iters, analyzer)) return *extents;
  std::vector<Expr> extents;
  for (const Expr& index : map->final_indices) extents.push_back(extent_of(index, iters, analyzer));
  return extents;
}

// What each index runs over; null where it is unknown.
std::vector<Range> mapped_ranges(const IndexMap& map, const std::vector<LoopRange>& iters,
                                 Analyzer& analyzer) {
  for (const LoopRange& iter : iters) analyzer.bind(iter.var, iter.range);
  auto extents = padded_extents(map, iters, analyzer);
  if (!extents) extents = iter_map_extents(map->final_indices, iters, analyzer);
  std::vector<Range> ranges;
  for (size_t i = 0; i < static_cast<size_t>(map->final_indices.size()); ++i) {
    const Expr& index = map->final_indices[static_cast<int64_t>(i)];
    ConstIntBound bound = analyzer.const_int_bound(index);
    bool finite = bound.min != ConstIntBound::kNegInf && bound.max != ConstIntBound::kPosInf;
    if (finite && (bound.min != 0 || !extents)) {
      ranges.push_back(make<RangeNode>(int_imm(index->dtype(), bound.min),
                                       int_imm(index->dtype(), bound.max - bound.min + 1)));
    } else if (extents && bound.min == 0) {
      ranges.push_back(make<RangeNode>(const_like(index, 0), (*extents)[i]));
    } else {
      ranges.push_back(nullptr);
    }
  }
  return ranges;
}

constexpr int64_t kMostIndices = 2000;  // that are looked at for an example

// Two indices that the map takes to one: "(0, 0) and (0, 1) both become (0, 0)". Empty when there are none
// among the first.
std::string taken_to_one(const IndexMap& map, const std::vector<LoopRange>& iters) {
  std::vector<int64_t> at, least, extents;
  for (const LoopRange& iter : iters) {
    auto min = const_int(iter.range->min), extent = const_int(iter.range->extent);
    if (!min || !extent || *extent <= 0) return "";
    at.push_back(0);
    least.push_back(*min);
    extents.push_back(*extent);
  }
  auto tuple = [](const std::vector<int64_t>& values) {
    return fmt::format("({})", fmt::join(values, ", "));
  };
  std::map<std::vector<int64_t>, std::vector<int64_t>> met;
  Analyzer analyzer;
  for (int64_t count = 0; count < kMostIndices; ++count) {
    VarMap values;
    std::vector<int64_t> from, to;
    for (size_t i = 0; i < iters.size(); ++i) {
      from.push_back(least[i] + at[i]);
      values[iters[i].var.get()] = const_like(iters[i].var, from[i]);
    }
    for (const Expr& index : map->final_indices) {
      auto value = const_int(analyzer.simplify(substitute(index, values)));
      if (!value) return "";
      to.push_back(*value);
    }
    auto [known, fresh] = met.try_emplace(to, from);
    if (!fresh) return fmt::format("{} and {} both become {}", tuple(known->second), tuple(from), tuple(to));
    size_t i = extents.size();
    while (i > 0 && ++at[i - 1] == extents[i - 1]) at[--i] = 0;
    if (i == 0) return "";
  }
  return "";
}

[[noreturn]] void not_bijective(const IndexMap& map, const std::vector<LoopRange>& iters) {
  Error error = refuse(refusals["index-map-not-bijective"]);
  if (std::string witness = taken_to_one(map, iters); !witness.empty())
    error.first().notes.push_back({witness, {}});
  throw std::move(error)
      .kind(kRefusedValue)
      .help("each digit of each index is used once, as in `lambda i: (i // 4, i % 4)` over a multiple of 4");
}

// The variable of an inverse for the result of an index. An index that is passed on keeps its name.
Var output_of(const IndexMap& map, int64_t i) {
  const Expr& index = map->final_indices[i];
  auto* var = as<VarNode>(index);
  return make<VarNode>(var ? var->name : String(fmt::format("axis{}", i)), index->ty);
}

// The inverse over a box that the digits divide evenly. As in TVM, what its indices run over simplifies
// nothing: digits of one value are written, too.
IndexMap exact_inverse(const IndexMap& map, const std::vector<LoopRange>& iters, Analyzer& analyzer) {
  for (const LoopRange& iter : iters) analyzer.bind(iter.var, iter.range);
  Array<Var> outputs;
  for (int64_t i = 0; i < static_cast<int64_t>(map->final_indices.size()); ++i)
    outputs.push_back(output_of(map, i));
  auto values = invert_iter_map(map->final_indices, iters, outputs, analyzer);
  if (!values) not_bijective(map, iters);
  return make<IndexMapNode>(outputs, *values);
}

// The inverse over a box that is padded to what the digits divide.
PaddedInverse padded_inverse(const IndexMap& map, const std::vector<LoopRange>& iters, Analyzer& analyzer) {
  for (const LoopRange& iter : iters) analyzer.bind(iter.var, iter.range);
  IterMapResult found =
      detect_iter_map(map->final_indices, iters, bool_imm(true), IterMapCheck::kNone, analyzer, false);
  if (!found.errors.empty() || found.indices.empty()) not_bijective(map, iters);
  Array<Var> outputs;
  std::vector<Expr> extents;
  Array<Expr> given;
  for (int64_t i = 0; i < static_cast<int64_t>(map->final_indices.size()); ++i) {
    Var output = output_of(map, i);
    const IterSum& sum = found.indices[static_cast<size_t>(i)];
    extents.push_back(extent_of(sum, analyzer).value_or(Expr()));
    outputs.push_back(output);
    given.push_back(output);
  }
  VarMap back;
  for (const auto& [var, value] : inverse_affine_iter_map(found.indices, given, analyzer))
    back[var.get()] = analyzer.simplify(value);
  Array<Expr> values;
  for (const LoopRange& iter : iters) {
    auto value = back.find(iter.var.get());
    if (value == back.end() && !is_const_int(iter.range->extent, 1)) not_bijective(map, iters);
    values.push_back(value == back.end() ? const_like(iter.var, 0) : value->second);
  }
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i])
      analyzer.bind(outputs[static_cast<int64_t>(i)], make<RangeNode>(const_like(extents[i], 0), extents[i]));
  }
  Expr padding = bool_imm(false);
  if (found.padding_predicate)
    padding = analyzer.simplify(substitute(iter_map_to_expr(found.padding_predicate, analyzer), back));
  return {make<IndexMapNode>(outputs, values), padding};
}

// Does the inverse map each element's image back to the element?
bool leads_back(const IndexMap& back, const IndexMap& map, const std::vector<LoopRange>& iters,
                Analyzer& analyzer) {
  VarMap places;
  for (int64_t i = 0; i < static_cast<int64_t>(map->final_indices.size()); ++i)
    places[back->initial_indices[i].get()] = map->final_indices[i];
  for (const LoopRange& iter : iters) analyzer.bind(iter.var, iter.range);
  for (size_t i = 0; i < iters.size(); ++i) {
    const Expr& value = back->final_indices[static_cast<int64_t>(i)];
    if (!analyzer.can_prove_equal(substitute(value, places), iters[i].var)) return false;
  }
  return true;
}

// The least count of values that the divisions and remainders of `var` cut evenly; 0: unknown.
class Period final : public Walker {
 public:
  explicit Period(const VarNode* var) : var_(var) {}
  int64_t of(const Array<Expr>& indices) {
    for (const Expr& index : indices) visit(index);
    return period_;
  }
  void visit(const Expr& e) override {
    if (e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kFloorMod) {
      auto* two = as_binary(e);
      if (uses_var(two->a, [this](const VarNode* var) { return var == var_; })) {
        auto divisor = const_int(two->b);
        int64_t step = scale(two->a);
        if (!divisor || *divisor <= 0 || step == 0 || period_ == 0) {
          period_ = 0;
        } else {
          period_ = std::lcm(period_, step * *divisor);
        }
      }
    }
    walk_children(e);
  }

 private:
  // How many values of the variable one value of x covers.
  int64_t scale(const Expr& x) const {
    if (x.get() == var_) return 1;
    auto* two = as_binary(x);
    if (!two) return 0;
    auto divisor = const_int(two->b);
    if (!divisor) return 0;
    if (x->kind == ExprKind::kFloorDiv) return scale(two->a) * *divisor;
    return x->kind == ExprKind::kFloorMod ? scale(two->a) : 0;
  }
  const VarNode* var_;
  int64_t period_ = 1;
};

}  // namespace

Array<Expr> map_indices(const IndexMap& map, const Array<Expr>& indices, Analyzer& analyzer) {
  if (indices.size() != map->initial_indices.size()) {
    throw Error("wrong-number-of-indices", "the map takes {} ind{}, got {}", map->initial_indices.size(),
                map->initial_indices.size() == 1 ? "ex" : "ices", indices.size())
        .kind(kRefusedValue);
  }
  VarMap values, same_type;
  for (int64_t i = 0; i < static_cast<int64_t>(indices.size()); ++i) {
    const Var& var = map->initial_indices[i];
    values[var.get()] = indices[i];
    same_type[var.get()] = cast(var->dtype(), indices[i]);
  }
  Array<Expr> mapped;
  for (const Expr& index : map->final_indices) {
    // An index that is passed on keeps its type; computations are in that of the map.
    auto* var = as<VarNode>(index);
    auto found = var ? values.find(var) : values.end();
    mapped.push_back(analyzer.simplify(found != values.end() ? found->second : substitute(index, same_type)));
  }
  return mapped;
}

Array<Expr> map_shape(const IndexMap& map, const Array<Expr>& shape, Analyzer& analyzer) {
  std::vector<Range> box;
  DataType dtype = DataType::Int(32);
  for (const Expr& dim : shape) {
    box.push_back(make<RangeNode>(const_like(dim, 0), dim));
    if (dim->dtype().bits() > dtype.bits()) dtype = dim->dtype();
  }
  Array<Expr> mapped;
  for (const Expr& extent : mapped_extents(map, iters_of(map, box), analyzer)) {
    auto* widened = as<CastNode>(extent);
    mapped.push_back(widened && widened->value->dtype() == dtype ? widened->value
                                                                 : analyzer.simplify(cast(dtype, extent)));
  }
  return mapped;
}

IndexMap inverse(const IndexMap& map, const std::vector<Range>& box, Analyzer& analyzer) {
  if (map->inverse_index_map) return map->inverse_index_map;
  return exact_inverse(map, iters_of(map, box), analyzer);
}

PaddedInverse non_surjective_inverse(const IndexMap& map, const std::vector<Range>& box, Analyzer& analyzer) {
  std::vector<LoopRange> iters = iters_of(map, box);
  try {
    PaddedInverse found = padded_inverse(map, iters, *analyzer.clone());
    if (leads_back(found.map, map, iters, *analyzer.clone())) return found;
  } catch (Error&) {  // digits that run backwards are left
  }
  std::vector<std::pair<int64_t, int64_t>> cuts(iters.size());  // period and real extent of what is padded
  for (size_t i = 0; i < iters.size(); ++i) {
    int64_t period = Period(iters[i].var.get()).of(map->final_indices);
    auto extent = const_int(iters[i].range->extent);
    if (period <= 1) continue;
    if (!extent) {
      const Expr& size = iters[i].range->extent;
      if (is_const_int(analyzer.simplify(floormod(size, const_like(size, period))), 0)) continue;
      not_bijective(map, iters);
    }
    if (*extent % period == 0) continue;
    if (!is_const_int(iters[i].range->min, 0)) not_bijective(map, iters);
    cuts[i] = {period, *extent};
    int64_t padded = (*extent + period - 1) / period * period;
    iters[i].range = make<RangeNode>(iters[i].range->min, int_imm(iters[i].range->extent->dtype(), padded));
  }
  PaddedInverse result{exact_inverse(map, iters, analyzer), nullptr};
  std::vector<Range> ranges = mapped_ranges(map, iters, analyzer);
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i]) analyzer.bind(result.map->initial_indices[static_cast<int64_t>(i)], ranges[i]);
  }
  for (size_t i = 0; i < iters.size(); ++i) {
    auto [period, extent] = cuts[i];
    if (period == 0) continue;
    // Past the end: in the last period, behind what is left of it.
    const Expr& value = result.map->final_indices[static_cast<int64_t>(i)];
    auto number = [&](int64_t n) { return int_imm(value->dtype(), n); };
    Expr last = eq(analyzer.simplify(floordiv(value, number(period))), number(extent / period));
    Expr behind = le(number(extent % period), analyzer.simplify(floormod(value, number(period))));
    Expr outside = analyzer.simplify(logical_and(last, behind));
    result.padding = result.padding ? logical_or(result.padding, outside) : outside;
  }
  if (!result.padding) result.padding = bool_imm(false);
  return result;
}

}  // namespace mlc::transform
