// SPDX-License-Identifier: Apache-2.0
// Is a layout a part of another one, and what is the other part? The inverses of tile() and direct_sum(); and
// what a layout is to several shapes at once.
#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/layout_algebra.h"
#include "ir/tir/linear.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{"InternalError",
                                       {
                                           {.name = "layout-does-not-fit"},
                                           {.name = "layout-scopes"},
                                       }};
MLC_REFUSALS(tir_layout_relation, refusals);

namespace {

Array<Expr> interleave(const Array<Expr>& outer, const Array<Expr>& inner) {
  Array<Expr> both;
  for (size_t i = 0; i < outer.size(); ++i) {
    both.push_back(outer[static_cast<int64_t>(i)]);
    both.push_back(inner[static_cast<int64_t>(i)]);
  }
  return both;
}

// The dimensions of a tiled shape that remain when those of one of its two parts are divided out.
Array<Expr> other_shape(const Array<Expr>& tiled, const Array<Expr>& part) {
  if (tiled.size() != part.size()) {
    throw ir::refuse_as(refusals["layout-does-not-fit"], "{} dimensions of the tiled layout, {} of its part",
                        tiled.size(), part.size());
  }
  Array<Expr> other;
  for (size_t i = 0; i < tiled.size(); ++i) {
    auto at = static_cast<int64_t>(i);
    Expr quotient = exact_quotient(tiled[at], part[at]);
    if (!quotient) {
      throw ir::refuse_as(refusals["layout-does-not-fit"],
                          "dimension {} of the tiled shape is not a multiple of its part's", i);
    }
    other.push_back(quotient);
  }
  return other;
}

// The map of a dimension's iterators, however they are split.
bool same_groups(const Grouped& a, size_t a_dim, const Grouped& b, size_t b_dim) {
  auto part = [](const Grouped& grouped, size_t dim) {
    const Array<Iter>& all = grouped.layout->shard;
    return canonicalize(make<TileLayoutNode>(
        Array<Iter>(all.begin() + grouped.separators[dim], all.begin() + grouped.separators[dim + 1])));
  };
  auto empty = [](const Layout& layout) {
    const Array<Iter>& shard = layout.as<TileLayoutNode>()->shard;
    return shard.empty() || (shard.size() == 1 && is_const_int(shard[0]->extent, 1));
  };
  Layout left = part(a, a_dim);
  Layout right = part(b, b_dim);
  return (empty(left) && empty(right)) || structural_equal(left, right);
}

// The copies of the whole that are not those of a part, and its offsets less those of the part; false where
// the part is moved along an axis on which the whole is not.
bool remove_part(const TileLayout& whole, const TileLayout& part, Array<Iter>& replica,
                 Map<String, Expr>& offset) {
  for (const Iter& iter : whole->replica) {
    bool known = std::any_of(part->replica.begin(), part->replica.end(),
                             [&](const Iter& own) { return structural_equal(own, iter); });
    if (!known) replica.push_back(iter);
  }
  offset = whole->offset;
  for (const auto& [key, value] : part->offset) {
    auto known = offset.find(key);
    if (known == offset.end()) return false;
    offset.Set(key, difference((*known).second, value));
  }
  return true;
}

// Every second group, from `first` on.
Array<Iter> every_second(const Grouped& grouped, size_t first) {
  Array<Iter> shard;
  for (size_t dim = first; dim + 1 < grouped.separators.size(); dim += 2) {
    for (int64_t i = grouped.separators[dim]; i < grouped.separators[dim + 1]; ++i)
      shard.push_back(grouped.layout->shard[i]);
  }
  return shard;
}

// Two layouts of the same swizzle, or none.
bool same_swizzle(const Layout& a, const Layout& b) {
  auto* x = a.as<ComposeLayoutNode>();
  auto* y = b.as<ComposeLayoutNode>();
  if (!x || !y) return !x && !y;
  return x->per_element == y->per_element && x->swizzle_len == y->swizzle_len && x->atom_len == y->atom_len &&
         x->swizzle_inner == y->swizzle_inner;
}

// The steps between copies of the part, in copies; false where they are not whole ones.
bool divide_strides(Array<Iter>& iters, const TileLayout& part) {
  for (int64_t i = 0; i < static_cast<int64_t>(iters.size()); ++i) {
    const Iter& iter = iters[i];
    if (is_const_int(iter->extent, 1)) continue;
    bool moves = std::any_of(part->shard.begin(), part->shard.end(),
                             [&](const Iter& own) { return own->axis.same_as(iter->axis); });
    if (!moves) continue;
    Expr stride = exact_quotient(iter->stride, span_of(part, iter->axis->name));
    if (!stride) return false;
    iters.Set(i, make<IterNode>(iter->extent, stride, iter->axis));
  }
  return true;
}

// The whole without a part, which must be every second of its groups, from `at` on; null where it is not.
TileLayout other_part(const Layout& part, const Array<Expr>& part_shape, const Layout& whole,
                      const Array<Expr>& whole_shape, size_t at) {
  TileLayout own = tile_of(canonicalize(part));
  Grouped own_groups = group(own, part_shape);
  Grouped groups = group(tile_of(canonicalize(whole)), whole_shape);
  for (size_t dim = 0; dim < part_shape.size(); ++dim) {
    if (!same_groups(own_groups, dim, groups, 2 * dim + at)) return {};
  }
  Array<Iter> replica;
  Map<String, Expr> offset;
  if (!remove_part(groups.layout, own, replica, offset)) return {};
  return make<TileLayoutNode>(every_second(groups, 1 - at), replica, offset);
}

void require_interleaved(const Array<Expr>& interleaved_shape, const Array<Expr>& shape) {
  if (interleaved_shape.size() == 2 * shape.size()) return;
  throw ir::refuse_as(refusals["layout-does-not-fit"],
                      "a sum of {} dimensions has an interleaved shape of {}, not {}", shape.size(),
                      2 * shape.size(), interleaved_shape.size());
}

}  // namespace

