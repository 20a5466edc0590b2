// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/types/wide_int.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "frontend/script/core/machine.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "negative-shift",
         .message = "negative shift count"},
    }};
MLC_REFUSALS(types_wide_int, refusals);

namespace {

using syntax::BinOperator;
using Magnitude = unsigned __int128;

// Sign and magnitude; there is no negative zero.
struct Whole {
  bool negative = false;
  Magnitude magnitude = 0;
};

[[noreturn]] void too_wide(ir::Span span) {
  raise("NotImplementedError", span, "not-supported", "integers of more than 128 bits are not available");
}

Whole whole_of(const Any& value) {
  if (auto* wide = as_wide(value)) return {wide->negative, wide->magnitude()};
  int64_t plain = raw_int(value);
  return {plain < 0, plain < 0 ? 0 - static_cast<uint64_t>(plain) : static_cast<uint64_t>(plain)};
}
Any value_of(Whole whole) {
  uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (whole.negative ? 1 : 0);
  if (whole.magnitude > limit) return Any(ir::make<WideIntNode>(whole.negative, whole.magnitude));
  auto low = static_cast<uint64_t>(whole.magnitude);
  return static_cast<int64_t>(whole.negative ? 0 - low : low);
}

int bits_of(Magnitude magnitude) {
  auto high = static_cast<uint64_t>(magnitude >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(magnitude));
}

Whole add(Whole a, Whole b, ir::Span span) {
  if (a.negative == b.negative) {
    Magnitude sum;
    if (__builtin_add_overflow(a.magnitude, b.magnitude, &sum)) too_wide(span);
    return {a.negative, sum};
  }
  if (a.magnitude < b.magnitude) std::swap(a, b);
  Magnitude rest = a.magnitude - b.magnitude;
  return {a.negative && rest != 0, rest};
}
Whole multiply(Whole a, Whole b, ir::Span span) {
  Magnitude product;
  if (__builtin_mul_overflow(a.magnitude, b.magnitude, &product)) too_wide(span);
  return {a.negative != b.negative && product != 0, product};
}
// Quotient and remainder, rounded down as Python divides.
std::pair<Whole, Whole> floor_divide(Whole a, Whole b, ir::Span span) {
  Whole quotient{false, a.magnitude / b.magnitude}, rest{false, a.magnitude % b.magnitude};
  if (a.negative != b.negative && rest.magnitude != 0) {
    rest.magnitude = b.magnitude - rest.magnitude;
    quotient = add(quotient, {false, 1}, span);
  }
  quotient.negative = a.negative != b.negative && quotient.magnitude != 0;
  rest.negative = b.negative && rest.magnitude != 0;
  return {quotient, rest};
}

// As Python's unlimited two's complement: the bits of 128 and a sign, which stands for all bits above them.
struct Bits {
  Magnitude low;
  bool sign;
};
Bits complement(Whole a) { return {a.negative ? ~(a.magnitude - 1) : a.magnitude, a.negative}; }
Whole from_complement(Bits bits, ir::Span span) {
  if (!bits.sign) return {false, bits.low};
  if (bits.low == 0) too_wide(span);  // -2 ** 128
  return {true, ~bits.low + 1};
}

Whole shifted_left(Whole a, const Whole& by, ir::Span span) {
  if (a.magnitude == 0) return a;
  if (by.magnitude > static_cast<Magnitude>(128 - bits_of(a.magnitude))) too_wide(span);
  return {a.negative, a.magnitude << static_cast<int>(by.magnitude)};
}
Whole shifted_right(Whole a, const Whole& by, ir::Span span) {
  Magnitude kept = by.magnitude >= 128 ? 0 : a.magnitude >> static_cast<int>(by.magnitude);
  bool lost = by.magnitude >= 128 ? a.magnitude != 0 : kept << static_cast<int>(by.magnitude) != a.magnitude;
  if (!a.negative) return {false, kept};
  return lost ? add({true, kept}, {true, 1}, span) : Whole{kept != 0, kept};  // rounded down
}

double double_of(Whole a) {
  auto value = static_cast<double>(a.magnitude);
  return a.negative ? -value : value;
}
// 113 bits of the quotient hold more than twice the digits of a double, so that rounding twice does no harm.
double quotient_of(Whole a, Whole b) {
  auto quotient = static_cast<double>(static_cast<__float128>(a.magnitude) / static_cast<__float128>(b.magnitude));
  return a.negative != b.negative ? -quotient : quotient;
}

Whole power(Whole base, Whole exponent, ir::Span span) {
  bool odd = (exponent.magnitude & 1) != 0;
  if (base.magnitude <= 1)
    return exponent.magnitude == 0 ? Whole{false, 1} : Whole{base.negative && odd, base.magnitude};
  if (exponent.magnitude > 128) too_wide(span);
  Whole result{false, 1};
  for (auto left = static_cast<int>(exponent.magnitude); left > 0; --left) result = multiply(result, base, span);
  return result;
}

}  // namespace

