// SPDX-License-Identifier: Apache-2.0
// Linux perf and the code that this process compiles and runs.
#pragma once

#include <cstdint>

namespace mlc::backend {

// What perf learns of the code that is loaded from now on.
enum class Perf : uint8_t {
  kNothing,
  kMap,      // the names of functions, in /tmp/perf-PID.map
  kJitdump,  // code and lines, in jit-PID.dump of the current folder
};
void tell_perf(Perf what);

}  // namespace mlc::backend
