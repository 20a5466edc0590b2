// SPDX-License-Identifier: Apache-2.0
// Run-time alias checks. Without `tirx.noalias` a caller may pass the same memory twice, and code that allows
// for that reads again after every store what it could keep in registers: a tiled product takes twice the time.
// TVM's code never allows for it. Here such a function is compiled twice, and its entry points look at the
// addresses: arguments that share no memory, which is nearly every call, go to the version whose pointers are
// `noalias`. A few comparisons per call, and twice the code of functions that do not promise.
#include "backend/llvm/emitter.h"
#include "ir/core/visit.h"

namespace mlc::llvm_backend {

namespace {

// Which buffers a function may write: those it stores to, itself or through views, and those whose address
// goes where nobody looks.
class Writes final : public ir::Walker {
 public:
  std::unordered_set<const VarNode*> roots;
  bool loops = false;

  using Walker::visit;
  void visit(const Expr& e) override {
    if (const auto* load = ir::as<ir::TensorLoadNode>(e)) {
      for (const Expr& index : load->indices) visit(index);
      return;
    }
    if (const auto* var = ir::as<VarNode>(e); var != nullptr && var->buffer() != nullptr) roots.insert(root(var));
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (const auto* view = ir::as<ir::DeclBufferNode>(s); view != nullptr && view->data) {
      const auto* call = ir::as_call_to(view->data, "tirx.buffer_data");
      if (const auto* source = ir::as<VarNode>(call != nullptr ? call->args[0] : view->data)) {
        root_[view->buffer.get()] = root(source);
        return;
      }
    }
    if (const auto* store = ir::as<ir::BufferStoreNode>(s)) {
      roots.insert(root(store->buffer.get()));
      visit(store->value);
      for (const Expr& index : store->indices) visit(index);
      return;
    }
    loops = loops || s->kind == ir::StmtKind::kFor || s->kind == ir::StmtKind::kWhile;
    walk_children(s);
  }

 private:
  const VarNode* root(const VarNode* buffer) const {
    auto found = root_.find(buffer);
    return found == root_.end() ? buffer : found->second;
  }
  std::unordered_map<const VarNode*, const VarNode*> root_;  // views -> the buffer whose memory they show
};

// Does the data of a buffer lie within its shape's bytes from the pointer on, as entry points get it?
bool is_compact(const ir::BufferTypeNode* type) {
  return type->strides.empty() && (!type->elem_offset || ir::is_const_int(type->elem_offset, 0));
}

}  // namespace

// Two versions are worth their code where there is a loop, and more than one buffer of which one is written.
void ModuleEmitter::find_writes(Signature& signature) const {
  constexpr size_t kMostBuffers = 12;  // each written one is compared with all others
  size_t buffers = 0;
  for (const Var& param : signature.params) {
    if (param->buffer() == nullptr) continue;
    ++buffers;
    if (!is_compact(param->buffer())) return;
  }
  if (signature.noalias || !signature.exported || machine.opt_level < 2 || buffers < 2 || buffers > kMostBuffers)
    return;
  Writes writes;
  writes.visit(signature.fn->body);
  if (!writes.loops) return;
  for (size_t i = 0; i < signature.params.size(); ++i) {
    if (writes.roots.contains(signature.params[i].get())) signature.written.push_back(i);
  }
}

// The version for these arguments: a function's parameters as entry points have bound them.
llvm::Value* FunctionEmitter::version_for(const Signature& signature, llvm::ArrayRef<llvm::Value*> args) {
  if (signature.apart == nullptr) return signature.compute;
  std::vector<llvm::Value*> begins, ends;
  for (size_t i = 0; i < signature.params.size(); ++i) {
    const ir::BufferTypeNode* type = signature.params[i]->buffer();
    begins.push_back(type == nullptr ? nullptr : b.CreatePtrToInt(args[i], b.getInt64Ty()));
    ends.push_back(nullptr);
    if (type == nullptr) continue;
    DataType dtype = type->dtype;
    llvm::Value* bytes = b.getInt64(static_cast<uint64_t>(dtype.bytes() * dtype.lanes()));
    for (const Expr& extent : type->shape)
      bytes = b.CreateMul(bytes, convert(emit(extent), extent->dtype(), DataType::Int(64)));
    ends.back() = b.CreateAdd(begins.back(), bytes);
  }
  llvm::Value* apart = b.getTrue();
  std::unordered_set<size_t> done;
  for (size_t one : signature.written) {
    done.insert(one);
    for (size_t other = 0; other < begins.size(); ++other) {
      if (begins[other] == nullptr || done.contains(other)) continue;
      apart = b.CreateAnd(apart, b.CreateOr(b.CreateICmpULE(ends[one], begins[other]),
                                            b.CreateICmpULE(ends[other], begins[one])));
    }
  }
  return b.CreateSelect(apart, signature.apart, signature.compute);
}

}  // namespace mlc::llvm_backend
