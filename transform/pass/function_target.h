// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ir/core/error_kinds.h"
#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::transform {

// The target that BindTarget gave to the function.
inline std::optional<ir::Target> bound_target(const ir::PrimFunc& fn) {
  auto value = ir::attr(fn, "target");
  auto target = value ? value->as<ir::Target>() : std::nullopt;
  return target && *target ? target : std::nullopt;
}
// The same, or else the one that is lowered for, or else that of the script around (`with target:`).
std::optional<ir::Target> target_around(const ir::PrimFunc& fn);
// The target that BindTarget gave, for a pass that cannot do without.
inline ir::Target target_of(const ir::PrimFunc& fn, std::string_view pass) {
  if (auto target = bound_target(fn)) return *target;
  throw ir::Error("target-needed", "{} needs the function's attribute `target`", pass)
      .kind(ir::kRefusedValue)
      .at(fn->span)
      .help("run BindTarget first");
}

}  // namespace mlc::transform
