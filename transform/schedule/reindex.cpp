// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/reindex.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "ir/tir/op.h"
#include "transform/arith/expr_equal.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "reindex-different-indices",
         .message = "block `{}` uses `{}` at different indices",
         .help = "`cache_read` copies a buffer that is used at several places",
         .meaning = "In the copy an element stands at the iterators of the block, one for each instance.",
         .wrong = R"(@T.prim_func(s_tir=True)
def pairs(A: T.Buffer((17,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = A[vi] + A[vi + 1]


other = tvm.s_tir.Schedule(pairs)
other.reindex("C", ("read", 0)))",
         .right = R"(sch.reindex("product", ("read", 0)))"},
        {.name = "reindex-no-access",
         .message = "block `{}` does not load or store `{}` element by element",
         .help = "`cache_read` and `cache_write` copy the region that a block declares",
         .meaning = "The copy is laid out by the indices of a load or store.",
         .wrong = R"(@T.prim_func(s_tir=True)
def unused(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi])
            T.writes(C[vi])
            C[vi] = 1.0


other = tvm.s_tir.Schedule(unused)
other.reindex("C", ("read", 0)))",
         .right = R"(sch.reindex("product", ("read", 0)))"},
        {.name = "reindex-inner-index",
         .message = "an index of `{}` is not made of the iterators of block `{}`",
         .help = "`blockize` or `transform_block_layout` make such an index the block's own",
         .meaning =
             "The copy has a dimension for each iterator of the block, and none for what changes within it.",
         .wrong = R"(@T.prim_func(s_tir=True)
def rows(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            for j in range(16):
                C[vi, j] = A[vi, j] * 2.0


other = tvm.s_tir.Schedule(rows)
other.reindex("C", ("read", 0)))",
         .right = R"(sch.reindex("product", ("read", 0)))"},
        {.name = "reindex-partial-write",
         .message = "block `{}` does not compute every element of `{}` that the copy would write back",
         .help = "a block that writes each element of the buffer can write a copy first",
         .meaning = "The copy is written back as a whole, over elements that the block has not computed.",
         .wrong = R"(@T.prim_func(s_tir=True)
def some(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            T.where(i < 8)
            C[vi] = A[vi] * 2.0


other = tvm.s_tir.Schedule(some)
other.reindex("C", ("write", 0)))",
         .right = R"(sch.reindex("shifted", ("write", 0)))"},
        {.name = "reindex-out-of-bounds",
         .message =
             "index {} of `{}` may reach past the buffer for some iterations of block `{}`, which accesses "
             "it under a condition",
         .help = "the block guards its accesses, a copy of all iterations would not",
         .meaning = "The copy is made for every iteration of the block, without the block's conditions.",
         .wrong = R"(@T.prim_func(s_tir=True)
def padded(A: T.Buffer((16,), "float32"), C: T.Buffer((18,), "float32")):
    for i in range(18):
        with T.sblock("C"):
            vi = T.axis.spatial(18, i)
            C[vi] = T.if_then_else(1 <= vi and vi < 17, A[vi - 1], T.float32(0))


other = tvm.s_tir.Schedule(padded)
other.reindex("C", ("read", 0)))",
         .right = R"(sch.reindex("product", ("read", 0)))"},
        {.name = "reindex-updates",
         .message = "block `{}` writes `{}` as well, and would go on with an older copy",
         .help = "`cache_inplace` copies what a block reads and writes",
         .meaning = "The copy is made before the block, and does not see what the block writes.",
         .wrong = R"(@T.prim_func(s_tir=True)
def doubled(A: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("twice"):
            vi = T.axis.spatial(16, i)
            A[vi] = A[vi] * 2.0


other = tvm.s_tir.Schedule(doubled)
other.reindex("twice", ("read", 0)))",
         .right = R"(sch.reindex("product", ("read", 0)))"},
    }};
MLC_REFUSALS(schedule_reindex, refusals);

namespace {

// Does the block run for every value of its iterators? Conditions that only end a domain do not count.
bool runs_everywhere(const SBlockRealize& realize) {
  for (const Expr& condition : conjuncts(realize->predicate)) {
    if (is_const_int(condition, 1)) continue;
    auto* test = as<LTNode>(condition);
    bool ends = false;
    for (size_t i = 0; test && i < realize->iter_values.size(); ++i)
      ends = ends || (same_expr(test->a, realize->iter_values[i]) &&
                      same_expr(test->b, realize->block->iter_vars[i]->dom->extent));
    if (!ends) return false;
  }
  return true;
}

// Is every instance in the domains of an affine block's iterators met by the loops around it?
bool meets_domains(const SBlockRealize& realize, const std::vector<SRefNode*>& loops) {
  Analyzer analyzer;
  bind_loops(analyzer, loops);
  IterMapResult map = detect_iter_map(realize->iter_values, ranges_of(loops), realize->predicate,
                                      IterMapCheck::kSurjective, analyzer);
  bool proved = !map.indices.empty();
  for (size_t i = 0; i < map.indices.size(); ++i) {
    const IterSum& sum = map.indices[i];
    const Range& domain = realize->block->iter_vars[i]->dom;
    if (sum->args.size() > 1) {
      proved = false;
      continue;
    }
    Expr extent = sum->args.empty() ? const_like(domain->extent, 1) : sum->args[0]->extent;
    if (analyzer.can_prove_equal(sum->base, domain->min) &&
        analyzer.can_prove_equal(extent, domain->extent) &&
        (sum->args.empty() || is_const_int(sum->args[0]->scale, 1)))
      continue;
    if (const_int(extent) && const_int(domain->extent)) return false;
    proved = false;
  }
  return proved || runs_everywhere(realize);
}

}  // namespace

