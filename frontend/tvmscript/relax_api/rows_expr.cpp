// SPDX-License-Identifier: Apache-2.0
// Expressions, bindings and blocks of the graph language made by hand: the constructors of tvm.relax.
#include "frontend/tvmscript/relax_api/rows.h"

#include "frontend/tvmscript/relax/graph_builder.h"
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "expression-without-type",
         .kind = "InternalError+ValueError",
         .message = "the type of the expression is not known yet",
         .help = "`BlockBuilder().normalize(expr)` infers it"},
        {.name = "no-tensor-shape",
         .kind = "InternalError+ValueError",
         .message = "the shape of a {} is asked for",
         .help = "tensors have shapes"},
        {.name = "value-called", .kind = "TypeError", .message = "a {} is called, which is no function"},
    }};
MLC_REFUSALS(relax_api_rows_expr, refusals);

relax::Expr graph_arg(const ApiCall& call, size_t i) {
  const Any& value = call.args[i];
  if (auto e = value.as<Expr>(); e && *e) return *e;
  if (is_list(value)) {
    Array<Expr> fields;
    for (const Any& one : script::elements(value)) {
      auto e = one.as<Expr>();
      if (!e || !*e) ir::wrong_argument(call, i, "an expression");
      fields.push_back(*e);
    }
    return ir::make<ir::TupleNode>(fields, call.span_of(i));
  }
  ir::wrong_argument(call, i, "an expression");
}

relax::Function function_arg(const ApiCall& call, size_t i) {
  return node_arg<relax::FunctionNode>(call, i, "a function of the graph language");
}

