// SPDX-License-Identifier: Apache-2.0
// What statement-like names (T.grid, T.sblock, T.attr, ...) evaluate to: descriptions that the builder acts
// on when they stand in a `for`, a `with`, an assignment, or alone. Plain values: making one emits nothing.
#pragma once

#include "ir/core/module.h"

namespace mlc::tvmscript {

namespace ffi = ::tvm::ffi;
using ir::Any;
using ir::Array;
using ir::Buffer;
using ir::DataType;
using ir::Expr;
using ir::IterVar;
using ir::Map;
using ir::Ref;
using ir::Span;
using ir::Stmt;
using ir::String;
using ir::Type;
using ir::Var;

struct FrameNode : ffi::Object {
  std::vector<Any> callbacks;  // called when it is left, the last one first

  FrameNode() = default;
  MLC_NODE_BASE("script.ir_builder.IRBuilderFrame", FrameNode, ffi::Object);
};

struct Loop {
  Expr min;
  Expr extent;
  Expr step;  // null: 1
};

// T.serial, T.grid, ...: one or more loops, outermost first.
struct ForFrameNode final : FrameNode {
  std::vector<Loop> loops;
  ir::ForKind kind = ir::ForKind::kSerial;
  String thread;  // of thread_binding
  Map<String, Any> annotations;
  bool is_grid = false;  // the targets are a tuple even for one loop

  ForFrameNode() = default;
  MLC_NODE("mlc.tvmscript.ForFrame", ForFrameNode, FrameNode);
};

struct BlockFrameNode final : FrameNode {
  String name;
  bool no_realize;
  BlockFrameNode(String name, bool no_realize) : name(std::move(name)), no_realize(no_realize) {}
  MLC_NODE("mlc.tvmscript.BlockFrame", BlockFrameNode, FrameNode);
};

struct InitFrameNode final : FrameNode {
  InitFrameNode() = default;
  MLC_NODE("mlc.tvmscript.InitFrame", InitFrameNode, FrameNode);
};

// T.attr and T.launch_thread: attributes around statements, outermost first.
struct AttrFrameNode final : FrameNode {
  struct Entry {
    Any node;
    String key;
    Expr value;
  };
  std::vector<Entry> entries;
  Var bound;  // what `as x` or `x = ` binds: the variable of launch_thread

  AttrFrameNode() = default;
  MLC_NODE("mlc.tvmscript.AttrFrame", AttrFrameNode, FrameNode);
};

// T.If, T.Then, T.Else, T.While: branches and loops that are entered with `with`.
struct IfFrameNode final : FrameNode {
  Expr condition;
  explicit IfFrameNode(Expr condition) : condition(std::move(condition)) {}
  MLC_NODE("mlc.tvmscript.IfFrame", IfFrameNode, FrameNode);
};
struct BranchFrameNode final : FrameNode {
  bool is_then;
  explicit BranchFrameNode(bool is_then) : is_then(is_then) {}
  MLC_NODE("mlc.tvmscript.BranchFrame", BranchFrameNode, FrameNode);
};
struct WhileFrameNode final : FrameNode {
  Expr condition;
  explicit WhileFrameNode(Expr condition) : condition(std::move(condition)) {}
  MLC_NODE("mlc.tvmscript.WhileFrame", WhileFrameNode, FrameNode);
};
// T.Assert: the assertion is emitted by the call; entering it opens nothing.
struct AssertFrameNode final : FrameNode {
  AssertFrameNode() = default;
  MLC_NODE("mlc.tvmscript.AssertFrame", AssertFrameNode, FrameNode);
};

// T.meta_var(value): keep the script value as it is.
struct MetaVarNode final : ffi::Object {
  Any value;
  explicit MetaVarNode(Any value) : value(std::move(value)) {}
  MLC_NODE("mlc.tvmscript.meta_var", MetaVarNode, ffi::Object);
};

// `T.let` and `T.let[type]` as an annotation.
struct LetAnnotationNode final : ffi::Object {
  Type type;  // null: that of the value
  explicit LetAnnotationNode(Type type) : type(std::move(type)) {}
  MLC_NODE("mlc.tvmscript.let", LetAnnotationNode, ffi::Object);
};

// A type on its own: T.Tuple(...), T.handle("float32") as a return type.
struct TypeValueNode final : ffi::Object {
  Type type;
  explicit TypeValueNode(Type type) : type(std::move(type)) {}
  MLC_NODE("mlc.tvmscript.type", TypeValueNode, ffi::Object);
};

// n = TypeVar("n"): a 64-bit dimension, of which every function that names it in its signature has its own.
struct TypeVarNode final : ffi::Object {
  ir::String name;
  Span span;
  TypeVarNode(ir::String name, Span span) : name(std::move(name)), span(span) {}
  MLC_NODE("mlc.tvmscript.type_var", TypeVarNode, ffi::Object);
};

// What a name stands for whose definition failed: using it reports nothing more.
struct PoisonNode final : ffi::Object {
  PoisonNode() = default;
  MLC_NODE("mlc.tvmscript.poison", PoisonNode, ffi::Object);
};

// A node of type N in a script value, or null.
template <class N>
const N* frame(const Any& value) {
  return value.as<N>();
}

}  // namespace mlc::tvmscript
