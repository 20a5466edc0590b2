// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>

#include <algorithm>

#include "frontend/script/core/generator.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/types/arithmetic.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "no-deleter",
         .kind = "AttributeError",
         .message = "property '{}' of '{}' object has no deleter",
         .meaning = "A property is deleted by a function of its own, which this one has not."},
        {.name = "no-item-deletion",
         .message = "'{}' object does not support item deletion",
         .meaning = "Elements of this type stay where they are.",
         .wrong = R"(t = (1, 2)
del t[0])",
         .right = R"(t = [1, 2]
del t[0])"},
        {.name = "not-a-context-manager",
         .message = "'{}' object does not support the context manager protocol{}",
         .meaning = "`with` needs an object with `__enter__` and `__exit__`.",
         .wrong = R"(with 5:
    pass)",
         .right = R"(import contextlib
with contextlib.nullcontext(5):
    pass)"},
        {.name = "not-a-target",
         .kind = "SyntaxError",
         .meaning = "A value cannot be assigned to a call, a literal or a sum."},
        {.name = "not-an-exception",
         .meaning = "Only exceptions can be raised.",
         .wrong = "raise 5",
         .right = R"(try:
    raise ValueError(5)
except ValueError:
    pass)"},
        {.name = "not-an-exception-class",
         .message = "catching classes that do not inherit from BaseException is not allowed",
         .meaning = "`except` names classes of exceptions.",
         .wrong = R"(try:
    1 // 0
except 5:
    pass)",
         .right = R"(try:
    1 // 0
except ZeroDivisionError:
    pass)"},
        {.name = "nothing-to-raise",
         .kind = "RuntimeError",
         .message = "No active exception to reraise",
         .meaning = "A bare `raise` raises again what an `except` has caught.",
         .wrong = "raise",
         .right = R"(try:
    try:
        1 // 0
    except ZeroDivisionError:
        raise
except ZeroDivisionError:
    pass)"},
        {.name = "unpack-mismatch",
         .kind = "ValueError"},
    }};
MLC_REFUSALS(core_evaluate_stmt, refusals);

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

void State::store_name(Symbol name, uint32_t resolved, Any value, Frame& f) {
  switch (storage_of(resolved)) {
    case Storage::kLocal:
      f.slots[index_of(resolved)] = std::move(value);
      return;
    case Storage::kCell:
      static_cast<CellNode*>(raw_object(f.slots[index_of(resolved)]))->value = std::move(value);
      return;
    case Storage::kGlobal:
      f.module->slots[index_of(resolved)].value = std::move(value);
      return;
    case Storage::kDynamic:
      break;
  }
  for (size_t i = f.locals.size(); i-- > 0;) {
    if (f.locals[i].first == name) {
      f.locals[i].second = std::move(value);
      return;
    }
  }
  if (f.cls != nullptr) {
    f.cls->set(name, std::move(value));
  } else if (f.dynamic) {
    f.locals.emplace_back(name, std::move(value));
  } else if (f.info != nullptr && f.info->names.contains(name)) {
    store_name(name, f.info->names.at(name), std::move(value), f);
  } else {
    f.module->set(name, std::move(value));
  }
}

uint32_t State::place_of(Symbol name, Frame& f) {
  if (f.dynamic) return 0;
  if (f.info != nullptr) {
    auto found = f.info->names.find(name);
    if (found != f.info->names.end()) return found->second;
  }
  return place(Storage::kGlobal, f.module->slot_of(name));
}

