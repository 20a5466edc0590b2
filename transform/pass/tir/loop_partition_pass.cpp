// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/tir/reduction_init.h"
#include "transform/arith/deduce_bound.h"
#include "transform/pass/convert_ssa.h"
#include "transform/pass/jumps.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_loop_partition_pass {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "partition-thread-loop",
         .kind = ir::kRefusedValue,
         .message = "loop `{}` is bound to `{}` and cannot be cut",
         .help = "LoopPartition cuts launched threads: UnifyThreadBinding makes them of loops",
         .meaning = "Threads are launched once, as many as the loop has iterations; two loops in its place "
                    "would launch them twice."},
    }};
MLC_REFUSALS(tir_loop_partition, refusals);

namespace {

constexpr char doc[] =
    R"(LoopPartition(): a loop is cut where conditions that are likely begin or cease to hold.

    for i in range(n):                          for i in range(n // 4):
        for j in range(4):              =>          for j in range(4):
            if T.likely(i * 4 + j < n):                 S
                S                               ...    # the rest, with the condition
needs: a bound of the loop is not constant, or option `partition_const_loop`, or the attribute
`pragma_loop_partition_hint` about its variable (which counts every comparison as likely).
keeps: the order of iterations. `T.likely` and hints are gone afterwards.
Options `s_tir.LoopPartition`: partition_const_loop, no_unroll_loop_with_extent_one (a part of one iteration stays a
loop), unroll_loop_with_partition_hint_no_interval (hinted loops that cannot be cut are unrolled).
Where guards of tails cost more than the code they double.)";

constexpr std::string_view kHint = "pragma_loop_partition_hint";

struct Options {
  bool const_loops;
  bool keep_unit_loops;
  bool unroll_hinted;
};

using Exprs = std::unordered_set<const ExprNode*>;
using VarSet = std::unordered_set<const VarNode*>;

// blockIdx and vthread are of rank 0, threadIdx of rank 1.
bool is_thread_index(const IterVar& iter) { return text(iter->thread_tag).starts_with("threadIdx"); }

// Loops that may be cut.
struct Candidates final : Walker {
  bool const_loops;
  std::unordered_set<const StmtNode*> found;
  VarSet hinted;
  explicit Candidates(bool const_loops) : const_loops(const_loops) {}

  using Walker::visit;
  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      if (hinted.contains(loop->loop_var.get())) {
        found.insert(s.get());
        return walk_children(s);
      }
      if (!const_int(loop->min) || !const_int(loop->extent) || const_loops)
        return record(loop->loop_var.get(), s);
    } else if (auto* attr = as<AttrStmtNode>(s)) {
      if (IterVar iter = launched_thread(s)) {
        if (hinted.contains(iter->var.get())) {
          found.insert(s.get());
        } else if (!is_thread_index(iter) && (!const_int(attr->value) || const_loops)) {
          return record(iter->var.get(), s);
        }
      } else if (text(attr->attr_key) == kHint && Analyzer().can_prove(attr->value)) {
        if (auto var = attr->node.as<Var>()) hinted.insert((*var).get());
        if (auto about = attr->node.as<IterVar>()) hinted.insert((*about)->var.get());
      }
    } else if (auto* sequence = as<SeqStmtNode>(s)) {
      bool before = no_split_;
      bool after = before;
      for (const Stmt& one : sequence->seq) {
        no_split_ = before;
        visit(one);
        after |= no_split_;
      }
      no_split_ = after;
      return;
    }
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      auto at = record_.find(var);
      if (in_likely_ && at != record_.end()) at->second = true;
    }
    if (as_call_to(e, "tirx.tvm_thread_allreduce")) {
      no_split_ = true;
      return;
    }
    bool before = std::exchange(in_likely_, in_likely_ || as_call_to(e, "tirx.likely"));
    walk_children(e);
    in_likely_ = before;
  }

 private:
  bool in_likely_ = false;
  bool no_split_ = false;  // threads reduce together below: all of them have to come there
  std::unordered_map<const VarNode*, bool> record_;

  void record(const VarNode* var, const Stmt& s) {
    record_[var] = false;
    walk_children(s);
    if (record_[var] && !no_split_) found.insert(s.get());
    record_.erase(var);
  }
};

// Where a condition has one value.
struct Part {
  Expr condition;
  bool value;
  IntervalSet interval;
};

