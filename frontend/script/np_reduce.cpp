// SPDX-License-Identifier: Apache-2.0
// Reductions. Floats are added pairwise as NumPy adds them, so that sums agree to the last bit.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "frontend/script/np_array.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;
using ir::NDArray;

namespace {

enum class Reduction : uint8_t { kSum, kProd, kMax, kMin, kAny, kAll, kArgMax, kArgMin };

// NumPy's pairwise summation: blocks of 128 by eight accumulators, halves above.
template <class T>
T pairwise(const T* data, int64_t n) {
  if (n < 8) {
    T sum = T(-0.0);
    for (int64_t i = 0; i < n; ++i) sum += data[i];
    return sum;
  }
  if (n <= 128) {
    T r[8];
    for (int64_t k = 0; k < 8; ++k) r[k] = data[k];
    int64_t i = 8;
    for (; i < n - n % 8; i += 8) {
      for (int64_t k = 0; k < 8; ++k) r[k] += data[i + k];
    }
    T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) sum += data[i];
    return sum;
  }
  int64_t half = n / 2;
  half -= half % 8;
  return pairwise(data, half) + pairwise(data + half, n - half);
}

// The array as (outer, reduced, inner) after the reduced dimensions are brought together at `axes`.
struct Plan {
  ffi::Tensor tensor;  // row-major, reduced dimensions adjacent
  int64_t outer = 1, reduced = 1, inner = 1;
  Shape shape;  // of the result
};

Plan plan(Evaluator& evaluator, const ffi::Tensor& tensor, const Any& axis, bool keepdims, ir::Span span) {
  Shape shape = shape_of(tensor), strides = strides_of(tensor);
  auto n = static_cast<int64_t>(shape.size());
  std::vector<bool> gone(shape.size(), is_none(axis));
  if (!is_none(axis)) {
    std::vector<Any> axes;
    if (axis.type_index() == kTVMFFIArray || axis.type_index() == kTVMFFIList)
      axes = evaluator.elements_of(axis);
    else
      axes.push_back(axis);
    for (const Any& each : axes) {
      auto at = static_cast<size_t>(axis_argument(evaluator, each, n, span));
      if (gone[at]) raise("ValueError", span, "bad-axes", "duplicate value in 'axis'");
      gone[at] = true;
    }
  }
  Plan result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!gone[i])
      result.shape.push_back(shape[i]);
    else if (keepdims)
      result.shape.push_back(1);
  }
  // Reduced dimensions stay where they are when they are adjacent; else they move to the end.
  size_t first = shape.size(), last = 0;
  size_t count = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (gone[i]) first = std::min(first, i), last = i, ++count;
  }
  bool adjacent = count == 0 || last - first + 1 == count;
  if (adjacent) {
    for (size_t i = 0; i < shape.size(); ++i)
      (count == 0 || i < first ? result.outer : gone[i] ? result.reduced : result.inner) *= shape[i];
    result.tensor = ir::contiguous(tensor);
    return result;
  }
  Shape order_shape, order_strides;
  for (bool reduced : {false, true}) {
    for (size_t i = 0; i < shape.size(); ++i) {
      if (gone[i] != reduced) continue;
      order_shape.push_back(shape[i]);
      order_strides.push_back(strides[i]);
      (reduced ? result.reduced : result.outer) *= shape[i];
    }
  }
  result.tensor = ir::contiguous(tensor.as_strided(ffi::Shape(order_shape.begin(), order_shape.end()),
                                                   ffi::Shape(order_strides.begin(), order_strides.end())));
  return result;
}

template <class T, class A, class F>
void fold(const Plan& plan, A* out, A start, bool from_first, F combine) {
  const T* data = data_of<T>(plan.tensor);
  for (int64_t o = 0; o < plan.outer; ++o) {
    for (int64_t i = 0; i < plan.inner; ++i) {
      const T* at = data + o * plan.reduced * plan.inner + i;
      A value = from_first ? static_cast<A>(at[0]) : start;
      for (int64_t r = from_first ? 1 : 0; r < plan.reduced; ++r)
        value = combine(value, static_cast<A>(at[r * plan.inner]));
      out[o * plan.inner + i] = value;
    }
  }
}

template <class T>
void sum_floats(const Plan& plan, T* out) {
  const T* data = data_of<T>(plan.tensor);
  if (plan.inner == 1) {
    for (int64_t o = 0; o < plan.outer; ++o)
      out[o] = plan.reduced == 0 ? T(0) : T(0) + pairwise(data + o * plan.reduced, plan.reduced);
    return;
  }
  fold<T, T>(plan, out, T(0), plan.reduced > 0, [](T a, T b) { return a + b; });
}

template <class T>
using Compute = std::conditional_t<std::is_same_v<T, Half>, double, T>;

