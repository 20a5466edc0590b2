// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/reduce.h"

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{kRefusedValue,
                                       {
                                           {.name = "te-not-a-reduce-axis",
                                            .message = "`{}` is no reduction axis",
                                            .help = "make it with `te.reduce_axis`"},
                                       }};
MLC_REFUSALS(tir_reduce, refusals);

void expect_reduce_axis(const IterVar& axis, Span span) {
  if (axis->iter_type == IterType::kCommReduce) return;
  throw ir::refuse(refusals["te-not-a-reduce-axis"], axis->var->name.c_str()).at(span);
}

Expr reduce_over(Combine combine, const Expr& neutral, const Expr& source, const Array<IterVar>& axes,
                 const Expr& condition, const Array<Expr>& init, Span span) {
  Var x = make<VarNode>("x", source->ty);
  Var y = make<VarNode>("y", source->ty);
  auto combiner = make<CommReducerNode>(Array<Var>{x}, Array<Var>{y}, Array<Expr>{combine(x, y, {})},
                                        Array<Expr>{neutral});
  return make<ReduceNode>(combiner, Array<Expr>{source}, init, axes, condition, int64_t{0}, span);
}

}  // namespace mlc::ir
