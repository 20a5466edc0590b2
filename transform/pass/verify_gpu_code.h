// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// Does every kernel of the function keep to the limits: max_threads_per_block, max_thread_x, max_thread_y,
// max_thread_z, max_vthread, max_local_memory_per_block, max_shared_memory_per_block (bytes),
// max_vector_bytes, max_kernels? What is not named is not limited; another name throws. Kernels are
// statements of thread extents (after LowerOpaqueBlock); one that is opened twice in a nest is counted once.
// A thread is known by the name of its variable, "threadIdx.x".
bool fits_gpu(const PrimFunc& fn, const Map<String, Any>& limits);

}  // namespace mlc::transform
