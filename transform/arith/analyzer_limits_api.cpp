// SPDX-License-Identifier: Apache-2.0
// tvm.sym.Analyzer: how much work simplification did and may do, and the names of the solver behind it.
#include "transform/arith/analyzer_impl.h"
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

Any no_solver(ApiCall& call) {
  throw Error("no-solver", "there is no z3 behind the analyzer")
      .kind("RuntimeError")
      .at(call.span)
      .help(
          "`can_prove` knows what the rules, bounds and constraints in force say; `is_z3_enabled` is False");
}

constexpr std::string_view kSym = "tvm.sym";
constexpr std::string_view kAnalyzer = "mlc.sym.Analyzer";
constexpr std::string_view kStats = "mlc.sym.RewriteSimplifierStats";
constexpr std::string_view kScope = "mlc.sym.Z3ContextScope";

constexpr ApiRow rows[] = {
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

    {ApiKind::kMethod, kAnalyzer, "get_smtlib2(expr=None)", "Refused: there is no solver.", no_solver},
    {ApiKind::kMethod, kAnalyzer, "set_z3_timeout_ms(timeout_ms)", "Refused: there is no solver.", no_solver},
    {ApiKind::kMethod, kAnalyzer, "set_z3_rlimit(rlimit)", "Refused: there is no solver.", no_solver},
    {ApiKind::kMethod, kAnalyzer, "get_z3_stats()", "Refused: there is no solver.", no_solver},
    {ApiKind::kClass, kSym, "Z3ContextScope()", "Does nothing, as in TVM.",
     +[](ApiCall&) -> Any { return make<Z3ScopeNode>(); }, kScope, "tvm.sym.analyzer.Z3ContextScope"},
    {ApiKind::kMethod, kScope, "__enter__()", "The scope itself.",
     +[](ApiCall& call) -> Any { return call.args[0]; }},
    {ApiKind::kMethod, kScope, "__exit__(kind=None, value=None, traceback=None)", "Nothing to end.",
     +[](ApiCall&) -> Any { return nullptr; }},
};

}  // namespace

void register_analyzer_limits_api() { ApiRegistry::global().add(rows); }

}  // namespace mlc::transform::sym
