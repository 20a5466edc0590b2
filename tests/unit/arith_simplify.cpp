// SPDX-License-Identifier: Apache-2.0
// The simplifier against evaluation: random expressions keep their value on the whole domain.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "transform/arith/analyzer.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/iter_map.h"
#include "transform/arith/split_sum_form.h"

namespace mlc::transform {
namespace {

using Values = std::unordered_map<const VarNode*, int64_t>;

int64_t floor_div(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

int64_t evaluate(const Expr& e, const Values& values) {
  if (auto constant = const_int(e)) return *constant;
  if (auto* var = as<VarNode>(e)) return values.at(var);
  if (auto* inverse = as<NotNode>(e)) return !evaluate(inverse->a, values);
  auto* two = as_binary(e);
  REQUIRE(two);
  int64_t a = evaluate(two->a, values), b = evaluate(two->b, values);
  switch (e->kind) {
    case ExprKind::kAdd:
      return a + b;
    case ExprKind::kSub:
      return a - b;
    case ExprKind::kMul:
      return a * b;
    case ExprKind::kFloorDiv:
      return floor_div(a, b);
    case ExprKind::kFloorMod:
      return a - floor_div(a, b) * b;
    case ExprKind::kDiv:
      return a / b;
    case ExprKind::kMod:
      return a % b;
    case ExprKind::kMin:
      return std::min(a, b);
    case ExprKind::kMax:
      return std::max(a, b);
    case ExprKind::kEQ:
      return a == b;
    case ExprKind::kNE:
      return a != b;
    case ExprKind::kLT:
      return a < b;
    case ExprKind::kLE:
      return a <= b;
    case ExprKind::kGT:
      return a > b;
    case ExprKind::kGE:
      return a >= b;
    case ExprKind::kAnd:
      return a && b;
    case ExprKind::kOr:
      return a || b;
    default:
      FAIL("operator without a meaning here");
      return 0;
  }
}

// Expressions over a few variables, divisions by positive constants only.
class Generator {
 public:
  Generator(uint32_t seed, std::vector<Var> vars) : random_(seed), vars_(std::move(vars)) {}

  Expr integer(int depth) {
    if (depth == 0 || pick(7) == 0) {
      return pick(4) ? Expr(vars_[pick(vars_.size())]) : Expr(int32(static_cast<int64_t>(pick(20)) - 4));
    }
    switch (pick(9)) {
      case 0:
      case 1:
        return binary(ExprKind::kAdd, integer(depth - 1), integer(depth - 1));
      case 2:
        return binary(ExprKind::kSub, integer(depth - 1), integer(depth - 1));
      case 3:
        return binary(ExprKind::kMul, integer(depth - 1), int32(static_cast<int64_t>(pick(9)) - 2));
      case 4:
        return binary(ExprKind::kFloorDiv, integer(depth - 1), divisor());
      case 5:
        return binary(ExprKind::kFloorMod, integer(depth - 1), divisor());
      case 6:
        return binary(pick(2) ? ExprKind::kDiv : ExprKind::kMod, integer(depth - 1), divisor());
      case 7:
        return binary(ExprKind::kMin, integer(depth - 1), integer(depth - 1));
      default:
        return binary(ExprKind::kMax, integer(depth - 1), integer(depth - 1));
    }
  }
  Expr boolean(int depth) {
    if (depth > 1 && pick(3) == 0) {
      return binary(pick(2) ? ExprKind::kAnd : ExprKind::kOr, boolean(depth - 1), boolean(depth - 1));
    }
    static const ExprKind kinds[] = {ExprKind::kEQ, ExprKind::kNE, ExprKind::kLT,
                                     ExprKind::kLE, ExprKind::kGT, ExprKind::kGE};
    return binary(kinds[pick(6)], integer(depth - 1), integer(depth - 1));
  }

 private:
  size_t pick(size_t n) { return random_() % n; }
  Expr divisor() {
    static const int64_t divisors[] = {1, 2, 3, 4, 6, 8, 16};
    return int32(divisors[pick(7)]);
  }
  std::mt19937 random_;
  std::vector<Var> vars_;
};

Range range(int64_t min, int64_t extent) { return make<RangeNode>(Expr(int32(min)), Expr(int32(extent))); }

// Sums, quotients and remainders as indices have them, of a few variables that count from 0.
Expr random_index(std::mt19937& random, const std::vector<Var>& vars, int depth) {
  static const int64_t factors[] = {2, 3, 4, 5, 6, 8, 16};
  auto factor = [&] { return int32(factors[random() % 7]); };
  if (depth == 0) return vars[random() % vars.size()];
  Expr inner = random_index(random, vars, depth - 1);
  switch (random() % 6) {
    case 0:
    case 1:
      return binary(ExprKind::kFloorDiv, inner, factor());
    case 2:
    case 3:
      return binary(ExprKind::kFloorMod, inner, factor());
    case 4:
      return binary(ExprKind::kAdd, binary(ExprKind::kMul, inner, factor()), vars[random() % vars.size()]);
    default:
      return binary(ExprKind::kAdd, inner, int32(static_cast<int64_t>(random() % 5)));
  }
}

}  // namespace

TEST_CASE("simplify keeps the value of random expressions", "[arith]") {
  Var i = make_var("i", DataType::Int(32)), j = make_var("j", DataType::Int(32)),
      n = make_var("n", DataType::Int(32));
  std::mt19937 random(7);
  int unsettled = 0;
  for (uint32_t round = 0; round < 3000; ++round) {
    Generator generate(round, {i, j, n});
    Expr e = round % 3 ? generate.integer(3) : generate.boolean(3);
    int64_t extent_i = 1 + random() % 9, extent_j = 1 + random() % 17;
    Analyzer analyzer;
    analyzer.bind(i, range(0, extent_i));
    analyzer.bind(j, range(2, extent_j));
    Expr simple = analyzer.simplify(e);
    Expr again = analyzer.simplify(simple);
    Expr digits = split_sum_form(e, analyzer);
    if (!analyzer.simplify(again).same_as(again)) ++unsettled;
    ConstIntBound bound = analyzer.const_int_bound(e);
    ModularSet residue = analyzer.modular_set(e);
    for (int sample = 0; sample < 20; ++sample) {
      Values values{{i.get(), static_cast<int64_t>(random() % extent_i)},
                    {j.get(), 2 + static_cast<int64_t>(random() % extent_j)},
                    {n.get(), static_cast<int64_t>(random() % 200) - 100}};
      int64_t value = evaluate(e, values);
      INFO("round " << round);
      REQUIRE(evaluate(simple, values) == value);
      REQUIRE(evaluate(digits, values) == value);
      REQUIRE(value >= bound.min);
      REQUIRE(value <= bound.max);
      if (residue.coeff == 0) REQUIRE(value == residue.base);
      if (residue.coeff > 1) REQUIRE((value - residue.base) % residue.coeff == 0);
    }
  }
  // The rules and passes are TVM's, which go back and forth on a few expressions; all others come back as
  // the same node.
  CHECK(unsettled <= 5);
}

TEST_CASE("two ways to count the digits of an index come out alike", "[arith]") {
  Var i = make_var("i", DataType::Int(32)), j = make_var("j", DataType::Int(32)),
      k = make_var("k", DataType::Int(32));
  Analyzer analyzer;
  analyzer.bind(i, range(0, 16));
  analyzer.bind(j, range(0, 2));
  analyzer.bind(k, range(0, 4));
  auto alike = [&](const Expr& a, const Expr& b) {
    return analyzer.can_prove(eq(split_sum_form(a, analyzer), split_sum_form(b, analyzer)));
  };
  Expr flat = Expr(i) * 8 + Expr(j) * 4 + k, low = Expr(j) * 4 + k;
  Expr within = floormod(Expr(i), int32(2)) * 8 + low;
  CHECK_FALSE(analyzer.can_prove(eq(floormod(flat, int32(16)), within)));
  CHECK(alike(floormod(flat, int32(16)), within));
  CHECK_FALSE(alike(floormod(flat + 1, int32(16)), within + 1));
  Expr sixth = floordiv(Expr(i) * 16, int32(6)),
       carry = floordiv(floormod(Expr(i) * 4, int32(6)) + 15, int32(6));
  CHECK(alike(floordiv(Expr(i) * 16 + 15, int32(6)), sixth + carry));
  CHECK_FALSE(alike(floordiv(Expr(i) * 16 + 15, int32(6)), sixth + carry + 1));
  // A last digit below the others goes; one more than there is room for is carried.
  Expr eighth = floordiv(Expr(i) * 4 + k, int32(8));
  CHECK(alike(floordiv(Expr(i) * 8 + Expr(k) * 2 + j, int32(16)), eighth));
  CHECK_FALSE(alike(floordiv(Expr(i) * 8 + Expr(k) * 2 + j + 1, int32(16)), eighth));
}

TEST_CASE("facts hold as long as they are assumed", "[arith]") {
  Var i = make_var("i", DataType::Int(32)), n = make_var("n", DataType::Int(32));
  Analyzer analyzer;
  Expr inside = lt(Expr(i) * 4 + 3, n);
  CHECK_FALSE(analyzer.can_prove(lt(Expr(i) * 4, n)));
  {
    auto assumed = analyzer.assume(inside);
    CHECK(analyzer.can_prove(inside));
    CHECK(analyzer.can_prove(lt(Expr(i) * 4, n)));
    CHECK_FALSE(analyzer.can_prove(lt(Expr(i) * 4 + 4, n)));
  }
  CHECK_FALSE(analyzer.can_prove(lt(Expr(i) * 4, n)));
}

TEST_CASE("affine maps of loops are recognised", "[arith]") {
  Var i0 = make_var("i_0", DataType::Int(32)), i1 = make_var("i_1", DataType::Int(32)),
      f = make_var("f", DataType::Int(32));
  std::vector<LoopRange> split{{i0, range(0, 8)}, {i1, range(0, 4)}};
  std::vector<LoopRange> fused{{f, range(0, 32)}};
  Expr all = bool_imm(true);
  Analyzer analyzer;
  auto map = [&](Array<Expr> indices, const std::vector<LoopRange>& iters, Expr predicate) {
    IterMapResult found = detect_iter_map(indices, iters, predicate, IterMapCheck::kSurjective, analyzer);
    return found.exact && !found.indices.empty();
  };
  CHECK(map({Expr(i0) * 4 + Expr(i1)}, split, all));
  CHECK_FALSE(map({Expr(i0) * 3 + Expr(i1)}, split, all));        // overlapping
  CHECK_FALSE(map({Expr(i0) + Expr(i1), Expr(i1)}, split, all));  // used twice
  CHECK(map({floordiv(f, int32(4)), floormod(f, int32(4))}, fused, all));
  CHECK_FALSE(map({floordiv(f, int32(4)), floordiv(f, int32(2))}, fused, all));
  Expr whole = Expr(i0) * 4 + Expr(i1);
  CHECK(map({whole}, split, lt(whole, int32(30))));
}

TEST_CASE("random index maps keep their values and take all that they say", "[arith]") {
  Var i = make_var("i", DataType::Int(32)), j = make_var("j", DataType::Int(32));
  std::mt19937 random(11);
  int simplified = 0, surjective = 0, bijective = 0;
  for (int round = 0; round < 4000; ++round) {
    static const int64_t extents[] = {1, 4, 6, 7, 16, 24, 48, 60};
    int64_t rows = extents[random() % 8], columns = extents[random() % 8];
    std::vector<LoopRange> loops{{i, range(0, rows)}, {j, range(0, columns)}};
    Array<Expr> indices;
    for (size_t count = 1 + random() % 3; count > 0; --count)
      indices.push_back(random_index(random, {i, j}, 1 + static_cast<int>(random() % 3)));
    Analyzer analyzer;
    for (const LoopRange& loop : loops) analyzer.bind(loop.var, loop.range);
    std::vector<Array<Expr>> same;
    std::vector<size_t> values_taken;
    for (IterMapCheck check : {IterMapCheck::kNone, IterMapCheck::kSurjective, IterMapCheck::kBijective}) {
      same.push_back(simplify_iter_map(indices, loops, bool_imm(true), check, analyzer));
      simplified += !same_expr(same.back()[0], indices[0]);
      IterMapResult found = detect_iter_map(indices, loops, bool_imm(true), check, analyzer);
      if (found.indices.empty() || found.reordered) continue;
      Array<Expr> sums;
      size_t all = 1;
      for (const IterSum& sum : found.indices) {
        sums.push_back(iter_map_to_expr(sum, analyzer));
        for (const IterSplit& split : sum->args) all *= static_cast<size_t>(*const_int(split->extent));
      }
      same.push_back(sums);
      if (check == IterMapCheck::kNone || !found.exact) continue;
      ++(check == IterMapCheck::kSurjective ? surjective : bijective);
      values_taken.push_back(all);
      if (check == IterMapCheck::kBijective) REQUIRE(all == static_cast<size_t>(rows * columns));
    }
    std::set<std::vector<int64_t>> taken;
    INFO("round " << round << ", " << rows << " x " << columns);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        Values values{{i.get(), row}, {j.get(), column}};
        std::vector<int64_t> point;
        for (const Expr& index : indices) point.push_back(evaluate(index, values));
        for (const Array<Expr>& others : same) {
          std::vector<int64_t> other;
          for (const Expr& index : others) other.push_back(evaluate(index, values));
          if (other != point) REQUIRE(other == point);
        }
        taken.insert(std::move(point));
      }
    }
    for (size_t all : values_taken) REQUIRE(taken.size() == all);
  }
  CHECK(simplified > 1000);
  CHECK(surjective > 500);
  CHECK(bijective > 100);
}

}  // namespace mlc::transform
