// SPDX-License-Identifier: Apache-2.0
// Comprehensions run in the frame around them, their variables in slots of their own. Generator expressions
// are lazy: an object that keeps its slots and its iterators.
#include <array>
#include <span>

#include "frontend/script/core/captured_scope.h"
#include "frontend/script/core/generator.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "generator-running", .message = "generator already executing"},
    }};
MLC_REFUSALS(core_comprehension, refusals);

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

namespace {

void fresh_cells(const Expr* target, Frame& f) {
  switch (target->kind) {
    case ExprKind::kName: {
      auto* name = static_cast<const Name*>(target);
      if (storage_of(name->resolved) == Storage::kCell) {
        f.slots[index_of(name->resolved)] = Any(ir::make<CellNode>(unbound()));
      }
      break;
    }
    case ExprKind::kStarred:
      fresh_cells(static_cast<const Starred*>(target)->value, f);
      break;
    case ExprKind::kTuple:
      for (const Expr* e : static_cast<const syntax::Tuple*>(target)->elts) fresh_cells(e, f);
      break;
    case ExprKind::kList:
      for (const Expr* e : static_cast<const syntax::List*>(target)->elts) fresh_cells(e, f);
      break;
    default:
      break;
  }
}

// Runs `emit` for each combination of the loops.
template <class F>
struct Loops {
  State& state;
  Frame& f;
  Seq<Comprehension> generators;
  F& emit;

  bool passes(const Comprehension& c) {
    for (const Expr* condition : c.ifs) {
      if (!state.test(condition, f)) return false;
    }
    return true;
  }
  void step(size_t level, Any value) {
    const Comprehension& c = *generators[level];
    if (auto* name = syntax::as<Name>(c.target)) {
      state.assign_name(*name, release(std::move(value)), f);
    } else {
      state.store(c.target, std::move(value), f);
    }
    if (!passes(c)) return;
    if (level + 1 == generators.size()) {
      emit();
    } else {
      run(level + 1, state.iterated(generators[level + 1]->iter, f));
    }
  }
  void run(size_t level, Any iterable) {
    const Comprehension& c = *generators[level];
    if (auto* range = as<RangeNode>(iterable)) {
      int64_t count = range->size();
      for (int64_t i = 0; i < count; ++i) {
        state.check_interrupt(c.iter->span);
        step(level, range->at(i));
      }
      return;
    }
    if (iterable.type_index() == kTVMFFIList || iterable.type_index() == kTVMFFIArray) {
      for (size_t i = 0; i < elements(iterable).size(); ++i) step(level, elements(iterable)[i]);
      return;
    }
    Any iterator = state.self.iterate(iterable, c.iter->span);
    Any value;
    while (state.self.next(iterator, value, c.iter->span)) {
      state.check_interrupt(c.iter->span);
      step(level, std::move(value));
    }
  }
};

// In a class body only the first iterable sees the names of the class: the rest is a function of its own.
template <class F>
[[gnu::noinline]] void run_in_class(State& state, Frame& f, Seq<Comprehension> generators, const Expr* a,
                                    const Expr* b, F& emit) {
  Frame* around = state.function_frame(f);
  const FunctionInfo* info =
      state.resolver.comprehension_of_class(generators, a, b, state.function_info(f), f.module);
  Any first = state.iterated(generators[0]->iter, f);
  State::Mark mark(state);
  for (uint32_t i = 0; i < info->slots; ++i) state.push(raw_unbound());
  for (uint32_t slot : info->cells) mark.base[slot] = Any(ir::make<CellNode>(unbound()));
  for (const FunctionInfo::Free& free : info->free_variables)
    mark.base[free.slot] = around->slots[index_of(free.outer)];
  Frame inner;
  inner.info = info;
  inner.slots = mark.base;
  inner.module = f.module;
  inner.back = state.frame;
  inner.function = f.function;
  Loops<F> loops{state, inner, generators, emit};
  emit.frame = &inner;
  loops.run(0, std::move(first));
}

template <class F>
void run_loops(State& state, Frame& f, Seq<Comprehension> generators, uint32_t resolved, const Expr* a,
               const Expr* b, F&& emit) {
  if (resolved == 2) {
    for (const Comprehension* c : generators) fresh_cells(c->target, f);
  }
  if (resolved == 0 && f.cls != nullptr) return run_in_class(state, f, generators, a, b, emit);
  // Where names are looked up as they run, the variables hide others until the end.
  if (resolved == 0) {
    Frame inner;
    inner.dynamic = true;
    inner.outer = &f;
    inner.module = f.module;
    inner.info = nullptr;
    inner.function = f.function;
    inner.generator = f.generator;
    Loops<F> loops{state, inner, generators, emit};
    emit.frame = &inner;
    loops.run(0, state.iterated(generators[0]->iter, f));
    return;
  }
  emit.frame = &f;
  Loops<F> loops{state, f, generators, emit};
  loops.run(0, state.iterated(generators[0]->iter, f));
}

template <class F>
struct Emit {
  F body;
  Frame* frame = nullptr;
  void operator()() { body(*frame); }
};
template <class F>
Emit<F> emit_with(F body) {
  return Emit<F>{std::move(body)};
}

struct GeneratorExpression final : GeneratorBase {
  std::array<Any, 6> few;  // what most need, without memory of their own
  std::vector<Any> many;
  std::span<Any> slots;
  size_t open = 1;  // so many levels have their iterator in its slot
  Frame f;

