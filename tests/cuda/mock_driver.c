// SPDX-License-Identifier: Apache-2.0
// CUDA's driver and NVRTC for tests: memory is the CPU's, calls go into the file that MLC_MOCK_LOG names, and the one kernel that
// it can run is `scale_kernel(A, B, factor)` of 64 floats. MLC_MOCK_DEVICES says how many GPUs there are (1).
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void record(const char* format, ...) {
  const char* path = getenv("MLC_MOCK_LOG");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  va_list values;
  va_start(values, format);
  vfprintf(file, format, values);
  va_end(values);
  fputc('\n', file);
  fclose(file);
}

enum { kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100, kNotFound = 500 };
enum { kMemory = 1 << 20 };

int cuInit(unsigned int flags) { return getenv("MLC_MOCK_NO_START") != NULL ? kNoDevice : kSuccess; }
int cuDriverGetVersion(int* version) { return *version = 13000, kSuccess; }
int cuDeviceGetCount(int* count) {
  const char* many = getenv("MLC_MOCK_DEVICES");
  return *count = many == NULL ? 1 : atoi(many), kSuccess;
}
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, kSuccess; }
int cuDeviceGetName(char* name, int size, int device) { return snprintf(name, (size_t)size, "Mock GPU %d", device), kSuccess; }
int cuDeviceGetAttribute(int* value, int what, int device) {
  switch (what) {
    case 1: case 2: case 3: *value = 1024; break;   // threads of a block
    case 4: *value = 64; break;
    case 5: *value = 2147483647; break;             // blocks of a grid
    case 6: case 7: *value = 65535; break;
    case 8: *value = 49152; break;                  // bytes of shared memory
    case 97: *value = 101376; break;
    case 10: *value = 32; break;                    // threads of a warp
    case 12: *value = 65536; break;                 // registers of a block
    case 13: *value = 1500000; break;
    case 16: *value = 132; break;                   // multiprocessors
    case 38: *value = 1 << 20; break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    default: *value = 0; return kInvalidValue;
  }
  return kSuccess;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) { return *bytes = kMemory, kSuccess; }
int cuDevicePrimaryCtxRetain(void** context, int device) { return *context = (void*)(size_t)(device + 1), kSuccess; }
int cuCtxSetCurrent(void* context) { return kSuccess; }
int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) { return *free_bytes = kMemory / 2, *total = kMemory, kSuccess; }
int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  if (bytes > kMemory) return kOutOfMemory;
  *address = (unsigned long long)(size_t)malloc(bytes);
  return kSuccess;
}
int cuMemFree_v2(unsigned long long address) { return free((void*)(size_t)address), kSuccess; }
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, size_t bytes, void* stream) {
  return memcpy((void*)(size_t)to, from, bytes), kSuccess;
}
int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, size_t bytes, void* stream) {
  return memcpy(to, (void*)(size_t)from, bytes), kSuccess;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void* stream) {
  return memmove((void*)(size_t)to, (void*)(size_t)from, bytes), kSuccess;
}
int cuStreamCreate(void** stream, unsigned int flags) { return *stream = (void*)77, kSuccess; }
int cuStreamDestroy_v2(void* stream) { return kSuccess; }
int cuStreamSynchronize(void* stream) { return kSuccess; }
int cuModuleLoadData(void** module, const void* image) {
  record("load %s", (const char*)image);
  return *module = (void*)1, kSuccess;
}
int cuModuleUnload(void* module) { return kSuccess; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  record("function %s", name);
  if (strstr(name, "missing") != NULL) return kNotFound;
  return *function = strdup(name), kSuccess;
}
int cuFuncGetAttribute(int* value, int what, void* function) {
  int hungry = strstr((const char*)function, "hungry") != NULL;
  *value = what == 0 ? (hungry ? 128 : 1024) : what == 4 ? (hungry ? 255 : 32) : what == 8 ? 49152 : 0;
  return kSuccess;
}
int cuFuncSetAttribute(void* function, int what, int value) {
  record("attribute %d of %s: %d", what, (const char*)function, value);
  return kSuccess;
}

