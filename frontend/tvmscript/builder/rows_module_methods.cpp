// SPDX-License-Identifier: Apache-2.0
// What scripts do with modules and functions.
#include <algorithm>

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/specialize.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "specialize-mismatch", .message = "`{}` is `{}`, the value is `{}`"},
    }};
MLC_REFUSALS(builder_rows_module_methods, refusals);

namespace {

constexpr std::string_view kModule = "mlc.ir.IRModule";
constexpr std::string_view kFunc = "mlc.tirx.PrimFunc";

// ---- IRModule: args[0] is the module ----

ir::IRModule module_self(const ApiCall& call) { return call.args[0].cast<ir::IRModule>(); }

ir::GlobalVar name_in(const ir::IRModule& mod, const ApiCall& call, size_t i) {
  if (auto var = ir::try_get<ir::GlobalVar>(call.args[i])) {
    ir::GlobalVar found = mod->find(view((*var)->name_hint));
    return found ? found : *var;
  }
  String name = str_arg(call, i);
  return mod->find(view(name));
}

Any get_item(ApiCall& call) {
  ir::IRModule mod = module_self(call);
  if (auto var = ir::try_get<ir::GlobalVar>(call.args[1])) {
    if (mod->functions.count(*var) == 0 && !mod->find(view((*var)->name_hint))) {
      throw ir::Error("no-such-function", "the module has no function `{}`", (*var)->name_hint.c_str())
          .at(call.span)
          .kind(ir::kRefusedValue);
    }
    return mod->lookup(view((*var)->name_hint));
  }
  if (!script::is_str(call.args[1])) {
    throw ir::Error("wrong-type", "the name of a function is a str or GlobalVar, not `{}`",
                    ir::type_name(call.args[1]))
        .at(call.span_of(1))
        .kind("AssertionError+TypeError");
  }
  String name = str_arg(call, 1);
  try {
    return mod->lookup(view(name));
  } catch (ir::Error& error) {
    throw std::move(error).at(call.span).kind("ValueError");
  }
}
Any module_contains(ApiCall& call) {
  ir::IRModule mod = module_self(call);
  ir::GlobalVar found = name_in(mod, call, 1);
  return found && mod->functions.count(found) != 0;
}
std::vector<std::pair<ir::GlobalVar, ir::BaseFunc>> sorted_functions(const ApiCall& call) {
  std::vector<std::pair<ir::GlobalVar, ir::BaseFunc>> all;
  for (const auto& [name, fn] : module_self(call)->functions) all.emplace_back(name, fn);
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return view(a.first->name_hint) < view(b.first->name_hint); });
  return all;
}
Any get_global_vars(ApiCall& call) {
  ffi::Array<ir::GlobalVar> names;
  for (const auto& [name, fn] : sorted_functions(call)) names.push_back(name);
  return names;
}
// The GlobalVar that argument i names; Error no-such-function without one.
ir::GlobalVar name_of(const ApiCall& call, size_t i) {
  ir::IRModule mod = module_self(call);
  ir::GlobalVar found = name_in(mod, call, i);
  if (found) return found;
  std::vector<std::string> names;
  for (const auto& [name, fn] : mod->functions)
    names.emplace_back(name->name_hint.data(), name->name_hint.size());
  String wanted = str_arg(call, i);
  throw ir::Error("no-such-function", "the module has no function `{}`", wanted.c_str())
      .at(call.span_of(i))
      .kind("ValueError")
      .help(ir::did_you_mean(view(wanted), names));
}
Any get_global_var(ApiCall& call) { return name_of(call, 1); }

// In scripts a module is a mutable object: what holds it sees the change, as in TVM.
ir::IRModuleNode& mutable_self(const ApiCall& call) {
  return const_cast<ir::IRModuleNode&>(*module_self(call).get());
}

