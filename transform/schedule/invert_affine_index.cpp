// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/invert_affine_index.h"

#include <algorithm>

#include "transform/arith/iter_map.h"

namespace mlc::transform {
namespace {

bool is_whole(const IterSplit& split, Analyzer& analyzer) {
  return is_const_int(split->lower_factor, 1) &&
         analyzer.can_prove_equal(split->extent, split->source->extent);
}

Expr extent_of(const Interval& range, Analyzer& analyzer) {
  return analyzer.simplify(range.max - range.min + 1);
}

// One digit of an index, or an index that is `constant`, and what is needed of it.
struct Digit {
  IterSplit split;
  Interval need;
  Expr constant;
};

// An index that adds up digits of several iterators, the highest first, as what is needed of each of these.
// nullopt when the values needed are no box of the digits.
std::optional<std::vector<Digit>> digits_of_sum(const IterSumNode& sum, const Interval& need,
                                                Analyzer& analyzer) {
  size_t count = sum.args.size();
  auto point = [&](const Interval& range) { return analyzer.can_prove_equal(range.min, range.max); };
  auto simple = [&](const Interval& range) -> Interval {
    return {analyzer.simplify(range.min), analyzer.simplify(range.max)};
  };
  std::vector<Digit> digits;
  for (const IterSplit& part : sum.args)
    digits.push_back({part, {const_like(part->extent, 0), analyzer.simplify(part->extent - 1)}, nullptr});
  Interval from{sub(need.min, sum.base), sub(need.max, sum.base)};
  // The digits from `whole` on go through all of their values, those before the last one left stay the same.
  for (size_t whole = 1; whole <= count; ++whole) {
    const Expr& scale = sum.args[whole - 1]->scale;
    if (!is_const_int(analyzer.simplify(floormod(from.min, scale)), 0) ||
        !analyzer.can_prove_equal(floormod(from.max, scale), scale - 1))
      continue;
    Interval top = simple({floordiv(from.min, scale), floordiv(from.max, scale)});
    const Expr& extent = sum.args[whole - 1]->extent;
    if (whole > 1 && !analyzer.can_prove_equal(floordiv(top.min, extent), floordiv(top.max, extent)))
      continue;
    for (size_t i = 0; i < whole; ++i) {
      Expr by = floordiv(sum.args[i]->scale, scale);
      Interval digit{floordiv(top.min, by), floordiv(top.max, by)};
      if (i > 0) digit = {floormod(digit.min, sum.args[i]->extent), floormod(digit.max, sum.args[i]->extent)};
      digits[i].need = simple(digit);
      if (i + 1 < whole && !point(digits[i].need)) return std::nullopt;
    }
    return digits;
  }
  return std::nullopt;
}

std::optional<std::vector<Digit>> digits_of(const std::vector<IterSum>& sums,
                                            const std::vector<Interval>& needed, Analyzer& analyzer) {
  std::vector<Digit> result;
  for (size_t d = 0; d < sums.size(); ++d) {
    const Array<IterSplit>& args = sums[d]->args;
    if (args.empty()) {
      result.push_back({nullptr, needed[d], sums[d]->base});
      continue;
    }
    if (args.size() != 1 || !is_const_int(args[0]->scale, 1)) return std::nullopt;
    const IterSumNode* sum = args[0]->source->as_sum();
    bool partial = sum && sum->args.size() > 1 && is_whole(args[0], analyzer) &&
                   std::any_of(sum->args.begin(), sum->args.end(), [&](const IterSplit& part) {
                     return !part->source->var() || !is_whole(part, analyzer);
                   });
    if (!partial) {
      result.push_back({args[0], needed[d], nullptr});
      continue;
    }
    auto digits =
        digits_of_sum(*sum, {sub(needed[d].min, sums[d]->base), sub(needed[d].max, sums[d]->base)}, analyzer);
    if (!digits) return std::nullopt;
    result.insert(result.end(), digits->begin(), digits->end());
  }
  return result;
}

// Digits and iterators that depend on each other only: several whole iterators that are counted together,
// and the digits of that number (or of one iterator) that the indices are. The order of values is that of the
// digits, the highest first, on both sides.
struct Piece {
  std::vector<size_t> digits;
  std::vector<const VarNode*> iters;
  std::vector<Expr> weights;  // of the digits, in the number that they are parts of
};

// nullopt when digits of one iterator meet whole other ones in an index.
std::optional<std::vector<Piece>> pieces_of(const std::vector<Digit>& digits, Analyzer& analyzer) {
  std::vector<Piece> pieces;
  for (size_t d = 0; d < digits.size(); ++d) {
    if (!digits[d].split) {
      pieces.push_back({{d}, {}, {}});
      continue;
    }
    IterSplit digit = digits[d].split;
    // A sum of one digit is that digit.
    while (auto* sum = digit->source->as_sum()) {
      if (sum->args.size() != 1 || !is_const_int(sum->args[0]->scale, 1) || !is_whole(digit, analyzer)) break;
      digit = sum->args[0];
    }
    const IterMark& mark = digit->source;
    std::vector<const VarNode*> iters;
    if (auto* var = mark->var()) iters.push_back(var);
    if (auto* sum = mark->as_sum()) {
      for (const IterSplit& part : sum->args) {
        auto* var = part->source->var();
        if (!var || !is_whole(part, analyzer) || !analyzer.can_prove_ge(part->scale, 1)) return std::nullopt;
        iters.push_back(var);
      }
    }
    if (iters.empty()) return std::nullopt;
    auto same =
        std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.iters == iters; });
    if (same == pieces.end()) same = pieces.insert(same, Piece{{}, iters, {}});
    same->digits.push_back(d);
    same->weights.push_back(digit->lower_factor);
  }
  return pieces;
}

}  // namespace

