// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/float_legalize.h"

#include <charconv>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/function_target.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "type-not-legalized", .message = "there is no conversion of `{}`"},
        {.name = "buffer-parameter",
         .message = "{} must be called after MakePackedAPI, where parameters are pointers; `{}` is a buffer"},
    }};
MLC_REFUSALS(pass_float_legalize, refusals);

bool is_bfloat16(DataType dtype) { return dtype.is_bfloat16() && dtype.bits() == 16; }
bool is_float8(DataType dtype) {
  return dtype.is_floating() && !dtype.is_float() && !dtype.is_bfloat16() && dtype.bits() == 8;
}

bool target_has(const PrimFunc& fn, FloatFamily family) {
  auto target = bound_target(fn);
  if (!target || (*target)->kind != "cuda") return false;
  std::string arch(target_attr<String>(*target, "arch", "sm_50"));
  int number = 0;
  constexpr std::string_view kPrefix = "sm_";
  if (!arch.starts_with(kPrefix)) return false;
  std::from_chars(arch.data() + kPrefix.size(), arch.data() + arch.size(), number);
  return number >= (family == is_bfloat16 ? 80 : 89);
}

namespace {

struct FloatFormat {
  int exponent;
  int mantissa;
  int bias;
};
FloatFormat format_of(DataType dtype) {
  DataType one = dtype.element();
  if (one == DataType::Float(16)) return {5, 10, 15};
  if (one == DataType::Float(32)) return {8, 23, 127};
  if (one == DataType::Float(64)) return {11, 52, 1023};
  if (one == DataType::BFloat16()) return {8, 7, 127};
  if (one == DataType::parse("float8_e4m3fn")) return {4, 3, 7};
  if (one == DataType::parse("float8_e5m2")) return {5, 2, 15};
  if (one == DataType::parse("float8_e3m4")) return {3, 4, 3};
  if (one == DataType::parse("float8_e4m3")) return {4, 3, 7};
  if (one == DataType::parse("float8_e4m3b11fnuz")) return {4, 3, 7};
  if (one == DataType::parse("float8_e4m3fnuz")) return {4, 3, 7};
  if (one == DataType::parse("float8_e5m2fnuz")) return {5, 2, 15};
  if (one == DataType::parse("float8_e8m0fnu")) return {8, 0, 127};
  throw refuse(refusals["type-not-legalized"], one.str())
      .kind("ValueError")
      .help("types of 8 bits, bfloat16, float16, float32 and float64 convert to each other");
}

DataType integer_of(DataType dtype) { return DataType::UInt(dtype.bits(), dtype.lanes()); }
Expr reinterpret(DataType dtype, const Expr& value) {
  return value->dtype() == dtype ? value : call_op(dtype, "tirx.reinterpret", {value});
}

// The value in another float type, by its bits.
Expr convert_bits(const Expr& value, DataType to) {
  DataType from = value->dtype();
  if (from == to) return value;
  FloatFormat src = format_of(from), dst = format_of(to);
  int exponent = dst.exponent - src.exponent, mantissa = dst.mantissa - src.mantissa;
  DataType word = integer_of(to);
  Expr bits = reinterpret(integer_of(from), value);
  auto number = [](const Expr& like, int64_t n) { return const_like(like, n); };
  auto left = [&](const Expr& e, int by) { return shift_left(e, number(e, by)); };
  auto right = [&](const Expr& e, int by) { return shift_right(e, number(e, by)); };
  if (mantissa < 0) {  // to the nearest, ties to even
    Expr odd = bitwise_and(right(bits, -mantissa), number(bits, 1));
    bits = add(bits, add(odd, number(bits, (int64_t{1} << (-mantissa - 1)) - 1)));
  }
  auto resized = [&](const Expr& e) {
    return mantissa >= 0 ? left(cast(word, e), mantissa) : cast(word, right(e, -mantissa));
  };
  if (exponent == 0) return reinterpret(to, resized(bits));
  Expr power = right(left(bits, 1), src.mantissa + 1);
  // Types without a sign have their bits shifted out, which the plain operators refuse.
  auto by_sign = [&](const char* shift, const Expr& e, const FloatFormat& format) {
    int by = format.exponent + format.mantissa;
    if (by == e->dtype().bits()) return call_op(e->dtype(), shift, {e, number(e, by)});
    return shift == std::string_view("tirx.shift_left") ? left(e, by) : right(e, by);
  };
  Expr sign = by_sign("tirx.shift_left", cast(word, by_sign("tirx.shift_right", bits, src)), dst);
  Expr rest = resized(bits);
  rest = bitwise_and(rest, number(rest, (int64_t{1} << dst.mantissa) - 1));
  int bias = dst.bias - src.bias;
  auto joined = [&](const Expr& biased) {
    return bitwise_or(bitwise_or(rest, left(cast(word, biased), dst.mantissa)), sign);
  };
  if (exponent > 0) return reinterpret(to, joined(add(power, number(power, bias))));
  // What is too small for the exponents of the result is 0.
  Expr small = lt(power, number(power, -bias));
  Expr whole = joined(sub(power, number(power, -bias)));
  return reinterpret(to, if_then_else(small, number(whole, 0), whole));
}

class WideCompute final : public Substituter {
 public:
  WideCompute(FloatFamily family, DataType wide, const Stmt& body) : family_(family), wide_(wide) {
    std::unordered_set<const VarNode*> opaque;
    post_order(body, [&](const Expr& e) {
      if (auto* var = as<VarNode>(e); var && var->buffer()) opaque.insert(var);
      if (auto* call = as_call_to(e, "tirx.address_of")) {
        if (auto* load = as<TensorLoadNode>(call->args[0])) opaque.insert(load->source.get());
      }
    });
    post_order(body, nullptr, [&](const Stmt& s) {
      auto widen = [&](const Buffer& buffer) {
        if (!family_(buffer->buffer()->dtype) || opaque.contains(buffer.get())) return;
        DataType lanes = wide_.with_lanes(DataType(buffer->buffer()->dtype).lanes());
        widened_[buffer.get()] =
            with_type(buffer, with(type_of(buffer), [&](BufferTypeNode& n) { n.dtype = lanes; }));
      };
      if (auto* alloc = as<AllocBufferNode>(s)) widen(alloc->buffer);
    });
  }

