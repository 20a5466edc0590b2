// SPDX-License-Identifier: Apache-2.0
// The part of the runtime that compiled code calls. It stands alone: no C++ library, no tvm-ffi, only libc
// and threads, because it is linked into every exported shared library and program that has a parallel loop.
#pragma once

#include <stdint.h>

extern "C" {

// Runs iterations [begin, end) of a parallel loop; not zero when one failed (the error is then raised on
// the thread that ran it).
typedef int32_t (*mlc_task)(void* closure, int64_t begin, int64_t end);

// Runs task over [0, extent), in chunks, on the caller and the pool's workers; returns when all is done, with
// the first status that was not zero. Inside a task it runs everything on the calling thread. Any number of
// threads may launch at once.
int32_t mlc_parallel_launch(mlc_task task, void* closure, int64_t extent);

// The same on `cores` threads at most, the caller included: for a target with `num-cores`.
int32_t mlc_parallel_launch_on(mlc_task task, void* closure, int64_t extent, int32_t cores);

// The text of the last error of the calling thread, kMlcErrorBytes long. Code with a C interface brings it
// (backend/llvm/emit_c_entry.cpp).
enum { kMlcErrorBytes = 2048 };
char* mlc_error_slot(void);

// Threads that take part in a launch, the caller included: MLC_NUM_THREADS, else TVM_NUM_THREADS, else the
// number of processors this process may run on. Read when the pool starts.
int32_t mlc_num_threads(void);
// From now on that many at most; 0 or less: as many as there are.
void mlc_limit_threads(int32_t most);
}
