// SPDX-License-Identifier: Apache-2.0
// Reductions: sums and their like by the folds of ufuncs, means, variances, places of extremes, running sums.
#include <algorithm>
#include <cmath>

#include "frontend/script/numpy/errors.h"
#include "frontend/script/numpy/fast_math.h"
#include "frontend/script/numpy/ufunc.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;
using ir::NDArray;

namespace {

bool is_true(const Any& value) { return is_bool(value) && raw_int(value) != 0; }

struct Reduction {
  const Any& array;
  const Any& axis;
  const Any& dtype;
  const Any& out;
  bool keepdims = false;
  Any initial = nullptr;
  Any where = true;
};

FoldOptions options_of(ApiCall& call, const ffi::Tensor& tensor, const Reduction& asked) {
  Evaluator& evaluator = evaluator_of(call.host);
  FoldOptions options{.axes = axes_argument(evaluator, asked.axis, tensor.ndim(), call.span_of(1)),
                      .keepdims = asked.keepdims};
  if (!is_none(asked.dtype)) options.dtype = dtype_argument(evaluator, asked.dtype, call.span_of(2));
  if (!is_none(asked.initial)) options.initial = to_tensor(evaluator, asked.initial, call.span);
  if (!is_true(asked.where)) options.where = to_tensor(evaluator, asked.where, call.span);
  return options;
}

// 0-d arrays reduce along axis 0 and -1 too.
Any axis_for(const ffi::Tensor& tensor, const Any& axis) {
  return tensor.ndim() == 0 && is_int(axis) && (raw_int(axis) == 0 || raw_int(axis) == -1) ? Any(nullptr)
                                                                                           : axis;
}

Any reduce(ApiCall& call, std::string_view ufunc, const Reduction& asked) {
  ffi::Tensor tensor = to_tensor(evaluator_of(call.host), asked.array, call.span_of(0));
  Any axis = axis_for(tensor, asked.axis);
  Reduction again{asked.array, axis, asked.dtype, asked.out, asked.keepdims, asked.initial, asked.where};
  FoldOptions options = options_of(call, tensor, again);
  const UfuncRow& row = find_ufunc(ufunc);
  if (ufunc.starts_with("logical")) options.dtype = DataType::Bool();
  FloatErrors errors(evaluator_of(call.host), "reduce", call.span);
  return into_out(fold_tensor(row, tensor, options, call.span), asked.out, call.span);
}

int64_t count_of(const ffi::Tensor& tensor, const std::vector<bool>& axes) {
  int64_t count = 1;
  for (size_t d = 0; d < axes.size(); ++d) count *= axes[d] ? tensor.size(static_cast<int64_t>(d)) : 1;
  return count;
}

// Every element divided by a number, in the element's own type.
void divide_by(const ffi::Tensor& tensor, double count) {
  with_type(tensor.dtype(), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (is_real<T>) {
      using C = Compute<T>;
      each_offset(tensor, [&](int64_t at) {
        T& value = data_of<T>(tensor)[at];
        value = static_cast<T>(static_cast<C>(value) / static_cast<C>(count));
      });
    }
  });
}

Any mean(ApiCall& call, const Reduction& asked) {
  ffi::Tensor tensor = to_tensor(evaluator_of(call.host), asked.array, call.span_of(0));
  FoldOptions options = options_of(call, tensor, asked);
  DataType from = tensor.dtype(), result = options.dtype;
  if (options.dtype.is_void()) {
    result = from.is_floating() ? from : DataType::Float(64);
    options.dtype = from.is_floating() ? (from.bits() == 16 ? DataType::Float(32) : from) : result;
  }
  FloatErrors errors(evaluator_of(call.host), "divide", call.span);
  double count = static_cast<double>(count_of(tensor, options.axes));
  if (options.where) {
    Any kept = reduce(call, "add",
                      {Any(array_value(broadcast_to(*options.where, shape_of(tensor)))), asked.axis, nullptr,
                       nullptr, asked.keepdims});
    ffi::Tensor sum = fold_tensor(find_ufunc("add"), tensor, options, call.span);
    Any quotient =
        call_ufunc1(evaluator_of(call.host), find_ufunc("divide"), {array_value(sum), kept}, call.span);
    return into_out(cast_to(to_tensor(evaluator_of(call.host), quotient, call.span), result), asked.out,
                    call.span);
  }
  ffi::Tensor sum = fold_tensor(find_ufunc("add"), tensor, options, call.span);
  if (!options.dtype.is_floating()) sum = cast_to(sum, DataType::Float(64));
  divide_by(sum, count);
  return into_out(cast_to(sum, result), asked.out, call.span);
}

