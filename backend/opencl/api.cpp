// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace mlc::opencl_backend {
namespace {

constexpr std::pair<Status, const char*> kNames[] = {
    {-1, "CL_DEVICE_NOT_FOUND"},          {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},          {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},    {-30, "CL_INVALID_VALUE"},
    {-33, "CL_INVALID_DEVICE"},           {-34, "CL_INVALID_CONTEXT"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},    {-38, "CL_INVALID_MEM_OBJECT"},
    {-44, "CL_INVALID_PROGRAM"},          {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},      {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},        {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},         {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},   {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},   {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"}, {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

Library load() {
  Library made;
  const char* named = std::getenv("MLC_OPENCL_LIBRARY");
  const char* usual[] = {"libOpenCL.so.1", "libOpenCL.so"};
  void* handle = nullptr;
  if (named != nullptr) {
    handle = dlopen(named, RTLD_NOW | RTLD_LOCAL);
  } else {
    for (const char* name : usual) {
      if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  if (handle == nullptr) {
    const char* reason = dlerror();
    made.why_not =
        fmt::format("OpenCL's library cannot be loaded: {}", reason == nullptr ? "no reason given" : reason);
    return made;
  }
  auto find = [&]<class F>(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(handle, name));
    if (function == nullptr && made.why_not.empty())
      made.why_not = fmt::format("OpenCL's library has no `{}`", name);
  };
#define MLC_FIND(name, arguments) find(made.name, "cl" #name);
  MLC_OPENCL_FUNCTIONS(MLC_FIND)
#undef MLC_FIND
  find(made.CreateContext, "clCreateContext");
  find(made.CreateCommandQueue, "clCreateCommandQueue");
  find(made.CreateBuffer, "clCreateBuffer");
  find(made.CreateImage, "clCreateImage");
  find(made.CreateProgramWithSource, "clCreateProgramWithSource");
  find(made.CreateKernel, "clCreateKernel");
  return made;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

std::string status_text(Status status) {
  auto named = std::ranges::find(kNames, status, [](const auto& row) { return row.first; });
  return named == std::end(kNames) ? fmt::format("status {}", status)
                                   : fmt::format("{} ({})", named->second, status);
}

}  // namespace mlc::opencl_backend
