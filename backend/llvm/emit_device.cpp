// SPDX-License-Identifier: Apache-2.0
// What functions of a host do with a device: they say which one it is, launch kernels, and allocate memory
// there.
//
// Kernels are functions of the modules that this one imports, as in TVM: tvm-ffi writes the module that a
// library was loaded into under a symbol of the library, and the JIT does the same (module.cpp).
#include <tvm/ffi/extra/module.h>

#include "backend/llvm/emitter.h"
#include "ir/core/refusal.h"

namespace mlc::llvm_backend {

using ir::Error;

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "host-reads-device",
         .message = "`{}` lies on a device, and no thread of it runs what reads and writes it here",
         .help = "bind a loop around it to threads: `sch.bind(loop, \"threadIdx.x\")`, or take "
                 "`mlc.schedule.gpu`",
         .meaning = "In a function that is compiled for a device, what stands below no loop over its threads "
                    "runs on the host, which "
                    "cannot reach the device's memory."},
        {.name = "scope-outside-kernel",
         .message = "`{}` is in the scope `{}`, which a kernel has, and is allocated outside of every kernel",
         .help = "use it below one loop over the blocks of threads, by iterators of blocks (T.axis), so that "
                 "it is allocated there"},
    }};
MLC_REFUSALS(llvm_emit_device, refusals);

namespace {

// (type, id, bytes, code and bits of an element) -> memory, or null with an error raised; (type, id, memory)
// -> status
constexpr const char* kAllocate = "__TVMBackendAllocWorkspace";
constexpr const char* kFree = "__TVMBackendFreeWorkspace";

}  // namespace

void FunctionEmitter::refuse_on_device(const Var& buffer, ir::Span span) const {
  if (device_type_ == kDLCPU || buffer->buffer()->storage_scope != "global") return;
  throw ir::refuse(refusals["host-reads-device"], buffer->name.c_str()).at(span);
}

llvm::Value* FunctionEmitter::kernel_function(std::string_view name) {
  return looked_up("kernel." + std::string(name), name, [&](llvm::Value* slot) {
    llvm::Type* pointer = b.getPtrTy();
    llvm::GlobalVariable* own = m_.module->getGlobalVariable(ir::ffi::symbol::tvm_ffi_library_ctx);
    if (own == nullptr) {
      // Weak: parts of a library that were compiled side by side have one between them.
      own = new llvm::GlobalVariable(*m_.module, pointer, false, llvm::GlobalValue::WeakAnyLinkage,
                                     llvm::ConstantPointerNull::get(b.getPtrTy()),
                                     ir::ffi::symbol::tvm_ffi_library_ctx);
    }
    return b.CreateCall(
        m_.outside("TVMFFIEnvModLookupFromImports", b.getInt32Ty(), {pointer, pointer, pointer}),
        {b.CreateLoad(pointer, own), m_.text(name), slot});
  });
}

// call_ffi_kernel(name, arguments..., extents...)
void FunctionEmitter::emit_launch(const ir::CallNode* call) {
  auto* name = call->args.empty() ? nullptr : ir::as<ir::StringImmNode>(call->args[0]);
  if (name == nullptr)
    throw Error("codegen-unsupported", "a launch without the name of a kernel").at(call->span);
  if (in_parallel_)
    throw Error("codegen-unsupported", "a kernel is launched inside of a parallel loop of the host")
        .at(call->span);
  m_.packed = true;
  llvm::Type* word = b.getInt64Ty();
  uint64_t count = call->args.size() - 1;
  llvm::Value* given = stack_slot(word, std::max<uint64_t>(2, 2 * count), 16);
  for (uint64_t i = 0; i < count; ++i) {
    auto [type_index, value] = emit_packed_argument(call->args[static_cast<int64_t>(i + 1)]);
    b.CreateStore(type_index, b.CreateConstGEP1_64(word, given, 2 * i));
    b.CreateStore(value, b.CreateConstGEP1_64(word, given, 2 * i + 1));
  }
  llvm::Value* kernel = kernel_function({name->value.data(), name->value.size()});
  call_function(kernel, given, count);
}

