// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/word_rows.h"

namespace mlc::transform {

const std::string_view kComplete =
    "\nDefinition of a complete block:\n1) All block vars are data parallel\n2) Dominant: the block is the "
    "only "
    "writer of its output, dominating the reader of its output buffers\n3) No overlap between the buffers "
    "the "
    "block reads and writes";
const std::string_view kReduction =
    "\nDefinition of a reduction block:\n1) The block has the `init` statement\n2) All the block bindings "
    "are "
    "quasi-affine expressions\n3) All block vars are either data parallel block vars or reduction block "
    "vars\n4) "
    "Dominant: the block is the only writer of its output, dominating the reader of its output buffers\n5) "
    "The "
    "reduction block vars are not used to index the output buffers";
const std::string_view kLocalComplete =
    "\nDefinition of a local complete block:\n1) All block vars are data parallel\n2) Local Dominant: the "
    "block "
    "is the only writer of its output, dominating the reader of its output buffers under a given subtree\n3) "
    "No "
    "overlap between the buffers the block reads and writes";
const std::string_view kLocalReduction =
    "\nDefinition of a reduction block:\n1) The block has the `init` statement\n2) All the block bindings "
    "are "
    "quasi-affine expressions\n3) All block vars are either data parallel block vars or reduction block "
    "vars\n4) "
    "Local Dominant: the block is the only writer of its output, dominating the reader of its output buffers "
    "under a given subtree\n5) The reduction block vars are not used to index the output buffers";

namespace {

constexpr std::string_view kInlined =
    "{see block}The body of the inlined block should be in form of\n    'A[f(i, j, k, ...)] = g(i, j, k, "
    "...)',\nwhere "
    "the "
    "store indices mapping f on the left are bijective affine.";
constexpr std::string_view kInlinedFast =
    "The block cannot be inlined because its body pattern does not meet the condition for inlining";
constexpr std::string_view kReverseInlined =
    "{see block}The body of the inlined block should be in form of\n    `B[...] = g(i, j, k, A[f(i, j, k, "
    "...)] ...)`,\n"
    "where A is the only buffer the block consumes, whose indices are distinct atomic variables,\nand there "
    "should be no variables other than the index variables), and f is a bijective affine\nmapping and there "
    "should not be predicates in the inlined block. The iter domains of the inlined\nblock should be covered "
    "by "
    "the producer block.";
constexpr std::string_view kOnlyProducer =
    "The consumer block {block} to be inlined is required to have only a single producer block, and the "
    "producer "
    "block should be a complete block who has only a single consumer";
constexpr std::string_view kOnlyProducerFast =
    "The consumer block to be inlined is required to have only a single producer block, and the producer "
    "block "
    "should be a complete block who has only a single consumer";
constexpr std::string_view kInOneScope =
    "ScheduleError: Expected the block {block} and loop {loop} to be under the same block scope, and loop "
    "not to be the "
    "ancestor of block";
constexpr std::string_view kInOneScopeFast =
    "Expected the block and loop to be under the same block scope, and loop not to be the ancestor of block";
constexpr std::string_view kAnnotated =
    "The primitive can't be applied because the loop {loop} has annotation or thread binding";
constexpr std::string_view kAnnotatedFast =
    "The primitive can't be applied because the loop has annotation or thread binding";
constexpr std::string_view kNotCovering =
    "The product of factors is not larger than or equal to the extent of loop {loop}";
constexpr std::string_view kNotCoveringFast =
    "The product of factors is not larger than or equal to the extent of loop";

constexpr WordRow rows[] = {
    {"split-several-inferred", "", "Only one factor can be specified as -1 or none",
     "only one factor can be specified as -1 or none"},
    {"split-factor-not-positive", "",
     "All the constant factors are required to be positive. However, the factor at position {number} is "
     "{number2}",
     "All the constant factors are required to be positive. However, some constant input factor is zero or "
     "negative."},
    {"split-not-covering", "", kNotCovering, kNotCoveringFast},
    {"split-without-factors", "split", kNotCovering, kNotCoveringFast},
    {"partition-not-inside", "", "The sum of factors is larger than or equal to the extent of loop {loop}",
     "The sum of factors is larger than or equal to the extent of loop"},
    {"fuse-not-nested", "",
     "The loops can't be fused because the outer loop {loop} is not the parent of the inner loop {loop2}",
     "The outer loop is not the parent of the inner loop"},
    {"fuse-not-only-child", "",
     "{see loop}The loops can't be fused because the inner loop {loop2} is not the only child of outer loop "
     "{loop}.",
     "The inner loop is not the only child of outer loop"},
    {"fuse-dependent-extent", "", "A loop {loop2}'s `extent` is dependent on another loop {name2}",
     "A loop's `extent` is dependent on another loop"},
    {"fuse-without-loops", "",
     "Check failed: (!loop_rvs.empty()) is false: 'fuse' requires at least 1 loop(s)", ""},
    {"merge-too-few-loops", "",
     "Check failed: (loop_rvs.size() > 1) is false: 'merge' requires at least 2 loop(s)", ""},
    {"merge-different-depths", "", "Merge loop's nesting depth must be same, but not.", kAsItIs},
    {"merge-different-extents", "",
     "Merge loop's `extent` must be same, but not. extent=[{number},{number2},{number3}]", kAsItIs},
    {"loop-not-from-zero", "", "The loop {loop} does not start with 0, which is not supported",
     "The primitive only supports loop starting with 0"},
    {"loop-is-bound-to-thread", "", kAnnotated, kAnnotatedFast},
    {"loop-has-annotation", "", kAnnotated, kAnnotatedFast},
    {"reorder-duplicate-loop", "", "Loop {loop} appears in the input array for multiple times.",
     "Some loop appears in the input array for multiple times."},
    {"reorder-not-a-chain", "", "The loops are not in a chain because{chain}",
     "the loops are not in a chain"},
    {"reorder-dependent-loops", "",
     "Outer Loop {loop}'s `min` or `extent` is dependent on an inner loop {name2} in the new order",
     "An outer loop's `min` or `extent` is dependent on an inner loop in the new order"},
    {"reorder-ordered-iterator", "",
     "The block {block} under the loops to be reordered have block iter type other than data-parallel or "
     "reduction",
     "The block under the loops to be reordered have block iter type other than data-parallel or reduction"},
    {"block-not-found", "", "Cannot find a block with the name: {name2}",
     "Cannot find a block with the specified name"},
    {"several-blocks", "", "Found  {number} blocks with the name: {name2}",
     "Found multiple blocks with the specified name"},
    {"no-such-function", "", "Cannot find global var \"{name}\" in the Module\ncandidates are: {functions}",
     ""},
    {"several-writers", "",
     "{see writers}The buffer {name3} is expected to be written by single block, but got 2 blocks who write "
     "it.",
     "The buffer is expected to be written by single block."},
    {"bad-decision", "sample_categorical",
     "Check failed: (0 <= i && i < n) is false: Wrong decision value, where n = {number2}, but decision is: "
     "{number}",
     ""},
    {"weights-do-not-match", "",
     "Check failed: (candidates.size() == probs.size()) is false: number of candidates does not match number "
     "of probabilities.",
     ""},

    {"no-function-chosen", "",
     "`get_sblock` does not know which function to be working on. Please specify the function name "
     "explicitly, or "
     "call `work_on` to specify the function before using `get_sblock`.",
     ""},
    {"loop-handle-gone", "", "The loop no longer exists in the IRModule", ""},
    {"block-handle-gone", "", "The block no longer exists in the IRModule", ""},
    {"not-stage-pipeline", "",
     "The scope {scope} is not a stage pipeline.\nDefinition of a scope that is a stage pipeline:\n- The "
     "region "
     "cover property holds for every of its child blocks\n- No write-after-read dependency or opaque "
     "dependency,\n"
     "- only read-after-write and write-after-write are allowed\n- All the statements in the scope are "
     "schedulable "
     "statements, i.e. SBlock and For\n",
     "The scope root is not a stage pipeline"},
    {"not-complete-block", "",
     "The block {block} is not a complete block - it violates condition #{complete}.{definition}",
     "Incomplete block"},
    {"not-reduction-block", "",
     "The block {block} is not a reduction block - it violates condition #{reduction}.{definition}",
     "Not a reduction block"},
    {"not-affine-binding", "", "The block {block} is required to have an {affine binding}",
     "The block is required to have an affine binding"},
    {"not-compact-dataflow", "",
     "The queried subtree root {loop} in SRef tree does not have compact dataflow, because its child block "
     "{block} "
     "on SRef tree is neither a local complete block nor a local reduction block.\nIt violates condition "
     "#{complete} as a local complete block.{local complete}\nIt violates condition #{reduction} as a local "
     "reduction block.{local reduction}",
     "The queried subtree root in SRef tree does not have compact dataflow, because some of its child block "
     "on SRef "
     "tree is neither a local complete block nor a local reduction block."},
    {"loop-carries-reduction", "bind",
     "The \"bind\" cannot be fulfilled with regard to block {block}. This is because some of its block iter "
     "whose "
     "block binding contains {name} does not meet any of the conditions:\n1) the block iter is data "
     "parallel;\n2) "
     "the block iter is a reduction block iter, and the thread axis to be bound is \"threadIdx.x/y/z\"",
     "The \"bind\" cannot be fulfilled with regard to some of its underlying block"},
    {"loop-carries-reduction", "",
     "The \"{primitive}\" cannot be fulfilled with regard to block {block} because some block iter whose "
     "block "
     "binding contains the loop var is not a data parallel block iter",
     "The \"{primitive}\" cannot be fulfilled with regard to some of its underlying block"},
    {"unknown-thread-axis", "", "Unknown threadscope {name}", ""},
    {"root-block", "add_unit_loop",
     "Check failed: (sref->parent != nullptr) is false: Cannot add loops on top of the root block", ""},
    {"root-block", "", "The primitive does not operate on the root block",
     "The primitive does not operate on the root block"},
    {"not-in-one-scope", "", kInOneScope, kInOneScopeFast},
    {"loop-is-around-block", "", kInOneScope, kInOneScopeFast},
    {"output-block", "", "The block {block} is an output block", "Cannot operate on an output block"},
    {"consumer-outside-loop", "",
     "The primitive requires all the consumer(s) of the given block to be present under the target loop. "
     "However, "
     "there are {outside}",
     "Not all required blocks are under the loop scope"},
    {"producer-outside-loop", "",
     "The primitive requires all the producer(s) of the given block to be present under the target loop. "
     "However, "
     "there are {outside}",
     "Not all required blocks are under the loop scope"},
    {"no-such-position", "", "Valid index:(-1, -2, [{number2}, {number3}]), current index={number}", ""},
    {"inline-has-init", "", "ScheduleError: The block has init statement: {block}",
     "The block has init statement"},
    {"inline-not-one-buffer", "compute_inline",
     "The block is only allowed to write a single buffer region, but it writes {number2} region(s): {block}",
     "The block is allowed to write only a single buffer region"},
    {"inline-not-one-buffer", "",
     "The block is only allowed to read a single buffer region, but it reads {number2} region(s): {block}",
     "The block is allowed to read only a single buffer region"},
    {"several-producers", "", kOnlyProducer, kOnlyProducerFast},
    {"several-consumers", "", kOnlyProducer, kOnlyProducerFast},
    {"inline-into-reduction", "", kOnlyProducer, kOnlyProducerFast},
    {"inline-index-not-iterators", "compute_inline", kInlined, kInlinedFast},
    {"inline-body-not-a-store", "compute_inline", kInlined, kInlinedFast},
    {"inline-free-iterator", "compute_inline", kInlined, kInlinedFast},
    {"inline-index-not-iterators", "", kReverseInlined, kInlinedFast},
    {"inline-body-not-a-store", "", kReverseInlined, kInlinedFast},
    {"inline-free-iterator", "", kReverseInlined, kInlinedFast},
    {"inline-different-indices", "", kReverseInlined, kInlinedFast},
    {"inline-has-predicate", "", kReverseInlined, kInlinedFast},
    {"inline-not-covering", "", kReverseInlined, kInlinedFast},
    {"inline-reads-outside", "", kReverseInlined, kInlinedFast},
    {"epilogue-not-fusible", "", kReverseInlined, kInlinedFast},
    {"rfactor-spatial-loop", "",
     "The loop to be applied rfactor is {loop}, which is required not to be touched by any data parallel "
     "block iter "
     "of the block below. However, some of the block's data parallel block iters touch this loop",
     "The loop to be applied rfactor is required not to be touched by any data parallel block iter of the "
     "block"},
    {"rfactor-mixed-loop", "",
     "It is not allowed that the loop {loop} is touched by both some data parallel block iters and some "
     "reduction "
     "block iters",
     "The loops outside of the reduction block are required not to be touched by both data parallel block "
     "iters and "
     "reduction block iters"},
    {"rfactor-unbound-loop", "",
     "The loop {loop} has extent greater than one, and is not bound to any block iter. Therefore it "
     "shouldn't appear "
     "under a reduction loop",
     "A loop who has extent greater than one and is not bound to any block iter should not appear under a "
     "reduction "
     "loop"},
    {"rfactor-loop-not-serial", "",
     "ScheduleError: The input loop {loop} of rfactor is required to be `Serial`. However, the kind of "
     "{loop} is "
     "`{kind}`",
     "The input loop of rfactor is required to be `kSerial`"},
    {"rfactor-several-blocks", "", "The loop {loop} is required to have only one child block",
     "The loop is required to have only one child block"},
    {"rfactor-not-first", "",
     "The first child block of the outermost loop {loop} is not the reduction block.",
     "The reduction block should be the first child block of the outermost loop outside of it"},
    {"rfactor-axis-out-of-range", "",
     "The write buffer {written} has {dimensions} dimension(s), so `factor_axis` is required to be in "
     "[{number2}, "
     "{number3}] for rfactor. However, the input `factor_axis` is {number}, which is out of the expected "
     "range",
     "The input `factor_axis` is out of range. It is required to be in range [-(ndim + 1), ndim] where "
     "`ndim` is the "
     "number of dimensions of the write buffer"},
    {"reduction-without-reducer", "",
     "No matched reducer for identity {identity} and combiner {combiner}In this case rfactor cannot be "
     "applied. "
     "You can check tvm::tirx::ReducerRegistry for default reducers or registering new reducers.",
     "No matched reducer for the identity and the combiner of this reduction block. So rfactor and "
     "cross-thread "
     "reduction cannot be applied."},
    {"reduction-not-stores", "",
     "RFactor cannot be applied to block {block}, because the block violates a condition of reduction blocks "
     "that "
     "RFactor and Cross-Thread Reduction apply to: {report}",
     "RFactor cannot be applied to the block since the block does not meet the requirements"},
    {"bad-tile-count", "",
     "Check failed: n_splits >= 2 ({number} vs. 2) : Cannot tile a loop into {number} splits", ""},
    {"loop-not-around-block", "",
     "ScheduleError: The input loop {loop} of {primitive} is required to be an ancestor of block {block}.",
     "{primitive} expect the loop to be an ancestor of block"},
    {"reduction-loop-outside", "",
     "ScheduleError: decompose_reduction expect the loop {loop} to be higher than all the loops related to "
     "reduce "
     "block var of block {block}",
     "decompose_reduction expect the loop to be higher than all the loops related to reduce block var"},
    {"not-padding", "",
     "ScheduleError: decompose_padding expect the block {block} to match padding pattern\n  {padding}",
     "decompose_padding expect the block to match padding pattern\n  {padding}"},
    {"blockize-several-blocks", "", "The loop {loop} is required to have only one child block",
     "The loop is required to have only one child block"},
    {"blockize-not-divisible", "",
     "ScheduleError: The bindings of the inner block {block} can not be blockized by the loops starting at "
     "{loop}.",
     "The bindings of the inner block can not be blockized."},
    {"no-such-buffer", "unsafe_hide_buffer_access",
     "The buffer index array for hide_buffer_access schedule should be a list of integers between 0 and "
     "{most}, got "
     "{number2} instead.",
     "Invalid buffer index array for hide_buffer_access schedule."},
    {"no-such-buffer", "reindex", "{sought}", ""},
    {"no-such-buffer", "transform_layout", "{sought}", ""},
    {"no-such-buffer", "set_axis_separator", "{sought}", ""},
    {"no-such-buffer", "",
     "The block {block} has {regions} {role} regions, so `buffer_index` is required to be in [0, {regions}). "
     "However, "
     "the input `buffer_index` is {number}, which is out of the expected range.",
     "The input `buffer_index` is out of range. It is required to be in range [0, num_{role}_regions) where "
     "`num_{role}_regions` is the number of buffer regions {role past} by the block."},
    {"unknown-storage-scope", "", "The input storage scope \"{name}\" is invalid.",
     "The input storage scope is invalid"},
    {"buffer-not-allocated", "",
     "The input buffer {name2} is not allocated by a block. This means the buffer is either a function "
     "parameter or "
     "defined in `match_buffer` of a block.",
     "The input buffer is not allocated by a block. This means the buffer is  either a function parameter or "
     "defined "
     "in `match_buffer` of a block."},
    {"axis-out-of-range", "",
     "The buffer to set storage alignment of, {name}, has {number} dimension(s), so `axis` is required to be "
     "in "
     "[-{number}, {number}) for storage_align. However, the input `axis` is {number2}, which is out of the "
     "expected "
     "range.",
     "The input `axis` is out of range. It is required to be in range [-ndim, ndim) where `ndim` is the "
     "number of "
     "dimensions of the buffer to set storage alignment."},
    {"align-factor-not-positive", "",
     "The input `factor` of storage_align is expected to be a positive number. However, the input `factor` "
     "is "
     "{number}, which is out of the expected range.",
     "The input `factor` of storage_align is expected to be a positive number."},
    {"reindex-cache-iterators", "",
     "Error when applying {primitive} on block {block}, the block itervar {name} appears in {lists}.",
     "the block itervars appeared in lhs and rhs of reindex cache stage do not match."},
    {"not-in-place", "", "The target block {block} does not both read & write target buffer ir.Var#1.",
     "The target block does not both read & write target buffer."},
    {"partition-symbolic-loop", "", "Detected dynamic shape in either min or extent of a loop {loop}",
     "The min and extent values of the loop are required to be known at compile time. However, dynamic shape "
     "has been detected."},
    {"merge-not-only-child", "",
     "{see loop}The loops can't be fused because the inner loop {loop2} is not the only child of outer loop "
     "{loop}.",
     "The inner loop is not the only child of outer loop"},
    {"not-an-einsum", "", "The block {block} not a computation of Einsum pattern.",
     "The block is not a computation of Einsum pattern."},
    {"transform-layout-dimensions", "",
     "Check failed: (args.size() == initial_indices_orig.size()) is false: ", ""},
    {"transform-layout-padding", "",
     "The transformation {index map} applied on buffer {name} of shape {shape2} would result in shape "
     "{shape}.  "
     "However, this would introduce padding wherever {where} is true.",
     "Transformation would introduce padding"},
    {"transform-layout-padding-type", "",
     "ScheduleError: Buffer {name} has elements of type T.{last word}, but the transformation fills padding "
     "with T.index_map({padding map}), which is of type {padding type}",
     "Type mismatch: {report}"},
    {"block-layout-not-bijective", "", "The index map {map} is not bijective affine.",
     "The index map is not bijective affine."},
    {"block-layout-mixed-iterators", "",
     "Cannot detect the block iter type for new iter value {number} in {block} because it contains more than "
     "one type "
     "of original iter vars.",
     "Cannot detect the new block iter type because it contains more than one type of original iter vars."},
    {"block-layout-iterators", "",
     "The index map {map} can't be applied to block iters of {block} because the number of parameters "
     "mismatch. "
     "Expected: {number}, actual: {number2}",
     "The index map can't be applied to block iters because the number of parameters mismatch."},
    {"block-layout-bindings", "", "The binding values of the {block} are not variables of outer loops.",
     "The binding values of the block are not variables of outer loops."},
    {"bad-padding", "",
     "The padding for the block {block} are invalid. It should be a list of {number} positive integers. Got "
     "{integers}",
     "The padding size for the block is invalid."},
    {"rolling-no-loop", "",
     "rolling_buffer injection is invalid. The block {block} should be tiled so that the lca of the access "
     "location of "
     "the target buffer {name} is a for loop. ",
     "rolling_buffer injection is invalid, the lca of the access location of the target buffer is not a for "
     "loop. "},
    {"not-a-permutation", "",
     "The user provided block itervar index order {integers} is not a valid permutation of [0, 1, ..., "
     "num_block_iter_vars-1] in block {block}.",
     "The specified reorder indices are invalid."},
    {"inline-opaque-access", "",
     "The buffer to be inlined has opaque access (e.g. `B.data`), or its subregion is matched into other "
     "blocks: "
     "{named block}",
     "The buffer to be inlined has opaque access (e.g. `B.data`), or its subregion is matched into other "
     "blocks"},
    {"reindex-different-indices", "",
     "The target buffer {name2} should be accessed in the leaf block {block} via TensorLoad or BufferStore. "
     "The "
     "indices should be the same if there are multiple accesses to the target buffer. Multiple buffer "
     "accesses have "
     "non-unique indices.",
     "The target buffer should be accessed via TensorLoad or BufferStore. The indices should be the same if "
     "there are "
     "multiple accesses to the target buffer."},
    {"reindex-no-access", "",
     "The target buffer {name2} should be accessed in the leaf block {block} via TensorLoad or BufferStore. "
     "The "
     "indices should be the same if there are multiple accesses to the target buffer. No buffer accesses "
     "found.",
     "The target buffer should be accessed via TensorLoad or BufferStore. The indices should be the same if "
     "there are "
     "multiple accesses to the target buffer."},
    {"reindex-updates", "reindex_cache_read",
     "The buffer {name2} is expected to be written by single block, but got 2 blocks who write it.",
     "The buffer is expected to be written by single block."},
    {"unknown-buffer-role", "unsafe_hide_buffer_access",
     "The buffer type for hide_buffer_access schedule should either be 'read' or 'write', got {name} "
     "instead.",
     "Invalid buffer type for hide_buffer_access schedule."},
    {"buffer-access-kind", "", "Invalid buf_type: {name}. Expected 'read' or 'write'.", ""},
    {"buffer-access-ranges", "",
     "Number of iter_vars ({number2}) must match number of new_ranges_spec ({number})", ""},
    {"wrong-type", "",
     "In \"Schedule.{name2}\", \"{name}\" has wrong type. Expected \"{parameters}\", but gets: \"{last "
     "word}\"",
     ""},
    {"unknown-handle", "", "Cannot find corresponding {handle}", ""},
    {"annotation-not-found", "",
     "Check failed: (annotations->find(ann_key) != annotations->end()) is false: Cannot find annotation key: "
     "{name2}",
     ""},
    {"tensorize-mismatch", "", "The stmt {loop or block} doesn't match the tensor intrin\n{report}",
     "The stmt doesn't match the tensor intrin"},
};

}  // namespace

const WordRow* row_of(std::string_view refusal, std::string_view primitive) {
  for (const WordRow& row : rows) {
    if (row.refusal == refusal && (row.primitive.empty() || row.primitive == primitive)) return &row;
  }
  return nullptr;
}

}  // namespace mlc::transform
