// SPDX-License-Identifier: Apache-2.0
// Buffers where they are made: parameters, allocations, views, block buffers.
#include "frontend/print/printer.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

// The buffer whose memory `data` is: a buffer variable itself, or its `.data`.
const VarNode* source_of(const Expr& data) {
  auto* var = as<VarNode>(data);
  if (auto* call = as<CallNode>(data)) {
    auto* op = as<OpNode>(call->op);
    if (op && view(op->name) == "tirx.buffer_data") var = as<VarNode>(call->args[0]);
  }
  return var && var->buffer() ? var : nullptr;
}

std::string_view name_hint(const VarNode* buffer) {
  return buffer->name.empty() ? std::string_view("buffer") : view(buffer->name);
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
    At at(*this, "dtype");
    Mark mark(*this, nullptr);
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
        put(var->name.empty() ? "\"\"" : literal(as_identifier(view(var->name))));
        names_.define_as(var, fmt::format("{}.strides[{}]", name, i));
      } else {
        expr(type->strides[i]);
      }
    }
    put(type->strides.size() == 1 ? ",)" : ")");
  }
  bool free_offset = false;
  // Offset zero goes without saying in the type of the dimensions, int64 for a scalar.
  DataType index = type->shape.empty() ? DataType::Int(64) : type->shape[0]->dtype();
  bool usual_index = type->elem_offset && type->elem_offset->dtype() == index;
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
  if (classic() && !is_classic_layout(type)) not_classic(fmt::format("the layout of buffer `{}`", name));
  if (!classic() && shows_layout(type)) {
    put(", layout=");
    layout(type->layout);
  }
  if (classic() && !type->allocated_addr.empty()) not_classic("where a buffer is allocated");
  if (type->allocated_addr.size() == 1) {
    put(", allocated_addr=");
    // The address that a buffer of one element holds: the name says it, and is read back.
    auto* load = as<TensorLoadNode>(type->allocated_addr[0]);
    if (load && is_scalar(ref(load->source.get()))) {
      put(name_of(load->source.get()));
    } else {
      expr(type->allocated_addr[0]);
    }
  } else if (!type->allocated_addr.empty()) {
    put(", allocated_addr=[");
    exprs("allocated_addr", type->allocated_addr);
    put("]");
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

bool Printer::is_scalar(const Buffer& buffer) const {
  if (classic()) return false;
  const BufferTypeNode* type = buffer->buffer();
  return type->shape.size() == 1 && is_const_int(type->shape[0], 1) && type->strides.empty() &&
         type->data_alignment == 64 && type->offset_factor == 1 && type->allocated_addr.empty() &&
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
  put(names_.define(buffer, name_hint(buffer)));
  std::string_view scope = view(ty->storage_scope);
  // A scalar has no words for where it begins.
  bool at_begin = !ty->elem_offset || is_const_int(ty->elem_offset, 0);
  bool scalar = is_scalar(s->buffer) && at_begin && s->annotations.empty();
  if (scalar && (!options_.syntax_sugar || scope != "local")) {
    // The annotation means the scope `local`. TVM's annotates the others too, and reads that back as local.
    bool has_name = scope == "local" || scope == "shared";
    put(" = ");
    call_of(scope == "local" ? "local_scalar"
            : has_name       ? "shared_scalar"
                             : "alloc_scalar",
            [&] {
              tir(DataType(ty->dtype).str());
              if (!has_name) put(", scope=", literal(scope));
            });
    scalars_.insert(buffer);
    return end_line();
  }
  if (scalar) {
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
  put(" = ");
  BufferForm form;
  form.scope_implied = !classic() && (scope == "shared" || scope == "local");
  form.annotations = &s->annotations;
  if (classic() && !s->annotations.empty()) not_classic("the annotations of an allocation");
  // Without `data` it allocates.
  tir(classic()           ? "decl_buffer"
      : scope == "shared" ? "alloc_shared"
      : scope == "local"  ? "alloc_local"
                          : "alloc_buffer");
  put("(");
  buffer_arguments(s->buffer, form);
  put(")");
  end_line();
}

void Printer::decl_buffer(const DeclBufferNode* s) {
  const VarNode* buffer = s->buffer.get();
  bool scalar = is_scalar(s->buffer) && s->data;
  line();
  put(names_.define(buffer, name_hint(buffer)), " = ");
  const VarNode* source = s->data ? source_of(s->data) : nullptr;
  if (source && in_function_ && !classic() && view_of(source, buffer->buffer())) return end_line();
  if (scalar) {
    scalars_.insert(buffer);
    tir("decl_scalar");
    put("(");
    tir(DataType(buffer->buffer()->dtype).str());
    put(", data=");
    expr("data", s->data);
    put(", elem_offset=");
    expr(buffer->buffer()->elem_offset);
    put(", scope=", literal(view(buffer->buffer()->storage_scope)));
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
  call_of("sblock_alloc_buffer", [&] { buffer_arguments(buffer, {}); });
  end_line();
}

}  // namespace mlc::print
