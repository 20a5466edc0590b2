// SPDX-License-Identifier: Apache-2.0
// `object.name` for every kind of object: script classes and instances, builtin methods, modules, fields and
// methods of registered objects.
#include <algorithm>
#include <filesystem>

#include "frontend/script/core/hints.h"
#include "frontend/script/core/importer.h"
#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/missing_type.h"
#include "frontend/script/modules/classic_names.h"
#include "frontend/script/types/dict_attrs.h"
#include "frontend/script/types/dtype.h"
#include "frontend/script/types/enum_results.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/module.h"
#include "ir/core/refusal.h"
#include "ir/registry/classic_names.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "AttributeError",
    {
        {.name = "immutable-type",
         .kind = "TypeError",
         .message = "cannot set '{}' attribute of immutable type '{}'",
         .meaning = "The types of the language get no attributes.",
         .wrong = "int.double = 2",
         .right = "double = 2"},
        {.name = "no-getter",
         .message = "property of '{}' object has no getter",
         .meaning = "A property without a function to read it.",
         .wrong = R"(class A:
    n = property()
A().n)",
         .right = R"(class A:
    n = property(lambda self: 1)
A().n)"},
        {.name = "no-monkey-patching",
         .message = "modules of mlc cannot be changed: `{}`",
         .meaning = "The modules of mlc stay what they are; names of your own belong to your own modules.",
         .wrong = R"(import tvm
tvm.version = 1)",
         .right = R"(import tvm
version = 1)"},
        {.name = "no-setter",
         .message = "property '{}' of '{}' object has no setter",
         .meaning = "A property is set by a function of its own, which this one has not.",
         .wrong = R"(class A:
    @property
    def n(self):
        return 1
A().n = 2)",
         .right = R"(class A:
    pass
A().n = 2)"},
    }};
MLC_REFUSALS(core_attributes, refusals);

using State = Evaluator::State;

