// SPDX-License-Identifier: Apache-2.0
// Which builtin type has which methods; what every object has; properties' and exceptions' attributes.
#include <algorithm>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/wide_int.h"

namespace mlc::script {

using State = Evaluator::State;

namespace {

using Table = std::unordered_map<Symbol, const BuiltinRow*>;

template <auto... rows>
const Table& table() {
  static const Table made = [] {
    Table all;
    for (std::span<const BuiltinRow> some : {std::span<const BuiltinRow>(rows())...})
      for (const BuiltinRow& row : some) all[Symbol(row.name)] = &row;
    return all;
  }();
  return made;
}

// ---- the protocol methods as functions: `x.__len__()`, `super().__eq__(other)` ----

Any eq(Evaluator& e, const Arguments& args) {
  if (as<InstanceNode>(args[0])) return args[0].same_as(args[1]) ? Any(true) : not_implemented();
  return e.compare(syntax::CmpOperator::kEq, args[0], args[1]);
}
Any ne(Evaluator& e, const Arguments& args) { return !e.equal(args[0], args[1]); }
Any hash(Evaluator&, const Arguments& args) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(raw_object(args[0])) >> 4);
}
Any repr(Evaluator& e, const Arguments& args) {
  auto* instance = as<InstanceNode>(args[0]);
  if (instance == nullptr) return str_value(e.repr(args[0]));
  return str_value(fmt::format("<{}.{} object at {}>", instance->cls->module, instance->cls->name,
                               static_cast<const void*>(instance)));
}
Any str(Evaluator& e, const Arguments& args) { return str_value(e.repr(args[0])); }
Any setattr(Evaluator& e, const Arguments& args) {
  if (auto* instance = as<InstanceNode>(args[0]); instance != nullptr && is_str(args[1])) {
    e.state().set_instance_attribute(instance, args[0], Symbol(text_of(args[1])), args[2], args.span, false);
    return nullptr;
  }
  if (auto* cls = as<ClassNode>(args[0]); cls != nullptr && is_str(args[1])) {
    e.state().set_class_attribute(cls, Symbol(text_of(args[1])), args[2], args.span, false);
    return nullptr;
  }
  e.set_attribute(args[0], Symbol(text_of(args[1])), args[2], args.span);
  return nullptr;
}
Any delattr(Evaluator& e, const Arguments& args) {
  e.state().remove_attribute(args[0], Symbol(text_of(args[1])), args.span, false);
  return nullptr;
}
Any getattribute(Evaluator& e, const Arguments& args) {
  Any out;
  if (!is_str(args[1]))
    raise("TypeError", args.span_of(1), "wrong-type", "attribute name must be string, not '{}'",
          type_name_of(e, args[1]));
  Symbol name(text_of(args[1]));
  if (!e.state().plain_attribute(args[0], name, out, args.span))
    e.state().no_attribute(args[0], name, args.span);
  return out;
}
Any init(Evaluator&, const Arguments& args) {
  auto* instance = args.size() == 0 ? nullptr : as<InstanceNode>(args[0]);
  if (instance == nullptr || !is_none(instance->payload) || (args.size() == 1 && args.keywords.empty()))
    return nullptr;
  if (instance->cls->find(known().init) != nullptr) {
    raise("TypeError", args.span, "too-many-arguments",
          "object.__init__() takes exactly one argument (the instance to initialize)");
  }
  if (instance->cls->find(known().new_) == nullptr)
    raise("TypeError", args.span, "too-many-arguments", "{}() takes no arguments",
          instance->cls->short_name());
  return nullptr;
}
Any make_new(Evaluator& e, const Arguments& args) {
  auto* cls = as<ClassNode>(args[0]);
  if (cls == nullptr) {
    raise("TypeError", args.span_of(0), "wrong-type", "object.__new__(X): X is not a type object ({})",
          type_name_of(e, args[0]));
  }
  Arguments rest{args.positional.subspan(1), args.keywords, args.span};
  if (!cls->scripted && cls->construct != nullptr) return cls->construct(e, ir::ref(cls), rest);
  return e.state().new_object(ir::ref(cls), rest);
}
// `type.__call__` behind `super()` in a metaclass: makes an object of the class as if there were none.
Any call_type(Evaluator& e, const Arguments& args) {
  State::Mark mark(e.state());
  for (size_t i = 1; i < args.size(); ++i) e.state().push(args[i]);
  Keywords keywords(args.keywords.begin(), args.keywords.end());
  return e.state().construct(ir::ref(as<ClassNode>(args[0])), mark.base, keywords, args.span);
}
Any exception_init_body(Evaluator&, const Arguments& args) {
  if (auto* instance = as<InstanceNode>(args[0])) {
    set_exception_args(instance, args.positional.subspan(1));
  }
  return nullptr;
}
Any exception_str_body(Evaluator& e, const Arguments& args) {
  return str_value(e.state().exception_text(args[0]));
}

