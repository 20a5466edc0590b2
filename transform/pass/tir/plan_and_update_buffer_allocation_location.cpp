// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/region.h"
#include "transform/arith/simplify.h"
#include "transform/pass/buffer_scopes.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_plan_and_update_buffer_allocation_location {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "block-has-init",
                                            .message = "block `{}` still has an init",
                                            .help = "run LowerInitBlock first"},
                                       }};
MLC_REFUSALS(tir_plan_and_update_buffer_allocation_location, refusals);

namespace {

constexpr char doc[] =
    R"(PlanAndUpdateBufferAllocationLocation(): allocate buffers in the innermost scope that sees all their uses.

    with T.sblock("root"):                  for i in range(n):
        B = T.sblock_alloc_buffer(...)          with T.sblock(""):
        for i in range(n):          =>              B = T.sblock_alloc_buffer(...)
            ... B ...                               ... B ...
Memory that all blocks of threads see, `global`, is allocated around the innermost loop that is in all of `blockIdx`.
needs: no blocks with an init (LowerInitBlock).
keeps: which instances of blocks run, and in which order.
While block iterators are known: a buffer indexed by an iterator that is neither data-parallel nor a
reduction stays outside of the loops that drive the iterator. Compaction follows and wants the scope small.)";

struct Place final : Rewriter {
  std::unordered_map<const StmtNode*, Array<Buffer>> at;
  std::unordered_set<const ffi::Object*> placed;  // buffers that have been allocated so far, innermost first

  using Rewriter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      auto found = at.find(loop);
      Stmt body = rewrite(loop->body);
      if (found != at.end()) {
        body = inject(body, found->second);
        for (const Buffer& buffer : found->second) placed.insert(buffer.get());
      }
      return body.same_as(loop->body) ? s : Stmt(with(ref(loop), [&](ForNode& n) { n.body = body; }));
    }
    if (auto* block = as<SBlockNode>(s)) {
      if (block->init) {
        throw refuse(refusals["block-has-init"], block->name_hint.c_str()).kind(kRefusedValue).at(s->span);
      }
      auto found = at.find(block);
      Array<Buffer> buffers = found == at.end() ? Array<Buffer>{} : found->second;
      Stmt next = rewrite_children(s);
      for (const Buffer& buffer : buffers) placed.insert(buffer.get());
      next = without_placed(next);
      bool same = buffers.size() == block->alloc_buffers.size();
      for (size_t i = 0; same && i < buffers.size(); ++i) same = buffers[i].same_as(block->alloc_buffers[i]);
      if (same) return next;
      return with(ref(as<SBlockNode>(next)), [&](SBlockNode& n) { n.alloc_buffers = buffers; });
    }
    return rewrite_children(s);
  }

 private:
  static Array<TensorRegion> foreign(const Array<TensorRegion>& all, const auto& is_own) {
    Array<TensorRegion> kept;
    for (const TensorRegion& region : all)
      if (!is_own(region->source)) kept.push_back(region);
    return kept;
  }
  // What a block allocates, or a block within it, is private to it: not among what it reads and writes.
  Stmt without_placed(const Stmt& s) {
    auto* block = as<SBlockNode>(s);
    auto is_placed = [&](const Buffer& buffer) { return placed.contains(buffer.get()); };
    Array<TensorRegion> reads = foreign(block->reads, is_placed);
    Array<TensorRegion> writes = foreign(block->writes, is_placed);
    if (reads.size() == block->reads.size() && writes.size() == block->writes.size()) return s;
    return with(ref(block), [&](SBlockNode& n) {
      n.reads = reads;
      n.writes = writes;
    });
  }

  // Where a buffer that the body allocates holds an index, the index may be any.
  static Array<TensorRegion> from_outside(const Array<TensorRegion>& regions, const Stmt& body) {
    std::unordered_set<const VarNode*> inner;
    post_order(body, nullptr, [&](const Stmt& s) {
      if (auto* alloc = as<AllocBufferNode>(s)) inner.insert(alloc->buffer.get());
    });
    auto is_inner = [&](const VarNode* var) { return inner.contains(var); };
    Array<TensorRegion> result;
    for (const TensorRegion& region : regions) {
      Array<Range> ranges;
      for (size_t d = 0; d < region->region.size(); ++d) {
        Range range = region->region[d];
        const Expr& dim = region->source->buffer()->shape[d];
        if (uses_var(range->min, is_inner) || uses_var(range->extent, is_inner))
          range = make<RangeNode>(const_like(dim, 0), dim);
        ranges.push_back(range);
      }
      result.push_back(make<TensorRegionNode>(region->source, ranges));
    }
    return result;
  }
  // `body` in a block that does nothing but hold the allocations.
  Stmt inject(const Stmt& body, const Array<Buffer>& buffers) {
    SBlock block = make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{}, Array<TensorRegion>{}, "", body,
                                    nullptr, buffers);
    AccessRegions regions = detect_access_regions(block, transform::simplify);
    block = with(block, [&](SBlockNode& n) {
      n.reads = from_outside(regions.reads, body);
      n.writes = from_outside(regions.writes, body);
    });
    return make<SBlockRealizeNode>(Array<Expr>{}, bool_imm(true), block);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  BufferScopes find;
  find.visit(fn->body);
  auto accesses = find.lowest;
  find.raise_to_block_indices();
  Place place;
  for (const Buffer& buffer : find.managed) {
    auto found = find.lowest.find(buffer.get());
    if (found == find.lowest.end()) continue;  // never used: no memory
    const StmtNode* stmt = find.scopes[static_cast<size_t>(found->second)].stmt;
    // Threads launched around all blocks: it stays within a block.
    if (!stmt) stmt = find.scopes[static_cast<size_t>(accesses.at(buffer.get()))].stmt;
    MLC_CHECK(stmt, "`{}` is used outside of the block that allocates it", buffer->name.c_str());
    place.at[stmt].push_back(buffer);
  }
  return with_body(fn, place.rewrite(fn->body));
}

}  // namespace

extern const Pass plan_and_update_buffer_allocation_location{
    "PlanAndUpdateBufferAllocationLocation", "s_tir.transform", "PlanAndUpdateBufferAllocationLocation()",
    doc, apply};

}  // namespace mlc::transform::pass_plan_and_update_buffer_allocation_location