namespace {

// What the look-ups below end with where there is such a name.
template <class T>
bool answer(Any& out, T&& value) {
  out = std::forward<T>(value);
  return true;
}

// Of a slice or range.
template <class Node>
bool bound_of(const Node& node, Symbol name, Any& out) {
  if (name.str() == "start") return answer(out, node.start);
  if (name.str() == "stop") return answer(out, node.stop);
  return name.str() == "step" && answer(out, node.step);
}

Any bind(const Any& self, const Any& callee) { return Any(ir::make<BoundMethodNode>(self, callee)); }

// What a class member becomes when it is read through an instance.
Any bind_member(Evaluator& evaluator, const Any& self, ClassNode* cls, const Any& member, ir::Span span) {
  if (as<FunctionNode>(member)) return bind(self, member);
  // Methods of builtin types bind; builtin functions do not.
  if (auto* builtin = as<BuiltinNode>(member)) return builtin->owner.empty() ? member : bind(self, member);
  if (auto* property = as<PropertyNode>(member)) {
    if (is_none(property->getter)) raise(refusals["no-getter"], span, cls->name);
    return evaluator.call(property->getter, std::span<const Any>(&self, 1), {}, span);
  }
  if (auto* fixed = as<StaticMethodNode>(member)) {
    return fixed->takes_class ? bind(Any(ir::ref(cls)), fixed->callee) : fixed->callee;
  }
  // Registered objects that are methods where a class has them, such as functions under @T.inline.
  if (is_object(member) && ir::ApiRegistry::global().method(member.type_index(), "__get__"))
    return bind(self, member);
  if (auto* descriptor = as<InstanceNode>(member)) {
    Any result, args[] = {self, Any(ir::ref(cls))};
    if (descriptor->cls->find(known().get) &&
        evaluator.state().special(member, known().get, args, result, span))
      return result;
  }
  return member;
}

// A member that goes before the instance's own attributes: a property, or a descriptor with __set__.
bool is_data_descriptor(const Any& member) {
  if (as<PropertyNode>(member) != nullptr) return true;
  auto* object = as<InstanceNode>(member);
  return object != nullptr && object->cls->find(known().set);
}

// An instance's class; for exceptions and instances alike.
bool instance_attribute(Evaluator& evaluator, InstanceNode* instance, const Any& object, Symbol name,
                        Any& out, ir::Span span, bool hooked = true) {
  const Any* member = instance->cls->find(name);
  if (member != nullptr && is_data_descriptor(*member))
    return answer(out,
                  bind_member(evaluator, object, const_cast<ClassNode*>(instance->cls.get()), *member, span));
  if (const Any* own = instance->own(name)) return answer(out, *own);
  if (member != nullptr)
    return answer(out,
                  bind_member(evaluator, object, const_cast<ClassNode*>(instance->cls.get()), *member, span));
  if (name == known().cls) return answer(out, Any(instance->cls));
  if (name == known().dict && !instance->cls->slotted) return answer(out, instance->own_dict());
  if (instance->cls->is_exception && exception_attribute(instance, name, out)) return true;
  if (!is_none(instance->payload)) {
    if (const BuiltinRow* row = builtin_method_of(instance->payload, name))
      return answer(out, bind(object, builtin_value(row, builtin_type_of(instance->payload)->name)));
    if (is_number(instance->payload) && number_attribute(instance->payload, name, out)) return true;
  }
  if (hooked && instance->cls->has_getattr) {
    Any args[] = {object, str_value(name.str())};
    out = evaluator.call(*instance->cls->find(known().getattr), args, {}, span);
    return true;
  }
  return false;
}

bool class_attribute(Evaluator& evaluator, ClassNode* cls, Symbol name, Any& out) {
  if (cls->metaclass) {
    const Any* member = cls->metaclass->find(name);
    if (member != nullptr && is_data_descriptor(*member))
      return answer(out, bind_member(evaluator, Any(ir::ref(cls)),
                                     const_cast<ClassNode*>(cls->metaclass.get()), *member, {}));
  }
  if (name == known().annotations) {
    if (cls->own(name) == nullptr && cls->scripted) cls->set(name, Any(Dict()));
    const Any* own = cls->own(name);
    if (own != nullptr) out = *own;
    return own != nullptr;
  }
  if (const Any* member = cls->find(name)) {
    if (auto* fixed = as<StaticMethodNode>(*member)) {
      out = fixed->takes_class ? bind(Any(ir::ref(cls)), fixed->callee) : fixed->callee;
    } else if (auto* object = as<InstanceNode>(*member); object && object->cls->find(known().get)) {
      Any args[] = {Any(nullptr), Any(ir::ref(cls))};
      evaluator.state().special(*member, known().get, args, out, {});
    } else {
      out = *member;
    }
    return true;
  }
  if (cls->metaclass) {
    if (const Any* member = cls->metaclass->find(name))
      return answer(out, bind_member(evaluator, Any(ir::ref(cls)),
                                     const_cast<ClassNode*>(cls->metaclass.get()), *member, {}));
  }
  if (name == known().cls) return answer(out, evaluator.type_of(Any(ir::ref(cls))));
  if (name == known().dict) return answer(out, class_dict(cls));
  if (name == known().new_) return answer(out, object_new());
  if (name == known().base) {
    const ClassNode* base = cls->bases.empty() ? nullptr : cls->bases[0].get();
    for (const Ref<ClassNode>& each : cls->bases) {
      if (base->data == nullptr && each->data != nullptr) base = each.get();
    }
    out = base == nullptr ? Any(nullptr) : Any(ir::ref(base));
    return true;
  }
  if (type_method(cls, name, out)) return true;
  if (name == known().name || name == known().qualname)
    return answer(out, str_value(name == known().name ? cls->short_name() : std::string_view(cls->name)));
  if (name == known().module) return answer(out, str_value(cls->module));
  if (name == known().doc) return answer(out, nullptr);
  if (name == known().mro || name == known().bases) {
    Tuple all;
    if (name == known().mro) {
      for (ClassNode* each : cls->mro) all.push_back(Any(ir::ref(each)));
    } else {
      for (const Ref<ClassNode>& each : cls->bases) all.push_back(Any(each));
    }
    out = all;
    return true;
  }
  if (cls->module == "builtins") {
    if (const BuiltinRow* row = class_method_row(cls, name))
      return answer(out, builtin_value(row, cls->name));
    if (class_builtin(evaluator, cls, name, out)) return true;
  } else {
    if (cls->data != nullptr) {
      if (const BuiltinRow* row = type_method_row(cls->data, name))
        return answer(out, builtin_value(row, cls->data->name));
      if (class_builtin(evaluator, cls, name, out)) return true;
    }
    if (const BuiltinRow* row = object_method_row(name)) return answer(out, builtin_value(row, "object"));
  }
  if (name == known().init && cls->is_exception) return answer(out, exception_init());
  if (name == known().init) return answer(out, object_init());
  if (cls->metaclass && cls->metaclass->has_getattr) {
    Any args[] = {Any(ir::ref(cls)), str_value(name.str())};
    out = evaluator.call(*cls->metaclass->find(known().getattr), args, {}, {});
    return true;
  }
  return false;
}

bool super_attribute(Evaluator& evaluator, SuperNode* super, Symbol name, Any& out, ir::Span span) {
  auto* cls = as<ClassNode>(super->self);
  bool of_class = cls != nullptr;
  if (!of_class) {
    auto* instance = as<InstanceNode>(super->self);
    if (instance == nullptr) return false;
    cls = const_cast<ClassNode*>(instance->cls.get());
  }
  // In a method of a metaclass the object is a class, and its type's bases are searched.
  bool of_metaclass = of_class && cls->metaclass && cls->metaclass->derives_from(super->after.get());
  if (of_metaclass) cls = const_cast<ClassNode*>(cls->metaclass.get());
  bool behind = false;
  for (ClassNode* each : cls->mro) {
    if (!behind) {
      behind = each == super->after.get();
      continue;
    }
    if (const Any* member = each->own(name))
      return answer(out, of_class && !of_metaclass && as<StaticMethodNode>(*member) == nullptr
                             ? *member
                             : bind_member(evaluator, super->self, cls, *member, span));
    if (each == types().type.get() && name == known().call)
      return answer(out, bind(super->self, type_call()));
    if (const BuiltinRow* row = each == cls->data ? type_method_row(each, name) : nullptr) {
      Any method = builtin_value(row, each->name);
      out = of_class ? method : bind(super->self, method);
      return true;
    }
    if (each->is_exception && each->module != "__main__" && name == known().init)
      return answer(out, bind(super->self, exception_init()));
    if (each->is_exception && each->module != "__main__" && name == known().str)
      return answer(out, bind(super->self, exception_str()));
  }
  if (name == known().init) return answer(out, bind(super->self, object_init()));
  if (name == known().new_) return answer(out, object_new());
  if (name == known().init_subclass) return answer(out, bind(super->self, object_init_subclass()));
  if (const BuiltinRow* row = object_method_row(name))
    return answer(out, bind(super->self, builtin_value(row, "object")));
  return false;
}

// A method or field read from its class, `IRModule.update`: it takes the object as its first argument.
bool member_of_api_class(State& state, const ir::Api& cls, Symbol name, Any& out) {
  std::string_view key = cls.row.type_key;
  TVMFFIByteArray text{key.data(), key.size()};
  int32_t type_index = 0;
  if (key.empty() || TVMFFITypeKeyToIndex(&text, &type_index) != 0) return false;
  const ir::Api* api = ir::ApiRegistry::global().method(type_index, name.str());
  if (api != nullptr && api->row.kind == ir::ApiKind::kMethod) return answer(out, state.api_value(api));
  std::vector<std::string> fields = object_fields(type_index);
  if (api == nullptr && std::find(fields.begin(), fields.end(), name.str()) == fields.end()) return false;
  out = Any(ir::make<PropertyNode>(api == nullptr ? Any(nullptr) : state.api_value(api), Any(nullptr),
                                   Any(nullptr)));
  return true;
}

// What stands below the object's class in the registry: constants and functions such as `Target.current`.
bool member_below_class(State& state, const Any& object, Symbol name, Any& out) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(object.type_index());
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  for (int32_t i = info->type_depth; i >= 0; --i) {
    const TVMFFITypeInfo* type = i == info->type_depth ? info : info->type_ancestors[i];
    const ir::Api* cls = registry.class_of({type->type_key.data, type->type_key.size});
    const ir::Api* member =
        cls == nullptr ? nullptr : registry.find(fmt::format("{}.{}", cls->path(), name.str()));
    if (member == nullptr) continue;
    out = state.api_value(member);
    return true;
  }
  return false;
}

