// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/importer.h"

#include <cerrno>
#include <cstring>
#include <iterator>

#include "frontend/script/core/stdlib.h"
#include "frontend/script/modules/classic_names.h"
#include "frontend/script/modules/traceback.h"
#include "frontend/syntax/frozen.h"
#include "frontend/syntax/parse.h"
#include "frontend/syntax/source_text.h"
#include "ir/core/files.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"
#include "ir/registry/classic_names.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ImportError",
    {
        {.name = "cannot-import",
         .message = "cannot import name '{}' from {}'{}'{}",
         .meaning = "The module is there, but has no such name.",
         .wrong = "from math import squareroot",
         .right = "from math import sqrt"},
        {.name = "file-error",
         .kind = "ValueError",
         .message = "[Errno {}] {}: '{}'",
         .meaning = "The system refused what was asked of a file or folder; the message is its own.",
         .wrong = R"(open("no_such_file.txt"))",
         .right = R"(open("/dev/null").close())"},
        {.name = "no-such-module",
         .kind = "ModuleNotFoundError",
         .message = "import of {} halted; None in sys.modules",
         .meaning =
             "No module of this name lies beside the program, in a folder of MLCPATH, or in the library.",
         .wrong = "import numpi",
         .right = "import numpy"},
        {.name = "relative-import",
         .meaning = "`from . import x` counts from the package that the file is in; a program itself is in "
                    "none, and no dots lead above the outermost package.",
         .wrong = "from . import tools",
         .right = "import math"},
    }};
MLC_REFUSALS(core_importer, refusals);

using State = Evaluator::State;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kExtension = ".mlc";
constexpr std::string_view kPackageFile = "__init__.mlc";

Symbol path_name() {
  static const Symbol name("__path__");
  return name;
}
Symbol package_name() {
  static const Symbol name("__package__");
  return name;
}

// What CPython has loaded before it looks at any folder: no file hides these.
bool is_never_hidden(std::string_view name) {
  constexpr std::string_view names[] = {"abc", "builtins", "io", "itertools", "math", "os", "sys", "time"};
  return std::binary_search(std::begin(names), std::end(names), name);
}

// Modules of the library whose functions give the same for the same arguments, whenever and wherever they are
// called, and change nothing outside of the program; what of numpy, tvm and the files of weights is otherwise
// says so itself.
bool is_closed(std::string_view name) {
  constexpr std::string_view kNames =
      " _abstract_containers _annotations _signature _sys _weights abc bisect builtins collections "
      "contextlib copy "
      "dataclasses enum functools gguf heapq itertools json math mlc ml_dtypes numbers numpy operator re "
      "safetensors "
      "string struct sys textwrap tvm tvm_ffi types typing warnings ";
  return kNames.find(fmt::format(" {} ", name.substr(0, name.find('.')))) != kNames.npos;
}

std::string first_part(std::string_view name) { return std::string(name.substr(0, name.find('.'))); }

// As people see it: below the current folder without its name.
std::string shown_path(const fs::path& path) {
  std::error_code ignored;
  fs::path near = fs::proximate(path, ignored);
  if (ignored || near.empty() || *near.begin() == "..") return path.string();
  return near.string();
}

std::string folder_of_program(const Evaluator& evaluator) {
  std::error_code ignored;
  bool is_file = !evaluator.argv.empty() && evaluator.argv[0] != "-" && !evaluator.argv[0].empty();
  fs::path program = is_file ? fs::path(evaluator.argv[0]) : fs::path("<stdin>");
  return fs::absolute(program, ignored).lexically_normal().parent_path().string();
}

std::optional<List> folders_of(const Any& package) {
  auto* module = as<ModuleNode>(package);
  const Any* folders = module == nullptr ? nullptr : module->find(path_name());
  if (folders == nullptr || folders->type_index() != kTVMFFIList) return std::nullopt;
  return folders->cast<List>();
}

