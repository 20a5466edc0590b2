// SPDX-License-Identifier: Apache-2.0
// Methods of str about the case and the class of characters.
#include <algorithm>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"

namespace mlc::script {

namespace {

std::string_view case_self(const Arguments& args) { return text_of(args[0]); }
bool is_digit(uint32_t point) { return point >= '0' && point <= '9'; }

// Changes each character by `change(point, first, inside)`; `inside`: behind a letter with case.
template <class F>
Any changed(const Arguments& args, F change) {
  std::string text;
  text.reserve(case_self(args).size());
  bool first = true, inside = false;
  for (std::string_view rest = case_self(args); !rest.empty();) {
    uint32_t point = take_point(rest);
    append_utf8(text, change(point, first, inside));
    first = false;
    inside = is_upper(point) || is_lower(point);
  }
  return str_value(text);
}
Any upper(Evaluator&, const Arguments& args) {
  return changed(args, [](uint32_t c, bool, bool) { return upper_of(c); });
}
Any lower(Evaluator&, const Arguments& args) {
  return changed(args, [](uint32_t c, bool, bool) { return lower_of(c); });
}
Any capitalize(Evaluator&, const Arguments& args) {
  return changed(args, [](uint32_t c, bool first, bool) { return first ? upper_of(c) : lower_of(c); });
}
Any title(Evaluator&, const Arguments& args) {
  return changed(args, [](uint32_t c, bool, bool inside) { return inside ? lower_of(c) : upper_of(c); });
}

template <bool (*... wanted)(uint32_t)>
Any every(Evaluator&, const Arguments& args) {
  std::string_view rest = case_self(args);
  bool all = !rest.empty();
  while (all && !rest.empty()) {
    uint32_t point = take_point(rest);
    all = (wanted(point) || ...);
  }
  return all;
}
Any isascii(Evaluator&, const Arguments& args) {
  std::string_view text = case_self(args);
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
// Are there letters of this case, and none of the other?
template <bool (*wanted)(uint32_t), bool (*other)(uint32_t)>
Any cased(Evaluator&, const Arguments& args) {
  bool some = false;
  for (std::string_view rest = case_self(args); !rest.empty();) {
    uint32_t point = take_point(rest);
    if (other(point)) return false;
    some = some || wanted(point);
  }
  return some;
}
Any isidentifier(Evaluator&, const Arguments& args) {
  bool first = true;
  for (std::string_view rest = case_self(args); !rest.empty(); first = false) {
    uint32_t c = take_point(rest);
    if (c != '_' && !is_alphabetic(c) && (first || !is_digit(c))) return false;
  }
  return !first;
}
constexpr BuiltinRow str_case_table[] = {
    {"upper", "()", "In capitals.", upper, 0, 0},
    {"lower", "()", "In small letters.", lower, 0, 0},
    {"capitalize", "()", "The first letter a capital, the rest small.", capitalize, 0, 0},
    {"title", "()", "Each word's first letter a capital.", title, 0, 0},
    {"isdigit", "()", "Digits only?", every<is_digit>, 0, 0},
    {"isdecimal", "()", "Decimal digits only?", every<is_digit>, 0, 0},
    {"isnumeric", "()", "Numbers only?", every<is_digit>, 0, 0},
    {"isalpha", "()", "Letters only?", every<is_alphabetic>, 0, 0},
    {"isalnum", "()", "Letters and digits only?", every<is_alphabetic, is_digit>, 0, 0},
    {"isspace", "()", "White space only?", every<is_space>, 0, 0},
    {"isascii", "()", "ASCII only?", isascii, 0, 0},
    {"isupper", "()", "No small letter, some capital?", cased<is_upper, is_lower>, 0, 0},
    {"islower", "()", "No capital, some small letter?", cased<is_lower, is_upper>, 0, 0},
    {"isidentifier", "()", "Could it be a name?", isidentifier, 0, 0},
};

}  // namespace

std::span<const BuiltinRow> str_case_methods() { return str_case_table; }

}  // namespace mlc::script
