// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/region.h"

#include <unordered_map>

#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"
#include "ir/tir/simplified.h"

namespace mlc::ir {
namespace {

// All values lo..hi; both null: anything.
struct Interval {
  Expr lo;
  Expr hi;

  static Interval point(const Expr& e) { return {e, e}; }
  bool unbounded() const { return !lo; }
  bool is_point() const { return lo && lo.get() == hi.get(); }
};

Expr plus(const Expr& a, const Expr& b) {
  LinearForm form = LinearForm::of(a);
  form.add(LinearForm::of(b), 1);
  return form.expr();
}
Expr scaled(const Expr& a, int64_t by) {
  LinearForm form = LinearForm::of(a);
  form.scale(by);
  return form.expr();
}
// A bound of two values of different widths is as wide as the wider one.
Expr as_wide(const Expr& e, const Expr& as) {
  return e->dtype().bits() < as->dtype().bits() ? cast(as->dtype(), e) : e;
}
Expr smaller(const Expr& a, const Expr& b) {
  if (auto d = constant_difference(a, b)) return *d <= 0 ? as_wide(a, b) : as_wide(b, a);
  return make<MinNode>(simplify_linear(a), simplify_linear(b));
}
Expr larger(const Expr& a, const Expr& b) {
  if (auto d = constant_difference(a, b)) return *d >= 0 ? as_wide(a, b) : as_wide(b, a);
  return make<MaxNode>(simplify_linear(a), simplify_linear(b));
}
Interval unite(const Interval& a, const Interval& b) {
  if (a.unbounded() || b.unbounded()) return {};
  if (a.is_point() && b.is_point() && constant_difference(a.lo, b.lo) == 0) return a;
  return {smaller(a.lo, b.lo), larger(a.hi, b.hi)};
}

// Is it not linear?
bool is_involved(const Expr& e) {
  bool found = false;
  post_order(e, [&](const Expr& part) {
    switch (part->kind) {
      case ExprKind::kDiv:
      case ExprKind::kMod:
      case ExprKind::kFloorDiv:
      case ExprKind::kFloorMod:
      case ExprKind::kMin:
      case ExprKind::kMax:
      case ExprKind::kSelect:
      case ExprKind::kCall:
        found = true;
        return;
      default:
        return;
    }
  });
  return found;
}
}  // namespace

Expr simplified(const Expr& e, const Simplify& simplify) {
  return is_involved(e) ? simplify(e) : simplify_linear(e);
}

namespace {

bool is_same(const Expr& a, const Expr& b, const Simplify& simplify) {
  if (auto d = constant_difference(a, b)) return *d == 0;
  return constant_difference(simplified(a, simplify), simplified(b, simplify)) == 0;
}

struct DropIdleCasts final : Rewriter {
  bool found = false;
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    auto* conversion = e->kind == ExprKind::kCast ? static_cast<const CastNode*>(e.get()) : nullptr;
    if (conversion == nullptr || conversion->value->dtype() != e->dtype()) return rewrite_children(e);
    found = true;
    return rewrite(conversion->value);
  }
};

// Conversions to the type that a value has: left behind where a wider value took an iterator's place.
Expr without_idle_casts(const Expr& e) {
  DropIdleCasts drop;
  Expr next = drop.rewrite(e);
  return drop.found ? next : e;
}

// Is this not one value? Calls and bitwise operators are opaque; a choice is either of two values.
bool is_unclear(const Expr& e) {
  bool found = false;
  walk_with(e, [&](const Expr& part, Walker& on) {
    switch (part->kind) {
      case ExprKind::kTensorLoad:
        found = found || !(part->dtype().is_int() || part->dtype().is_uint());
        return;
      case ExprKind::kCall:
        found = found || !as_call_to(part, "tirx.vscale");
        return;
      case ExprKind::kSelect:
      case ExprKind::kBitwiseAnd:
      case ExprKind::kBitwiseOr:
      case ExprKind::kBitwiseXor:
      case ExprKind::kBitwiseNot:
      case ExprKind::kLShift:
      case ExprKind::kRShift:
        found = true;
        return;
      default:
        on.walk_children(part);
    }
  });
  return found;
}

using Domain = std::unordered_map<const VarNode*, Interval>;

// Every value an index takes while the variables of `domain` run over their intervals.
class Evaluator {
 public:
  Evaluator(const Domain& domain, const Simplify& simplify) : domain_(domain), simplify_(simplify) {}