Any whole_binary(BinOperator op, const Any& left, const Any& right, ir::Span span) {
  Whole a = whole_of(left), b = whole_of(right);
  bool divides = op == BinOperator::kDiv || op == BinOperator::kFloorDiv || op == BinOperator::kMod;
  if (divides && b.magnitude == 0) {
    raise("ZeroDivisionError", span, "division-by-zero", "{}",
          op == BinOperator::kDiv        ? "division by zero"
          : op == BinOperator::kFloorDiv ? "integer division or modulo by zero"
                                         : "integer modulo by zero");
  }
  if ((op == BinOperator::kLShift || op == BinOperator::kRShift) && b.negative)
    raise(refusals["negative-shift"], span);
  Bits x = complement(a), y = complement(b);
  switch (op) {
    case BinOperator::kAdd:
      return value_of(add(a, b, span));
    case BinOperator::kSub:
      return value_of(add(a, {!b.negative && b.magnitude != 0, b.magnitude}, span));
    case BinOperator::kMult:
      return value_of(multiply(a, b, span));
    case BinOperator::kDiv:
      return quotient_of(a, b);
    case BinOperator::kFloorDiv:
      return value_of(floor_divide(a, b, span).first);
    case BinOperator::kMod:
      return value_of(floor_divide(a, b, span).second);
    case BinOperator::kPow:
      if (!b.negative) return value_of(power(a, b, span));
      if (a.magnitude == 0)
        raise("ZeroDivisionError", span, "division-by-zero", "0.0 cannot be raised to a negative power");
      return std::pow(double_of(a), double_of(b));
    case BinOperator::kLShift:
      return value_of(shifted_left(a, b, span));
    case BinOperator::kRShift:
      return value_of(shifted_right(a, b, span));
    case BinOperator::kBitOr:
      return value_of(from_complement({x.low | y.low, x.sign || y.sign}, span));
    case BinOperator::kBitXor:
      return value_of(from_complement({x.low ^ y.low, x.sign != y.sign}, span));
    case BinOperator::kBitAnd:
      return value_of(from_complement({x.low & y.low, x.sign && y.sign}, span));
    case BinOperator::kMatMult:
      break;
  }
  return not_implemented();
}

Any whole_negated(const Any& value) {
  Whole a = whole_of(value);
  return value_of({!a.negative && a.magnitude != 0, a.magnitude});
}
Any whole_inverted(const Any& value) {
  Whole a = whole_of(value);
  return value_of(add({!a.negative && a.magnitude != 0, a.magnitude}, {true, 1}, {}));
}

int compare_whole(const Any& left, const Any& right) {
  Whole a = whole_of(left), b = whole_of(right);
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  int order = a.magnitude < b.magnitude ? -1 : a.magnitude > b.magnitude ? 1 : 0;
  return a.negative ? -order : order;
}
int compare_whole(const Any& left, double right) {
  if (std::isnan(right)) return 2;
  if (std::abs(right) >= 0x1p128) return right > 0 ? -1 : 1;
  double down = std::floor(right);
  int order = compare_whole(left, whole_of_double(down));
  return order == 0 && down != right ? -1 : order;
}

std::string magnitude_text(const Any& value, int base) {
  Magnitude rest = whole_of(value).magnitude;
  std::string text;
  do {
    auto digit = static_cast<int>(rest % static_cast<unsigned>(base));
    text += static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
    rest /= static_cast<unsigned>(base);
  } while (rest != 0);
  std::reverse(text.begin(), text.end());
  return text;
}
std::string whole_text(const Any& value) {
  return (whole_of(value).negative ? "-" : "") + magnitude_text(value, 10);
}

Any whole_of_text(std::string_view text, int base, bool negative) {
  Magnitude magnitude = 0;
  for (char c : text) {
    int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    if (__builtin_mul_overflow(magnitude, static_cast<unsigned>(base), &magnitude) ||
        __builtin_add_overflow(magnitude, static_cast<unsigned>(digit), &magnitude)) {
      too_wide({});
    }
  }
  return value_of({negative && magnitude != 0, magnitude});
}
Any whole_of_double(double whole) {
  if (std::abs(whole) >= 0x1p128) too_wide({});
  return value_of({whole < 0, static_cast<Magnitude>(std::abs(whole))});
}
Any whole_of_float(double real, ir::Span span) {
  if (std::isnan(real)) raise("ValueError", span, "not-a-number", "cannot convert float NaN to integer");
  if (std::isinf(real))
    raise("OverflowError", span, "integer-overflow", "cannot convert float infinity to integer");
  if (std::abs(real) >= 9223372036854775808.0) return whole_of_double(real);
  return static_cast<int64_t>(real);
}
Any whole_of_unsigned(uint64_t value) { return value_of({false, value}); }

double double_of(const WideIntNode& value) { return double_of(Whole{value.negative, value.magnitude()}); }

std::optional<uint64_t> unsigned_of(const Any& value) {
  auto* wide = as_wide(value);
  if (wide == nullptr || wide->negative || wide->high != 0) return std::nullopt;
  return wide->low;
}
int64_t bit_length_of(const WideIntNode& value) { return bits_of(value.magnitude()); }

std::optional<std::string> bytes_of_whole(const WideIntNode& value, size_t length, bool is_signed) {
  Bits bits = complement({value.negative, value.magnitude()});
  // -2 ** n needs no more bits than 2 ** n - 1.
  int wanted = bits_of(value.negative ? value.magnitude() - 1 : value.magnitude());
  if (static_cast<size_t>(wanted) + (is_signed ? 1 : 0) > length * 8) return std::nullopt;
  std::string bytes(length, bits.sign ? '\xff' : '\0');
  for (size_t i = 0; i < std::min<size_t>(length, 16); ++i) bytes[i] = static_cast<char>(bits.low >> (8 * i));
  return bytes;
}
Any whole_of_bytes(std::string_view bytes, bool is_signed) {
  Bits bits{0, is_signed && !bytes.empty() && (bytes.back() & 0x80) != 0};
  if (bits.sign) bits.low = ~Magnitude{0};
  for (size_t i = 0; i < bytes.size(); ++i) {
    Magnitude byte = static_cast<unsigned char>(bytes[i]);
    if (i >= 16 && byte != (bits.sign ? 0xFFU : 0U)) too_wide({});
    if (i < 16) bits.low = (bits.low & ~(Magnitude{0xFF} << (8 * i))) | byte << (8 * i);
  }
  return value_of(from_complement(bits, {}));
}

}  // namespace mlc::script
