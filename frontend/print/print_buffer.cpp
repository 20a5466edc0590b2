// SPDX-License-Identifier: Apache-2.0
// Buffers where they are made: parameters, allocations, views, block buffers.
#include "frontend/print/printer.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

std::string_view view(const String& s) { return {s.data(), s.size()}; }

// The buffer whose memory `data` is: a buffer variable itself, or its `.data`.
const VarNode* source_of(const Expr& data) {
  auto* var = as<VarNode>(data);
  if (auto* call = as<CallNode>(data)) {
    auto* op = as<OpNode>(call->op);
    if (op && view(op->name) == "tirx.buffer_data") var = as<VarNode>(call->args[0]);
  }
  return var && var->buffer() ? var : nullptr;
}

// A view is row-major where its source is, and otherwise has the source's layout.
bool same_layout(const BufferTypeNode* view_type, const BufferTypeNode* source) {
  if (!view_type->layout.defined() || !source->layout.defined())
    return view_type->layout.defined() == source->layout.defined();
  if (structural_equal(view_type->layout, source->layout)) return true;
  return is_default_layout(view_type->layout, view_type->shape) &&
         is_default_layout(source->layout, source->shape);
}

bool loads_from(const Expr& e, const VarNode* buffer) {
  return uses_var(e, [buffer](const VarNode* var) { return var == buffer; });
}

}  // namespace

void Printer::buffer_arguments(const Buffer& buffer, const BufferForm& form) {
  const BufferTypeNode* type = buffer->buffer();
  size_t frame = form.frame == npos ? names_.frames().size() - 1 : form.frame;
  std::vector<const VarNode*> dims = shape(type, form.parameter, frame);
  DataType dtype = type->dtype;
  if (form.dtype_always || dtype.str() != options_.buffer_dtype) {
    put(", ");
    dtype_literal(dtype);
  }
  if (form.data) {
    put(", data=");
    expr("data", form.data);
    if (auto* var = as<VarNode>(form.data); var && var->buffer()) put(".data");
  }
  // Strides and offsets that are variables of their own are named after the buffer: `A.strides[0]`.
  auto unnamed = [this](const Expr& e) {
    auto* var = as<VarNode>(e);
    return var && !names_.find(var) ? var : nullptr;
  };
  std::string name;
  if (const std::string* known = names_.find(buffer.get())) name = *known;
  if (!type->strides.empty()) {
    put(", strides=(");
    for (size_t i = 0; i < type->strides.size(); ++i) {
      if (i) put(", ");
      if (const VarNode* var = unnamed(type->strides[i]); var && !name.empty()) {
        put(literal(view(var->name)));
        names_.define_as(var, fmt::format("{}.strides[{}]", name, i));
      } else {
        expr(type->strides[i]);
      }
    }
    put(type->strides.size() == 1 ? ",)" : ")");
  }
  bool free_offset = false;
  // Offset zero goes without saying in the type of the dimensions.
  bool usual_index =
      type->shape.empty() || (type->elem_offset && type->elem_offset->dtype() == type->shape[0]->dtype());
  if (type->elem_offset && !(is_const_int(type->elem_offset, 0) && usual_index)) {
    if (const VarNode* var = unnamed(type->elem_offset); var && !name.empty()) {
      free_offset = true;
      names_.define_as(var, name + ".elem_offset");
    } else {
      put(", elem_offset=");
      expr(type->elem_offset);
    }
  }
  if (!form.scope_implied && view(type->storage_scope) != "global" && !type->storage_scope.empty()) {
    put(", scope=", literal(view(type->storage_scope)));
  }
  if (type->data_alignment != 64) put(", align=", std::to_string(type->data_alignment));
  if (free_offset || type->offset_factor != 1) put(", offset_factor=", std::to_string(type->offset_factor));
  if (shows_layout(type)) {
    put(", layout=");
    layout(type->layout);
  }
  if (form.annotations && !form.annotations->empty()) {
    put(", annotations=");
    dict(*form.annotations);
  }
  declare_dims(dims, frame);
}

