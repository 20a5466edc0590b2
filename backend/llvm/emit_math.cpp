// SPDX-License-Identifier: Apache-2.0
// Scalar math on floats: LLVM intrinsics that are instructions, polynomials, the rest as calls of the C
// library, per lane.
#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

using ir::Error;

llvm::Value* FunctionEmitter::math(const ir::OpRow& row, llvm::ArrayRef<llvm::Value*> args, DataType dtype,
                                   ir::Span span) {
  std::string_view name = row.name.substr(row.name.find('.') + 1);
  // What hardware and LLVM have for every type; exp and its family only as library calls, see below.
  if (!row.llvm.empty())
    return b.CreateIntrinsic(llvm::Function::lookupIntrinsicID(row.llvm), {args[0]->getType()}, args);
  llvm::Type* type = args[0]->getType();
  auto constant = [&](double value) { return llvm::ConstantFP::get(type, value); };
  if (name == "rsqrt")
    return b.CreateFDiv(constant(1.0), b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, args[0]));
  if (name == "fmod") return b.CreateFRem(args[0], args[1]);
  if (dtype.bits() == 16) {  // native float16: computed with as float32
    DataType wide = DataType::Float(32, dtype.lanes());
    std::vector<llvm::Value*> widened;
    for (llvm::Value* arg : args) {
      widened.push_back(arg->getType()->isFPOrFPVectorTy() ? b.CreateFPExt(arg, m_.register_type(wide))
                                                           : arg);
    }
    return b.CreateFPTrunc(math(row, widened, wide, span), type);
  }
  if (name == "sigmoid") {
    // e^x / (1 + e^x) below 0, where 1 + e^-x leaves the range of the type before the result does.
    ir::OpRow exp = ir::op_row(ir::op("tirx.exp").get());
    llvm::Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, args[0]);
    llvm::Value* power = math(exp, {b.CreateFNeg(size)}, dtype, span);
    llvm::Value* above = b.CreateSelect(b.CreateFCmpOLT(args[0], constant(0.0)), power, constant(1.0));
    return b.CreateFDiv(above, b.CreateFAdd(constant(1.0), power));
  }
  if (name == "exp10") {
    ir::OpRow pow = ir::op_row(ir::op("tirx.pow").get());
    return math(pow, {constant(10.0), args[0]}, dtype, span);
  }
  if (llvm::Value* own = polynomial(name, args[0])) return own;
  if (llvm::Value* wide = wide_math(row, args, dtype)) return wide;
  if (row.libm.empty()) {
    throw Error("codegen-unsupported", "`{}` on {} cannot be compiled", row.name, dtype.str()).at(span);
  }
  return libm(row, args, dtype);
}

// One call of the C library per lane.
llvm::Value* FunctionEmitter::libm(const ir::OpRow& row, llvm::ArrayRef<llvm::Value*> args, DataType dtype) {
  llvm::Type* scalar = m_.register_type(dtype.element());
  std::string symbol(row.libm);
  if (dtype.bits() == 32) symbol += 'f';
  std::vector<llvm::Type*> types;
  bool takes_int = symbol.starts_with("ldexp");
  for (size_t i = 0; i < args.size(); ++i) types.push_back(takes_int && i == 1 ? b.getInt32Ty() : scalar);
  llvm::FunctionCallee callee = m_.outside(symbol.c_str(), scalar, types);
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->setDoesNotAccessMemory();  // errno is nobody's concern here
    function->setDoesNotThrow();
    function->setWillReturn();
  }
  auto one = [&](llvm::Value* lane) {
    std::vector<llvm::Value*> lane_args;
    for (size_t i = 0; i < args.size(); ++i) {
      llvm::Value* value = lane == nullptr ? args[i] : b.CreateExtractElement(args[i], lane);
      if (types[i] != value->getType()) {
        value = value->getType()->isIntegerTy() ? b.CreateIntCast(value, types[i], true)
                                                : b.CreateFPToSI(value, types[i]);
      }
      lane_args.push_back(value);
    }
    return b.CreateCall(callee, lane_args);
  };
  if (dtype.is_scalar()) return one(nullptr);
  llvm::Value* result = llvm::PoisonValue::get(m_.register_type(dtype));
  if (!dtype.is_scalable()) {
    for (int i = 0; i < dtype.lanes(); ++i) {
      llvm::Value* lane = b.getInt64(static_cast<uint64_t>(i));
      result = b.CreateInsertElement(result, one(lane), lane);
    }
    return result;
  }
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* body = llvm::BasicBlock::Create(m_.context, "lane", function_, end_);
  auto* after = llvm::BasicBlock::Create(m_.context, "lanes.end", function_, end_);
  llvm::Value* count = b.CreateElementCount(
      b.getInt64Ty(), llvm::cast<llvm::VectorType>(result->getType())->getElementCount());
  b.CreateBr(body);
  b.SetInsertPoint(body);
  llvm::PHINode* lane = b.CreatePHI(b.getInt64Ty(), 2);
  llvm::PHINode* so_far = b.CreatePHI(result->getType(), 2);
  llvm::Value* next = b.CreateAdd(lane, b.getInt64(1), "", true, true);
  llvm::Value* filled = b.CreateInsertElement(so_far, one(lane), lane);
  lane->addIncoming(b.getInt64(0), before);
  lane->addIncoming(next, body);
  so_far->addIncoming(result, before);
  so_far->addIncoming(filled, body);
  b.CreateCondBr(b.CreateICmpULT(next, count), body, after);
  b.SetInsertPoint(after);
  return filled;
}

// q_multiply_shift(x, y, q, s): x * y * 2**(s - q), rounded, in 64 bits on the way. Per axis the shift to the
// left and that to the right are said, and whether there is one to the left: (x, y, ls, rs, q, left, right).
llvm::Value* FunctionEmitter::emit_multiply_shift(const ir::CallNode* call) {
  const auto& args = call->args;
  if (args.size() != 4 && args.size() != 7)
    throw ir::Error("wrong-argument-count", "`q_multiply_shift` takes 4 arguments, per axis 7, not {}",
                    args.size())
        .at(call->span);
  DataType wide = DataType::Int(64).with_lanes(call->dtype().lanes());
  auto word = [&](size_t i) {
    const Expr& e = args[static_cast<int64_t>(i)];
    DataType scalar = DataType::Int(64);
    llvm::Value* value = emit_cast(emit(e), e->dtype(), e->dtype().is_scalar() ? scalar : wide, call->span);
    if (e->dtype().is_scalar() && !wide.is_scalar())
      value = b.CreateVectorSplat(static_cast<unsigned>(wide.lanes()), value);
    return value;
  };
  llvm::Value* x = word(0);
  llvm::Value* zero = llvm::Constant::getNullValue(x->getType());
  llvm::Value* one = llvm::ConstantInt::get(x->getType(), 1);
  llvm::Value *left = nullptr, *right = nullptr;
  if (args.size() == 4) {
    llvm::Value* shift = word(3);
    left = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, shift, zero);
    right = b.CreateAdd(word(2), b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateNeg(shift), zero));
  } else {
    left = b.CreateSelect(b.CreateICmpNE(word(5), zero), word(2), zero);
    right = b.CreateAdd(word(3), word(4));
  }
  llvm::Value* product = b.CreateMul(b.CreateShl(x, left), word(1));
  llvm::Value* rounded = b.CreateAdd(product, b.CreateShl(one, b.CreateSub(right, one)));
  return emit_cast(b.CreateAShr(rounded, right), wide, call->dtype(), call->span);
}

}  // namespace mlc::llvm_backend
