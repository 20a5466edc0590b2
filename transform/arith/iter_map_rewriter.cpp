// SPDX-License-Identifier: Apache-2.0
// Each arithmetic node on sums of digits.
#include "transform/arith/iter_map_rewriter.h"

#include <numeric>

#include "ir/core/walk_with.h"
#include "ir/tir/op.h"
#include "transform/arith/expr_equal.h"

namespace mlc::transform {

SplitsOfMarks::SplitsOfMarks(const std::vector<IterSum>& sums) {
  for (const IterSum& sum : sums) add(sum);
}
void SplitsOfMarks::add(const IterSum& sum) {
  for (const IterSplit& split : sum->args) {
    visit(split->source);
    splits[split->source.get()].push_back(split);
  }
}
void SplitsOfMarks::visit(const IterMark& mark) {
  if (std::any_of(marks.begin(), marks.end(), [&](const IterMark& m) { return m.same_as(mark); })) return;
  marks.push_back(mark);
  if (auto* sum = mark->as_sum()) {
    add(ref(sum));
  } else if (auto* split = mark->sum.as<IterSplitNode>()) {
    visit(split->source);
    splits[split->source.get()].push_back(ref(split));
  }
}

IterSplit make_split(const IterMark& mark, const Expr& scale) {
  Expr one = const_like(mark->extent, 1);
  return make<IterSplitNode>(mark, one, mark->extent, scale ? scale : one);
}

Expr normal_product(const Expr& a, const Expr& b) {
  int64_t constant = 1;
  Expr result = const_like(a, 1);
  auto take = [&](const Expr& factor) {
    if (auto value = const_int(factor)) {
      constant *= *value;
    } else {
      result = mul(result, factor);
    }
  };
  each_factor(a, take);
  each_factor(b, take);
  return constant == 1 ? result : mul(result, const_like(a, constant));
}

IterMapRewriter::IterMapRewriter(const std::vector<LoopRange>& iters, Analyzer& analyzer, IterMapCheck check,
                                 bool simplify_trivial_iterators, std::vector<IterMapError>& errors,
                                 bool opaque_remainders)
    : analyzer_(analyzer), check_(check), errors_(errors), opaque_remainders_(opaque_remainders) {
  for (const LoopRange& iter : iters) {
    const Expr &low = iter.range->min, &extent = iter.range->extent;
    Value& value = values_[iter.var.get()];
    if (simplify_trivial_iterators && is_const_int(extent, 1)) {
      value.map = make<IterSumNode>(Array<IterSplit>(), low);
      continue;
    }
    bool from_zero = is_const_int(low, 0);
    auto mark = make<IterMarkNode>(from_zero ? Expr(iter.var) : sub(iter.var, low), nullptr, extent);
    inputs_.push_back(mark);
    value.map = make_split(mark);
    if (!from_zero) value.map = make<IterSumNode>(Array<IterSplit>{make_split(mark)}, low);
  }
}

IterSum IterMapRewriter::rewrite(const Expr& e) { return normal(to_sum(visit(e))); }
IterSum IterMapRewriter::rewrite_and_pad(const Expr& e) {
  noting_padding_ = true;
  IterSum result = rewrite(e);
  noting_padding_ = false;
  return result;
}

IterSum IterMapRewriter::rewrite_to_normal_sum(const Expr& e) {
  IterSum sum = to_sum(visit(e));
  if (IterSum joined = join_splits(sum)) sum = joined;
  struct Item {
    int64_t constant = 1;
    int64_t symbols = 0;
    IterSplit split;
  };
  std::vector<Item> items;
  for (const IterSplit& split : sum->args) {
    Item item;
    each_factor(split->scale, [&](const Expr& factor) {
      if (auto value = const_int(factor)) {
        item.constant *= *value;
      } else {
        ++item.symbols;
      }
    });
    item.split = make<IterSplitNode>(split->source, split->lower_factor, split->extent,
                                     normal_product(split->scale, const_like(split->scale, 1)));
    items.push_back(std::move(item));
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.constant != b.constant ? a.constant > b.constant : a.symbols > b.symbols;
  });
  Array<IterSplit> args;
  for (const Item& item : items) args.push_back(item.split);
  return make<IterSumNode>(args, iter_map_to_expr(sum->base, analyzer_));
}

