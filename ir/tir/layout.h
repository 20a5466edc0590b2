// SPDX-License-Identifier: Apache-2.0
// Layouts of buffers in kernel functions: where an element of a logical shape is, as a coordinate on named
// axes. `m` is memory; others are threads (`laneid`, `tx`, ...) or special memories (`TLane`, `TCol`, `P`,
// `F`, `Bank`). A buffer without a layout (schedulable functions) is plain row-major memory.
#pragma once

#include "ir/core/expr.h"

namespace mlc::ir {

// Interned: one object per name, so that axes compare by identity.
struct AxisNode final : ffi::Object {
  String name;
  explicit AxisNode(String name) : name(std::move(name)) {}
  template <class F>
  static void fields(F& f) {
    f("name", &AxisNode::name);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.tirx.Axis", AxisNode, ffi::Object);
};
using Axis = Ref<AxisNode>;

// What is known of an axis. Thread axes have the scope they count in and the one they count.
struct AxisFacts {
  std::string_view name;
  bool is_thread;
  std::string_view scope, subscope;
};
std::span<const AxisFacts> axis_facts();
const AxisFacts* axis_facts(const AxisNode* axis);  // null for names that are not registered
Axis axis(std::string_view name);
Axis memory_axis();  // axis("m")
bool is_thread_axis(const Axis& axis);

// `extent` steps of `stride` along an axis.
struct IterNode final : ffi::Object {
  Expr extent;
  Expr stride;
  Axis axis;
  IterNode(Expr extent, Expr stride, Axis axis)
      : extent(std::move(extent)), stride(std::move(stride)), axis(std::move(axis)) {}
  template <class F>
  static void fields(F& f) {
    f("extent", &IterNode::extent);
    f("stride", &IterNode::stride);
    f("axis", &IterNode::axis);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.tirx.Iter", IterNode, ffi::Object);
};
using Iter = Ref<IterNode>;

struct LayoutNode : ffi::Object {
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE_BASE("mlc.tirx.Layout", LayoutNode, ffi::Object);
};
using Layout = Ref<LayoutNode>;

// The linear index of an element, split by the extents of `shard` (the last runs fastest), each part times
// its stride on its axis, plus `offset`; and the same again for every combination of `replica`.
struct TileLayoutNode final : LayoutNode {
  Array<Iter> shard;
  Array<Iter> replica;
  Map<String, Expr> offset;  // by the name of the axis

  TileLayoutNode(Array<Iter> shard, Array<Iter> replica = {}, Map<String, Expr> offset = {})
      : shard(std::move(shard)), replica(std::move(replica)), offset(std::move(offset)) {}
  template <class F>
  static void fields(F& f) {
    f("shard", &TileLayoutNode::shard);
    f("replica", &TileLayoutNode::replica);
    f("offset", &TileLayoutNode::offset);
  }
  MLC_NODE("mlc.tirx.TileLayout", TileLayoutNode, LayoutNode);
};
using TileLayout = Ref<TileLayoutNode>;

// A tile layout whose memory addresses are permuted: bits [per_element, per_element + swizzle_len) are xored
// with those atom_len above them (swizzle_inner) or the other way round.
struct ComposeLayoutNode final : LayoutNode {
  int64_t per_element, swizzle_len, atom_len;
  bool swizzle_inner;
  TileLayout tile_layout;

  ComposeLayoutNode(int64_t per_element, int64_t swizzle_len, int64_t atom_len, bool swizzle_inner,
                    TileLayout tile_layout)
      : per_element(per_element),
        swizzle_len(swizzle_len),
        atom_len(atom_len),
        swizzle_inner(swizzle_inner),
        tile_layout(std::move(tile_layout)) {}
  template <class F>
  static void fields(F& f) {
    f("per_element", &ComposeLayoutNode::per_element);
    f("swizzle_len", &ComposeLayoutNode::swizzle_len);
    f("atom_len", &ComposeLayoutNode::atom_len);
    f("swizzle_inner", &ComposeLayoutNode::swizzle_inner);
    f("tile_layout", &ComposeLayoutNode::tile_layout);
  }
  MLC_NODE("mlc.tirx.ComposeLayout", ComposeLayoutNode, LayoutNode);
};
using ComposeLayout = Ref<ComposeLayoutNode>;

// Row-major strides in the index type of the shape (that of its first extent that is not int32).
Array<Expr> row_major_strides(const Array<Expr>& shape);
// Row-major memory of that shape: the default of buffers of kernel functions.
TileLayout default_layout(const Array<Expr>& shape);
bool is_default_layout(const ObjectRef& layout, const Array<Expr>& shape);
// The layout with `map` applied to every expression in it; the same object where nothing changes.
ObjectRef map_layout(const ObjectRef& layout, const std::function<Expr(const Expr&)>& map);

}  // namespace mlc::ir
