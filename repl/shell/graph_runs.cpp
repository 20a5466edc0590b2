// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/graph_runs.h"

#include "backend/interp/compare.h"
#include "backend/interp/graph.h"

namespace mlc::repl {
namespace {

using ir::Any;

constexpr uint64_t kSeeds[] = {1, 2};

// What is compared of a result: the elements of tuples, shapes as their extents.
void flatten(const Any& value, std::vector<Any>& all) {
  if (auto items = value.as<ir::Array<Any>>()) {
    for (const Any& item : *items) flatten(item, all);
  } else if (auto shape = value.as<ir::ffi::Shape>()) {
    for (int64_t extent : *shape) all.emplace_back(extent);
  } else {
    all.push_back(value);
  }
}

std::vector<Any> run(const ir::IRModule& mod, std::string_view name, const std::vector<Any>& args, ir::Host& host) {
  std::vector<Any> results;
  flatten(interp::run_graph(mod, name, interp::copies(args), host), results);
  return results;
}

bool same_parameters(const relax::FunctionNode* a, const relax::FunctionNode* b) {
  auto type = [](const relax::FunctionNode* fn) { return relax::function_type(fn->params, relax::any_type(), true); };
  return ir::structural_equal(type(a), type(b));
}

std::string text_of(const interp::Difference& difference) {
  std::string index;
  for (int64_t i : difference.index) index += fmt::format("{}{}", index.empty() ? "" : ", ", i);
  return fmt::format("element [{}] of result {} is {}, not {}", index, difference.argument, difference.actual,
                     difference.expected);
}

}  // namespace

GraphComparison compare_graphs(const ir::IRModule& before, const ir::IRModule& after, ir::Host& host) {
  GraphComparison comparison;
  for (const auto& [global, fn] : before->functions) {
    auto* graph = fn.as<relax::FunctionNode>();
    std::string name(global->name_hint);
    if (!graph || !ir::attr(fn, "global_symbol")) continue;
    ir::GlobalVar same = after->find(name);
    auto* next = same ? after->functions.at(same).as<relax::FunctionNode>() : nullptr;
    if (!next || !same_parameters(graph, next)) {
      comparison.not_run = "a function of a graph has other parameters, or is gone";
      continue;
    }
    for (uint64_t seed : kSeeds) {
      auto args = interp::random_graph_arguments(ir::ref(graph), seed);
      if (!args) {
        comparison.not_run = "a parameter of a graph is of unknown size";
        break;
      }
      std::vector<Any> expected;
      try {
        expected = run(before, name, *args, host);
      } catch (const ir::Error& error) {
        comparison.not_run = fmt::format("before a pass a graph stops with {}", error.first().name);
        break;
      }
      std::vector<Any> actual;
      try {
        actual = run(after, name, *args, host);
      } catch (const ir::Error& error) {
        if (error.first().name == "graph-unsupported") {
          comparison.not_run = "the interpreter of graphs does not know all of it";
          break;
        }
        comparison.difference = fmt::format("`{}` stops: {}", name, error.what());
        return comparison;
      }
      if (seed == kSeeds[0]) ++comparison.compared;
      if (expected.size() != actual.size()) {
        comparison.difference = fmt::format("`{}` has {} results, not {}", name, actual.size(), expected.size());
        return comparison;
      }
      if (auto difference = interp::first_difference(expected, actual)) {
        comparison.difference = fmt::format("`{}`: {}", name, text_of(*difference));
        return comparison;
      }
    }
  }
  return comparison;
}

}  // namespace mlc::repl
