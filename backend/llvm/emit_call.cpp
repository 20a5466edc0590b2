// SPDX-License-Identifier: Apache-2.0
// Calls: operators of ir/tir/op.h, functions of the module, functions from outside.
#include "backend/artefact/c_interface.h"
#include "backend/llvm/emitter.h"
#include "ir/tir/scalar_op.h"
#include "ir/tir/tensor_map.h"

namespace mlc::llvm_backend {

using ir::Error;

namespace {

std::string_view text_of(const ir::String& text) { return {text.data(), text.size()}; }

[[noreturn]] void refuse(std::string_view what, ir::Span span) {
  throw Error("codegen-unsupported", "{} cannot be compiled", what).at(span);
}

}  // namespace

llvm::Value* FunctionEmitter::emit_call(const ir::CallNode* call) {
  if (auto* op = ir::as<ir::OpNode>(call->op)) return emit_operator(call, ir::op_row(op));
  if (auto* callee = ir::as<ir::GlobalVarNode>(call->op)) return emit_function_call(call, callee);
  refuse("a call of a computed function", call->span);
}

llvm::Value* FunctionEmitter::emit_operator(const ir::CallNode* call, const ir::OpRow& row) {
  std::string_view name = row.name.substr(row.name.find('.') + 1);
  DataType dtype = call->dtype();
  const auto& args = call->args;
  if (name == "q_multiply_shift" || name == "q_multiply_shift_per_axis") return emit_multiply_shift(call);
  if (row.arity >= 0 && static_cast<int>(args.size()) != row.arity) {
    throw Error("wrong-argument-count", "`{}` takes {} arguments, not {}", row.name, row.arity, args.size())
        .at(call->span);
  }
  if (row.unary != nullptr || row.binary != nullptr || name == "fma") {
    std::vector<llvm::Value*> values;
    for (const Expr& arg : args) values.push_back(emit(arg));
    if (dtype.is_integral()) {
      // Rounding an integer changes nothing; everything else is defined on floats only.
      if (name == "floor" || name == "ceil" || name == "trunc" || name == "round" || name == "nearbyint")
        return values[0];
      if (name == "fabs") return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, values[0], b.getFalse());
      throw Error("codegen-unsupported", "`{}` is not defined on {}", row.name, dtype.str()).at(call->span);
    }
    if (name == "nextafter" && dtype.bits() < 32)
      refuse(fmt::format("`{}` of {}", row.name, dtype.str()), call->span);
    if (!m_.is_soft_float(dtype)) return math(row, values, dtype, call->span);
    for (size_t i = 0; i < values.size(); ++i) {
      DataType from = args[static_cast<int64_t>(i)]->dtype();
      if (m_.is_soft_float(from)) values[i] = soft_to_float(values[i], from);
    }
    return float_to_soft(math(row, values, DataType::Float(32, dtype.lanes()), call->span), dtype);
  }
  if (name == "if_then_else") return emit_if_then_else(call);
  if (name == "likely" || name == "tvm_thread_invariant" || name == "ignore_loop_partition")
    return emit(args[0]);
  if (name == "check_index") return emit_check_index(call);
  if (name == "get_active_lane_mask") return emit_lane_mask(call);
  if (name == "masked_load") return emit_masked_load(call);
  if (name == "masked_store") {
    emit_masked_store(call);
    return b.getInt32(0);
  }
  if (name == "vscale") return emit_vscale(call);
  if (name == "atomic_add") return emit_atomic_add(call);
  if (name == "bitwise_and") return b.CreateAnd(emit(args[0]), emit(args[1]));
  if (name == "bitwise_or") return b.CreateOr(emit(args[0]), emit(args[1]));
  if (name == "bitwise_xor") return b.CreateXor(emit(args[0]), emit(args[1]));
  if (name == "bitwise_not") return b.CreateNot(emit(args[0]));
  if (name == "shift_left") return b.CreateShl(emit(args[0]), emit(args[1]));
  if (name == "shift_right") {
    llvm::Value* value = emit(args[0]);
    return dtype.is_int() ? b.CreateAShr(value, emit(args[1])) : b.CreateLShr(value, emit(args[1]));
  }
  if (const ir::ScalarOp* scalar = ir::scalar_op(row.name); scalar != nullptr && scalar->test != nullptr) {
    DataType from = args[0]->dtype();
    llvm::Value* value = emit(args[0]);
    if (m_.is_soft_float(from)) value = soft_to_float(value, from);
    if (!from.is_floating()) return llvm::Constant::getNullValue(m_.register_type(dtype));
    // A comparison says the same, and is what the vectoriser looks for.
    if (scalar->fp_class == llvm::fcNan) return b.CreateFCmpUNO(value, value);
    return b.createIsFPClass(value, scalar->fp_class);
  }
  if (name == "popcount")
    return emit_cast(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, emit(args[0])), args[0]->dtype(), dtype,
                     call->span);
  if (name == "clz")
    return emit_cast(b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, emit(args[0]), b.getFalse()),
                     args[0]->dtype(), dtype, call->span);
  if (name == "reinterpret") {
    llvm::Value* value = emit(args[0]);
    llvm::Type* type = m_.register_type(dtype, call->span);
    if (value->getType() == type) return value;
    if (value->getType()->isPointerTy()) return b.CreatePtrToInt(value, type);
    if (type->isPointerTy()) return b.CreateIntToPtr(value, type);
    if (args[0]->dtype().is_bool() || dtype.is_bool()) refuse("reinterpret of bool", call->span);
    return b.CreateBitCast(value, type);
  }
  if (name == "large_uint_imm") {
    auto low = ir::const_int(args[0]);
    auto high = ir::const_int(args[1]);
    if (!low || !high) refuse("large_uint_imm of computed words", call->span);
    uint64_t value = static_cast<uint64_t>(*high) << 32U | (static_cast<uint64_t>(*low) & 0xffffffffU);
    return llvm::ConstantInt::get(m_.register_type(dtype, call->span), value);
  }
  if (name == "undef") return llvm::UndefValue::get(m_.register_type(dtype, call->span));
  if (name == "isnullptr") return b.CreateIsNull(emit(args[0]));
  if (name == "assume") {
    llvm::Value* condition = emit(args[0]);
    if (condition->getType()->isIntegerTy(1)) b.CreateAssumption(condition);
    return b.getTrue();
  }
  if (name == "buffer_data") return binding(ir::as<VarNode>(args[0]), call->span).value;
  if (name == "address_of") {
    auto* place = ir::as<ir::TensorLoadNode>(args[0]);
    if (place == nullptr) {
      if (auto* buffer = ir::as<VarNode>(args[0])) return binding(buffer, call->span).value;
      refuse("the address of a value", call->span);
    }
    Address at = address(place->source, place->indices, call->span);
    if (at.lanes != nullptr) refuse("the address of lanes that are not consecutive", call->span);
    return at.pointer;
  }
  if (name == "tvm_access_ptr") return emit_access_pointer(call);
  if (name == "handle_add_byte_offset" || name == "ptr_byte_offset") {
    return b.CreateGEP(b.getInt8Ty(), emit(args[0]), index_value(args[1]));
  }
  if (name == "call_extern" || name == "call_pure_extern") return emit_extern(call);
  if (name == "tvm_call_packed" || name == "tvm_call_cpacked" || name == "tvm_call_trace_packed")
    return emit_packed(call, name == "tvm_call_cpacked");
  if (name == "tensormap_encode_tiled") return emit_packed(ir::tensor_map_call(*call).get(), false);
  if (name == "call_ffi_kernel") {
    emit_launch(call);
    return b.getInt32(0);
  }
  if (name == "anylist_setitem_call_packed" || name == "anylist_setitem_call_cpacked")
    return emit_packed_into_list(call, name == "anylist_setitem_call_cpacked");
  if (name == "tvm_struct_get") return emit_struct_get(call);
  if (name == "tvm_struct_set") return emit_struct_set(call);
  if (name == "tvm_stack_alloca") return emit_stack_room(call);
  if (name == "call_llvm_intrin" || name == "call_llvm_pure_intrin") return emit_llvm_intrinsic(call);
  if (name == "ret") {
    emit_return(args[0], call->span);
    return llvm::PoisonValue::get(b.getInt32Ty());
  }
  if (name == "thread_return") {
    emit_return(Expr(nullptr), call->span);
    return llvm::PoisonValue::get(b.getInt32Ty());
  }
  if (name == "break_loop" || name == "continue_loop") {
    if (name == "break_loop")
      emit(Stmt(ir::make<ir::BreakNode>(call->span)));
    else
      emit(Stmt(ir::make<ir::ContinueNode>(call->span)));
    return llvm::PoisonValue::get(b.getInt32Ty());
  }
  if (name == "prefetch") {
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                      {emit(args[0]), emit(args[1]), emit(args[2]), emit(args[3])});
    return b.getInt32(0);
  }
  if (name.starts_with("vector") && args[0]->dtype().is_scalable())
    refuse(fmt::format("`{}` of a scalable vector", row.name), call->span);
  if (name == "vectorlow" || name == "vectorhigh") {
    llvm::Value* vector = emit(args[0]);
    int lanes = dtype.lanes();
    std::vector<int> mask(static_cast<size_t>(lanes));
    for (int i = 0; i < lanes; ++i) mask[static_cast<size_t>(i)] = name == "vectorlow" ? i : lanes + i;
    return b.CreateShuffleVector(vector, mask);
  }
  if (name == "vectorcombine") {
    llvm::Value* low = emit(args[0]);
    std::vector<int> mask(static_cast<size_t>(dtype.lanes()));
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<int>(i);
    return b.CreateShuffleVector(low, emit(args[1]), mask);
  }
  throw Error("codegen-unsupported", "`{}` cannot be compiled for the CPU", row.name).at(call->span);
}

