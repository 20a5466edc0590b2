// SPDX-License-Identifier: Apache-2.0
// The words of a text as logical lines.
#include <algorithm>

#include "frontend/format/line.h"
#include "frontend/syntax/lexemes.h"
#include "ir/core/error.h"
#include "ir/core/span.h"

namespace mlc::format {
namespace {

using Kind = Leaf::Kind;
using syntax::Lexeme;
using syntax::LexemeKind;

class LineReader {
 public:
  explicit LineReader(uint32_t file)
      : file_(file), text_(ir::SourceMap::current().file(file).text), words_(syntax::lexemes(file)) {}

  Document run() {
    document_.newline = text_.find("\r\n") != text_.npos ? "\r\n" : "\n";
    for (at_ = 0; at_ < words_.size(); ++at_) read(words_[at_]);
    join_stubs();
    mark_docstrings();
    return std::move(document_);
  }

 private:
  void read(const Lexeme& word) {
    switch (word.kind) {
      case LexemeKind::kIndent:
        place_comments(columns_.size());
        columns_.push_back(column_of(word.end));
        return;
      case LexemeKind::kDedent:
        closed_.push_back(columns_.back());
        columns_.pop_back();
        return;
      case LexemeKind::kNewline:
        end_line();
        inline_depth_ = 0;
        return;
      case LexemeKind::kEnd:
        place_comments(0);
        if (off_ != kOn) end_region(text_.size());
        return;
      case LexemeKind::kComment:
        return read_comment(word);
      default:
        break;
    }
    if (line_.empty() && inline_depth_ == 0) {
      place_comments(columns_.size() - 1);
      if (off_ != kOn) {
        if (columns_.size() - 1 >= off_depth_) {
          skip_line();
          return;
        }
        end_region(line_start(word.begin));
      }
    }
    read_word(word);
  }

  // ---- words ----

  std::string_view spelled(const Lexeme& word) const {
    return text_.substr(word.begin, word.end - word.begin);
  }

  static Kind kind_of(const Lexeme& word, std::string_view text) {
    switch (word.kind) {
      case LexemeKind::kNumber:
        return Kind::kNumber;
      case LexemeKind::kString:
        return Kind::kString;
      case LexemeKind::kKeyword:
        return Kind::kKeyword;
      case LexemeKind::kOperator:
        if (text == "(" || text == "[" || text == "{") return Kind::kOpen;
        if (text == ")" || text == "]" || text == "}") return Kind::kClose;
        return text == "..." ? Kind::kName : Kind::kOperator;
      default:
        return Kind::kName;
    }
  }

  Leaf* make(Kind kind, std::string text) {
    Leaf& leaf = document_.leaves.emplace_back();
    leaf.kind = kind;
    leaf.text = std::move(text);
    return &leaf;
  }

  void read_word(const Lexeme& word) {
    std::string_view text = spelled(word);
    Kind kind = kind_of(word, text);
    if (brackets_.empty() && kind == Kind::kOperator && text == ";") return end_line();
    if (line_.empty()) {
      begin_ = word.begin;
    }
    Leaf* leaf = make(kind, kind == Kind::kString   ? normal_string(text)
                            : kind == Kind::kNumber ? normal_number(text)
                                                    : std::string(text));
    if (kind == Kind::kOpen) {
      auto word = std::find_if(line_.rbegin(), line_.rend(), [](const Leaf* l) { return !l->comment(); });
      leaf->literal = word == line_.rend() || !ends_operand(**word);
      brackets_.push_back(leaf);
    } else if (kind == Kind::kClose) {
      leaf->mate = brackets_.back();
      leaf->mate->mate = leaf;
      leaf->literal = leaf->mate->literal;
      brackets_.pop_back();
    }
    if (leaf->keyword("lambda") && brackets_.empty()) ++lambdas_;
    line_.push_back(leaf);
    if (brackets_.empty() && leaf->is(":") && kind == Kind::kOperator) {
      if (lambdas_ > 0) {
        --lambdas_;
      } else if (is_header(*line_[0]) && inline_depth_ == 0 && next_is_word()) {
        end_line();
        inline_depth_ = 1;  // what follows the colon is a block of its own
      }
    }
  }

