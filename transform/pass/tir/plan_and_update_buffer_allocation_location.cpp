// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/pass/pass.h"
#include "transform/pass/regions.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(PlanAndUpdateBufferAllocationLocation(): allocate buffers in the innermost scope that sees all their uses.

    with T.sblock("root"):                  for i in range(n):
        B = T.sblock_alloc_buffer(...)          with T.sblock(""):
        for i in range(n):          =>              B = T.sblock_alloc_buffer(...)
            ... B ...                               ... B ...
needs: nothing.
keeps: which instances of blocks run, and in which order.
While block iterators are known: a buffer indexed by an iterator that is neither data-parallel nor a
reduction stays outside of the loops that drive the iterator. Compaction follows and wants the scope small.)";

// Loops and blocks around a place, as a tree; index 0 is the function.
struct Scope {
  int parent = 0;
  int depth = 0;
  const StmtNode* stmt = nullptr;
};

// The lowest scope that contains every access of each buffer.
struct FindScopes final : Walker {
  std::vector<Scope> scopes{Scope{}};
  std::vector<int> stack{0};
  std::unordered_map<const VarNode*, int> lowest;      // by buffer
  std::unordered_map<const VarNode*, int> loop_scope;  // by loop variable
  std::unordered_set<const VarNode*> matched;          // their sources count instead
  std::vector<Buffer> managed;                         // allocated by blocks, in order

  int enter(const StmtNode* stmt) {
    scopes.push_back({stack.back(), scopes[static_cast<size_t>(stack.back())].depth + 1, stmt});
    stack.push_back(static_cast<int>(scopes.size()) - 1);
    return stack.back();
  }
  int common(int a, int b) const {
    while (a != b) {
      int& deeper = scopes[static_cast<size_t>(a)].depth >= scopes[static_cast<size_t>(b)].depth ? a : b;
      deeper = scopes[static_cast<size_t>(deeper)].parent;
    }
    return a;
  }
  void access(const VarNode* buffer, int scope) {
    if (matched.contains(buffer)) return;
    auto [at, first] = lowest.emplace(buffer, scope);
    if (!first) at->second = common(at->second, scope);
  }

  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      visit(loop->min);
      visit(loop->extent);
      loop_scope[loop->loop_var.get()] = enter(loop);
      visit(loop->body);
      stack.pop_back();
    } else if (auto* realize = as<SBlockRealizeNode>(s)) {
      for (const Expr& value : realize->iter_values) visit(value);
      visit(realize->predicate);
      const SBlock& block = realize->block;
      for (const Buffer& buffer : block->alloc_buffers) managed.push_back(buffer);
      enter(block.get());
      keep_outside_of_opaque_loops(*realize);
      keep_outside_of_reductions(*realize);
      for (const MatchBufferRegion& match : block->match_buffers) {
        access(match->source->source.get(), stack.back());
        matched.insert(match->buffer.get());
      }
      if (block->init) visit(block->init);
      visit(block->body);
      stack.pop_back();
    } else {
      walk_children(s);
    }
  }
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e); var && var->buffer()) access(var, stack.back());
    walk_children(e);
  }
  void visit_buffer(const Buffer& buffer) override { access(buffer.get(), stack.back()); }

  // What a reduction writes lives across the loops that drive it, even if nothing else ever reads it.
  void keep_outside_of_reductions(const SBlockRealizeNode& realize) {
    int scope = stack.back();
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      if (realize.block->iter_vars[i]->iter_type != IterType::kCommReduce) continue;
      for (const Var& var : free_vars(realize.iter_values[i])) {
        auto loop = loop_scope.find(var.get());
        if (loop != loop_scope.end()) scope = common(scope, scopes[static_cast<size_t>(loop->second)].parent);
      }
    }
    for (const TensorRegion& region : realize.block->writes) access(region->source.get(), scope);
  }
  // Buffers whose regions depend on an iterator that may carry values from one instance to the next must
  // live across the loops that drive it.
  void keep_outside_of_opaque_loops(const SBlockRealizeNode& realize) {
    std::unordered_map<const VarNode*, int> outside;
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      const IterVar& iter = realize.block->iter_vars[i];
      if (iter->iter_type == IterType::kDataPar || iter->iter_type == IterType::kCommReduce) continue;
      for (const Var& var : free_vars(realize.iter_values[i])) {
        auto loop = loop_scope.find(var.get());
        if (loop == loop_scope.end()) continue;
        int scope = scopes[static_cast<size_t>(loop->second)].parent;
        auto [at, first] = outside.emplace(iter->var.get(), scope);
        if (!first) at->second = common(at->second, scope);
      }
    }
    if (outside.empty()) return;
    auto raise = [&](const TensorRegion& region) {
      int scope = stack.back();
      for (const Range& range : region->region) {
        for (const Expr& e : {range->min, range->extent}) {
          for (const Var& var : free_vars(e)) {
            auto found = outside.find(var.get());
            if (found != outside.end()) scope = common(scope, found->second);
          }
        }
      }
      access(region->source.get(), scope);
    };
    for (const TensorRegion& region : realize.block->reads) raise(region);
    for (const TensorRegion& region : realize.block->writes) raise(region);
  }
};