  Interval eval(const Expr& e) const {
    bool relaxed = uses_var(e, [this](const VarNode* var) { return domain_.count(var) != 0; });
    bool vector = e->kind == ExprKind::kRamp || e->kind == ExprKind::kBroadcast;
    if (!relaxed && !vector && !is_unclear(e)) return Interval::point(without_idle_casts(e));
    switch (e->kind) {
      case ExprKind::kVar:
        return domain_.at(static_cast<const VarNode*>(e.get()));
      case ExprKind::kAdd:
      case ExprKind::kSub:
      case ExprKind::kMul: {
        auto* node = static_cast<const BinaryNode*>(e.get());
        Interval a = eval(node->a), b = eval(node->b);
        return a.unbounded() || b.unbounded() ? Interval{} : combined(e->kind, a, b);
      }
      case ExprKind::kMin:
      case ExprKind::kMax: {
        Interval both = extreme(e);
        return both.lo && both.hi ? both : Interval{};
      }
      case ExprKind::kFloorDiv:
      case ExprKind::kFloorMod:
      case ExprKind::kDiv:
      case ExprKind::kMod:
        return division(e);
      case ExprKind::kSelect: {
        auto* node = static_cast<const SelectNode*>(e.get());
        return unite(eval(node->false_value), eval(node->true_value));
      }
      case ExprKind::kCast: {
        Interval inner = eval(static_cast<const CastNode*>(e.get())->value);
        if (inner.unbounded() || !e->dtype().is_scalar()) return {};
        return {cast(e->dtype(), inner.lo), cast(e->dtype(), inner.hi)};
      }
      case ExprKind::kRamp: {
        auto* node = static_cast<const RampNode*>(e.get());
        auto stride = const_int(node->stride);
        auto lanes = const_int(node->lanes);
        Interval base = eval(node->base);
        if (!stride || !lanes || base.unbounded()) return {};
        int64_t reach = *stride * (*lanes - 1);
        Expr far = plus(reach >= 0 ? base.hi : base.lo, int_imm(node->base->dtype(), reach));
        return reach >= 0 ? Interval{base.lo, far} : Interval{far, base.hi};
      }
      case ExprKind::kBroadcast:
        return eval(static_cast<const BroadcastNode*>(e.get())->value);
      default:
        return {};
    }
  }

 private:
  // The ends of a minimum or maximum, each by itself: the smaller of anything and of 7 is at most 7, and null
  // from below. What is clamped to a buffer, as max(min(x, n - 1), 0), has both ends whatever x is.
  Interval extreme(const Expr& e) const {
    if (e->kind != ExprKind::kMin && e->kind != ExprKind::kMax) return eval(e);
    auto* node = static_cast<const BinaryNode*>(e.get());
    Interval a = extreme(node->a), b = extreme(node->b);
    bool least = e->kind == ExprKind::kMin;
    // A minimum has an upper end where either has one, and a lower end where both have one.
    auto either = [](const Expr& x, const Expr& y, auto& pick) { return x && y ? pick(x, y) : x ? x : y; };
    auto both = [](const Expr& x, const Expr& y, auto& pick) { return x && y ? pick(x, y) : Expr(nullptr); };
    return least ? Interval{both(a.lo, b.lo, smaller), either(a.hi, b.hi, smaller)}
                 : Interval{either(a.lo, b.lo, larger), both(a.hi, b.hi, larger)};
  }
  static Interval combined(ExprKind kind, const Interval& a, const Interval& b) {
    switch (kind) {
      case ExprKind::kAdd:
        return {plus(a.lo, b.lo), plus(a.hi, b.hi)};
      case ExprKind::kSub:
        return {difference(a.lo, b.hi), difference(a.hi, b.lo)};
      default:
        return product(a, b);
    }
  }

  static Interval product(Interval a, Interval b) {
    if (a.is_point() && !b.is_point()) std::swap(a, b);
    if (!b.is_point()) return {};
    if (auto factor = const_int(simplify_linear(b.lo))) {
      Expr x = scaled(a.lo, *factor);
      Expr y = scaled(a.hi, *factor);
      return *factor >= 0 ? Interval{x, y} : Interval{y, x};
    }
    // A factor of unknown sign.
    Expr sign = make<LENode>(const_like(b.lo, 0), b.lo);
    Expr x = simplify_linear(mul(a.lo, b.lo));
    Expr y = simplify_linear(mul(a.hi, b.lo));
    return {make<SelectNode>(sign, x, y), make<SelectNode>(sign, y, x)};
  }

