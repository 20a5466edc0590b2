// SPDX-License-Identifier: Apache-2.0
// Indexing: integers, slices, `...` and None give views; arrays of integers and of booleans pick elements,
// all together after NumPy's rules.
#include <algorithm>
#include <cstring>

#include "frontend/script/numpy/loop.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "IndexError",
    {
        {.name = "too-many-indices",
         .message = "too many indices for array: array is {}-dimensional, but {} were indexed",
         .meaning = "An array has one index for each dimension.",
         .wrong = R"(import numpy as np
np.zeros(3)[0, 0])",
         .right = R"(import numpy as np
np.zeros(3)[0])"},
    }};
MLC_REFUSALS(numpy_index, refusals);

namespace {

// What an index selects. Without `picks` a view; with them, the elements of the view at `offsets`.
struct Selection {
  ffi::Tensor view;
  bool element = false;  // every dimension has an integer
  // Where arrays are among the indices: offsets of what they pick, in elements of the view's memory, and the
  // shape of the picks; `view` is then what is left of the dimensions.
  std::optional<std::vector<int64_t>> offsets;
  Shape picked;
  size_t place = 0;  // the dimension of the result where the picks stand
};

struct Part {
  enum class Kind : uint8_t { kSlice, kInteger, kDots, kNew, kArray };
  Kind kind;
  Any value;
  ffi::Tensor array;         // kArray: int64
  bool scalar_mask = false;  // kArray made of True or False: takes no dimension
};

[[noreturn]] void wrong_index(ir::Span span) {
  raise("IndexError", span, "wrong-index",
        "an index is an integer, a slice, `...`, None, or an array of integers or bools");
}
[[noreturn]] void out_of_range(int64_t index, size_t axis, int64_t size, ir::Span span) {
  raise("IndexError", span, "index-out-of-range", "index {} is out of bounds for axis {} with size {}", index,
        axis, size);
}

// A boolean array as one array of positions per dimension.
void add_mask(std::vector<Part>& parts, const ffi::Tensor& mask) {
  if (mask.ndim() == 0) {
    int64_t dims[] = {data_of<bool>(mask)[0] ? 1 : 0};
    ffi::Tensor zero = filled(dims, DataType::Int(64), 0);
    parts.push_back({Part::Kind::kArray, Any(nullptr), zero, true});
    return;
  }
  for (const ffi::Tensor& position : nonzero_positions(mask))
    parts.push_back({Part::Kind::kArray, Any(nullptr), position});
}

std::vector<Part> parts_of(Evaluator& evaluator, const ffi::Tensor& tensor, const Any& index, ir::Span span) {
  std::vector<Any> given;
  if (index.type_index() == kTVMFFIArray)
    given.assign(elements(index).begin(), elements(index).end());
  else
    given.push_back(index);
  // How many dimensions stand before each boolean array matters only for its check.
  std::vector<Part> parts;
  size_t used = 0;
  bool dots = false;
  std::vector<std::pair<size_t, Shape>> masks;  // the part where the mask begins, and its shape
  for (const Any& each : given) {
    if (each.same_as(ellipsis())) {
      if (dots) raise("IndexError", span, "wrong-index", "an index can only have a single ellipsis ('...')");
      dots = true;
      parts.push_back({Part::Kind::kDots, each, {}});
    } else if (is_none(each)) {
      parts.push_back({Part::Kind::kNew, each, {}});
    } else if (as<SliceNode>(each)) {
      parts.push_back({Part::Kind::kSlice, each, {}});
      ++used;
    } else {
      Any plain = each;
      if (auto* scalar = as<NumpyScalarNode>(each)) {
        if (!DataType(scalar->dtype).is_bool()) plain = plain_number(each);
      }
      if (is_int(plain)) {
        parts.push_back({Part::Kind::kInteger, plain, {}});
        ++used;
        continue;
      }
      if (is_float(plain) || is_str(plain)) wrong_index(span);
      if (is_object(plain) && !is_array_operand(plain) && !is_list_like(plain) &&
          plain.type_index() != kTVMFFITensor) {
        Any method;
        if (!evaluator.find_attribute(plain, Symbol("__index__"), method)) wrong_index(span);
        parts.push_back({Part::Kind::kInteger, evaluator.call(method, {}, {}, span), {}});
        ++used;
        continue;
      }
      ffi::Tensor picks = to_tensor(evaluator, plain, span);
      DataType dtype = picks.dtype();
      if (picks.numel() == 0 && is_list_like(plain)) {
        picks = cast_to(picks, DataType::Int(64));
      } else if (dtype.is_bool()) {
        masks.emplace_back(parts.size(), shape_of(picks));
        add_mask(parts, picks);
        used += static_cast<size_t>(picks.ndim());
        continue;
      } else if (dtype.is_floating()) {
        raise("IndexError", span, "wrong-index",
              "arrays used as indices must be of integer (or boolean) type");
      }
      if (picks.ndim() == 0 && is_array_operand(plain)) {
        parts.push_back(
            {Part::Kind::kInteger, plain_number(element_value(cast_to(picks, DataType::Int(64)), 0)), {}});
      } else {
        parts.push_back({Part::Kind::kArray, Any(nullptr), row_major(picks, DataType::Int(64))});
      }
      ++used;
    }
  }
  auto ndim = static_cast<size_t>(tensor.ndim());
  if (used > ndim) {
    raise(refusals["too-many-indices"], span, ndim, used);
  }
  if (!dots) parts.push_back({Part::Kind::kDots, Any(nullptr), {}});
  for (auto& [begin, shape] : masks) {
    size_t dim = 0;
    for (size_t i = 0; i < begin; ++i) {
      if (parts[i].kind == Part::Kind::kDots)
        dim += ndim - used;
      else if (parts[i].kind != Part::Kind::kNew && !parts[i].scalar_mask)
        ++dim;
    }
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t size = tensor.size(static_cast<int64_t>(dim + d));
      if (size != shape[d]) {
        raise("IndexError", span, "shape-mismatch",
              "the mask does not fit axis {}, whose size is {}: the mask's is {}", dim + d, size, shape[d]);
      }
    }
  }
  return parts;
}

