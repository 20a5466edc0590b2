// SPDX-License-Identifier: Apache-2.0
// A comparison that nothing holds yet has a type object of its own for `bool`, one per way in which its
// operands were written: numbers of the script got the other operand's type, expressions of different types
// were cast.
#include "frontend/script/types/equality.h"

#include <array>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/dict_attrs.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

namespace mlc::script {

namespace {

enum Written : uint8_t { kAsItIs, kWhole, kReal, kTruth, kUncast, kWays };

struct Ways {
  std::array<ir::PrimType, size_t{kWays} * kWays> types;
  Ways() {
    for (ir::PrimType& type : types) type = ir::make<ir::PrimTypeNode>(ir::DataType::Bool());
  }
  const ir::PrimType& of(Written a, Written b) const { return types[size_t{a} * kWays + b]; }
  // The way of a comparison with this type; nullopt where it is the usual type.
  std::optional<size_t> find(const ir::Type& type) const {
    for (size_t i = 0; i < types.size(); ++i) {
      if (types[i].get() == type.get()) return i;
    }
    return std::nullopt;
  }
};
const Ways& ways() {
  static const auto& all = *new Ways;
  return all;
}

const ir::BinaryNode* comparison_in(const Any& value) {
  if (auto* equal = value.as<ir::EQNode>()) return equal;
  return value.as<ir::NENode>();
}

Written written_as(const Any& given, const ir::Expr& before, const ir::Expr& after) {
  if (is_bool(given)) return kTruth;
  if (is_int(given)) return kWhole;
  if (is_float(given)) return kReal;
  return before.get() == after.get() ? kAsItIs : kUncast;
}

std::string operand_text(Evaluator& evaluator, const ir::Expr& operand, size_t way) {
  double number = 0;
  if (auto* whole = ir::as<ir::IntImmNode>(operand)) number = static_cast<double>(whole->value);
  if (auto* real = ir::as<ir::FloatImmNode>(operand)) number = real->value;
  auto* whole = ir::as<ir::IntImmNode>(operand);
  switch (way) {
    case kWhole:
      return evaluator.repr(Any(whole != nullptr ? whole->value : static_cast<int64_t>(number)));
    case kReal:
      return evaluator.repr(Any(number));
    case kTruth:
      return evaluator.repr(Any(number != 0));
    case kUncast:
      if (auto* cast = ir::as<ir::CastNode>(operand)) return evaluator.repr(Any(cast->value));
      return evaluator.repr(Any(operand));
    default:
      return evaluator.repr(Any(operand));
  }
}

}  // namespace

ir::Expr deferred_equality(bool equal, const Any& a, const Any& b, ir::Expr x, ir::Expr y, ir::Span span) {
  ir::Expr left = x, right = y;
  ir::match_types(left, right, span);
  ir::Expr made = ir::binary(equal ? ir::ExprKind::kEQ : ir::ExprKind::kNE, left, right, span);
  if (made->dtype().is_scalar())
    const_cast<ir::ExprNode*>(made.get())->ty = ways().of(written_as(a, x, left), written_as(b, y, right));
  return made;
}

Any settled(const Any& value) {
  if (auto* attrs = value.as<DictAttrsNode>()) return Any(attrs->values);
  if (const Any& held = builtin_value_of(value); held.as<ir::StmtNode>()) return held;
  const ir::BinaryNode* comparison = comparison_in(value);
  if (comparison == nullptr || !ways().find(comparison->ty)) return value;
  if (ir::Expr known = ir::fold(comparison->kind, comparison->a, comparison->b, comparison->span))
    return Any(known);
  return Any(ir::binary(comparison->kind, comparison->a, comparison->b, comparison->span));
}

std::optional<std::string> equality_text(Evaluator& evaluator, const Any& value) {
  const ir::BinaryNode* comparison = comparison_in(value);
  std::optional<size_t> way = comparison != nullptr ? ways().find(comparison->ty) : std::nullopt;
  if (!way) return std::nullopt;
  return (comparison->kind == ir::ExprKind::kEQ ? "EqualOp(" : "NotEqualOp(") +
         operand_text(evaluator, comparison->a, *way / kWays) + ", " +
         operand_text(evaluator, comparison->b, *way % kWays) + ")";
}

}  // namespace mlc::script
