// SPDX-License-Identifier: Apache-2.0
// The first walk over a function: which names it binds, uses, and lends to the functions inside it.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "frontend/script/core/resolve.h"

namespace mlc::script {

using SymbolSet = std::unordered_set<Symbol>;

// Calls `visit` for the names that a target binds.
template <class F>
void each_target(const syntax::Expr* target, F&& visit) {
  switch (target->kind) {
    case syntax::ExprKind::kName:
      visit(static_cast<const syntax::Name&>(*target));
      break;
    case syntax::ExprKind::kStarred:
      each_target(static_cast<const syntax::Starred*>(target)->value, visit);
      break;
    case syntax::ExprKind::kTuple:
      for (const syntax::Expr* e : static_cast<const syntax::Tuple*>(target)->elts) each_target(e, visit);
      break;
    case syntax::ExprKind::kList:
      for (const syntax::Expr* e : static_cast<const syntax::List*>(target)->elts) each_target(e, visit);
      break;
    default:
      break;
  }
}

// Gathers what one function binds, uses, and lends to the functions inside it.
class Collector {
 public:
  explicit Collector(Resolver& resolver) : resolver_(resolver) {}

  NameList bound_order;
  SymbolSet bound, used, inner_free, globals, nonlocals;
  uint32_t yields = 0;   // how many
  bool rebinds = false;  // with `:=`, inside an expression
  // Names that `:=` binds inside a comprehension: they belong to the function around it.
  NameList rebound;