  using Substituter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* number = as<FloatImmNode>(e); number && family_(e->dtype()))
      return make<FloatImmNode>(wide_.with_lanes(e->dtype().lanes()), number->value, e->span);
    if (auto* op = as_binary(e)) {
      Expr a = promoted(op->a), b = promoted(op->b);
      return a.same_as(op->a) && b.same_as(op->b) ? e : build(e->kind, a, b, e->span);
    }
    if (auto* op = as<CastNode>(e)) {
      Expr value = promoted(op->value);
      if (family_(e->dtype())) return cast(wide_.with_lanes(e->dtype().lanes()), value);
      return value.same_as(op->value) ? e : cast(e->dtype(), value);
    }
    if (as<SelectNode>(e) || as<BroadcastNode>(e) || as<ShuffleNode>(e))
      return rewrite_below(e, [&](const Expr& part, Rewriter&) { return promoted(part); });
    if (auto* let = as<LetNode>(e)) {
      Expr value = promoted(let->value);
      Var var = renamed(let->var, value);
      Expr body = rewrite(let->body);
      if (value.same_as(let->value) && var.same_as(let->var) && body.same_as(let->body)) return e;
      return make<LetNode>(var, value, body, e->span);
    }
    if (auto* call = as<CallNode>(e)) return rewrite_call(*call);
    return Substituter::rewrite(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* bind = as<BindNode>(s)) {
      Expr value = promoted(bind->value);
      Var var = renamed(bind->var, value);
      return value.same_as(bind->value) ? s : Stmt(make<BindNode>(var, value, s->span));
    }
    auto* store = as<BufferStoreNode>(s);
    if (!store) return rewrite_children(s);
    Expr value = rewrite(store->value);
    Array<Expr> indices = rewrite(store->indices);
    Buffer buffer = rewrite_buffer(store->buffer);
    DataType to = DataType(buffer->buffer()->dtype);
    if (!(value->dtype().element() == to.element()) && (family_(to) || family_(value->dtype()))) {
      DataType lanes = to.with_lanes(value->dtype().lanes());
      if (family_(to)) value = cast(wide_.with_lanes(value->dtype().lanes()), value);
      value = convert_bits(value, lanes);
    }
    if (value.same_as(store->value) && indices.same_as(store->indices) && buffer.same_as(store->buffer))
      return s;
    return make<BufferStoreNode>(buffer, value, indices, s->span);
  }

 protected:
  Buffer map_buffer(const Buffer& buffer) override {
    auto found = widened_.find(buffer.get());
    return BufferTypeRewriter::map_buffer(found == widened_.end() ? buffer : found->second);
  }

 private:
  FloatFamily family_;
  DataType wide_;
  std::unordered_map<const VarNode*, Buffer> widened_;

  // Rewritten, and of the wide type where it is of the family.
  Expr promoted(const Expr& e) {
    Expr value = rewrite(e);
    DataType dtype = value->dtype();
    if (!family_(dtype)) return value;
    DataType wide = wide_.with_lanes(dtype.lanes());
    if (auto* narrowed = as<CastNode>(value); narrowed && narrowed->value->dtype() == wide)
      return narrowed->value;
    return convert_bits(value, wide);
  }
  Var renamed(const Var& var, const Expr& value) {
    if (!family_(var->dtype())) return var;
    Var next = make_var(var->name, value->dtype(), var->span);
    values[var.get()] = next;
    return next;
  }
  Expr rewrite_call(const CallNode& call) {
    Expr e = ref(&call);
    if (as_call_to(e, "tirx.reinterpret") || as_call_to(e, "tirx.address_of")) return rewrite_children(e);
    Expr next = rewrite_below(e, [&](const Expr& part, Rewriter&) { return promoted(part); });
    if (!family_(e->dtype())) return next;
    return with(ref(as<CallNode>(next)),
                [&](CallNode& n) { n.ty = prim_type(wide_.with_lanes(e->dtype().lanes())); });
  }
};

