// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "ir/core/error.h"

namespace mlc::backend {

// A folder that goes with its files.
class TemporaryFolder {
 public:
  // `name`: what it begins with.
  explicit TemporaryFolder(std::string_view name) {
    std::filesystem::path all = std::filesystem::temp_directory_path();
    std::string pattern = (all / name).string() + "-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
      throw ir::Error("cannot-write", "no folder can be made in `{}`", all.string()).kind("OSError");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const char* name) const { return (path_ / name).string(); }
  std::string write(const char* name, std::string_view bytes) const {
    std::string file = *this / name;
    std::ofstream out(file, std::ios::binary);
    if (!(out << bytes).flush())
      throw ir::Error("cannot-write", "`{}` cannot be written", file).kind("OSError");
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace mlc::backend
