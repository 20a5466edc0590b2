// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>

#include "transform/pass/graph_pass.h"

namespace mlc::transform::pass_topological_sort {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unknown-order",
         .message = "there is no order `{}`",
         .help = "it is \"depth-first\" or \"breadth-first\""},
        {.name = "unknown-direction",
         .message = "there is no direction `{}`",
         .help = "it is \"from-inputs\" or \"from-outputs\""},
    }};
MLC_REFUSALS(topological_sort, refusals);

namespace {

constexpr char doc[] =
    R"(TopologicalSort(order="depth-first", direction="from-inputs"): order the bindings of dataflow blocks.

    with R.dataflow():            with R.dataflow():
        a = R.exp(x)                  a = R.exp(x)
        b = R.exp(y)      =>          c = R.abs(a)
        c = R.abs(a)                  b = R.exp(y)
        gv = R.add(c, b)              gv = R.add(c, b)
needs: nothing.
keeps: bindings behind what they use; other blocks.
Depth first brings a value near its uses, which frees it early; breadth first computes what is ready in the order in
which it became so. Orders: "depth-first", "breadth-first". Directions: "from-inputs", "from-outputs".)";

// What uses what in a function, beside variables its inputs and its results.
class Uses final : public relax::Visitor {
 public:
  static constexpr size_t kInputs = 0;
  static constexpr size_t kResults = 1;

  explicit Uses(const Function& fn) {
    for (const Var& var : relax::bound_vars(fn)) bound_.insert(var.get());
    visit(fn);
    // Constants, and in a function inside another what it captures.
    for (size_t value : defined_) {
      if (needs[value].empty()) add(kInputs, value);
    }
    for (size_t value = kResults + 1; value < needs.size(); ++value) {
      if (needs[value].empty()) add(kInputs, value);
    }
    std::vector<size_t> unused;
    for (size_t value : defined_) {
      if (users[value].empty()) unused.push_back(value);
    }
    for (auto value = unused.rbegin(); value != unused.rend(); ++value) {
      needs[kResults].push_front(*value);
      users[*value].push_front(kResults);
    }
    // Symbolic variables are used behind the match_cast that defines them.
    for (const auto& [symbol, value] : symbol_uses_) {
      auto defines = defines_symbol_.find(symbol);
      if (defines != defines_symbol_.end() && defines->second != value) add(defines->second, value);
    }
  }

  std::optional<size_t> find(const VarNode* var) const {
    auto found = number_of_.find(var);
    return found == number_of_.end() ? std::nullopt : std::optional(found->second);
  }
  size_t size() const { return needs.size(); }

  std::vector<std::deque<size_t>> users{2}, needs{2};

 private:
  size_t number(const VarNode* var) {
    auto [found, added] = number_of_.try_emplace(var, needs.size());
    if (added) {
      users.emplace_back();
      needs.emplace_back();
    }
    return found->second;
  }
  void add(size_t used, size_t by) {
    users[used].push_back(by);
    needs[by].push_back(used);
  }

  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) return use(var);
    if (auto* fn = as<FunctionNode>(e)) {
      for (const Var& param : fn->params) add(kInputs, number(param.get()));
      return visit(fn->body);
    }
    if (e->kind == ExprKind::kShapeExpr) return visit_type(e->ty);
    if (relax::is_prim(e) && !ir::is_graph_kind(e->kind)) {
      ir::post_order(e, [&](const Expr& part) {
        if (auto* var = as<VarNode>(part)) use(var);
      });
      return;
    }
    walk_children(e);
  }
  void visit_binding(const Binding& binding) override {
    size_t around = std::exchange(user_, number(binding->var.get()));
    visit(binding->value);
    if (const MatchCastNode* cast = as_match_cast(binding)) {
      for (const Var& var : relax::definable_vars(cast->ty)) defines_symbol_.try_emplace(var.get(), user_);
      visit_type(cast->ty);
    }
    defined_.push_back(user_);
    user_ = around;
  }
  void visit_type(const Type& type) override {
    for (const Var& var : relax::symbolic_vars(type)) use(var.get());
  }
  void use(const VarNode* var) {
    if (relax::is_prim(ref(var)) && bound_.count(var) == 0) {
      symbol_uses_.emplace_back(var, user_);
    } else {
      add(number(var), user_);
    }
  }

  size_t user_ = kResults;
  std::unordered_set<const VarNode*> bound_;
  std::unordered_map<const VarNode*, size_t> number_of_;
  std::vector<size_t> defined_;
  std::unordered_map<const VarNode*, size_t> defines_symbol_;  // by the match_cast that comes first
  std::vector<std::pair<const VarNode*, size_t>> symbol_uses_;
};

