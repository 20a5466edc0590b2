// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

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

// What a token is kept in: element zero of a local buffer of one uint32.
bool is_token_memory(const BufferStoreNode& store) {
  const BufferTypeNode* type = store.buffer->buffer();
  bool single =
      type->shape.size() == 1 && is_const_int(type->shape[0], 1) && is_const_int(store.indices[0], 0);
  return single && text(type->storage_scope) == "local";
}

class WithoutIket final : public Rewriter {
 public:
  // Tokens may be copied, so the memory that holds them is found first.
  explicit WithoutIket(const Stmt& body) {
    for (bool found = true; found;) {
      size_t before = tokens_.size();
      post_order(
          body, [](const Expr&) {},
          [&](const Stmt& s) {
            auto* store = as<BufferStoreNode>(s);
            if (store && (makes_token(store->value) || is_token(store->value)))
              tokens_.insert(store->buffer.get());
          });
      found = tokens_.size() > before;
    }
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (is_token(e) || (!iket(e).empty() && iket(e) != "official_event")) throw misused(e->span);
    return rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s); store && tokens_.contains(store->buffer.get())) {
      if (!is_token_memory(*store) || !(makes_token(store->value) || is_token(store->value)))
        throw misused(s->span);
      return no_op();
    }
    if (auto* alloc = as<AllocBufferNode>(s); alloc && tokens_.contains(alloc->buffer.get())) return no_op();
    if (auto* evaluate = as<EvaluateNode>(s)) {
      std::string_view name = iket(evaluate->value);
      auto* call = as<CallNode>(evaluate->value);
      if (name == "range_end" && !is_token(call->args[0])) throw misused(s->span);
      if (name == "mark" || name == "range_push" || name == "range_pop" || name == "range_end")
        return no_op();
    }
    if (auto* branch = as<IfThenElseNode>(s)) return rewrite_branch(*branch);
    Stmt next = rewrite_children(s);
    if (auto* loop = as<ForNode>(next)) return emptied(loop->body, as<ForNode>(s)->body) ? no_op() : next;
    if (auto* loop = as<WhileNode>(next)) return emptied(loop->body, as<WhileNode>(s)->body) ? no_op() : next;
    if (auto* attr = as<AttrStmtNode>(next))
      return emptied(attr->body, as<AttrStmtNode>(s)->body) ? no_op() : next;
    return next;
  }

 private:
  std::unordered_set<const VarNode*> tokens_;

  bool is_token(const Expr& e) const {
    auto* load = as<TensorLoadNode>(e);
    return load && tokens_.contains(as<VarNode>(load->source));
  }
  static Error misused(Span span) { return refuse(refusals["iket-token"]).at(span); }
  // Did nothing but marks stand there?
  static bool emptied(const Stmt& after, const Stmt& before) { return is_no_op(after) && !is_no_op(before); }
  Stmt rewrite_branch(const IfThenElseNode& branch) {
    Stmt next = rewrite_children(ref(&branch));
    auto* now = as<IfThenElseNode>(next);
    bool without_then = emptied(now->then_case, branch.then_case);
    bool without_else = branch.else_case && emptied(now->else_case, branch.else_case);
    if (without_then && (without_else || !now->else_case)) return no_op();
    if (without_then)
      return make<IfThenElseNode>(logical_not(now->condition), now->else_case, nullptr, now->span);
    if (without_else) return make<IfThenElseNode>(now->condition, now->then_case, nullptr, now->span);
    return next;
  }
};

bool has_iket(const PrimFunc& fn) {
  bool found = false;
  post_order(fn->body, [&](const Expr& e) { found |= !iket(e).empty(); });
  return found;
}

IRModule apply(const IRModule& mod, const PassOptions&) {
  auto attr = mod->attrs.find("tirx.iket.enabled");
  bool enabled = false;
  if (attr != mod->attrs.end()) {
    auto imm = (*attr).second.as<IntImm>();
    enabled = imm ? (*imm)->value != 0 : (*attr).second.try_cast<bool>().value_or(true);
  }
  return map_prim_funcs(mod, [&](const PrimFunc& fn) {
    if (!has_iket(fn)) return fn;
    if (enabled) throw refuse(refusals["iket-trace"]).kind("NotImplementedError");
    return with_body(fn, WithoutIket(fn->body).rewrite(fn->body));
  });
}

}  // namespace

extern const Pass lower_iket{"LowerIket", "backend.cuda.transforms",    "LowerIket()", doc, nullptr, apply,
                             {},          "tirx.backend.cuda.LowerIket"};

}  // namespace mlc::transform::pass_lower_iket
