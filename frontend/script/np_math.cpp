// SPDX-License-Identifier: Apache-2.0
// Element-wise arithmetic, comparison and mathematics with broadcasting; matmul.
#include <cmath>
#include <cstring>

#include "frontend/script/np_array.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;
using syntax::BinOperator;
using syntax::CmpOperator;

namespace {

// Both operands in one type and shape, row-major where they are not read in place.
struct Pair {
  ffi::Tensor a, b;
  Shape shape;
};

ffi::Tensor operand(Evaluator& evaluator, const Any& value, DataType dtype, ir::Span span) {
  // Weak numbers must fit into the other operand's integers.
  return to_tensor(evaluator, value, span, dtype);
}
Pair make_pair(Evaluator& evaluator, const Any& a, const Any& b, DataType dtype, ir::Span span) {
  Pair pair;
  pair.a = operand(evaluator, a, dtype, span);
  pair.b = operand(evaluator, b, dtype, span);
  pair.shape = broadcast_shapes(shape_of(pair.a), shape_of(pair.b), span);
  return pair;
}

// out[i] = f(a[i], b[i])
template <class T, class R, class F>
void zip_loop(const Pair& pair, const ffi::Tensor& out, F f) {
  R* target = data_of<R>(out);
  int64_t count = out.numel();
  const T* x = data_of<T>(pair.a);
  const T* y = data_of<T>(pair.b);
  bool whole_a = pair.a.IsContiguous() && pair.a.numel() == count;
  bool whole_b = pair.b.IsContiguous() && pair.b.numel() == count;
  if (whole_a && whole_b) {
    for (int64_t i = 0; i < count; ++i) target[i] = static_cast<R>(f(x[i], y[i]));
  } else if (whole_a && pair.b.numel() == 1) {
    T right = y[0];
    for (int64_t i = 0; i < count; ++i) target[i] = static_cast<R>(f(x[i], right));
  } else if (whole_b && pair.a.numel() == 1) {
    T left = x[0];
    for (int64_t i = 0; i < count; ++i) target[i] = static_cast<R>(f(left, y[i]));
  } else {
    ffi::Tensor wide_a = broadcast_to(pair.a, pair.shape), wide_b = broadcast_to(pair.b, pair.shape);
    std::vector<T> left;
    left.reserve(static_cast<size_t>(count));
    const T* from = data_of<T>(wide_a);
    each_offset(wide_a, [&](int64_t at) { left.push_back(from[at]); });
    from = data_of<T>(wide_b);
    size_t i = 0;
    each_offset(wide_b, [&](int64_t at) {
      target[i] = static_cast<R>(f(left[i], from[at]));
      ++i;
    });
  }
}

// The type arithmetic is done in: halves as float.
template <class T>
using Compute = std::conditional_t<std::is_same_v<T, Half>, float, T>;

template <class T>
Compute<T> arithmetic(BinOperator op, T a_value, T b_value) {
  using C = Compute<T>;
  C a = static_cast<C>(a_value), b = static_cast<C>(b_value);
  if constexpr (std::is_same_v<C, bool>) {
    switch (op) {
      case BinOperator::kAdd:
      case BinOperator::kBitOr:
        return a || b;
      case BinOperator::kMult:
      case BinOperator::kBitAnd:
        return a && b;
      default:
        return a != b;
    }
  } else if constexpr (std::is_integral_v<C>) {
    using U = std::make_unsigned_t<C>;
    switch (op) {
      case BinOperator::kAdd:
        return static_cast<C>(static_cast<U>(a) + static_cast<U>(b));
      case BinOperator::kSub:
        return static_cast<C>(static_cast<U>(a) - static_cast<U>(b));
      case BinOperator::kMult:
        return static_cast<C>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      case BinOperator::kFloorDiv:
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<C>) {
          if (b == static_cast<C>(-1)) return static_cast<C>(U{0} - static_cast<U>(a));
          return static_cast<C>(a / b - ((a % b != 0) && ((a < 0) != (b < 0))));
        } else {
          return static_cast<C>(a / b);
        }
      case BinOperator::kMod:
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<C>) {
          if (b == static_cast<C>(-1)) return 0;
          C r = static_cast<C>(a % b);
          return static_cast<C>(r != 0 && ((r < 0) != (b < 0)) ? r + b : r);
        } else {
          return static_cast<C>(a % b);
        }
      case BinOperator::kPow: {
        C result = 1;
        for (C e = b, square = a; e > 0; e = static_cast<C>(e >> 1),
               square = static_cast<C>(static_cast<uint64_t>(square) * static_cast<uint64_t>(square))) {
          if ((e & 1) != 0)
            result = static_cast<C>(static_cast<uint64_t>(result) * static_cast<uint64_t>(square));
        }
        return result;
      }
      case BinOperator::kLShift:
        return b >= static_cast<C>(sizeof(C) * 8) ? C{0} : static_cast<C>(static_cast<U>(a) << b);
      case BinOperator::kRShift:
        return b >= static_cast<C>(sizeof(C) * 8) ? static_cast<C>(a < 0 ? -1 : 0) : static_cast<C>(a >> b);
      case BinOperator::kBitOr:
        return a | b;
      case BinOperator::kBitXor:
        return a ^ b;
      case BinOperator::kBitAnd:
        return a & b;
      default:
        return 0;
    }
  } else {
    switch (op) {
      case BinOperator::kAdd:
        return a + b;
      case BinOperator::kSub:
        return a - b;
      case BinOperator::kMult:
        return a * b;
      case BinOperator::kDiv:
        return a / b;
      case BinOperator::kPow:
        return std::pow(a, b);
      case BinOperator::kFloorDiv: {
        if (b == 0) return a / b;
        C mod = std::fmod(a, b);
        C div = (a - mod) / b;
        if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
        C floored = std::floor(div);
        return div - floored > C(0.5) ? floored + 1 : floored;
      }
      case BinOperator::kMod: {
        C mod = std::fmod(a, b);
        if (mod != 0 && (b < 0) != (mod < 0)) mod += b;
        return mod;
      }
      default:
        return C(NAN);
    }
  }
}

