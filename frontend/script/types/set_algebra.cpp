// SPDX-License-Identifier: Apache-2.0
// Operators and methods that make sets of sets, in the order of CPython's walks: the order of a set shows
// them.
#include "frontend/script/core/machine.h"

namespace mlc::script {
namespace {

using syntax::BinOperator;

SetNode* mutable_of(const Ref<SetNode>& set) { return const_cast<SetNode*>(set.get()); }
bool is_dict(const Any& value) {
  return value.type_index() == kTVMFFIDict || value.type_index() == kTVMFFIMap;
}
bool contains(Evaluator& evaluator, const Any& container, const Any& value) {
  if (auto* set = as<SetNode>(container)) return set->contains(evaluator, value);
  return evaluator.contains(container, value);
}

// Elements of an iterable are hashed as they are; only `in`, `remove` and `discard` take a set for the
// frozenset of its elements.
const Any& hashable(Evaluator& evaluator, const Any& value, ir::Span span) {
  if (as<SetNode>(value)) evaluator.hash(value, span);
  return value;
}

// A set as it was made from an iterable.
Ref<SetNode> set_from(Evaluator& evaluator, const Any& iterable, bool frozen, ir::Span span) {
  Ref<SetNode> made = ir::make<SetNode>(frozen);
  set_update(evaluator, mutable_of(made), iterable, span);
  return made;
}
// The elements of `a` that are in no way in `b`, a set or dict: CPython copies `a` first if `b` is much
// smaller.
Ref<SetNode> difference_of(Evaluator& evaluator, const SetNode& a, const Any& b, ir::Span span) {
  auto* other = as<SetNode>(b);
  size_t size = other != nullptr ? other->used
                : is_dict(b)     ? static_cast<ffi::MapBaseObj*>(raw_object(b))->size()
                                 : 0;
  if ((other == nullptr && !is_dict(b)) || a.used / 4 > size) {
    Ref<SetNode> made = ir::make<SetNode>(a.frozen);
    mutable_of(made)->merge(evaluator, a);
    set_difference_update(evaluator, mutable_of(made), b, span);
    return made;
  }
  Ref<SetNode> made = ir::make<SetNode>(a.frozen);
  for (const Any& value : a.elements()) {
    if (!contains(evaluator, b, value)) mutable_of(made)->add(evaluator, value);
  }
  return made;
}
Ref<SetNode> intersection_of(Evaluator& evaluator, const SetNode& a, const Any& b, ir::Span span) {
  Ref<SetNode> made = ir::make<SetNode>(a.frozen);
  auto* set = as<SetNode>(b);
  bool swapped = set != nullptr && set->used > a.used;  // the smaller one is walked
  const SetNode& kept = swapped ? *set : a;
  evaluator.each_of(swapped ? Any(ir::ref(&a)) : b, span, [&](Any& value) {
    if (!kept.contains(evaluator, hashable(evaluator, value, span))) return true;
    mutable_of(made)->add(evaluator, value);
    return set != nullptr || made->used < a.used;  // until all were found
  });
  return made;
}
// `toggled`: those of its elements that are in the set leave it, the others come in.
void toggle(Evaluator& evaluator, SetNode* set, const Any& toggled, ir::Span span) {
  for (const Any& value : evaluator.elements_of(toggled, span)) {
    if (!set->remove(evaluator, value)) set->add(evaluator, value);
  }
}

}  // namespace

void set_update(Evaluator& evaluator, SetNode* set, const Any& iterable, ir::Span span) {
  if (auto* other = as<SetNode>(iterable)) return set->merge(evaluator, *other);
  evaluator.each_of(iterable, span, [&](Any& value) {
    set->add(evaluator, value);
    return true;
  });
}
void set_difference_update(Evaluator& evaluator, SetNode* set, const Any& iterable, ir::Span span) {
  evaluator.each_of(iterable, span, [&](Any& value) {
    set->remove(evaluator, hashable(evaluator, value, span));
    return true;
  });
}
void set_toggle(Evaluator& evaluator, SetNode* set, const Any& iterable, ir::Span span) {
  if (as<SetNode>(iterable) == set) return set->clear();
  bool unique = as<SetNode>(iterable) || is_dict(iterable);
  toggle(evaluator, set, unique ? iterable : Any(set_from(evaluator, iterable, set->frozen, span)), span);
}

Any set_result(Evaluator& evaluator, BinOperator op, const SetNode& a, const Any& b, ir::Span span) {
  switch (op) {
    case BinOperator::kBitOr: {
      Ref<SetNode> made = ir::make<SetNode>(a.frozen);
      mutable_of(made)->merge(evaluator, a);
      set_update(evaluator, mutable_of(made), b, span);
      return Any(made);
    }
    case BinOperator::kBitAnd:
      return Any(intersection_of(evaluator, a, b, span));
    case BinOperator::kSub:
      return Any(difference_of(evaluator, a, b, span));
    case BinOperator::kBitXor: {
      Ref<SetNode> made = set_from(evaluator, b, a.frozen, span);
      for (const Any& value : a.elements()) {
        if (!mutable_of(made)->remove(evaluator, value)) mutable_of(made)->add(evaluator, value);
      }
      return Any(made);
    }
    default:
      return not_implemented();
  }
}

Any set_binary(Evaluator& evaluator, BinOperator op, const Any& a, const Any& b, ir::Span span) {
  if (op != BinOperator::kBitOr && op != BinOperator::kBitAnd && op != BinOperator::kSub &&
      op != BinOperator::kBitXor)
    return not_implemented();
  auto viewed = [](const Any& value) {
    auto* view = as<DictViewNode>(value);
    return view != nullptr && view->kind != DictViewNode::Kind::kValues;
  };
  if (viewed(a) || viewed(b)) {  // of keys and items: sets to these operators
    Ref<SetNode> made = set_from(evaluator, a, false, span);
    return set_result(evaluator, op, *made, b, span);
  }
  auto* x = as<SetNode>(a);
  return x != nullptr && as<SetNode>(b) ? set_result(evaluator, op, *x, b, span) : not_implemented();
}

}  // namespace mlc::script
