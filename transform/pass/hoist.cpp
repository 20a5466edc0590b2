// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/hoist.h"

#include <algorithm>

#include "transform/pass/fresh_binders.h"

namespace mlc::transform {
namespace {

using VarSet = std::unordered_set<const VarNode*>;

struct HoistedCondition {
  Expr condition;
  int64_t from;
  bool uses_block_var;
  VarSet bindings;  // that it needs
  bool has_else;
};
struct HoistedBinding {
  Var var;
  Expr value;
  int64_t from;
};
// A loop, or an attribute about a variable, and what goes before it.
struct Level {
  const VarNode* var;
  const StmtNode* stmt;
  bool is_loop;
  bool in_sequence = false;  // a condition inside is not one of the whole body
  std::vector<HoistedBinding> bindings;
  std::vector<HoistedCondition> conditions;
};
using Levels = std::unordered_map<const StmtNode*, Level>;

bool enabled(const HoistedCondition& one, const HoistOptions& options) {
  return (options.conditionals & one.from) &&
         (one.bindings.empty() ||
          (options.bindings & (HoistOptions::kRequiredByCondition | HoistOptions::kBind))) &&
         ((options.conditionals & HoistOptions::kUsingBlockVar) || !one.uses_block_var);
}

struct Collector final : Walker {
  const HoistOptions& options;
  const VarSet& stored;  // buffers that the function writes
  Levels done;
  explicit Collector(const HoistOptions& options, const VarSet& stored) : options(options), stored(stored) {}

  using Walker::visit;
  void visit(const Expr& e) override {
    if (e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr) {
      auto* two = as_binary(e);
      condition(two->a, HoistOptions::kBooleanExpression, true);
      condition(two->b, HoistOptions::kBooleanExpression, true);
    } else if (auto* choice = as_call_to(e, "tirx.if_then_else")) {
      condition(choice->args[0], HoistOptions::kIfElseExpr, true);
    } else if (auto* let = as<LetNode>(e)) {
      binding(let->var, let->value, HoistOptions::kLetExpr);
      walk_children(e);
      forget(let->var.get());
      return;
    }
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) return level(loop->loop_var.get(), s, true);
    if (auto* attr = as<AttrStmtNode>(s)) {
      if (auto iter = attr->node.as<IterVar>()) return level((*iter)->var.get(), s, false);
      if (auto var = attr->node.as<Var>()) return level((*var).get(), s, false);
    }
    if (auto* sequence = as<SeqStmtNode>(s)) {
      auto statements = std::count_if(sequence->seq.begin(), sequence->seq.end(),
                                      [](const Stmt& one) { return !as<BindNode>(one); });
      if (!active_.empty() && statements > 1) active_.back().in_sequence = true;
      walk_children(s);
      for (const Stmt& one : sequence->seq) {
        if (auto* bind = as<BindNode>(one)) forget(bind->var.get());
      }
      return;
    }
    // What a block's iterators are is known inside of it only.
    if (auto* block = as<SBlockNode>(s)) {
      VarSet around;
      for (const Level& level : active_) around.insert(level.var);
      for (const IterVar& iter : block->iter_vars) loops_of_[iter->var.get()] = around;
    }
    if (auto* bind = as<BindNode>(s)) binding(bind->var, bind->value, HoistOptions::kBind);
    auto* branch = as<IfThenElseNode>(s);
    if (branch) condition(branch->condition, HoistOptions::kIfElseStmt, static_cast<bool>(branch->else_case));
    // Where a condition inside of one case does not hold, the other case may run all the same.
    bool outside = two_cases_;
    two_cases_ = two_cases_ || (branch && branch->else_case);
    walk_children(s);
    two_cases_ = outside;
  }

 private:
  std::vector<Level> active_;
  VarSet block_vars_;
  bool two_cases_ = false;                                  // in a branch of a condition that has two
  std::unordered_map<const VarNode*, VarSet> loops_of_;     // of a name: the variables its value depends on
  std::unordered_map<const VarNode*, VarSet> bindings_of_;  // and the names