TileLayout outer_of_tile(const Layout& inner, const Layout& tiled, const Array<Expr>& tiled_shape,
                         const Array<Expr>& inner_shape) {
  if (!same_swizzle(inner, tiled)) return {};
  Array<Expr> outer_shape = other_shape(tiled_shape, inner_shape);
  TileLayout outer = other_part(inner, inner_shape, tiled, interleave(outer_shape, inner_shape), 1);
  if (!outer) return {};
  Array<Iter> shard = outer->shard, replica = outer->replica;
  TileLayout part = tile_of(canonicalize(inner));
  if (!divide_strides(shard, part) || !divide_strides(replica, part)) return {};
  return make<TileLayoutNode>(shard, replica, outer->offset);
}

Layout inner_of_tile(const Layout& outer, const Layout& tiled, const Array<Expr>& tiled_shape,
                     const Array<Expr>& outer_shape) {
  auto* tile_outer = outer.as<TileLayoutNode>();
  if (!tile_outer) return {};
  Array<Expr> inner_shape = other_shape(tiled_shape, outer_shape);
  Layout whole = canonicalize(tiled);
  Grouped groups = group(tile_of(whole), interleave(outer_shape, inner_shape));
  Array<Iter> replica;
  Map<String, Expr> offset;
  TileLayout part = tile_of(canonicalize(outer));
  if (!remove_part(groups.layout, part, replica, offset)) return {};
  TileLayout own = make<TileLayoutNode>(every_second(groups, 1), replica, offset);
  Layout inner = with_tile(whole, own);
  // The steps of the outer layout follow from the inner one: only putting both together shows that they fit.
  return structural_equal(tile(inner, ref(tile_outer), outer_shape, inner_shape), whole) ? inner : Layout();
}

TileLayout left_of_sum(const Layout& right, const Layout& sum, const Array<Expr>& interleaved_shape,
                       const Array<Expr>& right_shape) {
  if (!same_swizzle(right, sum)) return {};
  require_interleaved(interleaved_shape, right_shape);
  return other_part(right, right_shape, sum, interleaved_shape, 1);
}

