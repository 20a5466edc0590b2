// SPDX-License-Identifier: Apache-2.0
// The modules of stdlib/ that are part of the program, made into tables by stdlib_tables. Where the environment
// variable MLC_STDLIB names a folder, they are read from its files instead, for work on the library.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mlc::script {

// The text of a module; empty when there is none of that name. Modules of Python's standard library are what
// `import NAME` finds; `tvm.*` ones hold the members of that module which have no row in the registry.
std::string_view stdlib_text(std::string_view module);
// The tree of that text, as syntax::freeze() made it; empty where the text was read from a folder.
std::string_view stdlib_tree(std::string_view module);
std::span<const std::string_view> stdlib_modules();  // sorted

// What stdlib_tables has made.
std::string_view embedded_text(std::string_view module);
std::string_view embedded_tree(std::string_view module);
std::span<const std::string_view> embedded_modules();  // sorted

// The module that a file of stdlib/ is: `python/a.mlc` is `a`, `tvm/a/b.mlc` is `tvm.a.b`, `schedule/a.mlc` is
// `mlc.schedule.a`, `llm/`, `model/`, `pipeline/`, `roofline/` and `weights/` likewise; `a/__init__.mlc` is the module of the folder.
inline std::string stdlib_module_name(std::string file) {
  file.resize(file.rfind('.'));
  if (file.starts_with("python/")) file = file.substr(7);
  for (const char* folder : {"dispatch/", "llm/", "model/", "schedule/", "pipeline/", "roofline/", "weights/"}) {
    if (file.starts_with(folder)) {
      file = "mlc/" + file;
      break;
    }
  }
  if (file.ends_with("/__init__")) file.resize(file.size() - 9);
  for (char& c : file) c = c == '/' ? '.' : c;
  return file;
}

}  // namespace mlc::script
