// SPDX-License-Identifier: Apache-2.0
#include "ir/op.h"

#include <algorithm>
#include <cmath>

#include "ir/visit.h"

namespace mlc::ir {
namespace {

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double rsqrt(double x) { return 1.0 / std::sqrt(x); }
double exp10_of(double x) { return std::pow(10.0, x); }

// clang-format off
#define FLOAT1(id, fn, llvm, libm) {"tirx." id, id, 1, Effect::kPure, +[](double x) { return static_cast<double>(fn); }, nullptr, llvm, libm}
#define FLOAT2(id, fn, llvm, libm) {"tirx." id, id, 2, Effect::kPure, nullptr, +[](double x, double y) { return static_cast<double>(fn); }, llvm, libm}
#define OPAQUE(id, arity) {"tirx." id, id, arity, Effect::kOpaque}
#define PURE(id, arity) {"tirx." id, id, arity, Effect::kPure}
#define READ(id, arity) {"tirx." id, id, arity, Effect::kReadState}
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
    PURE("if_then_else", 3), PURE("reinterpret", 1), PURE("likely", 1), PURE("vscale", 0),
    PURE("undef", 0), PURE("isnullptr", 1), PURE("large_uint_imm", 2),
    {"tirx.assume", "assume", 1, Effect::kExprAnnotation},
    {"tirx.ignore_loop_partition", "ignore_loop_partition", 1, Effect::kPure},
    PURE("address_of", 1), PURE("buffer_data", 1), PURE("type_annotation", 0), PURE("tvm_access_ptr", 5),
    PURE("buffer_offset", 1),
    PURE("ptr_byte_offset", 3), PURE("handle_add_byte_offset", 2),
    OPAQUE("call_extern", -1), PURE("call_pure_extern", -1),
    OPAQUE("call_llvm_intrin", -1), PURE("call_llvm_pure_intrin", -1),
    OPAQUE("tvm_call_packed", -1), OPAQUE("tvm_call_cpacked", -1),
    OPAQUE("tvm_call_packed_lowered", -1), OPAQUE("tvm_call_cpacked_lowered", -1),
    READ("tvm_struct_get", 3), OPAQUE("tvm_struct_set", 4),
    OPAQUE("tvm_stack_alloca", 2), OPAQUE("tvm_stack_make_shape", -1), OPAQUE("tvm_stack_make_array", 6),
    OPAQUE("tvm_throw_last_error", 0), PURE("lookup_param", 1), PURE("tvm_tuple", -1),
    OPAQUE("TVMBackendAllocWorkspace", 5), OPAQUE("TVMBackendFreeWorkspace", 3),
    OPAQUE("ret", 1), OPAQUE("thread_return", 0), OPAQUE("continue_loop", 0), OPAQUE("break_loop", 0),
    OPAQUE("prefetch", 4), OPAQUE("tvm_storage_sync", -1), OPAQUE("tvm_thread_allreduce", -1),
    PURE("tvm_thread_invariant", 1), PURE("vectorlow", 1), PURE("vectorhigh", 1), PURE("vectorcombine", 2),
    READ("masked_load", -1), OPAQUE("masked_store", -1), PURE("get_active_lane_mask", 2),
};
#undef FLOAT1
#undef FLOAT2
#undef OPAQUE
#undef PURE
#undef READ
// clang-format on

struct Table {
  std::unordered_map<std::string_view, Op> by_name;
  std::unordered_map<const OpNode*, const OpRow*> row_of;

  Table() {
    for (const OpRow& row : rows) {
      Op one = make<OpNode>(String(std::string(row.name)));
      by_name[row.name] = one;
      row_of[one.get()] = &row;
    }
  }
};
const Table& table() {
  static const Table built;
  return built;
}

struct EffectOf final : Walker {
  Effect worst = Effect::kPure;
  void raise(Effect effect) { worst = std::max(worst, effect); }
  void visit(const Expr& e) override {
    if (as<TensorLoadNode>(e)) raise(Effect::kReadState);
    if (auto* call = as<CallNode>(e)) {
      auto* op = as<OpNode>(call->op);
      raise(op ? op_row(op).effect : Effect::kOpaque);
    }
    walk_children(e);
  }
};

}  // namespace

std::span<const OpRow> op_rows() { return rows; }

Op op(std::string_view name) {
  auto found = table().by_name.find(name);
  if (found != table().by_name.end()) return found->second;
  std::vector<std::string> names;
  for (const OpRow& row : rows) names.emplace_back(row.name);
  throw Error("unknown-operator", "there is no operator `{}`", name).help(did_you_mean(name, names));
}
const OpRow& op_row(const OpNode* op) {
  auto found = table().row_of.find(op);
  MLC_CHECK(found != table().row_of.end(), "operator `{}` was not made by op()", op->name.c_str());
  return *found->second;
}
Expr call_op(DataType dtype, std::string_view name, Array<Expr> args, Span span) {
  Type type = dtype.is_void() ? Type(void_type()) : Type(prim_type(dtype));
  return make<CallNode>(type, op(name), std::move(args), Map<String, Any>{}, span);
}
const CallNode* as_call_to(const Expr& e, std::string_view name) {
  auto* call = as<CallNode>(e);
  if (!call) return nullptr;
  auto* callee = as<OpNode>(call->op);
  return callee && std::string_view(callee->name.data(), callee->name.size()) == name ? call : nullptr;
}
Effect side_effect(const Expr& e) {
  EffectOf walker;
  walker.visit(e);
  return walker.worst;
}

}  // namespace mlc::ir