class Sort final : public relax::Rewriter {
 public:
  Sort(bool depth_first, bool from_inputs) : depth_first_(depth_first), from_inputs_(from_inputs) {}

  Expr rewrite(const Expr& e) override {
    auto* fn = as<FunctionNode>(e);
    if (!fn) return rewrite_children(e);
    Uses uses(ref(fn));
    if (depth_first_) {  // a stack: what is pushed last comes first
      for (auto& all : uses.users) std::reverse(all.begin(), all.end());
    }
    const Uses* around = std::exchange(uses_, &uses);
    Expr next = rewrite_children(e);
    uses_ = around;
    return next;
  }
  BindingBlock rewrite_block(const BindingBlock& block) override {
    return rewrite_block_children(is_dataflow(block) ? sorted(block) : block);
  }

 private:
  BindingBlock sorted(const BindingBlock& block) const {
    std::unordered_map<size_t, Binding> left;
    for (const Binding& binding : block->bindings) left.emplace(*uses_->find(binding->var.get()), binding);
    const auto& ahead = from_inputs_ ? uses_->users : uses_->needs;
    const auto& behind = from_inputs_ ? uses_->needs : uses_->users;
    std::vector<Binding> order;
    std::vector<bool> visited(uses_->size());
    std::deque<size_t> next{from_inputs_ ? Uses::kInputs : Uses::kResults};
    while (!next.empty()) {
      size_t value = depth_first_ ? next.back() : next.front();
      if (depth_first_) {
        next.pop_back();
      } else {
        next.pop_front();
      }
      if (auto found = left.find(value); found != left.end()) {
        order.push_back(found->second);
        left.erase(found);
      }
      visited[value] = true;
      for (size_t other : ahead[value]) {
        if (!visited[other] && std::all_of(behind[other].begin(), behind[other].end(),
                                           [&](size_t before) { return visited[before]; }))
          next.push_back(other);
      }
    }
    MLC_CHECK(left.empty(), "a binding has no place in the order");
    if (!from_inputs_) std::reverse(order.begin(), order.end());
    bool same = true;
    for (size_t i = 0; i < order.size(); ++i) same = same && order[i].same_as(block->bindings[i]);
    return same ? block : with_bindings(block, Array<Binding>(order.begin(), order.end()));
  }

  bool depth_first_;
  bool from_inputs_;
  const Uses* uses_ = nullptr;
};

Function apply(const Function& fn, const IRModule&, const PassOptions& options) {
  auto order = options.args[0].try_cast<String>(), direction = options.args[1].try_cast<String>();
  if (!order)
    throw ir::refuse_as(refusals["unknown-order"], "an order is a text, not `{}`", type_name(options.args[0]));
  if (!direction) {
    throw ir::refuse_as(refusals["unknown-direction"], "a direction is a text, not `{}`",
                        type_name(options.args[1]));
  }
  bool depth_first = *order == "depth-first", from_inputs = *direction == "from-inputs";
  if (!depth_first && *order != "breadth-first") throw ir::refuse(refusals["unknown-order"], text(*order));
  if (!from_inputs && *direction != "from-outputs")
    throw ir::refuse(refusals["unknown-direction"], text(*direction));
  // apply
  return Sort(depth_first, from_inputs).rewrite(fn).as<Function>().value();
}

}  // namespace

extern const Pass topological_sort = graph_pass(
    "TopologicalSort", R"(TopologicalSort(order="depth-first", direction="from-inputs"))", doc, apply);

}  // namespace mlc::transform::pass_topological_sort
