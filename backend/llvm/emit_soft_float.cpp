// SPDX-License-Identifier: Apache-2.0
// Floating formats that the machine does not compute in: bit patterns in integer registers, to float32 and
// back.
#include <cmath>

#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

using ir::SmallFloat;

// bfloat16 is the upper half of a float32. float16: the exponent is moved by a multiplication with 2^112,
// which also makes subnormals right; infinities and NaN get their exponent filled.
llvm::Value* FunctionEmitter::soft_to_float(llvm::Value* value, DataType dtype) {
  if (const ir::SmallFloat* narrow = ir::narrow_format(dtype)) return narrow_to_float(value, *narrow);
  llvm::Type* i32 = m_.register_type(DataType::UInt(32, dtype.lanes()));
  llvm::Type* f32 = m_.register_type(DataType::Float(32, dtype.lanes()));
  llvm::Value* bits = b.CreateZExt(value, i32);
  if (dtype.is_bfloat16()) return b.CreateBitCast(b.CreateShl(bits, splat_int(i32, 16)), f32);
  llvm::Value* magnitude = b.CreateShl(b.CreateAnd(bits, splat_int(i32, 0x7fff)), splat_int(i32, 13));
  llvm::Value* sign = b.CreateShl(b.CreateAnd(bits, splat_int(i32, 0x8000)), splat_int(i32, 16));
  llvm::Value* scale = llvm::ConstantFP::get(f32, 0x1p112);
  llvm::Value* scaled = b.CreateBitCast(b.CreateFMul(b.CreateBitCast(magnitude, f32), scale), i32);
  llvm::Value* special = b.CreateICmpUGE(magnitude, splat_int(i32, 0x0f800000));
  llvm::Value* filled = b.CreateOr(magnitude, splat_int(i32, 0x7f800000));
  return b.CreateBitCast(b.CreateOr(b.CreateSelect(special, filled, scaled), sign), f32);
}

llvm::Value* FunctionEmitter::float_to_soft(llvm::Value* value, DataType dtype) {
  if (const ir::SmallFloat* narrow = ir::narrow_format(dtype)) return float_to_narrow(value, *narrow);
  llvm::Type* i32 = m_.register_type(DataType::UInt(32, dtype.lanes()));
  llvm::Type* i16 = m_.register_type(DataType::UInt(16, dtype.lanes()));
  llvm::Type* f32 = m_.register_type(DataType::Float(32, dtype.lanes()));
  llvm::Value* bits = b.CreateBitCast(value, i32);
  if (dtype.is_bfloat16()) {
    if (m_.machine.rounds_bfloat) {
      llvm::Type* bfloat = value->getType()->getWithNewType(b.getBFloatTy());
      return b.CreateBitCast(b.CreateFPTrunc(value, bfloat), i16);
    }
    // Adding 0x7fff plus the lowest bit kept rounds to nearest even; NaN is kept quiet.
    llvm::Value* lowest = b.CreateAnd(b.CreateLShr(bits, splat_int(i32, 16)), splat_int(i32, 1));
    llvm::Value* rounded = b.CreateAdd(bits, b.CreateAdd(lowest, splat_int(i32, 0x7fff)));
    llvm::Value* quiet = b.CreateOr(bits, splat_int(i32, 0x400000));
    llvm::Value* result = b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded);
    return b.CreateTrunc(b.CreateLShr(result, splat_int(i32, 16)), i16);
  }
  llvm::Value* sign = b.CreateAnd(b.CreateLShr(bits, splat_int(i32, 16)), splat_int(i32, 0x8000));
  llvm::Value* magnitude = b.CreateAnd(bits, splat_int(i32, 0x7fffffff));
  // Normal results: rebias the exponent by -112 and round to nearest even at bit 13.
  llvm::Value* lowest = b.CreateAnd(b.CreateLShr(magnitude, splat_int(i32, 13)), splat_int(i32, 1));
  llvm::Value* rebased = b.CreateAdd(magnitude, b.CreateAdd(lowest, splat_int(i32, 0xc8000fffU)));
  llvm::Value* normal = b.CreateLShr(rebased, splat_int(i32, 13));
  // Subnormal results (below 2^-14): adding 0.5 aligns the mantissa; the hardware rounds.
  llvm::Value* half = b.CreateBitCast(splat_int(i32, 0x3f000000), f32);
  llvm::Value* sum = b.CreateFAdd(b.CreateBitCast(magnitude, f32), half);
  llvm::Value* subnormal = b.CreateSub(b.CreateBitCast(sum, i32), splat_int(i32, 0x3f000000));
  llvm::Value* result =
      b.CreateSelect(b.CreateICmpULT(magnitude, splat_int(i32, 0x38800000)), subnormal, normal);
  // 65520 and more round to infinity; NaN stays one.
  result =
      b.CreateSelect(b.CreateICmpUGE(magnitude, splat_int(i32, 0x477ff000)), splat_int(i32, 0x7c00), result);
  result =
      b.CreateSelect(b.CreateICmpUGT(magnitude, splat_int(i32, 0x7f800000)), splat_int(i32, 0x7e00), result);
  return b.CreateTrunc(b.CreateOr(result, sign), i16);
}

