// SPDX-License-Identifier: Apache-2.0
// Sums of digits as one digit of a mark of their own: digit after digit, from the smallest scale on, each
// scale must be the product of the extents below it. With overlap (surjective maps whose smallest scale is 1)
// it may be smaller.
#include "transform/arith/expr_equal.h"
#include "transform/arith/iter_map_rewriter.h"

namespace mlc::transform {
namespace {

Array<IterSplit> reversed(const std::vector<IterSplit>& args) {
  return Array<IterSplit>(args.rbegin(), args.rend());
}

}  // namespace

bool IterMapRewriter::same_split(const IterSplit& a, const IterSplit& b, bool with_scale) const {
  return a->source.same_as(b->source) && (!with_scale || same_expr(a->scale, b->scale)) &&
         same_expr(a->extent, b->extent) && same_expr(a->lower_factor, b->lower_factor);
}
bool IterMapRewriter::same_sum(const IterSum& a, const IterSum& b) const {
  if (a->args.size() != b->args.size() || !same_expr(a->base, b->base)) return false;
  for (int64_t i = 0; i < static_cast<int64_t>(a->args.size()); ++i) {
    if (!same_split(a->args[i], b->args[i], true)) return false;
  }
  return true;
}
IterMapRewriter::Fused* IterMapRewriter::find_fused(const IterSum& flattened) {
  for (Fused& fused : fused_) {
    if (same_sum(fused.flattened, flattened)) return &fused;
  }
  return nullptr;
}
IterMapRewriter::Fused* IterMapRewriter::find_structured(const IterMap& structured) {
  for (Fused& fused : fused_) {
    if (fused.structured.same_as(structured)) return &fused;
  }
  return nullptr;
}

// The digit of the smallest constant scale, of equal ones that of extent 1; without constants the scale of
// the fewest factors. -1: there is none.
int IterMapRewriter::find_base(const std::vector<IterSplit>& args, const std::vector<bool>& skip,
                               const IterMarkNode* source, int last) const {
  int best = -1;
  int64_t least = 0;
  for (int i = last; i >= 0; --i) {
    if (skip[i] || (source && args[i]->source.get() != source)) continue;
    auto scale = const_int(args[i]->scale);
    if (!scale) continue;
    bool unit = best >= 0 && *scale == least && is_const_int(args[i]->extent, 1) &&
                !is_const_int(args[best]->extent, 1);
    if (best < 0 || *scale < least || unit) {
      best = i;
      least = *scale;
    }
  }
  if (best >= 0) return best;
  for (int i = last; i >= 0; --i) {
    if (skip[i] || (source && args[i]->source.get() != source)) continue;
    int64_t factors = 0;
    each_factor(args[i]->scale, [&](const Expr&) { ++factors; });
    if (best < 0 || factors < least) {
      best = i;
      least = factors;
    }
  }
  return best;
}

// The last digit of this scale, of those with extent 1 when there are such.
int IterMapRewriter::find_scale(const std::vector<IterSplit>& args, const std::vector<bool>& skip,
                                const Expr& scale, const IterMarkNode* source, int last) const {
  int found = -1;
  for (int i = last; i >= 0; --i) {
    if (skip[i] || (source && args[i]->source.get() != source)) continue;
    if (found >= 0 && !is_const_int(args[i]->extent, 1)) continue;
    if (!equal(args[i]->scale, scale)) continue;
    if (is_const_int(args[i]->extent, 1)) return i;
    found = i;
  }
  return found;
}

// The digit of the largest constant scale below a constant one.
int IterMapRewriter::find_smaller_scale(const std::vector<IterSplit>& args, const std::vector<bool>& skip,
                                        const Expr& scale) const {
  auto limit = const_int(scale);
  if (!limit) return -1;
  int found = -1;
  int64_t largest = 0;
  for (int i = static_cast<int>(args.size()) - 1; i >= 0; --i) {
    auto own = skip[i] ? std::nullopt : const_int(args[i]->scale);
    if (!own || *own > *limit || *own < 0 || (found >= 0 && *own <= largest)) continue;
    found = i;
    largest = *own;
  }
  return found;
}

// (i // 4) * 4 + i % 4 == i
IterSum IterMapRewriter::join_splits(const IterSum& sum) {
  std::vector<IterSplit> args(sum->args.begin(), sum->args.end());
  if (args.size() <= 1) return nullptr;
  std::unordered_map<const IterMarkNode*, int> uses;
  bool twice = false;
  for (const IterSplit& split : args) twice |= ++uses[split->source.get()] > 1;
  if (!twice) return nullptr;
  std::vector<bool> visited(args.size());
  std::vector<IterSplit> inner_first;
  for (int last = static_cast<int>(args.size()) - 1; last >= 0; --last) {
    if (visited[last]) continue;
    const IterMarkNode* source = args[last]->source.get();
    if (uses.at(source) == 1) {
      visited[last] = true;
      inner_first.push_back(args[last]);
      continue;
    }
    int at = find_base(args, visited, source, last);
    visited[at] = true;
    IterSplit low = args[at];
    while (true) {
      at = find_scale(args, visited, normal_product(low->extent, low->scale), source, last);
      if (at < 0) break;
      const IterSplit& high = args[at];
      if (!equal(high->lower_factor, normal_product(low->lower_factor, low->extent))) break;
      visited[at] = true;
      low = make<IterSplitNode>(low->source, low->lower_factor, normal_product(high->extent, low->extent),
                                low->scale);
    }
    inner_first.push_back(low);
    if (!visited[last]) ++last;  // the base was another one of this source
  }
  return make<IterSumNode>(reversed(inner_first), sum->base);
}

IterSum IterMapRewriter::normal(const IterSum& sum) {
  if (sum->args.empty()) return sum;
  if (IterSum fused = fuse(sum, true)) return fused;
  errors_.push_back({"Could not normalize iterators", {}});
  return sum;
}

IterSum IterMapRewriter::fuse(const IterSum& given, bool skip_one_digit) {
  IterSum sum = given;
  if (IterSum joined = join_splits(sum)) {
    sum = joined;
    if (sum->args.size() <= 1 && skip_one_digit) return sum;
  }
  std::vector<IterSplit> args(sum->args.begin(), sum->args.end());
  int last = static_cast<int>(args.size()) - 1;
  std::vector<bool> visited(args.size());
  int base = find_base(args, visited, nullptr, last);
  if (base < 0 || is_const_int(args[base]->scale, 0)) return nullptr;
  // The scale of the next digit, and what all digits so far cover, which is more where they overlap.
  Expr base_scale = args[base]->scale, expected = base_scale, covered = base_scale;
  Expr extra_base = const_like(sum->base, 0);
  std::vector<IterSplit> flat, grouped;  // from the innermost on
  bool overlaps = false;
  auto relative = [&](const IterSplit& split) {
    return make<IterSplitNode>(split->source, split->lower_factor, split->extent,
                               analyzer_.simplify(truncdiv(split->scale, base_scale)));
  };
  for (size_t count = 0; count < args.size();) {
    int at = count == 0 ? base : find_scale(args, visited, expected, nullptr, last);
    Expr scale = expected;
    bool exact = at >= 0;
    if (!exact && check_ != IterMapCheck::kBijective && is_const_int(base_scale, 1)) {
      at = find_smaller_scale(args, visited, expected);
      if (at >= 0) scale = args[at]->scale;
    }
    if (at < 0) return nullptr;
    overlaps |= !exact;
    // Past a group of this extent: (extent - 1) * scale more are covered.
    auto advance = [&](const Expr& extent) {
      Expr next = normal_product(scale, extent);
      covered = exact && same_expr(covered, scale) ? next : add(next, sub(covered, scale));
      expected = next;
    };
    // The longest constraint that begins with this digit.
    IterSum constraint;
    for (const IterSum& one : constrained_) {
      if (same_split(args[at], one->args.back(), false) &&
          (!constraint || constraint->args.size() < one->args.size())) {
        constraint = one;
      }
    }
    if (!constraint) {
      visited[at] = true;
      flat.push_back(relative(args[at]));
      grouped.push_back(flat.back());
      advance(args[at]->extent);
      ++count;
      continue;
    }
    for (auto it = constraint->args.rbegin(); it != constraint->args.rend(); ++it) {
      size_t k = 0;
      while (k < args.size() && (visited[k] || !same_split(args[k], *it, false) ||
                                 !equal(mul((*it)->scale, scale), args[k]->scale))) {
        ++k;
      }
      if (k == args.size()) return nullptr;
      visited[k] = true;
      flat.push_back(relative(args[k]));
    }
    Fused* group = find_fused(constraint);
    MLC_CHECK(group, "a constraint is a fused sum");
    grouped.push_back(make_split(group->mark, analyzer_.simplify(truncdiv(scale, base_scale))));
    extra_base = add(extra_base, mul(group->offset, scale));
    advance(group->mark->extent);
    count += constraint->args.size();
  }
  if (overlaps) exact_ = false;
  Expr zero = const_like(sum->base, 0);
  IterSum flattened = make<IterSumNode>(reversed(flat), zero);
  if (Fused* old = find_fused(flattened)) {
    if (!equal(extra_base, mul(old->offset, base_scale))) return nullptr;
    return make<IterSumNode>(Array<IterSplit>{make_split(old->mark, base_scale)}, add(sum->base, extra_base));
  }
  IterSum structured = make<IterSumNode>(reversed(grouped), zero);
  auto mark = make<IterMarkNode>(nullptr, structured, truncdiv(covered, base_scale));
  fused_.push_back({flattened, structured, mark, zero});
  return make<IterSumNode>(Array<IterSplit>{make_split(mark, base_scale)}, add(sum->base, extra_base));
}

void IterMapRewriter::constrain(const Expr& e, Expr lower, Expr upper) {
  IterSum sum = to_sum(visit(e));
  if (lower) lower = sub(lower, sum->base);
  if (upper) upper = sub(upper, sum->base);
  IterSum based = make<IterSumNode>(sum->args, const_like(sum->base, 0));
  IterSum fused = sum->args.empty() ? nullptr : fuse(based, false);
  if (!fused || !is_const_int(fused->args[0]->scale, 1)) {
    errors_.push_back({"Could not normalize iterators using the constraints given.", {}});
    return;
  }
  Fused* known = find_structured(fused->args[0]->source->sum);
  MLC_CHECK(known, "a fused sum is remembered");
  Expr low = known->offset, high = add(low, known->mark->extent);
  IterSum structured = known->structured;
  if (lower) {
    Expr raised = max(lower, low);
    Expr shift = analyzer_.simplify(sub(raised, low));
    low = raised;
    if (!is_const_int(low, 0)) {
      structured = make<IterSumNode>(structured->args, analyzer_.simplify(sub(structured->base, shift)));
    }
  }
  if (upper) high = analyzer_.can_prove(le(upper, high)) ? upper : min(upper, high);
  known->structured = structured;
  known->mark = make<IterMarkNode>(nullptr, structured, sub(high, low));
  known->offset = low;
  constrained_.push_back(known->flattened);
}

bool IterMapRewriter::constraints_nest() const {
  for (size_t i = 0; i < constrained_.size(); ++i) {
    for (size_t j = i + 1; j < constrained_.size(); ++j) {
      std::optional<bool> overlap;
      for (const IterSplit& split : constrained_[i]->args) {
        bool found = std::any_of(constrained_[j]->args.begin(), constrained_[j]->args.end(),
                                 [&](const IterSplit& other) { return same_split(split, other, true); });
        if (overlap && *overlap != found) return false;
        overlap = found;
      }
    }
  }
  return true;
}

}  // namespace mlc::transform