struct Place final : Rewriter {
  std::unordered_map<const StmtNode*, Array<Buffer>> at;
  Analyzer analyzer;

  using Rewriter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      auto found = at.find(loop);
      analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
      Stmt body = rewrite(loop->body);
      if (found != at.end()) body = inject(body, found->second);
      return body.same_as(loop->body) ? s : Stmt(with(ref(loop), [&](ForNode& n) { n.body = body; }));
    }
    if (auto* block = as<SBlockNode>(s)) {
      auto found = at.find(block);
      Array<Buffer> buffers = found == at.end() ? Array<Buffer>{} : found->second;
      Stmt next = without_own(rewrite_children(s), buffers);
      bool same = buffers.size() == block->alloc_buffers.size();
      for (size_t i = 0; same && i < buffers.size(); ++i) same = buffers[i].same_as(block->alloc_buffers[i]);
      if (same) return next;
      return with(ref(as<SBlockNode>(next)), [&](SBlockNode& n) { n.alloc_buffers = buffers; });
    }
    return rewrite_children(s);
  }

 private:
  static Array<TensorRegion> foreign(const Array<TensorRegion>& all, const Array<Buffer>& own) {
    Array<TensorRegion> kept;
    for (const TensorRegion& region : all) {
      bool is_own =
          std::any_of(own.begin(), own.end(), [&](const Buffer& one) { return region->source.same_as(one); });
      if (!is_own) kept.push_back(region);
    }
    return kept;
  }
  // What a block allocates is nobody else's to see: not among what it reads and writes.
  static Stmt without_own(const Stmt& s, const Array<Buffer>& own) {
    auto* block = as<SBlockNode>(s);
    Array<TensorRegion> reads = foreign(block->reads, own);
    Array<TensorRegion> writes = foreign(block->writes, own);
    if (reads.size() == block->reads.size() && writes.size() == block->writes.size()) return s;
    return with(ref(block), [&](SBlockNode& n) {
      n.reads = reads;
      n.writes = writes;
    });
  }

  // `body` in a block that does nothing but hold the allocations.
  Stmt inject(const Stmt& body, const Array<Buffer>& buffers) {
    Regions regions = regions_of(body, analyzer);
    SBlock block = make<SBlockNode>(Array<IterVar>{}, foreign(regions.reads, buffers),
                                    foreign(regions.writes, buffers), "", body, nullptr, buffers);
    return make<SBlockRealizeNode>(Array<Expr>{}, bool_imm(true), block);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  FindScopes find;
  find.visit(fn->body);
  Place place;
  for (const Buffer& buffer : find.managed) {
    auto found = find.lowest.find(buffer.get());
    if (found == find.lowest.end()) continue;  // never used: no memory
    const StmtNode* stmt = find.scopes[static_cast<size_t>(found->second)].stmt;
    MLC_CHECK(stmt, "`{}` is used outside of the block that allocates it", buffer->name.c_str());
    place.at[stmt].push_back(buffer);
  }
  return with_body(fn, place.rewrite(fn->body));
}

}  // namespace

extern const Pass plan_and_update_buffer_allocation_location{
    "PlanAndUpdateBufferAllocationLocation", "s_tir.transform", "PlanAndUpdateBufferAllocationLocation()",
    doc, apply};

}  // namespace mlc::transform
