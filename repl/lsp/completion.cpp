// SPDX-License-Identifier: Apache-2.0
// What could follow the text before the cursor, which is most often a line that does not parse yet: the line
// itself is read word by word, what its names mean comes from the rest of the program.
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "frontend/print/highlight.h"
#include "frontend/script/core/stdlib.h"
#include "ir/registry/registry.h"
#include "ir/target/target.h"
#include "repl/lsp/server.h"
#include "repl/session/session.h"
#include "repl/terminal/completion.h"

namespace mlc::lsp {

namespace {

// Numbers of the protocol's CompletionItemKind.
enum Item {
  kMethod = 2,
  kFunction = 3,
  kVariable = 6,
  kClass = 7,
  kModule = 9,
  kValue = 12,
  kKeyword = 14,
  kField = 5
};

constexpr auto kScopes =
    std::to_array<std::string_view>({"global", "shared", "shared.dyn", "local", "warp", "wmma.matrix_a",
                                     "wmma.matrix_b", "wmma.accumulator"});
constexpr auto kTags =
    std::to_array<std::string_view>({"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y",
                                     "threadIdx.z", "vthread.x", "vthread.y", "vthread.z"});
constexpr auto kTypes =
    std::to_array<std::string_view>({"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                     "uint64", "float16", "bfloat16", "float32", "float64"});
constexpr auto kWords = std::to_array<std::string_view>(
    {"and",    "assert", "break",   "class",    "continue", "def",    "del",  "elif",
     "else",   "except", "finally", "for",      "from",     "global", "if",   "import",
     "in",     "is",     "lambda",  "nonlocal", "not",      "or",     "pass", "raise",
     "return", "try",    "while",   "with",     "True",     "False",  "None"});

size_t word_begin(std::string_view text) {
  size_t at = text.size();
  while (at > 0 && repl::name_char(text[at - 1])) --at;
  return at;
}
// Of `x = sch.get_|` the `sch.get_`.
size_t dotted_name_begin(std::string_view text) {
  size_t at = text.size();
  while (at > 0 && (repl::name_char(text[at - 1]) || text[at - 1] == '.')) --at;
  return at;
}

// The name of the call whose bracket is open at the end, and how many commas stand behind it.
struct OpenCall {
  std::string callee;
  size_t argument = 0;
};
std::optional<OpenCall> innermost_call(std::string_view text) {
  size_t depth = 0, commas = 0;
  size_t least = text.size() > 4000 ? text.size() - 4000 : 0;  // a call is not longer
  for (size_t at = text.size(); at > least; --at) {
    char c = text[at - 1];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == ',' && depth == 0) ++commas;
    if (c != '(' && c != '[' && c != '{') continue;
    if (depth-- > 0) continue;
    depth = 0;
    if (c != '(') {  // a list among the arguments
      commas = 0;
      continue;
    }
    std::string_view before = text.substr(0, at - 1);
    std::string callee(before.substr(dotted_name_begin(before)));
    if (callee.empty()) return std::nullopt;
    return OpenCall{std::move(callee), commas};
  }
  return std::nullopt;
}

class Completer {
 public:
  Completer(Server& server, Document& document, size_t offset)
      : server_(server), document_(document), index_(document.index()), offset_(offset) {}

  json run() {
    std::string_view before = std::string_view(document_.text().str()).substr(0, offset_);
    auto pieces = print::highlighted(before);
    if (!pieces.empty() && pieces.back().end == before.size()) {
      size_t begin = pieces.back().begin;
      char first = before[begin];
      if (first == '#') return std::move(items_);
      bool closed = before.size() > begin + 1 && before.back() == first;
      if ((first == '"' || first == '\'') && !closed) {
        begin_ = begin + 1;
        in_string(before.substr(0, begin));
        return std::move(items_);
      }
    }
    begin_ = word_begin(before);
    if (imported(before.substr(before.rfind('\n') + 1))) return std::move(items_);
    if (begin_ > 0 && before[begin_ - 1] == '.') {
      std::string_view owner = before.substr(0, begin_ - 1);
      members(std::string(owner.substr(dotted_name_begin(owner))));
    } else {
      names(before);
    }
    return std::move(items_);
  }

 private:
  void add(std::string_view label, int kind, std::string_view detail, std::string_view doc = "") {
    if (!seen_.emplace(label).second) return;
    json item{{"label", label},
              {"kind", kind},
              {"textEdit", {{"range", range_of(document_.text(), begin_, offset_)}, {"newText", label}}}};
    if (!detail.empty()) item["detail"] = detail;
    if (!doc.empty()) item["documentation"] = doc;
    items_.push_back(std::move(item));
  }

  // The dotted name as the library has it: `tvm.script.tirx.grid` of `T.grid`, `Schedule.split` of
  // `sch.split`.
  std::string path_of(const std::string& name) const {
    size_t dot = std::min(name.find('.'), name.size());
    uint32_t id = index_.find(name.substr(0, dot), index_.scope_at(offset_));
    if (id == kNone)
      return name == "sch" ? "Schedule" : name.starts_with("sch.") ? "Schedule" + name.substr(3) : "";
    const Entity& entity = index_.entities[id];
    std::string base = entity.path.empty() ? entity.type : entity.path;
    return base.empty() ? "" : base + name.substr(dot);
  }

  void members(const std::string& owner) {
    uint32_t id = index_.find(owner, index_.scope_at(offset_));
    if (id != kNone && index_.entities[id].module != kNone) id = index_.entities[id].module;  // `cls = Module`
    if (id != kNone && index_.entities[id].kind == Kind::kClass) {
      for (const Entity& each : index_.entities)
        if (each.inside == id && (each.kind == Kind::kFunction || each.kind == Kind::kVariable))
          add(each.name, kMethod, "");
      return;
    }
    std::string path = path_of(owner);
    if (path.empty()) return;
    of_module(path);
  }

  // What stands behind the dot, of the library or of a file of the program.
  void of_module(const std::string& path) {
    for (const Entity* each : server_.workspace().members(document_, path))
      if (!each->name.starts_with('_')) entity(*each, nullptr);
    for (const LibraryName& each : server_.library().members(path))
      add(each.name,
          each.doc == "module"                            ? kModule
          : each.signature.find('(') != std::string::npos ? kFunction
                                                          : kField,
          each.signature, each.doc);
  }

  // `import pa|`, `from tvm.script import ti|`: names of modules, or those that one has. False where the line is none.
  bool imported(std::string_view line) {
    constexpr std::string_view kImport = "import ", kFrom = "from ";
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    size_t verb = line.find(kImport);
    if (line.starts_with(kFrom) && verb != line.npos && line[verb - 1] == ' ') {
      std::string_view module = repl::trim(line.substr(kFrom.size(), verb - kFrom.size()));
      if (line.find(" as ", verb) != line.npos && line.find(',', verb) == line.npos) return true;  // a new name
      of_module(std::string(module));
      return true;
    }
    if (!line.starts_with(kImport) && !line.starts_with(kFrom)) return false;
    std::string_view dotted = line.substr(line.find_last_of(" ,") + 1);
    size_t dot = dotted.rfind('.');
    if (dot != dotted.npos && dot + 1 != dotted.find_first_not_of('.')) {
      of_module(std::string(dotted.substr(0, dot)));
      return true;
    }
    for (const std::string& each : server_.workspace().modules(document_)) add(each, kModule, "module");
    auto of_library = [&](std::string_view path, bool whole) {
      std::string_view package = path.substr(0, path.find('.'));
      if ((whole || ir::ApiRegistry::global().is_module(package)) && !package.starts_with('_'))
        add(package, kModule, "module");
    };
    for (std::string_view each : script::stdlib_modules()) of_library(each, each.find('.') == each.npos);
    for (const ir::Api* each : ir::ApiRegistry::global().all())
      if (each->row.kind == ir::ApiKind::kFunction) of_library(each->row.owner, false);
    return true;
  }

  void entity(const Entity& each) { entity(each, document_.fact(each)); }
  void entity(const Entity& each, const Fact* fact) {
    int kind = each.kind == Kind::kFunction ? kFunction
               : each.kind == Kind::kClass  ? kClass
               : each.kind == Kind::kImport ? kModule
                                            : kVariable;
    add(each.name, kind, fact != nullptr ? fact->text : each.kind == Kind::kImport ? each.path : each.type);
  }

  void names(std::string_view before) {
    if (auto call = innermost_call(before)) {
      std::string path = path_of(call->callee);
      for (const std::string& name :
           path.empty() ? std::vector<std::string>() : server_.library().parameters(path))
        add(name + "=", kField, "argument of " + call->callee);
    }
    for (uint32_t id : index_.visible(offset_)) entity(index_.entities[id]);
    for (const std::string& name : server_.library().builtins()) add(name, kFunction, "");
    for (std::string_view word : kWords) add(word, kKeyword, "");
  }

  void of_kind(Kind kind, std::string_view detail) {
    for (const Entity& each : index_.entities) {
      if (each.kind != kind || (kind == Kind::kFunction && !each.is_ir)) continue;
      // A lone function is the `main` of its schedule.
      bool alone = kind == Kind::kFunction && each.inside == kNone;
      const Fact* fact = document_.fact(each);
      add(alone ? "main" : each.name, kValue, fact != nullptr ? fact->text : std::string(detail));
    }
  }
  void words(std::span<const std::string_view> all, std::string_view detail) {
    for (std::string_view each : all) add(each, kValue, detail);
  }

  void in_string(std::string_view before) {
    auto call = innermost_call(before);
    std::string_view callee = call ? std::string_view(call->callee) : "";
    callee = callee.substr(callee.rfind('.') + 1);  // all of it without a dot: npos + 1 is 0
    if (callee == "Tensor" || callee == "Shape") {
      for (uint32_t id : index_.visible(offset_))
        if (index_.entities[id].kind == Kind::kDimension) entity(index_.entities[id]);
      return words(kTypes, "data type");
    }
    bool finds_block = callee == "get_sblock" || callee == "get_block";
    if (callee == "tensorize" && call->argument > 0) {
      for (const std::string& each : server_.library().intrinsics()) add(each, kValue, "tensor intrinsic");
      return;
    }
    if (callee == "bind" || callee == "thread_binding" || callee == "launch_thread" || callee == "env_thread")
      return words(kTags, "thread tag");
    if ((finds_block && call->argument == 1) || callee == "work_on")
      return of_kind(Kind::kFunction, "function");
    if (finds_block) return of_kind(Kind::kBlock, "block");
    of_kind(Kind::kBlock, "block");
    of_kind(Kind::kBuffer, "buffer");
    of_kind(Kind::kFunction, "function");
    words(kTypes, "data type");
    words(kScopes, "scope");
    words(kTags, "thread tag");
    for (const std::string& each : ir::target_names()) add(each, kValue, "target");
  }

  Server& server_;
  Document& document_;
  const Index& index_;
  size_t offset_;
  size_t begin_ = 0;  // of the word that is completed
  json items_ = json::array();
  std::set<std::string, std::less<>> seen_;
};

}  // namespace

json completion(Server& server, const json& params) {
  Document& document = server.document(params);
  return {{"isIncomplete", false}, {"items", Completer(server, document, offset_of(document, params)).run()}};
}

}  // namespace mlc::lsp
