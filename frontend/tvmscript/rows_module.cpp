// SPDX-License-Identifier: Apache-2.0
// I.*, tvm.script.*, and what scripts do with modules and functions.
#include "frontend/tvmscript/arguments.h"
#include "frontend/tvmscript/module.h"
#include "frontend/tvmscript/rows.h"
#include "ir/visit.h"

namespace mlc::tvmscript {
namespace {

constexpr std::string_view kI = "tvm.script.ir";
constexpr std::string_view kScript = "tvm.script";
constexpr std::string_view kModule = "mlc.ir.IRModule";
constexpr std::string_view kFunc = "mlc.tirx.PrimFunc";

Any decorator_only(ApiCall& call) {
  throw ir::Error("not-a-decorator", "`{}` is for definitions that follow it: write it as a decorator",
                  call.api.name)
      .at(call.span);
}

Any parse(ApiCall& call) {
  auto* evaluator = dynamic_cast<Evaluator*>(&call.host);
  if (!evaluator) throw ir::Error("unsupported", "this host cannot parse").at(call.span);
  Outside extra;
  if (auto names = call.args[1].as<script::Dict>()) {
    for (const auto& [key, value] : *names) {
      if (script::is_str(key)) extra.emplace_back(Symbol(script::text_of(key)), value);
    }
  }
  String text = str_arg(call, 0);
  return from_source(*evaluator, view(text), extra, {call.args[2].cast<bool>(), call.args[3].cast<bool>()});
}

Any module_attrs(ApiCall& call) {
  ModuleState& state = ModuleState::current(call);
  for (const auto& [key, value] : attributes_arg(call, 0)) state.attrs.Set(key, value);
  return nullptr;
}
Any module_global_infos(ApiCall& call) {
  ModuleState& state = ModuleState::current(call);
  for (const auto& [key, value] : attributes_arg(call, 0)) state.global_infos.Set(key, value);
  return nullptr;
}

// ---- IRModule: args[0] is the module ----

ir::IRModule self(const ApiCall& call) { return call.args[0].cast<ir::IRModule>(); }

ir::GlobalVar name_in(const ir::IRModule& mod, const ApiCall& call, size_t i) {
  if (auto var = call.args[i].as<ir::GlobalVar>()) {
    ir::GlobalVar found = mod->find(view((*var)->name_hint));
    return found ? found : *var;
  }
  String name = str_arg(call, i);
  return mod->find(view(name));
}

Any get_item(ApiCall& call) {
  ir::IRModule mod = self(call);
  if (auto var = call.args[1].as<ir::GlobalVar>()) return mod->lookup(view((*var)->name_hint));
  String name = str_arg(call, 1);
  try {
    return mod->lookup(view(name));
  } catch (ir::Error& error) {
    throw std::move(error).at(call.span).kind("ValueError");
  }
}
Any contains(ApiCall& call) {
  ir::IRModule mod = self(call);
  ir::GlobalVar found = name_in(mod, call, 1);
  return found && mod->functions.count(found) != 0;
}
Any get_global_vars(ApiCall& call) {
  std::vector<ir::GlobalVar> all;
  for (const auto& [name, fn] : self(call)->functions) all.push_back(name);
  std::sort(all.begin(), all.end(), [](const ir::GlobalVar& a, const ir::GlobalVar& b) {
    return view(a->name_hint) < view(b->name_hint);
  });
  return script::List(all.begin(), all.end());
}
Any get_global_var(ApiCall& call) {
  ir::IRModule mod = self(call);
  ir::GlobalVar found = name_in(mod, call, 1);
  if (found) return found;
  std::vector<std::string> names;
  for (const auto& [name, fn] : mod->functions)
    names.emplace_back(name->name_hint.data(), name->name_hint.size());
  String wanted = str_arg(call, 1);
  throw ir::Error("no-such-function", "the module has no function `{}`", wanted.c_str())
      .at(call.span_of(1))
      .help(ir::did_you_mean(view(wanted), names));
}

// In scripts a module is a mutable object: what holds it sees the change, as in TVM.
ir::IRModuleNode& mutable_self(const ApiCall& call) {
  return const_cast<ir::IRModuleNode&>(*self(call).get());
}

void set_function(const ApiCall& call, const Any& key, const Any& value) {
  ir::IRModuleNode& mod = mutable_self(call);
  auto fn = value.as<ir::BaseFunc>();
  if (!fn) {
    throw ir::Error("wrong-type", "expected a function, got `{}`", ir::type_name(value))
        .at(call.span)
        .kind("TypeError");
  }
  ir::GlobalVar name;
  if (auto var = key.as<ir::GlobalVar>()) {
    name = *var;
  } else {
    name = mod.find(script::text_of(key));
    if (!name) name = ir::make<ir::GlobalVarNode>(key.cast<String>());
  }
  mod.functions = ir::with_function(ir::ref(&mod), name, *fn)->functions;
}
Any update_func(ApiCall& call) {
  set_function(call, call.args[1], call.args[2]);
  return nullptr;
}
Any update(ApiCall& call) {
  auto other = call.args[1].as<ir::IRModule>();
  if (!other) ir::wrong_argument(call, 1, "IRModule");
  for (const auto& [name, fn] : (*other)->functions) {
    Any key = self(call)->find(view(name->name_hint));
    set_function(call, key.as<ir::GlobalVar>() && key.cast<ir::GlobalVar>() ? key : Any(name), fn);
  }
  return nullptr;
}

Any make_module(ApiCall& call) {
  Map<ir::GlobalVar, ir::BaseFunc> functions;
  if (auto dict = call.args[0].as<script::Dict>()) {
    for (const auto& [key, value] : *dict) {
      auto fn = value.as<ir::BaseFunc>();
      if (!fn) ir::wrong_argument(call, 0, "dict of functions");
      if (auto var = key.as<ir::GlobalVar>()) {
        functions.Set(*var, *fn);
      } else if (script::is_str(key)) {
        functions.Set(ir::make<ir::GlobalVarNode>(key.cast<String>()), *fn);
      } else {
        ir::wrong_argument(call, 0, "dict with names as keys");
      }
    }
  } else if (auto map = call.args[0].try_cast<Map<ir::GlobalVar, ir::BaseFunc>>()) {
    functions = *map;
  } else if (!script::is_none(call.args[0])) {
    ir::wrong_argument(call, 0, "dict");
  }
  Map<String, Any> infos = attributes_arg(call, 2);
  return ir::make<ir::IRModuleNode>(functions, attributes_arg(call, 1), infos);
}
Any from_expr(ApiCall& call) {
  auto fn = call.args[0].as<ir::PrimFunc>();
  if (!fn) ir::wrong_argument(call, 0, "prim_func");
  return ir::module_of(*fn);
}

Any module_with_attr(ApiCall& call) {
  ir::IRModule mod = self(call);
  String key = str_arg(call, 1);
  Any value = attribute_value(call.args[2], call.span_of(2));
  return ir::with(mod, [&](ir::IRModuleNode& changed) { changed.attrs.Set(key, value); });
}

// ---- PrimFunc ----

Any with_attr(ApiCall& call) {
  auto fn = call.args[0].cast<ir::PrimFunc>();
  if (!script::is_str(call.args[1])) {
    for (const auto& [key, value] : attributes_arg(call, 1)) fn = ir::with_attr(fn, key, value);
    return fn;
  }
  return ir::with_attr(fn, str_arg(call, 1), attribute_value(call.args[2], call.span_of(2)));
}
Any without_attr(ApiCall& call) {
  return ir::without_attr(call.args[0].cast<ir::PrimFunc>(), str_arg(call, 1));
}
Any with_body(ApiCall& call) {
  auto fn = call.args[0].cast<ir::PrimFunc>();
  auto body = call.args[1].as<Stmt>();
  if (!body) ir::wrong_argument(call, 1, "statement");
  return ir::with(fn, [&](ir::PrimFuncNode& changed) { changed.body = *body; });
}

// ---- GlobalVar ----

// `Module.f(a, b)` inside a prim_func.
Any call_global(ApiCall& call) {
  auto name = call.args[0].cast<ir::GlobalVar>();
  Array<Expr> args;
  for (const Any& one : script::elements(call.args[1])) {
    if (script::is_str(one)) {
      args.push_back(ir::make<ir::StringImmNode>(one.cast<String>(), call.span));
    } else {
      args.push_back(script::as_expr(one, call.span, "an argument"));
    }
  }
  Type type = ir::void_type();
  if (name->ty && name->ty->kind == ir::TypeKind::kFunc) {
    auto* signature = static_cast<const ir::FuncTypeNode*>(name->ty.get());
    if (signature->arg_types.size() != args.size()) {
      throw ir::Error("wrong-arguments", "`{}` takes {} argument{}, got {}", name->name_hint.c_str(),
                      signature->arg_types.size(), signature->arg_types.size() == 1 ? "" : "s", args.size())
          .at(call.span)
          .kind("TypeError")
          .note("the function is defined here", name->span);
    }
    type = signature->ret_type;
  }
  return Expr(ir::make<ir::CallNode>(type, name, args, Map<String, Any>{}, call.span));
}

constexpr std::string_view parse_doc = "The function or module that a text defines.";
#define FUNCTION(owner, signature, doc, body) \
  { ir::ApiKind::kFunction, owner, signature, doc, body }
#define METHOD(owner, signature, doc, body) \
  { ir::ApiKind::kMethod, owner, signature, doc, body }
constexpr ir::ApiRow rows[] = {
    FUNCTION(kI, "ir_module(check_well_formed=True, s_tir=False)",
             "The class that follows is a module of functions.", decorator_only),
    FUNCTION(kT, "prim_func(private=False, check_well_formed=True, s_tir=False, persistent=False)",
             "The function that follows is a tensor program.", decorator_only),
    FUNCTION(kI, "module_attrs(attrs, allow_overwrite=False)", "Attributes of the module.", module_attrs),
    FUNCTION(kI, "module_global_infos(global_infos)", "What the functions of the module share.",
             module_global_infos),
    FUNCTION(
        kI, "meta_var(value)", "Keeps a script value as it is.",
        +[](ApiCall& call) -> Any { return ir::make<MetaVarNode>(call.args[0]); }),
    FUNCTION(kScript, "from_source(program, extra_vars=None, check_well_formed=True, s_tir=False)", parse_doc,
             parse),
    FUNCTION(kScript, "parse(program, extra_vars=None, check_well_formed=True, s_tir=False)", parse_doc,
             parse),
    {ir::ApiKind::kClass, "tvm", "IRModule(functions=None, attrs=None, global_infos=None)",
     "Functions by name.", make_module, kModule, "tvm.ir.module.IRModule"},
    FUNCTION("tvm.IRModule", "from_expr(expr)", "A module of one function.", from_expr),
    METHOD(kModule, "__getitem__(var)", "The function of that name.", get_item),
    METHOD(kModule, "__setitem__(var, func)", "Adds or replaces a function.", update_func),
    METHOD(kModule, "__contains__(var)", "Is there such a function?", contains),
    METHOD(kModule, "get_global_vars()", "The names of the functions.", get_global_vars),
    METHOD(kModule, "get_global_var(name)", "The name of a function as a value.", get_global_var),
    METHOD(kModule, "update_func(var, func)", "Adds or replaces a function.", update_func),
    METHOD(kModule, "update(other)", "Adds the functions of another module.", update),
    METHOD(kModule, "with_attr(attr_key, attr_value)", "The module with one more attribute.",
           module_with_attr),
    METHOD(kFunc, "with_attr(attr_key_or_dict, attr_value=None)", "The function with more attributes.",
           with_attr),
    METHOD(kFunc, "without_attr(attr_key)", "The function without an attribute.", without_attr),
    METHOD(kFunc, "with_body(new_body)", "The function with another body.", with_body),
    METHOD("mlc.ir.GlobalVar", "__call__(*args)", "Calls the function.", call_global),
};
#undef FUNCTION
#undef METHOD

Any prim_func_hook(Evaluator& evaluator, const syntax::Stmt& definition, const Any& arguments,
                   script::Scope where) {
  auto* def = syntax::as<syntax::FunctionDef>(&definition);
  if (!def) throw ir::Error("not-a-function", "`@T.prim_func` stands above a function").at(definition.span);
  return build_function(evaluator, *def, function_options(arguments), where);
}
Any ir_module_hook(Evaluator& evaluator, const syntax::Stmt& definition, const Any& arguments,
                   script::Scope where) {
  auto* def = syntax::as<syntax::ClassDef>(&definition);
  if (!def) throw ir::Error("not-a-class", "`@I.ir_module` stands above a class").at(definition.span);
  return build_module(evaluator, *def, module_options(arguments), where);
}

}  // namespace

std::span<const ir::ApiRow> module_rows() { return rows; }

void register_api() {
  auto& registry = ir::ApiRegistry::global();
  for (auto table :
       {dtype_rows(), loop_rows(), block_rows(), buffer_rows(), buffer_value_rows(), layout_rows(),
        statement_rows(), arithmetic_rows(), call_rows(), module_rows(), node_rows()}) {
    registry.add(table);
  }
  registry.alias("tvm.script.tir", "tvm.script.tirx");
  registry.alias("tvm.tir", "tvm.tirx");
  registry.alias("tvm.script.tirx.target", "tvm.target.Target");
  registry.alias("tvm.script.ir_module", "tvm.script.ir.ir_module");
  registry.alias("tvm.ir.IRModule", "tvm.IRModule");
  // The functions of tvm.tirx.op are those of T.
  for (const ir::ApiRow& row : call_rows()) {
    std::string name(row.signature.substr(0, row.signature.find('(')));
    registry.alias("tvm.tirx." + name, std::string(kT) + "." + name);
  }
  for (std::string_view name : {"Var", "TensorRegion", "TensorLoad"})
    registry.alias(fmt::format("tvm.tirx.{}", name), fmt::format("tvm.ir.{}", name));
  registry.alias("tvm.tirx.LetStmt", "tvm.tirx.Bind");
  registry.alias("tvm.script.parse_from_source", "tvm.script.from_source");
  script::register_definition_hook("tvm.script.tirx.prim_func", prim_func_hook);
  script::register_definition_hook("tvm.script.ir.ir_module", ir_module_hook);
}

}  // namespace mlc::tvmscript