constexpr BuiltinRow object_rows[] = {
    {"__eq__", "(other)", "Are they equal?", eq, 1, 1},
    {"__ne__", "(other)", "Do they differ?", ne, 1, 1},
    {"__hash__", "()", "The hash.", hash, 0, 0},
    {"__repr__", "()", "The text of the object.", repr, 0, 0},
    {"__str__", "()", "The text of the object.", str, 0, 0},
    {"__setattr__", "(name, value)", "Sets an attribute.", setattr, 2, 2},
    {"__delattr__", "(name)", "Removes an attribute.", delattr, 1, 1},
    {"__getattribute__", "(name)", "The attribute, without __getattr__.", getattribute, 1, 1},
};
std::span<const BuiltinRow> object_methods() { return object_rows; }
constexpr BuiltinRow new_row = {"__new__", "(cls, *args)", "A new object of the class.", make_new, 1, 127,
                                "*"};
constexpr BuiltinRow call_row = {
    "__call__", "(*args)", "A new, initialised object of the class.", call_type, 1, 127, "*"};
constexpr BuiltinRow init_row = {"__init__", "(*args)", "Prepares a new object.", init, 0, 127, "*"};
constexpr BuiltinRow exception_init_row = {
    "__init__", "(*args)", "Keeps the arguments.", exception_init_body, 0, 127, "*"};
constexpr BuiltinRow exception_str_row = {"__str__", "()", "The message.", exception_str_body, 0, 0};

const Table* table_for(const ClassNode* cls) {
  const Types& t = types();
  if (cls == t.str.get()) return &table<str_methods, str_case_methods>();
  if (cls == t.list.get()) return &table<list_methods>();
  if (cls == t.tuple.get()) return &table<tuple_methods>();
  if (cls == t.dict.get()) return &table<dict_methods>();
  if (cls == t.set.get() || cls == t.frozenset.get()) return &table<set_methods>();
  if (cls == t.integer.get() || cls == t.boolean.get()) return &table<int_methods>();
  if (cls == t.real.get()) return &table<float_methods>();
  if (cls == t.bytes.get()) return &table<bytes_methods>();
  return nullptr;
}

const Table* table_for(const Any& object) {
  if (object.type_index() == kTVMFFIMap) return &table<dict_methods>();
  if (auto* view = as<DictViewNode>(object); view != nullptr && view->kind != DictViewNode::Kind::kValues)
    return &table<view_methods>();
  // Objects of classes that derive from a builtin type ask for its methods by the class.
  if (as<InstanceNode>(object) != nullptr) return nullptr;
  Ref<ClassNode> type = builtin_type_of(object);
  return type ? table_for(type.get()) : nullptr;
}

const BuiltinRow* in(const Table& table, Symbol name) {
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

// property.setter and its like: the decorator forms.
template <Any PropertyNode::*part>
Any with_part(Evaluator&, const Arguments& args) {
  auto* property = as<PropertyNode>(args[0]);
  Ref<PropertyNode> made =
      ir::make<PropertyNode>(property->getter, property->setter, property->deleter, property->doc);
  const_cast<PropertyNode*>(made.get())->*part = args[1];
  return Any(made);
}
constexpr BuiltinRow property_rows[] = {
    {"setter", "(function)", "The property with this setter.", with_part<&PropertyNode::setter>, 1, 1},
    {"deleter", "(function)", "The property with this deleter.", with_part<&PropertyNode::deleter>, 1, 1},
    {"getter", "(function)", "The property with this getter.", with_part<&PropertyNode::getter>, 1, 1},
};
std::span<const BuiltinRow> property_methods() { return property_rows; }

Any with_traceback(Evaluator& evaluator, const Arguments& args) {
  evaluator.set_attribute(args[0], known().traceback, args[1], args.span);
  return args[0];
}
Any add_note(Evaluator& evaluator, const Arguments& args) {
  auto* instance = as<InstanceNode>(args[0]);
  if (!is_str(args[1])) {
    raise("TypeError", args.span_of(1), "wrong-type", "note must be a str, not '{}'",
          type_name_of(evaluator, args[1]));
  }
  const Any* notes = instance->own(known().notes);
  List list = notes == nullptr ? List() : notes->cast<List>();
  list.push_back(args[1]);
  instance->set(known().notes, list);
  return nullptr;
}
constexpr BuiltinRow exception_rows[] = {
    {"with_traceback", "(tb)", "The exception itself.", with_traceback, 1, 1},
    {"add_note", "(note)", "Adds a note.", add_note, 1, 1},
};
std::span<const BuiltinRow> exception_methods() { return exception_rows; }

}  // namespace

