// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/upper_bounds.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "wrong-upper-bound",
         .message = "attribute `{}` of a function must {}",
         .help = "for example `R.func_attr({{\"tir_var_upper_bound\": {{\"n\": 1024}}}})`"},
    }};
MLC_REFUSALS(graph_upper_bounds, refusals);

UpperBounds::UpperBounds(const Function& fn) {
  std::unordered_map<std::string, int64_t> bounds;
  std::unordered_set<std::string> not_negative;
  if (auto stated = ir::attr(fn, "tir_var_upper_bound")) {
    auto map = stated->try_cast<Map<Any, Any>>();
    if (!map) throw refuse(refusals["wrong-upper-bound"], "tir_var_upper_bound", "map names to positive integers");
    for (const auto& [key, value] : *map) {
      auto name = key.try_cast<String>();
      auto bound = integer_of(value);
      if (!name || !bound || *bound <= 0)
        throw refuse(refusals["wrong-upper-bound"], "tir_var_upper_bound", "map names to positive integers")
            .at(fn->span);
      bounds[std::string(text(*name))] = *bound;
    }
  }
  if (auto stated = ir::attr(fn, "tir_non_negative_var")) {
    auto names = stated->try_cast<Array<Any>>();
    if (!names) throw refuse(refusals["wrong-upper-bound"], "tir_non_negative_var", "be a list of names").at(fn->span);
    for (const Any& each : *names) {
      auto name = each.try_cast<String>();
      if (!name) throw refuse(refusals["wrong-upper-bound"], "tir_non_negative_var", "be a list of names").at(fn->span);
      not_negative.insert(std::string(text(*name)));
    }
  }
  if (bounds.empty() && not_negative.empty()) return;
  for (const Var& var : symbolic_vars(fn->ty)) {
    std::string name(text(var->name));
    if (auto found = bounds.find(name); found != bounds.end()) {
      Range range = make<RangeNode>(dim(0), dim(found->second + 1));
      analyzer_.bind(var, range);
      domains_[var.get()] = interval_of(range, analyzer_);
    } else if (not_negative.count(name) != 0) {
      analyzer_.bind(var, ConstIntBound{0, ConstIntBound::kPosInf});
    }
  }
}

Array<Expr> UpperBounds::of(const Array<Expr>& shape) {
  Array<Expr> bounded;
  for (const Expr& extent : shape) {
    int64_t most = analyzer_.const_int_bound(extent).max;
    if (most != ConstIntBound::kPosInf) {
      bounded.push_back(dim(most));
      continue;
    }
    IntervalSet values = interval_of(extent, domains_, analyzer_);
    bounded.push_back(values->has_upper() ? values->max_value : extent);
  }
  return bounded;
}

}  // namespace mlc::transform
