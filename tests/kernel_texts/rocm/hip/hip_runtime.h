// SPDX-License-Identifier: Apache-2.0
// As much of HIP as kernels of the tests use, beside what clang declares itself (__clang_hip_math.h).
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

#include <__clang_hip_libdevice_declares.h>
#include <__clang_hip_math.h>

// Members that are computed when they are read.
#define COORDINATE(name, builtin)                                                  \
  struct name##_type {                                                             \
    __declspec(property(get = get_x)) unsigned x;                                  \
    __declspec(property(get = get_y)) unsigned y;                                  \
    __declspec(property(get = get_z)) unsigned z;                                  \
    __device__ unsigned get_x() const { return __builtin_amdgcn_##builtin##_x(); } \
    __device__ unsigned get_y() const { return __builtin_amdgcn_##builtin##_y(); } \
    __device__ unsigned get_z() const { return __builtin_amdgcn_##builtin##_z(); } \
  };                                                                               \
  extern const __device__ __attribute__((weak)) name##_type name;
COORDINATE(threadIdx, workitem_id)
COORDINATE(blockIdx, workgroup_id)

__device__ inline void __syncthreads() { __builtin_amdgcn_s_barrier(); }
__device__ float atomicAdd(float*, float);
__device__ int atomicAdd(int*, int);
__device__ unsigned atomicAdd(unsigned*, unsigned);
__device__ inline int __popc(unsigned x) { return __builtin_popcount(x); }
__device__ inline int __clz(int x) { return __builtin_clz(x); }
