// SPDX-License-Identifier: Apache-2.0
// The graph language (Relax): functions over tensors whose bodies are sequences of bindings. In normal form
// (ir/relax/normalize.h) operands are variables, constants, shapes, tuples of these, and primitive expressions,
// and every expression has its type. Call, Var, GlobalVar, Tuple, TupleGetItem, StringImm and primitive
// expressions are those of tensor code (ir/core/expr.h).
#pragma once

#include "ir/core/visit.h"
#include "ir/relax/type.h"

namespace mlc::relax {

using ir::as;
using ir::BaseFunc;
using ir::BaseFuncNode;
using ir::Tuple;
using ir::TupleGetItem;
using ir::TupleGetItemNode;
using ir::TupleNode;
using ir::TupleType;
using ir::TupleTypeNode;

// A constant: a tensor, or another value (a data type) of type Any.
struct GenericConstNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kGenericConst;
  Any value;

  // The type is that of the tensor's shape and data type; of other values Any.
  explicit GenericConstNode(Any value, Span span = {});
  GenericConstNode(Any value, Type ty, Span span) : ExprNode(kKind, std::move(ty), span), value(std::move(value)) {}
  // The tensor, or nullopt.
  std::optional<ffi::Tensor> tensor() const { return value.as<ffi::Tensor>(); }
  template <class F>
  static void fields(F& f) {
    f("value", &GenericConstNode::value);
    f("ty", &GenericConstNode::ty);
  }
  MLC_NODE("mlc.ir.GenericConst", GenericConstNode, ExprNode);
};
using GenericConst = Ref<GenericConstNode>;

// A shape as a value: 64-bit integer expressions.
struct ShapeExprNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kShapeExpr;
  Array<Expr> values;

  explicit ShapeExprNode(Array<Expr> values, Span span = {})
      : ExprNode(kKind, make<ShapeTypeNode>(values), span), values(std::move(values)) {}
  template <class F>
  static void fields(F& f) {
    f("values", &ShapeExprNode::values);
  }
  MLC_NODE("mlc.relax.expr.ShapeExpr", ShapeExprNode, ExprNode);
};
using ShapeExpr = Ref<ShapeExprNode>;

// A variable that only its dataflow block sees.
struct DataflowVarNode final : VarNode {
  DataflowVarNode(String name, Type ty, Span span = {}) : VarNode(std::move(name), std::move(ty), span) {}
  explicit DataflowVarNode(ffi::UnsafeInit init) : VarNode(init) {}
  static constexpr int _type_child_slots [[maybe_unused]] = 0;
  static constexpr bool _type_final [[maybe_unused]] = true;
  MLC_NODE_BASE("mlc.relax.expr.DataflowVar", DataflowVarNode, VarNode);
};
using DataflowVar = Ref<DataflowVarNode>;
inline bool is_dataflow(const VarNode* var) { return var->IsInstance<DataflowVarNode>(); }
inline bool is_dataflow(const Var& var) { return is_dataflow(var.get()); }
Var make_var(bool dataflow, String name, Type ty, Span span = {});
// The variable with another type or name: one of the same kind, and a new identity.
Var copy_var(const Var& var, Type ty);
Var copy_var(const Var& var, Type ty, String name);

// One binding: `var = value` (VarBinding) or `var = match_cast(value, ty)` (MatchCast).
struct BindingNode : ffi::Object {
  Var var;
  Expr value;
  Span span;

  BindingNode() = default;
  BindingNode(Var var, Expr value, Span span) : var(std::move(var)), value(std::move(value)), span(span) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE_BASE("mlc.relax.expr.Binding", BindingNode, ffi::Object);
};
using Binding = Ref<BindingNode>;

struct VarBindingNode final : BindingNode {
  VarBindingNode(Var var, Expr value, Span span = {}) : BindingNode(std::move(var), std::move(value), span) {}
  template <class F>
  static void fields(F& f) {
    f.binder("var", &BindingNode::var);  // first: a local function may call itself
    f("value", &BindingNode::value);
  }
  MLC_NODE("mlc.relax.expr.VarBinding", VarBindingNode, BindingNode);
};
using VarBinding = Ref<VarBindingNode>;

// Checks at run time that `value` is of type `ty`, and defines the symbolic variables of `ty` that are new.
struct MatchCastNode final : BindingNode {
  Type ty;

  MatchCastNode(Var var, Expr value, Type ty, Span span = {})
      : BindingNode(std::move(var), std::move(value), span), ty(std::move(ty)) {}
  template <class F>
  static void fields(F& f) {
    f("value", &BindingNode::value);
    f.pattern("ty", &MatchCastNode::ty);
    f.binder("var", &BindingNode::var);
  }
  MLC_NODE("mlc.relax.expr.MatchCast", MatchCastNode, BindingNode);
};
using MatchCast = Ref<MatchCastNode>;
inline const MatchCastNode* as_match_cast(const Binding& b) { return b.as<MatchCastNode>(); }

struct BindingBlockNode : ffi::Object {
  Array<Binding> bindings;
  Span span;

