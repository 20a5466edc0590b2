// SPDX-License-Identifier: Apache-2.0
// Which allocations share memory, and where it is allocated: a linear walk over the statements in their
// order, a buffer alive from its first to its last access, and a pool of memory that is free again.
#pragma once

#include <deque>
#include <map>

#include "transform/pass/buffer_roots.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

// A storage scope: "shared.dyn" is of rank shared, with the tag ".dyn".
struct StorageRank {
  std::string_view tag;
  bool per_thread = false;  // warp, registers, and whatever is no addressable memory
  bool special() const;     // memory of its own kind, which is handed out once for all
};
StorageRank storage_rank(std::string_view scope);

// One region of memory and the allocations that live in it, one after the other.
struct Storage {
  const StmtNode* attach = nullptr;  // the thread or parallel loop it is allocated in; null: the function
  std::string scope;
  uint64_t bits = 0;  // 0: not constant
  DataType element;
  std::vector<const AllocBufferNode*> allocs;
  Buffer buffer;             // allocated instead of them
  uint64_t bits_offset = 0;  // of special memory, in the one that holds all
  std::vector<Storage*> merged;
};

struct StoragePlanOptions {
  bool reuse = true;
  bool exact_types = false;  // memory is shared by buffers of one data type only
};

struct StoragePlan {
  std::deque<Storage> storages;                     // in the order of first accesses
  std::unordered_map<const VarNode*, Storage*> of;  // by allocated buffer
  BufferRoots roots;
};
StoragePlan plan_storage(const Stmt& body, StoragePlanOptions options);

}  // namespace mlc::transform
