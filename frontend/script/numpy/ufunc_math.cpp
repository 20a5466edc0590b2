// SPDX-License-Identifier: Apache-2.0
// Mathematics on floats, element by element.
#include <cmath>
#include <limits>

#include "frontend/script/numpy/ufunc.h"

namespace mlc::script {
namespace {

// Whole numbers are their own floor; NumPy keeps their type.
template <auto function>
struct Rounding : AllTypes {
  template <class T>
  static T apply(T x) {
    if constexpr (std::is_integral_v<T>)
      return x;
    else
      return function(x);
  }
};

struct Logaddexp : Real {
  template <class T>
  static T apply(T x, T y) {
    if (x == y) return x + static_cast<T>(0.69314718055994530942);
    T distance = x - y;
    if (distance > 0) return x + std::log1p(std::exp(-distance));
    if (distance <= 0) return y + std::log1p(std::exp(distance));
    return distance;
  }
};
template <bool otherwise>
struct OfFloats : AllTypes {
  // `test` of a float; other numbers are finite.
  template <class T, class F>
  static bool ask(T x, F test) {
    if constexpr (std::is_floating_point_v<T>)
      return test(x);
    else
      return otherwise;
  }
};
struct Isnan : OfFloats<false> {
  template <class T>
  static bool apply(T x) {
    return ask(x, [](auto real) { return real != real; });
  }
};
struct Isinf : OfFloats<false> {
  template <class T>
  static bool apply(T x) {
    return ask(x, [](auto real) { return std::fabs(real) > std::numeric_limits<T>::max(); });
  }
};
struct Isfinite : OfFloats<true> {
  template <class T>
  static bool apply(T x) {
    return ask(x, [](auto real) { return std::fabs(real) <= std::numeric_limits<T>::max(); });
  }
};
struct Signbit : Real {
  template <class T>
  static bool apply(T x) {
    return std::copysign(T(1), x) < 0;  // std::signbit, vectorized, is an internal error of g++ 12.2
  }
};

const UfuncRow ufunc_math_table[] = {
    unary<Of<Real, [](auto x) { return std::exp(x); }>>("exp", "e to the power of each element."),
    unary<Of<Real, [](auto x) { return std::expm1(x); }>>("expm1", "exp(x) - 1."),
    unary<Of<Real, [](auto x) { return std::exp2(x); }>>("exp2", "2 to the power of each element."),
    unary<Of<Real, [](auto x) { return std::log(x); }>>("log", "The natural logarithm."),
    unary<Of<Real, [](auto x) { return std::log2(x); }>>("log2", "The logarithm to base 2."),
    unary<Of<Real, [](auto x) { return std::log10(x); }>>("log10", "The logarithm to base 10."),
    unary<Of<Real, [](auto x) { return std::log1p(x); }>>("log1p", "log(1 + x)."),
    unary<Of<Real, [](auto x) { return std::sqrt(x); }>>("sqrt", "The square root."),
    unary<Of<Real, [](auto x) { return std::cbrt(x); }>>("cbrt", "The cube root."),
    unary<Of<Real, [](auto x) { return std::sin(x); }>>("sin", "The sine."),
    unary<Of<Real, [](auto x) { return std::cos(x); }>>("cos", "The cosine."),
    unary<Of<Real, [](auto x) { return std::tan(x); }>>("tan", "The tangent."),
    unary<Of<Real, [](auto x) { return std::asin(x); }>>("arcsin", "The arc sine."),
    unary<Of<Real, [](auto x) { return std::acos(x); }>>("arccos", "The arc cosine."),
    unary<Of<Real, [](auto x) { return std::atan(x); }>>("arctan", "The arc tangent."),
    unary<Of<Real, [](auto x) { return std::sinh(x); }>>("sinh", "The hyperbolic sine."),
    unary<Of<Real, [](auto x) { return std::cosh(x); }>>("cosh", "The hyperbolic cosine."),
    unary<Of<Real, [](auto x) { return std::tanh(x); }>>("tanh", "The hyperbolic tangent."),
    unary<Of<Real, [](auto x) { return std::asinh(x); }>>("arcsinh", "The inverse hyperbolic sine."),
    unary<Of<Real, [](auto x) { return std::acosh(x); }>>("arccosh", "The inverse hyperbolic cosine."),
    unary<Of<Real, [](auto x) { return std::atanh(x); }>>("arctanh", "The inverse hyperbolic tangent."),
    unary<Of<Real, [](auto x) { return std::nearbyint(x); }>>(
        "rint", "Rounded to the nearest whole number, ties to even."),
    unary<Of<Real, [](auto x) { return std::fabs(x); }>>("fabs", "The absolute value, as a float."),
    unary<Rounding<[](auto x) { return std::floor(x); }>>("floor", "Rounded down."),
    unary<Rounding<[](auto x) { return std::ceil(x); }>>("ceil", "Rounded up."),
    unary<Rounding<[](auto x) { return std::trunc(x); }>>("trunc", "Rounded towards zero."),
    binary<Of<Real, [](auto x, auto y) { return std::atan2(x, y); }>>("arctan2",
                                                                      "The angle of the point (x2, x1)."),
    binary<Of<Real, [](auto x, auto y) { return std::hypot(x, y); }>>("hypot", "sqrt(x1 ** 2 + x2 ** 2)."),
    binary<Of<Real, [](auto x, auto y) { return std::copysign(x, y); }>>("copysign",
                                                                         "x1 with the sign of x2."),
    binary<Of<Real, [](auto x, auto y) { return std::nextafter(x, y); }>>(
        "nextafter", "The number next to x1 towards x2."),
    binary<Logaddexp>("logaddexp", "log(exp(x1) + exp(x2))."),
    predicate<Isnan>("isnan", "Is it not a number?"),
    predicate<Isinf>("isinf", "Is it infinite?"),
    predicate<Isfinite>("isfinite", "Is it a finite number?"),
    predicate<Signbit>("signbit", "Is the sign bit set?"),
};

}  // namespace

std::span<const UfuncRow> math_ufuncs() { return ufunc_math_table; }

}  // namespace mlc::script
