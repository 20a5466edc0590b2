// SPDX-License-Identifier: Apache-2.0
// The names that books, courses and older programs use, and what they are called now. `from` wins only where
// nothing of that very name is registered.
#include "frontend/script/classic_names.h"

#include "ir/api.h"

namespace mlc::script {
namespace {

struct Alias {
  const char* from;
  const char* to;
};
constexpr Alias modules_and_functions[] = {
    // 2026-03: tir became tirx; 2026-02: schedules moved to s_tir
    {"tvm.tir", "tvm.tirx"},
    {"tvm.script.tir", "tvm.script.tirx"},
    {"tvm.tir.Schedule", "tvm.s_tir.Schedule"},
    {"tvm.tir.ScheduleError", "tvm.s_tir.ScheduleError"},
    {"tvm.tir.schedule", "tvm.s_tir.schedule"},
    {"tvm.tir.schedule.Schedule", "tvm.s_tir.Schedule"},
    {"tvm.tir.schedule.ScheduleError", "tvm.s_tir.ScheduleError"},
    {"tvm.s_tir.schedule.Schedule", "tvm.s_tir.Schedule"},
    {"tvm.s_tir.schedule.schedule.Schedule", "tvm.s_tir.Schedule"},
    {"tvm.meta_schedule", "tvm.s_tir.meta_schedule"},
    {"tvm.dlight", "tvm.s_tir.dlight"},
    // 2025-09: NDArray became Tensor
    {"tvm.nd.array", "tvm.runtime.tensor"},
    {"tvm.nd.empty", "tvm.runtime.empty"},
    {"tvm.nd.NDArray", "tvm.runtime.Tensor"},
    {"tvm.runtime.ndarray.array", "tvm.runtime.tensor"},
    {"tvm.runtime.NDArray", "tvm.runtime.Tensor"},
    // 2025: build became compile
    {"tvm.build", "tvm.compile"},
    {"tvm.driver.build", "tvm.compile"},
    {"tvm.tirx.build", "tvm.compile"},
    // modules have several addresses
    {"tvm.script.ir_module", "tvm.script.ir.ir_module"},
    {"tvm.ir.module.IRModule", "tvm.IRModule"},
    {"tvm.ir.IRModule", "tvm.IRModule"},
    {"tvm.runtime.cpu", "tvm.cpu"},
    {"tvm.runtime.device", "tvm.device"},
    {"tvm.target.target.Target", "tvm.target.Target"},
    {"numpy.random.mtrand", "numpy.random"},
};
constexpr Alias schedule_methods[] = {
    {"get_block", "get_sblock"},
};

}  // namespace

void register_classic_names() {
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  for (const Alias& row : modules_and_functions) registry.alias(row.from, row.to);
  for (const Alias& row : schedule_methods) registry.alias_method("mlc.s_tir.Schedule", row.from, row.to);
}

}  // namespace mlc::script
