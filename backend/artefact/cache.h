// SPDX-License-Identifier: Apache-2.0
// What was built once need not be built again: artefacts by everything that they are made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/inputs.h"

namespace mlc::backend {

// A folder of the user: $MLC_CACHE_DIR, else $XDG_CACHE_HOME/mlc, else ~/.cache/mlc. Entries are written
// next to their final path and renamed, so that processes may share it and a killed one leaves nothing half; what
// was read wrong does not count. It holds $MLC_CACHE_SIZE MiB (512), and forgets what was not used the
// longest. A folder that cannot be written is no error: nothing is kept then.
class BuildCache {
 public:
  // None where no folder is known or the size is 0.
  static std::optional<BuildCache> of_user();
  // The key of what is made of `parts` and of this program.
  static std::string key(const std::vector<std::string>& parts);

  // Writes the artefact of that key to `path`; false where there is none.
  bool copy(const std::string& key, const std::string& path) const;
  // Remembers the file `path` as the artefact of that key.
  void keep(const std::string& key, const std::string& path) const;
  // The same of bytes that no file holds: parts of what is built.
  std::optional<std::string> find(const std::string& key) const;
  void keep_bytes(const std::string& key, std::string_view bytes) const;
  // Remembers that a command under these circumstances (build_record.h), with these inputs, has made the file
  // `path` and printed `message` and how long it took. main() answers by it (repl/shell/repeat_build.h).
  void keep_record(const std::string& circumstances, const std::vector<ir::Input>& inputs,
                   const std::string& path, std::string_view message) const;

 private:
  BuildCache(std::string folder, uint64_t share) : folder_(std::move(folder)), share_(share) {}
  void keep_entry(const std::string& entry, std::string_view head, std::string_view body) const;
  void forget_oldest(const std::string& shelf) const;

  std::string folder_;
  uint64_t share_;  // bytes for each of its 256 folders
};

}  // namespace mlc::backend
