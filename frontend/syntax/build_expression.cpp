// SPDX-License-Identifier: Apache-2.0
// Operators: the grammar hands over flat runs, this sorts them by precedence.
#include <algorithm>

#include "frontend/syntax/build.h"
#include "frontend/syntax/lexer.h"
#include "frontend/syntax/spellings.h"
#include "ir/core/refusal.h"

namespace mlc::syntax {

static constexpr ir::Refusals refusals{
    "SyntaxError",
    {
        {.name = "too-deep",
         .message = "this expression is more than {} levels deep",
         .help = "give parts of it a name",
         .meaning = "Constructs inside one another beyond what any reader can follow: name parts of them."},
    }};
MLC_REFUSALS(syntax_build_expression, refusals);

namespace {

// How strongly operators bind, as in the table of the language reference. Prefix `not` stands between `and`
// and comparisons, prefix `-`, `+`, `~` between `*` and `**`.
enum Precedence : int {
  kOr = 1,
  kAnd,
  kNot,
  kComparison,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kSign,
  kPower
};

struct Operator {
  int precedence;
  BinOperator binary = {};
  CmpOperator comparison = {};
};

Operator operator_of(size_t type) {
  static constexpr std::pair<size_t, Operator> operators[] = {
      {MlcParser::OR, {kOr}},
      {MlcParser::AND, {kAnd}},
      {MlcParser::LESS, {kComparison, {}, CmpOperator::kLt}},
      {MlcParser::GREATER, {kComparison, {}, CmpOperator::kGt}},
      {MlcParser::EQUAL, {kComparison, {}, CmpOperator::kEq}},
      {MlcParser::GREATER_EQUAL, {kComparison, {}, CmpOperator::kGtE}},
      {MlcParser::LESS_EQUAL, {kComparison, {}, CmpOperator::kLtE}},
      {MlcParser::NOT_EQUAL, {kComparison, {}, CmpOperator::kNotEq}},
      {MlcParser::IN, {kComparison, {}, CmpOperator::kIn}},
      {MlcParser::NOT_IN, {kComparison, {}, CmpOperator::kNotIn}},
      {MlcParser::IS, {kComparison, {}, CmpOperator::kIs}},
      {MlcParser::IS_NOT, {kComparison, {}, CmpOperator::kIsNot}},
      {MlcParser::PIPE, {kBitOr, BinOperator::kBitOr}},
      {MlcParser::CARET, {kBitXor, BinOperator::kBitXor}},
      {MlcParser::AMPERSAND, {kBitAnd, BinOperator::kBitAnd}},
      {MlcParser::LEFT_SHIFT, {kShift, BinOperator::kLShift}},
      {MlcParser::RIGHT_SHIFT, {kShift, BinOperator::kRShift}},
      {MlcParser::PLUS, {kSum, BinOperator::kAdd}},
      {MlcParser::MINUS, {kSum, BinOperator::kSub}},
      {MlcParser::STAR, {kProduct, BinOperator::kMult}},
      {MlcParser::AT, {kProduct, BinOperator::kMatMult}},
      {MlcParser::SLASH, {kProduct, BinOperator::kDiv}},
      {MlcParser::DOUBLE_SLASH, {kProduct, BinOperator::kFloorDiv}},
      {MlcParser::PERCENT, {kProduct, BinOperator::kMod}},
      {MlcParser::DOUBLE_STAR, {kPower, BinOperator::kPow}},
  };
  auto row = std::ranges::find(operators, type, &std::pair<size_t, Operator>::first);
  MLC_CHECK(row != std::end(operators), "token {} is no binary operator", type);
  return row->second;
}

UnaryOperator unary_of(size_t type) {
  switch (type) {
    case MlcParser::NOT:
      return UnaryOperator::kNot;
    case MlcParser::MINUS:
      return UnaryOperator::kUSub;
    case MlcParser::PLUS:
      return UnaryOperator::kUAdd;
    default:
      return UnaryOperator::kInvert;
  }
}

}  // namespace

// The run is read as one stream: the prefixes of operand 0, operand 0, operator 0, the prefixes of operand 1,
// …
struct TreeBuilder::Chain {
  const std::vector<MlcParser::OperandContext*>& operands;
  const std::vector<MlcParser::BinaryOperatorContext*>& operators;
  unsigned allow;
  size_t next = 0;    // the operand to be read; operators[next - 1] stands before it
  size_t prefix = 0;  // of that operand, how many prefixes are read
  uint32_t end = 0;   // of what is read, closing parentheses included

