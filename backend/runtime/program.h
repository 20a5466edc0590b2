// SPDX-License-Identifier: Apache-2.0
// What generated code passes to the stand-alone program (program.cpp) about the function that it runs.
#pragma once

#include <stdint.h>

struct MlcArgument {
  const char* name;
  int32_t tensor;  // 0: a scalar, 1: a tensor, 2: a tensor that is a result
  uint32_t dtype;  // DLDataType: code | bits << 8 | lanes << 16
  int64_t rank;
  const int64_t* shape;  // negative: symbol -(index + 1)
};

// One per program, laid out by code generation (emit_program.cpp): keep both in step.
struct MlcProgram {
  const char* name;
  int32_t (*entry)(void* self, const void* args, int32_t count, void* result);
  int64_t argument_count;
  const MlcArgument* arguments;
  int64_t symbol_count;
  const char* const* symbols;
};

extern "C" const MlcProgram mlc_program;
