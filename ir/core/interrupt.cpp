// SPDX-License-Identifier: Apache-2.0
#include "ir/core/interrupt.h"

namespace mlc::ir {

namespace {
InterruptSource source{.asked = [] { return false; }, .heed = [] {}};
}

void set_interrupt_source(const InterruptSource& given) { source = given; }
bool interrupt_asked() { return source.asked(); }
void heed_interrupt() { source.heed(); }

}  // namespace mlc::ir
