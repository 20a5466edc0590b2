// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/ast.h"

namespace mlc::syntax {

std::string_view spelling(BoolOperator op) { return op == BoolOperator::kAnd ? "and" : "or"; }

std::string_view spelling(BinOperator op) {
  switch (op) {
    case BinOperator::kAdd:
      return "+";
    case BinOperator::kSub:
      return "-";
    case BinOperator::kMult:
      return "*";
    case BinOperator::kMatMult:
      return "@";
    case BinOperator::kDiv:
      return "/";
    case BinOperator::kMod:
      return "%";
    case BinOperator::kPow:
      return "**";
    case BinOperator::kLShift:
      return "<<";
    case BinOperator::kRShift:
      return ">>";
    case BinOperator::kBitOr:
      return "|";
    case BinOperator::kBitXor:
      return "^";
    case BinOperator::kBitAnd:
      return "&";
    case BinOperator::kFloorDiv:
      return "//";
  }
  __builtin_unreachable();
}

std::string_view spelling(UnaryOperator op) {
  switch (op) {
    case UnaryOperator::kInvert:
      return "~";
    case UnaryOperator::kNot:
      return "not";
    case UnaryOperator::kUAdd:
      return "+";
    case UnaryOperator::kUSub:
      return "-";
  }
  __builtin_unreachable();
}

std::string_view spelling(CmpOperator op) {
  switch (op) {
    case CmpOperator::kEq:
      return "==";
    case CmpOperator::kNotEq:
      return "!=";
    case CmpOperator::kLt:
      return "<";
    case CmpOperator::kLtE:
      return "<=";
    case CmpOperator::kGt:
      return ">";
    case CmpOperator::kGtE:
      return ">=";
    case CmpOperator::kIs:
      return "is";
    case CmpOperator::kIsNot:
      return "is not";
    case CmpOperator::kIn:
      return "in";
    case CmpOperator::kNotIn:
      return "not in";
  }
  __builtin_unreachable();
}

}  // namespace mlc::syntax
