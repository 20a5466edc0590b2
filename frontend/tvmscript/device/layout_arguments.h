// SPDX-License-Identifier: Apache-2.0
// What the rows of layouts share.
#pragma once

#include <algorithm>
#include <ranges>

#include "frontend/tvmscript/builder/arguments.h"
#include "ir/tir/layout_algebra.h"

namespace mlc::tvmscript {

inline constexpr std::string_view kLayoutModule = "tvm.tirx.layout";
inline constexpr std::string_view kAxis = "mlc.tirx.Axis";
inline constexpr std::string_view kLayout = "mlc.tirx.Layout";

inline ir::Layout layout_self(const ir::ApiCall& call) { return call.args[0].cast<ir::Layout>(); }

inline ffi::Any tuple_of(std::span<const int64_t> numbers) {
  ffi::Array<ffi::Any> all;
  for (int64_t n : numbers) all.push_back(n);
  return all;
}

// What each iterator counts, dimension by dimension.
inline Array<Expr> grouped_coordinate(const ir::Grouped& grouped, const Array<Expr>& coordinate) {
  Array<Expr> parts;
  for (size_t dim = 0; dim < coordinate.size(); ++dim) {
    const Array<ir::Iter>& all = grouped.layout->shard;
    Array<ir::Iter> own(all.begin() + grouped.separators[dim], all.begin() + grouped.separators[dim + 1]);
    for (const Expr& part :
         ir::split_coordinate(ir::make<ir::TileLayoutNode>(own), coordinate[static_cast<int64_t>(dim)]))
      parts.push_back(part);
  }
  return parts;
}

// Does it name each of `size` dimensions once?
inline bool is_permutation(std::span<const int64_t> order, size_t size) {
  return std::ranges::is_permutation(order, std::views::iota(int64_t{0}, static_cast<int64_t>(size)));
}

}  // namespace mlc::tvmscript