[[gnu::noinline]] void State::store_attribute(const Attribute& target, RawValue value, Frame& f) {
  OwnedValue owner(value);
  OwnedValue object = fetch(target.value, f);
  set_attribute(borrow(object.words), target, owner);
}
[[gnu::noinline]] void State::store_item(const Subscript& target, RawValue value, Frame& f) {
  OwnedValue owner(value);
  OwnedValue object = fetch(target.value, f);
  if (code_of(&target) == Code::kSubscript) {
    OwnedValue index = fetch(target.slice, f);
    set_item(borrow(object.words), borrow(index.words), owner, target.span);
  } else {
    self.set_subscript(borrow(object.words), eval_slice(target.slice, f), borrow(value), target.span);
  }
}
[[gnu::noinline]] void State::store_elements(const Expr* target, RawValue value, Frame& f) {
  OwnedValue owner(value);
  if (auto* tuple = syntax::as<syntax::Tuple>(target)) {
    unpack(tuple->elts, borrow(value), target->span, f);
  } else if (auto* list = syntax::as<syntax::List>(target)) {
    unpack(list->elts, borrow(value), target->span, f);
  } else {
    raise_as(refusals["not-a-target"], target->span, "cannot assign to this expression");
  }
}

// Takes the reference of `value`.
void State::store(const Expr* target, RawValue value, Frame& f) {
  switch (target->kind) {
    case ExprKind::kName:
      return assign_name(static_cast<const Name&>(*target), value, f);
    case ExprKind::kAttribute:
      return store_attribute(static_cast<const Attribute&>(*target), value, f);
    case ExprKind::kSubscript:
      return store_item(static_cast<const Subscript&>(*target), value, f);
    default:
      return store_elements(target, value, f);
  }
}

void State::set_item(const Any& object, const Any& index, OwnedValue& value, ir::Span span) {
  if (object.type_index() == kTVMFFIList && is_int(index)) {
    std::span<Any> all = elements(object);
    int64_t i = raw_int(index);
    if (i < 0) i += static_cast<int64_t>(all.size());
    if (i >= 0 && i < static_cast<int64_t>(all.size())) [[likely]]
      return put(all[static_cast<size_t>(i)], value.release());
  }
  self.set_subscript(object, index, borrow(value.words), span);
}

void State::set_attribute(const Any& object, const Attribute& attribute, OwnedValue& value) {
  if (object.type_index() == instance_type) {
    auto* instance = static_cast<InstanceNode*>(raw_object(object));
    if (instance->cls->find(attribute.attr) == nullptr && instance->cls->find(known().setattr) == nullptr) {
      if (Any* own = instance->own(attribute.attr, attribute.place)) return put(*own, value.release());
      bool plain = !instance->cls->slotted && is_none(instance->dict);
      if (plain && attribute.attr != known().cls && attribute.attr != known().dict) [[likely]]
        return instance->add(attribute.attr, take(value.release()));
    }
  }
  self.set_attribute(object, attribute.attr, borrow(value.words),
                     attribute.attr_span ? attribute.attr_span : attribute.span);
}

bool State::iterable(const Any& value) {
  if (is_none(value) || is_int(value) || is_bool(value) || is_float(value)) return false;
  if (auto* instance = as<InstanceNode>(value)) {
    if (instance->cls->find(known().iter) != nullptr || instance->cls->find(known().getitem) != nullptr)
      return true;
    return !is_none(instance->payload) && iterable(instance->payload);
  }
  if (auto* cls = as<ClassNode>(value))
    return cls->metaclass && cls->metaclass->find(known().iter) != nullptr;  // the members of an Enum
  return as<FunctionNode>(value) == nullptr && as<BuiltinNode>(value) == nullptr &&
         as<ModuleNode>(value) == nullptr;
}

// As many as are there, but no more than `most`: an iterator without an end is not walked to it.
std::vector<Any> State::first_elements(const Any& value, size_t most, ir::Span span) {
  if (value_as_iterator(value) == nullptr && as<InstanceNode>(value) == nullptr)
    return self.elements_of(value, span);
  std::vector<Any> values;
  Any iterator = self.iterate(value, span);
  Any each;
  while (values.size() < most && self.next(iterator, each, span)) values.push_back(std::move(each));
  return values;
}