struct Finder final : Walker {
  const Var& var;
  Domains hints, relaxed;
  bool hinted;
  std::vector<Part> parts;

  Finder(const Var& var, Domains hints, Domains relaxed, bool hinted)
      : var(var), hints(std::move(hints)), relaxed(std::move(relaxed)), hinted(hinted) {
    for (const auto& one : this->hints) outside_.insert(one.first);
    for (const auto& one : this->relaxed) outside_.insert(one.first);
  }

  using Walker::visit;
  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      auto from_outside = [&](const VarNode* one) { return outside_.contains(one); };
      if (uses_var(loop->min, from_outside) || uses_var(loop->extent, from_outside)) return;
      return inside(loop->loop_var.get(), loop->min,
                    sub(add(loop->min, loop->extent), const_like(loop->min, 1)), s);
    }
    if (IterVar iter = launched_thread(s)) {
      const Expr& extent = as<AttrStmtNode>(s)->value;
      return inside(iter->var.get(), const_like(extent, 0), sub(extent, const_like(extent, 1)), s);
    }
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (auto* likely = as_call_to(e, "tirx.likely")) return deduce(likely->args[0]);
    if (as_call_to(e, "tirx.ignore_loop_partition")) return;
    if (hinted && e->kind >= ExprKind::kEQ && e->kind <= ExprKind::kGE) return deduce(e);
    walk_children(e);
  }

 private:
  VarSet outside_;

  void inside(const VarNode* one, const Expr& min, const Expr& max, const Stmt& s) {
    IntervalSet all = make<IntervalSetNode>(min, max);
    bool own_hint = hints.emplace(one, all).second, own = relaxed.emplace(one, all).second;
    walk_children(s);
    if (own_hint) hints.erase(one);
    if (own) relaxed.erase(one);
  }
  void add_part(const Expr& condition, bool value, const IntervalSet& interval) {
    for (Part& part : parts) {
      if (part.condition.same_as(condition) && part.value == value) {
        part.interval = interval;
        return;
      }
    }
    parts.push_back({condition, value, interval});
  }
  void deduce(const Expr& condition) {
    if (!depends_on(condition, var)) return;
    IntervalSet interval = deduce_bound(var, condition, hints, relaxed);
    if (!interval->is_nothing()) {
      add_part(condition, true, interval);
    } else if (auto* equal = as<EQNode>(condition)) {
      IntervalSet low = deduce_bound(var, make<GENode>(equal->a, equal->b), hints, relaxed);
      IntervalSet high = deduce_bound(var, make<LENode>(equal->a, equal->b), hints, relaxed);
      Analyzer analyzer;
      interval = meet(low, high, analyzer);
      if (!low->is_nothing() && !high->is_nothing() && !interval->is_nothing())
        return add_part(condition, true, interval);
    }
    if (Expr opposite = inverse(condition)) {
      interval = deduce_bound(var, opposite, hints, relaxed);
      if (!interval->is_nothing()) add_part(condition, false, interval);
    }
  }
  static Expr inverse(const Expr& e) {
    static constexpr std::pair<ExprKind, ExprKind> opposites[] = {
        {ExprKind::kLT, ExprKind::kGE}, {ExprKind::kGT, ExprKind::kLE}, {ExprKind::kEQ, ExprKind::kNE}};
    auto* two = as_binary(e);
    for (const auto& [one, other] : opposites) {
      if (e->kind == one || e->kind == other) return binary(e->kind == one ? other : one, two->a, two->b);
    }
    return nullptr;
  }
};

// The statement where the conditions have this value.
Stmt decided(const Stmt& s, const Exprs& conditions, bool value) {
  return rewrite_with(s, [&](const Expr& e, Rewriter& on) {
    return conditions.contains(e.get()) ? Expr(bool_imm(value)) : on.rewrite_children(e);
  });
}

// Does `s` nothing where one of the conditions does not hold? `held` hold about it.
bool idle_unless(const Stmt& s, const Exprs& conditions, Exprs held = {}) {
  if (as<AllocBufferNode>(s) || as<DeclBufferNode>(s)) return true;
  if (auto* loop = as<ForNode>(s)) return idle_unless(loop->body, conditions, held);
  if (auto* attr = as<AttrStmtNode>(s)) return idle_unless(attr->body, conditions, held);
  if (auto* sequence = as<SeqStmtNode>(s)) {
    return std::all_of(sequence->seq.begin(), sequence->seq.end(),
                       [&](const Stmt& one) { return idle_unless(one, conditions, held); });
  }
  auto* branch = as<IfThenElseNode>(s);
  if (!branch || branch->else_case) return false;
  for (const Expr& one : conjuncts(branch->condition)) {
    auto* likely = as_call_to(one, "tirx.likely");
    held.insert((likely ? likely->args[0] : one).get());
  }
  return std::ranges::all_of(conditions, [&](auto* one) { return held.contains(one); }) ||
         idle_unless(branch->then_case, conditions, held);
}

