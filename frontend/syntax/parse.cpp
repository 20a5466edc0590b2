// SPDX-License-Identifier: Apache-2.0
// Drives lexer, ANTLR's parser and tree builder, one top-level statement at a time: the parse tree of a
// statement is dropped when its syntax tree stands, and after a mistake the next statement is read as if
// nothing had been.
#include "frontend/syntax/parse.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "frontend/syntax/build.h"
#include "frontend/syntax/expectation.h"
#include "frontend/syntax/lexer.h"
#include "frontend/syntax/reuse.h"
#include "frontend/syntax/spellings.h"
#include "ir/core/error.h"
#include "ir/core/interrupt.h"

namespace mlc::syntax {
namespace {

// Rules inside one another. Brackets and blocks are limited by the lexer; this bounds what they do not see:
// `lambda: lambda: …`, `a if b else c if d else …`.
constexpr size_t kMaxRules = 2500;

struct TooManyRules {
  size_t token;
};

// Gives up at the first token that fits nothing. With one token of lookahead everywhere, that is the mistake.
class StopAtMistake final : public antlr4::ANTLRErrorStrategy {
 public:
  void reset(antlr4::Parser*) override {}
  antlr4::Token* recoverInline(antlr4::Parser* parser) override { stop(parser); }
  void recover(antlr4::Parser* parser, std::exception_ptr) override { stop(parser); }
  void sync(antlr4::Parser*) override {}
  bool inErrorRecoveryMode(antlr4::Parser*) override { return false; }
  void reportMatch(antlr4::Parser*) override {}
  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {}

 private:
  [[noreturn]] static void stop(antlr4::Parser* parser) {
    throw Stop{source_token(parser->getCurrentToken()).index, parser->getContext()->getRuleIndex(),
               parser->getExpectedTokens()};
  }
};

class BoundedParser final : public MlcParser {
 public:
  explicit BoundedParser(TokenList& tokens) : MlcParser(&tokens), tokens_(tokens) {
    removeErrorListeners();
    setErrorHandler(std::make_shared<StopAtMistake>());
    setBuildParseTree(false);  // the tree is reached through labels alone
  }
  void enterRule(antlr4::ParserRuleContext* context, size_t state, size_t rule) override {
    ir::heed_interrupt();  // one function may have thirty thousand statements
    MlcParser::enterRule(context, state, rule);
    while (!open_.empty() && open_.back() != context->parent) open_.pop_back();
    open_.push_back(context);
    if (open_.size() > kMaxRules) throw TooManyRules{tokens_.index()};
  }
  void drop_tree() {
    setContext(nullptr);
    open_.clear();
    _tracker.reset();
  }

 private:
  TokenList& tokens_;
  std::vector<antlr4::tree::ParseTree*>
      open_;  // the rules around this one; those that ended are dropped late
};

class FileReader {
 public:
  FileReader(std::string_view text, uint32_t file, const LastReading* last = nullptr)
      : text_(text),
        file_(file),
        last_(last),
        problems_(file),
        tree_(std::make_shared<Tree>(file, text_.size() * 12 + 1024)),
        lexer_(text_, tokens_, problems_),
        builder_(text_, tokens_, *tree_, problems_) {
    lexer_.run();
  }

  void read_statements() {
    BoundedParser parser(tokens_);
    if (!problems_.empty()) builder_.set_piecewise();
    std::vector<const Stmt*> body;
    while (!problems_.full() && tokens_.current().type != SourceToken::kEnd) {
      if (stops_ > 0 && adapt_start()) continue;
      size_t start = tokens_.index(), before = body.size();
      last_start_ = start;
      const LastReading::Statement* known = in_last(start);
      if (known != nullptr) {
        failed_ = false;
        reuse(*known, start, body);
      } else {
        failed_ = !guarded(parser, [&] { builder_.statement(parser.statement(), body); });
      }
      if (failed_) skip_line(start);
      if (last_ != nullptr) statements_.push_back({start, tokens_.index(), before, body.size()});
    }
    auto* module = tree_->make<Module>();
    module->span = {file_, 0, static_cast<uint32_t>(text_.size())};
    module->body = builder_.keep(body);
    tree_->module = module;
  }

  void read_expression() {
    BoundedParser parser(tokens_);
    guarded(parser, [&] { tree_->expression = builder_.whole_expression(parser.expressionFile()->value); });
  }

  std::shared_ptr<const Tree> finish() {
    if (!problems_.empty()) throw ir::Error(problems_.take());
    return tree_;
  }

  // This reading, once it has found no mistake.
  LastReading reading() {
    LastReading made{std::string(text_), {}, std::move(statements_), tree_, reused_};
    made.tokens.reserve(tokens_.count());
    for (size_t i = 0; i < tokens_.count(); ++i)
      made.tokens.push_back({tokens_.at(i).begin, tokens_.at(i).end, tokens_.at(i).type});
    return made;
  }

