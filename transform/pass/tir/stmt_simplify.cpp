// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/simplify_value.h"
#include "transform/pass/pass.h"
#include "transform/pass/redundant_store.h"
#include "transform/pass/simplify_stmts.h"

namespace mlc::transform::pass_stmt_simplify {
namespace {

constexpr char doc[] = R"(StmtSimplify(): simplify every expression with what is known where it stands.

    for i in range(16):                     for i in range(16):
        if i < 20:                  =>          A[i] = 0
            A[i * 4 // 4] = 0
needs: nothing.
keeps: every effect, and every statement but decided branches and stores of what is there. Names of pure values
are looked through; what is asserted holds in the rest of the loop, branch or function. Options (`tirx.StmtSimplify`) ask for slower rules about conditions.
Twice in the pipeline: before buffers are flattened, and at the end, after unrolling made constants.)";

struct Simplify final : Rewriter {
  Analyzer analyzer;
  bool know_blocks = false;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (as<TensorRegionNode>(e)) return rewrite_children(e);
    return simplify_value(expanded(e), analyzer);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) return simplify_loop(*loop);
    if (auto* branch = as<IfThenElseNode>(s)) return simplify_branch(*branch);
    if (auto* bind = as<BindNode>(s)) {
      Expr value = rewrite(bind->value);
      analyzer.bind_name(bind->var, value);
      if (side_effect(value) <= Effect::kPure && is_small(value)) pure_[bind->var.get()] = value;
      return value.same_as(bind->value) ? s : Stmt(make<BindNode>(bind->var, value, s->span));
    }
    if (IterVar thread = launched_thread(s)) {
      const Expr& extent = as<AttrStmtNode>(s)->value;
      analyzer.bind(thread->var, make<RangeNode>(const_like(extent, 0), extent));
    }
    if (as<AssertStmtNode>(s)) {
      Stmt next = rewrite_children(s);
      asserted_.push_back(analyzer.assume(as<AssertStmtNode>(next)->condition));
      return next;
    }
    if (auto* loop = as<WhileNode>(s)) {
      return updated(loop, [&](WhileNode& n) {
        n.condition = rewrite(loop->condition);
        n.body = inner(loop->body);
      });
    }
    if (auto* block = as<SBlockNode>(s); block && know_blocks) {
      for (const IterVar& iter : block->iter_vars) analyzer.bind(iter->var, iter->dom);
    }
    if (auto* store = as<BufferStoreNode>(s)) {
      Stmt next = updated(store, [&](BufferStoreNode& n) {
        n.value = rewrite(store->value);
        n.indices =
            store->indices.Map([&](const Expr& index) { return simplify_index(expanded(index), analyzer); });
      });
      return stores_what_is_there(*as<BufferStoreNode>(next), analyzer) ? no_op() : next;
    }
    return rewrite_children(s);
  }

 private:
  VarMap pure_;  // the values of names that may be looked through
  std::vector<Analyzer::Assumption> asserted_;

  Expr expanded(const Expr& e) const { return pure_.empty() ? e : substitute(e, pure_); }
  // A statement that may not run: what it asserts holds inside.
  Stmt inner(const Stmt& s) {
    size_t before = asserted_.size();
    Stmt next = rewrite(s);
    while (asserted_.size() > before) asserted_.pop_back();
    return next;
  }
  // Values of names of values of names grow; beyond this they stay shared.
  static bool is_small(const Expr& e) {
    constexpr size_t kMostNodes = 256;
    size_t nodes = 0;
    walk_with(e, [&](const Expr& part, Walker& on) {
      if (++nodes < kMostNodes) on.walk_children(part);
    });
    return nodes < kMostNodes;
  }
  Stmt simplify_loop(const ForNode& loop) {
    return updated(&loop, [&](ForNode& n) {
      n.min = rewrite(loop.min);
      n.extent = rewrite(loop.extent);
      analyzer.bind(loop.loop_var, make<RangeNode>(n.min, n.extent));
      // Inside the body the loop runs at least once, and its variable is in its range.
      auto inside = analyzer.assume(gt(n.extent, const_like(n.extent, 0)));
      if (const_int(n.min) && const_int(n.extent)) {
        n.body = inner(loop.body);
        return;
      }
      auto from = analyzer.assume(ge(loop.loop_var, n.min));
      auto to = analyzer.assume(lt(loop.loop_var, add(n.min, n.extent)));
      n.body = inner(loop.body);
    });
  }
  Stmt simplify_branch(const IfThenElseNode& branch) {
    Expr condition = rewrite(branch.condition);
    Expr bare = condition;
    if (auto* likely = as_call_to(condition, "tirx.likely")) bare = likely->args[0];
    if (auto known = const_int(bare)) {
      if (*known != 0) return rewrite(branch.then_case);
      return branch.else_case ? rewrite(branch.else_case) : no_op();
    }
    return updated(&branch, [&](IfThenElseNode& n) {
      n.condition = condition;
      {
        auto inside = analyzer.assume(bare);
        n.then_case = inner(branch.then_case);
      }
      if (!branch.else_case) return;
      auto inside = analyzer.assume(analyzer.rewrite_simplify(logical_not(bare)));
      n.else_case = inner(branch.else_case);
    });
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) { return simplify_stmts(fn, options, false); }

}  // namespace

extern const Pass stmt_simplify{"StmtSimplify", "tirx.transform", "StmtSimplify()", doc, apply};

}  // namespace mlc::transform::pass_stmt_simplify

namespace mlc::transform {

// A dimension of a parameter `var * scale + offset` is not negative. As in TVM the bound is that of var +
// offset, and the last dimension with the variable counts.
static void bind_dimensions(const PrimFunc& fn, Analyzer& analyzer) {
  for (const Var& param : fn->params) {
    if (!param->buffer()) continue;
    for (const Expr& dimension : param->buffer()->shape) {
      int64_t offset = 0;
      Expr symbol = dimension;
      while (auto* two = as_binary(symbol)) {
        bool less = symbol->kind == ExprKind::kSub;
        auto constant = const_int(two->b);
        if (!constant || !(less || symbol->kind == ExprKind::kAdd)) break;
        offset += less ? -*constant : *constant;
        symbol = two->a;
      }
      if (auto* scaled = as<MulNode>(symbol); scaled && const_int(scaled->b).value_or(0) > 0)
        symbol = scaled->a;
      if (auto* var = as<VarNode>(symbol); var && var->dtype().is_int() && var->dtype().is_scalar())
        analyzer.bind(ref(var), ConstIntBound{-offset, ConstIntBound::kPosInf});
    }
  }
}

PrimFunc simplify_stmts(const PrimFunc& fn, const PassOptions& options, bool know_blocks) {
  using namespace pass_stmt_simplify;
  Simplify simplify;
  simplify.know_blocks = know_blocks;
  bind_dimensions(fn, simplify.analyzer);
  bind_parameters(fn, simplify.analyzer);
  constexpr std::string_view kKey = "tirx.StmtSimplify";
  simplify.analyzer.enable(options.config_integer(kKey, "transitively_prove_inequalities", 0) |
                           options.config_integer(kKey, "convert_boolean_to_and_of_ors", 0) << 1 |
                           options.config_integer(kKey, "apply_constraints_to_boolean_branches", 0) << 2);
  return with_body(fn, simplify.rewrite(fn->body));
}

}  // namespace mlc::transform
