// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/origin.h"

#include <algorithm>

#include "ir/core/visit.h"
#include "ir/relax/infer.h"
#include "ir/relax/normalize.h"

namespace mlc::relax {

std::string describe(const Type& type) {
  if (const auto* tensor = as_type<TensorTypeNode>(type)) {
    std::string text =
        tensor->knows_dtype() ? fmt::format("a tensor of {}", tensor->data_type().str()) : "a tensor";
    if (auto dims = tensor->dims()) return fmt::format("{} with shape {}", text, shape_text(*dims));
    if (!tensor->knows_ndim()) return text;
    return fmt::format("{} with {} dimension{}", text, tensor->ndim, tensor->ndim == 1 ? "" : "s");
  }
  if (const auto* shape = as_type<ShapeTypeNode>(type)) {
    if (shape->values.has_value()) return fmt::format("a shape {}", shape_text(shape->values.value()));
    return shape->knows_ndim()
               ? fmt::format("a shape of {} dimension{}", shape->ndim, shape->ndim == 1 ? "" : "s")
               : "a shape";
  }
  if (const auto* function = as_type<FuncTypeNode>(type)) {
    std::string text = function->purity ? "a function" : "an impure function";
    if (!function->params.has_value()) return fmt::format("{} of any arguments", text);
    std::string params;
    for (const Type& param : function->params.value())
      params += (params.empty() ? "" : ", ") + describe(param);
    return fmt::format("{} of ({}) that gives {}", text, params, describe(function->ret));
  }
  if (const auto* tuple = as_type<TupleTypeNode>(type))
    return fmt::format("a tuple of {}", tuple->elements.size());
  if (type && type->kind == TypeKind::kPrim)
    return fmt::format("a number of type {}",
                       DataType(static_cast<const ir::PrimTypeNode*>(type.get())->dtype).str());
  return fmt::format("a {}", kind_name(type));
}

std::string operand_text(const CallNode* call, size_t i) {
  auto* var = as<VarNode>(call->args[i]);
  if (var && var->span && !var->name.empty()) return fmt::format("`{}`", view(var->name));
  return fmt::format("operand {}", i + 1);
}
void note_definition(ir::Error& error, const CallNode* call, size_t i) {
  auto* var = as<VarNode>(call->args[i]);
  if (var && var->span)
    error.first().notes.push_back({fmt::format("`{}` is defined here", view(var->name)), var->span});
}

namespace {

std::optional<Array<Expr>> dims_of(const Type& type) {
  if (const auto* tensor = as_type<TensorTypeNode>(type)) return tensor->dims();
  const auto* shape = as_type<ShapeTypeNode>(type);
  if (shape && shape->values.has_value()) return shape->values.value();
  return std::nullopt;
}

struct Source {
  Expr value;
  size_t axis;
};

// The operand of a call that has the dimension already: at the same distance from the end, or anywhere.
std::optional<Source> handed_on(const CallNode* call, const Expr& dim, size_t from_end,
                                const InferContext& context) {
  std::vector<Expr> operands;
  for (const Expr& arg : call->args) {
    auto* tuple = as<TupleNode>(arg);
    if (tuple)
      operands.insert(operands.end(), tuple->elements.begin(), tuple->elements.end());
    else
      operands.push_back(arg);
  }
  for (bool same_place : {true, false}) {
    for (const Expr& operand : operands) {
      if (operand->kind != ExprKind::kVar) continue;
      auto dims = dims_of(operand->ty);
      for (size_t k = 0; dims && k < dims->size(); ++k) {
        bool place = dims->size() - k == from_end;
        if (place == same_place && context.proves_equal((*dims)[k], dim)) return Source{operand, k};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

void explain_dim(ir::Error& error, const Expr& value, size_t axis, const InferContext& context) {
  auto* first = as<VarNode>(value);
  auto dims = dims_of(value->ty);
  if ((!first && value->kind != ExprKind::kCall) || !dims || axis >= dims->size()) return;
  Expr dim = (*dims)[axis];
  Expr at = value;
  Span made;  // the call that makes the dimension
  while (true) {
    Expr bound = at;
    if (auto* var = as<VarNode>(at))
      bound = context.builder ? context.builder->lookup(ref(var)) : Expr(nullptr);
    if (!bound) break;
    if (auto* item = as<TupleGetItemNode>(bound)) {
      Expr tuple = context.value_of(item->tuple_value);
      auto* written = as<TupleNode>(tuple);
      if (!written || item->index >= static_cast<int64_t>(written->elements.size())) break;
      bound = written->elements[item->index];
    }
    std::optional<Source> next;
    if (auto* call = as<CallNode>(bound)) {
      auto own = dims_of(at->ty);
      next = handed_on(call, dim, own ? own->size() - axis : 0, context);
      if (!next) made = call->span;
    } else if (bound->kind == ExprKind::kVar) {
      next = Source{bound, axis};
    }
    if (!next) break;
    at = next->value;
    axis = next->axis;
  }
  std::vector<ir::Note>& notes = error.first().notes;
  auto known = [&](Span span) {
    return std::any_of(notes.begin(), notes.end(), [&](const ir::Note& note) { return note.span == span; });
  };
  std::string subject = !first        ? "the value"
                        : first->span ? fmt::format("`{}`", view(first->name))
                                      : "an unnamed value";
  std::string text = dim_text(dim);
  auto* origin = as<VarNode>(at);
  if (made) {
    if (first && !known(made))
      notes.push_back({fmt::format("{} has {} from this call", subject, text), made});
  } else if (origin && origin->span && !known(origin->span)) {
    notes.push_back({origin == first ? fmt::format("{} has {}, it is defined here", subject, text)
                                     : fmt::format("{} has {} from `{}`, which is defined here", subject,
                                                   text, view(origin->name)),
                     origin->span});
  }
}

void explain_dim(ir::Error& error, const Expr& operand, const Expr& dim, const InferContext& context) {
  auto dims = dims_of(operand->ty);
  for (size_t k = 0; dims && k < dims->size(); ++k) {
    if ((*dims)[k].same_as(dim)) return explain_dim(error, operand, k, context);
  }
}

Clash find_clash(const Type& wanted, const Type& given, const InferContext& context) {
  const auto* a = as_type<TupleTypeNode>(wanted);
  const auto* b = as_type<TupleTypeNode>(given);
  if (a && b && a->elements.size() == b->elements.size()) {
    for (size_t i = 0; i < a->elements.size(); ++i) {
      if (fits(a->elements[i], b->elements[i], context) != Fit::kNever) continue;
      Clash inner = find_clash(a->elements[i], b->elements[i], context);
      inner.path += fmt::format("element {} of ", i);
      return inner;
    }
  }
  return {"", describe(wanted), describe(given)};
}

void explain_clash(ir::Error& error, const Expr& value, const Type& wanted, const InferContext& context) {
  auto a = dims_of(wanted);
  auto b = dims_of(value->ty);
  for (size_t k = 0; a && b && a->size() == b->size() && k < a->size(); ++k) {
    if (context.proves_different((*a)[k], (*b)[k])) explain_dim(error, value, k, context);
  }
}

void explain_argument(ir::Error& error, const CallNode* call, const FuncTypeNode* fn, size_t i,
                      const ir::VarMap& bound, const InferContext& context) {
  const Array<Type>& params = fn->params.value();
  auto wanted = dims_of(params[i]);
  auto given = dims_of(call->args[i]->ty);
  if (!wanted || !given || wanted->size() != given->size()) return;
  for (size_t k = 0; k < wanted->size(); ++k) {
    Expr value = ir::substitute((*wanted)[k], bound);
    if (!context.proves_different(context.simplify(value), (*given)[k])) continue;
    explain_dim(error, call->args[i], k, context);
    auto* symbol = as<VarNode>((*wanted)[k]);
    if (!symbol) continue;
    // The first argument with that dimension has given it its value.
    for (size_t j = 0; j < i; ++j) {
      auto dims = dims_of(params[j]);
      for (size_t axis = 0; dims && axis < dims->size(); ++axis) {
        if ((*dims)[axis].get() != symbol) continue;
        error.first().notes.push_back(
            {fmt::format("`{}` is {} by argument {}", view(symbol->name), dim_text(value), j + 1),
             symbol->span});
        explain_dim(error, call->args[j], axis, context);
        return;
      }
    }
  }
}

}  // namespace mlc::relax