  GeneratorExpression(Ref<FunctionNode> function, Any first) : GeneratorBase(std::move(function)) {
    const FunctionInfo& info = *fn->info;
    if (info.slots > few.size()) many.resize(info.slots);
    slots = {info.slots > few.size() ? many.data() : few.data(), info.slots};
    for (Any& slot : slots) slot = unbound();
    for (uint32_t slot : info.cells) slots[slot] = Any(ir::make<CellNode>(unbound()));
    for (size_t i = 0; i < info.free_variables.size(); ++i) slots[info.free_variables[i].slot] = fn->cells[i];
    slots[0] = std::move(first);
    f.info = &info;
    f.slots = slots.data();
    f.module = const_cast<ModuleNode*>(fn->module.get());
    f.function = fn.get();
  }
  void forget() override {
    for (Any& slot : slots) slot.reset();
  }

  bool next(Evaluator& evaluator, Any& out) override {
    if (phase == Phase::kDone) return false;
    if (phase == Phase::kRunning) raise(refusals["generator-running"], {});
    phase = Phase::kRunning;
    State& state = evaluator.state();
    const FunctionInfo& info = *fn->info;
    const auto& generators = info.generator->generators;
    size_t level = open - 1;
    try {
      for (;;) {
        Any value;
        const Comprehension& c = *generators[level];
        if (!evaluator.next(slots[level], value, c.iter->span)) {
          open = level;
          slots[level] = nullptr;
          if (level == 0) {
            phase = Phase::kDone;
            return false;
          }
          --level;
          continue;
        }
        if (auto* name = syntax::as<Name>(c.target)) {
          state.assign_name(*name, release(std::move(value)), f);
        } else {
          state.store(c.target, std::move(value), f);
        }
        bool passes = true;
        for (const Expr* condition : c.ifs) passes = passes && state.test(condition, f);
        if (!passes) continue;
        if (level + 1 == generators.size()) {
          out = state.eval(info.generator->elt, f);
          phase = Phase::kSuspended;
          return true;
        }
        ++level;
        slots[level] =
            evaluator.iterate(state.iterated(generators[level]->iter, f), generators[level]->iter->span);
        open = level + 1;
      }
    } catch (ir::Error& error) {
      phase = Phase::kDone;
      // The first one is an argument, which lives as long as the exception knows the frame.
      for (size_t inner = generators.size(); inner-- > 1;) slots[inner].reset();
      stopped_inside(state, error);
      throw;
    } catch (...) {
      phase = Phase::kDone;
      throw;
    }
  }
  // It waits at no `yield` that could take a value or handle an exception.
  bool resume(Evaluator& evaluator, Message message, Any& out) override {
    if (is_none(message.thrown)) return next(evaluator, out);
    phase = Phase::kDone;
    forget();
    throw_given(evaluator.state(), message.thrown);
  }
};

}  // namespace

Any State::list_comprehension(const ListComp& expr, Frame& f) {
  List result;
  auto emit = emit_with([&](Frame& inner) { result.emplace_back(eval(expr.elt, inner)); });
  run_loops(*this, f, expr.generators, expr.resolved, expr.elt, nullptr, emit);
  return result;
}
Any State::set_comprehension(const SetComp& expr, Frame& f) {
  Ref<SetNode> result = ir::make<SetNode>();
  auto emit =
      emit_with([&](Frame& inner) { const_cast<SetNode*>(result.get())->add(self, eval(expr.elt, inner)); });
  run_loops(*this, f, expr.generators, expr.resolved, expr.elt, nullptr, emit);
  return Any(result);
}
Any State::dict_comprehension(const DictComp& expr, Frame& f) {
  Dict result;
  auto emit = emit_with([&](Frame& inner) {
    Any key = eval(expr.key, inner);
    dict_set(self, result, key, eval(expr.value, inner), expr.key->span);
  });
  run_loops(*this, f, expr.generators, expr.resolved, expr.key, expr.value, emit);
  return result;
}

Any State::generator_expression(const GeneratorExp& expr, Frame& f) {
  Any first = self.iterate(iterated(expr.generators[0]->iter, f), expr.generators[0]->iter->span);
  const FunctionInfo* info;
  if (expr.resolved != 0) {
    info = resolver.info(expr.resolved);
  } else if (f.cls != nullptr) {
    info = resolver.generator_of_class(expr, function_info(f), f.module, f.cls->name);
  } else {
    info = resolver.generator(expr, f.module, captured_names(*this, resolver.free_names(expr), f));
  }
  static const syntax::Arguments no_arguments{};
  // Most are made again and again, in a loop, and capture nothing: their function is the same.
  static thread_local auto& last = *new Any;
  Any owner = f.cls != nullptr        ? Any(ir::ref(f.cls))
              : f.function != nullptr ? f.function->owner
                                      : Any(nullptr);
  auto* known = as<FunctionNode>(last);
  bool again = known != nullptr && known->info == info && known->module.get() == f.module &&
               known->owner.same_as(owner);
  Any fn = again ? last : make_function(info, no_arguments, f);
  if (info->free_variables.empty()) last = fn;
  return make_iterator<GeneratorExpression>(ir::ref(as<FunctionNode>(fn)), std::move(first));
}

}  // namespace mlc::script
