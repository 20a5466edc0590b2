// SPDX-License-Identifier: Apache-2.0
// The plain C function beside a tvm-ffi entry (backend/artefact/c_interface.h): it checks what can be checked
// of pointers and sizes, then calls the compute function. And where errors go when nobody brings tvm-ffi.
#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

namespace {

constexpr uint64_t kErrorBytes = 2048;  // as in backend/runtime/parallel.h

// A C function of this name. Something else may have it already: internal functions make way.
void claim(llvm::Module& module, const std::string& name, const Signature& signature) {
  llvm::GlobalValue* other = module.getNamedValue(name);
  if (other == nullptr) return;
  if (!other->hasLocalLinkage()) {
    throw ir::Error("no-c-name",
                    "the C name `{}` of the function `{}` is that of a function which the code calls", name,
                    signature.name)
        .at(signature.fn->span)
        .help("rename the function, or begin all C names with `--c-prefix PREFIX`");
  }
  other->setName(name + ".internal");
}

}  // namespace

void ModuleEmitter::emit_c_entry(const Signature& signature, const std::string& name) {
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto* pointer = llvm::PointerType::get(context, 0);
  std::vector<llvm::Type*> types;
  for (const Var& param : signature.params) {
    llvm::Type* type = param->buffer() != nullptr ? pointer : register_type(param->dtype());
    types.push_back(type->isHalfTy() ? llvm::Type::getInt16Ty(context) : type);  // C passes the bits
  }
  types.insert(types.end(), signature.shape_vars.size(), i64);
  if (!signature.result.is_void()) types.push_back(pointer);
  claim(*module, name, signature);
  llvm::Function* function = new_function(name, llvm::FunctionType::get(i32, types, false), true);
  function->addRetAttr(llvm::Attribute::SExt);  // some calling conventions ask for it

  FunctionEmitter values(*this, function, signature.place);
  llvm::IRBuilder<>& b = values.b;
  auto require = [&](llvm::Value* ok, const char* kind, const std::string& message, llvm::Value* number) {
    values.fail_unless(ok, [&]() -> llvm::Value* {
      return b.CreateCall(raise_function(), {text(kind), text("%.0s" + message), text(""),
                                             number != nullptr ? number : b.getInt64(0), b.getInt64(0)});
    });
  };
  std::vector<llvm::Value*> args;
  unsigned position = 0;
  for (const Var& param : signature.params) {
    llvm::Argument* argument = function->getArg(position++);
    argument->setName(std::string_view(param->name.data(), param->name.size()));
    args.push_back(argument);
    if (param->buffer() != nullptr) continue;
    llvm::Type* type = register_type(param->dtype());
    if (type->isHalfTy()) args.back() = b.CreateBitCast(argument, type);
    values.define(param, args.back());
  }
  for (const Var& symbol : signature.shape_vars) {
    llvm::Argument* wide = function->getArg(position++);
    std::string called(symbol->name);
    wide->setName(called);
    require(b.CreateICmpSGE(wide, b.getInt64(0)), "ValueError",
            fmt::format("`{}` of `{}` is %lld, and a size is at least 0", called, name), wide);
    llvm::Value* value = values.convert(wide, DataType::Int(64), symbol->dtype());
    if (symbol->dtype().bits() < 64) {
      require(b.CreateICmpEQ(values.convert(value, symbol->dtype(), DataType::Int(64)), wide), "ValueError",
              fmt::format("`{}` of `{}` is %lld, which {} cannot hold", called, name, symbol->dtype().str()),
              wide);
    }
    values.define_extent(symbol, value);
    args.push_back(value);
  }
  for (size_t i = 0; i < signature.params.size(); ++i) {
    const ir::BufferTypeNode* type = signature.params[i]->buffer();
    if (type == nullptr) continue;
    std::string subject = fmt::format("`{}` of `{}`", signature.params[i]->name.c_str(), name);
    llvm::Value* empty = b.getFalse();
    for (const Expr& extent : type->shape) {
      if (auto known = ir::const_int(extent); known && *known > 0) continue;
      llvm::Value* count = values.convert(values.emit(extent), extent->dtype(), DataType::Int(64));
      empty = b.CreateOr(empty, b.CreateICmpSLE(count, b.getInt64(0)));
    }
    require(b.CreateOr(b.CreateIsNotNull(args[i]), empty), "ValueError", subject + " is NULL", nullptr);
    auto bytes = static_cast<uint64_t>(DataType(type->dtype).bytes());
    if (bytes <= 1) continue;
    llvm::Value* low = b.CreateAnd(b.CreatePtrToInt(args[i], i64), b.getInt64(bytes - 1));
    require(b.CreateICmpEQ(low, b.getInt64(0)), "ValueError",
            fmt::format("{} is not aligned to {} bytes", subject, bytes), nullptr);
  }
  if (!signature.result.is_void()) {
    llvm::Argument* result = function->getArg(position);
    result->setName("result");
    require(b.CreateIsNotNull(result), "ValueError", fmt::format("`result` of `{}` is NULL", name), nullptr);
    args.push_back(result);
  }
  values.check_status(b.CreateCall(signature.compute, args));
  values.finish();
}

