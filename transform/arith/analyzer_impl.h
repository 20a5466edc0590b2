// SPDX-License-Identifier: Apache-2.0
// The parts of the analyzer, which call each other: bounds use simplified forms, rules use bounds.
#pragma once

#include <functional>

#include "ir/tir/loaded_names.h"
#include "transform/arith/analyzer.h"
#include "transform/arith/linear_sum.h"
#include "transform/arith/memo.h"

namespace mlc::transform {

class SmtProblem;

inline bool is_number(const Expr& e) {
  return e->kind == ExprKind::kIntImm || e->kind == ExprKind::kFloatImm;
}
// So near an end of the type that a sum with it may leave the type.
inline bool is_far(int64_t number, DataType type) {
  int64_t half = *const_int(max_value(type)) / 2;
  return number > half || number < -half;
}
// A quotient by the constant 0, a shift by more bits than there are.
bool is_undefined(const BinaryNode& node);

// What rewriting did so far.
struct RewriteStats {
  int64_t nodes_visited = 0, constraints_entered = 0, rewrites_attempted = 0, rewrites_performed = 0;
  int64_t max_recursive_depth = 0, num_recursive_rewrites = 0;

  // What was counted between `before` and this, once more. A maximum stays.
  void add_difference(const RewriteStats& after, const RewriteStats& before) {
    nodes_visited += after.nodes_visited - before.nodes_visited;
    constraints_entered += after.constraints_entered - before.constraints_entered;
    rewrites_attempted += after.rewrites_attempted - before.rewrites_attempted;
    rewrites_performed += after.rewrites_performed - before.rewrites_performed;
    num_recursive_rewrites += after.num_recursive_rewrites - before.num_recursive_rewrites;
  }
};

class AnalyzerImpl {
 public:
  static constexpr int64_t kTransitivelyProveInequalities = 1;
  static constexpr int64_t kConvertBooleanToAndOfOrs = 2;
  static constexpr int64_t kApplyConstraintsToBooleanBranches = 4;

  RewriteStats stats;
  int64_t maximum_rewrites = 0;  // more are an error; 0: no limit
  // Scripts see TVM's answer for casts, as if no value were wrapped or rounded. Where
  // simplification builds on bounds a cast may do both.
  bool casts_keep_values = false;
  LoadedNames loaded_names;
  int64_t extensions = 0;  // flags of those above: slower rules that have to be asked for

  // solver.cpp
  struct SolverStats {
    int64_t asked = 0, proved = 0, refuted = 0;
    std::string of_z3;
  };
  SolverStats solver_stats;
  int64_t solver_milliseconds = 1000;       // where a question ends; 0: no limit
  int64_t solver_steps = 2000000;           // the same in z3's own steps, which is as far on any machine
  void say_all(SmtProblem& problem) const;  // what is known

  Expr simplify(const Expr& e, int steps);

  // const_int_bound.cpp, modular_set.cpp
  ConstIntBound bounds(const Expr& e);
  ModularSet modular(const Expr& e);

  // rewrite_simplify.cpp
  Expr rewrite(const Expr& e);
  Expr visit(const Expr& e);  // one pass
  Expr visit_binary(const BinaryNode& two);
  Expr rewrite_node(const Expr& e);  // the operands of `e` are simple already
  Expr inlined_let(const Expr& e);
  // branches.cpp
  using Simplified = std::function<Expr(const Expr&)>;
  // Select and if_then_else: each arm under its condition.
  Expr choice(const Expr& e, const Simplified& simplified);
  Expr boolean_branches(const BinaryNode& two, Span span);
  Expr under(const Expr& condition, const Expr& e, const Simplified& simplified);
  Expr computed_anyway(const Expr& condition, const Expr& e, const Simplified& simplified);
  // and_of_ors.cpp
  Expr as_and_of_ors(const Expr& e);
  // canonical_simplify.cpp
  Expr canonical(const Expr& e);
  // The form that is being made: what rules and comparisons simplify on the way is brought into it too.
  Expr visit_in_form(const Expr& e);
  LinearSum sum_of(const Expr& e);

  // By constant bounds and facts alone; cheap, used in rule conditions.
  bool proves_by_bounds(ExprKind comparison, const Expr& a, const Expr& b);
  bool equal_by_sums(const Expr& a, const Expr& b);
  Ordering compare(const Expr& a, const Expr& b);       // of the simplified difference
  Ordering compare_sums(const Expr& a, const Expr& b);  // of the canonical difference, and by facts

  // facts.cpp
  void assume(const Expr& condition);
  void assume_in_range(const Var& var, const Range& range);  // symbolic ends, for good
  void forget(size_t mark);
  size_t mark() const { return undo_.size(); }
  std::optional<bool> known(const Expr& condition) const;  // literally among the facts
  // To be called by whoever changes what is known of variables: what was found out may not hold any more.
  void bindings_changed() {
    ++bindings_;
    facts_changed();
  }
  void forget_answers();

