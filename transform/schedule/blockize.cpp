// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/blockize.h"
#include "transform/schedule/witness.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/iter_map.h"
#include "transform/pass/fresh_binders.h"
#include "transform/schedule/conditions.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/witness.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "blockize-not-divisible",
         .message = "the iterators of block `{}` cannot be cut into outer and inner ones",
         .help = "each iterator is `outer * n + inner` with whole inner loops, and a condition tests only "
                 "outer or only inner loops: split by factors that divide the extent",
         .meaning = "The new block steps through whole tiles; an iteration that is cut belongs to none.",
         .wrong = R"(@T.prim_func(s_tir=True)
def turned(A: T.Buffer((16, 16), "float32")):
    for i, j in T.grid(16, 16):
        with T.sblock("set"):
            vi = T.axis.spatial(16, (i * 16 + j) % 16)
            vj = T.axis.spatial(16, (i * 16 + j) // 16)
            T.where(i * 16 + j < 250)
            A[vi, vj] = 0.0


other = tvm.s_tir.Schedule(turned)
other.blockize(other.get_loops("set")[1]))",
         .right = R"(sch.blockize(sch.get_loops("double")[1]))"},
        {.name = "blockize-several-blocks",
         .message = "below loop `{}` are {} blocks instead of one",
         .help = "a list of the blocks makes one of them: `sch.blockize([block1, block2])`",
         .meaning = "The loop and what is in it become one block, with the iterators of one.",
         .wrong = R"(i, j = sch.get_loops("double")
a, b = sch.get_loops("shifted")
c = sch.cache_read("product", 1, "local")
i, j, k = sch.get_loops("product")
sch.compute_at(c, i)
sch.blockize(i))",
         .right = R"(i, j = sch.get_loops("double")
sch.blockize(j))"},
        {.name = "blockize-no-blocks",
         .message = "there are no blocks in the list",
         .help = "`sch.blockize([block1, block2])` takes blocks that stand side by side",
         .meaning = "There is nothing to make a block of.",
         .wrong = "sch.blockize([])",
         .right = R"(i, j = sch.get_loops("double")
sch.blockize(j))"},
        {.name = "blockize-not-neighbours",
         .message = "blocks `{}` and `{}` are in different blocks",
         .help = "blocks of one list stand below the same loops",
         .meaning = "The blocks become parts of one block, at the place where they stand.",
         .wrong = R"(sch.blockize(sch.get_loops("double")[1])
sch.blockize([sch.get_sblock("double"), sch.get_sblock("shifted")]))",
         .right = R"(sch.blockize(sch.get_loops("double")[1]))"},
        {.name = "blockize-different-iterators",
         .message = "blocks `{}` and `{}` do not step through the loops around them alike",
         .help = "their iterators, in order, must have the same outer parts; the first block has the most of "
                 "them",
         .meaning = "The new block has one set of iterators, from which those of each part follow."},
        {.name = "blockize-outer-reduction",
         .message = "block `{}` is a reduction, which cannot be one of several",
         .help = "take its init out with `sch.decompose_reduction` first",
         .meaning = "The new block runs its parts one after the other, and has one init for none of them."},
    }};
MLC_REFUSALS(schedule_blockize, refusals);

