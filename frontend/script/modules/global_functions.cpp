// SPDX-License-Identifier: Apache-2.0
// Functions that libraries and scripts share by name.
#include "frontend/script/modules/global_functions.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "frontend/script/modules/traceback.h"
#include "ir/core/freeze.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/registry/api.h"
#include "ir/registry/context.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{"RuntimeError",
                                       {
                                           {.name = "function-exists",
                                            .message = "there is a global function `{}` already",
                                            .help = "`override=True` replaces it",
                                            .meaning = "A global function is registered under a name once.",
                                            .wrong = R"(import tvm
tvm.register_global_func("twice.f", lambda: 1)
tvm.register_global_func("twice.f", lambda: 2))",
                                            .right = R"(import tvm
tvm.register_global_func("once.f", lambda: 1)
tvm.register_global_func("once.f", lambda: 2, override=True))"},
                                       }};
MLC_REFUSALS(modules_global_functions, refusals);

// A function by its name: it is looked up again where JSON is read.
struct EnvFuncNode final : tvm::ffi::Object {
  ir::String name;
  tvm::ffi::Function func;

  EnvFuncNode(ir::String name, tvm::ffi::Function func) : name(std::move(name)), func(std::move(func)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("mlc.ir.EnvFunc", EnvFuncNode, tvm::ffi::Object);
};
using EnvFunc = ir::Ref<EnvFuncNode>;

namespace {

namespace ffi = tvm::ffi;
using ir::Any;
using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::Error;

// TVM registers its passes and analyses as well: "tirx.transform.UnrollLoop",
// "s_tir.analysis.verify_gpu_code". They are those of the modules of these names.
const ir::Api* pass_or_analysis(std::string name) {
  if (name.find(".transform.") == name.npos && name.find(".analysis.") == name.npos) return nullptr;
  // Some analyses have other names in their modules.
  static constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"s_tir.analysis.EstimateTIRFlops", "s_tir.analysis.estimate_tir_flops"},
      {"s_tir.analysis.GetSBlockAccessRegion", "s_tir.analysis.get_sblock_access_region"},
      {"s_tir.analysis.GetSBlockReadWriteRegion", "s_tir.analysis.get_sblock_read_write_region"},
      {"s_tir.analysis.VerifyWellFormed", "s_tir.analysis.verify_well_formed"},
      {"tirx.analysis.UndefinedVars", "tirx.analysis.undefined_vars"},
      {"tirx.analysis.VerifyTIRxWellFormed", "tirx.analysis.verify_tirx_well_formed"},
      {"tirx.analysis.VerifyWellFormed", "tirx.analysis.verify_well_formed"},
  };
  for (const auto& [registered, own] : others)
    if (name == registered) name = own;
  const ir::Api* api = ir::ApiRegistry::global().find("tvm." + name);
  return api != nullptr && api->row.kind == ApiKind::kFunction ? api : nullptr;
}

Any get_global_func(ApiCall& call) {
  auto name = ir::detail::argument<std::string>(call, 0);
  define_of_library(name, call.host);
  if (auto found = ffi::Function::GetGlobal(name)) return *found;
  if (const ir::Api* api = pass_or_analysis(name)) {
    return ffi::Function::FromPacked([&host = call.host, api](ffi::PackedArgs args, ffi::Any* result) {
      std::vector<Any> given;
      for (int i = 0; i < args.size(); ++i) given.emplace_back(args[i]);
      *result = ir::call_api(*api, host, {given, {}, {}, {}, {}});
    });
  }
  if (ir::detail::argument<bool>(call, 1)) return nullptr;
  raise("ValueError", call.span_of(0), "no-such-function", "there is no global function `{}`", name);
}

// An array of compiled code, on its stack, as a tensor for the time of a call.
class BorrowedTensor {
 public:
  explicit BorrowedTensor(const DLTensor& array) {
    auto* own = new Own;
    own->shape.assign(array.shape, array.shape + array.ndim);
    own->strides.assign(own->shape.size(), 1);
    for (size_t i = own->shape.size(); i-- > 1;) own->strides[i - 1] = own->strides[i] * own->shape[i];
    if (array.strides != nullptr) own->strides.assign(array.strides, array.strides + array.ndim);
    own->managed.dl_tensor = array;
    own->managed.dl_tensor.shape = own->shape.data();
    own->managed.dl_tensor.strides = own->strides.data();
    own->managed.manager_ctx = own;
    own->managed.deleter = [](DLManagedTensor* self) { delete static_cast<Own*>(self->manager_ctx); };
    own_ = own;
    tensor_ = ffi::Tensor::FromDLPack(&own->managed);
  }
  BorrowedTensor(const BorrowedTensor&) = delete;
  BorrowedTensor(BorrowedTensor&& other) noexcept : tensor_(std::move(other.tensor_)), own_(other.own_) {}
  // Who has kept the tensor keeps what it held.
  ~BorrowedTensor() {
    if (!tensor_.defined() || tensor_.unique()) return;
    auto* held = const_cast<DLTensor*>(tensor_.GetDLTensorPtr());
    own_->kept = ir::contiguous(tensor_);
    if (own_->kept->same_as(tensor_)) {
      own_->kept = ir::make_tensor(own_->shape, held->dtype);
      std::memcpy(own_->kept->data_ptr(), static_cast<char*>(held->data) + held->byte_offset,
                  ffi::GetDataSize(*held));
    }
    held->data = own_->kept->data_ptr();
    held->byte_offset = 0;
    std::ranges::copy(own_->kept->strides(), own_->strides.begin());
  }
  const ffi::Tensor& tensor() const { return tensor_; }

