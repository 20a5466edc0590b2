// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/graph/buffer_axes.h"
#include "transform/graph/calls.h"
#include "transform/graph/mesh_functions.h"

namespace mlc::transform::pass_propagate_sharding {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "no-mesh",
         .message = "nothing says on which mesh `{}` lies",
         .help = "annotate it, or what it is computed with: `R.dist.annotate_sharding(x, \"mesh[0]\", \"R\")`"},
        {.name = "two-meshes", .message = "`{}` would lie on two meshes"},
        {.name = "axes-share-mesh-dimension",
         .message = "axes {} and {} of `{}` would both be sharded along dimension {} of the mesh",
         .help = "say with `R.dist.annotate_sharding` how it lies"},
        {.name = "constant-sharded",
         .message = "a constant would be sharded along its axis {}",
         .help = "make it a parameter of the function"},
        {.name = "sharded-shape-unknown", .message = "`{}` would be sharded, and its shape is not written out"},
        {.name = "unknown-tensor-function", .message = "`R.call_tir` calls what is no tensor function of the module"},
    }};
MLC_REFUSALS(pass_relax_propagate_sharding, refusals);

namespace {

constexpr char doc[] = R"(PropagateSharding(): place all tensors of a function on a mesh, from annotations of some.

    def f(x: R.Tensor((128, 128)), w: R.Tensor((128, 128))):      def f(x: R.DTensor((128, 128), mesh, "R"),
        a = R.dist.annotate_sharding(w, mesh, "S[1]")        =>         w: R.DTensor((128, 128), mesh, "S[1]")):
        b = R.matmul(x, a)                                            b: R.DTensor((128, 128), mesh, "S[1]") = R.matmul(x, w)
needs: shapes that are written out; operators with a rule for tensors on meshes, or calls of tensor functions.
keeps: values. Where what an operator makes of its operands does not lie as it should, an R.dist.redistribute follows.
An axis is sharded as those that the operators tie it to. Where annotations compete, one from operands counts more than
one from results; an axis shorter than the dimension of the mesh is not sharded. After Xu et al., GSPMD, 2021.
First of the passes on meshes: functions without annotations stay as they are.)";

using Edge = AxisGroups::Edge;

// The types of a tensor, or of the tensors of a tuple; nullopt for other values.
std::optional<std::vector<TensorType>> tensors_of(const Type& type) {
  std::vector<TensorType> all;
  Array<Type> fields{type};
  if (const auto* tuple = as_type<TupleTypeNode>(type)) fields = tuple->elements;
  for (const Type& field : fields) {
    const auto* tensor = as_type<TensorTypeNode>(field);
    if (!tensor) return std::nullopt;
    all.push_back(ref(tensor));
  }
  if (all.empty()) return std::nullopt;
  return all;
}

bool is_tensor_axis_holder(const Expr& e) {
  return e->kind == ExprKind::kVar || e->kind == ExprKind::kGenericConst;
}

// The axes that the bindings of a function tie together, and what annotations say of them.
struct Collect final : Visitor {
  AxisGroups& groups;
  const IRModule& mod;
  InferContext context;
  Expr call_tir = relax::op("relax.call_tir");
  Expr annotate = relax::op("relax.dist.annotate_sharding");

  Collect(AxisGroups& groups, const IRModule& mod, Host& host) : groups(groups), mod(mod), context(host, mod) {}

  void visit_binding(const Binding& binding) override {
    if (!as_match_cast(binding)) {
      if (auto* call = as<CallNode>(binding->value)) {
        from_call(binding->var, call);
      } else if (auto* item = as<TupleGetItemNode>(binding->value)) {
        from_item(binding->var, item);
      } else if (binding->value->kind == ExprKind::kVar) {
        from_var(binding->var, binding->value);
      }
    }
    walk_binding(binding);
  }

