// SPDX-License-Identifier: Apache-2.0
// What several primitives and checks refuse; the rows of one file are at its top.
#pragma once

#include "ir/core/refusal.h"

namespace mlc::transform {

// The class of the errors of primitives.
inline constexpr const char* kScheduleError = "ScheduleError";

inline constexpr ir::Refusals shared_refusals{
    kScheduleError,
    {
        {.name = "bad-decision",
         .message = "the decision has {} factors instead of {}",
         .help = "a decision is the number of a candidate, or factors whose product is the extent",
         .meaning = "A sampled value is decided by one of its candidates.",
         .wrong = "sch.sample_categorical([1, 2], [0.5, 0.5], decision=7)",
         .right = "sch.sample_categorical([1, 2], [0.5, 0.5], decision=1)"},
        {.name = "bad-tile-count",
         .message = "loop `{}` cannot be tiled by {} factors",
         .help = "`n` is 1 or more",
         .meaning = "A tile has one factor for each loop that it makes.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.sample_perfect_tile(i, n=0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.sample_perfect_tile(i, n=2))"},
        {.name = "block-handle-gone",
         .message = "block `{}` is no longer in the module",
         .help = "ask again with `sch.get_sblock(name)`",
         .meaning = "A primitive has taken this block out of the program.",
         .wrong = R"(double = sch.get_sblock("double")
sch.compute_inline(double)
sch.get_loops(double))",
         .right = R"(sch.compute_inline("double")
sch.get_loops("product"))"},
        {.name = "cache-write-updates",
         .message = "block `{}` reads `{}` before it writes it, and a new buffer holds nothing",
         .help = "`cache_inplace` copies what a block reads and writes",
         .meaning = "What the block reads stands in the old buffer, what it writes in the new one.",
         .wrong = R"(@T.prim_func(s_tir=True)
def doubled(A: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("twice"):
            vi = T.axis.spatial(16, i)
            A[vi] = A[vi] * 2.0


other = tvm.s_tir.Schedule(doubled)
other.cache_write("twice", 0, "local"))",
         .right = R"(sch.cache_write("double", 0, "local"))"},
        {.name = "inline-has-init",
         .message = "block `{}` has `T.init()`, so it cannot be inlined",
         .help = "a reduction is moved by `compute_at` or `reverse_compute_at`",
         .meaning = "A reduction cannot be written in the place where its result is read.",
         .wrong = R"(sch.compute_inline("product"))",
         .right = R"(sch.compute_inline("double"))"},
        {.name = "location-is-no-loop",
         .message = "the sampled location is no loop",
         .help = "`compute_at` and `reverse_compute_at` take it; other steps need a loop",
         .meaning =
             "A location that is sampled is a loop, or says that the block is inlined or stays where it is."},
        {.name = "loop-handle-gone",
         .message = "loop `{}` is no longer in the module",
         .help = "use the loops that step returned, or ask again with `sch.get_loops(block)`",
         .meaning = "A primitive has put other loops in the place of this one. Use the loops it returned.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.split(i, [None, 4])
sch.unroll(i))",
         .right = R"(i, j, k = sch.get_loops("product")
outer, inner = sch.split(i, [None, 4])
sch.unroll(inner))"},
        {.name = "loop-has-annotation",
         .message = "`{}` cannot change loop `{}`, which has annotations",
         .help = "take them off with `sch.unannotate(loop, key)`",
         .meaning = "An annotation is of this loop, and of none that a primitive puts in its place.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.annotate(i, "pragma", 1)
sch.split(i, [4, 4]))",
         .right = R"(i, j = sch.get_loops("double")
sch.annotate(i, "pragma", 1)
sch.unannotate(i, "pragma")
sch.split(i, [4, 4]))"},
        {.name = "loop-is-around-block",
         .message = "loop `{}` is already around block `{}`",
         .help = "blocks move to loops that are around others",
         .meaning = "The block is inside of this loop already.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.compute_at("double", i))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.compute_at("double", i))"},
        {.name = "loop-is-bound-to-thread",
         .message = "`{}` cannot change loop `{}`, which is bound to `{}`",
         .help = "change the loop first, then `bind` what comes of it",
         .meaning = "A thread axis has the extent of its loop.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.bind(i, "threadIdx.x")
sch.split(i, [4, 4]))",
         .right = R"(i, j = sch.get_loops("double")
i, inner = sch.split(i, [4, 4])
sch.bind(i, "threadIdx.x"))"},
        {.name = "loop-not-around-block",
         .message = "loop `{}` is not around block `{}`",
         .help = "choose one of `sch.get_loops(block)`",
         .meaning = "The loop must be one of those around the block.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.decompose_reduction("product", i))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.decompose_reduction("product", k))"},
        {.name = "loop-not-from-zero",
         .message = "`{}` needs loop `{}` to start at 0",
         .help = "let the loop start at 0, and add its first value where it is used",
         .meaning = "The new indices are quotients and remainders, counted from 0.",
         .wrong = R"(@T.prim_func(s_tir=True)
def late(A: T.Buffer((16,), "float32")):
    for i in range(1, 16):
        with T.sblock("set"):
            vi = T.axis.spatial(16, i)
            A[vi] = 0.0


other = tvm.s_tir.Schedule(late)
other.split(other.get_loops("set")[0], [4, 4]))",
         .right = R"(i, j = sch.get_loops("double")
