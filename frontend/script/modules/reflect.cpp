// SPDX-License-Identifier: Apache-2.0
// What functions and classes tell about themselves, and what of that programs may change: `__annotations__`,
// `__defaults__`, `__code__`, a class's `__dict__` and `__subclasses__()`.
#include <algorithm>

#include "frontend/script/modules/traceback.h"

namespace mlc::script {

using State = Evaluator::State;

namespace {

Tuple names_in(std::vector<std::pair<uint32_t, Symbol>>& all) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Tuple names;
  for (const auto& [slot, name] : all) names.push_back(str_value(name.str()));
  return names;
}

// function.__code__: what is asked of it to learn the names of parameters and variables.
Any code_object(const FunctionInfo& info) {
  Ref<InstanceNode> made = ir::make<InstanceNode>(code_class());
  auto* code = const_cast<InstanceNode*>(made.get());
  // In the order of their slots; parameters have the first.
  std::vector<std::pair<uint32_t, Symbol>> locals, cells, free;
  auto is_free = [&](uint32_t slot) {
    return std::any_of(info.free_variables.begin(), info.free_variables.end(),
                       [&](const auto& each) { return each.slot == slot; });
  };
  for (const auto& [name, place] : info.names) {
    uint32_t slot = index_of(place);
    bool parameter = std::find(info.parameters.begin(), info.parameters.end(), name) != info.parameters.end();
    bool cell = storage_of(place) == Storage::kCell;
    if (cell) (is_free(slot) ? free : cells).emplace_back(slot, name);
    if (parameter || !cell) locals.emplace_back(slot, name);
  }
  code->set(Symbol("co_name"), str_value(info.name));
  code->set(Symbol("co_qualname"), str_value(info.qualified_name));
  code->set(Symbol("co_filename"), str_value(ir::SourceMap::global().file(info.text.file).name));
  code->set(Symbol("co_firstlineno"),
            static_cast<int64_t>(ir::SourceMap::global().position(info.text.file, info.text.begin).line));
  code->set(Symbol("co_argcount"), static_cast<int64_t>(info.positional));
  code->set(Symbol("co_posonlyargcount"), static_cast<int64_t>(info.positional_only));
  code->set(Symbol("co_kwonlyargcount"), static_cast<int64_t>(info.keyword_only));
  code->set(Symbol("co_nlocals"), static_cast<int64_t>(locals.size()));
  code->set(Symbol("co_varnames"), names_in(locals));
  code->set(Symbol("co_cellvars"), names_in(cells));
  code->set(Symbol("co_freevars"), names_in(free));
  code->set(Symbol("co_flags"), static_cast<int64_t>((info.has_vararg ? 4 : 0) | (info.has_kwarg ? 8 : 0) |
                                                     (info.yields ? 32 : 0) | 3));
  return Any(made);
}

// Calls `visit(name, annotation)` for the annotations of a function, in CPython's order.
template <class F>
void each_annotation(const FunctionInfo& info, F&& visit) {
  if (info.args == nullptr) return;
  auto add = [&](const syntax::Arg* a) {
    if (a != nullptr && a->annotation != nullptr) visit(a->name, a->annotation);
  };
  for (const syntax::Arg* a : info.args->args) add(a);
  for (const syntax::Arg* a : info.args->posonlyargs) add(a);
  add(info.args->vararg);
  for (const syntax::Arg* a : info.args->kwonlyargs) add(a);
  add(info.args->kwarg);
  if (info.returns != nullptr) visit(Symbol("return"), info.returns);
}

// What an annotation is under `from __future__ import annotations`: its text with one blank where CPython
// writes one, and with CPython's quotes.
std::string text_of_annotation(const syntax::Expr* expr) {
  std::string_view source = ir::SourceMap::global().text(expr->span);
  auto* constant = syntax::as<syntax::Constant>(expr);
  if (constant != nullptr && constant->type == syntax::Constant::Type::kStr) return quote(constant->text);
  std::string out;
  char open = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    char c = source[i];
    if (open != 0) {
      if (c == open) open = 0;
    } else if (c == '"' || c == '\'') {
      open = c;
      size_t end = source.find(c, i + 1);
      std::string_view inside = end == source.npos ? "" : source.substr(i + 1, end - i - 1);
      if (end != source.npos && inside.find_first_of("\\'") == inside.npos) {
        out.append("'").append(inside).append("'");
        i = end;
        open = 0;
        continue;
      }
    } else if (c == ' ' || c == '\n' || c == '\t') {
      char next = i + 1 < source.size() ? source[i + 1] : 0;
      bool inside = out.ends_with('[') || out.ends_with('(') || next == ']' || next == ')' || next == ' ' ||
                    next == ',' || next == '[';
      if (!inside && !out.ends_with(' ')) out += ' ';
      continue;
    } else if (c == ',') {
      out += ", ";
      while (i + 1 < source.size() && (source[i + 1] == ' ' || source[i + 1] == '\n')) ++i;
      continue;
    } else if (c == '|') {
      if (!out.ends_with(' ')) out += ' ';
      out += "| ";
      while (i + 1 < source.size() && source[i + 1] == ' ') ++i;
      continue;
    }
    out += c;
  }
  return out;
}