  void from_call(const Var& var, const CallNode* call) {
    if (call->op.same_as(call_tir)) {
      if (PrimFunc fn = called_tensor_function(call, mod)) join_tensor_function(groups, var, call, fn);
    } else if (auto* op = as<ir::OpNode>(call->op)) {
      const MeshOperator* row = mesh_operator(text(op->name));
      if (row && row->propagates && joinable(*row, call)) join_axes(groups, *row, var, call, context);
    }
    const Array<Expr> operands = call->op.same_as(call_tir) ? tuple_elements(call->args[1]) : call->args;
    for (const Expr& operand : operands) {
      if (type_as<TensorTypeNode>(operand) && is_tensor_axis_holder(operand))
        groups.join({operand.get(), -1}, {var.get(), -1}, Edge::kToConsumer);
    }
    if (!call->op.same_as(annotate)) return;
    auto mesh = attr(call, "device_mesh").cast<DeviceMesh>();
    auto placement = attr(call, "placement").cast<Placement>();
    const auto* tensor = type_as<TensorTypeNode>(var);
    if (!tensor) throw ir::refuse(refusals["sharded-shape-unknown"], text(var->name)).at(call->span);
    try {
      dtensor_type(ref(tensor), mesh, placement);  // for its checks
    } catch (ir::Error& error) {
      throw std::move(error).at(call->span);
    }
    for (size_t d = 0; d < placement->dim_specs.size(); ++d) {
      const PlacementSpec& spec = placement->dim_specs[d];
      if (spec->shards()) groups.add_source({var.get(), spec->axis}, {mesh, static_cast<int64_t>(d)});
    }
    groups.add_source({var.get(), -1}, {mesh, -1});
  }
  // Are all dimensions that the rule of the operator looks at written out?
  static bool joinable(const MeshOperator& row, const CallNode* call) {
    if (row.rule == MeshRule::kUnary || row.rule == MeshRule::kSame) {
      const TensorTypeNode* tensor = whole_tensor(call->args[0]->ty);
      return tensor && tensor->knows_ndim();
    }
    bool any = false;
    for (const Expr& arg : call->args) {
      const TensorTypeNode* tensor = whole_tensor(arg->ty);
      if (tensor && !as<ShapeExprNode>(tensor->shape)) return false;
      any = any || tensor;
    }
    return any;
  }
  void from_item(const Var& var, const TupleGetItemNode* item) {
    const ExprNode* tuple = item->tuple_value.get();
    groups.join({tuple, -1, item->index}, {var.get(), -1}, Edge::kToConsumer);
    const auto* tensor = type_as<TensorTypeNode>(var);
    for (int64_t i = 0; tensor && i < tensor->ndim; ++i)
      groups.join({tuple, i, item->index}, {var.get(), i}, Edge::kToConsumer);
  }
  void from_var(const Var& var, const Expr& value) {
    auto tensors = tensors_of(var->ty);
    if (!tensors) return;
    for (size_t field = 0; field < tensors->size(); ++field) {
      auto f = static_cast<int64_t>(field);
      for (int64_t i = -1; i < (*tensors)[field]->ndim; ++i)
        groups.join({value.get(), i, f}, {var.get(), i, f}, Edge::kToConsumer);
    }
  }
};

// What cannot be: refused, or cut off where an axis is shorter than the dimension of the mesh.
struct Settle final : Visitor {
  AxisGroups& groups;
  std::vector<TensorAxis> cuts;
  explicit Settle(AxisGroups& groups) : groups(groups) {}

  void check(const Var& var) {
    const auto* tensor = type_as<TensorTypeNode>(var);
    if (!tensor) return;
    auto* shape = as<ShapeExprNode>(tensor->shape);
    DeviceMesh mesh;
    std::map<int64_t, int64_t> axis_of;  // dimensions of the mesh
    for (int64_t i = -1; i < tensor->ndim; ++i) {
      const AxisSharding* found = groups.sharding({var.get(), i});
      if (!found) continue;
      if (mesh && !same_mesh(mesh, found->mesh)) throw ir::refuse(refusals["two-meshes"], text(var->name)).at(var->span);
      mesh = found->mesh;
      if (i < 0) continue;
      if (!shape) throw ir::refuse(refusals["sharded-shape-unknown"], text(var->name)).at(var->span);
      auto [other, added] = axis_of.emplace(found->mesh_dim, i);
      if (!added) {
        throw ir::refuse(refusals["axes-share-mesh-dimension"], other->second, i, text(var->name), found->mesh_dim)
            .at(var->span);
      }
      auto extent = ir::const_int(shape->values[i]);
      if (extent && *extent < mesh->shape[found->mesh_dim]) cuts.push_back({var.get(), i});
    }
  }
  void visit(const Expr& e) override {
    auto* constant = as<GenericConstNode>(e);
    const auto* tensor = constant ? type_as<TensorTypeNode>(e) : nullptr;
    for (int64_t i = 0; tensor && i < tensor->ndim; ++i) {
      if (groups.sharding({constant, i})) throw ir::refuse(refusals["constant-sharded"], i).at(e->span);
    }
    walk_children(e);
  }
  void visit_binding(const Binding& binding) override {
    check(binding->var);
    walk_binding(binding);
  }
};

struct Place final : Mutator {
  AxisGroups& groups;
  const IRModule& mod;
  Expr call_tir = relax::op("relax.call_tir");
  Expr annotate = relax::op("relax.dist.annotate_sharding");
  std::map<std::pair<const VarNode*, int64_t>, Var> items;  // elements of tuples that were redistributed

