// SPDX-License-Identifier: Apache-2.0
// T.* operators that are no arithmetic: calls of external functions, pointers, synchronisation. One row each:
// the signature and the type of the result.
#include "frontend/tvmscript/builder/calls.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/op.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-such-intrinsic",
         .message = "LLVM has no intrinsic `{}`",
         .help = "write its full name, such as \"llvm.fma\"",
         .meaning = "The call names an intrinsic that the LLVM in this program does not know."},
    }};
MLC_REFUSALS(tir_rows_call, refusals);

namespace {

std::string op_name(const ApiCall& call) { return "tirx." + call.api.name; }

template <int code, int bits>
Any typed_call(ApiCall& call) {
  return call_of(prim(DataType(code, bits)), op_name(call), operands(call), call.span);
}
Any no_value(ApiCall& call) { return call_of(ir::void_type(), op_name(call), operands(call), call.span); }
Any pointer(ApiCall& call) { return call_of(void_pointer(), op_name(call), operands(call), call.span); }
Any stack_pointer(ApiCall& call) {
  Type element = ir::prim_type(DataType::Int(64));
  if (call.api.name == "tvm_stack_alloca") {
    String what = str_arg(call, 0);
    if (view(what) == "arg_tcode") {
      element = ir::prim_type(DataType::Int(32));
    } else if (view(what) == "tensormap") {
      element = ir::tensor_map_type();
    } else if (view(what) != "shape") {
      element = ir::prim_type(DataType::Void());
    }
  }
  Type type = ir::make<ir::PointerTypeNode>(element, String("global"));
  return call_of(type, op_name(call), operands(call), call.span);
}
Any like_first(ApiCall& call) {
  Array<Expr> args = operands(call);
  Type type = args[0]->ty;
  return call_of(type, op_name(call), std::move(args), call.span);
}
Any given_dtype(ApiCall& call) {  // the first argument is the type of the result
  auto text = call.args[0].try_cast<String>();
  DataType dtype = text && text->empty() ? DataType::Void() : dtype_arg(call, 0);
  return call_of(prim(dtype), op_name(call), operands(call, 1), call.span);
}
// An intrinsic of LLVM by its number is that of its name; a name that LLVM does not know is refused here,
// where it stands, rather than when code is made.
Any llvm_intrinsic(ApiCall& call) {
  if (auto name = call.args[1].try_cast<String>()) {
    Any known = call.host.call_library("tvm.tirx.llvm_intrinsics", "is_known", {&call.args[1], 1});
    if (!known.cast<bool>())
      throw ir::refuse(refusals["no-such-intrinsic"], name->c_str()).at(call.span_of(1));
  }
  if (script::is_int(call.args[1])) {
    try {
      call.args[1] = String(call.host.llvm_intrinsic_name(script::raw_int(call.args[1])));
    } catch (ir::Error& error) {
      throw std::move(error).at(call.span_of(1));
    }
  }
  return given_dtype(call);
}
// A buffer as an argument of a registered function: a descriptor made on the stack.
Expr packed_buffer(const Expr& arg, Span span) {
  auto* var = ir::as<ir::VarNode>(arg);
  if (!var || !var->buffer()) return arg;
  const ir::BufferTypeNode& type = *var->buffer();
  Type shape_type = ir::make<ir::PointerTypeNode>(Type(ir::prim_type(DataType::Int(64))), String("global"));
  Expr shape = call_of(shape_type, "tirx.tvm_stack_make_shape", type.shape, span);
  Expr strides = type.strides.empty() ? Expr(ir::int32(0))
                                      : call_of(shape_type, "tirx.tvm_stack_make_shape", type.strides, span);
  Expr data = script::ir_attribute(Any(arg), "data", span)->cast<Expr>();
  return call_of(void_pointer(), "tirx.tvm_stack_make_array",
                 {data, shape, strides, ir::int32(static_cast<int64_t>(type.shape.size())),
                  ir::make_const(type.dtype, 0), type.elem_offset ? type.elem_offset : Expr(ir::int32(0))},
                 span);
}

Any packed(ApiCall& call) {
  Array<Expr> args;
  for (const Expr& arg : operands(call)) args.push_back(packed_buffer(arg, call.span));
  std::string name = call.api.name.starts_with("tvm_") ? call.api.name : "tvm_" + call.api.name;
  bool traces = name == "tvm_call_trace_packed" && !args.empty();  // what it is given last it returns
  return call_of(traces ? args.back()->ty : prim(DataType::Int(32)), "tirx." + name, args, call.span);
}
Any call_intrin(ApiCall& call) {
  auto* of = call.args[1].as<ir::OpNode>();
  std::string name(view(of != nullptr ? of->name : str_arg(call, 1)));
  // Older names of device operators: `tirx.ptx_mma` for `tirx.ptx.mma`.
  for (std::string_view space : {"ptx_legacy", "ptx", "cuda", "s_tir", "nvshmem", "nki"}) {
    std::string older = fmt::format("tirx.{}_", space);
    if (!name.starts_with(older) || name.find('.', older.size()) != std::string::npos) continue;
    name = fmt::format("tirx.{}.{}", space, name.substr(older.size()));
    break;
  }
  bool no_type = script::is_str(call.args[0]) && script::text_of(call.args[0]).empty();
  return call_of(prim(no_type ? DataType::Void() : dtype_arg(call, 0)), name, operands(call, 2), call.span);
}

Any address_of(ApiCall& call) {
  Expr target = element_of(expr_arg(call, 0));
  if (auto* var = ir::as<ir::VarNode>(target)) {
    if (var->ty->kind == ir::TypeKind::kTensorMap)
      return call_of(prim(DataType::UInt(64)), "tirx.address_of", {target}, call.span);
    if (var->ty->kind == ir::TypeKind::kPrim)
      return call_of(ir::make<ir::PointerTypeNode>(var->ty, String("global")), "tirx.address_of", {target},
                     call.span);
  }
  auto* load = ir::as<ir::TensorLoadNode>(target);
  if (!load) ir::wrong_argument(call, 0, "an element of a buffer");
  const ir::BufferTypeNode* buffer = load->source->buffer();
  Type type = ir::make<ir::PointerTypeNode>(Type(ir::prim_type(buffer->dtype)), buffer->storage_scope);
  return call_of(type, "tirx.address_of", {target}, call.span);
}

Type pointer_to(const Expr& annotation, const Expr& data) {
  String scope("global");
  if (data->ty->kind == ir::TypeKind::kPointer)
    scope = static_cast<const ir::PointerTypeNode*>(data->ty.get())->storage_scope;
  return ir::make<ir::PointerTypeNode>(annotation->ty, scope);
}
Any access_ptr(ApiCall& call) {
  Array<Expr> args = operands(call);
  if (script::is_str(call.args[0])) args.Set(0, ir::call_op(dtype_arg(call, 0), "tirx.type_annotation", {}));
  Type type = pointer_to(args[0], args[1]);
  return call_of(type, "tirx.tvm_access_ptr", std::move(args), call.span);
}
Any ptr_byte_offset(ApiCall& call) {
  Array<Expr> args = {expr_arg(call, 0), expr_arg(call, 1),
                      ir::call_op(dtype_arg(call, 2), "tirx.type_annotation", {})};
  Type type = pointer_to(args[2], args[0]);
  return call_of(type, "tirx.ptr_byte_offset", std::move(args), call.span);
}
Any type_annotation(ApiCall& call) {
  return ir::call_op(dtype_arg(call, 0), "tirx.type_annotation", {}, call.span);
}

// A data type, or a type as printed programs write it: `T.handle("float32", "global").ty`.
Type type_arg(const ApiCall& call, size_t i) {
  if (auto* pointer = call.args[i].as<ir::PointerTypeNode>()) return Type(ir::ref(pointer));
  DataType dtype = dtype_arg(call, i);
  return dtype.is_handle() ? Type(void_pointer()) : prim(dtype);
}

Any reinterpret(ApiCall& call) {
  Type type = type_arg(call, 0);
  bool pointer = type->kind == ir::TypeKind::kPointer;
  if (pointer && script::is_str(call.args[1]))  // where the text lies
    return call_of(type, "tirx.reinterpret", {operand(call, call.args[1], 1)}, call.span);
  DataType dtype = pointer ? DataType::Handle() : dtype_arg(call, 0);
  DataType own = expr_arg(call, 1)->dtype();
  int64_t bits = int64_t{own.bits()} * own.lanes();
  int64_t wanted = int64_t{dtype.bits()} * dtype.lanes();
  bool packed = own.bits() < 8 || dtype.bits() < 8;  // a byte holds several; its size is not theirs
  if (!dtype.is_handle() && !own.is_handle() && !own.is_scalable() && !packed && bits != wanted) {
    throw ir::Error("type-mismatch", "cannot reinterpret the {} bits of `{}` as `{}`, which has {}", bits,
                    own.str(), dtype.str(), wanted)
        .at(call.span)
        .kind("InternalError")
        .help(fmt::format("convert the value: `T.Cast(\"{}\", ...)`", dtype.str()));
  }
  if (!dtype.is_handle() && own == dtype) return script::region_value(expr_arg(call, 1));
  return call_of(type, "tirx.reinterpret", {script::region_value(expr_arg(call, 1))}, call.span);
}
// A type by name stands for a zero of that type.
Any make_array(ApiCall& call) {
  if (script::is_str(call.args[4])) call.args[4] = ir::make_const(dtype_arg(call, 4), 0);
  return pointer(call);
}
Any struct_get(ApiCall& call) {
  return call_of(type_arg(call, 3), "tirx.tvm_struct_get",
                 {expr_arg(call, 0), expr_arg(call, 1), expr_arg(call, 2)}, call.span);
}
Any popcount(ApiCall& call) {
  Expr x = expr_arg(call, 0);
  if (x->ty->kind != ir::TypeKind::kPrim || x->dtype().is_handle()) ir::wrong_argument(call, 0, "a number");
  return call_of(x->ty, "tirx.popcount", {x}, call.span);
}
Any clz(ApiCall& call) {
  return call_of(prim(DataType::Int(32)), "tirx.clz", {expr_arg(call, 0)}, call.span);
}

constexpr Any (*int32)(ApiCall&) = typed_call<kDLInt, 32>;
constexpr Any (*boolean)(ApiCall&) = typed_call<kDLBool, 8>;

#define ROW(signature, doc, body) \
  { ir::ApiKind::kFunction, kT, signature, doc, body }
constexpr ir::ApiRow call_table[] = {
    ROW("call_extern(dtype, func_name, *args)", "Calls a C function.", given_dtype),
    ROW("call_pure_extern(dtype, func_name, *args)", "Calls a C function without effects.", given_dtype),
    ROW("call_packed(*args, dtype=None)", "Calls a registered function by name.", untyped<packed>),
    ROW("call_cpacked(*args, dtype=None)", "Calls a registered function by its C symbol.", untyped<packed>),
    ROW("tvm_call_packed(*args, dtype=None)", "Calls a registered function by name.", untyped<packed>),
    ROW("tvm_call_cpacked(*args, dtype=None)", "Calls a registered function by its C symbol.",
        untyped<packed>),
    ROW("tvm_call_trace_packed(*args, dtype=None)",
        "Calls a registered function and hands on what it returns.", untyped<packed>),
    ROW("tvm_call_packed_lowered(*args, dtype=None)", "A call whose arguments lie on the stack.",
        untyped<packed>),
    ROW("tvm_call_cpacked_lowered(*args, dtype=None)", "A call whose arguments lie on the stack.",
        untyped<packed>),
    ROW("call_packed_lowered(*args, dtype=None)", "A call whose arguments lie on the stack.",
        untyped<packed>),
    ROW("call_cpacked_lowered(*args, dtype=None)", "A call whose arguments lie on the stack.",
        untyped<packed>),
    ROW("call_intrin(dtype, func_name, *args)", "Calls an operator by its full name.", call_intrin),
    ROW("call_llvm_intrin(dtype, name, *args)", "Calls an LLVM intrinsic.", llvm_intrinsic),
    ROW("call_llvm_pure_intrin(dtype, name, *args)", "Calls an LLVM intrinsic without effects.",
        llvm_intrinsic),
    ROW("address_of(obj, *, dtype=None)", "The address of an element of a buffer.", untyped<address_of>),
    ROW("tvm_access_ptr(ptype, data, offset, extent, rw_mask, *, dtype=None)",
        "A pointer into a buffer with what it is used for.", untyped<access_ptr>),
    ROW("ptr_byte_offset(ptr, byte_offset, dtype)", "A pointer some bytes further.", ptr_byte_offset),
    ROW("handle_add_byte_offset(handle, offset, *, dtype=None)", "A pointer some bytes further.",
        untyped<pointer>),
    ROW("type_annotation(dtype)", "A type as an argument.", type_annotation),
    ROW("reinterpret(dtype, value)", "The same bits as another type.", reinterpret),
    ROW("isnullptr(x, *, dtype=None)", "Is it the null pointer?", untyped<boolean>),
    ROW("assume(cond, *, dtype=None)", "A condition that holds.", untyped<boolean>),
    ROW("ignore_loop_partition(predicate, *, dtype=None)", "A condition that loops are not split at.",
        untyped<boolean>),
    ROW("undef(*, dtype=None)", "A value that nobody reads.", untyped<int32>),
    ROW("vscale(*, dtype=None)", "The number of 128-bit pieces of a scalable vector.", untyped<int32>),
    ROW("get_active_lane_mask(dtype, base, limit)", "For each lane: is base + lane below the limit?",
        given_dtype),
    ROW("masked_load(dtype, buffer, *indices_and_mask)", "A vector of elements, where the mask has them.",
        given_dtype),
    ROW("masked_store(buffer, value, *indices_and_mask, dtype=None)", "Stores the lanes that the mask has.",
        untyped<no_value>),
    ROW("vectorlow(dtype, vec)", "The first half of a vector.", given_dtype),
    ROW("vectorhigh(dtype, vec)", "The second half of a vector.", given_dtype),
    ROW("vectorcombine(dtype, vec1, vec2)", "Two vectors as one.", given_dtype),
    ROW("popcount(x, *, dtype=None)", "The number of bits that are set.", untyped<popcount>),
    ROW("clz(x, *, dtype=None)", "The number of leading zero bits.", untyped<clz>),
    ROW("tvm_tuple(*value, dtype=None)", "Values as one argument.", untyped<no_value>),
    ROW("tvm_throw_last_error(*, dtype=None)", "Passes on the error of a call.", untyped<no_value>),
    ROW("thread_return(*, dtype=None)", "Ends the thread.", untyped<no_value>),
    ROW("break_loop(*, dtype=None)", "Leaves the loop.", untyped<no_value>),
    ROW("continue_loop(*, dtype=None)", "Goes on with the next iteration.", untyped<no_value>),
    ROW("ret(val)", "`return val` (older form).", like_first),
    // The passes that make this call give it the scope alone.
    ROW("tvm_storage_sync(storage_scope, is_load=False, num_blocks=-1)",
        "A barrier of the threads that share a memory.", no_value),
    ROW("tvm_thread_allreduce(*freduce_args, dtype=None)", "A reduction over threads.", untyped<no_value>),
    ROW("tvm_thread_invariant(cond, *, dtype=None)", "A condition that is equal on all threads.",
        untyped<like_first>),
    ROW("tvm_stack_alloca(dtype_str, num, *, dtype=None)", "Memory on the stack.", untyped<stack_pointer>),
    ROW("tvm_stack_make_shape(*args, dtype=None)", "A shape on the stack.", untyped<stack_pointer>),
    ROW("tvm_stack_make_array(data, shape, strides, ndim, arr_dtype, elem_offset, *, dtype=None)",
        "A tensor descriptor on the stack.", untyped<make_array>),
    ROW("tvm_struct_get(arr, index, field, dtype)", "A field of a descriptor.", struct_get),
    ROW("tvm_struct_set(arr, index, field, value, *, dtype=None)", "Sets a field of a descriptor.",
        untyped<int32>),
    ROW("lookup_param(param_name, *, dtype=None)", "A constant parameter by name.", untyped<pointer>),
    ROW("TVMBackendAllocWorkspace(device_type, device_id, nbytes, dtype_code_hint, dtype_bits_hint, *, "
        "dtype=None)",
        "Temporary memory.", untyped<pointer>),
    ROW("TVMBackendFreeWorkspace(device_type, device_id, ptr, *, dtype=None)", "Gives temporary memory back.",
        untyped<int32>),
};
#undef ROW

}  // namespace

std::span<const ir::ApiRow> call_rows() { return call_table; }

}  // namespace mlc::tvmscript
