// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/arith/simplify_value.h"
#include "transform/schedule/cover.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/witness.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "loop-repeats-reduction",
         .message = "iterations of loop `{}` sum up the same elements of `{}` in block `{}`",
         .help = "`rfactor` of the loop gives each iteration a sum of its own",
         .meaning = "A sum that several iterations go on with depends on the order in which they run."},
        {.name = "loop-carries-reduction",
         .message = "iterations of loop `{}` depend on each other: iterator `{}` of block `{}` is {}",
         .meaning =
             "The iterations of this loop add to the same elements, so they cannot run at the same time. "
             "Split off the parallel part with `rfactor`.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.parallel(k))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.parallel(i))"},
        {.name = "threads-share-memory",
         .message =
             "block `{}` reads of `{}` what other iterations of loop `{}` write, which is there before "
             "only while these are threads that share memory",
         .help = "drop the copy in shared memory first, or keep the loop bound to a thread",
         .meaning =
             "Threads wait for each other before they read shared memory; iterations of other loops do not."},
    }};
MLC_REFUSALS(schedule_loops, refusals);

namespace {

class SimplifyBindings final : public Rewriter {
 public:
  SimplifyBindings(std::vector<LoopRange> loops, bool preserve_unit_iters)
      : loops_(std::move(loops)), preserve_unit_iters_(preserve_unit_iters) {
    for (const LoopRange& loop : loops_) analyzer_.bind(loop.var, bound_of(loop));
  }
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      loops_.push_back({loop->loop_var, make<RangeNode>(loop->min, loop->extent)});
      analyzer_.bind(loop->loop_var, bound_of(loops_.back()));
      Stmt result = rewrite_children(s);
      loops_.pop_back();
      return result;
    }
    auto* realize = as<SBlockRealizeNode>(s);
    if (!realize) return rewrite_children(s);
    if (realize->iter_values.empty()) return rewrite_children(s);  // an opaque block: look inside
    Array<Expr> values = simplify_iter_map(realize->iter_values, loops_, realize->predicate,
                                           IterMapCheck::kSurjective, analyzer_, !preserve_unit_iters_);
    bool same = true;
    for (size_t i = 0; i < values.size(); ++i) same = same && values[i].same_as(realize->iter_values[i]);
    if (same) return s;
    return with(ref(realize), [&](SBlockRealizeNode& copy) { copy.iter_values = values; });
  }

 private:
  // A unit range would turn the variable into a constant; as a bound it stays a variable.
  static ConstIntBound bound_of(const LoopRange& loop) {
    auto min = const_int(loop.range->min), extent = const_int(loop.range->extent);
    if (min && extent) return {*min, *min + *extent - 1};
    return {min ? *min : ConstIntBound::kNegInf, ConstIntBound::kPosInf};
  }

  std::vector<LoopRange> loops_;
  bool preserve_unit_iters_;
  Analyzer analyzer_;
};

}  // namespace

SBlock substitute_simplified(const SBlock& block, const VarMap& values, Analyzer& analyzer) {
  bind_names(Stmt(block), analyzer);
  Stmt next = rewrite_below(Stmt(block), [&](const Expr& e, Rewriter& on) {
    if (auto* var = as<VarNode>(e)) {
      auto found = values.find(var);
      return found != values.end() ? found->second : e;
    }
    Expr next = on.rewrite_children(e);
    return next.same_as(e) || e->kind == ExprKind::kTensorRegion ? next : simplify_value(next, analyzer);
  });
  return ref(as<SBlockNode>(next));
}

Stmt add_predicate(const Stmt& body, const Expr& predicate) {
  return rewrite_with(body, [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* realize = as<SBlockRealizeNode>(s);
    if (!realize) return on.rewrite_children(s);
    return with(ref(realize), [&](SBlockRealizeNode& copy) {
      copy.predicate = logical_and(realize->predicate, predicate);
    });
  });
}

Stmt simplify_bindings(const Stmt& body, const std::vector<SRefNode*>& outer, bool preserve_unit_iters) {
  return SimplifyBindings(ranges_of(outer), preserve_unit_iters).rewrite(body);
}

void require_plain_loop(const LoopArg& arg, std::string_view primitive) {
  const ForNode* loop = arg->loop();
  if (loop->thread_binding) {
    throw refuse(shared_refusals["loop-is-bound-to-thread"], primitive, arg->name.c_str(),
                 loop->thread_binding->thread_tag.c_str())
        .at(arg.span)
        .help(fmt::format("`{}` first, `bind` afterwards", primitive));
  }
  if (!loop->annotations.empty()) {
    throw refuse(shared_refusals["loop-has-annotation"], primitive, arg->name.c_str()).at(arg.span);
  }
  if (!is_const_int(loop->min, 0) && !Analyzer().can_prove(eq(loop->min, const_like(loop->min, 0)))) {
    throw refuse(shared_refusals["loop-not-from-zero"], primitive, arg->name.c_str())
        .at(arg.span)
        .note("the loop is made here", loop->span);
  }
}

