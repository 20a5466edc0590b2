// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

namespace mlc::ir {

// 'a' where nothing is there, 'f' a file, 'd' a folder, 'o' anything else; links are followed.
inline char kind_of_file(const char* path) {
  struct stat found {};
  if (stat(path, &found) != 0) return 'a';
  return S_ISREG(found.st_mode) ? 'f' : S_ISDIR(found.st_mode) ? 'd' : 'o';
}

}  // namespace mlc::ir
