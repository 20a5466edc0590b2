// SPDX-License-Identifier: Apache-2.0
#include "transform/analysis/out_of_range.h"

#include <unordered_map>
#include <unordered_set>

#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"
#include "ir/tir/stmt.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

namespace {

// Iterations of a loop that are all tried, where conditions, remainders or products let others than its ends
// decide; of longer ones, and where an index runs from end to end, the last and the first.
constexpr int64_t kMostSteps = 64;
// Iterations tried for one dimension of one access.
constexpr int kMostTries = 1024;

// What stands around an access, outermost first.
struct Frame {
  enum class Kind : uint8_t {
    kLoop,       // `var` runs from `value`, `extent` steps
    kLet,        // `var` is `value`
    kCondition,  // `value` holds, or does not where `negated`
    kUnknown,    // nobody knows whether what is inside is reached
  };
  Kind kind;
  Var var = nullptr;
  Expr value = nullptr, extent = nullptr;
  bool negated = false;
};

class Search final : public Walker {
 public:
  std::vector<OutOfRange> found;

  void visit(const Stmt& s) override {
    size_t around = frames_.size();
    if (auto* loop = as<ForNode>(s)) {
      visit(loop->min);
      visit(loop->extent);
      // A loop with a step is left open.
      Frame::Kind kind = loop->step ? Frame::Kind::kUnknown : Frame::Kind::kLoop;
      frames_.push_back({kind, loop->loop_var, loop->min, loop->extent});
      visit(loop->body);
    } else if (auto* attr = as<AttrStmtNode>(s)) {
      bool opens = attr->attr_key == "thread_extent" || attr->attr_key == "virtual_thread";
      if (auto thread = opens ? attr->node.as<IterVar>() : std::nullopt)
        frames_.push_back({Frame::Kind::kLoop, (*thread)->var, const_like(attr->value, 0), attr->value});
      visit(attr->body);
    } else if (auto* realize = as<SBlockRealizeNode>(s)) {
      frames_.push_back({Frame::Kind::kCondition, nullptr, realize->predicate});
      const SBlock& block = realize->block;
      for (size_t i = 0; i < block->iter_vars.size(); ++i)
        frames_.push_back({Frame::Kind::kLet, block->iter_vars[i]->var, realize->iter_values[i]});
      visit(block->body);  // `init` runs before the first step of a reduction alone
    } else if (auto* bind = as<BindNode>(s)) {
      visit(bind->value);
      frames_.push_back({Frame::Kind::kLet, bind->var, bind->value});
      return;  // until the end of what is around
    } else if (auto* branch = as<IfThenElseNode>(s)) {
      visit(branch->condition);
      under(branch->condition, false, [&] { visit(branch->then_case); });
      if (branch->else_case) under(branch->condition, true, [&] { visit(branch->else_case); });
    } else if (s->kind == StmtKind::kWhile) {
      frames_.push_back({Frame::Kind::kUnknown});
      walk_children(s);
    } else if (auto* store = as<BufferStoreNode>(s)) {
      check(store->buffer, store->indices, s->span);
      walk_children(s);
    } else {
      walk_children(s);
    }
    frames_.resize(around);
  }

  void visit(const Expr& e) override {
    size_t around = frames_.size();
    auto* choice = as_call_to(e, "tirx.if_then_else");
    if (choice != nullptr) {
      choose(choice->args[0], choice->args[1], choice->args[2]);
    } else if (auto* select = as<SelectNode>(e)) {
      choose(select->condition, select->true_value, select->false_value);
    } else if (auto* let = as<LetNode>(e)) {
      visit(let->value);
      frames_.push_back({Frame::Kind::kLet, let->var, let->value});
      visit(let->body);
    } else if (e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr) {
      const BinaryNode* both = as_binary(e);
      visit(both->a);
      under(both->a, e->kind == ExprKind::kOr, [&] { visit(both->b); });
    } else if (as_call_to(e, "tirx.address_of") == nullptr) {  // an address may stand one behind the end
      if (auto* load = as<TensorLoadNode>(e)) check(load->source, load->indices, e->span);
      walk_children(e);
    }
    frames_.resize(around);
  }

