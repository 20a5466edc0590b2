// SPDX-License-Identifier: Apache-2.0
// What scripts hold of transform/arith: facts as values, an analyzer that lives as long as it is named.
#pragma once

#include "ir/core/try_get.h"
#include "ir/registry/api.h"
#include "transform/arith/int_set.h"
#include "transform/arith/iter_map.h"

namespace mlc::transform::sym {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

struct ConstIntBoundNode final : ffi::Object {
  ConstIntBound bound;
  explicit ConstIntBoundNode(ConstIntBound bound) : bound(bound) {}
  MLC_NODE("mlc.sym.ConstIntBound", ConstIntBoundNode, ffi::Object);
};

struct ModularSetNode final : ffi::Object {
  ModularSet set;
  explicit ModularSetNode(ModularSet set) : set(set) {}
  MLC_NODE("mlc.sym.ModularSet", ModularSetNode, ffi::Object);
};

struct AnalyzerNode final : ffi::Object {
  std::unique_ptr<Analyzer> analyzer;
  Domains domains;  // of bound variables
  std::vector<Var> keep_alive;
  std::vector<std::pair<Var, IntervalSet>> domain_facts;  // of constraints in force
  AnalyzerNode() : analyzer(std::make_unique<Analyzer>()) {}
  MLC_NODE("mlc.sym.Analyzer", AnalyzerNode, ffi::Object);
};
using AnalyzerValue = Ref<AnalyzerNode>;

// `with analyzer.constraint_scope(condition)`.
struct ConstraintScopeNode final : ffi::Object {
  AnalyzerValue analyzer;
  Expr constraint;
  std::optional<Analyzer::Assumption> in_force;
  size_t facts_before = 0;
  ConstraintScopeNode(AnalyzerValue analyzer, Expr constraint)
      : analyzer(std::move(analyzer)), constraint(std::move(constraint)) {}
  MLC_NODE("mlc.sym.ConstraintScope", ConstraintScopeNode, ffi::Object);
};

// Arguments as scripts write them: numbers and iterators are expressions too.
std::optional<Array<Any>> elements(const Any& value);
Expr expr_argument(const ApiCall& call, size_t i);
Expr expr_of(const ApiCall& call, const Any& value, size_t i);
Var var_of(const ApiCall& call, const Any& value, size_t i, std::string_view expected = "Var");
inline Var var_argument(const ApiCall& call, size_t i) { return var_of(call, call.args[i], i); }
Array<Expr> exprs_argument(const ApiCall& call, size_t i);
// Expressions that are variables.
Array<Var> vars_argument(const ApiCall& call, size_t i, std::string_view expected = "list of variables");
template <class Handle>
Array<Handle> list_argument(const ApiCall& call, size_t i, std::string_view expected) {
  auto listed = elements(call.args[i]);
  if (!listed) wrong_argument(call, i, expected);
  Array<Handle> all;
  for (const Any& one : *listed) {
    auto handle = ir::try_get<Handle>(one);
    if (!handle) wrong_argument(call, i, expected);
    all.push_back(*handle);
  }
  return all;
}
// The analyzer that argument i is, or a fresh one.
AnalyzerValue analyzer_argument(const ApiCall& call, size_t i);
std::vector<LoopRange> iters_argument(const ApiCall& call, size_t i);  // dict of variables and ranges
Domains domains_argument(const ApiCall& call, size_t i);
IntervalSet interval_argument(const ApiCall& call, const Any& value, size_t i);
// Analyzer.int_set, and the constant part of can_prove with strength SYMBOLIC_BOUND.
IntervalSet int_set(const AnalyzerValue& analyzer, const Expr& e);

// Rows of the other files.
// Where scripts find the names, and the class of their analyzers.
constexpr std::string_view kSym = "tvm.sym";
constexpr std::string_view kAnalyzer = "mlc.sym.Analyzer";

void register_int_set_api();
void register_bound_api();
void register_iter_map_api();
void register_region_api();
void register_analyzer_limits_api();

}  // namespace mlc::transform::sym
