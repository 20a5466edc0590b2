// SPDX-License-Identifier: Apache-2.0
// Which types hold values of which others, and what a call of a function yields.
#include <algorithm>

#include "ir/core/visit.h"
#include "ir/relax/distributed.h"
#include "ir/relax/infer.h"
#include "ir/relax/origin.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "wrong-argument-count", .message = "{} takes {}, {} given"},
        {.name = "argument-type-mismatch", .message = "argument {} of {} is {}, but its parameter is {}"},
    }};
MLC_REFUSALS(relax_type_relations, refusals);

namespace {

using Proof = InferContext::Proof;

Fit worse(Fit a, Fit b) { return std::min(a, b); }

Fit dims_fit(const Array<Expr>& base, const Array<Expr>& derived, const InferContext& context) {
  if (base.size() != derived.size()) return Fit::kNever;
  Fit fit = Fit::kAlways;
  for (size_t i = 0; i < base.size(); ++i) {
    Proof equal = context.equal(base[i], derived[i]);
    if (equal == Proof::kFalse) return Fit::kNever;
    if (equal == Proof::kUnknown) fit = Fit::kShapeUnknown;
  }
  return fit;
}

Fit tensor_fits(const TensorTypeNode* base, const TensorTypeNode* derived, const InferContext& context) {
  if (base->knows_dtype()) {
    if (!derived->knows_dtype()) return Fit::kTypeUnknown;
    if (!(base->data_type() == derived->data_type())) return Fit::kNever;
  }
  if (base->knows_ndim()) {
    if (!derived->knows_ndim()) return Fit::kTypeUnknown;
    if (base->ndim != derived->ndim) return Fit::kNever;
  }
  if (base->vdevice) {
    if (!derived->vdevice) return Fit::kTypeUnknown;
    if (!ir::structural_equal(Any(base->vdevice), Any(derived->vdevice))) return Fit::kNever;
  }
  if (!base->shape || base->shape.same_as(derived->shape)) return Fit::kAlways;
  if (!derived->shape) return Fit::kShapeUnknown;
  auto* a = as<ShapeExprNode>(base->shape);
  auto* b = as<ShapeExprNode>(derived->shape);
  if (a && b) return dims_fit(a->values, b->values, context);
  return Fit::kShapeUnknown;
}

Fit shape_fits(const ShapeTypeNode* base, const ShapeTypeNode* derived, const InferContext& context) {
  if (!base->knows_ndim()) return Fit::kAlways;
  if (!derived->knows_ndim()) return Fit::kTypeUnknown;
  if (base->ndim != derived->ndim) return Fit::kNever;
  if (!base->values.has_value()) return Fit::kAlways;
  if (!derived->values.has_value()) return Fit::kShapeUnknown;
  return dims_fit(base->values.value(), derived->values.value(), context);
}

// What is not known of a function is seen when it is called: its parameters are not held against it.
Fit function_fits(const FuncTypeNode* base, const FuncTypeNode* derived, const InferContext& context) {
  if (base->purity && !derived->purity) return Fit::kNever;
  if (base->is_opaque()) {
    if (!base->derive_func.has_value()) return fits(base->ret, derived->ret, context);
    bool same = derived->is_opaque() && derived->derive_func.has_value() &&
                view(base->derive_func.value()) == view(derived->derive_func.value());
    return same ? Fit::kAlways : Fit::kShapeUnknown;
  }
  if (derived->is_opaque()) return Fit::kShapeUnknown;
  if (ir::structural_equal(Any(ref(base)), Any(ref(derived)))) return Fit::kAlways;
  Array<Type> wanted = base->params.value();
  Array<Type> given = derived->params.value();
  if (wanted.size() != given.size()) return Fit::kNever;
  Fit fit = fits(base->ret, derived->ret, context);
  for (size_t i = 0; i < wanted.size() && fit != Fit::kNever; ++i) {
    Fit param = fits(wanted[i], given[i], context);
    if (param != Fit::kAlways) fit = worse(fit, param == Fit::kNever ? param : Fit::kShapeUnknown);
  }
  return fit;
}

}  // namespace

