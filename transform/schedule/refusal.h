// SPDX-License-Identifier: Apache-2.0
// Where in the IR a primitive was refused.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// Adds to a refusal the loops and blocks it was given that stand in no text, because primitives made them: as
// lines of the function as it is now, each below the lines that enclose it. Notes that want to point at such
// a one and cannot are taken away.
void note_srefs(Error& error, Step& step);

}  // namespace mlc::transform
