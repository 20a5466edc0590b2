// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/iter_map.h"

#include <algorithm>

#include "transform/arith/expr_equal.h"

namespace mlc::transform {
namespace {

struct IterSum;

// A thing that counts from 0 to extent - 1: a variable, or a fused sum of digits.
struct IterMark {
  Var var;                       // or null:
  std::shared_ptr<IterSum> sum;  // in mixed radix, largest scale first
  Expr extent;
};
using Mark = std::shared_ptr<IterMark>;

// source // lower % extent * scale
struct IterDigit {
  Mark source;
  Expr lower, extent, scale;
};

struct IterSum {
  std::vector<IterDigit> digits;
  Expr base;
};

// The map does not have the form; thrown and caught within this file.
struct NotAffine {};

// A product as a constant and its other factors, in no order.
struct Product {
  int64_t factor = 1;
  std::vector<Expr> others;

  explicit Product(const Expr& e) { collect(e); }
  void collect(const Expr& e) {
    if (auto* two = as<MulNode>(e)) {
      collect(two->a);
      collect(two->b);
    } else if (auto constant = const_int(e)) {
      factor *= *constant;
    } else {
      others.push_back(e);
    }
  }
  // Are the other's factors, constants aside, among these?
  bool contains(const Product& other) const {
    std::vector<Expr> left = others;
    for (const Expr& wanted : other.others) {
      auto found =
          std::find_if(left.begin(), left.end(), [&](const Expr& e) { return same_expr(e, wanted); });
      if (found == left.end()) return false;
      left.erase(found);
    }
    return true;
  }
};

class IterMapBuilder {
 public:
  IterMapBuilder(const std::vector<LoopRange>& iters, Analyzer& analyzer, bool simplify_trivial,
                 IterMapCheck check)
      : analyzer_(analyzer), check_(check) {
    for (const LoopRange& iter : iters) {
      Expr one = const_like(iter.range->min, 1);
      if (simplify_trivial && is_const_int(iter.range->extent, 1)) {
        values_[iter.var.get()] = {{}, iter.range->min};
        continue;
      }
      auto mark = std::make_shared<IterMark>(IterMark{iter.var, nullptr, iter.range->extent});
      inputs_.push_back(mark);
      values_[iter.var.get()] = {{{mark, one, iter.range->extent, one}}, iter.range->min};
    }
  }

  // Makes the sum below one upper bound a mark of its own whose extent is the bound.
  void constrain(const Expr& lhs, const Expr& upper) {
    IterSum sum = build(lhs);
    if (sum.digits.empty()) return;
    if (!is_const_int(sum.base, 0)) throw NotAffine{};
    IterSum fused = fuse(sum);
    const IterDigit& digit = fused.digits[0];
    if (!is_const_int(digit.scale, 1) || !is_const_int(digit.lower, 1)) throw NotAffine{};
    Expr extent = analyzer_.simplify(min(digit.extent, upper));
    digit.source->extent = extent;
    for (Constraint& constraint : constraints_) {
      if (constraint.mark == digit.source) return;
    }
    constraints_.push_back({sum, digit.source});
  }

  IterSum index(const Expr& e) {
    IterSum sum = build(e);
    return sum.digits.empty() ? sum : fuse(sum);
  }

  // Every digit of every mark used at most once, and without holes in what is used.
  bool check(const std::vector<IterSum>& sums) {
    std::unordered_map<const IterMark*, std::vector<IterDigit>> uses;
    std::vector<Mark> order;
    auto visit = [&](const IterSum& sum) {
      for (const IterDigit& digit : sum.digits) {
        auto [it, fresh] = uses.try_emplace(digit.source.get());
        if (fresh) order.push_back(digit.source);
        it->second.push_back(digit);
      }
    };
    for (const IterSum& sum : sums) visit(sum);
    for (size_t i = 0; i < order.size(); ++i) {
      if (!tiles(*order[i], uses[order[i].get()])) return false;
      if (order[i]->sum) visit(*order[i]->sum);
    }
    // Digits of one mark may have arrived after the mark was looked at.
    for (const Mark& mark : order) {
      if (!tiles(*mark, uses[mark.get()])) return false;
    }
    if (check_ == IterMapCheck::kBijective) {
      for (const Mark& input : inputs_) {
        if (!uses.contains(input.get())) return false;
      }
    }
    return true;
  }