// float64 to float32 towards zero, with the last bit set where something was lost: rounded to float16 after
// that, it is what rounding once would give. x86 rounds float64 to float16 by a function of libgcc, which
// what is built does without.
llvm::Value* FunctionEmitter::float_rounded_to_odd(llvm::Value* value) {
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Type* f32 = value->getType()->getWithNewType(b.getFloatTy());
  llvm::Type* i32 = value->getType()->getWithNewType(b.getInt32Ty());
  llvm::Value* nearest = b.CreateFPTrunc(value, f32);
  llvm::Value* back = b.CreateFPExt(nearest, value->getType());
  auto magnitude = [&](llvm::Value* x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); };
  llvm::Value* away = b.CreateFCmpOGT(magnitude(back), magnitude(value));
  llvm::Value* inexact = b.CreateFCmpONE(back, value);  // false for NaN
  llvm::Value* bits = b.CreateSub(b.CreateBitCast(nearest, i32), b.CreateZExt(away, i32));
  return b.CreateBitCast(b.CreateOr(bits, b.CreateZExt(inexact, i32)), f32);
}

namespace {

constexpr int kMantissa = 23;  // of float32
constexpr int kBias = 127;
constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kNan = 0x7fc00000;

}  // namespace

// Floats of 8 bits, as float16 above: the exponent moves by a multiplication, which makes subnormals right.
llvm::Value* FunctionEmitter::narrow_to_float(llvm::Value* value, const SmallFloat& format) {
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Type* i32 = value->getType()->getWithNewType(b.getInt32Ty());
  llvm::Type* f32 = value->getType()->getWithNewType(b.getFloatTy());
  auto number = [&](uint32_t n) { return splat_int(i32, n); };
  llvm::Value* bits = b.CreateZExt(value, i32);
  if (format.special == SmallFloat::kScale) {
    // An exponent alone; the least power of two is a subnormal float32.
    llvm::Value* power = b.CreateShl(bits, number(kMantissa));
    power = b.CreateSelect(b.CreateICmpEQ(bits, number(0)), number(0x00400000), power);
    power = b.CreateSelect(b.CreateICmpUGT(bits, number(format.largest())), number(kNan), power);
    return b.CreateBitCast(power, f32);
  }
  auto shift = static_cast<uint32_t>(kMantissa - format.mantissa_bits);
  llvm::Value* plain = b.CreateAnd(bits, number(format.sign_bit() - 1));
  llvm::Value* scale = llvm::ConstantFP::get(f32, std::ldexp(1.0, kBias - format.bias));
  llvm::Value* magnitude = b.CreateShl(plain, number(shift));
  llvm::Value* wide = b.CreateBitCast(b.CreateFMul(b.CreateBitCast(magnitude, f32), scale), i32);
  if (format.special == SmallFloat::kIeee) {
    llvm::Value* special = b.CreateICmpUGT(plain, number(format.largest()));
    wide = b.CreateSelect(special, b.CreateOr(magnitude, number(kInfinity)), wide);
  } else if (format.special == SmallFloat::kFn) {
    wide = b.CreateSelect(b.CreateICmpUGT(plain, number(format.largest())), number(kNan), wide);
  } else if (format.special == SmallFloat::kFnuz) {
    wide = b.CreateSelect(b.CreateICmpEQ(bits, number(format.sign_bit())), number(kNan), wide);
  }
  llvm::Value* sign = b.CreateShl(b.CreateAnd(bits, number(format.sign_bit())),
                                  number(static_cast<uint32_t>(32 - format.bits)));
  return b.CreateBitCast(b.CreateOr(wide, sign), f32);
}