Fit fits(const Type& base, const Type& derived, const InferContext& context) {
  if (base.same_as(derived) || base->kind == TypeKind::kAny) return Fit::kAlways;
  if (derived->kind != base->kind) return derived->kind == TypeKind::kAny ? Fit::kTypeUnknown : Fit::kNever;
  switch (base->kind) {
    case TypeKind::kTensor:
      return tensor_fits(as_type<TensorTypeNode>(base), as_type<TensorTypeNode>(derived), context);
    case TypeKind::kDTensor: {
      const auto* a = as_type<DTensorTypeNode>(base);
      const auto* b = as_type<DTensorTypeNode>(derived);
      bool alike = same_mesh(a->device_mesh, b->device_mesh) && same_placement(a->placement, b->placement);
      return alike ? tensor_fits(a->tensor_ty.get(), b->tensor_ty.get(), context) : Fit::kNever;
    }
    case TypeKind::kShape:
      return shape_fits(as_type<ShapeTypeNode>(base), as_type<ShapeTypeNode>(derived), context);
    case TypeKind::kFunction:
      return function_fits(as_type<FuncTypeNode>(base), as_type<FuncTypeNode>(derived), context);
    case TypeKind::kTuple: {
      const auto& wanted = as_type<TupleTypeNode>(base)->elements;
      const auto& given = as_type<TupleTypeNode>(derived)->elements;
      if (wanted.size() != given.size()) return Fit::kNever;
      Fit fit = Fit::kAlways;
      for (size_t i = 0; i < wanted.size() && fit != Fit::kNever; ++i)
        fit = worse(fit, fits(wanted[i], given[i], context));
      return fit;
    }
    default:
      return ir::structural_equal(Any(base), Any(derived)) ? Fit::kAlways : Fit::kNever;
  }
}

Type common_type(const Type& a, const Type& b, const InferContext& context) {
  if (a.same_as(b)) return a;
  if (a->kind != b->kind) return any_type();
  switch (a->kind) {
    case TypeKind::kTensor: {
      const auto* x = as_type<TensorTypeNode>(a);
      const auto* y = as_type<TensorTypeNode>(b);
      DataType dtype = x->data_type() == y->data_type() ? x->data_type() : DataType::Void();
      int64_t ndim = x->ndim == y->ndim ? x->ndim : kUnknownNDim;
      VDevice vdevice = x->vdevice;
      if (vdevice && (!y->vdevice || !ir::structural_equal(Any(vdevice), Any(y->vdevice)))) vdevice = {};
      if (x->shape && y->shape) {
        auto* p = as<ShapeExprNode>(x->shape);
        auto* q = as<ShapeExprNode>(y->shape);
        if (x->shape.same_as(y->shape) || (p && q && context.proves_equal(p->values, q->values))) {
          if (dtype == x->data_type() && vdevice.same_as(x->vdevice)) return a;
          return make<TensorTypeNode>(x->shape, dtype, vdevice);
        }
      }
      if (!x->shape && dtype == x->data_type() && ndim == x->ndim && vdevice.same_as(x->vdevice)) return a;
      return make<TensorTypeNode>(dtype, ndim, vdevice);
    }
    case TypeKind::kDTensor: {
      const auto* x = as_type<DTensorTypeNode>(a);
      const auto* y = as_type<DTensorTypeNode>(b);
      if (!same_mesh(x->device_mesh, y->device_mesh) || !same_placement(x->placement, y->placement))
        return any_type();
      Type tensor = common_type(x->tensor_ty, y->tensor_ty, context);
      // A placement that shards needs the number of axes.
      return as_type<TensorTypeNode>(tensor)->knows_ndim() ? with_tensor(x, tensor) : any_type();
    }
    case TypeKind::kShape: {
      const auto* x = as_type<ShapeTypeNode>(a);
      const auto* y = as_type<ShapeTypeNode>(b);
      if (x->values.has_value() && y->values.has_value() &&
          context.proves_equal(x->values.value(), y->values.value()))
        return a;
      return make<ShapeTypeNode>(x->ndim == y->ndim ? x->ndim : kUnknownNDim);
    }
    case TypeKind::kTuple: {
      const auto& x = as_type<TupleTypeNode>(a)->elements;
      const auto& y = as_type<TupleTypeNode>(b)->elements;
      if (x.size() != y.size()) return any_type();
      Array<Type> fields;
      for (size_t i = 0; i < x.size(); ++i) fields.push_back(common_type(x[i], y[i], context));
      return make<TupleTypeNode>(fields);
    }
    case TypeKind::kFunction: {
      if (ir::structural_equal(Any(a), Any(b))) return a;
      const auto* x = as_type<FuncTypeNode>(a);
      const auto* y = as_type<FuncTypeNode>(b);
      bool purity = x->purity && y->purity;
      Type ret = common_type(x->ret, y->ret, context);
      if (x->is_opaque() || y->is_opaque()) {
        bool same_derive = x->derive_func.has_value() && y->derive_func.has_value() &&
                           view(x->derive_func.value()) == view(y->derive_func.value());
        return opaque_function(ret, purity,
                               same_derive ? x->derive_func : ffi::Optional<String>(std::nullopt));
      }
      Array<Type> p = x->params.value();
      Array<Type> q = y->params.value();
      if (p.size() != q.size()) return opaque_function(ret, purity);
      Array<Type> params;
      for (size_t i = 0; i < p.size(); ++i) params.push_back(common_type(p[i], q[i], context));
      return make<FuncTypeNode>(params, ret, purity);
    }
    default:
      return ir::structural_equal(Any(a), Any(b)) ? a : any_type();
  }
}

