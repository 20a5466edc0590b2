// SPDX-License-Identifier: Apache-2.0
// Stores past the caches, by `pragma_nontemporal_store` of the schedule rules.
#include <algorithm>
#include <ranges>

#include <llvm/IR/IntrinsicsX86.h>

#include "backend/llvm/emitter.h"
#include "ir/core/visit.h"

namespace mlc::llvm_backend {

namespace {

// The buffers that are stored to below a statement, or whose memory buffers that it declares share.
std::vector<const VarNode*> stored_buffers(const Stmt& body) {
  struct Stored final : ir::Walker {
    std::vector<const VarNode*> order;
    void note(const VarNode* var) {
      if (var->buffer() != nullptr && std::ranges::find(order, var) == order.end()) order.push_back(var);
    }
    void visit(const Stmt& s) override {
      if (auto* store = ir::as<ir::BufferStoreNode>(s)) note(store->buffer.get());
      if (auto* declared = ir::as<ir::DeclBufferNode>(s); declared && declared->data) {
        Expr origin = declared->data;
        if (auto* call = ir::as_call_to(origin, "tirx.buffer_data")) origin = call->args[0];
        if (auto* var = ir::as<VarNode>(origin)) note(var);
      }
      walk_children(s);
    }
    void visit(const Expr& e) override {}
  } found;
  found.visit(body);
  return found.order;
}

// The variables that are no multiple of `count` as far as is known, in the indices of what is stored to a
// buffer.
struct Factors final : ir::Walker {
  const VarNode* buffer;
  std::vector<const VarNode*> found;
  explicit Factors(const VarNode* buffer) : buffer(buffer) {}
  void visit(const Stmt& s) override {
    auto* store = ir::as<ir::BufferStoreNode>(s);
    if (store == nullptr) return walk_children(s);
    if (store->buffer.get() != buffer) return;
    for (const Expr& index : store->indices) {
      ir::post_order(index, [&](const Expr& e) {
        auto* var = ir::as<VarNode>(e);
        if (var != nullptr && std::ranges::find(found, var) == found.end()) found.push_back(var);
      });
    }
  }
  void visit(const Expr& e) override {}
};

}  // namespace

// The attribute's value is 1, or from how many bytes on a result is so large: that may show when it runs.
//
// Such stores are for whole lines. Where an argument that is written does not begin with one, or its rows do
// not, which shows when it runs, they are ordinary ones.
void FunctionEmitter::emit_past_caches(const ir::AttrStmtNode* s) {
  if (nontemporal_) return emit(s->body);
  int64_t least = ir::const_int(s->value).value_or(1);
  std::vector<const VarNode*> unknown;                      // buffers that may not begin with a line
  std::vector<std::pair<const VarNode*, int64_t>> strides;  // variables that may not be multiples
  llvm::Value* worth = b.getTrue();
  auto expect = [&](llvm::Value* condition) { worth = b.CreateAnd(worth, condition); };
  for (const VarNode* buffer : stored_buffers(s->body)) {
    auto found = values_.find(buffer);
    if (found == values_.end() || found->second.local) continue;
    if (least > 1) {
      expect(b.CreateICmpSGE(bytes_of(buffer), b.getInt64(static_cast<uint64_t>(least))));
      int64_t line =
          std::max<int64_t>(1, static_cast<int64_t>(kLine) / DataType(buffer->buffer()->dtype).bytes());
      Factors factors(buffer);
      factors.visit(s->body);
      for (const VarNode* var : factors.found) {
        auto bound = values_.find(var);
        if (bound == values_.end() || !bound->second.value->getType()->isIntegerTy()) continue;
        if (bound->second.multiple % line == 0) continue;
        strides.emplace_back(var, line);
        llvm::Value* value = bound->second.value;
        llvm::Value* past =
            b.CreateAnd(value, llvm::ConstantInt::get(value->getType(), static_cast<uint64_t>(line - 1)));
        expect(b.CreateICmpEQ(past, llvm::Constant::getNullValue(value->getType())));
      }
    }
    if (found->second.alignment >= kLine) continue;
    unknown.push_back(buffer);
    llvm::Value* past = b.CreateAnd(b.CreatePtrToInt(found->second.value, b.getInt64Ty()), kLine - 1);
    expect(b.CreateICmpEQ(past, b.getInt64(0)));
  }
  auto past_caches = [&] {
    nontemporal_ = true;
    emit(s->body);
    nontemporal_ = false;
    end_nontemporal();
  };
  if (unknown.empty() && least <= 1) return past_caches();
  auto* lines = llvm::BasicBlock::Create(m_.context, "lines", function_, end_);
  auto* other = llvm::BasicBlock::Create(m_.context, "no_lines", function_, end_);
  auto* join = llvm::BasicBlock::Create(m_.context, "join", function_, end_);
  b.CreateCondBr(worth, lines, other);
  b.SetInsertPoint(lines);
  std::vector<uint64_t> alignments;
  std::vector<int64_t> multiples;
  for (const VarNode* buffer : unknown) alignments.push_back(std::exchange(values_[buffer].alignment, kLine));
  for (const auto& [var, line] : strides) multiples.push_back(std::exchange(values_[var].multiple, line));
  past_caches();
  for (size_t i = 0; i < unknown.size(); ++i) values_[unknown[i]].alignment = alignments[i];
  for (size_t i = strides.size(); i-- > 0;) values_[strides[i].first].multiple = multiples[i];
  b.CreateBr(join);
  b.SetInsertPoint(other);
  emit(s->body);
  b.CreateBr(join);
  b.SetInsertPoint(join);
}

llvm::Value* FunctionEmitter::bytes_of(const VarNode* buffer) {
  const ir::BufferTypeNode* type = buffer->buffer();
  DataType element = type->dtype;
  llvm::Value* bytes =
      b.getInt64(static_cast<uint64_t>(element.bytes()) * static_cast<uint64_t>(element.lanes()));
  for (const Expr& extent : type->shape) bytes = b.CreateMul(bytes, index_value(extent));
  return bytes;
}

// Such stores of x86 may be seen later than others that follow them.
void FunctionEmitter::end_nontemporal() {
  if (m_.module->getTargetTriple().starts_with("x86_64"))
    b.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

}  // namespace mlc::llvm_backend
