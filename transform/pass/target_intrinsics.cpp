// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/target_intrinsics.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/scalar_op.h"
#include "transform/arith/analyzer.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "intrinsic-not-available",
         .message = "the target `nvptx` has `{}` for float32 and float64 only"},
    }};
MLC_REFUSALS(pass_target_intrinsics, refusals);

using namespace mlc::ir;  // NOLINT

namespace {

// The names that targets have for it are in the row of the function.
using Names = ScalarOp::Lowering;
using enum Names::Hexagon;

struct Lowering {
  const CallNode& call;
  std::string_view target;
  std::string_view name;  // without "tirx."
  DataType dtype;
  Expr x;
  bool fast_math;

  Expr extern_call(const std::string& function) const {
    return named_call("tirx.call_pure_extern", function, call.args);
  }
  Expr llvm_call(std::string_view intrinsic, const Array<Expr>& args) const {
    return named_call("tirx.call_llvm_pure_intrin", std::string(intrinsic), args);
  }
  Expr named_call(std::string_view op_name, const std::string& function, const Array<Expr>& given) const {
    Array<Expr> args{make<StringImmNode>(String(function))};
    for (const Expr& arg : given) args.push_back(arg);
    return call_op(dtype, op_name, args, call.span);
  }
  Expr constant(double value) const {
    DataType element = dtype.element();
    Expr scalar = element.is_floating() ? Expr(make<FloatImmNode>(element, value))
                                        : Expr(int_imm(element, static_cast<int64_t>(value)));
    return dtype.is_scalar() ? scalar : Expr(make<BroadcastNode>(scalar, int32(dtype.lanes())));
  }
  // Scalar mathematics on bfloat16 is done in float32.
  static Expr math(std::string_view op_name, const Expr& value) {
    DataType type = value->dtype();
    if (!type.is_bfloat16()) return call_op(type, op_name, {value});
    DataType wide = DataType::Float(32, type.lanes());
    return cast(type, call_op(wide, op_name, {make<CastNode>(wide, value)}));
  }
  Expr quotient(const Expr& a, const Expr& b) const {
    return dtype.is_floating() ? div(a, b) : truncdiv(a, b);
  }

  const Names* names() const {
    const ScalarOp* row = scalar_op(name);
    return row == nullptr ? nullptr : &row->lowering;
  }
  std::string of_c(std::string_view function) const {
    if (function.empty() || !dtype.is_scalar() || !dtype.is_float()) return {};
    if (dtype.bits() == 64) return std::string(function);
    return dtype.bits() == 32 ? std::string(function) + "f" : "";
  }
  std::string of_cuda() const {
    std::string base(name);
    if (dtype.is_float() || dtype.is_bfloat16()) {
      if (dtype.bits() == 16) return name == "fabs" ? "__habs" : name == "round" ? "hrint" : "h" + base;
      if (name == "round") base = "nearbyint";
      constexpr std::string_view kFast[] = {"cos",  "exp", "exp10", "log", "log10",
                                            "log2", "pow", "sin",   "tanh"};
      if (fast_math && dtype.bits() == 32 &&
          std::find(std::begin(kFast), std::end(kFast), name) != std::end(kFast))
        return "__" + base + "f";
      return dtype.bits() == 64 ? base : dtype.bits() == 32 ? base + "f" : "";
    }
    if (dtype.bits() == 32) return "__" + base;
    return dtype.bits() == 64 ? "__" + base + "ll" : "";
  }
  std::string of_nvptx() const {
    if (dtype.bits() != 32 && dtype.bits() != 64) {
      throw refuse(refusals["intrinsic-not-available"], name).at(call.span);
    }
    std::string base(name == "round" ? "nearbyint" : name);
    return "__nv_" + base + (dtype.bits() == 32 ? "f" : "");
  }

