// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "frontend/syntax/build.h"
#include "ir/core/refusal.h"

namespace mlc::syntax {

static constexpr ir::Refusals refusals{"SyntaxError",
                                       {
                                           {.name = "too-deep",
                                            .message = "this `if` has more than {} branches",
                                            .help = "use a dictionary or a loop"},
                                       }};
MLC_REFUSALS(syntax_build_statement, refusals);

void TreeBuilder::statement(MlcParser::StatementContext* context, std::vector<const Stmt*>& out) {
  Surroundings outside = inside_;
  auto attempt = [&](auto&& build) {
    try {
      out.push_back(build());
    } catch (const ir::Error& error) {
      problems_.add(error);
      inside_ = outside;
      depth_ = 0;
    }
  };
  if (context->line != nullptr) {
    for (MlcParser::SimpleStatementContext* part : context->line->parts) {
      attempt([&] { return simple_statement(part); });
    }
  } else {
    attempt([&] { return compound_statement(context); });
  }
}

Seq<Stmt> TreeBuilder::block(MlcParser::BlockContext* context) {
  std::vector<const Stmt*> body;
  if (context->line == nullptr) {
    body.reserve(context->body.size());
    for (MlcParser::StatementContext* part : context->body) statement(part, body);
  } else {
    body.reserve(context->line->parts.size());
    for (MlcParser::SimpleStatementContext* part : context->line->parts)
      body.push_back(simple_statement(part));
  }
  return keep(body);
}

Seq<Stmt> TreeBuilder::loop_body(MlcParser::BlockContext* context) {
  Surroundings outside = inside_;
  inside_.loop = true;
  Seq<Stmt> body = block(context);
  inside_ = outside;
  return body;
}

// ---- simple statements ----

const Stmt* TreeBuilder::simple_statement(MlcParser::SimpleStatementContext* context) {
  if (context->assigning != nullptr) return assignment(context->assigning);
  if (context->keyword != nullptr) {
    ir::Span at = span(context->keyword);
    size_t type = context->keyword->getType();
    if (type == MlcParser::PASS) return tree_.make<Pass>(at);
    if (!inside_.loop && !piecewise_)
      fail(at, fmt::format("`{}` outside of a loop", text_of(context->keyword)));
    if (type == MlcParser::BREAK) return tree_.make<Break>(at);
    return tree_.make<Continue>(at);
  }
  if (context->returning != nullptr) {
    auto* node = tree_.make<Return>(span(context));
    if (!inside_.function && !piecewise_) fail(span(context->start), "`return` outside of a function");
    if (context->returning->value != nullptr) node->value = expression_list(context->returning->value);
    return node;
  }
  if (auto* raising = context->raising) {
    auto* node = tree_.make<Raise>(span(context));
    if (raising->raised != nullptr) node->exc = expression(raising->raised, kPlain);
    if (raising->cause != nullptr) node->cause = expression(raising->cause, kPlain);
    return node;
  }
  if (auto* asserting = context->asserting) {
    auto* node = tree_.make<Assert>(span(context));
    node->test = expression(asserting->test, kPlain);
    if (asserting->message != nullptr) node->msg = expression(asserting->message, kPlain);
    return node;
  }
  if (auto* deleting = context->deleting) {
    auto* node = tree_.make<Delete>(span(context));
    node->targets = each<Expr>(deleting->targets->targets,
                               [&](auto* target) { return target_operand(target, Context::kDel); });
    return node;
  }
  if (context->importing != nullptr) return import_statement(context->importing);
  if (context->importingFrom != nullptr) return from_statement(context->importingFrom);
  return scope_statement(context->declaring);
}

Expr* TreeBuilder::assigned(MlcParser::AssignedContext* context) {
  return context->yielded != nullptr ? yield(context->yielded) : expression_list(context->list);
}

// One of `a, *b` on the left of `=`: the same text as an expression list, but `*` may stand alone in it.
const Stmt* TreeBuilder::expression_or_assign(MlcParser::AssignmentContext* context) {
  size_t count = context->more.size();
  if (count == 0) {
    auto* node = tree_.make<ExprStmt>(span(context));
    node->value = assigned(context->first);
    return node;
  }
  auto* node = tree_.make<Assign>(span(context));
  auto targets = array<const Expr*>(count);
  for (size_t i = 0; i < count; ++i) {
    Expr* target = assigned(i == 0 ? context->first : context->more[i - 1]);
    set_target(target, Context::kStore);
    targets[i] = target;
  }
  node->targets = targets;
  node->value = assigned(context->more.back());
  return node;
}

namespace {

// `+` of `+=`.
BinOperator augmented(std::string_view sign) {
  size_t op = 0;
  while (spelling(static_cast<BinOperator>(op)) != sign.substr(0, sign.size() - 1)) ++op;
  return static_cast<BinOperator>(op);
}

bool is_single_target(const Expr* expr) {
  return expr->kind == ExprKind::kName || expr->kind == ExprKind::kAttribute ||
         expr->kind == ExprKind::kSubscript;
}

}  // namespace

const Stmt* TreeBuilder::assignment(MlcParser::AssignmentContext* context) {
  if (context->colon == nullptr && context->op == nullptr) return expression_or_assign(context);
  Expr* target = assigned(context->first);
  if (!is_single_target(target)) {
    if (target->kind != ExprKind::kTuple && target->kind != ExprKind::kList)
      set_target(target, Context::kStore);
    fail(target->span, context->colon != nullptr
                           ? "only a single target can be annotated"
                           : fmt::format("`{}` needs a single target", text_of(context->op)));
  }
  set_target(target, Context::kStore);
  if (context->colon != nullptr) {
    auto* node = tree_.make<AnnAssign>(span(context));
    node->target = target;
    node->annotation = expression(context->annotation, kPlain);
    if (context->value != nullptr) node->value = assigned(context->value);
    node->simple = target->kind == ExprKind::kName && context->first->start->getType() == MlcParser::NAME;
    return node;
  }
  auto* node = tree_.make<AugAssign>(span(context));
  node->target = target;
  node->op = augmented(text_of(context->op));
  node->op_span = span(context->op);
  node->value = assigned(context->value);
  return node;
}

// The text of `a.b.c`, without the spaces that may stand around the dots.
std::string_view TreeBuilder::dotted(MlcParser::DottedNameContext* context) {
  ir::Span whole = span(context);
  size_t length = context->parts.size() - 1;
  for (const antlr4::Token* part : context->parts) length += text_of(part).size();
  if (length == whole.end - whole.begin) return keep_text(text_.substr(whole.begin, length));
  std::string joined;
  for (const antlr4::Token* part : context->parts) {
    if (!joined.empty()) joined += '.';
    joined += text_of(part);
  }
  return keep_text(joined);
}

const Stmt* TreeBuilder::import_statement(MlcParser::ImportStatementContext* context) {
  auto* node = tree_.make<Import>(span(context));
  node->names = nodes<Alias>(context->modules, [&](MlcParser::ImportedModuleContext* item, Alias* alias) {
    alias->name = dotted(item->module);
    alias->first = symbol(item->module->parts[0]);
    alias->name_span = span(item->module);
    if (item->alias != nullptr) alias->asname = symbol(item->alias);
  });
  return node;
}

const Stmt* TreeBuilder::from_statement(MlcParser::FromStatementContext* context) {
  auto* node = tree_.make<ImportFrom>(span(context));
  for (const antlr4::Token* dots : context->dots) node->level += static_cast<uint32_t>(text_of(dots).size());
  if (context->module != nullptr) {
    node->module = dotted(context->module);
    node->module_span = span(context->module);
  } else if (node->level == 0) {
    fail(span(context->start), "expected a module after `from`");
  }
  if (context->star != nullptr) {
    if (!inside_.module && !piecewise_) {
      fail(span(context->star), "`import *` stands at the top level of a file only",
           "import the names one by one");
    }
    auto* alias = tree_.make<Alias>();
    alias->span = alias->name_span = span(context->star);
    alias->name = "*";
    node->names = keep<Alias>({alias});
    return node;
  }
  node->names = nodes<Alias>(context->names, [&](MlcParser::ImportedNameContext* item, Alias* alias) {
    alias->first = symbol(item->name);
    alias->name = alias->first.str();
    alias->name_span = span(item->name);
    if (item->alias != nullptr) alias->asname = symbol(item->alias);
  });
  return node;
}

const Stmt* TreeBuilder::scope_statement(MlcParser::ScopeStatementContext* context) {
  auto names = array<Symbol>(context->names.size());
  for (size_t i = 0; i < names.size(); ++i) names[i] = symbol(context->names[i]);
  if (context->keyword->getType() == MlcParser::GLOBAL) {
    auto* node = tree_.make<Global>(span(context));
    node->names = names;
    return node;
  }
  if (inside_.module && !piecewise_) fail(span(context->start), "`nonlocal` outside of a function");
  auto* node = tree_.make<Nonlocal>(span(context));
  node->names = names;
  return node;
}

// ---- compound statements ----

const Stmt* TreeBuilder::compound_statement(MlcParser::StatementContext* context) {
  if (context->branch != nullptr) return if_statement(context->branch);
  if (context->loop != nullptr) return for_statement(context->loop);
  if (context->scope != nullptr) return with_statement(context->scope);
  if (context->function != nullptr) return function(context->function, {});
  if (context->definition != nullptr) return decorated(context->definition);
  if (context->type != nullptr) return class_definition(context->type, {});
  if (context->repetition != nullptr) return while_statement(context->repetition);
  return try_statement(context->guarded);
}

const Stmt* TreeBuilder::if_statement(MlcParser::IfStatementContext* context) {
  size_t count = context->tests.size();
  if (count > kMaxHeight) {
    throw ir::refuse(refusals["too-deep"], kMaxHeight).at(span(context->tests[kMaxHeight]));
  }
  uint32_t end = statement_end(context);
  std::vector<If*> branches;
  branches.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    // An `elif` is an If of its own that starts at its keyword, the token before its condition.
    uint32_t keyword = source_token(context->tests[i]->start).index - 1;
    auto* node = tree_.make<If>(ir::Span{tree_.file, tokens_.at(keyword).begin, end});
    node->test = expression(context->tests[i], kWalrus);
    node->body = block(context->blocks[i]);
    branches.push_back(node);
  }
  if (context->otherwise != nullptr) branches.back()->orelse = block(context->otherwise);
  for (size_t i = 0; i + 1 < count; ++i) branches[i]->orelse = keep<Stmt>({branches[i + 1]});
  return branches[0];
}

