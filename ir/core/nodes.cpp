// SPDX-License-Identifier: Apache-2.0
// Constructors that compute types, and shared constants.
#include <array>
#include <cmath>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "lanes-not-constant",
         .message = "the lanes of a vector must be a constant, or a constant times `T.vscale()`"},
    }};
MLC_REFUSALS(core_nodes, refusals);

int32_t detail::allocate_type(const char* key, int32_t depth, int32_t child_slots, bool more_children,
                              int32_t parent) {
  TVMFFIByteArray name{key, std::char_traits<char>::length(key)};
  return TVMFFITypeGetOrAllocIndex(&name, -1, depth, child_slots, more_children ? 1 : 0, parent);
}

PrimType prim_type(DataType dtype) {
  static thread_local std::unordered_map<uint32_t, PrimType> cache;
  uint32_t key = static_cast<uint32_t>(dtype.code()) << 24U | static_cast<uint32_t>(dtype.bits()) << 16U |
                 static_cast<uint16_t>(dtype.lanes());
  PrimType& type = cache[key];
  if (!type) type = make<PrimTypeNode>(dtype);
  return type;
}
TupleType void_type() {
  static const TupleType type = make<TupleTypeNode>(Array<Type>{});
  return type;
}
Type string_type() {
  static const Type type = make<StringTypeNode>();
  return type;
}
Type opaque_type() {
  static const Type type = make<OpaqueTypeNode>();
  return type;
}
Type buffer_region_type() {
  static const Type type = make<BufferRegionTypeNode>();
  return type;
}
Type tensor_map_type() {
  static const Type type = make<TensorMapTypeNode>();
  return type;
}

DataType ExprNode::dtype() const {
  if (!ty) return DataType::Void();
  switch (ty->kind) {
    case TypeKind::kPrim:
      return static_cast<const PrimTypeNode*>(ty.get())->dtype;
    case TypeKind::kPointer:
    case TypeKind::kBuffer:
    case TypeKind::kTensorMap:
      return DataType::Handle();
    default:
      return DataType::Void();
  }
}

namespace {

// Where the type of an element is not known yet, that of the tuple is not.
Type tuple_type(const Array<Expr>& elements) {
  Array<Type> types;
  for (const Expr& e : elements) {
    if (!e->ty) return opaque_type();
    types.push_back(e->ty);
  }
  return make<TupleTypeNode>(types);
}

Type element_type(const Expr& tuple, int64_t index) {
  if (tuple->ty && tuple->ty->kind == TypeKind::kTuple) {
    const auto* type = static_cast<const TupleTypeNode*>(tuple->ty.get());
    if (index >= 0 && index < static_cast<int64_t>(type->elements.size())) return type->elements[index];
  }
  return opaque_type();
}

Type load_type(const Buffer& source, const Array<Expr>& indices) {
  const BufferTypeNode* buffer = source->buffer();
  MLC_CHECK(buffer, "`{}` is loaded from but is no buffer", source->name.c_str());
  DataType dtype = buffer->dtype;
  if (!indices.empty() && indices[indices.size() - 1]->dtype().is_vector()) {
    int lanes = indices[indices.size() - 1]->dtype().lanes();
    dtype = dtype.with_lanes(lanes * std::max(1, dtype.lanes()));
  }
  return prim_type(dtype);
}

// Lanes of a Ramp or Broadcast: a constant, or `c * vscale()` for scalable vectors (stored as -c).
int lanes_of(const Expr& lanes) {
  if (auto value = const_int(lanes)) return static_cast<int>(*value);
  if (auto* mul = as<MulNode>(lanes)) {
    if (auto a = const_int(mul->a); a && mul->b->kind == ExprKind::kCall) return -static_cast<int>(*a);
    if (auto b = const_int(mul->b); b && mul->a->kind == ExprKind::kCall) return -static_cast<int>(*b);
  }
  throw ir::refuse(refusals["lanes-not-constant"]).at(lanes->span);
}

bool yields_bool(ExprKind kind) { return kind >= ExprKind::kEQ && kind <= ExprKind::kOr; }

}  // namespace

TupleNode::TupleNode(Array<Expr> elements, Span span)
    : ExprNode(kKind, tuple_type(elements), span), elements(std::move(elements)) {}
TupleGetItemNode::TupleGetItemNode(Expr tuple_value, int64_t index, Span span)
    : ExprNode(kKind, element_type(tuple_value, index), span),
      tuple_value(std::move(tuple_value)),
      index(index) {}
TensorLoadNode::TensorLoadNode(Buffer source, Array<Expr> indices, Span span)
    : ExprNode(kKind, load_type(source, indices), span),
      source(std::move(source)),
      indices(std::move(indices)) {}
BinaryNode::BinaryNode(ExprKind kind, Expr a, Expr b, Span span)
    : ExprNode(kind, yields_bool(kind) ? Type(prim_type(DataType::Bool(a->dtype().lanes()))) : a->ty, span),
      a(std::move(a)),
      b(std::move(b)) {}