  Place(AxisGroups& groups, Host& host, const IRModule& mod) : Mutator(host, mod), groups(groups), mod(mod) {}

  DeviceMesh mesh_of(const ExprNode* tensor, int64_t field, std::string_view name, Span span) const {
    const AxisSharding* found = groups.sharding({tensor, -1, field});
    if (!found) throw ir::refuse(refusals["no-mesh"], name).at(span);
    return found->mesh;
  }
  Placement placement(const ExprNode* tensor, int64_t field, const DeviceMesh& mesh, int64_t ndim) const {
    return placement_of(mesh, ndim, [&](int64_t axis) { return groups.sharding({tensor, axis, field}); });
  }
  Type placed(const ExprNode* tensor, int64_t field, const TensorTypeNode* type, std::string_view name) const {
    DeviceMesh mesh = mesh_of(tensor, field, name, tensor->span);
    return dtensor_type(ref(type), mesh, placement(tensor, field, mesh, type->ndim));
  }
  Var placed_param(const Var& param) const {
    if (const auto* tensor = type_as<TensorTypeNode>(param))
      return copy_var(param, placed(param.get(), 0, tensor, text(param->name)));
    const auto* tuple = type_as<TupleTypeNode>(param);
    if (!tuple) return param;
    Array<Type> fields;
    for (size_t i = 0; i < tuple->elements.size(); ++i) {
      const auto* tensor = as_type<TensorTypeNode>(tuple->elements[i]);
      fields.push_back(tensor ? placed(param.get(), static_cast<int64_t>(i), tensor, text(param->name))
                              : tuple->elements[i]);
    }
    return copy_var(param, make<TupleTypeNode>(fields));
  }

  Function function(const Function& fn) {
    Array<Var> params;
    for (const Var& param : fn->params) {
      params.push_back(placed_param(param));
      if (!params.back().same_as(param)) map_var(param, params.back());
    }
    SeqExpr body = rewrite_body(fn->body, params);
    Expr made = builder_->normalize(make<FunctionNode>(params, body, Type(nullptr), fn->is_pure, fn->attrs, fn->span));
    return ref(as<FunctionNode>(made));
  }

  Expr rewrite(const Expr& e) override {
    if (e->kind != ExprKind::kCall) return rewrite_children(e);
    Expr next = rewrite_children(e);
    auto* call = as<CallNode>(next);
    if (!call) return next;
    bool tensor_function = call->op.same_as(call_tir);
    Array<Expr> operands = tensor_function ? tuple_elements(call->args[1]) : call->args;
    bool changed = false;
    bool any = false;
    for (size_t i = 0; i < operands.size(); ++i) {
      auto* constant = as<GenericConstNode>(operands[i]);
      const auto* tensor = constant ? type_as<TensorTypeNode>(operands[i]) : nullptr;
      if (tensor && groups.sharding({constant, -1})) {
        operands.Set(static_cast<int64_t>(i),
                     make<GenericConstNode>(constant->value, placed(constant, 0, tensor, "a constant"), constant->span));
        changed = true;
      }
      any = any || type_as<DTensorTypeNode>(operands[i]);
    }
    auto* external = as<ExternFuncNode>(call->op);
    Expr renamed = external ? on_meshes(external) : Expr(call->op);
    if (!changed && renamed.same_as(call->op) && !(tensor_function && any)) return next;
    return ir::with(ref(call), [&](ir::CallNode& n) {
      n.ty = Type(nullptr);
      n.op = renamed;
      if (!tensor_function) {
        n.args = operands;
        return;
      }
      n.args.Set(1, make<TupleNode>(operands, call->args[1]->span));
      if (!any) return;
      PrimFunc fn = called_tensor_function(call, mod);
      if (!fn) throw ir::refuse(refusals["unknown-tensor-function"]).at(call->span);
      n.ty_args = {place_result(operands, call->ty_args[0], call->span, [&](AxisGroups& own, const Var& output) {
        join_tensor_function(own, output, &n, fn);
      })};
    });
  }
  // The functions of the virtual machine's cache of attention that know of meshes.
  static Expr on_meshes(const ExternFuncNode* fn) {
    std::string_view name = text(fn->global_symbol);
    constexpr std::string_view kBuiltin = "vm.builtin.";
    if (name != "vm.builtin.attention_kv_cache_append" && name != "vm.builtin.attention_kv_cache_view") return ref(fn);
    return make<ExternFuncNode>(String(fmt::format("vm.builtin.distributed.{}", name.substr(kBuiltin.size()))));
  }

