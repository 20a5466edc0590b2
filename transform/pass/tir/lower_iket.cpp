// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_lower_iket {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "iket-token",
         .message = "the token of a traced range is a value of its own, which only ends the range"},
        {.name = "iket-trace",
         .message = "traces of NVIDIA's in-kernel tracer are not made: `tirx.iket.enabled` is set",
         .help = "leave the attribute out; marks and ranges are then taken away"},
    }};
MLC_REFUSALS(tir_lower_iket, refusals);

namespace {

constexpr char doc[] =
    R"(LowerIket(): marks and ranges for NVIDIA's in-kernel tracer go.

    T.cuda.iket.mark("begin")
    A[tx] = T.float32(1)            =>      A[tx] = T.float32(1)
needs: the module does not ask for the trace (attribute `tirx.iket.enabled`), which mlc does not make; tokens of
ranges are used to end ranges alone.
keeps: everything else.
Between SplitHostDevice and MakePackedAPI.)";

constexpr std::string_view kFamily = "tirx.cuda.iket_";

// The name of the operator within the family ("mark"); empty for other expressions.
std::string_view iket(const Expr& e) {
  auto* call = as<CallNode>(e);
  auto* op = call ? as<OpNode>(call->op) : nullptr;
  std::string_view name = op ? text(op->name) : std::string_view();
  return name.starts_with(kFamily) ? name.substr(kFamily.size()) : std::string_view();
}
bool makes_token(const Expr& e) { return iket(e) == "range_start" || iket(e) == "sentinel_token"; }

Stmt without_iket(const Stmt& body) {
  std::unordered_set<const VarNode*> tokens;
  auto expression = [&](const Expr& e, Rewriter& on) {
    auto* var = as<VarNode>(e);
    if (!iket(e).empty() || (var && tokens.contains(var)))
      throw refuse(refusals["iket-token"]).kind(kRefusedValue).at(e->span);
    return on.rewrite_children(e);
  };
  auto statement = [&](const Stmt& s, Rewriter& on) {
    auto* bind = as<BindNode>(s);
    auto* store = as<BufferStoreNode>(s);
    auto* evaluate = as<EvaluateNode>(s);
    if ((bind && makes_token(bind->value)) || (store && makes_token(store->value))) {
      tokens.insert(bind ? bind->var.get() : store->buffer.get());
      return no_op();
    }
    bool marks = evaluate && !iket(evaluate->value).empty() && !makes_token(evaluate->value);
    return marks ? no_op() : on.rewrite_children(s);
  };
  Stmt next = rewrite_with(body, overloaded{expression, statement});
  // Memory that held tokens goes as well.
  return tokens.empty() ? next : rewrite_with(next, [&](const Stmt& s, Rewriter& on) {
    auto* alloc = as<AllocBufferNode>(s);
    return alloc && tokens.contains(alloc->buffer.get()) ? no_op() : on.rewrite_children(s);
  });
}

IRModule apply(const IRModule& mod, const PassOptions&) {
  auto enabled = mod->attrs.find("tirx.iket.enabled");
  if (enabled != mod->attrs.end()) {
    auto imm = (*enabled).second.as<IntImm>();
    if (imm ? (*imm)->value != 0 : (*enabled).second.try_cast<bool>().value_or(true))
      throw refuse(refusals["iket-trace"]).kind("NotImplementedError");
  }
  return map_prim_funcs(mod, [](const PrimFunc& fn) {
    return with_body(fn, without_iket(fn->body));
  });
}

}  // namespace

extern const Pass lower_iket{"LowerIket", "backend.cuda.transforms",    "LowerIket()", doc, nullptr, apply,
                             {},          "tirx.backend.cuda.LowerIket"};

}  // namespace mlc::transform::pass_lower_iket
