// SPDX-License-Identifier: Apache-2.0
// Matrix products and einsum.
#include <algorithm>
#include <map>

#include "frontend/script/numpy/matmul.h"
#include "frontend/script/numpy/ufunc.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

Any matmul(Evaluator& evaluator, const Any& left, const Any& right, ir::Span span) {
  Any operands[] = {left, right};
  if (!is_array_operand(left) && !is_list_like(left) && left.type_index() != kTVMFFITensor &&
      !is_number(left)) {
    raise("TypeError", span, "unsupported-operand", "unsupported operand type(s) for @: '{}' and '{}'",
          type_name_of(evaluator, left), type_name_of(evaluator, right));
  }
  DataType dtype = result_type(evaluator, operands, span, true);
  if (is_added_float(dtype)) dtype = DataType::Float(32);
  ffi::Tensor a = to_tensor(evaluator, left, span, dtype), b = to_tensor(evaluator, right, span, dtype);
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
  Shape batch_x(x.begin(), x.end() - 2), batch_y(y.begin(), y.end() - 2);
  std::optional<Shape> common = common_shape(batch_x, batch_y);
  if (!common) {
    raise("ValueError", span, "shape-mismatch",
          "operands could not be broadcast together with remapped shapes [original->remapped]: {}->{} {}->{} "
          "and requested shape {}",
          shape_text(shape_of(a)), shape_text(batch_x), shape_text(shape_of(b)), shape_text(batch_y),
          shape_text(Shape{m, n}));
  }
  Shape batch = *common, full_x = batch, full_y = batch, out_shape = batch;
  full_x.insert(full_x.end(), {m, k});
  full_y.insert(full_y.end(), {k, n});
  out_shape.insert(out_shape.end(), {m, n});
  ffi::Tensor wide_a = broadcast_to(reshape_to(a, x, span), full_x);
  ffi::Tensor wide_b = broadcast_to(reshape_to(b, y, span), full_y);
  ffi::Tensor out = make_array(out_shape, dtype);
  Shape stride_a = strides_of(wide_a), stride_b = strides_of(wide_b);
  size_t dims = batch.size();
  Shape outer_a(stride_a.begin(), stride_a.end() - 2), outer_b(stride_b.begin(), stride_b.end() - 2);
  std::vector<int64_t> at_a, at_b;
  each_offset(strided(wide_a, batch, outer_a), [&](int64_t at) { at_a.push_back(at); });
  each_offset(strided(wide_b, batch, outer_b), [&](int64_t at) { at_b.push_back(at); });
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    for (size_t i = 0; i < at_a.size(); ++i) {
      MatrixView<T> one{data_of<T>(wide_a) + at_a[i], stride_a[dims], stride_a[dims + 1]};
      MatrixView<T> two{data_of<T>(wide_b) + at_b[i], stride_b[dims], stride_b[dims + 1]};
      multiply(one, two, data_of<T>(out) + static_cast<int64_t>(i) * m * n, m, k, n);
    }
  });
  if (vector_b) out_shape.pop_back();
  if (vector_a) out_shape.erase(out_shape.end() - (vector_b ? 1 : 2));
  return scalar_or_array(reshape_to(out, out_shape, span));
}

// np.dot: the last dimension of a with the one before the last of b.
Any matmul_dot(Evaluator& evaluator, const Any& a, const Any& b, ir::Span span) {
  ffi::Tensor x = to_tensor(evaluator, a, span), y = to_tensor(evaluator, b, span);
  if (x.ndim() == 0 || y.ndim() == 0) return call_ufunc(evaluator, find_ufunc("multiply"), {a, b}, span);
  int64_t inner = x.size(x.ndim() - 1);
  int64_t axis = y.ndim() == 1 ? 0 : y.ndim() - 2;
  if (y.size(axis) != inner) {
    raise("ValueError", span, "shape-mismatch", "shapes {} and {} not aligned: {} (dim {}) != {} (dim {})",
          shape_text(shape_of(x)), shape_text(shape_of(y)), inner, x.ndim() - 1, y.size(axis), axis);
  }
  if (x.ndim() <= 2 && y.ndim() <= 2) {
    Any result = matmul(evaluator, array_value(x), array_value(y), span);
    // The product of two bfloat16 arrays is one, unlike that of `@`.
    if (DataType(x.dtype()) != DataType(y.dtype()) || !is_added_float(x.dtype())) return result;
    return scalar_or_array(cast_to(to_tensor(evaluator, result, span), x.dtype()));
  }
  Shape shape(shape_of(x));
  shape.pop_back();
  Shape order{axis};
  for (int64_t d = 0; d < y.ndim(); ++d) {
    if (d == axis) continue;
    order.push_back(d);
    shape.push_back(y.size(d));
  }
  ffi::Tensor left = reshape_to(x, {product(shape_of(x)) / std::max<int64_t>(inner, 1), inner}, span);
  ffi::Tensor turned = transposed(y, order);
  ffi::Tensor right = reshape_to(turned, {inner, y.numel() / std::max<int64_t>(inner, 1)}, span);
  Any result = matmul(evaluator, array_value(left), array_value(right), span);
  return scalar_or_array(reshape_to(to_tensor(evaluator, result, span), shape, span));
}

