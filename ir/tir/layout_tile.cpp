// SPDX-License-Identifier: Apache-2.0
// Layouts made of layouts: tiles, sums, parts.
#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/layout_algebra.h"
#include "ir/tir/linear.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "layout-does-not-fit", .message = "{} outer dimensions for {} inner ones"},
    }};
MLC_REFUSALS(tir_layout_tile, refusals);

namespace {

// The groups of both, dimension by dimension: those of `outer` before those of `inner`.
TileLayout interleaved(const TileLayout& outer, const Array<Expr>& outer_shape, const TileLayout& inner,
                       const Array<Expr>& inner_shape) {
  if (outer_shape.size() != inner_shape.size()) {
    throw ir::refuse(refusals["layout-does-not-fit"], outer_shape.size(), inner_shape.size());
  }
  Grouped a = group(outer, outer_shape);
  Grouped b = group(inner, inner_shape);
  Array<Iter> shard;
  for (size_t dim = 0; dim < outer_shape.size(); ++dim) {
    for (const Grouped* one : {&a, &b}) {
      for (int64_t i = one->separators[dim]; i < one->separators[dim + 1]; ++i)
        shard.push_back(one->layout->shard[i]);
    }
  }
  Array<Iter> replica = outer->replica;
  for (const Iter& iter : inner->replica) replica.push_back(iter);
  Map<String, Expr> offset = inner->offset;
  for (const auto& [key, value] : outer->offset) {
    auto known = offset.find(key);
    offset.Set(key, known == offset.end() ? value : add((*known).second, value));
  }
  return make<TileLayoutNode>(shard, replica, offset);
}

// A swizzle of elements in a row permutes those of any shape.
bool is_bare_swizzle(const Layout& layout) {
  TileLayout tile = tile_of(layout);
  return layout.as<ComposeLayoutNode>() && tile->shard.size() == 1 &&
         is_const_int(tile->shard[0]->stride, 1) && tile->replica.empty() && tile->offset.empty();
}

}  // namespace

Layout tile(const Layout& inner, const TileLayout& whole_outer, const Array<Expr>& outer_shape,
            const Array<Expr>& inner_shape) {
  TileLayout own = is_bare_swizzle(inner) ? default_layout(inner_shape) : tile_of(canonicalize(inner));
  TileLayout tile = group(own, inner_shape).layout;
  TileLayout outer = group(tile_of(canonicalize(whole_outer)), outer_shape).layout;
  auto scaled = [&](const Expr& stride, const Axis& axis) {
    bool moves = std::any_of(tile->shard.begin(), tile->shard.end(),
                             [&](const Iter& own) { return own->axis.same_as(axis); });
    return moves ? mul(stride, span_of(tile, axis->name)) : stride;
  };
  auto scale = [&](const Array<Iter>& iters) {
    Array<Iter> result;
    for (const Iter& iter : iters)
      result.push_back(make<IterNode>(iter->extent, scaled(iter->stride, iter->axis), iter->axis));
    return result;
  };
  // Copies and offsets of the outer layout count elements, not tiles.
  TileLayout apart = make<TileLayoutNode>(scale(outer->shard), outer->replica, outer->offset);
  return canonicalize(with_tile(inner, interleaved(apart, outer_shape, tile, inner_shape)));
}

Layout direct_sum(const Layout& right, const TileLayout& left, const Array<Expr>& left_shape,
                  const Array<Expr>& right_shape) {
  return canonicalize(with_tile(right, interleaved(tile_of(canonicalize(left)), left_shape,
                                                   tile_of(canonicalize(right)), right_shape)));
}

namespace {

// The part of a dimension that lies in one step of its outer iterators begin .. j - 1, is a range of the
// j-th, and whole in those after it. False where there is no such j.
template <class Move>
bool within_one(const TileLayoutNode& layout, int64_t begin, int64_t end, const Range& part,
                Array<Iter>& shard, Move&& move) {
  auto length = const_int(part->extent);
  std::vector<int64_t> extents;
  for (int64_t i = begin; i < end; ++i) {
    auto extent = const_int(layout.shard[i]->extent);
    if (!extent || *extent <= 0) return false;
    extents.push_back(*extent);
  }
  if (!length || *length <= 0) return false;
  auto first = const_int(part->min);
  // What the iterator counts at the beginning of the part.
  auto digit = [&](size_t i, int64_t below) -> Expr {
    if (first)
      return const_like(part->min,
                        floor_div(*first, below) - floor_div(*first, below * extents[i]) * extents[i]);
    Expr place = floormod(part->min, const_like(part->min, below * extents[i]));
    return below == 1 ? place : floordiv(place, const_like(part->min, below));
  };
  int64_t below = 1;
  for (int64_t i = end; i-- > begin;) {
    auto at = static_cast<size_t>(i - begin);
    bool aligned = first ? *first % below == 0 : below == 1;
    if (*length % below == 0 && aligned) {
      int64_t steps = *length / below;
      bool stays = steps == 1 || (first && floor_div(*first, below) % extents[at] + steps <= extents[at]);
      if (stays) {
        int64_t outer = below;
        for (int64_t k = i;; --k) {
          move(layout.shard[k], digit(static_cast<size_t>(k - begin), outer));
          outer *= extents[static_cast<size_t>(k - begin)];
          if (k == begin) break;
        }
        shard.push_back(make<IterNode>(const_like(layout.shard[i]->extent, steps), layout.shard[i]->stride,
                                       layout.shard[i]->axis));
        for (int64_t k = i + 1; k < end; ++k) shard.push_back(layout.shard[k]);
        return true;
      }
    }
    below *= extents[at];
  }
  return false;
}

}  // namespace

Layout slice(const Layout& layout, const Array<Expr>& shape, const Array<Range>& region) {
  Grouped grouped = group(tile_of(canonicalize(layout)), shape);
  Array<Iter> shard;
  Map<String, Expr> offset = grouped.layout->offset;
  auto move = [&](const Iter& iter, const Expr& steps) {
    Expr distance = simplify_linear(mul(steps, iter->stride));
    auto known = offset.find(iter->axis->name);
    offset.Set(iter->axis->name,
               known == offset.end() ? distance : simplify_linear(add((*known).second, distance)));
  };
  for (int64_t dim = 0; dim < count(shape); ++dim) {
    auto begin = grouped.separators[static_cast<size_t>(dim)];
    auto end = grouped.separators[static_cast<size_t>(dim) + 1];
    const Range& part = region[dim];
    if (begin == end) continue;
    const Iter outer = grouped.layout->shard[begin];
    Expr inner = int32(1);
    for (int64_t i = begin + 1; i < end; ++i) inner = mul(inner, grouped.layout->shard[i]->extent);
    // A part of several iterators is whole in the inner ones.
    Expr first = exact_quotient(part->min, inner);
    Expr length = exact_quotient(widened(part->extent, inner), inner);
    if (!first || !length) {
      if (!within_one(*grouped.layout, begin, end, part, shard, move)) return {};
      continue;
    }
    // In TVM a dimension of one element has no stride of its own.
    Expr stride = is_const_int(shape[dim], 1) ? int32(1) : outer->stride;
    shard.push_back(make<IterNode>(length, stride, outer->axis));
    move(outer, first);
    for (int64_t i = begin + 1; i < end; ++i) {
      shard.push_back(grouped.layout->shard[i]);
      move(grouped.layout->shard[i], const_like(inner, 0));
    }
  }
  return with_tile(layout, make<TileLayoutNode>(shard, grouped.layout->replica, offset));
}

}  // namespace mlc::ir