  Expr expr(const IterSum& sum) {
    Expr result;
    for (const IterDigit& digit : sum.digits) {
      Expr e = expr(digit);
      result = result ? add(result, e) : e;
    }
    return result ? add(result, sum.base) : sum.base;
  }

  // The iterators when sums[i] has the value outputs[i]. The map is bijective: `check` has said so.
  Array<Expr> invert(const std::vector<IterSum>& sums, const Array<Var>& outputs,
                     const std::vector<LoopRange>& iters) {
    std::unordered_map<const IterMark*, Expr> values;
    std::vector<Mark> order;  // a mark comes after those that are made of its digits
    auto give = [&](const IterDigit& digit, const Expr& value) {
      Expr part = mul(value, digit.lower);
      auto [found, fresh] = values.try_emplace(digit.source.get(), part);
      if (!fresh) found->second = add(found->second, part);
      if (fresh) order.push_back(digit.source);
    };
    for (size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].digits.empty()) continue;
      if (!is_const_int(sums[i].digits[0].scale, 1)) throw NotAffine{};
      give(sums[i].digits[0], sub(outputs[static_cast<int64_t>(i)], sums[i].base));
    }
    for (size_t i = 0; i < order.size(); ++i) {
      Mark mark = order[i];
      if (!mark->sum) continue;
      const std::vector<IterDigit>& digits = mark->sum->digits;
      for (size_t k = 0; k < digits.size(); ++k) {
        if (digits[k].source->sum) throw NotAffine{};  // a sum of sums: its parts may not be complete yet
        Expr value = floordiv(values[mark.get()], digits[k].scale);
        give(digits[k], k == 0 ? value : floormod(value, digits[k].extent));
      }
    }
    Array<Expr> result;
    for (size_t i = 0; i < iters.size(); ++i) {
      auto found = values.find(inputs_[i].get());
      if (found == values.end()) throw NotAffine{};
      result.push_back(analyzer_.simplify(add(found->second, iters[i].range->min)));
    }
    return result;
  }

  // Where the digits of one index come from, cut between outer and inner loops.
  struct Half {
    IterSum sum;
    Expr extent;
    bool is_digit = false;  // one digit of an existing mark, without base
  };
  struct Halves {
    Half outer, inner;
  };

  SubspaceDivision divide(const std::vector<IterSum>& sums, const std::unordered_set<const VarNode*>& inner) {
    inner_ = &inner;
    uses_.clear();
    cuts_.clear();
    std::vector<Mark> order;
    auto visit = [&](const IterSum& sum) {
      for (const IterDigit& digit : sum.digits) {
        auto [it, fresh] = uses_.try_emplace(digit.source.get());
        if (fresh) order.push_back(digit.source);
        it->second.push_back(digit);
      }
    };
    for (const IterSum& sum : sums) visit(sum);
    for (size_t i = 0; i < order.size(); ++i)
      if (order[i]->sum) visit(*order[i]->sum);
    SubspaceDivision result{{}, bool_imm(true), bool_imm(true)};
    outer_predicate_ = inner_predicate_ = bool_imm(true);
    for (const IterSum& sum : sums) {
      Halves halves = divide(sum, nullptr);
      Expr base = halves.inner.sum.base;
      halves.inner.sum.base = const_like(base, 0);
      result.indices.push_back(
          {expr(halves.outer.sum), halves.outer.extent, expr(halves.inner.sum), halves.inner.extent, base});
    }
    result.outer_predicate = outer_predicate_;
    result.inner_predicate = inner_predicate_;
    return result;
  }

