// SPDX-License-Identifier: Apache-2.0
#include "repl/measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "backend/interp/compare.h"
#include "ir/core/inputs.h"
#include "ir/core/walk_with.h"
#include "repl/measure/machine.h"
#include "repl/shell/build_rows.h"
#include "repl/shell/source.h"

namespace mlc::repl {

using ir::Any;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

constexpr size_t kLeastRounds = 6;  // of an interval of 95 %
constexpr size_t kMostRounds = 100;
constexpr double kOverdraft = 4;  // times the budget, for the least rounds
constexpr double kLeastSample =
    1e-3;  // seconds: the clock and the call into the code are less than 0.1 % of them
constexpr int64_t kMostCalls = 1'000'000;
// Seconds of a call after which warm and cold caches are not told apart: what fits in a cache is brought
// there in a hundredth of that. Such a function is run once in a round.
constexpr double kSlow = 0.1;

// Every line of the memory leaves all caches, on all cores. False where the processor has no instruction for
// it that a user may call.
bool flush(const char* begin, size_t bytes) {
  constexpr size_t kLine = 64;
  for (size_t at = 0; at < bytes; at += kLine) {
#if defined(__x86_64__)
    asm volatile("clflush %0" : : "m"(begin[at]) : "memory");
#elif defined(__aarch64__)
    asm volatile("dc civac, %0" : : "r"(begin + at) : "memory");
#else
    static_cast<void>(begin);
    return false;
#endif
  }
#if defined(__x86_64__)
  asm volatile("mfence" : : : "memory");
#elif defined(__aarch64__)
  asm volatile("dsb ish" : : : "memory");
#endif
  return true;
}

bool flush(const std::vector<Any>& args) {
  bool all = true;
  for (const Any& arg : args)
    if (auto tensor = arg.as<ir::ffi::Tensor>())
      all = flush(static_cast<const char*>(tensor->data_ptr()), ir::ffi::GetDataSize(*tensor)) && all;
  return all;
}

// "float32[128, 128], int32[4], 7".
std::string text_of_arguments(const std::vector<Any>& args) {
  std::vector<std::string> parts;
  for (const Any& arg : args) {
    if (auto tensor = arg.as<ir::ffi::Tensor>()) {
      std::string dtype(ir::DataType(tensor->dtype()).str());
      parts.push_back(fmt::format("{}[{}]", dtype, fmt::join(tensor->shape(), ", ")));
    } else if (auto integer = arg.try_cast<int64_t>()) {
      parts.push_back(fmt::format("{}", *integer));
    } else {
      parts.emplace_back("a number");
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

double bytes_of(const std::vector<Any>& args) {
  double sum = 0;
  for (const Any& arg : args)
    if (auto tensor = arg.as<ir::ffi::Tensor>()) sum += static_cast<double>(ir::ffi::GetDataSize(*tensor));
  return sum;
}

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

// Compiled, with the arguments that each round has copies of.
class Contestant {
 public:
  Contestant(ir::ffi::Function code, std::vector<Any> arguments)
      : code_(std::move(code)), arguments_(std::move(arguments)) {}

  // What a call leaves in fresh buffers.
  std::vector<Any> results() const {
    std::vector<Any> own = interp::copies(arguments_);
    call(own, 1);
    return own;
  }
  double once() const {
    std::vector<Any> own = interp::copies(arguments_);
    return call(own, 1);
  }
  // Seconds of so many calls, after one that is not counted.
  double warm(int64_t calls) const {
    std::vector<Any> own = interp::copies(arguments_);
    call(own, 1);
    return call(own, calls);
  }
  // Seconds of one call with nothing of its buffers in a cache; nothing where that cannot be had.
  std::optional<double> cold() const {
    std::vector<Any> own = interp::copies(arguments_);
    if (!flush(own)) return std::nullopt;
    return call(own, 1);
  }

 private:
  double call(const std::vector<Any>& args, int64_t calls) const {
    std::vector<ir::ffi::AnyView> views(args.begin(), args.end());
    Any result;
    Clock::time_point begin = Clock::now();
    for (int64_t i = 0; i < calls; ++i)
      code_.CallPacked(views.data(), static_cast<int32_t>(views.size()), &result);
    return seconds_since(begin);
  }

  ir::ffi::Function code_;
  std::vector<Any> arguments_;
};

ir::ffi::Function function_of(const ir::ffi::Module& built, const Runnable& of) {
  auto code = built->GetFunction(of.function);
  if (!code)
    throw CallError{
        fmt::format("{} cannot be measured: it cannot be called from outside of its module", called(of)),
        "give it an attribute `global_symbol`"};
  return *code;
}

// So many calls take as long as a sample should; 0 where one takes so long that it is all there is to a
// round.
int64_t calls_of(const Contestant& contestant) {
  // What disturbs the machine makes a call of a microsecond as long, once.
  double first = contestant.once();
  if (first > kSlow && (first > 10 * kSlow || contestant.once() > kSlow)) return 0;
  int64_t calls = 1;
  double seconds = contestant.warm(calls);
  while (seconds < kLeastSample && calls < kMostCalls) {
    double wanted = kLeastSample * 1.2 / std::max(seconds, 1e-9) * static_cast<double>(calls);
    calls = std::clamp(static_cast<int64_t>(wanted) + 1, calls + 1, std::min(calls * 100, kMostCalls));
    seconds = contestant.warm(calls);
  }
  return calls;
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
  std::vector<int64_t> calls;
  for (const Contestant& each : contestants) calls.push_back(calls_of(each));
  for (size_t i = 0; i < all.size(); ++i) all[i].warm.calls = std::max<int64_t>(calls[i], 1);
  double budget = options.seconds * static_cast<double>(all.size());
  Clock::time_point begin = Clock::now();
  for (size_t round = 0; round < kMostRounds; ++round) {
    double spent = seconds_since(begin);
    if (round > 0 && spent > (round < kLeastRounds ? kOverdraft * budget : budget)) break;
    progress(fmt::format("measuring {}, round {}", called(functions.front()), round + 1));
    // In turn, and each of them as often behind each other one.
    for (size_t i = 0; i < all.size(); ++i) {
      Measured& one = all[(i + round) % all.size()];
      const Contestant& contestant = contestants[(i + round) % all.size()];
      if (calls[(i + round) % all.size()] == 0) {
        one.warm.samples.push_back(contestant.once());
        continue;
      }
      one.warm.samples.push_back(contestant.warm(one.warm.calls) / static_cast<double>(one.warm.calls));
      if (auto cold = contestant.cold()) one.cold.samples.push_back(*cold);
    }
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
