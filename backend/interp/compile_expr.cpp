// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backend/interp/gpu/traffic.h"
#include "backend/interp/machine.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "index-out-of-bounds", .message = "lane {} of {} is picked"},
        {.name = "shift-out-of-range", .message = "an integer of {} bits is shifted by {}"},
    }};
MLC_REFUSALS(interp_compile_expr, refusals);

namespace {

using ir::DataType;
using ir::ExprKind;

int lanes_of(const Expr& e) { return lane_count(e->dtype()); }

[[noreturn]] void divided_by_zero(Span span) {
  throw ir::Error("division-by-zero", "an integer is divided by zero").kind("ZeroDivisionError").at(span);
}

// Results are brought to the width of the type by the caller: these are exact in 64 bits.
int64_t floor_div(int64_t a, int64_t b) {
  if (b == -1) return static_cast<int64_t>(-static_cast<uint64_t>(a));  // min / -1 wraps
  int64_t q = a / b;
  return q - (a % b != 0 && (a ^ b) < 0 ? 1 : 0);
}
int64_t floor_mod(int64_t a, int64_t b) {
  if (b == -1) return 0;
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
uint64_t u(int64_t x) { return static_cast<uint64_t>(x); }
int64_t s(uint64_t x) { return static_cast<int64_t>(x); }

// The operators that integers and floats share; none for others.
template <class With, class Compare>
Code ordered(ExprKind kind, With with, Compare compare) {
  switch (kind) {
    case ExprKind::kMin:
      return with([](auto x, auto y) { return x < y ? x : y; });
    case ExprKind::kMax:
      return with([](auto x, auto y) { return x > y ? x : y; });
    case ExprKind::kEQ:
      return compare([](auto x, auto y) { return x == y; });
    case ExprKind::kNE:
      return compare([](auto x, auto y) { return x != y; });
    case ExprKind::kLT:
      return compare([](auto x, auto y) { return x < y; });
    case ExprKind::kLE:
      return compare([](auto x, auto y) { return x <= y; });
    case ExprKind::kGT:
      return compare([](auto x, auto y) { return x > y; });
    case ExprKind::kGE:
      return compare([](auto x, auto y) { return x >= y; });
    default:
      return nullptr;
  }
}

// `And` and `Or` guard what stands to their right: it is evaluated only when it matters.
Code guarded(bool is_and, Code a, Code b) {
  return [is_and, a = std::move(a), b = std::move(b)](Frame& frame, Lane* out) {
    a(frame, out);
    if ((out->i != 0) == is_and) b(frame, out);
    out->i = out->i != 0;
  };
}

Code integer_binary(ExprKind kind, const Number& number, int lanes, Code a, Code b, Span span) {
  bool is_unsigned = number.is_unsigned;
  auto with = [&](auto op) {
    return zip_lanes(lanes, std::move(a), std::move(b),
                     [op, number](Lane x, Lane y) { return Lane{.i = number.wrap(op(x.i, y.i))}; });
  };
  auto divide = [&](auto op) {
    return with([op, span](int64_t x, int64_t y) {
      if (y == 0) divided_by_zero(span);
      return op(x, y);
    });
  };
  auto compare = [&](auto op) {
    return zip_lanes(lanes, std::move(a), std::move(b),
                     [op](Lane x, Lane y) { return Lane{.i = op(x.i, y.i)}; });
  };
  auto shift = [&](auto op) {
    int bits = number.type.bits();
    return with([op, bits, span](int64_t x, int64_t y) {
      if (y < 0 || y >= bits) {
        throw ir::refuse(refusals["shift-out-of-range"], bits, y).at(span);
      }
      return op(x, y);
    });
  };
  auto of_kind = [is_unsigned](auto op) {
    return [op, is_unsigned](int64_t x, int64_t y) -> int64_t {
      return is_unsigned ? op(u(x), u(y)) : op(x, y);
    };
  };
  if (Code code = ordered(
          kind, [&](auto op) { return with(of_kind(op)); }, [&](auto op) { return compare(of_kind(op)); }))
    return code;
  switch (kind) {
    case ExprKind::kAdd:
      return with([](int64_t x, int64_t y) { return s(u(x) + u(y)); });
    case ExprKind::kSub:
      return with([](int64_t x, int64_t y) { return s(u(x) - u(y)); });
    case ExprKind::kMul:
      return with([](int64_t x, int64_t y) { return s(u(x) * u(y)); });
    case ExprKind::kDiv:
      if (is_unsigned) return divide([](int64_t x, int64_t y) { return s(u(x) / u(y)); });
      return divide([](int64_t x, int64_t y) { return y == -1 ? s(-u(x)) : x / y; });
    case ExprKind::kMod:
      if (is_unsigned) return divide([](int64_t x, int64_t y) { return s(u(x) % u(y)); });
      return divide([](int64_t x, int64_t y) { return y == -1 ? 0 : x % y; });
    case ExprKind::kFloorDiv:
      if (is_unsigned) return divide([](int64_t x, int64_t y) { return s(u(x) / u(y)); });
      return divide([](int64_t x, int64_t y) { return floor_div(x, y); });
    case ExprKind::kFloorMod:
      if (is_unsigned) return divide([](int64_t x, int64_t y) { return s(u(x) % u(y)); });
      return divide([](int64_t x, int64_t y) { return floor_mod(x, y); });
    case ExprKind::kAnd:
      if (lanes == 1) return guarded(true, std::move(a), std::move(b));
      return compare([](int64_t x, int64_t y) { return x != 0 && y != 0; });
    case ExprKind::kOr:
      if (lanes == 1) return guarded(false, std::move(a), std::move(b));
      return compare([](int64_t x, int64_t y) { return x != 0 || y != 0; });
    case ExprKind::kBitwiseAnd:
      return with([](int64_t x, int64_t y) { return x & y; });
    case ExprKind::kBitwiseOr:
      return with([](int64_t x, int64_t y) { return x | y; });
    case ExprKind::kBitwiseXor:
      return with([](int64_t x, int64_t y) { return x ^ y; });
    case ExprKind::kLShift:
      return shift([](int64_t x, int64_t y) { return s(u(x) << y); });
    case ExprKind::kRShift:
      if (is_unsigned) return shift([](int64_t x, int64_t y) { return s(u(x) >> y); });
      return shift([](int64_t x, int64_t y) { return x >> y; });
    default:
      unsupported(span, "this operator on integers");
  }
}

Code float_binary(ExprKind kind, const Number& number, int lanes, Code a, Code b, Span span) {
  // Sum, difference, product and quotient of two values of up to 24 bits of mantissa, computed in double
  // and rounded again, are the correctly rounded ones.
  auto with = [&](auto op) {
    return zip_lanes(lanes, std::move(a), std::move(b),
                     [op, &number](Lane x, Lane y) { return Lane{.f = number.round(op(x.f, y.f))}; });
  };
  auto compare = [&](auto op) {
    return zip_lanes(lanes, std::move(a), std::move(b),
                     [op](Lane x, Lane y) { return Lane{.i = op(x.f, y.f)}; });
  };
  if (Code code = ordered(kind, with, compare)) return code;
  switch (kind) {
    case ExprKind::kAdd:
      return with([](double x, double y) { return x + y; });
    case ExprKind::kSub:
      return with([](double x, double y) { return x - y; });
    case ExprKind::kMul:
      return with([](double x, double y) { return x * y; });
    case ExprKind::kDiv:
      return with([](double x, double y) { return x / y; });
    case ExprKind::kMod:
      return with([](double x, double y) { return std::fmod(x, y); });
    case ExprKind::kFloorDiv:
      return with([](double x, double y) { return std::floor(x / y); });
    case ExprKind::kFloorMod:
      return with([](double x, double y) { return x - std::floor(x / y) * y; });
    default:
      unsupported(span, "this operator on floating values");
  }
}

}  // namespace

// As many operations of a thread as it has lanes.
Code Compiler::counted(Code code, double operations) {
  return [code = std::move(code), traffic = program_.options.traffic, operations](Frame& frame, Lane* out) {
    traffic->flops(operations);
    code(frame, out);
  };
}

Code Compiler::binary(const ir::BinaryNode* node) {
  int lanes = lanes_of(node->a);
  MLC_CHECK(lanes == lanes_of(node->b), "operands of {} and {} lanes meet", lanes, lanes_of(node->b));
  const Number& number = number_of(node->a->dtype());
  Code a = expr(node->a);
  Code b = expr(node->b);
  if (number.floating && in_kernel_ && program_.options.traffic != nullptr && node->kind <= ExprKind::kDiv)
    return counted(float_binary(node->kind, number, lanes, std::move(a), std::move(b), node->span), lanes);
  return number.floating ? float_binary(node->kind, number, lanes, std::move(a), std::move(b), node->span)
                         : integer_binary(node->kind, number, lanes, std::move(a), std::move(b), node->span);
}

Code Compiler::cast(const ir::CastNode* node) {
  int lanes = lanes_of(node->value);
  const Number* from = &number_of(node->value->dtype());
  const Number* to = &number_of(node->dtype());
  int to_lanes = lane_count(node->dtype());
  MLC_CHECK(to_lanes == lanes || lanes == 1, "a cast from {} to {} lanes", lanes, to_lanes);
  return [value = expr(node->value), from, to, lanes, to_lanes](Frame& frame, Lane* out) {
    value(frame, out);
    for (int i = 0; i < lanes; ++i) out[i] = convert(*from, *to, out[i]);
    for (int i = lanes; i < to_lanes; ++i) out[i] = out[0];
  };
}

Code Compiler::var_use(const VarNode* var, Span span) {
  if (var->buffer()) {  // a buffer as a value is its data pointer
    int view = view_of(var, span);
    return [view](Frame& frame, Lane* out) {
      out->i = reinterpret_cast<int64_t>(frame.views[static_cast<size_t>(view)].data);
    };
  }
  int slot = slot_of(var, span);
  int lanes = lane_count(var->dtype());
  if (lanes == 1) return [slot](Frame& frame, Lane* out) { *out = frame.slots[static_cast<size_t>(slot)]; };
  return [slot, lanes](Frame& frame, Lane* out) {
    for (int i = 0; i < lanes; ++i) out[i] = frame.slots[static_cast<size_t>(slot + i)];
  };
}

std::shared_ptr<Site> Compiler::site(const Buffer& buffer, const ir::Array<Expr>& indices, Span span,
                                     bool stores) {
  const ir::BufferTypeNode* type = buffer->buffer();
  DataType element = type->dtype;
  MLC_CHECK(indices.size() == type->shape.size(), "`{}` of {} dimensions is {} with {} indices",
            buffer->name.c_str(), type->shape.size(), stores ? "written" : "read", indices.size());
  auto made = std::make_shared<Site>(Site{buffer,
                                          span,
                                          &number_of(element),
                                          lanes_in_memory(element, span),
                                          view_of(buffer.get(), span),
                                          {},
                                          1,
                                          stores,
                                          program_.options.observer,
                                          block_,
                                          in_kernel_ ? point(span, buffer.get()) : nullptr});
  for (const Expr& index : indices) {
    made->indices.push_back(expr(index));
    made->lanes = lanes_of(index);
  }
  return made;
}

Code Compiler::load(const ir::TensorLoadNode* node) {
  auto site = this->site(node->source, node->indices, node->span, false);
  if (site->lanes == 1 && site->element_lanes == 1) {
    return [site](Frame& frame, Lane* out) {
      int64_t at;
      site->locate(frame, &at);
      *out = site->number->load(site->address(frame.views[static_cast<size_t>(site->view)], at));
    };
  }
  return [site](Frame& frame, Lane* out) {
    std::vector<int64_t> at(static_cast<size_t>(site->lanes));
    site->locate(frame, at.data());
    for (int64_t element : at) {
      const char* from = site->address(frame.views[static_cast<size_t>(site->view)], element);
      for (int i = 0; i < site->element_lanes; ++i)
        *out++ = site->number->load(from + i * site->number->bytes);
    }
  };
}

std::function<int64_t(Frame&)> Compiler::integer(const Expr& e) {
  if (auto value = ir::const_int(e)) return [v = *value](Frame&) { return v; };
  return [code = expr(e)](Frame& frame) {
    Lane value;
    code(frame, &value);
    return value.i;
  };
}

Code Compiler::expr(const Expr& e) {
  return ir::dispatch(
      e, ir::overloaded{
             [&](const VarNode* node) { return var_use(node, node->span); },
             [&](const ir::IntImmNode* node) -> Code {
               return [value = Lane{.i = number_of(node->dtype()).wrap(node->value)}](Frame&, Lane* out) {
                 *out = value;
               };
             },
             [&](const ir::FloatImmNode* node) -> Code {
               return [value = Lane{.f = number_of(node->dtype()).round(node->value)}](Frame&, Lane* out) {
                 *out = value;
               };
             },
             [&](const ir::BinaryNode* node) { return binary(node); },
             [&](const ir::NotNode* node) -> Code {
               return map_lanes(lanes_of(node->a), expr(node->a), [](Lane x) { return Lane{.i = x.i == 0}; });
             },
             [&](const ir::BitwiseNotNode* node) -> Code {
               return map_lanes(
                   lanes_of(node->a), expr(node->a),
                   [number = number_of(node->dtype())](Lane x) { return Lane{.i = number.wrap(~x.i)}; });
             },
             [&](const ir::CastNode* node) { return cast(node); },
             [&](const ir::SelectNode* node) -> Code {
               int lanes = lanes_of(node->true_value);
               int condition_lanes = lanes_of(node->condition);
               return [condition = expr(node->condition), yes = expr(node->true_value),
                       no = expr(node->false_value), lanes, condition_lanes](Frame& frame, Lane* out) {
                 Lanes chosen(condition_lanes), other(lanes);
                 condition(frame, chosen.data());
                 // Only what is chosen has to be known.
                 Unwritten& unwritten = frame.program.heap.unwritten;
                 Unwritten around = unwritten;
                 yes(frame, out);
                 Unwritten of_yes = std::exchange(unwritten, around);
                 no(frame, other.data());
                 if (condition_lanes == 1 ? chosen[0].i != 0 : of_yes.point != nullptr) unwritten = of_yes;
                 for (int i = 0; i < lanes; ++i) {
                   if (chosen[condition_lanes == 1 ? 0 : i].i == 0) out[i] = other[i];
                 }
               };
             },
             [&](const ir::RampNode* node) -> Code {
               return [base = expr(node->base), stride = expr(node->stride), inner = lanes_of(node->base),
                       count = lanes_of(e) / lanes_of(node->base),
                       number = number_of(node->dtype())](Frame& frame, Lane* out) {
                 Lanes step(inner);
                 base(frame, out);
                 stride(frame, step.data());
                 for (int i = inner; i < inner * count; ++i) {
                   out[i].i = number.wrap(s(u(out[i - inner].i) + u(step[i % inner].i)));
                 }
               };
             },
             [&](const ir::BroadcastNode* node) -> Code {
               return [value = expr(node->value), inner = lanes_of(node->value), lanes = lanes_of(e)](
                          Frame& frame, Lane* out) {
                 value(frame, out);
                 for (int i = inner; i < lanes; ++i) out[i] = out[i - inner];
               };
             },
             [&](const ir::ShuffleNode* node) -> Code {
               std::vector<std::pair<Code, int>> vectors;
               int total = 0;
               for (const Expr& vector : node->vectors) {
                 vectors.emplace_back(expr(vector), lanes_of(vector));
                 total += lanes_of(vector);
               }
               std::vector<std::function<int64_t(Frame&)>> picks;
               for (const Expr& index : node->indices) picks.push_back(integer(index));
               return [vectors, picks, total, span = node->span](Frame& frame, Lane* out) {
                 Lanes all(total);
                 int at = 0;
                 for (const auto& [vector, lanes] : vectors) {
                   vector(frame, all.data() + at);
                   at += lanes;
                 }
                 for (const auto& pick : picks) {
                   int64_t lane = pick(frame);
                   if (lane < 0 || lane >= total) {
                     throw ir::refuse(refusals["index-out-of-bounds"], lane, total).at(span);
                   }
                   *out++ = all[static_cast<int>(lane)];
                 }
               };
             },
             [&](const ir::LetNode* node) -> Code {
               Code value = expr(node->value);
               int slot = define_slot(node->var);
               Code body = expr(node->body);
               return [value, slot, body](Frame& frame, Lane* out) {
                 value(frame, &frame.slots[static_cast<size_t>(slot)]);
                 body(frame, out);
               };
             },
             [&](const ir::TensorLoadNode* node) { return load(node); },
             [&](const ir::CallNode* node) { return call(node); },
             [&](const ir::StringImmNode* node) -> Code {
               unsupported(node->span, "a string outside of a call");
             },
             [&](const ir::GlobalVarNode* node) -> Code { unsupported(node->span, "a function as a value"); },
             [&](const ir::OpNode* node) -> Code { unsupported(node->span, "an operator as a value"); },
             [&](const ir::TupleNode* node) -> Code { unsupported(node->span, "tuples"); },
             [&](const ir::TupleGetItemNode* node) -> Code { unsupported(node->span, "tuples"); },
             [&](const ir::TensorRegionNode* node) -> Code {
               unsupported(node->span, "a buffer region as a value");
             },
             [&](const ir::ReduceNode* node) -> Code {
               unsupported(node->span, "a te reduction that is not yet a block");
             },
         });
}

}  // namespace mlc::interp
