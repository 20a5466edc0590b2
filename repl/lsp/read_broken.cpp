// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/read_broken.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "frontend/syntax/parse.h"
#include "frontend/syntax/source_text.h"
#include "ir/core/span.h"

namespace mlc::lsp {

namespace {

// After that many attempts a mistake takes the whole block at the left margin with it, later the whole text.
constexpr int kByLine = 4;
constexpr int kByBlock = 6;

struct Line {
  size_t begin, end;  // without its newline
};

Line line_at(const std::string& text, size_t offset) {
  offset = std::min(offset, text.size());
  size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return {begin, std::min(text.find('\n', begin), text.size())};
}
size_t indent_of(const std::string& text, Line line) {
  size_t at = line.begin;
  while (at < line.end && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at - line.begin;
}
bool is_blank(const std::string& text, Line line) {
  size_t at = line.begin + indent_of(text, line);
  return at == line.end || text[at] == '#' || text[at] == '\r';
}

// The next line below, or above, that says something.
bool step(const std::string& text, Line& line, bool down) {
  while (down ? line.end < text.size() : line.begin > 0) {
    line = line_at(text, down ? line.end + 1 : line.begin - 1);
    if (!is_blank(text, line)) return true;
    if (down && line.end >= text.size()) return false;
  }
  return false;
}

void blank(std::string& text, size_t begin, size_t end) {
  for (size_t at = begin; at < end && at < text.size(); ++at) {
    if (text[at] != '\n' && text[at] != '\r') text[at] = ' ';
  }
}

bool is_header(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::string_view word = line.substr(0, line.find_first_of(" \t:("));
  constexpr auto kHeaders = std::to_array<std::string_view>(
      {"class", "def", "elif", "else", "except", "finally", "for", "if", "try", "while", "with"});
  return std::ranges::find(kHeaders, word) != kHeaders.end();
}

// Says nothing in place of the line: a header where its block follows, `pass` where it is all of a block (or
// `alone` says so), else blanks, which have no indentation to be wrong. False when the line says nothing
// already.
bool neutralise(std::string& text, Line line, bool alone = false) {
  size_t indent = indent_of(text, line);
  size_t begin = line.begin + indent, room = line.end - begin;
  std::string before = text.substr(line.begin, line.end - line.begin);
  Line above = line, below = line;
  size_t over = step(text, above, false) ? indent_of(text, above) : 0;
  size_t under = step(text, below, true) ? indent_of(text, below) : 0;
  bool whole = alone || (over < indent && under < indent);
  blank(text, begin, line.end);
  if (!alone && under > indent && room >= 5 && is_header(before))
    text.replace(begin, 5, "if 1:");
  else if (whole && room >= 4)
    text.replace(begin, 4, "pass");
  else if (whole && room >= 1)
    text[begin] = '0';
  return text.compare(line.begin, line.end - line.begin, before) != 0;
}

// The line and those below it that are as deep.
void drop_deeper(std::string& text, Line line) {
  size_t indent = indent_of(text, line);
  Line last = line;
  for (Line next = line; step(text, next, true) && indent_of(text, next) >= indent;) last = next;
  blank(text, line.begin, last.end);
}

// The statement at the left margin around `offset`, down to the next one.
Line block_around(const std::string& text, size_t offset) {
  Line first = line_at(text, offset);
  while (first.begin > 0 && (is_blank(text, first) || indent_of(text, first) > 0))
    first = line_at(text, first.begin - 1);
  Line last = first;
  Line next = first;
  while (step(text, next, true) && (indent_of(text, next) > 0 || next.begin <= offset)) last = next;
  return {first.begin, std::max(last.end, std::min(offset, text.size()))};
}

void repair(std::string& text, const ir::Diagnostic& problem) {
  Line line = line_at(text, problem.span.begin);
  bool of_block = problem.name == "indentation";
  // A block that is missing is the fault of the header above, which asks for it.
  bool wants_block = of_block && problem.message.starts_with("expected");
  if (of_block && !wants_block && problem.message.find("opens a block") != std::string::npos)
    return drop_deeper(text, line);
  Line above = line;
  bool header = (wants_block || is_blank(text, line)) && step(text, above, false);
  if (neutralise(text, header ? above : line, header && wants_block)) return;
  if (step(text, line, false)) neutralise(text, line);
}

std::shared_ptr<const syntax::Tree> parse(const std::string& text, syntax::LastReading* last = nullptr) {
  uint32_t file = ir::SourceMap::current().add("document", text);
  return last == nullptr ? syntax::parse_file(file) : syntax::parse_file(file, *last);
}

// Mends `text`, of which no more is there than the statements with mistakes, until it parses.
std::shared_ptr<const syntax::Tree> mend(std::string& text, std::vector<ir::Diagnostic> problems,
                                         syntax::LastReading* last = nullptr) {
  for (int round = 0;; ++round) {
    for (const ir::Diagnostic& problem : problems) {
      if (round < kByLine) {
        repair(text, problem);
      } else {
        Line block = round < kByBlock ? block_around(text, problem.span.begin) : Line{0, text.size()};
        blank(text, block.begin, block.end);
      }
    }
    try {
      return parse(text, last);
    } catch (const ir::Error& error) {
      problems = error.all();
    }
  }
}

}  // namespace

Reading read_broken(const std::string& text, syntax::LastReading& last) {
  Reading reading;
  std::string mended = text;
  try {
    syntax::check_is_text("document", text);
    reading.tree = parse(text, &last);
    return reading;
  } catch (const ir::Error& error) {
    reading.problems = error.all();
  }
  // The rest parses as it stands, so that it is read twice and not at each attempt.
  std::vector<Line> blocks;
  for (const ir::Diagnostic& problem : reading.problems) {
    Line block = block_around(text, problem.span.begin);
    if (blocks.empty() || blocks.back().end <= block.begin) blocks.push_back(block);
  }
  std::string part = text;
  size_t kept = 0;
  for (Line block : blocks) {
    blank(part, kept, block.begin);
    kept = block.end;
  }
  blank(part, kept, part.size());
  mend(part, reading.problems);
  for (Line block : blocks)
    mended.replace(block.begin, block.end - block.begin, part, block.begin, block.end - block.begin);
  try {
    reading.tree = parse(mended, &last);
  } catch (const ir::Error& error) {  // what a mistake had hidden is wrong as well
    reading.tree = mend(mended, error.all(), &last);
  }
  for (Line line{0, std::min(text.find('\n'), text.size())};; line = line_at(text, line.end + 1)) {
    if (mended.compare(line.begin, line.end - line.begin, text, line.begin, line.end - line.begin) != 0)
      reading.left_out.emplace_back(line.begin, line.end);
    if (line.end >= text.size()) break;
  }
  return reading;
}

}  // namespace mlc::lsp
