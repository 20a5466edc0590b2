// SPDX-License-Identifier: Apache-2.0
#include "repl/explain.h"

#include <algorithm>

#include "frontend/diagnostics/explanations.h"
#include "ir/target.h"
#include "repl/commands.h"

namespace mlc::repl {

namespace {

std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \n") - begin + 1);
}

// `doc` two blanks to the right, whatever its own indentation.
std::string indented(std::string_view doc) {
  std::string out;
  doc = doc.substr(std::min(doc.find_first_not_of('\n'), doc.size()));
  while (!doc.empty()) {
    size_t end = std::min(doc.find('\n'), doc.size());
    std::string_view line = doc.substr(0, end);
    if (line.find_first_not_of(' ') == std::string_view::npos)
      out += '\n';
    else
      out.append("  ").append(line).append("\n");
    doc.remove_prefix(std::min(end + 1, doc.size()));
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string_view kind_name(ir::ApiKind kind) {
  switch (kind) {
    case ir::ApiKind::kFunction:
      return "function";
    case ir::ApiKind::kClass:
      return "class";
    case ir::ApiKind::kMethod:
      return "method";
    case ir::ApiKind::kProperty:
      return "property";
    case ir::ApiKind::kValue:
      return "value";
  }
  return "";
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

std::string explain_module(const std::string& path) {
  std::string text = fmt::format("module {}\n\n", path);
  for (const std::string& name : ir::ApiRegistry::global().members(path)) {
    const ir::Api* api = ir::ApiRegistry::global().find(path + "." + name);
    std::string_view doc = api != nullptr ? trim(api->row.doc) : std::string_view("...");
    text += fmt::format("  {:<28} {}\n", name, doc.substr(0, doc.find('\n')));
  }
  return text;
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

bool known(std::string_view name) {
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  return registry.find(name) != nullptr || registry.is_module(name) || !rows_named(name).empty() ||
         command_named(name) != nullptr || is_target(name) || diagnostics::explanation(name) != nullptr;
}

std::string explain_name(std::string_view name) {
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  std::vector<std::string> parts;
  if (const ir::Api* api = registry.find(name)) {
    parts.push_back(explain_api(*api));
  } else if (registry.is_module(name)) {
    parts.push_back(explain_module(std::string(name)));
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
  if (const diagnostics::Explanation* entry = diagnostics::explanation(name)) {
    parts.push_back(diagnostics::explain(*entry));
  }
  if (is_target(name)) {
    parts.push_back(fmt::format("target {}\n\n  {}\n", name,
                                ir::target_text(ir::parse_target(ir::Any(ir::String(std::string(name)))))));
  }
  if (!parts.empty()) return fmt::format("{}", fmt::join(parts, "\n"));

  std::vector<std::string> names;
  for (const ir::Api* api : registry.all()) {
    names.push_back(api->name);
    names.push_back(api->path());
  }
  for (const Command& command : commands()) names.emplace_back(command.name);
  for (const diagnostics::Explanation& entry : diagnostics::explanations()) names.emplace_back(entry.name);
  for (std::string& target : ir::target_names()) names.push_back(std::move(target));
  std::string near = ir::closest(name, names);
  return fmt::format("nothing is called `{}`{}\n", name,
                     near.empty() ? "" : fmt::format("; did you mean `{}`?", near));
}

std::optional<std::string> explain_value(script::Evaluator& evaluator, const ir::Any& value) {
  if (auto* module = script::as<script::ApiModuleNode>(value)) return explain_module(module->path);
  if (auto* function = script::as<script::ApiFunctionNode>(value)) return explain_api(*function->api);
  if (auto* builtin = script::as<script::BuiltinNode>(value)) {
    std::string_view dot = builtin->owner.empty() ? "" : ".";
    return fmt::format("function {}{}{}{}\n\n{}", builtin->owner, dot, builtin->row->name,
                       builtin->row->signature, indented(builtin->row->doc));
  }
  if (auto* method = script::as<script::BoundMethodNode>(value))
    return explain_value(evaluator, method->callee);
  if (script::as<script::FunctionNode>(value) != nullptr || script::as<script::ClassNode>(value) != nullptr) {
    std::string text = evaluator.repr(value) + "\n";
    ir::Any doc;
    if (evaluator.find_attribute(value, syntax::Symbol("__doc__"), doc) && script::is_str(doc)) {
      text += "\n" + indented(script::text_of(doc));
    }
    return text;
  }
  if (const ir::Api* cls =
          script::is_object(value) ? ir::ApiRegistry::global().class_of(value.GetTypeKey()) : nullptr) {
    return explain_api(*cls);
  }
  return std::nullopt;
}

}  // namespace mlc::repl
