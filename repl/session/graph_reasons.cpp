// SPDX-License-Identifier: Apache-2.0
#include "repl/session/graph_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/relax/visit.h"
#include "repl/session/graph_text.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"
#include "transform/graph/fusion_groups.h"
#include "transform/graph/memory_plan.h"

namespace mlc::repl {
namespace graph_decisions {
namespace {

using ir::Any;
using ir::as;
using ir::view;
using transform::FusionDecision;
using transform::FusionGroups;
using transform::GraphTree;
using transform::OpPattern;
using transform::PlannedTensor;

constexpr size_t kMaxDepth = 256;  // of a group: relax.FuseOps.max_depth where the context says nothing
constexpr size_t kWidestCall = 44;     // columns

std::string_view pattern_name(OpPattern pattern) {
  switch (pattern) {
    case OpPattern::kElemWise:
      return "elementwise";
    case OpPattern::kBroadcast:
      return "broadcast";
    case OpPattern::kInjective:
      return "injective";
    case OpPattern::kCommReduce:
      return "reduction";
    case OpPattern::kOutEWiseFusable:
      return "out-elementwise-fusable";
    case OpPattern::kTuple:
      return "tuple";
    case OpPattern::kOpaque:
      return "opaque";
  }
  return "";
}

ir::IRModule run_library(const ir::IRModule& mod, ir::Host& host, std::string_view function) {
  Any argument(mod);
  return host.call_library("mlc.pipeline.graph", function, {&argument, 1}).cast<ir::IRModule>();
}

std::vector<GraphTree> graphs_of(const ir::IRModule& mod, const std::string& function) {
  std::vector<GraphTree> trees = graph_trees_of({"", mod, function});
  if (trees.empty())
    throw CallError{function.empty() ? "the module has no graph" : fmt::format("`{}` is no graph", function),
                    "a graph is a function of `@R.function`"};
  return trees;
}

// Is the node one of those asked for, by its variable or by what it calls?
bool is_about(const ReasonOptions& options, const std::string& name, const std::string& callee) {
  return options.about.empty() || std::ranges::find(options.about, name) != options.about.end() ||
         (!callee.empty() && std::ranges::find(options.about, callee) != options.about.end());
}

void demand_all_found(const ReasonOptions& options, const std::vector<std::string>& names) {
  for (const std::string& asked : options.about) {
    if (std::ranges::find(names, asked) != names.end()) continue;
    std::string near = ir::closest(asked, names);
    throw CallError{fmt::format("no binding of the graph is called `{}`, and none calls it", asked),
                    near.empty() ? "without a name all bindings are shown" : fmt::format("did you mean `{}`?", near)};
  }
}

// ---- fusion ----

std::string value_name(const ir::ExprNode* value) {
  if (value == nullptr) return "";
  auto* var = value->kind == ir::ExprKind::kVar ? static_cast<const ir::VarNode*>(value) : nullptr;
  return var ? std::string(var->name) : "a constant";
}

// What the rules let follow a value of that pattern in its group.
std::string_view may_follow(OpPattern pattern) {
  if (pattern == OpPattern::kOutEWiseFusable) return "only elementwise and broadcast functions follow one";
  if (pattern == OpPattern::kInjective) return "only injective functions follow one";
  return "only injective functions follow one, and at the end a reduction or a function that it begins";
}

std::string reason_of(const FusionDecision& decision, OpPattern pattern, const GraphTree& tree, const GraphTree::Node& node) {
  using Kind = FusionDecision::Kind;
  std::string end = value_name(decision.dominator);
  switch (decision.kind) {
    case Kind::kFused:
      return fmt::format("fused with `{}`", end);
    case Kind::kOpaque:
      if (node.what == "match_cast") return "not fused: a match_cast is checked when it runs";
      if (node.nature == GraphTree::Nature::kOpaque) return fmt::format("not fused: nothing is known of `{}`", node.callee);
      if (node.nature == GraphTree::Nature::kTensorFunction)
        return fmt::format("not fused: `{}` is opaque: its stores or loads fit no pattern", node.callee);
      if (node.nature == GraphTree::Nature::kGraph) return fmt::format("not fused: `{}` is a graph of its own", node.callee);
      return "not fused: it is no call of a tensor function";
    case Kind::kReduction:
      return "not fused with what follows: a reduction ends its group";
    case Kind::kOutside:
      return "ends its group: it is used outside of the dataflow block";
    case Kind::kUnused:
      return "not fused: nothing uses it";
    case Kind::kApart: {
      std::vector<std::string> users;
      for (size_t user : node.users) users.push_back(tree.nodes[user].var ? std::string(tree.nodes[user].var->name) : "return");
      return fmt::format("not fused: its uses ({}) lead to no common value", fmt::join(users, ", "));
    }
    case Kind::kTooLarge:
      return fmt::format("not with `{}`: {} calls in one group, and relax.FuseOps.max_depth is {}", end, decision.size, kMaxDepth);
    case Kind::kUse:
      return fmt::format("not with `{}`: on the way there it is read by a function that is {}; {}", end, pattern_name(decision.pattern),
                         pattern == OpPattern::kOutEWiseFusable ? "what follows is to read it element by element"
                                                                : "only elementwise, broadcast, injective ones and reductions may");
    case Kind::kBetween: {
      std::string blocking = value_name(decision.blocking);
      std::string where = decision.blocking == decision.dominator ? fmt::format("not with `{}`: it", end)
                                                                  : fmt::format("not with `{}`: `{}` on the way there", end, blocking);
      return fmt::format("{} is {}{}; {}", where, decision.pattern == OpPattern::kOpaque ? "" : "in a group of pattern ",
                         pattern_name(decision.pattern), may_follow(pattern));
    }
  }
  return "";
}

void add_fusion(Table& table, const GraphTree& tree, const FusionGroups& groups, const ReasonOptions& options,
                std::vector<std::string>& names) {
  std::map<size_t, std::vector<std::string>> members;
  bool dataflow = false;
  std::vector<size_t> shown;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const GraphTree::Node& node = tree.nodes[i];
    if (node.kind == GraphTree::Kind::kDataflow) dataflow = true;
    if (node.kind == GraphTree::Kind::kBlock || node.kind == GraphTree::Kind::kResult) dataflow = false;
    if (node.kind != GraphTree::Kind::kBinding) continue;
    std::string name(node.var->name);
    names.push_back(name);
    if (!node.callee.empty()) names.push_back(node.callee);
    if (dataflow) members[*groups.group_of(node.var.get())].push_back(name);
    if (is_about(options, name, node.callee)) shown.push_back(i);
    if (!dataflow && is_about(options, name, node.callee)) members[tree.nodes.size() + i] = {};
  }
  for (size_t i : shown) {
    const GraphTree::Node& node = tree.nodes[i];
    std::string first = fmt::format("  {} = {}", std::string(node.var->name), call_text(node));
    auto group = groups.group_of(node.var.get());
    bool inside = group && members.contains(*group) && !members.at(*group).empty();
    if (!inside) {
      table.add({{first}, {""}, {"not fused: it stands in no dataflow block", colour::kQuiet}});
      continue;
    }
    OpPattern pattern = groups.pattern_of(node.var.get());
    table.add({{first},
               {std::string(pattern_name(pattern)), colour::kKind},
               {reason_of(groups.decision(node.var.get()), pattern, tree, node)}});
  }
  for (const auto& [group, all] : members) {
    if (all.size() < 2) continue;
    bool about = options.about.empty() || std::ranges::any_of(shown, [&](size_t i) {
      return std::ranges::find(all, std::string(tree.nodes[i].var->name)) != all.end();
    });
    if (about) table.add({{fmt::format("  one function: {}", fmt::join(all, ", ")), colour::kName}});
  }
}

// ---- memory ----

std::string size_text(const ir::Expr& bytes) {
  auto known = ir::const_int(bytes);
  return known ? bytes_text(static_cast<double>(*known)) : plain_text(Any(bytes));
}

// Which function writes a tensor: the first one that is called with it.
class Writers final : public relax::Visitor {
 public:
  std::map<const ir::VarNode*, std::string> of;

