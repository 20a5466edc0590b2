// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/verify.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "ir/core/visit.h"
#include "ir/registry/no_script.h"
#include "ir/relax/distributed.h"
#include "ir/relax/infer.h"
#include "ir/relax/origin.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bound-twice",
         .message = "the variable `{}` is bound twice",
         .meaning = "Each variable has one binding. A name that is assigned again is another variable."},
        {.name = "branches-in-dataflow",
         .message = "a dataflow block has no branches",
         .help = "end the block before the `if`"},
        {.name = "dataflow-parameter", .message = "the parameter `{}` is a variable of a dataflow block"},
        {.name = "dataflow-variable-outside",
         .message = "`{}` belongs to a dataflow block and is used outside of it",
         .help = "give it to `R.output`"},
        {.name = "force-pure-needs-pure",
         .message = "the function `{}` has the attribute `relax.force_pure` and is not pure",
         .help = "leave out `pure=False`: the attribute says that what it calls counts as pure"},
        {.name = "function-not-in-module", .message = "the module has no function `{}`"},
        {.name = "global-symbol-not-string",
         .message = "the attribute `global_symbol` of the function `{}` must be a string, not `{}`"},
        {.name = "impure-call-in-dataflow",
         .message = "{} has side effects, which a dataflow block has not",
         .help = "call it before or after the block",
         .meaning = "Bindings of a dataflow block may be moved and removed, so their values have no side effects."},
        {.name = "impure-call-in-pure-function",
         .message = "{} has side effects, and the function `{}` is pure",
         .help = "write `@R.function(pure=False)`, or call it by `R.call_pure_packed` if it has none",
         .meaning = "Calls of a pure function may be moved and removed, so it calls no function with side effects."},
        {.name = "symbol-in-two-functions",
         .message = "the symbolic variable `{}` is used by two functions, `{}` and `{}`",
         .help = "each function defines its own: a name in quotes in its signature, or `def f[n](...)`"},
        {.name = "symbol-not-defined",
         .message = "nothing defines the symbolic variable `{}`",
         .help = "a parameter or `R.match_cast` with that dimension alone defines it"},
        {.name = "tensor-function-mismatch",
         .message = "`R.{}` of `{}`: parameter `{}` is {}, it gets {}",
         .help = "a tensor function takes the arguments of the call, then its results"},
        {.name = "tensor-function-wanted",
         .message = "`R.{}` calls tensor functions, and `{}` is a graph",
         .help = "a graph returns its result: call it as it is, `cls.f(x)`"},
        {.name = "tensor-function-arity",
         .message = "`R.{}` of `{}`: {} argument{} and {} {}result{} for {} parameter{}",
         .help = "a tensor function takes the arguments of the call, then its results"},
        {.name = "used-before-definition",
         .message = "`{}` is used where it is not defined"},
        {.name = "wrong-global-symbol", .message = "the function `{}` calls itself `{}` by its attribute `global_symbol`"},
    }};
MLC_REFUSALS(relax_verify, refusals);

namespace {

bool calls_tensor_function(const CallNode* call) {
  static const std::array<ir::Op, 3> ops{op("relax.call_tir"), op("relax.call_tir_inplace"),
                                         op("relax.call_tir_with_grad")};
  return std::any_of(ops.begin(), ops.end(), [&](const ir::Op& each) { return call->op.same_as(each); });
}

// Symbolic variables that the type does not define itself, as a type of functions does in its parameters.
std::vector<Var> free_symbols(const Type& type) {
  const auto* fn = as_type<FuncTypeNode>(type);
  const auto* tuple = as_type<TupleTypeNode>(type);
  if (!fn && !tuple) return symbolic_vars(type);
  std::vector<Var> all;
  auto add = [&](const Type& part) {
    for (const Var& var : free_symbols(part)) all.push_back(var);
  };
  if (tuple) {
    for (const Type& element : tuple->elements) add(element);
    return all;
  }
  std::unordered_set<const VarNode*> own;
  if (fn->params.has_value()) {
    for (const Type& param : fn->params.value()) {
      add(param);
      for (const Var& var : definable_vars(param)) own.insert(var.get());
    }
  }
  if (fn->ret) add(fn->ret);
  std::erase_if(all, [&](const Var& var) { return own.contains(var.get()); });
  return all;
}

class Verifier {
 public:
  Verifier(IRModule mod, std::vector<ir::Diagnostic>& found) : mod_(std::move(mod)), found_(found) {}

