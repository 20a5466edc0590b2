// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"

namespace mlc::transform::pass_lower_gpu_ipc_alloc_storage {
namespace {

constexpr char doc[] =
    R"(LowerGPUIPCAllocStorage(): allocate what processes share by the runtime's function for it.

    s = R.memory.alloc_storage(shape, 0, "ipc_memory", dtype)
        =>  s = R.call_packed("runtime.disco.cuda_ipc.alloc_storage", shape, dtype)
    t = R.builtin.alloc_tensor(shape, dtype, 0, "ipc_memory")
        =>  s = R.call_packed("runtime.disco.cuda_ipc.alloc_storage", shape, dtype)
            t = R.memory.alloc_tensor(s, 0, shape, dtype, 0)
needs: nothing.
keeps: memory of other scopes.
After StaticPlanBlockMemory and before LowerAllocTensor, which would take the ordinary allocator.)";

struct LowerIPC final : Mutator {
  using Mutator::Mutator;
  Expr alloc_storage = relax::op("relax.memory.alloc_storage");
  Expr alloc_tensor = relax::op("relax.builtin.alloc_tensor");

  static bool is_shared(const Expr& scope) {
    auto* name = as<ir::StringImmNode>(scope);
    return name && text(name->value) == "ipc_memory";
  }
  static Expr allocate(const Expr& shape, const Expr& dtype, const Type& type) {
    return call_packed("runtime.disco.cuda_ipc.alloc_storage", {shape, dtype}, {type});
  }
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    if (const CallNode* call = call_of(next, alloc_storage); call && is_shared(call->args[2]))
      return allocate(call->args[0], call->args[3], call->ty);
    if (const CallNode* call = call_of(next, alloc_tensor); call && is_shared(call->args[3])) {
      Expr storage = allocate(call->args[0], call->args[1], any_type());
      return make_call("relax.memory.alloc_tensor",
                       {storage, int64_imm(0), call->args[0], call->args[1], call->args[2]});
    }
    return next;
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return LowerIPC(*options.host, mod).rewrite_function(fn);
}

}  // namespace

extern const Pass lower_gpu_ipc_alloc_storage =
    graph_pass("LowerGPUIPCAllocStorage", "LowerGPUIPCAllocStorage()", doc, apply);

}  // namespace mlc::transform::pass_lower_gpu_ipc_alloc_storage
