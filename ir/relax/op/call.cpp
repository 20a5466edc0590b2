// SPDX-License-Identifier: Apache-2.0
// Calls that are more than a call of an operator: of tensor functions and of packed functions, whose results
// are declared by the call; closures; printing and assertions; devices.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include <unordered_map>

#include "ir/core/global_info.h"
#include "ir/relax/infer.h"
#include "ir/relax/operand_checks.h"
#include "ir/relax/origin.h"
#include "ir/tir/op.h"

namespace mlc::relax::operators_call {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "callee-not-a-function",
         .message = "`{}` calls a function of the module, such as `Module.f`, not `{}`"},
        {.name = "condition-not-bool",
         .message = "the condition of `assert_op` must be a bool without dimensions, this is a {}"},
        {.name = "format-not-a-string", .message = "the format of `{}` must be a string, not `{}`"},
        {.name = "not-a-device", .message = "argument `{}` of `{}` must be a device, not `{}`"},
        {.name = "result-without-type", .kind = "TypeError", .message = "`{}` does not say what it returns"},
        {.name = "result-not-a-tensor",
         .message = "`{}` returns tensors, and {} is no type of one",
         .help = "several results are a list: `out_ty=[R.Tensor((4,), \"float32\"), ...]`"},
        {.name = "result-of-unknown-shape",
         .kind = "InternalError+ValueError",
         .message = "`{}` writes into tensors that are made before, and the dimensions of {} are not known",
         .help = "write them, with symbolic variables where they are not constant"},
        {.name = "several-results",
         .kind = "InternalError+ValueError",
         .message = "`{}` returns one value, and `ty_args` has {} types",
         .help = "several values are a tuple: `ty_args=[R.Tuple(...)]`"},
        {.name = "in-place-index-out-of-range",
         .kind = "ValueError",
         .message = "`{}`: `inplace_indices` has {} for result {}, and there {} argument{}",
         .help = "an index is that of the argument that becomes the result, from 0; -1 makes a new tensor"},
        {.name = "in-place-index-twice",
         .kind = "ValueError",
         .message = "`{}`: results {} and {} both overwrite argument {}"},
        {.name = "in-place-count",
         .kind = "ValueError",
         .message = "`{}`: `inplace_indices` has {} entr{} for {} result{}",
         .help = "give an index for each result, -1 for a new tensor"},
        {.name = "nothing-in-place",
         .kind = "ValueError",
         .message = "`{}` overwrites none of its arguments"},
        {.name = "in-place-type-differs",
         .kind = "ValueError",
         .message = "`{}`: result {} is {}, but argument {}, which becomes it, is {}",
         .help =
             "what is overwritten has the type of the result; convert it before, or write a new tensor: -1"},
    }};
MLC_REFUSALS(op_call, refusals);

