// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "ir/core/refusal.h"
#include "transform/pass/regions.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_merge {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "merge-dependence",
         .message = "merging loop `{}` would change what is read from `{}`: {}",
         .help = "loops merge in the order in which they stand, where iterations use only what the same one "
                 "makes",
         .meaning = "What one loop writes would not be complete when the other one reads it, or be written "
                    "too late.",
         .wrong = R"(@T.prim_func(s_tir=True)
def chain(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[15 - vi] + 1.0


other = tvm.s_tir.Schedule(chain)
other.merge(other.get_loops("B")[0], other.get_loops("C")[0]))",
         .right = R"(@T.prim_func(s_tir=True)
def chain(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + 1.0


other = tvm.s_tir.Schedule(chain)
other.merge(other.get_loops("B")[0], other.get_loops("C")[0]))"},
        {.name = "merge-duplicate-loop",
         .message = "loop `{}` is named twice",
         .help = "name each loop once, in the order in which they stand",
         .meaning = "A loop has no second body that it could take in.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.merge(i, i))",
         .right = R"(i, j = sch.get_loops("double")
a, b, c = sch.get_loops("product")
sch.merge(i, a))"},
        {.name = "merge-too-few-loops",
         .message = "`merge` takes two loops or more, got {}",
         .help = "`sch.merge(loop1, loop2)`",
         .meaning = "Merging takes two loops or more.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.merge(i))",
         .right = R"(i, j = sch.get_loops("double")
a, b, c = sch.get_loops("product")
sch.merge(i, a))"},
        {.name = "merge-different-scopes",
         .message = "loops `{}` and `{}` are in different blocks",
         .help = "merge loops that stand in one block",
         .meaning = "The merged loop stands in one block, which must be around all that is in it.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.blockize(j)
a, b, c = sch.get_loops("product")
sch.merge(j, a))",
         .right = R"(i, j = sch.get_loops("double")
a, b, c = sch.get_loops("product")
sch.merge(i, a))"},
        {.name = "merge-unknown-accesses",
         .message =
             "block `{}` does not say what the blocks inside of it access, so their order cannot change",
         .help = "say it in the block, by `T.reads` and `T.writes`",
         .meaning = "Merging changes what runs first, so it must be known what the blocks read and write.",
         .wrong = R"(sch.loop_partition(sch.get_loops("double")[1], [4])
sch.merge(sch.get_loops("double_j_common")[0], sch.get_loops("product")[0]))",
         .right = R"(sch.merge(sch.get_loops("double")[0], sch.get_loops("product")[0]))"},
        {.name = "merge-different-depths",
         .message = "loops `{}` and `{}` are {} and {} loops below what they share",
         .help = "merge loops that are as deep as each other: `split` and `fuse` make them so",
         .meaning = "Loops are merged together with those around them, pair by pair.",
         .wrong = R"(i, j = sch.get_loops("double")
a, b = sch.get_loops("shifted")
sch.merge(j, a))",
         .right = R"(i, j = sch.get_loops("double")
a, b, c = sch.get_loops("product")
sch.merge(i, a))"},
        {.name = "merge-different-extents",
         .message = "loops `{}` and `{}` have different extents: {} and {}",
         .help = "loops merge where they have the same extents",
         .meaning = "The merged loop has one extent, and runs each body as often as its own loop did.",
         .wrong = R"(@T.prim_func(s_tir=True)
def two(A: T.Buffer((16,), "float32"), B: T.Buffer((17,), "float32")):
    for i in range(16):
        with T.sblock("A"):
            vi = T.axis.spatial(16, i)
            A[vi] = 0.0
    for i in range(17):
        with T.sblock("B"):
            vi = T.axis.spatial(17, i)
            B[vi] = 1.0


other = tvm.s_tir.Schedule(two)
other.merge(other.get_loops("A")[0], other.get_loops("B")[0]))",
         .right = R"(i, j = sch.get_loops("double")
