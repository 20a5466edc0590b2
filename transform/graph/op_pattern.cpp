// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/op_pattern.h"

#include <algorithm>
#include <unordered_set>

namespace mlc::transform {
namespace {

using Vars = std::unordered_set<const VarNode*>;

bool same_indices(const Array<Expr>& a, const Array<Expr>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].same_as(b[i])) return false;
  }
  return true;
}

// The indices as variables; nullopt where one is more than that.
std::optional<Vars> plain_indices(const Array<Expr>& indices) {
  Vars vars;
  for (const Expr& index : indices) {
    auto* var = as<VarNode>(index);
    if (!var) return std::nullopt;
    vars.insert(var);
  }
  return vars;
}

// B[i] for A[i, j]: the operand's indices are the result's, in order, but for dimensions of extent 1.
bool is_broadcast(const BufferStoreNode* store, const TensorLoadNode* load) {
  const Array<Expr>& shape = load->source->buffer()->shape;
  size_t j = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (is_const_int(shape[i], 1) && is_const_int(load->indices[i], 0)) continue;
    while (j < store->indices.size() && !store->indices[j].same_as(load->indices[i])) ++j;
    if (j == store->indices.size()) return false;
  }
  return true;
}

// B[j, i] or B[i - j] for A[i, j].
bool is_injective(const BufferStoreNode* store, const TensorLoadNode* load) {
  auto vars = plain_indices(store->indices);
  if (!vars) return false;
  for (const Expr& index : load->indices) {
    if (uses_var(index, [&](const VarNode* var) { return !vars->contains(var); })) return false;
  }
  return true;
}

// B[i, k] for A[i, j]: each element is read for several elements of the result.
bool is_reused(const BufferStoreNode* store, const TensorLoadNode* load) {
  auto vars = plain_indices(store->indices);
  if (!vars) return false;
  for (const Expr& index : load->indices)
    ir::post_order(index, [&](const Expr& part) { vars->erase(as<VarNode>(part)); });
  return !vars->empty();
}

Expr without_casts(Expr e) {
  while (auto* cast = as<CastNode>(e)) e = cast->value;
  return e;
}

// C[...] = C[...] + A[...] * B[...], both operands read several times.
bool is_multiply_add(const Stmt& body) {
  auto* store = as<BufferStoreNode>(body);
  if (!store) return false;
  Expr value = without_casts(store->value);
  auto* add = as<AddNode>(value);
  if (!add) return false;
  Expr product = without_casts(add->b);
  Expr before = without_casts(add->a);
  auto* mul = as<MulNode>(product);
  auto* sum = as<TensorLoadNode>(before);
  if (!mul || !sum || !sum->source.same_as(store->buffer) || !same_indices(sum->indices, store->indices)) return false;
  Expr left = without_casts(mul->a);
  Expr right = without_casts(mul->b);
  auto* a = as<TensorLoadNode>(left);
  auto* b = as<TensorLoadNode>(right);
  return a && b && is_reused(store, a) && is_reused(store, b);
}

// Each index that uses a reduced variable is one, as in A[i] = sum(B[i, k]); not so in pooling.
bool is_pure_reduction(const Vars& reduced, const TensorLoadNode* load) {
  for (const Expr& index : load->indices) {
    auto* var = as<VarNode>(index);
    if (var && reduced.contains(var)) continue;
    if (uses_var(index, [&](const VarNode* used) { return reduced.contains(used); })) return false;
  }
  return true;
}

class Classify final : public Walker {
 public:
  explicit Classify(const PrimFunc& fn) {
    for (const Var& param : fn->params) {
      if (param->buffer()) params_.insert(param.get());
    }
    visit(fn->body);
  }
  OpPattern pattern = OpPattern::kElemWise;

 private:
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) loads_.push_back(load);
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* block = as<SBlockNode>(s)) return visit_block(block);
    if (auto* store = as<BufferStoreNode>(s)) {
      if (store_ && !same_indices(store->indices, store_->indices)) {
        pattern = OpPattern::kOpaque;
        return;
      }
      store_ = store;
    }
    walk_children(s);
  }

  void raise(OpPattern to) { pattern = std::max(pattern, to); }

  void visit_block(const SBlockNode* block) {
    if (text(block->name_hint) == "root") return visit(block->body);
    loads_.clear();
    store_ = nullptr;
    visit(block->body);
    if (!store_) {
      pattern = OpPattern::kOpaque;
      return;
    }
    if (auto accesses = of_accesses()) {
      bool output = std::any_of(block->writes.begin(), block->writes.end(), [&](const TensorRegion& region) {
        return params_.contains(region->source.get());
      });
      // A reduction and then an injective function of its result: softmax.
      if (output && pattern == OpPattern::kCommReduce) {
        pattern = OpPattern::kOutEWiseFusable;
      } else {
        raise(*accesses);
      }
      return;
    }
    Vars reduced;
    for (const IterVar& iter : block->iter_vars) {
      if (iter->iter_type == IterType::kCommReduce) reduced.insert(iter->var.get());
    }
    if (reduced.empty()) {
      pattern = OpPattern::kOpaque;
    } else if (is_multiply_add(block->body) ||
               std::any_of(loads_.begin(), loads_.end(),
                           [&](const TensorLoadNode* load) { return !is_pure_reduction(reduced, load); })) {
      raise(OpPattern::kOutEWiseFusable);
    } else {
      raise(OpPattern::kCommReduce);
    }
  }

  // By the indices of what is read; nullopt where they tell nothing.
  std::optional<OpPattern> of_accesses() const {
    OpPattern found = OpPattern::kElemWise;
    bool elementwise = false;
    for (const TensorLoadNode* load : loads_) {
      if (same_indices(store_->indices, load->indices)) {
        elementwise = true;
      } else if (is_broadcast(store_, load)) {
        found = std::max(found, OpPattern::kBroadcast);
      } else if (is_injective(store_, load)) {
        found = std::max(found, OpPattern::kInjective);
      } else {
        return std::nullopt;
      }
    }
    // A[i, j] = B[i, j] + C[i] is elementwise.
    return found == OpPattern::kBroadcast && elementwise ? OpPattern::kElemWise : found;
  }

  Vars params_;
  std::vector<const TensorLoadNode*> loads_;
  const BufferStoreNode* store_ = nullptr;
};

}  // namespace

OpPattern op_pattern(const PrimFunc& fn) { return Classify(fn).pattern; }

}  // namespace mlc::transform
