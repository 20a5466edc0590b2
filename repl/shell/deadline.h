// SPDX-License-Identifier: Apache-2.0
// Keeps what runs within a time.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace mlc::repl {

// When the time has passed it asks the script or the compiled code that runs to stop, as Ctrl-C does: a
// KeyboardInterrupt comes out of it, and `passed` tells whose that is.
class Deadline {
 public:
  explicit Deadline(double seconds);
  ~Deadline();
  Deadline(const Deadline&) = delete;

  bool passed();
  double seconds() const { return seconds_; }
  // Throws what asks to stop, be it the deadline or Ctrl-C, between two runs of something that does not look
  // up.
  void check();

 private:
  void watch();

  double seconds_;
  std::mutex lock_;
  std::condition_variable change_;
  bool ended_ = false, passed_ = false;
  std::thread watcher_;
};

}  // namespace mlc::repl