a, b, c = sch.get_loops("product")
sch.merge(i, a))"},
        {.name = "merge-depending-extents",
         .message = "the extent `{}` of loop `{}` changes with a loop that is merged, too",
         .help = "merge the loops above it alone",
         .meaning = "The extents of merged loops are compared, and those of each iteration cannot be.",
         .wrong = R"(@T.prim_func(s_tir=True)
def ragged(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32")):
    for i in range(16):
        for j in range(i + 1):
            with T.sblock("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = 0.0
    for i in range(16):
        for j in range(i + 1):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = 1.0


other = tvm.s_tir.Schedule(ragged)
other.merge(other.get_loops("A")[1], other.get_loops("B")[1]))",
         .right = R"(i, j = sch.get_loops("double")
a, b, c = sch.get_loops("product")
sch.merge(i, a))"},
        {.name = "merge-not-only-child",
         .message = "loop `{}` is not all that stands below loop `{}`",
         .help = "loops are merged together with those around them, which hold nothing else",
         .meaning = "What stands beside a loop has no place in the merged nest.",
         .wrong = R"(a = sch.cache_read("product", 1, "local")
i, j, k = sch.get_loops("product")
sch.compute_at(a, i)
x, y = sch.get_loops("double")
sch.merge(y, sch.get_loops("product")[1]))",
         .right = R"(i, j = sch.get_loops("double")
a, b, c = sch.get_loops("product")
sch.merge(i, a))"},
    }};
MLC_REFUSALS(primitive_merge, refusals);

static constexpr char doc[] = R"(
merge(*loops) -> loop      Run several loop nests that stand side by side as one.

    for i in range(n):           =>      for i_m in range(n):
        B[i] = f(A[i])                       B[i_m] = f(A[i_m])
    for j in range(n):                       C[j := i_m] = g(B[i_m])
        C[j] = g(B[j])

The loops are merged from the outermost that they do not share down to the given ones; bodies follow in the order of the
arguments, where the last of the nests stood. Returns the merged innermost loop.
needs: the same depth and extents, from 0; no annotations, no threads; nothing else below the loops above the given ones; what
       an iteration reads of another nest is not written by a later one; what both write are different parts.
keeps: the values computed.
)";