void set_attribute_of(FunctionNode* fn, Symbol name, Any value) {
  for (auto& [key, old] : fn->attributes) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  fn->attributes.emplace_back(name, std::move(value));
}

// What a function keeps outside of its `__dict__`.
bool is_function_field(Symbol name) {
  const KnownNames& k = known();
  return name == k.name || name == k.qualname || name == k.doc || name == k.module || name == k.annotations;
}

// `__dict__`: from now on the program's attributes are in it, whoever changes it.
const Any& function_dict(FunctionNode* fn) {
  if (!is_none(fn->dict)) return fn->dict;
  Dict all;
  for (auto& [key, value] : fn->attributes) {
    if (!is_function_field(key)) all.Set(str_value(key.str()), value);
  }
  std::erase_if(fn->attributes, [](const auto& each) { return !is_function_field(each.first); });
  fn->dict = all;
  return fn->dict;
}

Any kw_defaults_of(const FunctionNode& fn) {
  Dict all;
  for (size_t i = 0; i < fn.kw_defaults.size(); ++i) {
    if (!is_unbound(fn.kw_defaults[i]))
      all.Set(str_value(fn.info->parameters[fn.info->positional + i].str()), fn.kw_defaults[i]);
  }
  return all.empty() ? Any(nullptr) : Any(all);
}

}  // namespace

Any State::annotation(const syntax::Expr* expr, Frame& f) {
  if (f.module->postponed) return str_value(text_of_annotation(expr));
  Frame here;  // names of annotations are looked up as they are evaluated
  here.dynamic = true;
  here.outer = &f;
  here.module = f.module;
  here.back = frame;
  frame = &here;
  struct Leave {
    State& state;
    Frame& here;
    ~Leave() { state.frame = here.back; }
  } leave{*this, here};
  return eval_slice(expr, here);
}

void annotate_function(State& state, FunctionNode* fn, Frame& f) {
  Any all;
  each_annotation(*fn->info, [&](Symbol name, const syntax::Expr* expr) {
    if (is_none(all)) all = Dict();
    all.cast<Dict>().Set(str_value(name.str()), state.annotation(expr, f));
  });
  if (!is_none(all)) fn->attributes.emplace_back(known().annotations, all);
}

bool function_attribute(State& state, FunctionNode* fn, Symbol name, Any& out, ir::Span span) {
  for (const auto& [key, value] : fn->attributes) {
    if (key == name) {
      out = value;
      return true;
    }
  }
  if (name == known().name) {
    out = str_value(fn->info->name);
  } else if (name == known().qualname) {
    out = str_value(fn->info->qualified_name);
  } else if (name == known().doc) {
    out = fn->info->doc.empty() ? Any(nullptr) : str_value(fn->info->doc);
  } else if (name == known().module) {
    out = str_value(fn->module->name);
  } else if (name == known().defaults) {
    out = fn->defaults.empty() ? Any(nullptr) : Any(Tuple(fn->defaults.begin(), fn->defaults.end()));
  } else if (name == known().kw_defaults) {
    out = kw_defaults_of(*fn);
  } else if (name == known().code) {
    out = code_object(*fn->info);
  } else if (name == known().annotations) {
    out = Dict();
    fn->attributes.emplace_back(name, out);
  } else if (name == known().globals) {
    out = state.namespace_of(const_cast<ModuleNode*>(fn->module.get()));
  } else if (name == known().closure) {
    out = fn->cells.empty() ? Any(nullptr) : Any(Tuple(fn->cells.begin(), fn->cells.end()));
  } else if (name == known().call) {
    out = Any(ir::ref(fn));
  } else if (name == known().dict) {
    out = function_dict(fn);
  } else {
    Any* found = is_none(fn->dict) ? nullptr : dict_find(state.self, fn->dict, str_value(name.str()));
    if (found != nullptr) out = *found;
    return found != nullptr;
  }
  return true;
}

