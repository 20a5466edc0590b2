// SPDX-License-Identifier: Apache-2.0
// `format % values`: each field becomes a format specification.
#include "frontend/script/core/machine.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/expr.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{"TypeError",
                                       {
                                           {.name = "bad-format"},
                                           {.name = "format-arguments",
                                            .meaning = "`%` needs as many values as its text has fields.",
                                            .wrong = R"("%d of %d" % (1,))",
                                            .right = R"("%d of %d" % (1, 2))"},
                                       }};
MLC_REFUSALS(types_percent_format, refusals);

namespace {

// What one `%` is given: the values of a tuple in turn, one value, or a mapping's by name.
class Values {
 public:
  Values(Evaluator& evaluator, const Any& args, ir::Span span)
      : evaluator_(evaluator), args_(args), span_(span) {
    const Any& plain = builtin_value_of(args);
    auto* instance = as<InstanceNode>(args);
    mapping_ = plain.type_index() == kTVMFFIDict ||
               (instance != nullptr && instance->cls->find(known().getitem) != nullptr);
  }
  Any take() {
    if (next_ >= count())
      raise_as(refusals["format-arguments"], span_, "not enough arguments for format string");
    ++next_;
    return Tuple::is(args_) ? elements(args_)[next_ - 1] : args_;
  }
  Any named(std::string_view name) {
    if (!mapping_) raise_as(refusals["bad-format"], span_, "format requires a mapping");
    next_ = 1;  // no field without a name may follow
    return evaluator_.subscript(args_, str_value(name), span_);
  }
  void finish() {
    if (next_ < count() && !mapping_)
      raise_as(refusals["format-arguments"], span_, "not all arguments converted during string formatting");
  }

 private:
  size_t count() const { return Tuple::is(args_) ? elements(args_).size() : 1; }

  Evaluator& evaluator_;
  const Any& args_;
  ir::Span span_;
  size_t next_ = 0;
  bool mapping_;
};

// The value as the type of the field wants it: a text, an int or a float.
Any converted(Evaluator& evaluator, const Any& value, char type, ir::Span span) {
  if (type == 's') return str_value(evaluator.str(value));
  if (type == 'r') return str_value(evaluator.repr(value));
  if (type == 'a') return str_value(ascii_text(evaluator.repr(value)));
  Any plain = plain_number(builtin_value_of(value));
  if (auto* constant = value.as<ir::IntImmNode>()) plain = Any(constant->value);
  if (auto* constant = value.as<ir::FloatImmNode>()) plain = Any(constant->value);
  if (type == 'c' && is_str(plain) && utf8_length(text_of(plain)) == 1) return plain;
  bool number = is_number(plain) || as_wide(plain) != nullptr;
  bool real = type != 'c' && type != 'x' && type != 'X' && type != 'o';
  bool as_float = std::string_view("eEfFgG").find(type) != std::string_view::npos;
  Any made;
  if (!number && ((real && evaluator.state().special(value, as_float ? known().real : known().integer, {},
                                                     made, span)) ||
                  evaluator.state().special(value, known().index, {}, made, span))) {
    plain = made;
    number = is_number(plain);
  }
  if (!number || (is_float(plain) && !real)) {
    raise_as(refusals["bad-format"], span, "%{} format: {} is required, not {}", type,
             real          ? "a real number"
             : type == 'c' ? "an integer or one character"
                           : "an integer",
             type_name_of(evaluator, value));
  }
  if (is_float(plain) == as_float || type == 'c') return plain;
  return evaluator.call(Any(as_float ? types().real : types().integer), std::span<const Any>(&plain, 1), {},
                        span);
}

}  // namespace

std::string percent_format(Evaluator& evaluator, std::string_view format, const Any& args, ir::Span span) {
  std::string result;
  Values values(evaluator, args, span);
  size_t i = 0;
  auto here = [&] {
    if (i >= format.size()) raise_as(refusals["bad-format"].as("ValueError"), span, "incomplete format");
    return format[i];
  };
  auto number = [&] {
    if (i < format.size() && format[i] == '*') {
      Any star = values.take();
      if (!is_integer(star)) raise_as(refusals["bad-format"], span, "* wants int");
      ++i;
      return std::to_string(raw_int(star));
    }
    size_t begin = i;
    while (i < format.size() && format[i] >= '0' && format[i] <= '9') ++i;
    return std::string(format.substr(begin, i - begin));
  };
  while (i < format.size()) {
    size_t percent = std::min(format.find('%', i), format.size());
    result += format.substr(i, percent - i);
    i = percent + 1;
    if (percent == format.size()) break;
    if (here() == '%') {
      result += '%';
      ++i;
      continue;
    }
    Any value;
    bool named = format[i] == '(';
    if (named) {
      size_t end = format.find(')', i);
      if (end == std::string_view::npos)
        raise_as(refusals["bad-format"].as("ValueError"), span, "incomplete format key");
      value = values.named(format.substr(i + 1, end - i - 1));
      i = end + 1;
    }
    std::string flags;
    for (; std::string_view("-+ #0").find(here()) != std::string_view::npos; ++i) flags += format[i];
    auto flag = [&](char c) { return flags.find(c) != std::string::npos; };
    std::string width = number(), precision;
    bool left = flag('-') || width.starts_with('-');
    if (width.starts_with('-')) width.erase(0, 1);
    if (here() == '.') {
      ++i;
      precision = number();
      if (precision.empty()) precision += '0';
    }
    if (here() == 'l' || format[i] == 'h' || format[i] == 'L') ++i;
    char type = here();
    if (std::string_view("srcadiuxXoeEfFgG").find(type) == std::string_view::npos) {
      raise_as(refusals["bad-format"].as("ValueError"), span,
               "unsupported format character '{}' (0x{:x}) at index {}", type,
               static_cast<unsigned char>(type), utf8_length(format.substr(0, i)));
    }
    ++i;
    if (!named) value = values.take();
    value = converted(evaluator, value, type, span);
    bool text = is_str(value);
    bool zeros = flag('0') && !left && !text && type != 'c';
    std::string spec(left ? "<" : zeros ? "" : ">");
    if (!text && (flag('+') || flag(' '))) spec += flag('+') ? '+' : ' ';
    if (!text && flag('#')) spec += '#';
    if (zeros) spec += '0';
    spec += width;
    bool whole =
        type == 'd' || type == 'i' || type == 'u' || type == 'x' || type == 'X' || type == 'o' || type == 'c';
    if (!precision.empty() && !whole) spec += "." + precision;
    spec += text ? 's' : type == 'i' || type == 'u' ? 'd' : type;
    result += format_value(evaluator, value, spec, span);
  }
  values.finish();
  return result;
}

}  // namespace mlc::script
