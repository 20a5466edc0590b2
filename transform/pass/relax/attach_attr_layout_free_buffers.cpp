// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "transform/graph/calls.h"
#include "transform/graph/dead_code.h"

namespace mlc::transform::pass_attach_attr_layout_free_buffers {
namespace {

constexpr char doc[] =
    R"(AttachAttrLayoutFreeBuffers(): say of tensor functions which buffers may come in another layout.

    R.call_tir(cls.mul, (x, w), ...)    # w is a weight      =>      R.call_tir(cls.mul1, (x, w), ...)
                                                                     mul1: T.func_attr({"layout_free_buffers": [1]})
needs: the attribute `num_input`: parameters behind so many are weights. Constants are, too.
keeps: bodies. Functions that are called with different weights become several; what nothing uses is taken out.
Before schedules that rewrite layouts; SplitLayoutRewritePreproc then makes the rewrite a function of its own.)";

struct Attach final : Mutator {
  Attach(Host& host, const IRModule& mod, const Function& fn) : Mutator(host, mod) {
    auto said = ir::attr(fn, "num_input");
    if (!said) return;
    for (int64_t i = integer_of(*said).value_or(0); i < static_cast<int64_t>(fn->params.size()); ++i)
      weights.insert(fn->params[i].get());
  }
  std::unordered_set<const ExprNode*> weights;
  Expr call_tir = relax::op("relax.call_tir");
  // By function and by which of its buffers are weights.
  std::map<std::pair<const GlobalVarNode*, std::vector<int64_t>>, GlobalVar> known;

  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    const CallNode* call = call_of(next, call_tir);
    if (!call) return next;
    auto* name = as<GlobalVarNode>(call->args[0]);
    auto fn = Any(builder_->module()->lookup(text(name->name_hint))).as<PrimFunc>();
    if (!fn) return next;
    std::vector<int64_t> free;
    int64_t i = 0;
    for (const Expr& arg : tuple_elements(call->args[1])) {
      if (arg->kind == ExprKind::kGenericConst || weights.count(arg.get()) != 0) free.push_back(i);
      ++i;
    }
    // Layers call the same functions again and again, and add_function() looks for an equal one each time.
    auto [made, is_new] = known.try_emplace({name, free}, nullptr);
    if (is_new) {
      Array<Any> said(free.begin(), free.end());
      made->second =
          builder_->add_function(ir::with_attr(*fn, "layout_free_buffers", said), text(name->name_hint));
    }
    Array<Expr> args = call->args;
    args.Set(0, made->second);
    return make<CallNode>(call->ty, call->op, args, call->attrs, call->span, call->ty_args);
  }
  IRModule module() const { return builder_->module(); }
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto* fn = base.as<FunctionNode>();
    if (!fn) continue;
    Attach attach(*options.host, result, ref(fn));
    Function next = attach.rewrite_function(ref(fn));
    if (!next.same_as(base)) result = ir::with_function(attach.module(), name, next);
  }
  return without_dead_code(result);
}

}  // namespace

extern const Pass attach_attr_layout_free_buffers =
    graph_module_pass("AttachAttrLayoutFreeBuffers", "AttachAttrLayoutFreeBuffers()", doc, apply);

}  // namespace mlc::transform::pass_attach_attr_layout_free_buffers
