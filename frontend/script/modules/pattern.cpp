// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/modules/pattern.h"

#include <algorithm>
#include <optional>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/letters.h"

namespace mlc::script {
namespace {

constexpr int64_t kUnlimited = int64_t{1} << 40;
constexpr uint32_t kEnd = UINT32_MAX;

// The classes of characters, as the inside of a set.
constexpr std::string_view kWordSet = "\\p{L}\\p{N}_", kAsciiWordSet = "A-Za-z0-9_";
constexpr std::string_view kDigitSet = "\\p{Nd}", kAsciiDigitSet = "0-9";
constexpr std::string_view kSpaceSet =
    "\\x{9}-\\x{d}\\x{1c}-\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{"
    "205f}"
    "\\x{3000}";
constexpr std::string_view kAsciiSpaceSet = "\\x{9}-\\x{d}\\x{20}";

// How many characters something takes.
struct Width {
  int64_t least = 0, most = 0;
};
Width operator+(Width a, Width b) {
  return {std::min(a.least + b.least, kUnlimited), std::min(a.most + b.most, kUnlimited)};
}

class PatternParser {
 public:
  PatternParser(std::string_view pattern, int64_t flags) {
    while (!pattern.empty()) points_.push_back(take_point(pattern));
    parsed_.flags = flags;
    if ((flags & kAscii) != 0 && (flags & kUnicode) != 0)
      throw PatternError{"ASCII and UNICODE flags are incompatible", -1};
  }

  ParsedPattern run() {
    leading_flags();
    if ((parsed_.flags & kAscii) == 0) parsed_.flags |= kUnicode;
    flags_ = parsed_.flags;
    alternatives();
    if (at_ < points_.size()) fail("unbalanced parenthesis", at_);
    parsed_.groups = static_cast<int64_t>(widths_.size());
    return std::move(parsed_);
  }

 private:
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
  void put(std::string_view text) { parsed_.text += text; }
  void put_point(uint32_t point) { put(fmt::format("\\x{{{:x}}}", point)); }
  bool on(int64_t flag) const { return (flags_ & flag) != 0; }

  // ---- flags ----

