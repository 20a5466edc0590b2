// SPDX-License-Identifier: Apache-2.0
// Arithmetic. The evaluator answers for pairs of small numbers itself; everything else comes here.
#include <cmath>

#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/library.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/numpy/scalar.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/interrupt.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "complex-result",
         .message = "a negative number to a fractional power is complex, which mlc has not",
         .meaning = "mlc has no complex numbers, which a root of a negative number would be.",
         .wrong = "(-8) ** 0.5",
         .right = "8 ** 0.5"},
        {.name = "float-overflow",
         .kind = "OverflowError",
         .message = "(34, 'Numerical result out of range')",
         .meaning = "The result is larger than any float.",
         .wrong = "2.0 ** 5000",
         .right = "2.0 ** 500"},
        {.name = "negative-shift",
         .message = "negative shift count",
         .meaning = "Bits are shifted by a count from 0 on; the other direction is the other operator.",
         .wrong = "1 << -2",
         .right = "1 >> 2"},
    }};
MLC_REFUSALS(types_operators, refusals);

using namespace syntax;  // NOLINT: the operators of the tree
using State = Evaluator::State;

namespace {

struct Special {
  Symbol forward, reflected, in_place;
};
const Special& special_names(BinOperator op) {
  static const Special names[] = {
      {Symbol("__add__"), Symbol("__radd__"), Symbol("__iadd__")},
      {Symbol("__sub__"), Symbol("__rsub__"), Symbol("__isub__")},
      {Symbol("__mul__"), Symbol("__rmul__"), Symbol("__imul__")},
      {Symbol("__matmul__"), Symbol("__rmatmul__"), Symbol("__imatmul__")},
      {Symbol("__truediv__"), Symbol("__rtruediv__"), Symbol("__itruediv__")},
      {Symbol("__mod__"), Symbol("__rmod__"), Symbol("__imod__")},
      {Symbol("__pow__"), Symbol("__rpow__"), Symbol("__ipow__")},
      {Symbol("__lshift__"), Symbol("__rlshift__"), Symbol("__ilshift__")},
      {Symbol("__rshift__"), Symbol("__rrshift__"), Symbol("__irshift__")},
      {Symbol("__or__"), Symbol("__ror__"), Symbol("__ior__")},
      {Symbol("__xor__"), Symbol("__rxor__"), Symbol("__ixor__")},
      {Symbol("__and__"), Symbol("__rand__"), Symbol("__iand__")},
      {Symbol("__floordiv__"), Symbol("__rfloordiv__"), Symbol("__ifloordiv__")},
  };
  return names[static_cast<int>(op)];
}

Any int_power(int64_t base, int64_t exponent, ir::Span span) {
  if (exponent < 0) {
    if (base == 0) {
      raise("ZeroDivisionError", span, "division-by-zero", "0.0 cannot be raised to a negative power");
    }
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  int64_t result = 1;
  int64_t square = base;
  for (int64_t e = exponent; e != 0; e >>= 1) {
    if (((e & 1) != 0 && __builtin_mul_overflow(result, square, &result)) ||
        (e > 1 && __builtin_mul_overflow(square, square, &square)))
      return whole_binary(BinOperator::kPow, base, exponent, span);
  }
  return result;
}

Any int_binary(BinOperator op, int64_t a, int64_t b, ir::Span span) {
  int64_t r;
  switch (op) {
    case BinOperator::kAdd:
      if (__builtin_add_overflow(a, b, &r)) return whole_binary(op, a, b, span);
      return r;
    case BinOperator::kSub:
      if (__builtin_sub_overflow(a, b, &r)) return whole_binary(op, a, b, span);
      return r;
    case BinOperator::kMult:
      if (__builtin_mul_overflow(a, b, &r)) return whole_binary(op, a, b, span);
      return r;
    case BinOperator::kDiv:
      if (b == 0) raise("ZeroDivisionError", span, "division-by-zero", "division by zero");
      // Correctly rounded, as CPython's, also where the ints do not fit a double.
      if (std::abs(static_cast<double>(a)) > 9007199254740992.0 ||
          std::abs(static_cast<double>(b)) > 9007199254740992.0) {
        return static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b));
      }
      return static_cast<double>(a) / static_cast<double>(b);
    case BinOperator::kFloorDiv:
      if (b == 0) raise("ZeroDivisionError", span, "division-by-zero", "integer division or modulo by zero");
      if (b == -1) {
        if (a == INT64_MIN) return whole_binary(op, a, b, span);
        return -a;
      }
      return a / b - ((a % b != 0) && ((a ^ b) < 0));
    case BinOperator::kMod:
      if (b == 0) raise("ZeroDivisionError", span, "division-by-zero", "integer modulo by zero");
      if (b == -1) return int64_t{0};
      r = a % b;
      return r != 0 && (r ^ b) < 0 ? r + b : r;
    case BinOperator::kPow:
      return int_power(a, b, span);
    case BinOperator::kLShift:
      if (b < 0) raise(refusals["negative-shift"], span);
      if (a == 0) return int64_t{0};
      if (b > 62 || (a >> (63 - b)) != (a < 0 ? -1 : 0)) return whole_binary(op, a, b, span);
      return static_cast<int64_t>(static_cast<uint64_t>(a) << b);
    case BinOperator::kRShift:
      if (b < 0) raise(refusals["negative-shift"], span);
      return b > 63 ? (a < 0 ? int64_t{-1} : int64_t{0}) : a >> b;
    case BinOperator::kBitOr:
      return a | b;
    case BinOperator::kBitXor:
      return a ^ b;
    case BinOperator::kBitAnd:
      return a & b;
    case BinOperator::kMatMult:
      break;
  }
  return not_implemented();
}

