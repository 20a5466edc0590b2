// SPDX-License-Identifier: Apache-2.0
// Calls: operators that all languages have, functions of the module and of the language.
#include <utility>

#include "backend/artefact/extents.h"
#include "backend/gpu/emitter.h"
#include "ir/core/error.h"
#include "ir/tir/scalar_op.h"

namespace mlc::gpu_backend {

using c_backend::casted;
using c_backend::infix;
using c_backend::kEquality;
using c_backend::kShift;
using c_backend::kSum;
using c_backend::kUnary;
using ir::Error;
using ir::ExprKind;
using ir::view;

std::string KernelEmitter::text_argument(const ir::CallNode* call, int64_t i) const {
  auto* text =
      i < static_cast<int64_t>(call->args.size()) ? ir::as<ir::StringImmNode>(call->args[i]) : nullptr;
  auto* op = ir::as<ir::OpNode>(call->op);
  if (text == nullptr)
    throw Error("codegen-unsupported", "argument {} of `{}` must be a string", i + 1, view(op->name))
        .at(call->span);
  return std::string(view(text->value));
}

int64_t KernelEmitter::int_argument(const ir::CallNode* call, int64_t i) const {
  auto value = i < static_cast<int64_t>(call->args.size()) ? ir::const_int(call->args[i]) : std::nullopt;
  auto* op = ir::as<ir::OpNode>(call->op);
  if (!value)
    throw Error("codegen-unsupported", "argument {} of `{}` must be a constant", i + 1, view(op->name))
        .at(call->span);
  return *value;
}

Value KernelEmitter::emit_call(const ir::CallNode* call) {
  if (auto* op = ir::as<ir::OpNode>(call->op)) return emit_operator(call, ir::op_row(op));
  auto* callee = ir::as<ir::GlobalVarNode>(call->op);
  if (callee == nullptr) refuse("a call of a computed function", call->span);
  std::string name(view(callee->name_hint));
  auto found = functions_.find(name);
  if (found == functions_.end() || is_kernel(module_->lookup(name)))
    refuse(fmt::format("a call of `{}` from a kernel", name), call->span,
           "only functions of the device can be called");
  std::vector<Text> args;
  for (const Expr& arg : call->args) {
    Value value = emit(arg);
    args.push_back({whole(value, arg->span)});
  }
  return of(call->dtype(), c_backend::called(found->second, args));
}

Value KernelEmitter::emit_operator(const ir::CallNode* call, const ir::OpRow& row) {
  std::string_view name = row.name.substr(row.name.find('.') + 1);
  DataType dtype = call->dtype();
  const auto& args = call->args;
  if (std::optional<Value> made = device_call(call, name)) return std::move(*made);
  if (row.arity >= 0 && static_cast<int>(args.size()) != row.arity) {
    throw Error("wrong-argument-count", "`{}` takes {} arguments, not {}", row.name, row.arity, args.size())
        .at(call->span);
  }
  const ir::ScalarOp* scalar_row = ir::scalar_op(row.name);
  if (scalar_row != nullptr) {
    DataType from = args[0]->dtype();
    std::vector<Value> values;
    for (const Expr& arg : args) values.push_back(emit(arg));
    if (scalar_row->test != nullptr && !from.is_floating())
      return dtype.is_scalar() ? of(dtype, {"false"}) : broadcast(ir::bool_imm(false), dtype.lanes());
    if (dtype.is_integral() && scalar_row->kind == ir::ScalarOp::Kind::kRounding) return std::move(values[0]);
    return each_lane(dtype, std::move(values), [&](const std::vector<Text>& each) {
      return math(scalar_row->name, each, dtype.element(), from.element(), call->span);
    });
  }
  if (name == "if_then_else") return choose(args[0], args[1], args[2], dtype);
  if (name == "likely" || name == "tvm_thread_invariant" || name == "ignore_loop_partition")
    return emit(args[0]);
  for (auto [operator_name, kind] :
       {std::pair<std::string_view, ExprKind>{"bitwise_and", ExprKind::kBitwiseAnd},
        {"bitwise_or", ExprKind::kBitwiseOr},
        {"bitwise_xor", ExprKind::kBitwiseXor},
        {"shift_left", ExprKind::kLShift},
        {"shift_right", ExprKind::kRShift}}) {
    if (name != operator_name) continue;
    bool exact = std::exchange(in_index_, in_index_ || is_size(ir::ref(call)));
    Value a = emit(args[0]), b = emit(args[1]);
    auto shape = kind;
    Value made = each_lane(dtype, {std::move(a), std::move(b)}, [&](const std::vector<Text>& each) {
      return arithmetic(shape, each[0], each[1], dtype.element(), nullptr);
    });
    in_index_ = exact;
    return made;
  }
  if (name == "bitwise_not") return emit(Expr(ir::make<ir::BitwiseNotNode>(args[0])));
  if (name == "reinterpret") {
    DataType from = args[0]->dtype();
    Value value = emit(args[0]);
    if (from == dtype) return value;
    if (from.lanes() == dtype.lanes() && from.bits() == dtype.bits() && !from.is_bool() && !dtype.is_bool())
      return each_lane(dtype, {std::move(value)}, [&](const std::vector<Text>& each) {
        return reinterpret(each[0], from.element(), dtype.element(), call->span);
      });
    if (from.bits() * from.lanes() != dtype.bits() * dtype.lanes() || from.is_bool() || dtype.is_bool())
      refuse(fmt::format("reinterpret of {} as {}", from.str(), dtype.str()), call->span,
             "only types of the same size");
    std::string text = whole(value, call->span);
    return of(dtype, reinterpret(from.is_scalar() ? value.whole : Text{text}, from, dtype, call->span));
  }
  if (name == "large_uint_imm") {
    uint64_t value = static_cast<uint64_t>(int_argument(call, 1)) << 32U |
                     (static_cast<uint64_t>(int_argument(call, 0)) & 0xffffffffU);
    return of(dtype, int_constant(dtype, static_cast<int64_t>(value), call->span));
  }
  if (name == "undef") return of(dtype, cast({"0"}, DataType::Int(32), dtype, call->span));
  if (name == "isnullptr") {
    if (!words_.pointers) refuse("a pointer", call->span);
    return of(dtype, {fmt::format("{} == 0", scalar(args[0]).at_least(kShift)), kEquality});
  }
  if (name == "assume") return of(dtype, {""});
  if (name == "buffer_data") return of(dtype, binding(ir::as<VarNode>(args[0]), call->span).text);
  if (name == "address_of" || name == "tvm_access_ptr") return of(dtype, address(call));
  if (name == "handle_add_byte_offset" || name == "ptr_byte_offset") {
    if (!words_.pointers) refuse("a pointer", call->span);
    auto* base = ir::as<VarNode>(args[0]);
    std::string scope = base != nullptr ? binding(base, call->span).scope : "";
    std::string bytes = pointer_type(DataType::Int(8), scope, false, call->span);
    Text moved = infix(casted(bytes, scalar(args[0])), "+", {index(args[1])}, kSum, kSum);
    return of(dtype, casted(pointer_type(DataType::Void(), scope, false, call->span), moved));
  }
  if (name == "call_extern" || name == "call_pure_extern") return emit_extern(call);
  if (name == "thread_return" || name == "ret") {
    emit_return(args.empty() ? Expr(nullptr) : args[0]);
    return of(dtype, {""});
  }
  if (name == "break_loop" || name == "continue_loop") {
    line(name == "break_loop" ? "break;" : "continue;");
    return of(dtype, {""});
  }
  if (name == "tvm_storage_sync") {
    line(barrier(text_argument(call, 0), call->span));
    return of(dtype, {""});
  }
  if (name == "atomic_add") return of(dtype, atomic_add(call));
  if (name == "masked_load" || name == "masked_store") {
    bool is_load = name == "masked_load";
    auto* buffer = args.empty() ? nullptr : ir::as<VarNode>(args[0]);
    auto count = static_cast<int64_t>(args.size());
    if (buffer == nullptr || buffer->buffer() == nullptr || count < 3)
      refuse("a masked access without buffer, index and mask", call->span);
    ir::Array<Expr> indices;
    for (int64_t i = is_load ? 1 : 2; i + 1 < count; ++i) indices.push_back(args[i]);
    if (is_load) return load(ir::ref(buffer), indices, dtype, args[count - 1], call->span);
    store(ir::ref(buffer), indices, args[1], args[count - 1], call->span);
    return of(dtype, {""});
  }
  if (name == "vectorlow" || name == "vectorhigh") {
    Value value = emit(args[0]);
    std::vector<Text> all = lanes(value);
    auto first = all.begin() + (name == "vectorlow" ? 0 : dtype.lanes());
    return {dtype, {}, std::vector<Text>(first, first + dtype.lanes())};
  }
  if (name == "vectorcombine") {
    Value low = emit(args[0]), high = emit(args[1]);
    std::vector<Text> all = lanes(low);
    for (Text& one : lanes(high)) all.push_back(std::move(one));
    return {dtype, {}, std::move(all)};
  }
  if (name == "tvm_call_packed" || name == "tvm_call_cpacked")
    refuse("`call_packed`", call->span,
           "kernels do not have tvm-ffi's table of functions; use `T.call_extern`");
  refuse(fmt::format("`{}`", row.name), call->span);
}

// The function of floats that LowerIntrin has given this name: __sqrtll is what it calls sqrt of int64, which
// no language has.
static const ir::ScalarOp* float_function(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  if (name.ends_with("ll")) name.remove_suffix(2);
  const ir::ScalarOp* row = ir::scalar_op(name);
  bool of_floats =
      row != nullptr && row->kind == ir::ScalarOp::Kind::kFunction && (row->unary || row->binary);
  return of_floats ? row : nullptr;
}

// A function of the language, or of a text that `pragma_import_c` brings. Of a vector: called for each lane,
// where the function is one of numbers.
Value KernelEmitter::emit_extern(const ir::CallNode* call) {
  std::string name = function_name(text_argument(call, 0));
  DataType dtype = call->dtype();
  if (const ir::ScalarOp* row = dtype.is_integral() ? float_function(name) : nullptr)
    undefined(row->name, dtype.element(), call->span);
  std::vector<Value> args;
  bool vectors = false;
  for (size_t i = 1; i < call->args.size(); ++i) {
    const Expr& arg = call->args[static_cast<int64_t>(i)];
    if (auto* text = ir::as<ir::StringImmNode>(arg)) {
      args.push_back(of(DataType::Handle(), {fmt::format("\"{}\"", view(text->value))}));
      continue;
    }
    vectors |= arg->dtype().is_vector();
    args.push_back(emit(arg));
  }
  bool together = takes_vectors(name);
  // Where functions are overloaded, these are of their argument's type.
  bool counts = (name == "clz" || name == "popcount") && args.size() == 1 && args[0].dtype != dtype;
  auto called = [&](const std::vector<Text>& texts) {
    Text made = c_backend::called(name, texts);
    return counts ? converted(type(dtype.element(), call->span), made) : made;
  };
  if (vectors && dtype.is_vector() && !together) {
    return each_lane(dtype, std::move(args), [&](const std::vector<Text>& each) { return called(each); });
  }
  std::vector<Text> texts;
  for (Value& arg : args) texts.push_back({whole(arg, call->span)});
  return of(dtype, called(texts));
}

namespace {

// The driver's descriptor of a tensor, which kernels have by value.
bool is_tensor_map(const ir::Type& type) {
  const ir::TypeNode* node = type.get();
  if (node->kind == ir::TypeKind::kPointer)
    node = static_cast<const ir::PointerTypeNode*>(node)->element_type.get();
  return node->kind == ir::TypeKind::kTensorMap;
}

}  // namespace

Text KernelEmitter::address(const ir::CallNode* call) {
  const auto& args = call->args;
  if (!words_.pointers) refuse("the address of memory", call->span);
  if (ir::as_call_to(ir::ref(call), "tirx.address_of") != nullptr) {
    auto* load = ir::as<ir::TensorLoadNode>(args[0]);
    if (load == nullptr) {
      auto* buffer = ir::as<VarNode>(args[0]);
      if (buffer != nullptr && is_tensor_map(buffer->ty)) {  // a number, as instructions take it
        Text place{"&" + binding(buffer, call->span).text.text, kUnary};
        return casted(type(DataType::UInt(64), call->span), place);
      }
      if (buffer == nullptr || buffer->buffer() == nullptr) refuse("the address of a value", call->span);
      return pointer(buffer, call->span);
    }
    Expr flat = backend::flat_index(load->source, load->indices);
    if (auto* ramp = ir::as<ir::RampNode>(flat)) flat = ramp->base;  // of its first element
    return {"&" + element(load->source.get(), index(flat), call->span), kUnary};
  }
  // tvm_access_ptr(type, data, offset, extent, mask)
  DataType dtype = args[0]->dtype();
  auto* data = ir::as<VarNode>(args[1]);
  if (auto* inner = ir::as_call_to(args[1], "tirx.buffer_data")) data = ir::as<VarNode>(inner->args[0]);
  if (data == nullptr) refuse("`tvm_access_ptr` of a computed pointer", call->span);
  const Binding& memory = binding(data, call->span);
  Text base = memory.element == dtype || dtype.is_handle() || dtype.is_void()
                  ? memory.text
                  : casted(pointer_type(dtype, memory.scope, memory.is_const, call->span), memory.text);
  if (ir::is_const_int(args[2], 0)) return base;
  return {fmt::format("{} + {}", base.at_least(kSum), index(args[2])), kSum};
}

Text KernelEmitter::atomic_add(const ir::CallNode* call) { refuse("`T.atomic_add`", call->span); }

}  // namespace mlc::gpu_backend
