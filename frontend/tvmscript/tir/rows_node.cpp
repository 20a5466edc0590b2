// SPDX-License-Identifier: Apache-2.0
// Types, variables, ranges, iterators and calls made by hand: the constructors of tvm.ir and tvm.tirx.
#include "frontend/script/core/missing_type.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/context.h"
#include "ir/relax/operator_call.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    ir::kRefusedValue,
    {
        {.name = "te-not-a-reduce-axis",
         .message = "`{}` is no reduction axis",
         .help = "make it with `te.reduce_axis`",
         .meaning = "A reduction goes over axes that `te.reduce_axis` makes.",
         .wrong = R"(from tvm import te
A = te.placeholder((8,))
k = te.thread_axis((0, 8), "threadIdx.x")
te.compute((1,), lambda i: te.sum(A[i], axis=k)))",
         .right = R"(from tvm import te
A = te.placeholder((8,))
k = te.reduce_axis((0, 8))
te.compute((1,), lambda i: te.sum(A[k], axis=k)))"},
        {.name = "vector-index",
         .kind = "InternalError",
         .message = "only the last index may be a vector, this is index {} of `{}`"},
    }};
MLC_REFUSALS(tir_rows_node, refusals);

String text_from(const Any& value, const ApiCall& call, size_t i) {
  if (script::is_str(value)) return value.cast<String>();
  if (auto* text = value.as<ir::StringImmNode>()) return text->value;
  ir::wrong_argument(call, i, "str");
}

Expr expr_or_text(const ApiCall& call, size_t i) {
  if (script::is_str(call.args[i]))
    return ir::make<ir::StringImmNode>(call.args[i].cast<String>(), call.span_of(i));
  return expr_arg(call, i);
}

Type type_from(const Any& value, Span span) {
  if (value.as<script::MissingTypeNode>()) return Type(nullptr);
  if (script::is_none(value)) return ir::void_type();
  if (auto* type = value.as<ir::TypeNode>()) return ir::ref(type);
  if (auto* type = frame<TypeValueNode>(value)) return type->type;
  DataType dtype = DataType::Void();
  try {
    dtype = dtype_from(value, span);
  } catch (ir::Error& error) {  // a string that names no data type has a wrong value; all else is of a wrong type
    if (script::is_str(value)) throw;
    throw std::move(error).kind("TypeError");
  }
  return dtype.is_handle() ? Type(void_pointer()) : Type(ir::prim_type(dtype));
}

void check_indices(const Buffer& buffer, const Array<Expr>& indices, Span span) {
  for (size_t i = 0; i < indices.size(); ++i) {
    const Expr& index = indices[static_cast<int64_t>(i)];
    if (index->ty->kind != ir::TypeKind::kPrim) {
      throw ir::Error("type-mismatch", "index {} of `{}` is a handle", i, buffer->name.c_str())
          .at(span)
          .kind("TypeError");
    }
    if (i + 1 == indices.size() || !index->dtype().is_vector()) continue;
    throw ir::refuse(refusals["vector-index"], i, buffer->name.c_str()).at(span);
  }
}

void check_match(const Buffer& buffer, const Ref<ir::TensorRegionNode>& source, Span span) {
  const ir::BufferTypeNode* view = buffer->buffer();
  const ir::BufferTypeNode* whole = source->source->buffer();
  auto refuse = [&](const std::string& what) {
    throw ir::Error("type-mismatch", "`{}` cannot view this region of `{}`: {}", buffer->name.c_str(),
                    source->source->name.c_str(), what)
        .at(span)
        .kind(ir::kRefusedValue);
  };
  if (!(view->dtype == whole->dtype))
    refuse(fmt::format("it holds `{}`, the buffer `{}`", DataType(view->dtype).str(),
                       DataType(whole->dtype).str()));
  auto memory = [](const String& scope) { return scope.empty() ? String("global") : scope; };
  if (memory(view->storage_scope) != memory(whole->storage_scope))
    refuse(fmt::format("its memory is `{}`, the buffer's `{}`", view->storage_scope.c_str(),
                       whole->storage_scope.c_str()));
  if (view->data_alignment > 0 && whole->data_alignment % view->data_alignment != 0)
    refuse(fmt::format("it is aligned to {} bytes, the buffer to {}", view->data_alignment,
                       whole->data_alignment));
  size_t rank = view->shape.size(), outer = source->region.size();
  if (rank > outer) refuse(fmt::format("it has {} dimensions, the region {}", rank, outer));
  for (size_t i = 0; i < outer; ++i) {
    bool leading = i < outer - rank;
    auto have = ir::const_int(source->region[static_cast<int64_t>(i)]->extent);
    auto want = leading ? std::optional<int64_t>(1)
                        : ir::const_int(view->shape[static_cast<int64_t>(i - (outer - rank))]);
    if (have && want && *have != *want)
      refuse(fmt::format("dimension {} of the region has {} elements, not {}", i, *have, *want));
  }
}

