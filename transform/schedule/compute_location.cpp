// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/compute_location.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/arith/expr_equal.h"
#include "transform/schedule/conditions.h"
#include "transform/schedule/invert_affine_index.h"
#include "transform/schedule/joint_dims.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/repeated_instances.h"
#include "transform/schedule/witness.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "no-such-position",
         .message = "position {} is not between {} and {}, where producers and consumers allow the block",
         .help = "-1 is the last possible position, -2 the first",
         .meaning =
             "In the loop the block stands behind all that it reads from, and before all that read from it.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.compute_at("double", i, index=7))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.compute_at("double", i))"},
        {.name = "consumer-reaches-further",
         .message =
             "block `{}` has instances that read nothing of what its producers write, and they would be "
             "left out",
         .help = "compute the producer at this block instead",
         .meaning =
             "In the loop of its producer a block runs for what this has written, which is less than all.",
         .wrong = R"(@T.prim_func(s_tir=True)
def padded(A: T.Buffer((16,), "float32"), C: T.Buffer((18,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0
    for i in range(18):
        with T.sblock("C"):
            vi = T.axis.spatial(18, i)
            C[vi] = T.if_then_else(1 <= vi and vi < 17, B[vi - 1], T.float32(0))


other = tvm.s_tir.Schedule(padded)
other.reverse_compute_at("C", other.get_loops("B")[0]))",
         .right = R"(sch.reverse_compute_at("shifted", sch.get_loops("product")[1]))"},
        {.name = "reads-partial-sum",
         .message = "below loop `{}`, block `{}` would read sums that block `{}` still adds to in later "
                    "iterations of loop `{}`",
         .help = "choose a loop around all loops that reduce",
         .meaning = "A sum is complete behind the last iteration of its reduction loops."},
        {.name = "loop-may-be-empty",
         .message = "loop `{}` may have no iterations, and block `{}` runs all the same where it stands",
         .help = "choose a loop around all loops that reduce, or tell the extent",
         .meaning = "What moves into a loop of no iterations never runs.",
         .wrong = R"(@T.prim_func(s_tir=True)
def sums(a: T.handle, C: T.Buffer((16,), "float32"), n: T.int32):
    A = T.match_buffer(a, (16, n))
    B = T.sblock_alloc_buffer((16,))
    for i, k in T.grid(16, n):
        with T.sblock("sums"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0.0
            B[vi] = B[vi] + A[vi, vk]
    for i in range(16):
        with T.sblock("shifted"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + 1.0


other = tvm.s_tir.Schedule(sums)
other.reverse_compute_at("shifted", other.get_loops("sums")[1]))",
         .right = R"(sch.reverse_compute_at("shifted", sch.get_loops("product")[1]))"},
        {.name = "condition-not-movable",
         .message = "block `{}` runs only under a condition on its loops, which its iterators do not tell",
         .help = "`split` with a factor that divides the extent needs no condition",
         .meaning = "The block gets other loops, of which the condition must be written."},
        {.name = "access-not-invertible",
         .message = "which iterations of block `{}` belong to one iteration of loop `{}` cannot be told",
         .help = "an index must be one iterator, scaled and shifted by constants",
         .meaning =
             "The block runs for what the loop's iteration needs of it, which must follow from the indices."},
        {.name = "only-block",
         .message = "block `{}` is all there is in its scope",
         .help = "at least one block must stay where it is",
         .meaning = "A block around others is not left empty."},
    }};
MLC_REFUSALS(schedule_compute_location, refusals);

namespace {

// scale * var + offset with a constant scale, or var // divisor, or var % divisor.
struct Index {
  enum class Form : uint8_t { kConstant, kLinear, kQuotient, kRemainder, kOther } form;
  Var var;
  int64_t factor = 1;
  Expr offset;
};

Index index_form(const Expr& e, const std::unordered_set<const VarNode*>& iters, Analyzer& analyzer) {
  std::vector<Var> used;
  for (const Var& var : free_vars(e)) {
    if (iters.contains(var.get())) used.push_back(var);
  }
  if (used.empty()) return {Index::Form::kConstant, nullptr, 0, e};
  if (used.size() > 1) return {Index::Form::kOther, nullptr, 0, nullptr};
  const Var& var = used[0];
  if (e.same_as(var)) return {Index::Form::kLinear, var, 1, const_like(e, 0)};
  if (auto* two = as_binary(e); two && two->a.same_as(var)) {
    auto divisor = const_int(two->b);
    if (divisor && *divisor > 0 && e->kind == ExprKind::kFloorDiv)
      return {Index::Form::kQuotient, var, *divisor, nullptr};
    if (divisor && *divisor > 0 && e->kind == ExprKind::kFloorMod)
      return {Index::Form::kRemainder, var, *divisor, nullptr};
  }
  Expr zero = substitute(e, {{var.get(), const_like(var, 0)}});
  Expr one = substitute(e, {{var.get(), const_like(var, 1)}});
  auto scale = const_int(analyzer.simplify(sub(one, zero)));
  if (!scale || *scale == 0) return {Index::Form::kOther, nullptr, 0, nullptr};
  Expr offset = analyzer.simplify(zero);
  if (!is_const_int(analyzer.simplify(sub(e, add(mul(var, const_like(var, *scale)), offset))), 0)) {
    return {Index::Form::kOther, nullptr, 0, nullptr};
  }
  return {Index::Form::kLinear, var, *scale, offset};
}

Interval simplified(const Interval& i, Analyzer& analyzer) {
  return {analyzer.simplify(i.min), analyzer.simplify(i.max)};
}

// What is needed of var % factor.
struct Remainder {
  int64_t factor;
  Interval need;
};
// All values with one quotient by `factor`?
bool is_point(const Interval& range, int64_t factor, Analyzer& analyzer) {
  return is_const_int(analyzer.simplify(sub(range.max, range.min)), factor - 1) &&
         is_const_int(analyzer.simplify(floormod(range.min, const_like(range.min, factor))), 0);
}

Interval intersect(const Interval& a, const Interval& b) { return {max(a.min, b.min), min(a.max, b.max)}; }

// Divisions towards zero by positive constants, which keep the order of their operands, and their remainders
// become variables, with what these go through.
class NameTruncations final : public Rewriter {
 public:
  NameTruncations(Domain domain, Analyzer& analyzer) : domain(std::move(domain)), analyzer_(analyzer) {}
  Domain domain;
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    bool quotient = next->kind == ExprKind::kDiv;
    auto* op = quotient || next->kind == ExprKind::kMod ? as_binary(next) : nullptr;
    if (!op || const_int(op->b).value_or(0) <= 0) return next;
    Interval a = interval_of(op->a, domain, analyzer_);
    if (!a) return next;
    Interval all;
    if (quotient) {
      all = {truncdiv(a.min, op->b), truncdiv(a.max, op->b)};
    } else if (analyzer_.can_prove_equal(a.min, a.max)) {
      all.min = all.max = truncmod(a.min, op->b);
    } else {
      all = {analyzer_.can_prove_ge(a.min, 0) ? const_like(op->b, 0) : sub(const_like(op->b, 1), op->b),
             op->b - 1};
    }
    Var name = make_var("digit", next->dtype());
    names_.push_back(name);
    domain[name.get()] = all;
    return name;
  }

 private:
  Analyzer& analyzer_;
  std::vector<Var> names_;
};

// What an index goes through.
Interval reach(const Expr& index, const Domain& domain, Analyzer& analyzer) {
  if (Interval found = interval_of(index, domain, analyzer)) return found;
  NameTruncations names(domain, analyzer);
  Expr named = names.rewrite(index);
  return named.same_as(index) ? Interval{} : interval_of(named, names.domain, analyzer);
}

using IterDomains = std::unordered_map<const VarNode*, IterDomain>;

// What another access requires of an iterator. An instance belongs to `exact`ly these only when all that it
// reads is there: the smaller domain; false when none of both is.
bool add_domain(IterDomains& found, const VarNode* var, const IterDomain& domain, bool exact,
                Analyzer& analyzer) {
  auto [it, fresh] = found.try_emplace(var, domain);
  if (fresh) return true;
  IterDomain& known = it->second;
  if (exact) {
    Interval next = simplified(domain.range, analyzer);
    auto within = [&](const Interval& a, const Interval& b) {
      return analyzer.can_prove(ge(a.min, b.min)) && analyzer.can_prove(le(a.max, b.max));
    };
    if (!within(known.range, next)) {
      if (!within(next, known.range)) return false;
      known.range = next;
    }
  } else {
    known.range = unite(known.range, domain.range, analyzer);
  }
  if (known.bound && domain.bound) known.bound = intersect(known.bound, domain.bound);
  return true;
}

// The iterators of an element whose indices share some or add some up.
std::optional<IterDomains> digits_within(const SBlockNode& block, const TensorRegion& region, const Box& box,
                                         const std::unordered_set<const VarNode*>& iters, bool exact,
                                         Analyzer& analyzer) {
  Array<Expr> indices;
  std::vector<Interval> needed;
  bool digits = false;
  for (size_t d = 0; d < region->region.size(); ++d) {
    const Range& range = region->region[d];
    if (!is_const_int(range->extent, 1) || !box.dims[d]) return std::nullopt;
    Index::Form form = index_form(range->min, iters, analyzer).form;
    digits = digits || (form != Index::Form::kConstant && form != Index::Form::kLinear);
    indices.push_back(range->min);
    needed.push_back(simplified(box.dims[d], analyzer));
  }
  if (!digits) return std::nullopt;
  return invert_affine_index(block.iter_vars, indices, needed, region->source->buffer()->shape, exact,
                             analyzer);
}

}  // namespace

