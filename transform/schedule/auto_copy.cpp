// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/auto_copy.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/schedule/buffers.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/compute_location.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "not-used-in-loop",
         .message = "loop `{}` {} nothing of `{}`",
         .help = "choose a loop around a block that does",
         .meaning = "The copy is of what the loop reads or writes of the buffer.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.read_at(i, sch.get_sblock("product"), 1, "local"))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.read_at(i, sch.get_sblock("product"), 1, "local"))"},
        {.name = "read-after-write",
         .message = "loop `{}` reads `{}` after the last write to it",
         .help = "the copy stands behind the last write, so it would come too late or too early",
         .meaning = "One copy at one place cannot serve readers on both sides of it.",
         .wrong = R"(@T.prim_func(s_tir=True)
def both(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + 1.0


other = tvm.s_tir.Schedule(both)
other.write_at(other.get_loops("C")[0], other.get_sblock("B"), 0, "local"))",
         .right = R"(sch.write_at(sch.get_loops("shifted")[0], sch.get_sblock("shifted"), 0, "local"))"},
        {.name = "region-unknown",
         .message = "which part of `{}` loop `{}` {} is not known",
         .help = "`cache_read` and `cache_write` copy what a block declares",
         .meaning = "The copy has the size of the region that one iteration accesses, for which bounds must "
                    "be known."},
    }};
MLC_REFUSALS(schedule_auto_copy, refusals);

namespace {

// Which statements of a loop's body read and write a buffer.
struct Uses {
  std::vector<size_t> reads, writes;
};
Uses uses_in(ScheduleState& state, const SRefNode& loop, const Buffer& buffer) {
  Uses uses;
  for (const SRefNode* block : child_blocks(state, loop)) {
    size_t position = child_position(loop, *block);
    auto note = [&](std::vector<size_t>& found, const Array<TensorRegion>& regions) {
      if (touches(regions, buffer) && (found.empty() || found.back() != position)) found.push_back(position);
    };
    note(uses.reads, block->block()->reads);
    note(uses.writes, block->block()->writes);
  }
  return uses;
}

// with T.sblock(name): to[region] = from[region], the loops around as iterators.
SBlockRealize copy_block(const Buffer& from, const Buffer& to, const Buffer& allocated, const Box& box,
                         const std::vector<SRefNode*>& around, Analyzer& analyzer) {
  Array<IterVar> iters;
  Array<Expr> values, indices;
  Array<Range> ranges;
  VarMap inside;
  auto localized = [&](const Expr& e) {
    for (const Var& var : free_vars(e)) {
      auto loop = std::find_if(around.begin(), around.end(),
                               [&](const SRefNode* sref) { return sref->loop()->loop_var.same_as(var); });
      if (loop == around.end() || inside.contains(var.get())) continue;
      Var iter = make_var(String(fmt::format("v{}", iters.size())), var->dtype());
      Range range = make<RangeNode>((*loop)->loop()->min, (*loop)->loop()->extent);
      inside[var.get()] = iter;
      iters.push_back(make<IterVarNode>(range, iter, IterType::kDataPar));
      values.push_back(var);
    }
    return substitute(e, inside);
  };
  std::vector<std::pair<Var, Expr>> loops;
  Analyzer plain;
  for (const Interval& dim : box.dims) {
    // As TVM writes it: the ranges of the loops around count only where they make an extent constant.
    Expr min = plain.simplify(dim.min), extent = plain.simplify(dim.max + 1 - min);
    if (!const_int(extent)) extent = analyzer.simplify(extent);
    ranges.push_back(make<RangeNode>(localized(min), localized(extent)));
  }
  for (size_t d = 0; d < ranges.size(); ++d) {
    Var var = make_var(String(fmt::format("ax{}", d)), DataType::Int(32));
    loops.emplace_back(var, cast(DataType::Int(32), ranges[d]->extent));
    indices.push_back(ranges[d]->min + cast(ranges[d]->min->dtype(), var));
  }
  Stmt body = make<BufferStoreNode>(to, Expr(make<TensorLoadNode>(from, indices)), indices);
  body = serial_loops(loops, body);
  SBlock block =
      make<SBlockNode>(iters, Array<TensorRegion>{make<TensorRegionNode>(from, ranges)},
                       Array<TensorRegion>{make<TensorRegionNode>(to, ranges)}, allocated->name, body);
  block = with(block, [&](SBlockNode& copy) { copy.annotations.Set("auto_copy", true); });
  return make<SBlockRealizeNode>(values, Expr(bool_imm(true)), block);
}

// Nor what blocks leave out under a condition, unless it says no more than that they write inside the buffer.
void require_written_whole(Step& step, const SRefNode& loop, const Buffer& buffer) {
  for (const SRefNode* user : child_blocks(step.state, loop)) {
    SBlockRealize realize = realize_of(step.state, *user);
    if (ir::is_const_int(realize->predicate, 1)) continue;
    VarMap bindings = bindings_of(realize);
    for (const TensorRegion& region : user->block()->writes) {
      if (!region->source.same_as(buffer)) continue;
      Expr inside = bool_imm(true);
      for (size_t d = 0; d < region->region.size(); ++d) {
        Expr first = substitute(region->region[d]->min, bindings);
        inside = logical_and(
            inside, logical_and(ge(first, const_like(first, 0)), lt(first, buffer->buffer()->shape[d])));
      }
      Analyzer analyzer;
      auto scope = analyzer.assume(inside);
      if (analyzer.can_prove(realize->predicate)) continue;
      throw condition_not_kept(*user, user->stmt->span, step.primitive.name());
    }
  }
}

// A copy that is written back holds nothing at first.
void require_written_first(Step& step, const SRefNode& loop, const Buffer& buffer) {
  for (const SRefNode* user : child_blocks(step.state, loop)) {
    bool reads = touches(user->block()->reads, buffer);
    if (!reads && !touches(user->block()->writes, buffer)) continue;
    if (!reads || user->block()->init) return;
    throw about_block(
        refuse(shared_refusals["cache-write-updates"], user->name.c_str(), buffer->name.c_str()),
        step.span(3), user->stmt->span)
        .help("choose a loop around what the block reads, too");
  }
}

}  // namespace

