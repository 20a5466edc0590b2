// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/reindex_cache.h"

namespace mlc::transform::primitive_reindex_cache_write {

static constexpr char doc[] = R"(
reindex_cache_write(block, write_buffer_index, storage_scope, index_map) -> block      Compute into another memory, in a layout of its own, and copy from there.

    C[vi, vj] += A[vi, vk] * B[vk, vj]        =>      C_local[vj, vi] += A[vi, vk] * B[vk, vj]
                                                      C[vi, vj] = C_local[vj, vi]

`index_map` is a function from the block's iterators to the copy's indices; here `lambda i, j, k: (j, i)`. Returns the
copying block.
needs: a scope that is a stage pipeline; all accesses to the buffer in the block have the same indices; the map uses the same
       iterators and keeps different elements apart.
keeps: the values computed.
)";

static SRefNode* apply(Step& step, BlockArg block, Any, String storage_scope, Any) {
  return reindex_cache(step, block, storage_scope, true);
}

extern const Primitive reindex_cache_write;
const Primitive reindex_cache_write = primitive<&apply>(
    "ReindexCacheWrite", "reindex_cache_write(block, write_buffer_index, storage_scope, index_map)", doc, "",
    "index_map");

}  // namespace mlc::transform::primitive_reindex_cache_write
