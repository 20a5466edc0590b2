// SPDX-License-Identifier: Apache-2.0
// Sorting, places of extremes, searching sorted values; nan comes last.
#include <algorithm>
#include <numeric>

#include "frontend/script/numpy/rows.h"
#include "ir/core/interrupt.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;
using ir::NDArray;

namespace {

template <class T>
bool before(T a, T b) {
  if constexpr (is_real<T>) {
    auto x = static_cast<Compute<T>>(a), y = static_cast<Compute<T>>(b);
    return x < y || (x == x && y != y);
  } else {
    return a < b;
  }
}

// The dimension that is worked along comes last; `back` undoes it.
struct Lines {
  ffi::Tensor tensor;  // row-major, perhaps the array itself
  Shape back;
  int64_t length, count;
};
Lines lines_of(ApiCall& call, ffi::Tensor tensor, const Any& axis_value, bool copied = false) {
  if (is_none(axis_value)) tensor = reshape_to(tensor, {tensor.numel()}, call.span);
  int64_t axis = is_none(axis_value)
                     ? 0
                     : axis_argument(evaluator_of(call.host), axis_value, tensor.ndim(), call.span_of(1));
  Lines lines;
  Shape order;
  for (int64_t d = 0; d < tensor.ndim(); ++d) {
    if (d != axis) order.push_back(d);
  }
  order.push_back(axis);
  lines.tensor = row_major(transposed(tensor, order), tensor.dtype(), copied);
  for (int64_t d = 0; d < tensor.ndim(); ++d)
    lines.back.push_back(d == axis ? tensor.ndim() - 1 : d < axis ? d : d - 1);
  lines.length = tensor.size(axis);
  lines.count = lines.length == 0 ? 0 : tensor.numel() / lines.length;
  return lines;
}

// std::stable_sort, by parts between which Ctrl-C is heeded.
template <class T, class Less>
void sort_stably(T* begin, T* end, const Less& less) {
  constexpr ptrdiff_t kPart = ptrdiff_t{1} << 18;
  if (end - begin <= kPart) return std::stable_sort(begin, end, less);
  T* middle = begin + (end - begin) / 2;
  sort_stably(begin, middle, less);
  sort_stably(middle, end, less);
  ir::heed_interrupt();
  std::inplace_merge(begin, middle, end, less);
}

ffi::Tensor sorted(ApiCall& call, const ffi::Tensor& tensor, const Any& axis) {
  if (tensor.ndim() == 0 && !is_none(axis)) axis_argument(evaluator_of(call.host), axis, 0, call.span_of(1));
  Lines lines = lines_of(call, tensor, axis, true);
  with_type(tensor.dtype(), [&](auto tag) {
    using T = decltype(tag);
    T* data = data_of<T>(lines.tensor);
    for (int64_t i = 0; i < lines.count; ++i, data += lines.length)
      sort_stably(data, data + lines.length, before<T>);
  });
  return row_major(transposed(lines.tensor, lines.back), tensor.dtype());
}

ffi::Tensor argsorted(ApiCall& call, const ffi::Tensor& tensor, const Any& axis) {
  Lines lines = lines_of(call, tensor.ndim() == 0 ? reshape_to(tensor, {1}, call.span) : tensor, axis);
  ffi::Tensor places = make_array(shape_of(lines.tensor), DataType::Int(64));
  with_type(tensor.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const T* data = data_of<T>(lines.tensor);
    auto* place = data_of<int64_t>(places);
    for (int64_t i = 0; i < lines.count; ++i, data += lines.length, place += lines.length) {
      std::iota(place, place + lines.length, int64_t{0});
      sort_stably(place, place + lines.length, [&](int64_t a, int64_t b) { return before<T>(data[a], data[b]); });
    }
  });
  return row_major(transposed(places, lines.back), DataType::Int(64));
}

