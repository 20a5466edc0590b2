// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/interpreter.h"

#include <unistd.h>

#include <ctime>

#include "backend/crash.h"
#include "backend/runtime/interrupt.h"
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

namespace {

volatile bool gives_up = false;

void ask() {
  static volatile std::time_t asked = 0;
  if (script::Evaluator::interrupt()) {
    asked = std::time(nullptr);
  } else if (gives_up && std::time(nullptr) - asked >= 1) {
    _exit(130);
  }
}

}  // namespace

void catch_interrupts(bool give_up) {
  gives_up = give_up;
  runtime::install_interrupt({.is_code = backend::in_code_itself,
                              .ask = ask,
                              .is_asked = script::Evaluator::is_interrupted,
                              .heeded = script::Evaluator::clear_interrupt});
}

}  // namespace mlc::repl
