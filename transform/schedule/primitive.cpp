// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"

#include <algorithm>

#include "ir/core/error_kinds.h"
#include "ir/core/interrupt.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/classic_names.h"
#include "transform/schedule/refusal.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "no-function-chosen",
         .message = "no function is being worked on",
         .help = "`sch.work_on(\"name\")`, or `func_name=\"name\"` for one block",
         .meaning = "The module has several functions: a primitive works on one of them.",
         .wrong = R"(mod = tvm.IRModule({"f": main, "g": main})
tvm.s_tir.Schedule(mod).get_sblock("double"))",
         .right = R"(mod = tvm.IRModule({"f": main, "g": main})
tvm.s_tir.Schedule(mod).get_sblock("double", func_name="f"))"},
        {.name = "several-blocks",
         .message = "{} blocks of function `{}` are called `{}`",
         .help = "name blocks once; `sch.get_child_blocks` gives handles of blocks without their names",
         .meaning = "Two blocks of the function have this name, which therefore says too little.",
         .wrong = R"(@T.prim_func(s_tir=True)
def two(A: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("set"):
            vi = T.axis.spatial(16, i)
            A[vi] = 0.0
    for i in range(16):
        with T.sblock("set"):
            vi = T.axis.spatial(16, i)
            A[vi] = 1.0


tvm.s_tir.Schedule(two).get_sblock("set"))",
         .right = R"(sch.get_sblock("double"))"},
        {.name = "block-not-found",
         .message = "function `{}` has no block `{}`",
         .help = "`sch.get_child_blocks(sch.get_sblock(\"root\"))` gives the blocks of the function",
         .meaning = "The function has no block of this name; the message lists those it has.",
         .wrong = R"(sch.get_sblock("add"))",
         .right = R"(sch.get_sblock("shifted"))"},
    }};
MLC_REFUSALS(schedule_primitive, refusals);

Error handle_gone(const SRefNode& sref, bool loop) {
  return (loop ? refuse(shared_refusals["loop-handle-gone"], sref.name.c_str())
               : refuse(shared_refusals["block-handle-gone"], sref.name.c_str()))
      .kind(kHandleGone)
      .note(fmt::format("`{}` took it away", sref.removed_by));
}

namespace {

// Of one of several values of one argument, such as the loops of `fuse`.
[[noreturn]] void wrong_item(const ApiCall& call, size_t index, const Any& item, std::string_view expected) {
  if (item.same_as(call.args[index])) wrong_argument(call, index, expected);
  throw Error("wrong-type", "argument `{}` of `{}` must be {}, not {}", call.api.params[index].name,
              call.api.name, expected, type_name(item))
      .kind("TypeError")
      .at(call.span_of(index));
}

[[noreturn]] void gone(const SRefNode& sref, bool loop, Span span) {
  if (sref.mark != Mark::kNone) {
    throw refuse_as(shared_refusals["location-is-no-loop"],
                    "the sampled location is no loop: the block is to {}",
                    sref.mark == Mark::kRoot ? "stay where it is" : "be inlined")
        .at(span)
        .help("`compute_at` and `reverse_compute_at` take it; other steps need a loop");
  }
  throw handle_gone(sref, loop).at(span);
}

// What a handle on a loop or block refers to.
const SRef& place_of(const ScheduleNode& schedule, const ffi::Object* rv, bool loop, Span span) {
  auto found = schedule.handles.find(rv);
  if (found == schedule.handles.end()) {
    throw refuse_as(shared_refusals["unknown-handle"], "this {} belongs to another schedule",
                    loop ? "loop" : "block")
        .kind(kNoHandle)
        .at(span);
  }
  if (!found->second->alive()) gone(*found->second, loop, span);
  return found->second;
}

}  // namespace

LoopArg Step::loop_of(const Any& value, Span span, size_t index) {
  auto rv = ir::try_get<LoopRV>(value);
  if (!rv) wrong_item(call, index, value, "a loop, as `sch.get_loops(block)` returns them");
  return {place_of(schedule, rv->get(), true, span), span};
}

LocationArg Step::location(size_t index) {
  const Any& value = call.args[index];
  if (value.as<LoopRV>()) {
    auto found = schedule.handles.find(value.as<ffi::Object>());
    if (found != schedule.handles.end() && found->second->mark != Mark::kNone)
      return {{found->second, span(index)}};
  }
  return {loop(index)};
}

