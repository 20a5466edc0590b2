// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/state.h"

#include <unordered_set>

#include "ir/core/try_get.h"
#include "transform/schedule/analysis.h"

namespace mlc::transform {
namespace {

bool has_place(const Stmt& s) { return s->kind == StmtKind::kFor || s->kind == StmtKind::kSBlock; }

String name_of(const Stmt& s) {
  if (auto* loop = as<ForNode>(s)) return loop->loop_var->name;
  return as<SBlockNode>(s)->name_hint;
}

// Calls `enter` on each loop and block, outermost first; goes below one when `enter` says so.
class EachPlace final : public Walker {
 public:
  explicit EachPlace(std::function<bool(const Stmt&)> enter) : enter_(std::move(enter)) {}
  void visit(const Expr&) override {}
  void visit(const Stmt& s) override {
    if (!has_place(s) || enter_(s)) walk_children(s);
  }

 private:
  std::function<bool(const Stmt&)> enter_;
};

// Replaces one direct descendant of a loop or block; does not look below other loops and blocks.
class ReplaceChild final : public Rewriter {
 public:
  ReplaceChild(const StmtNode* old, const Stmt& next) : old_(old), next_(next) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (s.get() == old_) return next_;
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      // A block that is replaced by something else takes its realize with it.
      if (realize->block.get() == old_ && next_->kind != StmtKind::kSBlock) return next_;
      if (realize->block.get() != old_) return s;
    }
    return has_place(s) ? s : rewrite_children(s);
  }

 private:
  const StmtNode* old_;
  const Stmt& next_;
};

}  // namespace

PrimFunc ScheduleState::function(const GlobalVar& name) const {
  auto found = mod_->functions.find(name);
  MLC_CHECK(found != mod_->functions.end(), "function `{}` is not in the module", name->name_hint.c_str());
  auto fn = ir::given<PrimFunc>((*found).second);
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
    throw Error("not-schedulable", "function `{}` has no blocks, so there is nothing to schedule",
                name->name_hint.c_str())
        .kind("ScheduleError")
        .note("the function is defined here", fn->span)
        .help("write its computations as blocks: `with T.sblock(\"name\"):`");
  }
  auto index = std::make_unique<FunctionIndex>();
  index->name = name;
  slot = std::move(index);
  add_places(*slot, realize->block, nullptr);
  slot->root = slot->places.at(realize->block.get());
  compute_flags(*this, *slot->root);
  return *slot;
}

void ScheduleState::add_places(FunctionIndex& index, const Stmt& stmt, Place* parent) {
  auto place = std::make_shared<Place>();
  place->stmt = stmt;
  place->parent = parent;
  place->name = name_of(stmt);
  index.places[stmt.get()] = place;
  EachPlace([&](const Stmt& s) {
    add_places(index, s, place.get());
    return false;
  }).walk_children(stmt);
}

FunctionIndex& ScheduleState::index_of(const Place& place) {
  const Place* top = &place;
  while (top->parent) top = top->parent;
  for (auto& [name, index] : functions_) {
    if (index->root.get() == top) return *index;
  }
  throw InternalError(__FILE__, __LINE__, "a place without a function");
}

PlaceRef ScheduleState::find(const StmtNode* stmt) {
  for (auto& [name, index] : functions_) {
    auto found = index->places.find(stmt);
    if (found != index->places.end()) return found->second;
  }
  return nullptr;
}