bool takes_floats(BinOperator op) {
  switch (op) {
    case BinOperator::kAdd:
    case BinOperator::kSub:
    case BinOperator::kMult:
    case BinOperator::kDiv:
    case BinOperator::kMod:
    case BinOperator::kPow:
    case BinOperator::kFloorDiv:
      return true;
    default:
      return false;
  }
}

std::string_view ufunc_name(BinOperator op) {
  switch (op) {
    case BinOperator::kSub:
      return "subtract";
    case BinOperator::kBitOr:
      return "bitwise_or";
    case BinOperator::kBitXor:
      return "bitwise_xor";
    case BinOperator::kBitAnd:
      return "bitwise_and";
    case BinOperator::kLShift:
      return "left_shift";
    default:
      return "right_shift";
  }
}

ffi::Tensor binary_tensor(Evaluator& evaluator, BinOperator op, const Any& a, const Any& b, ir::Span span,
                          DataType dtype = DataType::Void()) {
  Any operands[] = {a, b};
  if (dtype.is_void()) dtype = result_type(evaluator, operands, span);
  if (op == BinOperator::kDiv && !dtype.is_float()) dtype = DataType::Float(64);
  bool logical = dtype.is_bool();
  if (logical && (op == BinOperator::kFloorDiv || op == BinOperator::kMod || op == BinOperator::kPow ||
                  op == BinOperator::kLShift || op == BinOperator::kRShift)) {
    dtype = DataType::Int(8);
  }
  if (logical && op == BinOperator::kSub) {
    raise("TypeError", span, "unsupported-operand",
          "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` "
          "operator, or the "
          "logical_xor function instead.");
  }
  if (dtype.is_float() && !takes_floats(op)) {
    raise("TypeError", span, "unsupported-operand",
          "ufunc '{}' not supported for the input types, and the inputs could not be safely coerced to any "
          "supported "
          "types according to the casting rule ''safe''",
          ufunc_name(op));
  }
  Pair pair = make_pair(evaluator, a, b, dtype, span);
  if (op == BinOperator::kPow && dtype.is_int()) {
    ffi::Tensor exponents = cast_to(pair.b, DataType::Int(64));
    for (int64_t i = 0; i < exponents.numel(); ++i) {
      if (data_of<int64_t>(exponents)[i] < 0) {
        raise("ValueError", span, "negative-power", "Integers to negative integer powers are not allowed.");
      }
    }
  }
  ffi::Tensor out = ir::make_tensor(pair.shape, dtype);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    // One loop per operator, so that each can be vectorised.
    switch (op) {
      case BinOperator::kAdd:
        zip_loop<T, T>(pair, out, [](T x, T y) { return arithmetic(BinOperator::kAdd, x, y); });
        break;
      case BinOperator::kSub:
        zip_loop<T, T>(pair, out, [](T x, T y) { return arithmetic(BinOperator::kSub, x, y); });
        break;
      case BinOperator::kMult:
        zip_loop<T, T>(pair, out, [](T x, T y) { return arithmetic(BinOperator::kMult, x, y); });
        break;
      case BinOperator::kDiv:
        zip_loop<T, T>(pair, out, [](T x, T y) { return arithmetic(BinOperator::kDiv, x, y); });
        break;
      default:
        zip_loop<T, T>(pair, out, [op](T x, T y) { return arithmetic(op, x, y); });
        break;
    }
  });
  return out;
}

