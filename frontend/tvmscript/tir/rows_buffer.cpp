// SPDX-License-Identifier: Apache-2.0
// Buffers: parameters, allocations, views, and the methods of buffer values.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/device/hardware_layout.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/layout.h"
#include "ir/tir/op.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "needs-s-tir",
         .message = "`T.{}` belongs into a function under `@T.prim_func(s_tir=True)`",
         .help = "use `T.alloc_buffer(...)`",
         .meaning = "Buffers of blocks exist in functions that schedules work on.",
         .wrong = R"(@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    C = T.sblock_alloc_buffer((4,))
    C[0] = A[0])",
         .right = R"(@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    C = T.alloc_buffer((4,))
    C[0] = A[0])"},
        {.name = "quoted-dimension",
         .kind = "AssertionError+ValueError",
         .message = "a quoted dimension belongs into the signature of a function",
         .meaning =
             "A quoted dimension gives a name to a size of an argument, so it stands in the signature.",
         .wrong = R"(C = T.alloc_buffer(("m",), "float32"))",
         .right = R"(C = T.alloc_buffer((n,), "float32")
C[0] = 1.0)"},
        {.name = "wrong-number-of-strides", .message = "{} strides for {} dimensions"},
    }};
MLC_REFUSALS(tir_rows_buffer, refusals);

