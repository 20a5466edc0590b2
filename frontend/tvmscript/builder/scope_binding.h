// SPDX-License-Identifier: Apache-2.0
// Which ids count what within what.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "ir/tir/stmt.h"

namespace mlc::tvmscript {

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
