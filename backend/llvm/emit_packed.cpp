// SPDX-License-Identifier: Apache-2.0
// Calls of functions in tvm-ffi's table of global functions, T.call_packed, and of those that stand in the
// code under tvm-ffi's symbol, T.call_cpacked. Arguments go as words of tvm-ffi (TVMFFIAny): integers,
// floats, texts, pointers, the arrays of T.tvm_stack_make_array, which are DLTensors on the stack, and values
// in lists of such words (T.anylist_getitem), which the code of graphs has.
#include <tvm/ffi/c_api.h>

#include <algorithm>

#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

using ir::Error;

namespace {

constexpr uint64_t kTensorWords = 6;  // of a DLTensor where pointers have 64 bits
constexpr uint64_t kCpu = 1;          // its device: type, and number 0

std::string_view operator_of(const Expr& e) {
  auto* call = ir::as<ir::CallNode>(e);
  auto* op = call == nullptr ? nullptr : ir::as<ir::OpNode>(call->op);
  return op == nullptr ? std::string_view() : ir::op_row(op).name;
}

llvm::Value* address_word(llvm::IRBuilder<>& b, llvm::Value* pointer) {
  return b.CreatePtrToInt(pointer, b.getInt64Ty());
}

}  // namespace

// tvm_stack_make_shape(extents...), or 0 for none.
llvm::Value* FunctionEmitter::emit_stack_shape(const Expr& e) {
  if (operator_of(e) != "tirx.tvm_stack_make_shape") {
    if (ir::is_const_int(e, 0)) return llvm::ConstantPointerNull::get(b.getPtrTy());
    return emit(e);
  }
  auto* call = ir::as<ir::CallNode>(e);
  llvm::Value* words = stack_slot(b.getInt64Ty(), std::max<uint64_t>(1, call->args.size()), 8);
  for (size_t i = 0; i < call->args.size(); ++i)
    b.CreateStore(index_value(call->args[static_cast<int64_t>(i)]),
                  b.CreateConstGEP1_64(b.getInt64Ty(), words, i));
  return words;
}

// tvm_stack_make_array(data, shape, strides, ndim, value of the element type, elem_offset)
llvm::Value* FunctionEmitter::emit_stack_array(const ir::CallNode* call) {
  if (call->args.size() != 6)
    throw Error("wrong-argument-count", "`tvm_stack_make_array` takes 6 arguments, not {}", call->args.size())
        .at(call->span);
  DataType dtype = call->args[4]->dtype();
  uint64_t type_word = static_cast<uint64_t>(dtype.code()) | static_cast<uint64_t>(dtype.bits()) << 8U |
                       static_cast<uint64_t>(dtype.lanes()) << 16U;
  llvm::Value* words[kTensorWords] = {
      address_word(b, emit(call->args[0])),
      b.getInt64(kCpu),
      b.CreateOr(b.CreateAnd(index_value(call->args[3]), b.getInt64(0xffffffffU)),
                 b.getInt64(type_word << 32U)),
      address_word(b, emit_stack_shape(call->args[1])),
      address_word(b, emit_stack_shape(call->args[2])),
      b.CreateMul(index_value(call->args[5]),
                  b.getInt64(static_cast<uint64_t>((dtype.bits() * dtype.lanes() + 7) / 8))),
  };
  llvm::Value* tensor = stack_slot(b.getInt64Ty(), kTensorWords, 8);
  for (uint64_t i = 0; i < kTensorWords; ++i)
    b.CreateStore(words[i], b.CreateConstGEP1_64(b.getInt64Ty(), tensor, i));
  return tensor;
}

// The value in a list, anylist_getitem(list, index): its address.
llvm::Value* FunctionEmitter::emit_list_item(const Expr& list, const Expr& index) {
  return b.CreateGEP(b.getInt64Ty(), emit(list), b.CreateShl(index_value(index), b.getInt64(1)));
}

