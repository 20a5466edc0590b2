// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] = R"(TilePrimitiveDispatch(): functions without tile primitives pass.

needs: a target, of the function or around the call; no blocks; no tile primitives, whose schedules mlc does not have.
keeps: every function.
The first part of LowerTIRx.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  if (!target_around(fn)) {
    throw Error("no-current-target", "no target is current")
        .kind("InternalError")
        .at(fn->span)
        .help("run BindTarget first");
  }
  post_order(fn->body, nullptr, [&](const Stmt& s) {
    if (s->kind == StmtKind::kSBlockRealize) {
      throw Error("block-not-lowered", "the function has blocks")
          .kind("InternalError")
          .at(s->span)
          .help("lower it with the passes of s_tir: it has no layouts");
    }
    if (s->kind != StmtKind::kTilePrimitiveCall) return;
    throw Error("pass-not-available", "tile primitives are not lowered: mlc does not have their schedules")
        .kind("NotImplementedError")
        .at(s->span);
  });
  return fn;
}

}  // namespace

extern const Pass tile_primitive_dispatch{"TilePrimitiveDispatch", "tirx.transform",
                                          "TilePrimitiveDispatch()", doc, apply};

}  // namespace mlc::transform
