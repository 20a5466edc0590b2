// SPDX-License-Identifier: Apache-2.0
// Reductions: sums and their like by the folds of ufuncs, running sums.
#include "frontend/script/numpy/rows.h"
#include "frontend/script/numpy/ufunc.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;

namespace {

bool truth(ApiCall& call, const Any& value) { return evaluator_of(call.host).truth(value); }

struct Reduction {
  Any array, axis, dtype, out;
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
  refuse_where(asked.where, call.span);
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
  return into_out(fold_tensor(row, tensor, options, call.span), asked.out, call.span);
}

Any cumulative(ApiCall& call, std::string_view ufunc, const Any& value, const Any& axis, const Any& dtype,
               const Any& out) {
  Evaluator& evaluator = evaluator_of(call.host);
  ffi::Tensor tensor = to_tensor(evaluator, value, call.span_of(0));
  if (is_none(axis) || tensor.ndim() == 0) tensor = reshape_to(tensor, {-1}, call.span);
  int64_t at = is_none(axis) ? 0 : axis_argument(evaluator, axis, tensor.ndim(), call.span_of(1));
  return into_out(
      accumulate_tensor(find_ufunc(ufunc), tensor, at,
                        is_none(dtype) ? DataType::Void() : dtype_argument(evaluator, dtype, call.span_of(2)),
                        call.span),
      out, call.span);
}

// The parameters of each group of rows, in the order of call.args.
#define MLC_NP_SUM "(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True)"
#define MLC_NP_EXTREME "(a, axis=None, out=None, keepdims=False, initial=None, where=True)"
#define MLC_NP_LOGIC "(a, axis=None, out=None, keepdims=False, *, where=True)"
#define MLC_NP_RUNNING "(a, axis=None, dtype=None, out=None)"

template <const char* ufunc>
Any sum_row(ApiCall& call) {
  auto& p = call.args;
  return reduce(call, ufunc, {p[0], p[1], p[2], p[3], truth(call, p[4]), p[5], p[6]});
}
template <const char* ufunc>
Any extreme_row(ApiCall& call) {
  auto& p = call.args;
  return reduce(call, ufunc, {p[0], p[1], nullptr, p[2], truth(call, p[3]), p[4], p[5]});
}
template <const char* ufunc>
Any logic_row(ApiCall& call) {
  auto& p = call.args;
  return reduce(call, ufunc, {p[0], p[1], nullptr, p[2], truth(call, p[3]), nullptr, p[4]});
}
template <const char* ufunc>
Any running_row(ApiCall& call) {
  auto& p = call.args;
  return cumulative(call, ufunc, p[0], p[1], p[2], p[3]);
}
constexpr char kAdd[] = "add", kMultiply[] = "multiply", kMaximum[] = "maximum", kMinimum[] = "minimum",
               kOr[] = "logical_or", kAnd[] = "logical_and";

constexpr auto kFunction = ApiKind::kFunction;
const ApiRow reduce_functions[] = {
    {kFunction, "numpy", "sum" MLC_NP_SUM, "The sum of the elements.", sum_row<kAdd>},
    {kFunction, "numpy", "prod" MLC_NP_SUM, "The product of the elements.", sum_row<kMultiply>},
    {kFunction, "numpy", "max" MLC_NP_EXTREME, "The greatest element.", extreme_row<kMaximum>},
    {kFunction, "numpy", "amax" MLC_NP_EXTREME, "The greatest element.", extreme_row<kMaximum>},
    {kFunction, "numpy", "min" MLC_NP_EXTREME, "The least element.", extreme_row<kMinimum>},
    {kFunction, "numpy", "amin" MLC_NP_EXTREME, "The least element.", extreme_row<kMinimum>},
    {kFunction, "numpy", "any" MLC_NP_LOGIC, "Is some element true?", logic_row<kOr>},
    {kFunction, "numpy", "all" MLC_NP_LOGIC, "Are all elements true?", logic_row<kAnd>},
    {kFunction, "numpy", "cumsum" MLC_NP_RUNNING, "Running sums.", running_row<kAdd>},
    {kFunction, "numpy", "cumprod" MLC_NP_RUNNING, "Running products.", running_row<kMultiply>},
};

}  // namespace

std::span<const ir::ApiRow> np_reduce_rows() {
  static const std::vector<ApiRow> rows =
      with_methods(reduce_functions, "sum prod max min any all cumsum cumprod");
  return rows;
}

}  // namespace mlc::script
