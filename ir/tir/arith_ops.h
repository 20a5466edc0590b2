// SPDX-License-Identifier: Apache-2.0
// Building arithmetic: operands are brought to one type by TVM's rules, constants are folded, and the
// identities x+0, x*1, x*0, x//1, ... are applied. Nothing else is simplified here.
#pragma once

#include "ir/core/expr.h"

namespace mlc::ir {

// Brings a and b to one type: lanes are broadcast, integers widened to the wider, integers meet floats
// as floats, a constant takes the other side's type. Throws Error type-mismatch.
void match_types(Expr& a, Expr& b, Span span = {});

Expr add(Expr a, Expr b, Span span = {});
Expr sub(Expr a, Expr b, Span span = {});
Expr mul(Expr a, Expr b, Span span = {});
Expr div(Expr a, Expr b, Span span = {});  // `/`: floats only, integers need `//` or truncdiv
Expr truncdiv(Expr a, Expr b, Span span = {});
Expr truncmod(Expr a, Expr b, Span span = {});
Expr floordiv(Expr a, Expr b, Span span = {});
Expr floormod(Expr a, Expr b, Span span = {});
Expr ceildiv(Expr a, Expr b, Span span = {});  // (a + b - 1) // b
Expr min(Expr a, Expr b, Span span = {});
Expr max(Expr a, Expr b, Span span = {});
Expr neg(Expr a, Span span = {});  // a * -1, constants folded

Expr eq(Expr a, Expr b, Span span = {});
Expr ne(Expr a, Expr b, Span span = {});
Expr lt(Expr a, Expr b, Span span = {});
Expr le(Expr a, Expr b, Span span = {});
Expr gt(Expr a, Expr b, Span span = {});
Expr ge(Expr a, Expr b, Span span = {});
Expr logical_and(Expr a, Expr b, Span span = {});
Expr logical_or(Expr a, Expr b, Span span = {});
Expr logical_not(Expr a, Span span = {});

Expr bitwise_and(Expr a, Expr b, Span span = {});
Expr bitwise_or(Expr a, Expr b, Span span = {});
Expr bitwise_xor(Expr a, Expr b, Span span = {});
Expr bitwise_not(Expr a, Span span = {});
Expr shift_left(Expr a, Expr b, Span span = {});
Expr shift_right(Expr a, Expr b, Span span = {});

Expr cast(DataType dtype, Expr value, Span span = {});  // same node when the type is already right
Expr select(Expr condition, Expr true_value, Expr false_value, Span span = {});
Expr if_then_else(Expr condition, Expr true_value, Expr false_value, Span span = {});
Expr min_value(DataType dtype, Span span = {});
Expr max_value(DataType dtype, Span span = {});
Expr infinity(DataType dtype, Span span = {});

// The operator of `kind` on constants, or null when not both are constants or the result is undefined.
Expr fold(ExprKind kind, const Expr& a, const Expr& b, Span span = {});
// By kind: the function above that builds it.
Expr build(ExprKind kind, Expr a, Expr b, Span span = {});

inline Expr operator+(Expr a, Expr b) { return add(std::move(a), std::move(b)); }
inline Expr operator-(Expr a, Expr b) { return sub(std::move(a), std::move(b)); }
inline Expr operator*(Expr a, Expr b) { return mul(std::move(a), std::move(b)); }
inline Expr operator+(Expr a, int64_t b) {
  Expr c = const_like(a, b);
  return add(std::move(a), c);
}
inline Expr operator-(Expr a, int64_t b) {
  Expr c = const_like(a, b);
  return sub(std::move(a), c);
}
inline Expr operator*(Expr a, int64_t b) {
  Expr c = const_like(a, b);
  return mul(std::move(a), c);
}

}  // namespace mlc::ir
