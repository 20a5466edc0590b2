// SPDX-License-Identifier: Apache-2.0
// format(): Python's format specification
//   [[fill]align][sign][#][0][width][grouping][.precision][type]
#include <charconv>
#include <cmath>

#include "frontend/script/core/machine.h"
#include "frontend/script/numpy/scalar.h"
#include "frontend/script/types/format_value.h"
#include "frontend/script/types/letters.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-format",
         .meaning =
             "What stands after the `:` of a field, or after a `%`, does not fit the value that is shown.",
         .wrong = R"(f"{3:.2s}")",
         .right = R"(f"{3:.2f}")"},
    }};
MLC_REFUSALS(types_format_spec, refusals);

namespace {

struct Spec {
  std::string fill = " ";
  char align = '>';
  char sign = 0;
  bool alternate = false;
  int64_t width = 0;
  char grouping = 0;
  int64_t precision = -1;
  std::string type;  // one character; empty where a float has none
};

bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void unknown_type(const Spec& spec, std::string_view type_name, ir::Span span) {
  std::string_view rest = spec.type;
  uint32_t point = take_point(rest);
  std::string shown = point > 32 && point < 128 ? spec.type : fmt::format("\\x{:x}", point);
  raise_as(refusals["bad-format"], span, "Unknown format code '{}' for object of type '{}'", shown,
           type_name);
}

// `kind`: 's' (str), 'd' (int) or 'f' (float).
Spec parse_spec(std::string_view text, char kind, std::string_view type_name, ir::Span span) {
  Spec spec;
  spec.align = kind == 's' ? '<' : '>';
  spec.type = kind == 'f' ? "" : std::string(1, kind);
  std::string_view whole = text;
  bool filled = false, aligned = false;
  if (!text.empty()) {
    std::string_view rest = text;
    take_point(rest);
    if (!rest.empty() && is_align(rest[0])) {
      spec.fill = std::string(text.substr(0, text.size() - rest.size()));
      spec.align = rest[0];
      filled = aligned = true;
      text = rest.substr(1);
    } else if (is_align(text[0])) {
      spec.align = text[0];
      aligned = true;
      text.remove_prefix(1);
    }
  }
  auto accept = [&](char c) {
    if (text.empty() || text[0] != c) return false;
    text.remove_prefix(1);
    return true;
  };
  if (!text.empty() && (text[0] == '+' || text[0] == '-' || text[0] == ' ')) {
    spec.sign = text[0];
    text.remove_prefix(1);
  }
  spec.alternate = accept('#');
  if (!filled && accept('0')) {
    spec.fill = "0";
    if (!aligned && kind != 's') spec.align = '=';
  }
  auto number = [&](int64_t& out) {
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (status != std::errc{})
      raise_as(refusals["bad-format"], span, "Too many decimal digits in format string");
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  };
  if (!text.empty() && is_digit(text[0])) number(spec.width);
  if (accept(',')) spec.grouping = ',';
  if (!text.empty() && text[0] == '_') {
    if (spec.grouping != 0) raise_as(refusals["bad-format"], span, "Cannot specify both ',' and '_'.");
    spec.grouping = '_';
    text.remove_prefix(1);
  }
  if (spec.grouping == '_' && !text.empty() && text[0] == ',')
    raise_as(refusals["bad-format"], span, "Cannot specify both ',' and '_'.");
  if (accept('.')) {
    if (text.empty() || !is_digit(text[0]))
      raise_as(refusals["bad-format"], span, "Format specifier missing precision");
    number(spec.precision);
  }
  if (!text.empty()) {
    std::string_view rest = text;
    take_point(rest);
    if (!rest.empty()) {
      raise_as(refusals["bad-format"], span, "Invalid format specifier '{}' for object of type '{}'", whole,
               type_name);
    }
    spec.type = std::string(text);
  }
  constexpr int64_t kMost = 100'000'000;
  if (spec.width > kMost || spec.precision > kMost) {
    raise("MemoryError", span, "too-large", "a text of {} characters is too large",
          std::max(spec.width, spec.precision));
  }
  if (spec.grouping != 0 && !spec.type.empty()) {
    std::string_view allowed = spec.grouping == '_' ? "deEfFgG%boxX" : "deEfFgG%";
    if (spec.type.size() > 1 || allowed.find(spec.type) == std::string_view::npos)
      raise_as(refusals["bad-format"], span, "Cannot specify '{}' with '{}'.", spec.grouping, spec.type);
  }
  return spec;
}

std::string filling(const Spec& spec, int64_t n) {
  std::string result;
  for (int64_t i = 0; i < n; ++i) result += spec.fill;
  return result;
}

std::string pad(std::string_view text, const Spec& spec) {
  int64_t missing = spec.width - static_cast<int64_t>(utf8_length(text));
  if (missing <= 0) return std::string(text);
  if (spec.align == '<') return std::string(text) + filling(spec, missing);
  if (spec.align == '^')
    return filling(spec, missing / 2) + std::string(text) + filling(spec, missing - missing / 2);
  return filling(spec, missing) + std::string(text);
}

std::string group(std::string_view digits, char separator, size_t every) {
  std::string result;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % every == 0) result += separator;
    result += digits[i];
  }
  return result;
}

