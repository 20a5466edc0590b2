// SPDX-License-Identifier: Apache-2.0
// Expressions. Values have no side effects except those of calls; operands of arithmetic have equal
// types (ir/tir/arith_ops.h makes them so). Integer arithmetic wraps in two's complement; Div and Mod
// truncate towards zero, FloorDiv and FloorMod round towards minus infinity; division by zero is
// undefined. Select evaluates both arms, tirx.if_then_else only the one taken.
#pragma once

#include "ir/core/type.h"

namespace mlc::ir {

#define MLC_BINARY_KINDS(X)                                                                             \
  X(Add)                                                                                                \
  X(Sub)                                                                                                \
  X(Mul) X(Div) X(Mod) X(FloorDiv) X(FloorMod) X(Min) X(Max) X(EQ) X(NE) X(LT) X(LE) X(GT) X(GE) X(And) \
      X(Or) X(BitwiseAnd) X(BitwiseOr) X(BitwiseXor) X(LShift) X(RShift)
#define MLC_EXPR_KINDS(X)                                                                                 \
  X(Var)                                                                                                  \
  X(GlobalVar)                                                                                            \
  X(IntImm) X(FloatImm) X(StringImm) X(Op) X(Call) X(Tuple) X(TupleGetItem) X(TensorLoad) X(TensorRegion) \
      MLC_BINARY_KINDS(X) X(Not) X(BitwiseNot) X(Cast) X(Select) X(Ramp) X(Broadcast) X(Shuffle) X(Let)   \
          X(Reduce)
// Those of the graph language alone (ir/relax/expr.h), and functions, which are its values, too.
#define MLC_GRAPH_EXPR_KINDS(X) \
  X(GenericConst) X(ShapeExpr) X(SeqExpr) X(If) X(Function) X(ExternFunc) X(PrimFunc)

enum class ExprKind : uint8_t {
#define X(name) k##name,
  MLC_EXPR_KINDS(X) MLC_GRAPH_EXPR_KINDS(X)
#undef X
};
inline bool is_graph_kind(ExprKind kind) { return kind >= ExprKind::kGenericConst; }

struct ExprNode : ffi::Object {
  const ExprKind kind;
  Type ty;
  Span span;

  explicit ExprNode(ExprKind kind) : kind(kind) {}
  ExprNode(ExprKind kind, Type ty, Span span) : kind(kind), ty(std::move(ty)), span(span) {}
  // The data type of a primitive value; handle for pointers and buffers, void for everything else.
  DataType dtype() const;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE_BASE("mlc.ir.Expr", ExprNode, ffi::Object);
};

// A variable: identity is the object, the name is only for printing. A buffer is a variable whose
// type is a BufferType; one of a dataflow block is a DataflowVar (ir/relax/expr.h).
struct VarNode : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kVar;
  String name;

  VarNode(String name, Type ty, Span span = {})
      : ExprNode(kKind, std::move(ty), span), name(std::move(name)) {}
  explicit VarNode(ffi::UnsafeInit) : ExprNode(kKind) {}
  // Null unless this is a buffer.
  const BufferTypeNode* buffer() const {
    return ty && ty->kind == TypeKind::kBuffer ? static_cast<const BufferTypeNode*>(ty.get()) : nullptr;
  }
  template <class F>
  static void fields(F& f) {
    f.ignored("name", &VarNode::name);
    f("ty", &VarNode::ty);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  static constexpr int _type_child_slots = 1;
  static constexpr bool _type_child_slots_can_overflow = false;
  MLC_NODE_BASE("mlc.ir.Var", VarNode, ExprNode);
};
using Buffer = Var;  // by convention: a Var for which buffer() is not null

// The name of a function of the module.
struct GlobalVarNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kGlobalVar;
  String name_hint;

