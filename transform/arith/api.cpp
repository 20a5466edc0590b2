// SPDX-License-Identifier: Apache-2.0
// tvm.sym: the analyzer and the facts that it computes.
#include <tvm/ffi/container/list.h>

#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/walk_with.h"
#include "ir/tir/op.h"
#include "transform/arith/analyzer_impl.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/inequalities.h"
#include "transform/arith/solver.h"
#include "transform/arith/sym.h"
#include "transform/register_api.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{"InternalError",
                                       {
                                           {.name = "conflicting-fact"},
                                       }};
MLC_REFUSALS(arith_api, refusals);

namespace sym {

std::optional<Array<Any>> elements(const Any& value) {
  if (auto tuple = value.as<Array<Any>>()) return *tuple;
  if (auto list = value.as<ffi::List<Any>>()) return Array<Any>((*list).begin(), (*list).end());
  return std::nullopt;
}

Expr expr_of(const ApiCall& call, const Any& value, size_t i) {
  if (auto e = ir::try_get<Expr>(value); e && (*e)->ty && (*e)->ty->kind == TypeKind::kPrim) return *e;
  if (auto iter = ir::try_get<IterVar>(value)) return (*iter)->var;
  if (auto flag = value.as<bool>()) return bool_imm(*flag);
  if (auto number = value.as<int64_t>()) {
    return int_imm(DataType::Int(*number == static_cast<int32_t>(*number) ? 32 : 64), *number);
  }
  if (auto number = value.as<double>()) return make<FloatImmNode>(DataType::Float(32), *number);
  wrong_argument(call, i, "expression");
}
Expr expr_argument(const ApiCall& call, size_t i) { return expr_of(call, call.args[i], i); }

Var var_of(const ApiCall& call, const Any& value, size_t i, std::string_view expected) {
  if (auto iter = ir::try_get<IterVar>(value)) return (*iter)->var;
  auto e = ir::try_get<Expr>(value);
  if (!e || (*e)->kind != ExprKind::kVar) wrong_argument(call, i, expected);
  return ref(as<VarNode>(*e));
}

Array<Expr> exprs_argument(const ApiCall& call, size_t i) {
  auto list = elements(call.args[i]);
  if (!list) wrong_argument(call, i, "list of expressions");
  Array<Expr> all;
  for (const Any& one : *list) all.push_back(expr_of(call, one, i));
  return all;
}

Array<Var> vars_argument(const ApiCall& call, size_t i, std::string_view expected) {
  Array<Var> vars;
  for (const Expr& e : exprs_argument(call, i)) {
    if (e->kind != ExprKind::kVar) wrong_argument(call, i, expected);
    vars.push_back(ref(as<VarNode>(e)));
  }
  return vars;
}

AnalyzerValue analyzer_argument(const ApiCall& call, size_t i) {
  if (call.args[i] == nullptr) return make<AnalyzerNode>();
  if (auto analyzer = call.args[i].as<AnalyzerValue>()) return *analyzer;
  wrong_argument(call, i, "Analyzer");
}

IntervalSet int_set(const AnalyzerValue& analyzer, const Expr& e) {
  if (analyzer->domain_facts.empty()) return interval_of(e, analyzer->domains, *analyzer->analyzer);
  Domains domains = analyzer->domains, facts;
  for (const auto& [var, set] : analyzer->domain_facts) {
    if (!domains.contains(var.get())) continue;  // of a free variable nothing is relaxed
    auto [known, first] = facts.try_emplace(var.get(), set);
    if (!first) known->second = meet(known->second, set, *analyzer->analyzer);
  }
  // The domain comes last, as in TVM: what is written of both ends shows it.
  for (const auto& [var, set] : facts) {
    IntervalSet& domain = domains.at(var);
    domain = meet(set, domain, *analyzer->analyzer);
  }
  return interval_of(e, domains, *analyzer->analyzer);
}

namespace {

Ref<AnalyzerNode> self(const ApiCall& call) { return call.args[0].cast<AnalyzerValue>(); }
Analyzer& analyzer_of(const ApiCall& call) { return *self(call)->analyzer; }
// Types are shared by all their values, so a node is reached through its handle.
AnalyzerNode* changed(const AnalyzerValue& value) { return const_cast<AnalyzerNode*>(value.get()); }

std::string text(ConstIntBound bound) {
  return fmt::format("sym.ConstIntBound(min_value={}, max_value={})", bound.min, bound.max);
}
std::string text(ModularSet set) {
  return fmt::format("sym.ModularSet(coeff={}, base={})", set.coeff, set.base);
}

// A fact that contradicts nothing known may be replaced only when asked to.
template <class Fact>
void refuse_conflict(const ApiCall& call, const Var& var, const Fact& known, const Fact& fact) {
  if (known == fact) return;
  throw refuse_as(refusals["conflicting-fact"], "`{}` is known as {}, not {}", var->name.c_str(), text(known),
                  text(fact))
      .at(call.span)
      .help("pass True as the last argument to replace what is known");
}

void learn(const ApiCall& call, const Var& var, ConstIntBound bound, bool allow_override) {
  AnalyzerImpl& parts = analyzer_of(call).parts();
  auto known = parts.var_bounds.find(var.get());
  if (known != parts.var_bounds.end() && !allow_override) refuse_conflict(call, var, known->second, bound);
  parts.keep_alive.push_back(var);
  parts.var_bounds[var.get()] = bound;
  parts.bindings_changed();
}
void learn(const ApiCall& call, const Var& var, ModularSet set, bool allow_override) {
  AnalyzerImpl& parts = analyzer_of(call).parts();
  auto known = parts.var_residues.find(var.get());
  if (known != parts.var_residues.end() && !allow_override) refuse_conflict(call, var, known->second, set);
  analyzer_of(call).bind(var, set);
}
void learn(const ApiCall& call, const Var& var, const IntervalSet& set, bool allow_override) {
  AnalyzerNode* own = changed(self(call));
  auto known = own->domains.find(var.get());
  if (known != own->domains.end() && !allow_override) {
    auto same = [](const Expr& a, const Expr& b) { return a.same_as(b) || same_expr(a, b); };
    const IntervalSet& before = known->second;
    if (!same(before->min_value, set->min_value) || !same(before->max_value, set->max_value)) {
      throw refuse_as(refusals["conflicting-fact"], "`{}` is known to be in another set", var->name.c_str())
          .at(call.span)
          .note(fmt::format("`{}` was in `{}`, now in `{}`", var->name.c_str(), call.host.repr(before),
                            call.host.repr(set)))
          .help("pass True as the last argument to replace what is known");
    }
  }
  own->keep_alive.push_back(var);
  own->domains[var.get()] = set;
}

Any bind(ApiCall& call) {
  Var var = var_argument(call, 1);
  bool allow_override = detail::argument<bool>(call, 3);
  AnalyzerImpl& parts = analyzer_of(call).parts();
  auto range = ir::try_get<Range>(call.args[2]);
  if (range && !is_const_int((*range)->extent, 1)) {
    if (auto known = parts.var_bounds.find(var.get()); known != parts.var_bounds.end() && !allow_override) {
      auto trial = analyzer_of(call).clone();
      trial->bind(var, *range);
      refuse_conflict(call, var, known->second, trial->parts().var_bounds.at(var.get()));
    }
    analyzer_of(call).bind(var, *range);
    learn(call, var, interval_of(*range, analyzer_of(call)), true);
    return nullptr;
  }
  Expr value = range ? (*range)->min : expr_argument(call, 2);
  auto known = parts.var_values.find(var.get());
  if (!allow_override) {
    Expr simple = analyzer_of(call).simplify(value);
    if (known != parts.var_values.end()) {
      if (!same_expr(known->second, simple)) {
        throw refuse_as(refusals["conflicting-fact"], "`{}` is bound to another value", var->name.c_str())
            .at(call.span)
            .note(fmt::format("`{}` was bound to `{}`, now to `{}`", var->name.c_str(),
                              call.host.repr(known->second), call.host.repr(simple)))
            .help("pass `allow_override=True` to replace it");
      }
    } else if (auto bound = parts.var_bounds.find(var.get()); bound != parts.var_bounds.end()) {
      refuse_conflict(call, var, bound->second, parts.bounds(simple));
    }
  }
  analyzer_of(call).bind(var, value);
  learn(call, var, int_set(self(call), value), true);
  return nullptr;
}

Any update(ApiCall& call) {
  Var var = var_argument(call, 1);
  bool allow_override = detail::argument<bool>(call, 3);
  if (auto bound = ir::try_get<Ref<ConstIntBoundNode>>(call.args[2])) {
    learn(call, var, (*bound)->bound, allow_override);
  } else if (auto set = ir::try_get<Ref<ModularSetNode>>(call.args[2])) {
    learn(call, var, (*set)->set, allow_override);
  } else if (auto interval = ir::try_get<IntervalSet>(call.args[2])) {
    learn(call, var, *interval, allow_override);
  } else {
    wrong_argument(call, 2, "ConstIntBound, ModularSet or IntSet");
  }
  return nullptr;
}

// `a < b` and its like: does the interval of the difference prove it? Differences of narrow numbers wrap.
bool proves_by_interval(const AnalyzerValue& own, const Expr& condition) {
  Expr difference = condition->kind == ExprKind::kEQ ? Expr() : difference_of(condition);
  if (!difference || !difference->dtype().is_scalar() || difference->dtype().bits() < 32) return false;
  Analyzer& analyzer = *own->analyzer;
  IntervalSet set = int_set(own, analyzer.simplify(neg(difference)));
  return set->has_lower() && analyzer.can_prove_ge(set->min_value, 0);
}

bool proves_by_unsigned_bounds(Analyzer& analyzer, const Expr& condition) {
  auto* two = as_binary(condition);
  if (!two || !two->a->dtype().is_uint() || !two->a->dtype().is_scalar()) return false;
  bool exact = true;
  for (const Expr& side : {two->a, two->b}) {
    walk_with(side, [&](const Expr& e, Walker& on) {
      DataType dtype = e->dtype();
      ConstIntBound bound = analyzer.const_int_bound(e);
      if (dtype.is_uint() && (bound.min < 0 || (dtype.bits() < 63 && bound.max >> dtype.bits() != 0)))
        exact = false;
      if (exact) on.walk_children(e);
    });
  }
  if (!exact) return false;
  ConstIntBound a = analyzer.const_int_bound(two->a), b = analyzer.const_int_bound(two->b);
  switch (condition->kind) {
    case ExprKind::kLT:
      return a.max < b.min;
    case ExprKind::kLE:
      return a.max <= b.min;
    case ExprKind::kGT:
      return a.min > b.max;
    case ExprKind::kGE:
      return a.min >= b.max;
    case ExprKind::kNE:
      return a.max < b.min || a.min > b.max;
    default:
      return false;
  }
}

// The outermost choice between two values somewhere in an expression.
struct Choice {
  Expr whole, condition, if_true, if_false;
};
std::optional<Choice> first_choice(const Expr& e) {
  std::optional<Choice> found;
  any_below(e, [&](const Expr& part) {
    if (auto* select = as<SelectNode>(part); select && select->condition->dtype().is_scalar())
      found = {part, select->condition, select->true_value, select->false_value};
    if (auto* call = as_call_to(part, "tirx.if_then_else"))
      found = {part, call->args[0], call->args[1], call->args[2]};
    return found.has_value();
  });
  return found;
}
// Slower than can_prove of the analyzer: intervals, each side of what is joined by `and` and `or`, each arm
// of a choice.
bool proves(const AnalyzerValue& own, const Expr& condition, int depth = 0) {
  constexpr int kMostChoices = 4;
  Analyzer& analyzer = *own->analyzer;
  if (analyzer.simplifies_to_true(condition)) return true;
  auto* two = as_binary(condition);
  if (condition->kind == ExprKind::kAnd) return proves(own, two->a, depth) && proves(own, two->b, depth);
  if (condition->kind == ExprKind::kOr) return proves(own, two->a, depth) || proves(own, two->b, depth);
  if (condition->kind == ExprKind::kNot) {
    Expr turned = analyzer.rewrite_simplify(condition);
    return turned->kind != ExprKind::kNot && proves(own, turned, depth);
  }
  if (proves_by_interval(own, condition) || proves_by_unsigned_bounds(analyzer, analyzer.simplify(condition)))
    return true;
  if (depth == kMostChoices) return false;
  auto choice = first_choice(condition);
  if (!choice) return false;
  auto holds = [&](const Expr& assumed, const Expr& arm) {
    auto inside = analyzer.assume(assumed);
    return proves(own, replaced(condition, choice->whole, arm), depth + 1);
  };
  return holds(choice->condition, choice->if_true) &&
         holds(analyzer.rewrite_simplify(logical_not(choice->condition)), choice->if_false);
}

Any can_prove(ApiCall& call) {
  Expr condition = expr_argument(call, 1);
  AnalyzerImpl& parts = analyzer_of(call).parts();
  if (detail::argument<int64_t>(call, 2) < 1)
    return analyzer_of(call).simplifies_to_true(condition) || solver_proves(parts, condition);
  return proves(self(call), condition) ||
         (solver_is_here() && decide(parts, condition).kind == Decision::Kind::kHolds);
}

// How scripts number the outcomes of try_compare: CompareResult.
int64_t number_of(Ordering order, const Analyzer& analyzer, const Expr& a, const Expr& b) {
  // Unknown, less, at most, equal, at least, greater, different.
  static constexpr int64_t numbers[] = {0, 2, 3, 1, 5, 4, 6};
  const AnalyzerImpl& parts = analyzer.parts();
  bool differ = parts.known(eq(a, b)) == false || parts.known(eq(b, a)) == false ||
                parts.known(ne(a, b)) == true || parts.known(ne(b, a)) == true;
  bool strict = differ || parts.known(lt(a, b)) == true || parts.known(lt(b, a)) == true;
  if (strict && order == Ordering::kLessEqual) order = Ordering::kLess;
  if (strict && order == Ordering::kGreaterEqual) order = Ordering::kGreater;
  if (order != Ordering::kUnknown) return numbers[static_cast<size_t>(order)];
  return differ ? 6 : 7;
}
Any try_compare(ApiCall& call) {
  Expr a = expr_argument(call, 1), b = expr_argument(call, 2);
  bool propagates = detail::argument<bool>(call, 3);
  // What is so without any fact, as n < n + 1, is none of its answers.
  Analyzer& analyzer = analyzer_of(call);
  LinearSum difference = analyzer.parts().sum_of(sub(a, b));
  difference.merge();
  bool trivial = difference.is_const() && !(const_int(a) && const_int(b));
  if (trivial) return 7;
  int64_t& extensions = analyzer.parts().extensions;
  int64_t before = extensions;
  constexpr int64_t kChains = AnalyzerImpl::kTransitivelyProveInequalities;
  extensions = propagates ? before | kChains : before & ~kChains;
  Any order = number_of(analyzer.compare(a, b), analyzer, a, b);
  extensions = before;
  return order;
}

Any clone(ApiCall& call) {
  AnalyzerValue from = self(call), made = make<AnalyzerNode>();
  AnalyzerNode* own = changed(made);
  own->analyzer = from->analyzer->clone();
  own->domains = from->domains;
  own->keep_alive = from->keep_alive;
  return made;
}

Any set_attribute(ApiCall& call) {
  auto name = detail::argument<std::string>(call, 1);
  if (name != "enabled_extensions") {
    throw Error("read-only", "`{}` of an analyzer cannot be set", name).kind("AttributeError").at(call.span);
  }
  analyzer_of(call).enable(detail::argument<int64_t>(call, 2));
  return nullptr;
}

// None is simple already, here and in `simplify`.
template <Expr (Analyzer::*simplifier)(const Expr&)>
Any simplified(ApiCall& call) {
  if (call.args[1] == nullptr) return nullptr;
  return (analyzer_of(call).*simplifier)(expr_argument(call, 1));
}

template <int64_t value>
Any constant(ApiCall&) {
  return value;
}

constexpr std::string_view kScope = "mlc.sym.ConstraintScope";
constexpr std::string_view kBound = "mlc.sym.ConstIntBound";
constexpr std::string_view kModular = "mlc.sym.ModularSet";

std::span<const ApiRow> analyzer_rows() {
  static const ApiRow table[] = {
      {ApiKind::kClass, kSym, "Analyzer()",
       "What is known about integer expressions.\n\n    analyzer = tvm.sym.Analyzer()\n"
       "    analyzer.bind(i, tvm.ir.Range(0, 16))\n    analyzer.simplify(i // 16)",
       native([] { return make<AnalyzerNode>(); }), kAnalyzer, "tvm.sym.analyzer.Analyzer"},
      {ApiKind::kMethod, kAnalyzer, "simplify(expr, steps=2)", "The same value written simpler.",
       +[](ApiCall& call) -> Any {
         auto steps = detail::argument<int64_t>(call, 2);
         if (call.args[1] == nullptr) return nullptr;
         return analyzer_of(call).simplify(expr_argument(call, 1), steps);
       }},
      {ApiKind::kMethod, kAnalyzer, "rewrite_simplify(expr)", "Simpler by local rules.",
       simplified<&Analyzer::rewrite_simplify>},
      {ApiKind::kMethod, kAnalyzer, "canonical_simplify(expr)", "Simpler as a sum of digits.",
       simplified<&Analyzer::canonical_simplify>},
      {ApiKind::kMethod, kAnalyzer, "can_prove(expr, strength=0)", "Does the condition always hold?",
       can_prove},
      {ApiKind::kMethod, kAnalyzer, "can_prove_equal(lhs, rhs)", "Are both always equal?",
       +[](ApiCall& call) -> Any {
         return analyzer_of(call).can_prove_equal_numbers(expr_argument(call, 1), expr_argument(call, 2));
       }},
      {ApiKind::kMethod, kAnalyzer, "const_int_bound(expr)", "Constant bounds of a value.",
       +[](ApiCall& call) -> Any {
         AnalyzerImpl& parts = analyzer_of(call).parts();
         Expr e = expr_argument(call, 1);
         struct KeptValues {
           bool& flag;
           explicit KeptValues(bool& set) : flag(set) { flag = true; }
           ~KeptValues() { flag = false; }
         } kept(parts.casts_keep_values);
         return make<ConstIntBoundNode>(parts.bounds(e));
       }},
      {ApiKind::kMethod, kAnalyzer, "const_int_bound_is_bound(var)", "Is a range of the variable known?",
       +[](ApiCall& call) -> Any { return analyzer_of(call).knows(var_argument(call, 1)); }},
      {ApiKind::kMethod, kAnalyzer, "modular_set(expr)", "The arithmetic progression a value stays in.",
       +[](ApiCall& call) -> Any {
         return make<ModularSetNode>(analyzer_of(call).modular_set(expr_argument(call, 1)));
       }},
      {ApiKind::kMethod, kAnalyzer, "int_set(expr, dom_map=None)",
       "The interval a value lies in while the variables of dom_map, or those bound, run over theirs.",
       +[](ApiCall& call) -> Any {
         Expr e = expr_argument(call, 1);
         if (call.args[2] == nullptr) return int_set(self(call), e);
         return interval_of(e, domains_argument(call, 2), analyzer_of(call));
       }},
      {ApiKind::kMethod, kAnalyzer, "bind(var, expr, allow_override=False)",
       "Makes a variable's value or range known.", bind},
      {ApiKind::kMethod, kAnalyzer, "update(var, info, override=False)",
       "Makes bounds, residues or a set of a variable known.", update},
      {ApiKind::kMethod, kAnalyzer, "constraint_scope(constraint)",
       "Assumes a condition inside `with`.\n\n    with analyzer.constraint_scope(n % 4 == 0):\n        ...",
       +[](ApiCall& call) -> Any { return make<ConstraintScopeNode>(self(call), expr_argument(call, 1)); }},
      {ApiKind::kMethod, kAnalyzer, "try_compare(lhs, rhs, propagate_inequalities=True)",
       "What is known of the order of two values: a CompareResult.", try_compare},
      {ApiKind::kMethod, kAnalyzer, "clone()", "Another analyzer that knows the same.", clone},
      {ApiKind::kMethod, kAnalyzer, "__setattr__(name, value)", "Sets enabled_extensions.", set_attribute},
      {ApiKind::kProperty, kAnalyzer, "enabled_extensions",
       "Flags of Extension: rules that have to be asked for.",
       +[](ApiCall& call) -> Any { return analyzer_of(call).parts().extensions; }},
      {ApiKind::kMethod, kAnalyzer, "__repr__()", "The name of the class.",
       +[](ApiCall&) -> Any { return String("sym.Analyzer"); }},

      {ApiKind::kClass, kSym, "ConstraintScope()", "What `Analyzer.constraint_scope` returns.",
       +[](ApiCall& call) -> Any {
         throw Error("not-constructible", "a condition is assumed by an analyzer")
             .kind("TypeError")
             .at(call.span)
             .help("write `with analyzer.constraint_scope(condition):`");
       },
       kScope, "tvm.sym.analyzer.ConstraintScope"},
      {ApiKind::kMethod, kScope, "__enter__()", "Puts the condition in force.",
       +[](ApiCall& call) -> Any {
         auto scope = call.args[0].cast<Ref<ConstraintScopeNode>>();
         auto* own = const_cast<ConstraintScopeNode*>(scope.get());
         AnalyzerNode* facts = changed(scope->analyzer);
         own->facts_before = facts->domain_facts.size();
         for (auto& one : domains_of(scope->constraint)) facts->domain_facts.push_back(std::move(one));
         own->in_force.emplace(scope->analyzer->analyzer->assume(scope->constraint));
         return nullptr;
       }},
      {ApiKind::kMethod, kScope, "__exit__(kind=None, value=None, traceback=None)", "Ends the condition.",
       +[](ApiCall& call) -> Any {
         auto scope = call.args[0].cast<Ref<ConstraintScopeNode>>();
         const_cast<ConstraintScopeNode*>(scope.get())->in_force.reset();
         AnalyzerNode* facts = changed(scope->analyzer);
         facts->domain_facts.erase(facts->domain_facts.begin() + static_cast<int64_t>(scope->facts_before),
                                   facts->domain_facts.end());
         return nullptr;
       }},

      {ApiKind::kClass, kSym, "ConstIntBound(min_value, max_value)", "Constant bounds.",
       native([](int64_t min, int64_t max) {
         return make<ConstIntBoundNode>(ConstIntBound{min, max});
       }),
       kBound, "tvm.sym.analyzer.ConstIntBound"},
      {ApiKind::kValue, "tvm.sym.ConstIntBound", "POS_INF", "No upper bound.",
       constant<ConstIntBound::kPosInf>},
      {ApiKind::kValue, "tvm.sym.ConstIntBound", "NEG_INF", "No lower bound.",
       constant<ConstIntBound::kNegInf>},
      {ApiKind::kProperty, kBound, "min_value", "The least value.",
       native([](Ref<ConstIntBoundNode> bound) { return bound->bound.min; })},
      {ApiKind::kProperty, kBound, "max_value", "The largest value.",
       native([](Ref<ConstIntBoundNode> bound) { return bound->bound.max; })},
      {ApiKind::kMethod, kBound, "__repr__()", "Both bounds.",
       native([](Ref<ConstIntBoundNode> bound) { return String(text(bound->bound)); })},
      {ApiKind::kClass, kSym, "ModularSet(coeff, base)", "The numbers coeff * n + base.",
       native([](int64_t coeff, int64_t base) {
         return make<ModularSetNode>(ModularSet{coeff, base});
       }),
       kModular, "tvm.sym.analyzer.ModularSet"},
      {ApiKind::kProperty, kModular, "coeff", "The step; 0 for a constant.",
       native([](Ref<ModularSetNode> set) { return set->set.coeff; })},
      {ApiKind::kProperty, kModular, "base", "The number at n == 0.",
       native([](Ref<ModularSetNode> set) { return set->set.base; })},
      {ApiKind::kMethod, kModular, "__repr__()", "Step and base.",
       native([](Ref<ModularSetNode> set) { return String(text(set->set)); })},

  };
  return table;
}

}  // namespace
}  // namespace sym

void register_arith_api() {
  ApiRegistry& registry = ApiRegistry::global();
  registry.add(sym::analyzer_rows());
  registry.alias("tvm.sym.analyzer", "tvm.sym");
  registry.alias("tvm.sym.bound", "tvm.sym");
  registry.alias("tvm.sym.int_set", "tvm.sym");
  registry.alias("tvm.sym.pattern", "tvm.sym");
  registry.alias("tvm.sym.iter_affine_map", "tvm.sym");
  sym::register_int_set_api();
  sym::register_bound_api();
  sym::register_iter_map_api();
  sym::register_region_api();
  sym::register_analyzer_limits_api();
}

}  // namespace mlc::transform
