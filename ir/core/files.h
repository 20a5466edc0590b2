// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace mlc::ir {

// 'a' where nothing is there, 'f' a file, 'd' a folder, 'o' anything else; links are followed.
inline char kind_of_file(const char* path) {
  struct stat found {};
  if (stat(path, &found) != 0) return 'a';
  return S_ISREG(found.st_mode) ? 'f' : S_ISDIR(found.st_mode) ? 'd' : 'o';
}

// With the user's home folder for a `~` at the beginning.
std::string with_home(std::string_view path);
// In parts, between which Ctrl-C is heeded: there are files without an end.
std::string read_whole(std::istream& in);
// The bytes of a file; nothing where it cannot be opened or read, errno says why.
std::optional<std::string> read_file(const std::filesystem::path& path);

}  // namespace mlc::ir
