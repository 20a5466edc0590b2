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
// Throws `interrupted()` where somebody has asked, and nothing is in the middle of a change (see NotNow).
void heed_interrupt();
// While one lives, `heed_interrupt` of its thread does not throw: a schedule whose step has begun to apply
// would be left half changed. Whoever has asked is heard at the next place.
class NotNow {
 public:
  NotNow();
  ~NotNow();
  NotNow(const NotNow&) = delete;
  NotNow& operator=(const NotNow&) = delete;
};
// Error interrupted, a KeyboardInterrupt.
Error interrupted();

}  // namespace mlc::ir
