// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_interleave_parallel {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "interleave-annotation",
         .message = "`{}` of block `{}` is not how many steps go together and make a vector"},
    }};
MLC_REFUSALS(tir_interleave_parallel, refusals);

namespace {

constexpr char doc[] =
    R"(InterleaveParallel(): steps of a parallel loop that take each of its statements in turn, in vectors.

    with T.sblock("scan"):                              with T.sblock("scan"):
        T.sblock_attr({"mlc.interleave": [64, 16]})         for v_0 in T.parallel(64):
        for v in T.parallel(4096):                              for v_1 in range(4):
            B[0, v] = A[0, v]                       =>              for v_2 in T.vectorized(16):
            for k in range(1023):                                       B[0, v_0 * 64 + ...] = A[0, ...]
                B[k + 1, v] = B[k, v] + A[k + 1, v]             for k in range(1023):
                                                                    for v_1 in range(4):
                                                                        for v_2 in T.vectorized(16):
                                                                            B[k + 1, ...] = B[k, ...] + ...
needs: a body of stores, branches, and serial loops whose bounds are the same for all steps; other loops stay as they are.
keeps: what each step computes; steps of a parallel loop do not see what others write.
So many steps, 64, go together, and so many of these, 16, are a vector: a scan down the columns of a tensor walks its rows.
The schedule rules of mlc.schedule annotate blocks so. First of all passes, while there are blocks.)";

constexpr const char* kInterleave = "mlc.interleave";

// Whether each statement may be done for some steps of the loop over `var` before the next one is.
bool in_turn(const Stmt& s, const Var& var) {
  if (auto* list = as<SeqStmtNode>(s)) {
    return std::all_of(list->seq.begin(), list->seq.end(),
                       [&](const Stmt& each) { return in_turn(each, var); });
  }
  auto same = [&](const Expr& e) {
    return side_effect(e) <= Effect::kPure &&
           !uses_var(e, [&](const VarNode* each) { return each == var.get(); });
  };
  if (auto* loop = as<ForNode>(s)) {
    return loop->for_kind == ForKind::kSerial && !loop->step && same(loop->min) && same(loop->extent) &&
           in_turn(loop->body, var);
  }
  if (auto* branch = as<IfThenElseNode>(s)) {
    return side_effect(branch->condition) <= Effect::kReadState && !as<ForNode>(branch->then_case) &&
           in_turn(branch->then_case, var) && (!branch->else_case || in_turn(branch->else_case, var));
  }
  auto* store = as<BufferStoreNode>(s);
  return store != nullptr && side_effect(store->value) <= Effect::kReadState;
}

struct Interleave final : Rewriter {
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* block = as<SBlockNode>(s)) return block_of(*block);
    auto* loop = as<ForNode>(s);
    if (loop == nullptr || together_ < 2 || loop->for_kind != ForKind::kParallel || loop->step ||
        !in_turn(loop->body, loop->loop_var)) {
      return rewrite_children(s);
    }
    return split(*loop);
  }

 private:
  Stmt block_of(const SBlockNode& block) {
    auto found = block.annotations.find(kInterleave);
    if (found == block.annotations.end()) return rewrite_children(ref(&block));
    auto asked = (*found).second.try_cast<Array<int64_t>>();
    if (!asked || asked->size() != 2 || (*asked)[1] < 2 || (*asked)[0] < (*asked)[1]) {
      throw refuse(refusals["interleave-annotation"], kInterleave, std::string(block.name_hint))
          .at(block.span);
    }
    auto around = std::pair(together_, vector_);
    together_ = (*asked)[0];
    vector_ = (*asked)[1];
    Stmt body = rewrite(block.body);
    std::tie(together_, vector_) = around;
    return with(ref(&block), [&](SBlockNode& n) {
      n.annotations.erase(kInterleave);
      n.body = body;
    });
  }

  Stmt split(const ForNode& loop) {
    Expr count = floordiv(loop.extent, const_like(loop.extent, together_));
    Expr rest = floormod(loop.extent, const_like(loop.extent, together_));
    Array<Stmt> parts;
    if (!is_const_int(count, 0)) {
      Var group = make<VarNode>(loop.loop_var->name + "_0", loop.loop_var->ty, loop.loop_var->span);
      Expr first = add(loop.min, mul(group, const_like(group, together_)));
      Stmt body = each_in_turn(loop.body, loop.loop_var, first, const_like(group, together_));
      parts.push_back(with(ref(&loop), [&](ForNode& n) {
        n.loop_var = group;
        n.min = const_like(group, 0);
        n.extent = count;
        n.body = body;
      }));
    }
    if (!is_const_int(rest, 0)) {
      Expr first = add(loop.min, mul(count, const_like(count, together_)));
      parts.push_back(FreshBinders().rewrite(each_in_turn(loop.body, loop.loop_var, first, rest)));
    }
    return seq(parts);
  }

  // The statement for `count` values of `var` from `first` on, each of its stores for all of them before the
  // next.
  Stmt each_in_turn(const Stmt& s, const Var& var, const Expr& first, const Expr& count) {
    if (auto* list = as<SeqStmtNode>(s)) {
      Array<Stmt> parts;
      for (const Stmt& each : list->seq) parts.push_back(each_in_turn(each, var, first, count));
      return seq(parts);
    }
    if (auto* loop = as<ForNode>(s))
      return with(ref(loop), [&](ForNode& n) { n.body = each_in_turn(loop->body, var, first, count); });
    auto known = const_int(count);
    if (!known) return steps(s, var, first, count, ForKind::kSerial);
    int64_t vectors = *known / vector_, tail = *known % vector_;
    Array<Stmt> parts;
    if (vectors == 1) parts.push_back(steps(s, var, first, const_like(count, vector_), ForKind::kVectorized));
    if (vectors > 1) {
      Var at = make<VarNode>(var->name + "_1", var->ty, var->span);
      Expr of_vector = add(first, mul(at, const_like(at, vector_)));
      Stmt body = steps(s, var, of_vector, const_like(at, vector_), ForKind::kVectorized);
      parts.push_back(loop_over(at, const_like(at, vectors), ForKind::kSerial, body, s->span));
    }
    if (tail > 0) {
      Expr behind = add(first, const_like(first, vectors * vector_));
      parts.push_back(
          steps(s, var, behind, const_like(count, tail), tail > 1 ? ForKind::kVectorized : ForKind::kSerial));
    }
    return seq(parts);
  }

  static Stmt steps(const Stmt& s, const Var& var, const Expr& first, const Expr& count, ForKind kind) {
    Var lane = make<VarNode>(var->name + "_2", var->ty, var->span);
    return loop_over(lane, count, kind, substitute(s, {{var.get(), add(first, lane)}}), s->span);
  }

  static Stmt loop_over(const Var& var, const Expr& extent, ForKind kind, const Stmt& body, Span span) {
    return make<ForNode>(var, const_like(var, 0), extent, kind, body, nullptr, Map<String, Any>{}, nullptr,
                         span);
  }

  int64_t together_ = 0, vector_ = 0;  // of the block around
};

}  // namespace

extern const Pass interleave_parallel{"InterleaveParallel", "tirx.transform", "InterleaveParallel()", doc,
                                      rewritten_by<Interleave>};

}  // namespace mlc::transform::pass_interleave_parallel
