// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/buffer_types.h"
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(ForceNarrowIndexToInt32(): all index arithmetic in 32 bits, whether or not the values fit.

    for i in T.serial(T.int64(8)):      =>      for i in range(8):
        A[i * T.int64(2)] = ...                     A[i * 2] = ...
needs: no buffer that is a parameter holds 64-bit integers.
keeps: the values, where indices are below 2^31: that is on trust.
Where NarrowDataType cannot see bounds, as with symbolic shapes.)";

struct Narrow final : BufferTypeRewriter {
  VarMap narrowed;

  static bool wide(const Expr& e) { return e->dtype().is_int() && e->dtype().bits() == 64; }
  static DataType narrow(DataType dtype) { return dtype.with_bits(32); }
  Var map_var(const Var& var) {
    if (var->buffer()) return mapped(var);
    if (!wide(var)) return var;
    Expr& next = narrowed[var.get()];
    if (!next) next = make_var(var->name, narrow(var->dtype()), var->span);
    return ref(as<VarNode>(next));
  }
  Var rewrite_def(const Var& var) override { return map_var(var); }
  using BufferTypeRewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) return map_var(ref(var));
    if (auto* imm = as<IntImmNode>(e))
      return wide(e) ? Expr(int_imm(narrow(e->dtype()), imm->value, e->span)) : e;
    if (auto* op = as_binary(e)) {
      Expr a = rewrite(op->a), b = rewrite(op->b);
      return a.same_as(op->a) && b.same_as(op->b) ? e : binary(op->kind, a, b, e->span);
    }
    if (auto* value = as<CastNode>(e)) {
      Expr inner = rewrite(value->value);
      DataType to = wide(e) ? narrow(e->dtype()) : e->dtype();
      if (inner.same_as(value->value) && to == e->dtype()) return e;
      return cast(to, inner, e->span);
    }
    if (auto* select = as<SelectNode>(e)) {
      Expr c = rewrite(select->condition), a = rewrite(select->true_value), b = rewrite(select->false_value);
      if (c.same_as(select->condition) && a.same_as(select->true_value) && b.same_as(select->false_value))
        return e;
      return make<SelectNode>(c, a, b, e->span);
    }
    Expr next = BufferTypeRewriter::rewrite(e);
    auto* call = as<CallNode>(next);
    if (call && wide(next))
      return with(ref(call), [&](CallNode& n) { n.ty = prim_type(narrow(e->dtype())); });
    return next;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Narrow narrow;
  Array<Var> params;
  for (const Var& param : fn->params) {
    if (param->buffer() && DataType(param->buffer()->dtype) == DataType::Int(64))
      throw Error("narrow-wide-buffer", "the parameter `{}` holds 64-bit integers, which would be cut off",
                  text(param->name))
          .at(param->span);
    params.push_back(narrow.map_var(param));
  }
  Stmt body = narrow.rewrite(fn->body);
  return with(fn, [&](PrimFuncNode& n) {
    n.params = params;
    n.body = body;
  });
}

}  // namespace

extern const Pass force_narrow_index_to_int32{
    "ForceNarrowIndexToInt32", "tirx.transform", "ForceNarrowIndexToInt32()", doc, apply, nullptr, {},
    "tirx.NarrowDataType"};

}  // namespace mlc::transform
