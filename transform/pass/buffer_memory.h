// SPDX-License-Identifier: Apache-2.0
// Whose memory a buffer shows, and who else may reach it: what a pass asks that moves accesses past each
// other.
#pragma once

#include "ir/core/walk_with.h"
#include "transform/pass/buffer_roots.h"

namespace mlc::transform {

// Of one function. Knows what it has been told by declare(), in the order of the statements.
class BufferMemory {
 public:
  explicit BufferMemory(const ir::PrimFunc& fn) {
    bool alone = ir::has_flag(fn, "tirx.noalias") || ir::has_flag(fn, "tir.noalias");
    for (const ir::Var& param : fn->params)
      if (param->buffer() != nullptr) memory_[param.get()] = {param.get(), false, alone};
  }
  void declare(const ir::Stmt& s) {
    if (auto* made = ir::as<ir::AllocBufferNode>(s)) {
      memory_[made->buffer.get()] = {made->buffer.get(), true, true};
    } else if (auto* view = ir::as<ir::DeclBufferNode>(s)) {
      const ir::VarNode* source = view->data ? buffer_of_data(view->data) : nullptr;
      memory_[view->buffer.get()] = source == nullptr ? Memory{} : find(source);
    }
  }
  // The argument or allocation that the buffer is or shows, null for a view on a pointer of unknown origin.
  const ir::VarNode* root(const ir::VarNode* buffer) const { return find(buffer).root; }
  // Does the function allocate it?
  bool is_local(const ir::VarNode* buffer) const { return find(buffer).local; }
  // Is what is stored to one never seen by a load of the other?
  bool apart(const ir::VarNode* a, const ir::VarNode* b) const {
    Memory one = find(a), other = find(b);
    return one.root != nullptr && other.root != nullptr && one.root != other.root &&
           (one.exclusive || other.exclusive);
  }

  // Is nothing that `e` loads stored to the buffer?
  bool reads_apart(const ir::Expr& e, const ir::VarNode* stored) const {
    return !ir::any_below(e, [&](const ir::Expr& part) {
      auto* load = ir::as<ir::TensorLoadNode>(part);
      return load != nullptr && !apart(load->source.get(), stored);
    });
  }

 private:
  struct Memory {
    const ir::VarNode* root = nullptr;
    bool local = false;
    bool exclusive = false;  // reached by nothing but buffers with the same root: arguments by `tirx.noalias`
  };
  Memory find(const ir::VarNode* buffer) const {
    auto found = memory_.find(buffer);
    return found == memory_.end() ? Memory{} : found->second;
  }
  std::unordered_map<const ir::VarNode*, Memory> memory_;
};

// A rewriter of statements that knows it.
class MemoryRewriter : public ir::Rewriter {
 public:
  explicit MemoryRewriter(const ir::PrimFunc& fn) : memory(fn) {}
  using Rewriter::rewrite;
  ir::Expr rewrite(const ir::Expr& e) final { return e; }
  ir::Stmt rewrite(const ir::Stmt& s) final {
    memory.declare(s);
    return rewrite_declared(s);
  }

 protected:
  BufferMemory memory;
  virtual ir::Stmt rewrite_declared(const ir::Stmt& s) = 0;
};

}  // namespace mlc::transform