  // A function of the module: its parameters are those of no other.
  void global_function(std::string_view name, const FunctionNode* fn) {
    for (const Var& param : fn->params) {
      if (!parameters_.insert(param.get()).second)
        report(ir::refuse(refusals["bound-twice"], view(param->name)).at(param->span));
    }
    function(name, fn);
  }

 private:
  struct Scope {
    size_t variables, bound, symbols;
  };
  Scope open() const { return {scope_.size(), bound_scope_.size(), symbol_scope_.size()}; }

  void function(std::string_view name, const FunctionNode* fn) {
    name_ = name;
    Scope outer = open();
    auto forced = fn->attrs.find("relax.force_pure");
    bool is_forced = forced != fn->attrs.end() && is_true((*forced).second);
    if (is_forced && !fn->is_pure) report(ir::refuse(refusals["force-pure-needs-pure"], name).at(fn->span));
    bool outer_pure = std::exchange(pure_, fn->is_pure && !is_forced);
    bool outer_dataflow = std::exchange(dataflow_, false);
    for (const Var& param : fn->params) {
      if (is_dataflow(param)) report(ir::refuse(refusals["dataflow-parameter"], view(param->name)).at(param->span));
      if (is_prim(param)) define_symbol(param);
      for (const Var& var : definable_vars(param->ty)) define_symbol(var);
    }
    for (const Var& param : fn->params) {
      type(param->ty, param->span);
      define(param);
    }
    sequence(fn->body.get());
    type(fn->ret_ty, fn->span);
    close(outer);
    pure_ = outer_pure;
    dataflow_ = outer_dataflow;
  }

  static bool is_true(const Any& value) {
    if (auto flag = value.try_cast<bool>()) return *flag;
    auto* imm = value.as<ir::IntImmNode>();
    return imm && imm->value != 0;
  }
  void report(const ir::Error& error) { found_.push_back(error.all()[0]); }

  void define(const Var& var) {
    if (!bound_.insert(var.get()).second)
      report(ir::refuse(refusals["bound-twice"], view(var->name)).at(var->span));
    bound_scope_.push_back(var.get());
    visible_.insert(var.get());
    scope_.push_back(var.get());
  }
  void define_symbol(const Var& var) {
    auto [owner, fresh] = owners_.try_emplace(var.get(), name_);
    if (!fresh && owner->second != name_)
      report(ir::refuse(refusals["symbol-in-two-functions"], view(var->name), owner->second, name_).at(var->span));
    if (symbols_.insert(var.get()).second) symbol_scope_.push_back(var.get());
  }
  void close(const Scope& outer) {
    for (; scope_.size() > outer.variables; scope_.pop_back()) visible_.erase(scope_.back());
    for (; bound_scope_.size() > outer.bound; bound_scope_.pop_back()) bound_.erase(bound_scope_.back());
    for (; symbol_scope_.size() > outer.symbols; symbol_scope_.pop_back())
      symbols_.erase(symbol_scope_.back());
  }

  void use_symbol(const Var& var, Span span) {
    if (symbols_.contains(var.get()) || visible_.contains(var.get())) return;
    if (!missing_.insert(var.get()).second) return;  // once
    report(ir::refuse(refusals["symbol-not-defined"], view(var->name))
               .at(var->span ? var->span : span)
               .help(fmt::format("a parameter or `R.match_cast` with a dimension that is `{}` alone defines it",
                                 view(var->name))));
  }
  void type(const Type& type, Span span) {
    if (!type || checked_.contains(type.get())) return;
    bool all = true;
    for (const Var& var : free_symbols(type)) {
      use_symbol(var, span);
      all = false;
    }
    // A type without symbols is fine everywhere.
    if (all) {
      checked_.insert(type.get());
      kept_.push_back(type);
    }
  }
  void prim(const Expr& e) {
    if (ir::const_int(e)) return;
    if (auto* var = as<VarNode>(e)) return use_symbol(ref(var), e->span);
    type(make<ShapeTypeNode>(Array<Expr>{e}), e->span);
  }

