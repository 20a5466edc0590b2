// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/padding.h"

#include "ir/core/refusal.h"
#include "ir/tir/op.h"
#include "transform/arith/iter_map.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "not-padding",
         .message = "block `{}` does not pad a buffer: {}",
         .help = "a block that pads is one store of `T.if_then_else(inside, value, constant)`",
         .meaning = "The border is set to the constant first, the inside by the value then.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.decompose_padding("double", i))",
         .right = R"(@T.prim_func(s_tir=True)
def padded(A: T.Buffer((16,), "float32"), C: T.Buffer((20,), "float32")):
    for i in range(20):
        with T.sblock("pad"):
            vi = T.axis.spatial(20, i)
            C[vi] = T.if_then_else(2 <= vi and vi < 18, A[vi - 2], T.float32(0))


other = tvm.s_tir.Schedule(padded)
other.decompose_padding("pad", other.get_loops("pad")[0]))"},
    }};
MLC_REFUSALS(schedule_padding, refusals);

PaddingBlock padding_block(ScheduleState& state, const BlockArg& block, const LoopArg& loop) {
  SRefNode* scope = scope_of(*block);
  if (!scope || !is_above(*loop, *block) || scope_of(*loop) != scope) {
    throw refuse(shared_refusals["loop-not-around-block"], loop->name.c_str(), block->name.c_str())
        .at(loop.span);
  }
  require_complete(state, *block, *scope);
  const SBlockNode* old = block->block();
  auto refuse_block = [&](const std::string& why) {
    return about_block(refuse(refusals["not-padding"], block->name.c_str(), why), block.span, old->span);
  };
  PaddingBlock result;
  result.realize = realize_of(state, *block);
  result.store = as<BufferStoreNode>(old->body);
  if (!result.store) throw refuse_block("its body is more than one store");
  auto* choice = as_call_to(result.store->value, "tirx.if_then_else");
  if (!choice) throw refuse_block("what it stores is no `T.if_then_else`");
  result.value = choice->args[1];
  result.constant = choice->args[2];
  if (result.constant->kind != ExprKind::kIntImm && result.constant->kind != ExprKind::kFloatImm) {
    throw refuse_block("the padding is not a constant");
  }
  if (side_effect(result.value) > Effect::kReadState) throw refuse_block("the value has side effects");

  Analyzer analyzer;
  bind_loops(analyzer, loops_above(*block));
  VarMap values = bindings_of(result.realize);
  Expr all = bool_imm(true);
  auto collect = [&](const Expr& condition) {
    for (const Expr& part : conjuncts(condition)) {
      auto* likely = as_call_to(part, "tirx.likely");
      if (!is_const_int(part, 1)) all = logical_and(all, likely ? likely->args[0] : part);
    }
  };
  collect(substitute(choice->args[0], values));
  collect(result.realize->predicate);
  result.predicate = analyzer.simplify(all);
  if (is_const_int(result.predicate, 1)) throw refuse_block("every iteration is inside");

  // The box of what the condition leaves of the iterators.
  IterMapResult map = detect_iter_map(result.realize->iter_values, ranges_of(loops_above(*block)),
                                      result.predicate, IterMapCheck::kSurjective, analyzer);
  if (map.indices.size() != old->iter_vars.size())
    throw refuse_block("a condition is no bound of iterators that do not depend on each other");
  for (const IterSum& sum : map.indices) {
    if (sum->args.empty()) {
      result.inside.push_back(make<RangeNode>(sum->base, const_like(sum->base, 1)));
      continue;
    }
    if (!analyzer.can_prove_equal(sum->args[0]->scale, const_like(sum->base, 1)))
      throw refuse_block("the iterations are strided");
    result.inside.push_back(make<RangeNode>(sum->base, sum->args[0]->extent));
  }
  return result;
}

}  // namespace mlc::transform
