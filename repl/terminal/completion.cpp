// SPDX-License-Identifier: Apache-2.0
#include "repl/terminal/completion.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <tuple>

#include "backend/backend.h"
#include "frontend/print/highlight.h"
#include "frontend/print/print.h"
#include "frontend/script/core/evaluator.h"
#include "ir/core/walk_with.h"
#include "ir/target/target.h"
#include "repl/session/commands.h"
#include "repl/session/lowering.h"
#include "repl/session/session.h"
#include "repl/shell/explain.h"
#include "transform/schedule/primitive.h"
#include "transform/schedule/tensor_intrin.h"

namespace mlc::repl {

using ir::Any;

bool name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (c & 0x80) != 0;
}

namespace {

// Where the dotted name that ends at `end` begins: "x = sch.get_|" -> 4.
size_t dotted_begin(std::string_view line, size_t end) {
  while (end > 0 && (name_char(line[end - 1]) || line[end - 1] == '.')) --end;
  return end;
}

}  // namespace

namespace {

bool is_of_library(const Any& function) {
  auto* own = script::as<script::FunctionNode>(function);
  return own == nullptr ||
         (own->module->name != "__main__" && own->module->find(syntax::Symbol("__file__")) == nullptr);
}

// An attribute as far as it is there without running any of the program: a property of its may never end.
bool find_without_running(script::Evaluator& evaluator, const Any& value, std::string_view name, Any& out) {
  syntax::Symbol symbol(name);
  auto runs = [&](const script::ClassNode& cls) {
    const Any* member = cls.find(symbol);
    if (member == nullptr) return cls.has_getattr;
    auto* property = script::as<script::PropertyNode>(*member);
    if (property != nullptr) return !is_of_library(property->getter);
    auto* object = script::as<script::InstanceNode>(*member);
    return object != nullptr && object->cls->find(syntax::Symbol("__get__")) != nullptr;
  };
  if (auto* instance = script::as<script::InstanceNode>(value)) {
    const script::ClassNode& cls = *instance->cls;
    const Any* always = cls.find(syntax::Symbol("__getattribute__"));
    if (always != nullptr && !is_of_library(*always)) return false;
    if ((instance->own(symbol) == nullptr || cls.find(symbol) != nullptr) && runs(cls)) return false;
  } else if (auto* cls = script::as<script::ClassNode>(value)) {
    if (cls->metaclass && runs(*cls->metaclass)) return false;
    const Any* member = cls->find(symbol);
    auto* object = member == nullptr ? nullptr : script::as<script::InstanceNode>(*member);
    if (object != nullptr && object->cls->find(syntax::Symbol("__get__")) != nullptr) return false;
  } else if (auto* module = script::as<script::ModuleNode>(value)) {
    if (module->find(symbol) == nullptr && module->find(syntax::Symbol("__getattr__")) != nullptr)
      return false;
  }
  return evaluator.find_attribute(value, symbol, out);
}

}  // namespace

std::optional<Any> dotted_value(script::Evaluator& evaluator, std::string_view path) {
  size_t dot = std::min(path.find('.'), path.size());
  const Any* base = evaluator.global(path.substr(0, dot));
  if (base == nullptr) return std::nullopt;
  Any value = *base;
  while (dot < path.size()) {
    size_t next = std::min(path.find('.', dot + 1), path.size());
    Any inner;
    if (!find_without_running(evaluator, value, path.substr(dot + 1, next - dot - 1), inner))
      return std::nullopt;
    value = inner;
    dot = next;
  }
  return value;
}

namespace {

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
                           std::vector<Candidate>& found) {
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
    if (named && param.name != "self") found.push_back({param.name + "=", ""});
  }
}

std::vector<Candidate> file_names(std::string_view prefix) {
  namespace fs = std::filesystem;
  fs::path path(prefix);
  fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<Candidate> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    fs::path shown =
        path.has_parent_path() ? path.parent_path() / entry.path().filename() : entry.path().filename();
    names.push_back({shown.string() + (entry.is_directory(ignored) ? "/" : ""), ""});
  }
  return names;
}

// `nest|access [NAME]`: the words that such a command begins with.
void add_words(std::string_view arguments, std::vector<Candidate>& found) {
  std::string_view first = arguments.substr(0, arguments.find(' '));
  if (first.find('|') == std::string_view::npos) return;
  while (!first.empty()) {
    size_t end = std::min(first.find('|'), first.size());
    found.push_back({std::string(first.substr(0, end)), ""});
    first.remove_prefix(std::min(end + 1, first.size()));
  }
}

