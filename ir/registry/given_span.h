// SPDX-License-Identifier: Apache-2.0
// Places that scripts give: the `span` argument of a constructor.
#pragma once

#include "ir/registry/api.h"

namespace mlc::ir {

// Lets a node that a call has made say that it is from `place`; other results, and other values in the place
// of a place, stay as they are. Set by the room that knows such values.
using GivePlace = void (*)(Any& result, const Any& place);
void give_places_by(GivePlace give);

}  // namespace mlc::ir
