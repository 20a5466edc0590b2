// SPDX-License-Identifier: Apache-2.0
// The inverse of a bijective map: values run from the indices back to the variables, a sum's value cut into
// the digits it is made of, a mark's value put together of the digits it was cut into.
#include "ir/core/refusal.h"
#include "transform/arith/iter_map.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "iter-map-not-bijective", .message = "the map has no inverse: {}"},
    }};
MLC_REFUSALS(arith_iter_map_inverse, refusals);

namespace {

class Inverse {
 public:
  explicit Inverse(Analyzer& analyzer) : analyzer_(analyzer) {}

  std::vector<std::pair<Var, Expr>> of(const std::vector<IterSum>& sums, const Array<Expr>& outputs) {
    for (const IterSum& sum : sums) order(sum);
    for (size_t i = 0; i < sums.size(); ++i) values_[sums[i].get()] = outputs[static_cast<int64_t>(i)];
    for (auto it = inner_first_.rbegin(); it != inner_first_.rend(); ++it) {
      if (auto* sum = (*it).as<IterSumNode>()) {
        pass_down(sum);
      } else {
        pass_down((*it).as<IterSplitNode>());
      }
    }
    return std::move(result_);
  }

 private:
  void order(const IterMap& map) {
    if (!visited_.insert(map.get()).second) return;
    if (auto* sum = map.as<IterSumNode>()) {
      for (const IterSplit& split : sum->args) order(split);
    } else if (const IterMap& below = map.as<IterSplitNode>()->source->sum) {
      order(below);
    }
    inner_first_.push_back(map);
  }
  void give(const IterMapNode* to, const Expr& value) {
    auto [found, fresh] = values_.try_emplace(to, value);
    if (!fresh) found->second = add(found->second, value);
  }
  [[noreturn]] static void refuse(std::string_view why) {
    throw ir::refuse(refusals["iter-map-not-bijective"], why);
  }

  void pass_down(const IterSumNode* sum) {
    Expr input = sub(values_.at(sum), sum->base);
    const Array<IterSplit>& args = sum->args;
    if (args.size() == 1) {
      const Expr& scale = args[0]->scale;
      if (!is_const_int(scale, 1) && !is_const_int(scale, -1)) refuse("a digit is scaled");
      give(args[0].get(), mul(input, scale));
      return;
    }
    if (args.empty()) return;
    Expr expected = args.back()->scale;
    for (auto it = args.rbegin(); it != args.rend(); ++it) {
      if (!analyzer_.can_prove_equal((*it)->scale, expected)) refuse("the digits of a sum overlap");
      expected = mul(expected, (*it)->extent);
    }
    for (int64_t i = static_cast<int64_t>(args.size()) - 1; i >= 0; --i) {
      Expr value = floordiv(input, args[i]->scale);
      give(args[i].get(), i == 0 ? value : floormod(value, args[i]->extent));
    }
  }
  void pass_down(const IterSplitNode* split) {
    Expr input = mul(values_.at(split), split->lower_factor);
    const IterMark& mark = split->source;
    if (mark->sum) return give(mark->sum.get(), input);
    auto* var = mark->var();
    if (!var) refuse("an iterator does not start at 0");
    for (auto& [known, value] : result_) {
      if (known.get() != var) continue;
      value = add(value, input);
      return;
    }
    result_.emplace_back(ref(var), input);
  }

  Analyzer& analyzer_;
  std::unordered_set<const IterMapNode*> visited_;
  std::vector<IterMap> inner_first_;
  std::unordered_map<const IterMapNode*, Expr> values_;
  std::vector<std::pair<Var, Expr>> result_;
};

}  // namespace

std::vector<std::pair<Var, Expr>> inverse_affine_iter_map(const std::vector<IterSum>& sums,
                                                          const Array<Expr>& outputs, Analyzer& analyzer) {
  return Inverse(analyzer).of(sums, outputs);
}

std::optional<Array<Expr>> invert_iter_map(const Array<Expr>& indices, const std::vector<LoopRange>& iters,
                                           const Array<Var>& outputs, Analyzer& analyzer) {
  // Iterators from 0 on; what they start at is added in the end.
  std::vector<LoopRange> from_zero;
  VarMap shifted;
  for (const LoopRange& iter : iters) {
    Expr zero = const_like(iter.range->min, 0);
    from_zero.push_back({iter.var, make<RangeNode>(zero, iter.range->extent)});
    if (!is_const_int(iter.range->min, 0)) shifted[iter.var.get()] = add(iter.var, iter.range->min);
  }
  Array<Expr> moved;
  for (const Expr& index : indices) moved.push_back(shifted.empty() ? index : substitute(index, shifted));
  IterMapResult found =
      detect_iter_map(moved, from_zero, bool_imm(true), IterMapCheck::kBijective, analyzer, false);
  if (found.indices.empty() || found.reordered) return std::nullopt;
  for (const IterSum& sum : found.indices) {
    if (sum->args.empty()) continue;
    bool down = sum->args.size() == 1 && is_const_int(sum->args[0]->scale, -1);
    if (!down && !is_const_int(sum->args[0]->scale, 1)) return std::nullopt;
  }
  Array<Expr> given;
  for (const Var& output : outputs) given.push_back(output);
  auto values = inverse_affine_iter_map(found.indices, given, analyzer);
  Array<Expr> result;
  for (const LoopRange& iter : iters) {
    auto value = std::find_if(values.begin(), values.end(),
                              [&](const auto& one) { return one.first.same_as(iter.var); });
    Expr e = const_like(iter.var, 0);
    if (value != values.end()) {
      e = value->second;
    } else if (!is_const_int(iter.range->extent, 1)) {
      return std::nullopt;
    }
    result.push_back(analyzer.simplify(add(e, iter.range->min)));
  }
  return result;
}

}  // namespace mlc::transform
