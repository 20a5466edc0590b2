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
  static const std::unordered_map<std::string_view, llvm::Intrinsic::ID> direct = {
      {"sqrt", llvm::Intrinsic::sqrt},       {"floor", llvm::Intrinsic::floor},
      {"ceil", llvm::Intrinsic::ceil},       {"trunc", llvm::Intrinsic::trunc},
      {"round", llvm::Intrinsic::roundeven}, {"nearbyint", llvm::Intrinsic::nearbyint},
      {"fabs", llvm::Intrinsic::fabs},       {"copysign", llvm::Intrinsic::copysign},
      {"fma", llvm::Intrinsic::fma}};
  if (auto found = direct.find(name); found != direct.end()) {
    return b.CreateIntrinsic(found->second, {args[0]->getType()}, args);
  }
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
    ir::OpRow exp = ir::op_row(ir::op("tirx.exp").get());
    llvm::Value* power = math(exp, {b.CreateFNeg(args[0])}, dtype, span);
    return b.CreateFDiv(constant(1.0), b.CreateFAdd(constant(1.0), power));
  }
  if (name == "exp10") {
    ir::OpRow pow = ir::op_row(ir::op("tirx.pow").get());
    return math(pow, {constant(10.0), args[0]}, dtype, span);
  }
  if (llvm::Value* own = polynomial(name, args[0])) return own;
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
  auto one = [&](int lane) {
    std::vector<llvm::Value*> lane_args;
    for (size_t i = 0; i < args.size(); ++i) {
      llvm::Value* value = lane < 0 ? args[i] : b.CreateExtractElement(args[i], static_cast<uint64_t>(lane));
      if (types[i] != value->getType()) {
        value = value->getType()->isIntegerTy() ? b.CreateIntCast(value, types[i], true)
                                                : b.CreateFPToSI(value, types[i]);
      }
      lane_args.push_back(value);
    }
    return b.CreateCall(callee, lane_args);
  };
  if (dtype.is_scalar()) return one(-1);
  llvm::Value* result = llvm::PoisonValue::get(m_.register_type(dtype));
  for (int i = 0; i < dtype.lanes(); ++i)
    result = b.CreateInsertElement(result, one(i), static_cast<uint64_t>(i));
  return result;
}

}  // namespace mlc::llvm_backend
