// SPDX-License-Identifier: Apache-2.0
// The rows of this room: schedules and their primitives, passes, tensor expressions.
#include "transform/register_api.h"

#include "transform/pass/pass.h"
#include "transform/schedule/api.h"

namespace mlc::transform {

void register_api() {
  register_schedule_api();
  register_state_api();
  register_trace_api();
  register_tensor_intrin_api();
  register_pass_api();
  register_te_api();
  register_operation_api();
  register_index_map_api();
  register_analysis_api();
  register_cost_model_api();
  register_graph_api();
  register_copy_api();
  register_arith_api();
}

}  // namespace mlc::transform
