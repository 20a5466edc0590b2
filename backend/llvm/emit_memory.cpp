// SPDX-License-Identifier: Apache-2.0
// Buffers: addresses, loads, stores, allocation.
#include <algorithm>
#include <numeric>
#include <optional>

#include "backend/artefact/extents.h"
#include "backend/llvm/emitter.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

namespace mlc::llvm_backend {

using ir::Error;

namespace {

constexpr uint64_t kAllocAlignment = 64;
constexpr uint64_t kLine = 64;  // bytes of a line of the caches

}  // namespace

llvm::Value* FunctionEmitter::index_value(const Expr& e) {
  bool before = std::exchange(in_index_, true);
  llvm::Value* value = emit(e);
  llvm::Type* wide = m_.register_type(DataType::Int(64, e->dtype().lanes()));
  if (e->dtype().bits() < 64) {
    value = nonnegative(e) ? b.CreateZExt(value, wide, "", !e->dtype().is_uint()) : b.CreateSExt(value, wide);
  }
  in_index_ = before;
  return value;
}

llvm::Value* FunctionEmitter::wide_index(const Expr& e) {
  auto* two = ir::as_binary(e);
  bool sums = e->kind == ir::ExprKind::kAdd || e->kind == ir::ExprKind::kSub || e->kind == ir::ExprKind::kMul;
  if (!sums || e->dtype() != DataType::Int(32)) return index_value(e);
  llvm::Value* left = wide_index(two->a);
  llvm::Value* right = wide_index(two->b);
  bool before = std::exchange(in_index_, true);
  llvm::Value* value = arithmetic(e->kind, left, right, DataType::Int(64), two);
  in_index_ = before;
  return value;
}

FunctionEmitter::Address FunctionEmitter::address(const Var& buffer, const ir::Array<Expr>& indices,
                                                  ir::Span span) {
  const Binding& memory = binding(buffer.get(), span);
  const ir::BufferTypeNode* type = buffer->buffer();
  DataType element = type->dtype;
  Expr flat = backend::flat_index(buffer, indices);
  Address result;
  result.buffer = buffer.get();
  llvm::Type* element_type = m_.memory_type(element, span);
  // Lanes of a vector element are packed; LLVM's own array stride would round <3 x float> up.
  uint64_t element_bytes = static_cast<uint64_t>(element.bytes()) * static_cast<uint64_t>(element.lanes());
  uint64_t natural = static_cast<uint64_t>(element.bytes());
  auto aligned_at = [&](const Expr& index) {
    auto step = static_cast<uint64_t>(multiple_of(index)) * element_bytes;
    return llvm::Align(
        std::max<uint64_t>(natural, llvm::bit_floor(std::gcd(step, std::max(memory.alignment, natural)))));
  };
  auto offset_pointer = [&](llvm::Value* offset) {
    return element.is_scalar()
               ? b.CreateInBoundsGEP(element_type, memory.value, offset)
               : b.CreateInBoundsGEP(b.getInt8Ty(), memory.value,
                                     b.CreateMul(offset, b.getInt64(element_bytes), "", false, true));
  };
  // Positions of more elements than int32 counts, or of who knows how many.
  auto offset_of = [&](const Expr& index) {
    return backend::is_long(type) ? wide_index(index) : index_value(index);
  };
  if (flat->dtype().is_scalar()) {
    result.pointer = offset_pointer(offset_of(flat));
    result.alignment = aligned_at(flat);
    return result;
  }
  if (!element.is_scalar()) {
    throw Error("codegen-unsupported",
                "a vector index into `{}`, whose elements are vectors, cannot be compiled",
                buffer->name.c_str())
        .at(span);
  }
  auto* ramp = ir::as<ir::RampNode>(flat);
  if (ramp && ir::is_const_int(ramp->stride, 1)) {
    result.pointer = offset_pointer(offset_of(ramp->base));
    result.alignment = aligned_at(ramp->base);
    return result;
  }
  result.alignment = llvm::Align(natural);
  if (ramp && ir::const_int(ramp->stride)) {
    // Lanes at constant distances from one address: LLVM makes shuffles of several such vectors, which it
    // does not of offsets that it has to take out of vectors.
    result.pointer = offset_pointer(offset_of(ramp->base));
    auto* type =
        llvm::cast<llvm::VectorType>(m_.register_type(DataType::Int(64, flat->dtype().lanes()), span));
    result.lanes = steps(type, *ir::const_int(ramp->stride));
    return result;
  }
  result.pointer = memory.value;
  result.lanes = index_value(flat);
  return result;
}

llvm::Value* FunctionEmitter::from_memory(llvm::Value* value, DataType dtype) {
  return dtype.is_bool() ? b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType())) : value;
}
llvm::Value* FunctionEmitter::to_memory(llvm::Value* value, DataType dtype) {
  return dtype.is_bool() ? b.CreateZExt(value, m_.memory_type(dtype)) : value;
}