  void sequence(const SeqExprNode* seq) {
    for (const BindingBlock& block : seq->blocks) {
      size_t begin = scope_.size();
      bool outer = std::exchange(dataflow_, dataflow_ || is_dataflow(block));
      for (const Binding& binding : block->bindings) this->binding(binding);
      dataflow_ = outer;
      if (!is_dataflow(block)) continue;
      // What only the block sees.
      std::vector<const VarNode*> kept(scope_.begin() + static_cast<int64_t>(begin), scope_.end());
      scope_.resize(begin);
      for (const VarNode* var : kept) {
        if (is_dataflow(var)) {
          visible_.erase(var);
          left_.insert(var);
        } else {
          scope_.push_back(var);
        }
      }
    }
    expr(seq->body);
  }
  void binding(const Binding& binding) {
    if (const MatchCastNode* cast = as_match_cast(binding)) {
      expr(binding->value);
      for (const Var& var : definable_vars(cast->ty)) define_symbol(var);
      type(cast->ty, binding->var->span);
      return define(binding->var);
    }
    bool recursive = binding->value->kind == ExprKind::kFunction;  // a local function may call itself
    if (recursive) define(binding->var);
    expr(binding->value);
    type(binding->var->ty, binding->var->span);
    if (!recursive) define(binding->var);
  }

  void expr(const Expr& e) {
    switch (e->kind) {
      case ExprKind::kVar: {
        auto* var = static_cast<const VarNode*>(e.get());
        if (visible_.contains(var)) return;
        if (is_prim(e)) return prim(e);
        if (left_.contains(var)) {
          report(ir::refuse(refusals["dataflow-variable-outside"], view(var->name)).at(var->span));
        } else {
          report(ir::refuse(refusals["used-before-definition"], view(var->name)).at(var->span));
        }
        return;
      }
      case ExprKind::kGlobalVar: {
        std::string_view name = view(static_cast<const GlobalVarNode*>(e.get())->name_hint);
        if (mod_ && !mod_->find(name)) report(ir::refuse(refusals["function-not-in-module"], name).at(e->span));
        return;
      }
      case ExprKind::kCall: {
        auto* call = static_cast<const CallNode*>(e.get());
        if (is_prim(e) && operator_of(call->op) == nullptr) return prim(e);
        if (call->op->kind != ExprKind::kOp) expr(call->op);
        for (const Expr& arg : call->args) expr(arg);
        for (const Type& each : call->ty_args) type(each, call->span);
        if ((pure_ || dataflow_) && is_impure(call)) impure(call);
        if (calls_tensor_function(call)) tensor_function(call);
        return;
      }
      case ExprKind::kTuple:
        for (const Expr& field : static_cast<const TupleNode*>(e.get())->elements) expr(field);
        return;
      case ExprKind::kTupleGetItem:
        return expr(static_cast<const TupleGetItemNode*>(e.get())->tuple_value);
      case ExprKind::kShapeExpr:
        for (const Expr& value : static_cast<const ShapeExprNode*>(e.get())->values) prim(value);
        return;
      case ExprKind::kIf: {
        auto* branches = static_cast<const IfNode*>(e.get());
        if (dataflow_) report(ir::refuse(refusals["branches-in-dataflow"]).at(branches->span));
        expr(branches->cond);
        for (const SeqExpr& body : {branches->true_branch, branches->false_branch}) {
          Scope outer = open();
          sequence(body.get());
          close(outer);
        }
        return;
      }
      case ExprKind::kSeqExpr:
        return sequence(static_cast<const SeqExprNode*>(e.get()));
      case ExprKind::kFunction:
        return function(name_, static_cast<const FunctionNode*>(e.get()));
      default:
        if (is_prim(e)) prim(e);
    }
  }

