// SPDX-License-Identifier: Apache-2.0
// What anybody in this process writes to its standard output and error: the script, compiled code, C's
// printf, programs that it runs.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace mlc::repl::jupyter {

class Capture {
 public:
  // `sink` gets "stdout" or "stderr" and a text of whole characters, soon after it was written; one call at a
  // time.
  explicit Capture(std::function<void(const char* stream, std::string text)> sink);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Does one live in this process?
  static bool is_active();

  // Everything that was written before is with the sink when this returns.
  void flush();
  // Writes to what the standard error of the process was.
  void log(const std::string& text) const;

 private:
  struct Stream {
    const char* name;
    int descriptor;  // 1 or 2
    int saved = -1;  // what it was
    int read_end = -1;
    std::string tail = {};  // the beginning of a character
  };
  void drain();
  void watch();

  std::function<void(const char*, std::string)> sink_;
  Stream streams_[2] = {{"stdout", 1}, {"stderr", 2}};
  int stop_ = -1;
  std::mutex mutex_;
  std::thread thread_;
};

}  // namespace mlc::repl::jupyter