template <class T>
bool compare_values(CmpOperator op, T a, T b) {
  using C = std::conditional_t<std::is_same_v<T, Half>, double, T>;
  C x = static_cast<C>(a), y = static_cast<C>(b);
  switch (op) {
    case CmpOperator::kEq:
      return x == y;
    case CmpOperator::kNotEq:
      return x != y;
    case CmpOperator::kLt:
      return x < y;
    case CmpOperator::kLtE:
      return x <= y;
    case CmpOperator::kGt:
      return x > y;
    default:
      return x >= y;
  }
}

// ---- matmul ----

// Row-major products; the columns of a block stay in cache.
template <class T>
void multiply(const T* a, const T* b, T* c, int64_t m, int64_t k, int64_t n) {
  using C = Compute<T>;
  constexpr int64_t kBlock = 256;
  std::vector<C> row(static_cast<size_t>(std::min(n, kBlock)));
  for (int64_t j0 = 0; j0 < n; j0 += kBlock) {
    int64_t columns = std::min(kBlock, n - j0);
    for (int64_t i = 0; i < m; ++i) {
      std::fill(row.begin(), row.begin() + columns, C{});
      for (int64_t p = 0; p < k; ++p) {
        C x = static_cast<C>(a[i * k + p]);
        const T* from = b + p * n + j0;
        for (int64_t j = 0; j < columns; ++j) {
          if constexpr (std::is_same_v<C, bool>) {
            row[static_cast<size_t>(j)] = row[static_cast<size_t>(j)] || (x && from[j]);
          } else {
            row[static_cast<size_t>(j)] =
                static_cast<C>(row[static_cast<size_t>(j)] + x * static_cast<C>(from[j]));
          }
        }
      }
      for (int64_t j = 0; j < columns; ++j)
        c[i * n + j0 + j] = static_cast<T>(static_cast<C>(row[static_cast<size_t>(j)]));
    }
  }
}

