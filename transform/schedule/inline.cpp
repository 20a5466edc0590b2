// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/inline.h"
#include "transform/arith/simplify.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "ir/tir/region.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/iter_map.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "inline-not-one-buffer",
         .message = "block `{}` {} {} {}, in {} region{}; it must be one",
         .help = "`compute_at` and `reverse_compute_at` move blocks of several buffers",
         .meaning = "An expression takes the place of one buffer.",
         .wrong = R"(sch.reverse_compute_inline("double"))",
         .right = R"(sch.reverse_compute_inline(sch.cache_write("shifted", 0, "local")))"},
        {.name = "inline-body-not-a-store",
         .message = "the body of block `{}` is more than one store",
         .help = "only a block that is one store of an element can be inlined",
         .meaning = "What is read is replaced by an expression, which a body of several statements is not.",
         .wrong = R"(@T.prim_func(s_tir=True)
def two(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
            B[vi] = A[vi] * 3.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + 1.0


other = tvm.s_tir.Schedule(two)
other.compute_inline("B"))",
         .right = R"(sch.compute_inline("double"))"},
        {.name = "inline-index-not-iterators",
         .message = "the indices of block `{}` are not iterators of its own",
         .help = "the block writes each element at iterators of its own: `A[vi, vj]`",
         .meaning = "For each element that is read it must follow from its indices which instance writes it.",
         .wrong = R"(@T.prim_func(s_tir=True)
def swapped(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[T.bitwise_xor(vi, 1)] = A[vi] * 2.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + 1.0


other = tvm.s_tir.Schedule(swapped)
other.compute_inline("B"))",
         .right = R"(sch.compute_inline("double"))"},
        {.name = "inline-different-indices",
         .message = "block `{}` does not read `{}` at one place",
         .help = "`compute_at` moves the producer to its consumer without inlining it",
         .meaning =
             "The consumer runs once for each element, and would need the ones of other instances, too.",
         .wrong = R"(@T.prim_func(s_tir=True)
def pairs(A: T.Buffer((17,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((17,))
    for i in range(17):
        with T.sblock("B"):
            vi = T.axis.spatial(17, i)
            B[vi] = A[vi] * 2.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + B[vi + 1]


other = tvm.s_tir.Schedule(pairs)
other.reverse_compute_inline("C"))",
         .right = R"(sch.reverse_compute_inline(sch.cache_write("shifted", 0, "local")))"},
        {.name = "inline-opaque-access",
         .message = "block `{}` matches a region of `{}`",
         .help = "`compute_at` moves the block and leaves its buffer in memory",
         .meaning = "A view or an address is of memory, which an inlined buffer has none of.",
         .wrong = R"(@T.prim_func(s_tir=True)
def viewed(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            T.reads(B[vi])
            T.writes(C[vi])
            one = T.match_buffer(B[vi], (1,), offset_factor=1)
            C[vi] = one[0] + 1.0


other = tvm.s_tir.Schedule(viewed)
other.compute_inline("B"))",
         .right = R"(sch.compute_inline("double"))"},
    }};
MLC_REFUSALS(schedule_inline, refusals);

