// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/line_input.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>

#include "frontend/script/core/evaluator.h"
#include "ir/core/inputs.h"

namespace mlc::script {

namespace {
LineInput& own_input() {
  static LineInput input;
  return input;
}
}  // namespace

void set_line_input(LineInput input) { own_input() = std::move(input); }

std::optional<std::string> read_line(Evaluator& evaluator, const std::string& prompt) {
  ir::Inputs::global().beyond();
  if (own_input()) return own_input()(prompt);
  if (!prompt.empty()) evaluator.print(prompt);
  return standard_input().next();
}

LineReader& standard_input() {
  static LineReader own(STDIN_FILENO);
  return own;
}

// `read` goes on behind a signal; `ppoll` does not, and lets no signal slip between looking and waiting.
bool LineReader::wait() const {
  sigset_t interrupt, before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, &before);
  pollfd polled{descriptor_, POLLIN, 0};
  bool interrupted = false;
  while (!(interrupted = Evaluator::is_interrupted()) && ppoll(&polled, 1, nullptr, &before) < 0 &&
         errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !interrupted;
}

std::optional<std::string> LineReader::next() {
  std::cout.flush();
  std::fflush(stdout);
  for (size_t searched = begin_;;) {
    size_t end = read_.find('\n', searched);
    if (end != std::string::npos || (ended_ && begin_ < read_.size())) {
      end = std::min(end, read_.size() - 1) + 1;
      std::string line = read_.substr(begin_, end - begin_);
      begin_ = end;
      return line;
    }
    if (ended_ || !wait()) {
      ended_ = false;  // a terminal may go on behind Ctrl-D
      return std::nullopt;
    }
    read_.erase(0, begin_);
    begin_ = 0;
    searched = read_.size();
    char part[1 << 16];
    ssize_t count = read(descriptor_, part, sizeof part);
    if (count > 0) {
      read_.append(part, static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      ended_ = true;
    }
  }
}

}  // namespace mlc::script
