// SPDX-License-Identifier: Apache-2.0
// tvm.testing.assert_allclose, with NumPy's report.
#include <algorithm>
#include <cmath>

#include "frontend/script/numpy/array.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

// Numbers are compared as doubles; everything in range is exact but the last bits of 64-bit integers.
struct Operands {
  ffi::Tensor a, b;  // float64, broadcast, row-major
  ffi::Tensor shown_a, shown_b;
  DataType dtype;
};

Operands operands(ApiCall& call, const Any& a, const Any& b) {
  Evaluator& evaluator = evaluator_of(call.host);
  Operands result;
  result.shown_a = to_tensor(evaluator, a, call.span_of(0));
  result.shown_b = to_tensor(evaluator, b, call.span_of(1));
  result.dtype = promote(result.shown_a.dtype(), result.shown_b.dtype());
  Shape shape = broadcast_shapes(shape_of(result.shown_a), shape_of(result.shown_b), call.span);
  result.a = row_major(broadcast_to(result.shown_a, shape), DataType::Float(64));
  result.b = row_major(broadcast_to(result.shown_b, shape), DataType::Float(64));
  return result;
}

bool close(double x, double y, double rtol, double atol, bool equal_nan) {
  if (std::isnan(x) || std::isnan(y)) return equal_nan && std::isnan(x) && std::isnan(y);
  if (std::isinf(x) || std::isinf(y)) return x == y;
  return std::abs(x - y) <= atol + rtol * std::abs(y);
}

std::string tolerance_text(double value) { return fmt::format("{:.6g}", value); }
std::string percent(double value) { return fmt::format("{:.3g}", value); }

// How NumPy prints one number of this type in its reports.
std::string number_text(double value, DataType dtype) {
  if (!dtype.is_float())
    return dtype.is_bool() ? (value != 0 ? "True" : "False") : fmt::format("{}", static_cast<int64_t>(value));
  return ir::shortest_float(value, 64);
}

std::string index_text(const Shape& shape, int64_t flat) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  std::string text = "[";
  for (size_t d = 0; d < index.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(index[d]);
  return text + "]";
}

// At most three lines of an array.
std::string label(std::string_view name, const ffi::Tensor& tensor) {
  std::string text = ir::array_text(tensor, ir::ArrayStyle::kRepr);
  if (std::count(text.begin(), text.end(), '\n') > 3) {
    size_t end = 0;
    for (int line = 0; line < 3; ++line) end = text.find('\n', end) + 1;
    text = text.substr(0, end - 1) + "...";
  }
  return fmt::format("\n {}: {}", name, text);
}

// A number as an array of no dimensions prints it: "3.", "6.66669964e-09".
std::string array_number(double value, DataType dtype) {
  std::string text = ir::array_text(filled({}, dtype, value), ir::ArrayStyle::kRepr);
  size_t begin = text.find('(') + 1;
  return text.substr(begin, text.find_first_of(",)", begin) - begin);
}

[[noreturn]] void fail(ApiCall& call, const Operands& values, std::string message, std::string_view what) {
  throw ir::Error("arrays-differ", "\n{}\n\n{}{}{}", what, message, label("ACTUAL", values.shown_a),
                  label("DESIRED", values.shown_b))
      .kind("AssertionError")
      .at(call.span);
}

Any assert_allclose(ApiCall& call, const Any& a, const Any& b, double rtol, double atol, bool equal_nan) {
  Evaluator& evaluator = evaluator_of(call.host);
  Shape x_shape = shape_of(to_tensor(evaluator, a, call.span_of(0))),
        y_shape = shape_of(to_tensor(evaluator, b, call.span_of(1)));
  std::string what =
      fmt::format("Not equal to tolerance rtol={}, atol={}", tolerance_text(rtol), tolerance_text(atol));
  if (x_shape != y_shape && !x_shape.empty() && !y_shape.empty()) {
    Operands shown;
    shown.shown_a = to_tensor(evaluator, a, call.span_of(0));
    shown.shown_b = to_tensor(evaluator, b, call.span_of(1));
    auto spaced = [](const Shape& shape) {
      std::string text = "(";
      for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
      return text + (shape.size() == 1 ? ",)" : ")");
    };
    fail(call, shown, fmt::format("(shapes {}, {} mismatch)", spaced(x_shape), spaced(y_shape)), what);
  }
  Operands values = operands(call, a, b);
  int64_t count = values.a.numel(), wrong = 0, nan_only = 0;
  bool single = values.dtype.is_float() && values.dtype.bits() == 32;
  auto narrow = [&](double value) { return single ? static_cast<double>(static_cast<float>(value)) : value; };
  double worst = 0, worst_relative = 0;
  bool some_relative = false;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count; ++i) {
    double x = data_of<double>(values.a)[i], y = data_of<double>(values.b)[i];
    nan_only += std::isnan(x) != std::isnan(y);
    if (close(x, y, rtol, atol, equal_nan)) continue;
    ++wrong;
    if (places.size() < 5) places.push_back(i);
    double distance = narrow(std::abs(x - y));
    worst = std::max(worst, distance);
    if (y != 0) {
      worst_relative = std::max(worst_relative, narrow(distance / std::abs(y)));
      some_relative = true;
    }
  }
  if (wrong == 0) return nullptr;
  if (nan_only > 0 && equal_nan) fail(call, values, "nan location mismatch:", what);
  Shape shape = shape_of(values.a);
  std::string message = fmt::format("Mismatched elements: {} / {} ({}%)", wrong, count,
                                    percent(100.0 * static_cast<double>(wrong) / static_cast<double>(count)));
  if (!shape.empty()) {
    message += wrong == 1   ? "\nMismatch at index:"
               : wrong <= 5 ? "\nMismatch at indices:"
                            : "\nFirst 5 mismatches are at indices:";
    for (int64_t place : places) {
      message += fmt::format("\n {}: {} (ACTUAL), {} (DESIRED)", index_text(shape, place),
                             number_text(data_of<double>(values.a)[place], values.shown_a.dtype()),
                             number_text(data_of<double>(values.b)[place], values.shown_b.dtype()));
    }
  }
  DataType real = values.dtype.is_float() ? values.dtype : DataType::Float(64);
  message += "\nMax absolute difference among violations: " +
             array_number(worst, values.dtype.is_bool() ? real : values.dtype);
  message += "\nMax relative difference among violations: " +
             (some_relative ? array_number(worst_relative, real) : std::string("inf"));
  fail(call, values, message, what);
}

const ApiRow rows[] = {
    {ApiKind::kFunction, "tvm.testing",
     "assert_allclose(actual, desired, rtol=1e-07, atol=1e-07, verbose=True)",
     "Raises AssertionError with a report unless all elements are close.",
     native([](ApiCall& call, Any a, Any b, double rtol, double atol, bool) {
       return assert_allclose(call, a, b, rtol, atol, true);
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_testing_rows() { return rows; }

}  // namespace mlc::script