double float_mod(double a, double b) {
  double r = std::fmod(a, b);
  if (r != 0) {
    if ((b < 0) != (r < 0)) r += b;
  } else {
    r = std::copysign(0.0, b);
  }
  return r;
}
double float_floor_div(double a, double b) {
  double mod = std::fmod(a, b);
  double div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1.0;
  if (div == 0) return std::copysign(0.0, a / b);
  double floored = std::floor(div);
  if (div - floored > 0.5) floored += 1.0;
  return floored;
}

Any float_binary(BinOperator op, double a, double b, ir::Span span) {
  switch (op) {
    case BinOperator::kAdd:
      return a + b;
    case BinOperator::kSub:
      return a - b;
    case BinOperator::kMult:
      return a * b;
    case BinOperator::kDiv:
      if (b == 0) raise("ZeroDivisionError", span, "division-by-zero", "float division by zero");
      return a / b;
    case BinOperator::kFloorDiv:
      if (b == 0) raise("ZeroDivisionError", span, "division-by-zero", "float floor division by zero");
      return float_floor_div(a, b);
    case BinOperator::kMod:
      if (b == 0) raise("ZeroDivisionError", span, "division-by-zero", "float modulo");
      return float_mod(a, b);
    case BinOperator::kPow: {
      if (a == 0 && b < 0 && std::isfinite(b)) {
        raise("ZeroDivisionError", span, "division-by-zero", "0.0 cannot be raised to a negative power");
      }
      if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
        raise(refusals["complex-result"], span);
      }
      double r = std::pow(a, b);
      if (std::isinf(r) && std::isfinite(a) && std::isfinite(b)) {
        raise(refusals["float-overflow"], span);
      }
      return r;
    }
    default:
      return not_implemented();
  }
}

List repeat(const Any& sequence, int64_t times) {
  std::span<Any> all = elements(sequence);
  List result;
  if (all.empty()) times = 0;
  if (times > 0) result.reserve(static_cast<int64_t>(all.size()) * times);
  for (int64_t i = 0; i < times; ++i) {
    if ((i & 0xffff) == 0xffff) ir::heed_interrupt();
    for (const Any& each : all) result.push_back(each);
  }
  return result;
}

// A repetition must fit into memory by a wide margin.
void check_repeat(size_t size, int64_t times, ir::Span span) {
  if (times > 0 && size > 0 && static_cast<uint64_t>(times) > (uint64_t{1} << 30) / size) {
    raise("MemoryError", span, "too-large", "a sequence of {} x {} elements is too large", times, size);
  }
}

