// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/calls.h"
#include "transform/graph/reshape_pattern.h"

namespace mlc::transform::pass_rewrite_dataflow_reshape {
namespace {

constexpr char doc[] = R"(RewriteDataflowReshape(): a call of a tensor function that only reshapes becomes a view.

    lv = R.call_tir(cls.reshape, (x,), out_ty=R.Tensor((2, 6), ...))    =>      lv = R.reshape(x, R.shape([2, 6]))
needs: as many elements before as after, of the same data type.
keeps: results of dataflow blocks, which must not share memory with what is overwritten later; other blocks.
Before memory is written out (CallTIRRewrite): a view needs none.)";

// The one argument that the function reads.
std::optional<Expr> read_argument(const PrimFunc& fn, const Array<Expr>& args) {
  std::optional<Expr> found;
  for (size_t i = 0; i < args.size() && i < fn->params.size(); ++i) {
    const VarNode* param = fn->params[i].get();
    bool used = ir::uses_var(fn->body, [&](const VarNode* var) { return var == param; });
    if (!used) continue;
    if (found) return std::nullopt;
    found = args[i];
  }
  return found;
}

struct UseViews final : Mutator {
  UseViews(Host& host, const IRModule& mod) : Mutator(host, mod), mod(mod) {}
  const IRModule& mod;
  Expr call_tir = relax::op("relax.call_tir");
  std::unordered_map<const PrimFuncNode*, bool> known;

  BindingBlock rewrite_block(const BindingBlock& block) override {
    return is_dataflow(block) ? Mutator::rewrite_block(block) : block;
  }
  void rewrite_binding(const Binding& binding) override {
    const CallNode* call = is_dataflow(binding->var) ? call_of(binding->value, call_tir) : nullptr;
    Expr view = call ? view_of(call) : Expr(nullptr);
    bind(binding, view ? view : binding->value);
  }

  bool reshapes(const PrimFunc& fn) {
    auto [found, added] = known.try_emplace(fn.get(), false);
    if (added) found->second = has_reshape_pattern(fn);
    return found->second;
  }

  Expr view_of(const CallNode* call) {
    BaseFunc called = relax::function_of(mod, as<GlobalVarNode>(call->args[0]));
    auto fn = called ? Any(called).as<PrimFunc>() : std::nullopt;
    if (!fn || !reshapes(*fn)) return nullptr;
    auto source = read_argument(*fn, tuple_elements(call->args[1]));
    if (!source) return nullptr;
    const auto* before = type_as<TensorTypeNode>(*source);
    const auto* after = as_type<TensorTypeNode>(call->ty);
    if (!before || !after || !before->knows_dtype() || !(before->data_type() == after->data_type())) return nullptr;
    auto old_dims = before->dims();
    auto dims = after->dims();
    if (!old_dims || !dims) return nullptr;
    const InferContext& context = builder_->context();
    if (!context.proves_equal(product(*old_dims, context), product(*dims, context))) return nullptr;
    return make_call("relax.reshape", {*source, after->shape});
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return UseViews(*options.host, mod).rewrite_function(fn);
}

}  // namespace

extern const Pass rewrite_dataflow_reshape = graph_pass("RewriteDataflowReshape", "RewriteDataflowReshape()", doc, apply);

}  // namespace mlc::transform::pass_rewrite_dataflow_reshape
