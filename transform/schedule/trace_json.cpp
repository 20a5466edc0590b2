// SPDX-License-Identifier: Apache-2.0
// Traces as TVM's JSON: steps by the names of their kinds, handles by numbered names.
#include <algorithm>

#include "ir/core/try_get.h"
#include "transform/schedule/index_map_json.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {
namespace {

enum class Part : uint8_t { kAttribute, kInput, kSpread, kDecision };
struct Role {
  Part part = Part::kAttribute;
  bool as_int = false, as_imm = false, as_map = false;
  bool as_role = false;      // "read" or "write": 0 or 1
  bool as_position = false;  // two attributes: number, and 0 for reads or 1 for writes
};

// The JSON form of a parameter; whether a plain one is an input is seen from its value.
Role role_of(const Primitive& primitive, const ApiParam& param) {
  Role role;
  if (param.name == "decision") role.part = Part::kDecision;
  if (param.kind == ApiParam::Kind::kVarArgs) role.part = Part::kSpread;
  std::string_view rest = primitive.json_inputs;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest = rest.size() > word.size() ? rest.substr(word.size() + 1) : std::string_view();
    if (word == param.name) role.part = Part::kInput;
    if (word.starts_with("*") && word.substr(1) == param.name) role.part = Part::kSpread;
    if (word.starts_with("int:") && word.substr(4) == param.name) role.as_int = true;
    if (word.starts_with("imm:") && word.substr(4) == param.name) role.as_imm = true;
    if (word.starts_with("role:") && word.substr(5) == param.name) {
      role.part = Part::kInput;
      role.as_role = true;
    }
    if (word.starts_with("map:") && word.substr(4) == param.name) role.as_map = true;
    if (word.starts_with("position:") && word.substr(9) == param.name) role.as_position = true;
  }
  // Handles come as inputs, and lists of them as one.
  for (std::string_view handle :
       {"block", "loop", "block_or_loop", "scope_block", "reduction_block", "epilogue_block"})
    if (param.name == handle) role.part = Part::kInput;
  return role;
}

bool is_list(const Any& value) { return value.as<Array<Any>>() || value.as<ffi::List<Any>>(); }

std::vector<Any> items(const Any& value) {
  std::vector<Any> all;
  each_item(value, [&](const Any&, const Any& item) { all.push_back(item); });
  return all;
}

Any json_list(const std::vector<Any>& values) {
  ffi::List<Any> list;
  for (const Any& value : values) list.push_back(value);
  return list;
}

class Names {
 public:
  std::string fresh(const Any& rv) {
    if (rv == nullptr) return names_.try_emplace(nullptr, "_").first->second;  // a factor to be inferred
    std::string letter = rv.as<SBlockRV>() ? "b" : rv.as<LoopRV>() ? "l" : "v";
    return names_[rv.as<ffi::Object>()] = fmt::format("{}{}", letter, names_.size());
  }
  // An input: handles by name, texts in quotes.
  Any input(const Any& value) const {
    if (value == nullptr) return String("None");
    if (auto text = value.try_cast<String>()) return String(fmt::format("\"{}\"", text->c_str()));
    if (auto map = ir::try_get<IndexMap>(value)) {
      IndexMap named = with_samples(*map, [&](const Var& var) -> std::optional<Expr> {
        auto name = names_.find(var.get());
        if (name == names_.end()) return std::nullopt;
        return make_var(String(name->second), var->dtype());
      });
      return String(index_map_json(named, false));
    }
    auto found = value.as<ffi::Object>() ? names_.find(value.as<ffi::Object>()) : names_.end();
    if (found != names_.end()) return String(found->second);
    if (is_list(value)) {
      std::vector<Any> parts;
      for (const Any& item : items(value)) parts.push_back(input(item));
      return json_list(parts);
    }
    return value;
  }

 private:
  std::unordered_map<const ffi::Object*, std::string> names_;
};

Any plain(const Any& value) {
  if (auto map = value == nullptr ? std::nullopt : ir::try_get<IndexMap>(value))
    return String(index_map_json(*map, true));
  if (value == nullptr || !is_list(value)) return value;
  std::vector<Any> parts;
  for (const Any& item : items(value)) parts.push_back(plain(item));
  return json_list(parts);
}

[[noreturn]] void bad_json(Span span, const std::string& what) {
  throw refuse_as(shared_refusals["trace-json"], "this is no trace as `as_json` writes it: {}", what)
      .kind("ValueError")
      .at(span);
}

