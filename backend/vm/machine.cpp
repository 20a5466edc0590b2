// SPDX-License-Identifier: Apache-2.0
#include "backend/vm/machine.h"

#include <fmt/format.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>

#include <algorithm>
#include <utility>

#include "backend/vm/builtins.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/registry/api_row.h"
#include "ir/registry/context.h"
#include "ir/target/device_api.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-a-machine",
         .kind = "TypeError",
         .message = "a module of kind `{}` is no virtual machine"},
        {.name = "vm-function-missing",
         .kind = "InternalError",
         .message = "`{}`, which the executable calls, is neither among its tensor functions nor registered",
         .help = "register it with `tvm.register_global_func` before the machine is made"},
        {.name = "vm-no-device",
         .message = "memory is wanted on device {}, and the machine has {}, counted from 0",
         .help = "give the machine a list of devices, in the order of the module's vdevices"},
        {.name = "vm-not-initialized",
         .kind = "InternalError",
         .message = "the machine has no device yet: `vm_initialization` comes first"},
        {.name = "vm-argument-count",
         .kind = "InternalError",
         .message = "`{}` takes {} arguments ({}), {} given"},
        {.name = "vm-recursion-too-deep",
         .kind = "RecursionError",
         .message = "more than {} calls of graphs in one another"},
        {.name = "vm-no-inputs",
         .kind = "ValueError",
         .message = "`{}` has no inputs yet",
         .help = "`set_input` gives them"},
        {.name = "vm-no-output", .message = "`{}` has not run", .help = "`invoke_stateful` runs it"},
        {.name = "vm-no-parameter", .kind = "ValueError", .message = "`{}` has no parameter {}"},
        {.name = "vm-output-no-tuple",
         .kind = "ValueError",
         .message = "the result of `{}` has no element {}: it is no tuple"},
        {.name = "vm-output-index", .kind = "IndexError", .message = "the result of `{}` has no element {}"},
        {.name = "vm-name-taken", .message = "the executable has a function `{}`"},
        {.name = "vm-not-callable", .kind = "TypeError", .message = "a `{}` cannot be called"},
        {.name = "vm-unknown-opcode",
         .kind = "InternalError",
         .message = "instruction {} of `{}` is unknown"},
    }};
MLC_REFUSALS(vm_machine, refusals);

namespace {

// As graphs take values: arrays of the script as tensors, lists as tuples.
Any kept(ffi::AnyView value) {
  if (value == nullptr) return Any(nullptr);  // which tvm-ffi takes for a reference to no tensor
  if (auto array = value.as<ir::NDArray>(); array && *array) return ir::contiguous((*array)->tensor);
  auto all = [](const auto& items) {
    ffi::Array<Any> made;
    for (const Any& item : items) made.push_back(kept(item));
    return Any(made);
  };
  if (auto items = value.as<ffi::Array<Any>>()) return all(*items);
  if (auto items = value.as<ffi::List<Any>>()) return all(*items);
  return Any(value);
}

std::string parameters_of(const FunctionInfo& fn) {
  return fmt::format("{}", fmt::join(fn.param_names, ", "));
}
std::string text_of(ffi::AnyView value) { return std::string(value.cast<ffi::String>()); }

// Keeps a machine alive as long as a function of it.
ffi::Module module_of(Machine* machine) {
  return ffi::Module(ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ffi::ModuleObj>(machine));
}

constexpr size_t kDeepest = 4000;

}  // namespace

Closure bind_last(const Closure& closure, std::vector<Any> last) {
  return ir::make<ClosureNode>(
      closure->name, ffi::Function::FromPacked([impl = closure->impl, last = std::move(last)](
                                                   ffi::PackedArgs args, Any* result) {
        std::vector<ffi::AnyView> all(args.data(), args.data() + args.size());
        all.insert(all.end(), last.begin(), last.end());
        impl.CallPacked(ffi::PackedArgs(all.data(), static_cast<int32_t>(all.size())), result);
      }));
}

const Program& program_of(const ffi::Module& machine) {
  auto* found = dynamic_cast<const Machine*>(machine.operator->());
  if (found == nullptr) throw refuse(refusals["not-a-machine"], machine->kind());
  return found->program();
}

// A register file of an earlier call, and back again: a call makes none of its own.
struct Machine::Frame {
  Machine& machine;
  Registers registers;

