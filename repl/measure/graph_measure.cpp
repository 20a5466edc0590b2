// SPDX-License-Identifier: Apache-2.0
#include "repl/measure/graph_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "ir/core/inputs.h"
#include "repl/measure/machine.h"
#include "repl/measure/rounds.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"

namespace mlc::repl {

using ir::Any;

namespace {

using Clock = std::chrono::steady_clock;

// Listens to a machine: for each function the calls and the seconds of one run, without those of what it
// calls.
class Listener {
 public:
  explicit Listener(ir::ffi::Module machine) : machine_(std::move(machine)) {
    set(ir::ffi::Function::FromPacked([this](ir::ffi::PackedArgs args, Any* result) {
      *result = 0;
      if (args[2].cast<bool>()) {
        open_.push_back({Clock::now(), 0});
      } else {
        close(std::string(args[1].cast<ir::String>()));
      }
    }));
  }
  ~Listener() { set(nullptr); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  struct Heard {
    int64_t calls = 0;
    double seconds = 0;
  };
  std::map<std::string, Heard> take() {
    open_.clear();
    return std::exchange(heard_, {});
  }

 private:
  struct Open {
    Clock::time_point begin;
    double inner;
  };

  void set(const Any& instrument) {
    ir::ffi::Function setter = machine_->GetFunction("set_instrument").value();
    ir::ffi::AnyView args[] = {instrument};
    Any ignored;
    setter.CallPacked(args, 1, &ignored);
  }

  void close(const std::string& name) {
    if (open_.empty()) return;
    Open call = open_.back();
    open_.pop_back();
    double seconds = std::chrono::duration<double>(Clock::now() - call.begin).count();
    Heard& heard = heard_[name];
    ++heard.calls;
    heard.seconds += seconds - call.inner;
    if (!open_.empty()) open_.back().inner += seconds;
  }

  ir::ffi::Module machine_;
  std::vector<Open> open_;
  std::map<std::string, Heard> heard_;
};

// Of a function that calls a library, whose loops are not ours: what the library is asked to compute, and
// each buffer once.
transform::FunctionCost cost_of_library_call(const std::string& name, const ir::PrimFunc& fn, int64_t flops,
                                             size_t levels) {
  transform::FunctionCost cost;
  cost.function = name;
  cost.flops = static_cast<double>(flops);
  cost.flop_bits = 32;
  for (const ir::Var& param : fn->params) {
    const ir::BufferTypeNode* type = param->buffer();
    if (type == nullptr) continue;
    double bytes = ir::DataType(type->dtype).bits() / 8.0;
    if (bytes > 4) cost.flop_bits = 64;
    for (const ir::Expr& extent : type->shape) {
      auto* number = ir::as<ir::IntImmNode>(extent);
      bytes *= number != nullptr ? static_cast<double>(number->value) : 1;
    }
    cost.touched += bytes;
  }
  cost.accessed = cost.footprint = cost.touched;
  cost.traffic.assign(levels, cost.touched);
  cost.parallel = true;
  return cost;
}

// What a call of each tensor function computes and moves.
std::map<std::string, transform::FunctionCost> costs_of(const ir::IRModule& scheduled,
                                                        const std::vector<OperatorTime>& functions,
                                                        const std::vector<transform::MemoryLevel>& levels) {
  std::map<std::string, transform::FunctionCost> costs;
  for (const OperatorTime& each : functions) {
    ir::GlobalVar var = scheduled->find(each.function);
    auto fn = var ? Any(scheduled->functions.at(var)).as<ir::PrimFunc>() : std::nullopt;
    if (!fn) continue;
    if (auto flops = ir::attr(*fn, "mlc.library_flops")) {
      costs.emplace(each.function,
                    cost_of_library_call(each.function, *fn, flops->cast<int64_t>(), levels.size()));
      continue;
    }
    try {
      costs.emplace(each.function, transform::cost_of(each.function, *fn, levels));
    } catch (const ir::Error& error) {  // extents that only a run knows
      if (error.first().kind == "KeyboardInterrupt") throw;
    }
  }
  return costs;
}

// Where all that a run touches fits in the last cache, it is there from the run before; else it comes from
// memory.
bool stays_in_cache(double bytes, const transform::Machine& machine) {
  size_t caches = machine.levels.size() - 1;
  return caches > 0 && bytes <= static_cast<double>(machine.levels[caches - 1].capacity);
}

void add_costs(MeasuredGraph& graph, const ir::IRModule& scheduled, int threads, ir::Host& host) {
  auto costs = costs_of(scheduled, graph.functions, memory_levels());
  if (costs.empty()) return;
  Measured& whole = graph.whole;
  whole.bound = "the sum of its functions";
  for (OperatorTime& each : graph.functions) {
    auto cost = costs.find(each.function);
    if (cost == costs.end()) continue;
    auto calls = static_cast<double>(each.calls);
    each.flops = calls * cost->second.flops;
    each.bytes = calls * cost->second.touched;
    whole.flops += each.flops;
    whole.bytes += each.bytes;
  }
  for (OperatorTime& each : graph.functions) {
    auto cost = costs.find(each.function);
    if (cost == costs.end()) continue;
    transform::Machine machine = this_machine(host, cost->second.parallel && threads > 1);
    transform::Bound bound = transform::bound_of(cost->second, machine, stays_in_cache(whole.bytes, machine));
    each.least_seconds = static_cast<double>(each.calls) * bound.seconds;
    each.bound = bound.what;
    whole.least_seconds += each.least_seconds;
  }
}

double median(std::vector<double> numbers) { return median_of(numbers, kConfidence).value; }

// Runs with a listener until their number is that of rounds, or the time is over.
void add_functions(MeasuredGraph& graph, const GraphRunnable& of, const Contestant& contestant,
                   double seconds) {
  std::vector<std::map<std::string, Listener::Heard>> runs;
  Listener listener(of.machine);
  Clock::time_point begin = Clock::now();
  auto spent = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  contestant.once();
  listener.take();
  while (runs.size() < kMostRounds &&
         (runs.empty() || spent() < (runs.size() < kLeastRounds ? kOverdraft * seconds : seconds))) {
    contestant.once();
    runs.push_back(listener.take());
  }
  graph.runs = runs.size();
  for (const auto& [name, first] : runs.front()) {
    OperatorTime one;
    one.function = name;
    one.calls = first.calls;
    if (auto found = of.operators.find(name); found != of.operators.end()) one.operators = found->second;
    std::vector<double> times;
    for (auto& run : runs) times.push_back(run[name].seconds);
    one.seconds = median(times);
    graph.functions.push_back(std::move(one));
  }
  std::ranges::stable_sort(graph.functions, std::ranges::greater(), &OperatorTime::seconds);
}

std::string rate_text(double amount, double seconds) {
  return amount > 0 && seconds > 0 ? fmt::format("{:.3g}", amount / seconds / 1e9) : "";
}

std::string roofline_text(const OperatorTime& one) {
  if (one.least_seconds <= 0 || one.seconds <= 0) return "";
  if (one.least_seconds > one.seconds) return fmt::format("beyond ({})", one.bound);
  return fmt::format("{:.0f} % ({})", 100 * one.least_seconds / one.seconds, one.bound);
}

// Functions that passes have split off, such as the packing of weights, have no operator of their own.
std::string origin_of(const OperatorTime& one) {
  return one.function.starts_with("vm.builtin.") ? "the virtual machine" : one.operators;
}

double sum_of(const MeasuredGraph& graph) {
  double sum = 0;
  for (const OperatorTime& each : graph.functions) sum += each.seconds;
  return sum;
}

}  // namespace

std::vector<MeasuredGraph> measure_graphs(const std::vector<GraphRunnable>& graphs,
                                          const MeasureOptions& options, int threads, ir::Host& host) {
  auto progress = [&](const std::string& what) {
    if (options.progress) options.progress(what);
  };
  std::vector<MeasuredGraph> all;
  std::vector<Contestant> contestants;
  for (const GraphRunnable& of : graphs) {
    all.emplace_back();
    Measured& whole = all.back().whole;
    whole.of = {.name = of.name, .mod = of.scheduled, .function = of.function, .fn = ir::PrimFunc(nullptr)};
    whole.fresh = false;
    whole.arguments = text_of_arguments(of.arguments);
    if (whole.arguments != all.front().whole.arguments)
      throw CallError{fmt::format("`{}` takes {}, and `{}` takes {}", all.front().whole.of.name,
                                  all.front().whole.arguments, of.name, whole.arguments),
                      "models that are compared take the same arguments"};
    contestants.emplace_back(of.machine->GetFunction(of.function).value(), of.arguments, false);
  }
  ir::Inputs::global().beyond();  // what follows depends on the clock
  progress("running each once");
  std::vector<Sampled> sampled = sample_in_turn(contestants, options.seconds, [&](size_t round) {
    progress(fmt::format("measuring `{}`, round {}", graphs.front().name, round));
  });
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].whole.warm = std::move(sampled[i].warm);
    progress(fmt::format("measuring the functions of `{}`", graphs[i].name));
    add_functions(all[i], graphs[i], contestants[i], options.seconds / 2);
    progress("counting operations");
    add_costs(all[i], graphs[i].scheduled, threads, host);
  }
  return all;
}

