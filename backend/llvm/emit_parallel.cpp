// SPDX-License-Identifier: Apache-2.0
// Parallel loops. The body becomes a function over a range of iterations,
//   i32 @f_parallel(i64 begin, i64 end, captured values...)
// called by a task that unpacks a closure, which the launch hands to the threads of
// backend/runtime/parallel.h:
//   i32 mlc_parallel_launch(task, closure, extent)
// or, for a target with `num-cores`,
//   i32 mlc_parallel_launch_on(task, closure, extent, cores)
// Captured buffers stay `noalias` parameters, so the optimiser knows as much inside the loop as outside.
#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

namespace {

// Variables that are used below a statement, defined there or not, in order of appearance.
struct UsedVars final : ir::Walker {
  std::vector<const VarNode*> order;
  std::unordered_set<const VarNode*> seen;
  void note(const VarNode* var) {
    if (!seen.insert(var).second) return;
    order.push_back(var);
    const ir::BufferTypeNode* type = var->buffer();
    if (type == nullptr) return;
    for (const Expr& e : type->shape) visit(e);
    for (const Expr& e : type->strides) visit(e);
    if (type->elem_offset) visit(type->elem_offset);
  }
  void visit(const Expr& e) override {
    if (auto* var = ir::as<VarNode>(e)) note(var);
    walk_children(e);
  }
  void visit(const Stmt& s) override { walk_children(s); }
  void visit_buffer(const ir::Buffer& buffer) override { note(buffer.get()); }
};

}  // namespace