std::string repeated_text(std::string_view text, int64_t times) {
  if (text.empty() || times <= 0) return "";
  size_t size = text.size() * static_cast<size_t>(times);
  std::string result(text);
  result.reserve(size);
  while (result.size() < size) {
    ir::heed_interrupt();
    result.append(result, 0, std::min(size - result.size(), size_t{1} << 24));
  }
  return result;
}
Any sequence_repeat(const Any& a, int64_t times, ir::Span span) {
  if (is_str(a)) {
    std::string_view text = text_of(a);
    check_repeat(text.size(), times, span);
    return str_value(repeated_text(text, times));
  }
  if (is_bytes(a)) {
    std::string part = bytes_of(a);
    check_repeat(part.size(), times, span);
    return ffi::Bytes(repeated_text(part, times));
  }
  check_repeat(elements(a).size(), times, span);
  List result = repeat(a, times);
  if (a.type_index() == kTVMFFIList) return result;
  return Tuple(result.begin(), result.end());
}
bool repeats(const Any& value) {
  return is_str(value) || is_bytes(value) || value.type_index() == kTVMFFIList ||
         value.type_index() == kTVMFFIArray;
}

// An array of TVM.
bool is_array(const Any& value) { return value.type_index() == kTVMFFIArray && !Tuple::is(value); }
// Two tuples or shapes; to an array of TVM, lists too.
bool are_added(const Any& a, const Any& b, bool array) {
  auto fits = [&](const Any& each) {
    return each.type_index() == kTVMFFIArray || each.type_index() == kTVMFFIShape ||
           (array && each.type_index() == kTVMFFIList);
  };
  return fits(a) && fits(b);
}

[[noreturn]] void unsupported(Evaluator& evaluator, std::string_view op, const Any& a, const Any& b,
                              ir::Span span) {
  raise("TypeError", span, "unsupported-operand", "unsupported operand type(s) for {}: '{}' and '{}'", op,
        type_name_of(evaluator, a), type_name_of(evaluator, b));
}

Any builtin_binary(Evaluator& evaluator, BinOperator op, const Any& a, const Any& b, ir::Span span) {
  if (auto* x = as_wide(a), *y = as_wide(b); x != nullptr || y != nullptr) {
    if ((x != nullptr || is_integer(a)) && (y != nullptr || is_integer(b)))
      return whole_binary(op, a, b, span);
    if (is_float(a) || is_float(b)) {
      return float_binary(op, x ? double_of(*x) : raw_float(a), y ? double_of(*y) : raw_float(b), span);
    }
  }
  if (is_integer(a) && is_integer(b)) {
    if (is_bool(a) && is_bool(b)) {
      if (op == BinOperator::kBitAnd) return raw_int(a) != 0 && raw_int(b) != 0;
      if (op == BinOperator::kBitOr) return raw_int(a) != 0 || raw_int(b) != 0;
      if (op == BinOperator::kBitXor) return raw_int(a) != raw_int(b);
    }
    return int_binary(op, raw_int(a), raw_int(b), span);
  }
  if (is_number(a) && is_number(b)) return float_binary(op, to_double(a), to_double(b), span);
  switch (op) {
    case BinOperator::kAdd:
      if (is_str(a) && is_str(b)) {
        std::string text(text_of(a));
        text += text_of(b);
        return str_value(text);
      }
      if (is_bytes(a) && is_bytes(b)) return ffi::Bytes(bytes_of(a) + bytes_of(b));
      if (a.type_index() == b.type_index() && a.type_index() == kTVMFFIList) {
        List result(elements(a).begin(), elements(a).end());
        for (const Any& value : elements(b)) result.push_back(value);
        return result;
      }
      if (bool array = is_array(a) || is_array(b); are_added(a, b, array)) {
        std::vector<Any> all = evaluator.elements_of(a);
        for (Any& value : evaluator.elements_of(b)) all.push_back(std::move(value));
        if (array) return ir::Array<Any>(all.begin(), all.end());
        return Tuple(all.begin(), all.end());
      }
      break;
    case BinOperator::kMult:
      if (repeats(a) && is_integer(b)) return sequence_repeat(a, raw_int(b), span);
      if (is_integer(a) && repeats(b)) return sequence_repeat(b, raw_int(a), span);
      break;
    case BinOperator::kMod:
      if (is_bytes(a))
        raise("NotImplementedError", span, "not-supported",
              "formatting of bytes is left out: format a str and encode() it");
      if (is_str(a)) return str_value(percent_format(evaluator, text_of(a), b, span));
      break;
    case BinOperator::kBitOr:
      if (a.type_index() == kTVMFFIDict && b.type_index() == kTVMFFIDict) {
        Dict result;
        for (const Any& each : {a, b}) {
          for (const auto& [key, value] : *static_cast<ffi::MapBaseObj*>(raw_object(each))) {
            dict_set(evaluator, result, plain_key(key), value);
          }
        }
        return result;
      }
      break;
    default:
      break;
  }
  return set_binary(evaluator, op, a, b, span);
}

