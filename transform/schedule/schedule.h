// SPDX-License-Identifier: Apache-2.0
// The schedule scripts hold: a module under transformation, handles into it, and the trace of what was done.
#pragma once

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include <functional>
#include <unordered_map>

#include "ir/registry/api.h"
#include "transform/schedule/state.h"

namespace mlc::transform {

// Handles. Their identity is the object; what they refer to is in the schedule's table.
struct LoopRVNode final : ffi::Object {
  LoopRVNode() = default;
  MLC_NODE("mlc.s_tir.LoopRV", LoopRVNode, ffi::Object);
};
struct SBlockRVNode final : ffi::Object {
  SBlockRVNode() = default;
  MLC_NODE("mlc.s_tir.SBlockRV", SBlockRVNode, ffi::Object);
};
using LoopRV = Ref<LoopRVNode>;
using SBlockRV = Ref<SBlockRVNode>;

struct Primitive;

// One applied primitive: arguments as bound to its parameters, and the handles it returned.
struct Instruction {
  const Primitive* primitive;
  std::vector<Any> args;
  std::vector<Any> outputs;
  bool returns_list = false;
  // The step as scripts see it, once they have asked: one object in all traces that hold the step.
  mutable Any object;
};

struct ScheduleNode;
using Schedule = Ref<ScheduleNode>;

struct TraceNode final : ffi::Object {
  std::vector<Instruction> instructions;

  TraceNode() = default;
  // The script that repeats these steps, as TVM prints it.
  std::string as_python() const;
  // Its lines, one per step; without what follows `enter_postproc` when asked.
  std::vector<std::string> lines(bool remove_postproc) const;
  // Without the lookups and samples that no later step uses.
  Ref<TraceNode> simplified(bool remove_postproc) const;
  // The steps as TVM's JSON: [[[kind, inputs, attributes, outputs], ..], [[index, decision], ..]].
  Any as_json(bool remove_postproc) const;
  MLC_NODE("mlc.s_tir.Trace", TraceNode, ffi::Object);
};
using Trace = Ref<TraceNode>;

// Applies the steps of a trace to another schedule: its handles are new ones of that schedule.
// `provider`: null, or called with an instruction, its inputs, attributes and decision for a new decision.
// `after`: called with the index of each step that was applied.
void apply_trace(const TraceNode& trace, ScheduleNode& to, Host& host, bool remove_postproc = false,
                 const Any& provider = nullptr, const std::function<void(size_t)>& after = {});
// One step again, with the handles of its trace as they are here; what it makes.
std::vector<Any> repeat_step(const Instruction& instruction, ScheduleNode& to, Host& host,
                             const std::unordered_map<const ffi::Object*, Any>& handles);
// A step of a trace as scripts see it.
Any instruction_object(const Instruction& instruction);
// One step as text, handles without names.
std::string line_of(const Instruction& instruction);

// Applies steps that `as_json` wrote. Error: trace-json.
void apply_json(const Any& json, ScheduleNode& to, Host& host, Span span);
// Inputs and attributes of a step as JSON divides them, with handles as they are.
struct StepParts {
  std::vector<Any> inputs, attrs;
  Any decision;  // None: not decided, or nothing to decide
};
StepParts parts_of(const Instruction& instruction);
// The other way, without a decision: arguments in the order of the primitive's parameters. Error: trace-json.
std::vector<Any> arguments_of(const Primitive& primitive, const std::vector<Any>& inputs,
                              const std::vector<Any>& attrs, Span span);
// The method of schedules that a primitive is.
const Api& method_of(const Primitive& primitive);
bool is_postproc(const Instruction& instruction);
// Calls `act(key, item)` on the items of a list (without a key) or dict; false for other values.
template <class F>
bool each_item(const Any& value, const F& act) {
  auto list = [&](const auto& items) {
    for (const Any& item : items) act(Any(nullptr), item);
    return true;
  };
  auto dict = [&](const auto& entries) {
    for (const auto& [key, item] : entries) act(Any(key), Any(item));
    return true;
  };
  if (auto array = value.as<Array<Any>>()) return list(*array);
  if (auto items = value.as<ffi::List<Any>>()) return list(*items);
  if (auto map = value.as<Map<String, Any>>()) return dict(*map);
  if (auto entries = value.as<ffi::Dict<Any, Any>>()) return dict(*entries);
  return false;
}
// Does the step change no module: a lookup or a sample?
bool is_pure(const Primitive& primitive);
bool samples(const Primitive& primitive);

// Changed in place by its methods; every change goes through one primitive, which either succeeds or changes
// nothing.
struct ScheduleNode final : ffi::Object {
  IRModule beginning;  // the module before the first step
  std::unique_ptr<ScheduleState> state;
  std::unordered_map<const ffi::Object*, SRef> handles;
  std::unordered_map<const ffi::Object*, int64_t> numbers;  // values of sampled variables
  std::vector<Any> named;  // every key of the two: one that is gone would lend its address to another
  Trace trace;
  GlobalVar func_working_on;  // null: no function has been chosen
  int64_t random_state = 1;
  bool enable_check = true;
  bool traced = true;  // false: scripts see no trace
  int64_t debug_mask = 0;

  ScheduleNode() = default;
  static constexpr bool _type_mutable = true;
  MLC_NODE("mlc.s_tir.Schedule", ScheduleNode, ffi::Object);
};

// What a step takes on trust, as a text; empty when its checks prove that the module computes the same.
std::string_view assumption_of(const Instruction& instruction, const ScheduleNode& schedule);

// Where schedules are noted as they are made; null: nowhere.
std::vector<Schedule>*& schedules_made();

Schedule make_schedule(IRModule mod, int64_t seed, bool enable_check);
Schedule copy_schedule(const ScheduleNode& schedule);
inline ScheduleNode& mutable_schedule(const Schedule& schedule) {
  return const_cast<ScheduleNode&>(*schedule);
}

}  // namespace mlc::transform