  Frame(Machine& machine, int64_t size, ffi::PackedArgs args) : machine(machine) {
    ++machine.depth_;
    if (!machine.spare_.empty()) {
      registers = std::move(machine.spare_.back());
      machine.spare_.pop_back();
    }
    registers.resize(static_cast<size_t>(size));
    for (int i = 0; i < args.size(); ++i) registers[static_cast<size_t>(i)] = args[i];
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() {
    --machine.depth_;
    registers.clear();
    machine.spare_.push_back(std::move(registers));
  }
};

// ---- functions ----

namespace {

// A value, with the tensors of it on the device.
Any brought_to(DLDevice device, const Any& value) {
  if (value == nullptr) return value;
  if (auto tensor = value.as<ffi::Tensor>()) {
    const DLTensor* from = tensor->GetDLTensorPtr();
    if (from->device.device_type == device.device_type && from->device.device_id == device.device_id)
      return value;
    ffi::Tensor made = ir::make_tensor_on(device, std::span(from->shape, static_cast<size_t>(from->ndim)),
                                          ir::DataType(from->dtype));
    ir::copy_tensor(*from, *made.GetDLTensorPtr());
    return made;
  }
  auto items = value.as<ffi::Array<Any>>();
  if (!items || device.device_type == kDLCPU) return value;
  ffi::Array<Any> made;
  for (const Any& item : *items) made.push_back(brought_to(device, item));
  return made;
}

}  // namespace

size_t Machine::index_of_device(int64_t device) const {
  auto count = static_cast<int64_t>(pools_.size());
  if (count == 1 && pools_[0]->device().device_type == kDLCPU && device >= -1)
    return 0;  // all names are those of its memory
  if (device < -1 || device >= count) throw refuse(refusals["vm-no-device"], device, count);
  return static_cast<size_t>(device == -1 ? count - 1 : device);
}

void Machine::initialize(std::vector<std::shared_ptr<Pool>> pools) {
  pools_ = std::move(pools);
  constants_.clear();
  for (const Any& constant : program().constants)
    constants_.push_back(brought_to(pools_[0]->device(), constant));
  functions_.clear();
  for (size_t i = 0; i < program().functions.size(); ++i) {
    const FunctionInfo& fn = program().functions[i];
    if (fn.kind == FunctionKind::kVM) {
      functions_.push_back(closure_of(static_cast<int64_t>(i)));
    } else if (fn.kind == FunctionKind::kVMTIR) {
      functions_.push_back(compiled_closure_of(static_cast<int64_t>(i)));
    } else {
      functions_.push_back(outside_function(fn.name));
    }
  }
  callees_.clear();
  for (const Any& each : functions_) {
    auto* closure = each.as<ClosureNode>();
    callees_.push_back({closure != nullptr ? closure->impl : each.cast<ffi::Function>(), closure != nullptr});
  }
}

// Compiled beside the graphs, or registered.
ffi::Function Machine::outside_function(const std::string& name) const {
  for (const Any& each : executable_->imports()) {
    ffi::Optional<ffi::Function> found = each.cast<ffi::Module>()->GetFunction(name, true);
    if (found.has_value()) return *found;
  }
  if (auto global = ffi::Function::GetGlobal(name)) return *global;
  throw refuse(refusals["vm-function-missing"], name);
}

// A graph that is compiled to a function over its registers, the machine's constants and its functions. Its
// result is in the register behind the parameters.
Any Machine::compiled_closure_of(int64_t function) {
  const FunctionInfo& info = program().functions[static_cast<size_t>(function)];
  ffi::Function code = outside_function("__vmtir__" + info.name);
  return ir::make<ClosureNode>(info.name,
                               ffi::Function::FromPacked([function, code](ffi::PackedArgs args, Any* result) {
                                 Machine& machine = Machine::of(args[0]);
                                 machine.invoke_compiled(code, function, args.Slice(1), result);
                               }));
}

void Machine::invoke_compiled(const ffi::Function& code, int64_t function, ffi::PackedArgs args,
                              Any* result) {
  const FunctionInfo& fn = program().functions[static_cast<size_t>(function)];
  check_call(fn, args);
  RunningGraph graph(fn.name);
  Frame frame(*this, fn.register_file_size, args);
  // A list is the words of its values, one after the other.
  static_assert(sizeof(Any) == sizeof(TVMFFIAny));
  Any ignored;
  std::array<ffi::AnyView, 4> lists{static_cast<void*>(this), static_cast<void*>(frame.registers.data()),
                                    static_cast<void*>(constants_.data()),
                                    static_cast<void*>(functions_.data())};
  code.CallPacked(ffi::PackedArgs(lists.data(), 4), &ignored);
  *result = std::move(frame.registers[static_cast<size_t>(fn.num_args)]);
}

Any Machine::closure_of(int64_t function) {
  const std::string& name = program().functions[static_cast<size_t>(function)].name;
  return ir::make<ClosureNode>(name, ffi::Function::FromPacked([function](ffi::PackedArgs args, Any* result) {
                                 Machine::of(args[0]).invoke(function, args.Slice(1), result);
                               }));
}

int64_t Machine::index_of(const std::string& name) const {
  auto found = program().index.find(name);
  if (found == program().index.end()) return -1;
  return program().functions[static_cast<size_t>(found->second)].kind == FunctionKind::kPacked
             ? -1
             : found->second;
}

// ---- running ----

ffi::AnyView Machine::operand(Operand operand, const Registers& registers) const {
  Word value = operand.value();
  switch (operand.kind()) {
    case Operand::Kind::kRegister:
      if (value == kVoid) return {};
      if (value == kMachine) return static_cast<void*>(const_cast<Machine*>(this));
      return registers[static_cast<size_t>(value)];
    case Operand::Kind::kImmediate:
      return value;
    case Operand::Kind::kConstant:
      return constants_[static_cast<size_t>(value)];
    case Operand::Kind::kFunction:
      return functions_[static_cast<size_t>(value)];
  }
  return {};
}

void Machine::check_call(const FunctionInfo& fn, ffi::PackedArgs args) const {
  if (pools_.empty()) throw refuse(refusals["vm-not-initialized"]);
  if (fn.num_args != args.size())
    throw refuse(refusals["vm-argument-count"], fn.name, fn.num_args, parameters_of(fn), args.size());
  if (depth_ == kDeepest) throw refuse(refusals["vm-recursion-too-deep"], kDeepest);
}

void Machine::invoke(int64_t function, ffi::PackedArgs args, Any* result) {
  const FunctionInfo& fn = program().functions[static_cast<size_t>(function)];
  if (fn.kind == FunctionKind::kVMTIR) {
    Any closure = functions_.empty() ? Any() : functions_[static_cast<size_t>(function)];
    if (closure == nullptr) throw refuse(refusals["vm-not-initialized"]);
    return call_value(closure, args, result);
  }
  check_call(fn, args);
  Frame frame(*this, fn.register_file_size, args);
  run(fn, frame.registers, result);
}

// The error itself goes on: it may be more than an ir::Error, such as an exception of a script.
void Machine::locate(ir::Error& error, int64_t at) const {
  if (!program().spans.empty() && !error.first().span)
    error.first().span = program().spans[static_cast<size_t>(at)];
}

void Machine::call_instruction(const Instruction& call, int64_t at, Registers& registers,
                               std::vector<ffi::AnyView>& args) {
  size_t function = static_cast<size_t>(call.function());
  const Callee& callee = callees_[function];
  args.clear();
  if (callee.takes_machine) args.emplace_back(static_cast<void*>(this));
  for (Word i = 0; i < call.count(); ++i) args.push_back(operand(call.operand(i), registers));
  Any result;
  auto packed = [](std::vector<ffi::AnyView>& all) {
    return ffi::PackedArgs(all.data(), static_cast<int32_t>(all.size()));
  };
  // What an instrument is told: the function, its name, before or after, the result, the arguments. 1: do not
  // run it.
  auto instrumented = [&](bool before) {
    std::vector<ffi::AnyView> told{functions_[function], program().functions[function].name, before, result};
    told.insert(told.end(), args.begin() + (callee.takes_machine ? 1 : 0), args.end());
    Any answer;
    ffi::Function instrument = *instrument_;
    instrument.CallPacked(packed(told), &answer);
    auto number = answer.try_cast<int64_t>();
    return before && number && *number == 1;
  };
  try {
    if (!instrument_) {
      callee.code.CallPacked(packed(args), &result);
    } else if (!instrumented(true)) {
      callee.code.CallPacked(packed(args), &result);
      instrumented(false);
    }
  } catch (const ffi::Error&) {
    // An error of mlc that has gone through compiled code is itself again.
    std::exception_ptr below = std::exchange(ir::Context::current().error_below, nullptr);
    if (!below) throw;
    try {
      std::rethrow_exception(below);
    } catch (ir::Error& error) {
      locate(error, at);
      throw;
    }
  } catch (ir::Error& error) {
    locate(error, at);
    throw;
  }
  if (call.destination() != kVoid) registers[static_cast<size_t>(call.destination())] = std::move(result);
}

static thread_local std::string_view running;
std::string_view running_graph() { return running; }
RunningGraph::RunningGraph(std::string_view name) : before_(std::exchange(running, name)) {}
RunningGraph::~RunningGraph() { running = before_; }

void Machine::run(const FunctionInfo& fn, Registers& registers, Any* result) {
  RunningGraph graph(fn.name);
  std::vector<ffi::AnyView> args;
  int64_t at = fn.start;
  while (true) {
    Instruction each = program().instruction(at);
    switch (each.opcode()) {
      case Opcode::kCall:
        call_instruction(each, at, registers, args);
        ++at;
        break;
      case Opcode::kReturn:
        *result = each.source() == kVoid ? Any() : std::move(registers[static_cast<size_t>(each.source())]);
        return;
      case Opcode::kGoto:
        at += each.offset();
        break;
      case Opcode::kIf:
        at += registers[static_cast<size_t>(each.source())].cast<int64_t>() != 0 ? 1 : each.offset();
        break;
      default:
        throw refuse(refusals["vm-unknown-opcode"], at - fn.start, fn.name);
    }
  }
}

void Machine::call(int64_t function, ffi::PackedArgs args, Any* result) {
  std::vector<Any> own;
  for (int i = 0; i < args.size(); ++i) own.push_back(kept(args[i]));
  std::vector<ffi::AnyView> views(own.begin(), own.end());
  invoke(function, ffi::PackedArgs(views.data(), static_cast<int32_t>(views.size())), result);
}

void Machine::call_value(const Any& callee, ffi::PackedArgs args, Any* result) {
  if (auto fn = callee.as<ffi::Function>()) return fn->CallPacked(args, result);
  auto* closure = callee.as<ClosureNode>();
  if (closure == nullptr) throw refuse(refusals["vm-not-callable"], ir::type_name(callee));
  std::vector<ffi::AnyView> all{static_cast<void*>(this)};
  all.insert(all.end(), args.data(), args.data() + args.size());
  closure->impl.CallPacked(ffi::PackedArgs(all.data(), static_cast<int32_t>(all.size())), result);
}

// ---- what scripts ask ----

bool Machine::ImplementsFunction(const ffi::String& name) {
  std::string wanted(name);
  return saved_.count(wanted) != 0 || index_of(wanted) >= 0 || service(wanted).has_value();
}

ffi::Optional<ffi::Function> Machine::GetFunction(const ffi::String& name) {
  std::string wanted(name);
  if (auto saved = saved_.find(wanted); saved != saved_.end()) {
    return ffi::Function::FromPacked([function = *GetFunction(saved->second.function), saved = saved->second](
                                         ffi::PackedArgs, Any* result) {
      std::vector<ffi::AnyView> views(saved.args.begin(), saved.args.end());
      Any made;
      function.CallPacked(ffi::PackedArgs(views.data(), static_cast<int32_t>(views.size())), &made);
      if (saved.with_result) *result = std::move(made);
    });
  }
  if (int64_t index = index_of(wanted); index >= 0) {
    return ffi::Function::FromPacked([this, keep = module_of(this), index](
                                         ffi::PackedArgs args, Any* result) { call(index, args, result); });
  }
  if (auto found = service(wanted)) return *found;
  return std::nullopt;
}

void Machine::save_function(const ffi::PackedArgs& args) {
  std::string name = text_of(args[0]), saved = text_of(args[1]);
  bool with_result = args[2].cast<int64_t>() != 0;
  if (index_of(saved) >= 0) throw refuse(refusals["vm-name-taken"], saved);
  if (!ImplementsFunction(name))
    throw ir::Error("no-such-function", "the module has no function `{}`", name).kind("ValueError");
  std::vector<Any> bound;
  for (int i = 3; i < args.size(); ++i) bound.push_back(kept(args[i]));
  saved_.insert_or_assign(saved, Saved{name, std::move(bound), with_result});
}

// The element of the last result of a function that indices name.
const Any& Machine::output(const ffi::PackedArgs& args) const {
  std::string name = text_of(args[0]);
  auto found = outputs_.find(name);
  if (found == outputs_.end()) throw refuse(refusals["vm-no-output"], name);
  const Any* value = &found->second;
  for (int i = 1; i < args.size(); ++i) {
    auto* items = value->as<ffi::ArrayObj>();
    int64_t index = args[i].cast<int64_t>();
    if (items == nullptr) throw refuse(refusals["vm-output-no-tuple"], name, index);
    if (index < 0 || index >= static_cast<int64_t>(items->size()))
      throw refuse(refusals["vm-output-index"], name, index);
    value = items->begin() + index;
  }
  return *value;
}

std::optional<ffi::Function> Machine::service(std::string_view name) {
  auto made = [this](auto body) {
    return ffi::Function::FromPacked(
        [keep = module_of(this), body](ffi::PackedArgs args, Any* result) { body(args, result); });
  };
  auto info = [this](ffi::AnyView given) -> const FunctionInfo& {
    std::string wanted = text_of(given);
    if (const FunctionInfo* fn = program().find(wanted)) return *fn;
    throw ir::Error("no-such-function", "the module has no function `{}`", wanted).kind("ValueError");
  };
  if (name == "vm_initialization") {
    // Triples of device type, device and kind of allocator (1: naive, 2: pooled).
    return made([this](ffi::PackedArgs args, Any*) {
      std::vector<std::shared_ptr<Pool>> pools;
      for (int i = 0; i + 2 < args.size(); i += 3) {
        DLDevice device{static_cast<DLDeviceType>(args[i].cast<int64_t>()),
                        static_cast<int32_t>(args[i + 1].cast<int64_t>())};
        if (device.device_type != kDLCPU) ir::device_api(device);  // refuses what is not there
        pools.push_back(std::make_shared<Pool>(args[i + 2].cast<int64_t>() == 1, device));
      }
      if (pools.empty()) pools.push_back(std::make_shared<Pool>(false));
      initialize(std::move(pools));
    });
  }
  if (name == "invoke_closure") {
    return made([this](ffi::PackedArgs args, Any* result) {
      std::vector<Any> own;
      for (int i = 1; i < args.size(); ++i) own.push_back(kept(args[i]));
      std::vector<ffi::AnyView> views(own.begin(), own.end());
      call_value(Any(args[0]), ffi::PackedArgs(views.data(), static_cast<int32_t>(views.size())), result);
    });
  }
  if (name == "save_function") return made([this](ffi::PackedArgs args, Any*) { save_function(args); });
  if (name == "set_input") {
    return made([this, info](ffi::PackedArgs args, Any*) {
      const FunctionInfo& fn = info(args[0]);
      if (args.size() - 1 != fn.num_args)
        throw refuse(refusals["vm-argument-count"], fn.name, fn.num_args, parameters_of(fn), args.size() - 1);
      std::vector<Any> inputs;
      if (pools_.empty()) throw refuse(refusals["vm-not-initialized"]);
      for (int i = 1; i < args.size(); ++i) inputs.push_back(brought_to(pools_[0]->device(), kept(args[i])));
      inputs_.insert_or_assign(fn.name, std::move(inputs));
    });
  }
  if (name == "invoke_stateful") {
    return made([this, info](ffi::PackedArgs args, Any*) {
      const FunctionInfo& fn = info(args[0]);
      auto found = inputs_.find(fn.name);
      if (found == inputs_.end()) throw refuse(refusals["vm-no-inputs"], fn.name);
      std::vector<ffi::AnyView> views(found->second.begin(), found->second.end());
      Any result;
      invoke(program().index.at(fn.name), ffi::PackedArgs(views.data(), static_cast<int32_t>(views.size())),
             &result);
      outputs_.insert_or_assign(fn.name, std::move(result));
    });
  }
  if (name == "get_output") {
    return made([this](ffi::PackedArgs args, Any* result) { *result = output(args); });
  }
  if (name == "get_output_arity") {
    return made([this](ffi::PackedArgs args, Any* result) {
      auto* items = output(args).as<ffi::ArrayObj>();
      *result = items == nullptr ? int64_t{-1} : static_cast<int64_t>(items->size());
    });
  }
  if (name == "get_function_arity") {
    return made([info](ffi::PackedArgs args, Any* result) {
      *result = std::max<int64_t>(info(args[0]).num_args, 0);
    });
  }
  if (name == "get_function_param_name") {
    return made([info](ffi::PackedArgs args, Any* result) {
      const FunctionInfo& fn = info(args[0]);
      int64_t index = args[1].cast<int64_t>();
      if (index < 0 || index >= static_cast<int64_t>(fn.param_names.size()))
        throw refuse(refusals["vm-no-parameter"], fn.name, index);
      *result = ffi::String(fn.param_names[static_cast<size_t>(index)]);
    });
  }
  if (name == "set_instrument") {
    return made([this](ffi::PackedArgs args, Any*) {
      instrument_ = args[0] == nullptr ? std::nullopt : std::optional(args[0].cast<ffi::Function>());
    });
  }
  return std::nullopt;
}

}  // namespace mlc::vm
