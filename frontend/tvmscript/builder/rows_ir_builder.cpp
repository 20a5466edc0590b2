// SPDX-License-Identifier: Apache-2.0
// tvm.script.ir_builder: functions and modules that a script builds by calls. The T.* rows are those of
// decorated functions; here are the builder, the frames of functions and modules, and the statements that a
// definition writes with syntax.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/relax/expr.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "entered-twice",
         .meaning = "A builder or a function that is built by calls is entered with `with`, one at a time."},
        {.name = "function-without-name",
         .message = "a function of a module needs a name",
         .help = "write `T.func_name(\"name\")` into it",
         .meaning = "A function is found in its module by its name.",
         .wrong = R"(import tvm
from tvm.script.ir_builder import IRBuilder, tirx as T, ir as I
with IRBuilder() as ib, I.ir_module():
    with T.prim_func():
        T.evaluate(0))",
         .right = R"(import tvm
from tvm.script.ir_builder import IRBuilder, tirx as T, ir as I
with IRBuilder() as ib, I.ir_module():
    with T.prim_func():
        T.func_name("f"))"},
        {.name = "no-builder",
         .message = "`{}` needs a builder",
         .help = "put it below `with IRBuilder() as ib:`",
         .meaning = "Functions and modules by calls are put into a builder.",
         .wrong = R"(import tvm
from tvm.script.ir_builder import IRBuilder, tirx as T, ir as I
with T.prim_func():
    T.evaluate(0))",
         .right = R"(import tvm
from tvm.script.ir_builder import IRBuilder, tirx as T, ir as I
with IRBuilder() as ib:
    with T.prim_func():
        T.evaluate(0))"},
        {.name = "no-result",
         .kind = "IndexError",
         .message = "the builder has built nothing yet",
         .help = "a function or module is complete when its `with` ends",
         .meaning =
             "A builder has a result as soon as the `with` of its function, module or statement has ended.",
         .wrong = R"(import tvm
from tvm.script.ir_builder import IRBuilder, tirx as T, ir as I
with IRBuilder() as ib:
    pass
ib.get())",
         .right = R"(import tvm
from tvm.script.ir_builder import IRBuilder, tirx as T, ir as I
with IRBuilder() as ib:
    T.evaluate(0)
ib.get())"},
        {.name = "not-a-condition", .kind = "TypeError", .message = "the condition of `{}` must be a bool"},
        {.name = "not-entered",
         .meaning = "Frames are left in the reverse order in which they were entered; `with` sees to that."},
        {.name = "outside-ir-module",
         .message = "`I.{}` belongs into a module",
         .help = "put it below `with I.ir_module():`",
         .meaning = "Attributes of a module stand in its class.",
         .wrong = R"(import tvm
from tvm.script import ir as I
I.module_attrs({"k": 1}))",
         .right = R"(@I.ir_module
class M:
    I.module_attrs({"k": 1}))"},
        {.name = "redefined-function",
         .meaning = "The functions of a module have different names.",
         .wrong = R"(@I.ir_module
class M:
    @T.prim_func
    def f():
        pass
    @T.prim_func
    def f():
        pass)",
         .right = R"(@I.ir_module
class M:
    @T.prim_func
    def f():
        pass
    @T.prim_func
    def g():
        pass)"},
        {.name = "second-result",
         .message = "the builder has built something already",
         .help = "use one `IRBuilder` for each function or module"},
        {.name = "undefined-function",
         .meaning = "A function that a module declares must be defined before the module ends."},
    }};
MLC_REFUSALS(builder_rows_ir_builder, refusals);

