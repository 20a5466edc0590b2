// SPDX-License-Identifier: Apache-2.0
// Statements and control flow.

#include <algorithm>
#include <numeric>
#include <utility>

#include <llvm/IR/IntrinsicsX86.h>

#include "backend/backend.h"
#include "backend/llvm/emitter.h"
#include "ir/core/visit.h"

namespace mlc::llvm_backend {

using ir::Error;
using ir::ForKind;

namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view help, ir::Span span) {
  throw Error("codegen-unsupported", "{} cannot be compiled for the CPU", what)
      .at(span)
      .help(std::string(help));
}

std::string_view name_of(const ir::String& text) { return {text.data(), text.size()}; }

}  // namespace

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, llvm::Function* function, ir::Span place)
    : b(module.context),
      m_(module),
      function_(function),
      entry_(llvm::BasicBlock::Create(module.context, "entry", function)),
      end_(llvm::BasicBlock::Create(module.context, "end", function)) {
  status_ = llvm::PHINode::Create(b.getInt32Ty(), 2, "status", end_);
  auto* body = llvm::BasicBlock::Create(module.context, "body", function, end_);
  b.SetInsertPoint(body);
  llvm::FastMathFlags flags;
  unsigned wanted = module.machine.fast_math;
  if (wanted & Machine::kNoNans) flags.setNoNaNs();
  if (wanted & Machine::kNoInfs) flags.setNoInfs();
  if (wanted & Machine::kNoSignedZeros) flags.setNoSignedZeros();
  if (wanted & Machine::kReciprocal) flags.setAllowReciprocal();
  if (wanted & Machine::kReassociate) flags.setAllowReassoc();
  if (wanted & Machine::kApproximate) flags.setApproxFunc();
  if (wanted & Machine::kContract) flags.setAllowContract(true);
  b.setFastMathFlags(flags);
  place_ = place;
  if (m_.lines == nullptr) return;
  subprogram_ = m_.lines->begin(*function, place);
  b.SetCurrentDebugLocation(m_.lines->at(subprogram_, place));
}

FunctionEmitter::At::At(FunctionEmitter& emitter, ir::Span span) {
  if (!span || emitter.subprogram_ == nullptr) return;
  emitter_ = &emitter;
  before_ = emitter.b.getCurrentDebugLocation();
  place_ = std::exchange(emitter.place_, span);
  emitter.b.SetCurrentDebugLocation(emitter.m_.lines->at(emitter.subprogram_, span));
}
FunctionEmitter::At::~At() {
  if (emitter_ == nullptr) return;
  emitter_->b.SetCurrentDebugLocation(before_);
  emitter_->place_ = place_;
}

void FunctionEmitter::finish() {
  if (b.GetInsertBlock()->getTerminator() == nullptr) {
    status_->addIncoming(b.getInt32(0), b.GetInsertBlock());
    b.CreateBr(end_);
  }
  // The stack slots are all made by now: leave the entry block.
  llvm::BranchInst::Create(entry_->getNextNode(), entry_);
  b.SetInsertPoint(end_);
  // On x86, stores past the caches may be seen later than others that follow them.
  if (streamed_ && m_.module->getTargetTriple().starts_with("x86_64"))
    b.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  for (llvm::Value* slot : heap_slots_) {
    b.CreateCall(m_.outside("free", b.getVoidTy(), {b.getPtrTy()}), {b.CreateLoad(b.getPtrTy(), slot)});
  }
  free_on_device();
  b.CreateRet(status_);
}

const FunctionEmitter::Binding& FunctionEmitter::binding(const VarNode* var, ir::Span span) const {
  auto found = values_.find(var);
  if (found != values_.end()) return found->second;
  throw Error("undefined-variable", "`{}` is not defined here", var->name.c_str()).at(span);
}

void FunctionEmitter::define(const Var& var, llvm::Value* value) {
  Binding made;
  made.value = value;
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value); constant && constant->getBitWidth() <= 64) {
    made.nonnegative = !constant->isNegative();
    made.multiple = std::max<int64_t>(1, std::abs(constant->getSExtValue()));
  } else if (!value->hasName()) {
    value->setName(name_of(var->name));
  }
  values_[var.get()] = made;
}

void FunctionEmitter::define_extent(const Var& var, llvm::Value* value) {
  define(var, value);
  values_[var.get()].nonnegative = true;
}

