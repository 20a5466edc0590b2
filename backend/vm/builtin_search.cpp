// SPDX-License-Identifier: Apache-2.0
// relax.run.*: what calls of R.unique, R.nonzero and R.shape_to_tensor run.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>

#include "backend/vm/builtins.h"
#include "backend/vm/memory.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/registry/api_row.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "vm-search-dtype", .kind = "TypeError", .message = "`{}` cannot order elements of {}"},
        {.name = "vm-search-axis", .kind = "IndexError", .message = "`{}`: a tensor of {} dimensions has no axis {}"},
    }};
MLC_REFUSALS(vm_builtin_search, refusals);

namespace {

// Numbers in the order of the elements: equal elements have equal keys, all NaN come last and are equal.
uint64_t key_of_float(uint64_t bits, int width) {
  uint64_t sign = uint64_t{1} << (width - 1);
  if ((bits & ~sign) == 0) return sign;  // both zeros
  return (bits & sign) != 0 ? ~bits & (sign | (sign - 1)) : bits | sign;
}
std::vector<uint64_t> keys_of(const ffi::Tensor& tensor, std::string_view name) {
  ir::DataType dtype(tensor.dtype());
  int64_t count = 1;
  for (int64_t extent : tensor.shape()) count *= extent;
  std::vector<uint64_t> keys(static_cast<size_t>(count));
  const char* data = static_cast<const char*>(tensor.data_ptr());
  auto fill = [&](auto zero, auto key) {
    for (size_t i = 0; i < keys.size(); ++i) {
      decltype(zero) value;
      std::memcpy(&value, data + i * sizeof value, sizeof value);
      keys[i] = key(value);
    }
  };
  auto of_signed = [](auto value) { return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ (uint64_t{1} << 63); };
  auto of_unsigned = [](auto value) { return static_cast<uint64_t>(value); };
  auto of_float = [](auto infinity) {
    return [infinity](auto bits) {
      constexpr int width = 8 * sizeof bits;
      uint64_t magnitude = bits & static_cast<decltype(bits)>(~(uint64_t{1} << (width - 1)));
      return magnitude > infinity ? ~uint64_t{0} : key_of_float(bits, width);
    };
  };
  if (dtype.lanes() == 1 && dtype.is_bool()) {
    fill(uint8_t{}, of_unsigned);
  } else if (dtype.lanes() == 1 && dtype.is_int() && dtype.bits() >= 8) {
    if (dtype.bits() == 8) fill(int8_t{}, of_signed);
    if (dtype.bits() == 16) fill(int16_t{}, of_signed);
    if (dtype.bits() == 32) fill(int32_t{}, of_signed);
    if (dtype.bits() == 64) fill(int64_t{}, of_signed);
  } else if (dtype.lanes() == 1 && dtype.is_uint() && dtype.bits() >= 8) {
    if (dtype.bits() == 8) fill(uint8_t{}, of_unsigned);
    if (dtype.bits() == 16) fill(uint16_t{}, of_unsigned);
    if (dtype.bits() == 32) fill(uint32_t{}, of_unsigned);
    if (dtype.bits() == 64) fill(uint64_t{}, of_unsigned);
  } else if (dtype == ir::DataType::Float(64)) {
    fill(uint64_t{}, of_float(uint64_t{0x7FF0000000000000}));
  } else if (dtype == ir::DataType::Float(32)) {
    fill(uint32_t{}, of_float(uint64_t{0x7F800000}));
  } else if (dtype == ir::DataType::Float(16)) {
    fill(uint16_t{}, of_float(uint64_t{0x7C00}));
  } else if (dtype.is_bfloat16()) {
    fill(uint16_t{}, of_float(uint64_t{0x7F80}));
  } else {
    throw refuse(refusals["vm-search-dtype"], name, dtype.str());
  }
  return keys;
}

ffi::Tensor tensor_of(const std::vector<int64_t>& values) {
  int64_t size = static_cast<int64_t>(values.size());
  ffi::Tensor made = ir::make_tensor({&size, 1}, ir::DataType::Int(64));
  std::copy(values.begin(), values.end(), static_cast<int64_t*>(made.data_ptr()));
  return made;
}

// A tensor seen as slices along an axis: element `e` of slice `s` lies at (e / inner * slices + s) * inner + e % inner.
struct Slices {
  int64_t count = 0, size = 0, inner = 1;
  std::vector<int64_t> shape;  // of the tensor, flat where no axis is given
  size_t axis = 0;
  size_t at(int64_t slice, int64_t element) const {
    return static_cast<size_t>((element / inner * count + slice) * inner + element % inner);
  }
};
Slices slices_of(const ffi::Tensor& tensor, std::optional<int64_t> axis, std::string_view name) {
  Slices slices;
  slices.shape.assign(tensor.shape().begin(), tensor.shape().end());
  int64_t total = std::accumulate(slices.shape.begin(), slices.shape.end(), int64_t{1}, std::multiplies<>());
  if (!axis) {
    slices.shape = {total};
  } else {
    int64_t ndim = tensor.ndim();
    if (*axis < -ndim || *axis >= ndim) throw refuse(refusals["vm-search-axis"], name, ndim, *axis);
    slices.axis = static_cast<size_t>(*axis < 0 ? *axis + ndim : *axis);
  }
  slices.count = slices.shape[slices.axis];
  for (size_t i = slices.axis + 1; i < slices.shape.size(); ++i) slices.inner *= slices.shape[i];
  slices.size = slices.count == 0 ? 0 : total / slices.count;
  return slices;
}

// unique(x, sorted, return_index, return_inverse, return_counts, axis): the different slices, in ascending order, or,
// unless `sorted`, in the order in which they first come; the position of each of them in x, which of them each slice
// of x is, how often each comes.
void unique(ffi::PackedArgs args, ffi::Any* result) {
  constexpr std::string_view name = "relax.run.unique";
  ffi::Tensor x = ir::contiguous(value_of<ffi::Tensor>(args[0], name, "tensor"));
  // A number from instructions, a bool from the interpreter of graphs.
  auto flag = [&](int i) {
    if (i >= args.size()) return false;
    if (auto given = args[i].as<bool>()) return *given;
    return value_of<int64_t>(args[i], name, "number") != 0;
  };
  std::optional<int64_t> axis;
  if (args.size() > 5 && args[5].type_index() != ffi::TypeIndex::kTVMFFINone) axis = value_of<int64_t>(args[5], name, "number");
  Slices slices = slices_of(x, axis, name);
  std::vector<uint64_t> keys = keys_of(x, name);
  auto compare = [&](int64_t a, int64_t b) {
    for (int64_t e = 0; e < slices.size; ++e) {
      uint64_t left = keys[slices.at(a, e)], right = keys[slices.at(b, e)];
      if (left != right) return left < right ? -1 : 1;
    }
    return 0;
  };
  std::vector<int64_t> order(static_cast<size_t>(slices.count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
  std::vector<int64_t> first, inverse(order.size()), counts;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) {
      first.push_back(order[i]);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(first.size()) - 1;
  }
  if (!flag(1)) {
    std::vector<int64_t> rank(first.size()), place(first.size());
    std::iota(rank.begin(), rank.end(), int64_t{0});
    std::sort(rank.begin(), rank.end(), [&](int64_t a, int64_t b) { return first[static_cast<size_t>(a)] < first[static_cast<size_t>(b)]; });
    std::vector<int64_t> ordered, ordered_counts;
    for (size_t i = 0; i < rank.size(); ++i) {
      place[static_cast<size_t>(rank[i])] = static_cast<int64_t>(i);
      ordered.push_back(first[static_cast<size_t>(rank[i])]);
      ordered_counts.push_back(counts[static_cast<size_t>(rank[i])]);
    }
    for (int64_t& each : inverse) each = place[static_cast<size_t>(each)];
    first = std::move(ordered);
    counts = std::move(ordered_counts);
  }
  Slices made = slices;
  made.count = made.shape[made.axis] = static_cast<int64_t>(first.size());
  ffi::Tensor values = ir::make_tensor(made.shape, ir::DataType(x.dtype()));
  size_t bytes = (static_cast<size_t>(x.dtype().bits) + 7) / 8;
  for (int64_t s = 0; s < made.count; ++s) {
    for (int64_t e = 0; e < made.size; ++e)
      std::memcpy(static_cast<char*>(values.data_ptr()) + made.at(s, e) * bytes,
                  static_cast<const char*>(x.data_ptr()) + slices.at(first[static_cast<size_t>(s)], e) * bytes, bytes);
  }
  ffi::Array<ffi::Any> all{values};
  if (flag(2)) all.push_back(tensor_of(first));
  if (flag(3)) all.push_back(tensor_of(inverse));
  if (flag(4)) all.push_back(tensor_of(counts));
  if (all.size() == 1) {
    *result = std::move(values);
  } else {
    *result = std::move(all);
  }
}

// nonzero(x): one row for each dimension of x, one column for each element that is not zero.
ffi::Tensor nonzero(ffi::AnyView given) {
  constexpr std::string_view name = "relax.run.nonzero";
  ffi::Tensor x = ir::contiguous(value_of<ffi::Tensor>(given, name, "tensor"));
  std::vector<int64_t> shape(x.shape().begin(), x.shape().end());
  if (shape.empty()) shape.push_back(1);
  std::vector<int64_t> found;
  size_t bytes = (static_cast<size_t>(x.dtype().bits) * x.dtype().lanes + 7) / 8;
  int64_t total = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  bool floating = ir::DataType(x.dtype()).is_floating();
  for (int64_t i = 0; i < total; ++i) {
    const auto* element = static_cast<const unsigned char*>(x.data_ptr()) + static_cast<size_t>(i) * bytes;
    bool zero = std::all_of(element, element + bytes - 1, [](unsigned char byte) { return byte == 0; }) &&
                (element[bytes - 1] & (floating ? 0x7F : 0xFF)) == 0;  // the sign of a zero is none of its value
    if (!zero) found.push_back(i);
  }
  std::array<int64_t, 2> size{static_cast<int64_t>(shape.size()), static_cast<int64_t>(found.size())};
  ffi::Tensor made = ir::make_tensor(size, ir::DataType::Int(64));
  auto* out = static_cast<int64_t*>(made.data_ptr());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    for (size_t i = 0; i < found.size(); ++i) out[d * found.size() + i] = found[i] / stride % shape[d];
  }
  return made;
}

}  // namespace

void register_search_builtins() {
  ffi::reflection::GlobalDef()
      .def_packed("relax.run.unique", unique)
      .def("relax.run.nonzero", nonzero)
      .def("relax.run.shape_to_tensor", [](ffi::AnyView given) {
        auto shape = value_of<ffi::Shape>(given, "relax.run.shape_to_tensor", "shape");
        return tensor_of({shape.begin(), shape.end()});
      });
}

}  // namespace mlc::vm
