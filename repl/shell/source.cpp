// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/source.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "backend/artefact/write_file.h"
#include "frontend/syntax/source_text.h"
#include "ir/core/error.h"
#include "ir/core/files.h"
#include "ir/core/inputs.h"
#include "ir/core/span.h"

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void no_such_file(const std::string& path) {
  fs::path wanted(path);
  fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw CallError{fmt::format("`{}` does not exist: there is no folder `{}`", path, folder.string()), ""};
  }
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    names.push_back(entry.path().filename().string());
  if (fs::is_symlink(fs::symlink_status(wanted, ignored)))
    throw CallError{fmt::format("`{}` is a link to nothing", path), ""};
  std::string near = ir::closest(wanted.filename().string(), names);
  if (near.empty() && fs::exists(path + ".mlc", ignored)) near = wanted.filename().string() + ".mlc";
  std::string help;
  if (!near.empty()) help = fmt::format("did you mean `{}`?", (wanted.parent_path() / near).string());
  throw CallError{fmt::format("`{}` does not exist", path), help};
}

}  // namespace

uint32_t read_source(const std::string& path) {
  std::string text;
  if (path == "-") {
    ir::Inputs::global().beyond();
    ir::Inputs::global().opened("/dev/stdin");
    char bytes[4096];
    for (size_t n; (n = std::fread(bytes, 1, sizeof bytes, stdin)) > 0;) text.append(bytes, n);
    if (std::ferror(stdin) != 0)  // a folder, a terminal that is gone
      throw CallError{fmt::format("cannot read standard input: {}", std::strerror(errno)), ""};
  } else {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) no_such_file(path);
    if (fs::is_directory(path, ignored)) {
      throw CallError{fmt::format("`{}` is a directory", path),
                      "name a file, or use `mlc test` for all files of a folder"};
    }
    std::optional<std::string> read = ir::read_file(path);
    if (!read) throw CallError{fmt::format("cannot read `{}`: {}", path, std::strerror(errno)), ""};
    text = std::move(*read);
    ir::Inputs::global().read(path, text);
  }
  std::string name = path == "-" ? "<stdin>" : path;
  syntax::check_is_text(name, text);
  return ir::SourceMap::current().add(std::move(name), std::move(text));
}

std::vector<std::string> collect_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) no_such_file(path);
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    fs::recursive_directory_iterator folder(path, fs::directory_options::skip_permission_denied, ignored);
    if (ignored) throw CallError{fmt::format("cannot read the folder `{}`: {}", path, ignored.message()), ""};
    for (const auto& entry : folder) {
      std::string kind = entry.path().extension().string();
      if (entry.is_regular_file() && (kind == ".mlc" || kind == ".repl"))
        files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

void write_file(const std::string& path, std::string_view text) {
  try {
    backend::write_file(path, text);
  } catch (const ir::Error& error) {
    throw CallError{error.first().message, error.first().help};
  }
}

}  // namespace mlc::repl
