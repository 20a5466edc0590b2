// SPDX-License-Identifier: Apache-2.0
// Which allocations of a function share a storage. A linear scan over each block: the storage of a tensor is free
// after its last use, and a later allocation of the same data type and scope takes the free storage that is
// nearest in size (at most 16 times larger or smaller; a smaller one grows).
#pragma once

#include <map>

#include "transform/graph/upper_bounds.h"

namespace mlc::transform {

struct Storage {
  Expr bytes;
  DataType dtype;
  std::string scope;
};

struct MemoryPlan {
  std::vector<Storage> storages;
  // `R.builtin.alloc_tensor` calls that lie in one of the storages. Those that leave the function, cross blocks or
  // are passed to what may keep them are not planned.
  std::unordered_map<const CallNode*, size_t> storage_of;
};

MemoryPlan plan_memory(const Function& fn, const IRModule& mod, UpperBounds& bounds);

}  // namespace mlc::transform
