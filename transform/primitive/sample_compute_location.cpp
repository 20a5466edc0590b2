// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/schedule/compute_location.h"
#include "transform/schedule/inline.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform::primitive_sample_compute_location {

static constexpr char doc[] = R"(
sample_compute_location(block, decision=None) -> location      Draw a place where a block could be computed.

    l = sch.sample_compute_location(b)      =>      decision=2: the third loop around its first consumer
    sch.compute_at(b, l)

The decision -2 is to inline the block, -1 to leave it where it is; `compute_at` and `reverse_compute_at` do so when given
the location. Others count the loops around the first consumer. Loops of one iteration are no candidates, nor are
reduction loops below the last data-parallel loop and data-parallel loops below the first reduction loop. A given decision
that is no candidate becomes the nearest one before it, -1 where there is none.
keeps: the module.
)";

namespace {

enum class Use : uint8_t { kDataPar, kReduction, kOther };

// What the iterators of blocks below make of a loop. A loop that several kinds use is none of them.
Use use_of(ScheduleState& state, const SRefNode& loop) {
  size_t spatial = 0, reduction = 0, other = 0;
  const VarNode* var = loop.loop()->loop_var.get();
  for (SRefNode* block : child_blocks(state, loop)) {
    SBlockRealize realize = realize_of(state, *block);
    for (size_t i = 0; i < realize->iter_values.size(); ++i) {
      if (!uses_var(realize->iter_values[i], [&](const VarNode* used) { return used == var; })) continue;
      IterType type = block->block()->iter_vars[i]->iter_type;
      ++(type == IterType::kDataPar ? spatial : type == IterType::kCommReduce ? reduction : other);
    }
  }
  if (other || (spatial && reduction)) return Use::kOther;
  return reduction ? Use::kReduction : Use::kDataPar;
}

template <class Plan>
bool possible(const Plan& plan) {
  try {
    plan();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Does the block write many elements along a dimension that none of its iterators steps through? TVM cannot
// decide which instances are needed then, and has no locations for it; `compute_at` does it all the same.
bool writes_whole_dimension(const SBlockNode& block) {
  for (const TensorRegion& write : block.writes) {
    for (const Range& range : write->region) {
      bool steps = uses_var(range->min, [&](const VarNode* var) {
        return std::any_of(block.iter_vars.begin(), block.iter_vars.end(),
                           [&](const IterVar& iter) { return iter->var.get() == var; });
      });
      if (!steps && !is_const_int(range->extent, 1)) return true;
    }
  }
  return false;
}

struct Location {
  int64_t decision;
  SRefNode* loop;  // null for -2 and -1
};

std::vector<Location> locations_of(ScheduleState& state, const BlockArg& block) {
  std::vector<Location> found;
  if (possible([&] { plan_compute_inline(state, block); })) found.push_back({-2, nullptr});
  found.push_back({-1, nullptr});
  SRefNode* scope = scope_of(*block);
  std::vector<SRefNode*> consumers;
  if (scope) consumers = declared_dependences(state, *scope).consumers(*block);
  if (consumers.empty() || writes_whole_dimension(*block->block())) return found;
  SRefNode* deepest = consumers.size() > 1 ? common_above(consumers) : consumers[0]->parent;
  if (!deepest || !deepest->loop()) return found;
  std::vector<SRefNode*> loops = loops_up(*deepest);
  std::reverse(loops.begin(), loops.end());
  std::vector<Use> uses;
  int64_t last_spatial = -1;
  for (SRefNode* loop : loops) {
    uses.push_back(use_of(state, *loop));
    if (uses.back() == Use::kDataPar) last_spatial = static_cast<int64_t>(uses.size()) - 1;
  }
  bool reduces = false;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (is_const_int(loops[i]->loop()->extent, 1)) continue;
    if (uses[i] == Use::kDataPar && reduces) break;
    if (uses[i] != Use::kDataPar) {
      reduces = true;
      if (static_cast<int64_t>(i) > last_spatial) break;
    }
    LoopArg loop{state.owner(loops[i]), block.span};
    if (possible([&] { plan_compute_at(state, block, loop, true, -1, block.span); }))
      found.push_back({static_cast<int64_t>(i), loops[i]});
  }
  return found;
}

Any apply(Step& step, BlockArg block, std::optional<int64_t> given) {
  // check
  std::vector<Location> locations = locations_of(step.state, block);

  // apply
  Location chosen{-1, nullptr};
  if (!given) {
    chosen = locations[sample_below(step.schedule.random_state, static_cast<int32_t>(locations.size()))];
  } else {
    for (const Location& location : locations)
      if (location.decision <= *given) chosen = location;
  }
  step.call.args[2] = chosen.decision;
  if (chosen.loop) return step.handle(chosen.loop);
  return step.mark(chosen.decision == -2 ? Mark::kInline : Mark::kRoot);
}

}  // namespace

extern const Primitive sample_compute_location;
const Primitive sample_compute_location =
    primitive<&apply>("SampleComputeLocation", "sample_compute_location(block, decision=None)", doc);

}  // namespace mlc::transform::primitive_sample_compute_location

namespace mlc::transform {

std::vector<int64_t> compute_locations(ScheduleState& state, const BlockArg& block) {
  std::vector<int64_t> decisions;
  for (const auto& location : primitive_sample_compute_location::locations_of(state, block))
    decisions.push_back(location.decision);
  return decisions;
}

}  // namespace mlc::transform
