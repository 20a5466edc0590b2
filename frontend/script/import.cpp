// SPDX-License-Identifier: Apache-2.0
// Imports: modules of the api registry, and other .mlc files beside the running one.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/script/machine.h"
#include "frontend/script/stdlib.h"
#include "ir/classic_names.h"

namespace mlc::script {

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

namespace {

// Is it a module of `tvm`, by the registry or by the texts of stdlib/?
bool is_tvm_module(std::string_view path) {
  if (ir::ApiRegistry::global().is_module(path)) return true;
  std::string current = ir::current_path(path);
  if (!current.starts_with("tvm.")) return false;
  auto modules = stdlib_modules();
  auto found = std::lower_bound(modules.begin(), modules.end(), current);
  return found != modules.end() && found->starts_with(current) &&
         (found->size() == current.size() || (*found)[current.size()] == '.');
}

}  // namespace

Any State::stdlib_module(const std::string& name) {
  std::string key = "<" + name + ">";
  if (auto found = files.find(key); found != files.end()) return found->second;
  std::string_view text = stdlib_text(name);
  if (text.empty()) return nullptr;
  std::string file = name;
  std::replace(file.begin(), file.end(), '.', '/');
  return load_module(key, name, "<stdlib>/" + file + ".mlc", std::string(text), {});
}

const ModuleNode* State::stdlib_part(const std::string& path) {
  std::string current = ir::current_path(path);
  return current.starts_with("tvm.") ? as<ModuleNode>(stdlib_module(current)) : nullptr;
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
  if (is_tvm_module(full)) {
    stdlib_part(full);  // what its text does on import is done now
    out = Any(ir::make<ApiModuleNode>(full));
    return true;
  }
  if (name == known().name) {
    out = str_value(path);
    return true;
  }
  if (const ModuleNode* part = stdlib_part(path)) {
    if (const Any* found = part->find(name)) {
      out = *found;
      return true;
    }
  }
  return false;
}

// Runs the text of a module once; later imports get the same module.
Any State::load_module(const std::string& key, std::string_view name, const std::string& path,
                       std::string text, ir::Span span) {
  auto found = files.find(key);
  if (found != files.end()) return found->second;
  Ref<ModuleNode> module = new_module(std::string(name));
  files[key] = Any(module);
  uint32_t id = ir::SourceMap::global().add(path, std::move(text));
  try {
    run_module(id, module, false);
  } catch (ir::Error& error) {
    files.erase(key);
    error.first().notes.push_back({fmt::format("while `{}` was imported", name), span});
    throw;
  } catch (...) {
    files.erase(key);
    throw;
  }
  return Any(module);
}

bool State::import_file(std::string_view name, Any& out, ir::Span span) {
  std::string relative(name);
  for (char& c : relative) {
    if (c == '.') c = '/';
  }
  std::filesystem::path path = std::filesystem::path(directory) / (relative + ".mlc");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string key = std::filesystem::weakly_canonical(path, ignored).string();
  out = load_module(key, name, path.string(), text.str(), span);
  return true;
}

Any State::import_path(std::string_view path, ir::Span span) {
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  std::string_view text = path.starts_with("tvm.") ? std::string_view() : stdlib_text(path);
  if (text.empty() && is_tvm_module(path)) {
    stdlib_part(std::string(path));
    return Any(ir::make<ApiModuleNode>(std::string(path)));
  }
  Any out;
  if (import_file(path, out, span)) return out;
  if (!text.empty())
    return load_module(fmt::format("<{}>", path), path, fmt::format("<stdlib>/{}.mlc", path),
                       std::string(text), span);
  size_t dot = path.rfind('.');
  std::string parent(dot == std::string_view::npos ? "" : path.substr(0, dot));
  std::vector<std::string> candidates;
  std::string last(dot == std::string_view::npos ? path : path.substr(dot + 1));
  if (parent.empty()) {
    for (const ir::Api* api : registry.all()) {
      if (api->row.kind == ir::ApiKind::kMethod || api->row.kind == ir::ApiKind::kProperty) continue;
      std::string_view owner = api->row.owner;
      candidates.emplace_back(owner.substr(0, owner.find('.')));
    }
  } else {
    candidates = registry.members(parent);
  }
  throw ir::Error("no-such-module", "No module named '{}'", path)
      .kind("ModuleNotFoundError")
      .at(span)
      .help(ir::did_you_mean(last, candidates));
}

// `import a.b` binds `a`: the module `a`, which has `b`; where there is only a folder `a`, a module of its
// own.
Any State::import_package(std::string_view path, const Any& module, ir::Span span) {
  std::string_view parent_path = path.substr(0, path.rfind('.'));
  if (parent_path == path) return module;
  Any parent;
  if (as<ApiModuleNode>(module)) {
    return import_path(path.substr(0, path.find('.')), span);
  }
  if (!stdlib_text(parent_path).empty() || !import_file(parent_path, parent, span)) {
    std::string key = fmt::format("<package {}>", parent_path);
    if (!stdlib_text(parent_path).empty()) {
      parent = import_path(parent_path, span);
    } else {
      Any& made = files[key];
      if (is_none(made)) made = Any(new_module(std::string(parent_path)));
      parent = made;
    }
  }
  as<ModuleNode>(parent)->set(Symbol(path.substr(path.rfind('.') + 1)), module);
  return import_package(parent_path, parent, span);
}

void State::exec_import(const Import& import, Frame& f) {
  for (const Alias* alias : import.names) {
    ir::Span span = alias->name_span ? alias->name_span : alias->span;
    Any module = import_path(alias->name, span);
    if (alias->asname) {
      store_name(alias->asname, place_of(alias->asname, f), module, f);
    } else {
      if (alias->name != alias->first.str()) module = import_package(alias->name, module, span);
      store_name(alias->first, place_of(alias->first, f), module, f);
    }
  }
}

void State::exec_import_from(const ImportFrom& import, Frame& f) {
  std::string path(import.module);
  if (path == "__future__") return;
  ir::Span module_span = import.module_span ? import.module_span : import.span;
  Any module;
  if (import.level > 0 && path.empty()) {
    for (const Alias* alias : import.names) {
      Any file = import_path(alias->name, alias->name_span ? alias->name_span : alias->span);
      Symbol name = alias->asname ? alias->asname : alias->first;
      store_name(name, place_of(name, f), file, f);
    }
    return;
  }
  const ir::Api* as_class = ir::ApiRegistry::global().find(path);
  module = as_class != nullptr && !ir::ApiRegistry::global().is_module(path) ? api_value(as_class)
                                                                             : import_path(path, module_span);
  for (const Alias* alias : import.names) {
    if (alias->name == "*") {
      for (const std::string& member : self.attribute_names(module)) {
        if (member.starts_with("_")) continue;
        Symbol name(member);
        store_name(name, place_of(name, f), self.attribute(module, name, alias->span), f);
      }
      continue;
    }
    Symbol member(alias->name);
    Symbol name = alias->asname ? alias->asname : alias->first;
    ir::Span span = alias->name_span ? alias->name_span : alias->span;
    Any value;
    if (!self.find_attribute(module, member, value)) {
      Any file;
      if (as<ModuleNode>(module) == nullptr ||
          !import_file(path + "." + std::string(alias->name), file, span)) {
        throw ir::Error("cannot-import", "cannot import name '{}' from '{}'", alias->name, path)
            .kind("ImportError")
            .at(span)
            .help(ir::did_you_mean(alias->name, self.attribute_names(module)));
      }
      value = file;
    }
    store_name(name, place_of(name, f), std::move(value), f);
  }
}

}  // namespace mlc::script