namespace {

// The buffers that decide which elements a block's regions are of, in the order in which they are met.
std::vector<const VarNode*> indexing_buffers(const SBlockNode* block) {
  std::vector<const VarNode*> found;
  for (const auto& regions : {block->reads, block->writes})
    for (const TensorRegion& region : regions)
      walk_with(Expr(region), [&](const Expr& e, Walker& on) {
        if (auto* load = as<TensorLoadNode>(e)) found.push_back(load->source.get());
        on.walk_children(e);
      });
  return found;
}

// A block with another body, its regions computed again. What its old regions were indexed by comes first, as
// in TVM, which looks at these before the body.
SBlock rebuilt(const SBlockNode* block, const Stmt& body, const Stmt& init) {
  SBlock next = with(ref(block), [&](SBlockNode& copy) {
    copy.body = body;
    copy.init = init;
  });
  AccessRegions regions = detect_access_regions(next, transform::simplify);
  std::vector<const VarNode*> indexing = indexing_buffers(block);
  if (!indexing.empty()) {
    std::vector<TensorRegion> reads(regions.reads.begin(), regions.reads.end());
    auto sref = [&](const TensorRegion& region) {
      return std::find(indexing.begin(), indexing.end(), region->source.get());
    };
    std::stable_sort(reads.begin(), reads.end(),
                     [&](const TensorRegion& a, const TensorRegion& b) { return sref(a) < sref(b); });
    regions.reads = Array<TensorRegion>(reads.begin(), reads.end());
  }
  return with(next, [&](SBlockNode& copy) {
    copy.reads = regions.reads;
    copy.writes = regions.writes;
  });
}

class ReplaceLoads final : public Rewriter {
 public:
  ReplaceLoads(const Buffer& buffer, const LoadReplacement& replacement)
      : buffer_(buffer), replacement_(replacement) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* load = as<TensorLoadNode>(next);
    return load && load->source.same_as(buffer_) ? replacement_(load->indices) : next;
  }
  Stmt rewrite(const Stmt& s) override {
    Stmt next = rewrite_children(s);
    auto* block = as<SBlockNode>(next);
    // Nested blocks declare what they read as well, unless they declare nothing.
    bool tells = block && (!block->reads.empty() || !block->writes.empty());
    bool changes = tells && (!next.same_as(s) || touches(block->reads, buffer_));
    return changes ? Stmt(rebuilt(block, block->body, block->init)) : next;
  }

 private:
  const Buffer& buffer_;
  const LoadReplacement& replacement_;
};

// What a block becomes; without a predicate, it keeps its own.
struct Change {
  SRefNode* sref;
  SBlock next;
  Expr predicate;
};

// The realize of a block, of its successor where the block changed.
Stmt changed_realize(const SBlockRealizeNode* realize, const Change& change) {
  if (realize->block.get() != change.sref->block()) return ref(realize);
  return with(ref(realize), [&](SBlockRealizeNode& copy) {
    copy.block = change.next;
    if (change.predicate) copy.predicate = change.predicate;
  });
}

Inlining replaced_scope(SRefNode& scope, SRefNode& dropped, const std::vector<Change>& changed,
                        const Buffer& buffer) {
  BlockReuse reuse;
  std::vector<const SRefNode*> places;
  for (const Change& change : changed) {
    reuse.emplace_back(change.sref->block(), change.next.get());
    places.push_back(change.sref);
  }
  Stmt next = scope_without(scope, dropped, places, [&](Stmt s) {
    for (const Change& change : changed)
      if (auto* realize = as<SBlockRealizeNode>(s)) s = changed_realize(realize, change);
    return s;
  });
  next = with(ref(as<SBlockNode>(next)), [&](SBlockNode& copy) {
    Array<Buffer> left;
    for (const Buffer& each : copy.alloc_buffers) {
      if (!each.same_as(buffer)) left.push_back(each);
    }
    copy.alloc_buffers = left;
  });
  return {&scope, next, reuse};
}

}  // namespace

std::unordered_set<const StmtNode*> all_above(const std::vector<const SRefNode*>& places) {
  std::unordered_set<const StmtNode*> above;
  for (const SRefNode* place : places)
    for (const SRefNode* up = place->parent; up; up = up->parent) above.insert(up->stmt.get());
  return above;
}

Stmt scope_without(const SRefNode& scope, const SRefNode& dropped, std::vector<const SRefNode*> places,
                   const std::function<Stmt(Stmt)>& change) {
  places.push_back(&dropped);
  std::unordered_set<const StmtNode*> above = all_above(places);
  return rewrite_below(scope.stmt, [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* realize = as<SBlockRealizeNode>(s);
    if (realize && realize->block.get() == dropped.block()) return no_op();
    Stmt changed = change(s);
    bool place = realize || (s->kind == StmtKind::kFor && !above.contains(s.get()));
    if (place || !changed.same_as(s)) return changed;
    Stmt next = on.rewrite_children(s);  // a sequence drops what became empty
    auto* loop = as<ForNode>(next);
    return loop && is_no_op(loop->body) ? no_op() : next;
  });
}

Expr replace_loads(const Expr& e, const Buffer& buffer, const LoadReplacement& replacement) {
  return ReplaceLoads(buffer, replacement).rewrite(e);
}

