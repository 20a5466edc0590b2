// SPDX-License-Identifier: Apache-2.0
// The containers of tvm-ffi under its own names: an Array is a tuple, a Map keeps what it was made of, List
// and Dict are Python's. Attributes of functions and modules are Maps whose keys can be read as attributes.
#include <tvm/ffi/container/shape.h>

#include "frontend/script/core/machine.h"
#include "frontend/script/numpy/array.h"
#include "frontend/script/types/dict_attrs.h"
#include "ir/core/expr.h"
#include "ir/core/freeze.h"
#include "ir/registry/api.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;

namespace {

constexpr std::string_view kMap = "ffi.Map";

std::vector<Any> items_of(ApiCall& call) {
  return evaluator_of(call.host).elements_of(call.args[0], call.span_of(0));
}
Any array_of(ApiCall& call) {
  std::vector<Any> all = items_of(call);
  for (Any& one : all) one = ir::freeze(one);
  return ir::Array<Any>(all.begin(), all.end());
}
Any shape_of(ApiCall& call) {
  std::vector<Any> all = items_of(call);
  for (const Any& extent : all) {
    if (!is_int(extent)) ir::wrong_argument(call, 0, "integers");
  }
  std::vector<int64_t> dims;
  for (const Any& extent : all) dims.push_back(raw_int(extent));
  return ir::ffi::Shape(std::move(dims));
}
Any list_of(ApiCall& call) {
  std::vector<Any> all = items_of(call);
  return List(all.begin(), all.end());
}
Any dict_of(ApiCall& call) {
  Any none;
  return evaluator_of(call.host).call(
      Any(types().dict), is_none(call.args[0]) ? std::span<const Any>() : call.args.subspan(0, 1), {},
      call.span);
}
Any map_of(ApiCall& call) {
  Any made = dict_of(call);
  ir::Map<Any, Any> map;
  for (const auto& [key, value] : *static_cast<ffi::MapBaseObj*>(raw_object(made)))
    map.Set(key, ir::freeze(value));
  return map;
}
Any no_object(ApiCall& call) {
  raise("TypeError", call.span, "not-constructible", "`{}` is a kind of value, not one that can be made",
        call.api.name);
}

const Any* entry(ApiCall& call) {
  return dict_find(evaluator_of(call.host), call.args[0], call.args[1], call.span);
}
Any attribute_of_map(ApiCall& call) {
  if (const Any* value = entry(call)) return *value;
  raise("AttributeError", call.span, "no-attribute", "'Map' object has no attribute '{}'",
        text_of(call.args[1]));
}
Any value_of_map(ApiCall& call) {
  if (const Any* value = entry(call)) return *value;
  key_error(evaluator_of(call.host), call.args[1], call.span);
}
Any integers_of_map(ApiCall& call) { return integers_in(call, value_of_map(call)); }
Any is_same(ApiCall& call) {
  return is_object(call.args[1]) && raw_object(call.args[0]) == raw_object(call.args[1]);
}
Any identity(ApiCall& call) { return reinterpret_cast<int64_t>(raw_object(call.args[0])); }

const ApiRow containers_api_table[] = {
    {ApiKind::kClass, "tvm_ffi", "Object()", "Any value that is counted.", no_object, "ffi.Object",
     "tvm_ffi.core.Object"},
    {ApiKind::kClass, "tvm_ffi", "Array(input_list)", "A tuple.", array_of, "ffi.Array",
     "tvm_ffi.container.Array"},
    {ApiKind::kClass, "tvm_ffi", "Map(input_dict=None)", "A dict that does not change.", map_of, kMap,
     "tvm_ffi.container.Map"},
    {ApiKind::kClass, "tvm_ffi", "List(input_list=())", "A list.", list_of, "ffi.List",
     "tvm_ffi.container.List"},
    {ApiKind::kClass, "tvm_ffi", "Dict(input_dict=None)", "A dict.", dict_of, "ffi.Dict",
     "tvm_ffi.container.Dict"},
    {ApiKind::kClass, "tvm_ffi", "Function()", "A function of any of the program's rooms.", no_object,
     "ffi.Function", "tvm_ffi.core.Function"},
    {ApiKind::kClass, "tvm_ffi", "Shape(content)", "A tuple of integers.", shape_of, "ffi.Shape",
     "tvm_ffi._tensor.Shape"},
    {ApiKind::kMethod, kMap, "__getattr__(name)", "The value of a key.", attribute_of_map},
    {ApiKind::kMethod, kMap, "get_int(key)", "The value of a key.", value_of_map},
    {ApiKind::kMethod, kMap, "get_str(key)", "The value of a key.", value_of_map},
    {ApiKind::kMethod, kMap, "get_int_tuple(key)", "The integers under a key.", integers_of_map},
    {ApiKind::kMethod, "ffi.Object", "same_as(other)", "Is it the very same object?", is_same},
    {ApiKind::kMethod, "ffi.Object", "is_(other)", "Is it the very same object?", is_same},
    {ApiKind::kProperty, "ffi.Object", "id_", "A number that no other living object has.", identity},
};

}  // namespace

std::span<const ApiRow> container_rows() { return containers_api_table; }

}  // namespace mlc::script
