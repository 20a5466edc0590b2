// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/arith/evaluate.h"

#include "ir/core/error.h"
#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/tir/op.h"

namespace mlc::fuzz {

using ir::DataType;
using ir::Expr;
using ir::ExprKind;

Number least(DataType dtype) { return dtype.is_int() ? -(Number{1} << (dtype.bits() - 1)) : Number{0}; }
Number greatest(DataType dtype) {
  if (dtype.is_bool()) return 1;
  return (Number{1} << (dtype.bits() - (dtype.is_int() ? 1 : 0))) - 1;
}

namespace {

Number wrapped(Number value, DataType dtype) {
  Number size = greatest(dtype) - least(dtype) + 1;
  Number rest = (value - least(dtype)) % size;
  return least(dtype) + (rest < 0 ? rest + size : rest);
}
Number floor_div(Number a, Number b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0); }

}  // namespace

Number Evaluation::within(Number value, DataType dtype, const Expr& e) {
  Number inside = wrapped(value, dtype);
  if (inside != value) {
    overflows = true;
    // Narrow and unsigned sums wrap wherever they stand.
    index_overflows |= dtype.is_int() && dtype.bits() >= 32 && !ir::any_below(e, [](const Expr& part) {
                         return part->kind == ExprKind::kTensorLoad;
                       });
  }
  return exact_ ? value : inside;
}

Number Evaluation::of(const Expr& e) {
  DataType dtype = e->dtype().element();
  switch (e->kind) {
    case ExprKind::kIntImm: {
      Number value = ir::as<ir::IntImmNode>(e)->value;
      if (value < 0 && dtype.is_uint() && dtype.bits() == 64) value += Number{1} << 64;
      misfits |= value < least(dtype) || value > greatest(dtype);
      return value;
    }
    case ExprKind::kVar:
      return point_.at(ir::as<ir::VarNode>(e));
    case ExprKind::kTensorLoad:
      return wrapped(
          point_.at(ir::as<ir::TensorLoadNode>(e)->source.get()) + (calls ? std::ssize(*calls) : 0), dtype);
    case ExprKind::kNot:
      return of(ir::as<ir::NotNode>(e)->a) == 0;
    case ExprKind::kBitwiseNot:
      return wrapped(-1 - of(ir::as<ir::BitwiseNotNode>(e)->a), dtype);
    case ExprKind::kCast: {
      Number value = of(ir::as<ir::CastNode>(e)->value);
      if (dtype.is_bool()) return value != 0;
      Number inside = wrapped(value, dtype);
      truncates |= inside != value;
      return inside;
    }
    case ExprKind::kSelect: {
      const auto* select = ir::as<ir::SelectNode>(e);
      Number condition = of(select->condition), a = of(select->true_value), b = of(select->false_value);
      return condition != 0 ? a : b;
    }
    case ExprKind::kCall: {
      const auto* call = ir::as<ir::CallNode>(e);
      if (ir::as_call_to(e, "tirx.likely")) return of(call->args[0]);
      if (calls && ir::as_call_to(e, "tirx.call_extern")) {
        calls->push_back(of(call->args[1]));
        Number answer = (calls->back() * 7 + std::ssize(*calls) * 3) % 11 - 5;
        return dtype.is_bool() ? answer & 1 : wrapped(answer, dtype);
      }
      MLC_CHECK(ir::as_call_to(e, "tirx.if_then_else"), "a call without a meaning here");
      return of(call->args[of(call->args[0]) != 0 ? 1 : 2]);
    }
    case ExprKind::kRamp: {
      const auto* ramp = ir::as<ir::RampNode>(e);
      Number step = of(ramp->stride);
      return within(of(ramp->base) + within(step * lane_, dtype, e), dtype, e);
    }
    case ExprKind::kBroadcast:
      return of(ir::as<ir::BroadcastNode>(e)->value);
    default:
      MLC_CHECK(ir::as_binary(e), "an expression without a meaning here");
      return of_binary(e);
  }
}

Number Evaluation::of_binary(const Expr& e) {
  const auto* two = ir::as_binary(e);
  DataType dtype = two->a->dtype().element();
  Number a = of(two->a);
  bool enough = e->kind == ExprKind::kAnd ? a == 0 : e->kind == ExprKind::kOr && a != 0;
  if (calls && enough) return a;
  Number b = of(two->b);
  switch (e->kind) {
    case ExprKind::kAdd:
      return within(a + b, dtype, e);
    case ExprKind::kSub:
      return within(a - b, dtype, e);
    case ExprKind::kMul:
      // The low bits are right where the product of two uint64 is more than this type holds.
      return within(
          static_cast<Number>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)), dtype,
          e);
    case ExprKind::kMin:
      return std::min(a, b);
    case ExprKind::kMax:
      return std::max(a, b);
    case ExprKind::kEQ:
      return a == b;
    case ExprKind::kNE:
      return a != b;
    case ExprKind::kLT:
      return a < b;
    case ExprKind::kLE:
      return a <= b;
    case ExprKind::kGT:
      return a > b;
    case ExprKind::kGE:
      return a >= b;
    case ExprKind::kAnd:
      return a != 0 && b != 0;
    case ExprKind::kOr:
      return a != 0 || b != 0;
    case ExprKind::kBitwiseAnd:
      return wrapped(a & b, dtype);
    case ExprKind::kBitwiseOr:
      return wrapped(a | b, dtype);
    case ExprKind::kBitwiseXor:
      return wrapped(a ^ b, dtype);
    default:
      break;
  }
  if (e->kind == ExprKind::kLShift || e->kind == ExprKind::kRShift) {
    if (b < 0 || b >= dtype.bits()) {
      undefined = true;
      return 0;
    }
    Number power = Number{1} << static_cast<int>(b);
    return e->kind == ExprKind::kLShift ? within(a * power, dtype, e) : floor_div(a, power);
  }
  if (b == 0) {
    undefined = true;
    return 0;
  }
  switch (e->kind) {
    case ExprKind::kFloorDiv:
      return within(floor_div(a, b), dtype, e);
    case ExprKind::kFloorMod:
      return a - floor_div(a, b) * b;
    case ExprKind::kDiv:
      return within(a / b, dtype, e);
    case ExprKind::kMod:
      return a % b;
    default:
      throw ir::InternalError(__FILE__, __LINE__, "an operator without a meaning here");
  }
}

}  // namespace mlc::fuzz
