// SPDX-License-Identifier: Apache-2.0
// GPUs that are not there: their functions run in the simulator of the interpreter (interp/gpu/), on memory
// of the host.
#include "backend/backend.h"

#include <map>

#include "backend/interp/interp.h"
#include "backend/simulator/device.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"
#include "ir/registry/context.h"
#include "ir/target/device_api.h"
#include "ir/target/tables.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "nothing-to-emit",
                                            .message = "what a simulated GPU runs is no file",
                                            .help = "without `--simulate` the code of a real one is written"},
                                       }};
MLC_REFUSALS(simulator_backend, refusals);

extern const Backend backend_simulator;

namespace {

namespace ffi = ir::ffi;

// The functions of a module whose threads are written out; compiled to closures when first called.
class SimulatedModule final : public ffi::ModuleObj {
 public:
  SimulatedModule(ir::IRModule mod, DLDeviceType device) : mod_(std::move(mod)), device_(device) {}
  const char* kind() const final { return "simulator"; }
  int GetPropertyMask() const final { return ffi::Module::kRunnable; }

  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    for (const auto& [var, function] : mod_->functions) {
      auto fn = ir::Any(function).as<ir::PrimFunc>();
      auto symbol = fn ? ir::attr(*fn, "global_symbol") : std::nullopt;
      if (!symbol || symbol->cast<ir::String>() != name) continue;
      interp::Options options;
      options.simulate = options.check_races = options.check_uninitialized = true;
      options.device = device_of(*fn);
      ffi::Function run = interp::compile(mod_, std::string(var->name_hint), options);
      return ffi::Function::FromPacked([run](const ffi::AnyView* args, int32_t count, ir::Any* result) {
        ir::Inputs::global().beyond();
        try {
          run.CallPacked(args, count, result);
        } catch (const ir::Error& error) {  // through tvm-ffi goes what it knows
          ir::Context::current().error_below = std::current_exception();
          const ir::Diagnostic& first = error.first();
          throw ffi::Error(first.kind.substr(0, first.kind.find('+')), first.message, "");
        }
      });
    }
    return std::nullopt;
  }

 private:
  // Functions for the host (of shapes, of numbers) stand among those that launch kernels.
  DLDeviceType device_of(const ir::PrimFunc& fn) const {
    auto own = ir::attr(fn, "target");
    std::optional<ir::Target> target = own ? own->as<ir::Target>() : std::nullopt;
    return target ? ir::target_kind_row(ir::view((*target)->kind)).device : device_;
  }

  ir::IRModule mod_;
  DLDeviceType device_;
};

ffi::Module make_module(const ir::IRModule& lowered, const ir::Target& target) {
  DLDeviceType device = ir::target_kind_row(ir::view(target->kind)).device;
  return ffi::Module(ffi::make_object<SimulatedModule>(lowered, device));
}

CInterface emit(const Artefact&, const Order&) { throw ir::refuse(refusals["nothing-to-emit"]); }

constexpr int kGpus[] = {kDLCUDA, kDLOpenCL, kDLVulkan, kDLMetal, kDLROCM, kDLWebGPU};

}  // namespace

const Backend backend_simulator = {
    .name = "simulator",
    .doc = "Threads of a GPU one after the other, checked; for `mlc run --simulate`.",
    .targets = {},  // all of GPUs, once they are simulated
    .pipeline = "threads",
    .schedule_rules = "gpu",
    .device = kDLCUDA,
    .artefacts = {},
    .make_module = make_module,
    .emit = emit,
};

namespace {
struct Simulated {
  Simulate which = Simulate::kNone;
  std::map<int, ir::DeviceApi*> hardware;  // what stood in the place of a type that is simulated
};
Simulated& simulated() {
  static Simulated now;
  return now;
}
}  // namespace

void simulate_gpus(Simulate which) {
  static simulator::SimulatedDevice device;
  Simulated& now = simulated();
  for (auto [type, api] : now.hardware) ir::add_device_api(type, api);
  now = {which, {}};
  if (which == Simulate::kNone) return;
  for (int type : kGpus) {
    if (which == Simulate::kMissing && ir::device_exists({static_cast<DLDeviceType>(type), 0})) continue;
    now.hardware[type] = ir::find_device_api(type);
    ir::add_device_api(type, &device);
  }
}
Simulate simulated_gpus() { return simulated().which; }

const Backend* simulator_of(const ir::Target& target) {
  DLDeviceType device = ir::target_kind_row(ir::view(target->kind)).device;
  return simulated().hardware.contains(device) ? &backend_simulator : nullptr;
}

}  // namespace mlc::backend