// ---- symbolic variables ----

namespace {

// Calls `on` with each expression that a type holds: dimensions, and variables for whole shapes.
void each_expr(const Type& type, const std::function<void(const Expr&)>& on) {
  if (!type) return;
  switch (type->kind) {
    case TypeKind::kTensor: {
      const auto* tensor = as_type<TensorTypeNode>(type);
      if (auto* shape = as<ShapeExprNode>(tensor->shape)) {
        for (const Expr& e : shape->values) on(e);
      } else if (tensor->shape) {
        on(tensor->shape);
      }
      return;
    }
    case TypeKind::kDTensor:
      return each_expr(as_type<DTensorTypeNode>(type)->tensor_ty, on);
    case TypeKind::kShape: {
      const auto* shape = as_type<ShapeTypeNode>(type);
      if (!shape->values.has_value()) return;
      for (const Expr& e : shape->values.value()) on(e);
      return;
    }
    case TypeKind::kTuple:
      for (const Type& field : as_type<TupleTypeNode>(type)->elements) each_expr(field, on);
      return;
    case TypeKind::kFunction: {
      const auto* fn = as_type<FuncTypeNode>(type);
      if (fn->params.has_value()) {
        for (const Type& param : fn->params.value()) each_expr(param, on);
      }
      each_expr(fn->ret, on);
      return;
    }
    default:
      return;
  }
}

bool only_uses(const Expr& e, const std::function<bool(const VarNode*)>& kept) {
  if (e->kind == ExprKind::kIntImm) return true;
  return !ir::uses_var(e, [&](const VarNode* var) { return !kept(var); });
}

}  // namespace

std::vector<Var> symbolic_vars(const Type& type) {
  std::vector<Var> all;
  std::unordered_set<const VarNode*> seen;
  each_expr(type, [&](const Expr& e) {
    if (e->kind == ExprKind::kIntImm) return;
    ir::post_order(e, [&](const Expr& part) {
      if (auto* var = as<VarNode>(part); var && is_prim(part) && seen.insert(var).second)
        all.push_back(ref(var));
    });
  });
  return all;
}
std::vector<Var> definable_vars(const Type& type) {
  std::vector<Var> all;
  std::unordered_set<const VarNode*> seen;
  if (type->kind == TypeKind::kFunction) return all;
  if (const auto* tuple = as_type<TupleTypeNode>(type)) {
    for (const Type& field : tuple->elements) {
      for (const Var& var : definable_vars(field)) {
        if (seen.insert(var.get()).second) all.push_back(var);
      }
    }
    return all;
  }
  each_expr(type, [&](const Expr& e) {
    if (auto* var = as<VarNode>(e); var && is_prim(e) && seen.insert(var).second) all.push_back(ref(var));
  });
  return all;
}

