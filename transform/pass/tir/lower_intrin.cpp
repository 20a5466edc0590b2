// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/analyzing_rewriter.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"
#include "transform/pass/target_intrinsics.h"

namespace mlc::transform::pass_lower_intrin {
namespace {

constexpr char doc[] = R"(LowerIntrin(): operators become what the function's target has for them.

    T.exp(x)            =>  T.call_llvm_pure_intrin("float32", "llvm.exp", x)      # llvm
                            T.call_pure_extern("float32", "expf", x)               # cuda, c
    x // 8, x % 8       =>  x >> 3, x & 7
    x // 3              =>  T.Div(x, 3)                     # where x >= 0 is known, else corrected by its sign
    a * b + c           =>  fma of the target, for floats
    T.tvm_access_ptr(T.type_annotation("float32"), A.data, i, n, 1)
                        =>  A_access = T.decl_buffer((i + 1,), data=A.data)
                            T.address_of(A_access[i])           # A itself, where it has one dimension
needs: the function has a target (BindTarget).
keeps: the value of every expression, up to the last bits of the target's functions.
At the end, before code is generated: nothing here is simplified again.)";

class LowerIntrinsics final : public AnalyzingRewriter {
 public:
  LowerIntrinsics(std::string target, bool fast_math) : target_(std::move(target)), fast_math_(fast_math) {}

  using AnalyzingRewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    switch (e->kind) {
      case ExprKind::kCall: {
        if (Expr address = lower_access_ptr(e)) return address;
        if (Expr lowered = lower_intrinsic(*as<CallNode>(e), target_, fast_math_)) return rewrite(lowered);
        return AnalyzingRewriter::rewrite(e);
      }
      case ExprKind::kLet: {
        // The value of the name is not known before the statement.
        auto inside = named_.insert(as<LetNode>(e)->var.get()).first;
        Expr result = AnalyzingRewriter::rewrite(e);
        named_.erase(inside);
        return result;
      }
      case ExprKind::kAdd:
        return lower_add(e);
      case ExprKind::kFloorDiv:
      case ExprKind::kFloorMod:
        return lower_division(e);
      case ExprKind::kMax:
        return lower_max(e);
      case ExprKind::kEQ:
      case ExprKind::kNE:
        return lower_comparison(e);
      default:
        return AnalyzingRewriter::rewrite(e);
    }
  }
  Stmt rewrite(const Stmt& s) override {
    Array<Stmt> outside = std::exchange(views_, {});
    Stmt result = AnalyzingRewriter::rewrite(s);
    if (!views_.empty()) {
      views_.push_back(result);
      result = seq(views_);
    }
    views_ = outside;
    return result;
  }

 private:
  std::string target_;
  bool fast_math_;
  Array<Stmt> views_;  // declared in front of the statement that is rewritten
  std::unordered_set<const VarNode*> named_;

  // The address of an element; null where `e` is no pointer of access or has no such form: elements of
  // another type than the buffer's, a base that is no variable.
  Expr lower_access_ptr(const Expr& e) {
    auto* access = as_call_to(e, "tirx.tvm_access_ptr");
    if (!access || access->args.size() != 5) return nullptr;
    DataType dtype = access->args[0]->dtype();
    Expr offset = access->args[2];
    Expr base = access->args[1];
    while (auto* inner = as_call_to(base, "tirx.tvm_access_ptr")) {
      if (inner->args.size() != 5 || inner->args[0]->dtype() != dtype) return nullptr;
      offset = add(cast(offset->dtype(), inner->args[2]), offset);
      base = inner->args[1];
    }
    auto* data = as_call_to(base, "tirx.buffer_data");
    auto* var = as<VarNode>(data ? data->args[0] : base);
    bool plain = !dtype.is_void() && !dtype.is_handle() && offset->dtype().is_scalar();
    if (!var || !(var->buffer() || var->dtype().is_handle()) || !plain ||
        uses_var(offset, [&](const VarNode* v) { return named_.contains(v); }))
      return nullptr;
    const BufferTypeNode* type = var->buffer();
    DataType scalar = dtype.with_lanes(1);
    if (type && DataType(type->dtype).with_lanes(1) != scalar) return nullptr;
    Expr last = const_like(offset, 1);
    Expr index = offset;
    if (dtype.is_vector()) {
      last = const_like(offset, dtype.lanes());
      offset = mul(offset, last);
      index = make<RampNode>(offset, const_like(offset, 1), int32(dtype.lanes()));
    }
    Buffer source = ref(var);
    bool flat = type && type->shape.size() == 1 && type->strides.empty() &&
                (!type->elem_offset || is_const_int(type->elem_offset, 0)) &&
                DataType(type->dtype).is_scalar();
    if (!flat) {
      String scope = type ? type->storage_scope : String("global");
      if (!type && var->ty->kind == TypeKind::kPointer)
        scope = static_cast<const PointerTypeNode*>(var->ty.get())->storage_scope;
      source = new_buffer(std::string(var->name) + "_access", scalar, text(scope), {add(offset, last)});
      views_.push_back(make<DeclBufferNode>(source, type ? data_of(ref(var)) : base));
    }
    Expr element = rewrite(make<TensorLoadNode>(source, Array<Expr>{index}));
    return make<CallNode>(access->ty, op("tirx.address_of"), Array<Expr>{element});
  }

