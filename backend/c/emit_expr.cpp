// SPDX-License-Identifier: Apache-2.0
// Values: arithmetic, conversions, loads, lanes of vectors.
#include <cmath>
#include <utility>

#include "backend/artefact/extents.h"
#include "backend/c/emitter.h"
#include "ir/core/error.h"
#include "ir/core/small_float.h"
#include "ir/tir/nonnegative.h"
#include "ir/tir/size.h"

namespace mlc::c_backend {

using ir::Error;
using ir::ExprKind;

namespace {

DataType float_of(DataType soft) { return DataType::Float(32, soft.lanes()); }

const ir::SmallFloat& format_of(DataType soft) {
  if (const ir::SmallFloat* narrow = ir::narrow_format(soft)) return *narrow;
  return soft.is_bfloat16() ? ir::bfloat_format : ir::half_format;
}

}  // namespace

Text FunctionEmitter::emit(const Expr& e) {
  if (e->dtype().is_scalable()) refuse("a scalable vector", e->span);
  return ir::dispatch(
      e, ir::overloaded{
             [&](const VarNode* n) -> Text {
               const Binding& bound = binding(n, n->span);
               if (bound.inlined) return emit(bound.inlined);
               return {bound.lanes ? fmt::format("{}[{}]", bound.name, lane_) : bound.name};
             },
             [&](const ir::IntImmNode* n) -> Text { return emit_constant(n->dtype(), n->value); },
             [&](const ir::FloatImmNode* n) -> Text { return emit_float(n->dtype(), n->value); },
             [&](const ir::StringImmNode* n) -> Text {
               return {"(void*)" + c_string({n->value.data(), n->value.size()}), kUnary};
             },
             [&](const ir::BinaryNode* n) -> Text { return emit_binary(n); },
             [&](const ir::NotNode* n) -> Text {
               return {"!" + emit(n->a).at_least(kUnary), kUnary};
             },
             [&](const ir::BitwiseNotNode* n) -> Text {
               if (n->dtype().is_bool()) return {"!" + emit(n->a).at_least(kUnary), kUnary};
               Text flipped{"~" + emit(n->a).at_least(kUnary), kUnary};
               return n->dtype().bits() < 32 ? casted(value_type(n->dtype(), n->span), flipped) : flipped;
             },
             [&](const ir::CastNode* n) -> Text {
               Text value = emit_operands(e, [&] { return emit(n->value); });
               return emit_cast(value, n->value->dtype(), n->dtype(), n->span);
             },
             [&](const ir::SelectNode* n) -> Text {
               return choose(n->condition, n->true_value, n->false_value, n->dtype());
             },
             [&](const ir::RampNode* n) -> Text {
               if (!n->base->dtype().is_scalar()) refuse("a ramp of vectors", n->span);
               if (lane_number_ == 0) return emit(n->base);
               Text lane{lane_};
               DataType dtype = n->base->dtype();
               if (dtype.bits() > 32 && !is_size(n->base)) lane = casted(value_type(dtype, n->span), lane);
               if (!ir::is_const_int(n->stride, 1))
                 lane = arithmetic(ExprKind::kMul, lane, emit(n->stride), dtype, nullptr);
               if (ir::is_const_int(n->base, 0)) return lane;
               return arithmetic(ExprKind::kAdd, emit(n->base), lane, dtype, nullptr);
             },
             [&](const ir::BroadcastNode* n) -> Text {
               if (auto found = hoisted_.find(n); found != hoisted_.end()) return {found->second};
               if (!n->value->dtype().is_scalar()) refuse("a broadcast of a vector", n->span);
               return emit(n->value);
             },
             [&](const ir::ShuffleNode* n) -> Text { return emit_shuffle(n); },
             [&](const ir::LetNode* n) -> Text { return emit_let(n); },
             [&](const ir::TensorLoadNode* n) -> Text { return load(n); },
             [&](const ir::CallNode* n) -> Text { return emit_operands(e, [&] { return emit_call(n); }); },
             [&](const ir::GlobalVarNode* n) -> Text { refuse("a function as a value", n->span); },
             [&](const ir::OpNode* n) -> Text { refuse("an operator as a value", n->span); },
             [&](const ir::TupleNode* n) -> Text { refuse("a tuple", n->span); },
             [&](const ir::TupleGetItemNode* n) -> Text { refuse("an item of a tuple", n->span); },
             [&](const ir::TensorRegionNode* n) -> Text { refuse("a buffer region as a value", n->span); },
             [&](const ir::ReduceNode* n) -> Text { refuse("a reduction expression", n->span); },
         });
}

// ---- constants ----

Text FunctionEmitter::emit_constant(DataType dtype, int64_t value) {
  if (dtype.is_bool() || (dtype.is_uint() && dtype.bits() == 1)) return {value != 0 ? "true" : "false"};
  value_type(dtype, {});  // refuses what it must
  if (dtype.is_uint()) {
    auto bits = static_cast<uint64_t>(value);
    if (dtype.bits() < 64) bits &= (uint64_t{1} << dtype.bits()) - 1;
    if (dtype.bits() < 32) return {std::to_string(bits)};
    return {dtype.bits() == 32 ? fmt::format("{}u", bits) : fmt::format("UINT64_C({})", bits)};
  }
  if (value == INT64_MIN) return {"INT64_MIN"};
  if (value == INT32_MIN) return {"INT32_MIN"};
  bool wide = value > INT32_MAX || value < INT32_MIN || (dtype.bits() == 64 && !in_index_);
  std::string digits = wide && dtype.bits() == 64 ? fmt::format("INT64_C({})", value) : std::to_string(value);
  return {digits, value < 0 && !wide ? kUnary : kPrimary};
}

Text FunctionEmitter::emit_float(DataType dtype, double value) {
  if (is_soft_float(dtype)) {
    return {fmt::format("0x{:0{}x} /* {} */", ir::encode(format_of(dtype), value), dtype.bits() / 4, value)};
  }
  value_type(dtype, {});
  bool single = dtype.bits() == 32;
  if (std::isnan(value)) return {single ? "NAN" : "(double)NAN", single ? kPrimary : kUnary};
  bool negative = std::signbit(value);
  std::string text;
  if (std::isinf(value)) {
    text = single ? "INFINITY" : "(double)INFINITY";
  } else {
    text = single ? fmt::format("{}", std::fabs(static_cast<float>(value)))
                  : fmt::format("{}", std::fabs(value));
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    if (text == "inf")
      text = "INFINITY";  // beyond float32
    else if (single)
      text += "f";
  }
  return negative || text[0] == '(' ? Text{(negative ? "-" : "") + text, kUnary} : Text{text};
}

// ---- arithmetic ----

bool FunctionEmitter::is_size(const Expr& e) const {
  auto is_size_var = [&](const VarNode* var) {
    auto found = bindings_.find(var);
    return found != bindings_.end() && found->second.is_size;
  };
  return ir::is_size(e, is_size_var, ir::SizeBits::kNo);
}

// Proves only what index expressions need.
bool FunctionEmitter::nonnegative(const Expr& e) const {
  struct Facts {
    const FunctionEmitter& emitter;
    bool is_nonnegative(const VarNode* var) const {
      auto found = emitter.bindings_.find(var);
      return found != emitter.bindings_.end() && found->second.nonnegative;
    }
    bool is_exact(const Expr& e) const {
      return emitter.is_size(e) || (emitter.in_index_ && e->kind != ExprKind::kCast);
    }
  };
  return ir::is_nonnegative(e, Facts{*this});
}

Text FunctionEmitter::emit_binary(const ir::BinaryNode* e) {
  DataType dtype = e->a->dtype();
  if (e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr) return both_or_either(e);
  bool exact = std::exchange(
      in_index_, in_index_ || is_size(ir::ref(e)) || (dtype.is_integral() && is_size(e->a) && is_size(e->b)));
  if (dtype.is_float() && accumulations_.contains(e)) {
    if (std::optional<Text> made = multiply_add(e)) return *made;
  }
  auto [a, b] = emit_operands(ir::ref(e), [&] {
    Text left = emit(e->a);
    return std::pair(left, emit(e->b));
  });
  Text made;
  if (is_soft_float(dtype)) {
    made = arithmetic(e->kind, to_float(a, dtype), to_float(b, dtype), float_of(dtype), e);
    if (!e->dtype().is_bool()) made = from_float(made, dtype);
  } else {
    made = arithmetic(e->kind, a, b, dtype, e);
  }
  in_index_ = exact;
  return made;
}

std::optional<Text> FunctionEmitter::multiply_add(const ir::BinaryNode* sum) {
  DataType dtype = sum->dtype();
  bool left = ir::as<ir::MulNode>(sum->a) != nullptr;
  auto* product = ir::as<ir::MulNode>(left ? sum->a : sum->b);
  if (product == nullptr || dtype.bits() < 32) return std::nullopt;
  Text a = emit(product->a), b = emit(product->b), c = emit(left ? sum->b : sum->a);
  if (sum->kind == ExprKind::kSub) {
    Text& negative = left ? c : a;
    negative = {fmt::format("-({})", negative.text), kUnary};
  }
  std::string function = m_.prelude(dtype.bits() == 32 ? "mlc_fmadd32_$" : "mlc_fmadd64_$", dtype);
  return Text{fmt::format("{}({}, {}, {})", function, a.text, b.text, c.text)};
}

Text FunctionEmitter::arithmetic(ExprKind kind, const Text& a, const Text& b, DataType dtype,
                                 const ir::BinaryNode* e) {
  bool real = dtype.is_floating();
  bool narrow = !real && dtype.bits() < 32;
  // Signed numbers of at least 32 bits wrap in functions; where they do not overflow, C's own operators do.
  bool wraps = !real && dtype.is_int() && !narrow && !in_index_;
  std::string type = value_type(dtype, e != nullptr ? e->span : ir::Span{});
  if (dtype.is_bool() && (kind == ExprKind::kAdd || kind == ExprKind::kSub || kind == ExprKind::kMul))
    refuse("arithmetic on bool", e != nullptr ? e->span : ir::Span{}, "cast to int32 before");
  auto sum = [&](std::string_view op, std::string_view function, Precedence precedence) {
    if (wraps) return called(m_.prelude(fmt::format("mlc_{}_$", function), dtype), a, b);
    Text left = a;
    if (narrow && dtype.bits() == 16 && dtype.is_uint() && op == "*") left = casted("uint32_t", a);
    Text made = infix(left, op, b, precedence, precedence);
    return narrow ? casted(type, made) : made;
  };
  switch (kind) {
    case ExprKind::kAdd:
      return sum("+", "add", kSum);
    case ExprKind::kSub:
      return sum("-", "sub", kSum);
    case ExprKind::kMul:
      return sum("*", "mul", kProduct);
    case ExprKind::kDiv:
    case ExprKind::kMod:
    case ExprKind::kFloorDiv:
    case ExprKind::kFloorMod:
      return divide(kind, a, b, dtype, e);
    case ExprKind::kMin:
      return called(m_.prelude("mlc_min_$", dtype), a, b);
    case ExprKind::kMax:
      return called(m_.prelude("mlc_max_$", dtype), a, b);
    case ExprKind::kBitwiseAnd:
      return infix(a, "&", b, kBits, kUnary);
    case ExprKind::kBitwiseOr:
      return infix(a, "|", b, kBits, kUnary);
    case ExprKind::kBitwiseXor:
      return infix(a, "^", b, kBits, kUnary);
    case ExprKind::kLShift: {
      bool is_signed = dtype.is_int();
      Text left = is_signed || narrow ? casted(fmt::format("uint{}_t", std::max(32, dtype.bits())), a) : a;
      Text made = infix(left, "<<", b, kShift, kUnary);
      return is_signed || narrow ? casted(type, made) : made;
    }
    case ExprKind::kRShift: {
      Text made = infix(a, ">>", b, kShift, kUnary);
      return narrow ? casted(type, made) : made;
    }
    default:
      return compare(kind, a, b);
  }
}

Text FunctionEmitter::compare(ExprKind kind, const Text& a, const Text& b) {
  static constexpr std::pair<ExprKind, const char*> signs[] = {{ExprKind::kEQ, "=="}, {ExprKind::kNE, "!="},
                                                               {ExprKind::kLT, "<"},  {ExprKind::kLE, "<="},
                                                               {ExprKind::kGT, ">"},  {ExprKind::kGE, ">="}};
  bool equality = kind == ExprKind::kEQ || kind == ExprKind::kNE;
  for (const auto& [one, sign] : signs)
    if (one == kind) return infix(a, sign, b, equality ? kEquality : kRelational, kShift);
  throw ir::InternalError(__FILE__, __LINE__, "not a comparison");
}

Text FunctionEmitter::divide(ExprKind kind, const Text& a, const Text& b, DataType dtype,
                             const ir::BinaryNode* e) {
  bool quotient = kind == ExprKind::kDiv || kind == ExprKind::kFloorDiv;
  bool floors = kind == ExprKind::kFloorDiv || kind == ExprKind::kFloorMod;
  std::string_view op = quotient ? "/" : "%";
  if (dtype.is_floating()) {
    std::string suffix = dtype.bits() == 32 ? "f" : "";
    if (kind == ExprKind::kMod) return called("fmod" + suffix, a, b);
    if (kind == ExprKind::kDiv) return infix(a, "/", b, kProduct, kProduct);
    if (quotient) return {fmt::format("floor{}({})", suffix, infix(a, "/", b, kProduct, kProduct).text)};
    return called(m_.prelude("mlc_floormod_$", dtype), a, b);
  }
  if (dtype.is_bool()) refuse("division of bool", e->span, "cast to int32 before");
  std::string type = value_type(dtype, e->span);
  auto divisor = ir::const_int(e->b);
  bool plain =
      dtype.is_uint() || (nonnegative(e->a) && nonnegative(e->b)) || (!floors && divisor && *divisor > 0);
  if (plain) {
    Text made = infix(a, op, b, kProduct, kProduct);
    return dtype.bits() < 32 ? casted(type, made) : made;
  }
  std::string_view name =
      floors ? (quotient ? "mlc_floordiv_$" : "mlc_floormod_$") : (quotient ? "mlc_div_$" : "mlc_mod_$");
  return called(m_.prelude(name, dtype), a, b);
}

Text FunctionEmitter::to_float(const Text& value, DataType soft) {
  return {fmt::format("{}({})", m_.prelude("mlc_" + type_word(soft) + "_to_float"), value.text)};
}
Text FunctionEmitter::from_float(const Text& value, DataType soft) {
  return {fmt::format("{}({})", m_.prelude("mlc_float_to_" + type_word(soft)), value.text)};
}

Text FunctionEmitter::emit_cast(const Text& value, DataType from, DataType to, ir::Span span) {
  if (from == to) return value;
  if (from.lanes() != to.lanes()) refuse("a cast that changes the number of lanes", span);
  std::string type = value_type(to, span);
  if (from.is_handle() || to.is_handle()) {
    if (from.is_handle() && to.is_handle()) return value;
    return casted(type, casted("intptr_t", value));
  }
  if (is_soft_float(from)) return emit_cast(to_float(value, from), float_of(from), to, span);
  if (is_soft_float(to)) {
    // From float64 to float16 in one rounding; to the others, as NumPy does it, by way of float32.
    bool once = from.is_float() && from.bits() == 64 && to.is_float();
    if (once) return {fmt::format("{}({})", m_.prelude("mlc_double_to_float16"), value.text)};
    return from_float(emit_cast(value, from, float_of(from), span), to);
  }
  if (to.is_bool()) {
    Text zero{from.is_floating() ? (from.bits() == 32 ? "0.0f" : "0.0") : "0"};
    return from.is_bool() ? value : infix(value, "!=", zero, kEquality, kShift);
  }
  // Sizes keep their value in a wider type; C widens them where it matters.
  return casted(type, value);
}

// ---- choices ----

Text FunctionEmitter::choose(const Expr& condition, const Expr& yes, const Expr& no, DataType dtype) {
  Text holds = emit(condition);
  size_t before = text_.size();
  ++indent_;
  scopes_.emplace_back();
  Text first = emit(yes);
  std::string first_statements = text_.substr(before);
  text_.resize(before);
  Text second = emit(no);
  std::string second_statements = text_.substr(before);
  text_.resize(before);
  Scope inside = std::move(scopes_.back());
  scopes_.pop_back();
  --indent_;
  if (first_statements.empty() && second_statements.empty()) {
    return {fmt::format("{} ? {} : {}", holds.at_least(kOr), first.at_least(kOr), second.at_least(kTernary)),
            kTernary};
  }
  scopes_.back().names.merge(inside.names);  // the arms set it, past their own names
  std::string made = fresh("chosen");
  line(fmt::format("{} {};", value_type(dtype, condition->span), made));
  line(fmt::format("if ({}) {{", holds.text));
  text_ += first_statements;
  ++indent_;
  line(fmt::format("{} = {};", made, first.text));
  --indent_;
  line("} else {");
  text_ += second_statements;
  ++indent_;
  line(fmt::format("{} = {};", made, second.text));
  --indent_;
  line("}");
  return {made};
}

// The right operand is evaluated only when it matters.
Text FunctionEmitter::both_or_either(const ir::BinaryNode* e) {
  bool both = e->kind == ExprKind::kAnd;
  Text a = emit(e->a);
  size_t before = text_.size();
  ++indent_;
  Text b = emit(e->b);
  --indent_;
  if (text_.size() == before)
    return both ? infix(a, "&&", b, kAnd, kEquality) : infix(a, "||", b, kOr, kEquality);
  std::string statements = text_.substr(before);
  text_.resize(before);
  std::string made = fresh("holds");
  line(fmt::format("bool {} = {};", made, a.text));
  line(fmt::format("if ({}{}) {{", both ? "" : "!", made));
  text_ += statements;
  ++indent_;
  line(fmt::format("{} = {};", made, b.text));
  --indent_;
  line("}");
  return {made};
}

Text FunctionEmitter::emit_let(const ir::LetNode* e) {
  Binding made;
  if (e->value->dtype().is_vector()) {
    made.inlined = e->value;
  } else {
    made.is_size = e->value->dtype().bits() >= 32 && is_size(e->value);
    made.nonnegative = nonnegative(e->value);
    Text value = emit_named(*e, [&] { return emit(e->value); });
    made.name = keep(value, e->value->dtype(), std::string(e->var->name), e->span);
  }
  bindings_[e->var.get()] = std::move(made);
  return emit(e->body);
}

// ---- lanes ----

Text FunctionEmitter::at_lane(const Expr& e, int lane) {
  std::string before = std::exchange(lane_, std::to_string(lane));
  int number = std::exchange(lane_number_, lane);
  Text made = emit(e);
  lane_ = std::move(before);
  lane_number_ = number;
  return made;
}

Text FunctionEmitter::emit_shuffle(const ir::ShuffleNode* e) {
  size_t which = 0;
  if (e->indices.size() > 1) {
    MLC_CHECK(lane_number_ >= 0, "a shuffle in a loop over lanes");
    which = static_cast<size_t>(lane_number_);
  }
  const Expr& index = e->indices[static_cast<int64_t>(which)];
  auto at = ir::const_int(index);
  if (!at || *at < 0) refuse("a shuffle with this index", index->span);
  int64_t rest = *at;
  for (const Expr& vector : e->vectors) {
    int lanes = vector->dtype().lanes();
    if (rest < lanes)
      return vector->dtype().is_scalar() ? emit(vector) : at_lane(vector, static_cast<int>(rest));
    rest -= lanes;
  }
  refuse("a shuffle with this index", index->span);
}

// ---- memory ----

std::string FunctionEmitter::index(const Expr& e) {
  bool before = std::exchange(in_index_, true);
  std::string text = emit(e).text;
  in_index_ = before;
  return text;
}

std::string FunctionEmitter::element(const Var& buffer, const ir::Array<Expr>& indices, int lanes,
                                     ir::Span span) {
  const Binding& memory = binding(buffer.get(), span);
  DataType stored = buffer->buffer()->dtype;
  Expr flat = backend::flat_index(buffer, indices);
  if (stored.is_scalar()) return fmt::format("{}[{}]", memory.name, index(flat));
  // Elements that are vectors are contiguous.
  if (flat->dtype().is_vector()) refuse("a vector index into a buffer whose elements are vectors", span);
  std::string name = memory.name;
  bool before = std::exchange(in_index_, true);
  Text at = emit(flat);
  in_index_ = before;
  return fmt::format("{}[{} * {} + {}]", name, at.at_least(kProduct), stored.lanes(), lane_);
}

Text FunctionEmitter::load(const ir::TensorLoadNode* e) {
  return {element(e->source, e->indices, e->dtype().lanes(), e->span)};
}

}  // namespace mlc::c_backend
