// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ir/tir/stmt.h"

namespace mlc::transform {

// `body` without the condition around it: each vector that is loaded or stored takes the lanes for which the
// condition holds, as T.masked_load and T.masked_store do. Nothing where one access has no such form: the
// condition must be Ramp(base, 1) < Broadcast(limit) and every access at a ramp of that base.
std::optional<ir::Stmt> with_masked_accesses(const ir::Stmt& body, const ir::Expr& condition);

// The same for what is left of a row: accesses may be at ramps of any base, what no lane changes is read
// only where there is some lane, and conditions that no lane changes stay. Nothing where an inactive lane,
// which computes with zeros, could stop the process: integers divided by one another.
std::optional<ir::Stmt> with_masked_tail(const ir::Stmt& body, const ir::Expr& condition);

}  // namespace mlc::transform
