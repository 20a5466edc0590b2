// SPDX-License-Identifier: Apache-2.0
// Functions of the runtime that programs and compiled code find by their names.
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include "backend/runtime/context_symbols.h"
#include "backend/runtime/parallel.h"
#include "backend/runtime_functions.h"
#include "ir/core/inputs.h"
#include "ir/core/object.h"
#include "ir/registry/context.h"
#include "ir/target/device_api.h"

namespace mlc::backend {

namespace ffi = tvm::ffi;
using ir::Any;
using ir::Error;

void register_runtime_functions() {
  namespace refl = ffi::reflection;
  runtime::register_context_symbols();
  // What timing calls before each measurement: the tensors but the first leave the caches.
  refl::GlobalDef().def_packed("cache_flush_cpu_non_first_arg", [](ffi::PackedArgs args, ffi::Any*) {
    for (int i = 1; i < args.size(); ++i) {
      auto tensor = args[i].try_cast<ffi::Tensor>();
      if (!tensor) continue;
#ifdef __x86_64__
      const auto* bytes = static_cast<const char*>(tensor->data_ptr());
      constexpr size_t kCacheLine = 64;
      for (size_t at = 0; at < ffi::GetDataSize(*tensor->GetDLTensorPtr()); at += kCacheLine)
        __builtin_ia32_clflush(bytes + at);
#else
      throw Error("not-supported", "nobody here knows how to empty the caches of this processor");
#endif
    }
  });
  // What host code says before it launches kernels.
  refl::GlobalDef().def("__tvm_set_device", [](int64_t type, int64_t id) {
    if (type == kDLCPU) return;
    DLDevice device{static_cast<DLDeviceType>(type), static_cast<int32_t>(id)};
    try {
      ir::device_api(device).make_current(device.device_id);
    } catch (const Error& error) {
      ir::Context::current().error_below = std::current_exception();
      const std::string& kind = error.first().kind;
      throw ffi::Error(kind.substr(0, kind.find('+')), error.first().message, "");
    }
  });
  // How many threads run parallel loops. The mode chooses among cores of several kinds in TVM; the names of
  // cores are not looked at, as there.
  refl::GlobalDef()
      .def("runtime.NumThreads",
           [] {
             ir::Inputs::global().beyond();
             return static_cast<int64_t>(mlc_num_threads());
           })
      .def_packed("runtime.config_threadpool", [](ffi::PackedArgs args, ffi::Any*) {
        if (args.size() < 2)
          throw Error("wrong-argument-count", "a mode and a number of threads").kind("TypeError");
        args[0].cast<int64_t>();
        mlc_limit_threads(static_cast<int32_t>(args[1].cast<int64_t>()));
      });
  // What programs try the passing of values with.
  refl::GlobalDef()
      .def("testing.echo",
           [](Any value) -> Any {
             if (auto list = value.as<ffi::List<Any>>()) return ir::Array<Any>(list->begin(), list->end());
             return value;
           })
      .def_packed("testing.nop", [](ffi::PackedArgs, ffi::Any*) {})
      .def_packed("testing.apply",
                  [](ffi::PackedArgs args, ffi::Any* result) {
                    args[0].cast<ffi::Function>().CallPacked(args.Slice(1), result);
                  })
      .def("testing.test_raise_error", [](ir::String kind, ir::String message) {
        throw ffi::Error(std::string(kind), std::string(message), "");
      });
}

}  // namespace mlc::backend
