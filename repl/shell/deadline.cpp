// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/deadline.h"

#include <unistd.h>

#include <chrono>
#include <csignal>

#include "frontend/script/core/evaluator.h"
#include "ir/core/refusal.h"
#include "repl/shell/signals_blocked.h"

namespace mlc::repl {

static constexpr ir::Refusals refusals{
    "KeyboardInterrupt",
    {
        {.name = "run-interrupted",
         .message = "interrupted",
         .meaning = "Ctrl-C has ended a comparison of two programs. What it had not "
                    "compared by then is not known."},
    }};
MLC_REFUSALS(shell_deadline, refusals);

namespace {

// Does somebody listen to Ctrl-C, so that it ends what runs and not the process?
bool interrupts_are_caught() {
  struct sigaction action {};
  return sigaction(SIGINT, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) != 0;
}

}  // namespace

Deadline::Deadline(double seconds) : seconds_(seconds) {
  SignalsBlocked blocked;
  watcher_ = std::thread([this] { watch(); });
}

Deadline::~Deadline() {
  {
    std::lock_guard held(lock_);
    ended_ = true;
  }
  change_.notify_one();
  watcher_.join();
  if (passed_) script::Evaluator::clear_interrupt();  // it may have asked when all was done
}

bool Deadline::passed() {
  std::lock_guard held(lock_);
  return passed_;
}

void Deadline::check() {
  if (!script::Evaluator::is_interrupted()) return;
  script::Evaluator::clear_interrupt();
  throw ir::refuse(refusals["run-interrupted"]);
}

void Deadline::watch() {
  std::unique_lock held(lock_);
  if (change_.wait_for(held, std::chrono::duration<double>(seconds_), [this] { return ended_; })) return;
  passed_ = true;
  if (interrupts_are_caught()) {
    kill(getpid(), SIGINT);
  } else {
    script::Evaluator::interrupt();
  }
}

}  // namespace mlc::repl
