// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/arith/int_set.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_oob_checker {

static constexpr ir::Refusals refusals{
    "ScheduleError",
    {
        {.name = "out-of-bounds", .message = "accesses leave their buffers: {}"},
    }};
MLC_REFUSALS(tir_oob_checker, refusals);

namespace {

constexpr char doc[] =
    R"(OOBChecker(): refuses accesses that leave their buffer for some iteration of the loops around.

    A: T.Buffer((2, 3))
    for i in range(4):
        A[i, 0] = 1         =>      refused: `i` runs from 0 to 3, dimension 0 of `A` has 2 elements
needs: nothing.
keeps: everything. What may or may not leave the buffer, as with indices from memory, is not refused.
Wherever a program is looked at; blocks or not.)";

class OutOfBounds final : public Walker {
 public:
  std::vector<std::string> found;
  Span first;

  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      define(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    } else if (IterVar thread = opened_thread(s)) {
      const Expr& extent = as<AttrStmtNode>(s)->value;
      define(thread->var, make<RangeNode>(const_like(extent, 0), extent));
    } else if (auto* block = as<SBlockNode>(s)) {
      for (const IterVar& iter : block->iter_vars) define(iter->var, iter->dom);
    } else if (auto* bind = as<BindNode>(s)) {
      visit(bind->value);
      if (bind->var->dtype().is_int() && side_effect(bind->value) <= Effect::kPure) {
        domains_[bind->var.get()] = interval_of(bind->value, domains_, analyzer_);
        analyzer_.bind(bind->var, bind->value);
      }
      return;
    } else if (auto* branch = as<IfThenElseNode>(s)) {
      visit(branch->condition);
      auto* likely = as_call_to(branch->condition, "tirx.likely");
      const Expr& holds = likely ? likely->args[0] : branch->condition;
      where(holds, [&] { visit(branch->then_case); });
      if (branch->else_case) where(logical_not(holds), [&] { visit(branch->else_case); });
      return;
    } else if (auto* store = as<BufferStoreNode>(s)) {
      check(store->buffer, store->indices, s->span);
    }
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) check(load->source, load->indices, e->span);
    if (auto* choice = as_call_to(e, "tirx.if_then_else")) {
      visit(choice->args[0]);
      where(choice->args[0], [&] { visit(choice->args[1]); });
      return where(logical_not(choice->args[0]), [&] { visit(choice->args[2]); });
    }
    walk_children(e);
  }

 private:
  Analyzer analyzer_;
  Domains domains_;

  void define(const Var& var, const Range& range) {
    IntervalSet ends = interval_of(range, analyzer_);
    domains_[var.get()] = interval_of(ends, domains_, analyzer_);
    analyzer_.bind(var, range);
  }
  template <class F>
  void where(const Expr& condition, F inside) {
    Expr simple = analyzer_.rewrite_simplify(condition);
    Domains outside = domains_;
    for (const auto& [var, set] : domains_of(simple)) {
      auto known = domains_.find(var.get());
      IntervalSet more = interval_of(set, domains_, analyzer_);
      domains_[var.get()] = known == domains_.end() ? more : meet(known->second, more, analyzer_);
    }
    auto assumption = analyzer_.assume(simple);
    inside();
    domains_ = outside;
  }

  void check(const Buffer& buffer, const Array<Expr>& indices, Span span) {
    const BufferTypeNode* type = buffer->buffer();
    for (size_t d = 0; d < indices.size() && d < type->shape.size(); ++d) {
      const Expr& size = type->shape[d];
      Expr low = indices[d], high = indices[d];
      if (auto* ramp = as<RampNode>(indices[d])) {
        low = ramp->base;
        high = ramp->base + ramp->stride * (ramp->dtype().lanes() - 1);
      }
      if (!low->dtype().is_scalar()) continue;
      IntervalSet from = interval_of(low, domains_, analyzer_), to = interval_of(high, domains_, analyzer_);
      bool above = to->has_upper() && analyzer_.can_prove(ge(to->max_value, size));
      bool below =
          from->has_lower() && analyzer_.can_prove(lt(from->min_value, const_like(from->min_value, 0)));
      if (!above && !below) continue;
      // What is known of several variables together is not in their intervals.
      if (analyzer_.can_prove(lt(high, size)) && analyzer_.can_prove_ge(low, 0)) continue;
      if (found.empty()) first = span;
      auto least = const_int(analyzer_.simplify(from->min_value)), extent = const_int(size),
           most = const_int(analyzer_.simplify(to->max_value));
      std::string range = least && most ? fmt::format(" at {} to {}", *least, *most) : "";
      std::string elements = extent ? fmt::format(", which has {} elements", *extent) : "";
      found.push_back(fmt::format("dimension {} of `{}`{}{}", d, text(buffer->name), range, elements));
    }
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  OutOfBounds check;
  check.visit(fn->body);
  if (check.found.empty()) return fn;
  std::string lines;
  for (const std::string& one : check.found) lines += (lines.empty() ? "" : "; ") + one;
  throw refuse(refusals["out-of-bounds"], lines).at(check.first ? check.first : fn->span);
}

}  // namespace

extern const Pass oob_checker{"OOBChecker", "s_tir.analysis",           "OOBChecker()", doc, apply, nullptr,
                              {},           "s_tir.analysis.OOBChecker"};

}  // namespace mlc::transform::pass_oob_checker