bool IterMapRewriter::divides(const Expr& divisor, const Expr& e) const {
  auto by = const_int(divisor), value = const_int(e);
  if (by && *by == 0) return false;
  if (by && value) return *value % *by == 0;
  for (const auto& [mark, padding] : padding_) {
    auto factor = const_int(padding.factor);
    if (by && factor && padding.padded && *factor % *by == 0 && equal(e, padding.padded->extent)) return true;
  }
  return equal(e, divisor) || analyzer_.can_prove(eq(floormod(e, divisor), const_like(e, 0)));
}

IterMapRewriter::Value IterMapRewriter::fail(const Expr& e, std::string message, const Expr& shown) {
  errors_.push_back({std::move(message), {shown}});
  return {e, nullptr};
}

IterSum IterMapRewriter::to_sum(const Value& value) {
  if (!value.is_map()) return make<IterSumNode>(Array<IterSplit>(), value.plain);
  if (auto* sum = value.map.as<IterSumNode>()) return ref(sum);
  IterSplit split = ref(value.map.as<IterSplitNode>());
  return make<IterSumNode>(Array<IterSplit>{split}, const_like(split->extent, 0));
}

// No iterator may occur below an operator that is not understood.
IterMapRewriter::Value IterMapRewriter::indirect(const Expr& e) {
  Value value = visit(e);
  if (!value.is_map()) return value;
  return fail(e,
              "IterMapExpr or subclasses should only result from qualified parent mutation in "
              "IterMapRewriter.  Indirect return occurred in {}",
              e);
}

IterMapRewriter::Value IterMapRewriter::visit(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kVar: {
      auto found = values_.find(as<VarNode>(e));
      return found == values_.end() ? Value{e, nullptr} : found->second;
    }
    case ExprKind::kAdd:
    case ExprKind::kSub:
    case ExprKind::kMul:
    case ExprKind::kFloorDiv:
    case ExprKind::kFloorMod:
      if (e->dtype().is_scalar() && e->dtype().is_integral()) break;
      [[fallthrough]];
    default: {
      auto operand = [&](const Expr& part, Rewriter&) -> Expr { return indirect(part).plain; };
      return {rewrite_below(e, operand), nullptr};
    }
  }
  auto* two = as_binary(e);
  Value a = visit(two->a), b = visit(two->b);
  if (!a.is_map() && !b.is_map()) {
    if (a.plain.same_as(two->a) && b.plain.same_as(two->b)) return {e, nullptr};
    return {build(e->kind, a.plain, b.plain), nullptr};
  }
  switch (e->kind) {
    case ExprKind::kAdd:
      return add_or_subtract(e, a, b, 1);
    case ExprKind::kSub:
      return add_or_subtract(e, a, b, -1);
    case ExprKind::kMul:
      return product(e, a, b);
    default:
      return division(e, a, b);
  }
}

void IterMapRewriter::add_to(std::vector<IterSplit>& args, const IterSplit& rhs, int sign) {
  for (size_t i = 0; i < args.size(); ++i) {
    IterSplit& left = args[i];
    if (!left->source.same_as(rhs->source) || !equal(left->lower_factor, rhs->lower_factor) ||
        !equal(left->extent, rhs->extent)) {
      continue;
    }
    Expr scale = sign > 0 ? add(left->scale, rhs->scale) : sub(left->scale, rhs->scale);
    left = make<IterSplitNode>(rhs->source, rhs->lower_factor, rhs->extent, scale);
    if (is_const_int(scale, 0)) args.erase(args.begin() + static_cast<int64_t>(i));  // it cancels
    return;
  }
  Expr scale = sign > 0 ? rhs->scale : sub(const_like(rhs->scale, 0), rhs->scale);
  args.push_back(make<IterSplitNode>(rhs->source, rhs->lower_factor, rhs->extent, scale));
}

