// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mlc::llvm_backend {

void register_codegen_api();
// "llvm.sqrt". Error: unknown-intrinsic.
std::string intrinsic_name(int64_t number);

}  // namespace mlc::llvm_backend
