// SPDX-License-Identifier: Apache-2.0
#include "backend/trn/source.h"

#include "backend/trn/emitter.h"
#include "ir/core/refusal.h"

namespace mlc::trn_backend {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "no-num-inputs",
         .message = "the kernel `{}` does not say how many of its parameters are read alone",
         .help = "T.func_attr({\"num_inputs\": 1}): the parameters behind them are tensors that it writes "
                 "and returns",
         .meaning =
             "A kernel of Trainium is a function that returns the tensors it has written. The attribute "
             "`num_inputs` of the function that launches it counts the others."},
        {.name = "not-memory",
         .message = "the parameter `{}` of a kernel is no tensor",
         .help = "kernels of Trainium take tensors alone: make the number a constant"},
    }};
MLC_REFUSALS(trn_source, refusals);

namespace {

constexpr std::string_view head =
    R"(import neuronxcc.nki.language as nl
from neuronxcc.nki import baremetal, benchmark, simulate_kernel, trace
import numpy as np
import neuronxcc.nki.isa as nisa
import math
import neuronxcc.nki as nki
import neuronxcc.nki.typing as nt
import neuronxcc.nki.compiler as ncc
@nki.compiler.enable_stack_allocator
@nki.compiler.skip_middle_end_transformations
@baremetal(experimental_flags='enable-mutable-parameter', additional_compile_opt='--internal-skip-backend-allocation-opt-nki')
)";

std::string kernel_text(const std::string& name, const ir::PrimFunc& fn) {
  auto inputs = ir::attr(fn, "num_inputs");
  if (!inputs) throw ir::refuse(refusals["no-num-inputs"], name).at(fn->span);
  auto constant = inputs->as<ir::IntImm>();
  int64_t count = constant ? (*constant)->value : inputs->cast<int64_t>();
  Emitter emitter;
  std::string params;
  std::vector<std::string> outputs;
  int64_t i = 0;
  for (const ir::Var& param : fn->params) {
    bool is_memory = param->dtype().is_handle() && param->buffer() == nullptr;
    if (!is_memory) throw ir::refuse(refusals["not-memory"], param->name.c_str()).at(param->span);
    std::string own = emitter.add_param(param);
    bool is_input = i++ < count;
    params += fmt::format("{}{}, ", own, is_input ? "" : ": nt.mutable_tensor");
    if (!is_input) outputs.push_back(own);
  }
  return fmt::format("# Function: {}\n{}def {}({}):\n{}  return {}\n", name, head, name, params,
                     emitter.body(fn->body), fmt::join(outputs, ", "));
}

}  // namespace

std::string trn_source(const ir::IRModule& device_functions, const ir::Target&) {
  std::string all;
  for (const auto& [global, base] : device_functions->functions) {
    auto fn = ir::Any(base).as<ir::PrimFunc>();
    if (!fn) refuse("a function that is no PrimFunc", base->span);
    auto symbol = ir::attr(base, "global_symbol");
    all += kernel_text(std::string(symbol ? symbol->cast<ir::String>() : global->name_hint), *fn);
  }
  return all;
}

}  // namespace mlc::trn_backend
