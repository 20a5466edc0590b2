// SPDX-License-Identifier: Apache-2.0
// Sorting and searching sorted values; nan comes last.
#include <algorithm>
#include <array>
#include <numeric>

#include "frontend/script/numpy/array.h"

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

// ---- radix sort of long rows ----

// Numbers of 32 and 64 bits as natural numbers of the same order; nan is the greatest, and zeros are one.
template <class T>
auto key_of(T value) {
  using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr U kTop = U{1} << (8 * sizeof(T) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return ~U{0};
    value += T(0);  // -0 becomes 0
    U bits;
    std::memcpy(&bits, &value, sizeof bits);
    return (bits & kTop) != 0 ? static_cast<U>(~bits) : static_cast<U>(bits | kTop);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<U>(static_cast<U>(value) ^ kTop);
  } else {
    return static_cast<U>(value);
  }
}
template <class T>
constexpr bool has_key = sizeof(T) >= 4 && !is_small_float<T>;
constexpr int64_t kLong = 2048;

// Puts `items` in the order of their keys, equal ones as they stand; 11 bits of the key at a time.
template <class Item>
void radix_sort(std::vector<Item>& items) {
  constexpr int kBits = 11, kPasses = (8 * sizeof(Item::key) + kBits - 1) / kBits;
  constexpr size_t kDigits = size_t{1} << kBits;
  std::vector<std::array<size_t, kDigits>> counts(kPasses);
  for (auto& count : counts) count.fill(0);
  for (const Item& item : items) {
    for (int pass = 0; pass < kPasses; ++pass)
      ++counts[static_cast<size_t>(pass)][item.key >> (pass * kBits) & (kDigits - 1)];
  }
  std::vector<Item> other(items.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& count = counts[static_cast<size_t>(pass)];
    if (std::find(count.begin(), count.end(), items.size()) != count.end()) continue;  // all alike
    size_t sum = 0;
    for (size_t& each : count) sum += std::exchange(each, sum);
    for (const Item& item : items) other[count[item.key >> (pass * kBits) & (kDigits - 1)]++] = item;
    items.swap(other);
  }
}
template <class T>
struct ValueItem {
  decltype(key_of(T{})) key;
  T value;
};
template <class T>
struct PlaceItem {
  decltype(key_of(T{})) key;
  uint32_t place;
};

template <class T>
void sort_row(T* data, int64_t n) {
  if constexpr (has_key<T>) {
    if (n >= kLong) {
      std::vector<ValueItem<T>> items(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) items[static_cast<size_t>(i)] = {key_of(data[i]), data[i]};
      radix_sort(items);
      for (int64_t i = 0; i < n; ++i) data[i] = items[static_cast<size_t>(i)].value;
      return;
    }
  }
  std::stable_sort(data, data + n, before<T>);
}
template <class T>
void argsort_row(const T* data, int64_t* place, int64_t n) {
  if constexpr (has_key<T>) {
    if (n >= kLong && n < INT32_MAX) {
      std::vector<PlaceItem<T>> items(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i)
        items[static_cast<size_t>(i)] = {key_of(data[i]), static_cast<uint32_t>(i)};
      radix_sort(items);
      for (int64_t i = 0; i < n; ++i) place[i] = items[static_cast<size_t>(i)].place;
      return;
    }
  }
  std::iota(place, place + n, int64_t{0});
  std::stable_sort(place, place + n, [&](int64_t a, int64_t b) { return before<T>(data[a], data[b]); });
}

// The dimension that is worked along comes last; `back` undoes it.
struct Lines {
  ffi::Tensor tensor;  // a row-major copy
  Shape back;
  int64_t length, count;
};
Lines lines_of(ApiCall& call, ffi::Tensor tensor, const Any& axis_value) {
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
  lines.tensor = row_major(transposed(tensor, order), tensor.dtype(), true);
  for (int64_t d = 0; d < tensor.ndim(); ++d)
    lines.back.push_back(d == axis ? tensor.ndim() - 1 : d < axis ? d : d - 1);
  lines.length = tensor.size(axis);
  lines.count = lines.length == 0 ? 0 : tensor.numel() / lines.length;
  return lines;
}