// The other way: names become handles of the schedule.
class Handles {
 public:
  explicit Handles(Span span) : span_(span) {}
  void define(const Any& name, const Any& handle) {
    auto text = name.try_cast<String>();
    if (!text) bad_json(span_, "an output has no name");
    handles_[std::string(*text)] = handle;
  }
  Any input(const Any& value) const {
    if (auto text = value.try_cast<String>()) {
      std::string name(*text);
      if (name == "None") return nullptr;
      if (name.size() >= 2 && name.front() == '"' && name.back() == '"')
        return String(name.substr(1, name.size() - 2));
      if (IndexMap map = index_map_of_json(*text)) {
        // Samples stand in the map by their names.
        return with_samples(map, [&](const Var& var) -> std::optional<Expr> {
          auto sample = handles_.find(std::string(view(var->name)));
          return sample == handles_.end() ? std::nullopt : ir::try_get<Expr>(sample->second);
        });
      }
      auto found = handles_.find(name);
      if (found == handles_.end()) bad_json(span_, fmt::format("no step before made `{}`", name));
      return found->second;
    }
    if (value == nullptr || !is_list(value)) return value;
    std::vector<Any> parts;
    for (const Any& item : items(value)) parts.push_back(input(item));
    return json_list(parts);
  }

 private:
  Span span_;
  std::unordered_map<std::string, Any> handles_;
};

// Arguments of a step in the order of its parameters.
std::vector<Any> arguments(const Primitive& primitive, const Api& api, const std::vector<Any>& inputs,
                           const std::vector<Any>& attrs, const Any& decision, Span span) {
  size_t input = 0, attr = 0;
  std::vector<Any> args;
  for (size_t i = 1; i < api.params.size(); ++i) {
    Role role = role_of(primitive, api.params[i]);
    switch (role.part) {
      case Part::kDecision:
        args.push_back(decision);
        break;
      case Part::kSpread: {
        std::vector<Any> rest(inputs.begin() + std::min(input, inputs.size()), inputs.end());
        input = inputs.size();
        bool varargs = api.params[i].kind == ApiParam::Kind::kVarArgs;
        args.push_back(varargs ? Any(Array<Any>(rest.begin(), rest.end())) : json_list(rest));
        break;
      }
      case Part::kInput:
        if (input == inputs.size())
          bad_json(span, fmt::format("`{}` has no `{}`", primitive.kind, api.params[i].name));
        args.push_back(inputs[input++]);
        if (role.as_role && args.back().type_index() == ffi::TypeIndex::kTVMFFIInt)
          args.back() = String(args.back().cast<int64_t>() ? "write" : "read");
        // A list that may be left out is written as an empty one.
        if (api.params[i].has_default && is_list(args.back()) && items(args.back()).empty())
          args.back() = nullptr;
        break;
      case Part::kAttribute: {
        if (attr == attrs.size()) {
          if (!api.params[i].has_default)
            bad_json(span, fmt::format("`{}` has no `{}`", primitive.kind, api.params[i].name));
          args.push_back(api.params[i].default_value);
          break;
        }
        Any value = attrs[attr++];
        if (role.as_position && attr < attrs.size())
          value = make<BufferPositionNode>(attrs[attr++].cast<int64_t>() != 0, value.cast<int64_t>());
        if (auto text = role.as_map && value != nullptr ? value.try_cast<String>() : std::nullopt)
          value = index_map_of_json(*text);
        auto number = value.as<IntImm>();
        if (number && *number && (*number)->dtype().is_bool()) value = (*number)->value != 0;
        // Files have 1 where a step has True.
        bool is_bool = api.params[i].has_default &&
                       api.params[i].default_value.type_index() == ffi::TypeIndex::kTVMFFIBool;
        if ((role.as_int || role.as_imm || is_bool) && value.type_index() == ffi::TypeIndex::kTVMFFIInt)
          value = value.cast<int64_t>() != 0;
        args.push_back(value);
      }
    }
  }
  if (input != inputs.size() || attr != attrs.size())
    bad_json(span, fmt::format("`{}` has more inputs or attributes than parameters", primitive.kind));
  return args;
}

}  // namespace

// Lists of a script are held as arrays by an instruction.
static Any held(const Any& value) {
  auto list = value.as<ffi::List<Any>>();
  if (!list) return value;
  Array<Any> all;
  for (const Any& item : *list) all.push_back(held(item));
  return all;
}

