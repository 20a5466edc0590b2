// SPDX-License-Identifier: Apache-2.0
// Every rule of the simplifier against evaluation: both sides have one value for random names and constants
// that meet its condition. The notation is read here anew (transform/arith/pattern.h says what it means);
// rules of vectors are looked at in one lane.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "transform/arith/rules.h"

namespace mlc::transform {
namespace {

using Values = std::map<std::string, int64_t, std::less<>>;
using Value = std::optional<int64_t>;  // nothing where a divisor is zero

struct Term {
  std::string op;  // a name or number where there are no operands
  std::vector<Term> operands;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  Term term() {
    Term all = disjunction();
    INFO(text_);
    REQUIRE(next().empty());
    return all;
  }
  std::vector<Term> list() {
    std::vector<Term> all{disjunction()};
    while (take(",")) all.push_back(disjunction());
    INFO(text_);
    REQUIRE(next().empty());
    return all;
  }

 private:
  std::string next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    size_t end = at_;
    while (end < text_.size() && isalnum(text_[end])) ++end;
    if (end > at_) return std::string(text_.substr(at_, end - at_));
    for (std::string_view two : {"//", "==", "!=", "<=", ">="})
      if (text_.substr(at_).starts_with(two)) return std::string(two);
    return std::string(text_.substr(at_, 1));
  }
  bool take(std::string_view token) {
    if (next() != token) return false;
    at_ += token.size();
    return true;
  }
  Term chain(Term (Reader::*part)(), std::initializer_list<std::string_view> operators) {
    Term left = (this->*part)();
    for (bool more = true; more;) {
      more = false;
      for (std::string_view op : operators) {
        if (!take(op)) continue;
        left = {std::string(op), {left, (this->*part)()}};
        more = true;
        break;
      }
    }
    return left;
  }
  Term disjunction() { return chain(&Reader::conjunction, {"or"}); }
  Term conjunction() { return chain(&Reader::negation, {"and"}); }
  Term negation() {
    if (take("not")) return {"not", {negation()}};
    return chain(&Reader::sum, {"==", "!=", "<=", ">=", "<", ">"});
  }
  Term sum() { return chain(&Reader::product, {"+", "-"}); }
  Term product() { return chain(&Reader::unary, {"//", "*", "%"}); }
  Term unary() {
    if (take("-")) return {"-", {{"0", {}}, unary()}};
    if (take("(")) {
      Term inner = disjunction();
      REQUIRE(take(")"));
      return inner;
    }
    std::string word = next();
    INFO(text_ << " at " << at_);
    REQUIRE(isalnum(word[0]));
    at_ += word.size();
    Term result{word, {}};
    if (!take("(")) return result;
    do result.operands.push_back(disjunction());
    while (take(","));
    REQUIRE(take(")"));
    return result;
  }

