// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/function_target.h"

#include "ir/registry/no_script.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

namespace {

thread_local const Target* lowered_for = nullptr;

}  // namespace

LoweringFor::LoweringFor(const Target& target) : before_(lowered_for) { lowered_for = &target; }
LoweringFor::~LoweringFor() { lowered_for = before_; }

std::optional<Target> target_around(const PrimFunc& fn) {
  if (auto bound = bound_target(fn)) return bound;
  if (lowered_for != nullptr) return *lowered_for;
  const Api* current = ApiRegistry::global().find("tvm.target.Target.current");
  if (!current) return std::nullopt;
  NoScript host;
  std::vector<Any> args{Any(true)};
  ApiCall call{*current, host, args, {}, {}};
  auto target = current->row.body(call).as<Target>();
  return target && *target ? target : std::nullopt;
}

}  // namespace mlc::transform
