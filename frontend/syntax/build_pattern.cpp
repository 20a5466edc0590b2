// SPDX-License-Identifier: Apache-2.0
// `match` statements and their patterns (PEP 634).
#include <algorithm>

#include "frontend/syntax/build.h"

namespace mlc::syntax {

namespace {

// Which names a pattern binds, each once; and that no case or alternative hides those after it.
class PatternCheck {
 public:
  // The pattern may match everything only if `last`.
  void check(const Pattern& pattern, bool last) {
    switch (pattern.kind) {
      case Pattern::Kind::kAs:
        if (pattern.patterns.empty() && !last) {
          if (pattern.name == nullptr) fail(pattern.span, "the wildcard `_` makes what follows unreachable");
          fail(pattern.span,
               fmt::format("the name `{}` matches everything and makes what follows unreachable",
                           pattern.name->id.str()));
        }
        if (!pattern.patterns.empty()) check(*pattern.patterns[0], last);
        break;
      case Pattern::Kind::kOr:
        return alternatives(pattern, last);
      default:
        for (const Pattern* each : pattern.patterns) check(*each, true);
        for (const Pattern* each : pattern.kwd_patterns) check(*each, true);
    }
    if (pattern.name != nullptr) bind(*pattern.name);
  }

 private:
  void bind(const Name& name) {
    if (std::find(names_.begin(), names_.end(), name.id) != names_.end())
      fail(name.span, fmt::format("the pattern binds `{}` twice", name.id.str()));
    names_.push_back(name.id);
  }
  void alternatives(const Pattern& pattern, bool last) {
    std::vector<Symbol> before = names_, bound;
    for (const Pattern* each : pattern.patterns) {
      names_ = before;
      check(*each, last && each == pattern.patterns.back());
      std::vector<Symbol> now(names_.begin() + static_cast<ptrdiff_t>(before.size()), names_.end());
      std::sort(now.begin(), now.end());
      if (each == pattern.patterns[0]) bound = now;
      if (now != bound) fail(pattern.span, "the alternatives of this pattern bind different names");
    }
  }
  [[noreturn]] static void fail(ir::Span at, std::string message) {
    throw ir::Error("syntax", "{}", message).at(at).kind("SyntaxError");
  }
  std::vector<Symbol> names_;
};

}  // namespace

const Stmt* TreeBuilder::match_statement(MlcParser::MatchStatementContext* context) {
  auto* node = tree_.make<Match>(statement_span(context));
  bool one = context->subject->commas.empty();
  node->subject = one ? expression(context->subject->items[0], kWalrus) : expression_list(context->subject);
  auto cases = array<const MatchCase*>(context->cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    MlcParser::CaseClauseContext* clause = context->cases[i];
    auto* made = tree_.make<MatchCase>();
    made->span = statement_span(clause);
    made->pattern = pattern_list(clause->matched, span(clause->matched));
    if (clause->guard != nullptr) made->guard = expression(clause->guard, kWalrus);
    PatternCheck().check(*made->pattern, made->guard != nullptr || i + 1 == cases.size());
    made->body = block(clause->body);
    cases[i] = made;
  }
  node->cases = cases;
  return node;
}

// One pattern, or a sequence without brackets: `a, *b`.
Pattern* TreeBuilder::pattern_list(MlcParser::PatternListContext* context, ir::Span span) {
  if (context->commas.empty()) return pattern(context->items[0], false);
  auto* made = tree_.make<Pattern>();
  made->span = span;
  made->kind = Pattern::Kind::kSequence;
  made->patterns = sequence(context);
  return made;
}

Seq<Pattern> TreeBuilder::sequence(MlcParser::PatternListContext* context) {
  if (context == nullptr) return {};
  auto all = array<const Pattern*>(context->items.size());
  bool starred = false;
  for (size_t i = 0; i < all.size(); ++i) {
    Pattern* each = pattern(context->items[i], true);
    if (each->kind == Pattern::Kind::kStar && std::exchange(starred, true))
      fail(each->span, "a second `*` in this sequence pattern");
    all[i] = each;
  }
  return all;
}

const Name* TreeBuilder::capture(const antlr4::Token* token) {
  if (text_of(token) == "_") return nullptr;
  auto* name = tree_.make<Name>(span(token));
  name->id = symbol(token);
  name->ctx = Context::kStore;
  return name;
}

Pattern* TreeBuilder::pattern(MlcParser::PatternContext* context, bool sequence) {
  if (context->star != nullptr) {
    if (!sequence) fail(span(context), "`*` stands in a sequence pattern only", "write `*x, ` or `[*x]`");
    auto* made = tree_.make<Pattern>();
    made->span = span(context);
    made->kind = Pattern::Kind::kStar;
    made->name = capture(context->name);
    return made;
  }
  Pattern* made = nullptr;
  if (context->alternatives.size() == 1) {
    made = closed_pattern(context->alternatives[0]);
  } else {
    made = tree_.make<Pattern>();
    made->span = span(context->start, context->alternatives.back()->stop);
    made->kind = Pattern::Kind::kOr;
    auto all = array<const Pattern*>(context->alternatives.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = closed_pattern(context->alternatives[i]);
    made->patterns = all;
  }
  if (context->name == nullptr) return made;
  auto* named = tree_.make<Pattern>();
  named->span = span(context);
  named->kind = Pattern::Kind::kAs;
  named->name = capture(context->name);
  if (named->name == nullptr) fail(span(context->name), "`_` is no name here: it matches without binding");
  auto inside = array<const Pattern*>(1);
  inside[0] = made;
  named->patterns = inside;
  return named;
}

// `a.b.c`, loaded.
Expr* TreeBuilder::dotted_value(MlcParser::ClosedPatternContext* context) {
  auto* first = tree_.make<Name>(span(context->parts[0]));
  first->id = symbol(context->parts[0]);
  Expr* value = first;
  for (size_t i = 1; i < context->parts.size(); ++i) {
    auto* node = tree_.make<Attribute>(span(context->parts[0], context->parts[i]));
    node->value = own(node, value);
    node->attr = symbol(context->parts[i]);
    node->attr_span = span(context->parts[i]);
    value = node;
  }
  return value;
}

Pattern* TreeBuilder::closed_pattern(MlcParser::ClosedPatternContext* context) {
  if (!context->parts.empty() && context->open != nullptr) return class_pattern(context);
  if (context->open != nullptr && context->open->getType() == MlcParser::LBRACE)
    return mapping_pattern(context);
  if (context->open != nullptr && context->open->getType() == MlcParser::LPAREN &&
      context->group != nullptr && context->group->commas.empty())
    return pattern(context->group->items[0], false);
  auto* made = tree_.make<Pattern>();
  made->span = span(context);
  if (context->open != nullptr) {
    made->kind = Pattern::Kind::kSequence;
    made->patterns = sequence(context->group);
    return made;
  }
  if (context->parts.size() == 1) {
    made->kind = Pattern::Kind::kAs;
    made->name = capture(context->parts[0]);
    return made;
  }
  made->kind = Pattern::Kind::kValue;
  if (!context->parts.empty()) {
    made->value = dotted_value(context);
  } else if (context->text != nullptr) {
    made->value = strings(context->text);
    if (as<JoinedStr>(made->value) != nullptr)
      fail(made->span, "an f-string is no pattern: literals and dotted names are");
  } else if (context->constant != nullptr) {
    auto* constant = tree_.make<Constant>(span(context->constant));
    size_t type = context->constant->getType();
    constant->type = type == MlcParser::NONE ? Constant::Type::kNone : Constant::Type::kBool;
    if (type != MlcParser::NONE) constant->boolean = type == MlcParser::TRUE;
    made->kind = Pattern::Kind::kSingleton;
    made->value = constant;
  } else {
    Expr* value = number(source_token(context->number), context->minus != nullptr);
    auto* constant = static_cast<Constant*>(value);
    bool least = constant->type == Constant::Type::kInt && constant->integer == INT64_MIN;
    if (context->minus != nullptr && !least) {
      auto* negated = tree_.make<UnaryOp>(span(context));
      negated->op = UnaryOperator::kUSub;
      negated->operand = own(negated, value);
      value = negated;
    }
    made->value = value;
  }
  return made;
}

Pattern* TreeBuilder::class_pattern(MlcParser::ClosedPatternContext* context) {
  auto* made = tree_.make<Pattern>();
  made->span = span(context);
  made->kind = Pattern::Kind::kClass;
  made->value = dotted_value(context);
  std::vector<const Pattern*> positional, named;
  std::vector<Symbol> names;
  std::vector<ir::Span> spans;
  for (MlcParser::PatternArgumentContext* argument : context->arguments) {
    Pattern* value = pattern(argument->value, false);
    if (argument->keywordValue == nullptr) {
      if (!named.empty()) fail(value->span, "a positional pattern follows one with a name");
      positional.push_back(value);
      continue;
    }
    bool name = value->kind == Pattern::Kind::kAs && value->patterns.empty() &&
                argument->value->start == argument->value->stop;
    if (!name) fail(value->span, "expected the name of an attribute before `=`");
    Symbol attribute = symbol(argument->value->start);
    if (std::find(names.begin(), names.end(), attribute) != names.end())
      fail(value->span, fmt::format("the attribute `{}` is given twice", attribute.str()));
    names.push_back(attribute);
    spans.push_back(value->span);
    named.push_back(pattern(argument->keywordValue, false));
  }
  made->patterns = keep(positional);
  made->kwd_patterns = keep(named);
  auto kept_names = array<Symbol>(names.size());
  std::copy(names.begin(), names.end(), kept_names.begin());
  made->kwd_attrs = kept_names;
  auto kept_spans = array<ir::Span>(spans.size());
  std::copy(spans.begin(), spans.end(), kept_spans.begin());
  made->kwd_spans = kept_spans;
  return made;
}

Pattern* TreeBuilder::mapping_pattern(MlcParser::ClosedPatternContext* context) {
  auto* made = tree_.make<Pattern>();
  made->span = span(context);
  made->kind = Pattern::Kind::kMapping;
  std::vector<const Expr*> keys;
  std::vector<const Pattern*> values;
  for (MlcParser::PatternEntryContext* entry : context->entries) {
    if (entry->star != nullptr) {
      if (entry != context->entries.back()) fail(span(entry), "`**` must be the last entry of the pattern");
      made->name = capture(entry->name);
      if (made->name == nullptr)
        fail(span(entry), "`**_` is not needed: other keys never keep a mapping pattern from matching");
      continue;
    }
    Pattern* key = closed_pattern(entry->key);
    if (key->kind != Pattern::Kind::kValue && key->kind != Pattern::Kind::kSingleton)
      fail(key->span, "a key of a mapping pattern is a literal or a dotted name");
    auto* literal = as<Constant>(key->value);
    for (const Expr* other : keys) {
      auto* before = as<Constant>(other);
      if (literal == nullptr || before == nullptr || before->type != literal->type) continue;
      bool same = literal->type == Constant::Type::kFloat
                      ? before->real == literal->real
                      : before->text == literal->text && before->integer == literal->integer;
      if (same) fail(key->span, "the mapping pattern has this key twice");
    }
    keys.push_back(key->value);
    values.push_back(pattern(entry->value, false));
  }
  made->keys = keep(keys);
  made->patterns = keep(values);
  return made;
}

}  // namespace mlc::syntax
