// SPDX-License-Identifier: Apache-2.0
// Arithmetic, conversions and vectors.
#include <numeric>

#include "backend/llvm/emitter.h"
#include "ir/tir/nonnegative.h"

namespace mlc::llvm_backend {

using ir::Error;
using ir::ExprKind;

namespace {

bool is_signed(DataType dtype) { return dtype.is_int(); }

// Integer arithmetic on bool values is on i1; only logic and comparisons make sense there.
[[noreturn]] void refuse(std::string_view what, ir::Span span) {
  throw Error("codegen-unsupported", "{} cannot be compiled", what).at(span);
}

}  // namespace

llvm::Value* FunctionEmitter::emit(const Expr& e) {
  return ir::dispatch(
      e, ir::overloaded{
             [&](const VarNode* n) -> llvm::Value* { return binding(n, n->span).value; },
             [&](const ir::IntImmNode* n) -> llvm::Value* {
               return llvm::ConstantInt::get(m_.register_type(n->dtype(), n->span),
                                             static_cast<uint64_t>(n->value), true);
             },
             [&](const ir::FloatImmNode* n) -> llvm::Value* { return emit_constant(n->dtype(), n); },
             [&](const ir::StringImmNode* n) -> llvm::Value* {
               return m_.text({n->value.data(), n->value.size()});
             },
             [&](const ir::BinaryNode* n) -> llvm::Value* { return emit_binary(n); },
             [&](const ir::NotNode* n) -> llvm::Value* { return b.CreateNot(emit(n->a)); },
             [&](const ir::BitwiseNotNode* n) -> llvm::Value* { return b.CreateNot(emit(n->a)); },
             [&](const ir::CastNode* n) -> llvm::Value* {
               llvm::Value* value = emit_operands(e, [&] { return emit(n->value); });
               return emit_cast(value, n->value->dtype(), n->dtype(), n->span);
             },
             [&](const ir::SelectNode* n) -> llvm::Value* {
               llvm::Value* condition = emit(n->condition);
               llvm::Value* yes = emit(n->true_value);
               return b.CreateSelect(condition, yes, emit(n->false_value));
             },
             [&](const ir::RampNode* n) -> llvm::Value* { return emit_ramp(n); },
             [&](const ir::BroadcastNode* n) -> llvm::Value* { return emit_broadcast(n); },
             [&](const ir::ShuffleNode* n) -> llvm::Value* { return emit_shuffle(n); },
             [&](const ir::LetNode* n) -> llvm::Value* {
               define(n->var, emit_named(*n, [&] { return emit(n->value); }));
               return emit(n->body);
             },
             [&](const ir::TensorLoadNode* n) -> llvm::Value* {
               At at(*this, n->span);
               return load(n);
             },
             [&](const ir::CallNode* n) -> llvm::Value* {
               At at(*this, n->span);
               return emit_operands(e, [&] { return emit_call(n); });
             },
             [&](const ir::GlobalVarNode* n) -> llvm::Value* { refuse("a function as a value", n->span); },
             [&](const ir::OpNode* n) -> llvm::Value* { refuse("an operator as a value", n->span); },
             [&](const ir::TupleNode* n) -> llvm::Value* { refuse("a tuple", n->span); },
             [&](const ir::TupleGetItemNode* n) -> llvm::Value* { refuse("an item of a tuple", n->span); },
             [&](const ir::TensorRegionNode* n) -> llvm::Value* {
               refuse("a buffer region as a value", n->span);
             },
             [&](const ir::ReduceNode* n) -> llvm::Value* { refuse("a reduction expression", n->span); },
         });
}

llvm::Value* FunctionEmitter::splat_int(llvm::Type* like, uint64_t value) {
  return llvm::ConstantInt::get(like, value, true);
}

llvm::Value* FunctionEmitter::emit_constant(DataType dtype, const ir::FloatImmNode* imm) {
  if (!m_.is_soft_float(dtype)) return llvm::ConstantFP::get(m_.register_type(dtype, imm->span), imm->value);
  const ir::SmallFloat* narrow = ir::narrow_format(dtype);
  const ir::SmallFloat& format = narrow != nullptr     ? *narrow
                                 : dtype.is_bfloat16() ? ir::bfloat_format
                                                       : ir::half_format;
  return llvm::ConstantInt::get(m_.register_type(dtype), ir::encode(format, imm->value));
}

llvm::Value* FunctionEmitter::emit_binary(const ir::BinaryNode* e) {
  DataType dtype = e->a->dtype();
  // `And` and `Or` guard what stands to their right: evaluate it only when it matters and could do harm.
  if ((e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr) && dtype.is_scalar() &&
      ir::side_effect(e->b) > ir::Effect::kPure) {
    bool is_and = e->kind == ExprKind::kAnd;
    llvm::Value* left = emit(e->a);
    llvm::BasicBlock* from = b.GetInsertBlock();
    auto* right_block = llvm::BasicBlock::Create(m_.context, "rhs", function_, end_);
    auto* join = llvm::BasicBlock::Create(m_.context, "join", function_, end_);
    b.CreateCondBr(left, is_and ? right_block : join, is_and ? join : right_block);
    b.SetInsertPoint(right_block);
    llvm::Value* right = emit(e->b);
    llvm::BasicBlock* right_end = b.GetInsertBlock();
    b.CreateBr(join);
    b.SetInsertPoint(join);
    llvm::PHINode* phi = b.CreatePHI(b.getInt1Ty(), 2);
    phi->addIncoming(b.getInt1(!is_and), from);
    phi->addIncoming(right, right_end);
    return phi;
  }
  bool accumulates = dtype.is_floating() && m_.accumulations.contains(e);
  auto [left, right] = emit_operands(ir::ref(e), [&] {
    llvm::Value* a = accumulates ? emit_term(e->a) : emit(e->a);
    return std::pair(a, accumulates ? emit_term(e->b) : emit(e->b));
  });
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  if (accumulates) allow_contraction();
  if (!m_.is_soft_float(dtype)) return arithmetic(e->kind, left, right, dtype, e);
  DataType wide = DataType::Float(32, dtype.lanes());
  llvm::Value* value = arithmetic(e->kind, soft_to_float(left, dtype), soft_to_float(right, dtype), wide, e);
  return e->dtype().is_bool() ? value : float_to_soft(value, dtype);
}

void FunctionEmitter::allow_contraction() {
  llvm::FastMathFlags flags = b.getFastMathFlags();
  flags.setAllowContract(true);
  b.setFastMathFlags(flags);
}

llvm::Value* FunctionEmitter::emit_term(const Expr& e) {
  auto* product = ir::as<ir::MulNode>(e);
  if (product == nullptr || m_.is_soft_float(e->dtype())) return emit(e);
  llvm::Value* left = emit(product->a);
  llvm::Value* right = emit(product->b);
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  allow_contraction();
  return arithmetic(product->kind, left, right, e->dtype(), product);
}

llvm::Value* FunctionEmitter::arithmetic(ExprKind kind, llvm::Value* left, llvm::Value* right, DataType dtype,
                                         const ir::BinaryNode* e) {
  bool fp = dtype.is_floating();
  bool no_wrap = in_index_ && is_signed(dtype) && dtype.bits() >= 32;
  switch (kind) {
    case ExprKind::kAdd:
      return fp ? b.CreateFAdd(left, right) : b.CreateAdd(left, right, "", false, no_wrap);
    case ExprKind::kSub:
      return fp ? b.CreateFSub(left, right) : b.CreateSub(left, right, "", false, no_wrap);
    case ExprKind::kMul:
      return fp ? b.CreateFMul(left, right) : b.CreateMul(left, right, "", false, no_wrap);
    case ExprKind::kDiv:
    case ExprKind::kMod:
    case ExprKind::kFloorDiv:
    case ExprKind::kFloorMod:
      return divide(kind, left, right, dtype, e);
    // The second operand when either is NaN, as minps and maxps have it.
    case ExprKind::kMin:
      if (!fp)
        return b.CreateBinaryIntrinsic(is_signed(dtype) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, left,
                                       right);
      return b.CreateSelect(b.CreateFCmpOLT(left, right), left, right);
    case ExprKind::kMax:
      if (!fp)
        return b.CreateBinaryIntrinsic(is_signed(dtype) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, left,
                                       right);
      return b.CreateSelect(b.CreateFCmpOGT(left, right), left, right);
    case ExprKind::kEQ:
    case ExprKind::kNE:
    case ExprKind::kLT:
    case ExprKind::kLE:
    case ExprKind::kGT:
    case ExprKind::kGE:
      return compare(kind, left, right, dtype);
    case ExprKind::kAnd:
    case ExprKind::kBitwiseAnd:
      return b.CreateAnd(left, right);
    case ExprKind::kOr:
    case ExprKind::kBitwiseOr:
      return b.CreateOr(left, right);
    case ExprKind::kBitwiseXor:
      return b.CreateXor(left, right);
    case ExprKind::kLShift:
      return b.CreateShl(left, right);
    case ExprKind::kRShift:
      return is_signed(dtype) ? b.CreateAShr(left, right) : b.CreateLShr(left, right);
    default:
      throw ir::InternalError(__FILE__, __LINE__, "not a binary kind");
  }
}

llvm::Value* FunctionEmitter::divide(ExprKind kind, llvm::Value* left, llvm::Value* right, DataType dtype,
                                     const ir::BinaryNode* e) {
  bool wants_quotient = kind == ExprKind::kDiv || kind == ExprKind::kFloorDiv;
  bool floors = kind == ExprKind::kFloorDiv || kind == ExprKind::kFloorMod;
  if (dtype.is_floating()) {
    if (kind == ExprKind::kMod) return b.CreateFRem(left, right);
    llvm::Value* quotient = b.CreateFDiv(left, right);
    if (!floors) return quotient;
    quotient = b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, quotient);
    return wants_quotient ? quotient : b.CreateFSub(left, b.CreateFMul(quotient, right));
  }
  At at(*this, e->span);  // may stop the process
  bool plain = !is_signed(dtype) || (nonnegative(e->a) && nonnegative(e->b));
  // In an index, division must not stop the process before a condition around it has been asked: LLVM 19
  // makes a division of 32 bits by a variable that all lanes of a masked access share only where the first
  // lane is active, and uses it for all. That of float64 is exact for such integers, and may be made
  // anywhere.
  constexpr int kExact = 32;
  if (in_index_ && dtype.bits() == kExact && !ir::const_int(e->b)) {
    llvm::Type* wide = m_.register_type(DataType::Float(64, dtype.lanes()));
    bool is_unsigned = !is_signed(dtype);
    auto widened = [&](llvm::Value* value) {
      return is_unsigned ? b.CreateUIToFP(value, wide) : b.CreateSIToFP(value, wide);
    };
    llvm::IRBuilder<>::FastMathFlagGuard guard(b);  // no reciprocals
    b.setFastMathFlags({});
    llvm::Value* exact = b.CreateFDiv(widened(left), widened(right));
    llvm::Value* quotient =
        is_unsigned ? b.CreateFPToUI(exact, left->getType()) : b.CreateFPToSI(exact, left->getType());
    llvm::Value* rest = b.CreateSub(left, b.CreateMul(quotient, right));
    if (plain || !floors) return wants_quotient ? quotient : rest;
    return floored(quotient, rest, right, wants_quotient);
  }
  if (plain) {
    return wants_quotient ? b.CreateUDiv(left, right) : b.CreateURem(left, right);
  }
  // The smallest integer by -1 wraps around, with no rest: LLVM has no result there and processors stop, so 1
  // divides in place of -1.
  llvm::Value* negates = nullptr;
  auto constant = ir::const_int(e->b);
  if (constant == -1)
    return wants_quotient ? b.CreateNeg(left) : llvm::Constant::getNullValue(left->getType());
  if (!constant) {
    negates = b.CreateICmpEQ(right, splat_int(right->getType(), ~uint64_t{0}));
    right = b.CreateSelect(negates, splat_int(right->getType(), 1), right);
  }
  auto quotient_of = [&](llvm::Value* by) {
    llvm::Value* made = b.CreateSDiv(left, by);
    return negates == nullptr ? made : b.CreateSelect(negates, b.CreateNeg(left), made);
  };
  if (!floors) return wants_quotient ? quotient_of(right) : b.CreateSRem(left, right);
  if (constant && *constant > 0 && llvm::isPowerOf2_64(static_cast<uint64_t>(*constant))) {
    auto value = static_cast<uint64_t>(*constant);
    return wants_quotient ? b.CreateAShr(left, splat_int(left->getType(), llvm::Log2_64(value)))
                          : b.CreateAnd(left, splat_int(left->getType(), value - 1));
  }
  return floored(quotient_of(right), b.CreateSRem(left, right), right, wants_quotient);
}

