// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/layout.h"

#include <map>
#include <mutex>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/layout_algebra.h"

namespace mlc::ir {
namespace {

constexpr AxisFacts facts[] = {
    {"bx", true, "thread", "cta"},
    {"by", true, "thread", "cta"},
    {"bz", true, "thread", "cta"},
    {"cbx", true, "cluster", "cta"},
    {"cby", true, "cluster", "cta"},
    {"cbz", true, "cluster", "cta"},
    {"tx", true, "cta", "thread"},
    {"warpid", true, "cta", "warp"},
    {"laneid", true, "warp", "thread"},
    {"wgid", true, "cta", "warpgroup"},
    {"tid_in_wg", true, "warpgroup", "thread"},
    {"wid_in_wg", true, "warpgroup", "warp"},
    {"m", false, "", ""},
    {"P", false, "", ""},
    {"F", false, "", ""},
    {"Bank", false, "", ""},
    {"TCol", false, "", ""},
    {"TLane", false, "", ""},
};

}  // namespace

std::span<const AxisFacts> axis_facts() { return facts; }
const AxisFacts* axis_facts(const AxisNode* axis) {
  for (const AxisFacts& one : facts) {
    if (one.name == view(axis->name)) return &one;
  }
  return nullptr;
}
bool is_thread_axis(const Axis& axis) {
  const AxisFacts* known = axis_facts(axis.get());
  return known && known->is_thread;
}

Axis axis(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, Axis, std::less<>> all;
  std::lock_guard lock(mutex);
  auto found = all.find(name);
  if (found == all.end()) {
    found = all.emplace(std::string(name), make<AxisNode>(String(std::string(name)))).first;
  }
  return found->second;
}
Axis memory_axis() {
  static const Axis m = axis("m");
  return m;
}

Array<Expr> row_major_strides(const Array<Expr>& shape) {
  Expr stride = int32(1);
  for (const Expr& extent : shape) {
    if (extent->dtype() == DataType::Int(32)) continue;
    stride = int_imm(extent->dtype(), 1);
    break;
  }
  std::vector<Expr> strides(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    if (i > 0) stride = mul(stride, shape[static_cast<int64_t>(i)]);
  }
  return Array<Expr>(strides.begin(), strides.end());
}

TileLayout default_layout(const Array<Expr>& shape) {
  Array<Expr> strides = row_major_strides(shape);
  Array<Iter> shard;
  shard.reserve(static_cast<int64_t>(shape.size()));
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i)
    shard.push_back(make<IterNode>(shape[i], strides[i], memory_axis()));
  return make<TileLayoutNode>(std::move(shard));
}

bool is_default_layout(const ObjectRef& layout, const Array<Expr>& shape) {
  auto* tile = layout.as<TileLayoutNode>();
  if (!tile || !tile->replica.empty() || !tile->offset.empty() || tile->shard.size() != shape.size())
    return false;
  Array<Expr> strides = row_major_strides(shape);
  auto same = [](const Expr& a, const Expr& b) { return a.same_as(b) || structural_equal(a, b); };
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    const Iter& iter = tile->shard[i];
    if (view(iter->axis->name) != "m" || !same(iter->extent, shape[i]) || !same(iter->stride, strides[i]))
      return false;
  }
  return true;
}

ObjectRef map_layout(const ObjectRef& layout, const std::function<Expr(const Expr&)>& map) {
  if (auto* compose = layout.as<ComposeLayoutNode>()) {
    ObjectRef tile = map_layout(compose->tile_layout, map);
    if (tile.same_as(compose->tile_layout)) return layout;
    return with(ref(compose), [&](ComposeLayoutNode& n) { n.tile_layout = ref(tile.as<TileLayoutNode>()); });
  }
  auto* tile = layout.as<TileLayoutNode>();
  if (!tile) return layout;
  bool changed = false;
  auto map_iters = [&](const Array<Iter>& iters) {
    Array<Iter> result;
    result.reserve(static_cast<int64_t>(iters.size()));
    for (const Iter& iter : iters) {
      Expr extent = map(iter->extent);
      Expr stride = map(iter->stride);
      bool same = extent.same_as(iter->extent) && stride.same_as(iter->stride);
      changed = changed || !same;
      result.push_back(same ? iter : make<IterNode>(extent, stride, iter->axis));
    }
    return result;
  };
  Array<Iter> shard = map_iters(tile->shard);
  Array<Iter> replica = map_iters(tile->replica);
  Map<String, Expr> offset;
  for (const auto& [key, value] : tile->offset) {
    Expr next = map(value);
    changed = changed || !next.same_as(value);
    offset.Set(key, next);
  }
  if (!changed) return layout;
  return make<TileLayoutNode>(std::move(shard), std::move(replica), std::move(offset));
}

}  // namespace mlc::ir