namespace {

// ---- einsum ----

struct Einsum {
  std::vector<std::string> inputs;
  std::string output;
};
// Letters of the ellipsis are digits beyond the alphabet: \1, \2, ... counted from the right.
Einsum parse_einsum(std::string text, const std::vector<ffi::Tensor>& operands, ir::Span span) {
  std::erase(text, ' ');
  Einsum result;
  std::string left = text, right;
  size_t arrow = text.find("->");
  bool explicit_output = arrow != std::string::npos;
  if (explicit_output) {
    left = text.substr(0, arrow);
    right = text.substr(arrow + 2);
  }
  size_t begin = 0;
  for (;;) {
    size_t comma = left.find(',', begin);
    result.inputs.push_back(left.substr(begin, comma - begin));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  if (result.inputs.size() != operands.size()) {
    raise("ValueError", span, "wrong-value",
          "{} operands provided to einstein sum function than specified in the subscripts string",
          result.inputs.size() < operands.size() ? "more" : "fewer");
  }
  size_t most = 0;
  auto expand = [&](std::string& term, size_t dims) {
    std::string letters;
    for (size_t d = dims; d > 0; --d) letters += static_cast<char>(d);
    size_t dots = term.find("...");
    if (dots != std::string::npos) term.replace(dots, 3, letters);
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string& term = result.inputs[i];
    auto ndim = static_cast<size_t>(operands[i].ndim());
    bool dots = term.find("...") != std::string::npos;
    size_t named = term.size() - (dots ? 3 : 0);
    if (named > ndim) {
      raise("ValueError", span, "wrong-value",
            "einstein sum subscripts string contains too many subscripts for operand {}", i);
    }
    if (named < ndim && !dots) {
      raise("ValueError", span, "wrong-value",
            "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
            "provided to "
            "broadcast the extra dimensions.");
    }
    if (dots) most = std::max(most, ndim - named);
    if (dots) expand(term, ndim - named);
  }
  if (!explicit_output) {
    std::map<char, int> count;
    for (const std::string& term : result.inputs) {
      for (char c : term) ++count[c];
    }
    for (size_t d = most; d > 0; --d) right += static_cast<char>(d);
    for (auto [letter, times] : count) {
      if (letter > 26 && times == 1) right += letter;
    }
  } else {
    expand(right, most);
  }
  for (char c : right) {
    bool known_letter = std::any_of(result.inputs.begin(), result.inputs.end(), [&](const std::string& term) {
      return term.find(c) != std::string::npos;
    });
    if (!known_letter) {
      raise("ValueError", span, "wrong-value",
            "einstein sum subscripts string included output subscript '{}' which never appeared in an input",
            c);
    }
  }
  result.output = right;
  return result;
}

Any einsum(ApiCall& call, const std::string& subscripts, const Tuple& operands, const Any& dtype_value) {
  Evaluator& evaluator = evaluator_of(call.host);
  if (operands.empty()) raise("ValueError", call.span, "wrong-value", "must provide at least an operand");
  if (operands.size() + 1 > Walk::kMost)
    raise("NotImplementedError", call.span, "not-supported", "einsum takes at most {} operands",
          Walk::kMost - 1);
  std::vector<Any> values(operands.begin(), operands.end());
  DataType dtype = is_none(dtype_value) ? result_type(evaluator, values, call.span)
                                        : dtype_argument(evaluator, dtype_value, call.span);
  std::vector<ffi::Tensor> tensors;
  for (const Any& value : values) tensors.push_back(to_tensor(evaluator, value, call.span, dtype));
  Einsum terms = parse_einsum(subscripts, tensors, call.span);
  // Letters: those of the output first, then the summed ones.
  std::string letters = terms.output;
  for (const std::string& term : terms.inputs) {
    for (char c : term) {
      if (letters.find(c) == std::string::npos) letters += c;
    }
  }
  Shape shape(letters.size(), 1);
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t d = 0; d < terms.inputs[i].size(); ++d) {
      int64_t& extent = shape[letters.find(terms.inputs[i][d])];
      int64_t own = tensors[i].size(static_cast<int64_t>(d));
      if (extent != own && extent != 1 && own != 1) {
        raise(
            "ValueError", call.span, "shape-mismatch",
            "operands could not be broadcast together with remapped shapes [original->remapped]: size {} is "
            "different from {} along '{}'",
            own, extent, std::string(1, terms.inputs[i][d]));
      }
      if (extent == 1) extent = own;
    }
  }
  Shape out_shape(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(terms.output.size()));
  ffi::Tensor out = filled(out_shape, dtype, 0);
  int64_t bytes = dtype.bytes();
  std::vector<Operand> walked;
  {
    Operand target = operand_of(out);
    target.strides.resize(letters.size(), 0);
    walked.push_back(target);
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    Operand operand{data_of<char>(tensors[i]), Shape(letters.size(), 0)};
    for (size_t d = 0; d < terms.inputs[i].size(); ++d) {
      if (tensors[i].size(static_cast<int64_t>(d)) != 1)
        operand.strides[letters.find(terms.inputs[i][d])] +=
            tensors[i].stride(static_cast<int64_t>(d)) * bytes;
    }
    walked.push_back(operand);
  }
  Walk walk(shape, walked);
  size_t count = tensors.size();
  with_type(dtype, [&](auto tag) {
    using T = decltype(tag);
    using C = Compute<T>;
    walk.run_in_parts([&](char* const* p, int64_t n, const int64_t* s) {
      auto product_at = [&](int64_t i) {
        C value = static_cast<C>(load<T>(p[1] + i * s[1]));
        for (size_t k = 2; k <= count; ++k)
          value = static_cast<C>(value * static_cast<C>(load<T>(p[k] + i * s[k])));
        return value;
      };
      if (s[0] == 0) {
        C sum = static_cast<C>(load<T>(p[0]));
        for (int64_t i = 0; i < n; ++i) sum = static_cast<C>(sum + product_at(i));
        *reinterpret_cast<T*>(p[0]) = static_cast<T>(sum);
        return;
      }
      for (int64_t i = 0; i < n; ++i) {
        T& target = *reinterpret_cast<T*>(p[0] + i * s[0]);
        target = static_cast<T>(static_cast<C>(target) + product_at(i));
      }
    });
  });
  return scalar_or_array(out);
}

