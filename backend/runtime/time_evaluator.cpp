// SPDX-License-Identifier: Apache-2.0
#include "backend/runtime/time_evaluator.h"
#include "ir/core/inputs.h"
#include "ir/core/interrupt.h"
#include "ir/target/device_api.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace mlc::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void check_options(const TimingOptions& options) {
  auto at_least = [](std::string_view name, int64_t value, int64_t least) {
    if (value < least) throw ir::Error("wrong-value", "`{}` is {}, expected at least {}", name, value, least);
  };
  at_least("number", options.number, 1);
  at_least("repeat", options.repeat, 1);
  at_least("min_repeat_ms", options.min_repeat_ms, 0);
  at_least("cooldown_interval_ms", options.cooldown_interval_ms, 0);
  at_least("repeats_to_cooldown", options.repeats_to_cooldown, 1);
  at_least("cache_flush_bytes", options.cache_flush_bytes, 0);
}

}  // namespace

ir::ffi::Function time_evaluator(ir::ffi::Function fn, const TimingOptions& options) {
  check_options(options);
  return ir::ffi::Function::FromPacked([fn, options](ir::ffi::PackedArgs args, ir::ffi::Any* out) {
    ir::ffi::Any ignored;
    auto call = [&] { fn.CallPacked(args.data(), args.size(), &ignored); };
    // Launches return before the device is done.
    auto finish = [&] {
      DLDevice device = options.device;
      if (device.device_type != kDLCPU) ir::device_api(device).synchronize(device.device_id);
    };
    call();
    finish();
    std::vector<char> sweep(static_cast<size_t>(options.cache_flush_bytes));
    ir::Array<double> results;
    int64_t number = options.number;
    for (int64_t i = 0; i < options.repeat; ++i) {
      ir::heed_interrupt();
      if (options.cooldown_interval_ms > 0 && i > 0 && i % options.repeats_to_cooldown == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(options.cooldown_interval_ms));
      }
      if (options.before) options.before->CallPacked(args.data(), args.size(), &ignored);
      constexpr size_t kCacheLine = 64;
      for (size_t at = 0; at < sweep.size(); at += kCacheLine) const_cast<volatile char&>(sweep[at]) = 1;
      ir::Inputs::global().beyond();
      double elapsed = 0;
      int64_t zero_times = 0;
      do {
        if (elapsed > 0) {  // too short: aim at the wanted duration, and grow by at least the golden ratio
          double per_call = elapsed / static_cast<double>(number);
          double wanted = static_cast<double>(options.min_repeat_ms) * 1e-3 / per_call + 1;
          number = static_cast<int64_t>(std::max(wanted, static_cast<double>(number) * 1.618));
        }
        Clock::time_point begin = Clock::now();
        for (int64_t k = 0; k < number; ++k) call();
        finish();
        elapsed = seconds_since(begin);
      } while (elapsed * 1e3 < static_cast<double>(options.min_repeat_ms) &&
               (elapsed > 0 || ++zero_times < options.limit_zero_time_iterations));
      results.push_back(elapsed / static_cast<double>(number));
    }
    *out = results;
  });
}

}  // namespace mlc::runtime
