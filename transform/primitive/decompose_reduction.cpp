// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "ir/tir/reduction_init.h"
#include "transform/arith/simplify.h"
#include "transform/pass/fresh_binders.h"
#include "transform/schedule/primitive.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/witness.h"

namespace mlc::transform::primitive_decompose_reduction {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "reduction-loop-outside",
         .message = "loop `{}`, a reduction loop of block `{}`, is outside of loop `{}`",
         .help = "choose the outermost reduction loop, or one around it",
         .meaning = "A reduction starts in front of all of its loops.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.reorder(k, i, j)
sch.decompose_reduction("product", i))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.decompose_reduction("product", i))"},
        {.name = "sums-may-not-start",
         .message =
             "loop `{}` gives reduction iterators and others of block `{}`, and may have no iterations: "
             "an initialisation in its iterations would not run",
         .help = "decompose before `fuse`, or tell the extents",
         .meaning =
             "The initialisation would stand in a loop of no iterations, and the results would stay unset.",
         .wrong = R"(@T.prim_func(s_tir=True)
def sums(a: T.handle, C: T.Buffer((16,), "float32"), n: T.int32):
    A = T.match_buffer(a, (16, n))
    for i, k in T.grid(16, n):
        with T.sblock("sums"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = 0.0
            C[vi] = C[vi] + A[vi, vk]


other = tvm.s_tir.Schedule(sums)
both = other.fuse(*other.get_loops("sums"))
other.decompose_reduction("sums", both))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.decompose_reduction("product", k))"},
        {.name = "sums-never-start",
         .message =
             "no iteration of block `{}` is the first of its sum: it goes on with what is there, and an "
             "initialisation in front would start it",
         .help = "let its reduction iterators begin with their first values",
         .meaning = "A sum none of whose steps is the first goes on with what was there before."},
    }};
MLC_REFUSALS(primitive_decompose_reduction, refusals);

static constexpr char doc[] = R"(
decompose_reduction(block, loop) -> block      Split a reduction into its initialisation, put before the loop, and its updates.

    for i, k in T.grid(n, m):           =>      for i_init in range(n):
        with T.sblock("C"):                         with T.sblock("C_init"):
            with T.init():                              C[vi] = 0.0
                C[vi] = 0.0                     for i, k in T.grid(n, m):
            C[vi] = C[vi] + A[vi, vk]               with T.sblock("C_update"):
                                                        C[vi] = C[vi] + A[vi, vk]

Returns the new block; the given block becomes the update.
needs: a reduction block in a stage pipeline; the loop is around it, and no loop outside of that loop belongs to a
       reduction iterator.
keeps: the values computed.
)";

// Does nobody else store what the block stores, in memory of the function's own?
static bool stores_alone(const SRefNode& block) {
  const SBlockNode* own = block.block();
  return std::all_of(own->writes.begin(), own->writes.end(), [&](const TensorRegion& write) {
    auto is_this = [&](const Buffer& other) { return other.same_as(write->source); };
    for (const SRefNode* around = block.parent; around != nullptr; around = around->parent) {
      const SBlockNode* scope = around->block();
      if (scope == nullptr || std::none_of(scope->alloc_buffers.begin(), scope->alloc_buffers.end(), is_this))
        continue;
      bool alone = true;
      ir::walk_with(scope->body, [&](const SBlockNode* other, ir::Walker& on) {
        if (other != own && touches(other->writes, write->source)) alone = false;
        on.walk_children(Stmt(ref(other)));
      });
      return alone;
    }
    return false;
  });
}

// Without the conditions on reduction loops of one step, as without those on all other reduction loops, where
// what is initialised beyond them is memory that nobody stores or looks at: its loops stay whole.
static Expr condition_of_init(const SRefNode& block, const SBlockRealizeNode& realize,
                              const std::vector<SRefNode*>& loops) {
  auto is_unit = [&](const VarNode* var) {
    return std::any_of(loops.begin(), loops.end(), [&](const SRefNode* each) {
      const ForNode* loop = each->loop();
      return loop->loop_var.get() == var && is_const_int(loop->extent, 1) &&
             ir::used_by(realize, var, true) && !ir::used_by(realize, var, false);
    });
  };
  std::vector<Expr> conditions = conjuncts(realize.predicate);
  size_t all = conditions.size();
  std::erase_if(conditions, [&](const Expr& condition) { return uses_var(condition, is_unit); });
  if (conditions.size() == all) return realize.predicate;
  Analyzer analyzer;
  for (const SRefNode* each : loops_above(block)) {
    const ForNode* loop = each->loop();
    analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
  }
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    const IterVar& iter = realize.block->iter_vars[i];
    if (iter->iter_type != ir::IterType::kDataPar) continue;
    const Expr& value = realize.iter_values[i];
    if (!analyzer.can_prove(ge(value, iter->dom->min)) ||
        !analyzer.can_prove(lt(value, ir::add(iter->dom->min, iter->dom->extent))))
      return realize.predicate;
  }
  if (!stores_alone(block)) return realize.predicate;
  Expr kept = ir::bool_imm(true);
  for (const Expr& condition : conditions) kept = logical_and(kept, condition);
  return kept;
}

// Is there no iteration in which all reduction iterators have their first values?
static bool never_starts(const SBlockRealize& realize, const std::vector<SRefNode*>& loops) {
  Analyzer analyzer;
  ir::VarMap first;  // of the loops that reduce
  for (const SRefNode* each : loops) {
    const ForNode* loop = each->loop();
    analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    if (used_by(realize, *each, true) && !used_by(realize, *each, false))
      first[loop->loop_var.get()] = loop->min;
  }
  for (size_t i = 0; i < realize->iter_values.size(); ++i) {
    const IterVar& iter = realize->block->iter_vars[i];
    bool reduces = iter->iter_type == ir::IterType::kCommReduce;
    if (reduces && analyzer.can_prove(ir::gt(realize->iter_values[i], iter->dom->min))) return true;
  }
  for (const Expr& condition : conjuncts(realize->predicate))
    if (analyzer.can_prove(ir::logical_not(substitute(condition, first)))) return true;
  return false;
}

