// SPDX-License-Identifier: Apache-2.0
// The part of OpenCL's C interface that is used here, and the library that has it.
//
// Declared here rather than included: the interface is frozen since OpenCL 1.2, so a build needs no package
// for it, and the library itself is looked for when the first device is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mlc::opencl_backend {

// Names are OpenCL's without their prefix; handles are pointers to what only the driver knows.
using Status = int32_t;
using Flags = uint64_t;
using PlatformId = struct PlatformObject*;
using DeviceId = struct DeviceObject*;
using Context = struct ContextObject*;
using Queue = struct QueueObject*;
using Memory = struct MemoryObject*;
using Program = struct ProgramObject*;
using Kernel = struct KernelObject*;
using Event = struct EventObject*;

constexpr Status kSuccess = 0;
constexpr Status kDeviceNotFound = -1;
constexpr Status kBuildFailure = -11;
constexpr uint32_t kTrue = 1;

constexpr Flags kDeviceCpu = 1U << 1, kDeviceGpu = 1U << 2, kDeviceAccelerator = 1U << 3;
constexpr Flags kReadWrite = 1U << 0;

// Images: arrays of planes of texels of four channels.
constexpr uint32_t kImage2dArray = 0x10F3, kRgba = 0x10B5;
constexpr uint32_t kUnsigned16 = 0x10DB, kUnsigned32 = 0x10DC, kHalfFloat = 0x10DD, kFloat = 0x10DE;
struct ImageFormat {
  uint32_t order, channel;
};
struct ImageShape {
  uint32_t type;
  size_t width, height, depth, planes, row_bytes, plane_bytes;
  uint32_t mip_levels, samples;
  Memory memory;
};

enum DeviceInfo : uint32_t {
  kDeviceType = 0x1000,
  kMaxComputeUnits = 0x1002,
  kMaxWorkGroupSize = 0x1004,
  kMaxWorkItemSizes = 0x1005,
  kMaxClockFrequency = 0x100C,
  kMaxMemAllocSize = 0x1010,
  kImage2dMaxWidth = 0x1011,
  kImage2dMaxHeight = 0x1012,
  kImageSupport = 0x1016,
  kGlobalMemCacheSize = 0x101E,
  kGlobalMemSize = 0x101F,
  kLocalMemSize = 0x1023,
  kDeviceName = 0x102B,
  kDriverVersion = 0x102D,
  kDeviceVersion = 0x102F,
  kDeviceExtensions = 0x1030,
};
constexpr uint32_t kBuildLog = 0x1183;
constexpr uint32_t kKernelArgAccess = 0x1197, kAccessNone = 0x11A3;
enum KernelInfo : uint32_t { kKernelWorkGroupSize = 0x11B0, kKernelLocalMemSize = 0x11B2 };

// What is called of the library; each name with `cl` before it is the library's.
#define MLC_OPENCL_FUNCTIONS(F)                                                                             \
  F(GetPlatformIDs, (uint32_t, PlatformId*, uint32_t*))                                                     \
  F(GetDeviceIDs, (PlatformId, Flags, uint32_t, DeviceId*, uint32_t*))                                      \
  F(GetDeviceInfo, (DeviceId, uint32_t, size_t, void*, size_t*))                                            \
  F(ReleaseMemObject, (Memory))                                                                             \
  F(EnqueueWriteBuffer,                                                                                     \
    (Queue, Memory, uint32_t, size_t, size_t, const void*, uint32_t, const Event*, Event*))                 \
  F(EnqueueReadBuffer, (Queue, Memory, uint32_t, size_t, size_t, void*, uint32_t, const Event*, Event*))    \
  F(EnqueueCopyBuffer, (Queue, Memory, Memory, size_t, size_t, size_t, uint32_t, const Event*, Event*))     \
  F(EnqueueWriteImage, (Queue, Memory, uint32_t, const size_t*, const size_t*, size_t, size_t, const void*, \
                        uint32_t, const Event*, Event*))                                                    \
  F(EnqueueReadImage, (Queue, Memory, uint32_t, const size_t*, const size_t*, size_t, size_t, void*,        \
                       uint32_t, const Event*, Event*))                                                     \
  F(EnqueueCopyImageToBuffer,                                                                               \
    (Queue, Memory, Memory, const size_t*, const size_t*, size_t, uint32_t, const Event*, Event*))          \
  F(EnqueueCopyBufferToImage,                                                                               \
    (Queue, Memory, Memory, size_t, const size_t*, const size_t*, uint32_t, const Event*, Event*))          \
  F(GetKernelArgInfo, (Kernel, uint32_t, uint32_t, size_t, void*, size_t*))                                 \
  F(Finish, (Queue))                                                                                        \
  F(BuildProgram, (Program, uint32_t, const DeviceId*, const char*, void (*)(Program, void*), void*))       \
  F(GetProgramBuildInfo, (Program, DeviceId, uint32_t, size_t, void*, size_t*))                             \
  F(ReleaseProgram, (Program))                                                                              \
  F(SetKernelArg, (Kernel, uint32_t, size_t, const void*))                                                  \
  F(GetKernelWorkGroupInfo, (Kernel, DeviceId, uint32_t, size_t, void*, size_t*))                           \
  F(EnqueueNDRangeKernel,                                                                                   \
    (Queue, Kernel, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t, const Event*, Event*)) \
  F(ReleaseKernel, (Kernel))

struct Library {
#define MLC_MEMBER(name, arguments) Status(*name) arguments = nullptr;
  MLC_OPENCL_FUNCTIONS(MLC_MEMBER)
#undef MLC_MEMBER
  Context (*CreateContext)(const intptr_t*, uint32_t, const DeviceId*,
                           void (*)(const char*, const void*, size_t, void*), void*, Status*) = nullptr;
  Queue (*CreateCommandQueue)(Context, DeviceId, Flags, Status*) = nullptr;
  Memory (*CreateBuffer)(Context, Flags, size_t, void*, Status*) = nullptr;
  Memory (*CreateImage)(Context, Flags, const ImageFormat*, const ImageShape*, void*, Status*) = nullptr;
  Program (*CreateProgramWithSource)(Context, uint32_t, const char**, const size_t*, Status*) = nullptr;
  Kernel (*CreateKernel)(Program, const char*, Status*) = nullptr;

  std::string why_not;  // it could not be loaded; "" where it was
};

// Looked for once: `MLC_OPENCL_LIBRARY` of the environment, else the system's libOpenCL.
const Library& library();
// "CL_OUT_OF_RESOURCES (-5)"
std::string status_text(Status status);

}  // namespace mlc::opencl_backend
