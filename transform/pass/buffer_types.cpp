// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/buffer_types.h"

#include "ir/tir/layout.h"

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
  const BufferTypeNode* type = buffer->buffer();
  Array<Expr> shape = rewrite(type->shape);
  Array<Expr> strides = rewrite(type->strides);
  Expr offset = type->elem_offset ? rewrite(type->elem_offset) : type->elem_offset;
  ObjectRef layout = map_layout(type->layout, [this](const Expr& e) { return rewrite(e); });
  Array<Expr> address = rewrite(type->allocated_addr);
  if (shape.same_as(type->shape) && strides.same_as(type->strides) && offset.same_as(type->elem_offset) &&
      layout.same_as(type->layout) && address.same_as(type->allocated_addr)) {
    return buffer;
  }
  return with_type(buffer, with(type_of(buffer), [&](BufferTypeNode& n) {
                     n.shape = shape;
                     n.strides = strides;
                     n.elem_offset = offset;
                     n.layout = layout;
                     n.allocated_addr = address;
                   }));
}

Buffer with_type(const Buffer& buffer, BufferType type) {
  return make<VarNode>(buffer->name, type, buffer->span);
}

Expr Substituter::rewrite(const Expr& e) {
  if (auto* var = as<VarNode>(e)) {
    auto found = values_.find(var);
    if (found != values_.end()) return found->second;
  }
  return BufferTypeRewriter::rewrite(e);
}

}  // namespace mlc::transform
