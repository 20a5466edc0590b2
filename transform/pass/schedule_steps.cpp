// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/schedule_steps.h"

namespace mlc::transform {

std::vector<Any> ScheduleSteps::run(std::string_view name, std::vector<Any> args) {
  const Primitive* primitive = find_primitive(name);
  const Api* api = ApiRegistry::global().method(ScheduleNode::RuntimeTypeIndex(), name);
  MLC_CHECK(primitive && api, "primitive `{}` is not registered", name);
  args.insert(args.begin(), Any(schedule_));
  for (size_t i = args.size(); i < api->params.size(); ++i) args.push_back(api->params[i].default_value);
  ApiCall call{*api, host_, args, {}, {}};
  run_primitive(*primitive, mutable_schedule(schedule_), call);
  return schedule_->trace->instructions.back().outputs;
}

}  // namespace mlc::transform
