// SPDX-License-Identifier: Apache-2.0
#include "repl/terminal/completion.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "repl/session/commands.h"

namespace mlc::repl {

using ir::Any;

namespace {

bool name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (c & 0x80) != 0;
}

// Where the dotted name that ends at `end` begins: "x = sch.get_|" -> 4.
size_t dotted_begin(std::string_view line, size_t end) {
  while (end > 0 && (name_char(line[end - 1]) || line[end - 1] == '.')) --end;
  return end;
}

// The value of `a.b.c`, names and attributes only; nullopt when some part does not exist.
std::optional<Any> dotted_value(script::Evaluator& evaluator, std::string_view path) {
  size_t dot = std::min(path.find('.'), path.size());
  const Any* base = evaluator.global(path.substr(0, dot));
  if (base == nullptr) return std::nullopt;
  Any value = *base;
  while (dot < path.size()) {
    size_t next = std::min(path.find('.', dot + 1), path.size());
    Any inner;
    if (!evaluator.find_attribute(value, syntax::Symbol(path.substr(dot + 1, next - dot - 1)), inner))
      return std::nullopt;
    value = inner;
    dot = next;
  }
  return value;
}

// The opening bracket of the innermost call that is still open at the end of the line, or npos.
size_t open_call(std::string_view line) {
  int depth = 0;
  for (size_t i = line.size(); i > 0; --i) {
    char c = line[i - 1];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == '(' || c == '[' || c == '{') {
      if (depth == 0) return c == '(' ? i - 1 : std::string_view::npos;
      --depth;
    }
  }
  return std::string_view::npos;
}

void add_keyword_arguments(script::Evaluator& evaluator, std::string_view line,
                           std::vector<std::string>& names) {
  size_t open = open_call(line);
  if (open == std::string_view::npos) return;
  size_t begin = dotted_begin(line, open);
  auto callee = dotted_value(evaluator, line.substr(begin, open - begin));
  if (!callee) return;
  Any function = *callee;
  if (auto* method = script::as<script::BoundMethodNode>(function)) function = method->callee;
  auto* api = script::as<script::ApiFunctionNode>(function);
  if (api == nullptr) return;
  for (const ir::ApiParam& param : api->api->params) {
    bool named =
        param.kind == ir::ApiParam::Kind::kPositional || param.kind == ir::ApiParam::Kind::kKeywordOnly;
    if (named && param.name != "self") names.push_back(param.name + "=");
  }
}

std::vector<std::string> file_names(std::string_view prefix) {
  namespace fs = std::filesystem;
  fs::path path(prefix);
  fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    fs::path shown =
        path.has_parent_path() ? path.parent_path() / entry.path().filename() : entry.path().filename();
    names.push_back(shown.string() + (entry.is_directory() ? "/" : ""));
  }
  return names;
}

constexpr std::array kKeywords = std::to_array<std::string_view>(
    {"and",     "assert", "break", "class",  "continue", "def",    "del",   "elif", "else",   "except",
     "finally", "for",    "from",  "global", "if",       "import", "in",    "is",   "lambda", "nonlocal",
     "not",     "or",     "pass",  "raise",  "return",   "try",    "while", "with"});

}  // namespace

Completion complete(script::Evaluator& evaluator, std::string_view line) {
  Completion found;
  size_t blank = line.find(' ');
  std::string_view word;
  if (line.starts_with(':') && blank == std::string_view::npos) {
    found.begin = 1;
    word = line.substr(1);
    for (const Command& command : commands()) found.candidates.emplace_back(command.name);
  } else if (line.starts_with(":save ") || line.starts_with(":load ")) {
    found.begin = line.find_first_not_of(' ', blank) == std::string_view::npos
                      ? line.size()
                      : line.find_first_not_of(' ', blank);
    word = line.substr(found.begin);
    found.candidates = file_names(word);
  } else {
    size_t begin = dotted_begin(line, line.size());
    std::string_view path = line.substr(begin);
    size_t dot = path.rfind('.');
    if (dot != std::string_view::npos) {
      found.begin = begin + dot + 1;
      word = path.substr(dot + 1);
      if (auto value = dotted_value(evaluator, path.substr(0, dot)))
        found.candidates = evaluator.attribute_names(*value);
    } else {
      found.begin = begin;
      word = path;
      for (const auto& [name, value] : evaluator.globals()) found.candidates.push_back(name);
      for (std::string& name : evaluator.builtin_names()) found.candidates.push_back(std::move(name));
      for (std::string_view keyword : kKeywords) found.candidates.emplace_back(keyword);
      add_keyword_arguments(evaluator, line, found.candidates);
    }
  }
  std::erase_if(found.candidates, [&](const std::string& name) {
    bool hidden = name.starts_with('_') && !word.starts_with('_');
    return hidden || !std::string_view(name).starts_with(word);
  });
  std::sort(found.candidates.begin(), found.candidates.end());
  found.candidates.erase(std::unique(found.candidates.begin(), found.candidates.end()),
                         found.candidates.end());
  return found;
}

}  // namespace mlc::repl
