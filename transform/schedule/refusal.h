// SPDX-License-Identifier: Apache-2.0
// What the report of a refused step shows besides its message, computed when the report is shown.
#pragma once

#include "ir/core/refusal.h"
#include "transform/schedule/primitive.h"

namespace mlc::transform {

// The error of a step, which can be completed as long as the schedule holds the same module: the step is run
// again, on a copy, with checks that look for examples, and the spans are added. Errors of scripts that
// the step has called stay what they are.
[[noreturn]] void throw_refused(Error& error, Step& step);

// Adds to a refusal its loops and blocks that are in no source text, because primitives made them: as
// lines of the function as it is now, each below the lines that enclose it. Notes that want to point at such
// a one and cannot are taken away.
void note_srefs(Error& error, Step& step);

}  // namespace mlc::transform
