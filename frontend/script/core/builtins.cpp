// SPDX-License-Identifier: Apache-2.0
// The builtin names: functions of this file and builtin_numbers.cpp, types, exceptions, constants.
#include <algorithm>
#include <cstdio>

#include "frontend/script/core/importer.h"
#include "frontend/script/core/line_input.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/types/arithmetic.h"
#include "frontend/script/types/text_points.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{"EOFError",
                                       {
                                           {.name = "end-of-input",
                                            .message = "EOF when reading a line",
                                            .meaning = "`input()` found no further line."},
                                           {.name = "not-a-type",
                                            .kind = "TypeError",
                                            .meaning = "The question `isinstance` asks is about types.",
                                            .wrong = "isinstance(1, 2)",
                                            .right = "isinstance(1, int)"},
                                       }};
MLC_REFUSALS(core_builtins, refusals);

Any open_file(Evaluator& evaluator, const Arguments& args);  // file.cpp

using State = Evaluator::State;

namespace {

Any print(Evaluator& evaluator, const Arguments& args) {
  auto text_argument = [&](std::string_view name, std::string_view otherwise) {
    const Any* given = args.keyword(name);
    if (given == nullptr || is_none(*given)) return std::string(otherwise);
    if (!is_str(*given)) {
      raise("TypeError", args.span, "wrong-type", "{} must be None or a string, not {}", name,
            type_name_of(evaluator, *given));
    }
    return std::string(text_of(*given));
  };
  std::string separator = text_argument("sep", " ");
  std::string line;
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) line += separator;
    line += evaluator.str(args[i]);
  }
  line += text_argument("end", "\n");
  const Any* file = args.keyword("file");
  if (file != nullptr && !is_none(*file)) {
    write_stream(evaluator, *file, line, args.span);
  } else {
    evaluator.print(line);
  }
  if (const Any* flush = args.keyword("flush"); flush != nullptr && evaluator.truth(*flush, args.span)) {
    if (file == nullptr || is_none(*file)) {
      std::fflush(stdout);
    } else {
      evaluator.call(evaluator.attribute(*file, Symbol("flush"), args.span), {}, {}, args.span);
    }
  }
  evaluator.state().check_interrupt(args.span);  // what it is printed to may have stopped for it
  return nullptr;
}

Any len(Evaluator& evaluator, const Arguments& args) { return evaluator.length(args[0], args.span_of(0)); }

bool quick_len(Evaluator&, std::span<const Any> args, RawValue& out) {
  if (args.size() != 1) return false;
  switch (args[0].type_index()) {
    case kTVMFFIList:
    case kTVMFFIArray:
      out = raw_int(static_cast<int64_t>(elements(args[0]).size()));
      return true;
    case kTVMFFIDict:
      out = raw_int(static_cast<int64_t>(static_cast<ffi::MapBaseObj*>(raw_object(args[0]))->size()));
      return true;
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      out = raw_int(text_length(args[0]));
      return true;
    default:
      return false;
  }
}

struct Ordering {
  Evaluator& evaluator;
  ir::Span span;
  bool operator()(const Any& a, const Any& b) const {
    if (is_int(a) && is_int(b)) return raw_int(a) < raw_int(b);
    if (is_str(a) && is_str(b)) return text_of(a) < text_of(b);
    if (a.type_index() == kTVMFFIArray && b.type_index() == kTVMFFIArray) {
      // Tuples that differ in a number or a text.
      std::span<Any> x = elements(a), y = elements(b);
      for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
        if (is_int(x[i]) && is_int(y[i])) {
          if (raw_int(x[i]) != raw_int(y[i])) return raw_int(x[i]) < raw_int(y[i]);
        } else if (is_str(x[i]) && is_str(y[i])) {
          if (int order = text_of(x[i]).compare(text_of(y[i])); order != 0) return order < 0;
        } else {
          break;
        }
      }
    }
    return evaluator.truth(evaluator.compare(syntax::CmpOperator::kLt, a, b, span), span);
  }
};

