// SPDX-License-Identifier: Apache-2.0
// Texts of expressions in languages with C's operators: of C itself, and of kernels (backend/gpu).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::c_backend {

// The precedence of C's operators, loosest first; an operand that binds looser gets parentheses. GCC warns
// about some mixtures that C would take without; these are more than the grammar needs.
enum Precedence : uint8_t {
  kTernary,
  kOr,
  kAnd,
  kBits,  // & | ^
  kEquality,
  kRelational,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPrimary
};

// The text of an expression. Empty: its effects are in preceding statements, and it has no value.
struct Text {
  std::string text;
  Precedence precedence = kPrimary;

  std::string at_least(Precedence wanted) const { return precedence < wanted ? "(" + text + ")" : text; }
};

inline Text infix(const Text& a, std::string_view op, const Text& b, Precedence precedence,
                  Precedence operands) {
  auto right = static_cast<Precedence>(std::max<int>(operands, precedence + 1));
  return {fmt::format("{} {} {}", a.at_least(operands), op, b.at_least(right)), precedence};
}
inline Text called(std::string_view function, const Text& a, const Text& b) {
  return {fmt::format("{}({}, {})", function, a.text, b.text)};
}
inline std::string listed(const std::vector<Text>& texts) {
  std::string all;
  for (size_t i = 0; i < texts.size(); ++i) all.append(i == 0 ? "" : ", ").append(texts[i].text);
  return all;
}
inline Text called(std::string_view function, const std::vector<Text>& args) {
  return {fmt::format("{}({})", function, listed(args))};
}
inline Text casted(std::string_view type, const Text& value) {
  return {fmt::format("({}){}", type, value.at_least(kUnary)), kUnary};
}

}  // namespace mlc::c_backend