namespace {

size_t param(const ApiCall& call, std::string_view name) {
  for (size_t i = 0; i < call.api.params.size(); ++i) {
    if (call.api.params[i].name == name) return i;
  }
  MLC_CHECK(false, "`{}` has no parameter `{}`", call.api.path(), name);
}

Array<Type> types_arg(const ApiCall& call, std::string_view name) {
  return relax::types_arg(call, param(call, name));
}
// Of a destination-passing call: one result, or a tuple of them.
Array<Type> result_arg(const ApiCall& call, std::string_view name) {
  size_t i = param(call, name);
  Array<Type> types = types_arg(call, name);
  if (call.args[i] == nullptr)
    throw ir::refuse(refusals["result-without-type"], call.api.name)
        .at(call.span)
        .help(fmt::format("give `{}`", name));
  for (const Type& type : types) {
    const auto* tensor = as_type<TensorTypeNode>(type);
    if (!tensor)
      throw ir::refuse(refusals["result-not-a-tensor"], call.api.name, describe(type)).at(call.span_of(i));
    if (!written_dims(tensor))
      throw ir::refuse(refusals["result-of-unknown-shape"], call.api.name, describe(type))
          .at(call.span_of(i));
  }
  bool listed = call.args[i].as<Array<Any>>() || call.args[i].as<ffi::ListObj>();
  if (types.size() == 1 || !listed) return types;
  return {Type(make<TupleTypeNode>(types))};
}

// `x` and `(x,)` are the same to a call that takes its arguments as a tuple; so is a variable of tuple type.
Expr tuple_arg(const ApiCall& call, size_t i) {
  Expr e = wide_operand_arg(call, i);
  if (e->kind == ExprKind::kTuple || type_as<TupleTypeNode>(e)) return e;
  return make<TupleNode>(Array<Expr>{e}, e->span);
}
Expr global_arg(const ApiCall& call, size_t i) {
  if (auto* name = call.args[i].as<GlobalVarNode>()) return ref(name);
  throw ir::refuse(refusals["callee-not-a-function"], call.api.name, ir::type_name(call.args[i]))
      .at(call.span_of(i));
}
// A packed function by its name, or any expression.
Expr function_arg(const ApiCall& call, size_t i) {
  if (auto name = call.args[i].try_cast<String>()) return make<ExternFuncNode>(*name);
  return operand_arg(call, i);
}
// A vararg parameter's values as operands.
void append_operands(const ApiCall& call, size_t i, Array<Expr>& args,
                     Expr (*operand)(const ApiCall&, size_t)) {
  Any all = call.args[i];
  for (const Any& each : one_or_all(all)) {
    call.args[i] = each;
    args.push_back(operand(call, i));
  }
  call.args[i] = all;
}

Map<String, Any> indices_attr(const ApiCall& call) {
  size_t i = param(call, "inplace_indices");
  return {{String("inplace_indices"), attr_arg(call, i, AttrKind::kInts)}};
}

Any build_call_tir(ApiCall& call) {
  return make_call("relax.call_tir", {global_arg(call, 0), tuple_arg(call, 1)}, {},
                   result_arg(call, "out_ty"), call.span);
}
Any build_call_tir_inplace(ApiCall& call) {
  return make_call("relax.call_tir_inplace", {global_arg(call, 0), tuple_arg(call, 1)}, indices_attr(call),
                   result_arg(call, "out_ty"), call.span);
}
Any build_call_tir_with_grad(ApiCall& call) {
  size_t kwargs = param(call, "te_grad_kwargs");
  Map<String, Any> attrs{
      {String("te_grad_name"), attr_arg(call, param(call, "te_grad_name"), AttrKind::kString)}};
  if (auto given = call.args[kwargs].as<ffi::Dict<Any, Any>>()) {
    Map<String, Any> map;
    for (const auto& [key, value] : *given) map.Set(key.cast<String>(), value);
    attrs.Set("te_grad_kwargs", map);
  } else {
    attrs.Set("te_grad_kwargs", Map<String, Any>());
  }
  return make_call("relax.call_tir_with_grad", {global_arg(call, 0), tuple_arg(call, 1)}, attrs,
                   result_arg(call, "out_ty"), call.span);
}
Any build_call_dps_packed(ApiCall& call) {
  return make_call("relax.call_dps_packed", {function_arg(call, 0), tuple_arg(call, 1)}, {},
                   result_arg(call, "out_ty"), call.span);
}
Any build_call_pure_packed(ApiCall& call) {
  Array<Expr> args{function_arg(call, 0)};
  append_operands(call, 1, args, wide_operand_arg);
  return make_call("relax.call_pure_packed", args, {}, types_arg(call, "ty_args"), call.span);
}
Any build_call_inplace_packed(ApiCall& call) {
  Array<Expr> args{function_arg(call, 0)};
  append_operands(call, 1, args, wide_operand_arg);
  return make_call("relax.call_inplace_packed", args, indices_attr(call), types_arg(call, "ty_args"),
                   call.span);
}
Any build_call_builtin_with_ctx(ApiCall& call) {
  if (call.args[param(call, "ty_args")] == nullptr)
    throw ir::refuse(refusals["result-without-type"], call.api.name).at(call.span).help("give `ty_args`");
  return make_call("relax.call_builtin_with_ctx", {function_arg(call, 0), tuple_arg(call, 1)}, {},
                   types_arg(call, "ty_args"), call.span);
}
// In functions `call_py_func("f", x, y, out_ty=...)`; as it is printed, with a tuple and `ty_args`; as the
// function of operators has it, with the tuple and the types by position.
Any build_call_py_func(ApiCall& call) {
  Any name = call.args[0];
  Expr callee = name.try_cast<String>()
                    ? Expr(make<ir::StringImmNode>(*name.try_cast<String>(), call.span_of(0)))
                    : operand_arg(call, 0);
  size_t out = param(call, "out_ty");
  bool printed = call.args[param(call, "ty_args")] != nullptr;
  auto given = one_or_all(call.args[1]);
  if (given.size() == 2 && !printed && call.args[out] == nullptr) {
    call.args[out] = given[1];
    given.pop_back();
  }
  Expr args;
  if (given.size() == 1) {
    call.args[1] = given[0];
    args = tuple_arg(call, 1);
  } else {
    Array<Expr> all;
    append_operands(call, 1, all, wide_operand_arg);
    args = make<TupleNode>(all);
  }
  return make_call("relax.call_py_func", {callee, args}, {},
                   printed ? types_arg(call, "ty_args") : result_arg(call, "out_ty"), call.span);
}
Any build_make_closure(ApiCall& call) {
  return make_call("relax.make_closure", {operand_arg(call, 0), tuple_arg(call, 1)}, {}, {}, call.span);
}
Any build_invoke_closure(ApiCall& call) {
  return make_call("relax.invoke_closure", {operand_arg(call, 0), tuple_arg(call, 1)}, {},
                   types_arg(call, "ty_args"), call.span);
}
Any build_invoke_pure_closure(ApiCall& call) {
  return make_call("relax.invoke_pure_closure", {operand_arg(call, 0), tuple_arg(call, 1)}, {},
                   types_arg(call, "ty_args"), call.span);
}

Expr format_arg(const ApiCall& call) {
  size_t i = param(call, "format");
  if (auto text = call.args[i].try_cast<String>()) return make<ir::StringImmNode>(*text, call.span_of(i));
  if (auto* text = call.args[i].as<ir::StringImmNode>()) return ref(text);
  throw ir::refuse(refusals["format-not-a-string"], call.api.name, ir::type_name(call.args[i]))
      .at(call.span_of(i));
}
Any build_print(ApiCall& call) {
  Array<Expr> args{format_arg(call)};
  append_operands(call, 0, args, operand_arg);
  return make_call("relax.print", args, {}, {}, call.span);
}
Any build_assert_op(ApiCall& call) {
  // The values one by one, or in a list; the format may be the last of the arguments by position.
  Any all = call.args[1];
  auto values = one_or_all(all);
  if (values.size() > 1 && values.back().try_cast<String>()) {
    call.args[param(call, "format")] = values.back();
    values.pop_back();
  }
  Array<Expr> args{operand_arg(call, 0), format_arg(call)};
  for (const Any& each : values) {
    call.args[1] = each;
    if (each.as<ffi::ListObj>()) {
      append_operands(call, 1, args, operand_arg);
    } else {
      args.push_back(operand_arg(call, 1));
    }
  }
  call.args[1] = all;
  size_t more = param(call, "format_args");
  if (call.args[more] != nullptr) append_operands(call, more, args, operand_arg);
  return make_call("relax.assert_op", args, {}, {}, call.span);
}

Any build_to_vdevice(ApiCall& call) {
  if (!call.args[1].as<ir::VDeviceNode>()) {
    throw ir::refuse(refusals["not-a-device"], call.api.params[1].name, call.api.name,
                     ir::type_name(call.args[1]))
        .at(call.span_of(1))
        .help("declare it: `I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\")]})`");
  }
  return make_call("relax.to_vdevice", {operand_arg(call, 0)}, {{String("dst_vdevice"), call.args[1]}}, {},
                   call.span);
}
Any build_hint_on_device(ApiCall& call) {
  auto device = call.args[1].try_cast<DLDevice>();
  if (!device) {
    throw ir::refuse(refusals["not-a-device"], call.api.params[1].name, call.api.name,
                     ir::type_name(call.args[1]))
        .at(call.span_of(1))
        .help("write `R.cpu(0)` or `R.device(device_type=1, index=0)`");
  }
  return make_call("relax.hint_on_device", {operand_arg(call, 0)},
                   {{String("device_type"), static_cast<int64_t>(device->device_type)},
                    {String("index"), static_cast<int64_t>(device->device_id)},
                    {String("memory_scope"), attr_arg(call, 2, AttrKind::kString)}},
                   {}, call.span);
}
Any build_null_value(ApiCall& call) { return make_call("relax.null_value", {}, {}, {}, call.span); }

// ---- types ----

// What the call declares: one type, several as a tuple, none: anything.
Type infer_declared(const CallNode* call, const InferContext&) {
  if (call->ty_args.empty()) return any_type();
  if (call->ty_args.size() == 1) return call->ty_args[0];
  return make<TupleTypeNode>(call->ty_args);
}
// What a call overwrites: each index names one of the arguments, at least one does, and what is overwritten
// is of the result's type.
void check_in_place(const CallNode* call, std::span<const Expr> args, const Type& result,
                    std::string_view otherwise, const InferContext& context) {
  std::vector<int64_t> indices = ints_attr(call, "inplace_indices");
  std::string name = call_name(call);
  std::vector<Type> results{result};
  if (const auto* several = as_type<TupleTypeNode>(result); several && indices.size() != 1)
    results.assign(several->elements.begin(), several->elements.end());
  auto count = static_cast<int64_t>(args.size());
  std::unordered_map<int64_t, size_t> overwritten;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < -1 || indices[i] >= count) {
      throw ir::refuse(
          refusals["in-place-index-out-of-range"], name, indices[i], i,
          count == 0 ? std::string("is no") : fmt::format("{} {}", count == 1 ? "is" : "are", count),
          count == 1 ? "" : "s")
          .at(call->span);
    }
    if (indices[i] < 0) continue;
    auto [first, fresh] = overwritten.try_emplace(indices[i], i);
    if (!fresh)
      throw ir::refuse(refusals["in-place-index-twice"], name, first->second, i, indices[i]).at(call->span);
  }
  if (overwritten.empty()) {
    throw ir::refuse(refusals["nothing-in-place"], name)
        .at(call->span)
        .help(fmt::format("without results in place that is a call of `R.{}`", otherwise));
  }
  if (indices.size() != results.size()) {
    throw ir::refuse(refusals["in-place-count"], name, indices.size(), indices.size() == 1 ? "y" : "ies",
                     results.size(), results.size() == 1 ? "" : "s")
        .at(call->span);
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0) continue;
    const Expr& arg = args[static_cast<size_t>(indices[i])];
    if (fits(results[i], arg->ty, context) == Fit::kAlways) continue;
    throw ir::refuse(refusals["in-place-type-differs"], name, i, describe(results[i]), indices[i],
                     describe(arg->ty))
        .at(arg->span ? arg->span : call->span);
  }
}

