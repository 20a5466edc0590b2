// SPDX-License-Identifier: Apache-2.0
// The builtin types as class objects, and the type of every value.
#include <bit>
#include <charconv>
#include <cmath>

#include "frontend/script/core/machine.h"
#include "frontend/script/numpy/scalar.h"
#include "frontend/script/types/dict_attrs.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/expr.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/tir/stmt.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "not-a-byte",
                                            .message = "bytes must be in range(0, 256)",
                                            .meaning = "A byte is a number from 0 to 255.",
                                            .wrong = "bytes([300])",
                                            .right = "bytes([30])"},
                                           {.name = "not-a-pair",
                                            .kind = "TypeError",
                                            .meaning = "A dict is made of pairs.",
                                            .wrong = "dict([1, 2])",
                                            .right = "dict([(1, 2)])"},
                                           {.name = "not-a-type", .kind = "TypeError"},
                                           {.name = "zero-step", .message = "range() arg 3 must not be zero"},
                                       }};
MLC_REFUSALS(types_types, refusals);

using State = Evaluator::State;

namespace {

using Construct = Any (*)(Evaluator&, const Ref<ClassNode>&, const Arguments&);

void expect(const Arguments& args, size_t least, size_t most, std::string_view name) {
  if (args.size() < least) {
    raise("TypeError", args.span, "wrong-argument-count", "{} expected at least {} argument{}, got {}", name,
          least, least == 1 ? "" : "s", args.size());
  }
  if (args.size() > most) {
    raise("TypeError", args.span, "wrong-argument-count", "{} expected at most {} argument{}, got {}", name,
          most, most == 1 ? "" : "s", args.size());
  }
}

Any int_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  if (args.size() > 2)
    raise("TypeError", args.span, "wrong-argument-count", "int() takes at most 2 arguments ({} given)",
          args.size());
  if (args.size() == 0) {
    if (args.keyword("base") != nullptr)
      raise("TypeError", args.span, "wrong-argument-count", "int() missing string argument");
    return int64_t{0};
  }
  const Any* base = args.size() == 2 ? &args[1] : args.keyword("base");
  int64_t given = base == nullptr ? 10 : index_value(evaluator, *base, args.span, "base");
  if (given != 0 && (given < 2 || given > 36))
    raise("ValueError", args.span, "out-of-range", "int() base must be >= 2 and <= 36, or 0");
  Any value = plain_number(args[0]);
  if (is_int(value) && raw_int(value) < 0 && numpy_scalar_dtype(args[0]) == ir::DataType::UInt(64))
    return whole_of_unsigned(static_cast<uint64_t>(raw_int(value)));
  if (is_str(builtin_value_of(value))) value = builtin_value_of(value);
  if (is_str(value) || is_bytes(value)) {
    return int_of_text(evaluator, value, given, args.span_of(0));
  }
  if (base != nullptr) {
    raise("TypeError", args.span, "wrong-type", "int() can't convert non-string with explicit base");
  }
  if (is_int(value) || is_bool(value)) return raw_int(value);
  if (as_wide(value) != nullptr) return value;
  if (auto* constant = value.as<ir::IntImmNode>()) {
    bool wide = constant->value < 0 && constant->dtype().is_uint();
    return wide ? whole_of_unsigned(static_cast<uint64_t>(constant->value)) : Any(constant->value);
  }
  if (is_float(value)) return whole_of_float(raw_float(value), args.span_of(0));
  Any result;
  if (as<ir::NDArrayNode>(value))
    return evaluator.call(evaluator.attribute(value, known().integer), {}, {}, args.span);
  if (evaluator.state().special(value, known().integer, {}, result, args.span) ||
      evaluator.state().special(value, known().index, {}, result, args.span)) {
    return result;
  }
  raise("TypeError", args.span_of(0), "wrong-type",
        "int() argument must be a string, a bytes-like object or a real number, not '{}'",
        type_name_of(evaluator, value));
}

