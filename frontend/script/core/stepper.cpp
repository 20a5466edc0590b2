// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/stepper.h"

namespace mlc::script {

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

void Stepper::begin(State& state, Walk& walk, const For& loop, Frame& f) {
  Any iterable = state.iterated(loop.iter, f);
  walk.kind = Walk::Kind::kIterator;
  walk.value = 0;
  if (auto* range = as<RangeNode>(iterable)) {
    walk.kind = Walk::Kind::kRange;
    walk.value = range->start;
    walk.left = range->size();
    walk.source = std::move(iterable);
  } else if (iterable.type_index() == kTVMFFIList || iterable.type_index() == kTVMFFIArray) {
    walk.kind = Walk::Kind::kSequence;
    walk.source = std::move(iterable);
  } else {
    walk.source = state.self.iterate(iterable, loop.iter->span);
  }
}

// The next element of what a `for` walks.
inline bool Stepper::advance(State& state, Walk& walk, const For& loop, RawValue& out) {
  switch (walk.kind) {
    case Walk::Kind::kRange: {
      if (walk.left <= 0) return false;
      --walk.left;
      out = raw_int(walk.value);
      walk.value += static_cast<const RangeNode*>(raw_object(walk.source))->step;
      return true;
    }
    case Walk::Kind::kSequence: {
      std::span<Any> all = elements(walk.source);  // it may have grown or shrunk
      if (static_cast<size_t>(walk.value) >= all.size()) return false;
      out = copy(all[static_cast<size_t>(walk.value++)]);
      return true;
    }
    default: {
      Any value;
      if (!state.self.next(walk.source, value, loop.iter->span)) return false;
      out = release(std::move(value));
      return true;
    }
  }
}

bool Stepper::pass(State& state, Frame& f, Message message, Any& out) {
  Any source = delegate_;
  if (resume_delegate(state.self, source, std::move(message), out, {})) return true;
  delegate_ = nullptr;
  const Expr* target = at_->target;
  at_ = at_->next;
  if (target != nullptr) state.store(target, std::move(out), f);
  return false;
}

void Stepper::end() {
  at_ = &program_.steps.front();
  delegate_ = nullptr;
  for (uint32_t i = program_.walks; i-- > 0;) walks_[i].source = nullptr;
}

bool Stepper::step(State& state, Frame& f, Any& sent, RawValue& out) {
  if (target_ != nullptr) state.store(std::exchange(target_, nullptr), std::move(sent), f);
  sent = nullptr;
  const Step* step = at_;
  for (;;) {
    switch (step->kind) {
      case StepProgram::Kind::kRun: {
        Flow flow = state.exec(step->stmt, f);
        if (flow == Flow::kNext) [[likely]] {
          step = step->next;
          continue;
        }
        if (flow == Flow::kReturn) {
          end();
          return false;
        }
        const StepProgram::Loop& loop = program_.loops[step->loop];
        step = flow == Flow::kBreak ? loop.on_break : loop.on_continue;
        if (flow == Flow::kBreak && loop.walk != StepProgram::kNone) walks_[loop.walk].source = nullptr;
        continue;
      }
      case StepProgram::Kind::kYield:
        out = step->expr == nullptr ? raw_none() : state.run(step->expr, f);
        target_ = step->target;
        at_ = step->next;
        return true;
      case StepProgram::Kind::kDelegate: {
        auto& all = static_cast<const YieldFrom&>(*step->expr);
        delegate_ = state.self.iterate(state.eval(all.value, f), all.span);
        step = step->next;
        continue;
      }
      case StepProgram::Kind::kPass: {
        at_ = step;
        Any value;
        if (pass(state, f, {}, value)) {
          out = release(std::move(value));
          return true;
        }
        step = at_;
        continue;
      }
      case StepProgram::Kind::kTest:
        if (step->loops) state.check_interrupt(step->expr->span);
        step = state.test(step->expr, f) ? step->next : step->other;
        continue;
      case StepProgram::Kind::kWalk:
        begin(state, walks_[step->loop], static_cast<const For&>(*step->stmt), f);
        step = step->next;
        continue;
      case StepProgram::Kind::kNext: {
        auto& loop = static_cast<const For&>(*step->stmt);
        state.check_interrupt(loop.iter->span);
        RawValue value;
        if (!advance(state, walks_[step->loop], loop, value)) {
          walks_[step->loop].source = nullptr;
          step = step->other;
          continue;
        }
        if (auto* name = syntax::as<Name>(step->target)) {
          state.assign_name(*name, value, f);
        } else {
          state.store(step->target, value, f);
        }
        step = step->next;
        continue;
      }
      case StepProgram::Kind::kEnd:
        at_ = step;
        return false;
    }
  }
}

}  // namespace mlc::script
