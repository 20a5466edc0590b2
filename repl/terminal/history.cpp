// SPDX-License-Identifier: Apache-2.0
#include "repl/terminal/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

constexpr size_t kKept = 10000;

std::string line_of(std::string_view input) {
  // Bytes that are no UTF-8 become the sign for them.
  return nlohmann::json(input).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// An open file under its lock, as long as this lives; descriptor -1 where that cannot be had.
struct LockedFile {
  int descriptor;
  explicit LockedFile(const std::string& path)
      : descriptor(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600)) {
    struct stat opened {
    }, named{};
    // The name may belong to a shorter file by now.
    while (descriptor >= 0 && (flock(descriptor, LOCK_EX) != 0 || fstat(descriptor, &opened) != 0 ||
                               stat(path.c_str(), &named) != 0 || opened.st_ino != named.st_ino)) {
      int again = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
      close(descriptor);
      descriptor = again;
    }
  }
  ~LockedFile() {
    if (descriptor >= 0) close(descriptor);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
};

}  // namespace

std::string history_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (state != nullptr && *state != '\0') {
    folder = state;
  } else if (home != nullptr && *home != '\0') {
    folder = fs::path(home) / ".local" / "state";
  } else {
    return "";
  }
  folder /= "mlc";
  std::error_code ignored;  // who writes there finds out
  fs::create_directories(folder, ignored);
  return (folder / "history.jsonl").string();
}

History::History(std::string path) : path_(std::move(path)) {
  refresh();
  if (inputs_.size() > 2 * kKept) shorten();
}

void History::refresh() {
  if (path_.empty()) return;
  struct stat now {};
  if (stat(path_.c_str(), &now) != 0) return;
  auto size = static_cast<size_t>(now.st_size);
  if (now.st_ino != file_ || size < read_to_) {
    inputs_.clear();
    read_to_ = 0;
    file_ = now.st_ino;
  }
  if (size == read_to_) return;
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(read_to_));
  std::string text(size - read_to_, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  for (size_t begin = 0;;) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) return;  // another session is writing
    auto line = nlohmann::json::parse(text.begin() + static_cast<ptrdiff_t>(begin),
                                      text.begin() + static_cast<ptrdiff_t>(end), nullptr, false);
    if (line.is_string()) inputs_.push_back(line.get<std::string>());
    read_to_ += end + 1 - begin;
    begin = end + 1;
  }
}

bool History::append(const std::string& line) {
  if (path_.empty()) return false;
  LockedFile file(path_);
  if (file.descriptor < 0) return false;
  off_t end = lseek(file.descriptor, 0, SEEK_END);
  if (write(file.descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return true;
  // Half a line would spoil the next one.
  if (end >= 0) [[maybe_unused]]
    int cut = ftruncate(file.descriptor, end);
  return false;
}

void History::add(std::string_view input) {
  while (!input.empty() && (input.back() == '\n' || input.back() == ' ')) input.remove_suffix(1);
  if (input.empty() || input[0] == ' ') return;
  refresh();
  if (!inputs_.empty() && inputs_.back() == input) return;
  if (append(line_of(input))) {
    refresh();
  } else {
    inputs_.emplace_back(input);
  }
}

// The newest inputs alone, written beside the file and put in its place.
void History::shorten() {
  LockedFile file(path_);
  if (file.descriptor < 0) return;
  refresh();
  std::string text;
  for (size_t i = inputs_.size() - std::min(inputs_.size(), kKept); i < inputs_.size(); ++i)
    text += line_of(inputs_[i]);
  std::string beside = path_ + ".new";
  int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  bool written = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  written = close(descriptor) == 0 && written;
  if (!written || std::rename(beside.c_str(), path_.c_str()) != 0) {
    unlink(beside.c_str());
    return;
  }
  refresh();
}

std::optional<size_t> History::older(size_t from, std::string_view prefix, std::string_view but) const {
  for (size_t i = std::min(from, inputs_.size()); i > 0; --i)
    if (inputs_[i - 1].starts_with(prefix) && inputs_[i - 1] != but) return i - 1;
  return std::nullopt;
}

std::optional<size_t> History::newer(size_t from, std::string_view prefix, std::string_view but) const {
  for (size_t i = from + 1; i < inputs_.size(); ++i)
    if (inputs_[i].starts_with(prefix) && inputs_[i] != but) return i;
  return std::nullopt;
}

std::optional<size_t> History::search(size_t from, std::string_view text) const {
  for (size_t i = std::min(from, inputs_.size()); i > 0; --i)
    if (inputs_[i - 1].find(text) != std::string::npos) return i - 1;
  return std::nullopt;
}

std::optional<size_t> History::search_newer(size_t from, std::string_view text) const {
  for (size_t i = from + 1; i < inputs_.size(); ++i)
    if (inputs_[i].find(text) != std::string::npos) return i;
  return std::nullopt;
}

}  // namespace mlc::repl