std::optional<std::vector<IterDomain>> invert_regions(const SBlockNode& block,
                                                      const Array<TensorRegion>& touched,
                                                      const std::vector<Box>& needed, bool exact,
                                                      Analyzer& analyzer) {
  std::unordered_set<const VarNode*> iters;
  for (const IterVar& iter : block.iter_vars) iters.insert(iter->var.get());
  IterDomains found;
  std::unordered_map<const VarNode*, Remainder> remainders;
  for (const TensorRegion& region : touched) {
    auto box = std::find_if(needed.begin(), needed.end(),
                            [&](const Box& b) { return b.buffer.same_as(region->source); });
    if (box == needed.end()) continue;
    if (auto digits = digits_within(block, region, *box, iters, exact, analyzer)) {
      for (const auto& [var, domain] : *digits)
        if (!add_domain(found, var, domain, exact, analyzer)) return std::nullopt;
      continue;
    }
    for (size_t d = 0; d < region->region.size(); ++d) {
      const Range& range = region->region[d];
      Index index = index_form(range->min, iters, analyzer);
      if (index.form == Index::Form::kConstant) {
        // Every instance touches it; only where that is all that is asked for are they the ones that belong
        // here.
        const Interval& need = box->dims[d];
        if (exact &&
            !(need && is_const_int(range->extent, 1) && analyzer.can_prove_equal(need.min, range->min) &&
              analyzer.can_prove_equal(need.max, range->min)))
          return std::nullopt;
        continue;
      }
      bool digit = index.form == Index::Form::kQuotient || index.form == Index::Form::kRemainder;
      if (digit && !is_const_int(range->extent, 1)) {
        if (exact) return std::nullopt;  // a window over digits: neighbours overlap
        continue;
      }
      if (index.form == Index::Form::kRemainder) {
        if (box->dims[d]) remainders[index.var.get()] = {index.factor, simplified(box->dims[d], analyzer)};
        continue;
      }
      if (index.form == Index::Form::kOther || !box->dims[d]) {
        if (exact && index.form == Index::Form::kOther) return std::nullopt;
        continue;
      }
      // A window wider than the step: neighbouring iterations overlap, none of them needs this box alone.
      auto window = const_int(range->extent);
      if (exact && (!window || *window > std::max<int64_t>(index.factor, 1))) return std::nullopt;
      Interval need = simplified(box->dims[d], analyzer);
      Interval whole{const_like(range->min, 0), region->source->buffer()->shape[d] - 1};
      IterDomain domain;
      Expr by = const_like(index.var, index.factor);
      if (index.form == Index::Form::kQuotient) {
        domain.range = {mul(need.min, by), add(mul(need.max, by), const_like(by, index.factor - 1))};
        domain.bound = {whole.min, add(mul(whole.max, by), const_like(by, index.factor - 1))};
      } else if (index.factor == 1) {
        // [v + c, v + c + e - 1] meets [lo, hi]
        Expr reach = range->extent - 1;
        bool point = is_const_int(range->extent, 1);
        domain.range = {sub(point ? need.min : sub(need.min, reach), index.offset),
                        sub(need.max, index.offset)};
        // Ends whose order is unknown.
        Interval& ends = domain.range;
        if (point && !const_int(analyzer.simplify(sub(need.max, need.min))))
          ends = {ir::min(ends.min, ends.max), ir::max(ends.min, ends.max)};
        domain.bound = {sub(whole.min, index.offset), sub(whole.max, index.offset)};
        if (!point) domain.bound = {};
      } else if (index.factor > 1) {
        domain.range = {floordiv(sub(need.min, index.offset), by), floordiv(sub(need.max, index.offset), by)};
        domain.bound = {floordiv(sub(whole.min, index.offset), by),
                        floordiv(sub(whole.max, index.offset), by)};
      } else if (index.factor == -1 && is_const_int(range->extent, 1)) {
        // The other way round: the last element is the first iterator's.
        domain.range = {sub(index.offset, need.max), sub(index.offset, need.min)};
        domain.bound = {sub(index.offset, whole.max), sub(index.offset, whole.min)};
      } else {
        if (exact) return std::nullopt;
        continue;
      }
      if (!add_domain(found, index.var.get(), domain, exact, analyzer)) return std::nullopt;
    }
  }
  std::vector<IterDomain> result;
  for (const IterVar& iter : block.iter_vars) {
    auto it = found.find(iter->var.get());
    auto rest = remainders.find(iter->var.get());
    if (exact && rest != remainders.end()) {
      // With one quotient the remainders are neighbours; otherwise all of them must be there.
      const auto& [factor, need] = rest->second;
      if (it != found.end() && is_point(it->second.range, factor, analyzer)) {
        Expr first = it->second.range.min;
        it->second.range = {add(first, need.min), add(first, need.max)};
      } else if (!is_const_int(need.min, 0) || !is_const_int(need.max, factor - 1)) {
        return std::nullopt;
      }
    }
    Interval own{iter->dom->min, iter->dom->min + iter->dom->extent - 1};
    if (it == found.end()) {
      result.push_back({own, {}});
      continue;
    }
    IterDomain domain = it->second;
    domain.range = simplified(domain.range, analyzer);
    // What is needed may reach past the instances there are.
    auto within = [&](const Interval& a) {
      return analyzer.can_prove(ge(a.min, own.min)) && analyzer.can_prove(le(a.max, own.max));
    };
    if (domain.bound ? !within(domain.bound) : !within(domain.range))
      domain.bound = domain.bound ? intersect(domain.bound, own) : own;
    if (domain.bound) {
      domain.bound = simplified(domain.bound, analyzer);
      Interval both = simplified(intersect(domain.range, domain.bound), analyzer);
      auto equal = [&](const Interval& a) {
        return analyzer.can_prove_equal(a.min, both.min) && analyzer.can_prove_equal(a.max, both.max);
      };
      if (equal(domain.range)) {
        domain.bound = {};
      } else if (equal(domain.bound)) {
        domain.range = std::exchange(domain.bound, {});
      }
    }
    result.push_back(domain);
  }
  return result;
}

