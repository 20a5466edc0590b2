// SPDX-License-Identifier: Apache-2.0
// Targets as scripts have them.
#pragma once

#include "ir/target.h"

namespace mlc::backend {

// What a build is for: what it was given, else what `with Target(...)` made current, else this machine.
ir::Target target_argument(const ir::Any& given);
void register_target_api();

}  // namespace mlc::backend
