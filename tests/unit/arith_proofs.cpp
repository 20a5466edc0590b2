// SPDX-License-Identifier: Apache-2.0
// Every rule of the simplifier proved by z3 from the text of its row alone: over the unbounded integers,
// since index arithmetic is taken not to overflow, and in bits where a rule may see values, which wrap. What
// quotients of unknowns make too hard is proved for all names at each of many choices of the constants, and
// counted.
#include <fmt/format.h>
#include <z3.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/arith_notation.h"

namespace mlc::transform {
namespace {

constexpr int kBits =
    5;  // of a value that wraps: what holds for so few holds for more, but is quick to prove
constexpr int kWide = 14;  // what constants are computed in
enum class Numbers : uint8_t { kIntegers, kSigned, kUnsigned };

bool is_constant_name(const std::string& op) { return op.size() == 2 && op[0] == 'c'; }
// Of constants alone, which the simplifier computes when it applies the rule?
bool is_constant(const Term& term) {
  if (term.operands.empty()) return isdigit(term.op[0]) || is_constant_name(term.op);
  return std::all_of(term.operands.begin(), term.operands.end(), is_constant);
}
bool has_operator(const Term& term, const std::set<std::string>& operators) {
  return operators.contains(term.op) ||
         std::any_of(term.operands.begin(), term.operands.end(),
                     [&](const Term& each) { return has_operator(each, operators); });
}

// What z3 says of a problem: "unsat", "sat" or "unknown".
std::string answer(const std::string& problem) {
  // A context of its own: what z3 was asked before would change how far it comes.
  Z3_config config = Z3_mk_config();
  Z3_context context = Z3_mk_context(config);
  Z3_del_config(config);
  Z3_set_error_handler(context, [](Z3_context, Z3_error_code) {});
  std::string said = Z3_eval_smtlib2_string(context, problem.c_str());
  Z3_del_context(context);
  INFO(problem << said);
  REQUIRE((said == "unsat\n" || said == "sat\n" || said == "unknown\n"));
  return said.substr(0, said.size() - 1);
}

// A rule as a problem that has no solution where the rule holds.
//
// Integers become real numbers of which it is said, wherever two of them are compared, that they are equal or
// at least 1 apart: z3 decides polynomials of reals, not of integers, and no rule needs to know more of
// integers than this. a // b and a % b are any q and r with a = b * q + r and the right r.
class Problem {
 public:
  explicit Problem(const Rule& rule, Numbers numbers, Values constants = {}, bool hints = false)
      : integers_(numbers == Numbers::kIntegers),
        is_signed_(numbers != Numbers::kUnsigned),
        constants_(std::move(constants)) {
    Term left = Reader(rule.pattern).term(), right = Reader(rule.result).term();
    std::set<std::string> names, truths;
    collect(left, false, names, truths);
    collect(right, false, names, truths);
    bool lanes = has_operator(left, {"ramp"});
    if (lanes) names.insert({"lane", "l"});
    for (const std::string& name : names) {
      if (constants_.contains(name)) continue;
      std::string sort = integers_ ? integer_sort() : fmt::format("(_ BitVec {})", kBits);
      said_ += fmt::format("(declare-const {} {})\n", name, truths.contains(name) ? "Bool" : sort);
      if (!truths.contains(name)) numbers_.push_back(name);
    }
    if (lanes) say(fmt::format("(and {} {})", compared("<=", number(0), "lane"), compared("<", "lane", "l")));
    if (rule.condition) {
      for (const Term& one : Reader(rule.condition).list()) {
        bool constant = is_constant(one.operands[0]) && is_constant(one.operands[1]);
        if (constant && !constants_.empty()) continue;  // they were chosen so
        wide_ = !integers_ && constant;
        std::string term = of(one);
        wide_ = false;
        say(term);
      }
    }
    std::string before = of(left);
    say(no_division_by_zero());
    in_result_ = true;
    std::string after = of(right);
    bool truth = is_truth(left, truths);
    if (!truth) apart(before, after);
    if (hints) say_hints();
    say(fmt::format("(not (and {} (= {} {})))", no_division_by_zero(), before, after));
  }

  std::string text() const {
    // z3's own steps, which are as far on any machine.
    return fmt::format("(set-option :rlimit 600000)\n{}{}\n", said_,
                       integers_ && constants_.empty() ? "(check-sat-using qfnra-nlsat)" : "(check-sat)");
  }

