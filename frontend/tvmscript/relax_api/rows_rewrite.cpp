// SPDX-License-Identifier: Apache-2.0
// Rewrites of calls of operators by rules of a script. The walk is native: a script is asked about the calls
// that it has rules for, and once about calls that are alike.
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "frontend/tvmscript/relax_api/rows.h"
#include "ir/relax/type_equal.h"
#include "ir/relax/visit.h"

namespace mlc::tvmscript {
namespace {

using namespace mlc::relax;  // NOLINT: the nodes of graphs

std::unordered_set<const void*> operators_arg(const ApiCall& call, size_t i) {
  std::unordered_set<const void*> found;
  for (const Any& one : script::elements(call.args[i])) {
    if (auto name = one.try_cast<String>()) {
      if (find_operator(view(*name))) found.insert(relax::op(view(*name)).get());
    } else {
      ir::wrong_argument(call, i, "names of operators");
    }
  }
  return found;
}

struct FindCalls final : Visitor {
  const std::unordered_set<const void*>& operators;
  bool found = false;
  explicit FindCalls(const std::unordered_set<const void*>& operators) : operators(operators) {}
  void visit(const Expr& e) override {
    if (found) return;
    if (auto* call = as<CallNode>(e); call && operators.count(call->op.get()) != 0) {
      found = true;
      return;
    }
    walk_children(e);
  }
};

// What a rule may ask of a call: operator, attributes, types, and of operands that are no tensors what they
// are. Calls of equal keys become the same function of tensor code over their operands.
struct CallKey {
  std::vector<Any> parts;
  std::vector<Expr> operands;  // tensors, in order of first use
  uint64_t hash = 0;
  bool known = true;  // whether the key says all

  explicit CallKey(const CallNode* call) {
    add_pointer(call->op.get());
    add(call->attrs);
    add_type(call->ty);
    for (const Type& type : call->ty_args) add_type(type);
    for (const Expr& arg : call->args) add_operand(arg);
  }
  bool operator==(const CallKey& other) const {
    if (hash != other.hash || parts.size() != other.parts.size()) return false;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!same(parts[i], other.parts[i])) return false;
    }
    return true;
  }

 private:
  static bool same(const Any& a, const Any& b) {
    if (auto number = a.as<int64_t>()) return b.as<int64_t>() == number;
    if (auto type = a.as<Type>()) {
      auto other = b.as<Type>();
      return other && same_type(*type, *other);
    }
    return ir::structural_equal(a, b);
  }
  void add(Any part, uint64_t part_hash) {
    hash = hash * 1000003 + part_hash;
    parts.push_back(std::move(part));
  }
  void add(const Any& part) { add(part, ir::structural_hash(part)); }
  void add_number(int64_t number) { add(number, static_cast<uint64_t>(number)); }
  void add_pointer(const void* pointer) { add_number(reinterpret_cast<int64_t>(pointer)); }
  void add_type(const Type& type) { add(type, type_hash(type)); }
  void add_operand(const Expr& arg) {
    if (arg->kind == ExprKind::kTuple) {
      const auto& fields = static_cast<const TupleNode*>(arg.get())->elements;
      add_number(static_cast<int64_t>(fields.size()));
      for (const Expr& field : fields) add_operand(field);
      return;
    }
    const auto* tensor = type_as<TensorTypeNode>(arg);
    bool constant = arg->kind == ExprKind::kGenericConst && tensor;
    if ((arg->kind != ExprKind::kVar || is_prim(arg)) && !constant) {
      add(arg);
      known = known && arg->kind != ExprKind::kTupleGetItem;
      return;
    }
    // Rules look up what shapes and tuples are bound to, and read the numbers of constants without
    // dimensions.
    known = known && tensor;
    if (constant && tensor->ndim == 0) add(arg);
    if (constant && tensor->ndim != 0) add_pointer(arg.get());
    size_t same = 0;
    while (same < operands.size() && !operands[same].same_as(arg)) ++same;
    add_number(static_cast<int64_t>(same));
    if (same < operands.size()) return;
    add_type(arg->ty);
    operands.push_back(arg);
  }
};
struct CallKeyHash {
  size_t operator()(const CallKey& key) const { return key.hash; }
};

