// SPDX-License-Identifier: Apache-2.0
// What the functions in force compute and move, and what bounds them on a machine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backend/interp/compare.h"
#include "ir/core/error.h"
#include "repl/measure/gpu_cost.h"
#include "repl/measure/machine.h"
#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/session/subject.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"
#include "transform/analysis/cost.h"

namespace mlc::repl::commands_cost {
namespace {

using transform::FunctionCost;
using transform::Machine;

constexpr const char* kGpu = "nvidia-h100";  // where none is named

struct Request {
  std::string name;
  std::string target;  // a machine by its name; "" for this one
  bool again = false;
  std::vector<std::pair<std::string, int64_t>> values;
};

Request request_of(std::string_view arguments) {
  Request request;
  for (std::string_view word = take_word(arguments); !word.empty(); word = take_word(arguments)) {
    size_t equals = word.find('=');
    if (word == "--measure") {
      request.again = true;
    } else if (word == "--target") {
      request.target = take_word(arguments);
      if (request.target.empty())
        throw CallError{"on which machine?", fmt::format("there are {}", fmt::join(machine_names(), ", "))};
    } else if (equals != std::string_view::npos) {
      auto value = number_of(word.substr(equals + 1));
      if (!value)
        throw CallError{fmt::format("`{}` is no number", word.substr(equals + 1)), "`:cost n=1024`"};
      request.values.emplace_back(std::string(word.substr(0, equals)), static_cast<int64_t>(*value));
    } else {
      if (!request.name.empty()) no_more("cost", word);
      request.name = word;
    }
  }
  return request;
}

Machine machine_of(Session& session, const Request& request, bool parallel) {
  if (request.target.empty()) {
    return this_machine(session.evaluator(), parallel, request.again,
                        [&](std::string_view what) { session.show(fmt::format("{}\n", what)); });
  }
  if (auto machine = named_machine(request.target)) return *machine;
  std::vector<std::string> names = machine_names();
  std::string near = ir::closest(request.target, names);
  throw CallError{fmt::format("nothing is known of a machine `{}`", request.target),
                  near.empty()
                      ? fmt::format("there are {}; without `--target` it is this one", fmt::join(names, ", "))
                      : fmt::format("did you mean `{}`?", near)};
}

// "83.5 GFLOP/s".
std::string rate_text(double rate, std::string_view unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  while (rate >= 1000 && prefix + 1 < std::size(kPrefixes)) rate /= 1000, ++prefix;
  return fmt::format("{:.3g} {}{}", rate, kPrefixes[prefix], unit);
}

std::string reuse_text(double times) {
  return (times >= 100 ? count_text(std::round(times)) : fmt::format("{:.3g}", times)) + "x";
}

bool is_parallel(const ir::PrimFunc& fn) {
  bool found = false;
  ir::post_order(
      fn->body, [](const ir::Expr&) {},
      [&](const ir::Stmt& s) {
        auto* loop = ir::as<ir::ForNode>(s);
        found = found || (loop != nullptr && loop->for_kind == ir::ForKind::kParallel);
      });
  return found;
}

void add_buffers(Table& table, const FunctionCost& cost, const Machine& machine) {
  std::vector<Cell> head{{"  buffer", colour::kQuiet}};
  for (const char* title : {"loaded", "stored", "touched", "reuse"})
    head.push_back({title, colour::kQuiet, true});
  for (const auto& level : machine.levels) head.push_back({"from " + level.name, colour::kQuiet, true});
  head.push_back({});
  table.add(head);
  auto add = [&](const std::string& name, double loads, double stores, double touched, double reuse,
                 const std::vector<double>& traffic) {
    std::vector<Cell> row{{"  " + name, colour::kName},
                          {bytes_text(loads), {}, true},
                          {bytes_text(stores), {}, true},
                          {bytes_text(touched), {}, true},
                          {reuse_text(reuse), {}, true}};
    for (double bytes : traffic) row.push_back({bytes_text(bytes), {}, true});
    row.push_back({});
    table.add(row);
  };
  double loads = 0, stores = 0;
  for (const auto& each : cost.buffers) {
    // Such as a parameter that the function reaches by a view alone.
    if (each.loads + each.stores == 0) continue;
    add(each.name, each.loads, each.stores, each.touched, each.reuse(), each.traffic);
    loads += each.loads;
    stores += each.stores;
  }
  if (cost.buffers.size() > 1)
    add("all", loads, stores, cost.touched, cost.touched > 0 ? cost.accessed / cost.touched : 0,
        cost.traffic);
}

std::string cost_text(const FunctionCost& cost, const Machine& machine, size_t width, bool coloured) {
  std::string text = fmt::format("{}: {} floating-point operations", cost.function, count_text(cost.flops));
  if (cost.special > 0) text += fmt::format(", {} functions such as exp", count_text(cost.special));
  if (cost.integer > 0) text += fmt::format(", {} on integers", count_text(cost.integer));
  text += "\n";
  Table buffers;
  add_buffers(buffers, cost, machine);
  text += buffers.text(width, coloured);
  Table roofline;
  auto bound = transform::bound_of(cost, machine);
  auto add = [&](const std::string& what, const std::string& work, const std::string& rate, double seconds) {
    roofline.add({{"  " + what, colour::kName},
                  {work, {}, true},
                  {rate, {}, true},
                  {seconds > 0 ? time_text(seconds) : "?", {}, true},
                  {what == bound.what ? "<- bound" : "", colour::kKind}});
  };
  bool wide = cost.flop_bits > 32;
  double peak = wide ? machine.flops64 : machine.flops32;
  add("compute", count_text(cost.flops),
      peak > 0 ? fmt::format("{} of float{}", rate_text(peak, "FLOP/s"), wide ? 64 : 32) : "rate not known",
      peak > 0 ? cost.flops / peak : 0);
  for (size_t i = 0; i < machine.levels.size(); ++i) {
    double rate = machine.bandwidth[i];
    add(machine.levels[i].name, bytes_text(cost.traffic[i]),
        rate > 0 ? rate_text(rate, "B/s") : "rate not known", rate > 0 ? cost.traffic[i] / rate : 0);
  }
  text += fmt::format("roofline of {}\n{}", machine.name, roofline.text(width, coloured));
  if (bound.seconds > 0)
    text += fmt::format("  at least {}, bound by {}: at most {}; {:.3g} operations a byte of {}\n",
                        time_text(bound.seconds), bound.what, rate_text(bound.flops_rate, "FLOP/s"),
                        cost.intensity(), machine.levels.back().name);
  for (const std::string& each : cost.assumptions) text += fmt::format("  note: {}\n", each);
  return text;
}

void show_cost(Session& session, std::string_view arguments) {
  Request request = request_of(arguments);
  Subject subject = subject_of(session, request.name);
  std::string text;
  std::vector<std::string> symbols;
  for (const auto& [name, fn] : functions_of(subject)) {
    // Threads of a GPU are counted on one, whatever this machine is.
    auto gpu = gpu_sheet(request.target.empty() ? kGpu : request.target);
    if (gpu && interp::is_kernel(fn->body)) {
      std::unordered_map<std::string, int64_t> values(request.values.begin(), request.values.end());
      for (const auto& [symbol, value] : request.values) symbols.push_back(symbol);
      text += (text.empty() ? "" : "\n") + gpu_cost_text(subject.mod, name, fn, *gpu, session.evaluator(),
                                                         values, width_of(session), session.options().colour);
      continue;
    }
    Machine machine = machine_of(session, request, is_parallel(fn));
    FunctionCost cost = transform::cost_of(name, fn, machine.levels, request.values);
    symbols.insert(symbols.end(), cost.symbols.begin(), cost.symbols.end());
    text +=
        (text.empty() ? "" : "\n") + cost_text(cost, machine, width_of(session), session.options().colour);
  }
  for (const auto& [symbol, value] : request.values)
    if (std::ranges::find(symbols, symbol) == symbols.end())
      throw CallError{fmt::format("no extent depends on `{}`", symbol),
                      "symbols are those of shapes: `:tree` shows them"};
  session.page(text);
}

constexpr Command kRows[] = {
    {"cost", "[NAME] [n=VALUE] [--target MACHINE] [--measure]",
     "operations, bytes of each memory, reuse, and what bounds them by a roofline",
     "    :cost\n    :cost sch.main n=1024\n    :cost --target nvidia-a100\n"
     "  Functions of GPU threads run in the simulator, some blocks of them, and are counted there: on "
     "nvidia-h100 unless `--target`\n"
     "  names another GPU. Others are counted on the loop nest, nothing is run. `touched` are the bytes of "
     "different elements, `reuse` how "
     "often each is\n"
     "  accessed; `from L2` is what the first cache does not hold and the second must give it, by a model of "
     "caches with LRU\n"
     "  replacement (of one core). What is written in a cache goes back and counts twice. This machine's "
     "rates are measured\n"
     "  once by code that mlc compiles, and kept; `--measure` does it again.\n",
     show_cost, Argument::kName},
};

}  // namespace

extern const Commands cost{kRows};

}  // namespace mlc::repl::commands_cost
