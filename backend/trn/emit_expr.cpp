// SPDX-License-Identifier: Apache-2.0
// Values: indices, numbers, conditions.
#include <cmath>

#include "backend/trn/emitter.h"
#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"

namespace mlc::trn_backend {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "unknown-opcode",
         .message = "an engine's operation is add, sub, mul, max, min, sqrt or exp, not {}"},
    }};
MLC_REFUSALS(trn_emit_expr, refusals);

using ir::as;
using ir::DataType;
using ir::ExprKind;

namespace {

constexpr std::pair<std::string_view, std::string_view> opcodes[] = {
    {"add", "add"},     {"sub", "subtract"}, {"mul", "multiply"}, {"max", "maximum"},
    {"min", "minimum"}, {"sqrt", "sqrt"},    {"exp", "exp"},
};

// With as many digits as it takes, and no fewer than six behind the point.
std::string float_text(DataType dtype, double number) {
  std::string text;
  for (int digits = 6; digits <= 16; ++digits) {
    text = fmt::format("{:.{}e}", number, digits);
    double read = std::stod(text);
    bool same = dtype.bits() >= 64 ? read == number : static_cast<float>(read) == static_cast<float>(number);
    if (dtype.bits() < 32 || same) break;
  }
  return text;
}

// The other comparison of a pair.
std::string_view opposite(ExprKind kind) {
  switch (kind) {
    case ExprKind::kEQ:
      return "!=";
    case ExprKind::kNE:
      return "==";
    case ExprKind::kLT:
      return ">=";
    case ExprKind::kLE:
      return ">";
    case ExprKind::kGT:
      return "<=";
    case ExprKind::kGE:
      return "<";
    default:
      return "";
  }
}

}  // namespace

std::string type_text(DataType dtype, ir::Span span) {
  if (!dtype.is_scalar()) refuse(fmt::format("the vector type `{}`", dtype.str()), span);
  int bits = dtype.bits();
  if (dtype.is_bool()) return "np.bool";
  if (dtype.is_bfloat16()) return "nl.bfloat16";
  bool is_known = dtype.is_float()
                      ? bits == 16 || bits == 32
                      : (dtype.is_int() || dtype.is_uint()) && bits >= 8 && (bits & (bits - 1)) == 0;
  if (!is_known) refuse(fmt::format("the type `{}`", dtype.str()), span);
  return "np." + dtype.str();
}

bool Emitter::is_tensor(const Expr& e) const { return !tensor_vars(e).empty(); }

// All steps of an operation's loop, along one axis of its tiles.
std::string Emitter::variable(const VarNode* var, ir::Span span) {
  auto known = vars_.find(var);
  if (known == vars_.end())
    refuse(fmt::format("the variable `{}`, which nothing defines", var->name.c_str()), span);
  auto loop = std::find_if(tensor_loops_.begin(), tensor_loops_.end(),
                           [&](const TensorLoop& one) { return one.var == var; });
  if (loop == tensor_loops_.end()) return known->second;
  size_t place = 0, axes = 2;
  if (!loop->dim.empty()) {
    place = loop->dim == "P" || (loop->dim == "lhs_F" && tile_ != Tile::kFactor) ? 0 : 1;
  } else {
    auto own = axes_.find(var);
    if (own == axes_.end()) {
      refuse(fmt::format("the loop `{}` of an operation outside of an index", var->name.c_str()), span,
             "say which dimension it is: annotations={\"nki_dim\": \"P\"}");
    }
    place = own->second;
    axes = axes_of_tile_;
  }
  std::string text = known->second + "[";
  for (size_t axis = 0; axis < axes; ++axis) text += axis == place ? ":, " : "None, ";
  return text + "]";
}

std::vector<const VarNode*> Emitter::tensor_vars(const Expr& e) const {
  std::vector<const VarNode*> found;
  ir::walk_with(e, [&](const Expr& part, ir::Walker& on) {
    auto* var = as<VarNode>(part);
    auto is_it = [&](const TensorLoop& loop) { return loop.var == var; };
    if (var && std::any_of(tensor_loops_.begin(), tensor_loops_.end(), is_it) &&
        std::find(found.begin(), found.end(), var) == found.end())
      found.push_back(var);
    on.walk_children(part);
  });
  return found;
}

