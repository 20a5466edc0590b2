// SPDX-License-Identifier: Apache-2.0
#include "ir/core/files.h"

#include <cstdlib>
#include <fstream>

#include "ir/core/interrupt.h"

namespace mlc::ir {

std::string with_home(std::string_view path) {
  const char* home = std::getenv("HOME");
  bool own = path == "~" || path.starts_with("~/");
  return own && home != nullptr ? home + std::string(path.substr(1)) : std::string(path);
}

std::string read_whole(std::istream& in) {
  std::string all;
  char part[1 << 16];
  while (in.read(part, sizeof part), in.gcount() > 0) {
    all.append(part, static_cast<size_t>(in.gcount()));
    heed_interrupt();
  }
  return all;
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string all = read_whole(in);
  return in.bad() ? std::nullopt : std::optional(std::move(all));
}

}  // namespace mlc::ir
