// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/fresh_binders.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT

// What is said of a loop by its variable stands around the loop.
Stmt FreshBinders::rewrite(const Stmt& s) {
  auto* attr = as<AttrStmtNode>(s);
  auto about = attr == nullptr ? std::nullopt : attr->node.as<Var>();
  if (!about) return BufferTypeRewriter::rewrite(s);
  Expr value = rewrite(attr->value);
  Stmt body = rewrite(attr->body);
  return make<AttrStmtNode>(rewrite(Expr(*about)), attr->attr_key, value, body, attr->span);
}
Buffer FreshBinders::rewrite_buffer(const Buffer& buffer) {
  auto found = values.find(buffer.get());
  return found == values.end() ? BufferTypeRewriter::rewrite_buffer(buffer)
                                : ref(as<VarNode>(found->second));
}
// Field order puts a loop's bounds before its variable, a binding's value before its name.
Var FreshBinders::rewrite_def(const Var& var) {
  auto [at, added] = values.emplace(var.get(), nullptr);
  if (added) {
    Buffer typed = var->buffer() ? BufferTypeRewriter::rewrite_buffer(var) : var;
    at = values.find(var.get());
    at->second = typed.same_as(var) ? make<VarNode>(var->name, var->ty, var->span) : typed;
  }
  return ref(as<VarNode>(at->second));
}

}  // namespace mlc::transform