BlockArg Step::block_of(Any& value, Span span, size_t index) {
  if (auto name = value.try_cast<String>()) {
    GlobalVar fn = function(std::nullopt, span);
    SRef sref = find_block(fn, text(*name), span);
    value = handle(sref.get());
    lookups.push_back({find_primitive("get_sblock"), {*name, fn->name_hint}, {value}, false, {}});
    return {sref, span};
  }
  auto rv = ir::try_get<SBlockRV>(value);
  if (!rv) wrong_item(call, index, value, "a block, as `sch.get_sblock(name)` returns it, or its name");
  return {place_of(schedule, rv->get(), false, span), span};
}

BlockHandleArg Step::block_handle(size_t index) {
  if (!ir::try_get<SBlockRV>(call.args[index]))
    wrong_argument(call, index, "a block, as `sch.get_sblock(name)` returns it");
  return {block(index)};
}

std::vector<BlockArg> Step::blocks(size_t index) {
  std::vector<BlockArg> blocks;
  Any& value = call.args[index];
  if (value == nullptr) return blocks;
  Array<Any> handles;
  for (Any& item : items_of(call, index, value, "a list of blocks")) {
    blocks.push_back(block_of(item, span(index), index));
    handles.push_back(item);
  }
  value = handles;
  return blocks;
}

SRef Step::loop_or_block(size_t index) {
  const Any& value = call.args[index];
  if (ir::try_get<LoopRV>(value)) return loop(index).sref;
  if (ir::try_get<SBlockRV>(value)) return block(index).sref;
  wrong_argument(call, index, "a loop or a block");
}

GlobalVar Step::function(const std::optional<std::string>& name, Span span) {
  const IRModule& mod = state.mod();
  if (name) {
    GlobalVar found = mod->find(*name);
    if (!found) mod->lookup(*name);  // throws, with the nearest name
    if (!ir::try_get<PrimFunc>(mod->functions[found])) {
      throw refuse(shared_refusals["not-schedulable"], *name).at(span);
    }
    return found;
  }
  if (schedule.func_working_on) return schedule.func_working_on;
  std::vector<std::string> names;
  for (const auto& [var, fn] : mod->functions)
    if (ir::try_get<PrimFunc>(fn)) names.emplace_back(var->name_hint);
  std::ranges::sort(names);
  std::string help =
      names.empty() ? "" : fmt::format("say which: `sch.work_on(\"{0}\")`, or `func_name=\"{0}\"`", names[0]);
  if (names.size() > 1) help += fmt::format("; the module has `{}`", fmt::join(names, "`, `"));
  throw refuse(refusals["no-function-chosen"]).kind("ValueError+ScheduleError").at(span).help(help);
}

SRef Step::find_block(const GlobalVar& fn, std::string_view name, Span span) {
  FunctionIndex& index = state.index(fn);
  SRef found;
  size_t count = 0;
  for (const auto& [stmt, sref] : index.srefs) {
    if (!sref->block() || text(sref->block()->name_hint) != name) continue;
    found = sref;
    ++count;
  }
  if (count == 1) return found;
  if (count > 1) {
    throw refuse(refusals["several-blocks"], count, fn->name_hint.c_str(), name).at(span);
  }
  std::vector<std::string> names;
  for (const auto& [stmt, sref] : index.srefs) {
    if (sref->block()) names.emplace_back(sref->block()->name_hint);
  }
  std::string help = did_you_mean(name, names);
  std::string list;
  std::sort(names.begin(), names.end());
  for (const std::string& each : names) list += (list.empty() ? "`" : ", `") + each + "`";
  throw refuse(refusals["block-not-found"], fn->name_hint.c_str(), name)
      .at(span)
      .help(help.empty() ? "its blocks are " + list : help);
}

SRefNode* require_scope(const BlockArg& block, std::string_view message) {
  if (SRefNode* scope = scope_of(*block)) return scope;
  throw refuse_as(shared_refusals["root-block"], fmt::runtime(message), block->name.c_str()).at(block.span);
}

Stmt serial_loops(const std::vector<std::pair<Var, Expr>>& loops, Stmt body) {
  for (size_t d = loops.size(); d-- > 0;) {
    const auto& [var, extent] = loops[d];
    body = make<ForNode>(var, const_like(var, 0), extent, ForKind::kSerial, body);
  }
  return body;
}

std::vector<Any> items_of(const ApiCall& call, size_t index, const Any& list, std::string_view expected) {
  if (auto items = list.as<ffi::List<Any>>()) return {items->begin(), items->end()};
  if (auto items = list.as<Array<Any>>()) return {items->begin(), items->end()};
  wrong_argument(call, index, expected);
}

void Step::replace(SRefNode& at, const Stmt& next, const BlockReuse& reuse) {
  state.replace(at, next, reuse, primitive.name());
}

