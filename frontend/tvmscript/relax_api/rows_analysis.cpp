// SPDX-License-Identifier: Apache-2.0
// What scripts ask of graphs: tvm.relax.analysis.
#include <algorithm>
#include <functional>
#include <unordered_set>

#include "frontend/tvmscript/relax_api/rows.h"
#include "ir/relax/blocks.h"
#include "ir/relax/numbers.h"
#include "ir/relax/verify.h"
#include "ir/relax/visit.h"

namespace mlc::tvmscript {
namespace {

using relax::Binding;
using relax::Function;
using relax::FunctionNode;
using VarSet = std::unordered_set<const ir::VarNode*>;

void add_new(Array<Var>& all, VarSet& seen, const std::vector<Var>& more) {
  for (const Var& var : more) {
    if (seen.insert(var.get()).second) all.push_back(var);
  }
}

// Variables that are bound with the symbolic ones that their types define, and those that stand as values.
struct Vars final : relax::Visitor {
  Array<Var> bound, all, used;
  VarSet bound_seen, all_seen, used_seen;

  explicit Vars(const Expr& e) { visit(e); }
  void visit(const Expr& e) override {
    if (auto* var = ir::as<ir::VarNode>(e)) {
      add_new(used, used_seen, {ir::ref(var)});
      add_new(all, all_seen, {ir::ref(var)});
      return;
    }
    if (auto* fn = ir::as<FunctionNode>(e)) {
      for (const Var& param : fn->params) {
        bind({param});
        bind(relax::definable_vars(param->ty));
      }
      return visit(fn->body);
    }
    walk_children(e);
  }
  void visit_binding(const Binding& binding) override {
    bind({binding->var});  // first: a local function may call itself
    if (auto* cast = relax::as_match_cast(binding)) bind(relax::definable_vars(cast->ty));
    visit(binding->value);
  }
  void bind(const std::vector<Var>& vars) {
    add_new(bound, bound_seen, vars);
    add_new(all, all_seen, vars);
  }
};

Any free_vars(ApiCall& call) {
  Vars vars(graph_arg(call, 0));
  Array<Var> free;
  for (const Var& var : vars.used) {
    if (vars.bound_seen.count(var.get()) == 0) free.push_back(var);
  }
  return free;
}
Any bound_vars(ApiCall& call) { return Vars(graph_arg(call, 0)).bound; }
Any all_vars(ApiCall& call) { return Vars(graph_arg(call, 0)).all; }

Any used_vars(ApiCall& call) { return Vars(graph_arg(call, 0)).used; }
Any all_global_vars(ApiCall& call) {
  Array<ir::GlobalVar> names;
  std::unordered_set<const ir::GlobalVarNode*> seen;
  relax::post_order(graph_arg(call, 0), [&](const Expr& e) {
    auto* name = ir::as<ir::GlobalVarNode>(e);
    if (name && seen.insert(name).second) names.push_back(ir::ref(name));
  });
  return names;
}

// Every expression after its operands and its type's shapes, numbers too.
class PostOrder final : public relax::Visitor {
 public:
  explicit PostOrder(const ApiCall& call) : call_(call) {}
  void visit(const Expr& e) override {
    if (relax::is_prim(e) && !ir::is_graph_kind(e->kind) && e->kind != ir::ExprKind::kTupleGetItem) {
      Numbers(*this).visit(e);
      return;
    }
    if (auto* shape = ir::as<relax::ShapeExprNode>(e)) {
      for (const Expr& value : shape->values) visit(value);
    } else if (auto* fn = ir::as<FunctionNode>(e)) {
      visit(fn->body);
    } else if (auto* made = ir::as<ir::CallNode>(e)) {
      visit(made->op);
      for (const Type& type : made->ty_args) visit_type(type);
      for (const Expr& arg : made->args) visit(arg);
    } else {
      walk_children(e);
    }
    if (shows_type(e)) visit_type(e->ty);
    show(e);
  }
  void visit_binding(const Binding& binding) override {
    visit(binding->value);
    if (auto* cast = relax::as_match_cast(binding)) visit_type(cast->ty);
  }
  void visit_type(const Type& type) override {
    if (!type) return;
    if (auto* tensor = relax::as_type<relax::TensorTypeNode>(type)) {
      if (tensor->shape) visit(tensor->shape);
    } else if (auto* tuple = relax::as_type<ir::TupleTypeNode>(type)) {
      for (const Type& field : tuple->elements) visit_type(field);
    } else if (auto* shape = relax::as_type<relax::ShapeTypeNode>(type); shape && shape->values.has_value()) {
      for (const Expr& value : shape->values.value()) visit(value);
    }
  }

