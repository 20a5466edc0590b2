// SPDX-License-Identifier: Apache-2.0
// Where threads of a kernel wait for each other.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "ir/core/span.h"

namespace mlc::interp {

struct Thread;

// For all threads of a block, or for some number of them.
struct Barrier {
  ir::Span span;
  std::string text;  // "T.cuda.cta_sync()"
};

// What lanes of a warp do together. Those of a mask must come; with a mask of 0, whoever of the warp is on
// the same way.
struct Meeting {
  ir::Span span;
  std::string text;
  int order = 0;  // in the program
  bool orders_memory = false;
  // Lanes of the warp that came, null for others. What a lane brought is at Thread::brought.
  std::function<void(std::span<Thread* const> lanes)> together;
};

}  // namespace mlc::interp