Any reduce(ApiCall& call, Reduction kind, const Any& value, const Any& axis, bool keepdims,
           const Any& dtype_value) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, value, call.span_of(0));
  DataType from = tensor.dtype();
  bool additive = kind == Reduction::kSum || kind == Reduction::kProd;
  if (additive) {
    DataType wanted = from;
    if (from.is_bool() || (from.is_int() && from.bits() < 64)) wanted = DataType::Int(64);
    if (from.is_uint() && from.bits() < 64) wanted = DataType::UInt(64);
    if (!is_none(dtype_value)) wanted = dtype_argument(evaluator, dtype_value, call.span);
    tensor = cast_to(tensor, wanted);
    from = wanted;
  }
  Plan p = plan(evaluator, tensor, axis, keepdims, call.span_of(1));
  bool needs_value = kind == Reduction::kMax || kind == Reduction::kMin || kind == Reduction::kArgMax ||
                     kind == Reduction::kArgMin;
  if (needs_value && p.reduced == 0) {
    if (kind == Reduction::kMax || kind == Reduction::kMin) {
      raise("ValueError", call.span, "empty-sequence",
            "zero-size array to reduction operation {} which has no identity",
            kind == Reduction::kMax ? "maximum" : "minimum");
    }
    raise("ValueError", call.span, "empty-sequence", "attempt to get {} of an empty sequence",
          kind == Reduction::kArgMax ? "argmax" : "argmin");
  }
  bool logical = kind == Reduction::kAny || kind == Reduction::kAll;
  bool position = kind == Reduction::kArgMax || kind == Reduction::kArgMin;
  ffi::Tensor out = ir::make_tensor(p.shape, logical    ? DataType::Bool()
                                             : position ? DataType::Int(64)
                                                        : from);
  with_type(from, [&](auto tag) {
    using T = decltype(tag);
    using C = Compute<T>;
    if (logical) {
      bool any = kind == Reduction::kAny;
      fold<T, bool>(p, data_of<bool>(out), !any, false,
                    [any](bool a, bool b) { return any ? a || b : a && b; });
      return;
    }
    if (position) {
      const T* data = data_of<T>(p.tensor);
      for (int64_t o = 0; o < p.outer; ++o) {
        for (int64_t i = 0; i < p.inner; ++i) {
          const T* at = data + o * p.reduced * p.inner + i;
          int64_t best = 0;
          for (int64_t r = 1; r < p.reduced; ++r) {
            C now = static_cast<C>(at[r * p.inner]), top = static_cast<C>(at[best * p.inner]);
            if (top != top) break;
            if (now != now || (kind == Reduction::kArgMax ? now > top : now < top)) best = r;
          }
          data_of<int64_t>(out)[o * p.inner + i] = best;
        }
      }
      return;
    }
    switch (kind) {
      case Reduction::kSum:
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          sum_floats(p, data_of<T>(out));
        } else if constexpr (std::is_same_v<T, Half>) {
          // Halves are added as floats.
          Plan wide = p;
          wide.tensor = cast_to(p.tensor, DataType::Float(32));
          ffi::Tensor sums = ir::make_tensor(p.shape, DataType::Float(32));
          sum_floats(wide, data_of<float>(sums));
          for (int64_t i = 0; i < out.numel(); ++i) data_of<Half>(out)[i] = Half(data_of<float>(sums)[i]);
        } else {
          fold<T, T>(p, data_of<T>(out), T{}, false, [](T a, T b) {
            return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
          });
        }
        break;
      case Reduction::kProd:
        fold<T, T>(p, data_of<T>(out), static_cast<T>(1), false, [](T a, T b) {
          if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
          else
            return static_cast<T>(static_cast<C>(a) * static_cast<C>(b));
        });
        break;
      default: {
        bool greatest = kind == Reduction::kMax;
        fold<T, T>(p, data_of<T>(out), T{}, true, [greatest](T a, T b) {
          C x = static_cast<C>(a), y = static_cast<C>(b);
          if (x != x) return a;
          if (y != y) return b;
          return (greatest ? y > x : y < x) ? b : a;
        });
      }
    }
  });
  return scalar_or_array(out);
}

Any mean(ApiCall& call, const Any& value, const Any& axis, bool keepdims) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, value, call.span_of(0));
  DataType from = tensor.dtype();
  DataType inner = from.is_float() ? (from.bits() == 16 ? DataType::Float(32) : from) : DataType::Float(64);
  Plan p = plan(evaluator, cast_to(tensor, inner), axis, keepdims, call.span_of(1));
  ffi::Tensor out = ir::make_tensor(p.shape, inner);
  with_type(inner, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      sum_floats(p, data_of<T>(out));
      for (int64_t i = 0; i < out.numel(); ++i)
        data_of<T>(out)[i] = static_cast<T>(data_of<T>(out)[i] / static_cast<T>(p.reduced));
    }
  });
  return scalar_or_array(cast_to(out, from.is_float() ? from : inner));
}

