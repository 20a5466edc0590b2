// SPDX-License-Identifier: Apache-2.0
// How loops hear of Ctrl-C: long ones ask now and then, and stop.
#pragma once

#include "ir/core/error.h"

namespace mlc::ir {

struct InterruptSource {
  bool (*asked)();  // has somebody asked to stop?
  void (*clear)();  // it is heeded
};
// Of the script evaluator. Until it is set nobody asks.
void set_interrupt_source(const InterruptSource& source);

bool interrupt_asked();
// Throws `interrupted()` where somebody has asked.
void heed_interrupt();
// Error interrupted, a KeyboardInterrupt.
Error interrupted();

}  // namespace mlc::ir
