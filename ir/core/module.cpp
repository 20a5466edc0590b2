// SPDX-License-Identifier: Apache-2.0
#include "ir/core/module.h"

#include <algorithm>

#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/reflection/accessor.h>

namespace mlc::ir {

std::optional<Any> attr(const BaseFunc& fn, std::string_view key) {
  auto found = fn->attrs.find(String(std::string(key)));
  if (found == fn->attrs.end()) return std::nullopt;
  return (*found).second;
}
bool has_flag(const BaseFunc& fn, std::string_view key) {
  std::optional<Any> value = attr(fn, key);
  if (!value) return false;
  if (auto imm = value->as<IntImm>()) return (*imm)->value != 0;
  if (auto number = value->try_cast<int64_t>()) return *number != 0;
  return false;
}
PrimFunc with_attr(const PrimFunc& fn, String key, Any value) {
  return with(fn, [&](PrimFuncNode& n) { n.attrs.Set(key, value); });
}
PrimFunc without_attr(const PrimFunc& fn, String key) {
  return with(fn, [&](PrimFuncNode& n) { n.attrs.erase(key); });
}

GlobalVar IRModuleNode::find(std::string_view name) const {
  for (const auto& [global, fn] : functions) {
    if (std::string_view(global->name_hint.data(), global->name_hint.size()) == name) return global;
  }
  return nullptr;
}
BaseFunc IRModuleNode::lookup(std::string_view name) const {
  if (GlobalVar found = find(name)) return functions[found];
  std::vector<std::string> names;
  for (const auto& [global, fn] : functions) names.emplace_back(global->name_hint);
  throw Error("no-such-function", "the module has no function `{}`", name)
      .kind("ValueError")
      .help(names.empty() ? "the module is empty" : fmt::format("it has {}", fmt::join(names, ", ")));
}

// Functions are compared by global name, in any order.
bool module_equal(const IRModule& a, const IRModule& b, const ffi::Function& equal) {
  if (a->functions.size() != b->functions.size()) return false;
  for (const auto& [global, fn] : a->functions) {
    std::string name = global->name_hint;
    GlobalVar other = b->find(name);
    if (!other || !equal(fn, b->functions[other], 0, String("functions[\"" + name + "\"]")).cast<bool>())
      return false;
  }
  return equal(a->attrs, b->attrs, 0, String("attrs")).cast<bool>() &&
         equal(a->global_infos, b->global_infos, 0, String("global_infos")).cast<bool>();
}
int64_t module_hash(const IRModule& mod, int64_t seed, const ffi::Function& hash) {
  std::vector<std::pair<std::string, BaseFunc>> functions;
  for (const auto& [global, fn] : mod->functions) functions.emplace_back(global->name_hint, fn);
  std::sort(functions.begin(), functions.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  auto result = seed;
  for (const auto& [name, fn] : functions) {
    result = hash(String(name), result, 0).cast<int64_t>();
    result = hash(fn, result, 0).cast<int64_t>();
  }
  return hash(mod->attrs, result, 0).cast<int64_t>();
}

IRModule module_of(const PrimFunc& fn) {
  String name = "main";
  if (auto symbol = attr(fn, "global_symbol")) {
    if (auto text = symbol->as<String>()) name = *text;
  }
  Map<GlobalVar, BaseFunc> functions;
  functions.Set(make<GlobalVarNode>(name), fn);
  return make<IRModuleNode>(functions);
}
IRModule with_function(const IRModule& mod, const GlobalVar& name, BaseFunc fn) {
  return with(mod, [&](IRModuleNode& n) { n.functions.Set(name, std::move(fn)); });
}

bool structural_equal(const Any& a, const Any& b, bool map_free_vars) {
  return ffi::StructuralEqual::Equal(a, b, map_free_vars);
}
uint64_t structural_hash(const Any& value, bool map_free_vars) {
  return static_cast<uint64_t>(ffi::StructuralHash::Hash(value, map_free_vars));
}

namespace {

constexpr std::string_view kFunctionStep = "functions[\"";  // what module_equal calls the way to a function

// The part of a value at one step of a path; None where the value is no object or container with such a part.
Any part_of(const Any& value, const ffi::reflection::AccessStep& step) {
  using ffi::reflection::AccessKind;
  if (step->kind == AccessKind::kArrayItem) {
    auto array = value.as<ffi::Array<Any>>();
    auto at = step->key.cast<int64_t>();
    return array && at < static_cast<int64_t>(array->size()) ? (*array)[at] : Any(nullptr);
  }
  if (step->kind == AccessKind::kMapItem) {
    auto map = value.as<ffi::Map<Any, Any>>();
    return map && map->count(step->key) ? map->at(step->key) : Any(nullptr);
  }
  Any part;
  if (step->kind != AccessKind::kAttr || !value.as<ffi::ObjectRef>()) return part;
  auto name = step->key.cast<String>();
  ffi::reflection::ForEachFieldInfo(TVMFFIGetTypeInfo(value.type_index()), [&](const TVMFFIFieldInfo* field) {
    if (std::string_view(field->name.data, field->name.size) == std::string(name))
      part = ffi::reflection::FieldGetter(field)(value.cast<ffi::ObjectRef>());
  });
  return part;
}

AccessPath as_in_tvm(const AccessPath& path, const Any& root) {
  AccessPath out = AccessPath::Root();
  bool in_attrs = false;
  Any at = root;
  for (const auto& step : path->ToSteps()) {
    std::string name;
    if (step->kind == ffi::reflection::AccessKind::kAttr) name = step->key.cast<String>();
    if (name.starts_with(kFunctionStep)) {
      name = name.substr(kFunctionStep.size(), name.size() - kFunctionStep.size() - 2);
      GlobalVar global = root.cast<IRModule>()->find(name);
      out = out->Attr("functions")->MapItem(global);
      at = Any(root.cast<IRModule>()->functions.at(global));
      continue;
    }
    if (in_attrs) out = out->Attr("__dict__");
    in_attrs = name == "attrs";
    out = out->Extend(step);
    // TVM's type of a buffer names the type of its elements, which names the data type.
    if (name == "dtype" && at.as<BufferTypeNode>() != nullptr) out = out->Attr("dtype");
    at = part_of(at, step);
  }
  return out;
}

// A function that only one of two modules has.
std::optional<std::pair<AccessPath, AccessPath>> missing_function(const Any& a, const Any& b) {
  auto left = a.as<IRModule>();
  auto right = b.as<IRModule>();
  if (!left || !right) return std::nullopt;
  AccessPath functions = AccessPath::Root()->Attr("functions");
  for (const auto& [global, fn] : (*left)->functions) {
    if (!(*right)->find(std::string(global->name_hint)))
      return std::pair{functions->MapItem(global), functions->MapItemMissing(global)};
  }
  for (const auto& [global, fn] : (*right)->functions) {
    if (!(*left)->find(std::string(global->name_hint)))
      return std::pair{functions->MapItemMissing(global), functions->MapItem(global)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::pair<AccessPath, AccessPath>> first_mismatch(const Any& a, const Any& b,
                                                                bool map_free_vars) {
  if (auto missing = missing_function(a, b)) return missing;
  auto mismatch = ffi::StructuralEqual::GetFirstMismatch(a, b, map_free_vars);
  if (!mismatch) return std::nullopt;
  auto paths = *mismatch;
  return std::pair{as_in_tvm(paths.template get<0>(), a), as_in_tvm(paths.template get<1>(), b)};
}
}  // namespace mlc::ir
