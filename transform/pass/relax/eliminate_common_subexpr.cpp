// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/numbers.h"
#include "transform/graph/blocks.h"

namespace mlc::transform::pass_eliminate_common_subexpr {
namespace {

constexpr char doc[] = R"(EliminateCommonSubexpr(call_only=False): compute the same value once.

    a = R.exp(x)               a = R.exp(x)
    b = R.exp(x)        =>     b = a
    c = R.add(a, b)            c = R.add(a, a)
needs: nothing.
keeps: calls with effects; allocations and caches, each of which is new memory. A value is looked for in the same body and those around it, not in other branches or in
functions around. With `call_only` tuples, constants and functions stay as they are.
CanonicalizeBindings and DeadCodeElimination remove the bindings that are copies now.)";

// A binding as what it computes. A match_cast to other symbolic variables defines these, and is another
// value.
struct Computed {
  Expr value;
  Type cast;  // null: none

  bool operator==(const Computed& other) const {
    return ir::structural_equal(Any(value), Any(other.value)) &&
           (cast ? other.cast && ir::structural_equal(Any(cast), Any(other.cast)) : !other.cast);
  }
};
// Without the elements of constants, which may be many: equality looks at them.
size_t quick_hash(const Expr& e) {
  if (e->kind == ExprKind::kGenericConst) return ir::structural_hash(Any(e->ty));
  const Array<Expr>* parts = nullptr;
  size_t hash = 0;
  if (auto* call = as<CallNode>(e)) {
    hash = ir::structural_hash(Any(call->op)) * 31 + ir::structural_hash(Any(call->attrs));
    parts = &call->args;
  } else if (auto* tuple = as<TupleNode>(e)) {
    parts = &tuple->elements;
  } else {
    return ir::structural_hash(Any(e));
  }
  for (const Expr& part : *parts) hash = hash * 31 + quick_hash(part);
  return hash;
}
struct HashComputed {
  size_t operator()(const Computed& c) const {
    size_t hash = quick_hash(c.value);
    return c.cast ? hash * 31 + ir::structural_hash(Any(c.cast)) : hash;
  }
};

// `R.builtin.alloc_tensor`, `R.memory.alloc_storage`, ...
bool allocates(const Expr& value) {
  auto* call = as<CallNode>(value);
  auto* op = call ? as<OpNode>(call->op) : nullptr;
  return op && view(op->name).find(".alloc_") != std::string_view::npos;
}

// A cache is itself, not its value: two that begin empty are two. `vm.builtin.attention_kv_cache_create`, ...
bool makes_state(const Expr& value) {
  const CallNode* call = as_call_to(value, "relax.call_pure_packed");
  const auto* callee = call ? as<ExternFuncNode>(call->args[0]) : nullptr;
  return callee && view(callee->global_symbol).starts_with("vm.builtin.") &&
         view(callee->global_symbol).ends_with("_create");
}

class UseOnce final : public Mutator {
 public:
  UseOnce(Host& host, const IRModule& mod, bool call_only) : Mutator(host, mod), call_only_(call_only) {}

  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      auto found = now_.instead.find(var);
      return rewrite_children(found == now_.instead.end() ? e : Expr(found->second));
    }
    if (relax::is_arithmetic(e)) {
      ir::VarMap values;
      for (const Var& var : ir::free_vars(e)) {
        if (auto found = now_.instead.find(var.get()); found != now_.instead.end())
          values[var.get()] = found->second;
      }
      return rewrite_children(ir::substitute(e, values));
    }
    if (auto* branches = as<IfNode>(e)) return rewrite_if(branches);
    if (e->kind == ExprKind::kFunction) {
      Known around = std::exchange(now_, {});
      Expr next = rewrite_children(e);
      now_ = std::move(around);
      return next;
    }
    return rewrite_children(e);
  }

  BindingBlock rewrite_block(const BindingBlock& block) override {
    if (!is_dataflow(block)) return Mutator::rewrite_block(block);
    auto before = now_.instead;
    BindingBlock next = Mutator::rewrite_block(block);
    // What only the block sees is no replacement behind it.
    for (auto& [computed, vars] : now_.bound)
      std::erase_if(vars, [](const Var& var) { return is_dataflow(var); });
    now_.instead = std::move(before);
    return next;
  }

  void rewrite_binding(const Binding& binding) override {
    const MatchCastNode* cast = as_match_cast(binding);
    Expr value = builder_->normalize(rewrite(binding->value));
    if ((call_only_ && value->kind != ExprKind::kCall) || allocates(value) || makes_state(value) ||
        contains_impure_call(value))
      return bind(binding, value);
    std::vector<Var>& vars = now_.bound[{value, cast ? cast->ty : Type(nullptr)}];
    if (vars.empty()) {
      bind(binding, value);
    } else {
      builder_->emit_normalized(make<VarBindingNode>(binding->var, vars.front(), binding->span));
      now_.instead[binding->var.get()] = vars.front();
    }
    vars.push_back(binding->var);
  }

 private:
  struct Known {
    std::unordered_map<Computed, std::vector<Var>, HashComputed> bound;
    std::unordered_map<const VarNode*, Var> instead;
  };

  Expr rewrite_if(const IfNode* branches) {
    Expr cond = rewrite(branches->cond);
    Known around = now_;
    SeqExpr then_case = rewrite_body(branches->true_branch);
    now_ = around;
    SeqExpr else_case = rewrite_body(branches->false_branch);
    now_ = std::move(around);
    if (cond.same_as(branches->cond) && then_case.same_as(branches->true_branch) &&
        else_case.same_as(branches->false_branch))
      return ref(branches);
    return make<IfNode>(cond, then_case, else_case, Type(nullptr), branches->span);
  }

  bool call_only_;
  Known now_;
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return UseOnce(*options.host, mod, options.flag(0)).rewrite_function(fn);
}

}  // namespace

extern const Pass eliminate_common_subexpr =
    of_first_level(graph_pass("EliminateCommonSubexpr", "EliminateCommonSubexpr(call_only=False)", doc, apply));

}  // namespace mlc::transform::pass_eliminate_common_subexpr
