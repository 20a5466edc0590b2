// SPDX-License-Identifier: Apache-2.0
#include "repl/measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/interp/compare.h"
#include "ir/core/inputs.h"
#include "ir/core/walk_with.h"
#include "repl/measure/machine.h"
#include "repl/measure/rounds.h"
#include "repl/shell/build_rows.h"
#include "repl/shell/source.h"

namespace mlc::repl {

using ir::Any;

namespace {

std::string called(const Runnable& of) { return fmt::format("`{}` of `{}`", of.function, of.name); }

// Its arguments; CallError where there are none for this machine.
std::vector<Any> arguments_of(const Runnable& of, const Sizes& sizes) {
  auto refuse = [&](const std::string& why, const std::string& help) {
    return CallError{fmt::format("{} cannot be measured: {}", called(of), why), help};
  };
  if (interp::has_threads(of.fn->body))
    throw refuse("it runs on the threads of a GPU, and this machine's processor has none",
                 "measure it before its loops are bound to threads");
  std::vector<std::string> missing;
  for (const std::string& name : sizes_of(of.fn))
    if (!sizes.contains(name)) missing.push_back(name);
  if (!missing.empty()) {
    std::string help;
    for (const std::string& name : missing)
      help += fmt::format("{}--size {}=1024", help.empty() ? "" : " ", name);
    throw refuse(fmt::format("nothing says how large `{}` {}", fmt::join(missing, "`, `"),
                             missing.size() == 1 ? "is" : "are"),
                 fmt::format("`{}`", help));
  }
  try {
    return interp::random_arguments(of.fn, 7, {sizes.begin(), sizes.end()});
  } catch (const ir::Error& error) {
    throw refuse(error.first().message, error.first().help);
  } catch (const std::bad_alloc&) {
    throw refuse("its buffers do not fit in memory", "choose smaller sizes");
  }
}

ir::ffi::Function function_of(const ir::ffi::Module& built, const Runnable& of) {
  auto code = built->GetFunction(of.function);
  if (!code)
    throw CallError{
        fmt::format("{} cannot be measured: it cannot be called from outside of its module", called(of)),
        "give it an attribute `global_symbol`"};
  return *code;
}

// What later ones compute otherwise than the first.
void compare_results(const std::vector<Contestant>& contestants, std::vector<Measured>& all) {
  if (contestants.size() == 1) return;
  interp::Rounding rounding = interp::rounding_of(all.front().of.fn->body);
  if (rounding.chooses) return;  // of two that are as good either may be it
  std::vector<Any> expected = contestants.front().results();
  for (size_t i = 1; i < contestants.size(); ++i) {
    auto found = interp::first_difference(expected, contestants[i].results(), interp::Agreement::kRounded);
    if (found) all[i].differs = found->text(all[i].of.fn);
  }
}

// What it computes and moves, by counting on its loops. Not known where these are none that can be counted.
void add_figures(Measured& one, const Sizes& sizes, ir::Host& host) {
  try {
    std::vector<std::pair<std::string, int64_t>> values;
    for (const std::string& name : sizes_of(one.of.fn)) values.emplace_back(name, sizes.at(name));
    bool parallel = transform::cost_of(one.of.function, one.of.fn, memory_levels(), values).parallel;
    transform::Machine machine = this_machine(host, parallel);
    transform::FunctionCost cost = transform::cost_of(one.of.function, one.of.fn, machine.levels, values);
    transform::Bound bound = transform::bound_of(cost, machine, true);
    one.flops = cost.flops;
    one.least_seconds = bound.seconds;
    one.bound = bound.what;
  } catch (const ir::Error& error) {
    if (error.first().kind == "KeyboardInterrupt") throw;
  }
}

std::vector<double> logarithms(const std::vector<double>& numbers) {
  std::vector<double> made;
  for (double each : numbers) made.push_back(std::log(std::max(each, 1e-12)));
  return made;
}

Estimate exponentials(const Estimate& of) {
  Estimate made{.value = std::exp(of.value), .interval = std::nullopt};
  if (of.interval) made.interval.emplace(std::exp(of.interval->first), std::exp(of.interval->second));
  return made;
}

}  // namespace

std::set<std::string> sizes_of(const ir::PrimFunc& fn) {
  std::set<std::string> names;
  auto add = [&](const ir::Expr& e) {
    ir::post_order(e, [&](const ir::Expr& part) {
      if (auto* var = ir::as<ir::VarNode>(part)) names.emplace(var->name);
    });
  };
  for (const ir::Var& param : fn->params) {
    if (const ir::BufferTypeNode* buffer = param->buffer()) {
      for (const ir::Expr& dim : buffer->shape) add(dim);
    } else if (param->dtype().is_int() && !param->dtype().is_bool()) {
      names.emplace(param->name);
    }
  }
  return names;
}

std::vector<Measured> measure(const std::vector<Runnable>& functions, const MeasureOptions& options,
                              ir::Host& host) {
  std::vector<Measured> all;
  std::vector<Contestant> contestants;
  std::map<const ir::IRModuleNode*, ir::ffi::Module> built;
  auto progress = [&](const std::string& what) {
    if (options.progress) options.progress(what);
  };
  for (const Runnable& of : functions) {
    std::vector<Any> arguments = arguments_of(of, options.sizes);
    all.emplace_back();
    all.back().of = of;
    all.back().arguments = text_of_arguments(arguments);
    all.back().bytes = bytes_of(arguments);
    if (all.back().arguments != all.front().arguments)
      throw CallError{fmt::format("{} takes {}, and {} takes {}", called(all.front().of),
                                  all.front().arguments, called(of), all.back().arguments),
                      "functions that are compared take the same arguments"};
    progress(fmt::format("compiling {}", called(of)));
    auto found = built.find(of.mod.get());
    if (found == built.end()) found = built.emplace(of.mod.get(), build_for_this_machine(of.mod, host)).first;
    contestants.emplace_back(function_of(found->second, of), std::move(arguments));
  }
  ir::Inputs::global().beyond();  // what follows depends on the clock
  progress("running each once");
  compare_results(contestants, all);
  std::vector<Sampled> sampled = sample_in_turn(contestants, options.seconds, [&](size_t round) {
    progress(fmt::format("measuring {}, round {}", called(functions.front()), round));
  });
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].warm = std::move(sampled[i].warm);
    all[i].cold = std::move(sampled[i].cold);
  }
  progress("counting operations");
  for (Measured& one : all) add_figures(one, options.sizes, host);
  double least = all.front().flops;
  for (const Measured& one : all) least = std::min(least, one.flops);
  for (Measured& one : all) one.flops = least;
  return all;
}

Estimate ratio_in_pairs(const Times& a, const Times& b, double confidence) {
  std::vector<double> first = logarithms(a.samples), differences = logarithms(b.samples);
  for (size_t i = 0; i < differences.size(); ++i) differences[i] -= first[i];
  return exponentials(shift_of_pairs(differences, confidence));
}

Estimate ratio_apart(const std::vector<double>& a, const std::vector<double>& b, double confidence) {
  return exponentials(shift_of_samples(logarithms(a), logarithms(b), confidence));
}

Comparison compare(const Estimate& ratio, double least) {
  if (!ratio.interval) return Comparison::kUnknown;
  auto [low, high] = *ratio.interval;
  if (low > 1 + least) return Comparison::kSlower;
  if (high < 1 / (1 + least)) return Comparison::kFaster;
  bool within = low >= 1 / (1 + least) && high <= 1 + least;
  return within ? Comparison::kSame : Comparison::kUndecided;
}

}  // namespace mlc::repl