  // The target's own rule, or null.
  Expr own() const {
    const Names* row = names();
    if (target == "llvm" || target == "rocm" || target == "hexagon") {
      if (Expr special = own_llvm()) return special;
      if (!row || row->llvm.empty() || (target == "rocm" && name == "popcount")) return nullptr;
      if (target != "hexagon") return llvm_call(row->llvm, call.args);
      if (row->hexagon == kNone) return nullptr;
      if (row->hexagon == kPlain) return llvm_call(row->llvm, call.args);
      Array<Expr> args{int_imm(DataType::UInt(32), static_cast<int64_t>(call.args.size()))};
      for (const Expr& arg : call.args) args.push_back(arg);
      return llvm_call(row->llvm, args);
    }
    if (Expr shuffled = shuffle()) return shuffled;
    if (target == "cuda") {
      if (name == "popcount" && dtype.is_uint() && dtype.bits() >= 32)
        return extern_call(dtype.bits() == 32 ? "__popc" : "__popcll");
      if (name == "clz" && call.args.size() == 1) {
        DataType of = call.args[0]->dtype();
        if (of.lanes() == 1 && of.bits() == 32) return extern_call("__clz");
        if (of.lanes() == 1 && of.bits() == 64) return extern_call("__clzll");
      }
      std::string function = row && row->cuda ? of_cuda() : "";
      return function.empty() ? Expr(nullptr) : extern_call(function);
    }
    if (target == "nvptx") return row && row->nvptx ? extern_call(of_nvptx()) : Expr(nullptr);
    bool webgpu = target == "webgpu";
    if (!webgpu && target != "opencl" && target != "metal") return nullptr;
    if (target != "opencl" && name == "tanh") return stable_tanh();
    if (target != "opencl" && name == "erf") return fast_erf();
    if (!webgpu && name == "clz") return extern_call("clz");
    std::string function(!row ? "" : webgpu ? row->webgpu : row->opencl);
    return function.empty() ? Expr(nullptr) : extern_call(function);
  }

  Expr own_llvm() const {
    bool llvm = target == "llvm";
    if (name == "tanh") return stable_tanh();
    if (name == "tan" && target != "rocm") return div(math("tirx.sin", x), math("tirx.cos", x));
    if (llvm && name == "exp10") return math("tirx.exp", mul(x, constant(2.302585093)));
    if (llvm && name == "atanh") {
      Expr one = constant(1);
      return mul(sub(math("tirx.log", add(one, x)), math("tirx.log", sub(one, x))), constant(0.5));
    }
    if (llvm && name == "clz") {
      Array<Expr> args{make<StringImmNode>("llvm.ctlz"), x, int_imm(DataType::Int(1), 1)};
      return cast(dtype,
                  call_op(x->dtype(), "tirx.call_llvm_intrin", args, call.span));  // counts in the type of x
    }
    if (target == "rocm") {
      if (name == "erf") return fast_erf();
      if (name == "tvm_warp_activemask") return int32(0);
      return rocm_shuffle();
    }
    return nullptr;
  }

  // Without overflow of exp: by |x|.
  Expr stable_tanh() const {
    Expr zero = constant(0), one = constant(1), two = constant(2), minus_two = constant(-2);
    Expr small = math("tirx.exp", mul(minus_two, x));
    Expr large = math("tirx.exp", mul(two, x));
    return make<SelectNode>(ge(x, zero), quotient(sub(one, small), add(one, small)),
                            quotient(sub(large, one), add(large, one)));
  }

  // A rational approximation on [-4, 4], beyond which erf is 1 to float32's precision (as Eigen's).
  Expr fast_erf() const {
    if (!dtype.is_float() || dtype.bits() > 32) {
      throw refuse_as(refusals["intrinsic-not-available"],
                      "the target `{}` has `erf` for float16 and float32 only", target)
          .kind(kRefusedValue)
          .at(call.span);
    }
    Expr near = max(min(x, constant(4.0)), constant(-4.0));
    Expr square = mul(near, near);
    auto polynomial = [&](std::initializer_list<float> coefficients) {
      Expr sum = nullptr;
      for (float c : coefficients) sum = sum ? add(mul(square, sum), constant(c)) : constant(c);
      return sum;
    };
    Expr above = polynomial({-2.72614225801306e-10F, 2.77068142495902e-08F, -2.10102402082508e-06F,
                             -5.69250639462346e-05F, -7.34990630326855e-04F, -2.95459980854025e-03F,
                             -1.60960333262415e-02F});
    Expr below = polynomial({-1.45660718464996e-05F, -2.13374055278905e-04F, -1.68282697438203e-03F,
                             -7.37332916720468e-03F, -1.42647390514189e-02F});
    return div(mul(near, above), below);
  }

