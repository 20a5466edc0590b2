// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/hoist.h"

namespace mlc::transform::pass_hoist_if_then_else {
namespace {

constexpr char doc[] =
    R"(HoistIfThenElse(variant=None): a condition that does not depend on the loop is asked before it.

    for j in range(m):                      if i < n:
        if i < n:                   =>          for j in range(m):
            S                                       S
needs: the branch is the whole body of the loop; its condition reads no memory.
keeps: the order of statements. A branch inside the branch is asked before the loop as well, and so is one in its
`else`. Conditions of thread variables stay unless `s_tir.HoistIfThenElse` has support_block_scope_hoisting; the
variant "basic", the pass HoistIfThenElseBasic, does not ask for it. StmtSimplify and RemoveNoOp follow.
After vectorization (vector loops are gone), before unrolling multiplies the conditions.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  HoistOptions wanted{HoistOptions::kIfElseStmt};
  if (has_flag(fn, "tirx.HoistIfThenElseExprWithBlock")) {
    wanted.conditionals = HoistOptions::kUsingBlockVar | HoistOptions::kIfElseExpr;
  } else if (options.config_integer("s_tir.HoistIfThenElse", "support_block_scope_hoisting", 0)) {
    wanted.conditionals |= HoistOptions::kUsingBlockVar;
  }
  return with_body(fn, hoist(fn->body, wanted));
}

constexpr PassPart parts[] = {
    {"s_tir.InsertHoistIfThenElse", apply}, {"s_tir.StmtSimplify"}, {"tirx.RemoveNoOp"}};

const Pass& chosen(std::span<const Any> args) {
  bool basic = args[0] != nullptr && args[0].try_cast<String>().value_or("") == "basic";
  return find_pass(basic ? "s_tir.HoistIfThenElseBasic" : "s_tir.HoistIfThenElse");
}

}  // namespace

extern const Pass hoist_if_then_else{"HoistIfThenElse",
                                     "s_tir.transform",
                                     "HoistIfThenElse(variant=None)",
                                     doc,
                                     nullptr,
                                     nullptr,
                                     parts,
                                     {},
                                     chosen};

}  // namespace mlc::transform::pass_hoist_if_then_else
