// SPDX-License-Identifier: Apache-2.0
// The part of CUDA's driver interface that is used here, and the library that has it.
//
// Declared here rather than included: programs are built where no toolkit is, and run where no driver is. The
// names are the driver's; of functions with a `_v2` the table has that one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mlc::cuda_backend {

using Result = int;
using DeviceNumber = int;
using Address = unsigned long long;  // of memory on a device
using Context = struct ContextObject*;
using Stream = struct StreamObject*;
using ModuleHandle = struct ModuleObject*;
using FunctionHandle = struct FunctionObject*;

constexpr Result kSuccess = 0;

enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockDimX = 2,  // y and z follow
  kMaxGridDimX = 5,   // y and z follow
  kWarpSize = 10,
  kMaxSharedMemory = 8,
  kMaxRegistersPerBlock = 12,
  kClockRate = 13,
  kMultiprocessorCount = 16,
  kL2CacheSize = 38,
  kMajor = 75,
  kMinor = 76,
  kMaxSharedMemoryOptin = 97,
};
enum FunctionAttribute : int {
  kFunctionMaxThreads = 0,
  kSharedSize = 1,
  kRegisters = 4,
  kMaxDynamicSharedSize = 8,
  kNonPortableClusterSize = 13
};

enum LaunchAttributeId : int { kCooperative = 2, kClusterDimension = 4, kProgrammaticSerialization = 6 };
struct LaunchAttribute {
  int id = 0;
  int padding = 0;
  union {
    char all[64] = {};
    int number;
    unsigned int extents[3];
  };
};
struct LaunchConfig {
  unsigned int grid[3];
  unsigned int block[3];
  unsigned int shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned int attribute_count;
};

#define MLC_CUDA_FUNCTIONS(F)                                                                            \
  F(Init, "cuInit", (unsigned int))                                                                      \
  F(DriverGetVersion, "cuDriverGetVersion", (int*))                                                      \
  F(DeviceGetCount, "cuDeviceGetCount", (int*))                                                          \
  F(DeviceGet, "cuDeviceGet", (DeviceNumber*, int))                                                      \
  F(DeviceGetName, "cuDeviceGetName", (char*, int, DeviceNumber))                                        \
  F(DeviceGetAttribute, "cuDeviceGetAttribute", (int*, int, DeviceNumber))                               \
  F(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t*, DeviceNumber))                                      \
  F(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context*, DeviceNumber))                        \
  F(CtxSetCurrent, "cuCtxSetCurrent", (Context))                                                         \
  F(MemGetInfo, "cuMemGetInfo_v2", (size_t*, size_t*))                                                   \
  F(MemAlloc, "cuMemAlloc_v2", (Address*, size_t))                                                       \
  F(MemFree, "cuMemFree_v2", (Address))                                                                  \
  F(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (Address, const void*, size_t, Stream))                     \
  F(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void*, Address, size_t, Stream))                           \
  F(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (Address, Address, size_t, Stream))                         \
  F(StreamCreate, "cuStreamCreate", (Stream*, unsigned int))                                             \
  F(StreamDestroy, "cuStreamDestroy_v2", (Stream))                                                       \
  F(StreamSynchronize, "cuStreamSynchronize", (Stream))                                                  \
  F(ModuleLoadData, "cuModuleLoadData", (ModuleHandle*, const void*))                                    \
  F(ModuleUnload, "cuModuleUnload", (ModuleHandle))                                                      \
  F(ModuleGetFunction, "cuModuleGetFunction", (FunctionHandle*, ModuleHandle, const char*))              \
  F(FuncGetAttribute, "cuFuncGetAttribute", (int*, int, FunctionHandle))                                 \
  F(FuncSetAttribute, "cuFuncSetAttribute", (FunctionHandle, int, int))                                  \
  F(LaunchKernel, "cuLaunchKernel",                                                                      \
    (FunctionHandle, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, \
     unsigned int, Stream, void**, void**))                                                              \
  F(GetErrorName, "cuGetErrorName", (Result, const char**))                                              \
  F(GetErrorString, "cuGetErrorString", (Result, const char**))

struct Driver {
#define MLC_MEMBER(name, symbol, arguments) Result(*name) arguments = nullptr;
  MLC_CUDA_FUNCTIONS(MLC_MEMBER)
#undef MLC_MEMBER
  // Launches with attributes; null where the driver is older than CUDA 12.
  Result (*LaunchKernelEx)(const LaunchConfig*, FunctionHandle, void**, void**) = nullptr;
  // Fills a descriptor of a tensor for bulk copies; null where the driver is older than CUDA 12.
  Result (*TensorMapEncodeTiled)(void* map, int dtype, unsigned int rank, void* address,
                                 const uint64_t* sizes, const uint64_t* strides, const uint32_t* box,
                                 const uint32_t* steps, int interleave, int swizzle, int promotion,
                                 int fill) = nullptr;

  std::string why_not;  // it could not be loaded or started; "" where it was
};

// Looked for and started once: `MLC_CUDA_LIBRARY` of the environment, else the system's libcuda.so.1.
const Driver& driver();
// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"
std::string result_text(Result result);

}  // namespace mlc::cuda_backend
