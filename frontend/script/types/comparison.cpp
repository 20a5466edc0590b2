// SPDX-License-Identifier: Apache-2.0
// Comparison, truth, equality and membership of all that the evaluator does not answer itself.
#include <algorithm>
#include <cmath>

#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/types/arithmetic.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-truth-value",
         .message = "cannot use and / or / not or a condition on an expression that is not known yet: `{}`",
         .meaning = "An expression of the IR is known when the compiled code runs; a script that asks for "
                    "its truth asks too early.",
         .wrong = R"(import tvm
n = tvm.tirx.Var("n", "int32")
if n > 0:
    print(n))",
         .right = R"(import tvm
n = tvm.tirx.Var("n", "int32")
print(n > 0))"},
    }};
MLC_REFUSALS(types_comparison, refusals);

using namespace syntax;  // NOLINT: the operators of the tree
using State = Evaluator::State;

namespace {

CmpOperator reflected(CmpOperator op) {
  using enum CmpOperator;
  return op == kLt ? kGt : op == kLtE ? kGtE : op == kGt ? kLt : op == kGtE ? kLtE : op;
}

Symbol method_of(CmpOperator op) {
  static const Symbol names[] = {Symbol("__eq__"), Symbol("__ne__"), Symbol("__lt__"),
                                 Symbol("__le__"), Symbol("__gt__"), Symbol("__ge__")};
  return names[static_cast<int>(op)];
}

template <class T>
bool ordered(CmpOperator op, const T& a, const T& b) {
  switch (op) {
    case CmpOperator::kLt:
      return a < b;
    case CmpOperator::kLtE:
      return a <= b;
    case CmpOperator::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

// -1, 0, 1 of an int and a float, exactly; 2 when the float is not a number.
int compare_mixed(int64_t a, double b) {
  if (std::isnan(b)) return 2;
  if (b >= 9223372036854775808.0) return -1;
  if (b < -9223372036854775808.0) return 1;
  double whole = std::floor(b);
  auto whole_int = static_cast<int64_t>(whole);
  if (a != whole_int) return a < whole_int ? -1 : 1;
  return b > whole ? -1 : 0;
}

// Objects of classes, and classes of a metaclass.
bool has_written_methods(const Any& value) {
  if (as<InstanceNode>(value)) return true;
  auto* cls = as<ClassNode>(value);
  return cls != nullptr && cls->metaclass;
}

bool is_subset(Evaluator& evaluator, const SetNode& a, const SetNode& b) {
  if (a.used > b.used) return false;
  for (const Any& value : a.elements()) {
    if (!b.contains(evaluator, value)) return false;
  }
  return true;
}

bool is_sequence(const Any& value) {
  return value.type_index() == kTVMFFIArray || value.type_index() == kTVMFFIShape;
}

bool is_plain_sequence(const Any& value) {
  return value.type_index() == kTVMFFIArray || value.type_index() == kTVMFFIList;
}
// Two lists or two tuples; an array of TVM equals both.
bool are_alike(const Any& a, const Any& b) {
  if (!is_plain_sequence(a) || !is_plain_sequence(b)) return false;
  return a.type_index() == b.type_index() || !(Tuple::is(a) || Tuple::is(b));
}

// The first place where two lists or two tuples differ, or the length of the shorter one. A list may change
// while its elements are compared.
size_t first_difference(Evaluator& evaluator, const Any& a, const Any& b) {
  size_t i = 0;
  for (; i < elements(a).size() && i < elements(b).size(); ++i) {
    const Any& here = elements(a)[i];
    const Any& there = elements(b)[i];
    if (is_int(here) && is_int(there)) {
      if (raw_int(here) != raw_int(there)) break;
      continue;
    }
    OwnedValue x(copy(here)), y(copy(there));
    if (!borrow(x.words).same_as(borrow(y.words)) && !evaluator.equal(borrow(x.words), borrow(y.words)))
      break;
  }
  return i;
}
bool equal_elements(Evaluator& evaluator, const Any& a, const Any& b) {
  evaluator.state().check_stack();
  size_t size = elements(a).size();
  return size == elements(b).size() && first_difference(evaluator, a, b) == size &&
         elements(a).size() == size;
}

}  // namespace

bool Evaluator::truth(const Any& value, ir::Span span) {
  switch (value.type_index()) {
    case kTVMFFINone:
      return false;
    case kTVMFFIBool:
    case kTVMFFIInt:
      return raw_int(value) != 0;
    case kTVMFFIFloat:
      return raw_float(value) != 0;
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return !text_of(value).empty();
    case kTVMFFIList:
    case kTVMFFIArray:
      return !elements(value).empty();
    case kTVMFFIDict:
    case kTVMFFIMap:
      return static_cast<ffi::MapBaseObj*>(raw_object(value))->size() != 0;
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
    case kTVMFFIShape:
      return length(value) != 0;
    default:
      break;
  }
  if (!is_object(value)) return true;
  if (has_written_methods(value)) {
    Any result;
    if (state_->special(value, known().boolean, {}, result, span)) {
      if (!is_bool(result)) {
        raise("TypeError", span, "wrong-type", "__bool__ should return bool, returned {}",
              type_name_of(*this, result));
      }
      return raw_int(result) != 0;
    }
    auto* instance = as<InstanceNode>(value);
    const ClassNode* type = instance != nullptr ? instance->cls.get() : as<ClassNode>(value)->metaclass.get();
    return type->find(known().len) == nullptr || length(value, span) != 0;
  }
  if (as<RangeNode>(value) || as<SetNode>(value) || as<DictViewNode>(value)) return length(value, span) != 0;
  if (is_array_operand(value)) return array_truth(value, span);
  if (is_ir_value(value)) {
    if (std::optional<bool> known = ir_truth(value)) return *known;
    raise(refusals["no-truth-value"], span, repr(value));
  }
  return true;
}

namespace {

// Integers of any size with each other and with floats: how `a` is ordered to `b`, 2 for none. None where one
// is no number.
std::optional<int> order_of_wide(const Any& a, const Any& b) {
  auto *x = as_wide(a), *y = as_wide(b);
  if (x == nullptr && y == nullptr) return std::nullopt;
  if ((x != nullptr || is_integer(a)) && (y != nullptr || is_integer(b))) return compare_whole(a, b);
  if (is_float(b)) return compare_whole(a, raw_float(b));
  if (!is_float(a)) return std::nullopt;
  int order = compare_whole(b, raw_float(a));
  return order == 2 ? 2 : -order;
}

}  // namespace

bool Evaluator::equal(const Any& a, const Any& b) {
  if (is_number(a) && is_number(b)) {
    if (is_integer(a) && is_integer(b)) return raw_int(a) == raw_int(b);
    if (is_float(a) && is_float(b)) return raw_float(a) == raw_float(b);
    return is_float(a) ? compare_mixed(raw_int(b), raw_float(a)) == 0
                       : compare_mixed(raw_int(a), raw_float(b)) == 0;
  }
  if (is_str(a) && is_str(b)) return text_of(a) == text_of(b);
  if (a.same_as(b)) return true;
  if (!is_object(a) && !is_object(b)) return false;
  if (std::optional<int> order = order_of_wide(a, b)) return *order == 0;
  if (are_alike(a, b)) return equal_elements(*this, a, b);
  return truth(compare(CmpOperator::kEq, a, b));
}

Any Evaluator::compare(CmpOperator op, const Any& a, const Any& b, ir::Span span) {
  switch (op) {
    case CmpOperator::kIs:
    case CmpOperator::kIsNot:
      return is_same(a, b) == (op == CmpOperator::kIs);
    case CmpOperator::kIn:
    case CmpOperator::kNotIn:
      return contains(b, a, span) == (op == CmpOperator::kIn);
    default:
      break;
  }
  bool equality = op == CmpOperator::kEq || op == CmpOperator::kNotEq;
  auto same_as_wanted = [&](bool same) { return Any(same == (op == CmpOperator::kEq)); };
  if (is_bytes(a) && is_bytes(b))
    return equality ? same_as_wanted(bytes_of(a) == bytes_of(b)) : Any(ordered(op, bytes_of(a), bytes_of(b)));
  if (is_number(a) && is_number(b)) {
    if (equality) return same_as_wanted(equal(a, b));
    if (is_integer(a) && is_integer(b)) return ordered(op, raw_int(a), raw_int(b));
    if (is_float(a) && is_float(b)) return ordered(op, raw_float(a), raw_float(b));
    int sign =
        is_float(b) ? compare_mixed(raw_int(a), raw_float(b)) : compare_mixed(raw_int(b), raw_float(a));
    if (sign == 2) return false;
    return ordered(op, is_float(b) ? sign : -sign, 0);
  }
  if (is_str(a) && is_str(b)) {
    if (equality) return same_as_wanted(text_of(a) == text_of(b));
    return ordered(op, text_of(a), text_of(b));  // UTF-8 keeps the order of code points
  }
  if (is_object(a) || is_object(b)) {
    if (std::optional<int> order = order_of_wide(a, b)) {
      if (equality) return same_as_wanted(*order == 0);
      return *order == 2 ? Any(false) : Any(ordered(op, *order, 0));
    }
    if (is_ir_value(a) || is_ir_value(b)) {
      // `1 < x` asks x: Python turns it into `x > 1`.
      if (!is_ir_value(a)) return ir_compare(reflected(op), plain_number(b), plain_number(a), span, false);
      return ir_compare(op, plain_number(a), plain_number(b), span, false);
    }
    bool left = has_written_methods(a), right = has_written_methods(b);
    if (left || right) {
      Any result;
      if (left && state_->special(a, method_of(op), std::span<const Any>(&b, 1), result, span) &&
          !result.same_as(not_implemented())) {
        return result;
      }
      if (right && state_->special(b, method_of(reflected(op)), std::span<const Any>(&a, 1), result, span) &&
          !result.same_as(not_implemented())) {
        return result;
      }
      // `!=` without __ne__ is the opposite of `==`.
      if (op == CmpOperator::kNotEq) {
        for (bool swapped : {false, true}) {
          const Any& object = swapped ? b : a;
          const Any& other = swapped ? a : b;
          if (has_written_methods(object) &&
              state_->special(object, known().eq, std::span<const Any>(&other, 1), result, span) &&
              !result.same_as(not_implemented())) {
            return !truth(result, span);
          }
        }
      }
      if (equality) return same_as_wanted(a.same_as(b));
    } else if (is_array_operand(a) || is_array_operand(b)) {
      if (is_array_operand(a) != is_array_operand(b)) {
        const Any& other = is_array_operand(a) ? b : a;
        if (equality && (is_none(other) || is_str(other)) &&
            as<ir::NDArrayNode>(is_array_operand(a) ? a : b) == nullptr) {
          return same_as_wanted(false);
        }
      }
      return array_compare(*this, op, a, b, span);
    }
    state_->check_stack(span);
    if (equality && are_alike(a, b)) return same_as_wanted(equal_elements(*this, a, b));
    if (is_plain_sequence(a) && a.type_index() == b.type_index()) {
      size_t i = first_difference(*this, a, b);
      if (i >= elements(a).size() || i >= elements(b).size())
        return ordered(op, elements(a).size(), elements(b).size());
      Any x = elements(a)[i], y = elements(b)[i];
      return compare(op, x, y, span);
    }
    if (is_sequence(a) && is_sequence(b)) {
      std::vector<Any> x = elements_of(a), y = elements_of(b);
      if (equality && x.size() != y.size()) return same_as_wanted(false);
      size_t shared = std::min(x.size(), y.size());
      for (size_t i = 0; i < shared; ++i) {
        if (x[i].same_as(y[i]) || equal(x[i], y[i])) continue;
        if (equality) return same_as_wanted(false);
        return compare(op, x[i], y[i], span);
      }
      if (equality) return same_as_wanted(true);
      return ordered(op, x.size(), y.size());
    }
    auto is_dict = [](const Any& v) { return v.type_index() == kTVMFFIDict || v.type_index() == kTVMFFIMap; };
    if (is_dict(a) && is_dict(b) && equality) {
      auto* x = static_cast<ffi::MapBaseObj*>(raw_object(a));
      auto* y = static_cast<ffi::MapBaseObj*>(raw_object(b));
      if (x->size() != y->size()) return same_as_wanted(false);
      for (const auto& [key, value] : *x) {
        const Any* other = dict_find(*this, b, plain_key(key));
        if (other == nullptr || !(value.same_as(*other) || equal(value, *other)))
          return same_as_wanted(false);
      }
      return same_as_wanted(true);
    }
    // Views of keys and of items are compared as sets are.
    auto viewed = [](const Any& v) {
      auto* view = as<DictViewNode>(v);
      return view != nullptr && view->kind != DictViewNode::Kind::kValues;
    };
    if ((viewed(a) && (viewed(b) || as<SetNode>(b))) || (viewed(b) && as<SetNode>(a))) {
      // Values need not be hashable, so no sets are made.
      bool turned = op == CmpOperator::kGt || op == CmpOperator::kGtE;
      const Any& less = turned ? b : a;
      const Any& more = turned ? a : b;
      int64_t sizes[] = {length(less, span), length(more, span)};
      bool strict = op == CmpOperator::kLt || op == CmpOperator::kGt;
      bool fits = equality ? sizes[0] == sizes[1] : strict ? sizes[0] < sizes[1] : sizes[0] <= sizes[1];
      if (fits) {
        std::vector<Any> all = elements_of(less, span);
        fits =
            std::all_of(all.begin(), all.end(), [&](const Any& each) { return contains(more, each, span); });
      }
      return op == CmpOperator::kNotEq ? !fits : fits;
    }
    auto* x = as<SetNode>(a);
    auto* y = as<SetNode>(b);
    if (x != nullptr && y != nullptr) {
      if (equality) return same_as_wanted(x->used == y->used && is_subset(*this, *x, *y));
      if (op == CmpOperator::kGt || op == CmpOperator::kGtE) std::swap(x, y);
      bool strict = op == CmpOperator::kLt || op == CmpOperator::kGt;
      return (!strict || x->used < y->used) && is_subset(*this, *x, *y);
    }
    if (equality) {
      auto* r = as<RangeNode>(a);
      auto* s = as<RangeNode>(b);
      if (r != nullptr && s != nullptr) {
        int64_t n = r->size();
        return same_as_wanted(n == s->size() &&
                              (n == 0 || (r->start == s->start && (n == 1 || r->step == s->step))));
      }
      auto* m = as<BoundMethodNode>(a);
      auto* k = as<BoundMethodNode>(b);
      if (m != nullptr && k != nullptr)
        return same_as_wanted(m->self.same_as(k->self) && m->callee.same_as(k->callee));
      auto* p = as<SliceNode>(a);
      auto* q = as<SliceNode>(b);
      if (p != nullptr && q != nullptr) {
        return same_as_wanted(equal(p->start, q->start) && equal(p->stop, q->stop) &&
                              equal(p->step, q->step));
      }
      for (bool swapped : {false, true}) {
        const Any& object = swapped ? b : a;
        const Any& other = swapped ? a : b;
        Any same;
        if (state_->registered(object, "__eq__", std::span<const Any>(&other, 1), same, span))
          return same_as_wanted(truth(same));
      }
    }
  }
  if (equality)
    return same_as_wanted(a.same_as(b) || (!is_object(a) && !is_object(b) && ffi::AnyEqual()(a, b)));
  raise("TypeError", span, "unsupported-operand", "'{}' not supported between instances of '{}' and '{}'",
        spelling(op), type_name_of(*this, a), type_name_of(*this, b));
}

bool Evaluator::contains(const Any& container, const Any& value, ir::Span span) {
  if (is_str(container)) {
    if (const Any& plain = builtin_value_of(value); !plain.same_as(value))
      return contains(container, plain, span);
    if (!is_str(value)) {
      raise("TypeError", span, "wrong-type", "'in <string>' requires string as left operand, not {}",
            type_name_of(*this, value));
    }
    return text_of(container).find(text_of(value)) != std::string_view::npos;
  }
  if (is_bytes(container)) {
    if (is_bytes(value)) return bytes_of(container).find(bytes_of(value)) != std::string::npos;
    if (!is_integer(value)) {
      raise("TypeError", span, "wrong-type", "a bytes-like object is required, not '{}'",
            type_name_of(*this, value));
    }
    if (raw_int(value) < 0 || raw_int(value) > 255)
      raise("ValueError", span, "out-of-range", "byte must be in range(0, 256)");
    return bytes_of(container).find(static_cast<char>(raw_int(value))) != std::string::npos;
  }
  if (container.type_index() == kTVMFFIDict || container.type_index() == kTVMFFIMap) {
    return dict_find(*this, container, value, span) != nullptr;
  }
  if (container.type_index() == kTVMFFIList || container.type_index() == kTVMFFIArray) {
    for (size_t i = 0; i < elements(container).size(); ++i) {
      Any element = elements(container)[i];
      if (element.same_as(value) || equal(element, value)) return true;
    }
    return false;
  }
  if (auto* set = as<SetNode>(container)) return set->contains(*this, value);
  if (auto* view = as<DictViewNode>(container);
      view != nullptr && view->kind != DictViewNode::Kind::kValues) {
    if (view->kind == DictViewNode::Kind::kKeys) return dict_find(*this, view->dict, value, span) != nullptr;
    const Any& pair = builtin_value_of(value);
    if (pair.type_index() != kTVMFFIArray || elements(pair).size() != 2) return false;
    Any key = elements(pair)[0], wanted = elements(pair)[1];
    const Any* place = dict_find(*this, view->dict, key, span);
    if (place == nullptr) return false;
    Any found = *place;  // kept while it is compared
    return found.same_as(wanted) || equal(found, wanted);
  }
  if (auto* range = as<RangeNode>(container)) {
    if (is_integer(value)) {
      int64_t from_start = raw_int(value) - range->start;
      if (range->size() == 0 || from_start % range->step != 0) return false;
      return from_start / range->step >= 0 && from_start / range->step < range->size();
    }
  }
  Any result;
  if (state_->special(container, known().contains, std::span<const Any>(&value, 1), result, span)) {
    return truth(result, span);
  }
  if (as<ir::NDArrayNode>(container) != nullptr) {
    // Is any element equal?
    Any found = array_compare(*this, syntax::CmpOperator::kEq, container, value, span);
    auto* array = as<ir::NDArrayNode>(found);
    if (array == nullptr) return truth(found, span);
    const auto* flags = static_cast<const bool*>(array->tensor.data_ptr());
    return std::any_of(flags, flags + array->tensor.numel(), [](bool each) { return each; });
  }
  if (!is_object(container)) {
    raise("TypeError", span, "not-iterable", "argument of type '{}' is not iterable",
          type_name_of(*this, container));
  }
  if (state_->registered(container, "__contains__", std::span<const Any>(&value, 1), result, span))
    return truth(result);
  if (!state_->iterable(container)) {
    raise("TypeError", span, "not-iterable", "argument of type '{}' is not iterable",
          type_name_of(*this, container));
  }
  Any iterator = iterate(container, span);
  for (Any element; next(iterator, element, span);) {
    if (element.same_as(value) || equal(element, value)) return true;
  }
  return false;
}

}  // namespace mlc::script
