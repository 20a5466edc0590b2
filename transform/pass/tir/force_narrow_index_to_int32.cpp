// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/index_rewriter.h"

namespace mlc::transform::pass_force_narrow_index_to_int32 {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "narrow-wide-index", .message = "the index {} does not fit into 32 bits"},
        {.name = "narrow-wide-buffer",
         .message = "the {} `{}` holds 64-bit integers, which would be cut off"},
    }};
MLC_REFUSALS(tir_force_narrow_index_to_int32, refusals);

namespace {

constexpr char doc[] =
    R"(ForceNarrowIndexToInt32(): all index arithmetic in 32 bits, whether or not the values fit.

    for i in T.serial(T.int64(8)):      =>      for i in range(8):
        A[i * T.int64(2)] = ...                     A[i * 2] = ...
needs: no buffer that is a parameter or allocated holds 64-bit integers.
keeps: the values, where indices are below 2^31: that is on trust. Values that are stored or passed on keep the type
they are cast to.
Where NarrowDataType cannot see bounds, as with symbolic shapes.)";

struct Narrow final : IndexRewriter {
  static bool wide(const Expr& e) { return e->dtype().is_int() && e->dtype().bits() == 64; }
  static DataType narrow(DataType dtype) { return dtype.with_bits(32); }
  Var narrowed(const Var& var) override {
    return wide(var) ? retyped(var, narrow(var->dtype())) : var;
  }
  // Names that occur in an index somewhere, which may come after their other uses.
  void learn(const Narrow& from) { vars_ = from.vars_; }

  // By more bits than a type has it cannot be shifted.
  static Expr bits_within(const Expr& bits, DataType shifted) {
    int64_t most = shifted.bits() - 1;
    auto known = const_int(bits);
    return known && *known <= most ? bits : min(bits, int_imm(bits->dtype(), most));
  }

  using IndexRewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) return use_of(var);
    if (auto* imm = as<IntImmNode>(e)) {
      if (!wide(e)) return e;
      if (imm->value > std::numeric_limits<int32_t>::max()) {
        throw refuse(refusals["narrow-wide-index"], imm->value).kind("InternalError").at(e->span);
      }
      return int_imm(narrow(e->dtype()), imm->value, e->span);
    }
    if (auto* value = as<CastNode>(e); value && is_index_ && e->dtype().is_int() && e->dtype().bits() >= 32) {
      Expr inner = rewrite(value->value);
      DataType type = narrow(e->dtype());
      return inner->dtype() == type ? inner : make<CastNode>(type, inner, e->span);
    }
    if (auto* op = as_binary(e)) {
      bool compares = op->kind >= ExprKind::kEQ && op->kind <= ExprKind::kGE;
      bool outside = is_index_;
      if (compares) is_index_ = is_condition_ && op->a->dtype().is_int() && op->b->dtype().is_int();
      Expr a = rewrite(op->a), b = rewrite(op->b);
      is_index_ = outside;
      bool shifts = op->kind == ExprKind::kLShift || op->kind == ExprKind::kRShift;
      if (shifts && wide(op->a) && !wide(a)) b = bits_within(b, a->dtype());
      return a.same_as(op->a) && b.same_as(op->b) ? e : build(op->kind, a, b, e->span);
    }
    if (auto* choice = as_call_to(e, "tirx.if_then_else")) return rewrite_choice(*choice);
    return rewrite_other(e);
  }
};

void need_narrow(std::string_view what, const Buffer& buffer) {
  if (!buffer->buffer() || DataType(buffer->buffer()->dtype) != DataType::Int(64)) return;
  throw refuse(refusals["narrow-wide-buffer"], what, text(buffer->name)).kind(kRefusedValue).at(buffer->span);
}

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  for (const Var& param : fn->params) need_narrow("parameter", param);
  post_order(fn->body, nullptr, [](const Stmt& s) {
    if (auto* alloc = as<AllocBufferNode>(s)) need_narrow("buffer", alloc->buffer);
  });
  auto params = [&](Narrow& narrow) {
    Array<Var> all;
    for (const Var& param : fn->params) all.push_back(narrow.rewrite_def(param));
    return all;
  };
  Narrow look, narrow;
  params(look);
  look.rewrite(fn->body);
  narrow.learn(look);
  Array<Var> changed = params(narrow);
  Stmt body = narrow.rewrite(fn->body);
  return with_params(fn, changed, body);
}

}  // namespace

extern const Pass force_narrow_index_to_int32{
    "ForceNarrowIndexToInt32", "tirx.transform", "ForceNarrowIndexToInt32()", doc, apply, nullptr, {},
    "tirx.NarrowDataType"};

}  // namespace mlc::transform::pass_force_narrow_index_to_int32