// The index, if 0 <= index < extent for every lane that the mask has; else the function ends with an
// IndexError that has the numbers of the first one.
llvm::Value* FunctionEmitter::emit_check_index(const ir::CallNode* call) {
  auto* what = call->args.size() < 3 ? nullptr : ir::as<ir::StringImmNode>(call->args[2]);
  if (what == nullptr) refuse("`check_index` without a text", call->span);
  DataType dtype = call->args[0]->dtype();
  llvm::Value* index = emit(call->args[0]);
  llvm::Value* extent = emit_cast(emit(call->args[1]), call->args[1]->dtype(), dtype.element(), call->span);
  llvm::Value* extents = extent;
  auto* vector = llvm::dyn_cast<llvm::VectorType>(index->getType());
  if (vector != nullptr) extents = b.CreateVectorSplat(vector->getElementCount(), extent);
  llvm::Value* inside =
      b.CreateICmp(dtype.is_int() ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT, index, extents);
  if (dtype.is_int())
    inside = b.CreateAnd(inside, b.CreateICmpSGE(index, llvm::Constant::getNullValue(index->getType())));
  if (call->args.size() == 4) {
    llvm::Value* mask = emit(call->args[3]);
    if (vector == nullptr) mask = b.CreateOrReduce(mask);
    inside = b.CreateOr(inside, b.CreateNot(mask));
  }
  llvm::Value* all = vector == nullptr ? inside : b.CreateAndReduce(inside);
  fail_unless(all, [&] {
    llvm::Value* wrong = index;
    if (vector != nullptr) {
      llvm::Value* lane =
          b.CreateIntrinsic(llvm::Intrinsic::experimental_cttz_elts, {b.getInt32Ty(), inside->getType()},
                            {b.CreateNot(inside), b.getTrue()});
      wrong = b.CreateExtractElement(index, lane);
    }
    auto wide = [&](llvm::Value* value) { return b.CreateIntCast(value, b.getInt64Ty(), dtype.is_int()); };
    return b.CreateCall(m_.raise_function(),
                        {m_.text("IndexError"), m_.text("%s: index %lld is outside of extent %lld"),
                         m_.text(text_of(what->value)), wide(wrong), wide(extent)});
  });
  return index;
}

