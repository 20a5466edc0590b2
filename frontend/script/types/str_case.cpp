// SPDX-License-Identifier: Apache-2.0
// Methods of str about the case and the class of characters, and str.translate.
#include <algorithm>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"

namespace mlc::script {
namespace {

std::string_view self(const Arguments& args) { return text_of(args[0]); }

Character known_character(uint32_t point, const Arguments& args) {
  if (std::optional<Character> c = character(point)) return *c;
  std::string shown;
  append_utf8(shown, point);
  raise("NotImplementedError", args.span_of(0), "unknown-letter",
        "the case and class of `{}` (U+{:04X}) are not known: mlc knows Latin, Greek, Cyrillic and kana",
        shown, point);
}

// Calls `f` with each character and what follows it.
template <class F>
void each_character(const Arguments& args, F f) {
  for (std::string_view rest = self(args); !rest.empty();) {
    uint32_t point = take_point(rest);
    f(known_character(point, args), rest);
  }
}

// The small letter; a sigma at the end of a word has a form of its own. `before`: the last character that
// counts was a letter with case.
void append_small(std::string& text, const Character& c, bool before, std::string_view rest) {
  if (c.point == 0x3A3 && before) {
    bool after = false;
    while (!rest.empty()) {
      std::optional<Character> next = character(take_point(rest));
      if (next && next->is(kCaseIgnorable)) continue;
      after = next && next->cased();
      break;
    }
    append_utf8(text, after ? 0x3C3 : 0x3C2);
    return;
  }
  append_lower(text, c);
}

// Changes each character by `f(text, character, first, inside, before, rest)`; `inside`: behind a letter with
// case.
template <class F>
Any map_text(const Arguments& args, F f) {
  std::string text;
  text.reserve(self(args).size());
  bool first = true, inside = false, before = false;
  each_character(args, [&](const Character& c, std::string_view rest) {
    f(text, c, first, inside, before, rest);
    first = false;
    inside = c.cased();
    if (!c.is(kCaseIgnorable)) before = c.cased();
  });
  return str_value(text);
}

Any upper(Evaluator&, const Arguments& args) {
  return map_text(args, [](std::string& text, const Character& c, bool, bool, bool, std::string_view) {
    append_upper(text, c);
  });
}
Any lower(Evaluator&, const Arguments& args) {
  return map_text(args, [](std::string& text, const Character& c, bool, bool, bool before,
                           std::string_view rest) { append_small(text, c, before, rest); });
}
Any casefold(Evaluator&, const Arguments& args) {
  return map_text(args, [](std::string& text, const Character& c, bool, bool, bool, std::string_view) {
    append_folded(text, c);
  });
}
Any swapcase(Evaluator&, const Arguments& args) {
  return map_text(args,
                  [](std::string& text, const Character& c, bool, bool, bool before, std::string_view rest) {
                    if (c.is(kUpperCase)) {
                      append_small(text, c, before, rest);
                    } else if (c.is(kLowerCase)) {
                      append_upper(text, c);
                    } else {
                      append_utf8(text, c.point);
                    }
                  });
}
Any capitalize(Evaluator&, const Arguments& args) {
  return map_text(
      args, [](std::string& text, const Character& c, bool first, bool, bool before, std::string_view rest) {
        first ? append_title(text, c) : append_small(text, c, before, rest);
      });
}
Any title(Evaluator&, const Arguments& args) {
  return map_text(
      args, [](std::string& text, const Character& c, bool, bool inside, bool before, std::string_view rest) {
        inside ? append_small(text, c, before, rest) : append_title(text, c);
      });
}

bool every(const Arguments& args, uint16_t wanted) {
  bool all = !self(args).empty();
  each_character(args, [&](const Character& c, std::string_view) { all = all && c.is(wanted); });
  return all;
}
Any isdigit(Evaluator&, const Arguments& args) { return every(args, kDigit); }
Any isdecimal(Evaluator&, const Arguments& args) { return every(args, kDecimalDigit); }
Any isnumeric(Evaluator&, const Arguments& args) { return every(args, kNumeric); }
Any isalpha(Evaluator&, const Arguments& args) { return every(args, kAlphabetic); }
Any isalnum(Evaluator&, const Arguments& args) {
  return every(args, kAlphabetic | kDecimalDigit | kDigit | kNumeric);
}
Any isspace(Evaluator&, const Arguments& args) { return every(args, kSpace); }
Any isascii(Evaluator&, const Arguments& args) {
  std::string_view text = self(args);
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
bool cased(const Arguments& args, uint16_t wanted, uint16_t unwanted) {
  bool some = false, none = true;
  each_character(args, [&](const Character& c, std::string_view) {
    some = some || c.is(wanted);
    none = none && !c.is(unwanted);
  });
  return some && none;
}
Any isupper(Evaluator&, const Arguments& args) { return cased(args, kUpperCase, kLowerCase | kTitleCase); }
Any islower(Evaluator&, const Arguments& args) { return cased(args, kLowerCase, kUpperCase | kTitleCase); }
Any istitle(Evaluator&, const Arguments& args) {
  bool inside = false, some = false, good = true;
  each_character(args, [&](const Character& c, std::string_view) {
    if (c.is(kUpperCase | kTitleCase)) {
      good = good && !inside;
      inside = some = true;
    } else if (c.is(kLowerCase)) {
      good = good && inside;
      inside = some = true;
    } else {
      inside = false;
    }
  });
  return good && some;
}
Any isidentifier(Evaluator&, const Arguments& args) {
  bool first = true, good = !self(args).empty();
  each_character(args, [&](const Character& c, std::string_view) {
    good = good && c.is(first ? kIdentifierStart : kIdentifierStart | kIdentifierPart);
    first = false;
  });
  return good;
}
Any isprintable(Evaluator&, const Arguments& args) {
  bool good = true;
  each_character(args, [&](const Character& c, std::string_view) { good = good && !c.is(kUnprintable); });
  return good;
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
      try {
        found = evaluator.subscript(table, key, args.span_of(1));
      } catch (ir::Error& error) {
        const std::string& kind = error.first().kind;
        if (kind != "IndexError" && kind != "KeyError" && kind != "LookupError") throw;
      }
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
    {"casefold", "()", "In small letters, for comparing.", casefold, 0, 0},
    {"swapcase", "()", "Capitals and small letters exchanged.", swapcase, 0, 0},
    {"capitalize", "()", "The first letter a capital, the rest small.", capitalize, 0, 0},
    {"title", "()", "Each word's first letter a capital.", title, 0, 0},
    {"isdigit", "()", "Digits only?", isdigit, 0, 0},
    {"isdecimal", "()", "Decimal digits only?", isdecimal, 0, 0},
    {"isnumeric", "()", "Numbers only?", isnumeric, 0, 0},
    {"isalpha", "()", "Letters only?", isalpha, 0, 0},
    {"isalnum", "()", "Letters and digits only?", isalnum, 0, 0},
    {"isspace", "()", "White space only?", isspace, 0, 0},
    {"isascii", "()", "ASCII only?", isascii, 0, 0},
    {"isupper", "()", "No small letter, some capital?", isupper, 0, 0},
    {"islower", "()", "No capital, some small letter?", islower, 0, 0},
    {"istitle", "()", "Each word with one capital, its first letter?", istitle, 0, 0},
    {"isidentifier", "()", "Could it be a name?", isidentifier, 0, 0},
    {"isprintable", "()", "Printable characters only?", isprintable, 0, 0},
    {"translate", "(table)", "With characters replaced by a table of code points.", translate, 1, 1},
};
constexpr BuiltinRow maketrans_row = {"maketrans", "(x, y, z)", "A table for translate.", maketrans, 1, 3};

}  // namespace

std::span<const BuiltinRow> str_case_methods() { return rows; }
const BuiltinRow& str_maketrans() { return maketrans_row; }

}  // namespace mlc::script
