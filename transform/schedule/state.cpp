// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/state.h"

#include <unordered_set>

#include "ir/core/try_get.h"
#include "ir/core/walk_with.h"
#include "transform/schedule/analysis.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {
namespace {

bool has_place(const Stmt& s) { return s->kind == StmtKind::kFor || s->kind == StmtKind::kSBlock; }

String name_of(const Stmt& s) {
  if (auto* loop = as<ForNode>(s)) return loop->loop_var->name;
  return as<SBlockNode>(s)->name_hint;
}

// Calls `act` on the statement, or on those below it, that are loops or blocks, not on what is below these.
template <class F>
void each_place(const Stmt& stmt, bool below, F act) {
  auto look = [&](const Stmt& s, Walker& on) { has_place(s) ? act(s) : on.walk_children(s); };
  WalkWith walk(look);
  below ? walk.walk_children(stmt) : walk.visit(stmt);
}

}  // namespace

PrimFunc ScheduleState::function(const GlobalVar& name) const {
  auto found = mod_->functions.find(name);
  MLC_CHECK(found != mod_->functions.end(), "function `{}` is not in the module", name->name_hint.c_str());
  auto fn = ir::try_get<PrimFunc>((*found).second);
  MLC_CHECK(fn.has_value(), "`{}` is no prim_func", name->name_hint.c_str());
  return *fn;
}

FunctionIndex& ScheduleState::index(const GlobalVar& name) {
  auto& slot = functions_[name.get()];
  if (slot) return *slot;
  PrimFunc fn = function(name);
  auto* realize = as<SBlockRealizeNode>(fn->body);
  if (!realize) {
    functions_.erase(name.get());
    throw refuse_as(shared_refusals["not-schedulable"],
                    "function `{}` has no blocks, so there is nothing to schedule", name->name_hint.c_str())
        .kind("ScheduleError")
        .note("the function is defined here", fn->span)
        .help("write its computations as blocks: `with T.sblock(\"name\"):`");
  }
  auto index = std::make_unique<FunctionIndex>();
  index->name = name;
  slot = std::move(index);
  add_srefs(*slot, realize->block, nullptr);
  slot->root = slot->srefs.at(realize->block.get());
  compute_flags(*this, *slot->root);
  return *slot;
}

void ScheduleState::add_srefs(FunctionIndex& index, const Stmt& stmt, SRefNode* parent) {
  auto sref = std::make_shared<SRefNode>();
  sref->stmt = stmt;
  sref->parent = parent;
  sref->name = name_of(stmt);
  index.srefs[stmt.get()] = sref;
  each_place(stmt, true, [&](const Stmt& s) { add_srefs(index, s, sref.get()); });
}

FunctionIndex& ScheduleState::index_of(const SRefNode& sref) {
  const SRefNode* top = &sref;
  while (top->parent) top = top->parent;
  for (auto& [name, index] : functions_) {
    if (index->root.get() == top) return *index;
  }
  throw InternalError(__FILE__, __LINE__, "a place without a function");
}

SRef ScheduleState::find(const StmtNode* stmt) {
  for (auto& [name, index] : functions_) {
    auto found = index->srefs.find(stmt);
    if (found != index->srefs.end()) return found->second;
  }
  return nullptr;
}

