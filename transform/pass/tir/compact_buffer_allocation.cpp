// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/reduction_init.h"
#include "transform/arith/inequalities.h"
#include "transform/arith/int_set.h"
#include "transform/arith/region_bound.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/definitions.h"
#include "transform/pass/lower_opaque.h"
#include "transform/pass/refusals.h"
#include "transform/pass/regions.h"

namespace mlc::transform::pass_compact_buffer_allocation {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "explicit-region-places",
         .message = "`explicit_read_region` holds no list of places in T.reads"},
    }};
MLC_REFUSALS(tir_compact_buffer_allocation, refusals);

namespace {

constexpr char doc[] =
    R"(CompactBufferAllocation(is_strict=True): allocate only the part of a buffer that its scope touches.

    with T.sblock(""):                      with T.sblock(""):
        B = T.sblock_alloc_buffer((128,))       B = T.sblock_alloc_buffer((16,))
        for j in range(16):         =>          for j in range(16):
            B[i * 16 + j] = ...                     B[i * 16 + j - i * 16] = ...
needs: blocks are opaque (ConvertBlocksToOpaque), allocations are where they belong.
keeps: every access, shifted by where the touched part begins.
Before match_buffer is lowered: a view shifts with the region it looks at.)";

// The touched box of every buffer allocated by a block, over the loops inside the block.
class TouchedRegions final : public Walker {
 public:
  struct Box {
    std::vector<Interval> dims;
    bool whole = false;    // accessed in a way that indices do not describe
    bool vectors = false;  // touched by vectors
    size_t depth = 0;      // loops outside of the allocation
  };
  std::unordered_map<const VarNode*, Box> boxes;
  Analyzer analyzer;

  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      visit(loop->min);
      visit(loop->extent);
      bool is_thread = loop->for_kind == ForKind::kThreadBinding;
      loops_.push_back({loop->loop_var, make<RangeNode>(loop->min, loop->extent),
                        is_thread ? loop->thread_binding->thread_tag : String()});
      analyzer.bind(loop->loop_var, loops_.back().range);
      visit(loop->body);
      loops_.pop_back();
    } else if (auto* block = as<SBlockNode>(s)) {
      if (!block->iter_vars.empty()) {
        throw refuse(pass_refusals["block-not-opaque"], block->name_hint.c_str())
            .at(s->span)
            .help("run ConvertBlocksToOpaque first");
      }
      for (const Buffer& buffer : block->alloc_buffers) allocate(buffer);
      for (const MatchBufferRegion& match : block->match_buffers) touch(match->source);
      // The declared regions of a block bound its accesses; its body has the actual ones, except through
      // pointers.
      Declared own, marked;
      for (const Array<TensorRegion>& regions : {block->reads, block->writes}) {
        for (const TensorRegion& region : regions) own[region->source.get()].push_back(region);
      }
      if (auto places = block->annotations.find("explicit_read_region"); places != block->annotations.end())
        mark((*places).second, block->reads, marked);
      exchange(declared_, own);
      exchange(explicit_, marked);
      if (block->init) visit(block->init);
      visit(block->body);
      exchange(declared_, own);
      exchange(explicit_, marked);
    } else if (auto* realize = as<SBlockRealizeNode>(s)) {
      for (const Expr& value : realize->iter_values) visit(value);
      visit(realize->predicate);
      under(realize->predicate, [&] { visit(Stmt(realize->block)); });
    } else if (auto* branch = as<IfThenElseNode>(s)) {
      visit(branch->condition);
      if (!branch->condition->dtype().is_bool()) {  // a number, as `T.cuda.elect_sync()`: it tells of no loop
        visit(branch->then_case);
        if (branch->else_case) visit(branch->else_case);
        return;
      }
      under(branch->condition, [&] { visit(branch->then_case); });
      if (branch->else_case)
        under(analyzer.rewrite_simplify(logical_not(branch->condition)), [&] { visit(branch->else_case); });
    } else if (auto* store = as<BufferStoreNode>(s)) {
      touch(store->buffer, store->indices);
      walk_children(s);
    } else if (auto* bind = as<BindNode>(s)) {
      visit(bind->value);
      names_.push_back(bind);
    } else if (auto* attr = as<AttrStmtNode>(s)) {
      auto thread = attr->node.as<IterVar>();
      if (!thread) return walk_children(s);
      visit(attr->value);
      Range range = make<RangeNode>(const_like(attr->value, 0), attr->value);
      loops_.push_back({(*thread)->var, range, (*thread)->thread_tag});
      analyzer.bind((*thread)->var, range);
      visit(attr->body);
      loops_.pop_back();
    } else if (auto* alloc = as<AllocBufferNode>(s)) {
      allocate(alloc->buffer);
    } else {
      walk_children(s);
    }
  }
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e); var && var->buffer()) {
      auto found = boxes.find(var);
      auto declared = declared_.find(var);
      if (found == boxes.end()) return;
      if (declared == declared_.end() || declared->second.empty()) {
        found->second.whole = true;
      } else {
        for (const TensorRegion& region : declared->second) touch(region);
      }
    }
    if (auto* choice = as_call_to(e, "tirx.if_then_else")) {
      visit(choice->args[0]);
      under(choice->args[0], [&] { visit(choice->args[1]); });
      under(analyzer.rewrite_simplify(logical_not(choice->args[0])), [&] { visit(choice->args[2]); });
      return;
    }
    if (auto* let = as<LetNode>(e)) named_[let->var.get()] = {};
    if (auto* load = as<TensorLoadNode>(e)) {
      auto regions = explicit_.find(load->source.get());
      if (regions == explicit_.end() || regions->second.empty()) {
        touch(load->source, load->indices);
      } else {
        for (const TensorRegion& region : regions->second) touch(region);
      }
    }
    walk_children(e);
  }

 private:
  // Regions by buffer, as the innermost block that names it has them.
  using Declared = std::unordered_map<const VarNode*, std::vector<TensorRegion>>;
  static void exchange(Declared& all, Declared& own) {
    for (auto& [buffer, regions] : own) regions.swap(all[buffer]);
  }
  // Which of the regions cover every read of their buffers; indices out of range cover none.
  static void mark(const Any& annotation, const Array<TensorRegion>& regions, Declared& marked) {
    auto places = annotation.as<Array<Any>>();
    if (!places) {
      throw refuse(refusals["explicit-region-places"]).kind("TypeError");
    }
    for (const Any& place : *places) {
      int64_t at = integer_of(place).value();
      if (at >= 0 && at < static_cast<int64_t>(regions.size()))
        marked[regions[at]->source.get()].push_back(regions[at]);
    }
  }
  void allocate(const Buffer& buffer) { boxes[buffer.get()].depth = loops_.size(); }
  template <class F>
  void under(const Expr& condition, F&& inside) {
    // Not a fact of the analyzer: what simplifies here is used where the condition does not hold.
    size_t facts = facts_.size(), unsolved = unsolved_.size();
    auto know = [&](const Expr& form) {
      auto solved = solve(form);
      if (solved)
        for (const LoopRange& one : *solved) facts_.emplace_back(one.var, interval_of(one.range, analyzer));
      return solved.has_value();
    };
    if (!know(condition)) unsolved_.push_back(condition);
    if (Expr plain = without_single_loops(condition); !plain.same_as(condition))
      for (const Expr& part : conjuncts(plain)) know(part);
    inside();
    facts_.erase(facts_.begin() + static_cast<int64_t>(facts), facts_.end());
    unsolved_.erase(unsolved_.begin() + static_cast<int64_t>(unsolved), unsolved_.end());
  }
  // Without the variables of loops of one iteration.
  Expr without_single_loops(const Expr& condition) const {
    VarMap single;
    for (const Loop& loop : loops_)
      if (is_const_int(loop.range->extent, 1)) single[loop.var.get()] = loop.range->min;
    return substitute(condition, single);
  }
  // What the condition leaves of the ranges of the loops around it.
  std::optional<std::vector<LoopRange>> solve(const Expr& condition) {
    std::vector<Expr> comparisons = linear_comparisons(Analyzer().simplify(condition));
    std::vector<Var> vars;
    for (const Expr& one : comparisons) {
      for (const Var& var : free_vars(one)) {
        bool known = std::any_of(vars.begin(), vars.end(), [&](const Var& v) { return v.same_as(var); });
        if (!known) vars.push_back(var);
      }
    }
    if (vars.empty()) return std::nullopt;
    std::vector<LoopRange> ranges;
    for (const Loop& loop : loops_) {
      if (std::none_of(vars.begin(), vars.end(), [&](const Var& v) { return v.same_as(loop.var); })) continue;
      Expr last = sub(add(loop.range->min, loop.range->extent), const_like(loop.range->min, 1));
      Interval interval{loop.range->min, last};
      narrow(loop.var.get(), interval);
      Expr extent = analyzer.simplify(interval.max - interval.min + 1);
      ranges.push_back({loop.var, make<RangeNode>(interval.min, extent)});
    }
    return solve_to_ranges(vars, ranges, comparisons);
  }
  // What enclosing conditions imply for one variable.
  void narrow(const VarNode* var, Interval& interval) {
    for (const auto& [about, set] : facts_) {
      if (about.get() != var || !interval) continue;
      if (set->has_lower()) interval.min = analyzer.simplify(ir::max(interval.min, set->min_value));
      if (set->has_upper()) interval.max = analyzer.simplify(ir::min(interval.max, set->max_value));
    }
  }
  void touch(const Buffer& buffer, const Array<Expr>& indices) {
    Array<Range> ranges;
    for (const Expr& index : indices) {
      if (auto found = boxes.find(buffer.get()); found != boxes.end() && index->dtype().is_vector())
        found->second.vectors = true;
      auto* ramp = as<RampNode>(index);
      if (ramp && analyzer.can_prove_ge(ramp->stride, 1)) {
        // As in TVM, the gap behind the last lane counts.
        ranges.push_back(make<RangeNode>(ramp->base, ramp->stride * ramp->lanes));
      } else if (index->dtype().is_scalable()) {
        if (auto found = boxes.find(buffer.get()); found != boxes.end()) found->second.whole = true;
        return;
      } else {
        ranges.push_back(make<RangeNode>(index, const_like(index, 1)));
      }
    }
    touch(make<TensorRegionNode>(buffer, ranges));
  }
  void touch(const TensorRegion& region) {
    auto found = boxes.find(region->source.get());
    if (found == boxes.end() || found->second.whole) return;
    Box& box = found->second;
    Domain domain = inner_loops(box.depth, text(region->source->buffer()->storage_scope));
    std::vector<Interval> dims;
    for (const Range& range : region->region) {
      auto bound = within_unsolved(range, domain);
      dims.push_back(bound ? *bound : interval_of(range, domain, analyzer));
      if (!known_outside(dims.back(), box.depth)) dims.back() = Interval{};
    }
    if (box.dims.empty()) {
      box.dims = std::move(dims);
      return;
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      box.dims[d] = box.dims[d] && dims[d] ? unite(box.dims[d], dims[d], analyzer) : Interval{};
    }
  }
  // Can the bounds be computed where the buffer is allocated? What memory holds there is not what an index
  // reads, and a loop whose extent is read from memory leaves its variable in them.
  bool known_outside(const Interval& interval, size_t depth) const {
    if (!interval) return true;
    bool known = true;
    for (const Expr& bound : {interval.min, interval.max}) {
      post_order(bound, [&](const Expr& e) { known = known && !as<TensorLoadNode>(e); });
      known = known && !uses_var(bound, [&](const VarNode* var) {
                return std::any_of(
                    loops_.begin() + static_cast<int64_t>(depth), loops_.end(),
                    [&](const Loop& loop) { return loop.thread_tag.empty() && loop.var.get() == var; });
              });
    }
    return known;
  }
  // What conditions between variables leave of an index that counts them like digits.
  std::optional<Interval> within_unsolved(const Range& range, const Domain& domain) {
    bool lanes = range->min->dtype().is_vector();  // several places: no digits
    if (unsolved_.empty() || lanes || !const_int(range->extent)) return std::nullopt;
    for (const BindNode* name : names_) {  // no digits, and no constants either
      if (uses_var(range->min, [&](const VarNode* var) { return var == name->var.get(); }))
        return std::nullopt;
    }
    std::vector<LoopRange> iters;
    for (const Loop& loop : loops_) {
      auto known = domain.find(loop.var.get());
      if (known == domain.end() || !known->second) continue;
      Expr extent = analyzer.simplify(known->second.max - known->second.min + 1);
      iters.push_back({loop.var, make<RangeNode>(known->second.min, extent)});
    }
    Expr predicate = unsolved_[0];
    for (size_t i = 1; i < unsolved_.size(); ++i) predicate = logical_and(predicate, unsolved_[i]);
    IntervalSet set = sym::bound_by_digits(range, iters, predicate, analyzer);
    if (!set || !set->has_lower() || !set->has_upper()) return std::nullopt;
    return Interval{set->min_value, set->max_value};
  }
  // Do the threads of the loop share memory of that scope? All of them global memory, those of a block the
  // block's.
  struct Loop {
    Var var;
    Range range;
    String thread_tag;  // of a thread instead of a loop
  };
  static bool is_shared_among(const Loop& loop, std::string_view scope) {
    std::string_view tag = text(loop.thread_tag);
    if (tag.empty()) return false;
    if (scope.starts_with("global") || scope.empty()) return true;
    if (scope.starts_with("shared")) return !tag.starts_with("blockIdx");
    return scope == "warp" && tag == "threadIdx.x";
  }
  // What the variables inside of the allocation run over, and those of threads that share it.
  Domain inner_loops(size_t depth, std::string_view scope) {
    Domain domain = named_;
    for (size_t i = 0; i < loops_.size(); ++i) {
      const Loop& loop = loops_[i];
      if (i < depth && !is_shared_among(loop, scope)) continue;
      Interval& interval = domain[loop.var.get()];
      interval = interval_of(loop.range, domain, analyzer);
      narrow(loop.var.get(), interval);
    }
    for (const BindNode* name : names_) {
      bool known = name->var->dtype().is_int() && side_effect(name->value) <= Effect::kPure;
      Interval interval = known ? interval_of(name->value, domain, analyzer) : Interval{};
      domain[name->var.get()] = interval;
    }
    return domain;
  }

  std::vector<Loop> loops_;
  std::vector<const BindNode*> names_;
  std::vector<std::pair<Var, IntervalSet>> facts_;
  std::vector<Expr> unsolved_;  // enclosing conditions that constrain no single variable
  Declared declared_, explicit_;
  Domain named_;  // variables of Let: their values are not followed
};

