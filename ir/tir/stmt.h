// SPDX-License-Identifier: Apache-2.0
// Statements. Bind, AllocBuffer and DeclBuffer are leaves: what they define is visible in the
// statements after them in the same sequence (and inside those), not outside.
#pragma once

#include "ir/core/expr.h"

namespace mlc::ir {

#define MLC_STMT_KINDS(X)                                                                       \
  X(Bind)                                                                                       \
  X(AttrStmt)                                                                                   \
  X(AssertStmt)                                                                                 \
  X(BufferStore)                                                                                \
  X(AllocBuffer)                                                                                \
  X(DeclBuffer)                                                                                 \
  X(SeqStmt) X(Evaluate) X(IfThenElse) X(For) X(While) X(Return) X(Break) X(Continue) X(SBlock) \
      X(SBlockRealize) X(ScopeIdDefStmt) X(TilePrimitiveCall)

enum class StmtKind : uint8_t {
#define X(name) k##name,
  MLC_STMT_KINDS(X)
#undef X
};

struct StmtNode : ffi::Object {
  const StmtKind kind;
  Span span;

  explicit StmtNode(StmtKind kind) : kind(kind) {}
  StmtNode(StmtKind kind, Span span) : kind(kind), span(span) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE_BASE("mlc.tirx.Stmt", StmtNode, ffi::Object);
};

// An immutable name for a value: `x: T.let = value`.
struct BindNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kBind;
  Var var;
  Expr value;

  BindNode(Var var, Expr value, Span span = {})
      : StmtNode(kKind, span), var(std::move(var)), value(std::move(value)) {}
  template <class F>
  static void fields(F& f) {
    f("value", &BindNode::value);
    f.binder("var", &BindNode::var);
  }
  MLC_NODE("mlc.tirx.Bind", BindNode, StmtNode);
};
using Bind = Ref<BindNode>;

struct AttrStmtNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kAttrStmt;
  Any node;  // what the attribute is about: an IterVar, a buffer, 0, ...
  String attr_key;
  Expr value;
  Stmt body;

  AttrStmtNode(Any node, String attr_key, Expr value, Stmt body, Span span = {})
      : StmtNode(kKind, span),
        node(std::move(node)),
        attr_key(std::move(attr_key)),
        value(std::move(value)),
        body(std::move(body)) {}
  template <class F>
  static void fields(F& f) {
    f.binder("node", &AttrStmtNode::node);  // thread_extent defines its IterVar's variable
    f("attr_key", &AttrStmtNode::attr_key);
    f("value", &AttrStmtNode::value);
    f("body", &AttrStmtNode::body);
  }
  MLC_NODE("mlc.tirx.AttrStmt", AttrStmtNode, StmtNode);
};
using AttrStmt = Ref<AttrStmtNode>;

struct AssertStmtNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kAssertStmt;
  Expr condition;
  String error_kind;  // "RuntimeError", "ValueError", ...
  Array<String> message_parts;

  AssertStmtNode(Expr condition, String error_kind, Array<String> message_parts, Span span = {})
      : StmtNode(kKind, span),
        condition(std::move(condition)),
        error_kind(std::move(error_kind)),
        message_parts(std::move(message_parts)) {}
  template <class F>
  static void fields(F& f) {
    f("condition", &AssertStmtNode::condition);
    f("error_kind", &AssertStmtNode::error_kind);
    f("message_parts", &AssertStmtNode::message_parts);
  }
  MLC_NODE("mlc.tirx.AssertStmt", AssertStmtNode, StmtNode);
};
using AssertStmt = Ref<AssertStmtNode>;