Array<Expr> only_indices(const SRefNode& block, const Buffer& buffer, Span span) {
  std::optional<Array<Expr>> found;
  auto take = [&](const Array<Expr>& indices) {
    if (found && !same_exprs(*found, indices)) {
      throw about_block(
          refuse(refusals["reindex-different-indices"], block.name.c_str(), buffer->name.c_str()), span,
          block.stmt->span);
    }
    found = indices;
  };
  post_order(
      block.stmt,
      [&](const Expr& e) {
        if (auto* load = as<TensorLoadNode>(e); load && load->source.same_as(buffer)) take(load->indices);
      },
      [&](const Stmt& s) {
        if (auto* store = as<BufferStoreNode>(s); store && store->buffer.same_as(buffer))
          take(store->indices);
      });
  if (!found) {
    throw refuse(refusals["reindex-no-access"], block.name.c_str(), buffer->name.c_str()).at(span);
  }
  return *found;
}

void require_outer_indices(Step& step, const SRefNode& block, const Buffer& buffer,
                           const Array<Expr>& indices, bool beside) {
  std::unordered_set<const VarNode*> inside;  // what the block itself defines
  post_order(block.stmt, nullptr, [&](const Stmt& s) {
    if (auto* loop = as<ForNode>(s)) inside.insert(loop->loop_var.get());
    if (auto* bind = as<BindNode>(s)) inside.insert(bind->var.get());
    if (auto* below = as<SBlockNode>(s); below && below != block.block())
      for (const IterVar& iter : below->iter_vars) inside.insert(iter->var.get());
  });
  // What others never write can decide the position in the copy's loops as well; for a copy outside the
  // block's loops, what these do not write.
  SRefNode& scope = *scope_of(block);
  Dependences deps = dependences(step.state, scope);
  size_t position = child_position(scope, block);
  auto changes = [&](const VarNode* used) {
    auto writers = deps.writers.find(used);
    return used == buffer.get() ||
           (writers != deps.writers.end() &&
            std::any_of(writers->second.begin(), writers->second.end(), [&](const SRefNode* writer) {
              return !beside || child_position(scope, *writer) == position;
            }));
  };
  for (const Expr& index : indices) {
    if (!uses_var(index, [&](const VarNode* var) {
          return inside.contains(var) || (var->buffer() && changes(var));
        }))
      continue;
    throw about_block(refuse(refusals["reindex-inner-index"], buffer->name.c_str(), block.name.c_str()),
                      step.span(2), block.stmt->span);
  }
}

void require_full_write(Step& step, const SRefNode& block, const Buffer& buffer) {
  SBlockRealize realize = realize_of(step.state, block);
  bool updates = !block.block()->init && touches(block.block()->reads, buffer);
  if (updates || !block.affine_binding || !meets_domains(realize, loops_above(block))) {
    throw about_block(refuse(refusals["reindex-partial-write"], block.name.c_str(), buffer->name.c_str()),
                      step.span(2), block.stmt->span);
  }
}

// Does the block access the buffer for a part of its iterations only? Without conditions around an access,
// what it accesses for any of them exists; choices within an index are no such conditions.
static bool accesses_conditionally(const SBlockNode& block, const Buffer& buffer) {
  auto is_access = overloaded{[&](const Expr& e) {
                                auto* load = as<TensorLoadNode>(e);
                                return load && load->source.same_as(buffer);
                              },
                              [&](const Stmt& s) {
                                auto* store = as<BufferStoreNode>(s);
                                return store && store->buffer.same_as(buffer);
                              }};
  auto accessed = [&](const auto& part) { return part && any_below(part, is_access); };
  return any_below(block.body,
                   overloaded{[&](const Expr& e) {
                                if (auto* select = as<SelectNode>(e))
                                  return accessed(select->true_value) || accessed(select->false_value);
                                auto* choice = as_call_to(e, "tirx.if_then_else");
                                return choice && (accessed(choice->args[1]) || accessed(choice->args[2]));
                              },
                              [&](const Stmt& s) {
                                auto* branch = as<IfThenElseNode>(s);
                                return branch && (accessed(branch->then_case) || accessed(branch->else_case));
                              }});
}

