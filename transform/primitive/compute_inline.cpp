// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/schedule/inline.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_compute_inline {

static constexpr char doc[] = R"(
compute_inline(block)      Compute what a block writes where it is read, and drop the block.

    B[i, j] = f(i, j)            =>      C[i, j] = g(f(i, j + 1))
    C[i, j] = g(B[i, j + 1])

needs: a complete block whose body is one store, `B[i, j] = ...` with distinct iterators as indices; B stays inside the
       scope and nothing else writes it; somebody reads it.
keeps: the values of all other buffers.
)";

// Iterators of one iteration. Where the indices are the iterators in their order, up to a constant 0 for one
// of these, they are at the reader's index; elsewhere at their value. Is nothing else left out that the value
// needs?
static bool add_single_iterators(const SRefNode& block, const BufferStoreNode& store,
                                 std::unordered_map<const VarNode*, size_t>& axis, VarMap& single) {
  const Array<IterVar>& iters = block.block()->iter_vars;
  auto is_single = [](const IterVar& iter) { return is_const_int(iter->dom->extent, 1); };
  bool in_order = iters.size() == store.indices.size();
  for (size_t i = 0; in_order && i < iters.size(); ++i)
    in_order =
        store.indices[i].same_as(iters[i]->var) ||
        (is_const_int(store.indices[i], 0) && is_single(iters[i]) && is_const_int(iters[i]->dom->min, 0));
  std::vector<Var> used = free_vars(store.value);
  for (size_t i = 0; i < iters.size(); ++i) {
    const VarNode* var = iters[i]->var.get();
    if (is_single(iters[i])) {
      axis.erase(var);
      if (in_order)
        axis[var] = i;
      else
        single[var] = iters[i]->dom->min;
    } else if (!axis.contains(var) &&
               std::any_of(used.begin(), used.end(), [&](const Var& other) { return other.get() == var; })) {
      return false;
    }
  }
  return true;
}

static Inlining plan(ScheduleState& state, const BlockArg& block) {
  SRefNode* scope = require_scope(block);
  require_stage_pipeline(state, *scope, "compute_inline");
  require_straight(state, *scope, {&*block}, {&*block}, "compute_inline");
  const SBlockNode* old = block->block();
  if (old->init) {
    throw about_block(refuse(shared_refusals["inline-has-init"], block->name.c_str()), block.span, old->span);
  }
  require_one_buffer(
      *block, old->writes, true, [](const Buffer&) { return true; }, block.span);
  require_complete(state, *block, *scope);
  const BufferStoreNode* store = only_store(*block, block.span);
  const Buffer& buffer = store->buffer;
  require_inner_buffer(buffer, *block, *scope, block.span);
  auto axis = plain_axes(*block, store->indices);
  VarMap single;  // iterators that no index names
  if (axis && !add_single_iterators(*block, *store, *axis, single)) axis.reset();
  // Other indices: the iterators follow from them.
  Array<Expr> outputs;
  for (const Expr& index : store->indices) outputs.push_back(make_var("index", index->dtype()));
  std::optional<VarMap> inverse;
  if (!axis) inverse = iterators_at(*block, store->indices, outputs);
  if (!axis && !inverse) throw indices_not_iterators(*block, block.span);
  Dependences deps = dependences(state, *scope);
  std::vector<SRefNode*> consumers = deps.consumers(*block);
  // Blocks with undeclared reads, of their own or of nested blocks, and those that take the address. None at
  // all: the block goes.
  auto uses = [&](const Stmt& s) {
    return uses_var(s, [&](const VarNode* var) { return var == buffer.get(); });
  };
  for (SRefNode* other : deps.blocks) {
    bool known = other == &*block || std::find(consumers.begin(), consumers.end(), other) != consumers.end();
    if (!known && uses(other->stmt)) consumers.push_back(other);
  }
  for (const SRefNode* consumer : consumers) require_no_alias(*consumer, buffer, block.span);

  LoadReplacement value = [&](const Array<Expr>& indices) {
    VarMap at;
    if (inverse) {
      VarMap given;
      for (size_t d = 0; d < indices.size(); ++d) given[as<VarNode>(outputs[d])] = indices[d];
      for (const auto& [var, value] : *inverse) at[var] = substitute(value, given);
    } else {
      at = single;
      for (const auto& [var, dimension] : *axis) at[var] = indices[dimension];
    }
    return at_iterators(store->value, at);
  };
  return inline_block(*scope, *block, consumers, buffer, value);
}

static void apply(Step& step, BlockArg block) {
  Inlining inlining = plan(step.state, block);
  step.replace(*inlining.scope, inlining.next, inlining.reuse);
}

extern const Primitive compute_inline;
const Primitive compute_inline = primitive<&apply>("ComputeInline", "compute_inline(block)", doc);

}  // namespace mlc::transform::primitive_compute_inline

namespace mlc::transform {
Inlining plan_compute_inline(ScheduleState& state, const BlockArg& block) {
  return primitive_compute_inline::plan(state, block);
}
}  // namespace mlc::transform