bool is_class(const Any& value) {
  auto* api = as<ApiFunctionNode>(value);
  return as<ClassNode>(value) != nullptr || (api != nullptr && api->api->row.kind == ir::ApiKind::kClass);
}
// `T.Buffer`: what annotates parameters of script functions annotates those that make them: `T.Buffer | None`.
bool is_buffer_annotation(const Any& value) {
  auto* api = as<ApiFunctionNode>(value);
  return api != nullptr && api->api->name == "Buffer" && api->api->row.owner == "tvm.script.tirx";
}
// `int | None`: a type for annotations and isinstance().
Any union_of(Evaluator& evaluator, const Any& a, const Any& b) {
  for (const Any& each : {a, b}) {
    if (is_buffer_annotation(each)) continue;
    if (!is_class(each) && !is_none(each) && !is_generic_alias(each)) return not_implemented();
  }
  Any args[] = {a, b};
  return evaluator.call(library_member(evaluator, "typing", "_union"), args);
}

}  // namespace

Any Evaluator::binary(BinOperator op, const Any& a, const Any& b, ir::Span span) {
  if (is_object(a) || is_object(b)) {
    if ((is_ir_value(a) || is_ir_value(b)) && !(op == BinOperator::kMod && is_str(a))) {
      // `n @ Axis.laneid`, `T.S[8] + n`: the other side may be an object that knows the operator.
      bool swapped = is_ir_value(a);
      const Any& object = swapped ? b : a;
      const ir::Api* own = nullptr;
      if (is_object(object) && !is_ir_value(object) && !is_str(object)) {
        Symbol name = swapped ? special_names(op).reflected : special_names(op).forward;
        own = ir::ApiRegistry::global().method(object.type_index(), name.str());
      }
      if (own == nullptr) return ir_binary(op, plain_number(a), plain_number(b), span);
    }
    bool left_array = is_array_operand(a), right_array = is_array_operand(b);
    auto* left = as<InstanceNode>(a);
    auto* right = as<InstanceNode>(b);
    const Special& names = special_names(op);
    // A scalar of numpy is a number to an object that knows the operator, as tensors of te do.
    auto knows = [](const Any& object, Symbol name) {
      return is_object(object) &&
             ir::ApiRegistry::global().method(object.type_index(), name.str()) != nullptr;
    };
    if (left_array && numpy_scalar_dtype(a) && knows(b, names.reflected)) left_array = false;
    if (right_array && numpy_scalar_dtype(b) && knows(a, names.forward)) right_array = false;
    // A str formats whatever stands beside it, unless that is a str with an operator of its own.
    bool formats = op == BinOperator::kMod && is_str(a) && right != nullptr &&
                   (!is_str(right->payload) || right->cls->find(names.reflected) == nullptr);
    if ((left != nullptr || right != nullptr) && !formats) {
      Any result;
      const Any* forward = left == nullptr ? nullptr : left->cls->find(names.forward);
      const Any* reflected = right == nullptr ? nullptr : right->cls->find(names.reflected);
      bool right_first = left != nullptr && right != nullptr && reflected != nullptr &&
                         left->cls.get() != right->cls.get() && right->cls->derives_from(left->cls.get()) &&
                         reflected != left->cls->find(names.reflected);
      bool asks_left = forward != nullptr || (left != nullptr && !is_none(left->payload));
      bool asks_right = reflected != nullptr || (right != nullptr && !is_none(right->payload));
      auto try_right = [&] {
        return asks_right && state_->special(b, names.reflected, std::span<const Any>(&a, 1), result, span) &&
               !result.same_as(not_implemented());
      };
      if (right_first && try_right()) return result;
      if (asks_left && state_->special(a, names.forward, std::span<const Any>(&b, 1), result, span) &&
          !result.same_as(not_implemented())) {
        return result;
      }
      // Objects of one class have been asked already.
      bool alike = left != nullptr && right != nullptr && left->cls.get() == right->cls.get();
      if (!right_first && !(alike && forward != nullptr) && try_right()) return result;
    } else if ((left_array || right_array) && !(op == BinOperator::kMod && is_str(a))) {
      return array_binary(*this, op, a, b, span);
    } else {
      for (bool swapped : {false, true}) {
        const Any& object = swapped ? b : a;
        if (!is_object(object)) continue;
        Symbol name = swapped ? names.reflected : names.forward;
        if (auto* cls = as<ClassNode>(object); cls != nullptr && cls->metaclass) {
          Any made;
          if (state_->special(object, name, std::span<const Any>(swapped ? &a : &b, 1), made, span) &&
              !made.same_as(not_implemented()))
            return made;
        }
        Any made;
        if (state_->registered(object, name.str(), std::span<const Any>(swapped ? &a : &b, 1), made, span))
          return made;
      }
    }
  }
  Any result = builtin_binary(*this, op, a, b, span);
  if (op == BinOperator::kBitOr && result.same_as(not_implemented()) &&
      (is_class(a) || is_class(b) || is_generic_alias(a) || is_generic_alias(b) || is_buffer_annotation(a) ||
       is_buffer_annotation(b)))
    result = union_of(*this, a, b);
  if (result.same_as(not_implemented())) unsupported(*this, spelling(op), a, b, span);
  return result;
}