// The indices of the first `count` elements in order, of equal ones the lower first; nan is the greatest. A
// heap of so many is kept while the line is walked, so most elements cost one comparison.
ffi::Tensor first_places(ApiCall& call, const ffi::Tensor& tensor, int64_t wanted, const Any& axis,
                         bool descending) {
  Lines lines = lines_of(call, tensor, axis);
  int64_t count = std::clamp<int64_t>(wanted, 0, lines.length);
  Shape shape = shape_of(lines.tensor);
  shape.back() = count;
  ffi::Tensor result = make_array(shape, DataType::Int(64));
  with_type(tensor.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const T* data = data_of<T>(lines.tensor);
    auto* found = data_of<int64_t>(result);
    auto first = [&](int64_t a, int64_t b) {
      T x = data[descending ? b : a], y = data[descending ? a : b];
      return before<T>(x, y) || (a < b && !before<T>(y, x));
    };
    // Of so many neighbours at once; a nan may be ahead. Masks as wide as the numbers: compilers find
    // vectors.
    constexpr int64_t kTogether = 32;
    using Number = Compute<T>;
    using Mask = std::conditional_t<sizeof(Number) == 8, int64_t, int32_t>;
    auto all_of = [&](const T* some, auto behind) {
      Mask all = -1;
      for (int64_t j = 0; j < kTogether; ++j)
        all &= behind(static_cast<Number>(some[j])) ? Mask(-1) : Mask(0);
      return all != 0;
    };
    auto none_ahead = [&](const T* some, T last) {
      auto bound = static_cast<Number>(last);
      return descending ? all_of(some, [=](Number now) { return now <= bound; })
                        : all_of(some, [=](Number now) { return now >= bound; });
    };
    for (int64_t i = 0; i < lines.count && count > 0; ++i, data += lines.length, found += count) {
      std::iota(found, found + count, int64_t{0});
      std::make_heap(found, found + count, first);
      for (int64_t k = count; k < lines.length;) {
        T last = data[found[0]];
        int64_t end = std::min(k + kTogether, lines.length), next = k;
        if (end - k == kTogether && none_ahead(data + k, last)) next = end;
        while (next < end && !(descending ? before<T>(last, data[next]) : before<T>(data[next], last)))
          ++next;
        k = next + (next < end ? 1 : 0);
        if (next == end) continue;
        std::pop_heap(found, found + count, first);
        found[count - 1] = next;
        std::push_heap(found, found + count, first);
      }
      std::sort_heap(found, found + count, first);
    }
  });
  return row_major(transposed(result, lines.back), DataType::Int(64));
}

template <bool greatest>
Any extreme_place(ApiCall& call) {
  const Any &axis = call.args[1], &out = call.args[2], &keepdims = call.args[3];
  ffi::Tensor tensor = to_tensor(evaluator_of(call.host), call.args[0], call.span_of(0));
  if (tensor.ndim() == 0 && !is_none(axis)) tensor = reshape_to(tensor, {1}, call.span);
  Lines lines = lines_of(call, tensor, axis);
  Shape shape = shape_of(lines.tensor);
  shape.pop_back();
  if (lines.length == 0 && product(shape) > 0) {
    raise("ValueError", call.span, "empty-sequence", "attempt to get {} of an empty sequence",
          greatest ? "argmax" : "argmin");
  }
  ffi::Tensor result = make_array(shape, DataType::Int(64));
  with_type(tensor.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const T* data = data_of<T>(lines.tensor);
    for (int64_t i = 0; i < lines.count; ++i, data += lines.length) {
      int64_t best = 0;
      auto top = static_cast<Compute<T>>(data[0]);
      // Not the other way round: a nan is taken, and ends the search.
      for (int64_t k = 1; k < lines.length && top == top; ++k) {
        auto now = static_cast<Compute<T>>(data[k]);
        if (greatest ? now <= top : now >= top) continue;
        best = k;
        top = now;
      }
      data_of<int64_t>(result)[i] = best;
    }
  });
  if (evaluator_of(call.host).truth(keepdims)) {
    Shape kept = is_none(axis) ? Shape(static_cast<size_t>(tensor.ndim()), 1) : shape_of(tensor);
    if (!is_none(axis))
      kept[static_cast<size_t>(axis_argument(evaluator_of(call.host), axis, tensor.ndim(), call.span))] = 1;
    result = reshape_to(result, kept, call.span);
  }
  return into_out(result, out, call.span);
}