void ScheduleState::replace(Place& at, const Stmt& next, const BlockReuse& reuse,
                            std::string_view primitive) {
  FunctionIndex& index = index_of(at);
  if (next.same_as(at.stmt)) return;
  // What stays as it is, and what is new.
  std::unordered_set<const StmtNode*> kept;
  std::vector<std::pair<Stmt, const StmtNode*>> fresh;  // with the loop or block around it
  std::vector<std::pair<PlaceRef, const StmtNode*>> moved;
  auto collect_new = [&](auto& self, const Stmt& s, const StmtNode* parent) -> void {
    EachPlace walk([&](const Stmt& below) {
      auto known = index.places.find(below.get());
      if (known != index.places.end()) {
        kept.insert(below.get());
        moved.emplace_back(known->second, parent);
        return false;
      }
      fresh.emplace_back(below, parent);
      self(self, below, below.get());
      return false;
    });
    parent == s.get() ? walk.walk_children(s) : walk.visit(s);
  };
  collect_new(collect_new, next, nullptr);
  std::vector<PlaceRef> gone;
  auto collect_old = [&](auto& self, const Stmt& s, bool inside) -> void {
    EachPlace walk([&](const Stmt& below) {
      if (kept.contains(below.get())) return false;
      gone.push_back(index.places.at(below.get()));
      self(self, below, true);
      return false;
    });
    inside ? walk.walk_children(s) : walk.visit(s);
  };
  collect_old(collect_old, at.stmt, false);

  // The statements on the way up.
  std::vector<std::pair<Place*, Stmt>> path;
  const StmtNode* old = at.stmt.get();
  Stmt changed = next;
  for (Place* up = at.parent; up; up = up->parent) {
    Stmt copy = ReplaceChild(old, changed).rewrite_children(up->stmt);
    old = up->stmt.get();
    changed = copy;
    path.emplace_back(up, copy);
  }
  PrimFunc fn = function(index.name);
  Stmt body = ReplaceChild(old, changed).rewrite(fn->body);
  PrimFunc next_fn = with(fn, [&](PrimFuncNode& copy) { copy.body = body; });

  // From here on nothing fails.
  std::unordered_map<const StmtNode*, PlaceRef> successors;
  auto take = [&](const PlaceRef& place, const Stmt& as_now) { successors[as_now.get()] = place; };
  std::vector<bool> taken(gone.size());
  for (const auto& [before, after] : reuse) {
    for (size_t i = 0; i < gone.size(); ++i) {
      if (taken[i] || gone[i]->stmt.get() != before) continue;
      successors[after] = gone[i];
      taken[i] = true;
    }
  }
  for (const auto& [stmt, parent] : fresh) {
    if (successors.contains(stmt.get())) continue;
    for (size_t i = 0; i < gone.size(); ++i) {
      if (taken[i] || gone[i]->stmt->kind != stmt->kind) continue;
      auto *loop = as<ForNode>(stmt), *was = gone[i]->loop();
      bool same = loop ? loop->loop_var.same_as(was->loop_var)
                       : as<SBlockNode>(stmt)->name_hint == gone[i]->block()->name_hint;
      if (!same) continue;
      take(gone[i], stmt);
      taken[i] = true;
      break;
    }
  }
  for (const PlaceRef& place : gone) index.places.erase(place->stmt.get());
  for (const auto& [place, stmt] : path) {
    auto node = index.places.extract(place->stmt.get());
    place->stmt = stmt;
    node.key() = stmt.get();
    index.places.insert(std::move(node));
  }
  for (size_t i = 0; i < gone.size(); ++i) {
    if (taken[i]) continue;
    gone[i]->removed_by = std::string(primitive);
    gone[i]->stmt = nullptr;
    gone[i]->parent = nullptr;
  }
  Place* around = path.empty() ? nullptr : path.front().first;
  auto place_of = [&](const StmtNode* stmt) -> Place* { return stmt ? index.places.at(stmt).get() : around; };
  for (const auto& [stmt, parent] : fresh) {  // outermost first, so parents are there
    auto successor = successors.find(stmt.get());
    PlaceRef place = successor != successors.end() ? successor->second : std::make_shared<Place>();
    place->stmt = stmt;
    place->name = name_of(stmt);
    place->parent = place_of(parent);
    index.places[stmt.get()] = place;
  }
  for (const auto& [place, parent] : moved) place->parent = place_of(parent);
  if (index.hides) {
    std::unordered_set<const StmtNode*> built;
    for (const auto& [stmt, parent] : fresh) built.insert(stmt.get());
    for (const auto& [stmt, place] : index.places) {
      const Place* scope = place->parent;
      while (scope && !scope->block()) scope = scope->parent;
      if (place->told && scope && built.contains(scope->stmt.get())) place->told = nullptr;
    }
  }
  if (auto* realize = as<SBlockRealizeNode>(body)) index.root = index.places.at(realize->block.get());
  mod_ = with(mod_, [&](IRModuleNode& copy) { copy.functions.Set(index.name, next_fn); });
}

void ScheduleState::replace_param(const Place& place, const Buffer& from, const Buffer& to) {
  FunctionIndex& index = index_of(place);
  PrimFunc fn = function(index.name);
  PrimFunc next = with(fn, [&](PrimFuncNode& copy) {
    Array<Var> params;
    for (const Var& param : fn->params) params.push_back(param.same_as(from) ? to : param);
    copy.params = params;
  });
  mod_ = with(mod_, [&](IRModuleNode& copy) { copy.functions.Set(index.name, next); });
}

std::unique_ptr<ScheduleState> ScheduleState::copy(std::unordered_map<const Place*, PlaceRef>& moved) const {
  auto result = std::make_unique<ScheduleState>(mod_);
  for (const auto& [name, index] : functions_) {
    auto clone = std::make_unique<FunctionIndex>();
    clone->name = index->name;
    clone->hides = index->hides;
    for (const auto& [stmt, place] : index->places) {
      auto twin = std::make_shared<Place>(*place);
      moved[place.get()] = twin;
      clone->places[stmt] = twin;
    }
    for (const auto& [stmt, twin] : clone->places) {
      if (twin->parent) twin->parent = moved.at(twin->parent).get();
    }
    clone->root = moved.at(index->root.get());
    result->functions_[name] = std::move(clone);
  }
  return result;
}

}  // namespace mlc::transform
