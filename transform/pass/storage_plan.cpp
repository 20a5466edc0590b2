// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/storage_plan.h"

#include "ir/core/error_kinds.h"
#include "ir/core/module.h"
#include "ir/core/refusal.h"
#include "transform/pass/linear_accesses.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "loop-not-lowered",
         .message = "VectorizeLoop comes first: a vectorized loop is still there",
         .help = "run VectorizeLoop before StorageRewrite"},
    }};
MLC_REFUSALS(pass_storage_plan, refusals);

bool StorageRank::special() const {
  return !tag.empty() && tag != ".dyn" && tag != ".barrier" && tag != ".workspace" && tag != ".vtcm";
}

StorageRank storage_rank(std::string_view scope) {
  struct Row {
    std::string_view name;
    bool per_thread;
  };
  constexpr Row rows[] = {
      {"global", false}, {"shared", false}, {"warp", true}, {"local", true}, {"texture", true}};
  for (const Row& row : rows) {
    if (scope.starts_with(row.name)) return {scope.substr(row.name.size()), row.per_thread};
  }
  return {{}, !scope.empty()};
}

namespace {

bool is(const AttrStmtNode* attr, std::string_view key) { return text(attr->attr_key) == key; }

// Does the sum of floats add a product to an element of `src`? In place it would be a step of a reduction, which code
// generators round otherwise (backend/accumulations.h).
bool adds_product_to(const VarNode* src, const Expr& e, const BufferRoots& roots) {
  bool element = false, product = false;
  auto term = [&](const Expr& part) {
    auto* load = as<TensorLoadNode>(part);
    element |= load && roots(load->source.get()) == src;
    product |= as<MulNode>(part) != nullptr;
  };
  Expr first = e;
  for (; as<AddNode>(first) || as<SubNode>(first); first = as_binary(first)->a) term(as_binary(first)->b);
  term(first);
  return element && product && e->dtype().is_floating();
}

// Does `stmt` write each element of `dst` only from the same element of `src`?
bool writes_in_place(const StmtNode* stmt, const BufferRoots& roots, const VarNode* dst, const VarNode* src) {
  Stmt root = ref(stmt);
  if (!as<AttrStmtNode>(root) && !as<ForNode>(root) && !as<IfThenElseNode>(root) && !as<WhileNode>(root) &&
      !as<BufferStoreNode>(root))
    return false;
  bool holds = true;
  bool in_index = false;
  const BufferStoreNode* of_dst = nullptr;  // the store whose value is looked at
  auto look_at = [&](const Array<Expr>& indices, Walker& on) {
    bool outside = std::exchange(in_index, true);
    for (const Expr& index : indices) on.visit(index);
    in_index = outside;
  };
  auto statement = [&](const Stmt& s, Walker& on) {
    auto* attr = as<AttrStmtNode>(s);
    holds = holds && !(attr && (is(attr, "extern_scope") || is(attr, "volatile_scope")));
    if (!holds) return;
    auto* store = as<BufferStoreNode>(s);
    if (!store) return on.walk_children(s);
    look_at(store->indices, on);
    of_dst = roots(store->buffer.get()) == dst ? store : nullptr;
    holds = holds && !(of_dst && adds_product_to(src, store->value, roots));
    on.visit(store->value);
    of_dst = nullptr;
  };
  auto expression = [&](const Expr& e, Walker& on) {
    auto* var = as<VarNode>(e);
    holds = holds && !(var && (roots(var) == dst || roots(var) == src));
    if (!holds) return;
    auto* load = as<TensorLoadNode>(e);
    if (!load) return on.walk_children(e);
    const VarNode* from = roots(load->source.get());
    bool same = of_dst && of_dst->value->dtype() == load->dtype() &&
                structural_equal(of_dst->indices, load->indices);
    holds = from != dst && !in_index && (from != src || same);
    if (holds) look_at(load->indices, on);
  };
  walk_with(root, overloaded{statement, expression});
  return holds;
}

class Planner {
 public:
  Planner(LinearAccesses& accesses, StoragePlanOptions options, StoragePlan& plan)
      : accesses_(accesses), options_(options), plan_(plan) {}

  void run() {
    events_ = life_events(accesses_.seq);
    for (const LinearEntry& entry : accesses_.seq) {
      auto events = events_.find(entry.stmt);
      if (events != events_.end() && entry.pair >= 0) begin(entry.stmt, events->second);
      scope_changes(entry.stmt);
      if (events != events_.end() && entry.pair <= 0) {
        for (const VarNode* buffer : events->second.kill) {
          if (!in_place_.contains(buffer)) release(*plan_.of.at(buffer));
        }
      }
    }
  }

 private:
  LinearAccesses& accesses_;
  StoragePlanOptions options_;
  StoragePlan& plan_;
  std::unordered_map<const StmtNode*, LifeEvents> events_;
  std::unordered_set<const VarNode*> in_place_;
  const StmtNode* thread_scope_ = nullptr;
  std::multimap<uint64_t, Storage*> free_;
  std::vector<Storage*> free_symbolic_;