struct RewriteCalls final : Mutator {
  RewriteCalls(std::shared_ptr<BlockBuilder> builder, ir::Host& host, Any rule,
               std::unordered_set<const void*> operators, std::unordered_set<const void*> reused, bool again)
      : Mutator(std::move(builder)),
        host(host),
        rule(std::move(rule)),
        operators(std::move(operators)),
        reused(std::move(reused)),
        again(again) {}
  ir::Host& host;
  Any rule;
  std::unordered_set<const void*> operators, reused;
  bool again;  // what a rule makes is rewritten in turn
  struct Outcome {
    Expr made;             // null where no rule fits
    std::vector<Expr> of;  // the operands for which it was made
  };
  std::unordered_map<CallKey, Outcome, CallKeyHash> outcomes;
  Expr call_tir = relax::op("relax.call_tir");

  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* call = as<CallNode>(next);
    if (!call || operators.count(call->op.get()) == 0) return next;
    next = builder_->normalize(next);
    call = as<CallNode>(next);
    if (!call) return next;
    if (reused.count(call->op.get()) == 0) return apply(next);
    CallKey key(call);
    if (!key.known) return apply(next);
    if (auto found = outcomes.find(key); found != outcomes.end()) {
      const Outcome& outcome = found->second;
      return outcome.made ? over(outcome, key.operands) : next;
    }
    size_t before = emitted;
    Expr made = apply(next);
    if (made.same_as(next)) {
      outcomes.emplace(std::move(key), Outcome{});
    } else if (emitted == before && repeatable(made, key.operands)) {
      std::vector<Expr> operands = key.operands;
      outcomes.emplace(std::move(key), Outcome{made, std::move(operands)});
    }
    return made;
  }

  size_t emitted = 0;  // bindings by rules so far

  Expr apply(const Expr& call) {
    if (builder_->in_dataflow()) {
      builder_->begin_dataflow_block();
    } else {
      builder_->begin_binding_block();
    }
    Any args[] = {call};
    Any answer = host.call(rule, args);
    Expr made = answer == nullptr ? call : builder_->normalize(answer.cast<Expr>());
    BindingBlock block = builder_->end_block();
    emitted += block->bindings.size();
    for (const Binding& binding : block->bindings) {
      if (again) {
        rewrite_binding(binding);
      } else {
        builder_->emit_normalized(binding);
      }
    }
    return made.same_as(call) || !again ? made : rewrite(made);
  }

  // Is it a call of one function over these operands, and what else does not depend on them?
  bool repeatable(const Expr& made, const std::vector<Expr>& operands) const {
    auto* call = as<CallNode>(made);
    if (!call || !call->op.same_as(call_tir) || call->args[0]->kind != ExprKind::kGlobalVar) return false;
    auto* passed = as<TupleNode>(call->args[1]);
    if (!passed) return false;
    for (const Expr& arg : passed->elements) {
      bool known = is_prim(arg) || arg->kind == ExprKind::kShapeExpr || arg->kind == ExprKind::kGenericConst;
      for (const Expr& operand : operands) known = known || arg.same_as(operand);
      if (!known) return false;
    }
    return true;
  }
  static Expr over(const Outcome& outcome, const std::vector<Expr>& operands) {
    Array<Expr> passed;
    auto* old = static_cast<const CallNode*>(outcome.made.get());
    for (const Expr& arg : static_cast<const TupleNode*>(old->args[1].get())->elements) {
      size_t i = 0;
      while (i < outcome.of.size() && !arg.same_as(outcome.of[i])) ++i;
      passed.push_back(i < operands.size() ? operands[i] : arg);
    }
    Array<Expr> args = old->args;
    args.Set(1, make<TupleNode>(passed));
    return ir::with(ir::ref(old), [&](CallNode& call) { call.args = args; });
  }
};

// RewriteCalls(builder, func, operators, rule, reused, again)
Any rewrite_calls(ApiCall& call) {
  Function fn = function_arg(call, 1);
  std::unordered_set<const void*> operators = operators_arg(call, 2);
  FindCalls found(operators);
  found.visit(fn);
  if (!found.found) return fn;
  RewriteCalls mutator(builder_arg(call), call.host, call.args[3], std::move(operators),
                       operators_arg(call, 4), call.args[5].cast<bool>());
  return mutator.rewrite_function(fn);
}