// A buffer's new shape and where it begins in the old one.
struct Compacted {
  Buffer buffer;
  std::vector<Expr> begin;
};

struct Compact final : Rewriter {
  std::unordered_map<const VarNode*, Compacted> buffers;

  using Rewriter::rewrite;
  Array<Expr> shift(const Compacted& to, const Array<Expr>& indices) {
    Array<Expr> out;
    for (size_t d = 0; d < indices.size(); ++d) out.push_back(shift(to, d, indices[d]));
    return out;
  }
  // In the type of the touched part.
  Expr shift(const Compacted& to, size_t d, const Expr& old) {
    Expr index = rewrite(old);
    index = cast(to.begin[d]->dtype().with_lanes(index->dtype().lanes()), index);
    if (index->dtype().is_vector() && !index->dtype().is_scalable())
      return make<SubNode>(index, make<BroadcastNode>(to.begin[d], int32(index->dtype().lanes())));
    return is_const_int(to.begin[d], 0) ? index : sub(index, to.begin[d]);
  }
  Expr rewrite(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) {
      auto found = buffers.find(load->source.get());
      if (found != buffers.end()) {
        return make<TensorLoadNode>(found->second.buffer, shift(found->second, load->indices), e->span);
      }
    } else if (auto* region = as<TensorRegionNode>(e)) {
      auto found = buffers.find(region->source.get());
      if (found != buffers.end()) {
        Array<Range> ranges;
        for (size_t d = 0; d < region->region.size(); ++d) {
          const Range& range = region->region[d];
          Expr extent = cast(found->second.begin[d]->dtype(), rewrite(range->extent));
          ranges.push_back(make<RangeNode>(shift(found->second, d, range->min), extent));
        }
        return make<TensorRegionNode>(found->second.buffer, ranges, e->span);
      }
    } else if (auto* var = as<VarNode>(e)) {
      auto found = buffers.find(var);
      if (found != buffers.end()) return found->second.buffer;
    }
    return rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    auto* store = as<BufferStoreNode>(s);
    auto found = store ? buffers.find(store->buffer.get()) : buffers.end();
    if (found == buffers.end()) return rewrite_children(s);
    return make<BufferStoreNode>(found->second.buffer, rewrite(store->value),
                                 shift(found->second, store->indices), s->span);
  }
  Buffer rewrite_buffer(const Buffer& buffer) override {
    auto found = buffers.find(buffer.get());
    return found == buffers.end() ? buffer : found->second.buffer;
  }
  Var rewrite_def(const Var& var) override { return rewrite_buffer(var); }
};