Type infer_tir_in_place(const CallNode* call, const InferContext& context) {
  Type result = infer_declared(call, context);
  std::vector<Expr> args;
  if (auto* tuple = as<TupleNode>(context.value_of(call->args[1]))) {
    args.assign(tuple->elements.begin(), tuple->elements.end());
  } else if (const auto* types = type_as<TupleTypeNode>(call->args[1])) {
    for (size_t i = 0; i < types->elements.size(); ++i)
      args.push_back(make<TupleGetItemNode>(call->args[1], static_cast<int64_t>(i), call->args[1]->span));
  }
  check_in_place(call, args, result, "call_tir", context);
  return result;
}

// A call of a packed function, or of one whose type says what it returns.
Type infer_packed(const CallNode* call, const InferContext& context) {
  const auto* fn = type_as<FuncTypeNode>(call->args[0]);
  if (!fn || fn->is_opaque()) return infer_declared(call, context);
  Call inner =
      make<CallNode>(Type(nullptr), call->args[0], Array<Expr>(call->args.begin() + 1, call->args.end()),
                     Map<String, Any>(), call->span, call->ty_args);
  return infer_function_call(inner.get(), fn, context);
}
Type infer_packed_in_place(const CallNode* call, const InferContext& context) {
  Type result = infer_packed(call, context);
  std::vector<Expr> args(call->args.begin() + 1, call->args.end());
  check_in_place(call, args, result, "call_pure_packed", context);
  return result;
}
// One value, or none.
Type infer_builtin(const CallNode* call, const InferContext&) {
  if (call->ty_args.empty()) return ir::void_type();
  if (call->ty_args.size() > 1)
    throw ir::refuse(refusals["several-results"], call_name(call), call->ty_args.size()).at(call->span);
  return call->ty_args[0];
}
Type infer_any(const CallNode*, const InferContext&) { return any_type(); }
Type infer_void(const CallNode*, const InferContext&) { return ir::void_type(); }

