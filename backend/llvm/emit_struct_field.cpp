// SPDX-License-Identifier: Apache-2.0
// The fields of tensors (DLTensor) and of tvm-ffi's values (TVMFFIAny) that code reads and writes by number,
// and room for them on the stack: T.tvm_struct_get, T.tvm_struct_set, T.tvm_stack_alloca.
#include <tvm/ffi/c_api.h>

#include "backend/llvm/emitter.h"
#include "ir/tir/tensor_map.h"

namespace mlc::llvm_backend {

using ir::Error;

namespace {

// Where a field begins and how wide it is, in bytes; `size` is that of the whole.
struct Field {
  int64_t number;
  uint64_t size, begin, bytes;
};
constexpr uint64_t kTensorBytes = sizeof(DLTensor), kAnyBytes = sizeof(TVMFFIAny);
constexpr int64_t kAddress = 0;  // of the tensor itself
constexpr Field fields[] = {
    {1, kTensorBytes, offsetof(DLTensor, data), 8},
    {2, kTensorBytes, offsetof(DLTensor, shape), 8},
    {3, kTensorBytes, offsetof(DLTensor, strides), 8},
    {4, kTensorBytes, offsetof(DLTensor, ndim), 4},
    {5, kTensorBytes, offsetof(DLTensor, dtype.code), 1},
    {6, kTensorBytes, offsetof(DLTensor, dtype.bits), 1},
    {7, kTensorBytes, offsetof(DLTensor, dtype.lanes), 2},
    {8, kTensorBytes, offsetof(DLTensor, byte_offset), 8},
    {9, kTensorBytes, offsetof(DLTensor, device.device_id), 4},
    {10, kTensorBytes, offsetof(DLTensor, device.device_type), 4},
    {13, kAnyBytes, offsetof(TVMFFIAny, type_index), 4},
    {14, kAnyBytes, offsetof(TVMFFIAny, zero_padding), 4},
    {15, kAnyBytes, offsetof(TVMFFIAny, v_int64), 8},
};

int64_t number_of(const ir::CallNode* call) {
  auto number = ir::const_int(call->args[2]);
  if (!number) throw Error("codegen-unsupported", "a field of a structure that is computed").at(call->span);
  return *number;
}

const Field& field_of(const ir::CallNode* call, int64_t number) {
  for (const Field& field : fields) {
    if (field.number == number) return field;
  }
  throw Error("codegen-unsupported", "structures have no field of the number {}", number).at(call->span);
}

}  // namespace

llvm::Value* FunctionEmitter::emit_field_address(const ir::CallNode* call, uint64_t size, uint64_t begin) {
  if (m_.module->getDataLayout().getPointerSize() != 8)
    throw Error("codegen-unsupported", "fields of structures are compiled where pointers have 64 bits")
        .at(call->span);
  llvm::Value* index = b.CreateMul(index_value(call->args[1]), b.getInt64(size));
  return b.CreateGEP(b.getInt8Ty(), emit(call->args[0]), b.CreateAdd(index, b.getInt64(begin)));
}

llvm::Value* FunctionEmitter::emit_struct_get(const ir::CallNode* call) {
  int64_t number = number_of(call);
  if (number == kAddress) return emit_field_address(call, kTensorBytes, 0);
  const Field& field = field_of(call, number);
  llvm::Value* place = emit_field_address(call, field.size, field.begin);
  DataType dtype = call->dtype();
  if (dtype.is_handle()) return b.CreateLoad(b.getPtrTy(), place);
  if (dtype.is_floating())
    return emit_cast(b.CreateLoad(b.getDoubleTy(), place), DataType::Float(64), dtype, call->span);
  llvm::Value* value = b.CreateLoad(b.getIntNTy(static_cast<unsigned>(field.bytes * 8)), place);
  return emit_cast(value, DataType::Int(static_cast<int>(field.bytes * 8)), dtype, call->span);
}

llvm::Value* FunctionEmitter::emit_struct_set(const ir::CallNode* call) {
  const Field& field = field_of(call, number_of(call));
  llvm::Value* place = emit_field_address(call, field.size, field.begin);
  llvm::Value* value = emit(call->args[3]);
  DataType dtype = call->args[3]->dtype();
  if (dtype.is_floating()) {
    value = emit_cast(value, dtype, DataType::Float(64), call->span);
  } else if (!value->getType()->isPointerTy()) {
    value = emit_cast(value, dtype, DataType::Int(static_cast<int>(field.bytes * 8)), call->span);
  }
  b.CreateStore(value, place);
  return b.getInt32(0);
}

// tvm_stack_alloca("array", count): room that lives as long as the call.
llvm::Value* FunctionEmitter::emit_stack_room(const ir::CallNode* call) {
  auto* kind = call->args.size() == 2 ? ir::as<ir::StringImmNode>(call->args[0]) : nullptr;
  auto count = kind == nullptr ? std::nullopt : ir::const_int(call->args[1]);
  if (!count || *count < 1)
    throw Error("codegen-unsupported", "`tvm_stack_alloca` takes a kind and a number").at(call->span);
  std::string_view what(kind->value.data(), kind->value.size());
  uint64_t bytes = what == "shape"         ? 8
                   : what == "array"       ? kTensorBytes
                   : what == "tvm_ffi_any" ? kAnyBytes
                   : what == "tensormap"   ? static_cast<uint64_t>(ir::kTensorMapBytes)
                                           : 0;
  if (bytes == 0) throw Error("codegen-unsupported", "`tvm_stack_alloca` knows no `{}`", what).at(call->span);
  return stack_slot(b.getInt64Ty(), static_cast<uint64_t>(*count) * bytes / 8, what == "tensormap" ? 64 : 16);
}

}  // namespace mlc::llvm_backend