static SRefNode* apply(Step& step, BlockArg block, LoopArg loop) {
  // check
  SRefNode* scope = scope_of(*block);
  if (!scope || !is_above(*loop, *block) || scope_of(*loop) != scope) {
    throw refuse(shared_refusals["loop-not-around-block"], loop->name.c_str(), block->name.c_str())
        .at(loop.span);
  }
  require_reduction(step.state, *block, *scope);
  const SBlockNode* old = block->block();
  SBlockRealize realize = realize_of(step.state, *block);
  std::vector<SRefNode*> loops = loops_above(*block);
  for (SRefNode* outer : loops) {
    if (outer == &*loop) break;
    if (!used_by(realize, *outer, true)) continue;
    throw refuse(refusals["reduction-loop-outside"], outer->name.c_str(), block->name.c_str(),
                 loop->name.c_str())
        .at(loop.span)
        .help(fmt::format("choose loop `{}` or one around it", outer->name.c_str()));
  }
  for (auto it = std::find(loops.begin(), loops.end(), &*loop); it != loops.end(); ++it) {
    const ForNode* inner = (*it)->loop();
    if (may_start_nothing(*realize, *inner))
      throw refuse(refusals["sums-may-not-start"], (*it)->name.c_str(), block->name.c_str()).at(loop.span);
    if (is_const_int(inner->extent, 1) || used_by(realize, **it, false) || used_by(realize, **it, true))
      continue;
    throw refuse_as(shared_refusals["reduction-repeated"],
                    "loop `{}` repeats block `{}`, which would go on with its sum instead of starting again",
                    (*it)->name.c_str(), block->name.c_str())
        .at(loop.span)
        .note(fmt::format("with `{0}` = 0 and `{0}` = 1 it writes the same elements", (*it)->name.c_str()))
        .note("the loop is made here", inner->span)
        .help(fmt::format("choose a loop inside of `{}`", (*it)->name.c_str()));
  }
  if (never_starts(realize, loops))
    throw about_block(refuse(refusals["sums-never-start"], block->name.c_str()), loop.span, old->span);
  // A condition that no longer holds for the initialisation by itself: a loop outside may rely on it.
  auto is_unit = [](const SRefNode* each) { return is_const_int(each->loop()->extent, 1); };
  auto first_inside = std::find(loops.begin(), loops.end(), &*loop);
  for (const Expr& condition : conjuncts(realize->predicate)) {
    auto mentions = [&](SRefNode* each) {
      const VarNode* var = each->loop()->loop_var.get();
      return !is_unit(each) && !used_by(realize, *each, false) &&
             uses_var(condition, [&](const VarNode* v) { return v == var; });
    };
    auto outer = std::find_if(loops.begin(), first_inside, mentions);
    auto inner = std::find_if(first_inside, loops.end(), mentions);
    if (outer == first_inside || inner == loops.end()) continue;
    throw refuse_as(shared_refusals["reduction-repeated"],
                    "loop `{}` repeats block `{}` where a condition on the loops inside allows it, and its "
                    "initialisation would run each time",
                    (*outer)->name.c_str(), block->name.c_str())
        .at(loop.span)
        .help(fmt::format("choose a loop inside of `{}`", (*inner)->name.c_str()));
  }
  std::vector<SRefNode*> inside(std::find(loops.begin(), loops.end(), &*loop), loops.end());
  if (repeats_instances(realize, inside)) {
    Error error = refuse(shared_refusals["reduction-repeated"], loop->name.c_str(), block->name.c_str());
    if (step.state.explaining) add_witness(error, instance_met_twice(realize, inside));
    throw about_block(std::move(error), loop.span, old->span);
  }

  // apply
  std::vector<const ForNode*> nodes;
  for (const SRefNode* each : inside) nodes.push_back(each->loop());
  SBlockRealize started = with(realize, [&](SBlockRealizeNode& copy) {
    copy.predicate = condition_of_init(*block, *realize, inside);
  });
  Stmt initial = FreshBinders().rewrite(init_nest(nodes, *started, simplify));
  SBlock update = with(ref(old), [&](SBlockNode& copy) {
    copy.name_hint = String(fmt::format("{}_update", old->name_hint.c_str()));
    copy.init = nullptr;
    Array<TensorRegion> reads;
    for (const TensorRegion& write : old->writes) {
      if (!touches(old->reads, write->source)) reads.push_back(write);
    }
    for (const TensorRegion& read : old->reads) reads.push_back(read);
    copy.reads = reads;
  });
  Stmt next_realize = with(realize, [&](SBlockRealizeNode& copy) { copy.block = update; });
  Stmt updates = replaced(loop->stmt, Stmt(realize), next_realize);
  // The loop is replaced by two statements: its parent takes both.
  step.replace(*loop->parent, parent_with(*loop, seq({initial, updates})), {{old, update.get()}});
  SRefNode* init_sref = step.sref(innermost_block(initial));
  init_sref->affine_binding = has_affine_binding(step.state, *init_sref);
  return init_sref;
}

extern const Primitive decompose_reduction;
const Primitive decompose_reduction =
    primitive<&apply>("DecomposeReduction", "decompose_reduction(block, loop)", doc);

}  // namespace mlc::transform::primitive_decompose_reduction
