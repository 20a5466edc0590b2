// SPDX-License-Identifier: Apache-2.0
// How rooms below the script hear of Ctrl-C: long loops ask now and then, and stop.
#pragma once

namespace mlc::ir {

struct InterruptSource {
  bool (*asked)();  // has somebody asked to stop?
  void (*heed)();   // throws where that is so
};
// Of the script evaluator. Until it is set nobody asks.
void set_interrupt_source(const InterruptSource& source);

bool interrupt_asked();
void heed_interrupt();

}  // namespace mlc::ir
