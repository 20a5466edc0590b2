// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_inject_ptx_ldg32 {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "wrong-index-type",
                                            .message = "`{}` is indexed with {}, a guarded load takes int32",
                                            .help = "run ForceNarrowIndexToInt32 before InjectPTXLDG32"},
                                       }};
MLC_REFUSALS(tir_inject_ptx_ldg32, refusals);

namespace {

constexpr char doc[] =
    R"(InjectPTXLDG32(enable): loads that a condition guards become guarded loads of NVIDIA's GPUs.

    B[j] = T.if_then_else(c, A[i], T.float32(0))    =>      addr[0] = i
                                                            addr[1] = j
                                                            predicate[0] = c
                                                            B[addr[1]] = T.float32(0)
                                                            T.s_tir.ldg32(B.data, predicate[0], A[addr[0]], addr[1])
needs: flat buffers with int32 indices of one element. Functions whose target is not `cuda` stay, and all of them
when it is not enabled.
keeps: what is computed when the load is the first of the two values. As in TVM, a load in the other place is guarded
by the same condition, not by its opposite.)";

void check(const Buffer& buffer, const Array<Expr>& indices, Span span) {
  if (indices.size() != 1) {
    throw refuse(pass_refusals["buffer-not-flat"], buffer->name.c_str(), indices.size())
        .at(span)
        .help("run FlattenBuffer before InjectPTXLDG32");
  }
  if (DataType dtype = indices[0]->dtype(); dtype != DataType::Int(32)) {
    throw refuse(refusals["wrong-index-type"], buffer->name.c_str(), dtype.str()).kind("TypeError").at(span);
  }
}
Stmt with_guarded_loads(const Stmt& body) {
  Buffer predicate = new_buffer("predicate", DataType::Bool(), "local", {int32(1)});
  // Of what is loaded, and where it goes.
  Buffer addr = new_buffer("addr", DataType::Int(32), "local", {int32(2)});
  bool found = false;
  Stmt next = rewrite_with(body, [&](const Stmt& s, Rewriter& on) {
    auto* store = as<BufferStoreNode>(s);
    if (!store) return on.rewrite_children(s);
    auto* choice = as_call_to(store->value, "tirx.if_then_else");
    if (!choice) return s;
    auto* load = as<TensorLoadNode>(choice->args[1]);
    Expr otherwise = choice->args[2];
    if (!load) {
      load = as<TensorLoadNode>(choice->args[2]);
      otherwise = choice->args[1];
    }
    if (!load || store->value->dtype().is_vector()) return s;
    check(store->buffer, store->indices, s->span);
    check(load->source, load->indices, s->span);
    found = true;
    auto at = [](const Buffer& buffer, const Expr& index) {
      return make<TensorLoadNode>(buffer, Array<Expr>{index});
    };
    Expr from = at(addr, int32(0)), to = at(addr, int32(1));
    Array<Expr> args{data_of(store->buffer), at(predicate, int32(0)), at(load->source, from), to};
    Type type = prim_type(store->buffer->buffer()->dtype);
    return seq({
        make<BufferStoreNode>(addr, load->indices[0], Array<Expr>{int32(0)}),
        make<BufferStoreNode>(addr, store->indices[0], Array<Expr>{int32(1)}),
        make<BufferStoreNode>(predicate, choice->args[0], Array<Expr>{int32(0)}),
        make<BufferStoreNode>(store->buffer, otherwise, Array<Expr>{to}, s->span),
        make<EvaluateNode>(make<CallNode>(type, op("tirx.s_tir.ldg32"), args), s->span),
    });
  });
  return found ? seq({make<AllocBufferNode>(predicate), make<AllocBufferNode>(addr), next}) : body;
}

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  auto target = bound_target(fn);
  if (!options.flag(0) || !target || text((*target)->kind) != "cuda") return fn;
  return with_body(fn, with_guarded_loads(fn->body));
}

}  // namespace

extern const Pass inject_ptx_ldg32{"InjectPTXLDG32", "s_tir.transform",
                                   "InjectPTXLDG32(enable_inject_ptx_intrin=True)", doc, apply};

}  // namespace mlc::transform::pass_inject_ptx_ldg32
