// SPDX-License-Identifier: Apache-2.0
// Which bindings of dataflow blocks are computed together. The method is TVM's (Chen et al., OSDI 2018, section 3): a
// graph of values in program order, its tree of immediate post-dominators (the nearest value that all paths from a
// value lead to), and groups as disjoint sets. A value joins the group of its post-dominator where all values on the
// paths between them allow it: elementwise functions follow a product of matrices, injective ones each other.
#pragma once

#include "transform/graph/op_pattern.h"
#include "transform/pass/graph_pass.h"

namespace mlc::transform {

class FusionGroups {
 public:
  // Of the functions of the module that are no groups themselves (attribute "Primitive").
  FusionGroups(const IRModule& mod, size_t max_size);

  // The group of a variable or constant; nullopt where it is in no dataflow block and no parameter.
  std::optional<size_t> group_of(const ExprNode* value) const;
  size_t size(size_t group) const { return groups_[group].size; }

 private:
  struct Edge {
    size_t to;
    OpPattern pattern;
  };
  struct Value {
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

  size_t root(size_t group);
  void merge(size_t child, size_t parent);
  template <class F>
  bool all_between(size_t from, size_t to, F allows);
  void merge_between(size_t from, size_t to);
  size_t size_with(size_t from, size_t to);

  std::vector<Value> values_;
  std::unordered_map<const ExprNode*, size_t> number_of_;
  std::vector<Dominator> dominators_;
  mutable std::vector<Group> groups_;
};

}  // namespace mlc::transform
