// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/walk.h"

namespace mlc::syntax {

namespace {

class Walker {
 public:
  explicit Walker(Visitor& visitor) : visitor_(visitor) {}

  void all(Seq<Expr> exprs) {
    for (const Expr* e : exprs) walk(e, visitor_);
  }
  void keywords(Seq<Keyword> list) {
    for (const Keyword* k : list) walk(k->value, visitor_);
  }
  void arguments(const Arguments& a) {
    size_t first_default = a.posonlyargs.size() + a.args.size() - a.defaults.size();
    size_t index = 0;
    auto one = [&](const Arg* arg, const Expr* value) {
      if (arg == nullptr) return;
      visitor_.parameter(*arg);
      walk(arg->annotation, visitor_);
      walk(value, visitor_);
    };
    for (Seq<Arg> list : {a.posonlyargs, a.args}) {
      for (const Arg* arg : list) {
        one(arg, index >= first_default ? a.defaults[index - first_default] : nullptr);
        ++index;
      }
    }
    one(a.vararg, nullptr);
    for (size_t i = 0; i < a.kwonlyargs.size(); ++i) one(a.kwonlyargs[i], a.kw_defaults[i]);
    one(a.kwarg, nullptr);
  }
  void generators(Seq<Comprehension> list) {
    for (const Comprehension* c : list) {
      walk(c->target, visitor_);
      walk(c->iter, visitor_);
      all(c->ifs);
    }
  }
  void bounds(Seq<TypeParam> list) {
    for (const TypeParam* p : list) walk(p->bound, visitor_);
  }

  // ---- expressions ----
  void operator()(const BoolOp& e) { all(e.values); }
  void operator()(const NamedExpr& e) {
    walk(e.target, visitor_);
    walk(e.value, visitor_);
  }
  void operator()(const BinOp& e) {
    walk(e.left, visitor_);
    walk(e.right, visitor_);
  }
  void operator()(const UnaryOp& e) { walk(e.operand, visitor_); }
  void operator()(const Lambda& e) {
    arguments(*e.args);
    walk(e.body, visitor_);
  }
  void operator()(const IfExp& e) {
    walk(e.body, visitor_);
    walk(e.test, visitor_);
    walk(e.orelse, visitor_);
  }
  void operator()(const Dict& e) {
    for (size_t i = 0; i < e.values.size(); ++i) {
      walk(e.keys[i], visitor_);
      walk(e.values[i], visitor_);
    }
  }
  void operator()(const Set& e) { all(e.elts); }
  void operator()(const ListComp& e) {
    walk(e.elt, visitor_);
    generators(e.generators);
  }
  void operator()(const SetComp& e) {
    walk(e.elt, visitor_);
    generators(e.generators);
  }
  void operator()(const DictComp& e) {
    walk(e.key, visitor_);
    walk(e.value, visitor_);
    generators(e.generators);
  }
  void operator()(const GeneratorExp& e) {
    walk(e.elt, visitor_);
    generators(e.generators);
  }
  void operator()(const Yield& e) { walk(e.value, visitor_); }
  void operator()(const YieldFrom& e) { walk(e.value, visitor_); }
  void operator()(const Compare& e) {
    walk(e.left, visitor_);
    all(e.comparators);
  }
  void operator()(const Call& e) {
    walk(e.func, visitor_);
    all(e.args);
    keywords(e.keywords);
  }
  void operator()(const FormattedValue& e) {
    walk(e.value, visitor_);
    walk(e.format_spec, visitor_);
  }
  void operator()(const JoinedStr& e) { all(e.values); }
  void operator()(const Constant&) {}
  void operator()(const Attribute& e) { walk(e.value, visitor_); }
  void operator()(const Subscript& e) {
    walk(e.value, visitor_);
    walk(e.slice, visitor_);
  }
  void operator()(const Starred& e) { walk(e.value, visitor_); }
  void operator()(const Name&) {}
  void operator()(const List& e) { all(e.elts); }
  void operator()(const Tuple& e) { all(e.elts); }
  void operator()(const Slice& e) {
    walk(e.lower, visitor_);
    walk(e.upper, visitor_);
    walk(e.step, visitor_);
  }

  // ---- statements ----
  void operator()(const FunctionDef& s) {
    all(s.decorators);
    bounds(s.type_params);
    arguments(*s.args);
    walk(s.returns, visitor_);
    walk(s.body, visitor_);
  }
  void operator()(const ClassDef& s) {
    all(s.decorators);
    bounds(s.type_params);
    all(s.bases);
    keywords(s.keywords);
    walk(s.body, visitor_);
  }
  void operator()(const Return& s) { walk(s.value, visitor_); }
  void operator()(const Delete& s) { all(s.targets); }
  void operator()(const Assign& s) {
    all(s.targets);
    walk(s.value, visitor_);
  }
  void operator()(const AugAssign& s) {
    walk(s.target, visitor_);
    walk(s.value, visitor_);
  }
  void operator()(const AnnAssign& s) {
    walk(s.target, visitor_);
    walk(s.annotation, visitor_);
    walk(s.value, visitor_);
  }
  void operator()(const For& s) {
    walk(s.target, visitor_);
    walk(s.iter, visitor_);
    walk(s.body, visitor_);
    walk(s.orelse, visitor_);
  }
  void operator()(const While& s) {
    walk(s.test, visitor_);
    walk(s.body, visitor_);
    walk(s.orelse, visitor_);
  }
  void operator()(const If& s) {
    walk(s.test, visitor_);
    walk(s.body, visitor_);
    walk(s.orelse, visitor_);
  }
  void operator()(const With& s) {
    for (const WithItem* item : s.items) {
      walk(item->context_expr, visitor_);
      walk(item->optional_vars, visitor_);
    }
    walk(s.body, visitor_);
  }
  void operator()(const Raise& s) {
    walk(s.exc, visitor_);
    walk(s.cause, visitor_);
  }
  void operator()(const Try& s) {
    walk(s.body, visitor_);
    for (const ExceptHandler* handler : s.handlers) {
      walk(handler->type, visitor_);
      walk(handler->body, visitor_);
    }
    walk(s.orelse, visitor_);
    walk(s.finalbody, visitor_);
  }
  void operator()(const Assert& s) {
    walk(s.test, visitor_);
    walk(s.msg, visitor_);
  }
  void operator()(const Import&) {}
  void operator()(const ImportFrom&) {}
  void operator()(const Global&) {}
  void operator()(const Nonlocal&) {}
  void operator()(const ExprStmt& s) { walk(s.value, visitor_); }
  void operator()(const Pass&) {}
  void operator()(const Break&) {}
  void operator()(const Continue&) {}

 private:
  Visitor& visitor_;
};

}  // namespace

void walk(const Expr* expr, Visitor& visitor) {
  if (expr != nullptr && visitor.enter(*expr)) dispatch(expr, Walker(visitor));
}
void walk(const Stmt* stmt, Visitor& visitor) {
  if (visitor.enter(*stmt)) dispatch(stmt, Walker(visitor));
  visitor.leave(*stmt);
}
void walk(Seq<Stmt> stmts, Visitor& visitor) {
  for (const Stmt* stmt : stmts) walk(stmt, visitor);
}

}  // namespace mlc::syntax