 private:
  static bool is_truth(const Term& term, const std::set<std::string>& truths) {
    static const std::set<std::string> logic{"not", "and", "or", "<", "==", "!="};
    if (term.op == "broadcast" || term.op == "select")
      return is_truth(term.operands[term.op == "select"], truths);
    return logic.contains(term.op) || truths.contains(term.op);
  }
  // With its constants chosen, a rule is linear.
  std::string integer_sort() const { return constants_.empty() ? "Real" : "Int"; }
  void say(const std::string& term) { said_ += fmt::format("(assert {})\n", term); }

  // Of the divisors met since the last call.
  std::string no_division_by_zero() {
    std::string all = "true";
    for (const auto& [divisor, zero] : divisors_) all += fmt::format(" (not (= {} {}))", divisor, zero);
    divisors_.clear();
    return fmt::format("(and {})", all);
  }
  void apart(const std::string& a, const std::string& b) {
    if (integers_) say(fmt::format("(or (= {0} {1}) (<= {0} (- {1} 1)) (>= {0} (+ {1} 1)))", a, b));
  }

  std::string number(int64_t value) const {
    if (integers_) return value < 0 ? fmt::format("(- {})", -value) : fmt::format("{}", value);
    int bits = wide_ ? kWide : kBits;
    int64_t half = int64_t{1} << (bits - 1);  // -2147483648 is the least number there is
    return fmt::format("(_ bv{} {})", std::clamp(value, -half, 2 * half - 1) & (2 * half - 1), bits);
  }
  std::string widened(const std::string& term) const {
    return fmt::format("((_ {} {}) {})", is_signed_ ? "sign_extend" : "zero_extend", kWide - kBits, term);
  }

  std::string of(const Term& term) {
    const std::string& op = term.op;
    if (term.operands.empty()) {
      if (op == "true" || op == "false") return op;
      if (isdigit(op[0])) return number(std::stoll(op));
      if (auto found = constants_.find(op); found != constants_.end()) return number(found->second);
      return wide_ ? widened(op) : op;
    }
    if (!constants_.empty() && is_constant(term)) {
      if (Value value = evaluate(term, constants_)) return number(*value);
    }
    if (in_result_ && !integers_ && !wide_ && is_constant(term)) {
      // A rule whose constants do not fit into their type is not applied.
      wide_ = true;
      std::string exact = of(term);
      wide_ = false;
      std::string narrow = fmt::format("((_ extract {} 0) {})", kBits - 1, exact);
      say(fmt::format("(= {} {})", exact, widened(narrow)));
      return narrow;
    }
    if (op == "broadcast") return of(term.operands[0]);
    std::string a = of(term.operands[0]);
    if (op == "not") return fmt::format("(not {})", a);
    std::string b = of(term.operands[1]);
    if (op == "ramp") return arithmetic("+", a, arithmetic("*", b, "lane"));
    if (op == "select") return fmt::format("(ite {} {} {})", a, b, of(term.operands[2]));
    if (op == "min") return fmt::format("(ite {} {} {})", compared("<=", a, b), a, b);
    if (op == "max") return fmt::format("(ite {} {} {})", compared("<=", a, b), b, a);
    if (op == "and" || op == "or") return fmt::format("({} {} {})", op, a, b);
    if (op == "//" || op == "%" || op == "tdiv" || op == "tmod") {
      divisors_.emplace_back(b, number(0));
      bool floor = op == "//" || op == "%", quotient = op == "//" || op == "tdiv";
      return integers_ ? division(floor, quotient, a, b) : division_of_bits(floor, quotient, a, b);
    }
    if (op == "+" || op == "-" || op == "*") return arithmetic(op, a, b);
    return compared(op, a, b);
  }

  std::string arithmetic(const std::string& op, const std::string& a, const std::string& b) const {
    if (integers_) return fmt::format("({} {} {})", op, a, b);
    return fmt::format("({} {} {})", op == "+" ? "bvadd" : op == "-" ? "bvsub" : "bvmul", a, b);
  }
  std::string compared(const std::string& op, const std::string& a, const std::string& b) {
    apart(a, b);
    if (op == "==") return fmt::format("(= {} {})", a, b);
    if (op == "!=") return fmt::format("(not (= {} {}))", a, b);
    if (integers_) return fmt::format("({} {} {})", op, a, b);
    return fmt::format("(bv{}{}{} {} {})", is_signed_ || wide_ ? 's' : 'u', op[0] == '<' ? 'l' : 'g',
                       op.size() == 2 ? 'e' : 't', a, b);
  }

