// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/buffer_scopes.h"

#include "transform/pass/pass.h"

namespace mlc::transform {

int BufferScopes::enter(const StmtNode* stmt) {
  scopes.push_back({stack.back(), scopes[static_cast<size_t>(stack.back())].depth + 1, stmt});
  stack.push_back(static_cast<int>(scopes.size()) - 1);
  return stack.back();
}
int BufferScopes::common(int a, int b) const {
  while (a != b) {
    int& deeper = scopes[static_cast<size_t>(a)].depth >= scopes[static_cast<size_t>(b)].depth ? a : b;
    deeper = scopes[static_cast<size_t>(deeper)].parent;
  }
  return a;
}
void BufferScopes::access(const Buffer& buffer, int scope) {
  if (matched.contains(buffer.get())) return;
  auto [at, first] = lowest.emplace(buffer.get(), scope);
  if (first) return found.push_back(buffer);
  at->second = common(at->second, scope);
}

void BufferScopes::visit(const Stmt& s) {
  if (auto* loop = as<ForNode>(s)) {
    visit(loop->min);
    visit(loop->extent);
    loop_scope[loop->loop_var.get()] = enter(loop);
    if (loop->thread_binding && text(loop->thread_binding->thread_tag).starts_with("blockIdx"))
      block_indices.push_back(stack.back());
    visit(loop->body);
    stack.pop_back();
  } else if (auto* realize = as<SBlockRealizeNode>(s)) {
    for (const Expr& value : realize->iter_values) visit(value);
    visit(realize->predicate);
    const SBlock& block = realize->block;
    for (const Buffer& buffer : block->alloc_buffers) managed.push_back(buffer);
    enter(block.get());
    keep_outside_of_opaque_loops(*realize);
    keep_outside_of_reductions(*realize);
    for (const MatchBufferRegion& match : block->match_buffers) {
      access(match->source->source, stack.back());
      matched.insert(match->buffer.get());
    }
    if (block->init) visit(block->init);
    visit(block->body);
    stack.pop_back();
  } else {
    IterVar thread = launched_thread(s);
    if (thread && text(thread->thread_tag).starts_with("blockIdx")) block_indices.push_back(stack.back());
    walk_children(s);
  }
}
void BufferScopes::visit(const Expr& e) {
  if (auto* var = as<VarNode>(e); var && var->buffer()) access(ref(var), stack.back());
  walk_children(e);
}

// What a reduction writes lives across the loops that drive it, even if nothing else ever reads it.
void BufferScopes::keep_outside_of_reductions(const SBlockRealizeNode& realize) {
  int scope = stack.back();
  bool reduces = false;
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    if (realize.block->iter_vars[i]->iter_type != IterType::kCommReduce) continue;
    reduces = true;
    for (const Var& var : free_vars(realize.iter_values[i])) {
      auto loop = loop_scope.find(var.get());
      if (loop != loop_scope.end()) scope = common(scope, scopes[static_cast<size_t>(loop->second)].parent);
    }
  }
  if (!reduces) return;
  for (const TensorRegion& region : realize.block->writes) access(region->source, scope);
}
// Buffers whose regions depend on an iterator that may carry values from one instance to the next must
// live across the loops that drive it.
void BufferScopes::keep_outside_of_opaque_loops(const SBlockRealizeNode& realize) {
  std::unordered_map<const VarNode*, int> outside;
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    const IterVar& iter = realize.block->iter_vars[i];
    if (iter->iter_type == IterType::kDataPar || iter->iter_type == IterType::kCommReduce) continue;
    for (const Var& var : free_vars(realize.iter_values[i])) {
      auto loop = loop_scope.find(var.get());
      if (loop == loop_scope.end()) continue;
      int scope = scopes[static_cast<size_t>(loop->second)].parent;
      auto [at, first] = outside.emplace(iter->var.get(), scope);
      if (!first) at->second = common(at->second, scope);
    }
  }
  if (outside.empty()) return;
  auto raise = [&](const TensorRegion& region) {
    int scope = stack.back();
    for (const Range& range : region->region) {
      for (const Expr& e : {range->min, range->extent}) {
        for (const Var& var : free_vars(e)) {
          auto found = outside.find(var.get());
          if (found != outside.end()) scope = common(scope, found->second);
        }
      }
    }
    access(region->source, scope);
  };
  for (const TensorRegion& region : realize.block->reads) raise(region);
  for (const TensorRegion& region : realize.block->writes) raise(region);
}

void BufferScopes::raise_to_block_indices() {
  for (auto& [buffer, scope] : lowest) {
    const String& memory = buffer->buffer()->storage_scope;
    if (!memory.empty() && text(memory) != "global") continue;
    for (int loop : block_indices) scope = common(scope, loop);
  }
}

}  // namespace mlc::transform
