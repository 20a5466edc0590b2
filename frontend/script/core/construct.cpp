// SPDX-License-Identifier: Apache-2.0
// How classes and their objects come to be where `__init__` alone does not do it: __new__, classes derived
// from builtin types and from `type`, abstract classes, and what a class statement does beside running its
// body.
//
// An object of a class derived from dict, str, ... holds a value of that type, its payload. What its class
// does not define is asked of the payload (`State::special`, attributes, methods of the builtin type).
#include <algorithm>

#include "frontend/script/core/machine.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "abstract-class",
         .message = "Can't instantiate abstract class {} with abstract method{} {}",
         .meaning = "A class with abstract methods has no instances; a subclass that defines them all has.",
         .wrong = R"(from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
Shape())",
         .right = R"(from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
class Dot(Shape):
    def area(self):
        return 0
Dot())"},
        {.name = "bad-bases",
         .message = "multiple bases have instance lay-out conflict"},
        {.name = "init-result",
         .message = "__init__() should return None, not '{}'"},
    }};
MLC_REFUSALS(core_construct, refusals);

using State = Evaluator::State;

namespace {

bool holds_data(const ClassNode* cls) {
  const Types& t = types();
  for (const Ref<ClassNode>& each :
       {t.integer, t.real, t.str, t.bytes, t.list, t.tuple, t.dict, t.set, t.frozenset}) {
    if (cls == each.get()) return true;
  }
  return false;
}
bool is_mutable(const ClassNode* data) {
  return data == types().list.get() || data == types().dict.get() || data == types().set.get();
}

// `__new__` is static, `__init_subclass__` and `__class_getitem__` are class methods, undecorated too.
void wrap(ClassNode* cls, Symbol name, bool takes_class) {
  const Any* member = cls->own(name);
  if (member != nullptr && as<FunctionNode>(*member))
    cls->set(name, Any(ir::make<StaticMethodNode>(*member, takes_class)));
}

void refuse_hooks(const ClassNode* cls, ir::Span span) {
  struct Refused {
    std::string_view name, why;
    bool of_metaclass;
  };
  constexpr Refused refused[] = {
      {"__del__", "nothing says when an object goes away; use `with`", false},
      {"__getattribute__", "attributes are found without asking; `__getattr__` sees those that are missing", false},
      {"__delete__", "a descriptor has `__get__` and `__set__`", false},
      {"__await__", "there is no asynchronous code", false},
      {"__aenter__", "there is no asynchronous code", false},
      {"__new__", "a metaclass prepares its classes in `__init__`", true},
      {"__prepare__", "a class body has a namespace of its own", true},
      {"__instancecheck__", "isinstance() asks the classes themselves", true},
      {"__subclasscheck__", "issubclass() asks the classes themselves", true},
  };
  bool metaclass = cls->derives_from(types().type.get());
  for (const Refused& each : refused) {
    if (each.of_metaclass && !metaclass) continue;
    if (cls->own(Symbol(each.name)) == nullptr) continue;
    raise("NotImplementedError", span, "not-supported", "`{}` of class `{}` is not available: {}", each.name,
          cls->name, each.why);
  }
}

}  // namespace

namespace {

// `__qualname__` and `__module__` of the class body are the class's own, not its bases' or its objects'.
void take_names(Evaluator& evaluator, ClassNode* cls, ir::Span span) {
  if (const Any* name = cls->own(known().qualname)) {
    if (!is_str(*name)) {
      raise("TypeError", span, "wrong-type", "type __qualname__ must be a str, not {}",
            type_name_of(evaluator, *name));
    }
    cls->renamed = cls->short_name();
    cls->name = text_of(*name);
    cls->erase(known().qualname);
  }
  const Any* module = cls->own(known().module);
  if (module == nullptr || !is_str(*module)) return;
  cls->module = text_of(*module);
  cls->erase(known().module);
}

// The attributes that `__slots__` names are all that objects have, if each base names its own too.
void read_slots(Evaluator& evaluator, ClassNode* cls) {
  if (const Any* given = cls->own(known().slots)) {
    cls->slots.emplace();
    for (const Any& each : is_str(*given) ? std::vector<Any>{*given} : evaluator.elements_of(*given))
      cls->slots->emplace_back(text_of(each));
  }
  cls->slotted = std::all_of(cls->mro.begin(), cls->mro.end(), [&](const ClassNode* each) {
    return each == types().object.get() || each == cls->data || (each->slots && !each->has_slot(known().dict));
  });
}

}  // namespace