  std::string division(bool floor, bool quotient, const std::string& a, const std::string& b) {
    auto [found, fresh] = quotients_.try_emplace({floor, a, b}, quotients_.size());
    std::string q = fmt::format("q{}", found->second), r = fmt::format("r{}", found->second);
    if (!fresh) return quotient ? q : r;
    said_ += fmt::format("(declare-const {0} {2})\n(declare-const {1} {2})\n", q, r, integer_sort());
    static constexpr const char* kFloored =
        "(=> (> {1} 0) (<= 0 {0} (- {1} 1))) (=> (< {1} 0) (<= (+ {1} 1) {0} 0))";
    static constexpr const char* kTruncated =
        "(=> (> {1} 0) (<= (- 1 {1}) {0} (- {1} 1))) (=> (< {1} 0) (<= (+ {1} 1) {0} (- (- {1}) 1))) "
        "(=> (>= {2} 0) (>= {0} 0)) (=> (<= {2} 0) (<= {0} 0))";
    std::string size = fmt::format(fmt::runtime(floor ? kFloored : kTruncated), r, b, a);
    say(fmt::format("(=> (not (= {1} 0)) (and (= {0} (+ (* {1} {2}) {3})) {4}))", a, b, q, r, size));
    apart(b, "0");
    apart(a, "0");
    apart(q, "0");
    apart(r, "0");
    for (const auto& [other, divisor] : divided_by_) {
      if (divisor == b) apart(q, other);
    }
    divided_by_.emplace_back(q, b);
    return quotient ? q : r;
  }
  // Quotients and their differences are apart from the names, from other quotients, and from products of
  // both.
  void say_hints() {
    std::vector<std::string> others = numbers_;
    for (const auto& [q, divisor] : divided_by_) {
      others.push_back(q);
      for (const std::string& name : numbers_) others.push_back(fmt::format("(* {} {})", name, q));
    }
    for (size_t i = 0; i < divided_by_.size(); ++i) {
      const auto& [q, divisor] = divided_by_[i];
      for (const std::string& other : others) {
        apart(q, other);
        for (size_t j = 0; j < i; ++j) {
          if (divided_by_[j].second == divisor) {
            apart(fmt::format("(- {} {})", q, divided_by_[j].first), other);
            apart(fmt::format("(- {} {})", divided_by_[j].first, q), other);
          }
        }
      }
    }
  }

  std::string division_of_bits(bool floor, bool quotient, const std::string& a, const std::string& b) {
    if (!is_signed_ && !wide_) return fmt::format("({} {} {})", quotient ? "bvudiv" : "bvurem", a, b);
    // The least number by -1 is no number of the type.
    int64_t least = -(int64_t{1} << ((wide_ ? kWide : kBits) - 1));
    say(fmt::format("(not (and (= {} {}) (= {} {})))", a, number(least), b, number(-1)));
    if (!quotient) return fmt::format("({} {} {})", floor ? "bvsmod" : "bvsrem", a, b);
    if (!floor) return fmt::format("(bvsdiv {} {})", a, b);
    // Rounded to zero, and one less where a remainder is left and the signs differ.
    return fmt::format("(bvsub (bvsdiv {0} {1}) (ite (= (bvsrem {0} {1}) (bvsmod {0} {1})) {2} {3}))", a, b,
                       number(0), number(1));
  }