Selection select(Evaluator& evaluator, const ffi::Tensor& tensor, const Any& index, ir::Span span) {
  std::vector<Part> parts = parts_of(evaluator, tensor, index, span);
  bool picks = std::any_of(parts.begin(), parts.end(),
                           [](const Part& part) { return part.kind == Part::Kind::kArray; });
  Shape shape = shape_of(tensor), strides = strides_of(tensor);
  size_t used = 0;
  bool only_integers = true, asked_dots = false;
  for (const Part& part : parts) {
    used += part.kind == Part::Kind::kSlice || part.kind == Part::Kind::kInteger ||
            (part.kind == Part::Kind::kArray && !part.scalar_mask);
    only_integers = only_integers && (part.kind == Part::Kind::kInteger || part.kind == Part::Kind::kDots);
    asked_dots = asked_dots || (part.kind == Part::Kind::kDots && !is_none(part.value));
  }
  Selection result;
  Shape kept_shape, kept_strides;
  int64_t offset = 0;
  struct Pick {
    ffi::Tensor array;
    int64_t stride, size;
    size_t axis;
  };
  std::vector<Pick> chosen;
  size_t dim = 0;
  bool begun = false, ended = false, apart = false;
  auto note_pick = [&] {
    if (!begun) result.place = kept_shape.size();
    if (ended) apart = true;
    begun = true;
  };
  auto note_other = [&] { ended = ended || begun; };
  for (const Part& part : parts) {
    switch (part.kind) {
      case Part::Kind::kDots:
        if (!is_none(part.value) || shape.size() > used) note_other();
        for (size_t n = shape.size() - used; n > 0; --n, ++dim) {
          kept_shape.push_back(shape[dim]);
          kept_strides.push_back(strides[dim]);
        }
        break;
      case Part::Kind::kNew:
        note_other();
        kept_shape.push_back(1);
        kept_strides.push_back(0);
        break;
      case Part::Kind::kSlice: {
        note_other();
        SliceBounds bounds = slice_bounds(evaluator, *as<SliceNode>(part.value), shape[dim], span);
        if (bounds.count > 0) offset += bounds.start * strides[dim];
        kept_shape.push_back(bounds.count);
        kept_strides.push_back(strides[dim] * bounds.step);
        ++dim;
        break;
      }
      case Part::Kind::kInteger: {
        int64_t i = raw_int(part.value);
        if (i < -shape[dim] || i >= shape[dim]) out_of_range(i, dim, shape[dim], span);
        offset += (i < 0 ? i + shape[dim] : i) * strides[dim];
        if (picks) note_pick();  // among arrays an integer is one too
        ++dim;
        break;
      }
      case Part::Kind::kArray:
        note_pick();
        if (part.scalar_mask) {
          chosen.push_back({part.array, 0, 1, 0});
        } else {
          chosen.push_back({part.array, strides[dim], shape[dim], dim});
          ++dim;
        }
        break;
    }
  }
  result.view = strided(tensor, kept_shape, kept_strides, offset);
  result.element = only_integers && kept_shape.empty() && !asked_dots;
  if (!picks) return result;
  if (apart) result.place = 0;
  Shape together;
  for (const Pick& pick : chosen) {
    std::optional<Shape> next = common_shape(together, shape_of(pick.array));
    if (!next) {
      std::string shapes;
      for (const Pick& each : chosen) shapes += shape_text(shape_of(each.array)) + " ";
      raise("IndexError", span, "shape-mismatch",
            "shape mismatch: indexing arrays could not be broadcast together with shapes {}", shapes);
    }
    together = *next;
  }
  result.picked = together;
  std::vector<int64_t> offsets(static_cast<size_t>(product(together)), 0);
  bool nothing = offsets.empty() || product(kept_shape) == 0;
  for (const Pick& pick : chosen) {
    ffi::Tensor wide = broadcast_to(pick.array, together);
    const auto* data = data_of<int64_t>(wide);
    size_t i = 0;
    if (nothing && !offsets.empty()) {
      for (int64_t k = 0; k < pick.array.numel(); ++k) {
        int64_t at = data_of<int64_t>(pick.array)[k];
        if (at < -pick.size || at >= pick.size) out_of_range(at, pick.axis, pick.size, span);
      }
    }
    each_offset(wide, [&](int64_t where) {
      int64_t at = data[where];
      if (at < -pick.size || at >= pick.size) out_of_range(at, pick.axis, pick.size, span);
      offsets[i++] += (at < 0 ? at + pick.size : at) * pick.stride;
    });
  }
  result.offsets = std::move(offsets);
  return result;
}