struct BufferStoreNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kBufferStore;
  Buffer buffer;
  Expr value;
  Array<Expr> indices;

  BufferStoreNode(Buffer buffer, Expr value, Array<Expr> indices, Span span = {})
      : StmtNode(kKind, span),
        buffer(std::move(buffer)),
        value(std::move(value)),
        indices(std::move(indices)) {}
  template <class F>
  static void fields(F& f) {
    f("buffer", &BufferStoreNode::buffer);
    f("value", &BufferStoreNode::value);
    f("indices", &BufferStoreNode::indices);
  }
  MLC_NODE("mlc.tirx.BufferStore", BufferStoreNode, StmtNode);
};
using BufferStore = Ref<BufferStoreNode>;

// Memory for `buffer`, alive until the enclosing sequence ends.
struct AllocBufferNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kAllocBuffer;
  Buffer buffer;
  Map<String, Any> annotations;

  explicit AllocBufferNode(Buffer buffer, Map<String, Any> annotations = {}, Span span = {})
      : StmtNode(kKind, span), buffer(std::move(buffer)), annotations(std::move(annotations)) {}
  template <class F>
  static void fields(F& f) {
    f.binder("buffer", &AllocBufferNode::buffer);
    f("annotations", &AllocBufferNode::annotations);
  }
  MLC_NODE("mlc.tirx.AllocBuffer", AllocBufferNode, StmtNode);
};
using AllocBuffer = Ref<AllocBufferNode>;

// A view on memory that exists: `data` is a pointer expression (often another buffer's data).
struct DeclBufferNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kDeclBuffer;
  Buffer buffer;
  Expr data;

  DeclBufferNode(Buffer buffer, Expr data, Span span = {})
      : StmtNode(kKind, span), buffer(std::move(buffer)), data(std::move(data)) {}
  template <class F>
  static void fields(F& f) {
    f("data", &DeclBufferNode::data);
    f.binder("buffer", &DeclBufferNode::buffer);
  }
  MLC_NODE("mlc.tirx.DeclBuffer", DeclBufferNode, StmtNode);
};
using DeclBuffer = Ref<DeclBufferNode>;

// At least two statements, none of them a SeqStmt (seq() keeps both true).
struct SeqStmtNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kSeqStmt;
  Array<Stmt> seq;

  explicit SeqStmtNode(Array<Stmt> seq, Span span = {}) : StmtNode(kKind, span), seq(std::move(seq)) {}
  template <class F>
  static void fields(F& f) {
    f("seq", &SeqStmtNode::seq);
  }
  MLC_NODE("mlc.tirx.SeqStmt", SeqStmtNode, StmtNode);
};
using SeqStmt = Ref<SeqStmtNode>;

struct EvaluateNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kEvaluate;
  Expr value;

  explicit EvaluateNode(Expr value, Span span = {}) : StmtNode(kKind, span), value(std::move(value)) {}
  template <class F>
  static void fields(F& f) {
    f("value", &EvaluateNode::value);
  }
  MLC_NODE("mlc.tirx.Evaluate", EvaluateNode, StmtNode);
};
using Evaluate = Ref<EvaluateNode>;

struct IfThenElseNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kIfThenElse;
  Expr condition;
  Stmt then_case;
  Stmt else_case;  // may be null

  IfThenElseNode(Expr condition, Stmt then_case, Stmt else_case = nullptr, Span span = {})
      : StmtNode(kKind, span),
        condition(std::move(condition)),
        then_case(std::move(then_case)),
        else_case(std::move(else_case)) {}
  template <class F>
  static void fields(F& f) {
    f("condition", &IfThenElseNode::condition);
    f("then_case", &IfThenElseNode::then_case);
    f("else_case", &IfThenElseNode::else_case);
  }
  MLC_NODE("mlc.tirx.IfThenElse", IfThenElseNode, StmtNode);
};
using IfThenElse = Ref<IfThenElseNode>;

enum class ForKind : int32_t {
  kSerial = 0,
  kParallel = 1,
  kVectorized = 2,
  kUnrolled = 3,
  kThreadBinding = 4
};

