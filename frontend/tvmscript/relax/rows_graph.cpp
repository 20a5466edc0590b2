// SPDX-License-Identifier: Apache-2.0
// What `R.` has beside operators and types: constants and other values, parts of functions, calls whose form
// is not that of an operator.
#include "frontend/script/core/library.h"
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/relax/graph_builder.h"
#include "frontend/tvmscript/relax/graph_module.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/relax/verify.h"
#include "ir/registry/registry.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "not-a-decorator",
         .message = "`R.function` is for the definition that follows it: write it as a decorator"},
        {.name = "not-a-function", .message = "`@R.function` stands above a function"},
        {.name = "not-a-graph-value",
         .message = "argument `{}` of `R.{}` is `{}`, which is no value of a graph"},
        {.name = "not-a-constant",
         .kind = "ValueError",
         .message = "`R.const` takes a number, an array or a tensor, not `{}`"},
        {.name = "dimension-not-int64",
         .kind = "InternalError+TypeError",
         .message = "dimension {} of a shape has the data type `{}`; it must be `int64`"},
        {.name = "not-a-variable", .message = "`R.output` takes variables, not `{}`"},
        {.name = "unknown-device",
         .kind = "ValueError",
         .message = "the module has no device `{}`",
         .help = "declare it: `I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\")]})`"},
    }};
MLC_REFUSALS(relax_rows_graph, refusals);

ffi::Tensor scalar_tensor(const Any& number) {
  DataType dtype = script::is_bool(number)    ? DataType::Bool()
                   : script::is_float(number) ? DataType::Float(32)
                                              : DataType::Int(32);
  ffi::Tensor tensor = ir::make_tensor({}, dtype);
  if (script::is_bool(number)) {
    *static_cast<bool*>(tensor.data_ptr()) = script::raw_int(number) != 0;
  } else if (script::is_float(number)) {
    *static_cast<float*>(tensor.data_ptr()) = static_cast<float>(script::raw_float(number));
  } else {
    *static_cast<int32_t*>(tensor.data_ptr()) = static_cast<int32_t>(script::raw_int(number));
  }
  return tensor;
}

ir::VDevice module_device(const ApiCall& call, const String& name, Span span) {
  std::string_view text = ir::view(name);
  size_t colon = text.find(':');
  std::string_view kind = text.substr(0, colon);
  int64_t left = 0;
  if (colon != text.npos) {
    std::string_view number = text.substr(colon + 1);
    number = number.substr(0, number.find(':'));
    for (char c : number) left = left * 10 + (c - '0');
  }
  const ModuleState& state = ModuleState::current(call);
  auto devices = state.global_infos.find("vdevice");
  if (devices != state.global_infos.end()) {
    for (const Any& one : (*devices).second.cast<Array<Any>>()) {
      auto* device = one.as<ir::VDeviceNode>();
      bool alike = device && (kind == "vdevice" || (device->target && ir::view(device->target->kind) == kind));
      if (alike && left-- == 0) return ir::ref(device);
    }
  }
  throw ir::refuse(refusals["unknown-device"], text).at(span);
}

relax::Function build_graph(Evaluator& evaluator, const syntax::FunctionDef& definition, const GraphOptions& options,
                            script::Scope where, const Outside& outside) {
  GraphBuilder builder(evaluator, where, outside);
  relax::Function fn = builder.build(definition, options);
  if (!options.check_well_formed) return fn;
  diagnostics::Findings found;
  for (const ir::Diagnostic& one : relax::verify(fn)) found.add(ir::Error(std::vector{one}), definition.name_span);
  if (!found.empty()) found.raise();
  return fn;
}
GraphOptions graph_options(const Any& arguments) {
  return {flag(arguments, "pure", true), flag(arguments, "private", false), flag(arguments, "check_well_formed", true)};
}

