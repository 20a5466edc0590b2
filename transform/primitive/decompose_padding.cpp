// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/schedule/loop_sequence.h"
#include "transform/schedule/padding.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_decompose_padding {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "padding-shares-loop",
         .message =
             "loop `{}` around block `{}` holds other blocks as well, which would run for what is inside "
             "only",
         .help = "decompose the padding before other blocks are moved below its innermost loop"},
    }};
MLC_REFUSALS(primitive_decompose_padding, refusals);

static constexpr char doc[] = R"(
decompose_padding(block, loop) -> block      Fill a padded buffer with its constant first, then copy what is inside.

    for i in range(140):                                          =>      for i in range(140):
        B[i] = T.if_then_else(6 <= i and i < 134, A[i - 6], 0)                B[i] = 0
                                                                          for i in range(128):
                                                                              B[i + 6] = A[i]

The filling block stands before `loop`, the copying block stays where it is. Returns the filling block.
needs: a complete block that stores `T.if_then_else(inside, value, constant)`, where `inside` bounds iterators; a loop around it.
keeps: the values computed.
)";

namespace {

// Loops of their own around a realize: from `first` down to the block, as far as there are any.
struct Nest {
  std::vector<const ForNode*> loops;  // outermost first
  VarMap vars;                        // new variables
  bool keeps_kinds = false;           // loops stay vectorized, unrolled, ..., with their annotations
  Stmt around(Stmt body, const std::unordered_map<const VarNode*, Range>& ranges) const {
    for (size_t i = loops.size(); i-- > 0;) {
      const ForNode* loop = loops[i];
      auto found = ranges.find(loop->loop_var.get());
      bool changed = found != ranges.end();
      Var var = ref(as<VarNode>(vars.at(loop->loop_var.get())));
      Expr min = changed ? found->second->min : loop->min,
           extent = changed ? found->second->extent : loop->extent;
      if (!keeps_kinds) {
        body = make<ForNode>(var, min, extent, ForKind::kSerial, body);
        continue;
      }
      body = with(ref(loop), [&](ForNode& copy) {
        copy.loop_var = var;
        copy.min = min;
        copy.extent = extent;
        copy.thread_binding = thread_again(loop->thread_binding);
        copy.body = body;
      });
    }
    return body;
  }
};

Nest nest_from(const SRefNode& top, const SRefNode& block) {
  Nest nest;
  for (SRefNode* sref : loops_above(block)) {
    if (!is_above(top, *sref)) continue;
    const ForNode* loop = sref->loop();
    nest.loops.push_back(loop);
    nest.vars[loop->loop_var.get()] = make<VarNode>(loop->loop_var->name, loop->loop_var->ty);
  }
  return nest;
}

struct Iters {
  Array<IterVar> list;
  VarMap vars;
};

Array<TensorRegion> rewritten(const Array<TensorRegion>& regions, const VarMap& vars, Analyzer& analyzer) {
  Array<TensorRegion> result;
  for (const TensorRegion& region : regions) {
    Array<Range> ranges;
    for (const Range& range : region->region) {
      ranges.push_back(make<RangeNode>(analyzer.simplify(substitute(range->min, vars)),
                                       analyzer.simplify(substitute(range->extent, vars))));
    }
    result.push_back(make<TensorRegionNode>(region->source, ranges));
  }
  return result;
}

Array<Expr> rewritten(const Array<Expr>& exprs, const VarMap& vars, Analyzer& analyzer) {
  Array<Expr> result;
  for (const Expr& e : exprs) result.push_back(analyzer.simplify(substitute(e, vars)));
  return result;
}

SBlockRealize fill_block(const PaddingBlock& padding, const Nest& nest, Analyzer& analyzer) {
  const SBlockNode* old = padding.realize->block.get();
  Iters iters;
  for (const IterVar& iter : old->iter_vars) {
    Var var = make<VarNode>(iter->var->name, iter->var->ty);
    iters.list.push_back(make<IterVarNode>(iter->dom, var, IterType::kDataPar));
    iters.vars[iter->var.get()] = var;
  }
  Stmt store = make<BufferStoreNode>(padding.store->buffer, padding.constant,
                                     rewritten(padding.store->indices, iters.vars, analyzer));
  SBlock block =
      make<SBlockNode>(iters.list, Array<TensorRegion>{}, rewritten(old->writes, iters.vars, analyzer),
                       String(fmt::format("{}_pad_const", old->name_hint.c_str())), store);
  return make<SBlockRealizeNode>(rewritten(padding.realize->iter_values, nest.vars, analyzer),
                                 analyzer.simplify(substitute(padding.realize->predicate, nest.vars)), block);
}

// `ranges` learns which loops run over what is inside only.
SBlockRealize copy_block(const PaddingBlock& padding, const Nest& nest,
                         std::unordered_map<const VarNode*, Range>& ranges, Analyzer& analyzer) {
  const SBlockNode* old = padding.realize->block.get();
  Iters iters;
  Array<Expr> values;
  VarMap shifted = nest.vars;  // in conditions, a loop that starts at what is inside counts from there
  for (size_t i = 0; i < old->iter_vars.size(); ++i) {
    const IterVar& iter = old->iter_vars[i];
    const Range& inside = padding.inside[i];
    Var var = make<VarNode>(iter->var->name, iter->var->ty);
    Range range = make<RangeNode>(const_like(inside->min, 0), inside->extent);
    iters.list.push_back(make<IterVarNode>(range, var, IterType::kDataPar));
    iters.vars[iter->var.get()] = add(var, inside->min);
    const Expr& value = padding.realize->iter_values[i];
    auto* loop_var = as<VarNode>(value);
    if (loop_var && nest.vars.contains(loop_var)) {
      ranges[loop_var] = range;
      values.push_back(nest.vars.at(loop_var));
      shifted[loop_var] = add(nest.vars.at(loop_var), inside->min);
      analyzer.bind(ref(as<VarNode>(nest.vars.at(loop_var))), range);
    } else {
      values.push_back(nullptr);
    }
  }
  for (const ForNode* loop : nest.loops) {
    if (!ranges.contains(loop->loop_var.get()))
      analyzer.bind(ref(as<VarNode>(nest.vars.at(loop->loop_var.get()))),
                    make<RangeNode>(loop->min, loop->extent));
  }
  Expr predicate = analyzer.simplify(substitute(padding.predicate, shifted));
  for (size_t i = 0; i < old->iter_vars.size(); ++i) {
    if (values[i]) continue;
    Expr value = sub(padding.realize->iter_values[i], padding.inside[i]->min);
    values.Set(i, analyzer.simplify(substitute(value, nest.vars)));
  }
  Stmt store =
      make<BufferStoreNode>(padding.store->buffer, analyzer.simplify(substitute(padding.value, iters.vars)),
                            rewritten(padding.store->indices, iters.vars, analyzer));
  SBlock block = make<SBlockNode>(iters.list, rewritten(old->reads, iters.vars, analyzer),
                                  rewritten(old->writes, iters.vars, analyzer), old->name_hint, store);
  return make<SBlockRealizeNode>(values, predicate, block);
}

SRefNode* apply(Step& step, BlockArg block, LoopArg loop) {
  // check
  PaddingBlock padding = padding_block(step.state, block, loop);
  if (block->parent->loop() && as<SeqStmtNode>(block->parent->loop()->body)) {
    throw refuse(refusals["padding-shares-loop"], block->parent->name.c_str(), block->name.c_str())
        .at(block.span)
        .note("the loop is made here", block->parent->stmt->span);
  }

  // apply
  Analyzer analyzer;
  for (SRefNode* sref : loops_above(*block)) {
    if (is_above(*loop, *sref)) break;
    analyzer.bind(sref->loop()->loop_var, make<RangeNode>(sref->loop()->min, sref->loop()->extent));
  }
  Nest fill_nest = nest_from(*loop, *block);
  SBlockRealize fill = fill_block(padding, fill_nest, analyzer);
  Stmt fill_loops = fill_nest.around(fill, {});
  // The copy takes the loops that have nothing else inside.
  SRefNode* top = block->parent;
  while (top != &*loop && top->parent->loop() && top->parent->loop()->body.same_as(top->stmt))
    top = top->parent;
  for (SRefNode* up = top->parent; top != &*loop && up; up = up->parent) {
    analyzer.bind(up->loop()->loop_var, make<RangeNode>(up->loop()->min, up->loop()->extent));
    if (up == &*loop) break;
  }
  Nest copy_nest = nest_from(*top, *block);
  copy_nest.keeps_kinds = true;
  std::unordered_map<const VarNode*, Range> ranges;
  SBlockRealize copy = copy_block(padding, copy_nest, ranges, analyzer);
  Stmt copy_loops = copy_nest.around(copy, ranges);
  // `loop` with the new copy inside.
  Stmt rest = replaced(loop->stmt, top->stmt, copy_loops);
  BlockReuse reuse{{block->block(), copy->block.get()}};
  Stmt around = parent_with(*loop, seq({fill_loops, rest}));
  SRefNode& scope = *scope_of(*block);
  step.replace(*loop->parent, around, reuse);
  compute_flags(step.state, scope);
  return step.sref(fill->block);
}

}  // namespace

extern const Primitive decompose_padding;
const Primitive decompose_padding =
    primitive<&apply>("DecomposePadding", "decompose_padding(block, loop)", doc);

}  // namespace mlc::transform::primitive_decompose_padding