 private:
  Half unit_half(const Expr& like) { return {{{}, const_like(like, 0)}, const_like(like, 1)}; }
  IterDigit as_digit(const Half& half) {
    if (half.is_digit) return half.sum.digits[0];
    auto sum = std::make_shared<IterSum>(half.sum);
    auto mark = std::make_shared<IterMark>(IterMark{nullptr, sum, half.extent});
    return {mark, const_like(half.extent, 1), half.extent, const_like(half.extent, 1)};
  }
  // Digits from the innermost on as one sum.
  Half stacked(const std::vector<IterDigit>& digits, const Expr& base) {
    Half half{{{}, base}, const_like(base, 1)};
    for (IterDigit digit : digits) {
      digit.scale = half.extent;
      half.extent = mul(half.extent, digit.extent);
      half.sum.digits.insert(half.sum.digits.begin(), digit);
    }
    return half;
  }

  // `extent`: of the mark whose sum this is; null for an index itself.
  Halves divide(const IterSum& sum, const Expr& extent) {
    if (sum.digits.empty()) {
      Half inner = unit_half(sum.base);
      inner.sum.base = sum.base;
      return {unit_half(sum.base), inner};
    }
    if (sum.digits.size() == 1) {
      if (!is_const_int(sum.digits[0].scale, 1)) throw NotAffine{};
      Halves halves = divide(sum.digits[0]);
      if (!is_const_int(sum.base, 0)) {
        halves.inner.sum.base = add(halves.inner.sum.base, sum.base);
        halves.inner.is_digit = false;
      }
      return halves;
    }
    std::vector<IterDigit> outer, inner;
    Expr product = const_like(sum.base, 1);
    bool has_unit_scale = false;
    for (auto it = sum.digits.rbegin(); it != sum.digits.rend(); ++it) {
      has_unit_scale = has_unit_scale || is_const_int(it->scale, 1);
      Halves halves = divide(*it);
      if (is_const_int(halves.outer.extent, 1)) {
        if (!outer.empty()) throw NotAffine{};  // an inner digit above an outer one
        inner.push_back(as_digit(halves.inner));
        product = mul(product, inner.back().extent);
      } else if (is_const_int(halves.inner.extent, 1)) {
        outer.push_back(as_digit(halves.outer));
        product = mul(product, outer.back().extent);
      } else {
        throw NotAffine{};
      }
    }
    if (!has_unit_scale) throw NotAffine{};
    Halves halves{stacked(outer, const_like(sum.base, 0)), stacked(inner, sum.base)};
    if (extent && equal(product, extent)) return halves;
    // Kept below its full extent by the predicate: it cannot be cut, but may lie on one side.
    MLC_CHECK(extent, "a sum of several digits is always fused");
    if (inner.empty()) {
      outer_predicate_ = logical_and(outer_predicate_, lt(expr(halves.outer.sum), extent));
      halves.outer.extent = extent;
      return halves;
    }
    if (!outer.empty()) throw NotAffine{};
    inner_predicate_ = logical_and(inner_predicate_, lt(expr(halves.inner.sum), extent));
    halves.inner.extent = extent;
    return halves;
  }