namespace {

// Which sides of the cut an expression depends on.
struct Sides {
  std::unordered_set<const VarNode*> outer, inner;
  bool in_outer(const Expr& e) const {
    return uses_var(e, [&](const VarNode* var) { return outer.contains(var); });
  }
  bool in_inner(const Expr& e) const {
    return uses_var(e, [&](const VarNode* var) { return inner.contains(var); });
  }
};

[[noreturn]] void not_divisible(const SRefNode& block, const std::vector<SRefNode*>& inner, Span span) {
  std::string loops;
  for (const SRefNode* loop : inner)
    loops += fmt::format("{}`{}`", loops.empty() ? "" : ", ", loop->name.c_str());
  throw refuse(refusals["blockize-not-divisible"], block.name.c_str())
      .at(span)
      .note(fmt::format("the inner loops are {}", loops.empty() ? "none" : loops), block.stmt->span);
}

// The block's iterators cut at its loops from `inner` on.
SubspaceDivision divide_block(const SBlockRealize& realize, const SRefNode& block,
                              const std::vector<SRefNode*>& loops, const std::vector<SRefNode*>& inner,
                              bool preserve_unit_iters, Span span) {
  Sides sides;
  for (const SRefNode* loop : loops) sides.outer.insert(loop->loop()->loop_var.get());
  for (const SRefNode* loop : inner) {
    sides.inner.insert(loop->loop()->loop_var.get());
    sides.outer.erase(loop->loop()->loop_var.get());
  }
  Analyzer analyzer;
  auto found = divide_subspace(realize->iter_values, ranges_of(loops), sides.inner, realize->predicate,
                               IterMapCheck::kSurjective, analyzer, !preserve_unit_iters);
  if (!found) {
    // Values that each depend on one side only need no arithmetic.
    found = SubspaceDivision{{}, bool_imm(true), bool_imm(true)};
    for (size_t i = 0; i < realize->iter_values.size(); ++i) {
      const Expr& value = realize->iter_values[i];
      Expr extent = realize->block->iter_vars[i]->dom->extent;
      Expr zero = const_like(value, 0), one = const_like(value, 1);
      if (!sides.in_inner(value)) {
        found->indices.push_back({value, extent, zero, one, zero});
      } else if (!sides.in_outer(value)) {
        found->indices.push_back({zero, one, value, extent, zero});
      } else {
        not_divisible(block, inner, span);
      }
    }
  }
  // A digit that the predicate cuts off runs to the lesser of two ends, which often is known. Other ends stay
  // products of the extents that they are made of.
  auto shortest = [&](const Expr& end) -> Expr {
    Expr simple = analyzer.simplify(end);
    auto* least = as<MinNode>(simple);
    if (least == nullptr) return end->kind == ExprKind::kMul ? end : simple;
    if (analyzer.can_prove(le(least->a, least->b))) return least->a;
    if (analyzer.can_prove(le(least->b, least->a))) return least->b;
    return simple;
  };
  auto shorter = [&](const Expr& condition) {
    Expr result = bool_imm(true);
    for (const Expr& part : conjuncts(condition)) {
      auto* test = as<LTNode>(part);
      result = logical_and(result, test ? lt(test->a, shortest(test->b)) : part);
    }
    return result;
  };
  for (IndexDivision& index : found->indices) {
    index.outer_extent = shortest(index.outer_extent);
    index.inner_extent = shortest(index.inner_extent);
  }
  found->outer_predicate = shorter(found->outer_predicate);
  found->inner_predicate = shorter(found->inner_predicate);
  // What the predicate implies and the cut does not.
  bind_loops(analyzer, loops);
  Domain run = domain_of(ranges_of(loops));
  std::vector<Expr> said = conjuncts(logical_and(found->outer_predicate, found->inner_predicate));
  for (const Expr& condition : conjuncts(realize->predicate)) {
    auto* test = as_binary(condition);
    bool known = test && std::any_of(said.begin(), said.end(), [&](const Expr& e) {
                   auto* other = as_binary(e);
                   return other && other->kind == test->kind && same_expr(other->b, test->b) &&
                          analyzer.can_prove_equal(other->a, test->a);
                 });
    if (known || always_holds(condition, analyzer, run)) continue;
    if (!sides.in_inner(condition)) {
      found->outer_predicate = logical_and(found->outer_predicate, condition);
    } else if (!sides.in_outer(condition)) {
      found->inner_predicate = logical_and(found->inner_predicate, condition);
    } else {
      not_divisible(block, inner, span);
    }
  }
  return *found;
}

// A block after the cut.
struct Cut {
  Array<IterVar> outer_iters;
  Array<Expr> outer_values;
  SBlock block;  // with the outer and inner iterators instead of its own
  Array<IterVar> inner_iters;
  Array<Expr> inner_values;
  SubspaceDivision division;
};

IterVar half_of(const IterVar& iter, const char* suffix, const Expr& extent) {
  Var var = make<VarNode>(String(fmt::format("{}{}", iter->var->name.c_str(), suffix)), iter->var->ty);
  return make<IterVarNode>(make<RangeNode>(const_like(var, 0), extent), var, iter->iter_type);
}

// `shared`: outer iterators that exist already, one for each of the block's.
Cut cut_block(const SBlockRealize& realize, SubspaceDivision division, bool preserve_unit_iters,
              const Array<IterVar>* shared) {
  Cut cut;
  VarMap values;
  Analyzer analyzer;
  for (size_t i = 0; i < realize->block->iter_vars.size(); ++i) {
    const IterVar& iter = realize->block->iter_vars[i];
    const IndexDivision& index = division.indices[i];
    IterVar outer = shared ? (*shared)[i] : half_of(iter, "_o", index.outer_extent);
    cut.outer_iters.push_back(outer);
    cut.outer_values.push_back(index.outer);
    bool one = is_const_int(index.outer_extent, 1);
    Expr value = one && !preserve_unit_iters ? const_like(outer->var, 0) : Expr(outer->var);
    if (!is_const_int(index.inner_extent, 1)) {
      IterVar inner = half_of(iter, "_i", index.inner_extent);
      analyzer.bind(inner->var, inner->dom);
      cut.inner_iters.push_back(inner);
      cut.inner_values.push_back(index.inner);
      value = one ? Expr(inner->var) : add(mul(outer->var, index.inner_extent), inner->var);
    }
    if (!is_const_int(index.inner_base, 0)) value = add(value, index.inner_base);
    values[iter->var.get()] = value;
  }
  cut.block = substitute_simplified(realize->block, values, analyzer);
  cut.division = std::move(division);
  return cut;
}

// What the block touches while its inner iterators run.
Array<TensorRegion> covering(const Array<TensorRegion>& regions, const Array<IterVar>& inner) {
  Domain domain = domain_of(ranges_of(inner));
  Analyzer analyzer;
  bind_ranges(analyzer, ranges_of(inner));
  Array<TensorRegion> result;
  for (const TensorRegion& region : regions) {
    const Array<Expr>& shape = region->source->buffer()->shape;
    Array<Range> ranges;
    for (size_t d = 0; d < region->region.size(); ++d) {
      const Range& range = region->region[d];
      auto inner_var = [&](const VarNode* var) { return domain.contains(var); };
      if (!uses_var(range->min, inner_var) && !uses_var(range->extent, inner_var)) {
        ranges.push_back(range);
        continue;
      }
      Interval dim = interval_of(range, domain, analyzer);
      if (!dim) {
        ranges.push_back(make<RangeNode>(const_like(shape[d], 0), shape[d]));
        continue;
      }
      Expr min = analyzer.simplify(dim.min);
      ranges.push_back(make<RangeNode>(min, analyzer.simplify(dim.max - dim.min + 1)));
    }
    result.push_back(make<TensorRegionNode>(region->source, ranges));
  }
  return result;
}

SBlockRealize inner_realize(const Cut& cut, bool updates) {
  SBlock block = with(cut.block, [&](SBlockNode& copy) {
    copy.iter_vars = cut.inner_iters;
    copy.init = nullptr;
    if (!updates) return;
    Array<TensorRegion> reads = copy.writes;  // it continues from what the outer block has initialised
    for (const TensorRegion& read : cut.block->reads) reads.push_back(read);
    copy.reads = reads;
  });
  return make<SBlockRealizeNode>(cut.inner_values, cut.division.inner_predicate, block);
}

// The init as a nest of its own over the spatial inner iterators that it uses. `loops`: innermost first.
Stmt init_nest(const Cut& cut, const SBlockRealize& inner, const std::vector<SRefNode*>& loops,
               const String& name) {
  VarMap renamed;
  Array<IterVar> iters;
  Array<Expr> values;
  for (size_t i = 0; i < cut.inner_iters.size(); ++i) {
    const IterVar& iter = cut.inner_iters[i];
    bool used = uses_var(cut.block->init, [&](const VarNode* var) { return var == iter->var.get(); });
    if (iter->iter_type != IterType::kDataPar || !used) continue;
    Var var = make<VarNode>(String(fmt::format("{}_init", iter->var->name.c_str())), iter->var->ty);
    renamed[iter->var.get()] = var;
    iters.push_back(make<IterVarNode>(iter->dom, var, iter->iter_type));
    values.push_back(cut.inner_values[i]);
  }
  std::vector<const ForNode*> kept;
  std::unordered_set<const VarNode*> dropped;
  for (const SRefNode* loop : loops) {
    const ForNode* node = loop->loop();
    bool used = std::any_of(values.begin(), values.end(), [&](const Expr& value) {
      return uses_var(value, [&](const VarNode* var) { return var == node->loop_var.get(); });
    });
    if (used) {
      kept.push_back(node);
    } else {
      dropped.insert(node->loop_var.get());
    }
  }
  Expr predicate = bool_imm(true);
  for (const Expr& condition : conjuncts(inner->predicate)) {
    if (!uses_var(condition, [&](const VarNode* var) { return dropped.contains(var); }))
      predicate = logical_and(predicate, condition);
  }
  SBlock block = make<SBlockNode>(iters, Array<TensorRegion>{}, inner->block->writes, name, cut.block->init);
  Stmt nest = make<SBlockRealizeNode>(values, predicate, block);
  nest = substitute(nest, renamed);
  for (const ForNode* loop : kept) nest = with(ref(loop), [&](ForNode& copy) { copy.body = nest; });
  return FreshBinders().rewrite(nest);
}

Stmt nest_of(Stmt body, const std::vector<SRefNode*>& loops) {
  for (const SRefNode* loop : loops) body = with(ref(loop->loop()), [&](ForNode& copy) { copy.body = body; });
  return body;
}

bool reduces_outside(const Cut& cut) {
  return cut.block->init &&
         std::any_of(cut.outer_iters.begin(), cut.outer_iters.end(),
                     [](const IterVar& iter) { return iter->iter_type == IterType::kCommReduce; });
}

void add_boxes(std::vector<Box>& boxes, const Array<TensorRegion>& regions) {
  Analyzer analyzer;
  for (const TensorRegion& region : regions) {
    Box box{region->source, {}};
    for (const Range& range : region->region) {
      bool point = is_const_int(range->extent, 1);
      box.dims.push_back({range->min, point ? range->min : range->extent + range->min - 1});
    }
    add_box(boxes, box, analyzer);
  }
}

// Later buffers first as in TVM, which leaves their ends as they are; what is printed reads back as this.
Array<TensorRegion> last_first(std::vector<Box> boxes) {
  std::reverse(boxes.begin(), boxes.end());
  Analyzer analyzer;
  return regions_of(boxes, analyzer);
}

// The loops of a block below `above`, innermost first.
std::vector<SRefNode*> loops_below(const SRefNode& block, const SRefNode* above) {
  std::vector<SRefNode*> loops;
  for (SRefNode* up = block.parent; up != above && up->loop(); up = up->parent) loops.push_back(up);
  return loops;
}

}  // namespace