  // What inference says nothing of, placed as the graph of axes says: results of calls without operands.
  Expr with_result(const Expr& e, const DeviceMesh& mesh, const std::vector<Placement>& placements) {
    auto* call = as<CallNode>(e);
    if (!call || call->ty_args.size() != 1) return e;
    auto* external = as<ExternFuncNode>(call->op);
    bool view = external && text(external->global_symbol) == "vm.builtin.distributed.attention_kv_cache_view";
    if (!view && !call->op.same_as(call_tir)) return e;
    auto tensors = tensors_of(call->ty_args[0]);
    if (!tensors || tensors->size() != placements.size()) return e;
    Array<Type> types;
    for (size_t i = 0; i < tensors->size(); ++i) types.push_back(dtensor_type((*tensors)[i], mesh, placements[i]));
    bool tuple = as_type<TupleTypeNode>(call->ty_args[0]);
    return ir::with(ref(call), [&](ir::CallNode& n) {
      n.ty = Type(nullptr);
      n.ty_args = {tuple ? Type(make<TupleTypeNode>(types)) : types[0]};
    });
  }
  static Expr redistributed(const Expr& value, const DeviceMesh& mesh, const Placement& placement) {
    Map<String, Any> attrs{{String("device_mesh"), Any(mesh)}, {String("placement"), Any(placement)}};
    return make_call("relax.dist.redistribute", {value}, attrs, {}, value->span);
  }
  // From here on `old` is `value`; a result of a dataflow block stays a variable that is seen outside.
  void replace(const Binding& old, const Expr& value) {
    auto* var = as<VarNode>(value);
    bool hidden = var && is_dataflow(var) && !is_dataflow(old->var);
    if (var && !hidden) return map_var(old->var, value);
    bind(old, value);
  }

  void rewrite_binding(const Binding& binding) override {
    if (as_match_cast(binding)) return Mutator::rewrite_binding(binding);
    if (auto* item = as<TupleGetItemNode>(binding->value)) {
      auto* tuple = as<VarNode>(item->tuple_value);
      auto found = items.find({tuple, item->index});
      if (found != items.end()) return replace(binding, found->second);
    }
    auto tensors = binding->value->kind == ExprKind::kCall ? tensors_of(binding->var->ty) : std::nullopt;
    if (!tensors) return Mutator::rewrite_binding(binding);
    const VarNode* var = binding->var.get();
    DeviceMesh mesh = mesh_of(var, 0, text(var->name), binding->span ? binding->span : var->span);
    std::vector<Placement> placements;
    for (size_t i = 0; i < tensors->size(); ++i)
      placements.push_back(placement(var, static_cast<int64_t>(i), mesh, (*tensors)[i]->ndim));
    Expr value = builder_->normalize(with_result(rewrite(binding->value), mesh, placements));
    if (const auto* type = type_as<DTensorTypeNode>(value)) {
      bool as_wanted = same_mesh(type->device_mesh, mesh) && same_placement(type->placement, placements[0]);
      auto* annotated = call_of(value, annotate);
      if (annotated) value = annotated->args[0];
      if (!as_wanted) value = builder_->normalize(redistributed(value, mesh, placements[0]));
      return replace(binding, value);
    }
    const auto* types = type_as<TupleTypeNode>(value);
    MLC_CHECK(types, "a call over tensors on a mesh yields neither a tensor nor a tuple");
    bool seen_outside = !is_dataflow(binding->var);
    Var whole = seen_outside && builder_->in_dataflow() ? builder_->emit_output(value) : builder_->emit(value);
    map_var(binding->var, whole);
    for (size_t i = 0; i < types->elements.size(); ++i) {
      const auto* type = as_type<DTensorTypeNode>(types->elements[i]);
      MLC_CHECK(type, "an element of the result lies on no mesh");
      if (same_mesh(type->device_mesh, mesh) && same_placement(type->placement, placements[i])) continue;
      auto index = static_cast<int64_t>(i);
      Expr item = make<ir::TupleGetItemNode>(whole, index);
      items[{var, index}] = builder_->emit(redistributed(item, mesh, placements[i]));
    }
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  if (!is_annotated(fn)) return fn;
  AxisGroups groups;
  Collect(groups, mod, *options.host).visit(fn);
  groups.propagate();
  Settle settle(groups);
  settle.visit(fn);
  for (const Var& param : fn->params) settle.check(param);
  for (const TensorAxis& axis : settle.cuts) groups.cut(axis);
  groups.propagate();
  return Place(groups, *options.host, mod).function(fn);
}

}  // namespace

extern const Pass propagate_sharding = mesh_function_pass("PropagateSharding", "PropagateSharding()", doc, apply);

}  // namespace mlc::transform::pass_propagate_sharding
