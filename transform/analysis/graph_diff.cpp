// SPDX-License-Identifier: Apache-2.0
#include "transform/analysis/graph_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ir/core/ndarray.h"

namespace mlc::transform {
namespace graph_diffs {
namespace {

using ir::Any;
using ir::as;
using ir::Expr;
using ir::ExprKind;
using ir::view;
using GraphKind = GraphTree::Kind;
using Nature = GraphTree::Nature;
using GraphNode = GraphTree::Node;
using Sense = TreeChange::Sense;

bool is_binding(const GraphNode& node) {
  return node.kind == GraphKind::kBinding || node.kind == GraphKind::kIf || node.kind == GraphKind::kFunction;
}
bool is_alias(const GraphNode& node) {
  return node.kind == GraphKind::kBinding && node.nature == Nature::kPlain && node.value && node.value->kind == ExprKind::kVar &&
         node.what != "match_cast";
}
std::string label_of(const GraphNode& node) { return node.callee.empty() ? node.what : node.callee; }
// "matmul", "call_tir matmul": a call of a function with how it is called.
std::string shown(const GraphNode& node) {
  return node.callee.empty() ? node.what : fmt::format("{} {}", node.what, node.callee);
}
// Bound for its effects alone: its name says nothing.
bool is_nameless(const GraphNode& node) { return node.var && view(node.var->name).starts_with("_"); }
std::string name_of(const GraphNode& node) { return node.var ? std::string(node.var->name) : std::string(); }

// Numbers of values by variable: what a key of an expression is made of.
using Numbers = std::unordered_map<const ir::VarNode*, size_t>;

class Keys {
 public:
  explicit Keys(const TextOf& text) : text_(text) {}

  // Operands of a value, in order; variables by their numbers.
  std::vector<std::string> operands(const Expr& e, const Numbers& numbers) const {
    std::vector<std::string> all;
    auto* call = as<ir::CallNode>(e);
    if (!call) {
      all.push_back(of(e, numbers));
      return all;
    }
    for (const Expr& arg : call->args) {
      if (as<ir::GlobalVarNode>(arg) || as<relax::ExternFuncNode>(arg)) continue;  // what is called
      auto* tuple = as<ir::TupleNode>(arg);
      if (!tuple) {
        all.push_back(of(arg, numbers));
        continue;
      }
      for (const Expr& element : tuple->elements) all.push_back(of(element, numbers));
    }
    return all;
  }

  std::string of(const Expr& e, const Numbers& numbers) const {
    if (auto* var = as<ir::VarNode>(e)) {
      auto found = numbers.find(var);
      return found == numbers.end() ? std::string(view(var->name)) : fmt::format("#{}", found->second);
    }
    if (auto* tuple = as<ir::TupleNode>(e)) {
      std::string all = "(";
      for (const Expr& element : tuple->elements) all += of(element, numbers) + ",";
      return all + ")";
    }
    if (auto* item = as<ir::TupleGetItemNode>(e)) return fmt::format("{}[{}]", of(item->tuple_value, numbers), item->index);
    if (auto* constant = as<relax::GenericConstNode>(e)) {
      auto tensor = constant->tensor();
      if (!tensor) return "const " + text_(Any(e));
      if (tensor->numel() > kSmall) return fmt::format("const {}", static_cast<const void*>(tensor->data_ptr()));
      return fmt::format("const {}", ir::structural_hash(constant->value));
    }
    if (e->kind == ExprKind::kIf) return "if " + of(static_cast<const relax::IfNode*>(e.get())->cond, numbers);
    if (e->kind == ExprKind::kFunction || e->kind == ExprKind::kSeqExpr) return "function";
    return text_(Any(e));
  }

  std::string type(const ir::Type& type) const { return short_type(type, text_); }
  const TextOf& text() const { return text_; }

 private:
  static constexpr int64_t kSmall = 16;  // elements of constants that are compared; larger ones are the same object or not
  const TextOf& text_;
};

class Diff {
 public:
  Diff(const ir::IRModule& before, const ir::IRModule& after, const GraphTree& old, const GraphTree& now, const TextOf& text)
      : before_(before), after_(after), old_(old), now_(now), keys_(text) {}