void FunctionEmitter::define_buffer(const Var& buffer, llvm::Value* data, bool noalias, uint64_t alignment) {
  values_[buffer.get()] = {data, noalias, alignment, false, 1};
}

void FunctionEmitter::fail_unless(llvm::Value* ok, llvm::function_ref<llvm::Value*()> raise) {
  auto* fail = llvm::BasicBlock::Create(m_.context, "fail", function_, end_);
  auto* next = llvm::BasicBlock::Create(m_.context, "ok", function_, end_);
  b.CreateCondBr(ok, next, fail, llvm::MDBuilder(m_.context).createLikelyBranchWeights());
  b.SetInsertPoint(fail);
  status_->addIncoming(raise(), fail);
  b.CreateBr(end_);
  b.SetInsertPoint(next);
}

void FunctionEmitter::require(llvm::Value* ok, std::string_view kind, std::string_view message) {
  fail_unless(ok, [&]() -> llvm::Value* {
    b.CreateCall(m_.raise_text(), {m_.text(kind), m_.text(message)});
    return b.getInt32(static_cast<uint32_t>(-1));
  });
}

void FunctionEmitter::check_status(llvm::Value* status) {
  auto* next = llvm::BasicBlock::Create(m_.context, "ok", function_, end_);
  status_->addIncoming(status, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpEQ(status, b.getInt32(0)), next, end_,
                 llvm::MDBuilder(m_.context).createLikelyBranchWeights());
  b.SetInsertPoint(next);
}

void FunctionEmitter::jump(llvm::BasicBlock* target) {
  b.CreateBr(target);
  b.SetInsertPoint(llvm::BasicBlock::Create(m_.context, "unreached", function_, end_));
}

void FunctionEmitter::emit(const Stmt& s) {
  auto* stored =
      ir::as<ir::BufferStoreNode>(s);  // what a tensor expression computes has a place, its store none
  At at(*this, s->span || stored == nullptr ? s->span : stored->value->span);
  ir::dispatch(
      s, ir::overloaded{
             [&](const ir::BindNode* n) {
               llvm::Value* value = emit(n->value);
               bool positive = nonnegative(n->value);
               int64_t multiple =
                   n->value->dtype().is_integral() ? std::max<int64_t>(1, multiple_of(n->value)) : 1;
               define(n->var, value);
               loaded_names_.bind(n->var, n->value);
               Binding& made = values_[n->var.get()];
               made.nonnegative = positive;
               made.multiple = multiple;
             },
             [&](const ir::AttrStmtNode* n) { emit_attr(n); },
             [&](const ir::AssertStmtNode* n) {
               std::string message;
               for (const ir::String& part : n->message_parts) message += name_of(part);
               require(emit(n->condition), name_of(n->error_kind), message);
             },
             [&](const ir::BufferStoreNode* n) { store(n); },
             [&](const ir::AllocBufferNode* n) { allocate(n); },
             [&](const ir::DeclBufferNode* n) {
               if (!n->data)
                 throw ir::Error("unsupported", "memory with an address of its own exists on a GPU only")
                     .at(n->span);
               llvm::Value* data = data_pointer(n->data);
               uint64_t alignment = 0;
               bool noalias = false;
               bool local = false;
               Expr origin = n->data;
               if (auto* call = ir::as_call_to(n->data, "tirx.buffer_data")) origin = call->args[0];
               if (auto* source = ir::as<VarNode>(origin)) {
                 const Binding& memory = binding(source, n->span);
                 alignment = memory.alignment;
                 noalias = memory.noalias;
                 local = memory.local;
               }
               define_buffer(n->buffer, data, noalias, alignment);
               values_[n->buffer.get()].local = local;
             },
             [&](const ir::SeqStmtNode* n) {
               for (const Stmt& one : n->seq) emit(one);
             },
             [&](const ir::EvaluateNode* n) {
               if (!ir::const_int(n->value)) emit(n->value);
             },
             [&](const ir::IfThenElseNode* n) { emit_if(n); },
             [&](const ir::ForNode* n) { emit_for(n); },
             [&](const ir::WhileNode* n) { emit_while(n); },
             [&](const ir::ReturnNode* n) { emit_return(n->value, n->span); },
             [&](const ir::BreakNode* n) {
               if (loops_.empty()) refuse("`break` outside of a loop", "", n->span);
               if (loops_.back().end == nullptr) refuse("`break` out of a parallel loop", "", n->span);
               jump(loops_.back().end);
             },
             [&](const ir::ContinueNode* n) {
               if (loops_.empty()) refuse("`continue` outside of a loop", "", n->span);
               jump(loops_.back().next);
             },
             [&](const ir::SBlockNode* n) { refuse("a block", "lower the module first", n->span); },
             [&](const ir::SBlockRealizeNode* n) { refuse("a block", "lower the module first", n->span); },
             [&](const ir::ScopeIdDefStmtNode* n) {
               refuse("a scope id", "it belongs to GPU kernels", n->span);
             },
             [&](const ir::TilePrimitiveCallNode* n) {
               refuse("a tile primitive", "it belongs to GPU kernels", n->span);
             },
         });
}

