// SPDX-License-Identifier: Apache-2.0
// What the annotations of a loop ask of LLVM: the order of its steps, vectors, memory ahead of time. None of
// them has to be heeded for the result.
#include <llvm/ADT/SetVector.h>

#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

namespace {

// The number that a loop says under `key`, 0 where it says none.
int64_t number_of(const ir::ForNode* loop, const char* key) {
  auto found = loop->annotations.find(ir::String(key));
  if (found == loop->annotations.end()) return 0;
  auto value = (*found).second.as<Expr>();
  return (value ? ir::const_int(*value) : (*found).second.try_cast<int64_t>()).value_or(0);
}

// a > b ? a : b, and the like.
bool is_extreme(const llvm::SelectInst& choice) {
  auto* order = llvm::dyn_cast<llvm::FCmpInst>(choice.getCondition());
  return order != nullptr && order->getOperand(0) == choice.getTrueValue() &&
         order->getOperand(1) == choice.getFalseValue();
}

}  // namespace

// `mlc.reassociate`: the last operation of each store, a sum or a product, may be taken in any order; with
// `mlc.no_nans` minima and maxima, too, which compare no NaN and give any of two zeros.
// `first`, `after`: of the body, and behind the loop.
void FunctionEmitter::allow_reassociation(const ir::ForNode* s, llvm::BasicBlock* first,
                                          llvm::BasicBlock* after) {
  if (number_of(s, "mlc.reassociate") == 0) return;
  bool no_nans = number_of(s, "mlc.no_nans") != 0;
  llvm::SmallSetVector<llvm::BasicBlock*, 8> body;
  body.insert(first);
  for (size_t i = 0; i < body.size(); ++i) {
    for (llvm::BasicBlock* next : llvm::successors(body[i]))
      if (next != after && next != end_) body.insert(next);
    for (llvm::Instruction& instruction : *body[i]) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      auto* value = store == nullptr ? nullptr : llvm::dyn_cast<llvm::Instruction>(store->getValueOperand());
      if (value == nullptr || !llvm::isa<llvm::FPMathOperator>(value)) continue;
      auto* choice = llvm::dyn_cast<llvm::SelectInst>(value);
      if (value->isBinaryOp()) {
        value->setHasAllowReassoc(true);
      } else if (no_nans && choice != nullptr && is_extreme(*choice)) {
        for (auto* part : {value, llvm::cast<llvm::Instruction>(choice->getCondition())}) {
          part->setHasAllowReassoc(true);
          part->setHasNoNaNs(true);
          part->setHasNoSignedZeros(true);
        }
      }
    }
  }
}

// The metadata of a loop's last branch.
llvm::MDNode* FunctionEmitter::loop_hints(const ir::ForNode* s) {
  std::vector<llvm::Metadata*> hints{nullptr};
  auto hint = [&](const char* name, llvm::Type* type = nullptr, int64_t value = 0) {
    std::vector<llvm::Metadata*> parts{llvm::MDString::get(m_.context, name)};
    if (type != nullptr)
      parts.push_back(
          llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, static_cast<uint64_t>(value))));
    hints.push_back(llvm::MDNode::get(m_.context, parts));
  };
  hint("llvm.loop.mustprogress");
  if (s->for_kind == ir::ForKind::kUnrolled) hint("llvm.loop.unroll.full");
  if (number_of(s, "mlc.vectorize_predicate") != 0)
    hint("llvm.loop.vectorize.predicate.enable", b.getInt1Ty(), 1);
  if (int64_t lanes = number_of(s, "mlc.vectorize_width"); lanes > 0)
    hint("llvm.loop.vectorize.width", b.getInt32Ty(), lanes);
  if (int64_t count = number_of(s, "mlc.interleave_count"); count > 0)
    hint("llvm.loop.interleave.count", b.getInt32Ty(), count);
  llvm::MDNode* id = llvm::MDNode::getDistinct(m_.context, hints);
  id->replaceOperandWith(0, id);
  return id;
}

// How many bytes ahead of what a loop loads, in vectors, memory is asked for what comes then.
int64_t FunctionEmitter::bytes_ahead(const ir::ForNode* s) { return number_of(s, "mlc.prefetch"); }

}  // namespace mlc::llvm_backend
