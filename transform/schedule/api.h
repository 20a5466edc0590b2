// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ir/registry/api.h"

namespace mlc::transform {

// tvm.s_tir.Schedule, its handles, its trace, and every primitive as a method.
void register_schedule_api();
void register_state_api();
// The bits of an argument `debug_mask`: "all", "none" or a number.
int64_t parse_debug_mask(ir::ApiCall& call, size_t argument);
// What a reference to a loop or block refers to (null: nothing any more); nullopt for other values.
std::optional<ir::Any> stmt_of_sref(const ir::Any& value);
void register_trace_api();
void register_tensor_intrin_api();

}  // namespace mlc::transform