  Interval division(const Expr& e) const {
    auto* node = static_cast<const BinaryNode*>(e.get());
    auto by = const_int(node->b);
    Interval a = eval(node->a);
    if (!by || *by <= 0 || a.unbounded()) return {};
    Expr divisor = int_imm(e->dtype(), *by);
    bool floors = e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kFloorMod;
    if (!floors) {
      auto least = const_int(a.lo);
      if (!least || *least < 0) return {};  // truncation is monotone, but equals flooring from 0 up only
    }
    Expr first = simplify_linear(floordiv(a.lo, divisor));
    Expr last = simplify_linear(floordiv(a.hi, divisor));
    if (e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kDiv) {
      if (is_same(first, last, simplify_)) return Interval::point(binary(ExprKind::kFloorDiv, a.lo, divisor));
      return {first, last};
    }
    if (constant_difference(first, last) == 0) {
      return {simplify_linear(floormod(a.lo, divisor)), simplify_linear(floormod(a.hi, divisor))};
    }
    if (is_same(first, last, simplify_)) {
      Expr below = mul(divisor, first);
      return {sub(a.lo, below), sub(a.hi, below)};
    }
    return {const_like(e, 0), int_imm(e->dtype(), *by - 1)};
  }

  const Domain& domain_;
  const Simplify& simplify_;
};

// Narrows the intervals of loop variables by a condition on one of them alone.
class Narrowing {
 public:
  Narrowing(Domain& domain, const Expr& condition, bool holds) : domain_(domain) { assume(condition, holds); }
  ~Narrowing() {
    for (auto it = before_.rbegin(); it != before_.rend(); ++it) domain_[it->first] = it->second;
  }
  Narrowing(const Narrowing&) = delete;

 private:
  void assume(const Expr& condition, bool holds) {
    if (auto* negated = as<NotNode>(condition)) return assume(negated->a, !holds);
    if (auto* likely = as_call_to(condition, "tirx.likely")) return assume(likely->args[0], holds);
    auto* node = as_binary(condition);
    if (!node) return;
    bool conjunction = node->kind == ExprKind::kAnd && holds;
    if (conjunction || (node->kind == ExprKind::kOr && !holds)) {
      assume(node->a, holds);
      assume(node->b, holds);
      return;
    }
    if (node->kind < ExprKind::kEQ || node->kind > ExprKind::kGE || !node->a->dtype().is_scalar()) return;
    if (!node->a->dtype().is_int()) return;
    LinearForm form = LinearForm::of(node->a);  // a - b, compared with 0
    form.add(LinearForm::of(node->b), -1);
    if (form.terms.size() != 1) return;
    auto* var = as<VarNode>(form.terms[0].first);
    if (!var || domain_.count(var) == 0) return;
    auto [factor, constant] = std::pair(form.terms[0].second, form.constant);
    if (node->kind == ExprKind::kEQ || node->kind == ExprKind::kNE) {
      if ((node->kind == ExprKind::kEQ) != holds || constant % factor != 0) return;
      at_most(var, factor, -constant);
      at_most(var, -factor, constant);
      return;
    }
    bool less = (node->kind == ExprKind::kLT || node->kind == ExprKind::kLE) == holds;
    bool strict = (node->kind == ExprKind::kLT || node->kind == ExprKind::kGT) == holds;
    at_most(var, less ? factor : -factor, (less ? -constant : constant) - (strict ? 1 : 0));
  }

  // factor * var <= limit
  void at_most(const VarNode* var, int64_t factor, int64_t limit) {
    bool upper = factor > 0;
    int64_t value = upper ? floor_div(limit, factor) : -floor_div(limit, -factor);
    Interval& interval = domain_[var];
    Expr& end = upper ? interval.hi : interval.lo;
    auto now = interval.unbounded() ? std::nullopt : const_int(end);
    if (!now || (upper ? *now <= value : *now >= value)) return;
    before_.emplace_back(var, interval);
    end = int_imm(var->dtype(), value);
  }

  Domain& domain_;
  std::vector<std::pair<const VarNode*, Interval>> before_;
};

class Detector final : public Walker {
 public:
  struct Touched {
    Buffer buffer;
    std::vector<Interval> box;
    bool united = false;  // of several accesses
  };
  std::vector<Touched> reads, writes;
  std::vector<Buffer> opaque;

  Detector(const SBlock& block, const Simplify& simplify) : simplify_(simplify) {
    for (const Buffer& buffer : block->alloc_buffers) local_.insert(buffer.get());
    for (const MatchBufferRegion& match : block->match_buffers) matched_[match->buffer.get()] = match->source;
    if (block->init) visit(block->init);
    visit(block->body);
  }

