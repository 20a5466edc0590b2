// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparison, logic and bits, element by element.
#include <cmath>

#include "frontend/script/numpy/ufunc.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "negative-power",
         .message = "Integers to negative integer powers are not allowed.",
         .meaning = "An integer to a negative power is a fraction: make it a float.",
         .wrong = R"(import numpy as np
np.array([2]) ** -1)",
         .right = R"(import numpy as np
np.array([2.0]) ** -1)"},
    }};
MLC_REFUSALS(numpy_ufunc_arithmetic, refusals);

namespace {

// Wraps around as the machine does.
template <class T>
using Wide = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

struct Add : AllTypes {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
    else
      return a + b;
  }
};
struct Subtract : Number {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
    else
      return a - b;
  }
};
struct Multiply : AllTypes {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    else
      return a * b;
  }
};
template <class T>
T float_modulo(T a, T b) {
  T mod = std::fmod(a, b);
  if (b == 0) return mod;
  if (mod != 0) {
    if ((b < 0) != (mod < 0)) mod += b;
  } else {
    mod = std::copysign(T(0), b);
  }
  return mod;
}
template <class T>
T float_floor_divide(T a, T b) {
  if (b == 0) return a / b;
  T mod = std::fmod(a, b);
  T quotient = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), a / b);
  T floored = std::floor(quotient);
  return quotient - floored > T(0.5) ? floored + 1 : floored;
}
struct FloorDivide : Number {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (!std::is_integral_v<T>) {
      return float_floor_divide(a, b);
    } else {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == static_cast<T>(-1)) {
          return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(a));
        }
        return static_cast<T>(a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0));
      } else {
        return static_cast<T>(a / b);
      }
    }
  }
};
struct Remainder : Number {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (!std::is_integral_v<T>) {
      return float_modulo(a, b);
    } else {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == static_cast<T>(-1)) return 0;
        T r = static_cast<T>(a % b);
        return static_cast<T>(r != 0 && ((r < 0) != (b < 0)) ? r + b : r);
      } else {
        return static_cast<T>(a % b);
      }
    }
  }
};
struct Fmod : Number {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (!std::is_integral_v<T>) {
      return std::fmod(a, b);
    } else {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == static_cast<T>(-1)) return 0;
      }
      return static_cast<T>(a % b);
    }
  }
};
struct Power : Number {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (!std::is_integral_v<T>) {
      return b == 2 ? a * a : std::pow(a, b);
    } else {
      Wide<T> result = 1, square = static_cast<Wide<T>>(a);
      for (auto e = static_cast<std::make_unsigned_t<T>>(b); e != 0; e = static_cast<decltype(e)>(e >> 1)) {
        if ((e & 1) != 0) result *= square;
        square *= square;
      }
      return static_cast<T>(result);
    }
  }
};
void check_power(const std::vector<ffi::Tensor>& inputs, ir::Span span) {
  DataType dtype = inputs[1].dtype();
  if (!dtype.is_int()) return;
  bool negative = false;
  ffi::Tensor exponents = cast_to(inputs[1], DataType::Int(64));
  each_offset(exponents, [&](int64_t at) { negative = negative || data_of<int64_t>(exponents)[at] < 0; });
  if (negative && inputs[0].numel() > 0) raise(refusals["negative-power"], span);
}

