// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/solver.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include "ir/core/refusal.h"
#include "ir/registry/context.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/smt_problem.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-condition", .message = "z3 proves conditions of integers"},
        {.name = "no-solver",
         .kind = "RuntimeError",
         .message = "the library of z3, libz3.so.4, cannot be loaded",
         .help = "Debian has it in the package libz3-4; `is_z3_enabled` of an analyzer tells"},
    }};
MLC_REFUSALS(arith_solver, refusals);

namespace {

// The functions of z3's C interface that a problem in text needs.
struct Z3 {
  void* (*make_config)() = nullptr;
  void (*delete_config)(void*) = nullptr;
  void* (*make_context)(void*) = nullptr;
  void (*delete_context)(void*) = nullptr;
  void (*on_error)(void*, void (*)(void*, int)) = nullptr;
  const char* (*run)(void*, const char*) = nullptr;
  void (*interrupt)(void*) = nullptr;
  bool loaded = false;

  Z3() {
    void* library = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen("libz3.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    loaded = find(make_config, "Z3_mk_config") && find(delete_config, "Z3_del_config") &&
             find(make_context, "Z3_mk_context") && find(delete_context, "Z3_del_context") &&
             find(on_error, "Z3_set_error_handler") && find(run, "Z3_eval_smtlib2_string") &&
             find(interrupt, "Z3_interrupt");
  }
};

const Z3& z3() {
  static const Z3 library;
  return library;
}

// Interrupts z3 when this thread has computed for so long, however busy the machine is. z3 has timers of its
// own, which can wait for each other for ever once one has gone off (4.8.12): neither `:timeout` nor a tactic
// that tries another one for some time may be used.
class Alarm {
 public:
  Alarm(void* context, int64_t milliseconds) {
    clockid_t clock;
    if (milliseconds <= 0 || pthread_getcpuclockid(pthread_self(), &clock) != 0) return;
    auto end = used(clock) + std::chrono::milliseconds(milliseconds);
    watch_ = std::thread([this, context, clock, end] {
      std::unique_lock lock(mutex_);
      for (auto now = used(clock); !over_; now = used(clock)) {
        if (now >= end) return z3().interrupt(context);
        done_.wait_for(lock, end - now + std::chrono::milliseconds(1));
      }
    });
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm() {
    if (!watch_.joinable()) return;
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    done_.notify_one();
    watch_.join();
  }

 private:
  static std::chrono::nanoseconds used(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  std::mutex mutex_;
  std::condition_variable done_;
  bool over_ = false;
  std::thread watch_;
};

// One problem; commands add to those before. Errors are in the text that comes back.
class Session {
 public:
  Session() {
    void* config = z3().make_config();
    context_ = z3().make_context(config);
    z3().delete_config(config);
    z3().on_error(
        context_, +[](void*, int) {});
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { z3().delete_context(context_); }
  std::string run(const std::string& commands, int64_t milliseconds = 0) {
    Alarm alarm(context_, milliseconds);
    return z3().run(context_, commands.c_str());
  }

 private:
  void* context_;
};

void say_range(SmtProblem& problem, const std::string& term, ConstIntBound bound) {
  auto number = [&](int64_t value) {
    return value < 0 ? fmt::format("(- {})", -static_cast<__int128>(value)) : fmt::format("{}", value);
  };
  if (bound.min != ConstIntBound::kNegInf) problem.say(fmt::format("(<= {} {})", number(bound.min), term));
  if (bound.max != ConstIntBound::kPosInf) problem.say(fmt::format("(<= {} {})", term, number(bound.max)));
}

// Values follow their names, "(- 3)" for -3: ((|i| 5) (|n| (- 3))).
std::optional<int64_t> value_in(std::string_view text, const std::string& name) {
  size_t at = text.find(fmt::format("({} ", name));
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + name.size() + 2);
  if (text.starts_with("true")) return 1;
  if (text.starts_with("false")) return 0;
  bool negative = text.starts_with("(- ");
  if (negative) text.remove_prefix(3);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace

bool solver_enabled() { return Context::current().solver; }
void enable_solver(bool on) { Context::current().solver = on; }

bool solver_is_here() { return z3().loaded; }
void require_solver() {
  if (z3().loaded) return;
  throw refuse(refusals["no-solver"]);
}

bool solver_proves(AnalyzerImpl& known, const Expr& condition) {
  return solver_enabled() && decide(known, condition).kind == Decision::Kind::kHolds;
}

void AnalyzerImpl::say_all(SmtProblem& problem) const {
  for (const Truth& truth : truths_) problem.say(truth.condition, truth.value);
  for (const BoundFact& fact : bound_facts_) {
    if (auto term = problem.term(fact.expr)) say_range(problem, *term, fact.bound);
  }
  for (const DifferenceFact& fact : differences_) {
    if (auto term = problem.term(fact.terms.expr()))
      say_range(problem, *term, {ConstIntBound::kNegInf, fact.upper});
  }
  // Values of variables may speak of further ones.
  for (size_t i = 0; i < problem.constants().size(); ++i) {
    auto [expr, name] = problem.constants()[i];
    auto* var = as<VarNode>(expr);
    if (var == nullptr) continue;
    if (auto found = var_values.find(var); found != var_values.end()) {
      if (auto value = problem.term(found->second)) problem.say(fmt::format("(= {} {})", name, *value));
    }
    if (var->dtype().is_bool()) continue;
    if (auto found = var_bounds.find(var); found != var_bounds.end()) say_range(problem, name, found->second);
    if (auto found = var_residues.find(var); found != var_residues.end() && found->second.coeff > 1)
      problem.say(fmt::format("(= (mod {} {}) {})", name, found->second.coeff, found->second.base));
  }
}

static std::string step_limit(const AnalyzerImpl& known) {
  return known.solver_steps > 0 ? fmt::format("(set-option :rlimit {})\n", known.solver_steps) : "";
}

std::string smtlib2(const AnalyzerImpl& known, const Expr& condition) {
  SmtProblem problem;
  std::string text = step_limit(known);
  if (known.solver_milliseconds > 0)
    text = fmt::format("(set-option :timeout {})\n{}", known.solver_milliseconds, text);
  if (condition.defined()) {
    if (!problem.say(condition, false)) throw refuse(refusals["no-condition"]);
  }
  known.say_all(problem);
  return text + problem.text(true) + "(check-sat)\n";
}

// Where z3 says that the condition fails, the values that show it, if they do.
static void read_counterexample(Session& session, const SmtProblem& problem, const Expr& condition,
                                Decision& result) {
  std::string names;
  for (const SmtProblem::Constant& constant : problem.constants()) names += " " + constant.name;
  std::string model = session.run(fmt::format("(get-value ({}))", names));
  VarMap values;
  std::vector<std::pair<Var, int64_t>> found;
  for (const SmtProblem::Constant& constant : problem.constants()) {
    auto value = value_in(model, constant.name);
    auto* var = as<VarNode>(constant.expr);
    if (!value || var == nullptr) return;
    found.emplace_back(ref(var), *value);
    values[var] = make<IntImmNode>(var->dtype(), *value);
  }
  try {
    if (is_const_int(Analyzer().simplify(substitute(condition, values)), 0))
      result.counterexample = std::move(found);
  } catch (const Error&) {
    // It divides by zero, for which z3 may assume any value.
  }
}

Decision decide(AnalyzerImpl& known, const Expr& condition) {
  require_solver();
  Decision result;
  SmtProblem problem;
  if (!problem.say(condition, false)) return result;
  known.say_all(problem);
  ++known.solver_stats.asked;
  for (bool with_types : {false, true}) {
    Session session;
    std::string found = session.run(step_limit(known) + problem.text(with_types) + "(check-sat-using smt)\n",
                                    known.solver_milliseconds);
    known.solver_stats.of_z3 = session.run("(get-info :all-statistics)");
    if (found.starts_with("unsat")) {
      result.kind = Decision::Kind::kHolds;
      ++known.solver_stats.proved;
      return result;
    }
    if (with_types && found.starts_with("sat")) {
      result.kind = Decision::Kind::kFails;
      ++known.solver_stats.refuted;
      if (problem.exact()) read_counterexample(session, problem, condition, result);
    }
  }
  return result;
}

std::string counterexample_text(Analyzer& known, const Expr& condition) {
  std::string text;
  if (!solver_enabled()) return text;
  for (const auto& [var, value] : decide(known.parts(), condition).counterexample)
    text += fmt::format("{}`{}` = {}", text.empty() ? "" : ", ", var->name.c_str(), value);
  return text;
}

}  // namespace mlc::transform