  explicit GlobalVarNode(String name_hint, Type ty = opaque_type(), Span span = {})
      : ExprNode(kKind, std::move(ty), span), name_hint(std::move(name_hint)) {}
  template <class F>
  static void fields(F& f) {
    f("name_hint", &GlobalVarNode::name_hint);
  }
  MLC_NODE("mlc.ir.GlobalVar", GlobalVarNode, ExprNode);
};
using GlobalVar = Ref<GlobalVarNode>;

// An integer or bool constant. uint64 values past 2^63 are kept as their bit pattern.
struct IntImmNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kIntImm;
  int64_t value;

  IntImmNode(DataType dtype, int64_t value, Span span = {})
      : ExprNode(kKind, prim_type(dtype), span), value(value) {}
  template <class F>
  static void fields(F& f) {
    f("value", &IntImmNode::value);
    f("ty", &IntImmNode::ty);
  }
  MLC_NODE("mlc.ir.IntImm", IntImmNode, ExprNode);
};
using IntImm = Ref<IntImmNode>;

struct FloatImmNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kFloatImm;
  double value;

  FloatImmNode(DataType dtype, double value, Span span = {})
      : ExprNode(kKind, prim_type(dtype), span), value(value) {}
  template <class F>
  static void fields(F& f) {
    f("value", &FloatImmNode::value);
    f("ty", &FloatImmNode::ty);
  }
  MLC_NODE("mlc.ir.FloatImm", FloatImmNode, ExprNode);
};
using FloatImm = Ref<FloatImmNode>;

struct StringImmNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kStringImm;
  String value;

  explicit StringImmNode(String value, Span span = {})
      : ExprNode(kKind, string_type(), span), value(std::move(value)) {}
  template <class F>
  static void fields(F& f) {
    f("value", &StringImmNode::value);
  }
  MLC_NODE("mlc.ir.StringImm", StringImmNode, ExprNode);
};
using StringImm = Ref<StringImmNode>;

// A primitive operator such as `tirx.exp`; one object per name, see ir/tir/op.h.
struct OpNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kOp;
  String name;

  explicit OpNode(String name) : ExprNode(kKind, opaque_type(), {}), name(std::move(name)) {}
  template <class F>
  static void fields(F& f) {
    f("name", &OpNode::name);
  }
  MLC_NODE("mlc.ir.Op", OpNode, ExprNode);
};
using Op = Ref<OpNode>;

// Calls an Op, a GlobalVar, or a function-valued variable. `ty_args`: the types that a call of the graph
// language gives along, such as those of what a `call_tir` writes.
struct CallNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kCall;
  Expr op;
  Array<Expr> args;
  Map<String, Any> attrs;
  Array<Type> ty_args;

  CallNode(Type ty, Expr op, Array<Expr> args, Map<String, Any> attrs = {}, Span span = {},
           Array<Type> ty_args = {})
      : ExprNode(kKind, std::move(ty), span),
        op(std::move(op)),
        args(std::move(args)),
        attrs(std::move(attrs)),
        ty_args(std::move(ty_args)) {}
  template <class F>
  static void fields(F& f) {
    f("op", &CallNode::op);
    f("args", &CallNode::args);
    f("attrs", &CallNode::attrs);
    f("ty_args", &CallNode::ty_args);
    f("ty", &CallNode::ty);
  }
  MLC_NODE("mlc.ir.Call", CallNode, ExprNode);
};
using Call = Ref<CallNode>;

struct TupleNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kTuple;
  Array<Expr> elements;

  explicit TupleNode(Array<Expr> elements, Span span = {});
  template <class F>
  static void fields(F& f) {
    f("fields", &TupleNode::elements);
  }
  MLC_NODE("mlc.ir.Tuple", TupleNode, ExprNode);
};
using Tuple = Ref<TupleNode>;