Any not_constructible(ApiCall& call) {
  throw ir::Error("not-constructible", "`{}` is a kind of node, not one that can be made", call.api.name)
      .at(call.span)
      .kind("TypeError");
}

namespace {

// ---- types ----

Any make_prim_type(ApiCall& call) {
  DataType dtype = dtype_arg(call, 0);
  if (dtype.is_handle()) ir::wrong_argument(call, 0, "the type of a number (an address has a PointerType)");
  return ir::prim_type(dtype);
}
Any make_pointer_type(ApiCall& call) {
  String scope = str_arg(call, 1);
  return ir::make<ir::PointerTypeNode>(type_from(call.args[0], call.span_of(0)),
                                       scope.empty() ? String("global") : scope);
}
Array<Type> types_arg(const ApiCall& call, size_t i) {
  Array<Type> types;
  for (const Any& one : items(call.args[i], call.span_of(i)))
    types.push_back(type_from(one, call.span_of(i)));
  return types;
}
Any make_tuple_type(ApiCall& call) {
  Array<Type> types = types_arg(call, 0);
  if (types.empty()) return ir::void_type();
  return ir::make<ir::TupleTypeNode>(types);
}
Any make_func_type(ApiCall& call) {
  return ir::make<ir::FuncTypeNode>(types_arg(call, 0), type_from(call.args[1], call.span_of(1)));
}

// ---- variables and values ----

Any make_var_node(ApiCall& call) {
  const Any& name = is_given(call, 0) ? call.args[0] : call.args[3];
  if (!script::is_str(name)) ir::wrong_argument(call, 0, "str");
  Type type = is_given(call, 1) ? type_from(call.args[1], call.span_of(1)) : Type(ir::opaque_type());
  return Expr(ir::make<ir::VarNode>(name.cast<String>(), type, call.span));
}
Any make_global_var(ApiCall& call) { return Expr(ir::make<ir::GlobalVarNode>(str_arg(call, 0))); }
Any make_string(ApiCall& call) { return Expr(ir::make<ir::StringImmNode>(str_arg(call, 0), call.span)); }
Any make_tuple(ApiCall& call) {
  if (auto one = ir::try_get<Expr>(call.args[0]); one && *one) ir::wrong_argument(call, 0, "a list of values");
  Array<Expr> values;
  for (const Any& one : items(call.args[0], call.span_of(0)))
    values.push_back(script::as_expr(one, call.span_of(0), "a value of a tuple"));
  return Expr(ir::make<ir::TupleNode>(values, call.span));
}
// Whether a value is a tuple is seen when its type is inferred.
Any make_tuple_item(ApiCall& call) {
  Expr tuple = node_arg<ir::ExprNode>(call, 0, "a tuple");
  auto index = ir::const_int(expr_arg(call, 1));
  const auto* type = tuple->ty && tuple->ty->kind == ir::TypeKind::kTuple
                         ? static_cast<const ir::TupleTypeNode*>(tuple->ty.get())
                         : nullptr;
  auto size = type ? static_cast<int64_t>(type->elements.size()) : std::numeric_limits<int64_t>::max();
  if (!index || *index < 0 || *index >= size) {
    throw ir::Error("index-out-of-range", "a tuple{} has no element {}",
                    type ? fmt::format(" of {} elements", size) : "", index ? *index : -1)
        .at(call.span_of(1))
        .kind("IndexError");
  }
  return Expr(ir::make<ir::TupleGetItemNode>(tuple, *index, call.span));
}

// Of tensor code, or of graphs: "relax.add".
Expr operator_named(const String& name, const ApiCall& call) {
  if (!view(name).starts_with("relax.")) return ir::op(view(name));
  try {
    return relax::op(view(name));
  } catch (ir::Error& error) {
    throw std::move(error).at(call.span_of(0));
  }
}

// Call(op, args, attrs=None, ty_args=None, span=None, ret_ty=None)
Any make_call(ApiCall& call) {
  Expr callee;
  if (script::is_str(call.args[0])) {
    callee = operator_named(str_arg(call, 0), call);
  } else {
    callee = node_arg<ir::ExprNode>(call, 0, "an operator or its name");
  }
  Array<Expr> args;
  for (const Any& one : items(call.args[1], call.span_of(1))) {
    if (one == nullptr) ir::wrong_argument(call, 1, "a list of expressions");  // None converts to any reference
    if (script::is_str(one)) {
      args.push_back(ir::make<ir::StringImmNode>(one.cast<String>(), call.span));
    } else if (auto function = one.as<ir::BaseFunc>()) {
      args.push_back(*function);
    } else {
      args.push_back(script::as_expr(one, call.span_of(1), "an argument"));
    }
  }
  Type type = is_given(call, 5) ? type_from(call.args[5], call.span_of(5)) : Type(ir::opaque_type());
  Array<Type> types = is_given(call, 3) ? types_arg(call, 3) : Array<Type>();
  Map<String, Any> attrs = attributes_arg(call, 2);
  if (const relax::Operator* row = relax::operator_of(callee)) attrs = relax::held_attrs(*row, attrs);
  return Expr(ir::make<ir::CallNode>(type, callee, args, attrs, call.span, types));
}
Any get_op(ApiCall& call) { return operator_named(str_arg(call, 0), call); }

Any make_load(ApiCall& call) {
  Buffer buffer = buffer_arg(call, 0);
  Array<Expr> indices = indices_arg(call, 1, buffer);
  check_indices(buffer, indices, call.span_of(1));
  return Expr(ir::make<ir::TensorLoadNode>(buffer, indices, call.span));
}
Any make_region(ApiCall& call) {
  Buffer buffer = buffer_arg(call, 0);
  if (!is_given(call, 1)) ir::wrong_argument(call, 1, "a list of Range");
  Array<ir::Range> region = node_list<ir::RangeNode>(call, 1, "a list of Range");
  size_t rank = buffer->buffer()->shape.size();
  if (region.size() != rank) {
    throw ir::Error("wrong-number-of-indices", "`{}` has {} dimension{}, got {} range{}",
                    buffer->name.c_str(), rank, rank == 1 ? "" : "s", region.size(),
                    region.size() == 1 ? "" : "s")
        .at(call.span_of(1))
        .kind(ir::kRefusedValue);
  }
  return Expr(ir::make<ir::TensorRegionNode>(buffer, region, call.span));
}

// ---- ranges and iterators ----

// Each end keeps its type, and only constants are folded: from x below x + 4 there are x + 4 - x.
ir::Range range_of(const Expr& begin, const Expr& end, Span span) {
  Expr a = begin, b = end;
  ir::match_types(a, b, span);
  Expr extent = ir::is_const_int(begin, 0) ? end : ir::sub(end, begin, span);
  return ir::make<ir::RangeNode>(begin, extent);
}
Any make_range(ApiCall& call) {
  Expr begin = expr_arg(call, 0);
  if (!is_given(call, 1)) return ir::make<ir::RangeNode>(ir::const_like(begin, 0), begin);
  return range_of(begin, expr_arg(call, 1), call.span);
}
Any range_from_min_extent(ApiCall& call) {
  Expr min = expr_arg(call, 0);
  Expr extent = expr_arg(call, 1);
  ir::match_types(min, extent, call.span);
  return ir::make<ir::RangeNode>(min, extent);
}

// A range, or the pair (begin, end).
ir::Range domain_of(const Any& value, const ApiCall& call, size_t i) {
  if (auto range = ir::try_get<ir::Range>(value)) return *range;
  std::vector<Any> ends = items(value, call.span_of(i));
  if (ends.size() != 2) ir::wrong_argument(call, i, "Range or a pair");
  return range_of(script::as_expr(ends[0], call.span_of(i), "a bound"),
                  script::as_expr(ends[1], call.span_of(i), "a bound"), call.span_of(i));
}

// IterVar(dom, var, iter_type, thread_tag="", span=None)
Any make_iter_var(ApiCall& call) {
  ir::Range domain = is_given(call, 0) ? domain_of(call.args[0], call, 0) : ir::Range();
  Type type = domain ? domain->extent->ty : Type(ir::prim_type(DataType::Int(32)));
  Var var;
  if (auto* given = call.args[1].as<ir::VarNode>()) {
    var = ir::ref(given);
    if (domain && !(var->dtype() == domain->extent->dtype())) {
      throw ir::Error("type-mismatch", "the variable is `{}`, its domain `{}`", var->dtype().str(),
                      domain->extent->dtype().str())
          .at(call.span_of(1))
          .kind("AssertionError+TypeError");
    }
  } else {
    var = ir::make<ir::VarNode>(is_given(call, 1) ? str_arg(call, 1) : String("iter"), type, call.span);
  }
  auto kind = ir::const_int(expr_arg(call, 2));
  if (!kind || *kind < 0 || *kind > static_cast<int64_t>(ir::IterType::kTensorized))
    ir::wrong_argument(call, 2, "one of IterVar.DataPar, CommReduce, ...");
  return ir::make<ir::IterVarNode>(domain, var, static_cast<ir::IterType>(*kind), str_arg(call, 3));
}

Any thread_axis(ApiCall& call) {  // thread_axis(dom, tag, name); a string alone is the tag
  Any dom = call.args[0];
  String tag = str_arg(call, 1);
  if (script::is_str(dom)) {
    tag = dom.cast<String>();
    dom = nullptr;
  }
  if (tag.empty()) {
    throw ir::Error("missing-argument", "`thread_axis` needs the tag of a thread")
        .at(call.span)
        .kind("ValueError");
  }
  String name = is_given(call, 2) ? str_arg(call, 2) : tag;
  ir::Range range = script::is_none(dom) ? ir::Range(nullptr) : domain_of(dom, call, 0);
  Type type = range ? range->extent->ty : Type(ir::prim_type(DataType::Int(32)));
  Var var = ir::make<ir::VarNode>(name, type, call.span);
  return ir::make<ir::IterVarNode>(range, var, ir::IterType::kThreadIndex, tag);
}
// Lists become arrays, dicts become maps, all the way down; what can be called becomes a function that others
// than scripts can call too.
Any convert(ApiCall& call) {
  const Any& value = call.args[0];
  bool of_script = script::as<script::FunctionNode>(value) || script::as<script::BoundMethodNode>(value) ||
                   script::as<script::InstanceNode>(value);
  if (of_script && call.host.callable(value)) {
    return ffi::Function::FromPacked([&host = call.host, value](ffi::PackedArgs args, ffi::Any* result) {
      std::vector<Any> given;
      for (int i = 0; i < args.size(); ++i) given.push_back(attribute_value(Any(args[i]), {}));
      try {
        *result = attribute_value(host.call(value, given), {});
      } catch (...) {
        host.leave();
      }
      ir::Context::current().error_below = nullptr;  // what failed inside has been handled
    });
  }
  return attribute_value(value, call.span_of(0));
}
// Numbers become constants, one by one in a list; None stays.
Any convert_numbers(ApiCall& call) {
  auto converted = [&](const Any& value) -> Any {
    if (script::is_none(value)) return value;
    if (auto expr = script::to_expr(value, call.span_of(0))) return *expr;
    ir::wrong_argument(call, 0, "an expression or a list of expressions");
  };
  const Any& value = call.args[0];
  if (!is_list(value)) return converted(value);
  Array<Any> all;
  for (const Any& one : script::elements(value)) all.push_back(converted(one));
  return all;
}
Any make_comm_reducer(ApiCall& call) {
  auto lhs = node_list<ir::VarNode>(call, 0, "a list of variables");
  auto rhs = node_list<ir::VarNode>(call, 1, "a list of variables");
  Array<Expr> result = exprs_arg(call, 2), identity = exprs_arg(call, 3);
  if (lhs.size() != result.size() || rhs.size() != result.size() || identity.size() != result.size()) {
    throw ir::Error("wrong-arguments", "{} results are made of {} and {} variables and {} identities",
                    result.size(), lhs.size(), rhs.size(), identity.size())
        .at(call.span)
        .kind("ValueError");
  }
  return ir::make<ir::CommReducerNode>(lhs, rhs, result, identity);
}
Any make_reduce(ApiCall& call) {
  auto index = ir::const_int(expr_arg(call, 4));
  Array<Expr> source = exprs_arg(call, 1);
  if (!index || *index < 0 || *index >= static_cast<int64_t>(source.size())) {
    throw ir::Error("index-out-of-range", "`value_index` names one of the {} values that are reduced",
                    source.size())
        .at(call.span_of(4))
        .kind("IndexError");
  }
  auto combiner = node_arg<ir::CommReducerNode>(call, 0, "CommReducer");
  Array<Expr> init = is_given(call, 5) ? exprs_arg(call, 5) : Array<Expr>{};
  auto axes = node_list<ir::IterVarNode>(call, 2, "a list of IterVar");
  for (const auto& axis : axes) {
    if (axis->iter_type == ir::IterType::kCommReduce) continue;
    throw ir::refuse(refusals["te-not-a-reduce-axis"], axis->var->name.c_str()).at(call.span_of(2));
  }
  if (!init.empty() && init.size() != source.size()) {
    throw ir::Error("wrong-arguments", "{} values are reduced, {} are there to begin with", source.size(),
                    init.size())
        .at(call.span_of(5))
        .kind(ir::kRefusedValue);
  }
  return Expr(ir::make<ir::ReduceNode>(combiner, source, init, axes, expr_arg(call, 3), *index, call.span));
}

// ---- buffers ----

Any buffer_data(ApiCall& call) { return *script::ir_attribute(Expr(buffer_arg(call, 0)), "data", call.span); }
Any is_buffer_var(ApiCall& call) {
  auto* var = call.args[0].as<ir::VarNode>();
  return var != nullptr && var->buffer() != nullptr;
}
Any is_prim_expr(ApiCall& call) {
  auto* expr = call.args[0].as<ir::ExprNode>();
  return expr != nullptr && expr->ty && expr->ty->kind == ir::TypeKind::kPrim;
}
Any is_prim_var(ApiCall& call) {
  auto* var = call.args[0].as<ir::VarNode>();
  return var != nullptr && var->ty && var->ty->kind == ir::TypeKind::kPrim;
}

// ---- methods of expressions ----

Any equal(ApiCall& call) {
  Expr a = expr_arg(call, 0);
  Expr b = expr_arg(call, 1);
  return ir::eq(a, b, call.span);
}

#define FUNCTION(owner, signature, doc, body) \
  { ir::ApiKind::kFunction, owner, signature, doc, body }
#define ITER_TYPE(name, number)                                           \
  {                                                                       \
    ir::ApiKind::kValue, "tvm.tirx.IterVar", name, "A kind of iterator.", \
        +[](ApiCall&) -> Any { return number; }                           \
  }
constexpr ir::ApiRow node_table[] =
    {
        MLC_NODE_CLASS("ir", "type", "Type", "()", "Any type.", not_constructible),
        MLC_NODE_CLASS("ir", "expr", "Expr", "()", "Any expression.", not_constructible),
        MLC_NODE_CLASS("ir", "function", "BaseFunc", "()", "Any function of a module.", not_constructible),
        MLC_NODE_CLASS("ir", "type", "PrimType", "(dtype)", "A number, or a vector of them.", make_prim_type),
        {ir::ApiKind::kMethod, "mlc.ir.PrimType", "__str__()", "The name of the data type.",
         +[](ApiCall& call) -> Any {
           return String(DataType(call.args[0].as<ir::PrimTypeNode>()->dtype).str());
         }},
        MLC_NODE_CLASS("ir", "type", "PointerType", "(element_type, storage_scope=\"\")", "An address.",
                       make_pointer_type),
        MLC_NODE_CLASS("ir", "type", "TupleType", "(fields, span=None)", "Several values.", make_tuple_type),
        MLC_NODE_CLASS("ir", "type", "FuncType", "(arg_types, ret_type)", "A function.", make_func_type),
        MLC_NODE_CLASS("ir", "type", "StringType", "()", "A text.",
                       +[](ApiCall&) -> Any { return ir::string_type(); }),
        MLC_NODE_CLASS("ir", "type", "OpaqueType", "()", "What has no type.",
                       +[](ApiCall&) -> Any { return ir::opaque_type(); }),
        MLC_NODE_CLASS("tirx", "type", "TensorMapType", "(span=None)", "A descriptor of bulk copies.",
                       +[](ApiCall&) -> Any { return ir::tensor_map_type(); }),
        MLC_NODE_CLASS("tirx", "buffer", "BufferType", "()", "The type of a buffer.", not_constructible),
        MLC_NODE_CLASS("ir", "expr", "Var", "(name=None, ty=None, span=None, *, name_hint=None)",
                       "A variable.", make_var_node),
        MLC_NODE_CLASS("ir", "expr", "GlobalVar", "(name_hint)", "The name of a function of a module.",
                       make_global_var),
        MLC_NODE_CLASS("ir", "expr", "StringImm", "(value, span=None)", "A text as an expression.",
                       make_string),
        MLC_NODE_CLASS("ir", "expr", "Tuple", "(fields, span=None)", "Several values as one.", make_tuple),
        MLC_NODE_CLASS("ir", "expr", "TupleGetItem", "(tuple_value, index, span=None)",
                       "An element of a tuple.", make_tuple_item),
        MLC_NODE_CLASS("ir", "expr", "Call", "(op, args, attrs=None, ty_args=None, span=None, ret_ty=None)",
                       "A call.", make_call),
        MLC_NODE_CLASS("ir", "op", "Op", "()", "An operator.", not_constructible),
        FUNCTION("tvm.ir.Op", "get(op_name)", "The operator of that name.", get_op),
        // Of the two names of a class the later one is shown.
        {ir::ApiKind::kClass, kTirx, "BufferLoad(buffer, indices, span=None)", "An element of a buffer.",
         make_load, "mlc.ir.TensorLoad", "tvm.ir.expr.TensorLoad"},
        {ir::ApiKind::kClass, kTirx, "BufferRegion(buffer, region)", "A box of a buffer.", make_region,
         "mlc.ir.TensorRegion", "tvm.ir.expr.TensorRegion"},
        MLC_NODE_CLASS("ir", "expr", "TensorLoad", "(source, indices, span=None)", "An element of a buffer.",
                       make_load),
        MLC_NODE_CLASS("ir", "expr", "TensorRegion", "(source, region, ty=None, span=None)",
                       "A box of a buffer.", make_region),
        MLC_NODE_CLASS("ir", "expr", "Range", "(begin, end=None, span=None)",
                       "The integers from `begin` below `end`.", make_range),
        FUNCTION("tvm.ir.Range", "from_min_extent(min_value, extent, span=None)",
                 "`extent` integers from `min_value` on.", range_from_min_extent),
        MLC_NODE_CLASS("tirx", "expr", "IterVar", "(dom, var, iter_type, thread_tag=\"\", span=None)",
                       "A variable with its domain and meaning.", make_iter_var),
        ITER_TYPE("DataPar", 0),
        ITER_TYPE("ThreadIndex", 1),
        ITER_TYPE("CommReduce", 2),
        ITER_TYPE("Ordered", 3),
        ITER_TYPE("Opaque", 4),
        ITER_TYPE("Unrolled", 5),
        ITER_TYPE("Vectorized", 6),
        ITER_TYPE("Parallelized", 7),
        ITER_TYPE("Tensorized", 8),
        MLC_NODE_CLASS("tirx", "expr", "CommReducer", "(lhs, rhs, result, identity_element, span=None)",
                       "A commutative combination with its identity.", make_comm_reducer),
        {ir::ApiKind::kClass, kTirx,
         "Reduce(combiner, src, rdom, condition, value_index, init=None, span=None)",
         "A reduction over axes.", make_reduce, "mlc.te.Reduce", "tvm.tirx.expr.Reduce"},
        FUNCTION("tvm.te", "thread_axis(dom=None, tag=\"\", name=None)", "An iterator of threads.",
                 thread_axis),
        FUNCTION("tvm.runtime", "convert(value)", "The value as TVM keeps it: arrays, maps.", convert),
        FUNCTION(kTirx, "convert(expr)", "A number as a constant; a list, each of its elements.",
                 convert_numbers),
        MLC_NODE_CLASS("tirx", "stmt", "BufferRegionType", "()", "The type of regions.",
                       +[](ApiCall&) -> Any { return ir::buffer_region_type(); }),
        FUNCTION(kTirx, "buffer_data(buffer)", "The address of a buffer.", buffer_data),
        FUNCTION(kTirx, "is_buffer_var(value)", "Is it a buffer?", is_buffer_var),
        FUNCTION(kIr, "is_prim_expr(value)", "Is it an expression with a number as value?", is_prim_expr),
        FUNCTION(kIr, "is_prim_var(value)", "Is it a variable for a number?", is_prim_var),
        {ir::ApiKind::kMethod, "mlc.ir.StringImm", "__eq__(other)", "Is it the same text?",
         +[](ApiCall& call) -> Any {
           const String& own = call.args[0].as<ir::StringImmNode>()->value;
           if (script::is_str(call.args[1])) return call.args[1].cast<String>() == own;
           auto* other = call.args[1].as<ir::StringImmNode>();
           return other != nullptr && other->value == own;
         }},
        {ir::ApiKind::kMethod, "mlc.ir.StringImm", "__hash__()", "That of the text.",
         +[](ApiCall& call) -> Any {
           const String& own = call.args[0].as<ir::StringImmNode>()->value;
           return static_cast<int64_t>(std::hash<std::string_view>()(view(own)));
         }},
        {ir::ApiKind::kMethod, "mlc.ir.Expr", "equal(other, span=None)", "The comparison as an expression.",
         equal},
        {ir::ApiKind::kMethod, "mlc.ir.Expr", "expr_ty()", "The type.",
         +[](ApiCall& call) -> Any { return call.args[0].as<ir::ExprNode>()->ty; }},
        {ir::ApiKind::kMethod, "mlc.tirx.SeqStmt", "__getitem__(index)", "One of the statements.",
         +[](ApiCall& call) -> Any {
           const auto& seq = call.args[0].as<ir::SeqStmtNode>()->seq;
           auto index = ir::const_int(expr_arg(call, 1));
           auto size = static_cast<int64_t>(seq.size());
           if (index && *index < 0) *index += size;
           if (!index || *index < 0 || *index >= size) {
             throw ir::Error("index-out-of-range", "a sequence of {} statements has no element {}", size,
                             index ? std::to_string(*index) : "of that number")
                 .at(call.span_of(1))
                 .kind("IndexError");
           }
           return seq[*index];
         }},
        {ir::ApiKind::kMethod, "mlc.tirx.SeqStmt", "__len__()", "The number of statements.",
         +[](ApiCall& call) -> Any {
           return static_cast<int64_t>(call.args[0].as<ir::SeqStmtNode>()->seq.size());
         }},
};
#undef FUNCTION
#undef ITER_TYPE

}  // namespace