std::string operators_text(const MeasuredGraph& graph, size_t width, bool coloured) {
  Table table;
  std::vector<Cell> head{{"  function", colour::kQuiet}};
  for (const char* title : {"calls", "time", "share", "GFLOP/s", "GB/s", "roofline"})
    head.push_back({title, colour::kQuiet, true});
  head.push_back({"from", colour::kQuiet});
  table.add(head);
  double sum = sum_of(graph);
  for (const OperatorTime& each : graph.functions) {
    table.add({{"  " + each.function, colour::kName},
               {fmt::format("{}", each.calls), {}, true},
               {time_text(each.seconds), {}, true},
               {fmt::format("{:.1f} %", 100 * each.seconds / std::max(sum, 1e-12)), {}, true},
               {rate_text(each.flops, each.seconds), {}, true},
               {rate_text(each.bytes, each.seconds), {}, true},
               {roofline_text(each), {}, true},
               {origin_of(each), colour::kQuiet}});
  }
  return fmt::format("{} of `{}` by function, the medians of {} runs that were listened to: {} together\n{}",
                     graph.whole.of.function, graph.whole.of.name, graph.runs, time_text(sum),
                     table.text(width, coloured));
}

nlohmann::ordered_json operators_json(const MeasuredGraph& graph) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  double sum = sum_of(graph);
  for (const OperatorTime& each : graph.functions) {
    nlohmann::ordered_json row = {{"function", each.function},
                                  {"operators", each.operators},
                                  {"calls", each.calls},
                                  {"ms", each.seconds * 1e3},
                                  {"share", each.seconds / std::max(sum, 1e-12)}};
    if (each.flops > 0) row["flops"] = each.flops;
    if (each.bytes > 0) row["bytes"] = each.bytes;
    if (each.least_seconds > 0) row["roofline"] = {{"ms", each.least_seconds * 1e3}, {"bound", each.bound}};
    rows.push_back(row);
  }
  return rows;
}

}  // namespace mlc::repl
