// SPDX-License-Identifier: Apache-2.0
// Functions of devices that build more than their arguments say: operands they add, types they work out,
// calls with named attributes. What is printed for such a call is accepted too.
#include "frontend/tvmscript/builder/calls.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

namespace mlc::tvmscript {
namespace {

constexpr std::string_view kCuda = "tvm.script.tirx.cuda";
constexpr std::string_view kSTir = "tvm.script.tirx.s_tir";
constexpr std::string_view kLegacy = "tvm.script.tirx.ptx_legacy";

// Operands of a `*args` parameter. Of functions that take the type of their result first or by the name
// `dtype` (their last parameter), with that first.
std::vector<Any> rest(const ApiCall& call, size_t i) {
  auto all = script::elements(call.args[i]);
  std::vector<Any> operands(all.begin(), all.end());
  if (call.api.params.back().name == "dtype" && !script::is_none(call.args.back()))
    operands.insert(operands.begin(), call.args.back());
  return operands;
}

Array<Expr> as_operands(const ApiCall& call, std::span<const Any> given, size_t i = 0) {
  Array<Expr> args;
  for (const Any& one : given) args.push_back(operand(call, one, i));
  return args;
}
void append(Array<Expr>& args, const Array<Expr>& more) { args.insert(args.end(), more.begin(), more.end()); }

Expr text(std::string_view value) { return ir::make<ir::StringImmNode>(String(std::string(value))); }

// T.cuda.cta_sum(value, num_warps, scratch), T.cuda.warp_max(value, width): a reduction by name.
Any named_reduction(ApiCall& call) {
  std::string_view name = call.api.name;
  size_t split = name.find('_');
  Array<Expr> args = operands(call);
  Array<Expr> all = {args[0], text(name.substr(split + 1))};
  for (size_t i = 1; i < args.size(); ++i) all.push_back(args[static_cast<int64_t>(i)]);
  return call_of(args[0]->ty, fmt::format("tirx.cuda.{}_reduce", name.substr(0, split)), all, call.span);
}

// T.cuda.func_call(name, *args, source_code=..., return_type="void"): a function given as CUDA source.
Any func_call(ApiCall& call) {
  Array<Expr> args = {operand(call, call.args[0], 0)};
  std::vector<Any> given = rest(call, 1);
  append(args, as_operands(call, given, 1));
  args.push_back(operand(call, call.args[2], 2));
  Map<String, Any> attrs;
  Array<Any> lazy;
  for (const Any& one : items(call.args[4], call.span_of(4))) {
    if (!script::is_int(one)) ir::wrong_argument(call, 4, "a tuple of argument indices");
    if (script::raw_int(one) < 0 || script::raw_int(one) >= static_cast<int64_t>(given.size())) {
      throw ir::Error("index-out-of-range", "there is no argument {} among {}", script::raw_int(one),
                      given.size())
          .at(call.span_of(4))
          .kind("ValueError");
    }
    lazy.push_back(one);
  }
  if (!lazy.empty()) attrs.Set("lazy_args", lazy);
  if (auto* type = call.args[3].as<ir::TypeNode>())
    return call_of(Type(ir::ref(type)), "tirx.cuda.func_call", args, call.span, attrs);
  DataType dtype = script::is_str(call.args[3]) && script::text_of(call.args[3]) == "void"
                       ? DataType::Void()
                       : dtype_arg(call, 3);
  return call_of(prim(dtype), "tirx.cuda.func_call", args, call.span, attrs);
}

// T.cuda.ldg(addr, dtype) is a value; with `dst=` and `vec=` it fills several.
Any ldg(ApiCall& call) {
  std::vector<Any> more = rest(call, 2);
  if (!more.empty()) {  // as printed: ldg(d0, d1, addr, dtype, "v2", 2)
    Array<Expr> args = {operand(call, call.args[0], 0), operand(call, call.args[1], 1)};
    append(args, as_operands(call, more, 2));
    return call_of(ir::void_type(), "tirx.cuda.ldg", args, call.span);
  }
  Expr address = expr_arg(call, 0);
  Expr dtype = text(dtype_arg(call, 1).str());
  if (script::is_none(call.args[3]))
    return call_of(prim(dtype_arg(call, 1)), "tirx.cuda.ldg", {address, dtype}, call.span);
  Array<Expr> args = as_operands(call, items(call.args[3], call.span_of(3)), 3);
  std::string vec = fmt::format("v{}", args.size());
  if (vec != view(str_arg(call, 4))) {
    throw ir::Error("wrong-arguments", "{} destinations for `{}`", args.size(), str_arg(call, 4).c_str())
        .at(call.span_of(3))
        .kind("ValueError");
  }
  append(args, {address, dtype, text(vec), ir::int32(static_cast<int64_t>(args.size()))});
  return call_of(ir::void_type(), "tirx.cuda.ldg", args, call.span);
}

Any mov_sreg(ApiCall& call) {
  Array<Expr> args = operands(call);
  auto bits = ir::const_int(args[0]);
  if (!bits) ir::wrong_argument(call, 0, "int");
  return call_of(prim(DataType::Int(static_cast<int>(*bits))), "tirx.cuda.mov_sreg", args, call.span);
}

// The address in the leading block of a pair: bit 24 cleared.
Any leader_address(ApiCall& call) {
  Expr address =
      call_of(prim(DataType::UInt(32)), "tirx.cuda.cvta_generic_to_shared", operands(call), call.span);
  return ir::bitwise_and(address, ir::int_imm(DataType::UInt(32), 0xFEFFFFFF), call.span);
}

// T.cuda.wait_until(dst, ptr, predicate, ...): reads *ptr into dst until the predicate holds.
Any wait_until(ApiCall& call) {
  Expr dst = element_of(expr_arg(call, 0));
  Any condition = call.args[2];
  if (call.host.callable(condition)) {
    std::vector<Any> values = {dst};
    condition = call.host.call(condition, values);
  }
  Array<Expr> args = {dst,
                      expr_arg(call, 1),
                      script::as_expr(condition, call.span_of(2), "`predicate`"),
                      operand(call, call.args[3], 3),
                      operand(call, call.args[4], 4),
                      script::is_none(call.args[5]) ? text("") : operand(call, call.args[5], 5),
                      script::is_none(call.args[6]) ? Expr(ir::int32(0)) : expr_arg(call, 6)};
  return call_of(ir::void_type(), "tirx.cuda.wait_until", args, call.span);
}

// Of one operand more than expected the first names the type of the result.
std::optional<DataType> taken_type(const ApiCall& call, std::vector<Any>& given, size_t expected) {
  if (given.size() != expected + 1) return std::nullopt;
  DataType type = dtype_from(given[0], call.span);
  given.erase(given.begin());
  return type;
}

Any maybe_typed(ApiCall& call) {
  std::vector<Any> given = rest(call, 0);
  size_t expected = call.api.name == "mma_fill_legacy" ? 3 : 6;
  std::optional<DataType> type = taken_type(call, given, expected);
  if (given.size() != expected) {
    throw ir::Error("wrong-arguments", "`{}` takes a type and {} operands, got {} arguments", call.api.name,
                    expected, given.size())
        .at(call.span)
        .kind("TypeError");
  }
  Array<Expr> args = as_operands(call, given);
  return call_of(type ? prim(*type) : Type(ir::void_type()), "tirx." + call.api.name, args, call.span);
}

[[noreturn]] void wrong_count(const ApiCall& call, std::string_view expected, size_t got) {
  throw ir::Error("wrong-arguments", "`{}` takes {} arguments, got {}", call.api.name, expected, got)
      .at(call.span)
      .kind("ValueError");
}

Any legacy_ldmatrix(ApiCall& call) {
  std::vector<Any> given = rest(call, 0);
  DataType dtype = taken_type(call, given, 7).value_or(DataType::Int(8));
  if (given.size() != 7) wrong_count(call, "7 or 8", given.size());
  return call_of(prim(dtype), "tirx.ptx_legacy.ldmatrix", as_operands(call, given), call.span);
}

Any legacy_mma(ApiCall& call) {
  std::vector<Any> given = rest(call, 0);
  if (given.size() == 15) given.erase(given.begin());
  if (given.size() == 14 && script::is_str(given[6])) given.erase(given.begin());  // the type comes first
  if (given.size() != 13 && given.size() != 14) wrong_count(call, "13 to 15", given.size());
  Array<Expr> args = as_operands(call, given);
  if (!script::is_none(call.args[1])) args.push_back(operand(call, call.args[1], 1));
  return call_of(ir::void_type(), "tirx.ptx_legacy.mma", args, call.span);
}

// T.s_tir.cp_async_raw(dtype, dst, dst_offset, src, src_offset, bytes)
Any cp_async_raw(ApiCall& call) {
  return call_of(prim(dtype_arg(call, 0)), "tirx.s_tir.cp_async_raw", operands(call, 1), call.span);
}
// The same with plain pointers: offsets go into access pointers.
Any cp_async_legacy(ApiCall& call) {
  std::vector<Any> given = rest(call, 0);
  DataType dtype = taken_type(call, given, 5).value_or(DataType::Int(8));
  if (given.size() != 5) wrong_count(call, "5 or 6", given.size());
  auto access = [&](const Any& pointer, const Any& offset) -> Expr {
    Expr data = operand(call, pointer, 0);
    Expr at = operand(call, offset, 0);
    if (auto* inner = ir::as_call_to(data, "tirx.tvm_access_ptr")) {
      Expr sum = ir::add(inner->args[2], at, call.span);
      return call_of(data->ty, "tirx.tvm_access_ptr",
                     {inner->args[0], inner->args[1], sum, ir::int32(1), inner->args[4]}, call.span);
    }
    String scope("global");
    if (data->ty->kind == ir::TypeKind::kPointer)
      scope = static_cast<const ir::PointerTypeNode*>(data->ty.get())->storage_scope;
    Type type = ir::make<ir::PointerTypeNode>(Type(ir::prim_type(dtype)), scope);
    return call_of(type, "tirx.tvm_access_ptr",
                   {ir::call_op(dtype, "tirx.type_annotation", {}), data, at, ir::int32(1), ir::int32(1)},
                   call.span);
  };
  Array<Expr> args = {access(given[0], given[1]), ir::int32(0), access(given[2], given[3]), ir::int32(0),
                      operand(call, given[4], 0)};
  return call_of(prim(dtype), "tirx.s_tir.cp_async_raw", args, call.span);
}

Any dp4a(ApiCall& call) {
  std::vector<Any> given = rest(call, 0);
  if (!given.empty() && script::is_str(given[0])) given.erase(given.begin());
  if (given.size() != 2 && given.size() != 3) wrong_count(call, "2 or 3", given.size());
  Array<Expr> args = as_operands(call, given);
  if (args.size() == 2) args.push_back(ir::int32(0));
  return call_of(prim(DataType::Int(32)), "tirx.dp4a", args, call.span);
}

Any print_buffer(ApiCall& call) {
  Array<Expr> args = {operand(call, call.args[0], 0), text(dtype_arg(call, 1).str()),
                      ir::cast(DataType::Bool(), expr_arg(call, 2)),
                      ir::cast(DataType::Bool(), expr_arg(call, 3)),
                      ir::cast(DataType::UInt(32), expr_arg(call, 4))};
  std::vector<Any> shape = rest(call, 5);
  if (shape.size() == 1 && !shape[0].as<ir::ExprNode>() && script::is_object(shape[0]))
    shape = items(shape[0], call.span_of(5));
  append(args, as_operands(call, shape, 5));
  return call_of(prim(DataType::Int(32)), "tirx.print_buffer", args, call.span);
}

Any filter(ApiCall& call) {
  return call_of(prim(DataType::Bool()), "tirx.filter", operands(call), call.span);
}

Any call_ffi_kernel(ApiCall& call) {
  Map<String, Any> attrs;
  attrs.Set("launch_params", attribute_value(call.args[1], call.span_of(1)));
  Array<Expr> args = as_operands(call, rest(call, 0));
  return call_of(prim(dtype_arg(call, 2)), "tirx.call_ffi_kernel", args, call.span, attrs);
}

Any tensormap_encode_tiled(ApiCall& call) {
  Array<Expr> args = as_operands(call, rest(call, 0));
  if (!script::is_int(call.args[2])) ir::wrong_argument(call, 2, "int");
  int64_t rank = script::raw_int(call.args[2]);
  if (rank < 1 || rank > 5 || static_cast<int64_t>(args.size()) != 4 * rank + 1) {
    throw ir::Error("wrong-arguments", "a tensor map of rank {} is made of {} operands, got {}", rank,
                    4 * rank + 1, args.size())
        .at(call.span)
        .kind("ValueError")
        .help("the rank is 1 to 5; each dimension takes four operands after the descriptor");
  }
  Map<String, Any> attrs;
  attrs.Set("descriptor_dtype", String(dtype_arg(call, 1).str()));
  for (size_t i = 2; i < call.args.size(); ++i) {
    if (!script::is_int(call.args[i])) ir::wrong_argument(call, i, "int");
    attrs.Set(String(call.api.params[i].name), call.args[i]);
  }
  return call_of(prim(DataType::Int(32)), "tirx.tensormap_encode_tiled", args, call.span, attrs);
}

// T.cuda.timer_start(event_type, ...): an event is its number.
Any timer(ApiCall& call) {
  return call_of(ir::void_type(), fmt::format("tirx.{}_cuda", call.api.name), operands(call), call.span);
}

#define ROW(owner, signature, doc, body) \
  { ir::ApiKind::kFunction, owner, signature, doc, body }
constexpr ir::ApiRow device_forms_table[] = {
    ROW(kCuda, "cta_sum(value, num_warps, scratch)", "The sum over a block of threads.", named_reduction),
    ROW(kCuda, "cta_max(value, num_warps, scratch)", "The maximum over a block of threads.", named_reduction),
    ROW(kCuda, "cta_min(value, num_warps, scratch)", "The minimum over a block of threads.", named_reduction),
    ROW(kCuda, "warp_sum(value, width=32)", "The sum over a warp.", named_reduction),
    ROW(kCuda, "warp_max(value, width=32)", "The maximum over a warp.", named_reduction),
    ROW(kCuda, "warp_min(value, width=32)", "The minimum over a warp.", named_reduction),
    ROW(kCuda, "func_call(func_name, *args, source_code, return_type=\"void\", lazy_args=())",
        "Calls a function given as CUDA source.", func_call),
    ROW(kCuda, "ldg(addr, dtype, *operands, dst=None, vec=\"\")", "A load through the read-only cache.", ldg),
    ROW(kCuda, "mov_sreg(bits, reg_name)", "The value of a special register.", mov_sreg),
    ROW(kCuda, "sm100_2sm_leader_smem_addr(ptr)", "The address in the leading block of a pair.",
        leader_address),
    ROW(kCuda,
        "wait_until(dst, ptr, predicate, scope=\"gpu\", space=\"global\", ptx_type=None, backoff_ns=None)",
        "Waits until what lies in memory meets a condition.", wait_until),
    ROW(kCuda, "mma_fill_legacy(*operands, dtype=None)", "Fills a fragment (older form).", maybe_typed),
    ROW(kCuda, "mma_store_legacy(*operands, dtype=None)", "Stores a fragment (older form).", maybe_typed),
    ROW(kCuda,
        "timer_start(event_type, profiler_buffer, profiler_tag, profiler_write_offset, "
        "profiler_write_stride, leader_cond)",
        "Marks the begin of an event in a profile.", timer),
    ROW(kCuda,
        "timer_end(event_type, profiler_buffer, profiler_tag, profiler_write_offset, profiler_write_stride, "
        "leader_cond)",
        "Marks the end of an event in a profile.", timer),
    ROW(kLegacy, "ldmatrix(*operands, dtype=None)", "Loads fragments of matrices (older form).",
        legacy_ldmatrix),
    ROW(kLegacy, "mma(*operands, operator=None, dtype=None)", "Multiplies fragments (older form).",
        legacy_mma),
    ROW(kSTir, "cp_async_raw(dtype, dst, dst_offset, src, src_offset, cp_size)",
        "An asynchronous copy to shared memory.", cp_async_raw),
    ROW("tvm.script.tirx.s_tir.cp_async_raw", "legacy(*operands, dtype=None)",
        "An asynchronous copy to shared memory between plain pointers.", cp_async_legacy),
    ROW(kT, "dp4a(*operands, dtype=None)", "The dot product of four bytes, added to a number.", dp4a),
    ROW(kT, "print_buffer(buffer_var, dtype, is_string, is_scalar, dim_num, *shape)",
        "Prints a buffer on the device.", print_buffer),
    ROW(kT, "filter(var, pred)", "Which threads go on.", filter),
    ROW(kT, "call_ffi_kernel(*args, launch_params, ret_ty=\"int32\")", "Launches a kernel by its name.",
        call_ffi_kernel),
    ROW(kT,
        "tensormap_encode_tiled(*args, descriptor_dtype, rank, interleave=0, swizzle=0, l2_promotion=0, "
        "oob_fill=0, force_cu_dtype=-1)",
        "Fills a descriptor of a tensor for bulk copies.", tensormap_encode_tiled),
};
#undef ROW

}  // namespace

std::span<const ir::ApiRow> device_form_rows() { return device_forms_table; }

}  // namespace mlc::tvmscript
