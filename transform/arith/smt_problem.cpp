// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/smt_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "ir/tir/op.h"
#include "transform/arith/expr_equal.h"

namespace mlc::transform {
namespace {

// `div` and `mod` of SMT-LIB are those of Euclid: the floor where the divisor is positive.
constexpr std::string_view kPrelude =
    R"((define-fun floordiv ((a Int) (b Int)) Int (ite (> b 0) (div a b) (div (- a) (- b))))
(define-fun floormod ((a Int) (b Int)) Int (- a (* b (floordiv a b))))
(define-fun truncdiv ((a Int) (b Int)) Int
  (ite (>= a 0) (ite (> b 0) (div a b) (- (div a (- b)))) (ite (> b 0) (- (div (- a) b)) (div (- a) (- b)))))
(define-fun truncmod ((a Int) (b Int)) Int (- a (* b (truncdiv a b))))
(define-fun least ((a Int) (b Int)) Int (ite (<= a b) a b))
(define-fun greatest ((a Int) (b Int)) Int (ite (>= a b) a b))
)";

constexpr int kDeepest = 200;
constexpr int64_t kMostResidues = 16;

// A number in a type that does not hold all of the type that it had.
std::string wrapped(std::string_view term, DataType dtype) {
  unsigned __int128 half = static_cast<unsigned __int128>(1) << (dtype.bits() - 1);
  if (dtype.is_uint()) return fmt::format("(mod {} {})", term, 2 * half);
  return fmt::format("(- (mod (+ {} {}) {}) {})", term, half, 2 * half, half);
}

// What a type holds.
std::string in_type(std::string_view term, DataType dtype) {
  unsigned __int128 half = static_cast<unsigned __int128>(1) << (dtype.bits() - 1);
  if (dtype.is_uint()) return fmt::format("(<= 0 {} {})", term, 2 * half - 1);
  return fmt::format("(<= (- {}) {} {})", half, term, half - 1);
}

bool holds_all_of(DataType to, DataType from) {
  if (from.is_bool() || to.is_uint() == from.is_uint()) return from.bits() <= to.bits();
  return from.is_uint() && from.bits() < to.bits();
}

// Sums and products of these are taken not to overflow, those of others wrap.
bool is_index(DataType dtype) { return dtype.is_int() && dtype.bits() >= 32; }

// Is it a symbol without bars?
bool is_name(std::string_view text) {
  constexpr std::string_view words[] = {"let",   "true", "false",  "div",    "mod",     "abs",
                                        "ite",   "and",  "or",     "not",    "xor",     "par",
                                        "match", "as",   "exists", "forall", "distinct"};
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) && std::ranges::find(words, text) == std::end(words) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// Is there a product of two that are no constants among the summands and factors?
bool has_product(const Expr& e) {
  auto* two = as_binary(e);
  if (two == nullptr) return false;
  if (e->kind == ExprKind::kMul && !const_int(two->a) && !const_int(two->b)) return true;
  bool inside = e->kind == ExprKind::kMul || e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub;
  return inside && (has_product(two->a) || has_product(two->b));
}

bool is_integer(DataType dtype) { return dtype.is_scalar() && (dtype.is_int() || dtype.is_uint()); }
bool has_sort(const Expr& e) {
  return is_integer(e->dtype()) || (e->dtype().is_scalar() && e->dtype().is_bool());
}

std::string number(int64_t value, bool of_bits) {
  if (of_bits) return fmt::format("{}", static_cast<uint64_t>(value));
  return value >= 0 ? fmt::format("{}", value) : fmt::format("(- {})", -static_cast<__int128>(value));
}

std::string_view function_of(ExprKind kind) {
  static constexpr std::pair<ExprKind, std::string_view> names[] = {
      {ExprKind::kAdd, "+"},        {ExprKind::kSub, "-"}, {ExprKind::kMul, "*"}, {ExprKind::kMin, "least"},
      {ExprKind::kMax, "greatest"}, {ExprKind::kEQ, "="},  {ExprKind::kLT, "<"},  {ExprKind::kLE, "<="},
      {ExprKind::kNE, "distinct"},  {ExprKind::kGT, ">"},  {ExprKind::kGE, ">="}, {ExprKind::kAnd, "and"},
      {ExprKind::kOr, "or"}};
  auto named = std::ranges::find(names, kind, &std::pair<ExprKind, std::string_view>::first);
  return named == std::end(names) ? "" : named->second;
}

}  // namespace

