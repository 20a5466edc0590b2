// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/advice.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace mlc::transform {

namespace {

// By the rule, in order.
constexpr std::pair<std::string_view, std::string_view> rows[] = {
    {"align-factor-not-positive", "the factor counts elements, 1 or more"},
    {"axis-out-of-range", "axes count from 0, negative ones from the end"},
    {"bad-align-annotation", "`storage_align` writes it: lists of buffer, axis, factor and offset"},
    {"bad-decision", "a decision is the number of a candidate, or factors whose product is the extent"},
    {"bad-padding", "1 leaves an iterator as it is"},
    {"bad-tile-count", "`n` is 1 or more"},
    {"block-layout-iterators", "the map takes one index for each iterator of the block"},
    {"block-layout-mixed-iterators", "a new iterator is made of spatial ones or of reductions alone"},
    {"block-layout-several-blocks", "move the others out, with `compute_at` or `reverse_compute_at`"},
    {"blockize-no-blocks", "`sch.blockize([block1, block2])` takes blocks that stand side by side"},
    {"blockize-not-neighbours", "blocks of one list stand below the same loops"},
    {"blockize-several-blocks", "a list of the blocks makes one of them: `sch.blockize([block1, block2])`"},
    {"buffer-access-kind", "it is \"read\" or \"write\""},
    {"buffer-access-ranges", "the function gives `begin, end` for each dimension"},
    {"condition-not-movable", "`split` with a factor that divides the extent needs no condition"},
    {"consumer-before-loop", "it can move to a loop behind the block that it reads from"},
    {"fuse-dependent-extent", "fuse the loops whose extents are the same in each iteration"},
    {"fuse-not-only-child", "move what else stands in the outer loop out of it, or fuse the loops within"},
    {"fuse-without-loops", "`sch.fuse(i, j)` takes loops that are nested in one another"},
    {"in-place-regions-differ", "`cache_read` and `cache_write` make a copy for each"},
    {"inline-body-not-a-store", "only a block that is one store of an element can be inlined"},
    {"inline-different-indices", "`compute_at` moves the producer to its consumer without inlining it"},
    {"inline-has-init", "a reduction is moved by `compute_at` or `reverse_compute_at`"},
    {"inline-has-predicate", "`split` with a factor that divides the extent needs no condition"},
    {"inline-index-not-iterators", "the block writes each element at iterators of its own: `A[vi, vj]`"},
    {"inline-into-reduction", "`reverse_compute_at` moves the block to the loops of the reduction"},
    {"inline-not-covering", "`reverse_compute_at` moves the block and leaves the buffer"},
    {"inline-not-one-buffer", "`compute_at` and `reverse_compute_at` move blocks of several buffers"},
    {"inline-opaque-access", "`compute_at` moves the block and leaves its buffer in memory"},
    {"loop-is-around-block", "blocks move to loops that are around others"},
    {"loop-repeats-reduction", "`rfactor` of the loop gives each iteration a sum of its own"},
    {"merge-dependence",
     "loops merge in the order in which they stand, where iterations use only what the same one makes"},
    {"merge-different-depths", "merge loops that are as deep as each other: `split` and `fuse` make them so"},
    {"merge-different-extents", "`split` brings loops to the same extents"},
    {"merge-different-scopes", "merge loops that stand in one block"},
    {"merge-not-only-child", "loops are merged together with those around them, which hold nothing else"},
    {"merge-too-few-loops", "`sch.merge(loop1, loop2)`"},
    {"merge-unknown-accesses", "say it in the block, by `T.reads` and `T.writes`"},
    {"no-such-buffer", "buffers of a block count from 0, in the order of its reads and of its writes"},
    {"not-a-permutation", "the order has the number of each iterator once"},
    {"not-affine-binding",
     "`split`, `fuse` and `reorder` keep iterators affine; what was written by hand must be so"},
    {"not-complete-block",
     "a block is complete when it alone writes its results, each of them once, and reads none"},
    {"not-in-one-scope", "move a block within the block that holds it, or `blockize` what is to move"},
    {"not-reduction-block", "a reduction has `T.init()` and goes on with what it has written"},
    {"not-stage-pipeline", "each buffer of the scope has one writer, before all of its readers"},
    {"only-block", "at least one block must stay where it is"},
    {"other-scope", "blocks of one scope have the same block around them"},
    {"output-block", "what leaves the function stays in memory: `cache_write` puts a buffer before it"},
    {"partition-several-blocks", "move the others out, with `compute_at` or `reverse_compute_at`"},
    {"partition-symbolic-loop", "the module must say the extent: `specialize` binds sizes"},
    {"reindex-cache-iterators", "the map takes one index for each iterator of the block"},
    {"reindex-different-indices", "`cache_read` copies a buffer that is used at several places"},
    {"reindex-inner-index", "`blockize` or `transform_block_layout` make such an index the block's own"},
    {"reindex-partial-write", "a block that writes each element of the buffer can write a copy first"},
    {"reindex-updates", "`cache_inplace` copies what a block reads and writes"},
    {"reorder-dependent-loops", "the loop that another one depends on stays around it"},
    {"reorder-duplicate-loop", "name each loop once, in the order that they shall have"},
    {"reorder-not-a-chain", "reorder loops that are nested in one another around one block"},
    {"reorder-ordered-iterator", "loops of such an iterator keep their place"},
    {"reorder-repeats-reduction", "`decompose_reduction` first: then the sum begins before the loops"},
    {"rolling-read-before",
     "the buffer rolls along the loop that its consumer stands in: `compute_at` first"},
    {"root-block", "name a block within it"},
    {"several-consumers", "`compute_inline` puts a producer into all that read it"},
    {"several-producers", "`reverse_compute_at` moves a block with several producers"},
    {"several-writers", "one block writes each buffer that is copied"},
    {"split-factor-not-positive", "factors are 1 or more; `None` is inferred"},
    {"split-not-covering", "leave one factor to be inferred: `None`"},
    {"split-without-factors", "`sch.split(loop, [None, 4])`"},
    {"transform-layout-opaque",
     "only buffers that are loaded and stored element by element get another layout"},
    {"transform-layout-padding", "`pad_value` says what the new elements hold"},
    {"transform-layout-padding-type", "the padding has the type of the buffer's elements"},
    {"unknown-handle", "ask this schedule for it: `get_sblock`, `get_loops`"},
    {"weights-do-not-match", "there is one weight for each candidate"},
    {"written-after-read", "the block that writes stands before those that read"},
};

constexpr auto rule_of = [](const auto& row) { return row.first; };
static_assert(std::ranges::is_sorted(rows, {}, rule_of));

}  // namespace

void advise(ir::Error& error) {
  auto found = std::ranges::lower_bound(rows, std::string_view(error.first().name), {}, rule_of);
  if (found != std::end(rows) && found->first == error.first().name && error.first().help.empty())
    static_cast<void>(std::move(error).help(std::string(found->second)));
}

}  // namespace mlc::transform
