// SPDX-License-Identifier: Apache-2.0
#include "repl/session/module_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "frontend/print/print.h"
#include "repl/session/commands.h"
#include "repl/session/graph_text.h"
#include "repl/session/line_diff.h"
#include "repl/session/subject.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"
#include "transform/analysis/graph_diff.h"
#include "transform/analysis/tree_diff.h"

namespace mlc::repl {

namespace {

using Sense = transform::TreeChange::Sense;

Cell mark_of(Sense sense) {
  switch (sense) {
    case Sense::kAdded:
      return {"  +", colour::kAdded};
    case Sense::kRemoved:
      return {"  -", colour::kRemoved};
    case Sense::kChanged:
      return {"  ~", colour::kKind};
  }
  return {};
}

using Functions = std::map<std::string, ir::BaseFunc>;  // in order of their names

Functions functions_in(const ir::IRModule& mod) {
  Functions functions;
  if (mod.defined())
    for (const auto& [var, fn] : mod->functions) functions.emplace(std::string(var->name_hint), fn);
  return functions;
}

std::string attribute_text(const ir::Any& value) {
  std::string text = print::text_of(value);
  size_t end = text.find('\n');
  return end == std::string::npos ? text : text.substr(0, end) + " ...";
}

void add_attributes(Table& table, const ir::BaseFunc& before, const ir::BaseFunc& after) {
  for (const auto& [key, value] : after->attrs) {
    auto old = before->attrs.Get(key);
    if (old && ir::structural_equal(*old, value)) continue;
    table.add({mark_of(old ? Sense::kChanged : Sense::kAdded),
               {"attribute"},
               {fmt::format("{} = {}", std::string(key), attribute_text(value))}});
  }
  for (const auto& [key, value] : before->attrs)
    if (!after->attrs.Get(key)) table.add({mark_of(Sense::kRemoved), {"attribute"}, {std::string(key)}});
}

std::vector<transform::TreeChange> graph_changes(const std::string& name, const ir::IRModule& before, const ir::IRModule& after,
                                                 const relax::Function& old, const relax::Function& now) {
  return transform::graph_diff(before, after, transform::graph_tree(name, old, before, plain_text),
                               transform::graph_tree(name, now, after, plain_text), plain_text);
}

constexpr size_t kMostNames = 4;  // of bindings that a change is about
std::string names_text(const std::vector<std::string>& names) {
  if (names.size() <= kMostNames + 1) return fmt::format("{}", fmt::join(names, ", "));
  std::vector<std::string> first(names.begin(), names.begin() + kMostNames);
  return fmt::format("{}, {} more", fmt::join(first, ", "), names.size() - kMostNames);
}

void add_function(Table& table, Session& session, const std::string& name, const ir::IRModule& before_mod,
                  const ir::IRModule& after_mod, const ir::BaseFunc& before, const ir::BaseFunc& after) {
  auto old_graph = ir::Any(before).as<relax::Function>(), new_graph = ir::Any(after).as<relax::Function>();
  if (old_graph && new_graph) {
    auto changes = graph_changes(name, before_mod, after_mod, *old_graph, *new_graph);
    table.add({{name, colour::kName}});
    for (const transform::TreeChange& each : changes)
      table.add({mark_of(each.sense), {each.verb}, {each.what}, {names_text(each.blocks), colour::kQuiet}});
    add_attributes(table, before, after);
    if (changes.empty() && ir::structural_equal(ir::Any(before->attrs), ir::Any(after->attrs)))
      table.add({mark_of(Sense::kChanged), {"names"}, {"of variables, or what types say of them; `--text` shows the lines"}});
    return;
  }
  auto old_tir = before.as<ir::PrimFunc>(), new_tir = after.as<ir::PrimFunc>();
  if ((old_graph && new_tir) || (old_tir && new_graph))
    return table.add({mark_of(Sense::kChanged),
                      {"function"},
                      {fmt::format("{}: {}; `:tree {}` shows it", name,
                                   new_tir ? "a graph, now a tensor function" : "a tensor function, now a graph", name)}});
  if (!old_tir || !new_tir) {
    DiffCount count = count_diff(script_of(session.evaluator(), ir::Any(before)),
                                 script_of(session.evaluator(), ir::Any(after)));
    return table.add(
        {mark_of(Sense::kChanged),
         {"function"},
         {fmt::format("{}: +{} -{} lines; `--text` shows them", name, count.added, count.removed)}});
  }
  auto text = [](const ir::Any& value) { return print::text_of(value); };
  auto found =
      transform::tree_diff(transform::loop_tree(name, *old_tir), transform::loop_tree(name, *new_tir), text);
  table.add({{name, colour::kName}});
  for (const transform::TreeChange& each : found)
    table.add({mark_of(each.sense),
               {each.verb},
               {each.what},
               {fmt::format("{}", fmt::join(each.blocks, ", ")), colour::kQuiet}});
  add_attributes(table, before, after);
  bool attributes_differ = !ir::structural_equal(ir::Any(before->attrs), ir::Any(after->attrs));
  if (!found.empty() || attributes_differ) return;
  DiffCount count = count_diff(script_of(session.evaluator(), ir::Any(before)),
                               script_of(session.evaluator(), ir::Any(after)));
  table.add(
      {mark_of(Sense::kChanged),
       {"body"},
       {fmt::format("+{} -{} lines below the same loops; `--text` shows them", count.added, count.removed)}});
}

std::string semantic_diff(Session& session, const ir::IRModule& before, const ir::IRModule& after) {
  Table table;
  Functions old = functions_in(before), now = functions_in(after);
  for (const auto& [name, fn] : old)
    if (!now.contains(name)) table.add({mark_of(Sense::kRemoved), {"function"}, {name}});
  for (const auto& [name, fn] : now) {
    auto was = old.find(name);
    if (was == old.end())
      table.add({mark_of(Sense::kAdded), {"function"}, {name}});
    else if (!was->second.same_as(fn) && !ir::structural_equal(ir::Any(was->second), ir::Any(fn)))
      add_function(table, session, name, before, after, was->second, fn);
  }
  return table.text(width_of(session), session.options().colour);
}

}  // namespace

DiffArguments diff_arguments(std::string_view command, std::string_view arguments, size_t most) {
  DiffArguments found;
  for (std::string_view word = take_word(arguments); !word.empty(); word = take_word(arguments)) {
    if (word == "--text") {
      found.style = DiffStyle::kText;
    } else if (word == "--side") {
      found.style = DiffStyle::kSide;
    } else if (word.starts_with("-")) {
      throw CallError{fmt::format("`:{}` has no option `{}`", command, word), "`--text` or `--side`"};
    } else {
      if (found.words.size() == most) no_more(command, word);
      found.words.emplace_back(word);
    }
  }
  return found;
}

std::string module_diff(Session& session, const ir::IRModule& before, const ir::IRModule& after,
                        DiffStyle style) {
  if (before.defined() && (before.same_as(after) || ir::structural_equal(ir::Any(before), ir::Any(after))))
    return "";
  if (style == DiffStyle::kSemantic) {
    std::string text = semantic_diff(session, before, after);
    return text.empty() ? "  ~  attributes of the module\n" : text;
  }
  std::string old = before.defined() ? script_of(session.evaluator(), ir::Any(before)) : "";
  std::string now = script_of(session.evaluator(), ir::Any(after));
  if (style == DiffStyle::kSide) {
    size_t width = width_of(session);
    return side_by_side(old, now, width == 0 ? 160 : width, session.options().colour);
  }
  std::string text = line_diff(old, now);
  return session.options().colour ? colour_diff(text) : text;
}

std::string diff_in_brief(Session& session, const ir::IRModule& before, const ir::IRModule& after) {
  constexpr size_t kMost = 2;
  std::vector<std::string> shown;
  size_t count = 0;
  auto text = [](const ir::Any& value) { return print::text_of(value); };
  Functions old = functions_in(before);
  for (const auto& [name, function] : functions_in(after)) {
    auto found = old.find(name);
    if (found == old.end() || found->second.same_as(function)) continue;
    ir::Any was = found->second, is = function;
    std::vector<transform::TreeChange> changes;
    if (was.as<ir::PrimFuncNode>() && is.as<ir::PrimFuncNode>()) {
      changes = transform::tree_diff(transform::loop_tree(name, was.cast<ir::PrimFunc>()),
                                     transform::loop_tree(name, is.cast<ir::PrimFunc>()), text);
    } else if (was.as<relax::FunctionNode>() && is.as<relax::FunctionNode>()) {
      changes = graph_changes(name, before, after, was.cast<relax::Function>(), is.cast<relax::Function>());
    }
    for (const transform::TreeChange& each : changes) {
      if (++count > kMost) continue;
      std::string_view sign = each.sense == Sense::kAdded ? "+" : each.sense == Sense::kRemoved ? "-" : "";
      shown.push_back(fmt::format("{}{} {}", sign, each.verb, each.what));
    }
  }
  if (count > kMost) shown.push_back(fmt::format("{} more", count - kMost));
  if (count > 0) return fmt::format("{}", fmt::join(shown, ", "));
  DiffCount lines = count_diff(script_of(session.evaluator(), ir::Any(before)),
                               script_of(session.evaluator(), ir::Any(after)));
  return lines.added + lines.removed == 0 ? "" : fmt::format("+{} -{} lines", lines.added, lines.removed);
}

}  // namespace mlc::repl