namespace {

// What is accessed where a condition on the relaxed loops holds, for indices that are one digit each: a
// condition such as `i0 * 3 + i1 < 20` is the extent of the digit then. nullopt where there is another kind
// of index.
std::optional<std::vector<Interval>> reach_where(const SBlockRealize& realize, const TensorRegion& region,
                                                 const VarMap& values,
                                                 const std::vector<const ForNode*>& relaxed,
                                                 const std::vector<SRefNode*>& around, Analyzer& analyzer) {
  if (relaxed.empty()) return std::nullopt;
  auto is_relaxed = [&](const VarNode* var) {
    return std::any_of(relaxed.begin(), relaxed.end(),
                       [&](const ForNode* loop) { return loop->loop_var.get() == var; });
  };
  // Sizes are known around; a loop that stays around moves what the condition leaves.
  bool moves = uses_var(realize->predicate, [&](const VarNode* var) {
    return !is_relaxed(var) && std::any_of(around.begin(), around.end(), [&](const SRefNode* sref) {
      return sref->loop() && sref->loop()->loop_var.get() == var;
    });
  });
  if (moves) return std::nullopt;
  std::vector<LoopRange> loops;
  for (auto loop = relaxed.rbegin(); loop != relaxed.rend(); ++loop)
    loops.push_back({(*loop)->loop_var, make<RangeNode>((*loop)->min, (*loop)->extent)});
  Array<Expr> firsts;
  for (const Range& range : region->region) {
    if (!const_int(range->extent)) return std::nullopt;
    firsts.push_back(substitute(range->min, values));
  }
  IterMapResult map = detect_iter_map(firsts, loops, realize->predicate, IterMapCheck::kSurjective, analyzer);
  if (map.indices.empty()) return std::nullopt;
  std::vector<Interval> result;
  for (size_t d = 0; d < map.indices.size(); ++d) {
    const IterSum& sum = map.indices[d];
    if (sum->args.size() > 1) return std::nullopt;
    Expr last = sum->base;
    if (!sum->args.empty()) {
      const auto& digit = sum->args[0];
      auto scale = const_int(digit->scale);
      if (!scale || *scale < 0) return std::nullopt;
      last = last + (digit->extent - 1) * digit->scale;
    }
    result.push_back({sum->base, analyzer.simplify(last + region->region[d]->extent - 1)});
  }
  return result;
}

// `by_memory`: an index that memory holds is a point where it stays the same, and conditions bound nothing: a
// producer computes what its consumer's loops reach.
void relax(ScheduleState& state, const SRefNode& block, const Array<TensorRegion>& regions,
           const SRefNode& top, std::string_view storage_scope, bool by_memory, std::vector<Box>& into,
           Analyzer& analyzer) {
  SBlockRealize realize = realize_of(state, block);
  VarMap values = bindings_of(realize);
  std::vector<SRefNode*> around = loops_above(block);
  for (const TensorRegion& region : regions) {
    std::vector<const ForNode*> relaxed = relaxed_loops(block, &top, storage_scope);
    // What a loop runs over may depend on the loops around it.
    Domain domain;
    for (auto loop = relaxed.rbegin(); loop != relaxed.rend(); ++loop) {
      domain[(*loop)->loop_var.get()] =
          interval_of(make<RangeNode>((*loop)->min, (*loop)->extent), domain, analyzer);
    }
    auto is_relaxed = [&](const VarNode* var) { return domain.contains(var); };
    // Sizes that are not constant may leave a loop's variable in the ends.
    auto known = [&](const Interval& ends) {
      return ends && !uses_var(ends.min, is_relaxed) && !uses_var(ends.max, is_relaxed);
    };
    Box box{region->source, {}};
    if (!by_memory) {
      auto met = reach_where(realize, region, values, relaxed, around, analyzer);
      if (met && std::all_of(met->begin(), met->end(), known)) box.dims = *met;
    }
    for (size_t d = box.dims.size(); d < region->region.size(); ++d) {
      const Range& range = region->region[d];
      if (!by_memory) {  // one digit of a fused loop is better known by its extent than by its ends
        TensorRegion alone = make<TensorRegionNode>(region->source, Array<Range>{range});
        auto met = reach_where(realize, alone, values, relaxed, around, analyzer);
        if (met && known((*met)[0])) {
          box.dims.push_back((*met)[0]);
          continue;
        }
      }
      Expr first = substitute(range->min, values);
      Interval low = reach(first, domain, analyzer);
      if (!low && by_memory && is_fixed_element(first, domain, state, *scope_of(block))) low = {first, first};
      Interval high = low;
      if (!is_const_int(range->extent, 1)) {
        Expr last = range->min + range->extent - 1;
        // An extent that is not constant often takes back what `min` adds.
        if (!const_int(range->extent)) last = analyzer.simplify(last);
        high = reach(substitute(last, values), domain, analyzer);
      }
      box.dims.push_back(low && high ? Interval{low.min, high.max} : Interval{});
    }
    add_box(into, box, analyzer);
  }
}

}  // namespace

