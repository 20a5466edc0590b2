// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/ast.h"

namespace mlc::syntax {

// In the order of the enumerators.
static constexpr std::string_view binary[] = {"+",  "-",  "*", "@", "/", "%", "**",
                                              "<<", ">>", "|", "^", "&", "//"};
static constexpr std::string_view unary[] = {"~", "not", "+", "-"};
static constexpr std::string_view comparison[] = {"==", "!=", "<",      "<=", ">",
                                                  ">=", "is", "is not", "in", "not in"};

std::string_view spelling(BoolOperator op) { return op == BoolOperator::kAnd ? "and" : "or"; }
std::string_view spelling(BinOperator op) { return binary[static_cast<size_t>(op)]; }
std::string_view spelling(UnaryOperator op) { return unary[static_cast<size_t>(op)]; }
std::string_view spelling(CmpOperator op) { return comparison[static_cast<size_t>(op)]; }

}  // namespace mlc::syntax