Array<Expr> aligned_strides(const Array<Expr>& shape, const std::vector<DimAlign>& requests) {
  std::vector<Expr> strides(shape.size());
  Expr stride = shape.empty() ? Expr(int32(1)) : Expr(const_like(shape[0], 1));
  for (size_t d = shape.size(); d-- > 0;) {
    for (const DimAlign& request : requests) {
      if (request.axis == d) {  // the next multiple of factor plus offset
        Expr factor = const_like(stride, request.factor);
        Expr offset = const_like(stride, request.offset);
        stride = stride + floormod(factor + offset - floormod(stride, factor), factor);
      }
    }
    strides[d] = stride;
    stride = stride * shape[d];
  }
  return {strides.begin(), strides.end()};
}

// Is the size the same wherever in the function it is asked for?
bool known_at_entry(const Expr& size, const std::unordered_set<const VarNode*>& inside) {
  return side_effect(size) <= Effect::kPure &&
         !uses_var(size, [&](const VarNode* var) { return inside.contains(var); });
}

// A buffer has an element: of `min(n, 1)` elements, or of that many rows, there is one.
Expr one_at_least(const Expr& size) {
  return rewrite_with(size, [](const Expr& e, Rewriter& on) {
    auto* min = as<MinNode>(e);
    if (min && (is_const_int(min->a, 1) || is_const_int(min->b, 1))) return const_like(e, 1);
    return as<MulNode>(e) ? on.rewrite_children(e) : e;
  });
}

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  bool strict = options.flag(0);
  auto inside = defined_in(fn->body);
  TouchedRegions touched;
  touched.visit(fn->body);
  std::unordered_map<const VarNode*, std::vector<DimAlign>> requests;  // by buffer
  walk_with(fn->body, [&](const Stmt& s, Walker& on) {
    if (auto* block = as<SBlockNode>(s))
      for (const DimAlign& one : dim_alignments(*block)) requests[one.buffer.get()].push_back(one);
    on.walk_children(s);
  });
  Compact compact;
  for (auto& [var, box] : touched.boxes) {
    const BufferTypeNode* type = var->buffer();
    if (box.dims.empty() && !box.whole) continue;
    Compacted next;
    Array<Expr> shape;
    // Places of vectors are written as differences, whatever they are to.
    bool changed = !type->strides.empty() || (box.vectors && !box.whole);
    auto fit = [&](const Expr& size, const Expr& whole) {
      if (!strict) return touched.analyzer.simplify(size);
      if (const_int(size).value_or(0) > 0 && whole->kind == ExprKind::kMul &&
          touched.analyzer.can_prove(eq(floormod(whole, size), const_like(size, 0))))
        return size;  // a whole number of rows, and one at least
      return touched.analyzer.simplify(one_at_least(touched.analyzer.simplify(ir::min(whole, size))));
    };
    for (size_t d = 0; d < type->shape.size(); ++d) {
      Expr begin = const_like(type->shape[d], 0);
      Expr extent = type->shape[d];
      if (!box.whole && box.dims[d]) {
        const Interval& dim = box.dims[d];
        Expr low = touched.analyzer.simplify(strict ? ir::max(const_like(dim.min, 0), dim.min) : dim.min);
        Expr size = touched.analyzer.simplify(dim.max - dim.min + 1);
        std::optional<int64_t> whole = const_int(extent);
        std::optional<int64_t> exact = const_int(size);
        if (!exact && known_at_entry(size, inside)) {
          Expr least = fit(size, extent);
          next.begin.push_back(low);
          shape.push_back(least);
          changed |= !is_const_int(low, 0) || !structural_equal(least, extent);
          continue;
        }
        // A size that varies is bounded by constants; without a constant to compare with, the bound may
        // be no more than the range of the type.
        if (!exact && whole) exact = touched.analyzer.const_int_bound(size).max;
        if (exact && *exact >= 1) {
          begin = low;
          if (strict && whole) exact = std::min(*exact, *whole);
          Expr fitting = const_like(size, *exact);
          changed |= !whole || *exact != *whole || !is_const_int(low, 0);
          extent = whole ? fitting : fit(fitting, extent);
        }
      }
      next.begin.push_back(begin);
      shape.push_back(extent);
    }
    auto requested = requests.find(var);
    if (!changed && requested == requests.end()) continue;
    next.buffer = with_type(ref(var), with(type_of(ref(var)), [&](BufferTypeNode& n) {
                              n.shape = shape;
                              n.strides = {};
                              if (requested != requests.end())
                                n.strides = aligned_strides(shape, requested->second);
                            }));
    compact.buffers[var] = next;
  }
  return compact.buffers.empty() ? fn : with_body(fn, compact.rewrite(fn->body));
}

}  // namespace

extern const Pass compact_buffer_allocation{"CompactBufferAllocation", "s_tir.transform",
                                            "CompactBufferAllocation(is_strict=True)", doc, apply};

}  // namespace mlc::transform::pass_compact_buffer_allocation
