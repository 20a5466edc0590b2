// SPDX-License-Identifier: Apache-2.0
// tvm.sym: sets of integers.
#include "ir/core/try_get.h"
#include "transform/arith/sym.h"

namespace mlc::transform::sym {

IntervalSet interval_argument(const ApiCall& call, const Any& value, size_t i) {
  if (auto set = ir::try_get<IntervalSet>(value)) return *set;
  if (auto range = ir::try_get<Range>(value)) {
    Analyzer analyzer;
    return interval_of(*range, analyzer);
  }
  wrong_argument(call, i, "IntSet");
}

Domains domains_argument(const ApiCall& call, size_t i) {
  auto map = call.args[i].try_cast<Map<Any, Any>>();
  if (!map) wrong_argument(call, i, "dict of variables and their sets");
  Domains domains;
  for (const auto& [key, value] : *map)
    domains.emplace(var_of(call, key, i, "dict of variables and their sets").get(),
                    interval_argument(call, value, i));
  return domains;
}

namespace {

IntervalSet self(const ApiCall& call) { return call.args[0].cast<IntervalSet>(); }

Any make_interval(ApiCall& call) {
  Expr low = expr_argument(call, 0), high = expr_argument(call, 1);
  return make<IntervalSetNode>(low, high);
}

Any vector_set(ApiCall& call) {
  Analyzer analyzer;
  return interval_of(expr_argument(call, 0), Domains{}, analyzer);
}

constexpr std::string_view kIntSet = "mlc.sym.IntSet";
constexpr std::string_view kInterval = "mlc.sym.IntervalSet";

constexpr ApiRow int_set_api_table[] = {
    {ApiKind::kClass, kSym, "IntSet()", "A set of integers in one dimension.",
     +[](ApiCall& call) -> Any {
       throw Error("not-constructible", "a set is made by `IntervalSet(min, max)` or `IntSet.vector(e)`")
           .at(call.span);
     },
     kIntSet, "tvm.sym.int_set.IntSet"},
    {ApiKind::kFunction, "tvm.sym.IntSet", "vector(vec)", "The set of a vector's lanes.", vector_set},
    {ApiKind::kFunction, "tvm.sym.IntSet", "single_point(point)", "The set of one value.",
     +[](ApiCall& call) -> Any { return point(expr_argument(call, 0)); }},
    {ApiKind::kClass, kSym, "IntervalSet(min_value, max_value)",
     "All integers from min_value to max_value.\n\n    tvm.sym.IntervalSet(0, 15)", make_interval, kInterval,
     "tvm.sym.int_set.IntervalSet"},
    {ApiKind::kFunction, "tvm.sym.IntervalSet", "vector(vec)", "The set of a vector's lanes.", vector_set},
    {ApiKind::kFunction, "tvm.sym.IntervalSet", "single_point(point)", "The set of one value.",
     +[](ApiCall& call) -> Any { return point(expr_argument(call, 0)); }},
    {ApiKind::kProperty, kInterval, "min_value", "The least value.",
     +[](ApiCall& call) -> Any { return self(call)->min_value; }},
    {ApiKind::kProperty, kInterval, "max_value", "The largest value.",
     +[](ApiCall& call) -> Any { return self(call)->max_value; }},
    {ApiKind::kMethod, kInterval, "is_nothing()", "Is the set empty?",
     +[](ApiCall& call) -> Any { return self(call)->is_nothing(); }},
    {ApiKind::kMethod, kInterval, "is_everything()", "Are all integers in it?",
     +[](ApiCall& call) -> Any { return self(call)->is_everything(); }},
    {ApiKind::kMethod, kInterval, "__repr__()", "Both ends.",
     +[](ApiCall& call) -> Any {
       return String(fmt::format("sym.IntervalSet(min_value={}, max_value={})",
                                 call.host.repr(self(call)->min_value),
                                 call.host.repr(self(call)->max_value)));
     }},
    {ApiKind::kFunction, kSym, "pos_inf()", "The end of a set that has no largest value.",
     +[](ApiCall&) -> Any { return Expr(pos_inf()); }},
    {ApiKind::kFunction, kSym, "neg_inf()", "The end of a set that has no least value.",
     +[](ApiCall&) -> Any { return Expr(neg_inf()); }},
};

}  // namespace

void register_int_set_api() { ApiRegistry::global().add(int_set_api_table); }

}  // namespace mlc::transform::sym