struct Maximum : AllTypes {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a >= b || a != a ? a : b;
    else
      return a >= b ? a : b;
  }
};
struct Minimum : Maximum {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a <= b || a != a ? a : b;
    else
      return a <= b ? a : b;
  }
};
struct ShiftLeft {
  template <class T>
  static constexpr bool on = is_whole<T>;
  template <class T>
  static T apply(T a, T b) {
    if (static_cast<std::make_unsigned_t<T>>(b) >= sizeof(T) * 8) return 0;
    return static_cast<T>(static_cast<Wide<T>>(a) << b);
  }
};
struct ShiftRight : ShiftLeft {
  template <class T>
  static T apply(T a, T b) {
    if (static_cast<std::make_unsigned_t<T>>(b) >= sizeof(T) * 8) return static_cast<T>(a < 0 ? -1 : 0);
    return static_cast<T>(a >> b);
  }
};
struct Invert : Integral {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return static_cast<T>(~a);
  }
};
struct Negative : Number {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(a));
    else
      return -a;
  }
};
struct Absolute : AllTypes {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_same_v<T, bool> || std::is_unsigned_v<T>)
      return a;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(a < 0 ? Wide<T>{0} - static_cast<Wide<T>>(a) : static_cast<Wide<T>>(a));
    else
      return std::fabs(a);
  }
};
struct Square : Number {
  template <class T>
  static T apply(T a) {
    return Multiply::apply(a, a);
  }
};
struct Sign : Number {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(a > 0 ? 1 : a == 0 ? 0 : -1);
    else
      return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a;
  }
};
struct Reciprocal : Number {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_integral_v<T>) {
      // Of 0, what the machine makes of infinity.
      if (a == 0) return std::is_unsigned_v<T> || sizeof(T) < 4 ? 0 : std::numeric_limits<T>::min();
      return static_cast<T>(1 / a);
    } else {
      return 1 / a;
    }
  }
};

// Sums as NumPy adds floats: blocks of 128 by eight accumulators, halves above.
template <class T>
Compute<T> pairwise(const char* data, int64_t n, int64_t step) {
  using C = Compute<T>;
  auto at = [&](int64_t i) { return static_cast<C>(load<T>(data + i * step)); };
  if (n < 8) {
    C sum = C(-0.0);
    for (int64_t i = 0; i < n; ++i) sum += at(i);
    return sum;
  }
  if (n <= 128) {
    C r[8];
    for (int64_t k = 0; k < 8; ++k) r[k] = at(k);
    int64_t i = 8;
    for (; i < n - n % 8; i += 8) {
      for (int64_t k = 0; k < 8; ++k) r[k] += at(i + k);
    }
    C sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) sum += at(i);
    return sum;
  }
  int64_t half = n / 2;
  half -= half % 8;
  return pairwise<T>(data, half, step) + pairwise<T>(data + half * step, n - half, step);
}
template <class T>
void sum_loop(char* const* p, int64_t n, const int64_t* s) {
  auto sum = static_cast<Compute<T>>(load<T>(p[0]));
  *reinterpret_cast<T*>(p[0]) = static_cast<T>(sum + pairwise<T>(p[1], n, s[1]));
}
constexpr Loops sum_loops() {
  Loops loops = fold_loops<Add>();
  loops[index_of(Kind::kFloat16)] = sum_loop<Half>;
  loops[index_of(Kind::kFloat32)] = sum_loop<float>;
  loops[index_of(Kind::kFloat64)] = sum_loop<double>;
  return loops;
}

constexpr DataType kBool = DataType::Bool();

template <class F>
constexpr UfuncRow folding(std::string_view name, std::string_view doc, std::optional<double> identity = {}) {
  UfuncRow row = binary<F>(name, doc);
  row.folds = fold_loops<F>();
  row.identity = identity;
  return row;
}
template <class F>
constexpr UfuncRow comparing(std::string_view name, std::string_view doc) {
  return {.name = name,
          .doc = doc,
          .inputs = 2,
          .loops = binary_loops<F, bool>(),
          .result = kBool,
          .rule = Rule::kCompare};
}
template <class F>
constexpr UfuncRow logical(std::string_view name, std::string_view doc, double identity) {
  return {.name = name,
          .doc = doc,
          .inputs = 2,
          .loops = binary_loops<F, bool>(),
          .folds = {fold_loop<F, bool>},
          .result = kBool,
          .identity = identity};
}

