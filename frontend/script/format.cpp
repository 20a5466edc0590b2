// SPDX-License-Identifier: Apache-2.0
// format(), f-strings, str.format and %: Python's format specification
//   [[fill]align][sign][z][#][0][width][grouping][.precision][type]
#include <charconv>
#include <cmath>

#include "frontend/script/machine.h"
#include "ir/ndarray.h"

namespace mlc::script {
namespace {

struct Spec {
  std::string fill = " ";
  char align = 0;
  char sign = 0;
  bool alternate = false;
  bool zero = false;
  int64_t width = 0;
  char grouping = 0;
  int64_t precision = -1;
  char type = 0;
};

size_t point_size(std::string_view text) {
  size_t end = 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return std::min(end, text.size());
}
bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

Spec parse_spec(std::string_view text, std::string_view type_name, ir::Span span) {
  Spec spec;
  std::string_view whole = text;
  if (!text.empty()) {
    size_t first = point_size(text);
    if (text.size() > first && is_align(text[first])) {
      spec.fill = std::string(text.substr(0, first));
      spec.align = text[first];
      text.remove_prefix(first + 1);
    } else if (is_align(text[0])) {
      spec.align = text[0];
      text.remove_prefix(1);
    }
  }
  if (!text.empty() && (text[0] == '+' || text[0] == '-' || text[0] == ' ')) {
    spec.sign = text[0];
    text.remove_prefix(1);
  }
  if (!text.empty() && text[0] == '#') {
    spec.alternate = true;
    text.remove_prefix(1);
  }
  if (!text.empty() && text[0] == '0') {
    spec.zero = true;
    if (spec.align == 0) {
      spec.fill = "0";
      spec.align = '=';
    }
    text.remove_prefix(1);
  }
  auto number = [&](int64_t& out) {
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  };
  if (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0]))) number(spec.width);
  if (!text.empty() && (text[0] == ',' || text[0] == '_')) {
    spec.grouping = text[0];
    text.remove_prefix(1);
  }
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0]))) {
      raise("ValueError", span, "bad-format", "Format specifier missing precision");
    }
    number(spec.precision);
  }
  if (text.size() == 1) {
    spec.type = text[0];
  } else if (!text.empty()) {
    raise("ValueError", span, "bad-format", "Invalid format specifier '{}' for object of type '{}'", whole,
          type_name);
  }
  if (spec.width > 1'000'000 || spec.precision > 1'000'000) {
    raise("ValueError", span, "bad-format", "Too many decimal digits in format string");
  }
  return spec;
}

std::string pad(std::string_view text, const Spec& spec, char default_align) {
  auto length = static_cast<int64_t>(utf8_length(text));
  if (length >= spec.width) return std::string(text);
  int64_t missing = spec.width - length;
  char align = spec.align == 0 ? default_align : spec.align;
  auto fill = [&](int64_t n) {
    std::string result;
    for (int64_t i = 0; i < n; ++i) result += spec.fill;
    return result;
  };
  if (align == '<') return std::string(text) + fill(missing);
  if (align == '^') return fill(missing / 2) + std::string(text) + fill(missing - missing / 2);
  return fill(missing) + std::string(text);
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
  if (spec.grouping != 0) {
    if (spec.align == '=' && spec.fill == "0") {
      // Zeros take part in the grouping.
      auto used = static_cast<int64_t>(sign.size() + prefix.size() + rest.size());
      std::string grouped = group(digits, spec.grouping, every);
      while (static_cast<int64_t>(grouped.size()) + used < spec.width) {
        digits.insert(digits.begin(), '0');
        grouped = group(digits, spec.grouping, every);
      }
      return std::string(sign) + std::string(prefix) + grouped + std::string(rest);
    }
    digits = group(digits, spec.grouping, every);
  }
  if (static_cast<int64_t>(sign.size() + prefix.size() + digits.size() + rest.size()) >= spec.width) {
    return std::string(sign).append(prefix).append(digits).append(rest);
  }
  std::string head = std::string(sign) + std::string(prefix);
  std::string body = digits + std::string(rest);
  if (spec.align == '=') {
    std::string result = head;
    for (auto n = static_cast<int64_t>(head.size() + body.size()); n < spec.width; ++n) result += spec.fill;
    return result + body;
  }
  return pad(head + body, spec, '>');
}