// Is the variable only added to something in `e`, or subtracted?
bool is_offset(const Expr& e, const Var& var) {
  if (e.same_as(var)) return true;
  auto* two = e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub ? as_binary(e) : nullptr;
  if (!two || depends_on(two->a, var) == depends_on(two->b, var)) return false;
  return is_offset(depends_on(two->a, var) ? two->a : two->b, var);
}

// Does each of the conditions hold nowhere beside the interval found for it? Where the variable has a factor
// the end of the interval is rounded, and where another variable is relaxed it is that of the hardest case.
bool are_exact(const Exprs& conditions, const Var& var, const Stmt& body, const Domains& relaxed) {
  VarSet inner;
  post_order(body, nullptr, [&](const Stmt& s) {
    if (auto* loop = as<ForNode>(s)) inner.insert(loop->loop_var.get());
    if (IterVar iter = launched_thread(s)) inner.insert(iter->var.get());
  });
  auto varies = [&](const VarNode* one) { return inner.contains(one) || relaxed.contains(one); };
  return std::ranges::all_of(conditions, [&](const ExprNode* one) {
    Expr condition = ref(one);
    auto* two = as_binary(condition);
    return two && !uses_var(condition, varies) && is_offset(depends_on(two->a, var) ? two->a : two->b, var);
  });
}

class Partition final : public Rewriter {
 public:
  explicit Partition(const Options& options) : options_(options), candidates_(options.const_loops) {}

