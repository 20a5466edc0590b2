// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"
#include "transform/graph/vdevices.h"

namespace mlc::transform::pass_lower_alloc_tensor {
namespace {

constexpr char doc[] = R"(LowerAllocTensor(): a tensor that has no planned memory gets a storage of its own.

    t = R.builtin.alloc_tensor(shape, dtype, 0, "global")
        =>  storage = R.memory.alloc_storage(R.shape([bytes]), 0, "global", "uint8")
            t = R.memory.alloc_tensor(storage, 0, shape, dtype, 0)
needs: nothing.
keeps: tensors that StaticPlanBlockMemory has given a place in a storage.
After planning: what is left are tensors that leave the function or have no bound in size.)";

struct OwnStorage final : Mutator {
  using Mutator::Mutator;
  Expr alloc_tensor = relax::op("relax.builtin.alloc_tensor");

  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    const CallNode* call = call_of(next, alloc_tensor);
    if (!call) return next;
    const Expr& shape = call->args[0];
    DataType dtype = dtype_of_const(call->args[1]);
    Expr bytes = int64_imm(element_bytes(dtype));
    auto* known = as<ShapeExprNode>(shape);
    MLC_CHECK(known, "the shape of an allocation is not written out");
    for (const Expr& extent : known->values) bytes = ir::mul(bytes, extent);
    const auto* type = as_type<TensorTypeNode>(e->ty);
    Expr scope = type && is_opencl_texture(type->vdevice) ? string_imm("global") : call->args[3];
    Var storage = builder_->emit(
        make_call("relax.memory.alloc_storage", {Expr(make<ShapeExprNode>(Array<Expr>{bytes})), call->args[2],
                                                 scope, dtype_const(DataType::UInt(8))}),
        "storage");
    return make_call("relax.memory.alloc_tensor",
                     {storage, int64_imm(0), shape, call->args[1], call->args[2]});
  }
};

// Functions alone: the types of allocations no longer name the vdevices of the module.
Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return OwnStorage(*options.host, make<ir::IRModuleNode>(mod->functions)).rewrite_function(fn);
}

}  // namespace

extern const Pass lower_alloc_tensor = graph_pass("LowerAllocTensor", "LowerAllocTensor()", doc, apply);

}  // namespace mlc::transform::pass_lower_alloc_tensor
