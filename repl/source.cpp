// SPDX-License-Identifier: Apache-2.0
#include "repl/source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "ir/error.h"
#include "ir/span.h"

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
  std::string near = ir::closest(wanted.filename().string(), names);
  if (near.empty() && fs::exists(path + ".mlc", ignored)) near = wanted.filename().string() + ".mlc";
  std::string help;
  if (!near.empty()) help = fmt::format("did you mean `{}`?", (wanted.parent_path() / near).string());
  throw CallError{fmt::format("`{}` does not exist", path), help};
}

// The offset of the first byte that is no part of a UTF-8 text, or npos. Control characters other than
// white space count: they say that this is some other kind of file.
size_t first_foreign_byte(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      bool control = byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t' && byte != '\f';
      if (control || byte == 0x7f) return i;
      ++i;
      continue;
    }
    size_t length = byte >= 0xf5 ? 0 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
    if (length == 0 || i + length > text.size()) return i;
    for (size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace

uint32_t read_source(const std::string& path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) no_such_file(path);
    if (fs::is_directory(path, ignored)) {
      throw CallError{fmt::format("`{}` is a directory", path),
                      "name a file, or use `mlc test` for all files of a folder"};
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) throw CallError{fmt::format("cannot read `{}`: {}", path, std::strerror(errno)), ""};
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::string name = path == "-" ? "<stdin>" : path;
  size_t foreign = first_foreign_byte(text);
  if (foreign != std::string_view::npos) {
    throw ir::Error("not-text", "`{}` is not a text file: byte 0x{:02x} at offset {} is not UTF-8 text", name,
                    static_cast<unsigned char>(text[foreign]), foreign)
        .kind("SyntaxError")
        .help("mlc reads programs in UTF-8");
  }
  return ir::SourceMap::global().add(std::move(name), std::move(text));
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
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
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
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw CallError{fmt::format("cannot write `{}`: {}", path, std::strerror(errno)), ""};
}

}  // namespace mlc::repl
