// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/allocated_bytes.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_verify_vtcm_limit {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "vtcm-limit-exceeded",
         .message = "the function allocates {} bytes of `global.vtcm`, the limit is {}"},
    }};
MLC_REFUSALS(tir_verify_vtcm_limit, refusals);

namespace {

constexpr char doc[] =
    R"(VerifyVTCMLimit(default_target=None): refuse functions that need more of the scope "global.vtcm" than there is.

needs: what is allocated at the same time fits into `vtcm-capacity` of the function's target, or of the default, where
it is a Hexagon, else into what the configuration says ("tirx.vtcm_capacity").
keeps: the module as it is. A capacity of 0, or none, limits nothing.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  std::optional<Target> target = bound_target(fn);
  if (!target && !options.args.empty() && options.args[0] != nullptr) target = parse_target(options.args[0]);
  if (!target) return fn;
  int64_t limit = (*target)->kind == "hexagon" ? target_attr<int64_t>(*target, "vtcm-capacity", 0) : 0;
  if (auto configured = options.config->find("tirx.vtcm_capacity");
      limit <= 0 && configured != options.config->end())
    limit = (*configured).second.cast<int64_t>();
  if (limit <= 0) return fn;
  for (const auto& [scope, bytes] : allocated_bytes(fn)) {
    if (scope != "global.vtcm" || bytes <= limit) continue;
    throw refuse(refusals["vtcm-limit-exceeded"], bytes, limit).kind("RuntimeError").at(fn->span);
  }
  return fn;
}

}  // namespace

extern const Pass verify_vtcm_limit{"VerifyVTCMLimit", "s_tir.transform",
                                    "VerifyVTCMLimit(default_target=None)", doc, apply};

}  // namespace mlc::transform::pass_verify_vtcm_limit
