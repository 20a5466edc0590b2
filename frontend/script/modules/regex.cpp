// SPDX-License-Identifier: Apache-2.0
// The matching behind stdlib/python/re.mlc: patterns are compiled and run by PCRE2, whose syntax is Python's
// but for a few escapes. Positions are in code points outside and in bytes inside.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <cctype>
#include <map>

#include "frontend/script/numpy/array.h"
#include "frontend/script/types/text_points.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "pattern-too-slow",
         .message =
             "the search was given up after {} steps: the pattern tries too many ways to match this text",
         .meaning = "The pattern can match the text in so many ways that the search was given up. Nested "
                    "repetitions, like `(a+)+`, do that."},
    }};
MLC_REFUSALS(modules_regex, refusals);

namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

// After so many steps a match is given up: some patterns take exponential time. Ctrl-C is heard where a match
// begins, and after `kFewSteps`, which take a few hundredths of a second, it begins anew with code that
// listens at each item.
constexpr uint32_t kFewSteps = 1'000'000, kMostSteps = 50'000'000;
constexpr uint32_t kMostKibibytes = 1 << 20;
constexpr std::string_view kListen = "(?C)";

struct RegexNode final : ffi::Object {
  mutable pcre2_code* code;
  int64_t groups;
  std::string text;  // of the pattern, with kListen before it
  uint32_t options;
  mutable bool listens = false;
  RegexNode(pcre2_code* code, int64_t groups, std::string text, uint32_t options)
      : code(code), groups(groups), text(std::move(text)), options(options) {}
  ~RegexNode() { pcre2_code_free(code); }
  MLC_NODE("mlc.script.regex", RegexNode, ffi::Object);
};

pcre2_code* code_of(std::string_view text, uint32_t options, int& problem, PCRE2_SIZE& at) {
  static pcre2_compile_context* context = [] {
    pcre2_compile_context* made = pcre2_compile_context_create(nullptr);
    pcre2_set_newline(made, PCRE2_NEWLINE_LF);
    return made;
  }();
  return pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), options, &problem, &at,
                       context);
}

// Python's pattern as PCRE2 reads it: `\Z` is its `\z`, `\u` and `\U` are `\x{...}`, `{,n}` is `{0,n}`.
std::string for_pcre(std::string_view pattern) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    auto most = static_cast<unsigned char>(i + 2 < pattern.size() ? pattern[i + 2] : 0);
    if (pattern.substr(i).starts_with("{,") && (std::isdigit(most) != 0 || most == '}')) {
      text += "{0";
      continue;
    }
    text += pattern[i];
    if (pattern[i] != '\\' || i + 1 == pattern.size()) continue;
    char c = pattern[++i];
    size_t digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0) {
      text += fmt::format("x{{{}}}", pattern.substr(i + 1, digits));
      i += digits;
    } else {
      text += c == 'Z' ? 'z' : c;
    }
  }
  return text;
}

// (regex, flags, groups, names) or (None, message, position).
Any compile_pattern(ApiCall& call, const Any& pattern, int64_t flags) {
  // Python's numbers of its flags.
  constexpr int64_t kUnicode = 32, kAscii = 256;
  constexpr std::pair<int64_t, uint32_t> kOptions[] = {{2, PCRE2_CASELESS},
                                                       {8, PCRE2_MULTILINE},
                                                       {16, PCRE2_DOTALL},
                                                       {kUnicode, PCRE2_UCP},
                                                       {64, PCRE2_EXTENDED}};
  if ((flags & kAscii) == 0) flags |= kUnicode;
  uint32_t options = PCRE2_ALT_CIRCUMFLEX | PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_NEVER_BACKSLASH_C;
  for (auto [flag, option] : kOptions) {
    if ((flags & flag) != 0) options |= option;
  }
  std::string text = std::string(kListen) + for_pcre(text_of(pattern));
  int problem = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code = code_of(text, options, problem, at);
  if (code == nullptr) {
    PCRE2_UCHAR message[256];
    pcre2_get_error_message(problem, message, sizeof message);
    return Tuple{
        Any(nullptr), str_value(reinterpret_cast<const char*>(message)),
        Any(static_cast<int64_t>(utf8_length(std::string_view(text).substr(0, at)) - kListen.size()))};
  }
  uint32_t groups = 0, count = 0, size = 0;
  PCRE2_SPTR row = nullptr;  // of the table of names: the number in two bytes, then the name
  pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
  pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &count);
  pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &size);
  pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &row);
  std::map<int64_t, std::string> names;
  for (; count > 0; --count, row += size)
    names[row[0] << 8 | row[1]] = reinterpret_cast<const char*>(row + 2);
  Dict numbers;
  for (const auto& [number, name] : names) numbers.Set(str_value(name), number);
  return Tuple{Any(ir::make<RegexNode>(code, groups, std::move(text), options)), Any(flags),
               Any(int64_t{groups}), Any(numbers)};
}