RampNode::RampNode(Expr base, Expr stride, Expr lanes, Span span)
    : ExprNode(kKind, prim_type(base->dtype().with_lanes(lanes_of(lanes))), span),
      base(std::move(base)),
      stride(std::move(stride)),
      lanes(std::move(lanes)) {}
BroadcastNode::BroadcastNode(Expr value, Expr lanes, Span span)
    : ExprNode(kKind, prim_type(value->dtype().with_lanes(lanes_of(lanes))), span),
      value(std::move(value)),
      lanes(std::move(lanes)) {}
ShuffleNode::ShuffleNode(Array<Expr> vectors, Array<Expr> indices, Span span)
    : ExprNode(kKind, prim_type(vectors[0]->dtype().with_lanes(static_cast<int>(indices.size()))), span),
      vectors(std::move(vectors)),
      indices(std::move(indices)) {}

IntImm int_imm(DataType dtype, int64_t value, Span span) {
  constexpr int64_t kSmall = 128;  // -128..1023 of int32 and int64 without a span are shared
  constexpr size_t kCached = 1152;
  bool wide = dtype == DataType::Int(64);
  if (span || (!wide && !(dtype == DataType::Int(32))) || value < -kSmall ||
      value >= static_cast<int64_t>(kCached) - kSmall) {
    return make<IntImmNode>(dtype, value, span);
  }
  static thread_local std::array<std::array<IntImm, kCached>, 2> cache;
  IntImm& shared = cache[wide ? 1 : 0][static_cast<size_t>(value + kSmall)];
  if (!shared) shared = make<IntImmNode>(dtype, value);
  return shared;
}
IntImm bool_imm(bool value) {
  static const IntImm values[2] = {make<IntImmNode>(DataType::Bool(), 0),
                                   make<IntImmNode>(DataType::Bool(), 1)};
  return values[value ? 1 : 0];
}
Expr make_const(DataType dtype, double value) {
  if (dtype.is_vector()) {
    Expr lanes = int32(dtype.lanes());
    MLC_CHECK(!dtype.is_scalable(), "constants of scalable vectors are broadcasts with vscale");
    return make<BroadcastNode>(make_const(dtype.element(), value), lanes);
  }
  if (dtype.is_floating()) return make<FloatImmNode>(dtype, value);
  return int_imm(dtype, static_cast<int64_t>(value));
}
Expr const_like(const Expr& like, int64_t value) {
  DataType dtype = like->dtype();
  if (dtype.is_scalar() && !dtype.is_floating()) return int_imm(dtype, value);
  return make_const(dtype, static_cast<double>(value));
}
Expr binary(ExprKind kind, Expr a, Expr b, Span span) {
  switch (kind) {
#define X(name)           \
  case ExprKind::k##name: \
    return make<name##Node>(std::move(a), std::move(b), span);
    MLC_BINARY_KINDS(X)
#undef X
    default:
      throw InternalError(__FILE__, __LINE__, "not a binary kind");
  }
}
Var make_var(String name, DataType dtype, Span span) {
  return make<VarNode>(std::move(name), prim_type(dtype), span);
}

std::optional<int64_t> const_int(const Expr& e) {
  if (auto* imm = as<IntImmNode>(e)) return imm->value;
  if (auto* vector = as<BroadcastNode>(e)) return const_int(vector->value);
  return std::nullopt;
}
bool is_const_int(const Expr& e, int64_t value) {
  auto found = const_int(e);
  return found && *found == value;
}

ExecScope exec_scope(ScopeKind kind) {
  static const std::array<ExecScope, 5> scopes = {
      make<ExecScopeNode>(ScopeKind::kCluster), make<ExecScopeNode>(ScopeKind::kCta),
      make<ExecScopeNode>(ScopeKind::kWarpgroup), make<ExecScopeNode>(ScopeKind::kWarp),
      make<ExecScopeNode>(ScopeKind::kThread)};
  return scopes[static_cast<size_t>(kind) - static_cast<size_t>(ScopeKind::kCluster)];
}

Stmt no_op() {
  static const Stmt stmt = make<EvaluateNode>(int32(0));
  return stmt;
}
bool is_no_op(const Stmt& stmt) {
  if (!stmt) return true;
  auto* evaluate = as<EvaluateNode>(stmt);
  return evaluate && as<IntImmNode>(evaluate->value) && is_const_int(evaluate->value, 0);
}
Stmt seq(Array<Stmt> stmts, Span span) {
  Array<Stmt> flat;
  auto add = [&flat](const auto& self, const Stmt& stmt) -> void {
    if (auto* nested = as<SeqStmtNode>(stmt)) {
      for (const Stmt& one : nested->seq) self(self, one);
    } else if (!is_no_op(stmt)) {
      flat.push_back(stmt);
    }
  };
  for (const Stmt& stmt : stmts) add(add, stmt);
  if (flat.empty()) return no_op();
  if (flat.size() == 1) return flat[0];
  return make<SeqStmtNode>(flat, span);
}

}  // namespace mlc::ir
