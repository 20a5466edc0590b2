// SPDX-License-Identifier: Apache-2.0
// Mathematics on floats, element by element.
#include <cmath>
#include <limits>

#include "frontend/script/numpy/ufunc.h"

namespace mlc::script {
namespace {

struct Real {
  template <class T>
  static constexpr bool on = is_real<T>;
};

#define MLC_NP_FUNCTION(Name, expression) \
  struct Name : Real {                    \
    template <class T>                    \
    static T apply(T x) {                 \
      return expression;                  \
    }                                     \
  };
MLC_NP_FUNCTION(Exp, std::exp(x))
MLC_NP_FUNCTION(Expm1, std::expm1(x))
MLC_NP_FUNCTION(Exp2, std::exp2(x))
MLC_NP_FUNCTION(Log, std::log(x))
MLC_NP_FUNCTION(Log2, std::log2(x))
MLC_NP_FUNCTION(Log10, std::log10(x))
MLC_NP_FUNCTION(Log1p, std::log1p(x))
MLC_NP_FUNCTION(Sqrt, std::sqrt(x))
MLC_NP_FUNCTION(Cbrt, std::cbrt(x))
MLC_NP_FUNCTION(Sin, std::sin(x))
MLC_NP_FUNCTION(Cos, std::cos(x))
MLC_NP_FUNCTION(Tan, std::tan(x))
MLC_NP_FUNCTION(Arcsin, std::asin(x))
MLC_NP_FUNCTION(Arccos, std::acos(x))
MLC_NP_FUNCTION(Arctan, std::atan(x))
MLC_NP_FUNCTION(Sinh, std::sinh(x))
MLC_NP_FUNCTION(Cosh, std::cosh(x))
MLC_NP_FUNCTION(Tanh, std::tanh(x))
MLC_NP_FUNCTION(Arcsinh, std::asinh(x))
MLC_NP_FUNCTION(Arccosh, std::acosh(x))
MLC_NP_FUNCTION(Arctanh, std::atanh(x))
MLC_NP_FUNCTION(Rint, std::nearbyint(x))
MLC_NP_FUNCTION(Fabs, std::fabs(x))
#undef MLC_NP_FUNCTION

// Whole numbers are their own floor; NumPy keeps their type.
#define MLC_NP_ROUNDING(Name, function)    \
  struct Name {                            \
    template <class T>                     \
    static constexpr bool on = true;       \
    template <class T>                     \
    static T apply(T x) {                  \
      if constexpr (std::is_integral_v<T>) \
        return x;                          \
      else                                 \
        return function(x);                \
    }                                      \
  };
MLC_NP_ROUNDING(Floor, std::floor)
MLC_NP_ROUNDING(Ceil, std::ceil)
MLC_NP_ROUNDING(Trunc, std::trunc)
#undef MLC_NP_ROUNDING

#define MLC_NP_PAIRS(Name, expression) \
  struct Name : Real {                 \
    template <class T>                 \
    static T apply(T x, T y) {         \
      return expression;               \
    }                                  \
  };
MLC_NP_PAIRS(Arctan2, std::atan2(x, y))
MLC_NP_PAIRS(Hypot, std::hypot(x, y))
MLC_NP_PAIRS(Copysign, std::copysign(x, y))
MLC_NP_PAIRS(Nextafter, std::nextafter(x, y))
#undef MLC_NP_PAIRS
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
struct OfFloats {
  template <class T>
  static constexpr bool on = true;
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
    unary<Exp>("exp", "e to the power of each element."),
    unary<Expm1>("expm1", "exp(x) - 1."),
    unary<Exp2>("exp2", "2 to the power of each element."),
    unary<Log>("log", "The natural logarithm."),
    unary<Log2>("log2", "The logarithm to base 2."),
    unary<Log10>("log10", "The logarithm to base 10."),
    unary<Log1p>("log1p", "log(1 + x)."),
    unary<Sqrt>("sqrt", "The square root."),
    unary<Cbrt>("cbrt", "The cube root."),
    unary<Sin>("sin", "The sine."),
    unary<Cos>("cos", "The cosine."),
    unary<Tan>("tan", "The tangent."),
    unary<Arcsin>("arcsin", "The arc sine."),
    unary<Arccos>("arccos", "The arc cosine."),
    unary<Arctan>("arctan", "The arc tangent."),
    unary<Sinh>("sinh", "The hyperbolic sine."),
    unary<Cosh>("cosh", "The hyperbolic cosine."),
    unary<Tanh>("tanh", "The hyperbolic tangent."),
    unary<Arcsinh>("arcsinh", "The inverse hyperbolic sine."),
    unary<Arccosh>("arccosh", "The inverse hyperbolic cosine."),
    unary<Arctanh>("arctanh", "The inverse hyperbolic tangent."),
    unary<Rint>("rint", "Rounded to the nearest whole number, ties to even."),
    unary<Fabs>("fabs", "The absolute value, as a float."),
    unary<Floor>("floor", "Rounded down."),
    unary<Ceil>("ceil", "Rounded up."),
    unary<Trunc>("trunc", "Rounded towards zero."),
    binary<Arctan2>("arctan2", "The angle of the point (x2, x1)."),
    binary<Hypot>("hypot", "sqrt(x1 ** 2 + x2 ** 2)."),
    binary<Copysign>("copysign", "x1 with the sign of x2."),
    binary<Nextafter>("nextafter", "The number next to x1 towards x2."),
    binary<Logaddexp>("logaddexp", "log(exp(x1) + exp(x2))."),
    predicate<Isnan>("isnan", "Is it not a number?"),
    predicate<Isinf>("isinf", "Is it infinite?"),
    predicate<Isfinite>("isfinite", "Is it a finite number?"),
    predicate<Signbit>("signbit", "Is the sign bit set?"),
};

}  // namespace

std::span<const UfuncRow> math_ufuncs() { return ufunc_math_table; }

}  // namespace mlc::script
