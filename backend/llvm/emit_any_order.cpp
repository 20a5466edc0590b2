// SPDX-License-Identifier: Apache-2.0
// Loops whose steps may be combined in another order, by `mlc.any_order` of the schedule rules: then the
// optimiser takes several steps at once, in vectors.
#include "backend/llvm/emitter.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

namespace mlc::llvm_backend {

namespace {

constexpr std::string_view kAnyOrder = "mlc.any_order";

// The last operation of each store of a loop, a sum or a product, may be taken in any order.
void allow_any_order(llvm::BasicBlock* first, llvm::BasicBlock* end) {
  for (auto block = first->getIterator(); &*block != end; ++block) {
    for (llvm::Instruction& instruction : *block) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      auto* value = store == nullptr ? nullptr : llvm::dyn_cast<llvm::Instruction>(store->getValueOperand());
      if (value != nullptr && llvm::isa<llvm::FPMathOperator>(value) && value->isBinaryOp())
        value->setHasAllowReassoc(true);
    }
  }
}

constexpr int64_t kAtOnce = 4;  // vectors: what one adds up takes as many cycles

// The loop takes `count` vectors of `lanes` steps at once; `masked`: of which the last ones are masked.
void in_vectors(llvm::BasicBlock* after, int64_t lanes, int64_t count, bool masked) {
  for (llvm::BasicBlock* before : llvm::predecessors(after)) {
    llvm::Instruction* back = before->getTerminator();
    llvm::MDNode* id = back->getMetadata(llvm::LLVMContext::MD_loop);
    if (id == nullptr) continue;
    llvm::LLVMContext& context = back->getContext();
    llvm::SmallVector<llvm::Metadata*> hints(id->op_begin(), id->op_end());
    auto hint = [&](const char* name, llvm::Type* type, int64_t value) {
      auto* constant = llvm::ConstantInt::get(type, static_cast<uint64_t>(value));
      hints.push_back(llvm::MDNode::get(
          context, {llvm::MDString::get(context, name), llvm::ConstantAsMetadata::get(constant)}));
    };
    if (masked) hint("llvm.loop.vectorize.predicate.enable", llvm::Type::getInt1Ty(context), 1);
    hint("llvm.loop.vectorize.width", llvm::Type::getInt32Ty(context), lanes);
    hint("llvm.loop.interleave.count", llvm::Type::getInt32Ty(context), count);
    llvm::MDNode* made = llvm::MDNode::getDistinct(context, hints);
    made->replaceOperandWith(0, made);
    back->setMetadata(llvm::LLVMContext::MD_loop, made);
  }
}

// Whether the operand of an extreme is the element that it is stored to.
bool is_element(const Expr& e, const ir::BufferStoreNode* store) {
  auto* load = ir::as<ir::TensorLoadNode>(e);
  return load != nullptr && load->source.get() == store->buffer.get() &&
         ir::structural_equal(load->indices, store->indices);
}

// The store of a loop that takes the largest or smallest of floats, C[i] = max(C[i], x), or null.
const ir::BufferStoreNode* extreme_of(const ir::ForNode* s) {
  auto* store = ir::as<ir::BufferStoreNode>(s->body);
  if (store == nullptr || !store->value->dtype().is_float() || !store->value->dtype().is_scalar())
    return nullptr;
  if (store->value->kind != ir::ExprKind::kMax && store->value->kind != ir::ExprKind::kMin) return nullptr;
  auto* extreme = static_cast<const ir::BinaryNode*>(store->value.get());
  const Expr& operand = is_element(extreme->a, store) ? extreme->b : extreme->a;
  if (!is_element(extreme->a, store) && !is_element(extreme->b, store)) return nullptr;
  if (ir::side_effect(operand) > ir::Effect::kReadState) return nullptr;
  bool plain = true;  // the operand does not read what is stored, which lies at one place for all steps
  ir::post_order(operand, [&](const Expr& e) {
    auto* load = ir::as<ir::TensorLoadNode>(e);
    plain = plain && (load == nullptr || load->source.get() != store->buffer.get());
  });
  for (const Expr& index : store->indices)
    plain = plain && !ir::uses_var(index, [&](const VarNode* var) { return var == s->loop_var.get(); });
  return plain ? store : nullptr;
}

}  // namespace

bool FunctionEmitter::in_any_order(const ir::ForNode* s) {
  return s->annotations.count(ir::String(std::string(kAnyOrder))) != 0;
}

// How many steps a vector takes whose last ones are masked, where the machine does that at no cost and the
// loop is not known to be a multiple of vectors; else 0.
int64_t FunctionEmitter::lanes_to_mask(const ir::ForNode* s) const {
  auto* store = ir::as<ir::BufferStoreNode>(s->body);
  constexpr unsigned kMasked = 512;
  if (store == nullptr || s->step || m_.machine.legal_bits < kMasked || !m_.machine.scales_by_powers)
    return 0;
  DataType dtype = store->value->dtype();
  if (!dtype.is_scalar() || dtype.bits() < 32 || !dtype.is_float()) return 0;
  int64_t lanes = kMasked / dtype.bits();
  auto extent = ir::const_int(s->extent);
  return extent && (*extent < 4 * lanes || *extent % (2 * lanes) == 0) ? 0 : lanes;
}

