// SPDX-License-Identifier: Apache-2.0
// Names, literals, displays and what follows them: attributes, calls, subscripts. And targets.
#include <algorithm>

#include "frontend/syntax/build.h"

namespace mlc::syntax {

// One operand without its prefixes, which belong to the run of operators.
Expr* TreeBuilder::operand(MlcParser::OperandContext* context) {
  Expr* value = atom(context);
  if (context->trailers.empty()) return value;
  const antlr4::Token* first = context->token != nullptr  ? context->token
                               : context->text != nullptr ? context->text->start
                                                          : context->open;
  uint32_t begin = source_token(first).begin;
  for (MlcParser::TrailerContext* trailer : context->trailers) {
    ir::Span whole = from(begin, trailer->stop);
    if (trailer->dot != nullptr) {
      auto* node = tree_.make<Attribute>(whole);
      node->value = own(node, value);
      node->attr = symbol(trailer->name);
      node->attr_span = span(trailer->name);
      value = node;
    } else if (trailer->subscripts != nullptr) {
      value = subscription(value, trailer, whole);
    } else {
      value = call(value, trailer, whole);
    }
  }
  return value;
}

Expr* TreeBuilder::atom(MlcParser::OperandContext* context) {
  if (context->token != nullptr) {
    const SourceToken& token = source_token(context->token);
    ir::Span at = span(context->token);
    switch (token.type) {
      case MlcParser::NAME: {
        auto* node = tree_.make<Name>(at);
        node->id = symbol(context->token);
        return node;
      }
      case MlcParser::INTEGER:
      case MlcParser::FLOAT:
        return number(token, false);
      default: {
        auto* node = tree_.make<Constant>(at);
        node->type = token.type == MlcParser::NONE       ? Constant::Type::kNone
                     : token.type == MlcParser::ELLIPSIS ? Constant::Type::kEllipsis
                                                         : Constant::Type::kBool;
        if (node->type == Constant::Type::kBool) node->boolean = token.type == MlcParser::TRUE;
        return node;
      }
    }
  }
  if (context->text != nullptr) return strings(context->text);
  // The closing bracket has no label; it is the last token before the trailers.
  uint32_t last = context->trailers.empty() ? source_token(context->stop).index
                                            : source_token(context->trailers[0]->start).index - 1;
  ir::Span whole{tree_.file, source_token(context->open).begin, tokens_.at(last).end};
  switch (context->open->getType()) {
    case MlcParser::LPAREN:
      return parenthesised(context, whole);
    case MlcParser::LBRACKET:
      return list_display(context->group, whole);
    default:
      return brace_display(context->entries, whole);
  }
}

Expr* TreeBuilder::parenthesised(MlcParser::OperandContext* context, ir::Span whole) {
  if (context->yielded != nullptr) return yield(context->yielded);
  MlcParser::SequenceContext* group = context->group;
  if (group == nullptr) return tree_.make<Tuple>(whole);
  if (!group->clauses.empty()) return comprehension<GeneratorExp>(whole, group->items[0], group->clauses);
  if (group->commas.empty()) return expression(group->items[0], kWalrus);
  auto* node = tree_.make<Tuple>(whole);
  node->elts = elements(group->items, node, kStar | kWalrus);
  return node;
}

Expr* TreeBuilder::list_display(MlcParser::SequenceContext* context, ir::Span whole) {
  if (context != nullptr && !context->clauses.empty())
    return comprehension<ListComp>(whole, context->items[0], context->clauses);
  auto* node = tree_.make<List>(whole);
  if (context != nullptr) node->elts = elements(context->items, node, kStar | kWalrus);
  return node;
}

Expr* TreeBuilder::brace_display(MlcParser::BracesContext* context, ir::Span whole) {
  if (context == nullptr) return tree_.make<Dict>(whole);
  MlcParser::EntryContext* first = context->entries[0];
  bool dict = first->star != nullptr || first->colon != nullptr;
  if (!context->clauses.empty()) {
    if (first->star != nullptr) fail(span(first->star), "`**` cannot unpack in a comprehension");
    if (dict) {
      auto* node = tree_.make<DictComp>(whole);
      node->key = own(node, expression(first->key, kPlain));
      node->value = own(node, expression(first->value, kPlain));
      node->generators = comprehensions(context->clauses, node);
      return node;
    }
    return comprehension<SetComp>(whole, first->key, context->clauses);
  }
  size_t count = context->entries.size();
  if (!dict) {
    auto* node = tree_.make<Set>(whole);
    node->elts = each<Expr>(context->entries, [&](MlcParser::EntryContext* entry) {
      if (entry->star != nullptr || entry->colon != nullptr) {
        fail(span(entry), "this is a set, because its first element has no `:`",
             "give all entries a key, or none");
      }
      return own(node, expression(entry->key, kStar | kWalrus));
    });
    return node;
  }
  auto* node = tree_.make<Dict>(whole);
  auto keys = array<const Expr*>(count);
  auto values = array<const Expr*>(count);
  for (size_t i = 0; i < count; ++i) {
    MlcParser::EntryContext* entry = context->entries[i];
    if (entry->star == nullptr && entry->colon == nullptr) {
      fail(span(entry), "expected `:` and a value after this key of a dictionary");
    }
    keys[i] = entry->star != nullptr ? nullptr : own(node, expression(entry->key, kPlain));
    values[i] = own(node, expression(entry->value, kPlain));
  }
  node->keys = keys;
  node->values = values;
  return node;
}

Seq<Expr> TreeBuilder::elements(const std::vector<MlcParser::ExpressionContext*>& items, Expr* owner,
                                unsigned allow) {
  return each<Expr>(items, [&](auto* item) { return own(owner, expression(item, allow)); });
}

Seq<Comprehension> TreeBuilder::comprehensions(
    const std::vector<MlcParser::ComprehensionClauseContext*>& clauses, Expr* owner) {
  return nodes<Comprehension>(clauses, [&](MlcParser::ComprehensionClauseContext* clause, auto* node) {
    node->target = own(owner, target_list(clause->targets, Context::kStore));
    node->iter = own(owner, chain(clause->iterable));
    node->ifs = each<Expr>(clause->conditions, [&](auto* one) { return own(owner, chain(one)); });
  });
}

Expr* TreeBuilder::call(Expr* callee, MlcParser::TrailerContext* context, ir::Span whole) {
  auto* node = tree_.make<Call>(whole);
  node->func = own(node, callee);
  if (context->arguments != nullptr) {
    CallArguments parts = call_arguments(context->arguments, node, span(context->open, context->stop));
    node->args = parts.positional;
    node->keywords = parts.keywords;
  }
  return node;
}

// `brackets` is the span of a lone generator, which borrows the call's parentheses.
TreeBuilder::CallArguments TreeBuilder::call_arguments(MlcParser::ArgumentListContext* context, Expr* owner,
                                                       ir::Span brackets) {
  const auto& items = context->items;
  size_t keyword_count = static_cast<size_t>(std::count_if(items.begin(), items.end(), [](const auto* item) {
    return item->star != nullptr || item->keywordValue != nullptr;
  }));
  auto positional = array<const Expr*>(items.size() - keyword_count);
  auto keywords = array<const Keyword*>(keyword_count);
  size_t p = 0;
  size_t k = 0;
  bool unpacked = false;
  for (MlcParser::ArgumentContext* item : items) {
    if (item->star != nullptr || item->keywordValue != nullptr) {
      auto* node = tree_.make<Keyword>();
      node->span = span(item);
      if (item->star != nullptr) {
        unpacked = true;
        node->value = own(owner, expression(item->value, kPlain));
      } else {
        MlcParser::ExpressionContext* name = item->value;
        if (name->start != name->stop || name->start->getType() != MlcParser::NAME) {
          fail(span(name), "expected a single name before `=` in a call", "`==` compares");
        }
        node->name = symbol(name->start);
        node->name_span = span(name->start);
        node->value = own(owner, expression(item->keywordValue, kPlain));
      }
      keywords[k++] = node;
      continue;
    }
    if (!item->clauses.empty()) {
      if (items.size() != 1 || source_token(context->stop).type == MlcParser::COMMA) {
        fail(span(item), "a generator beside other arguments needs parentheses of its own");
      }
      positional[p++] = own(owner, comprehension<GeneratorExp>(brackets, item->value, item->clauses));
      continue;
    }
    bool star = source_token(item->start).type == MlcParser::STAR;
    if (unpacked && star) fail(span(item), "`*` after `**` in a call", "put the `*` argument first");
    if (k > 0 && !star) {
      fail(span(item),
           unpacked ? "a positional argument after `**`" : "a positional argument after a keyword argument",
           "positional arguments come first");
    }
    positional[p++] = own(owner, expression(item->value, kWalrus | kStarArgument));
  }
  std::vector<const Keyword*> sorted(keywords.begin(), keywords.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->name < b->name; });
  auto twice = std::adjacent_find(sorted.begin(), sorted.end(),
                                  [](auto* a, auto* b) { return a->name && a->name == b->name; });
  if (twice != sorted.end()) {
    throw ir::Error("syntax", "argument `{}` is given twice", (*twice)->name.str())
        .at(twice[1]->name_span)
        .kind("SyntaxError")
        .note("it is given here first", twice[0]->name_span);
  }
  return {positional, keywords};
}