// A tuple of the starts and ends of all groups, and the number of the group that was closed last.
Any spans_of(const RegexNode& regex, pcre2_match_data* data, int found, const TextPoints& places) {
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
    // Of groups with the same end the one around the others was closed last: it has the lowest number.
    if (i > 0 && (last == 0 || end > last_end)) {
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
  auto places = points_of(subject);
  int64_t size = places->size();
  from = std::clamp<int64_t>(from, 0, size);
  to = std::clamp<int64_t>(to, 0, size);
  List all;
  if (from > to) return all;
  static thread_local pcre2_match_context* context = [] {
    pcre2_match_context* made = pcre2_match_context_create(nullptr);
    pcre2_set_heap_limit(made, kMostKibibytes);
    pcre2_set_callout(
        made,
        [](pcre2_callout_block*, void*) { return Evaluator::is_interrupted() ? PCRE2_ERROR_CALLOUT : 0; },
        nullptr);
    return made;
  }();
  std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> data(
      pcre2_match_data_create_from_pattern(regex->code, nullptr), pcre2_match_data_free);
  uint32_t options = mode == "search"      ? 0
                     : mode == "fullmatch" ? PCRE2_ANCHORED | PCRE2_ENDANCHORED
                                           : PCRE2_ANCHORED;
  size_t at = places->byte(from), end = places->byte(to);
  bool empty_before = false;
  while (most != 0) {
    evaluator_of(call.host).state().check_interrupt();
    pcre2_set_match_limit(context, regex->listens ? kMostSteps : kFewSteps);
    int found = pcre2_match(regex->code, reinterpret_cast<PCRE2_SPTR>(text.data()), end, at,
                            options | PCRE2_NO_UTF_CHECK | (empty_before ? PCRE2_NOTEMPTY_ATSTART : 0),
                            data.get(), context);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found == PCRE2_ERROR_CALLOUT) continue;  // interrupted
    if (found == PCRE2_ERROR_MATCHLIMIT && !regex->listens) {
      int problem = 0;
      PCRE2_SIZE where = 0;
      pcre2_code_free(std::exchange(
          regex->code, code_of(regex->text, regex->options | PCRE2_AUTO_CALLOUT, problem, where)));
      regex->listens = true;
      continue;
    }
    if (found < 0) {
      raise(refusals["pattern-too-slow"], call.span, kMostSteps);
    }
    all.push_back(spans_of(*regex, data.get(), found, *places));
    PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
    at = ends[1];
    empty_before = ends[0] == ends[1];
    if (most > 0) --most;
  }
  return all;
}

const ir::ApiRow regex_table[] = {
    {ApiKind::kFunction, "mlc", "regex_compile(pattern, flags)",
     "(regex, flags, number of groups, their names), or (None, message, position): for the module re.",
     native(calls<compile_pattern>)},
    {ApiKind::kFunction, "mlc", "regex_match(regex, text, start, end, mode, most)",
     "The places of the groups of each match: for the module re.", native(calls<match>)},
};

}  // namespace

std::span<const ir::ApiRow> regex_rows() { return regex_table; }

}  // namespace mlc::script
