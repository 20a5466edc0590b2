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
MLC_NP_FUNCTION(Deg2rad, x* static_cast<T>(3.14159265358979323846 / 180))
MLC_NP_FUNCTION(Rad2deg, x* static_cast<T>(180 / 3.14159265358979323846))
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
MLC_NP_PAIRS(Heaviside, x != x ? x : x == 0 ? y : x < 0 ? T(0) : T(1))
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
struct Logaddexp2 : Real {
  template <class T>
  static T apply(T x, T y) {
    constexpr T kLog2E = static_cast<T>(1.4426950408889634074);
    if (x == y) return x + 1;
    T distance = x - y;
    if (distance > 0) return x + kLog2E * std::log1p(std::exp2(-distance));
    if (distance <= 0) return y + kLog2E * std::log1p(std::exp2(distance));
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

// Functions with two results.
struct Modf : Real {
  template <class T>
  static void apply(T x, T& fraction, T& whole) {
    fraction = std::modf(x, &whole);
  }
};
struct Frexp : Real {
  template <class T>
  static void apply(T x, T& mantissa, int32_t& exponent) {
    int found = 0;
    mantissa = std::frexp(x, &found);
    exponent = std::isfinite(x) ? found : 0;
  }
};
template <class F, class T, class Second>
void split_loop(char* const* p, int64_t n, const int64_t* s) {
  using C = Compute<T>;
  for (int64_t i = 0; i < n; ++i) {
    C a;
    std::conditional_t<std::is_void_v<Second>, C, Second> b;
    F::apply(static_cast<C>(load<T>(p[0] + i * s[0])), a, b);
    *reinterpret_cast<T*>(p[1] + i * s[1]) = static_cast<T>(a);
    using Other = std::conditional_t<std::is_void_v<Second>, T, Second>;
    *reinterpret_cast<Other*>(p[2] + i * s[2]) = static_cast<Other>(b);
  }
}
template <class F, class Second>
constexpr Loops split_loops() {
  Loops loops{};
  loops[index_of(Kind::kFloat16)] = split_loop<F, Half, Second>;
  loops[index_of(Kind::kFloat32)] = split_loop<F, float, Second>;
  loops[index_of(Kind::kFloat64)] = split_loop<F, double, Second>;
  loops[index_of(Kind::kBFloat16)] = split_loop<F, BFloat16, Second>;
  return loops;
}

// The distance to the next number away from zero, in the type itself; for float16 to the next greater one.
template <class T>
T spacing_of(T x) {
  if constexpr (is_small_float<T>) {
    constexpr uint16_t kInfinity = std::is_same_v<T, Half> ? 0x7c00 : 0x7f80;
    if ((x.bits & 0x7fff) >= kInfinity) return T(std::numeric_limits<float>::quiet_NaN());
    T next = x;
    if (std::is_same_v<T, Half> && (x.bits & 0x8000) != 0)
      next.bits = x.bits == 0x8000 ? 1 : static_cast<uint16_t>(x.bits - 1);
    else
      ++next.bits;
    return T(static_cast<float>(next) - static_cast<float>(x));
  } else {
    if (!std::isfinite(x)) return std::numeric_limits<T>::quiet_NaN();
    return std::nextafter(x, std::copysign(std::numeric_limits<T>::infinity(), x)) - x;
  }
}
template <class T>
void spacing_loop(char* const* p, int64_t n, const int64_t* s) {
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(p[1] + i * s[1]) = spacing_of(load<T>(p[0] + i * s[0]));
}
constexpr Loops spacing_loops() {
  Loops loops{};
  loops[index_of(Kind::kFloat16)] = spacing_loop<Half>;
  loops[index_of(Kind::kFloat32)] = spacing_loop<float>;
  loops[index_of(Kind::kFloat64)] = spacing_loop<double>;
  loops[index_of(Kind::kBFloat16)] = spacing_loop<BFloat16>;
  return loops;
}

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
template <class F, void (*row)(const float*, float*, int64_t)>
void row_loop(char* const* p, int64_t n, const int64_t* s) {
  if (s[0] != sizeof(float) || s[1] != sizeof(float)) return unary_loop<F, float, float>(p, n, s);
  row(reinterpret_cast<const float*>(p[0]), reinterpret_cast<float*>(p[1]), n);
}
template <class F>
void exp_double_loop(char* const* p, int64_t n, const int64_t* s) {
  if (s[0] != sizeof(double) || s[1] != sizeof(double)) return unary_loop<F, double, double>(p, n, s);
  exp_row(reinterpret_cast<const double*>(p[0]), reinterpret_cast<double*>(p[1]), n);
}
constexpr UfuncRow with_doubles(UfuncRow row) {
  row.loops[index_of(Kind::kFloat64)] = exp_double_loop<Exp>;
  return row;
}
template <class F, void (*row)(const float*, float*, int64_t)>
constexpr UfuncRow row_function(std::string_view name, std::string_view doc) {
  UfuncRow made{.name = name, .doc = doc, .inputs = 1, .outputs = 1, .loops = unary_loops<F>()};
  made.loops[index_of(Kind::kFloat32)] = row_loop<F, row>;
  return made;
}

template <class F>
constexpr UfuncRow function(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .inputs = 1, .outputs = 1, .loops = unary_loops<F>()};
}
template <class F>
constexpr UfuncRow pairs(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .inputs = 2, .outputs = 1, .loops = binary_loops<F>()};
}
template <class F>
constexpr UfuncRow predicate(std::string_view name, std::string_view doc) {
  return {.name = name,
          .doc = doc,
          .inputs = 1,
          .outputs = 1,
          .loops = unary_loops<F, bool>(),
          .result = DataType::Bool()};
}