// Threads that share memory read what others of them have written; iterations of another kind do not.
static void require_no_shared_reads(Step& step, SRefNode& loop, const Stmt& next) {
  std::vector<ReadBuffer> reads = covered_by_producers(step.state, child_blocks(step.state, loop));
  if (reads.empty()) return;
  auto lost = first_uncovered(step.state, loop, next, {}, reads);
  if (!lost) return;
  throw about_block(refuse(refusals["threads-share-memory"], lost->block->name.c_str(),
                           lost->buffer->name.c_str(), loop.name.c_str()),
                    step.span(1), lost->block->stmt->span);
}

void set_loop_kind(Step& step, SRefNode& loop, ForKind kind, IterVar thread_binding) {
  Stmt next = with(ref(loop.loop()), [&](ForNode& copy) {
    copy.for_kind = kind;
    copy.thread_binding = thread_binding;
  });
  if (loop.loop()->thread_binding) require_no_shared_reads(step, loop, next);
  step.replace(loop, next);
}

// A sum that every iteration recomputes, all of them in one element that is read later.
static void require_own_sums(ScheduleState& state, const SRefNode& block, const SBlockRealize& realize,
                             const std::vector<SRefNode*>& loops, SRefNode& loop, Span span) {
  if (!realize->block->init || is_const_int(loop.loop()->extent, 1)) return;
  std::vector<SRefNode*> inside(std::find(loops.begin(), loops.end(), &loop), loops.end());
  bool used = used_by(realize, loop, true) || used_by(realize, loop, false);
  if (used && !repeats_instances(realize, inside)) return;
  SRefNode& scope = *scope_of(block);
  Dependences deps = dependences(state, scope);
  for (const TensorRegion& write : realize->block->writes) {
    const std::vector<SRefNode*>& readers = deps.readers[write->source.get()];
    bool outside = is_output_block(block, scope) ||
                   std::any_of(readers.begin(), readers.end(),
                               [&](SRefNode* reader) { return !is_above(loop, *reader); });
    if (!outside) continue;
    Error error = used
                      ? refuse(refusals["loop-repeats-reduction"], loop.name.c_str(),
                               write->source->name.c_str(), block.name.c_str())
                      : refuse_as(refusals["loop-repeats-reduction"],
                                  "each iteration of loop `{}` sums up the same elements of `{}`, block `{}` "
                                  "does not use the loop",
                                  loop.name.c_str(), write->source->name.c_str(), block.name.c_str());
    if (state.explaining) add_witness(error, element_written_twice(realize, loops, loop));
    throw about_block(std::move(error), span, block.stmt->span).help("move the block out of the loop first");
  }
}

void require_independent(ScheduleState& state, const SRefNode& block, const SBlockRealize& realize,
                         const std::vector<SRefNode*>& loops, SRefNode& loop, std::string_view thread_tag,
                         Span span) {
  if (thread_tag.empty()) require_own_sums(state, block, realize, loops, loop, span);
  const VarNode* var = loop.loop()->loop_var.get();
  for (size_t i = 0; i < realize->iter_values.size(); ++i) {
    const IterVar& iter = realize->block->iter_vars[i];
    if (!uses_var(realize->iter_values[i], [&](const VarNode* v) { return v == var; })) continue;
    if (iter->iter_type == IterType::kDataPar) continue;
    if (iter->iter_type == IterType::kCommReduce && thread_tag.starts_with("threadIdx.")) continue;
    Error error = refuse(refusals["loop-carries-reduction"], loop.name.c_str(), iter->var->name.c_str(),
                         block.name.c_str(),
                         iter->iter_type == IterType::kCommReduce ? "a reduction" : "not data-parallel");
    if (state.explaining) add_witness(error, element_written_twice(realize, loops, loop));
    throw about_block(std::move(error), span, block.stmt->span)
        .help(thread_tag.empty()
                  ? "choose a loop of a spatial iterator, or split the reduction with `rfactor`"
                  : "bind it to `threadIdx.x`, or choose a loop of a spatial iterator");
  }
}

void require_parallelizable(Step& step, const LoopArg& loop, std::string_view thread_tag) {
  require_apart(step.state, *loop, step.primitive.name());
  // Other writers of a buffer matter only where they share the loop.
  require_compact_dataflow(step.state, *loop);
  for (SRefNode* block : child_blocks(step.state, *loop)) {
    SBlockRealize realize = realize_of(step.state, *block);
    // Instances of a complete block that run twice write the same.
    if (realize->block->init) require_affine_binding(step.state, *block);
    require_independent(step.state, *block, realize, loops_above(*block), *loop, thread_tag, loop.span);
  }
}

}  // namespace mlc::transform