  std::vector<TreeChange> run() {
    parameters();
    number_old();
    for (const GraphNode& node : now_.nodes) {
      if (node.kind == GraphKind::kResult) results(node);
      if (is_binding(node)) match(node);
    }
    removed();
    moved();
    blocks();
    std::vector<TreeChange> all;
    for (auto& [key, change] : changes_) all.push_back(std::move(change));
    std::ranges::stable_sort(all, {}, [](const TreeChange& change) { return change.sense != Sense::kChanged; });
    return all;
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // A value of the graph before.
  struct Value {
    const GraphNode* node;
    std::string label, type;
    bool matched = false;
    size_t inside = kNone;  // of the body of this call
  };

  void say(Sense sense, std::string verb, std::string what, const std::string& name) {
    std::string key = fmt::format("{}|{}|{}", static_cast<int>(sense), verb, what);
    auto found = number_of_change_.find(key);
    if (found == number_of_change_.end()) {
      found = number_of_change_.emplace(key, changes_.size()).first;
      changes_.push_back({key, {std::move(verb), std::move(what), {}, sense}});
    }
    if (!name.empty()) changes_[found->second].second.blocks.push_back(name);
  }

  static std::string key(const GraphNode& node, const std::vector<std::string>& operands, const std::string& attrs) {
    std::string what = node.nature == Nature::kOperator ? "op " + node.what : label_of(node);
    return fmt::format("{}|{}|{}", what, fmt::join(operands, ","), attrs);
  }
  std::string attrs_of(const GraphNode& node) const {
    auto* call = node.value ? as<ir::CallNode>(node.value) : nullptr;
    if (!call || node.nature != Nature::kOperator) return "";
    std::string all;
    for (const auto& [name, value] : relax_attrs(call)) all += fmt::format("{}={} ", name, value);
    return all;
  }
  std::vector<std::pair<std::string, std::string>> relax_attrs(const ir::CallNode* call) const {
    std::vector<std::pair<std::string, std::string>> all;
    auto map = call->attrs.as<ir::Map<ir::String, Any>>();
    if (!map) return all;
    for (const auto& [name, value] : *map) all.emplace_back(std::string(name), keys_.text()(value));
    return all;
  }

  // ---- the graph before ----

  void parameters() {
    auto params_of = [](const GraphTree& tree) {
      std::vector<const GraphNode*> params;
      for (const GraphNode& node : tree.nodes) {
        if (node.kind == GraphKind::kParam && node.depth == 0) params.push_back(&node);
      }
      return params;
    };
    std::vector<const GraphNode*> old = params_of(old_), now = params_of(now_);
    std::map<std::string, const GraphNode*> by_name;
    for (const GraphNode* param : old) {
      by_name[name_of(*param)] = param;
      old_numbers_[param->var.get()] = add(param, kNone);
    }
    for (size_t i = 0; i < now.size(); ++i) {
      const GraphNode* param = now[i];
      auto found = by_name.find(name_of(*param));
      const GraphNode* was = found != by_name.end() ? found->second : old.size() == now.size() ? old[i] : nullptr;
      if (!was || values_[old_numbers_[was->var.get()]].matched) {
        say(Sense::kAdded, "parameter", fmt::format("{}: {}", name_of(*param), keys_.type(param->var->ty)), "");
        continue;
      }
      size_t number = old_numbers_[was->var.get()];
      values_[number].matched = true;
      now_numbers_[param->var.get()] = number;
      std::string type = keys_.type(param->var->ty);
      if (type != values_[number].type)
        say(Sense::kChanged, "parameter", fmt::format("{}: {} -> {}", name_of(*param), values_[number].type, type), "");
    }
    for (const GraphNode* param : old) {
      if (!values_[old_numbers_[param->var.get()]].matched) say(Sense::kRemoved, "parameter", name_of(*param), "");
    }
    std::string was = keys_.type(old_.fn->ret_ty), is = keys_.type(now_.fn->ret_ty);
    if (was != is) say(Sense::kChanged, "result", fmt::format("{} -> {}", was, is), "");
  }

  size_t add(const GraphNode* node, size_t inside) {
    values_.push_back({node, label_of(*node), keys_.type(node->var->ty), false, inside});
    return values_.size() - 1;
  }

  void number_old() {
    for (const GraphNode& node : old_.nodes) {
      if (node.kind == GraphKind::kResult) old_results_.push_back(keys_.of(node.value, old_numbers_));
      if (!is_binding(node)) continue;
      if (is_alias(node)) {
        auto found = old_numbers_.find(as<ir::VarNode>(node.value));
        if (found != old_numbers_.end()) old_numbers_[node.var.get()] = found->second;
        continue;
      }
      size_t number = add(&node, kNone);
      old_numbers_[node.var.get()] = number;
      note(number, node, old_numbers_);
      // The body of a graph that is called: its values may stand by themselves afterwards.
      if (const GraphTree* body = body_of(before_, node, old_bodies_)) {
        Numbers inner = arguments(node, *body, old_numbers_);
        for (const GraphNode& each : body->nodes) {
          if (each.kind != GraphKind::kBinding) continue;
          size_t part = add(&each, number);
          inner[each.var.get()] = part;
          note(part, each, inner);
        }
      }
    }
  }
  void note(size_t number, const GraphNode& node, const Numbers& numbers) {
    std::vector<std::string> operands = keys_.operands(node.value, numbers);
    by_key_[key(node, operands, attrs_of(node))].push_back(number);
    if (is_nameless(node)) return;
    by_operands_[fmt::format("{}|{}", fmt::join(operands, ","), values_[number].type)].push_back(number);
    by_name_[name_of(node)].push_back(number);
  }

  using Bodies = std::map<std::string, GraphTree>;
  // That of a private graph that the binding calls; null where it calls none, or one with more than plain bindings.
  const GraphTree* body_of(const ir::IRModule& mod, const GraphNode& node, Bodies& bodies) const {
    if (node.nature != Nature::kGraph || !mod.defined()) return nullptr;
    auto found = bodies.find(node.callee);
    if (found == bodies.end()) {
      ir::GlobalVar var = mod->find(node.callee);
      auto* graph = var ? mod->functions.at(var).as<relax::FunctionNode>() : nullptr;
      if (!graph || ir::attr(mod->functions.at(var), "global_symbol")) return nullptr;
      found = bodies.emplace(node.callee, graph_tree(node.callee, ir::ref(graph), mod, keys_.text())).first;
    }
    return &found->second;
  }
  static Numbers arguments(const GraphNode& node, const GraphTree& body, const Numbers& around) {
    Numbers inner;
    auto* call = as<ir::CallNode>(node.value);
    for (size_t i = 0; i < body.fn->params.size() && i < call->args.size(); ++i) {
      auto* var = as<ir::VarNode>(call->args[i]);
      auto found = var ? around.find(var) : around.end();
      if (found != around.end()) inner[body.fn->params[i].get()] = found->second;
    }
    return inner;
  }

  // ---- the graph after ----

  std::optional<size_t> take(std::unordered_map<std::string, std::vector<size_t>>& from, const std::string& key) {
    auto found = from.find(key);
    if (found == from.end()) return std::nullopt;
    for (size_t number : found->second) {
      if (!values_[number].matched) return number;
    }
    return std::nullopt;
  }

  void same(const GraphNode& node, size_t number) {
    Value& value = values_[number];
    value.matched = true;
    now_numbers_[node.var.get()] = number;
    if (value.inside == kNone) {
      order_.push_back({number, name_of(node)});
    } else if (!values_[value.inside].matched) {
      values_[value.inside].matched = true;
      say(Sense::kChanged, "inlined", shown(*values_[value.inside].node), name_of(*values_[value.inside].node));
    }
    std::string type = keys_.type(node.var->ty);
    if (type != value.type)
      say(Sense::kChanged, "type", fmt::format("{}: {} -> {}", shown(node), value.type, type), name_of(node));
  }

  void match(const GraphNode& node) {
    if (is_alias(node)) {
      auto found = now_numbers_.find(as<ir::VarNode>(node.value));
      if (found != now_numbers_.end()) now_numbers_[node.var.get()] = found->second;
      return;
    }
    std::vector<std::string> operands = keys_.operands(node.value, now_numbers_);
    if (auto number = take(by_key_, key(node, operands, attrs_of(node)))) {
      const GraphNode& was = *values_[*number].node;
      if (was.inplace != node.inplace)
        say(Sense::kChanged, node.inplace ? "in place" : "out of place", label_of(node), name_of(node));
      else if (was.what != node.what)
        say(Sense::kChanged, "call", fmt::format("{}: {} -> {}", label_of(node), was.what, node.what), name_of(node));
      return same(node, *number);
    }
    if (fused(node) || written_out(node, operands)) return;
    if (is_nameless(node)) return say(Sense::kAdded, "binding", shown(node), name_of(node));
    std::string type = keys_.type(node.var->ty);
    if (auto number = take(by_operands_, fmt::format("{}|{}", fmt::join(operands, ","), type))) return replaced(node, *number);
    auto number = take(by_name_, name_of(node));
    bool alike = number && (values_[*number].label == label_of(node) || values_[*number].type == type);
    if (alike) return replaced(node, *number);
    say(Sense::kAdded, "binding", shown(node), name_of(node));
  }

  void replaced(const GraphNode& node, size_t number) {
    const GraphNode& was = *values_[number].node;
    std::string before = shown(was), is = shown(node);
    if (before != is) {
      bool legalized = was.nature == Nature::kOperator && node.nature == Nature::kTensorFunction;
      say(Sense::kChanged, legalized ? "legalized" : "replaced", fmt::format("{} -> {}", before, is), name_of(node));
    } else if (std::string a = attrs_of(was), b = attrs_of(node); a != b) {
      say(Sense::kChanged, "attributes", fmt::format("{}: {}", is, changed_attrs(was, node)), name_of(node));
    } else if (keys_.type(node.var->ty) == values_[number].type) {
      say(Sense::kChanged, "operands", is, name_of(node));
    }
    same(node, number);
  }
  std::string changed_attrs(const GraphNode& was, const GraphNode& node) const {
    auto old = relax_attrs(as<ir::CallNode>(was.value));
    std::vector<std::string> words;
    for (const auto& [name, value] : relax_attrs(as<ir::CallNode>(node.value))) {
      auto found = std::ranges::find(old, name, &std::pair<std::string, std::string>::first);
      if (found == old.end() || found->second != value)
        words.push_back(fmt::format("{} {} -> {}", name, found == old.end() ? "none" : found->second, value));
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }

  // A call of a graph whose body computes values of the graph before.
  bool fused(const GraphNode& node) {
    const GraphTree* body = body_of(after_, node, now_bodies_);
    if (!body) return false;
    Numbers inner = arguments(node, *body, now_numbers_);
    std::vector<size_t> parts;
    for (const GraphNode& each : body->nodes) {
      if (each.kind != GraphKind::kBinding) continue;
      if (is_alias(each)) {
        auto found = inner.find(as<ir::VarNode>(each.value));
        if (found != inner.end()) inner[each.var.get()] = found->second;
        continue;
      }
      auto number = take(by_key_, key(each, keys_.operands(each.value, inner), attrs_of(each)));
      if (!number) return false;
      inner[each.var.get()] = *number;
      parts.push_back(*number);
    }
    const GraphNode& end = body->nodes.back();  // the result
    auto* result = as<ir::VarNode>(end.value);
    if (!result || !inner.contains(result)) return false;
    std::vector<std::string> labels;
    for (size_t part : parts) {
      values_[part].matched = true;
      labels.push_back(values_[part].label);
    }
    now_numbers_[node.var.get()] = inner.at(result);
    order_.push_back({inner.at(result), name_of(node)});
    say(Sense::kChanged, "fused", fmt::format("{} -> {}", fmt::join(labels, ", "), node.callee), name_of(node));
    return true;
  }

  // A call that writes into the last of its arguments, of what was a call with a result.
  bool written_out(const GraphNode& node, std::vector<std::string> operands) {
    auto* call = as<ir::CallNode>(node.value);
    if (!call || call->args.empty() || (node.nature != Nature::kTensorFunction && node.nature != Nature::kOpaque)) return false;
    std::vector<const ir::VarNode*> memory;
    while (!operands.empty() && memory.size() < call->args.size()) {
      auto* var = as<ir::VarNode>(call->args[call->args.size() - 1 - memory.size()]);
      if (!var) return false;
      memory.push_back(var);
      operands.pop_back();
      auto number = take(by_key_, key(node, operands, ""));
      if (!number) continue;
      values_[*number].matched = true;
      now_numbers_[node.var.get()] = *number;
      now_numbers_[memory.back()] = *number;
      order_.push_back({*number, name_of(node)});
      say(Sense::kChanged, "into memory", shown(*values_[*number].node), std::string(view(memory.back()->name)));
      return true;
    }
    return false;
  }

  void results(const GraphNode& node) {
    std::string is = keys_.of(node.value, now_numbers_);
    size_t at = results_seen_++;
    if (at >= old_results_.size() || old_results_[at] == is) return;
    say(Sense::kChanged, node.depth == 0 ? "returns" : "yields", node.what, "");
  }

  void removed() {
    for (const Value& value : values_) {
      bool part = value.inside != kNone;  // of a call that is gone, too
      if (value.matched || part || !is_binding(*value.node)) continue;
      say(Sense::kRemoved, "binding", shown(*value.node), name_of(*value.node));
    }
  }

  // Of the values on both sides those that the longest common order leaves out.
  void moved() {
    std::vector<size_t> tails, tail_at, before(order_.size(), kNone);
    for (size_t i = 0; i < order_.size(); ++i) {
      size_t at = static_cast<size_t>(std::ranges::lower_bound(tails, order_[i].first) - tails.begin());
      if (at == tails.size()) tails.push_back(0), tail_at.push_back(0);
      tails[at] = order_[i].first;
      tail_at[at] = i;
      before[i] = at == 0 ? kNone : tail_at[at - 1];
    }
    std::vector<bool> stays(order_.size(), false);
    for (size_t at = tail_at.empty() ? kNone : tail_at.back(); at != kNone; at = before[at]) stays[at] = true;
    for (size_t i = 0; i < order_.size(); ++i) {
      if (!stays[i]) say(Sense::kChanged, "moved", i == 0 ? "to the beginning" : "behind `" + order_[i - 1].second + "`", order_[i].second);
    }
  }

  void blocks() {
    auto count = [](const GraphTree& tree) {
      return std::ranges::count_if(tree.nodes, [](const GraphNode& node) { return node.kind == GraphKind::kDataflow; });
    };
    auto was = count(old_), is = count(now_);
    if (was != is) say(Sense::kChanged, "dataflow", fmt::format("{} block{} -> {}", was, was == 1 ? "" : "s", is), "");
  }

  const ir::IRModule& before_;
  const ir::IRModule& after_;
  const GraphTree& old_;
  const GraphTree& now_;
  Keys keys_;
  std::vector<Value> values_;
  Numbers old_numbers_, now_numbers_;
  std::unordered_map<std::string, std::vector<size_t>> by_key_, by_operands_, by_name_;
  Bodies old_bodies_, now_bodies_;
  std::vector<std::pair<size_t, std::string>> order_;  // values that stay, as they stand afterwards
  std::vector<std::string> old_results_;
  size_t results_seen_ = 0;
  std::vector<std::pair<std::string, TreeChange>> changes_;
  std::unordered_map<std::string, size_t> number_of_change_;
};

}  // namespace
}  // namespace graph_diffs

std::vector<TreeChange> graph_diff(const ir::IRModule& before, const ir::IRModule& after, const GraphTree& old,
                                   const GraphTree& now, const TextOf& text) {
  return graph_diffs::Diff(before, after, old, now, text).run();
}

}  // namespace mlc::transform
