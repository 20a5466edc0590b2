// SPDX-License-Identifier: Apache-2.0
// The API of traces and their steps.
#include <tvm/ffi/container/dict.h>

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "transform/schedule/api.h"
#include "transform/schedule/primitive.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "instruction-not-in-trace",
         .message = "this step is not in the trace",
         .help = "take a step of `sch.trace.insts`",
         .meaning = "What is decided anew is a step that the trace has."},
        {.name = "no-such-instruction",
         .message = "there is no kind of step `{}`",
         .help = "a kind is named as its primitive is, in capitals: `Split`, `ComputeAt`",
         .meaning = "Steps of traces have the names of their primitives.",
         .wrong = R"(tvm.s_tir.schedule.InstructionKind.get("Divide"))",
         .right = R"(tvm.s_tir.schedule.InstructionKind.get("Split"))"},
    }};
MLC_REFUSALS(schedule_trace_api, refusals);

namespace {

struct InstructionKindNode final : ffi::Object {
  const Primitive* primitive;
  explicit InstructionKindNode(const Primitive* primitive) : primitive(primitive) {}
  MLC_NODE("mlc.s_tir.InstructionKind", InstructionKindNode, ffi::Object);
};
using InstructionKind = Ref<InstructionKindNode>;

// A step; whatever trace it is in.
struct InstructionNode final : ffi::Object {
  Instruction step;
  explicit InstructionNode(Instruction step) : step(std::move(step)) {}
  MLC_NODE("mlc.s_tir.Instruction", InstructionNode, ffi::Object);
};
using InstructionRef = Ref<InstructionNode>;

Trace self(ApiCall& call) { return call.args[0].cast<Trace>(); }
std::vector<Instruction>& steps_of(const Trace& trace) { return const_cast<TraceNode&>(*trace).instructions; }

Any list_of(const std::vector<Any>& values) { return Array<Any>(values.begin(), values.end()); }

InstructionRef instruction_argument(ApiCall& call, size_t i) {
  auto found = ir::try_get<InstructionRef>(call.args[i]);
  if (!found) wrong_argument(call, i, "an instruction, as `trace.insts` has them");
  return *found;
}

// The index of a step in this trace.
std::optional<size_t> position_in(const TraceNode& trace, const InstructionRef& wanted) {
  for (size_t i = 0; i < trace.instructions.size(); ++i)
    if (trace.instructions[i].object.same_as(wanted)) return i;
  return std::nullopt;
}

Any insts(ApiCall& call) {
  Trace trace = self(call);
  std::vector<Any> all;
  for (const Instruction& step : trace->instructions) all.push_back(instruction_object(step));
  return list_of(all);
}

// One step on another schedule: `handles` are pairs of a handle of the trace and what it is there.
Any repeat_step_of(ApiCall& call) {
  Trace trace = self(call);
  auto index = call.args[1].cast<int64_t>();
  auto to = ir::try_get<Schedule>(call.args[2]);
  if (!to) wrong_argument(call, 2, "a schedule");
  if (index < 0 || index >= static_cast<int64_t>(trace->instructions.size()))
    wrong_argument(call, 1, "the number of a step");
  std::unordered_map<const ffi::Object*, Any> handles;
  each_item(call.args[3], [&](const Any&, const Any& pair) {
    std::vector<Any> both;
    each_item(pair, [&](const Any&, const Any& item) { both.push_back(item); });
    if (both.size() == 2 && both[0].as<ffi::Object>()) handles[both[0].as<ffi::Object>()] = both[1];
  });
  return list_of(repeat_step(trace->instructions[index], mutable_schedule(*to), call.host, handles));
}

Any decisions(ApiCall& call) {
  Trace trace = self(call);
  Map<Any, Any> all;
  for (const Instruction& step : trace->instructions) {
    Any decision = parts_of(step).decision;
    if (decision != nullptr) all.Set(instruction_object(step), decision);
  }
  return all;
}

Any get_decision(ApiCall& call) {
  Trace trace = self(call);
  auto at = position_in(*trace, instruction_argument(call, 1));
  return at ? parts_of(trace->instructions[*at]).decision : Any(nullptr);
}

Instruction with_decision_in(Instruction step, const Any& decision, ApiCall& call, size_t argument) {
  if (!samples(*step.primitive)) {
    if (decision == nullptr) return step;
    throw refuse(shared_refusals["nothing-to-decide"], step.primitive->name())
        .kind("ValueError")
        .at(call.span_of(argument));
  }
  step.args.back() = decision;
  if (auto list = decision.as<ffi::List<Any>>()) step.args.back() = Array<Any>(list->begin(), list->end());
  return step;
}

// The step again, as the same object.
Instruction step_of(const InstructionRef& instruction) {
  Instruction step = instruction->step;
  step.object = instruction;
  return step;
}

Any with_decision(ApiCall& call) {
  Trace trace = self(call);
  auto at = position_in(*trace, instruction_argument(call, 1));
  if (!at) {
    throw refuse(refusals["instruction-not-in-trace"]).kind("ValueError").at(call.span_of(1));
  }
  auto result = ffi::make_object<TraceNode>();
  for (size_t i = 0; i < trace->instructions.size(); ++i) {
    const Instruction& step = trace->instructions[i];
    if (call.args[3].cast<bool>() && is_postproc(step)) break;
    result->instructions.push_back(i == *at ? with_decision_in(step, call.args[2], call, 2) : step);
  }
  return Trace(result);
}

Any append(ApiCall& call) {
  InstructionRef instruction = instruction_argument(call, 1);
  steps_of(self(call)).push_back(with_decision_in(step_of(instruction), call.args[2], call, 2));
  return nullptr;
}

Any pop(ApiCall& call) {
  Trace trace = self(call);
  std::vector<Instruction>& steps = steps_of(trace);
  if (steps.empty()) return nullptr;
  Any last = instruction_object(steps.back());
  steps.pop_back();
  return last;
}

Any construct_trace(ApiCall& call) {
  auto result = ffi::make_object<TraceNode>();
  auto decided = [&](const InstructionRef& instruction) -> Any {
    auto find = [&](const auto& map) {
      for (const auto& [key, value] : map)
        if (Any(key).same_as(instruction)) return Any(value);
      return Any(nullptr);
    };
    if (auto map = call.args[1].as<Map<Any, Any>>()) return find(*map);
    if (auto dict = call.args[1].as<ffi::Dict<Any, Any>>()) return find(*dict);
    wrong_argument(call, 1, "a dict of decisions by instruction");
  };
  for (const Any& one : items_of(call, 0, call.args[0], "a list of instructions")) {
    auto instruction = ir::try_get<InstructionRef>(one);
    if (!instruction) wrong_argument(call, 0, "a list of instructions");
    result->instructions.push_back(with_decision_in(step_of(*instruction), decided(*instruction), call, 1));
  }
  return Trace(result);
}

Any as_json(ApiCall& call) { return self(call)->as_json(call.args[1].cast<bool>()); }
Any apply_json_to_schedule(ApiCall& call) {
  auto to = call.args[1].try_cast<Schedule>();
  if (!to) wrong_argument(call, 1, "a schedule");
  apply_json(call.args[0], mutable_schedule(*to), call.host, call.span);
  return nullptr;
}

InstructionRef instruction(ApiCall& call) { return call.args[0].cast<InstructionRef>(); }
Any kind(ApiCall& call) { return make<InstructionKindNode>(instruction(call)->step.primitive); }
Any inputs(ApiCall& call) { return list_of(parts_of(instruction(call)->step).inputs); }
Any attrs(ApiCall& call) { return list_of(parts_of(instruction(call)->step).attrs); }
Any outputs(ApiCall& call) { return list_of(instruction(call)->step.outputs); }
Any instruction_text(ApiCall& call) { return String(line_of(instruction(call)->step)); }
const Primitive& primitive_of(ApiCall& call) { return *call.args[0].cast<InstructionKind>()->primitive; }
Any kind_name(ApiCall& call) { return String(std::string(primitive_of(call).kind)); }
Any kind_is_pure(ApiCall& call) { return is_pure(primitive_of(call)); }
Any kind_text(ApiCall& call) {
  const Primitive& primitive = primitive_of(call);
  return String(fmt::format("s_tir.InstructionKind(name=\"{}\", _is_pure={})", primitive.kind,
                            is_pure(primitive) ? "True" : "False"));
}
Any get_kind(ApiCall& call) {
  auto name = call.args[0].try_cast<String>();
  if (!name) wrong_argument(call, 0, "str");
  std::vector<std::string> names;
  for (const Primitive* primitive : all_primitives()) {
    if (primitive->kind == std::string_view(name->data(), name->size()))
      return make<InstructionKindNode>(primitive);
    names.emplace_back(primitive->kind);
  }
  throw refuse(refusals["no-such-instruction"], name->c_str())
      .kind("AttributeError")
      .at(call.span_of(0))
      .help(did_you_mean(name->c_str(), names));
}

// The kinds of steps that return a list, even of one handle.
bool returns_list(const Primitive& primitive) {
  constexpr std::string_view kinds[] = {"GetLoops",      "GetChildBlocks",    "GetProducers",
                                        "GetConsumers",  "GetOutputBlocks",   "Split",
                                        "LoopPartition", "SamplePerfectTile", "SamplePartitionedTile"};
  return std::find(std::begin(kinds), std::end(kinds), primitive.kind) != std::end(kinds);
}

Any make_instruction(ApiCall& call) {
  auto kind = ir::try_get<InstructionKind>(call.args[0]);
  if (!kind) wrong_argument(call, 0, "a kind of step");
  auto items = [&](size_t i) { return items_of(call, i, call.args[i], "list"); };
  const Primitive& primitive = *(*kind)->primitive;
  Instruction step{&primitive,
                   arguments_of(primitive, items(1), items(2), call.span),
                   items(3),
                   returns_list(primitive),
                   {}};
  return instruction_object(step);
}

Any make_expr_rv(ApiCall&) { return Expr(make_var("v", DataType::Int(32))); }

constexpr std::string_view kTrace = "mlc.s_tir.Trace", kInstruction = "mlc.s_tir.Instruction",
                           kKind = "mlc.s_tir.InstructionKind";

const ApiRow trace_api_table[] = {
    {ApiKind::kClass, "tvm.s_tir.schedule", "Trace(insts, decisions)", "Steps of a schedule.",
     &construct_trace, kTrace, "tvm.s_tir.schedule.trace.Trace"},
    {ApiKind::kFunction, "tvm.s_tir.schedule.Trace", "apply_json_to_schedule(json_obj, sch)",
     "Apply the steps that `as_json` wrote to a schedule.", &apply_json_to_schedule},
    {ApiKind::kProperty, kTrace, "insts", "The steps.", &insts},
    {ApiKind::kProperty, kTrace, "decisions", "What samples decided, by step.", &decisions},
    {ApiKind::kMethod, kTrace, "get_decision(inst)", "What the step decided; None when it decides nothing.",
     &get_decision},
    {ApiKind::kMethod, kTrace, "_repeat_step(index, sch, handles)",
     "One step on another schedule, with pairs of a handle of the trace and what it is there; what it makes.",
     &repeat_step_of},
    {ApiKind::kMethod, kTrace, "with_decision(inst, decision, remove_postproc)",
     "The trace with another decision of one step.", &with_decision},
    {ApiKind::kMethod, kTrace, "append(inst, decision=None)", "Put a step at the end.", &append},
    {ApiKind::kMethod, kTrace, "pop()", "Take the last step away and return it; None when there is none.",
     &pop},
    {ApiKind::kMethod, kTrace, "as_json(remove_postproc=False)",
     "The steps as lists: kind, inputs, attributes, outputs; then decisions by index.", &as_json},
    {ApiKind::kClass, "tvm.s_tir.schedule", "Instruction(kind, inputs, attrs, outputs)",
     "A step by its kind, what it works on, its settings and the handles it makes.", &make_instruction,
     kInstruction, "tvm.s_tir.schedule.instruction.Instruction"},
    {ApiKind::kFunction, "tvm.s_tir.schedule", "ExprRV()", "A variable that a sample decides.",
     &make_expr_rv},
    {ApiKind::kProperty, kInstruction, "kind", "What the step does.", &kind},
    {ApiKind::kProperty, kInstruction, "inputs", "Handles and values it works on.", &inputs},
    {ApiKind::kProperty, kInstruction, "attrs", "Its settings.", &attrs},
    {ApiKind::kProperty, kInstruction, "outputs", "Handles it made.", &outputs},
    {ApiKind::kMethod, kInstruction, "__str__()", "The step as a line of a script.", &instruction_text},
    {ApiKind::kMethod, kInstruction, "__repr__()", "The step as a line of a script.", &instruction_text},
    {ApiKind::kFunction, "tvm.s_tir.schedule.InstructionKind", "get(name)", "The kind of that name.",
     &get_kind},
    {ApiKind::kProperty, kKind, "name", "Its name: \"Split\".", &kind_name},
    {ApiKind::kProperty, kKind, "is_pure", "Does it change no module?", &kind_is_pure},
    {ApiKind::kMethod, kKind, "__str__()", "The kind.", &kind_text},
    {ApiKind::kMethod, kKind, "__repr__()", "The kind.", &kind_text},
};

}  // namespace

Any instruction_object(const Instruction& instruction) {
  if (instruction.object == nullptr) instruction.object = make<InstructionNode>(instruction);
  return instruction.object;
}

void register_trace_api() {
  ApiRegistry::global().add(trace_api_table);
  ApiRegistry::global().alias("tvm.s_tir.Trace", "tvm.s_tir.schedule.Trace");
}

}  // namespace mlc::transform
