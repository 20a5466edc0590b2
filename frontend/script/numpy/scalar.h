// SPDX-License-Identifier: Apache-2.0
// Scalars and dtypes of NumPy for rooms that know numbers and texts only.
#pragma once

#include <optional>

#include "frontend/script/core/machine.h"

namespace mlc::script {

// A scalar as int, float or bool, a dtype as its text; anything else as it is.
Any plain_value(const Any& value);
// The type of a scalar; nullopt for anything else.
std::optional<ir::DataType> numpy_scalar_dtype(const Any& value);

}  // namespace mlc::script
