// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/fiber.h"

#include <cstdint>

namespace mlc::script {

namespace {

void begin(unsigned body_low, unsigned body_high, unsigned low, unsigned high) {
#ifdef __SANITIZE_ADDRESS__
  Fiber::entered->arrive(nullptr);
#endif
  auto join = [](unsigned l, unsigned h) { return static_cast<uintptr_t>(h) << 32 | l; };
  reinterpret_cast<void (*)(void*)>(join(body_low, body_high))(reinterpret_cast<void*>(join(low, high)));
}

}  // namespace

void Fiber::prepare(char* low, size_t size, void (*body)(void*), void* argument) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(low, size);  // a fiber before may have lain there and left from within
  low_ = low;
  size_ = size;
#endif
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = low;
  inside_.uc_stack.ss_size = size;
  inside_.uc_link = nullptr;
  auto b = reinterpret_cast<uintptr_t>(body);
  auto a = reinterpret_cast<uintptr_t>(argument);
  makecontext(&inside_, reinterpret_cast<void (*)()>(&begin), 4, static_cast<unsigned>(b),
              static_cast<unsigned>(b >> 32), static_cast<unsigned>(a), static_cast<unsigned>(a >> 32));
}

void Fiber::enter() {
#ifdef __SANITIZE_ADDRESS__
  entered = this;
  __sanitizer_start_switch_fiber(&kept_outside_, low_, size_);
  swapcontext(&outside_, &inside_);
  __sanitizer_finish_switch_fiber(kept_outside_, nullptr, nullptr);
#else
  swapcontext(&outside_, &inside_);
#endif
}

void Fiber::leave() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&kept_inside_, outside_low_, outside_size_);
  swapcontext(&inside_, &outside_);
  arrive(kept_inside_);
#else
  swapcontext(&inside_, &outside_);
#endif
}

}  // namespace mlc::script
