// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh, erf and atan of float32, exp and log of float64, as arithmetic on scalars and vectors
// alike: an argument is reduced to a small interval, where a polynomial (minimax, Remez exchange on the
// relative error) stands for the function. Tested bounds, in units of the last place: exp 2, log 1, tanh 2.6,
// erf 2.6, atan 2 (float32), exp 1, log 1 (float64). Everything else is the C library's, see emit_math.cpp.
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

namespace {

// What differs between float32 and float64.
struct Format {
  int bits, mantissa, bias;
  double round_magic;  // 1.5 * 2^mantissa: what is added to it is rounded to an integer in the low bits
  int64_t magic_bits;
  double ln2_high, ln2_low;  // ln2_high has so few digits that its multiples are exact
  double exp_least, exp_most;
  double smallest_normal;
  int64_t sqrt_half_bits;
};
constexpr Format kSingle = {
    32,        23, 127, 12582912.0, 0x4B400000, 0.693359375, -2.12194440e-4, -104.0, 89.0, 1.17549435e-38,
    0x3F3504F3};
constexpr Format kDouble = {64,
                            52,
                            1023,
                            6755399441055744.0,
                            0x4338000000000000,
                            6.93147180369123816490e-01,
                            1.90821492927058770002e-10,
                            -746.0,
                            710.0,
                            2.2250738585072014e-308,
                            0x3FE6A09E667F3BCD};

// Coefficients, highest power first.
constexpr double kSlopeSingle[] = {0.008282380178570747, 0.041896406561136246, 0.1666778326034546,
                                   0.49999165534973145, 0.9999996423721313};  // (e^r - 1) / r, for exp
constexpr double kExpSingle[] = {0.0013951704073279897, 0.008369591419080682, 0.04166618756696506,
                                 0.16666512965304572, 0.500000010083314};  // (e^r - 1 - r) / r^2, for tanh
constexpr double kExpDouble[] = {2.092788566510212e-09,
                                 2.511341756086129e-08,
                                 2.755723011611889e-07,
                                 2.755723088540603e-06,
                                 2.480158737785098e-05,
                                 0.00019841269900378215,
                                 0.001388888888885612,
                                 0.008333333333315417,
                                 0.04166666666666673,
                                 0.16666666666666685,
                                 0.5};
constexpr double kLogSingle[] = {
    0.06916107963359489,  -0.11788948299323207, 0.11872137481808105,
    -0.12384456570787944, 0.14218801219192284,  -0.1666924832559191,
    0.20002218178526135,  -0.24999986558244536, 0.33333310597153315};  // (log(1 + t) - t + t^2 / 2) / t^3
constexpr double kLogDouble[] = {0.14795272377893584, 0.15314165272404087, 0.1818355767356904,
                                 0.22222198752296088, 0.2857142873999864,  0.39999999999429475,
                                 0.6666666666666731};  // (log((1 + s) / (1 - s)) - 2 s) / s^3, in s^2
constexpr double kTanhOne = 9.02;                      // from there, the nearest number is 1
constexpr double kErfNear[] = {7.889123242904511e-05, -0.0008020842330595675, 0.005189535449060532,
                               -0.02685444464357072,  0.11283600177332684,    -0.3761262713605174,
                               1.1283791659137794};  // erf(x) / x, in x^2, up to 1
constexpr double kErfFar[] = {-2.1496128090223946e-05, 0.000439106574109745,  -0.004193612218385952,
                              0.025178971177657116,    -0.10837248439040958,  -0.6332626064210845,
                              -1.1295568334795156,     0.00018344483458211758};  // log(1 - erf(t)), 1 to 4
constexpr double kAtan[] = {-0.001753930142693854, 0.010726944073539031, -0.030804597296413046,
                            0.057552102379287096,  -0.08377315483465515, 0.10942030681821839,
                            -0.1426193310928869,   0.19998266041859206,  -0.33333283641706785,
                            0.9999999976306286};                // atan(x) / x, in x^2, up to 1
constexpr double kHalfPi[] = {0x1.921fb6p+0, -0x1.777a5dp-25};  // what float32 keeps of it, and the rest

// One function on values of one type.
class Polynomials {
 public:
  // `scales`: the machine has x * 2^n, with a rounding of its own, for vectors.
  Polynomials(llvm::IRBuilder<>& builder, llvm::Type* type, bool scales)
      : b(builder), type_(type), scales_(scales) {
    format_ = type->getScalarType()->isFloatTy() ? &kSingle : &kDouble;
    integer_ = b.getIntNTy(static_cast<unsigned>(format_->bits));
    if (auto* vector = llvm::dyn_cast<llvm::VectorType>(type))
      integer_ = llvm::VectorType::get(integer_, vector->getElementCount());
  }

