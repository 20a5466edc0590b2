// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/module_runs.h"

#include <algorithm>

#include "backend/artefact/build.h"
#include "ir/relax/operator.h"
#include "ir/relax/visit.h"

namespace mlc::repl {
namespace {

using ir::Any;

// Passes that are there to make graphs compute something else, or take something else that may look alike.
constexpr std::pair<std::string_view, std::string_view> kOnPurpose[] = {
    {"ToMixedPrecision", "computes in another data type"},
    {"UpdateParamType", "takes another data type"},
    {"MutateOpsForTraining", "computes as in training"},
    {"LiftTransformParams", "takes parameters that are transformed before"},
    {"LazyTransformParams", "asks for its parameters one by one"},
    {"LazyGetInput", "asks for its parameters one by one"},
    {"LazySetOutput", "gives its results away one by one"},
    {"BundleModelParams", "takes its parameters as a tuple"},
};
// The statistics of an operator of training are those of the batch; written out for inference they are others.
bool takes_statistics(const relax::Function& graph) {
  static const ir::Op batch_norm = relax::op("relax.nn.batch_norm");
  bool found = false;
  relax::post_order(graph, [&](const ir::Expr& e) {
    auto* call = ir::as<ir::CallNode>(e);
    found = found || (call != nullptr && call->op.same_as(batch_norm));
  });
  return found;
}
std::string_view purpose_of(std::string_view step, const GraphRun& run) {
  std::string_view pass = step.substr(step.rfind('.') + 1);  // all of it where there is no dot
  if (pass == "DecomposeOps") return takes_statistics(run.function()) ? "takes statistics as in inference" : "";
  auto found = std::ranges::find(kOnPurpose, pass, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kOnPurpose) ? std::string_view() : found->second;
}

// Another reason why not all was compared.
void add_reason(ModuleRuns::Judgement& judgement, const std::string& reason) {
  if (judgement.not_run.find(reason) != std::string::npos) return;
  judgement.not_run += judgement.not_run.empty() ? reason : "; " + reason;
}

}  // namespace

ModuleRuns::ModuleRuns(const ir::IRModule& mod, ir::Host& host, const RunLimits& limits)
    : host_(&host), limits_(limits), graphs_(graph_runs_of(mod, host, limits)) {
  bool graphs = has_graphs(mod);
  size_t inside = 0;
  for (const auto& [var, function] : mod->functions) {
    auto fn = Any(function).as<ir::PrimFunc>();
    if (!fn) continue;
    if (graphs && !ir::attr(*fn, "global_symbol")) {
      ++inside;
      continue;
    }
    tensor_functions_.emplace_back(mod, std::string(var->name_hint), *fn, host, limits);
  }
  for (const GraphRun& run : graphs_) how_.push_back(run.how());
  for (const DifferentialRun& run : tensor_functions_) how_.push_back(run.how());
  if (inside > 0)
    how_.push_back(fmt::format("{} tensor function{} of the module: run where graphs call {}", inside, inside == 1 ? "" : "s",
                               inside == 1 ? "it" : "them"));
}

bool ModuleRuns::any_runs() const {
  auto runs = [](const auto& run) { return run.runs(); };
  return std::ranges::any_of(tensor_functions_, runs) || std::ranges::any_of(graphs_, runs);
}

ModuleRuns::Judgement ModuleRuns::judge(std::string_view step, const ir::IRModule& mod, Effort effort) {
  Judgement judgement;
  judge_tensor_functions(mod, effort, judgement);
  for (GraphRun& run : graphs_) {
    if (judgement.difference.empty()) judge_graph(run, step, mod, judgement);
  }
  if (tensor_functions_.empty() && graphs_.empty()) add_reason(judgement, "no function can be run");
  return judgement;
}

void ModuleRuns::judge_tensor_functions(const ir::IRModule& mod, Effort effort, Judgement& judgement) const {
  for (const DifferentialRun& run : tensor_functions_) {
    if (!run.runs()) {
      add_reason(judgement, fmt::format("`{}` is not run", run.name()));
    } else if (effort == Effort::kInterpret && !run.cheap()) {
      add_reason(judgement, fmt::format("`{}` takes too long to interpret", run.name()));
    } else if (!function_named(mod, run.name())) {
      add_reason(judgement, fmt::format("there is no `{}` any more", run.name()));
    } else {
      bool not_run = false;
      judgement.difference = run.difference(mod, &not_run);
      if (!judgement.difference.empty()) return;
      if (not_run) add_reason(judgement, fmt::format("the interpreter does not know all of `{}`", run.name()));
    }
  }
}

void ModuleRuns::judge_graph(GraphRun& run, std::string_view step, const ir::IRModule& mod, Judgement& judgement) {
  ir::BaseFunc fn = function_named(mod, run.name());
  auto* graph = fn ? fn.as<relax::FunctionNode>() : nullptr;
  if (!graph) {
    add_reason(judgement, fmt::format("there is no `{}` any more", run.name()));
    return;
  }
  std::string_view purpose = purpose_of(step, run);
  if (!purpose.empty() || !run.same_parameters(graph)) {
    std::string why(purpose.empty() ? "takes other parameters" : purpose);
    std::string name = run.name();
    run = GraphRun(mod, name, ir::ref(graph), *host_, limits_);
    add_reason(judgement, fmt::format("`{}` {} now: what follows is compared with it{}", name, why,
                                    run.runs() ? "" : ", and it is not run: " + run.why_not()));
    return;
  }
  if (!run.runs()) {
    add_reason(judgement, fmt::format("`{}` is not run", run.name()));
    return;
  }
  std::string not_run;
  judgement.difference = run.difference(mod, not_run);
  if (!not_run.empty()) add_reason(judgement, fmt::format("`{}`: {}", run.name(), not_run));
}

ModuleRuns::Judgement ModuleRuns::judge_compiled(const ir::IRModule& mod, const ir::ffi::Module& built) const {
  Judgement judgement;
  auto run_built = [&](const std::string& function, const std::vector<Any>& args) {
    return backend::run_built(built, function, args);
  };
  for (const DifferentialRun& run : tensor_functions_) {
    bool not_run = false;
    judgement.difference = run.difference(run_built, &not_run);
    if (!judgement.difference.empty()) return judgement;
    if (not_run) add_reason(judgement, fmt::format("the interpreter does not know all of `{}`", run.name()));
  }
  for (const GraphRun& run : graphs_) {
    std::string not_run;
    judgement.difference = run.difference(mod, not_run, &built);
    if (!judgement.difference.empty()) return judgement;
    if (!not_run.empty()) add_reason(judgement, fmt::format("`{}`: {}", run.name(), not_run));
  }
  return judgement;
}

}  // namespace mlc::repl
