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

// What Ctrl-C does that is typed again, a second after one that nothing has heard of: something runs that does not look
// up.
enum class WhenUnheard : uint8_t {
  kWait,
  kEndAtSecond,  // the process ends with 130
  kEndAtThird,   // the second says that the third will
};
// Ctrl-C stops the script or the compiled code that runs.
void catch_interrupts(WhenUnheard unheard);

}  // namespace mlc::repl
