// SPDX-License-Identifier: Apache-2.0
// Numbers that rows of the registry give and take where scripts have members of enumerations.
#pragma once

#include "frontend/script/core/machine.h"

namespace mlc::script {

// What a script gets for what a row gave: its number as a member of the enumeration of stdlib/ that it
// counts.
Any result_of_row(Evaluator::State& state, const ir::Api& api, const Any& value);
// A member of an enumeration of flags as its number; any other value as it is.
Any number_of_flag(const Any& value);

}  // namespace mlc::script