  Stmt select_and_rewrite(const Stmt& s) {
    candidates_.visit(s);
    return rewrite(s);
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      analyzer_.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
      Expr last = sub(add(loop->min, loop->extent), const_like(loop->min, 1));
      // A `break` would leave one of the parts, not those after it; a part need not begin where a step ends.
      bool unit_step = !loop->step || is_const_int(loop->step, 1);
      if (candidates_.found.contains(s.get()) && unit_step && !has_own_jump(loop->body)) {
        if (Stmt cut = partition(s, loop->loop_var, loop->min, last, loop->body)) return cut;
      }
      return within(hints_, loop->loop_var.get(), loop->min, last, s);
    }
    auto* attr = as<AttrStmtNode>(s);
    IterVar iter = launched_thread(s);
    if (!iter) return rewrite_children(s);
    Expr zero = const_like(attr->value, 0), last = sub(attr->value, const_like(attr->value, 1));
    if (candidates_.found.contains(s.get())) {
      if (Stmt cut = partition(s, iter->var, zero, last, attr->body)) return cut;
    }
    // Threads of one block differ: what holds has to hold for all of them.
    return within(is_thread_index(iter) ? relaxed_ : hints_, iter->var.get(), zero, last, s);
  }

 private:
  Stmt within(Domains& domains, const VarNode* var, const Expr& min, const Expr& max, const Stmt& s) {
    bool own = domains.emplace(var, make<IntervalSetNode>(min, max)).second;
    Stmt next = rewrite_children(s);
    if (own) domains.erase(var);
    return next;
  }

  // Where all conditions that may have the value here have it.
  IntervalSet interval_where(const std::vector<Part>& parts, const IntervalSet& all, bool value, bool hinted,
                             Exprs& conditions) {
    conditions.clear();
    IntervalSet both = nullptr;
    for (const Part& part : parts) {
      if (part.value != value || meet(part.interval, all, analyzer_)->is_nothing()) continue;
      Analyzer fresh;
      both = both ? both->is_nothing() ? both : meet(both, part.interval, fresh) : part.interval;
      conditions.insert(part.condition.get());
    }
    if (both && !both->is_nothing()) return both;
    if (!hinted) return nothing();
    // With a hint, as many of them as go together.
    conditions.clear();
    IntervalSet result = nothing();
    IntervalSet some = everything();
    for (const Part& part : parts) {
      if (part.value != value || meet(part.interval, all, analyzer_)->is_nothing()) continue;
      some = meet(some, part.interval, analyzer_);
      if (some->is_nothing()) break;
      conditions.insert(part.condition.get());
      result = some;
    }
    return result;
  }

  // The parts of the loop; null when it stays whole.
  Stmt partition(const Stmt& s, const Var& var, const Expr& min, const Expr& max, const Stmt& body) {
    bool hinted = candidates_.hinted.contains(var.get());
    IntervalSet all = make<IntervalSetNode>(min, max);
    Domains hints = hints_;
    hints.emplace(var.get(), all);
    Finder finder(var, hints, relaxed_, hinted);
    finder.visit(body);
    if (finder.parts.empty()) return nullptr;
    Exprs conditions;
    bool value = true;
    IntervalSet middle = interval_where(finder.parts, all, true, hinted, conditions);
    if (middle->is_nothing()) {
      value = false;
      middle = interval_where(finder.parts, all, false, hinted, conditions);
    }
    if (middle->is_nothing()) return cannot_cut(finder.parts, all, var, body, hinted);
    return as<ForNode>(s) ? cut_loop(*as<ForNode>(s), min, max, middle, conditions, value)
                          : cut_threads(s, var, min, max, middle, conditions);
  }
  Stmt cannot_cut(const std::vector<Part>& parts, const IntervalSet& all, const Var& var, const Stmt& body,
                  bool hinted) {
    bool points_outside = std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
      return part.interval->is_point() &&
             !(analyzer_.can_prove(ge(part.interval->min_value, all->min_value)) &&
               analyzer_.can_prove(le(part.interval->min_value, all->max_value)));
    });
    Expr length = sub(all->max_value, all->min_value);
    if (points_outside || !hinted || !options_.unroll_hinted ||
        !analyzer_.can_prove(gt(length, const_like(length, 0))))
      return nullptr;
    return make<ForNode>(var, all->min_value, add(length, const_like(length, 1)), ForKind::kUnrolled,
                         select_and_rewrite(body));
  }

  Stmt part_of(const ForNode& loop, const Expr& extent, const Stmt& body) {
    if (!options_.keep_unit_loops && loop.annotations.empty() &&
        analyzer_.can_prove(eq(extent, const_like(extent, 1))))
      return substitute(body, {{loop.loop_var.get(), const_like(loop.loop_var, 0)}});
    if (loop.for_kind == ForKind::kThreadBinding)
      throw refuse(refusals["partition-thread-loop"], loop.loop_var->name.c_str(),
                   loop.thread_binding ? loop.thread_binding->thread_tag.c_str() : "a thread")
          .at(loop.span);
    return with(ref(&loop), [&](ForNode& n) {
      n.min = const_like(loop.min, 0);
      n.extent = extent;
      n.body = body;
    });
  }
  // [min, begin) as it was, [begin, end) decided, [end, max] as it was.
  Stmt cut_loop(const ForNode& loop, const Expr& min, const Expr& max, const IntervalSet& middle,
                const Exprs& conditions, bool value) {
    const Var& var = loop.loop_var;
    auto from = [&](const Expr& begin, const Stmt& body) {
      return substitute(body, {{var.get(), add(var, begin)}});
    };
    auto is = [&](const Expr& condition) { return analyzer_.can_prove(condition); };
    Expr zero = const_like(min, 0), one = const_like(min, 1), past = add(max, one);
    // Where the middle lies beside the loop its neighbours would run past the loop's ends.
    bool idle =
        value && idle_unless(loop.body, conditions) && are_exact(conditions, var, loop.body, relaxed_);
    Stmt before = nullptr, after = nullptr;
    bool cut_before = true, cut_after = true;
    Expr begin = min, end = past;
    if (middle->has_lower()) {
      begin = analyzer_.simplify(middle->min_value);
      if (!is(eq(begin, min))) {
        Expr extent = analyzer_.simplify(sub(begin, min));
        if (!is(gt(extent, zero))) {
          begin = ir::max(begin, min);
          cut_before = false;  // it may be empty
        }
        if (!idle && !is(le(begin, past))) begin = ir::min(begin, past);
        if (!is(le(extent, zero))) before = part_of(loop, sub(begin, min), from(min, loop.body));
      }
    }
    if (middle->has_upper()) {
      end = analyzer_.simplify(add(middle->max_value, one));
      if (!is(eq(middle->max_value, max))) {
        Expr extent = analyzer_.simplify(add(sub(max, end), one));
        if (!is(gt(extent, zero))) {
          end = ir::min(end, past);
          cut_after = false;
        }
        if (!idle && !is(ge(end, begin))) {
          end = ir::max(end, begin);
          extent = analyzer_.simplify(sub(past, end));
        }
        if (!is(le(extent, zero))) after = part_of(loop, extent, from(end, loop.body));
      }
    }
    Stmt center = nullptr;
    if (!is(ge(begin, end))) {
      center = part_of(loop, sub(end, begin), from(begin, decided(loop.body, conditions, value)));
      center = select_and_rewrite(center);
      if (before && cut_before) before = select_and_rewrite(before);
      if (after && cut_after) after = select_and_rewrite(after);
    }
    Array<Stmt> parts;
    for (const Stmt& part : {before, center, after}) {
      if (part) parts.push_back(part);
    }
    return seq(parts);
  }
  Stmt cut_threads(const Stmt& s, const Var& var, const Expr& min, const Expr& max, const IntervalSet& middle,
                   const Exprs& conditions) {
    Expr condition = bool_imm(true);
    Expr one = const_like(max, 1), past = add(max, one);
    if (middle->has_lower()) {
      Expr begin = analyzer_.simplify(middle->min_value);
      if (!analyzer_.can_prove(eq(begin, min))) {
        Expr extent = analyzer_.simplify(sub(begin, min));
        if (!analyzer_.can_prove(gt(extent, const_like(extent, 0)))) begin = ir::max(begin, min);
      }
      if (!analyzer_.can_prove(eq(begin, min))) condition = logical_and(condition, ge(var, begin));
    }
    if (middle->has_upper()) {
      Expr end = analyzer_.simplify(add(middle->max_value, one));
      if (!analyzer_.can_prove(eq(middle->max_value, max))) {
        Expr extent = analyzer_.simplify(add(sub(max, end), one));
        if (!analyzer_.can_prove(gt(extent, const_like(extent, 0)))) end = ir::min(end, past);
      }
      if (!analyzer_.can_prove(eq(end, past))) condition = logical_and(condition, lt(var, end));
    }
    // In the innermost threads: `if condition:` the body where it is known, else as it was.
    bool innermost = false;
    return rewrite_with(s, [&](const Stmt& s, Rewriter& on) {
      auto* attr = as<AttrStmtNode>(s);
      if (!attr || text(attr->attr_key) != "thread_extent") return on.rewrite_children(s);
      innermost = true;
      Stmt next = on.rewrite_children(s);
      if (innermost) {
        Stmt body = make<IfThenElseNode>(condition, decided(attr->body, conditions, true), attr->body);
        next = with(ref(attr), [&](AttrStmtNode& n) { n.body = body; });
      }
      innermost = false;
      return next;
    });
  }

  const Options& options_;
  Candidates candidates_;
  Domains hints_, relaxed_;
  Analyzer analyzer_;
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  constexpr std::string_view kKey = "s_tir.LoopPartition";
  Options wanted{
      options.config_integer(kKey, "partition_const_loop", 0) != 0,
      options.config_integer(kKey, "no_unroll_loop_with_extent_one", 0) != 0,
      options.config_integer(kKey, "unroll_loop_with_partition_hint_no_interval", 0) != 0,
  };
  Stmt body = Partition(wanted).select_and_rewrite(fn->body);
  auto without_hints = overloaded{[](const Expr& e, Rewriter& on) {
                                    for (auto name : {"tirx.likely", "tirx.ignore_loop_partition"}) {
                                      if (auto* call = as_call_to(e, name)) return on.rewrite(call->args[0]);
                                    }
                                    return on.rewrite_children(e);
                                  },
                                  [](const Stmt& s, Rewriter& on) {
                                    auto* attr = as<AttrStmtNode>(s);
                                    return attr && text(attr->attr_key) == kHint ? on.rewrite(attr->body)
                                                                                 : on.rewrite_children(s);
                                  }};
  return with_unique_definitions(with_body(fn, rewrite_with(body, without_hints)));
}

}  // namespace

// Not `loop_partition`: that is the schedule primitive.
extern const Pass loop_partition_pass{"LoopPartition", "s_tir.transform", "LoopPartition()", doc, apply};

}  // namespace mlc::transform::pass_loop_partition_pass
