// SPDX-License-Identifier: Apache-2.0
// Attributes as scripts see them: `func.attrs` reads like a dict, `call.attrs` has fields.
#include "ir/core/attrs.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include "frontend/print/print.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/api.h"

namespace mlc::print {
namespace attributes {

using namespace ir;  // NOLINT: rows of the api speak of IR values

static constexpr Refusals refusals{
    "AttributeError",
    {
        {.name = "no-such-attribute", .message = "{} has no attribute {}"},
        {.name = "no-such-key",
         .kind = "KeyError",
         .message = "{}",  // as KeyErrors of dicts say
         .help = "there is no attribute of that name; `.get(name, default)` asks for one"},
        {.name = "no-integers", .kind = "TypeError", .message = "the attribute `{}` holds no integers"},
        {.name = "abstract-attributes",
         .kind = "TypeError",
         .message = "`Attrs` is made as DictAttrs, or as the attributes of an operator"},
    }};
MLC_REFUSALS(print_attrs, refusals);

namespace {

using Values = Map<String, Any>;
constexpr std::string_view kAttrs = "mlc.ir.Attrs", kDict = "mlc.ir.DictAttrs";

// Methods of DictAttrs are called on the map that they are.
Values values_of(const Any& value) {
  auto* attrs = value.as<AttrsNode>();
  return attrs != nullptr ? attrs->values : value.cast<Values>();
}
std::optional<Any> entry(ApiCall& call) {
  auto name = call.args[1].try_cast<String>();
  if (!name) return std::nullopt;
  Values values = values_of(call.args[0]);
  auto found = values.find(*name);
  if (found == values.end()) return std::nullopt;
  return (*found).second;
}
Any attribute(ApiCall& call) {
  if (auto value = entry(call)) return *value;
  auto* of_op = call.args[0].as<OpAttrsNode>();
  throw refuse(refusals["no-such-attribute"], of_op ? view(of_op->type_key) : "DictAttrs",
               call.host.str(call.args[1]))
      .at(call.span);
}
Any required(ApiCall& call) {
  if (call.args[0].as<OpAttrsNode>()) return attribute(call);
  if (auto value = entry(call)) return *value;
  throw refuse(refusals["no-such-key"], call.host.str(call.args[1])).at(call.span);
}
Any integers(ApiCall& call) {
  Array<Any> all;
  Any values = attribute(call);
  auto sequence = values.try_cast<Array<Any>>();
  if (!sequence) throw refuse(refusals["no-integers"], call.host.str(call.args[1])).at(call.span);
  for (const Any& value : *sequence) {
    auto* constant = value.as<IntImmNode>();
    all.push_back(constant == nullptr ? value : Any(constant->value));
  }
  return all;
}
ffi::List<Any> names(ApiCall& call) {
  ffi::List<Any> all;
  for (const auto& [key, value] : values_of(call.args[0])) all.push_back(key);
  return all;
}

// Lists of the script as arrays, all the way down.
Any held(const Any& value) {
  auto list = value.as<ffi::List<Any>>();
  if (!list) return value;
  Array<Any> all;
  for (const Any& one : *list) all.push_back(held(one));
  return all;
}
Any made(ApiCall& call) {
  if (auto values = try_get<Values>(call.args[0])) return Any(make<DictAttrsNode>(*values));
  auto dict = call.args[0].as<ffi::Dict<Any, Any>>();
  if (!dict) wrong_argument(call, 0, "a map of names");
  Values values;
  for (const auto& [key, value] : *dict) {
    auto name = key.try_cast<String>();
    if (!name) wrong_argument(call, 0, "a map of names");
    values.Set(*name, held(value));
  }
  return Any(make<DictAttrsNode>(values));
}

// `relax.attrs.SoftmaxAttrs(axis=-1)`
std::string shown(Host& host, const OpAttrsNode* attrs) {
  std::vector<std::string> fields;
  for (const auto& [name, field] : attrs->values) {
    std::string text = host.repr(field);
    if (field.type_index() == kTVMFFIFloat && text.ends_with(".0")) text.resize(text.size() - 2);
    if (auto plain = field.try_cast<String>()) text = literal(view(*plain));
    if (field.type_index() == kTVMFFIDataType) text = DataType(field.cast<DLDataType>()).str();
    fields.push_back(fmt::format("{}={}", view(name), text));
  }
  return fmt::format("{}({})", view(attrs->type_key), fmt::join(fields, ", "));
}

const ApiRow attrs_table[] = {
    {ApiKind::kClass, "tvm.ir", "Attrs()", "Attributes: DictAttrs, and those of each operator of graphs.",
     [](ApiCall& call) -> Any { throw refuse(refusals["abstract-attributes"]).at(call.span); }, kAttrs,
     "tvm.ir.attrs.Attrs"},
    {ApiKind::kMethod, kAttrs, "__getattr__(name)", "The value of a name.", attribute},
    {ApiKind::kMethod, kAttrs, "__getitem__(k)", "The value of a name.", required},
    {ApiKind::kMethod, kAttrs, "get_int(key)", "The value of a name.", attribute},
    {ApiKind::kMethod, kAttrs, "get_str(key)", "The value of a name.", attribute},
    {ApiKind::kMethod, kAttrs, "get_int_tuple(key)", "The integers under a name.", integers},
    {ApiKind::kMethod, kAttrs, "__repr__()", "The attributes as the printer writes them.",
     [](ApiCall& call) -> Any {
       if (auto* attrs = call.args[0].as<OpAttrsNode>()) return String(shown(call.host, attrs));
       return String(script(values_of(call.args[0])));
     }},
    {ApiKind::kClass, "tvm.ir", "DictAttrs(values)", "Attributes by name.", made, kDict,
     "tvm.ir.attrs.DictAttrs"},
    {ApiKind::kMethod, kAttrs, "__contains__(k)", "Is there a value of that name?",
     [](ApiCall& call) -> Any { return entry(call).has_value(); }},
    {ApiKind::kMethod, kAttrs, "__len__()", "The number of names.",
     [](ApiCall& call) -> Any { return static_cast<int64_t>(values_of(call.args[0]).size()); }},
    {ApiKind::kMethod, kAttrs, "__iter__()", "The names.",
     [](ApiCall& call) -> Any { return call.host.call_method(Any(names(call)), "__iter__", {}, {}); }},
    {ApiKind::kMethod, kAttrs, "keys()", "The names.", [](ApiCall& call) -> Any { return names(call); }},
    {ApiKind::kMethod, kAttrs, "items()", "The names with their values.",
     [](ApiCall& call) -> Any {
       return call.host.call_method(Any(values_of(call.args[0])), "items", {}, {});
     }},
    {ApiKind::kMethod, kAttrs, "get(key, default=None)", "The value of a name, or the default.",
     [](ApiCall& call) -> Any { return entry(call).value_or(call.args[2]); }},
};

}  // namespace
}  // namespace attributes

std::span<const ir::ApiRow> attrs_rows() { return attributes::attrs_table; }

}  // namespace mlc::print
