// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "frontend/syntax/spellings.h"

namespace mlc::syntax {
namespace {

class Explainer {
 public:
  Explainer(const Stop& stop, const TokenList& tokens, std::string_view text, uint32_t file)
      : stop_(stop), tokens_(tokens), text_(text), file_(file), found_(tokens.at(stop.token)) {
    line_ = stop.token;
    while (line_ > 0 && !is_layout(type_at(line_ - 1))) --line_;
    header_like_ =
        type_at(line_) == MlcParser::NAME &&
        (stop.token == line_ + 1 || (before() == MlcParser::COLON && found_.type == MlcParser::NEWLINE));
  }

  ir::Diagnostic explain() {
    out_.name = "syntax";
    out_.kind = "SyntaxError";
    out_.span = {file_, found_.begin, std::max(found_.end, found_.begin)};
    if (found_.type == MlcParser::NEWLINE) out_.span.end = out_.span.begin;
    if (!left_out() && !layout() && !stray_clause() && !misspelt_name()) general();
    return std::move(out_);
  }

 private:
  bool expects(size_t type) const { return stop_.expected.contains(type); }
  size_t type_at(size_t index) const { return index < tokens_.count() ? tokens_.at(index).type : 0; }
  size_t before() const { return stop_.token > 0 ? tokens_.at(stop_.token - 1).type : 0; }
  std::string_view text_at(size_t index) const {
    const SourceToken& token = tokens_.at(index);
    return text_.substr(token.begin, token.end - token.begin);
  }
  static bool is_layout(size_t type) {
    return type == MlcParser::NEWLINE || type == MlcParser::INDENT || type == MlcParser::DEDENT;
  }
  bool at_line_start() const { return stop_.token == line_; }

  // What Python has and this language has not, by name.
  bool left_out() {
    auto refuse = [&](std::string_view what) {
      out_.name = "left-out";
      out_.message = fmt::format("`{}` is not part of the language", what);
      return true;
    };
    if (found_.type == MlcParser::ASYNC || found_.type == MlcParser::AWAIT)
      return refuse(text_at(stop_.token));
    // `type x = ...` fails at the word after a name that starts the line; `match x:` and `match f(x):` there or at
    // the end of the line.
    bool type = text_at(line_) == "type" && found_.type == MlcParser::NAME && stop_.token == line_ + 1;
    if (header_like_ && (type || text_at(line_) == "match")) {
      const SourceToken& first = tokens_.at(line_);
      out_.span = {file_, first.begin, first.end};
      if (!type) out_.help = "compare in `if` and `elif`";
      return refuse(text_at(line_));
    }
    return false;
  }

  // Blocks that are missing or that nobody asked for.
  bool layout() {
    if (expects(MlcParser::INDENT)) {
      out_.name = "indentation";
      out_.kind = "IndentationError";
      out_.message = fmt::format("expected an indented block after {}", header_above());
      return true;
    }
    if (found_.type == MlcParser::INDENT) {
      out_.name = "indentation";
      out_.kind = "IndentationError";
      out_.message = "this line is indented, but nothing above it opens a block";
      return true;
    }
    return false;
  }

  bool stray_clause() {
    if (!at_line_start()) return false;
    switch (found_.type) {
      case MlcParser::ELIF:
        out_.message = "this `elif` belongs to no `if` above it";
        return true;
      case MlcParser::ELSE:
        out_.message = "this `else` belongs to no `if`, loop or `try` above it";
        return true;
      case MlcParser::EXCEPT:
      case MlcParser::FINALLY:
        out_.message = fmt::format("this `{}` belongs to no `try` above it", text_at(stop_.token));
        return true;
      default:
        return false;
    }
  }

  bool misspelt_name() {
    if (!expects(MlcParser::NAME) || stop_.expected.size() > 4 || !spellings().is_keyword(found_.type))
      return false;
    if (expects(MlcParser::IMPORT)) return false;
    out_.message = fmt::format("`{}` is a keyword and cannot be a name", text_at(stop_.token));
    return true;
  }