// Scalars choose between two paths, so that the other is never evaluated. Vectors evaluate both, which is
// only the same when neither can do harm.
llvm::Value* FunctionEmitter::emit_if_then_else(const ir::CallNode* call) {
  const Expr& condition = call->args[0];
  if (condition->dtype().is_vector()) {
    if (ir::side_effect(call->args[1]) > ir::Effect::kPure ||
        ir::side_effect(call->args[2]) > ir::Effect::kPure) {
      refuse("if_then_else with a vector condition over memory accesses", call->span);
    }
    llvm::Value* chosen = emit(condition);
    llvm::Value* yes = emit(call->args[1]);
    return b.CreateSelect(chosen, yes, emit(call->args[2]));
  }
  auto* then_block = llvm::BasicBlock::Create(m_.context, "then", function_, end_);
  auto* else_block = llvm::BasicBlock::Create(m_.context, "else", function_, end_);
  auto* join = llvm::BasicBlock::Create(m_.context, "join", function_, end_);
  b.CreateCondBr(emit(condition), then_block, else_block);
  b.SetInsertPoint(then_block);
  llvm::Value* yes = emit(call->args[1]);
  llvm::BasicBlock* then_end = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(else_block);
  llvm::Value* no = emit(call->args[2]);
  llvm::BasicBlock* else_end = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join);
  llvm::PHINode* phi = b.CreatePHI(yes->getType(), 2);
  phi->addIncoming(yes, then_end);
  phi->addIncoming(no, else_end);
  return phi;
}

