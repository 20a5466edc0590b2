// SPDX-License-Identifier: Apache-2.0
// Constants of graphs: bytes of the artefact, or places in a file beside it.
#include "backend/llvm/emitter.h"
#include "ir/core/ndarray.h"

namespace mlc::llvm_backend {

namespace {

constexpr uint64_t kConstantAlignment = 64;
constexpr uint64_t kErrorBytes = 1024;  // as in backend/runtime/weights.h

}  // namespace

llvm::Constant* ModuleEmitter::elements(const ir::ffi::Tensor& tensor) {
  llvm::Constant*& known = elements_[tensor.data_ptr()];
  if (known != nullptr) return known;
  ir::ffi::Tensor compact = ir::contiguous(tensor);
  llvm::StringRef bytes(static_cast<const char*>(compact.data_ptr()), ir::ffi::GetDataSize(compact));
  llvm::Constant* content = llvm::ConstantDataArray::getString(context, bytes, false);
  auto* data = new llvm::GlobalVariable(*module, content->getType(), true, llvm::GlobalValue::InternalLinkage,
                                        content, "weight");
  data->setAlignment(llvm::Align(kConstantAlignment));
  return known = data;
}

// An MlcWeights of backend/runtime/weights.h.
llvm::GlobalVariable* ModuleEmitter::weights_file(const ir::PrimFunc& fn) {
  if (weights_file_ != nullptr) return weights_file_;
  auto about = ir::attr(fn, "mlc.weights_file")->cast<ir::Map<ir::String, ir::Any>>();
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* error = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), kErrorBytes);
  auto* type = llvm::StructType::get(context, {pointer, i64, i64, i64, pointer, error});
  auto number = [&](const char* name) {
    return llvm::ConstantInt::get(i64, static_cast<uint64_t>(about[ir::String(name)].cast<int64_t>()));
  };
  auto path = about[ir::String("path")].cast<ir::String>();
  llvm::Constant* content = llvm::ConstantStruct::get(
      type, {text({path.data(), path.size()}), number("size"), number("header"), number("crc"),
             llvm::ConstantPointerNull::get(pointer), llvm::ConstantAggregateZero::get(error)});
  weights = true;
  return weights_file_ = new llvm::GlobalVariable(*module, type, false, llvm::GlobalValue::InternalLinkage,
                                                  content, "weights_file");
}

void FunctionEmitter::define_constants(const Signature& signature) {
  llvm::Value* file = nullptr;
  for (const auto& [param, value] : signature.constants) {
    if (auto tensor = value.as<ir::ffi::Tensor>()) {
      define_buffer(param, m_.elements(*tensor), false, kConstantAlignment);
      continue;
    }
    if (file == nullptr) {
      llvm::GlobalVariable* about = m_.weights_file(signature.fn);
      file = b.CreateCall(m_.outside("mlc_weights_open", b.getPtrTy(), {b.getPtrTy()}), {about});
      fail_unless(b.CreateIsNotNull(file), [&]() -> llvm::Value* {
        llvm::Value* why = b.CreateConstInBoundsGEP2_32(about->getValueType(), about, 0, 5);
        return b.CreateCall(m_.raise_function(),
                            {m_.text("RuntimeError"), m_.text("%s"), why, b.getInt64(0), b.getInt64(0)});
      });
    }
    llvm::Value* place =
        b.CreateInBoundsGEP(b.getInt8Ty(), file, b.getInt64(static_cast<uint64_t>(value.cast<int64_t>())));
    define_buffer(param, place, false, static_cast<uint64_t>(DataType(param->buffer()->dtype).bytes()));
  }
}

}  // namespace mlc::llvm_backend