  Halves divide(const IterDigit& digit) {
    auto half_of = [&](const IterDigit& d) { return Half{{{d}, const_like(d.extent, 0)}, d.extent, true}; };
    const Mark& mark = digit.source;
    if (mark->var) {
      Half half = half_of(digit), unit = unit_half(digit.extent);
      return inner_->contains(mark->var.get()) ? Halves{unit, half} : Halves{half, unit};
    }
    auto cut = cuts_.find(mark.get());
    if (cut == cuts_.end()) cut = cuts_.emplace(mark.get(), divide(*mark->sum, mark->extent)).first;
    const Halves whole = cut->second;
    const std::vector<IterDigit>& splits = uses_.at(mark.get());
    if (splits.size() == 1) return whole;
    // The digits of the mark must meet at the place where its inner part ends.
    Mark outer_mark = as_mark(whole.outer), inner_mark = as_mark(whole.inner);
    bool beyond = is_const_int(whole.inner.extent, 1);
    std::vector<bool> used(splits.size());
    Expr expected = const_like(mark->extent, 1), first_outer;
    std::optional<Halves> result;
    for (size_t step = 0; step < splits.size(); ++step) {
      size_t at = 0;
      while (at < splits.size() && (used[at] || !equal(splits[at].lower, expected))) ++at;
      if (at == splits.size()) throw NotAffine{};
      used[at] = true;
      IterDigit moved = splits[at];
      moved.source = beyond ? outer_mark : inner_mark;
      if (beyond && !first_outer) first_outer = moved.lower;
      if (beyond) moved.lower = floordiv(moved.lower, first_outer);
      if (equal(splits[at].lower, digit.lower) && equal(splits[at].extent, digit.extent)) {
        Half half = half_of(moved), unit = unit_half(digit.extent);
        result = beyond ? Halves{half, unit} : Halves{unit, half};
      }
      expected = mul(expected, splits[at].extent);
      if (equal(expected, whole.inner.extent)) beyond = true;
    }
    if (!beyond || !result) throw NotAffine{};
    return *result;
  }
  Mark as_mark(const Half& half) {
    return std::make_shared<IterMark>(IterMark{nullptr, std::make_shared<IterSum>(half.sum), half.extent});
  }

  bool equal(const Expr& a, const Expr& b) {
    if (same_expr(a, b)) return true;
    auto x = const_int(a), y = const_int(b);
    if (x || y) return x == y;
    Product p(a), q(b);
    return (p.factor == q.factor && p.others.size() == q.others.size() && p.contains(q)) ||
           analyzer_.can_prove_equal(a, b);
  }
  bool divides(const Expr& divisor, const Expr& value) {
    auto d = const_int(divisor), v = const_int(value);
    if (d && v) return *d != 0 && *v % *d == 0;
    Product p(value), q(divisor);
    if (q.factor != 0 && p.factor % q.factor == 0 && p.contains(q)) return true;
    return is_const_int(analyzer_.simplify(floormod(value, divisor)), 0);
  }
  // value / divisor when that is exact, else null.
  Expr exact_quotient(const Expr& value, const Expr& divisor) {
    if (same_expr(value, divisor)) return const_like(value, 1);
    auto* product = as<MulNode>(value);
    if (product && same_expr(product->a, divisor)) return product->b;
    if (product && same_expr(product->b, divisor)) return product->a;
    return divides(divisor, value) ? floordiv(value, divisor) : Expr();
  }
  bool uses_iters(const Expr& e) {
    return uses_var(e, [&](const VarNode* var) { return values_.contains(var); });
  }

  Expr expr(const IterDigit& digit) {
    Expr source = digit.source->var ? Expr(digit.source->var) : expr(*digit.source->sum);
    if (is_const_int(digit.extent, 1) && !is_const_int(digit.source->extent, 1) &&
        !equal(digit.source->extent, mul(digit.lower, digit.extent))) {
      // A digit that takes one value only: x // lower % 1.
      return const_like(source, 0);
    }
    Expr result = source;
    Expr top = mul(digit.extent, digit.lower);
    bool whole = analyzer_.can_prove(ge(top, digit.source->extent));
    if (is_const_int(digit.lower, 1)) {
      if (!whole) result = floormod(source, digit.extent);
    } else if (whole) {
      result = floordiv(source, digit.lower);
    } else {
      result = floordiv(floormod(source, top), digit.lower);
    }
    return is_const_int(digit.scale, 1) ? result : mul(result, digit.scale);
  }

