// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/texture.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_inject_texture_alloc {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "texture-rank",
         .kind = ir::kRefusedValue,
         .message = "`{}` has {} dimensions: a tensor in a texture has rows, texels and elements, or more"},
        {.name = "texel-size",
         .kind = ir::kRefusedValue,
         .message = "the last dimension of `{}` has {} bits: a texel has 64 or 128"},
    }};
MLC_REFUSALS(inject_texture_alloc, refusals);

namespace {

constexpr char doc[] =
    R"(InjectTextureAlloc(): textures that a function uses for itself are handed out by the runtime.

    B = T.alloc_buffer((2, 3, 5, 7, 4), scope="global.texture")
    =>
    B = T.decl_buffer((2, 3, 5, 7, 4), data=T.nd_mem_alloc_with_scope("global.texture", 3,
                      T.tvm_stack_make_shape(7, 5, 6), 128), scope="global.texture")
needs: no blocks (LowerOpaqueBlock), three dimensions or more, texels of 64 or 128 bits.
keeps: every access.
Operands are the layout, the width, height and number of planes, and the bits of a texel.)";

struct Inject final : Rewriter {
  Analyzer analyzer;

  using Rewriter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    auto* alloc = as<AllocBufferNode>(s);
    std::string_view scope = alloc ? text(alloc->buffer->buffer()->storage_scope) : "";
    if (!is_texture(scope)) return rewrite_children(s);
    const BufferTypeNode* type = alloc->buffer->buffer();
    size_t ndim = type->shape.size();
    if (ndim < 3) throw refuse(refusals["texture-rank"], alloc->buffer->name.c_str(), ndim).at(s->span);
    TextureAxes axes = texture_axes(ndim, scope);
    int64_t bits = texel_bits(type);
    if (bits != 64 && bits != 128)
      throw refuse(refusals["texel-size"], alloc->buffer->name.c_str(), bits).at(s->span);
    Array<Expr> extents{extent(type->shape, axes.rows, ndim - 1), extent(type->shape, axes.planes, axes.rows),
                        extent(type->shape, 0, axes.planes)};
    Type dims = make<PointerTypeNode>(Type(prim_type(DataType::Int(64))), String("global"));
    DataType index = DataType::Int(64);
    Array<Expr> args{make<StringImmNode>(type->storage_scope), int_imm(index, 3),
                     make<CallNode>(dims, op("tirx.tvm_stack_make_shape"), extents), int_imm(index, bits)};
    Expr data = make<CallNode>(data_of(alloc->buffer)->ty, op("tirx.nd_mem_alloc_with_scope"), args);
    return make<DeclBufferNode>(alloc->buffer, data, s->span);
  }

 private:
  Expr extent(const Array<Expr>& shape, size_t begin, size_t end) {
    Expr count = int32(1);
    for (size_t i = begin; i < end; ++i) {
      const Expr& dim = shape[static_cast<int64_t>(i)];
      count = i == begin ? dim : mul(count, dim);
    }
    return analyzer.simplify(count);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_body(fn, Inject().rewrite(fn->body)); }

}  // namespace

extern const Pass inject_texture_alloc{"InjectTextureAlloc",
                                       "s_tir.backend.adreno.transform",
                                       "InjectTextureAlloc()",
                                       doc,
                                       apply,
                                       nullptr,
                                       {},
                                       "s_tir.backend.adreno.InjectTextureAlloc"};

}  // namespace mlc::transform::pass_inject_texture_alloc
