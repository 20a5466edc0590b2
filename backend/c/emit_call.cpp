// SPDX-License-Identifier: Apache-2.0
// Calls: operators of ir/tir/op.h, functions of the module, functions from outside.
#include "backend/artefact/extents.h"
#include "backend/c/emitter.h"
#include "ir/core/error.h"
#include "ir/tir/scalar_op.h"

namespace mlc::c_backend {

using ir::Error;
using ir::view;

Text FunctionEmitter::emit_call(const ir::CallNode* call) {
  if (auto* op = ir::as<ir::OpNode>(call->op)) return emit_operator(call, ir::op_row(op));
  if (auto* callee = ir::as<ir::GlobalVarNode>(call->op)) return emit_function_call(call, callee);
  refuse("a call of a computed function", call->span);
}

Text FunctionEmitter::emit_operator(const ir::CallNode* call, const ir::OpRow& row) {
  std::string_view name = row.name.substr(row.name.find('.') + 1);
  DataType dtype = call->dtype();
  const auto& args = call->args;
  if (name == "q_multiply_shift" || name == "q_multiply_shift_per_axis") return emit_multiply_shift(call);
  if (row.arity >= 0 && static_cast<int>(args.size()) != row.arity) {
    throw Error("wrong-argument-count", "`{}` takes {} arguments, not {}", row.name, row.arity, args.size())
        .at(call->span);
  }
  if (row.unary != nullptr || row.binary != nullptr || name == "fma") {
    std::vector<Text> values;
    for (const Expr& arg : args) values.push_back(emit(arg));
    if (dtype.is_integral()) {
      // Rounding an integer changes nothing; everything else is defined on floats only.
      if (name == "floor" || name == "ceil" || name == "trunc" || name == "round" || name == "nearbyint")
        return values[0];
      if (name == "fabs") return called(m_.prelude("mlc_abs_$", dtype), values);
      throw Error("codegen-unsupported", "`{}` is not defined on {}", row.name, dtype.str()).at(call->span);
    }
    if (name == "nextafter" && dtype.bits() < 32)
      refuse(fmt::format("`{}` of {}", row.name, dtype.str()), call->span);
    if (!is_soft_float(dtype)) return math(row, values, dtype, call->span);
    for (size_t i = 0; i < values.size(); ++i) {
      DataType from = args[static_cast<int64_t>(i)]->dtype();
      if (is_soft_float(from)) values[i] = to_float(values[i], from);
    }
    return from_float(math(row, values, DataType::Float(32), call->span), dtype);
  }
  if (name == "if_then_else") return choose(args[0], args[1], args[2], dtype);
  if (name == "likely" || name == "tvm_thread_invariant" || name == "ignore_loop_partition")
    return emit(args[0]);
  if (name == "check_index") return emit_check_index(call);
  if (name == "get_active_lane_mask") {
    if (args[0]->dtype() != args[1]->dtype() || !args[0]->dtype().is_integral())
      throw Error("codegen-unsupported", "`{}` takes two integers of one type", "T.get_active_lane_mask")
          .at(call->span);
    // base + lane < limit, of signed numbers; the sum may not fit their type
    Text base = emit(args[0]);
    Text limit = emit(args[1]);
    if (args[0]->dtype().bits() > 32 && !ir::is_const_int(args[0], 0)) {
      std::string first = base.at_least(kUnary), end = limit.at_least(kUnary);
      return {fmt::format("{0} < {1} && {2} < (uint64_t){1} - (uint64_t){0}", first, end, lane_), kAnd};
    }
    if (!ir::is_const_int(args[0], 0)) base = {fmt::format("(int64_t){}", base.at_least(kUnary)), kUnary};
    return {fmt::format("{} + {} < {}", base.at_least(kSum), lane_, limit.at_least(kShift)), kRelational};
  }
  if (name == "masked_load") {
    auto* buffer = args.empty() ? nullptr : ir::as<VarNode>(args[0]);
    auto count = static_cast<int64_t>(args.size());
    if (buffer == nullptr || buffer->buffer() == nullptr || count < 3)
      refuse("a masked access without buffer, index and mask", call->span);
    ir::Array<Expr> indices;
    for (int64_t i = 1; i + 1 < count; ++i) indices.push_back(args[i]);
    int lanes = indices[static_cast<int64_t>(indices.size()) - 1]->dtype().lanes();
    if (lanes != dtype.lanes() || lanes != args[count - 1]->dtype().lanes() || lanes == 1) {
      throw Error("codegen-unsupported",
                  "a masked access of {} lanes at an index of {} with a mask of {} cannot be compiled",
                  dtype.lanes(), lanes, args[count - 1]->dtype().lanes())
          .at(call->span);
    }
    std::string mask = emit(args[count - 1]).at_least(kOr);
    std::string zero = dtype.is_floating() && !is_soft_float(dtype) ? "0.0f"
                       : dtype.is_bool()                            ? "false"
                                                                    : "0";
    return {fmt::format("{} ? {} : {}", mask, element(ir::ref(buffer), indices, lanes, call->span), zero),
            kTernary};
  }
  if (name == "masked_store") {
    emit_masked_store(call);
    return {""};
  }
  if (name == "vscale") refuse("`T.vscale()`", call->span, "C has no vectors whose size the machine decides");
  if (name == "atomic_add") return emit_atomic_add(call);
  using ir::ExprKind;
  for (auto [operator_name, kind] :
       {std::pair<std::string_view, ExprKind>{"bitwise_and", ExprKind::kBitwiseAnd},
        {"bitwise_or", ExprKind::kBitwiseOr},
        {"bitwise_xor", ExprKind::kBitwiseXor},
        {"shift_left", ExprKind::kLShift},
        {"shift_right", ExprKind::kRShift}}) {
    if (name != operator_name) continue;
    Text a = emit(args[0]);
    return arithmetic(kind, a, emit(args[1]), dtype, nullptr);
  }
  if (name == "bitwise_not") return emit(Expr(ir::make<ir::BitwiseNotNode>(args[0])));
  if (const ir::ScalarOp* scalar = ir::scalar_op(row.name); scalar != nullptr && scalar->test != nullptr) {
    DataType from = args[0]->dtype();
    Text value = emit(args[0]);
    if (is_soft_float(from)) value = to_float(value, from);
    if (!from.is_floating()) return {"false"};
    return {fmt::format("{}({})", scalar->libm, value.text)};
  }
  if (name == "popcount") {
    DataType from = args[0]->dtype();
    Text bits{fmt::format("__builtin_popcountll((uint{}_t){})", from.bits(), emit(args[0]).at_least(kUnary))};
    return emit_cast(bits, DataType::Int(32, dtype.lanes()), dtype, call->span);
  }
  if (name == "clz") {
    DataType from = args[0]->dtype();
    Text zeros{fmt::format("{}({}, {})", m_.prelude("mlc_clz"),
                           fmt::format("(uint{}_t){}", from.bits(), emit(args[0]).at_least(kUnary)),
                           from.bits())};
    return emit_cast(zeros, DataType::Int(32, dtype.lanes()), dtype, call->span);
  }
  if (name == "reinterpret") return emit_reinterpret(call);
  if (name == "large_uint_imm") {
    auto low = ir::const_int(args[0]);
    auto high = ir::const_int(args[1]);
    if (!low || !high) refuse("large_uint_imm of computed words", call->span);
    uint64_t value = static_cast<uint64_t>(*high) << 32U | (static_cast<uint64_t>(*low) & 0xffffffffU);
    return emit_constant(dtype, static_cast<int64_t>(value));
  }
  if (name == "undef") return {dtype.is_handle() ? "NULL" : dtype.is_bool() ? "false" : "0"};
  if (name == "isnullptr") return {fmt::format("{} == NULL", emit(args[0]).at_least(kShift)), kEquality};
  if (name == "assume") return {"true"};
  if (name == "buffer_data") return {"(void*)" + binding(ir::as<VarNode>(args[0]), call->span).name, kUnary};
  if (name == "address_of" || name == "tvm_access_ptr") return emit_address(call);
  if (name == "handle_add_byte_offset" || name == "ptr_byte_offset") {
    Text base = emit(args[0]);
    return {fmt::format("(void*)((char*){} + {})", base.at_least(kUnary), index(args[1])), kUnary};
  }
  if (name == "call_extern" || name == "call_pure_extern") return emit_extern(call);
  if (name == "ret" || name == "thread_return") {
    emit_return(name == "ret" ? args[0] : Expr(nullptr), call->span);
    return {""};
  }
  if (name == "break_loop" || name == "continue_loop") {
    leave_loop(name == "break_loop" ? "break" : "continue", call->span);
    return {""};
  }
  if (name == "prefetch") {
    return {fmt::format("__builtin_prefetch({}, {}, {})", emit(args[0]).text, emit(args[1]).text,
                        emit(args[2]).text)};
  }
  auto lanes_of = [&](const Expr& vector, int first) {
    if (lane_number_ >= 0) return at_lane(vector, lane_number_ + first);
    std::string before = lane_;
    if (first != 0) lane_ = fmt::format("({} + {})", lane_, first);
    Text made = emit(vector);
    lane_ = before;
    return made;
  };
  if (name == "vectorlow" || name == "vectorhigh")
    return lanes_of(args[0], name == "vectorlow" ? 0 : dtype.lanes());
  if (name == "vectorcombine") {
    int low = args[0]->dtype().lanes();
    return lane_number_ < low ? lanes_of(args[0], 0) : lanes_of(args[1], -low);
  }
  if (name == "tvm_call_packed" || name == "tvm_call_cpacked" || name == "tvm_call_trace_packed")
    refuse("`call_packed`", call->span,
           "C programs do not have tvm-ffi's table of functions; use `T.call_extern`");
  if (name == "call_llvm_intrin" || name == "call_llvm_pure_intrin") {
    auto* intrinsic = args.empty() ? nullptr : ir::as<ir::StringImmNode>(args[0]);
    refuse(fmt::format("LLVM's intrinsic `{}`", intrinsic != nullptr ? view(intrinsic->value) : "?"),
           call->span, "compile for the target `llvm`");
  }
  refuse(fmt::format("`{}`", row.name), call->span);
}

Text FunctionEmitter::math(const ir::OpRow& row, const std::vector<Text>& args, DataType dtype,
                           ir::Span span) {
  std::string_view name = row.name.substr(row.name.find('.') + 1);
  std::string suffix = dtype.bits() == 32 ? "f" : "";
  value_type(dtype, span);
  if (name == "rsqrt") return {fmt::format("1.0{} / sqrt{}({})", suffix, suffix, args[0].text), kProduct};
  if (name == "sigmoid") return called(m_.prelude("mlc_sigmoid_$", dtype), args);
  if (name == "exp10") return {fmt::format("pow{}(10.0{}, {})", suffix, suffix, args[0].text)};
  // C23's roundeven, where rounding is to the nearest, which is how every C program begins.
  if (name == "round") return called("nearbyint" + suffix, args);
  if (name == "ldexp")
    return {fmt::format("ldexp{}({}, (int){})", suffix, args[0].text, args[1].at_least(kUnary))};
  if (row.libm.empty()) refuse(fmt::format("`{}` on {}", row.name, dtype.str()), span);
  return called(std::string(row.libm) + suffix, args);
}

// Has the mask any lane? In a loop over lanes: has it this one?
Text FunctionEmitter::emit_any(const Expr& mask) {
  if (!mask->dtype().is_vector() || !lane_.empty()) return emit(mask);
  std::string any = fresh("any");
  line(fmt::format("bool {} = false;", any));
  auto hoisted = std::exchange(hoisted_, {});  // of the loop that this is written before
  for_lanes(mask->dtype().lanes(), {mask},
            [&] { line(fmt::format("{0} = {0} || ({1});", any, emit(mask).text)); });
  hoisted_ = std::move(hoisted);
  return {any};
}

// The index, if 0 <= index < extent, where the mask has the lane; else the function ends with an IndexError.
Text FunctionEmitter::emit_check_index(const ir::CallNode* call) {
  auto* what = call->args.size() < 3 ? nullptr : ir::as<ir::StringImmNode>(call->args[2]);
  if (what == nullptr) refuse("`check_index` without a text", call->span);
  DataType dtype = call->args[0]->dtype();
  std::string at = keep(emit(call->args[0]), dtype, "checked", call->span);
  Text extent = emit(call->args[1]);
  std::string outside = fmt::format("{} >= {}", at, extent.at_least(kShift));
  if (dtype.is_int()) outside = fmt::format("{} < 0 || {}", at, outside);
  if (call->args.size() == 4)
    outside = fmt::format("{} && ({})", emit_any(call->args[3]).at_least(kEquality), outside);
  Block block(*this, fmt::format("if ({})", outside));
  fail("IndexError", fmt::format("{}, {}, (long long){}, (long long){}",
                                 c_string("%s: index %lld is outside of extent %lld"),
                                 c_string(view(what->value)), at, extent.at_least(kUnary)));
  return {at};
}

Text FunctionEmitter::emit_reinterpret(const ir::CallNode* call) {
  DataType to = call->dtype();
  DataType from = call->args[0]->dtype();
  Text value = emit(call->args[0]);
  if (to == from) return value;
  std::string type = value_type(to, call->span);
  if (from.is_handle() || to.is_handle()) return emit_cast(value, from, to, call->span);
  if (from.is_bool() || to.is_bool()) refuse("reinterpret of bool", call->span);
  if (from.lanes() != to.lanes() || from.bits() != to.bits())
    refuse(fmt::format("reinterpret of {} as {}", from.str(), to.str()), call->span,
           "only types of the same size and number of lanes");
  bool patterns = !(from.is_float() && !is_soft_float(from)) && !(to.is_float() && !is_soft_float(to));
  if (patterns) return {fmt::format("({}){}", type, value.at_least(kUnary)), kUnary};
  bool of_float = from.is_float();
  DataType number = of_float ? from : to;
  std::string bits = fmt::format("uint{}_t", number.bits());
  if (of_float) {
    Text made{fmt::format("{}({})", m_.prelude("mlc_bits_of_$", number), value.text)};
    return to.is_uint() ? made : Text{fmt::format("({}){}", type, made.text), kUnary};
  }
  return {fmt::format("{}(({}){})", m_.prelude("mlc_of_bits_$", number), bits, value.at_least(kUnary))};
}

Text FunctionEmitter::emit_address(const ir::CallNode* call) {
  const auto& args = call->args;
  if (ir::as_call_to(ir::ref(call), "tirx.address_of") != nullptr) {
    auto* load = ir::as<ir::TensorLoadNode>(args[0]);
    if (load == nullptr) {
      auto* buffer = ir::as<VarNode>(args[0]);
      if (buffer == nullptr) refuse("the address of a value", call->span);
      return {"(void*)" + binding(buffer, call->span).name, kUnary};
    }
    // Of a vector, the first lane; the others must follow it.
    Expr flat = backend::flat_index(load->source, load->indices);
    auto* ramp = ir::as<ir::RampNode>(flat);
    if (flat->dtype().is_vector() && (ramp == nullptr || !ir::is_const_int(ramp->stride, 1)))
      refuse("the address of lanes that are not consecutive", call->span);
    std::string before = lane_;
    int number = lane_number_;
    lane_ = "0", lane_number_ = 0;
    std::string first = element(load->source, load->indices, 1, call->span);
    lane_ = before, lane_number_ = number;
    return {"(void*)&" + first, kUnary};
  }
  // tvm_access_ptr(type, data, offset, extent, mode): data + offset elements
  DataType element = args[0]->dtype();
  if (auto* annotation = ir::as<ir::CallNode>(args[0])) element = annotation->dtype();
  if (element.is_void() || element.is_handle()) {
    auto* buffer = ir::as<VarNode>(args[1]);
    if (buffer == nullptr || buffer->buffer() == nullptr)
      refuse("tvm_access_ptr without an element type", call->span);
    element = buffer->buffer()->dtype;
  }
  std::string data = emit(args[1]).at_least(kUnary);
  bool before = in_index_;
  in_index_ = true;
  // Bytes may be more than 32 bits count where elements are not.
  bool widened = args[2]->dtype().bits() < 64 && !ir::const_int(args[2]);
  std::string offset = (widened ? "(int64_t)" : "") + emit(args[2]).at_least(widened ? kUnary : kProduct);
  in_index_ = before;
  return {fmt::format("(void*)((char*){} + {} * {})", data, offset, element.bytes() * element.lanes()),
          kUnary};
}

Text FunctionEmitter::emit_function_call(const ir::CallNode* call, const ir::GlobalVarNode* callee) {
  const Function* called = m_.find(callee);
  if (called == nullptr) {
    throw Error("no-such-function", "the module has no function `{}`", callee->name_hint.c_str())
        .at(call->span);
  }
  const auto& params = called->c.fn->params;
  if (call->args.size() != params.size()) {
    throw Error("wrong-argument-count", "`{}` takes {} arguments, not {}", called->c.symbol, params.size(),
                call->args.size())
        .at(call->span);
  }
  std::string args;
  for (size_t i = 0; i < params.size(); ++i) {
    const Expr& given = call->args[static_cast<int64_t>(i)];
    const Var& param = params[static_cast<int64_t>(i)];
    if (!args.empty()) args += ", ";
    if (param->buffer() == nullptr) {
      args += emit_cast(emit(given), given->dtype(), param->dtype(), given->span).text;
      continue;
    }
    if (!given->dtype().is_handle()) {
      throw Error("type-mismatch", "argument {} of `{}` must be a buffer", i, called->c.symbol)
          .at(given->span)
          .kind("TypeError");
    }
    args += fmt::format("({}){}", called->c.parameters[i].type, emit(given).at_least(kUnary));
  }
  for (const Expr& extent : backend::shape_arguments(called->c.fn, call))
    args += (args.empty() ? "" : ", ") + emit(extent).text;
  std::string result;
  if (!called->result.is_void()) {
    result = fresh("result");
    line(fmt::format("{} {} = 0;", value_type(called->result, call->span), result));
    args += (args.empty() ? "&" : ", &") + result;
  }
  std::string status = fresh("status");
  line(fmt::format("const int {} = {}({});", status, called->c.name, args));
  Block block(*this, fmt::format("if ({} != 0)", status));
  leave(fmt::format("return {};", status), 0);
  return {result};
}

Text FunctionEmitter::emit_extern(const ir::CallNode* call) {
  auto* name = ir::as<ir::StringImmNode>(call->args[0]);
  if (name == nullptr) refuse("call_extern of a computed name", call->span);
  if (call->dtype().is_vector()) refuse("call_extern with vectors", call->span);
  std::string args;
  std::vector<std::string> types;
  for (size_t i = 1; i < call->args.size(); ++i) {
    const Expr& arg = call->args[static_cast<int64_t>(i)];
    if (arg->dtype().is_vector()) refuse("call_extern with vectors", call->span);
    args += (i == 1 ? "" : ", ") + emit(arg).text;
    types.push_back(value_type(arg->dtype(), arg->span));
  }
  DataType dtype = call->dtype();
  std::string result = dtype.is_void() ? "void" : value_type(dtype, call->span);
  std::string text =
      fmt::format("{}({})", m_.outside(std::string(view(name->value)), result, types, call->span), args);
  if (dtype.is_void()) {
    line(text + ";");
    return {""};
  }
  if (ir::side_effect(ir::ref(call)) <= ir::Effect::kReadState) return {text};
  // In its place among other effects.
  std::string kept = keep({text}, dtype, "value", call->span);
  line(fmt::format("(void){};", kept));
  return {kept};
}

// atomic_add(pointer, value): what was there before. Nothing else is ordered by it.
Text FunctionEmitter::emit_atomic_add(const ir::CallNode* call) {
  DataType dtype = call->args.size() == 2 ? call->args[1]->dtype() : DataType::Void();
  bool integer = (dtype.is_int() || dtype.is_uint()) && dtype.is_scalar();
  bool real = dtype.is_float() && dtype.is_scalar() && dtype.bits() >= 32;
  if (!integer && !real) {
    throw Error("codegen-unsupported", "`tirx.atomic_add` of {} cannot be compiled",
                call->args.size() == 2 ? dtype.str() : fmt::format("{} arguments", call->args.size()))
        .at(call->span)
        .help("it takes a pointer and an integer, a float32 or a float64");
  }
  Text pointer = emit(call->args[0]);
  Text value = emit(call->args[1]);
  std::string type = value_type(dtype, call->span);
  Text made;
  if (integer) {
    made = {fmt::format("__atomic_fetch_add(({}*){}, {}, __ATOMIC_RELAXED)", type, pointer.at_least(kUnary),
                        value.text)};
  } else {
    made = {fmt::format("{}({}, {})", m_.prelude("mlc_atomic_add_$", dtype), pointer.text, value.text)};
  }
  std::string kept = keep(made, dtype, "before", call->span);
  line(fmt::format("(void){};", kept));
  return {kept};
}

// q_multiply_shift(x, y, q, s): x * y * 2**(s - q), rounded, in 64 bits on the way. Per axis the shift to the
// left and that to the right are said, and whether there is one to the left: (x, y, ls, rs, q, left, right).
Text FunctionEmitter::emit_multiply_shift(const ir::CallNode* call) {
  const auto& args = call->args;
  if (args.size() != 4 && args.size() != 7)
    throw Error("wrong-argument-count", "`q_multiply_shift` takes 4 arguments, per axis 7, not {}",
                args.size())
        .at(call->span);
  std::vector<Text> values;
  for (const Expr& arg : args) values.push_back(emit(arg));
  DataType wide = DataType::Int(64, call->dtype().lanes());
  if (args.size() == 4)
    return emit_cast(called(m_.prelude("mlc_multiply_shift"), values), wide, call->dtype(), call->span);
  std::vector<Text> given{values[0],
                          values[1],
                          {fmt::format("{} ? {} : 0", values[5].at_least(kOr), values[2].at_least(kOr))},
                          {fmt::format("{} + {}", values[3].at_least(kSum), values[4].at_least(kSum))}};
  return emit_cast(called(m_.prelude("mlc_multiply_shifts"), given), wide, call->dtype(), call->span);
}

}  // namespace mlc::c_backend
