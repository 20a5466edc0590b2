// SPDX-License-Identifier: Apache-2.0
// I.*, tvm.script.*, and what scripts do with modules and functions.
#include "frontend/script/core/graph_values.h"
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/relax/graph_builder.h"
#include "frontend/tvmscript/relax_api/rows.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/relax/operator.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "TypeError+ValueError",
    {
        {.name = "not-a-class",
         .kind = "ValueError",
         .message = "`@I.ir_module` stands above a class",
         .meaning = "`@I.ir_module` stands above a class.",
         .wrong = R"(@I.ir_module
def f():
    pass)",
         .right = R"(@I.ir_module
class M:
    pass)"},
        {.name = "not-a-decorator",
         .message = "`{}` is for definitions that follow it: write it as a decorator"},
        {.name = "not-a-function", .message = "`@T.prim_func` stands above a function"},
    }};
MLC_REFUSALS(builder_rows_module, refusals);

namespace {

Any type_var(ApiCall& call) {
  if (call.args[1].cast<ffi::Array<Any>>().size() == 1)
    throw ir::Error("wrong-argument-count", "one constraint alone is no conjunction")
        .kind("TypeError")
        .at(call.span);
  return ir::make<TypeVarNode>(str_arg(call, 0), call.span);
}
// As Python shows it.
Any type_var_text(ApiCall& call) { return String("~" + std::string(call.args[0].as<TypeVarNode>()->name)); }

constexpr std::string_view kI = "tvm.script.ir";
constexpr std::string_view kScript = "tvm.script";

Any decorator_only(ApiCall& call) {
  throw ir::refuse(refusals["not-a-decorator"], call.api.name)
      .at(call.span)
      .help(fmt::format("to build by calls, take `{}` from `tvm.script.ir_builder`", call.api.name));
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
  ModuleOptions options{call.args[2].cast<bool>(), call.args[3].cast<bool>()};
  try {
    return from_source(*evaluator, view(text), extra, options);
  } catch (const ir::Error& error) {
    // A text that cannot be read is a SyntaxError, as in Python; whatever else is wrong with it, a
    // DiagnosticError.
    const std::string& kind = error.first().kind;
    if (kind == "SyntaxError" || kind == "IndentationError") throw;
    diagnostics::Findings found;
    found.add(error, call.span);
    found.raise();
  }
}

Any module_attrs(ApiCall& call) {
  ModuleState& state = ModuleState::current(call);
  bool overwrite = script::is_bool(call.args[1]) && script::raw_int(call.args[1]) != 0;
  if (!state.attrs.empty() && !overwrite) {
    throw ir::Error("repeated-attribute", "the module has attributes already")
        .at(call.span)
        .help("write all of them in one `I.module_attrs({...})`");
  }
  for (const auto& [key, value] : attributes_arg(call, 0)) state.attrs.Set(key, value);
  return nullptr;
}

// ---- GlobalVar ----

// `Module.f(a, b)` inside a prim_func.
Any call_global(ApiCall& call) {
  if (GraphBuilder::current_or_null() && !Builder::current_or_null()) return call_graph_function(call);
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
  bool of_graph =
      std::any_of(args.begin(), args.end(), [](const Expr& arg) { return script::is_graph_value(arg); });
  if (of_graph || relax::as_type<relax::FuncTypeNode>(name->ty)) {
    type = Type();  // inferred with the arguments' types
  } else if (name->ty && name->ty->kind == ir::TypeKind::kFunc) {
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
constexpr ir::ApiRow module_table[] = {
    FUNCTION(kI, "ir_module(check_well_formed=True, s_tir=False)",
             "The class that follows is a module of functions.", decorator_only),
    FUNCTION(kT, "prim_func(private=False, check_well_formed=True, s_tir=False, persistent=False)",
             "The function that follows is a tensor program.", decorator_only),
    FUNCTION(kI, "module_attrs(attrs, allow_overwrite=False)", "Attributes of the module.", module_attrs),
    FUNCTION(
        kI, "meta_var(value)", "Keeps a script value as it is.",
        +[](ApiCall& call) -> Any { return ir::make<MetaVarNode>(call.args[0]); }),
    FUNCTION("typing", "TypeVar(name, *constraints, bound=None, covariant=False, contravariant=False)",
             "A dimension of the functions whose signatures name it.", type_var),
    {ir::ApiKind::kMethod, "mlc.tvmscript.type_var", "__repr__()", "Its name.", type_var_text},
    FUNCTION(kScript, "from_source(program, extra_vars=None, check_well_formed=True, s_tir=False)", parse_doc,
             parse),
    FUNCTION(kScript, "parse(program, extra_vars=None, check_well_formed=True, s_tir=False)", parse_doc,
             parse),
    METHOD("mlc.ir.GlobalVar", "__call__(*args)", "Calls the function.", call_global),
};
#undef FUNCTION
#undef METHOD

Any prim_func_hook(Evaluator& evaluator, const syntax::Stmt& definition, const Any& arguments,
                   script::Scope where) {
  auto* def = syntax::as<syntax::FunctionDef>(&definition);
  if (!def) throw ir::refuse(refusals["not-a-function"]).at(definition.span);
  return build_function(evaluator, *def, function_options(arguments), where);
}
Any ir_module_hook(Evaluator& evaluator, const syntax::Stmt& definition, const Any& arguments,
                   script::Scope where) {
  auto* def = syntax::as<syntax::ClassDef>(&definition);
  if (!def) throw ir::refuse(refusals["not-a-class"]).at(definition.span);
  return build_module(evaluator, *def, module_options(arguments), where);
}

}  // namespace

std::span<const ir::ApiRow> module_rows() { return module_table; }

void register_api() {
  auto& registry = ir::ApiRegistry::global();
#define X(name) registry.add(name##_rows);
  MLC_TVMSCRIPT_TABLES(X)
#undef X
  registry.add(relax::operator_api_rows);
  registry.alias("tvm.script.relax", "tvm.relax.op");
  register_relax_api();
  registry.alias("tvm.script.tir", "tvm.script.tirx");
  registry.alias("tvm.script.ir_builder.tirx", "tvm.script.tirx");
  registry.alias("tvm.script.ir_builder.tir", "tvm.script.ir_builder.tirx");
  registry.alias("tvm.script.ir_builder.ir", "tvm.script.ir");
  registry.alias("tvm.script.ir_builder.relax", "tvm.script.relax");
  registry.alias("tvm.script.ir_builder.base", "tvm.script.ir_builder");
  registry.alias("tvm.tir", "tvm.tirx");
  registry.alias("tvm.script.tirx.target", "tvm.target.Target");
  register_node_aliases();
  for (std::string_view scope : {"cluster", "cta", "wg", "warpgroup", "warp", "thread"}) {
    registry.alias(fmt::format("tvm.script.tirx.tile.{}", scope), fmt::format("tvm.script.tirx.{}", scope));
  }
  registry.alias("tvm.tirx.script.tile", "tvm.script.tirx.tile");
  registry.alias("tvm.script.ir_module", "tvm.script.ir.ir_module");
  registry.alias("tvm.ir.IRModule", "tvm.IRModule");
  registry.alias("tvm.script.parse_from_source", "tvm.script.from_source");
  registry.add(template_rows());
  register_template_hooks();
  register_graph_hooks();
  script::register_definition_hook("tvm.script.tirx.prim_func", prim_func_hook);
  script::register_definition_hook("tvm.script.ir.ir_module", ir_module_hook);
}

}  // namespace mlc::tvmscript