// q = a / b truncated, r = a - q * b; where r is not 0 and has another sign than b: q - 1 and r + b.
llvm::Value* FunctionEmitter::floored(llvm::Value* quotient, llvm::Value* rest, llvm::Value* right,
                                      bool wants_quotient) {
  llvm::Value* zero = splat_int(right->getType(), 0);
  llvm::Value* adjust =
      b.CreateAnd(b.CreateICmpNE(rest, zero), b.CreateICmpSLT(b.CreateXor(rest, right), zero));
  if (wants_quotient) return b.CreateAdd(quotient, b.CreateSExt(adjust, quotient->getType()));
  return b.CreateAdd(rest, b.CreateSelect(adjust, right, zero));
}

llvm::Value* FunctionEmitter::compare(ExprKind kind, llvm::Value* left, llvm::Value* right, DataType dtype) {
  using Predicate = llvm::CmpInst::Predicate;
  auto pick = [&](Predicate fp, Predicate of_signed, Predicate of_unsigned) {
    return b.CreateCmp(dtype.is_floating() ? fp : is_signed(dtype) ? of_signed : of_unsigned, left, right);
  };
  switch (kind) {
    case ExprKind::kEQ:
      return pick(Predicate::FCMP_OEQ, Predicate::ICMP_EQ, Predicate::ICMP_EQ);
    case ExprKind::kNE:
      return pick(Predicate::FCMP_UNE, Predicate::ICMP_NE, Predicate::ICMP_NE);
    case ExprKind::kLT:
      return pick(Predicate::FCMP_OLT, Predicate::ICMP_SLT, Predicate::ICMP_ULT);
    case ExprKind::kLE:
      return pick(Predicate::FCMP_OLE, Predicate::ICMP_SLE, Predicate::ICMP_ULE);
    case ExprKind::kGT:
      return pick(Predicate::FCMP_OGT, Predicate::ICMP_SGT, Predicate::ICMP_UGT);
    default:
      return pick(Predicate::FCMP_OGE, Predicate::ICMP_SGE, Predicate::ICMP_UGE);
  }
}