// The two words of an argument: what it is, and its value.
std::pair<llvm::Value*, llvm::Value*> FunctionEmitter::emit_packed_argument(const Expr& e) {
  auto of = [&](uint64_t type_index, llvm::Value* value) {
    return std::pair<llvm::Value*, llvm::Value*>(b.getInt64(type_index), value);
  };
  if (auto* text = ir::as<ir::StringImmNode>(e))
    return of(kTVMFFIRawStr, address_word(b, m_.text({text->value.data(), text->value.size()})));
  if (operator_of(e) == "tirx.tvm_stack_make_array")
    return of(kTVMFFIDLTensorPtr, address_word(b, emit_stack_array(ir::as<ir::CallNode>(e))));
  if (operator_of(e) == "tirx.anylist_getitem") {
    auto* call = ir::as<ir::CallNode>(e);
    llvm::Value* item = emit_list_item(call->args[0], call->args[1]);
    llvm::Type* word = b.getInt64Ty();
    return {b.CreateLoad(word, item), b.CreateLoad(word, b.CreateConstGEP1_64(word, item, 1))};
  }
  llvm::Value* value = emit(e);
  if (value->getType()->isPointerTy()) return of(kTVMFFIOpaquePtr, address_word(b, value));
  DataType dtype = e->dtype();
  if (!dtype.is_scalar())
    throw Error("codegen-unsupported", "a vector cannot be an argument of `call_packed`").at(e->span);
  if (dtype.is_integral() || dtype.is_bool())
    return of(kTVMFFIInt, b.CreateIntCast(value, b.getInt64Ty(), dtype.is_int()));
  return of(kTVMFFIFloat,
            b.CreateBitCast(emit_cast(value, dtype, DataType::Float(64), e->span), b.getInt64Ty()));
}

// What a lookup by name has found, which is kept in a slot of the module: it is done once.
llvm::Value* FunctionEmitter::looked_up(const std::string& slot_name, std::string_view name,
                                        llvm::function_ref<llvm::Value*(llvm::Value* slot)> look_up) {
  llvm::Type* pointer = b.getPtrTy();
  llvm::GlobalVariable* slot = m_.module->getGlobalVariable(slot_name, true);
  if (slot == nullptr) {
    slot = new llvm::GlobalVariable(*m_.module, pointer, false, llvm::GlobalValue::InternalLinkage,
                                    llvm::ConstantPointerNull::get(b.getPtrTy()), slot_name);
  }
  auto* search = llvm::BasicBlock::Create(m_.context, "look_up", function_, end_);
  auto* found = llvm::BasicBlock::Create(m_.context, "found", function_, end_);
  b.CreateCondBr(b.CreateIsNull(b.CreateLoad(pointer, slot)), search, found);
  b.SetInsertPoint(search);
  check_status(look_up(slot));
  require(b.CreateIsNotNull(b.CreateLoad(pointer, slot)), "RuntimeError",
          fmt::format("Cannot find function {} in the imported modules or global registry.", name));
  b.CreateBr(found);
  b.SetInsertPoint(found);
  return b.CreateLoad(pointer, slot);
}

// The global function of that name.
llvm::Value* FunctionEmitter::global_function(std::string_view name) {
  return looked_up("packed." + std::string(name), name, [&](llvm::Value* slot) {
    llvm::Type* pointer = b.getPtrTy();
    llvm::Value* bytes = stack_slot(b.getInt64Ty(), 2, 8);  // TVMFFIByteArray
    b.CreateStore(m_.text(name), bytes);
    b.CreateStore(b.getInt64(name.size()), b.CreateConstGEP1_64(b.getInt64Ty(), bytes, 1));
    return b.CreateCall(m_.outside("TVMFFIFunctionGetGlobal", b.getInt32Ty(), {pointer, pointer}),
                        {bytes, slot});
  });
}

// Calls a function of tvm-ffi with that many words; where its result is.
llvm::Value* FunctionEmitter::call_function(llvm::Value* function, llvm::Value* given, uint64_t count) {
  llvm::Type* pointer = b.getPtrTy();
  llvm::Value* result = stack_slot(b.getInt64Ty(), 2, 16);
  b.CreateStore(b.getInt64(kTVMFFINone), result);
  b.CreateStore(b.getInt64(0), b.CreateConstGEP1_64(b.getInt64Ty(), result, 1));
  check_status(b.CreateCall(
      m_.outside("TVMFFIFunctionCall", b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}),
      {function, given, b.getInt32(static_cast<uint32_t>(count)), result}));
  return result;
}