// `[NAME] [--target T] [--all]`: the options.
void add_options(std::string_view arguments, std::vector<Candidate>& found) {
  for (size_t begin = arguments.find("--"); begin != arguments.npos; begin = arguments.find("--", begin + 2))
    found.push_back(
        {std::string(arguments.substr(begin, arguments.find_first_of(" ]|", begin) - begin)), ""});
}

void add_targets(std::vector<Candidate>& found) {
  for (std::string& each : ir::target_names()) found.push_back({std::move(each), "target", 2});
}

void add_passes(Session& session, std::vector<Candidate>& found) {
  for (auto [word, doc] :
       {std::pair("back", "to the stage before"), std::pair("list", "all passes, and where we are"),
        std::pair("show", "the text of this stage"),
        std::pair("begin", "from the beginning, without what was edited")})
    found.push_back({word, doc});
  Lowering walk(session, {}, backend::default_target_kind());
  for (size_t i = 0; i < walk.passes(); ++i)
    found.push_back({walk.pipeline().pass_name(i), walk.stage_name(i + 1), 1});
}

// What may follow a command. `words`: those between it and the one that is completed.
std::vector<Candidate> arguments_of(Session& session, const Command& command, std::string_view words,
                                    std::string_view word) {
  std::vector<Candidate> found;
  words = trim(words);
  std::string_view before = words.substr(words.find_last_of(' ') + 1);
  if (word.starts_with('-')) {
    add_options(command.arguments, found);
    return found;
  }
  if (before == "--target" && command.arguments.find("--target T") != std::string_view::npos) {
    add_targets(found);
    return found;
  }
  switch (command.completes) {
    case Argument::kFile:
      return file_names(word);
    case Argument::kName:
      if (words.empty()) add_words(command.arguments, found);
      for (const auto& [name, value] : session.evaluator().globals())
        if (bool is_module = module_in(session.evaluator(), value).has_value();
            is_module || command.name == "show" || command.name == "explain")
          found.push_back({name, doc_line(session.evaluator(), value), is_module ? 0 : 1});
      break;
    case Argument::kPass:
      add_passes(session, found);
      break;
    case Argument::kTopic:
      for (const Command& each : commands())
        found.push_back({std::string(each.name), std::string(each.summary)});
      found.push_back({"keys", "the keys of the terminal"});
      for (const auto& [name, value] : session.evaluator().globals())
        found.push_back({name, doc_line(session.evaluator(), value)});
      break;
    case Argument::kBranch:
      for (const Branch& each : session.branches())
        found.push_back({each.name, fmt::format("state {}", each.tip)});
      break;
    case Argument::kSetting:
      if (words.empty()) {
        for (const auto& [name, summary] : settings()) found.push_back({name, summary});
      } else {
        for (std::string& value : values_of_setting(words)) found.push_back({std::move(value), ""});
      }
      break;
    case Argument::kNothing:
    case Argument::kStatement:
      break;
  }
  return found;
}

// Where the string literal begins that the end of `text` is inside of, behind its quote; npos where it is in
// none.
size_t open_string(std::string_view text) {
  auto pieces = print::highlighted(text);
  if (pieces.empty() || pieces.back().end != text.size()) return std::string_view::npos;
  size_t begin = pieces.back().begin;
  char quote = text[begin];
  if (quote != '"' && quote != '\'') return std::string_view::npos;
  bool closed = text.size() > begin + 1 && text.back() == quote;
  return closed ? std::string_view::npos : begin + 1;
}

void add_names_of(const ir::IRModule& mod, std::vector<Candidate>& found) {
  for (const auto& [name, base] : mod->functions) {
    found.push_back({std::string(name->name_hint), "function"});
    auto fn = Any(base).as<ir::PrimFunc>();
    if (!fn) continue;
    auto add_buffer = [&](const ir::Var& var) {
      const ir::BufferTypeNode* buffer = var->buffer();
      if (buffer == nullptr) return;
      std::string doc =
          fmt::format("buffer {} {}", print::script(Any(buffer->shape)), ir::DataType(buffer->dtype).str());
      found.push_back({std::string(var->name), std::move(doc)});
    };
    for (const ir::Var& param : (*fn)->params) add_buffer(param);
    ir::walk_with((*fn)->body, [&](const ir::Stmt& s, ir::Walker& on) {
      if (auto* block = ir::as<ir::SBlockNode>(s)) {
        found.push_back({std::string(block->name_hint), "block"});
        for (const ir::Buffer& buffer : block->alloc_buffers) add_buffer(buffer);
      } else if (auto* loop = ir::as<ir::ForNode>(s)) {
        found.push_back(
            {std::string(loop->loop_var->name), fmt::format("loop of {}", print::script(Any(loop->extent)))});
      }
      on.walk_children(s);
    });
  }
}