llvm::Value* FunctionEmitter::lane_pointers(const Address& at, DataType element) {
  return b.CreateInBoundsGEP(m_.memory_type(element), at.pointer, at.lanes);
}

llvm::Value* FunctionEmitter::load(const ir::TensorLoadNode* e) {
  refuse_on_device(e->source, e->span);
  DataType dtype = e->dtype();
  Address at = address(e->source, e->indices, e->span);
  llvm::Type* type = m_.memory_type(dtype, e->span);
  if (at.lanes == nullptr) {
    if (prefetch_ != 0 && dtype.lanes() > 1 && !binding(at.buffer, e->span).local)
      prefetch(at.pointer, dtype);
    return from_memory(b.CreateAlignedLoad(type, at.pointer, at.alignment), dtype);
  }
  if (dtype.is_scalable())
    return from_memory(b.CreateMaskedGather(type, lane_pointers(at, dtype.element()), at.alignment), dtype);
  llvm::Type* element = m_.memory_type(dtype.element());
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (int i = 0; i < dtype.lanes(); ++i) {
    llvm::Value* offset = b.CreateExtractElement(at.lanes, static_cast<uint64_t>(i));
    llvm::Value* pointer = b.CreateInBoundsGEP(element, at.pointer, offset);
    result = b.CreateInsertElement(result, b.CreateAlignedLoad(element, pointer, at.alignment),
                                   static_cast<uint64_t>(i));
  }
  return from_memory(result, dtype);
}

// Into the second cache: in the first one, what comes next would displace what is worked on, and rows that
// lie a power of two apart each other. The address may lie outside of the buffer: what fetches it does not
// fault.
void FunctionEmitter::prefetch(llvm::Value* pointer, DataType dtype) {
  for (int64_t at = 0; at < dtype.bytes() * dtype.lanes(); at += static_cast<int64_t>(kLine)) {
    llvm::Value* ahead =
        b.CreateGEP(b.getInt8Ty(), pointer, b.getInt64(static_cast<uint64_t>(prefetch_ + at)));
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                      {ahead, b.getInt32(0), b.getInt32(2), b.getInt32(1)});
  }
}

void FunctionEmitter::store(const ir::BufferStoreNode* s) {
  refuse_on_device(s->buffer, s->span);
  DataType dtype = s->value->dtype();
  llvm::Value* value = to_memory(emit(s->value), dtype);
  Address at = address(s->buffer, s->indices, s->span);
  if (at.lanes == nullptr) {
    llvm::StoreInst* made = b.CreateAlignedStore(value, at.pointer, std::max(at.alignment, streaming_));
    if (streaming_ > 1) {
      made->setMetadata(llvm::LLVMContext::MD_nontemporal,
                        llvm::MDNode::get(m_.context, llvm::ConstantAsMetadata::get(b.getInt32(1))));
      streamed_ = true;
    }
    return;
  }
  if (s->indices[static_cast<int64_t>(s->indices.size()) - 1]->dtype().is_scalable()) {
    b.CreateMaskedScatter(value, lane_pointers(at, dtype.element()), at.alignment);
    return;
  }
  llvm::Type* element = m_.memory_type(dtype.element());
  int lanes = s->indices[static_cast<int64_t>(s->indices.size()) - 1]->dtype().lanes();
  if (dtype.is_scalar()) value = b.CreateVectorSplat(static_cast<unsigned>(lanes), value);
  for (int i = 0; i < lanes; ++i) {  // in lane order: with equal offsets the last lane stays
    llvm::Value* offset = b.CreateExtractElement(at.lanes, static_cast<uint64_t>(i));
    llvm::Value* pointer = b.CreateInBoundsGEP(element, at.pointer, offset);
    b.CreateAlignedStore(b.CreateExtractElement(value, static_cast<uint64_t>(i)), pointer, at.alignment);
  }
}

llvm::AllocaInst* FunctionEmitter::stack_slot(llvm::Type* type, uint64_t count, uint64_t alignment) {
  llvm::IRBuilder<> at(entry_, entry_->begin());
  llvm::AllocaInst* slot = at.CreateAlloca(type, at.getInt64(count));
  slot->setAlignment(llvm::Align(alignment));
  return slot;
}

