// SPDX-License-Identifier: Apache-2.0
// Files that this process has mapped into memory. One that is cut short ends the process at the next look at
// what is gone, so whoever writes over a file takes its name away first: its bytes stay until nobody maps
// them.
#pragma once

#include <string>

struct stat;

namespace mlc::ir {

// For as long as it lives, the file counts as mapped.
class MappedFile {
 public:
  explicit MappedFile(const struct stat& status);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

 private:
  unsigned long long device_, inode_;
};

// Before a file is opened to be written anew; false where its name cannot be taken away.
bool release_name_of_mapped(const std::string& path);

}  // namespace mlc::ir
