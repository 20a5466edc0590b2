// SPDX-License-Identifier: Apache-2.0
// `format % values`.
#include <cmath>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/expr.h"

namespace mlc::script {
namespace {

struct Field {
  bool left = false, plus = false, blank = false, alternate = false, zero = false;
  int64_t width = -1, precision = -1;
  char type = 0;
};

// The digits of an int by type, with a prefix if asked and at least `precision` digits.
std::string whole_digits(int64_t value, const Field& field) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  std::string digits = field.type == 'x'   ? fmt::format("{:x}", magnitude)
                       : field.type == 'X' ? fmt::format("{:X}", magnitude)
                       : field.type == 'o' ? fmt::format("{:o}", magnitude)
                                           : std::to_string(magnitude);
  if (static_cast<int64_t>(digits.size()) < field.precision)
    digits.insert(0, static_cast<size_t>(field.precision) - digits.size(), '0');
  if (field.alternate && (field.type == 'x' || field.type == 'X' || field.type == 'o'))
    digits.insert(0, std::string("0") + field.type);
  return (value < 0 ? "-" : "") + digits;
}

std::string real_digits(double value, const Field& field) {
  bool upper = field.type == 'E' || field.type == 'F' || field.type == 'G';
  std::string sign = std::signbit(value) && !std::isnan(value) ? "-" : "";
  if (std::isnan(value)) return upper ? "NAN" : "nan";
  if (std::isinf(value)) return sign + (upper ? "INF" : "inf");
  int64_t precision = field.precision < 0 ? 6 : field.precision;
  if ((field.type == 'g' || field.type == 'G') && precision == 0) precision = 1;
  return sign + fixed_digits(std::abs(value), field.type, precision, field.alternate);
}

// Pads; the sign and the prefix of a number stand before zeros and behind blanks.
void append_field(std::string& result, std::string_view text, const Field& field, bool number) {
  std::string head;
  if (number && !text.empty() && (text[0] == '-' || text[0] == '+')) {
    head = text[0];
    text.remove_prefix(1);
  } else if (number && (field.plus || field.blank)) {
    head = field.plus ? "+" : " ";
  }
  bool prefix = field.alternate && (field.type == 'x' || field.type == 'X' || field.type == 'o');
  if (prefix) {
    head += text.substr(0, 2);
    text.remove_prefix(2);
  }
  bool zeros = number && field.zero;
  int64_t missing = field.width - static_cast<int64_t>(head.size() + utf8_length(text));
  size_t fill = missing > 0 ? static_cast<size_t>(missing) : 0;
  if (zeros) result += head;
  if (!field.left) result.append(fill, zeros ? '0' : ' ');
  if (!zeros) result += head;
  result += text;
  if (field.left) result.append(fill, ' ');
}

}  // namespace

