// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/graph/buffer_axes.h"
#include "transform/graph/calls.h"
#include "transform/graph/mesh_functions.h"
#include "transform/graph/shard_tensor_function.h"

namespace mlc::transform::pass_lower_global_view_to_local_view {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "global-view-of-no-function",
         .kind = "ValueError",
         .message = "`R.call_tir` calls what is no tensor function of the module"},
        {.name = "buffer-off-mesh",
         .message = "parameter `{}` of `{}` is a buffer, and gets a {}, which lies on no mesh"},
    }};
MLC_REFUSALS(pass_relax_lower_global_view_to_local_view, refusals);

namespace {

constexpr char doc[] = R"(LowerGlobalViewToLocalView(): tensor functions of whole tensors as what each worker computes on its parts.

    y = R.dist.call_tir(cls.f, (x,),       =>   y = R.dist.call_tir_local_view(cls.f1, (x,), out_ty=...)
          out_ty=R.DTensor((128, 128), mesh, "S[0]"))     # f1: T.Buffer((64, 128)), loops half as long
needs: axes that are sharded are indexed by one loop each, whose extent the workers divide.
keeps: types. Where a sum, product, minimum or maximum runs over a sharded axis, an R.ccl.allreduce follows the call.
After PropagateSharding, before LowerDistIR: only whole functions can be seen through.)";

struct Lower final : Mutator {
  using Mutator::Mutator;
  Expr call_tir = relax::op("relax.call_tir");
  Expr local = relax::op("relax.dist.call_tir_local_view");

  IRModule module() const { return builder_->context().mod; }

  void rewrite_binding(const Binding& binding) override {
    auto* call = as_match_cast(binding) ? nullptr : call_of(binding->value, call_tir);
    if (!call) return Mutator::rewrite_binding(binding);
    PrimFunc fn = called_tensor_function(call, module());
    if (!fn) throw ir::refuse(refusals["global-view-of-no-function"]).at(call->span);
    auto* callee = as<GlobalVarNode>(call->args[0]);
    std::vector<Type> given;
    for (const Expr& operand : tuple_elements(call->args[1])) given.push_back(operand->ty);
    if (const auto* several = as_type<TupleTypeNode>(binding->var->ty)) {
      given.insert(given.end(), several->elements.begin(), several->elements.end());
    } else {
      given.push_back(binding->var->ty);
    }
    std::vector<DTensorType> types;
    for (size_t i = 0; i < fn->params.size(); ++i) {
      if (!fn->params[i]->buffer()) continue;
      const auto* type = i < given.size() ? as_type<DTensorTypeNode>(given[i]) : nullptr;
      if (!type) {
        throw ir::refuse(refusals["buffer-off-mesh"], text(fn->params[i]->name), text(callee->name_hint),
                         i < given.size() ? kind_name(given[i]) : std::string_view("nothing"))
            .at(call->span);
      }
      types.push_back(ref(type));
    }
    LocalView view;
    try {
      view = local_view(fn, types);
    } catch (ir::Error& error) {
      throw std::move(error).note("it is called here", call->span);
    }
    GlobalVar name = builder_->add_function(view.fn, text(callee->name_hint));
    Expr rewritten = rewrite(binding->value);
    Expr next = ir::with(ref(as<CallNode>(rewritten)), [&](ir::CallNode& n) {
      n.ty = Type(nullptr);
      n.op = local;
      n.args.Set(0, name);
    });
    if (!view.reduction.empty()) {
      Map<String, Any> attrs{{String("op_type"), Any(String(view.reduction))}, {String("in_group"), Any(false)}};
      next = make_call("relax.ccl.allreduce", {next}, attrs, {}, call->span);
    }
    bind(binding, next);
  }
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto* fn = base.as<FunctionNode>();
    if (!fn || !is_mesh_function(ref(fn))) continue;
    Lower lower(*options.host, result);
    Function next = lower.rewrite_function(ref(fn));
    result = lower.module();
    if (!next.same_as(ref(fn))) result = with_function(result, name, next);
  }
  return result;
}

}  // namespace

extern const Pass lower_global_view_to_local_view =
    mesh_pass("LowerGlobalViewToLocalView", "LowerGlobalViewToLocalView()", doc, apply);

}  // namespace mlc::transform::pass_lower_global_view_to_local_view