class IntegerStorage final : public Substituter {
 public:
  IntegerStorage(FloatFamily family, std::string_view pass) : family_(family), pass_(pass) {}

  // A pointer that the function takes or binds.
  Var param(const Var& param) {
    Type type = param->ty;
    if (auto* pointer = param->ty->kind == TypeKind::kPointer
                            ? static_cast<const PointerTypeNode*>(param->ty.get())
                            : nullptr) {
      type = as_integer(*pointer);
    }
    if (type.same_as(param->ty)) return param;
    Var next = make<VarNode>(param->name, type, param->span);
    values[param.get()] = next;
    return next;
  }

  using Substituter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* call = as_call_to(e, "tirx.reinterpret"); call && !e->dtype().is_handle()) {
      Expr value = rewrite(call->args[0]);
      if (value->dtype() == e->dtype()) return value;
      if (family_(e->dtype())) return reinterpret(integer_of(e->dtype()), value);
      return value.same_as(call->args[0]) ? e : reinterpret(e->dtype(), value);
    }
    if (auto* call = as<CallNode>(e)) {
      return updated(call, [&](CallNode& n) {
        n.args = rewrite(call->args);
        if (n.ty && n.ty->kind == TypeKind::kPointer)
          n.ty = as_integer(static_cast<const PointerTypeNode&>(*n.ty.get()));
      });
    }
    return Substituter::rewrite(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* bind = as<BindNode>(s); bind && bind->var->ty->kind == TypeKind::kPointer) {
      Expr value = rewrite(bind->value);
      Var var = param(bind->var);
      if (value.same_as(bind->value) && var.same_as(bind->var)) return s;
      return make<BindNode>(var, value, s->span);
    }
    auto* store = as<BufferStoreNode>(s);
    if (!store) return rewrite_children(s);
    if (family_(store->value->dtype()) && !as<TensorLoadNode>(store->value) &&
        !as_call_to(store->value, "tirx.reinterpret")) {
      throw refuse_as(refusals["type-not-legalized"], "a value of `{}` is computed here",
                      store->value->dtype().str())
          .kind("TypeError")
          .at(s->span)
          .help(fmt::format("run {} first",
                            family_ == is_bfloat16 ? "BF16ComputeLegalize" : "FP8ComputeLegalize"));
    }
    Expr value = rewrite(store->value);
    if (family_(value->dtype())) {
      value = reinterpret(integer_of(value->dtype()), as<CallNode>(value)->args[0]);
    }
    Array<Expr> indices = rewrite(store->indices);
    Buffer buffer = rewrite_buffer(store->buffer);
    if (value.same_as(store->value) && indices.same_as(store->indices) && buffer.same_as(store->buffer))
      return s;
    return make<BufferStoreNode>(buffer, value, indices, s->span);
  }

 protected:
  Buffer map_buffer(const Buffer& buffer) override {
    Buffer next = BufferTypeRewriter::map_buffer(buffer);
    DataType dtype = next->buffer()->dtype;
    if (!family_(dtype)) return next;
    return with_type(next, with(type_of(next), [&](BufferTypeNode& n) { n.dtype = integer_of(dtype); }));
  }

 private:
  FloatFamily family_;
  std::string_view pass_;

  Type as_integer(const PointerTypeNode& pointer) const {
    auto* element = pointer.element_type->kind == TypeKind::kPrim
                        ? static_cast<const PrimTypeNode*>(pointer.element_type.get())
                        : nullptr;
    if (!element || !family_(element->dtype)) return ref(&pointer);
    return make<PointerTypeNode>(Type(prim_type(integer_of(element->dtype))), pointer.storage_scope);
  }
};

}  // namespace

PrimFunc compute_in(const PrimFunc& fn, FloatFamily family, DataType wide) {
  if (target_has(fn, family)) return fn;
  return with_body(fn, WideCompute(family, wide, fn->body).rewrite(fn->body));
}

PrimFunc store_as_integers(const PrimFunc& fn, FloatFamily family, std::string_view pass) {
  if (target_has(fn, family)) return fn;
  for (const Var& param : fn->params) {
    if (!param->buffer()) continue;
    throw refuse(refusals["buffer-parameter"], pass, param->name.c_str()).kind(kRefusedValue).at(fn->span);
  }
  IntegerStorage storage(family, pass);
  Array<Var> params;
  for (const Var& param : fn->params) params.push_back(storage.param(param));
  Stmt body = storage.rewrite(fn->body);
  return with_params(fn, params, body);
}

}  // namespace mlc::transform