void relax_below(ScheduleState& state, const SRefNode& block, const Array<TensorRegion>& regions,
                 const SRefNode& top, bool across_threads, std::vector<Box>& into, Analyzer& analyzer) {
  for (const TensorRegion& region : regions) {
    relax(state, block, {region}, top, across_threads ? memory_of(region->source) : "", across_threads, into,
          analyzer);
  }
}
void relax_below(ScheduleState& state, const SRefNode& block, const Array<TensorRegion>& regions,
                 const SRefNode& top, std::string_view storage_scope, std::vector<Box>& into,
                 Analyzer& analyzer) {
  relax(state, block, regions, top, storage_scope, false, into, analyzer);
}

namespace {

// Loops `ax0`, `ax1`, ... over `domains` with the block's realize inside. `condition`: on the block's
// iterators, tested as well. `around`: what the loops around run over, for proofs.
Stmt loops_over(const SBlock& block, const std::vector<IterDomain>& domains, bool preserve_unit_loops,
                Analyzer& analyzer, const Expr& condition, Domain around) {
  std::vector<std::pair<Var, Expr>> loops;
  Array<Expr> values;
  Expr predicate = bool_imm(true);
  for (const IterDomain& domain : domains) {
    const Expr& min = domain.range.min;
    Expr extent = analyzer.simplify(domain.range.max - min + 1);
    if (preserve_unit_loops || !is_const_int(extent, 1)) {
      DataType dtype = min->dtype().bits() > extent->dtype().bits() ? min->dtype() : extent->dtype();
      Var var = make_var(String(fmt::format("ax{}", loops.size())), dtype);
      loops.emplace_back(var, extent);
      values.push_back(min + var);
      analyzer.bind(var, make<RangeNode>(Expr(int_imm(dtype, 0)), extent));
      if (!around.empty()) around[var.get()] = {int_imm(dtype, 0), extent - 1};
    } else {
      values.push_back(min);
    }
    if (!domain.bound) continue;
    Expr low = ge(values.back(), domain.bound.min), high = lt(values.back(), domain.bound.max + 1);
    if (!always_holds(low, analyzer, around)) predicate = logical_and(predicate, low);
    if (!always_holds(high, analyzer, around)) predicate = logical_and(predicate, high);
  }
  VarMap iters;
  for (size_t i = 0; i < values.size(); ++i) iters[block->iter_vars[i]->var.get()] = values[i];
  Expr tested = substitute(condition, iters);
  if (!analyzer.can_prove(tested)) predicate = logical_and(predicate, tested);
  return serial_loops(loops, make<SBlockRealizeNode>(values, said_once(analyzer.simplify(predicate)), block));
}

// Removes `block`, loops that only held it with it, and puts `subtree` at `position` of the loop's body.
Stmt moved_block(const SRefNode& block, const SRefNode& loop, const Stmt& subtree, size_t position,
                 const SRefNode& scope) {
  std::vector<Stmt> body = statements_of(loop.loop()->body);
  body.insert(body.begin() + position, subtree);
  Stmt next_loop = with_statements(loop.stmt, body);
  return scope_without(scope, block, {&loop}, [&](Stmt s) { return s.get() == loop.loop() ? next_loop : s; });
}

// Where in the loop's body a block may be: after the last of `before`, ahead of the first of `after`. For
// argument `index`: -1 the last of these positions, -2 the first. Error: no-such-position.
size_t position_in(const SRefNode& loop, const std::vector<SRefNode*>& before,
                   const std::vector<SRefNode*>& after, int64_t index, Span span) {
  size_t first = 0, last = statements_of(loop.loop()->body).size();
  for (const SRefNode* block : before)
    if (is_above(loop, *block)) first = std::max(first, child_position(loop, *block) + 1);
  for (const SRefNode* block : after)
    if (is_above(loop, *block)) last = std::min(last, child_position(loop, *block));
  if (index < 0 && index >= -2) return index == -1 ? last : first;
  if (index >= static_cast<int64_t>(first) && index <= static_cast<int64_t>(last))
    return static_cast<size_t>(index);
  throw refuse(refusals["no-such-position"], index, first, last).kind("InternalError+ScheduleError").at(span);
}

// What the partner reads of what the block writes, or, when the block is no producer, writes of what it
// reads.
Array<TensorRegion> regions_in_common(const SRefNode& block, const SRefNode& partner, bool is_producer) {
  const Array<TensorRegion>& mine = is_producer ? block.block()->writes : block.block()->reads;
  Array<TensorRegion> shared;
  for (const TensorRegion& region : is_producer ? partner.block()->reads : partner.block()->writes) {
    if (touches(mine, region->source)) shared.push_back(region);
  }
  return shared;
}

// Instances of a consumer that read nothing its producers write belong to no iteration of the producers'
// loops.
void require_all_instances(ScheduleState& state, const SRefNode& block,
                           const std::vector<SRefNode*>& producers, Span span) {
  SRefNode& scope = *scope_of(block);
  Analyzer analyzer;
  bind_surroundings(analyzer, state, scope);
  std::vector<Box> written;
  for (const SRefNode* producer : producers)
    relax_below(state, *producer, regions_in_common(block, *producer, false), scope, false, written,
                analyzer);
  auto reached = invert_regions(*block.block(), block.block()->reads, written, true, analyzer);
  // The instances that run now: in a block, parts of the iterators' domains.
  Domain own = domain_of(ranges_of(loops_above(block)));
  SBlockRealize realize = realize_of(state, block);
  for (size_t i = 0; reached && i < reached->size(); ++i) {
    const IterVar& iter = block.block()->iter_vars[i];
    const auto& [range, bound] = (*reached)[i];
    Interval met = bound ? intersect(range, bound) : range;
    Expr first = iter->dom->min, last = iter->dom->min + iter->dom->extent - 1;
    if (Interval runs = interval_of(realize->iter_values[i], own, analyzer)) {
      if (analyzer.can_prove(ge(runs.min, first))) first = runs.min;
      if (analyzer.can_prove(le(runs.max, last))) last = runs.max;
    }
    last = last_under_condition(realize, i, last, analyzer);
    bool low = analyzer.can_prove(le(met.min, first)), high = analyzer.can_prove(ge(met.max, last));
    if (low && high) continue;
    Error error = refuse(refusals["consumer-reaches-further"], block.name.c_str());
    auto at = const_int(low ? last : first);
    if (at)
      add_witness(error, fmt::format("those with `{}` = {}, for example", iter->var->name.c_str(), *at));
    throw about_block(std::move(error), span, block.stmt->span)
        .help("compute the producer at this block instead, or inline it: `sch.compute_inline`");
  }
}

// Is all that the instances of a moved consumer read written in the same iteration of `loop`? A box around
// what a producer writes may hold more than that, and an instance more than its part of the box: it would run
// again, and what was written in another iteration need not be there any more.
bool reads_what_is_written(ScheduleState& state, const SRefNode& block, const SRefNode& loop,
                           const std::vector<SRefNode*>& producers, const std::vector<Box>& written,
                           const std::vector<IterDomain>& domains, const Domain& around, Analyzer& analyzer) {
  for (const SRefNode* producer : producers) {
    VarMap values = bindings_of(realize_of(state, *producer));
    for (const TensorRegion& region : regions_in_common(block, *producer, false)) {
      auto box = std::find_if(written.begin(), written.end(),
                              [&](const Box& each) { return each.buffer.same_as(region->source); });
      if (box == written.end()) continue;
      if (!fills_joint_dims(*producer, loop, *region, values, *box, analyzer)) return false;
    }
  }
  std::unordered_set<const VarNode*> iters;
  for (const IterVar& iter : block.block()->iter_vars) iters.insert(iter->var.get());
  for (const TensorRegion& region : block.block()->reads) {
    auto box = std::find_if(written.begin(), written.end(),
                            [&](const Box& each) { return each.buffer.same_as(region->source); });
    if (box == written.end()) continue;
    for (size_t d = 0; d < region->region.size(); ++d) {
      const Range& range = region->region[d];
      Index index = index_form(range->min, iters, analyzer);
      if (index.form != Index::Form::kLinear || index.factor <= 1 || !box->dims[d]) continue;
      size_t i = 0;
      while (!block.block()->iter_vars[i]->var.same_as(index.var)) ++i;
      auto at = [&](const Expr& value) {
        return add(mul(value, const_like(value, index.factor)), index.offset);
      };
      Expr first = at(domains[i].range.min), last = at(domains[i].range.max) + range->extent - 1;
      if (!always_holds(ge(first, box->dims[d].min), analyzer, around) ||
          !always_holds(le(last, box->dims[d].max), analyzer, around))
        return false;
    }
  }
  return true;
}

// A producer's sum is whole after the last of the iterations around that reduce it. A consumer computed in
// each of them ends with the whole sum; one that takes only a part of them, for another producer's sake, does
// not. `domains`: the consumer's in one iteration.
void require_whole_sums(ScheduleState& state, const SRefNode& block, SRefNode& loop,
                        const std::vector<SRefNode*>& producers, const std::vector<IterDomain>& domains,
                        Analyzer& analyzer, Span span) {
  if (producers.size() < 2) return;
  std::vector<SRefNode*> around = loops_up(loop);
  for (const SRefNode* producer : producers) {
    SBlockRealize realize = realize_of(state, *producer);
    const SRefNode* adds = nullptr;
    for (const SRefNode* each : around) {
      if (!is_const_int(each->loop()->extent, 1) && used_by(realize, *each, true)) adds = each;
    }
    if (!adds) continue;
    std::vector<Box> sums;
    relax_below(state, *producer, regions_in_common(block, *producer, false), loop, false, sums, analyzer);
    auto all = invert_regions(*block.block(), block.block()->reads, sums, true, analyzer);
    for (size_t i = 0; i < domains.size(); ++i) {
      if (all && analyzer.can_prove(le(domains[i].range.min, (*all)[i].range.min)) &&
          analyzer.can_prove(ge(domains[i].range.max, (*all)[i].range.max)))
        continue;
      throw refuse(refusals["reads-partial-sum"], loop.name.c_str(), block.name.c_str(),
                   producer->name.c_str(), adds->name.c_str())
          .at(span)
          .note("the producer is defined here", producer->stmt->span);
    }
  }
}

// What a moved block's condition requires besides that its iterators stay in their domains, written in these;
// and the conditions under which its producers run, where these are of loops that it moves into. Iterations
// that add nothing to a producer's sum leave out nothing: the sum is there.
Expr moved_condition(ScheduleState& state, const SRefNode& block, SRefNode& loop,
                     const std::vector<SRefNode*>& producers, Analyzer& analyzer, Span span) {
  Expr result = bool_imm(true);
  SBlockRealize realize = realize_of(state, block);
  std::vector<SRefNode*> around = loops_up(loop), loops = loops_above(block), kept;
  for (SRefNode* each : loops) {
    if (std::find(around.begin(), around.end(), each) != around.end()) kept.push_back(each);
  }
  for (const Expr& condition : conditions_beyond_domains(realize, loops, analyzer)) {
    auto moved = condition_on_iterators(condition, realize, loops, kept);
    if (!moved) {
      throw about_block(refuse(refusals["condition-not-movable"], block.name.c_str()), span,
                        block.stmt->span);
    }
    result = logical_and(result, *moved);
  }
  for (const SRefNode* producer : producers) {
    SBlockRealize produced = realize_of(state, *producer);
    std::vector<SRefNode*> above = loops_above(*producer);
    for (const Expr& condition : conditions_beyond_domains(produced, above, analyzer)) {
      bool left_out = uses_var(condition, [&](const VarNode* var) {
        return std::any_of(above.begin(), above.end(), [&](SRefNode* each) {
          return each->loop()->loop_var.get() == var &&
                 (std::find(around.begin(), around.end(), each) == around.end() ||
                  used_by(produced, *each, true));
        });
      });
      if (!left_out) result = logical_and(result, condition);
    }
  }
  return result;
}

}  // namespace