// A dimension of a parameter that brings new variables is quoted: it is matched against the argument.
// TypeVars are defined outside, so that they stand bare, but nothing can be computed with them in a
// signature. Returns the dimensions that are new variables, for declare_dims.
std::vector<const VarNode*> Printer::shape(const BufferTypeNode* type, bool parameter, size_t frame) {
  std::vector<const VarNode*> dims;
  put("(");
  for (size_t i = 0; i < type->shape.size(); ++i) {
    if (i) put(", ");
    const Expr& dim = type->shape[i];
    At at(*this, "shape", static_cast<int64_t>(i));
    if (dim->kind == ExprKind::kIntImm) {
      expr(dim);
      continue;
    }
    bool computed = dim->kind != ExprKind::kVar;
    bool has_new = false;
    bool has_type_variable = false;
    for (const Var& var : free_vars(dim)) {
      const VarNode* one = var.get();
      if (type_bound_.contains(one)) {
        has_type_variable = true;
      } else if (dims_bound_.insert(one).second) {
        has_new = true;
      }
      if (names_.find(one)) continue;
      if (computed) {
        name_of(one);
      } else {
        names_.define_in(frame, one, view(one->name));
        dims.push_back(one);
      }
    }
    if (parameter && (has_new || (has_type_variable && computed && !options_.use_pep695))) {
      Capture text(*this);
      expr(dim);
      put(literal(text.take()));
    } else {
      expr(dim);
    }
  }
  put(type->shape.size() == 1 ? ",)" : ")");
  return dims;
}

bool Printer::is_view_of(const BufferTypeNode* view_type, const Expr& data) const {
  const VarNode* source_var = source_of(data);
  if (!in_function_ || !source_var || view_type->shape.empty()) return false;
  const BufferTypeNode* source = source_var->buffer();
  return DataType(view_type->dtype) == DataType(source->dtype) &&
         view_type->storage_scope == source->storage_scope &&
         view_type->data_alignment == source->data_alignment &&
         view_type->offset_factor == source->offset_factor && same_layout(view_type, source) &&
         structural_equal(view_type->strides, source->strides) &&
         structural_equal(view_type->elem_offset, source->elem_offset) &&
         !structural_equal(view_type->shape, source->shape);
}

bool Printer::is_scalar(const Buffer& buffer) const {
  const BufferTypeNode* type = buffer->buffer();
  return in_function_ && type->shape.size() == 1 && is_const_int(type->shape[0], 1) &&
         type->strides.empty() && type->data_alignment == 64 && type->offset_factor == 1 &&
         is_default_layout(type->layout, type->shape);
}

// No layout goes without saying in schedulable functions, row-major memory everywhere.
bool Printer::shows_layout(const BufferTypeNode* type) const {
  if (!type->layout.defined()) return !in_function_ || !schedulable_;
  return !is_default_layout(type->layout, type->shape);
}

void Printer::alloc_buffer(const AllocBufferNode* s, const Stmt& next, bool* took_next) {
  const VarNode* buffer = s->buffer.get();
  const BufferTypeNode* ty = buffer->buffer();
  line();
  put(names_.define(buffer, view(buffer->name)));
  if (is_scalar(s->buffer) && s->annotations.empty()) {
    put(": ");
    tir(DataType(ty->dtype).str());
    auto* store = as<BufferStoreNode>(next);
    if (took_next && store && store->buffer.get() == buffer && !loads_from(store->value, buffer)) {
      *took_next = true;
      put(" = ");
      expr("value", store->value);
    }
    scalars_.insert(buffer);
    return end_line();
  }
  std::string_view scope = view(ty->storage_scope);
  put(" = ");
  BufferForm form;
  form.scope_implied = scope == "shared" || scope == "local";
  form.annotations = &s->annotations;
  tir(scope == "shared" ? "alloc_shared" : scope == "local" ? "alloc_local" : "alloc_buffer");
  put("(");
  buffer_arguments(s->buffer, form);
  put(")");
  end_line();
}

void Printer::decl_buffer(const DeclBufferNode* s) {
  const VarNode* buffer = s->buffer.get();
  line();
  put(names_.define(buffer, view(buffer->name)), " = ");
  if (is_view_of(buffer->buffer(), s->data)) {
    put(name_of(source_of(s->data)), ".view(");
    exprs("shape", buffer->buffer()->shape);
  } else {
    tir("decl_buffer");
    put("(");
    BufferForm form;
    form.data = s->data;
    buffer_arguments(s->buffer, form);
  }
  put(")");
  end_line();
}

void Printer::block_buffer(const Buffer& buffer) {
  line();
  put(names_.define(buffer.get(), view(buffer->name)), " = ");
  tir("sblock_alloc_buffer");
  put("(");
  buffer_arguments(buffer, {});
  put(")");
  end_line();
}

}  // namespace mlc::print
