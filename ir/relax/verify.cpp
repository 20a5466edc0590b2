// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/verify.h"

#include <unordered_map>
#include <unordered_set>

#include "ir/core/visit.h"
#include "ir/relax/infer.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bound-twice",
         .message = "the variable `{}` is bound twice",
         .meaning = "Each variable has one binding. A name that is assigned again is another variable."},
        {.name = "dataflow-parameter", .message = "the parameter `{}` is a variable of a dataflow block"},
        {.name = "dataflow-variable-outside",
         .message = "`{}` belongs to a dataflow block and is used outside of it",
         .help = "give it to `R.output`"},
        {.name = "force-pure-needs-pure",
         .message = "the function `{}` has the attribute `relax.force_pure` and is not pure",
         .help = "leave out `pure=False`: the attribute says that what it calls counts as pure"},
        {.name = "function-not-in-module",
         .message = "the module has no function `{}`"},
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
         .message = "`R.call_tir` of `{}`: parameter `{}` is {}, it gets {}",
         .help = "a tensor function takes the arguments of the call, then its results"},
        {.name = "tensor-function-arity",
         .message = "`R.call_tir` of `{}`: {} argument{} and {} result{} for {} parameter{}",
         .help = "a tensor function takes the arguments of the call, then its results"},
        {.name = "used-before-definition",
         .message = "`{}` is used where it is not defined"},
        {.name = "wrong-global-symbol", .message = "the function `{}` calls itself `{}` by its attribute `global_symbol`"},
    }};
MLC_REFUSALS(relax_verify, refusals);

namespace {

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

  void function(std::string_view name, const FunctionNode* fn) {
    name_ = name;
    size_t begin = scope_.size();
    size_t symbols = symbol_scope_.size();
    auto forced = fn->attrs.find("relax.force_pure");
    if (forced != fn->attrs.end() && !fn->is_pure && is_true((*forced).second))
      report(ir::refuse(refusals["force-pure-needs-pure"], name).at(fn->span));
    bool outer_pure = std::exchange(pure_, fn->is_pure && fn->attrs.count("relax.force_pure") == 0);
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
    close(begin, symbols);
    pure_ = outer_pure;
    dataflow_ = outer_dataflow;
  }

 private:
  static bool is_true(const Any& value) {
    if (auto flag = value.try_cast<bool>()) return *flag;
    auto* imm = value.as<ir::IntImmNode>();
    return imm && imm->value != 0;
  }
  void report(const ir::Error& error) { found_.push_back(error.all()[0]); }