const BuiltinRow* builtin_method_of(const Any& object, Symbol name) {
  if (const Table* table = table_for(object)) {
    if (const BuiltinRow* row = in(*table, name)) return row;
  }
  if (value_as_iterator(object)) {
    if (const BuiltinRow* row = in(table<generator_methods>(), name)) {
      return value_as_iterator(object)->name == "generator" ? row : nullptr;
    }
  }
  if (!name.str().starts_with("__")) return nullptr;
  if (const BuiltinRow* row = protocol_row(object, name)) return row;
  if (builtin_type_of(object) && as<InstanceNode>(object) == nullptr) {
    bool container = table_for(object) != nullptr && !is_number(object);
    return container || table_for(object) != nullptr || !is_object(object) ? object_method_row(name)
                                                                           : nullptr;
  }
  return nullptr;
}

const BuiltinMethod* usual_method(const Any& object, Symbol name) {
  struct Entry {
    int32_t type = kTVMFFINone;  // has no methods: an empty entry
    Symbol name;
    BuiltinMethod method;
  };
  constexpr size_t kEntries = 128;
  static thread_local Entry entries[kEntries];
  int32_t type = object.type_index();
  if (type >= kTVMFFIDynObjectBegin) {
    auto* set = as<SetNode>(object);
    if (set == nullptr) return nullptr;
    if (set->frozen) type = -type;
  }
  Entry& entry = entries[(name.id() * 31 + static_cast<uint32_t>(type)) % kEntries];
  if (entry.type == type && entry.name == name) return &entry.method;
  const Table* table = table_for(object);
  const BuiltinRow* row = table == nullptr ? nullptr : in(*table, name);
  if (row == nullptr) return nullptr;
  Ref<ClassNode> cls = builtin_type_of(object);
  entry = {type, name, {row, cls ? std::string_view(cls->name) : "dict"}};
  return &entry.method;
}

const BuiltinRow* builtin_method(int32_t type_index, Symbol name) {
  return type_index == kTVMFFIArray ? in(table<tuple_methods>(), name) : nullptr;
}

const BuiltinRow* type_method_row(const ClassNode* cls, Symbol name) {
  if (const Table* table = table_for(cls)) {
    if (const BuiltinRow* row = in(*table, name)) return row;
  }
  return protocol_row(cls, name);
}
const BuiltinRow* class_method_row(const ClassNode* cls, Symbol name) {
  const BuiltinRow* row = type_method_row(cls, name);
  return row != nullptr ? row : object_method_row(name);
}

const BuiltinRow* object_method_row(Symbol name) { return in(table<object_methods>(), name); }

std::vector<std::string> builtin_names_of(const Any& object) {
  std::vector<std::string> names;
  if (const Table* table = table_for(object)) {
    for (const auto& [name, row] : *table) names.emplace_back(row->name);
  }
  return names;
}

bool property_attribute(Evaluator& evaluator, PropertyNode* property, const Any& object, Symbol name,
                        Any& out) {
  if (const BuiltinRow* row = in(table<property_methods>(), name)) {
    out = Any(ir::make<BoundMethodNode>(object, builtin_value(row, "property")));
    return true;
  }
  if (name == known().doc) {
    out = property->doc;
    if (is_none(out) && !is_none(property->getter)) out = evaluator.attribute(property->getter, name);
  } else if (name.str() == "fget")
    out = property->getter;
  else if (name.str() == "fset")
    out = property->setter;
  else if (name.str() == "fdel")
    out = property->deleter;
  else if (name.str() == "__isabstractmethod__") {
    out = false;
    for (const Any* part : {&property->getter, &property->setter, &property->deleter}) {
      Any marked;
      if (!is_none(*part) && evaluator.find_attribute(*part, name, marked) && evaluator.truth(marked))
        out = true;
    }
  } else
    return false;
  return true;
}

bool exception_attribute(InstanceNode* exception, Symbol name, Any& out) {
  if (exception_field(exception, name, out)) return true;
  if (const BuiltinRow* row = in(table<exception_methods>(), name)) {
    out = Any(ir::make<BoundMethodNode>(Any(ir::ref(exception)), builtin_value(row, "BaseException")));
    return true;
  }
  return false;
}

Any exception_init() { return builtin_value(&exception_init_row, "BaseException"); }
Any exception_str() { return builtin_value(&exception_str_row, "BaseException"); }
Any object_new() { return builtin_value(&new_row, ""); }
Any type_call() { return builtin_value(&call_row, ""); }
Any object_init() { return builtin_value(&init_row, "object"); }

}  // namespace mlc::script