namespace {

constexpr std::string_view kR = "tvm.script.relax";

Expr value_of(const ApiCall& call, size_t i, const Any& value) {
  if (auto e = to_graph_value(value, call.span_of(i))) return *e;
  throw ir::refuse(refusals["not-a-graph-value"], call.api.params[i].name, call.api.name, ir::type_name(value))
      .at(call.span_of(i));
}

Any decorator_only(ApiCall& call) { throw ir::refuse(refusals["not-a-decorator"]).at(call.span); }

// NumPy's class of error where there is no such data type.
DataType constant_dtype(const ApiCall& call) {
  try {
    return dtype_arg(call, 1);
  } catch (ir::Error& error) {
    throw std::move(error).kind("TypeError");
  }
}

// The value as a tensor of a data type, by NumPy's rules; int32 and float32 where none is said.
Any constant(ApiCall& call) {
  Any value = call.args[0];
  // As texts write what has no number of its own.
  if (auto word = value.as<String>()) {
    for (std::string_view known : {"inf", "-inf", "nan", "-nan"}) {
      if (view(*word) == known) value = std::strtod(known.data(), nullptr);
    }
  }
  bool typed = is_given(call, 1);
  bool number = script::is_bool(value) || script::is_int(value) || script::is_float(value);
  DataType dtype = typed ? constant_dtype(call) : DataType::Void();
  ffi::Tensor tensor;
  if (script::is_none(value) || value.as<String>() || value.as<ir::ExprNode>())
    throw ir::refuse(refusals["not-a-constant"], ir::type_name(value)).at(call.span_of(0));
  if (auto given = value.as<ffi::Tensor>(); given && !typed) {
    tensor = *given;
  } else if (number && (!typed || dtype == (script::is_bool(value)    ? DataType::Bool()
                                            : script::is_float(value) ? DataType::Float(32)
                                                                      : DataType::Int(32)))) {
    tensor = scalar_tensor(value);
  } else {
    const auto& registry = ir::ApiRegistry::global();
    if (auto given = value.as<ffi::Tensor>()) value = ir::make<ir::NDArrayNode>(*given);
    std::vector<Any> args{value};
    std::vector<ir::Keyword> keywords;
    if (typed) keywords.emplace_back("dtype", Any(String(dtype.str())));
    std::vector<Span> spans{call.span_of(0)};
    std::vector<Span> keyword_spans(keywords.size(), call.span_of(1));
    const ir::Api* array = registry.find("numpy.array");
    MLC_CHECK(array, "no numpy.array");
    Any made = ir::call_api(*array, call.host, {args, keywords, call.span, spans, keyword_spans});
    auto* node = made.as<ir::NDArrayNode>();
    if (!node) ir::wrong_argument(call, 0, "a number, an array or a tensor");
    DataType own = node->tensor.dtype();
    bool wide = own == DataType::Int(64) || own == DataType::Float(64);
    if (!typed && wide && !call.args[0].as<ffi::Tensor>()) {
      std::vector<Any> narrow{Any(String(own.is_int() ? "int32" : "float32"))};
      made = call.host.call_method(made, "astype", narrow, {});
      node = made.as<ir::NDArrayNode>();
    }
    tensor = ir::contiguous(node->tensor);
  }
  return Expr(ir::make<relax::GenericConstNode>(Any(tensor), call.span));
}

Any shape_value(ApiCall& call) {
  Array<Expr> dims;
  if (!is_list(call.args[0])) ir::wrong_argument(call, 0, "a list of dimensions");
  for (const Any& each : script::elements(call.args[0])) {
    if (script::is_int(each)) {
      dims.push_back(ir::int_imm(DataType::Int(64), script::raw_int(each)));
      continue;
    }
    Expr dim = script::as_expr(each, call.span_of(0), "a dimension");
    if (auto known = ir::const_int(dim)) dim = ir::int_imm(DataType::Int(64), *known);
    if (dim->dtype() != DataType::Int(64))
      throw ir::refuse(refusals["dimension-not-int64"], dims.size(), dim->dtype().str()).at(call.span_of(0));
    dims.push_back(dim);
  }
  return Expr(ir::make<relax::ShapeExprNode>(dims, call.span));
}

Any prim_value(ApiCall& call) { return value_of(call, 0, call.args[0]); }
Any string_value(ApiCall& call) { return Expr(ir::make<ir::StringImmNode>(str_arg(call, 0), call.span)); }
Any dtype_value(ApiCall& call) {
  return Expr(ir::make<relax::GenericConstNode>(Any(static_cast<DLDataType>(dtype_arg(call, 0))), relax::any_type(), call.span));
}
Any tuple_value(ApiCall& call) {
  Array<Expr> fields;
  for (const Any& each : script::elements(call.args[0])) fields.push_back(value_of(call, 0, each));
  return Expr(ir::make<ir::TupleNode>(fields, call.span));
}
Any extern_func(ApiCall& call) {
  Type type = is_given(call, 1) ? type_from(call.host, call.args[1], call.span_of(1)) : Type();
  return Expr(ir::make<relax::ExternFuncNode>(str_arg(call, 0), type, Map<String, Any>(), call.span));
}

// ---- parts of functions ----

// Outside of a text: the function of that name that builds by calls, with an IRBuilder.
Any by_calls(const ApiCall& call, std::span<const Any> args, std::span<const ir::Keyword> keywords = {}) {
  auto* evaluator = dynamic_cast<Evaluator*>(&call.host);
  MLC_CHECK(evaluator, "R.{} outside of a script", call.api.name);
  Any function = script::library_member(call.host, "tvm.script.ir_builder.relax_frames", call.api.name);
  return evaluator->call(function, args, keywords, call.span);
}

Any dataflow(ApiCall& call) {
  if (GraphBuilder::current_or_null() == nullptr) return by_calls(call, {});
  return ir::make<DataflowFrameNode>();
}
Any output(ApiCall& call) {
  if (GraphBuilder::current_or_null() == nullptr) return by_calls(call, script::elements(call.args[0]));
  std::vector<Var> vars;
  for (const Any& each : script::elements(call.args[0])) {
    auto* var = each.as<ir::VarNode>();
    if (!var) throw ir::refuse(refusals["not-a-variable"], ir::type_name(each)).at(call.span);
    vars.push_back(ir::ref(var));
  }
  GraphBuilder::current(call).output(call, vars);
  return nullptr;
}
// Of `tvm.script.ir_builder.relax`, which `with` opens.
Any open_function(ApiCall& call) {
  std::vector<ir::Keyword> keywords{{"is_pure", call.args[0]}, {"is_private", call.args[1]}};
  return by_calls(call, {}, keywords);
}
Any func_attr(ApiCall& call) {
  if (GraphBuilder::current_or_null() == nullptr) return by_calls(call, {&call.args[0], 1});
  GraphBuilder& builder = GraphBuilder::current(call);
  for (const auto& [key, value] : attributes_arg(call, 0)) builder.set_attr(call, key, value);
  return nullptr;
}
Any match_cast(ApiCall& call) {
  return ir::make<MatchCastValueNode>(value_of(call, 0, call.args[0]), type_from(call.host, call.args[1], call.span_of(1)));
}

// ---- calls ----

Array<Type> types_arg(const ApiCall& call, size_t i) {
  Array<Type> types;
  if (!is_given(call, i)) return types;
  for (const Any& each : one_or_all(call.args[i])) types.push_back(type_from(call.host, each, call.span_of(i)));
  return types;
}

// The function is impure and says by `ty_args` what it returns; other keywords are attributes.
Any call_packed(ApiCall& call) {
  Array<Expr> args;
  for (const Any& each : script::elements(call.args[1])) args.push_back(value_of(call, 1, each));
  Map<String, Any> attrs;
  for (const auto& [key, value] : call.args[3].cast<Map<String, Any>>()) {
    if (ir::view(key) != "attrs_type_key") attrs.Set(key, attribute_value(value, call.span));
  }
  Expr callee = ir::make<relax::ExternFuncNode>(str_arg(call, 0), Type(), Map<String, Any>(), call.span_of(0));
  return Expr(ir::make<ir::CallNode>(Type(nullptr), callee, args, attrs, call.span, types_arg(call, 2)));
}

Any emit_with_type(ApiCall& call) {
  Array<Expr> args;
  for (const Any& each : one_or_all(call.args[1])) args.push_back(value_of(call, 1, each));
  return Expr(relax::make_call(ir::view(str_arg(call, 0)), args, {}, types_arg(call, 2), call.span));
}

// The call of a new function of tensor code, which a te function describes.
Any emit_te(ApiCall& call) {
  auto* evaluator = dynamic_cast<Evaluator*>(&call.host);
  MLC_CHECK(evaluator, "R.emit_te outside of a script");
  auto given = call.args[2].cast<Map<String, Any>>();
  if (GraphBuilder::current_or_null() == nullptr) {
    std::vector<Any> all{call.args[0]};
    for (const Any& each : script::elements(call.args[1])) all.push_back(each);
    std::vector<ir::Keyword> named;
    for (const auto& [key, value] : given) named.emplace_back(ir::view(key), value);
    return by_calls(call, all, named);
  }
  ModuleState& state = ModuleState::current(call);
  Any describe = script::library_member(call.host, "tvm.relax.te_calls", "call_tir_inputs");
  std::vector<Any> args{call.args[0]};
  for (const Any& each : script::elements(call.args[1])) args.push_back(each);
  Any hint;
  std::vector<ir::Keyword> keywords;
  for (const auto& [key, value] : given) {
    if (ir::view(key) == "primfunc_name_hint") {
      hint = value;
    } else {
      keywords.emplace_back(ir::view(key), value);
    }
  }
  if (script::is_none(hint)) hint = evaluator->attribute(call.args[0], Symbol("__name__"), call.span_of(0));
  Any made = evaluator->call(describe, args, keywords, call.span);
  std::span<const Any> parts = script::elements(made);
  ir::GlobalVar name = state.add(parts[0].cast<ir::BaseFunc>(), ir::view(hint.cast<String>()));
  std::vector<Any> operands{Expr(name), parts[1], parts[2]};
  return relax::call_operator("call_tir", call.host, operands, call.span);
}

// A device by its name: `R.to_vdevice(x, "cuda:0")`.
Any to_vdevice(ApiCall& call) {
  Any device = call.args[1];
  if (script::is_str(device)) device = module_device(call, str_arg(call, 1), call.span_of(1));
  std::vector<Any> args{call.args[0], device};
  std::vector<Span> spans{call.span_of(0), call.span_of(1)};
  return relax::call_operator("to_vdevice", call.host, args, call.span, spans);
}

#define FUNCTION(signature, doc, body) \
  { ir::ApiKind::kFunction, kR, signature, doc, body }
constexpr ir::ApiRow graph_table[] = {
    FUNCTION("function(pure=True, private=False, check_well_formed=True)",
             "The function that follows is a graph: bindings of operators and calls.", decorator_only),
    {ir::ApiKind::kFunction, "tvm.script.ir_builder.relax", "function(is_pure=True, is_private=False)",
     "What is below `with` is a function.", open_function},
    FUNCTION("const(value, dtype=None)", "A constant tensor.", constant),
    FUNCTION("shape(value)", "A shape as a value.", shape_value),
    FUNCTION("prim_value(value)", "A primitive value.", prim_value),
    FUNCTION("str(value)", "A string as a value.", string_value),
    FUNCTION("dtype(value)", "A data type as a value.", dtype_value),
    FUNCTION("tuple(*fields)", "A tuple.", tuple_value),
    FUNCTION("ExternFunc(global_symbol, ty=None)", "A function that the running program has registered.", extern_func),
    FUNCTION("dataflow()", "`with R.dataflow():`: bindings without side effects.", dataflow),
    FUNCTION("output(*vars)", "The variables of a dataflow block that are seen after it.", output),
    FUNCTION("func_attr(attrs)", "Attributes of the function.", func_attr),
    FUNCTION("match_cast(value, ty)",
             "The value, checked to be of that type; defines the symbolic variables of the type.", match_cast),
    FUNCTION("call_packed(func, *args, ty_args=None, **kwargs)", "Calls a packed function.", call_packed),
    FUNCTION("emit_with_type(op, args, ty_args=None)", "A call of an operator with types among its arguments.",
             emit_with_type),
    FUNCTION("emit_with_ty(op, args, ty_args=None)", "Older name of `R.emit_with_type`.", emit_with_type),
    FUNCTION("emit_te(func, *args, **kwargs)",
             "A call of a new function of tensor code that `func` describes over te tensors.", emit_te),
    FUNCTION("to_vdevice(data, dst_vdevice)", "The tensor copied to a device of the module.", to_vdevice),
};
#undef FUNCTION

Any function_hook(Evaluator& evaluator, const syntax::Stmt& definition, const Any& arguments, script::Scope where) {
  auto* def = syntax::as<syntax::FunctionDef>(&definition);
  if (!def) throw ir::refuse(refusals["not-a-function"]).at(definition.span);
  return Expr(build_graph(evaluator, *def, graph_options(arguments), where));
}

}  // namespace

std::span<const ir::ApiRow> graph_rows() { return graph_table; }

void register_graph_hooks() {
  script::register_definition_hook(std::string(kGraphFunctionPath), function_hook);
  auto& registry = ir::ApiRegistry::global();
  registry.alias("tvm.script.ir.StringType", "tvm.ir.StringType");
  for (const char* device : {"cpu", "cuda", "rocm", "metal", "vulkan", "opencl", "hexagon", "webgpu", "vpi", "ext_dev", "device"})
    registry.alias(fmt::format("tvm.script.relax.{}", device), fmt::format("tvm.{}", device));
}

}  // namespace mlc::tvmscript