// Sign, prefix ("0x"), digits and what follows them (".5e+10"), padded; '=' pads between sign and digits.
std::string pad_number(std::string_view sign, std::string_view prefix, std::string digits,
                       std::string_view rest, const Spec& spec, size_t every = 3) {
  auto used = static_cast<int64_t>(sign.size() + prefix.size() + utf8_length(rest));
  bool zeros = spec.align == '=' && spec.fill == "0" && !digits.empty();
  if (spec.grouping != 0) {
    std::string grouped = group(digits, spec.grouping, every);
    while (zeros && static_cast<int64_t>(grouped.size()) + used < spec.width) {
      digits.insert(digits.begin(), '0');  // zeros take part in the grouping
      grouped = group(digits, spec.grouping, every);
    }
    digits = grouped;
  }
  std::string head = std::string(sign) + std::string(prefix);
  std::string body = digits + std::string(rest);
  if (spec.align != '=') return pad(head + body, spec);
  return head + filling(spec, spec.width - used - static_cast<int64_t>(digits.size())) + body;
}

std::string sign_text(bool negative, const Spec& spec) {
  if (negative) return "-";
  return spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

// The digits of a number that is not negative, as C writes them by this type.
std::string fixed_digits(double value, char type, int64_t precision) {
  const char format[] = {'%', '.', '*', type, 0};
  std::string text(32, 0);
  for (;;) {
    int size = std::snprintf(text.data(), text.size(), format, static_cast<int>(precision), value);
    bool fits = static_cast<size_t>(size) < text.size();
    text.resize(static_cast<size_t>(size) + (fits ? 0 : 1));
    if (fits) return text;
  }
}

// As 'g', but with at least one digit behind the point; scientific from 10 ** (precision - 1) on.
std::string general_digits(double value, int64_t precision) {
  precision = std::max<int64_t>(precision, 1);
  std::string scientific = fixed_digits(value, 'e', precision - 1);
  int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (exponent >= -4 && exponent >= precision - 1) {
    std::string mantissa = scientific.substr(0, scientific.find('e'));
    if (mantissa.find('.') != std::string::npos) {
      while (mantissa.back() == '0') mantissa.pop_back();
      if (mantissa.back() == '.') mantissa.pop_back();
    }
    return mantissa + scientific.substr(scientific.find('e'));
  }
  std::string text = fixed_digits(value, 'g', precision);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string format_float(double value, const Spec& spec, std::string_view type_name, ir::Span span) {
  char type = spec.type.empty() ? 0 : spec.type[0];
  if (spec.type.size() > 1 || (type != 0 && std::string_view("eEfFgG%").find(type) == std::string_view::npos))
    unknown_type(spec, type_name, span);
  if (spec.alternate)
    raise("NotImplementedError", span, "not-supported", "`#` is not available in the format of a float");
  bool negative = std::signbit(value) && !std::isnan(value);
  double magnitude = std::abs(value);
  std::string text, suffix;
  if (type == '%') {
    magnitude *= 100;
    suffix = "%";
  }
  bool upper = type == 'E' || type == 'G' || type == 'F';
  if (std::isnan(magnitude)) {
    text = upper ? "NAN" : "nan";
  } else if (std::isinf(magnitude)) {
    text = upper ? "INF" : "inf";
  } else if (type == 0) {
    text = spec.precision < 0 ? float_repr(magnitude) : general_digits(magnitude, spec.precision);
  } else {
    char shown = type == '%' ? 'f' : type;
    int64_t precision = spec.precision < 0 ? 6 : spec.precision;
    if ((shown == 'g' || shown == 'G') && precision == 0) precision = 1;
    text = fixed_digits(magnitude, shown, precision);
  }
  size_t split = 0;
  while (split < text.size() && is_digit(text[split])) ++split;
  return pad_number(sign_text(negative, spec), "", text.substr(0, split), text.substr(split) + suffix, spec);
}

std::string format_int(const Any& value, const Spec& spec, std::string_view type_name, ir::Span span) {
  char type = spec.type.size() == 1 ? spec.type[0] : '?';
  auto* wide = as_wide(value);
  if (std::string_view("eEfFgG%").find(type) != std::string_view::npos) {
    double real = wide != nullptr ? double_of(*wide) : static_cast<double>(raw_int(value));
    return format_float(real, spec, type_name, span);
  }
  if (std::string_view("bcdoxX").find(type) == std::string_view::npos) unknown_type(spec, type_name, span);
  if (spec.precision >= 0)
    raise_as(refusals["bad-format"], span, "Precision not allowed in integer format specifier");
  if (type == 'c') {
    if (wide != nullptr || raw_int(value) < 0 || raw_int(value) > 0x10FFFF)
      raise("OverflowError", span, "out-of-range", "%c arg not in range(0x110000)");
    std::string text;
    append_utf8(text, static_cast<uint32_t>(raw_int(value)));
    return pad_number("", "", "", text, spec);
  }
  std::string digits = magnitude_text(value, type == 'd' ? 10 : type == 'o' ? 8 : type == 'b' ? 2 : 16);
  if (type == 'X') {
    for (char& c : digits) c = c >= 'a' ? static_cast<char>(c - 32) : c;
  }
  std::string prefix = spec.alternate && type != 'd' ? std::string("0") + type : "";
  bool negative = wide != nullptr ? wide->negative : raw_int(value) < 0;
  return pad_number(sign_text(negative, spec), prefix, digits, "", spec, type == 'd' ? 3 : 4);
}

std::string format_str(std::string_view text, const Spec& spec, std::string_view type_name, ir::Span span) {
  if (spec.type != "s") unknown_type(spec, type_name, span);
  auto refuse = [&](std::string_view what) {
    raise_as(refusals["bad-format"], span, "{} not allowed in string format specifier", what);
  };
  if (spec.sign != 0) refuse(spec.sign == ' ' ? "Space" : "Sign");
  if (spec.alternate) refuse("Alternate form (#)");
  if (spec.align == '=') refuse("'=' alignment");
  std::string_view rest = text;
  for (int64_t i = 0; i < spec.precision && !rest.empty(); ++i) take_point(rest);
  return pad(spec.precision >= 0 ? text.substr(0, text.size() - rest.size()) : text, spec);
}

}  // namespace

void append_formatted(std::string& text, Evaluator& evaluator, const Any& value, std::string_view spec,
                      ir::Span span) {
  if (spec.empty() && is_str(value)) {
    text += text_of(value);
  } else if (spec.empty() && is_int(value)) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof(digits), raw_int(value)).ptr);
  } else {
    text += format_value(evaluator, value, spec, span);
  }
}

