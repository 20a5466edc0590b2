// SPDX-License-Identifier: Apache-2.0
// What is known at a loop: what it and the loops around it run over.
#include "transform/schedule/analysis.h"

#include <algorithm>

namespace mlc::transform {

std::vector<LoopRange> ranges_of(const std::vector<SRefNode*>& loops) {
  std::vector<LoopRange> ranges;
  for (const SRefNode* sref : loops) {
    const ForNode* loop = sref->loop();
    ranges.push_back({loop->loop_var, make<RangeNode>(loop->min, loop->extent)});
  }
  return ranges;
}

void bind_ranges(Analyzer& analyzer, const std::vector<LoopRange>& ranges) {
  for (const LoopRange& each : ranges) analyzer.bind(each.var, each.range);
}

void bind_visibly(Analyzer& analyzer, const LoopRange& loop) {
  auto min = const_int(loop.range->min);
  if (min && is_const_int(loop.range->extent, 1))
    analyzer.bind(loop.var, ConstIntBound{*min, *min});
  else
    analyzer.bind(loop.var, loop.range);
}

Domain domain_of(const std::vector<LoopRange>& ranges) {
  Domain domain;
  for (const auto& [var, range] : ranges) domain[var.get()] = {range->min, range->min + range->extent - 1};
  return domain;
}

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
  for (const LoopRange& each : ranges_of(loops_up(loop)))
    if (is_const_int(each.range->extent, 1)) bind_visibly(analyzer, each);
}

}  // namespace mlc::transform