namespace {

constexpr std::string_view kBuilder = "tvm.script.ir_builder";
constexpr std::string_view kBuilderT = "tvm.script.ir_builder.tirx";
constexpr std::string_view kBuilderI = "tvm.script.ir_builder.ir";
constexpr std::string_view kStatic = "tvm.script.ir_builder.IRBuilder";

struct IrModuleFrameNode;

struct IrBuilderNode final : ffi::Object {
  Any result;
  std::unique_ptr<Builder> loose;           // while it is entered
  std::vector<IrModuleFrameNode*> modules;  // entered, innermost last
  IrBuilderNode() = default;
  MLC_NODE("script.ir_builder.IRBuilder", IrBuilderNode, ffi::Object);
};

struct PrimFuncFrameNode final : FrameNode {
  FunctionOptions options;
  std::unique_ptr<Builder> builder;  // while it is entered
  PrimFuncFrameNode() = default;
  MLC_NODE("script.ir_builder.tirx.PrimFuncFrame", PrimFuncFrameNode, FrameNode);
};

struct IrModuleFrameNode final : FrameNode {
  struct Function {
    ir::GlobalVar name;
    std::optional<ir::BaseFunc> value;  // none: declared
  };
  ModuleState state;
  ModuleState* around = nullptr;
  std::vector<Function> functions;
  std::unordered_map<std::string, size_t> by_name;
  IrModuleFrameNode() = default;
  MLC_NODE("script.ir_builder.IRModuleFrame", IrModuleFrameNode, FrameNode);
};

thread_local std::vector<IrBuilderNode*> builders;  // entered, innermost last

template <class N>
N& self(const ApiCall& call) {
  return const_cast<N&>(*call.args[0].as<N>());
}

Evaluator& evaluator_of(const ApiCall& call) {
  auto* evaluator = dynamic_cast<Evaluator*>(&call.host);
  if (!evaluator) throw ir::Error("unsupported", "this host cannot build functions").at(call.span);
  return *evaluator;
}

IrBuilderNode& builder_at_work(const ApiCall& call) {
  if (!builders.empty()) return *builders.back();
  throw ir::refuse(refusals["no-builder"], call.api.name).at(call.span);
}

IrModuleFrameNode& module_at_work(const ApiCall& call) {
  IrBuilderNode& builder = builder_at_work(call);
  if (!builder.modules.empty()) return *builder.modules.back();
  throw ir::refuse(refusals["outside-ir-module"], call.api.name).at(call.span);
}

void deliver(IrBuilderNode& builder, Any result, Span span) {
  if (!script::is_none(builder.result)) {
    throw ir::refuse(refusals["second-result"]).at(span);
  }
  builder.result = std::move(result);
}

// ---- IRBuilder ----

Any make_builder(ApiCall&) { return ir::make<IrBuilderNode>(); }

Any enter_builder(ApiCall& call) {
  IrBuilderNode& builder = self<IrBuilderNode>(call);
  if (builder.loose)
    throw ir::refuse_as(refusals["entered-twice"], "this builder is entered already").at(call.span);
  builder.result = nullptr;
  builder.loose = std::make_unique<Builder>(evaluator_of(call), nullptr);
  builder.loose->open_loose();
  builders.push_back(&builder);
  return call.args[0];
}

void take_loose(IrBuilderNode& builder, Span span) {
  if (!builder.loose) return;
  if (Stmt stmt = builder.loose->loose_statement()) {
    if (!script::is_none(builder.result) && ir::try_get<Stmt>(builder.result)) return;
    deliver(builder, stmt, span);
  }
}

Any exit_builder(ApiCall& call) {
  IrBuilderNode& builder = self<IrBuilderNode>(call);
  if (builders.empty() || builders.back() != &builder)
    throw ir::refuse_as(refusals["not-entered"], "this builder is not the one at work").at(call.span);
  if (script::is_none(call.args[2])) take_loose(builder, call.span);
  builders.pop_back();
  builder.loose.reset();
  return nullptr;
}

Any builder_result(ApiCall& call) {
  IrBuilderNode& builder = self<IrBuilderNode>(call);
  take_loose(builder, call.span);
  if (!script::is_none(builder.result)) return builder.result;
  throw ir::refuse(refusals["no-result"]).at(call.span);
}

Any current_builder(ApiCall& call) { return ir::ref<IrBuilderNode>(&builder_at_work(call)); }
Any is_in_scope(ApiCall&) { return !builders.empty(); }

void give_name(const ApiCall& call, const String& name, const Any& value) {
  const ir::VarNode* var = value.as<ir::VarNode>();
  if (auto* iter = value.as<ir::IterVarNode>()) var = iter->var.get();
  if (auto* load = value.as<ir::TensorLoadNode>()) var = load->source.get();  // a scalar
  if (!var) {
    throw ir::Error("wrong-type", "`IRBuilder.name` names variables and buffers, this is `{}`",
                    ir::type_name(value))
        .at(call.span)
        .kind("TypeError");
  }
  const_cast<ir::VarNode*>(var)->name = name;
}

Any name_value(ApiCall& call) {
  give_name(call, str_arg(call, 0), call.args[1]);
  return call.args[1];
}

Any name_values(ApiCall& call) {
  std::vector<Any> names = items(call.args[0], call.span_of(0));
  std::vector<Any> values = items(call.args[1], call.span_of(1));
  if (names.size() != values.size()) {
    throw ir::Error("wrong-arguments", "{} name{} for {} value{}", names.size(), names.size() == 1 ? "" : "s",
                    values.size(), values.size() == 1 ? "" : "s")
        .at(call.span)
        .kind("AssertionError");
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!script::is_str(names[i])) ir::wrong_argument(call, 0, "list of str");
    give_name(call, names[i].cast<String>(), values[i]);
  }
  return ffi::List<Any>(values.begin(), values.end());
}