Any matmul(Evaluator& evaluator, const Any& left, const Any& right, ir::Span span) {
  Any operands[] = {left, right};
  DataType dtype = result_type(evaluator, operands, span);
  ffi::Tensor a = cast_to(to_tensor(evaluator, left, span), dtype),
              b = cast_to(to_tensor(evaluator, right, span), dtype);
  if (a.ndim() == 0 || b.ndim() == 0) {
    raise("ValueError", span, "shape-mismatch",
          "matmul: Input operand {} does not have enough dimensions (has 0, gufunc core with signature "
          "(n?,k),(k,m?)->(n?,m?) requires 1)",
          a.ndim() == 0 ? 0 : 1);
  }
  Shape x = shape_of(a), y = shape_of(b);
  bool vector_a = x.size() == 1, vector_b = y.size() == 1;
  if (vector_a) x.insert(x.begin(), 1);
  if (vector_b) y.push_back(1);
  int64_t m = x[x.size() - 2], k = x.back(), n = y.back();
  if (k != y[y.size() - 2]) {
    raise("ValueError", span, "shape-mismatch",
          "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
          "(n?,k),(k,m?)->(n?,m?) (size {} is different from {})",
          y[y.size() - 2], k);
  }
  Shape batch = broadcast_shapes(Shape(x.begin(), x.end() - 2), Shape(y.begin(), y.end() - 2), span);
  Shape full_x = batch, full_y = batch, out_shape = batch;
  full_x.insert(full_x.end(), {m, k});
  full_y.insert(full_y.end(), {k, n});
  out_shape.insert(out_shape.end(), {m, n});
  ffi::Tensor wide_a = ir::contiguous(broadcast_to(reshape_to(a, x, span), full_x));
  ffi::Tensor wide_b = ir::contiguous(broadcast_to(reshape_to(b, y, span), full_y));
  ffi::Tensor out = ir::make_tensor(out_shape, dtype);
  int64_t count = product(batch);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < count; ++i) {
      multiply(data_of<T>(wide_a) + i * m * k, data_of<T>(wide_b) + i * k * n, data_of<T>(out) + i * m * n, m,
               k, n);
    }
  });
  if (vector_b) out_shape.pop_back();
  if (vector_a) out_shape.erase(out_shape.end() - (vector_b ? 1 : 2));
  return scalar_or_array(reshape_to(out, out_shape, span));
}

// ---- element-wise functions of one argument ----

DataType float_for(DataType dtype) {
  if (dtype.is_float()) return dtype;
  return DataType::Float(dtype.bits() <= 8 ? 16 : dtype.bits() <= 16 ? 32 : 64);
}
template <class F>
Any map_float(Evaluator& evaluator, const Any& value, ir::Span span, F f) {
  Any operands[] = {value};
  DataType dtype = float_for(result_type(evaluator, operands, span));
  ffi::Tensor from = cast_to(to_tensor(evaluator, value, span), dtype);
  ffi::Tensor out = ir::make_tensor(shape_of(from), dtype);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      for (int64_t i = 0; i < out.numel(); ++i) data_of<T>(out)[i] = f(data_of<T>(from)[i]);
    } else if constexpr (std::is_same_v<T, Half>) {
      for (int64_t i = 0; i < out.numel(); ++i) {
        data_of<T>(out)[i] = Half(f(static_cast<float>(static_cast<double>(data_of<T>(from)[i]))));
      }
    }
  });
  return scalar_or_array(out);
}
// f for every type; the result has the same type.
template <class F>
Any map_same(const ffi::Tensor& tensor, F f) {
  ffi::Tensor from = ir::contiguous(tensor);
  ffi::Tensor out = ir::make_tensor(shape_of(from), from.dtype());
  with_type(from.dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < out.numel(); ++i)
      data_of<T>(out)[i] = static_cast<T>(f(static_cast<Compute<T>>(data_of<T>(from)[i])));
  });
  return scalar_or_array(out);
}
template <class F>
Any map_bool(Evaluator& evaluator, const Any& value, ir::Span span, F f) {
  ffi::Tensor from = cast_to(to_tensor(evaluator, value, span), DataType::Float(64));
  ffi::Tensor out = ir::make_tensor(shape_of(from), DataType::Bool());
  for (int64_t i = 0; i < out.numel(); ++i) data_of<bool>(out)[i] = f(data_of<double>(from)[i]);
  return scalar_or_array(out);
}

#define MLC_NP_FLOAT(name, text, expression)                                                                \
  ApiRow {                                                                                                  \
    ApiKind::kFunction, "numpy", name "(x)", text, native([](ApiCall& call, Any value) {                    \
      return map_float(evaluator_of(call.host), value, call.span_of(0), [](auto x) { return expression; }); \
    })                                                                                                      \
  }

