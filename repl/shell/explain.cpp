// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/explain.h"

#include <algorithm>

#include "frontend/script/core/stdlib.h"
#include "ir/target/target.h"
#include "repl/session/commands.h"
#include "repl/session/line_diff.h"
#include "repl/session/session.h"
#include "repl/shell/explain_refusal.h"

namespace mlc::repl {

namespace {

// `doc` two blanks to the right, whatever its own indentation.
std::string indented(std::string_view doc) {
  std::string out;
  for (const std::string& line : lines_of(doc.substr(std::min(doc.find_first_not_of('\n'), doc.size())))) {
    if (line.find_first_not_of(' ') == std::string_view::npos)
      out += '\n';
    else
      out.append("  ").append(line).append("\n");
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string_view kind_name(ir::ApiKind kind) {
  static constexpr std::pair<ir::ApiKind, std::string_view> names[] = {{ir::ApiKind::kFunction, "function"},
                                                                       {ir::ApiKind::kClass, "class"},
                                                                       {ir::ApiKind::kMethod, "method"},
                                                                       {ir::ApiKind::kProperty, "property"},
                                                                       {ir::ApiKind::kValue, "value"}};
  return std::ranges::find(names, kind, &std::pair<ir::ApiKind, std::string_view>::first)->second;
}

// A row as a reader wants it: kind, where it lives with its signature, and the text.
std::string explain_api(const ir::Api& api) {
  std::string path = api.path();
  std::string signature = path.substr(0, path.size() - api.name.size()) + std::string(api.row.signature);
  std::string_view doc = trim(api.row.doc);
  std::string text = fmt::format("{} {}\n", kind_name(api.row.kind), signature);
  if (!doc.empty()) text += "\n" + indented(api.row.doc);
  return text;
}

std::string text_attribute(script::Evaluator& evaluator, const ir::Any& value, std::string_view name) {
  ir::Any found;
  if (!evaluator.find_attribute(value, syntax::Symbol(name), found) || !script::is_str(found)) return {};
  return std::string(script::text_of(found));
}

// A docstring without the blanks that all its lines but the first begin with.
std::string doc_of(script::Evaluator& evaluator, const ir::Any& value) {
  std::string whole = text_attribute(evaluator, value, "__doc__");
  std::string_view rest = whole;
  size_t margin = std::string_view::npos;
  for (size_t at = rest.find('\n'); at != std::string_view::npos; at = rest.find('\n', at + 1)) {
    size_t first = rest.find_first_not_of(" \n", at);
    if (first == std::string_view::npos) break;
    margin = std::min(margin, first - rest.rfind('\n', first) - 1);
  }
  std::string text(rest.substr(0, rest.find('\n')));
  for (size_t at = rest.find('\n'); at != std::string_view::npos; at = rest.find('\n', at + 1)) {
    std::string_view line = rest.substr(at + 1, rest.find('\n', at + 1) - at - 1);
    text += '\n';
    text += line.substr(std::min(margin, line.size()));
  }
  return text;
}

bool is_script_module(const ir::Any& value) { return script::as<script::ModuleNode>(value) != nullptr; }

// Whether a name that a module of the library has is its own, and no module or function that it imports.
bool belongs(script::Evaluator& evaluator, const std::string& module, const std::string& name,
             const ir::Any& value) {
  if (name.starts_with('_')) return false;
  bool is_module = is_script_module(value) || script::as<script::ApiModuleNode>(value) != nullptr;
  if (!is_module && script::as<script::FunctionNode>(value) == nullptr &&
      script::as<script::ClassNode>(value) == nullptr)
    return true;
  std::string home = text_attribute(evaluator, value, is_module ? "__name__" : "__module__");
  if (is_module && home == module) return false;  // an older address of itself
  return home.empty() || home == module || home.starts_with(module + ".");
}

std::string explain_module(script::Evaluator& evaluator, const std::string& path, const ir::Any& module) {
  std::string text = fmt::format("module {}\n\n", path);
  std::vector<std::string> names = ir::ApiRegistry::global().members(path);
  // Of a module that is partly C++, the text is about the other part.
  bool native = std::any_of(names.begin(), names.end(), [&path](const std::string& name) {
    return ir::ApiRegistry::global().find(path + "." + name) != nullptr;
  });
  std::string doc = native ? std::string() : doc_of(evaluator, module);
  if (!trim(doc).empty()) text += indented(doc) + "\n";
  for (std::string& name : evaluator.attribute_names(module)) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    std::string about;
    ir::Any value;
    if (const ir::Api* api = ir::ApiRegistry::global().find(path + "." + name)) {
      about = trim(api->row.doc);
    } else if (evaluator.find_attribute(module, syntax::Symbol(name), value)) {
      if (!belongs(evaluator, path, name, value)) continue;
      about = trim(doc_of(evaluator, value));
    }
    text += fmt::format("  {:<28} {}", name, about.substr(0, about.find('\n')));
    text.resize(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

// A module of the library. The name that it is bound to meanwhile is gone afterwards.
ir::Any imported(script::Evaluator& evaluator, std::string_view module) {
  auto run = [&](std::string text) {
    return evaluator.evaluate_repl(ir::SourceMap::current().add("<explain>", std::move(text)));
  };
  ir::Any value = run(fmt::format("import {} as _explained\n_explained\n", module));
  run("del _explained\n");
  return value;
}
// `tvm.topi.nn.softmax` is a function, and also the module that holds it: what a program means is the
// function.
ir::Any member_or_module(script::Evaluator& evaluator, std::string_view path) {
  size_t dot = path.rfind('.');
  ir::Any value;
  if (dot != std::string_view::npos && evaluator.find_attribute(imported(evaluator, path.substr(0, dot)),
                                                                syntax::Symbol(path.substr(dot + 1)), value))
    return value;
  return imported(evaluator, path);
}

// Of a function or class that is written in the language.
std::string explain_definition(script::Evaluator& evaluator, const ir::Any& value) {
  bool is_class = script::as<script::ClassNode>(value) != nullptr;
  std::string module = text_attribute(evaluator, value, "__module__");
  std::string text = fmt::format(
      "{} {}{}{}", is_class ? "class" : "function", module == "__main__" ? "" : module,
      module.empty() || module == "__main__" ? "" : ".", text_attribute(evaluator, value, "__qualname__"));
  try {
    ir::Any signature = evaluator.attribute(imported(evaluator, "inspect"), syntax::Symbol("signature"));
    text += evaluator.str(evaluator.call(signature, std::span(&value, 1)));
  } catch (const ir::Error&) {  // a class that is made some other way has none
  }
  text += '\n';
  std::string doc = doc_of(evaluator, value);
  if (!trim(doc).empty()) text += "\n" + indented(doc);
  return text;
}

// The value of a dotted name in the library, none where the library has no such name. `why` says why, where
// the library knows.
std::optional<ir::Any> find_in_library(script::Evaluator& evaluator, std::string_view name,
                                       std::string& why) {
  auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  if (!std::all_of(name.begin(), name.end(), is_part) || name.starts_with('.') || name.ends_with('.') ||
      name.find("..") != std::string_view::npos)
    return std::nullopt;
  // A program beside us is not run because somebody asks what a word means.
  auto first_part = [](std::string_view path) { return path.substr(0, path.find('.')); };
  auto is_library = [&](std::string_view module) { return first_part(module) == first_part(name); };
  if (!ir::ApiRegistry::global().is_module(first_part(name)) &&
      std::ranges::none_of(script::stdlib_modules(), is_library))
    return std::nullopt;
  // The longest part of the name that is a module; what follows are its attributes.
  for (size_t end = name.size(); end != std::string_view::npos; end = name.rfind('.', end - 1)) {
    try {
      ir::Any value = member_or_module(evaluator, name.substr(0, end));
      for (std::string_view rest = name.substr(end); !rest.empty();) {
        rest.remove_prefix(1);
        std::string_view part = rest.substr(0, rest.find('.'));
        value = evaluator.attribute(value, syntax::Symbol(part));
        rest.remove_prefix(part.size());
      }
      return value;
    } catch (const ir::Error& error) {
      if (why.empty() && !error.first().help.empty()) why = error.first().help;
    }
    if (end == 0) break;
  }
  return std::nullopt;
}

// Functions and classes of the library with that name, by their paths.
std::vector<std::string> defined_in_library(std::string_view name) {
  std::vector<std::string> found;
  for (std::string_view module : script::stdlib_modules()) {
    std::string_view text = script::stdlib_text(module);
    bool defines = text.find(fmt::format("\ndef {}(", name)) != std::string_view::npos ||
                   text.find(fmt::format("\nclass {}(", name)) != std::string_view::npos ||
                   text.find(fmt::format("\nclass {}:", name)) != std::string_view::npos;
    if (defines) found.push_back(fmt::format("{}.{}", module, name));
  }
  return found;
}

// Rows whose path is the name or ends in it after a dot, in order of path.
std::vector<const ir::Api*> rows_named(std::string_view name) {
  std::vector<const ir::Api*> found;
  for (const ir::Api* api : ir::ApiRegistry::global().all()) {
    std::string path = api->path();
    bool ends = path == name || (path.size() > name.size() && path.ends_with(name) &&
                                 path[path.size() - name.size() - 1] == '.');
    if (ends) found.push_back(api);
  }
  return found;
}

// What programs call by a short name, by custom.
constexpr std::pair<std::string_view, std::string_view> kCustomary[] = {
    {"np", "numpy"},
    {"T", "tvm.script.tirx"},
    {"I", "tvm.script.ir"},
    {"topi", "tvm.topi"},
    {"sch", "Schedule"},
    {"ana", "Analyzer"},
    {"ms", "tvm.s_tir.meta_schedule"},
    {"dl", "tvm.s_tir.dlight"},
};

// `np.exp` as `numpy.exp`; empty when the name begins in no such way.
std::string by_custom(std::string_view name) {
  std::string_view first = name.substr(0, name.find('.'));
  for (auto [custom, path] : kCustomary)
    if (first == custom) return fmt::format("{}{}", path, name.substr(first.size()));
  return {};
}

const Command* command_named(std::string_view name) {
  if (name.starts_with(':')) name.remove_prefix(1);
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

bool is_target(std::string_view name) {
  std::vector<std::string> names = ir::target_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Explained explain_name(script::Evaluator& evaluator, std::string_view name) {
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  std::vector<std::string> parts;
  if (const ir::Api* api = registry.find(name)) {
    parts.push_back(explain_api(*api));
  } else {
    // Aliased paths of one row are shown once.
    std::vector<std::string> texts;
    for (const ir::Api* api : rows_named(name)) texts.push_back(explain_api(*api));
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    parts = std::move(texts);
  }
  if (const Command* command = command_named(name)) {
    parts.push_back(fmt::format("command :{} {}\n\n  {}\n{}", command->name, command->arguments,
                                command->summary, command->details));
  }
  if (const ir::Refusal* rule = find_refusal(name)) parts.push_back(explain(*rule));
  if (is_target(name)) {
    parts.push_back(fmt::format("target {}\n\n  {}\n", name,
                                ir::target_text(ir::parse_target(ir::Any(ir::String(std::string(name)))))));
  }
  std::string why;
  if (parts.empty() || registry.is_module(name)) {
    if (auto value = find_in_library(evaluator, name, why))
      if (auto text = explain_value(evaluator, *value)) parts.insert(parts.begin(), *text);
  }
  if (parts.empty() && name.find('.') == std::string_view::npos) {
    for (const std::string& path : defined_in_library(name))
      if (auto value = find_in_library(evaluator, path, why))
        if (auto text = explain_value(evaluator, *value)) parts.push_back(*text);
  }
  if (!parts.empty()) return {fmt::format("{}", fmt::join(parts, "\n"))};
  if (std::string whole = by_custom(name); !whole.empty()) return explain_name(evaluator, whole);
  if (!why.empty()) return {fmt::format("nothing is called `{}`: {}\n", name, why), false};

  std::vector<std::string> names;
  for (const ir::Api* api : registry.all()) {
    names.push_back(api->name);
    names.push_back(api->path());
  }
  for (const Command& command : commands()) names.emplace_back(command.name);
  for (const ir::Refusal* rule : all_refusals()) names.emplace_back(rule->name);
  for (std::string& target : ir::target_names()) names.push_back(std::move(target));
  std::string near = ir::closest(name, names);
  return {fmt::format("nothing is called `{}`{}\n", name,
                      near.empty() ? "" : fmt::format("; did you mean `{}`?", near)),
          false};
}

std::optional<std::string> explain_value(script::Evaluator& evaluator, const ir::Any& value) {
  if (auto* module = script::as<script::ApiModuleNode>(value))
    return explain_module(evaluator, std::string(module->path), value);
  if (is_script_module(value))
    return explain_module(evaluator, text_attribute(evaluator, value, "__name__"), value);
  if (auto* function = script::as<script::ApiFunctionNode>(value)) return explain_api(*function->api);
  if (auto* builtin = script::as<script::BuiltinNode>(value)) {
    std::string_view dot = builtin->owner.empty() ? "" : ".";
    return fmt::format("function {}{}{}{}\n\n{}", builtin->owner, dot, builtin->row->name,
                       builtin->row->signature, indented(builtin->row->doc));
  }
  if (auto* method = script::as<script::BoundMethodNode>(value))
    return explain_value(evaluator, method->callee);
  if (script::as<script::FunctionNode>(value) != nullptr || script::as<script::ClassNode>(value) != nullptr)
    return explain_definition(evaluator, value);
  if (const ir::Api* cls =
          script::is_object(value) ? ir::ApiRegistry::global().class_of(value.GetTypeKey()) : nullptr) {
    return explain_api(*cls);
  }
  return std::nullopt;
}

std::string doc_line(script::Evaluator& evaluator, const ir::Any& value) {
  std::string doc;
  if (auto* function = script::as<script::ApiFunctionNode>(value)) {
    doc = function->api->row.doc;
  } else if (auto* builtin = script::as<script::BuiltinNode>(value)) {
    doc = builtin->row->doc;
  } else if (auto* method = script::as<script::BoundMethodNode>(value)) {
    return doc_line(evaluator, method->callee);
  } else if (script::as<script::FunctionNode>(value) != nullptr ||
             script::as<script::ClassNode>(value) != nullptr) {
    doc = doc_of(evaluator, value);
  }
  std::string_view text = trim(doc);
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace mlc::repl