Any float_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 0, 1, "float");
  if (args.size() == 0) return 0.0;
  Any value = plain_number(args[0]);
  if (is_float(value)) return value;
  if (is_int(value) && numpy_scalar_dtype(args[0]) == ir::DataType::UInt(64))
    return static_cast<double>(static_cast<uint64_t>(raw_int(value)));
  if (is_int(value) || is_bool(value)) return static_cast<double>(raw_int(value));
  if (auto* wide = as_wide(value)) return double_of(*wide);
  if (auto* constant = value.as<ir::FloatImmNode>()) return constant->value;
  if (is_str(builtin_value_of(value))) value = builtin_value_of(value);
  if (is_str(value) || is_bytes(value)) return float_of_text(evaluator, value, args.span_of(0));
  if (auto* constant = value.as<ir::FloatImmNode>()) return constant->value;
  Any result;
  if (as<ir::NDArrayNode>(value))
    return evaluator.call(evaluator.attribute(value, known().real), {}, {}, args.span);
  if (evaluator.state().special(value, known().real, {}, result, args.span)) return result;
  if (evaluator.state().special(value, known().index, {}, result, args.span) && is_int(result))
    return static_cast<double>(raw_int(result));
  raise("TypeError", args.span_of(0), "wrong-type",
        "float() argument must be a string or a real number, not '{}'", type_name_of(evaluator, value));
}

Any bool_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 0, 1, "bool");
  return args.size() == 1 && evaluator.truth(args[0], args.span_of(0));
}
// A named argument that is a str if it is given.
void check_word(Evaluator& evaluator, std::string_view function, const Any* given, std::string_view parameter,
                ir::Span span) {
  if (given == nullptr || is_str(*given)) return;
  raise("TypeError", span, "wrong-type", "{}() argument '{}' must be str, not {}", function, parameter,
        is_none(*given) ? "None" : type_name_of(evaluator, *given));
}
Any str_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 0, 3, "str");
  const Any* encoding = args.size() > 1 ? &args[1] : args.keyword("encoding");
  const Any* errors = args.size() > 2 ? &args[2] : args.keyword("errors");
  if (encoding != nullptr || errors != nullptr) {
    check_word(evaluator, "str", encoding, "encoding", args.span);
    check_word(evaluator, "str", errors, "errors", args.span);
    if (args.size() > 0 && is_str(args[0]))
      raise("TypeError", args.span, "wrong-type", "decoding str is not supported");
    if (args.size() == 0) return str_value("");
    if (!is_bytes(args[0])) {
      raise("TypeError", args.span, "wrong-type", "decoding to str: need a bytes-like object, {} found",
            type_name_of(evaluator, args[0]));
    }
    return text_of_bytes(bytes_of(args[0]), word_or(encoding, "utf-8", "encoding", args.span), args.span,
                         word_or(errors, "strict", "errors", args.span));
  }
  return args.size() == 0 ? str_value("") : is_str(args[0]) ? args[0] : str_value(evaluator.str(args[0]));
}
Any list_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 0, 1, "list");
  if (args.size() == 0) return List();
  std::vector<Any> all = evaluator.elements_of(args[0], args.span_of(0));
  return List(std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()));
}
Any tuple_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 0, 1, "tuple");
  if (args.size() == 0) return Tuple();
  if (Tuple::is(args[0])) return args[0];
  std::vector<Any> all = evaluator.elements_of(args[0], args.span_of(0));
  return Tuple(all.begin(), all.end());
}
}  // namespace

void dict_pairs(Evaluator& evaluator, const Any& dict, const Any& pairs, ir::Span span) {
  size_t i = 0;
  evaluator.each_of(pairs, span, [&](Any& pair) {
    if (!evaluator.state().iterable(pair)) {
      raise_as(refusals["not-a-pair"], span,
               "cannot convert dictionary update sequence element #{} to a sequence", i);
    }
    std::vector<Any> both = evaluator.elements_of(pair, span);
    if (both.size() != 2) {
      raise_as(refusals["not-a-pair"].as("ValueError"), span,
               "dictionary update sequence element #{} has length {}; 2 is required", i, both.size());
    }
    dict_set(evaluator, dict, both[0], both[1], span);
    ++i;
    return true;
  });
}

