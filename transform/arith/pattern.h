// SPDX-License-Identifier: Apache-2.0
// Rewrite rules written as algebra: `{"(x + c1) + c2", "x + (c1 + c2)"}`.
//
// In a pattern: x y z w u v match any expression, c1 c2 c3 c4 integer constants, numbers themselves; a name
// that occurs twice must match equal expressions. Operators are + - * // % min(,) max(,) == != < <= > >=
// and or not, plus tdiv(,) tmod(,) select(,,) ramp(,,) broadcast(,) . Operands match in the order written.
// In a result, arithmetic on constants folds; where that gives no number of their type the rule does not
// apply. A condition is a comma-separated list of comparisons; those over constants are computed, the others
// (`x >= 0`) must follow from known bounds; an equation of expressions must hold for their canonical forms.
// Rows with `kAgain` have their result simplified again. Rows that speak of ramps or broadcasts are for
// vectors, the others for scalars; logic is for both, and so are the rows that hold for every type.
#pragma once

#include <array>
#include <span>

#include "transform/arith/analyzer.h"

namespace mlc::transform {

enum class Then : uint8_t { kDone, kAgain };
inline constexpr Then kAgain = Then::kAgain;

struct Rule {
  const char* pattern;
  const char* result;
  const char* condition = nullptr;
  Then then = Then::kDone;
};

// A parsed expression of the notation above, flattened: children are indices into one pool.
struct Pattern {
  enum class Kind : uint8_t { kAny, kConst, kLiteral, kNode };
  struct Node {
    Kind kind;
    ExprKind op{};
    int slot = 0;
    int64_t literal = 0;
    std::array<int, 3> child{-1, -1, -1};
  };
  std::vector<Node> nodes;
  int root = 0;
};

// What the names of a rule are bound to.
struct Match {
  static constexpr int kSlots = 12;  // x y z w u v l s, then c1 c2 c3 c4
  std::array<const Expr*, kSlots> bound{};
};

struct CompiledRule {
  Pattern pattern;
  Pattern result;
  struct Test {
    ExprKind comparison;
    Pattern left, right;
    bool only_constants;
    bool right_is_constant;
  };
  std::vector<Test> tests;
  const Rule* row;
  bool for_lanes = false, for_scalars = false;
  // Conditions that hold of sums only where these do not wrap, and `or`s that hold of numbers but not of NaN.
  bool logic_of_sums = false, logic_of_order = false;
};

// The rules for one kind of root operator, in order of preference.
class RuleSet {
 public:
  explicit RuleSet(std::span<const Rule> rows, bool any_type = false);
  // The first rule that applies, applied; null when none does. `go_on`: simplify the result again.
  Expr apply(const Expr& e, AnalyzerImpl& analyzer, bool& go_on) const;

 private:
  std::vector<CompiledRule> rules_;
};

}  // namespace mlc::transform