// loop_var runs over min, min + step, ... below min + extent (extent counts what the variable spans,
// step null means 1). Bounds are evaluated once, before the first iteration.
struct ForNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kFor;
  Var loop_var;
  Expr min;
  Expr extent;
  ForKind for_kind;
  Stmt body;
  IterVar thread_binding;  // only with kThreadBinding
  Map<String, Any> annotations;
  Expr step;  // null: 1

  ForNode(Var loop_var, Expr min, Expr extent, ForKind for_kind, Stmt body, IterVar thread_binding = nullptr,
          Map<String, Any> annotations = {}, Expr step = nullptr, Span span = {})
      : StmtNode(kKind, span),
        loop_var(std::move(loop_var)),
        min(std::move(min)),
        extent(std::move(extent)),
        for_kind(for_kind),
        body(std::move(body)),
        thread_binding(std::move(thread_binding)),
        annotations(std::move(annotations)),
        step(std::move(step)) {}
  template <class F>
  static void fields(F& f) {
    f("min", &ForNode::min);
    f("extent", &ForNode::extent);
    f("step", &ForNode::step);
    f.binder("loop_var", &ForNode::loop_var);
    f("kind", &ForNode::for_kind);
    f("body", &ForNode::body);
    f("thread_binding", &ForNode::thread_binding);
    f("annotations", &ForNode::annotations);
  }
  MLC_NODE("mlc.tirx.For", ForNode, StmtNode);
};
using For = Ref<ForNode>;

struct WhileNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kWhile;
  Expr condition;
  Stmt body;

  WhileNode(Expr condition, Stmt body, Span span = {})
      : StmtNode(kKind, span), condition(std::move(condition)), body(std::move(body)) {}
  template <class F>
  static void fields(F& f) {
    f("condition", &WhileNode::condition);
    f("body", &WhileNode::body);
  }
  MLC_NODE("mlc.tirx.While", WhileNode, StmtNode);
};
using While = Ref<WhileNode>;

struct ReturnNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kReturn;
  Expr value;

  explicit ReturnNode(Expr value, Span span = {}) : StmtNode(kKind, span), value(std::move(value)) {}
  template <class F>
  static void fields(F& f) {
    f("value", &ReturnNode::value);
  }
  MLC_NODE("mlc.tirx.Return", ReturnNode, StmtNode);
};
using Return = Ref<ReturnNode>;

struct BreakNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kBreak;
  explicit BreakNode(Span span = {}) : StmtNode(kKind, span) {}
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.tirx.Break", BreakNode, StmtNode);
};
using Break = Ref<BreakNode>;

struct ContinueNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kContinue;
  explicit ContinueNode(Span span = {}) : StmtNode(kKind, span) {}
  template <class F>
  static void fields(F&) {}
  MLC_NODE("mlc.tirx.Continue", ContinueNode, StmtNode);
};
using Continue = Ref<ContinueNode>;

// A sub-region of a buffer under a name of its own inside a block.
struct MatchBufferRegionNode final : ffi::Object {
  Buffer buffer;
  TensorRegion source;

  MatchBufferRegionNode(Buffer buffer, TensorRegion source)
      : buffer(std::move(buffer)), source(std::move(source)) {}
  template <class F>
  static void fields(F& f) {
    f("source", &MatchBufferRegionNode::source);
    f.pattern("buffer", &MatchBufferRegionNode::buffer);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.s_tir.MatchBufferRegion", MatchBufferRegionNode, ffi::Object);
};
using MatchBufferRegion = Ref<MatchBufferRegionNode>;

// The schedulable unit of computation: one instance per point of its iterators' domain. The body may
// touch only `reads` and `writes`; `init` runs before the first instance along the reduction iterators.
struct SBlockNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kSBlock;
  Array<IterVar> iter_vars;
  Array<TensorRegion> reads;
  Array<TensorRegion> writes;
  String name_hint;
  Stmt body;
  Stmt init;  // may be null
  Array<Buffer> alloc_buffers;
  Array<MatchBufferRegion> match_buffers;
  Map<String, Any> annotations;