namespace {

Any dict_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 0, 1, "dict");
  Dict result;
  if (args.size() == 1) {
    Any mapping = as_mapping(evaluator, args[0]);
    if (mapping.type_index() == kTVMFFIDict || mapping.type_index() == kTVMFFIMap) {
      for (const auto& [key, value] : *static_cast<ffi::MapBaseObj*>(raw_object(mapping)))
        result.Set(key, value);
    } else {
      dict_pairs(evaluator, result, args[0], args.span_of(0));
    }
  }
  for (const auto& [name, value] : args.keywords) dict_set(evaluator, result, str_value(name), value);
  return result;
}
Any set_of(Evaluator& evaluator, const Ref<ClassNode>& cls, const Arguments& args) {
  expect(args, 0, 1, cls->name);
  Ref<SetNode> result = ir::make<SetNode>(cls.get() == types().frozenset.get());
  auto* set = const_cast<SetNode*>(result.get());
  if (args.size() == 1) {
    if (auto* other = as<SetNode>(args[0])) {
      set->merge(evaluator, *other);
    } else {
      set_update(evaluator, set, args[0], args.span_of(0));
    }
  }
  return Any(result);
}
Any range_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 1, 3, "range");
  int64_t bounds[3] = {0, 0, 1};
  for (size_t i = 0; i < args.size(); ++i) {
    bounds[args.size() == 1 ? 1 : i] = index_value(evaluator, args[i], args.span_of(i), "range");
  }
  if (bounds[2] == 0) raise(refusals["zero-step"], args.span_of(2));
  return Any(ir::make<RangeNode>(bounds[0], bounds[1], bounds[2]));
}
// types.MethodType(function, object): the function with its first argument.
Any method_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  if (args.size() != 2) {
    raise("TypeError", args.span, "wrong-argument-count", "method expected 2 arguments, got {}", args.size());
  }
  if (!evaluator.callable(args[0]))
    raise("TypeError", args.span_of(0), "not-callable", "first argument must be callable");
  if (is_none(args[1])) raise("TypeError", args.span_of(1), "wrong-type", "instance must not be None");
  return Any(ir::make<BoundMethodNode>(args[1], args[0]));
}
Any slice_of(Evaluator&, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 1, 3, "slice");
  Any none;
  if (args.size() == 1) return Any(ir::make<SliceNode>(none, args[0], none));
  return Any(ir::make<SliceNode>(args[0], args[1], args.size() == 3 ? args[2] : none));
}
Any object_of(Evaluator&, const Ref<ClassNode>& cls, const Arguments& args) {
  if (args.size() > 0 || !args.keywords.empty())
    raise("TypeError", args.span, "too-many-arguments", "object() takes no arguments");
  return Any(ir::make<InstanceNode>(cls));
}
Any type_of_value(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  if (args.size() != 1) return class_of_three(evaluator, args);
  return evaluator.type_of(args[0]);
}
Any property_of(Evaluator&, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 0, 4, "property");
  auto part = [&](size_t i, std::string_view name) {
    const Any* given = i < args.size() ? &args[i] : args.keyword(name);
    return given != nullptr ? *given : Any(nullptr);
  };
  return Any(ir::make<PropertyNode>(part(0, "fget"), part(1, "fset"), part(2, "fdel"), part(3, "doc")));
}
Any static_method_of(Evaluator&, const Ref<ClassNode>& cls, const Arguments& args) {
  if (args.size() != 1)
    raise("TypeError", args.span, "wrong-argument-count", "{} expected 1 argument, got {}", cls->name,
          args.size());
  return Any(ir::make<StaticMethodNode>(args[0], cls.get() == types().class_method.get()));
}
Any super_of(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 2, 2, "super");
  auto* cls = as<ClassNode>(args[0]);
  if (cls == nullptr) {
    raise("TypeError", args.span_of(0), "wrong-type", "super() argument 1 must be a type, not {}",
          type_name_of(evaluator, args[0]));
  }
  auto* given = as<ClassNode>(args[1]);
  auto* type = as<ClassNode>(evaluator.type_of(args[1]));
  bool fits = (given != nullptr && given->derives_from(cls)) || (type != nullptr && type->derives_from(cls));
  if (!fits) {
    raise("TypeError", args.span, "wrong-type",
          "super(type, obj): obj must be an instance or subtype of type");
  }
  return Any(ir::make<SuperNode>(ir::ref(cls), args[1]));
}
Any iterator_type_call(Evaluator& evaluator, const Ref<ClassNode>& cls, const Arguments& args) {
  return call_iterator_type(evaluator, cls->name, args);
}
Any bytes_from(Evaluator& evaluator, const Ref<ClassNode>&, const Arguments& args) {
  expect(args, 0, 3, "bytes");
  const Any* encoding = args.size() > 1 ? &args[1] : args.keyword("encoding");
  const Any* errors = args.size() > 2 ? &args[2] : args.keyword("errors");
  if (args.size() == 0 && encoding == nullptr && errors == nullptr) return ffi::Bytes(std::string());
  check_word(evaluator, "bytes", encoding, "encoding", args.span);
  check_word(evaluator, "bytes", errors, "errors", args.span);
  if (args.size() > 0 && is_str(args[0])) {
    if (encoding == nullptr)
      raise("TypeError", args.span, "wrong-type", "string argument without an encoding");
    return bytes_of_text(text_of(args[0]), word_or(encoding, "utf-8", "encoding", args.span),
                         word_or(errors, "strict", "errors", args.span), args.span);
  }
  if (encoding != nullptr || errors != nullptr)
    raise("TypeError", args.span, "wrong-type", "{} without a string argument",
          encoding != nullptr ? "encoding" : "errors");
  if (is_bytes(args[0])) return args[0];
  Any made;
  if (evaluator.state().special(args[0], Symbol("__bytes__"), {}, made, args.span)) return made;
  Any count = plain_number(args[0]);
  if (is_integer(count) || evaluator.state().special(args[0], known().index, {}, count, args.span)) {
    if (raw_int(count) < 0) raise("ValueError", args.span_of(0), "out-of-range", "negative count");
    if (raw_int(count) > (int64_t{1} << 32))
      raise("MemoryError", args.span_of(0), "too-large", "{} bytes are too many", raw_int(count));
    return ffi::Bytes(std::string(static_cast<size_t>(raw_int(count)), 0));
  }
  if (!evaluator.state().iterable(args[0])) {
    raise("TypeError", args.span_of(0), "wrong-type", "cannot convert '{}' object to bytes",
          type_name_of(evaluator, args[0]));
  }
  std::string data;
  evaluator.each_of(args[0], args.span_of(0), [&](Any& value) {
    int64_t byte = index_value(evaluator, value, args.span_of(0), "byte");
    if (byte < 0 || byte > 255) raise(refusals["not-a-byte"], args.span_of(0));
    data += static_cast<char>(byte);
    return true;
  });
  return ffi::Bytes(data);
}