void FunctionEmitter::emit_parallel(const ir::ForNode* s) {
  if (s->step && !ir::is_const_int(s->step, 1)) {
    throw ir::Error("codegen-unsupported", "a parallel loop with a step cannot be compiled").at(s->span);
  }
  UsedVars used;
  used.visit(s->body);
  // Memory from outside; the body is emitted as a function of the CPU.
  auto refuse_access = [this](const ir::Buffer& buffer, ir::Span span) {
    if (values_.contains(buffer.get())) refuse_on_device(buffer, span);
  };
  ir::post_order(
      s->body,
      [&](const Expr& e) {
        if (auto* load = ir::as<ir::TensorLoadNode>(e)) refuse_access(load->source, e->span);
      },
      [&](const Stmt& one) {
        if (auto* store = ir::as<ir::BufferStoreNode>(one)) refuse_access(store->buffer, one->span);
      });
  // One parameter per distinct value: two views of one piece of memory must stay one pointer.
  std::vector<llvm::Value*> captured;
  std::unordered_map<llvm::Value*, unsigned> position;
  std::vector<std::pair<const VarNode*, Binding>> inherited;
  bool alone = true;  // every captured pointer is alone on its memory
  llvm::Value* min = emit(s->min);
  for (const VarNode* var : used.order) {
    auto found = values_.find(var);
    if (found == values_.end()) continue;
    const Binding& bound = found->second;
    inherited.emplace_back(var, bound);
    if (llvm::isa<llvm::Constant>(bound.value)) continue;
    if (bound.value->getType()->isPointerTy()) alone = alone && bound.noalias;
    if (position.emplace(bound.value, captured.size()).second) captured.push_back(bound.value);
  }
  captured.push_back(min);
  std::vector<llvm::Type*> types{b.getInt64Ty(), b.getInt64Ty()};
  for (llvm::Value* value : captured) types.push_back(value->getType());

  m_.parallel = true;
  std::string name = (function_->getName() + "_parallel").str();
  llvm::Function* body = m_.new_function(name, llvm::FunctionType::get(b.getInt32Ty(), types, false), false);
  llvm::Argument* begin = body->getArg(0);
  llvm::Argument* end = body->getArg(1);
  begin->setName("begin");
  end->setName("end");
  {
    FunctionEmitter inner(m_, body, place_);
    inner.refuse_returns("inside a parallel loop");
    inner.in_parallel_ = true;
    inner.prefetch_ = prefetch_;
    for (const auto& [var, outer] : inherited) {
      Binding made = outer;
      if (!llvm::isa<llvm::Constant>(outer.value)) {
        llvm::Argument* argument = body->getArg(position[outer.value] + 2);
        made.value = argument;
        if (!argument->hasName()) argument->setName(std::string_view(var->name.data(), var->name.size()));
        if (outer.value->getType()->isPointerTy()) {
          if (alone) argument->addAttr(llvm::Attribute::NoAlias);
          if (outer.alignment > 1) {
            argument->addAttr(llvm::Attribute::getWithAlignment(m_.context, llvm::Align(outer.alignment)));
          }
        }
      }
      inner.values_[var] = made;
    }
    auto* loop_type = llvm::cast<llvm::IntegerType>(min->getType());
    llvm::Argument* first = body->getArg(static_cast<unsigned>(captured.size()) + 1);
    first->setName("min");
    llvm::IRBuilder<>& ib = inner.b;
    auto* run =
        llvm::BasicBlock::Create(m_.context, "for." + std::string(s->loop_var->name), body, inner.end_);
    auto* next = llvm::BasicBlock::Create(m_.context, "next", body, inner.end_);
    auto* after = llvm::BasicBlock::Create(m_.context, "after", body, inner.end_);
    llvm::BasicBlock* before = ib.GetInsertBlock();
    ib.CreateCondBr(ib.CreateICmpSLT(begin, end), run, after);
    ib.SetInsertPoint(run);
    llvm::PHINode* counter = ib.CreatePHI(ib.getInt64Ty(), 2);
    counter->addIncoming(begin, before);
    llvm::Value* index = ib.CreateAdd(ib.CreateTrunc(counter, loop_type), first, "", false, true);
    inner.define(s->loop_var, index);
    inner.values_[s->loop_var.get()].nonnegative = nonnegative(s->min);
    inner.loops_.push_back({next, nullptr});  // other iterations may have begun: there is no end to jump to
    inner.emit(s->body);
    ib.CreateBr(next);
    ib.SetInsertPoint(next);
    llvm::Value* advanced = ib.CreateAdd(counter, ib.getInt64(1), "", true, true);
    counter->addIncoming(advanced, next);
    ib.CreateCondBr(ib.CreateICmpSLT(advanced, end), run, after);
    ib.SetInsertPoint(after);
    inner.finish();
  }

  // The closure: the captured values, then min, as one struct on this function's stack.
  std::vector<llvm::Type*> fields(types.begin() + 2, types.end());
  auto* closure_type = llvm::StructType::get(m_.context, fields);
  llvm::AllocaInst* closure = stack_slot(closure_type, 1, 64);
  for (unsigned i = 0; i < captured.size(); ++i)
    b.CreateStore(captured[i], b.CreateStructGEP(closure_type, closure, i));

  llvm::Type* pointer = b.getPtrTy();
  auto* task_type = llvm::FunctionType::get(b.getInt32Ty(), {pointer, b.getInt64Ty(), b.getInt64Ty()}, false);
  llvm::Function* task = m_.new_function(name + "_task", task_type, false);
  {
    llvm::IRBuilder<> tb(llvm::BasicBlock::Create(m_.context, "entry", task));
    if (m_.lines != nullptr) tb.SetCurrentDebugLocation(m_.lines->at(m_.lines->begin(*task, place_), place_));
    std::vector<llvm::Value*> args{task->getArg(1), task->getArg(2)};
    for (unsigned i = 0; i < fields.size(); ++i) {
      args.push_back(tb.CreateLoad(fields[i], tb.CreateStructGEP(closure_type, task->getArg(0), i)));
    }
    tb.CreateRet(tb.CreateCall(body, args));
  }
  llvm::Value* extent = b.CreateSExt(emit(s->extent), b.getInt64Ty());
  std::vector<llvm::Value*> arguments{task, closure, extent};
  std::vector<llvm::Type*> argument_types{pointer, pointer, b.getInt64Ty()};
  const char* name_of_launch = "mlc_parallel_launch";
  if (m_.machine.cores != 0) {
    name_of_launch = "mlc_parallel_launch_on";
    arguments.push_back(b.getInt32(static_cast<uint32_t>(m_.machine.cores)));
    argument_types.push_back(b.getInt32Ty());
  }
  check_status(b.CreateCall(m_.outside(name_of_launch, b.getInt32Ty(), argument_types), arguments));
}

}  // namespace mlc::llvm_backend