Layout right_of_sum(const Layout& left, const Layout& sum, const Array<Expr>& interleaved_shape,
                    const Array<Expr>& left_shape) {
  // The swizzle of a sum is that of its right part: the left one alone does not determine it.
  if (!left.as<TileLayoutNode>() || !sum.as<TileLayoutNode>()) return {};
  require_interleaved(interleaved_shape, left_shape);
  return other_part(left, left_shape, sum, interleaved_shape, 0);
}

namespace {

// The products of the first 1, 2, ... extents.
std::vector<int64_t> boundaries(const Array<Expr>& extents) {
  std::vector<int64_t> all;
  int64_t product = 1;
  for (const Expr& extent : extents) {
    auto value = const_int(extent);
    if (!value || *value <= 0) {
      throw ir::refuse_as(refusals["layout-does-not-fit"],
                          "a common refinement needs extents that are known and positive");
    }
    product *= *value;
    all.push_back(product);
  }
  return all;
}

}  // namespace

GroupedMany group_many(const TileLayout& layout, const std::vector<Array<Expr>>& shapes) {
  if (shapes.empty())
    throw ir::refuse_as(refusals["layout-does-not-fit"], "no shape is given to refine the layout by");
  Array<Expr> extents;
  for (const Iter& iter : layout->shard) extents.push_back(iter->extent);
  std::vector<std::vector<int64_t>> all{boundaries(extents)};
  for (const Array<Expr>& shape : shapes) all.push_back(boundaries(shape));
  auto total = [](const std::vector<int64_t>& one) { return one.empty() ? 1 : one.back(); };
  for (const auto& one : all) {
    if (total(one) == total(all[1])) continue;
    throw ir::refuse_as(refusals["layout-does-not-fit"],
                        "shapes of {} and of {} elements have no common refinement", total(all[1]),
                        total(one));
  }
  // Every boundary as often as in the sequence that repeats it most.
  std::vector<int64_t> refined;
  for (const auto& one : all) {
    std::vector<int64_t> merged;
    std::set_union(refined.begin(), refined.end(), one.begin(), one.end(), std::back_inserter(merged));
    refined = std::move(merged);
  }
  GroupedMany result;
  Array<Iter> shard;
  size_t at = 0;  // the iterator that the next part is taken from
  int64_t previous = 1;
  const std::vector<int64_t>& own = all[0];
  if (own.empty() && !refined.empty())
    throw ir::refuse_as(refusals["layout-does-not-fit"], "a layout without iterators has nothing to split");
  for (int64_t boundary : refined) {
    if (boundary % previous != 0) {
      throw ir::refuse_as(refusals["layout-does-not-fit"],
                          "shapes have no common refinement: {} does not divide {}", previous, boundary);
    }
    bool last = at + 1 >= own.size();
    int64_t end = own[at];
    Iter iter = layout->shard[static_cast<int64_t>(at)];
    int64_t extent = boundary / previous;
    Expr inner = int_imm(iter->extent->dtype(), end / boundary);
    shard.push_back(make<IterNode>(int_imm(iter->extent->dtype(), extent),
                                   simplify_linear(mul(iter->stride, inner)), iter->axis));
    previous = boundary;
    if (boundary == end && !last) ++at;
  }
  for (size_t i = 1; i < all.size(); ++i) {
    std::vector<int64_t> separators{0};
    size_t place = 0;
    for (size_t dim = 0; dim < all[i].size(); ++dim) {
      while (refined[place] != all[i][dim]) ++place;
      ++place;
      separators.push_back(static_cast<int64_t>(dim + 1 == all[i].size() ? refined.size() : place));
    }
    result.separators.push_back(std::move(separators));
  }
  result.layout = make<TileLayoutNode>(shard, layout->replica, layout->offset);
  return result;
}