std::string format_value(Evaluator& evaluator, const Any& original, std::string_view text, ir::Span span) {
  Any value = plain_number(original);  // np.float32 too is formatted as a float
  if (is_int(value) && raw_int(value) < 0 && numpy_scalar_dtype(original) == ir::DataType::UInt(64))
    value = whole_of_unsigned(static_cast<uint64_t>(raw_int(value)));
  if (is_object(value) && !is_str(value)) {
    Any spec = str_value(text);
    Any result;
    if (evaluator.state().special(value, known().format, std::span<const Any>(&spec, 1), result, span))
      return evaluator.str(result);
  }
  if (text.empty()) return evaluator.str(value);
  bool number = is_integer(value) || as_wide(value) != nullptr;
  std::string_view type_name = is_bool(value) ? "bool" : number ? "int" : is_float(value) ? "float" : "str";
  auto spec = [&](char kind) { return parse_spec(text, kind, type_name, span); };
  if (number) return format_int(value, spec('d'), type_name, span);
  if (is_float(value)) return format_float(raw_float(value), spec('f'), type_name, span);
  if (is_str(value)) return format_str(text_of(value), spec('s'), type_name, span);
  raise_as(refusals["bad-format"].as("TypeError"), span, "unsupported format string passed to {}.__format__",
           type_name_of(evaluator, value));
}

}  // namespace mlc::script