  void define(const Var& var) {
    if (!bound_.insert(var.get()).second)
      report(ir::refuse(refusals["bound-twice"], view(var->name)).at(var->span));
    visible_.insert(var.get());
    scope_.push_back(var.get());
  }
  void define_symbol(const Var& var) {
    auto [owner, fresh] = owners_.try_emplace(var.get(), name_);
    if (!fresh && owner->second != name_)
      report(ir::refuse(refusals["symbol-in-two-functions"], view(var->name), owner->second, name_).at(var->span));
    if (symbols_.insert(var.get()).second) symbol_scope_.push_back(var.get());
  }
  void close(size_t begin, size_t symbols) {
    for (; scope_.size() > begin; scope_.pop_back()) visible_.erase(scope_.back());
    for (; symbol_scope_.size() > symbols; symbol_scope_.pop_back()) symbols_.erase(symbol_scope_.back());
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
        static const ir::Op call_tir = op("relax.call_tir");
        if (call->op.same_as(call_tir)) tensor_function(call);
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
        expr(branches->cond);
        for (const SeqExpr& body : {branches->true_branch, branches->false_branch}) {
          size_t begin = scope_.size();
          size_t symbols = symbol_scope_.size();
          sequence(body.get());
          close(begin, symbols);
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

  // The parameters of the tensor function against arguments and results. What is not known now is checked when
  // the program runs.
  void tensor_function(const CallNode* call) {
    auto* callee = as<GlobalVarNode>(call->args[0]);
    GlobalVar name = callee && mod_ ? mod_->find(view(callee->name_hint)) : GlobalVar(nullptr);
    auto* fn = name ? mod_->functions.at(name).as<PrimFuncNode>() : nullptr;
    const auto* args = type_as<TupleTypeNode>(call->args[1]);
    if (!fn || !args || call->ty_args.size() != 1) return;
    std::vector<Type> given(args->elements.begin(), args->elements.end());
    size_t results = 1;
    if (const auto* several = as_type<TupleTypeNode>(call->ty_args[0])) {
      results = several->elements.size();
      given.insert(given.end(), several->elements.begin(), several->elements.end());
    } else {
      given.push_back(call->ty_args[0]);
    }
    auto plural = [](size_t n) { return n == 1 ? "" : "s"; };
    if (given.size() != fn->params.size()) {
      size_t arguments = args->elements.size();
      return report(ir::refuse(refusals["tensor-function-arity"], view(callee->name_hint), arguments, plural(arguments),
                               results, plural(results), fn->params.size(), plural(fn->params.size()))
                        .at(call->span)
                        .note("the function is defined here", fn->span));
    }
    for (size_t i = 0; i < given.size(); ++i) {
      const Var& param = fn->params[static_cast<int64_t>(i)];
      if (fits_parameter(param, given[i])) continue;
      report(ir::refuse(refusals["tensor-function-mismatch"], view(callee->name_hint), view(param->name),
                        parameter_text(param), given_text(given[i]))
                 .at(call->span)
                 .note("the parameter is here", param->span));
    }
  }
  static bool fits_parameter(const Var& param, const Type& given) {
    const auto* tensor = as_type<TensorTypeNode>(given);
    if (const ir::BufferTypeNode* buffer = param->buffer()) {
      if (!tensor) return given->kind == TypeKind::kAny;
      if (tensor->knows_dtype() && tensor->data_type() != DataType(buffer->dtype)) return false;
      if (tensor->knows_ndim() && tensor->ndim != static_cast<int64_t>(buffer->shape.size())) return false;
      auto dims = tensor->dims();
      for (size_t i = 0; dims && i < dims->size(); ++i) {
        auto a = ir::const_int((*dims)[i]);
        auto b = ir::const_int(buffer->shape[i]);
        if (a && b && *a != *b) return false;
      }
      return true;
    }
    if (is_prim(param)) {
      if (given->kind == TypeKind::kPrim) return DataType(static_cast<const ir::PrimTypeNode*>(given.get())->dtype) == param->dtype();
      return given->kind == TypeKind::kAny;
    }
    return true;
  }
  static std::string parameter_text(const Var& param) {
    if (const ir::BufferTypeNode* buffer = param->buffer())
      return fmt::format("a buffer of {} with shape {}", DataType(buffer->dtype).str(), shape_text(buffer->shape));
    return fmt::format("a number of type {}", param->dtype().str());
  }
  static std::string given_text(const Type& type) {
    const auto* tensor = as_type<TensorTypeNode>(type);
    if (!tensor) return fmt::format("a {}", kind_name(type));
    std::string text = tensor->knows_dtype() ? fmt::format("a tensor of {}", tensor->data_type().str()) : "a tensor";
    if (auto dims = tensor->dims()) return text + " with shape " + shape_text(*dims);
    return tensor->knows_ndim() ? fmt::format("{} with {} dimensions", text, tensor->ndim) : text;
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
    if (dataflow_) return report(ir::refuse(refusals["impure-call-in-dataflow"], what).at(call->span));
    report(ir::refuse(refusals["impure-call-in-pure-function"], what, name_).at(call->span));
  }

  IRModule mod_;
  std::vector<ir::Diagnostic>& found_;
  std::string_view name_;
  bool pure_ = true;
  bool dataflow_ = false;
  std::unordered_set<const VarNode*> bound_;    // anywhere in the module
  std::unordered_set<const VarNode*> visible_;  // here
  std::vector<const VarNode*> scope_;           // visible ones, in order
  std::unordered_set<const VarNode*> left_;     // of dataflow blocks that have ended
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
      if (text && view(*text) != view(name->name_hint)) {
        found.push_back(
            ir::refuse(refusals["wrong-global-symbol"], view(name->name_hint), view(*text)).at(fn->span).first());
      }
    }
    verifier.function(view(name->name_hint), fn);
  }
  return found;
}
std::vector<ir::Diagnostic> verify(const Function& fn) {
  std::vector<ir::Diagnostic> found;
  auto symbol = fn->attrs.find("global_symbol");
  std::optional<String> name;
  if (symbol != fn->attrs.end()) name = (*symbol).second.try_cast<String>();
  Verifier(IRModule(), found).function(name ? view(*name) : std::string_view("main"), fn.get());
  return found;
}

}  // namespace mlc::relax
