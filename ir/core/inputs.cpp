// SPDX-License-Identifier: Apache-2.0
#include "ir/core/inputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "ir/core/files.h"

namespace mlc::ir {

namespace {

std::string absolute(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).string();
}

}  // namespace

OpenedFile as_it_is(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return {path};
  return {path, about.st_size, about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec};
}

Inputs& Inputs::global() {
  static thread_local Inputs inputs;
  return inputs;
}

char Inputs::look(const std::string& path) {
  char kind = kind_of_file(path.c_str());
  if (kept_) all_.push_back({absolute(path), kind, ""});
  return kind;
}

void Inputs::read(const std::string& path, const std::string& content) {
  if (kept_) all_.push_back({absolute(path), 'r', content});
}

void Inputs::opened(const std::string& path) {
  if (kept_) opened_.push_back(as_it_is(absolute(path)));
}

bool Inputs::has_read(const std::string& path) const {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a terminal is read and written
  auto same = [&path](const std::string& read) {
    std::error_code ignored;  // one of them is not there
    return std::filesystem::equivalent(read, path, ignored);
  };
  return std::any_of(opened_.begin(), opened_.end(),
                     [&](const OpenedFile& file) { return same(file.path); }) ||
         std::any_of(all_.begin(), all_.end(),
                     [&](const Input& input) { return input.kind == 'r' && same(input.path); });
}

}  // namespace mlc::ir
