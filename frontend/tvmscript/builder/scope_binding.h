// SPDX-License-Identifier: Apache-2.0
// Which ids count what within what.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "ir/tir/stmt.h"

namespace mlc::tvmscript {

// The scopes by name; another name is one thread's.
inline constexpr std::pair<std::string_view, ir::ScopeKind> scope_kinds[] = {
    {"cluster", ir::ScopeKind::kCluster},     {"cta", ir::ScopeKind::kCta},
    {"warpgroup", ir::ScopeKind::kWarpgroup}, {"warp", ir::ScopeKind::kWarp},
    {"thread", ir::ScopeKind::kThread}};
inline ir::ScopeKind scope_kind_named(std::string_view name) {
  for (const auto& [known, kind] : scope_kinds)
    if (known == name) return kind;
  return ir::ScopeKind::kThread;
}

struct ScopeBindingRow {
  std::string_view parent, current;
  ir::ScopeBinding binding;
};
inline constexpr ScopeBindingRow scope_bindings[] = {
    {"kernel", "cluster", ir::ScopeBinding::kKernelCluster},
    {"kernel", "cta", ir::ScopeBinding::kKernelCta},
    {"cluster", "cta", ir::ScopeBinding::kClusterCta},
    {"cta", "warpgroup", ir::ScopeBinding::kCtaWarpgroup},
    {"cta", "warp", ir::ScopeBinding::kCtaWarp},
    {"warpgroup", "warp", ir::ScopeBinding::kWarpgroupWarp},
    {"warp", "thread", ir::ScopeBinding::kWarpThread},
    {"cta", "thread", ir::ScopeBinding::kCtaThread},
    {"warpgroup", "thread", ir::ScopeBinding::kWarpgroupThread},
    {"cluster", "cta_pair", ir::ScopeBinding::kClusterCtaPair}};

// Nothing where no id counts `current` within `parent`.
inline std::optional<ir::ScopeBinding> scope_binding(std::string_view parent, std::string_view current) {
  for (const ScopeBindingRow& row : scope_bindings) {
    if (row.parent == parent && row.current == current) return row.binding;
  }
  return std::nullopt;
}
inline std::pair<std::string_view, std::string_view> scope_names(ir::ScopeBinding binding) {
  for (const ScopeBindingRow& row : scope_bindings) {
    if (row.binding == binding) return {row.parent, row.current};
  }
  return {};
}

}  // namespace mlc::tvmscript
