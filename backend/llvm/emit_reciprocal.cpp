// SPDX-License-Identifier: Apache-2.0
// Loops that say `mlc.reciprocal` may multiply by 1 / d where they divide by a `d` that stays the same:
//
//     r = 1 / d
//     if 2^-126 <= |d| <= 2^126: for k: C[k] = A[k] * r      # r is a normal number (float64: 1022)
//     else:                      for k: C[k] = A[k] / d
//
// The product may differ from the quotient in its last place. Zeros, infinities and NaN among the A[k] give
// what they give when divided; a `d` that is one of these, or nearly, divides.
#include <llvm/Analysis/ValueTracking.h>

#include <algorithm>

#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

namespace {

constexpr std::string_view kReciprocal = "mlc.reciprocal";

// What a divisor is for all lanes.
Expr one_lane(const Expr& divisor) {
  auto* all = ir::as<ir::BroadcastNode>(divisor);
  return all != nullptr ? all->value : divisor;
}

// The quotients of floats that each step of a loop computes, and all that it changes.
class Quotients final : public ir::Walker {
 public:
  explicit Quotients(const ir::ForNode* loop) {
    defined.insert(loop->loop_var.get());
    visit(loop->body);
  }
  std::vector<const ir::BinaryNode*> found;
  std::vector<const VarNode*> stored;
  std::unordered_set<const VarNode*> defined;
  bool plain = true;  // stores, and nothing else that changes something

 private:
  void visit(const Stmt& s) override {
    if (auto* store = ir::as<ir::BufferStoreNode>(s)) {
      stored.push_back(store->buffer.get());
      return walk_children(s);
    }
    plain = plain && ir::as<ir::SeqStmtNode>(s) != nullptr;
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (ir::as_call_to(e, "tirx.if_then_else") != nullptr) return;  // only one of its values is computed
    if (e->kind == ir::ExprKind::kAnd || e->kind == ir::ExprKind::kOr) return;
    auto* quotient = e->kind == ir::ExprKind::kDiv ? static_cast<const ir::BinaryNode*>(e.get()) : nullptr;
    if (quotient != nullptr && e->dtype().is_float() && one_lane(quotient->b)->dtype().is_scalar())
      found.push_back(quotient);
    walk_children(e);
  }
  void visit_def(const Var& var) override { defined.insert(var.get()); }
};

}  // namespace

// The quotients of a loop whose divisors may be computed before it.
std::vector<const ir::BinaryNode*> FunctionEmitter::by_reciprocals(const ir::ForNode* s) const {
  auto steps = ir::const_int(s->extent);
  if (s->annotations.count(ir::String(std::string(kReciprocal))) == 0 || !steps || *steps <= 0) return {};
  Quotients in(s);
  if (!in.plain) return {};
  auto origin = [&](const VarNode* buffer) { return llvm::getUnderlyingObject(values_.at(buffer).value); };
  // Memory that nobody else reaches, and that the loop does not write.
  auto stays = [&](const ir::TensorLoadNode* load) {
    const VarNode* buffer = load->source.get();
    if (!defines(buffer) || !(values_.at(buffer).local || values_.at(buffer).noalias)) return false;
    return std::ranges::none_of(in.stored, [&](const VarNode* each) {
      return each == buffer || !defines(each) || origin(each) == origin(buffer);
    });
  };
  std::erase_if(in.found, [&](const ir::BinaryNode* quotient) {
    const Expr divisor = one_lane(quotient->b);
    bool invariant = !m_.is_soft_float(divisor->dtype()) && divisor->dtype().bits() >= 32 &&
                     ir::as<ir::FloatImmNode>(divisor) == nullptr &&
                     ir::side_effect(divisor) <= ir::Effect::kReadState &&
                     !ir::uses_var(divisor, [&](const VarNode* var) { return in.defined.contains(var); });
    ir::post_order(divisor, [&](const Expr& e) {
      auto* load = ir::as<ir::TensorLoadNode>(e);
      invariant = invariant && (load == nullptr || stays(load));
    });
    return !invariant;
  });
  return in.found;
}

void FunctionEmitter::emit_by_reciprocals(const ir::ForNode* s,
                                          llvm::ArrayRef<const ir::BinaryNode*> quotients) {
  llvm::Value* normal = b.getTrue();
  for (const ir::BinaryNode* quotient : quotients) {
    llvm::Value* divisor = emit(one_lane(quotient->b));
    llvm::Type* type = divisor->getType();
    llvm::Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, divisor);
    const llvm::fltSemantics& format = type->getFltSemantics();
    llvm::APFloat least = llvm::APFloat::getSmallestNormalized(format);
    llvm::APFloat most(format, 1);
    most = most / least;
    normal = b.CreateAnd(normal, b.CreateFCmpOGE(size, llvm::ConstantFP::get(type, least)));
    normal = b.CreateAnd(normal, b.CreateFCmpOLE(size, llvm::ConstantFP::get(type, most)));
    reciprocals_[quotient] = b.CreateFDiv(llvm::ConstantFP::get(type, 1.0), divisor);
  }
  auto* multiplies = llvm::BasicBlock::Create(m_.context, "multiplies", function_, end_);
  auto* divides = llvm::BasicBlock::Create(m_.context, "divides", function_, end_);
  auto* join = llvm::BasicBlock::Create(m_.context, "join", function_, end_);
  b.CreateCondBr(normal, multiplies, divides, llvm::MDBuilder(m_.context).createLikelyBranchWeights());
  b.SetInsertPoint(multiplies);
  emit_loop(s, [&] { emit(s->body); });
  b.CreateBr(join);
  for (const ir::BinaryNode* quotient : quotients) reciprocals_.erase(quotient);
  b.SetInsertPoint(divides);
  emit_loop(s, [&] { emit(s->body); });
  b.CreateBr(join);
  b.SetInsertPoint(join);
}

}  // namespace mlc::llvm_backend
