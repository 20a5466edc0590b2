// SPDX-License-Identifier: Apache-2.0
// A second C++ stack of this thread. `enter` runs on it until it calls `leave` (or ends), `leave` goes back
// to whoever entered last. Nothing may be thrown across a switch.
#pragma once

#include <ucontext.h>

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace mlc::script {

class Fiber {
 public:
  // Makes ready to run `body(argument)` in `size` bytes at `low`. The body must not return: it leaves for
  // good.
  void prepare(char* low, size_t size, void (*body)(void*), void* argument);
  void enter();
  void leave();

 private:
  ucontext_t inside_{}, outside_{};
#ifdef __SANITIZE_ADDRESS__  // it is told of the stacks
 public:
  static inline thread_local Fiber* entered = nullptr;  // last
  void arrive(void* kept) { __sanitizer_finish_switch_fiber(kept, &outside_low_, &outside_size_); }

 private:
  const void* low_ = nullptr;  // the stack inside
  size_t size_ = 0;
  const void* outside_low_ = nullptr;  // that of whoever entered last
  size_t outside_size_ = 0;
  void* kept_inside_ = nullptr;  // frames of AddressSanitizer's own
  void* kept_outside_ = nullptr;
#endif
};

}  // namespace mlc::script
