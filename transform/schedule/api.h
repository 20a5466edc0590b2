// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::transform {

// tvm.s_tir.Schedule, its handles, its trace, and every primitive as a method.
void register_schedule_api();
void register_trace_api();
void register_tensor_intrin_api();

}  // namespace mlc::transform
