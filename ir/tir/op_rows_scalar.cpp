// SPDX-License-Identifier: Apache-2.0
// Operators of the host and of every device: elementary functions, calls, memory.
#include <algorithm>
#include <cmath>
#include <deque>

#include "ir/tir/op.h"
#include "ir/tir/scalar_op.h"

namespace mlc::ir {
namespace scalar_rows {

using enum ScalarOp::Kind;
using enum ScalarOp::Lowering::Hexagon;

double sigmoid(double x) {
  double power = std::exp(-std::fabs(x));  // e^-x would be infinite where the result is not 0 yet
  return (x < 0 ? power : 1.0) / (1.0 + power);
}

constexpr unsigned kNan = 3;  // llvm.is.fpclass: signalling and quiet

// clang-format off
// With the names that LowerIntrin uses, from TVM's rules for each target.
constexpr ScalarOp functions[] = {
    {.name = "exp", .parameters = "x", .unary = +[](double x) -> double { return std::exp(x); }, .libm = "exp", .in_te = true, .tvm_vectors = true, .lowering = {.c = "exp", .llvm = "llvm.exp", .opencl = "exp", .webgpu = "exp", .cuda = true, .nvptx = true, .hexagon = kCounted}},
    {.name = "exp2", .parameters = "x", .unary = +[](double x) -> double { return std::exp2(x); }, .libm = "exp2", .tvm_vectors = true, .lowering = {.llvm = "llvm.exp2", .opencl = "exp2", .webgpu = "exp2", .cuda = true, .nvptx = true}},
    {.name = "exp10", .parameters = "x", .unary = +[](double x) -> double { return std::pow(10.0, x); }, .libm = "exp10", .tvm_vectors = true, .lowering = {.opencl = "exp10", .cuda = true, .nvptx = true}},
    {.name = "log", .parameters = "x", .unary = +[](double x) -> double { return std::log(x); }, .libm = "log", .in_te = true, .tvm_vectors = true, .lowering = {.c = "log", .llvm = "llvm.log", .opencl = "log", .webgpu = "log", .cuda = true, .nvptx = true, .hexagon = kPlain}},
    {.name = "log2", .parameters = "x", .unary = +[](double x) -> double { return std::log2(x); }, .libm = "log2", .in_te = true, .tvm_vectors = true, .lowering = {.c = "log2", .llvm = "llvm.log2", .opencl = "log2", .webgpu = "log2", .cuda = true, .nvptx = true}},
    {.name = "log10", .parameters = "x", .unary = +[](double x) -> double { return std::log10(x); }, .libm = "log10", .in_te = true, .tvm_vectors = true, .lowering = {.c = "log10", .llvm = "llvm.log10", .opencl = "log10", .cuda = true, .nvptx = true}},
    {.name = "log1p", .parameters = "x", .unary = +[](double x) -> double { return std::log1p(x); }, .libm = "log1p", .lowering = {.c = "log1p"}},
    {.name = "sqrt", .parameters = "x", .unary = +[](double x) -> double { return std::sqrt(x); }, .llvm = "llvm.sqrt", .libm = "sqrt", .in_te = true, .tvm_vectors = true, .lowering = {.c = "sqrt", .llvm = "llvm.sqrt", .opencl = "sqrt", .webgpu = "sqrt", .cuda = true, .nvptx = true, .hexagon = kCounted}},
    {.name = "rsqrt", .parameters = "x", .unary = +[](double x) -> double { return 1.0 / std::sqrt(x); }, .in_te = true, .lowering = {.cuda = true}},
    {.name = "sigmoid", .parameters = "x", .unary = +[](double x) -> double { return sigmoid(x); }, .in_te = true, .tvm_vectors = true},
    {.name = "tanh", .parameters = "x", .unary = +[](double x) -> double { return std::tanh(x); }, .libm = "tanh", .in_te = true, .tvm_vectors = true, .lowering = {.c = "tanh", .opencl = "tanh", .cuda = true, .nvptx = true}},
    {.name = "sinh", .parameters = "x", .unary = +[](double x) -> double { return std::sinh(x); }, .libm = "sinh", .in_te = true, .tvm_vectors = true, .lowering = {.c = "sinh", .opencl = "sinh", .webgpu = "sinh", .cuda = true, .nvptx = true}},
    {.name = "cosh", .parameters = "x", .unary = +[](double x) -> double { return std::cosh(x); }, .libm = "cosh", .in_te = true, .tvm_vectors = true, .lowering = {.c = "cosh", .opencl = "cosh", .webgpu = "cosh", .cuda = true, .nvptx = true}},
    {.name = "asinh", .parameters = "x", .unary = +[](double x) -> double { return std::asinh(x); }, .libm = "asinh", .in_te = true, .lowering = {.c = "asinh", .webgpu = "asinh"}},
    {.name = "acosh", .parameters = "x", .unary = +[](double x) -> double { return std::acosh(x); }, .libm = "acosh", .in_te = true, .lowering = {.c = "acosh", .webgpu = "acosh"}},
    {.name = "atanh", .parameters = "x", .unary = +[](double x) -> double { return std::atanh(x); }, .libm = "atanh", .in_te = true, .lowering = {.c = "atanh"}},
    {.name = "tan", .parameters = "x", .unary = +[](double x) -> double { return std::tan(x); }, .libm = "tan", .in_te = true, .tvm_vectors = true, .lowering = {.c = "tan", .webgpu = "tan", .cuda = true, .nvptx = true}},
    {.name = "sin", .parameters = "x", .unary = +[](double x) -> double { return std::sin(x); }, .libm = "sin", .in_te = true, .tvm_vectors = true, .lowering = {.c = "sin", .llvm = "llvm.sin", .opencl = "sin", .webgpu = "sin", .cuda = true, .nvptx = true, .hexagon = kCounted}},
    {.name = "cos", .parameters = "x", .unary = +[](double x) -> double { return std::cos(x); }, .libm = "cos", .in_te = true, .tvm_vectors = true, .lowering = {.c = "cos", .llvm = "llvm.cos", .opencl = "cos", .webgpu = "cos", .cuda = true, .nvptx = true, .hexagon = kCounted}},
    {.name = "asin", .parameters = "x", .unary = +[](double x) -> double { return std::asin(x); }, .libm = "asin", .in_te = true, .lowering = {.c = "asin", .webgpu = "asin"}},
    {.name = "acos", .parameters = "x", .unary = +[](double x) -> double { return std::acos(x); }, .libm = "acos", .in_te = true, .lowering = {.c = "acos", .webgpu = "acos"}},
    {.name = "atan", .parameters = "x", .unary = +[](double x) -> double { return std::atan(x); }, .libm = "atan", .in_te = true, .lowering = {.c = "atan", .webgpu = "atan", .cuda = true, .nvptx = true}},
    {.name = "erf", .parameters = "x", .unary = +[](double x) -> double { return std::erf(x); }, .libm = "erf", .in_te = true, .lowering = {.c = "erf", .opencl = "erf", .cuda = true, .nvptx = true}},
    {.name = "floor", .parameters = "x", .doc = "Rounds down.", .kind = kRounding, .unary = +[](double x) -> double { return std::floor(x); }, .llvm = "llvm.floor", .libm = "floor", .in_te = true, .tvm_vectors = true, .lowering = {.c = "floor", .llvm = "llvm.floor", .opencl = "floor", .webgpu = "floor", .cuda = true, .nvptx = true, .hexagon = kCounted}},
    {.name = "ceil", .parameters = "x", .doc = "Rounds up.", .kind = kRounding, .unary = +[](double x) -> double { return std::ceil(x); }, .llvm = "llvm.ceil", .libm = "ceil", .in_te = true, .tvm_vectors = true, .lowering = {.c = "ceil", .llvm = "llvm.ceil", .opencl = "ceil", .webgpu = "ceil", .cuda = true, .nvptx = true, .hexagon = kCounted}},
    {.name = "trunc", .parameters = "x", .doc = "Rounds towards zero.", .kind = kRounding, .unary = +[](double x) -> double { return std::trunc(x); }, .llvm = "llvm.trunc", .libm = "trunc", .in_te = true, .tvm_vectors = true, .lowering = {.c = "trunc", .llvm = "llvm.trunc", .opencl = "trunc", .webgpu = "trunc", .cuda = true, .nvptx = true, .hexagon = kPlain}},
    {.name = "round", .parameters = "x", .doc = "Rounds to the nearest, ties to even.", .kind = kRounding, .unary = +[](double x) -> double { return std::nearbyint(x); }, .llvm = "llvm.roundeven", .libm = "roundeven", .in_te = true, .tvm_vectors = true, .lowering = {.c = "nearbyint", .llvm = "llvm.nearbyint", .opencl = "rint", .webgpu = "round", .cuda = true, .nvptx = true, .hexagon = kPlain}},
    {.name = "nearbyint", .parameters = "x", .doc = "Rounds to the nearest, ties to even.", .kind = kRounding, .unary = +[](double x) -> double { return std::nearbyint(x); }, .llvm = "llvm.nearbyint", .libm = "nearbyint", .in_te = true, .lowering = {.c = "nearbyint", .llvm = "llvm.nearbyint", .opencl = "nearbyint", .webgpu = "round", .cuda = true, .nvptx = true, .hexagon = kPlain}},
    {.name = "fabs", .parameters = "x", .kind = kSpecial, .unary = +[](double x) -> double { return std::fabs(x); }, .llvm = "llvm.fabs", .libm = "fabs", .tvm_vectors = true, .lowering = {.llvm = "llvm.fabs", .opencl = "fabs", .webgpu = "abs", .cuda = true, .nvptx = true, .hexagon = kPlain}},
    {.name = "pow", .parameters = "x, y", .kind = kSpecial, .binary = +[](double x, double y) -> double { return std::pow(x, y); }, .libm = "pow", .tvm_vectors = true, .lowering = {.c = "pow", .llvm = "llvm.pow", .opencl = "pow", .webgpu = "pow", .cuda = true, .nvptx = true, .hexagon = kCounted}},
    {.name = "atan2", .parameters = "x1, x2", .binary = +[](double x, double y) -> double { return std::atan2(x, y); }, .libm = "atan2", .lowering = {.c = "atan2", .webgpu = "atan2"}},
    {.name = "hypot", .parameters = "x1, x2", .binary = +[](double x, double y) -> double { return std::hypot(x, y); }, .libm = "hypot", .lowering = {.c = "hypot"}},
    {.name = "copysign", .parameters = "x1, x2", .binary = +[](double x, double y) -> double { return std::copysign(x, y); }, .llvm = "llvm.copysign", .libm = "copysign", .lowering = {.c = "copysign"}},
    {.name = "nextafter", .parameters = "x1, x2", .binary = +[](double x, double y) -> double { return std::nextafter(x, y); }, .libm = "nextafter", .lowering = {.c = "nextafter"}},
    {.name = "ldexp", .parameters = "x1, x2", .binary = +[](double x, double y) -> double { return std::ldexp(x, static_cast<int>(y)); }, .libm = "ldexp", .lowering = {.c = "ldexp"}},
    {.name = "fmod", .parameters = "x, y", .binary = +[](double x, double y) -> double { return std::fmod(x, y); }, .libm = "fmod", .in_te = true, .lowering = {.opencl = "fmod", .cuda = true}},
    {.name = "fma", .parameters = "x, y, z", .kind = kSpecial, .llvm = "llvm.fma", .libm = "fma", .tvm_vectors = true, .lowering = {.llvm = "llvm.fmuladd", .webgpu = "fma", .nvptx = true, .hexagon = kPlain}},
    {.name = "isnan", .parameters = "x", .doc = "Is it not a number?", .kind = kTest, .test = +[](double x) { return std::isnan(x); }, .fp_class = kNan, .libm = "isnan", .in_te = true},
    {.name = "popcount", .parameters = "x", .kind = kSpecial, .in_te = true, .tvm_vectors = true, .lowering = {.llvm = "llvm.ctpop", .opencl = "popcount"}},
    {.name = "clz", .parameters = "x", .kind = kSpecial},
};

#define OPAQUE(id, arity) {"tirx." id, id, arity, Effect::kOpaque}
#define PURE(id, arity) {"tirx." id, id, arity, Effect::kPure}
#define READ(id, arity) {"tirx." id, id, arity, Effect::kReadState}
#define TYPED(id, arity, effect) {"tirx." id, id, arity, Effect::effect, nullptr, nullptr, {}, {}, DtypePlace::kFirst}
constexpr OpRow others[] = {
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
#undef OPAQUE
#undef PURE
#undef READ
#undef TYPED
// clang-format on

}  // namespace scalar_rows

int ScalarOp::arity() const { return static_cast<int>(std::count(parameters.begin(), parameters.end(), ',')) + 1; }

std::span<const ScalarOp> scalar_ops() { return scalar_rows::functions; }

const ScalarOp* scalar_op(std::string_view name) {
  static const std::unordered_map<std::string_view, const ScalarOp*> by_name = [] {
    std::unordered_map<std::string_view, const ScalarOp*> made;
    for (const ScalarOp& row : scalar_rows::functions) made[row.name] = &row;
    return made;
  }();
  if (name.starts_with("tirx.")) name.remove_prefix(5);
  auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::span<const OpRow> scalar_op_rows() {
  static const std::vector<OpRow> rows = [] {
    static std::deque<std::string> names;  // "tirx.exp"
    std::vector<OpRow> all;
    for (const ScalarOp& row : scalar_rows::functions) {
      std::string_view name = names.emplace_back("tirx." + std::string(row.name));
      all.push_back({name, row.name, row.arity(), Effect::kPure, row.unary, row.binary, row.llvm, row.libm});
    }
    all.insert(all.end(), std::begin(scalar_rows::others), std::end(scalar_rows::others));
    return all;
  }();
  return rows;
}

}  // namespace mlc::ir
