// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/api.h"

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "transform/schedule/padding.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "no-such-function",
         .message = "the module has no function `{}`",
         .help = "`sch.mod` shows the functions of the module",
         .meaning = "A schedule works on one function of its module at a time.",
         .wrong = R"(sch.work_on("other"))",
         .right = R"(sch.work_on("main"))"},
        {.name = "seed-out-of-range",
         .kind = "ValueError",
         .help = "choose a number from 1 to 2147483647",
         .meaning = "A seed is a number from 1 to 2**31 - 1.",
         .wrong = "tvm.s_tir.Schedule(main, seed=-5)",
         .right = "tvm.s_tir.Schedule(main, seed=5)"},
    }};
MLC_REFUSALS(schedule_api, refusals);

namespace {

constexpr int64_t kModulus = RandomEngine::kModulus;

Any construct(ApiCall& call) {
  const Any& given = call.args[0];
  IRModule mod;
  if (auto fn = ir::try_get<PrimFunc>(given)) {
    // The function is called `main` inside the schedule's module.
    mod = with_function(make<IRModuleNode>(), make<GlobalVarNode>("main"), *fn);
  } else if (auto module = ir::try_get<IRModule>(given)) {
    mod = *module;
  } else {
    wrong_argument(call, 0, "a module or a prim_func");
  }
  if (call.args[1] != nullptr && call.args[1].type_index() != ffi::TypeIndex::kTVMFFIInt)
    wrong_argument(call, 1, "int or None");
  int64_t seed = call.args[1] == nullptr ? 1 : call.args[1].cast<int64_t>();
  if (seed < 1 || seed > INT32_MAX) {
    throw refuse_as(refusals["seed-out-of-range"], "seed {} is not in 1..{}", seed, INT32_MAX)
        .kind("ValueError")
        .at(call.span_of(1));
  }
  if (call.args[4].type_index() != ffi::TypeIndex::kTVMFFIBool) wrong_argument(call, 4, "bool");
  // Accepted as TVM does: here a refusal costs no text before its report is shown, so there is nothing to
  // leave out.
  auto level = call.args[3].try_cast<String>();
  if (!level) wrong_argument(call, 3, "str");
  if (*level != "detail" && *level != "fast" && *level != "none") {
    throw Error("wrong-arguments", "`error_render_level` is \"detail\", \"fast\" or \"none\", not `{}`",
                level->c_str())
        .kind("ValueError")
        .at(call.span_of(3));
  }
  Schedule schedule = make_schedule(mod, seed % kModulus == 0 ? 1 : seed, call.args[4].cast<bool>());
  mutable_schedule(schedule).debug_mask = parse_debug_mask(call, 2);
  return schedule;
}

Schedule self(ApiCall& call) { return call.args[0].cast<Schedule>(); }

Any get_mod(ApiCall& call) { return self(call)->state->mod(); }
Any get_trace(ApiCall& call) { return self(call)->traced ? Any(self(call)->trace) : Any(nullptr); }

Any create_non_traced(ApiCall& call) {
  auto made = construct(call).cast<Schedule>();
  mutable_schedule(made).traced = false;
  mutable_schedule(made).random_state = 1;  // TVM does not look at the seed
  return made;
}
Any get_func_working_on(ApiCall& call) {
  GlobalVar name = self(call)->func_working_on;
  return name ? Any(name) : Any(nullptr);
}

Any work_on(ApiCall& call) {
  ScheduleNode& schedule = mutable_schedule(self(call));
  auto name = call.args[1].try_cast<String>();
  if (!name) wrong_argument(call, 1, "str");
  const IRModule& mod = schedule.state->mod();
  GlobalVar found = mod->find(std::string_view(name->data(), name->size()));
  if (!found) {
    std::vector<std::string> names;
    for (const auto& [global, fn] : mod->functions) names.emplace_back(global->name_hint);
    throw refuse(refusals["no-such-function"], name->c_str())
        .kind("ValueError+ScheduleError")
        .at(call.span_of(1))
        .help(did_you_mean(name->c_str(), names));
  }
  schedule.func_working_on = found;
  return nullptr;
}

// Shows the module as `sch.mod.show(...)` does, then the trace.
Any show(ApiCall& call) {
  IRModule mod = self(call)->state->mod();
  std::vector<Any> positional;
  for (const Any& arg : call.args[1].cast<Array<Any>>()) positional.push_back(arg);
  std::vector<std::string> names;
  std::vector<Any> values;
  for (const auto& [name, value] : call.args[2].cast<Map<String, Any>>()) {
    names.emplace_back(name);
    values.push_back(value);
  }
  std::vector<std::pair<std::string_view, Any>> keywords;
  for (size_t i = 0; i < names.size(); ++i) keywords.emplace_back(names[i], values[i]);
  call.host.call_method(Any(mod), "show", positional, keywords);
  call.host.print((self(call)->traced ? self(call)->trace->as_python() : "None") + "\n");
  return nullptr;
}

Error unknown_handle(ApiCall& call) {
  return refuse(shared_refusals["unknown-handle"]).kind(kNoHandle).at(call.span_of(1));
}

Any get(ApiCall& call) {
  Schedule schedule = self(call);
  const Any& rv = call.args[1];
  if (auto stmt = stmt_of_sref(rv)) return *stmt;
  if (auto constant = ir::try_get<IntImm>(rv)) return (*constant)->value;
  if (auto e = ir::try_get<Expr>(rv)) {
    for (const Var& var : free_vars(*e)) {
      if (!schedule->numbers.contains(var.get())) throw unknown_handle(call);
    }
    return evaluate_numbers(*schedule, rv);
  }
  if (!ir::try_get<LoopRV>(rv) && !ir::try_get<SBlockRV>(rv))
    wrong_argument(call, 1, "a loop or block of this schedule");
  auto found = schedule->handles.find(rv.as<ffi::Object>());
  if (found == schedule->handles.end()) {
    throw unknown_handle(call);
  }
  const SRefNode& sref = *found->second;
  if (sref.mark != Mark::kNone) {
    throw refuse(shared_refusals["location-is-no-loop"]).kind("TypeError+ScheduleError").at(call.span_of(1));
  }
  if (!sref.alive()) {
    throw handle_gone(sref, rv.as<LoopRV>().has_value()).at(call.span_of(1));
  }
  return sref.stmt;
}

Any remove_rv(ApiCall& call) {
  const Any& rv = call.args[1];
  if (ir::try_get<Var>(rv) && mutable_schedule(self(call)).numbers.erase(rv.as<ffi::Object>()))
    return nullptr;
  if (!ir::try_get<LoopRV>(rv) && !ir::try_get<SBlockRV>(rv))
    wrong_argument(call, 1, "a loop or block of this schedule");
  if (mutable_schedule(self(call)).handles.erase(rv.as<ffi::Object>()) == 0) {
    throw unknown_handle(call);
  }
  return nullptr;
}

Any seed(ApiCall& call) {
  if (call.args[1].type_index() != ffi::TypeIndex::kTVMFFIInt) wrong_argument(call, 1, "int");
  int64_t value = call.args[1].cast<int64_t>();
  if (value < -1) {
    throw refuse_as(refusals["seed-out-of-range"], "seed {} is negative", value).at(call.span_of(1));
  }
  // -1 means any; 0 would stay 0.
  mutable_schedule(self(call)).random_state = value == -1 || value % kModulus == 0 ? 1 : value % kModulus;
  return nullptr;
}
int64_t forked_seed(ScheduleNode& schedule) {
  return static_cast<int64_t>(RandomEngine(schedule.random_state)() * 32767 % 1999999973);
}
Any fork_seed(ApiCall& call) { return forked_seed(mutable_schedule(self(call))); }
Any copy(ApiCall& call) {
  ScheduleNode& schedule = mutable_schedule(self(call));
  Schedule twin = copy_schedule(schedule);
  mutable_schedule(twin).random_state = forked_seed(schedule);
  return twin;
}

Any run_method(ApiCall& call) {
  const Primitive* primitive = find_primitive(call.api.name);
  MLC_CHECK(primitive, "no primitive `{}`", call.api.name);
  return run_primitive(*primitive, mutable_schedule(self(call)), call);
}

Any can_decompose_padding(ApiCall& call) {
  Step step(mutable_schedule(self(call)), *find_primitive("decompose_padding"), call);
  BlockArg block = step.block(1);
  LoopArg loop = step.loop(2);
  try {
    padding_block(step.state, block, loop);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Any compute_locations_of(ApiCall& call) {
  Step step(mutable_schedule(self(call)), *find_primitive("sample_compute_location"), call);
  ffi::List<Any> decisions;
  for (int64_t decision : compute_locations(step.state, step.block(1))) decisions.push_back(decision);
  return decisions;
}

Any trace_text(ApiCall& call) { return String(call.args[0].cast<Trace>()->as_python()); }
Any trace_apply(ApiCall& call) {
  auto to = ir::try_get<Schedule>(call.args[1]);
  if (!to) wrong_argument(call, 1, "a schedule");
  apply_trace(*call.args[0].cast<Trace>(), mutable_schedule(*to), call.host, call.args[2].cast<bool>(),
              call.args[3]);
  return nullptr;
}
Any trace_lines(ApiCall& call) {
  Array<Any> lines;
  for (const std::string& line : call.args[0].cast<Trace>()->lines(call.args[1].cast<bool>())) {
    lines.push_back(String(line));
  }
  return lines;
}
Any trace_show(ApiCall& call) {
  call.host.print(call.args[0].cast<Trace>()->as_python() + "\n");
  return nullptr;
}
Any trace_simplified(ApiCall& call) {
  return call.args[0].cast<Trace>()->simplified(call.args[1].cast<bool>());
}

// A handle on nothing yet: what a step of a trace makes.
template <class Node>
Any make_handle(ApiCall&) {
  return make<Node>();
}
template <const char* kText>
Any constant_text(ApiCall&) {
  return String(kText);
}
constexpr char kScheduleText[] = "s_tir.Schedule", kLoopText[] = "s_tir.LoopRV",
               kBlockText[] = "s_tir.SBlockRV";

constexpr std::string_view kSchedule = "mlc.s_tir.Schedule";
constexpr std::string_view kTrace = "mlc.s_tir.Trace";

const ApiRow api_table[] = {
    {ApiKind::kClass, "tvm.s_tir",
     "Schedule(mod, *, seed=None, debug_mask=\"none\", error_render_level=\"detail\", enable_check=True)",
     "A module and the steps that transform it; every method is one step, which either succeeds or changes "
     "nothing.",
     &construct, kSchedule, "tvm.s_tir.schedule.schedule.Schedule"},
    {ApiKind::kFunction, "tvm.s_tir.Schedule",
     "_create_non_traced(mod, *, seed=None, debug_mask=\"none\", error_render_level=\"detail\", "
     "enable_check=True)",
     "A schedule whose `trace` is None.", &create_non_traced},
    {ApiKind::kProperty, kSchedule, "mod", "The module as it is now.", &get_mod},
    {ApiKind::kProperty, kSchedule, "trace",
     "The steps done so far; printed as the script that repeats them.", &get_trace},
    {ApiKind::kProperty, kSchedule, "func_working_on", "The function in which blocks are looked up.",
     &get_func_working_on},
    {ApiKind::kMethod, kSchedule, "work_on(func_name)", "Choose the function in which blocks are looked up.",
     &work_on},
    {ApiKind::kMethod, kSchedule, "copy()",
     "An independent schedule in the same state; handles work in both.", &copy},
    {ApiKind::kMethod, kSchedule, "show(*args, **kwargs)",
     "Print the module, highlighted on terminals, then the steps.", &show},
    {ApiKind::kMethod, kSchedule, "get(rand_var)", "The loop or block that a handle refers to.", &get},
    {ApiKind::kMethod, kSchedule, "remove_rv(rand_var)", "Forget a handle.", &remove_rv},
    {ApiKind::kMethod, kSchedule, "can_decompose_padding(block, loop)",
     "Would `decompose_padding` take these?", &can_decompose_padding},
    {ApiKind::kMethod, kSchedule, "_compute_locations(block)",
     "The decisions among which `sample_compute_location` draws.", &compute_locations_of},
    {ApiKind::kMethod, kSchedule, "seed(seed)", "Set the state of the random generator.", &seed},
    {ApiKind::kMethod, kSchedule, "fork_seed()", "A seed for a schedule that should go its own way.",
     &fork_seed},
    {ApiKind::kMethod, kSchedule, "__repr__()", "The type of the object.", &constant_text<kScheduleText>},
    {ApiKind::kClass, "tvm.s_tir.schedule", "LoopRV()", "A handle on a loop.", &make_handle<LoopRVNode>,
     "mlc.s_tir.LoopRV", "tvm.s_tir.schedule.schedule.LoopRV"},
    {ApiKind::kMethod, "mlc.s_tir.LoopRV", "__repr__()", "The type of the object.",
     &constant_text<kLoopText>},
    {ApiKind::kClass, "tvm.s_tir.schedule", "SBlockRV()", "A handle on a block.", &make_handle<SBlockRVNode>,
     "mlc.s_tir.SBlockRV", "tvm.s_tir.schedule.schedule.SBlockRV"},
    {ApiKind::kMethod, "mlc.s_tir.SBlockRV", "__repr__()", "The type of the object.",
     &constant_text<kBlockText>},
    {ApiKind::kMethod, kTrace, "as_python(remove_postproc=False)", "The steps as lines of a script.",
     &trace_lines},
    {ApiKind::kMethod, kTrace, "show(style=None, black_format=False)",
     "Print the script that repeats the steps.", &trace_show},
    {ApiKind::kMethod, kTrace, "simplified(remove_postproc)",
     "The trace without the lookups and samples that no later step uses.", &trace_simplified},
    {ApiKind::kMethod, kTrace, "__str__()", "The script that repeats the steps.", &trace_text},
    {ApiKind::kMethod, kTrace, "__repr__()", "The script that repeats the steps.", &trace_text},
    {ApiKind::kMethod, kTrace, "apply_to_schedule(sch, remove_postproc=False, decision_provider=None)",
     "Repeat the steps on another schedule.", &trace_apply},
};

}  // namespace

void register_schedule_api() {
  ApiRegistry& registry = ApiRegistry::global();
  registry.add(api_table);
  registry.add(+[]() -> std::span<const ApiRow> {
    static std::vector<ApiRow> methods;
    for (const Primitive* primitive : all_primitives()) {
      methods.push_back({ApiKind::kMethod, kSchedule, primitive->signature, primitive->doc, &run_method});
    }
    return methods;
  });
}

}  // namespace mlc::transform
