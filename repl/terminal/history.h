// SPDX-License-Identifier: Apache-2.0
// The inputs of all sessions, whole blocks, in a file that each writes as it goes and reads as the others write.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl {

// $XDG_STATE_HOME/mlc/history.jsonl (~/.local/state by default); "" where there is no home.
std::string history_path();

// One JSON string a line, oldest first. A line that is none is passed over: what was cut off by a full disk harms no
// other. Where the file cannot be written the inputs of this session are kept alone.
class History {
 public:
  explicit History(std::string path);

  // Appends; not what is blank, begins with a blank, or was the last input already.
  void add(std::string_view input);
  // Reads what has been added since, by other sessions as well.
  void refresh();

  size_t size() const { return inputs_.size(); }
  const std::string& at(size_t i) const { return inputs_[i]; }
  // The nearest input before `from` (after it) that begins with `prefix` and is not `but`.
  std::optional<size_t> older(size_t from, std::string_view prefix, std::string_view but) const;
  std::optional<size_t> newer(size_t from, std::string_view prefix, std::string_view but) const;
  // The nearest input before `from` (after it) that contains `text`.
  std::optional<size_t> search(size_t from, std::string_view text) const;
  std::optional<size_t> search_newer(size_t from, std::string_view text) const;

 private:
  bool append(const std::string& line);
  void shorten();

  std::string path_;
  std::vector<std::string> inputs_;
  size_t read_to_ = 0;  // bytes of the file that are in `inputs_`
  ino_t file_ = 0;      // of which file: another session may have shortened it
};

}  // namespace mlc::repl
