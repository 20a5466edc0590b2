// SPDX-License-Identifier: Apache-2.0
// Which loops and blocks are around the accesses of buffers.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/core/visit.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

// An enclosing loop or block, as a tree; index 0 is the function.
struct Scope {
  int parent = 0;
  int depth = 0;
  const StmtNode* stmt = nullptr;
};

// The lowest scope that contains every access of each buffer.
struct BufferScopes final : Walker {
  std::vector<Scope> scopes{Scope{}};
  std::vector<int> stack{0};
  std::unordered_map<const VarNode*, int> lowest;      // by buffer
  std::vector<Buffer> found;                           // its keys, in the order of first accesses
  std::unordered_map<const VarNode*, int> loop_scope;  // by loop variable
  std::unordered_set<const VarNode*> matched;          // their sources count instead
  std::vector<Buffer> managed;                         // allocated by blocks, in order
  std::vector<int> block_indices;                      // loops over the blocks of a GPU

  void visit(const Stmt& s) override;
  void visit(const Expr& e) override;
  void visit_buffer(const Buffer& buffer) override { access(buffer, stack.back()); }
  // Memory that all blocks of a GPU share is not below the loops over them.
  void raise_to_block_indices();

 private:
  int enter(const StmtNode* stmt);
  int common(int a, int b) const;
  void access(const Buffer& buffer, int scope);
  void keep_outside_of_reductions(const SBlockRealizeNode& realize);
  void keep_outside_of_opaque_loops(const SBlockRealizeNode& realize);
};

}  // namespace mlc::transform