Any sorted(Evaluator& evaluator, const Arguments& args) {
  std::vector<Any> all = evaluator.elements_of(args[0], args.span_of(0));
  sort_values(evaluator, all, args);
  return List(all.begin(), all.end());
}

// Is there an element whose truth is this? `any`, and the opposite of `all`.
template <bool sought>
Any any_of(Evaluator& evaluator, const Arguments& args) {
  Any iterator = evaluator.iterate(args[0], args.span_of(0));
  Any value;
  while (evaluator.next(iterator, value)) {
    evaluator.state().check_interrupt(args.span);
    if (evaluator.truth(value, args.span) == sought) return sought;
  }
  return !sought;
}

template <bool greatest>
Any extreme(Evaluator& evaluator, const Arguments& args) {
  std::string_view name = greatest ? "max" : "min";
  const Any* key = args.keyword("key");
  const Any* otherwise = args.keyword("default");
  if (key != nullptr && is_none(*key)) key = nullptr;
  Any best, best_key;
  bool any = false;
  auto take = [&](const Any& value) {
    Any value_key =
        key == nullptr ? value : evaluator.call(*key, std::span<const Any>(&value, 1), {}, args.span);
    constexpr auto kBetter = greatest ? syntax::CmpOperator::kGt : syntax::CmpOperator::kLt;
    if (any && !evaluator.truth(evaluator.compare(kBetter, value_key, best_key, args.span), args.span))
      return;
    best = value;
    best_key = value_key;
    any = true;
  };
  if (args.size() == 1) {
    Any iterator = evaluator.iterate(args[0], args.span_of(0));
    Any value;
    while (evaluator.next(iterator, value)) {
      evaluator.state().check_interrupt(args.span);
      take(value);
    }
    if (any) return best;
    if (otherwise != nullptr) return *otherwise;
    raise("ValueError", args.span, "empty-sequence", "{}() arg is an empty sequence", name);
  }
  if (otherwise != nullptr) {
    raise("TypeError", args.span, "wrong-arguments",
          "Cannot specify a default for {}() with multiple positional arguments", name);
  }
  for (const Any& value : args.positional) take(value);
  return best;
}

// Of two ints or two floats; the first where neither is greater (or less).
template <bool greatest>
bool quick_extreme(Evaluator&, std::span<const Any> args, RawValue& out) {
  if (args.size() != 2) return false;
  const RawValue& a = raw_of(args[0]);
  const RawValue& b = raw_of(args[1]);
  int after = plain_order(
      static_cast<uint32_t>(greatest ? syntax::CmpOperator::kGt : syntax::CmpOperator::kLt), b, a);
  if (after < 0) return false;
  out = after == 1 ? b : a;
  return true;
}