  // x = n log(2) + rest, and e^x = 2^n e^rest; the low bits of `shifted` are those of n.
  struct Reduced {
    llvm::Value* shifted;
    llvm::Value* rest;
    llvm::Value* n;
  };
  Reduced reduced(llvm::Value* x) {
    llvm::Value* shifted = fma(x, number(1.4426950408889634), number(format_->round_magic));
    llvm::Value* n = b.CreateFSub(shifted, number(format_->round_magic));
    llvm::Value* rest = fma(n, number(-format_->ln2_high), x);
    return {bits_of(shifted), fma(n, number(-format_->ln2_low), rest), n};
  }

  llvm::Value* exp(llvm::Value* x) {
    llvm::Value* bounded = between(format_->exp_least, x, format_->exp_most);
    auto [shifted, r, n] = reduced(bounded);
    llvm::Value* slope =
        is_single() ? polynomial(r, kSlopeSingle) : fma(polynomial(r, kExpDouble), r, number(1));
    if (llvm::Value* scaled = scales_ ? times_power_of_two(fma(slope, r, number(1)), n) : nullptr)
      return scaled;
    // 2^n in two factors, since it may itself be too large or too small: the first one goes into the last
    // step of e^r = 1 + r slope, the second one rounds what is subnormal.
    llvm::Value* half = b.CreateLShr(shifted, integer(1));
    llvm::Value* first = power_of_two(half);
    llvm::Value* second = power_of_two(b.CreateSub(shifted, half));
    return b.CreateFMul(fma(slope, b.CreateFMul(r, first), first), second);
  }

  llvm::Value* log(llvm::Value* x) {
    // x = 2^e m with m in [sqrt(1/2), sqrt(2)); subnormal numbers are made normal first.
    llvm::Value* tiny = b.CreateFCmpOLT(x, number(format_->smallest_normal));
    double scale = static_cast<double>(int64_t{1} << format_->mantissa);
    llvm::Value* normal = b.CreateSelect(tiny, b.CreateFMul(x, number(scale)), x);
    llvm::Value* above_half = b.CreateSub(bits_of(normal), integer(format_->sqrt_half_bits));
    llvm::Value* exponent = b.CreateAShr(above_half, integer(format_->mantissa));
    llvm::Value* m = b.CreateBitCast(
        b.CreateSub(bits_of(normal), b.CreateShl(exponent, integer(format_->mantissa))), type_);
    // A small integer as a number: in the low bits of the one whose last bit counts ones.
    llvm::Value* e = b.CreateFSub(b.CreateBitCast(b.CreateAdd(exponent, integer(format_->magic_bits)), type_),
                                  number(format_->round_magic));
    e = b.CreateFSub(e, b.CreateSelect(tiny, number(format_->mantissa), number(0)));
    llvm::Value* t = b.CreateFSub(m, number(1));
    llvm::Value* result = is_single() ? log_single(t, e) : log_double(t, e);
    result = b.CreateSelect(b.CreateFCmpOLT(x, infinity()), result, x);  // inf and NaN
    result = b.CreateSelect(b.CreateFCmpOLT(x, number(0)), llvm::ConstantFP::getNaN(type_), result);
    return b.CreateSelect(b.CreateFCmpOEQ(x, number(0)), llvm::ConstantFP::getInfinity(type_, true), result);
  }