IterMapRewriter::Value IterMapRewriter::add_or_subtract(const Expr&, Value a, Value b, int sign) {
  IterSum left = to_sum(a), right = to_sum(b);
  std::vector<IterSplit> args(left->args.begin(), left->args.end());
  for (const IterSplit& split : right->args) add_to(args, split, sign);
  Expr base = sign > 0 ? add(left->base, right->base) : sub(left->base, right->base);
  return {nullptr, make<IterSumNode>(Array<IterSplit>(args.begin(), args.end()), base)};
}

IterMapRewriter::Value IterMapRewriter::product(const Expr& e, Value a, Value b) {
  if (a.is_map() && b.is_map()) {
    return fail(e, "Product of two iterators cannot be represented as an IterMap, occurs in {}", e);
  }
  if (!a.is_map()) std::swap(a, b);
  auto scaled = [&](const IterSplit& split) {
    return make<IterSplitNode>(split->source, split->lower_factor, split->extent, mul(split->scale, b.plain));
  };
  if (auto* split = a.map.as<IterSplitNode>()) return {nullptr, scaled(ref(split))};
  IterSum sum = to_sum(a);
  Array<IterSplit> args;
  for (const IterSplit& split : sum->args) args.push_back(scaled(split));
  return {nullptr, make<IterSumNode>(args, mul(sum->base, b.plain))};
}

IterMapRewriter::Value IterMapRewriter::division(const Expr& e, const Value& a, const Value& b) {
  bool floor = e->kind == ExprKind::kFloorDiv;
  if (b.is_map()) {
    return fail(
        e,
        (floor ? "Cannot represent as an IterMap: the divisor in {} may not be an iterator"
               : "Cannot represent as an IterMap: the right-hand side of FloorMod in {} may not be an "
                 "iterator"),
        e);
  }
  IterSum sum = to_sum(a);
  if (sum->args.empty()) return {e, nullptr};
  if (sum->args.size() > 1) {
    IterSum fused = fuse(sum, true);
    if (!fused) {
      return fail(e, "Dividend  {}, can't be written as a single fused IterSum", as_binary(e)->a);
    }
    sum = fused;
  }
  size_t before = errors_.size();
  Value result =
      floor ? quotient(sum->args[0], sum->base, b.plain) : remainder(e, sum->args[0], sum->base, b.plain);
  return errors_.size() > before ? Value{e, nullptr} : result;
}

