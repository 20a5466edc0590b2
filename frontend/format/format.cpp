// SPDX-License-Identifier: Apache-2.0
#include "frontend/format/format.h"

#include <algorithm>

#include "frontend/format/line.h"
#include "frontend/syntax/frozen.h"
#include "frontend/syntax/lexemes.h"
#include "frontend/syntax/parse.h"
#include "ir/core/error.h"
#include "ir/core/refusal.h"
#include "ir/core/span.h"

namespace mlc::format {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "untouchable-region",
         .message = "what is left as it stands here does not fit the lines around it",
         .help = "indent it by 4 spaces for each block around it, and put `# fmt: off` and `# fmt: on` on "
                 "lines of their own within one block",
         .meaning = "`# fmt: off` keeps lines as they stand, and their indentation does not fit the lines "
                    "around them any more."},
    }};
MLC_REFUSALS(format_format, refusals);

namespace {

std::string with_newlines(std::string_view text, std::string_view newline) {
  std::string out;
  for (char c : text) {
    if (c == '\r') continue;
    if (c == '\n')
      out += newline;
    else
      out += c;
  }
  return out;
}

// The comments of a text, in order of their words: laying it out may move one past a bracket or comma.
std::vector<std::string> comments_of(uint32_t file) {
  std::string_view text = ir::SourceMap::current().file(file).text;
  std::vector<std::string> comments;
  for (const syntax::Lexeme& word : syntax::lexemes(file)) {
    if (word.kind == syntax::LexemeKind::kComment)
      comments.push_back(normal_comment(text.substr(word.begin, word.end - word.begin)));
  }
  std::sort(comments.begin(), comments.end());
  return comments;
}

std::string lay_out(Document& document) {
  std::vector<int> blanks = blank_lines(document.lines);
  std::string out;
  for (size_t i = 0; i < document.lines.size(); ++i) {
    const LogicalLine& line = document.lines[i];
    int empty = blanks[i];
    if (line.form_feed) {
      out.append(static_cast<size_t>(std::max(0, empty - 1)), '\n').append("\f\n");
    } else {
      out.append(static_cast<size_t>(empty), '\n');
    }
    switch (line.kind) {
      case LogicalLine::Kind::kCode:
        write_line(document, line, out);
        break;
      case LogicalLine::Kind::kComment:
        out.append(static_cast<size_t>(line.depth) * 4, ' ');
        out.append(line.text).append("\n");
        break;
      case LogicalLine::Kind::kGolden:
      case LogicalLine::Kind::kRaw:
        out.append(line.text).append("\n");
        break;
    }
  }
  return document.newline == "\n" ? out : with_newlines(out, document.newline);
}

bool has_long_line(std::string_view text) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    if (end > kLineLength) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

// Where a line stays too long whatever is broken, the commas that breaking it adds can lead to other places
// to break: laid out again until nothing changes.
std::string settled(std::string text) {
  constexpr int kMost = 4;
  for (int i = 0; i < kMost && has_long_line(text); ++i) {
    Document again = read_lines(ir::SourceMap::current().add("<formatted>", text));
    std::string next = lay_out(again);
    if (next == text) break;
    text = std::move(next);
  }
  return text;
}

}  // namespace

std::string format(uint32_t file) {
  std::shared_ptr<const syntax::Tree> before = syntax::parse_file(file), after;
  Document document = read_lines(file);
  std::string text = settled(lay_out(document));
  uint32_t formatted = ir::SourceMap::current().add("<formatted>", text);
  std::string trouble;
  try {
    after = syntax::parse_file(formatted);
  } catch (const ir::Error& error) {
    trouble = error.what();
  }
  bool same = after && syntax::same_but_places(*before, *after);
  if (document.has_region && !same) {
    throw ir::refuse(refusals["untouchable-region"]).at(document.region);
  }
  MLC_CHECK(trouble.empty(), "the formatted text does not parse: {}", trouble);
  MLC_CHECK(same, "the formatted text means something else");
  MLC_CHECK(comments_of(file) == comments_of(formatted), "the formatted text has other comments");
  return text;
}

}  // namespace mlc::format
