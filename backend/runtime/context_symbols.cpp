// SPDX-License-Identifier: Apache-2.0
// The signatures are those of TVM's c_backend_api.h.
#include "backend/runtime/context_symbols.h"

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cstdlib>
#include <exception>

#include "backend/runtime/parallel.h"
#include "ir/core/error.h"
#include "ir/registry/context.h"
#include "ir/target/device_api.h"

// Libraries find these by their names, in the program that loads them (CMakeLists.txt exports them). Lists of values are
// the registers, constants and functions of compiled graphs.
extern "C" {

__attribute__((visibility("default"))) int TVMBackendAnyListSetPackedArg(void* list, int index, TVMFFIAny* arguments, int at) {
  tvm::ffi::AnyView item = static_cast<tvm::ffi::Any*>(list)[index];
  arguments[at] = item.CopyToTVMFFIAny();
  return 0;
}

__attribute__((visibility("default"))) int TVMBackendAnyListResetItem(void* list, int index) {
  static_cast<tvm::ffi::Any*>(list)[index] = nullptr;
  return 0;
}

__attribute__((visibility("default"))) int TVMBackendAnyListMoveFromPackedReturn(void* list, int index, TVMFFIAny* arguments, int at) {
  static_cast<tvm::ffi::Any*>(list)[index] = tvm::ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&arguments[at]);
  return 0;
}

}  // extern "C"

namespace mlc::runtime {

namespace {

int failed(const char* message) {
  TVMFFIErrorSetRaisedFromCStr("RuntimeError", message);
  return -1;
}

// What fails in the code that `body` calls is raised for the library around, and kept for whoever called that.
template <class F>
bool kept_error(F body) {
  try {
    body();
    return false;
  } catch (const ir::Error& error) {
    ir::Context::current().error_below = std::current_exception();
    const std::string& kind = error.first().kind;
    TVMFFIErrorSetRaisedFromCStr(kind.substr(0, kind.find('+')).c_str(), error.first().message.c_str());
    return true;
  }
}

// The library asks for memory of 64 bytes' alignment on the CPU.
void* allocate_workspace(int device_type, int device_id, uint64_t bytes, int, int) {
  if (device_type != kDLCPU) {
    void* memory = nullptr;
    DLDevice device{static_cast<DLDeviceType>(device_type), device_id};
    kept_error([&] { memory = ir::device_api(device).allocate(device_id, bytes); });
    return memory;
  }
  uint64_t rounded = (bytes + 63) / 64 * 64;
  return std::aligned_alloc(64, rounded == 0 ? 64 : rounded);
}
int free_workspace(int device_type, int device_id, void* memory) {
  if (device_type == kDLCPU) {
    std::free(memory);
    return 0;
  }
  DLDevice device{static_cast<DLDeviceType>(device_type), device_id};
  return kept_error([&] { ir::device_api(device).release(device_id, memory); }) ? -1 : 0;
}

struct TaskGroup {
  void* sync_handle;
  int32_t num_task;
};
using TaskFunction = int (*)(int task, TaskGroup* group, void* closure);
struct Launch {
  TaskFunction function;
  TaskGroup group;
  void* closure;
};
int32_t run_tasks(void* launch_of_tasks, int64_t begin, int64_t end) {
  auto* launch = static_cast<Launch*>(launch_of_tasks);
  for (int64_t task = begin; task < end; ++task) {
    int status = launch->function(static_cast<int>(task), &launch->group, launch->closure);
    if (status != 0) return status;
  }
  return 0;
}
// 0 tasks: as many as there are threads.
int launch_tasks(TaskFunction function, void* closure, int tasks) {
  if (tasks == 0) tasks = mlc_num_threads();
  Launch launch{function, {nullptr, tasks}, closure};
  return mlc_parallel_launch(run_tasks, &launch, tasks);
}
// Tasks may run one after the other on one thread, so none can wait for the others.
int wait_for_tasks(int, TaskGroup*) { return failed("tasks of a parallel loop cannot wait for each other here"); }

template <class F>
void add(const char* name, F* function) {
  TVMFFIEnvModRegisterContextSymbol(name, reinterpret_cast<void*>(function));
}

}  // namespace

std::span<ContextSymbol> workspace_symbols() {
  static ContextSymbol symbols[] = {{"__TVMBackendAllocWorkspace", reinterpret_cast<void*>(allocate_workspace)},
                                    {"__TVMBackendFreeWorkspace", reinterpret_cast<void*>(free_workspace)}};
  return symbols;
}

void register_context_symbols() {
  static const bool once = [] {
    add("__TVMFFIFunctionCall", TVMFFIFunctionCall);
    add("__TVMFFIErrorSetRaisedFromCStr", TVMFFIErrorSetRaisedFromCStr);
    add("__TVMBackendGetFuncFromEnv", TVMFFIEnvModLookupFromImports);
    for (const ContextSymbol& one : workspace_symbols()) TVMFFIEnvModRegisterContextSymbol(one.name, one.function);
    add("__TVMBackendParallelLaunch", launch_tasks);
    add("__TVMBackendParallelBarrier", wait_for_tasks);
    add("__TVMFFIEnvModLookupFromImports", TVMFFIEnvModLookupFromImports);
    add("__TVMFFIHandleInitOnce", TVMFFIHandleInitOnce);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace mlc::runtime
