// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/buffer_types.h"

#include "ir/tir/layout.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT

Expr BufferTypeRewriter::rewrite(const Expr& e) {
  if (auto* var = as<VarNode>(e); var && var->buffer()) return rewrite_buffer(ref(var));
  return rewrite_children(e);
}

Buffer BufferTypeRewriter::mapped(const Buffer& buffer) {
  auto found = mapped_.find(buffer.get());
  if (found != mapped_.end()) return found->second;
  Buffer next = map_buffer(buffer);
  mapped_[buffer.get()] = next;
  return next;
}

Buffer BufferTypeRewriter::map_buffer(const Buffer& buffer) {
  BufferType next = updated(buffer->buffer(), [this](BufferTypeNode& n) {
    n.shape = rewrite(n.shape);
    n.strides = rewrite(n.strides);
    if (n.elem_offset) n.elem_offset = rewrite(n.elem_offset);
    n.layout = map_layout(n.layout, [this](const Expr& e) { return rewrite(e); });
    n.allocated_addr = rewrite(n.allocated_addr);
  });
  return next.get() == buffer->buffer() ? buffer : with_type(buffer, next);
}

Buffer with_type(const Buffer& buffer, BufferType type) {
  return make<VarNode>(buffer->name, type, buffer->span);
}

Expr Substituter::rewrite(const Expr& e) {
  if (auto* var = as<VarNode>(e)) {
    auto found = values.find(var);
    if (found != values.end()) return found->second;
  }
  return BufferTypeRewriter::rewrite(e);
}

}  // namespace mlc::transform
