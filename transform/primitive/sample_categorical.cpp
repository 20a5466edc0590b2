// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform::primitive_sample_categorical {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "weights-do-not-match",
         .message = "there are {} candidates and {} weights",
         .help = "there is one weight for each candidate",
         .meaning = "`sample_categorical` has a probability for each candidate.",
         .wrong = "sch.sample_categorical([1, 2], [1.0])",
         .right = "sch.sample_categorical([1, 2], [0.5, 0.5])"},
    }};
MLC_REFUSALS(primitive_sample_categorical, refusals);

static constexpr char doc[] = R"(
sample_categorical(candidates, probs, decision=None) -> number      Draw one of some numbers, each with its weight.

    v = sch.sample_categorical([2, 4, 8], [0.25, 0.5, 0.25])      =>      decision=1: v is 4

The decision is the position of what was drawn.
needs: as many weights as candidates; a given decision is one of their positions.
)";

static Any apply(Step& step, Any candidate_list, Any weight_list, std::optional<int64_t> decision) {
  // check
  std::vector<int64_t> candidates = integers(step, 1, candidate_list);
  std::vector<double> weights;
  Array<Any> traced;
  for (const Any& item : items_of(step.call, 2, weight_list)) {
    auto constant = ir::try_get<FloatImm>(item);
    auto number = constant ? std::optional((*constant)->value) : item.try_cast<double>();
    if (!number) wrong_argument(step.call, 2, "a list of float");
    weights.push_back(*number);
    traced.push_back(make<FloatImmNode>(DataType::Float(32), *number));
  }
  int64_t count = static_cast<int64_t>(candidates.size());
  if (weights.size() != candidates.size() || candidates.empty()) {
    throw refuse(refusals["weights-do-not-match"], count, weights.size())
        .kind("ValueError+ScheduleError")
        .at(step.span(2));
  }
  if (decision && (*decision < 0 || *decision >= count)) {
    throw refuse_as(shared_refusals["bad-decision"], "decision {} is none of the {} candidates", *decision,
                    count)
        .kind("ValueError+ScheduleError")
        .at(step.span(3));
  }

  // apply
  if (!decision) {
    RandomEngine engine(step.schedule.random_state);
    decision = std::discrete_distribution<int32_t>(weights.begin(), weights.end())(engine);
  }
  step.call.args[2] = traced;
  step.call.args[3] = *decision;
  return step.number(candidates[*decision]);
}

extern const Primitive sample_categorical;
const Primitive sample_categorical =
    primitive<&apply>("SampleCategorical", "sample_categorical(candidates, probs, decision=None)", doc);

}  // namespace mlc::transform::primitive_sample_categorical
