// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "ir/relax/visit.h"

namespace mlc::transform {

// The module with every graph rewritten. Each is put back, changed or not, which moves it behind the other functions:
// names that later passes make, and what is compiled, follow this order, as in TVM.
template <class F>
IRModule rewrite_graphs(const IRModule& mod, F rewrite) {
  std::vector<std::pair<GlobalVar, relax::Function>> made;
  bool changed = false;
  for (const auto& [name, base] : mod->functions) {
    auto fn = base.template as<relax::Function>();
    if (!fn) continue;
    made.emplace_back(name, rewrite(*fn));
    changed = changed || !made.back().second.same_as(*fn);
  }
  IRModule next = with(mod, [&](IRModuleNode& node) {
    for (const auto& [name, fn] : made) node.functions.Set(name, fn);
  });
  bool same_order = std::equal(mod->functions.begin(), mod->functions.end(), next->functions.begin(),
                               [](const auto& a, const auto& b) { return a.first.same_as(b.first); });
  return changed || !same_order ? next : mod;
}

}  // namespace mlc::transform