ffi::Tensor sorted(ApiCall& call, const ffi::Tensor& tensor, const Any& axis) {
  if (tensor.ndim() == 0 && !is_none(axis)) axis_argument(evaluator_of(call.host), axis, 0, call.span_of(1));
  Lines lines = lines_of(call, tensor, axis);
  with_type(tensor.dtype(), [&](auto tag) {
    using T = decltype(tag);
    T* data = data_of<T>(lines.tensor);
    for (int64_t i = 0; i < lines.count; ++i, data += lines.length) sort_row(data, lines.length);
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
    for (int64_t i = 0; i < lines.count; ++i, data += lines.length, place += lines.length)
      argsort_row(data, place, lines.length);
  });
  return row_major(transposed(places, lines.back), DataType::Int(64));
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

Any bincount(ApiCall& call, const Any& value, const Any& weights, int64_t least) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor numbers = to_tensor(evaluator, value, call.span_of(0));
  if (DataType(numbers.dtype()).is_floating() && numbers.numel() > 0) {
    raise("TypeError", call.span_of(0), "bad-cast",
          "Cannot cast array data from dtype('{}') to dtype('int64') according to the rule 'safe'",
          DataType(numbers.dtype()).str());
  }
  if (numbers.ndim() == 0)
    raise("ValueError", call.span_of(0), "shape-mismatch", "object of too small depth for desired array");
  if (numbers.ndim() > 1)
    raise("ValueError", call.span_of(0), "shape-mismatch", "object too deep for desired array");
  numbers = row_major(numbers, DataType::Int(64));
  int64_t size = least;
  for (int64_t i = 0; i < numbers.numel(); ++i) {
    int64_t number = data_of<int64_t>(numbers)[i];
    if (number < 0)
      raise("ValueError", call.span_of(0), "wrong-value", "'list' argument must have no negative elements");
    size = std::max(size, number + 1);
  }
  int64_t dims[] = {size};
  if (is_none(weights)) {
    ffi::Tensor out = filled(dims, DataType::Int(64), 0);
    for (int64_t i = 0; i < numbers.numel(); ++i) ++data_of<int64_t>(out)[data_of<int64_t>(numbers)[i]];
    return array_value(out);
  }
  ffi::Tensor scale = row_major(to_tensor(evaluator, weights, call.span_of(1)), DataType::Float(64));
  if (scale.numel() != numbers.numel())
    raise("ValueError", call.span_of(1), "shape-mismatch",
          "The weights and list don't have the same length.");
  ffi::Tensor out = filled(dims, DataType::Float(64), 0);
  for (int64_t i = 0; i < numbers.numel(); ++i)
    data_of<double>(out)[data_of<int64_t>(numbers)[i]] += data_of<double>(scale)[i];
  return array_value(out);
}

constexpr std::string_view kArray = "mlc.np.ndarray";

const ApiRow rows[] = {
    {ApiKind::kFunction, "numpy", "sort(a, axis=-1, kind=None, order=None, *, stable=None)",
     "The elements in order.", native([](ApiCall& call, Any a, Any axis, Any, Any, Any) {
       return array_value(sorted(call, to_tensor(evaluator_of(call.host), a, call.span_of(0)), axis));
     })},
    {ApiKind::kMethod, kArray, "sort(axis=-1, kind=None, order=None, *, stable=None)",
     "Puts the elements in order.", native([](ApiCall& call, NDArray a, Any axis, Any, Any, Any) {
       copy_into(a->tensor, sorted(call, a->tensor, axis));
     })},
    {ApiKind::kFunction, "numpy", "argsort(a, axis=-1, kind=None, order=None, *, stable=None)",
     "The indices that put the elements in order.", native([](ApiCall& call, Any a, Any axis, Any, Any, Any) {
       return array_value(argsorted(call, to_tensor(evaluator_of(call.host), a, call.span_of(0)), axis));
     })},
    {ApiKind::kMethod, kArray, "argsort(axis=-1, kind=None, order=None, *, stable=None)",
     "The indices that put the elements in order.",
     native([](ApiCall& call, NDArray a, Any axis, Any, Any, Any) {
       return array_value(argsorted(call, a->tensor, axis));
     })},
    {ApiKind::kFunction, "numpy", "searchsorted(a, v, side='left', sorter=None)",
     "Where values would go into a sorted array.",
     native([](ApiCall& call, Any a, Any v, std::string side, Any sorter) {
       return searchsorted(call, a, v, side, sorter);
     })},
    {ApiKind::kMethod, kArray, "searchsorted(v, side='left', sorter=None)",
     "Where values would go into a sorted array.",
     native([](ApiCall& call, Any a, Any v, std::string side, Any sorter) {
       return searchsorted(call, a, v, side, sorter);
     })},
    {ApiKind::kFunction, "numpy", "bincount(x, weights=None, minlength=0)", "How often each number occurs.",
     native(
         [](ApiCall& call, Any x, Any weights, int64_t least) { return bincount(call, x, weights, least); })},
};

}  // namespace

std::span<const ir::ApiRow> np_sort_rows() { return rows; }

}  // namespace mlc::script