// Of its own class: no metaclass is asked, as in CPython.
bool quick_isinstance(Evaluator&, std::span<const Any> args, RawValue& out) {
  if (args.size() != 2) return false;
  auto* instance = as<InstanceNode>(args[0]);
  auto* cls = as<ClassNode>(args[1]);
  if (instance == nullptr || cls == nullptr || instance->cls.get() != cls) return false;
  out = raw_bool(true);
  return true;
}
Any isinstance(Evaluator& evaluator, const Arguments& args) {
  return evaluator.is_instance(args[0], args[1], args.span_of(1));
}
// The key of the objects that a class of TVM makes; "" for all else.
std::string_view key_of_class(const Any& value) {
  auto* api = as<ApiFunctionNode>(value);
  return api != nullptr && api->api->row.kind == ir::ApiKind::kClass ? api->api->row.type_key : "";
}
bool derives_from_key(std::string_view own, std::string_view base) {
  int32_t index = 0;
  TVMFFIByteArray name{own.data(), own.size()};
  if (own == base) return true;
  if (TVMFFITypeKeyToIndex(&name, &index) != 0) return false;
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(index);
  for (int32_t i = 0; i < info->type_depth; ++i) {
    const TVMFFIByteArray& key = info->type_ancestors[i]->type_key;
    if (std::string_view(key.data, key.size) == base) return true;
  }
  return false;
}
Any issubclass(Evaluator& evaluator, const Arguments& args) {
  auto* cls = as<ClassNode>(args[0]);
  std::string_view key = key_of_class(args[0]);
  if (cls == nullptr && key.empty())
    raise_as(refusals["not-a-type"], args.span_of(0), "issubclass() arg 1 must be a class");
  std::vector<Any> bases;
  if (args[1].type_index() == kTVMFFIArray) {
    bases = evaluator.elements_of(args[1]);
  } else {
    bases.push_back(args[1]);
  }
  for (const Any& base : bases) {
    auto* base_class = as<ClassNode>(base);
    if (is_generic_alias(base)) {
      raise_as(refusals["not-a-type"], args.span_of(1),
               "issubclass() argument 2 cannot be a parameterized generic");
    }
    if (std::string_view base_key = key_of_class(base); !base_key.empty()) {
      if (!key.empty() && derives_from_key(key, base_key)) return true;
      continue;
    }
    if (base_class == nullptr) {
      raise_as(refusals["not-a-type"], args.span_of(1),
               "issubclass() arg 2 must be a class, a tuple of classes, or a union");
    }
    if (base_class == types().object.get()) return true;
    if (cls != nullptr && derives_or_counts(cls, base_class)) return true;
  }
  return false;
}
Any callable(Evaluator& evaluator, const Arguments& args) { return evaluator.callable(args[0]); }

Symbol name_argument(Evaluator& evaluator, const Arguments& args) {
  if (!is_str(args[1])) {
    raise("TypeError", args.span_of(1), "wrong-type", "attribute name must be string, not '{}'",
          type_name_of(evaluator, args[1]));
  }
  return Symbol(text_of(args[1]));
}
Any getattr(Evaluator& evaluator, const Arguments& args) {
  Symbol name = name_argument(evaluator, args);
  if (args.size() == 2) return evaluator.attribute(args[0], name, args.span);
  Any out;
  try {
    return evaluator.find_attribute(args[0], name, out) ? out : args[2];
  } catch (ir::Error& error) {
    // A property that itself raises AttributeError counts as missing.
    if (error.first().kind == "AttributeError") return args[2];
    throw;
  }
}
Any hasattr(Evaluator& evaluator, const Arguments& args) {
  Any out;
  try {
    return evaluator.find_attribute(args[0], name_argument(evaluator, args), out);
  } catch (ir::Error& error) {
    if (error.first().kind == "AttributeError") return false;
    throw;
  }
}
Any setattr(Evaluator& evaluator, const Arguments& args) {
  evaluator.set_attribute(args[0], name_argument(evaluator, args), args[2], args.span);
  return nullptr;
}
Any delattr(Evaluator& evaluator, const Arguments& args) {
  Symbol name = name_argument(evaluator, args);
  evaluator.state().remove_attribute(args[0], name, args.span);
  return nullptr;
}

Any id(Evaluator&, const Arguments& args) {
  return is_object(args[0]) ? static_cast<int64_t>(reinterpret_cast<uintptr_t>(raw_object(args[0])))
                            : raw_int(args[0]);
}
Any hash(Evaluator& evaluator, const Arguments& args) { return evaluator.hash(args[0], args.span_of(0)); }
Any repr(Evaluator& evaluator, const Arguments& args) { return str_value(evaluator.repr(args[0])); }
Any ascii(Evaluator& evaluator, const Arguments& args) {
  return str_value(ascii_text(evaluator.repr(args[0])));
}
Any format(Evaluator& evaluator, const Arguments& args) {
  if (args.size() == 2 && !is_str(args[1])) {
    raise("TypeError", args.span_of(1), "wrong-type", "format() argument 2 must be str, not {}",
          is_none(args[1]) ? "None" : type_name_of(evaluator, args[1]));
  }
  return str_value(format_value(evaluator, args[0], args.size() == 2 ? text_of(args[1]) : "", args.span));
}

