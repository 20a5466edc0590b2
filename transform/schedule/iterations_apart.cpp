// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/iterations_apart.h"

#include <algorithm>

#include "ir/tir/linear.h"

namespace mlc::transform {

bool accessed_by_one_iteration(SRefNode& loop, const TensorRegion& a, const VarMap& a_values,
                               const TensorRegion& b, const VarMap& b_values) {
  std::vector<SRefNode*> around = loops_up(loop);
  auto is_around = [&](const std::pair<Expr, int64_t>& term) {
    return std::any_of(around.begin(), around.end(),
                       [&](SRefNode* each) { return term.first.same_as(each->loop()->loop_var); });
  };
  for (size_t d = 0; d < a->region.size(); ++d) {
    if (!is_const_int(a->region[d]->extent, 1) || !is_const_int(b->region[d]->extent, 1)) continue;
    Expr first = substitute(a->region[d]->min, a_values), second = substitute(b->region[d]->min, b_values);
    auto terms = ir::LinearForm::of(first).terms;
    bool moves = std::any_of(terms.begin(), terms.end(),
                             [&](const auto& term) { return term.first.same_as(loop.loop()->loop_var); });
    if (moves && ir::constant_difference(first, second) == 0 &&
        std::all_of(terms.begin(), terms.end(), is_around))
      return true;
  }
  return false;
}

// Is there a dimension in which both regions have fixed places that do not meet?
static bool fixed_apart(const TensorRegion& a, const TensorRegion& b) {
  for (size_t d = 0; d < a->region.size(); ++d) {
    auto first = const_int(a->region[d]->min), second = const_int(b->region[d]->min);
    auto length = const_int(a->region[d]->extent), other = const_int(b->region[d]->extent);
    if (first && second && length && other && (*first + *length <= *second || *second + *other <= *first))
      return true;
  }
  return false;
}

bool writes_apart(ScheduleState& state, SRefNode& loop, SRefNode& block) {
  Dependences deps = dependences(state, loop);
  VarMap values = bindings_of(realize_of(state, block));
  for (const TensorRegion& region : deps.writes(block)) {
    for (SRefNode* writer : deps.writers[region->source.get()]) {
      if (writer == &block) continue;
      VarMap written_values = bindings_of(realize_of(state, *writer));
      for (const TensorRegion& written : deps.writes(*writer)) {
        if (written->source.same_as(region->source) && !fixed_apart(region, written) &&
            !accessed_by_one_iteration(loop, region, values, written, written_values))
          return false;
      }
    }
  }
  return true;
}

}  // namespace mlc::transform