std::string sign_text(bool negative, const Spec& spec) {
  if (negative) return "-";
  return spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

std::string fixed_digits(double value, char type, int64_t precision, bool alternate) {
  if ((type == 'f' || type == 'e' || type == 'g') && !alternate && precision <= 100 && std::isfinite(value)) {
    char digits[512];
    auto style = type == 'f'   ? std::chars_format::fixed
                 : type == 'e' ? std::chars_format::scientific
                               : std::chars_format::general;
    auto end = std::to_chars(digits, digits + sizeof(digits), value, style, static_cast<int>(precision));
    return {digits, end.ptr};
  }
  char format[8];
  size_t n = 0;
  format[n++] = '%';
  if (alternate) format[n++] = '#';
  format[n++] = '.';
  format[n++] = '*';
  format[n++] = type;
  format[n] = 0;
  int size = std::snprintf(nullptr, 0, format, static_cast<int>(precision), value);
  std::string text(static_cast<size_t>(size), 0);
  std::snprintf(text.data(), text.size() + 1, format, static_cast<int>(precision), value);
  return text;
}

std::string format_float(double value, const Spec& spec, ir::Span span) {
  bool negative = std::signbit(value) && !std::isnan(value);
  double magnitude = std::abs(value);
  char type = spec.type;
  std::string text;
  std::string suffix;
  if (type == '%') {
    magnitude *= 100;
    suffix = "%";
  }
  bool upper = type == 'E' || type == 'G' || type == 'F';
  if (std::isnan(magnitude)) {
    text = upper ? "NAN" : "nan";
  } else if (std::isinf(magnitude)) {
    text = upper ? "INF" : "inf";
  } else if (type == 0 && spec.precision < 0) {
    text = float_repr(magnitude);
  } else if (type == 0) {
    // As 'g', but with at least one digit behind the point; scientific from 10 ** precision on.
    int64_t precision = std::max<int64_t>(spec.precision, 1);
    text = fixed_digits(magnitude, 'g', precision, false);
    std::string scientific = fixed_digits(magnitude, 'e', precision - 1, false);
    int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
    if (exponent >= -4 && exponent >= precision - 1) {
      // CPython's rule for the bare type moves to exponents one digit earlier.
      std::string mantissa = scientific.substr(0, scientific.find('e'));
      if (mantissa.find('.') != std::string::npos) {
        while (mantissa.back() == '0') mantissa.pop_back();
        if (mantissa.back() == '.') mantissa.pop_back();
      }
      text = mantissa + scientific.substr(scientific.find('e'));
    } else if (text.find_first_of(".e") == std::string::npos) {
      text += ".0";
    }
  } else {
    char shown = type == 'n' ? 'g' : type == '%' ? 'f' : type;
    if (std::string_view("eEfFgG").find(shown) == std::string_view::npos) {
      raise("ValueError", span, "bad-format", "Unknown format code '{}' for object of type 'float'", type);
    }
    int64_t precision = spec.precision < 0 ? 6 : spec.precision;
    if ((shown == 'g' || shown == 'G') && precision == 0) precision = 1;
    text = fixed_digits(magnitude, shown, precision, spec.alternate);
  }
  if (!std::isfinite(magnitude)) {
    Spec plain = spec;
    plain.grouping = 0;
    return pad_number(sign_text(negative, spec), "", text, suffix, plain);
  }
  size_t split = 0;
  while (split < text.size() && std::isdigit(static_cast<unsigned char>(text[split]))) ++split;
  return pad_number(sign_text(negative, spec), "", text.substr(0, split), text.substr(split) + suffix, spec);
}

std::string format_int(int64_t value, const Spec& spec, std::string_view type_name, ir::Span span) {
  if (std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos && spec.type != 0) {
    return format_float(static_cast<double>(value), spec, span);
  }
  if (spec.precision >= 0) {
    raise("ValueError", span, "bad-format", "Precision not allowed in integer format specifier");
  }
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  std::string digits, prefix;
  size_t every = 3;
  switch (spec.type) {
    case 0:
    case 'd':
    case 'n':
      digits = std::to_string(magnitude);
      break;
    case 'x':
      digits = fmt::format("{:x}", magnitude), prefix = "0x", every = 4;
      break;
    case 'X':
      digits = fmt::format("{:X}", magnitude), prefix = "0X", every = 4;
      break;
    case 'o':
      digits = fmt::format("{:o}", magnitude), prefix = "0o", every = 4;
      break;
    case 'b':
      digits = fmt::format("{:b}", magnitude), prefix = "0b", every = 4;
      break;
    case 'c': {
      std::string text;
      append_utf8(text, static_cast<uint32_t>(value));
      return pad(text, spec, '<');
    }
    default:
      raise("ValueError", span, "bad-format", "Unknown format code '{}' for object of type '{}'", spec.type,
            type_name);
  }
  return pad_number(sign_text(value < 0, spec), spec.alternate ? prefix : "", digits, "", spec, every);
}

std::string format_str(std::string_view text, const Spec& spec, std::string_view type_name, ir::Span span) {
  if (spec.type != 0 && spec.type != 's') {
    raise("ValueError", span, "bad-format", "Unknown format code '{}' for object of type '{}'", spec.type,
          type_name);
  }
  if (spec.sign != 0) {
    raise("ValueError", span, "bad-format", "{} not allowed in string format specifier",
          spec.sign == ' ' ? "Space" : "Sign");
  }
  if (spec.alternate) {
    raise("ValueError", span, "bad-format", "Alternate form (#) not allowed in string format specifier");
  }
  if (spec.align == '=' && !spec.zero) {
    raise("ValueError", span, "bad-format", "'=' alignment not allowed in string format specifier");
  }
  std::string cut(text);
  if (spec.precision >= 0) {
    size_t at = 0;
    for (int64_t i = 0; i < spec.precision && at < cut.size(); ++i)
      at += point_size(std::string_view(cut).substr(at));
    cut.resize(at);
  }
  Spec padded = spec;
  if (spec.align == '=') padded.align = '<';
  return pad(cut, padded, '<');
}

}  // namespace

