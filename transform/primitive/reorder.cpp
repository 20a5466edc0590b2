// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/witness.h"

namespace mlc::transform::primitive_reorder {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "reorder-duplicate-loop",
         .message = "loop `{}` is named twice",
         .help = "name each loop once, in the order that they shall have",
         .meaning = "Each loop has one place in the new order.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.reorder(i, i))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.reorder(j, i))"},
        {.name = "reorder-not-a-chain",
         .message = "loop `{}` is not all there is in loop `{}`",
         .help = "reorder loops that are nested in one another around one block",
         .meaning =
             "Loops are reordered along one path of the nest: each lies inside of another, with nothing "
             "beside it.",
         .wrong = R"(i, j = sch.get_loops("double")
a, b = sch.get_loops("shifted")
sch.reorder(i, a))",
         .right = R"(i, j = sch.get_loops("double")
sch.reorder(j, i))"},
        {.name = "reorder-dependent-loops",
         .message = "the range of loop `{}` depends on loop `{}`, which would come inside it",
         .help = "the loop that another one depends on stays around it",
         .meaning = "The range of an inner loop may use outer ones; those around it have no value for it.",
         .wrong = R"(@T.prim_func(s_tir=True)
def triangle(A: T.Buffer((16, 16), "float32")):
    for i in range(16):
        for j in range(i + 1):
            with T.sblock("set"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = 0.0


other = tvm.s_tir.Schedule(triangle)
i, j = other.get_loops("set")
other.reorder(j, i))",
         .right = R"(i, j = sch.get_loops("double")
sch.reorder(j, i))"},
        {.name = "reorder-ordered-iterator",
         .message = "iterator `{}` of block `{}` is neither spatial nor a reduction",
         .help = "loops of such an iterator keep their place",
         .meaning = "Iterations of a scan or of an opaque iterator run in the order that is written.",
         .wrong = R"(@T.prim_func(s_tir=True)
def scan(A: T.Buffer((16, 16), "float32")):
    for i, j in T.grid(15, 16):
        with T.sblock("scan"):
            vi = T.axis.scan(15, i)
            vj = T.axis.spatial(16, j)
            A[vi + 1, vj] = A[vi, vj] * 2.0


other = tvm.s_tir.Schedule(scan)
i, j = other.get_loops("scan")
other.reorder(j, i))",
         .right = R"(i, j = sch.get_loops("double")
sch.reorder(j, i))"},
        {.name = "reorder-repeats-reduction",
         .message =
             "loop `{}` counts both through the sums of block `{}` and within them, and a sum might not "
             "begin with its first term",
         .help = "a sum keeps its value where each of its terms is met once",
         .meaning = "A sum starts at its first term; where an instance runs again, it would go on instead.",
         .wrong = R"(@T.prim_func(s_tir=True)
def windows(A: T.Buffer((6, 4), "float32"), S: T.Buffer((6,), "float32")):
    for i, j, k in T.grid(2, 4, 4):
        with T.sblock("sums"):
            vi = T.axis.spatial(6, i * 2 + j)
            vk = T.axis.reduce(4, k)
            with T.init():
                S[vi] = 0.0
            S[vi] = S[vi] + A[vi, vk]


other = tvm.s_tir.Schedule(windows)
i, j, k = other.get_loops("sums")
other.reorder(k, i, j))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.reorder(k, i, j))"},
    }};
MLC_REFUSALS(primitive_reorder, refusals);

static constexpr char doc[] = R"(
reorder(*ordered_loops)      Permute loops of one nest into the order given.

    for i, j, k in T.grid(a, b, c):      =>      for k, i, j in T.grid(c, a, b):      # reorder(k, i, j)
        S                                            S

Loops of the nest that are not named keep their places.
needs: the loops stand on one chain, each the only thing in the one around it; no extent depends on a loop that would
       come inside; all blocks below have affine bindings and only spatial and reduction iterators.
keeps: the set of block instances; each is still executed once.
)";

// A block's iterators are an affine map of the loops around it, or of those from `top` inwards.
static void require_affine_below(ScheduleState& state, const SRefNode& block, const SRefNode& top) {
  if (block.affine_binding || !top.parent->loop()) return require_affine_binding(state, block);
  std::vector<SRefNode*> loops = loops_above(block);
  Analyzer analyzer;
  bind_loops(analyzer, loops);
  loops.erase(loops.begin(), std::find(loops.begin(), loops.end(), &top));
  if (binds_affinely(realize_of(state, block), ranges_of(loops), analyzer)) return;
  throw refuse_as(
      shared_refusals["not-affine-binding"],
      "the iterators of block `{}` are no affine map of the loops around it, not even below loop `{}`",
      block.name.c_str(), top.parent->name.c_str())
      .note("the block is defined here", block.stmt->span);
}

