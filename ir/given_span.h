// SPDX-License-Identifier: Apache-2.0
// Places that scripts give: the `span` argument of a constructor.
#pragma once

#include <optional>

#include "ir/api.h"

namespace mlc::ir {

// What a value says of a place; nothing when it is no place. Set by the room that knows such values.
using PlaceOf = std::optional<Span> (*)(const Any& value);
void read_places_by(PlaceOf reader);

}  // namespace mlc::ir
