// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform::pass_lower_vtcm_alloc {
namespace {

constexpr char doc[] =
    R"(LowerVtcmAlloc(): memory of the scope "global.vtcm" is handed out by the runtime.

    B = T.alloc_buffer((64,), scope="global.vtcm")
    =>
    B = T.decl_buffer((64,), data=T.nd_mem_alloc_with_scope("global.vtcm", 1, T.tvm_stack_make_shape(64)), ..)
needs: nothing.
keeps: every access.
For Hexagon, whose tightly coupled memory has an allocator of its own.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(
      fn, rewrite_with(fn->body, [](const Stmt& s, Rewriter& on) -> Stmt {
        auto* alloc = as<AllocBufferNode>(s);
        if (!alloc || text(alloc->buffer->buffer()->storage_scope) != "global.vtcm")
          return on.rewrite_children(s);
        const Array<Expr>& shape = alloc->buffer->buffer()->shape;
        Type dims = make<PointerTypeNode>(Type(prim_type(DataType::Int(64))), String("global"));
        Expr extents = make<CallNode>(dims, op("tirx.tvm_stack_make_shape"), shape);
        Array<Expr> args{make<StringImmNode>(alloc->buffer->buffer()->storage_scope),
                         int_imm(DataType::Int(64), static_cast<int64_t>(shape.size())), extents};
        Expr data = make<CallNode>(data_of(alloc->buffer)->ty, op("tirx.nd_mem_alloc_with_scope"), args);
        return make<DeclBufferNode>(alloc->buffer, data, s->span);
      }));
}

}  // namespace

extern const Pass lower_vtcm_alloc{"LowerVtcmAlloc", "s_tir.transform", "LowerVtcmAlloc()", doc, apply};

}  // namespace mlc::transform::pass_lower_vtcm_alloc
