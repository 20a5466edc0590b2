// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/repeated_instances.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/tir/for_kind.h"
#include "transform/arith/iter_map.h"
#include "transform/schedule/cover.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/witness.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "instances-side-by-side",
         .message =
             "iterations of loop `{}` run side by side, and several of them would run an instance of block "
             "`{}`, some before all that it reads of `{}` is written",
         .help = "choose another loop; where factors divide the extents, no instance runs twice",
         .meaning = "Where blocks run again, the last run must see all; side by side none is the last."},
    }};
MLC_REFUSALS(schedule_repeated_instances, refusals);

namespace {

// The loops around a block that moves into `loop`, outermost first, and its realize there.
class MovedNest {
 public:
  MovedNest(SRefNode& loop, const Stmt& subtree) : around(loops_up(loop)) {
    std::reverse(around.begin(), around.end());
    const Stmt* below = &subtree;
    for (; as<ForNode>(*below); below = &as<ForNode>(*below)->body) {
      made_.push_back(std::make_unique<SRefNode>());
      made_.back()->stmt = *below;
      made_.back()->name = as<ForNode>(*below)->loop_var->name;
      around.push_back(made_.back().get());
    }
    realize = ref(as<SBlockRealizeNode>(*below));
  }
  std::vector<SRefNode*> around;
  SBlockRealize realize;

 private:
  std::vector<std::unique_ptr<SRefNode>> made_;
};

}  // namespace

void require_sums_once(ScheduleState& state, const SRefNode& block, SRefNode& loop, const Stmt& subtree,
                       Span span) {
  if (!block.block()->init) return;
  MovedNest nest(loop, subtree);
  for (SRefNode* each : nest.around) {
    const ForNode* one = each->loop();
    if (ir::runs_side_by_side(one->for_kind))
      require_independent(state, block, nest.realize, nest.around, *each,
                          one->thread_binding ? view(one->thread_binding->thread_tag) : "", span);
  }
  auto first = std::ranges::find_if(nest.around,
                                    [&](const SRefNode* each) { return used_by(nest.realize, *each, true); });
  if (first == nest.around.end()) return;
  std::vector<SRefNode*> inside(first, nest.around.end());
  if (!repeats_instances(nest.realize, inside)) return;
  Error error =
      refuse_as(shared_refusals["reduction-repeated"],
                "below loop `{}`, inside of `{}`, which reduces, block `{}` would add to its sums again",
                loop.name.c_str(), inside[0]->name.c_str(), block.name.c_str());
  if (state.explaining) add_witness(error, instance_met_twice(nest.realize, inside));
  throw about_block(std::move(error), span, block.stmt->span)
      .help("choose a loop around all loops that compute one element of what it reads");
}

void require_whole_reads(ScheduleState& state, SRefNode& block, SRefNode& loop, const Stmt& subtree,
                         const SRefNode& scope, const Stmt& next_scope, Span span) {
  MovedNest nest(loop, subtree);
  auto first = std::ranges::find_if(nest.around, [](const SRefNode* each) {
    return ir::runs_side_by_side(each->loop()->for_kind) && !is_const_int(each->loop()->extent, 1);
  });
  if (first == nest.around.end()) return;
  Analyzer analyzer;
  bind_loops(analyzer, nest.around);
  IterMapResult once = detect_iter_map(nest.realize->iter_values, ranges_of(nest.around), bool_imm(true),
                                       IterMapCheck::kBijective, analyzer, false);
  if (!once.indices.empty() && once.exact) return;
  auto lost = first_uncovered(state, scope, next_scope, {}, covered_by_producers(state, {&block}));
  if (!lost) return;
  Error error = refuse(refusals["instances-side-by-side"], (*first)->name.c_str(), block.name.c_str(),
                       lost->buffer->name.c_str());
  if (state.explaining) add_witness(error, instance_met_twice(nest.realize, nest.around));
  throw about_block(std::move(error), span, block.stmt->span);
}

}  // namespace mlc::transform