// Small sizes, constant or at most a constant, live on the stack. Others own a stack slot that holds their
// heap memory: of constant size it is allocated once per call at the first use and kept over the iterations
// of loops; of computed size it is kept while it is large enough. The end block releases all slots.
void FunctionEmitter::allocate(const ir::AllocBufferNode* s) {
  const ir::BufferTypeNode* type = s->buffer->buffer();
  DataType element = type->dtype;
  int64_t bytes = element.bytes() * element.lanes();
  Expr count = ir::int_imm(DataType::Int(64), 1);
  for (const Expr& extent : type->shape) {
    count = ir::mul(count, ir::cast(DataType::Int(64), extent));
  }
  auto constant = ir::const_int(count);
  m_.memory_type(element, s->span);  // refuses what it must
  if (constant && *constant < 0) {
    throw Error("codegen-unsupported", "`{}` has a negative size", s->buffer->name.c_str()).at(s->span);
  }
  if (device_type_ != kDLCPU) return allocate_on_device(s, count);
  std::optional<int64_t> most = constant ? constant : backend::at_most(count);
  if (most && *most <= backend::kStackBytes && *most * bytes <= backend::kStackBytes) {
    auto size = static_cast<uint64_t>(std::max<int64_t>(1, *most * bytes));
    llvm::AllocaInst* slot = stack_slot(b.getInt8Ty(), size, kAllocAlignment);
    slot->setName(std::string_view(s->buffer->name.data(), s->buffer->name.size()));
    define_buffer(s->buffer, slot, true, kAllocAlignment);
    values_[s->buffer.get()].local = true;
    return;
  }
  llvm::Type* pointer = b.getPtrTy();
  llvm::AllocaInst* slot = stack_slot(pointer, 1, 8);
  {
    llvm::IRBuilder<> at(entry_, std::next(slot->getIterator()));
    at.CreateStore(llvm::ConstantPointerNull::get(b.getPtrTy()), slot);
  }
  heap_slots_.push_back(slot);
  llvm::Type* size_type = m_.module->getDataLayout().getIntPtrType(m_.context);
  llvm::FunctionCallee allocator = m_.outside("aligned_alloc", pointer, {size_type, size_type});
  if (auto* function = llvm::dyn_cast<llvm::Function>(allocator.getCallee()))
    function->setReturnDoesNotAlias();
  llvm::Value* size =
      b.CreateMul(emit(backend::without_zero_divisors(count)), b.getInt64(static_cast<uint64_t>(bytes)));
  size =
      b.CreateAnd(b.CreateAdd(size, b.getInt64(2 * kAllocAlignment - 1)), b.getInt64(~(kAllocAlignment - 1)));
  auto* have = llvm::BasicBlock::Create(m_.context, "memory", function_, end_);
  auto* get = llvm::BasicBlock::Create(m_.context, "allocate", function_, end_);
  llvm::AllocaInst* capacity = nullptr;
  if (constant) {
    b.CreateCondBr(b.CreateIsNull(b.CreateLoad(pointer, slot)), get, have);
    b.SetInsertPoint(get);
  } else {
    capacity = stack_slot(b.getInt64Ty(), 1, 8);
    llvm::IRBuilder<>(entry_, std::next(capacity->getIterator())).CreateStore(b.getInt64(0), capacity);
    b.CreateCondBr(b.CreateICmpULT(b.CreateLoad(b.getInt64Ty(), capacity), size), get, have);
    b.SetInsertPoint(get);
    b.CreateCall(m_.outside("free", b.getVoidTy(), {pointer}), {b.CreateLoad(pointer, slot)});
  }
  llvm::Value* fresh =
      b.CreateCall(allocator, {b.CreateIntCast(b.getInt64(kAllocAlignment), size_type, false),
                               b.CreateIntCast(size, size_type, false)});
  b.CreateStore(fresh, slot);
  require(b.CreateIsNotNull(fresh), "MemoryError",
          fmt::format("cannot allocate memory for `{}`", s->buffer->name.c_str()));
  if (capacity != nullptr) b.CreateStore(size, capacity);
  b.CreateBr(have);
  b.SetInsertPoint(have);
  llvm::Value* data = b.CreateLoad(pointer, slot);
  data->setName(std::string_view(s->buffer->name.data(), s->buffer->name.size()));
  define_buffer(s->buffer, data, true, kAllocAlignment);
  values_[s->buffer.get()].local = true;
}

llvm::Value* FunctionEmitter::data_pointer(const Expr& e) {
  llvm::Value* value = emit(e);
  if (value->getType()->isPointerTy()) return value;
  throw Error("codegen-unsupported", "a buffer's data must be a pointer").at(e->span);
}

}  // namespace mlc::llvm_backend