llvm::Value* FunctionEmitter::emit_cast(llvm::Value* value, DataType from, DataType to, ir::Span span) {
  if (from == to) return value;
  llvm::Type* type = m_.register_type(to, span);
  if (from.lanes() != to.lanes()) refuse("a cast that changes the number of lanes", span);
  if (from.is_handle() || to.is_handle()) {
    if (from.is_handle() && to.is_handle()) return value;
    return from.is_handle() ? b.CreatePtrToInt(value, type) : b.CreateIntToPtr(value, type);
  }
  if (m_.is_soft_float(from))
    return emit_cast(soft_to_float(value, from), DataType::Float(32, from.lanes()), to, span);
  if (m_.is_soft_float(to)) {
    // From float64 to float16 in one rounding; to the others, as NumPy does it, by way of float32.
    bool once = from.is_float() && from.bits() == 64 && to.is_float();
    return float_to_soft(
        once ? float_rounded_to_odd(value) : emit_cast(value, from, DataType::Float(32, from.lanes()), span),
        to);
  }
  bool from_fp = from.is_floating();
  bool to_fp = to.is_floating();
  if (to.is_bool()) {
    llvm::Value* zero = llvm::Constant::getNullValue(value->getType());
    return from_fp ? b.CreateFCmpUNE(value, zero) : b.CreateICmpNE(value, zero);
  }
  if (from_fp && from.bits() == 64 && to_fp && to.bits() == 16 &&
      m_.machine.machine->getTargetTriple().isX86())
    return b.CreateFPTrunc(float_rounded_to_odd(value), type);
  if (from_fp && to_fp)
    return from.bits() < to.bits() ? b.CreateFPExt(value, type) : b.CreateFPTrunc(value, type);
  if (from_fp) return is_signed(to) ? b.CreateFPToSI(value, type) : b.CreateFPToUI(value, type);
  if (to_fp && to.bits() == 16 && from.bits() > 16) return half_of_int(value, from, to);
  if (to_fp) return is_signed(from) ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
  return b.CreateIntCast(value, type, is_signed(from));
}