  // t / (t + 2) of t = e^(2 |x|) - 1, which is 2^n (e^r - 1) + (2^n - 1): near 0, where n is 0, it loses
  // nothing.
  llvm::Value* tanh(llvm::Value* x) {
    llvm::Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    size = b.CreateSelect(b.CreateFCmpOLT(number(kTanhOne), size), number(kTanhOne), size);  // NaN stays
    Reduced twice = reduced(b.CreateFAdd(size, size));
    llvm::Value* r = twice.rest;
    llvm::Value* small = fma(polynomial(r, kExpSingle), b.CreateFMul(r, r), r);
    llvm::Value* power = power_of_two(twice.shifted);
    llvm::Value* t = fma(power, small, b.CreateFSub(power, number(1)));
    return copy_sign(b.CreateFDiv(t, b.CreateFAdd(t, number(2))), x);
  }

  llvm::Value* erf(llvm::Value* x) {
    llvm::Value* size =
        below(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), 4.0);  // 1 in float32 from there
    llvm::Value* near = b.CreateFMul(polynomial(b.CreateFMul(x, x), kErfNear), x);
    llvm::Value* far = b.CreateFSub(number(1), exp(polynomial(size, kErfFar)));
    llvm::Value* result = b.CreateSelect(b.CreateFCmpOGT(size, number(1)), copy_sign(far, x), near);
    return b.CreateSelect(b.CreateFCmpUNO(x, x), x, result);
  }

  // Beyond 1, atan(x) = pi / 2 - atan(1 / x).
  llvm::Value* atan(llvm::Value* x) {
    llvm::Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    llvm::Value* is_far = b.CreateFCmpOGT(size, number(1));
    llvm::Value* z = b.CreateSelect(is_far, b.CreateFDiv(number(1), size), size);
    llvm::Value* near = b.CreateFMul(polynomial(b.CreateFMul(z, z), kAtan), z);
    llvm::Value* far = b.CreateFSub(number(kHalfPi[0]), b.CreateFSub(near, number(kHalfPi[1])));
    return copy_sign(b.CreateSelect(is_far, far, near), x);
  }