  void visit(const Expr& e) override {
    switch (e->kind) {
      case ExprKind::kTensorLoad: {
        auto* load = static_cast<const TensorLoadNode*>(e.get());
        touch(reads, load->source, load->indices);
        walk_children(e);
        return;
      }
      case ExprKind::kVar:
        if (static_cast<const VarNode*>(e.get())->buffer()) escape(ref(static_cast<const VarNode*>(e.get())));
        return;
      case ExprKind::kCall:
        return visit_call(e);
      default:
        walk_children(e);
    }
  }

  void visit(const Stmt& s) override {
    switch (s->kind) {
      case StmtKind::kBufferStore: {
        auto* store = static_cast<const BufferStoreNode*>(s.get());
        touch(writes, store->buffer, store->indices);
        visit(store->value);
        for (const Expr& index : store->indices) visit(index);
        return;
      }
      case StmtKind::kFor:
        return visit_for(*static_cast<const ForNode*>(s.get()));
      case StmtKind::kIfThenElse: {
        auto* branch = static_cast<const IfThenElseNode*>(s.get());
        visit(branch->condition);
        {
          Narrowing narrowed(domain_, branch->condition, true);
          visit(branch->then_case);
        }
        if (branch->else_case) {
          Narrowing narrowed(domain_, branch->condition, false);
          visit(branch->else_case);
        }
        return;
      }
      case StmtKind::kBind: {
        auto* bind = static_cast<const BindNode*>(s.get());
        visit(bind->value);
        lets_[bind->var.get()] = lets_.empty() ? bind->value : substitute(bind->value, lets_);
        return;
      }
      case StmtKind::kAllocBuffer:
        local_.insert(static_cast<const AllocBufferNode*>(s.get())->buffer.get());
        return;
      case StmtKind::kDeclBuffer: {
        // A view: what it touches is not known in terms of the buffer it views.
        auto* declared = static_cast<const DeclBufferNode*>(s.get());
        local_.insert(declared->buffer.get());
        visit(declared->data);
        return;
      }
      case StmtKind::kSBlockRealize:
        return visit_block(*static_cast<const SBlockRealizeNode*>(s.get()));
      default:
        walk_children(s);
    }
  }

 private:
  void visit_call(const Expr& e) {
    auto* call = static_cast<const CallNode*>(e.get());
    if (as_call_to(e, "tirx.if_then_else")) {
      visit(call->args[0]);
      {
        Narrowing narrowed(domain_, call->args[0], true);
        visit(call->args[1]);
      }
      Narrowing narrowed(domain_, call->args[0], false);
      visit(call->args[2]);
      return;
    }
    if (as_call_to(e, "tirx.tvm_access_ptr") && call->args.size() == 5) {
      auto* data = as_call_to(call->args[1], "tirx.buffer_data");
      auto mask = const_int(call->args[4]);
      auto* buffer = data ? as<VarNode>(data->args[0]) : nullptr;
      if (buffer && mask) {
        std::vector<Interval> whole(buffer->buffer()->shape.size());
        if (*mask & 1) touch_box(reads, ref(buffer), whole);
        if (*mask & 2) touch_box(writes, ref(buffer), whole);
        visit(call->args[2]);
        visit(call->args[3]);
        return;
      }
    }
    for (const Expr& arg : call->args) visit(arg);
  }

  void visit_for(const ForNode& loop) {
    visit(loop.min);
    visit(loop.extent);
    Interval all = values(resolved(loop.min), resolved(loop.extent));
    if (!all.unbounded()) all = {simplify_linear(all.lo), simplify_linear(all.hi)};
    domain_[loop.loop_var.get()] = all;
    visit(loop.body);
    domain_.erase(loop.loop_var.get());
  }

  // Of min, min + 1, ..., min + extent - 1.
  Interval values(const Expr& min, const Expr& extent) const {
    Evaluator evaluator(domain_, simplify_);
    Interval low = evaluator.eval(min);
    if (is_const_int(extent, 1)) return low;
    Interval high = evaluator.eval(difference(plus(min, extent), const_like(min, 1)));
    return low.unbounded() || high.unbounded() ? Interval{} : Interval{low.lo, high.hi};
  }

  void visit_block(const SBlockRealizeNode& realize) {
    VarMap bindings;
    for (size_t i = 0; i < realize.block->iter_vars.size(); ++i) {
      bindings[realize.block->iter_vars[i]->var.get()] = realize.iter_values[i];
    }
    auto add = [&](std::vector<Touched>& where, const Array<TensorRegion>& regions) {
      for (const TensorRegion& region : regions) {
        std::vector<Interval> box;
        for (const Range& range : region->region)
          box.push_back(values(resolved(substitute(range->min, bindings)),
                               resolved(substitute(range->extent, bindings))));
        touch_box(where, region->source, std::move(box));
      }
    };
    add(reads, realize.block->reads);
    add(writes, realize.block->writes);
  }

