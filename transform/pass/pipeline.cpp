// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pipeline.h"

#include <algorithm>
#include <optional>

#include "ir/core/refusal.h"
#include "ir/registry/context.h"
#include "transform/pass/pass_context.h"
#include "transform/pass/pass_object.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "pipeline-not-available",
         .message = "there is no lowering for target `{}`",
         .help = "targets that can be lowered for are `llvm`, `c`, `cuda`, `opencl`, `rocm`, `metal`, "
                 "`vulkan`, `webgpu` and `trn`",
         .meaning = "There is no lowering for this kind of target: CPUs (`llvm`, `c`) have one, and GPUs.",
         .wrong = R"(tvm.build(main, "hexagon"))",
         .right = R"(tvm.build(main, "llvm"))"},
        {.name = "unknown-pipeline",
         .message = "there is no pipeline `{}`",
         .meaning = "There is no pipeline of this name; `mlc.pipeline.names()` lists them.",
         .wrong = R"(import tvm
from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = T.float32(0)
tvm.build(f, pipeline="fast"))",
         .right = R"(import tvm
from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = T.float32(0)
tvm.build(f, pipeline="default"))"},
    }};
MLC_REFUSALS(pass_pipeline, refusals);

namespace {

// While it lives, this thread lowers for `target`.
struct LoweringFor {
  const Target* before;
  explicit LoweringFor(const Target& target)
      : before(std::exchange(Context::current().lowered_for, &target)) {}
  ~LoweringFor() { Context::current().lowered_for = before; }
  LoweringFor(const LoweringFor&) = delete;
};
// `with target:`, while it lives.
struct Within {
  explicit Within(const Target& target) { Context::current().targets.push_back(target); }
  ~Within() { Context::current().targets.pop_back(); }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
};

}  // namespace

Any named_pipeline(const Any& name_or_pass, const Target& target, Host& host) {
  if (is_pass(name_or_pass)) return name_or_pass;
  auto wanted = name_or_pass.try_cast<String>();
  if (!wanted)
    throw refuse_as(pass_refusals["wrong-type"], "a pipeline is a name or a pass, not `{}`",
                    type_name(name_or_pass));
  std::vector<std::string> names;
  for (const Any& name : as_list(host.call_library("mlc.pipeline", "names", {})))
    names.emplace_back(name.cast<String>());
  if (std::string name(*wanted); std::find(names.begin(), names.end(), name) == names.end()) {
    std::string near = did_you_mean(name, names);
    throw refuse(refusals["unknown-pipeline"], name)
        .help(near.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : near);
  }
  Within within(target);
  try {
    return host.call_library("mlc.pipeline", "get", std::span(&name_or_pass, 1));
  } catch (Error& error) {
    // What is wrong with the target is not where the library asked for it.
    if (error.first().name.starts_with("unknown-target"))
      error.first().span = {}, error.first().calls.clear();
    throw;
  }
}

Pipeline::Pipeline(Array<Any> passes, const Target& target, Host& host)
    : passes_(std::move(passes)), target_(target), host_(&host) {
  constexpr std::string_view known[] = {"llvm",  "c",      "cuda",   "opencl", "rocm",
                                        "metal", "vulkan", "webgpu", "trn"};
  if (std::find(std::begin(known), std::end(known), text(target->kind)) == std::end(known))
    throw refuse(refusals["pipeline-not-available"], text(target->kind));
  for (const Any& pass : passes_) {
    if (!is_pass(pass))
      throw refuse_as(pass_refusals["wrong-type"], "a pipeline is made of passes, not of `{}`",
                      type_name(pass));
  }
}
Pipeline::Pipeline(const Any& pass, const Target& target, Host& host)
    : Pipeline(passes_of(pass).value_or(Array<Any>{pass}), target, host) {}

std::string Pipeline::pass_name(size_t i) const { return short_name(passes_[static_cast<int64_t>(i)]); }

IRModule Pipeline::run(size_t i, const IRModule& mod) const {
  LoweringFor scope(target_);
  // Some rules ask for the current target.
  std::optional<Within> within;
  if (Context::current().targets.empty() && (text(target_->kind) == "llvm" || text(target_->kind) == "c"))
    within.emplace(target_);
  return run_in_sequence(passes_[static_cast<int64_t>(i)], *host_, mod);
}

IRModule Pipeline::lower(const IRModule& mod, size_t first,
                         const std::function<void(size_t, const IRModule&)>& after) const {
  IRModule result = mod;
  for (size_t i = first; i < size(); ++i) {
    result = run(i, result);
    if (after) after(i, result);
  }
  return result;
}

std::vector<std::pair<std::string, IRModule>> Pipeline::stages(const IRModule& mod) const {
  std::vector<std::pair<std::string, IRModule>> all{{"input", mod}};
  lower(mod, 0, [&](size_t i, const IRModule& next) {
    if (!next.same_as(all.back().second)) all.emplace_back(pass_name(i), next);
  });
  return all;
}

}  // namespace mlc::transform
