// SPDX-License-Identifier: Apache-2.0
// The index arithmetic of a function in one type: shapes, loops, block iterators and the indices of accesses.
// What is stored keeps its type; where an index is part of it, it is converted where it is stored.
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"
#include "transform/pass/index_rewriter.h"
#include "transform/te/create_prim_func.h"

namespace mlc::transform::te {
namespace {

class IndexTypes final : public IndexRewriter {
 public:
  explicit IndexTypes(DataType type) : type_(type) {}

  using IndexRewriter::rewrite;
  // What is said of a block names buffers, too.
  Stmt rewrite(const Stmt& s) override {
    Stmt next = IndexRewriter::rewrite(s);
    auto* block = as<SBlockNode>(next);
    if (block == nullptr || block->annotations.empty()) return next;
    return updated(block, [&](SBlockNode& n) {
      for (const auto& [key, value] : block->annotations) {
        Any mapped = with_buffers(value);
        if (!mapped.same_as(value)) n.annotations.Set(key, mapped);
      }
    });
  }
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) return use_of(var);
    if (auto* number = as<IntImmNode>(e))
      return is_index_ && is_integer(e) ? int_imm(type_, number->value) : e;
    if (auto* value = as<CastNode>(e)) {
      Expr inner = rewrite(value->value);
      if (is_index_ && is_integer(e)) return cast(type_, inner, e->span);
      return inner.same_as(value->value) ? e : make<CastNode>(e->dtype(), inner, e->span);
    }
    if (auto* two = as_binary(e)) {
      // Integers that a condition compares count as indices; those of fewer bits than an index has are values
      // that wrap.
      bool outside = is_index_;
      bool compares = two->kind >= ExprKind::kEQ && two->kind <= ExprKind::kGE;
      if (compares) is_index_ = is_condition_ && may_be_index(two->a) && may_be_index(two->b);
      Expr a = rewrite(two->a), b = rewrite(two->b);
      is_index_ = outside;
      if (a.same_as(two->a) && b.same_as(two->b)) return e;
      match_types(a, b);
      return binary(two->kind, a, b, e->span);
    }
    auto* call = as<CallNode>(e);
    if (call == nullptr) return rewrite_other(e);
    return as_call_to(e, "tirx.if_then_else") ? rewrite_choice(*call) : rewrite_call(*call);
  }

 protected:
  Var narrowed(const Var& var) override {
    return !is_integer(var) || var->dtype() == type_ ? var : retyped(var, type_);
  }
  // As in TVM, what changes loses its layout.
  Buffer map_buffer(const Buffer& buffer) override {
    Buffer next = IndexRewriter::map_buffer(buffer);
    if (next.same_as(buffer) || !next->buffer()->layout.defined()) return next;
    return with_type(buffer, with(type_of(next), [](BufferTypeNode& n) { n.layout = ObjectRef(); }));
  }

 private:
  Any with_buffers(const Any& value) {
    if (auto var = value.as<Var>()) return (*var)->buffer() ? Any(mapped(*var)) : value;
    auto all = value.as<Array<Any>>();
    return all ? Any(all->Map([this](const Any& one) { return with_buffers(one); })) : value;
  }
  static bool is_integer(const Expr& e) {
    return e->ty->kind == TypeKind::kPrim && e->dtype().is_scalar() && e->dtype().is_int();
  }
  static bool may_be_index(const Expr& e) { return is_integer(e) && e->dtype().bits() >= 32; }
  // Functions have the type of their argument.
  Expr rewrite_call(const CallNode& call) {
    Array<Expr> args = rewrite(call.args);
    if (args.same_as(call.args)) return ref(&call);
    bool follows =
        call.ty->kind == TypeKind::kPrim && is_integer(call.args[0]) && call.dtype() == call.args[0]->dtype();
    return with(ref(&call), [&](CallNode& n) {
      n.args = args;
      if (follows) n.ty = args[0]->ty;
    });
  }

  DataType type_;
};

}  // namespace

PrimFunc with_index_type(const PrimFunc& fn, DataType type) {
  IndexTypes types(type);
  Array<Var> params;
  for (const Var& param : fn->params) params.push_back(types.rewrite_def(param));
  Stmt body = types.rewrite(fn->body);
  return with_params(fn, params, body);
}

}  // namespace mlc::transform::te
