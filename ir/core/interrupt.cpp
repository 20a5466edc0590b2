// SPDX-License-Identifier: Apache-2.0
#include "ir/core/interrupt.h"

#include "ir/core/refusal.h"

namespace mlc::ir {

static constexpr Refusals refusals{
    "KeyboardInterrupt",
    {
        {.name = "interrupted",
         .message = "interrupted",
         .meaning = "Ctrl-C stopped the program; the place is where it was then."},
    }};
MLC_REFUSALS(core_interrupt, refusals);

namespace {
InterruptSource source{.asked = [] { return false; }, .clear = [] {}};
}

void set_interrupt_source(const InterruptSource& given) { source = given; }
bool interrupt_asked() { return source.asked(); }
Error interrupted() { return refuse(refusals["interrupted"]); }

void heed_interrupt() {
  if (!source.asked()) return;
  source.clear();
  throw interrupted();
}

}  // namespace mlc::ir