void FunctionEmitter::set_device(int type, llvm::Value* id) {
  m_.packed = true;
  llvm::Type* word = b.getInt64Ty();
  llvm::Value* given = stack_slot(word, 4, 16);
  llvm::Value* words[] = {b.getInt64(kTVMFFIInt), b.getInt64(static_cast<uint64_t>(type)),
                          b.getInt64(kTVMFFIInt), b.CreateSExt(id, word)};
  for (uint64_t i = 0; i < 4; ++i) b.CreateStore(words[i], b.CreateConstGEP1_64(word, given, i));
  call_function(global_function("__tvm_set_device"), given, 2);
}

// Allocated where it stands, freed when the function ends or comes here again: launches that use it are in
// the device's queue before.
void FunctionEmitter::allocate_on_device(const ir::AllocBufferNode* s, const Expr& count) {
  llvm::Type* pointer = b.getPtrTy();
  llvm::Type* i32 = b.getInt32Ty();
  llvm::Value* type = b.getInt32(static_cast<uint32_t>(device_type_));
  if (std::string scope(s->buffer->buffer()->storage_scope); scope != "global")
    throw ir::refuse(refusals["scope-outside-kernel"], s->buffer->name.c_str(), scope).at(s->span);
  DataType element = s->buffer->buffer()->dtype;
  llvm::AllocaInst* slot = stack_slot(pointer, 1, 8);
  {
    llvm::IRBuilder<> at(entry_, std::next(slot->getIterator()));
    at.CreateStore(llvm::ConstantPointerNull::get(b.getPtrTy()), slot);
  }
  device_slots_.push_back(slot);
  auto* free_old = llvm::BasicBlock::Create(m_.context, "free", function_, end_);
  auto* get = llvm::BasicBlock::Create(m_.context, "allocate", function_, end_);
  llvm::Value* old = b.CreateLoad(pointer, slot);
  b.CreateCondBr(b.CreateIsNull(old), get, free_old);
  b.SetInsertPoint(free_old);
  call_runtime(kFree, i32, {type, device_id_, old});
  b.CreateBr(get);
  b.SetInsertPoint(get);
  llvm::Value* bytes =
      b.CreateMul(emit(count), b.getInt64(static_cast<uint64_t>(element.bytes() * element.lanes())));
  llvm::Value* fresh =
      call_runtime(kAllocate, pointer,
                   {type, device_id_, bytes, b.getInt32(static_cast<uint32_t>(element.code())),
                    b.getInt32(static_cast<uint32_t>(element.bits()))});
  b.CreateStore(fresh, slot);
  // The runtime has raised the error.
  fail_unless(b.CreateIsNotNull(fresh), [&] { return b.getInt32(static_cast<uint32_t>(-1)); });
  define_buffer(s->buffer, fresh, true, static_cast<uint64_t>(element.bytes()));
}

void FunctionEmitter::free_on_device() {
  for (llvm::Value* slot : device_slots_) {
    auto* some = llvm::BasicBlock::Create(m_.context, "free", function_);
    auto* done = llvm::BasicBlock::Create(m_.context, "freed", function_);
    llvm::Value* data = b.CreateLoad(b.getPtrTy(), slot);
    b.CreateCondBr(b.CreateIsNull(data), done, some);
    b.SetInsertPoint(some);
    call_runtime(kFree, b.getInt32Ty(), {b.getInt32(static_cast<uint32_t>(device_type_)), device_id_, data});
    b.CreateBr(done);
    b.SetInsertPoint(done);
  }
}

// A function of the runtime around, through a pointer that tvm-ffi writes into a library when it loads it
// (the JIT has one of its own): `symbol`, weak, which is empty where no such runtime is.
llvm::Value* FunctionEmitter::call_runtime(const char* symbol, llvm::Type* result,
                                           llvm::ArrayRef<llvm::Value*> args) {
  llvm::Type* pointer = b.getPtrTy();
  llvm::GlobalVariable* slot = m_.module->getGlobalVariable(symbol);
  if (slot == nullptr) {
    slot = new llvm::GlobalVariable(*m_.module, pointer, false, llvm::GlobalValue::WeakAnyLinkage,
                                    llvm::ConstantPointerNull::get(b.getPtrTy()), symbol);
  }
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType());
  return b.CreateCall(llvm::FunctionType::get(result, types, false), b.CreateLoad(pointer, slot), args);
}

}  // namespace mlc::llvm_backend
