// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/pattern.h"

#include <cstring>

#include "ir/tir/linear.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"

namespace mlc::transform {
namespace {

constexpr std::string_view kNames[] = {"x", "y", "z", "w", "u", "v", "l", "s", "c1", "c2", "c3", "c4"};
constexpr int kFirstConst = 8;

// Recursive descent over one rule's text.
class RuleParser {
 public:
  RuleParser(std::string_view text, Pattern& out) : text_(text), out_(out) {}

  void parse_all() {
    out_.root = parse_or();
    skip();
    MLC_CHECK(at_ == text_.size(), "simplifier rule `{}`: unexpected text at {}", text_, at_);
  }
  // Stops before `,` at the top level; conditions are split by the caller.
  bool has_variables() const { return has_variables_; }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool eat(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  bool eat_word(std::string_view word) {
    size_t saved = at_;
    if (eat(word) && (at_ == text_.size() || !isalnum(text_[at_]))) return true;
    at_ = saved;
    return false;
  }
  int add(Pattern::Node node) {
    out_.nodes.push_back(node);
    return static_cast<int>(out_.nodes.size()) - 1;
  }
  int node(ExprKind op, int a, int b = -1, int c = -1) {
    return add({Pattern::Kind::kNode, op, 0, 0, {a, b, c}});
  }
  int parse_or() {
    int left = parse_and();
    while (eat_word("or")) left = node(ExprKind::kOr, left, parse_and());
    return left;
  }
  int parse_and() {
    int left = parse_not();
    while (eat_word("and")) left = node(ExprKind::kAnd, left, parse_not());
    return left;
  }
  int parse_not() {
    if (eat_word("not")) return node(ExprKind::kNot, parse_not());
    return parse_comparison();
  }
  int parse_comparison() {
    int left = parse_sum();
    static constexpr std::pair<std::string_view, ExprKind> kOps[] = {
        {"==", ExprKind::kEQ}, {"!=", ExprKind::kNE}, {"<=", ExprKind::kLE},
        {">=", ExprKind::kGE}, {"<", ExprKind::kLT},  {">", ExprKind::kGT}};
    for (auto [token, op] : kOps) {
      if (eat(token)) return node(op, left, parse_sum());
    }
    return left;
  }
  int parse_sum() {
    int left = parse_product();
    while (true) {
      if (eat("+"))
        left = node(ExprKind::kAdd, left, parse_product());
      else if (eat("-"))
        left = node(ExprKind::kSub, left, parse_product());
      else
        return left;
    }
  }
  int parse_product() {
    int left = parse_unary();
    while (true) {
      if (eat("//"))
        left = node(ExprKind::kFloorDiv, left, parse_unary());
      else if (eat("*"))
        left = node(ExprKind::kMul, left, parse_unary());
      else if (eat("%"))
        left = node(ExprKind::kFloorMod, left, parse_unary());
      else
        return left;
    }
  }
  int parse_unary() {
    if (eat("-")) {
      int operand = parse_unary();
      Pattern::Node& child = out_.nodes[operand];
      if (child.kind == Pattern::Kind::kLiteral) {
        child.literal = -child.literal;
        return operand;
      }
      int zero = add({Pattern::Kind::kLiteral, {}, 0, 0, {}});
      return node(ExprKind::kSub, zero, operand);
    }
    return parse_atom();
  }
  int parse_atom() {
    skip();
    if (eat("(")) {
      int inner = parse_or();
      MLC_CHECK(eat(")"), "simplifier rule `{}`: missing `)`", text_);
      return inner;
    }
    MLC_CHECK(at_ < text_.size(), "simplifier rule `{}` ends early", text_);
    if (isdigit(text_[at_])) {
      int64_t value = 0;
      while (at_ < text_.size() && isdigit(text_[at_])) value = value * 10 + (text_[at_++] - '0');
      return add({Pattern::Kind::kLiteral, {}, 0, value, {}});
    }
    size_t begin = at_;
    while (at_ < text_.size() && isalnum(text_[at_])) ++at_;
    std::string_view word = text_.substr(begin, at_ - begin);
    static constexpr std::pair<std::string_view, ExprKind> kCalls[] = {
        {"min", ExprKind::kMin},      {"max", ExprKind::kMax},   {"tdiv", ExprKind::kDiv},
        {"tmod", ExprKind::kMod},     {"ramp", ExprKind::kRamp}, {"broadcast", ExprKind::kBroadcast},
        {"select", ExprKind::kSelect}};
    for (auto [name, op] : kCalls) {
      if (name != word) continue;
      int children[3] = {-1, -1, -1};
      int count = 0;
      MLC_CHECK(eat("("), "simplifier rule `{}`: missing `(`", text_);
      do children[count++] = parse_or();
      while (eat(","));
      MLC_CHECK(eat(")"), "simplifier rule `{}`: missing `)`", text_);
      return node(op, children[0], children[1], children[2]);
    }
    if (word == "true" || word == "false") {
      return add({Pattern::Kind::kLiteral, ExprKind::kNot, 0, word == "true", {}});
    }
    for (int i = 0; i < Match::kSlots; ++i) {
      if (kNames[i] != word) continue;
      if (i < kFirstConst) has_variables_ = true;
      return add({i < kFirstConst ? Pattern::Kind::kAny : Pattern::Kind::kConst, {}, i, 0, {}});
    }
    throw InternalError(__FILE__, __LINE__,
                        fmt::format("simplifier rule `{}`: unknown name `{}`", text_, word));
  }

  std::string_view text_;
  Pattern& out_;
  size_t at_ = 0;
  bool has_variables_ = false;
};

bool match(const Pattern& pattern, int at, const Expr& e, Match& found) {
  const Pattern::Node& node = pattern.nodes[at];
  switch (node.kind) {
    case Pattern::Kind::kAny:
    case Pattern::Kind::kConst:
      if (node.kind == Pattern::Kind::kConst) {
        // Numbers of 2^63 and more stand as negative ones: what is computed of them would be wrong.
        auto* constant = as<IntImmNode>(e);
        if (!constant || (constant->value < 0 && e->dtype().is_uint())) return false;
      }
      if (found.bound[node.slot]) return same_expr(*found.bound[node.slot], e);
      found.bound[node.slot] = &e;
      return true;
    case Pattern::Kind::kLiteral:
      return e->kind == ExprKind::kIntImm && static_cast<const IntImmNode*>(e.get())->value == node.literal;
    case Pattern::Kind::kNode:
      break;
  }
  if (e->kind != node.op) return false;
  switch (e->kind) {
    case ExprKind::kNot:
      return match(pattern, node.child[0], as<NotNode>(e)->a, found);
    case ExprKind::kSelect: {
      auto* select = as<SelectNode>(e);
      return match(pattern, node.child[0], select->condition, found) &&
             match(pattern, node.child[1], select->true_value, found) &&
             match(pattern, node.child[2], select->false_value, found);
    }
    case ExprKind::kRamp: {
      auto* ramp = as<RampNode>(e);
      return match(pattern, node.child[0], ramp->base, found) &&
             match(pattern, node.child[1], ramp->stride, found) &&
             match(pattern, node.child[2], ramp->lanes, found);
    }
    case ExprKind::kBroadcast: {
      auto* broadcast = as<BroadcastNode>(e);
      return match(pattern, node.child[0], broadcast->value, found) &&
             match(pattern, node.child[1], broadcast->lanes, found);
    }
    default: {
      auto* two = static_cast<const BinaryNode*>(e.get());
      return match(pattern, node.child[0], two->a, found) && match(pattern, node.child[1], two->b, found);
    }
  }
}

// The expression a result pattern describes. `dtype` types the literals that meet no operand.
Expr instantiate(const Pattern& pattern, int at, const Match& found, DataType dtype) {
  const Pattern::Node& node = pattern.nodes[at];
  switch (node.kind) {
    case Pattern::Kind::kAny:
    case Pattern::Kind::kConst:
      return *found.bound[node.slot];
    case Pattern::Kind::kLiteral:
      if (node.op == ExprKind::kNot) {
        Expr truth = bool_imm(node.literal != 0);
        return dtype.is_bool() && !dtype.is_scalar() ? make_const(dtype, static_cast<double>(node.literal))
                                                     : truth;
      }
      return make_const(dtype, static_cast<double>(node.literal));
    case Pattern::Kind::kNode:
      break;
  }
  switch (node.op) {
    case ExprKind::kNot:
      return logical_not(instantiate(pattern, node.child[0], found, dtype));
    case ExprKind::kSelect:
      return select(instantiate(pattern, node.child[0], found, DataType::Bool()),
                    instantiate(pattern, node.child[1], found, dtype),
                    instantiate(pattern, node.child[2], found, dtype));
    case ExprKind::kRamp: {
      DataType element = dtype.element();
      return make<RampNode>(instantiate(pattern, node.child[0], found, element),
                            instantiate(pattern, node.child[1], found, element),
                            instantiate(pattern, node.child[2], found, DataType::Int(32)));
    }
    case ExprKind::kBroadcast:
      return make<BroadcastNode>(instantiate(pattern, node.child[0], found, dtype.element()),
                                 instantiate(pattern, node.child[1], found, DataType::Int(32)));
    default: {
      // Literals take the type of the operand they meet.
      int left = node.child[0], right = node.child[1];
      Expr a, b;
      if (pattern.nodes[left].kind == Pattern::Kind::kLiteral) {
        b = instantiate(pattern, right, found, dtype);
        a = instantiate(pattern, left, found, b->dtype());
      } else {
        a = instantiate(pattern, left, found, dtype);
        b = instantiate(pattern, right, found, a->dtype());
      }
      // `sub` takes 0 - c for a mistake; here it wraps.
      Expr wrapped = node.op == ExprKind::kSub && a->dtype().is_uint() ? fold(node.op, a, b) : Expr();
      return wrapped ? wrapped : build(node.op, std::move(a), std::move(b));
    }
  }
}

// The value of a constant side of a condition; nullopt for division by zero and overflow.
std::optional<int64_t> evaluate(const Pattern& pattern, int at, const Match& found) {
  const Pattern::Node& node = pattern.nodes[at];
  if (node.kind == Pattern::Kind::kLiteral) return node.literal;
  if (node.kind != Pattern::Kind::kNode)
    return static_cast<const IntImmNode*>(found.bound[node.slot]->get())->value;
  auto a = evaluate(pattern, node.child[0], found);
  auto b = evaluate(pattern, node.child[1], found);
  if (!a || !b) return std::nullopt;
  return reckoned(node.op, *a, *b);
}

// Of constants alone, by its names or by what these are bound to.
bool is_constant(const Pattern& pattern, int at, const Match* found = nullptr) {
  const Pattern::Node& node = pattern.nodes[at];
  if (node.kind == Pattern::Kind::kAny) {
    const Expr* bound = found ? found->bound[node.slot] : nullptr;
    return bound && (*bound)->kind == ExprKind::kIntImm && (*bound)->dtype().is_int();
  }
  if (node.kind != Pattern::Kind::kNode) return true;
  return std::all_of(node.child.begin(), node.child.end(),
                     [&](int child) { return child < 0 || is_constant(pattern, child, found); });
}

// The type of the first constant in it.
std::optional<DataType> type_of_constants(const Pattern& pattern, int at, const Match& found) {
  const Pattern::Node& node = pattern.nodes[at];
  if (node.kind == Pattern::Kind::kLiteral) return std::nullopt;
  if (node.kind != Pattern::Kind::kNode) return (*found.bound[node.slot])->dtype();
  auto left = type_of_constants(pattern, node.child[0], found);
  return left ? left : type_of_constants(pattern, node.child[1], found);
}

// Is a sum with a number in it that lies near an end of its type? Another order of its terms may leave the
// type.
bool has_far_term(const Pattern& pattern, const Pattern::Node& node, const Match& found) {
  if (node.op != ExprKind::kAdd && node.op != ExprKind::kSub) return false;
  return std::any_of(node.child.begin(), node.child.end(), [&](int at) {
    if (at < 0 || pattern.nodes[at].kind == Pattern::Kind::kLiteral ||
        pattern.nodes[at].kind == Pattern::Kind::kNode)
      return false;
    const Expr* bound = found.bound[pattern.nodes[at].slot];
    auto* number = bound ? as<IntImmNode>(*bound) : nullptr;
    return number && number->dtype().is_int() && is_far(number->value, number->dtype());
  });
}

// Would a constant of the result, or one on the way to it, be none of its type?
bool overflows(const Pattern& pattern, int at, const Match& found) {
  const Pattern::Node& node = pattern.nodes[at];
  if (node.kind != Pattern::Kind::kNode) return false;
  bool number = node.op != ExprKind::kSelect && node.op != ExprKind::kRamp && node.op != ExprKind::kBroadcast;
  if (number && is_constant(pattern, at, &found)) {
    auto dtype = type_of_constants(pattern, at, found);
    auto value = evaluate(pattern, at, found);
    if (!value || (dtype && !dtype->is_bool() && !fits(*dtype, *value))) return true;
  }
  if (has_far_term(pattern, node, found)) return true;
  return std::any_of(node.child.begin(), node.child.end(),
                     [&](int child) { return child >= 0 && overflows(pattern, child, found); });
}

bool satisfied(const CompiledRule::Test& test, const Match& found, AnalyzerImpl& analyzer) {
  if (test.only_constants) {
    auto a = evaluate(test.left, test.left.root, found);
    auto b = evaluate(test.right, test.right.root, found);
    return a && b && reckoned(test.comparison, *a, *b).value_or(0) != 0;
  }
  Expr a = instantiate(test.left, test.left.root, found, DataType::Int(32));
  if (test.right_is_constant && test.comparison != ExprKind::kEQ) {
    auto limit = evaluate(test.right, test.right.root, found);
    if (!limit) return false;
    ConstIntBound bound = analyzer.bounds(a);
    switch (test.comparison) {
      case ExprKind::kLT:
        return bound.max < *limit;
      case ExprKind::kLE:
        return bound.max <= *limit;
      case ExprKind::kGT:
        return bound.min > *limit;
      case ExprKind::kGE:
        return bound.min >= *limit;
      default:
        break;
    }
  }
  Expr b = instantiate(test.right, test.right.root, found, a->dtype());
  if (test.comparison == ExprKind::kEQ) return analyzer.equal_by_sums(a, b);
  return analyzer.proves_by_bounds(test.comparison, a, b);
}

}  // namespace

RuleSet::RuleSet(std::span<const Rule> rows, bool any_type) {
  rules_.reserve(rows.size());
  for (const Rule& row : rows) {
    CompiledRule& rule = rules_.emplace_back();
    rule.row = &row;
    RuleParser(row.pattern, rule.pattern).parse_all();
    RuleParser(row.result, rule.result).parse_all();
    const Pattern::Node& root = rule.pattern.nodes[rule.pattern.root];
    for (const Pattern::Node& node : rule.pattern.nodes) {
      if (node.kind != Pattern::Kind::kNode) continue;
      rule.for_lanes |= node.op == ExprKind::kRamp || node.op == ExprKind::kBroadcast;
      bool sum = node.op == ExprKind::kAdd || node.op == ExprKind::kSub;
      rule.logic_of_sums |= sum && (root.op == ExprKind::kAnd || root.op == ExprKind::kOr);
      rule.logic_of_order |=
          root.op == ExprKind::kOr && (node.op == ExprKind::kLT || node.op == ExprKind::kLE);
    }
    rule.for_scalars = !rule.for_lanes;
    bool logic = root.op == ExprKind::kNot || root.op == ExprKind::kAnd || root.op == ExprKind::kOr ||
                 root.op == ExprKind::kSelect;
    if (rule.for_scalars && (logic || any_type)) rule.for_lanes = true;
    if (!row.condition) continue;
    std::string_view rest = row.condition;
    while (!rest.empty()) {
      // Split at commas outside parentheses.
      size_t end = 0;
      for (int depth = 0; end < rest.size() && (depth > 0 || rest[end] != ','); ++end) {
        depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
      }
      Pattern whole;
      RuleParser parser(rest.substr(0, end), whole);
      parser.parse_all();
      const Pattern::Node& top = whole.nodes[whole.root];
      CompiledRule::Test test{top.op, whole, whole, !parser.has_variables(), false};
      test.left.root = top.child[0];
      test.right.root = top.child[1];
      test.right_is_constant = is_constant(test.right, test.right.root);
      rule.tests.push_back(std::move(test));
      rest = end < rest.size() ? rest.substr(end + 1) : std::string_view();
    }
  }
}

Expr RuleSet::apply(const Expr& e, AnalyzerImpl& analyzer, bool& go_on) const {
  bool scalar = e->dtype().is_scalar();
  for (const CompiledRule& rule : rules_) {
    if (!(scalar ? rule.for_scalars : rule.for_lanes)) continue;
    ++analyzer.stats.rewrites_attempted;
    Match found;
    if (!match(rule.pattern, rule.pattern.root, e, found)) continue;
    if (rule.logic_of_sums || rule.logic_of_order) {
      DataType dtype = (*found.bound[0])->dtype().element();
      if (rule.logic_of_sums && !(dtype.is_int() && dtype.bits() >= 32)) continue;
      if (rule.logic_of_order && dtype.is_floating()) continue;
    }
    bool ok = true;
    for (const auto& test : rule.tests) {
      if (!(ok = satisfied(test, found, analyzer))) break;
    }
    if (!ok || overflows(rule.result, rule.result.root, found)) continue;
    go_on = rule.row->then == Then::kAgain;
    return instantiate(rule.result, rule.result.root, found, e->dtype());
  }
  return nullptr;
}

}  // namespace mlc::transform
