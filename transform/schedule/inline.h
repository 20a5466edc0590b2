// SPDX-License-Identifier: Apache-2.0
// Putting the computation of one block into another: what both directions of inlining share.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// What a load becomes, given its indices.
using LoadReplacement = std::function<Expr(const Array<Expr>&)>;
Expr replace_loads(const Expr& e, const Buffer& buffer, const LoadReplacement& replacement);

// `e` at other values of a block's iterators, cast to the types of these. An index that is an iterator alone
// becomes the value as it is.
Expr at_iterators(const Expr& e, const VarMap& values);
Array<Expr> indices_at(const Array<Expr>& indices, const VarMap& values);

// Of the buffers in `regions` that `counts` holds of there is one. Error: inline-not-one-buffer.
void require_one_buffer(const SRefNode& block, const Array<TensorRegion>& regions, bool writes,
                        const std::function<bool(const Buffer&)>& counts, Span span);
// The store that is the whole body of a block. Error: inline-body-not-a-store.
const BufferStoreNode* only_store(const SRefNode& block, Span span);
// Which dimension each iterator indexes, when the indices are distinct iterators of the block. Error:
// inline-index-not-iterators.
std::unordered_map<const VarNode*, size_t> index_axes(const SRefNode& block, const Array<Expr>& indices,
                                                      Span span);
Error indices_not_iterators(const SRefNode& block, Span span);
// The same; nullopt when they are not.
std::optional<std::unordered_map<const VarNode*, size_t>> plain_axes(const SRefNode& block,
                                                                     const Array<Expr>& indices);
// The block's iterators when its affine `indices` have the values `outputs`; iterators of one iteration stay
// at it. nullopt where they do not follow from these.
std::optional<VarMap> iterators_at(const SRefNode& block, const Array<Expr>& indices,
                                   const Array<Expr>& outputs);
// The indices at which `e` loads the buffer, the same everywhere. Error: inline-different-indices.
Array<Expr> only_load_indices(const SRefNode& block, const Expr& e, const Buffer& buffer, Span span);
// Errors: output-block, inline-opaque-access.
void require_inner_buffer(const Buffer& buffer, const SRefNode& block, const SRefNode& scope, Span span);
void require_no_alias(const SRefNode& block, const Buffer& buffer, Span span);

// An inlining that passed all checks: the scope, what it becomes, and which blocks became which.
struct Inlining {
  SRefNode* scope;
  Stmt next;
  BlockReuse reuse;
};
// Drops `block` and its buffer; loads of the buffer in `consumers` become what `value` returns.
Inlining inline_block(SRefNode& scope, SRefNode& block, const std::vector<SRefNode*>& consumers,
                      const Buffer& buffer, const LoadReplacement& value);
// Drops `block` and `buffer`; the body of `storing`, which is the producer or a block inside of it, becomes
// `body`, its condition `predicate`.
Inlining inline_into_producer(SRefNode& scope, SRefNode& block, SRefNode& producer, SRefNode& storing,
                              const Buffer& buffer, const Stmt& body, const Expr& predicate);
// Drops `block`; the producer becomes `next`. Buffers stay allocated.
Inlining replace_producer(SRefNode& scope, SRefNode& block, SRefNode& producer, const SBlock& next);

// The loops and blocks above any of these.
std::unordered_set<const StmtNode*> all_above(const std::vector<const SRefNode*>& places);
// The scope without a block and the loops that only held it. `change` says what loops and realized blocks
// become; it is asked of what is above the block or `places`, and of blocks beside these.
Stmt scope_without(const SRefNode& scope, const SRefNode& dropped, std::vector<const SRefNode*> places,
                   const std::function<Stmt(Stmt)>& change);

// The checks of `compute_inline` and of `reverse_compute_inline`.
using PlanInlining = Inlining(ScheduleState& state, const BlockArg& block);
PlanInlining plan_compute_inline, plan_reverse_compute_inline;

}  // namespace mlc::transform
