// SPDX-License-Identifier: Apache-2.0
// Products by OpenBLAS, for compiled code. The library is looked for at the first call: libopenblas.so.0, or
// the file that MLC_OPENBLAS_LIBRARY names.
#pragma once

#include <stdint.h>

extern "C" {

// What library calls answer.
enum { kMlcCalled = 0, kMlcLibraryMissing = 1, kMlcLibraryRefused = 2 };

// Not zero, and a text that names the version and the kernels, where the library is here.
int32_t mlc_openblas_text(char* text, int64_t size);

// c = alpha * a b + beta * c for `batch` pairs of compact row-major matrices of floats with `bits` bits: a is
// m x k, or k x m where transa; b is k x n, or n x k where transb. The next matrix lies a_step, b_step
// elements behind; 0: it is the same.
int32_t mlc_openblas_matmul(const void* a, const void* b, void* c, int64_t batch, int64_t m, int64_t n,
                            int64_t k, int64_t a_step, int64_t b_step, int32_t transa, int32_t transb,
                            int32_t bits, double alpha, double beta);
}