  ParseStatus status() {
    read_statements();
    uint32_t last_begin = tokens_.at(last_start_).begin;
    std::vector<ir::Diagnostic> found = problems_.take();
    bool before =
        std::any_of(found.begin(), found.end(), [&](const auto& d) { return d.span.begin < last_begin; });
    if (before) return ParseStatus::kError;
    if (lexer_.ends_open() || lacks_block_) return ParseStatus::kIncomplete;
    size_t newline = text_.rfind('\n');
    std::string_view last_line = text_.substr(newline == std::string_view::npos ? 0 : newline + 1);
    bool ended = last_line.find_first_not_of(" \t\r") == std::string_view::npos;
    size_t first = tokens_.at(last_start_).type;
    if (!found.empty()) {
      bool open_try = first == MlcParser::TRY && !ended && found.size() == 1 && stops_ == 0;
      return open_try ? ParseStatus::kIncomplete : ParseStatus::kError;
    }
    return is_compound(first) && !ended ? ParseStatus::kIncomplete : ParseStatus::kComplete;
  }

 private:
  // Runs `read`; what goes wrong becomes a problem. False when the parser stopped.
  template <class Read>
  bool guarded(BoundedParser& parser, Read read) {
    bool good = false;
    try {
      read();
      good = true;
    } catch (const Stop& stop) {
      report(stop);
    } catch (const TooManyRules& stop) {
      const SourceToken& token = tokens_.at(stop.token);
      problems_.add("too-deep", token.begin, token.end, "too many constructs inside one another", stop.token);
    } catch (const ir::Error& error) {
      if (error.first().kind == "KeyboardInterrupt") throw;
      problems_.add(error);
    }
    if (!good) builder_.set_piecewise();
    parser.drop_tree();
    return good;
  }

  // The statement of the last reading that has the tokens which begin at `start`: before the change it has
  // the same number, behind it the same number from the end.
  const LastReading::Statement* in_last(size_t start) const {
    if (last_ == nullptr || last_->tree == nullptr) return nullptr;
    size_t from_end = tokens_.count() - start;
    for (size_t first : {start, last_->tokens.size() - from_end}) {
      if (first >= last_->tokens.size()) continue;  // that of a text with fewer tokens is below 0
      auto found = std::ranges::lower_bound(last_->statements, first, {}, &LastReading::Statement::first);
      if (found != last_->statements.end() && found->first == first && says_the_same(*found, start))
        return &*found;
    }
    return nullptr;
  }

  // Also the token behind it, which the parser has looked at: with an `else` there the statement goes on.
  bool says_the_same(const LastReading::Statement& known, size_t start) const {
    size_t count = known.end - known.first;
    if (count == 0 || start + count >= tokens_.count() || known.end >= last_->tokens.size()) return false;
    uint32_t begin = tokens_.at(start).begin, old = last_->tokens[known.first].begin;
    for (size_t i = 0; i <= count; ++i) {
      const SourceToken& token = tokens_.at(start + i);
      const LastReading::Token& other = last_->tokens[known.first + i];
      if (token.type != other.type) return false;
      if (i < count && (token.begin - begin != other.begin - old || token.end - begin != other.end - old))
        return false;
    }
    size_t length = tokens_.at(start + count - 1).end - begin;
    return text_.substr(begin, length) == std::string_view(last_->text).substr(old, length);
  }

  void reuse(const LastReading::Statement& known, size_t start, std::vector<const Stmt*>& body) {
    int64_t shift = static_cast<int64_t>(tokens_.at(start).begin) - last_->tokens[known.first].begin;
    for (size_t i = known.body_first; i < known.body_end; ++i)
      body.push_back(copy_statement(last_->tree->module->body[i], *tree_, shift));
    tokens_.seek(start + (known.end - known.first));
    ++reused_;
  }

  void report(const Stop& stop) {
    auto [first, last] = logical_line(stop.token);
    if (problems_.line_is_blamed(first, last)) return;
    ir::Diagnostic found = explain(stop, tokens_, text_, file_);
    auto& kept = problems_.add(found.name, 0, 0, "", stop.token);
    kept = std::move(found);
    ++stops_;
    // The block of a statement that is left out (`match`) has a syntax of its own.
    skip_block_ = kept.name == "left-out" && tokens_.at(stop.token).type != MlcParser::ASYNC;
    size_t at = stop.token;
    while (is_layout(tokens_.at(at).type)) ++at;
    bool wants_lines =
        stop.expected.contains(size_t{MlcParser::INDENT}) || stop.rule == MlcParser::RuleDecorated;
    lacks_block_ = wants_lines && stops_ == 1 && tokens_.at(at).type == SourceToken::kEnd;
  }

