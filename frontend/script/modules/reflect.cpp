// SPDX-License-Identifier: Apache-2.0
// What functions and classes tell about themselves, and what of that programs may change: `__annotations__`,
// `__code__`, a class's `__dict__`.
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
  std::vector<std::pair<uint32_t, Symbol>> locals;  // in the order of their slots; parameters have the first
  for (const auto& [name, place] : info.names) locals.emplace_back(index_of(place), name);
  code->set(Symbol("co_name"), str_value(info.name));
  code->set(Symbol("co_filename"), str_value(ir::SourceMap::current().file(info.text.file).name));
  code->set(Symbol("co_firstlineno"),
            static_cast<int64_t>(ir::SourceMap::current().position(info.text.file, info.text.begin).line));
  code->set(Symbol("co_argcount"), static_cast<int64_t>(info.positional));
  code->set(Symbol("co_posonlyargcount"), static_cast<int64_t>(info.positional_only));
  code->set(Symbol("co_kwonlyargcount"), static_cast<int64_t>(info.keyword_only));
  code->set(Symbol("co_varnames"), names_in(locals));
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

// `__dict__`, as a copy.
Any function_dict(const FunctionNode& fn) {
  Dict all;
  for (const auto& [key, value] : fn.attributes) {
    if (!is_function_field(key)) all.Set(str_value(key.str()), value);
  }
  return all;
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
  if (f.module->postponed) return str_value(ir::SourceMap::current().text(expr->span));
  Frame here;  // names of annotations are looked up as they are evaluated
  here.dynamic = true;
  here.outer = &f;
  here.module = f.module;
  EnterFrame enter(*this, here);
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
  } else if (name == known().call) {
    out = Any(ir::ref(fn));
  } else if (name == known().dict) {
    out = function_dict(*fn);
  } else {
    return false;
  }
  return true;
}

void set_function_attribute(State& state, FunctionNode* fn, Symbol name, const Any& value, ir::Span span) {
  if (name == known().name || name == known().qualname) {
    if (!is_str(value))
      raise("TypeError", span, "wrong-type", "{} must be set to a string object", name.str());
  } else if (name == known().annotations) {
    if (!is_none(value) && value.type_index() != kTVMFFIDict)
      raise("TypeError", span, "wrong-type", "__annotations__ must be set to a dict object");
  } else if (name == known().globals || name == known().closure || name == known().code ||
             name == known().defaults || name == known().kw_defaults || name == known().dict) {
    raise("NotImplementedError", span, "not-supported",
          "`{}` cannot be set: a function keeps the text it was made of", name.str());
  }
  if (name == known().annotations && is_none(value)) return set_attribute_of(fn, name, Dict());
  set_attribute_of(fn, name, value);
}

bool erase_function_attribute(FunctionNode* fn, Symbol name) {
  return std::erase_if(fn->attributes, [&](const auto& each) { return each.first == name; }) > 0;
}

// A Map of TVM, which nothing can change: what the class has now.
Any class_dict(ClassNode* cls) {
  ffi::Map<String, Any> all;
  if (cls->own(known().module) == nullptr) all.Set("__module__", str_value(cls->module));
  for (const auto& [key, value] : cls->members) all.Set(String(std::string(key.str())), value);
  if (cls->own(known().doc) == nullptr) all.Set("__doc__", Any(nullptr));
  return all;
}

namespace {

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

constexpr BuiltinRow mro_row = {"mro", "()", "The classes in which members are looked up.", mro_list, 0, 0};
constexpr BuiltinRow init_subclass_row = {
    "__init_subclass__", "()", "Called for each class that derives from it.", init_subclass, 0, 0, "*"};

}  // namespace

Any object_init_subclass() { return builtin_value(&init_subclass_row, "object"); }

bool type_method(const ClassNode* cls, Symbol name, Any& out) {
  const BuiltinRow* row = name.str() == "mro"             ? &mro_row
                          : name == known().init_subclass ? &init_subclass_row
                                                          : nullptr;
  if (row == nullptr) return false;
  out = Any(ir::make<BoundMethodNode>(Any(ir::ref(cls)), builtin_value(row, "type")));
  return true;
}

}  // namespace mlc::script