void append_utf8(std::string& text, uint32_t point) {
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | point >> 6);
    text += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | point >> 12);
    text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | point >> 18);
    text += static_cast<char>(0x80 | (point >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (point & 0x3F));
  }
}

std::string format_value(Evaluator& evaluator, const Any& original, std::string_view text, ir::Span span) {
  Any value = plain_number(original);  // np.float32 too is formatted as a float
  if (is_object(value) && !is_str(value)) {
    Any spec = str_value(text);
    Any result;
    if (evaluator.state().special(value, known().format, std::span<const Any>(&spec, 1), result, span)) {
      return evaluator.str(result);
    }
  }
  if (text.empty()) return evaluator.str(value);
  std::string type_name = type_name_of(evaluator, value);
  Spec spec = parse_spec(text, type_name, span);
  char type = spec.type == 0 && is_str(value) ? 's' : spec.type;
  if (spec.grouping != 0 && type != 0 &&
      std::string_view(spec.grouping == '_' ? "deEfFgG%boxX" : "deEfFgG%").find(type) ==
          std::string_view::npos) {
    raise("ValueError", span, "bad-format", "Cannot specify '{}' with '{}'.", spec.grouping, type);
  }
  if (is_int(value)) return format_int(raw_int(value), spec, type_name, span);
  if (is_bool(value)) {
    return spec.type == 0 || spec.type == 's' ? format_str(evaluator.str(value), spec, type_name, span)
                                              : format_int(raw_int(value), spec, type_name, span);
  }
  if (is_float(value)) return format_float(raw_float(value), spec, span);
  if (is_str(value)) return format_str(text_of(value), spec, type_name, span);
  raise("TypeError", span, "bad-format", "unsupported format string passed to {}.__format__", type_name);
}