static void apply(Step& step, Array<Any> args) {
  // check
  std::vector<LoopArg> order;
  for (const Any& arg : args) order.push_back(step.loop_of(arg, step.span(1), 1));
  if (order.size() <= 1) return;
  std::unordered_set<const SRefNode*> named;
  for (const LoopArg& loop : order) {
    if (!named.insert(&*loop).second) {
      throw refuse(refusals["reorder-duplicate-loop"], loop->name.c_str()).at(loop.span);
    }
  }
  // The chain from the innermost named loop up to the outermost.
  auto depth = [](const SRefNode* sref) {
    size_t count = 0;
    for (; sref; sref = sref->parent) ++count;
    return count;
  };
  SRefNode* bottom = &*order[0];
  for (const LoopArg& loop : order) {
    if (depth(&*loop) > depth(bottom)) bottom = &*loop;
  }
  std::vector<SRefNode*> chain;  // innermost first
  size_t left = order.size();
  for (SRefNode* up = bottom; up && up->loop() && left > 0; up = up->parent) {
    chain.push_back(up);
    if (named.contains(up)) --left;
    if (chain.size() > 1 && !up->loop()->body.same_as(chain[chain.size() - 2]->stmt)) {
      throw refuse(refusals["reorder-not-a-chain"], chain[chain.size() - 2]->name.c_str(), up->name.c_str())
          .at(step.span(1))
          .note(fmt::format("loop `{}` is made here", up->name.c_str()), up->stmt->span);
    }
  }
  if (left > 0) {
    for (const LoopArg& loop : order) {
      if (is_above(*loop, *bottom)) continue;
      throw refuse_as(refusals["reorder-not-a-chain"], "loops `{}` and `{}` are not nested in one another",
                      loop->name.c_str(), bottom->name.c_str())
          .at(step.span(1));
    }
    throw refuse_as(refusals["reorder-not-a-chain"],
                    "some of the loops are around a block, and the others inside of it")
        .at(step.span(1));
  }
  std::reverse(chain.begin(), chain.end());
  std::vector<const ForNode*> target;
  size_t next_named = 0;
  for (SRefNode* sref : chain)
    target.push_back(named.contains(sref) ? order[next_named++]->loop() : sref->loop());
  for (size_t i = 0; i < target.size(); ++i) {
    for (size_t j = i + 1; j < target.size(); ++j) {
      auto inner = [&](const VarNode* var) { return var == target[j]->loop_var.get(); };
      if (uses_var(target[i]->min, inner) || uses_var(target[i]->extent, inner)) {
        throw refuse(refusals["reorder-dependent-loops"], target[i]->loop_var->name.c_str(),
                     target[j]->loop_var->name.c_str())
            .at(step.span(1));
      }
    }
  }
  for (SRefNode* block : child_blocks(step.state, *bottom)) {
    require_affine_below(step.state, *block, *chain.front());
    for (const IterVar& iter : block->block()->iter_vars) {
      if (iter->iter_type == IterType::kDataPar || iter->iter_type == IterType::kCommReduce) continue;
      throw about_block(
          refuse(refusals["reorder-ordered-iterator"], iter->var->name.c_str(), block->name.c_str()),
          step.span(1), block->stmt->span);
    }
  }

  bool moves = false;
  for (size_t i = 0; i < target.size(); ++i) moves = moves || target[i] != chain[i]->loop();
  if (!moves) return;

  // A sum that overlapping iterations repeat is reinitialised only while its reduction loops are innermost.
  for (SRefNode* block : child_blocks(step.state, *bottom)) {
    if (!block->block()->init) continue;
    SBlockRealize realize = realize_of(step.state, *block);
    std::vector<SRefNode*> loops = loops_above(*block);
    loops.erase(loops.begin(), std::find(loops.begin(), loops.end(), chain.front()));
    bool reduces = std::any_of(chain.begin(), chain.end(),
                               [&](const SRefNode* sref) { return used_by(realize, *sref, true); });
    // A loop that counts through sums and within them starts some of them in the middle once its position
    // changes.
    for (const SRefNode* sref : chain) {
      if (!used_by(realize, *sref, true) || !used_by(realize, *sref, false)) continue;
      // Alone it runs through each sum in order, wherever it is.
      auto alone = [&](const Expr& value) {
        auto is = [&](const SRefNode* loop) {
          return uses_var(value, [&](const VarNode* var) { return var == loop->loop()->loop_var.get(); });
        };
        return !is(sref) || std::none_of(loops.begin(), loops.end(),
                                         [&](SRefNode* loop) { return loop != sref && is(loop); });
      };
      if (std::all_of(realize->iter_values.begin(), realize->iter_values.end(), alone)) continue;
      throw about_block(
          refuse(refusals["reorder-repeats-reduction"], sref->name.c_str(), block->name.c_str()),
          step.span(1), block->stmt->span)
          .help("reorder before the loops are fused");
    }
    if (!reduces || !repeats_instances(realize, loops)) continue;
    Error error =
        refuse_as(refusals["reorder-repeats-reduction"],
                  "iterations of these loops sum up elements of block `{}` again, and would go on with a "
                  "sum instead of starting anew",
                  block->name.c_str());
    if (step.state.explaining) add_witness(error, instance_met_twice(realize, loops));
    throw about_block(std::move(error), step.span(1), block->stmt->span);
  }

  // apply
  Stmt body = bottom->loop()->body;
  for (size_t i = target.size(); i-- > 0;) {
    const ForNode* loop = target[i];
    body = loop->body.same_as(body) ? Stmt(ref(loop))
                                    : Stmt(with(ref(loop), [&](ForNode& copy) { copy.body = body; }));
  }
  step.replace(*chain.front(), body);
}

extern const Primitive reorder;
const Primitive reorder = primitive<&apply>("Reorder", "reorder(*ordered_loops)", doc);

}  // namespace mlc::transform::primitive_reorder