Any variance(ApiCall& call, const Any& value, const Any& axis, int64_t ddof, bool keepdims, bool root) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, value, call.span_of(0));
  Any array =
      array_value(DataType(tensor.dtype()).is_float() ? tensor : cast_to(tensor, DataType::Float(64)));
  Any center = mean(call, array, axis, true);
  Any distance = array_binary(evaluator, syntax::BinOperator::kSub, array, center, call.span);
  Any square = array_binary(evaluator, syntax::BinOperator::kMult, distance, distance, call.span);
  Any sum = reduce(call, Reduction::kSum, square, axis, keepdims, nullptr);
  Plan p = plan(evaluator, tensor, axis, keepdims, call.span_of(1));
  Any result = array_binary(evaluator, syntax::BinOperator::kDiv, sum,
                            Any(static_cast<double>(p.reduced - ddof)), call.span);
  if (!root) return result;
  return array_binary(evaluator, syntax::BinOperator::kPow, result, Any(0.5), call.span);
}

Any cumulative(ApiCall& call, const Any& value, const Any& axis) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, value, call.span_of(0));
  if (is_none(axis)) tensor = reshape_to(tensor, {-1}, call.span);
  DataType dtype = tensor.dtype();
  if (dtype.is_bool() || (dtype.is_int() && dtype.bits() < 64)) dtype = DataType::Int(64);
  tensor = cast_to(tensor, dtype, true);
  Any at = is_none(axis) ? Any(int64_t{0}) : axis;
  Plan p = plan(evaluator, tensor, at, true, call.span_of(1));
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    T* data = data_of<T>(tensor);
    for (int64_t o = 0; o < p.outer; ++o) {
      for (int64_t r = 1; r < p.reduced; ++r) {
        for (int64_t i = 0; i < p.inner; ++i) {
          T* here = data + (o * p.reduced + r) * p.inner + i;
          *here = static_cast<T>(static_cast<Compute<T>>(*here) + static_cast<Compute<T>>(here[-p.inner]));
        }
      }
    }
  });
  return array_value(tensor);
}

Any sorted(ApiCall& call, const ffi::Tensor& tensor, bool positions) {
  if (tensor.ndim() != 1) {
    raise("NotImplementedError", call.span, "not-supported",
          "sorting is supported for arrays of one dimension only");
  }
  ffi::Tensor values = cast_to(tensor, tensor.dtype(), true);
  std::vector<int64_t> order(static_cast<size_t>(values.numel()));
  std::iota(order.begin(), order.end(), 0);
  return with_type(values.dtype(), [&](auto tag) -> Any {
    using T = decltype(tag);
    const T* data = data_of<T>(values);
    // NaN comes last.
    auto before = [](Compute<T> x, Compute<T> y) { return x < y || (x == x && y != y); };
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return before(static_cast<Compute<T>>(data[a]), static_cast<Compute<T>>(data[b]));
    });
    int64_t dims[] = {values.numel()};
    ffi::Tensor out = ir::make_tensor(dims, positions ? DataType::Int(64) : DataType(values.dtype()));
    for (size_t i = 0; i < order.size(); ++i) {
      if (positions)
        data_of<int64_t>(out)[i] = order[i];
      else
        data_of<T>(out)[i] = data[order[i]];
    }
    return array_value(out);
  });
}

#define MLC_NP_REDUCTION(name, text, kind)                                                     \
  ApiRow{ApiKind::kFunction, "numpy", name "(a, axis=None, dtype=None, keepdims=False)", text, \
         native([](ApiCall& call, Any a, Any axis, Any dtype, bool keepdims) {                 \
           return reduce(call, kind, a, axis, keepdims, dtype);                                \
         })},                                                                                  \
      ApiRow {                                                                                 \
    ApiKind::kMethod, "mlc.np.ndarray", name "(axis=None, dtype=None, keepdims=False)", text,  \
        native([](ApiCall& call, Any a, Any axis, Any dtype, bool keepdims) {                  \
          return reduce(call, kind, a, axis, keepdims, dtype);                                 \
        })                                                                                     \
  }

