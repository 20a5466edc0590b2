// SPDX-License-Identifier: Apache-2.0
// What list_code() is made of (compile.cpp).
#pragma once

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/Module.h>

#include "backend/llvm/listing.h"

namespace mlc::llvm_backend {

// Of LLVM's text with comments and `.loc`.
std::vector<ListedFunction> list_assembly(std::string_view text);
std::vector<ListedFunction> list_ir(const llvm::Module& module);
// For a context: keeps what the vectorisers say.
std::unique_ptr<llvm::DiagnosticHandler> remark_handler(std::vector<Remark>& remarks);

}  // namespace mlc::llvm_backend
