// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/relax/axis_groups.h"
#include "ir/tir/arith_ops.h"
#include "transform/graph/mesh_functions.h"

namespace mlc::transform::pass_lower_dist_ir {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "lowered-mesh-rank",
         .message = "parameter `{}` lies on a mesh of {} dimensions",
         .help = "only on meshes of one dimension are tensors broadcast and scattered yet"},
        {.name = "lowered-shape-unknown", .message = "{} lies on a mesh, and its shape is not written out"},
        {.name = "lowered-constant-sharded",
         .message = "a constant is sharded (\"{}\")",
         .help = "make it a parameter of the function"},
        {.name = "global-view-left",
         .message = "`R.call_tir` of whole tensors is left",
         .help = "run `LowerGlobalViewToLocalView()` first"},
        {.name = "redistribute-left",
         .message = "`R.dist.redistribute` is left",
         .help = "run `LegalizeRedistribute()` first"},
        {.name = "reduction-of-parts",
         .message = "`{}` reduces axis {} of `{}`, of which each worker has a part",
         .help = "legalize it and run `LowerGlobalViewToLocalView()`, which adds the reduction over workers"},
        {.name = "parts-do-not-fit",
         .message = "of the parts of its operands `{}` makes {}, and each worker's part of the result has {}",
         .help = "redistribute an operand before"},
    }};
MLC_REFUSALS(pass_relax_lower_dist_ir, refusals);

namespace {

constexpr char doc[] = R"(LowerDistIR(): the program of one worker, over its parts of the tensors.

    def f(x: R.DTensor((128, 128), mesh, "S[0]")):         def f(x: R.Tensor((128, 128))):
        y = R.dist.call_tir_local_view(cls.g, (x,),   =>       gv = R.ccl.scatter_from_worker0(x, 2, 0)   # "R": broadcast
              out_ty=R.DTensor((128, 128), mesh, "S[0]"))      y = R.call_tir(cls.g, (gv,), out_ty=R.Tensor((64, 128)))
needs: meshes of one dimension; LowerGlobalViewToLocalView and LegalizeRedistribute have run; no operator reduces an
axis that is sharded.
keeps: what all workers compute together. Worker 0 is given the parameters whole.
Last of the passes on meshes: what follows knows tensors of one device only.)";

struct Lower final : Mutator {
  InferContext context;
  Function fn;
  Array<Var> params;
  std::map<std::pair<const VarNode*, int64_t>, Var> items;  // of parameters that are tuples
  Expr reshape = relax::op("relax.reshape");
  Expr call_tir = relax::op("relax.call_tir");
  Expr local_view = relax::op("relax.dist.call_tir_local_view");
  Expr redistribute = relax::op("relax.dist.redistribute");

  Lower(Host& host, const IRModule& mod, Function fn) : Mutator(host, mod), context(host, mod), fn(std::move(fn)) {}

  // ---- types ----

  // A worker's part of the dimensions.
  Expr part(const Array<Expr>& dims, const DTensorTypeNode* type) const {
    Array<Expr> parts = dims;
    for (size_t d = 0; d < type->placement->dim_specs.size(); ++d) {
      const PlacementSpec& spec = type->placement->dim_specs[d];
      if (!spec->shards()) continue;
      Expr count = ir::int_imm(DataType::Int(64), type->device_mesh->shape[static_cast<int64_t>(d)]);
      parts.Set(spec->axis, context.simplify(ir::floordiv(parts[spec->axis], count)));
    }
    return make<ShapeExprNode>(parts);
  }
  TensorType part(const DTensorTypeNode* type, std::string_view what, Span span) const {
    const TensorTypeNode* whole = type->tensor_ty.get();
    auto* shape = as<ShapeExprNode>(whole->shape);
    if (!shape) throw ir::refuse(refusals["lowered-shape-unknown"], what).at(span);
    return make<TensorTypeNode>(part(shape->values, type), whole->data_type(), whole->vdevice);
  }
  Type lowered(const Type& type, bool parts, std::string_view what, Span span) const {
    if (const auto* distributed = as_type<DTensorTypeNode>(type))
      return parts ? Type(part(distributed, what, span)) : Type(distributed->tensor_ty);
    const auto* tuple = as_type<TupleTypeNode>(type);
    if (!tuple) return type;
    Array<Type> fields;
    for (const Type& field : tuple->elements) fields.push_back(lowered(field, parts, what, span));
    return make<TupleTypeNode>(fields);
  }