SRefNode* auto_copy(Step& step, const LoopArg& loop, const BlockArg& block, const String& storage_scope,
                    bool write) {
  // check
  SRefNode* scope = scope_of(*loop);
  const SBlockNode* owner = block->block();
  Buffer buffer =
      choose_buffer(step, 3, *block, write ? owner->writes : owner->reads, write ? "writes" : "reads");
  require_storage_scope(step, 4, storage_scope);
  require_stage_pipeline(step.state, *scope, step.primitive.name());
  // A copy back would overwrite what a block under a condition leaves alone.
  require_copy_straight(step.state, *scope, *block, buffer, write, step.primitive.name());
  Uses uses = uses_in(step.state, *loop, buffer);
  if ((write ? uses.writes : uses.reads).empty()) {
    throw refuse(refusals["not-used-in-loop"], loop->name.c_str(), write ? "writes" : "reads",
                 buffer->name.c_str())
        .at(loop.span);
  }
  if (!write && !uses.writes.empty() && uses.writes.back() >= uses.reads.front()) {
    throw refuse_as(shared_refusals["written-after-read"],
                    "loop `{}` writes `{}` after it has begun to read it", loop->name.c_str(),
                    buffer->name.c_str())
        .at(loop.span)
        .help("one copy before the first read cannot follow the writes");
  }
  if (write && !uses.reads.empty() && uses.reads.back() > uses.writes.back()) {
    throw refuse(refusals["read-after-write"], loop->name.c_str(), buffer->name.c_str()).at(loop.span);
  }
  if (write) {
    require_written_first(step, *loop, buffer);
    require_written_whole(step, *loop, buffer);
  }
  Analyzer analyzer;
  bind_surroundings_visibly(analyzer, step.state, *loop);
  if (write) require_iterations(step.state, *block, *loop, {&*block}, analyzer, loop.span);
  Buffer copy = buffer_in(buffer, storage_scope);
  std::vector<Box> boxes;
  std::string_view shared_by(storage_scope.data(), storage_scope.size());
  for (const SRefNode* user : child_blocks(step.state, *loop)) {
    for (const TensorRegion& region : write ? user->block()->writes : user->block()->reads) {
      // Threads that share the memory of the copy see one copy.
      if (region->source.same_as(buffer))
        relax_below(step.state, *user, {region}, *loop, shared_by, boxes, analyzer);
    }
  }
  const Array<Expr>& shape = buffer->buffer()->shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    Interval& dim = boxes[0].dims[d];
    if (!dim) {
      throw refuse(refusals["region-unknown"], buffer->name.c_str(), loop->name.c_str(),
                   write ? "writes" : "reads")
          .at(loop.span);
    }
    bool inside =
        analyzer.can_prove(ge(dim.min, const_like(shape[d], 0))) && analyzer.can_prove(lt(dim.max, shape[d]));
    if (!inside) dim = inside_shape(dim, shape[d], analyzer);
  }

  // apply
  std::vector<Stmt> body = statements_of(loop->loop()->body);
  size_t position = write ? uses.writes.back() + 1 : uses.reads.front();
  size_t begin = write ? 0 : position, end = write ? position : body.size();
  for (size_t i = begin; i < end; ++i) body[i] = use_copy(body[i], buffer, copy);
  SBlockRealize realize =
      copy_block(write ? copy : buffer, write ? buffer : copy, copy, boxes[0], loops_up(*loop), analyzer);
  body.insert(body.begin() + static_cast<ptrdiff_t>(position), realize);
  Stmt next_loop = with_statements(loop->stmt, body);
  Stmt next = replaced(scope->stmt, loop->stmt, next_loop);
  next = with(ref(as<SBlockNode>(next)),
              [&](SBlockNode& scope_copy) { scope_copy.alloc_buffers.push_back(copy); });
  step.replace(*scope, next);
  SRefNode* sref = step.sref(realize->block);
  // A copy whose destination does not depend on the loops is repeated by them.
  sref->affine_binding = !realize->iter_values.empty();
  return sref;
}

}  // namespace mlc::transform
