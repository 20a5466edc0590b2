// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_canonicalize_loop {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "loop-step", .message = "the step of loop `{}` may not be positive"},
    }};
MLC_REFUSALS(tir_canonicalize_loop, refusals);

namespace {

constexpr char doc[] = R"(CanonicalizeLoop(): loops start at 0 and step by 1.

    for i in range(a, b, s):        =>      for i in range((b - a + s - 1) // s):
        S                                       S[i := a + i * s]
needs: steps that are proved to be positive.
keeps: the order of iterations.
First in the pipeline: nothing after it has to think of steps and starts.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Analyzer analyzer;
  Stmt body = rewrite_with(fn->body, [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* loop = as<ForNode>(s);
    if (!loop) return on.rewrite_children(s);
    bool unit_step = !loop->step || is_const_int(loop->step, 1);
    if (unit_step && is_const_int(loop->min, 0)) {
      For same = ref(static_cast<const ForNode*>(on.rewrite_children(s).get()));
      return same->step ? Stmt(with(same, [](ForNode& n) { n.step = nullptr; })) : Stmt(same);
    }
    Var var = make<VarNode>(loop->loop_var->name, loop->loop_var->ty, loop->loop_var->span);
    if (loop->step && !analyzer.can_prove_ge(loop->step, 1)) {
      throw refuse(refusals["loop-step"], loop->loop_var->name.c_str()).kind(kRefusedValue).at(s->span);
    }
    Expr step = unit_step ? const_like(loop->loop_var, 1) : loop->step;
    Substituter inner({{loop->loop_var.get(), add(mul(var, step), loop->min)}});
    For next = with(ref(loop), [&](ForNode& n) {
      n.loop_var = var;
      n.min = const_like(loop->loop_var, 0);
      n.extent = unit_step ? loop->extent : analyzer.simplify(ceildiv(loop->extent, step));
      n.step = nullptr;
      n.body = on.rewrite(inner.rewrite(loop->body));
    });
    return next;
  });
  return with_body(fn, body);
}

}  // namespace

extern const Pass canonicalize_loop{"CanonicalizeLoop", "s_tir.transform", "CanonicalizeLoop()", doc, apply};

}  // namespace mlc::transform::pass_canonicalize_loop
