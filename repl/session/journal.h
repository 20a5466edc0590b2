// SPDX-License-Identifier: Apache-2.0
// The inputs of a session on disk as they are made, so that one that was cut off can be taken up again.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl {

// A folder holds one file per session that runs, locked as long as it does: a file without a lock is what a session
// that was killed has left. One JSON string a line.
class Journal {
 public:
  // "" keeps no journal, as does a folder that cannot be written.
  explicit Journal(std::string folder);
  // The session has come to its end: its file goes.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void add(std::string_view input);

  struct CutOff {
    std::string path;
    std::time_t last = 0;  // when its last input was written
    std::vector<std::string> inputs;
  };
  // The newest session that was cut off.
  std::optional<CutOff> cut_off() const;
  // It is taken up, or not wanted.
  static void forget(const CutOff& session);

 private:
  std::string folder_, path_;
  int descriptor_ = -1;
};

}  // namespace mlc::repl