// The shape of the elements that are picked, and the order of its dimensions when the picks come first.
struct Layout {
  Shape shape;  // as scripts see it
  Shape order;  // of (picks, rest) -> seen
  Shape first;  // the shape with the picks first
};
Layout layout_of(const Selection& selection) {
  Shape rest = shape_of(selection.view);
  Layout layout;
  auto picked = static_cast<int64_t>(selection.picked.size());
  for (size_t d = 0; d < selection.place; ++d) {
    layout.shape.push_back(rest[d]);
    layout.order.push_back(picked + static_cast<int64_t>(d));
  }
  for (int64_t d = 0; d < picked; ++d) {
    layout.shape.push_back(selection.picked[static_cast<size_t>(d)]);
    layout.order.push_back(d);
  }
  for (size_t d = selection.place; d < rest.size(); ++d) {
    layout.shape.push_back(rest[d]);
    layout.order.push_back(picked + static_cast<int64_t>(d));
  }
  layout.first = selection.picked;
  layout.first.insert(layout.first.end(), rest.begin(), rest.end());
  return layout;
}

// visit(pointer into the array, pointer into memory that is row-major with the picks first), per element.
template <class T, class F>
void each_picked(const Selection& selection, T* dense, F visit) {
  T* data = data_of<T>(selection.view);
  if (selection.view.ndim() == 0) {
    for (int64_t offset : *selection.offsets) visit(data[offset], *dense++);
    return;
  }
  std::vector<int64_t> inner;
  inner.reserve(static_cast<size_t>(selection.view.numel()));
  each_offset(selection.view, [&](int64_t at) { inner.push_back(at); });
  for (int64_t offset : *selection.offsets) {
    for (int64_t at : inner) visit(data[offset + at], *dense++);
  }
}

