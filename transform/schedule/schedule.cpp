// SPDX-License-Identifier: Apache-2.0
#include "ir/core/try_get.h"
#include "transform/schedule/primitive.h"
#include "transform/schedule/schedule.h"

namespace mlc::transform {

std::vector<Schedule>*& schedules_made() {
  static thread_local std::vector<Schedule>* list = nullptr;
  return list;
}

std::string_view assumption_of(const Instruction& instruction, const ScheduleNode& schedule) {
  if (is_pure(*instruction.primitive)) return "";
  if (!schedule.enable_check) return "the schedule was made with enable_check=False";
  return instruction.primitive->assumes != nullptr ? instruction.primitive->assumes(instruction.args) : "";
}

Schedule make_schedule(IRModule mod, int64_t seed, bool enable_check) {
  auto node = ffi::make_object<ScheduleNode>();
  // A function that is the entry, or is called `main`, needs no `work_on`.
  GlobalVar main, entry;
  for (const auto& [name, fn] : mod->functions) {
    auto function = ir::try_get<PrimFunc>(fn);
    if (!function) continue;
    if (name->name_hint == "main") main = name;
    if ((*function)->attrs.count("tirx.is_entry_func") != 0) entry = name;
  }
  node->func_working_on = entry ? entry : main;
  node->beginning = mod;
  node->state = std::make_unique<ScheduleState>(std::move(mod));
  node->trace = make<TraceNode>();
  node->random_state = seed;
  node->enable_check = enable_check;
  Schedule made(node);
  if (schedules_made() != nullptr) schedules_made()->push_back(made);
  return made;
}

Schedule copy_schedule(const ScheduleNode& schedule) {
  auto node = ffi::make_object<ScheduleNode>();
  node->beginning = schedule.beginning;
  std::unordered_map<const SRefNode*, SRef> moved;
  node->state = schedule.state->copy(moved);
  for (const auto& [rv, sref] : schedule.handles) {
    auto found = moved.find(sref.get());
    node->handles[rv] = found != moved.end() ? found->second : sref;  // an SRef that is gone stays gone
  }
  node->numbers = schedule.numbers;
  node->named = schedule.named;
  auto trace = ffi::make_object<TraceNode>();
  trace->instructions = schedule.trace->instructions;
  node->trace = Trace(trace);
  node->func_working_on = schedule.func_working_on;
  node->random_state = schedule.random_state;
  node->enable_check = schedule.enable_check;
  node->traced = schedule.traced;
  node->debug_mask = schedule.debug_mask;
  return Schedule(node);
}

}  // namespace mlc::transform
