// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/types/dict_attrs.h"

#include <algorithm>

#include "frontend/script/core/machine.h"
#include "frontend/script/numpy/array.h"
#include "frontend/script/types/dtype.h"
#include "ir/core/module.h"
#include "ir/core/try_get.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using Values = ffi::Map<String, Any>;

namespace {

constexpr std::string_view kAttrs = "mlc.ir.DictAttrs";

// Methods are called on the map alone (settled, in equality.h).
Values values_of(const Any& value) {
  auto* attrs = value.as<DictAttrsNode>();
  return attrs != nullptr ? attrs->values : value.cast<Values>();
}
const Any* attrs_entry(ApiCall& call) {
  return dict_find(evaluator_of(call.host), Any(values_of(call.args[0])), call.args[1], call.span);
}
Any required(ApiCall& call) {
  if (const Any* value = attrs_entry(call)) return *value;
  key_error(evaluator_of(call.host), call.args[1], call.span);
}
Any attribute(ApiCall& call) {
  if (const Any* value = attrs_entry(call)) return *value;
  raise("AttributeError", call.span, "no-attribute", "DictAttrs has no attribute {}", text_of(call.args[1]));
}
Any integers(ApiCall& call) { return integers_in(call, attribute(call)); }
Any keys(ApiCall& call) {
  List names;
  for (const auto& [key, value] : values_of(call.args[0])) names.push_back(Any(key));
  return names;
}
Any items(ApiCall& call) {
  Evaluator& evaluator = evaluator_of(call.host);
  return evaluator.call(evaluator.attribute(Any(values_of(call.args[0])), Symbol("items"), call.span), {}, {},
                        call.span);
}

// As the printer writes attributes: texts in double quotes, sequences in brackets, names in order.
std::string shown(Evaluator& evaluator, const Any& value) {
  if (is_str(value)) {
    std::string text = "\"";
    for (char c : text_of(value)) {
      if (c == '"' || c == '\\') text += '\\';
      text += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return text + '"';
  }
  std::vector<std::string> parts;
  if (auto array = value.as<ffi::Array<Any>>()) {
    for (const Any& one : *array) parts.push_back(shown(evaluator, one));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (auto map = value.as<Values>(); map && value.type_index() == kTVMFFIMap) {
    std::vector<std::pair<std::string, Any>> sorted;
    for (const auto& [key, one] : *map) sorted.emplace_back(std::string(key), one);
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, one] : sorted)
      parts.push_back(shown(evaluator, str_value(key)) + ": " + shown(evaluator, one));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  return evaluator.repr(value);
}

// Lists of the script as arrays, all the way down.
Any attribute_of(const Any& value) {
  auto* list = value.as<ffi::ListObj>();
  if (list == nullptr) return value;
  ffi::Array<Any> all;
  for (const Any& one : *list) all.push_back(attribute_of(one));
  return all;
}

const ApiRow dict_attrs_table[] = {
    {ApiKind::kClass, "tvm.ir", "DictAttrs(values)", "Attributes by name.",
     [](ApiCall& call) -> Any {
       auto values = ir::try_get<Values>(call.args[0]);
       if (auto dict = call.args[0].as<Dict>(); dict && !values) {
         Values made;
         for (const auto& [key, value] : *dict) {
           if (!is_str(key)) ir::wrong_argument(call, 0, "a map of names");
           made.Set(key.cast<String>(), attribute_of(value));
         }
         values = made;
       }
       if (!values) ir::wrong_argument(call, 0, "a map of names");
       return Any(ir::make<DictAttrsNode>(*values));
     },
     kAttrs, "tvm.ir.attrs.DictAttrs"},
    {ApiKind::kMethod, kAttrs, "__getattr__(name)", "The value of a name.", attribute},
    {ApiKind::kMethod, kAttrs, "__getitem__(k)", "The value of a name.", required},
    {ApiKind::kMethod, kAttrs, "__contains__(k)", "Is there a value of that name?",
     [](ApiCall& call) -> Any { return attrs_entry(call) != nullptr; }},
    {ApiKind::kMethod, kAttrs, "__len__()", "The number of names.",
     [](ApiCall& call) -> Any { return static_cast<int64_t>(values_of(call.args[0]).size()); }},
    {ApiKind::kMethod, kAttrs, "__iter__()", "The names.",
     [](ApiCall& call) -> Any {
       Evaluator& evaluator = evaluator_of(call.host);
       Any names = keys(call);
       return evaluator.call(evaluator.attribute(names, Symbol("__iter__"), call.span), {}, {}, call.span);
     }},
    {ApiKind::kMethod, kAttrs, "keys()", "The names.", keys},
    {ApiKind::kMethod, kAttrs, "items()", "The names with their values.", items},
    {ApiKind::kMethod, kAttrs, "get(key, default=None)", "The value of a name, or the default.",
     [](ApiCall& call) -> Any {
       const Any* value = attrs_entry(call);
       return value == nullptr ? call.args[2] : *value;
     }},
    {ApiKind::kMethod, kAttrs, "get_int(key)", "The value of a name.", attribute},
    {ApiKind::kMethod, kAttrs, "get_str(key)", "The value of a name.", attribute},
    {ApiKind::kMethod, kAttrs, "get_int_tuple(key)", "The integers under a name.", integers},
    {ApiKind::kMethod, kAttrs, "__repr__()", "The attributes as the printer writes them.",
     [](ApiCall& call) -> Any {
       return str_value(shown(evaluator_of(call.host), Any(values_of(call.args[0]))));
     }},
};

}  // namespace

Any integers_in(ApiCall& call, const Any& sequence) {
  Tuple all;
  for (const Any& value : evaluator_of(call.host).elements_of(sequence, call.span)) {
    auto* constant = value.as<ir::IntImmNode>();
    all.push_back(constant == nullptr ? value : Any(constant->value));
  }
  return all;
}

Any as_read(const Any& object, Symbol name, const Any& value) {
  bool of_call = object.as<ir::CallNode>() != nullptr;
  bool holds = of_call || object.as<ir::BaseFuncNode>() != nullptr || object.as<ir::IRModuleNode>() != nullptr;
  if (!holds || name.str() != "attrs") return dtype_text(value);
  auto values = ir::try_get<Values>(value);
  if (of_call && values && values->empty()) return nullptr;
  return values ? Any(ir::make<DictAttrsNode>(*values)) : value;
}

std::span<const ApiRow> dict_attrs_rows() { return dict_attrs_table; }

}  // namespace mlc::script