  Expr shuffle() const {
    if (target == "cuda" && name == "tvm_warp_activemask")
      return call_op(dtype, "tirx.cuda.__activemask", {}, call.span);
    if (!name.starts_with("tvm_warp_shuffle")) return nullptr;
    std::string way(name.substr(std::string_view("tvm_warp_shuffle").size()));  // "", "_up", "_down", "_xor"
    const Array<Expr>& args = call.args;  // mask, value, lane or distance, width, warp size
    if (target == "cuda") {
      std::string device = "tirx.cuda.__shfl" + way + "_sync";
      return call_op(dtype, device, {args[0], args[1], args[2], args[3]}, call.span);
    }
    bool shuffles =
        target == "opencl" ? way.empty() : way != "_xor" && (target == "metal" || target == "webgpu");
    if (!shuffles) return nullptr;
    if (!Analyzer().can_prove_equal(args[3], args[4])) {
      throw refuse_as(refusals["intrinsic-not-available"], "the target `{}` shuffles whole warps only",
                      target)
          .at(call.span);
    }
    if (target == "opencl") {
      Array<Expr> given{args[1], args[2]};
      return named_call("tirx.call_pure_extern", "intel_sub_group_shuffle", given);
    }
    if (target == "metal")
      return call_op(dtype, "tirx.metal.simd_shuffle" + way, {args[1], args[2]}, call.span);
    Expr lane = make<CastNode>(DataType::UInt(32), args[2]);
    return call_op(dtype, "tirx.webgpu.subgroup_shuffle" + way, {args[1], lane}, call.span);
  }

  // ROCm permutes by byte addresses of lanes.
  Expr rocm_shuffle() const {
    if (!name.starts_with("tvm_warp_shuffle") || name == "tvm_warp_shuffle_xor") return nullptr;
    if (dtype.bits() != 32 || !dtype.is_scalar()) {
      throw refuse_as(refusals["intrinsic-not-available"],
                      "the target `rocm` shuffles values of 32 bits, not `{}`", dtype.str())
          .kind(kRefusedValue)
          .at(call.span);
    }
    DataType word = DataType::Int(32);
    auto amd = [&](const char* function, Array<Expr> given) {
      Array<Expr> args{make<StringImmNode>(function)};
      for (const Expr& arg : given) args.push_back(arg);
      return call_op(word, "tirx.call_pure_extern", args);
    };
    Expr lane = amd("llvm.amdgcn.mbcnt.hi", {int32(-1), amd("llvm.amdgcn.mbcnt.lo", {int32(-1), int32(0)})});
    const Expr& by = call.args[2];
    const Expr& width = call.args[3];
    Expr index;
    if (name == "tvm_warp_shuffle") {
      index = add(by, bitwise_and(lane, bitwise_not(sub(width, int32(1)))));
    } else if (name == "tvm_warp_shuffle_up") {
      Expr from = sub(lane, by);
      index = make<SelectNode>(lt(from, bitwise_and(lane, bitwise_not(sub(width, int32(1))))), lane, from);
    } else {
      Expr from = add(bitwise_and(lane, sub(width, int32(1))), by);
      index = make<SelectNode>(ge(from, width), lane, add(lane, by));
    }
    Expr value = call.args[1];
    bool is_word = dtype == word;
    if (!is_word) value = call_op(word, "tirx.reinterpret", {value});
    Expr moved = amd("llvm.amdgcn.ds.bpermute", {shift_left(index, int32(2)), value});
    return is_word ? moved : call_op(dtype, "tirx.reinterpret", {moved});
  }

  // What every target may fall back on, or null.
  Expr general() const {
    if (name == "sigmoid") {
      Expr one = constant(1);
      auto* value = as<FloatImmNode>(x);
      Expr minus = value ? Expr(make<FloatImmNode>(dtype, -value->value)) : sub(constant(0), x);
      return quotient(one, add(one, math("tirx.exp", minus)));
    }
    if (name == "rsqrt") return quotient(constant(1), math("tirx.sqrt", x));
    if (name == "isfinite" || name == "isinf") return finiteness();
    if (name == "q_multiply_shift" || name == "q_multiply_shift_per_axis") return multiply_shift();
    const Names* row = names();
    std::string function = row ? of_c(row->c) : "";
    return function.empty() ? Expr(nullptr) : extern_call(function);
  }

