// SPDX-License-Identifier: Apache-2.0
// int() and float() of texts.
#include <bit>
#include <charconv>
#include <cmath>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/wide_int.h"

namespace mlc::script {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Without white space at both ends.
std::string plain_text(const Any& value) {
  std::string text = is_bytes(value) ? bytes_of(value) : std::string(text_of(value));
  constexpr std::string_view blanks = " \t\n\v\f\r";
  text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
  text.erase(text.find_last_not_of(blanks) + 1);
  return text;
}

// Takes single underscores between digits out; false when one stands elsewhere.
template <class IsDigit>
bool drop_underscores(std::string& text, IsDigit digit) {
  std::string kept;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      kept += text[i];
    } else if (i == 0 || i + 1 == text.size() || !digit(text[i - 1]) || !digit(text[i + 1])) {
      return false;
    }
  }
  text = kept;
  return true;
}

}  // namespace

Any int_of_text(Evaluator& evaluator, const Any& value, int64_t base, ir::Span span) {
  if (base != 0 && (base < 2 || base > 36))
    raise("ValueError", span, "out-of-range", "int() base must be >= 2 and <= 36, or 0");
  auto invalid = [&] {
    raise("ValueError", span, "not-a-number", "invalid literal for int() with base {}: {}", base,
          evaluator.repr(value));
  };
  std::string text = plain_text(value);
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  int64_t actual = base == 0 ? 10 : base;
  if (text.size() > 1 && text[0] == '0') {
    char mark = static_cast<char>(text[1] | 0x20);
    int64_t marked = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    if (marked != 0 && (base == 0 || base == marked)) {
      actual = marked;
      text.erase(0, 2);
      if (text.starts_with('_')) text.erase(0, 1);
    } else if (base == 0 && text.find_first_not_of("0_") != std::string::npos) {
      invalid();  // as `012` in a program
    }
  }
  auto alphanumeric = [](char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); };
  if (!drop_underscores(text, alphanumeric)) invalid();
  uint64_t magnitude = 0;
  auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, static_cast<int>(actual));
  if (text.empty() || end != text.data() + text.size()) invalid();
  uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
  if (status == std::errc::result_out_of_range || magnitude > limit)
    return whole_of_text(text, static_cast<int>(actual), negative);
  return negative ? static_cast<int64_t>(0 - magnitude) : static_cast<int64_t>(magnitude);
}

// Each `float("nan")` is an object of its own in Python, and containers ask whether elements are the same
// object before they ask whether they are equal. The bits that a NaN has to spare number them here.
double fresh_nan() {
  static thread_local uint64_t made = 0;
  made = (made + 1) & ((uint64_t{1} << 50) - 1);
  return std::bit_cast<double>(uint64_t{0x7FF8} << 48 | made);
}

Any float_of_text(Evaluator& evaluator, const Any& value, ir::Span span) {
  std::string text = plain_text(value);
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  std::string small;
  for (char c : text) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  double real = 0;
  if (small == "inf" || small == "infinity") {
    real = HUGE_VAL;
  } else if (small == "nan") {
    real = fresh_nan();
  } else {
    bool good = drop_underscores(small, is_digit) && !small.empty() &&
                (is_digit(small[0]) || small[0] == '.') &&
                small.find_first_not_of("0123456789.e+-") == std::string::npos;
    char* end = small.data();
    real = std::strtod(small.c_str(), &end);
    if (!good || *end != 0) {
      raise("ValueError", span, "not-a-number", "could not convert string to float: {}",
            evaluator.repr(value));
    }
  }
  return negative ? -real : real;
}

}  // namespace mlc::script
