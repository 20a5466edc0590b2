// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/stepper.h"

#include <algorithm>

namespace mlc::script {

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

bool Stepper::suspends(const Stmt* stmt) const {
  return std::find(info_.suspending.begin(), info_.suspending.end(), stmt) != info_.suspending.end();
}

void Stepper::open_for(State& state, const For& loop, Frame& f) {
  Any iterable = state.iterated(loop.iter, f);
  Level level{.kind = Level::Kind::kIterator, .block = loop.body, .at = loop.body.size(), .loop = &loop};
  if (auto* range = as<RangeNode>(iterable)) {
    level.kind = Level::Kind::kRange;
    level.value = range->start;
    level.left = range->size();
    level.source = std::move(iterable);
  } else if (iterable.type_index() == kTVMFFIList || iterable.type_index() == kTVMFFIArray) {
    level.kind = Level::Kind::kSequence;
    level.source = std::move(iterable);
  } else {
    level.source = state.self.iterate(iterable, loop.iter->span);
  }
  levels_.push_back(std::move(level));
}

// The next element of what a level walks.
bool Stepper::advance(State& state, Level& level, Words& out) {
  switch (level.kind) {
    case Level::Kind::kRange: {
      if (level.left <= 0) return false;
      --level.left;
      out = int_words(level.value);
      level.value += static_cast<const RangeNode*>(raw_object(level.source))->step;
      return true;
    }
    case Level::Kind::kSequence: {
      std::span<Any> all = elements(level.source);  // it may have grown or shrunk
      if (static_cast<size_t>(level.value) >= all.size()) return false;
      out = copy(all[static_cast<size_t>(level.value++)]);
      return true;
    }
    default: {
      Any value;
      ir::Span span = level.loop != nullptr ? static_cast<const For*>(level.loop)->iter->span : ir::Span();
      if (!state.self.next(level.source, value, span)) return false;
      out = give(std::move(value));
      return true;
    }
  }
}

bool Stepper::pass(State& state, Frame& f, Message message, Any& out) {
  Any source = levels_.back().source;
  if (resume_delegate(state.self, source, std::move(message), out, {})) return true;
  levels_.pop_back();
  if (const Expr* target = std::exchange(target_, nullptr)) state.store(target, std::move(out), f);
  return false;
}

// Nothing is left of the innermost block. True when there is a value to give.
bool Stepper::end_of_block(State& state, Frame& f, Words& out) {
  Level& level = levels_.back();
  switch (level.kind) {
    case Level::Kind::kBlock:
      levels_.pop_back();
      return false;
    case Level::Kind::kWhile: {
      auto& loop = static_cast<const While&>(*level.loop);
      state.check_interrupt(loop.test->span);
      if (state.test(loop.test, f)) {
        level.at = 0;
      } else {
        levels_.pop_back();
        open(Level::Kind::kBlock, loop.orelse);
      }
      return false;
    }
    case Level::Kind::kYieldFrom: {
      Any value;
      if (!pass(state, f, {}, value)) return false;
      out = give(std::move(value));
      return true;
    }
    default: {
      auto& loop = static_cast<const For&>(*level.loop);
      state.check_interrupt(loop.iter->span);
      Words value;
      if (!advance(state, level, value)) {
        levels_.pop_back();
        open(Level::Kind::kBlock, loop.orelse);
        return false;
      }
      level.at = 0;
      if (auto* name = syntax::as<Name>(loop.target)) {
        state.assign_name(*name, value, f);
      } else {
        state.store(loop.target, value, f);
      }
      return false;
    }
  }
}

// A `break` or `continue` that came out of a statement.
void Stepper::leave(Flow flow) {
  while (!levels_.back().is_loop()) levels_.pop_back();
  if (flow == Flow::kBreak) {
    levels_.pop_back();
  } else {
    levels_.back().at = levels_.back().block.size();
  }
}

bool Stepper::yield(State& state, const Expr* expr, const Expr* target, Frame& f, Words& out) {
  if (auto* all = syntax::as<YieldFrom>(expr)) {
    Any iterator = state.self.iterate(state.eval(all->value, f), all->span);
    open(Level::Kind::kYieldFrom, {});
    levels_.back().source = std::move(iterator);
    target_ = target;
    return false;
  }
  auto* one = static_cast<const Yield*>(expr);
  out = one->value == nullptr ? none_words() : state.run(one->value, f);
  target_ = target;
  return true;
}

bool Stepper::step(State& state, Frame& f, Any& sent, Words& out) {
  bool delegates = !levels_.empty() && levels_.back().kind == Level::Kind::kYieldFrom;
  if (target_ != nullptr && !delegates) {
    state.store(std::exchange(target_, nullptr), std::move(sent), f);
  }
  sent = nullptr;
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.at == level.block.size()) {
      if (end_of_block(state, f, out)) return true;
      continue;
    }
    const Stmt* stmt = level.block[level.at++];
    while (stmt->kind == StmtKind::kIf && suspends(stmt)) {
      auto* branch = static_cast<const If*>(stmt);
      Seq<Stmt> taken = state.test(branch->test, f) ? branch->body : branch->orelse;
      stmt = nullptr;
      if (taken.size() == 1) {
        stmt = taken[0];  // needs no block of its own
        continue;
      }
      if (taken.size() != 0) open(Level::Kind::kBlock, taken);
      break;
    }
    if (stmt == nullptr) continue;
    switch (stmt->kind) {
      case StmtKind::kExprStmt: {
        const Expr* value = static_cast<const ExprStmt*>(stmt)->value;
        if (value->kind != ExprKind::kYield && value->kind != ExprKind::kYieldFrom) break;
        if (yield(state, value, nullptr, f, out)) return true;
        continue;
      }
      case StmtKind::kAssign: {
        auto* assign = static_cast<const Assign*>(stmt);
        if (assign->value->kind != ExprKind::kYield && assign->value->kind != ExprKind::kYieldFrom) break;
        if (yield(state, assign->value, assign->targets[0], f, out)) return true;
        continue;
      }
      case StmtKind::kWhile: {
        if (!suspends(stmt)) break;
        auto* loop = static_cast<const While*>(stmt);
        open(Level::Kind::kWhile, loop->body, loop);
        levels_.back().at = loop->body.size();
        continue;
      }
      case StmtKind::kFor:
        if (!suspends(stmt)) break;
        open_for(state, static_cast<const For&>(*stmt), f);
        continue;
      default:
        break;
    }
    Flow flow = state.exec(stmt, f);
    if (flow == Flow::kReturn) {
      levels_.clear();
    } else if (flow != Flow::kNext) {
      leave(flow);
    }
  }
  return false;
}

}  // namespace mlc::script
