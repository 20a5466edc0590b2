// SPDX-License-Identifier: Apache-2.0
// The matching behind stdlib/python/re.mlc: patterns are compiled and run by PCRE2. Positions are in code
// points outside and in bytes inside.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "frontend/script/modules/pattern.h"
#include "frontend/script/numpy/array.h"
#include "frontend/script/types/letters.h"

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

// After so many steps a match is given up: some patterns take exponential time.
constexpr uint32_t kMostSteps = 50'000'000;
constexpr uint32_t kMostKibibytes = 1 << 20;

struct RegexNode final : ffi::Object {
  pcre2_code* code;
  int64_t groups;
  std::vector<int64_t> closing_rank;  // of each group: its place among the closing parentheses
  RegexNode(pcre2_code* code, int64_t groups, std::vector<int64_t> closing_rank)
      : code(code), groups(groups), closing_rank(std::move(closing_rank)) {}
  ~RegexNode() { pcre2_code_free(code); }
  MLC_NODE("mlc.script.regex", RegexNode, ffi::Object);
};

pcre2_code* compile(std::string_view text, uint32_t options, std::string& problem) {
  static pcre2_compile_context* context = [] {
    pcre2_compile_context* made = pcre2_compile_context_create(nullptr);
    pcre2_set_newline(made, PCRE2_NEWLINE_LF);
    return made;
  }();
  int code = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* compiled =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                    options | PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_NEVER_BACKSLASH_C, &code, &at, context);
  if (compiled == nullptr) {
    PCRE2_UCHAR message[256];
    pcre2_get_error_message(code, message, sizeof message);
    problem = reinterpret_cast<const char*>(message);
  }
  return compiled;
}

// (regex, flags, groups, names) or (None, message, position).
Any compile_pattern(ApiCall& call, const Any& pattern, int64_t flags) {
  if (!is_str(pattern))
    raise("TypeError", call.span_of(0), "wrong-type", "first argument must be string or compiled pattern");
  ParsedPattern parsed;
  try {
    parsed = parse_pattern(text_of(pattern), flags);
  } catch (const PatternError& error) {
    return Tuple{Any(nullptr), str_value(error.message), Any(error.position)};
  }
  std::string problem;
  constexpr std::pair<int64_t, uint32_t> kOptions[] = {{kIgnoreCase, PCRE2_CASELESS},
                                                       {kMultiLine, PCRE2_MULTILINE},
                                                       {kDotAll, PCRE2_DOTALL},
                                                       {kUnicode, PCRE2_UCP}};
  uint32_t options = PCRE2_ALT_CIRCUMFLEX;
  for (auto [flag, option] : kOptions) {
    if ((parsed.flags & flag) != 0) options |= option;
  }
  pcre2_code* code = compile(parsed.text, options, problem);
  if (code == nullptr) return Tuple{Any(nullptr), str_value(problem), Any(int64_t{-1})};
  std::vector<int64_t> rank(static_cast<size_t>(parsed.groups));
  for (size_t i = 0; i < parsed.closing.size(); ++i)
    rank[static_cast<size_t>(parsed.closing[i] - 1)] = static_cast<int64_t>(i);
  Dict names;
  Evaluator& evaluator = evaluator_of(call.host);
  for (const auto& [name, number] : parsed.names) dict_set(evaluator, names, str_value(name), Any(number));
  return Tuple{Any(ir::make<RegexNode>(code, parsed.groups, std::move(rank))), Any(parsed.flags),
               Any(parsed.groups), Any(names)};
}

// Code points and bytes of a text.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {
    for (char c : text) ascii_ = ascii_ && static_cast<unsigned char>(c) < 0x80;
    if (ascii_) return;
    points_.reserve(text.size() + 1);
    int64_t n = -1;
    for (char c : text) {
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
        ++n;
        bytes_.push_back(static_cast<int64_t>(points_.size()));
      }
      points_.push_back(n);
    }
    points_.push_back(n + 1);
    bytes_.push_back(static_cast<int64_t>(text.size()));
  }
  int64_t size() const { return ascii_ ? static_cast<int64_t>(text_.size()) : points_.back(); }
  int64_t point(size_t byte) const { return ascii_ ? static_cast<int64_t>(byte) : points_[byte]; }
  size_t byte(int64_t point) const {
    return static_cast<size_t>(ascii_ ? point : bytes_[static_cast<size_t>(point)]);
  }

 private:
  std::string_view text_;
  bool ascii_ = true;
  std::vector<int64_t> points_, bytes_;
};