// The text of the last error of a thread. The two functions are weak: of several libraries in one program all
// use the first one's, whichever of them fails and whoever asks.
//   char* mlc_error_slot(void)            kErrorBytes of the calling thread
//   const char* mlc_last_error(void)
void ModuleEmitter::emit_error_text() {
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), kErrorBytes);
  auto* bytes = new llvm::GlobalVariable(*module, type, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantAggregateZero::get(type), "error_text", nullptr,
                                         llvm::GlobalValue::GeneralDynamicTLSModel);
  auto* function_type = llvm::FunctionType::get(pointer, {}, false);
  auto weak = [&](const char* name) {
    llvm::Function* function = new_function(name, function_type, true);
    function->setLinkage(llvm::GlobalValue::WeakAnyLinkage);
    return function;
  };
  error_slot_ = weak("mlc_error_slot");
  llvm::IRBuilder<> slot(llvm::BasicBlock::Create(context, "entry", error_slot_));
  slot.CreateRet(slot.CreateThreadLocalAddress(bytes));
  llvm::Function* last_error = weak("mlc_last_error");
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", last_error));
  b.CreateRet(b.CreateCall(error_slot_));
}

// void (ptr kind, ptr message): the error is tvm-ffi's, or the thread's when this module has a C interface,
// and then tvm-ffi's too if the program has it.
llvm::FunctionCallee ModuleEmitter::raise_text() {
  auto* pointer = llvm::PointerType::get(context, 0);
  llvm::FunctionCallee of_ffi =
      outside("TVMFFIErrorSetRaisedFromCStr", llvm::Type::getVoidTy(context), {pointer, pointer});
  if (error_slot_ == nullptr) return of_ffi;
  if (raise_text_ != nullptr) return raise_text_;
  auto* ffi = llvm::cast<llvm::Function>(of_ffi.getCallee());
  ffi->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
  raise_text_ = new_function("mlc_raise_text", of_ffi.getFunctionType(), false);
  raise_text_->addFnAttr(llvm::Attribute::Cold);
  raise_text_->addFnAttr(llvm::Attribute::NoInline);
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, raise_text_); };
  llvm::IRBuilder<> b(block("entry"));
  auto* forward = block("forward");
  auto* done = block("done");
  llvm::Type* size_type = module->getDataLayout().getIntPtrType(context);
  b.CreateCall(outside("snprintf", b.getInt32Ty(), {pointer, size_type, pointer}, true),
               {b.CreateCall(error_slot_), llvm::ConstantInt::get(size_type, kErrorBytes), text("%s: %s"),
                raise_text_->getArg(0), raise_text_->getArg(1)});
  b.CreateCondBr(b.CreateIsNotNull(ffi), forward, done);
  b.SetInsertPoint(forward);
  b.CreateCall(of_ffi, {raise_text_->getArg(0), raise_text_->getArg(1)});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return raise_text_;
}

}  // namespace mlc::llvm_backend
