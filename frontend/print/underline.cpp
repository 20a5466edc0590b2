// SPDX-License-Identifier: Apache-2.0
// Carets under chosen stretches of a text, line numbers, and context.
#include <algorithm>

#include "frontend/print/printer.h"

namespace mlc::print {

std::string decorate(const std::string& text, const std::vector<Span>& spans, const PrintOptions& options) {
  struct Line {
    size_t begin, end;
    std::string carets;  // empty: nothing is underlined
  };
  std::vector<Line> lines;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(Line{begin, end, ""});
    begin = end + 1;
  }
  auto line_of = [&lines](size_t offset) {
    auto after = std::upper_bound(lines.begin(), lines.end(), offset,
                                  [](size_t value, const Line& line) { return value < line.begin; });
    return static_cast<size_t>(after - lines.begin()) - 1;
  };
  for (const Span& span : spans) {
    size_t last = line_of(span.end > span.begin ? span.end - 1 : span.begin);
    for (size_t i = line_of(span.begin); i <= last; ++i) {
      Line& line = lines[i];
      std::string_view content(text.data() + line.begin, line.end - line.begin);
      size_t indent = std::min(content.find_first_not_of(' '), content.size());
      if (content.substr(indent).starts_with("#")) continue;  // comments belong to nobody
      size_t from = span.begin > line.begin ? span.begin - line.begin : 0;
      size_t to = std::min(span.end, line.end) - line.begin;
      from = std::max(from, indent);
      if (from >= to) continue;
      if (line.carets.size() < to) line.carets.resize(to, ' ');
      std::fill(line.carets.begin() + static_cast<ptrdiff_t>(from),
                line.carets.begin() + static_cast<ptrdiff_t>(to), span.kept_free ? ' ' : '^');
    }
  }
  for (Line& line : lines) line.carets.resize(line.carets.find_last_of('^') + 1);
  bool any = std::any_of(spans.begin(), spans.end(), [](const Span& span) { return !span.kept_free; });
  int context = any ? options.num_context_lines : -1;
  std::vector<char> shown(lines.size(), context < 0 ? 1 : 0);
  auto empty = [&lines](size_t i) { return i < lines.size() && lines[i].begin == lines[i].end; };
  for (size_t i = 0; i < lines.size() && context >= 0; ++i) {
    if (lines[i].carets.empty()) continue;
    auto around = static_cast<size_t>(context);
    size_t last = i + around + (empty(i + 1) ? 1 : 0);
    for (size_t k = i > around ? i - around : 0; k <= std::min(last, lines.size() - 1); ++k) shown[k] = 1;
  }
  // An empty line between functions has no number: in TVM it belongs to the line above it.
  std::vector<size_t> numbers(lines.size(), 0);
  size_t count = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    bool between = empty(i) && i + 1 < lines.size() && text[lines[i + 1].begin] == ' ';
    if (!between) numbers[i] = ++count;
  }
  size_t width = options.print_line_numbers ? std::to_string(count).size() + 1 : 0;
  std::string out;
  auto show = [&](size_t k) {
    if (width && numbers[k] != 0) out += fmt::format("{:>{}} ", numbers[k], width - 1);
    out.append(text, lines[k].begin, lines[k].end - lines[k].begin);
    out += '\n';
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!shown[i]) {
      size_t from = i;
      while (i + 1 < lines.size() && !shown[i + 1]) ++i;
      if (i == from) {
        show(i);  // a single line is as short as its omission
      } else {
        out += fmt::format("(... {} lines skipped ...)\n", i - from + 1);
      }
      continue;
    }
    show(i);
    if (lines[i].carets.empty()) continue;
    // As in TVM, an empty line comes before the carets of the line above it.
    size_t underlined = i;
    if (empty(i + 1) && shown[i + 1]) show(++i);
    out.append(width, ' ');
    out += lines[underlined].carets;
    out += '\n';
  }
  out.pop_back();
  return out;
}

}  // namespace mlc::print