const Stmt* TreeBuilder::for_statement(MlcParser::ForStatementContext* context) {
  auto* node = tree_.make<For>(statement_span(context));
  node->target = target_list(context->targets, Context::kStore);
  node->iter = expression_list(context->iterable);
  node->body = loop_body(context->body);
  if (context->otherwise != nullptr) node->orelse = block(context->otherwise);
  return node;
}

const Stmt* TreeBuilder::while_statement(MlcParser::WhileStatementContext* context) {
  auto* node = tree_.make<While>(statement_span(context));
  node->test = expression(context->test, kWalrus);
  node->body = loop_body(context->body);
  if (context->otherwise != nullptr) node->orelse = block(context->otherwise);
  return node;
}

const Stmt* TreeBuilder::with_statement(MlcParser::WithStatementContext* context) {
  auto* node = tree_.make<With>(statement_span(context));
  node->items = nodes<WithItem>(context->items, [&](MlcParser::WithItemContext* part, WithItem* item) {
    item->context_expr = expression(part->context, kPlain);
    if (part->target != nullptr) item->optional_vars = target_operand(part->target, Context::kStore);
  });
  node->body = block(context->body);
  return node;
}

const Stmt* TreeBuilder::try_statement(MlcParser::TryStatementContext* context) {
  auto* node = tree_.make<Try>(statement_span(context));
  if (!piecewise_) {
    if (context->handlers.empty() && context->ending == nullptr) {
      fail(span(context->start), "this `try` has neither `except` nor `finally`");
    }
    if (context->handlers.empty() && context->otherwise != nullptr) {
      fail(span(context->start), "this `try` has an `else` but no `except`");
    }
  }
  node->body = block(context->body);
  node->handlers = each<ExceptHandler>(context->handlers, [&](MlcParser::ExceptClauseContext* clause) {
    if (clause->type == nullptr && clause != context->handlers.back()) {
      fail(span(clause->start), "an `except` without a class catches everything and must be the last");
    }
    if (clause->type != nullptr && clause->type->start->getType() == MlcParser::STAR) {
      throw ir::Error("left-out", "`except*` and groups of exceptions are not part of the language")
          .at(span(clause->type->start))
          .kind("SyntaxError")
          .help("`except` takes a class or a tuple of classes");
    }
    auto* handler = tree_.make<ExceptHandler>();
    handler->span = statement_span(clause);
    if (clause->type != nullptr) handler->type = expression(clause->type, kPlain);
    if (clause->name != nullptr) {
      handler->name = symbol(clause->name);
      handler->name_span = span(clause->name);
    }
    handler->body = block(clause->body);
    return handler;
  });
  if (context->otherwise != nullptr) node->orelse = block(context->otherwise);
  if (context->ending != nullptr) node->finalbody = block(context->ending);
  return node;
}

// The end of the last token that is text: a block's own last tokens are the ends of lines and blocks.
uint32_t TreeBuilder::statement_end(const antlr4::ParserRuleContext* context) const {
  uint32_t last = source_token(context->stop).index;
  auto layout = [&](size_t type) {
    return type == MlcParser::NEWLINE || type == MlcParser::DEDENT || type == MlcParser::INDENT;
  };
  while (last > 0 && layout(tokens_.at(last).type)) --last;
  return tokens_.at(last).end;
}

ir::Span TreeBuilder::statement_span(const antlr4::ParserRuleContext* context) const {
  return {tree_.file, source_token(context->start).begin, statement_end(context)};
}

}  // namespace mlc::syntax
