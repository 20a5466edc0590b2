// SPDX-License-Identifier: Apache-2.0
// Substitution that also reaches into the types of buffers: their shapes, strides and offsets are
// expressions, and a buffer whose type changes is another buffer, replaced consistently.
#pragma once

#include "ir/core/visit.h"

namespace mlc::transform {

// A Rewriter whose expression rewrites also apply to the types of the buffers it meets. Override
// rewrite(Expr), and map_buffer for buffers that become others for reasons of their own.
class BufferTypeRewriter : public ir::Rewriter {
 public:
  using Rewriter::rewrite;
  // Those of the function's parameters never change.
  void keep_params(const ir::PrimFunc& fn) {
    for (const ir::Var& param : fn->params)
      if (param->buffer()) mapped_[param.get()] = param;
  }
  ir::Buffer rewrite_buffer(const ir::Buffer& buffer) override { return mapped(buffer); }
  ir::Var rewrite_def(const ir::Var& var) override { return var->buffer() ? mapped(var) : var; }
  ir::Expr rewrite(const ir::Expr& e) override;

 protected:
  // The buffer with its type rewritten; the same object when the type did not change.
  virtual ir::Buffer map_buffer(const ir::Buffer& buffer);
  ir::Buffer mapped(const ir::Buffer& buffer);

 private:
  std::unordered_map<const ir::VarNode*, ir::Buffer> mapped_;
};

// A copy of `buffer` under a changed type.
ir::Buffer with_type(const ir::Buffer& buffer, ir::BufferType type);
inline ir::BufferType type_of(const ir::Buffer& buffer) { return ir::ref(buffer->buffer()); }

// Simultaneous replacement of variables, in buffer types too. A rewriter that finds out on its way what is
// replaced adds to the values.
class Substituter : public BufferTypeRewriter {
 public:
  explicit Substituter(ir::VarMap values = {}) : values(std::move(values)) {}
  using BufferTypeRewriter::rewrite;
  ir::Expr rewrite(const ir::Expr& e) override;

 protected:
  ir::VarMap values;
};

}  // namespace mlc::transform