static void require_steps(const SRefNode& loop, const SRefNode& block, Analyzer& analyzer, Span span) {
  if (analyzer.can_prove_ge(loop.loop()->extent, 1)) return;
  throw about_block(refuse(refusals["loop-may-be-empty"], loop.name.c_str(), block.name.c_str()), span,
                    block.stmt->span);
}

void require_iterations(ScheduleState& state, const SRefNode& block, SRefNode& loop,
                        const std::vector<SRefNode*>& producers, Analyzer& analyzer, Span span) {
  for (const SRefNode* each : loops_up(loop)) {
    bool reduces = std::any_of(producers.begin(), producers.end(), [&](SRefNode* producer) {
      return used_by(realize_of(state, *producer), *each, true);
    });
    if (reduces) require_steps(*each, block, analyzer, span);
  }
}

// In a loop without steps that is in none of its iterators a consumer would not run, nor start its sums.
// `subtree`: it and its own loops, as they will stand in `loop`.
static void require_consumer_runs(const SRefNode& block, SRefNode& loop, const Stmt& subtree,
                                  Analyzer& analyzer, Span span) {
  const Stmt* moved = &subtree;
  while (auto* each = as<ForNode>(*moved)) moved = &each->body;
  SBlockRealize realize = ref(as<SBlockRealizeNode>(*moved));
  for (const SRefNode* each : loops_up(loop))
    if (!used_by(realize, *each, true) && !used_by(realize, *each, false))
      require_steps(*each, block, analyzer, span);
}

