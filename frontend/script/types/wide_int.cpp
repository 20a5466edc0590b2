// SPDX-License-Identifier: Apache-2.0
// Arithmetic on integers of any size: sign and magnitude, 32 bits a digit, by the methods of school (Knuth,
// The Art of Computer Programming 2, 4.3.1).
#include "frontend/script/types/wide_int.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "frontend/script/core/machine.h"

namespace mlc::script {
namespace {

using syntax::BinOperator;
using Digits = std::vector<uint32_t>;

struct Whole {
  bool negative = false;
  Digits digits;
  bool is_zero() const { return digits.empty(); }
};

constexpr size_t kMostDigits = size_t{1} << 21;  // 2 ** 26 bits

void trim(Digits& digits) {
  while (!digits.empty() && digits.back() == 0) digits.pop_back();
}

Whole from_magnitude(uint64_t magnitude, bool negative) {
  Whole made{negative, {static_cast<uint32_t>(magnitude), static_cast<uint32_t>(magnitude >> 32)}};
  trim(made.digits);
  return made;
}
Whole whole_of(const Any& value) {
  if (auto* wide = as_wide(value)) return {wide->negative, wide->digits};
  int64_t plain = raw_int(value);
  return from_magnitude(plain < 0 ? 0 - static_cast<uint64_t>(plain) : static_cast<uint64_t>(plain),
                        plain < 0);
}
uint64_t low_64(const Digits& digits) {
  uint64_t low = digits.empty() ? 0 : digits[0];
  return digits.size() > 1 ? low | uint64_t{digits[1]} << 32 : low;
}

Any value_of(Whole whole, ir::Span span = {}) {
  trim(whole.digits);
  if (whole.digits.size() <= 2) {
    uint64_t magnitude = low_64(whole.digits);
    uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (whole.negative ? 1 : 0);
    if (magnitude <= limit)
      return whole.negative ? static_cast<int64_t>(0 - magnitude) : static_cast<int64_t>(magnitude);
  }
  if (whole.digits.size() > kMostDigits)
    raise("MemoryError", span, "too-large", "an int of {} bits is too large", whole.digits.size() * 32);
  return Any(ir::make<WideIntNode>(whole.negative, std::move(whole.digits)));
}

int compare(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (size_t i = a.size(); i-- > 0;)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

Digits sum(const Digits& a, const Digits& b) {
  const Digits& longer = a.size() < b.size() ? b : a;
  const Digits& shorter = a.size() < b.size() ? a : b;
  Digits result;
  uint64_t carry = 0;
  for (size_t i = 0; i < longer.size(); ++i) {
    carry += uint64_t{longer[i]} + (i < shorter.size() ? shorter[i] : 0);
    result.push_back(static_cast<uint32_t>(carry));
    carry >>= 32;
  }
  if (carry != 0) result.push_back(static_cast<uint32_t>(carry));
  return result;
}
// a - b, where a is not less.
Digits difference(const Digits& a, const Digits& b) {
  Digits result = a;
  int64_t borrow = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t digit = int64_t{a[i]} - (i < b.size() ? b[i] : 0) - borrow;
    borrow = digit < 0 ? 1 : 0;
    result[i] = static_cast<uint32_t>(digit);
  }
  trim(result);
  return result;
}
Whole add(const Whole& a, const Whole& b) {
  if (a.negative == b.negative) return {a.negative, sum(a.digits, b.digits)};
  int order = compare(a.digits, b.digits);
  if (order == 0) return {};
  return order > 0 ? Whole{a.negative, difference(a.digits, b.digits)}
                   : Whole{b.negative, difference(b.digits, a.digits)};
}

Digits product(const Digits& a, const Digits& b) {
  if (a.empty() || b.empty()) return {};
  Digits result(a.size() + b.size(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t carry = 0;
    for (size_t k = 0; k < b.size() || carry != 0; ++k) {
      carry += result[i + k] + uint64_t{a[i]} * (k < b.size() ? b[k] : 0);
      result[i + k] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  trim(result);
  return result;
}

// Divides in place by one digit; the remainder.
uint32_t divide_by_digit(Digits& a, uint32_t by) {
  uint64_t rest = 0;
  for (size_t i = a.size(); i-- > 0;) {
    rest = rest << 32 | a[i];
    a[i] = static_cast<uint32_t>(rest / by);
    rest %= by;
  }
  trim(a);
  return static_cast<uint32_t>(rest);
}

Digits shifted_left(const Digits& a, size_t bits) {
  if (a.empty()) return {};
  Digits result(bits / 32, 0);
  unsigned part = bits % 32;
  uint64_t carry = 0;
  for (uint32_t digit : a) {
    carry |= uint64_t{digit} << part;
    result.push_back(static_cast<uint32_t>(carry));
    carry >>= 32;
  }
  result.push_back(static_cast<uint32_t>(carry));
  trim(result);
  return result;
}
Digits shifted_right(const Digits& a, size_t bits) {
  if (bits / 32 >= a.size()) return {};
  Digits result(a.begin() + static_cast<ptrdiff_t>(bits / 32), a.end());
  if (unsigned part = bits % 32; part != 0) {
    for (size_t i = 0; i < result.size(); ++i) {
      uint64_t pair = result[i] | uint64_t{i + 1 < result.size() ? result[i + 1] : 0} << 32;
      result[i] = static_cast<uint32_t>(pair >> part);
    }
  }
  trim(result);
  return result;
}

// Quotient and remainder of magnitudes, b not zero (Knuth's algorithm D).
std::pair<Digits, Digits> divide(const Digits& a, const Digits& b) {
  if (compare(a, b) < 0) return {{}, a};
  if (b.size() == 1) {
    Digits quotient = a;
    uint32_t rest = divide_by_digit(quotient, b[0]);
    return {quotient, rest == 0 ? Digits{} : Digits{rest}};
  }
  unsigned shift = static_cast<unsigned>(std::countl_zero(b.back()));
  Digits v = shifted_left(b, shift), u = shifted_left(a, shift);
  u.resize(a.size() + 1, 0);
  size_t n = v.size(), m = u.size() - n;
  Digits quotient(m, 0);
  for (size_t j = m; j-- > 0;) {
    uint64_t top = uint64_t{u[j + n]} << 32 | u[j + n - 1];
    uint64_t guess = top / v[n - 1], rest = top % v[n - 1];
    while (guess >> 32 != 0 || guess * v[n - 2] > (rest << 32 | u[j + n - 2])) {
      --guess;
      rest += v[n - 1];
      if (rest >> 32 != 0) break;
    }
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < n; ++i) {
      carry += guess * v[i];
      int64_t digit = int64_t{u[i + j]} - borrow - static_cast<int64_t>(carry & 0xFFFFFFFF);
      u[i + j] = static_cast<uint32_t>(digit);
      borrow = digit < 0 ? 1 : 0;
      carry >>= 32;
    }
    int64_t last = int64_t{u[j + n]} - borrow - static_cast<int64_t>(carry);
    u[j + n] = static_cast<uint32_t>(last);
    if (last < 0) {  // the guess was one too many
      --guess;
      carry = 0;
      for (size_t i = 0; i < n; ++i) {
        carry += uint64_t{u[i + j]} + v[i];
        u[i + j] = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
      u[j + n] += static_cast<uint32_t>(carry);
    }
    quotient[j] = static_cast<uint32_t>(guess);
  }
  trim(quotient);
  trim(u);
  return {quotient, shifted_right(u, shift)};
}
// Rounded down, as Python divides.
std::pair<Whole, Whole> floor_divide(const Whole& a, const Whole& b) {
  auto [quotient, rest] = divide(a.digits, b.digits);
  Whole q{a.negative != b.negative, quotient}, r{a.negative, rest};
  if (!r.is_zero() && a.negative != b.negative) {
    q = add(q, from_magnitude(1, true));
    r = add(r, b);
  }
  if (q.is_zero()) q.negative = false;
  if (r.is_zero()) r.negative = false;
  return {q, r};
}

// `count` digits in two's complement.
Digits complement(const Whole& a, size_t count) {
  Digits result = a.digits;
  result.resize(count, 0);
  if (!a.negative) return result;
  uint64_t carry = 1;
  for (uint32_t& digit : result) {
    carry += static_cast<uint32_t>(~digit);
    digit = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  return result;
}
Whole from_complement(Digits digits) {
  bool negative = !digits.empty() && digits.back() >> 31 != 0;
  if (negative) {
    uint64_t carry = 1;
    for (uint32_t& digit : digits) {
      carry += static_cast<uint32_t>(~digit);
      digit = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  trim(digits);
  return {negative, digits};
}
template <class F>
Whole bitwise(const Whole& a, const Whole& b, F operation) {
  size_t count = std::max(a.digits.size(), b.digits.size()) + 1;
  Digits x = complement(a, count), y = complement(b, count);
  for (size_t i = 0; i < count; ++i) x[i] = operation(x[i], y[i]);
  return from_complement(x);
}

size_t bits_of(const Digits& digits) {
  return digits.empty() ? 0 : digits.size() * 32 - static_cast<size_t>(std::countl_zero(digits.back()));
}

double rounded(const Whole& a) {
  size_t bits = bits_of(a.digits);
  if (bits > 1024) return a.negative ? -HUGE_VAL : HUGE_VAL;
  size_t shift = bits > 64 ? bits - 64 : 0;
  uint64_t top = low_64(shifted_right(a.digits, shift));
  // Bits that were shifted out decide a tie: they count as one more below.
  if (shift > 0 && compare(shifted_left(shifted_right(a.digits, shift), shift), a.digits) != 0) top |= 1;
  double value = std::ldexp(static_cast<double>(top), static_cast<int>(shift));
  return a.negative ? -value : value;
}

// a / b, correctly rounded to the nearest float: 66 bits of the quotient, and whether more follow.
double quotient_of(const Whole& a, const Whole& b, ir::Span span) {
  if (b.is_zero()) raise("ZeroDivisionError", span, "division-by-zero", "division by zero");
  if (a.is_zero()) return b.negative ? -0.0 : 0.0;
  int64_t shift = 66 - (static_cast<int64_t>(bits_of(a.digits)) - static_cast<int64_t>(bits_of(b.digits)));
  Digits numerator = shift > 0 ? shifted_left(a.digits, static_cast<size_t>(shift)) : a.digits;
  Digits denominator = shift < 0 ? shifted_left(b.digits, static_cast<size_t>(-shift)) : b.digits;
  auto [quotient, rest] = divide(numerator, denominator);
  if (!rest.empty()) quotient[0] |= 1;
  double value = std::ldexp(rounded({false, quotient}), static_cast<int>(-shift));
  if (std::isinf(value))
    raise("OverflowError", span, "integer-overflow", "integer division result too large for a float");
  return a.negative != b.negative ? -value : value;
}

Whole power(Whole base, uint64_t exponent, ir::Span span) {
  if (bits_of(base.digits) > 1 && exponent > kMostDigits * 32 / (bits_of(base.digits) - 1))
    raise("MemoryError", span, "too-large", "an int of {} times {} bits is too large", exponent,
          bits_of(base.digits));
  Whole result = from_magnitude(1, false);
  for (uint64_t e = exponent; e != 0; e >>= 1) {
    if ((e & 1) != 0) result = {result.negative != base.negative, product(result.digits, base.digits)};
    if (e > 1) base = {false, product(base.digits, base.digits)};
  }
  return result;
}

size_t shift_count(const Whole& by, ir::Span span) {
  if (by.negative) raise("ValueError", span, "negative-shift", "negative shift count");
  return by.digits.size() > 1 ? kMostDigits * 64 : static_cast<size_t>(low_64(by.digits));
}

}  // namespace

Any whole_binary(BinOperator op, const Any& left, const Any& right, ir::Span span) {
  Whole a = whole_of(left), b = whole_of(right);
  switch (op) {
    case BinOperator::kAdd:
      return value_of(add(a, b), span);
    case BinOperator::kSub:
      b.negative = !b.negative;
      return value_of(add(a, b), span);
    case BinOperator::kMult:
      return value_of({a.negative != b.negative, product(a.digits, b.digits)}, span);
    case BinOperator::kDiv:
      return quotient_of(a, b, span);
    case BinOperator::kFloorDiv:
      if (b.is_zero())
        raise("ZeroDivisionError", span, "division-by-zero", "integer division or modulo by zero");
      return value_of(floor_divide(a, b).first, span);
    case BinOperator::kMod:
      if (b.is_zero()) raise("ZeroDivisionError", span, "division-by-zero", "integer modulo by zero");
      return value_of(floor_divide(a, b).second, span);
    case BinOperator::kPow:
      if (b.negative) {
        if (a.is_zero())
          raise("ZeroDivisionError", span, "division-by-zero", "0.0 cannot be raised to a negative power");
        return std::pow(rounded(a), rounded(b));
      }
      if (b.digits.size() > 2) b.digits = {b.digits[0], UINT32_MAX};  // of 0, 1 and -1 alone
      return value_of(power(a, low_64(b.digits), span), span);
    case BinOperator::kLShift: {
      size_t count = shift_count(b, span);
      if (a.is_zero()) return int64_t{0};
      if (count > kMostDigits * 32)
        raise("MemoryError", span, "too-large", "an int of {} bits is too large", count);
      return value_of({a.negative, shifted_left(a.digits, count)}, span);
    }
    case BinOperator::kRShift: {
      size_t count = shift_count(b, span);
      Digits kept = shifted_right(a.digits, count);
      Whole result{a.negative, kept};
      // Negative numbers are rounded down.
      if (a.negative && compare(shifted_left(kept, count), a.digits) != 0)
        result = add(result, from_magnitude(1, true));
      return value_of(result.is_zero() && a.negative && kept.empty() ? from_magnitude(1, true) : result,
                      span);
    }
    case BinOperator::kBitOr:
      return value_of(bitwise(a, b, [](uint32_t x, uint32_t y) { return x | y; }), span);
    case BinOperator::kBitXor:
      return value_of(bitwise(a, b, [](uint32_t x, uint32_t y) { return x ^ y; }), span);
    case BinOperator::kBitAnd:
      return value_of(bitwise(a, b, [](uint32_t x, uint32_t y) { return x & y; }), span);
    case BinOperator::kMatMult:
      break;
  }
  return not_implemented();
}

Any whole_negated(const Any& value) {
  Whole a = whole_of(value);
  a.negative = !a.negative && !a.is_zero();
  return value_of(a);
}
Any whole_inverted(const Any& value) {
  Whole a = whole_of(value);
  a.negative = !a.negative && !a.is_zero();
  return value_of(add(a, from_magnitude(1, true)));
}

Any whole_power_modulo(const Any& base, const Any& exponent, const Any& modulus, ir::Span span) {
  Whole m = whole_of(modulus), e = whole_of(exponent), square = floor_divide(whole_of(base), m).second;
  Whole result = floor_divide(from_magnitude(1, false), m).second;
  auto multiplied = [&](const Whole& a, const Whole& b) {
    return floor_divide({a.negative != b.negative, product(a.digits, b.digits)}, m).second;
  };
  for (size_t i = 0, bits = bits_of(e.digits); i < bits; ++i) {
    if ((e.digits[i / 32] >> (i % 32) & 1) != 0) result = multiplied(result, square);
    square = multiplied(square, square);
  }
  return value_of(result, span);
}

int compare_whole(const Any& left, const Any& right) {
  Whole a = whole_of(left), b = whole_of(right);
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  int order = compare(a.digits, b.digits);
  return a.negative ? -order : order;
}
int compare_whole(const Any& left, double right) {
  if (std::isnan(right)) return 2;
  if (std::isinf(right)) return right > 0 ? -1 : 1;
  double down = std::floor(right);
  int order = compare_whole(left, whole_of_double(down));
  return order == 0 && down != right ? -1 : order;
}

std::string magnitude_text(const Any& value, int base) {
  Digits digits = whole_of(value).digits;
  if (digits.empty()) return "0";
  std::string text;
  // As many digits of the text as fit into one of ours.
  uint32_t chunk = static_cast<uint32_t>(base);
  int count = 1;
  while (uint64_t{chunk} * static_cast<uint32_t>(base) <= UINT32_MAX) {
    chunk *= static_cast<uint32_t>(base);
    ++count;
  }
  while (!digits.empty()) {
    uint32_t rest = divide_by_digit(digits, chunk);
    for (int i = 0; i < count && (rest != 0 || !digits.empty()); ++i) {
      uint32_t digit = rest % static_cast<uint32_t>(base);
      text += static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
      rest /= static_cast<uint32_t>(base);
    }
  }
  std::reverse(text.begin(), text.end());
  return text;
}
std::string whole_text(const Any& value) {
  bool negative = as_wide(value) ? as_wide(value)->negative : raw_int(value) < 0;
  std::string text = magnitude_text(value, 10);
  if (negative) text.insert(text.begin(), '-');
  return text;
}

Any whole_of_text(std::string_view text, int base, bool negative) {
  Whole made{negative, {}};
  for (char c : text) {
    uint32_t digit = c <= '9' ? static_cast<uint32_t>(c - '0') : static_cast<uint32_t>((c | 0x20) - 'a' + 10);
    uint64_t carry = digit;
    for (uint32_t& each : made.digits) {
      carry += uint64_t{each} * static_cast<uint32_t>(base);
      each = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) made.digits.push_back(static_cast<uint32_t>(carry));
  }
  return value_of(made);
}
Any whole_of_double(double whole) {
  int exponent = 0;
  double fraction = std::frexp(std::abs(whole), &exponent);
  auto bits = static_cast<uint64_t>(std::ldexp(fraction, 64));
  Whole top = from_magnitude(bits, whole < 0);
  top.digits = exponent >= 64 ? shifted_left(top.digits, static_cast<size_t>(exponent - 64))
                              : shifted_right(top.digits, static_cast<size_t>(64 - exponent));
  return value_of(top);
}
Any whole_of_unsigned(uint64_t value) { return value_of(from_magnitude(value, false)); }

double double_of(const WideIntNode& value) { return rounded({value.negative, value.digits}); }
double double_of(const WideIntNode& value, ir::Span span) {
  double result = double_of(value);
  if (std::isinf(result))
    raise("OverflowError", span, "integer-overflow", "int too large to convert to float");
  return result;
}

std::optional<uint64_t> unsigned_of(const Any& value) {
  auto* wide = as_wide(value);
  if (wide == nullptr || wide->negative || wide->digits.size() != 2) return std::nullopt;
  return low_64(wide->digits);
}
int64_t bit_length_of(const WideIntNode& value) { return static_cast<int64_t>(bits_of(value.digits)); }

std::optional<std::string> bytes_of_whole(const WideIntNode& value, size_t length, bool is_signed) {
  Whole whole{value.negative, value.digits};
  size_t bits = bits_of(value.digits);
  // -2 ** n needs no more bits than 2 ** n - 1.
  if (value.negative) bits = bits_of(add(whole, from_magnitude(1, false)).digits);
  if (bits + (is_signed ? 1 : 0) > length * 8) return std::nullopt;
  Digits digits = complement(whole, length / 4 + 2);
  std::string bytes;
  for (size_t i = 0; i < length; ++i) bytes += static_cast<char>(digits[i / 4] >> (8 * (i % 4)));
  return bytes;
}
Any whole_of_bytes(std::string_view bytes, bool is_signed) {
  bool negative = is_signed && !bytes.empty() && (bytes.back() & 0x80) != 0;
  Digits digits(bytes.size() / 4 + 2, negative ? UINT32_MAX : 0);
  for (size_t i = 0; i < bytes.size(); ++i) {
    unsigned at = 8 * (i % 4);
    digits[i / 4] &= ~(uint32_t{0xFF} << at);
    digits[i / 4] |= uint32_t{static_cast<unsigned char>(bytes[i])} << at;
  }
  return value_of(from_complement(digits));
}

}  // namespace mlc::script