  IterSum build(const Expr& e) {
    if (auto* var = as<VarNode>(e)) {
      auto found = values_.find(var);
      if (found != values_.end()) return found->second;
    }
    if (!uses_iters(e)) return {{}, e};
    auto* two = as_binary(e);
    if (!two) throw NotAffine{};
    switch (e->kind) {
      case ExprKind::kAdd:
        return plus(build(two->a), build(two->b), 1);
      case ExprKind::kSub:
        return plus(build(two->a), build(two->b), -1);
      case ExprKind::kMul: {
        if (uses_iters(two->a) && uses_iters(two->b)) throw NotAffine{};
        bool left = uses_iters(two->a);
        IterSum sum = build(left ? two->a : two->b);
        const Expr& factor = left ? two->b : two->a;
        for (IterDigit& digit : sum.digits) digit.scale = mul(digit.scale, factor);
        sum.base = mul(sum.base, factor);
        return sum;
      }
      case ExprKind::kFloorDiv:
      case ExprKind::kFloorMod: {
        if (uses_iters(two->b)) throw NotAffine{};
        IterSum sum = build(two->a);
        if (sum.digits.empty()) return {{}, build_const(e->kind, sum.base, two->b)};
        return divide(e->kind == ExprKind::kFloorDiv, fuse(sum), two->b);
      }
      default:
        throw NotAffine{};
    }
  }
  static Expr build_const(ExprKind kind, const Expr& a, const Expr& b) { return ir::build(kind, a, b); }

  IterSum plus(IterSum a, IterSum b, int sign) {
    for (IterDigit& digit : b.digits) {
      if (sign < 0) digit.scale = mul(digit.scale, const_like(digit.scale, -1));
      bool merged = false;
      for (size_t i = 0; i < a.digits.size() && !merged; ++i) {
        IterDigit& mine = a.digits[i];
        if (mine.source != digit.source || !equal(mine.lower, digit.lower) ||
            !equal(mine.extent, digit.extent))
          continue;
        mine.scale = analyzer_.simplify(add(mine.scale, digit.scale));
        if (is_const_int(mine.scale, 0)) a.digits.erase(a.digits.begin() + i);
        merged = true;
      }
      if (!merged) a.digits.push_back(digit);
    }
    a.base = analyzer_.simplify(sign < 0 ? sub(a.base, b.base) : add(a.base, b.base));
    return a;
  }

  // The digits as one digit of a new mark: scales must be s, s * e1, s * e1 * e2, ... in some order.
  IterSum fuse(IterSum sum) {
    if (sum.digits.empty()) return sum;
    join_neighbours(sum);
    for (const Constraint& constraint : constraints_) {
      if (auto found = replace_constrained(sum, constraint)) {
        if (found->digits.size() == 1) return *found;
        return fuse_plain(*found);
      }
    }
    if (sum.digits.size() == 1) return sum;
    return fuse_plain(sum);
  }

