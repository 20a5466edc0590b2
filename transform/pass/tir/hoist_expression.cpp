// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/hoist.h"

namespace mlc::transform::pass_hoist_expression {
namespace {

constexpr char doc[] =
    R"(HoistExpression(): conditions and names that do not depend on a loop go before it.

    for i in range(16):                     for i in range(16):
        for j in range(16):                     x: T.let = i * 3
            x: T.let = i * 3        =>          if x < n:
            if x < n and j < m:                     for j in range(16):
                A[i, j] = x                             if j < m:
                                                            A[i, j] = x
needs: a condition reads no memory and concerns the whole body of the loop.
keeps: the order of statements. Names that read memory stay where the function writes that memory.
Options `s_tir.HoistExpression`: hoisted_conditionals (1: `if`, 2: `T.if_then_else`, 4: sides of `and` and `or`,
8: also those of thread variables; 7 if not given) and hoisted_let_bindings (1: those that a moved condition needs,
2: statements, 4: inside expressions; 7 if not given). StmtSimplify and RemoveNoOp follow.
Where conditions are worth more than the code they double.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  constexpr std::string_view kKey = "s_tir.HoistExpression";
  return with_body(fn, hoist(fn->body, {options.config_integer(kKey, "hoisted_conditionals", 7),
                                        options.config_integer(kKey, "hoisted_let_bindings", 7)}));
}

constexpr PassPart parts[] = {
    {"s_tir.InsertHoistedExpression", apply}, {"s_tir.StmtSimplify"}, {"tirx.RemoveNoOp"}};

}  // namespace

extern const Pass hoist_expression{
    "HoistExpression", "s_tir.transform", "HoistExpression()", doc, nullptr, nullptr, parts};

}  // namespace mlc::transform::pass_hoist_expression
