// SPDX-License-Identifier: Apache-2.0
// What leaves a loop before its last iteration: copies and lanes of such a body do not know what to leave.
#pragma once

#include "ir/tir/stmt.h"

namespace mlc::transform {

bool is_jump(const ir::Expr& e);  // `break` or `continue`, as a call
bool is_jump(const ir::Stmt& s);
bool has_jump(const ir::Stmt& body);      // `break` or `continue`, of this loop or of one in it
bool has_own_jump(const ir::Stmt& body);  // of this loop
bool has_return(const ir::Stmt& body);
bool leaves_early(const ir::Stmt& body);  // any of these

}  // namespace mlc::transform