Types make_types() {
  Types all;
  auto make = [&](std::string name, Construct construct, Ref<ClassNode> base = nullptr) {
    Ref<ClassNode> made = new_class(std::move(name), "builtins", base ? base : all.object);
    const_cast<ClassNode*>(made.get())->construct = construct;
    return made;
  };
  all.object = make("object", object_of);
  all.type = make("type", type_of_value);
  all.none = make("NoneType", nullptr);
  all.integer = make("int", int_of);
  all.boolean = make("bool", bool_of, all.integer);
  all.real = make("float", float_of);
  all.str = make("str", str_of);
  all.bytes = make("bytes", bytes_from);
  all.list = make("list", list_of);
  all.tuple = make("tuple", tuple_of);
  all.dict = make("dict", dict_of);
  all.set = make("set", set_of);
  all.frozenset = make("frozenset", set_of);
  all.range = make("range", range_of);
  all.slice = make("slice", slice_of);
  all.function = make("function", nullptr);
  all.builtin = make("builtin_function_or_method", nullptr);
  all.method = make("method", method_of);
  all.module = make("module", nullptr);
  all.property = make("property", property_of);
  all.static_method = make("staticmethod", static_method_of);
  all.class_method = make("classmethod", static_method_of);
  all.super = make("super", super_of);
  all.iterator = make("iterator", nullptr);
  all.ellipsis = make("ellipsis", nullptr);
  all.not_implemented = make("NotImplementedType", nullptr);
  all.dict_keys = make("dict_keys", nullptr);
  all.dict_values = make("dict_values", nullptr);
  all.dict_items = make("dict_items", nullptr);
  all.cell = make("cell", nullptr);
  all.enumerate = make("enumerate", iterator_type_call);
  all.zip = make("zip", iterator_type_call);
  all.map = make("map", iterator_type_call);
  all.filter = make("filter", iterator_type_call);
  all.reversed = make("reversed", iterator_type_call);
  return all;
}