  std::string_view text_;
  size_t at_ = 0;
};

int64_t floor_div(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

Value evaluate(const Term& term, const Values& values) {
  const std::string& op = term.op;
  if (term.operands.empty()) {
    if (op == "true" || op == "false") return op == "true";
    return isdigit(op[0]) ? std::stoll(op) : values.at(op);
  }
  std::vector<int64_t> v;
  for (const Term& operand : term.operands) {
    Value value = evaluate(operand, values);
    if (!value) return std::nullopt;
    v.push_back(*value);
  }
  if (op == "broadcast") return v[0];
  if (op == "ramp") return v[0] + v[1] * values.at("lane");
  if (op == "select") return v[0] ? v[1] : v[2];
  if (op == "not") return !v[0];
  if (op == "+") return v[0] + v[1];
  if (op == "-") return v[0] - v[1];
  if (op == "*") return v[0] * v[1];
  if (op == "min") return std::min(v[0], v[1]);
  if (op == "max") return std::max(v[0], v[1]);
  if (op == "==") return v[0] == v[1];
  if (op == "!=") return v[0] != v[1];
  if (op == "<=") return v[0] <= v[1];
  if (op == ">=") return v[0] >= v[1];
  if (op == "<") return v[0] < v[1];
  if (op == ">") return v[0] > v[1];
  if (op == "and") return v[0] && v[1];
  if (op == "or") return v[0] || v[1];
  if (v[1] == 0) return std::nullopt;
  if (op == "//") return floor_div(v[0], v[1]);
  if (op == "%") return v[0] - floor_div(v[0], v[1]) * v[1];
  if (op == "tdiv") return v[0] / v[1];
  if (op == "tmod") return v[0] % v[1];
  FAIL("operator without a meaning here: " << op);
  return 0;
}

// Names, and which of them stand for truth.
void collect(const Term& term, bool truth, std::set<std::string>& names, std::set<std::string>& truths) {
  if (term.operands.empty()) {
    if (isdigit(term.op[0]) || term.op == "true" || term.op == "false") return;
    names.insert(term.op);
    if (truth) truths.insert(term.op);
    return;
  }
  bool logic = term.op == "and" || term.op == "or" || term.op == "not";
  // Lanes of a vector are what the vector is.
  bool through = truth && term.op == "broadcast";
  for (size_t i = 0; i < term.operands.size(); ++i)
    collect(term.operands[i], logic || (term.op == "select" && i == 0) || (through && i == 0), names, truths);
}

constexpr int64_t kLanes = 4;
constexpr int kSamples = 200;  // of names and constants that a rule is looked at with
constexpr int kEnough = 5;     // where few meet its condition
constexpr int kTries = 400'000;

int64_t random_value(std::mt19937& random, bool constant) {
  static const int64_t powers[] = {1, 2, 4, 8, 16, 3, 6, 12};
  int64_t small = static_cast<int64_t>(random() % 13) - 6;
  switch (random() % 4) {
    case 0:
      return powers[random() % std::size(powers)];
    case 1:
      return constant ? small : static_cast<int64_t>(random() % 101) - 50;
    default:
      return small;
  }
}

// Empty, or with which values the sides differ.
std::string complaint(const Rule& rule, std::mt19937& random) {
  Term left = Reader(rule.pattern).term(), right = Reader(rule.result).term();
  std::vector<Term> conditions;
  if (rule.condition) conditions = Reader(rule.condition).list();
  std::set<std::string> names, truths;
  collect(left, false, names, truths);
  collect(right, false, names, truths);
  int samples = 0;
  for (int tries = 0; tries < kTries && samples < kSamples; ++tries) {
    Values values{{"lane", static_cast<int64_t>(random() % kLanes)}};
    for (const std::string& name : names) {
      bool constant = name.size() == 2 && name[0] == 'c';
      values[name] = name == "l"             ? kLanes
                     : truths.contains(name) ? random() % 2
                                             : random_value(random, constant);
    }
    bool holds = std::all_of(conditions.begin(), conditions.end(),
                             [&](const Term& one) { return evaluate(one, values).value_or(0) != 0; });
    if (!holds) continue;
    Value before = evaluate(left, values);
    if (!before) continue;
    ++samples;
    if (evaluate(right, values) == before) continue;
    std::string text;
    for (const auto& [name, value] : values) text += " " + name + " = " + std::to_string(value);
    return text;
  }
  return samples >= kEnough ? "" : " is met by too few values: " + std::to_string(samples);
}

}  // namespace

TEST_CASE("both sides of every rule have one value", "[arith]") {
  std::mt19937 random(3);
  std::string complaints;
  size_t count = 0;
  for (auto table :
       {add_rules, sub_rules, mul_rules, add_rules_of_any_type, sub_rules_of_any_type, min_rules_of_any_type,
        max_rules_of_any_type, floordiv_rules, floormod_rules, truncdiv_rules, truncmod_rules, min_rules,
        max_rules, eq_rules, lt_rules, not_rules, and_rules, or_rules, select_rules}) {
    for (const Rule& rule : table()) {
      ++count;
      if (std::string found = complaint(rule, random); !found.empty())
        complaints += std::string(rule.pattern) + " => " + rule.result + ":" + found + "\n";
    }
  }
  CHECK(complaints == "");
  CHECK(count > 400);
}

}  // namespace mlc::transform