// ---- functions ----

Any open_prim_func(ApiCall& call) {
  auto made = ir::make<PrimFuncFrameNode>();
  auto& options = const_cast<PrimFuncFrameNode&>(*made).options;
  options.is_private = is_given(call, 3) ? call.args[3].cast<bool>() : call.args[0].cast<bool>();
  options.s_tir = call.args[1].cast<bool>();
  options.persistent = call.args[2].cast<bool>();
  return made;
}

Any enter_prim_func(ApiCall& call) {
  builder_at_work(call);
  PrimFuncFrameNode& function = self<PrimFuncFrameNode>(call);
  if (function.builder)
    throw ir::refuse_as(refusals["entered-twice"], "this function is entered already").at(call.span);
  function.builder = std::make_unique<Builder>(evaluator_of(call), nullptr);
  function.builder->open_function(function.options);
  return call.args[0];
}

Type type_of(const ir::BaseFunc& function) {
  if (function.as<relax::FunctionNode>()) return function->ty;
  auto* prim = function.as<ir::PrimFuncNode>();
  if (!prim) return ir::make<ir::FuncTypeNode>(Array<Type>{}, Type(ir::void_type()));
  Array<Type> types;
  for (const Var& param : prim->params) types.push_back(param->ty);
  return ir::make<ir::FuncTypeNode>(types, prim->ret_type);
}

IrModuleFrameNode::Function& declare(IrModuleFrameNode& module, const std::string& name,
                                     const ir::BaseFunc& function, Span span) {
  auto [found, fresh] = module.by_name.try_emplace(name, module.functions.size());
  if (fresh) {
    ir::GlobalVar var = ir::make<ir::GlobalVarNode>(String(name), type_of(function), span);
    module.functions.push_back({var, std::nullopt});
  }
  return module.functions[found->second];
}

void define(IrModuleFrameNode& module, const std::string& name, const ir::BaseFunc& function, Span span) {
  auto& entry = declare(module, name, function, span);
  if (entry.value) {
    throw ir::refuse_as(refusals["redefined-function"], "the module has two functions `{}`", name).at(span);
  }
  entry.value = function;
}

// What a script wants done when the frame is left; it may still add to it.
void run_callbacks(const ApiCall& call) {
  auto& frame = self<FrameNode>(call);
  std::vector<Any> callbacks = std::exchange(frame.callbacks, {});
  if (!script::is_none(call.args[2])) return;
  for (size_t i = callbacks.size(); i-- > 0;) call.host.call(callbacks[i], {});
}

Any add_callback(ApiCall& call) {
  if (!call.host.callable(call.args[1])) ir::wrong_argument(call, 1, "a function without parameters");
  self<FrameNode>(call).callbacks.push_back(call.args[1]);
  return nullptr;
}

Any exit_prim_func(ApiCall& call) {
  run_callbacks(call);
  PrimFuncFrameNode& function = self<PrimFuncFrameNode>(call);
  if (!function.builder || Builder::current_or_null() != function.builder.get())
    throw ir::refuse_as(refusals["not-entered"], "this function is not the one at work").at(call.span);
  std::unique_ptr<Builder> builder = std::move(function.builder);
  if (!script::is_none(call.args[2])) return nullptr;
  ir::PrimFunc built = builder->close_function(call.span);
  IrBuilderNode& outer = builder_at_work(call);
  if (outer.modules.empty()) {
    deliver(outer, built, call.span);
    return nullptr;
  }
  if (builder->function_name().empty()) {
    throw ir::refuse(refusals["function-without-name"]).at(call.span);
  }
  define(*outer.modules.back(), builder->function_name(), ir::BaseFunc(built), call.span);
  return nullptr;
}