  Expr finiteness() const {
    DataType type = x->dtype();
    bool infinite = name == "isinf";
    if (type.is_integral()) return bool_imm(!infinite);
    if (!type.is_float() || !type.is_scalar()) {
      throw refuse_as(refusals["intrinsic-not-available"], "`{}` is not defined for `{}`", name, type.str())
          .at(call.span);
    }
    Expr wide = type.bits() == 16 ? cast(DataType::Float(32), x) : x;
    Expr nan = call_op(DataType::Bool(), "tirx.isnan", {wide});
    Expr inf = make<FloatImmNode>(type, std::numeric_limits<double>::infinity());
    Expr is_infinite = logical_and(eq(call_op(type, "tirx.fabs", {x}), inf), logical_not(nan));
    return infinite ? is_infinite : logical_and(logical_not(is_infinite), logical_not(nan));
  }

  // A half in 31 bits: only shifts, of `by` bits to the left, rounded. Null for other factors.
  Expr half_shifted() const {
    constexpr int64_t kHalf = int64_t{1} << 30;
    auto by = const_int(call.args[3]);
    if (!is_const_int(call.args[1], kHalf) || !is_const_int(call.args[2], 31) || !by || *by == 1)
      return nullptr;
    auto bits = [&](int64_t n) { return const_like(x, n); };
    if (*by > 1) return shift_left(x, bits(*by - 1));
    return shift_right(add(x, bits(int64_t{1} << -*by)), bits(1 - *by));
  }

  // round(x * y * 2^-s) in 64 bits.
  Expr multiply_shift() const {
    bool per_axis = name == "q_multiply_shift_per_axis";
    if (Expr shifted = per_axis ? Expr() : half_shifted()) return shifted;
    DataType wide = DataType::Int(64, call.args[0]->dtype().lanes());
    // Constants are left as they are, but for those of an axis.
    auto wider = [&](const Expr& e) { return per_axis ? cast(wide, e) : Expr(make<CastNode>(wide, e)); };
    const Expr& y = call.args[1];
    Expr left, right, shifts_left;
    if (per_axis) {
      left = call.args[2];
      right = add(call.args[3], call.args[4]);
      shifts_left = call.args[5];
    } else {
      const Expr& q = call.args[2];
      const Expr& s = call.args[3];
      Expr zero = const_like(s, 0);
      left = max(s, zero);
      right = make<AddNode>(max(neg(s), zero), q);
      shifts_left = make<NENode>(left, zero);
    }
    Expr value = cast(wide, call.args[0]);
    auto shifted_left = [&](const Expr& e, const Expr& by) {
      return per_axis ? shift_left(e, wider(by)) : Expr(make<LShiftNode>(e, wider(by)));
    };
    Expr scaled = make<SelectNode>(shifts_left, shifted_left(value, left), value);
    Expr rounding = shifted_left(const_like(value, 1), sub(right, const_like(right, 1)));
    Expr sum = add(mul(scaled, cast(wide, y)), rounding);
    return cast(dtype, Expr(make<RShiftNode>(sum, wider(right))));
  }
};

}  // namespace

Expr lower_intrinsic(const CallNode& call, std::string_view target, bool fast_math) {
  auto* callee = as<OpNode>(call.op);
  constexpr std::string_view kOwner = "tirx.";
  std::string_view name = callee ? std::string_view(callee->name.data(), callee->name.size()) : "";
  if (!name.starts_with(kOwner)) return nullptr;
  DataType dtype = call.dtype();
  Lowering lowering{
      call,     target, name.substr(kOwner.size()), dtype, call.args.empty() ? Expr(nullptr) : call.args[0],
      fast_math};
  Expr lowered = lowering.own();
  return lowered ? lowered : lowering.general();
}

}  // namespace mlc::transform