// A loop in vectors, what is left in masked ones: a few steps are all masked, of more the last ones are a
// loop of their own.
void FunctionEmitter::emit_combined(const ir::ForNode* s,
                                    llvm::function_ref<LoopBlocks(const ir::ForNode*)> emitted) {
  constexpr int64_t kFew = 256;
  int64_t lanes = lanes_to_mask(s);
  auto extent = ir::const_int(s->extent);
  if (lanes == 0) {
    emitted(s);
  } else if (extent && *extent <= kFew) {
    in_vectors(emitted(s).after, lanes, kAtOnce, true);
  } else {
    Expr by = ir::const_like(s->extent, lanes * kAtOnce);
    Expr steps = ir::max(s->extent, ir::const_like(s->extent, 0));
    Expr whole = ir::mul(ir::floordiv(steps, by), by);
    ir::For first = ir::with(ir::ref(s), [&](ir::ForNode& n) { n.extent = whole; });
    ir::For rest = ir::with(ir::ref(s), [&](ir::ForNode& n) {
      n.min = ir::add(s->min, whole);
      n.extent = ir::sub(steps, whole);
    });
    in_vectors(emitted(first.get()).after, lanes, kAtOnce, false);
    in_vectors(emitted(rest.get()).after, lanes, 1, true);
  }
}

void FunctionEmitter::emit_any_order(const ir::ForNode* s) {
  const ir::BufferStoreNode* update = extreme_of(s);
  if (update != nullptr && !m_.is_soft_float(update->value->dtype())) return emit_extreme(s, update);
  if (emit_choice(s)) return;
  emit_combined(s, [&](const ir::ForNode* part) {
    LoopBlocks blocks = emit_loop(part, [&] { emit(s->body); });
    allow_any_order(blocks.first, blocks.after);
    return blocks;
  });
}

// A maximum is `a > b ? a : b`: a NaN takes the place of what came before and gives way to what comes next,
// so among NaN the order matters. Therefore the vectors are added up beside: the sum is NaN if one of them is
// (or if there are infinities of both signs); then what they found is nobody's, and the steps are taken
// again, one after the other. Which of two zeros it is remains open.
//
//     old = C[i]; sum = old
//     for k: sum += x; C[i] = max(C[i], x)     # in any order
//     if isnan(sum): C[i] = old; for k: C[i] = max(C[i], x)
void FunctionEmitter::emit_extreme(const ir::ForNode* s, const ir::BufferStoreNode* update) {
  auto* extreme = static_cast<const ir::BinaryNode*>(update->value.get());
  bool first = is_element(extreme->a, update);
  DataType dtype = update->value->dtype();
  auto* join = llvm::BasicBlock::Create(m_.context, "extreme", function_, end_);
  auto extent = ir::const_int(s->extent);
  if (!extent || *extent <= 0) {  // without steps the element need not be there
    auto* some = llvm::BasicBlock::Create(m_.context, "some", function_, join);
    llvm::Value* count = emit(s->extent);
    b.CreateCondBr(b.CreateICmpSGT(count, llvm::ConstantInt::get(count->getType(), 0)), some, join);
    b.SetInsertPoint(some);
  }
  auto put = [&](llvm::Value* value) {
    Var var = ir::make<VarNode>(ir::String("extreme"), ir::Type(ir::prim_type(dtype)));
    values_[var.get()].value = value;
    emit(Stmt(ir::make<ir::BufferStoreNode>(update->buffer, var, update->indices, update->span)));
    values_.erase(var.get());
  };
  // Up to so many steps NaN are compared for: twice the operations, but the bits of lanes are tested faster
  // than the lanes of a sum are added up.
  constexpr int64_t kFew = 256;
  bool adds = !extent || *extent > kFew;
  llvm::Type* mask = b.getIntNTy(static_cast<unsigned>(dtype.bits()));
  auto is_nan = [&](llvm::Value* value) { return b.CreateSExt(b.CreateFCmpUNO(value, value), mask); };

  llvm::Value* old = emit(first ? extreme->a : extreme->b);
  llvm::AllocaInst* seen = stack_slot(adds ? old->getType() : mask, 1, 8);
  b.CreateStore(adds ? old : is_nan(old), seen);
  auto steps = [&] {
    llvm::Value* x = emit(first ? extreme->b : extreme->a);
    llvm::Value* before = emit(first ? extreme->a : extreme->b);
    llvm::IRBuilderBase::FastMathFlagGuard keep(b);
    llvm::FastMathFlags flags = b.getFastMathFlags();
    flags.setAllowReassoc();
    b.setFastMathFlags(flags);
    llvm::Value* so_far = b.CreateLoad(seen->getAllocatedType(), seen);
    b.CreateStore(adds ? b.CreateFAdd(so_far, x) : b.CreateOr(so_far, is_nan(x)), seen);
    flags.setNoNaNs();
    flags.setNoSignedZeros();
    b.setFastMathFlags(flags);
    bool largest = extreme->kind == ir::ExprKind::kMax;
    llvm::Value* keeps = largest ? b.CreateFCmpOGT(before, x) : b.CreateFCmpOLT(before, x);
    auto* chosen = llvm::cast<llvm::Instruction>(b.CreateSelect(keeps, before, x));
    chosen->setFastMathFlags(flags);
    put(chosen);
  };
  emit_combined(s, [&](const ir::ForNode* part) { return emit_loop(part, steps); });
  auto* again = llvm::BasicBlock::Create(m_.context, "again", function_, join);
  llvm::Value* result = b.CreateLoad(seen->getAllocatedType(), seen);
  llvm::Value* none = llvm::Constant::getNullValue(result->getType());
  b.CreateCondBr(adds ? b.CreateFCmpORD(result, none) : b.CreateICmpEQ(result, none), join, again,
                 llvm::MDBuilder(m_.context).createLikelyBranchWeights());
  b.SetInsertPoint(again);
  put(old);
  emit_loop(s, [&] { emit(s->body); });
  b.CreateBr(join);
  b.SetInsertPoint(join);
}

}  // namespace mlc::llvm_backend
