// SPDX-License-Identifier: Apache-2.0
// Methods of layouts that relate one to another, to shapes, and to the threads it counts.
#include <algorithm>

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/builder/scope_binding.h"
#include "frontend/tvmscript/device/layout_arguments.h"
#include "ir/tir/layout_algebra.h"
#include "ir/tir/stmt.h"

namespace mlc::tvmscript {
namespace {

using ir::Layout;
using ir::TileLayout;

constexpr std::string_view kTile = "mlc.tirx.TileLayout";
constexpr std::string_view kCompose = "mlc.tirx.ComposeLayout";

Layout layout_arg(const ApiCall& call, size_t i) {
  if (auto* layout = call.args[i].as<ir::LayoutNode>()) return ir::ref(layout);
  ir::wrong_argument(call, i, "a layout");
}

// The other part of a layout that this one is a part of, or None.
template <auto kOther>
Any other_part(ApiCall& call) {
  auto part = kOther(layout_self(call), layout_arg(call, 1), exprs_arg(call, 2), exprs_arg(call, 3));
  return part ? Any(part) : Any(nullptr);
}

Any group_many(ApiCall& call) {
  std::vector<Array<Expr>> shapes;
  for (const Any& shape : items(call.args[1], call.span_of(1))) {
    Array<Expr> extents;
    for (const Any& extent : items(shape, call.span_of(1)))
      extents.push_back(script::as_expr(extent, call.span_of(1), "an extent"));
    shapes.push_back(std::move(extents));
  }
  ir::GroupedMany grouped = ir::group_many(ir::ref(call.args[0].as<ir::TileLayoutNode>()), shapes);
  Array<Any> separators;
  for (const auto& one : grouped.separators) separators.push_back(tuple_of(one));
  return Array<Any>{Any(grouped.layout), Any(separators)};
}

// Dimension by dimension where the layout divides along the shape; through the linear index where it does
// not.
Any apply_to_shape(ApiCall& call) {
  TileLayout tile = ir::tile_of(layout_self(call));
  Array<Expr> coordinate = exprs_arg(call, 1);
  Array<Expr> shape = exprs_arg(call, 2);
  script::List result;
  auto append_all = [&](const Array<Expr>& parts) {
    for (const Expr& part : parts) result.push_back(Any(part));
  };
  std::optional<ir::Grouped> grouped;
  try {
    grouped = ir::group(tile, shape);
  } catch (const ir::Error&) {
    append_all(ir::split_coordinate(tile, ir::linear_coordinate(coordinate, shape)));
    return result;
  }
  if (coordinate.size() != shape.size()) ir::wrong_argument(call, 1, "a coordinate for each dimension");
  append_all(grouped_coordinate(*grouped, coordinate));
  return result;
}

Any get_scope(ApiCall& call) {
  auto scopes = ir::scope_of(ir::ref(call.args[0].as<ir::TileLayoutNode>()));
  if (!scopes) return nullptr;
  return Array<Any>{Any(ir::exec_scope(scope_kind_named(scopes->first))),
                    Any(ir::exec_scope(scope_kind_named(scopes->second)))};
}

template <bool inner>
Any axis_scope(ApiCall& call) {
  auto* axis = call.args[0].as<ir::AxisNode>();
  const ir::AxisFacts* facts = ir::axis_facts(axis);
  if (!facts || !facts->is_thread) return nullptr;
  return ir::exec_scope(scope_kind_named(inner ? facts->subscope : facts->scope));
}

// Dimensions over partitions, along them, and over banks, which is what Trainium's memories have; those over
// threads are not asked.
Any is_trainium(ApiCall& call) {
  auto* tile = call.args[0].as<ir::TileLayoutNode>();
  if (!tile) return false;
  return std::all_of(tile->shard.begin(), tile->shard.end(), [](const ir::Iter& iter) {
    std::string_view name = view(iter->axis->name);
    const ir::AxisFacts* facts = ir::axis_facts(iter->axis.get());
    return name == "P" || name == "F" || name == "Bank" || (facts != nullptr && facts->is_thread);
  });
}

// The bits that a swizzle xors, and those it xors them with.
template <bool outer>
Any mask(ApiCall& call) {
  auto* compose = call.args[0].as<ir::ComposeLayoutNode>();
  int64_t ones = (int64_t{1} << compose->swizzle_len) - 1;
  return outer ? ones << compose->atom_len : ones;
}

using ir::ApiKind;
constexpr ir::ApiRow layout_relation_table[] = {
    {ApiKind::kMethod, kLayout, "is_tile_inner(tile_layout, tiled_shape, inner_shape)",
     "The outer layout of a tiled layout whose inner one is this; None where it is not.",
     other_part<ir::outer_of_tile>},
    {ApiKind::kMethod, kLayout, "is_tile_outer(tile_layout, tiled_shape, outer_shape)",
     "The inner layout of a tiled layout whose outer one is this; None where it is not.",
     other_part<ir::inner_of_tile>},
    {ApiKind::kMethod, kLayout, "is_direct_sum_right(sum_layout, interleaved_shape, right_shape)",
     "The left part of a sum whose right part is this; None where it is not.", other_part<ir::left_of_sum>},
    {ApiKind::kMethod, kLayout, "is_direct_sum_left(sum_layout, interleaved_shape, left_shape)",
     "The right part of a sum whose left part is this; None where it is not.", other_part<ir::right_of_sum>},
    {ApiKind::kMethod, kLayout, "apply_to_shape(coord, input_shape)",
     "What each iterator counts for an element of a buffer of that shape.", apply_to_shape},
    {ApiKind::kMethod, kLayout, "is_trainium()", "Does it lie in partitions, along them and in banks only?",
     is_trainium},
    {ApiKind::kMethod, kTile, "group_many(shapes)",
     "Split until each of the shapes is made of whole iterators, and where their dimensions begin.",
     group_many},
    {ApiKind::kMethod, kTile, "get_scope()",
     "What its thread axes count, and in what: threads of a block. None for plain memory.", get_scope},
    {ApiKind::kProperty, kCompose, "inner_mask", "The lower bits that a swizzle xors.", mask<false>},
    {ApiKind::kProperty, kCompose, "outer_mask", "The upper bits that a swizzle xors.", mask<true>},
    {ApiKind::kMethod, kAxis, "get_scope()", "The scope in which it counts.", axis_scope<false>},
    {ApiKind::kMethod, kAxis, "get_subscope()", "What it counts.", axis_scope<true>},
};

}  // namespace

std::span<const ir::ApiRow> layout_relation_rows() { return layout_relation_table; }

}  // namespace mlc::tvmscript