void State::unpack(Seq<Expr> targets, const Any& value, ir::Span span, Frame& f) {
  // A pair is the usual case.
  if ((value.type_index() == kTVMFFIArray || value.type_index() == kTVMFFIList) && targets.size() == 2 &&
      elements(value).size() == 2 && targets[0]->kind != ExprKind::kStarred &&
      targets[1]->kind != ExprKind::kStarred) {
    std::span<Any> pair = elements(value);
    OwnedValue second(copy(pair[1]));
    store(targets[0], copy(pair[0]), f);
    store(targets[1], second.release(), f);
    return;
  }
  bool starred = false;
  for (const Expr* target : targets) starred = starred || target->kind == ExprKind::kStarred;
  if ((value.type_index() == kTVMFFIArray || value.type_index() == kTVMFFIList) && !starred &&
      elements(value).size() == targets.size()) {
    Mark mark(*this);
    for (const Any& each : elements(value)) push(copy(each));
    for (size_t i = 0; i < targets.size(); ++i)
      store(targets[i], std::exchange(raw_of(mark.base[i]), raw_none()), f);
    return;
  }
  std::vector<Any> values;
  if (!iterable(value)) {
    raise("TypeError", span, "not-iterable", "cannot unpack non-iterable {} object",
          type_name_of(self, value));
  }
  values = starred ? self.elements_of(value, span) : first_elements(value, targets.size() + 1, span);
  size_t star = targets.size();
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]->kind == ExprKind::kStarred) star = i;
  }
  if (star == targets.size()) {
    if (values.size() > targets.size()) {
      if (value_as_iterator(value) != nullptr || as<InstanceNode>(value) != nullptr) {
        raise_as(refusals["unpack-mismatch"], span, "too many values to unpack (expected {})",
                 targets.size());
      }
      throw ir::refuse_as(refusals["unpack-mismatch"], "too many values to unpack (expected {})",
                          targets.size())
          .at(span)
          .note(fmt::format("the right side has {} values", values.size()));
    }
    if (values.size() < targets.size()) {
      raise_as(refusals["unpack-mismatch"], span, "not enough values to unpack (expected {}, got {})",
               targets.size(), values.size());
    }
    for (size_t i = 0; i < targets.size(); ++i) store(targets[i], std::move(values[i]), f);
    return;
  }
  if (values.size() + 1 < targets.size()) {
    raise_as(refusals["unpack-mismatch"], span, "not enough values to unpack (expected at least {}, got {})",
             targets.size() - 1, values.size());
  }
  size_t behind = targets.size() - star - 1;
  for (size_t i = 0; i < star; ++i) store(targets[i], std::move(values[i]), f);
  store(static_cast<const Starred*>(targets[star])->value,
        List(values.begin() + static_cast<ptrdiff_t>(star), values.end() - static_cast<ptrdiff_t>(behind)),
        f);
  for (size_t i = 0; i < behind; ++i)
    store(targets[star + 1 + i], std::move(values[values.size() - behind + i]), f);
}

void State::remove_name(Symbol name, uint32_t resolved, Frame& f, ir::Span span) {
  Any* place = nullptr;
  switch (storage_of(resolved)) {
    case Storage::kLocal:
      place = &f.slots[index_of(resolved)];
      break;
    case Storage::kCell:
      place = &static_cast<CellNode*>(raw_object(f.slots[index_of(resolved)]))->value;
      break;
    case Storage::kGlobal:
      place = &f.module->slots[index_of(resolved)].value;
      break;
    case Storage::kDynamic:
      if (f.cls != nullptr) {
        if (f.cls->erase(name)) return;
      }
      break;
  }
  if (place == nullptr || is_unbound(*place)) undefined(name, f, span);
  *place = unbound();
}

