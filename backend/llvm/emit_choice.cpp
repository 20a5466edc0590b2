// SPDX-License-Identifier: Apache-2.0
// Where the largest or smallest of floats is (argmax, argmin), in a loop that says `mlc.any_order`: in
// vectors.
#include <llvm/Analysis/ValueTracking.h>

#include <algorithm>
#include <limits>

#include "backend/llvm/emitter.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

namespace mlc::llvm_backend {

namespace {

using ir::ExprKind;

// What a step does where its value is the one so far: it stays where it is; it moves to the step; it is at
// the smaller or the larger index of both.
enum class Ties : uint8_t { kStays, kMoves, kFirst, kLast };

//     at: T.let = T.Select(value > x, index, i)        # or >=, or value > x or value == x and index < i
//     of: T.let = T.Select(value > x, value, x)
//     index = at; value = of
struct Choice {
  const ir::BufferStoreNode* index = nullptr;
  const ir::BufferStoreNode* value = nullptr;
  Expr x, i;
  bool largest = false;
  Ties ties = Ties::kStays;
};

bool is_element(const Expr& e, const ir::BufferStoreNode* store) {
  auto* load = ir::as<ir::TensorLoadNode>(e);
  return load != nullptr && load->source.get() == store->buffer.get() &&
         ir::structural_equal(load->indices, store->indices);
}

struct Chosen {
  Expr condition, kept, taken;
};
std::optional<Chosen> chosen_by(const Expr& e) {
  if (auto* select = ir::as<ir::SelectNode>(e))
    return Chosen{select->condition, select->true_value, select->false_value};
  if (auto* call = ir::as_call_to(e, "tirx.if_then_else"))
    return Chosen{call->args[0], call->args[1], call->args[2]};
  return std::nullopt;
}

// A comparison as `a < b` or `a <= b`.
struct Order {
  Expr a, b;
  bool strict = false;
};
std::optional<Order> order_of(const Expr& e) {
  auto* binary = ir::as_binary(e);
  if (binary == nullptr) return std::nullopt;
  switch (binary->kind) {
    case ExprKind::kLT:
    case ExprKind::kLE:
      return Order{binary->a, binary->b, binary->kind == ExprKind::kLT};
    case ExprKind::kGT:
    case ExprKind::kGE:
      return Order{binary->b, binary->a, binary->kind == ExprKind::kGT};
    default:
      return std::nullopt;
  }
}

// `i` where it grows by one, or by as much as the loop's variable, from step to step.
bool grows(const Expr& i, const ir::ForNode* loop) {
  if (auto* cast = ir::as<ir::CastNode>(i)) return cast->dtype().is_int() && grows(cast->value, loop);
  if (i.get() == loop->loop_var.get()) return true;
  auto* sum = ir::as_binary(i);
  if (sum == nullptr || sum->kind != ExprKind::kAdd) return false;
  auto stays = [&](const Expr& e) {
    return ir::side_effect(e) == ir::Effect::kPure &&
           !ir::uses_var(e, [&](const VarNode* var) { return var == loop->loop_var.get(); });
  };
  return (grows(sum->a, loop) && stays(sum->b)) || (stays(sum->a) && grows(sum->b, loop));
}

std::optional<Choice> choice_of(const ir::ForNode* s) {
  auto* body = ir::as<ir::SeqStmtNode>(s->body);
  if (body == nullptr || body->seq.size() != 4) return std::nullopt;
  const ir::BindNode* names[] = {ir::as<ir::BindNode>(body->seq[0]), ir::as<ir::BindNode>(body->seq[1])};
  Choice made;
  std::optional<Chosen> index, value;
  for (int64_t at = 2; at < 4; ++at) {
    auto* store = ir::as<ir::BufferStoreNode>(body->seq[at]);
    if (store == nullptr || !names[0] || !names[1] || !store->value->dtype().is_scalar()) return std::nullopt;
    auto* name = std::ranges::find_if(
        names, [&](const ir::BindNode* each) { return each->var.get() == store->value.get(); });
    if (name == std::end(names)) return std::nullopt;
    bool is_value = store->value->dtype().is_float();
    (is_value ? made.value : made.index) = store;
    (is_value ? value : index) = chosen_by((*name)->value);
  }
  if (!made.value || !made.index || !value || !index || !made.index->value->dtype().is_int())
    return std::nullopt;
  if (!is_element(value->kept, made.value) || !is_element(index->kept, made.index)) return std::nullopt;
  made.x = value->taken;
  made.i = index->taken;
  auto order = order_of(value->condition);
  if (!order || !grows(made.i, s)) return std::nullopt;
  made.largest = is_element(order->b, made.value);
  if (!ir::structural_equal(made.largest ? order->a : order->b, made.x) ||
      !is_element(made.largest ? order->b : order->a, made.value))
    return std::nullopt;
  if (ir::structural_equal(index->condition, value->condition)) {
    made.ties = order->strict ? Ties::kMoves : Ties::kStays;
  } else {
    auto* either = ir::as_binary(index->condition);
    auto* both = either != nullptr && either->kind == ExprKind::kOr ? ir::as_binary(either->b) : nullptr;
    auto* equal = both != nullptr && both->kind == ExprKind::kAnd ? ir::as_binary(both->a) : nullptr;
    auto by_index = equal != nullptr && equal->kind == ExprKind::kEQ ? order_of(both->b) : std::nullopt;
    if (!by_index || !by_index->strict || !order->strict ||
        !ir::structural_equal(either->a, value->condition))
      return std::nullopt;
    bool value_first = is_element(equal->a, made.value);
    if (!is_element(value_first ? equal->a : equal->b, made.value) ||
        !ir::structural_equal(value_first ? equal->b : equal->a, made.x))
      return std::nullopt;
    bool first = is_element(by_index->a, made.index);
    if (!is_element(first ? by_index->a : by_index->b, made.index) ||
        !ir::structural_equal(first ? by_index->b : by_index->a, made.i))
      return std::nullopt;
    made.ties = first ? Ties::kFirst : Ties::kLast;
  }
  return made;
}

}  // namespace

// A chunk at a time, which stays in the first cache: its extreme, and where that is new, where it is. A sum
// of all beside shows whether there is a NaN (or infinities of both signs): then what was found is nobody's,
// and the steps are taken one after the other. Which of two zeros the value is remains open.
//
//     best = value; at = index; sum = value
//     for each chunk:
//         for k: most = max(most, x); sum += x               # in any order, from -inf
//         if most > best: best = most; for k: at = min(at, k if x == most else 2**31 - 1)
//     if isnan(sum): for k: the loop as it is
//     else: value = best; index = i[k := at]
bool FunctionEmitter::emit_choice(const ir::ForNode* s) {
  std::optional<Choice> found = choice_of(s);
  if (!found || s->step || !ir::is_const_int(s->min, 0)) return false;
  const Choice& c = *found;
  DataType dtype = c.x->dtype();
  if (m_.is_soft_float(dtype) || dtype.bits() < 32 || ir::side_effect(c.x) > ir::Effect::kReadState)
    return false;
  for (const ir::BufferStoreNode* store : {c.index, c.value}) {
    for (const Expr& at : store->indices)
      if (ir::uses_var(at, [&](const VarNode* var) { return var == s->loop_var.get(); })) return false;
  }
  // What the steps read is no memory that they store to.
  bool apart = true;
  auto origin = [&](const VarNode* buffer) {
    return llvm::getUnderlyingObject(binding(buffer, s->span).value);
  };
  ir::post_order(c.x, [&](const Expr& e) {
    auto* load = ir::as<ir::TensorLoadNode>(e);
    if (load == nullptr) return;
    for (const VarNode* stored : {c.index->buffer.get(), c.value->buffer.get()}) {
      const Binding& memory = binding(stored, s->span);
      apart = apart && (memory.local || memory.noalias) && origin(stored) != origin(load->source.get());
    }
  });
  if (!apart) return false;

  auto* join = llvm::BasicBlock::Create(m_.context, "choice", function_, end_);
  auto extent = ir::const_int(s->extent);
  if (!extent || *extent <= 0) {  // without steps the elements need not be there
    auto* some = llvm::BasicBlock::Create(m_.context, "some", function_, join);
    llvm::Value* count = emit(s->extent);
    b.CreateCondBr(b.CreateICmpSGT(count, llvm::ConstantInt::get(count->getType(), 0)), some, join);
    b.SetInsertPoint(some);
  }
  DataType counts = s->loop_var->dtype();
  auto element = [&](const ir::BufferStoreNode* store) {
    return emit(Expr(ir::make<ir::TensorLoadNode>(store->buffer, store->indices, store->span)));
  };
  auto put = [&](const ir::BufferStoreNode* store, llvm::Value* value) {
    Var var = ir::make<VarNode>(ir::String("found"), ir::Type(ir::prim_type(store->value->dtype())));
    values_[var.get()].value = value;
    emit(Stmt(ir::make<ir::BufferStoreNode>(store->buffer, var, store->indices, store->span)));
    values_.erase(var.get());
  };
  auto index_at = [&](llvm::Value* k) {
    values_[s->loop_var.get()] = {};
    values_[s->loop_var.get()].value = k;
    return emit(c.i);
  };
  auto better = [&](llvm::Value* a, llvm::Value* than) {
    return c.largest ? b.CreateFCmpOGT(a, than) : b.CreateFCmpOLT(a, than);
  };

  llvm::Value* value = element(c.value);
  llvm::Value* index = element(c.index);
  llvm::Type* place = m_.register_type(counts);
  llvm::AllocaInst* best = stack_slot(value->getType(), 1, 8);
  llvm::AllocaInst* at = stack_slot(index->getType(), 1, 8);
  llvm::AllocaInst* sum = stack_slot(value->getType(), 1, 8);
  llvm::AllocaInst* most = stack_slot(value->getType(), 1, 8);
  llvm::AllocaInst* step = stack_slot(place, 1, 8);
  b.CreateStore(value, best);
  b.CreateStore(index, at);
  b.CreateStore(value, sum);

  bool last = c.ties == Ties::kLast || c.ties == Ties::kMoves;
  auto limit =
      llvm::ConstantInt::get(place, last ? llvm::APInt::getSignedMinValue(place->getIntegerBitWidth())
                                         : llvm::APInt::getSignedMaxValue(place->getIntegerBitWidth()));
  auto chunk = [&](const Expr& from, const Expr& steps) {
    auto walk = ir::make<ir::ForNode>(s->loop_var, from, steps, ir::ForKind::kSerial, s->body);
    b.CreateStore(llvm::ConstantFP::getInfinity(value->getType(), c.largest), most);
    emit_loop(walk.get(), [&] {
      llvm::Value* x = emit(c.x);
      llvm::IRBuilderBase::FastMathFlagGuard keep(b);
      llvm::FastMathFlags flags = b.getFastMathFlags();
      flags.setAllowReassoc();
      b.setFastMathFlags(flags);
      b.CreateStore(b.CreateFAdd(b.CreateLoad(x->getType(), sum), x), sum);
      flags.setNoNaNs();
      flags.setNoSignedZeros();
      b.setFastMathFlags(flags);
      llvm::Value* before = b.CreateLoad(x->getType(), most);
      auto* larger = llvm::cast<llvm::Instruction>(b.CreateSelect(better(before, x), before, x));
      larger->setFastMathFlags(flags);
      b.CreateStore(larger, most);
    });
    llvm::Value* extreme = b.CreateLoad(value->getType(), most);
    llvm::Value* so_far = b.CreateLoad(value->getType(), best);
    auto* search = llvm::BasicBlock::Create(m_.context, "search", function_, join);
    auto* next = llvm::BasicBlock::Create(m_.context, "next", function_, join);
    llvm::Value* is_better = better(extreme, so_far);
    llvm::Value* matters = last ? b.CreateOr(is_better, b.CreateFCmpOEQ(extreme, so_far)) : is_better;
    // The extreme has a value only if there is no NaN, so nothing depends on it before that is known.
    llvm::Value* total = b.CreateLoad(value->getType(), sum);
    b.CreateCondBr(b.CreateLogicalAnd(b.CreateFCmpORD(total, total), matters), search, next);
    b.SetInsertPoint(search);
    b.CreateStore(limit, step);
    emit_loop(walk.get(), [&] {
      llvm::Value* k = values_[s->loop_var.get()].value;
      llvm::Value* here = b.CreateSelect(b.CreateFCmpOEQ(emit(c.x), extreme), k, limit);
      b.CreateStore(b.CreateBinaryIntrinsic(last ? llvm::Intrinsic::smax : llvm::Intrinsic::smin,
                                            b.CreateLoad(place, step), here),
                    step);
    });
    llvm::Value* there = b.CreateLoad(place, step);
    llvm::Value* old = b.CreateLoad(index->getType(), at);
    llvm::Value* found_at = index_at(there);
    if (c.ties == Ties::kLast) {  // among equals, the larger index, which may be the one from before the loop
      llvm::Value* larger = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, old, found_at);
      found_at = b.CreateSelect(is_better, found_at, larger);
    }
    // A chunk without steps has nothing, and an infinity for its extreme.
    b.CreateStore(b.CreateSelect(b.CreateICmpEQ(there, limit), old, found_at), at);
    b.CreateStore(extreme, best);
    b.CreateBr(next);
    b.SetInsertPoint(next);
  };
  constexpr int64_t kChunk = 512;
  Expr size = ir::int_imm(counts, kChunk);
  if (extent && *extent <= kChunk) {
    chunk(s->min, s->extent);
  } else {
    Var over = ir::make<VarNode>(ir::String("chunk"), ir::Type(ir::prim_type(counts)));
    Expr chunks = extent ? ir::int_imm(counts, *extent / kChunk) : ir::truncdiv(s->extent, size);
    auto walk = ir::make<ir::ForNode>(over, ir::int_imm(counts, 0), chunks, ir::ForKind::kSerial, s->body);
    emit_loop(walk.get(), [&] { chunk(ir::mul(over, size), size); });
    Expr done = extent ? ir::int_imm(counts, *extent / kChunk * kChunk) : ir::mul(chunks, size);
    if (!extent || *extent % kChunk != 0)
      chunk(done, extent ? ir::int_imm(counts, *extent % kChunk) : ir::sub(s->extent, done));
  }

  llvm::Value* total = b.CreateLoad(value->getType(), sum);
  llvm::Value* result = b.CreateLoad(value->getType(), best);
  llvm::Value* right = b.CreateFCmpORD(total, total);
  if (c.ties == Ties::kFirst) {
    // The index from before the loop stays among equals if it is smaller than all of it.
    llvm::Value* first = index_at(llvm::ConstantInt::get(place, 0));
    right = b.CreateAnd(right, b.CreateOr(better(result, value), b.CreateICmpSLT(index, first)));
  }
  auto* done = llvm::BasicBlock::Create(m_.context, "found", function_, join);
  auto* again = llvm::BasicBlock::Create(m_.context, "again", function_, join);
  b.CreateCondBr(right, done, again, llvm::MDBuilder(m_.context).createLikelyBranchWeights());
  b.SetInsertPoint(done);
  put(c.index, b.CreateLoad(index->getType(), at));
  put(c.value, result);
  b.CreateBr(join);
  b.SetInsertPoint(again);
  emit_loop(s, [&] { emit(s->body); });
  b.CreateBr(join);
  b.SetInsertPoint(join);
  return true;
}

}  // namespace mlc::llvm_backend
