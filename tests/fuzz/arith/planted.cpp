// SPDX-License-Identifier: Apache-2.0
// A check that has never reported anything may be unable to: each is tried with faults of the kinds that it
// is there for, in every run, before the first random expression.
#include "ir/core/error.h"
#include "ir/tir/arith_ops.h"
#include "tests/fuzz/arith/check.h"

namespace mlc::fuzz {

using ir::DataType;
using ir::Expr;
using ir::Var;
using transform::ConstIntBound;
using transform::IntervalSet;
using transform::ModularSet;
using transform::Ordering;

namespace {

void must_report(const std::string& report, std::string_view fault) {
  MLC_CHECK(!report.empty(), "{} is not noticed", fault);
}
void must_pass(const std::string& report) {
  MLC_CHECK(report.empty(), "what is right is reported: {}", report);
}

Expr number(int64_t value) { return ir::int_imm(DataType::Int(32), value); }

}  // namespace

void check_the_checks() {
  Var i = ir::make_var("i", DataType::Int(32)), n = ir::make_var("n", DataType::Int(32));
  std::vector<Leaf> leaves{{i, {}, true, true}, {n, {}}};
  std::vector<Point> points;
  for (int64_t value = 0; value < 8; ++value) {
    leaves[0].values.push_back(value);
    for (int64_t size : {-1, 1, 5}) points.push_back({{i.get(), value}, {n.get(), size}});
  }
  auto of = [&](const Expr& e, bool wraps = false) { return evaluated(e, Expr(), points, wraps); };
  Case four = of(Expr(i) * 4 + 3);  // 3, 7, ..., 31
  must_pass(wrong_bound(four, {3, 31}));
  must_report(wrong_bound(four, {4, 31}), "a lower bound that is one too much");
  must_report(wrong_bound(four, {3, 30}), "an upper bound that is one too little");
  must_pass(wrong_residue(four, {4, 3}));
  must_report(wrong_residue(four, {4, 2}), "a wrong residue");
  must_report(wrong_residue(four, {8, 3}), "a residue of too large a step");
  must_report(wrong_residue(four, {0, 3}), "a residue that is said to be a constant");

  auto set = [](const Expr& low, const Expr& high) {
    return ir::make<transform::IntervalSetNode>(low, high);
  };
  Case sum = of(Expr(i) + n);
  must_pass(wrong_set(sum, set(n, Expr(n) + 7), leaves));
  must_report(wrong_set(sum, set(n, Expr(n) + 6), leaves), "a set without its last number");
  must_report(wrong_set(sum, set(Expr(n) + 1, transform::pos_inf()), leaves),
              "a set without its first number");
  must_report(wrong_set(sum, transform::nothing(), leaves), "a set of nothing");
  must_report(wrong_set(of(Expr(i) * n), set(number(0), Expr(n) * 7), leaves),
              "a set that forgets that a factor is negative");

  must_pass(wrong_value(sum, Expr(n) + i, false));
  must_report(wrong_value(sum, Expr(n), false), "a sum that is a term short");
  must_report(wrong_value(of(ir::floordiv(i, number(4))), ir::floordiv(Expr(i) + 1, number(4)), false),
              "a quotient that differs at one value");
  must_report(wrong_value(of(ir::lt(i, number(7))), ir::bool_imm(true), false),
              "a comparison that holds but once");
  must_report(wrong_value(sum, ir::floordiv(Expr(i) + n, i) * i, false), "a result that divides by zero");
  must_report(
      wrong_value(sum,
                  Expr(n) + i +
                      ir::make<ir::IntImmNode>(DataType::Int(32), int64_t{1} << 32) *
                          ir::make<ir::IntImmNode>(DataType::Int(32), 0),
                  false) +
          wrong_value(sum,
                      ir::binary(ir::ExprKind::kAdd,
                                 ir::binary(ir::ExprKind::kMax, Expr(n),
                                            ir::make<ir::IntImmNode>(DataType::Int(32), -(int64_t{1} << 32))),
                                 i),
                      false),
      "a constant that its type has not");
  // Wrapping round, a sum that exceeds its type is negative.
  Leaf loaded{load("A", DataType::Int(32)), {}};
  std::vector<Point> ends{{{i.get(), INT32_MAX}, {n.get(), 1}, {loaded.key(), INT32_MAX}}};
  using ir::binary;
  using ir::ExprKind;
  Case less = evaluated(binary(ExprKind::kLT, loaded.e + n, number(0)), Expr(), ends, true);
  MLC_CHECK(less.values.size() == 1, "a value that wraps is left out");
  must_report(wrong_value(less, binary(ExprKind::kLT, loaded.e, binary(ExprKind::kSub, number(0), n)), true),
              "a term moved across a comparison");
  MLC_CHECK(evaluated(Expr(i) + n, Expr(), ends, false).values.empty(),
            "an index that overflows is not left out");

  Case one = of(Expr(i)), other = of(Expr(i) + 1);
  must_pass(wrong_ordering(one, other, Ordering::kLess));
  for (Ordering order : {Ordering::kEqual, Ordering::kGreater, Ordering::kGreaterEqual})
    must_report(wrong_ordering(one, other, order), "a wrong order");
  must_report(wrong_ordering(one, one, Ordering::kNotEqual), "a difference that is none");
  must_report(wrong_ordering(of(ir::min(i, number(6))), one, Ordering::kEqual),
              "an equation that once does not hold");
  must_report(wrong_proof(of(ir::ne(i, number(7))), true), "a proof of what once does not hold");
  must_pass(wrong_proof(of(ir::ge(i, number(0))), true));

  Expr f = call(DataType::Int(32), 1), g = call(DataType::Int(32), 2), read = loaded.e;
  auto calls = [&](const Expr& e, const Expr& simple) { return wrong_calls(e, simple, ends, true); };
  must_pass(calls(f * 2 + 3, binary(ExprKind::kAdd, f * 2, number(3))));
  must_report(calls(binary(ExprKind::kSub, f, f), number(0)), "calls that are dropped");
  must_report(calls(f * 2, binary(ExprKind::kAdd, f, f)), "a call that is made twice");
  must_report(calls(binary(ExprKind::kMax, f, g), binary(ExprKind::kMax, g, f)), "calls in another order");
  must_report(calls(binary(ExprKind::kMax, read, f), binary(ExprKind::kMax, f, read)),
              "a read behind a call");

  using ir::Array;
  Var a = ir::make_var("a", DataType::Int(32)), b = ir::make_var("b", DataType::Int(32));
  Expr four_i = number(4);
  Array<Expr> digits{ir::floordiv(i, four_i), ir::floormod(i, four_i)};
  std::vector<Point> line;
  for (int64_t value = 0; value < 8; ++value) line.push_back({{i.get(), value}});
  must_pass(wrong_map({Expr(i)}, {digits[0] * 4 + digits[1]}, line));
  must_report(wrong_map({Expr(i)}, {digits[0] * 4}, line), "a map that forgets a digit");
  must_pass(wrong_count(digits, line, 8, true));
  must_report(wrong_count(digits, line, 9, false), "a map that does not take all that it says");
  must_report(wrong_count({digits[1]}, line, 4, true), "a map that takes a value twice");
  must_pass(wrong_inverse(digits, {a, b}, {Expr(a) * 4 + b}, {Expr(i)}, line));
  must_report(wrong_inverse(digits, {a, b}, {Expr(a) * 3 + b}, {Expr(i)}, line),
              "an inverse that leads elsewhere");
}

}  // namespace mlc::fuzz