  void level(const VarNode* var, const Stmt& s, bool is_loop) {
    if (!is_loop) block_vars_.insert(var);
    active_.push_back({var, s.get(), is_loop});
    walk_children(s);
    done[s.get()] = std::move(active_.back());
    active_.pop_back();
    if (!is_loop) block_vars_.erase(var);
  }
  // Before which level the expression may go; null when it has to stay.
  Level* destination(const Expr& e) {
    for (size_t i = active_.size(); i-- > 0;) {
      const Level& level = active_[i];
      bool depends = uses_var(e, [&](const VarNode* var) {
        auto found = loops_of_.find(var);
        return var == level.var || (found != loops_of_.end() && found->second.contains(level.var));
      });
      bool closed = !level.is_loop && !(options.conditionals & HoistOptions::kUsingBlockVar);
      if (level.in_sequence || depends || closed) return i + 1 == active_.size() ? nullptr : &active_[i + 1];
    }
    return active_.empty() ? nullptr : &active_.front();
  }
  void condition(const Expr& e, int64_t from, bool has_else) {
    if (side_effect(e) > Effect::kPure) return;
    Level* to = destination(e);
    if (!to || to->in_sequence) return;
    bool uses_block_var = uses_var(e, [&](const VarNode* var) { return block_vars_.contains(var); });
    VarSet needed;
    for (const Var& var : free_vars(e)) {
      auto found = bindings_of_.find(var.get());
      if (found == bindings_of_.end()) continue;
      needed.insert(var.get());
      needed.insert(found->second.begin(), found->second.end());
    }
    to->conditions.push_back({e, from, uses_block_var, std::move(needed), has_else || two_cases_});
  }
  // What memory that is written here holds is known where it is read only.
  bool stays(const Expr& value) const {
    Effect effect = side_effect(value);
    return effect > Effect::kReadState || (effect > Effect::kPure && uses_var(value, [&](const VarNode* var) {
                                             return stored.contains(var);
                                           }));
  }
  void binding(const Var& var, const Expr& value, int64_t from) {
    VarSet loops, names;
    if (stays(value)) {
      for (const Level& level : active_) loops.insert(level.var);
    } else if (Level* to = destination(value); to && !to->in_sequence) {
      to->bindings.push_back({var, value, from});
    }
    for (const Var& used : free_vars(value)) {
      bool is_level = std::any_of(active_.begin(), active_.end(),
                                  [&](const Level& level) { return level.var == used.get(); });
      if (is_level) loops.insert(used.get());
      if (auto found = loops_of_.find(used.get()); found != loops_of_.end() && !is_level)
        loops.insert(found->second.begin(), found->second.end());
      if (auto found = bindings_of_.find(used.get()); found != bindings_of_.end()) {
        names.insert(used.get());
        names.insert(found->second.begin(), found->second.end());
      }
    }
    loops_of_[var.get()] = std::move(loops);
    bindings_of_[var.get()] = std::move(names);
  }
  void forget(const VarNode* var) {
    loops_of_.erase(var);
    bindings_of_.erase(var);
  }
};

struct Hoist final : Rewriter {
  const HoistOptions& options;
  const Levels& levels;
  VarSet moved;

  Hoist(const HoistOptions& options, const Levels& levels) : options(options), levels(levels) {
    VarSet collected, required;
    for (const auto& [stmt, level] : levels) {
      for (const HoistedBinding& one : level.bindings) {
        collected.insert(one.var.get());
        if (options.bindings & one.from) moved.insert(one.var.get());
      }
      if (!(options.bindings & HoistOptions::kRequiredByCondition)) continue;
      for (const HoistedCondition& one : level.conditions) {
        if (enabled(one, options)) required.insert(one.bindings.begin(), one.bindings.end());
      }
    }
    for (const VarNode* var : required) {
      if (collected.contains(var)) moved.insert(var);
    }
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    auto* let = as<LetNode>(e);
    return let && moved.contains(let->var.get()) ? rewrite(let->body) : rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* bind = as<BindNode>(s); bind && moved.contains(bind->var.get())) return no_op();
    Stmt next = rewrite_children(s);
    auto found = levels.find(s.get());
    return found == levels.end() ? next : before(next, found->second);
  }

 private:
  Stmt before(Stmt body, const Level& level) const {
    for (size_t i = level.conditions.size(); i-- > 0;) {
      const HoistedCondition& one = level.conditions[i];
      if (!enabled(one, options)) continue;
      Stmt otherwise = nullptr;
      if (one.has_else) otherwise = FreshBinders().rewrite(body);
      body = make<IfThenElseNode>(one.condition, body, otherwise);
    }
    Array<Stmt> stmts;
    for (const HoistedBinding& one : level.bindings) {
      if (moved.contains(one.var.get())) stmts.push_back(make<BindNode>(one.var, one.value));
    }
    if (stmts.empty()) return body;
    stmts.push_back(body);
    return seq(stmts);
  }
};

}  // namespace

Stmt hoist(const Stmt& body, const HoistOptions& options) {
  VarSet stored;
  post_order(body, nullptr, [&](const Stmt& s) {
    if (auto* store = as<BufferStoreNode>(s)) stored.insert(store->buffer.get());
  });
  Collector collector(options, stored);
  collector.visit(body);
  return Hoist(options, collector.done).rewrite(body);
}

}  // namespace mlc::transform