  SBlockNode(Array<IterVar> iter_vars, Array<TensorRegion> reads, Array<TensorRegion> writes,
             String name_hint, Stmt body, Stmt init = nullptr, Array<Buffer> alloc_buffers = {},
             Array<MatchBufferRegion> match_buffers = {}, Map<String, Any> annotations = {}, Span span = {})
      : StmtNode(kKind, span),
        iter_vars(std::move(iter_vars)),
        reads(std::move(reads)),
        writes(std::move(writes)),
        name_hint(std::move(name_hint)),
        body(std::move(body)),
        init(std::move(init)),
        alloc_buffers(std::move(alloc_buffers)),
        match_buffers(std::move(match_buffers)),
        annotations(std::move(annotations)) {}
  template <class F>
  static void fields(F& f) {
    f.binder("iter_vars", &SBlockNode::iter_vars);
    f.binder("alloc_buffers", &SBlockNode::alloc_buffers);
    f.binder("match_buffers", &SBlockNode::match_buffers);
    f("reads", &SBlockNode::reads);
    f("writes", &SBlockNode::writes);
    f.ignored("name_hint", &SBlockNode::name_hint);
    f("annotations", &SBlockNode::annotations);
    f("init", &SBlockNode::init);
    f("body", &SBlockNode::body);
  }
  MLC_NODE("mlc.s_tir.SBlock", SBlockNode, StmtNode);
};
using SBlock = Ref<SBlockNode>;

// One execution of a block per surrounding loop iteration where `predicate` holds.
struct SBlockRealizeNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kSBlockRealize;
  Array<Expr> iter_values;
  Expr predicate;
  SBlock block;

  SBlockRealizeNode(Array<Expr> iter_values, Expr predicate, SBlock block, Span span = {})
      : StmtNode(kKind, span),
        iter_values(std::move(iter_values)),
        predicate(std::move(predicate)),
        block(std::move(block)) {}
  template <class F>
  static void fields(F& f) {
    f("iter_values", &SBlockRealizeNode::iter_values);
    f("predicate", &SBlockRealizeNode::predicate);
    f("block", &SBlockRealizeNode::block);
  }
  MLC_NODE("mlc.s_tir.SBlockRealize", SBlockRealizeNode, StmtNode);
};
using SBlockRealize = Ref<SBlockRealizeNode>;

// ---- the kernel dialect: a device region names the coordinates of its threads and works on tiles ----

// Which threads act together. The numbers are TVM's.
enum class ScopeKind : int32_t { kCluster = 2, kCta = 3, kWarpgroup = 4, kWarp = 5, kThread = 6 };

struct ExecScopeNode final : ffi::Object {
  int32_t scope_kind;

  explicit ExecScopeNode(ScopeKind kind) : scope_kind(static_cast<int32_t>(kind)) {}
  template <class F>
  static void fields(F& f) {
    f("kind", &ExecScopeNode::scope_kind);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.tirx.ExecScope", ExecScopeNode, ffi::Object);
};
using ExecScope = Ref<ExecScopeNode>;
ExecScope exec_scope(ScopeKind kind);  // shared

// What a scope id counts: clusters of the kernel, threads of a warp, ... The numbers are TVM's.
enum class ScopeBinding : int32_t {
  kKernelCluster = 0,
  kKernelCta = 1,
  kClusterCta = 2,
  kCtaWarpgroup = 3,
  kCtaWarp = 4,
  kWarpgroupWarp = 5,
  kWarpThread = 6,
  kCtaThread = 7,
  kWarpgroupThread = 8,
  kClusterCtaPair = 9,
};

// Coordinates of the thread that runs: one variable per dimension. Extents may be left out (empty); they
// are then found from the other definitions. `preferred_extents`: what to launch where possible.
struct ScopeIdDefNode final : ffi::Object {
  Array<Var> def_ids;
  Array<Expr> extents;
  int32_t scope;
  Array<Expr> preferred_extents;