  // x // l % e * s + x // (l * e) % f * (s * e) == x // l % (e * f) * s
  void join_neighbours(IterSum& sum) {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < sum.digits.size() && !changed; ++i) {
        for (size_t j = 0; j < sum.digits.size() && !changed; ++j) {
          IterDigit &low = sum.digits[i], &high = sum.digits[j];
          if (i == j || low.source != high.source || !equal(high.lower, mul(low.lower, low.extent)) ||
              !equal(high.scale, mul(low.scale, low.extent))) {
            continue;
          }
          low.extent = analyzer_.simplify(mul(low.extent, high.extent));
          sum.digits.erase(sum.digits.begin() + j);
          changed = true;
        }
      }
    }
  }

  struct Constraint {
    IterSum sum;
    Mark mark;
  };

  // If scale * constraint.sum is a part of `sum`, that part becomes one digit of the constrained mark.
  std::optional<IterSum> replace_constrained(const IterSum& sum, const Constraint& constraint) {
    if (sum.digits.size() < constraint.sum.digits.size()) return std::nullopt;
    std::vector<bool> used(sum.digits.size());
    Expr scale;
    for (const IterDigit& part : constraint.sum.digits) {
      bool found = false;
      for (size_t i = 0; i < sum.digits.size() && !found; ++i) {
        const IterDigit& digit = sum.digits[i];
        if (used[i] || digit.source != part.source || !equal(digit.lower, part.lower) ||
            !equal(digit.extent, part.extent)) {
          continue;
        }
        Expr ratio = exact_quotient(digit.scale, part.scale);
        if (!ratio) return std::nullopt;
        if (scale && !equal(scale, ratio)) return std::nullopt;
        scale = ratio;
        used[i] = found = true;
      }
      if (!found) return std::nullopt;
    }
    IterSum result{{}, sum.base};
    for (size_t i = 0; i < sum.digits.size(); ++i) {
      if (!used[i]) result.digits.push_back(sum.digits[i]);
    }
    result.digits.push_back({constraint.mark, const_like(scale, 1), constraint.mark->extent, scale});
    return result;
  }

  // Digits of equal scale, of which all but one have extent 1: in the order written, else units innermost.
  IterSum fuse_plain(const IterSum& sum) {
    try {
      return fuse_ordered(sum, false);
    } catch (const NotAffine&) {
      return fuse_ordered(sum, true);
    }
  }
  IterSum fuse_ordered(const IterSum& sum, bool units_first) {
    std::vector<bool> used(sum.digits.size());
    // The smallest scale divides all the others.
    size_t first = sum.digits.size();
    for (size_t i = sum.digits.size(); i-- > 0;) {
      bool smallest = true;
      for (size_t j = 0; j < sum.digits.size() && smallest; ++j)
        smallest = divides(sum.digits[i].scale, sum.digits[j].scale);
      if (!smallest) continue;
      first = i;
      // Among equal scales a digit of extent 1 goes first.
      if (is_const_int(sum.digits[i].extent, 1)) break;
    }
    if (first == sum.digits.size()) throw NotAffine{};
    Expr base_scale = sum.digits[first].scale;
    auto negative = const_int(base_scale);
    if (negative && *negative <= 0) throw NotAffine{};
    std::vector<IterDigit> ordered;
    Expr expected = base_scale;
    for (size_t step = 0; step < sum.digits.size(); ++step) {
      size_t at = sum.digits.size();
      for (size_t i = sum.digits.size(); i-- > 0;) {
        if (used[i] || !equal(sum.digits[i].scale, expected)) continue;
        if (at == sum.digits.size())
          at = i;
        else if (units_first && is_const_int(sum.digits[i].extent, 1) &&
                 !is_const_int(sum.digits[at].extent, 1))
          at = i;
      }
      if (at == sum.digits.size()) throw NotAffine{};
      used[at] = true;
      IterDigit digit = sum.digits[at];
      expected = mul(digit.scale, digit.extent);
      digit.scale = floordiv(digit.scale, base_scale);
      ordered.push_back(digit);
    }
    std::reverse(ordered.begin(), ordered.end());
    Expr zero = const_like(base_scale, 0), one = const_like(base_scale, 1);
    auto inner = std::make_shared<IterSum>(IterSum{ordered, zero});
    Mark mark;
    for (const Fused& known : fused_) {
      if (same_digits(*known.sum, *inner)) mark = known.mark;
    }
    if (!mark) {
      Expr extent = analyzer_.simplify(floordiv(expected, base_scale));
      mark = std::make_shared<IterMark>(IterMark{nullptr, inner, extent});
      fused_.push_back({inner, mark});
    }
    return {{{mark, one, mark->extent, base_scale}}, sum.base};
  }
  struct Fused {
    std::shared_ptr<IterSum> sum;
    Mark mark;
  };
  bool same_digits(const IterSum& a, const IterSum& b) {
    if (a.digits.size() != b.digits.size()) return false;
    for (size_t i = 0; i < a.digits.size(); ++i) {
      const IterDigit &x = a.digits[i], &y = b.digits[i];
      if (x.source != y.source || !equal(x.lower, y.lower) || !equal(x.extent, y.extent) ||
          !equal(x.scale, y.scale)) {
        return false;
      }
    }
    return true;
  }

  // (digit * scale + base) // divisor or % divisor, for one digit.
  IterSum divide(bool quotient, IterSum sum, Expr divisor) {
    MLC_CHECK(sum.digits.size() == 1, "a fused sum has one digit");
    IterDigit digit = sum.digits[0];
    Expr zero = const_like(divisor, 0), one = const_like(divisor, 1);
    if (is_const_int(divisor, 1)) return quotient ? sum : IterSum{{}, zero};
    Expr factor = one;  // of a remainder: (x * s) % (d * s) == (x % d) * s
    if (!is_const_int(digit.scale, 1)) {
      if (divides(divisor, digit.scale) && divides(divisor, sum.base)) {
        if (!quotient) return {{}, zero};
        digit.scale = floordiv(digit.scale, divisor);
        return {{digit}, floordiv(sum.base, divisor)};
      }
      if (!divides(digit.scale, divisor) || !divides(digit.scale, sum.base)) throw NotAffine{};
      factor = digit.scale;
      divisor = floordiv(divisor, factor);
      sum.base = floordiv(sum.base, factor);
      digit.scale = one;
    }
    if (!divides(divisor, sum.base)) throw NotAffine{};
    Expr offset = floordiv(sum.base, divisor);
    // The digit stays below the divisor: quotient 0, remainder itself.
    if (analyzer_.can_prove(le(digit.extent, divisor))) {
      if (quotient) return {{}, offset};
      digit.scale = factor;
      return {{digit}, zero};
    }
    if (!divides(divisor, digit.extent)) throw NotAffine{};
    if (quotient) {
      digit.extent = analyzer_.simplify(floordiv(digit.extent, divisor));
      digit.lower = mul(digit.lower, divisor);
      return {{digit}, offset};
    }
    digit.extent = divisor;
    digit.scale = factor;
    return {{digit}, zero};
  }

  bool tiles(const IterMark& mark, const std::vector<IterDigit>& digits) {
    std::vector<bool> used(digits.size());
    Expr expected = const_like(mark.extent, 1);
    for (size_t step = 0; step < digits.size(); ++step) {
      size_t at = digits.size();
      for (size_t i = 0; i < digits.size() && at == digits.size(); ++i) {
        if (!used[i] && equal(digits[i].lower, expected)) at = i;
      }
      if (at == digits.size()) {
        if (check_ == IterMapCheck::kBijective) return false;
        // A hole: go on above it.
        for (size_t i = 0; i < digits.size(); ++i) {
          if (used[i] || !divides(expected, digits[i].lower)) continue;
          if (at == digits.size() || divides(digits[i].lower, digits[at].lower)) at = i;
        }
        if (at == digits.size()) return false;
      }
      used[at] = true;
      expected = mul(digits[at].lower, digits[at].extent);
    }
    if (check_ == IterMapCheck::kBijective) return equal(expected, mark.extent);
    return divides(expected, mark.extent) || digits.size() == 1;
  }

  Analyzer& analyzer_;
  IterMapCheck check_;
  std::vector<Mark> inputs_;
  std::unordered_map<const VarNode*, IterSum> values_;
  std::vector<Constraint> constraints_;
  std::vector<Fused> fused_;
  // While dividing.
  const std::unordered_set<const VarNode*>* inner_ = nullptr;
  std::unordered_map<const IterMark*, std::vector<IterDigit>> uses_;
  std::unordered_map<const IterMark*, Halves> cuts_;
  Expr outer_predicate_, inner_predicate_;
};