  std::unordered_map<const VarNode*, ConstIntBound> var_bounds;
  std::unordered_map<const VarNode*, ModularSet> var_residues;
  std::unordered_map<const VarNode*, Expr> var_values;
  std::vector<Var> keep_alive;  // the maps are keyed by address

 private:
  friend class Canonical;
  // Holds until the end of the scope.
  template <class T>
  class Setting {
   public:
    Setting(T& where, T value) : where_(where), outer_(where) { where_ = value; }
    ~Setting() { where_ = outer_; }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

   private:
    T& where_;
    T outer_;
  };
  // Of what is computed whether its condition holds or not: judged where it stands, or with what is around
  // it, or simplified as if there were no condition.
  enum class Branches : uint8_t { kJudged, kJudgedAround, kPlain };
  // A condition in force, and the bounds that it implies.
  struct Truth {
    Expr condition;
    bool value;
  };
  struct BoundFact {
    Expr expr;
    ConstIntBound bound;
  };
  // left - right <= upper, all without their constants; `terms` is left - right.
  struct DifferenceFact {
    LinearSum terms;
    int64_t upper;
    LinearSum left, right;
    bool has_sides(const LinearSum& a, const LinearSum& b) const {
      return same_terms(left, a) && same_terms(right, b);
    }
  };
  struct Undo {
    size_t truths, bounds, differences, residues;
    uint64_t knowledge, bindings;
  };
  LinearSum merged(const Expr& e);  // sum_of, adjacent digits joined
  Ordering order_of_difference(const Expr& a, const Expr& b);
  Ordering order_of_sums(const Expr& a, const Expr& b);
  int64_t upper_bound(const LinearSum& sum, std::vector<bool>& used, int depth);
  void assume_bound(const Expr& e, ConstIntBound bound);
  void assume_residue(const Expr& remainder, const Expr& value);
  bool is_simplest(const Expr& side);
  void assume_less(const Expr& a, const Expr& b, bool strict);
  Expr apply_rules(const Expr& e);
  Expr apply_rules_of_any_type(const Expr& e);
  Expr apply_not(const Expr& inner, Span span);
  Expr apply_equal(const Expr& e);
  Expr apply_less(const Expr& e);
  Expr apply_less_equal(const Expr& e);
  Expr again(const Expr& e);
  ConstIntBound bounds_of_node(const Expr& e);
  ConstIntBound bounds_of_binary(const BinaryNode& node);
  ConstIntBound bounds_unless_wrapped(const BinaryNode& node);
  bool may_wrap(const BinaryNode& node);
  ModularSet modular_unless_wrapped(const BinaryNode& node);

  std::vector<Truth> truths_;
  std::vector<BoundFact> bound_facts_;
  std::vector<DifferenceFact> differences_;
  std::vector<std::pair<Var, ModularSet>> old_residues_;  // what assumptions replaced in var_residues
  std::vector<Undo> undo_;
  int depth_ = 0;
  bool canonical_form_ = false;
  Branches branches_ = Branches::kJudged;

  // memo.h. A number for each state of knowledge: the same one when the same condition is assumed again.
  void facts_changed() { knowledge_ = ++last_knowledge_; }
  bool remembers() const;
  uint64_t memo_state() const;
  struct Stretch {  // of counting
    RewriteStats before, after;
  };
  template <class Answer, class F>
  Answer remembered(Memo<Answer, Stretch>& memo, const Expr& a, const Expr& b, F&& find_out);
  uint64_t knowledge_ = 0, last_knowledge_ = 0, bindings_ = 0;
  Memo<uint64_t, Stretch> states_;
  Memo<Expr, Stretch> visited_, canonical_;
  Memo<LinearSum, Stretch> sums_;
  Memo<ConstIntBound, Stretch> bounds_;
  Memo<Ordering, Stretch> compared_, compared_sums_;
};

// Of few nodes all is found out faster than it is remembered.
inline bool AnalyzerImpl::remembers() const {
  constexpr int64_t kFew = 32;
  return stats.nodes_visited > kFew && maximum_rewrites == 0;
}
inline uint64_t AnalyzerImpl::memo_state() const {
  uint64_t state = knowledge_;
  state = state << 4 | static_cast<uint64_t>(depth_ & 15);
  state = state << 3 | static_cast<uint64_t>(extensions & 7);
  state = state << 2 | static_cast<uint64_t>(branches_);
  return state << 2 | static_cast<uint64_t>(casts_keep_values) << 1 | static_cast<uint64_t>(canonical_form_);
}
template <class Answer, class F>
Answer AnalyzerImpl::remembered(Memo<Answer, Stretch>& memo, const Expr& a, const Expr& b, F&& find_out) {
  if (!remembers()) return find_out();
  MemoKey key{a.get(), b.get(), memo_state()};
  if (const auto* found = memo.find(key)) {
    stats.add_difference(found->work.after, found->work.before);
    return found->answer;
  }
  RewriteStats before = stats;
  Answer answer = find_out();
  memo.keep(key, {a, b, answer, {before, stats}});
  return answer;
}

}  // namespace mlc::transform