Any iter(Evaluator& evaluator, const Arguments& args) { return evaluator.iterate(args[0], args.span_of(0)); }
Any next(Evaluator& evaluator, const Arguments& args) {
  Any iterator = args[0];  // held while it runs, whatever becomes of the variable
  Any out;
  if (evaluator.next(iterator, out, args.span)) return out;
  if (args.size() == 2) return args[1];
  stop_iteration(evaluator, args[0], args.span);
}

Any input(Evaluator& evaluator, const Arguments& args) {
  std::optional<std::string> line = read_line(evaluator, args.size() == 1 ? evaluator.str(args[0]) : "");
  if (Evaluator::is_interrupted()) evaluator.state().stop(args.span);
  if (!line) raise(refusals["end-of-input"], args.span);
  if (line->ends_with('\n')) line->pop_back();
  return str_value(*line);
}

Any exit_program(Evaluator& evaluator, const Arguments& args) {
  evaluator.state().throw_exception(
      evaluator.call(Any(exception_classes().at("SystemExit")), args.positional, {}, args.span), args.span);
}

template <const char* name>
Any refused(Evaluator&, const Arguments& args) {
  raise("NotImplementedError", args.span, "not-supported",
        "`{}` is not available: scripts of mlc do not run text as code", name);
}
constexpr char kExec[] = "exec", kEval[] = "eval", kCompile[] = "compile";

constexpr BuiltinRow builtins_table[] = {
    {"print", "(*values, sep=' ', end='\\n', file=None, flush=False)", "Writes the values to the output.",
     print, 0, 127, "sep end file flush"},
    {"len", "(obj)", "The number of items.", len, 1, 1, {}, quick_len},
    {"sorted", "(iterable, *, key=None, reverse=False)", "A new sorted list.", sorted, 1, 1, "key reverse"},
    {"all", "(iterable)", "True when every element is true.", any_of<false>, 1, 1},
    {"any", "(iterable)", "True when some element is true.", any_of<true>, 1, 1},
    {"max", "(*values, key=None, default=None)", "The greatest value.", extreme<true>, 1, 127, "key default",
     quick_extreme<true>},
    {"min", "(*values, key=None, default=None)", "The least value.", extreme<false>, 1, 127, "key default",
     quick_extreme<false>},
    {"isinstance",
     "(obj, class_or_tuple)",
     "Is the object of this class?",
     isinstance,
     2,
     2,
     {},
     quick_isinstance},
    {"issubclass", "(cls, class_or_tuple)", "Does the class derive from this one?", issubclass, 2, 2},
    {"callable", "(obj)", "Can the object be called?", callable, 1, 1},
    {"getattr", "(obj, name, default)", "The attribute of that name.", getattr, 2, 3},
    {"hasattr", "(obj, name)", "Has the object such an attribute?", hasattr, 2, 2},
    {"setattr", "(obj, name, value)", "Sets the attribute of that name.", setattr, 3, 3},
    {"delattr", "(obj, name)", "Removes the attribute of that name.", delattr, 2, 2},
    {"id", "(obj)", "A number that is this object's alone.", id, 1, 1},
    {"hash", "(obj)", "The hash of the value.", hash, 1, 1},
    {"repr", "(obj)", "The value as text, as a program would write it.", repr, 1, 1},
    {"ascii", "(obj)", "As repr, with escapes for everything but ASCII.", ascii, 1, 1},
    {"format", "(value, format_spec='')", "The value as text by a format specification.", format, 1, 2},
    {"iter", "(iterable)", "An iterator over the elements.", iter, 1, 1},
    {"next", "(iterator, default)", "The next element.", next, 1, 2},
    {"input", "(prompt='')", "Reads a line.", input, 0, 1},
    {"open", "(file, mode='r', *, encoding=None, errors=None, newline=None)", "A file.", open_file, 1, 2,
     "mode encoding errors newline"},
    {"exit", "(code=None)", "Ends the program.", exit_program, 0, 1},
    {"quit", "(code=None)", "Ends the program.", exit_program, 0, 1},
    {"exec", "(source)", "Not available.", refused<kExec>, 0, 127, "*"},
    {"eval", "(source)", "Not available.", refused<kEval>, 0, 127, "*"},
    {"compile", "(source)", "Not available.", refused<kCompile>, 0, 127, "*"},
};

}  // namespace

