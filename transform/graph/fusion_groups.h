// SPDX-License-Identifier: Apache-2.0
// Which bindings of dataflow blocks are computed together. The method is TVM's (Chen et al., OSDI 2018, section 3): a
// graph of values in program order, its tree of immediate post-dominators (the nearest value that all paths from a
// value lead to), and groups as disjoint sets. A value joins the group of its post-dominator where all values on the
// paths between them allow it: elementwise functions follow a product of matrices, injective ones each other.
#pragma once

#include <unordered_set>

#include "transform/graph/op_pattern.h"
#include "transform/pass/graph_pass.h"

namespace mlc::transform {

// What was decided of a value and its immediate post-dominator, and what for.
struct FusionDecision {
  enum class Kind : uint8_t {
    kFused,      // both are in one group
    kOpaque,     // nothing is known of how it is computed
    kReduction,  // nothing follows a reduction in its group
    kOutside,    // it is used where the block is not seen: its result, other blocks
    kUnused,
    kApart,     // its uses lead to no common value
    kTooLarge,  // `size` calls would be in one group
    kUse,       // `pattern`: how it is read on the way
    kBetween,   // `blocking`, a value on the way or the end of it, is of `pattern`
  } kind = Kind::kApart;
  const ExprNode* dominator = nullptr;  // null where there is none
  const ExprNode* blocking = nullptr;
  OpPattern pattern = OpPattern::kOpaque;
  size_t size = 0;
};

class FusionGroups {
 public:
  // Of the functions of the module that are no groups themselves (attribute "Primitive").
  FusionGroups(const IRModule& mod, size_t max_size);

  // The group of a variable or constant; nullopt where it is in no dataflow block and no parameter.
  std::optional<size_t> group_of(const ExprNode* value) const;
  size_t size(size_t group) const { return groups_[group].size; }

  // Of a variable or constant that is in a group.
  OpPattern pattern_of(const ExprNode* value) const { return values_[number_of_.at(value)].pattern; }
  const FusionDecision& decision(const ExprNode* value) const { return decisions_[number_of_.at(value)]; }

 private:
  struct Edge {
    size_t to;
    OpPattern pattern;
  };
  struct Value {
    const ExprNode* key;
    OpPattern pattern;
    bool external = false;  // used where this does not see it: it ends its group
    std::vector<Edge> uses;
  };
  struct Dominator {
    std::optional<size_t> parent;
    size_t depth = 1;
    OpPattern pattern = OpPattern::kOpaque;  // the worst on the way to the parent
  };
  struct Group {
    size_t parent;  // itself: a root
    OpPattern pattern;
    bool anchored;  // holds a function whose results are consumed elementwise
    size_t size = 1;
  };

  void add_function(const Function& fn, const IRModule& mod);
  size_t add(const ExprNode* key, OpPattern pattern, bool external);
  void add_binding(const Binding& binding, const IRModule& mod);
  void use(const Expr& operand, size_t by, OpPattern pattern);
  void find_dominators();
  void fuse(int phase, size_t max_size);
  void fuse_value(size_t value, int phase, size_t max_size);
  // nullopt: this phase is not about values of that kind.
  std::optional<FusionDecision> decide(size_t value, int phase, size_t max_size);

  size_t root(size_t group);
  void merge(size_t child, size_t parent);
  // The first value on the ways between, or at their end, that is not allowed.
  template <class F>
  std::optional<size_t> first_between(size_t from, size_t to, F allows);
  void merge_between(size_t from, size_t to);
  size_t size_with(size_t from, size_t to);

  std::vector<Value> values_;
  std::unordered_map<const ExprNode*, size_t> number_of_;
  std::unordered_set<const ExprNode*> weights_;  // parameters behind the first `num_input`
  std::vector<Dominator> dominators_;
  mutable std::vector<Group> groups_;
  std::vector<FusionDecision> decisions_;
};

}  // namespace mlc::transform
