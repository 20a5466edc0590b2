// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pipeline.h"

#include <algorithm>

#include "ir/registry/library_call.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass_context.h"
#include "transform/pass/pass_object.h"

namespace mlc::transform {
namespace {

Any the_default() { return String("default"); }

}  // namespace

Pipeline::Pipeline(const Any& pipeline, const Target& target, Host* host) : target_(target), host_(host) {
  if (text(target->kind) != "llvm" && text(target->kind) != "c") {
    throw Error("pipeline-not-available", "there is no lowering for target `{}`", text(target->kind))
        .help("targets that can be lowered for are `llvm` and `c`");
  }
  if (is_pass(pipeline)) {
    passes_ = passes_of(pipeline).value_or(Array<Any>{pipeline});
    return;
  }
  if (!pipeline.try_cast<String>())
    throw Error("wrong-type", "a pipeline is a name or a pass, not `{}`", type_name(pipeline))
        .kind("TypeError");
  std::vector<std::string> names;
  for (const Any& name : as_list(call_library("mlc.pipeline", "names", {}).value))
    names.emplace_back(name.cast<String>());
  if (std::string name(pipeline.cast<String>()); std::find(names.begin(), names.end(), name) == names.end()) {
    std::string near = did_you_mean(name, names);
    throw Error("unknown-pipeline", "there is no pipeline `{}`", name)
        .kind("ValueError")
        .help(near.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : near);
  }
  LibraryResult made = call_library("mlc.pipeline", "get", std::span(&pipeline, 1));
  passes_ = *passes_of(made.value);  // `get` gives nothing else
  host_ = &made.host;
}

std::string Pipeline::pass_name(size_t i) const { return short_name(passes_[static_cast<int64_t>(i)]); }

IRModule Pipeline::run(size_t i, const IRModule& mod) const {
  LoweringFor scope(target_);
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

IRModule lower(const IRModule& mod, const Target& target) {
  return Pipeline(the_default(), target).lower(mod);
}

std::vector<std::pair<std::string, IRModule>> lower_stages(const IRModule& mod, const Target& target) {
  Pipeline pipeline(the_default(), target);
  std::vector<std::pair<std::string, IRModule>> stages{{"input", mod}};
  pipeline.lower(mod, 0, [&](size_t i, const IRModule& next) {
    if (!next.same_as(stages.back().second)) stages.emplace_back(pipeline.pass_name(i), next);
  });
  return stages;
}

}  // namespace mlc::transform
