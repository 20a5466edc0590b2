// SPDX-License-Identifier: Apache-2.0
// Targets as scripts have them.
#pragma once

#include "ir/target/target.h"

namespace mlc::backend {

// The target of a build: its argument, else what `with Target(...)` made current, else this machine.
ir::Target target_argument(const ir::Any& given);
// What `with Target(...)` made current. Error: no-current-target.
ir::Target current_target();
// Makes a target current for as long as this lives, as `with target:` does.
class CurrentTarget {
 public:
  explicit CurrentTarget(const ir::Target& target);
  CurrentTarget(const CurrentTarget&) = delete;
  CurrentTarget& operator=(const CurrentTarget&) = delete;
  ~CurrentTarget();
};
void register_target_api();

}  // namespace mlc::backend