// What the type's own `__getattr__` makes of a name that nothing else knows.
bool computed_attribute(Evaluator& self, const Any& object, Symbol name, Any& out, ir::Span span) {
  const ir::Api* api = ir::ApiRegistry::global().method(object.type_index(), "__getattr__");
  if (!api || name.str().starts_with("__")) return false;
  Any arguments[] = {object, str_value(name.str())};
  ir::Span spans[] = {span, span};
  ir::ApiCall call{*api, self, arguments, span, spans};
  out = api->row.body(call);
  return true;
}

// Modules, classes and functions: a name is looked up in them before it is a method of every object.
bool has_names_of_its_own(const Any& object) {
  return as<ModuleNode>(object) != nullptr || as<ApiModuleNode>(object) != nullptr ||
         as<ClassNode>(object) != nullptr || as<SuperNode>(object) != nullptr ||
         as<FunctionNode>(object) != nullptr || as<ApiFunctionNode>(object) != nullptr;
}

}  // namespace

bool Evaluator::find_attribute(const Any& object, Symbol name, Any& out) {
  return state_->attribute_or_not(object, name, out, {});
}

bool State::plain_attribute(const Any& object, Symbol name, Any& out, ir::Span span) {
  if (auto* instance = as<InstanceNode>(object))
    return instance_attribute(self, instance, object, name, out, span, false);
  return attribute_or_not(object, name, out, span);
}

