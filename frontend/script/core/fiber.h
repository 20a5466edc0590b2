// SPDX-License-Identifier: Apache-2.0
// A second C++ stack of this thread. `enter` runs on it until it calls `leave` (or ends), `leave` goes back
// to whoever entered last. Nothing may be thrown across a switch.
#pragma once

#include <cstddef>

// AddressSanitizer is told of the stacks it goes to; elsewhere a switch is a dozen instructions.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define MLC_FIBER_SWITCH 1
#else
#include <ucontext.h>
#endif
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
#ifdef MLC_FIBER_SWITCH
  void* inside_ = nullptr;  // stack pointers of what does not run; the other registers lie there
  void* outside_ = nullptr;
#else
  ucontext_t inside_{}, outside_{};
#endif
#ifdef __SANITIZE_ADDRESS__
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

#ifdef MLC_FIBER_SWITCH
// Saves the registers that calls keep, changes the stack, takes the registers found there.
extern "C" void mlc_fiber_switch(void** save, void* load);
inline void Fiber::enter() { mlc_fiber_switch(&outside_, inside_); }
inline void Fiber::leave() { mlc_fiber_switch(&inside_, outside_); }
#elif defined(__SANITIZE_ADDRESS__)
inline void Fiber::enter() {
  entered = this;
  __sanitizer_start_switch_fiber(&kept_outside_, low_, size_);
  swapcontext(&outside_, &inside_);
  __sanitizer_finish_switch_fiber(kept_outside_, nullptr, nullptr);
}
inline void Fiber::leave() {
  __sanitizer_start_switch_fiber(&kept_inside_, outside_low_, outside_size_);
  swapcontext(&inside_, &outside_);
  arrive(kept_inside_);
}
#else
inline void Fiber::enter() { swapcontext(&outside_, &inside_); }
inline void Fiber::leave() { swapcontext(&inside_, &outside_); }
#endif

}  // namespace mlc::script
