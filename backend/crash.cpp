// SPDX-License-Identifier: Apache-2.0
#include "backend/crash.h"

#include <ucontext.h>

#include <csignal>

#include "backend/llvm/code.h"
#include "ir/core/refusal.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "illegal-instruction",
         .message = "{} has an instruction that this machine does not know",
         .help = "compile it for `llvm`, which is the machine that mlc runs on"},
        {.name = "invalid-memory-access",
         .message = "{} reads or writes memory that is not there",
         .help = "an index is outside of its buffer, or a pointer leads nowhere; `mlc run --check-bounds` "
                 "stops at the first such index and names it"},
    }};
MLC_REFUSALS(backend_crash, refusals);

namespace {

using ir::Error;

uintptr_t instruction_of(const void* context) {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
  return 0;
#endif
}

// The instruction of compiled code that a fault belongs to; 0 when it is none of its own.
uintptr_t faulting(const void* context) {
  uintptr_t at = instruction_of(context);
  if (llvm_backend::is_loaded(at)) return at;
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  // memcpy and its like keep no frame: their return address is on top of the stack.
  uintptr_t caller = *reinterpret_cast<const uintptr_t*>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  uintptr_t caller = machine.regs[30];
#else
  uintptr_t caller = 0;
#endif
  return caller != 0 && llvm_backend::is_loaded(caller - 1) ? caller - 1 : 0;
}

}  // namespace

bool has_compiled_code() { return llvm_backend::has_loaded(); }
bool in_compiled_code(const void* context) { return faulting(context) != 0; }
bool in_code_itself(const void* context) { return llvm_backend::is_loaded(instruction_of(context)); }

Error fault(int signal, const void* context) {
  auto place = llvm_backend::place_of(faulting(context));
  std::string who = place && !place->function.empty() ? "`" + place->function + "`" : "compiled code";
  ir::Span where = place ? place->span : ir::Span{};
  switch (signal) {
    case SIGFPE:
      return Error("division-by-zero", "{} divides an integer by zero", who).at(where);
    case SIGILL:
      return ir::refuse(refusals["illegal-instruction"], who).at(where);
    default:
      return ir::refuse(refusals["invalid-memory-access"], who).at(where);
  }
}

}  // namespace mlc::backend