SBlockRealize blockized_loop(Step& step, const LoopArg& loop, bool preserve_unit_iters, BlockReuse& reuse) {
  std::vector<SRefNode*> below = child_blocks(step.state, *loop);
  if (below.size() != 1) {
    throw refuse(refusals["blockize-several-blocks"], loop->name.c_str(), below.size())
        .at(loop.span)
        .help("blocks that stand side by side go together as a list: `sch.blockize([block1, block2])`");
  }
  const SRefNode& block = *below[0];
  SBlockRealize realize = realize_of(step.state, block);
  std::vector<SRefNode*> inner = loops_below(block, loop->parent);
  for (const SRefNode* each : inner) {
    if (is_const_int(each->loop()->min, 0)) continue;
    throw refuse(shared_refusals["loop-not-from-zero"], step.primitive.name(), each->name.c_str())
        .at(loop.span)
        .note("the loop is made here", each->loop()->span);
  }
  Cut cut = cut_block(realize,
                      divide_block(realize, block, loops_above(block), inner, preserve_unit_iters, loop.span),
                      preserve_unit_iters, nullptr);
  const String& name = realize->block->name_hint;
  bool updates = reduces_outside(cut);
  std::vector<SRefNode*> outermost_first(inner.rbegin(), inner.rend());
  if (updates && repeats_instances(realize, outermost_first)) {
    Error error = refuse(shared_refusals["reduction-repeated"], loop->name.c_str(), name.c_str());
    if (step.state.explaining) add_witness(error, instance_met_twice(realize, outermost_first));
    throw about_block(std::move(error), loop.span, realize->block->span);
  }
  SBlockRealize inside = inner_realize(cut, updates);
  reuse.emplace_back(realize->block.get(), inside->block.get());
  Stmt init;
  if (updates) init = init_nest(cut, inside, inner, String(fmt::format("{}_init", name.c_str())));
  SBlock outer =
      make<SBlockNode>(cut.outer_iters, covering(cut.block->reads, cut.inner_iters),
                       covering(cut.block->writes, cut.inner_iters),
                       String(fmt::format("{}_o", name.c_str())), nest_of(inside, inner), init,
                       Array<Buffer>{}, Array<MatchBufferRegion>{}, Map<String, Any>{}, realize->block->span);
  return make<SBlockRealizeNode>(cut.outer_values, cut.division.outer_predicate, outer);
}