static void run(const char* name, void** params) {
  if (strcmp(name, "scale_kernel") != 0) return;
  const float* from = *(const float**)params[0];
  float* to = *(float**)params[1];
  for (int i = 0; i < 64; ++i) to[i] = from[i] * *(float*)params[2];
}
int cuTensorMapEncodeTiled(void* map, int dtype, unsigned rank, void* address, const unsigned long long* sizes,
                           const unsigned long long* strides, const unsigned* box, const unsigned* steps, int interleave,
                           int swizzle, int promotion, int fill) {
  record("tensor map: type %d, %u dimensions, first %llu, then %llu in steps of %llu bytes, box %u x %u, swizzle %d, promotion %d, fill %d",
         dtype, rank, sizes[0], sizes[1], strides[0], box[0], box[1], swizzle, promotion, fill);
  return memset(map, 0x5a, 128), kSuccess;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** params, void** extra) {
  record("launch %s: %u x %u x %u blocks of %u x %u x %u threads, %u bytes, stream %zu", (const char*)function, gx, gy, gz, bx,
         by, bz, shared, (size_t)stream);
  if (strcmp((const char*)function, "boxes_kernel") == 0)
    record("the last byte of its map is %02x", ((const unsigned char*)params[0])[127]);
  run((const char*)function, params);
  return kSuccess;
}
struct Attribute {
  int id, padding;
  union {
    char all[64];
    unsigned extents[3];
  } value;
};
struct Config {
  unsigned grid[3], block[3], shared;
  void* stream;
  const struct Attribute* attributes;
  unsigned count;
};
int cuLaunchKernelEx(const struct Config* config, void* function, void** params, void** extra) {
  record("launch %s: %u x %u x %u blocks of %u threads, %u attributes", (const char*)function, config->grid[0], config->grid[1],
         config->grid[2], config->block[0], config->count);
  for (unsigned i = 0; i < config->count; ++i)
    if (config->attributes[i].id == 4)
      record("in clusters of %u x %u x %u", config->attributes[i].value.extents[0], config->attributes[i].value.extents[1],
             config->attributes[i].value.extents[2]);
  return kSuccess;
}
int cuGetErrorName(int result, const char** name) {
  *name = result == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : result == kNotFound ? "CUDA_ERROR_NOT_FOUND"
          : result == kNoDevice ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_INVALID_VALUE";
  return kSuccess;
}
int cuGetErrorString(int result, const char** text) { return *text = "as the test wants it", kSuccess; }

// ---- NVRTC: "machine code" is the options that it was called with ----

struct Program {
  char text[65536];
  char code[4096];
};
int nvrtcVersion(int* major, int* minor) { return *major = 99, *minor = 1, kSuccess; }
int nvrtcCreateProgram(struct Program** program, const char* text, const char* name, int headers, const char* const* contents,
                       const char* const* names) {
  *program = calloc(1, sizeof(struct Program));
  snprintf((*program)->text, sizeof (*program)->text, "%s", text);
  return kSuccess;
}
int nvrtcCompileProgram(struct Program* program, int count, const char* const* options) {
  record("compile %s", options[0]);
  snprintf(program->code, sizeof program->code, "code for %s", options[0]);
  return strstr(program->text, "refused_kernel") != NULL;
}
int nvrtcGetProgramLogSize(struct Program* program, size_t* size) { return *size = 20, kSuccess; }
int nvrtcGetProgramLog(struct Program* program, char* log) { return strcpy(log, "kernels.cu(1): error"), kSuccess; }
int nvrtcGetCUBINSize(struct Program* program, size_t* size) { return *size = strlen(program->code) + 1, kSuccess; }
int nvrtcGetCUBIN(struct Program* program, char* code) { return strcpy(code, program->code), kSuccess; }
int nvrtcGetPTXSize(struct Program* program, size_t* size) { return nvrtcGetCUBINSize(program, size); }
int nvrtcGetPTX(struct Program* program, char* code) { return nvrtcGetCUBIN(program, code); }
int nvrtcDestroyProgram(struct Program** program) { return free(*program), *program = NULL, kSuccess; }
