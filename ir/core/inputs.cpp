// SPDX-License-Identifier: Apache-2.0
#include "ir/core/inputs.h"

#include <filesystem>

#include "ir/core/file_kind.h"

namespace mlc::ir {

namespace {

std::string absolute(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).string();
}

}  // namespace

Inputs& Inputs::global() {
  static Inputs inputs;
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

}  // namespace mlc::ir