Any variance(ApiCall& call, const Reduction& asked, const Any& ddof_value, bool root) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, asked.array, call.span_of(0));
  FoldOptions options = options_of(call, tensor, asked);
  if (options.where) {
    raise("NotImplementedError", call.span, "not-supported", "`where` is not supported by {}",
          root ? "std" : "var");
  }
  DataType from = tensor.dtype();
  if (options.dtype.is_void()) options.dtype = from.is_floating() ? from : DataType::Float(64);
  FloatErrors errors(evaluator, "divide", call.span);
  auto count = static_cast<double>(count_of(tensor, options.axes));
  FoldOptions kept = options;
  kept.keepdims = true;
  ffi::Tensor center = fold_tensor(find_ufunc("add"), tensor, kept, call.span);
  divide_by(center, count);
  auto tensor_of = [&](const Any& value) { return to_tensor(evaluator, value, call.span); };
  ffi::Tensor distance = tensor_of(
      call_ufunc1(evaluator, find_ufunc("subtract"), {array_value(tensor), array_value(center)}, call.span));
  ffi::Tensor square = tensor_of(call_ufunc1(evaluator, find_ufunc("multiply"),
                                             {array_value(distance), array_value(distance)}, call.span));
  if (square.ndim() != tensor.ndim()) square = reshape_to(square, shape_of(tensor), call.span);
  ffi::Tensor sum = fold_tensor(find_ufunc("add"), square, options, call.span);
  double ddof = to_double(plain_number(ddof_value));
  divide_by(sum, std::max(count - ddof, 0.0));
  if (root) sum = tensor_of(call_ufunc1(evaluator, find_ufunc("sqrt"), {array_value(sum)}, call.span));
  return into_out(sum, asked.out, call.span);
}

Any extreme_place(ApiCall& call, const Any& value, const Any& axis_value, const Any& out, bool keepdims,
                  bool greatest) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, value, call.span_of(0));
  Shape kept(static_cast<size_t>(tensor.ndim()), 1);
  ffi::Tensor lines = tensor;
  Shape result_shape;
  if (is_none(axis_value)) {
    lines = reshape_to(tensor, {tensor.numel()}, call.span);
  } else {
    if (tensor.ndim() == 0) tensor = reshape_to(tensor, {1}, call.span);
    int64_t axis = axis_argument(evaluator, axis_value, tensor.ndim(), call.span_of(1));
    Shape order;
    for (int64_t d = 0; d < tensor.ndim(); ++d) {
      if (d == axis) continue;
      order.push_back(d);
      result_shape.push_back(tensor.size(d));
      kept[static_cast<size_t>(d)] = tensor.size(d);
    }
    order.push_back(axis);
    lines = transposed(tensor, order);
  }
  int64_t length = lines.size(lines.ndim() - 1);
  int64_t count = product(result_shape);
  if (length == 0 && count > 0) {
    raise("ValueError", call.span, "empty-sequence", "attempt to get {} of an empty sequence",
          greatest ? "argmax" : "argmin");
  }
  lines = row_major(lines, lines.dtype());
  ffi::Tensor result = make_array(result_shape, DataType::Int(64));
  with_type(lines.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using C = Compute<T>;
    const T* data = data_of<T>(lines);
    for (int64_t i = 0; i < count; ++i, data += length) {
      int64_t best = 0;
      if constexpr (std::is_floating_point_v<T>) {
        if (length >= 256) {
          // The value, then its first place; nan goes the slow way.
          T found = data[0];
          if (extreme_of_row(data, length, greatest, found)) {
            best = place_in_row(data, length, found);
          } else {
            while (data[best] == data[best]) ++best;
          }
          data_of<int64_t>(result)[i] = best;
          continue;
        }
      }
      C top = static_cast<C>(data[0]);
      if (top == top) {
        for (int64_t k = 1; k < length; ++k) {
          C now = static_cast<C>(data[k]);
          // Not the other way round: a nan is taken, and ends the search.
          if (greatest ? !(now <= top) : !(now >= top)) {
            best = k;
            top = now;
            if (now != now) break;
          }
        }
      }
      data_of<int64_t>(result)[i] = best;
    }
  });
  if (keepdims) result = reshape_to(result, kept, call.span);
  return into_out(result, out, call.span);
}

