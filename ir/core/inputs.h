// SPDX-License-Identifier: Apache-2.0
// What a run of a program depends on besides its own text, so that a later run can tell whether it would find
// the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace mlc::ir {

// One file that the run has looked for.
struct Input {
  std::string path;     // absolute
  char kind = 'a';      // kind_of_file(), or 'r': a file that was read, 'd': one that is known by a digest
  std::string content;  // of what was read, or its digest
};

// A file that was opened, as it was then.
struct OpenedFile {
  std::string path;  // absolute
  int64_t size = 0;
  int64_t changed = 0;  // nanoseconds since 1970
  bool operator==(const OpenedFile&) const = default;
};
OpenedFile as_it_is(const std::string& path);

// Of this thread: its importers look for files, and whatever a program can learn from outside says
// so.
class Inputs {
 public:
  static Inputs& global();

  // From now on what is looked for and read is kept.
  void keep() { kept_ = true; }
  // Looks what is at `path`: kind_of_file().
  char look(const std::string& path);
  void read(const std::string& path, const std::string& content);
  // Opened by the program for reading, which no later run compares: see beyond().
  void opened(const std::string& path);
  // It has asked for, or done, something that no later run can compare: the clock, a random number, a file
  // opened.
  void beyond() { beyond_.store(true, std::memory_order_relaxed); }

  // Has the run read this file, by whatever name? What is written there would be written over it.
  bool has_read(const std::string& path) const;

  bool can_be_told() const { return !beyond_.load(std::memory_order_relaxed); }
  const std::vector<Input>& all() const { return all_; }
  const std::vector<OpenedFile>& opened_files() const { return opened_; }

 private:
  std::vector<Input> all_;
  std::vector<OpenedFile> opened_;
  bool kept_ = false;
  std::atomic<bool> beyond_ = false;
};

}  // namespace mlc::ir
