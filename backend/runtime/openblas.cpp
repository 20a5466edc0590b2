// SPDX-License-Identifier: Apache-2.0
// Stands alone: libc only, no C++ library, because it is linked into what is built with `--dispatch
// openblas`.
#include "backend/runtime/openblas.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backend/runtime/dynamic_library.h"
#include "backend/runtime/parallel.h"

namespace {

using mlc::runtime::find;
using mlc::runtime::open_library;

// Of cblas.h.
constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

template <class T>
using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
template <class T>
using Gemv = void (*)(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

struct Library {
  Gemm<float> sgemm;
  Gemm<double> dgemm;
  Gemv<float> sgemv;
  Gemv<double> dgemv;
  void (*set_threads)(int);
  int (*threads)();
  char* (*config)();
  char* (*core)();
  bool here;
};
Library library;
pthread_once_t once = PTHREAD_ONCE_INIT;

void load_library() {
  void* handle = open_library("MLC_OPENBLAS_LIBRARY", "libopenblas.so.0");
  library.here = handle != nullptr && find(handle, "cblas_sgemm", library.sgemm) &&
                 find(handle, "cblas_dgemm", library.dgemm) && find(handle, "cblas_sgemv", library.sgemv) &&
                 find(handle, "cblas_dgemv", library.dgemv) &&
                 find(handle, "openblas_set_num_threads", library.set_threads) &&
                 find(handle, "openblas_get_num_threads", library.threads) &&
                 find(handle, "openblas_get_config", library.config) &&
                 find(handle, "openblas_get_corename", library.core);
}

bool is_here() {
  pthread_once(&once, load_library);
  return library.here;
}

// The number of threads is one of the whole process.
pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
void use_threads(int count) {
  if (library.threads() != count) library.set_threads(count);
}

Gemm<float> gemm_of(const float*) { return library.sgemm; }
Gemm<double> gemm_of(const double*) { return library.dgemm; }
Gemv<float> gemv_of(const float*) { return library.sgemv; }
Gemv<double> gemv_of(const double*) { return library.dgemv; }

struct Problem {
  const void *a, *b;
  void* c;
  int64_t batch;
  int m, n, k;
  int64_t a_step, b_step;
  bool transa, transb;
  double alpha, beta;

  template <class T>
  void run(int64_t which) const {
    const T* left = static_cast<const T*>(a) + which * a_step;
    const T* right = static_cast<const T*>(b) + which * b_step;
    T* out = static_cast<T*>(c) + which * m * n;
    const T scale = static_cast<T>(alpha), rest = static_cast<T>(beta);
    if (beta == 0 && (k == 0 || m == 1 || n == 1))
      memset(out, 0, sizeof(T) * static_cast<size_t>(m) * static_cast<size_t>(n));
    if (k == 0 && beta == 0) return;
    // A vector on one side: the matrix is read once, which is all the work there is.
    if (m == 1 && k > 0) {
      gemv_of(left)(kRowMajor, transb ? kPlain : kTransposed, transb ? n : k, transb ? k : n, scale, right,
                    transb ? k : n, left, 1, rest, out, 1);
    } else if (n == 1 && k > 0) {
      gemv_of(left)(kRowMajor, transa ? kTransposed : kPlain, transa ? k : m, transa ? m : k, scale, left,
                    transa ? m : k, right, 1, rest, out, 1);
    } else {
      int lda = transa ? m : k, ldb = transb ? k : n;
      gemm_of(left)(kRowMajor, transa ? kTransposed : kPlain, transb ? kTransposed : kPlain, m, n, k, scale,
                    left, lda > 0 ? lda : 1, right, ldb > 0 ? ldb : 1, rest, out, n);
    }
  }
};

template <class T>
int32_t some(void* closure, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) static_cast<Problem*>(closure)->run<T>(i);
  return 0;
}

template <class T>
void run(Problem& all) {
  // Many products share the threads of compiled code, each on one; a single one has those of the library.
  int threads = mlc_num_threads();
  bool many = all.batch > 1 && all.batch >= threads;
  pthread_mutex_lock(&busy);
  use_threads(many ? 1 : threads);
  if (many) {
    mlc_parallel_launch(some<T>, &all, all.batch);
  } else {
    some<T>(&all, 0, all.batch);
  }
  pthread_mutex_unlock(&busy);
}

}  // namespace

extern "C" int32_t mlc_openblas_text(char* text, int64_t size) {
  if (!is_here()) return 0;
  const char* config = library.config();  // "OpenBLAS 0.3.21 NO_LAPACKE ..."
  const char* end = strncmp(config, "OpenBLAS ", 9) == 0 ? strchr(config + 9, ' ') : nullptr;
  auto length = static_cast<int>(end != nullptr ? static_cast<size_t>(end - config) : strlen(config));
  snprintf(text, static_cast<size_t>(size), "%.*s, kernels for %s", length, config, library.core());
  return 1;
}

extern "C" int32_t mlc_openblas_matmul(const void* a, const void* b, void* c, int64_t batch, int64_t m,
                                       int64_t n, int64_t k, int64_t a_step, int64_t b_step, int32_t transa,
                                       int32_t transb, int32_t bits, double alpha, double beta) {
  if (!is_here()) return kMlcLibraryMissing;
  if (batch <= 0 || m <= 0 || n <= 0) return kMlcCalled;
  if (m > INT_MAX || n > INT_MAX || k > INT_MAX) return kMlcLibraryRefused;
  Problem given{a,
                b,
                c,
                batch,
                static_cast<int>(m),
                static_cast<int>(n),
                static_cast<int>(k),
                a_step,
                b_step,
                transa != 0,
                transb != 0,
                alpha,
                beta};
  if (bits == 64) {
    run<double>(given);
  } else {
    run<float>(given);
  }
  return kMlcCalled;
}
