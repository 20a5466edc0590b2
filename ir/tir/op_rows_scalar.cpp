// SPDX-License-Identifier: Apache-2.0
// Operators of the host and of every device: elementary functions, calls, memory.
#include <cmath>

#include "ir/tir/op.h"

namespace mlc::ir {
namespace {

double sigmoid(double x) {
  double power = std::exp(-std::fabs(x));  // e^-x would be infinite where the result is not 0 yet
  return (x < 0 ? power : 1.0) / (1.0 + power);
}
double rsqrt(double x) { return 1.0 / std::sqrt(x); }
double exp10_of(double x) { return std::pow(10.0, x); }

// clang-format off
#define FLOAT1(id, fn, llvm, libm) {"tirx." id, id, 1, Effect::kPure, +[](double x) { return static_cast<double>(fn); }, nullptr, llvm, libm}
#define FLOAT2(id, fn, llvm, libm) {"tirx." id, id, 2, Effect::kPure, nullptr, +[](double x, double y) { return static_cast<double>(fn); }, llvm, libm}
#define OPAQUE(id, arity) {"tirx." id, id, arity, Effect::kOpaque}
#define PURE(id, arity) {"tirx." id, id, arity, Effect::kPure}
#define READ(id, arity) {"tirx." id, id, arity, Effect::kReadState}
#define TYPED(id, arity, effect) {"tirx." id, id, arity, Effect::effect, nullptr, nullptr, {}, {}, DtypePlace::kFirst}
constexpr OpRow rows[] = {
    FLOAT1("exp", std::exp(x), "llvm.exp", "exp"),
    FLOAT1("exp2", std::exp2(x), "llvm.exp2", "exp2"),
    FLOAT1("exp10", exp10_of(x), "", "exp10"),
    FLOAT1("log", std::log(x), "llvm.log", "log"),
    FLOAT1("log2", std::log2(x), "llvm.log2", "log2"),
    FLOAT1("log10", std::log10(x), "llvm.log10", "log10"),
    FLOAT1("log1p", std::log1p(x), "", "log1p"),
    FLOAT1("sqrt", std::sqrt(x), "llvm.sqrt", "sqrt"),
    FLOAT1("rsqrt", rsqrt(x), "", ""),
    FLOAT1("sigmoid", sigmoid(x), "", ""),
    FLOAT1("tanh", std::tanh(x), "", "tanh"),
    FLOAT1("sinh", std::sinh(x), "", "sinh"),
    FLOAT1("cosh", std::cosh(x), "", "cosh"),
    FLOAT1("asinh", std::asinh(x), "", "asinh"),
    FLOAT1("acosh", std::acosh(x), "", "acosh"),
    FLOAT1("atanh", std::atanh(x), "", "atanh"),
    FLOAT1("tan", std::tan(x), "", "tan"),
    FLOAT1("sin", std::sin(x), "llvm.sin", "sin"),
    FLOAT1("cos", std::cos(x), "llvm.cos", "cos"),
    FLOAT1("asin", std::asin(x), "", "asin"),
    FLOAT1("acos", std::acos(x), "", "acos"),
    FLOAT1("atan", std::atan(x), "", "atan"),
    FLOAT1("erf", std::erf(x), "", "erf"),
    FLOAT1("floor", std::floor(x), "llvm.floor", "floor"),
    FLOAT1("ceil", std::ceil(x), "llvm.ceil", "ceil"),
    FLOAT1("trunc", std::trunc(x), "llvm.trunc", "trunc"),
    FLOAT1("round", std::nearbyint(x), "llvm.roundeven", "roundeven"),
    FLOAT1("nearbyint", std::nearbyint(x), "llvm.nearbyint", "nearbyint"),
    FLOAT1("fabs", std::fabs(x), "llvm.fabs", "fabs"),
    FLOAT2("pow", std::pow(x, y), "llvm.pow", "pow"),
    FLOAT2("atan2", std::atan2(x, y), "", "atan2"),
    FLOAT2("hypot", std::hypot(x, y), "", "hypot"),
    FLOAT2("copysign", std::copysign(x, y), "llvm.copysign", "copysign"),
    FLOAT2("nextafter", std::nextafter(x, y), "", "nextafter"),
    FLOAT2("ldexp", std::ldexp(x, static_cast<int>(y)), "", "ldexp"),
    FLOAT2("fmod", std::fmod(x, y), "", "fmod"),
    {"tirx.fma", "fma", 3, Effect::kPure, nullptr, nullptr, "llvm.fma", "fma"},
    PURE("isnan", 1), PURE("popcount", 1), PURE("clz", 1),
    PURE("bitwise_and", 2), PURE("bitwise_or", 2), PURE("bitwise_xor", 2), PURE("bitwise_not", 1),
    PURE("shift_left", 2), PURE("shift_right", 2),
    PURE("if_then_else", 3), TYPED("reinterpret", 1, kPure), PURE("likely", 1), PURE("vscale", 0),
    READ("undef", 0), PURE("isnullptr", 1), PURE("large_uint_imm", 2),
    {"tirx.assume", "assume", 1, Effect::kExprAnnotation},
    {"tirx.check_index", "check_index", -1, Effect::kOpaque},
    {"tirx.ignore_loop_partition", "ignore_loop_partition", 1, Effect::kPure},
    PURE("address_of", 1), PURE("buffer_data", 1), TYPED("type_annotation", 0, kPure), PURE("tvm_access_ptr", 5),
    PURE("buffer_offset", 1), PURE("ptr_byte_offset", 3), PURE("handle_add_byte_offset", 2),
    TYPED("call_extern", -1, kOpaque), TYPED("call_pure_extern", -1, kPure),
    TYPED("call_llvm_intrin", -1, kOpaque), TYPED("call_llvm_pure_intrin", -1, kPure),
    OPAQUE("tvm_call_packed", -1), OPAQUE("tvm_call_cpacked", -1),
    OPAQUE("tvm_call_packed_lowered", -1), OPAQUE("tvm_call_cpacked_lowered", -1),
    {"tirx.tvm_struct_get", "tvm_struct_get", 3, Effect::kReadState, nullptr, nullptr, {}, {}, DtypePlace::kLast}, OPAQUE("tvm_struct_set", 4),
    OPAQUE("tvm_stack_alloca", 2), OPAQUE("tvm_stack_make_shape", -1), OPAQUE("tvm_stack_make_array", 6),
    OPAQUE("tvm_throw_last_error", 0), PURE("lookup_param", 1), PURE("tvm_tuple", -1),
    OPAQUE("TVMBackendAllocWorkspace", 5), OPAQUE("TVMBackendFreeWorkspace", 3),
    OPAQUE("ret", 1), OPAQUE("thread_return", 0), OPAQUE("continue_loop", 0), OPAQUE("break_loop", 0),
    OPAQUE("prefetch", 4), OPAQUE("tvm_storage_sync", -1), OPAQUE("tvm_thread_allreduce", -1),
    PURE("tvm_thread_invariant", 1), TYPED("vectorlow", 1, kPure), TYPED("vectorhigh", 1, kPure), TYPED("vectorcombine", 2, kPure),
};
#undef FLOAT1
#undef FLOAT2
#undef OPAQUE
#undef PURE
#undef READ
#undef TYPED
// clang-format on

}  // namespace

std::span<const OpRow> scalar_op_rows() { return rows; }

}  // namespace mlc::ir