  static int64_t flag_of(uint32_t c) {
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
  // `(?imx)` at the start, possibly several: flags of the whole pattern.
  void leading_flags() {
    for (;;) {
      skip_ignored(parsed_.flags);
      if (peek() != '(' || peek(1) != '?' || flag_of(peek(2)) == 0) return;
      size_t end = at_ + 2;
      int64_t flags = 0;
      while (end < points_.size() && flag_of(points_[end]) != 0) flags |= flag_of(points_[end++]);
      if (end >= points_.size() || points_[end] != ')') return;
      if ((flags & kLocale) != 0) fail("bad inline flags: cannot use 'L' flag with a str pattern", end);
      if ((flags & kAscii) != 0 && (flags & kUnicode) != 0)
        fail("bad inline flags: flags 'a', 'u' and 'L' are incompatible", end);
      parsed_.flags |= flags;
      at_ = end + 1;
    }
  }
  // White space and `# ...` of verbose patterns, and `(?#...)`.
  void skip_ignored(int64_t flags) {
    for (;;) {
      uint32_t c = peek();
      if (c == '(' && peek(1) == '?' && peek(2) == '#') {
        size_t begin = at_;
        while (peek() != kEnd && peek() != ')') ++at_;
        if (!accept(')')) fail("missing ), unterminated comment", begin);
      } else if ((flags & kVerbose) != 0 && c == '#') {
        while (peek() != kEnd && peek() != '\n') ++at_;
      } else if ((flags & kVerbose) != 0 && (c == ' ' || (c >= '\t' && c <= '\r'))) {
        ++at_;
      } else {
        return;
      }
    }
  }
  // What stands behind `(?` up to its `:`; flags_ is changed.
  void scoped_flags() {
    int64_t add = 0, remove = 0;
    while (int64_t flag = flag_of(peek())) {
      constexpr int64_t kTypes = kAscii | kUnicode | kLocale;
      if (flag == kLocale) fail("bad inline flags: cannot use 'L' flag with a str pattern", at_ + 1);
      if ((flag & kTypes) != 0 && (add & kTypes & ~flag) != 0)
        fail("bad inline flags: flags 'a', 'u' and 'L' are incompatible", at_ + 1);
      add |= flag;
      ++at_;
    }
    if (peek() == ')') fail("global flags not at the start of the expression", group_start_);
    if (peek() != ':' && peek() != '-') {
      if (peek() == kEnd) fail("missing -, : or )", at_);
      fail(is_letter(peek()) ? "unknown flag" : "missing -, : or )", at_);
    }
    if (accept('-')) {
      if (peek() == kEnd) fail("missing flag", at_);
      if (flag_of(peek()) == 0) fail(is_letter(peek()) ? "unknown flag" : "missing flag", at_);
      while (int64_t flag = flag_of(peek())) {
        if (flag == kAscii || flag == kUnicode || flag == kLocale)
          fail("bad inline flags: cannot turn off flags 'a', 'u' and 'L'", at_ + 1);
        remove |= flag;
        ++at_;
      }
      if (peek() == kEnd) fail("missing :", at_);
      if (peek() != ':') fail(is_letter(peek()) ? "unknown flag" : "missing :", at_);
      if ((add & remove) != 0) fail("bad inline flags: flag turned on and off", at_ + 1);
    }
    ++at_;
    if ((add & kAscii) != 0) flags_ &= ~int64_t{kUnicode};
    if ((add & kUnicode) != 0) flags_ &= ~int64_t{kAscii};
    flags_ = (flags_ | add) & ~remove;
  }
  static bool is_letter(uint32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }

  // ---- structure ----

  Width alternatives() {
    if (++depth_ > 400) fail("groups are nested too deeply", at_);
    Width width = sequence();
    while (accept('|')) {
      put("|");
      Width other = sequence();
      width = {std::min(width.least, other.least), std::max(width.most, other.most)};
    }
    --depth_;
    return width;
  }

  Width sequence() {
    Width total;
    for (;;) {
      skip_ignored(flags_);
      uint32_t c = peek();
      if (c == kEnd || c == '|' || c == ')') return total;
      total = total + repeated();
    }
  }

  // An item and its quantifier.
  Width repeated() {
    size_t begin = at_;
    size_t text_begin = parsed_.text.size();
    bool nothing = false;  // an item that cannot be repeated
    uint32_t c = peek();
    if (c == '*' || c == '+' || c == '?') fail("nothing to repeat", at_);
    if (c == '{') {
      int64_t least, most;
      if (braces(least, most)) fail("nothing to repeat", begin);
    }
    Width width = item(nothing);
    skip_ignored(flags_);
    size_t mark = at_;
    int64_t least = 0, most = kUnlimited;
    std::string quantifier;
    switch (peek()) {
      case '*':
        quantifier = "*";
        break;
      case '+':
        least = 1;
        quantifier = "+";
        break;
      case '?':
        most = 1;
        quantifier = "?";
        break;
      case '{':
        if (!braces(least, most)) return width;
        quantifier =
            most == kUnlimited ? fmt::format("{{{},}}", least) : fmt::format("{{{},{}}}", least, most);
        break;
      default:
        return width;
    }
    if (quantifier.size() == 1) ++at_;
    if (nothing) fail("nothing to repeat", mark);
    if (accept('?')) {
      quantifier += '?';
    } else if (accept('+')) {
      quantifier += '+';
    }
    uint32_t next = peek();
    size_t again = at_;
    int64_t ignored_least, ignored_most;
    if (next == '*' || next == '+' || next == '?' || (next == '{' && braces(ignored_least, ignored_most)))
      fail("multiple repeat", again);
    // The item as one piece.
    parsed_.text.insert(text_begin, "(?:");
    put(")");
    put(quantifier);
    return {std::min(width.least * least, kUnlimited),
            most == kUnlimited && width.most > 0 ? kUnlimited : std::min(width.most * most, kUnlimited)};
  }

  // `{m,n}`; false, and nothing read, when it is only text.
  bool braces(int64_t& least, int64_t& most) {
    size_t start = at_;
    size_t i = at_ + 1;
    auto number = [&]() -> std::optional<int64_t> {
      size_t first = i;
      int64_t value = 0;
      while (i < points_.size() && is_digit(points_[i])) {
        value = std::min<int64_t>(value * 10 + (points_[i] - '0'), kUnlimited);
        ++i;
      }
      return i == first ? std::nullopt : std::optional<int64_t>(value);
    };
    if (i < points_.size() && points_[i] == '}') return false;
    std::optional<int64_t> low = number();
    std::optional<int64_t> high = low;
    if (i < points_.size() && points_[i] == ',') {
      ++i;
      high = number();
      if (!high) high = kUnlimited;
    }
    if (i >= points_.size() || points_[i] != '}' || (!low && !high)) return false;
    at_ = i + 1;
    least = low.value_or(0);
    most = *high;
    if (most < least) fail("min repeat greater than max repeat", start + 1);
    constexpr int64_t kMost = 65535;  // of PCRE2
    if (least > kMost || (most > kMost && most != kUnlimited))
      fail("more than 65535 repetitions are not supported", start);
    return true;
  }

  Width item(bool& nothing) {
    uint32_t c = peek();
    switch (c) {
      case '(':
        return group();
      case '[':
        return set();
      case '.':
        ++at_;
        put(on(kDotAll) ? "(?s:.)" : ".");
        return {1, 1};
      case '^':
        ++at_;
        put(on(kMultiLine) ? "(?m:^)" : "\\A");
        nothing = true;
        return {};
      case '$':
        ++at_;
        put(on(kMultiLine) ? "(?m:$)" : "\\Z");
        nothing = true;
        return {};
      case '\\':
        return escape(nothing);
      default:
        break;
    }
    ++at_;
    literal(c);
    return {1, 1};
  }

  void literal(uint32_t c) {
    // With the flag A only ASCII letters have another case.
    bool alone = on(kAscii) && on(kIgnoreCase);
    if (alone && c < 0x80 && is_letter(c)) {
      put(fmt::format("(?-i:[{}{}])", static_cast<char>(c & ~0x20u), static_cast<char>(c | 0x20u)));
    } else if (alone) {
      put("(?-i:");
      put_point(c);
      put(")");
    } else {
      put_point(c);
    }
  }

  // ---- escapes ----

  std::optional<uint32_t> hexadecimal(size_t begin, size_t digits) {
    uint32_t value = 0;
    size_t i = begin + 2;
    for (; i < begin + 2 + digits && i < points_.size(); ++i) {
      uint32_t c = points_[i];
      bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      if (!is_digit(c) && !letter) break;
      value = value * 16 + (is_digit(c) ? c - '0' : (c | 0x20u) - 'a' + 10);
    }
    if (i != begin + 2 + digits) fail("incomplete escape " + shown(begin, i), begin);
    if (value > 0x10FFFF) fail("bad escape " + shown(begin, i), begin);
    at_ = i;
    return value;
  }

  // Escapes that mean one character, the same in sets; at_ behind them.
  std::optional<uint32_t> character_escape(size_t begin) {
    uint32_t c = peek(1);
    auto simple = [&](uint32_t value) {
      at_ += 2;
      return value;
    };
    switch (c) {
      case 'a':
        return simple(7);
      case 'f':
        return simple('\f');
      case 'n':
        return simple('\n');
      case 'r':
        return simple('\r');
      case 't':
        return simple('\t');
      case 'v':
        return simple('\v');
      case '\\':
        return simple('\\');
      case 'x':
        return hexadecimal(begin, 2);
      case 'u':
        return hexadecimal(begin, 4);
      case 'U':
        return hexadecimal(begin, 8);
      case 'N':
        fail("names of characters (\\N) are not supported", begin);
      default:
        break;
    }
    if (c != kEnd && !is_letter(c) && !is_digit(c)) return simple(c);
    return std::nullopt;
  }
  std::optional<uint32_t> octal(size_t begin, bool in_set) {
    uint32_t c = peek(1);
    auto is_octal = [](uint32_t d) { return d >= '0' && d <= '7'; };
    size_t count = 0;
    while (count < 3 && begin + 1 + count < points_.size() && is_octal(points_[begin + 1 + count])) ++count;
    if (c == '0' && !in_set) count = std::min<size_t>(count, 3);
    if (count == 0 || (c != '0' && !in_set && count < 3)) return std::nullopt;
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value * 8 + (points_[begin + 1 + i] - '0');
    at_ = begin + 1 + count;
    if (value > 0377) {
      fail(fmt::format("octal escape value {} outside of range 0-0o377", shown(begin, at_)), begin);
    }
    return value;
  }

  std::string class_set(uint32_t c, bool& negated) {
    bool ascii = on(kAscii);
    negated = c == 'W' || c == 'D' || c == 'S';
    switch (c | 0x20u) {
      case 'w':
        return std::string(ascii ? kAsciiWordSet : kWordSet);
      case 'd':
        return std::string(ascii ? kAsciiDigitSet : kDigitSet);
      default:
        return std::string(ascii ? kAsciiSpaceSet : kSpaceSet);
    }
  }
  static bool is_class(uint32_t c) {
    return c == 'w' || c == 'd' || c == 's' || c == 'W' || c == 'D' || c == 'S';
  }

  Width escape(bool& nothing) {
    size_t begin = at_;
    uint32_t c = peek(1);
    if (c == kEnd) fail("bad escape (end of pattern)", begin);
    if (is_class(c)) {
      at_ += 2;
      bool negated;
      std::string inside = class_set(c, negated);
      put(fmt::format("[{}{}]", negated ? "^" : "", inside));
      return {1, 1};
    }
    std::string_view place;
    switch (c) {
      case 'A':
        place = "\\A";
        break;
      case 'Z':
        place = "\\z";
        break;
      case 'b':
        place =
            on(kAscii) ? "(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))" : "\\b";
        break;
      case 'B':  // nowhere in the empty text
        place = on(kAscii)
                    ? "(?!\\A\\z)(?:(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<![A-Za-z0-9_])(?![A-Za-z0-9_]))"
                    : "(?!\\A\\z)\\B";
        break;
      default:
        break;
    }
    if (!place.empty()) {
      at_ += 2;
      put(place);
      nothing = true;
      return {};
    }
    if (std::optional<uint32_t> point = character_escape(begin)) {
      literal(*point);
      return {1, 1};
    }
    if (is_digit(c)) {
      if (std::optional<uint32_t> point = octal(begin, false)) {
        literal(*point);
        return {1, 1};
      }
      int64_t group = c - '0';
      at_ = begin + 2;
      if (is_digit(peek())) group = group * 10 + (points_[at_++] - '0');
      return backreference(group, begin + 1, begin);
    }
    fail("bad escape " + shown(begin, begin + 2), begin);
  }

  Width backreference(int64_t group, size_t position, size_t begin) {
    if (group < 1 || group > static_cast<int64_t>(widths_.size()))
      fail(fmt::format("invalid group reference {}", group), position);
    std::optional<Width> width = widths_[static_cast<size_t>(group - 1)];
    if (!width) fail("cannot refer to an open group", begin);
    if (look_behind_groups_ >= 0 && group > look_behind_groups_)
      fail("cannot refer to group defined in the same lookbehind subpattern", begin);
    put(fmt::format("\\g{{{}}}", group));
    return *width;
  }

  // ---- sets ----

  struct SetItem {
    bool is_class = false, negated = false;
    uint32_t point = 0;
    std::string text;
    size_t begin = 0, end = 0;
  };
  SetItem set_item(size_t set_begin) {
    SetItem item;
    item.begin = at_;
    uint32_t c = peek();
    if (c == kEnd) fail("unterminated character set", set_begin);
    if (c != '\\') {
      ++at_;
      item.point = c;
    } else {
      uint32_t next = peek(1);
      if (next == kEnd) fail("bad escape (end of pattern)", at_);
      if (is_class(next)) {
        at_ += 2;
        item.is_class = true;
        item.text = class_set(next, item.negated);
      } else if (next == 'b') {
        at_ += 2;
        item.point = 8;
      } else if (std::optional<uint32_t> point = character_escape(item.begin)) {
        item.point = *point;
      } else if (std::optional<uint32_t> octal_point = octal(item.begin, true)) {
        item.point = *octal_point;
      } else {
        fail("bad escape " + shown(item.begin, item.begin + 2), item.begin);
      }
    }
    item.end = at_;
    return item;
  }

  Width set() {
    size_t begin = at_++;
    bool negated = accept('^');
    // What stands in a negated class (\W) is no list of ranges: the set becomes alternatives.
    std::string inside;
    std::vector<std::string> outside;
    bool first = true;
    for (;;) {
      if (peek() == kEnd) fail("unterminated character set", begin);
      if (peek() == ']' && !first) {
        ++at_;
        break;
      }
      first = false;
      SetItem low = set_item(begin);
      if (peek() == '-') {
        ++at_;
        if (peek() == kEnd) fail("unterminated character set", begin);
        if (peek() == ']') {
          ++at_;
          add(low, inside, outside);
          inside += "\\x{2d}";
          break;
        }
        SetItem high = set_item(begin);
        if (low.is_class || high.is_class || high.point < low.point) {
          fail(fmt::format("bad character range {}-{}", shown(low.begin, low.end),
                           shown(high.begin, high.end)),
               low.begin);
        }
        inside += fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", low.point, high.point);
      } else {
        add(low, inside, outside);
      }
    }
    std::string any = inside.empty() ? "" : fmt::format("[{}]", inside);
    for (const std::string& each : outside) any += fmt::format("{}[^{}]", any.empty() ? "" : "|", each);
    if (outside.empty()) {
      put(negated ? "[^" + inside + "]" : any);
    } else {
      put(negated ? fmt::format("(?:(?!{})(?s:.))", any) : fmt::format("(?:{})", any));
    }
    return {1, 1};
  }
  static void add(const SetItem& item, std::string& inside, std::vector<std::string>& outside) {
    if (item.is_class && item.negated) {
      outside.push_back(item.text);
    } else {
      inside += item.is_class ? item.text : fmt::format("\\x{{{:x}}}", item.point);
    }
  }

  // ---- groups ----

  std::string group_name(uint32_t end, std::string_view what) {
    size_t begin = at_;
    while (at_ < points_.size() && points_[at_] != end) ++at_;
    if (at_ >= points_.size()) {
      if (begin >= points_.size()) fail("missing group name", begin);
      fail(fmt::format("missing {}, unterminated name", static_cast<char>(end)), begin);
    }
    if (at_ == begin) fail("missing group name", begin);
    std::string name = shown(begin, at_++);
    bool good = !is_digit(points_[begin]);
    for (size_t i = begin; i + 1 < at_; ++i) {
      uint32_t c = points_[i];
      std::optional<Character> known = character(c);
      good = good && (c == '_' || is_digit(c) || is_letter(c) ||
                      (c >= 0x80 && known && known->is(kIdentifierStart | kIdentifierPart)));
    }
    if (!good && what == "name") fail(fmt::format("bad character in group name {}", quote(name)), begin);
    return name;
  }
  std::optional<int64_t> named(std::string_view name) const {
    for (const auto& [each, number] : parsed_.names) {
      if (each == name) return number;
    }
    return std::nullopt;
  }

  Width group() {
    size_t begin = at_++;
    size_t outer_start = std::exchange(group_start_, begin);
    int64_t outer_flags = flags_;
    Width width = group_inside(begin);
    flags_ = outer_flags;
    group_start_ = outer_start;
    return width;
  }
  void close(size_t begin) {
    if (!accept(')')) fail("missing ), unterminated subpattern", begin);
  }
  Width capture(size_t begin, const std::string& name) {
    widths_.emplace_back(std::nullopt);
    size_t index = widths_.size() - 1;
    if (!name.empty()) {
      if (std::optional<int64_t> other = named(name)) {
        fail(fmt::format("redefinition of group name {} as group {}; was group {}", quote(name), index + 1,
                         *other),
             begin + 4);
      }
      parsed_.names.emplace_back(name, static_cast<int64_t>(index) + 1);
    }
    put("(");
    Width width = alternatives();
    close(begin);
    put(")");
    widths_[index] = width;
    parsed_.closing.push_back(static_cast<int64_t>(index) + 1);
    return width;
  }
  Width plain(size_t begin, std::string_view open) {
    put(open);
    Width width = alternatives();
    close(begin);
    put(")");
    return width;
  }
  Width group_inside(size_t begin) {
    if (!accept('?')) return capture(begin, "");
    uint32_t c = peek();
    if (c == kEnd) fail("unexpected end of pattern", at_);
    switch (c) {
      case ':':
        ++at_;
        return plain(begin, "(?:");
      case '>':
        ++at_;
        return plain(begin, "(?>");
      case '=':
      case '!':
        ++at_;
        plain(begin, c == '=' ? "(?=" : "(?!");
        return {};
      case 'P':
        ++at_;
        return python_group(begin);
      case '<':
        ++at_;
        return look_behind(begin);
      case '(':
        ++at_;
        return conditional(begin);
      default:
        break;
    }
    if (flag_of(c) == 0 && c != '-') fail("unknown extension ?" + shown(at_, at_ + 1), at_ - 1);
    scoped_flags();
    bool fold = on(kIgnoreCase);
    return plain(begin, fold ? "(?i:" : "(?-i:");
  }
  Width python_group(size_t begin) {
    if (accept('<')) {
      std::string name = group_name('>', "name");
      return capture(begin, name);
    }
    if (accept('=')) {
      size_t name_begin = at_;
      std::string name = group_name(')', "name");
      std::optional<int64_t> number = named(name);
      if (!number) fail(fmt::format("unknown group name {}", quote(name)), name_begin);
      return backreference(*number, name_begin, name_begin);
    }
    if (peek() == kEnd) fail("unexpected end of pattern", at_);
    fail("unknown extension ?P" + shown(at_, at_ + 1), at_ - 2);
  }
  Width look_behind(size_t begin) {
    uint32_t c = peek();
    if (c == kEnd) fail("unexpected end of pattern", at_);
    if (c != '=' && c != '!') fail("unknown extension ?<" + shown(at_, at_ + 1), at_ - 2);
    ++at_;
    int64_t outer = look_behind_groups_;
    if (outer < 0) look_behind_groups_ = static_cast<int64_t>(widths_.size());
    Width width = plain(begin, c == '=' ? "(?<=" : "(?<!");
    look_behind_groups_ = outer;
    if (width.least != width.most) throw PatternError{"look-behind requires fixed-width pattern", -1};
    return {};
  }
  Width conditional(size_t begin) {
    size_t name_begin = at_;
    std::string name = group_name(')', "reference");
    int64_t number = 0;
    if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      number = name.size() > 6 ? 1'000'000 : std::stoll(name);
      if (number == 0) fail("bad group number", name_begin);
      if (number > 100'000) fail(fmt::format("invalid group reference {}", name), name_begin);
    } else {
      std::optional<int64_t> found = named(name);
      if (!found) fail(fmt::format("unknown group name {}", quote(name)), name_begin);
      number = *found;
    }
    if (number > static_cast<int64_t>(widths_.size()))
      fail(fmt::format("invalid group reference {}", number), name_begin);
    put(fmt::format("(?({})", number));
    Width width = sequence();
    Width other;
    if (accept('|')) {
      put("|");
      other = sequence();
      if (peek() == '|') fail("conditional backref with more than two branches", at_ + 1);
    }
    close(begin);
    put(")");
    return {std::min(width.least, other.least), std::max(width.most, other.most)};
  }

  std::vector<uint32_t> points_;
  size_t at_ = 0;
  int64_t flags_ = 0;
  int depth_ = 0;
  size_t group_start_ = 0;
  int64_t look_behind_groups_ = -1;  // how many groups there were before the look-behind; -1: not in one
  std::vector<std::optional<Width>> widths_;  // of the groups; none while they are open
  ParsedPattern parsed_;
};

}  // namespace

ParsedPattern parse_pattern(std::string_view pattern, int64_t flags) {
  return PatternParser(pattern, flags).run();
}

}  // namespace mlc::script
