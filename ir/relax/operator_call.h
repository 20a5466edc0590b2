// SPDX-License-Identifier: Apache-2.0
// What calls that scripts make of an operator's object hold.
#pragma once

#include <utility>

#include "ir/relax/operator.h"

namespace mlc::relax {

// How many operands a call of the operator has, at least and at most.
std::pair<size_t, size_t> operand_count(const Operator& row);
// What scripts see as primitive expressions as the integers that calls hold.
Map<String, Any> held_attrs(const Operator& row, Map<String, Any> attrs);

}  // namespace mlc::relax
