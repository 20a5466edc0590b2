// SPDX-License-Identifier: Apache-2.0
// How long functions take: compiled for this machine as they stand, and run in turn, so that what disturbs
// the machine meanwhile disturbs all of them. How it is done and why: docs/measure.md.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/module.h"
#include "ir/registry/host.h"
#include "repl/measure/statistics.h"

namespace mlc::repl {

// What is faster or slower by less is called the same: where code and stack happen to lie makes as much
// (Mytkowicz, Diwan, Hauswirth and Sweeney, Producing wrong data without doing anything obviously wrong,
// ASPLOS 2009).
inline constexpr double kLeastDifference = 0.01;

// A function as it stands in a module, and what its user calls that: "sch", "tiled".
struct Runnable {
  std::string name;
  ir::IRModule mod;
  std::string function;
  ir::PrimFunc fn;
};

using Sizes = std::map<std::string, int64_t>;
// The names of integers that a function takes and that say how much it does: symbolic dimensions and
// parameters.
std::set<std::string> sizes_of(const ir::PrimFunc& fn);

struct MeasureOptions {
  Sizes sizes;  // of symbolic dimensions and integer parameters, by name
  double seconds =
      1;  // of measuring for each function; six rounds are run all the same, up to four times as long
  std::function<void(std::string_view what)> progress = {};  // told what is at work
};

// Seconds per call, one number for each round.
struct Times {
  std::vector<double> samples;
  int64_t calls = 1;  // that one of them is the mean of
};
struct Measured {
  Runnable of;
  std::string arguments;  // "float32[128, 128], ..."
  double bytes = 0;       // of its buffers, each counted once
  // Operations on floats of the function that does least of those it is compared with; 0: none, or not known.
  double flops = 0;
  double least_seconds =
      0;  // that this machine needs for it as it is scheduled, by its roofline with warm caches; 0: not known
  std::string bound;  // what would then keep it from being faster: "compute", "L2", "memory"
  Times warm;         // after a call with the same buffers
  Times cold;         // with no line of the buffers in any cache; empty where that cannot be had, or makes no
                      // difference
  bool fresh = true;  // buffers in each round
  std::string differs;  // from what the first one computes; "" where it does not, or that was not found out
};

// Measures the functions in turn. They take the same arguments. CallError for one that cannot be run, by its
// name.
std::vector<Measured> measure(const std::vector<Runnable>& functions, const MeasureOptions& options,
                              ir::Host& host);

// How many times as long `b` takes as `a`, where each round has run both.
Estimate ratio_in_pairs(const Times& a, const Times& b, double confidence);
// The same of times that were measured apart.
Estimate ratio_apart(const std::vector<double>& a, const std::vector<double>& b, double confidence);

enum class Comparison : uint8_t { kUnknown, kSame, kFaster, kSlower, kUndecided };
// Unknown: too few rounds for an interval. Slower and faster: all of it lies beyond `least`. Same: all of it
// lies within. Undecided: neither, so that more rounds may tell.
Comparison compare(const Estimate& ratio, double least);

}  // namespace mlc::repl
