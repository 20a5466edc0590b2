// SPDX-License-Identifier: Apache-2.0
// The fields of every node of the syntax tree, in one order for writing and reading: `io(a, b, ...)` is given
// each as a reference. What the evaluator keeps in a node (mutable words) is left out.
#pragma once

#include "frontend/syntax/ast.h"

namespace mlc::syntax {

// ---- parts ----

template <class Io>
void fields(Io& io, Arg& n) {
  io(n.span, n.name, n.annotation);
}
template <class Io>
void fields(Io& io, Arguments& n) {
  io(n.span, n.posonlyargs, n.args, n.vararg, n.kwonlyargs, n.kw_defaults, n.kwarg, n.defaults);
}
template <class Io>
void fields(Io& io, Keyword& n) {
  io(n.span, n.name, n.name_span, n.value);
}
template <class Io>
void fields(Io& io, Alias& n) {
  io(n.span, n.name, n.asname, n.first, n.name_span);
}
template <class Io>
void fields(Io& io, WithItem& n) {
  io(n.span, n.context_expr, n.optional_vars);
}
template <class Io>
void fields(Io& io, Comprehension& n) {
  io(n.span, n.target, n.iter, n.ifs);
}
template <class Io>
void fields(Io& io, ExceptHandler& n) {
  io(n.span, n.type, n.name, n.name_span, n.body);
}
template <class Io>
void fields(Io& io, TypeParam& n) {
  io(n.span, n.type_kind, n.name, n.bound);
}
template <class Io>
void fields(Io& io, Module& n) {
  io(n.span, n.body);
}

// ---- expressions and statements: kind, span and height are written with the pointer to them ----

template <class Io>
void fields(Io& io, BoolOp& n) {
  io(n.op, n.values);
}
template <class Io>
void fields(Io& io, NamedExpr& n) {
  io(n.target, n.value);
}
template <class Io>
void fields(Io& io, BinOp& n) {
  io(n.op, n.left, n.right, n.op_span);
}
template <class Io>
void fields(Io& io, UnaryOp& n) {
  io(n.op, n.operand);
}
template <class Io>
void fields(Io& io, Lambda& n) {
  io(n.args, n.body);
}
template <class Io>
void fields(Io& io, IfExp& n) {
  io(n.test, n.body, n.orelse);
}
template <class Io>
void fields(Io& io, Dict& n) {
  io(n.keys, n.values);
}
template <class Io>
void fields(Io& io, Set& n) {
  io(n.elts);
}
template <class Io>
void fields(Io& io, ListComp& n) {
  io(n.elt, n.generators);
}
template <class Io>
void fields(Io& io, SetComp& n) {
  io(n.elt, n.generators);
}
template <class Io>
void fields(Io& io, DictComp& n) {
  io(n.key, n.value, n.generators);
}
template <class Io>
void fields(Io& io, GeneratorExp& n) {
  io(n.elt, n.generators);
}
template <class Io>
void fields(Io& io, Yield& n) {
  io(n.value);
}
template <class Io>
void fields(Io& io, YieldFrom& n) {
  io(n.value);
}
template <class Io>
void fields(Io& io, Compare& n) {
  io(n.left, n.ops, n.comparators);
}
template <class Io>
void fields(Io& io, Call& n) {
  io(n.func, n.args, n.keywords);
}
template <class Io>
void fields(Io& io, FormattedValue& n) {
  io(n.value, n.conversion, n.format_spec);
}
template <class Io>
void fields(Io& io, JoinedStr& n) {
  io(n.values);
}
template <class Io>
void fields(Io& io, Constant& n) {
  io(n.type);
  switch (n.type) {
    case Constant::Type::kBool:
      return io(n.boolean);
    case Constant::Type::kInt:
      return io(n.integer);
    case Constant::Type::kFloat:
      return io(n.real);
    case Constant::Type::kStr:
    case Constant::Type::kBytes:
    case Constant::Type::kWideInt:
      return io(n.text);
    case Constant::Type::kNone:
    case Constant::Type::kEllipsis:
      return;
  }
}
template <class Io>
void fields(Io& io, Attribute& n) {
  io(n.value, n.attr, n.attr_span, n.ctx);
}
template <class Io>
void fields(Io& io, Subscript& n) {
  io(n.value, n.slice, n.ctx);
}
template <class Io>
void fields(Io& io, Starred& n) {
  io(n.value, n.ctx);
}
template <class Io>
void fields(Io& io, Name& n) {
  io(n.id, n.ctx);
}
template <class Io>
void fields(Io& io, List& n) {
  io(n.elts, n.ctx);
}
template <class Io>
void fields(Io& io, Tuple& n) {
  io(n.elts, n.ctx);
}
template <class Io>
void fields(Io& io, Slice& n) {
  io(n.lower, n.upper, n.step);
}
template <class Io>
void fields(Io& io, FunctionDef& n) {
  io(n.name, n.name_span, n.args, n.body, n.decorators, n.returns, n.type_params);
}
template <class Io>
void fields(Io& io, ClassDef& n) {
  io(n.name, n.name_span, n.bases, n.keywords, n.body, n.decorators, n.type_params);
}
template <class Io>
void fields(Io& io, Return& n) {
  io(n.value);
}
template <class Io>
void fields(Io& io, Delete& n) {
  io(n.targets);
}
template <class Io>
void fields(Io& io, Assign& n) {
  io(n.targets, n.value);
}
template <class Io>
void fields(Io& io, AugAssign& n) {
  io(n.target, n.op, n.value, n.op_span);
}
template <class Io>
void fields(Io& io, AnnAssign& n) {
  io(n.target, n.annotation, n.value, n.simple);
}
template <class Io>
void fields(Io& io, For& n) {
  io(n.target, n.iter, n.body, n.orelse);
}
template <class Io>
void fields(Io& io, While& n) {
  io(n.test, n.body, n.orelse);
}
template <class Io>
void fields(Io& io, If& n) {
  io(n.test, n.body, n.orelse);
}
template <class Io>
void fields(Io& io, With& n) {
  io(n.items, n.body);
}
template <class Io>
void fields(Io& io, Raise& n) {
  io(n.exc, n.cause);
}
template <class Io>
void fields(Io& io, Try& n) {
  io(n.body, n.handlers, n.orelse, n.finalbody);
}
template <class Io>
void fields(Io& io, Assert& n) {
  io(n.test, n.msg);
}
template <class Io>
void fields(Io& io, Import& n) {
  io(n.names);
}
template <class Io>
void fields(Io& io, ImportFrom& n) {
  io(n.module, n.names, n.level, n.module_span);
}
template <class Io>
void fields(Io& io, Global& n) {
  io(n.names);
}
template <class Io>
void fields(Io& io, Nonlocal& n) {
  io(n.names);
}
template <class Io>
void fields(Io& io, ExprStmt& n) {
  io(n.value);
}
template <class Io>
void fields(Io&, Pass&) {}
template <class Io>
void fields(Io&, Break&) {}
template <class Io>
void fields(Io&, Continue&) {}

}  // namespace mlc::syntax