Any cumulative(ApiCall& call, std::string_view ufunc, const Any& value, const Any& axis, const Any& dtype,
               const Any& out) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, value, call.span_of(0));
  if (is_none(axis) || tensor.ndim() == 0) tensor = reshape_to(tensor, {-1}, call.span);
  int64_t at = is_none(axis) ? 0 : axis_argument(evaluator, axis, tensor.ndim(), call.span_of(1));
  FloatErrors errors(evaluator, "accumulate", call.span);
  return into_out(
      accumulate_tensor(find_ufunc(ufunc), tensor, at,
                        is_none(dtype) ? DataType::Void() : dtype_argument(evaluator, dtype, call.span_of(2)),
                        call.span),
      out, call.span);
}

constexpr std::string_view kArray = "mlc.np.ndarray";

Any fold_with_dtype(ApiCall& call, std::string_view ufunc, const Any& a, const Any& axis, const Any& dtype,
                    const Any& out, bool keepdims, const Any& initial, const Any& where) {
  return reduce(call, ufunc, {a, axis, dtype, out, keepdims, initial, where});
}
#define MLC_NP_SUM(name, ufunc, doc)                                                                         \
  ApiRow{                                                                                                    \
      ApiKind::kFunction, "numpy",                                                                           \
      name "(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True)", doc,            \
      native([](ApiCall& call, Any a, Any axis, Any dtype, Any out, bool keepdims, Any initial, Any where) { \
        return fold_with_dtype(call, ufunc, a, axis, dtype, out, keepdims, initial, where);                  \
      })},                                                                                                   \
      ApiRow {                                                                                               \
    ApiKind::kMethod, kArray,                                                                                \
        name "(axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True)", doc,             \
        native(                                                                                              \
            [](ApiCall& call, Any a, Any axis, Any dtype, Any out, bool keepdims, Any initial, Any where) {  \
              return fold_with_dtype(call, ufunc, a, axis, dtype, out, keepdims, initial, where);            \
            })                                                                                               \
  }
#define MLC_NP_EXTREME(name, ufunc, doc)                                                                    \
  ApiRow {                                                                                                  \
    ApiKind::kFunction, "numpy", name "(a, axis=None, out=None, keepdims=False, initial=None, where=True)", \
        doc, native([](ApiCall& call, Any a, Any axis, Any out, bool keepdims, Any initial, Any where) {    \
          return fold_with_dtype(call, ufunc, a, axis, nullptr, out, keepdims, initial, where);             \
        })                                                                                                  \
  }
#define MLC_NP_EXTREME_METHOD(name, ufunc, doc)                                                            \
  ApiRow {                                                                                                 \
    ApiKind::kMethod, kArray, name "(axis=None, out=None, keepdims=False, initial=None, where=True)", doc, \
        native([](ApiCall& call, Any a, Any axis, Any out, bool keepdims, Any initial, Any where) {        \
          return fold_with_dtype(call, ufunc, a, axis, nullptr, out, keepdims, initial, where);            \
        })                                                                                                 \
  }
#define MLC_NP_LOGIC(name, ufunc, doc)                                                                     \
  ApiRow{ApiKind::kFunction, "numpy", name "(a, axis=None, out=None, keepdims=False, *, where=True)", doc, \
         native([](ApiCall& call, Any a, Any axis, Any out, bool keepdims, Any where) {                    \
           return fold_with_dtype(call, ufunc, a, axis, nullptr, out, keepdims, nullptr, where);           \
         })},                                                                                              \
      ApiRow {                                                                                             \
    ApiKind::kMethod, kArray, name "(axis=None, out=None, keepdims=False, *, where=True)", doc,            \
        native([](ApiCall& call, Any a, Any axis, Any out, bool keepdims, Any where) {                     \
          return fold_with_dtype(call, ufunc, a, axis, nullptr, out, keepdims, nullptr, where);            \
        })                                                                                                 \
  }
