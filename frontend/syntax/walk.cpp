// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/walk.h"

#include <concepts>

#include "frontend/syntax/fields.h"

namespace mlc::syntax {

namespace {

// What lies below a node, in the order of its fields, except where the text has another order.
class Walker {
 public:
  explicit Walker(Visitor& visitor) : visitor_(visitor) {}

  Walker& operator()(std::string_view, const auto& field) {
    one(field);
    return *this;
  }
  template <class T>
  void operator()(const T& node) {
    if constexpr (requires { in_order(node); }) {
      in_order(node);
    } else {
      read_fields(*this, node);
    }
  }

 private:
  void in_order(const IfExp& e) {
    one(e.body);
    one(e.test);
    one(e.orelse);
  }
  void in_order(const Dict& e) {
    for (size_t i = 0; i < e.values.size(); ++i) {
      one(e.keys[i]);
      one(e.values[i]);
    }
  }
  void in_order(const FunctionDef& s) {
    one(s.decorators);
    one(s.type_params);
    one(s.args);
    one(s.returns);
    one(s.body);
  }
  void in_order(const ClassDef& s) {
    one(s.decorators);
    one(s.type_params);
    one(s.bases);
    one(s.keywords);
    one(s.body);
  }
  void in_order(const Arguments& a) {
    size_t first_default = a.posonlyargs.size() + a.args.size() - a.defaults.size();
    size_t index = 0;
    auto parameter = [&](const Arg* arg, const Expr* value) {
      if (arg == nullptr) return;
      visitor_.parameter(*arg);
      one(arg->annotation);
      one(value);
    };
    for (Seq<Arg> list : {a.posonlyargs, a.args}) {
      for (const Arg* arg : list) {
        parameter(arg, index >= first_default ? a.defaults[index - first_default] : nullptr);
        ++index;
      }
    }
    parameter(a.vararg, nullptr);
    for (size_t i = 0; i < a.kwonlyargs.size(); ++i) parameter(a.kwonlyargs[i], a.kw_defaults[i]);
    parameter(a.kwarg, nullptr);
  }

  template <class T>
  void one(const T* node) {
    if constexpr (std::derived_from<T, Expr>) {
      walk(static_cast<const Expr*>(node), visitor_);
    } else if constexpr (std::same_as<T, Stmt>) {
      walk(node, visitor_);
    } else if (node != nullptr) {
      (*this)(*node);
    }
  }
  template <class T>
  void one(Seq<T> nodes) {
    for (const T* node : nodes) one(node);
  }
  // Operators, names, spans and numbers have nothing below them.
  template <class T>
  requires(!std::is_pointer_v<T>)
  void one(const T&) {}

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