Ref<ClassNode> iterator_type(std::string_view name) {
  if (name == "enumerate") return types().enumerate;
  if (name == "zip") return types().zip;
  if (name == "map") return types().map;
  if (name == "filter") return types().filter;
  if (name == "reversed") return types().reversed;
  static thread_local std::unordered_map<std::string_view, Ref<ClassNode>> others;
  Ref<ClassNode>& found = others[name];
  if (!found) found = new_class(std::string(name));
  return found;
}

}  // namespace

Ref<ClassNode> new_class(std::string name, std::string module, const Ref<ClassNode>& base) {
  Ref<ClassNode> made = ir::make<ClassNode>(std::move(name));
  auto* cls = const_cast<ClassNode*>(made.get());
  cls->module = std::move(module);
  cls->mro = {cls};
  if (base) {
    cls->bases = {base};
    cls->mro.insert(cls->mro.end(), base->mro.begin(), base->mro.end());
  }
  return made;
}

const Types& types() {
  static thread_local const Types all = make_types();
  return all;
}

Ref<ClassNode> builtin_type_of(const Any& value) {
  const Types& t = types();
  switch (value.type_index()) {
    case kTVMFFINone:
      return t.none;
    case kTVMFFIBool:
      return t.boolean;
    case kTVMFFIInt:
      return t.integer;
    case kTVMFFIFloat:
      return t.real;
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return t.str;
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return t.bytes;
    case kTVMFFIList:
      return t.list;
    case kTVMFFIArray:
    case kTVMFFIShape:
      return t.tuple;
    case kTVMFFIDict:
      return t.dict;
    default:
      break;
  }
  if (!is_object(value)) return nullptr;
  if (auto* instance = as<InstanceNode>(value)) return instance->cls;
  if (as_wide(value) != nullptr) return t.integer;
  if (as<FunctionNode>(value)) return t.function;
  if (auto* cls = as<ClassNode>(value)) return cls->metaclass ? cls->metaclass : t.type;
  if (as<RangeNode>(value)) return t.range;
  if (auto* set = as<SetNode>(value)) return set->frozen ? t.frozenset : t.set;
  if (auto* iterator = value.as<IteratorNode>()) return iterator_type(iterator->name);
  if (as<BoundMethodNode>(value)) {
    return as<FunctionNode>(as<BoundMethodNode>(value)->callee) ? t.method : t.builtin;
  }
  if (as<BuiltinNode>(value)) return t.builtin;
  if (auto* api = as<ApiFunctionNode>(value))
    return api->api->row.kind == ir::ApiKind::kClass ? t.type : t.function;
  if (as<SliceNode>(value)) return t.slice;
  if (as<ModuleNode>(value) || as<ApiModuleNode>(value)) return t.module;
  if (as<PropertyNode>(value)) return t.property;
  if (auto* fixed = as<StaticMethodNode>(value)) return fixed->takes_class ? t.class_method : t.static_method;
  if (as<SuperNode>(value)) return t.super;
  if (auto* view = as<DictViewNode>(value)) {
    return view->kind == DictViewNode::Kind::kKeys     ? t.dict_keys
           : view->kind == DictViewNode::Kind::kValues ? t.dict_values
                                                       : t.dict_items;
  }
  if (as<SingletonNode>(value)) return value.same_as(ellipsis()) ? t.ellipsis : t.not_implemented;
  if (as<CellNode>(value)) return t.cell;
  return nullptr;
}

// An array of an object of TVM, which is no tuple there.
static bool is_foreign_array(const Any& value) {
  return value.type_index() == kTVMFFIArray && !Tuple::is(value);
}

