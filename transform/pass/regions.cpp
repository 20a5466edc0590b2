// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/regions.h"

#include "transform/arith/int_set.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

class IntervalEvaluator {
 public:
  IntervalEvaluator(const Domain& domain, Analyzer& analyzer) : domain_(domain), analyzer_(analyzer) {}

  Interval eval(const Expr& e) {
    bool varies = uses_var(e, [&](const VarNode* var) { return var->buffer() || domain_.contains(var); });
    if (!varies && side_effect(e) == Effect::kPure) return {e, e};
    if (auto* var = as<VarNode>(e)) return var->buffer() ? Interval{} : domain_.at(var);
    if (auto* cast = as<CastNode>(e)) {
      Interval value = eval(cast->value);
      if (!value || !cast->dtype().is_int()) return {};
      return {ir::cast(cast->dtype(), value.min), ir::cast(cast->dtype(), value.max)};
    }
    if (auto* select = as<SelectNode>(e)) return either(select->true_value, select->false_value);
    if (auto* call = as_call_to(e, "tirx.if_then_else")) return either(call->args[1], call->args[2]);
    if (auto* call = as_call_to(e, "tirx.likely")) return eval(call->args[0]);
    auto* op = as_binary(e);
    if (!op || !e->dtype().is_integral()) return {};
    Interval a = eval(op->a);
    Interval b = eval(op->b);
    if (!a || !b) {
      if (op->kind == ExprKind::kFloorMod) return modulo({}, op->b);
      return {};
    }
    switch (op->kind) {
      case ExprKind::kAdd:
        return {a.min + b.min, a.max + b.max};
      case ExprKind::kSub:
        return {a.min - b.max, a.max - b.min};
      case ExprKind::kMul:
        return multiply(a, b);
      case ExprKind::kFloorDiv:
        return divide(a, b);
      case ExprKind::kFloorMod:
        return modulo(a, op->b);
      case ExprKind::kMin:
        return {ir::min(a.min, b.min), ir::min(a.max, b.max)};
      case ExprKind::kMax:
        return {ir::max(a.min, b.min), ir::max(a.max, b.max)};
      default:
        return {};
    }
  }

 private:
  Interval either(const Expr& x, const Expr& y) {
    Interval a = eval(x);
    Interval b = eval(y);
    return a && b ? unite(a, b, analyzer_) : Interval{};
  }
  bool is_point(const Interval& i) { return i.min.same_as(i.max) || analyzer_.can_prove_equal(i.min, i.max); }
  Interval multiply(const Interval& a, const Interval& b) {
    if (is_point(b)) {
      if (analyzer_.can_prove_ge(b.min, 0)) return {a.min * b.min, a.max * b.min};
      if (analyzer_.can_prove_lt(b.min, 1)) return {a.max * b.min, a.min * b.min};
      return {};
    }
    return is_point(a) ? multiply(b, a) : Interval{};
  }
  Interval divide(const Interval& a, const Interval& b) {
    if (!is_point(b) || !analyzer_.can_prove_ge(b.min, 1)) return {};
    return {floordiv(a.min, b.min), floordiv(a.max, b.min)};
  }
  Interval modulo(const Interval& a, const Expr& divisor) {
    if (uses_var(divisor, [&](const VarNode* var) { return domain_.contains(var); })) return {};
    if (!analyzer_.can_prove_ge(divisor, 1)) return {};
    if (a && analyzer_.can_prove_equal(floordiv(a.min, divisor), floordiv(a.max, divisor))) {
      return {floormod(a.min, divisor), floormod(a.max, divisor)};
    }
    return {const_like(divisor, 0), divisor - 1};
  }

  const Domain& domain_;
  Analyzer& analyzer_;
};

// Collects the regions below a statement, loop by loop.
class RegionCollector final : public Walker {
 public:
  explicit RegionCollector(Analyzer& analyzer) : analyzer_(analyzer) {}

