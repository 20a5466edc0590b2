// SPDX-License-Identifier: Apache-2.0
// The trace as text and as something to run again.
#include <fmt/format.h>

#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "trace-does-not-fit",
         .message = "the replayed `{}` returned {} handles instead of {}",
         .help = "a trace is for the program that it was made on",
         .meaning = "The steps of a trace have the results that they had on the program it was made on."},
    }};
MLC_REFUSALS(schedule_trace, refusals);

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    out += c;
  }
  return out + "\"";
}

// Calls `act` on the handles in an argument.
template <class Act>
void each_handle(const Any& value, const Act& act) {
  if (value == nullptr || each_item(value, [&](const Any&, const Any& item) { each_handle(item, act); }))
    return;
  if (auto e = ir::try_get<Expr>(value)) {
    for (const Var& var : free_vars(*e)) act(var.get());
  } else if (auto* object = value.as<ffi::Object>()) {
    act(object);
  }
}

class TracePrinter {
 public:
  explicit TracePrinter(bool anonymous = false) : anonymous_(anonymous) {}
  std::string print(const TraceNode& trace) {
    std::string out = "# from tvm import s_tir\ndef apply_trace(sch: s_tir.Schedule) -> None:\n";
    if (trace.instructions.empty()) out += "  pass\n";
    for (const std::string& line : lines(trace, false)) out += "  " + line + "\n";
    out.pop_back();
    return out;
  }

  std::vector<std::string> lines(const TraceNode& trace, bool remove_postproc) {
    std::vector<std::string> result;
    for (const Instruction& instruction : trace.instructions) {
      if (remove_postproc && is_postproc(instruction)) break;
      result.push_back(line(instruction));
    }
    return result;
  }

  std::string line(const Instruction& instruction) {
    const Api& api = method_of(*instruction.primitive);
    std::string args;
    auto add = [&](std::string text) { args += (args.empty() ? "" : ", ") + text; };
    std::string_view renamed = instruction.primitive->traced_names;
    for (size_t i = 0; i < instruction.args.size(); ++i) {
      std::string_view other = renamed.substr(0, renamed.find(','));
      renamed = renamed.size() > other.size() ? renamed.substr(other.size() + 1) : std::string_view();
      const ApiParam& param = api.params[i + 1];
      if (param.kind == ApiParam::Kind::kVarArgs) {
        for (const Any& value : instruction.args[i].cast<Array<Any>>()) add(show(value));
      } else if (anonymous_ && param.name == "decision") {
        continue;
      } else if (!(param.has_default && instruction.args[i] == nullptr && !shows_none(param))) {
        std::string name(other.empty() ? param.name : other == "_" ? "" : other);
        const Any& value = instruction.args[i];
        // Annotations hold numbers, so a truth value reads as one.
        std::string text = show(value);
        if (param.name == "ann_val" && (text == "True" || text == "False")) text = text == "True" ? "1" : "0";
        add((name.empty() ? "" : name + "=") + text);
      }
    }
    std::string outputs;
    for (const Any& output : instruction.outputs) outputs += (outputs.empty() ? "" : ", ") + named(output);
    std::string call = fmt::format("sch.{}({})", instruction.primitive->name(), args);
    if (instruction.returns_list && instruction.outputs.size() == 1) outputs += ",";
    return outputs.empty() ? call : outputs + " = " + call;
  }

 private:
  // Consumers and decisions that were not passed are left out; other defaults are written.
  static bool shows_none(const ApiParam& param) { return param.name == "pad_value"; }

  std::string named(const Any& rv) {
    if (anonymous_) return "_";
    if (rv == nullptr) return names_.try_emplace(nullptr, "_").first->second;
    auto [it, fresh] = names_.try_emplace(rv.as<ffi::Object>());
    if (fresh)
      it->second = fmt::format("{}{}",
                               rv.as<SBlockRV>() ? "b"
                               : rv.as<LoopRV>() ? "l"
                                                 : "v",
                               names_.size() - 1);
    return it->second;
  }