// `del object[index]`.
void State::remove_item(const Any& object, const Any& index, ir::Span span, ir::Span index_span) {
  if (object.type_index() == kTVMFFIDict) {
    if (!dict_remove(self, object, index, span)) key_error(self, index, index_span, object);
    return;
  }
  if (object.type_index() == kTVMFFIList) {
    auto* list = static_cast<ffi::ListObj*>(raw_object(object));
    if (auto* slice = as<SliceNode>(index)) {
      SliceBounds bounds = slice_bounds(self, *slice, static_cast<int64_t>(list->size()), span);
      std::vector<Any> kept;
      std::vector<bool> gone(list->size());
      for (int64_t i = 0; i < bounds.count; ++i)
        gone[static_cast<size_t>(bounds.start + i * bounds.step)] = true;
      for (size_t i = 0; i < list->size(); ++i) {
        if (!gone[i]) kept.push_back((*list)[static_cast<int64_t>(i)]);
      }
      object.cast<List>().Assign(kept.begin(), kept.end());
      return;
    }
    int64_t i = index_value(self, index, index_span, "list indices");
    int64_t size = static_cast<int64_t>(list->size());
    if (i < 0) i += size;
    if (i < 0 || i >= size) {
      raise("IndexError", span, "index-out-of-range", "list assignment index out of range");
    }
    list->erase(i);
    return;
  }
  Any args[] = {index};
  Any ignored;
  if (special(object, known().delitem, args, ignored, span) ||
      registered(object, "__delitem__", args, ignored, span))
    return;
  raise(refusals["no-item-deletion"], span, type_name_of(self, object));
}

// `del object.name`.
void State::remove_attribute(const Any& object, Symbol name, ir::Span span, bool hooked) {
  if (auto* instance = as<InstanceNode>(object)) {
    Any argument = str_value(name.str()), ignored;
    if (hooked && instance->cls->find(known().delattr) != nullptr &&
        special(object, known().delattr, std::span<const Any>(&argument, 1), ignored, span)) {
      return;
    }
    const Any* member = instance->cls->find(name);
    if (auto* property = member == nullptr ? nullptr : as<PropertyNode>(*member)) {
      if (is_none(property->deleter)) {
        raise(refusals["no-deleter"], span, name.str(), instance->cls->name);
      }
      call_values(property->deleter, {object}, span);
      return;
    }
    if (instance->erase(name)) return;
  } else if (auto* cls = as<ClassNode>(object); cls != nullptr && cls->scripted) {
    if (cls->erase(name)) return;
  } else if (auto* fn = as<FunctionNode>(object)) {
    if (erase_function_attribute(fn, name)) return;
  } else if (auto* module = as<ModuleNode>(object); module != nullptr && module->find(name) != nullptr) {
    module->slots[module->slot_of(name)].value = unbound();
    return;
  }
  raise("AttributeError", span, "no-attribute", "'{}' object has no attribute '{}'",
        type_name_of(self, object), name.str());
}

void State::remove(const Expr* target, Frame& f) {
  switch (target->kind) {
    case ExprKind::kName: {
      auto* name = static_cast<const Name*>(target);
      remove_name(name->id, name->resolved, f, target->span);
      return;
    }
    case ExprKind::kTuple:
      for (const Expr* e : static_cast<const syntax::Tuple*>(target)->elts) remove(e, f);
      return;
    case ExprKind::kList:
      for (const Expr* e : static_cast<const syntax::List*>(target)->elts) remove(e, f);
      return;
    case ExprKind::kSubscript: {
      auto* subscript = static_cast<const Subscript*>(target);
      Any object = eval(subscript->value, f);
      Any index = eval_slice(subscript->slice, f);
      remove_item(object, index, target->span, subscript->slice->span);
      return;
    }
    case ExprKind::kAttribute: {
      auto* attribute = static_cast<const Attribute*>(target);
      remove_attribute(eval(attribute->value, f), attribute->attr, target->span);
      return;
    }
    default:
      raise_as(refusals["not-a-target"], target->span, "cannot delete this expression");
  }
}

OwnedValue State::augmented(const AugAssign& assign, OwnedValue left, OwnedValue right) {
  RawValue out;
  if (plain_operator(assign.op, left.words, right.words, out)) [[likely]]
    return OwnedValue(out);
  return OwnedValue(release(self.in_place(assign.op, borrow(left.words), borrow(right.words), assign.op_span)));
}

