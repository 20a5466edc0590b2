// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <istream>
#include <string>

#include "ir/core/interrupt.h"

namespace mlc::ir {

// 'a' where nothing is there, 'f' a file, 'd' a folder, 'o' anything else; links are followed.
inline char kind_of_file(const char* path) {
  struct stat found {};
  if (stat(path, &found) != 0) return 'a';
  return S_ISREG(found.st_mode) ? 'f' : S_ISDIR(found.st_mode) ? 'd' : 'o';
}

// In parts, between which Ctrl-C is heeded: there are files without an end.
inline std::string read_whole(std::istream& in) {
  std::string all;
  char part[1 << 16];
  while (in.read(part, sizeof part), in.gcount() > 0) {
    all.append(part, static_cast<size_t>(in.gcount()));
    heed_interrupt();
  }
  return all;
}

}  // namespace mlc::ir
