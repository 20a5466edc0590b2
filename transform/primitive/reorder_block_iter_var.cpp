// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform::primitive_reorder_block_iter_var {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "not-a-permutation",
         .message = "the new order is no permutation of the {} iterators of block `{}`",
         .help = "the order has the number of each iterator once",
         .meaning = "The new order has every iterator of the block, none of them twice.",
         .wrong = R"(sch.reorder_block_iter_var(sch.get_sblock("double"), [0, 0]))",
         .right = R"(sch.reorder_block_iter_var(sch.get_sblock("double"), [1, 0]))"},
    }};
MLC_REFUSALS(primitive_reorder_block_iter_var, refusals);

static constexpr char doc[] = R"(
reorder_block_iter_var(block, new_order)      Permute the iterators of a block.

    vi, vj = T.axis.remap("SS", [i, j])      =>      vj, vi = T.axis.remap("SS", [j, i])

`new_order` lists the old positions.
needs: a permutation of all positions.
keeps: everything else.
)";

static void apply(Step& step, BlockHandleArg block, Any new_order) {
  // check
  const SBlockNode* old = block->block();
  std::vector<int64_t> order = integers(step, 2, new_order);
  std::vector<bool> seen(old->iter_vars.size());
  bool permutation = order.size() == seen.size();
  for (int64_t i : order) {
    permutation = permutation && i >= 0 && i < static_cast<int64_t>(seen.size()) && !seen[i];
    if (permutation) seen[i] = true;
  }
  if (!permutation) {
    throw refuse(refusals["not-a-permutation"], seen.size(), block->name.c_str()).at(step.span(2));
  }

  // apply
  SBlockRealize realize = realize_of(step.state, *block);
  Array<IterVar> iters;
  Array<Expr> values;
  for (int64_t i : order) {
    iters.push_back(old->iter_vars[i]);
    values.push_back(realize->iter_values[i]);
  }
  SBlock next = with(ref(old), [&](SBlockNode& copy) { copy.iter_vars = iters; });
  step.replace(*block, with(realize, [&](SBlockRealizeNode& copy) {
    copy.block = next;
    copy.iter_values = values;
  }));
}

extern const Primitive reorder_block_iter_var;
const Primitive reorder_block_iter_var = primitive<&apply>(
    "ReorderBlockIterVar", "reorder_block_iter_var(block, new_order)", doc, "", "new_order");

}  // namespace mlc::transform::primitive_reorder_block_iter_var
