// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_remove_weight_layout_rewrite_block {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-a-layout-rewrite",
         .message = "block `{}` does more than copy elements into another layout",
         .help =
             "a block with the annotation `meta_schedule.layout_rewrite_preproc` is one store of one load "
             "whose indices are variables"},
    }};
MLC_REFUSALS(tir_remove_weight_layout_rewrite_block, refusals);

namespace {

constexpr char doc[] =
    R"(RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=False): weights come in the layout that the function wants.

    def f(W: T.Buffer((16, 16))):                           def f(V: T.Buffer((16, 4, 4))):
        V = T.sblock_alloc_buffer((16, 4, 4))                   with T.sblock("rewrite"):
        with T.sblock("rewrite"):                   =>              pass
            T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
            V[j, i // 4, i % 4] = W[i, j]
needs: a block with that annotation copies elements and nothing else; each index of what it reads is a variable.
keeps: the rest of the function, which is now called with the rewritten weights. skip_tensor_rewrite changes nothing,
as in TVM.
Where the rewrite is done once, before the function is measured.)";

constexpr std::string_view kAnnotation = "meta_schedule.layout_rewrite_preproc";

bool is_rewrite(const SBlockNode& block) {
  auto found = block.annotations.find(String(std::string(kAnnotation)));
  return found != block.annotations.end() && integer_of((*found).second) == 1;
}
PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  std::unordered_map<const VarNode*, Buffer> rewritten;  // by the buffer that was read
  std::unordered_set<const VarNode*> now_given;
  Stmt body = rewrite_with(fn->body, [&](const Stmt& s, Rewriter& on) -> Stmt {
    Stmt next = on.rewrite_children(s);
    auto* block = as<SBlockNode>(next);
    if (!block) return next;
    if (!is_rewrite(*block)) {
      Array<Buffer> kept;
      for (const Buffer& buffer : block->alloc_buffers) {
        if (!now_given.contains(buffer.get())) kept.push_back(buffer);
      }
      if (kept.size() == block->alloc_buffers.size()) return next;
      return with(ref(block), [&](SBlockNode& n) { n.alloc_buffers = kept; });
    }
    auto* store = as<BufferStoreNode>(block->body);
    auto* load = store ? as<TensorLoadNode>(store->value) : nullptr;
    bool variables = load && std::all_of(load->indices.begin(), load->indices.end(),
                                         [](const Expr& index) { return index->kind == ExprKind::kVar; });
    if (!variables || !block->alloc_buffers.empty() || !block->match_buffers.empty()) {
      throw refuse(refusals["not-a-layout-rewrite"], block->name_hint.c_str()).at(block->span);
    }
    rewritten[load->source.get()] = store->buffer;
    now_given.insert(store->buffer.get());
    return with(ref(block), [](SBlockNode& n) {
      n.body = no_op();
      n.reads = {};
      n.writes = {};
    });
  });
  if (rewritten.empty()) return with_body(fn, body);
  Array<Var> params;
  for (const Var& param : fn->params) {
    auto found = rewritten.find(param.get());
    params.push_back(found == rewritten.end() ? param : found->second);
  }
  return with_params(fn, params, body);
}

}  // namespace

extern const Pass remove_weight_layout_rewrite_block{
    "RemoveWeightLayoutRewriteBlock", "s_tir.transform",
    "RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=False)", doc, apply};

}  // namespace mlc::transform::pass_remove_weight_layout_rewrite_block