// The values to be assigned, broadcast to the shape of their place.
ffi::Tensor assign_values(Evaluator& evaluator, const Any& value, const Shape& shape, DataType dtype,
                          bool picks, ir::Span span) {
  ffi::Tensor values = is_weak(value) || is_list_like(value) ? to_tensor(evaluator, value, span, dtype)
                                                             : to_tensor(evaluator, value, span);
  Shape own = shape_of(values);
  Shape trimmed = own;
  while (trimmed.size() > shape.size() && trimmed[0] == 1) trimmed.erase(trimmed.begin());
  bool fits = trimmed.size() <= shape.size();
  for (size_t i = 0; fits && i < trimmed.size(); ++i) {
    int64_t have = trimmed[trimmed.size() - 1 - i];
    fits = have == 1 || have == shape[shape.size() - 1 - i];
  }
  if (!fits && picks) {
    raise("ValueError", span, "shape-mismatch",
          "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
          shape_text(own), shape_text(shape));
  }
  if (!fits) {
    raise("ValueError", span, "shape-mismatch", "could not broadcast input array from shape {} into shape {}",
          shape_text(own), shape_text(shape));
  }
  if (trimmed != own) values = reshape_to(values, trimmed, span);
  return broadcast_to(values, shape);
}

}  // namespace

Any array_subscript(Evaluator& evaluator, const Any& array, const Any& index, ir::Span span) {
  const ffi::Tensor& tensor = as<ir::NDArrayNode>(array)->tensor;
  if (is_int(index) && tensor.ndim() == 1) {
    int64_t i = raw_int(index), size = tensor.size(0);
    if (i < -size || i >= size) out_of_range(i, 0, size, span);
    return element_value(tensor, (i < 0 ? i + size : i) * tensor.stride(0));
  }
  Selection selection = select(evaluator, tensor, index, span);
  if (!selection.offsets)
    return selection.element ? scalar_or_array(selection.view)
                             : view_value(array, array_value(selection.view));
  Layout layout = layout_of(selection);
  ffi::Tensor out = make_array(layout.first, tensor.dtype());
  with_type(tensor.dtype(), [&](auto tag) {
    using T = decltype(tag);
    each_picked(selection, data_of<T>(out), [](T& from, T& to) { to = from; });
  });
  return array_value(transposed(out, layout.order));
}

void array_assign(Evaluator& evaluator, const Any& array, const Any& index, const Any& value, ir::Span span) {
  check_writeable(array, "assignment destination", span);
  const ffi::Tensor& tensor = as<ir::NDArrayNode>(array)->tensor;
  DataType dtype = tensor.dtype();
  Selection selection = select(evaluator, tensor, index, span);
  if (selection.element && !is_weak(value) && to_tensor(evaluator, value, span).ndim() > 0)
    raise("ValueError", span, "shape-mismatch", "setting an array element with a sequence.");
  if (!selection.offsets) {
    ffi::Tensor values = assign_values(evaluator, value, shape_of(selection.view), dtype, false, span);
    // The right side may be a view of the same memory.
    if (shares_memory(values, selection.view)) values = row_major(values, dtype, true);
    copy_into(selection.view, values);
    return;
  }
  Layout layout = layout_of(selection);
  ffi::Tensor values = assign_values(evaluator, value, layout.shape, dtype, true, span);
  Shape back(layout.order.size());
  for (size_t d = 0; d < back.size(); ++d)
    back[static_cast<size_t>(layout.order[d])] = static_cast<int64_t>(d);
  values = row_major(transposed(values, back), dtype, true);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    each_picked(selection, data_of<T>(values), [](T& to, T& from) { to = from; });
  });
}

}  // namespace mlc::script
