// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/function_target.h"

#include "ir/registry/context.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

std::optional<Target> target_around(const PrimFunc& fn) {
  if (auto bound = bound_target(fn)) return bound;
  const Context& context = Context::current();
  if (context.lowered_for != nullptr) return *context.lowered_for;
  if (context.targets.empty()) return std::nullopt;
  return context.targets.back();
}

}  // namespace mlc::transform