bool State::attribute_or_not(const Any& object, Symbol name, Any& out, ir::Span span) {
  if (auto* instance = as<InstanceNode>(object)) {
    if (instance_attribute(self, instance, object, name, out, span)) return true;
    if (const BuiltinRow* row = object_method_row(name))
      return answer(out, bind(object, builtin_value(row, "object")));
    return false;
  }
  if (auto* module = as<ModuleNode>(object)) {
    if (const Any* found = module->find(name)) return answer(out, *found);
    if (name == known().name) return answer(out, str_value(module->name));
    if (name == known().dict) return answer(out, namespace_of(module));
    return false;
  }
  if (auto* module = as<ApiModuleNode>(object)) return module_member(module->path, name, out);
  if (auto* cls = as<ClassNode>(object)) return class_attribute(self, cls, name, out);
  if (auto* super = as<SuperNode>(object)) return super_attribute(self, super, name, out, span);
  if (name == known().cls) return answer(out, self.type_of(object));
  if (auto* fn = as<FunctionNode>(object)) return function_attribute(*this, fn, name, out, span);
  if (auto* api = as<ApiFunctionNode>(object)) {
    if (name == known().name || name == known().qualname) return answer(out, str_value(api->api->name));
    if (name == known().doc) return answer(out, str_value(api->api->row.doc));
    if (name == known().module) {
      std::string_view shown = api->api->row.shown_as;
      out = str_value(shown.empty() ? api->api->row.owner : shown.substr(0, shown.rfind('.')));
      return true;
    }
    return module_member(api->api->path(), name, out) ||
           (api->api->row.kind == ir::ApiKind::kClass && member_of_api_class(*this, *api->api, name, out));
  }
  if (auto* bound = as<BoundMethodNode>(object)) {
    if (name == known().self || name == known().func)
      return answer(out, name == known().self ? bound->self : bound->callee);
    return attribute_or_not(bound->callee, name, out, span);
  }
  if (auto* builtin = as<BuiltinNode>(object)) {
    if (name == known().name || name == known().qualname) {
      bool whole = name == known().qualname && !builtin->owner.empty();
      out = str_value(whole ? fmt::format("{}.{}", builtin->owner, builtin->row->name)
                            : std::string(builtin->row->name));
      return true;
    }
    if (name == known().module && builtin->owner.empty()) return answer(out, str_value("builtins"));
    if (name == known().doc) return answer(out, str_value(builtin->row->doc));
    return false;
  }
  if (auto* property = as<PropertyNode>(object)) return property_attribute(self, property, object, name, out);
  if (auto* fixed = as<StaticMethodNode>(object)) {
    static const Symbol wrapped("__wrapped__"), abstract("__isabstractmethod__");
    static const Symbol copied[] = {known().name, known().qualname, known().doc, known().module,
                                    known().annotations};
    if (name == known().func || name == wrapped) return answer(out, fixed->callee);
    if (name == abstract) {
      if (!attribute_or_not(fixed->callee, name, out, span)) out = false;
      return true;
    }
    return std::find(std::begin(copied), std::end(copied), name) != std::end(copied) &&
           attribute_or_not(fixed->callee, name, out, span);
  }
  if (auto* slice = as<SliceNode>(object)) {
    if (name.str() == "indices") return answer(out, bind(object, builtin_value(&slice_indices(), "slice")));
    return bound_of(*slice, name, out);
  }
  if (auto* range = as<RangeNode>(object)) {
    if (bound_of(*range, name, out)) return true;
    const BuiltinRow* row = builtin_method(kTVMFFIArray, name);
    return row != nullptr && answer(out, bind(object, builtin_value(row, "range")));
  }
  if (const BuiltinRow* row = builtin_method_of(object, name))
    return answer(out, bind(object, builtin_value(row, builtin_type_of(object)
                                                           ? std::string_view(builtin_type_of(object)->name)
                                                           : "dict")));
  if ((is_int(object) || is_bool(object) || is_float(object) || as_wide(object) != nullptr) &&
      number_attribute(object, name, out))
    return true;
  // Class methods and static methods of builtin types: "".maketrans, {}.fromkeys.
  if (Ref<ClassNode> type = builtin_type_of(object);
      type && type->module == "builtins" && class_builtin(self, type.get(), name, out))
    return true;
  bool is_device =
      object.type_index() == kTVMFFIDevice;  // a value with rows in the registry, as objects have
  if (!is_object(object) && !is_device) return false;
  if (const ir::Api* api = ir::ApiRegistry::global().method(object.type_index(), name.str())) {
    if (api->row.kind == ir::ApiKind::kProperty) {
      Any argument = object;
      ir::Span spans[] = {span};
      ir::ApiCall call{*api, self, std::span<Any>(&argument, 1), span, spans};
      try {
        out = result_of_row(*this, *api, api->row.body(call));
      } catch (ir::Error& error) {
        if (!error.first().span) error.first().span = span;
        throw;
      }
    } else {
      out = bind(object, api_value(api));
    }
    return true;
  }
  if (is_device) return false;
  if (value_as_iterator(object) != nullptr) return generator_attribute(*this, object, name, out, span);
  if (numpy_attribute(self, object, name, out)) return true;
  if (object_field(object, name, out)) {
    // Unsigned constants keep the bits of numbers from 2 ** 63 on.
    auto* constant = object.as<ir::IntImmNode>();
    if (constant != nullptr && is_int(out) && raw_int(out) < 0 && constant->dtype().is_uint())
      out = whole_of_unsigned(static_cast<uint64_t>(raw_int(out)));
    out = as_read(object, name, out);
    if (is_none(out) && name.str() == "ty" && is_ir_value(object)) out = missing_type();
    return true;
  }
  if (is_ir_value(object)) {
    if (std::optional<Any> found = ir_attribute(object, name.str(), span))
      return answer(out, dtype_text(*found));
  }
  if (name == known().doc) return answer(out, nullptr);
  if (Any type = self.type_of(object); auto* cls = as<ClassNode>(type)) {
    if (const Any* member = cls->scripted ? cls->find(name) : nullptr)
      return answer(out, bind_member(self, object, const_cast<ClassNode*>(cls), *member, span));
  }
  return member_below_class(*this, object, name, out) || computed_attribute(self, object, name, out, span);
}

