// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/graph_runs.h"

#include <algorithm>
#include <set>

#include "backend/interp/compare.h"
#include "backend/interp/graph.h"
#include "ir/relax/infer.h"
#include "ir/relax/visit.h"
#include "repl/shell/build_rows.h"

namespace mlc::repl {
namespace {

using ir::Any;
using ir::Expr;
using ir::GlobalVarNode;

// Statements that compiled tensor functions may run, roughly two seconds; and what fills arguments with random numbers is
// slower than they are.
constexpr double kMostCompiledGraph = 2e9;
constexpr double kMostGraphElements = 1 << 26;

// Sizes of symbolic dimensions, and 1, which shows what broadcasts.
constexpr struct {
  uint64_t seed;
  std::optional<int64_t> size;
} kInputs[] = {{1, {}}, {2, {}}, {3, 1}};
// Integers may be indices: where a run stops with one set of them, the next one is tried.
constexpr std::pair<int64_t, int64_t> kIntegers[] = {{-8, 8}, {0, 1}, {0, 0}};

const relax::FunctionNode* graph_in(const ir::IRModule& mod, std::string_view name) {
  ir::BaseFunc fn = function_named(mod, name);
  return fn ? fn.as<relax::FunctionNode>() : nullptr;
}

// What a run of a function executes, roughly: a branch counts as both, a function that calls itself once.
class Work final : public relax::Visitor {
 public:
  explicit Work(const ir::IRModule& mod) : mod_(mod) {}
  double total = 0;
  bool threads = false;

  void add(std::string_view name) {
    ir::BaseFunc fn = function_named(mod_, name);
    if (!fn) return;
    if (auto* tensor = fn.as<ir::PrimFuncNode>()) {
      auto [found, added] = tensor_work_.try_emplace(tensor, 0);
      if (added) {
        found->second = interp::work(tensor->body);
        threads = threads || interp::has_threads(tensor->body);
      }
      total += found->second;
    } else if (auto* graph = fn.as<relax::FunctionNode>(); graph && inside_.insert(graph).second) {
      visit(graph->body);
      inside_.erase(graph);
    }
  }

 private:
  void visit(const Expr& e) override {
    if (auto* callee = ir::as<GlobalVarNode>(e)) add(ir::view(callee->name_hint));
    walk_children(e);
  }

