// SPDX-License-Identifier: Apache-2.0
// What generated code passes to weights.cpp about the file that holds its weights.
#pragma once

#include <stdint.h>

extern "C" {

// One per artefact, laid out by code generation (emit_weights.cpp): keep both in step.
struct MlcWeights {
  const char* path;  // from the folder of the library or program
  int64_t size;      // of the file in bytes
  int64_t header;    // so many bytes at its beginning have this checksum
  int64_t crc;       // CRC-32
  const void* data;  // the mapped file, once it is open
  char error[1024];  // why it could not be opened
};

// The bytes of the file, mapped at the first call; null with `error` where it is not the one that was written
// with the code. Threads may call it at once.
const void* mlc_weights_open(MlcWeights* weights);
}
