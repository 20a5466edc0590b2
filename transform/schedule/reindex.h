// SPDX-License-Identifier: Apache-2.0
// A copy of a buffer with indices of a block's choice: what reindex and reindex_cache_read / _write share.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// The indices of all accesses to the buffer in the block. Errors: reindex-different-indices,
// reindex-no-access.
Array<Expr> only_indices(const SRefNode& block, const Buffer& buffer, Span span);
// Are the indices made of the block's own iterators, and of memory that nothing writes before the copy is
// made (for a copy `beside` the block's loops: that these do not write)? Error: reindex-inner-index.
void require_outer_indices(Step& step, const SRefNode& block, const Buffer& buffer,
                           const Array<Expr>& indices, bool beside);
// May what the block computes be written back from a copy? Errors: several-writers, reindex-partial-write.
void require_full_write(Step& step, const SRefNode& block, const Buffer& buffer);
// May the block read a copy that is made before it? Error: reindex-updates.
void require_only_read(Step& step, const SRefNode& block, const Buffer& buffer);
// Does the copy read or write inside the buffer, for all values of the block's iterators? Error:
// reindex-out-of-bounds.
void require_inside(Step& step, const SRefNode& block, const Buffer& buffer, const Array<Expr>& indices);

struct ReindexStage {
  Buffer buffer, copy;
  Array<Expr> indices;  // of the copy in the block
  SBlock stage;         // the copying block
  Stmt nest;            // with its loops
  SRefNode* location;   // the loop or scope in whose body the copy is put,
  size_t position;      // before this statement
};
// Inserts the copy and lets the block use it. Returns the copy's block.
SRefNode* add_reindex_stage(Step& step, const BlockArg& block, const ReindexStage& stage);

}  // namespace mlc::transform