Any Evaluator::type_of(const Any& value) {
  if (is_foreign_array(value)) return state_->api_value(ir::ApiRegistry::global().class_of("ffi.Array"));
  if (Ref<ClassNode> own = builtin_type_of(value)) return Any(own);
  if (is_object(value) || value.type_index() == kTVMFFIDevice) {
    if (std::optional<Any> scalar = numpy_type_of(value)) return *scalar;
    if (const ir::Api* api = ir::ApiRegistry::global().class_of(class_key(value)))
      return state_->api_value(api);
  }
  Any& type = state_->native_types[value.type_index()];
  if (is_none(type)) {
    // The class may be one of the library's text.
    if (auto* own = ir::ApiRegistry::global().method(value.type_index(), "__class__")) {
      ir::ApiCall call{*own, *this, {}, {}, {}};
      return type = own->row.body(call);
    }
    std::string path = numpy_type_name(value);
    size_t dot = path.rfind('.');
    type = Any(dot == path.npos ? new_class(path) : new_class(path.substr(dot + 1), path.substr(0, dot)));
  }
  return type;
}

std::string type_name_of(Evaluator& evaluator, const Any& value) {
  if (is_foreign_array(value)) return "Array";
  if (Ref<ClassNode> own = builtin_type_of(value)) return own->name.substr(own->name.rfind('.') + 1);
  if (is_array_operand(value)) return numpy_type_name(value);
  Any type = evaluator.type_of(value);
  if (auto* cls = as<ClassNode>(type)) return cls->module == "numpy" ? "numpy." + cls->name : cls->name;
  return as<ApiFunctionNode>(type)->api->name;
}

namespace {

// isinstance(value, collections.abc.Sequence) and the like: builtin types are known, objects are asked for
// methods.
bool is_abstract_instance(const Any& object, std::string_view name) {
  const Any& value = builtin_value_of(object);
  auto any_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (auto* instance = as<InstanceNode>(value)) {
    const ClassNode* library = instance->cls.get();
    while (library->module != "collections" && !library->bases.empty()) library = library->bases[0].get();
    if (library->module == "collections" && library->name == "deque" &&
        any_of({"Sequence", "MutableSequence", "Reversible"}))
      return true;
    auto has = [&](std::string_view method) {
      const Any* found = instance->cls->find(Symbol(method));
      return found != nullptr && !is_none(*found);
    };
    if (name == "Iterable") return has("__iter__");
    if (name == "Iterator") return has("__iter__") && has("__next__");
    if (name == "Container") return has("__contains__");
    if (name == "Sized") return has("__len__");
    if (name == "Hashable") {
      const Any* hash = instance->cls->find(known().hash);
      return hash == nullptr || !is_none(*hash);
    }
    if (name == "PathLike") return has("__fspath__");
    if (name == "Collection") return has("__iter__") && has("__contains__") && has("__len__");
    return name == "Reversible" && has("__iter__") && has("__reversed__");
  }
  if (IteratorNode* iterator = value_as_iterator(value))
    return any_of({"Iterable", "Iterator", "Hashable"}) ||
           (name == "Generator" && iterator->name == "generator");
  bool list = value.type_index() == kTVMFFIList;
  bool dict = value.type_index() == kTVMFFIDict;
  auto* set = as<SetNode>(value);
  bool sequence = list || is_str(value) || value.type_index() == kTVMFFIArray ||
                  value.type_index() == kTVMFFIBytes || value.type_index() == kTVMFFISmallBytes ||
                  as<RangeNode>(value) != nullptr;
  auto* view = as<DictViewNode>(value);
  if (any_of({"Iterable", "Container", "Collection", "Sized"}))
    return sequence || dict || set != nullptr || view != nullptr;
  if (name == "Hashable") {
    return !list && !dict && (set == nullptr || set->frozen) &&
           (view == nullptr || view->kind == DictViewNode::Kind::kValues);
  }
  if (view != nullptr && name != "Reversible") {
    using Kind = DictViewNode::Kind;
    return name == "MappingView" || (name == "KeysView" && view->kind == Kind::kKeys) ||
           (name == "ValuesView" && view->kind == Kind::kValues) ||
           (name == "ItemsView" && view->kind == Kind::kItems) ||
           (name == "Set" && view->kind != Kind::kValues);
  }
  if (name == "Reversible") return sequence || dict || view != nullptr;
  if (name == "Sequence") return sequence;
  if (name == "MutableSequence") return list;
  if (any_of({"Mapping", "MutableMapping"})) return dict;
  if (name == "Set") return set != nullptr;
  return name == "MutableSet" && set != nullptr && !set->frozen;
}

// Has the object what the class under `@runtime_checkable` asks for?
bool fits_protocol(Evaluator& evaluator, const Any& value, const ClassNode* cls) {
  static const Symbol names("__protocol_attrs__");
  const Any* wanted = cls->own(names);
  if (wanted == nullptr || wanted->type_index() != kTVMFFIArray) return false;
  for (const Any& name : elements(*wanted)) {
    Any found;
    if (!evaluator.find_attribute(value, Symbol(text_of(name)), found)) return false;
  }
  return true;
}

}  // namespace

