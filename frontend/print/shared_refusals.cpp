// SPDX-License-Identifier: Apache-2.0
// What several files of the printer refuse, each with a message of its own.
#include "ir/core/refusal.h"

namespace mlc::print {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-printable", .meaning = "The value has no text that a program could be read from."},
    }};
MLC_REFUSALS(print_shared_refusals, refusals);

}  // namespace mlc::print