std::string percent_format(Evaluator& evaluator, std::string_view format, const Any& args, ir::Span span) {
  std::string result;
  size_t next = 0;
  bool tuple = Tuple::is(args);
  // What can be indexed counts as a mapping, which need not be used up.
  auto* instance = as<InstanceNode>(args);
  bool mapping = args.type_index() == kTVMFFIDict || args.type_index() == kTVMFFIList || is_bytes(args) ||
                 (instance != nullptr && (instance->cls->find(known().getitem) != nullptr ||
                                          builtin_value_of(args).type_index() == kTVMFFIDict));
  auto take = [&]() -> Any {
    size_t given = tuple ? elements(args).size() : 1;
    if (next >= given) raise("TypeError", span, "format-arguments", "not enough arguments for format string");
    ++next;
    return tuple ? elements(args)[next - 1] : args;
  };
  size_t i = 0;
  auto need = [&] {
    if (i >= format.size()) raise("ValueError", span, "bad-format", "incomplete format");
    return format[i];
  };
  auto number = [&](std::string_view what) -> int64_t {
    if (i < format.size() && format[i] == '*') {
      Any star = take();
      if (!is_integer(star)) raise("TypeError", span, "bad-format", "* wants int");
      ++i;
      return raw_int(star);
    }
    int64_t value = 0;
    while (i < format.size() && format[i] >= '0' && format[i] <= '9') {
      value = value * 10 + (format[i++] - '0');
      if (value > 100'000'000) raise("ValueError", span, "bad-format", "{} too big", what);
    }
    return value;
  };
  while (i < format.size()) {
    size_t percent = std::min(format.find('%', i), format.size());
    result += format.substr(i, percent - i);
    i = percent + 1;
    if (percent == format.size()) break;
    if (need() == '%') {
      result += '%';
      ++i;
      continue;
    }
    Any value;
    bool named = false;
    if (format[i] == '(') {
      if (!mapping) raise("TypeError", span, "bad-format", "format requires a mapping");
      size_t begin = ++i;
      for (int depth = 1; depth > 0; ++i) {
        if (i >= format.size()) raise("ValueError", span, "bad-format", "incomplete format key");
        depth += format[i] == '(' ? 1 : format[i] == ')' ? -1 : 0;
      }
      value = evaluator.subscript(args, str_value(format.substr(begin, i - begin - 1)), span);
      named = true;
      next = 1;  // no field without a name may follow
    }
    Field field;
    for (;; ++i) {
      char c = need();
      if (c == '-')
        field.left = true;
      else if (c == '+')
        field.plus = true;
      else if (c == ' ')
        field.blank = true;
      else if (c == '#')
        field.alternate = true;
      else if (c == '0')
        field.zero = true;
      else
        break;
    }
    field.width = number("width");
    if (field.width < 0) {
      field.left = true;
      field.width = -field.width;
    }
    need();
    if (format[i] == '.') {
      ++i;
      field.precision = std::max<int64_t>(number("precision"), 0);
    }
    need();
    if (format[i] == 'l' || format[i] == 'h' || format[i] == 'L') ++i;
    field.type = need();
    size_t place = i++;
    if (!named) value = take();
    Any plain = plain_number(builtin_value_of(value));
    if (auto* constant = value.as<ir::IntImmNode>()) plain = Any(constant->value);
    if (auto* constant = value.as<ir::FloatImmNode>()) plain = Any(constant->value);
    switch (field.type) {
      case 's':
      case 'r':
      case 'a': {
        std::string text = field.type == 's' ? evaluator.str(value) : evaluator.repr(value);
        if (field.type == 'a') text = ascii_text(text);
        std::string_view rest = text;
        for (int64_t k = 0; k < field.precision && !rest.empty(); ++k) take_point(rest);
        if (field.precision >= 0) text.resize(text.size() - rest.size());
        append_field(result, text, field, false);
        break;
      }
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        bool digits_only = field.type == 'x' || field.type == 'X' || field.type == 'o';
        if (is_float(plain) && !digits_only)
          plain = evaluator.call(Any(types().integer), std::span<const Any>(&plain, 1), {}, span);
        Any made;
        if (!is_integer(plain) &&
            ((!digits_only && evaluator.state().special(value, known().integer, {}, made, span)) ||
             evaluator.state().special(value, known().index, {}, made, span)))
          plain = made;
        if (as_wide(plain) != nullptr) {
          bool decimal = !digits_only;
          std::string digits = magnitude_text(plain, decimal ? 10 : field.type == 'o' ? 8 : 16);
          if (as_wide(plain)->negative) digits.insert(digits.begin(), '-');
          append_field(result, digits, field, true);
          break;
        }
        if (!is_integer(plain)) {
          raise("TypeError", span, "bad-format", "%{} format: {} is required, not {}", field.type,
                digits_only ? "an integer" : "a real number", type_name_of(evaluator, value));
        }
        append_field(result, whole_digits(raw_int(plain), field), field, true);
        break;
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G': {
        Any made;
        if (!is_number(plain) && evaluator.state().special(value, known().real, {}, made, span)) plain = made;
        if (!is_number(plain)) {
          raise("TypeError", span, "bad-format", "must be real number, not {}",
                type_name_of(evaluator, value));
        }
        append_field(result, real_digits(to_double(plain), field), field, true);
        break;
      }
      case 'c': {
        std::string text;
        Any index;
        if (!is_str(plain) && !is_integer(plain) &&
            evaluator.state().special(value, known().index, {}, index, span))
          plain = index;
        if (is_str(plain) && utf8_length(text_of(plain)) == 1) {
          text = std::string(text_of(plain));
        } else if (is_integer(plain)) {
          if (raw_int(plain) < 0 || raw_int(plain) > 0x10FFFF)
            raise("OverflowError", span, "out-of-range", "%c arg not in range(0x110000)");
          append_utf8(text, static_cast<uint32_t>(raw_int(plain)));
        } else {
          raise("TypeError", span, "bad-format", "%c requires int or char");
        }
        append_field(result, text, field, false);
        break;
      }
      default: {
        std::string_view rest = format.substr(place);
        uint32_t point = take_point(rest);
        raise("ValueError", span, "bad-format", "unsupported format character '{}' (0x{:x}) at index {}",
              format.substr(place, format.size() - place - rest.size()), point,
              utf8_length(format.substr(0, place)));
      }
    }
  }
  if (next < (tuple ? elements(args).size() : 1) && !mapping)
    raise("TypeError", span, "format-arguments", "not all arguments converted during string formatting");
  return result;
}

}  // namespace mlc::script