// Calls with the arguments behind the name, which is the argument with index `first`: the arguments' words
// and the result's, which somebody has to release.
std::pair<llvm::Value*, llvm::Value*> FunctionEmitter::call_packed(const ir::CallNode* call, bool by_symbol,
                                                                   size_t first) {
  auto* name = call->args.size() <= first
                   ? nullptr
                   : ir::as<ir::StringImmNode>(call->args[static_cast<int64_t>(first)]);
  if (name == nullptr)
    throw Error("codegen-unsupported", "`call_packed` without the name of a function").at(call->span);
  if (m_.module->getDataLayout().getPointerSize() != 8)
    throw Error("codegen-unsupported", "`call_packed` is compiled where pointers have 64 bits")
        .at(call->span);
  if (in_parallel_ && !by_symbol) {
    throw Error("codegen-unsupported",
                "`call_packed` inside of a parallel loop: functions of scripts run in one thread")
        .at(call->span);
  }
  m_.packed = true;
  llvm::Type* word = b.getInt64Ty();
  llvm::Type* pointer = b.getPtrTy();
  uint64_t count = call->args.size() - first - 1;
  llvm::Value* given = stack_slot(word, std::max<uint64_t>(2, 2 * count), 16);
  for (uint64_t i = 0; i < count; ++i) {
    auto [type_index, value] = emit_packed_argument(call->args[static_cast<int64_t>(first + i + 1)]);
    b.CreateStore(type_index, b.CreateConstGEP1_64(word, given, 2 * i));
    b.CreateStore(value, b.CreateConstGEP1_64(word, given, 2 * i + 1));
  }
  std::string_view callee(name->value.data(), name->value.size());
  llvm::Value* function = by_symbol ? nullptr : global_function(callee);
  llvm::Value* result = stack_slot(word, 2, 16);
  b.CreateStore(b.getInt64(kTVMFFINone), result);
  b.CreateStore(b.getInt64(0), b.CreateConstGEP1_64(word, result, 1));
  std::string symbol = by_symbol ? "__tvm_ffi_" + std::string(callee) : "TVMFFIFunctionCall";
  check_status(
      b.CreateCall(m_.outside(symbol.c_str(), b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}),
                   {by_symbol ? llvm::ConstantPointerNull::get(b.getPtrTy()) : function, given,
                    b.getInt32(static_cast<uint32_t>(count)), result}));
  return {given, result};
}

// Gives up the object in a value, where there is one.
void FunctionEmitter::release_object(llvm::Value* type_index, llvm::Value* value) {
  auto* release = llvm::BasicBlock::Create(m_.context, "release", function_, end_);
  auto* done = llvm::BasicBlock::Create(m_.context, "done", function_, end_);
  b.CreateCondBr(b.CreateICmpSGE(type_index, b.getInt32(kTVMFFIStaticObjectBegin)), release, done);
  b.SetInsertPoint(release);
  b.CreateCall(m_.outside("TVMFFIObjectDecRef", b.getInt32Ty(), {b.getPtrTy()}),
               {b.CreateIntToPtr(value, b.getPtrTy())});
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

// anylist_setitem_call_packed(list, index, name, arguments...): the result goes into the list, in place of
// what is there.
llvm::Value* FunctionEmitter::emit_packed_into_list(const ir::CallNode* call, bool by_symbol) {
  if (call->args.size() < 3)
    throw Error("wrong-argument-count", "a call into a list takes the list, an index and a name")
        .at(call->span);
  llvm::Type* word = b.getInt64Ty();
  llvm::Value* result = call_packed(call, by_symbol, 2).second;
  llvm::Value* item = emit_list_item(call->args[0], call->args[1]);
  llvm::Value* item_value = b.CreateConstGEP1_64(word, item, 1);
  llvm::Value* old_type = b.CreateLoad(b.getInt32Ty(), item);
  llvm::Value* old_value = b.CreateLoad(word, item_value);
  b.CreateStore(b.CreateLoad(word, result), item);
  b.CreateStore(b.CreateLoad(word, b.CreateConstGEP1_64(word, result, 1)), item_value);
  release_object(old_type, old_value);
  return b.getInt32(0);
}

llvm::Value* FunctionEmitter::emit_packed(const ir::CallNode* call, bool by_symbol) {
  llvm::Type* word = b.getInt64Ty();
  llvm::Type* pointer = b.getPtrTy();
  auto [given, result] = call_packed(call, by_symbol, 0);
  uint64_t count = call->args.size() - 1;
  bool traces = operator_of(ir::ref(call)) == "tirx.tvm_call_trace_packed" && count > 0;
  llvm::Value* value = b.CreateLoad(word, b.CreateConstGEP1_64(word, result, 1));
  if (traces) {  // a function that gives nothing back has looked at the last argument
    llvm::Value* last = b.CreateLoad(word, b.CreateConstGEP1_64(word, given, 2 * count - 1));
    llvm::Value* none = b.CreateICmpEQ(b.CreateLoad(b.getInt32Ty(), result), b.getInt32(kTVMFFINone));
    value = b.CreateSelect(none, last, value);
  }
  // Nobody holds an object that it gives back.
  release_object(b.CreateLoad(b.getInt32Ty(), result), value);
  DataType dtype = call->dtype();
  if (dtype.is_void()) return b.getInt32(0);
  if (dtype.is_handle()) return b.CreateIntToPtr(value, pointer);
  if (dtype.is_floating())
    return emit_cast(b.CreateBitCast(value, b.getDoubleTy()), DataType::Float(64), dtype, call->span);
  return emit_cast(value, DataType::Int(64), dtype, call->span);
}

}  // namespace mlc::llvm_backend
