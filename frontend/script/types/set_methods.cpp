// SPDX-License-Identifier: Apache-2.0
// Methods of set and frozenset.
#include "frontend/script/core/machine.h"

namespace mlc::script {
namespace {

SetNode* set_of(const Arguments& args) { return as<SetNode>(args[0]); }
SetNode* mutable_set(const Arguments& args, std::string_view method) {
  SetNode* set = set_of(args);
  if (set->frozen) {
    raise("AttributeError", args.span, "no-attribute", "'frozenset' object has no attribute '{}'", method);
  }
  return set;
}
Any as_set(Evaluator& evaluator, const Any& iterable, ir::Span span) {
  if (as<SetNode>(iterable)) return iterable;
  return evaluator.call(Any(types().set), std::span<const Any>(&iterable, 1), {}, span);
}
Any combine(Evaluator& evaluator, const Arguments& args, syntax::BinOperator op) {
  Ref<SetNode> copied = ir::make<SetNode>(set_of(args)->frozen);
  if (args.size() == 1) const_cast<SetNode*>(copied.get())->merge(evaluator, *set_of(args));
  Any result = args.size() == 1 ? Any(copied) : args[0];
  for (size_t i = 1; i < args.size(); ++i)
    result = set_result(evaluator, op, *as<SetNode>(result), args[i], args.span_of(i));
  return result;
}

Any add(Evaluator& evaluator, const Arguments& args) {
  mutable_set(args, "add")->add(evaluator, args[1]);
  return nullptr;
}
bool quick_add(Evaluator& evaluator, std::span<const Any> args, RawValue& out) {
  if (args.size() != 2 || as<SetNode>(args[0])->frozen) return false;
  OwnedValue alive(copy(args[0]));  // while elements are compared
  as<SetNode>(args[0])->add(evaluator, args[1]);
  out = raw_none();
  return true;
}
bool quick_remove(Evaluator& evaluator, std::span<const Any> args, RawValue& out) {
  if (args.size() != 2 || as<SetNode>(args[0])->frozen || !(is_int(args[1]) || is_str(args[1]))) return false;
  OwnedValue alive(copy(args[0]));
  out = raw_none();
  return as<SetNode>(args[0])->remove(evaluator, args[1]);
}
Any discard(Evaluator& evaluator, const Arguments& args) {
  mutable_set(args, "discard")->remove(evaluator, args[1]);
  return nullptr;
}
Any remove(Evaluator& evaluator, const Arguments& args) {
  if (!mutable_set(args, "remove")->remove(evaluator, args[1])) key_error(evaluator, args[1], args.span);
  return nullptr;
}
Any pop(Evaluator& evaluator, const Arguments& args) {
  SetNode* set = mutable_set(args, "pop");
  std::vector<Any> all = set->elements();
  if (all.empty()) key_error(evaluator, str_value("pop from an empty set"), args.span);
  set->remove(evaluator, all[0]);
  return all[0];
}
Any clear(Evaluator&, const Arguments& args) {
  mutable_set(args, "clear")->clear();
  return nullptr;
}
Any copy(Evaluator& evaluator, const Arguments& args) {
  return evaluator.call(evaluator.type_of(args[0]), std::span<const Any>(&args[0], 1));
}
Any update(Evaluator& evaluator, const Arguments& args) {
  SetNode* set = mutable_set(args, "update");
  for (size_t i = 1; i < args.size(); ++i) set_update(evaluator, set, args[i], args.span_of(i));
  return nullptr;
}
Any difference_update(Evaluator& evaluator, const Arguments& args) {
  SetNode* set = mutable_set(args, "difference_update");
  for (size_t i = 1; i < args.size(); ++i) set_difference_update(evaluator, set, args[i], args.span_of(i));
  return nullptr;
}
Any intersection_update(Evaluator& evaluator, const Arguments& args) {
  SetNode* set = mutable_set(args, "intersection_update");
  Any result = combine(evaluator, args, syntax::BinOperator::kBitAnd);
  set->take(*as<SetNode>(result));
  return nullptr;
}
Any symmetric_difference_update(Evaluator& evaluator, const Arguments& args) {
  set_toggle(evaluator, mutable_set(args, "symmetric_difference_update"), args[1], args.span_of(1));
  return nullptr;
}
template <syntax::BinOperator op>
Any combined(Evaluator& evaluator, const Arguments& args) {
  return combine(evaluator, args, op);
}
Any issubset(Evaluator& evaluator, const Arguments& args) {
  return evaluator.compare(syntax::CmpOperator::kLtE, args[0], as_set(evaluator, args[1], args.span_of(1)),
                           args.span);
}
Any issuperset(Evaluator& evaluator, const Arguments& args) {
  if (as<SetNode>(args[1]) == nullptr) {
    bool all = true;
    evaluator.each_of(args[1], args.span_of(1), [&](Any& value) {
      if (as<SetNode>(value)) evaluator.hash(value, args.span);  // no set is an element
      return all = set_of(args)->contains(evaluator, value);
    });
    return all;
  }
  return evaluator.compare(syntax::CmpOperator::kGtE, args[0], as_set(evaluator, args[1], args.span_of(1)),
                           args.span);
}
Any isdisjoint(Evaluator& evaluator, const Arguments& args) {
  bool none = true;
  evaluator.each_of(args[1], args.span_of(1), [&](Any& value) {
    if (as<SetNode>(value)) evaluator.hash(value, args.span);
    return none = !set_of(args)->contains(evaluator, value);
  });
  return none;
}

// Of the keys and items of a dict.
Any view_isdisjoint(Evaluator& evaluator, const Arguments& args) {
  bool none = true;
  evaluator.each_of(args[1], args.span_of(1),
                    [&](Any& value) { return none = !evaluator.contains(args[0], value, args.span); });
  return none;
}
constexpr BuiltinRow view_rows[] = {
    {"isdisjoint", "(iterable)", "Is there no common element?", view_isdisjoint, 1, 1},
};

constexpr BuiltinRow set_methods_table[] = {
    {"add", "(value)", "Adds an element.", add, 1, 1, {}, quick_add},
    {"discard", "(value)", "Removes an element if it is there.", discard, 1, 1},
    {"remove", "(value)", "Removes an element that must be there.", remove, 1, 1, {}, quick_remove},
    {"pop", "()", "Removes and returns some element.", pop, 0, 0},
    {"clear", "()", "Removes everything.", clear, 0, 0},
    {"copy", "()", "A new set of the same elements.", copy, 0, 0},
    {"update", "(*iterables)", "Adds all elements.", update, 0, 127},
    {"difference_update", "(*iterables)", "Removes what is in any.", difference_update, 0, 127},
    {"intersection_update", "(*iterables)", "Keeps what is in all.", intersection_update, 0, 127},
    {"symmetric_difference_update", "(iterable)", "Keeps what is in exactly one.",
     symmetric_difference_update, 1, 1},
    {"union", "(*iterables)", "Elements of any.", combined<syntax::BinOperator::kBitOr>, 0, 127},
    {"intersection", "(*iterables)", "Elements of all.", combined<syntax::BinOperator::kBitAnd>, 0, 127},
    {"difference", "(*iterables)", "Elements of this one only.", combined<syntax::BinOperator::kSub>, 0, 127},
    {"symmetric_difference", "(iterable)", "Elements of exactly one.", combined<syntax::BinOperator::kBitXor>,
     1, 1},
    {"issubset", "(iterable)", "Are all elements in the other?", issubset, 1, 1},
    {"issuperset", "(iterable)", "Are all elements of the other here?", issuperset, 1, 1},
    {"isdisjoint", "(iterable)", "Is there no common element?", isdisjoint, 1, 1},
};

}  // namespace

std::span<const BuiltinRow> set_methods() { return set_methods_table; }
std::span<const BuiltinRow> view_methods() { return view_rows; }

}  // namespace mlc::script