template <class F>
Any choose(ApiCall& call, const Any& a, const Any& b, F pick) {
  Evaluator& evaluator = evaluator_of(call.host);
  Any operands[] = {a, b};
  DataType dtype = result_type(evaluator, operands, call.span);
  Pair pair = make_pair(evaluator, a, b, dtype, call.span);
  ffi::Tensor out = ir::make_tensor(pair.shape, dtype);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    zip_loop<T, T>(pair, out, [&](T x, T y) {
      auto p = static_cast<Compute<T>>(x), q = static_cast<Compute<T>>(y);
      if (p != p) return x;
      if (q != q) return y;
      return pick(p, q) ? x : y;
    });
  });
  return scalar_or_array(out);
}

Any apply(ApiCall& call, BinOperator op, const Any& a, const Any& b) {
  return array_binary(evaluator_of(call.host), op, a, b, call.span);
}
Any apply_compare(ApiCall& call, CmpOperator op, const Any& a, const Any& b) {
  return array_compare(evaluator_of(call.host), op, a, b, call.span);
}

#define MLC_NP_BINARY(name, text, op)                                             \
  ApiRow {                                                                        \
    ApiKind::kFunction, "numpy", name "(x1, x2)", text,                           \
        native([](ApiCall& call, Any a, Any b) { return apply(call, op, a, b); }) \
  }
#define MLC_NP_COMPARE(name, text, op)                                                    \
  ApiRow {                                                                                \
    ApiKind::kFunction, "numpy", name "(x1, x2)", text,                                   \
        native([](ApiCall& call, Any a, Any b) { return apply_compare(call, op, a, b); }) \
  }

Any absolute(ApiCall& call, const Any& value) {
  return map_same(to_tensor(evaluator_of(call.host), value, call.span_of(0)), [](auto x) {
    if constexpr (std::is_same_v<decltype(x), bool> || std::is_unsigned_v<decltype(x)>)
      return x;
    else
      return x < 0 ? static_cast<decltype(x)>(-x) : x == 0 ? static_cast<decltype(x)>(0) : x;
  });
}
Any rounded(ApiCall& call, const Any& value, int64_t decimals) {
  ffi::Tensor tensor = to_tensor(evaluator_of(call.host), value, call.span_of(0));
  double scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  return map_same(tensor, [&](auto x) {
    if constexpr (std::is_floating_point_v<decltype(x)>) {
      auto s = static_cast<decltype(x)>(scale);
      return decimals >= 0 ? std::nearbyint(x * s) / s : std::nearbyint(x / s) * s;
    } else {
      return x;
    }
  });
}

Any where(ApiCall& call, const Any& condition, const Any& a, const Any& b) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor test = cast_to(to_tensor(evaluator, condition, call.span_of(0)), DataType::Bool());
  Any operands[] = {a, b};
  DataType dtype = result_type(evaluator, operands, call.span);
  ffi::Tensor x = to_tensor(evaluator, a, call.span_of(1), dtype),
              y = to_tensor(evaluator, b, call.span_of(2), dtype);
  Shape shape =
      broadcast_shapes(broadcast_shapes(shape_of(test), shape_of(x), call.span), shape_of(y), call.span);
  test = ir::contiguous(broadcast_to(test, shape));
  x = ir::contiguous(broadcast_to(x, shape));
  y = ir::contiguous(broadcast_to(y, shape));
  ffi::Tensor out = ir::make_tensor(shape, dtype);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < out.numel(); ++i) {
      data_of<T>(out)[i] = data_of<bool>(test)[i] ? data_of<T>(x)[i] : data_of<T>(y)[i];
    }
  });
  return scalar_or_array(out);
}

Any clip(ApiCall& call, const Any& value, const Any& low, const Any& high) {
  Any result = value;
  if (!is_none(low)) result = choose(call, result, low, [](auto x, auto y) { return x > y; });
  if (!is_none(high)) result = choose(call, result, high, [](auto x, auto y) { return x < y; });
  return result;
}

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

