// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/surroundings.h"

#include <algorithm>

namespace mlc::transform {

void bind_surroundings(Analyzer& analyzer, ScheduleState& state, SRefNode& loop) {
  std::vector<SRefNode*> around = loops_up(loop);
  std::unordered_set<const VarNode*> loop_vars;
  for (SRefNode* sref : around) loop_vars.insert(sref->loop()->loop_var.get());
  std::reverse(around.begin(), around.end());
  // Symbolic extents are not negative.
  PrimFunc fn = state.function(state.index_of(loop).name);
  auto sizes = [&](const Expr& e) {
    for (const Var& var : free_vars(e)) {
      if (!loop_vars.contains(var.get()) && var->dtype().is_int())
        analyzer.bind(var, ConstIntBound{0, ConstIntBound::kPosInf});
    }
  };
  for (const Var& param : fn->params) {
    if (auto* buffer = param->buffer()) {
      for (const Expr& dim : buffer->shape) sizes(dim);
    }
  }
  bind_loops(analyzer, around);
}

void bind_surroundings_visibly(Analyzer& analyzer, ScheduleState& state, SRefNode& loop) {
  bind_surroundings(analyzer, state, loop);
  for (const LoopRange& each : ranges_of(loops_up(loop))) {
    auto min = const_int(each.range->min);
    if (min && is_const_int(each.range->extent, 1)) analyzer.bind(each.var, ConstIntBound{*min, *min});
  }
}

}  // namespace mlc::transform
