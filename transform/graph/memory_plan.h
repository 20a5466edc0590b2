// SPDX-License-Identifier: Apache-2.0
// Which allocations of a function share a storage. A linear scan over each block: the storage of a tensor is free
// after its last use, and a later allocation of the same data type and scope takes the free storage that is
// nearest in size (at most 16 times larger or smaller; a smaller one grows).
#pragma once

#include <map>

#include "transform/graph/upper_bounds.h"

namespace mlc::transform {

struct PlannedStorage {
  Expr bytes;
  DataType dtype;
  std::string scope;
};

struct MemoryPlan {
  std::vector<PlannedStorage> storages;
  // `R.builtin.alloc_tensor` calls that lie in one of the storages. Those that leave the function, cross blocks or
  // are passed to what may keep them are not planned.
  std::unordered_map<const CallNode*, size_t> storage_of;
};

// What was decided of one allocation, and what for. Bindings are numbered in program order, those of branches within.
struct PlannedTensor {
  enum class Kind : uint8_t {
    kNew,      // a storage of its own, at first
    kReuses,   // the storage of tensors before it
    kEscapes,  // it leaves its block: a result, or a value of a branch
    kKept,     // `keeper` is called with it and may keep it
    kCrosses,  // it is used in another block than the one that allocates it
  } kind = Kind::kNew;
  // A storage that was free then, and why it was not taken.
  struct Refused {
    enum class Why : uint8_t { kType, kScope, kSize, kSymbolic } why;
    size_t storage;
  };
  Var var;
  const CallNode* call = nullptr;
  Expr bytes;  // at the upper bounds of symbolic dimensions
  size_t storage = 0;
  size_t begin = 0, end = 0;  // the bindings that allocate it and use it last
  Expr keeper;
  bool unused = false;           // nothing uses it: no storage is looked for
  std::vector<Refused> refused;  // of one that has a storage of its own
};

// `tensors`: is filled with the decisions, in program order. Looking at all that is free takes its time.
MemoryPlan plan_memory(const Function& fn, const IRModule& mod, UpperBounds& bounds,
                       std::vector<PlannedTensor>* tensors = nullptr);

}  // namespace mlc::transform