namespace {

using relax::BindingBlockNode;
using relax::BindingNode;
using relax::DataflowBlockNode;
using relax::IfNode;
using relax::SeqExprNode;
using relax::ShapeExprNode;

// DataflowVar(name=None, ty=None, span=None, *, name_hint=None)
Any make_dataflow_var(ApiCall& call) {
  const Any& name = is_given(call, 0) ? call.args[0] : call.args[3];
  if (!script::is_str(name)) ir::wrong_argument(call, 0, "str");
  Type type = is_given(call, 1) ? type_from(call.args[1], call.span_of(1)) : Type(ir::opaque_type());
  return Expr(relax::make_var(true, name.cast<String>(), type, call.span));
}
Any make_shape(ApiCall& call) {
  Expr shape = relax::shape_arg(call, 0);
  if (!ir::as<ShapeExprNode>(shape)) ir::wrong_argument(call, 0, "a list of dimensions");
  return shape;
}
// A value is a sequence: of its own, or without bindings.
relax::SeqExpr sequence_of(const Expr& e) {
  if (auto* seq = ir::as<SeqExprNode>(e)) return ir::ref(seq);
  return ir::make<SeqExprNode>(Array<relax::BindingBlock>{}, e, e->span);
}
Any make_if(ApiCall& call) {
  return Expr(ir::make<IfNode>(graph_arg(call, 0), sequence_of(graph_arg(call, 1)),
                               sequence_of(graph_arg(call, 2)), Type(), call.span));
}
Any make_sequence(ApiCall& call) {
  return Expr(ir::make<SeqExprNode>(node_list<BindingBlockNode>(call, 0, "a list of blocks"),
                                    graph_arg(call, 1), call.span));
}
Any make_var_binding(ApiCall& call) {
  return ir::make<relax::VarBindingNode>(node_arg<ir::VarNode>(call, 0, "a variable"), graph_arg(call, 1),
                                         call.span);
}
Any make_match_cast(ApiCall& call) {
  return ir::make<relax::MatchCastNode>(node_arg<ir::VarNode>(call, 0, "a variable"), graph_arg(call, 1),
                                        type_arg(call, 2), call.span);
}
Any make_block(ApiCall& call) {
  return ir::make<BindingBlockNode>(node_list<BindingNode>(call, 0, "a list of bindings"), call.span);
}
Any make_dataflow_block(ApiCall& call) {
  return ir::make<DataflowBlockNode>(node_list<BindingNode>(call, 0, "a list of bindings"), call.span);
}

// GenericConst(value, ty=None, span=None)
Any make_constant(ApiCall& call) {
  const Any& value = call.args[0];
  if (is_given(call, 1)) return Expr(ir::make<relax::GenericConstNode>(value, type_arg(call, 1), call.span));
  if (!value.as<ffi::Tensor>()) ir::wrong_argument(call, 0, "Tensor");
  return Expr(ir::make<relax::GenericConstNode>(value, call.span));
}
Any constant_data(ApiCall& call) { return call.args[0].as<relax::GenericConstNode>()->value; }

const Array<Expr>& dims_of(const ApiCall& call) { return call.args[0].as<ShapeExprNode>()->values; }
Any shape_size(ApiCall& call) { return static_cast<int64_t>(dims_of(call).size()); }
// The shape of a tensor: an expression that its type holds, or a call that asks for it.
Any get_shape_of(ApiCall& call) {
  Expr e = graph_arg(call, 0);
  if (!e->ty || e->ty->kind == ir::TypeKind::kOpaque)
    throw ir::refuse(refusals["expression-without-type"]).at(call.span_of(0));
  auto* tensor = relax::type_as<relax::TensorTypeNode>(e);
  if (!tensor) throw ir::refuse(refusals["no-tensor-shape"], relax::kind_name(e->ty)).at(call.span_of(0));
  if (tensor->shape) return tensor->shape;
  relax::Call made = relax::make_call("relax.shape_of", {e}, {}, {}, call.span);
  return Expr(ir::with(made, [&](ir::CallNode& n) { n.ty = ir::make<relax::ShapeTypeNode>(tensor->ndim); }));
}

bool can_be_called(const Expr& e) {
  if (!e->ty) return true;
  using enum ir::TypeKind;
  ir::TypeKind kind = e->ty->kind;
  return kind == kFunction || kind == kFunc || kind == kOpaque;
}
// What a call of a graph function or of an opaque value is.
Any call_graph(ApiCall& call) {
  if (GraphBuilder::current_or_null()) return call_graph_function(call);
  auto callee = call.args[0].cast<Expr>();
  if (!can_be_called(callee))
    throw ir::refuse(refusals["value-called"], relax::kind_name(callee->ty)).at(call.span);
  Array<Expr> args;
  for (const Any& one : script::elements(call.args[1]))
    args.push_back(script::as_expr(one, call.span, "an argument"));
  return Expr(ir::make<ir::CallNode>(Type(), callee, args, attributes_arg(call, 2), call.span));
}

Any type_of_expr(ApiCall& call) { return call.args[0].as<ir::ExprNode>()->ty; }
Any type_of_result(ApiCall& call) { return call.args[0].as<relax::FunctionNode>()->ret_ty; }
Any types_given(ApiCall& call) { return call.args[0].as<ir::CallNode>()->ty_args; }

#define EXPR(name, params, doc, body) \
  { ir::ApiKind::kClass, kRelax, name params, doc, body, "mlc.relax.expr." name, "tvm.relax.expr." name }
#define METHOD(owner, signature, doc, body) \
  { ir::ApiKind::kMethod, owner, signature, doc, body }
#define CALLABLE(owner) METHOD(owner, "__call__(*args, attrs=None)", "Calls it.", call_graph)
constexpr ir::ApiRow relax_expr_table[] = {
    EXPR("DataflowVar", "(name=None, ty=None, span=None, *, name_hint=None)",
         "A variable that only its dataflow block sees.", make_dataflow_var),
    EXPR("ShapeExpr", "(values, span=None)", "A shape as a value.", make_shape),
    EXPR("SeqExpr", "(blocks, body, span=None)", "Blocks of bindings, then the value.", make_sequence),
    EXPR("If", "(cond, true_branch, false_branch, span=None)", "One of two values.", make_if),
    EXPR("Binding", "()", "Any binding.", not_constructible),
    EXPR("VarBinding", "(var, value, span=None)", "A variable and its value.", make_var_binding),
    EXPR("MatchCast", "(var, value, ty, span=None)", "A value whose type is checked when the program runs.",
         make_match_cast),
    EXPR("BindingBlock", "(bindings, span=None)", "Bindings in order.", make_block),
    EXPR("DataflowBlock", "(bindings, span=None)", "Bindings without effects or control flow.",
         make_dataflow_block),
    {ir::ApiKind::kClass, "tvm.ir", "GenericConst(value, ty=None, span=None)", "A constant.", make_constant,
     "mlc.ir.GenericConst", "tvm.ir.expr.GenericConst"},
    {ir::ApiKind::kProperty, "mlc.ir.GenericConst", "data", "The tensor.", constant_data},
    METHOD("mlc.relax.expr.ShapeExpr", "__len__()", "The number of dimensions.", shape_size),
    {ir::ApiKind::kProperty, "mlc.ir.Expr", "struct_info", "The type.", type_of_expr},
    {ir::ApiKind::kProperty, "mlc.ir.Expr", "struct_info_", "The type.", type_of_expr},
    {ir::ApiKind::kProperty, "mlc.relax.expr.Function", "ret_struct_info", "The type of the result.",
     type_of_result},
    {ir::ApiKind::kProperty, "mlc.ir.Call", "sinfo_args", "The types that the call names.", types_given},
    CALLABLE("mlc.ir.Var"),
    CALLABLE("mlc.ir.Call"),
    CALLABLE("mlc.ir.TupleGetItem"),
    CALLABLE("mlc.relax.expr.Function"),
    CALLABLE("mlc.relax.expr.ExternFunc"),
    CALLABLE("mlc.ir.GenericConst"),
    CALLABLE("mlc.relax.expr.If"),
    CALLABLE("mlc.relax.expr.SeqExpr"),
    {ir::ApiKind::kFunction, kRelax, "get_shape_of(expr)", "The shape of a tensor.", get_shape_of},
};
#undef EXPR
#undef METHOD
#undef CALLABLE

// Nodes that graphs share with tensor code, and the files of TVM that define the others.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"tvm.relax.Var", "tvm.ir.Var"},
    {"tvm.relax.Call", "tvm.ir.Call"},
    {"tvm.relax.Tuple", "tvm.ir.Tuple"},
    {"tvm.relax.TupleGetItem", "tvm.ir.TupleGetItem"},
    {"tvm.relax.GlobalVar", "tvm.ir.GlobalVar"},
    {"tvm.relax.Expr", "tvm.ir.Expr"},
    {"tvm.relax.BaseFunc", "tvm.ir.BaseFunc"},
    {"tvm.relax.Type", "tvm.ir.Type"},
    {"tvm.relax.TupleType", "tvm.ir.TupleType"},
    {"tvm.relax.PrimType", "tvm.ir.PrimType"},
    {"tvm.relax.GenericConst", "tvm.ir.GenericConst"},
    {"tvm.relax.Constant", "tvm.ir.GenericConst"},
    {"tvm.relax.StringImm", "tvm.ir.StringImm"},
    {"tvm.relax.ObjectType", "tvm.relax.AnyType"},
    {"tvm.relax.StructInfo", "tvm.ir.Type"},
    {"tvm.relax.TensorStructInfo", "tvm.relax.TensorType"},
    {"tvm.relax.ShapeStructInfo", "tvm.relax.ShapeType"},
    {"tvm.relax.FuncStructInfo", "tvm.relax.FuncType"},
    {"tvm.relax.TupleStructInfo", "tvm.ir.TupleType"},
    {"tvm.relax.PrimStructInfo", "tvm.ir.PrimType"},
    {"tvm.relax.ObjectStructInfo", "tvm.relax.AnyType"},
    {"tvm.relax.VDevice", "tvm.script.ir.vdevice"},
    {"tvm.relax.DummyGlobalInfo", "tvm.script.ir.dummy_global_info"},
    {"tvm.relax.global_info.VDevice", "tvm.script.ir.vdevice"},
    {"tvm.relax.global_info.DummyGlobalInfo", "tvm.script.ir.dummy_global_info"},
    {"tvm.relax.analysis.struct_info_lca", "tvm.relax.analysis.type_lca"},
    {"tvm.relax.analysis.get_static_struct_info", "tvm.relax.analysis.get_static_type"},
    {"tvm.relax.analysis.tir_vars_in_struct_info", "tvm.relax.analysis.tir_vars_in_type"},
    {"tvm.relax.analysis.definable_tir_vars_in_struct_info", "tvm.relax.analysis.definable_tir_vars_in_type"},
    {"tvm.relax.const", "tvm.script.relax.const"},
    {"tvm.relax.call_tir", "tvm.relax.op.call_tir"},
    {"tvm.relax.call_tir_inplace", "tvm.relax.op.call_tir_inplace"},
    {"tvm.relax.call_tir_with_grad", "tvm.relax.op.call_tir_with_grad"},
    {"tvm.relax.call_dps_packed", "tvm.relax.op.call_dps_packed"},
    {"tvm.relax.call_pure_packed", "tvm.relax.op.call_pure_packed"},
    {"tvm.relax.op.distributed", "tvm.relax.op.dist"},
    {"tvm.relax.op.all_class_non_max_suppression", "tvm.relax.op.vision.all_class_non_max_suppression"},
    {"tvm.relax.op.get_valid_counts", "tvm.relax.op.vision.get_valid_counts"},
    {"tvm.relax.op.multibox_transform_loc", "tvm.relax.op.vision.multibox_transform_loc"},
    {"tvm.relax.op.non_max_suppression", "tvm.relax.op.vision.non_max_suppression"},
    {"tvm.relax.op.roi_align", "tvm.relax.op.vision.roi_align"},
    {"tvm.relax.op.roi_pool", "tvm.relax.op.vision.roi_pool"},
    {"tvm.script.ir.Range", "tvm.ir.Range"},
    {"tvm.script.relax.dist.DeviceMesh", "tvm.relax.distributed.DeviceMesh"},
    {"tvm.script.relax.dist.Placement", "tvm.relax.distributed.Placement"},
    {"tvm.script.relax.dist.DTensorType", "tvm.relax.distributed.DTensorType"},
    {"tvm.relax.expr", "tvm.relax"},
    {"tvm.relax.type", "tvm.relax"},
    {"tvm.relax.ty", "tvm.relax"},
    {"tvm.relax.struct_info", "tvm.relax"},
};

}  // namespace

std::span<const ir::ApiRow> relax_expr_rows() { return relax_expr_table; }

void register_relax_api() {
  auto& registry = ir::ApiRegistry::global();
  registry.add(relax_expr_rows);
  registry.add(relax_type_rows);
  registry.add(relax_function_rows);
  registry.add(relax_builder_rows);
  registry.add(relax_gradient_rows);
  registry.add(relax_rewrite_rows);
  registry.add(relax_analysis_rows);
  registry.add(relax_distributed_rows);
  for (const auto& [from, to] : aliases) registry.alias(std::string(from), std::string(to));
}

}  // namespace mlc::tvmscript