// `format % args`
std::string percent_format(Evaluator& evaluator, std::string_view format, const Any& args, ir::Span span) {
  std::string result;
  size_t next = 0;
  bool tuple = args.type_index() == kTVMFFIArray;
  bool by_name = false;
  auto take = [&]() -> Any {
    if (!tuple) {
      if (next++ > 0) raise("TypeError", span, "format-arguments", "not enough arguments for format string");
      return args;
    }
    if (next >= elements(args).size()) {
      raise("TypeError", span, "format-arguments", "not enough arguments for format string");
    }
    return elements(args)[next++];
  };
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      result += format[i];
      continue;
    }
    if (++i >= format.size()) raise("ValueError", span, "bad-format", "incomplete format");
    if (format[i] == '%') {
      result += '%';
      continue;
    }
    Any value;
    bool named = false;
    if (format[i] == '(') {
      size_t close = format.find(')', i);
      if (close == std::string_view::npos) raise("ValueError", span, "bad-format", "incomplete format key");
      if (args.type_index() != kTVMFFIDict)
        raise("TypeError", span, "bad-format", "format requires a mapping");
      Any key = str_value(format.substr(i + 1, close - i - 1));
      value = evaluator.subscript(args, key, span);
      named = by_name = true;
      i = close + 1;
    }
    Spec spec;
    spec.align = '>';
    bool zero = false;
    for (; i < format.size(); ++i) {
      char c = format[i];
      if (c == '-')
        spec.align = '<';
      else if (c == '+')
        spec.sign = '+';
      else if (c == ' ')
        spec.sign = spec.sign == '+' ? '+' : ' ';
      else if (c == '#')
        spec.alternate = true;
      else if (c == '0')
        zero = true;
      else
        break;
    }
    auto number = [&](int64_t& out) {
      if (i < format.size() && format[i] == '*') {
        Any star = take();
        if (!is_int(star)) raise("TypeError", span, "bad-format", "* wants int");
        out = raw_int(star);
        ++i;
        return;
      }
      out = 0;
      while (i < format.size() && std::isdigit(static_cast<unsigned char>(format[i])))
        out = out * 10 + (format[i++] - '0');
    };
    number(spec.width);
    if (spec.width < 0) {
      spec.width = -spec.width;
      spec.align = '<';
    }
    if (i < format.size() && format[i] == '.') {
      ++i;
      number(spec.precision);
    }
    if (zero && spec.align != '<') {
      spec.fill = "0";
      spec.align = '=';
    }
    while (i < format.size() && (format[i] == 'l' || format[i] == 'h' || format[i] == 'L')) ++i;
    if (i >= format.size()) raise("ValueError", span, "bad-format", "incomplete format");
    char type = format[i];
    if (!named) value = take();
    Any plain = plain_number(value);
    switch (type) {
      case 's':
      case 'r':
      case 'a': {
        std::string text = type == 's' ? evaluator.str(value) : evaluator.repr(value);
        if (type == 'a') text = ascii_text(text);
        if (spec.align == '=') spec.align = '>', spec.fill = " ";
        result += format_str(text, spec, "str", span);
        break;
      }
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        if (is_float(plain) && (type == 'd' || type == 'i' || type == 'u')) {
          Any whole = evaluator.call(Any(types().integer), std::span<const Any>(&plain, 1), {}, span);
          plain = whole;
        }
        if (!is_int(plain) && !is_bool(plain)) {
          if (type == 'd' || type == 'i' || type == 'u') {
            raise("TypeError", span, "bad-format", "%{} format: a real number is required, not {}", type,
                  type_name_of(evaluator, value));
          }
          raise("TypeError", span, "bad-format", "%{} format: an integer is required, not {}", type,
                type_name_of(evaluator, value));
        }
        spec.type = type == 'i' || type == 'u' ? 'd' : type;
        if (spec.precision > 0) {
          // %.3d: at least so many digits.
          std::string digits = fmt::format("{}", raw_int(plain) < 0 ? -raw_int(plain) : raw_int(plain));
          if (type == 'x') digits = fmt::format("{:x}", raw_int(plain));
          while (static_cast<int64_t>(digits.size()) < spec.precision) digits.insert(digits.begin(), '0');
          result += pad_number(sign_text(raw_int(plain) < 0, spec), "", digits, "", spec);
        } else {
          spec.precision = -1;
          result += format_int(raw_int(plain), spec, "int", span);
        }
        break;
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G': {
        if (is_int(plain) || is_bool(plain)) plain = static_cast<double>(raw_int(plain));
        if (!is_float(plain)) {
          raise("TypeError", span, "bad-format", "must be real number, not {}",
                type_name_of(evaluator, value));
        }
        spec.type = type;
        if (!std::isfinite(raw_float(plain)) && spec.align == '=') spec.align = '>', spec.fill = " ";
        result += format_float(raw_float(plain), spec, span);
        break;
      }
      case 'c': {
        if (is_str(plain)) {
          result += format_str(text_of(plain), spec, "str", span);
        } else if (is_int(plain)) {
          std::string text;
          append_utf8(text, static_cast<uint32_t>(raw_int(plain)));
          result += pad(text, spec, '>');
        } else {
          raise("TypeError", span, "bad-format", "%c requires int or char");
        }
        break;
      }
      default:
        raise("ValueError", span, "bad-format", "unsupported format character '{}' (0x{:x}) at index {}",
              type, static_cast<int>(type), i);
    }
  }
  size_t given = tuple ? elements(args).size() : 1;
  // What can be indexed counts as a mapping, which need not be used up.
  bool mapping = args.type_index() == kTVMFFIDict || args.type_index() == kTVMFFIList;
  if (next < given && !by_name && !mapping) {
    raise("TypeError", span, "format-arguments", "not all arguments converted during string formatting");
  }
  return result;
}