  const antlr4::Token* operator_token() const { return operators[next - 1]->start; }
  bool more() const { return next - 1 < operators.size(); }
  // Where the operand to be read begins, the prefixes that remain included.
  uint32_t begin() const {
    const MlcParser::OperandContext* at = operands[next];
    return prefix < at->prefixes.size() ? source_token(at->prefixes[prefix]).begin : after_prefixes();
  }
  uint32_t after_prefixes() const {
    const MlcParser::OperandContext* at = operands[next];
    if (at->prefixes.empty()) return source_token(at->start).begin;
    const antlr4::Token* first = at->token != nullptr  ? at->token
                                 : at->text != nullptr ? at->text->start
                                                       : at->open;
    return source_token(first).begin;
  }
};

void TreeBuilder::grow(Expr* parent, const Expr* child) {
  if (child->height >= kMaxHeight) fail_too_deep(parent->span);
  parent->height = static_cast<uint16_t>(child->height + 1);
}

void TreeBuilder::fail_too_deep(ir::Span at) const {
  throw ir::refuse(refusals["too-deep"], kMaxHeight).at(at);
}

void TreeBuilder::fail(ir::Span at, std::string message, std::string help) const {
  throw ir::Error("syntax", "{}", message).at(at).kind("SyntaxError").help(std::move(help));
}

Expr* TreeBuilder::expression(MlcParser::ExpressionContext* context, unsigned allow) {
  if (context->function != nullptr) return lambda(context->function);
  if (context->walrus != nullptr) return named(context, allow);
  if (context->test == nullptr) return sorted(context->operands, context->operators, allow);
  // `*a if b else c` unpacks the whole in a call and is nothing elsewhere.
  const auto& prefixes = context->operands[0]->prefixes;
  bool star = !prefixes.empty() && prefixes[0]->getType() == MlcParser::STAR;
  if (star && (allow & kStarArgument) == 0) {
    fail(span(prefixes[0]), "`*` cannot unpack a conditional expression here", "put it in parentheses");
  }
  ir::Span whole = span(context);
  if (star) ++whole.begin;
  auto* node = tree_.make<IfExp>(whole);
  Chain body{context->operands, context->operators, kPlain};
  body.prefix = star ? 1 : 0;
  node->body = own(node, climb(body, 0));
  node->test = own(node, chain(context->test));
  node->orelse = own(node, expression(context->otherwise, kPlain));
  if (!star) return node;
  auto* unpacked = tree_.make<Starred>(span(context));
  unpacked->value = own(unpacked, node);
  return unpacked;
}

Expr* TreeBuilder::chain(MlcParser::ChainContext* context) {
  return sorted(context->operands, context->operators, kPlain);
}

Expr* TreeBuilder::sorted(const std::vector<MlcParser::OperandContext*>& operands,
                          const std::vector<MlcParser::BinaryOperatorContext*>& operators, unsigned allow) {
  if (operands.size() == 1 && operands[0]->prefixes.empty()) return operand(operands[0]);
  Chain run{operands, operators, allow};
  const auto& prefixes = operands[0]->prefixes;
  if (!prefixes.empty() && prefixes[0]->getType() == MlcParser::STAR) return starred(run);
  return climb(run, 0);
}

Expr* TreeBuilder::starred(Chain& run) {
  const antlr4::Token* star = run.operands[0]->prefixes[0];
  if ((run.allow & (kStar | kStarArgument)) == 0) {
    fail(span(star), "`*` cannot unpack here", "it unpacks inside a call, list, tuple or set");
  }
  run.prefix = 1;
  Expr* value = climb(run, (run.allow & kStarArgument) != 0 ? 0 : kBitOr);
  if (run.more()) {
    fail(span(run.operator_token()),
         fmt::format("`*` binds more strongly than `{}`", text_of(run.operator_token())),
         "put what is to be unpacked in parentheses");
  }
  auto* node = tree_.make<Starred>(ir::Span{tree_.file, source_token(star).begin, run.end});
  node->value = own(node, value);
  return node;
}

// Precedence climbing (Richards; Norvell 1999): reads operators that bind at least as strongly as `least`.
Expr* TreeBuilder::climb(Chain& run, int least) {
  uint32_t begin = run.begin();
  struct Level {
    size_t& depth;
    explicit Level(size_t& depth) : depth(depth) { ++depth; }
    ~Level() { --depth; }
  } level(depth_);
  if (depth_ > kMaxHeight + kMaxBrackets) fail_too_deep({tree_.file, begin, begin + 1});
  Expr* left = prefixed(run, least);
  while (run.more()) {
    Operator op = operator_of(run.operator_token()->getType());
    if (op.precedence < least) break;
    switch (op.precedence) {
      case kOr:
        left = boolean(run, left, begin, BoolOperator::kOr);
        break;
      case kAnd:
        left = boolean(run, left, begin, BoolOperator::kAnd);
        break;
      case kComparison:
        left = compare(run, left, begin);
        break;
      default: {
        ir::Span op_span = span(run.operator_token());
        // `**` groups to the right and lets a sign stand before its right side: 2 ** -x ** y.
        Expr* right = climb(run, op.precedence == kPower ? static_cast<int>(kSign) : op.precedence + 1);
        auto* node = tree_.make<BinOp>(ir::Span{tree_.file, begin, run.end});
        node->op = op.binary;
        node->op_span = op_span;
        node->left = own(node, left);
        node->right = own(node, right);
        left = node;
      }
    }
  }
  return left;
}

Expr* TreeBuilder::prefixed(Chain& run, int least) {
  MlcParser::OperandContext* context = run.operands[run.next];
  if (run.prefix == context->prefixes.size()) {
    Expr* value = operand(context);
    run.end = source_token(context->stop).end;
    ++run.next;
    run.prefix = 0;
    return value;
  }
  const antlr4::Token* token = context->prefixes[run.prefix];
  size_t type = token->getType();
  uint32_t begin = run.begin();
  if (type == MlcParser::STAR) fail(span(token), "expected an expression, found `*`");
  if (type == MlcParser::NOT && least > kNot) {
    fail(span(token), "`not` binds less strongly than the operator before it",
         "put the `not` in parentheses");
  }
  ++run.prefix;
  bool literal = type == MlcParser::MINUS && run.prefix == context->prefixes.size() &&
                 context->token != nullptr && context->token->getType() == MlcParser::INTEGER &&
                 context->trailers.empty();
  bool powered =
      run.next < run.operators.size() && run.operators[run.next]->start->getType() == MlcParser::DOUBLE_STAR;
  if (literal && !powered) {
    // The least integer has no positive counterpart: its sign belongs to the literal.
    auto* value = static_cast<Constant*>(number(source_token(context->token), true));
    if (value->integer == INT64_MIN) {
      value->span.begin = begin;
      run.end = value->span.end;
      ++run.next;
      run.prefix = 0;
      return value;
    }
  }
  Expr* value = climb(run, type == MlcParser::NOT ? static_cast<int>(kNot) : static_cast<int>(kSign));
  auto* node = tree_.make<UnaryOp>(ir::Span{tree_.file, begin, run.end});
  node->op = unary_of(type);
  node->operand = own(node, value);
  return node;
}

// a < b <= c is one node.
Expr* TreeBuilder::compare(Chain& run, Expr* left, uint32_t begin) {
  std::vector<CmpOperator> ops;
  std::vector<Expr*> right;
  while (run.more()) {
    Operator op = operator_of(run.operator_token()->getType());
    if (op.precedence != kComparison) break;
    ops.push_back(op.comparison);
    right.push_back(climb(run, kBitOr));
  }
  auto* node = tree_.make<Compare>(ir::Span{tree_.file, begin, run.end});
  node->left = own(node, left);
  auto kept = array<CmpOperator>(ops.size());
  std::ranges::copy(ops, kept.begin());
  node->ops = kept;
  node->comparators = each<Expr>(right, [&](Expr* one) { return own(node, one); });
  return node;
}

// a and b and c is one node.
Expr* TreeBuilder::boolean(Chain& run, Expr* left, uint32_t begin, BoolOperator op) {
  int precedence = op == BoolOperator::kOr ? kOr : kAnd;
  std::vector<Expr*> values{left};
  while (run.more() && operator_of(run.operator_token()->getType()).precedence == precedence) {
    values.push_back(climb(run, precedence + 1));
  }
  auto* node = tree_.make<BoolOp>(ir::Span{tree_.file, begin, run.end});
  node->op = op;
  node->values = each<Expr>(values, [&](Expr* one) { return own(node, one); });
  return node;
}

Expr* TreeBuilder::named(MlcParser::ExpressionContext* context, unsigned allow) {
  MlcParser::OperandContext* target = context->operands[0];
  bool name = context->operands.size() == 1 && target->prefixes.empty() && target->trailers.empty() &&
              target->token != nullptr && target->token->getType() == MlcParser::NAME;
  if (!name)
    fail(span(context->start, context->operands.back()->stop), "`:=` needs a single name on its left");
  if ((allow & kWalrus) == 0) {
    fail(span(context->walrus), "`:=` needs parentheses here",
         "a statement that assigns is written with `=`");
  }
  auto* node = tree_.make<NamedExpr>(span(context));
  Expr* bound = operand(target);
  set_target(bound, Context::kStore);
  node->target = own(node, static_cast<Name*>(bound));
  node->value = own(node, expression(context->value, kPlain));
  return node;
}

Expr* TreeBuilder::expression_list(MlcParser::ExpressionListContext* context) {
  if (context->commas.empty()) return expression(context->items[0], kPlain);
  auto* node = tree_.make<Tuple>(span(context));
  node->elts = elements(context->items, node, kStar);
  return node;
}

Expr* TreeBuilder::yield(MlcParser::YieldExpressionContext* context) {
  if (!inside_.function && !piecewise_) fail(span(context->start), "`yield` outside of a function");
  if (context->source != nullptr) {
    auto* node = tree_.make<YieldFrom>(span(context));
    node->value = own(node, expression(context->source, kPlain));
    return node;
  }
  auto* node = tree_.make<Yield>(span(context));
  if (context->value != nullptr) node->value = own(node, expression_list(context->value));
  return node;
}

}  // namespace mlc::syntax