std::span<const ir::ApiRow> node_rows() { return node_table; }

void register_node_aliases() {
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  static constexpr std::pair<const char*, const char*> modules[] = {
      {"tvm.prim", "tvm.tirx"},
      {"tvm.ir.prim", "tvm.tirx"},
      {"tvm.tirx.expr", "tvm.tirx"},
      {"tvm.tirx.stmt", "tvm.tirx"},
      {"tvm.tirx.op", "tvm.tirx"},
      {"tvm.tirx.buffer", "tvm.tirx"},
      {"tvm.tirx.function", "tvm.tirx"},
      {"tvm.ir.expr", "tvm.ir"},
      {"tvm.ir.type", "tvm.ir"},
      {"tvm.ir.op", "tvm.ir"},
      {"tvm.ir.base", "tvm.ir"},
      {"tvm.ir.function", "tvm.ir"},
      {"tvm.s_tir.stmt", "tvm.s_tir"},
      {"tvm.tirx.function.Range", "tvm.ir.Range"},
      {"tvm.tirx.stmt.Range", "tvm.ir.Range"},
      {"tvm.tirx.buffer.Type", "tvm.ir.Type"},
      {"tvm.tirx.stmt.Type", "tvm.ir.Type"},
      {"tvm.tirx.buffer.PrimType", "tvm.ir.PrimType"},
      {"tvm.tirx.op.PrimType", "tvm.ir.PrimType"},
      {"tvm.tirx.buffer.PointerType", "tvm.ir.PointerType"},
      {"tvm.tirx.op.PointerType", "tvm.ir.PointerType"},
      {"tvm.tirx.op.Op", "tvm.ir.Op"},
      {"tvm.tirx.stmt.StringImm", "tvm.ir.StringImm"},
      {"tvm.tirx.function.BaseFunc", "tvm.ir.BaseFunc"},
      {"tvm.tirx.op.TensorLoad", "tvm.ir.TensorLoad"},
      {"tvm.tirx.op.TensorRegion", "tvm.ir.TensorRegion"},
      {"tvm.tirx.stmt.TensorRegion", "tvm.ir.TensorRegion"},
      {"tvm.tirx.expr.Span", "tvm.ir.Span"},
      {"tvm.tirx.op.Span", "tvm.ir.Span"},
      {"tvm.tirx.stmt.Span", "tvm.ir.Span"},
      {"tvm.s_tir.stmt.Buffer", "tvm.ir.Var"},
      {"tvm.s_tir.stmt.Stmt", "tvm.tirx.Stmt"},
      {"tvm.s_tir.stmt.IterVar", "tvm.tirx.IterVar"},
      {"tvm.s_tir.stmt.TensorRegion", "tvm.ir.TensorRegion"},
      {"tvm.s_tir.stmt.Expr", "tvm.ir.Expr"},
      {"tvm.te.CommReducer", "tvm.tirx.CommReducer"},
      {"tvm.te.Reduce", "tvm.tirx.Reduce"},
      {"tvm.te.operation.convert", "tvm.runtime.convert"},
      {"tvm.te.tensor.is_prim_expr", "tvm.ir.is_prim_expr"},
      {"tvm.te.logaddexp", "tvm.tirx.logaddexp"},
      {"tvm.tirx.TileLayout", "tvm.tirx.layout.TileLayout"},
      {"tvm.tirx.ComposeLayout", "tvm.tirx.layout.ComposeLayout"},
      {"tvm.ir.get_global_func", "tvm.get_global_func"},
      {"tvm.tirx.Var", "tvm.ir.Var"},
      {"tvm.tirx.Buffer", "tvm.ir.Var"},
      {"tvm.tirx.Expr", "tvm.ir.Expr"},
      {"tvm.tirx.LetStmt", "tvm.tirx.Bind"},
      {"tvm.ir.IntImm", "tvm.tirx.IntImm"},
      {"tvm.ir.FloatImm", "tvm.tirx.FloatImm"},
      {"tvm.tirx.Call", "tvm.ir.Call"},
      {"tvm.runtime.const", "tvm.tirx.const"},
      {"tvm.script.tirx.BufferLoad", "tvm.tirx.BufferLoad"},
      {"tvm.script.tirx.Call", "tvm.ir.Call"},
      {"tvm.script.tirx.CommReducer", "tvm.tirx.CommReducer"},
      {"tvm.script.tirx.IterVar", "tvm.tirx.IterVar"},
      {"tvm.script.tirx.Reduce", "tvm.tirx.Reduce"},
      {"tvm.script.tirx.Var", "tvm.ir.Var"},
      {"tvm.tirx.fma", "tvm.script.tirx.fma"},
      {"tvm.tirx.sum", "tvm.te.sum"},
      {"tvm.tirx.comm_reducer", "tvm.te.comm_reducer"}};
  for (const auto& [from, to] : modules) registry.alias(from, to);
  for (const ir::ApiRow& row : arithmetic_rows()) {
    std::string_view name = row.signature.substr(0, row.signature.find('('));
    if (row.kind == ir::ApiKind::kClass)
      registry.alias(fmt::format("tvm.script.tirx.{}", name), fmt::format("tvm.tirx.{}", name));
  }
  // Operators that T and tvm.tirx share: all but those that T has under two names.
  for (std::span<const ir::ApiRow> rows : {call_rows(), device_rows(), device_form_rows()}) {
    for (const ir::ApiRow& row : rows) {
      std::string_view name = row.signature.substr(0, row.signature.find('('));
      if (row.owner == kT && !name.starts_with("tvm_call_"))
        registry.alias(fmt::format("tvm.tirx.{}", name), fmt::format("tvm.script.tirx.{}", name));
    }
  }
}

}  // namespace mlc::tvmscript
