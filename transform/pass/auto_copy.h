// SPDX-License-Identifier: Apache-2.0
// How a copy that leaves it to the compiler (`auto_copy`) is made: what the files of LowerAutoCopy share.
#pragma once

#include <map>

#include "transform/pass/pass.h"

namespace mlc::transform {

// One copy, and what is known in its scope.
struct AutoCopy {
  std::map<std::string, int64_t> threads;  // "threadIdx.x" -> how many run
  std::vector<For> outer;                  // the loops around, outermost first
  TensorRegion read, write;
  int64_t vector_bytes = 1;
  bool local_stage = false;
};

// A copy as statements, and the memory on its way.
struct MadeCopy {
  Stmt body;
  Array<Buffer> allocs;
};
// By the two scopes; a copy between others stays as it is.
MadeCopy make_copy(const Stmt& body, const AutoCopy& copy);

// All threads of the block share the iterations, and each copies `vector_bytes` at once.
Stmt coalesced(const Stmt& body, const AutoCopy& copy);

// `body` in the loops from number `from` on.
Stmt in_loops(const std::vector<For>& loops, size_t from, Stmt body);

Var with_suffix(const Var& var, const std::string& suffix);

// A loop nest around one store.
struct CopyLoops {
  std::vector<For> loops;  // outermost first
  BufferStore store;
  Expr guard;  // where the store runs; null: everywhere

  Stmt guarded(const Stmt& s, const VarMap& values = {}) const {
    return guard ? Stmt(make<IfThenElseNode>(substitute(guard, values), s)) : s;
  }
};
CopyLoops copy_loops(const Stmt& body, bool may_have_guard = false);

// From global to shared memory through registers: the thread loops outside, both parts within.
MadeCopy through_registers(const Stmt& body);
// From fragments of tensor cores, tiles of `size` by `size`, through shared memory to global memory.
MadeCopy through_shared(const Stmt& body, int64_t size, const AutoCopy& copy);
// Between shared memory and fragments of tensor cores of 16 by 16.
Stmt load_fragments(const Stmt& body);
Stmt store_fragments(const Stmt& body);

// Rows of shared memory get a length with which the threads of a warp meet in fewer banks.
class BankPadding {
 public:
  // What a warp touches: the values of each index.
  using Touched = std::vector<std::vector<int64_t>>;
  void require_multiple(const Buffer& buffer, int64_t elements);
  void touch(const Buffer& buffer, Touched all) { touched_[buffer.get()].push_back(std::move(all)); }
  // Looks at the stores and loads of shared memory in a copy.
  void look_at(const Stmt& body, const AutoCopy& copy);
  Array<Buffer> padded(const Array<Buffer>& allocs);
  Stmt apply(const Stmt& body) const { return changes_.empty() ? body : replace_buffers(body, changes_); }

 private:
  std::unordered_map<const VarNode*, std::vector<Touched>> touched_;
  std::unordered_map<const VarNode*, int64_t> multiples_;
  std::unordered_map<const VarNode*, Buffer> changes_;
};

}  // namespace mlc::transform