 private:
  struct Own {
    DLManagedTensor managed{};
    std::vector<int64_t> shape, strides;
    std::optional<ffi::Tensor> kept;
  };
  ffi::Tensor tensor_;
  Own* own_;
};

// As TVM passes it: lists are arrays, and dicts are maps. What no map can hold stays.
Any passed(const Any& value) {
  bool container = value.as<ffi::List<Any>>() || value.as<ffi::Dict<Any, Any>>();
  return container ? ir::freeze(value) : value;
}

// The names that programs have changed, with what was registered before.
struct Changed {
  std::mutex mutex;
  std::map<std::string, std::optional<ffi::Function>> before;

  static Changed& names() {
    static Changed* own = new Changed;
    return *own;
  }
  void add(const std::string& name, ir::Span where) {
    if (stands_in_library(where)) return;
    std::lock_guard lock(mutex);
    before.try_emplace(name, ffi::Function::GetGlobal(name));
  }
};

// `where`: the call that registers it.
void define(ir::Host& host, const std::string& name, const Any& callee, bool override, ir::Span where) {
  if (!override && ffi::Function::GetGlobal(name)) {
    throw ir::refuse(refusals["function-exists"], name);
  }
  Changed::names().add(name, where);
  ffi::Function made = function_of(host, callee);
  ffi::Function::SetGlobal(name, made, override);
  host.at_end([name, made] {
    auto there = ffi::Function::GetGlobal(name);
    if (there && there->same_as(made)) ffi::Function::RemoveGlobal(name);
  });
}

// Called with a function, with a name and a function, or as a decorator with a name or nothing.
Any register_global_func(ApiCall& call) {
  bool override = ir::detail::argument<bool>(call, 2);
  if (call.host.callable(call.args[0])) {
    Any name;
    if (!call.host.find_attribute(call.args[0], "__name__", name)) ir::wrong_argument(call, 0, "str");
    auto own = std::string(name.cast<ir::String>());
    define(call.host, own, call.args[0], override, call.span);
    return *ffi::Function::GetGlobal(own);
  }
  auto name = ir::detail::argument<std::string>(call, 0);
  ir::Host& host = call.host;
  if (call.args[1] == nullptr) {
    return ffi::Function::FromPacked(
        [&host, name, override, where = call.span](ffi::PackedArgs args, ffi::Any* result) {
          define(host, name, Any(args[0]), override, where);
          *result = *ffi::Function::GetGlobal(name);
        });
  }
  if (!call.host.callable(call.args[1])) ir::wrong_argument(call, 1, "callable");
  define(host, name, call.args[1], override, call.span);
  return *ffi::Function::GetGlobal(name);
}

Any list_global_func_names(ApiCall&) {
  ffi::List<Any> names;
  for (const ir::String& name : ffi::Function::ListGlobalNames()) names.push_back(name);
  return names;
}

EnvFunc env_func(const ir::String& name) {
  auto found = ffi::Function::GetGlobal(name);
  if (!found)
    throw Error("no-such-function", "there is no global function `{}`", name.c_str()).kind("InternalError");
  return ir::make<EnvFuncNode>(name, *found);
}
const EnvFuncNode& env_self(const ApiCall& call) { return *call.args[0].as<EnvFuncNode>(); }
Any env_get(ApiCall& call) {
  try {
    return env_func(ir::detail::argument<ir::String>(call, 0));
  } catch (Error& error) {
    throw std::move(error).at(call.span_of(0));
  }
}
Any no_env_func(ApiCall& call) {
  raise("TypeError", call.span, "not-constructible", "`EnvFunc.get(name)` finds the function of that name");
}
Any env_name(ApiCall& call) { return env_self(call).name; }
Any env_function(ApiCall& call) { return env_self(call).func; }
Any env_call(ApiCall& call) {
  std::vector<Any> given;
  for (const Any& one : call.args[1].cast<ir::Array<Any>>()) given.push_back(one);
  return call.host.call(Any(env_self(call).func), given);
}
Any env_text(ApiCall& call) {
  return ir::String(fmt::format("ir.EnvFunc(name=\"{}\", func=ffi.Function)", env_self(call).name.c_str()));
}

