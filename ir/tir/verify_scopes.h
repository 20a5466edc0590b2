// SPDX-License-Identifier: Apache-2.0
// Do the scope ids of a device region agree on how many threads, warps and blocks there are?
#pragma once

#include <vector>

#include "ir/core/error.h"
#include "ir/tir/stmt.h"

namespace mlc::ir {

// Adds what is wrong with the scope ids in `region` to `found`.
void verify_scope_ids(const Stmt& region, std::vector<Diagnostic>& found);

}  // namespace mlc::ir
