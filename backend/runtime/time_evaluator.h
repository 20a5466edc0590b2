// SPDX-License-Identifier: Apache-2.0
// Timing of functions, with TVM's protocol: one call to warm up, then `repeat` measurements of `number` calls
// each.
#pragma once

#include <tvm/ffi/function.h>

#include <optional>

#include "ir/core/object.h"

namespace mlc::runtime {

namespace ffi = ir::ffi;

// Seconds per call, one result per repeat.
struct BenchmarkResultNode final : ir::ffi::Object {
  ir::Array<double> results;
  double mean = 0;
  double median = 0;
  double min = 0;
  double max = 0;
  double std = 0;

  explicit BenchmarkResultNode(ir::Array<double> results);  // at least one
  template <class F>
  static void fields(F& f) {
    f("results", &BenchmarkResultNode::results);
    f("mean", &BenchmarkResultNode::mean);
    f("median", &BenchmarkResultNode::median);
    f("min", &BenchmarkResultNode::min);
    f("max", &BenchmarkResultNode::max);
    f("std", &BenchmarkResultNode::std);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.runtime.BenchmarkResult", BenchmarkResultNode, ir::ffi::Object);
};
using BenchmarkResult = ir::Ref<BenchmarkResultNode>;
std::string benchmark_table(const BenchmarkResult& result);  // what print() shows: milliseconds
std::string benchmark_repr(const BenchmarkResult& result);

struct TimingOptions {
  int64_t number = 10;
  int64_t repeat = 1;
  int64_t min_repeat_ms = 0;  // raise `number` until one measurement takes this long
  int64_t limit_zero_time_iterations = 100;
  int64_t cooldown_interval_ms = 0;  // pause after every `repeats_to_cooldown` measurements
  int64_t repeats_to_cooldown = 1;
  int64_t cache_flush_bytes = 0;                       // memory to sweep through before each measurement
  std::optional<ffi::Function> before = std::nullopt;  // called with the arguments before each measurement
};

// A function of the same arguments that calls `fn` and returns a BenchmarkResult.
ir::ffi::Function time_evaluator(ir::ffi::Function fn, const TimingOptions& options);

}  // namespace mlc::runtime
