// SPDX-License-Identifier: Apache-2.0
// Empty lines between statements: two around definitions of the top level, one around those within, and where
// the author put some, at most as many.
#include <algorithm>
#include <optional>

#include "frontend/format/line.h"

namespace mlc::format {
namespace {

class Counter {
 public:
  explicit Counter(const std::vector<LogicalLine>& lines) : lines_(lines) {}

  std::vector<int> run() {
    before_.resize(lines_.size());
    for (size_t i = 0; i < lines_.size(); ++i) {
      before_[i] = i == 0 ? 0 : count(i);
      note(i);
    }
    return std::move(before_);
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  int count(size_t i) {
    const LogicalLine& line = lines_[i];
    const LogicalLine& previous = lines_[i - 1];
    int before = std::min(line.blanks, line.depth == 0 ? 2 : 1);
    bool wanted = before > 0;
    const LogicalLine* ended = nullptr;  // the outermost definition that ends before this line
    while (!definitions_.empty() && definitions_.back()->depth >= line.depth) {
      ended = definitions_.back();
      definitions_.pop_back();
    }
    // What a statement prints stands right beneath it.
    if (line.kind == LogicalLine::Kind::kGolden && !wanted) return 0;
    if (line.docstring && previous.class_()) return 0;
    if (line.docstring && previous.def()) return 0;
    if (ended != nullptr) {
      bool clause = ended->depth > 0 && line.opens_block() && !line.starts("with") && !line.starts("try") &&
                    !line.starts("for") && !line.starts("while") && !line.starts("if");
      before = line.depth > 0 || clause ? 1 : 2;
    }
    if (line.decorator() || line.def() || line.class_()) {
      before = before_definition(i, before, wanted);
    } else if (previous.import() && !line.import()) {
      if (previous.depth == 0 && line.depth == 0) {
        before = line.kind == LogicalLine::Kind::kGolden ? before : 1;
      } else if (previous.depth == line.depth) {
        before = std::max(before, 1);
      }
    }
    if (previous.docstring && i >= 2 && lines_[i - 2].class_()) before = std::max(before, 1);
    if (previous.docstring && i == 1 && !line.decorator() && !line.def() && !line.class_()) before = 1;
    if (previous.decorator()) return 0;
    return before;
  }

  int before_definition(size_t i, int before, bool wanted) {
    const LogicalLine& line = lines_[i];
    const LogicalLine& previous = lines_[i - 1];
    if (previous.decorator()) return 0;
    if (previous.depth < line.depth && (previous.class_() || previous.def())) return wanted ? 1 : 0;
    int newlines = line.depth > 0 ? 1 : 2;
    if (previous.stub_def() && !wanted) newlines = 0;
    if (previous.comment() && previous.depth == line.depth && before == 0) {
      // The comment belongs to the definition: the empty lines go before it.
      if (leading_ == kNone || leading_ == 0) return 0;
      const LogicalLine& above = lines_[leading_ - 1];
      if (above.class_() || above.opens_block() || before_[leading_] > 1) return 0;
      before_[leading_] = std::max(before_[leading_], newlines);
      return 0;
    }
    return newlines;
  }

  void note(size_t i) {
    const LogicalLine& line = lines_[i];
    if (line.def() || line.class_()) definitions_.push_back(&line);
    if (line.comment()) {
      if (i == 0 || (!lines_[i - 1].decorator() && (leading_ == kNone || before_[i] > 0))) leading_ = i;
    } else if (!line.decorator()) {
      leading_ = kNone;
    }
  }

  const std::vector<LogicalLine>& lines_;
  std::vector<int> before_;
  std::vector<const LogicalLine*> definitions_;  // around the current line
  size_t leading_ = kNone;                       // the first of the comments that lead to the next definition
};

}  // namespace

std::vector<int> blank_lines(const std::vector<LogicalLine>& lines) { return Counter(lines).run(); }

}  // namespace mlc::format
