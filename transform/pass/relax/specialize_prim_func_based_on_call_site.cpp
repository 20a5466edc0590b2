// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "ir/tir/specialize.h"
#include "transform/graph/calls.h"

namespace mlc::transform::pass_specialize_prim_func_based_on_call_site {
namespace {

constexpr char doc[] =
    R"(SpecializePrimFuncBasedOnCallSite(): give buffers of tensor functions the shapes and scopes that calls have.

    R.call_tir(cls.rows, (x,), ...)         # x: R.Tensor((4, 8), "float32", "llvm:0:global.texture")
    def rows(A: T.Buffer((n, m), ...))  =>  def rows(A: T.Buffer((4, 8), ..., scope="global.texture"))
needs: shapes of arguments and results that are known as expressions.
keeps: functions of which calls differ; those that only fused functions call. What was specialized has the attribute
`scoped`.
After devices are written out (RealizeVDevice), for memory with a layout of its own.)";

struct Site {
  std::vector<const TensorTypeNode*> types;  // of arguments, then of results; empty: not known
  bool in_group;
};

std::vector<const TensorTypeNode*> types_of(const CallNode* call) {
  Array<Type> all;
  for (const Expr& arg : tuple_elements(call->args[1])) all.push_back(arg->ty);
  for (const Type& type : call->ty_args) {
    const auto* tuple = as_type<TupleTypeNode>(type);
    for (const Type& one : tuple ? tuple->elements : Array<Type>{type}) all.push_back(one);
  }
  std::vector<const TensorTypeNode*> types;
  for (const Type& type : all) {
    const auto* tensor = as_type<TensorTypeNode>(type);
    if (!tensor || !as<ShapeExprNode>(tensor->shape) || !tensor->knows_dtype()) return {};
    types.push_back(tensor);
  }
  return types;
}

std::string_view scope_of(const TensorTypeNode* type) {
  return type->vdevice ? text(type->vdevice->memory_scope) : "global";
}
bool alike(const Site& a, const Site& b) {
  if (a.types.empty() || a.types.size() != b.types.size()) return false;
  for (size_t i = 0; i < a.types.size(); ++i) {
    if (!ir::structural_equal(Any(a.types[i]->shape), Any(b.types[i]->shape)) ||
        scope_of(a.types[i]) != scope_of(b.types[i]))
      return false;
  }
  return true;
}

// Buffers in other memory.
struct InScope final : ir::Rewriter {
  using ir::Rewriter::rewrite;
  std::unordered_map<const VarNode*, Buffer> moved;
  Expr rewrite(const Expr& e) override {
    auto* var = as<VarNode>(e);
    return var ? Expr(rewrite_buffer(ref(var))) : rewrite_children(e);
  }
  Buffer rewrite_buffer(const Buffer& buffer) override {
    auto found = moved.find(buffer.get());
    return found == moved.end() ? buffer : found->second;
  }
};

Buffer with_shape_and_scope(const Buffer& buffer, const Array<Expr>& shape, std::string_view scope) {
  const BufferTypeNode* own = buffer->buffer();
  BufferType type =
      make<BufferTypeNode>(own->dtype, String(std::string(scope)), shape, own->strides, own->elem_offset,
                           own->data_alignment, own->offset_factor, own->layout);
  return make<VarNode>(buffer->name, type, buffer->span);
}

PrimFunc specialized(const PrimFunc& fn, const Site& site) {
  std::vector<std::pair<Var, Any>> values;
  for (size_t i = 0; i < fn->params.size() && i < site.types.size(); ++i) {
    const Var& param = fn->params[i];
    if (!param->buffer()) continue;
    const Array<Expr>& shape = as<ShapeExprNode>(site.types[i]->shape)->values;
    values.emplace_back(param, Any(with_shape_and_scope(param, shape, text(param->buffer()->storage_scope))));
  }
  PrimFunc next = ir::specialize(fn, values);
  InScope move;
  Array<Var> params;
  for (size_t i = 0; i < next->params.size(); ++i) {
    Var param = next->params[i];
    if (i < site.types.size() && param->buffer()) {
      std::string_view scope = scope_of(site.types[i]);
      if (text(param->buffer()->storage_scope) != scope)
        param = move.moved[param.get()] = with_shape_and_scope(param, param->buffer()->shape, scope);
    }
    params.push_back(param);
  }
  if (!move.moved.empty()) next = with_params(next, params, move.rewrite(next->body));
  return ir::with_attr(next, "scoped", int64_t{1});
}

IRModule apply(const IRModule& mod, const PassOptions&) {
  std::map<std::string, std::vector<Site>> sites;
  Expr call_tir = relax::op("relax.call_tir");
  for (const auto& [name, base] : mod->functions) {
    auto* fn = base.as<FunctionNode>();
    if (!fn) continue;
    bool in_group = ir::has_flag(base, "Primitive");
    relax::post_order(ref(fn), [&](const Expr& e) {
      if (const CallNode* call = call_of(e, call_tir))
        sites[std::string(text(as<GlobalVarNode>(call->args[0])->name_hint))].push_back(
            {types_of(call), in_group});
    });
  }
  IRModule result = mod;
  for (const auto& [name, calls] : sites) {
    bool all_alike =
        std::all_of(calls.begin(), calls.end(), [&](const Site& one) { return alike(one, calls[0]); });
    bool seen = std::any_of(calls.begin(), calls.end(), [](const Site& one) { return !one.in_group; });
    auto fn = Any(mod->lookup(name)).as<PrimFunc>();
    if (fn && all_alike && seen)
      result = ir::with_function(result, mod->find(name), specialized(*fn, calls[0]));
  }
  return result;
}

}  // namespace

extern const Pass specialize_prim_func_based_on_call_site =
    graph_module_pass("SpecializePrimFuncBasedOnCallSite", "SpecializePrimFuncBasedOnCallSite()", doc, apply);

}  // namespace mlc::transform::pass_specialize_prim_func_based_on_call_site