// LLVM 19 takes an integer of at most 11 significant bits for a number that float16 holds, whatever its
// exponent, and drops the float16 on the way to float32: what becomes an infinity is named here.
llvm::Value* FunctionEmitter::half_of_int(llvm::Value* value, DataType from, DataType to) {
  llvm::Type* f32 = m_.register_type(DataType::Float(32, from.lanes()));
  llvm::Value* exact = is_signed(from) ? b.CreateSIToFP(value, f32) : b.CreateUIToFP(value, f32);
  constexpr double kFirstInfinite = 65520;  // midway between the largest float16 and 2^16
  llvm::Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, exact);
  llvm::Value* is_infinite = b.CreateFCmpOGE(magnitude, llvm::ConstantFP::get(f32, kFirstInfinite));
  llvm::Value* infinite =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::ConstantFP::getInfinity(f32), exact);
  return b.CreateFPTrunc(b.CreateSelect(is_infinite, infinite, exact), m_.register_type(to));
}

llvm::Value* FunctionEmitter::emit_ramp(const ir::RampNode* e) {
  if (!e->base->dtype().is_scalar()) refuse("a ramp of vectors", e->span);
  auto* type = llvm::cast<llvm::VectorType>(m_.register_type(e->dtype(), e->span));
  llvm::ElementCount count = type->getElementCount();
  llvm::Value* base = b.CreateVectorSplat(count, emit(e->base));
  auto stride = ir::const_int(e->stride);
  bool no_wrap = in_index_ && is_signed(e->dtype()) && e->dtype().bits() >= 32;
  llvm::Value* offsets = steps(type, stride.value_or(1));
  if (!stride)
    offsets = b.CreateMul(offsets, b.CreateVectorSplat(count, emit(e->stride)), "", false, no_wrap);
  return b.CreateAdd(base, offsets, "", false, no_wrap);
}