std::optional<std::pair<std::string_view, std::string_view>> scope_of(const TileLayout& layout) {
  // Copies and offsets locate threads only together with elements that are distributed over threads.
  bool spread = std::any_of(layout->shard.begin(), layout->shard.end(), [](const Iter& iter) {
    const AxisFacts* facts = axis_facts(iter->axis.get());
    return facts && facts->is_thread;
  });
  if (!spread) return std::nullopt;
  std::vector<std::pair<std::string_view, std::string_view>> parents;  // of what is counted: where
  auto visit = [&](const AxisFacts* facts) {
    if (!facts || !facts->is_thread) return;
    for (const auto& [counted, where] : parents) {
      if (counted != facts->subscope) continue;
      if (where == facts->scope) return;
      throw ir::refuse_as(refusals["layout-scopes"], "`{}` is counted both in `{}` and in `{}`", counted,
                          where, facts->scope)
          .help("the axes of a layout form one chain, such as threads in a warp and warps in a block");
    }
    parents.emplace_back(facts->subscope, facts->scope);
  };
  for (const Array<Iter>* iters : {&layout->shard, &layout->replica}) {
    for (const Iter& iter : *iters) visit(axis_facts(iter->axis.get()));
  }
  for (const auto& [key, value] : layout->offset) visit(axis_facts(axis(view(key)).get()));
  if (parents.empty()) return std::nullopt;
  auto parent = [&](std::string_view counted) {
    return std::find_if(parents.begin(), parents.end(), [&](const auto& p) { return p.first == counted; });
  };
  for (const auto& start : parents) {
    bool lowest = std::none_of(parents.begin(), parents.end(),
                               [&](const auto& other) { return other.second == start.first; });
    if (!lowest) continue;
    std::string_view top = start.second;
    size_t steps = 1;
    for (auto next = parent(top); next != parents.end(); next = parent(top), ++steps) top = next->second;
    if (steps == parents.size()) return std::pair(start.first, top);
    break;
  }
  throw ir::refuse_as(refusals["layout-scopes"],
                      "the axes of the layout count in scopes that are not connected")
      .help("the axes of a layout form one chain, such as threads in a warp and warps in a block");
}

Layout join_thread_axes(const Layout& layout) {
  // What the scopes of a chain make together, and the threads in one step along it.
  struct Chain {
    std::string_view counted, where, axis;
    int64_t threads;
  };
  static constexpr Chain chains[] = {
      {"thread", "warpgroup", "tid_in_wg", 1}, {"thread", "cta", "tx", 1}, {"warp", "cta", "warpid", 32}};
  static constexpr std::pair<std::string_view, int64_t> threads_of[] = {
      {"laneid", 1}, {"tid_in_wg", 1}, {"tx", 1}, {"wid_in_wg", 32}, {"warpid", 32}, {"wgid", 128}};
  TileLayout tile = tile_of(layout);
  auto scope = scope_of(tile);
  auto chain = std::find_if(std::begin(chains), std::end(chains), [&](const Chain& one) {
    return scope && one.counted == scope->first && one.where == scope->second;
  });
  if (chain == std::end(chains)) return layout;
  // The stride or offset on an axis of threads, counted along the chain; null on an axis of memory.
  auto along = [&](std::string_view name, const Expr& steps) -> Expr {
    for (const auto& [known, threads] : threads_of) {
      if (known == name) return simplify_linear(mul(steps, const_like(steps, threads / chain->threads)));
    }
    return nullptr;
  };
  Axis joined = axis(chain->axis);
  auto join = [&](const Array<Iter>& iters) {
    Array<Iter> all;
    for (const Iter& iter : iters) {
      Expr stride = along(view(iter->axis->name), iter->stride);
      all.push_back(stride ? make<IterNode>(iter->extent, stride, joined) : iter);
    }
    return all;
  };
  Map<String, Expr> offset;
  for (const auto& [key, value] : tile->offset) {
    Expr steps = along(view(key), value);
    if (!steps) {
      offset.Set(key, value);
      continue;
    }
    auto before = offset.find(joined->name);
    offset.Set(joined->name, before == offset.end() ? steps : simplify_linear(add((*before).second, steps)));
  }
  return with_tile(layout, make<TileLayoutNode>(join(tile->shard), join(tile->replica), offset));
}

}  // namespace mlc::ir
