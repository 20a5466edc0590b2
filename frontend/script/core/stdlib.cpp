// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/stdlib.h"

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "ir/core/files.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "FileNotFoundError",
    {
        {.name = "no-stdlib-folder",
         .message = "MLC_STDLIB is `{}`, where there are no .mlc files",
         .help = "name the folder stdlib/ of the sources, or leave the variable unset",
         .meaning = "The variable makes mlc read its library from a folder instead of from the program."},
    }};
MLC_REFUSALS(core_stdlib, refusals);

namespace {

namespace fs = std::filesystem;

struct Folder {
  std::map<std::string, std::string, std::less<>> texts;  // by module
  std::vector<std::string_view> names;                    // the keys of `texts`
};

Folder read_folder(const fs::path& root) {
  Folder folder;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(root, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() != ".mlc") continue;
    folder.texts[stdlib_module_name(at->path().lexically_relative(root).generic_string())] =
        ir::read_file(at->path()).value_or("");
  }
  if (folder.texts.empty()) throw ir::refuse(refusals["no-stdlib-folder"], root.string());
  for (const auto& [name, text] : folder.texts) folder.names.push_back(name);
  return folder;
}

// Read once in a process: the modules of a program are of one state of the folder.
const Folder* folder() {
  static const std::optional<Folder> read = []() -> std::optional<Folder> {
    const char* named = std::getenv("MLC_STDLIB");
    if (named == nullptr || *named == '\0') return std::nullopt;
    return read_folder(named);
  }();
  return read ? &*read : nullptr;
}

}  // namespace

std::string_view stdlib_text(std::string_view module) {
  const Folder* from = folder();
  if (from == nullptr) return embedded_text(module);
  auto found = from->texts.find(module);
  return found == from->texts.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view stdlib_tree(std::string_view module) {
  return folder() == nullptr ? embedded_tree(module) : std::string_view();
}

std::span<const std::string_view> stdlib_modules() {
  const Folder* from = folder();
  return from == nullptr ? embedded_modules() : std::span<const std::string_view>(from->names);
}

}  // namespace mlc::script