  static bool is_word(DataType t) {
    return t.is_scalar() && t.is_int() && (t.bits() == 32 || t.bits() == 64);
  }
  static std::optional<int> log2_of(const Expr& e) {
    auto value = as<IntImmNode>(e) ? const_int(e) : std::nullopt;
    if (!value || *value <= 0 || (*value & (*value - 1)) != 0) return std::nullopt;
    return __builtin_ctzll(static_cast<uint64_t>(*value));
  }

  // How many times b has to be added to a to make it non-negative; null where that is not known or where the
  // sum could leave its type.
  std::optional<int64_t> shift_to_positive(const Expr& a, const Expr& b) {
    DataType type = a->dtype();
    auto divisor = const_int(b);
    if (!divisor || !type.is_int() || !type.is_scalar() || *divisor <= 0) return std::nullopt;
    ConstIntBound bound = analyzer.const_int_bound(a);
    if (bound.min >= 0 || bound.min == ConstIntBound::kNegInf || bound.max == ConstIntBound::kPosInf)
      return std::nullopt;
    int64_t top = type.bits() >= 64 ? INT64_MAX : (int64_t{1} << (type.bits() - 1)) - 1;
    int64_t numerator = 0;
    if (__builtin_sub_overflow(*divisor - 1, bound.min, &numerator) || numerator > top) return std::nullopt;
    int64_t times = numerator / *divisor;
    int64_t highest = 0;
    if (__builtin_mul_overflow(times, *divisor, &highest) ||
        __builtin_add_overflow(highest, bound.max, &highest) || highest > top) {
      return std::nullopt;
    }
    return times;
  }

  // A floored quotient or remainder by the one that truncates.
  Expr lower_division(const Expr& e) {
    auto* op = as_binary(e);
    bool divides = e->kind == ExprKind::kFloorDiv;
    if (auto shift = log2_of(op->b)) {
      return rewrite(divides ? shift_right(op->a, const_like(op->a, *shift))
                             : bitwise_and(op->a, const_like(op->a, *const_int(op->b) - 1)));
    }
    auto truncated = [&](const Expr& a, const Expr& b) { return divides ? truncdiv(a, b) : truncmod(a, b); };
    bool positive = analyzer.can_prove_ge(op->b, 0);
    if (positive && analyzer.can_prove_ge(op->a, 0)) return truncated(rewrite(op->a), rewrite(op->b));
    if (auto times = positive ? shift_to_positive(op->a, op->b) : std::nullopt) {
      Expr shifted = add(op->a, const_like(op->b, *times * *const_int(op->b)));
      Expr result = truncated(rewrite(shifted), rewrite(op->b));
      return divides ? sub(result, const_like(op->b, *times)) : result;
    }
    Expr a = rewrite(op->a), b = rewrite(op->b);
    auto corrected = [&](const Expr& e) { return divides ? sub(e, const_like(e, 1)) : add(e, b); };
    if (!positive) {
      Var rest = make_var("rmod", e->dtype());
      Var result = divides ? make_var("rdiv", e->dtype()) : rest;
      Expr chosen = select(same_sign(b, rest), result, corrected(result));
      if (divides) chosen = make<LetNode>(result, truncdiv(a, b), chosen);
      return make<LetNode>(rest, truncmod(a, b), chosen);
    }
    Expr result = truncated(a, b), rest = truncmod(a, b);
    if (!is_word(e->dtype()))
      return make<SelectNode>(ge(rest, const_like(rest, 0)), result, corrected(result));
    // The sign bit of the rest is -1 where it is negative.
    Expr sign = shift_right(rest, const_like(rest, rest->dtype().bits() - 1));
    return add(result, divides ? sign : bitwise_and(b, sign));
  }
  static Expr same_sign(const Expr& b, const Expr& rest) {
    Expr zero_b = const_like(b, 0), zero = const_like(rest, 0);
    return logical_or(logical_and(ge(b, zero_b), ge(rest, zero)), logical_and(lt(b, zero_b), le(rest, zero)));
  }

