// SPDX-License-Identifier: Apache-2.0
#include "frontend/print/highlight.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace mlc::print {

namespace {

constexpr std::array kKeywords = std::to_array<std::string_view>(
    {"False",  "None",     "True",   "and",     "as",   "assert", "break",  "class", "continue", "def", "del",
     "elif",   "else",     "except", "finally", "for",  "from",   "global", "if",    "import",   "in",  "is",
     "lambda", "nonlocal", "not",    "or",      "pass", "raise",  "return", "try",   "while",    "with"});

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}
bool digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return starts_name(c) || digit(c); }

// The end of the string literal that begins at `begin`; its own line's end when it is not closed.
size_t string_end(std::string_view text, size_t begin) {
  char quote = text[begin];
  bool triple = text.substr(begin).starts_with(std::string(3, quote));
  size_t i = begin + (triple ? 3 : 1);
  for (; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (triple) {
      if (text.substr(i).starts_with(std::string(3, quote))) return i + 3;
    } else if (text[i] == quote) {
      return i + 1;
    } else if (text[i] == '\n') {
      return i;
    }
  }
  return text.size();
}

}  // namespace

std::vector<Piece> highlighted(std::string_view text) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    size_t end = i + 1;
    Role role = Role::kPlain;
    if (c == '#') {
      end = std::min(text.find('\n', i), text.size());
      role = Role::kComment;
    } else if (c == '"' || c == '\'') {
      end = string_end(text, i);
      role = Role::kText;
    } else if (c == '@') {
      while (end < text.size() && (continues_name(text[end]) || text[end] == '.')) ++end;
      role = Role::kDecorator;
    } else if (starts_name(c)) {
      while (end < text.size() && continues_name(text[end])) ++end;
      bool keyword =
          std::find(kKeywords.begin(), kKeywords.end(), text.substr(i, end - i)) != kKeywords.end();
      if (keyword) role = Role::kKeyword;
    } else if (digit(c)) {
      while (end < text.size() && (continues_name(text[end]) || text[end] == '.')) ++end;
      role = Role::kNumber;
    }
    if (role != Role::kPlain) pieces.push_back({i, end, role});
    i = end;
  }
  return pieces;
}

std::string highlight(std::string_view text) {
  std::string out;
  size_t shown = 0;
  for (const Piece& piece : highlighted(text)) {
    std::string_view colour = colour_of(piece.role);
    out.append(text.substr(shown, piece.begin - shown)).append(colour);
    out.append(text.substr(piece.begin, piece.end - piece.begin)).append(colour.empty() ? "" : kColourReset);
    shown = piece.end;
  }
  return out.append(text.substr(shown));
}

namespace {
Colour chosen = Colour::kAuto;
}
void choose_colour(Colour when) { chosen = when; }

bool wants_colour(int descriptor) {
  if (chosen != Colour::kAuto) return chosen == Colour::kAlways;
  if (isatty(descriptor) == 0) return false;
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) != "dumb";
}

}  // namespace mlc::print