const ApiRow rows[] = {
    MLC_NP_FLOAT("exp", "e to the power of each element.", std::exp(x)),
    MLC_NP_FLOAT("expm1", "exp(x) - 1 of each element.", std::expm1(x)),
    MLC_NP_FLOAT("exp2", "2 to the power of each element.", std::exp2(x)),
    MLC_NP_FLOAT("log", "The natural logarithm of each element.", std::log(x)),
    MLC_NP_FLOAT("log2", "The logarithm to base 2 of each element.", std::log2(x)),
    MLC_NP_FLOAT("log10", "The logarithm to base 10 of each element.", std::log10(x)),
    MLC_NP_FLOAT("log1p", "log(1 + x) of each element.", std::log1p(x)),
    MLC_NP_FLOAT("sqrt", "The square root of each element.", std::sqrt(x)),
    MLC_NP_FLOAT("cbrt", "The cube root of each element.", std::cbrt(x)),
    MLC_NP_FLOAT("sin", "The sine of each element.", std::sin(x)),
    MLC_NP_FLOAT("cos", "The cosine of each element.", std::cos(x)),
    MLC_NP_FLOAT("tan", "The tangent of each element.", std::tan(x)),
    MLC_NP_FLOAT("arcsin", "The arc sine of each element.", std::asin(x)),
    MLC_NP_FLOAT("arccos", "The arc cosine of each element.", std::acos(x)),
    MLC_NP_FLOAT("arctan", "The arc tangent of each element.", std::atan(x)),
    MLC_NP_FLOAT("sinh", "The hyperbolic sine of each element.", std::sinh(x)),
    MLC_NP_FLOAT("cosh", "The hyperbolic cosine of each element.", std::cosh(x)),
    MLC_NP_FLOAT("tanh", "The hyperbolic tangent of each element.", std::tanh(x)),
    MLC_NP_FLOAT("floor", "Each element rounded down.", std::floor(x)),
    MLC_NP_FLOAT("ceil", "Each element rounded up.", std::ceil(x)),
    MLC_NP_FLOAT("trunc", "Each element rounded towards zero.", std::trunc(x)),
    MLC_NP_FLOAT("rint", "Each element rounded to the nearest whole number.", std::nearbyint(x)),
    MLC_NP_BINARY("add", "x1 + x2.", BinOperator::kAdd),
    MLC_NP_BINARY("subtract", "x1 - x2.", BinOperator::kSub),
    MLC_NP_BINARY("multiply", "x1 * x2.", BinOperator::kMult),
    MLC_NP_BINARY("divide", "x1 / x2.", BinOperator::kDiv),
    MLC_NP_BINARY("true_divide", "x1 / x2.", BinOperator::kDiv),
    MLC_NP_BINARY("floor_divide", "x1 // x2.", BinOperator::kFloorDiv),
    MLC_NP_BINARY("mod", "x1 % x2.", BinOperator::kMod),
    MLC_NP_BINARY("remainder", "x1 % x2.", BinOperator::kMod),
    MLC_NP_BINARY("power", "x1 ** x2.", BinOperator::kPow),
    MLC_NP_BINARY("matmul", "The matrix product.", BinOperator::kMatMult),
    MLC_NP_BINARY("bitwise_and", "x1 & x2.", BinOperator::kBitAnd),
    MLC_NP_BINARY("bitwise_or", "x1 | x2.", BinOperator::kBitOr),
    MLC_NP_BINARY("bitwise_xor", "x1 ^ x2.", BinOperator::kBitXor),
    MLC_NP_COMPARE("equal", "x1 == x2.", CmpOperator::kEq),
    MLC_NP_COMPARE("not_equal", "x1 != x2.", CmpOperator::kNotEq),
    MLC_NP_COMPARE("less", "x1 < x2.", CmpOperator::kLt),
    MLC_NP_COMPARE("less_equal", "x1 <= x2.", CmpOperator::kLtE),
    MLC_NP_COMPARE("greater", "x1 > x2.", CmpOperator::kGt),
    MLC_NP_COMPARE("greater_equal", "x1 >= x2.", CmpOperator::kGtE),
    {ApiKind::kFunction, "numpy", "dot(a, b)", "The matrix product; the product of numbers.",
     native([](ApiCall& call, Any a, Any b) {
       Evaluator& evaluator = evaluator_of(call.host);
       bool scalar = to_tensor(evaluator, a, call.span_of(0)).ndim() == 0 ||
                     to_tensor(evaluator, b, call.span_of(1)).ndim() == 0;
       return apply(call, scalar ? BinOperator::kMult : BinOperator::kMatMult, a, b);
     })},
    {ApiKind::kFunction, "numpy", "maximum(x1, x2)", "The greater of each pair.",
     native([](ApiCall& call, Any a, Any b) {
       return choose(call, a, b, [](auto x, auto y) { return x >= y; });
     })},
    {ApiKind::kFunction, "numpy", "minimum(x1, x2)", "The lesser of each pair.",
     native([](ApiCall& call, Any a, Any b) {
       return choose(call, a, b, [](auto x, auto y) { return x <= y; });
     })},
    {ApiKind::kFunction, "numpy", "clip(a, a_min=None, a_max=None)", "Each element brought into the range.",
     native([](ApiCall& call, Any value, Any low, Any high) { return clip(call, value, low, high); })},
    {ApiKind::kFunction, "numpy", "abs(x)", "The absolute value of each element.",
     native([](ApiCall& call, Any value) { return absolute(call, value); })},
    {ApiKind::kFunction, "numpy", "absolute(x)", "The absolute value of each element.",
     native([](ApiCall& call, Any value) { return absolute(call, value); })},
    {ApiKind::kFunction, "numpy", "negative(x)", "-x.", native([](ApiCall& call, Any value) {
       return array_unary(syntax::UnaryOperator::kUSub,
                          array_value(to_tensor(evaluator_of(call.host), value, call.span_of(0))), call.span);
     })},
    {ApiKind::kFunction, "numpy", "square(x)", "x * x.",
     native([](ApiCall& call, Any value) { return apply(call, BinOperator::kMult, value, value); })},
    {ApiKind::kFunction, "numpy", "sign(x)", "-1, 0 or 1 by the sign of each element.",
     native([](ApiCall& call, Any value) {
       return map_same(to_tensor(evaluator_of(call.host), value, call.span_of(0)),
                       [](auto x) { return static_cast<decltype(x)>(sign_of(static_cast<double>(x))); });
     })},
    {ApiKind::kFunction, "numpy", "round(a, decimals=0)", "Each element rounded, half to even.",
     native([](ApiCall& call, Any value, int64_t decimals) { return rounded(call, value, decimals); })},
    {ApiKind::kFunction, "numpy", "isnan(x)", "Is the element not a number?",
     native([](ApiCall& call, Any value) {
       return map_bool(evaluator_of(call.host), value, call.span_of(0),
                       [](double x) { return std::isnan(x); });
     })},
    {ApiKind::kFunction, "numpy", "isinf(x)", "Is the element infinite?",
     native([](ApiCall& call, Any value) {
       return map_bool(evaluator_of(call.host), value, call.span_of(0),
                       [](double x) { return std::isinf(x); });
     })},
    {ApiKind::kFunction, "numpy", "isfinite(x)", "Is the element a finite number?",
     native([](ApiCall& call, Any value) {
       return map_bool(evaluator_of(call.host), value, call.span_of(0),
                       [](double x) { return std::isfinite(x); });
     })},
    {ApiKind::kFunction, "numpy", "logical_not(x)", "Is the element zero?",
     native([](ApiCall& call, Any value) {
       return map_bool(evaluator_of(call.host), value, call.span_of(0), [](double x) { return x == 0; });
     })},
    {ApiKind::kFunction, "numpy", "where(condition, x, y)", "x where the condition holds, y elsewhere.",
     native([](ApiCall& call, Any condition, Any a, Any b) { return where(call, condition, a, b); })},
};

}  // namespace

