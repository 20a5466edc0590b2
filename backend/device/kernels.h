// SPDX-License-Identifier: Apache-2.0
// What a module of kernels knows of each, whoever compiles it: parameters, and how it is launched.
#pragma once

#include <tvm/ffi/function.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::device {

struct KernelInfo {
  std::string name;
  std::vector<DLDataType> params;  // handles for memory of the device
  std::vector<std::string>
      launch;  // "blockIdx.x", ...: what stands behind the parameters in a call, in this order
};
using Kernels = std::map<std::string, KernelInfo>;

// Functions of a host and kernels, apart.
struct Split {
  ir::IRModule host, kernels;
};
// Kernels are what SplitHostDevice has made, and the functions that those call. Error: mixed-targets where
// some are for another kind than `target`.
Split split(const ir::IRModule& lowered, const ir::Target& target);
Kernels kernels_of(const ir::IRModule& kernels);

// As TVM 0.27's modules write it: with the format of the code, the kernels and the code itself.
std::string to_bytes(std::string_view format, const Kernels& kernels, std::string_view code);
struct FromBytes {
  std::string format;
  Kernels kernels;
  std::string code;
};
// Error: not-a-module.
FromBytes from_bytes(std::string_view bytes);

// A text per kernel, where each is compiled by itself.
using Texts = std::map<std::string, std::string>;
// As TVM 0.27's modules of such texts write it: `format` is empty where a kind of module has but one.
std::string to_bytes(std::string_view format, const Kernels& kernels, const Texts& texts);
// Error: not-a-module.
std::pair<Kernels, Texts> texts_from_bytes(std::string_view bytes, bool has_format);

// Blocks of a cluster: that every GPU with clusters runs side by side, and that any one does.
constexpr size_t kPortableCluster = 8, kLargestCluster = 16;

// One launch: extents are 1 where the call says nothing of them.
struct Launch {
  std::array<size_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  size_t dynamic_shared = 0;  // bytes
  bool cooperative = false;   // all blocks run at once
  bool dependent = false;     // it may begin before the launch before it ends

  size_t threads() const { return block[0] * block[1] * block[2]; }
  size_t cluster_size() const { return cluster[0] * cluster[1] * cluster[2]; }
  bool is_empty() const { return grid[0] * grid[1] * grid[2] * threads() == 0; }
};
// Of what stands behind the parameters in a call. Error: wrong-launch.
Launch launch_of(const KernelInfo& kernel, ir::ffi::PackedArgs args);

// The value of a parameter as the device takes it: the address of `bytes` of it.
struct ParamValue {
  alignas(64) std::array<char, 128> bytes{};  // as many as a tensor map has
  size_t size = 0;
};
// Error: wrong-launch.
ParamValue param_value(const KernelInfo& kernel, size_t index, ir::ffi::AnyView given);

// What a device can take.
struct Limits {
  std::string device;                     // "the device `cpu-skylake`", "the target"
  size_t threads = 0;                     // of a block; 0: not known
  std::array<size_t, 3> block{}, grid{};  // 0: not known
  size_t shared = 0;                      // bytes of a block
};
// Error launch-too-large, which says of which kernel, what it asks for and what there is. `shared`: bytes
// that the kernel has beside the dynamic ones.
void check_limits(const KernelInfo& kernel, const Launch& launch, size_t shared, const Limits& limits);

// `body` as a function that code of a host calls. What it refuses arrives at whoever has called that code as
// it is.
ir::ffi::Function for_host(std::function<void(ir::ffi::PackedArgs)> body);

}  // namespace mlc::device