Any Evaluator::attribute(const Any& object, Symbol name, ir::Span span) {
  Any out;
  if (state_->attribute_or_not(object, name, out, span)) return out;
  state_->no_attribute(object, name, span);
}

// What a module of the IR has, while it is read; "" of other classes.
static std::string functions_of_module(const ClassNode& cls) {
  constexpr size_t kShown = 8;
  std::string names;
  size_t count = 0;
  for (const auto& [name, value] : cls.members) {
    if (value.as<ir::GlobalVarNode>() == nullptr || ++count > kShown) continue;
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name.str());
  }
  if (count == 0) return "";
  return fmt::format("its function{} {}{}", count == 1 ? " is" : "s are", names,
                     count > kShown ? ", ..." : "");
}

void State::no_attribute(const Any& object, Symbol name, ir::Span span) {
  std::vector<std::string> known = self.attribute_names(object);
  if (is_ir_value(object)) {
    for (const char* attribute : {"data", "shape", "dtype", "strides", "elem_offset", "ty", "name", "span"})
      known.emplace_back(attribute);
  }
  std::string help = ir::did_you_mean(name.str(), known);
  if (auto* module = as<ApiModuleNode>(object)) {
    if (std::string_view now = spelled_now(module->path, name.str()); !now.empty()) help = now;
  }
  std::string message;
  if (auto* module = as<ApiModuleNode>(object)) {
    message = fmt::format("module '{}' has no attribute '{}'", module->path, name.str());
  } else if (auto* file = as<ModuleNode>(object)) {
    bool partial = importer->is_partial(file);
    message = fmt::format("{}module '{}' has no attribute '{}'{}", partial ? "partially initialized " : "",
                          file->name, name.str(), partial ? " (most likely due to a circular import)" : "");
    if (std::string_view now = spelled_now(file->name, name.str()); help.empty()) help = now;
    if (std::string hides = importer->hidden_library_module(*file); !hides.empty())
      help = fmt::format("`{}` hides the library's module of this name",
                         std::filesystem::path(hides).filename().string());
  } else if (auto* cls = as<ClassNode>(object)) {
    message = fmt::format("type object '{}' has no attribute '{}'", cls->short_name(), name.str());
    if (help.empty()) help = functions_of_module(*cls);
  } else if (auto* api = as<ApiFunctionNode>(object); api && api->api->row.kind == ir::ApiKind::kClass) {
    message = fmt::format("type object '{}' has no attribute '{}'", api->api->name, name.str());
  } else if (as<SuperNode>(object) != nullptr) {
    message = fmt::format("'super' object has no attribute '{}'", name.str());
  } else {
    message = fmt::format("'{}' object has no attribute '{}'", type_name_of(self, object), name.str());
  }
  if (help.empty()) help = ir::removed_method(name.str());
  if (std::string better = attribute_hint(self, object, name.str()); !better.empty()) help = better;
  ir::Error error = ir::Error("no-attribute", "{}", message).kind("AttributeError").at(span).help(help);
  if (is_none(object)) note_origin_of_none(error, self, span);
  throw error;
}

