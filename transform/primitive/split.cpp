// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "transform/arith/int_set.h"
#include "transform/arith/solver.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/witness.h"

namespace mlc::transform::primitive_split {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "split-not-covering",
         .message = "factors multiply to {}, less than the extent {} of loop `{}`",
         .help = "leave one factor to be inferred: `None`",
         .meaning = "The factors of a split multiply to less than the extent of the loop.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.split(i, [2, 4]))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.split(i, [2, None]))"},
    }};
MLC_REFUSALS(primitive_split, refusals);

static constexpr char doc[] = R"(
split(loop, factors, preserve_unit_iters=True, disable_predication=False) -> loops      Replace one loop by a nest over its factors; None is inferred.

    for i in range(e):      =>      for i_0, i_1 in T.grid(f0, f1):
        S                               T.where(i_0 * f1 + i_1 < e)     # absent when provable
                                        S[i := i_0 * f1 + i_1]

needs: the loop starts at 0, has no annotation and no thread; at most one factor is None; the factors' product covers e.
keeps: number and order of block instances.
)";

// By the symbolic end of each variable: i0 * 32 + i1 < n * 32 of i0 < n and i1 < 32.
static bool stays_below(const Expr& value, const Expr& end, const std::vector<Var>& vars,
                        const std::vector<Expr>& extents, Analyzer& analyzer) {
  Domains domains;
  for (size_t i = 0; i < vars.size(); ++i) {
    Range range = make<RangeNode>(Expr(const_like(extents[i], 0)), extents[i]);
    domains.emplace(vars[i].get(), interval_of(range, analyzer));
  }
  IntervalSet room = interval_of(analyzer.simplify(end - value), domains, analyzer);
  return room->has_lower() && analyzer.const_int_bound(analyzer.simplify(room->min_value)).min >= 1;
}

static std::vector<SRefNode*> apply(Step& step, LoopArg loop, Any factor_list, bool preserve_unit_iters,
                                    bool disable_predication) {
  // check
  require_plain_loop(loop, "split");
  const ForNode* old = loop->loop();
  std::vector<Any> given = items_of(step.call, 2, factor_list, "a list of factors");
  for (Any& factor : given) factor = step.evaluate(factor);
  if (given.empty())
    throw refuse_as(shared_refusals["split-without-factors"], "loop `{}` is split by no factors",
                    loop->name.c_str())
        .at(step.span(2));
  Analyzer analyzer;
  DataType dtype = old->loop_var->dtype();
  std::vector<Expr> factors;
  std::optional<size_t> inferred;
  Expr product = int_imm(dtype, 1);
  for (size_t i = 0; i < given.size(); ++i) {
    bool integer = given[i].type_index() == ffi::TypeIndex::kTVMFFIInt ||
                   given[i].type_index() == ffi::TypeIndex::kTVMFFIBool;  // an int to Python
    auto number = integer ? std::optional(given[i].cast<int64_t>()) : std::nullopt;
    Expr factor = number                                               ? Expr(int_imm(dtype, *number))
                  : given[i] != nullptr && ir::try_get<Expr>(given[i]) ? *ir::try_get<Expr>(given[i])
                                                                       : nullptr;
    if (!factor && given[i] != nullptr) wrong_argument(step.call, 2, "a list of int, expression or None");
    auto constant = factor ? const_int(factor) : std::nullopt;
    if (!factor) {
      if (inferred) {
        throw refuse(shared_refusals["split-several-inferred"], *inferred, i, loop->name.c_str())
            .at(step.span(2));
      }
      inferred = i;
      factors.push_back(nullptr);
      continue;
    }
    if (constant && *constant <= 0) {
      throw refuse(shared_refusals["split-factor-not-positive"], i, loop->name.c_str(), *constant)
          .at(step.span(2));
    }
    if (constant) factor = int_imm(dtype, *constant);
    factors.push_back(factor);
    product = mul(product, factor);
  }
  if (inferred) {
    factors[*inferred] = analyzer.simplify(floordiv(old->extent + product - 1, product));
  } else if (!analyzer.can_prove(ge(product, old->extent))) {
    auto have = const_int(product), need = const_int(old->extent);
    Error error = have && need
                      ? refuse(refusals["split-not-covering"], *have, *need, loop->name.c_str())
                      : refuse_as(refusals["split-not-covering"],
                                  "the factors' product is not known to cover loop `{}`", loop->name.c_str());
    if (step.state.explaining) {
      std::string values = counterexample_text(analyzer, ge(product, old->extent));
      if (!values.empty()) add_witness(error, fmt::format("with {} it is less", values));
    }
    throw std::move(error)
        .at(step.span(2))
        .note(fmt::format("loop `{}` is made here", loop->name.c_str()), old->span);
  }

  // apply
  std::vector<Var> vars;
  Expr value;
  for (size_t i = 0; i < factors.size(); ++i) {
    Var var = make_var(String(fmt::format("{}_{}", loop->name.c_str(), i)), dtype, old->loop_var->span);
    analyzer.bind(var, make<RangeNode>(Expr(int_imm(dtype, 0)), factors[i]));
    value = value ? add(mul(value, factors[i]), var) : Expr(var);
    vars.push_back(var);
  }
  Stmt body = substitute(old->body, {{old->loop_var.get(), value}});
  Expr inside = lt(value, old->extent);
  bool covers = disable_predication || analyzer.can_prove(inside) ||
                stays_below(value, old->extent, vars, factors, analyzer);
  if (!covers) body = add_predicate(body, inside);
  std::vector<For> loops(factors.size());
  for (size_t i = factors.size(); i-- > 0;) {
    loops[i] = make<ForNode>(vars[i], Expr(int_imm(dtype, 0)), factors[i], ForKind::kSerial, body);
    loops[i] = with(loops[i], [&](ForNode& copy) { copy.span = old->span; });
    body = loops[i];
  }
  body = simplify_bindings(body, loops_above(*loop), preserve_unit_iters);
  step.replace(*loop, body);
  std::vector<SRefNode*> result;
  for (size_t i = 0; i < factors.size(); ++i) {
    result.push_back(step.sref(body));
    body = as<ForNode>(body)->body;
  }
  return result;
}

extern const Primitive split;
const Primitive split =
    primitive<&apply>("Split", "split(loop, factors, preserve_unit_iters=True, disable_predication=False)",
                      doc, "", "*factors");

}  // namespace mlc::transform::primitive_split
