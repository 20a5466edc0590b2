// SPDX-License-Identifier: Apache-2.0
// Ends compiled code that runs. Such code has no destructors and holds no lock: a thread that a signal finds inside
// of it can leave it for where it was called. What it has written stays, and work memory that it had allocated is
// not given back.
#pragma once

#include <tvm/ffi/c_api.h>

#include "ir/core/object.h"

namespace mlc::runtime {

// What a handler asks of who has installed it.
struct InterruptHost {
  bool (*is_code)(const void* context);  // was compiled code interrupted, and no function that it has called?
  void (*ask)();       // asks the program to stop
  bool (*is_asked)();  // and it has not stopped yet
  void (*heeded)();    // it has
};
// From now on SIGINT stops compiled code within some milliseconds, on all threads of the pool, and asks the program
// where none runs.
void install_interrupt(const InterruptHost& host);

// Calls an entry of compiled code. True when it was interrupted; else `status` is what it has returned.
bool call_interruptibly(TVMFFISafeCallType entry, const TVMFFIAny* args, int32_t count, TVMFFIAny* result, int& status);

}  // namespace mlc::runtime
