// SPDX-License-Identifier: Apache-2.0
// The functions that compiled graphs call beside tensor functions: vm.builtin.* and relax.run.*, with TVM
// 0.27's names and arguments.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/tensor.h>

#include <optional>
#include <string_view>

#include "ir/core/object.h"

namespace mlc::vm {

// What is given, where it is of that type; of references nothing is null.
template <class T>
std::optional<T> value_as(ir::ffi::AnyView given) {
  if (given.type_index() == ir::ffi::TypeIndex::kTVMFFINone) return std::nullopt;
  return given.as<T>();
}
// The same of an argument that a builtin must have. Error: vm-wrong-value.
[[noreturn]] void refuse_argument(ir::ffi::AnyView given, std::string_view builtin, std::string_view wanted);
// A tensor on the CPU, whose numbers can be read. Error: vm-wrong-device.
ir::ffi::Tensor host_tensor(const ir::ffi::Tensor& tensor, std::string_view builtin);
template <class T>
T value_of(ir::ffi::AnyView given, std::string_view builtin, std::string_view wanted) {
  if (std::optional<T> value = value_as<T>(given)) {
    if constexpr (std::is_same_v<T, ir::ffi::Tensor>) return host_tensor(*value, builtin);
    return *value;
  }
  refuse_argument(given, builtin, wanted);
}

// The graph that runs on this thread, for what builtins refuse; empty where none does.
std::string_view running_graph();
class RunningGraph {
 public:
  explicit RunningGraph(std::string_view name);
  ~RunningGraph();
  RunningGraph(const RunningGraph&) = delete;
  RunningGraph& operator=(const RunningGraph&) = delete;

 private:
  std::string_view before_;
};

void register_shape_builtins();
void register_value_builtins();
void register_search_builtins();
void register_kv_cache_builtins();
void register_paged_cache_builtins();
void register_sampling_builtins();

}  // namespace mlc::vm
