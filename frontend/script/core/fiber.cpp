// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/fiber.h"

#include <cstdint>

#ifdef MLC_FIBER_SWITCH

// The System V ABI keeps rbx, rbp and r12 to r15 over calls, and the control words, which nobody here
// changes. A new stack begins in `mlc_fiber_begin` with the body in r13 and its argument in r12; an undefined
// return address ends the chain of frames there for debuggers and unwinders.
asm(R"(
.pushsection .text
.globl mlc_fiber_switch
.hidden mlc_fiber_switch
.type mlc_fiber_switch, @function
.balign 16
mlc_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size mlc_fiber_switch, .-mlc_fiber_switch
.globl mlc_fiber_begin
.hidden mlc_fiber_begin
.type mlc_fiber_begin, @function
.balign 16
mlc_fiber_begin:
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  call *%r13
  ud2
  .cfi_endproc
.size mlc_fiber_begin, .-mlc_fiber_begin
.popsection
)");

extern "C" void mlc_fiber_begin();

namespace mlc::script {

void Fiber::prepare(char* low, size_t size, void (*body)(void*), void* argument) {
  auto high = (reinterpret_cast<uintptr_t>(low) + size) & ~uintptr_t{15};
  auto* words = reinterpret_cast<uintptr_t*>(high) - 7;
  words[0] = 0;                                      // r15
  words[1] = 0;                                      // r14
  words[2] = reinterpret_cast<uintptr_t>(body);      // r13
  words[3] = reinterpret_cast<uintptr_t>(argument);  // r12
  words[4] = 0;                                      // rbx
  words[5] = 0;                                      // rbp
  words[6] = reinterpret_cast<uintptr_t>(&mlc_fiber_begin);
  inside_ = words;
}

}  // namespace mlc::script

#else

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

}  // namespace mlc::script

#endif
