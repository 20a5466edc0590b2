// SPDX-License-Identifier: Apache-2.0
// Schedule primitives for passes.
#pragma once

#include "transform/schedule/analysis.h"
#include "transform/schedule/primitive.h"

namespace mlc::transform {

// A schedule whose primitives are applied as scripts do, with handles and numbers alone.
class ScheduleSteps {
 public:
  ScheduleSteps(const IRModule& mod, Host& host) : schedule_(make_schedule(mod, 1, true)), host_(host) {}
  const IRModule& mod() const { return schedule_->state->mod(); }
  // The outputs of the primitive of that name. Arguments that are not given take their defaults.
  std::vector<Any> run(std::string_view name, std::vector<Any> args);
  const ForNode* loop(const Any& handle) const {
    return schedule_->handles.at(handle.as<ffi::Object>())->loop();
  }
  const SBlockNode* block(const Any& handle) const {
    return schedule_->handles.at(handle.as<ffi::Object>())->block();
  }
  SBlockRealize realize(const Any& handle) const {
    return realize_of(*schedule_->state, *schedule_->handles.at(handle.as<ffi::Object>()));
  }

 private:
  Schedule schedule_;
  Host& host_;
};

}  // namespace mlc::transform
