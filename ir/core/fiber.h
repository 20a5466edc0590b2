// SPDX-License-Identifier: Apache-2.0
// A second C++ stack of this thread, for one body after another. `start` and `enter` run on it until the body
// calls `leave` or returns; `leave` goes back to whoever entered last. Nothing may be thrown across a switch.
//
// swapcontext() saves the signal mask with a system call, at each switch: setcontext() only begins the stack,
// and setjmp/longjmp go between the two.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>

#include "ir/core/sanitizers.h"

namespace mlc::ir {

class Fiber {
 public:
  // In `size` bytes at `low`.
  Fiber(char* low, size_t size) : low_(low), size_(size) {}
  Fiber(const Fiber&) = delete;
  void start(void (*body)(void*), void* argument) {
    body_ = body;
    argument_ = argument;
    enter();
  }
  void enter();
  void leave();
  char* low() const { return low_; }

 private:
  [[noreturn]] void run();
  void leave(bool ended);
  static void begin(unsigned low, unsigned high);

  char* low_;
  size_t size_;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool begun_ = false;
  jmp_buf inside_{}, outside_{};
#ifdef MLC_ASAN                        // it is told of the stacks
  const void* outside_low_ = nullptr;  // that of whoever entered last
  size_t outside_size_ = 0;
  void* kept_inside_ = nullptr;  // frames of AddressSanitizer's own
  void* kept_outside_ = nullptr;
#endif
};

}  // namespace mlc::ir