  bool next_is_word() const {
    LexemeKind next = words_[at_ + 1].kind;
    return next != LexemeKind::kNewline && next != LexemeKind::kComment && next != LexemeKind::kEnd;
  }
  static bool ends_operand(const Leaf& leaf) {
    return leaf.kind == Kind::kName || leaf.kind == Kind::kString || leaf.kind == Kind::kNumber ||
           leaf.closes() || leaf.is("None") || leaf.is("True") || leaf.is("False");
  }
  static bool is_header(const Leaf& first) {
    if (first.kind != Kind::kKeyword) return false;
    for (std::string_view word : {"if", "elif", "else", "for", "while", "with", "try", "except", "finally",
                                  "def", "class"}) {
      if (first.is(word)) return true;
    }
    return false;
  }

  // ---- lines ----

  void end_line() {
    lambdas_ = 0;
    if (line_.empty()) return;
    LogicalLine& line = document_.lines.emplace_back();
    line.depth = static_cast<int>(columns_.size()) - 1 + inline_depth_;
    line.blanks = inline_depth_ > 0 ? 0 : blanks_before(begin_);
    line.form_feed = line.depth == 0 && ends_page(begin_);
    line.leaves = std::move(line_);
    line_.clear();
    if (!line.leaves.back()->comments.empty() && line.leaves.back()->comments.back() == "# fmt: skip" &&
        inline_depth_ == 0) {
      line.kind = LogicalLine::Kind::kRaw;
      size_t end = std::min(text_.find_first_of("\r\n", words_[at_ - 1].end), text_.size());
      line.text.assign(static_cast<size_t>(line.depth) * 4, ' ').append(text_.substr(begin_, end - begin_));
      note_region(begin_, end);
      return;
    }
    add_optional_parentheses(line.leaves);
    analyse(line.leaves);
    settle_comments(line.leaves, document_.leaves);
  }

  uint32_t column_of(uint32_t offset) const {
    uint32_t column = 0;
    for (uint32_t i = line_start(offset); i < offset; ++i)
      column = text_[i] == '\t' ? (column / 8 + 1) * 8 : column + 1;
    return column;
  }
  uint32_t line_start(uint32_t offset) const {
    while (offset > 0 && text_[offset - 1] != '\n' && text_[offset - 1] != '\r') --offset;
    return offset;
  }
  int blanks_before(uint32_t offset) const {
    int newlines = 0;
    for (uint32_t i = offset; i > 0; --i) {
      char c = text_[i - 1];
      if (c == '\n' || (c == '\r' && !(i < text_.size() && text_[i] == '\n'))) {
        ++newlines;
      } else if (c != ' ' && c != '\t' && c != '\f' && c != '\r') {
        return std::max(0, newlines - 1);
      }
    }
    return newlines;
  }

  // Do the empty lines above hold a form feed?
  bool ends_page(uint32_t offset) const {
    std::string_view above = text_.substr(0, line_start(offset));
    size_t last = above.find_last_not_of(" \t\f\r\n");
    return above.find('\f', last == above.npos ? 0 : last + 1) != above.npos;
  }

  // ---- comments ----

  void read_comment(const Lexeme& word) {
    if (off_ != kOn) {
      pending_.push_back(word);
      return;
    }
    if (line_.empty()) {
      bool own = text_.find_first_not_of(" \t\f", line_start(word.begin)) == word.begin;
      LogicalLine* last = document_.lines.empty() ? nullptr : &document_.lines.back();
      if (own || last == nullptr) {
        pending_.push_back(word);
      } else if (last->code()) {  // after `;`
        last->leaves.back()->comments.push_back(normal_comment(spelled(word)));
      }
      return;
    }
    bool own = !brackets_.empty() && text_.find_first_not_of(" \t\f", line_start(word.begin)) == word.begin;
    if (own) {
      line_.push_back(make(Kind::kComment, normal_comment(spelled(word))));
    } else {
      Leaf* leaf = line_.back();
      if (leaf->comment()) {
        line_.push_back(make(Kind::kComment, normal_comment(spelled(word))));
      } else {
        leaf->comments.push_back(normal_comment(spelled(word)));
      }
    }
  }

