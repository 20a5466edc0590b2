// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/definitions.h"

namespace mlc::transform::pass_verify_ssa {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "not-ssa", .message = "`{}` is defined more than once", .help = "run ConvertSSA first"},
    }};
MLC_REFUSALS(tir_verify_ssa, refusals);

namespace {

constexpr char doc[] = R"(VerifySSA(): refuse functions that define a variable more than once.

needs: every loop, binding and allocation has a variable of its own.
keeps: the module as it is.
ConvertSSA writes functions that pass.)";

PrimFunc verified(const PrimFunc& fn) {
  Definitions definitions(true);
  definitions.add(fn);
  if (definitions.repeated.defined()) {
    throw refuse(refusals["not-ssa"], text(definitions.repeated->name)).at(definitions.repeated->span);
  }
  return fn;
}

IRModule apply(const IRModule& mod, const PassOptions&) {
  return map_prim_funcs(mod, [&](const PrimFunc& fn) { return verified(fn); });
}

}  // namespace

extern const Pass verify_ssa{"VerifySSA", "tirx.transform", "VerifySSA()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_verify_ssa