  // The parameters of the tensor function against arguments and results: first those of the arguments, then one for each
  // result that is not written in place. What is decided by values alone is checked when the program runs; results
  // are made as declared, so their types must follow from those of the arguments.
  void tensor_function(const CallNode* call) {
    auto* callee = as<GlobalVarNode>(call->args[0]);
    GlobalVar name = callee && mod_ ? mod_->find(view(callee->name_hint)) : GlobalVar(nullptr);
    auto* fn = name ? mod_->functions.at(name).as<PrimFuncNode>() : nullptr;
    if (name && mod_->functions.at(name).as<FunctionNode>()) {
      report(ir::refuse(refusals["tensor-function-wanted"], operator_of(call->op)->short_name(),
                        view(callee->name_hint))
                 .at(call->span));
      return;
    }
    const auto* args = type_as<TupleTypeNode>(call->args[1]);
    if (!fn || !args || call->ty_args.size() != 1) return;
    FuncType type = callable_type(mod_->functions.at(name)).as<FuncType>().value();
    Array<Type> params = type->params.value();
    std::string_view op = operator_of(call->op)->short_name();
    std::vector<Type> results{call->ty_args[0]};
    if (const auto* several = as_type<TupleTypeNode>(call->ty_args[0]))
      results.assign(several->elements.begin(), several->elements.end());
    std::vector<int64_t> in_place;
    if (op == "call_tir_inplace") in_place = ints_attr(call, "inplace_indices");
    // A tensor over a mesh is passed in parts, whose shapes its type does not say.
    for (const Type& each : args->elements) {
      if (each->kind == TypeKind::kDTensor) return;
    }
    size_t arguments = args->elements.size();
    auto overwritten = [&](size_t result) { return result < in_place.size() && in_place[result] >= 0; };
    size_t fresh = 0;
    for (size_t i = 0; i < results.size(); ++i) fresh += overwritten(i) ? 0 : 1;
    if (arguments + fresh != params.size()) {
      auto plural = [](size_t n) { return n == 1 ? "" : "s"; };
      return report(ir::refuse(refusals["tensor-function-arity"], op, view(callee->name_hint), arguments,
                               plural(arguments), fresh, in_place.empty() ? "" : "new ", plural(fresh), params.size(),
                               plural(params.size()))
                        .at(call->span)
                        .note("the function is defined here", fn->span));
    }
    ir::NoScript host;
    InferContext context(host, mod_);
    ir::VarMap bound;
    auto mismatch = [&](size_t param, const Type& wanted, const Type& given, bool unknown) {
      const Var& var = fn->params[static_cast<int64_t>(param)];
      ir::Error error = ir::refuse(refusals["tensor-function-mismatch"], op, view(callee->name_hint), view(var->name),
                                   parameter_text(var), describe(given))
                            .at(call->span)
                            .note("the parameter is here", var->span);
      ir::Diagnostic& found = error.first();
      if (std::string exact = describe(wanted); exact != describe(params[param]))
        found.notes.push_back({fmt::format("for these arguments it is {}", exact), {}});
      auto* written = as<TupleNode>(call->args[1]);
      auto* given_var = written && param < arguments ? as<VarNode>(written->elements[param]) : nullptr;
      if (given_var && given_var->span)
        found.notes.push_back({fmt::format("`{}` is defined here", view(given_var->name)), given_var->span});
      if (unknown) found.help = "say what is known of it with `R.match_cast`";
      report(error);
    };
    bool all_fit = true;
    for (size_t i = 0; i < arguments; ++i) {
      bind_symbols(params[i], args->elements[i], bound);
      Type wanted = substitute(params[i], bound, context);
      Fit fit = fits(wanted, args->elements[i], context);
      if (fit != Fit::kNever && fit != Fit::kTypeUnknown) continue;
      mismatch(i, wanted, args->elements[i], fit == Fit::kTypeUnknown);
      all_fit = false;
    }
    if (!all_fit) return;
    // What the arguments do not tell is not known of the results.
    auto own = [&](const VarNode* var) { return bound.count(var) != 0; };
    for (size_t i = 0, next = arguments; i < results.size(); ++i) {
      size_t param = overwritten(i) ? static_cast<size_t>(in_place[i]) : next++;
      Type wanted = substitute(erase_to_defined(params[param], own, context), bound, context);
      if (fits(wanted, results[i], context) != Fit::kAlways) mismatch(param, wanted, results[i], false);
    }
  }
  static std::string parameter_text(const Var& param) {
    if (const ir::BufferTypeNode* buffer = param->buffer())
      return fmt::format("a buffer of {} with shape {}", DataType(buffer->dtype).str(), shape_text(buffer->shape));
    return fmt::format("a number of type {}", param->dtype().str());
  }

