// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/core/object.h"

namespace mlc::ir {

// A value of a script as it is passed to nodes and functions of TVM: lists in it, at any depth, become arrays
// and dicts maps, which do not change. The value itself where there are none.
Any freeze(const Any& value);

}  // namespace mlc::ir