Any Evaluator::in_place(BinOperator op, const Any& a, const Any& b, ir::Span span) {
  if (is_object(a)) {
    if (a.type_index() == kTVMFFIList && op == BinOperator::kAdd) {
      auto list = a.cast<List>();
      each_of(b, span, [&](Any& value) {
        list.push_back(value);
        return true;
      });
      return a;
    }
    if (a.type_index() == kTVMFFIList && op == BinOperator::kMult && is_integer(b)) {
      List repeated = sequence_repeat(a, raw_int(b), span).cast<List>();
      a.cast<List>().Assign(repeated.begin(), repeated.end());
      return a;
    }
    if (a.type_index() == kTVMFFIDict && op == BinOperator::kBitOr) {
      Any update = attribute(a, Symbol("update"), span);
      call(update, std::span<const Any>(&b, 1), {}, span);
      return a;
    }
    if (auto* set = as<SetNode>(a); set != nullptr && as<SetNode>(b) && !set->frozen) {
      Any result = op == BinOperator::kBitOr ? Any(nullptr) : set_binary(*this, op, a, b, span);
      if (op == BinOperator::kBitOr) set_update(*this, set, b, span);
      if (auto* other = as<SetNode>(result)) set->take(*other);
      if (!result.same_as(not_implemented())) return a;
    }
    Any result;
    if (state_->special(a, special_names(op).in_place, std::span<const Any>(&b, 1), result, span) &&
        !result.same_as(not_implemented())) {
      return result;
    }
    if (as<ir::NDArrayNode>(a) != nullptr && array_in_place(*this, op, a, b, span)) return a;
  }
  return binary(op, a, b, span);
}

Any Evaluator::unary(UnaryOperator op, const Any& a, ir::Span span) {
  if (op == UnaryOperator::kNot) return !truth(a, span);
  if (is_integer(a)) {
    int64_t value = raw_int(a);
    if (op == UnaryOperator::kInvert) return ~value;
    if (op == UnaryOperator::kUAdd) return value;
    if (value == INT64_MIN) return whole_negated(a);
    return -value;
  }
  if (is_float(a) && op != UnaryOperator::kInvert) {
    return op == UnaryOperator::kUSub ? -raw_float(a) : raw_float(a);
  }
  if (is_object(a)) {
    if (as_wide(a) != nullptr)
      return op == UnaryOperator::kUAdd   ? a
             : op == UnaryOperator::kUSub ? whole_negated(a)
                                          : whole_inverted(a);
    if (is_ir_value(a)) return ir_unary(op, a, span);
    if (is_array_operand(a)) return array_unary(*this, op, a, span);
    Any result;
    Symbol name = op == UnaryOperator::kUSub   ? known().neg
                  : op == UnaryOperator::kUAdd ? known().pos
                                               : known().invert;
    if (state_->special(a, name, {}, result, span) || state_->registered(a, name.str(), {}, result, span))
      return result;
  }
  raise("TypeError", span, "unsupported-operand", "bad operand type for unary {}: '{}'", spelling(op),
        type_name_of(*this, a));
}

}  // namespace mlc::script