Type substitute(const Type& type, const ir::VarMap& values, const InferContext& context) {
  if (!type || values.empty()) return type;
  auto replace = [&](const Expr& e) {
    Expr next = e->kind == ExprKind::kIntImm ? e : ir::substitute(e, values);
    return next.same_as(e) ? e : context.simplify(next);
  };
  auto replace_all = [&](const Array<Expr>& all) {
    bool changed = false;
    Array<Expr> result;
    for (const Expr& e : all) {
      Expr next = replace(e);
      changed = changed || !next.same_as(e);
      result.push_back(next);
    }
    return changed ? result : all;
  };
  switch (type->kind) {
    case TypeKind::kTensor: {
      const auto* tensor = as_type<TensorTypeNode>(type);
      Expr next = tensor->shape;
      if (auto* shape = as<ShapeExprNode>(tensor->shape)) {
        Array<Expr> dims = replace_all(shape->values);
        if (!dims.same_as(shape->values)) next = make<ShapeExprNode>(dims, shape->span);
      } else if (auto* var = as<VarNode>(tensor->shape)) {
        auto found = values.find(var);
        if (found != values.end()) next = found->second;
      }
      if (next.same_as(tensor->shape)) return type;
      return make<TensorTypeNode>(next, tensor->data_type(), tensor->vdevice);
    }
    case TypeKind::kDTensor: {
      const auto* distributed = as_type<DTensorTypeNode>(type);
      return with_tensor(distributed, substitute(distributed->tensor_ty, values, context));
    }
    case TypeKind::kShape: {
      const auto* shape = as_type<ShapeTypeNode>(type);
      if (!shape->values.has_value()) return type;
      Array<Expr> old = shape->values.value();
      Array<Expr> next = replace_all(old);
      return next.same_as(old) ? type : Type(make<ShapeTypeNode>(next));
    }
    case TypeKind::kTuple: {
      const auto& fields = as_type<TupleTypeNode>(type)->elements;
      Array<Type> next;
      bool changed = false;
      for (const Type& field : fields) {
        next.push_back(substitute(field, values, context));
        changed = changed || !next.back().same_as(field);
      }
      return changed ? Type(make<TupleTypeNode>(next)) : type;
    }
    case TypeKind::kFunction: {
      const auto* fn = as_type<FuncTypeNode>(type);
      Type ret = substitute(fn->ret, values, context);
      bool changed = !ret.same_as(fn->ret);
      ffi::Optional<Array<Type>> params = fn->params;
      if (fn->params.has_value()) {
        Array<Type> next;
        for (const Type& param : fn->params.value()) {
          next.push_back(substitute(param, values, context));
          changed = changed || !next.back().same_as(param);
        }
        params = next;
      }
      return changed ? Type(make<FuncTypeNode>(params, ret, fn->purity, fn->derive_func)) : type;
    }
    default:
      return type;
  }
}

Type erase_to_defined(const Type& type, const std::function<bool(const VarNode*)>& kept,
                      const InferContext& context) {
  switch (type->kind) {
    case TypeKind::kTensor: {
      const auto* tensor = as_type<TensorTypeNode>(type);
      if (!tensor->shape) return type;
      bool known = true;
      each_expr(type, [&](const Expr& e) { known = known && only_uses(e, kept); });
      return known ? type : Type(make<TensorTypeNode>(tensor->data_type(), tensor->ndim, tensor->vdevice));
    }
    case TypeKind::kDTensor: {
      const auto* distributed = as_type<DTensorTypeNode>(type);
      return with_tensor(distributed, erase_to_defined(distributed->tensor_ty, kept, context));
    }
    case TypeKind::kShape: {
      bool known = true;
      each_expr(type, [&](const Expr& e) { known = known && only_uses(e, kept); });
      return known ? type : Type(make<ShapeTypeNode>(as_type<ShapeTypeNode>(type)->ndim));
    }
    case TypeKind::kTuple: {
      Array<Type> next;
      bool changed = false;
      for (const Type& field : as_type<TupleTypeNode>(type)->elements) {
        next.push_back(erase_to_defined(field, kept, context));
        changed = changed || !next.back().same_as(field);
      }
      return changed ? Type(make<TupleTypeNode>(next)) : type;
    }
    default:
      return type;
  }
}

// ---- calls of functions ----

namespace {

void match_dims(const Array<Expr>& params, const Array<Expr>& args, ir::VarMap& bound) {
  for (size_t i = 0; i < params.size() && i < args.size(); ++i) {
    if (auto* var = as<VarNode>(params[i])) bound.emplace(var, args[i]);
  }
}

// What the argument's type says about the symbolic variables of the parameter's.
void match(const Type& param, const Type& arg, ir::VarMap& bound) {
  if (param->kind != arg->kind) return;
  if (const auto* tensor = as_type<TensorTypeNode>(param)) {
    const auto* given = as_type<TensorTypeNode>(arg);
    if (!tensor->shape || !given->shape) return;
    auto* shape = as<ShapeExprNode>(tensor->shape);
    if (auto* var = as<VarNode>(tensor->shape)) {
      bound.emplace(var, given->shape);
    } else if (auto dims = given->dims(); shape && dims) {
      match_dims(shape->values, *dims, bound);
    }
  } else if (const auto* distributed = as_type<DTensorTypeNode>(param)) {
    match(distributed->tensor_ty, as_type<DTensorTypeNode>(arg)->tensor_ty, bound);
  } else if (const auto* shape = as_type<ShapeTypeNode>(param)) {
    const auto* given = as_type<ShapeTypeNode>(arg);
    if (shape->values.has_value() && given->values.has_value())
      match_dims(shape->values.value(), given->values.value(), bound);
  } else if (const auto* tuple = as_type<TupleTypeNode>(param)) {
    const auto& given = as_type<TupleTypeNode>(arg)->elements;
    for (size_t i = 0; i < tuple->elements.size() && i < given.size(); ++i)
      match(tuple->elements[i], given[i], bound);
  }
}

std::string counted(size_t n) { return fmt::format("{} argument{}", n, n == 1 ? "" : "s"); }

std::string callee_text(const CallNode* call) {
  if (auto* global = as<GlobalVarNode>(call->op)) return fmt::format("`{}`", view(global->name_hint));
  if (auto* var = as<VarNode>(call->op)) return fmt::format("`{}`", view(var->name));
  return "the function";
}

}  // namespace