  // ---- parameters ----

  Function function() {
    for (const Var& param : fn->params) {
      Type type = lowered(param->ty, false, "a parameter", param->span);
      params.push_back(type.same_as(param->ty) ? param : copy_var(param, type));
      if (!type.same_as(param->ty)) map_var(param, params.back());
    }
    SeqExpr body = rewrite_body(fn->body, params);
    Expr made = builder_->normalize(make<FunctionNode>(params, body, Type(nullptr), fn->is_pure, fn->attrs, fn->span));
    return ref(as<FunctionNode>(made));
  }
  Var receive(const Expr& value, const DTensorTypeNode* type, const Var& param) {
    if (type->device_mesh->shape.size() != 1) {
      throw ir::refuse(refusals["lowered-mesh-rank"], text(param->name), type->device_mesh->shape.size())
          .at(param->span);
    }
    const PlacementSpec& spec = type->placement->dim_specs[0];
    if (!spec->shards()) return builder_->emit(make_call("relax.ccl.broadcast_from_worker0", {value}));
    Map<String, Any> attrs{{String("num_workers"), Any(type->device_mesh->shape[0])}, {String("axis"), Any(spec->axis)}};
    return builder_->emit(make_call("relax.ccl.scatter_from_worker0", {value}, attrs));
  }
  // As in TVM each block receives the parameters anew: variables of dataflow blocks are not seen in others.
  void receive_params() {
    for (size_t i = 0; i < fn->params.size(); ++i) {
      const Var& param = fn->params[i];
      if (const auto* type = type_as<DTensorTypeNode>(param)) {
        map_var(param, receive(params[i], type, param));
      } else if (const auto* tuple = type_as<TupleTypeNode>(param)) {
        for (size_t j = 0; j < tuple->elements.size(); ++j) {
          const auto* field = as_type<DTensorTypeNode>(tuple->elements[j]);
          auto index = static_cast<int64_t>(j);
          if (field) items[{param.get(), index}] = receive(make<ir::TupleGetItemNode>(params[i], index), field, param);
        }
      }
    }
  }
  BindingBlock rewrite_block(const BindingBlock& block) override {
    if (is_dataflow(block)) {
      builder_->begin_dataflow_block();
    } else {
      builder_->begin_binding_block();
    }
    receive_params();
    for (const Binding& binding : block->bindings) rewrite_binding(binding);
    return builder_->end_block();
  }

  // ---- bindings ----

  Expr rewrite(const Expr& e) override {
    auto* constant = as<GenericConstNode>(e);
    const auto* type = constant ? type_as<DTensorTypeNode>(e) : nullptr;
    if (!type) return rewrite_children(e);
    for (const PlacementSpec& spec : type->placement->dim_specs) {
      if (spec->shards())
        throw ir::refuse(refusals["lowered-constant-sharded"], placement_text(type->placement)).at(e->span);
    }
    return make<GenericConstNode>(constant->value, Type(type->tensor_ty), constant->span);
  }

  void rewrite_binding(const Binding& binding) override {
    if (as_match_cast(binding)) return Mutator::rewrite_binding(binding);
    if (auto* item = as<TupleGetItemNode>(binding->value)) {
      auto found = items.find({as<VarNode>(item->tuple_value), item->index});
      if (found != items.end()) {
        if (is_dataflow(found->second) && !is_dataflow(binding->var)) return bind(binding, found->second);
        return map_var(binding->var, found->second);
      }
    }
    auto* call = as<CallNode>(binding->value);
    if (!call) return Mutator::rewrite_binding(binding);
    check_reduction(call);
    Expr value = builder_->normalize(rewrite(special(call, binding->var)));
    check_parts(call, value, binding->var);
    bind(binding, value);
  }