SRefNode* settle_outer_block(Step& step, const SBlock& outer) {
  SRefNode* sref = step.sref(outer);
  compute_flags(step.state, *sref);
  return sref;
}

namespace {

// Whether one writes what the other touches.
bool conflict(const SBlockNode& a, const SBlockNode& b) {
  auto meets = [](const Array<TensorRegion>& written, const Array<TensorRegion>& touched) {
    return std::any_of(written.begin(), written.end(),
                       [&](const TensorRegion& region) { return touches(touched, region->source); });
  };
  return meets(a.writes, b.reads) || meets(a.writes, b.writes) || meets(b.writes, a.reads);
}

}  // namespace

SRefNode* blockize_blocks(Step& step, const std::vector<BlockArg>& blocks, bool preserve_unit_iters) {
  Span span = step.span(1);
  if (blocks.empty()) throw refuse(refusals["blockize-no-blocks"]).kind("TypeError+ScheduleError").at(span);
  std::vector<SRefNode*> srefs;
  for (const BlockArg& block : blocks) {
    srefs.push_back(&*block);
    SRefNode* scope = scope_of(*block);
    if (!scope) throw refuse(shared_refusals["root-block"], block->name.c_str()).at(span);
    if (scope != scope_of(*blocks[0])) {
      throw refuse(refusals["blockize-not-neighbours"], blocks[0]->name.c_str(), block->name.c_str())
          .at(span);
    }
  }
  SRefNode& above = srefs.size() == 1 ? *srefs[0]->parent : *common_above(srefs);
  std::vector<size_t> positions;
  for (const SRefNode* sref : srefs) positions.push_back(child_position(above, *sref));
  std::vector<size_t> sorted = positions;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i + 1 < sorted.size(); ++i) {
    if (sorted[i + 1] == sorted[i] + 1) continue;
    throw refuse_as(refusals["blockize-not-neighbours"], "the blocks do not stand side by side below `{}`",
                    above.name.c_str())
        .at(span)
        .help("only blocks that follow each other directly can be made one");
  }
  bool depend = false;  // two that are named in another order than they run in
  for (size_t i = 0; i < srefs.size(); ++i) {
    for (size_t j = i + 1; j < srefs.size(); ++j)
      depend = depend || (positions[i] > positions[j] && conflict(*srefs[i]->block(), *srefs[j]->block()));
  }
  std::vector<Box> reads, writes;
  Array<IterVar> outer_iters;
  Array<Expr> outer_values;
  Expr predicate;
  BlockReuse reuse;
  std::vector<std::pair<size_t, Stmt>> parts;
  std::string name = "outer_";
  for (size_t at = 0; at < srefs.size(); ++at) {
    const SRefNode* sref = srefs[at];
    SBlockRealize realize = realize_of(step.state, *sref);
    std::vector<SRefNode*> inner = loops_below(*sref, &above);
    for (const SRefNode* loop : inner) {
      if (child_blocks(step.state, *loop).size() == 1) continue;
      throw refuse_as(refusals["blockize-several-blocks"],
                      "loop `{}` around block `{}` has other blocks as well", loop->name.c_str(),
                      sref->name.c_str())
          .at(span);
    }
    SubspaceDivision division =
        divide_block(realize, *sref, loops_above(*sref), inner, preserve_unit_iters, span);
    bool first = !predicate;
    // One with fewer iterators has the outer parts of the others' first ones.
    bool same = first || (division.indices.size() <= outer_iters.size() &&
                          same_expr(division.outer_predicate, predicate));
    for (size_t i = 0; same && !first && i < division.indices.size(); ++i) {
      same = same_expr(division.indices[i].outer, outer_values[i]) &&
             same_expr(division.indices[i].outer_extent, outer_iters[i]->dom->extent);
    }
    if (!same) {
      throw refuse(refusals["blockize-different-iterators"], srefs[0]->name.c_str(), sref->name.c_str())
          .at(span)
          .note("the other block is defined here", sref->stmt->span);
    }
    Cut cut = cut_block(realize, division, preserve_unit_iters, first ? nullptr : &outer_iters);
    if (first) {
      outer_iters = cut.outer_iters;
      outer_values = cut.outer_values;
      predicate = division.outer_predicate;
    }
    if (cut.block->init) {  // there would be no loop for it
      throw refuse(refusals["blockize-outer-reduction"], sref->name.c_str())
          .kind("InternalError+ScheduleError")
          .at(span);
    }
    SBlockRealize inside = inner_realize(cut, false);
    reuse.emplace_back(realize->block.get(), inside->block.get());
    add_boxes(reads, covering(cut.block->reads, cut.inner_iters));
    add_boxes(writes, covering(cut.block->writes, cut.inner_iters));
    parts.emplace_back(positions[at], nest_of(inside, inner));
    name += fmt::format("{}_", sref->name.c_str());
  }
  // As they are named, unless one computes what another needs.
  if (depend)
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Array<Stmt> stmts;
  for (const auto& [position, stmt] : parts) stmts.push_back(stmt);
  SBlock outer =
      make<SBlockNode>(outer_iters, last_first(reads), last_first(writes), String(name), seq(stmts), Stmt(),
                       Array<Buffer>{}, Array<MatchBufferRegion>{}, Map<String, Any>{}, srefs[0]->stmt->span);
  Stmt realize = make<SBlockRealizeNode>(outer_values, predicate, outer);
  std::vector<Stmt> next_body, old_body = statements_of(body_of(above.stmt));
  for (size_t i = 0; i < old_body.size(); ++i) {
    if (i == sorted.front()) next_body.push_back(realize);
    if (i < sorted.front() || i > sorted.back()) next_body.push_back(old_body[i]);
  }
  step.replace(above, with_statements(above.stmt, next_body), reuse);
  return settle_outer_block(step, outer);
}

}  // namespace mlc::transform
