// SPDX-License-Identifier: Apache-2.0
// Builtin functions of numbers.
#include <cmath>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "OverflowError",
    {
        {.name = "float-overflow",
         .message = "rounded value too large to represent"},
    }};
MLC_REFUSALS(types_builtin_numbers, refusals);

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
  if (evaluator.state().registered(value, "__abs__", {}, result, args.span)) return result;
  raise("TypeError", args.span_of(0), "wrong-type", "bad operand type for abs(): '{}'",
        type_name_of(evaluator, value));
}

// Rounds half to even; digits behind the point by way of the exact decimal text.
double round_digits(double value, int64_t digits) {
  if (!std::isfinite(value) || digits > 323) return value;
  if (digits < -308) return std::copysign(0.0, value);
  if (digits < 0) {
    double scale = std::pow(10.0, static_cast<double>(-digits));
    return std::copysign(std::nearbyint(value / scale) * scale, value);
  }
  int size = std::snprintf(nullptr, 0, "%.*f", static_cast<int>(digits), value);
  std::string text(static_cast<size_t>(size), 0);
  std::snprintf(text.data(), text.size() + 1, "%.*f", static_cast<int>(digits), value);
  return std::strtod(text.c_str(), nullptr);
}

Any round(Evaluator& evaluator, const Arguments& args) {
  const Any* digits = args.size() == 2 ? &args[1] : args.keyword("ndigits");
  if (digits != nullptr && is_none(*digits)) digits = nullptr;
  Any value = plain_number(args[0]);
  bool integer = is_int(value) || is_bool(value) || as_wide(value) != nullptr;
  int64_t count = digits != nullptr && (integer || is_float(value))
                      ? index_value(evaluator, *digits, args.span, "ndigits")
                      : 0;
  if (integer) {
    if (count >= 0) return is_bool(value) ? Any(raw_int(value)) : value;
    using syntax::BinOperator;
    auto exact = [&](BinOperator op, const Any& a, const Any& b) { return whole_binary(op, a, b, args.span); };
    if (count < -38) return int64_t{0};  // less than a half of it, as no integer has more than 128 bits
    Any scale = exact(BinOperator::kPow, int64_t{10}, -count);
    Any rest = exact(BinOperator::kMod, value, scale);
    Any down = exact(BinOperator::kSub, value, rest);
    int half = compare_whole(exact(BinOperator::kMult, rest, int64_t{2}), scale);
    Any odd = exact(BinOperator::kMod, exact(BinOperator::kFloorDiv, down, scale), int64_t{2});
    return half > 0 || (half == 0 && raw_int(odd) != 0) ? exact(BinOperator::kAdd, down, scale) : down;
  }
  if (is_float(value)) {
    double real = raw_float(value);
    if (digits != nullptr) {
      double rounded = round_digits(real, count);
      if (std::isinf(rounded) && std::isfinite(real))
        raise(refusals["float-overflow"], args.span);
      return rounded;
    }
    return whole_of_float(std::nearbyint(real), args.span);
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

Any pow(Evaluator& evaluator, const Arguments& args) {
  return evaluator.binary(syntax::BinOperator::kPow, args[0], args[1], args.span);
}

int64_t whole(Evaluator& evaluator, const Arguments& args) {
  return index_value(evaluator, args[0], args.span_of(0), "argument");
}
template <int base>
Any with_prefix(Evaluator& evaluator, const Arguments& args) {
  Any value = as_wide(args[0]) != nullptr ? args[0] : Any(whole(evaluator, args));
  std::string text = magnitude_text(value, base);
  text.insert(0, base == 16 ? "0x" : base == 8 ? "0o" : "0b");
  if (compare_whole(value, Any(int64_t{0})) < 0) text.insert(0, "-");
  return str_value(text);
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
  return static_cast<int64_t>(take_point(text));
}

constexpr BuiltinRow functions[] = {
    {"sum", "(iterable, start=0)", "The sum of the elements.", sum, 1, 2, "start"},
    {"abs", "(x)", "The absolute value.", abs, 1, 1},
    {"round", "(number, ndigits=None)", "The number rounded, half to even.", round, 1, 2, "ndigits"},
    {"divmod", "(a, b)", "The pair (a // b, a % b).", divmod, 2, 2},
    {"pow", "(base, exp)", "base ** exp.", pow, 2, 2},
    {"hex", "(number)", "The number in base 16.", with_prefix<16>, 1, 1},
    {"oct", "(number)", "The number in base 8.", with_prefix<8>, 1, 1},
    {"bin", "(number)", "The number in base 2.", with_prefix<2>, 1, 1},
    {"chr", "(i)", "The character of a code point.", chr, 1, 1},
    {"ord", "(c)", "The code point of a character.", ord, 1, 1},
};

}  // namespace

std::span<const BuiltinRow> number_builtins() { return functions; }

}  // namespace mlc::script