std::optional<std::string> SmtProblem::constant_for(const Expr& e, std::string_view name) {
  std::string text(name);
  std::ranges::replace_if(
      text, [](char c) { return c == '|' || c == '\\'; }, '_');
  if (int n = used_names_[text]++; n != 0) text += fmt::format(".{}", n);
  if (!is_name(text)) text = fmt::format("|{}|", text);
  declarations_.push_back(fmt::format("(declare-fun {} () {})", text, e->dtype().is_bool() ? "Bool" : "Int"));
  if (!e->dtype().is_bool()) types_.push_back(in_type(text, e->dtype()));
  constants_.push_back({e, text});
  return text;
}

std::optional<std::string> SmtProblem::term(const Expr& e) {
  if (!has_sort(e) || depth_ == kDeepest) return std::nullopt;
  ++depth_;
  std::optional<std::string> result;
  if (auto* value = as<IntImmNode>(e)) {
    result = e->dtype().is_bool() ? std::string(value->value != 0 ? "true" : "false")
                                  : number(value->value, e->dtype().is_uint());
  } else if (auto* var = as<VarNode>(e)) {
    std::string& name = names_[var];
    if (name.empty()) name = *constant_for(e, {var->name.data(), var->name.size()});
    result = name;
  } else if (auto* two = as_binary(e)) {
    result = binary(*two);
  } else if (auto* inverse = as<NotNode>(e)) {
    if (auto inner = term(inverse->a)) result = fmt::format("(not {})", *inner);
  } else if (auto* cast = as<CastNode>(e)) {
    DataType from = cast->value->dtype();
    if (auto inner = term(cast->value)) {
      if (from.is_bool() == e->dtype().is_bool()) {
        result = holds_all_of(e->dtype(), from) ? *inner : wrapped(*inner, e->dtype());
      } else {
        result =
            from.is_bool() ? fmt::format("(ite {} 1 0)", *inner) : fmt::format("(distinct {} 0)", *inner);
      }
    }
  } else if (auto* select = as<SelectNode>(e)) {
    result = choice(select->condition, select->true_value, select->false_value);
  } else if (auto* made = as<CallNode>(e)) {
    result = call(*made, e);
  } else if (auto* bound = as<LetNode>(e)) {
    result = let(*bound);
  }
  --depth_;
  if (result || as<LetNode>(e)) return result;
  // A value without a form: any there is, the same for the same expression while nothing is written.
  exact_ = false;
  if (side_effect(e) > Effect::kReadState) return constant_for(e, "call");
  auto same = std::ranges::find_if(constants_, [&](const Constant& one) { return same_expr(one.expr, e); });
  return same != constants_.end() ? same->name : constant_for(e, "value");
}

std::optional<std::string> SmtProblem::binary(const BinaryNode& two) {
  // Truth values have a sort of their own, without arithmetic and order.
  bool of_bools = two.kind == ExprKind::kAnd || two.kind == ExprKind::kOr || two.kind == ExprKind::kEQ ||
                  two.kind == ExprKind::kNE;
  if (two.a->dtype().is_bool() && !of_bools) return std::nullopt;
  if (two.kind == ExprKind::kFloorDiv || two.kind == ExprKind::kFloorMod || two.kind == ExprKind::kDiv ||
      two.kind == ExprKind::kMod)
    return division(two);
  if (two.kind == ExprKind::kLShift || two.kind == ExprKind::kRShift || two.kind == ExprKind::kBitwiseAnd)
    return of_bits(two);
  std::string_view function = function_of(two.kind);
  if (function.empty() || !has_sort(two.a) || !has_sort(two.b)) return std::nullopt;
  auto a = term(two.a), b = term(two.b);
  if (!a || !b) return std::nullopt;
  std::string result = fmt::format("({} {} {})", function, *a, *b);
  bool ring = two.kind == ExprKind::kAdd || two.kind == ExprKind::kSub || two.kind == ExprKind::kMul;
  return ring && !is_index(two.dtype()) ? wrapped(result, two.dtype()) : result;
}

std::optional<std::string> SmtProblem::division(const BinaryNode& two) {
  bool remainder = two.kind == ExprKind::kFloorMod || two.kind == ExprKind::kMod;
  bool floor = two.kind == ExprKind::kFloorDiv || two.kind == ExprKind::kFloorMod;
  auto a = term(two.a), b = term(two.b);
  if (!a || !b) return std::nullopt;
  auto divisor = const_int(two.b);
  if (floor && remainder && divisor && *divisor > 0 && *divisor <= kMostResidues &&
      is_index(two.a->dtype()) && has_product(two.a))
    return residue(two.a, *divisor);
  if (floor && divisor && *divisor > 0) return fmt::format("({} {} {})", remainder ? "mod" : "div", *a, *b);
  return fmt::format("({}{} {} {})", floor ? "floor" : "trunc", remainder ? "mod" : "div", *a, *b);
}