// Is the index in [0, size), each of its branches under the condition that it is chosen by?
static bool inside_by_branches(const Expr& index, const Expr& size, Analyzer& analyzer, int branches = 0) {
  Expr choice;
  post_order(index, [&](const Expr& e) {
    if (!choice && (e->kind == ExprKind::kSelect || as_call_to(e, "tirx.if_then_else"))) choice = e;
  });
  if (!choice)
    return branches > 0 && analyzer.can_prove(ge(index, const_like(index, 0))) &&
           analyzer.can_prove(lt(index, size));
  if (branches == 3) return false;
  auto* select = as<SelectNode>(choice);
  auto* call = as_call_to(choice, "tirx.if_then_else");
  Expr condition = select ? select->condition : call->args[0];
  auto holds = [&](const Expr& assumed, const Expr& value) {
    auto inside = analyzer.assume(assumed);
    Expr branch = replaced(index, choice, value);
    return inside_by_branches(branch, size, analyzer, branches + 1);
  };
  return holds(condition, select ? select->true_value : call->args[1]) &&
         holds(analyzer.simplify(logical_not(condition)), select ? select->false_value : call->args[2]);
}

void require_inside(Step& step, const SRefNode& block, const Buffer& buffer, const Array<Expr>& indices) {
  Analyzer analyzer;
  std::vector<LoopRange> iters = ranges_of(block.block()->iter_vars);
  Domain domain = domain_of(iters);
  bind_ranges(analyzer, iters);
  bool guarded =
      accesses_conditionally(*block.block(), buffer) || !runs_everywhere(realize_of(step.state, block));
  for (size_t d = 0; d < indices.size(); ++d) {
    Interval reach = interval_of(indices[d], domain, analyzer);
    auto low = reach ? const_int(analyzer.simplify(reach.min)) : std::nullopt;
    auto high = reach ? const_int(analyzer.simplify(reach.max)) : std::nullopt;
    auto size = const_int(buffer->buffer()->shape[d]);
    bool below = low && *low < 0, above = high && size && *high >= *size;
    if ((below || above) && inside_by_branches(indices[d], buffer->buffer()->shape[d], analyzer)) continue;
    if (!below && !above) {
      bool known = low && high && size;
      if (known || !guarded) continue;
      const Expr& end = buffer->buffer()->shape[d];
      if (reach && analyzer.can_prove(ge(reach.min, const_like(reach.min, 0))) &&
          analyzer.can_prove(lt(reach.max, end)))
        continue;
      if (inside_by_branches(indices[d], end, analyzer)) continue;
      throw about_block(
          refuse(refusals["reindex-out-of-bounds"], d, buffer->name.c_str(), block.name.c_str()),
          step.span(2), block.stmt->span);
    }
    std::string ends = size ? fmt::format("goes from 0 to {}", *size - 1) : "begins at 0";
    throw about_block(
        refuse_as(refusals["reindex-out-of-bounds"],
                  "index {} of `{}` reaches {} for some iterations of block `{}`, and the buffer {}", d,
                  buffer->name.c_str(), below ? *low : *high, block.name.c_str(), ends),
        step.span(2), block.stmt->span);
  }
}

void require_only_read(Step& step, const SRefNode& block, const Buffer& buffer) {
  if (!touches(block.block()->writes, buffer)) return;
  throw about_block(refuse(refusals["reindex-updates"], block.name.c_str(), buffer->name.c_str()),
                    step.span(2), block.stmt->span);
}

SRefNode* add_reindex_stage(Step& step, const BlockArg& block, const ReindexStage& what) {
  SRefNode* scope = scope_of(*block);
  const SBlockNode* old = block->block();
  auto use_copy =
      overloaded{[&](const Expr& e, Rewriter& on) {
                   Expr next = on.rewrite_children(e);
                   auto* load = as<TensorLoadNode>(next);
                   bool moved = load && load->source.same_as(what.buffer);
                   return moved ? Expr(make<TensorLoadNode>(what.copy, what.indices)) : next;
                 },
                 [&](const Stmt& s, Rewriter& on) -> Stmt {
                   Stmt next = on.rewrite_children(s);
                   auto* store = as<BufferStoreNode>(next);
                   if (!store || !store->buffer.same_as(what.buffer)) return next;
                   return make<BufferStoreNode>(what.copy, store->value, what.indices, store->span);
                 }};
  SBlock changed = ref(as<SBlockNode>(rewrite_below(Stmt(ref(old)), use_copy)));
  changed = with(changed, [&](SBlockNode& next) {
    for (Array<TensorRegion>* regions : {&next.reads, &next.writes}) {
      Array<TensorRegion> all;
      for (const TensorRegion& region : *regions)
        all.push_back(region->source.same_as(what.buffer)
                          ? TensorRegion(make<TensorRegionNode>(what.copy, points(what.indices)))
                          : region);
      *regions = all;
    }
  });
  Stmt next = scope_with_stage(*scope, {what.location, what.position}, what.nest, what.copy, {&*block},
                               [&](const Stmt&) -> Stmt { return changed; });
  step.replace(*scope, next, {{old, changed.get()}});
  SRefNode* sref = step.sref(what.stage);
  sref->affine_binding = has_affine_binding(step.state, *sref);
  return sref;
}

}  // namespace mlc::transform
