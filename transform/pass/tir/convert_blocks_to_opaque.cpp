// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_convert_blocks_to_opaque {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "init-not-lowered",
         .message = "block `{}` still has an init",
         .help = "run LowerInitBlock first",
         .meaning =
             "`LowerInitBlock` turns the init of a reduction into a statement; passes behind it want that "
             "done.",
         .wrong = "tvm.s_tir.transform.ConvertBlocksToOpaque()(sch.mod)",
         .right =
             "tvm.s_tir.transform.ConvertBlocksToOpaque()(tvm.s_tir.transform.LowerInitBlock()(sch.mod))"},
    }};
MLC_REFUSALS(tir_convert_blocks_to_opaque, refusals);

namespace {

constexpr char doc[] = R"(ConvertBlocksToOpaque(): block iterators are replaced by their values.

    with T.sblock("B"):                     with T.sblock("B"):
        vi = T.axis.spatial(n, e)   =>          S[vi := e]
        S
needs: no block has an init (LowerInitBlock).
keeps: predicates, regions and allocations of the blocks.
After the buffers have found their places, which asks what the iterators are.)";

// One substitution for the whole function: block iterators are unique binders, so the map only grows.
struct MakeOpaque final : Substituter {
  using Substituter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    auto* realize = as<SBlockRealizeNode>(s);
    if (!realize) return rewrite_children(s);
    const SBlock& block = realize->block;
    if (block->init) {
      throw refuse(refusals["init-not-lowered"], block->name_hint.c_str()).at(block->span);
    }
    for (size_t i = 0; i < block->iter_vars.size(); ++i) {
      values[block->iter_vars[i]->var.get()] = rewrite(realize->iter_values[i]);
    }
    if (block->iter_vars.empty()) return rewrite_children(s);
    Expr predicate = rewrite(realize->predicate);
    Stmt rest = rewrite_children(Stmt(with(block, [](SBlockNode& n) { n.iter_vars = {}; })));
    SBlock opaque = ref(static_cast<const SBlockNode*>(rest.get()));
    return make<SBlockRealizeNode>(Array<Expr>{}, predicate, opaque, s->span);
  }
};

}  // namespace

extern const Pass convert_blocks_to_opaque{
                                           "ConvertBlocksToOpaque", "s_tir.transform",
                                           "ConvertBlocksToOpaque()",
                                           doc, rewritten_by<MakeOpaque>};

}  // namespace mlc::transform::pass_convert_blocks_to_opaque
