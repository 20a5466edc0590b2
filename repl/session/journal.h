// SPDX-License-Identifier: Apache-2.0
// The inputs of a session on disk as they are typed, so that one that was cut off can be taken up again.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl {

// A folder holds one file per session that runs, locked as long as it does: a file without a lock is what a session
// that was killed has left. A JSON string a line for each input before it runs, `true` when it has ended.
class Journal {
 public:
  // "" keeps no journal, as does a folder that cannot be written.
  explicit Journal(std::string folder);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // The session has come to its regular end: its file goes.
  void finish();

  // While one lives an input runs.
  class Entry {
   public:
    // Null: nothing is written.
    Entry(Journal* journal, std::string_view input);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    Journal* journal_;
  };

  struct CutOff {
    std::string path;
    std::time_t last = 0;  // when its last input was written
    std::vector<std::string> inputs;
    std::string unfinished;  // the input that ran when the session was cut off; "" where none did
  };
  // The newest session that was cut off.
  std::optional<CutOff> cut_off() const;
  // It is taken up, or not wanted.
  static void forget(const CutOff& session);

 private:
  void write_line(std::string line);

  std::string folder_, path_;
  int descriptor_ = -1;
};

}  // namespace mlc::repl