// A function that frames of a script have made: for the module at work, or as what the builder returns.
Any deliver_function(ApiCall& call) {
  auto built = ir::try_get<ir::BaseFunc>(call.args[0]);
  if (!built) ir::wrong_argument(call, 0, "a function");
  IrBuilderNode& outer = builder_at_work(call);
  if (outer.modules.empty()) {
    deliver(outer, *built, call.span);
    return nullptr;
  }
  if (!is_given(call, 1)) throw ir::refuse(refusals["function-without-name"]).at(call.span);
  define(*outer.modules.back(), std::string(ir::view(str_arg(call, 1))), *built, call.span);
  return nullptr;
}

Any func_name(ApiCall& call) {
  Builder::current(call).set_name(call, str_arg(call, 0));
  return nullptr;
}

Any arg(ApiCall& call) {
  auto* var = call.args[1].as<ir::VarNode>();
  if (!var) ir::wrong_argument(call, 1, "a buffer or variable, such as T.Buffer((128,), \"float32\")");
  Builder::current(call).add_parameter(call, str_arg(call, 0), ir::ref(var));
  return call.args[1];
}

Any func_ret(ApiCall& call) {
  Builder& builder = Builder::current(call);
  builder.require_top(call);
  builder.touch();
  const Any& value = call.args[0];
  Type type = ir::void_type();
  if (auto* given = frame<TypeValueNode>(value)) {
    type = given->type;
  } else if (auto plain = ir::try_get<Type>(value)) {
    type = *plain;
  } else if (auto* expr = value.as<ir::ExprNode>()) {
    type = expr->ty;
  } else if (!script::is_none(value)) {
    type = ir::prim_type(dtype_arg(call, 0));
  }
  builder.set_return_type(type);
  return value;
}

// ---- modules ----

Any open_module(ApiCall&) { return ir::make<IrModuleFrameNode>(); }

Any enter_module(ApiCall& call) {
  IrModuleFrameNode& module = self<IrModuleFrameNode>(call);
  IrBuilderNode& builder = builder_at_work(call);
  module.around = ModuleState::exchange(&module.state);
  builder.modules.push_back(&module);
  return call.args[0];
}

Any exit_module(ApiCall& call) {
  run_callbacks(call);
  IrModuleFrameNode& module = self<IrModuleFrameNode>(call);
  IrBuilderNode& builder = builder_at_work(call);
  if (builder.modules.empty() || builder.modules.back() != &module)
    throw ir::refuse_as(refusals["not-entered"], "this module is not the one at work").at(call.span);
  builder.modules.pop_back();
  ModuleState::exchange(module.around);
  if (!script::is_none(call.args[2])) return nullptr;
  Map<ir::GlobalVar, ir::BaseFunc> functions;
  for (const auto& function : module.functions) {
    if (!function.value) {
      throw ir::refuse_as(refusals["undefined-function"], "`{}` is declared, but not defined",
                          function.name->name_hint.c_str())
          .at(function.name->span)
          .help("define it with `I.def_function`");
    }
    functions.Set(function.name, *function.value);
  }
  deliver(builder, ir::make<ir::IRModuleNode>(functions, module.state.attrs, module.state.global_infos),
          call.span);
  return nullptr;
}

ir::BaseFunc function_arg(const ApiCall& call, size_t i) {
  auto function = ir::try_get<ir::BaseFunc>(call.args[i]);
  if (!function) ir::wrong_argument(call, i, "a function");
  return *function;
}

Any decl_function(ApiCall& call) {
  IrModuleFrameNode& module = module_at_work(call);
  std::string name(view(str_arg(call, 0)));
  if (module.by_name.contains(name)) {
    throw ir::refuse_as(refusals["redefined-function"], "the module has a function `{}` already", name)
        .at(call.span);
  }
  return Expr(declare(module, name, function_arg(call, 1), call.span).name);
}

Any def_function(ApiCall& call) {
  IrModuleFrameNode& module = module_at_work(call);
  std::string name(view(str_arg(call, 0)));
  if (!module.by_name.contains(name)) {
    throw ir::refuse_as(refusals["undefined-function"], "`{}` is not declared", name)
        .at(call.span)
        .help("declare it with `I.decl_function` first");
  }
  define(module, name, function_arg(call, 1), call.span);
  return nullptr;
}