  struct Entry {
    Buffer buffer;
    std::vector<Interval> dims;  // an interval without ends: the whole dimension
  };
  std::vector<Entry> reads, writes;

  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      walk_expr(loop->min);
      walk_expr(loop->extent);
      domain_[loop->loop_var.get()] =
          interval_of(make<RangeNode>(loop->min, loop->extent), domain_, analyzer_);
      analyzer_.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
      visit(loop->body);
      domain_.erase(loop->loop_var.get());
      return;
    }
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      VarMap values;
      for (size_t i = 0; i < realize->iter_values.size(); ++i) {
        values[realize->block->iter_vars[i]->var.get()] = realize->iter_values[i];
      }
      for (const TensorRegion& region : realize->block->reads) add(reads, substitute(region, values));
      for (const TensorRegion& region : realize->block->writes) add(writes, substitute(region, values));
      return;
    }
    if (auto* bind = as<BindNode>(s)) domain_[bind->var.get()] = {};  // another value each time
    if (auto* alloc = as<AllocBufferNode>(s)) inner_.insert(alloc->buffer.get());
    if (auto* store = as<BufferStoreNode>(s)) add(writes, store->buffer, store->indices);
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (auto* let = as<LetNode>(e)) domain_[let->var.get()] = {};
    walk_children(e);
    if (auto* load = as<TensorLoadNode>(e)) add(reads, load->source, load->indices);
  }

  Array<TensorRegion> regions(const std::vector<Entry>& entries) {
    Array<TensorRegion> out;
    for (const Entry& entry : entries) {
      if (inner_.contains(entry.buffer.get())) continue;
      const BufferTypeNode* type = entry.buffer->buffer();
      Array<Range> ranges;
      for (size_t d = 0; d < entry.dims.size(); ++d) {
        const Interval& dim = entry.dims[d];
        if (!dim) {
          ranges.push_back(make<RangeNode>(const_like(type->shape[d], 0), type->shape[d]));
          continue;
        }
        if (dim.min.same_as(dim.max)) {
          ranges.push_back(make<RangeNode>(dim.min, const_like(dim.min, 1)));
          continue;
        }
        Expr min = analyzer_.simplify(dim.min);
        ranges.push_back(make<RangeNode>(min, analyzer_.simplify(dim.max - dim.min + 1)));
      }
      out.push_back(make<TensorRegionNode>(entry.buffer, ranges));
    }
    return out;
  }

 private:
  void walk_expr(const Expr& e) { visit(e); }
  void add(std::vector<Entry>& to, const TensorRegion& region) {
    std::vector<Interval> dims;
    for (const Range& range : region->region) dims.push_back(interval_of(range, domain_, analyzer_));
    add(to, region->source, std::move(dims));
  }
  void add(std::vector<Entry>& to, const Buffer& buffer, const Array<Expr>& indices) {
    std::vector<Interval> dims;
    for (const Expr& index : indices) dims.push_back(interval_of(index, domain_, analyzer_));
    add(to, buffer, std::move(dims));
  }
  void add(std::vector<Entry>& to, const Buffer& buffer, std::vector<Interval> dims) {
    for (Entry& entry : to) {
      if (!entry.buffer.same_as(buffer)) continue;
      for (size_t d = 0; d < dims.size(); ++d) {
        entry.dims[d] = entry.dims[d] && dims[d] ? unite(entry.dims[d], dims[d], analyzer_) : Interval{};
      }
      return;
    }
    to.push_back({buffer, std::move(dims)});
  }

  Analyzer& analyzer_;
  Domain domain_;
  std::unordered_set<const VarNode*> inner_;
};

}  // namespace

Interval interval_of(const Expr& e, const Domain& domain, Analyzer& analyzer) {
  if (e->dtype().is_vector()) return {};
  Domains sets;
  for (const Var& var : free_vars(e)) {
    auto known = domain.find(var.get());
    if (known == domain.end() && !var->buffer()) continue;
    // What memory holds, and what nothing is known of.
    if (var->buffer() || !known->second) return IntervalEvaluator(domain, analyzer).eval(e);
    const auto& [min, max] = known->second;
    sets[var.get()] = make<IntervalSetNode>(min, max);
  }
  if (sets.empty()) return side_effect(e) == Effect::kPure ? Interval{e, e} : Interval{};
  IntervalSet all = interval_of(e, sets, analyzer);
  return all->has_lower() && all->has_upper() ? Interval{all->min_value, all->max_value} : Interval{};
}

Interval interval_of(const Range& range, const Domain& domain, Analyzer& analyzer) {
  Interval first = interval_of(range->min, domain, analyzer);
  if (is_const_int(range->extent, 1)) return first;
  // An extent that is not constant often takes back what `min` adds.
  Expr end = range->min + range->extent - 1;
  Interval last =
      interval_of(range->extent->kind == ExprKind::kIntImm ? end : analyzer.simplify(end), domain, analyzer);
  return {first.min, last.max};
}

Interval unite(const Interval& a, const Interval& b, Analyzer& analyzer) {
  return {analyzer.simplify(ir::min(a.min, b.min)), analyzer.simplify(ir::max(a.max, b.max))};
}

Regions regions_of(const Stmt& body, Analyzer& analyzer) {
  RegionCollector collector(analyzer);
  collector.visit(body);
  // A read of what the statement itself writes first is no read of the outside, but which came first is
  // not known here: both are kept, as in the blocks inside.
  return {collector.regions(collector.reads), collector.regions(collector.writes)};
}

}  // namespace mlc::transform
