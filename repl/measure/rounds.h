// SPDX-License-Identifier: Apache-2.0
// Functions timed in rounds, each of which runs all of them in turn.
#pragma once

#include <tvm/ffi/function.h>

#include <functional>
#include <optional>
#include <vector>

#include "ir/core/object.h"
#include "repl/measure/measure.h"

namespace mlc::repl {

inline constexpr size_t kLeastRounds = 6;  // of an interval of 95 %
inline constexpr size_t kMostRounds = 100;
inline constexpr double kOverdraft = 4;  // times the budget, for the least rounds

// A compiled function with its arguments.
class Contestant {
 public:
  // `fresh`: each round has copies of the arguments. Not for what leaves its arguments alone, such as a graph
  // with all its weights; that is measured warm only.
  Contestant(ir::ffi::Function code, std::vector<ir::Any> arguments, bool fresh = true)
      : code_(std::move(code)), arguments_(std::move(arguments)), fresh_(fresh) {}

  std::vector<ir::Any> results() const;  // what a call leaves in fresh buffers
  double once() const;
  // Seconds of so many calls, after one that is not counted.
  double warm(int64_t calls) const;
  // Seconds of one call with nothing of its buffers in a cache; nothing where that cannot be had.
  std::optional<double> cold() const;

 private:
  double call(const std::vector<ir::Any>& args, int64_t calls) const;
  std::vector<ir::Any> own() const;

  ir::ffi::Function code_;
  std::vector<ir::Any> arguments_;
  bool fresh_;
};

struct Sampled {
  Times warm, cold;
};
// `seconds` for each; `before_round` is told the number of the round, from 1 on.
std::vector<Sampled> sample_in_turn(const std::vector<Contestant>& contestants, double seconds,
                                    const std::function<void(size_t round)>& before_round);

// "float32[128, 128], int32[4], 7".
std::string text_of_arguments(const std::vector<ir::Any>& args);
double bytes_of(const std::vector<ir::Any>& args);

}  // namespace mlc::repl