 private:
  std::vector<Frame> frames_;
  std::unordered_map<const VarNode*, Expr> values_;
  std::unordered_set<const VarNode*> deciding_;
  int tries_ = 0;
  bool ends_decide_ = true, ignore_conditions_ = false;

  template <class F>
  void under(const Expr& condition, bool negated, F inside) {
    frames_.push_back({Frame::Kind::kCondition, nullptr, condition, nullptr, negated});
    inside();
    frames_.pop_back();
  }
  void choose(const Expr& condition, const Expr& yes, const Expr& no) {
    visit(condition);
    under(condition, false, [&] { visit(yes); });
    under(condition, true, [&] { visit(no); });
  }

  // The number that an expression is where the variables have their values; null where it is none.
  Expr value(const Expr& e) {
    if (e->kind == ExprKind::kIntImm) return e;
    if (auto* var = as<VarNode>(e)) {
      auto known = values_.find(var);
      return known == values_.end() ? nullptr : known->second;
    }
    auto constant = [](Expr made) { return made && made->kind == ExprKind::kIntImm ? made : Expr(nullptr); };
    if (auto* likely = as_call_to(e, "tirx.likely")) return value(likely->args[0]);
    if (auto* cast_to = as<CastNode>(e)) {
      Expr inner = e->dtype().is_scalar() && e->dtype().is_integral() ? value(cast_to->value) : nullptr;
      return inner ? constant(cast(e->dtype(), inner)) : nullptr;
    }
    if (auto* negation = as<NotNode>(e)) {
      Expr inner = value(negation->a);
      return inner ? constant(logical_not(inner)) : nullptr;
    }
    if (auto* select = as<SelectNode>(e))
      return value_of_choice(select->condition, select->true_value, select->false_value);
    if (auto* choice = as_call_to(e, "tirx.if_then_else"))
      return value_of_choice(choice->args[0], choice->args[1], choice->args[2]);
    const BinaryNode* binary = as_binary(e);
    if (binary == nullptr) return nullptr;
    Expr a = value(binary->a);
    if (!a) return nullptr;
    if (e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr) {  // the second may have no value
      bool decides = is_const_int(a, e->kind == ExprKind::kOr ? 1 : 0);
      return decides ? a : value(binary->b);
    }
    Expr b = value(binary->b);
    return b ? constant(fold(e->kind, a, b)) : nullptr;
  }
  Expr value_of_choice(const Expr& condition, const Expr& yes, const Expr& no) {
    Expr holds = value(condition);
    return holds ? value(is_const_int(holds, 0) ? no : yes) : nullptr;
  }

  void check(const Buffer& buffer, const Array<Expr>& indices, Span span) {
    const BufferTypeNode* type = buffer->buffer();
    if (type == nullptr) return;
    for (size_t d = 0; d < indices.size() && d < type->shape.size(); ++d) {
      auto extent = const_int(type->shape[d]);
      if (!extent) continue;
      std::vector<Expr> ends = {indices[d]};
      if (auto* ramp = as<RampNode>(indices[d]))
        ends = {ramp->base, ramp->base + ramp->stride * (ramp->dtype().lanes() - 1)};
      for (const Expr& index : ends) {
        if (!index->dtype().is_scalar() || !search(index, *extent)) continue;
        OutOfRange one{buffer, d, *const_int(value(index)), *extent, {}, span};
        for (const Frame& frame : frames_) {
          if (frame.kind != Frame::Kind::kLoop || !deciding_.contains(frame.var.get())) continue;
          one.when.emplace_back(std::string(frame.var->name), *const_int(values_[frame.var.get()]));
        }
        found.push_back(std::move(one));
        return;
      }
    }
  }