struct TupleGetItemNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kTupleGetItem;
  Expr tuple_value;
  int64_t index;

  TupleGetItemNode(Expr tuple_value, int64_t index, Span span = {});
  template <class F>
  static void fields(F& f) {
    f("tuple_value", &TupleGetItemNode::tuple_value);
    f("index", &TupleGetItemNode::index);
  }
  MLC_NODE("mlc.ir.TupleGetItem", TupleGetItemNode, ExprNode);
};
using TupleGetItem = Ref<TupleGetItemNode>;

// An element of a buffer (TVM's BufferLoad). A vector as the last index loads a vector.
struct TensorLoadNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kTensorLoad;
  Buffer source;
  Array<Expr> indices;

  TensorLoadNode(Buffer source, Array<Expr> indices, Span span = {});
  template <class F>
  static void fields(F& f) {
    f("source", &TensorLoadNode::source);
    f("indices", &TensorLoadNode::indices);
  }
  MLC_NODE("mlc.ir.TensorLoad", TensorLoadNode, ExprNode);
};
using TensorLoad = Ref<TensorLoadNode>;

// The half-open interval [min, min + extent).
struct RangeNode final : ffi::Object {
  Expr min;
  Expr extent;

  RangeNode(Expr min, Expr extent) : min(std::move(min)), extent(std::move(extent)) {}
  template <class F>
  static void fields(F& f) {
    f("min", &RangeNode::min);
    f("extent", &RangeNode::extent);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.ir.Range", RangeNode, ffi::Object);
};
using Range = Ref<RangeNode>;

// A box of a buffer (TVM's BufferRegion): what a block reads or writes.
struct TensorRegionNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kTensorRegion;
  Buffer source;
  Array<Range> region;

  TensorRegionNode(Buffer source, Array<Range> region, Span span = {})
      : ExprNode(kKind, buffer_region_type(), span), source(std::move(source)), region(std::move(region)) {}
  template <class F>
  static void fields(F& f) {
    f("source", &TensorRegionNode::source);
    f("region", &TensorRegionNode::region);
  }
  MLC_NODE("mlc.ir.TensorRegion", TensorRegionNode, ExprNode);
};
using TensorRegion = Ref<TensorRegionNode>;

// Common part of all two-operand arithmetic, so that passes can treat them alike by `kind`.
struct BinaryNode : ExprNode {
  Expr a;
  Expr b;

  explicit BinaryNode(ExprKind kind) : ExprNode(kind) {}
  // Comparisons and And/Or have a bool result of a's lanes, everything else has a's type.
  BinaryNode(ExprKind kind, Expr a, Expr b, Span span);
  template <class F>
  static void fields(F& f) {
    f("a", &BinaryNode::a);
    f("b", &BinaryNode::b);
  }
  MLC_NODE_BASE("mlc.prim.Binary", BinaryNode, ExprNode);
};

#define X(name)                                                                                         \
  struct name##Node final : BinaryNode {                                                                \
    static constexpr ExprKind kKind = ExprKind::k##name;                                                \
    name##Node(Expr a, Expr b, Span span = {}) : BinaryNode(kKind, std::move(a), std::move(b), span) {} \
    MLC_NODE("mlc.prim." #name, name##Node, BinaryNode);                                                \
  };                                                                                                    \
  using name = Ref<name##Node>;
MLC_BINARY_KINDS(X)
#undef X

struct NotNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kNot;
  Expr a;

  explicit NotNode(Expr a, Span span = {}) : ExprNode(kKind, a->ty, span), a(std::move(a)) {}
  template <class F>
  static void fields(F& f) {
    f("a", &NotNode::a);
  }
  MLC_NODE("mlc.prim.Not", NotNode, ExprNode);
};
using Not = Ref<NotNode>;

struct BitwiseNotNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kBitwiseNot;
  Expr a;

  explicit BitwiseNotNode(Expr a, Span span = {}) : ExprNode(kKind, a->ty, span), a(std::move(a)) {}
  template <class F>
  static void fields(F& f) {
    f("a", &BitwiseNotNode::a);
  }
  MLC_NODE("mlc.prim.BitwiseNot", BitwiseNotNode, ExprNode);
};
using BitwiseNot = Ref<BitwiseNotNode>;