void sort_values(Evaluator& evaluator, std::vector<Any>& values, const Arguments& args) {
  const Any* key = args.keyword("key");
  const Any* reverse = args.keyword("reverse");
  bool descending = reverse != nullptr && index_value(evaluator, *reverse, args.span, "reverse") != 0;
  Ordering less{evaluator, args.span};
  // The words of both are moved about; the references stay with `keys` and `values`.
  struct Keyed {
    RawValue key, value;
  };
  std::vector<Any> keys;
  std::vector<Keyed> keyed;
  keyed.reserve(values.size());
  if (key != nullptr && !is_none(*key)) {
    keys.reserve(values.size());
    for (const Any& value : values)
      keys.push_back(evaluator.call(*key, std::span<const Any>(&value, 1), {}, args.span));
  }
  for (size_t i = 0; i < values.size(); ++i)
    keyed.push_back({raw_of(keys.empty() ? values[i] : keys[i]), raw_of(values[i])});
  // Merge sort never reads outside of its range, whatever a comparison answers; equal elements keep their
  // order in both directions.
  std::stable_sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    evaluator.state().check_interrupt(args.span);
    return descending ? less(borrow(b.key), borrow(a.key)) : less(borrow(a.key), borrow(b.key));
  });
  for (size_t i = 0; i < values.size(); ++i) raw_of(values[i]) = keyed[i].value;
}

std::span<const BuiltinRow> function_builtins() { return builtins_table; }

Any builtin_value(const BuiltinRow* row, std::string_view owner) {
  static thread_local std::unordered_map<const BuiltinRow*, std::unordered_map<std::string_view, Any>> made;
  Any& value = made[row][owner];
  if (is_none(value)) value = Any(ir::make<BuiltinNode>(row, owner));
  return value;
}

namespace {

// A type of Python without values here: it can be asked about, but makes nothing.
Ref<ClassNode> missing_type(std::string name) {
  Ref<ClassNode> made = new_class(std::move(name));
  const_cast<ClassNode*>(made.get())->construct = [](Evaluator&, const Ref<ClassNode>& of,
                                                     const Arguments& args) -> Any {
    raise("NotImplementedError", args.span, "not-supported", "`{}` is not available: {}", of->name,
          of->name == "complex"
              ? "numbers are int and float; np.complex64 and np.complex128 arrays are left out too"
              : "bytes are not changed in place; use a list of ints, or bytes");
  };
  return made;
}

}  // namespace

void add_builtins(std::unordered_map<Symbol, Any>& builtins) {
  for (auto table : {function_builtins(), number_builtins(), namespace_builtins()}) {
    for (const BuiltinRow& row : table) builtins[Symbol(row.name)] = builtin_value(&row, "");
  }
  const Types& t = types();
  for (const Ref<ClassNode>& type :
       {t.object,       t.type,  t.boolean,   t.integer,   t.real,  t.str,    t.bytes,    t.list,
        t.tuple,        t.dict,  t.set,       t.frozenset, t.range, t.slice,  t.property, t.static_method,
        t.class_method, t.super, t.enumerate, t.zip,       t.map,   t.filter, t.reversed}) {
    builtins[Symbol(type->name)] = Any(type);
  }
  for (const auto& [name, cls] : exception_classes()) {
    if (cls->module == "builtins") builtins[Symbol(name)] = Any(cls);
  }
  builtins[Symbol("IOError")] = Any(exception_classes().at("OSError"));
  builtins[Symbol("EnvironmentError")] = Any(exception_classes().at("OSError"));
  for (std::string_view name : {"complex", "bytearray", "memoryview"})
    builtins[Symbol(name)] = Any(missing_type(std::string(name)));
  builtins[Symbol("NotImplemented")] = not_implemented();
  builtins[Symbol("Ellipsis")] = ellipsis();
  builtins[Symbol("__debug__")] = true;
}

}  // namespace mlc::script