std::optional<std::unordered_map<const VarNode*, IterDomain>> invert_affine_index(
    const Array<IterVar>& iters, const Array<Expr>& indices, const std::vector<Interval>& needed,
    const Array<Expr>& shape, bool exact, Analyzer& analyzer) {
  std::vector<LoopRange> ranges = ranges_of(iters);
  // The iterators' domains leave less of some indices, such as 0 of `v // 64`.
  Analyzer inside;
  bind_ranges(inside, ranges);
  Array<Expr> simple;
  for (const Expr& index : indices) simple.push_back(inside.simplify(index));
  IterMapResult found =
      detect_iter_map(simple, ranges, bool_imm(true), IterMapCheck::kBijective, analyzer, false);
  if (found.indices.empty() || !std::all_of(needed.begin(), needed.end(),
                                            [](const Interval& need) { return static_cast<bool>(need); }))
    return std::nullopt;
  auto digits = digits_of(found.indices, needed, analyzer);
  if (!digits) return std::nullopt;
  auto pieces = pieces_of(*digits, analyzer);
  if (!pieces) return std::nullopt;
  Array<Expr> low, high, first, last;
  for (size_t d = 0; d < needed.size(); ++d) {
    low.push_back(needed[d].min);
    high.push_back(needed[d].max);
    first.push_back(const_like(shape[d], 0));
    last.push_back(shape[d] - 1);
  }
  // From corner to corner.
  auto from_to = [&](const Array<Expr>& from, const Array<Expr>& to) {
    std::unordered_map<const VarNode*, Interval> result;
    for (const auto& [var, value] : inverse_affine_iter_map(found.indices, from, analyzer))
      result[var.get()].min = value;
    for (const auto& [var, value] : inverse_affine_iter_map(found.indices, to, analyzer))
      result[var.get()].max = value;
    return result;
  };
  std::unordered_map<const VarNode*, IterDomain> result;
  auto bounds = from_to(first, last);
  auto corners = from_to(low, high);
  auto ordered = [&](const Interval& range) -> Interval {
    return {analyzer.simplify(ir::min(range.min, range.max)),
            analyzer.simplify(ir::max(range.min, range.max))};
  };
  for (const auto& [var, range] : corners) result[var] = {ordered(range), ordered(bounds.at(var))};
  std::vector<Interval> all;
  for (size_t d = 0; d < needed.size(); ++d) all.push_back({first[d], last[d]});
  auto whole = digits_of(found.indices, all, analyzer);
  for (const Piece& piece : *pieces) {
    // Of 10 elements at `4 * i + j` the last has j = 1, and others more: corners bound a box of iterations
    // only where it has as many of them as there are elements.
    Expr there = const_like(indices[0], 1), boxed = there;
    for (size_t d : piece.digits)
      if (whole) there = mul(there, extent_of((*whole)[d].need, analyzer));
    for (const VarNode* var : piece.iters) boxed = mul(boxed, extent_of(result.at(var).bound, analyzer));
    if (!whole || (piece.iters.size() > 1 && !analyzer.can_prove_equal(there, boxed)))
      for (const VarNode* var : piece.iters) result.at(var).bound = {};
    // As many iterations as elements between the same corners: the same ones.
    Expr elements = const_like(indices[0], 1), iterations = elements;
    for (size_t d : piece.digits) elements = mul(elements, extent_of((*digits)[d].need, analyzer));
    for (const VarNode* var : piece.iters)
      iterations = mul(iterations, extent_of(result.at(var).range, analyzer));
    bool between_corners = piece.iters.empty()
                               ? analyzer.can_prove_equal((*digits)[piece.digits[0]].need.min,
                                                          (*digits)[piece.digits[0]].constant)
                               : std::all_of(piece.iters.begin(), piece.iters.end(), [&](const VarNode* var) {
                                   return analyzer.can_prove(le(corners.at(var).min, corners.at(var).max));
                                 });
    // With several of both, boxes of either side may leave gaps between the same corners.
    Expr between = elements;
    if (piece.digits.size() > 1 && piece.iters.size() > 1) {
      between = const_like(between, 1);
      for (size_t i = 0; i < piece.digits.size(); ++i) {
        const Interval& digit = (*digits)[piece.digits[i]].need;
        between = add(between, mul(sub(digit.max, digit.min), piece.weights[i]));
      }
    }
    if (between_corners && analyzer.can_prove_equal(elements, iterations) &&
        analyzer.can_prove_equal(elements, between))
      continue;
    // The digits of a range of one index: other iterations as well as these. Of one iterator's digits in
    // ranges: these, and others between them.
    if (exact || piece.iters.size() > 1) return std::nullopt;
  }
  return result;
}

}  // namespace mlc::transform