Any Step::handle(SRefNode* sref) {
  SRef owner = state.owner(sref);
  MLC_CHECK(owner, "a primitive returned a place that is not in the module");
  auto named = [&](const auto& rv) -> Any {
    schedule.handles[rv.get()] = owner;
    schedule.named.push_back(rv);
    return rv;
  };
  return sref->loop() ? named(make<LoopRVNode>()) : named(make<SBlockRVNode>());
}

Any Step::handles(const std::vector<SRefNode*>& srefs) {
  ffi::List<Any> list;
  for (SRefNode* sref : srefs) list.push_back(handle(sref));
  return list;
}

Any Step::mark(Mark mark) {
  auto sref = std::make_shared<SRefNode>();
  sref->mark = mark;
  LoopRV rv = make<LoopRVNode>();
  schedule.handles[rv.get()] = sref;
  schedule.named.push_back(rv);
  return rv;
}

Any Step::number(int64_t value) {
  Var var = make_var(String(fmt::format("v{}", schedule.handles.size() + schedule.numbers.size() + 1)),
                     DataType::Int(32));
  schedule.numbers[var.get()] = value;
  schedule.named.push_back(var);
  return var;
}

Any evaluate_numbers(const ScheduleNode& schedule, const Any& value) {
  if (value == nullptr) return value;
  auto e = ir::try_get<Expr>(value);
  if (!e || schedule.numbers.empty()) return value;
  VarMap values;
  for (const Var& var : free_vars(*e)) {
    auto found = schedule.numbers.find(var.get());
    if (found != schedule.numbers.end()) values[var.get()] = int_imm(var->dtype(), found->second);
  }
  if (values.empty()) return value;
  Expr result = Analyzer().simplify(substitute(*e, values));
  if (auto constant = const_int(result)) return *constant;
  return result;
}

std::vector<std::string> handle_makers() {
  std::vector<std::string> names;
  for (const Primitive* primitive : all_primitives()) {
    size_t arrow = primitive->doc.find(") -> ");
    if (arrow > primitive->doc.find('\n', 1)) continue;
    std::string_view result = primitive->doc.substr(arrow + 5);
    if (!result.starts_with("loop") && !result.starts_with("block") && !result.starts_with("location"))
      continue;
    names.emplace_back(primitive->name());
    for (const ClassicName& older : classic_names()) {
      if (older.kind == ClassicName::Kind::kMethod && older.to == primitive->name())
        names.emplace_back(older.from);
    }
  }
  return names;
}

const Primitive* find_primitive(std::string_view name) {
  for (const Primitive* primitive : all_primitives()) {
    if (primitive->name() == name) return primitive;
  }
  return nullptr;
}

std::vector<std::string_view> parameter_names(const Primitive& primitive) {
  std::vector<std::string_view> names;
  std::string_view rest = primitive.signature.substr(primitive.signature.find('(') + 1);
  while (true) {
    std::string_view one = rest.substr(0, rest.find_first_of(",)"));
    one.remove_prefix(std::min(one.find_first_not_of(" *"), one.size()));
    std::string_view name = one.substr(0, one.find_first_of("=: "));
    if (!name.empty()) names.push_back(name);
    size_t comma = rest.find(',');
    if (comma == rest.npos) return names;
    rest.remove_prefix(comma + 1);
  }
}

Any run_primitive(const Primitive& primitive, ScheduleNode& schedule, ApiCall& call) {
  Step step(schedule, primitive, call);
  Any result;
  try {
    ir::NotNow whole;
    result = primitive.run(step);
  } catch (Error& error) {
    // TVM looks at types before it looks up names: the variables that follow are counted without these.
    if (error.first().name == "wrong-type") {
      for (const Instruction& lookup : step.lookups) {
        for (const Any& found : lookup.outputs) schedule.handles.erase(found.as<ffi::Object>());
      }
    }
    throw_refused(error, step);
  }
  auto& trace = const_cast<TraceNode&>(*schedule.trace).instructions;
  for (Instruction& lookup : step.lookups) trace.push_back(std::move(lookup));
  Instruction instruction{&primitive, {call.args.begin() + 1, call.args.end()}, {}, false, {}};
  if (auto list = result.as<ffi::List<Any>>()) {
    instruction.returns_list = true;
    for (const Any& one : *list) instruction.outputs.push_back(one);
  } else if (result != nullptr) {
    instruction.outputs.push_back(result);
  }
  trace.push_back(std::move(instruction));
  return result;
}

}  // namespace mlc::transform
