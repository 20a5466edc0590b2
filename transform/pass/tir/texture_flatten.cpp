// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/tir/texture.h"
#include "transform/arith/simplify_value.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_texture_flatten {

static constexpr ir::Refusals refusals{
    "NotImplementedError",
    {
        {.name = "texture-view",
         .message = "`{}` is a view of the texture `{}` whose elements are other texels",
         .help = "access the tensor itself",
         .meaning =
             "The dimensions of a tensor say where in a texture an element is: a view has the dimensions of "
             "the tensor, and all of it."},
        {.name = "texel-out-of-order",
         .message =
             "a vectorized loop writes the elements of a texel of `{}` in another order than they lie in",
         .help = "let the vectorized loop go over the last dimension alone: `A[..., i]`",
         .meaning = "A texel is written as one vector: its lanes are the elements of the tensor's last "
                    "dimension, in their order."},
    }};
MLC_REFUSALS(texture_flatten, refusals);

namespace {

constexpr char doc[] =
    R"(TextureFlatten(): read and write textures by texel.

    # A: T.Buffer((n, c, h, w, 4), "float32", scope="global.texture-nhwc")
    y = A[i, j, k, l, m]          =>   y = T.texture2d_load(A.data, k * w + l, j, i, 128, m)
    A[i, j, k, l, m] = x          =>   T.texture2d_store(A.data, k * w + l, j, i, 128, x)
needs: the last dimension, which is the texel, is a constant; no views of parts of textures.
keeps: buffers in other memory, and what blocks say that they read and write.
Operands are the texel in its row, the row, the plane, the bits of a texel, and the element of it or the value. A store
writes a whole texel: it stands in a loop over the last dimension that becomes a vector.)";

bool is_texture(const VarNode* buffer) { return ir::is_texture(text(buffer->buffer()->storage_scope)); }

struct Flatten final : Rewriter {
  Analyzer analyzer;
  Analyzer ranges;     // knows the loops, too
  VarMap values;       // of what blocks iterate over
  Var lane = nullptr;  // of the vectorized loop around

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* load = as<TensorLoadNode>(next);
    if (!load || !is_texture(load->source.get()) || load->indices.empty()) return next;
    Array<Expr> args = place(load->source, load->indices);
    args.push_back(load->indices.back());
    return make<CallNode>(prim_type(load->dtype()), op("tirx.texture2d_load"), args, Map<String, Any>(),
                          e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* decl = as<DeclBufferNode>(s); decl && is_texture(decl->buffer.get())) {
      auto* data = as_call_to(decl->data, "tirx.buffer_data");
      auto* whole = data ? as<VarNode>(data->args[0]) : nullptr;
      if (whole) check_view(decl->buffer.get(), whole, s->span);
    }
    if (auto* block = as<SBlockNode>(s)) {
      for (const MatchBufferRegion& view : block->match_buffers)
        if (is_texture(view->buffer.get()))
          check_view(view->buffer.get(), view->source->source.get(), s->span);
    }
    Var outer = lane;
    if (auto* loop = as<ForNode>(s)) {
      ranges.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
      if (loop->for_kind == ForKind::kVectorized) lane = loop->loop_var;
    }
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      for (size_t i = 0; i < realize->block->iter_vars.size(); ++i) {
        auto at = static_cast<int64_t>(i);
        values[realize->block->iter_vars[at]->var.get()] = substitute(realize->iter_values[at], values);
      }
    }
    Stmt next = rewrite_children(s);
    lane = outer;
    auto* store = as<BufferStoreNode>(next);
    if (!store || !is_texture(store->buffer.get()) || store->indices.empty()) return next;
    check_order(store);
    Array<Expr> args = place(store->buffer, store->indices);
    args.push_back(store->value);
    Type nothing = prim_type(DataType::Void());
    return make<EvaluateNode>(
        make<CallNode>(nothing, op("tirx.texture2d_store"), args, Map<String, Any>(), s->span), s->span);
  }

 private:
  static void check_view(const VarNode* view, const VarNode* whole, Span span) {
    const BufferTypeNode *a = view->buffer(), *b = whole->buffer();
    if (a && b && a->storage_scope == b->storage_scope && structural_equal(Any(a->shape), Any(b->shape)))
      return;
    throw refuse(refusals["texture-view"], view->name.c_str(), whole->name.c_str()).at(span);
  }

  // The index in the texel is no operand of a store: it has to be the lane.
  void check_order(const BufferStoreNode* store) {
    const Expr& last = store->indices.back();
    auto* ramp = as<RampNode>(last);
    if (!lane && !ramp) return;
    bool in_order = ramp ? is_const_int(ramp->base, 0) && is_const_int(ramp->stride, 1)
                         : ranges.can_prove_equal(substitute(last, values), cast(last->dtype(), lane));
    if (!in_order) throw refuse(refusals["texel-out-of-order"], store->buffer->name.c_str()).at(store->span);
  }

  // The texture, the texel in its row, the row, the plane, and the bits of a texel.
  Array<Expr> place(const Buffer& buffer, const Array<Expr>& indices) {
    const BufferTypeNode* type = buffer->buffer();
    size_t outer = type->shape.size() - 1;
    TextureAxes axes = texture_axes(type->shape.size(), text(type->storage_scope));
    return {data_of(buffer), position(type, indices, axes.rows, outer),
            position(type, indices, axes.planes, axes.rows), position(type, indices, 0, axes.planes),
            int32(static_cast<int32_t>(texel_bits(type)))};
  }
  Expr position(const BufferTypeNode* type, const Array<Expr>& indices, size_t begin, size_t end) {
    if (begin == end) return int32(0);
    Expr sum = indices[static_cast<int64_t>(begin)];
    for (size_t i = begin + 1; i < end; ++i) {
      auto at = static_cast<int64_t>(i);
      sum = add(mul(sum, type->shape[at]), indices[at]);
    }
    return end == begin + 1 ? sum : simplify_index(sum, analyzer);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Flatten flatten;
  bind_names(fn, flatten.analyzer);
  return with_body(fn, flatten.rewrite(fn->body));
}

}  // namespace

extern const Pass texture_flatten{"TextureFlatten",
                                  "s_tir.backend.adreno.transform",
                                  "TextureFlatten()",
                                  doc,
                                  apply,
                                  nullptr,
                                  {},
                                  "s_tir.backend.adreno.TextureFlatten"};

}  // namespace mlc::transform::pass_texture_flatten
