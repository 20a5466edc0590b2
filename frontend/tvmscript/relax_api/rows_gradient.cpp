// SPDX-License-Identifier: Apache-2.0
// What the pass Gradient refuses, which is written in the language: an error with the place in the graph.
#include "frontend/tvmscript/relax_api/rows.h"
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

// The messages are those of stdlib/tvm/relax/transform/gradient.mlc.
static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "no-graph-to-differentiate",
         .meaning =
             "Gradient differentiates one function of the module, an `@R.function` whose body is one "
             "dataflow block: what comes later in it depends on what comes before, and on nothing else."},
        {.name = "no-scalar-target",
         .meaning =
             "Gradients are those of one number, the target: each element of a gradient says by how much "
             "the target changes with that element of the operand."},
        {.name = "no-gradient-to",
         .meaning =
             "Gradients are to variables of the function that are tensors of floating-point numbers, or "
             "tuples of such. Integers do not move by a little."},
        {.name = "no-gradient-through",
         .meaning =
             "On the way from the target back to the variables each value must have a gradient: a rule "
             "of its operator, with the shapes and data types that the rule asks for."},
    }};
MLC_REFUSALS(relax_api_rows_gradient, refusals);

namespace {

constexpr ir::RefusalRow kRows[] = {
    refusals["no-graph-to-differentiate"],
    refusals["no-scalar-target"],
    refusals["no-gradient-to"],
    refusals["no-gradient-through"],
};

// refuse_gradient(name, message, help, node=None)
Any refuse_gradient(ApiCall& call) {
  auto name = view(str_arg(call, 0));
  for (const ir::RefusalRow& row : kRows) {
    if (row.name() != name) continue;
    ir::Error error = ir::refuse_as(row, "{}", view(str_arg(call, 1)));
    Span span = call.span;
    if (is_given(call, 3)) {
      Span own = graph_arg(call, 3)->span;
      if (own) span = own;
    }
    throw std::move(error).at(span).help(std::string(view(str_arg(call, 2))));
  }
  ir::wrong_argument(call, 0, "the name of a refusal of gradients");
}

constexpr ir::ApiRow relax_gradient_table[] = {
    {ir::ApiKind::kFunction, kRelaxNatives, "refuse_gradient(name, message, help, node=None)",
     "Raises the error, at the place of the node.", refuse_gradient},
};

}  // namespace

std::span<const ir::ApiRow> relax_gradient_rows() { return relax_gradient_table; }

}  // namespace mlc::tvmscript