const ApiRow rows[] = {
    MLC_NP_REDUCTION("sum", "The sum of the elements.", Reduction::kSum),
    MLC_NP_REDUCTION("prod", "The product of the elements.", Reduction::kProd),
    MLC_NP_REDUCTION("max", "The greatest element.", Reduction::kMax),
    MLC_NP_REDUCTION("min", "The least element.", Reduction::kMin),
    MLC_NP_REDUCTION("any", "Is some element true?", Reduction::kAny),
    MLC_NP_REDUCTION("all", "Are all elements true?", Reduction::kAll),
    MLC_NP_REDUCTION("argmax", "The index of the greatest element.", Reduction::kArgMax),
    MLC_NP_REDUCTION("argmin", "The index of the least element.", Reduction::kArgMin),
    {ApiKind::kFunction, "numpy", "amax(a, axis=None, keepdims=False)", "The greatest element.",
     native([](ApiCall& call, Any a, Any axis, bool keepdims) {
       return reduce(call, Reduction::kMax, a, axis, keepdims, nullptr);
     })},
    {ApiKind::kFunction, "numpy", "amin(a, axis=None, keepdims=False)", "The least element.",
     native([](ApiCall& call, Any a, Any axis, bool keepdims) {
       return reduce(call, Reduction::kMin, a, axis, keepdims, nullptr);
     })},
    {ApiKind::kFunction, "numpy", "mean(a, axis=None, keepdims=False)", "The mean of the elements.",
     native([](ApiCall& call, Any a, Any axis, bool keepdims) { return mean(call, a, axis, keepdims); })},
    {ApiKind::kMethod, "mlc.np.ndarray", "mean(axis=None, keepdims=False)", "The mean of the elements.",
     native([](ApiCall& call, Any a, Any axis, bool keepdims) { return mean(call, a, axis, keepdims); })},
    {ApiKind::kFunction, "numpy", "var(a, axis=None, ddof=0, keepdims=False)",
     "The variance of the elements.", native([](ApiCall& call, Any a, Any axis, int64_t ddof, bool keepdims) {
       return variance(call, a, axis, ddof, keepdims, false);
     })},
    {ApiKind::kMethod, "mlc.np.ndarray", "var(axis=None, ddof=0, keepdims=False)",
     "The variance of the elements.", native([](ApiCall& call, Any a, Any axis, int64_t ddof, bool keepdims) {
       return variance(call, a, axis, ddof, keepdims, false);
     })},
    {ApiKind::kFunction, "numpy", "std(a, axis=None, ddof=0, keepdims=False)",
     "The standard deviation of the elements.",
     native([](ApiCall& call, Any a, Any axis, int64_t ddof, bool keepdims) {
       return variance(call, a, axis, ddof, keepdims, true);
     })},
    {ApiKind::kMethod, "mlc.np.ndarray", "std(axis=None, ddof=0, keepdims=False)",
     "The standard deviation of the elements.",
     native([](ApiCall& call, Any a, Any axis, int64_t ddof, bool keepdims) {
       return variance(call, a, axis, ddof, keepdims, true);
     })},
    {ApiKind::kFunction, "numpy", "median(a)", "The middle of the sorted elements.",
     native([](ApiCall& call, Any a) {
       Evaluator& evaluator = evaluator_of(call.host);
       ffi::Tensor tensor = reshape_to(cast_to(to_tensor(evaluator, a, call.span_of(0)), DataType::Float(64)),
                                       {-1}, call.span);
       Any all = sorted(call, tensor, false);
       const double* data = data_of<double>(as<ir::NDArrayNode>(all)->tensor);
       int64_t n = tensor.numel();
       if (n == 0) return scalar_value(DataType::Float(64), static_cast<double>(NAN));
       return scalar_value(DataType::Float(64),
                           n % 2 == 1 ? data[n / 2] : (data[n / 2 - 1] + data[n / 2]) / 2);
     })},
    {ApiKind::kFunction, "numpy", "cumsum(a, axis=None)", "Running sums.",
     native([](ApiCall& call, Any a, Any axis) { return cumulative(call, a, axis); })},
    {ApiKind::kMethod, "mlc.np.ndarray", "cumsum(axis=None)", "Running sums.",
     native([](ApiCall& call, Any a, Any axis) { return cumulative(call, a, axis); })},
    {ApiKind::kFunction, "numpy", "sort(a)", "The elements in order.", native([](ApiCall& call, Any a) {
       return sorted(call, to_tensor(evaluator_of(call.host), a, call.span_of(0)), false);
     })},
    {ApiKind::kFunction, "numpy", "argsort(a)", "The indices that put the elements in order.",
     native([](ApiCall& call, Any a) {
       return sorted(call, to_tensor(evaluator_of(call.host), a, call.span_of(0)), true);
     })},
    {ApiKind::kMethod, "mlc.np.ndarray", "argsort()", "The indices that put the elements in order.",
     native([](ApiCall& call, NDArray a) { return sorted(call, a->tensor, true); })},
};

}  // namespace

std::span<const ir::ApiRow> np_reduce_rows() { return rows; }

}  // namespace mlc::script
