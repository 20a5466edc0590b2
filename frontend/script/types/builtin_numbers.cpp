// SPDX-License-Identifier: Apache-2.0
// Builtin functions of numbers.
#include <cmath>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/wide_int.h"

namespace mlc::script {
namespace {

Any sum(Evaluator& evaluator, const Arguments& args) {
  const Any* start = args.size() == 2 ? &args[1] : args.keyword("start");
  Any total = start == nullptr ? Any(int64_t{0}) : *start;
  if (is_str(total)) {
    raise("TypeError", args.span, "wrong-type", "sum() can't sum strings [use ''.join(seq) instead]");
  }
  if (is_bytes(total))
    raise("TypeError", args.span, "wrong-type", "sum() can't sum bytes [use b''.join(seq) instead]");
  auto add = [&](const Any& value) {
    int64_t r;
    if (is_int(total) && is_int(value) && !__builtin_add_overflow(raw_int(total), raw_int(value), &r)) {
      total = r;
    } else if (is_float(total) && is_float(value)) {
      total = raw_float(total) + raw_float(value);
    } else {
      total = evaluator.binary(syntax::BinOperator::kAdd, total, value, args.span);
    }
  };
  if (args[0].type_index() == kTVMFFIList || args[0].type_index() == kTVMFFIArray) {
    for (size_t i = 0; i < elements(args[0]).size(); ++i) add(elements(args[0])[i]);
    return total;
  }
  Any iterator = evaluator.iterate(args[0], args.span_of(0));
  Any value;
  while (evaluator.next(iterator, value)) add(value);
  return total;
}

Any abs(Evaluator& evaluator, const Arguments& args) {
  const Any& value = args[0];
  if (is_int(value) || is_bool(value)) {
    int64_t v = raw_int(value);
    if (v == INT64_MIN) return whole_negated(value);
    return v < 0 ? -v : v;
  }
  if (auto* wide = as_wide(value)) return wide->negative ? whole_negated(value) : value;
  if (is_float(value)) return std::abs(raw_float(value));
  Any result;
  if (evaluator.state().special(value, known().abs, {}, result, args.span)) return result;
  if (is_array_operand(value)) return call_numpy(evaluator, "numpy.abs", args);
  if (is_object(value)) {
    if (const ir::Api* api = ir::ApiRegistry::global().method(value.type_index(), "__abs__")) {
      return evaluator.call(evaluator.state().api_value(api), std::span<const Any>(&value, 1), {}, args.span);
    }
  }
  raise("TypeError", args.span_of(0), "wrong-type", "bad operand type for abs(): '{}'",
        type_name_of(evaluator, value));
}

// Rounds half to even in decimal, by way of the exact digits.
double round_digits(double value, int64_t digits) {
  if (!std::isfinite(value) || digits > 323) return value;
  if (digits < -308) return std::copysign(0.0, value);
  if (digits >= 0) {
    int size = std::snprintf(nullptr, 0, "%.*f", static_cast<int>(digits), value);
    std::string text(static_cast<size_t>(size), 0);
    std::snprintf(text.data(), text.size() + 1, "%.*f", static_cast<int>(digits), value);
    return std::strtod(text.c_str(), nullptr);
  }
  // What is at least 1 has no more than 52 digits behind the point.
  std::string text = fmt::format("{:.60f}", std::abs(value));
  size_t point = text.find('.');
  auto cut = static_cast<int64_t>(point) + digits;
  if (cut < 0) return std::copysign(0.0, value);
  std::string kept = "0" + text.substr(0, static_cast<size_t>(cut));
  std::string rest =
      text.substr(static_cast<size_t>(cut), point - static_cast<size_t>(cut)) + text.substr(point + 1);
  bool half = rest[0] == '5' && rest.find_first_not_of('0', 1) == std::string::npos;
  if (half ? (kept.back() - '0') % 2 != 0 : rest[0] >= '5') {
    size_t i = kept.size() - 1;
    for (; kept[i] == '9'; --i) kept[i] = '0';
    ++kept[i];
  }
  double rounded = std::strtod((kept + std::string(static_cast<size_t>(-digits), '0')).c_str(), nullptr);
  return std::copysign(rounded, value);
}

Any round(Evaluator& evaluator, const Arguments& args) {
  const Any* digits = args.size() == 2 ? &args[1] : args.keyword("ndigits");
  if (digits != nullptr && is_none(*digits)) digits = nullptr;
  Any value = plain_number(args[0]);
  int64_t count =
      digits != nullptr && is_number(value) ? index_value(evaluator, *digits, args.span, "ndigits") : 0;
  if (is_int(value) || is_bool(value)) {
    if (digits == nullptr || count >= 0) return raw_int(value);
    int64_t scale = 1;
    for (int64_t i = count; i < 0; ++i) {
      if (__builtin_mul_overflow(scale, 10, &scale)) return int64_t{0};
    }
    int64_t v = raw_int(value);
    int64_t rest = ((v % scale) + scale) % scale;
    int64_t down;
    bool up = rest > scale - rest;
    if (__builtin_sub_overflow(v, rest, &down) ||
        ((up || (rest == scale - rest && (down / scale) % 2 != 0)) &&
         __builtin_add_overflow(down, scale, &down))) {
      Any low = whole_binary(syntax::BinOperator::kSub, v, rest, args.span);
      return up ? whole_binary(syntax::BinOperator::kAdd, low, scale, args.span) : low;
    }
    return down;
  }
  if (is_float(value)) {
    double real = raw_float(value);
    if (digits != nullptr) {
      double rounded = round_digits(real, count);
      if (std::isinf(rounded) && std::isfinite(real))
        raise("OverflowError", args.span, "float-overflow", "rounded value too large to represent");
      return rounded;
    }
    if (std::isnan(real))
      raise("ValueError", args.span, "not-a-number", "cannot convert float NaN to integer");
    if (std::isinf(real)) {
      raise("OverflowError", args.span, "integer-overflow", "cannot convert float infinity to integer");
    }
    if (std::abs(real) >= 9223372036854775808.0) return whole_of_double(real);
    return static_cast<int64_t>(std::nearbyint(real));
  }
  if (as_wide(value) != nullptr && digits == nullptr) return value;
  Any result;
  if (evaluator.state().special(value, syntax::Symbol("__round__"),
                                digits == nullptr ? std::span<const Any>() : std::span<const Any>(digits, 1),
                                result, args.span)) {
    return result;
  }
  raise("TypeError", args.span_of(0), "wrong-type", "type {} doesn't define __round__ method",
        type_name_of(evaluator, value));
}

Any divmod(Evaluator& evaluator, const Arguments& args) {
  Any result;
  for (auto [object, method, other] : {std::tuple(0, "__divmod__", 1), std::tuple(1, "__rdivmod__", 0)}) {
    if (evaluator.state().special(args[object], Symbol(method), args.positional.subspan(other, 1), result,
                                  args.span) &&
        !result.same_as(not_implemented()))
      return result;
  }
  Any a = plain_number(args[0]), b = plain_number(args[1]);
  if (is_number(a) && is_number(b) && (is_float(a) || is_float(b)) && to_double(b) == 0)
    raise("ZeroDivisionError", args.span, "division-by-zero", "float divmod()");
  // Arrays and expressions; objects of a script have said above what they can do.
  auto known_object = [](const Any& value) {
    return is_object(value) && as<InstanceNode>(value) == nullptr && !builtin_type_of(value);
  };
  auto number = [](const Any& value) { return is_number(value) || as_wide(value) != nullptr; };
  if (!(number(a) && number(b)) && !known_object(a) && !known_object(b)) {
    raise("TypeError", args.span, "unsupported-operand",
          "unsupported operand type(s) for divmod(): '{}' and '{}'", type_name_of(evaluator, args[0]),
          type_name_of(evaluator, args[1]));
  }
  Any quotient = evaluator.binary(syntax::BinOperator::kFloorDiv, args[0], args[1], args.span);
  return Tuple{quotient, evaluator.binary(syntax::BinOperator::kMod, args[0], args[1], args.span)};
}

// The number whose product with `value` is 1 modulo `modulus`, by Euclid's algorithm.
int64_t inverse(int64_t value, int64_t modulus, ir::Span span) {
  __int128 a = value, b = modulus, x = 1, y = 0;
  while (b != 0) {
    __int128 q = a / b;
    a -= q * b;
    std::swap(a, b);
    x -= q * y;
    std::swap(x, y);
  }
  if (a != 1 && a != -1)
    raise("ValueError", span, "math-domain", "base is not invertible for the given modulus");
  return static_cast<int64_t>(a == 1 ? x % modulus : -x % modulus);
}

Any pow(Evaluator& evaluator, const Arguments& args) {
  if (args.size() == 2 || is_none(args[2]))
    return evaluator.binary(syntax::BinOperator::kPow, args[0], args[1], args.span);
  if (as<InstanceNode>(args[0]) != nullptr) {
    Any made, rest[] = {args[1], args[2]};
    if (evaluator.state().special(args[0], Symbol("__pow__"), rest, made, args.span) &&
        !made.same_as(not_implemented()))
      return made;
  }
  Any values[3];
  bool numbers = true;
  for (size_t i = 0; i < 3; ++i) {
    values[i] = plain_number(args[i]);
    numbers = numbers && (is_number(values[i]) || as_wide(values[i]) != nullptr);
  }
  if (is_float(values[0]) || is_float(values[1]) || is_float(values[2])) {
    raise("TypeError", args.span, "wrong-type",
          "pow() 3rd argument not allowed unless all arguments are integers");
  }
  if (!numbers) {
    raise("TypeError", args.span, "unsupported-operand",
          "unsupported operand type(s) for ** or pow(): '{}', '{}', '{}'", type_name_of(evaluator, args[0]),
          type_name_of(evaluator, args[1]), type_name_of(evaluator, args[2]));
  }
  if (as_wide(values[0]) != nullptr || as_wide(values[1]) != nullptr || as_wide(values[2]) != nullptr) {
    bool negative = as_wide(values[1]) ? as_wide(values[1])->negative : raw_int(values[1]) < 0;
    if (negative)
      raise("NotImplementedError", args.span, "not-supported",
            "inverses modulo a number are left out beyond 64 bits");
    if (is_integer(values[2]) && raw_int(values[2]) == 0)
      raise("ValueError", args.span, "division-by-zero", "pow() 3rd argument cannot be 0");
    return whole_power_modulo(values[0], values[1], values[2], args.span);
  }
  int64_t modulus = raw_int(values[2]), exponent = raw_int(values[1]), base = raw_int(values[0]);
  if (modulus == 0) raise("ValueError", args.span, "division-by-zero", "pow() 3rd argument cannot be 0");
  auto multiply = [&](__int128 a, __int128 b) {
    return static_cast<int64_t>(((a * b) % modulus + modulus) % modulus);
  };
  base = multiply(base, 1);
  if (exponent < 0) {
    if (exponent == INT64_MIN)
      raise("OverflowError", args.span, "integer-overflow", "-({}) does not fit in 64 bits", exponent);
    base = multiply(inverse(base, modulus, args.span), 1);
    exponent = -exponent;
  }
  int64_t result = multiply(1, 1);
  for (int64_t e = exponent; e > 0; e >>= 1) {
    if ((e & 1) != 0) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

int64_t whole(Evaluator& evaluator, const Arguments& args) {
  return index_value(evaluator, args[0], args.span_of(0), "argument");
}
std::string with_prefix(int64_t value, std::string_view prefix, int base) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  std::string digits = base == 16  ? fmt::format("{:x}", magnitude)
                       : base == 8 ? fmt::format("{:o}", magnitude)
                                   : fmt::format("{:b}", magnitude);
  return std::string(value < 0 ? "-" : "") + std::string(prefix) + digits;
}
// Of an int beyond 64 bits.
Any wide_with_prefix(const Any& value, std::string_view prefix, int base) {
  return str_value(std::string(as_wide(value)->negative ? "-" : "") + std::string(prefix) +
                   magnitude_text(value, base));
}
Any hex(Evaluator& evaluator, const Arguments& args) {
  if (as_wide(args[0]) != nullptr) return wide_with_prefix(args[0], "0x", 16);
  return str_value(with_prefix(whole(evaluator, args), "0x", 16));
}
Any oct(Evaluator& evaluator, const Arguments& args) {
  if (as_wide(args[0]) != nullptr) return wide_with_prefix(args[0], "0o", 8);
  return str_value(with_prefix(whole(evaluator, args), "0o", 8));
}
Any bin(Evaluator& evaluator, const Arguments& args) {
  if (as_wide(args[0]) != nullptr) return wide_with_prefix(args[0], "0b", 2);
  return str_value(with_prefix(whole(evaluator, args), "0b", 2));
}

Any chr(Evaluator& evaluator, const Arguments& args) {
  int64_t point = whole(evaluator, args);
  if (point != static_cast<int32_t>(point)) {
    raise("OverflowError", args.span_of(0), "out-of-range", "Python int too large to convert to C int");
  }
  if (point >= 0xD800 && point <= 0xDFFF)
    raise("NotImplementedError", args.span_of(0), "not-supported",
          "a str has no surrogates here: chr(0x{:x})", point);
  if (point < 0 || point > 0x10FFFF) {
    raise("ValueError", args.span_of(0), "out-of-range", "chr() arg not in range(0x110000)");
  }
  std::string text;
  append_utf8(text, static_cast<uint32_t>(point));
  return str_value(text);
}
Any ord(Evaluator& evaluator, const Arguments& args) {
  if (is_bytes(args[0])) {
    std::string bytes = bytes_of(args[0]);
    if (bytes.size() == 1) return static_cast<int64_t>(static_cast<unsigned char>(bytes[0]));
    raise("TypeError", args.span_of(0), "wrong-type",
          "ord() expected a character, but string of length {} found", bytes.size());
  }
  if (!is_str(args[0])) {
    raise("TypeError", args.span_of(0), "wrong-type", "ord() expected string of length 1, but {} found",
          type_name_of(evaluator, args[0]));
  }
  std::string_view text = text_of(args[0]);
  if (utf8_length(text) != 1) {
    raise("TypeError", args.span_of(0), "wrong-type",
          "ord() expected a character, but string of length {} found", utf8_length(text));
  }
  auto c = static_cast<unsigned char>(text[0]);
  if (c < 0x80) return static_cast<int64_t>(c);
  uint32_t point = c & (0xFF >> (text.size() + 1));
  for (size_t i = 1; i < text.size(); ++i) point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  return static_cast<int64_t>(point);
}

constexpr BuiltinRow functions[] = {
    {"sum", "(iterable, start=0)", "The sum of the elements.", sum, 1, 2, "start"},
    {"abs", "(x)", "The absolute value.", abs, 1, 1},
    {"round", "(number, ndigits=None)", "The number rounded, half to even.", round, 1, 2, "ndigits"},
    {"divmod", "(a, b)", "The pair (a // b, a % b).", divmod, 2, 2},
    {"pow", "(base, exp, mod=None)", "base ** exp, or that modulo mod.", pow, 2, 3},
    {"hex", "(number)", "The number in base 16.", hex, 1, 1},
    {"oct", "(number)", "The number in base 8.", oct, 1, 1},
    {"bin", "(number)", "The number in base 2.", bin, 1, 1},
    {"chr", "(i)", "The character of a code point.", chr, 1, 1},
    {"ord", "(c)", "The code point of a character.", ord, 1, 1},
};

}  // namespace

std::span<const BuiltinRow> number_builtins() { return functions; }

}  // namespace mlc::script