#define MLC_NP_PLACE(name, greatest, doc)                                                      \
  ApiRow{ApiKind::kFunction, "numpy", name "(a, axis=None, out=None, *, keepdims=False)", doc, \
         native([](ApiCall& call, Any a, Any axis, Any out, bool keepdims) {                   \
           return extreme_place(call, a, axis, out, keepdims, greatest);                       \
         })},                                                                                  \
      ApiRow {                                                                                 \
    ApiKind::kMethod, kArray, name "(axis=None, out=None, *, keepdims=False)", doc,            \
        native([](ApiCall& call, Any a, Any axis, Any out, bool keepdims) {                    \
          return extreme_place(call, a, axis, out, keepdims, greatest);                        \
        })                                                                                     \
  }
#define MLC_NP_VARIANCE(name, root, doc)                                                                     \
  ApiRow{ApiKind::kFunction, "numpy",                                                                        \
         name "(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True)", doc,            \
         native([](ApiCall& call, Any a, Any axis, Any dtype, Any out, Any ddof, bool keepdims, Any where) { \
           return variance(call, {a, axis, dtype, out, keepdims, nullptr, where}, ddof, root);               \
         })},                                                                                                \
      ApiRow {                                                                                               \
    ApiKind::kMethod, kArray,                                                                                \
        name "(axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True)", doc,                \
        native([](ApiCall& call, Any a, Any axis, Any dtype, Any out, Any ddof, bool keepdims, Any where) {  \
          return variance(call, {a, axis, dtype, out, keepdims, nullptr, where}, ddof, root);                \
        })                                                                                                   \
  }
#define MLC_NP_RUNNING(name, ufunc, doc)                                                \
  ApiRow{ApiKind::kFunction, "numpy", name "(a, axis=None, dtype=None, out=None)", doc, \
         native([](ApiCall& call, Any a, Any axis, Any dtype, Any out) {                \
           return cumulative(call, ufunc, a, axis, dtype, out);                         \
         })},                                                                           \
      ApiRow {                                                                          \
    ApiKind::kMethod, kArray, name "(axis=None, dtype=None, out=None)", doc,            \
        native([](ApiCall& call, Any a, Any axis, Any dtype, Any out) {                 \
          return cumulative(call, ufunc, a, axis, dtype, out);                          \
        })                                                                              \
  }

const ApiRow rows[] = {
    MLC_NP_SUM("sum", "add", "The sum of the elements."),
    MLC_NP_SUM("prod", "multiply", "The product of the elements."),
    MLC_NP_EXTREME("max", "maximum", "The greatest element."),
    MLC_NP_EXTREME("amax", "maximum", "The greatest element."),
    MLC_NP_EXTREME("min", "minimum", "The least element."),
    MLC_NP_EXTREME("amin", "minimum", "The least element."),
    MLC_NP_EXTREME("nanmax", "fmax", "The greatest element, nan aside."),
    MLC_NP_EXTREME("nanmin", "fmin", "The least element, nan aside."),
    MLC_NP_EXTREME_METHOD("max", "maximum", "The greatest element."),
    MLC_NP_EXTREME_METHOD("min", "minimum", "The least element."),
    MLC_NP_LOGIC("any", "logical_or", "Is some element true?"),
    MLC_NP_LOGIC("all", "logical_and", "Are all elements true?"),
    MLC_NP_PLACE("argmax", true, "The index of the greatest element."),
    MLC_NP_PLACE("argmin", false, "The index of the least element."),
    {ApiKind::kFunction, "numpy", "mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True)",
     "The mean of the elements.",
     native([](ApiCall& call, Any a, Any axis, Any dtype, Any out, bool keepdims, Any where) {
       return mean(call, {a, axis, dtype, out, keepdims, nullptr, where});
     })},
    {ApiKind::kMethod, kArray, "mean(axis=None, dtype=None, out=None, keepdims=False, *, where=True)",
     "The mean of the elements.",
     native([](ApiCall& call, Any a, Any axis, Any dtype, Any out, bool keepdims, Any where) {
       return mean(call, {a, axis, dtype, out, keepdims, nullptr, where});
     })},
    MLC_NP_VARIANCE("var", false, "The variance of the elements."),
    MLC_NP_VARIANCE("std", true, "The standard deviation of the elements."),
    MLC_NP_RUNNING("cumsum", "add", "Running sums."),
    MLC_NP_RUNNING("cumprod", "multiply", "Running products."),
};

}  // namespace

std::span<const ir::ApiRow> np_reduce_rows() { return rows; }

}  // namespace mlc::script