void State::prepare_class(const Ref<ClassNode>& ref, ir::Span span) {
  auto* cls = const_cast<ClassNode*>(ref.get());
  for (const Ref<ClassNode>& base : cls->bases) {
    cls->is_exception = cls->is_exception || base->is_exception;
    cls->construct = cls->construct ? cls->construct : base->construct;
    if (!cls->metaclass) cls->metaclass = base->metaclass;
    const ClassNode* data = holds_data(base.get()) ? base.get() : base->data;
    if (data == nullptr) continue;
    if (cls->data != nullptr && cls->data != data)
      raise(refusals["bad-bases"], span);
    cls->data = data;
  }
}

void State::finish_class(const Ref<ClassNode>& ref, Keywords& keywords, bool has_bases, ir::Span span) {
  auto* cls = const_cast<ClassNode*>(ref.get());
  // Documentation is not inherited.
  if (cls->own(known().doc) == nullptr) cls->set(known().doc, Any(nullptr));
  refuse_hooks(cls, span);
  wrap(cls, known().new_, false);
  wrap(cls, known().init_subclass, true);
  wrap(cls, known().class_getitem, true);
  if (cls->own(known().eq) != nullptr && cls->own(known().hash) == nullptr)
    cls->set(known().hash, Any(nullptr));
  cls->has_getattr = cls->find(known().getattr) != nullptr;
  take_names(self, cls, span);
  read_slots(self, cls);
  for (size_t i = 0; i < cls->members.size(); ++i) {
    auto [name, value] = cls->members[i];
    if (auto* instance = as<InstanceNode>(value);
        instance != nullptr && instance->cls->find(known().set_name)) {
      Any args[] = {Any(ref), str_value(name.str())}, ignored;
      special(value, known().set_name, args, ignored, span);
    }
  }
  const Any* hook = nullptr;
  for (size_t i = 1; i < cls->mro.size() && hook == nullptr; ++i)
    hook = cls->mro[i]->own(known().init_subclass);
  if (hook != nullptr) {
    Any argument(ref);
    self.call(as<StaticMethodNode>(*hook) ? as<StaticMethodNode>(*hook)->callee : *hook,
              std::span<const Any>(&argument, 1), keywords, span);
  } else if (!keywords.empty() && !cls->metaclass) {
    raise("TypeError", span, "unknown-keyword", "{}.__init_subclass__() takes no keyword arguments",
          cls->name);
  }
  if (cls->metaclass) {
    if (const Any* init = cls->metaclass->find(known().init)) {
      Dict names;
      for (const auto& [name, value] : cls->members) {
        if (name != known().doc || !is_none(value)) names.Set(str_value(name.str()), value);
      }
      List bases;
      if (has_bases) {
        for (const Ref<ClassNode>& base : cls->bases) bases.push_back(Any(base));
      }
      Any args[] = {Any(ref), str_value(cls->short_name()), Tuple(bases.begin(), bases.end()), names};
      self.call(*init, args, hook == nullptr ? keywords : Keywords(), span);
    }
  }
  const Any* abstract = cls->find(known().abstract_methods);
  bool called = cls->metaclass && cls->metaclass->find(known().call) != nullptr;
  cls->plain = !called && cls->data == nullptr && cls->find(known().new_) == nullptr &&
               (abstract == nullptr || !self.truth(*abstract)) && !cls->derives_from(types().type.get());
}

Any State::make_payload(const ClassNode* cls, const Arguments& args) {
  const ClassNode* data = cls->data;
  if (data == nullptr) return nullptr;
  if (is_mutable(data)) return data->construct(self, ir::ref(data), Arguments{{}, {}, args.span});
  return data->construct(self, ir::ref(data), args);
}

namespace {

// type(name, bases, namespace), and the same of a class derived from `type`.
Any make_class(State& state, const Ref<ClassNode>& metaclass, std::span<const Any> args, ir::Span span) {
  if (args.size() != 3 || !is_str(args[0]) || args[1].type_index() != kTVMFFIArray ||
      args[2].type_index() != kTVMFFIDict) {
    raise("TypeError", span, "wrong-argument-count", "type() takes 1 or 3 arguments");
  }
  Ref<ClassNode> ref = ir::make<ClassNode>(std::string(text_of(args[0])));
  auto* cls = const_cast<ClassNode*>(ref.get());
  if (metaclass.get() != types().type.get()) cls->metaclass = metaclass;
  state.set_bases(ref, elements(args[1]), span);
  for (const auto& [name, value] : *static_cast<ffi::MapBaseObj*>(raw_object(args[2])))
    cls->set(Symbol(text_of(name)), value);
  Keywords none;
  state.finish_class(ref, none, !elements(args[1]).empty(), span);
  return Any(ref);
}

}  // namespace

