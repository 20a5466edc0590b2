// SPDX-License-Identifier: Apache-2.0
// Tensors on meshes of devices: the operators that say how they lie, and the types of calls of all others.
#include "ir/relax/axis_groups.h"
#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax {

namespace operators_dist {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-a-mesh",
         .kind = "TypeError",
         .message =
             "argument `{}` of `{}` must be a mesh, as `R.device_mesh((2,), I.Range(0, 2))`, not `{}`"},
        {.name = "not-a-placement",
         .kind = "TypeError",
         .message = "argument `{}` of `{}` must be a placement such as \"S[0], R\", not `{}`"},
        {.name = "callee-not-in-module",
         .kind = "TypeError",
         .message = "`{}` calls a tensor function of the module, such as `Module.f`, not `{}`"},
        {.name = "redistributed-off-mesh",
         .kind = "InternalError+TypeError",
         .message = "`dist.redistribute` of a {}",
         .help = "it moves tensors that lie on a mesh (`R.DTensor`); `R.dist.annotate_sharding` says how "
                 "another is to lie"},
        {.name = "result-without-shape",
         .message = "result {} of `{}` has no shape that is written out",
         .help = "declare it: `out_ty=R.DTensor((4, 6), \"float32\", \"mesh[0]\", \"S[0]\")`"},
        {.name = "result-off-mesh",
         .kind = "TypeError",
         .message = "result {} of `{}` is a {}",
         .help =
             "what it yields lies on a mesh: `out_ty=R.DTensor((4, 6), \"float32\", \"mesh[0]\", \"S[0]\")`"},
        {.name = "not-on-meshes",
         .kind = "InternalError+ValueError",
         .message = "`{}` has no rule for tensors on a mesh",
         .help = "legalize it first: `R.dist.call_tir` of its tensor function has one"},
        {.name = "tensors-mixed",
         .kind = "InternalError+ValueError",
         .message = "`{}`: {} is a tensor that lies on no mesh, another is on one",
         .help = "declare both as `R.DTensor`"},
        {.name = "meshes-differ",
         .kind = "InternalError+ValueError",
         .message = "`{}`: its operands lie on different meshes",
         .help = "redistribute one of them: `R.dist.redistribute(x, \"mesh[0]\", \"R\")`"},
        {.name = "shape-on-mesh",
         .message = "`{}`: the shape of {} must be written out where it lies on a mesh"},
        {.name = "result-shape-on-mesh",
         .message =
             "`{}`: the shape of the result does not follow from those of the operands, which lie on a mesh"},
        {.name = "mesh-operand-count",
         .kind = "IndexError",
         .message = "`{}` takes two tensors where one lies on a mesh",
         .help = "make the number a constant on the mesh: `R.dist.const(1, R.DTensor((), \"float32\", "
                 "\"mesh[0]\", \"R\"))`"},
        {.name = "mesh-of-one-dimension",
         .kind = "InternalError+ValueError",
         .message = "`{}` works on meshes of one dimension, this one has {}"},
        {.name = "replica-wanted",
         .kind = "InternalError+ValueError",
         .message = "`{}` takes a tensor of which each device has a copy, not \"{}\""},
    }};
MLC_REFUSALS(op_dist, refusals);

