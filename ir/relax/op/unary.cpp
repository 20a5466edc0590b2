// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one tensor.
#include "ir/relax/infer.h"

namespace mlc::relax::operators_unary {
namespace {

constexpr Operator kRows[] = {
    {.signature = "abs(x)", .doc = "|x|, elementwise.", .infer = infer_unary_any},
    {.signature = "acos(x)", .doc = "The arc cosine, elementwise.", .infer = infer_unary_float},
    {.signature = "acosh(x)", .doc = "The inverse hyperbolic cosine, elementwise.", .infer = infer_unary_float},
    {.signature = "asin(x)", .doc = "The arc sine, elementwise.", .infer = infer_unary_float},
    {.signature = "asinh(x)", .doc = "The inverse hyperbolic sine, elementwise.", .infer = infer_unary_float},
    {.signature = "atan(x)", .doc = "The arc tangent, elementwise.", .infer = infer_unary_float},
    {.signature = "atanh(x)", .doc = "The inverse hyperbolic tangent, elementwise.", .infer = infer_unary_float},
    {.signature = "bitwise_not(x)", .doc = "~x, elementwise.", .infer = infer_unary_any},
    {.signature = "ceil(x)", .doc = "The smallest whole number not less than x, elementwise.", .infer = infer_unary_any},
    {.signature = "cos(x)", .doc = "The cosine, elementwise.", .infer = infer_unary_float},
    {.signature = "cosh(x)", .doc = "The hyperbolic cosine, elementwise.", .infer = infer_unary_float},
    {.signature = "erf(x)", .doc = "The error function, elementwise.", .infer = infer_unary_float},
    {.signature = "exp(x)", .doc = "e ** x, elementwise.", .infer = infer_unary_float},
    {.signature = "floor(x)", .doc = "The largest whole number not greater than x, elementwise.", .infer = infer_unary_any},
    {.signature = "isfinite(x)", .doc = "Is x neither infinite nor NaN, elementwise.", .infer = infer_unary_bool},
    {.signature = "isinf(x)", .doc = "Is x infinite, elementwise.", .infer = infer_unary_bool},
    {.signature = "isnan(x)", .doc = "Is x NaN, elementwise.", .infer = infer_unary_bool},
    {.signature = "log(x)", .doc = "The natural logarithm, elementwise.", .infer = infer_unary_float},
    {.signature = "logical_not(x)", .doc = "not x, elementwise.", .infer = infer_unary_any},
    {.signature = "negative(x)", .doc = "-x, elementwise.", .infer = infer_unary_any},
    {.signature = "round(x)", .doc = "The nearest whole number, elementwise.", .infer = infer_unary_any},
    {.signature = "rsqrt(x)", .doc = "1 / sqrt(x), elementwise.", .infer = infer_unary_float},
    {.signature = "sigmoid(x)", .doc = "1 / (1 + exp(-x)), elementwise.", .infer = infer_unary_float},
    {.signature = "sign(x)", .doc = "-1, 0 or 1, elementwise.", .infer = infer_unary_any},
    {.signature = "sin(x)", .doc = "The sine, elementwise.", .infer = infer_unary_float},
    {.signature = "sinh(x)", .doc = "The hyperbolic sine, elementwise.", .infer = infer_unary_float},
    {.signature = "sqrt(x)", .doc = "The square root, elementwise.", .infer = infer_unary_float},
    {.signature = "square(x)", .doc = "x * x, elementwise.", .infer = infer_unary_any},
    {.signature = "tan(x)", .doc = "The tangent, elementwise.", .infer = infer_unary_float},
    {.signature = "tanh(x)", .doc = "The hyperbolic tangent, elementwise.", .infer = infer_unary_float},
    {.signature = "trunc(x)", .doc = "The whole part, elementwise.", .infer = infer_unary_any},
};

}  // namespace

extern const Operators unary;
const Operators unary{kRows};

}  // namespace mlc::relax::operators_unary