constexpr std::string_view kEnvFunc = "mlc.ir.EnvFunc";
const ApiRow global_functions_table[] = {
    {ApiKind::kClass, "tvm.ir", "EnvFunc()", "A function by its name, in JSON too.", no_env_func, kEnvFunc,
     "tvm.ir.base.EnvFunc"},
    {ApiKind::kFunction, "tvm.ir.EnvFunc", "get(name)", "The function that was registered under a name.",
     env_get},
    {ApiKind::kProperty, kEnvFunc, "name", "Under which it was registered.", env_name},
    {ApiKind::kProperty, kEnvFunc, "func", "The function itself.", env_function},
    {ApiKind::kMethod, kEnvFunc, "__call__(*args)", "Calls the function.", env_call},
    {ApiKind::kMethod, kEnvFunc, "__repr__()", "Its name.", env_text},
    {ApiKind::kMethod, kEnvFunc, "__str__()", "Its name.", env_text},
    {ApiKind::kFunction, "tvm", "get_global_func(name, allow_missing=False)",
     "The function that a library or script registered under a name.", get_global_func},
    {ApiKind::kFunction, "tvm", "register_global_func(func_name, f=None, override=False)",
     "Registers a function under a name, for others to find; a decorator without `f`.", register_global_func},
    {ApiKind::kFunction, "tvm_ffi", "remove_global_func(name)", "Forgets the function of that name.",
     ir::native([](ApiCall& call, std::string name) {
       Changed::names().add(name, call.span);
       ffi::Function::RemoveGlobal(name);
     })},
    {ApiKind::kFunction, "tvm_ffi.registry", "list_global_func_names()",
     "The names of all functions that libraries and scripts registered.", list_global_func_names},
};

}  // namespace

std::vector<GlobalFunction> functions_of_programs() {
  Changed& changed = Changed::names();
  std::lock_guard lock(changed.mutex);
  std::vector<GlobalFunction> all;
  for (const auto& [name, before] : changed.before)
    all.push_back({name, before, ffi::Function::GetGlobal(name)});
  return all;
}

void set_global_function(const std::string& name, const std::optional<ffi::Function>& function) {
  if (function) {
    ffi::Function::SetGlobal(name, *function, true);
  } else {
    ffi::Function::RemoveGlobal(name);
  }
}

ffi::Function function_of(ir::Host& host, const Any& callee) {
  return ffi::Function::FromPacked([&host, callee](ffi::PackedArgs args, ffi::Any* result) {
    std::vector<BorrowedTensor> borrowed;
    std::vector<Any> given;
    for (int i = 0; i < args.size(); ++i) {
      if (args[i].type_index() == ffi::TypeIndex::kTVMFFIDLTensorPtr) {
        borrowed.emplace_back(*args[i].cast<DLTensor*>());
        given.emplace_back(borrowed.back().tensor());
      } else {
        given.push_back(passed(Any(args[i])));
      }
    }
    try {
      *result = passed(host.call(callee, given));
    } catch (...) {
      host.leave();
    }
    ir::Context::current().error_below = nullptr;  // what failed inside has been handled
    given.clear();
  });
}

void define_of_library(std::string_view name, ir::Host& host) {
  static constexpr std::pair<std::string_view, std::string_view> families[] = {
      {"tvm.contrib.sort.", "tvm.topi.sort"},
      {"tvm.contrib.random.", "tvm.contrib.random"},
      {"relax.run.", "tvm.relax.run"},
      {"vm.builtin.debug_print", "tvm.relax.run"},
      {"s_tir.schedule.", "tvm.s_tir.schedule.by_name"},
      {"tir.schedule.", "tvm.s_tir.schedule.by_name"},  // until 2026
  };
  for (const auto& [begin, module] : families) {
    if (name.starts_with(begin) && !ffi::Function::GetGlobal(name)) host.call_library(module, "define", {});
  }
}

void define_of_library(const ir::IRModule& mod, ir::Host& host) {
  for (const auto& [name, fn] : mod->functions) {
    auto* prim = fn.as<ir::PrimFuncNode>();
    if (prim == nullptr) continue;
    ir::post_order(
        prim->body,
        [&](const ir::Expr& e) {
          if (auto* text = ir::as<ir::StringImmNode>(e))
            define_of_library({text->value.data(), text->value.size()}, host);
        },
        nullptr);
  }
}

void register_global_functions() {
  namespace refl = ffi::reflection;
  refl::ObjectDef<EnvFuncNode>(refl::init(false)).def_ro("name", &EnvFuncNode::name);
  refl::TypeAttrDef<EnvFuncNode>()
      .def(refl::type_attr::kDataToJson, [](const EnvFuncNode* node) { return node->name; })
      .def(refl::type_attr::kDataFromJson, [](const ir::String& name) { return env_func(name); });
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  registry.add(global_functions_table);
  registry.alias("tvm.register_func", "tvm.register_global_func");
  registry.alias("tvm_ffi.get_global_func", "tvm.get_global_func");
  registry.alias("tvm_ffi.register_global_func", "tvm.register_global_func");
  registry.alias("tvm_ffi.registry.get_global_func", "tvm.get_global_func");
  registry.alias("tvm_ffi.registry.register_global_func", "tvm.register_global_func");
  registry.alias("tvm_ffi.registry.remove_global_func", "tvm_ffi.remove_global_func");
}

}  // namespace mlc::script
