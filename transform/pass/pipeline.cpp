// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pipeline.h"

#include "transform/pass/pass_context.h"

namespace mlc::transform {
namespace {

// One step of a pipeline: a pass by name with the integer or bool it takes, and the configuration key that
// turns it off.
struct Step {
  std::string_view pass;
  std::optional<int64_t> argument = std::nullopt;
  std::string_view disabled_by = {};
};

// From schedulable TIR to what the LLVM code generator takes. The order is TVM's s_tir pipeline, without
// the passes that only concern GPUs; packed calling convention and parallel launches belong to the code
// generator. Why each stands where it stands is said in its file.
constexpr Step cpu_pipeline[] = {
    // Blocks: iterators, allocations and views are resolved while their structure is known.
    {"CanonicalizeLoop"},
    {"LowerInitBlock"},
    {"PlanAndUpdateBufferAllocationLocation"},
    {"ConvertBlocksToOpaque"},
    {"CompactBufferAllocation"},
    {"LowerMatchBuffer"},
    {"StmtSimplify"},
    {"LowerOpaqueBlock"},
    // Loops and buffers: one dimension, narrow indices, vectors, memory.
    {"FlattenBuffer"},
    {"NarrowDataType", 32},
    {"VectorizeLoop", std::nullopt, "tirx.disable_vectorize"},
    {"StorageRewrite", std::nullopt, "tirx.disable_storage_rewrite"},
    {"HoistIfThenElse"},
    {"UnrollLoop"},
    // Cleaning up after all of them.
    {"StmtSimplify"},
    {"RemoveNoOp"},
    {"RewriteUnsafeSelect"},
};

IRModule run_step(const Step& step, const IRModule& mod) {
  const Pass& pass = find_pass(step.pass);
  auto off = current_config().find(String(std::string(step.disabled_by)));
  bool disabled = off != current_config().end() && (*off).second.try_cast<bool>().value_or(false);
  if (step.pass == "VectorizeLoop") {  // without vectors the loops become serial: the pass still has to run
    return run_pass(pass, mod, std::vector<Any>{!disabled});
  }
  if (disabled || !is_enabled(pass_info(pass))) return mod;
  std::vector<Any> args;
  if (step.argument) args.emplace_back(*step.argument);
  return run_pass(pass, mod, args);
}

void check_target(const Target& target) {
  if (text(target->kind) == "llvm" || text(target->kind) == "c") return;
  throw Error("pipeline-not-available", "there is no lowering for target `{}`", text(target->kind))
      .help("targets that can be lowered for are `llvm` and `c`");
}

}  // namespace

IRModule lower(const IRModule& mod, const Target& target) {
  check_target(target);
  IRModule result = mod;
  for (const Step& step : cpu_pipeline) result = run_step(step, result);
  return result;
}

std::vector<std::pair<std::string, IRModule>> lower_stages(const IRModule& mod, const Target& target) {
  check_target(target);
  std::vector<std::pair<std::string, IRModule>> stages{{"input", mod}};
  for (const Step& step : cpu_pipeline) {
    IRModule next = run_step(step, stages.back().second);
    if (!next.same_as(stages.back().second)) stages.emplace_back(std::string(step.pass), next);
  }
  return stages;
}

}  // namespace mlc::transform