Any lookup_name(ApiCall& call) {
  return module_at_work(call).by_name.contains(std::string(view(str_arg(call, 0))));
}

Any module_get_attr(ApiCall& call) {
  ModuleState& state = module_at_work(call).state;
  auto found = state.attrs.find(str_arg(call, 0));
  return found == state.attrs.end() ? Any(nullptr) : (*found).second;
}

Any module_set_attr(ApiCall& call) {
  ModuleState& state = module_at_work(call).state;
  String key = str_arg(call, 0);
  if (state.attrs.count(key) != 0 && !call.args[2].cast<bool>()) {
    throw ir::Error("repeated-attribute", "the module has an attribute `{}` already", key.c_str())
        .at(call.span)
        .kind("ValueError");
  }
  if (is_given(call, 1)) {
    state.attrs.Set(key, attribute_value(call.args[1], call.span_of(1)));
  } else {
    state.attrs.erase(key);
  }
  return nullptr;
}

// ---- statements ----

Expr condition_arg(const ApiCall& call, size_t i) {
  Expr condition = expr_arg(call, i);
  if (script::is_bool(call.args[i])) condition = ir::bool_imm(script::raw_int(call.args[i]) != 0);
  if (condition->ty->kind == ir::TypeKind::kPrim && condition->dtype().is_bool()) return condition;
  throw ir::refuse(refusals["not-a-condition"], shown_name(call.api)).at(call.span_of(i));
}

Any open_if(ApiCall& call) { return ir::make<IfFrameNode>(condition_arg(call, 0)); }
Any open_while(ApiCall& call) { return ir::make<WhileFrameNode>(condition_arg(call, 0)); }
template <bool is_then>
Any open_branch(ApiCall&) {
  return ir::make<BranchFrameNode>(is_then);
}

template <class N>
Any emit_jump(ApiCall& call) {
  Builder::current(call).emit(ir::make<N>(call.span));
  return nullptr;
}
Any add_to_parent(ApiCall& call) {
  auto stmt = ir::try_get<Stmt>(call.args[0]);
  if (!stmt) ir::wrong_argument(call, 0, "a statement");
  Builder::current(call).emit(*stmt);
  return nullptr;
}

// ---- frames of statements as context managers ----

Any enter_frame(ApiCall& call) {
  Any bound = Builder::current(call).enter(call.args[0], call.span);
  // A variable that nobody names is a `v`.
  if (auto* var = bound.as<ir::VarNode>()) name_once(var, "v");
  if (auto* vars = bound.as<ffi::ArrayObj>()) {
    for (const Any& one : *vars) name_once(one.as<ir::VarNode>(), "v");
  }
  return script::is_none(bound) ? call.args[0] : bound;
}
Any exit_frame(ApiCall& call) {
  Builder& builder = Builder::current(call);
  if (!builder.is_innermost(call.args[0]))
    throw ir::refuse_as(refusals["not-entered"], "this frame is not the innermost one").at(call.span);
  run_callbacks(call);
  script::is_none(call.args[2]) ? builder.leave(call.span) : builder.abandon();
  return nullptr;
}

constexpr std::string_view enter_doc = "Begins what is below `with`.";
constexpr std::string_view exit_doc = "Completes what is below `with`; forgets it after an error.";
constexpr std::string_view exit_signature = "__exit__(exc_type=None, exc_value=None, trace=None)";
#define FUNCTION(owner, signature, doc, body) \
  { ir::ApiKind::kFunction, owner, signature, doc, body }
#define FRAME(name, key)                                                                             \
  {                                                                                                  \
    ir::ApiKind::kClass, "tvm.script.ir_builder.tirx", name "()", "What `with` opens in a builder.", \
        not_constructible, key, "tvm.tirx.script.builder.frame." name                                \
  }
#define CONTEXT(owner, enter, exit)                                 \
  {ir::ApiKind::kMethod, owner, "__enter__()", enter_doc, enter}, { \
    ir::ApiKind::kMethod, owner, exit_signature, exit_doc, exit     \
  }
