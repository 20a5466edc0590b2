// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/reindex_cache.h"

namespace mlc::transform::primitive_reindex_cache_read {

static constexpr char doc[] = R"(
reindex_cache_read(block, read_buffer_index, storage_scope, index_map) -> block      Copy what a block reads into another memory, in a layout of its own.

    C[vi, vj] += A[vk, vi] * B[vk, vj]        =>      A_shared[vi // 16, vk, vi % 16] = A[vk, vi]
                                                      C[vi, vj] += A_shared[vi // 16, vk, vi % 16] * B[vk, vj]

`index_map` is a function from the block's iterators to the copy's indices; here `lambda i, j, k: (i // 16, k, i % 16)`. Returns the
copying block.
needs: a scope that is a stage pipeline; all accesses to the buffer in the block have the same indices; the map uses the same
       iterators and keeps different elements apart.
keeps: the values computed.
)";

static SRefNode* apply(Step& step, BlockArg block, Any, String storage_scope, Any) {
  return reindex_cache(step, block, storage_scope, false);
}

extern const Primitive reindex_cache_read;
const Primitive reindex_cache_read = primitive<&apply>(
    "ReindexCacheRead", "reindex_cache_read(block, read_buffer_index, storage_scope, index_map)", doc, "",
    "index_map");

}  // namespace mlc::transform::primitive_reindex_cache_read
