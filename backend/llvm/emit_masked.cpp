// SPDX-License-Identifier: Apache-2.0
// Masks: vectors of which some lanes are loaded or stored, and what scalable vectors need; atomic sums.
#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

using ir::Error;

namespace {

// (buffer, indices..., mask) of a load from argument 0, of a store with its value between the first two.
struct MaskedAccess {
  Var buffer;
  ir::Array<Expr> indices;
  Expr mask;

  MaskedAccess(const ir::CallNode* call, size_t first_index) {
    auto* var = ir::as<VarNode>(call->args[0]);
    size_t count = call->args.size();
    if (var == nullptr || var->buffer() == nullptr || count < first_index + 2) {
      throw Error("codegen-unsupported", "a masked access without buffer, index and mask cannot be compiled")
          .at(call->span);
    }
    buffer = ir::ref(var);
    for (size_t i = first_index; i + 1 < count; ++i) indices.push_back(call->args[static_cast<int64_t>(i)]);
    mask = call->args[static_cast<int64_t>(count - 1)];
  }

  void check(DataType value, ir::Span span) const {
    int lanes = indices[static_cast<int64_t>(indices.size()) - 1]->dtype().lanes();
    if (lanes == value.lanes() && mask->dtype().lanes() == lanes && lanes != 1) return;
    throw Error("codegen-unsupported",
                "a masked access of {} lanes at an index of {} with a mask of {} cannot be compiled",
                value.lanes(), lanes, mask->dtype().lanes())
        .at(span);
  }
};

}  // namespace

// base + lane < limit, of signed numbers; LLVM's own mask compares unsigned ones, and counts from a base that
// is never above the limit then.
llvm::Value* FunctionEmitter::emit_lane_mask(const ir::CallNode* call) {
  llvm::Type* type = m_.register_type(call->dtype(), call->span);
  llvm::Value* base = emit(call->args[0]);
  llvm::Value* limit = emit(call->args[1]);
  if (base->getType() != limit->getType() || !base->getType()->isIntegerTy()) {
    throw Error("codegen-unsupported", "`{}` takes two integers of one type", "T.get_active_lane_mask")
        .at(call->span);
  }
  bool known = nonnegative(call->args[0]) && nonnegative(call->args[1]);
  if (!known && call->args[0]->dtype().is_int()) {
    llvm::Value* last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, limit, base);
    limit = b.CreateSub(last, base);
    base = llvm::Constant::getNullValue(base->getType());
  }
  return b.CreateIntrinsic(llvm::Intrinsic::get_active_lane_mask, {type, base->getType()}, {base, limit});
}

// Lanes that the mask leaves out are 0.
llvm::Value* FunctionEmitter::emit_masked_load(const ir::CallNode* call) {
  MaskedAccess access(call, 1);
  DataType dtype = call->dtype();
  access.check(dtype, call->span);
  llvm::Value* mask = emit(access.mask);
  Address at = address(access.buffer, access.indices, call->span);
  llvm::Type* type = m_.memory_type(dtype, call->span);
  llvm::Value* others = llvm::Constant::getNullValue(type);
  llvm::Value* loaded = at.lanes == nullptr ? b.CreateMaskedLoad(type, at.pointer, at.alignment, mask, others)
                                            : b.CreateMaskedGather(type, lane_pointers(at, dtype.element()),
                                                                   at.alignment, mask, others);
  return from_memory(loaded, dtype);
}

void FunctionEmitter::emit_masked_store(const ir::CallNode* call) {
  MaskedAccess access(call, 2);
  DataType dtype = call->args[1]->dtype();
  access.check(dtype, call->span);
  llvm::Value* mask = emit(access.mask);
  llvm::Value* value = to_memory(emit(call->args[1]), dtype);
  Address at = address(access.buffer, access.indices, call->span);
  if (at.lanes == nullptr) {
    b.CreateMaskedStore(value, at.pointer, at.alignment, mask);
  } else {
    b.CreateMaskedScatter(value, lane_pointers(at, dtype.element()), at.alignment, mask);
  }
}

llvm::Value* FunctionEmitter::emit_vscale(const ir::CallNode* call) {
  if (!m_.machine.has_scalable) {
    throw Error("codegen-unsupported", "`T.vscale()` cannot be compiled for a CPU without scalable vectors")
        .at(call->span)
        .help("name a target that has them, such as aarch64 with `\"mattr\": [\"+sve\"]`");
  }
  llvm::Type* type = m_.register_type(call->dtype(), call->span);
  return b.CreateIntrinsic(llvm::Intrinsic::vscale, {type}, {});
}

// atomic_add(pointer, value): what was there before. Nothing else is ordered by it.
llvm::Value* FunctionEmitter::emit_atomic_add(const ir::CallNode* call) {
  DataType dtype = call->args.size() == 2 ? call->args[1]->dtype() : DataType::Void();
  bool is_integer = (dtype.is_int() || dtype.is_uint()) && dtype.is_scalar();
  bool is_float = dtype.is_float() && dtype.is_scalar() && dtype.bits() >= 32;
  if (!is_integer && !is_float) {
    throw Error("codegen-unsupported", "`tirx.atomic_add` of {} cannot be compiled",
                call->args.size() == 2 ? dtype.str() : fmt::format("{} arguments", call->args.size()))
        .at(call->span)
        .help("it takes a pointer and an integer, a float32 or a float64");
  }
  llvm::Value* pointer = data_pointer(call->args[0]);
  return b.CreateAtomicRMW(is_integer ? llvm::AtomicRMWInst::Add : llvm::AtomicRMWInst::FAdd, pointer,
                           emit(call->args[1]), llvm::Align(static_cast<uint64_t>(dtype.bytes())),
                           llvm::AtomicOrdering::Monotonic);
}

}  // namespace mlc::llvm_backend
