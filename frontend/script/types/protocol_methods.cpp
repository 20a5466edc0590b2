// SPDX-License-Identifier: Apache-2.0
// The protocol methods of builtin values by name: `(3).__add__(4)`, `list.__len__(x)`,
// `super().__setitem__(k, v)`. Objects of classes derived from a builtin type fall back to them
// (`State::payload_special`).
#include "frontend/script/core/machine.h"

namespace mlc::script {

using syntax::BinOperator;
using syntax::CmpOperator;
using syntax::UnaryOperator;
using State = Evaluator::State;

namespace {

enum Kind : uint16_t {
  kInt = 1,
  kFloat = 2,
  kStr = 4,
  kBytes = 8,
  kList = 16,
  kTuple = 32,
  kDict = 64,
  kSet = 128,
  kFrozen = 256,
  kRange = 512,
  kIterator = 1024,
  kNumber = kInt | kFloat,
  kSequence = kStr | kBytes | kList | kTuple,
  kSets = kSet | kFrozen,
  kContainer = kSequence | kDict | kSets,
  kAll = kNumber | kContainer,
};

uint16_t kind_of(const ClassNode* cls) {
  const Types& t = types();
  if (cls == t.integer.get() || cls == t.boolean.get()) return kInt;
  if (cls == t.real.get()) return kFloat;
  if (cls == t.str.get()) return kStr;
  if (cls == t.bytes.get()) return kBytes;
  if (cls == t.list.get()) return kList;
  if (cls == t.tuple.get()) return kTuple;
  if (cls == t.dict.get()) return kDict;
  if (cls == t.set.get()) return kSet;
  return cls == t.frozenset.get() ? kFrozen : 0;
}
uint16_t kind_of(const Any& value) {
  if (as<RangeNode>(value) != nullptr) return kRange;
  if (is_object(value) && value_as_iterator(value) != nullptr) return kIterator;
  // The shapes of TVM are tuples without these methods.
  Ref<ClassNode> type = value.type_index() == kTVMFFIShape ? nullptr : builtin_type_of(value);
  return type ? kind_of(type.get()) : 0;
}

// What an operator of the language refuses, its method leaves to the other operand.
template <class F>
Any or_not_implemented(F f) {
  try {
    return f();
  } catch (ir::Error& error) {
    if (error.first().name == "unsupported-operand") return not_implemented();
    throw;
  }
}
// Does the type of `a` know what to do with `b`? An int leaves floats to them, a str all that is no str.
bool knows(const Any& a, const Any& b) {
  Any own = builtin_value_of(a), other = builtin_value_of(b);
  if (is_integer(own)) return is_integer(other);
  if (is_float(own)) return is_number(other);
  if (is_str(own)) return is_str(other);
  if (is_bytes(own)) return is_bytes(other);
  if (as<SetNode>(own) != nullptr) return as<SetNode>(other) != nullptr;
  if (as<RangeNode>(own) != nullptr) return as<RangeNode>(other) != nullptr;
  return own.type_index() == other.type_index();
}
template <BinOperator op>
Any forward(Evaluator& e, const Arguments& args) {
  if (is_integer(args[0]) && is_float(args[1])) return not_implemented();
  return or_not_implemented([&] { return e.binary(op, args[0], args[1], args.span); });
}
template <BinOperator op>
Any reflected(Evaluator& e, const Arguments& args) {
  if (is_integer(args[0]) && is_float(args[1])) return not_implemented();
  return or_not_implemented([&] { return e.binary(op, args[1], args[0], args.span); });
}
template <BinOperator op>
Any in_place(Evaluator& e, const Arguments& args) {
  return e.in_place(op, args[0], args[1], args.span);
}
template <CmpOperator op>
Any compared(Evaluator& e, const Arguments& args) {
  if (!knows(args[0], args[1])) return not_implemented();
  return or_not_implemented([&] { return e.compare(op, args[0], args[1], args.span); });
}
template <UnaryOperator op>
Any unary(Evaluator& e, const Arguments& args) {
  return e.unary(op, args[0], args.span);
}
template <int type>  // a conversion, by the type's own call
Any converted(Evaluator& e, const Arguments& args) {
  const Types& t = types();
  return e.call(Any(type == 0 ? t.integer : t.real), args.positional.first(1), {}, args.span);
}

Any hash(Evaluator& e, const Arguments& args) { return e.hash(args[0], args.span); }
Any repr(Evaluator& e, const Arguments& args) { return str_value(e.repr(args[0])); }
Any str(Evaluator& e, const Arguments& args) { return str_value(e.str(args[0])); }
Any boolean(Evaluator& e, const Arguments& args) { return e.truth(args[0], args.span); }
Any protocol_format(Evaluator& e, const Arguments& args) {
  return str_value(format_value(e, args[0], text_of(args[1]), args.span));
}
Any length(Evaluator& e, const Arguments& args) { return e.length(args[0], args.span); }
Any getitem(Evaluator& e, const Arguments& args) { return e.subscript(args[0], args[1], args.span); }
Any setitem(Evaluator& e, const Arguments& args) {
  e.set_subscript(args[0], args[1], args[2], args.span);
  return nullptr;
}
Any delitem(Evaluator& e, const Arguments& args) {
  e.state().remove_item(args[0], args[1], args.span, args.span_of(1));
  return nullptr;
}
Any contains(Evaluator& e, const Arguments& args) { return e.contains(args[0], args[1], args.span); }
Any iterator(Evaluator& e, const Arguments& args) { return e.iterate(args[0], args.span); }
Any next(Evaluator& e, const Arguments& args) {
  Any iterator = args[0];  // held while it runs, whatever becomes of the variable
  Any out;
  if (e.next(iterator, out, args.span)) return out;
  stop_iteration(e, args[0], args.span);
}

// `list.__init__(self, iterable)` and the like: the content is made anew; a dict keeps what it has.
Any initialise(Evaluator& e, const Arguments& args) {
  Any self = args[0];
  const Ref<ClassNode> type = builtin_type_of(self);
  Any fresh = type->construct(e, type, Arguments{args.positional.subspan(1), args.keywords, args.span});
  if (self.type_index() == kTVMFFIList) {
    std::span<Any> all = elements(fresh);
    self.cast<List>().Assign(all.begin(), all.end());
  } else if (self.type_index() == kTVMFFIDict) {
    for (const auto& [key, value] : *static_cast<ffi::MapBaseObj*>(raw_object(fresh)))
      dict_set(e, self, plain_key(key), value, args.span);
  } else {
    as<SetNode>(self)->take(*as<SetNode>(fresh));
  }
  return nullptr;
}

struct Row {
  uint16_t kinds;
  BuiltinRow row;
};
#define MLC_BINARY(text, op, kinds, back)                                                                \
  {(kinds), {"__" text "__", "(other)", "The operator.", forward<BinOperator::op>, 1, 1}}, {             \
    (back), { "__r" text "__", "(other)", "The operator, reflected.", reflected<BinOperator::op>, 1, 1 } \
  }
#define MLC_COMPARED(text, op, kinds)                                                          \
  {                                                                                            \
    (kinds), { "__" text "__", "(other)", "The comparison.", compared<CmpOperator::op>, 1, 1 } \
  }

const Row protocol_methods_table[] = {
    MLC_BINARY("add", kAdd, kNumber | kSequence, kNumber | kSequence),
    MLC_BINARY("sub", kSub, kNumber | kSets, kNumber | kSets),
    MLC_BINARY("mul", kMult, kNumber | kSequence, kNumber | kSequence),
    MLC_BINARY("truediv", kDiv, kNumber, kNumber),
    MLC_BINARY("floordiv", kFloorDiv, kNumber, kNumber),
    MLC_BINARY("mod", kMod, kNumber | kStr, kNumber | kStr),
    MLC_BINARY("pow", kPow, kNumber, kNumber),
    MLC_BINARY("lshift", kLShift, kInt, kInt),
    MLC_BINARY("rshift", kRShift, kInt, kInt),
    MLC_BINARY("or", kBitOr, kInt | kDict | kSets, kInt | kDict | kSets),
    MLC_BINARY("xor", kBitXor, kInt | kSets, kInt | kSets),
    MLC_BINARY("and", kBitAnd, kInt | kSets, kInt | kSets),
    {kList, {"__iadd__", "(other)", "Extends the list.", in_place<BinOperator::kAdd>, 1, 1}},
    {kList, {"__imul__", "(count)", "Repeats the list.", in_place<BinOperator::kMult>, 1, 1}},
    {kDict | kSet, {"__ior__", "(other)", "Adds the other's.", in_place<BinOperator::kBitOr>, 1, 1}},
    MLC_COMPARED("eq", kEq, kAll),
    MLC_COMPARED("ne", kNotEq, kAll),
    MLC_COMPARED("lt", kLt, kNumber | kSequence | kSets),
    MLC_COMPARED("le", kLtE, kNumber | kSequence | kSets),
    MLC_COMPARED("gt", kGt, kNumber | kSequence | kSets),
    MLC_COMPARED("ge", kGtE, kNumber | kSequence | kSets),
    {kNumber, {"__neg__", "()", "The negative.", unary<UnaryOperator::kUSub>, 0, 0}},
    {kNumber, {"__pos__", "()", "The number.", unary<UnaryOperator::kUAdd>, 0, 0}},
    {kInt, {"__invert__", "()", "The complement.", unary<UnaryOperator::kInvert>, 0, 0}},
    {kNumber, {"__int__", "()", "As an int.", converted<0>, 0, 0}},
    {kNumber, {"__float__", "()", "As a float.", converted<1>, 0, 0}},
    {kInt, {"__index__", "()", "As an int.", converted<0>, 0, 0}},
    {kAll, {"__bool__", "()", "Is it true?", boolean, 0, 0}},
    {kAll, {"__hash__", "()", "The hash.", hash, 0, 0}},
    {kAll, {"__repr__", "()", "The text of the value.", repr, 0, 0}},
    {kAll, {"__str__", "()", "The text of the value.", str, 0, 0}},
    {kAll, {"__format__", "(spec)", "The text by a format specification.", protocol_format, 1, 1}},
    {kContainer | kRange, {"__len__", "()", "The number of items.", length, 0, 0}},
    {kSequence | kDict | kRange, {"__getitem__", "(index)", "The item.", getitem, 1, 1}},
    {kList | kDict, {"__setitem__", "(index, value)", "Sets the item.", setitem, 2, 2}},
    {kList | kDict, {"__delitem__", "(index)", "Removes the item.", delitem, 1, 1}},
    {kContainer | kRange | kIterator, {"__contains__", "(value)", "Is it there?", contains, 1, 1}},
    {kContainer | kRange | kIterator, {"__iter__", "()", "An iterator.", iterator, 0, 0}},
    {kIterator, {"__next__", "()", "The next element.", next, 0, 0}},
    {kList | kDict | kSet, {"__init__", "(*args)", "Fills the container.", initialise, 0, 127, "*"}},
};

using Table = std::unordered_map<Symbol, std::vector<const Row*>>;
const BuiltinRow* look(uint16_t kind, Symbol name) {
  static const Table table = [] {
    Table all;
    for (const Row& row : protocol_methods_table) all[Symbol(row.row.name)].push_back(&row);
    return all;
  }();
  if (kind == 0) return nullptr;
  auto found = table.find(name);
  if (found == table.end()) return nullptr;
  for (const Row* row : found->second) {
    if ((row->kinds & kind) != 0) return &row->row;
  }
  return nullptr;
}

}  // namespace

const BuiltinRow* protocol_row(const Any& value, Symbol name) { return look(kind_of(value), name); }
const BuiltinRow* protocol_row(const ClassNode* cls, Symbol name) { return look(kind_of(cls), name); }

bool State::payload_special(InstanceNode* instance, const Any& object, Symbol name, std::span<const Any> args,
                            Any& out, ir::Span span) {
  Any payload = instance->payload;                            // kept alive: the method may drop the object
  if (name == known().str && !is_str(payload)) return false;  // what __repr__ gives
  if (name == known().repr && as<SetNode>(payload)) {
    bool empty = as<SetNode>(payload)->used == 0;
    std::string inner = empty ? "" : self.repr(payload);
    if (as<SetNode>(payload)->frozen && !empty) inner = inner.substr(10, inner.size() - 11);
    out = str_value(std::string(instance->cls->short_name()) + "(" + inner + ")");
    return true;
  }
  if (name == known().getitem && payload.type_index() == kTVMFFIDict) {
    if (Any* found = dict_find(self, payload, args[0], span)) {
      out = *found;
      return true;
    }
    if (const Any* missing = instance->cls->find(known().missing)) {
      Any all[] = {object, args[0]};
      out = self.call(*missing, all, {}, span);
      return true;
    }
  }
  if (name == known().format && is_str(args[0]) && text_of(args[0]).empty()) {
    out = str_value(self.str(object));
    return true;
  }
  const BuiltinRow* row = protocol_row(payload, name);
  if (row == nullptr) return false;
  std::vector<Any> all = {payload};
  all.insert(all.end(), args.begin(), args.end());
  out = row->body(self, Arguments{all, {}, span});
  // `x += y` of a container keeps the object.
  if (is_object(payload) && !is_str(payload) && out.same_as(payload)) out = object;
  return true;
}

Any as_mapping(Evaluator& evaluator, const Any& value) {
  const Any& plain = builtin_value_of(value);
  if (plain.type_index() == kTVMFFIDict || plain.type_index() == kTVMFFIMap) return plain;
  Any keys;
  if (!evaluator.find_attribute(plain, Symbol("keys"), keys)) return plain;
  Dict made;
  for (const Any& key : evaluator.elements_of(evaluator.call(keys, {})))
    dict_set(evaluator, made, key, evaluator.subscript(plain, key));
  return made;
}

}  // namespace mlc::script