  ScopeIdDefNode(Array<Var> def_ids, Array<Expr> extents, ScopeBinding scope,
                 Array<Expr> preferred_extents = {})
      : def_ids(std::move(def_ids)),
        extents(std::move(extents)),
        scope(static_cast<int32_t>(scope)),
        preferred_extents(std::move(preferred_extents)) {}
  template <class F>
  static void fields(F& f) {
    f("extents", &ScopeIdDefNode::extents);
    f("preferred_extents", &ScopeIdDefNode::preferred_extents);
    f("scope", &ScopeIdDefNode::scope);
    f.binder("def_ids", &ScopeIdDefNode::def_ids);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.tirx.ScopeIdDef", ScopeIdDefNode, ffi::Object);
};
using ScopeIdDef = Ref<ScopeIdDefNode>;

// A leaf: the ids are visible in the statements after it.
struct ScopeIdDefStmtNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kScopeIdDefStmt;
  ScopeIdDef def;

  explicit ScopeIdDefStmtNode(ScopeIdDef def, Span span = {}) : StmtNode(kKind, span), def(std::move(def)) {}
  template <class F>
  static void fields(F& f) {
    f("def", &ScopeIdDefStmtNode::def);
  }
  MLC_NODE("mlc.tirx.ScopeIdDefStmt", ScopeIdDefStmtNode, StmtNode);
};
using ScopeIdDefStmt = Ref<ScopeIdDefStmtNode>;

// A function of indices as a value: the predicate of a tile select.
struct LambdaExprNode final : ffi::Object {
  Array<Var> vars;
  Expr pred;

  LambdaExprNode(Array<Var> vars, Expr pred) : vars(std::move(vars)), pred(std::move(pred)) {}
  template <class F>
  static void fields(F& f) {
    f.binder("vars", &LambdaExprNode::vars);
    f("pred", &LambdaExprNode::pred);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.tirx.LambdaExpr", LambdaExprNode, ffi::Object);
};
using LambdaExpr = Ref<LambdaExprNode>;

// Work on whole tiles done by all threads of `scope` together: copy, gemm, sum, ... Arguments are regions,
// expressions, operators, lists of axes, flags, or None. `dispatch` names the implementation wanted; empty:
// any. `config` are its settings.
struct TilePrimitiveCallNode final : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kTilePrimitiveCall;
  Op op;
  Array<Any> args;
  Map<String, Any> workspace;  // buffers by what they are for
  Map<String, Any> config;
  String dispatch;
  ExecScope scope;

  TilePrimitiveCallNode(Op op, Array<Any> args, Map<String, Any> workspace, Map<String, Any> config,
                        String dispatch, ExecScope scope, Span span = {})
      : StmtNode(kKind, span),
        op(std::move(op)),
        args(std::move(args)),
        workspace(std::move(workspace)),
        config(std::move(config)),
        dispatch(std::move(dispatch)),
        scope(std::move(scope)) {}
  template <class F>
  static void fields(F& f) {
    f("op", &TilePrimitiveCallNode::op);
    f("args", &TilePrimitiveCallNode::args);
    f("workspace", &TilePrimitiveCallNode::workspace);
    f("config", &TilePrimitiveCallNode::config);
    f("dispatch", &TilePrimitiveCallNode::dispatch);
    f("scope", &TilePrimitiveCallNode::scope);
  }
  MLC_NODE("mlc.tirx.TilePrimitiveCall", TilePrimitiveCallNode, StmtNode);
};
using TilePrimitiveCall = Ref<TilePrimitiveCallNode>;

// The statements in order, nested sequences flattened and no-ops (Evaluate of 0) dropped;
// one statement is returned as it is, none becomes Evaluate(0).
Stmt seq(Array<Stmt> stmts, Span span = {});
Stmt no_op();
bool is_no_op(const Stmt& stmt);

}  // namespace mlc::ir