  void begin(const StmtNode* stmt, const LifeEvents& events) {
    for (const VarNode* buffer : events.gen) {
      const AllocBufferNode* alloc = accesses_.allocs.at(buffer).stmt;
      Storage* storage = nullptr;
      if (events.gen.size() <= 2) storage = find_in_place(stmt, events, buffer);
      if (!storage) storage = find(alloc);
      storage->allocs.push_back(alloc);
      plan_.of[buffer] = storage;
    }
  }

  Storage* find_in_place(const StmtNode* stmt, const LifeEvents& events, const VarNode* buffer) {
    const BufferTypeNode* type = buffer->buffer();
    for (const VarNode* src : events.kill) {
      auto found = plan_.of.find(src);
      if (in_place_.contains(src) || found == plan_.of.end()) continue;
      Storage* storage = found->second;
      if (text(type->storage_scope) != storage->scope || storage->attach != thread_scope_ ||
          !(storage->element == DataType(type->dtype).element()) || storage->bits != constant_bits(type) ||
          !writes_in_place(stmt, accesses_.roots, buffer, src)) {
        continue;
      }
      in_place_.insert(src);
      return storage;
    }
    return nullptr;
  }

  Storage* create(const AllocBufferNode* alloc) {
    const BufferTypeNode* type = alloc->buffer->buffer();
    Storage& storage = plan_.storages.emplace_back();
    storage.attach = thread_scope_;
    storage.scope = std::string(type->storage_scope);
    storage.bits = constant_bits(type);
    storage.element = DataType(type->dtype).element();
    return &storage;
  }

  // Free memory for an allocation, the best fit within a factor of 16; else new memory.
  Storage* find(const AllocBufferNode* alloc) {
    constexpr uint64_t range = 16;
    const BufferTypeNode* type = alloc->buffer->buffer();
    DataType dtype = type->dtype;
    uint64_t element_bits = static_cast<uint64_t>(dtype.bits()) * dtype.lanes();
    uint64_t bits = constant_bits(type);
    StorageRank rank = storage_rank(text(type->storage_scope));
    // Small arrays and registers are better off with what the code generator does.
    bool small = rank.tag.empty() && (rank.per_thread || dtype.is_handle() || (bits != 0 && bits <= 32));
    if (!options_.reuse || small || type->shape.size() != 1) return create(alloc);
    auto fits = [&](const Storage& storage) {
      return storage.attach == thread_scope_ && storage.scope == text(type->storage_scope) &&
             !(options_.exact_types && !(storage.element == dtype));
    };
    if (bits == 0) {
      for (auto at = free_symbolic_.begin(); at != free_symbolic_.end(); ++at) {
        Storage* storage = *at;
        if (!fits(*storage) || !(storage->element == dtype.element())) continue;
        free_symbolic_.erase(at);
        return storage;
      }
      return create(alloc);
    }
    auto begin = free_.lower_bound(bits / range);
    auto mid = free_.lower_bound(bits);
    auto end = free_.upper_bound(bits * range);
    auto take = [&](std::multimap<uint64_t, Storage*>::iterator at) {
      Storage* storage = at->second;
      storage->bits = std::max(bits, storage->bits);
      free_.erase(at);
      return storage;
    };
    for (auto at = mid; at != end; ++at) {
      if (fits(*at->second) && at->second->bits_offset % element_bits == 0) return take(at);
    }
    for (auto at = mid; at != begin;) {
      --at;
      if (fits(*at->second) && at->second->element == dtype.element()) return take(at);
    }
    return create(alloc);
  }

  void release(Storage& storage) {
    StorageRank rank = storage_rank(storage.scope);
    if (rank.tag.empty()) {
      if (rank.per_thread || DataType(storage.allocs[0]->buffer->buffer()->dtype).is_handle()) return;
      if (storage.bits > 0 && storage.bits <= 32) return;
    }
    if (storage.bits != 0) {
      free_.emplace(storage.bits, &storage);
    } else {
      free_symbolic_.push_back(&storage);
    }
  }

  // Memory of a thread or parallel loop is not shared with what is outside of it.
  void scope_changes(const StmtNode* stmt) {
    Stmt s = ref(stmt);
    auto* attr = as<AttrStmtNode>(s);
    auto* loop = as<ForNode>(s);
    bool own = attr ? !is(attr, "extern_scope") : loop && loop->for_kind == ForKind::kParallel;
    if (!own || (thread_scope_ && thread_scope_ != stmt)) return;
    if (!thread_scope_) {
      thread_scope_ = stmt;
      return;
    }
    std::erase_if(free_, [&](const auto& entry) { return entry.second->attach == stmt; });
    std::erase_if(free_symbolic_, [&](Storage* storage) { return storage->attach == stmt; });
    thread_scope_ = nullptr;
  }
};

}  // namespace

StoragePlan plan_storage(const Stmt& body, StoragePlanOptions options) {
  post_order(body, nullptr, [](const Stmt& s) {
    auto* loop = as<ForNode>(s);
    if (!loop || loop->for_kind != ForKind::kVectorized) return;
    throw refuse(refusals["loop-not-lowered"]).kind(kRefusedValue).at(s->span);
  });
  LinearAccesses accesses("StorageRewrite", [](const AllocBufferNode&) { return true; });
  accesses.visit(body);
  StoragePlan plan;
  plan.roots = accesses.roots;
  Planner(accesses, options, plan).run();
  return plan;
}

}  // namespace mlc::transform