  // Comments above a line: each in the deepest block that its column allows, of those that end there.
  void place_comments(size_t depth) {
    size_t cap = depth;
    std::vector<uint32_t> columns = columns_;
    columns.insert(columns.end(), closed_.rbegin(), closed_.rend());
    if (!closed_.empty()) cap = columns.size() - 1;
    for (const Lexeme& word : pending_) {
      uint32_t column = column_of(word.begin);
      while (cap > depth && columns[cap] > column) --cap;
      place_comment(word, cap);
    }
    pending_.clear();
    closed_.clear();
  }

  void place_comment(const Lexeme& word, size_t depth) {
    std::string_view text = spelled(word);
    if (off_ != kOn) {
      if (text != "# fmt: on" && depth >= off_depth_) return;
      end_region(text == "# fmt: on" ? std::min<size_t>(word.end, text_.size()) : line_start(word.begin));
      if (text == "# fmt: on") return;
    }
    if (text == "# fmt: off") {
      off_ = line_start(word.begin);
      off_depth_ = depth;
      return;
    }
    LogicalLine& line = document_.lines.emplace_back();
    line.depth = static_cast<int>(depth);
    line.blanks = blanks_before(word.begin);
    line.form_feed = depth == 0 && ends_page(word.begin);
    bool golden = line_start(word.begin) == word.begin && (text.starts_with("#|") || text.starts_with("#!"));
    if (golden) {
      line.kind = LogicalLine::Kind::kGolden;
      line.text = text;
    } else {
      line.kind = LogicalLine::Kind::kComment;
      line.text = normal_comment(text);
    }
  }

  // ---- regions between `# fmt: off` and `# fmt: on` ----