  void visit(const ir::Expr& e) override {
    if (auto* call = as<ir::CallNode>(e)) {
      auto* global = as<ir::GlobalVarNode>(call->op);
      auto* external = as<relax::ExternFuncNode>(call->op);
      for (const ir::Expr& arg : call->args) {
        auto* var = as<ir::VarNode>(arg);
        if (var && (global || external)) of.try_emplace(var, view(global ? global->name_hint : external->global_symbol));
      }
    }
    walk_children(e);
  }
};

// Bytes of the tensors that are constants of a graph, each once.
class Constants final : public relax::Visitor {
 public:
  double bytes = 0;

  void visit(const ir::Expr& e) override {
    auto* constant = as<relax::GenericConstNode>(e);
    auto tensor = constant != nullptr ? constant->tensor() : std::nullopt;
    if (tensor && seen_.insert(tensor->data_ptr()).second) bytes += static_cast<double>(ir::ffi::GetDataSize(*tensor));
    walk_children(e);
  }

 private:
  std::set<const void*> seen_;
};

// nullopt where a dimension is no number, or the parameter no tensor.
std::optional<double> parameter_bytes(const relax::Function& fn) {
  double bytes = 0;
  for (const ir::Var& param : fn->params) {
    auto* type = relax::as_type<relax::TensorTypeNode>(param->ty);
    auto* shape = type != nullptr ? as<relax::ShapeExprNode>(type->shape) : nullptr;
    if (shape == nullptr) return std::nullopt;
    double size = static_cast<double>((type->data_type().bits() + 7) / 8);
    for (const ir::Expr& extent : shape->values) {
      auto known = ir::const_int(extent);
      if (!known) return std::nullopt;
      size *= static_cast<double>(*known);
    }
    bytes += size;
  }
  return bytes;
}

std::string refusals_of(const PlannedTensor& tensor, const transform::MemoryPlan& plan) {
  using Why = PlannedTensor::Refused::Why;
  std::vector<std::string> words;
  constexpr size_t kMost = 3;
  for (const PlannedTensor::Refused& each : tensor.refused) {
    if (words.size() == kMost) {
      words.push_back(fmt::format("{} more", tensor.refused.size() - kMost));
      break;
    }
    const transform::PlannedStorage& free = plan.storages[each.storage];
    switch (each.why) {
      case Why::kScope:
        words.push_back(fmt::format("storage {} is in {}", each.storage, free.scope));
        break;
      case Why::kType:
        words.push_back(fmt::format("storage {} is of {}", each.storage, free.dtype.str()));
        break;
      case Why::kSize:
        words.push_back(fmt::format("storage {} with {} is more than 16 times larger or smaller", each.storage, size_text(free.bytes)));
        break;
      case Why::kSymbolic:
        words.push_back(fmt::format("storage {} with {} is not proved to be of the same size", each.storage, size_text(free.bytes)));
        break;
    }
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

// `tenant`: the tensor that has had the same storage before, or null; `first`: no storage was planned before.
std::string decision_of(const PlannedTensor& tensor, const PlannedTensor* tenant, const transform::MemoryPlan& plan, bool first) {
  using Kind = PlannedTensor::Kind;
  switch (tensor.kind) {
    case Kind::kReuses:
      return fmt::format("storage {}, after `{}`, whose last use is {}", tensor.storage, std::string(tenant->var->name), tenant->end);
    case Kind::kNew:
      if (tensor.unused) return fmt::format("storage {}, new: nothing uses it", tensor.storage);
      if (first) return fmt::format("storage {}", tensor.storage);
      if (tensor.refused.empty()) return fmt::format("storage {}, new: no storage was free", tensor.storage);
      return fmt::format("storage {}, new: {}", tensor.storage, refusals_of(tensor, plan));
    case Kind::kEscapes:
      return "not planned: it leaves its block, by itself or in a tuple";
    case Kind::kKept:
      return fmt::format("not planned: `{}` may keep it", plain_text(Any(tensor.keeper)));
    case Kind::kCrosses:
      return "not planned: it is used in another block";
  }
  return "";
}

bool states_bounds(const relax::Function& fn) { return ir::attr(fn, "tir_var_upper_bound").has_value(); }

std::string memory_text(const ir::IRModule& mod, const GraphTree& tree, const ReasonOptions& options,
                        std::vector<std::string>& names) {
  transform::UpperBounds bounds(tree.fn);
  std::vector<PlannedTensor> tensors;
  transform::MemoryPlan plan = transform::plan_memory(tree.fn, mod, bounds, &tensors);
  Writers writers;
  writers.visit(tree.fn);
  Table table(kWidestCall);
  bool symbolic = false;
  double planned = 0, apart = 0, left = 0;
  std::map<size_t, const PlannedTensor*> tenants;  // of each storage, the last one
  for (const PlannedTensor& tensor : tensors) {
    bool first = tenants.empty();
    bool has_storage = tensor.kind == PlannedTensor::Kind::kNew || tensor.kind == PlannedTensor::Kind::kReuses;
    const PlannedTensor* tenant = has_storage ? std::exchange(tenants[tensor.storage], &tensor) : nullptr;
    std::string name(tensor.var->name);
    auto writer = writers.of.find(tensor.var.get());
    std::string by = writer == writers.of.end() ? "" : writer->second;
    names.push_back(name);
    if (!by.empty()) names.push_back(by);
    auto known = ir::const_int(tensor.bytes);
    symbolic = symbolic || !known;
    apart += known ? static_cast<double>(*known) : 0;
    if (!has_storage && known) left += static_cast<double>(*known);
    if (!is_about(options, name, by)) continue;
    table.add({{fmt::format("  {}{}", name, by.empty() ? "" : ", of " + by)},
               {size_text(tensor.bytes), {}, true},
               {fmt::format("bindings {}-{}", tensor.begin, tensor.end), colour::kQuiet},
               {decision_of(tensor, tenant, plan, first)}});
  }
  for (const transform::PlannedStorage& storage : plan.storages) {
    auto known = ir::const_int(storage.bytes);
    planned += known ? static_cast<double>(*known) : 0;
  }
  auto counted = [](size_t count, std::string_view what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); };
  std::string head = fmt::format("{}: {} in {}", tree.function, counted(tensors.size(), "tensor"), counted(plan.storages.size(), "storage"));
  if (!symbolic) head += fmt::format(", {} instead of {}", bytes_text(planned + left), bytes_text(apart));
  Constants constants;
  constants.visit(tree.fn);
  auto arguments = parameter_bytes(tree.fn);
  if (!symbolic && arguments) {
    head += fmt::format("\n  a run holds at most {}: arguments {}, constants {}, storages {}, results and what is not planned {}",
                        bytes_text(*arguments + constants.bytes + planned + left), bytes_text(*arguments),
                        bytes_text(constants.bytes), bytes_text(planned), bytes_text(left));
  }
  std::string text = head + "\n" + table.text(options.width, options.coloured);
  if (symbolic && !states_bounds(tree.fn))
    text += "  symbolic sizes share memory where they are proved equal; "
            "`R.func_attr({\"tir_var_upper_bound\": {\"n\": 1024}})` plans them at a bound\n";
  return text;
}

}  // namespace
}  // namespace graph_decisions

ir::IRModule before_fusion(const ir::IRModule& mod, ir::Host& host) { return graph_decisions::run_library(mod, host, "before_fusion"); }
ir::IRModule before_planning(const ir::IRModule& mod, ir::Host& host) { return graph_decisions::run_library(mod, host, "before_planning"); }

std::string fusion_reasons(const ir::IRModule& given, ir::Host& host, const ReasonOptions& options) {
  graph_decisions::graphs_of(given, options.function);
  ir::IRModule mod = before_fusion(given, host);
  transform::FusionGroups groups(mod, graph_decisions::kMaxDepth);
  std::string text;
  std::vector<std::string> names;
  for (const transform::GraphTree& tree : graph_decisions::graphs_of(mod, options.function)) {
    if (ir::has_flag(tree.fn, "Primitive")) {
      if (!options.function.empty()) text += fmt::format("{} is a group of FuseOps already\n", tree.function);
      continue;
    }
    Table table(graph_decisions::kWidestCall);
    graph_decisions::add_fusion(table, tree, groups, options, names);
    if (table.empty()) continue;
    text += fmt::format("{}, as FuseOps sees it\n{}", tree.function, table.text(options.width, options.coloured));
  }
  graph_decisions::demand_all_found(options, names);
  return text.empty() ? "no graph has a binding\n" : text;
}

std::string memory_reasons(const ir::IRModule& given, ir::Host& host, const ReasonOptions& options) {
  graph_decisions::graphs_of(given, options.function);
  ir::IRModule mod = before_planning(given, host);
  std::string text;
  std::vector<std::string> names;
  for (const transform::GraphTree& tree : graph_decisions::graphs_of(mod, options.function)) text += graph_decisions::memory_text(mod, tree, options, names);
  graph_decisions::demand_all_found(options, names);
  return text;
}

}  // namespace mlc::repl