// (split + base) // divisor
IterMapRewriter::Value IterMapRewriter::quotient(IterSplit split, Expr base, Expr divisor) {
  auto with_base = [](const IterSplit& split, const Expr& base) -> Value {
    if (is_const_int(base, 0)) return {nullptr, split};
    return {nullptr, make<IterSumNode>(Array<IterSplit>{split}, base)};
  };
  if (is_const_int(divisor, 1)) return with_base(split, base);
  if (!is_const_int(split->scale, 1)) {
    const Expr& scale = split->scale;
    if (divides(divisor, scale) && divides(divisor, base)) {
      // (x * (s * c) + b * c) // c == x * s + b
      return with_base(
          make<IterSplitNode>(split->source, split->lower_factor, split->extent, floordiv(scale, divisor)),
          floordiv(base, divisor));
    }
    if (!divides(scale, divisor) || !divides(scale, base)) {
      errors_.push_back(
          {"Cannot represent as IterMap: the numerator's scaling factor, {} and the divisor {} cannot "
           "be simplified to remove the scaling factor.",
           {scale, divisor}});
      return {};
    }
    // (x * s + b * s) // (s * c) == (x + b) // c
    base = floordiv(base, scale);
    divisor = floordiv(divisor, scale);
    split = make<IterSplitNode>(split->source, split->lower_factor, split->extent, const_like(divisor, 1));
  }
  bool negative = const_int(divisor).value_or(1) < 0;
  // floordiv(floordiv(x, l), -c) == floordiv(x, l * -c) holds for l == 1 alone
  if (negative && !is_const_int(split->lower_factor, 1)) {
    errors_.push_back(
        {"Cannot represent as IterMap: a digit of lower factor {} is divided by {}, a negative number.",
         {split->lower_factor, divisor}});
    return {};
  }
  if (negative && !divides(divisor, base)) drops_base_ = true;
  auto [padded, left] = pad(split, base, divisor);
  // floordiv(floormod(floordiv(x, l), c * e), c) == floormod(floordiv(x, l * c), e)
  IterSplit next;
  if (divides(divisor, padded->extent)) {
    next = make<IterSplitNode>(padded->source, mul(padded->lower_factor, divisor),
                               analyzer_.simplify(floordiv(padded->extent, divisor)), padded->scale);
  } else {
    Expr parts = analyzer_.simplify(ceildiv(padded->extent, divisor));
    if (is_const_int(padded->lower_factor, 1) && equal(padded->extent, padded->source->extent)) {
      next = make<IterSplitNode>(padded->source, divisor, parts, padded->scale);
    } else {
      auto mark = make<IterMarkNode>(nullptr, padded, padded->extent);
      next = make<IterSplitNode>(mark, divisor, parts, const_like(parts, 1));
    }
  }
  return with_base(next, analyzer_.simplify(floordiv(sub(base, left), divisor)));
}

// Are there no digits of the mark above this one? Of a padded mark only what it was without has values.
bool IterMapRewriter::is_highest(const IterSplit& split) {
  auto reaches = [&](const Expr& extent) {
    return analyzer_.can_prove(ge(mul(split->lower_factor, split->extent), extent));
  };
  if (reaches(split->source->extent)) return true;
  return std::any_of(padding_.begin(), padding_.end(), [&](const auto& one) {
    const auto& [mark, padding] = one;
    return split->source.same_as(padding.padded) && is_const_int(padding.left, 0) && reaches(mark->extent);
  });
}

// (split + base) % divisor
IterMapRewriter::Value IterMapRewriter::remainder(const Expr& e, IterSplit split, Expr base, Expr divisor) {
  Expr zero = const_like(split->extent, 0);
  if (is_const_int(divisor, 1)) return {zero, nullptr};
  bool is_digit = true;
  if (!is_const_int(split->scale, 1)) {
    const Expr& scale = split->scale;
    if (divides(divisor, scale) && divides(divisor, base)) return {zero, nullptr};
    if (!divides(scale, divisor) || !divides(scale, base)) {
      errors_.push_back(
          {"Cannot represent as IterMap: the left-hand side of FloorMod has a scaling factor, {} and "
           "the right-hand {} cannot be used to simplify out the scaling factor.",
           {scale, divisor}});
      return {};
    }
    // (x * s + b * s) % (s * c) == (x + b) % c * s
    base = floordiv(base, scale);
    divisor = floordiv(divisor, scale);
  }
  bool negative = const_int(divisor).value_or(1) < 0;
  if (negative && !divides(divisor, base)) drops_base_ = true;
  // floormod(floordiv(x, l), -c) == floordiv(floormod(x, l * -c), l) holds for l == 1 alone
  if (negative && !is_const_int(split->lower_factor, 1)) is_digit = false;
  // floormod(floormod(x, c * e), c) == floormod(x, c), and nothing of that kind otherwise
  is_digit = is_digit && (divides(divisor, split->extent) || is_highest(split));
  if (!is_digit) {
    if (!opaque_remainders_)
      return fail(e, "Cannot represent as an IterMap: {} is no digit of an iterator", e);
    return {e, nullptr};
  }
  IterSplit padded = pad(split, base, divisor).first;
  return {nullptr, make<IterSplitNode>(padded->source, padded->lower_factor, divisor, padded->scale)};
}

}  // namespace mlc::transform