void set_function_attribute(State& state, FunctionNode* fn, Symbol name, const Any& value, ir::Span span) {
  if (name == known().name || name == known().qualname) {
    if (!is_str(value))
      raise("TypeError", span, "wrong-type", "{} must be set to a string object", name.str());
  } else if (name == known().defaults) {
    if (!is_none(value) && value.type_index() != kTVMFFIArray)
      raise("TypeError", span, "wrong-type", "__defaults__ must be set to a tuple object");
    fn->defaults.clear();
    if (is_none(value)) return;
    std::span<Any> all = elements(value);
    if (all.size() > fn->info->positional) all = all.last(fn->info->positional);
    fn->defaults.assign(all.begin(), all.end());
    return;
  } else if (name == known().kw_defaults) {
    if (!is_none(value) && value.type_index() != kTVMFFIDict)
      raise("TypeError", span, "wrong-type", "__kwdefaults__ must be set to a dict object");
    for (size_t i = 0; i < fn->info->keyword_only; ++i) {
      Any key = str_value(fn->info->parameters[fn->info->positional + i].str());
      Any* given = is_none(value) ? nullptr : dict_find(state.self, value, key);
      fn->kw_defaults[i] = given == nullptr ? unbound() : *given;
    }
    return;
  } else if (name == known().annotations) {
    if (!is_none(value) && value.type_index() != kTVMFFIDict)
      raise("TypeError", span, "wrong-type", "__annotations__ must be set to a dict object");
  } else if (name == known().globals || name == known().closure) {
    raise("AttributeError", span, "read-only", "readonly attribute");
  } else if (name == known().code) {
    raise("NotImplementedError", span, "not-supported",
          "`__code__` cannot be set: a function keeps the text it was made of");
  }
  if (name == known().dict) {
    if (value.type_index() != kTVMFFIDict) {
      raise("TypeError", span, "wrong-type", "__dict__ must be set to a dictionary, not a '{}'",
            type_name_of(state.self, value));
    }
    function_dict(fn);
    fn->dict = value;
    return;
  }
  if (name == known().annotations && is_none(value)) return set_attribute_of(fn, name, Dict());
  if (!is_none(fn->dict) && !is_function_field(name))
    return dict_set(state.self, fn->dict, str_value(name.str()), value);
  set_attribute_of(fn, name, value);
}

bool erase_function_attribute(State& state, FunctionNode* fn, Symbol name) {
  if (std::erase_if(fn->attributes, [&](const auto& each) { return each.first == name; }) > 0) return true;
  return !is_none(fn->dict) && dict_remove(state.self, fn->dict, str_value(name.str()));
}