namespace {

// The bytes of which the address of a streaming store is a multiple.
uint64_t stream_alignment(const ir::AttrStmtNode* s) {
  auto value = ir::const_int(s->value);
  if (value && *value > 1 && llvm::isPowerOf2_64(static_cast<uint64_t>(*value)))
    return static_cast<uint64_t>(*value);
  throw Error("codegen-unsupported",
              "`mlc.streaming_store` says the alignment of a store, a power of two above 1")
      .at(s->span);
}

}  // namespace

void FunctionEmitter::emit_attr(const ir::AttrStmtNode* s) {
  std::string_view key = name_of(s->attr_key);
  if (key == "thread_extent" || key == "virtual_thread") {
    refuse("a thread binding", "bind loops to threads only for GPU targets; use `parallel` here", s->span);
  }
  if (key == "mlc.streaming_store") {
    llvm::Align outside = std::exchange(streaming_, llvm::Align(stream_alignment(s)));
    emit(s->body);
    streaming_ = outside;
    return;
  }
  if (!backend::is_spent_hint(key)) refuse(fmt::format("the attribute `{}`", key), "", s->span);
  emit(s->body);
}

void FunctionEmitter::emit_if(const ir::IfThenElseNode* s) {
  llvm::Value* condition = emit(s->condition);
  llvm::MDNode* weights = nullptr;
  auto* negated = ir::as<ir::NotNode>(s->condition);
  if (ir::as_call_to(s->condition, "tirx.likely") != nullptr)
    weights = llvm::MDBuilder(m_.context).createLikelyBranchWeights();
  else if (negated != nullptr && ir::as_call_to(negated->a, "tirx.likely") != nullptr)
    weights = llvm::MDBuilder(m_.context).createUnlikelyBranchWeights();
  auto* then_block = llvm::BasicBlock::Create(m_.context, "then", function_, end_);
  auto* join = llvm::BasicBlock::Create(m_.context, "join", function_, end_);
  auto* else_block = s->else_case ? llvm::BasicBlock::Create(m_.context, "else", function_, join) : join;
  b.CreateCondBr(condition, then_block, else_block, weights);
  b.SetInsertPoint(then_block);
  emit(s->then_case);
  b.CreateBr(join);
  if (s->else_case) {
    b.SetInsertPoint(else_block);
    emit(s->else_case);
    b.CreateBr(join);
  }
  b.SetInsertPoint(join);
}

namespace {

bool calls_by_name(const ir::Stmt& stmt) {
  bool found = false;
  ir::post_order(stmt, [&found](const ir::Expr& e) {
    auto* call = ir::as<ir::CallNode>(e);
    auto* op = call == nullptr ? nullptr : call->op.as<ir::OpNode>();
    found = found ||
            (op != nullptr &&
             (op->name == "tirx.tvm_call_packed" || op->name == "tirx.tensormap_encode_tiled" ||
              op->name == "tirx.tvm_call_trace_packed" || op->name == "tirx.anylist_setitem_call_packed"));
  });
  return found;
}

}  // namespace

void FunctionEmitter::emit_for(const ir::ForNode* s) {
  // Functions of scripts run in the caller's thread: a loop that calls them takes its iterations in order.
  if (s->for_kind == ForKind::kParallel && !calls_by_name(s->body)) return emit_parallel(s);
  if (s->for_kind == ForKind::kThreadBinding) {
    refuse("a thread binding", "bind loops to threads only for GPU targets; use `parallel` here", s->span);
  }
  if (s->for_kind == ForKind::kVectorized) {
    refuse("a vectorized loop", "lower the module first", s->span);
  }
  emit_loop(s);
}

