// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/active_threads.h"

#include <numeric>

#include "ir/tir/linear.h"

namespace mlc::transform {
namespace {

constexpr int64_t kLanes = 32;
constexpr int64_t kWarpsOfGroup = 4;
constexpr int64_t kLowest = INT64_MIN, kHighest = INT64_MAX;

int64_t ceil_divide(int64_t a, int64_t b) { return -floor_div(-a, b); }

// The warps of one group, and the groups; nothing where the warps are parts of several groups.
std::optional<std::pair<AxisRange, AxisRange>> in_groups(const AxisRange& warp) {
  if (warp.stride != 1) return std::nullopt;
  int64_t first = warp.offset % kWarpsOfGroup, group = warp.offset / kWarpsOfGroup;
  if (first == 0 && warp.extent % kWarpsOfGroup == 0)
    return {{AxisRange{kWarpsOfGroup}, AxisRange{warp.extent / kWarpsOfGroup, group}}};
  if (warp.extent <= kWarpsOfGroup - first) return {{AxisRange{warp.extent, first}, AxisRange{1, group}}};
  return std::nullopt;
}

// The threads numbered low to high - 1, by warps and lanes, where they are a box.
std::optional<std::pair<AxisRange, AxisRange>> numbered(const AxisRange& warp, const AxisRange& lane,
                                                        int64_t low, int64_t high) {
  // As in TVM, whose arithmetic overflows there: a range without a lower end narrows nothing.
  if (low == kLowest) return std::nullopt;
  high = std::min(high, INT64_MAX / 2);
  if (low <= warp.offset * kLanes + lane.offset && warp.last() * kLanes + lane.last() < high)
    return {{warp, lane}};
  if (warp.stride != 1 || lane.stride != 1) return std::nullopt;
  int64_t end = lane.offset + lane.extent;
  int64_t from = std::max(warp.offset, floor_div(low - end, kLanes) + 1);
  int64_t to = std::min(warp.offset + warp.extent, ceil_divide(high - lane.offset, kLanes));
  if (to <= from) return std::nullopt;
  if (to == from + 1) {
    int64_t first = std::max(lane.offset, low - from * kLanes), last = std::min(end, high - from * kLanes);
    if (last <= first) return std::nullopt;
    return {{AxisRange{1, from}, AxisRange{last - first, first}}};
  }
  if (low <= from * kLanes + lane.offset && (to - 1) * kLanes + end <= high)
    return {{AxisRange{to - from, from}, lane}};
  return std::nullopt;
}

}  // namespace

std::optional<AxisRange> AxisRange::within(int64_t low, int64_t high) const {
  int64_t from = low == kLowest ? 0 : std::max<int64_t>(0, ceil_divide(low - offset, stride));
  int64_t to = high == kHighest ? extent : std::min(extent, floor_div(high - 1 - offset, stride) + 1);
  if (to <= from) return std::nullopt;
  return AxisRange{to - from, offset + stride * from, stride};
}

std::optional<AxisRange> AxisRange::congruent(int64_t modulus, int64_t residue) const {
  int64_t period = modulus / std::gcd(stride, modulus);
  for (int64_t i = 0; i < std::min(period, extent); ++i) {
    if ((offset + stride * i - residue) % modulus == 0)
      return AxisRange{(extent - 1 - i) / period + 1, offset + stride * i, stride * period};
  }
  return std::nullopt;
}

std::optional<ActiveThreads> ActiveThreads::all(const ScopeIds& ids) {
  auto threads = const_int(ids.extent(ScopeBinding::kCtaThread));
  if (!threads) return std::nullopt;
  Expr blocks = ids.extent(ScopeBinding::kClusterCta);
  if (!blocks) blocks = ids.extent(ScopeBinding::kKernelCta);
  return ActiveThreads{{kLanes}, {*threads / kLanes}, {blocks ? const_int(blocks).value_or(1) : 1}, nullptr};
}

std::optional<ActiveThreads> ActiveThreads::narrowed(ScopeBinding binding, int64_t low, int64_t high) const {
  ActiveThreads next = *this;
  auto set = [&](AxisRange& axis, std::optional<AxisRange> range) -> std::optional<ActiveThreads> {
    if (!range) return std::nullopt;
    axis = *range;
    return next;
  };
  auto groups = in_groups(warp);
  switch (binding) {
    case ScopeBinding::kWarpThread:
      return set(next.lane, lane.within(low, high));
    case ScopeBinding::kCtaWarp:
      return set(next.warp, warp.within(low, high));
    case ScopeBinding::kClusterCta:
      return set(next.block, block.within(low, high));
    case ScopeBinding::kCtaThread: {
      auto both = numbered(warp, lane, low, high);
      if (!both) return std::nullopt;
      std::tie(next.warp, next.lane) = *both;
      return next;
    }
    case ScopeBinding::kWarpgroupThread: {
      if (!groups || groups->second.extent != 1) return std::nullopt;
      auto both = numbered(groups->first, lane, low, high);
      if (!both) return std::nullopt;
      next.warp = {both->first.extent, groups->second.offset * kWarpsOfGroup + both->first.offset};
      next.lane = both->second;
      return next;
    }
    case ScopeBinding::kCtaWarpgroup: {
      if (warp.stride != 1 || warp.offset % kWarpsOfGroup != 0 || warp.extent % kWarpsOfGroup != 0)
        return std::nullopt;
      auto group = AxisRange{warp.extent / kWarpsOfGroup, warp.offset / kWarpsOfGroup}.within(low, high);
      if (!group) return std::nullopt;
      next.warp = {group->extent * kWarpsOfGroup, group->offset * kWarpsOfGroup};
      return next;
    }
    case ScopeBinding::kWarpgroupWarp: {
      if (!groups || groups->second.extent != 1 || warp.extent > kWarpsOfGroup - warp.offset % kWarpsOfGroup)
        return std::nullopt;
      auto inner = groups->first.within(low, high);
      if (!inner) return std::nullopt;
      next.warp = {inner->extent, warp.offset / kWarpsOfGroup * kWarpsOfGroup + inner->offset};
      return next;
    }
    default:
      return std::nullopt;
  }
}

ActiveThreads ActiveThreads::where(const Expr& condition,
                                   const std::unordered_map<const VarNode*, ScopeBinding>& bindings) const {
  struct Limit {
    ScopeBinding binding;
    int64_t low = kLowest, high = kHighest;
  };
  std::vector<std::pair<const VarNode*, Limit>> limits;
  ActiveThreads next = *this;
  auto limit = [&](const VarNode* var) -> Limit* {
    auto binding = bindings.find(var);
    if (binding == bindings.end()) return nullptr;
    for (auto& [known, one] : limits) {
      if (known == var) return &one;
    }
    return &limits.emplace_back(var, Limit{binding->second}).second;
  };
  std::function<void(const Expr&)> read = [&](const Expr& e) {
    if (as_call_to(e, "tirx.cuda.elect_sync")) {
      for (const auto& [var, binding] : bindings) {
        if (binding != ScopeBinding::kWarpThread) continue;
        next.lane = {1, 0};
        next.elected = call_op(DataType::Int(32), "tirx.selector", {ref(var), e});
        return;
      }
    }
    auto* two = as_binary(e);
    if (!two) return;
    if (e->kind == ExprKind::kAnd) {
      read(two->a);
      return read(two->b);
    }
    Expr left = two->a, right = two->b;
    ExprKind kind = e->kind;
    if (const_int(left)) {
      std::swap(left, right);
      if (kind == ExprKind::kLT || kind == ExprKind::kLE)
        kind = kind == ExprKind::kLT ? ExprKind::kGT : ExprKind::kGE;
      else if (kind == ExprKind::kGT || kind == ExprKind::kGE)
        kind = kind == ExprKind::kGT ? ExprKind::kLT : ExprKind::kLE;
    }
    auto number = const_int(right);
    if (!number) return;
    if (auto* residue = as<FloorModNode>(left); residue && kind == ExprKind::kEQ) {
      auto* var = as<VarNode>(residue->a);
      auto modulus = const_int(residue->b);
      auto binding = var ? bindings.find(var) : bindings.end();
      if (!modulus || *modulus <= 0 || binding == bindings.end() ||
          binding->second != ScopeBinding::kClusterCta)
        return;
      if (auto some = next.block.congruent(*modulus, *number)) next.block = *some;
      return;
    }
    auto* var = as<VarNode>(left);
    Limit* at = var ? limit(var) : nullptr;
    if (!at) return;
    if (kind == ExprKind::kEQ || kind == ExprKind::kGE) at->low = std::max(at->low, *number);
    if (kind == ExprKind::kGT) at->low = std::max(at->low, *number + 1);
    if (kind == ExprKind::kEQ || kind == ExprKind::kLE) at->high = std::min(at->high, *number + 1);
    if (kind == ExprKind::kLT) at->high = std::min(at->high, *number);
  };
  read(condition);
  // Twice: a warp of a group is one warp once the group is one.
  for (int round = 0; round < 2; ++round) {
    for (const auto& [var, one] : limits) {
      if (one.low == kLowest && one.high == kHighest) continue;
      if (auto some = next.narrowed(one.binding, one.low, one.high)) next = *some;
    }
  }
  return next;
}

std::optional<ActiveThreads::Split> ActiveThreads::split(ScopeKind scope) const {
  auto range = [&](const AxisRange& axis, const Expr& offset = nullptr) {
    Array<Any> parts{axis.extent, offset ? Any(offset) : Any(axis.offset)};
    if (axis.stride != 1) parts.push_back(axis.stride);
    return Any(parts);
  };
  Any lanes = range(lane, elected), warps = range(warp), blocks = range(block);
  switch (scope) {
    case ScopeKind::kThread:
      return Split{{{String("cta_id"), blocks}, {String("warpid"), warps}, {String("laneid"), lanes}}, {}};
    case ScopeKind::kWarp:
      return Split{{{String("cta_id"), blocks}, {String("warpid"), warps}}, {{String("laneid"), lanes}}};
    case ScopeKind::kCta:
      return Split{{{String("cta_id"), blocks}}, {{String("warpid"), warps}, {String("laneid"), lanes}}};
    case ScopeKind::kCluster:
      return Split{{}, {{String("cta_id"), blocks}, {String("warpid"), warps}, {String("laneid"), lanes}}};
    case ScopeKind::kWarpgroup: {
      auto groups = in_groups(warp);
      if (!groups) return std::nullopt;
      return Split{{{String("cta_id"), blocks}, {String("wgid"), range(groups->second)}},
                   {{String("wid_in_wg"), range(groups->first)}, {String("laneid"), lanes}}};
    }
  }
  return std::nullopt;
}

}  // namespace mlc::transform
