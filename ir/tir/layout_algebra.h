// SPDX-License-Identifier: Apache-2.0
// What can be asked of layouts and made from them. Extents and strides are expressions; where a split needs a
// division that is not provably exact, Error layout-does-not-fit is thrown.
#pragma once

#include "ir/tir/layout.h"
#include "ir/tir/simplified.h"

namespace mlc::ir {

// The tile layout of either kind, and the same swizzle around another one.
TileLayout tile_of(const Layout& layout);
Layout with_tile(const Layout& layout, TileLayout tile);

// The part of a layout that is memory: iterators and offsets on thread axes are left out.
Layout storage_of(const Layout& layout);
// Number of elements; with an axis, of the iterators of `shard` on it.
Expr size_of(const Layout& layout, const std::optional<String>& axis = {});
// One more than the largest coordinate; without an axis, over the sum of all memory axes.
Expr span_of(const Layout& layout, const std::optional<String>& axis = {});
bool is_trivial(const Layout& layout);  // coordinate i is at address i

// The same layout with its iterators split so that those [separators[i], separators[i + 1]) cover dimension
// i.
struct Grouped {
  TileLayout layout;
  std::vector<int64_t> separators;  // one more than dimensions, from 0
};
Grouped group(const TileLayout& layout, const Array<Expr>& shape);
TileLayout permute_iters(const TileLayout& layout, std::span<const int64_t> order);
TileLayout permute_groups(const Grouped& grouped, std::span<const int64_t> order);

Layout unpack(const Layout& layout, int64_t count);  // every element becomes `count` neighbours
Layout pack(const Layout& layout, int64_t count);    // `count` neighbours become one element
Layout broadcast(const Layout& layout, int64_t count, int64_t position, const Axis& axis);
// Without iterators of extent one, neighbours that continue each other as one.
Layout canonicalize(const Layout& layout);

// Every element of `outer` replaced by the whole of `inner`, both split along their shapes.
Layout tile(const Layout& inner, const TileLayout& outer, const Array<Expr>& outer_shape,
            const Array<Expr>& inner_shape);
// The same with the strides of `left` as they are.
Layout direct_sum(const Layout& right, const TileLayout& left, const Array<Expr>& left_shape,
                  const Array<Expr>& right_shape);
// A box of the shape; null where it cuts through iterators.
Layout slice(const Layout& layout, const Array<Expr>& shape, const Array<Range>& region);

// The inverses of tile and direct_sum: the other part, where the first argument is one; null where it is not.
// Shapes that do not divide each other are refused.
TileLayout outer_of_tile(const Layout& inner, const Layout& tiled, const Array<Expr>& tiled_shape,
                         const Array<Expr>& inner_shape);
Layout inner_of_tile(const Layout& outer, const Layout& tiled, const Array<Expr>& tiled_shape,
                     const Array<Expr>& outer_shape);
TileLayout left_of_sum(const Layout& right, const Layout& sum, const Array<Expr>& interleaved_shape,
                       const Array<Expr>& right_shape);
Layout right_of_sum(const Layout& left, const Layout& sum, const Array<Expr>& interleaved_shape,
                    const Array<Expr>& left_shape);

// The iterators split until each of the shapes is made of whole ones; where its dimensions begin, for each.
struct GroupedMany {
  TileLayout layout;
  std::vector<std::vector<int64_t>> separators;
};
GroupedMany group_many(const TileLayout& layout, const std::vector<Array<Expr>>& shapes);

// What the thread axes of a layout count and in what: threads of a warp, threads of a block. Nothing for
// plain memory.
std::optional<std::pair<std::string_view, std::string_view>> scope_of(const TileLayout& layout);

// The same layout with the thread axes of one chain, such as lanes and warps of a warpgroup, counted along
// the one axis that numbers all of these threads. What reaches beyond a block stays as it is.
Layout join_thread_axes(const Layout& layout);

// The coordinates, by axis, of the element whose parts (one for each iterator of `shard`) these are. What the
// iterators make is simplified before an offset is added, which decides the order of terms.
std::vector<std::pair<String, Expr>> apply(const Layout& layout, const Array<Expr>& parts,
                                           const Simplify& simplify);
Array<Expr> split_coordinate(const TileLayout& layout, const Expr& linear);
Expr linear_coordinate(const Array<Expr>& coordinate, const Array<Expr>& shape);

// Exact division of index expressions; null where it is not known to be exact.
Expr exact_quotient(const Expr& a, const Expr& b);
// In the type of `other` where that has more bits.
Expr widened(const Expr& e, const Expr& other);
Expr product(const Array<Expr>& extents);

inline int64_t count(const Array<Expr>& all) { return static_cast<int64_t>(all.size()); }

}  // namespace mlc::ir
