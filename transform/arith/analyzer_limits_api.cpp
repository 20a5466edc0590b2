// SPDX-License-Identifier: Apache-2.0
// tvm.sym.Analyzer: how much work simplification did and may do, and the names of the solver behind it.
#include <fmt/format.h>
#include <tvm/ffi/container/dict.h>

#include "transform/arith/analyzer_impl.h"
#include "transform/arith/solver.h"
#include "transform/arith/sym.h"

namespace mlc::transform::sym {
namespace {

struct StatsNode final : ffi::Object {
  RewriteStats stats;
  explicit StatsNode(RewriteStats stats) : stats(stats) {}
  MLC_NODE("mlc.sym.RewriteSimplifierStats", StatsNode, ffi::Object);
};
using Stats = Ref<StatsNode>;

struct Z3ScopeNode final : ffi::Object {
  Z3ScopeNode() = default;
  MLC_NODE("mlc.sym.Z3ContextScope", Z3ScopeNode, ffi::Object);
};

RewriteStats& stats_of(const ApiCall& call) {
  return call.args[0].cast<AnalyzerValue>()->analyzer->parts().stats;
}

template <int64_t RewriteStats::*field>
Any count(ApiCall& call) {
  return call.args[0].cast<Stats>()->stats.*field;
}

// The analyzer, where there is a solver.
AnalyzerImpl& with_solver(const ApiCall& call) {
  require_solver();
  return call.args[0].cast<AnalyzerValue>()->analyzer->parts();
}

template <int64_t AnalyzerImpl::*limit>
Any set_limit(ApiCall& call) {
  auto value = detail::argument<int64_t>(call, 1);
  if (value < 0 || value > UINT32_MAX)
    throw Error("out-of-range", "a limit is 0 to {}, not {}", UINT32_MAX, value)
        .at(call.span_of(1))
        .kind("ValueError");
  with_solver(call).*limit = value;
  return nullptr;
}

Any get_smtlib2(ApiCall& call) {
  return String(smtlib2(with_solver(call), call.args[1] == nullptr ? Expr() : expr_argument(call, 1)));
}

Any get_z3_stats(ApiCall& call) {
  const auto& stats = with_solver(call).solver_stats;
  return String(fmt::format("(:asked {}\n :proved {}\n :refuted {}{}", stats.asked, stats.proved,
                            stats.refuted, stats.of_z3.empty() ? ")" : "\n " + stats.of_z3.substr(1)));
}

Any counterexample(ApiCall& call) {
  Decision decision = decide(with_solver(call), expr_argument(call, 1));
  if (decision.kind != Decision::Kind::kFails || decision.counterexample.empty()) return nullptr;
  ffi::Dict<Any, Any> values;
  for (const auto& [var, value] : decision.counterexample) values.Set(var, value);
  return values;
}

constexpr std::string_view kStats = "mlc.sym.RewriteSimplifierStats";
constexpr std::string_view kZ3Scope = "mlc.sym.Z3ContextScope";

constexpr ApiRow analyzer_limits_api_table[] = {
    {ApiKind::kMethod, kAnalyzer, "set_maximum_rewrite_steps(maximum)",
     "From now on simplification that applies more rules than this is an error; 0 is no limit.",
     +[](ApiCall& call) -> Any {
       call.args[0].cast<AnalyzerValue>()->analyzer->parts().maximum_rewrites =
           detail::argument<int64_t>(call, 1);
       return nullptr;
     }},
    {ApiKind::kProperty, kAnalyzer, "rewrite_simplify_stats", "What rewrite_simplify did so far.",
     +[](ApiCall& call) -> Any { return make<StatsNode>(stats_of(call)); }},
    {ApiKind::kMethod, kAnalyzer, "reset_rewrite_simplify_stats()", "Counts from zero again.",
     +[](ApiCall& call) -> Any {
       stats_of(call) = {};
       call.args[0].cast<AnalyzerValue>()->analyzer->parts().forget_answers();
       return nullptr;
     }},
    {ApiKind::kProperty, kStats, "nodes_visited", "Expressions looked at.",
     count<&RewriteStats::nodes_visited>},
    {ApiKind::kProperty, kStats, "constraints_entered", "Conditions put in force.",
     count<&RewriteStats::constraints_entered>},
    {ApiKind::kProperty, kStats, "rewrites_attempted", "Rules tried.",
     count<&RewriteStats::rewrites_attempted>},
    {ApiKind::kProperty, kStats, "rewrites_performed", "Rules applied.",
     count<&RewriteStats::rewrites_performed>},
    {ApiKind::kProperty, kStats, "max_recursive_depth", "How deep rules asked for more.",
     count<&RewriteStats::max_recursive_depth>},
    {ApiKind::kProperty, kStats, "num_recursive_rewrites", "How often they did.",
     count<&RewriteStats::num_recursive_rewrites>},

    {ApiKind::kProperty, kAnalyzer, "is_z3_enabled",
     "Can z3 be loaded? can_prove with strength SYMBOLIC_BOUND asks it then, and inside of a PassContext "
     "with "
     "`mlc.solver` every proof of passes and schedules does.",
     +[](ApiCall&) -> Any { return solver_is_here(); }},
    {ApiKind::kMethod, kAnalyzer, "get_smtlib2(expr=None)",
     "What is known, and that `expr` does not hold, as the problem that z3 gets.", get_smtlib2},
    {ApiKind::kMethod, kAnalyzer, "set_z3_timeout_ms(timeout_ms)",
     "Where a question ends without an answer, in time of the processor; 0 is no limit, 1000 what it starts "
     "with.",
     set_limit<&AnalyzerImpl::solver_milliseconds>},
    {ApiKind::kMethod, kAnalyzer, "set_z3_rlimit(rlimit)",
     "The same in z3's own steps, which are as many on every machine; 0 is no limit, 2000000 what it starts "
     "with.",
     set_limit<&AnalyzerImpl::solver_steps>},
    {ApiKind::kMethod, kAnalyzer, "get_z3_stats()",
     "How often z3 was asked and what it said, and what it counted at the last question.", get_z3_stats},
    {ApiKind::kMethod, kAnalyzer, "counterexample(expr)",
     "Values of the variables with which `expr` does not hold, as a dict, or None: z3's. Not in TVM.",
     counterexample},
    {ApiKind::kClass, kSym, "Z3ContextScope()", "Does nothing, as in TVM.",
     +[](ApiCall&) -> Any { return make<Z3ScopeNode>(); }, kZ3Scope, "tvm.sym.analyzer.Z3ContextScope"},
    {ApiKind::kMethod, kZ3Scope, "__enter__()", "The scope itself.",
     +[](ApiCall& call) -> Any { return call.args[0]; }},
    {ApiKind::kMethod, kZ3Scope, "__exit__(kind=None, value=None, traceback=None)", "Nothing to end.",
     +[](ApiCall&) -> Any { return nullptr; }},
};

}  // namespace

void register_analyzer_limits_api() { ApiRegistry::global().add(analyzer_limits_api_table); }

}  // namespace mlc::transform::sym
