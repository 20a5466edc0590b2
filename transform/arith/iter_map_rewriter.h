// SPDX-License-Identifier: Apache-2.0
// Index arithmetic as sums of digits: what detect_iter_map and its like share.
#pragma once

#include "transform/arith/iter_map.h"

namespace mlc::transform {

// The splits of each mark that some sums are made of, in the order in which they are met.
struct SplitsOfMarks {
  std::vector<IterMark> marks;
  std::unordered_map<const IterMarkNode*, std::vector<IterSplit>> splits;

  explicit SplitsOfMarks(const std::vector<IterSum>& sums);

 private:
  void add(const IterSum& sum);
  void visit(const IterMark& mark);
};

IterSplit make_split(const IterMark& mark, const Expr& scale = nullptr);

class IterMapRewriter {
 public:
  IterMapRewriter(const std::vector<LoopRange>& iters, Analyzer& analyzer, IterMapCheck check,
                  bool simplify_trivial_iterators, std::vector<IterMapError>& errors,
                  bool opaque_remainders = false);

  // One digit of a mark of its own, plus a base.
  IterSum rewrite(const Expr& e);
  // The same while noting which marks must be padded, and to what.
  IterSum rewrite_and_pad(const Expr& e);
  // Digits with constant-like scales, the largest first.
  IterSum rewrite_to_normal_sum(const Expr& e);
  // From now on lower <= e < upper; either may be null.
  void constrain(const Expr& e, Expr lower, Expr upper);
  // Do constraints contain each other or have no digit in common?
  bool constraints_nest() const;
  // Is every digit used at most once, and without holes in what is used?
  bool check_mapping(const std::vector<IterSum>& sums);

  bool requires_padding() const { return requires_padding_; }
  const Expr& padding_predicate() const { return padding_predicate_; }
  bool exact() const { return exact_; }
  bool drops_base() const { return drops_base_; }
  bool unequal_padding() const { return unequal_padding_; }

 private:
  // The result of one node: arithmetic without iterators, one digit, or a sum.
  struct Value {
    Expr plain;
    IterMap map;
    bool is_map() const { return map.defined(); }
  };
  // A sum that was met before: its digits one by one, its mark, the mark's least value.
  struct Fused {
    IterSum flattened, structured;
    IterMark mark;
    Expr offset;
  };
  struct Padding {
    Expr factor;      // the padded extent is a multiple of this
    Expr left;        // values added below 0
    IterMark padded;  // null until the second round
    IterMark origin;
  };

  // iter_map_rewriter.cpp
  Value visit(const Expr& e);
  Value indirect(const Expr& e);
  Value add_or_subtract(const Expr& e, Value a, Value b, int sign);
  Value product(const Expr& e, Value a, Value b);
  Value division(const Expr& e, const Value& a, const Value& b);
  Value quotient(IterSplit split, Expr base, Expr divisor);
  Value remainder(const Expr& e, IterSplit split, Expr base, Expr divisor);
  bool is_highest(const IterSplit& split);
  void add_to(std::vector<IterSplit>& args, const IterSplit& rhs, int sign);
  IterSum to_sum(const Value& value);
  Value fail(const Expr& e, std::string message, const Expr& shown);

  // iter_map_fuse.cpp
  IterSum normal(const IterSum& sum);
  IterSum fuse(const IterSum& sum, bool skip_one_digit);  // null when it cannot be
  IterSum join_splits(const IterSum& sum);                // null when nothing is joined
  int find_base(const std::vector<IterSplit>& args, const std::vector<bool>& skip, const IterMarkNode* source,
                int last) const;
  int find_scale(const std::vector<IterSplit>& args, const std::vector<bool>& skip, const Expr& scale,
                 const IterMarkNode* source, int last) const;
  int find_smaller_scale(const std::vector<IterSplit>& args, const std::vector<bool>& skip,
                         const Expr& scale) const;
  bool same_split(const IterSplit& a, const IterSplit& b, bool with_scale) const;
  bool same_sum(const IterSum& a, const IterSum& b) const;
  Fused* find_fused(const IterSum& flattened);
  Fused* find_structured(const IterMap& structured);

  // iter_map_pad.cpp
  std::pair<IterSplit, Expr> pad(const IterSplit& split, const Expr& base, const Expr& divisor);
  Padding* padding_of(const IterMark& mark);
  bool tiles(const IterMark& mark, const std::vector<IterSplit>& splits);

  bool divides(const Expr& divisor, const Expr& e) const;  // is e a multiple of divisor?
  bool equal(const Expr& a, const Expr& b) const { return analyzer_.can_prove_equal(a, b); }

  Analyzer& analyzer_;
  IterMapCheck check_;
  std::vector<IterMapError>& errors_;
  bool opaque_remainders_;
  std::vector<IterMark> inputs_;
  std::unordered_map<const VarNode*, Value> values_;
  std::vector<Fused> fused_;
  std::vector<IterSum> constrained_;  // flattened
  std::vector<std::pair<IterMark, Padding>> padding_;
  bool noting_padding_ = false;
  bool requires_padding_ = false;
  bool exact_ = true;
  bool unequal_padding_ = false;  // two indices count from different first values of one mark
  bool drops_base_ = false;       // a digit that runs backwards starts within one of its periods
  Expr padding_predicate_ = bool_imm(false);
};

// A product's factors, constants among them.
template <class F>
void each_factor(const Expr& e, const F& visit) {
  if (auto* two = as<MulNode>(e)) {
    each_factor(two->a, visit);
    each_factor(two->b, visit);
  } else {
    visit(e);
  }
}
// The product with its constants folded into one at the end.
Expr normal_product(const Expr& a, const Expr& b);

}  // namespace mlc::transform