// Loops are emitted in the form the optimiser wants: tested before the first iteration (unless the trip count
// is a positive constant) and at the end of each.
void FunctionEmitter::emit_loop(const ir::ForNode* s) {
  llvm::Value* min = emit(s->min);
  auto* type = llvm::cast<llvm::IntegerType>(min->getType());
  llvm::Value* limit = b.CreateAdd(min, emit(s->extent), "", false, true);
  llvm::Value* step = s->step ? emit(s->step) : llvm::ConstantInt::get(type, 1);
  auto step_constant = s->step ? ir::const_int(s->step) : std::optional<int64_t>(1);
  auto extent = ir::const_int(s->extent);
  if (step_constant && *step_constant <= 0) refuse("a loop whose step is not positive", "", s->span);

  auto* body =
      llvm::BasicBlock::Create(m_.context, "for." + std::string(name_of(s->loop_var->name)), function_, end_);
  auto* next = llvm::BasicBlock::Create(m_.context, "next", function_, end_);
  auto* after = llvm::BasicBlock::Create(m_.context, "after", function_, end_);
  llvm::BasicBlock* before = b.GetInsertBlock();
  if (extent && *extent > 0) {
    b.CreateBr(body);
  } else {
    b.CreateCondBr(b.CreateICmpSLT(min, limit), body, after);
  }
  b.SetInsertPoint(body);
  llvm::PHINode* counter = b.CreatePHI(type, 2, std::string(name_of(s->loop_var->name)));
  counter->addIncoming(min, before);
  Binding made;
  made.value = counter;
  auto min_constant = ir::const_int(s->min);
  made.nonnegative = nonnegative(s->min);
  if (min_constant && step_constant) {
    int64_t multiple = std::gcd(*min_constant, *step_constant);
    made.multiple = multiple == 0 ? 1 : std::abs(multiple);
  }
  values_[s->loop_var.get()] = made;
  loops_.push_back({next, after});
  int64_t ahead = bytes_ahead(s);
  int64_t around = std::exchange(prefetch_, ahead != 0 ? ahead : prefetch_);
  emit(s->body);
  prefetch_ = around;
  loops_.pop_back();
  b.CreateBr(next);
  b.SetInsertPoint(next);
  llvm::Value* advanced = b.CreateAdd(counter, step, "", made.nonnegative, true);
  counter->addIncoming(advanced, next);
  llvm::BranchInst* back = b.CreateCondBr(b.CreateICmpSLT(advanced, limit), body, after);

  back->setMetadata(llvm::LLVMContext::MD_loop, loop_hints(s));
  allow_reassociation(s, body, after);
  b.SetInsertPoint(after);
}

void FunctionEmitter::emit_while(const ir::WhileNode* s) {
  auto* head = llvm::BasicBlock::Create(m_.context, "while", function_, end_);
  auto* body = llvm::BasicBlock::Create(m_.context, "while.body", function_, end_);
  auto* after = llvm::BasicBlock::Create(m_.context, "after", function_, end_);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  b.CreateCondBr(emit(s->condition), body, after);
  b.SetInsertPoint(body);
  loops_.push_back({head, after});
  emit(s->body);
  loops_.pop_back();
  b.CreateBr(head);
  b.SetInsertPoint(after);
}

void FunctionEmitter::emit_return(const Expr& value, ir::Span span) {
  if (!no_return_.empty()) refuse(fmt::format("`return` {}", no_return_), "", span);
  if (value && !value->dtype().is_void() && result_ != nullptr) {
    llvm::Value* made = emit_cast(emit(value), value->dtype(), result_type_, span);
    b.CreateStore(to_memory(made, result_type_), result_);
  } else if (value && result_ == nullptr && !ir::const_int(value) && !value->dtype().is_void()) {
    refuse("the return of a value from a function without a return type", "write `-> T.int32` or the like",
           span);
  }
  status_->addIncoming(b.getInt32(0), b.GetInsertBlock());
  jump(end_);
}

}  // namespace mlc::llvm_backend