 private:
  bool is_single() const { return format_ == &kSingle; }
  llvm::Value* number(double value) { return llvm::ConstantFP::get(type_, value); }
  llvm::Value* infinity() { return llvm::ConstantFP::getInfinity(type_); }
  llvm::Value* integer(int64_t value) {
    return llvm::ConstantInt::get(integer_, static_cast<uint64_t>(value), true);
  }
  llvm::Value* bits_of(llvm::Value* value) { return b.CreateBitCast(value, integer_); }
  llvm::Value* fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
    return b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {type_}, {x, y, z});
  }
  // NaN comes out as the bound.
  llvm::Value* below(llvm::Value* x, double most) {
    return b.CreateSelect(b.CreateFCmpOLT(x, number(most)), x, number(most));
  }
  // NaN stays NaN, and so does all that is computed from it.
  llvm::Value* between(double least, llvm::Value* x, double most) {
    x = b.CreateSelect(b.CreateFCmpOLT(number(most), x), number(most), x);
    return b.CreateSelect(b.CreateFCmpOGT(number(least), x), number(least), x);
  }
  llvm::Value* copy_sign(llvm::Value* value, llvm::Value* sign) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, value, sign);
  }
  // Of the exponent, only the low bits count.
  llvm::Value* power_of_two(llvm::Value* exponent) {
    llvm::Value* in_place = b.CreateShl(exponent, integer(format_->mantissa));
    return b.CreateBitCast(b.CreateAdd(in_place, integer(int64_t{format_->bias} << format_->mantissa)),
                           type_);
  }
  // x * 2^n of vectors that are whole registers, with one rounding; null for others.
  llvm::Value* times_power_of_two(llvm::Value* x, llvm::Value* n) {
    auto* whole = llvm::dyn_cast<llvm::FixedVectorType>(type_);
    if (whole == nullptr) return nullptr;
    constexpr unsigned kWidths[] = {512, 256, 128};
    auto bits = static_cast<unsigned>(format_->bits);
    unsigned lanes = whole->getNumElements();
    auto* width = std::ranges::find_if(kWidths, [&](unsigned each) { return lanes * bits % each == 0; });
    if (width == std::end(kWidths)) return nullptr;
    unsigned part = *width / bits;
    auto* type = llvm::FixedVectorType::get(type_->getScalarType(), part);
    bool is_512 = *width == 512;
    llvm::Type* mask = b.getIntNTy(std::max(part, 8U));
    llvm::Intrinsic::ID id = scale_instruction(*width);
    llvm::Value* result = llvm::PoisonValue::get(type_);
    for (unsigned at = 0; at < lanes; at += part) {
      auto take = [&](llvm::Value* value) {
        return part == lanes ? value : b.CreateExtractVector(type, value, b.getInt64(at));
      };
      llvm::SmallVector<llvm::Value*> operands{take(x), take(n), llvm::Constant::getNullValue(type),
                                               llvm::Constant::getAllOnesValue(mask)};
      constexpr unsigned kCurrentRounding = 4;
      if (is_512) operands.push_back(b.getInt32(kCurrentRounding));
      llvm::Value* scaled = b.CreateIntrinsic(id, {}, operands);
      result = part == lanes ? scaled : b.CreateInsertVector(type_, result, scaled, b.getInt64(at));
    }
    return result;
  }
  llvm::Intrinsic::ID scale_instruction(unsigned width) const {
    using namespace llvm::Intrinsic;
    if (is_single())
      return width == 512   ? x86_avx512_mask_scalef_ps_512
             : width == 256 ? x86_avx512_mask_scalef_ps_256
                            : x86_avx512_mask_scalef_ps_128;
    return width == 512   ? x86_avx512_mask_scalef_pd_512
           : width == 256 ? x86_avx512_mask_scalef_pd_256
                          : x86_avx512_mask_scalef_pd_128;
  }
  llvm::Value* polynomial(llvm::Value* x, std::span<const double> coefficients) {
    llvm::Value* sum = number(coefficients[0]);
    for (double c : coefficients.subspan(1)) sum = fma(sum, x, number(c));
    return sum;
  }

  llvm::Value* log_single(llvm::Value* t, llvm::Value* e) {
    llvm::Value* square = b.CreateFMul(t, t);
    llvm::Value* tail = b.CreateFMul(b.CreateFMul(polynomial(t, kLogSingle), t), square);
    tail = fma(e, number(format_->ln2_low), tail);
    tail = fma(square, number(-0.5), tail);
    return fma(e, number(format_->ln2_high), b.CreateFAdd(t, tail));
  }
  llvm::Value* log_double(llvm::Value* t, llvm::Value* e) {
    // log(1 + t) = t - t^2 / 2 + s (t^2 / 2 + s^2 q(s^2)) with s = t / (2 + t), as in FreeBSD's msun.
    llvm::Value* s = b.CreateFDiv(t, b.CreateFAdd(t, number(2)));
    llvm::Value* square = b.CreateFMul(s, s);
    llvm::Value* half = b.CreateFMul(number(0.5), b.CreateFMul(t, t));
    llvm::Value* rest = b.CreateFMul(polynomial(square, kLogDouble), square);
    llvm::Value* tail = fma(s, b.CreateFAdd(half, rest), b.CreateFMul(e, number(format_->ln2_low)));
    llvm::Value* low = b.CreateFSub(b.CreateFSub(half, tail), t);
    return fma(e, number(format_->ln2_high), b.CreateFNeg(low));
  }

  llvm::IRBuilder<>& b;
  llvm::Type* type_;
  llvm::Type* integer_;
  bool scales_;
  const Format* format_;
};

}  // namespace

llvm::Value* FunctionEmitter::polynomial(std::string_view name, llvm::Value* x) {
  llvm::Type* scalar = x->getType()->getScalarType();
  if (!scalar->isFloatTy() && !scalar->isDoubleTy()) return nullptr;
  // What is exact here would not be after a rearrangement; products and sums may still become one step.
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  llvm::FastMathFlags flags;
  b.setFastMathFlags(flags);
  Polynomials functions(b, x->getType(), m_.machine.scales_by_powers);
  if (name == "exp") return functions.exp(x);
  if (name == "log") return functions.log(x);
  if (scalar->isDoubleTy()) return nullptr;
  if (name == "tanh") return functions.tanh(x);
  if (name == "erf") return functions.erf(x);
  if (name == "atan") return functions.atan(x);
  return nullptr;
}

}  // namespace mlc::llvm_backend
