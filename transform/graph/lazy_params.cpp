// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/lazy_params.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "num-input",
         .message = "`num_input` says {} inputs, but the function has {} parameters",
         .meaning =
             "The attribute `num_input` counts the parameters that change from run to run; it cannot be more "
             "than there are, or less than 0."},
    }};
MLC_REFUSALS(graph_lazy_params, refusals);

std::optional<int64_t> number_of_inputs(const Function& fn) {
  auto said = ir::attr(fn, "num_input");
  if (!said) return std::nullopt;
  int64_t inputs = integer_of(*said).value_or(-1);
  auto count = static_cast<int64_t>(fn->params.size());
  if (inputs < 0 || inputs > count) throw ir::refuse(refusals["num-input"], inputs, count).at(fn->span);
  return inputs;
}

}  // namespace mlc::transform