Expr at_iterators(const Expr& e, const VarMap& values) {
  struct At final : Rewriter {
    const VarMap& values;
    explicit At(const VarMap& values) : values(values) {}
    Expr rewrite(const Expr& each) override {
      if (auto* var = as<VarNode>(each)) {
        auto found = values.find(var);
        return found == values.end() ? each : cast(each->dtype(), found->second);
      }
      auto* load = as<TensorLoadNode>(each);
      if (load == nullptr) return rewrite_children(each);
      return updated(load, [&](TensorLoadNode& n) { n.indices = indices_at(load->indices, values); });
    }
  };
  bool same = std::ranges::all_of(
      values, [](const auto& each) { return each.first->dtype() == each.second->dtype(); });
  return same ? substitute(e, values) : At(values).rewrite(e);
}

Array<Expr> indices_at(const Array<Expr>& indices, const VarMap& values) {
  return indices.Map([&](const Expr& index) {
    return as<VarNode>(index) ? substitute(index, values) : at_iterators(index, values);
  });
}

void require_one_buffer(const SRefNode& block, const Array<TensorRegion>& regions, bool writes,
                        const std::function<bool(const Buffer&)>& counts, Span span) {
  std::unordered_set<const VarNode*> found;
  for (const TensorRegion& region : regions)
    if (counts(region->source)) found.insert(region->source.get());
  if (found.size() == 1) return;
  throw about_block(refuse(refusals["inline-not-one-buffer"], block.name.c_str(), writes ? "writes" : "reads",
                           found.size(), writes ? "buffers" : "buffers that its scope computes",
                           regions.size(), regions.size() == 1 ? "" : "s"),
                    span, block.stmt->span);
}

const BufferStoreNode* only_store(const SRefNode& block, Span span) {
  if (auto* store = as<BufferStoreNode>(block.block()->body)) return store;
  throw about_block(refuse(refusals["inline-body-not-a-store"], block.name.c_str()), span, block.stmt->span);
}

std::optional<std::unordered_map<const VarNode*, size_t>> plain_axes(const SRefNode& block,
                                                                     const Array<Expr>& indices) {
  std::unordered_set<const VarNode*> iters;
  for (const IterVar& iter : block.block()->iter_vars) iters.insert(iter->var.get());
  std::unordered_map<const VarNode*, size_t> axes;
  for (size_t d = 0; d < indices.size(); ++d) {
    auto* var = as<VarNode>(indices[d]);
    if (is_const_int(indices[d], 0)) continue;
    if (!var || !iters.contains(var) || !axes.try_emplace(var, d).second) return std::nullopt;
  }
  return axes;
}

Error indices_not_iterators(const SRefNode& block, Span span) {
  return about_block(refuse(refusals["inline-index-not-iterators"], block.name.c_str()), span,
                     block.stmt->span);
}

std::unordered_map<const VarNode*, size_t> index_axes(const SRefNode& block, const Array<Expr>& indices,
                                                      Span span) {
  if (auto axes = plain_axes(block, indices)) return *axes;
  throw indices_not_iterators(block, span);
}

std::optional<VarMap> iterators_at(const SRefNode& block, const Array<Expr>& indices,
                                   const Array<Expr>& outputs) {
  VarMap result;
  std::vector<LoopRange> iters;
  Analyzer analyzer;
  for (const IterVar& iter : block.block()->iter_vars) {
    analyzer.bind(iter->var, iter->dom);
    iters.push_back({iter->var, iter->dom});
  }
  IterMapResult map = detect_iter_map(indices, iters, bool_imm(true), IterMapCheck::kNone, analyzer, false);
  if (map.indices.empty() && !indices.empty()) return std::nullopt;
  try {
    // The way there and back must lead to the same iteration.
    for (const auto& [var, value] : inverse_affine_iter_map(map.indices, indices, analyzer))
      if (!analyzer.can_prove_equal(value, var)) return std::nullopt;
    for (const auto& [var, value] : inverse_affine_iter_map(map.indices, outputs, analyzer))
      result[var.get()] = value;
  } catch (const Error&) {
    return std::nullopt;
  }
  // Iterators of one value need no index.
  for (const IterVar& iter : block.block()->iter_vars)
    if (is_const_int(iter->dom->extent, 1)) result.try_emplace(iter->var.get(), iter->dom->min);
  if (result.size() != block.block()->iter_vars.size()) return std::nullopt;
  return result;
}