namespace {

// A mapping that only reads its dict. Its objects hold the dict as a payload without being dicts.
Any make_proxy(Evaluator& evaluator, const Ref<ClassNode>& cls, const Arguments& args) {
  if (args.size() != 1 || builtin_value_of(args[0]).type_index() != kTVMFFIDict) {
    raise("TypeError", args.span, "wrong-type", "mappingproxy() argument must be a mapping, not {}",
          args.size() == 0 ? "nothing" : type_name_of(evaluator, args[0]));
  }
  Ref<InstanceNode> made = ir::make<InstanceNode>(cls);
  const_cast<InstanceNode*>(made.get())->payload = builtin_value_of(args[0]);
  return Any(made);
}
Any refuse_item(Evaluator&, const Arguments& args) {
  raise("TypeError", args.span, "read-only", "'mappingproxy' object does not support item assignment");
}
Any refuse_removal(Evaluator&, const Arguments& args) {
  raise("TypeError", args.span, "read-only", "'mappingproxy' object does not support item deletion");
}
Any refuse_union(Evaluator&, const Arguments& args) {
  raise("TypeError", args.span, "read-only", "'|=' is not supported by mappingproxy; use '|' instead");
}
Any refuse_method(Evaluator&, const Arguments& args) {
  raise("AttributeError", args.span, "read-only", "a 'mappingproxy' object has no method that changes it");
}
Any proxy_repr(Evaluator& evaluator, const Arguments& args) {
  return str_value("mappingproxy(" + evaluator.repr(as<InstanceNode>(args[0])->payload) + ")");
}
constexpr BuiltinRow proxy_rows[] = {
    {"__setitem__", "(key, value)", "Refused.", refuse_item, 2, 2},
    {"__delitem__", "(key)", "Refused.", refuse_removal, 1, 1},
    {"__ior__", "(other)", "Refused.", refuse_union, 1, 1},
    {"__repr__", "()", "The text.", proxy_repr, 0, 0},
};
constexpr BuiltinRow refused_row = {"change", "(self)", "Refused.", refuse_method, 1, 1};

const Ref<ClassNode>& proxy_class() {
  static const Ref<ClassNode> type = [] {
    Ref<ClassNode> made = ir::make<ClassNode>("mappingproxy");
    auto* cls = const_cast<ClassNode*>(made.get());
    cls->module = "builtins";
    cls->bases = {types().object};
    cls->mro = {cls, const_cast<ClassNode*>(types().object.get())};
    cls->construct = make_proxy;
    for (const BuiltinRow& row : proxy_rows) cls->set(Symbol(row.name), builtin_value(&row, "object"));
    for (const char* name : {"update", "pop", "popitem", "clear", "setdefault"}) {
      cls->set(Symbol(name),
               Any(ir::make<PropertyNode>(builtin_value(&refused_row, ""), Any(nullptr), Any(nullptr))));
    }
    return made;
  }();
  return type;
}

}  // namespace

Any read_only(State& state, const Any& dict) {
  return make_proxy(state.self, proxy_class(), Arguments{std::span<Any>(const_cast<Any*>(&dict), 1), {}, {}});
}

Any class_dict(State& state, ClassNode* cls) {
  if (is_none(cls->dict)) {
    Dict all;
    if (cls->own(known().module) == nullptr) all.Set(str_value("__module__"), str_value(cls->module));
    for (const auto& [key, value] : cls->members) all.Set(str_value(key.str()), value);
    if (cls->own(known().doc) == nullptr) all.Set(str_value("__doc__"), nullptr);
    cls->dict = all;
  }
  return read_only(state, cls->dict);
}

namespace {

Any subclasses(Evaluator&, const Arguments& args) {
  auto* cls = as<ClassNode>(args[0]);
  if (!cls->scripted) {
    raise("NotImplementedError", args.span, "not-supported",
          "`__subclasses__` of `{}` is not available: the types of the language do not keep who derives from "
          "them",
          cls->name);
  }
  List all;
  for (ClassNode* each : cls->derived) all.push_back(Any(ir::ref(each)));
  return all;
}
Any mro_list(Evaluator&, const Arguments& args) {
  List all;
  for (ClassNode* each : as<ClassNode>(args[0])->mro) all.push_back(Any(ir::ref(each)));
  return all;
}
Any init_subclass(Evaluator&, const Arguments& args) {
  if (!args.keywords.empty()) {
    auto* cls = as<ClassNode>(args[0]);
    raise("TypeError", args.span, "unknown-keyword", "{}.__init_subclass__() takes no keyword arguments",
          cls == nullptr ? "object" : cls->short_name());
  }
  return nullptr;
}

constexpr BuiltinRow subclasses_row = {"__subclasses__", "()", "The classes that derive from it directly.",
                                       subclasses,       0,    0};
constexpr BuiltinRow mro_row = {"mro", "()", "The classes in which members are looked up.", mro_list, 0, 0};
constexpr BuiltinRow init_subclass_row = {
    "__init_subclass__", "()", "Called for each class that derives from it.", init_subclass, 0, 0, "*"};

}  // namespace

Any object_init_subclass() { return builtin_value(&init_subclass_row, "object"); }

bool type_method(const ClassNode* cls, Symbol name, Any& out) {
  const BuiltinRow* row = name.str() == "__subclasses__"  ? &subclasses_row
                          : name.str() == "mro"           ? &mro_row
                          : name == known().init_subclass ? &init_subclass_row
                                                          : nullptr;
  if (row == nullptr) return false;
  out = Any(ir::make<BoundMethodNode>(Any(ir::ref(cls)), builtin_value(row, "type")));
  return true;
}

}  // namespace mlc::script
