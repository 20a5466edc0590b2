// SPDX-License-Identifier: Apache-2.0
// Which buffers are views on which memory: DeclBuffer is another name, type or shape of existing memory.
#pragma once

#include "ir/core/visit.h"
#include "ir/tir/op.h"

namespace mlc::transform {

// The buffer X of `X.data`, or of X itself as an expression; null for other pointers.
inline const ir::VarNode* buffer_of_data(const ir::Expr& pointer) {
  auto* call = ir::as_call_to(pointer, "tirx.buffer_data");
  auto* var = ir::as<ir::VarNode>(call ? call->args[0] : pointer);
  return var && var->buffer() ? var : nullptr;
}

class BufferRoots {
 public:
  // The buffer whose memory `buffer` looks at, itself where it is no view of a buffer.
  const ir::VarNode* operator()(const ir::VarNode* buffer) const {
    auto found = roots_.find(buffer);
    return found == roots_.end() ? buffer : found->second;
  }
  void declare(const ir::DeclBufferNode& view) {
    if (auto* source = buffer_of_data(view.data)) roots_[view.buffer.get()] = (*this)(source);
  }

 private:
  std::unordered_map<const ir::VarNode*, const ir::VarNode*> roots_;
};

}  // namespace mlc::transform
