// SPDX-License-Identifier: Apache-2.0
#include "repl/terminal/paste.h"

#include <algorithm>
#include <vector>

namespace mlc::repl {

namespace {

std::vector<std::string> lines_of_paste(std::string_view text) {
  std::vector<std::string> lines(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      lines.emplace_back();
    } else if (text[i] == '\r') {
      if (i + 1 >= text.size() || text[i + 1] != '\n') lines.emplace_back();
    } else {
      lines.back() += text[i];
    }
  }
  return lines;
}

// How long the prompt is that begins the line: of an input's first line, or of one that goes on with it; 0 for none.
size_t prompt_size(std::string_view line, bool first) {
  size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  std::string_view rest = line.substr(blanks);
  for (std::string_view prompt : first ? std::vector<std::string_view>{">>>", "mlc>", "mlc proved>", "mlc tested>", "mlc unchecked>", "mlc WRONG>"}
                                     : std::vector<std::string_view>{"..."}) {
    if (rest == prompt) return line.size();
    if (rest.starts_with(prompt) && rest.size() > prompt.size() && rest[prompt.size()] == ' ')
      return blanks + prompt.size() + 1;
  }
  // `In [3]: ` and `   ...: ` of IPython.
  size_t end = std::string_view::npos;
  if (first && rest.starts_with("In [")) {
    size_t digits = 4;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    if (rest.substr(digits).starts_with("]:")) end = digits + 2;
  } else if (!first && rest.starts_with("...:")) {
    end = 4;
  }
  if (end == std::string_view::npos) return 0;
  return blanks + end + (end < rest.size() && rest[end] == ' ' ? 1 : 0);
}

size_t blanks_of(const std::string& line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

}  // namespace

std::string cell_of_paste(std::string_view pasted) {
  std::vector<std::string> lines = lines_of_paste(pasted);
  while (!lines.empty() && blanks_of(lines.back()) == lines.back().size()) lines.pop_back();
  while (!lines.empty() && blanks_of(lines.front()) == lines.front().size()) lines.erase(lines.begin());
  if (lines.empty()) return "";
  if (prompt_size(lines.front(), true) != 0) {
    std::vector<std::string> inputs;
    for (const std::string& line : lines) {
      size_t prompt = prompt_size(line, true);
      if (prompt == 0 && !inputs.empty()) prompt = prompt_size(line, false);
      if (prompt != 0) inputs.push_back(line.substr(prompt));
    }
    lines = std::move(inputs);
  }
  size_t shared = std::string::npos;
  for (const std::string& line : lines) {
    size_t blanks = blanks_of(line);
    if (blanks < line.size()) shared = std::min(shared, blanks);
  }
  std::string cell;
  for (std::string& line : lines) {
    if (!cell.empty()) cell += '\n';
    cell += line.substr(std::min({shared, blanks_of(line), line.size()}));
  }
  while (!cell.empty() && (cell.back() == '\n' || cell.back() == ' ')) cell.pop_back();
  return cell;
}

}  // namespace mlc::repl
