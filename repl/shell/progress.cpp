// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "ir/core/work.h"
#include "repl/shell/signals_blocked.h"

namespace mlc::repl {

namespace {

constexpr std::chrono::seconds kSilence{1};

void put(std::string_view text) {
  while (!text.empty()) {
    ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress() : watched_(isatty(STDERR_FILENO) != 0), since_(Clock::now()) {}

Progress::~Progress() {
  clear();
  if (!watcher_.joinable()) return;
  {
    std::lock_guard guard(lock_);
    ended_ = true;
  }
  change_.notify_one();
  watcher_.join();
}

void Progress::at(std::string what) {
  if (!watched_) return;
  std::lock_guard guard(lock_);
  if (what == what_) return;
  bool silent = what_.empty();
  what_ = std::move(what);
  ir::note_work("");
  if (silent) since_ = Clock::now();
  if (watcher_.joinable()) return;
  SignalsBlocked blocked;  // Ctrl-C is for the thread that works
  watcher_ = std::thread(&Progress::watch, this);
}

void Progress::clear() {
  if (!watched_) return;
  std::lock_guard guard(lock_);
  erase();
  what_.clear();
}

void Progress::erase() {
  if (shown_) put("\r\x1b[K");
  shown_ = false;
}

void Progress::watch() {
  std::unique_lock guard(lock_);
  while (!ended_) {
    change_.wait_for(guard, std::chrono::milliseconds(200));
    auto silent = Clock::now() - since_;
    if (ended_ || what_.empty() || silent < kSilence) continue;
    std::string part = ir::noted_work();
    bool said = part.empty() || what_.ends_with(part);
    std::string line =
        fmt::format("{} s  {}{}{}", std::chrono::duration_cast<std::chrono::seconds>(silent).count(), what_,
                    said ? "" : ": ", said ? "" : part);
    line.resize(std::min(line.size(), columns() - 1));
    while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80) != 0)
      line.pop_back();  // half a letter
    put("\r\x1b[K" + line);
    shown_ = true;
  }
}

}  // namespace mlc::repl