constexpr UfuncRow with_sums(UfuncRow row) {
  row.folds = sum_loops();
  return row;
}
constexpr UfuncRow with_rule(UfuncRow row, Rule rule) {
  row.rule = rule;
  return row;
}
constexpr UfuncRow with_check(UfuncRow row) {
  row.check = check_power;
  return row;
}

const UfuncRow ufunc_arithmetic_table[] = {
    with_sums(folding<Add>("add", "x1 + x2.", 0)),
    folding<Multiply>("multiply", "x1 * x2.", 1),
    binary<Subtract>("subtract", "x1 - x2."),
    with_rule(binary<Of<Real, [](auto a, auto b) { return a / b; }>>("divide", "x1 / x2."), Rule::kDivide),
    binary<FloorDivide>("floor_divide", "x1 / x2, rounded down."),
    binary<Remainder>("remainder", "What is left of x1 / x2, with the sign of x2."),
    binary<Fmod>("fmod", "What is left of x1 / x2, with the sign of x1."),
    with_check(binary<Power>("power", "x1 ** x2.")),
    folding<Maximum>("maximum", "The greater of each pair; nan wins."),
    folding<Minimum>("minimum", "The lesser of each pair; nan wins."),
    folding<Of<AllTypes, [](auto a, auto b) { return a >= b || b != b ? a : b; }>>(
        "fmax", "The greater of each pair; nan loses."),
    folding<Of<AllTypes, [](auto a, auto b) { return a <= b || b != b ? a : b; }>>(
        "fmin", "The lesser of each pair; nan loses."),
    folding<Of<Integral, [](auto a, auto b) { return a & b; }>>("bitwise_and", "x1 & x2.", -1),
    folding<Of<Integral, [](auto a, auto b) { return a | b; }>>("bitwise_or", "x1 | x2.", 0),
    folding<Of<Integral, [](auto a, auto b) { return a ^ b; }>>("bitwise_xor", "x1 ^ x2.", 0),
    binary<ShiftLeft>("left_shift", "x1 << x2."),
    binary<ShiftRight>("right_shift", "x1 >> x2."),
    unary<Invert>("invert", "~x."),
    comparing<Of<AllTypes, [](auto a, auto b) { return a == b; }>>("equal", "x1 == x2."),
    comparing<Of<AllTypes, [](auto a, auto b) { return a != b; }>>("not_equal", "x1 != x2."),
    comparing<Of<AllTypes, [](auto a, auto b) { return a < b; }>>("less", "x1 < x2."),
    comparing<Of<AllTypes, [](auto a, auto b) { return a <= b; }>>("less_equal", "x1 <= x2."),
    comparing<Of<AllTypes, [](auto a, auto b) { return (a > b); }>>("greater", "x1 > x2."),
    comparing<Of<AllTypes, [](auto a, auto b) { return a >= b; }>>("greater_equal", "x1 >= x2."),
    logical<Of<AllTypes, [](auto a, auto b) { return a != 0 && b != 0; }>>("logical_and", "Are both true?",
                                                                           1),
    logical<Of<AllTypes, [](auto a, auto b) { return a != 0 || b != 0; }>>("logical_or", "Is one true?", 0),
    logical<Of<AllTypes, [](auto a, auto b) { return (a != 0) != (b != 0); }>>("logical_xor",
                                                                               "Is exactly one true?", 0),
    predicate<Of<AllTypes, [](auto a) { return a == 0; }>>("logical_not", "Is it false?"),
    unary<Negative>("negative", "-x."),
    unary<Of<Number, [](auto a) { return a; }>>("positive", "+x."),
    unary<Absolute>("absolute", "The absolute value."),
    unary<Square>("square", "x * x."),
    unary<Sign>("sign", "-1, 0 or 1 by the sign."),
    unary<Reciprocal>("reciprocal", "1 / x."),
};

}  // namespace

std::span<const UfuncRow> arithmetic_ufuncs() { return ufunc_arithmetic_table; }

}  // namespace mlc::script
