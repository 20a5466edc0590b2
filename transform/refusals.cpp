// SPDX-License-Identifier: Apache-2.0
#include "transform/refusals.h"

#include <algorithm>

namespace mlc::transform {

const std::vector<const ir::Refusal*>& refusals() {
  static const std::vector<const ir::Refusal*> all = [] {
    std::vector<const ir::Refusal*> rows;
    for (const ir::RefusalList* list : refusal_lists()) {
      for (const ir::Refusal& row : list->rows) rows.push_back(&row);
    }
    // Of a name that a primitive and a pass share, the row that explains most is the first.
    std::ranges::stable_sort(rows, {}, [](const ir::Refusal* row) {
      return std::pair(row->name, -static_cast<ptrdiff_t>(row->meaning.size()));
    });
    auto again = std::ranges::unique(rows, {}, &ir::Refusal::name);
    rows.erase(again.begin(), again.end());
    return rows;
  }();
  return all;
}

const ir::Refusal* find_refusal(std::string_view name) {
  auto found = std::ranges::lower_bound(refusals(), name, {}, &ir::Refusal::name);
  return found != refusals().end() && (*found)->name == name ? *found : nullptr;
}

}  // namespace mlc::transform