  // Is there an iteration that is reached and has the index outside? Then values_ is that one.
  bool search(const Expr& index, int64_t extent) {
    values_.clear();
    deciding_.clear();
    note(index);
    for (const Frame& frame : frames_) {
      if (frame.kind == Frame::Kind::kCondition) note(frame.value);
      if (frame.kind == Frame::Kind::kUnknown) return false;
    }
    for (size_t i = frames_.size(); i-- > 0;) {  // what is used is defined further out
      const Frame& frame = frames_[i];
      if (!frame.var || !deciding_.contains(frame.var.get())) continue;
      note(frame.value);
      if (frame.extent) note(frame.extent);
    }
    // Remainders and products of loops have their extremes anywhere.
    auto turns = [](const Expr& e) {
      const BinaryNode* product = e->kind == ExprKind::kMul ? as_binary(e) : nullptr;
      return e->kind == ExprKind::kFloorMod || e->kind == ExprKind::kMod ||
             (product != nullptr && !const_int(product->a) && !const_int(product->b));
    };
    bool conditions = false, turned = any_below(index, turns);
    for (const Frame& frame : frames_) {
      conditions = conditions || (frame.kind == Frame::Kind::kCondition && !is_const_int(frame.value, 1));
      turned = turned || (frame.kind == Frame::Kind::kLet && any_below(frame.value, turns));
    }
    // What stays inside at the ends of all loops, conditions or not, stays inside.
    ends_decide_ = !turned;
    ignore_conditions_ = conditions && !turned;
    tries_ = kMostTries;
    if (!reach(0, index, extent)) return false;
    if (!ignore_conditions_) return true;
    ends_decide_ = ignore_conditions_ = false;
    values_.clear();
    tries_ = kMostTries;
    return reach(0, index, extent);
  }
  void note(const Expr& e) {
    walk_with(e, [&](const Expr& part, Walker& on) {
      if (auto* var = as<VarNode>(part)) deciding_.insert(var);
      on.walk_children(part);
    });
  }

  bool reach(size_t depth, const Expr& index, int64_t extent) {
    if (depth == frames_.size()) {
      --tries_;
      auto at = [&]() -> std::optional<int64_t> {
        Expr number = value(index);
        return number ? const_int(number) : std::nullopt;
      }();
      return at && (*at < 0 || *at >= extent);
    }
    const Frame& frame = frames_[depth];
    switch (frame.kind) {
      case Frame::Kind::kUnknown:
        return false;
      case Frame::Kind::kLet: {
        Expr is = value(frame.value);
        if (is)
          values_[frame.var.get()] = is;
        else
          values_.erase(frame.var.get());
        return reach(depth + 1, index, extent);
      }
      case Frame::Kind::kCondition: {
        if (ignore_conditions_) return reach(depth + 1, index, extent);
        Expr holds = value(frame.value);
        return holds && is_const_int(holds, 0) == frame.negated && reach(depth + 1, index, extent);
      }
      case Frame::Kind::kLoop:
        return reach_in_loop(depth, index, extent);
    }
    return false;
  }

  bool reach_in_loop(size_t depth, const Expr& index, int64_t extent) {
    const Frame& frame = frames_[depth];
    Expr first = value(frame.value), count = value(frame.extent);
    if (!first || !count) return false;
    int64_t begin = const_int(first).value_or(0), steps = const_int(count).value_or(0);
    if (steps <= 0) return false;  // no iteration at all
    bool decides = deciding_.contains(frame.var.get());
    // The ends first: that is where it happens.
    for (int64_t i = 0; i < (decides ? steps : 1) && tries_ > 0; ++i) {
      if (i == 2 && (ends_decide_ || steps > kMostSteps)) break;
      int64_t step = i == 0 ? steps - 1 : i - 1;
      --tries_;  // what a condition leaves out takes time as well
      values_[frame.var.get()] = const_like(frame.var, begin + step);
      if (reach(depth + 1, index, extent)) return true;
    }
    return false;
  }
};

// What may end a function or a loop before its last step.
bool ends_early(const Stmt& body) {
  return any_below(body, [](const Stmt& s) {
    return s->kind == StmtKind::kReturn || s->kind == StmtKind::kBreak || s->kind == StmtKind::kContinue ||
           s->kind == StmtKind::kAssertStmt || s->kind == StmtKind::kTilePrimitiveCall;
  });
}

}  // namespace

std::vector<OutOfRange> accesses_out_of_range(const PrimFunc& fn) {
  if (ends_early(fn->body)) return {};
  Search search;
  search.visit(fn->body);
  return std::move(search.found);
}

}  // namespace mlc::transform