  void general() {
    std::string found = name_of(found_, text_);
    std::string wanted = wanted_words();
    out_.message = fmt::format("expected {}, found {}", wanted, found);
    if (found_.type == MlcParser::ASSIGN && expects(MlcParser::COLON))
      out_.help = "`==` compares, `=` assigns";
    if (out_.help.empty()) out_.help = hint();
    note_bracket();
  }

  std::string wanted_words() {
    if (stop_.rule == MlcParser::RuleStatement || stop_.rule == MlcParser::RuleSimpleStatement ||
        stop_.rule == MlcParser::RuleBlock) {
      return "a statement" + after();
    }
    if (expects(MlcParser::NEWLINE)) return "the end of the statement";
    if (wants_expression()) return "an expression" + after();
    if (expects(MlcParser::RPAREN) || expects(MlcParser::RBRACKET) || expects(MlcParser::RBRACE)) {
      bool empty = before() == MlcParser::LPAREN || before() == MlcParser::LBRACKET ||
                   before() == MlcParser::LBRACE || before() == MlcParser::WITH_OPEN;
      std::string closer = expects(MlcParser::RPAREN) ? "`)`" : expects(MlcParser::RBRACKET) ? "`]`" : "`}`";
      if (stop_.rule == MlcParser::RuleParameter || stop_.rule == MlcParser::RuleFunctionDefinition) {
        return empty ? "a parameter or " + closer : "`,` or " + closer;
      }
      if (stop_.rule == MlcParser::RuleFstringField) return closer;
      if (empty || before() == MlcParser::COMMA) return "an expression or " + closer;
      return "`,` or " + closer;
    }
    if (expects(MlcParser::COLON)) return "`:`" + after_header();
    if (expects(MlcParser::IN)) return "`in` after the targets of `for`";
    if (expects(MlcParser::ELSE) && stop_.expected.size() == 1)
      return "`else` and what the expression is otherwise";
    if (expects(MlcParser::IMPORT)) return "`import` after the module";
    if (expects(MlcParser::DEF)) return "`def` or `class` after the decorator";
    if (expects(MlcParser::LPAREN) && stop_.rule == MlcParser::RuleFunctionDefinition) {
      return "`(` after the function's name";
    }
    if (expects(MlcParser::NAME)) return "a name" + after();
    if (stop_.expected.size() == 1)
      return name_of_type(static_cast<size_t>(stop_.expected.getSingleElement()));
    return "a statement";
  }

  bool wants_expression() const { return expects(MlcParser::INTEGER); }

  std::string after() const {
    if (stop_.token == 0 || at_line_start()) return "";
    const SourceToken& last = tokens_.at(stop_.token - 1);
    if (last.type == MlcParser::FSTRING_TEXT) return "";
    return " after " + name_of(last, text_);
  }

  // "after the condition", for the `:` that ends a header.
  std::string after_header() const {
    switch (before()) {
      case MlcParser::ELSE:
      case MlcParser::TRY:
      case MlcParser::FINALLY:
      case MlcParser::EXCEPT:
        return after();
      default:
        break;
    }
    switch (stop_.rule) {
      case MlcParser::RuleIfStatement:
        return " after the condition";
      case MlcParser::RuleWhileStatement:
      case MlcParser::RuleForStatement:
        return " after the loop header";
      case MlcParser::RuleWithStatement:
        return " after the items of `with`";
      case MlcParser::RuleFunctionDefinition:
        return " after the function header";
      case MlcParser::RuleClassDefinition:
        return " after the class header";
      case MlcParser::RuleExceptClause:
        return " after the exception";
      case MlcParser::RuleLambda:
        return " after the parameters of `lambda`";
      default:
        return after();
    }
  }

