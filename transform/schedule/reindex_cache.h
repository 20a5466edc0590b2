// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

// reindex_cache_read and reindex_cache_write; `argument` 2 is the buffer's number, 3 the memory, 4 the map.
// Errors: root-block, not-stage-pipeline, unknown-storage-scope, those of schedule/reindex.h,
// reindex-cache-iterators, reindex-cache-not-injective.
SRefNode* reindex_cache(Step& step, const BlockArg& block, const String& storage_scope, bool write);

}  // namespace mlc::transform
