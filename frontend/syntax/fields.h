// SPDX-License-Identifier: Apache-2.0
// The fields of every node of the syntax tree, once: what freezes, dumps and walks trees are visitors of
// them. `io` is called with each field's name and a reference to it; the names and their order are those of
// Python's `ast`, and what that has not comes last, without a name. What the evaluator keeps in a node
// (mutable words) is left out.
#pragma once

#include <concepts>

#include "frontend/syntax/ast.h"

namespace mlc::syntax {

// What a field may point at that has one kind only: its pointer needs no more than whether it is there.
template <class T>
concept Part = !std::same_as<T, Expr> && !std::same_as<T, Stmt>;

// ---- parts ----

void fields(auto& io, Arg& n) { io("arg", n.name)("annotation", n.annotation); }
void fields(auto& io, Arguments& n) {
  io("posonlyargs", n.posonlyargs)("args", n.args)("vararg", n.vararg)("kwonlyargs", n.kwonlyargs);
  io("kw_defaults", n.kw_defaults)("kwarg", n.kwarg)("defaults", n.defaults);
}
void fields(auto& io, Keyword& n) { io("arg", n.name)("value", n.value)("", n.name_span); }
void fields(auto& io, Alias& n) { io("name", n.name)("asname", n.asname)("", n.first)("", n.name_span); }
void fields(auto& io, WithItem& n) { io("context_expr", n.context_expr)("optional_vars", n.optional_vars); }
void fields(auto& io, Comprehension& n) { io("target", n.target)("iter", n.iter)("ifs", n.ifs); }
void fields(auto& io, ExceptHandler& n) {
  io("type", n.type)("name", n.name)("body", n.body)("", n.name_span);
}
void fields(auto& io, TypeParam& n) { io("name", n.name)("bound", n.bound)("", n.type_kind); }
void fields(auto& io, Module& n) { io("body", n.body); }

// ---- expressions ----

void fields(auto& io, BoolOp& n) { io("op", n.op)("values", n.values); }
void fields(auto& io, NamedExpr& n) { io("target", n.target)("value", n.value); }
void fields(auto& io, BinOp& n) { io("left", n.left)("op", n.op)("right", n.right)("", n.op_span); }
void fields(auto& io, UnaryOp& n) { io("op", n.op)("operand", n.operand); }
void fields(auto& io, Lambda& n) { io("args", n.args)("body", n.body); }
void fields(auto& io, IfExp& n) { io("test", n.test)("body", n.body)("orelse", n.orelse); }
void fields(auto& io, Dict& n) { io("keys", n.keys)("values", n.values); }
void fields(auto& io, Set& n) { io("elts", n.elts); }
void fields(auto& io, ListComp& n) { io("elt", n.elt)("generators", n.generators); }
void fields(auto& io, SetComp& n) { io("elt", n.elt)("generators", n.generators); }
void fields(auto& io, DictComp& n) { io("key", n.key)("value", n.value)("generators", n.generators); }
void fields(auto& io, GeneratorExp& n) { io("elt", n.elt)("generators", n.generators); }
void fields(auto& io, Yield& n) { io("value", n.value); }
void fields(auto& io, YieldFrom& n) { io("value", n.value); }
void fields(auto& io, Compare& n) { io("left", n.left)("ops", n.ops)("comparators", n.comparators); }
void fields(auto& io, Call& n) { io("func", n.func)("args", n.args)("keywords", n.keywords); }
void fields(auto& io, FormattedValue& n) {
  io("value", n.value)("conversion", n.conversion)("format_spec", n.format_spec);
}
void fields(auto& io, JoinedStr& n) { io("values", n.values); }
void fields(auto& io, Constant& n) {
  io("", n.type);
  switch (n.type) {
    case Constant::Type::kBool:
      io("value", n.boolean);
      break;
    case Constant::Type::kInt:
      io("value", n.integer);
      break;
    case Constant::Type::kFloat:
      io("value", n.real);
      break;
    case Constant::Type::kStr:
    case Constant::Type::kBytes:
    case Constant::Type::kWideInt:
      io("value", n.text);
      break;
    case Constant::Type::kNone:
    case Constant::Type::kEllipsis:
      break;
  }
}
void fields(auto& io, Attribute& n) { io("value", n.value)("attr", n.attr)("ctx", n.ctx)("", n.attr_span); }
void fields(auto& io, Subscript& n) { io("value", n.value)("slice", n.slice)("ctx", n.ctx); }
void fields(auto& io, Starred& n) { io("value", n.value)("ctx", n.ctx); }
void fields(auto& io, Name& n) { io("id", n.id)("ctx", n.ctx); }
void fields(auto& io, List& n) { io("elts", n.elts)("ctx", n.ctx); }
void fields(auto& io, Tuple& n) { io("elts", n.elts)("ctx", n.ctx); }
void fields(auto& io, Slice& n) { io("lower", n.lower)("upper", n.upper)("step", n.step); }

// ---- statements ----

void fields(auto& io, FunctionDef& n) {
  io("name", n.name)("args", n.args)("body", n.body)("decorator_list", n.decorators)("returns", n.returns);
  io("type_params", n.type_params)("", n.name_span);
}
void fields(auto& io, ClassDef& n) {
  io("name", n.name)("bases", n.bases)("keywords", n.keywords)("body", n.body);
  io("decorator_list", n.decorators)("type_params", n.type_params)("", n.name_span);
}
void fields(auto& io, Return& n) { io("value", n.value); }
void fields(auto& io, Delete& n) { io("targets", n.targets); }
void fields(auto& io, Assign& n) { io("targets", n.targets)("value", n.value); }
void fields(auto& io, AugAssign& n) { io("target", n.target)("op", n.op)("value", n.value)("", n.op_span); }
void fields(auto& io, AnnAssign& n) {
  io("target", n.target)("annotation", n.annotation)("value", n.value)("simple", n.simple);
}
void fields(auto& io, For& n) { io("target", n.target)("iter", n.iter)("body", n.body)("orelse", n.orelse); }
void fields(auto& io, While& n) { io("test", n.test)("body", n.body)("orelse", n.orelse); }
void fields(auto& io, If& n) { io("test", n.test)("body", n.body)("orelse", n.orelse); }
void fields(auto& io, With& n) { io("items", n.items)("body", n.body); }
void fields(auto& io, Raise& n) { io("exc", n.exc)("cause", n.cause); }
void fields(auto& io, Try& n) {
  io("body", n.body)("handlers", n.handlers)("orelse", n.orelse)("finalbody", n.finalbody);
}
void fields(auto& io, Assert& n) { io("test", n.test)("msg", n.msg); }
void fields(auto& io, Import& n) { io("names", n.names); }
void fields(auto& io, ImportFrom& n) {
  io("module", n.module)("names", n.names)("level", n.level)("", n.module_span);
}
void fields(auto& io, Global& n) { io("names", n.names); }
void fields(auto& io, Nonlocal& n) { io("names", n.names); }
void fields(auto& io, ExprStmt& n) { io("value", n.value); }
void fields(auto&, Pass&) {}
void fields(auto&, Break&) {}
void fields(auto&, Continue&) {}

// Of a node that is only read.
template <class Io, class T>
void read_fields(Io& io, const T& node) {
  fields(io, const_cast<T&>(node));
}

}  // namespace mlc::syntax
