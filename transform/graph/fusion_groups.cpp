// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/fusion_groups.h"

#include <algorithm>

#include "transform/graph/calls.h"

namespace mlc::transform {
namespace {

// The phases of fusion: what consumes a product of matrices first, so that injective functions do not take it
// away.
constexpr int kElementwisePhase = 0;
constexpr int kInjectivePhase = 1;
constexpr int kPhases = 2;  // TVM's third fuses tuples, which are no values of their own here

OpPattern annotated_pattern(const IRModule& mod, const GlobalVarNode* callee) {
  BaseFunc fn = relax::function_of(mod, callee);
  auto pattern = ir::attr(fn ? fn : mod->lookup(text(callee->name_hint)), "op_pattern");
  auto number = pattern ? integer_of(*pattern) : std::nullopt;
  return number ? static_cast<OpPattern>(*number) : OpPattern::kOpaque;
}

}  // namespace

FusionGroups::FusionGroups(const IRModule& mod, size_t max_size) {
  for (const auto& [name, fn] : mod->functions) {
    auto* graph = Any(fn).as<FunctionNode>();
    if (graph && !ir::has_flag(fn, "Primitive")) add_function(ref(graph), mod);
  }
  for (size_t i = 0; i < values_.size(); ++i)
    groups_.push_back({i, values_[i].pattern, values_[i].pattern == OpPattern::kOutEWiseFusable});
  find_dominators();
  decisions_.resize(values_.size());
  for (int phase = 0; phase < kPhases; ++phase) fuse(phase, max_size);
  for (size_t i = 0; i < groups_.size(); ++i) root(i);  // every path one step long
}

std::optional<size_t> FusionGroups::group_of(const ExprNode* value) const {
  auto found = number_of_.find(value);
  if (found == number_of_.end()) return std::nullopt;
  return groups_[found->second].parent;
}

// ---- the graph ----

size_t FusionGroups::add(const ExprNode* key, OpPattern pattern, bool external) {
  auto [found, added] = number_of_.emplace(key, values_.size());
  if (added) values_.push_back({key, pattern, external, {}});
  return found->second;
}

void FusionGroups::add_function(const Function& fn, const IRModule& mod) {
  for (const Var& param : fn->params) add(param.get(), OpPattern::kOpaque, true);
  auto said = ir::attr(fn, "num_input");
  int64_t inputs = said ? integer_of(*said).value_or(-1) : -1;
  auto count = static_cast<int64_t>(fn->params.size());
  for (int64_t i = inputs; i >= 0 && i < count; ++i) weights_.insert(fn->params[i].get());
  struct Blocks final : relax::Visitor {
    FusionGroups& groups;
    const IRModule& mod;
    Blocks(FusionGroups& groups, const IRModule& mod) : groups(groups), mod(mod) {}
    void visit_block(const BindingBlock& block) override {
      // As in TVM, other blocks stay as they are, with what is in their branches and local functions.
      if (!is_dataflow(block)) return;
      for (const Binding& binding : block->bindings) groups.add_binding(binding, mod);
    }
  } blocks(*this, mod);
  blocks.visit(fn->body);
}

void FusionGroups::add_binding(const Binding& binding, const IRModule& mod) {
  const Expr& value = binding->value;
  const CallNode* kernel = kernel_call_of(value);
  // Operands that are not bound in the graph are values before it.
  auto operands_before = [&](const Expr& e) {
    relax::post_order(e, [&](const Expr& part) {
      if (as<VarNode>(part) && !is_prim(part))
        add(static_cast<const ExprNode*>(part.get()), OpPattern::kOpaque, true);
      if (as<GenericConstNode>(part) || as<ShapeExprNode>(part))
        add(static_cast<const ExprNode*>(part.get()), OpPattern::kOpaque, false);
    });
  };
  operands_before(value);
  OpPattern pattern = OpPattern::kOpaque;
  Array<Expr> operands;
  if (as_match_cast(binding)) {
    // checked at run time: a group of its own
  } else if (kernel) {
    pattern = annotated_pattern(mod, as<GlobalVarNode>(kernel->args[0]));
    operands = tuple_elements(kernel->args[1]);
  } else if (auto* other = as<CallNode>(value)) {
    operands = other->args;
  } else if (auto* item = as<TupleGetItemNode>(value)) {
    // A weight is taken out of the bundle where it is bound: what transforms it is seen as it was.
    bool weight = weights_.count(item->tuple_value.get()) != 0;
    pattern = weight ? OpPattern::kOpaque : OpPattern::kInjective;
    operands.push_back(item->tuple_value);
  } else {
    operands.push_back(value);
  }
  size_t number = add(binding->var.get(), pattern, !is_dataflow(binding->var));
  for (const Expr& operand : operands) use(operand, number, pattern);
}

void FusionGroups::use(const Expr& operand, size_t by, OpPattern pattern) {
  if (auto* tuple = as<TupleNode>(operand)) {
    for (const Expr& field : tuple->elements) use(field, by, pattern);
    return;
  }
  auto found = number_of_.find(static_cast<const ExprNode*>(operand.get()));
  if (found != number_of_.end()) values_[found->second].uses.push_back({by, pattern});
}

void FusionGroups::find_dominators() {
  dominators_.resize(values_.size());
  // Uses come after what they use: their dominators are known when it is asked for.
  for (size_t i = values_.size(); i-- > 0;) {
    if (values_[i].external || values_[i].uses.empty()) {
      dominators_[i].pattern = values_[i].external ? OpPattern::kOpaque : OpPattern::kElemWise;
      continue;
    }
    OpPattern worst = OpPattern::kElemWise;
    std::optional<size_t> common;
    bool first = true;
    for (const Edge& edge : values_[i].uses) {
      worst = std::max(worst, edge.pattern);
      if (first) {
        common = edge.to;
        first = false;
        continue;
      }
      std::optional<size_t> a = common;
      std::optional<size_t> b = edge.to;
      auto climb = [&](std::optional<size_t>& from) {
        worst = std::max(worst, dominators_[*from].pattern);
        from = dominators_[*from].parent;
      };
      while (a != b) {
        if (!a || !b) {
          a = b = std::nullopt;
          break;
        }
        size_t a_depth = dominators_[*a].depth;
        size_t b_depth = dominators_[*b].depth;
        if (a_depth >= b_depth) climb(a);
        if (b_depth >= a_depth) climb(b);
      }
      common = a;
    }
    dominators_[i] = {common, common ? dominators_[*common].depth + 1 : 1, worst};
  }
}

// ---- groups ----

size_t FusionGroups::root(size_t group) {
  size_t top = group;
  while (groups_[top].parent != top) top = groups_[top].parent;
  while (groups_[group].parent != top) group = std::exchange(groups_[group].parent, top);
  return top;
}

void FusionGroups::merge(size_t child, size_t parent) {
  child = root(child);
  parent = root(parent);
  if (child == parent) return;
  groups_[parent].size += groups_[child].size;
  groups_[child].parent = parent;
  if (!groups_[child].anchored) return;
  MLC_CHECK(!groups_[parent].anchored, "two functions that others follow in one group");
  groups_[parent].anchored = true;
  groups_[parent].pattern = std::max(groups_[child].pattern, groups_[parent].pattern);
}

template <class F>
std::optional<size_t> FusionGroups::first_between(size_t from, size_t to, F allows) {
  std::unordered_set<size_t> seen;
  std::vector<size_t> left;
  for (const Edge& edge : values_[from].uses) left.push_back(edge.to);
  while (!left.empty()) {
    size_t value = left.back();
    left.pop_back();
    if (!seen.insert(value).second) continue;
    if (!allows(groups_[root(value)].pattern, value == to)) return value;
    if (value == to) continue;
    for (const Edge& edge : values_[value].uses) left.push_back(edge.to);
  }
  return std::nullopt;
}

void FusionGroups::merge_between(size_t from, size_t to) {
  std::unordered_set<size_t> seen;
  std::vector<size_t> left{from};
  while (!left.empty()) {
    size_t value = left.back();
    left.pop_back();
    if (value == to || !seen.insert(value).second) continue;
    merge(value, to);
    for (const Edge& edge : values_[value].uses) left.push_back(edge.to);
  }
}

size_t FusionGroups::size_with(size_t from, size_t to) {
  size_t total = groups_[root(to)].size;
  std::unordered_set<size_t> seen;
  std::vector<size_t> left{from};
  while (!left.empty()) {
    size_t value = left.back();
    left.pop_back();
    if (value == to || !seen.insert(value).second) continue;
    total += groups_[value].size;
    for (const Edge& edge : values_[value].uses) left.push_back(edge.to);
  }
  return total;
}

void FusionGroups::fuse(int phase, size_t max_size) {
  for (size_t i = 0; i < values_.size(); ++i) fuse_value(i, phase, max_size);
}

void FusionGroups::fuse_value(size_t value, int phase, size_t max_size) {
  FusionDecision& decision = decisions_[value];
  if (decision.kind == FusionDecision::Kind::kFused) return;
  std::optional<FusionDecision> found = decide(value, phase, max_size);
  if (!found) return;
  decision = *found;
  if (decision.kind == FusionDecision::Kind::kFused) merge_between(value, *dominators_[value].parent);
}

std::optional<FusionDecision> FusionGroups::decide(size_t value, int phase, size_t max_size) {
  using Kind = FusionDecision::Kind;
  OpPattern pattern = groups_[value].pattern;
  const Dominator& dominator = dominators_[value];
  FusionDecision found;
  auto is = [&](Kind kind) {
    found.kind = kind;
    return found;
  };
  if (pattern == OpPattern::kOpaque) return is(Kind::kOpaque);
  if (!dominator.parent)
    return is(values_[value].external       ? Kind::kOutside
              : values_[value].uses.empty() ? Kind::kUnused
                                            : Kind::kApart);
  size_t parent = *dominator.parent;
  found.dominator = values_[parent].key;
  if (root(value) == root(parent)) return is(Kind::kFused);
  found.size = size_with(value, parent);
  if (found.size > max_size) return is(Kind::kTooLarge);
  auto read_as = [&](bool allowed) {
    if (!allowed) found.kind = Kind::kUse, found.pattern = dominator.pattern;
    return allowed;
  };
  auto decided = [&](std::optional<size_t> blocking) {
    if (!blocking) return is(Kind::kFused);
    found.blocking = values_[*blocking].key;
    found.pattern = groups_[root(*blocking)].pattern;
    return is(Kind::kBetween);
  };
  if (pattern == OpPattern::kOutEWiseFusable) {
    if (phase != kElementwisePhase) return std::nullopt;
    if (!read_as(dominator.pattern == OpPattern::kElemWise)) return found;
    return decided(
        first_between(value, parent, [](OpPattern kind, bool) { return kind <= OpPattern::kBroadcast; }));
  }
  if (pattern <= OpPattern::kBroadcast) {
    // The last value may be a reduction, or already follow a product of matrices.
    if (!read_as(dominator.pattern <= OpPattern::kInjective || dominator.pattern == OpPattern::kCommReduce))
      return found;
    return decided(first_between(value, parent, [](OpPattern kind, bool last) {
      return kind <= OpPattern::kInjective ||
             (last && (kind == OpPattern::kCommReduce || kind == OpPattern::kOutEWiseFusable));
    }));
  }
  if (pattern == OpPattern::kInjective) {
    if (phase != kInjectivePhase) return std::nullopt;
    return decided(
        first_between(value, parent, [](OpPattern kind, bool) { return kind <= OpPattern::kInjective; }));
  }
  return is(Kind::kReduction);
}

}  // namespace mlc::transform
