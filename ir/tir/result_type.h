// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/core/module.h"

namespace mlc::ir {

// The return type of a function: the declared one, else that of its `return` statements, where it ends with
// one on every path and they agree. Void where it returns nothing.
DataType result_type(const PrimFunc& fn);

}  // namespace mlc::ir
