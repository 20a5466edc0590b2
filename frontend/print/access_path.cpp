// SPDX-License-Identifier: Apache-2.0
// Where a part stands below a root: the text of such paths, and scripts' means to make them.
#include <array>

#include "frontend/print/print.h"
#include "ir/registry/api.h"

namespace mlc::print {

using namespace ir;  // NOLINT: rows of the api speak of IR values
using ffi::reflection::AccessKind;
using ffi::reflection::AccessPathObj;
using ffi::reflection::AccessStep;

namespace {

std::string key_text(const Any& key) {
  if (auto text = key.try_cast<String>()) return literal({text->data(), text->size()});
  return script(key);
}

AccessPath self(const ApiCall& call) { return call.args[0].cast<AccessPath>(); }
AccessPath other(ApiCall& call) {
  if (auto path = call.args[1].as<AccessPath>()) return *path;
  wrong_argument(call, 1, "AccessPath");
}

Any root(ApiCall&) { return AccessPath::Root(); }
Any attr(ApiCall& call) { return self(call)->Attr(detail::argument<String>(call, 1)); }
Any attr_missing(ApiCall& call) { return self(call)->AttrMissing(detail::argument<String>(call, 1)); }
Any array_item(ApiCall& call) { return self(call)->ArrayItem(detail::argument<int64_t>(call, 1)); }
Any array_item_missing(ApiCall& call) {
  return self(call)->ArrayItemMissing(detail::argument<int64_t>(call, 1));
}
Any map_item(ApiCall& call) { return self(call)->MapItem(call.args[1]); }
Any map_item_missing(ApiCall& call) { return self(call)->MapItemMissing(call.args[1]); }
Any is_prefix_of(ApiCall& call) { return self(call)->IsPrefixOf(other(call)); }
Any equal(ApiCall& call) {
  auto path = call.args[1].as<AccessPath>();
  return path && self(call)->PathEqual(*path);
}
Any depth(ApiCall& call) { return int64_t{self(call)->depth}; }
Any parent(ApiCall& call) {
  if (auto above = self(call)->parent) return Any(*above);
  return nullptr;
}
Any step(ApiCall& call) {
  if (auto last = self(call)->step) return Any(*last);
  return nullptr;
}
Any steps(ApiCall& call) { return self(call)->ToSteps(); }
Any refuse_construction(ApiCall& call) {
  throw Error(
      "not-constructible",
      "AccessPath can't be initialized directly. Use AccessPath.root() to create a path to the root object")
      .kind("ValueError")
      .at(call.span);
}
Any text(ApiCall& call) { return String(path_text(self(call))); }

const ffi::reflection::AccessStepObj* own_step(const ApiCall& call) {
  return call.args[0].as<ffi::reflection::AccessStepObj>();
}
std::string step_text(const ffi::reflection::AccessStepObj* step) {
  switch (step->kind) {
    case AccessKind::kAttr:
      return "." + std::string(step->key.cast<String>());
    case AccessKind::kArrayItem:
    case AccessKind::kMapItem:
      return "[" + key_text(step->key) + "]";
    default:
      return "[<missing:" + key_text(step->key) + ">]";
  }
}

}  // namespace

std::string path_text(const AccessPath& path) {
  std::string out = "<root>";
  for (const AccessStep& step : path->ToSteps()) out += step_text(step.get());
  return out;
}

std::span<const ApiRow> access_path_rows() {
  static constexpr std::string_view type = "ffi.reflection.AccessPath";
  static constexpr std::string_view step_type = "ffi.reflection.AccessStep";
  static constexpr std::array<ApiRow, 22> rows = {{
      {ApiKind::kClass, "tvm_ffi.access_path", "AccessPath()", "Where a part stands below a root.",
       refuse_construction, type, "tvm_ffi.access_path.AccessPath"},
      {ApiKind::kFunction, "tvm_ffi.access_path.AccessPath", "root()", "The path of the root itself.", root},
      {ApiKind::kMethod, type, "attr(attr_key)", "The path of a field.", attr},
      {ApiKind::kMethod, type, "attr_missing(attr_key)", "The path of a field that is not there.",
       attr_missing},
      {ApiKind::kMethod, type, "array_item(index)", "The path of an element.", array_item},
      {ApiKind::kMethod, type, "array_item_missing(index)", "The path of an element that is not there.",
       array_item_missing},
      {ApiKind::kMethod, type, "map_item(key)", "The path of a value by its key.", map_item},
      {ApiKind::kMethod, type, "map_item_missing(key)", "The path of a value that is not there.",
       map_item_missing},
      {ApiKind::kMethod, type, "is_prefix_of(other)", "Does the other path begin with this one?",
       is_prefix_of},
      {ApiKind::kMethod, type, "__eq__(other)", "Are the steps the same?", equal},
      {ApiKind::kMethod, type, "path_equal(other)", "Are the steps the same?", equal},
      {ApiKind::kProperty, type, "depth", "The number of steps.", depth},
      {ApiKind::kProperty, type, "parent", "The path without its last step; None of the root.", parent},
      {ApiKind::kProperty, type, "step", "The last step; None of the root.", step},
      {ApiKind::kMethod, type, "to_steps()", "The steps from the root on.", steps},
      {ApiKind::kClass, "tvm_ffi.access_path", "AccessStep()", "From a value to a part of it.",
       +[](ApiCall& call) -> Any {
         throw Error("not-constructible", "a step is a part of a path").kind("TypeError").at(call.span);
       },
       step_type, "tvm_ffi.access_path.AccessStep"},
      {ApiKind::kProperty, step_type, "kind", "What it names, as a number: AccessKind.",
       +[](ApiCall& call) -> Any { return static_cast<int64_t>(own_step(call)->kind); }},
      {ApiKind::kProperty, step_type, "key", "The name, the place or the key.",
       +[](ApiCall& call) -> Any { return own_step(call)->key; }},
      {ApiKind::kMethod, step_type, "__repr__()", "The step as text.",
       +[](ApiCall& call) -> Any { return String(step_text(own_step(call))); }},
      {ApiKind::kMethod, step_type, "__str__()", "The step as text.",
       +[](ApiCall& call) -> Any { return String(step_text(own_step(call))); }},
      {ApiKind::kMethod, type, "__repr__()", "The path as text.", text},
      {ApiKind::kMethod, type, "__str__()", "The path as text.", text},
  }};
  return rows;
}

}  // namespace mlc::print