  void impure(const CallNode* call) {
    std::string what = "the call";
    if (auto* op = as<ir::OpNode>(call->op)) {
      std::string_view name = view(op->name);
      what = fmt::format("`R.{}`", name.starts_with("relax.") ? name.substr(6) : name);
    } else if (auto* fn = as<ExternFuncNode>(call->op)) {
      what = fmt::format("the packed function `{}`", view(fn->global_symbol));
    } else if (auto* global = as<GlobalVarNode>(call->op)) {
      what = fmt::format("`{}`", view(global->name_hint));
    } else if (auto* var = as<VarNode>(call->op)) {
      what = fmt::format("`{}`", view(var->name));
    }
    ir::Error error = dataflow_ ? ir::refuse(refusals["impure-call-in-dataflow"], what)
                                : ir::refuse(refusals["impure-call-in-pure-function"], what, name_);
    ir::Diagnostic& found = error.first();
    found.span = call->span;
    auto* global = as<GlobalVarNode>(call->op);
    if (GlobalVar known = global && mod_ ? mod_->find(view(global->name_hint)) : GlobalVar(nullptr)) {
      BaseFunc callee = mod_->functions.at(known);
      found.notes.push_back({fmt::format("`{}` is defined here", view(global->name_hint)), callee->span});
      if (callee.as<PrimFuncNode>())
        found.help = "a tensor function writes to its arguments; `R.call_tir` makes values of its results";
    }
    report(error);
  }

  IRModule mod_;
  std::vector<ir::Diagnostic>& found_;
  std::string_view name_;
  bool pure_ = true;
  bool dataflow_ = false;
  std::unordered_set<const VarNode*> parameters_;  // of all functions of the module
  std::unordered_set<const VarNode*> bound_;       // here, also where a dataflow block has ended
  std::vector<const VarNode*> bound_scope_;        // these, in order
  std::unordered_set<const VarNode*> visible_;     // here
  std::vector<const VarNode*> scope_;              // visible ones, in order
  std::unordered_set<const VarNode*> left_;        // of dataflow blocks that have ended
  std::unordered_set<const VarNode*> symbols_;
  std::vector<const VarNode*> symbol_scope_;
  std::unordered_set<const VarNode*> missing_;
  std::unordered_map<const VarNode*, std::string_view> owners_;
  std::unordered_set<const TypeNode*> checked_;
  std::vector<Type> kept_;  // alive, so that no other type takes their place
};

}  // namespace

bool is_impure(const CallNode* call) {
  if (const Operator* row = operator_of(call->op)) return !row->pure;
  if (call->op->kind == ExprKind::kOp) return false;
  if (const auto* fn = type_as<FuncTypeNode>(call->op)) return !fn->purity;
  if (!call->op->ty) return false;
  // A tensor function writes to what it is given.
  if (call->op->kind == ExprKind::kGlobalVar && call->op->ty->kind == TypeKind::kFunc) return true;
  return call->op->ty->kind == TypeKind::kPackedFunc;
}

std::vector<ir::Diagnostic> verify(const IRModule& mod) {
  std::vector<ir::Diagnostic> found;
  Verifier verifier(mod, found);
  for (const auto& [name, base] : mod->functions) {
    auto* fn = base.as<FunctionNode>();
    if (!fn) continue;
    auto symbol = fn->attrs.find("global_symbol");
    if (symbol != fn->attrs.end()) {
      auto text = (*symbol).second.try_cast<String>();
      if (!text) {
        found.push_back(ir::refuse(refusals["global-symbol-not-string"], view(name->name_hint),
                                   ir::type_name((*symbol).second))
                            .at(fn->span)
                            .first());
      } else if (view(*text) != view(name->name_hint)) {
        found.push_back(ir::refuse(refusals["wrong-global-symbol"], view(name->name_hint), view(*text))
                            .at(fn->span)
                            .first());
      }
    }
    verifier.global_function(view(name->name_hint), fn);
  }
  return found;
}
std::vector<ir::Diagnostic> verify(const Function& fn) {
  std::vector<ir::Diagnostic> found;
  auto symbol = fn->attrs.find("global_symbol");
  std::optional<String> name;
  if (symbol != fn->attrs.end()) name = (*symbol).second.try_cast<String>();
  Verifier(IRModule(), found).global_function(name ? view(*name) : std::string_view("main"), fn.get());
  return found;
}

}  // namespace mlc::relax
