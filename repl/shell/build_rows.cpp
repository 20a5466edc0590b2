// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/build_rows.h"

#include "backend/artefact/build.h"
#include "backend/artefact/executable.h"
#include "backend/backend.h"
#include "backend/target_api.h"
#include "frontend/script/modules/global_functions.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/api.h"
#include "repl/shell/graph_runs.h"
#include "transform/pass/pipeline.h"

namespace mlc::repl {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "unsupported-pipeline",
                                            .message = "only the default pipeline can be chosen here",
                                            .help = "run passes on the module before it is built"},
                                       }};
MLC_REFUSALS(shell_build_rows, refusals);

namespace {

using ir::Any;
using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::Error;
using ir::String;

ir::IRModule lowered_by(const Any& name_or_pass, const ir::IRModule& mod, const ir::Target& target,
                        ir::Host& host) {
  return transform::Pipeline(transform::named_pipeline(name_or_pass, target, host), target, host).lower(mod);
}
ir::ffi::Module build(const ir::IRModule& mod, const ir::Target& target, const Any& name_or_pass,
                      ir::Host& host) {
  ir::IRModule lowered = lowered_by(name_or_pass, mod, target, host);
  script::define_of_library(lowered, host);
  return backend::build_lowered(lowered, target);
}

ir::IRModule module_argument(ApiCall& call, size_t index) {
  if (auto mod = ir::try_get<ir::IRModule>(call.args[index]); mod && *mod) return *mod;
  if (auto fn = ir::try_get<ir::PrimFunc>(call.args[index]); fn && *fn) return ir::module_of(*fn);
  try {
    ir::wrong_argument(call, index, "IRModule or prim_func");
  } catch (Error& error) {
    throw std::move(error).kind("ValueError+TypeError+AssertionError");
  }
}
void default_pipeline_only(ApiCall& call, size_t index) {
  const Any& given = call.args[index];
  auto text = given.try_cast<String>();
  if (given == nullptr || (text && *text == "default")) return;
  throw ir::refuse(refusals["unsupported-pipeline"]).at(call.span_of(index));
}

// Lowered by the pipeline in the argument with that index, None: the default one.
ir::ffi::Module built(ApiCall& call, size_t pipeline) {
  ir::IRModule mod = module_argument(call, 0);
  ir::Target target = backend::target_argument(call.args[1]);
  Any chosen = call.args[pipeline] == nullptr ? Any(String("default")) : call.args[pipeline];
  // TVM's names of the pipelines whose work the default one does.
  auto name = chosen.try_cast<String>();
  // "tirx" is one of its own where kernels are compiled.
  const backend::Backend* simulator = backend::simulator_of(target);
  bool kernels = name && *name == "tirx" && target->kind == "cuda";
  bool is_default = name && !kernels && (*name == "s_tir" || *name == "tirx" || *name == "default");
  if (is_default) chosen = Any(String("default"));
  if (simulator == nullptr) return build(mod, target, chosen, call.host);
  Any of_threads = is_default || kernels ? Any(String(std::string(simulator->pipeline))) : chosen;
  ir::ffi::Module made = build(mod, target, of_threads, call.host);
  // Its imports are what the device would get: to be looked at.
  if (const backend::Backend* hardware = backend::backend_of_hardware(target)) {
    ir::ffi::Module code = hardware->make_module(lowered_by(chosen, mod, target, call.host), target);
    for (const Any& kernels : code->imports()) made->ImportModule(kernels.cast<ir::ffi::Module>());
  }
  return made;
}

const ApiRow build_table[] = {
    {ApiKind::kFunction, "tvm", "build(mod, target=None, pipeline='default')",
     "Compiles a module or function; the result holds callable functions. `pipeline`: a name of "
     "`mlc.pipeline`, or a pass.",
     [](ApiCall& call) -> Any { return built(call, 2); }},
    {ApiKind::kFunction, "tvm",
     "compile(mod, target=None, *, relax_pipeline='default', tir_pipeline='default')",
     "Compiles a module or function into an Executable. `tir_pipeline`: a name of `mlc.pipeline`, or a pass.",
     [](ApiCall& call) -> Any {
       if (auto mod = ir::try_get<ir::IRModule>(call.args[0]); mod && *mod && has_graphs(*mod)) {
         std::vector<Any> args{call.args[0], call.args[1], nullptr, call.args[2], call.args[3]};
         return call.host.call_library("tvm.relax.vm_build", "build", args);
       }
       default_pipeline_only(call, 2);
       return ir::make<backend::ExecutableNode>(built(call, 3));
     }},
};

}  // namespace

ir::ffi::Module build_for_this_machine(const ir::IRModule& mod, ir::Host& host) {
  static const ir::Target target = ir::parse_target(Any(String(backend::default_target_kind())));
  return build(mod, target, String("default"), host);
}

std::vector<Any> run_compiled(const ir::IRModule& mod, const std::string& function,
                              const std::vector<Any>& args, ir::Host& host) {
  return backend::run_built(build_for_this_machine(mod, host), function, args);
}

void register_build_api() { ir::ApiRegistry::global().add(build_table); }

}  // namespace mlc::repl