// To the nearest value, ties to even; what is too large is infinity, or NaN where there is none, or the
// largest value where there is neither. The values are those of ir::encode.
llvm::Value* FunctionEmitter::float_to_narrow(llvm::Value* value, const SmallFloat& format) {
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Type* i32 = value->getType()->getWithNewType(b.getInt32Ty());
  llvm::Type* f32 = value->getType();
  llvm::Type* narrow = value->getType()->getWithNewType(b.getInt8Ty());
  auto number = [&](uint32_t n) { return splat_int(i32, n); };
  llvm::Value* bits = b.CreateBitCast(value, i32);
  if (format.special == SmallFloat::kScale) {
    // The nearest power of two, the greater one from the middle on: half a step more, without its mantissa.
    llvm::Value* power = b.CreateLShr(b.CreateAdd(bits, number(0x00400000)), number(kMantissa));
    llvm::Value* least = b.CreateZExt(b.CreateICmpUGE(bits, number(0x00600000)), i32);
    power = b.CreateSelect(b.CreateICmpULT(bits, number(0x00800000)), least, power);
    llvm::Value* none = number(format.largest() + 1);  // NaN: nothing is zero, negative or infinite
    llvm::Value* outside =
        b.CreateOr(b.CreateICmpSLE(bits, number(0)), b.CreateICmpUGE(bits, number(kInfinity)));
    return b.CreateTrunc(b.CreateSelect(outside, none, power), narrow);
  }
  auto shift = static_cast<uint32_t>(kMantissa - format.mantissa_bits);
  llvm::Value* magnitude = b.CreateAnd(bits, number(0x7fffffff));
  llvm::Value* lowest = b.CreateAnd(b.CreateLShr(magnitude, number(shift)), number(1));
  uint32_t rebias = static_cast<uint32_t>(format.bias - kBias) << kMantissa;
  llvm::Value* rounded =
      b.CreateAdd(magnitude, b.CreateAdd(lowest, number(rebias + (1U << (shift - 1)) - 1)));
  llvm::Value* normal = b.CreateLShr(rounded, number(shift));
  // Subnormal results: a sum whose last bit has their unit; the hardware rounds.
  int unit = 1 - format.bias - format.mantissa_bits;
  uint32_t aligned = static_cast<uint32_t>(kBias + kMantissa + unit) << kMantissa;
  llvm::Value* sum = b.CreateFAdd(b.CreateBitCast(magnitude, f32), b.CreateBitCast(number(aligned), f32));
  llvm::Value* subnormal = b.CreateSub(b.CreateBitCast(sum, i32), number(aligned));
  uint32_t least_normal = static_cast<uint32_t>(kBias + 1 - format.bias) << kMantissa;
  llvm::Value* result = b.CreateSelect(b.CreateICmpULT(magnitude, number(least_normal)), subnormal, normal);

  uint32_t too_large = format.special == SmallFloat::kFinite ? format.largest()
                       : format.special == SmallFloat::kFnuz ? format.sign_bit()
                                                             : format.largest() + 1;
  result = b.CreateSelect(b.CreateICmpUGT(result, number(format.largest())), number(too_large), result);
  if (format.special == SmallFloat::kIeee) {
    uint32_t nan = (format.largest() + 1) | 1U << (format.mantissa_bits - 1);
    result = b.CreateSelect(b.CreateICmpUGT(magnitude, number(kInfinity)), number(nan), result);
  }
  llvm::Value* sign = b.CreateAnd(b.CreateLShr(bits, number(static_cast<uint32_t>(32 - format.bits))),
                                  number(format.sign_bit()));
  if (format.special == SmallFloat::kFnuz)  // no zero has a sign
    sign = b.CreateSelect(b.CreateICmpEQ(result, number(0)), number(0), sign);
  return b.CreateTrunc(b.CreateOr(result, sign), narrow);
}

}  // namespace mlc::llvm_backend