// str.format: args[0] is the format itself.
std::string format_method(Evaluator& evaluator, std::string_view format, const Arguments& args) {
  std::string result;
  size_t automatic = 0;
  bool numbered = false;
  struct Reader {
    Evaluator& evaluator;
    const Arguments& args;
    size_t& automatic;
    bool& numbered;

    Any field(std::string_view name) {
      size_t end = 0;
      while (end < name.size() && name[end] != '.' && name[end] != '[') ++end;
      std::string_view first = name.substr(0, end);
      Any value;
      int64_t index = 0;
      auto [stop, status] = std::from_chars(first.data(), first.data() + first.size(), index);
      bool is_number = !first.empty() && status == std::errc{} && stop == first.data() + first.size();
      if (first.empty() || is_number) {
        if (is_number) {
          if (automatic > 0) {
            raise("ValueError", args.span, "bad-format",
                  "cannot switch from automatic field numbering to manual field specification");
          }
          numbered = true;
        } else {
          if (numbered) {
            raise("ValueError", args.span, "bad-format",
                  "cannot switch from manual field specification to automatic field numbering");
          }
          index = static_cast<int64_t>(automatic++);
        }
        if (static_cast<size_t>(index) + 1 >= args.size()) {
          raise("IndexError", args.span, "format-arguments",
                "Replacement index {} out of range for positional args tuple", index);
        }
        value = args[static_cast<size_t>(index) + 1];
      } else {
        const Any* found = args.keyword(first);
        if (found == nullptr) key_error(evaluator, str_value(first), args.span);
        value = *found;
      }
      while (end < name.size()) {
        if (name[end] == '.') {
          size_t stop_at = name.find_first_of(".[", end + 1);
          if (stop_at == std::string_view::npos) stop_at = name.size();
          value = evaluator.attribute(value, Symbol(name.substr(end + 1, stop_at - end - 1)), args.span);
          end = stop_at;
        } else {
          size_t close = name.find(']', end);
          if (close == std::string_view::npos)
            raise("ValueError", args.span, "bad-format", "Missing ']' in format string");
          std::string_view key = name.substr(end + 1, close - end - 1);
          int64_t i = 0;
          auto [at, ok] = std::from_chars(key.data(), key.data() + key.size(), i);
          bool whole = !key.empty() && ok == std::errc{} && at == key.data() + key.size();
          value = evaluator.subscript(value, whole ? Any(i) : str_value(key), args.span);
          end = close + 1;
        }
      }
      return value;
    }
    std::string expand(std::string_view text, int depth) {
      if (depth > 2) raise("ValueError", args.span, "bad-format", "Max string recursion exceeded");
      std::string out;
      for (size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '{' && i + 1 < text.size() && text[i + 1] == '{') {
          out += '{';
          ++i;
        } else if (c == '}') {
          if (i + 1 >= text.size() || text[i + 1] != '}') {
            raise("ValueError", args.span, "bad-format", "Single '}}' encountered in format string");
          }
          out += '}';
          ++i;
        } else if (c == '{') {
          int nesting = 1;
          size_t end = i + 1;
          while (end < text.size() && nesting > 0) {
            if (text[end] == '{') ++nesting;
            if (text[end] == '}') --nesting;
            ++end;
          }
          if (nesting > 0) {
            if (i + 1 == text.size()) {
              raise("ValueError", args.span, "bad-format", "Single '{{' encountered in format string");
            }
            raise("ValueError", args.span, "bad-format", "expected '}}' before end of string");
          }
          std::string_view inside = text.substr(i + 1, end - i - 2);
          size_t colon = inside.find_first_of("!:");
          // A '[' key may hold these characters.
          size_t bracket = inside.find('[');
          if (bracket != std::string_view::npos && colon != std::string_view::npos && bracket < colon) {
            size_t close = inside.find(']', bracket);
            colon = close == std::string_view::npos ? colon : inside.find_first_of("!:", close);
          }
          std::string_view name = inside.substr(0, colon);
          std::string_view rest = colon == std::string_view::npos ? "" : inside.substr(colon);
          Any value = field(name);
          if (!rest.empty() && rest[0] == '!') {
            if (rest.size() < 2)
              raise("ValueError", args.span, "bad-format",
                    "end of string while looking for conversion specifier");
            char conversion = rest[1];
            if (conversion == 'r')
              value = str_value(evaluator.repr(value));
            else if (conversion == 'a')
              value = str_value(ascii_text(evaluator.repr(value)));
            else if (conversion == 's')
              value = str_value(evaluator.str(value));
            else
              raise("ValueError", args.span, "bad-format", "Unknown conversion specifier {}", conversion);
            rest.remove_prefix(2);
          }
          if (!rest.empty()) rest.remove_prefix(1);
          out += format_value(evaluator, value, rest.empty() ? "" : expand(rest, depth + 1), args.span);
          i = end - 1;
        } else {
          out += c;
        }
      }
      return out;
    }
  } reader{evaluator, args, automatic, numbered};
  return reader.expand(format, 1);
}

}  // namespace mlc::script