bool State::load_method(const Any& object, Symbol name, ir::Span span, Any& out) {
  if (auto* instance = as<InstanceNode>(object)) {
    if (instance->own(name) == nullptr) {
      const Any* member = instance->cls->find(name);
      if (member != nullptr && as<FunctionNode>(*member) != nullptr) return answer(out, *member);
    }
  } else if (const BuiltinRow* row = builtin_method_of(object, name)) {
    Ref<ClassNode> type = builtin_type_of(object);
    out = builtin_value(row, type ? std::string_view(type->name) : "dict");
    return true;
  } else if (is_object(object) && !has_names_of_its_own(object)) {
    const ir::Api* api = ir::ApiRegistry::global().method(object.type_index(), name.str());
    if (api != nullptr && api->row.kind == ir::ApiKind::kMethod) return answer(out, api_value(api));
  }
  if (!attribute_or_not(object, name, out, span)) no_attribute(object, name, span);
  return false;
}

bool State::special(const Any& object, Symbol name, std::span<const Any> args, Any& out, ir::Span span) {
  const Any* method = nullptr;
  if (auto* instance = as<InstanceNode>(object)) {
    method = instance->cls->find(name);
    if (method == nullptr && !is_none(instance->payload))
      return payload_special(instance, object, name, args, out, span);
    if (method == nullptr || is_none(*method)) return false;
    Any bound = bind_member(self, object, const_cast<ClassNode*>(instance->cls.get()), *method, span);
    out = self.call(bound, args, {}, span);
    return true;
  }
  if (auto* cls = as<ClassNode>(object); cls != nullptr && cls->metaclass) {
    auto* metaclass = const_cast<ClassNode*>(cls->metaclass.get());
    method = metaclass->find(name);
    if (method == nullptr || is_none(*method)) return false;
    out = self.call(bind_member(self, object, metaclass, *method, span), args, {}, span);
    return true;
  }
  return false;
}