void State::exec_augmented(const AugAssign& assign, Frame& f) {
  if (auto* name = syntax::as<Name>(assign.target)) {
    OwnedValue left = fetch(name, f);
    OwnedValue right = fetch(assign.value, f);
    RawValue out;
    if (assign.op == BinOperator::kAdd && plain_operator<BinOperator::kAdd>(left.words, right.words, out))
        [[likely]]
      return assign_name(*name, out, f);
    assign_name(*name, augmented(assign, std::move(left), std::move(right)).release(), f);
    return;
  }
  if (auto* attribute = syntax::as<Attribute>(assign.target)) {
    OwnedValue object = fetch(attribute->value, f);
    OwnedValue left(attribute_of(*attribute, borrow(object.words)));
    OwnedValue result = augmented(assign, std::move(left), fetch(assign.value, f));
    set_attribute(borrow(object.words), *attribute, result);
    return;
  }
  if (auto* subscript = syntax::as<Subscript>(assign.target)) {
    OwnedValue object = fetch(subscript->value, f);
    OwnedValue index = code_of(subscript) == Code::kSubscript ? fetch(subscript->slice, f)
                                                        : OwnedValue(release(eval_slice(subscript->slice, f)));
    OwnedValue left(item_of(*subscript, object.words, index.words));
    OwnedValue result = augmented(assign, std::move(left), fetch(assign.value, f));
    set_item(borrow(object.words), borrow(index.words), result, subscript->span);
    return;
  }
  raise_as(refusals["not-a-target"], assign.target->span, "illegal expression for augmented assignment");
}

Flow State::exec_for(const For& loop, Frame& f) {
  Any iterable = iterated(loop.iter, f);
  auto* name = syntax::as<Name>(loop.target);
  auto bind = [&](RawValue value) {
    if (name != nullptr) {
      assign_name(*name, value, f);
    } else {
      store(loop.target, value, f);
    }
  };
  if (auto* range = as<RangeNode>(iterable)) {
    int64_t count = range->size();
    int64_t value = range->start;
    for (int64_t i = 0; i < count; ++i, value += range->step) {
      check_interrupt(loop.iter->span);
      bind(raw_int(value));
      Flow flow = exec_block(loop.body, f);
      if (flow == Flow::kBreak) return Flow::kNext;
      if (flow == Flow::kReturn) return flow;
    }
    return exec_block(loop.orelse, f);
  }
  if (iterable.type_index() == kTVMFFIList || iterable.type_index() == kTVMFFIArray) {
    // The list may grow or shrink meanwhile.
    for (size_t i = 0; i < elements(iterable).size(); ++i) {
      check_interrupt(loop.iter->span);
      bind(copy(elements(iterable)[i]));
      Flow flow = exec_block(loop.body, f);
      if (flow == Flow::kBreak) return Flow::kNext;
      if (flow == Flow::kReturn) return flow;
    }
    return exec_block(loop.orelse, f);
  }
  Any iterator = self.iterate(iterable, loop.iter->span);
  for (;;) {
    check_interrupt(loop.iter->span);
    Any value;
    if (!self.next(iterator, value, loop.iter->span)) break;
    bind(release(std::move(value)));
    Flow flow = exec_block(loop.body, f);
    if (flow == Flow::kBreak) return Flow::kNext;
    if (flow == Flow::kReturn) return flow;
  }
  return exec_block(loop.orelse, f);
}

Flow State::exec_while(const While& loop, Frame& f) {
  while (test(loop.test, f)) {
    check_interrupt(loop.test->span);
    Flow flow = exec_block(loop.body, f);
    if (flow == Flow::kBreak) return Flow::kNext;
    if (flow == Flow::kReturn) return flow;
  }
  return exec_block(loop.orelse, f);
}

