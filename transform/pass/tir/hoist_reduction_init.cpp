// SPDX-License-Identifier: Apache-2.0
#include "ir/core/walk_with.h"
#include "ir/tir/reduction_init.h"
#include "transform/arith/simplify.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/pass.h"
#include "transform/pass/schedule_steps.h"

namespace mlc::transform::pass_hoist_reduction_init {
namespace {

constexpr char doc[] =
    R"(HoistReductionInit(): the init of a reduction whose loops may not run, before these loops.

    for i, k in T.grid(n, m):           =>      for i in range(n):
        with T.sblock("C"):                         with T.sblock("C_init"): C[vi] = 0.0
            with T.init(): C[vi] = 0.0              for k in range(m):
            C[vi] = C[vi] + A[vi, vk]                   with T.sblock("C_update"): C[vi] = C[vi] + A[vi, vk]
needs: blocks. Where `decompose_reduction` refuses, as iterators do not follow affinely from the loops, the block keeps its
       init, and another in front of the loops runs where they have no step: `if m <= 0: for i_init in range(n): ...`
keeps: every value where the loops run; where they do not, the result is the reducer's identity instead of what memory
held. First in the pipeline: an init is lowered to a branch inside of its loops.)";

// Is there such a reduction? Most functions have none, and no schedule is made for them.
bool has_empty_reduction(const PrimFunc& fn) {
  bool found = false;
  std::vector<const ForNode*> loops;
  walk_with(fn->body, [&](const Stmt& s, Walker& on) {
    auto* loop = as<ForNode>(s);
    auto* realize = as<SBlockRealizeNode>(s);
    std::vector<const ForNode*> outside;
    if (realize) {
      found |= realize->block->init && outermost_empty_reduction(loops, *realize);
      outside = std::exchange(loops, {});
    }
    if (loop) loops.push_back(loop);
    on.walk_children(s);
    if (loop) loops.pop_back();
    if (realize) loops = std::move(outside);
  });
  return found;
}

void hoist(ScheduleSteps& steps, const Any& scope) {
  std::vector<Any> blocks = steps.run("get_child_blocks", {scope});
  for (const Any& block : blocks) {
    hoist(steps, block);
    if (!steps.block(block)->init) continue;
    std::vector<Any> loops = steps.run("get_loops", {block});
    std::vector<const ForNode*> nodes;
    for (const Any& loop : loops) nodes.push_back(steps.loop(loop));
    auto outermost = outermost_empty_reduction(nodes, *steps.realize(block));
    if (!outermost) continue;
    try {
      steps.run("decompose_reduction", {block, loops[*outermost]});
    } catch (const Error& refused) {
      if (refused.first().kind != "ScheduleError") throw;
    }
  }
}

Stmt with_inits_in_front(const Stmt& body) {
  std::vector<const ForNode*> loops;
  return rewrite_with(body, [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* loop = as<ForNode>(s);
    if (!loop) return on.rewrite_children(s);
    loops.push_back(loop);
    std::vector<Stmt> all;
    for (const Stmt& init : inits_of_empty_reductions(loops, simplify))
      all.push_back(FreshBinders().rewrite(init));
    all.push_back(on.rewrite_children(s));
    loops.pop_back();
    return seq(all);
  });
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (!fn || !has_empty_reduction(*fn)) continue;
    if (auto* root = as<SBlockRealizeNode>((*fn)->body)) {
      ScheduleSteps steps(result, *options.host);
      hoist(steps, steps.run("get_sblock", {root->block->name_hint, name->name_hint})[0]);
      result = steps.mod();
    }
    PrimFunc hoisted = Any(result->lookup(name->name_hint.c_str())).cast<PrimFunc>();
    result = with_function(result, name, with_body(hoisted, with_inits_in_front(hoisted->body)));
  }
  return result;
}

}  // namespace

extern const Pass hoist_reduction_init{
    "HoistReductionInit", "s_tir.transform", "HoistReductionInit()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_hoist_reduction_init