Type infer_assert(const CallNode* call, const InferContext&) {
  const Expr& condition = call->args[0];
  bool fits = is_prim(condition) && condition->dtype().is_bool();
  if (const auto* tensor = type_as<TensorTypeNode>(condition)) {
    bool bool_or_unknown = !tensor->knows_dtype() || tensor->data_type().is_bool();
    fits = bool_or_unknown && (!tensor->knows_ndim() || tensor->ndim == 0);
  }
  if (!fits) {
    throw ir::refuse(refusals["condition-not-bool"], kind_name(condition->ty))
        .at(condition->span ? condition->span : call->span);
  }
  return ir::void_type();
}

Type infer_to_vdevice(const CallNode* call, const InferContext&) {
  const TensorTypeNode* data = tensor_operand(call, 0);
  auto device = attr(call, "dst_vdevice").cast<VDevice>();
  if (data->shape) return make<TensorTypeNode>(data->shape, data->data_type(), device);
  return make<TensorTypeNode>(data->data_type(), data->ndim, device);
}
Type infer_same(const CallNode* call, const InferContext&) { return ref(tensor_operand(call, 0)); }

constexpr Operator kRows[] = {
    {.signature = "call_tir(gvar, args, out_ty)",
     .arguments = "func Expr; args Tuple",
     .doc = "A tensor function of the module, its results as new tensors of the types `out_ty`.",
     .infer = infer_declared,
     .operands = 2,
     .build = build_call_tir},
    {.signature = "call_tir_inplace(gvar, args, inplace_indices, out_ty)",
     .arguments = "func Expr; args Tuple",
     .doc = "As call_tir; result i is argument inplace_indices[i], overwritten, or new where that is -1.",
     .infer = infer_tir_in_place,
     .operands = 2,
     .attrs = {{{"inplace_indices", AttrKind::kInts}}, "CallTIRInplaceAttrs"},
     .build = build_call_tir_inplace},
    {.signature = "call_tir_with_grad(gvar, args, out_ty, te_grad_name, te_grad_kwargs=None)",
     .arguments = "func Expr; args Tuple",
     .doc = "As call_tir, with the name of the function that makes its gradient.",
     .infer = infer_declared,
     .operands = 2,
     .attrs = {{{"te_grad_name", AttrKind::kString}, {"te_grad_kwargs"}}, "CallTIRWithGradAttrs"},
     .build = build_call_tir_with_grad},
    {.signature = "call_dps_packed(func, args, out_ty)",
     .doc = "A packed function that writes into tensors of the types `out_ty`, which it takes last.",
     .infer = infer_declared,
     .operands = 2,
     .build = build_call_dps_packed},
    {.signature = "call_pure_packed(func, *args, ty_args)",
     .arguments = "args ffi::Array<Expr>",
     .doc = "A packed function without side effects.",
     .infer = infer_packed,
     .build = build_call_pure_packed},
    {.signature = "call_inplace_packed(func, *args, inplace_indices, ty_args)",
     .arguments = "args ffi::Array<Expr>",
     .doc = "A packed function that overwrites some of its arguments and has no other side effects.",
     .infer = infer_packed_in_place,
     .attrs = {{{"inplace_indices", AttrKind::kInts}}, "CallInplacePackedAttrs"},
     .build = build_call_inplace_packed},
    {.signature = "call_builtin_with_ctx(func, args, *, ty_args=None)",
     .doc = "A function of the virtual machine, which it takes first.",
     .infer = infer_builtin,
     .operands = 2,
     .build = build_call_builtin_with_ctx,
     .pure = false},
    {.signature = "call_py_func(func_name, *args, out_ty=None, ty_args=None)",
     .doc = "A function of the module that is kept for CPython.",
     .infer = infer_declared,
     .operands = 2,
     .build = build_call_py_func},
    {.signature = "make_closure(func, args)",
     .doc = "A function with its first arguments given.",
     .infer = infer_any,
     .operands = 2,
     .build = build_make_closure},
    {.signature = "invoke_closure(closure, args, ty_args)",
     .doc = "Calls a closure.",
     .infer = infer_declared,
     .operands = 2,
     .build = build_invoke_closure,
     .pure = false},
    {.signature = "invoke_pure_closure(closure, args, ty_args)",
     .doc = "Calls a closure that has no side effects.",
     .infer = infer_declared,
     .operands = 2,
     .build = build_invoke_pure_closure},
    {.signature = "null_value()", .doc = "No value.", .infer = infer_any, .build = build_null_value},
    {.signature = "print(*values, format=\"\")",
     .arguments = "vals ffi::Array<Expr>",
     .doc = "Prints the values, by a format where there is one.",
     .infer = infer_void,
     .build = build_print,
     .pure = false},
    {.signature = "assert_op(condition, *args, format_args=None, format=\"\")",
     .arguments = "vals ffi::Array<Expr>",
     .doc = "Ends the program with a message unless the condition holds.",
     .infer = infer_assert,
     .build = build_assert_op,
     .pure = false},
    {.signature = "to_vdevice(data, dst_vdevice)",
     .arguments = "data Expr",
     .doc = "The tensor copied to a device of the module.",
     .infer = infer_to_vdevice,
     .operands = 1,
     .attrs = {{{"dst_vdevice"}}, "ToVDeviceAttrs"},
     .build = build_to_vdevice},
    {.signature = "hint_on_device(data, dst_vdevice, memory_scope=\"global\")",
     .arguments = "data Expr",
     .doc = "The tensor; says on which device it should be.",
     .infer = infer_same,
     .operands = 1,
     .attrs = {{{"device_type", AttrKind::kInt},
                {"index", AttrKind::kInt},
                {"memory_scope", AttrKind::kString}},
               "HintOnDeviceAttrs"},
     .build = build_hint_on_device},
};

}  // namespace

extern const Operators call;
const Operators call{kRows};

}  // namespace mlc::relax::operators_call
