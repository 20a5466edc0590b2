// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/hoist.h"

namespace mlc::transform::pass_hoist_if_then_else_basic {
namespace {

constexpr char doc[] = R"(HoistIfThenElseBasic(): HoistIfThenElse without what its configuration adds.

    for j in range(m):                      if i < n:
        if i < n:                   =>          for j in range(m):
            S                                       S
needs: the branch is the whole body of the loop; its condition reads no memory and no thread variable.
keeps: the order of statements.
Where HoistIfThenElse stands: `HoistIfThenElse("basic")` is this pass.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(fn, hoist(fn->body, {HoistOptions::kIfElseStmt}));
}

constexpr PassPart parts[] = {
    {"s_tir.InsertHoistIfThenElseBasic", apply}, {"s_tir.StmtSimplify"}, {"tirx.RemoveNoOp"}};

}  // namespace

extern const Pass hoist_if_then_else_basic{
    "HoistIfThenElseBasic", "s_tir.transform", "HoistIfThenElseBasic()", doc, nullptr, nullptr, parts};

}  // namespace mlc::transform::pass_hoist_if_then_else_basic
