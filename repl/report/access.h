// SPDX-License-Identifier: Apache-2.0
// How a block walks through its buffers, and how soon it comes back: from a run in the interpreter, which is
// stopped when it has shown enough.
#pragma once

#include <optional>

#include "ir/core/module.h"
#include "repl/report/page.h"

namespace mlc::repl {

inline constexpr int64_t kLineBytes = 64;           // bytes that caches take together
inline constexpr size_t kReuseBins = 40;            // by powers of two
inline constexpr size_t kMostAccesses = 2'000'000;  // that a run is watched for

// What one buffer goes through while a block runs.
struct BufferAccesses {
  ir::Buffer buffer;
  size_t hue = 0;  // its number among the buffers of the function, as in the plot of its loops
  int64_t element_bytes = 1;
  // In the window: instance of the block (0 is the first), element (its number in memory), and whether it is
  // stored to.
  struct Touch {
    uint32_t instance;
    bool stores;
    int64_t element;
  };
  std::vector<Touch> window;
  size_t loads = 0, stores = 0;  // watched
  size_t first = 0;              // that touched a line for the first time
  // Accesses by how many other lines were touched since the last access to theirs: none in bin 0, at least
  // 2^(i-1) and less than 2^i in bin i.
  std::vector<size_t> reuse = std::vector<size_t>(kReuseBins);
};

struct AccessRecord {
  std::string function, block;
  std::vector<std::pair<std::string, int64_t>> loops;  // around the block, extents; the innermost last
  std::vector<BufferAccesses> buffers;                 // in order of their first access
  size_t window = 0;                                   // instances of the block that are drawn
  size_t instances = 0;                                // that were watched
  double all_instances = 0;                            // of the whole run; 0: not known
  size_t accesses = 0;                                 // watched
  bool whole = false;                                  // the run came to its end
  // Caches of this machine, and how many of the accesses would find their line in one of that size.
  struct Cache {
    std::string name;
    int64_t bytes;
    size_t hits = 0;
  };
  std::vector<Cache> caches;
};

// Runs the function that has the block on random arguments. The empty name: the block that runs most often.
// Errors of the interpreter come through; CallError for a block that no function has, buffers too large to be
// made, and what has no blocks.
AccessRecord record_accesses(const ir::IRModule& mod, const std::string& block);

Plot access_plot(const AccessRecord& record, std::string program);

}  // namespace mlc::repl