std::span<const ir::ApiRow> np_math_rows() { return rows; }

Any array_binary(Evaluator& evaluator, BinOperator op, const Any& a, const Any& b, ir::Span span) {
  if (op == BinOperator::kMatMult) return matmul(evaluator, a, b, span);
  if (is_none(a) || is_none(b) || is_str(a) || is_str(b)) {
    raise("TypeError", span, "unsupported-operand", "unsupported operand type(s) for {}: '{}' and '{}'",
          syntax::spelling(op), type_name_of(evaluator, a), type_name_of(evaluator, b));
  }
  return scalar_or_array(binary_tensor(evaluator, op, a, b, span));
}

bool array_in_place(Evaluator& evaluator, BinOperator op, const Any& a, const Any& b, ir::Span span) {
  const ffi::Tensor& target = as<ir::NDArrayNode>(a)->tensor;
  DataType dtype = target.dtype();
  Any result = array_binary(evaluator, op, a, b, span);
  ffi::Tensor values = to_tensor(evaluator, result, span);
  DataType from = values.dtype();
  bool same_kind = from == dtype || (dtype.is_float() && !from.is_bool()) ||
                   (dtype.is_int() && (from.is_int() || from.is_bool())) ||
                   (dtype.is_uint() && (from.is_uint() || from.is_bool()));
  if (!same_kind) {
    raise("TypeError", span, "bad-cast",
          "Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule 'same_kind'",
          op == BinOperator::kAdd    ? "add"
          : op == BinOperator::kMult ? "multiply"
          : op == BinOperator::kDiv  ? "divide"
                                     : ufunc_name(op),
          from.str(), dtype.str());
  }
  if (shape_of(values) != shape_of(target)) {
    raise("ValueError", span, "shape-mismatch",
          "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
          shape_text(shape_of(target)), shape_text(shape_of(values)));
  }
  array_assign(evaluator, a, ellipsis(), array_value(values), span);
  return true;
}

