// SPDX-License-Identifier: Apache-2.0
// What is known of the compiled code that a signal came from.
#pragma once

#include <optional>

#include "ir/core/error.h"

namespace mlc::backend {

// True when a fault (the third argument of a sigaction handler says where) happened in code that this
// process has compiled, or in the function that such code had called: memcpy, a function of libm. Safe in
// every handler.
bool in_compiled_code(const void* context);
// True when the signal came inside of that code itself: in no function of anybody else, which may hold a lock.
bool in_code_itself(const void* context);
// True once this process has loaded code that it compiled: a crash elsewhere may then be the doing of that
// code.
bool has_compiled_code();
// What there is to report of it, with the line of the program. Uses the heap; the handler may call it when
// in_compiled_code() holds, as compiled code holds no lock of the library that this would wait for.
ir::Error fault(int signal, const void* context);

}  // namespace mlc::backend
