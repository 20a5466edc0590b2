// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/interpreter.h"

#include "backend/llvm/codegen_api.h"
#include "transform/arith/simplify.h"

namespace mlc::repl {

ir::Expr Interpreter::simplify(const ir::Expr& e) { return transform::simplify(e); }
std::string Interpreter::llvm_intrinsic_name(int64_t number) { return llvm_backend::intrinsic_name(number); }

}  // namespace mlc::repl
