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
thread_local int changing = 0;
}  // namespace

void set_interrupt_source(const InterruptSource& given) { source = given; }
bool interrupt_asked() { return source.asked(); }
Error interrupted() { return refuse(refusals["interrupted"]); }

NotNow::NotNow() { ++changing; }
NotNow::~NotNow() { --changing; }

void heed_interrupt() {
  if (changing > 0 || !source.asked()) return;
  source.clear();
  throw interrupted();
}

}  // namespace mlc::ir
