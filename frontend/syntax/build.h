// SPDX-License-Identifier: Apache-2.0
// ANTLR's parse tree to the syntax tree, with the checks that the grammar leaves to this step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/syntax/ast.h"
#include "frontend/syntax/problems.h"
#include "frontend/syntax/token_list.h"

namespace mlc::syntax {

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const TokenList& tokens, Tree& tree, Problems& problems)
      : text_(text), tokens_(tokens), tree_(tree), problems_(problems) {}

  // Appends the statements of `context` to `out`. What is wrong goes to Problems and leaves a gap.
  void statement(MlcParser::StatementContext* context, std::vector<const Stmt*>& out);
  // Throws ir::Error.
  const Expr* whole_expression(MlcParser::ExpressionListContext* context) { return expression_list(context); }

  // A file with errors is read in pieces: `else`, `return` and the like may have lost what they belong to.
  void set_piecewise() { piecewise_ = true; }

  template <class T>
  Seq<T> keep(const std::vector<const T*>& items) {
    auto slots = array<const T*>(items.size());
    std::copy(items.begin(), items.end(), slots.begin());
    return slots;
  }

 private:
  // What may stand in an expression besides ordinary operators.
  enum Allow : unsigned {
    kPlain = 0,
    kWalrus = 1,        // `name := value` without parentheses
    kStar = 2,          // `*x`, as an element of a display or target list
    kStarArgument = 4,  // `*x` in a call: extends over the whole expression
  };
  struct Chain;  // a flat run of operands and operators while it is sorted by precedence

  // build_statement.cpp
  const Stmt* simple_statement(MlcParser::SimpleStatementContext* context);
  const Stmt* assignment(MlcParser::AssignmentContext* context);
  const Stmt* expression_or_assign(MlcParser::AssignmentContext* context);
  Expr* assigned(MlcParser::AssignedContext* context);
  const Stmt* import_statement(MlcParser::ImportStatementContext* context);
  const Stmt* from_statement(MlcParser::FromStatementContext* context);
  std::string_view dotted(MlcParser::DottedNameContext* context);
  const Stmt* scope_statement(MlcParser::ScopeStatementContext* context);
  const Stmt* compound_statement(MlcParser::StatementContext* context);
  const Stmt* if_statement(MlcParser::IfStatementContext* context);
  const Stmt* for_statement(MlcParser::ForStatementContext* context);
  const Stmt* while_statement(MlcParser::WhileStatementContext* context);
  const Stmt* with_statement(MlcParser::WithStatementContext* context);
  const Stmt* try_statement(MlcParser::TryStatementContext* context);

  Seq<Stmt> block(MlcParser::BlockContext* context);
  Seq<Stmt> loop_body(MlcParser::BlockContext* context);

  // build_definition.cpp
  const Stmt* function(MlcParser::FunctionDefinitionContext* context, Seq<Expr> decorators);
  const Stmt* class_definition(MlcParser::ClassDefinitionContext* context, Seq<Expr> decorators);
  const Stmt* decorated(MlcParser::DecoratedContext* context);
  Seq<TypeParam> type_parameters(MlcParser::TypeParametersContext* context);
  template <class Context>
  const Arguments* arguments(const std::vector<Context*>& items, ir::Span span);
  Expr* lambda(MlcParser::LambdaContext* context);

  // build_expression.cpp
  Expr* expression(MlcParser::ExpressionContext* context, unsigned allow);
  Expr* expression_list(MlcParser::ExpressionListContext* context);
  Expr* chain(MlcParser::ChainContext* context);
  Expr* sorted(const std::vector<MlcParser::OperandContext*>& operands,
               const std::vector<MlcParser::BinaryOperatorContext*>& operators, unsigned allow);
  Expr* climb(Chain& chain, int least);
  Expr* prefixed(Chain& chain, int least);
  Expr* starred(Chain& chain);
  Expr* compare(Chain& chain, Expr* left, uint32_t begin);
  Expr* boolean(Chain& chain, Expr* left, uint32_t begin, BoolOperator op);
  Expr* named(MlcParser::ExpressionContext* context, unsigned allow);
  Expr* yield(MlcParser::YieldExpressionContext* context);

  // build_operand.cpp
  Expr* operand(MlcParser::OperandContext* context);
  Expr* atom(MlcParser::OperandContext* context);
  Expr* call(Expr* callee, MlcParser::TrailerContext* context, ir::Span span);
  Expr* subscription(Expr* value, MlcParser::TrailerContext* context, ir::Span span);
  Expr* subscript(MlcParser::SubscriptContext* context);
  struct CallArguments {
    Seq<Expr> positional;
    Seq<Keyword> keywords;
  };
  CallArguments call_arguments(MlcParser::ArgumentListContext* context, Expr* owner, ir::Span brackets);
  Expr* parenthesised(MlcParser::OperandContext* context, ir::Span span);
  Expr* list_display(MlcParser::SequenceContext* context, ir::Span span);
  Expr* brace_display(MlcParser::BracesContext* context, ir::Span span);
  Seq<Expr> elements(const std::vector<MlcParser::ExpressionContext*>& items, Expr* owner, unsigned allow);
  Seq<Comprehension> comprehensions(const std::vector<MlcParser::ComprehensionClauseContext*>& clauses,
                                    Expr* owner);
  Expr* target_list(MlcParser::TargetListContext* context, Context use);
  Expr* target_operand(MlcParser::OperandContext* context, Context use);
  void set_target(Expr* expr, Context use);

  // build_string.cpp
  Expr* strings(MlcParser::StringsContext* context);
  Expr* number(const SourceToken& token, bool negated);
  class StringParts;
  void fstring_pieces(const std::vector<MlcParser::FstringPieceContext*>& pieces, bool raw,
                      StringParts& parts);
  void fstring_field(MlcParser::FstringFieldContext* context, bool raw, StringParts& parts);
  void decode(std::string_view body, size_t begin, bool raw, bool bytes, std::string& out);

  std::string_view text_of(const antlr4::Token* token) const {
    const SourceToken& t = source_token(token);
    return text_.substr(t.begin, t.end - t.begin);
  }
  Symbol symbol(const antlr4::Token* token) const { return Symbol(text_of(token)); }
  ir::Span span(const antlr4::Token* first, const antlr4::Token* last) const {
    return {tree_.file, source_token(first).begin, source_token(last).end};
  }
  ir::Span span(const antlr4::Token* token) const { return span(token, token); }
  ir::Span span(const antlr4::ParserRuleContext* context) const {
    return span(context->start, context->stop);
  }
  uint32_t statement_end(const antlr4::ParserRuleContext* context) const;
  ir::Span statement_span(const antlr4::ParserRuleContext* context) const;
  ir::Span from(uint32_t begin, const antlr4::Token* last) const {
    return {tree_.file, begin, source_token(last).end};
  }

  template <class T>
  std::span<T> array(size_t count) {
    if (count == 0) return {};
    T* slots = static_cast<T*>(tree_.allocate(count * sizeof(T), alignof(T)));
    return {slots, count};
  }
  // What `make` gives for each.
  template <class T, class F>
  Seq<T> each(const auto& items, F make) {
    auto slots = array<const T*>(items.size());
    std::transform(items.begin(), items.end(), slots.begin(), make);
    return slots;
  }
  // A node for each, with its span, that `fill` completes.
  template <class T, class F>
  Seq<T> nodes(const auto& items, F fill) {
    return each<T>(items, [&](auto* item) {
      auto* node = tree_.make<T>();
      node->span = span(item);
      fill(item, node);
      return node;
    });
  }
  template <class T>
  T* comprehension(ir::Span whole, MlcParser::ExpressionContext* element,
                   const std::vector<MlcParser::ComprehensionClauseContext*>& clauses) {
    auto* node = tree_.make<T>(whole);
    node->elt = own(node, expression(element, kWalrus));
    node->generators = comprehensions(clauses, node);
    return node;
  }
  std::string_view keep_text(std::string_view text) {
    auto kept = array<char>(text.size());
    std::copy(text.begin(), text.end(), kept.begin());
    return {kept.data(), kept.size()};
  }
  // Makes `child` part of `parent` as far as heights go. Null children are fine.
  template <class T>
  T* own(Expr* parent, T* child) {
    if (child != nullptr && child->height >= parent->height) grow(parent, child);
    return child;
  }
  void grow(Expr* parent, const Expr* child);
  [[noreturn]] void fail_too_deep(ir::Span at) const;
  [[noreturn]] void fail(ir::Span at, std::string message, std::string help = {}) const;

  std::string_view text_;
  const TokenList& tokens_;
  Tree& tree_;
  Problems& problems_;
  bool piecewise_ = false;
  size_t depth_ = 0;  // of recursion through `climb`, the only one that no limit of lexer or parser bounds
  // Where the statement at hand stands; functions and classes start afresh.
  struct Surroundings {
    bool function = false;
    bool loop = false;
    bool module = true;  // at the top level of the file, blocks included
  } inside_;
};

}  // namespace mlc::syntax