// A tuple of the starts and ends of all groups, and the number of the group that was closed last.
Any spans_of(const RegexNode& regex, pcre2_match_data* data, int found, const Places& places) {
  PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data);
  std::vector<Any> spans;
  int64_t last = 0;
  PCRE2_SIZE last_end = 0;
  for (int64_t i = 0; i <= regex.groups; ++i) {
    PCRE2_SIZE begin = i < found ? ends[2 * i] : PCRE2_UNSET, end = i < found ? ends[2 * i + 1] : PCRE2_UNSET;
    if (begin == PCRE2_UNSET) {
      spans.emplace_back(int64_t{-1});
      spans.emplace_back(int64_t{-1});
      continue;
    }
    spans.emplace_back(places.point(begin));
    spans.emplace_back(places.point(end));
    if (i == 0) continue;
    auto rank = [&](int64_t group) { return regex.closing_rank[static_cast<size_t>(group - 1)]; };
    if (last == 0 || end > last_end || (end == last_end && rank(i) > rank(last))) {
      last = i;
      last_end = end;
    }
  }
  spans.emplace_back(last == 0 ? Any(nullptr) : Any(last));
  return Tuple(spans.begin(), spans.end());
}

// `mode`: "search", "match" or "fullmatch"; `most`: how many matches, one behind the other; -1: all.
Any match(ApiCall& call, const Any& pattern, const Any& subject, int64_t from, int64_t to,
          const std::string& mode, int64_t most) {
  auto* regex = as<RegexNode>(pattern);
  if (regex == nullptr || !is_str(subject)) {
    raise("TypeError", call.span, "wrong-type", "expected string or bytes-like object, got '{}'",
          type_name_of(evaluator_of(call.host), subject));
  }
  std::string_view text = text_of(subject);
  Places places(text);
  int64_t size = places.size();
  from = std::clamp<int64_t>(from, 0, size);
  to = std::clamp<int64_t>(to, 0, size);
  List all;
  if (from > to) return all;
  static thread_local pcre2_match_context* context = [] {
    pcre2_match_context* made = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(made, kMostSteps);
    pcre2_set_heap_limit(made, kMostKibibytes);
    return made;
  }();
  std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> data(
      pcre2_match_data_create_from_pattern(regex->code, nullptr), pcre2_match_data_free);
  uint32_t options = mode == "search"      ? 0
                     : mode == "fullmatch" ? PCRE2_ANCHORED | PCRE2_ENDANCHORED
                                           : PCRE2_ANCHORED;
  size_t at = places.byte(from), end = places.byte(to);
  bool empty_before = false;
  while (most != 0) {
    evaluator_of(call.host).state().check_interrupt();
    int found = pcre2_match(regex->code, reinterpret_cast<PCRE2_SPTR>(text.data()), end, at,
                            options | PCRE2_NO_UTF_CHECK | (empty_before ? PCRE2_NOTEMPTY_ATSTART : 0),
                            data.get(), context);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0) {
      raise("RuntimeError", call.span, "pattern-too-slow",
            "the search was given up after {} steps: the pattern tries too many ways to match this text",
            kMostSteps);
    }
    all.push_back(spans_of(*regex, data.get(), found, places));
    PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
    at = ends[1];
    empty_before = ends[0] == ends[1];
    if (most > 0) --most;
  }
  return all;
}

const ir::ApiRow rows[] = {
    {ApiKind::kFunction, "mlc", "regex_compile(pattern, flags)",
     "(regex, flags, number of groups, their names), or (None, message, position): for the module re.",
     native([](ApiCall& call, Any pattern, int64_t flags) { return compile_pattern(call, pattern, flags); })},
    {ApiKind::kFunction, "mlc", "regex_match(regex, text, start, end, mode, most)",
     "The places of the groups of each match: for the module re.",
     native([](ApiCall& call, Any regex, Any text, int64_t start, int64_t end, std::string mode,
               int64_t most) { return match(call, regex, text, start, end, mode, most); })},
};

}  // namespace

std::span<const ir::ApiRow> regex_rows() { return rows; }

namespace {
bool in_category(pcre2_code* code, uint32_t point) {
  static thread_local pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
  std::string text;
  append_utf8(text, point);
  return pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, PCRE2_NO_UTF_CHECK,
                     data, nullptr) >= 0;
}
pcre2_code* category(std::string_view set) {
  std::string problem;
  return compile(set, 0, problem);
}
}  // namespace

bool is_other_or_separator(uint32_t point) {
  static pcre2_code* code = category("[\\p{C}\\p{Z}]");
  return in_category(code, point);
}
bool is_decimal_digit(uint32_t point) {
  if (point < 0x80) return point >= '0' && point <= '9';
  static pcre2_code* code = category("\\p{Nd}");
  return in_category(code, point);
}

}  // namespace mlc::script
