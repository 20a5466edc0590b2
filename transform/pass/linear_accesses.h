// SPDX-License-Identifier: Apache-2.0
// When memory is alive: the statements in their order with the buffers they touch, and at which of them a
// buffer is touched first and last.
#pragma once

#include <functional>

#include "transform/pass/buffer_roots.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

// A statement in the order of execution, with the buffers it touches. One with statements inside stands
// there twice; `pair` is how far away the other one is.
struct LinearEntry {
  const StmtNode* stmt = nullptr;
  int64_t pair = 0;
  std::vector<const VarNode*> touched;
};

class LinearAccesses final : public Walker {
 public:
  struct Alloc {
    size_t level;  // of statements around it
    const AllocBufferNode* stmt;
  };
  std::vector<LinearEntry> seq;
  std::unordered_map<const VarNode*, Alloc> allocs;
  BufferRoots roots;

  // Considers the allocations that `wanted` accepts. `who` is the pass, for errors.
  LinearAccesses(std::string_view who, std::function<bool(const AllocBufferNode&)> wanted)
      : who_(who), wanted_(std::move(wanted)) {}
  void visit(const Stmt& s) override;
  void visit(const Expr& e) override;

 private:
  std::string_view who_;
  std::function<bool(const AllocBufferNode&)> wanted_;
  std::vector<std::vector<const VarNode*>> scope_;
  bool in_threads_ = false;

  void nest(const Stmt& s);
  void touch(const VarNode* buffer, size_t dimensions, Span span);
};

// At a statement: the buffers that are touched there first, and last.
struct LifeEvents {
  std::vector<const VarNode*> gen;
  std::vector<const VarNode*> kill;
};
std::unordered_map<const StmtNode*, LifeEvents> life_events(const std::vector<LinearEntry>& seq);
// The number of bits of a buffer of constant size; 0 for others.
uint64_t constant_bits(const BufferTypeNode* type);

}  // namespace mlc::transform