namespace {

Expr dimension(const Any& value, Span span) {
  if (script::is_str(value)) {
    Builder* builder = Builder::current_or_null();
    if (builder && builder->in_signature()) return builder->match_expression(script::text_of(value), span);
    throw ir::refuse(refusals["quoted-dimension"]).at(span);
  }
  return integer_of(script::as_expr(value, span, "a dimension"), span, "a dimension");
}

Array<Expr> shape_from(const Any& value, Span span) {
  Array<Expr> shape;
  for (const Any& one : one_or_all(value)) shape.push_back(dimension(one, span));
  return shape;
}

Array<Expr> strides_from(const Any& value, const Array<Expr>& shape, Span span) {
  Array<Expr> strides;
  if (script::is_none(value)) return strides;
  DataType dtype = shape.empty() ? DataType::Int(32) : shape[0]->dtype();
  for (const Any& one : items(value, span)) {
    if (script::is_str(one)) {
      Builder* builder = Builder::current_or_null();
      // The empty text, which a stride without a name prints as, is a variable of its own each time.
      if (builder && builder->in_signature() && !script::text_of(one).empty()) {
        strides.push_back(builder->match_expression(script::text_of(one), span));
      } else {
        strides.push_back(ir::make<ir::VarNode>(one.cast<String>(), Type(ir::prim_type(dtype)), span));
      }
    } else {
      strides.push_back(script::as_expr(one, span, "a stride"));
    }
  }
  if (!strides.empty() && strides.size() != shape.size()) {
    throw ir::refuse(refusals["wrong-number-of-strides"], strides.size(), shape.size()).at(span);
  }
  return strides;
}

struct Parts {
  Any shape, dtype, strides, elem_offset, scope;
  int64_t align = 0;
  int64_t offset_factor = 0;
  Any byte_offset = nullptr;
  Any layout = nullptr;
  Any allocated_addr = nullptr;
};

// The argument `layout`. Schedulable functions leave it out; so does memory that has rules of its own.
ir::ObjectRef layout_from(const Parts& parts, const Array<Expr>& shape, std::string_view scope, Span span) {
  if (script::is_none(parts.layout)) return {};
  if (auto layout = parts.layout.as<ir::Layout>()) return *layout;
  if (script::is_str(parts.layout) && (scope == "trn.sbuf" || scope == "trn.psum") &&
      script::text_of(parts.layout) != "default") {
    return trainium_layout(script::text_of(parts.layout), shape, scope == "trn.psum", span);
  }
  bool is_default = script::is_str(parts.layout) && script::text_of(parts.layout) == "default";
  if (!is_default) {
    throw ir::Error("wrong-type", "expected a layout, got `{}`", ir::type_name(parts.layout))
        .at(span)
        .kind("TypeError")
        .help("write `T.TileLayout(T.S[...])`, or None");
  }
  Builder* builder = Builder::current_or_null();
  if (builder && builder->schedulable()) return {};
  if (scope == "trn.sbuf" || scope == "trn.psum") return {};
  return ir::default_layout(shape);
}

ir::BufferType buffer_type(const Parts& parts, const ApiCall& call, size_t shape_at, size_t dtype_at) {
  Span span = call.span_of(shape_at);
  bool extents = is_list(parts.dtype) || script::is_int(parts.dtype);
  if (script::is_str(parts.shape) && extents) swapped(call, shape_at, dtype_at);
  Array<Expr> shape = shape_from(parts.shape, span);
  DataType dtype = dtype_from(parts.dtype, call.span_of(dtype_at));
  if (dtype.is_handle() || dtype.is_void()) {
    throw ir::Error("type-mismatch", "a buffer cannot hold `{}`", dtype.str()).at(call.span_of(dtype_at));
  }
  Array<Expr> strides = strides_from(parts.strides, shape, span);
  DataType index = shape.empty() ? DataType::Int(64) : shape[0]->dtype();
  Expr offset;
  if (!script::is_none(parts.elem_offset)) {
    offset = script::as_expr(parts.elem_offset, call.span, "`elem_offset`");
  } else if (!script::is_none(parts.byte_offset)) {
    Expr bytes = script::as_expr(parts.byte_offset, call.span, "`byte_offset`");
    offset = ir::floordiv(ir::mul(bytes, ir::int32(8)), ir::int32(dtype.bits()));
  } else if (parts.offset_factor != 0) {
    offset = ir::make<ir::VarNode>(String("elem_offset"), Type(ir::prim_type(index)), call.span);
  } else {
    offset = ir::int_imm(index, 0);
  }
  if (!script::is_str(parts.scope) && !script::is_none(parts.scope)) {
    throw ir::Error("wrong-type", "a storage scope is a str such as \"shared\", got `{}`",
                    ir::type_name(parts.scope))
        .at(call.span);
  }
  String scope = script::is_str(parts.scope) ? parts.scope.cast<String>() : String("global");
  ir::ObjectRef layout = layout_from(parts, shape, view(scope), call.span);
  Array<Expr> address;
  if (!script::is_none(parts.allocated_addr)) {
    for (const Any& one : one_or_all(parts.allocated_addr))
      address.push_back(script::as_expr(one, call.span, "an address"));
  }
  return ir::make<ir::BufferTypeNode>(dtype, scope, std::move(shape), std::move(strides), std::move(offset),
                                      parts.align <= 0 ? 64 : parts.align,
                                      parts.offset_factor == 0 ? 1 : parts.offset_factor, layout, address);
}

// (shape, dtype, data, strides, elem_offset, byte_offset, scope, align, offset_factor, layout,
// allocated_addr)
Parts usual_parts(const ApiCall& call) {
  return {call.args[0],     call.args[1],
          call.args[3],     call.args[4],
          call.args[6],     int_arg(call, 7),
          int_arg(call, 8), call.args[5],
          call.args[9],     call.args.size() > 10 ? call.args[10] : Any(nullptr)};
}

// T.Buffer(shape, dtype="float32", data=None, strides=None, elem_offset=None, byte_offset=None, scope, align,
// offset_factor, layout): a buffer variable without a name; `T.buffer` may have an address and a name.
Any make_buffer(ApiCall& call) {
  Parts parts = usual_parts(call);
  // Parameters of schedulable functions have no layout whatever is asked for.
  Builder* signature = Builder::current_or_null();
  if (signature && signature->in_signature() && signature->schedulable()) parts.layout = nullptr;
  ir::BufferType type = buffer_type(parts, call, 0, 1);
  if (is_given(call, 2)) {
    return Expr(Builder::current(call).declare(type, expr_arg(call, 2), call.span));
  }
  String name = call.args.size() > 11 ? str_arg(call, 11) : String();
  Buffer buffer = ir::make<ir::VarNode>(name, Type(type), call.span);
  if (signature && !signature->in_signature()) signature->announce(buffer.get());
  return Expr(buffer);
}

// match_buffer(param, shape=None, dtype="float32", data, strides, elem_offset, scope, align, offset_factor,
// layout)
Any match_buffer(ApiCall& call) {
  Builder& builder = Builder::current(call);
  const Any& what = call.args[0];
  bool extents = is_list(what);
  if (extents && call.args[1].as<ir::VarNode>()) swapped(call, 0, 1);
  auto* region = what.as<ir::TensorRegionNode>();
  auto* load = what.as<ir::TensorLoadNode>();
  bool drops_layout = builder.schedulable() && !region && !load;
  Parts parts{call.args[1],     call.args[2], call.args[4],
              call.args[5],     call.args[6], int_arg(call, 7),
              int_arg(call, 8), nullptr,      drops_layout ? Any(nullptr) : call.args[9]};
  if (region && script::is_none(parts.shape)) {
    Array<Any> shape;
    for (const ir::Range& range : region->region) shape.push_back(range->extent);
    parts.shape = shape;
    parts.dtype = String(DataType(region->source->buffer()->dtype).str());
  }
  if (script::is_none(parts.shape)) {
    throw ir::Error("missing-argument", "`T.match_buffer` needs the shape of a parameter")
        .at(call.span)
        .kind("TypeError");
  }
  ir::BufferType type = buffer_type(parts, call, 1, 2);
  Buffer buffer = ir::make<ir::VarNode>(String(), Type(type), call.span);
  if (region || load) {
    ir::TensorRegion source;
    if (region) {
      source = ir::ref(region);
    } else {
      Array<ir::Range> points;
      for (const Expr& index : load->indices)
        points.push_back(ir::make<ir::RangeNode>(index, ir::const_like(index, 1)));
      source = ir::make<ir::TensorRegionNode>(load->source, points, load->span);
    }
    check_match(buffer, source, call.span_of(0));
    builder.block(call).match_buffers.push_back(ir::make<ir::MatchBufferRegionNode>(buffer, source));
    return Expr(buffer);
  }
  auto* param = what.as<ir::VarNode>();
  if (!param) ir::wrong_argument(call, 0, "a parameter or a region of a buffer");
  builder.match_parameter(param, buffer, call.span_of(0));
  return Expr(buffer);
}

Any owned_by_block(Builder& builder, const ir::BufferType& type, Span span) {
  Buffer buffer = ir::make<ir::VarNode>(String(), Type(type), span);
  builder.touch();
  builder.block_or_root()->alloc_buffers.push_back(buffer);
  return Expr(buffer);
}

// (shape, dtype, data, strides, elem_offset, scope, align, offset_factor, layout)
Any block_alloc(ApiCall& call) {
  Builder& builder = Builder::current(call);
  if (!builder.schedulable() && !builder.is_loose()) {
    throw ir::refuse(refusals["needs-s-tir"], call.api.name).at(call.span);
  }
  Parts parts{call.args[0],     call.args[1],     call.args[3], call.args[4], call.args[5],
              int_arg(call, 6), int_arg(call, 7), nullptr,      call.args[8], call.args[9]};
  return owned_by_block(builder, buffer_type(parts, call, 0, 1), call.span);
}

// The scope that the name of an allocation says.
String implied_scope(const ApiCall& call) {
  if (call.api.name == "alloc_local") return "local";
  return call.api.name == "tmem" ? "tmem" : "shared";
}

// (shape, dtype, data, strides, elem_offset, byte_offset, scope, align, offset_factor, layout,
// allocated_addr, annotations)
Any alloc(ApiCall& call) {
  Builder& builder = Builder::current(call);
  Parts parts = usual_parts(call);
  if (call.api.name != "alloc_buffer" && !script::is_str(call.args[6])) parts.scope = implied_scope(call);
  ir::BufferType type = buffer_type(parts, call, 0, 1);
  if (builder.block_allocates()) return owned_by_block(builder, type, call.span);
  Map<String, Any> annotations = attributes_arg(call, 11);
  for (const auto& [key, value] : Map<String, Any>(annotations)) {
    // A bool stays as it is: passes leave plain ones, and what they leave has to read back as it prints.
    if (script::is_bool(value)) continue;
    if (auto constant = script::to_expr(value); constant && !script::is_object(value))
      annotations.Set(key, *constant);
  }
  return Expr(builder.allocate(type, annotations, call.span));
}

// (shape, dtype, data, strides, elem_offset, byte_offset, scope, align, offset_factor, layout)
Any decl(ApiCall& call) {
  Builder& builder = Builder::current(call);
  Parts parts = usual_parts(call);
  if (!is_given(call, 2)) {
    ir::BufferType type = buffer_type(parts, call, 0, 1);
    if (type->allocated_addr.empty()) return Expr(builder.allocate(type, {}, call.span));
    return Expr(builder.declare(type, Expr(), call.span));
  }
  Expr data = expr_arg(call, 2);
  if (auto* var = ir::as<ir::VarNode>(data); var && var->buffer()) {
    throw ir::Error("type-mismatch", "`data` must be a pointer, `{}` is a buffer", var->name.c_str())
        .at(call.span_of(2))
        .note("the buffer is declared here", var->span)
        .help(fmt::format("write `data={}.data`", var->name.c_str()));
  }
  if (data->ty->kind != ir::TypeKind::kPointer) {
    throw ir::Error("type-mismatch", "`data` must be a pointer, got `{}`", data->dtype().str())
        .at(call.span_of(2));
  }
  // A view lies where its memory lies; a pointer to nothing in particular does not say.
  auto* pointer = static_cast<const ir::PointerTypeNode*>(data->ty.get());
  auto* element = pointer->element_type.as<ir::PrimTypeNode>();
  bool says_nothing =
      view(pointer->storage_scope) == "global" && element && DataType(element->dtype).is_void();
  if (!says_nothing || !script::is_str(parts.scope)) parts.scope = pointer->storage_scope;
  // Without an offset it begins where its memory begins, whatever offsets it could have.
  int64_t factor = parts.offset_factor;
  bool at_begin = script::is_none(parts.elem_offset) && script::is_none(parts.byte_offset);
  if (at_begin) parts.offset_factor = 0;
  ir::BufferType type = buffer_type(parts, call, 0, 1);
  if (at_begin && factor != 0)
    type = ir::with(type, [&](ir::BufferTypeNode& n) { n.offset_factor = factor; });
  return Expr(builder.declare(type, data, call.span));
}

Any scalar(ApiCall& call) {
  String scope("local");
  if (call.args.size() > 1) scope = str_arg(call, 1);
  if (call.api.name == "shared_scalar") scope = "shared";
  // Named by the assignment, so the load refers to a buffer that has no name yet.
  return Builder::current(call).new_scalar("", dtype_arg(call, 0), scope, call.span);
}

// tvm.tirx.decl_buffer(shape, dtype=None, name="buffer", data, strides, elem_offset, scope, data_alignment,
// offset_factor, span, layout): a buffer variable outside of any function.
Any named_buffer(ApiCall& call) {
  Any dtype = is_given(call, 1) ? call.args[1] : Any(String("float32"));
  String name = str_arg(call, 2);
  String scope = str_arg(call, 6);
  if (is_given(call, 3)) {
    Expr data = expr_arg(call, 3);
    if (data->ty->kind != ir::TypeKind::kPointer) ir::wrong_argument(call, 3, "pointer");
    scope = static_cast<const ir::PointerTypeNode*>(data->ty.get())->storage_scope;
  }
  Parts parts{
      call.args[0],     dtype,           call.args[4], call.args[5], scope.empty() ? String("global") : scope,
      int_arg(call, 7), int_arg(call, 8)};
  // A buffer without dimensions has no layout here.
  bool has_dimensions = !shape_from(parts.shape, call.span_of(0)).empty();
  parts.layout = has_dimensions || !script::is_str(call.args[10]) ? call.args[10] : Any(nullptr);
  if (parts.offset_factor != 0 && !is_given(call, 5)) {
    Array<Expr> shape = shape_from(parts.shape, call.span_of(0));
    DataType index = shape.empty() ? DataType::Int(64) : shape[0]->dtype();
    std::string offset = std::string(view(name)) + "_elem_offset";
    parts.elem_offset = Expr(ir::make<ir::VarNode>(String(offset), Type(ir::prim_type(index)), call.span));
  }
  return Expr(ir::make<ir::VarNode>(name, Type(buffer_type(parts, call, 0, 1)), call.span));
}

// (dtype, data, scope, elem_offset, byte_offset): a mutable scalar in memory that exists.
Any decl_scalar(ApiCall& call) {
  Parts parts{Array<Any>{Any(1)}, call.args[0], nullptr, call.args[3], call.args[2]};
  parts.byte_offset = call.args[4];
  parts.layout = ir::default_layout(Array<Expr>{ir::int32(1)});
  Expr data = expr_arg(call, 1);
  if (data->ty->kind != ir::TypeKind::kPointer) ir::wrong_argument(call, 1, "a pointer");
  parts.scope = static_cast<const ir::PointerTypeNode*>(data->ty.get())->storage_scope;
  Buffer view = Builder::current(call).declare(buffer_type(parts, call, 1, 0), data, call.span);
  return Expr(ir::make<ir::TensorLoadNode>(view, Array<Expr>{ir::int32(0)}, call.span));
}

Any wg_reg_tile(ApiCall& call) {
  Expr columns = expr_arg(call, 0);
  Array<ir::Iter> shard{ir::make<ir::IterNode>(ir::int32(128), ir::int32(1), ir::axis("tid_in_wg")),
                        ir::make<ir::IterNode>(columns, ir::int32(1), ir::memory_axis())};
  Parts parts{Array<Any>{Any(128), Any(columns)}, call.args[1], nullptr, nullptr, String("local")};
  parts.layout = ir::make<ir::TileLayoutNode>(shard);
  return Expr(Builder::current(call).allocate(buffer_type(parts, call, 0, 1), {}, call.span));
}

Any buffer_store(ApiCall& call) {
  Builder& builder = Builder::current(call);
  builder.store(buffer_arg(call, 0), expr_arg(call, 1), exprs_arg(call, 2), call.span, call.span_of(1));
  return nullptr;
}

constexpr std::string_view buffer_doc =
    "A buffer as the type of a parameter: `A: T.Buffer((128, 128), \"float32\")`.";
#define MLC_BUFFER_PARAMETERS                                                               \
  "shape, dtype=\"float32\", data=None, strides=None, elem_offset=None, byte_offset=None, " \
  "scope=\"global\", align=0, offset_factor=0, layout=\"default\")"
#define MLC_ALLOC_PARAMETERS                                                                            \
  "shape, dtype=\"float32\", data=None, strides=None, elem_offset=None, byte_offset=None, scope=None, " \
  "align=-1, offset_factor=0, layout=\"default\", allocated_addr=None, annotations=None)"

constexpr ir::ApiRow buffer_table[] = {
    {ir::ApiKind::kFunction, kT, "Buffer(" MLC_BUFFER_PARAMETERS, buffer_doc, make_buffer},
    {ir::ApiKind::kFunction, kT,
     "buffer(shape, dtype=\"float32\", data=None, strides=None, elem_offset=None, byte_offset=None, "
     "scope=\"global\", align=0, offset_factor=0, layout=\"default\", allocated_addr=None, buffer_name=\"\")",
     buffer_doc, make_buffer},
    {ir::ApiKind::kFunction, kT, "buffer_decl(" MLC_BUFFER_PARAMETERS, buffer_doc, make_buffer},
    {ir::ApiKind::kFunction, kT,
     "match_buffer(param, shape=None, dtype=\"float32\", data=None, strides=None, elem_offset=None, "
     "scope=\"global\", "
     "align=-1, offset_factor=0, layout=\"default\")",
     "A handle parameter as a buffer, or a region of a buffer under a name of its own.", match_buffer},
    {ir::ApiKind::kFunction, kT,
     "sblock_alloc_buffer(shape, dtype=\"float32\", data=None, strides=None, elem_offset=None, "
     "scope=\"global\", align=-1, "
     "offset_factor=0, layout=\"default\", allocated_addr=None)",
     "A buffer that the block (or the function) owns.", block_alloc},
    {ir::ApiKind::kFunction, kT,
     "alloc_buffer(shape, dtype=\"float32\", data=None, strides=None, elem_offset=None, byte_offset=None, "
     "scope=\"global\", align=-1, offset_factor=0, layout=\"default\", allocated_addr=None, "
     "annotations=None)",
     "Memory that lives until the enclosing statements end.", alloc},
    {ir::ApiKind::kFunction, kT, "alloc_shared(" MLC_ALLOC_PARAMETERS,
     "Memory that the threads of a block share.", alloc},
    {ir::ApiKind::kFunction, kT, "smem(" MLC_ALLOC_PARAMETERS, "Memory that the threads of a block share.",
     alloc},
    {ir::ApiKind::kFunction, kT, "alloc_local(" MLC_ALLOC_PARAMETERS, "Memory of one thread.", alloc},
    {ir::ApiKind::kFunction, kT, "tmem(" MLC_ALLOC_PARAMETERS, "Tensor memory of a GPU.", alloc},
    {ir::ApiKind::kFunction, kT,
     "decl_buffer(shape, dtype=\"float32\", data=None, strides=None, elem_offset=None, byte_offset=None, "
     "scope=\"global\", "
     "align=0, offset_factor=0, layout=\"default\", allocated_addr=None)",
     "A view of memory that exists; without `data` it allocates.", decl},
    {ir::ApiKind::kFunction, "tvm.tirx",
     "decl_buffer(shape, dtype=None, name=\"buffer\", data=None, strides=None, elem_offset=None, scope=\"\", "
     "data_alignment=-1, offset_factor=0, span=None, layout=\"default\")",
     "A buffer variable that belongs to no function yet.", named_buffer},
    {ir::ApiKind::kFunction, kT, "local_scalar(dtype=\"float32\")", "A mutable scalar of one thread.",
     scalar},
    {ir::ApiKind::kFunction, kT, "shared_scalar(dtype=\"float32\")", "A mutable scalar that threads share.",
     scalar},
    {ir::ApiKind::kFunction, kT, "alloc_scalar(dtype=\"float32\", scope=\"global\")", "A mutable scalar.",
     scalar},
    {ir::ApiKind::kFunction, kT, "decl_scalar(dtype, data, scope, elem_offset=None, byte_offset=None)",
     "A mutable scalar in memory that exists.", decl_scalar},
    {ir::ApiKind::kFunction, kT, "wg_reg_tile(elem_per_thread, dtype=\"float32\")",
     "Registers of a warpgroup: a row of elements for each thread.", wg_reg_tile},
    {ir::ApiKind::kFunction, kT, "buffer_store(buffer, value, indices)", "`buffer[indices] = value`.",
     buffer_store},
};

}  // namespace

std::span<const ir::ApiRow> buffer_rows() { return buffer_table; }

}  // namespace mlc::tvmscript
