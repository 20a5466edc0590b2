// SPDX-License-Identifier: Apache-2.0
// Methods of str about the case and the class of characters, and str.translate.
#include <algorithm>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"

namespace mlc::script {
namespace {

std::string_view self(const Arguments& args) { return text_of(args[0]); }

// Changes each character by `change(point, first, inside)`; `inside`: behind a letter with case.
template <class F>
Any changed(const Arguments& args, F change) {
  std::string text;
  text.reserve(self(args).size());
  bool first = true, inside = false;
  for (std::string_view rest = self(args); !rest.empty();) {
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
Any swapcase(Evaluator&, const Arguments& args) {
  return changed(args, [](uint32_t c, bool, bool) { return is_upper(c) ? lower_of(c) : upper_of(c); });
}
Any capitalize(Evaluator&, const Arguments& args) {
  return changed(args, [](uint32_t c, bool first, bool) { return first ? upper_of(c) : lower_of(c); });
}
Any title(Evaluator&, const Arguments& args) {
  return changed(args, [](uint32_t c, bool, bool inside) { return inside ? lower_of(c) : upper_of(c); });
}

template <bool (*...wanted)(uint32_t)>
Any every(Evaluator&, const Arguments& args) {
  std::string_view rest = self(args);
  bool all = !rest.empty();
  while (all && !rest.empty()) {
    uint32_t point = take_point(rest);
    all = (wanted(point) || ...);
  }
  return all;
}
Any isascii(Evaluator&, const Arguments& args) {
  std::string_view text = self(args);
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
// Are there letters of this case, and none of the other?
template <bool (*wanted)(uint32_t), bool (*other)(uint32_t)>
Any cased(Evaluator&, const Arguments& args) {
  bool some = false;
  for (std::string_view rest = self(args); !rest.empty();) {
    uint32_t point = take_point(rest);
    if (other(point)) return false;
    some = some || wanted(point);
  }
  return some;
}
Any isidentifier(Evaluator&, const Arguments& args) {
  bool first = true;
  for (std::string_view rest = self(args); !rest.empty(); first = false) {
    uint32_t c = take_point(rest);
    if (c != '_' && !is_alphabetic(c) && (first || !is_decimal_digit(c))) return false;
  }
  return !first;
}
Any isprintable(Evaluator&, const Arguments& args) {
  for (std::string_view rest = self(args); !rest.empty();) {
    if (!printable(take_point(rest))) return false;
  }
  return true;
}

// The table says for a code point: a code point, a text, or None for nothing; what it lacks stays.
Any translate(Evaluator& evaluator, const Arguments& args) {
  std::string text;
  const Any& table = args[1];
  for (std::string_view rest = self(args); !rest.empty();) {
    uint32_t point = take_point(rest);
    Any key = static_cast<int64_t>(point);
    Any found = key;
    if (table.type_index() == kTVMFFIDict || table.type_index() == kTVMFFIMap) {
      if (const Any* value = dict_find(evaluator, table, key)) found = *value;
    } else {
      raise("TypeError", args.span_of(1), "wrong-type", "`translate` takes a dict, as `str.maketrans` makes one");
    }
    if (is_str(found)) {
      text += text_of(found);
    } else if (is_int(found)) {
      if (raw_int(found) < 0 || raw_int(found) > 0x10FFFF)
        raise("ValueError", args.span_of(1), "out-of-range", "character mapping must be in range(0x110000)");
      append_utf8(text, static_cast<uint32_t>(raw_int(found)));
    } else if (!is_none(found)) {
      raise("TypeError", args.span_of(1), "wrong-type", "character mapping must return integer, None or str");
    }
  }
  return str_value(text);
}
Any maketrans(Evaluator& evaluator, const Arguments& args) {
  Dict table;
  if (args.size() == 1) {
    if (args[0].type_index() != kTVMFFIDict) {
      raise("TypeError", args.span_of(0), "wrong-type",
            "if you give only one argument to maketrans it must be a dict");
    }
    for (const auto& [key, value] : *static_cast<ffi::MapBaseObj*>(raw_object(args[0]))) {
      Any point = plain_key(key);
      if (is_str(point)) {
        std::string_view text = text_of(point);
        if (utf8_length(text) != 1) {
          raise("ValueError", args.span_of(0), "wrong-length",
                "string keys in translate table must be of length 1");
        }
        point = static_cast<int64_t>(take_point(text));
      } else if (!is_integer(point)) {
        raise("TypeError", args.span_of(0), "wrong-type",
              "keys in translate table must be strings or integers");
      }
      dict_set(evaluator, table, point, value, args.span);
    }
    return table;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!is_str(args[i])) {
      raise("TypeError", args.span_of(i), "wrong-type", "maketrans() argument {} must be str, not {}", i + 1,
            type_name_of(evaluator, args[i]));
    }
  }
  std::string_view from = text_of(args[0]), to = text_of(args[1]);
  if (utf8_length(from) != utf8_length(to)) {
    raise("ValueError", args.span_of(0), "wrong-length",
          "the first two maketrans arguments must have equal length");
  }
  while (!from.empty()) {
    Any key = static_cast<int64_t>(take_point(from));
    dict_set(evaluator, table, key, static_cast<int64_t>(take_point(to)), args.span);
  }
  if (args.size() == 3) {
    for (std::string_view gone = text_of(args[2]); !gone.empty();)
      dict_set(evaluator, table, static_cast<int64_t>(take_point(gone)), nullptr, args.span);
  }
  return table;
}

constexpr BuiltinRow rows[] = {
    {"upper", "()", "In capitals.", upper, 0, 0},
    {"lower", "()", "In small letters.", lower, 0, 0},
    {"casefold", "()", "In small letters, for comparing.", lower, 0, 0},
    {"swapcase", "()", "Capitals and small letters exchanged.", swapcase, 0, 0},
    {"capitalize", "()", "The first letter a capital, the rest small.", capitalize, 0, 0},
    {"title", "()", "Each word's first letter a capital.", title, 0, 0},
    {"isdigit", "()", "Digits only?", every<is_decimal_digit>, 0, 0},
    {"isdecimal", "()", "Decimal digits only?", every<is_decimal_digit>, 0, 0},
    {"isnumeric", "()", "Numbers only?", every<is_decimal_digit>, 0, 0},
    {"isalpha", "()", "Letters only?", every<is_alphabetic>, 0, 0},
    {"isalnum", "()", "Letters and digits only?", every<is_alphabetic, is_decimal_digit>, 0, 0},
    {"isspace", "()", "White space only?", every<is_space>, 0, 0},
    {"isascii", "()", "ASCII only?", isascii, 0, 0},
    {"isupper", "()", "No small letter, some capital?", cased<is_upper, is_lower>, 0, 0},
    {"islower", "()", "No capital, some small letter?", cased<is_lower, is_upper>, 0, 0},
    {"isidentifier", "()", "Could it be a name?", isidentifier, 0, 0},
    {"isprintable", "()", "Printable characters only?", isprintable, 0, 0},
    {"translate", "(table)", "With characters replaced by a table of code points.", translate, 1, 1},
};
constexpr BuiltinRow maketrans_row = {"maketrans", "(x, y, z)", "A table for translate.", maketrans, 1, 3};

}  // namespace

std::span<const BuiltinRow> str_case_methods() { return rows; }
const BuiltinRow& str_maketrans() { return maketrans_row; }

}  // namespace mlc::script