llvm::Value* FunctionEmitter::emit_function_call(const ir::CallNode* call, const ir::GlobalVarNode* callee) {
  const Signature* signature = m_.find(callee);
  if (signature == nullptr) {
    throw Error("no-such-function", "the module has no function `{}`", callee->name_hint.c_str())
        .at(call->span);
  }
  if (call->args.size() != signature->params.size()) {
    throw Error("wrong-argument-count", "`{}` takes {} arguments, not {}", signature->name,
                signature->params.size(), call->args.size())
        .at(call->span);
  }
  std::vector<llvm::Value*> args;
  for (size_t i = 0; i < signature->params.size(); ++i) {
    const Expr& given = call->args[static_cast<int64_t>(i)];
    const Var& param = signature->params[i];
    llvm::Value* value = emit(given);
    if (param->buffer() == nullptr) value = emit_cast(value, given->dtype(), param->dtype(), given->span);
    if (param->buffer() != nullptr && !value->getType()->isPointerTy()) {
      throw Error("type-mismatch", "argument {} of `{}` must be a buffer", i, signature->name)
          .at(given->span)
          .kind("TypeError");
    }
    args.push_back(value);
  }
  for (const Expr& extent : backend::shape_arguments(signature->fn, call)) args.push_back(emit(extent));
  if (signature->device != kDLCPU) args.push_back(device_id_ != nullptr ? device_id_ : b.getInt32(0));
  llvm::AllocaInst* result = nullptr;
  if (!signature->result.is_void()) {
    result = stack_slot(m_.memory_type(signature->result), 1, 8);
    args.push_back(result);
  }
  check_status(b.CreateCall(signature->compute, args));
  if (result == nullptr) return b.getInt32(0);
  return from_memory(b.CreateLoad(m_.memory_type(signature->result), result), signature->result);
}

llvm::Value* FunctionEmitter::emit_extern(const ir::CallNode* call) {
  auto* name = ir::as<ir::StringImmNode>(call->args[0]);
  if (name == nullptr) refuse("call_extern of a computed name", call->span);
  std::vector<llvm::Value*> args;
  std::vector<llvm::Type*> types;
  for (size_t i = 1; i < call->args.size(); ++i) {
    args.push_back(emit(call->args[static_cast<int64_t>(i)]));
    types.push_back(args.back()->getType());
  }
  DataType dtype = call->dtype();
  llvm::Type* result = dtype.is_void() ? b.getVoidTy() : m_.register_type(dtype, call->span);
  auto* type = llvm::FunctionType::get(result, types, false);
  std::string symbol(text_of(name->value));
  m_.note_outside(symbol);
  llvm::FunctionCallee callee = m_.module->getOrInsertFunction(symbol, type);
  llvm::Value* value = b.CreateCall(callee, args);
  return dtype.is_void() ? b.getInt32(0) : value;
}

