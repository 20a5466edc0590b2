// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"
#include "transform/graph/rewrite_graphs.h"

namespace mlc::transform::pass_call_tir_rewrite {
namespace {

constexpr char doc[] = R"(CallTIRRewrite(): write out where the results of calls in destination-passing style lie.

    y = R.call_tir(cls.f, (x,), out_ty=T)   =>   alloc = R.builtin.alloc_tensor(shape of T, dtype of T, 0, "global")
                                                 cls.f(x, alloc)
                                                 y = alloc
needs: results whose shape and data type are known; no dataflow blocks are left (ToNonDataflow).
keeps: the order of calls. An argument that a call_tir_inplace overwrites is its own result.
The names of allocations are unique in the module; in one that has vdevices they lie on the one of their index.
From here on memory is seen: before it is planned (StaticPlanBlockMemory).)";

struct AllocateResults final : Mutator {
  explicit AllocateResults(Host& host, const IRModule& mod) : Mutator(host, mod), mod(mod) {}
  const IRModule& mod;
  Expr call_tir = relax::op("relax.call_tir");
  Expr call_tir_inplace = relax::op("relax.call_tir_inplace");
  Expr call_dps_packed = relax::op("relax.call_dps_packed");

  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* call = as<CallNode>(next);
    if (!call) return next;
    bool inplace = call->op.same_as(call_tir_inplace);
    if (!inplace && !call->op.same_as(call_tir) && !call->op.same_as(call_dps_packed)) return next;
    return in_place_of(call, inplace);
  }

  Expr allocate(const Type& type) {
    const auto* tensor = as_type<TensorTypeNode>(type);
    MLC_CHECK(tensor && tensor->shape && tensor->knows_dtype(), "the result of a call_tir has no known size");
    int64_t device = 0;
    std::string scope = "global";
    if (tensor->vdevice) {
      scope = text(tensor->vdevice->memory_scope);
      if (auto found = mod->global_infos.find("vdevice"); found != mod->global_infos.end()) {
        int64_t i = 0;
        for (const Any& one : (*found).second.cast<Array<Any>>()) {
          if (structural_equal(one, Any(tensor->vdevice))) device = i;
          ++i;
        }
      }
    }
    return builder_->emit(
        make_call("relax.builtin.alloc_tensor",
                  {tensor->shape, dtype_const(tensor->data_type()), int64_imm(device), string_imm(scope)}, {}, {type}),
        "alloc");
  }

  Expr in_place_of(const CallNode* call, bool inplace) {
    std::vector<int64_t> overwritten;
    if (inplace) overwritten = ints_attr(call, "inplace_indices");
    Array<Expr> args;
    for (const Expr& arg : tuple_elements(call->args[1])) args.push_back(builder_->normalize_operand(arg));
    Array<Type> results = call->ty_args;
    bool several = false;
    if (results.size() == 1) {
      if (const auto* tuple = as_type<TupleTypeNode>(results[0])) {
        results = tuple->elements;
        several = true;
      }
    }
    Array<Expr> outputs;
    Array<Expr> passed = args;
    for (size_t i = 0; i < results.size(); ++i) {
      if (i < overwritten.size() && overwritten[i] >= 0) {
        outputs.push_back(args[static_cast<size_t>(overwritten[i])]);
        continue;
      }
      outputs.push_back(allocate(results[i]));
      passed.push_back(outputs.back());
    }
    for (size_t i = 2; i < call->args.size(); ++i) passed.push_back(call->args[i]);
    builder_->emit(make<CallNode>(Type(nullptr), call->args[0], passed, Map<String, Any>{}, call->span), "_");
    if (several || outputs.size() != 1) return make<TupleNode>(outputs);
    return outputs[0];
  }
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  AllocateResults allocate(*options.host, mod);
  return rewrite_graphs(mod, [&](const Function& fn) { return allocate.rewrite_function(fn); });
}

}  // namespace

extern const Pass call_tir_rewrite = graph_module_pass("CallTIRRewrite", "CallTIRRewrite()", doc, apply);

}  // namespace mlc::transform::pass_call_tir_rewrite