// Value conversion to `dtype()`. Floats to integers truncate.
struct CastNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kCast;
  Expr value;

  CastNode(DataType dtype, Expr value, Span span = {})
      : ExprNode(kKind, prim_type(dtype), span), value(std::move(value)) {}
  template <class F>
  static void fields(F& f) {
    f("value", &CastNode::value);
    f("ty", &CastNode::ty);
  }
  MLC_NODE("mlc.prim.Cast", CastNode, ExprNode);
};
using Cast = Ref<CastNode>;

struct SelectNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kSelect;
  Expr condition;
  Expr true_value;
  Expr false_value;

  SelectNode(Expr condition, Expr true_value, Expr false_value, Span span = {})
      : ExprNode(kKind, true_value->ty, span),
        condition(std::move(condition)),
        true_value(std::move(true_value)),
        false_value(std::move(false_value)) {}
  template <class F>
  static void fields(F& f) {
    f("condition", &SelectNode::condition);
    f("true_value", &SelectNode::true_value);
    f("false_value", &SelectNode::false_value);
  }
  MLC_NODE("mlc.prim.Select", SelectNode, ExprNode);
};
using Select = Ref<SelectNode>;

// The vector (base, base + stride, ..., base + (lanes-1) * stride). `lanes` is an IntImm, or an
// expression with vscale for scalable vectors.
struct RampNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kRamp;
  Expr base;
  Expr stride;
  Expr lanes;

  RampNode(Expr base, Expr stride, Expr lanes, Span span = {});
  template <class F>
  static void fields(F& f) {
    f("base", &RampNode::base);
    f("stride", &RampNode::stride);
    f("lanes", &RampNode::lanes);
  }
  MLC_NODE("mlc.prim.Ramp", RampNode, ExprNode);
};
using Ramp = Ref<RampNode>;

struct BroadcastNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kBroadcast;
  Expr value;
  Expr lanes;

  BroadcastNode(Expr value, Expr lanes, Span span = {});
  template <class F>
  static void fields(F& f) {
    f("value", &BroadcastNode::value);
    f("lanes", &BroadcastNode::lanes);
  }
  MLC_NODE("mlc.prim.Broadcast", BroadcastNode, ExprNode);
};
using Broadcast = Ref<BroadcastNode>;

// The lanes of the concatenated `vectors` picked by constant `indices`.
struct ShuffleNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kShuffle;
  Array<Expr> vectors;
  Array<Expr> indices;

  ShuffleNode(Array<Expr> vectors, Array<Expr> indices, Span span = {});
  template <class F>
  static void fields(F& f) {
    f("vectors", &ShuffleNode::vectors);
    f("indices", &ShuffleNode::indices);
  }
  MLC_NODE("mlc.prim.Shuffle", ShuffleNode, ExprNode);
};
using Shuffle = Ref<ShuffleNode>;

struct LetNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kLet;
  Var var;
  Expr value;
  Expr body;

  LetNode(Var var, Expr value, Expr body, Span span = {})
      : ExprNode(kKind, body->ty, span),
        var(std::move(var)),
        value(std::move(value)),
        body(std::move(body)) {}
  template <class F>
  static void fields(F& f) {
    f("value", &LetNode::value);  // before the binder: the value does not see the variable
    f.binder("var", &LetNode::var);
    f("body", &LetNode::body);
  }
  MLC_NODE("mlc.prim.Let", LetNode, ExprNode);
};
using Let = Ref<LetNode>;

enum class IterType : int32_t {
  kDataPar = 0,
  kThreadIndex = 1,
  kCommReduce = 2,
  kOrdered = 3,
  kOpaque = 4,
  kUnrolled = 5,
  kVectorized = 6,
  kParallelized = 7,
  kTensorized = 8,
};

