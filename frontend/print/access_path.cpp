// SPDX-License-Identifier: Apache-2.0
// Where a part stands below a root: the text of such paths, and scripts' means to make them.
#include <array>

#include "frontend/print/print.h"
#include "ir/api.h"

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
Any text(ApiCall& call) { return String(path_text(self(call))); }

}  // namespace

std::string path_text(const AccessPath& path) {
  std::string out = "<root>";
  for (const AccessStep& step : path->ToSteps()) {
    switch (step->kind) {
      case AccessKind::kAttr:
        out += "." + std::string(step->key.cast<String>());
        break;
      case AccessKind::kArrayItem:
      case AccessKind::kMapItem:
        out += "[" + key_text(step->key) + "]";
        break;
      case AccessKind::kAttrMissing:
      case AccessKind::kArrayItemMissing:
      case AccessKind::kMapItemMissing:
        out += "[<missing:" + key_text(step->key) + ">]";
        break;
    }
  }
  return out;
}

std::span<const ApiRow> access_path_rows() {
  static constexpr std::string_view type = "ffi.reflection.AccessPath";
  static constexpr std::array<ApiRow, 15> rows = {{
      {ApiKind::kClass, "tvm_ffi.access_path", "AccessPath()", "Where a part stands below a root.", root,
       type, "tvm_ffi.access_path.AccessPath"},
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
      {ApiKind::kMethod, type, "__repr__()", "The path as text.", text},
      {ApiKind::kMethod, type, "__str__()", "The path as text.", text},
  }};
  return rows;
}

}  // namespace mlc::print