  void skip_line() {
    while (words_[at_ + 1].kind != LexemeKind::kNewline && words_[at_ + 1].kind != LexemeKind::kEnd) ++at_;
  }
  void end_region(size_t end) {
    LogicalLine& line = document_.lines.emplace_back();
    line.kind = LogicalLine::Kind::kRaw;
    line.depth = static_cast<int>(off_depth_);
    uint32_t begin = off_;
    auto first = static_cast<uint32_t>(text_.find_first_not_of(" \t\f", begin));
    line.blanks = blanks_before(first);
    line.form_feed = off_depth_ == 0 && ends_page(first);
    std::string_view region = text_.substr(begin, end - begin);
    size_t last = region.find_last_not_of(" \t\r\n");
    line.text = region.substr(0, last + 1);
    note_region(first, begin + last + 1);
    off_ = kOn;
  }
  void note_region(size_t begin, size_t end) {
    if (document_.has_region) return;
    document_.has_region = true;
    document_.region = {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  // ---- optional parentheses ----

  // A value that may be broken over lines when parentheses are put around it: those that stand there and mean
  // nothing are taken for such.
  void add_optional_parentheses(std::vector<Leaf*>& leaves) {
    if (leaves[0]->keyword("from")) return import_parentheses(leaves);
    std::vector<Leaf*> out;
    const std::string& first = leaves[0]->text;
    bool header = leaves.back()->is(":");
    size_t end = leaves.size() - (header ? 1 : 0);
    bool keyword = leaves[0]->kind == Kind::kKeyword;
    if (keyword && (first == "return" || first == "del" ||
                    ((first == "if" || first == "elif" || first == "while") && header))) {
      // `del (a, b)` is a statement about one pair.
      if (first == "del" && find(leaves, 1, end, [](const Leaf& l) { return l.comma(); }) < end) return;
      out.push_back(leaves[0]);
      wrap(leaves, 1, end, out);
    } else if (keyword && first == "for" && header) {
      size_t in = find(leaves, 1, end, [](const Leaf& l) { return l.keyword("in"); });
      out.push_back(leaves[0]);
      unwrap_target(leaves, 1, in, out);
      out.push_back(leaves[in]);
      wrap(leaves, in + 1, end, out);
    } else if (keyword && first == "assert") {
      size_t comma = find(leaves, 1, end, [](const Leaf& l) { return l.comma(); });
      out.push_back(leaves[0]);
      wrap(leaves, 1, comma, out);
      if (comma < end) {
        out.push_back(leaves[comma]);
        wrap(leaves, comma + 1, end, out);
      }
    } else if (!keyword || leaves[0]->is("None") || leaves[0]->is("True") || leaves[0]->is("False") ||
               first == "not" || first == "lambda") {
      auto assigns = [](const Leaf& l) {
        return l.kind == Kind::kOperator && l.text.ends_with("=") && !l.is("==") && !l.is("!=") &&
               !l.is("<=") && !l.is(">=") && !l.is(":=");
      };
      size_t sign = find(leaves, 0, end, assigns);
      if (sign == end) return;
      unwrap_target(leaves, 0, sign, out);
      out.push_back(leaves[sign]);
      while (sign < end) {
        size_t next = find(leaves, sign + 1, end, assigns);
        wrap(leaves, sign + 1, next, out);
        if (next < end) out.push_back(leaves[next]);
        sign = next;
      }
    } else {
      return;
    }
    if (header) out.push_back(leaves.back());
    leaves = std::move(out);
  }

  // The first leaf outside of brackets and of lambdas' parameters that passes, or `end`.
  template <class Test>
  static size_t find(const std::vector<Leaf*>& leaves, size_t begin, size_t end, Test test) {
    size_t lambdas = 0;
    size_t depth = 0;
    for (size_t i = begin; i < end; ++i) {
      if (leaves[i]->opens()) ++depth;
      if (leaves[i]->closes()) --depth;
      if (depth > 0) continue;
      if (leaves[i]->keyword("lambda")) ++lambdas;
      if (leaves[i]->is(":") && lambdas > 0) --lambdas;
      if (lambdas == 0 && test(*leaves[i])) return i;
    }
    return end;
  }

  void wrap(const std::vector<Leaf*>& leaves, size_t begin, size_t end, std::vector<Leaf*>& out) {
    if (begin >= end) return;
    if (leaves[begin]->keyword("yield")) {
      out.insert(out.end(), leaves.begin() + static_cast<ptrdiff_t>(begin),
                 leaves.begin() + static_cast<ptrdiff_t>(end));
      return;
    }
    Leaf* open = nullptr;
    while (is_redundant(leaves, begin, end)) {
      if (open == nullptr) open = leaves[begin];
      ++begin;
      --end;
    }
    if (open == nullptr) {
      open = make(Kind::kOpen, "");
      open->mate = make(Kind::kClose, "");
      open->mate->mate = open;
    }
    bool pair_of_one = leaves[end - 1]->comma() && commas(leaves, begin, end) == 1;
    for (Leaf* bracket : {open, open->mate}) {
      bracket->text = !pair_of_one ? "" : bracket == open ? "(" : ")";
      bracket->optional = !pair_of_one;
      bracket->literal = true;
    }
    out.push_back(open);
    out.insert(out.end(), leaves.begin() + static_cast<ptrdiff_t>(begin),
               leaves.begin() + static_cast<ptrdiff_t>(end));
    out.push_back(open->mate);
  }

  static size_t commas(const std::vector<Leaf*>& leaves, size_t begin, size_t end) {
    size_t count = 0;
    for (size_t at = begin; (at = find(leaves, at, end, [](const Leaf& l) { return l.comma(); })) < end; ++at)
      ++count;
    return count;
  }

  // `for (a, b) in pairs` and `(a, b) = pair` need no parentheses.
  void unwrap_target(const std::vector<Leaf*>& leaves, size_t begin, size_t end, std::vector<Leaf*>& out) {
    bool of_one = end > begin && leaves[end - 1]->comma() && commas(leaves, begin, end) == 1;
    if (of_one) return wrap(leaves, begin, end, out);
    Leaf* open = nullptr;
    bool from_start = begin == 0;
    while (is_bare_pair(leaves, begin, end)) {
      if (open == nullptr) open = leaves[begin];
      ++begin;
      --end;
    }
    if (from_start) open = nullptr;  // none is shown there
    if (open != nullptr) {
      for (Leaf* bracket : {open, open->mate}) {
        bracket->text.clear();
        bracket->optional = bracket->literal = true;
      }
      out.push_back(open);
    }
    out.insert(out.end(), leaves.begin() + static_cast<ptrdiff_t>(begin),
               leaves.begin() + static_cast<ptrdiff_t>(end));
    if (open != nullptr) out.push_back(open->mate);
  }
  static bool is_bare_pair(const std::vector<Leaf*>& leaves, size_t begin, size_t end) {
    if (end - begin < 3 || !leaves[begin]->is("(") || leaves[begin]->mate != leaves[end - 1]) return false;
    if (!leaves[begin]->comments.empty() || leaves[end - 2]->comma()) return false;
    size_t depth = 0;
    for (size_t i = begin + 1; i + 1 < end; ++i) {
      if (leaves[i]->opens()) ++depth;
      if (depth == 0 && (leaves[i]->comment() || !leaves[i]->comments.empty())) return false;
      if (leaves[i]->closes()) --depth;
      if (depth == 0 && !leaves[i]->comments.empty()) return false;
    }
    return true;
  }

  // Is it one pair of parentheses around a single expression, with no comment that would be left alone?
  static bool is_redundant(const std::vector<Leaf*>& leaves, size_t begin, size_t end) {
    if (end - begin < 3 || !leaves[begin]->is("(") || leaves[begin]->mate != leaves[end - 1]) return false;
    if (!leaves[begin]->comments.empty() || leaves[begin + 1]->comment() || leaves[end - 2]->comment())
      return false;
    if (!leaves[end - 2]->comments.empty()) return false;
    size_t kept = find(leaves, begin + 1, end - 1, [](const Leaf& l) {
      return l.comma() || l.is(":=") || l.keyword("for") || l.keyword("yield") || l.comment();
    });
    return kept == end - 1 && !leaves[begin + 1]->is("*");
  }

  void import_parentheses(std::vector<Leaf*>& leaves) {
    size_t names = find(leaves, 0, leaves.size(), [](const Leaf& l) { return l.keyword("import"); }) + 1;
    if (names >= leaves.size() || leaves[names]->is("*")) return;
    if (leaves[names]->opens()) {
      for (Leaf* bracket : {leaves[names], leaves[names]->mate}) {
        bracket->text.clear();
        bracket->optional = bracket->literal = true;
      }
      return;
    }
    std::vector<Leaf*> out;
    out.assign(leaves.begin(), leaves.begin() + static_cast<ptrdiff_t>(names));
    wrap(leaves, names, leaves.size(), out);
    leaves = std::move(out);
  }

  // ---- whole definitions ----

  // `def f(): ...` stands on one line.
  void join_stubs() {
    std::vector<LogicalLine>& lines = document_.lines;
    size_t kept = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (kept > 0 && i + 1 <= lines.size()) {
        LogicalLine& header = lines[kept - 1];
        LogicalLine& body = lines[i];
        bool alone = i + 1 == lines.size() || lines[i + 1].depth <= header.depth;
        if ((header.def() || header.class_()) && header.opens_block() && body.code() &&
            body.leaves.size() == 1 && body.leaves[0]->is("...") && body.depth == header.depth + 1 && alone &&
            header.leaves.back()->comments.empty()) {
          body.leaves[0]->space = true;
          header.leaves.push_back(body.leaves[0]);
          continue;
        }
      }
      if (kept != i) lines[kept] = std::move(lines[i]);
      ++kept;
    }
    lines.resize(kept);
  }

  void mark_docstrings() {
    const LogicalLine* header = nullptr;  // the last line of code
    for (LogicalLine& line : document_.lines) {
      if (!line.code()) {
        if (line.kind == LogicalLine::Kind::kRaw) header = &line;
        continue;
      }
      bool first = header == nullptr || ((header->def() || header->class_()) && header->depth < line.depth);
      line.docstring = first && line.leaves.size() == 1 && line.leaves[0]->kind == Kind::kString;
      header = &line;
    }
  }

  static constexpr uint32_t kOn = static_cast<uint32_t>(-1);

  uint32_t file_;
  std::string_view text_;
  std::vector<Lexeme> words_;
  Document document_;
  size_t at_ = 0;
  std::vector<uint32_t> columns_{0};  // of the open blocks
  std::vector<uint32_t> closed_;      // of those that end before the next line, innermost first
  std::vector<Lexeme> pending_;       // comments whose block is not known yet
  std::vector<Leaf*> line_;
  uint32_t begin_ = 0;
  std::vector<Leaf*> brackets_;
  size_t lambdas_ = 0;
  int inline_depth_ = 0;
  uint32_t off_ = kOn;  // where the region that is left alone begins
  size_t off_depth_ = 0;
};

}  // namespace

Document read_lines(uint32_t file) { return LineReader(file).run(); }

}  // namespace mlc::format
