// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/interpreter.h"

#include "backend/llvm/codegen_api.h"
#include "frontend/format/format.h"
#include "ir/core/span.h"
#include "transform/arith/simplify.h"

namespace mlc::repl {

ir::Expr Interpreter::simplify(const ir::Expr& e) { return transform::simplify(e); }
std::string Interpreter::format(std::string source) {
  return format::format(ir::SourceMap::current().add("<script>", std::move(source)));
}
std::string Interpreter::llvm_intrinsic_name(int64_t number) { return llvm_backend::intrinsic_name(number); }

}  // namespace mlc::repl