// The names of modules in a folder, for did-you-mean.
void add_modules_in(const std::string& folder, std::vector<std::string>& names) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    fs::path path = at->path();
    if (path.extension() == kExtension) names.push_back(path.stem().string());
    if (fs::is_regular_file(path / kPackageFile, ignored)) names.push_back(path.filename().string());
  }
}

}  // namespace

const List& Importer::search_path() {
  if (search_path_) return *search_path_;
  List folders;
  folders.push_back(str_value(folder_of_program(state_.self)));
  const char* more = std::getenv("MLCPATH");
  std::string_view rest = more == nullptr ? "" : more;
  while (!rest.empty()) {
    size_t colon = rest.find(':');
    std::string_view folder = rest.substr(0, colon);
    std::error_code ignored;
    if (!folder.empty())
      folders.push_back(str_value(fs::absolute(fs::path(folder), ignored).lexically_normal().string()));
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  search_path_ = std::move(folders);
  return *search_path_;
}

void Importer::clear() {
  modules_.clear();
  library_.clear();
}

bool Importer::loaded(const std::string& name, Any& out) const {
  auto found = modules_.find(str_value(name));
  if (found == modules_.end()) return false;
  out = (*found).second;
  return true;
}

Any Importer::module(const std::string& name, ir::Span span) {
  if (!stands_in_library(span)) return find_and_load(name, span);
  Any found = library_module(name);
  if (is_none(found)) missing(name, nullptr, nullptr, span);
  return found;
}

Any Importer::find_and_load(const std::string& name, ir::Span span) {
  Any known;
  if (loaded(name, known)) {
    if (!is_none(known)) return known;
    throw ir::refuse(refusals["no-such-module"], name).at(span);
  }
  size_t dot = name.rfind('.');
  if (dot == std::string::npos) {
    std::optional<Found> found = is_never_hidden(name) ? std::nullopt : find(name, search_path());
    if (found && !found->file.empty()) return load_found(name, *found, span);
    if (Any module = library_module(name); !is_none(module)) {
      modules_.Set(str_value(name), module);
      return module;
    }
    if (found) return load_found(name, *found, span);
    missing(name, nullptr, &search_path(), span);
  }
  std::string last = name.substr(dot + 1);
  Any root = find_and_load(first_part(name), span);
  bool of_program = as<ModuleNode>(root) != nullptr && as<ModuleNode>(root)->find(package_name()) != nullptr;
  if (!of_program) {
    Any module = library_module(name);
    if (is_none(module)) missing(name, root, nullptr, span);
    modules_.Set(str_value(name), module);
    return module;
  }
  Any parent = find_and_load(name.substr(0, dot), span);
  if (loaded(name, known)) return known;  // the package imported it
  std::optional<List> folders = folders_of(parent);
  if (!folders) missing(name, parent, nullptr, span);
  std::optional<Found> found = find(last, *folders);
  if (!found) missing(name, parent, &*folders, span);
  Any module = load_found(name, *found, span);
  state_.self.set_attribute(parent, Symbol(last), module, span);
  return module;
}

std::optional<Importer::Found> Importer::find(std::string_view last, const List& folders) const {
  std::vector<std::string> portions;
  for (const Any& each : folders) {
    if (!is_str(each)) continue;
    fs::path path = fs::path(text_of(each)) / last;
    ir::Inputs& inputs = ir::Inputs::global();
    if (inputs.look(path / kPackageFile) == 'f') return Found{path / kPackageFile, {path.string()}};
    fs::path file = path;
    file += kExtension;
    if (inputs.look(file) == 'f') return Found{file, {}};
    if (inputs.look(path) == 'd') portions.push_back(path.string());
  }
  if (portions.empty()) return std::nullopt;
  return Found{{}, std::move(portions)};
}

Any Importer::load_found(const std::string& name, const Found& found, ir::Span span) {
  Ref<ModuleNode> module = state_.new_module(name);
  auto* node = const_cast<ModuleNode*>(module.get());
  bool package = !found.package_folders.empty();
  size_t dot = name.rfind('.');
  node->set(package_name(), str_value(package ? name : name.substr(0, dot == std::string::npos ? 0 : dot)));
  if (package) {
    List folders;
    for (const std::string& folder : found.package_folders) folders.push_back(str_value(folder));
    node->set(path_name(), folders);
  }
  modules_.Set(str_value(name), Any(module));
  if (found.file.empty()) return Any(module);
  node->set(known().file, str_value(found.file.string()));
  run(name, module, span, [&] {
    std::string shown = shown_path(found.file);
    std::optional<std::string> read = ir::read_file(found.file);
    if (!read) {
      throw ir::refuse(refusals["file-error"], errno, std::strerror(errno), shown)
          .kind(errno == EACCES ? "PermissionError" : "OSError")
          .at(span);
    }
    std::string& text = *read;
    ir::Inputs::global().read(found.file, text);
    syntax::check_is_text(shown, text);
    return syntax::parse_file(ir::SourceMap::current().add(shown, std::move(text)));
  });
  // A module may put another object in its place.
  Any now;
  return loaded(name, now) ? now : Any(module);
}

template <class ReadTree>
void Importer::run(const std::string& name, const Ref<ModuleNode>& module, ir::Span span, ReadTree read) {
  running_.push_back(module.get());
  struct Leave {
    std::vector<const ModuleNode*>& running;
    ~Leave() { running.pop_back(); }
  } leave{running_};
  auto forget = [&] {
    modules_.erase(str_value(name));
    library_.erase(name);
  };
  try {
    state_.run_module(read(), module, false);
  } catch (ir::Error& error) {
    forget();
    if (span && !stands_in_library(span)) error.passed({name, ir::PassedCall::How::kImported, span, "", ""});
    throw;
  } catch (...) {
    forget();
    throw;
  }
}

bool Importer::is_partial(const ModuleNode* module) const {
  return std::find(running_.begin(), running_.end(), module) != running_.end();
}

// ---- the library ----

bool is_part_of_api(std::string_view module) {
  return module.starts_with("tvm.") || module.starts_with("mlc.") || module == "tvm_ffi" ||
         module.starts_with("tvm_ffi.");
}

namespace {

// Is it a module of `tvm`, by the registry or by the texts of stdlib/?
bool is_tvm_module(std::string_view path) {
  if (ir::ApiRegistry::global().is_module(path)) return true;
  std::string current(same_module(ir::current_path(path)));
  if (!is_part_of_api(current)) return false;
  auto modules = stdlib_modules();
  auto found = std::lower_bound(modules.begin(), modules.end(), current);
  return found != modules.end() && found->starts_with(current) &&
         (found->size() == current.size() || (*found)[current.size()] == '.');
}

}  // namespace

Any Importer::loaded_of_library(const std::string& name) const {
  auto found = library_.find(name);
  return found == library_.end() ? Any(nullptr) : found->second;
}

Any Importer::of_library(const std::string& name) {
  if (auto found = library_.find(name); found != library_.end()) return found->second;
  std::string_view text = stdlib_text(name);
  if (text.empty()) return nullptr;
  // Packages run before their modules, which they may import themselves.
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
    of_library(name.substr(0, dot));
  if (auto found = library_.find(name); found != library_.end()) return found->second;
  std::string file = name;
  std::replace(file.begin(), file.end(), '.', '/');
  Ref<ModuleNode> module = state_.new_module(name);
  library_[name] = Any(module);
  run(name, module, {}, [&] {
    uint32_t id = ir::SourceMap::current().add(fmt::format("<stdlib>/{}.mlc", file), std::string(text));
    if (std::string_view tree = stdlib_tree(name); !tree.empty()) return syntax::thaw(tree, id);
    ir::Inputs::global().beyond();  // the folder may change
    return syntax::parse_file(id);
  });
  return Any(module);
}

bool Importer::tvm_module(const std::string& path, Any& out) {
  if (!is_tvm_module(path)) return false;
  state_.stdlib_part(path);  // what its text does on import is done now
  out = Any(ir::make<ApiModuleNode>(path));
  return true;
}

Any Importer::library_module(const std::string& name) {
  if (!is_closed(name)) ir::Inputs::global().beyond();
  bool has_text = !is_part_of_api(name) && !stdlib_text(name).empty();
  if (!has_text) {
    Any module;
    return tvm_module(name, module) ? module : nullptr;
  }
  Any module = of_library(name);
  size_t dot = name.rfind('.');
  if (dot == std::string::npos) return module;
  Any parent = library_module(name.substr(0, dot));
  if (auto* node = as<ModuleNode>(parent))
    const_cast<ModuleNode*>(node)->set(Symbol(name.substr(dot + 1)), module);
  return module;
}

std::string Importer::hidden_library_module(const ModuleNode& module) const {
  const Any* file = module.find(known().file);
  if (file == nullptr || (stdlib_text(module.name).empty() && !is_tvm_module(module.name))) return "";
  return std::string(text_of(*file));
}

// ---- relative names and packages ----

std::string Importer::absolute(std::string_view name, size_t level, const ModuleNode& where,
                               ir::Span span) const {
  if (level == 0) return std::string(name);
  const Any* package = where.find(package_name());
  return absolute(name, level, package != nullptr && is_str(*package) ? text_of(*package) : "", span);
}

std::string Importer::absolute(std::string_view name, size_t level, std::string_view package,
                               ir::Span span) const {
  if (package.empty()) {
    throw ir::refuse_as(refusals["relative-import"], "attempted relative import with no known parent package")
        .at(span)
        .help(name.empty() ? "`import NAME` finds the files beside the program"
                           : fmt::format("`from {} import ...` finds the files beside the program", name));
  }
  std::string_view base = package;
  for (size_t i = 1; i < level; ++i) {
    size_t dot = base.rfind('.');
    if (dot == std::string_view::npos) {
      throw ir::refuse_as(refusals["relative-import"], "attempted relative import beyond top-level package")
          .at(span)
          .note(fmt::format("this file is in the package `{}`", package));
    }
    base = base.substr(0, dot);
  }
  return name.empty() ? std::string(base) : fmt::format("{}.{}", base, name);
}

bool Importer::submodule(const Any& package, std::string_view name, Any& out, ir::Span span) {
  auto* module = as<ModuleNode>(package);
  if (module == nullptr) return false;
  const Any* own_name = module->find(known().name);
  std::string full =
      fmt::format("{}.{}", own_name != nullptr && is_str(*own_name) ? text_of(*own_name) : "", name);
  if (loaded(full, out)) return true;
  std::optional<List> folders = folders_of(package);
  if (!folders || !find(name, *folders)) return false;
  out = find_and_load(full, span);
  return true;
}

// ---- what is not there ----

void Importer::no_such_name(const Any& module, const std::string& path, std::string_view name,
                            ir::Span span) {
  auto* node = as<ModuleNode>(module);
  bool partial = node != nullptr && is_partial(node);
  ir::Error error =
      ir::refuse(refusals["cannot-import"], name, partial ? "partially initialized module " : "", path,
                 partial ? " (most likely due to a circular import)" : "")
          .at(span);
  if (partial) {
    error.first().notes.push_back({circle_to(*node), {}});
    error.first().help =
        fmt::format("import `{}` inside the function that needs it, or move it to a file of its own", name);
  } else {
    bool own = node != nullptr && !hidden_library_module(*node).empty();
    std::string_view why = own ? std::string_view() : spelled_now(path, name);
    error.first().help =
        why.empty() ? ir::did_you_mean(name, state_.self.attribute_names(module)) : std::string(why);
    if (node != nullptr) {
      if (std::string file = hidden_library_module(*node); !file.empty())
        error.first().notes.push_back(
            {fmt::format("`{}` hides the library's module `{}`", shown_path(file), path), {}});
    }
  }
  throw error;
}

// "`a` imports `b`, which imports `a`".
std::string Importer::circle_to(const ModuleNode& module) const {
  auto at = std::find(running_.begin(), running_.end(), &module);
  std::string text = fmt::format("`{}` imports ", module.name);
  for (++at; at != running_.end(); ++at) text += fmt::format("`{}`, which imports ", (*at)->name);
  return text + fmt::format("`{}`", module.name);
}

void Importer::missing(const std::string& name, const Any& package, const List* folders, ir::Span span) {
  size_t dot = name.rfind('.');
  std::string last = name.substr(dot == std::string::npos ? 0 : dot + 1);
  std::vector<std::string> names;
  ir::Diagnostic error;
  error.name = "no-such-module";
  error.kind = "ModuleNotFoundError";
  error.message = fmt::format("No module named '{}'", name);
  error.span = span;
  bool root = dot == std::string::npos;
  if (as<ModuleNode>(package) && folders == nullptr) {
    error.message += fmt::format("; '{}' is not a package", name.substr(0, dot));
  } else if (!is_none(package) && folders == nullptr) {
    names = ir::ApiRegistry::global().members(name.substr(0, dot));
  }
  if (root) {
    for (const ir::Api* api : ir::ApiRegistry::global().all()) {
      if (api->row.kind == ir::ApiKind::kMethod || api->row.kind == ir::ApiKind::kProperty) continue;
      names.push_back(first_part(api->row.owner));
    }
    for (std::string_view module : stdlib_modules()) names.push_back(first_part(module));
  }
  if (folders != nullptr) {
    std::string places, python;
    std::string own = folder_of_program(state_.self);
    for (size_t i = 0; i < folders->size(); ++i) {
      if (!is_str((*folders)[i])) continue;
      std::string folder(text_of((*folders)[i]));
      std::error_code ignored;
      bool there = fs::is_directory(folder, ignored);
      std::string place = root && folder == own
                              ? "beside the program"
                              : fmt::format("in `{}`{}", shown_path(folder), there ? "" : " (no folder)");
      places += (places.empty() ? "" : ", ") + place;
      add_modules_in(folder, names);
      fs::path other = fs::path(folder) / (last + ".py");
      if (python.empty() && fs::is_regular_file(other, ignored)) python = shown_path(other);
    }
    error.notes.push_back({fmt::format("looked for `{0}.mlc` and `{0}/__init__.mlc` {1}{2}", last, places,
                                       root ? " and in the library" : ""),
                           {}});
    if (!python.empty()) {
      error.help = fmt::format("`{}` is there, but imports read `.mlc` files: give it that name", python);
      throw ir::Error(std::move(error));
    }
  }
  std::erase(names, last);  // a folder of the library that is no package
  std::string_view left_out = root ? why_left_out(name) : std::string_view();
  std::string_view of_tvm = why_not_here(name);
  error.help = !of_tvm.empty()    ? std::string(of_tvm)
               : left_out.empty() ? ir::did_you_mean(last, names)
                                  : fmt::format("`{}` is left out: {}", name, left_out);
  // A file beside one that is imported: found by a relative import only.
  fs::path beside = span ? fs::path(ir::SourceMap::current().file(span.file).name).parent_path() /
                               (last + std::string(kExtension))
                         : fs::path();
  std::error_code ignored;
  if (root && span && fs::is_regular_file(beside, ignored))
    error.help = fmt::format("`{}` is found by `from . import {}`", beside.string(), last);
  throw ir::Error(std::move(error));
}

}  // namespace mlc::script