// An iterator of a block, a te axis, or a thread: a variable with its domain and meaning.
struct IterVarNode final : ffi::Object {
  Range dom;  // null for thread iterators without a known extent
  Var var;
  IterType iter_type;
  String thread_tag;  // "threadIdx.x", ...; empty for others

  IterVarNode(Range dom, Var var, IterType iter_type, String thread_tag = "")
      : dom(std::move(dom)), var(std::move(var)), iter_type(iter_type), thread_tag(std::move(thread_tag)) {}
  template <class F>
  static void fields(F& f) {
    f("dom", &IterVarNode::dom);
    f.binder("var", &IterVarNode::var);
    f("iter_type", &IterVarNode::iter_type);
    f("thread_tag", &IterVarNode::thread_tag);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.tirx.IterVar", IterVarNode, ffi::Object);
};
using IterVar = Ref<IterVarNode>;

// A commutative, associative combination: result = combine(lhs, rhs), with its identity.
struct CommReducerNode final : ffi::Object {
  Array<Var> lhs;
  Array<Var> rhs;
  Array<Expr> result;
  Array<Expr> identity_element;

  CommReducerNode(Array<Var> lhs, Array<Var> rhs, Array<Expr> result, Array<Expr> identity_element)
      : lhs(std::move(lhs)),
        rhs(std::move(rhs)),
        result(std::move(result)),
        identity_element(std::move(identity_element)) {}
  template <class F>
  static void fields(F& f) {
    f.binder("lhs", &CommReducerNode::lhs);
    f.binder("rhs", &CommReducerNode::rhs);
    f("result", &CommReducerNode::result);
    f("identity_element", &CommReducerNode::identity_element);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.tirx.CommReducer", CommReducerNode, ffi::Object);
};
using CommReducer = Ref<CommReducerNode>;

// A reduction of te expressions over `axis`; exists only until create_prim_func makes a block of it.
struct ReduceNode final : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kReduce;
  CommReducer combiner;
  Array<Expr> source;
  Array<Expr> init;  // empty: the combiner's identity
  Array<IterVar> axis;
  Expr condition;
  int64_t value_index;

  ReduceNode(CommReducer combiner, Array<Expr> source, Array<Expr> init, Array<IterVar> axis, Expr condition,
             int64_t value_index, Span span = {})
      : ExprNode(kKind, source[value_index]->ty, span),
        combiner(std::move(combiner)),
        source(std::move(source)),
        init(std::move(init)),
        axis(std::move(axis)),
        condition(std::move(condition)),
        value_index(value_index) {}
  template <class F>
  static void fields(F& f) {
    f("combiner", &ReduceNode::combiner);
    f.binder("axis", &ReduceNode::axis);
    f("source", &ReduceNode::source);
    f("init", &ReduceNode::init);
    f("condition", &ReduceNode::condition);
    f("value_index", &ReduceNode::value_index);
  }
  MLC_NODE("mlc.te.Reduce", ReduceNode, ExprNode);
};
using Reduce = Ref<ReduceNode>;

// Shorthands that read well in passes.
IntImm int_imm(DataType dtype, int64_t value, Span span = {});  // small int32/int64 constants are shared
inline IntImm int32(int64_t value) { return int_imm(DataType::Int(32), value); }
IntImm bool_imm(bool value);
Expr const_like(const Expr& like, int64_t value);            // constant of like's type (vectors: broadcast)
Expr make_const(DataType dtype, double value);               // any numeric type, vectors too
Expr binary(ExprKind kind, Expr a, Expr b, Span span = {});  // the node of that kind, no folding, no checks
Var make_var(String name, DataType dtype, Span span = {});
// The value of an integer constant (IntImm, or a broadcast of one); nullopt otherwise.
std::optional<int64_t> const_int(const Expr& e);
bool is_const_int(const Expr& e, int64_t value);

}  // namespace mlc::ir