// `args`: what is behind the class itself.
Any State::new_object(const Ref<ClassNode>& cls, const Arguments& args) {
  if (cls->derives_from(types().type.get())) return make_class(*this, cls, args.positional, args.span);
  Ref<InstanceNode> made = ir::make<InstanceNode>(cls);
  const_cast<InstanceNode*>(made.get())->payload = make_payload(cls.get(), args);
  return Any(made);
}

void State::initialise(const Any& object, const Ref<ClassNode>& cls, std::span<const Any> args,
                       Keywords& keywords, ir::Span span) {
  std::vector<Any> all = {object};
  all.insert(all.end(), args.begin(), args.end());
  if (const Any* init = cls->find(known().init)) {
    Any result = self.call(*init, all, keywords, span);
    if (!is_none(result)) {
      raise(refusals["init-result"], span, type_name_of(self, result));
    }
    return;
  }
  if (cls->data != nullptr && is_mutable(cls->data)) {
    self.call(builtin_value(protocol_row(cls->data, known().init), cls->data->name), all, keywords, span);
    return;
  }
  if (cls->data == nullptr && cls->find(known().new_) == nullptr && (!args.empty() || !keywords.empty()))
    raise("TypeError", span, "too-many-arguments", "{}() takes no arguments", cls->short_name());
}

Any State::construct(const Ref<ClassNode>& cls, Any* base, Keywords& keywords, ir::Span span) {
  std::vector<Any> args(base, top);
  Keywords again = keywords;
  if (const Any* abstract = cls->find(known().abstract_methods); abstract && self.truth(*abstract)) {
    std::vector<Any> names = self.elements_of(*abstract);
    std::sort(names.begin(), names.end(), [](const Any& a, const Any& b) { return text_of(a) < text_of(b); });
    std::string list;
    for (const Any& name : names) list += (list.empty() ? "" : ", ") + std::string(text_of(name));
    raise(refusals["abstract-class"], span, cls->short_name(), names.size() == 1 ? "" : "s", list);
  }
  Any object;
  if (const Any* make = cls->find(known().new_)) {
    std::vector<Any> all = {Any(cls)};
    all.insert(all.end(), args.begin(), args.end());
    object = self.call(as<StaticMethodNode>(*make) ? as<StaticMethodNode>(*make)->callee : *make, all,
                       keywords, span);
    if (!self.is_instance(object, Any(cls))) return object;
  } else {
    object = new_object(cls, Arguments{args, keywords, span});
  }
  if (as<ClassNode>(object)) return object;
  initialise(object, cls, args, again, span);
  return object;
}

Any class_of_three(Evaluator& evaluator, const Arguments& args) {
  return make_class(evaluator.state(), types().type, args.positional, args.span);
}

void take_type_keywords(const ClassNode& cls, Arguments& args, Any& first) {
  static constexpr std::pair<std::string_view, std::string_view> taken[] = {
      {"int", " base "},
      {"str", " object encoding errors "},
      {"bytes", " source encoding errors "},
      {"zip", " strict "},
      {"enumerate", " iterable start "},
      {"property", " fget fset fdel doc "},
  };
  if (cls.scripted || cls.module != "builtins" || &cls == types().dict.get() || &cls == types().type.get()) return;
  auto row = std::find_if(std::begin(taken), std::end(taken),
                          [&](const auto& each) { return each.first == cls.name; });
  std::string_view names = row == std::end(taken) ? "" : row->second;
  for (const auto& [name, value] : args.keywords) {
    if (names.find(fmt::format(" {} ", name)) == std::string_view::npos)
      raise("TypeError", args.span, "wrong-arguments", "{}() takes no keyword argument '{}'", cls.name, name);
  }
  std::string_view front = names.empty() ? names : names.substr(1, names.find(' ', 1) - 1);
  bool positional = front == "object" || front == "source" || front == "iterable";
  const Any* given = positional ? args.keyword(front) : nullptr;
  if (given == nullptr) return;
  if (args.size() > 0) {
    raise("TypeError", args.span, "wrong-arguments", "{}() got its argument '{}' by name and by position", cls.name,
          front);
  }
  first = *given;
  args.positional = std::span<Any>(&first, 1);
  args.spans = {};
}

}  // namespace mlc::script
