// SPDX-License-Identifier: Apache-2.0
#include "repl/measure/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "backend/interp/compare.h"

namespace mlc::repl {

using ir::Any;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

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

}  // namespace

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

std::vector<Any> Contestant::own() const { return fresh_ ? interp::copies(arguments_) : arguments_; }

std::vector<Any> Contestant::results() const {
  std::vector<Any> args = interp::copies(arguments_);
  call(args, 1);
  return args;
}

double Contestant::once() const { return call(own(), 1); }

double Contestant::warm(int64_t calls) const {
  std::vector<Any> args = own();
  call(args, 1);
  return call(args, calls);
}

std::optional<double> Contestant::cold() const {
  if (!fresh_) return std::nullopt;
  std::vector<Any> args = own();
  if (!flush(args)) return std::nullopt;
  return call(args, 1);
}

double Contestant::call(const std::vector<Any>& args, int64_t calls) const {
  std::vector<ir::ffi::AnyView> views(args.begin(), args.end());
  Any result;
  Clock::time_point begin = Clock::now();
  for (int64_t i = 0; i < calls; ++i)
    code_.CallPacked(views.data(), static_cast<int32_t>(views.size()), &result);
  return seconds_since(begin);
}

std::vector<Sampled> sample_in_turn(const std::vector<Contestant>& contestants, double seconds,
                                    const std::function<void(size_t round)>& before_round) {
  std::vector<Sampled> all(contestants.size());
  std::vector<int64_t> calls;
  for (const Contestant& each : contestants) calls.push_back(calls_of(each));
  for (size_t i = 0; i < all.size(); ++i) all[i].warm.calls = std::max<int64_t>(calls[i], 1);
  double budget = seconds * static_cast<double>(all.size());
  Clock::time_point begin = Clock::now();
  for (size_t round = 0; round < kMostRounds; ++round) {
    double spent = seconds_since(begin);
    if (round > 0 && spent > (round < kLeastRounds ? kOverdraft * budget : budget)) break;
    before_round(round + 1);
    // In turn, and each of them as often behind each other one.
    for (size_t i = 0; i < all.size(); ++i) {
      size_t at = (i + round) % all.size();
      Sampled& one = all[at];
      if (calls[at] == 0) {
        one.warm.samples.push_back(contestants[at].once());
        continue;
      }
      one.warm.samples.push_back(contestants[at].warm(one.warm.calls) / static_cast<double>(one.warm.calls));
      if (auto cold = contestants[at].cold()) one.cold.samples.push_back(*cold);
    }
  }
  return all;
}

}  // namespace mlc::repl
