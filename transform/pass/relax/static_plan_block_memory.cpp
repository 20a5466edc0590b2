// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"
#include "transform/graph/memory_plan.h"
#include "transform/graph/rewrite_graphs.h"

namespace mlc::transform::pass_static_plan_block_memory {
namespace {

constexpr char doc[] =
    R"(StaticPlanBlockMemory(): let tensors that are not alive at the same time share storages.

    a = R.builtin.alloc_tensor(...)             storage = R.memory.alloc_storage(R.shape([64]), 0, "global", "float32")
    cls.f(x, a)                                 a = R.memory.alloc_tensor(storage, 0, ...)
    b = R.builtin.alloc_tensor(...)     =>      cls.f(x, a)
    cls.g(a, b)                                 ...
    c = R.builtin.alloc_tensor(...)             c = R.memory.alloc_tensor(storage, 0, ...)   # a is dead
needs: results are written out (CallTIRRewrite). With the attribute `tir_var_upper_bound` symbolic sizes are planned
at their bounds.
keeps: tensors that leave their block, are returned, or are passed to what may keep them.
Method: a linear scan with a pool of free storages by data type and scope (transform/graph/memory_plan.h).)";

struct UseStorages final : Mutator {
  UseStorages(std::shared_ptr<BlockBuilder> builder, MemoryPlan plan, UpperBounds* output_bounds)
      : Mutator(std::move(builder)), plan(std::move(plan)), output_bounds(output_bounds) {}
  MemoryPlan plan;
  UpperBounds* output_bounds;  // null: tensors that are not planned stay as they are
  Expr alloc_tensor = relax::op("relax.builtin.alloc_tensor");
  std::unordered_map<size_t, Var> storages;

  Expr rewrite(const Expr& e) override {
    auto* call = as<CallNode>(e);
    if (!call || !call->op.same_as(alloc_tensor)) return rewrite_children(e);
    const auto* type = as_type<TensorTypeNode>(call->ty);
    auto found = plan.storage_of.find(call);
    if (found != plan.storage_of.end()) {
      Var& storage = storages[found->second];
      if (!storage) {
        const PlannedStorage& planned = plan.storages[found->second];
        storage = make_storage(planned.bytes, call, string_imm(planned.scope), planned.dtype);
      }
      return tensor_in(storage, call, type);
    }
    auto* shape = as<ShapeExprNode>(type->shape);
    if (!output_bounds || !shape) return e;
    bool fixed = true;
    for (const Expr& extent : shape->values) fixed = fixed && const_int(extent).has_value();
    if (fixed) return e;
    Array<Expr> bounded = output_bounds->of(shape->values);
    Expr bytes = bounded[0];
    for (size_t i = 1; i < bounded.size(); ++i) bytes = ir::mul(bytes, bounded[i]);
    bytes = ir::mul(bytes, dim(element_bytes(type->data_type())));
    return tensor_in(make_storage(bytes, call, call->args[3], type->data_type()), call, type);
  }

  Var make_storage(const Expr& bytes, const CallNode* call, const Expr& scope, DataType dtype) {
    return builder_->emit(
        make_call("relax.memory.alloc_storage",
                  {Expr(make<ShapeExprNode>(Array<Expr>{bytes})), call->args[2], scope, dtype_const(dtype)}),
        "storage");
  }
  static Expr tensor_in(const Var& storage, const CallNode* call, const TensorTypeNode* type) {
    return make_call("relax.memory.alloc_tensor",
                     {storage, dim(0), type->shape, dtype_const(type->data_type()), call->args[2]});
  }
};

Function planned(const Function& fn, const IRModule& mod, const std::shared_ptr<BlockBuilder>& builder) {
  UpperBounds bounds(fn);
  constexpr const char* kPlanOutput = "relax.memory_plan_dynamic_func_output";
  bool plan_output = ir::has_flag(fn, kPlanOutput);
  UseStorages rewriter(builder, plan_memory(fn, mod, bounds), plan_output ? &bounds : nullptr);
  Function next = rewriter.rewrite_function(fn);
  return plan_output ? relax::without_attr(next, kPlanOutput) : next;
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  auto builder =
      std::make_shared<BlockBuilder>(*options.host, mod);  // names of storages are unique in the module
  return rewrite_graphs(mod, [&](const Function& fn) { return planned(fn, mod, builder); });
}

}  // namespace

extern const Pass static_plan_block_memory =
    graph_module_pass("StaticPlanBlockMemory", "StaticPlanBlockMemory()", doc, apply);

}  // namespace mlc::transform::pass_static_plan_block_memory