namespace {

// One of the nests: its loops from the outermost merged one to the argument.
struct Nest {
  std::vector<SRefNode*> path;
  std::vector<SRefNode*> blocks;
};

struct Access {
  Buffer buffer;
  std::vector<Interval> dims;
  std::vector<Expr> points;      // indices of single elements; null where there are several
  std::vector<LoopRange> loops;  // around the block, below those that are not relaxed
};

// What blocks touch in all iterations of the loops below `above`. Loops around these are renamed.
std::vector<Access> accesses(ScheduleState& state, const Dependences& deps,
                             const std::vector<SRefNode*>& blocks, const SRefNode& above,
                             const VarMap& renamed, bool writes, Analyzer& analyzer) {
  std::vector<Access> result;
  for (const SRefNode* block : blocks) {
    VarMap values = bindings_of(realize_of(state, *block));
    std::vector<SRefNode*> loops;
    for (SRefNode* up = block->parent; up != &above; up = up->parent) loops.push_back(up);
    Domain domain = domain_of(ranges_of(loops));
    for (const TensorRegion& region : writes ? deps.writes(*block) : deps.reads(*block)) {
      Access access{region->source, {}, {}, ranges_of(loops)};
      for (const Range& range : region->region) {
        Range at = substitute(substitute(range, values), renamed);
        access.dims.push_back(interval_of(at, domain, analyzer));
        access.points.push_back(is_const_int(at->extent, 1) ? at->min : nullptr);
      }
      result.push_back(access);
    }
  }
  return result;
}

// Do indices have different remainders, as those of even and of odd elements?
bool apart(const Expr& a, const Expr& b) {
  if (!a || !b) return false;
  Analyzer any;
  ModularSet one = any.modular_set(a), other = any.modular_set(b);
  int64_t step = std::gcd(one.coeff, other.coeff);
  return step > 1 && (one.base - other.base) % step != 0;
}

// May two accesses meet in an element?
bool meet(const Access& a, const Access& b, Analyzer& analyzer) {
  if (!a.buffer.same_as(b.buffer)) return false;
  for (size_t d = 0; d < a.dims.size(); ++d) {
    const Interval &one = a.dims[d], &other = b.dims[d];
    if (apart(a.points[d], b.points[d])) return false;
    if (one && other &&
        (analyzer.can_prove(lt(one.max, other.min)) || analyzer.can_prove(lt(other.max, one.min))))
      return false;
  }
  return true;
}
bool meets_any(const Access& a, const std::vector<Access>& all, Analyzer& analyzer) {
  return std::any_of(all.begin(), all.end(), [&](const Access& b) { return meet(a, b, analyzer); });
}

// A buffer for whose sake the order of two groups of blocks counts; null when there is none.
Buffer conflict(ScheduleState& state, const Dependences& deps, SRefNode& above,
                const std::vector<SRefNode*>& a, const std::vector<SRefNode*>& b) {
  Analyzer analyzer;
  bind_loops(analyzer, loops_up(above));
  for (const auto& [one, other] : {std::pair(&a, &b), {&b, &a}}) {
    std::vector<Access> writes = accesses(state, deps, *other, above, {}, true, analyzer);
    std::vector<Access> reads = accesses(state, deps, *other, above, {}, false, analyzer);
    for (const Access& write : accesses(state, deps, *one, above, {}, true, analyzer)) {
      if (meets_any(write, writes, analyzer) || meets_any(write, reads, analyzer)) return write.buffer;
    }
  }
  return nullptr;
}

[[noreturn]] void depends(Step& step, const SRefNode& loop, const Buffer& buffer, std::string_view why) {
  throw refuse(refusals["merge-dependence"], loop.name.c_str(), buffer->name.c_str(), why)
      .at(step.span(1))
      .note("the loop is made here", loop.stmt->span);
}

// Does each iteration of the loops write elements of its own?
bool writes_its_own(const Access& write, const std::vector<LoopRange>& merged) {
  Array<Expr> indices;
  for (const Expr& point : write.points) {
    if (!point) return false;
    indices.push_back(point);
  }
  std::vector<LoopRange> iters;
  for (const LoopRange& each : merged)
    if (!is_const_int(each.range->extent, 1)) iters.push_back(each);
  for (const LoopRange& each : write.loops) {
    auto is_it = [&](const VarNode* var) { return var == each.var.get(); };
    if (std::any_of(indices.begin(), indices.end(),
                    [&](const Expr& index) { return uses_var(index, is_it); }))
      iters.push_back(each);
  }
  Analyzer analyzer;
  return !detect_iter_map(indices, iters, Expr(bool_imm(true)), IterMapCheck::kBijective, analyzer, false)
              .indices.empty();
}

// Does an iteration of the loops read nothing that a later one writes?
bool never_written_later(const Access& read, const Access& write, const std::vector<LoopRange>& merged,
                         Analyzer& analyzer) {
  for (size_t outer = 0; outer < merged.size(); ++outer) {
    if (is_const_int(merged[outer].range->extent, 1)) continue;
    VarMap later;
    for (size_t i = outer; i < merged.size(); ++i) {
      const auto& [var, range] = merged[i];
      Var other = make<VarNode>(var->name, var->ty);
      bind_ranges(analyzer, {{other, range}});
      later[var.get()] =
          i == outer ? add(add(var, const_like(var, 1)), other) : Expr(other);  // loops start at 0
    }
    Access then{write.buffer, {}, {}, {}};
    for (size_t d = 0; d < write.dims.size(); ++d) {
      const Interval& dim = write.dims[d];
      then.dims.push_back(dim ? Interval{substitute(dim.min, later), substitute(dim.max, later)}
                              : Interval{});
      then.points.push_back(write.points[d] ? substitute(write.points[d], later) : Expr(nullptr));
    }
    if (meet(then, read, analyzer)) return false;
  }
  return true;
}

// Do iterations of `after` read only what the same iteration of `before` has written, or what none writes
// later?
void require_same_iteration(Step& step, const Dependences& deps, SRefNode& above, const Nest& before,
                            const Nest& after) {
  Analyzer analyzer;
  VarMap merged;
  for (size_t i = 0; i < after.path.size(); ++i)
    merged[before.path[i]->loop()->loop_var.get()] = after.path[i]->loop()->loop_var;
  bind_loops(analyzer, after.path);
  bind_loops(analyzer, loops_up(above));
  std::vector<Access> written =
      accesses(step.state, deps, before.blocks, *before.path.back(), merged, true, analyzer);
  auto whole = [&](const Nest& nest, bool writes) {
    return accesses(step.state, deps, nest.blocks, above, {}, writes, analyzer);
  };
  std::vector<Access> all_written = whole(before, true), all_read = whole(before, false);
  std::vector<Access> late_writes = whole(after, true), late_reads = whole(after, false);
  for (const Access& late : late_writes) {
    if (meets_any(late, all_written, analyzer))
      depends(step, *after.path[0], late.buffer, "both nests write it");
  }
  for (const Access& late : late_writes) {
    if (meets_any(late, all_read, analyzer))
      depends(step, *after.path[0], late.buffer,
              "the later nest overwrites what the earlier one still reads");
  }
  std::vector<Access> reads =
      accesses(step.state, deps, after.blocks, *after.path.back(), {}, false, analyzer);
  std::vector<LoopRange> merged_ranges = ranges_of(after.path);
  for (size_t i = 0; i < reads.size(); ++i) {
    const Access& read = reads[i];
    for (size_t j = 0; j < written.size(); ++j) {
      const Access& write = written[j];
      if (!meet(all_written[j], late_reads[i], analyzer)) continue;
      if (never_written_later(read, write, merged_ranges, analyzer)) continue;
      bool covered = writes_its_own(write, merged_ranges);
      for (size_t d = 0; d < read.dims.size() && covered; ++d) {
        covered = read.dims[d] && write.dims[d] &&
                  analyzer.can_prove(le(write.dims[d].min, read.dims[d].min)) &&
                  analyzer.can_prove(ge(write.dims[d].max, read.dims[d].max));
      }
      if (!covered)
        depends(step, *after.path[0], read.buffer, "an iteration reads what later iterations write");
    }
  }
}

SRefNode* apply(Step& step, Array<Any> loop_list) {
  // check
  std::vector<LoopArg> loops;
  for (const Any& loop : loop_list) loops.push_back(step.loop_of(loop, step.span(1), 1));
  for (size_t i = 0; i < loops.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (loops[i].sref != loops[j].sref) continue;
      throw refuse(refusals["merge-duplicate-loop"], loops[i]->name.c_str()).at(step.span(1));
    }
  }
  if (loops.size() < 2) {
    throw refuse(refusals["merge-too-few-loops"], loops.size())
        .kind("ValueError+ScheduleError")
        .at(step.span(1));
  }
  std::vector<SRefNode*> srefs;
  for (const LoopArg& loop : loops) {
    srefs.push_back(&*loop);
    if (scope_of(*loop) != scope_of(*loops[0])) {
      throw refuse(refusals["merge-different-scopes"], loops[0]->name.c_str(), loop->name.c_str())
          .at(step.span(1));
    }
  }
  SRefNode* above = common_above(srefs);
  std::vector<Nest> nests;
  for (SRefNode* sref : srefs) {
    Nest nest;
    for (SRefNode* up = sref; up != above; up = up->parent) nest.path.insert(nest.path.begin(), up);
    nest.blocks = child_blocks(step.state, *nest.path[0]);
    for (SRefNode* block : nest.blocks) {
      const SBlockNode* node = block->block();
      if (!node->reads.empty() || !node->writes.empty() || child_blocks(step.state, *block).empty()) continue;
      throw refuse(refusals["merge-unknown-accesses"], block->name.c_str())
          .at(step.span(1))
          .note("the block is made here", node->span);
    }
    nests.push_back(nest);
  }
  for (const Nest& nest : nests) {
    const Nest& first = nests[0];
    if (nest.path.size() != first.path.size()) {
      throw refuse(refusals["merge-different-depths"], srefs[0]->name.c_str(), nest.path.back()->name.c_str(),
                   first.path.size(), nest.path.size())
          .at(step.span(1));
    }
    VarMap renamed;  // loops of this nest, as those of the first
    for (size_t i = 0; i < nest.path.size(); ++i) {
      require_plain_loop({step.state.owner(nest.path[i]), step.span(1)}, "merge");
      const ForNode *a = first.path[i]->loop(), *b = nest.path[i]->loop();
      Expr extent = substitute(b->extent, renamed);
      renamed[b->loop_var.get()] = a->loop_var;
      if (!extent.same_as(b->extent)) {
        throw refuse(refusals["merge-depending-extents"], expr_text(b->extent), nest.path[i]->name.c_str())
            .at(step.span(1))
            .note("the loop is made here", b->span);
      }
      if (!Analyzer().can_prove_equal(a->extent, extent)) {
        auto shown = [](const Expr& e) { return expr_text(e); };
        throw refuse(refusals["merge-different-extents"], first.path[i]->name.c_str(),
                     nest.path[i]->name.c_str(), shown(a->extent), shown(b->extent))
            .at(step.span(1))
            .note("the other loop is made here", b->span);
      }
      if (i + 1 < nest.path.size() && !b->body.same_as(nest.path[i + 1]->stmt)) {
        throw refuse(refusals["merge-not-only-child"], nest.path[i + 1]->name.c_str(),
                     nest.path[i]->name.c_str())
            .at(step.span(1));
      }
    }
  }
  Dependences deps = dependences(step.state, *scope_of(*srefs[0]));
  std::vector<size_t> positions;
  for (const Nest& nest : nests) positions.push_back(child_position(*above, *nest.path[0]));
  size_t last = *std::max_element(positions.begin(), positions.end());
  for (size_t i = 0; i < nests.size(); ++i) {
    for (size_t j = i + 1; j < nests.size(); ++j) {
      Buffer shared = conflict(step.state, deps, *above, nests[i].blocks, nests[j].blocks);
      if (!shared) continue;
      if (positions[i] > positions[j])
        depends(step, *nests[j].path[0], shared, "the arguments are not in the order of the program");
      require_same_iteration(step, deps, *above, nests[i], nests[j]);
    }
  }
  std::vector<Stmt> body = statements_of(body_of(above->stmt)), next_body;
  for (size_t at = 0; at < last; ++at) {
    if (std::find(positions.begin(), positions.end(), at) != positions.end()) continue;
    std::vector<SRefNode*> between;
    for (SRefNode* block : child_blocks(step.state, *above))
      if (child_position(*above, *block) == at) between.push_back(block);
    for (size_t i = 0; i < nests.size(); ++i) {
      if (positions[i] > at) continue;
      if (Buffer shared = conflict(step.state, deps, *above, nests[i].blocks, between))
        depends(step, *nests[i].path[0], shared, "it would move behind a block that uses it");
    }
  }

