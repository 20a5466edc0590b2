// SPDX-License-Identifier: Apache-2.0
// Joining and choosing: concatenate, stack, where, nonzero.
#include <algorithm>

#include "frontend/script/numpy/rows.h"
#include "frontend/script/numpy/ufunc.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

std::vector<ffi::Tensor> nonzero_positions(const ffi::Tensor& tensor) {
  ffi::Tensor test = row_major(tensor, DataType::Bool());
  const bool* keep = data_of<bool>(test);
  int64_t dims[] = {std::count(keep, keep + test.numel(), true)};
  Shape shape = shape_of(tensor);
  std::vector<ffi::Tensor> result;
  for (size_t d = 0; d < shape.size(); ++d) result.push_back(make_array(dims, DataType::Int(64)));
  std::vector<int64_t> index(shape.size(), 0);
  int64_t found = 0;
  for (int64_t i = 0, n = test.numel(); i < n; ++i) {
    if (keep[i]) {
      for (size_t d = 0; d < shape.size(); ++d) data_of<int64_t>(result[d])[found] = index[d];
      ++found;
    }
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

namespace {

Any concatenate(ApiCall& call, std::vector<ffi::Tensor> tensors, const Any& axis_value, DataType dtype,
                const Any& out) {
  Evaluator& evaluator = evaluator_of(call.host);
  if (tensors.empty())
    raise("ValueError", call.span, "empty-sequence", "need at least one array to concatenate");
  if (is_none(axis_value)) {
    for (ffi::Tensor& tensor : tensors) tensor = reshape_to(tensor, {tensor.numel()}, call.span);
  }
  Shape shape = shape_of(tensors[0]);
  if (shape.empty())
    raise("ValueError", call.span, "shape-mismatch", "zero-dimensional arrays cannot be concatenated");
  auto ndim = static_cast<int64_t>(shape.size());
  auto axis = static_cast<size_t>(
      is_none(axis_value) ? 0 : axis_argument(evaluator, axis_value, ndim, call.span_of(1)));
  int64_t total = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Shape other = shape_of(tensors[i]);
    if (other.size() != shape.size()) {
      raise("ValueError", call.span, "shape-mismatch",
            "the arrays are joined along one dimension and must agree in the others: the first has {} "
            "dimensions, "
            "that at index {} has {}",
            shape.size(), i, other.size());
    }
    for (size_t d = 0; d < shape.size(); ++d) {
      if (d == axis || other[d] == shape[d]) continue;
      raise("ValueError", call.span, "shape-mismatch",
            "the arrays are joined along one dimension and must agree in the others: along dimension {} the "
            "first "
            "has size {}, that at index {} has size {}",
            d, shape[d], i, other[d]);
    }
    total += other[axis];
  }
  shape[axis] = total;
  ffi::Tensor result = make_array(shape, dtype);
  Shape strides = strides_of(result);
  int64_t begin = 0;
  for (const ffi::Tensor& tensor : tensors) {
    shape[axis] = tensor.size(static_cast<int64_t>(axis));
    copy_into(strided(result, shape, strides, shape[axis] == 0 ? 0 : begin * strides[axis]), tensor);
    begin += shape[axis];
  }
  return into_out(result, out, call.span);
}

Any concatenate_values(ApiCall& call, const Any& arrays, const Any& axis, const Any& out,
                       const Any& dtype_value, bool stack) {
  Evaluator& evaluator = evaluator_of(call.host);
  std::vector<Any> parts = evaluator.elements_of(arrays, call.span_of(0));
  if (parts.empty()) {
    raise("ValueError", call.span, "empty-sequence", "need at least one array to {}",
          stack ? "stack" : "concatenate");
  }
  std::vector<ffi::Tensor> tensors;
  DataType dtype = DataType::Void();
  for (const Any& part : parts) {
    tensors.push_back(to_tensor(evaluator, part, call.span_of(0)));
    DataType own = tensors.back().dtype();
    dtype = dtype.is_void() ? own : promote(dtype, own, call.span);
  }
  if (!is_none(dtype_value)) dtype = dtype_argument(evaluator, dtype_value, call.span);
  if (stack) {
    Shape first = shape_of(tensors[0]);
    for (ffi::Tensor& tensor : tensors) {
      Shape shape = shape_of(tensor), strides = strides_of(tensor);
      if (shape != first)
        raise("ValueError", call.span, "shape-mismatch", "all input arrays must have the same shape");
      int64_t at = axis_argument(evaluator, axis, tensor.ndim() + 1, call.span_of(1));
      shape.insert(shape.begin() + at, 1);
      strides.insert(strides.begin() + at, 0);
      tensor = strided(tensor, shape, strides);
    }
  }
  return concatenate(call, std::move(tensors), axis, dtype, out);
}

Any nonzero(ApiCall& call, const ffi::Tensor& tensor) {
  if (tensor.ndim() == 0) {
    raise("ValueError", call.span, "shape-mismatch",
          "an array of no dimensions has no places: use np.atleast_1d(a).nonzero()");
  }
  Tuple result;
  for (ffi::Tensor& positions : nonzero_positions(tensor)) result.push_back(array_value(positions));
  return result;
}

Any where(ApiCall& call, const Any& condition, const Any& a, const Any& b) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor test = to_tensor(evaluator, condition, call.span_of(0));
  if (is_unbound(a) != is_unbound(b) || (is_none(a) != is_none(b)))
    raise("ValueError", call.span, "wrong-arguments", "either both or neither of x and y should be given");
  if (is_none(a)) return nonzero(call, test);
  test = cast_to(test, DataType::Bool());
  Any operands[] = {a, b};
  DataType dtype = result_type(evaluator, operands, call.span);
  ffi::Tensor x = to_tensor(evaluator, a, call.span_of(1), dtype),
              y = to_tensor(evaluator, b, call.span_of(2), dtype);
  std::optional<Shape> shape = common_shape(shape_of(test), shape_of(x));
  if (shape) shape = common_shape(*shape, shape_of(y));
  if (!shape) {
    raise("ValueError", call.span, "shape-mismatch",
          "operands could not be broadcast together with shapes {} {} {} ", shape_text(shape_of(test)),
          shape_text(shape_of(x)), shape_text(shape_of(y)));
  }
  ffi::Tensor out = make_array(*shape, dtype);
  Operand operands_of[] = {operand_of(test, *shape), operand_of(x, *shape), operand_of(y, *shape),
                           operand_of(out)};
  Walk walk(*shape, operands_of);
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    walk.run([](char* const* p, int64_t n, const int64_t* s) {
      for (int64_t i = 0; i < n; ++i)
        *reinterpret_cast<T*>(p[3] + i * s[3]) =
            load<bool>(p[0] + i * s[0]) ? load<T>(p[1] + i * s[1]) : load<T>(p[2] + i * s[2]);
    });
  });
  return array_value(out);
}

