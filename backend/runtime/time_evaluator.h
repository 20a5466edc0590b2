// SPDX-License-Identifier: Apache-2.0
// Timing of functions, with TVM's protocol: one call to warm up, then `repeat` measurements of `number` calls
// each.
#pragma once

#include <tvm/ffi/function.h>

#include <optional>

#include "ir/core/object.h"

namespace mlc::runtime {

namespace ffi = ir::ffi;

struct TimingOptions {
  int64_t number = 10;
  int64_t repeat = 1;
  int64_t min_repeat_ms = 0;  // raise `number` until one measurement takes this long
  int64_t limit_zero_time_iterations = 100;
  int64_t cooldown_interval_ms = 0;  // pause after every `repeats_to_cooldown` measurements
  int64_t repeats_to_cooldown = 1;
  int64_t cache_flush_bytes = 0;                       // memory to sweep through before each measurement
  std::optional<ffi::Function> before = std::nullopt;  // called with the arguments before each measurement
  DLDevice device{kDLCPU, 0};                          // where the function runs: it is waited for
};

// A function of the same arguments that calls `fn` and returns seconds per call, one number per repeat.
ir::ffi::Function time_evaluator(ir::ffi::Function fn, const TimingOptions& options);

}  // namespace mlc::runtime
