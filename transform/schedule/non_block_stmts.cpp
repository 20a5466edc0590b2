// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/non_block_stmts.h"

#include <algorithm>
#include <unordered_set>

#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

namespace {

using VarSet = std::unordered_set<const VarNode*>;

// The accesses of everything in a scope but its blocks.
class NonBlockStmts final : public ir::Walker {
 public:
  VarSet reads, writes, defined;
  bool ordered = true;  // false: some statement ends or repeats others, or renames a part of a buffer
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) reads.insert(load->source.get());
    if (auto* var = as<VarNode>(e); var != nullptr && var->buffer()) {
      reads.insert(var);
      writes.insert(var);
    }
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    switch (s->kind) {
      case StmtKind::kSBlockRealize: {
        auto* realize = as<SBlockRealizeNode>(s);
        for (const Expr& value : realize->iter_values) visit(value);
        return visit(realize->predicate);
      }
      case StmtKind::kBufferStore:
        writes.insert(as<BufferStoreNode>(s)->buffer.get());
        break;
      case StmtKind::kBind:
        defined.insert(as<BindNode>(s)->var.get());
        break;
      case StmtKind::kAttrStmt:
      case StmtKind::kAssertStmt:
      case StmtKind::kSeqStmt:
      case StmtKind::kEvaluate:
      case StmtKind::kIfThenElse:
      case StmtKind::kFor:
        break;
      default:
        ordered = false;
    }
    walk_children(s);
  }
};

// The statement that is neither loop nor sequence on the way down to a loop or block; null when there is
// none.
class PathConditions final : public ir::Walker {
 public:
  explicit PathConditions(const SRefNode& sref, bool attributes = true)
      : end_(sref.stmt.get()), attributes_(attributes) {}
  const StmtNode* in_the_way = nullptr;
  void visit(const Expr&) override {}
  void visit(const Stmt& s) override {
    if (found_) return;
    auto* realize = as<SBlockRealizeNode>(s);
    if (s.get() == end_ || (realize != nullptr && realize->block.get() == end_)) {
      found_ = true;
      in_the_way = around_.empty() ? nullptr : around_.front();
      return;
    }
    if (realize != nullptr) return;
    bool stands = s->kind != StmtKind::kFor && s->kind != StmtKind::kSeqStmt &&
                  (attributes_ || s->kind != StmtKind::kAttrStmt);
    if (stands) around_.push_back(s.get());
    walk_children(s);
    if (stands && !found_) around_.pop_back();
  }

 private:
  const StmtNode* end_;
  bool attributes_;
  bool found_ = false;
  std::vector<const StmtNode*> around_;
};

// Is none of the variables that `each_used` looks at a `let`'s of the scope with that body?
template <class F>
void require_no_let(const SRefNode& block, const Stmt& body, std::string_view primitive, F each_used) {
  NonBlockStmts beside;
  beside.visit(body);
  if (beside.defined.empty()) return;
  bool uses = false;
  each_used([&](const Expr& e) { uses = uses || beside.defined.contains(as<VarNode>(e)); });
  if (!uses) return;
  throw refuse_as(shared_refusals["not-stage-pipeline"],
                  "`{}` cannot take along the `let` that block `{}` uses", primitive, block.name.c_str())
      .note("the block is defined here", block.stmt->span);
}

bool holds_block(const Stmt& stmt) {
  return ir::any_below(stmt, [](const Stmt& s) { return s->kind == StmtKind::kSBlockRealize; });
}

}  // namespace

bool leaves_blocks_alone(const Stmt& body, const Dependences& deps) {
  NonBlockStmts beside;
  // Of the sequence itself: its memory, what of it statements before all blocks store, memory under other
  // names.
  VarSet own, made, views;
  bool before_blocks = true;
  for (const Stmt& s : statements_of(body)) {
    before_blocks = before_blocks && !holds_block(s);
    if (auto* alloc = as<AllocBufferNode>(s)) {
      // Memory for the rest of the sequence: it holds nothing, and whoever moves a block looks where it
      // begins.
      own.insert(alloc->buffer.get());
      for (const Expr& dim : alloc->buffer->buffer()->shape) beside.visit(dim);
    } else if (auto* store = as<BufferStoreNode>(s);
               store != nullptr && before_blocks && own.contains(store->buffer.get())) {
      made.insert(store->buffer.get());
      beside.visit(store->value);
      for (const Expr& index : store->indices) beside.visit(index);
    } else if (auto* view = as<DeclBufferNode>(s); view != nullptr && before_blocks) {
      views.insert(view->buffer.get());
      ir::post_order(view->data, [&](const Expr& e) {
        if (auto* var = as<VarNode>(e); var != nullptr && var->buffer()) views.insert(var);
      });
    } else {
      beside.visit(s);
    }
  }
  auto kept = [&](const VarNode* buffer) {
    return !deps.writers.contains(buffer) && !beside.writes.contains(buffer);
  };
  if (!std::all_of(made.begin(), made.end(), kept) || !std::all_of(views.begin(), views.end(), kept))
    return false;
  if (std::any_of(views.begin(), views.end(), [&](const VarNode* view) { return made.contains(view); }))
    return false;
  if (!beside.ordered) return false;
  for (const VarNode* written : beside.writes) {
    if (deps.readers.contains(written) || deps.writers.contains(written)) return false;
  }
  for (const VarNode* read : beside.reads) {
    if (deps.writers.contains(read)) return false;
  }
  return true;
}