Move plan_move(ScheduleState& state, SRefNode& block, SRefNode& loop, const std::vector<SRefNode*>& producers,
               const std::vector<SRefNode*>& consumers, bool is_producer, bool preserve_unit_loops,
               int64_t index, Span block_span, Span index_span) {
  SRefNode& scope = *scope_of(block);
  Analyzer analyzer;
  bind_surroundings(analyzer, state, loop);
  size_t position = position_in(loop, producers, consumers, index, index_span);
  std::vector<Box> needed;
  for (SRefNode* partner : is_producer ? consumers : producers)
    relax_below(state, *partner, regions_in_common(block, *partner, is_producer), loop, is_producer, needed,
                analyzer);
  auto domains = invert_regions(*block.block(), is_producer ? block.block()->writes : block.block()->reads,
                                needed, !is_producer, analyzer);
  Domain around = domain_of(ranges_of(loops_up(loop)));
  if (domains && !is_producer &&
      !reads_what_is_written(state, block, loop, producers, needed, *domains, around, analyzer))
    domains.reset();
  if (!domains) {
    Error error = refuse(refusals["access-not-invertible"], block.name.c_str(), loop.name.c_str());
    if (!is_producer && state.explaining)
      add_witness(error, instance_of_two_iterations(state, block, loop, producers));
    throw about_block(std::move(error).kind("ValueError+ScheduleError"), block_span, block.stmt->span)
        .help("an index must be one iterator, scaled and shifted by constants");
  }
  if (!is_producer) {
    require_all_instances(state, block, producers, block_span);
    require_iterations(state, block, loop, producers, analyzer, block_span);
    if (auto fewer = fewer_instances(realize_of(state, block), block, loop, *domains, analyzer))
      throw about_block(refuse_as(refusals["consumer-reaches-further"],
                                  "loop `{}` would run {:.0f} of the {:.0f} instances of block `{}`",
                                  loop.name.c_str(), fewer->first, fewer->second, block.name.c_str()),
                        block_span, block.stmt->span);
    require_whole_sums(state, block, loop, producers, *domains, analyzer, block_span);
  }
  SBlock same = ref(block.block());
  Expr condition = moved_condition(state, block, loop, is_producer ? std::vector<SRefNode*>{} : producers,
                                   analyzer, block_span);
  Stmt subtree = loops_over(same, *domains, preserve_unit_loops, analyzer, condition, around);
  if (!is_producer) require_consumer_runs(block, loop, subtree, analyzer, block_span);
  require_sums_once(state, block, loop, subtree, block_span);
  Stmt next_scope = moved_block(block, loop, subtree, position, scope);
  if (!is_producer) require_whole_reads(state, block, loop, subtree, scope, next_scope, block_span);
  if (is_no_op(as<SBlockNode>(next_scope)->body)) {
    throw refuse(refusals["only-block"], block.name.c_str()).at(block_span);
  }
  // Iterations may repeat instances now; they compute the same values, so what was affine counts as affine
  // still.
  return {&scope, next_scope};
}