// 0, stride, 2 * stride, ...
llvm::Value* FunctionEmitter::steps(llvm::VectorType* type, int64_t stride) {
  auto number = [&](int64_t value) {
    return llvm::ConstantInt::get(type->getElementType(), static_cast<uint64_t>(value), true);
  };
  if (type->getElementCount().isScalable()) {
    llvm::Value* counted = b.CreateStepVector(type);
    return stride == 1 ? counted
                       : b.CreateMul(counted, b.CreateVectorSplat(type->getElementCount(), number(stride)));
  }
  std::vector<llvm::Constant*> lanes;
  for (int64_t i = 0; i < type->getElementCount().getFixedValue(); ++i) lanes.push_back(number(stride * i));
  return llvm::ConstantVector::get(lanes);
}

llvm::Value* FunctionEmitter::emit_broadcast(const ir::BroadcastNode* e) {
  if (!e->value->dtype().is_scalar()) refuse("a broadcast of a vector", e->span);
  auto* type = llvm::cast<llvm::VectorType>(m_.register_type(e->dtype(), e->span));
  // x86 broadcasts a float16 out of memory and converts the vector; a single one goes through three registers
  // first.
  if (auto* cast = ir::as<ir::CastNode>(e->value); cast != nullptr && cast->dtype() == DataType::Float(32) &&
                                                   cast->value->dtype() == DataType::Float(16) &&
                                                   m_.machine.has_half &&
                                                   m_.machine.machine->getTargetTriple().isX86()) {
    llvm::Value* halves = b.CreateVectorSplat(type->getElementCount(), emit(cast->value));
    return emit_cast(halves, DataType::Float(16, e->dtype().lanes()), e->dtype(), e->span);
  }
  return b.CreateVectorSplat(type->getElementCount(), emit(e->value));
}