constexpr std::array kScopes =
    std::to_array<std::string_view>({"global", "shared", "shared.dyn", "local", "warp", "wmma.matrix_a",
                                     "wmma.matrix_b", "wmma.accumulator"});
constexpr std::array kTags =
    std::to_array<std::string_view>({"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y",
                                     "threadIdx.z", "vthread.x", "vthread.y", "vthread.z"});
constexpr std::array kTypes =
    std::to_array<std::string_view>({"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                     "uint64", "float16", "bfloat16", "float32", "float64"});

std::vector<Candidate> names_in_strings(Session& session, std::string_view word) {
  std::vector<Candidate> found;
  if (word.find('/') != std::string_view::npos || word.starts_with('.')) return file_names(word);
  for (const NamedModule& each : session.states()[session.position()].modules) add_names_of(each.mod, found);
  // What the program itself has named comes first.
  for (std::string_view each : kScopes) found.push_back({std::string(each), "scope", 1});
  for (std::string_view each : kTags) found.push_back({std::string(each), "thread tag", 1});
  for (std::string_view each : kTypes) found.push_back({std::string(each), "data type", 1});
  add_targets(found);
  for (std::string& each : transform::intrinsic_names())
    found.push_back({std::move(each), "tensor intrinsic", 2});
  for (Candidate& each : file_names(word)) found.push_back({std::move(each.text), "file", 3});
  return found;
}

// What a string names as an argument of a schedule's method.
std::string_view kind_of_parameter(std::string_view name) {
  if (name == "block" || name.ends_with("_block")) return "block";
  if (name.find("buffer") != name.npos) return "buffer";
  if (name.ends_with("scope")) return "scope";
  if (name.starts_with("thread")) return "thread tag";
  return name.ends_with("intrin") ? "tensor intrinsic" : "";
}

// What the string is for that begins behind `before`, by the call that it is an argument of; "" where that is
// not known.
std::string_view kind_wanted(std::string_view before) {
  before = before.substr(0, before.find_last_not_of(' ') + 1);
  if (before.ends_with('['))
    return before.size() > 1 && name_char(before[before.size() - 2]) ? "function" : "";
  size_t open = open_call(before);
  if (open == std::string_view::npos) return "";
  struct Row {
    std::string_view word;  // the function, or the keyword where `position` is kKeyword
    int position;
    std::string_view kind;
  };
  constexpr int kKeyword = -1;
  static constexpr Row kRows[] = {
      {"get_sblock", 0, "block"},
      {"get_sblock", 1, "function"},
      {"get_block", 0, "block"},
      {"get_block", 1, "function"},
      {"work_on", 0, "function"},
      {"get_child_blocks", 0, "block"},
      {"compile", 1, "target"},
      {"build", 1, "target"},
      {"Target", 0, "target"},
      {"Buffer", 1, "data type"},
      {"Tensor", 1, "data type"},
      {"zeros", 1, "data type"},
      {"ones", 1, "data type"},
      {"array", 1, "data type"},
      {"astype", 0, "data type"},
      {"open", 0, "file"},
      {"load", 0, "file"},
      {"save", 0, "file"},
      {"load_module", 0, "file"},
      {"dtype", kKeyword, "data type"},
      {"target", kKeyword, "target"},
      {"scope", kKeyword, "scope"},
      {"storage_scope", kKeyword, "scope"},
      {"thread", kKeyword, "thread tag"},
      {"thread_axis", kKeyword, "thread tag"},
      {"func_name", kKeyword, "function"},
      {"tensor_intrin", kKeyword, "tensor intrinsic"},
  };
  std::string_view callee = before.substr(0, open), arguments = before.substr(open + 1);
  size_t begin = callee.size();
  while (begin > 0 && name_char(callee[begin - 1])) --begin;
  std::string_view word = callee.substr(begin);
  int position = 0, depth = 0;
  for (char c : arguments) {
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    position += c == ',' && depth == 0;
  }
  if (arguments.ends_with('=')) {
    position = kKeyword;
    arguments.remove_suffix(1);
    begin = arguments.size();
    while (begin > 0 && name_char(arguments[begin - 1])) --begin;
    word = arguments.substr(begin);
  }
  const auto* row = std::ranges::find_if(
      kRows, [&](const Row& each) { return each.word == word && each.position == position; });
  if (row != std::end(kRows)) return row->kind;
  const transform::Primitive* primitive = position == kKeyword ? nullptr : transform::find_primitive(word);
  if (primitive == nullptr) return "";
  std::vector<std::string_view> names = transform::parameter_names(*primitive);
  return static_cast<size_t>(position) < names.size() ? kind_of_parameter(names[position]) : "";
}

// Properties are not computed for their documentation.
std::string attribute_doc(script::Evaluator& evaluator, const Any& value, const std::string& name) {
  const ir::Api* api =
      script::is_object(value) ? ir::ApiRegistry::global().method(value.type_index(), name) : nullptr;
  if (api != nullptr) {
    std::string_view doc = trim(api->row.doc);
    return std::string(doc.substr(0, doc.find('\n')));
  }
  bool is_module = script::as<script::ModuleNode>(value) != nullptr ||
                   script::as<script::ApiModuleNode>(value) != nullptr ||
                   script::as<script::ClassNode>(value) != nullptr;
  Any inner;
  if (!is_module || !find_without_running(evaluator, value, name, inner)) return "";
  return doc_line(evaluator, inner);
}

constexpr std::array kKeywords = std::to_array<std::string_view>(
    {"and",     "assert", "break", "class",  "continue", "def",    "del",   "elif", "else",   "except",
     "finally", "for",    "from",  "global", "if",       "import", "in",    "is",   "lambda", "nonlocal",
     "not",     "or",     "pass",  "raise",  "return",   "try",    "while", "with"});

// What begins like the word, each once.
Completion ready(Completion found, std::string_view word) {
  std::erase_if(found.candidates, [&](const Candidate& each) {
    bool hidden = each.text.starts_with('_') && !word.starts_with('_');
    return hidden || !std::string_view(each.text).starts_with(word);
  });
  std::ranges::sort(found.candidates, {},
                    [](const Candidate& each) { return std::tie(each.rank, each.text); });
  auto same = std::ranges::unique(found.candidates, {}, &Candidate::text);
  found.candidates.erase(same.begin(), same.end());
  return found;
}

}  // namespace

Completion complete(Session& session, std::string_view text) {
  script::Evaluator& evaluator = session.evaluator();
  Completion found;
  size_t last = text.rfind('\n');
  size_t begin_of_line = last == std::string_view::npos ? 0 : last + 1;
  size_t blank = text.find(' ');
  std::string_view word;
  if (text.starts_with(':') && blank == std::string_view::npos) {
    found.begin = 1;
    word = text.substr(1);
    for (const Command& command : commands())
      found.candidates.push_back({std::string(command.name), std::string(command.summary)});
  } else if (const Command* command =
                 text.starts_with(':') ? find_command(text.substr(1, blank - 1)) : nullptr;
             command != nullptr && command->completes != Argument::kStatement) {
    found.begin = std::min(text.find_last_of(' ') + 1, text.size());
    word = text.substr(found.begin);
    found.candidates = arguments_of(session, *command, text.substr(blank, found.begin - blank), word);
  } else if (size_t string = open_string(text); string != std::string_view::npos) {
    found.begin = string;
    word = text.substr(string);
    found.candidates = names_in_strings(session, word);
    std::string_view kind = kind_wanted(text.substr(0, string - 1));
    for (Candidate& each : found.candidates)
      if (!kind.empty() && each.doc.starts_with(kind)) each.rank = -1;
  } else {
    size_t begin = std::max(dotted_begin(text, text.size()), begin_of_line);
    std::string_view path = text.substr(begin);
    size_t dot = path.rfind('.');
    if (dot != std::string_view::npos) {
      found.begin = begin + dot + 1;
      word = path.substr(dot + 1);
      if (auto value = dotted_value(evaluator, path.substr(0, dot))) {
        for (std::string& name : evaluator.attribute_names(*value)) {
          if (!name.starts_with(word)) continue;
          std::string doc = attribute_doc(evaluator, *value, name);
          found.candidates.push_back({std::move(name), std::move(doc)});
        }
      }
    } else {
      found.begin = begin;
      word = path;
      // `from tvm import re`: what the module has, as far as it is imported.
      std::string_view line = trim(text.substr(begin_of_line, begin - begin_of_line));
      std::string_view first = take_word(line), module = take_word(line);
      if (first == "from" && line.starts_with("import")) {
        if (auto value = dotted_value(evaluator, module))
          for (std::string& name : evaluator.attribute_names(*value)) {
            std::string doc = name.starts_with(word) ? attribute_doc(evaluator, *value, name) : "";
            found.candidates.push_back({std::move(name), std::move(doc)});
          }
        return ready(std::move(found), word);
      }
      for (const auto& [name, value] : evaluator.globals())
        if (name.starts_with(word)) found.candidates.push_back({name, doc_line(evaluator, value)});
      for (std::string& name : evaluator.builtin_names()) found.candidates.push_back({std::move(name), ""});
      for (std::string_view keyword : kKeywords) found.candidates.push_back({std::string(keyword), ""});
      add_keyword_arguments(evaluator, text, found.candidates);
    }
  }
  return ready(std::move(found), word);
}

}  // namespace mlc::repl