SRefNode& require_movable(ScheduleState& state, const BlockArg& block, const LoopArg& loop,
                          std::string_view primitive) {
  SRefNode* scope = scope_of(*block);
  if (!scope || scope_of(*loop) != scope) {
    throw refuse(shared_refusals["not-in-one-scope"], block->name.c_str(), loop->name.c_str()).at(loop.span);
  }
  require_stage_pipeline(state, *scope, primitive);
  require_complete_or_reduction(state, *block, *scope);
  if (is_above(*loop, *block)) {
    throw refuse(shared_refusals["loop-is-around-block"], loop->name.c_str(), block->name.c_str())
        .at(loop.span);
  }
  return *scope;
}

void move_to(Step& step, const BlockArg& block, const LocationArg& location, bool preserve_unit_loops,
             int64_t index, PlanMove plan, PlanInlining plan_inlining) {
  if (location.mark() == Mark::kRoot) return;
  if (location.mark() == Mark::kInline) {
    Inlining inlining = plan_inlining(step.state, block);
    step.replace(*inlining.scope, inlining.next, inlining.reuse);
    return;
  }
  Move move = plan(step.state, block, location.loop, preserve_unit_loops, index, step.span(4));
  std::vector<Buffer> covered = covered_reads(step.state, *move.scope, *block);
  step.replace(*move.scope, move.next);
  block->affine_binding = has_affine_binding(step.state, *block);
  // It may read more at its new place than was written before it; a tile is computed with each part of it
  // that was produced, the last time with all of it.
  recheck_cover(step.state, *move.scope, *block, covered);
}

}  // namespace mlc::transform