bool derives_or_counts(const ClassNode* own, const ClassNode* cls) {
  return own == cls || own->counts_as(cls);
}

bool Evaluator::is_instance(const Any& value, const Any& type, ir::Span span) {
  if (type.type_index() == kTVMFFIArray) {
    state_->check_stack(span);
    for (const Any& each : elements(type)) {
      if (is_instance(value, each, span)) return true;
    }
    return false;
  }
  if (std::optional<bool> numpy = numpy_instance(value, type)) return *numpy;
  if (auto* cls = as<ClassNode>(type)) {
    if (cls == types().object.get()) return true;
    if (cls->module == "collections.abc" && cls->name == "Callable") return callable(value);
    if ((cls->module == "collections.abc" || cls->module == "_os") && is_abstract_instance(value, cls->name))
      return true;
    if (is_foreign_array(value)) return cls->scripted && fits_protocol(*this, value, cls);
    if (Ref<ClassNode> own = builtin_type_of(value)) {
      // type(x) of a class is `type`; functions of the registry are functions.
      return derives_or_counts(own.get(), cls) || (cls->scripted && fits_protocol(*this, value, cls));
    }
    auto* own = as<ClassNode>(type_of(value));
    return own != nullptr && derives_or_counts(own, cls);
  }
  if (auto* api = as<ApiFunctionNode>(type); api != nullptr && api->api->row.kind == ir::ApiKind::kClass) {
    if (const Any& held = builtin_value_of(value); held.as<ir::StmtNode>() && !value.as<ir::StmtNode>())
      return is_instance(held, type, span);
    std::string_view key = api->api->row.type_key;
    if (!is_object(value)) return value.type_index() == kTVMFFIDevice && key == "Device";
    if (Tuple::is(value)) return false;
    if (key == "ffi.Object" && builtin_type_of(value)) return value.type_index() == kTVMFFIArray;
    if (class_key(value) == key) return true;
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(value.type_index());
    auto same = [&](const TVMFFITypeInfo* type_info) {
      return std::string_view(type_info->type_key.data, type_info->type_key.size) == key;
    };
    for (int32_t i = 0; i < info->type_depth; ++i) {
      if (same(info->type_ancestors[i])) return true;
    }
    return false;
  }
  if (is_generic_alias(type))
    raise_as(refusals["not-a-type"], span, "isinstance() argument 2 cannot be a parameterized generic");
  // A union of types, `int | None`, or a bare form of `typing`, which stands for a class.
  if (auto* form = as<InstanceNode>(type)) {
    if (const Any* meant = form->own(Symbol("_stands_for"));
        meant != nullptr && form->cls->module == "typing")
      return is_instance(value, *meant, span);
    const Any* args = form->own(Symbol("__args__"));
    if (args != nullptr && args->type_index() == kTVMFFIArray &&
        form->cls->short_name().find("Union") != std::string_view::npos)
      return is_instance(value, *args, span);
  }
  raise_as(refusals["not-a-type"], span, "isinstance() arg 2 must be a type, a tuple of types, or a union");
}

}  // namespace mlc::script