bool State::registered(const Any& object, std::string_view name, std::span<const Any> args, Any& out,
                       ir::Span span) {
  if (!is_object(object) && object.type_index() != kTVMFFIDevice) return false;
  const ir::Api* api = ir::ApiRegistry::global().method(object.type_index(), name);
  return api != nullptr && answer(out, self.call(bind(object, api_value(api)), args, {}, span));
}

namespace {

// Classes with __slots__ all the way up have no other attributes.
void check_slot(InstanceNode* instance, Symbol name, ir::Span span) {
  for (const ClassNode* each : instance->cls->mro) {
    if (each->has_slot(name)) return;
  }
  if (instance->cls->find(name) != nullptr) {
    raise("AttributeError", span, "read-only", "'{}' object attribute '{}' is read-only",
          instance->cls->short_name(), name.str());
  }
  raise("AttributeError", span, "no-attribute", "'{}' object has no attribute '{}'",
        instance->cls->short_name(), name.str());
}

// `cls.__name__ = ...` and `cls.__qualname__ = ...`: one does not change the other.
void rename(Evaluator& evaluator, ClassNode* cls, Symbol name, const Any& value, ir::Span span) {
  if (!is_str(value)) {
    raise("TypeError", span, "wrong-type", "can only assign string to {}.{}, not '{}'", cls->short_name(),
          name.str(), type_name_of(evaluator, value));
  }
  if (name == known().name) {
    cls->renamed = text_of(value);
  } else {
    cls->renamed = cls->short_name();
    cls->name = text_of(value);
  }
}

}  // namespace

void State::set_instance_attribute(InstanceNode* instance, const Any& object, Symbol name, const Any& value,
                                   ir::Span span, bool hooked) {
  if (const Any* hook = hooked ? instance->cls->find(known().setattr) : nullptr) {
    Any args[] = {object, str_value(name.str()), value};
    self.call(*hook, args, {}, span);
    return;
  }
  if (const Any* member = instance->cls->find(name)) {
    if (auto* property = as<PropertyNode>(*member)) {
      if (is_none(property->setter)) {
        raise(refusals["no-setter"], span, name.str(), instance->cls->name);
      }
      Any args[] = {object, value};
      self.call(property->setter, args, {}, span);
      return;
    }
    if (is_data_descriptor(*member)) {
      Any ignored, args[] = {object, value};
      special(*member, known().set, args, ignored, span);
      return;
    }
  }
  if (name == known().cls)
    raise("NotImplementedError", span, "not-supported", "the class of an object cannot be changed");
  if (instance->cls->slotted && instance->own(name) == nullptr) check_slot(instance, name, span);
  if (name == known().dict) {  // `self.__dict__ = self` of a dict with attributes
    const Any& dict = builtin_value_of(value);
    if (dict.type_index() != kTVMFFIDict) {
      raise("TypeError", span, "wrong-type", "__dict__ must be set to a dictionary, not a '{}'",
            type_name_of(self, value));
    }
    instance->own_dict();
    instance->dict = dict;
    return;
  }
  instance->set(name, value);
}

