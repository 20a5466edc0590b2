// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/modules/pattern.h"

#include <algorithm>
#include <optional>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"

namespace mlc::script {
namespace {

constexpr uint32_t kEnd = UINT32_MAX;

bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
bool is_octal(uint32_t c) { return c >= '0' && c <= '7'; }
bool is_letter(uint32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(uint32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int64_t flag_of(uint32_t c) {
  switch (c) {
    case 'i':
      return kIgnoreCase;
    case 'L':
      return kLocale;
    case 'm':
      return kMultiLine;
    case 's':
      return kDotAll;
    case 'x':
      return kVerbose;
    case 'a':
      return kAscii;
    case 'u':
      return kUnicode;
    default:
      return 0;
  }
}

// Goes through a pattern once and writes it for PCRE2, which finds what is wrong with its structure. Changed
// is what PCRE2 reads in another way; refused is what only PCRE2 has. Comments and blanks of verbose patterns
// are left out.
class PatternWriter {
 public:
  PatternWriter(std::string_view pattern, int64_t flags) {
    while (!pattern.empty()) points_.push_back(take_point(pattern));
    out_.flags = flags;
  }

  ParsedPattern run() {
    leading_flags();
    if ((out_.flags & kAscii) != 0 && (out_.flags & kUnicode) != 0)
      throw PatternError{"ASCII and UNICODE flags are incompatible", -1};
    if ((out_.flags & kAscii) == 0) out_.flags |= kUnicode;
    verbose_ = (out_.flags & kVerbose) != 0;
    while (peek() != kEnd) item();
    if (!open_.empty()) fail("missing ), unterminated subpattern", open_.back().begin);
    return std::move(out_);
  }

 private:
  struct Group {
    size_t begin;
    bool verbose;    // outside of it
    int64_t number;  // 0 where nothing is captured
  };

  [[noreturn]] void fail(std::string message, size_t position) {
    throw PatternError{std::move(message), static_cast<int64_t>(position)};
  }
  uint32_t peek(size_t ahead = 0) const { return at_ + ahead < points_.size() ? points_[at_ + ahead] : kEnd; }
  bool accept(uint32_t c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string shown(size_t from, size_t to) const {
    std::string text;
    for (size_t i = from; i < std::min(to, points_.size()); ++i) append_utf8(text, points_[i]);
    return text;
  }
  void put(std::string_view text) { out_.text += text; }
  void put_point(uint32_t point) { put(fmt::format("\\x{{{:x}}}", point)); }

  // `(?imx)` at the start, possibly several: flags of the whole pattern.
  void leading_flags() {
    while (peek() == '(' && peek(1) == '?' && flag_of(peek(2)) != 0) {
      size_t end = at_ + 2;
      int64_t flags = 0;
      while (end < points_.size() && flag_of(points_[end]) != 0) flags |= flag_of(points_[end++]);
      if (end >= points_.size() || points_[end] != ')') return;
      if ((flags & kLocale) != 0) fail("bad inline flags: cannot use 'L' flag with a str pattern", end);
      out_.flags |= flags;
      at_ = end + 1;
    }
  }

  void item() {
    uint32_t c = peek();
    if (verbose_ && is_blank(c)) {
      ++at_;
      return;
    }
    if (verbose_ && c == '#') {
      while (peek() != kEnd && peek() != '\n') ++at_;
      return;
    }
    if (c == '(' && peek(1) == '?' && peek(2) == '#') {
      size_t begin = at_;
      while (peek() != kEnd && peek() != ')') ++at_;
      if (!accept(')')) fail("missing ), unterminated comment", begin);
      return;
    }
    if (c == '*' || c == '+' || c == '?' || c == '{') return quantifier();
    last_ = c == '^' || c == '$' || c == '|' || c == '(' ? kNothing : kItem;
    switch (c) {
      case '\\':
        return escape(false);
      case '[':
        return set();
      case '(':
        return open();
      case ')':
        return close();
      default:
        put(shown(at_, at_ + 1));
        ++at_;
    }
  }

  void quantifier() {
    size_t begin = at_;
    std::string text;
    if (peek() != '{') {
      text = static_cast<char>(points_[at_++]);
    } else if (!braces(text)) {
      ++at_;
      last_ = kItem;
      return put("\\{");
    }
    if (last_ != kItem) fail(last_ == kNothing ? "nothing to repeat" : "multiple repeat", begin);
    if (peek() == '?' || peek() == '+') text += static_cast<char>(points_[at_++]);
    last_ = kQuantifier;
    put(text);
  }
  // `{m,n}`, of which one may be left out; false, and nothing read, when it is only text.
  bool braces(std::string& text) {
    size_t end = at_ + 1;
    while (end < points_.size() && (is_digit(points_[end]) || points_[end] == ',')) ++end;
    std::string inside = shown(at_ + 1, end);
    size_t comma = inside.find(',');
    if (end >= points_.size() || points_[end] != '}' || inside.empty() ||
        (comma != inside.npos && inside.find(',', comma + 1) != inside.npos))
      return false;
    text = fmt::format("{{{}{}}}", comma == 0 ? "0" : "", inside);
    at_ = end + 1;
    return true;
  }

  // ---- escapes ----

  uint32_t hexadecimal(size_t begin, size_t digits) {
    uint32_t value = 0;
    for (size_t i = 0; i < digits; ++i) {
      uint32_t c = peek(), lower = c | 0x20u;
      bool letter = lower >= 'a' && lower <= 'f';
      if (!is_digit(c) && !letter) fail("incomplete escape " + shown(begin, at_), begin);
      value = value * 16 + (is_digit(c) ? c - '0' : lower - 'a' + 10);
      ++at_;
    }
    if (value > 0x10FFFF) fail("bad escape " + shown(begin, at_), begin);
    return value;
  }
  // Octal digits are a character, other digits the number of a group.
  void digits(size_t begin, bool in_set) {
    size_t count = 0;
    while (count < 3 && begin + 1 + count < points_.size() && is_octal(points_[begin + 1 + count])) ++count;
    if (points_[begin + 1] == '0' || count == 3 || (in_set && count > 0)) {
      uint32_t value = 0;
      for (at_ = begin + 1; at_ < begin + 1 + count; ++at_) value = value * 8 + (points_[at_] - '0');
      if (value > 0377)
        fail(fmt::format("octal escape value {} outside of range 0-0o377", shown(begin, at_)), begin);
      return put_point(value);
    }
    if (in_set) fail("bad escape " + shown(begin, at_), begin);
    if (is_digit(peek())) ++at_;
    int64_t group = std::stoll(shown(begin + 1, at_));
    if (group > out_.groups) fail(fmt::format("invalid group reference {}", group), begin + 1);
    refer(group, begin);
  }
  void refer(int64_t group, size_t begin) {
    for (const Group& each : open_) {
      if (each.number == group) fail("cannot refer to an open group", begin);
    }
    put(fmt::format("\\g{{{}}}", group));
  }
  void escape(bool in_set) {
    size_t begin = at_;
    uint32_t c = peek(1);
    if (c == kEnd) fail("bad escape (end of pattern)", begin);
    at_ += 2;
    constexpr std::string_view kSame = "wWdDsSafnrt", kPlaces = "AbBZ", kHexadecimal = "xuU";
    char letter = c < 0x80 ? static_cast<char>(c) : '\0';
    if (is_digit(c)) return digits(begin, in_set);
    if (c == 'v' || (c == 'b' && in_set)) return put_point(c == 'v' ? 11 : 8);
    if (kHexadecimal.find(letter) != kHexadecimal.npos)
      return put_point(hexadecimal(begin, c == 'x' ? 2 : c == 'u' ? 4 : 8));
    if (!in_set && kPlaces.find(letter) != kPlaces.npos) {
      last_ = kNothing;
      // PCRE2's \Z is before a last newline too, and its \B in the empty text.
      return put(c == 'Z' ? "\\z" : c == 'B' ? "(?!\\A\\z)\\B" : shown(begin, at_));
    }
    if (is_letter(c) && kSame.find(letter) == kSame.npos) fail("bad escape " + shown(begin, at_), begin);
    if (c < 0x80) put("\\");
    put(shown(begin + 1, at_));
  }

  void set() {
    size_t begin = at_++;
    put("[");
    if (accept('^')) put("^");
    for (bool first = true; first || peek() != ']'; first = false) {
      uint32_t c = peek();
      if (c == kEnd) fail("unterminated character set", begin);
      if (c == '\\') {
        escape(true);
        continue;
      }
      if (c < 0x80 && std::string_view("[]:.=").find(static_cast<char>(c)) != std::string_view::npos)
        put("\\");  // PCRE2 knows [:names:] of classes
      put(shown(at_, at_ + 1));
      ++at_;
    }
    ++at_;
    put("]");
  }

  // ---- groups ----

  std::string until(uint32_t end) {
    size_t begin = at_;
    while (peek() != kEnd && peek() != end) ++at_;
    if (peek() == kEnd) fail(fmt::format("missing {}, unterminated name", static_cast<char>(end)), begin);
    if (at_ == begin) fail("missing group name", begin);
    return shown(begin, at_++);
  }
  void enter(size_t begin, std::string_view text, bool captures = false) {
    put(text);
    open_.push_back({begin, verbose_, captures ? ++out_.groups : 0});
  }
  void open() {
    size_t begin = at_++;
    if (peek() == '*') fail("nothing to repeat", at_);
    if (!accept('?')) return enter(begin, "(", true);
    uint32_t c = peek();
    if (c == kEnd) fail("unexpected end of pattern", at_);
    if (flag_of(c) != 0 || c == '-') return scoped_flags(begin);
    ++at_;
    switch (c) {
      case ':':
      case '>':
      case '=':
      case '!':
        return enter(begin, fmt::format("(?{}", static_cast<char>(c)));
      case '<':
        if (peek() == '=' || peek() == '!')
          return enter(begin, fmt::format("(?<{}", static_cast<char>(points_[at_++])));
        break;
      case 'P':
        if (accept('<')) {
          std::string name = until('>');
          enter(begin, fmt::format("(?P<{}>", name), true);
          out_.names.emplace_back(name, out_.groups);
          return;
        }
        if (accept('=')) {
          size_t at = at_;
          std::string name = until(')');
          for (const auto& [each, number] : out_.names) {
            if (each != name) continue;
            last_ = kItem;
            return refer(number, at);
          }
          fail(fmt::format("unknown group name {}", quote(name)), at);
        }
        break;
      case '(': {
        std::string name = until(')');
        bool number = is_digit(static_cast<unsigned char>(name[0]));
        return enter(begin, number ? fmt::format("(?({})", name) : fmt::format("(?(<{}>)", name));
      }
      default:
        break;
    }
    fail("unknown extension ?" + shown(begin + 2, at_ + (c == 'P' || c == '<' ? 1 : 0)), begin + 1);
  }
  // `(?i-s:...)`: what is on and off in this group.
  void scoped_flags(size_t begin) {
    std::string text = "(?";
    bool verbose = verbose_, on = true;
    for (;; ++at_) {
      uint32_t c = peek();
      if (c == ':') break;
      if (c == ')' && on) fail("global flags not at the start of the expression", begin);
      if (c == '-' && on) {
        on = false;
        text += '-';
      } else if (c == 'x') {
        verbose = on;
      } else if (c == 'i' || c == 'm' || c == 's') {
        text += static_cast<char>(c);
      } else if (c != 'u' || !on) {
        if (flag_of(c) != 0)
          fail(fmt::format("the flag {} holds for whole patterns only", static_cast<char>(c)), at_);
        fail(c != kEnd && is_letter(c) ? "unknown flag" : "missing -, : or )", at_);
      }
    }
    ++at_;
    enter(begin, text + ":");
    verbose_ = verbose;
  }
  void close() {
    if (open_.empty()) fail("unbalanced parenthesis", at_);
    Group group = open_.back();
    open_.pop_back();
    verbose_ = group.verbose;
    if (group.number != 0) out_.closing.push_back(group.number);
    ++at_;
    put(")");
  }

  std::vector<uint32_t> points_;
  size_t at_ = 0;
  bool verbose_ = false;
  enum { kNothing, kItem, kQuantifier } last_ = kNothing;  // what a quantifier would repeat
  std::vector<Group> open_;
  ParsedPattern out_;
};

}  // namespace

ParsedPattern parse_pattern(std::string_view pattern, int64_t flags) {
  return PatternWriter(pattern, flags).run();
}

}  // namespace mlc::script
