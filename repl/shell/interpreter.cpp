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

volatile WhenUnheard when_unheard = WhenUnheard::kWait;

void say(std::string_view text) { [[maybe_unused]] auto written = write(STDERR_FILENO, text.data(), text.size()); }

// In the handler of the signal.
void ask() {
  static volatile std::time_t asked = 0;
  static volatile bool warned = false;
  if (script::Evaluator::interrupt()) {
    asked = std::time(nullptr);
    warned = false;
  } else if (when_unheard != WhenUnheard::kWait && std::time(nullptr) - asked >= 1) {
    if (when_unheard == WhenUnheard::kEndAtSecond || warned) _exit(130);
    warned = true;
    say("\r\nwhat runs does not listen to Ctrl-C; once more ends the session, and `:resume` in the next one runs its "
        "inputs again\r\n");
  }
}

}  // namespace

void catch_interrupts(WhenUnheard unheard) {
  when_unheard = unheard;
  runtime::install_interrupt({.is_code = backend::in_code_itself,
                              .ask = ask,
                              .is_asked = script::Evaluator::is_interrupted,
                              .heeded = script::Evaluator::clear_interrupt});
}

}  // namespace mlc::repl