// Loops that do not say their dimension are axes of the tile in the order of the indices.
std::string Emitter::load(const ir::TensorLoadNode& load) {
  auto known = buffers_.find(load.source.get());
  if (known == buffers_.end())
    refuse(fmt::format("the buffer `{}`, which nothing declares", load.source->name.c_str()), load.span);
  if (!known->second.why_not.empty()) refuse(known->second.why_not, load.span);
  size_t axes = 0, place = 0;
  for (const Expr& index : load.indices) axes += tensor_vars(index).size();
  std::vector<std::string> indices;
  for (const Expr& index : load.indices) {
    auto outside = std::exchange(axes_, {});
    auto count_outside = std::exchange(axes_of_tile_, axes);
    for (const VarNode* var : tensor_vars(index)) axes_[var] = place++;
    indices.push_back(value(index).text);
    axes_ = std::move(outside);
    axes_of_tile_ = count_outside;
  }
  return fmt::format("{}[{}]", known->second.text, fmt::join(indices, ", "));
}

std::string Emitter::element(const Expr& e) {
  auto* found = as<ir::TensorLoadNode>(e);
  if (!found) refuse("an operand that is no element of a buffer", e->span);
  return load(*found);
}

std::string Emitter::opcode(const Expr& e) {
  auto* text = as<ir::StringImmNode>(e);
  if (!text) throw ir::refuse(refusals["unknown-opcode"], "a value").at(e->span);
  for (const auto& [name, in_nki] : opcodes) {
    if (name == ir::view(text->value)) return fmt::format("nki.language.{}", in_nki);
  }
  throw ir::refuse(refusals["unknown-opcode"], fmt::format("`{}`", text->value.c_str())).at(e->span);
}

std::string Emitter::flag(const Expr& e) {
  auto known = ir::const_int(e);
  if (!known) refuse("a flag that is computed", e->span);
  return *known != 0 ? "True" : "False";
}

Text Emitter::value(const Expr& e) {
  if (e->dtype().is_vector()) refuse(fmt::format("a vector of type `{}`", e->dtype().str()), e->span);
  if (auto* n = as<VarNode>(e)) {
    if (n->buffer()) refuse("a buffer as a value", e->span);
    return {variable(n, e->span)};
  }
  if (auto* n = as<ir::IntImmNode>(e)) {
    if (e->dtype().is_bool()) return {n->value != 0 ? "True" : "False"};
    if (e->dtype().is_uint()) return {fmt::format("{}", static_cast<uint64_t>(n->value))};
    return {fmt::format("{}", n->value)};
  }
  if (auto* n = as<ir::FloatImmNode>(e)) {
    if (std::isnan(n->value)) refuse("NaN", e->span);
    if (std::isinf(n->value)) return {n->value < 0 ? "-math.inf" : "math.inf"};
    return {float_text(e->dtype(), n->value)};
  }
  if (auto* n = as<ir::TensorLoadNode>(e)) return {load(*n)};
  if (auto* n = as<ir::CastNode>(e)) return cast(*n);
  if (auto* n = as<ir::NotNode>(e)) return negated(n->a);
  if (auto* n = as<ir::LetNode>(e)) return value(ir::substitute(n->body, {{n->var.get(), n->value}}));
  if (auto* n = as<ir::BitwiseNotNode>(e)) return {fmt::format("(~{})", value(n->a).at_least(Level::kAtom))};
  if (auto* n = as<ir::SelectNode>(e)) {
    if (is_tensor(n->condition))
      refuse("a choice element by element", e->span, "write `T.nki.affine_select`");
    return {fmt::format("({} if {} else {})", value(n->true_value).text, value(n->condition).text,
                        value(n->false_value).text)};
  }
  if (auto* n = as<ir::CallNode>(e)) {
    auto* op = as<ir::OpNode>(n->op);
    refuse(op ? fmt::format("a call of `{}`", op->name.c_str()) : "a call of a function", e->span);
  }
  if (auto* n = ir::as_binary(e)) return binary(*n);
  refuse("a value of this kind", e->span);
}

