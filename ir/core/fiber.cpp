// SPDX-License-Identifier: Apache-2.0
#undef _FORTIFY_SOURCE  // it takes a jump to another stack for a mistake
#include "ir/core/fiber.h"

#include <cstdint>

#ifdef MLC_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace mlc::ir {

void Fiber::begin(unsigned low, unsigned high) {
  reinterpret_cast<Fiber*>(static_cast<uintptr_t>(high) << 32 | low)->run();
}

void Fiber::run() {
#ifdef MLC_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &outside_low_, &outside_size_);
#endif
  for (;;) {
    body_(argument_);
    leave(true);
  }
}

void Fiber::enter() {
#ifdef MLC_ASAN
  __sanitizer_start_switch_fiber(&kept_outside_, low_, size_);
#endif
  if (_setjmp(outside_) == 0) {
    if (begun_) _longjmp(inside_, 1);
    begun_ = true;
    ucontext_t first;
    getcontext(&first);
    first.uc_stack.ss_sp = low_;
    first.uc_stack.ss_size = size_;
    first.uc_link = nullptr;
    auto self = reinterpret_cast<uintptr_t>(this);
    makecontext(&first, reinterpret_cast<void (*)()>(&begin), 2, static_cast<unsigned>(self),
                static_cast<unsigned>(self >> 32));
    setcontext(&first);
  }
#ifdef MLC_ASAN
  __sanitizer_finish_switch_fiber(kept_outside_, nullptr, nullptr);
#endif
}

void Fiber::leave() { leave(false); }

void Fiber::leave([[maybe_unused]] bool ended) {
#ifdef MLC_ASAN
  // Without a place to keep it, ASan frees its shadow stack, some megabytes for each fiber.
  __sanitizer_start_switch_fiber(ended ? nullptr : &kept_inside_, outside_low_, outside_size_);
#endif
  if (_setjmp(inside_) == 0) _longjmp(outside_, 1);
#ifdef MLC_ASAN
  __sanitizer_finish_switch_fiber(ended ? nullptr : kept_inside_, &outside_low_, &outside_size_);
#endif
}

}  // namespace mlc::ir