constexpr UfuncRow with_neighbours(UfuncRow row) {
  row.loops[index_of(Kind::kFloat16)] = neighbour_loop<Half>;
  row.loops[index_of(Kind::kBFloat16)] = neighbour_loop<BFloat16>;
  return row;
}

const UfuncRow rows[] = {
    with_doubles(row_function<Exp, exp_row>("exp", "e to the power of each element.")),
    function<Expm1>("expm1", "exp(x) - 1."),
    function<Exp2>("exp2", "2 to the power of each element."),
    row_function<Log, log_row>("log", "The natural logarithm."),
    function<Log2>("log2", "The logarithm to base 2."),
    function<Log10>("log10", "The logarithm to base 10."),
    function<Log1p>("log1p", "log(1 + x)."),
    function<Sqrt>("sqrt", "The square root."),
    function<Cbrt>("cbrt", "The cube root."),
    function<Sin>("sin", "The sine."),
    function<Cos>("cos", "The cosine."),
    function<Tan>("tan", "The tangent."),
    function<Arcsin>("arcsin", "The arc sine."),
    function<Arccos>("arccos", "The arc cosine."),
    function<Arctan>("arctan", "The arc tangent."),
    function<Sinh>("sinh", "The hyperbolic sine."),
    function<Cosh>("cosh", "The hyperbolic cosine."),
    row_function<Tanh, tanh_row>("tanh", "The hyperbolic tangent."),
    function<Arcsinh>("arcsinh", "The inverse hyperbolic sine."),
    function<Arccosh>("arccosh", "The inverse hyperbolic cosine."),
    function<Arctanh>("arctanh", "The inverse hyperbolic tangent."),
    function<Rint>("rint", "Rounded to the nearest whole number, ties to even."),
    function<Fabs>("fabs", "The absolute value, as a float."),
    function<Deg2rad>("deg2rad", "Degrees as radians."),
    function<Deg2rad>("radians", "Degrees as radians."),
    function<Rad2deg>("rad2deg", "Radians as degrees."),
    function<Rad2deg>("degrees", "Radians as degrees."),
    function<Floor>("floor", "Rounded down."),
    function<Ceil>("ceil", "Rounded up."),
    function<Trunc>("trunc", "Rounded towards zero."),
    pairs<Arctan2>("arctan2", "The angle of the point (x2, x1)."),
    pairs<Hypot>("hypot", "sqrt(x1 ** 2 + x2 ** 2)."),
    pairs<Copysign>("copysign", "x1 with the sign of x2."),
    with_neighbours(pairs<Nextafter>("nextafter", "The number next to x1 towards x2.")),
    pairs<Heaviside>("heaviside", "0 below zero, 1 above, x2 at zero."),
    pairs<Logaddexp>("logaddexp", "log(exp(x1) + exp(x2))."),
    pairs<Logaddexp2>("logaddexp2", "log2(2 ** x1 + 2 ** x2)."),
    predicate<Isnan>("isnan", "Is it not a number?"),
    predicate<Isinf>("isinf", "Is it infinite?"),
    predicate<Isfinite>("isfinite", "Is it a finite number?"),
    predicate<Signbit>("signbit", "Is the sign bit set?"),
    {.name = "modf",
     .doc = "The fraction and the whole part.",
     .inputs = 1,
     .outputs = 2,
     .loops = split_loops<Modf, void>()},
    {.name = "frexp",
     .doc = "The mantissa and the exponent of two.",
     .inputs = 1,
     .outputs = 2,
     .loops = split_loops<Frexp, int32_t>(),
     .last = DataType::Int(32)},
    {.name = "spacing",
     .doc = "The distance to the next number away from zero.",
     .inputs = 1,
     .outputs = 1,
     .loops = spacing_loops()},
};

}  // namespace

std::span<const UfuncRow> math_ufuncs() { return rows; }

}  // namespace mlc::script