  Call special(const CallNode* call, const Var& var) const {
    if (call->op.same_as(call_tir)) throw ir::refuse(refusals["global-view-left"]).at(call->span);
    if (call->op.same_as(redistribute)) throw ir::refuse(refusals["redistribute-left"]).at(call->span);
    const auto* type = type_as<DTensorTypeNode>(var);
    auto changed = [&](auto change) {
      return ir::with(ref(call), [&](ir::CallNode& n) {
        n.ty = Type(nullptr);
        change(n);
      });
    };
    if (call->op.same_as(local_view)) {
      return changed([&](ir::CallNode& n) {
        n.op = call_tir;
        n.ty_args = {lowered(var->ty, true, "a result", call->span)};
      });
    }
    auto* shape = call->args.size() > 1 ? as<ShapeExprNode>(call->args[1]) : nullptr;
    if (call->op.same_as(reshape) && type) {
      if (!shape) throw ir::refuse(refusals["lowered-shape-unknown"], "what `reshape` yields").at(call->span);
      return changed([&](ir::CallNode& n) { n.args.Set(1, part(shape->values, type)); });
    }
    auto* external = as<ExternFuncNode>(call->op);
    constexpr std::string_view kOnMeshes = "vm.builtin.distributed.";
    if (!external || !text(external->global_symbol).starts_with(kOnMeshes)) return ref(call);
    std::string_view name = text(external->global_symbol).substr(kOnMeshes.size());
    if (name != "attention_kv_cache_append" && name != "attention_kv_cache_view") return ref(call);
    return changed([&](ir::CallNode& n) {
      n.op = make<ExternFuncNode>(String(fmt::format("vm.builtin.{}", name)));
      if (name != "attention_kv_cache_view" || !type || !shape) return;
      Expr parts = part(shape->values, type);
      n.args.Set(1, parts);
      n.ty_args = {Type(make<TensorTypeNode>(parts, type->tensor_ty->data_type()))};
    });
  }

  // ---- what a worker cannot compute from its parts alone ----

  static void check_reduction(const CallNode* call) {
    auto* op = as<ir::OpNode>(call->op);
    const MeshOperator* row = op ? mesh_operator(text(op->name)) : nullptr;
    if (!row) return;
    auto refuse_sharded = [&](size_t operand, const std::vector<int64_t>& axes) {
      const auto* type = type_as<DTensorTypeNode>(call->args[operand]);
      if (!type) return;
      for (const PlacementSpec& spec : type->placement->dim_specs) {
        for (int64_t axis : axes) {
          if (!spec->shards() || spec->axis != (axis < 0 ? axis + type->tensor_ty->ndim : axis)) continue;
          auto* var = as<VarNode>(call->args[operand]);
          throw ir::refuse(refusals["reduction-of-parts"], row->name, spec->axis, var ? text(var->name) : "a constant")
              .at(call->span);
        }
      }
    };
    switch (row->rule) {
      case MeshRule::kReduce: {
        std::vector<int64_t> axes;
        if (auto given = optional_ints_attr(call, "axis")) {
          axes = *given;
        } else if (const TensorTypeNode* whole = whole_tensor(call->args[0]->ty)) {
          for (int64_t i = 0; i < whole->ndim; ++i) axes.push_back(i);
        }
        return refuse_sharded(0, axes);
      }
      case MeshRule::kSoftmax:
        return refuse_sharded(0, {int_attr(call, "axis")});
      case MeshRule::kMatmul: {
        refuse_sharded(0, {-1});
        const TensorTypeNode* second = whole_tensor(call->args[1]->ty);
        return refuse_sharded(1, {second && second->ndim == 1 ? -1 : -2});
      }
      default:
        return;
    }
  }
  // Operands that lie otherwise than the result asks for: their parts broadcast, or are of another size.
  void check_parts(const CallNode* old, const Expr& value, const Var& var) const {
    const auto* wanted = type_as<DTensorTypeNode>(var);
    const auto* made = type_as<TensorTypeNode>(value);
    if (!wanted || !made || !made->dims() || !as<ShapeExprNode>(wanted->tensor_ty->shape)) return;
    Array<Expr> dims = *made->dims();
    Array<Expr> parts = *part(wanted, text(var->name), old->span)->dims();
    bool differ = dims.size() != parts.size();
    for (size_t i = 0; !differ && i < dims.size(); ++i) differ = context.proves_different(dims[i], parts[i]);
    if (!differ) return;
    auto* op = as<ir::OpNode>(old->op);
    std::string_view name = op ? text(op->name) : std::string_view("a call");
    if (name.starts_with("relax.")) name.remove_prefix(6);
    throw ir::refuse(refusals["parts-do-not-fit"], name, shape_text(dims), shape_text(parts)).at(old->span);
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return is_mesh_function(fn) ? Lower(*options.host, mod, fn).function() : fn;
}

}  // namespace

extern const Pass lower_dist_ir = mesh_function_pass("LowerDistIR", "LowerDistIR()", doc, apply);

}  // namespace mlc::transform::pass_lower_dist_ir