Any array_unary(syntax::UnaryOperator op, const Any& value, ir::Span span) {
  ffi::Tensor tensor;
  if (auto* array = as<ir::NDArrayNode>(value)) {
    tensor = array->tensor;
  } else {
    auto* scalar = as<NumpyScalarNode>(value);
    tensor = ir::make_tensor({}, scalar->dtype);
    with_type(scalar->dtype, [&](auto tag) {
      using T = decltype(tag);
      *data_of<T>(tensor) =
          DataType(scalar->dtype).is_float() ? static_cast<T>(scalar->real) : static_cast<T>(scalar->integer);
    });
  }
  DataType dtype = tensor.dtype();
  if (op == syntax::UnaryOperator::kInvert) {
    if (dtype.is_float()) {
      raise("TypeError", span, "unsupported-operand",
            "ufunc 'invert' not supported for the input types, and the inputs could not be safely coerced to "
            "any "
            "supported types according to the casting rule ''safe''");
    }
    return map_same(tensor, [](auto x) {
      if constexpr (std::is_same_v<decltype(x), bool>)
        return !x;
      else if constexpr (std::is_integral_v<decltype(x)>)
        return static_cast<decltype(x)>(~x);
      else
        return x;
    });
  }
  if (op == syntax::UnaryOperator::kUAdd) return scalar_or_array(cast_to(tensor, dtype, true));
  if (dtype.is_bool()) {
    raise("TypeError", span, "unsupported-operand",
          "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the "
          "logical_not "
          "function instead.");
  }
  return map_same(tensor, [](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>)
      return static_cast<decltype(x)>(0 - static_cast<uint64_t>(x));
    else
      return -x;
  });
}

Any array_compare(Evaluator& evaluator, CmpOperator op, const Any& a, const Any& b, ir::Span span) {
  if (is_none(a) || is_none(b) || is_str(a) || is_str(b)) {
    const Any& array = is_array_operand(a) ? a : b;
    return scalar_or_array(filled(shape_of(to_tensor(evaluator, array, span)), DataType::Bool(),
                                  op == CmpOperator::kNotEq ? 1 : 0));
  }
  Any operands[] = {a, b};
  DataType dtype = result_type(evaluator, operands, span);
  Pair pair = make_pair(evaluator, a, b, dtype, span);
  ffi::Tensor out = ir::make_tensor(pair.shape, DataType::Bool());
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    zip_loop<T, bool>(pair, out, [op](T x, T y) { return compare_values(op, x, y); });
  });
  return scalar_or_array(out);
}

}  // namespace mlc::script