  bool integers_, is_signed_;
  Values constants_;
  std::string said_;
  std::vector<std::string> numbers_;                                        // names of them
  std::map<std::tuple<bool, std::string, std::string>, size_t> quotients_;  // by rounding, dividend, divisor
  std::vector<std::pair<std::string, std::string>> divided_by_;             // quotient, divisor
  std::vector<std::pair<std::string, std::string>> divisors_;               // and the zero that they are not
  bool wide_ = false, in_result_ = false;
};

enum class Proof : uint8_t { kFails, kForAll, kByConstants };

// The rule for all integers, or for all at each of many choices of its constants.
Proof proof_of(const Rule& rule) {
  for (bool hints : {false, true}) {
    if (answer(Problem(rule, Numbers::kIntegers, {}, hints).text()) == "unsat") return Proof::kForAll;
  }
  Term left = Reader(rule.pattern).term();
  std::set<std::string> names, truths;
  collect(left, false, names, truths);
  std::vector<std::string> constants;
  for (const std::string& name : names) {
    if (is_constant_name(name)) constants.push_back(name);
  }
  std::vector<Term> conditions;
  if (rule.condition) conditions = Reader(rule.condition).list();
  static constexpr int64_t values[] = {-8, -3, -2, -1, 1, 2, 3, 4, 6, 0, 8};
  std::vector<Values> choices{{}};
  for (const std::string& name : constants) {
    std::vector<Values> more;
    for (int64_t value : values) {
      for (Values& choice : choices) {
        choice[name] = value;
        more.push_back(choice);
      }
    }
    choices = std::move(more);
  }
  std::erase_if(choices, [&](const Values& choice) {
    return !std::all_of(conditions.begin(), conditions.end(), [&](const Term& one) {
      bool constant = is_constant(one.operands[0]) && is_constant(one.operands[1]);
      return !constant || evaluate(one, choice).value_or(0) != 0;
    });
  });
  if (choices.size() < 4) return Proof::kFails;
  constexpr size_t kMost = 24;
  for (size_t i = 0; i < choices.size(); i += choices.size() / kMost + 1) {
    if (answer(Problem(rule, Numbers::kIntegers, choices[i]).text()) != "unsat") return Proof::kFails;
  }
  return Proof::kByConstants;
}

// Does z3 prove that the rule holds for all numbers of some bits, with a sign or without one?
bool holds_in_bits(const Rule& rule, bool with_sign) {
  return answer(Problem(rule, with_sign ? Numbers::kSigned : Numbers::kUnsigned).text()) == "unsat";
}

std::string text_of(const Rule& rule) {
  return fmt::format("{} => {}{}{}\n", rule.pattern, rule.result, rule.condition ? " if " : "",
                     rule.condition ? rule.condition : "");
}

}  // namespace

TEST_CASE("z3 proves every rule for all integers", "[arith][proof]") {
  std::string without;
  size_t for_all = 0, by_constants = 0;
  for (Table table : kTables) {
    for (const Rule& rule : table()) {
      Proof proof = proof_of(rule);
      for_all += proof == Proof::kForAll;
      by_constants += proof == Proof::kByConstants;
      if (proof == Proof::kFails) without += text_of(rule);
    }
  }
  CHECK(without == "");
  CHECK(for_all > 480);
  CHECK(by_constants < 15);
}

// The simplifier shows sums and products of loaded values to the rules as names (simplify_value.h), but what
// rules make of comparisons, quotients and extremes applies to them; the rows for any type see sums that
// wrap, too.
TEST_CASE("z3 proves the rules that see values where these wrap", "[arith][proof]") {
  std::string without;
  size_t count = 0;
  for (Table table : kTables) {
    auto among = [&](std::initializer_list<Table> tables) {
      return std::find(tables.begin(), tables.end(), table) != tables.end();
    };
    bool any_type =
        among({add_rules_of_any_type, sub_rules_of_any_type, min_rules_of_any_type, max_rules_of_any_type});
    bool logic = among({not_rules, and_rules, or_rules, select_rules});
    for (const Rule& rule : table()) {
      if (!any_type && has_operator(Reader(rule.pattern).term(), {"+", "-", "*", "ramp"})) continue;
      ++count;
      if (!holds_in_bits(rule, true)) without += text_of(rule);
      if ((any_type || logic) && !holds_in_bits(rule, false)) without += "unsigned: " + text_of(rule);
    }
  }
  CHECK(without == "");
  CHECK(count > 150);
}

TEST_CASE("wrong rules have no proof", "[arith][proof]") {
  const Rule of_integers[] = {
      {"x * c2 < c1", "x < c1 // c2", "c2 > 0"},                                 // one too few
      {"x // c1 < c2", "x < c1 * c2 + 1", "c1 > 0"},                             // one too many
      {"(x * c1 + y) // c2", "x * (c1 // c2)", "c2 > 0, c1 % c2 == 0, y >= 0"},  // a term short
      {"(x * c1 + y) % c2", "y % c2", "c2 > 0"},                                 // a condition short
      {"tdiv(x + c1, c2)", "tdiv(x, c2) + tdiv(c1, c2)", "c2 > 0, c1 % c2 == 0"},
      {"(x * y) // y * x", "y * x"},
      {"x", "x // c1 * c1 + x % c1"},  // c1 may be 0
      {"min(x, y) + max(x, z)", "x + y"},
      {"x < c1 and x % c2 < c3", "x < c1 - c2 + c3 and x % c2 < c3", "c2 > 0, c3 > 0, c3 < c2"},
      {"ramp(x, y, l) + broadcast(z, l)", "ramp(x + z, y + z, l)"},
      {"select(x, y, z)", "select(x, z, y)"},
  };
  for (const Rule& rule : of_integers) {
    INFO(text_of(rule));
    CHECK(proof_of(rule) == Proof::kFails);
  }
  const Rule of_values[] = {{"x < y + c1", "x - c1 < y"},
                            {"x - y < 0", "x < y"},
                            {"(x * c1) // c1", "x", "c1 > 0"},
                            {"x * c1 == y * c1", "x == y", "c1 > 0"}};
  for (const Rule& rule : of_values) {
    INFO(text_of(rule));
    CHECK(proof_of(rule) != Proof::kFails);
    CHECK_FALSE(holds_in_bits(rule, true));
  }
}

}  // namespace mlc::transform