namespace {

Any mesh_arg(const ApiCall& call, size_t i) {
  if (auto* mesh = call.args[i].as<DeviceMeshNode>()) return ref(mesh);
  throw ir::refuse(refusals["not-a-mesh"], call.api.params[i].name, call.api.name,
                   ir::type_name(call.args[i]))
      .at(call.span_of(i));
}
Any placement_arg(const ApiCall& call, size_t i) {
  if (auto* placement = call.args[i].as<PlacementNode>()) return ref(placement);
  if (auto text = call.args[i].try_cast<String>()) {
    try {
      return parse_placement(view(*text));
    } catch (ir::Error& error) {
      throw std::move(error).at(call.span_of(i));
    }
  }
  throw ir::refuse(refusals["not-a-placement"], call.api.params[i].name, call.api.name,
                   ir::type_name(call.args[i]))
      .at(call.span_of(i));
}

Call build_distribution(const ApiCall& call, std::string_view name) {
  Map<String, Any> attrs{{String("device_mesh"), mesh_arg(call, 1)},
                         {String("placement"), placement_arg(call, 2)}};
  return make_call(name, {operand_arg(call, 0)}, attrs, {}, call.span);
}
Any build_annotate(ApiCall& call) { return build_distribution(call, "relax.dist.annotate_sharding"); }
Any build_redistribute(ApiCall& call) { return build_distribution(call, "relax.dist.redistribute"); }

// What a call of a tensor function on a mesh yields: types with written shapes, one or a tuple of them.
Array<Type> results(const ApiCall& call, size_t i) {
  std::vector<Any> given{call.args[i]};
  if (auto list = call.args[i].try_cast<Array<Any>>()) given.assign(list->begin(), list->end());
  Array<Type> types;
  for (size_t k = 0; k < given.size(); ++k) {
    auto* type = given[k].as<TypeNode>();
    const auto* one = type ? as_type<DTensorTypeNode>(ref(type)) : nullptr;
    if (!one) {
      std::string seen =
          type ? std::string(kind_name(ref(type))) : fmt::format("`{}`", ir::type_name(given[k]));
      throw ir::refuse(refusals["result-off-mesh"], k + 1, call.api.name, seen).at(call.span_of(i));
    }
    if (!as<ShapeExprNode>(one->tensor_ty->shape))
      throw ir::refuse(refusals["result-without-shape"], k + 1, call.api.name).at(call.span_of(i));
    types.push_back(ref(type));
  }
  if (types.size() == 1) return types;
  return {Type(make<TupleTypeNode>(types))};
}
Call build_tir_call(const ApiCall& call, std::string_view name) {
  if (!call.args[0].as<ir::GlobalVarNode>())
    throw ir::refuse(refusals["callee-not-in-module"], call.api.name, ir::type_name(call.args[0]))
        .at(call.span_of(0));
  Expr args = wide_operand_arg(call, 1);
  if (args->kind != ExprKind::kTuple) args = make<TupleNode>(Array<Expr>{args}, args->span);
  return make_call(name, {operand_arg(call, 0), args}, {}, results(call, 2), call.span);
}
Any build_call_tir(ApiCall& call) { return build_tir_call(call, "relax.call_tir"); }
Any build_local_view(ApiCall& call) { return build_tir_call(call, "relax.dist.call_tir_local_view"); }

// ---- types ----

Type infer_annotate(const CallNode* call, const InferContext&) { return call->args[0]->ty; }

Type infer_redistribute(const CallNode* call, const InferContext&) {
  const auto* type = type_as<DTensorTypeNode>(call->args[0]);
  if (!type)
    throw ir::refuse(refusals["redistributed-off-mesh"], kind_name(call->args[0]->ty))
        .at(operand_span(call, 0));
  try {
    return dtensor_type(type->tensor_ty, attr(call, "device_mesh").cast<DeviceMesh>(),
                        attr(call, "placement").cast<Placement>());
  } catch (ir::Error& error) {
    throw std::move(error).at(call->span);
  }
}

Type infer_local_view(const CallNode* call, const InferContext&) { return call->ty_args[0]; }

Placement copies(const DeviceMesh& mesh) {
  std::vector<PlacementSpec> all = replicas(mesh);
  return make<PlacementNode>(Array<PlacementSpec>(all.begin(), all.end()));
}

// The rule of the operator for the whole tensors.
Type infer_whole(const Operator& row, const CallNode* call, const InferContext& context) {
  Call whole = ir::with(ref(call), [](ir::CallNode& n) {
    for (size_t i = 0; i < n.args.size(); ++i) {
      const auto* type = type_as<DTensorTypeNode>(n.args[i]);
      if (type)
        n.args.Set(static_cast<int64_t>(i),
                   make<VarNode>(String("x"), Type(type->tensor_ty), n.args[i]->span));
    }
  });
  return row.infer(whole.get(), context);
}

Type infer_to_shard(const CallNode* call, const DTensorTypeNode* type, const Operator& row,
                    const InferContext& context) {
  infer_whole(row, call, context);  // for its checks
  if (type->device_mesh->shape.size() != 1)
    throw ir::refuse(refusals["mesh-of-one-dimension"], call_name(call), type->device_mesh->shape.size())
        .at(call->span);
  if (type->placement->dim_specs[0]->shards())
    throw ir::refuse(refusals["replica-wanted"], call_name(call), placement_text(type->placement))
        .at(call->span);
  return dtensor_type(type->tensor_ty, type->device_mesh,
                      make<PlacementNode>(Array<PlacementSpec>{sharding(int_attr(call, "axis"))}));
}

void check_operands(const CallNode* call, const MeshOperator& row) {
  DeviceMesh mesh;
  for (size_t i = 0; i < call->args.size(); ++i) {
    const auto* type = type_as<DTensorTypeNode>(call->args[i]);
    if (!type) continue;
    if (mesh && !same_mesh(mesh, type->device_mesh))
      throw ir::refuse(refusals["meshes-differ"], call_name(call)).at(operand_span(call, i));
    mesh = type->device_mesh;
    if (row.rule != MeshRule::kUnary && row.rule != MeshRule::kSame &&
        !as<ShapeExprNode>(type->tensor_ty->shape))
      throw ir::refuse(refusals["shape-on-mesh"], call_name(call), operand_name(call, i))
          .at(operand_span(call, i));
  }
  if (row.rule != MeshRule::kBinary && row.rule != MeshRule::kMatmul) return;
  for (const Expr& arg : call->args) {
    if (!type_as<DTensorTypeNode>(arg))
      throw ir::refuse(refusals["mesh-operand-count"], call_name(call)).at(call->span);
  }
}

constexpr Operator kRows[] = {
    {.signature = "dist.annotate_sharding(input, device_mesh, placement)",
     .doc = "The tensor; says how it is to lie on a mesh, for PropagateSharding.",
     .infer = infer_annotate,
     .operands = 1,
     .attrs = {{{"device_mesh"}, {"placement"}}, "DistributionAttrs"},
     .build = build_annotate},
    {.signature = "dist.redistribute(input, device_mesh, placement)",
     .doc = "The tensor as it lies on another mesh or with another placement.",
     .infer = infer_redistribute,
     .operands = 1,
     .attrs = {{{"device_mesh"}, {"placement"}}, "DistributionAttrs"},
     .build = build_redistribute},
    {.signature = "dist.call_tir_local_view(gvar, args, out_ty)",
     .arguments = "func Expr; args Tuple",
     .doc = "A tensor function of the module, which each device calls with its parts of the tensors.",
     .infer = infer_local_view,
     .operands = 2,
     .build = build_local_view},
    {.signature = "dist.call_tir(func, args, out_ty)",
     .doc = "`R.call_tir` with results that lie on a mesh.",
     .operands = 2,
     .build = build_call_tir,
     .sugar = true},
};

}  // namespace

