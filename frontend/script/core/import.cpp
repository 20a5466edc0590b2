// SPDX-License-Identifier: Apache-2.0
// The statements of imports, and the members of modules of the api registry.
#include "frontend/script/core/importer.h"
#include "frontend/script/core/stdlib.h"
#include "frontend/script/modules/classic_names.h"
#include "frontend/script/numpy/array.h"
#include "ir/core/refusal.h"
#include "ir/registry/classic_names.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "relative-import",
         .message = "the 'package' argument is required to perform a relative import for {}"},
    }};
MLC_REFUSALS(core_import, refusals);

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

Any State::api_value(const ir::Api* api) {
  if (api->row.kind == ir::ApiKind::kValue) return evaluate_api_value(*api);
  Any& value = api_values[api];
  if (is_none(value)) value = Any(ir::make<ApiFunctionNode>(api));
  return value;
}

Any State::evaluate_api_value(const ir::Api& api) {
  auto found = api_values.find(&api);
  if (found != api_values.end()) return found->second;
  ir::ApiCall call{api, self, {}, {}, {}};
  Any value = api.row.body(call);
  api_values[&api] = value;
  return value;
}

const ModuleNode* State::stdlib_part(const std::string& path) {
  // What `tvm` itself shows is that of `tvm.runtime`.
  std::string current(path == "tvm" ? "tvm.runtime" : same_module(ir::current_path(path)));
  return is_part_of_api(current) ? as<ModuleNode>(importer->of_library(current)) : nullptr;
}

std::vector<std::string> State::module_members(const std::string& path) {
  std::vector<std::string> names = ir::ApiRegistry::global().members(path);
  if (const ModuleNode* part = stdlib_part(path)) {
    for (const ModuleNode::Slot* slot : part->bound()) names.emplace_back(slot->name.str());
  }
  for (std::string_view module : stdlib_modules()) {
    if (!module.starts_with(path) || module.size() <= path.size() || module[path.size()] != '.') continue;
    std::string_view rest = module.substr(path.size() + 1);
    names.emplace_back(rest.substr(0, rest.find('.')));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool State::module_member(const std::string& path, Symbol name, Any& out) {
  std::string full = path + "." + std::string(name.str());
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  if (const ir::Api* api = registry.find(full)) {
    out = api_value(api);
    return true;
  }
  auto of_text = [&] {
    const ModuleNode* part = stdlib_part(path);
    const Any* found = part == nullptr ? nullptr : part->find(name);
    if (found != nullptr) out = *found;
    return found != nullptr;
  };
  // A function that a package exports hides the module of the same name, where it comes from.
  if (path != "tvm" && of_text() && as<ApiModuleNode>(out) == nullptr) return true;
  if (importer->tvm_module(full, out)) return true;
  if (name == known().name) {
    out = str_value(path);
    return true;
  }
  if (of_text()) return true;
  std::string_view package = shown_in(ir::current_path(path), name.str());
  if (!package.empty()) return module_member(std::string(package), name, out);
  // An older name of what stands in a text.
  std::string now = ir::current_path(full);
  size_t dot = now.rfind('.');
  Symbol name_now(now.substr(dot + 1));
  return now != full && module_member(now.substr(0, dot), name_now, out);
}

void State::exec_import(const Import& import, Frame& f) {
  for (const Alias* alias : import.names) {
    ir::Span span = alias->name_span ? alias->name_span : alias->span;
    Any module = importer->module(std::string(alias->name), span);
    Symbol bound = alias->asname ? alias->asname : alias->first;
    if (!alias->asname && alias->name != alias->first.str())
      module = importer->module(std::string(alias->first.str()), span);
    store_name(bound, place_of(bound, f), std::move(module), f);
  }
}

// `from module import *`: what `__all__` lists, else every name without an underscore before it.
void State::import_all(const Any& module, ir::Span span, Frame& f) {
  static const Symbol all_name("__all__");
  Any listed, value;
  if (as<ModuleNode>(module) != nullptr && self.find_attribute(module, all_name, listed)) {
    for (const Any& each : self.elements_of(listed, span)) {
      if (!is_str(each)) {
        raise("TypeError", span, "wrong-type", "Item in {}.__all__ must be str, not {}",
              as<ModuleNode>(module)->name, type_name_of(self, each));
      }
      Symbol name(text_of(each));
      if (!self.find_attribute(module, name, value) &&
          !importer->submodule(module, text_of(each), value, span))
        no_attribute(module, name, span);
      store_name(name, place_of(name, f), value, f);
    }
    return;
  }
  for (const std::string& member : self.attribute_names(module)) {
    if (member.starts_with("_")) continue;
    Symbol name(member);
    store_name(name, place_of(name, f), self.attribute(module, name, span), f);
  }
}

void State::exec_import_from(const ImportFrom& import, Frame& f) {
  if (import.level == 0 && import.module == "__future__") {
    for (const Alias* alias : import.names)
      f.module->postponed = f.module->postponed || alias->name == "annotations";
    return;
  }
  ir::Span module_span = import.module_span ? import.module_span : import.span;
  std::string path = importer->absolute(import.module, import.level, *f.module, module_span);
  const ir::Api* as_class = ir::ApiRegistry::global().find(path);
  // A function may have the name of a module that stands beside it: `tvm.tirx.build`.
  bool is_class = as_class != nullptr && as_class->row.kind == ir::ApiKind::kClass &&
                  !ir::ApiRegistry::global().is_module(path);
  Any module = is_class ? api_value(as_class) : importer->module(path, module_span);
  for (const Alias* alias : import.names) {
    ir::Span span = alias->name_span ? alias->name_span : alias->span;
    if (alias->name == "*") {
      import_all(module, span, f);
      continue;
    }
    Symbol member(alias->name);
    Symbol name = alias->asname ? alias->asname : alias->first;
    Any value;
    if (!self.find_attribute(module, member, value) && !importer->submodule(module, alias->name, value, span))
      importer->no_such_name(module, path, alias->name, span);
    store_name(name, place_of(name, f), std::move(value), f);
  }
}

namespace {

const ir::ApiRow import_table[] = {
    {ir::ApiKind::kValue, "sys", "path", "The folders where imports look for .mlc files.",
     [](ir::ApiCall& call) -> Any { return evaluator_of(call.host).state().importer->search_path(); }},
    {ir::ApiKind::kValue, "sys", "modules", "What has been imported, by name.",
     [](ir::ApiCall& call) -> Any { return evaluator_of(call.host).state().importer->modules(); }},
    {ir::ApiKind::kFunction, "_importlib", "import_module(name, package=None)", "The module of this name.",
     ir::native([](ir::ApiCall& call, std::string name, Any package) -> Any {
       Importer& importer = *evaluator_of(call.host).state().importer;
       size_t level = std::min(name.find_first_not_of('.'), name.size());
       if (level == 0) return importer.module(name, call.span);
       if (!is_str(package)) {
         raise(refusals["relative-import"], call.span, quote(name));
       }
       return importer.module(
           importer.absolute(std::string_view(name).substr(level), level, text_of(package), call.span),
           call.span);
     })},
};

}  // namespace

std::span<const ir::ApiRow> import_rows() { return import_table; }

}  // namespace mlc::script