  // The quotients differ below zero only: max(x // y, z) with y, z >= 0 does not see it.
  Expr lower_max(const Expr& e) {
    auto* op = as_binary(e);
    auto* division = as_binary(op->a);
    if (op->a->kind == ExprKind::kFloorDiv && analyzer.can_prove_ge(division->b, 0) &&
        analyzer.can_prove_ge(op->b, 0)) {
      return max(rewrite(truncdiv(division->a, division->b)), rewrite(op->b));
    }
    return AnalyzingRewriter::rewrite(e);
  }
  // Both remainders are 0 together.
  Expr lower_comparison(const Expr& e) {
    auto* op = as_binary(e);
    auto* modulo = as_binary(op->a);
    if (op->a->kind == ExprKind::kFloorMod && as<IntImmNode>(op->b) && is_const_int(op->b, 0))
      return rewrite(build(e->kind, truncmod(modulo->a, modulo->b), op->b));
    return AnalyzingRewriter::rewrite(e);
  }

  Expr lower_add(const Expr& e) {
    auto* op = as_binary(e);
    for (bool second : {true, false}) {
      const Expr& product = second ? op->b : op->a;
      if (product->kind != ExprKind::kMul) continue;
      auto* factors = as_binary(product);
      return multiply_add(e, factors->a, factors->b, second ? op->a : op->b);
    }
    return AnalyzingRewriter::rewrite(e);
  }
  Expr multiply_add(const Expr& e, const Expr& a, const Expr& b, const Expr& c) {
    Expr lhs = widened_late(a), rhs = widened_late(b);
    if (e->dtype().is_float()) {
      Expr call = call_op(e->dtype(), "tirx.fma", {lhs, rhs, c});
      if (Expr lowered = lower_intrinsic(*as<CallNode>(call), target_, fast_math_)) return rewrite(lowered);
    }
    if (!lhs.same_as(a) || !rhs.same_as(b)) {
      return make<AddNode>(rewrite(make<MulNode>(lhs, rhs)), rewrite(c));
    }
    return AnalyzingRewriter::rewrite(e);
  }
  // Broadcast(Cast(x)) as Cast(Broadcast(x)) where the cast widens: instructions do it on vectors.
  static Expr widened_late(const Expr& e) {
    auto* broadcast = as<BroadcastNode>(e);
    auto* widened = broadcast ? as<CastNode>(broadcast->value) : nullptr;
    if (!widened) return e;
    DataType from = widened->value->dtype(), to = widened->dtype();
    auto is_integer = [](DataType t) { return t.is_int() || t.is_uint(); };
    bool later =
        to.bits() == from.bits() * 2 || (is_integer(from) && is_integer(to) && to.bits() > from.bits());
    if (!later) return e;
    return make<CastNode>(e->dtype(), make<BroadcastNode>(widened->value, broadcast->lanes));
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  Target target = target_of(fn, "LowerIntrin");
  bool fast_math = options.config_flag("tirx.enable_fast_math").value_or(false);
  return with_body(fn, LowerIntrinsics(std::string(target->kind), fast_math).rewrite(fn->body));
}

}  // namespace

extern const Pass lower_intrin{"LowerIntrin", "tirx.transform", "LowerIntrin()", doc, apply};

}  // namespace mlc::transform::pass_lower_intrin