// The upper bounds of a conjunction, as (expression, exclusive bound); false when it is something else.
bool upper_bounds(const Expr& predicate, std::vector<std::pair<Expr, Expr>>& out) {
  if (is_const_int(predicate, 1)) return true;
  auto* two = as_binary(predicate);
  if (!two) return false;
  switch (predicate->kind) {
    case ExprKind::kAnd:
      return upper_bounds(two->a, out) && upper_bounds(two->b, out);
    case ExprKind::kLT:
      out.emplace_back(two->a, two->b);
      return true;
    case ExprKind::kLE:
      out.emplace_back(two->a, two->b + 1);
      return true;
    case ExprKind::kGT:
      out.emplace_back(two->b, two->a);
      return true;
    case ExprKind::kGE:
      out.emplace_back(two->b, two->a + 1);
      return true;
    default:
      return false;
  }
}

size_t count_vars(const Expr& e) { return free_vars(e).size(); }

}  // namespace

namespace {

// Builds the sums of the indices below the predicate's bounds; nullopt when they are no such map.
std::optional<std::vector<IterSum>> constrained_sums(IterMapBuilder& builder, const Array<Expr>& indices,
                                                     const Expr& predicate) {
  std::vector<std::pair<Expr, Expr>> bounds;
  if (!upper_bounds(predicate, bounds)) return std::nullopt;
  // Inner sums first: an outer constraint may contain an inner one.
  std::stable_sort(bounds.begin(), bounds.end(),
                   [](const auto& a, const auto& b) { return count_vars(a.first) < count_vars(b.first); });
  for (const auto& [lhs, upper] : bounds) builder.constrain(lhs, upper);
  std::vector<IterSum> sums;
  for (const Expr& index : indices) sums.push_back(builder.index(index));
  if (!builder.check(sums)) return std::nullopt;
  return sums;
}

}  // namespace