extern const Operators dist;
const Operators dist{kRows};

}  // namespace operators_dist

Type infer_on_mesh(const CallNode* call, const InferContext& context) {
  using namespace operators_dist;
  const Operator* operator_row = operator_of(call->op);
  const MeshOperator* row = mesh_operator(operator_name(*operator_row));
  if (!row || !row->infers) throw ir::refuse(refusals["not-on-meshes"], call_name(call)).at(call->span);
  for (size_t i = 0; i < call->args.size(); ++i) {
    if (type_as<TensorTypeNode>(call->args[i]))
      throw ir::refuse(refusals["tensors-mixed"], call_name(call), operand_name(call, i))
          .at(operand_span(call, i));
  }
  const auto* first = type_as<DTensorTypeNode>(call->args[0]);
  if (row->rule == MeshRule::kSame) return call->args[0]->ty;
  if (row->rule == MeshRule::kSpecial) {
    if (row->name == "dist.redistribute") return infer_redistribute(call, context);
    if (row->name == "ccl.allreduce")
      return dtensor_type(first->tensor_ty, first->device_mesh, copies(first->device_mesh));
    return infer_to_shard(call, first, *operator_row, context);
  }
  check_operands(call, *row);
  Type whole = infer_whole(*operator_row, call, context);
  if (row->rule == MeshRule::kUnary) return with_tensor(first, whole);
  const auto* result = as_type<TensorTypeNode>(whole);
  if (!result->dims()) throw ir::refuse(refusals["result-shape-on-mesh"], call_name(call)).at(call->span);
  return place_result(call->args, whole, call->span, [&](AxisGroups& groups, const Var& output) {
    join_axes(groups, *row, output, call, context);
  });
}

}  // namespace mlc::relax