sch.split(i, [4, 4]))"},
        {.name = "no-such-buffer",
         .message = "block `{}` {} no buffer number {}",
         .help = "buffers of a block count from 0, in the order of its reads and of its writes",
         .meaning = "The block reads or writes no buffer of this name or position.",
         .wrong = R"(sch.cache_read("product", 5, "local"))",
         .right = R"(sch.cache_read("product", 1, "local"))"},
        {.name = "not-affine-binding",
         .message = "the iterators of block `{}` are no affine map of the loops around it",
         .help = "`split`, `fuse` and `reorder` keep iterators affine; what was written by hand must be so",
         .meaning = "From such sums it is known that each instance runs once; of others it is not."},
        {.name = "not-in-one-scope",
         .message = "block `{}` and loop `{}` are not in the same scope",
         .help = "move a block within the block that holds it, or `blockize` what is to move",
         .meaning = "Blocks move within the block around them, as what is outside does not see inside.",
         .wrong = R"(i, j = sch.get_loops("double")
outer = sch.blockize(j)
a, b, c = sch.get_loops("product")
sch.compute_at("double", a))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.compute_at("double", i))"},
        {.name = "not-schedulable",
         .message = "`{}` is no prim_func",
         .help = "choose a function that is a `T.prim_func`",
         .meaning = "A schedule changes loops and blocks, which only such functions have."},
        {.name = "not-stage-pipeline",
         .message = "`{}` needs a scope that is a stage pipeline, and block `{}` is none",
         .help = "each buffer of the scope has one writer, before all of its readers",
         .meaning =
             "In a stage pipeline each block's inputs are complete before it runs, so blocks can move."},
        {.name = "nothing-to-decide",
         .message = "`{}` decides nothing",
         .help = "only steps that sample have decisions",
         .meaning = "A decision is what a sampled value was.",
         .wrong = R"(sch.get_loops("double")
step = sch.trace.insts[-1]
sch.trace.append(step, 3))"},
        {.name = "output-block",
         .message = "block `{}` writes `{}`, which leaves the scope",
         .help = "what leaves the function must be in memory: only what other blocks of it read can be taken "
                 "away",
         .meaning = "What an output holds must be written: such a block can be moved, but not removed.",
         .wrong = R"(sch.compute_inline("shifted"))",
         .right = R"(sch.compute_inline("double"))"},
        {.name = "reduction-repeated",
         .message =
             "iterations of loop `{}` overlap: block `{}` would go on with a sum instead of starting again",
         .help = "let each iteration run an instance of its own: factors that divide the extents do",
         .meaning = "A sum starts where its first term is; where it is met again it would go on instead."},
        {.name = "root-block",
         .message = "`{}` is a root block",
         .help = "name a block within it",
         .meaning = "The root block holds the whole function; what is asked concerns a block inside of it.",
         .wrong = R"(sch.compute_inline("root"))",
         .right = R"(sch.compute_inline("double"))"},
        {.name = "split-factor-not-positive",
         .message = "factor {} of loop `{}` is {}",
         .help = "factors are 1 or more; `None` is inferred",
         .meaning = "A loop of no iterations, or of less, is none.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.split(i, [0, 16]))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.split(i, [1, 16]))"},
        {.name = "split-several-inferred",
         .message = "factors {} and {} of loop `{}` are both to be inferred",
         .help = "only one factor can be None",
         .meaning = "One factor of a split at most is inferred, with None.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.split(i, [None, None]))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.split(i, [None, 4]))"},
        {.name = "split-without-factors",
         .message = "loop `{}` is cut by no factors",
         .help = "`sch.split(loop, [None, 4])`",
         .meaning = "A split says into how many loops, and of which extents.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.split(i, []))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.split(i, [None, 4]))"},
        {.name = "trace-json",
         .message = "an index map with a `{}` cannot be written as JSON",
         .help =
             "take what `as_json` writes; an index map is made of sums, products, quotients and remainders",
         .meaning = "A trace is kept as JSON, which has a form for each operation of an index map."},
        {.name = "unknown-buffer-role",
         .message = "there are no `{}` regions",
         .help = "`read` or `write`",
         .meaning = "A block has two lists of buffers, those it reads and those it writes.",
         .wrong = R"(sch.transform_layout("double", ("both", 0), lambda i, j: (j, i)))",
         .right = R"(sch.transform_layout("double", ("write", 0), lambda i, j: (j, i)))"},
        {.name = "unknown-handle",
         .message = "this handle belongs to another schedule, or was removed",
         .help = "ask this schedule for it: `get_sblock`, `get_loops`",
         .meaning = "A loop or block belongs to the schedule that gave it, and to no other one.",
         .wrong = R"(other = tvm.s_tir.Schedule(main)
i, j = other.get_loops("double")
sch.unroll(j))",
         .right = R"(i, j = sch.get_loops("double")
sch.unroll(j))"},
        {.name = "written-after-read",
         .message = "below loop `{}`, block `{}` writes `{}`, which block `{}` has read before it",
         .help = "the block that writes stands before those that read",
         .meaning =
             "An iteration might read what an earlier one has written, which is another value than before."},
    }};

// A refusal at `at` that concerns a block, defined at `block`.
inline Error about_block(Error error, Span at, Span block) {
  return std::move(error).at(at).note("the block is defined here", block);
}

}  // namespace mlc::transform