const ApiRow linalg_table[] = {
    {ApiKind::kFunction, "numpy", "matmul(x1, x2, out=None, *, dtype=None)", "The matrix product.",
     native([](ApiCall& call, Any a, Any b, Any out, Any dtype) {
       Evaluator& evaluator = evaluator_of(call.host);
       Any result = matmul(evaluator, a, b, call.span);
       if (is_none(out) && is_none(dtype)) return result;
       ffi::Tensor tensor = to_tensor(evaluator, result, call.span);
       return into_out(cast_to(tensor, dtype_or(call, dtype, 3, tensor.dtype())), out, call.span);
     })},
    {ApiKind::kFunction, "numpy", "dot(a, b, out=None)", "The matrix product; the product of numbers.",
     native([](ApiCall& call, Any a, Any b, Any out) {
       Evaluator& evaluator = evaluator_of(call.host);
       Any result = matmul_dot(evaluator, a, b, call.span);
       return is_none(out) ? result : into_out(to_tensor(evaluator, result, call.span), out, call.span);
     })},
    {ApiKind::kFunction, "numpy",
     "einsum(subscripts, *operands, out=None, dtype=None, order='K', casting='safe', optimize=False)",
     "Sums of products over named dimensions.",
     native([](ApiCall& call, std::string subscripts, Tuple operands, Any out, Any dtype, Any, Any, Any) {
       Any result = einsum(call, subscripts, operands, dtype);
       return is_none(out) ? result
                           : into_out(to_tensor(evaluator_of(call.host), result, call.span), out, call.span);
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_linalg_rows() { return linalg_table; }

}  // namespace mlc::script
