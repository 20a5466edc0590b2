// SPDX-License-Identifier: Apache-2.0
#include "repl/session/line_diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/print/highlight.h"
#include "repl/terminal/glyphs.h"

namespace mlc::repl {

namespace {

constexpr size_t kMostCells = size_t{1} << 25;

struct Line {
  char mark;  // ' ', '-', '+'
  std::string text;
};

std::vector<Line> compare(std::string_view before, std::string_view after) {
  std::vector<std::string> a = lines_of(before);
  std::vector<std::string> b = lines_of(after);
  size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  size_t n = a.size() - head - tail;
  size_t m = b.size() - head - tail;

  // Past this size the lines between are one change as a whole.
  bool whole = n > 0 && m > 0 && n > kMostCells / m;
  // length[i][j]: of the longest common subsequence of a[head + i..] and b[head + j..].
  std::vector<uint32_t> length(whole ? 0 : (n + 1) * (m + 1), 0);
  auto at = [&](size_t i, size_t j) -> uint32_t& { return length[i * (m + 1) + j]; };
  for (size_t i = whole ? 0 : n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      at(i, j) = a[head + i] == b[head + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }

  std::vector<Line> lines;
  for (size_t i = 0; i < head; ++i) lines.push_back({' ', a[i]});
  size_t i = 0;
  size_t j = 0;
  while (i < n || j < m) {
    if (!whole && i < n && j < m && a[head + i] == b[head + j]) {
      lines.push_back({' ', a[head + i]});
      ++i, ++j;
    } else if (i < n && (whole || j == m || at(i + 1, j) >= at(i, j + 1))) {
      lines.push_back({'-', a[head + i++]});
    } else {
      lines.push_back({'+', b[head + j++]});
    }
  }
  for (size_t k = a.size() - tail; k < a.size(); ++k) lines.push_back({' ', a[k]});
  return lines;
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string line_diff(std::string_view before, std::string_view after, size_t context) {
  std::vector<Line> lines = compare(before, after);
  std::vector<bool> shown(lines.size());
  bool any = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].mark == ' ') continue;
    any = true;
    size_t end = std::min(lines.size(), i + context + 1);
    for (size_t k = i < context ? 0 : i - context; k < end; ++k) shown[k] = true;
  }
  std::string text;
  bool skipping = false;
  for (size_t i = 0; any && i < lines.size(); ++i) {
    if (!shown[i]) {
      if (!skipping) text += "  ...\n";
      skipping = true;
      continue;
    }
    skipping = false;
    text += lines[i].mark;
    if (!lines[i].text.empty()) text.append(" ").append(lines[i].text);
    text += '\n';
  }
  return text;
}

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name) {
  constexpr size_t context = 3;
  std::vector<Line> lines = compare(before, after);
  std::string text;
  size_t old_line = 1;
  size_t new_line = 1;
  for (size_t i = 0; i < lines.size();) {
    size_t first = i;
    while (first < lines.size() && lines[first].mark == ' ') ++first;
    if (first == lines.size()) break;
    // A hunk goes on while changes are at most two contexts apart.
    size_t last = first;
    for (size_t k = first; k < lines.size() && k - last <= 2 * context + 1; ++k) {
      if (lines[k].mark != ' ') last = k;
    }
    size_t begin = std::max(i, first - std::min(first, context));
    size_t end = std::min(lines.size(), last + context + 1);
    old_line += begin - i;
    new_line += begin - i;
    size_t removed = 0;
    size_t added = 0;
    std::string hunk;
    for (size_t k = begin; k < end; ++k) {
      removed += lines[k].mark != '+';
      added += lines[k].mark != '-';
      hunk += lines[k].mark;
      hunk.append(lines[k].text).append("\n");
    }
    if (text.empty()) text = fmt::format("--- {0}\n+++ {0}\n", name);
    text += fmt::format("@@ -{},{} +{},{} @@\n{}", removed == 0 ? old_line - 1 : old_line, removed,
                        added == 0 ? new_line - 1 : new_line, added, hunk);
    old_line += removed;
    new_line += added;
    i = end;
  }
  return text;
}

std::string side_by_side(std::string_view before, std::string_view after, size_t width, bool coloured) {
  constexpr size_t kContext = 2;
  std::vector<Line> lines = compare(before, after);
  struct Row {
    std::string left, right;
    char mark;
  };
  std::vector<Row> rows;
  for (size_t i = 0; i < lines.size();) {
    if (lines[i].mark == ' ') {
      rows.push_back({lines[i].text, lines[i].text, ' '});
      ++i;
      continue;
    }
    // What was removed beside what was added in its place.
    std::vector<std::string> removed, added;
    for (; i < lines.size() && lines[i].mark != ' '; ++i)
      (lines[i].mark == '-' ? removed : added).push_back(lines[i].text);
    for (size_t k = 0; k < std::max(removed.size(), added.size()); ++k) {
      bool both = k < removed.size() && k < added.size();
      rows.push_back({k < removed.size() ? removed[k] : "", k < added.size() ? added[k] : "",
                      both                 ? '|'
                      : k < removed.size() ? '<'
                                           : '>'});
    }
  }
  std::vector<bool> shown(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].mark == ' ') continue;
    for (size_t k = i < kContext ? 0 : i - kContext; k < std::min(rows.size(), i + kContext + 1); ++k)
      shown[k] = true;
  }
  if (std::ranges::find(shown, true) == shown.end()) return "";
  size_t half = (std::max<size_t>(width, 23) - 3) / 2;
  std::string text;
  bool skipping = false;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!shown[i]) {
      if (!skipping) text += "...\n";
      skipping = true;
      continue;
    }
    skipping = false;
    std::string left = cut_to(rows[i].left, half), right = cut_to(rows[i].right, half);
    left.append(half - columns_of(left), ' ');
    print::Role of_left =
        rows[i].mark == '>' || rows[i].mark == ' ' ? print::Role::kPlain : print::Role::kRemoved;
    print::Role of_right =
        rows[i].mark == '<' || rows[i].mark == ' ' ? print::Role::kPlain : print::Role::kAdded;
    auto painted = [&](print::Role role, const std::string& part) {
      std::string_view colour = print::colour_of(role);
      return coloured && !colour.empty() ? fmt::format("{}{}{}", colour, part, print::kColourReset) : part;
    };
    std::string line =
        fmt::format("{} {} {}", painted(of_left, left), rows[i].mark, painted(of_right, right));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string colour_diff(std::string_view text) {
  std::string out;
  for (const std::string& line : lines_of(text)) {
    print::Role role = line.starts_with('-')   ? print::Role::kRemoved
                       : line.starts_with('+') ? print::Role::kAdded
                                               : print::Role::kQuiet;
    std::string_view colour = print::colour_of(role);
    out.append(colour).append(line).append(colour.empty() ? "" : print::kColourReset).append("\n");
  }
  return out;
}

DiffCount count_diff(std::string_view before, std::string_view after) {
  DiffCount count;
  for (const Line& line : compare(before, after)) {
    count.removed += line.mark == '-';
    count.added += line.mark == '+';
  }
  return count;
}

}  // namespace mlc::repl
