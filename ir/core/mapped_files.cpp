// SPDX-License-Identifier: Apache-2.0
#include "ir/core/mapped_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

namespace mlc::ir {

namespace {

struct Mapped {
  std::mutex lock;
  std::multiset<std::pair<unsigned long long, unsigned long long>> files;  // device and inode
};
Mapped& mapped() {
  static Mapped& all = *new Mapped;  // arrays may outlive every static object
  return all;
}

}  // namespace

MappedFile::MappedFile(const struct stat& status) : device_(status.st_dev), inode_(status.st_ino) {
  std::lock_guard hold(mapped().lock);
  mapped().files.emplace(device_, inode_);
}

MappedFile::~MappedFile() {
  std::lock_guard hold(mapped().lock);
  mapped().files.erase(mapped().files.find({device_, inode_}));
}

bool release_name_of_mapped(const std::string& path) {
  std::lock_guard hold(mapped().lock);
  struct stat status;
  if (mapped().files.empty() || stat(path.c_str(), &status) != 0) return true;
  if (mapped().files.count({status.st_dev, status.st_ino}) == 0) return true;
  std::error_code code;
  std::filesystem::path target = std::filesystem::canonical(path, code);  // not the link that leads to it
  return !code && unlink(target.c_str()) == 0;
}

}  // namespace mlc::ir
