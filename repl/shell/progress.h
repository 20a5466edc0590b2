// SPDX-License-Identifier: Apache-2.0
// What is at work, on a terminal that would otherwise stay empty.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace mlc::repl {

// After a second in which it was not cleared, standard error shows what was said last, and how long it has
// been so; one line, which is gone when there is something else to show. Where nobody watches it does
// nothing.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;

  void at(std::string what);  // this is at work now
  void clear();               // before something is printed, and when it is done

 private:
  using Clock = std::chrono::steady_clock;
  void watch();
  void erase();  // with the lock held

  bool watched_;
  std::mutex lock_;
  std::condition_variable change_;
  std::string what_;
  Clock::time_point since_;
  bool shown_ = false, ended_ = false;
  std::thread watcher_;
};

}  // namespace mlc::repl
