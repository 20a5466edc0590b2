// SPDX-License-Identifier: Apache-2.0
// sin, cos and pow of vectors of float32, computed in float64: nothing is lost on the way, so that the
// results are those of the true value to within one unit of the last place. Vectors with a lane for which
// that does not hold, such as an angle of more than a million or a power of what is not positive, go through
// the C library lane by lane.
#include <array>
#include <span>

#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

namespace {

constexpr double kMostAngle = 1048576.0;
// pi / 2 in two parts: 32 bits, whose products with the number of quadrants are exact, and the rest.
constexpr double kQuadrantHigh = 1.570796326734125614166259765625;
constexpr double kQuadrantLow = 6.077100506506192e-11;
constexpr double kQuadrantsPerUnit = 0.6366197723675814;
constexpr double kRounds = 6755399441055744.0;  // 1.5 * 2^52: what is added to it is rounded to an integer
// (sin(r) / r - 1) / r^2 and (cos(r) - 1) / r^2, in r^2, highest power first; the errors are below 1e-10.
constexpr std::array kSine{2.7182372813771157e-06, -0.0001983932713690295, 0.00833332936228077,
                           -0.16666666641426517};
constexpr std::array kCosine{2.438963429981299e-05, -0.00138867553249028, 0.04166662306464982,
                             -0.49999999722908217};

class Angles {
 public:
  Angles(llvm::IRBuilder<>& builder, llvm::Value* x) : b(builder), x_(x), type_(x->getType()) {
    auto count = llvm::cast<llvm::VectorType>(type_)->getElementCount();
    integer_ = llvm::VectorType::get(b.getInt64Ty(), count);
  }
  // cos(x) is sin(x) a quadrant further on: sin and cos of the rest take turns, and so do the signs.
  llvm::Value* sine(int64_t quadrants) {
    llvm::Value* shifted = fma(x_, number(kQuadrantsPerUnit), number(kRounds));
    llvm::Value* n = b.CreateFSub(shifted, number(kRounds));
    llvm::Value* r = fma(n, number(-kQuadrantHigh), x_);
    r = fma(n, number(-kQuadrantLow), r);
    llvm::Value* square = b.CreateFMul(r, r);
    llvm::Value* sine = b.CreateFMul(r, fma(polynomial(square, kSine), square, number(1)));
    llvm::Value* cosine = fma(polynomial(square, kCosine), square, number(1));
    llvm::Value* quadrant = b.CreateAdd(b.CreateBitCast(shifted, integer_), integer(quadrants));
    llvm::Value* odd = b.CreateICmpNE(b.CreateAnd(quadrant, integer(1)), integer(0));
    constexpr int64_t kSignBit = 63;
    llvm::Value* sign = b.CreateShl(b.CreateLShr(quadrant, integer(1)), integer(kSignBit));
    llvm::Value* chosen = b.CreateBitCast(b.CreateSelect(odd, cosine, sine), integer_);
    return b.CreateBitCast(b.CreateXor(chosen, sign), type_);
  }

 private:
  llvm::Value* number(double value) { return llvm::ConstantFP::get(type_, value); }
  llvm::Value* integer(int64_t value) {
    return llvm::ConstantInt::get(integer_, static_cast<uint64_t>(value), true);
  }
  llvm::Value* fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
    return b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {type_}, {x, y, z});
  }
  llvm::Value* polynomial(llvm::Value* x, std::span<const double> coefficients) {
    llvm::Value* sum = number(coefficients[0]);
    for (double c : coefficients.subspan(1)) sum = fma(sum, x, number(c));
    return sum;
  }
  llvm::IRBuilder<>& b;
  llvm::Value* x_;
  llvm::Type* type_;
  llvm::Type* integer_;
};

}  // namespace

llvm::Value* FunctionEmitter::wide_math(const ir::OpRow& row, llvm::ArrayRef<llvm::Value*> args,
                                        DataType dtype) {
  std::string_view name = row.name.substr(row.name.find('.') + 1);
  bool is_angle = name == "sin" || name == "cos";
  if (!is_angle && name != "pow") return nullptr;
  if (dtype.is_scalar() || dtype.is_scalable() || !dtype.is_float() || dtype.bits() != 32) return nullptr;
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);  // what is rounded here must not be rearranged
  llvm::FastMathFlags flags;
  b.setFastMathFlags(flags);
  llvm::Type* type = args[0]->getType();
  auto below = [&](llvm::Value* value, llvm::Constant* most) {
    return b.CreateFCmpOLT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value), most);
  };
  llvm::Value* plain = nullptr;
  if (is_angle) {
    plain = below(args[0], llvm::ConstantFP::get(type, kMostAngle));
  } else {
    llvm::Constant* infinity = llvm::ConstantFP::getInfinity(type);
    plain = b.CreateAnd(below(args[0], infinity), below(args[1], infinity));
    plain = b.CreateAnd(plain, b.CreateFCmpOGT(args[0], llvm::Constant::getNullValue(type)));
  }
  auto* quick = llvm::BasicBlock::Create(m_.context, "wide", function_, end_);
  auto* lanes = llvm::BasicBlock::Create(m_.context, "lanes", function_, end_);
  auto* join = llvm::BasicBlock::Create(m_.context, "wide.end", function_, end_);
  b.CreateCondBr(b.CreateAndReduce(plain), quick, lanes,
                 llvm::MDBuilder(m_.context).createLikelyBranchWeights());
  b.SetInsertPoint(quick);
  auto widened = [&](llvm::Value* value) {
    return b.CreateFPExt(value, m_.register_type(DataType::Float(64, dtype.lanes())));
  };
  llvm::Value* wide = nullptr;
  if (is_angle)
    wide = Angles(b, widened(args[0])).sine(name == "cos" ? 1 : 0);
  else
    wide = polynomial("exp", b.CreateFMul(widened(args[1]), polynomial("log", widened(args[0]))));
  llvm::Value* narrow = b.CreateFPTrunc(wide, type);
  quick = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(lanes);
  llvm::Value* one_by_one = libm(row, args, dtype);
  lanes = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join);
  llvm::PHINode* result = b.CreatePHI(type, 2);
  result->addIncoming(narrow, quick);
  result->addIncoming(one_by_one, lanes);
  return result;
}

}  // namespace mlc::llvm_backend
