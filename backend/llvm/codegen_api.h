// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::llvm_backend {

void register_codegen_api();

}  // namespace mlc::llvm_backend
