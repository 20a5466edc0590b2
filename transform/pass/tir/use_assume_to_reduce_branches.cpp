// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/arith/simplify_value.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_use_assume_to_reduce_branches {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "assume-form", .message = "an assumption is `condition or buffer[indices] == value`, {}"},
    }};
MLC_REFUSALS(tir_use_assume_to_reduce_branches, refusals);

namespace {

constexpr char doc[] =
    R"(UseAssumeToReduceBranches(): a branch about padding goes where computing on the padding gives the same.

    for i in range(16):
        T.assume(i < 14 or A[i] == 0)
    for i in range(16):
        B[i] = T.if_then_else(14 <= i, 0, A[i] * 2)     =>      B[i] = A[i] * 2
needs: the attribute `op_pattern` says that the function works element by element (0) or broadcasts (1); an
assumption is `condition or A[indices] == value`; the branch asks for the opposite of that condition, in the same
loops, written as simplification writes it.
keeps: every value, if what is assumed holds.
Where padding was introduced by layouts, before vectorization.)";

// T.assume(predicate or A[...] == value), in `context`.
struct Assumption {
  Expr context;
  Expr predicate;
  Expr value;
};

[[noreturn]] void wrong_form(const Expr& assumption, std::string_view seen) {
  throw refuse(refusals["assume-form"], seen).at(assumption->span);
}

void components(const Expr& e, std::vector<Expr>& out) {
  if (e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr) {
    components(as_binary(e)->a, out);
    components(as_binary(e)->b, out);
  } else {
    out.push_back(e);
  }
}

struct Reduce final : Rewriter {
  Analyzer analyzer;
  std::vector<Expr> conditions;
  std::unordered_map<const VarNode*, Assumption> assumptions;

  template <class F>
  auto under(const Expr& condition, F&& inside) {
    bool pure = side_effect(condition) <= Effect::kPure;
    if (pure) conditions.push_back(condition);
    auto fact = analyzer.assume(condition);
    auto result = inside();
    if (pure) conditions.pop_back();
    return result;
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) {
      auto found = assumptions.find(load->source.get());
      if (found == assumptions.end()) return e;
      Expr assumed = logical_and(found->second.context, found->second.predicate);
      return structural_equal(scope(), assumed, true) ? found->second.value : e;
    }
    if (auto* call = as_call_to(e, "tirx.assume")) assume(call->args[0]);
    return rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
      Expr end = add(loop->min, loop->extent);
      return under(ge(loop->loop_var, loop->min),
                   [&] { return under(lt(loop->loop_var, end), [&] { return rewrite_children(s); }); });
    }
    auto* store = as<BufferStoreNode>(s);
    auto* choice = store ? as_call_to(store->value, "tirx.if_then_else") : nullptr;
    if (!choice) return rewrite_children(s);
    const Expr &condition = choice->args[0], &yes = choice->args[1], &no = choice->args[2];
    auto both = [&] {
      return std::pair(simplify_value(rewrite(yes), analyzer), simplify_value(rewrite(no), analyzer));
    };
    auto [yes_then, no_then] = under(condition, both);
    auto [yes_else, no_else] = under(logical_not(condition), both);
    Expr value;
    if (structural_equal(yes_then, no_then)) {
      value = no;
    } else if (structural_equal(yes_else, no_else)) {
      value = yes;
    } else {
      return rewrite_children(s);
    }
    return with(ref(store), [&](BufferStoreNode& n) { n.value = simplify_value(value, analyzer); });
  }

 private:
  Expr scope() const {
    Expr all = bool_imm(true);
    for (const Expr& condition : conditions) all = logical_and(all, condition);
    return all;
  }
  void assume(const Expr& assumption) {
    if (assumption->kind == ExprKind::kAnd) {
      assume(as_binary(assumption)->a);
      return assume(as_binary(assumption)->b);
    }
    std::vector<Expr> parts;
    components(assumption, parts);
    Expr predicate = bool_imm(true);
    std::vector<Expr> of_memory;
    for (const Expr& part : parts) {
      Effect effect = side_effect(part);
      if (effect <= Effect::kPure) {
        predicate = logical_and(predicate, logical_not(part));
      } else if (effect == Effect::kReadState) {
        of_memory.push_back(part);
      } else {
        wrong_form(part, "this one has effects");
      }
    }
    if (of_memory.size() != 1)
      wrong_form(assumption, fmt::format("this one has {} parts about memory", of_memory.size()));
    auto* equal = as<EQNode>(of_memory[0]);
    auto* load = equal ? as<TensorLoadNode>(equal->a) : nullptr;
    Expr value = load ? equal->b : Expr(nullptr);
    if (equal && !load) {
      load = as<TensorLoadNode>(equal->b);
      value = equal->a;
    }
    if (!load) wrong_form(assumption, "this one compares otherwise");
    if (side_effect(value) > Effect::kPure) wrong_form(assumption, "the value of this one reads memory");
    assumptions[load->source.get()] = {scope(), analyzer.simplify(predicate), value};
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  auto pattern = attr(fn, "op_pattern");
  int64_t kind = pattern ? integer_of(*pattern).value_or(-1) : -1;
  if (kind != 0 && kind != 1) return fn;
  Reduce reduce;
  bind_names(fn, reduce.analyzer);
  return with_body(fn, reduce.rewrite(fn->body));
}

}  // namespace

extern const Pass use_assume_to_reduce_branches{"UseAssumeToReduceBranches", "s_tir.transform",
                                                "UseAssumeToReduceBranches()", doc, apply};

}  // namespace mlc::transform::pass_use_assume_to_reduce_branches