  const ir::IRModule& mod_;
  std::unordered_map<const ir::PrimFuncNode*, double> tensor_work_;
  std::set<const relax::FunctionNode*> inside_;
};

double elements_in(const std::vector<Any>& args) {
  double all = 0;
  for (const Any& arg : args) {
    if (auto tensor = arg.as<ir::ffi::Tensor>()) all += static_cast<double>(tensor->numel());
    if (auto items = arg.as<ir::Array<Any>>()) all += elements_in({items->begin(), items->end()});
  }
  return all;
}

// Tensors with memory of their own, those of tuples, too.
std::vector<Any> copies(const std::vector<Any>& args) {
  std::vector<Any> all = interp::copies(args);
  for (Any& arg : all) {
    auto items = arg.as<ir::Array<Any>>();
    if (!items) continue;
    std::vector<Any> own = copies({items->begin(), items->end()});
    arg = ir::Array<Any>(own.begin(), own.end());
  }
  return all;
}

// What is compared of a value: the elements of tuples, shapes as their extents.
void flatten(const Any& value, std::vector<Any>& all) {
  if (auto items = value.as<ir::Array<Any>>()) {
    for (const Any& item : *items) flatten(item, all);
  } else if (auto shape = value.as<ir::ffi::Shape>()) {
    for (int64_t extent : *shape) all.emplace_back(extent);
  } else {
    all.push_back(value);
  }
}

// The tensor functions of a compiled module; without one they are compiled for this machine, all at once.
interp::TensorFunctions compiled_functions(ir::Host& host, std::optional<ir::ffi::Module> given = {}) {
  auto built = std::make_shared<std::optional<ir::ffi::Module>>(std::move(given));
  return [&host, built](const ir::IRModule& mod, std::string_view name) {
    if (!*built) *built = build_for_this_machine(tensor_functions_of(mod), host);
    auto symbol = ir::attr(function_named(mod, name), "global_symbol");
    std::string called = symbol ? std::string(symbol->cast<ir::String>()) : std::string(name);
    return (**built)->GetFunction(called).value();
  };
}

bool stopped_by_user(const ir::Error& error) { return error.first().kind == "KeyboardInterrupt"; }
// Errors that say what the interpreter lacks, not what the program does wrong.
bool is_unsupported(const ir::Error& error) {
  return error.first().name == "graph-unsupported" || error.first().name == "interpret-unsupported";
}

std::string index_text(const std::vector<int64_t>& index) { return fmt::format("{}", fmt::join(index, ", ")); }

}  // namespace

GraphRun::GraphRun(const ir::IRModule& mod, std::string name, const relax::Function& fn, ir::Host& host,
                   const RunLimits& limits)
    : host_(&host), limits_(limits), name_(std::move(name)), fn_(fn) {
  ir::IRModule first;
  try {
    first = interp::legalized(mod, host);
  } catch (const ir::Error& error) {  // an operator that LegalizeOps refuses for these operands
    if (stopped_by_user(error)) throw;
    how_ = fmt::format("its operators have no tensor code: {}", error.first().message);
    return;
  }
  Work work(first);
  work.add(name_);
  interpreted_ = work.total <= interp::kMostWork;
  if (work.total > kMostCompiledGraph || (!interpreted_ && work.threads)) {
    how_ = "it would take too long";
    return;
  }
  ir::ffi::Function graph = prepared(first);
  std::string stopped;
  for (auto [seed, size] : kInputs) {
    if (size && relax::symbolic_vars(fn->ty).empty()) break;
    bool done = false;
    for (auto [least, greatest] : kIntegers) {
      interp::GraphValues values{.least_integer = least, .greatest_integer = greatest, .size = size};
      auto args = interp::random_graph_arguments(fn, seed, host, values, &how_);
      if (!args) return;
      if (elements_in(*args) > kMostGraphElements) {
        how_ = "its arguments are too large to be filled with random numbers";
        return;
      }
      try {
        announce("the beginning");
        std::vector<Any> expected = run(graph, *args);
        inputs_.push_back({std::move(*args), std::move(expected)});
        done = true;
        break;
      } catch (const ir::Error& error) {
        if (stopped_by_user(error)) throw;
        stopped = error.first().message;
        if (is_unsupported(error)) break;
      }
    }
    if (!done && inputs_.empty()) break;
    if (!interpreted_) break;
  }
  how_ = fmt::format("{}, {} random input{}", interpreted_ ? "interpreted" : "its tensor functions compiled", inputs_.size(),
                     inputs_.size() == 1 ? "" : "s");
  if (inputs_.empty()) how_ = fmt::format("on random inputs the beginning stops: {}", stopped);
}

bool GraphRun::same_parameters(const relax::FunctionNode* other) const {
  auto type = [](const relax::FunctionNode* fn) { return relax::function_type(fn->params, relax::any_type(), true); };
  return ir::structural_equal(type(fn_.get()), type(other));
}

ir::ffi::Function GraphRun::prepared(const ir::IRModule& mod) const {
  return interp::compile_graph(mod, name_, *host_, interpreted_ ? interp::TensorFunctions{} : compiled_functions(*host_));
}

std::vector<Any> GraphRun::run(const ir::ffi::Function& graph, const std::vector<Any>& args) const {
  std::vector<Any> own = copies(args);
  std::vector<ir::AnyView> views(own.begin(), own.end());
  Any result;
  graph.CallPacked(views.data(), static_cast<int32_t>(views.size()), &result);
  std::vector<Any> all;
  for (const Any& arg : own) flatten(arg, all);
  // A result may lie in an argument; what it holds then is the same memory.
  flatten(result, all);
  return all;
}

std::string GraphRun::difference(const ir::IRModule& mod, std::string& not_run, const ir::ffi::Module* built) const {
  ir::ffi::Function graph;
  for (const Input& input : inputs_) {
    std::vector<Any> actual;
    try {
      announce("what became of it");
      if (graph == nullptr) {
        graph = built ? interp::compile_graph(mod, name_, *host_, compiled_functions(*host_, *built)) : prepared(mod);
      }
      actual = run(graph, input.args);
    } catch (const ir::Error& error) {
      if (stopped_by_user(error)) throw;
      if (!is_unsupported(error)) return fmt::format("`{}` stops: {}", name_, error.first().message);
      not_run = error.first().message;
      return "";
    }
    std::vector<Any> parameters;
    for (const Any& arg : input.args) flatten(arg, parameters);
    if (input.expected.size() != actual.size())
      return fmt::format("`{}` has {} results, not {}", name_, actual.size() - parameters.size(),
                         input.expected.size() - parameters.size());
    auto found = interp::first_difference(input.expected, actual);
    if (!found) continue;
    if (found->argument < parameters.size())
      return fmt::format("`{}` leaves {} at [{}] of argument {}, not {}", name_, found->actual, index_text(found->index),
                         found->argument, found->expected);
    size_t result = found->argument - parameters.size();
    std::string which = actual.size() - parameters.size() > 1 ? fmt::format(" {}", result) : "";
    return fmt::format("result{} of `{}` is {} at [{}], not {}", which, name_, found->actual, index_text(found->index),
                       found->expected);
  }
  return "";
}

void GraphRun::announce(const char* part) const {
  if (limits_.before) limits_.before(fmt::format("running `{}`, {}", name_, part));
}

ir::BaseFunc function_named(const ir::IRModule& mod, std::string_view name) {
  ir::GlobalVar var = mod->find(name);
  return var ? mod->functions.at(var) : ir::BaseFunc(nullptr);
}

bool has_graphs(const ir::IRModule& mod) {
  return std::ranges::any_of(mod->functions, [](const auto& each) { return each.second.template as<relax::FunctionNode>(); });
}

ir::IRModule tensor_functions_of(const ir::IRModule& mod) {
  ir::Map<ir::GlobalVar, ir::BaseFunc> functions;
  for (const auto& [var, fn] : mod->functions) {
    auto tensor = Any(fn).as<ir::PrimFunc>();
    if (!tensor) continue;
    if (!ir::attr(fn, "global_symbol")) tensor = ir::with_attr(*tensor, "global_symbol", var->name_hint);
    functions.Set(var, *tensor);
  }
  return ir::make<ir::IRModuleNode>(functions, mod->attrs, mod->global_infos);
}

std::vector<GraphRun> graph_runs_of(const ir::IRModule& mod, ir::Host& host, const RunLimits& limits) {
  std::vector<GraphRun> runs;
  for (const auto& [var, fn] : mod->functions) {
    auto* graph = fn.as<relax::FunctionNode>();
    if (graph && ir::attr(fn, "global_symbol")) runs.emplace_back(mod, std::string(var->name_hint), ir::ref(graph), host, limits);
  }
  return runs;
}

GraphComparison compare_graphs(const ir::IRModule& before, const ir::IRModule& after, ir::Host& host) {
  return compare_graphs(graph_runs_of(before, host), after);
}

GraphComparison compare_graphs(const std::vector<GraphRun>& before, const ir::IRModule& after) {
  GraphComparison comparison;
  for (const GraphRun& run : before) {
    const relax::FunctionNode* now = graph_in(after, run.name());
    if (!now || !run.same_parameters(now)) {
      comparison.not_run = "a function of a graph has other parameters, or is gone";
    } else if (!run.runs()) {
      comparison.not_run = run.why_not();
    } else {
      comparison.difference = run.difference(after, comparison.not_run);
      if (!comparison.difference.empty()) return comparison;
      if (comparison.not_run.empty()) ++comparison.compared;
    }
  }
  return comparison;
}

}  // namespace mlc::repl