  Expr resolved(const Expr& e) const { return lets_.empty() ? e : substitute(e, lets_); }

  void touch(std::vector<Touched>& where, const Buffer& buffer, const Array<Expr>& indices) {
    std::vector<Interval> box;
    Evaluator evaluator(domain_, simplify_);
    for (const Expr& index : indices) box.push_back(evaluator.eval(resolved(index)));
    touch_box(where, buffer, std::move(box));
  }

  void touch_box(std::vector<Touched>& where, const Buffer& buffer, std::vector<Interval> box) {
    if (local_.count(buffer.get())) return;
    if (auto match = matched_.find(buffer.get()); match != matched_.end()) {
      touch_box(where, match->second->source, inside(*match->second.get(), box));
      return;
    }
    for (Touched& seen : where) {
      if (seen.buffer.get() != buffer.get()) continue;
      for (size_t i = 0; i < seen.box.size(); ++i) seen.box[i] = unite(seen.box[i], box[i]);
      seen.united = true;
      return;
    }
    where.push_back({buffer, std::move(box)});
  }

  // A box of a matched buffer as a box of the buffer behind it. Leading dimensions that the view leaves out
  // are taken whole.
  static std::vector<Interval> inside(const TensorRegionNode& source, const std::vector<Interval>& box) {
    std::vector<Interval> result;
    size_t skipped = source.region.size() - std::min(source.region.size(), box.size());
    for (size_t i = 0; i < source.region.size(); ++i) {
      const Range& range = source.region[i];
      Interval whole{range->min, is_const_int(range->extent, 1) ? range->min
                                                                : difference(plus(range->min, range->extent),
                                                                             const_like(range->min, 1))};
      if (i < skipped || box[i - skipped].unbounded()) {
        result.push_back(whole);
      } else if (const Interval& part = box[i - skipped]; part.is_point()) {
        result.push_back(Interval::point(plus(range->min, part.lo)));
      } else {
        result.push_back({plus(range->min, part.lo), plus(range->min, part.hi)});
      }
    }
    return result;
  }

  void escape(const Buffer& buffer) {
    if (local_.count(buffer.get())) return;
    for (const Buffer& seen : opaque) {
      if (seen.get() == buffer.get()) return;
    }
    opaque.push_back(buffer);
  }

  const Simplify& simplify_;
  Domain domain_;
  VarMap lets_;
  std::unordered_set<const VarNode*> local_;
  std::unordered_map<const VarNode*, TensorRegion> matched_;
};

Array<TensorRegion> regions(const std::vector<Detector::Touched>& touched, const Simplify& simplify,
                            const std::vector<Detector::Touched>* without = nullptr) {
  Array<TensorRegion> all;
  for (const Detector::Touched& one : touched) {
    if (without) {
      auto same = [&](const Detector::Touched& other) { return other.buffer.get() == one.buffer.get(); };
      if (std::any_of(without->begin(), without->end(), same)) continue;
    }
    Array<Range> box;
    for (size_t i = 0; i < one.box.size(); ++i) {
      const Interval& interval = one.box[i];
      if (interval.unbounded()) {
        const Expr& extent = one.buffer->buffer()->shape[static_cast<int64_t>(i)];
        box.push_back(make<RangeNode>(const_like(extent, 0), extent));
      } else if (interval.is_point() || is_same(interval.lo, interval.hi, simplify)) {
        const Expr at = one.united ? simplified(interval.lo, simplify) : interval.lo;
        box.push_back(make<RangeNode>(at, const_like(at, 1)));
      } else {
        Expr extent = difference(interval.hi, interval.lo);
        box.push_back(make<RangeNode>(simplified(interval.lo, simplify),
                                      simplified(plus(extent, const_like(extent, 1)), simplify)));
      }
    }
    all.push_back(make<TensorRegionNode>(one.buffer, std::move(box)));
  }
  return all;
}

}  // namespace

AccessRegions detect_access_regions(const SBlock& block, const Simplify& simplify) {
  Detector detector(block, simplify);
  AccessRegions found;
  found.writes = regions(detector.writes, simplify);
  found.reads = regions(detector.reads, simplify, block->init ? &detector.writes : nullptr);
  for (const Buffer& buffer : detector.opaque) found.opaque.push_back(buffer);
  return found;
}

}  // namespace mlc::ir