Expr* TreeBuilder::subscription(Expr* value, MlcParser::TrailerContext* context, ir::Span whole) {
  auto* node = tree_.make<Subscript>(whole);
  node->value = own(node, value);
  MlcParser::SubscriptListContext* list = context->subscripts;
  bool star = source_token(list->start).type == MlcParser::STAR;
  if (list->commas.empty() && !star) {
    node->slice = own(node, subscript(list->items[0]));
    return node;
  }
  auto* tuple = tree_.make<Tuple>(span(list));
  tuple->elts = each<Expr>(list->items, [&](auto* item) { return own(tuple, subscript(item)); });
  node->slice = own(node, tuple);
  return node;
}

Expr* TreeBuilder::subscript(MlcParser::SubscriptContext* context) {
  if (context->colon == nullptr) return expression(context->lower, kWalrus | kStar);
  auto* node = tree_.make<Slice>(span(context));
  auto part = [&](MlcParser::ExpressionContext* bound) -> const Expr* {
    return bound == nullptr ? nullptr : own(node, expression(bound, kPlain));
  };
  node->lower = part(context->lower);
  node->upper = part(context->upper);
  node->step = part(context->step);
  return node;
}

// ---- targets ----

Expr* TreeBuilder::target_list(MlcParser::TargetListContext* context, Context use) {
  if (context->commas.empty()) {
    Expr* only = target_operand(context->targets[0], use);
    if (as<Starred>(only) != nullptr)
      fail(only->span, "a target with `*` needs others beside it", "write `*x, =`");
    return only;
  }
  auto* node = tree_.make<Tuple>(span(context));
  node->elts =
      each<Expr>(context->targets, [&](auto* target) { return own(node, target_operand(target, use)); });
  set_target(node, use);
  return node;
}