Text Emitter::binary(const ir::BinaryNode& n) {
  auto wrapped = [&](const char* sign, Level least = Level::kProduct) {
    return Text{fmt::format("({} {} {})", value(n.a).at_least(least), sign, value(n.b).at_least(least))};
  };
  // Python reads products from left to right.
  auto product = [&](const char* sign) {
    return fmt::format("{} {} {}", value(n.a).at_least(Level::kProduct), sign,
                       value(n.b).at_least(Level::kAtom));
  };
  bool is_integral = n.a->dtype().is_integral();
  switch (n.kind) {
    case ExprKind::kAdd:
      return wrapped("+");
    case ExprKind::kSub:
      return wrapped("-");
    case ExprKind::kMul:
      return {"(" + product("*") + ")"};
    case ExprKind::kDiv:
      if (is_integral) refuse("a quotient that is rounded to zero", n.span, "write `//`");
      return {"(" + product("/") + ")"};
    case ExprKind::kMod:
      refuse("a remainder of a quotient that is rounded to zero", n.span, "write `%`");
    case ExprKind::kFloorDiv:
      return {product("//"), Level::kProduct};
    case ExprKind::kFloorMod:
      return {product("%"), Level::kProduct};
    case ExprKind::kMin:
    case ExprKind::kMax: {
      Expr whole = ir::ref(&n);
      if (is_tensor(whole))
        refuse("a minimum or maximum element by element", n.span, "write `T.nki.tensortensor`");
      return {fmt::format("{}({}, {})", n.kind == ExprKind::kMin ? "min" : "max", value(n.a).text,
                          value(n.b).text)};
    }
    case ExprKind::kEQ:
      return wrapped("==");
    case ExprKind::kNE:
      return wrapped("!=");
    case ExprKind::kLT:
      return wrapped("<");
    case ExprKind::kLE:
      return wrapped("<=");
    case ExprKind::kGT:
      return wrapped(">");
    case ExprKind::kGE:
      return wrapped(">=");
    case ExprKind::kLShift:
      return wrapped("<<");
    case ExprKind::kRShift:
      return wrapped(">>");
    case ExprKind::kBitwiseAnd:
      return wrapped("&");
    case ExprKind::kBitwiseOr:
      return wrapped("|");
    case ExprKind::kBitwiseXor:
      return wrapped("^");
    case ExprKind::kAnd:
      return {fmt::format("{} & {}", value(n.a).at_least(Level::kAnd), value(n.b).at_least(Level::kAnd)),
              Level::kAnd};
    case ExprKind::kOr:
      return {fmt::format("{} | {}", value(n.a).at_least(Level::kOr), value(n.b).at_least(Level::kOr)),
              Level::kOr};
    default:
      refuse("an operation on two values", n.span);
  }
}

// Python's `not` has no tiles: the other comparison, the other connective.
Text Emitter::negated(const Expr& condition) {
  if (auto* n = as<ir::NotNode>(condition)) return value(n->a);
  if (auto* n = ir::as_binary(condition)) {
    if (std::string_view sign = opposite(n->kind); !sign.empty()) {
      return {fmt::format("({} {} {})", value(n->a).at_least(Level::kProduct), sign,
                          value(n->b).at_least(Level::kProduct))};
    }
    if (n->kind == ExprKind::kAnd)
      return {fmt::format("{} | {}", negated(n->a).at_least(Level::kOr), negated(n->b).at_least(Level::kOr)),
              Level::kOr};
    if (n->kind == ExprKind::kOr)
      return {
          fmt::format("{} & {}", negated(n->a).at_least(Level::kAnd), negated(n->b).at_least(Level::kAnd)),
          Level::kAnd};
  }
  if (is_tensor(condition)) refuse("the opposite of a condition element by element", condition->span);
  return {fmt::format("(not {})", value(condition).at_least(Level::kAtom))};
}

// Numbers of Python have no width; engines compute in float32 and convert what they write.
Text Emitter::cast(const ir::CastNode& n) {
  DataType from = n.value->dtype(), to = n.dtype();
  bool narrows = to.is_bool()
                     ? !from.is_bool()
                     : to.is_integral() && (!from.is_integral() || to.bits() < std::min(from.bits(), 32));
  if (narrows) refuse(fmt::format("a value of type `{}` as `{}`", from.str(), to.str()), n.span);
  return value(n.value);
}

}  // namespace mlc::trn_backend