StepParts parts_of(const Instruction& instruction) {
  StepParts parts;
  const Api& api = method_of(*instruction.primitive);
  for (size_t i = 0; i < instruction.args.size(); ++i) {
    const Any& value = instruction.args[i];
    Role role = role_of(*instruction.primitive, api.params[i + 1]);
    switch (role.part) {
      case Part::kDecision:
        parts.decision = value;
        break;
      case Part::kSpread:
        for (const Any& item : items(value)) parts.inputs.push_back(item);
        break;
      case Part::kInput:
        if (role.as_role) {
          parts.inputs.push_back(static_cast<int64_t>(value.cast<String>() == "write"));
        } else if (auto ranges = value == nullptr ? std::nullopt : value.as<AccessRanges>()) {
          parts.inputs.push_back((*ranges)->ends);
        } else {
          parts.inputs.push_back(value == nullptr ? Any(Array<Any>{}) : held(value));
        }
        break;
      case Part::kAttribute:
        if (role.as_position) {
          auto position = value.cast<BufferPosition>();
          parts.attrs.push_back(position->index);
          parts.attrs.push_back(static_cast<int64_t>(position->write));
        } else if (role.as_int) {
          parts.attrs.push_back(static_cast<int64_t>(value.cast<bool>()));
        } else if (role.as_imm) {
          parts.attrs.push_back(bool_imm(value.cast<bool>()));
        } else {
          parts.attrs.push_back(held(value));
        }
    }
  }
  return parts;
}

std::vector<Any> arguments_of(const Primitive& primitive, const std::vector<Any>& inputs,
                              const std::vector<Any>& attrs, Span span) {
  return arguments(primitive, method_of(primitive), inputs, attrs, nullptr, span);
}

Any TraceNode::as_json(bool remove_postproc) const {
  std::vector<Any> steps, decisions;
  Names names;
  for (size_t index = 0; index < instructions.size(); ++index) {
    const Instruction& instruction = instructions[index];
    if (remove_postproc && is_postproc(instruction)) break;
    StepParts parts = parts_of(instruction);
    std::vector<Any> inputs, attrs, outputs;
    for (const Any& input : parts.inputs) inputs.push_back(names.input(input));
    for (const Any& attr : parts.attrs) attrs.push_back(plain(attr));
    for (const Any& output : instruction.outputs) outputs.push_back(String(names.fresh(output)));
    steps.push_back(json_list({String(std::string(instruction.primitive->kind)), json_list(inputs),
                               json_list(attrs), json_list(outputs)}));
    if (parts.decision != nullptr)
      decisions.push_back(json_list({static_cast<int64_t>(index), plain(parts.decision)}));
  }
  return json_list({json_list(steps), json_list(decisions)});
}

void apply_json(const Any& json, ScheduleNode& to, Host& host, Span span) {
  auto list = [&](const Any& value, size_t size, const char* what) {
    if (value == nullptr || !is_list(value)) bad_json(span, fmt::format("{} is no list", what));
    std::vector<Any> parts = items(value);
    if (size && parts.size() != size) bad_json(span, fmt::format("{} has {} parts", what, parts.size()));
    return parts;
  };
  std::vector<Any> parts = list(json, 2, "it");
  std::unordered_map<int64_t, Any> decisions;
  for (const Any& entry : list(parts[1], 0, "the list of decisions")) {
    std::vector<Any> pair = list(entry, 2, "a decision");
    decisions[pair[0].cast<int64_t>()] = pair[1];
  }
  Handles handles(span);
  std::vector<Any> steps = list(parts[0], 0, "the list of steps");
  for (size_t index = 0; index < steps.size(); ++index) {
    std::vector<Any> step = list(steps[index], 4, "a step");
    auto kind = step[0].try_cast<String>();
    const Primitive* primitive = nullptr;
    for (const Primitive* each : all_primitives())
      if (kind && each->kind == std::string_view(kind->data(), kind->size())) primitive = each;
    if (!primitive) bad_json(span, fmt::format("there is no step `{}`", kind ? kind->c_str() : "?"));
    const Api& api = method_of(*primitive);
    std::vector<Any> inputs, attrs = list(step[2], 0, "attributes");
    for (const Any& input : list(step[1], 0, "inputs")) inputs.push_back(handles.input(input));
    auto decided = decisions.find(static_cast<int64_t>(index));
    Any decision = decided == decisions.end() ? Any(nullptr) : decided->second;
    std::vector<Any> args{Any(ref(&to))};
    for (Any& arg : arguments(*primitive, api, inputs, attrs, decision, span)) args.push_back(std::move(arg));
    ApiCall call{api, host, args, span, {}};
    run_primitive(*primitive, to, call);
    const Instruction& done = to.trace->instructions.back();
    std::vector<Any> outputs = list(step[3], 0, "outputs");
    if (outputs.size() != done.outputs.size())
      bad_json(span, fmt::format("`{}` returned {} handles, not {}", kind->c_str(), done.outputs.size(),
                                 outputs.size()));
    for (size_t i = 0; i < outputs.size(); ++i) handles.define(outputs[i], done.outputs[i]);
  }
}

}  // namespace mlc::transform