void State::set_class_attribute(ClassNode* cls, Symbol name, const Any& value, ir::Span span, bool hooked) {
  if (const Any* hook = hooked && cls->metaclass ? cls->metaclass->find(known().setattr) : nullptr) {
    Any args[] = {Any(ir::ref(cls)), str_value(name.str()), value};
    self.call(*hook, args, {}, span);
    return;
  }
  if (!cls->scripted) {
    raise(refusals["immutable-type"], span, name.str(), cls->name);
  }
  if (name == known().name || name == known().qualname) return rename(self, cls, name, value, span);
  if (name == known().module && is_str(value)) {
    cls->module = text_of(value);
    return;
  }
  cls->set(name, value);
  cls->has_getattr = cls->find(known().getattr) != nullptr;
  if (name == known().new_ || name == known().abstract_methods) cls->plain = false;
}

void Evaluator::set_attribute(const Any& object, Symbol name, const Any& value, ir::Span span) {
  if (auto* instance = as<InstanceNode>(object))
    return state_->set_instance_attribute(instance, object, name, value, span, true);
  if (auto* cls = as<ClassNode>(object)) return state_->set_class_attribute(cls, name, value, span, true);
  if (auto* module = as<ModuleNode>(object)) {
    module->set(name, value);
    return;
  }
  if (auto* fn = as<FunctionNode>(object)) {
    set_function_attribute(*state_, fn, name, value, span);
    return;
  }
  if (as<ApiModuleNode>(object) != nullptr) {
    raise(refusals["no-monkey-patching"], span, name.str());
  }
  if (ir::ApiRegistry::global().method(object.type_index(), known().setattr.str()) != nullptr) {
    Any args[] = {str_value(name.str()), number_of_flag(value)};
    call(attribute(object, known().setattr, span), args, {}, span);
    return;
  }
  Any existing;
  if (find_attribute(object, name, existing)) {
    raise("AttributeError", span, "read-only", "'{}' object attribute '{}' is read-only",
          type_name_of(*this, object), name.str());
  }
  state_->no_attribute(object, name, span);
}

std::vector<std::string> Evaluator::attribute_names(const Any& value) {
  std::vector<std::string> names;
  auto add_class = [&](const ClassNode* cls) {
    for (const ClassNode* each : cls->mro) {
      for (const auto& [name, member] : each->members) names.emplace_back(name.str());
      if (!each->slots) continue;
      for (Symbol name : *each->slots) names.emplace_back(name.str());
    }
  };
  if (auto* instance = as<InstanceNode>(value)) {
    instance->each_name([&](std::string_view name) { names.emplace_back(name); });
    add_class(instance->cls.get());
  } else if (auto* cls = as<ClassNode>(value)) {
    add_class(cls);
  } else if (auto* module = as<ModuleNode>(value)) {
    for (const ModuleNode::Slot* slot : module->bound()) names.emplace_back(slot->name.str());
  } else if (auto* api = as<ApiModuleNode>(value)) {
    names = state().module_members(api->path);
  } else {
    for (std::string& name : builtin_names_of(value)) names.push_back(std::move(name));
    if (is_object(value) || value.type_index() == kTVMFFIDevice) {
      for (std::string& name : ir::ApiRegistry::global().methods(value.type_index()))
        names.push_back(std::move(name));
      for (std::string& name : object_fields(value.type_index())) names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace mlc::script