llvm::Value* FunctionEmitter::emit_shuffle(const ir::ShuffleNode* e) {
  for (const Expr& one : e->vectors) {
    if (one->dtype().is_scalable()) refuse("a shuffle of scalable vectors", e->span);
  }
  if (llvm::Value* at_once = emit_shuffle_of_two(e)) return at_once;
  std::vector<llvm::Value*> lanes;  // of all vectors, one after the other
  for (const Expr& one : e->vectors) {
    llvm::Value* value = emit(one);
    if (one->dtype().is_scalar()) {
      lanes.push_back(value);
      continue;
    }
    for (int i = 0; i < one->dtype().lanes(); ++i)
      lanes.push_back(b.CreateExtractElement(value, static_cast<uint64_t>(i)));
  }
  std::vector<llvm::Value*> picked;
  for (const Expr& index : e->indices) {
    auto at = ir::const_int(index);
    if (!at || *at < 0 || *at >= static_cast<int64_t>(lanes.size()))
      refuse("a shuffle with this index", index->span);
    picked.push_back(lanes[static_cast<size_t>(*at)]);
  }
  if (picked.size() == 1) return picked[0];
  llvm::Value* result = llvm::PoisonValue::get(m_.register_type(e->dtype(), e->span));
  for (size_t i = 0; i < picked.size(); ++i) result = b.CreateInsertElement(result, picked[i], i);
  return result;
}

// One or two vectors of a type are one instruction of LLVM; null for others.
llvm::Value* FunctionEmitter::emit_shuffle_of_two(const ir::ShuffleNode* e) {
  size_t count = e->vectors.size();
  if (count == 0 || count > 2 || e->indices.size() < 2 || e->vectors[0]->dtype().is_scalar()) return nullptr;
  DataType dtype = e->vectors[0]->dtype();
  if (e->vectors[static_cast<int64_t>(count - 1)]->dtype() != dtype) return nullptr;
  llvm::SmallVector<int, 64> mask;
  for (const Expr& index : e->indices) {
    auto at = ir::const_int(index);
    if (!at || *at < 0 || *at >= static_cast<int64_t>(count) * dtype.lanes()) return nullptr;
    mask.push_back(static_cast<int>(*at));
  }
  llvm::Value* first = emit(e->vectors[0]);
  return b.CreateShuffleVector(
      first, count == 2 ? emit(e->vectors[1]) : llvm::PoisonValue::get(first->getType()), mask);
}

// Proves only what index expressions need: sums and products of loop variables and shapes.
bool FunctionEmitter::nonnegative(const Expr& e) const {
  struct Facts {
    const FunctionEmitter& emitter;
    bool is_nonnegative(const VarNode* var) const {
      auto found = emitter.values_.find(var);
      return found != emitter.values_.end() && found->second.nonnegative;
    }
    bool is_exact(const Expr& e) const { return emitter.in_index_ && e->kind != ir::ExprKind::kCast; }
  };
  return ir::is_nonnegative(e, Facts{*this});
}

// A factor of all values of `e` (0 when e is 0): alignment of addresses follows from it.
int64_t FunctionEmitter::multiple_of(const Expr& e) const {
  if (auto value = ir::const_int(e)) return *value == INT64_MIN ? 1 : std::abs(*value);
  if (auto* var = ir::as<VarNode>(e)) {
    auto found = values_.find(var);
    return found == values_.end() ? 1 : found->second.multiple;
  }
  if (auto* add = ir::as<ir::AddNode>(e)) return std::gcd(multiple_of(add->a), multiple_of(add->b));
  if (auto* sub = ir::as<ir::SubNode>(e)) return std::gcd(multiple_of(sub->a), multiple_of(sub->b));
  if (auto* mul = ir::as<ir::MulNode>(e)) {
    int64_t product = 0;
    if (__builtin_mul_overflow(multiple_of(mul->a), multiple_of(mul->b), &product)) return 1;
    return product;
  }
  return 1;
}

}  // namespace mlc::llvm_backend
