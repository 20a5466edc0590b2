// SPDX-License-Identifier: Apache-2.0
// The notation of rewrite rules, read anew for the tests: transform/arith/pattern.h says what it means.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "ir/core/error.h"
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
    must(next().empty());
    return all;
  }
  std::vector<Term> list() {
    std::vector<Term> all{disjunction()};
    while (take(",")) all.push_back(disjunction());
    must(next().empty());
    return all;
  }

 private:
  void must(bool good) const { MLC_CHECK(good, "rule `{}`: unexpected text at {}", text_, at_); }
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
      must(take(")"));
      return inner;
    }
    std::string word = next();
    must(isalnum(word[0]));
    at_ += word.size();
    Term result{word, {}};
    if (!take("(")) return result;
    do result.operands.push_back(disjunction());
    while (take(","));
    must(take(")"));
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
  throw ir::InternalError(__FILE__, __LINE__, "rule: no operator `" + op + "`");
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

// All tables of rules. Those of floats hold a part of what those of any type do.
using Table = std::span<const Rule> (*)();
inline constexpr Table kTables[] = {add_rules,
                             sub_rules,
                             mul_rules,
                             add_rules_of_any_type,
                             sub_rules_of_any_type,
                             min_rules_of_any_type,
                             max_rules_of_any_type,
                             floordiv_rules,
                             floormod_rules,
                             truncdiv_rules,
                             truncmod_rules,
                             min_rules,
                             max_rules,
                             eq_rules,
                             lt_rules,
                             not_rules,
                             and_rules,
                             or_rules,
                             select_rules,
                             sub_rules_of_floats};

}  // namespace
}  // namespace mlc::transform
