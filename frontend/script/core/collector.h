// SPDX-License-Identifier: Apache-2.0
// The first walk over a function: which names it binds, uses, and lends to the functions inside it.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "frontend/script/core/resolve.h"
#include "frontend/syntax/walk.h"

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
class Collector final : public syntax::Visitor {
 public:
  explicit Collector(Resolver& resolver) : resolver_(resolver) {}

  NameList bound_order;
  SymbolSet bound, used, inner_free, globals, nonlocals;
  bool yields = false;
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
  void statements(syntax::Seq<syntax::Stmt> body) { syntax::walk(body, *this); }
  void expression(const syntax::Expr* expr) { syntax::walk(expr, *this); }
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

  bool enter(const syntax::Stmt& stmt) override {
    switch (stmt.kind) {
      case syntax::StmtKind::kFunctionDef: {
        auto& def = static_cast<const syntax::FunctionDef&>(stmt);
        bind(def.name);
        around(def);
        inner(function_free(def));
        return false;
      }
      case syntax::StmtKind::kClassDef: {
        auto& def = static_cast<const syntax::ClassDef&>(stmt);
        bind(def.name);
        expressions(def.decorators);
        expressions(def.bases);
        for (const syntax::Keyword* k : def.keywords) expression(k->value);
        // The body looks names up as it runs, its functions skip it: everything it mentions is taken from
        // here.
        Collector body(resolver_);
        body.statements(def.body);
        inner_free.insert(body.used.begin(), body.used.end());
        inner_free.insert(body.inner_free.begin(), body.inner_free.end());
        return false;
      }
      case syntax::StmtKind::kAnnAssign: {  // annotations look their names up as they are evaluated
        auto& assign = static_cast<const syntax::AnnAssign&>(stmt);
        expression(assign.target);
        expression(assign.value);
        return false;
      }
      case syntax::StmtKind::kTry:
        for (const syntax::ExceptHandler* handler : static_cast<const syntax::Try&>(stmt).handlers)
          if (handler->name) bind(handler->name);
        return true;
      case syntax::StmtKind::kImport:
        for (const syntax::Alias* a : static_cast<const syntax::Import&>(stmt).names)
          bind(a->asname ? a->asname : a->first);
        return true;
      case syntax::StmtKind::kImportFrom:
        for (const syntax::Alias* a : static_cast<const syntax::ImportFrom&>(stmt).names)
          if (a->name != "*") bind(a->asname ? a->asname : a->first);
        return true;
      case syntax::StmtKind::kGlobal:
        for (Symbol s : static_cast<const syntax::Global&>(stmt).names) globals.insert(s);
        return true;
      case syntax::StmtKind::kNonlocal:
        for (Symbol s : static_cast<const syntax::Nonlocal&>(stmt).names) {
          nonlocals.insert(s);
          use(s);
        }
        return true;
      default:
        return true;
    }
  }

  bool enter(const syntax::Expr& expr) override {
    switch (expr.kind) {
      case syntax::ExprKind::kName: {
        auto& name = static_cast<const syntax::Name&>(expr);
        name.ctx == syntax::Context::kLoad ? use(name.id) : bind(name.id);
        return false;
      }
      case syntax::ExprKind::kNamedExpr: {
        auto& named = static_cast<const syntax::NamedExpr&>(expr);
        expression(named.value);
        rebind(named.target->id);
        rebinds = true;
        return false;
      }
      case syntax::ExprKind::kLambda: {
        auto& lambda = static_cast<const syntax::Lambda&>(expr);
        defaults(*lambda.args);
        inner(lambda_free(lambda));
        return false;
      }
      case syntax::ExprKind::kListComp: {
        auto& c = static_cast<const syntax::ListComp&>(expr);
        comprehension(c.generators, c.elt, nullptr);
        return false;
      }
      case syntax::ExprKind::kSetComp: {
        auto& c = static_cast<const syntax::SetComp&>(expr);
        comprehension(c.generators, c.elt, nullptr);
        return false;
      }
      case syntax::ExprKind::kDictComp: {
        auto& c = static_cast<const syntax::DictComp&>(expr);
        comprehension(c.generators, c.key, c.value);
        return false;
      }
      case syntax::ExprKind::kGeneratorExp: {
        auto& c = static_cast<const syntax::GeneratorExp&>(expr);
        expression(c.generators[0]->iter);
        inner(generator_free(c));
        for (Symbol name : resolver_.rebound_[&c]) rebind(name);
        return false;
      }
      case syntax::ExprKind::kYield:
      case syntax::ExprKind::kYieldFrom:
        yields = true;
        return true;
      default:
        return true;
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
      expression(c->target);
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