constexpr ir::ApiRow ir_builder_table[] = {
    {ir::ApiKind::kClass, kBuilder, "IRBuilder()", "Builds functions and modules by calls.", make_builder,
     "script.ir_builder.IRBuilder", "tvm.script.ir_builder.base.IRBuilder"},
    CONTEXT("script.ir_builder.IRBuilder", enter_builder, exit_builder),
    {ir::ApiKind::kMethod, "script.ir_builder.IRBuilder", "get()", "What was built.", builder_result},
    FUNCTION(kStatic, "_deliver(func, name=None)",
             "Hands the builder at work a function that a script has made.", deliver_function),
    FUNCTION(kStatic, "current()", "The builder at work.", current_builder),
    FUNCTION(kStatic, "is_in_scope()", "Is a builder at work?", is_in_scope),
    FUNCTION(kStatic, "name(s, v)", "Names a variable or buffer, and returns it.", name_value),
    FUNCTION(kStatic, "name_many(s, vs)", "Names variables and buffers, and returns them.", name_values),

    FUNCTION(kBuilderT, "prim_func(is_private=False, s_tir=False, persistent=False, *, private=None)",
             "What is below `with` is a function.", open_prim_func),
    CONTEXT("script.ir_builder.tirx.PrimFuncFrame", enter_prim_func, exit_prim_func),
    FUNCTION(kT, "func_name(name)", "The name of the function that is built by calls.", func_name),
    FUNCTION(kT, "arg(name, obj)", "One more parameter of the function that is built by calls.", arg),
    FUNCTION(kT, "func_ret(ret_type)", "The type that the function returns.", func_ret),

    FUNCTION(kBuilderI, "ir_module()", "What is below `with` are the functions of a module.", open_module),
    CONTEXT("script.ir_builder.IRModuleFrame", enter_module, exit_module),
    FUNCTION(kBuilderI, "decl_function(func_name, func_signature)",
             "A function of the module that is defined later.", decl_function),
    FUNCTION(kBuilderI, "def_function(func_name, func)", "Defines a declared function.", def_function),
    FUNCTION(kBuilderI, "lookup_name(name)", "Has the module a function of this name?", lookup_name),
    FUNCTION(kBuilderI, "module_get_attr(attr_key)", "An attribute of the module, or None.", module_get_attr),
    FUNCTION(kBuilderI, "module_set_attr(attr_key, attr_value, allow_overwrite=False)",
             "Sets an attribute of the module.", module_set_attr),

    FUNCTION(kT, "If(condition)", "`if`, with `T.Then` and `T.Else` below it.", open_if),
    FUNCTION(kT, "Then()", "What is done if the condition holds.", open_branch<true>),
    FUNCTION(kT, "Else()", "What is done if the condition does not hold.", open_branch<false>),
    FUNCTION(kT, "While(condition)", "`while`.", open_while),
    FUNCTION(kT, "Break()", "`break`.", emit_jump<ir::BreakNode>),
    FUNCTION(kT, "Continue()", "`continue`.", emit_jump<ir::ContinueNode>),
    FUNCTION(kT, "add_to_parent(stmt)", "A statement that exists, put here.", add_to_parent),

    {ir::ApiKind::kClass, kBuilder, "IRBuilderFrame()", "What `with` opens in a builder.", not_constructible,
     "script.ir_builder.IRBuilderFrame", "tvm.script.ir_builder.base.IRBuilderFrame"},
    FRAME("SBlockFrame", "mlc.tvmscript.BlockFrame"),
    FRAME("BlockInitFrame", "mlc.tvmscript.InitFrame"),
    FRAME("ForFrame", "mlc.tvmscript.ForFrame"),
    FRAME("AttrFrame", "mlc.tvmscript.AttrFrame"),
    FRAME("IfFrame", "mlc.tvmscript.IfFrame"),
    FRAME("WhileFrame", "mlc.tvmscript.WhileFrame"),
    FRAME("AssertFrame", "mlc.tvmscript.AssertFrame"),
    {ir::ApiKind::kMethod, "script.ir_builder.IRBuilderFrame", "add_callback(callback)",
     "Calls `callback` when the frame is left.", add_callback},
    CONTEXT("script.ir_builder.IRBuilderFrame", enter_frame, exit_frame),
};
#undef FUNCTION
#undef FRAME
#undef CONTEXT

}  // namespace

std::span<const ir::ApiRow> ir_builder_rows() { return ir_builder_table; }

}  // namespace mlc::tvmscript