Flow State::exec_with(const With& with, size_t item_index, Frame& f) {
  if (item_index == with.items.size()) return exec_block(with.body, f);
  const WithItem* item = with.items[item_index];
  Any manager = eval(item->context_expr, f);
  ir::Span span = item->context_expr->span;
  Any enter, exit;
  bool entered = self.find_attribute(manager, known().enter, enter);
  if (!entered || !self.find_attribute(manager, known().exit, exit)) {
    raise(refusals["not-a-context-manager"], span, type_name_of(self, manager),
          entered ? " (missed __exit__ method)" : "");
  }
  Any value = call_values(enter, {}, span);
  Flow flow = Flow::kNext;
  std::unique_ptr<ScriptError> failed;
  try {
    if (item->optional_vars != nullptr) store(item->optional_vars, value, f);
    flow = exec_with(with, item_index + 1, f);
  } catch (ir::Error& error) {
    failed = std::make_unique<ScriptError>(error.all(), exception_of(error));
  }
  if (failed != nullptr) {
    const Any& exception = failed->exception;
    bool swallowed = while_handling(exception, [&] {
      Any traceback;
      self.find_attribute(exception, known().traceback, traceback);
      return self.truth(call_values(exit, {self.type_of(exception), exception, traceback}, span));
    });
    if (!swallowed) throw *failed;
    return Flow::kNext;
  }
  Any kept = std::move(f.result);
  f.result = nullptr;
  call_values(exit, {Any(nullptr), Any(nullptr), Any(nullptr)}, span);
  f.result = std::move(kept);
  return flow;
}

Flow State::handle(const Try& attempt, ScriptError& error, Frame& f) {
  Any exception = error.exception;
  for (const ExceptHandler* handler : attempt.handlers) {
    if (handler->type != nullptr) {
      Any type = while_handling(exception, [&] { return eval(handler->type, f); });
      bool valid = as<ClassNode>(type) != nullptr || as<ApiFunctionNode>(type) != nullptr;
      if (type.type_index() == kTVMFFIArray) {
        valid = true;
        for (const Any& each : elements(type))
          valid = valid && (as<ClassNode>(each) != nullptr || as<ApiFunctionNode>(each) != nullptr);
      }
      if (!valid) {
        raise(refusals["not-an-exception-class"], handler->type->span);
      }
      if (!self.is_instance(exception, type, handler->type->span)) continue;
    }
    if (handler->name) store_name(handler->name, handler->resolved, exception, f);
    struct Forget {
      State& state;
      const ExceptHandler* handler;
      Frame& f;
      ~Forget() {
        if (handler->name) state.store_name(handler->name, handler->resolved, unbound(), f);
      }
    } forget{*this, handler, f};
    return while_handling(exception, [&] { return exec_block(handler->body, f); });
  }
  throw error;
}