  std::string show(const Any& value) {
    if (value == nullptr) return "None";
    if (value.as<LoopRV>() || value.as<SBlockRV>()) return named(value);
    if (value.type_index() == ffi::TypeIndex::kTVMFFIBool) return value.cast<bool>() ? "True" : "False";
    if (auto text = value.try_cast<String>())
      return anonymous_ ? std::string(*text) : quoted({text->data(), text->size()});
    if (value.type_index() == ffi::TypeIndex::kTVMFFIInt) return fmt::format("{}", value.cast<int64_t>());
    if (value.type_index() == ffi::TypeIndex::kTVMFFIFloat)
      return fmt::format("{:.17g}", value.cast<double>());
    if (value.as<ffi::Object>() && names_.contains(value.as<ffi::Object>())) return named(value);
    if (anonymous_ && ir::try_get<Var>(value)) return "_";
    if (auto constant = ir::try_get<FloatImm>(value)) return fmt::format("{:.17g}", (*constant)->value);
    if (auto constant = value.as<IntImm>()) {
      if ((*constant)->dtype().is_bool()) return (*constant)->value ? "True" : "False";
      return fmt::format("{}", (*constant)->value);
    }
    if (auto list = value.as<ffi::List<Any>>()) return sequence(*list);
    if (auto list = value.as<Array<Any>>()) return sequence(*list);
    if (auto map = value.as<Map<Any, Any>>()) return mapping(*map);
    if (auto dict = value.as<ffi::Dict<Any, Any>>()) return mapping(*dict);
    if (auto map = ir::try_get<IndexMap>(value)) {
      return index_map_text(with_samples(*map, [&](const Var& var) -> std::optional<Expr> {
        if (!names_.contains(var.get())) return std::nullopt;
        return make_var(String(named(var)), var->dtype());
      }));
    }
    if (auto ranges = value.as<AccessRanges>()) return access_ranges_text(*ranges);
    if (auto position = value.as<BufferPosition>())
      return fmt::format("(\"{}\", {})", (*position)->write ? "write" : "read", (*position)->index);
    if (auto var = ir::try_get<Var>(value)) return quoted({(*var)->name.data(), (*var)->name.size()});
    if (auto e = ir::try_get<Expr>(value))
      return expr_text(*e, [&](const Var& var) {
        return names_.contains(var.get()) ? named(var) : anonymous_ ? "_" : std::string(var->name);
      });
    return type_name(value);
  }
  std::string bare(const Any& value) {
    if (auto text = value.try_cast<String>()) return *text;
    if (value.type_index() == ffi::TypeIndex::kTVMFFIBool) return value.cast<bool>() ? "1" : "0";
    std::string items;
    auto add = [&](const auto& list) {
      for (const Any& item : list) items += (items.empty() ? "" : ", ") + bare(item);
      return "[" + items + "]";
    };
    if (auto list = value.as<ffi::List<Any>>()) return add(*list);
    if (auto list = value.as<Array<Any>>()) return add(*list);
    return show(value);
  }
  template <class Mapping>
  std::string mapping(const Mapping& map) {
    std::string items;
    // TVM quotes the keys alone.
    for (const auto& [key, item] : map) items += (items.empty() ? "" : ", ") + show(key) + ": " + bare(item);
    return "{" + items + "}";
  }
  template <class Sequence>
  std::string sequence(const Sequence& list) {
    std::string items;
    for (const Any& item : list) {
      bool flag = item.type_index() == ffi::TypeIndex::kTVMFFIBool;
      items += (items.empty() ? "" : ", ") + (flag ? bare(item) : show(item));
    }
    return "[" + items + "]";
  }

  bool anonymous_;
  std::unordered_map<const ffi::Object*, std::string> names_;
};

// Handles of the recorded schedule replaced by those of the schedule the trace is applied to.
Any mapped(const Any& value, const std::unordered_map<const ffi::Object*, Any>& handles) {
  if (value == nullptr) return value;
  if (value.as<LoopRVNode>() != nullptr || value.as<SBlockRVNode>() != nullptr) {
    auto found = handles.find(value.as<ffi::Object>());
    MLC_CHECK(found != handles.end(), "a trace uses a handle that no step of it made");
    return found->second;
  }
  if (auto e = ir::try_get<Expr>(value)) {
    VarMap values;
    for (const Var& var : free_vars(*e)) {
      auto found = handles.find(var.get());
      if (found != handles.end()) values[var.get()] = found->second.cast<Expr>();
    }
    return substitute(*e, values);
  }
  if (auto map = ir::try_get<IndexMap>(value)) {
    return with_samples(*map, [&](const Var& var) -> std::optional<Expr> {
      auto found = handles.find(var.get());
      return found == handles.end() ? std::nullopt : std::optional(found->second.cast<Expr>());
    });
  }
  auto list = [&](auto copy, const auto& items) -> Any {
    for (const Any& item : items) copy.push_back(mapped(item, handles));
    return copy;
  };
  auto dict = [&](auto copy, const auto& entries) -> Any {
    for (const auto& [key, item] : entries) copy.Set(key, mapped(item, handles));
    return copy;
  };
  if (auto items = value.as<Array<Any>>()) return list(Array<Any>(), *items);
  if (auto items = value.as<ffi::List<Any>>()) return list(ffi::List<Any>(), *items);
  if (auto entries = value.as<Map<String, Any>>()) return dict(Map<String, Any>(), *entries);
  if (auto entries = value.as<ffi::Dict<Any, Any>>()) return dict(ffi::Dict<Any, Any>(), *entries);
  return value;
}

}  // namespace