void set_function(const ApiCall& call, const Any& key, const Any& value) {
  ir::IRModuleNode& mod = mutable_self(call);
  auto fn = ir::try_get<ir::BaseFunc>(value);
  if (!fn) {
    throw ir::Error("wrong-type", "expected a function, got `{}`", ir::type_name(value))
        .at(call.span)
        .kind("TypeError");
  }
  ir::GlobalVar name;
  if (auto var = ir::try_get<ir::GlobalVar>(key)) {
    name = *var;
  } else if (!script::is_str(key)) {
    throw ir::Error("wrong-type", "the name of a function is a str or GlobalVar, not `{}`",
                    ir::type_name(key))
        .at(call.span)
        .kind("TypeError");
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
  if (auto dict = call.args[1].as<script::Dict>()) {
    for (const auto& [key, fn] : *dict) set_function(call, key, fn);
    return nullptr;
  }
  auto other = ir::try_get<ir::IRModule>(call.args[1]);
  if (!other) ir::wrong_argument(call, 1, "IRModule");
  for (const auto& [name, fn] : (*other)->functions) {
    Any key = module_self(call)->find(view(name->name_hint));
    set_function(call, ir::try_get<ir::GlobalVar>(key) && key.cast<ir::GlobalVar>() ? key : Any(name), fn);
  }
  return nullptr;
}

Map<ir::GlobalVar, ir::BaseFunc> functions_of(const ApiCall& call, size_t i, const script::Dict& dict) {
  Map<ir::GlobalVar, ir::BaseFunc> functions;
  for (const auto& [key, value] : dict) {
    auto fn = ir::try_get<ir::BaseFunc>(value);
    if (!fn) ir::wrong_argument(call, i, "dict of functions");
    auto var = ir::try_get<ir::GlobalVar>(key);
    if (!var && !script::is_str(key)) ir::wrong_argument(call, i, "dict with names as keys");
    functions.Set(var ? *var : ir::make<ir::GlobalVarNode>(key.cast<String>()), *fn);
  }
  return functions;
}
Any make_module(ApiCall& call) {
  Map<ir::GlobalVar, ir::BaseFunc> functions;
  if (auto dict = call.args[0].as<script::Dict>()) {
    functions = functions_of(call, 0, *dict);
  } else if (auto map = call.args[0].try_cast<Map<ir::GlobalVar, ir::BaseFunc>>()) {
    functions = *map;
  } else if (!script::is_none(call.args[0])) {
    ir::wrong_argument(call, 0, "dict");
  }
  Map<String, Any> infos = attributes_arg(call, 2);
  return ir::make<ir::IRModuleNode>(functions, attributes_arg(call, 1), infos);
}
// from_expr(expr, functions=None): the function is the entry, beside others.
Any from_expr(ApiCall& call) {
  auto fn = ir::try_get<ir::BaseFunc>(call.args[0]);
  if (!fn) ir::wrong_argument(call, 0, "function");
  String name = ir::attr(*fn, "global_symbol").value_or(Any()).try_cast<String>().value_or("main");
  ir::IRModule mod = ir::with_function(ir::make<ir::IRModuleNode>(Map<ir::GlobalVar, ir::BaseFunc>()),
                                       ir::make<ir::GlobalVarNode>(name), *fn);
  if (!is_given(call, 1)) return mod;
  auto others = call.args[1].as<script::Dict>();
  if (!others) ir::wrong_argument(call, 1, "dict of functions");
  for (const auto& [name, other] : functions_of(call, 1, *others)) mod = ir::with_function(mod, name, other);
  return mod;
}

Any clone(ApiCall& call) {
  return ir::with(module_self(call), [](ir::IRModuleNode&) {});
}
Any functions_items(ApiCall& call) {
  script::List items;
  for (const auto& [name, fn] : sorted_functions(call)) items.push_back(script::Tuple{name, fn});
  return items;
}
// A name that the module lacks is refused; a GlobalVar that it lacks is not, as in TVM.
Any delete_item(ApiCall& call) {
  ir::IRModuleNode& mod = mutable_self(call);
  ir::GlobalVar name = script::is_str(call.args[1]) ? name_of(call, 1) : name_in(ir::ref(&mod), call, 1);
  Map<ir::GlobalVar, ir::BaseFunc> rest;
  for (const auto& [key, fn] : mod.functions) {
    if (!key.same_as(name)) rest.Set(key, fn);
  }
  mod.functions = rest;
  return nullptr;
}
Any get_attr(ApiCall& call) {
  ir::IRModule mod = module_self(call);
  auto found = mod->attrs.find(str_arg(call, 1));
  return found == mod->attrs.end() ? Any(nullptr) : (*found).second;
}
Any module_with_attrs(ApiCall& call) {
  Map<String, Any> more = attributes_arg(call, 1);
  return ir::with(module_self(call), [&](ir::IRModuleNode& changed) {
    for (const auto& [key, value] : more) changed.attrs.Set(key, value);
  });
}
Any module_without_attr(ApiCall& call) {
  String key = str_arg(call, 1);
  return ir::with(module_self(call), [&](ir::IRModuleNode& changed) { changed.attrs.erase(key); });
}
Any update_global_info(ApiCall& call) {
  mutable_self(call).global_infos.Set(str_arg(call, 1), attribute_value(call.args[2], call.span_of(2)));
  return nullptr;
}

Any module_with_attr(ApiCall& call) {
  ir::IRModule mod = module_self(call);
  String key = str_arg(call, 1);
  Any value = attribute_value(call.args[2], call.span_of(2));
  return ir::with(mod, [&](ir::IRModuleNode& changed) { changed.attrs.Set(key, value); });
}

// ---- PrimFunc ----

Any with_attrs(ApiCall& call) {
  auto fn = call.args[0].cast<ir::PrimFunc>();
  for (const auto& [key, value] : attributes_arg(call, 1)) fn = ir::with_attr(fn, key, value);
  return fn;
}
Any with_attr(ApiCall& call) {
  if (!script::is_str(call.args[1])) return with_attrs(call);
  return ir::with_attr(call.args[0].cast<ir::PrimFunc>(), str_arg(call, 1),
                       attribute_value(call.args[2], call.span_of(2)));
}
Any without_attr(ApiCall& call) {
  return ir::without_attr(call.args[0].cast<ir::PrimFunc>(), str_arg(call, 1));
}
Any with_body(ApiCall& call) {
  auto fn = call.args[0].cast<ir::PrimFunc>();
  auto body = ir::try_get<Stmt>(call.args[1]);
  if (!body) ir::wrong_argument(call, 1, "statement");
  return ir::with(fn, [&](ir::PrimFuncNode& changed) { changed.body = *body; });
}

// What programs of older versions read: each parameter that is a buffer, and that buffer.
Any buffer_map(ApiCall& call) {
  Map<Var, Var> buffers;
  for (const Var& param : call.args[0].cast<ir::PrimFunc>()->params) {
    if (param->ty->kind == ir::TypeKind::kBuffer) buffers.Set(param, param);
  }
  return buffers;
}
Any name_hint(ApiCall& call) { return call.args[0].as<ir::VarNode>()->name; }
Any vid(ApiCall& call) { return call.args[0]; }

// specialize({param: value or buffer})
Any specialize(ApiCall& call) {
  auto fn = call.args[0].cast<ir::PrimFunc>();
  auto dict = call.args[1].as<script::Dict>();
  if (!dict) ir::wrong_argument(call, 1, "dict of parameters and values");
  std::vector<std::pair<Var, Any>> values;
  for (const auto& [key, value] : *dict) {
    auto* var = key.as<ir::VarNode>();
    if (!var) ir::wrong_argument(call, 1, "dict with parameters as keys");
    auto expr = script::to_expr(value, call.span_of(1));
    if (!expr) ir::wrong_argument(call, 1, "dict with expressions or buffers as values");
    Expr given = *expr;
    bool is_prim = var->ty->kind == ir::TypeKind::kPrim && given->ty->kind == ir::TypeKind::kPrim;
    if (is_prim && var->dtype().is_integral() && !given->dtype().is_integral()) {
      throw ir::refuse(refusals["specialize-mismatch"], var->name.c_str(), var->dtype().str(),
                       given->dtype().str())
          .at(call.span_of(1));
    }
    // A script number takes the type of the parameter.
    if (!script::is_object(value) && var->ty->kind == ir::TypeKind::kPrim)
      given = ir::cast(var->dtype(), given, call.span_of(1));
    values.emplace_back(ir::ref(var), Any(given));
  }
  return ir::specialize(fn, values, call.span);
}

#define METHOD(owner, signature, doc, body) \
  { ir::ApiKind::kMethod, owner, signature, doc, body }
constexpr ir::ApiRow module_methods_table[] = {
    {ir::ApiKind::kClass, "tvm", "IRModule(functions=None, attrs=None, global_infos=None)",
     "Functions by name.", make_module, kModule, "tvm.ir.module.IRModule"},
    {ir::ApiKind::kFunction, "tvm.IRModule", "from_expr(expr, functions=None)",
     "A module with this function as its entry.", from_expr},
    METHOD(kModule, "__getitem__(var)", "The function of that name.", get_item),
    METHOD(kModule, "__setitem__(var, func)", "Adds or replaces a function.", update_func),
    METHOD(kModule, "__delitem__(var)", "Removes a function.", delete_item),
    METHOD(kModule, "__contains__(var)", "Is there such a function?", module_contains),
    METHOD(kModule, "functions_items()", "Names and functions, sorted by name.", functions_items),
    METHOD(kModule, "get_global_vars()", "The names of the functions.", get_global_vars),
    METHOD(kModule, "get_global_var(name)", "The name of a function as a value.", get_global_var),
    METHOD(kModule, "update_func(var, func)", "Adds or replaces a function.", update_func),
    METHOD(kModule, "update(other)", "Adds the functions of another module.", update),
    METHOD(kModule, "update_global_info(name, global_info)", "Sets what the functions share.",
           update_global_info),
    METHOD(kModule, "clone()", "A copy that can be changed on its own.", clone),
    METHOD(kModule, "get_attr(attr_key)", "An attribute, or None.", get_attr),
    METHOD(kModule, "with_attr(attr_key, attr_value)", "The module with one more attribute.",
           module_with_attr),
    METHOD(kModule, "with_attrs(attr_map)", "The module with more attributes.", module_with_attrs),
    METHOD(kModule, "without_attr(attr_key)", "The module without an attribute.", module_without_attr),
    {ir::ApiKind::kProperty, kFunc, "buffer_map", "The parameters that are buffers.", buffer_map},
    {ir::ApiKind::kProperty, "mlc.ir.Var", "name_hint", "The name.", name_hint},
    {ir::ApiKind::kProperty, "mlc.ir.Var", "vid", "The variable itself.", vid},
    METHOD(kFunc, "with_attr(attr_key_or_dict, attr_value=None)", "The function with more attributes.",
           with_attr),
    METHOD(kFunc, "with_attrs(attr_map)", "The function with more attributes.", with_attrs),
    METHOD(kFunc, "without_attr(attr_key)", "The function without an attribute.", without_attr),
    METHOD(kFunc, "with_body(new_body, span=None)", "The function with another body.", with_body),
    METHOD(kFunc, "specialize(param_map)", "The function with values for some parameters.", specialize),
};
#undef METHOD

}  // namespace

std::span<const ir::ApiRow> module_method_rows() { return module_methods_table; }

}  // namespace mlc::tvmscript
