// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/invert_digits.h"

#include <algorithm>

#include "transform/arith/iter_map.h"

namespace mlc::transform {
namespace {

// Indices and iterators that depend on each other only: several whole iterators that are counted together,
// and the digits of that number (or of one iterator) that the indices are. The order of values is that of the
// digits, the highest first, on both sides.
struct Piece {
  std::vector<size_t> indices;
  std::vector<const VarNode*> iters;
  std::vector<Expr> weights;  // of the indices, in the number that they are the digits of
};

bool is_whole(const IterSplit& split, Analyzer& analyzer) {
  return is_const_int(split->lower_factor, 1) &&
         analyzer.can_prove_equal(split->extent, split->source->extent);
}

// nullopt when digits of one iterator meet whole other ones in an index.
std::optional<std::vector<Piece>> pieces_of(const std::vector<IterSum>& sums, Analyzer& analyzer) {
  std::vector<Piece> pieces;
  for (size_t d = 0; d < sums.size(); ++d) {
    const Array<IterSplit>& args = sums[d]->args;
    if (args.empty()) {
      pieces.push_back({{d}, {}, {}});
      continue;
    }
    if (args.size() != 1 || !is_const_int(args[0]->scale, 1)) return std::nullopt;
    IterSplit digit = args[0];
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
    same->indices.push_back(d);
    same->weights.push_back(digit->lower_factor);
  }
  return pieces;
}

Expr extent_of(const Interval& range, Analyzer& analyzer) {
  return analyzer.simplify(range.max - range.min + 1);
}

}  // namespace

std::optional<std::unordered_map<const VarNode*, IterDomain>> invert_digits(
    const Array<IterVar>& iters, const Array<Expr>& indices, const std::vector<Interval>& needed,
    const Array<Expr>& shape, bool exact, Analyzer& analyzer) {
  std::vector<LoopRange> ranges;
  for (const IterVar& iter : iters) ranges.push_back({iter->var, iter->dom});
  IterMapResult found =
      detect_iter_map(indices, ranges, bool_imm(true), IterMapCheck::kBijective, analyzer, false);
  if (found.indices.empty()) return std::nullopt;
  auto pieces = pieces_of(found.indices, analyzer);
  if (!pieces) return std::nullopt;
  Array<Expr> low, high, first, last;
  for (size_t d = 0; d < needed.size(); ++d) {
    if (!needed[d]) return std::nullopt;
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
  for (const Piece& piece : *pieces) {
    // As many iterations as elements between the same corners: the same ones.
    Expr elements = const_like(indices[0], 1), iterations = elements;
    for (size_t d : piece.indices) elements = mul(elements, extent_of(needed[d], analyzer));
    for (const VarNode* var : piece.iters)
      iterations = mul(iterations, extent_of(result.at(var).range, analyzer));
    bool between_corners =
        piece.iters.empty()
            ? analyzer.can_prove_equal(needed[piece.indices[0]].min, found.indices[piece.indices[0]]->base)
            : std::all_of(piece.iters.begin(), piece.iters.end(), [&](const VarNode* var) {
                return analyzer.can_prove(le(corners.at(var).min, corners.at(var).max));
              });
    // With several of both, boxes of either side may leave gaps between the same corners.
    Expr between = elements;
    if (piece.indices.size() > 1 && piece.iters.size() > 1) {
      between = const_like(between, 1);
      for (size_t i = 0; i < piece.indices.size(); ++i) {
        const Interval& digit = needed[piece.indices[i]];
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
