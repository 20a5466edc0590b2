// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/line_input.h"

#include <iostream>

#include "frontend/script/core/evaluator.h"
#include "ir/core/inputs.h"

namespace mlc::script {

namespace {
LineInput& own_input() {
  static LineInput input;
  return input;
}
}  // namespace

void set_line_input(LineInput input) { own_input() = std::move(input); }

std::optional<std::string> read_line(Evaluator& evaluator, const std::string& prompt) {
  ir::Inputs::global().beyond();
  if (own_input()) return own_input()(prompt);
  if (!prompt.empty()) evaluator.print(prompt);
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return std::cin.eof() ? line : line + "\n";
}

}  // namespace mlc::script