// e mod divisor, of the residues of its parts: a product of two has a case for each residue of the first,
// which keeps the problem linear.
std::optional<std::string> SmtProblem::residue(const Expr& e, int64_t divisor) {
  auto* two = as_binary(e);
  bool sum = two != nullptr && (e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub);
  bool product = two != nullptr && e->kind == ExprKind::kMul;
  if (!sum && !product) {
    auto whole = term(e);
    return whole ? std::optional(fmt::format("(mod {} {})", *whole, divisor)) : std::nullopt;
  }
  auto a = residue(two->a, divisor), b = residue(two->b, divisor);
  if (!a || !b) return std::nullopt;
  if (sum) return fmt::format("(mod ({} {} {}) {})", e->kind == ExprKind::kAdd ? "+" : "-", *a, *b, divisor);
  std::string cases = fmt::format("(* {} b)", divisor - 1);
  for (int64_t value = divisor - 2; value >= 0; --value)
    cases = fmt::format("(ite (= a {}) (* {} b) {})", value, value, cases);
  return fmt::format("(let ((a {}) (b {})) (mod {} {}))", *a, *b, cases, divisor);
}

std::optional<std::string> SmtProblem::choice(const Expr& condition, const Expr& a, const Expr& b) {
  auto test = term(condition), yes = term(a), no = term(b);
  if (!test || !yes || !no) return std::nullopt;
  return fmt::format("(ite {} {} {})", *test, *yes, *no);
}

std::optional<std::string> SmtProblem::call(const CallNode& call, const Expr& e) {
  if (as_call_to(e, "tirx.if_then_else")) return choice(call.args[0], call.args[1], call.args[2]);
  if (as_call_to(e, "tirx.likely")) return term(call.args[0]);
  return std::nullopt;
}

// Shifts by a number, and `x & 0b111`.
std::optional<std::string> SmtProblem::of_bits(const BinaryNode& two) {
  auto constant = const_int(two.b);
  if (!constant || *constant < 0) return std::nullopt;
  bool mask = two.kind == ExprKind::kBitwiseAnd;
  if (mask ? !std::has_single_bit(static_cast<uint64_t>(*constant) + 1) : *constant >= 62)
    return std::nullopt;
  auto a = term(two.a);
  if (!a) return std::nullopt;
  if (mask) return fmt::format("(mod {} {})", *a, static_cast<uint64_t>(*constant) + 1);
  bool left = two.kind == ExprKind::kLShift;
  std::string result = fmt::format("({} {} {})", left ? "*" : "div", *a, int64_t{1} << *constant);
  return left && !is_index(two.dtype()) ? wrapped(result, two.dtype()) : result;
}

std::optional<std::string> SmtProblem::let(const LetNode& let) {
  auto value = term(let.value);
  if (!value) return std::nullopt;
  std::string name = fmt::format("|{}|", "let." + std::to_string(names_.size()));
  names_[let.var.get()] = name;
  auto body = term(let.body);
  if (!body) return std::nullopt;
  return fmt::format("(let (({} {})) {})", name, *value, *body);
}

bool SmtProblem::say(const Expr& condition, bool holds) {
  if (!condition->dtype().is_bool()) return false;
  auto truth = term(condition);
  if (!truth) return false;
  say(holds ? *truth : fmt::format("(not {})", *truth));
  return true;
}

void SmtProblem::say(std::string term) {
  if (std::ranges::find(said_, term) == said_.end()) said_.push_back(std::move(term));
}

std::string SmtProblem::text(bool with_types) const {
  std::string text = "(set-info :status unknown)\n";
  auto uses = [&](const std::string& term) {
    for (std::string_view name : {"floor", "trunc", "least", "greatest"}) {
      if (term.find(fmt::format("({}", name)) != std::string::npos) return true;
    }
    return false;
  };
  if (std::ranges::any_of(said_, uses)) text += kPrelude;
  for (const std::string& line : declarations_) text += line + "\n";
  if (with_types) {
    for (const std::string& term : types_) text += fmt::format("(assert {})\n", term);
  }
  for (const std::string& term : said_) text += fmt::format("(assert {})\n", term);
  return text;
}

}  // namespace mlc::transform
