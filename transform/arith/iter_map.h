// SPDX-License-Identifier: Apache-2.0
// Are index expressions a (quasi-)affine map of independent iterators? Each index must be a sum of digits of
// the iterators in mixed radix, every digit used at most once: then block iterators are independent and cover
// their domain, which is what "affine binding" means to schedule primitives. After TVM's iter_affine_map.
#pragma once

#include "transform/arith/analyzer.h"

namespace mlc::transform {

struct LoopRange {
  Var var;
  Range range;
};

// Numbered as scripts number them.
enum class IterMapCheck : uint8_t {
  kBijective = 0,   // every value of the indices' box is taken once, and every iterator is used completely
  kSurjective = 1,  // every value of the indices' box is taken
  kNone = 3,        // the same of the box with its padding
};

// A sum of digits, or one digit.
struct IterMapNode : ffi::Object {
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE_BASE("mlc.sym.IterMapExpr", IterMapNode, ffi::Object);
};
using IterMap = Ref<IterMapNode>;
struct IterSumNode;

// A thing that counts from 0 to extent - 1: an expression (a variable), or a sum of digits of others.
struct IterMarkNode final : ffi::Object {
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  Expr source;  // or null:
  IterMap sum;
  Expr extent;

  IterMarkNode(Expr source, IterMap sum, Expr extent)
      : source(std::move(source)), sum(std::move(sum)), extent(std::move(extent)) {}
  const VarNode* var() const { return source ? as<VarNode>(source) : nullptr; }
  const IterSumNode* as_sum() const;
  template <class F>
  static void fields(F& f) {
    f("source", &IterMarkNode::source);
    f("sum", &IterMarkNode::sum);
    f("extent", &IterMarkNode::extent);
  }
  MLC_NODE("mlc.sym.IterMark", IterMarkNode, ffi::Object);
};
using IterMark = Ref<IterMarkNode>;

// source // lower_factor % extent * scale
struct IterSplitNode final : IterMapNode {
  IterMark source;
  Expr lower_factor, extent, scale;

  IterSplitNode(IterMark source, Expr lower_factor, Expr extent, Expr scale)
      : source(std::move(source)),
        lower_factor(std::move(lower_factor)),
        extent(std::move(extent)),
        scale(std::move(scale)) {}
  template <class F>
  static void fields(F& f) {
    f("source", &IterSplitNode::source);
    f("lower_factor", &IterSplitNode::lower_factor);
    f("extent", &IterSplitNode::extent);
    f("scale", &IterSplitNode::scale);
  }
  MLC_NODE("mlc.sym.IterSplitExpr", IterSplitNode, IterMapNode);
};
using IterSplit = Ref<IterSplitNode>;

// args[0] + ... + args[n - 1] + base
struct IterSumNode final : IterMapNode {
  Array<IterSplit> args;
  Expr base;

  IterSumNode(Array<IterSplit> args, Expr base) : args(std::move(args)), base(std::move(base)) {}
  template <class F>
  static void fields(F& f) {
    f("args", &IterSumNode::args);
    f("base", &IterSumNode::base);
  }
  MLC_NODE("mlc.sym.IterSumExpr", IterSumNode, IterMapNode);
};
using IterSum = Ref<IterSumNode>;

inline const IterSumNode* IterMarkNode::as_sum() const { return sum.as<IterSumNode>(); }

// `message` with an expression for each `{}`.
struct IterMapError {
  std::string message;
  std::vector<Expr> exprs;
};
// What was found: one sum for each index, or why there is none.
struct IterMapResult {
  std::vector<IterSum> indices;
  std::vector<IterMapError> errors;
  // Holds for the values that padding added; null when that was not looked at. It contains `opaque_sum`s.
  Expr padding_predicate;
  // No two iterations have the same value of a fused sum, and nothing is padded.
  bool exact = true;
  // The sums equal the indices up to their order only: `(15 - i) // 4` is `i // -4 + 3` among them.
  bool reordered = false;
};
// `opaque_remainders`: `i % 16 % 3`, which is no digit of `i`, may stand in the base of a sum, as in TVM;
// else it is an error.
IterMapResult detect_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                              const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                              bool simplify_trivial_iterators = true, bool opaque_remainders = false);

// The index as a sum of digits, the largest scales first; what is no digit stays in its base.
IterSum normalize_to_iter_sum(const Expr& index, const std::vector<LoopRange>& iters, Analyzer& analyzer);

// A sum as a leaf of an expression.
Expr opaque_sum(const IterMap& sum);
// Sums as arithmetic on their variables, also those within an expression.
Expr iter_map_to_expr(const IterMap& sum, Analyzer& analyzer);
Expr iter_map_to_expr(const Expr& e, Analyzer& analyzer);

// Has none of the iterators a range that depends on another?
bool independent_ranges(const std::vector<LoopRange>& iters);

// The indices in their normal form as expressions of the iterators, or as they are when they are no such map;
// they may overlap or need padding. `predicate` restricts the iteration domain (a conjunction of bounds such
// as `i0 * 10 + i1 < 128`).
Array<Expr> simplify_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                              const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                              bool simplify_trivial_iterators = true);

// For a bijective map: the variables in terms of the indices' values, in the order in which they are met.
// Throws Error iter-map-not-bijective.
std::vector<std::pair<Var, Expr>> inverse_affine_iter_map(const std::vector<IterSum>& sums,
                                                          const Array<Expr>& outputs, Analyzer& analyzer);

// The iterators in terms of the indices' values, `outputs`; nullopt when the map is not bijective.
// `analyzer` knows the ranges of the outputs.
std::optional<Array<Expr>> invert_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                                           const Array<Var>& outputs, Analyzer& analyzer);

// One more than the largest value of each index; nullopt when the indices are no sums of digits from 0 on.
std::optional<std::vector<Expr>> iter_map_extents(const Array<Expr>& indices,
                                                  const std::vector<LoopRange>& iters, Analyzer& analyzer);

// An index as outer * inner.extent + inner. The last pair has the two predicates as extents.
struct MarkPair {
  IterMark outer, inner;
};
// Empty when an index mixes both other than as inner digits below outer ones.
std::vector<MarkPair> subspace_divide(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                                      const std::unordered_set<const VarNode*>& inner, const Expr& predicate,
                                      IterMapCheck check, Analyzer& analyzer,
                                      bool simplify_trivial_iterators = true, bool exact = false);

// The same as expressions: `inner` counts from 0 (base aside) through the inner loops.
struct IndexDivision {
  Expr outer, outer_extent;
  Expr inner, inner_extent, inner_base;
};
struct SubspaceDivision {
  std::vector<IndexDivision> indices;
  Expr outer_predicate, inner_predicate;  // of sums that the predicate keeps below their full extent
};
std::optional<SubspaceDivision> divide_subspace(const Array<Expr>& indices,
                                                const std::vector<LoopRange>& iters,
                                                const std::unordered_set<const VarNode*>& inner,
                                                const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                                                bool simplify_trivial_iterators = true);

}  // namespace mlc::transform