const Api& method_of(const Primitive& primitive) {
  const Api* api = ApiRegistry::global().method(ScheduleNode::RuntimeTypeIndex(), primitive.name());
  MLC_CHECK(api, "primitive `{}` is not registered", primitive.name());
  return *api;
}
bool is_postproc(const Instruction& instruction) { return instruction.primitive->kind == "EnterPostproc"; }
bool is_pure(const Primitive& primitive) { return primitive.kind.starts_with("Get") || samples(primitive); }
bool samples(const Primitive& primitive) { return primitive.kind.starts_with("Sample"); }

std::string line_of(const Instruction& instruction) { return TracePrinter(true).line(instruction); }

std::string TraceNode::as_python() const { return TracePrinter().print(*this); }

std::vector<std::string> TraceNode::lines(bool remove_postproc) const {
  return TracePrinter().lines(*this, remove_postproc);
}

Trace TraceNode::simplified(bool remove_postproc) const {
  std::vector<Instruction> kept;
  size_t end = 0;
  while (end < instructions.size() && !(remove_postproc && is_postproc(instructions[end]))) ++end;
  std::unordered_set<const ffi::Object*> used;
  for (size_t i = end; i-- > 0;) {
    const Instruction& instruction = instructions[i];
    bool needed = !is_pure(*instruction.primitive);
    for (const Any& output : instruction.outputs) needed = needed || used.contains(output.as<ffi::Object>());
    if (!needed) continue;
    for (const Any& arg : instruction.args) {
      each_handle(arg, [&](const ffi::Object* handle) { used.insert(handle); });
    }
    kept.push_back(instruction);
  }
  auto result = ffi::make_object<TraceNode>();
  result->instructions.assign(kept.rbegin(), kept.rend());
  return Trace(result);
}

static const Instruction& run_step(const Instruction& instruction, const Api& api, std::vector<Any> args,
                                   ScheduleNode& to, Host& host) {
  ApiCall call{api, host, args, {}, {}};
  run_primitive(*instruction.primitive, to, call);
  return to.trace->instructions.back();
}

std::vector<Any> repeat_step(const Instruction& instruction, ScheduleNode& to, Host& host,
                             const std::unordered_map<const ffi::Object*, Any>& handles) {
  std::vector<Any> args{Any(ref(&to))};
  for (const Any& arg : instruction.args) args.push_back(mapped(arg, handles));
  return run_step(instruction, method_of(*instruction.primitive), std::move(args), to, host).outputs;
}

void apply_trace(const TraceNode& trace, ScheduleNode& to, Host& host, bool remove_postproc,
                 const Any& provider, const std::function<void(size_t)>& after) {
  std::unordered_map<const ffi::Object*, Any> handles;
  const std::vector<Instruction> steps = trace.instructions;  // a trace may be applied to its own schedule
  for (size_t index = 0; index < steps.size(); ++index) {
    const Instruction& instruction = steps[index];
    if (remove_postproc && is_postproc(instruction)) break;
    const Api& api = method_of(*instruction.primitive);
    std::vector<Any> args{Any(ref(&to))};
    for (const Any& arg : instruction.args) args.push_back(mapped(arg, handles));
    if (provider != nullptr) {
      StepParts parts = parts_of(instruction);
      std::vector<Any> inputs;
      for (const Any& input : parts.inputs) inputs.push_back(mapped(input, handles));
      std::vector<Any> given{instruction_object(trace.instructions[index]),
                             Array<Any>(inputs.begin(), inputs.end()),
                             Array<Any>(parts.attrs.begin(), parts.attrs.end()), parts.decision};
      Any decision = host.call(provider, given);
      if (samples(*instruction.primitive)) {
        args.back() = decision;
      } else if (decision != nullptr) {
        throw refuse(shared_refusals["nothing-to-decide"], instruction.primitive->name()).kind("ValueError");
      }
    }
    const Instruction& done = run_step(instruction, api, std::move(args), to, host);
    if (done.outputs.size() != instruction.outputs.size()) {
      throw refuse(refusals["trace-does-not-fit"], instruction.primitive->name(), done.outputs.size(),
                   instruction.outputs.size())
          .kind("InternalError");
    }
    for (size_t i = 0; i < done.outputs.size(); ++i)
      if (done.outputs[i] != nullptr) handles[instruction.outputs[i].as<ffi::Object>()] = done.outputs[i];
    if (after) after(index);
  }
}

}  // namespace mlc::transform