  static bool is_layout(size_t type) {
    return type == MlcParser::NEWLINE || type == MlcParser::INDENT || type == MlcParser::DEDENT;
  }
  static bool is_compound(size_t type) {
    switch (type) {
      case MlcParser::IF:
      case MlcParser::WHILE:
      case MlcParser::FOR:
      case MlcParser::WITH:
      case MlcParser::TRY:
      case MlcParser::DEF:
      case MlcParser::CLASS:
      case MlcParser::AT:
        return true;
      default:
        return false;
    }
  }

  // The tokens of the logical line around `token`; a NEWLINE belongs to the line that it ends.
  std::pair<size_t, size_t> logical_line(size_t token) const {
    size_t first = token;
    while (first > 0 && tokens_.at(first - 1).type != MlcParser::NEWLINE) --first;
    size_t last = token;
    while (last + 1 < tokens_.count() && tokens_.at(last).type != MlcParser::NEWLINE) ++last;
    return {first, last};
  }

  // After a mistake that began in the statement at `start`: on to the next line that can start a statement.
  void skip_line(size_t start) {
    size_t at = tokens_.index();
    if (tokens_.at(at).type == MlcParser::ASYNC)
      return tokens_.seek(at + 1);  // what follows is read without it
    bool at_line_start = at > 0 && is_layout(tokens_.at(at - 1).type);
    if (!at_line_start || at == start) {
      while (at + 1 < tokens_.count() && tokens_.at(at).type != MlcParser::NEWLINE) ++at;
      if (at + 1 < tokens_.count()) ++at;
    }
    if (skip_block_ && tokens_.at(at).type == MlcParser::INDENT) at = after_block(at);
    skip_block_ = false;
    tokens_.seek(at);
  }

  // The token after the DEDENT that closes the INDENT at `at`.
  size_t after_block(size_t at) const {
    size_t depth = 0;
    for (; at + 1 < tokens_.count(); ++at) {
      if (tokens_.at(at).type == MlcParser::INDENT) ++depth;
      if (tokens_.at(at).type == MlcParser::DEDENT && --depth == 0) return at + 1;
    }
    return at;
  }

  // After a mistake, blocks and clauses may have lost the statement they belong to: their lines are
  // read as statements of their own. True when a token was passed over.
  bool adapt_start() {
    SourceToken& token = tokens_.at(tokens_.index());
    switch (token.type) {
      case MlcParser::INDENT:  // of a header that failed
        if (failed_) tokens_.consume();
        return failed_;
      case MlcParser::DEDENT:
      case MlcParser::NEWLINE:
        tokens_.consume();
        return true;
      case MlcParser::ELIF:
        token.type = MlcParser::IF;
        return false;
      case MlcParser::ELSE:
      case MlcParser::FINALLY:
        token.type = MlcParser::TRY;
        return false;
      case MlcParser::EXCEPT:
        token.type =
            tokens_.at(tokens_.index() + 1).type == MlcParser::COLON ? MlcParser::TRY : MlcParser::WITH;
        return false;
      default:
        return false;
    }
  }

  std::string_view text_;
  uint32_t file_;
  const LastReading* last_;
  std::vector<LastReading::Statement> statements_;  // of this one, where there is a last one
  size_t reused_ = 0;
  Problems problems_;
  std::shared_ptr<Tree> tree_;
  TokenList tokens_;
  Lexer lexer_;
  TreeBuilder builder_;
  size_t last_start_ = 0;
  bool failed_ = false;  // the statement before this one
  size_t stops_ = 0;     // problems that the parser saw
  bool skip_block_ = false;
  bool lacks_block_ = false;  // the only one is that the text ends where a block or definition must follow
};

}  // namespace

std::shared_ptr<const Tree> parse_file(uint32_t file_id) {
  FileReader reader(ir::SourceMap::current().file(file_id).text, file_id);
  reader.read_statements();
  return reader.finish();
}

std::shared_ptr<const Tree> parse_file(uint32_t file_id, LastReading& last) {
  FileReader reader(ir::SourceMap::current().file(file_id).text, file_id, &last);
  reader.read_statements();
  std::shared_ptr<const Tree> tree = reader.finish();
  last = reader.reading();
  return tree;
}

std::shared_ptr<const Tree> parse_expression(uint32_t file_id) {
  FileReader reader(ir::SourceMap::current().file(file_id).text, file_id);
  reader.read_expression();
  return reader.finish();
}

ParseStatus is_complete(std::string_view text) { return FileReader(text, 0).status(); }

}  // namespace mlc::syntax
