// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/jumps.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_annotate_irregular_loop {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "irregular-loop",
         .message = "loop `{}` is left by `break` or `continue`, and is not serial"},
    }};
MLC_REFUSALS(tir_annotate_irregular_loop, refusals);

namespace {

constexpr char doc[] = R"(AnnotateIrregularLoop(): mark the loops that `break` or `continue` may cut short.

    for i in range(8):              for i in T.serial(8, annotations={"irregular_loop_mark": 1}):
        if A[i] > 3:        =>          if A[i] > 3:
            break                           T.break_loop()
needs: loops that are cut short are serial.
keeps: every statement.
Before loops are taken apart: a marked loop keeps its form.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  bool jumps = false;  // out of the loop around
  Stmt body = rewrite_with(fn->body, [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* evaluate = as<EvaluateNode>(s);
    jumps |= is_jump(s) || (evaluate && is_jump(evaluate->value));
    auto* loop = as<ForNode>(s);
    if (!loop && !as<WhileNode>(s)) return on.rewrite_children(s);
    bool outside = std::exchange(jumps, false);
    Stmt next = on.rewrite_children(s);
    if (std::exchange(jumps, outside) && loop) {
      if (loop->for_kind != ForKind::kSerial)
        throw refuse(refusals["irregular-loop"], text(loop->loop_var->name)).at(loop->span);
      next = with(ref(as<ForNode>(next)),
                  [](ForNode& n) { n.annotations.Set("irregular_loop_mark", int32(1)); });
    }
    return next;
  });
  return with_body(fn, body);
}

}  // namespace

extern const Pass annotate_irregular_loop{"AnnotateIrregularLoop", "s_tir.transform",
                                          "AnnotateIrregularLoop()", doc, apply};

}  // namespace mlc::transform::pass_annotate_irregular_loop
