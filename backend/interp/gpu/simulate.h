// SPDX-License-Identifier: Apache-2.0
// Running functions of threads as a GPU does.
#pragma once

#include "ir/core/module.h"
#include "ir/registry/host.h"

namespace mlc::interp {

// The module with the threads of its functions written out: blocks and what they mean for threads (barriers,
// reductions across threads, views) lowered by the pipeline for GPUs, up to where host and device part. What
// has no blocks stays as it is; with `complete`, what a pipeline has lowered in part gets the barriers that
// it would have got.
ir::IRModule with_threads_lowered(const ir::IRModule& mod, ir::Host& host, bool complete = false);

}  // namespace mlc::interp