  BindingBlockNode() = default;
  explicit BindingBlockNode(Array<Binding> bindings, Span span = {})
      : bindings(std::move(bindings)), span(span) {}
  explicit BindingBlockNode(ffi::UnsafeInit) {}
  template <class F>
  static void fields(F& f) {
    f("bindings", &BindingBlockNode::bindings);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr int _type_child_slots = 1;
  static constexpr bool _type_child_slots_can_overflow = false;
  MLC_NODE_BASE("mlc.relax.expr.BindingBlock", BindingBlockNode, ffi::Object);
};
using BindingBlock = Ref<BindingBlockNode>;

// Bindings without side effects or control flow. Its DataflowVars are not seen outside.
struct DataflowBlockNode final : BindingBlockNode {
  explicit DataflowBlockNode(Array<Binding> bindings, Span span = {})
      : BindingBlockNode(std::move(bindings), span) {}
  explicit DataflowBlockNode(ffi::UnsafeInit) {}
  static constexpr int _type_child_slots [[maybe_unused]] = 0;
  static constexpr bool _type_final [[maybe_unused]] = true;
  MLC_NODE_BASE("mlc.relax.expr.DataflowBlock", DataflowBlockNode, BindingBlockNode);
};
using DataflowBlock = Ref<DataflowBlockNode>;
inline bool is_dataflow(const BindingBlock& block) { return block->IsInstance<DataflowBlockNode>(); }
// A block of the same kind with other bindings.
BindingBlock with_bindings(const BindingBlock& block, Array<Binding> bindings);

// Blocks of bindings, then the value.
struct SeqExprNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kSeqExpr;
  Array<BindingBlock> blocks;
  Expr body;

  SeqExprNode(Array<BindingBlock> blocks, Expr body, Span span = {})
      : ExprNode(kKind, body->ty, span), blocks(std::move(blocks)), body(std::move(body)) {}
  template <class F>
  static void fields(F& f) {
    f("blocks", &SeqExprNode::blocks);
    f("body", &SeqExprNode::body);
  }
  MLC_NODE("mlc.relax.expr.SeqExpr", SeqExprNode, ExprNode);
};
using SeqExpr = Ref<SeqExprNode>;

// `cond` is a bool tensor without dimensions, or a primitive bool.
struct IfNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kIf;
  Expr cond;
  SeqExpr true_branch;
  SeqExpr false_branch;

  // The type is null until the branches' types are united (normal form does).
  IfNode(Expr cond, SeqExpr true_branch, SeqExpr false_branch, Type ty = {}, Span span = {})
      : ExprNode(kKind, std::move(ty), span),
        cond(std::move(cond)),
        true_branch(std::move(true_branch)),
        false_branch(std::move(false_branch)) {}
  template <class F>
  static void fields(F& f) {
    f("cond", &IfNode::cond);
    f("true_branch", &IfNode::true_branch);
    f("false_branch", &IfNode::false_branch);
    f.ignored("ty", &IfNode::ty);  // does not follow from the branches alone
  }
  MLC_NODE("mlc.relax.expr.If", IfNode, ExprNode);
};
using If = Ref<IfNode>;

struct FunctionNode final : BaseFuncNode {
  static constexpr ExprKind kKind = ExprKind::kFunction;
  Array<Var> params;
  SeqExpr body;
  Type ret_ty;
  bool is_pure;

  // `ty` follows from the parameters and the result.
  FunctionNode(Array<Var> params, SeqExpr body, Type ret_ty, bool is_pure, Map<String, Any> attrs = {},
               Span span = {});
  template <class F>
  static void fields(F& f) {
    f("attrs", &FunctionNode::attrs);
    f.pattern("params", &FunctionNode::params);
    f("ret_ty", &FunctionNode::ret_ty);
    f("is_pure", &FunctionNode::is_pure);
    f("body", &FunctionNode::body);
  }
  MLC_NODE("mlc.relax.expr.Function", FunctionNode, BaseFuncNode);
};
using Function = Ref<FunctionNode>;
FuncType function_type(const Array<Var>& params, Type ret, bool purity);
Function with_attr(const Function& fn, String key, Any value);
Function without_attr(const Function& fn, const String& key);
Function with_body(const Function& fn, SeqExpr body);

// A function that the program that runs this has registered.
struct ExternFuncNode final : BaseFuncNode {
  static constexpr ExprKind kKind = ExprKind::kExternFunc;
  String global_symbol;

  explicit ExternFuncNode(String global_symbol, Type ty = {}, Map<String, Any> attrs = {}, Span span = {});
  template <class F>
  static void fields(F& f) {
    f("attrs", &ExternFuncNode::attrs);
    f("global_symbol", &ExternFuncNode::global_symbol);
    f("ty", &ExternFuncNode::ty);
  }
  MLC_NODE("mlc.relax.expr.ExternFunc", ExternFuncNode, BaseFuncNode);
};
using ExternFunc = Ref<ExternFuncNode>;

// Is this a primitive expression (its type is a PrimType)?
inline bool is_prim(const Expr& e) { return e && e->ty && e->ty->kind == TypeKind::kPrim; }
// The call as one of the operator of that name, "relax.call_tir", or null. One pointer compare.
const CallNode* call_of(const Expr& e, const Expr& op);
// The call as one of a primitive function, call_tir or call_tir_inplace, or null.
const CallNode* kernel_call_of(const Expr& e);
ir::Op op(std::string_view name);  // as ir::op: one object per name

// Registers the reflection of these nodes; ir::register_nodes() calls it.
void register_nodes();

}  // namespace mlc::relax
