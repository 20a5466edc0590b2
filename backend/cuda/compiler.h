// SPDX-License-Identifier: Apache-2.0
// CUDA's compilers: NVRTC where it can be loaded, else nvcc.
#pragma once

#include <string>
#include <string_view>

#include "ir/target/target.h"

namespace mlc::cuda_backend {

// `text` as "ptx", "cubin" or "fatbin" for the target's `arch`. What was compiled from the same text by the
// same compiler comes from the cache of builds. Errors: no-cuda-compiler; cuda-compiler-failed, with the
// compiler's words.
std::string compile(const std::string& text, const ir::Target& target, std::string_view format);

}  // namespace mlc::cuda_backend