Array<Expr> only_load_indices(const SRefNode& block, const Expr& e, const Buffer& buffer, Span span) {
  std::optional<Array<Expr>> found;
  bool differ = false;
  post_order(e, [&](const Expr& sub) {
    auto* load = as<TensorLoadNode>(sub);
    if (!load || !load->source.same_as(buffer)) return;
    if (!found) {
      found = load->indices;
      return;
    }
    for (size_t d = 0; d < load->indices.size(); ++d)
      differ = differ || !same_expr((*found)[d], load->indices[d]);
  });
  if (!found || differ) {
    throw about_block(refuse(refusals["inline-different-indices"], block.name.c_str(), buffer->name.c_str()),
                      span, block.stmt->span);
  }
  return *found;
}

void require_inner_buffer(const Buffer& buffer, const SRefNode& block, const SRefNode& scope, Span span) {
  for (const Buffer& each : scope.block()->alloc_buffers) {
    if (each.same_as(buffer)) return;
  }
  throw about_block(refuse(shared_refusals["output-block"], block.name.c_str(), buffer->name.c_str()), span,
                    block.stmt->span);
}

void require_no_alias(const SRefNode& block, const Buffer& buffer, Span span) {
  const SBlockNode* consumer = block.block();
  for (const MatchBufferRegion& match : consumer->match_buffers) {
    if (!match->source->source.same_as(buffer)) continue;
    throw refuse(refusals["inline-opaque-access"], block.name.c_str(), buffer->name.c_str()).at(span);
  }
  for (const Buffer& opaque : detect_access_regions(ref(consumer), transform::simplify).opaque) {
    if (!opaque.same_as(buffer)) continue;
    throw refuse_as(refusals["inline-opaque-access"], "block `{}` takes the address of `{}`",
                    block.name.c_str(), buffer->name.c_str())
        .at(span);
  }
}

Inlining inline_block(SRefNode& scope, SRefNode& block, const std::vector<SRefNode*>& consumers,
                      const Buffer& buffer, const LoadReplacement& value) {
  ReplaceLoads replace(buffer, value);
  std::vector<Change> changed;
  for (SRefNode* consumer : consumers) {
    const SBlockNode* old = consumer->block();
    Stmt init = old->init ? replace.rewrite(old->init) : old->init;
    Stmt body = replace.rewrite(old->body);
    // A block that hides what it reads of the buffer keeps hiding it.
    bool tells = touches(old->reads, buffer);
    SBlock declared = with(ref(old), [&](SBlockNode& copy) {
      for (size_t i = 0; i < copy.reads.size(); ++i) copy.reads.Set(i, replace.rewrite_region(copy.reads[i]));
    });
    SBlock next = tells ? rebuilt(declared.get(), body, init) : with(ref(old), [&](SBlockNode& copy) {
      copy.body = body;
      copy.init = init;
    });
    changed.push_back({consumer, next, nullptr});
  }
  return replaced_scope(scope, block, changed, buffer);
}

Inlining inline_into_producer(SRefNode& scope, SRefNode& block, SRefNode& producer, SRefNode& storing,
                              const Buffer& buffer, const Stmt& body, const Expr& predicate) {
  Change change{&storing, rebuilt(storing.block(), body, nullptr), predicate};
  BlockReuse inner;
  for (SRefNode* inside = &storing; inside != &producer; inside = change.sref) {
    inner.emplace_back(inside->block(), change.next.get());
    SRefNode* around = scope_of(*inside);
    Stmt next = rewrite_with(around->block()->body, [&](const Stmt& s, Rewriter& on) -> Stmt {
      auto* realize = as<SBlockRealizeNode>(s);
      return realize ? changed_realize(realize, change) : on.rewrite_children(s);
    });
    change = {around, rebuilt(around->block(), next, nullptr), nullptr};
  }
  Inlining result = replaced_scope(scope, block, {change}, buffer);
  result.reuse.insert(result.reuse.end(), inner.begin(), inner.end());
  return result;
}

Inlining replace_producer(SRefNode& scope, SRefNode& block, SRefNode& producer, const SBlock& next) {
  return replaced_scope(scope, block, {{&producer, next, nullptr}}, nullptr);
}

}  // namespace mlc::transform
