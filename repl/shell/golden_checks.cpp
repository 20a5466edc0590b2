// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/golden_checks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "backend/artefact/build.h"
#include "backend/interp/compare.h"
#include "frontend/print/print.h"
#include "ir/core/ndarray.h"
#include "ir/core/visit.h"
#include "ir/tir/simplified.h"
#include "repl/session/line_diff.h"
#include "repl/shell/build_rows.h"
#include "repl/shell/differential_run.h"
#include "repl/shell/graph_runs.h"
#include "repl/shell/report.h"
#include "repl/shell/verify.h"
#include "transform/arith/simplify.h"
#include "transform/pass/pipeline.h"

namespace mlc::repl {

using ir::Any;

namespace {

Any parse_again(script::Evaluator& evaluator, const std::string& text) {
  const ir::Api* from_source = ir::ApiRegistry::global().find("tvm.script.from_source");
  MLC_CHECK(from_source != nullptr, "tvm.script.from_source is not registered");
  Any argument{ir::String(text)};
  ir::ApiArguments arguments;
  arguments.positional = {&argument, 1};
  return ir::call_api(*from_source, evaluator, arguments);
}

// The text that says everything: with the numbers of tensors.
std::string complete_text(script::Evaluator& evaluator, const Any& value) {
  Any script = evaluator.attribute(value, syntax::Symbol("script"));
  std::pair<std::string_view, Any> show_meta{"show_meta", Any(true)};
  return std::string(evaluator.call(script, {}, {&show_meta, 1}, {}).cast<ir::String>());
}

// Where the two first differ, or "".
std::string mismatch_text(const Any& a, const Any& b) {
  auto paths = ir::first_mismatch(a, b);
  return paths ? print::path_text(paths->first) : "";
}

// The parser simplifies the bounds of what blocks access, as TVM's does, and passes need not.
bool only_regions_differ(const std::string& mismatch) {
  return mismatch.find(".reads[") != std::string::npos || mismatch.find(".writes[") != std::string::npos;
}

// Nor the extents of loops.
bool only_bounds_differ(const Any& a, const Any& b) {
  auto one = a.as<ir::IRModule>(), other = b.as<ir::IRModule>();
  return one && other &&
         ir::structural_equal(Any(ir::with_simplified_bounds(*one, transform::simplify)),
                              Any(ir::with_simplified_bounds(*other, transform::simplify)));
}

std::string classic_script(script::Evaluator& evaluator, const Any& mod) {
  Any script = evaluator.attribute(mod, syntax::Symbol("script"));
  std::pair<std::string_view, Any> options[] = {{"dialect", Any(ir::String("classic"))}, {"show_meta", true}};
  return std::string(evaluator.call(script, {}, options, {}).cast<ir::String>());
}

// Whatever the older dialect can say, it says such that it is read as the same.
std::string check_classic(script::Evaluator& evaluator, const Any& value) {
  std::string text;
  try {
    text = classic_script(evaluator, value);
  } catch (const ir::Error& error) {
    if (error.first().name == "not-classic") return "";
    throw;
  }
  std::string mismatch = mismatch_text(value, parse_again(evaluator, text));
  if (mismatch.empty()) return "";
  return fmt::format("the classic dialect says something else at {}\n{}", mismatch, text);
}

std::string check_prints_itself(script::Evaluator& evaluator, const Any& value, bool lowered = false) {
  std::string text = complete_text(evaluator, value);
  Any again = parse_again(evaluator, text);
  std::string mismatch = mismatch_text(value, again);
  std::string difference = line_diff(text, complete_text(evaluator, again));
  if (lowered && only_regions_differ(mismatch)) return "";
  if (!mismatch.empty() && only_bounds_differ(value, again)) return "";
  if (!mismatch.empty())
    return fmt::format("the printed text parses to something else at {}\n{}", mismatch, difference);
  if (!difference.empty()) return "it prints differently\n" + difference;
  return check_classic(evaluator, again);
}

// What every pass of the pipeline leaves must print and parse back, too. A module that the pipeline refuses
// is not this check's business.
std::string check_stages(script::Evaluator& evaluator, const ir::IRModule& mod) {
  for (const auto& [name, fn] : mod->functions) {
    if (!ir::has_flag(fn, "s_tir")) return "";  // kernels have another pipeline
  }
  std::vector<std::pair<std::string, ir::IRModule>> stages;
  try {
    ir::Target target = ir::parse_target(Any(ir::String("llvm")));
    Any pipeline = transform::named_pipeline(ir::String("default"), target, evaluator);
    stages = transform::Pipeline(pipeline, target, evaluator).stages(mod);
  } catch (const ir::Error&) {
    return "";
  }
  const ir::IRModuleNode* previous = mod.get();
  for (const auto& [pass, stage] : stages) {
    if (stage.get() == previous) continue;
    previous = stage.get();
    try {
      std::string difference = check_prints_itself(evaluator, Any(stage), true);
      if (!difference.empty()) return fmt::format("after {}: {}", pass, difference);
    } catch (ir::Error& error) {
      return fmt::format("after {}: {}\n{}", pass, error.what(), complete_text(evaluator, Any(stage)));
    }
  }
  return "";
}

}  // namespace

// Runs one check; what it throws is its failure.
template <class F>
void GoldenChecks::check(const std::string& what, F&& body) {
  ++outcome_.checks;
  try {
    std::string failure = body();
    if (!failure.empty()) outcome_.failures.push_back(fmt::format("{}: {}", what, failure));
  } catch (const ir::Error& error) {
    outcome_.failures.push_back(fmt::format("{}:\n{}", what, compact_report(error)));
  } catch (const std::exception& error) {
    outcome_.failures.push_back(fmt::format("{}: {}", what, error.what()));
  }
}

GoldenChecks::GoldenChecks(script::Evaluator& evaluator, std::string_view text, GoldenOutcome& outcome)
    : evaluator_(evaluator), outcome_(outcome) {
  auto refused = [&](std::string_view directive) {
    return text.find(fmt::format("# golden: {} (", directive)) != std::string_view::npos;
  };
  round_trip_ = !refused("no-round-trip");
  replay_ = !refused("no-replay");
  run_ = !refused("no-run");
  verify_ = !refused("no-verify");
}

void GoldenChecks::after_statement(const std::string& printed) {
  for (const auto& [name, value] : evaluator_.globals()) {
    auto schedule = value.as<transform::Schedule>();
    if (!schedule || !*schedule || !(*schedule)->trace->instructions.empty()) continue;
    // A schedule at its beginning; the entry is renewed when an address is used again.
    beginnings_.insert_or_assign(schedule->get(), Beginning{*schedule, *module_in(evaluator_, value)});
  }
  if (round_trip_) check_printed(printed);
}

void GoldenChecks::check_printed(const std::string& printed) {
  // Only one complete module as script() prints it, nothing around it.
  constexpr std::string_view kFirst = "# from tvm.script import ir as I\n";
  if (!printed.starts_with(kFirst) || printed.find(kFirst, 1) != std::string::npos) return;
  if (printed.find("@I.ir_module\n") == std::string::npos) return;
  check("round trip of what was printed", [&]() -> std::string {
    if (printed.find("# Metadata omitted.") != std::string::npos) return "";
    Any mod = parse_again(evaluator_, printed);
    bool classic = printed.find("from tvm.script import tir as T\n") != std::string::npos;
    std::string again = (classic ? classic_script(evaluator_, mod) : complete_text(evaluator_, mod)) + "\n";
    // Printed with options of its own, the text may differ while it says the same.
    if (again == printed || ir::structural_equal(mod, parse_again(evaluator_, again))) return "";
    return "it prints differently\n" + line_diff(printed, again);
  });
}

void GoldenChecks::at_end() {
  std::set<const ir::ffi::Object*> seen;
  for (const auto& [name, value] : evaluator_.globals()) {
    auto mod = module_in(evaluator_, value);
    if (!mod || !seen.insert(mod->get()).second) continue;
    if (round_trip_) {
      check(fmt::format("round trip of `{}`", name),
            [&] { return check_prints_itself(evaluator_, Any(*mod)); });
      check(fmt::format("round trip of `{}` while it is lowered", name),
            [&] { return check_stages(evaluator_, *mod); });
    }
    auto schedule = value.as<transform::Schedule>();
    const Beginning* beginning = nullptr;
    if (schedule && *schedule) {
      auto found = beginnings_.find(schedule->get());
      if (found != beginnings_.end()) beginning = &found->second;
    }
    if (replay_ && beginning != nullptr) {
      check(fmt::format("replay of the trace of `{}`", name), [&] { return check_replay(*beginning, *mod); });
    }
    if (run_) check_runs(name, *mod, beginning != nullptr ? &beginning->mod : nullptr);
  }
  if (verify_) check_passes();
  if (run_ && outcome_.compared == 0 && !outcome_.not_run.empty())
    outcome_.failures.push_back(
        fmt::format("nothing of it was run: {}; `# golden: no-run (reason)` would say so",
                    outcome_.not_run.begin()->first));
}

std::string GoldenChecks::check_replay(const Beginning& beginning, const ir::IRModule& now) {
  transform::Schedule again = transform::make_schedule(beginning.mod, 1, true);
  transform::apply_trace(*beginning.schedule->trace, transform::mutable_schedule(again), evaluator_);
  ir::IRModule replayed = *module_in(evaluator_, Any(again));
  std::string mismatch = mismatch_text(Any(now), Any(replayed));
  if (mismatch.empty()) return "";
  return fmt::format("it gives another module at {}\n{}", mismatch,
                     line_diff(script_of(evaluator_, Any(now)), script_of(evaluator_, Any(replayed))));
}

void GoldenChecks::check_passes() {
  for (std::span<const transform::PassRun> row : rows_of(passes)) {
    for (const StepVerdict& step : verify_passes(evaluator_, row).steps) {
      if (step.verdict == Verdict::kTested) ++outcome_.compared;
      if (step.verdict == Verdict::kUnchecked) ++outcome_.not_run[step.reason];
      check("what " + step.step + " leaves",
            [&] { return step.verdict == Verdict::kWrong ? step.reason : ""; });
    }
  }
}

void GoldenChecks::check_runs(const std::string& name, const ir::IRModule& mod, const ir::IRModule* before) {
  std::optional<ir::ffi::Module> built;  // once for all its functions
  for (const auto& [var, function] : mod->functions) {
    auto fn = Any(function).as<ir::PrimFunc>();
    if (!fn) continue;
    if (interp::work((*fn)->body) > interp::kMostWork) {
      ++outcome_.not_run["too long for the interpreter"];
      continue;
    }
    std::string function_name(var->name_hint);
    std::string what = fmt::format("`{}` of `{}`", function_name, name);
    auto first = before == nullptr ? *fn : Any((*before)->lookup(function_name)).cast<ir::PrimFunc>();
    if (!std::equal(first->params.begin(), first->params.end(), (*fn)->params.begin(), (*fn)->params.end(),
                    [](const ir::Var& a, const ir::Var& b) { return a.same_as(b); })) {
      ++outcome_.not_run["its parameters have changed"];
      continue;
    }
    DifferentialRun run(before != nullptr ? *before : mod, function_name, first, evaluator_);
    if (!run.runs()) {
      ++outcome_.not_run[run.why_not()];
      continue;
    }
    if (before != nullptr) {
      ++outcome_.compared;
      check(what + " in the interpreter", [&]() -> std::string {
        std::string found = run.difference(mod);
        return found.empty() ? "" : "computes something else than before its schedule: " + found;
      });
    }
    // A function without a symbol is not visible in compiled code.
    auto symbol = ir::attr(*fn, "global_symbol");
    if (!symbol) continue;
    if (interp::has_threads((*fn)->body)) {
      ++outcome_.not_run["threads of a GPU, interpreted only"];
      continue;
    }
    ++outcome_.compared;
    check(what + " compiled", [&]() -> std::string {
      if (!built)
        built = build_for_this_machine(has_graphs(mod) ? tensor_functions_of(mod) : mod, evaluator_);
      std::string found = run.difference([&](const std::string&, const std::vector<Any>& args) {
        return backend::run_built(*built, std::string(symbol->cast<ir::String>()), args);
      });
      return found.empty() ? "" : "computes something else than interpreted: " + found;
    });
  }
}

}  // namespace mlc::repl