void bind_symbols(const Type& param, const Type& arg, ir::VarMap& bound) { match(param, arg, bound); }

namespace {

Type callable_of(const std::vector<Type>& params, const Type& ret) {
  Array<Type> types;
  for (const Type& param : params) {
    if (const auto* buffer = as_type<ir::BufferTypeNode>(param)) {
      types.push_back(tensor_type(buffer->shape, DataType(buffer->dtype)));
    } else {
      types.push_back(param->kind == TypeKind::kPrim ? param : any_type());
    }
  }
  return make<FuncTypeNode>(ffi::Optional<Array<Type>>(types), ret ? ret : Type(ir::void_type()), true);
}

}  // namespace

Type callable_type(const BaseFunc& fn) {
  auto* prim = fn.as<PrimFuncNode>();
  if (!prim) return fn->ty;
  std::vector<Type> params;
  for (const Var& param : prim->params) params.push_back(param->ty);
  return callable_of(params, prim->ret_type);
}
Type callable_type(const Type& type) {
  const auto* fn = as_type<ir::FuncTypeNode>(type);
  if (!fn) return type;
  return callable_of(std::vector<Type>(fn->arg_types.begin(), fn->arg_types.end()), fn->ret_type);
}

namespace {

// Is it a number for a kernel whose integers have been narrowed? That they fit is on trust there.
bool for_narrowed_kernel(const CallNode* call, const Type& wanted, const Type& given,
                         const InferContext& context) {
  auto* global = as<GlobalVarNode>(call->op);
  BaseFunc callee = global && context.mod ? function_of(context.mod, global) : BaseFunc(nullptr);
  if (!callee || !Any(callee).as<PrimFuncNode>()) return false;
  const auto* narrow = as_type<ir::PrimTypeNode>(wanted);
  const auto* wide = as_type<ir::PrimTypeNode>(given);
  return narrow && wide && DataType(narrow->dtype) == DataType::Int(32) &&
         DataType(wide->dtype) == DataType::Int(64);
}

}  // namespace

Type infer_function_call(const CallNode* call, const FuncTypeNode* fn, const InferContext& context) {
  if (fn->is_opaque()) {
    if (!fn->derive_func.has_value()) return fn->ret;
    if (call->ty_args.empty()) return any_type();
    if (call->ty_args.size() == 1) return call->ty_args[0];
    return make<TupleTypeNode>(call->ty_args);
  }
  Array<Type> params = fn->params.value();
  if (params.size() != call->args.size())
    throw ir::refuse(refusals["wrong-argument-count"], callee_text(call), counted(params.size()),
                     call->args.size())
        .at(call->span);
  ir::VarMap bound;
  for (size_t i = 0; i < params.size(); ++i) {
    const Expr& arg = call->args[i];
    match(params[i], arg->ty, bound);
    Type wanted = substitute(params[i], bound, context);
    Fit fit = fits(wanted, arg->ty, context);
    if ((fit == Fit::kNever || fit == Fit::kTypeUnknown) &&
        !for_narrowed_kernel(call, wanted, arg->ty, context)) {
      ir::Error error = ir::refuse(refusals["argument-type-mismatch"], i + 1, callee_text(call),
                                   describe(arg->ty), describe(wanted))
                            .at(arg->span ? arg->span : call->span);
      explain_argument(error, call, fn, i, bound, context);
      throw error;
    }
  }
  // Variables of the function that the arguments do not tell are not seen outside of it.
  std::unordered_set<const VarNode*> own;
  for (const Type& param : params) {
    for (const Var& var : symbolic_vars(param)) own.insert(var.get());
  }
  Type ret = erase_to_defined(
      fn->ret, [&](const VarNode* var) { return own.count(var) == 0 || bound.count(var) != 0; }, context);
  return substitute(ret, bound, context);
}

}  // namespace mlc::relax
