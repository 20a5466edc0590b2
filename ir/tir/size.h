// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace mlc::ir {

// Shifts and operations on bits of sizes: sizes again in kernels, whose swizzled indices are made of them.
enum class SizeBits : uint8_t { kNo, kYes };

// Is an integer made of loop variables, thread numbers, extents and constants alone (`is_size_var(var)`)?
// Passes have computed with such as with numbers that have no end, so a generator of C may take its operators
// for exact.
template <class IsSizeVar>
bool is_size(const Expr& e, const IsSizeVar& is_size_var, SizeBits bits) {
  auto both = [&](const Expr& a, const Expr& b) {
    return is_size(a, is_size_var, bits) && is_size(b, is_size_var, bits);
  };
  if (const_int(e)) return true;
  if (auto* var = as<VarNode>(e)) return is_size_var(var);
  if (auto* cast = as<CastNode>(e))
    return e->dtype().is_int() && e->dtype().bits() >= 32 && is_size(cast->value, is_size_var, bits);
  if (auto* ramp = as<RampNode>(e)) return both(ramp->base, ramp->stride);
  if (auto* broadcast = as<BroadcastNode>(e)) return is_size(broadcast->value, is_size_var, bits);
  if (!e->dtype().is_integral() || e->dtype().is_bool()) return false;
  if (auto* binary = as_binary(e)) {
    bool number = e->kind <= ExprKind::kMax || (bits == SizeBits::kYes && e->kind >= ExprKind::kBitwiseAnd);
    return number && both(binary->a, binary->b);
  }
  auto* call = as<CallNode>(e);
  auto* op = call != nullptr ? as<OpNode>(call->op) : nullptr;
  if (op == nullptr || bits == SizeBits::kNo) return false;
  std::string_view name = op_row(op).name;
  bool on_bits = name == "tirx.shift_left" || name == "tirx.shift_right" || name == "tirx.bitwise_and" ||
                 name == "tirx.bitwise_or" || name == "tirx.bitwise_xor";
  return on_bits && both(call->args[0], call->args[1]);
}

}  // namespace mlc::ir
