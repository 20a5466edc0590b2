// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_manifest_shared_memory_local_stage {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "local-stage", .message = "{}"},
                                       }};
MLC_REFUSALS(tir_manifest_shared_memory_local_stage, refusals);

namespace {

constexpr char doc[] =
    R"(ManifestSharedMemoryLocalStage(): marked copies to shared memory go through local memory, in two nests of loops.

    for i in range(4):                              S_local = T.sblock_alloc_buffer((4,), scope="local")
        with T.sblock("copy"):                      for i in range(4):
            T.sblock_attr({"tirx.manifest_              with T.sblock(""):
                shared_memory_local_stage": 1})    =>       S_local[i] = A[i]
            S[i] = A[i]                             for i in range(4):
                                                        with T.sblock("copy"):
                                                            S[i] = S_local[i]
needs: a marked block stores one element to shared memory that the block around it allocates, has no iterators of its
own (ConvertBlocksToOpaque), and is alone in serial or vectorized loops; the
loads stand before the whole statement of the block around it, also out of a condition.
keeps: what is computed. Loads from global memory can then be in flight while others are stored.
Before InjectSoftwarePipeline.)";

constexpr std::string_view mark = "tirx.manifest_shared_memory_local_stage";

[[noreturn]] void refuse(Span span, std::string_view message) {
  throw refuse(refusals["local-stage"], message).kind("ValueError").at(span);
}

class Manifest final : public Rewriter {
 public:
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    std::vector<For> loops;
    Stmt inside = s;
    while (auto* loop = as<ForNode>(inside)) {
      loops.push_back(ref(loop));
      inside = loop->body;
    }
    auto* realize = as<SBlockRealizeNode>(inside);
    if (realize && realize->block->annotations.count(String(std::string(mark)))) {
      if (inside_loop_) refuse(inside->span, "a copy with a local stage is not alone in the loops around it");
      return staged(loops, *realize);
    }
    if (auto* around = as<SBlockRealizeNode>(s)) return rewrite_block(*around);
    if (!as<ForNode>(s)) return rewrite_children(s);
    bool outer = std::exchange(inside_loop_, true);
    Stmt next = rewrite_children(s);
    inside_loop_ = outer;
    return next;
  }

 private:
  // An enclosing block.
  struct Around {
    const SBlockNode* block;
    Array<Buffer> locals;  // to be allocated in it
    Array<Stmt> loads;     // to insert before the statement of its body that is rewritten
  };
  std::vector<Around> around_;
  bool inside_loop_ = false;  // within the innermost block

  Stmt rewrite_block(const SBlockRealizeNode& realize) {
    const SBlock& block = realize.block;
    bool outer = std::exchange(inside_loop_, false);
    around_.push_back({block.get(), {}, {}});
    Array<Stmt> body;
    auto add = [&](const Stmt& s) {
      Stmt next = rewrite(s);
      for (const Stmt& load : around_.back().loads) body.push_back(load);
      around_.back().loads = {};
      body.push_back(next);
    };
    if (auto* all = as<SeqStmtNode>(block->body)) {
      for (const Stmt& s : all->seq) add(s);
    } else {
      add(block->body);
    }
    Stmt init = block->init ? rewrite(block->init) : Stmt();
    Array<Buffer> locals = around_.back().locals;
    around_.pop_back();
    inside_loop_ = outer;
    Stmt next = seq(body);
    return with(ref(&realize), [&](SBlockRealizeNode& n) {
      n.block = with(block, [&](SBlockNode& changed) {
        changed.body = next;
        changed.init = init;
        for (const Buffer& local : locals) changed.alloc_buffers.push_back(local);
      });
    });
  }

  Stmt staged(const std::vector<For>& loops, const SBlockRealizeNode& realize) {
    const SBlock& block = realize.block;
    auto* store = as<BufferStoreNode>(block->body);
    std::string_view scope = store ? text(store->buffer->buffer()->storage_scope) : std::string_view();
    if (scope != "shared" && scope != "shared.dyn")
      refuse(block->span, "a copy with a local stage is one store to shared memory");
    if (!block->iter_vars.empty())
      refuse(block->span, "a copy with a local stage has no iterators of its own");
    for (const For& loop : loops) {
      if (loop->for_kind != ForKind::kSerial && loop->for_kind != ForKind::kVectorized)
        refuse(loop->span, "the loops around a copy with a local stage are serial or vectorized");
    }
    if (!block->alloc_buffers.empty())
      refuse(block->span, "a copy with a local stage has no memory of its own");
    const Array<Buffer>* allocs = around_.empty() ? nullptr : &around_.back().block->alloc_buffers;
    if (!allocs || std::none_of(allocs->begin(), allocs->end(),
                                [&](const Buffer& buffer) { return buffer.same_as(store->buffer); }))
      refuse(block->span, "the shared memory of a copy with a local stage belongs to the block around it");

    Array<Expr> extents, indices;
    for (const For& loop : loops) {
      extents.push_back(loop->extent);
      indices.push_back(loop->min + Expr(loop->loop_var));
    }
    // The offset keeps the type that it has in shared memory.
    const BufferTypeNode* shared = store->buffer->buffer();
    Expr offset = shared->elem_offset ? Expr(const_like(shared->elem_offset, 0)) : Expr(int32(0));
    Buffer local =
        make<VarNode>(String(std::string(store->buffer->name) + "_local"),
                      make<BufferTypeNode>(shared->dtype, String("local"), extents, Array<Expr>{}, offset));
    around_.back().locals.push_back(local);

    Array<Range> written;
    for (const Expr& i : indices) written.push_back(make<RangeNode>(i, Expr(const_like(i, 1))));
    SBlock load = make<SBlockNode>(Array<IterVar>{}, block->reads,
                                   Array<TensorRegion>{make<TensorRegionNode>(local, written)}, String(""),
                                   make<BufferStoreNode>(local, store->value, indices));
    SBlock copy = with(block, [&](SBlockNode& n) {
      n.annotations.erase(String(std::string(mark)));
      n.body = make<BufferStoreNode>(store->buffer, Expr(make<TensorLoadNode>(local, indices)),
                                     store->indices, store->span);
    });
    auto in_loops = [&](const SBlock& inner) {
      Stmt nest = with(ref(&realize), [&](SBlockRealizeNode& n) { n.block = inner; });
      for (size_t i = loops.size(); i-- > 0;) nest = with(loops[i], [&](ForNode& n) { n.body = nest; });
      return nest;
    };
    around_.back().loads.push_back(FreshBinders().rewrite(in_loops(load)));
    return in_loops(copy);
  }
};

}  // namespace

extern const Pass manifest_shared_memory_local_stage{"ManifestSharedMemoryLocalStage", "s_tir.transform",
                                                     "ManifestSharedMemoryLocalStage()", doc,
                                                     rewritten_by<Manifest>};

}  // namespace mlc::transform::pass_manifest_shared_memory_local_stage
