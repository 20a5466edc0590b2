// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/script/core/evaluator.h"

namespace mlc::repl {

// The script evaluator of the program. It alone sees all rooms, and answers for those that do not see each
// other.
class Interpreter final : public script::Evaluator {
 public:
  ir::Expr simplify(const ir::Expr& e) override;
  std::string format(std::string source) override;
  std::string llvm_intrinsic_name(int64_t number) override;
};

// Ctrl-C stops the script or the compiled code that runs. `give_up`: typed again a second later it ends the process, where
// something runs that does not look up.
void catch_interrupts(bool give_up);

}  // namespace mlc::repl