void require_straight(ScheduleState& state, const SRefNode& scope, const std::vector<const SRefNode*>& moved,
                      const std::vector<SRefNode*>& involved, std::string_view primitive) {
  const Stmt& body = scope.block()->body;
  for (const SRefNode* sref : moved) {
    PathConditions way(*sref);
    way.visit(body);
    if (way.in_the_way == nullptr) continue;
    throw refuse_as(shared_refusals["not-stage-pipeline"],
                    "`{}` cannot keep the condition or attribute that {} `{}` stands in", primitive,
                    sref->block() != nullptr ? "block" : "loop", sref->name.c_str())
        .note("it is written here", way.in_the_way->span);
  }
  for (const SRefNode* block : involved) {
    require_no_let(*block, body, primitive, [&](const auto& look) {
      ir::post_order(realize_of(state, *block), [&](const Expr& e) { look(e); });
    });
  }
}

static bool makes(const Stmt& s, const Buffer& buffer) {
  auto* alloc = as<AllocBufferNode>(s);
  auto* view = as<DeclBufferNode>(s);
  auto* store = as<BufferStoreNode>(s);
  return (alloc != nullptr && alloc->buffer.same_as(buffer)) ||
         (view != nullptr && view->buffer.same_as(buffer)) ||
         (store != nullptr && store->buffer.same_as(buffer));
}

size_t place_behind_made(const Stmt& body, const Buffer& buffer, std::string_view primitive) {
  std::vector<Stmt> all = statements_of(body);
  size_t place = 0, i = 0;
  for (; i < all.size() && !holds_block(all[i]); ++i) {
    walk_with(all[i], [&](const Stmt& s, Walker& on) {
      // A call may write what it is handed.
      auto* call = as<EvaluateNode>(s);
      if (makes(s, buffer) ||
          (call && uses_var(call->value, [&](const VarNode* var) { return var == buffer.get(); })))
        place = i + 1;
      on.walk_children(s);
    });
  }
  for (; i < all.size(); ++i) {
    walk_with(all[i], [&](const Stmt& s, Walker& on) {
      if (as<SBlockRealizeNode>(s)) return;
      if (makes(s, buffer)) {
        throw refuse_as(shared_refusals["not-stage-pipeline"],
                        "`{}` would copy `{}` before a statement outside of blocks that makes it", primitive,
                        buffer->name.c_str())
            .note("it is allocated, declared or written here", s->span);
      }
      on.walk_children(s);
    });
  }
  return place;
}

void require_allocated_before(const SRefNode& scope, const SRefNode& place, const SRefNode& block,
                              std::string_view primitive) {
  std::vector<Stmt> body = statements_of(scope.block()->body);
  size_t end = child_position(scope, block);
  for (size_t i = child_position(scope, place); i < end; ++i) {
    auto* alloc = as<AllocBufferNode>(body[i]);
    if (alloc == nullptr) continue;
    for (const auto& regions : {block.block()->reads, block.block()->writes}) {
      for (const TensorRegion& region : regions) {
        if (!region->source.same_as(alloc->buffer)) continue;
        throw refuse_as(shared_refusals["not-stage-pipeline"],
                        "`{}` cannot take block `{}` before the allocation of `{}`", primitive,
                        block.name.c_str(), alloc->buffer->name.c_str())
            .note("the buffer is allocated here", alloc->span);
      }
    }
  }
}

Error condition_not_kept(const SRefNode& block, Span written, std::string_view primitive) {
  return refuse_as(shared_refusals["not-stage-pipeline"],
                   "`{}` cannot keep the condition that block `{}` stands in", primitive, block.name.c_str())
      .note("it is written here", written);
}

void require_copy_straight(ScheduleState& state, const SRefNode& scope, const SRefNode& block,
                           const Buffer& buffer, bool write, std::string_view primitive) {
  const Stmt& body = scope.block()->body;
  PathConditions way(block, false);
  way.visit(body);
  if (write && way.in_the_way != nullptr) {
    throw condition_not_kept(block, way.in_the_way->span, primitive);
  }
  require_no_let(block, body, primitive, [&](const auto& look) {
    auto look_into = [&](const Expr& e) { ir::post_order(e, look); };
    SBlockRealize realize = realize_of(state, block);
    for (const Expr& value : realize->iter_values) look_into(value);
    look_into(realize->predicate);
    for (const auto& regions : {block.block()->reads, block.block()->writes}) {
      for (const TensorRegion& region : regions)
        if (region->source.same_as(buffer)) look_into(region);
    }
  });
}

}  // namespace mlc::transform