llvm::Value* FunctionEmitter::emit_llvm_intrinsic(const ir::CallNode* call) {
  std::string name;
  if (auto* text = ir::as<ir::StringImmNode>(call->args[0])) name = text_of(text->value);
  llvm::Intrinsic::ID id = llvm::Function::lookupIntrinsicID(name);
  if (id == llvm::Intrinsic::not_intrinsic) {
    throw Error("codegen-unsupported", "LLVM has no intrinsic `{}`", name)
        .at(call->span)
        .help("write its full name, such as \"llvm.fma\"");
  }
  std::vector<llvm::Value*> args;
  // TVM's older form has the number of signature types as the second argument.
  for (size_t i = 1; i < call->args.size(); ++i) {
    const Expr& arg = call->args[static_cast<int64_t>(i)];
    llvm::Value* value = emit(arg);
    args.push_back(has_hard_type(arg->dtype()) ? b.CreateBitCast(value, hard_type(arg->dtype())) : value);
  }
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType());
  llvm::Type* result = b.getVoidTy();
  if (has_hard_type(call->dtype())) {
    result = hard_type(call->dtype());
  } else if (!call->dtype().is_void()) {
    result = m_.register_type(call->dtype(), call->span);
  }
  // Find the overloaded types by matching the intrinsic's own signature against the call's.
  auto* wanted = llvm::FunctionType::get(result, types, false);
  llvm::SmallVector<llvm::Intrinsic::IITDescriptor, 8> table;
  llvm::Intrinsic::getIntrinsicInfoTableEntries(id, table);
  llvm::ArrayRef<llvm::Intrinsic::IITDescriptor> rest = table;
  llvm::SmallVector<llvm::Type*, 4> overloads;
  if (llvm::Intrinsic::matchIntrinsicSignature(wanted, rest, overloads) !=
      llvm::Intrinsic::MatchIntrinsicTypes_Match) {
    throw Error("codegen-unsupported", "`{}` does not take arguments of these types", name).at(call->span);
  }
  allow_vectors(types, result);
  llvm::Value* value = b.CreateCall(llvm::Intrinsic::getDeclaration(m_.module.get(), id, overloads), args);
  if (has_hard_type(call->dtype()))
    value = b.CreateBitCast(value, m_.register_type(call->dtype(), call->span));
  return call->dtype().is_void() ? b.getInt32(0) : value;
}

// LLVM's own type for what is held as a bit pattern; it has none of 8 bits.
bool FunctionEmitter::has_hard_type(DataType dtype) const {
  return m_.is_soft_float(dtype) && dtype.bits() == 16;
}
llvm::Type* FunctionEmitter::hard_type(DataType dtype) {
  llvm::Type* type = dtype.is_bfloat16() ? b.getBFloatTy() : b.getHalfTy();
  return m_.register_type(dtype)->getWithNewType(type);
}

// Vectors wider than the function's own are split where they may be, but an intrinsic's may not.
void FunctionEmitter::allow_vectors(llvm::ArrayRef<llvm::Type*> types, llvm::Type* result) {
  uint64_t widest = result->getPrimitiveSizeInBits().getKnownMinValue();
  for (llvm::Type* type : types) {
    if (type->isVectorTy())
      widest = std::max<uint64_t>(widest, type->getPrimitiveSizeInBits().getKnownMinValue());
  }
  constexpr const char* kLegal = "min-legal-vector-width";
  if (function_->hasFnAttribute(kLegal) && widest > function_->getFnAttributeAsParsedInteger(kLegal))
    function_->addFnAttr(kLegal, std::to_string(widest));
}

// tvm_access_ptr(type, data, offset, extent, mode): data + offset elements.
llvm::Value* FunctionEmitter::emit_access_pointer(const ir::CallNode* call) {
  DataType element = call->args[0]->dtype();
  if (auto* annotation = ir::as<ir::CallNode>(call->args[0])) element = annotation->dtype();
  if (element.is_void() || element.is_handle()) {
    auto* buffer = ir::as<VarNode>(call->args[1]);
    if (buffer == nullptr || buffer->buffer() == nullptr)
      refuse("tvm_access_ptr without an element type", call->span);
    element = buffer->buffer()->dtype;
  }
  llvm::Value* bytes = b.CreateMul(index_value(call->args[2]),
                                   b.getInt64(static_cast<uint64_t>(element.bytes() * element.lanes())));
  return b.CreateGEP(b.getInt8Ty(), data_pointer(call->args[1]), bytes);
}

}  // namespace mlc::llvm_backend
