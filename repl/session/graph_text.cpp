// SPDX-License-Identifier: Apache-2.0
#include "repl/session/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "frontend/print/print.h"
#include "repl/session/table.h"

namespace mlc::repl {
namespace graph_texts {
namespace {

using transform::GraphTree;
using transform::Repeat;
using Kind = GraphTree::Kind;
using Nature = GraphTree::Nature;


constexpr size_t kMostUsers = 4;  // that are named
constexpr size_t kWidestBinding = 60;    // columns of a binding; longer ones widen nothing

// "-> a, r": who uses it.
std::string users_of(const GraphTree& tree, const GraphTree::Node& node) {
  std::vector<std::string> names;
  for (size_t user : node.users) {
    const GraphTree::Node& by = tree.nodes[user];
    std::string name = by.var ? std::string(by.var->name) : "return";
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  size_t count = names.size();
  if (count > kMostUsers) {
    names.resize(kMostUsers);
    names.push_back(fmt::format("{} more", count - kMostUsers));
  }
  return names.empty() ? "" : fmt::format("-> {}", fmt::join(names, ", "));
}

std::string notes_of(const GraphTree::Node& node) {
  std::vector<std::string_view> notes;
  if (node.nature == Nature::kOpaque) notes.push_back("opaque");
  if (node.inplace) notes.push_back("in place");
  if (node.is_output) notes.push_back("output");
  if (node.kind == Kind::kBinding && !node.is_output && node.users.empty() && node.nature == Nature::kOperator)
    notes.push_back("unused");
  return fmt::format("{}", fmt::join(notes, ", "));
}

void add_binding(Table& table, const GraphTree& tree, const GraphTree::Node& node) {
  std::string indent(2 * (node.depth + 1), ' ');
  std::string name(node.var->name);
  table.add({{fmt::format("{}{} = {}", indent, name, call_text(node))},
             {type_text(node.var->ty), colour::kKind},
             {users_of(tree, node), colour::kName},
             {notes_of(node), colour::kQuiet}});
}

void add_node(Table& table, const GraphTree& tree, size_t at) {
  const GraphTree::Node& node = tree.nodes[at];
  std::string indent(2 * (node.depth + 1), ' ');
  switch (node.kind) {
    case Kind::kParam:
      table.add({{fmt::format("{}{}", indent, std::string(node.var->name)), colour::kName},
                 {type_text(node.var->ty), colour::kKind},
                 {users_of(tree, node), colour::kName},
                 {"parameter", colour::kQuiet}});
      return;
    case Kind::kBlock:
      return table.add({{indent + "block", colour::kBlock}});
    case Kind::kDataflow:
      return table.add({{indent + "dataflow", colour::kBlock}});
    case Kind::kIf:
    case Kind::kFunction:
    case Kind::kBinding:
      return add_binding(table, tree, node);
    case Kind::kElse:
      return table.add({{indent + "else", colour::kBlock}});
    case Kind::kResult:
      return table.add({{fmt::format("{}{} {}", indent, node.depth == 0 ? "return" : "yield", node.what)}});
  }
}

std::string tree_text(const GraphTree& tree, const GraphTextOptions& options) {
  Table table(kWidestBinding);
  bool outside = ir::attr(tree.fn, "global_symbol").has_value();
  std::vector<std::string> notes;
  if (!outside) notes.emplace_back("private");
  if (ir::has_flag(tree.fn, "Primitive")) notes.emplace_back("a group of FuseOps");
  if (!tree.fn->is_pure) notes.emplace_back("has effects");
  table.add({{tree.function, colour::kName},
             {type_text(tree.fn->ret_ty), colour::kKind},
             {""},
             {fmt::format("{}", fmt::join(notes, ", ")), colour::kQuiet}});
  std::vector<Repeat> repeats = options.all ? std::vector<Repeat>{} : transform::repeats_in(tree, plain_text);
  auto next = repeats.begin();
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (next == repeats.end() || next->begin != i) {
      add_node(table, tree, i);
      continue;
    }
    for (size_t j = i; j < i + next->period; ++j) add_node(table, tree, j);
    i += next->period * next->times - 1;
    table.add({{fmt::format("{}... {} binding{}, {} times more, to `{}`; `--all` shows them",
                            std::string(2 * (tree.nodes[i].depth + 1), ' '), next->period, next->period == 1 ? "" : "s",
                            next->times - 1, tree.nodes[i].var ? std::string(tree.nodes[i].var->name) : "the end"),
                colour::kQuiet}});
    ++next;
  }
  return table.text(options.width, options.coloured);
}

// Which tensor functions the graphs call, and how often.
void add_tensor_functions(Table& table, const ir::IRModule& mod, const std::vector<GraphTree>& trees) {
  std::map<std::string, std::map<std::string, size_t>> calls;
  for (const auto& [var, fn] : mod->functions) {
    if (fn.as<ir::PrimFunc>()) calls[std::string(var->name_hint)];
  }
  for (const GraphTree& tree : trees) {
    for (const GraphTree::Node& node : tree.nodes) {
      auto found = node.callee.empty() ? calls.end() : calls.find(node.callee);
      if (found != calls.end()) ++found->second[tree.function];
    }
  }
  for (const auto& [name, by] : calls) {
    std::vector<std::string> words;
    for (const auto& [graph, times] : by)
      words.push_back(times == 1 ? graph : fmt::format("{} ({} times)", graph, times));
    table.add({{"  " + name, colour::kName},
               {words.empty() ? "called by no graph" : fmt::format("called by {}", fmt::join(words, ", ")), colour::kQuiet}});
  }
}

}  // namespace
}  // namespace graph_texts

std::string plain_text(const ir::Any& value) {
  if (value == nullptr) return "None";
  std::string text = print::text_of(value);
  constexpr std::string_view kTyped = "T.int64(";
  for (size_t at = text.find(kTyped); at != std::string::npos; at = text.find(kTyped, at + 1)) {
    size_t end = text.find_first_not_of("-0123456789", at + kTyped.size());
    if (end == std::string::npos || text[end] != ')' || end == at + kTyped.size()) continue;  // of an expression
    text.erase(end, 1);
    text.erase(at, kTyped.size());
  }
  return text;
}

std::string type_text(const ir::Type& type) { return transform::short_type(type, plain_text); }

std::string call_text(const transform::GraphTree::Node& node) {
  std::string args = fmt::format("{}", fmt::join(node.operands, ", "));
  if (node.kind == transform::GraphTree::Kind::kIf) return "if " + args;
  if (node.nature == transform::GraphTree::Nature::kPlain) {
    if (node.what == "tuple") return fmt::format("({}{})", args, node.operands.size() == 1 ? "," : "");
    if (node.what.starts_with("item ")) return fmt::format("{}[{}]", args, node.what.substr(5));
    if (node.kind == transform::GraphTree::Kind::kFunction || node.operands.empty()) return node.what;
    return fmt::format("{}({})", node.what, args);
  }
  bool plain = node.callee.empty() || node.what == "call" || node.what == "call_tir" || node.what == "call_packed";
  std::string name = node.callee.empty() ? node.what : node.callee;
  return plain ? fmt::format("{}({})", name, args) : fmt::format("{} {}({})", node.what, name, args);
}

std::vector<transform::GraphTree> graph_trees_of(const Subject& subject) {
  std::vector<transform::GraphTree> trees;
  for (const auto& [var, fn] : subject.mod->functions) {
    auto* graph = fn.as<relax::FunctionNode>();
    std::string name(var->name_hint);
    if (graph && (subject.function.empty() || subject.function == name))
      trees.push_back(transform::graph_tree(name, ir::ref(graph), subject.mod, plain_text));
  }
  std::ranges::sort(trees, [](const transform::GraphTree& a, const transform::GraphTree& b) {
    auto key = [](const transform::GraphTree& tree) { return std::pair(!ir::attr(tree.fn, "global_symbol"), std::string_view(tree.function)); };
    return key(a) < key(b);
  });
  return trees;
}

std::string graph_trees(const Subject& subject, const GraphTextOptions& options) {
  std::vector<transform::GraphTree> trees = graph_trees_of(subject);
  std::string text;
  for (const transform::GraphTree& tree : trees) text += (text.empty() ? "" : "\n") + graph_texts::tree_text(tree, options);
  if (trees.empty() || !subject.function.empty()) return text;
  Table functions;
  graph_texts::add_tensor_functions(functions, subject.mod, trees);
  if (!functions.empty()) text += "\ntensor functions\n" + functions.text(options.width, options.coloured);
  return text;
}

}  // namespace mlc::repl