Any concatenate_row(ApiCall& call) {
  auto& p = call.args;
  return concatenate_values(call, p[0], p[1], p[2], p[3], call.api.name == "stack");
}

const ApiRow join_functions[] = {
    {ApiKind::kFunction, "numpy", "concatenate(arrays, axis=0, out=None, *, dtype=None, casting='same_kind')",
     "The arrays joined along a dimension.", concatenate_row},
    {ApiKind::kFunction, "numpy", "concat(arrays, axis=0, out=None, *, dtype=None, casting='same_kind')",
     "The arrays joined along a dimension.", concatenate_row},
    {ApiKind::kFunction, "numpy", "stack(arrays, axis=0, out=None, *, dtype=None, casting='same_kind')",
     "The arrays joined along a new dimension.", concatenate_row},
    {ApiKind::kFunction, "numpy", "where(condition, x=None, y=None)",
     "x where the condition holds, y elsewhere; alone, where it holds.", native(calls<where>)},
    {ApiKind::kFunction, "numpy", "nonzero(a)", "Where the elements are not zero: an array per dimension.",
     native([](ApiCall& call, Any a) {
       return nonzero(call, to_tensor(evaluator_of(call.host), a, call.span_of(0)));
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_join_rows() {
  static const std::vector<ApiRow> rows = with_methods(join_functions, "nonzero");
  return rows;
}

}  // namespace mlc::script