Flow State::exec_try(const Try& attempt, Frame& f) {
  auto guarded = [&]() -> Flow {
    if (attempt.handlers.empty()) {
      Flow flow = exec_block(attempt.body, f);
      return flow == Flow::kNext ? exec_block(attempt.orelse, f) : flow;
    }
    Flow flow = Flow::kNext;
    std::unique_ptr<ScriptError> caught;
    try {
      flow = exec_block(attempt.body, f);
    } catch (ir::Error& error) {
      caught = std::make_unique<ScriptError>(error.all(), exception_of(error));
    }
    // The handler runs outside of the C++ catch block, so that it may suspend a generator.
    if (caught != nullptr) {
      flow = handle(attempt, *caught, f);
      return flow;
    }
    return flow == Flow::kNext ? exec_block(attempt.orelse, f) : flow;
  };
  if (attempt.finalbody.empty()) return guarded();
  std::exception_ptr pending;
  std::unique_ptr<ScriptError> failed;
  Flow flow = Flow::kNext;
  try {
    flow = guarded();
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (ir::Error& error) {
    failed = std::make_unique<ScriptError>(error.all(), exception_of(error));
  } catch (...) {
    pending = std::current_exception();
  }
  Any kept = std::move(f.result);
  f.result = nullptr;
  auto finish = [&] { return exec_block(attempt.finalbody, f); };
  Flow last = failed != nullptr ? while_handling(failed->exception, finish) : finish();
  if (last != Flow::kNext) return last;  // `return` in `finally` wins
  f.result = std::move(kept);
  if (failed != nullptr) throw *failed;
  if (pending) std::rethrow_exception(pending);
  return flow;
}

void State::exec_raise(const Raise& raise_stmt, Frame& f) {
  if (raise_stmt.exc == nullptr) {
    if (handled.empty()) {
      raise(refusals["nothing-to-raise"], raise_stmt.span);
    }
    Any again = handled.back();
    throw_exception(again, raise_stmt.span);
  }
  Any value = eval(raise_stmt.exc, f);
  if (auto* cls = as<ClassNode>(value)) {
    if (!cls->is_exception) {
      raise_as(refusals["not-an-exception"], raise_stmt.exc->span,
               "exceptions must derive from BaseException");
    }
    value = call_values(value, {}, raise_stmt.exc->span);
  } else if (as<ApiFunctionNode>(value) != nullptr) {
    value = call_values(value, {}, raise_stmt.exc->span);
  }
  auto* instance = as<InstanceNode>(value);
  if (instance == nullptr || !instance->cls->is_exception) {
    raise_as(refusals["not-an-exception"], raise_stmt.exc->span, "exceptions must derive from BaseException");
  }
  if (raise_stmt.cause != nullptr) {
    Any cause = eval(raise_stmt.cause, f);
    auto* cls = as<ClassNode>(cause);
    if (cls != nullptr && cls->is_exception) cause = call_values(cause, {}, raise_stmt.cause->span);
    auto* origin = as<InstanceNode>(cause);
    if (!is_none(cause) && (origin == nullptr || !origin->cls->is_exception)) {
      raise_as(refusals["not-an-exception"], raise_stmt.cause->span,
               "exception causes must derive from BaseException");
    }
    instance->set(known().cause, cause);
    instance->set(known().suppress_context, true);
  }
  set_context(instance);
  throw_exception(value, raise_stmt.exc->span);
}

// `name: type` in a class body or at the top of a file: an entry of its `__annotations__`.
void State::annotate(const AnnAssign& assign, Frame& f) {
  Any type = annotation(assign.annotation, f);
  if (!assign.simple) return;
  Symbol where = known().annotations;
  const Any* all = f.cls != nullptr ? f.cls->own(where) : f.module->find(where);
  if (all == nullptr) {
    store_name(where, f.cls != nullptr ? 0 : place_of(where, f), Any(Dict()), f);
    all = f.cls != nullptr ? f.cls->own(where) : f.module->find(where);
  }
  self.set_subscript(*all, str_value(static_cast<const Name*>(assign.target)->id.str()), type, assign.span);
}

[[gnu::noinline]] Flow State::exec_assign(const Assign& assign, Frame& f) {
  const Expr* first = assign.targets[0];
  if (assign.targets.size() == 1) {
    auto* targets = syntax::as<syntax::Tuple>(first);
    auto* values = syntax::as<syntax::Tuple>(assign.value);
    if (targets != nullptr && values != nullptr && targets->elts.size() == values->elts.size() &&
        targets->elts.size() <= 3) {
      // `a, b = b, a` without a tuple.
      bool starred = false;
      for (size_t i = 0; i < targets->elts.size(); ++i) {
        starred = starred || targets->elts[i]->kind == ExprKind::kStarred ||
                  values->elts[i]->kind == ExprKind::kStarred;
      }
      if (!starred) {
        Any parts[3];
        for (size_t i = 0; i < values->elts.size(); ++i) parts[i] = eval(values->elts[i], f);
        for (size_t i = 0; i < values->elts.size(); ++i) store(targets->elts[i], std::move(parts[i]), f);
        return Flow::kNext;
      }
    }
    store(first, run(assign.value, f), f);
    return Flow::kNext;
  }
  Any value = eval(assign.value, f);
  for (const Expr* target : assign.targets) store(target, value, f);
  return Flow::kNext;
}

// The statements of every loop; the others follow.
Flow State::exec(const Stmt* stmt, Frame& f) {
  switch (stmt->kind) {
    case StmtKind::kExprStmt:
      drop(run(static_cast<const ExprStmt*>(stmt)->value, f));
      return Flow::kNext;
    case StmtKind::kAssign: {
      auto* assign = static_cast<const Assign*>(stmt);
      const Expr* target = assign->targets[0];
      if (assign->targets.size() != 1 || target->kind == ExprKind::kTuple) return exec_assign(*assign, f);
      RawValue value = run(assign->value, f);
      if (target->kind == ExprKind::kName) {
        assign_name(static_cast<const Name&>(*target), value, f);
      } else {
        store(target, value, f);
      }
      return Flow::kNext;
    }
    case StmtKind::kAugAssign:
      exec_augmented(static_cast<const AugAssign&>(*stmt), f);
      return Flow::kNext;
    case StmtKind::kIf: {
      auto* branch = static_cast<const If*>(stmt);
      return exec_block(test(branch->test, f) ? branch->body : branch->orelse, f);
    }
    case StmtKind::kFor:
      return exec_for(static_cast<const For&>(*stmt), f);
    case StmtKind::kWhile:
      return exec_while(static_cast<const While&>(*stmt), f);
    case StmtKind::kReturn: {
      auto* ret = static_cast<const Return*>(stmt);
      put(f.result, ret->value != nullptr ? run(ret->value, f) : raw_none());
      return Flow::kReturn;
    }
    case StmtKind::kBreak:
      return Flow::kBreak;
    case StmtKind::kContinue:
      return Flow::kContinue;
    default:
      return exec_rare(stmt, f);
  }
}

Flow State::exec_rare(const Stmt* stmt, Frame& f) {
  switch (stmt->kind) {
    case StmtKind::kAnnAssign: {
      auto* assign = static_cast<const AnnAssign*>(stmt);
      if (assign->value != nullptr) store(assign->target, run(assign->value, f), f);
      // Those of a function's variables are never evaluated.
      if (f.cls != nullptr || (f.function == nullptr && !f.dynamic)) annotate(*assign, f);
      return Flow::kNext;
    }
    case StmtKind::kPass:
      return Flow::kNext;
    case StmtKind::kGlobal:
    case StmtKind::kNonlocal:
      if (f.cls == nullptr) return Flow::kNext;
      raise("NotImplementedError", stmt->span, "not-supported",
            "a class body binds members only: `global` and `nonlocal` stand in functions");
    case StmtKind::kFunctionDef: {
      auto* def = static_cast<const FunctionDef*>(stmt);
      Any value = define_function(*def, f);
      store_name(def->name, place_of(def->name, f), std::move(value), f);
      return Flow::kNext;
    }
    case StmtKind::kClassDef: {
      auto* def = static_cast<const ClassDef*>(stmt);
      Any value = define_class(*def, f);
      store_name(def->name, place_of(def->name, f), std::move(value), f);
      return Flow::kNext;
    }
    case StmtKind::kWith:
      return exec_with(static_cast<const With&>(*stmt), 0, f);
    case StmtKind::kTry:
      return exec_try(static_cast<const Try&>(*stmt), f);
    case StmtKind::kRaise:
      exec_raise(static_cast<const Raise&>(*stmt), f);
    case StmtKind::kAssert: {
      auto* check = static_cast<const Assert*>(stmt);
      if (test(check->test, f)) return Flow::kNext;
      throw_assertion(*check, f);
    }
    case StmtKind::kDelete:
      for (const Expr* target : static_cast<const Delete*>(stmt)->targets) remove(target, f);
      return Flow::kNext;
    case StmtKind::kImport:
      exec_import(static_cast<const Import&>(*stmt), f);
      return Flow::kNext;
    case StmtKind::kImportFrom:
      exec_import_from(static_cast<const ImportFrom&>(*stmt), f);
      return Flow::kNext;
    default:
      __builtin_unreachable();
  }
}

}  // namespace mlc::script