  // The header whose block is missing, "the loop header", with a note where it stands.
  std::string header_above() {
    // Back over NEWLINE to the `:`, then to the start of its logical line.
    size_t at = stop_.token;
    while (at > 0 && type_at(at - 1) != MlcParser::COLON) --at;
    if (at == 0) return "the line above";
    while (at > 0 && !is_layout(type_at(at - 1))) --at;
    const SourceToken& first = tokens_.at(at);
    if (!spellings().is_keyword(first.type)) return "the line above";
    out_.notes.push_back({"the block belongs to this", ir::Span{file_, first.begin, first.end}});
    switch (first.type) {
      case MlcParser::DEF:
        return "the function header";
      case MlcParser::CLASS:
        return "the class header";
      case MlcParser::FOR:
      case MlcParser::WHILE:
        return "the loop header";
      default:
        return fmt::format("`{}`", text_at(at));
    }
  }

  std::string hint() const {
    size_t last = before();
    if (header_like_) {
      std::string_view word = text_at(line_);
      if ((word == "print" || word == "exec") && stop_.token == line_ + 1) {
        return fmt::format("`{0}` is a function: `{0}(...)`", word);
      }
      bool second = stop_.token == line_ + 1 && found_.type == MlcParser::NAME;
      for (std::string_view declares : {"let", "const", "var", "int", "float", "double", "auto", "char",
                                        "bool", "string", "str", "long"}) {
        if (second && word == declares)
          return fmt::format("a name is assigned as it is: `{} = ...`", text_at(stop_.token));
      }
      for (std::string_view defines : {"function", "func", "fn", "fun", "sub", "void"}) {
        if (second && word == defines) return fmt::format("write `def {}():`", text_at(stop_.token));
      }
      if (second && word == "throw") return "write `raise`";
      if (second && word == "foreach") return "write `for ... in ...:`";
      static const std::vector<std::string> kWords = {
          "assert", "class", "def",    "del",   "elif",     "else",  "except", "finally", "for",   "from",
          "global", "if",    "import", "nonlocal", "raise", "return", "try",     "while", "with"};
      if (std::string mended = ir::did_you_mean(word, kWords); !mended.empty()) return mended;
    }
    auto doubled = [&](size_t type) { return found_.type == type && last == type; };
    if (doubled(MlcParser::AMPERSAND)) return "write `and`";
    if (doubled(MlcParser::PIPE)) return "write `or`";
    bool two_before = stop_.token >= 2 && type_at(stop_.token - 2) == MlcParser::PLUS;
    if (last == MlcParser::PLUS && two_before && is_layout(found_.type)) {
      return "to add one, write `+= 1`";
    }
    if (last == MlcParser::LESS && found_.type == MlcParser::GREATER) return "write `!=`";
    if (last == MlcParser::ELSE && found_.type == MlcParser::IF) return "write `elif`";
    return "";
  }

  // Where the bracket that encloses the mistake opens, when that is on another line.
  void note_bracket() {
    int depth = 0;
    for (size_t at = stop_.token; at-- > 0;) {
      switch (type_at(at)) {
        case MlcParser::RPAREN:
        case MlcParser::RBRACKET:
        case MlcParser::RBRACE:
          ++depth;
          break;
        case MlcParser::LPAREN:
        case MlcParser::WITH_OPEN:
        case MlcParser::LBRACKET:
        case MlcParser::LBRACE: {
          if (depth-- > 0) break;
          const SourceToken& open = tokens_.at(at);
          std::string_view between = text_.substr(open.begin, found_.begin - open.begin);
          if (between.find('\n') != std::string_view::npos) {
            out_.notes.push_back({fmt::format("inside the `{}` that opens here", text_at(at)),
                                  ir::Span{file_, open.begin, open.end}});
          }
          return;
        }
        case MlcParser::NEWLINE:
          return;
        default:
          break;
      }
    }
  }

  const Stop& stop_;
  const TokenList& tokens_;
  std::string_view text_;
  uint32_t file_;
  const SourceToken& found_;
  size_t line_ = 0;           // index of the first token of the logical line
  bool header_like_ = false;  // that token is a name, and the mistake looks as if it should be a keyword
  ir::Diagnostic out_;
};

}  // namespace

ir::Diagnostic explain(const Stop& stop, const TokenList& tokens, std::string_view text, uint32_t file) {
  return Explainer(stop, tokens, text, file).explain();
}

}  // namespace mlc::syntax
