// SPDX-License-Identifier: Apache-2.0
// Finds and loads what programs import: .mlc files and packages (folders with `__init__.mlc`), and the
// modules of the library. The rules are CPython's: a module is known by its dotted name and runs once, a
// package runs before what is in it, and a module that imports itself in a circle is seen as far as it got.
#pragma once

#include <filesystem>
#include <optional>

#include "frontend/script/core/machine.h"

namespace mlc::script {

// Why a module of Python, or a package for CPython, is left out and what serves instead; empty for other
// names.
// Does the module share its name between rows of the registry and a text of stdlib/: `tvm.*`, `tvm_ffi`?
bool is_part_of_api(std::string_view module);

std::string_view why_left_out(std::string_view module);

class Importer {
 public:
  explicit Importer(Evaluator::State& state) : state_(state) {}

  // The module `name`; of a dotted name the last part. `span`: the import statement, of which file it stands
  // in.
  Any module(const std::string& name, ir::Span span);
  // The absolute name of `from ..name import`, for a statement in `where` or in a file of `package`.
  std::string absolute(std::string_view name, size_t level, const ModuleNode& where, ir::Span span) const;
  std::string absolute(std::string_view name, size_t level, std::string_view package, ir::Span span) const;
  // `from package import name`, where the package has no such attribute: is it a module in it? A missing one
  // is false; its errors are thrown.
  bool submodule(const Any& package, std::string_view name, Any& out, ir::Span span);
  [[noreturn]] void no_such_name(const Any& module, const std::string& path, std::string_view name,
                                 ir::Span span);
  bool tvm_module(const std::string& path, Any& out);  // of the api registry or of the texts of stdlib/
  // The module of stdlib/ with this name, which runs when it is first asked for; None when there is none.
  Any of_library(const std::string& name);
  Any loaded_of_library(const std::string& name) const;  // None where nothing has asked for it yet
  // Does the module's text still run?
  bool is_partial(const ModuleNode* module) const;
  // Where a module that a program's own file defines hides one of the library; "" if it does not.
  std::string hidden_library_module(const ModuleNode& module) const;

  const List& search_path();                        // sys.path: the program's folder, then those of MLCPATH
  const Dict& modules() const { return modules_; }  // sys.modules, by dotted name
  void add(std::string_view name, Any module) { modules_.Set(str_value(name), std::move(module)); }
  void clear();

 private:
  struct Found {
    std::filesystem::path file;                // empty for a folder without `__init__.mlc`
    std::vector<std::string> package_folders;  // not empty for packages
  };

  bool loaded(const std::string& name, Any& out) const;
  Any find_and_load(const std::string& name, ir::Span span);
  // The module of the library; None when there is none.
  Any library_module(const std::string& name);
  std::optional<Found> find(std::string_view last, const List& folders) const;
  Any load_found(const std::string& name, const Found& found, ir::Span span);
  template <class ReadTree>
  void run(const std::string& name, const Ref<ModuleNode>& module, ir::Span span, ReadTree read);
  std::string circle_to(const ModuleNode& module) const;
  [[noreturn]] void missing(const std::string& name, const Any& package, const List* folders, ir::Span span);

  Evaluator::State& state_;
  Dict modules_;
  std::unordered_map<std::string, Any> library_;  // modules of stdlib/, by name
  std::optional<List> search_path_;
  std::vector<const ModuleNode*> running_;  // whose texts run, innermost last
};

}  // namespace mlc::script