  // apply
  std::vector<Var> vars;
  for (const SRefNode* sref : nests[0].path) {
    const Var& var = sref->loop()->loop_var;
    vars.push_back(make<VarNode>(String(fmt::format("{}_m", var->name.c_str())), var->ty));
  }
  Array<Stmt> parts;
  for (const Nest& nest : nests) {
    VarMap renamed;
    for (size_t i = 0; i < vars.size(); ++i) renamed[nest.path[i]->loop()->loop_var.get()] = vars[i];
    parts.push_back(substitute(nest.path.back()->loop()->body, renamed));
  }
  Stmt merged = seq(parts);
  Stmt innermost;
  for (size_t i = vars.size(); i-- > 0;) {
    const ForNode* loop = nests[0].path[i]->loop();
    merged = make<ForNode>(vars[i], loop->min, loop->extent, ForKind::kSerial, merged);
    if (!innermost) innermost = merged;
  }
  for (size_t at = 0; at < body.size(); ++at) {
    if (at == last) next_body.push_back(merged);
    if (std::find(positions.begin(), positions.end(), at) == positions.end()) next_body.push_back(body[at]);
  }
  step.replace(*above, with_statements(above->stmt, next_body));
  return step.sref(innermost);
}

}  // namespace

extern const Primitive merge;
const Primitive merge = primitive<&apply>("Merge", "merge(*loops)", doc);

}  // namespace mlc::transform::primitive_merge