Expr* TreeBuilder::target_operand(MlcParser::OperandContext* context, Context use) {
  const auto& prefixes = context->prefixes;
  Expr* value = operand(context);
  if (prefixes.empty()) {
    set_target(value, use);
    return value;
  }
  if (prefixes.size() > 1 || prefixes[0]->getType() != MlcParser::STAR) {
    fail(span(context), "cannot assign to an operation");
  }
  auto* node = tree_.make<Starred>(span(context));
  node->value = own(node, value);
  set_target(node, use);
  return node;
}

namespace {

// What stands where a target should: "cannot assign to …".
struct Describe {
  std::string operator()(const Call&) const { return "a call"; }
  std::string operator()(const Constant& c) const {
    return c.type == Constant::Type::kNone       ? "`None`"
           : c.type == Constant::Type::kBool     ? (c.boolean ? "`True`" : "`False`")
           : c.type == Constant::Type::kEllipsis ? "`...`"
                                                 : "a literal";
  }
  std::string operator()(const JoinedStr&) const { return "an f-string"; }
  std::string operator()(const Compare&) const { return "a comparison"; }
  std::string operator()(const IfExp&) const { return "a conditional expression"; }
  std::string operator()(const Lambda&) const { return "a lambda"; }
  std::string operator()(const Dict&) const { return "a dictionary"; }
  std::string operator()(const Set&) const { return "a set"; }
  std::string operator()(const ListComp&) const { return "a comprehension"; }
  std::string operator()(const SetComp&) const { return "a comprehension"; }
  std::string operator()(const DictComp&) const { return "a comprehension"; }
  std::string operator()(const GeneratorExp&) const { return "a generator"; }
  std::string operator()(const NamedExpr&) const { return "`:=`"; }
  std::string operator()(const Yield&) const { return "a `yield`"; }
  std::string operator()(const YieldFrom&) const { return "a `yield`"; }
  std::string operator()(const Expr&) const { return "an operation"; }
};

}  // namespace

void TreeBuilder::set_target(Expr* expr, Context use) {
  auto each = [&](Seq<Expr> elts) {
    const Expr* star = nullptr;
    for (const Expr* element : elts) {
      if (as<Starred>(element) != nullptr) {
        if (star != nullptr) fail(element->span, "a second `*` among these targets");
        star = element;
      }
      set_target(const_cast<Expr*>(element), use);
    }
  };
  switch (expr->kind) {
    case ExprKind::kName:
      static_cast<Name*>(expr)->ctx = use;
      return;
    case ExprKind::kAttribute:
      static_cast<Attribute*>(expr)->ctx = use;
      return;
    case ExprKind::kSubscript:
      static_cast<Subscript*>(expr)->ctx = use;
      return;
    case ExprKind::kList:
      static_cast<List*>(expr)->ctx = use;
      return each(static_cast<List*>(expr)->elts);
    case ExprKind::kTuple:
      static_cast<Tuple*>(expr)->ctx = use;
      return each(static_cast<Tuple*>(expr)->elts);
    case ExprKind::kStarred:
      if (use == Context::kDel) break;
      static_cast<Starred*>(expr)->ctx = use;
      return set_target(const_cast<Expr*>(static_cast<Starred*>(expr)->value), use);
    default:
      break;
  }
  std::string what = dispatch(static_cast<const Expr*>(expr), Describe{});
  fail(expr->span, fmt::format("cannot {} {}", use == Context::kDel ? "delete" : "assign to", what),
       use == Context::kStore && (expr->kind == ExprKind::kCompare || expr->kind == ExprKind::kCall)
           ? "`==` compares"
           : "");
}

}  // namespace mlc::syntax