 private:
  struct Numbers final : ir::Walker {
    PostOrder& whole;
    explicit Numbers(PostOrder& whole) : whole(whole) {}
    void visit(const Expr& e) override {
      walk_children(e);
      whole.show(e);
    }
  };
  static bool shows_type(const Expr& e) {
    using enum ir::ExprKind;
    return e->kind == kVar || e->kind == kTuple || e->kind == kTupleGetItem || e->kind == kCall ||
           e->kind == kIf || e->kind == kSeqExpr;
  }
  void show(const Expr& e) {
    Any argument = e;
    call_.host.call(call_.args[1], std::span<const Any>(&argument, 1));
  }
  const ApiCall& call_;
};
Any post_order_visit(ApiCall& call) {
  PostOrder(call).visit(graph_arg(call, 0));
  return nullptr;
}

// ---- symbolic variables ----

// Those that parameters and match_casts of the function define, and those that it uses.
struct SymbolicVars final : relax::Visitor {
  Array<Var> defined, used;
  VarSet defined_seen, used_seen;

  explicit SymbolicVars(const Function& fn) {
    for (const Var& param : fn->params) {
      if (relax::is_prim(param)) add_new(defined, defined_seen, {param});
      add_new(defined, defined_seen, relax::definable_vars(param->ty));
      visit_type(param->ty);
    }
    visit(fn->body);
    visit_type(fn->ret_ty);
  }
  void visit(const Expr& e) override {
    if (relax::is_prim(e) && e->kind != ir::ExprKind::kTupleGetItem) {
      return visit_type(ir::make<relax::ShapeTypeNode>(Array<Expr>{e}));
    }
    walk_children(e);
  }
  void visit_binding(const Binding& binding) override {
    if (auto* cast = relax::as_match_cast(binding))
      add_new(defined, defined_seen, relax::definable_vars(cast->ty));
    walk_binding(binding);
  }
  void visit_type(const Type& type) override { add_new(used, used_seen, relax::symbolic_vars(type)); }
};
Any defined_symbolic_vars(ApiCall& call) { return SymbolicVars(function_arg(call, 0)).defined; }
Any free_symbolic_vars(ApiCall& call) {
  SymbolicVars vars(function_arg(call, 0));
  Array<Var> free;
  for (const Var& var : vars.used) {
    if (vars.defined_seen.count(var.get()) == 0) free.push_back(var);
  }
  return free;
}

// ---- bindings ----

struct Bindings final : relax::Visitor {
  std::vector<Binding> all;
  explicit Bindings(const Function& fn) { visit(fn->body); }
  void visit_binding(const Binding& binding) override {
    all.push_back(binding);
    walk_binding(binding);
  }
};

Any name_to_binding(ApiCall& call) {
  script::Dict names;
  for (const Binding& binding : Bindings(function_arg(call, 0)).all) {
    Any name = binding->var->name;
    if (names.count(name) == 0) names.Set(name, script::List());
    names.at(name).cast<script::List>().push_back(binding);
  }
  return names;
}
Any get_var2val(ApiCall& call) {
  script::Dict values;
  for (const Binding& binding : Bindings(function_arg(call, 0)).all) {
    if (!relax::as_match_cast(binding)) values.Set(binding->var, binding->value);
  }
  return values;
}

// Of each variable that the block uses or defines, the variables whose values use it.
Any udchain(ApiCall& call) {
  auto block = node_arg<relax::DataflowBlockNode>(call, 0, "DataflowBlock");
  script::Dict users;
  for (const Binding& binding : block->bindings) {
    users.Set(binding->var, script::List());
    std::vector<Var> all = relax::free_vars(binding->value);
    // A name for another variable does not read its shape.
    if (binding->value->kind != ir::ExprKind::kVar) {
      for (const Var& var : relax::symbolic_vars(binding->value->ty)) all.push_back(var);
    }
    for (const Var& used : all) {
      if (users.count(used) == 0) users.Set(used, script::List());
      users.at(used).cast<script::List>().push_back(binding->var);
    }
  }
  return users;
}

bool is_impure(const Expr& callee, const ir::ExprNode* own) {
  if (callee.get() == own) return false;
  if (const relax::Operator* row = relax::operator_of(callee)) return !row->pure;
  if (auto* fn = relax::type_as<relax::FuncTypeNode>(callee)) return !fn->purity;
  // A tensor function writes to what it is given.
  return ir::as<ir::GlobalVarNode>(callee) && callee->ty && callee->ty->kind == ir::TypeKind::kFunc;
}
// A function that is made here is no call of it.
struct ImpureCall final : relax::Visitor {
  const ir::ExprNode* own;
  Expr found;
  explicit ImpureCall(const ir::ExprNode* own) : own(own) {}
  void visit(const Expr& e) override {
    if (found || e->kind == ir::ExprKind::kFunction) return;
    if (auto* call = ir::as<ir::CallNode>(e); call && is_impure(call->op, own)) {
      found = e;
      return;
    }
    walk_children(e);
  }
};
// Without bindings that nothing uses; what has effects and what is checked stays.
Any remove_all_unused(ApiCall& call) {
  Function fn = function_arg(call, 0);
  VarSet used;
  auto use = [&](const Expr& e) {
    for (const Var& var : relax::free_vars(e)) used.insert(var.get());
    for (const Var& var : relax::vars_of_numbers(e)) used.insert(var.get());
  };
  use(fn->body->body);
  std::vector<relax::BindingBlock> blocks;
  for (size_t b = fn->body->blocks.size(); b-- > 0;) {
    const relax::BindingBlock& block = fn->body->blocks[static_cast<int64_t>(b)];
    std::vector<Binding> kept;
    for (size_t i = block->bindings.size(); i-- > 0;) {
      const Binding& binding = block->bindings[static_cast<int64_t>(i)];
      bool stays = used.count(binding->var.get()) != 0 || relax::as_match_cast(binding);
      if (!stays) {
        ImpureCall impure(nullptr);
        impure.visit(binding->value);
        stays = impure.found.defined();
      }
      if (!stays) continue;
      use(binding->value);
      kept.push_back(binding);
    }
    if (kept.empty()) continue;
    blocks.push_back(kept.size() == block->bindings.size()
                         ? block
                         : relax::with_bindings(block, Array<Binding>(kept.rbegin(), kept.rend())));
  }
  Array<relax::BindingBlock> all = relax::joined(Array<relax::BindingBlock>(blocks.rbegin(), blocks.rend()));
  return relax::with_body(fn, ir::make<relax::SeqExprNode>(all, fn->body->body, fn->body->span));
}

// ---- calls ----

Any contains_impure_call(ApiCall& call) {
  const ir::ExprNode* own = is_given(call, 1) ? call.args[1].as<ir::ExprNode>() : nullptr;
  ImpureCall impure(own);
  Expr e = graph_arg(call, 0);
  if (auto* fn = ir::as<FunctionNode>(e)) e = fn->body;
  impure.visit(e);
  return impure.found.defined();
}

// Groups of functions that call each other in a circle (Tarjan's strongly connected components), functions
// and groups by name.
Any detect_recursion(ApiCall& call) {
  auto mod = node_arg<ir::IRModuleNode>(call, 0, "IRModule");
  std::vector<ir::GlobalVar> names;
  for (const auto& [name, fn] : mod->functions) names.push_back(name);
  auto by_name = [](const ir::GlobalVar& a, const ir::GlobalVar& b) {
    return view(a->name_hint) < view(b->name_hint);
  };
  std::sort(names.begin(), names.end(), by_name);
  std::unordered_map<const ir::GlobalVarNode*, size_t> number;
  for (size_t i = 0; i < names.size(); ++i) number[names[i].get()] = i;
  std::vector<std::vector<size_t>> calls(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    ir::BaseFunc fn = mod->functions.at(names[i]);
    if (!fn.as<FunctionNode>()) continue;
    relax::post_order(fn, [&](const Expr& e) {
      auto* name = ir::as<ir::GlobalVarNode>(e);
      if (!name) return;
      if (ir::GlobalVar known = mod->find(view(name->name_hint))) calls[i].push_back(number.at(known.get()));
    });
  }
  std::vector<int> order(names.size(), -1), low(names.size(), 0);
  std::vector<bool> open(names.size(), false);
  std::vector<size_t> path;
  std::vector<std::vector<ir::GlobalVar>> groups;
  int next = 0;
  std::function<void(size_t)> visit = [&](size_t i) {
    order[i] = low[i] = next++;
    path.push_back(i);
    open[i] = true;
    bool itself = false;
    for (size_t j : calls[i]) {
      itself = itself || j == i;
      if (order[j] < 0) {
        visit(j);
        low[i] = std::min(low[i], low[j]);
      } else if (open[j]) {
        low[i] = std::min(low[i], order[j]);
      }
    }
    if (low[i] != order[i]) return;
    std::vector<ir::GlobalVar> group;
    size_t last;
    do {
      last = path.back();
      path.pop_back();
      open[last] = false;
      group.push_back(names[last]);
    } while (last != i);
    if (group.size() == 1 && !itself) return;
    std::sort(group.begin(), group.end(), by_name);
    groups.push_back(std::move(group));
  };
  for (size_t i = 0; i < names.size(); ++i) {
    if (order[i] < 0) visit(i);
  }
  Array<Any> all;
  for (const auto& group : groups) {
    Array<Any> one;
    for (const ir::GlobalVar& name : group) one.push_back(name);
    all.push_back(one);
  }
  return all;
}

// Variables whose values follow from the parameters that come after `num_input`: weights.
Any computable_at_compile_time(ApiCall& call) {
  Function fn = function_arg(call, 0);
  auto inputs = fn->attrs.find("num_input");
  Array<Var> known;
  if (inputs == fn->attrs.end()) return known;
  auto given = (*inputs).second.as<ir::IntImmNode>();
  int64_t first = given ? given->value : (*inputs).second.cast<int64_t>();
  VarSet seen;
  for (size_t i = 0; i < fn->params.size(); ++i) {
    if (static_cast<int64_t>(i) < first) continue;
    add_new(known, seen, {fn->params[static_cast<int64_t>(i)]});
    for (const Var& var : relax::definable_vars(fn->params[static_cast<int64_t>(i)]->ty))
      seen.insert(var.get());
  }
  for (const relax::BindingBlock& block : fn->body->blocks) {
    if (!relax::is_dataflow(block)) continue;
    for (const Binding& binding : block->bindings) {
      ImpureCall impure(nullptr);
      impure.visit(binding->value);
      auto used = relax::free_vars(binding->value);
      bool all = !impure.found && std::all_of(used.begin(), used.end(),
                                              [&](const Var& var) { return seen.count(var.get()) != 0; });
      if (!all) continue;
      auto dims = relax::symbolic_vars(binding->var->ty);
      all = std::all_of(dims.begin(), dims.end(), [&](const Var& var) { return seen.count(var.get()) != 0; });
      if (all) add_new(known, seen, {binding->var});
    }
  }
  return known;
}

// ---- well-formedness ----

std::vector<ir::Diagnostic> mistakes(const ApiCall& call) {
  if (auto* mod = call.args[0].as<ir::IRModuleNode>()) return relax::verify(ir::ref(mod));
  if (auto* fn = call.args[0].as<FunctionNode>()) return relax::verify(ir::ref(fn));
  ir::wrong_argument(call, 0, "a module, or a function of the graph language");
}
Any well_formed(ApiCall& call) {
  std::vector<ir::Diagnostic> all = mistakes(call);
  if (!all.empty()) throw ir::Error(all).kind("ValueError").at(call.span);
  return nullptr;
}
Any check_well_formed(ApiCall& call) { return mistakes(call).empty(); }

// ---- natives of tvm.relax.expr_functor ----

// The method of a visitor that takes this node: "visit_call_".
Any visit_method(ApiCall& call) {
  auto* e = call.args[0].as<ir::ExprNode>();
  if (!e) ir::wrong_argument(call, 0, "an expression");
  switch (e->kind) {
    case ir::ExprKind::kVar:
      return String(relax::is_dataflow(static_cast<const ir::VarNode*>(e)) ? "visit_dataflow_var_"
                                                                           : "visit_var_");
    case ir::ExprKind::kGenericConst:
      return String("visit_generic_const_");
    case ir::ExprKind::kTuple:
      return String("visit_tuple_");
    case ir::ExprKind::kTupleGetItem:
      return String("visit_tuple_getitem_");
    case ir::ExprKind::kShapeExpr:
      return String("visit_shape_expr_");
    case ir::ExprKind::kExternFunc:
      return String("visit_extern_func_");
    case ir::ExprKind::kGlobalVar:
      return String("visit_global_var_");
    case ir::ExprKind::kFunction:
      return String("visit_function_");
    case ir::ExprKind::kCall:
      return String("visit_call_");
    case ir::ExprKind::kSeqExpr:
      return String("visit_seq_expr_");
    case ir::ExprKind::kIf:
      return String("visit_if_");
    case ir::ExprKind::kOp:
      return String("visit_op_");
    case ir::ExprKind::kStringImm:
      return String("visit_string_imm_");
    default:
      return String("visit_expr_fallback_");
  }
}
Any copy_var(ApiCall& call) {
  return relax::copy_var(node_arg<ir::VarNode>(call, 0, "a variable"), type_arg(call, 1));
}

#define ANALYSIS(signature, doc, body) \
  { ir::ApiKind::kFunction, "tvm.relax.analysis", signature, doc, body }
constexpr ir::ApiRow relax_analysis_table[] = {
    ANALYSIS("free_vars(expr)", "Variables that the expression does not bind, in order of use.", free_vars),
    ANALYSIS("bound_vars(expr)", "Variables that the expression binds.", bound_vars),
    ANALYSIS("all_vars(expr)", "All variables of the expression.", all_vars),
    ANALYSIS("used_vars(expr)", "Variables that stand as values.", used_vars),
    ANALYSIS("all_global_vars(expr)", "Names of functions that the expression uses.", all_global_vars),
    ANALYSIS("post_order_visit(expr, fvisit)", "Calls `fvisit` with every expression, operands first.",
             post_order_visit),
    ANALYSIS("defined_symbolic_vars(func)", "Symbolic variables that parameters and match_casts define.",
             defined_symbolic_vars),
    ANALYSIS("free_symbolic_vars(func)", "Symbolic variables that nothing defines.", free_symbolic_vars),
    ANALYSIS("name_to_binding(func)", "The bindings of each name.", name_to_binding),
    ANALYSIS("get_var2val(func)", "The value of each variable that no cast defines.", get_var2val),
    ANALYSIS("remove_all_unused(func)", "The function without bindings that nothing uses.",
             remove_all_unused),
    ANALYSIS("well_formed(obj, check_ty=True)",
             "ValueError, with all reasons, when the module is not well formed.", well_formed),
    ANALYSIS("check_well_formed(obj, check_ty=True)", "Is the module, or the function, well formed?",
             check_well_formed),
    ANALYSIS("udchain(dfb)", "Of each variable of the block, those whose values use it.", udchain),
    ANALYSIS("contains_impure_call(expr, own_name=None)", "Is something called that has effects?",
             contains_impure_call),
    ANALYSIS("detect_recursion(mod)", "Groups of functions that call each other in a circle.",
             detect_recursion),
    ANALYSIS("computable_at_compile_time(func)", "Variables that follow from the weights alone.",
             computable_at_compile_time),
    {ir::ApiKind::kFunction, kRelaxNatives, "visit_method(expr)",
     "The method of visitors for this expression.", visit_method},
    {ir::ApiKind::kFunction, kRelaxNatives, "copy_var(var, ty)",
     "A variable like this one with another type.", copy_var},
};
#undef ANALYSIS

}  // namespace

std::span<const ir::ApiRow> relax_analysis_rows() { return relax_analysis_table; }

}  // namespace mlc::tvmscript
