// SPDX-License-Identifier: Apache-2.0
// What a function computes and moves, counted on its loop nest without running it: operations, accesses of
// each buffer, and the bytes that come from each level of memory.
//
// Traffic is that of caches with LRU replacement and any line in any place (a stack distance model at the
// granularity of loops): what one iteration of a loop touches is still there in the next one where it fits,
// so a loop brings each line once where one iteration of it fits, and once per iteration where not. Sizes are
// exact for boxes of affine indices, an upper bound where conditions leave iterations out or two accesses of
// a buffer overlap in part.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/core/module.h"

namespace mlc::transform {

// What registers are taken to hold of a loop: sixteen vectors of 256 bits.
inline constexpr int64_t kRegisterBytes = 512;

// A memory that what is above it (registers at first) gets its data from. In order, the first cache first,
// memory last.
struct MemoryLevel {
  std::string name;      // "L1"
  int64_t capacity = 0;  // bytes that it keeps for one core; the last level, memory, has no bound: 0
  int64_t line = 64;     // bytes that travel together
  bool shared = false;   // by all cores: `capacity` is what it keeps for them together
};

struct BufferCost {
  ir::Buffer buffer;
  std::string name, scope;
  double loads = 0, stores = 0;  // bytes, as the program says
  double touched = 0;            // bytes of different elements
  double size = 0;               // of the whole buffer
  std::vector<double> traffic;   // bytes from and to each level, in order of the levels given
  double reuse() const { return touched > 0 ? (loads + stores) / touched : 0; }
};

struct FunctionCost {
  std::string function;
  double flops = 0;       // floating additions, products, quotients, minima and maxima; by lane
  double special = 0;     // exp, sqrt, ...: calls of functions of floats
  double integer = 0;     // operations on integers that are data, not indices
  double accessed = 0;    // bytes loaded and stored, as the program says
  double touched = 0;     // bytes of different elements
  double footprint = 0;   // bytes of the lines of the first cache that these lie in
  int flop_bits = 0;      // the widest float that it computes with; 0: none
  bool parallel = false;  // has a parallel loop
  std::vector<BufferCost> buffers;
  std::vector<double> traffic;           // bytes from and to each level
  std::vector<std::string> symbols;      // of the values that were given, those that an extent depends on
  std::vector<std::string> assumptions;  // why numbers are a bound and not exact, one sentence each

  // Operations per byte that the last level gives.
  double intensity() const { return traffic.empty() || traffic.back() == 0 ? 0 : flops / traffic.back(); }
};

// `values`: of the symbols of shapes. Errors: symbolic-extent (a loop's or buffer's extent is no number with
// them).
FunctionCost cost_of(const std::string& name, const ir::PrimFunc& fn, const std::vector<MemoryLevel>& levels,
                     const std::vector<std::pair<std::string, int64_t>>& values = {});

// What a machine can do; 0 where it is not known.
struct Machine {
  std::string name;                 // "this machine, one core"
  double flops32 = 0, flops64 = 0;  // per second
  std::vector<MemoryLevel> levels;  // from the first cache out; the last is memory
  std::vector<double> bandwidth;    // of each level, bytes per second
  int cores = 1;                    // that work on one function
};

// What bounds the function on a machine, by its roofline: the part that takes longest while all others
// overlap with it.
struct Bound {
  std::string what;       // "compute", or the name of a level
  double seconds = 0;     // the least that it can take
  double flops_rate = 0;  // operations per second at that time
};
// `warm`: it ran before on the same buffers, and what fits into a cache is there already.
Bound bound_of(const FunctionCost& cost, const Machine& machine, bool warm = false);

}  // namespace mlc::transform