std::optional<SubspaceDivision> divide_subspace(const Array<Expr>& indices,
                                                const std::vector<LoopRange>& iters,
                                                const std::unordered_set<const VarNode*>& inner,
                                                const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                                                bool simplify_trivial_iterators) {
  try {
    IterMapBuilder builder(iters, analyzer, simplify_trivial_iterators, check);
    auto sums = constrained_sums(builder, indices, predicate);
    if (!sums) return std::nullopt;
    return builder.divide(*sums, inner);
  } catch (const NotAffine&) {
    return std::nullopt;
  }
}

std::optional<Array<Expr>> normalize_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                                              const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                                              bool simplify_trivial_iterators) {
  try {
    IterMapBuilder builder(iters, analyzer, simplify_trivial_iterators, check);
    auto found = constrained_sums(builder, indices, predicate);
    if (!found) return std::nullopt;
    const std::vector<IterSum>& sums = *found;
    Array<Expr> result;
    for (const IterSum& sum : sums) result.push_back(builder.expr(sum));
    return result;
  } catch (const NotAffine&) {
    return std::nullopt;
  }
}

std::optional<Array<Expr>> invert_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                                           const Array<Var>& outputs, Analyzer& analyzer) {
  try {
    IterMapBuilder builder(iters, analyzer, false, IterMapCheck::kBijective);
    std::vector<IterSum> sums;
    for (const Expr& index : indices) sums.push_back(builder.index(index));
    if (!builder.check(sums)) return std::nullopt;
    return builder.invert(sums, outputs, iters);
  } catch (const NotAffine&) {
    return std::nullopt;
  }
}

std::optional<std::vector<Expr>> iter_map_extents(const Array<Expr>& indices,
                                                  const std::vector<LoopRange>& iters, Analyzer& analyzer) {
  try {
    IterMapBuilder builder(iters, analyzer, false, IterMapCheck::kSurjective);
    std::vector<Expr> extents;
    for (const Expr& index : indices) {
      IterSum sum = builder.index(index);
      if (!is_const_int(sum.base, 0)) return std::nullopt;
      if (sum.digits.empty()) {
        extents.push_back(const_like(index, 1));
      } else {
        extents.push_back(analyzer.simplify(mul(sum.digits[0].extent, sum.digits[0].scale)));
      }
    }
    return extents;
  } catch (const NotAffine&) {
    return std::nullopt;
  }
}

Array<Expr> simplify_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                              const Expr& predicate, IterMapCheck check, Analyzer& analyzer,
                              bool simplify_trivial_iterators) {
  if (auto found = normalize_iter_map(indices, iters, predicate, check, analyzer, simplify_trivial_iterators))
    return *found;
  if (!is_const_int(predicate, 1) && check != IterMapCheck::kBijective) {
    if (auto found =
            normalize_iter_map(indices, iters, bool_imm(true), check, analyzer, simplify_trivial_iterators)) {
      return *found;
    }
  }
  return indices;
}

}  // namespace mlc::transform
