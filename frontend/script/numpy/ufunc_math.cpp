// SPDX-License-Identifier: Apache-2.0
// Mathematics on floats, element by element.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "frontend/script/numpy/fast_math.h"
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
// By the bits of the exponent: a comparison with NaN would be an invalid operation.
template <class T>
bool is_past_finite(T x) {
  if constexpr (sizeof(T) == 4) return (std::bit_cast<uint32_t>(x) & 0x7f800000U) == 0x7f800000U;
  return (std::bit_cast<uint64_t>(static_cast<double>(x)) & 0x7ff0000000000000U) == 0x7ff0000000000000U;
}

#define MLC_NP_PREDICATE(Name, expression)       \
  struct Name {                                  \
    template <class T>                           \
    static constexpr bool on = true;             \
    template <class T>                           \
    static bool apply(T x) {                     \
      if constexpr (std::is_floating_point_v<T>) \
        return expression;                       \
      else                                       \
        return otherwise;                        \
    }                                            \
    static constexpr bool otherwise =
MLC_NP_PREDICATE(Isnan, x != x) false;
};
MLC_NP_PREDICATE(Isinf, is_past_finite(x) && x == x) false;
};
MLC_NP_PREDICATE(Isfinite, !is_past_finite(x)) true;
}
;
#undef MLC_NP_PREDICATE
struct Signbit : Real {
  template <class T>
  static bool apply(T x) {
    return std::copysign(T(1), x) < 0;  // std::signbit, vectorized, is an internal error of g++ 12.2
  }
};

// The neighbour of a number of 16 bits, in its own bits.
template <class T>
T neighbour(T x, T y) {
  auto a = static_cast<float>(x), b = static_cast<float>(y);
  if (a != a || b != b) return T(a + b);
  if (a == b) return y;
  T next = x;
  if (a == 0)
    next.bits = static_cast<uint16_t>((y.bits & 0x8000) | 1);
  else if ((a < b) == (a > 0))
    ++next.bits;
  else
    --next.bits;
  return next;
}
template <class T>
void neighbour_loop(char* const* p, int64_t n, const int64_t* s) {
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(p[2] + i * s[2]) = neighbour(load<T>(p[0] + i * s[0]), load<T>(p[1] + i * s[1]));
}

// Rows of floats that are read and written in order go several at a time.
template <class F, class T, void (*row)(const T*, T*, int64_t)>
void row_loop(char* const* p, int64_t n, const int64_t* s) {
  if (s[0] != sizeof(T) || s[1] != sizeof(T)) return unary_loop<F, T, T>(p, n, s);
  row(reinterpret_cast<const T*>(p[0]), reinterpret_cast<T*>(p[1]), n);
}
constexpr UfuncRow with_doubles(UfuncRow row) {
  row.loops[index_of(Kind::kFloat64)] = row_loop<Exp, double, exp_row>;
  return row;
}
template <class F, void (*row)(const float*, float*, int64_t)>
constexpr UfuncRow row_function(std::string_view name, std::string_view doc) {
  UfuncRow made = unary<F>(name, doc);
  made.loops[index_of(Kind::kFloat32)] = row_loop<F, float, row>;
  return made;
}

constexpr UfuncRow with_neighbours(UfuncRow row) {
  row.loops[index_of(Kind::kFloat16)] = neighbour_loop<Half>;
  row.loops[index_of(Kind::kBFloat16)] = neighbour_loop<BFloat16>;
  return row;
}

const UfuncRow rows[] = {
    with_doubles(row_function<Exp, exp_row>("exp", "e to the power of each element.")),
    unary<Expm1>("expm1", "exp(x) - 1."),
    unary<Exp2>("exp2", "2 to the power of each element."),
    row_function<Log, log_row>("log", "The natural logarithm."),
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
    row_function<Tanh, tanh_row>("tanh", "The hyperbolic tangent."),
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
    with_neighbours(binary<Nextafter>("nextafter", "The number next to x1 towards x2.")),
    binary<Logaddexp>("logaddexp", "log(exp(x1) + exp(x2))."),
    predicate<Isnan>("isnan", "Is it not a number?"),
    predicate<Isinf>("isinf", "Is it infinite?"),
    predicate<Isfinite>("isfinite", "Is it a finite number?"),
    predicate<Signbit>("signbit", "Is the sign bit set?"),
};

}  // namespace

std::span<const UfuncRow> math_ufuncs() { return rows; }

}  // namespace mlc::script
