// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/undeclared_accesses.h"

#include <algorithm>
#include <unordered_set>

namespace mlc::transform {
namespace {

using VarSet = std::unordered_set<const VarNode*>;

// The buffers that a block's body loads from, stores to, or takes the address of.
class Touched final : public ir::Walker {
 public:
  VarSet reads, writes, escaping;
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) reads.insert(whole(load->source.get()));
    if (auto* var = as<VarNode>(e); var && var->buffer()) escaping.insert(whole(var));
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) writes.insert(whole(store->buffer.get()));
    if (auto* block = as<SBlockNode>(s)) {
      for (const MatchBufferRegion& each : block->match_buffers)
        part_of_[each->buffer.get()] = whole(each->source->source.get());
    }
    walk_children(s);
  }

 private:
  const VarNode* whole(const VarNode* buffer) const {
    auto found = part_of_.find(buffer);
    return found == part_of_.end() ? buffer : found->second;
  }
  std::unordered_map<const VarNode*, const VarNode*> part_of_;
};

VarSet sources(const Array<TensorRegion>& regions) {
  VarSet result;
  for (const TensorRegion& region : regions) result.insert(region->source.get());
  return result;
}

struct Uses {
  VarSet reads, writes;
};

Uses uses_of(const Dependences& deps, const SRefNode& block) {
  Uses declared{sources(deps.reads(block)), sources(deps.writes(block))};
  Touched touched;
  touched.visit(block.stmt);
  Uses all = declared;
  for (const VarNode* read : touched.reads) {
    // A sum that the block begins itself is its own.
    if (!block.block()->init || !declared.writes.contains(read)) all.reads.insert(read);
  }
  all.writes.insert(touched.writes.begin(), touched.writes.end());
  for (const VarNode* buffer : touched.escaping) {
    if (declared.reads.contains(buffer) || declared.writes.contains(buffer)) continue;
    all.reads.insert(buffer);
    all.writes.insert(buffer);
  }
  return all;
}

bool meet(const VarSet& a, const VarSet& b) {
  return std::any_of(a.begin(), a.end(), [&](const VarNode* each) { return b.contains(each); });
}

}  // namespace

std::vector<SRefNode*> all_readers(const Dependences& deps, const Buffer& buffer) {
  std::vector<SRefNode*> found;
  for (SRefNode* block : deps.blocks)
    if (uses_of(deps, *block).reads.contains(buffer.get())) found.push_back(block);
  return found;
}

Flow flow_around(const Dependences& deps, const SRefNode& block) {
  Flow flow;
  Uses mine = uses_of(deps, block);
  bool before = true;
  for (SRefNode* other : deps.blocks) {
    if (other == &block) {
      before = false;
      continue;
    }
    Uses theirs = uses_of(deps, *other);
    if (before && meet(theirs.writes, mine.reads)) flow.producers.push_back(other);
    if (!before && meet(mine.writes, theirs.reads)) flow.consumers.push_back(other);
  }
  return flow;
}

}  // namespace mlc::transform