void ScheduleState::replace(SRefNode& at, const Stmt& next, const BlockReuse& reuse,
                            std::string_view primitive) {
  FunctionIndex& index = index_of(at);
  if (next.same_as(at.stmt)) return;
  // What stays as it is, and what is new.
  std::unordered_set<const StmtNode*> kept;
  std::vector<std::pair<Stmt, const StmtNode*>> fresh;  // with the loop or block around it
  std::vector<std::pair<SRef, const StmtNode*>> moved;
  auto collect_new = [&](auto& self, const Stmt& s, const StmtNode* parent) -> void {
    each_place(s, parent == s.get(), [&](const Stmt& below) {
      auto known = index.srefs.find(below.get());
      if (known != index.srefs.end()) {
        kept.insert(below.get());
        moved.emplace_back(known->second, parent);
        return;
      }
      fresh.emplace_back(below, parent);
      self(self, below, below.get());
    });
  };
  collect_new(collect_new, next, nullptr);
  std::vector<SRef> gone;
  auto collect_old = [&](auto& self, const Stmt& s, bool inside) -> void {
    each_place(s, inside, [&](const Stmt& below) {
      if (kept.contains(below.get())) return;
      gone.push_back(index.srefs.at(below.get()));
      self(self, below, true);
    });
  };
  collect_old(collect_old, at.stmt, false);

  // A direct descendant of a loop or block is replaced; not below other loops and blocks.
  const StmtNode* old = at.stmt.get();
  Stmt changed = next;
  auto replace_child = [&](const Stmt& s, Rewriter& on) -> Stmt {
    if (s.get() == old) return changed;
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      // A block that is replaced by something else takes its realize with it.
      if (realize->block.get() == old && changed->kind != StmtKind::kSBlock) return changed;
      if (realize->block.get() != old) return s;
    }
    return has_place(s) ? s : on.rewrite_children(s);
  };
  // The statements on the way up.
  std::vector<std::pair<SRefNode*, Stmt>> path;
  for (SRefNode* up = at.parent; up; up = up->parent) {
    Stmt copy = rewrite_below(up->stmt, replace_child);
    old = up->stmt.get();
    changed = copy;
    path.emplace_back(up, copy);
  }
  PrimFunc fn = function(index.name);
  Stmt body = rewrite_with(fn->body, replace_child);
  PrimFunc next_fn = with(fn, [&](PrimFuncNode& copy) { copy.body = body; });

  // From here on nothing fails.
  std::unordered_map<const StmtNode*, SRef> successors;
  auto take = [&](const SRef& sref, const Stmt& as_now) { successors[as_now.get()] = sref; };
  std::vector<bool> taken(gone.size());
  for (const auto& [before, after] : reuse) {
    for (size_t i = 0; i < gone.size(); ++i) {
      if (taken[i] || gone[i]->stmt.get() != before) continue;
      successors[after] = gone[i];
      taken[i] = true;
    }
  }
  // Blocks are known by their names; where several have one, by their iterators first.
  auto same_iterators = [](const SBlockNode& block, const SBlockNode& other) {
    return !block.iter_vars.empty() && block.iter_vars.size() == other.iter_vars.size() &&
           block.iter_vars[0]->var.same_as(other.iter_vars[0]->var);
  };
  for (bool by_iterators : {true, false}) {
    for (const auto& [stmt, parent] : fresh) {
      if (successors.contains(stmt.get())) continue;
      for (size_t i = 0; i < gone.size(); ++i) {
        if (taken[i] || gone[i]->stmt->kind != stmt->kind) continue;
        auto *loop = as<ForNode>(stmt), *was = gone[i]->loop();
        auto *block = as<SBlockNode>(stmt), *block_was = gone[i]->block();
        bool same = loop ? loop->loop_var.same_as(was->loop_var)
                         : block->name_hint == block_was->name_hint &&
                               (!by_iterators || same_iterators(*block, *block_was));
        if (!same) continue;
        take(gone[i], stmt);
        taken[i] = true;
        break;
      }
    }
  }
  for (const SRef& sref : gone) index.srefs.erase(sref->stmt.get());
  for (const auto& [sref, stmt] : path) {
    auto node = index.srefs.extract(sref->stmt.get());
    sref->stmt = stmt;
    node.key() = stmt.get();
    index.srefs.insert(std::move(node));
  }
  for (size_t i = 0; i < gone.size(); ++i) {
    if (taken[i]) continue;
    gone[i]->removed_by = std::string(primitive);
    gone[i]->stmt = nullptr;
    gone[i]->parent = nullptr;
  }
  SRefNode* around = path.empty() ? nullptr : path.front().first;
  auto place_of = [&](const StmtNode* stmt) -> SRefNode* {
    return stmt ? index.srefs.at(stmt).get() : around;
  };
  for (const auto& [stmt, parent] : fresh) {  // outermost first, so parents are there
    auto successor = successors.find(stmt.get());
    SRef sref = successor != successors.end() ? successor->second : std::make_shared<SRefNode>();
    sref->stmt = stmt;
    sref->name = name_of(stmt);
    sref->parent = place_of(parent);
    index.srefs[stmt.get()] = sref;
  }
  for (const auto& [sref, parent] : moved) sref->parent = place_of(parent);
  if (index.hides) {
    std::unordered_set<const StmtNode*> built;
    for (const auto& [stmt, parent] : fresh) built.insert(stmt.get());
    for (const auto& [stmt, sref] : index.srefs) {
      const SRefNode* scope = sref->parent;
      while (scope && !scope->block()) scope = scope->parent;
      if (sref->declared && scope && built.contains(scope->stmt.get())) sref->declared = nullptr;
    }
  }
  if (auto* realize = as<SBlockRealizeNode>(body)) index.root = index.srefs.at(realize->block.get());
  mod_ = with(mod_, [&](IRModuleNode& copy) { copy.functions.Set(index.name, next_fn); });
}

void ScheduleState::replace_param(const SRefNode& sref, const Buffer& from, const Buffer& to) {
  FunctionIndex& index = index_of(sref);
  PrimFunc fn = function(index.name);
  PrimFunc next = with(fn, [&](PrimFuncNode& copy) {
    Array<Var> params;
    for (const Var& param : fn->params) params.push_back(param.same_as(from) ? to : param);
    copy.params = params;
  });
  mod_ = with(mod_, [&](IRModuleNode& copy) { copy.functions.Set(index.name, next); });
}

std::unique_ptr<ScheduleState> ScheduleState::copy(std::unordered_map<const SRefNode*, SRef>& moved) const {
  auto result = std::make_unique<ScheduleState>(mod_);
  for (const auto& [name, index] : functions_) {
    auto clone = std::make_unique<FunctionIndex>();
    clone->name = index->name;
    clone->hides = index->hides;
    for (const auto& [stmt, sref] : index->srefs) {
      auto twin = std::make_shared<SRefNode>(*sref);
      moved[sref.get()] = twin;
      clone->srefs[stmt] = twin;
    }
    for (const auto& [stmt, twin] : clone->srefs) {
      if (twin->parent) twin->parent = moved.at(twin->parent).get();
    }
    clone->root = moved.at(index->root.get());
    result->functions_[name] = std::move(clone);
  }
  return result;
}

}  // namespace mlc::transform
