// SPDX-License-Identifier: Apache-2.0
// Operators of the language on arrays.
#include "frontend/script/numpy/ufunc.h"
#include "frontend/script/types/wide_int.h"

namespace mlc::script {

using syntax::BinOperator;
using syntax::CmpOperator;

Any matmul(Evaluator& evaluator, const Any& left, const Any& right, ir::Span span);  // linalg.cpp

namespace {

// Operators in the order of their enumerations.
constexpr std::string_view binary_names[] = {
    "add",        "subtract",    "multiply",   "matmul",      "divide",      "remainder",   "power",
    "left_shift", "right_shift", "bitwise_or", "bitwise_xor", "bitwise_and", "floor_divide"};
constexpr std::string_view compare_names[] = {"equal",      "not_equal", "less",
                                              "less_equal", "greater",   "greater_equal"};
template <size_t n>
std::array<const UfuncRow*, n> rows_of(const std::string_view (&names)[n]) {
  std::array<const UfuncRow*, n> rows{};
  for (size_t i = 0; i < n; ++i) rows[i] = names[i] == "matmul" ? nullptr : &find_ufunc(names[i]);
  return rows;
}
const UfuncRow& row_of(BinOperator op) {
  static const auto rows = rows_of(binary_names);
  return *rows[static_cast<size_t>(op)];
}
const UfuncRow& row_of(CmpOperator op) {
  static const auto rows = rows_of(compare_names);
  return *rows[static_cast<size_t>(op)];
}

bool takes_part(const Any& value) {
  return is_array_operand(value) || is_integer(value) || is_float(value) || is_list_like(value) ||
         value.type_index() == kTVMFFITensor || unsigned_of(value);
}
void check_operands(Evaluator& evaluator, std::string_view op, const Any& a, const Any& b, ir::Span span) {
  if (takes_part(a) && takes_part(b)) return;
  raise("TypeError", span, "unsupported-operand", "unsupported operand type(s) for {}: '{}' and '{}'", op,
        type_name_of(evaluator, a), type_name_of(evaluator, b));
}

// 1 where an integer is more than any of the type, -1 where it is less than any, 0 where the type has it.
int beyond(const Any& integer, DataType dtype) {
  int bits = dtype.bits() - dtype.is_int();
  Any greatest = whole_of_unsigned(bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1);
  Any least = dtype.is_int() ? whole_inverted(greatest) : Any(int64_t{0});
  return compare_whole(integer, greatest) > 0 ? 1 : compare_whole(integer, least) < 0 ? -1 : 0;
}

// Powers that NumPy's arrays compute another way: x ** 2 and x ** 0.5.
const UfuncRow* quick_power(const Any& a, const Any& b) {
  auto* array = as<ir::NDArrayNode>(a);
  if (array == nullptr || !is_number(b) || is_bool(b)) return nullptr;
  DataType dtype = array->tensor.dtype();
  double exponent = to_double(b);
  if (is_int(b) && exponent == 2) return &find_ufunc("square");  // of bools too, which become int8
  if (!dtype.is_floating()) return nullptr;
  if (exponent == 2) return &find_ufunc("square");
  if (exponent == 0.5) return &find_ufunc("sqrt");
  if (exponent == 1) return &find_ufunc("positive");
  if (exponent == -1) return &find_ufunc("reciprocal");
  return nullptr;
}

}  // namespace

Any array_binary(Evaluator& evaluator, BinOperator op, const Any& a, const Any& b, ir::Span span) {
  if (op == BinOperator::kMult) {
    // "x" * np.int64(3) repeats, as with an int.
    for (bool swapped : {false, true}) {
      const Any& sequence = swapped ? b : a;
      auto* scalar = as<NumpyScalarNode>(swapped ? a : b);
      bool repeats =
          is_str(sequence) || sequence.type_index() == kTVMFFIList || sequence.type_index() == kTVMFFIArray;
      if (repeats && scalar != nullptr &&
          (DataType(scalar->dtype).is_int() || DataType(scalar->dtype).is_uint()))
        return evaluator.binary(op, plain_number(a), plain_number(b), span);
    }
  }
  check_operands(evaluator, op == BinOperator::kPow ? "** or pow()" : syntax::spelling(op), a, b, span);
  if (op == BinOperator::kMatMult) return matmul(evaluator, a, b, span);
  if (op == BinOperator::kPow) {
    if (const UfuncRow* quick = quick_power(a, b)) return call_ufunc(evaluator, *quick, {a}, span);
  }
  return call_ufunc(evaluator, row_of(op), {a, b}, span);
}

bool array_in_place(Evaluator& evaluator, BinOperator op, const Any& a, const Any& b, ir::Span span) {
  check_operands(evaluator, std::string(syntax::spelling(op)) + "=", a, b, span);
  if (op == BinOperator::kMatMult) {
    Any product_value = matmul(evaluator, a, b, span);
    array_assign(evaluator, a, ellipsis(), product_value, span);
    return true;
  }
  UfuncOptions options{.out = a};
  if (op == BinOperator::kPow) {
    if (const UfuncRow* quick = quick_power(a, b)) {
      call_ufunc(evaluator, *quick, {a}, span, options);
      return true;
    }
  }
  call_ufunc(evaluator, row_of(op), {a, b}, span, options);
  return true;
}

Any array_unary(Evaluator& evaluator, syntax::UnaryOperator op, const Any& value, ir::Span span) {
  const UfuncRow& row = op == syntax::UnaryOperator::kInvert ? find_ufunc("invert")
                        : op == syntax::UnaryOperator::kUAdd ? find_ufunc("positive")
                                                             : find_ufunc("negative");
  return call_ufunc(evaluator, row, {value}, span);
}

Any array_compare(Evaluator& evaluator, CmpOperator op, const Any& a, const Any& b, ir::Span span) {
  if (!takes_part(a) || !takes_part(b)) {
    if (op != CmpOperator::kEq && op != CmpOperator::kNotEq) {
      raise("TypeError", span, "unsupported-operand", "'{}' not supported between instances of '{}' and '{}'",
            syntax::spelling(op), type_name_of(evaluator, a), type_name_of(evaluator, b));
    }
    const Any& array = is_array_operand(a) ? a : b;
    return scalar_or_array(filled(shape_of(to_tensor(evaluator, array, span)), DataType::Bool(),
                                  op == CmpOperator::kNotEq ? 1 : 0));
  }
  for (bool swapped : {false, true}) {
    const Any& number = swapped ? a : b;
    if (!is_int(number) && as_wide(number) == nullptr) continue;
    ffi::Tensor array = to_tensor(evaluator, swapped ? b : a, span);
    if (!DataType(array.dtype()).is_int() && !DataType(array.dtype()).is_uint()) continue;
    int side = beyond(number, array.dtype());
    if (side == 0) continue;
    bool less = (side > 0) != swapped;
    bool holds = op == CmpOperator::kNotEq || (less && (op == CmpOperator::kLt || op == CmpOperator::kLtE)) ||
                 (!less && (op == CmpOperator::kGt || op == CmpOperator::kGtE));
    return scalar_or_array(filled(shape_of(array), DataType::Bool(), holds));
  }
  return call_ufunc(evaluator, row_of(op), {a, b}, span);
}

}  // namespace mlc::script