  void bind(Symbol name) {
    if (bound.insert(name).second) bound_order.push_back(name);
  }
  void parameters(const syntax::Arguments& args) {
    for (const syntax::Arg* a : args.posonlyargs) bind(a->name);
    for (const syntax::Arg* a : args.args) bind(a->name);
    for (const syntax::Arg* a : args.kwonlyargs) bind(a->name);
    if (args.vararg != nullptr) bind(args.vararg->name);
    if (args.kwarg != nullptr) bind(args.kwarg->name);
  }
  void statements(syntax::Seq<syntax::Stmt> body) {
    for (const syntax::Stmt* s : body) statement(s);
  }
  // Free names of the whole function: from around it.
  NameList free() const {
    SymbolSet all = used;
    all.insert(inner_free.begin(), inner_free.end());
    NameList result;
    for (Symbol s : all) {
      if ((!bound.contains(s) || nonlocals.contains(s)) && !globals.contains(s)) result.push_back(s);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  void statement(const syntax::Stmt* stmt) {
    switch (stmt->kind) {
      case syntax::StmtKind::kFunctionDef: {
        auto* def = static_cast<const syntax::FunctionDef*>(stmt);
        bind(def->name);
        around(*def);
        inner(function_free(*def));
        break;
      }
      case syntax::StmtKind::kClassDef: {
        auto* def = static_cast<const syntax::ClassDef*>(stmt);
        bind(def->name);
        for (const syntax::Expr* e : def->decorators) expression(e);
        for (const syntax::Expr* e : def->bases) expression(e);
        for (const syntax::Keyword* k : def->keywords) expression(k->value);
        // The body looks names up as it runs, its functions skip it: everything it mentions is taken from
        // here.
        Collector body(resolver_);
        body.statements(def->body);
        inner_free.insert(body.used.begin(), body.used.end());
        inner_free.insert(body.inner_free.begin(), body.inner_free.end());
        break;
      }
      case syntax::StmtKind::kReturn:
        expression(static_cast<const syntax::Return*>(stmt)->value);
        break;
      case syntax::StmtKind::kDelete:
        for (const syntax::Expr* e : static_cast<const syntax::Delete*>(stmt)->targets) target(e);
        break;
      case syntax::StmtKind::kAssign: {
        auto* assign = static_cast<const syntax::Assign*>(stmt);
        expression(assign->value);
        for (const syntax::Expr* e : assign->targets) target(e);
        break;
      }
      case syntax::StmtKind::kAugAssign: {
        auto* assign = static_cast<const syntax::AugAssign*>(stmt);
        expression(assign->value);
        target(assign->target);
        break;
      }
      case syntax::StmtKind::kAnnAssign: {
        auto* assign = static_cast<const syntax::AnnAssign*>(stmt);
        expression(assign->value);
        target(assign->target);
        break;
      }
      case syntax::StmtKind::kFor: {
        auto* loop = static_cast<const syntax::For*>(stmt);
        target(loop->target);
        expression(loop->iter);
        statements(loop->body);
        statements(loop->orelse);
        break;
      }
      case syntax::StmtKind::kWhile: {
        auto* loop = static_cast<const syntax::While*>(stmt);
        expression(loop->test);
        statements(loop->body);
        statements(loop->orelse);
        break;
      }
      case syntax::StmtKind::kIf: {
        auto* branch = static_cast<const syntax::If*>(stmt);
        expression(branch->test);
        statements(branch->body);
        statements(branch->orelse);
        break;
      }
      case syntax::StmtKind::kWith: {
        auto* with = static_cast<const syntax::With*>(stmt);
        for (const syntax::WithItem* item : with->items) {
          expression(item->context_expr);
          if (item->optional_vars != nullptr) target(item->optional_vars);
        }
        statements(with->body);
        break;
      }
      case syntax::StmtKind::kRaise:
        expression(static_cast<const syntax::Raise*>(stmt)->exc);
        expression(static_cast<const syntax::Raise*>(stmt)->cause);
        break;
      case syntax::StmtKind::kTry: {
        auto* attempt = static_cast<const syntax::Try*>(stmt);
        statements(attempt->body);
        for (const syntax::ExceptHandler* handler : attempt->handlers) {
          expression(handler->type);
          if (handler->name) bind(handler->name);
          statements(handler->body);
        }
        statements(attempt->orelse);
        statements(attempt->finalbody);
        break;
      }
      case syntax::StmtKind::kAssert:
        expression(static_cast<const syntax::Assert*>(stmt)->test);
        expression(static_cast<const syntax::Assert*>(stmt)->msg);
        break;
      case syntax::StmtKind::kImport:
        for (const syntax::Alias* a : static_cast<const syntax::Import*>(stmt)->names)
          bind(a->asname ? a->asname : a->first);
        break;
      case syntax::StmtKind::kImportFrom:
        for (const syntax::Alias* a : static_cast<const syntax::ImportFrom*>(stmt)->names) {
          if (a->name != "*") bind(a->asname ? a->asname : a->first);
        }
        break;
      case syntax::StmtKind::kGlobal:
        for (Symbol s : static_cast<const syntax::Global*>(stmt)->names) globals.insert(s);
        break;
      case syntax::StmtKind::kNonlocal:
        for (Symbol s : static_cast<const syntax::Nonlocal*>(stmt)->names) {
          nonlocals.insert(s);
          use(s);
        }
        break;
      case syntax::StmtKind::kExprStmt:
        expression(static_cast<const syntax::ExprStmt*>(stmt)->value);
        break;
      case syntax::StmtKind::kPass:
      case syntax::StmtKind::kBreak:
      case syntax::StmtKind::kContinue:
        break;
    }
  }

  void target(const syntax::Expr* expr) {
    switch (expr->kind) {
      case syntax::ExprKind::kName:
        bind(static_cast<const syntax::Name*>(expr)->id);
        break;
      case syntax::ExprKind::kStarred:
        target(static_cast<const syntax::Starred*>(expr)->value);
        break;
      case syntax::ExprKind::kTuple:
        for (const syntax::Expr* e : static_cast<const syntax::Tuple*>(expr)->elts) target(e);
        break;
      case syntax::ExprKind::kList:
        for (const syntax::Expr* e : static_cast<const syntax::List*>(expr)->elts) target(e);
        break;
      default:
        expression(expr);
        break;
    }
  }

  void expression(const syntax::Expr* expr) {
    if (expr == nullptr) return;
    switch (expr->kind) {
      case syntax::ExprKind::kBoolOp:
        expressions(static_cast<const syntax::BoolOp*>(expr)->values);
        break;
      case syntax::ExprKind::kNamedExpr: {
        auto* named = static_cast<const syntax::NamedExpr*>(expr);
        expression(named->value);
        rebind(named->target->id);
        rebinds = true;
        break;
      }
      case syntax::ExprKind::kBinOp:
        expression(static_cast<const syntax::BinOp*>(expr)->left);
        expression(static_cast<const syntax::BinOp*>(expr)->right);
        break;
      case syntax::ExprKind::kUnaryOp:
        expression(static_cast<const syntax::UnaryOp*>(expr)->operand);
        break;
      case syntax::ExprKind::kLambda: {
        auto* lambda = static_cast<const syntax::Lambda*>(expr);
        defaults(*lambda->args);
        inner(lambda_free(*lambda));
        break;
      }
      case syntax::ExprKind::kIfExp: {
        auto* choice = static_cast<const syntax::IfExp*>(expr);
        expression(choice->test);
        expression(choice->body);
        expression(choice->orelse);
        break;
      }
      case syntax::ExprKind::kDict:
        expressions(static_cast<const syntax::Dict*>(expr)->keys);
        expressions(static_cast<const syntax::Dict*>(expr)->values);
        break;
      case syntax::ExprKind::kSet:
        expressions(static_cast<const syntax::Set*>(expr)->elts);
        break;
      case syntax::ExprKind::kListComp: {
        auto* c = static_cast<const syntax::ListComp*>(expr);
        comprehension(c->generators, c->elt, nullptr);
        break;
      }
      case syntax::ExprKind::kSetComp: {
        auto* c = static_cast<const syntax::SetComp*>(expr);
        comprehension(c->generators, c->elt, nullptr);
        break;
      }
      case syntax::ExprKind::kDictComp: {
        auto* c = static_cast<const syntax::DictComp*>(expr);
        comprehension(c->generators, c->key, c->value);
        break;
      }
      case syntax::ExprKind::kGeneratorExp: {
        auto* c = static_cast<const syntax::GeneratorExp*>(expr);
        expression(c->generators[0]->iter);
        inner(generator_free(*c));
        for (Symbol name : resolver_.rebound_[c]) rebind(name);
        break;
      }
      case syntax::ExprKind::kYield:
        ++yields;
        expression(static_cast<const syntax::Yield*>(expr)->value);
        break;
      case syntax::ExprKind::kYieldFrom:
        ++yields;
        expression(static_cast<const syntax::YieldFrom*>(expr)->value);
        break;
      case syntax::ExprKind::kCompare:
        expression(static_cast<const syntax::Compare*>(expr)->left);
        expressions(static_cast<const syntax::Compare*>(expr)->comparators);
        break;
      case syntax::ExprKind::kCall: {
        auto* call = static_cast<const syntax::Call*>(expr);
        expression(call->func);
        expressions(call->args);
        for (const syntax::Keyword* k : call->keywords) expression(k->value);
        break;
      }
      case syntax::ExprKind::kFormattedValue:
        expression(static_cast<const syntax::FormattedValue*>(expr)->value);
        expression(static_cast<const syntax::FormattedValue*>(expr)->format_spec);
        break;
      case syntax::ExprKind::kJoinedStr:
        expressions(static_cast<const syntax::JoinedStr*>(expr)->values);
        break;
      case syntax::ExprKind::kConstant:
        break;
      case syntax::ExprKind::kAttribute:
        expression(static_cast<const syntax::Attribute*>(expr)->value);
        break;
      case syntax::ExprKind::kSubscript:
        expression(static_cast<const syntax::Subscript*>(expr)->value);
        expression(static_cast<const syntax::Subscript*>(expr)->slice);
        break;
      case syntax::ExprKind::kStarred:
        expression(static_cast<const syntax::Starred*>(expr)->value);
        break;
      case syntax::ExprKind::kName:
        use(static_cast<const syntax::Name*>(expr)->id);
        break;
      case syntax::ExprKind::kList:
        expressions(static_cast<const syntax::List*>(expr)->elts);
        break;
      case syntax::ExprKind::kTuple:
        expressions(static_cast<const syntax::Tuple*>(expr)->elts);
        break;
      case syntax::ExprKind::kSlice:
        expression(static_cast<const syntax::Slice*>(expr)->lower);
        expression(static_cast<const syntax::Slice*>(expr)->upper);
        expression(static_cast<const syntax::Slice*>(expr)->step);
        break;
    }
  }

  const NameList& function_free(const syntax::FunctionDef& def) {
    auto found = resolver_.free_.find(&def);
    if (found != resolver_.free_.end()) return found->second;
    Collector body(resolver_);
    body.parameters(*def.args);
    for (const syntax::TypeParam* p : def.type_params) body.bind(p->name);
    body.statements(def.body);
    return resolver_.free_[&def] = body.free();
  }
  const NameList& lambda_free(const syntax::Lambda& lambda) {
    auto found = resolver_.free_.find(&lambda);
    if (found != resolver_.free_.end()) return found->second;
    Collector body(resolver_);
    body.parameters(*lambda.args);
    body.expression(lambda.body);
    return resolver_.free_[&lambda] = body.free();
  }
  const NameList& generator_free(const syntax::GeneratorExp& generator) {
    auto found = resolver_.free_.find(&generator);
    if (found != resolver_.free_.end()) return found->second;
    Collector body(resolver_);
    body.function_of(generator.generators, generator.elt, nullptr);
    resolver_.rebound_[&generator] = body.rebound;
    return resolver_.free_[&generator] = body.free();
  }
  // A comprehension as a function of its own; the first iterable is its argument.
  void function_of(syntax::Seq<syntax::Comprehension> generators, const syntax::Expr* a,
                   const syntax::Expr* b) {
    of_comprehension_ = true;
    bool first = true;
    for (const syntax::Comprehension* c : generators) {
      if (!first) expression(c->iter);
      first = false;
      target(c->target);
      expressions(c->ifs);
    }
    expression(a);
    expression(b);
  }

 private:
  void rebind(Symbol name) {
    if (!of_comprehension_) return bind(name);
    used.insert(name);
    rebound.push_back(name);
  }
  void use(Symbol name) {
    for (const SymbolSet& scope : comprehensions_) {
      if (scope.contains(name)) return;
    }
    used.insert(name);
  }
  void inner(const NameList& names) {
    for (Symbol name : names) {
      bool own = false;
      for (const SymbolSet& scope : comprehensions_) own = own || scope.contains(name);
      if (!own) inner_free.insert(name);
    }
  }
  template <class T>
  void expressions(syntax::Seq<T> list) {
    for (const syntax::Expr* e : list) expression(e);
  }
  void defaults(const syntax::Arguments& args) {
    expressions(args.defaults);
    expressions(args.kw_defaults);
  }
  // What is evaluated outside of the function: decorators, defaults, annotations (of hooked definitions).
  void around(const syntax::FunctionDef& def) {
    for (const syntax::Expr* e : def.decorators) expression(e);
    defaults(*def.args);
    auto annotation = [&](const syntax::Arg* a) {
      if (a != nullptr && a->annotation != nullptr) {
        Collector quiet(resolver_);
        quiet.expression(a->annotation);
        inner_free.insert(quiet.used.begin(), quiet.used.end());
      }
    };
    for (const syntax::Arg* a : def.args->posonlyargs) annotation(a);
    for (const syntax::Arg* a : def.args->args) annotation(a);
    for (const syntax::Arg* a : def.args->kwonlyargs) annotation(a);
  }
  void comprehension(syntax::Seq<syntax::Comprehension> generators, const syntax::Expr* a,
                     const syntax::Expr* b) {
    expression(generators[0]->iter);
    SymbolSet scope;
    for (const syntax::Comprehension* c : generators) {
      each_target(c->target, [&](const syntax::Name& name) { scope.insert(name.id); });
    }
    comprehensions_.push_back(std::move(scope));
    bool first = true;
    for (const syntax::Comprehension* c : generators) {
      if (!first) expression(c->iter);
      first = false;
      expressions(c->ifs);
    }
    expression(a);
    expression(b);
    comprehensions_.pop_back();
  }

  Resolver& resolver_;
  std::vector<SymbolSet> comprehensions_;
  bool of_comprehension_ = false;
};

}  // namespace mlc::script