Any searchsorted(ApiCall& call, const Any& sequence, const Any& values, std::string_view side,
                 const Any& sorter) {
  Evaluator& evaluator = evaluator_of(call.host);
  if (side != "left" && side != "right")
    raise("ValueError", call.span, "wrong-value", "search side must be one of 'left' or 'right' (got '{}')",
          side);
  Any operands[] = {sequence, values};
  DataType dtype = result_type(evaluator, operands, call.span);
  ffi::Tensor keys = to_tensor(evaluator, sequence, call.span_of(0), dtype);
  if (keys.ndim() != 1)
    raise("ValueError", call.span_of(0), "shape-mismatch", "object of too small depth for desired array");
  if (!is_none(sorter)) {
    keys = to_tensor(evaluator, array_subscript(evaluator, array_value(keys), sorter, call.span), call.span);
  }
  keys = row_major(keys, dtype);
  ffi::Tensor wanted = row_major(to_tensor(evaluator, values, call.span_of(1), dtype), dtype);
  ffi::Tensor out = make_array(shape_of(wanted), DataType::Int(64));
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    const T *begin = data_of<T>(keys), *end = begin + keys.numel();
    for (int64_t i = 0; i < out.numel(); ++i) {
      T value = data_of<T>(wanted)[i];
      const T* at = side == "left" ? std::lower_bound(begin, end, value, before<T>)
                                   : std::upper_bound(begin, end, value, before<T>);
      data_of<int64_t>(out)[i] = at - begin;
    }
  });
  return scalar_or_array(out);
}

const ApiRow sort_functions[] = {
    {ApiKind::kFunction, "numpy", "sort(a, axis=-1, kind=None, order=None, *, stable=None)",
     "The elements in order.", native([](ApiCall& call, Any a, Any axis, Any, Any, Any) {
       return array_value(sorted(call, to_tensor(evaluator_of(call.host), a, call.span_of(0)), axis));
     })},
    {ApiKind::kMethod, kNdarray, "sort(axis=-1, kind=None, order=None, *, stable=None)",
     "Puts the elements in order.", native([](ApiCall& call, NDArray a, Any axis, Any, Any, Any) {
       copy_into(a->tensor, sorted(call, a->tensor, axis));
     })},
    {ApiKind::kFunction, "numpy", "argsort(a, axis=-1, kind=None, order=None, *, stable=None)",
     "The indices that put the elements in order.", native([](ApiCall& call, Any a, Any axis, Any, Any, Any) {
       return array_value(argsorted(call, to_tensor(evaluator_of(call.host), a, call.span_of(0)), axis));
     })},
    {ApiKind::kFunction, "numpy", "_first_places(a, count, axis, descending)",
     "The indices of the first elements in order, for topi.topk.",
     native([](ApiCall& call, Any a, int64_t count, Any axis, bool descending) {
       return array_value(first_places(call, to_tensor(evaluator_of(call.host), a, call.span_of(0)), count,
                                       axis, descending));
     })},
    {ApiKind::kFunction, "numpy", "argmax(a, axis=None, out=None, *, keepdims=False)",
     "The index of the greatest element.", extreme_place<true>},
    {ApiKind::kFunction, "numpy", "argmin(a, axis=None, out=None, *, keepdims=False)",
     "The index of the least element.", extreme_place<false>},
    {ApiKind::kFunction, "numpy", "searchsorted(a, v, side='left', sorter=None)",
     "Where values would go into a sorted array.",
     native([](ApiCall& call, Any a, Any v, std::string side, Any sorter) {
       return searchsorted(call, a, v, side, sorter);
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_sort_rows() {
  static const std::vector<ApiRow> rows = with_methods(sort_functions, "argsort argmax argmin searchsorted");
  return rows;
}

}  // namespace mlc::script
