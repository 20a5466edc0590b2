// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_tile_primitive_dispatch {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "no-current-target",
                                            .message = "no target is current",
                                            .help = "run BindTarget first",
                                            .meaning = "Outside of a `with` no target is the current one.",
                                            .wrong = "tvm.target.Target.current(allow_none=False)",
                                            .right = R"(with tvm.target.Target("llvm"):
    tvm.target.Target.current(allow_none=False))"},
                                       }};
MLC_REFUSALS(tir_tile_primitive_dispatch, refusals);

namespace {

constexpr char doc[] = R"(TilePrimitiveDispatch(): functions without tile primitives pass.

needs: a target, of the function or around the call; no blocks; no tile primitives, whose schedules mlc does not have.
keeps: every function.
The first part of LowerTIRx.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  if (!target_around(fn)) {
    throw refuse(refusals["no-current-target"]).kind("InternalError").at(fn->span);
  }
  post_order(fn->body, nullptr, [&](const Stmt& s) {
    if (s->kind == StmtKind::kSBlockRealize) {
      throw refuse_as(pass_refusals["block-not-lowered"], "the function has blocks")
          .kind("InternalError")
          .at(s->span)
          .help("lower it with the passes of s_tir: it has no layouts");
    }
    if (s->kind != StmtKind::kTilePrimitiveCall) return;
    throw refuse_as(pass_refusals["pass-not-available"],
                    "tile primitives are not lowered: mlc does not have their schedules")
        .at(s->span);
  });
  return fn;
}

}  // namespace

extern const Pass tile_primitive_dispatch{"TilePrimitiveDispatch", "tirx.transform",
                                          "TilePrimitiveDispatch()", doc, apply};

}  // namespace mlc::transform::pass_tile_primitive_dispatch
