// SPDX-License-Identifier: Apache-2.0
// A second C++ stack of this thread. `enter` runs on it until it calls `leave` (or ends), `leave` goes back
// to whoever entered last. Nothing may be thrown across a switch.
#pragma once

#include <cstddef>

// AddressSanitizer knows the switches of ucontext; elsewhere a switch is a dozen instructions.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define MLC_FIBER_SWITCH 1
#else
#include <ucontext.h>
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
};

#ifdef MLC_FIBER_SWITCH
// Saves the registers that calls keep, changes the stack, takes the registers found there.
extern "C" void mlc_fiber_switch(void** save, void* load);
inline void Fiber::enter() { mlc_fiber_switch(&outside_, inside_); }
inline void Fiber::leave() { mlc_fiber_switch(&inside_, outside_); }
#else
inline void Fiber::enter() { swapcontext(&outside_, &inside_); }
inline void Fiber::leave() { swapcontext(&inside_, &outside_); }
#endif

}  // namespace mlc::script