// What rules look at before they walk a graph in the language, which takes a hundred times as long.
struct CalledOperators final : Visitor {
  std::set<std::string> names;
  void visit(const Expr& e) override {
    if (auto* call = as<CallNode>(e)) {
      if (const Operator* row = operator_of(call->op)) names.insert(operator_name(*row));
    }
    walk_children(e);
  }
};
Any called_operators(ApiCall& call) {
  CalledOperators found;
  found.visit(function_arg(call, 0));
  script::List names;
  for (const std::string& name : found.names) names.push_back(String(name));
  return names;
}

// How often bindings and results name each variable.
struct CountUses final : Visitor {
  script::Dict counts;
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      Any name = ir::ref(var);
      counts.Set(name, counts.count(name) == 0 ? int64_t{1} : counts.at(name).cast<int64_t>() + 1);
    }
    walk_children(e);
  }
};
Any variable_uses(ApiCall& call) {
  CountUses uses;
  for (const BindingBlock& block : function_arg(call, 0)->body->blocks) uses.visit_block(block);
  uses.visit(function_arg(call, 0)->body->body);
  return uses.counts;
}

// Is there anything that FoldConstant would change, but for bindings that nothing uses?
struct MayFold final : Visitor {
  explicit MayFold(const std::unordered_set<const void*>& with_rules) : with_rules(with_rules) {}
  const std::unordered_set<const void*>& with_rules;  // operators
  Expr call_tir = relax::op("relax.call_tir");
  bool found = false;
  void visit(const Expr& e) override {
    found = found || e->kind == ExprKind::kIf || e->kind == ExprKind::kFunction;
    if (auto* call = as<CallNode>(e)) {
      // A function of tensor code that takes numbers as well is left.
      bool known =
          call->op.same_as(call_tir) ? call->args.size() == 2 : with_rules.count(call->op.get()) != 0;
      for (const Expr& arg : call->args) known = known && is_known(arg);
      found = found || known;
    }
    if (!found) walk_children(e);
  }
  void visit_binding(const Binding& binding) override {
    // Such a value takes the place of its variable.
    ExprKind kind = binding->value->kind;
    found = found || kind == ExprKind::kGenericConst || kind == ExprKind::kShapeExpr;
    if (!found) visit(binding->value);
  }

 private:
  static bool is_known(const Expr& e) {
    if (auto* tuple = as<TupleNode>(e)) {
      for (const Expr& field : tuple->elements)
        if (!is_known(field)) return false;
      return true;
    }
    return e->kind != ExprKind::kVar || is_prim(e);
  }
};
Any may_fold(ApiCall& call) {
  std::unordered_set<const void*> with_rules = operators_arg(call, 1);
  MayFold folds(with_rules);
  for (const BindingBlock& block : function_arg(call, 0)->body->blocks) folds.visit_block(block);
  return folds.found;
}

constexpr ir::ApiRow relax_rewrite_table[] = {
    {ir::ApiKind::kFunction, kRelaxNatives, "CalledOperators(func)",
     "The names of the operators that a function of graphs calls, in alphabetical order.", called_operators},
    {ir::ApiKind::kFunction, kRelaxNatives, "VariableUses(func)",
     "How often the bindings of a function and its result name each variable that they name.", variable_uses},
    {ir::ApiKind::kFunction, kRelaxNatives, "MayFold(func, operators)",
     "Whether a function has what FoldConstant computes or moves: calls of tensor functions and of these "
     "operators without a "
     "variable among their operands, variables that are constants or shapes, branches and local functions.",
     may_fold},
    {ir::ApiKind::kFunction, kRelaxNatives, "RewriteCalls(builder, func, operators, rule, reused, again)",
     "The function with calls of these operators as `rule(call)` returns them: None leaves a call. Operators "
     "of `reused` have "
     "rules that ask nothing but the types of operands: calls that are alike become calls of one function. "
     "With `again` what a "
     "rule makes is rewritten in turn.",
     rewrite_calls},
};

}  // namespace

std::span<const ir::ApiRow> relax_rewrite_rows() { return relax_rewrite_table; }

}  // namespace mlc::tvmscript
